"""Configurations: a `model_type` that is not the model's name, and classes that are imported from a file that is not there."""

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Any

from modular.flatten.autofixes import (
    add_attribute,
    define_like_parent,
    rename_definition,
)
from modular.flatten.flattened import Flattened
from modular.lint.rule import LintRule
from modular.rules.classes import class_attributes
from modular.rules.files import file_types
from modular.rules.files.imports import guarded_imports
from modular.source.assignments import assigned_value, written_text
from modular.source.blocks import Statement
from modular.source.definition_view import view_definition
from modular.source.diagnostics import Place, Problem, did_you_mean, nearest
from modular.source.import_statements import Import
from modular.source.module import Module
from modular.source.places import place_of_module, place_of_word
from modular.source.source_slice import SourceSlice, has_word


_MODEL_TYPE = "model_type"


class WrongModelType(LintRule):
    """The inherited `model_type` is not the model's name.

    A parent's `model_type` is renamed with the rest of its file. The name is made of the class names' prefix: a capital begins a
    new part, so `MyLLMConfig` gives `my_l_l_m`. Parts of the model, such as `olmo_text`, are fine.

    Use instead a `model_type` of your own in the class, or a class name that is made of the model's.

    Invalid `models/my_llm/modular_my_llm.py`:

    ```python
    from ..llama.configuration_llama import LlamaConfig


    class MyLLMConfig(LlamaConfig):
        pass
    ```

    Finding:

    ```text
    models/my_llm/modular_my_llm.py:4:7: the inherited `model_type` becomes 'my_l_l_m' in `MyLLMConfig`, but the model is called 'my_llm'
    hint: write `model_type = "my_llm"`, or give the class a name that begins with the model's
    ```

    Fixed `models/my_llm/modular_my_llm.py`:

    ```python
    from ..llama.configuration_llama import LlamaConfig


    class MyLLMConfig(LlamaConfig):
        model_type = "my_llm"
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.configuration_llama import LlamaConfig


    class OlmoConfig(LlamaConfig):
        model_type = "olmoe"
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:5:5: the `model_type` of `OlmoConfig` is 'olmoe', but the model is called 'olmo'
    hint: write `model_type = "olmo"`, or the name of a part of the model, such as `olmo_text`
    ```
    """

    code = Problem.WRONG_MODEL_TYPE
    message = "the inherited `model_type` becomes {value!r} in `{name}`, but the model is called {model!r}"
    hint = "write `{right}`, or give the class a name that begins with the model's"

    def check_class(self, flat: Flattened) -> None:
        """Look at a `model_type` that is not the model's name: the renaming made an inherited one into something else."""
        if (
            _MODEL_TYPE not in flat.parent.code.mask
            and _MODEL_TYPE not in flat.child.code.mask
        ):
            return
        inherited = flat.inherited_attributes.get(_MODEL_TYPE)
        own = flat.attributes.get(_MODEL_TYPE)
        statement, model = own or inherited, self.modular.model
        value = (
            written_text(assigned_value(statement)) if statement is not None else None
        )
        if (
            statement is None
            or value is None
            or f"{value.replace('-', '_')}_".startswith(f"{model}_")
        ):
            return  # it is the model's, or that of a part of the model: `olmo_text` of `olmo`
        right = f'{_MODEL_TYPE} = "{model}"'
        names: dict[str, Any] = {
            "value": value,
            "name": flat.child.name,
            "model": model,
            "right": right,
        }
        if own is not None:
            message = "the `model_type` of `{name}` is {value!r}, but the model is called {model!r}"
            hint = "write `{right}`, or the name of a part of the model, such as `{model}_text`"
            self.report(own.own, message=message, hint=hint, **names)
            return
        as_written = view_definition(
            self.modular.definitions.classes[flat.child.name].statement
        )
        place = place_of_word(flat.child.header, flat.child.name)
        self.report(
            place, add_attribute(as_written, right), related=statement.own, **names
        )


class UnannotatedSetting(LintRule):
    """A setting loses its annotation.

    Configurations are dataclasses: what is annotated in the class is a field, that can be given when one is made. An attribute
    without annotation replaces the parent's, and is none any more.

    Use instead the parent's annotation, or one of your own.

    Given `models/llama/configuration_llama.py`:

    ```python
    class LlamaConfig:
        model_type = "llama"
        hidden_size: int = 64
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.configuration_llama import LlamaConfig


    class OlmoConfig(LlamaConfig):
        hidden_size = 128
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:5:5: `hidden_size` has no annotation, so it is no field of `OlmoConfig`: the parent's `hidden_size: int` is replaced
    hint: write `hidden_size: int = ...`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.configuration_llama import LlamaConfig


    class OlmoConfig(LlamaConfig):
        hidden_size: int = 128
    ```
    """

    code = Problem.UNANNOTATED_SETTING
    message = "`{name}` has no annotation, so it is no field of `{config}`: the parent's `{name}: {annotation}` is replaced"
    hint = "write `{name}: {annotation} = ...`"

    def check_class(self, flat: Flattened) -> None:
        """Look at settings of a configuration that are annotated in the parent class, and not here."""
        if not flat.child.name.endswith("Config"):
            return
        inherited = flat.inherited_attributes
        for name, statement in flat.attributes.items():
            if (
                name in inherited
                and not _annotation(statement)
                and not class_attributes.is_removal(statement)
            ):
                if annotation := _annotation(inherited[name]):
                    place = place_of_word(statement.own, name)
                    names = {
                        "name": name,
                        "config": flat.child.name,
                        "annotation": annotation,
                    }
                    self.report(
                        place,
                        replacement=f"{name}: {annotation}",
                        related=inherited[name].own,
                        **names,
                    )


def _annotation(statement: Statement) -> str:
    """The annotation of an attribute, empty if it has none."""
    before = statement.own.mask.partition("=")[0].rstrip()
    return statement.own.text[: len(before)].partition(":")[2].strip()


class DanglingImport(LintRule):
    """A generated file imports a class that nothing makes.

    The parent file imports its configuration, or another class, from a file of its own model. Under the new name that is a file
    of the new model. It is neither generated, because no class of the modular file has that name, nor written by hand.

    Define the class in the modular file, usually by inheriting from the parent's, or write the file by hand.

    Given `models/siglip/modeling_siglip.py`:

    ```python
    from .configuration_siglip import SiglipConfig


    class SiglipModel:
        config: SiglipConfig
    ```

    Given `models/siglip/configuration_siglip.py`:

    ```python
    class SiglipConfig:
        model_type = "siglip"
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.modeling_siglip import SiglipModel


    class OlmoModel(SiglipModel):
        pass
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:4:7: `models/olmo/modeling_olmo.py` imports `OlmoConfig` from `.configuration_olmo`, which no modular file generates
    hint: define `OlmoConfig`, or write `configuration_olmo.py` by hand
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.configuration_siglip import SiglipConfig
    from ..siglip.modeling_siglip import SiglipModel


    class OlmoConfig(SiglipConfig):
        pass


    class OlmoModel(SiglipModel):
        pass
    ```
    """

    code = Problem.DANGLING_IMPORT
    message = (
        "`{path}` imports `{name}` from `{source}`, which no modular file generates"
    )
    hint = "define `{name}`{suggest_alternative}"

    def check(self) -> None:
        """Look at the imports, from files of the model, of names that are not there; an import in a `try` may fail."""
        missing: dict[str, tuple[Module, Import]] = {}
        for head in self.context.heads.values():
            ifs = [
                statement
                for statement in head.block.statements
                if statement.own.mask.startswith("if")
            ]
            for statement in (*head.imports, *guarded_imports(ifs)):
                for name in self._missing(statement):
                    missing.setdefault(name, (head, statement))
        for name, (head, statement) in missing.items():
            self._report(head, statement, name)

    def _missing(self, statement: Import) -> Iterator[str]:
        """The names that an output file imports from another file of the model, and that are not there."""
        stem = statement.module or ""
        file_type = (
            file_types.of_file(stem, self.context.project.settings)
            if statement.level == 1
            else None
        )
        if file_type is None or stem != f"{file_type}_{self.modular.model}":
            return
        path = self.context.project.output_path(self.modular.path, file_type)
        in_folder = str(PurePosixPath(self.modular.path).with_name(f"{stem}.py"))
        known: set[str] = set()
        if (head := self.context.heads.get(file_type)) is not None:
            known = head.code.words() | self.layout.drafts[file_type].statements.keys()
        elif self.context.exists(path) or self.context.exists(in_folder):
            return
        yield from (alias.name for alias in statement.names if alias.name not in known)

    def _report(self, module: Module, statement: Import, name: str) -> None:
        place, related = self._user(name)
        heads = self.context.heads.values()
        is_there = any(
            PurePosixPath(head.path).stem == statement.module for head in heads
        )
        known = self._classes_meant(name)
        near = did_you_mean(name, known)
        self.report(
            place,
            *(
                rename_definition(self.modular, one, name)
                for one in nearest(name, known)
            ),
            *define_like_parent(self.modular, name, self.layout.parents),
            related=related,
            message="`{path}` imports `{name}` from `{source}`, which has no such class"
            if is_there
            else "",
            path=module.path,
            name=name,
            source=statement.source,
            suggest_alternative=f"; {near}"
            if near
            else f", or write `{statement.module}.py` by hand",
        )

    def _classes_meant(self, name: str) -> list[str]:
        """Return the classes whose parent class ends like ``name``, apart from the name of the parent's model."""
        modular, meant = self.modular, []
        for class_name in modular.definitions.classes:
            for base in modular.parents_of(class_name):
                source = self.layout.parents[modular.parent_of[base]].source
                original = modular.original_names[base]
                ending = original.removeprefix(source.name_forms.cased)
                if ending and name.endswith(ending):
                    meant.append(class_name)
        return meant

    def _user(self, name: str) -> tuple[Place, Place | None]:
        """Return the place in the modular file that asks for a name, and a second one if a parent's code uses it.

        That is its own import, a class whose code uses the name, or the import of the parent file that brings the code in.
        """
        module = self.modular.module
        for statement in (*module.imports, *guarded_imports(module.block.statements)):
            if statement.level == 1 and any(
                alias.name == name for alias in statement.names
            ):
                return place_of_module(statement), None
        for flat in self.layout.flattened.values():
            place = _first_use((part.code for part in flat.parts), name)
            if place is not None:
                return self.context.attribute_to_modular(flat.child.name, place)
        for definition in self.modular.definitions.classes.values():
            if name in definition.words:
                return place_of_word(definition.statement.own, name), None
        for file in self.context.files:
            # Definitions come before imports: they say why a name is imported.
            for output in sorted(file.statements, key=lambda output: not output.name):
                place = _first_use((part.code for part in output.parts), name)
                if place is not None:
                    return self.context.attribute_to_modular(output.name, place)
        return Place(self.modular.path), None


def _first_use(codes: Iterable[SourceSlice], name: str) -> Place | None:
    """Return the first place at which some code has a name."""
    for code in codes:
        if has_word(code.mask, name):
            return place_of_word(code, name)
    return None
