"""Lint rules for configurations, and for imports of classes that do not exist."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import PurePosixPath

from modular.flatten.autofixes import (
    add_attribute,
    define_like_parent,
    rename_definition,
)
from modular.flatten.merged_class import MergedClass
from modular.lint.inner_imports import (
    InnerImport,
    find_inner_imports,
    imports_of_modular,
)
from modular.lint.missing_names import lacks_module, lacks_name
from modular.lint.rule import LintRule, Precision
from modular.rules.classes import class_attributes
from modular.rules.files.drafts import GETATTR
from modular.rules.files.imports import bound_names
from modular.semantics.imports import find_module_stem
from modular.settings.file_names import ModelFileName
from modular.source.assignments import assigned_value, string_value
from modular.source.blocks import Statement
from modular.source.definition_view import view_definition
from modular.source.diagnostics import Place, Problem, Severity, did_you_mean, nearest
from modular.source.import_statements import Alias, Import
from modular.source.places import place_of_module, place_of_word
from modular.source.source_slice import has_word


_MODEL_TYPE = "model_type"
_LACKS_NAME = "`{path}` imports `{name}` from `{source}`, which does not define it"


class WrongModelType(LintRule):
    """The `model_type` of a configuration is not the model's name.

    `AutoModel` and `AutoConfig` find a model by the `model_type` of its configuration.
    If the `model_type` is wrong, they may not find your model. If you do not set
    `model_type`, modular derives the value from the name of the class, and begins a new
    word at each capital. In the example, the model is called `my_llm`, but the class
    `MyLLMConfig` gives `my_l_l_m`.

    modular does not report the following values of `model_type`:

    - the name of the model with a further word, such as `olmo_text` for `olmo`
    - any value that you write yourself, if another configuration class of the modular
      file has the model's name as its `model_type`. `AutoModel` then finds that class.
    - a value that the library's `CONFIG_MAPPING_NAMES` maps to the class

    Set `model_type` in the class, or give the class a name that begins with the model's
    name.

    Invalid `models/my_llm/modular_my_llm.py`:

    ```python
    from ..llama.configuration_llama import LlamaConfig


    class MyLLMConfig(LlamaConfig):
        pass
    ```

    Finding:

    ```text
    models/my_llm/modular_my_llm.py:4:7: renaming sets the `model_type` of `MyLLMConfig` to 'my_l_l_m', but the model is called 'my_llm'
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
    hint: write `model_type = "olmo"` or, if this is the configuration of a part of the model, a name such as `olmo_text`
    ```

    Given `models/auto/configuration_auto.py`:

    ```python
    CONFIG_MAPPING_NAMES = {"llama": "LlamaConfig", "olmoe_core": "OlmoConfig"}
    ```

    modular accepts the value `olmoe_core`, because the library registers `OlmoConfig`
    under this name.

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.configuration_llama import LlamaConfig


    class OlmoConfig(LlamaConfig):
        model_type = "olmoe_core"
    ```
    """

    code = Problem.WRONG_MODEL_TYPE
    message = (
        "renaming sets the `model_type` of `{name}` to {value!r}, "
        "but the model is called {model!r}"
    )
    hint = "write `{right}`, or give the class a name that begins with the model's"

    def check_class(self, merged_class: MergedClass) -> None:
        """Report a `model_type`, written or inherited, that is not the model's name.

        An inherited one may be wrong because modular derives it from the class name.
        """
        codes = (merged_class.parent.code, merged_class.child.code)
        if not any(_MODEL_TYPE in code.masked_text for code in codes):
            return
        override = merged_class.attributes.get(_MODEL_TYPE)
        statement = override or merged_class.inherited_attributes.get(_MODEL_TYPE)
        if statement is None:
            return
        model = self.modular.model
        # The usual statement need not be parsed.
        if statement.bare_code.text.strip() == f'{_MODEL_TYPE} = "{model}"':
            return
        value = string_value(assigned_value(statement))
        if value is None:
            return
        # A part of the model may be called `olmo_text`.
        normalized_value = value.replace("-", "_")
        if f"{normalized_value}_".startswith(f"{model}_"):
            return
        # The library may register the class under another model type.
        name = merged_class.child.name
        if self.context.project.registered_configurations.get(value) == name:
            return

        right_line = f'{_MODEL_TYPE} = "{model}"'
        if override is not None:
            for other_name, definition in self.modular.definitions.classes.items():
                if other_name != name and right_line in definition.statement.code.text:
                    return
            self.report(
                override.bare_code,
                message="the `model_type` of `{name}` is {value!r}, "
                "but the model is called {model!r}",
                hint="write `{right}` or, if this is the configuration of a part of "
                "the model, a name such as `{model}_text`",
                value=value,
                name=name,
                model=model,
                right=right_line,
            )
            return
        modular_class = self.modular.definitions.classes[name].statement
        self.report(
            place_of_word(merged_class.child.header, name),
            add_attribute(view_definition(modular_class), right_line),
            related=statement.bare_code,
            value=value,
            name=name,
            model=model,
            right=right_line,
        )


class UnannotatedSetting(LintRule):
    """A setting of a configuration loses its annotation.

    Users can no longer set the value of the setting when they create a configuration.
    Configurations are dataclasses, and the fields of a dataclass are its annotated
    attributes. In the example, `hidden_size = 128` has no annotation. It replaces the
    parent's field `hidden_size: int`, but is not a field itself.

    Add an annotation to the attribute in your class, as in `hidden_size: int = 128`.

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
    models/olmo/modular_olmo.py:5:5: `hidden_size` is no longer a field of `OlmoConfig`: it replaces the parent's `hidden_size: int`, and has no annotation
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
    precision = Precision(findings=2, real=2)
    message = (
        "`{name}` is no longer a field of `{config}`: it replaces the parent's "
        "`{name}: {annotation}`, and has no annotation"
    )
    hint = "write `{name}: {annotation} = ...`"

    def check_class(self, merged_class: MergedClass) -> None:
        """Report `size = 8` in a configuration if the parent class has `size: int = 4`.

        Configurations are dataclasses, so `size` is not a field without its annotation.
        """
        if not merged_class.child.name.endswith("Config"):
            return
        for name, statement in merged_class.attributes.items():
            inherited = merged_class.inherited_attributes.get(name)
            if inherited is None or class_attributes.is_removal(statement):
                continue
            annotation = annotation_of(inherited)
            if annotation and not annotation_of(statement):
                self.report(
                    place_of_word(statement.bare_code, name),
                    replacement=f"{name}: {annotation}",
                    related=inherited.bare_code,
                    name=name,
                    config=merged_class.child.name,
                    annotation=annotation,
                )


def annotation_of(statement: Statement) -> str:
    """Return `int` for the attribute `size: int = 4`; empty if it has no annotation."""
    target = statement.bare_code.masked_text.partition("=")[0].rstrip()
    return statement.bare_code.text[: len(target)].partition(":")[2].strip()


class DanglingImport(LintRule):
    """A generated file imports a class that does not exist.

    Python cannot import the generated file, or, if the import is inside a method, a
    call of this method fails. Usually, your modular file does not define a class that
    it needs. In the example, the parent file imports `SiglipConfig` from the parent's
    configuration file. So the generated file imports `OlmoConfig` from the
    configuration file of your model, but the modular file does not define `OlmoConfig`.

    The finding has two other causes:

    - **The parent file imports from a helper file** such as `generation_siglip.py`,
      which modular does not generate for your model. Your model needs its own
      `generation_olmo.py`.
    - **An import in your modular file is wrong:** the module does not exist, or it does
      not define the name.

    The finding is an error. It is only a warning if the import may never run, for
    example because it is inside an `if` or in a nested function.

    Define the missing class in the modular file. Usually, it inherits from the class of
    the parent's model, as in `OlmoConfig(SiglipConfig)`. Or write the missing file by
    hand.

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

    Given `models/bert/modeling_bert.py`:

    ```python
    from .generation_bert import BertGenerationMixin


    class BertModel(BertGenerationMixin):
        def forward(self, x):
            return x
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..bert.modeling_bert import BertModel


    class OlmoModel(BertModel):
        pass
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:4:7: `models/olmo/modeling_olmo.py` imports `OlmoGenerationMixin` from `.generation_olmo`, which no modular file generates
    hint: write `generation_olmo.py` by hand, or override what uses `OlmoGenerationMixin`
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def read(self):
            from ..llama.modeling_llama import LlamaMPL

            return LlamaMPL
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:6:44: `models/olmo/modeling_olmo.py` imports `LlamaMPL` from `..llama.modeling_llama`, which does not define it
    hint: did you mean `LlamaMLP` or `LlamaModel`?
    ```
    """

    code = Problem.DANGLING_IMPORT
    levels = (Severity.ERROR, Severity.WARNING)
    message = (
        "`{path}` imports `{name}` from `{source}`, which no modular file generates"
    )
    hint = "define `{name}`, or write `{stem}.py` by hand"

    def check(self) -> None:
        """Report imports of the generated files that do not find the imported name.

        These are the imports from the folder of the model, such as
        `from .configuration_olmo import OlmoConfig`, and those at the top level of the
        modular file. Imports inside other statements of generated files are checked in
        the same way. An import in a `try` may fail, so it is not checked.
        """
        # Each missing name is reported once, at its first import.
        reported: set[str] = set()
        for module in self.context.output_imports.values():
            for import_ in module.imports:
                if _is_from_model_folder(import_):
                    self._check_output_import(module.path, import_, reported)
        for inner in find_inner_imports(self.context):
            if _is_from_model_folder(inner.import_):
                self._check_inner_import(inner, reported)
            else:
                self._check_other_inner_import(inner)
        for import_ in self.modular.module.imports:
            if not _is_from_model_folder(import_):
                self._check_own_import(import_)

    def _check_output_import(
        self, path: str, import_: Import, reported: set[str]
    ) -> None:
        """Report names that an import at the top level of a generated file does not find.

        Args:
            path: The path of the generated file.
            import_: The import from the model's folder.
            reported: The names that are reported already. More are added.
        """
        for name in self._missing_names(import_):
            if name not in reported:
                reported.add(name)
                is_error = not self._may_supply(import_)
                places = self._find_place_of_use(name)
                self._report(path, import_, name, is_error, places)

    def _check_inner_import(self, inner: InnerImport, reported: set[str]) -> None:
        """Report names that an inner import from the model's folder does not find.

        Args:
            inner: The import.
            reported: The names that are reported already. More are added.
        """
        import_ = inner.import_
        is_error = inner.is_certain and not self._may_supply(import_)
        # The import is in an `if` or `try`, which is written for all code that uses it.
        is_in_top_level_block = not inner.definition
        for name in self._missing_names(import_):
            if name in reported:
                continue
            reported.add(name)
            if is_in_top_level_block:
                places = self._find_place_of_use(name)
            else:
                places = self.context.place_in(
                    inner.file, import_.statement.line, import_.module or ""
                )
            self._report(inner.file.path, import_, name, is_error, places)

    def _check_other_inner_import(self, inner: InnerImport) -> None:
        """Report names that an inner import from outside the model's folder does not find.

        Imports that are copied from a parent file are left out.
        """
        import_ = inner.import_
        line = import_.statement.line
        for alias in import_.names:
            place, place_in_parent = self.context.place_in(inner.file, line, alias.name)
            is_copied_from_parent = place_in_parent is not None
            # A copied import finds as much as it does in the parent file.
            if not is_copied_from_parent:
                self._check_name(
                    inner.file.path, import_, alias, place, inner.is_certain
                )

    def _check_own_import(self, import_: Import) -> None:
        """Report names that the modular file imports from a file that lacks them.

        Only names that a generated file imports, too, are checked. Imports from files of
        models are left out, as MOD202 and MOD431 report them.
        """
        for alias in import_.names:
            output_path = self._importing_outputs.get(alias.bound)
            if output_path is None:
                continue
            file = self._find_module(import_, alias)
            if file is None:
                is_from_model_file = self._is_file_of_model(import_, alias)
            else:
                is_from_model_file = file in self.layout.parents
            if not is_from_model_file:
                place = place_of_word(import_.statement.bare_code, alias.name)
                self._check_name(output_path, import_, alias, place, is_certain=True)

    def _check_name(
        self, path: str, import_: Import, alias: Alias, place: Place, is_certain: bool
    ) -> None:
        """Report a name if the module that it is imported from lacks it, or does not exist.

        Args:
            path: The path of the generated file with the import.
            import_: The import. It is also in the modular file.
            alias: The name. It is a module for an import such as `import lib.layers`.
            place: The place of the name in the modular file.
            is_certain: Whether the import certainly runs.
        """
        module = _module_of(import_, alias)
        source = "." * import_.level + module
        file = self._find_module(import_, alias)
        imports_name = import_.module is not None and alias.name != "*"
        if file is None:
            if lacks_module(self.context, import_.level, module):
                # Outside of the models folders, building the package may make the module.
                is_of_model = self._is_in_models_folder(import_, alias)
                self.report(
                    place,
                    message="`{path}` imports `{source}`, and there is no such module",
                    hint="correct the name of the module",
                    is_error=is_certain and is_of_model,
                    path=path,
                    source=source,
                )
        elif imports_name and lacks_name(self.context, file, alias.name):
            suggestion = did_you_mean(alias.name, self._names_in_files([file]))
            self.report(
                place,
                message=_LACKS_NAME,
                hint=suggestion or f"define `{alias.name}` in `{file}`",
                is_error=is_certain,
                path=path,
                name=alias.name,
                source=source,
            )

    def _find_module(self, import_: Import, alias: Alias) -> str | None:
        """Return the file of the module that an import names; None if the project has none.

        For `from .. import name`, return the file of the module `name`, or else of the
        package.
        """
        find_file = self.context.resolver.find_file
        path = self.modular.path
        file = find_file(path, import_.level, _module_of(import_, alias))
        if file is None and import_.level and not import_.module:
            file = find_file(path, import_.level, "")
        return file

    def _is_file_of_model(self, import_: Import, alias: Alias) -> bool:
        """Return whether an import names a file of a model, and not a model's folder.

        In `from ..llama.utils import x`, it is the file `utils`, and in `from ..llama
        import x`, the folder `llama`.
        """
        stem = self._find_stem(import_, alias)
        names_folder = stem is not None and self.context.project.is_model_folder(stem)
        return not names_folder and self._is_in_models_folder(import_, alias)

    def _is_in_models_folder(self, import_: Import, alias: Alias) -> bool:
        """Return whether the module that an import names is in a folder of models."""
        stem = self._find_stem(import_, alias)
        if stem is None:
            return False
        return self.context.project.is_in_models_folder(f"{stem}.py")

    def _find_stem(self, import_: Import, alias: Alias) -> str | None:
        """Return the path without suffix of the module that an import names.

        None if the module is not in the project.
        """
        return find_module_stem(
            self.context.project,
            self.modular.path,
            import_.level,
            _module_of(import_, alias),
        )

    @cached_property
    def _importing_outputs(self) -> Mapping[str, str]:
        """The path of the first generated file that imports each name."""
        paths: dict[str, str] = {}
        for module in self.context.output_imports.values():
            for import_ in module.imports:
                for name in import_.bound_names:
                    paths.setdefault(name, module.path)
        return paths

    def _missing_names(self, import_: Import) -> list[str]:
        """Return the imported names that the module of an import certainly lacks.

        - A file of another model, such as `.configuration_llama`, is not checked.
        - A generated file, such as `.configuration_olmo`, lacks the names that it
          neither defines nor imports.
        - A hand-written module, such as `.generation_olmo` or `.helpers`, lacks the
          names that it does not bind, or all names if it does not exist.

        Args:
            import_: The import, such as `from .configuration_olmo import OlmoConfig`.
        """
        names = [alias.name for alias in import_.names]
        # None for `.helpers`, which is not named like a model file.
        file_name = self._parse_file_name(import_)
        if file_name is not None:
            if file_name.model != self.modular.model:
                return []
            if file_name.file_type in self.context.output_imports:
                known_names = self._names_in_output(file_name.file_type)
                return [name for name in names if name not in known_names]

        module = import_.module or ""
        # A module in a subfolder, such as `.layers.mlp`, is not checked.
        is_in_subfolder = not module.isidentifier()
        if is_in_subfolder:
            return []
        files = self._files_beside(module)
        if files:
            return [
                name for name in names if name != "*" and self._all_lack(files, name)
            ]
        # A folder `layers` without `__init__.py` has only modules, such as `mlp`.
        return [name for name in names if not self._files_beside(f"{module}/{name}")]

    def _all_lack(self, files: Iterable[str], name: str) -> bool:
        """Return whether each of some files certainly lacks a name."""
        return all(lacks_name(self.context, file, name) for file in files)

    def _may_supply(self, import_: Import) -> bool:
        """Return whether an imported generated file may have names that it does not define.

        It may have any name if it contains `from .helpers import *`, or defines
        `__getattr__`. The result is False if this modular file does not generate the
        imported file.

        Args:
            import_: The import of the file.
        """
        file_name = self._parse_file_name(import_)
        if file_name is None or file_name.file_type not in self.context.output_imports:
            return False
        imports = self.context.output_imports[file_name.file_type].imports
        if any("*" in imported.bound_names for imported in imports):
            return True
        for file in self.context.files:
            if file.file_type == file_name.file_type:
                return any(statement.name == GETATTR for statement in file.statements)
        return False

    def _names_in_output(self, file_type: str) -> set[str]:
        """Return the names that a generated file defines or imports."""
        definitions = self.layout.drafts[file_type].statements
        imports = self.context.output_imports[file_type]
        return {*definitions, *imports.code.words()}

    def _parse_file_name(self, import_: Import) -> ModelFileName | None:
        """Return `modeling` and `olmo` for an import from `.modeling_olmo`.

        None is returned if the module is not named like a model file.
        """
        file_names = self.context.project.settings.file_names
        return file_names.parse(import_.module or "")

    def _names_in_files(self, files: Iterable[str]) -> set[str]:
        """Return the names that the statements of files bind."""
        names: set[str] = set()
        for path in files:
            module = self.context.resolver.module(path)
            if module is not None:
                names.update(*map(bound_names, module.block.statements))
        return names

    def _files_beside(self, stem: str) -> list[str]:
        """Return the files of a module or package beside the modular or generated files.

        For `helpers`, return `helpers.py` and `helpers/__init__.py`, if they exist.

        Args:
            stem: The path of the module in the folder, without suffix.
        """
        modular = self.modular.path
        folders = (
            PurePosixPath(modular).parent,
            PurePosixPath(self.context.project.output_folder(modular)),
        )
        files = []
        for folder in dict.fromkeys(folders):
            for path in (folder / f"{stem}.py", folder / stem / "__init__.py"):
                if self.context.exists(str(path)):
                    files.append(str(path))
        return files

    def _report(
        self,
        path: str,
        import_: Import,
        name: str,
        is_error: bool,
        places: tuple[Place, Place | None],
    ) -> None:
        """Report a name that a file of the model's folder lacks.

        If `OlmoConfig` is missing in `.configuration_olmo`, the hint is to define it,
        and suggests a class with a similar name. A file such as `generation_olmo.py` is
        never generated, so the hint is to write it by hand.

        Args:
            path: The path of the generated file with the import.
            import_: The import of the name.
            name: The missing name.
            is_error: Whether the import certainly runs, and fails.
            places: The place in the modular file that needs the name, and the place in
                the parent file, or None.
        """
        # The message of the rule says that the imported file is not generated, and its
        # hint is to define the name.
        message, hint = self.message, self.hint
        autofixes = []
        file_name = self._parse_file_name(import_)
        is_generated = (
            file_name is not None and file_name.file_type in self.context.output_imports
        )
        files = self._files_beside(import_.module or "")
        if files and not is_generated:
            message = _LACKS_NAME
            suggestion = did_you_mean(name, self._names_in_files(files))
            hint = (
                suggestion or "define `{name}` in `{stem}.py`, or import another name"
            )
        elif file_name is None:
            # The file is not named like a model file, so no modular file generates it.
            hint = "write `{stem}.py` by hand, or override what uses `{name}`"
        else:
            if is_generated:
                message = (
                    "`{path}` imports `{name}` from `{source}`, which has no such class"
                )
            classes = self._similar_classes(name)
            suggestion = did_you_mean(name, classes)
            if suggestion:
                hint = f"define `{name}`; {suggestion}"
            for class_name in nearest(name, classes):
                autofixes.append(rename_definition(self.modular, class_name, name))
            autofixes += define_like_parent(self.modular, name, self.layout.parents)

        place, related = places
        self.report(
            place,
            *autofixes,
            related=related,
            message=message,
            hint=hint,
            is_error=is_error,
            path=path,
            name=name,
            source=import_.source,
            stem=import_.module,
        )

    def _similar_classes(self, name: str) -> list[str]:
        """Return the classes whose parent class has the same ending as a missing name.

        For the name `OlmoTextConfig`, return the classes that inherit from
        `LlamaTextConfig`.
        """
        modular = self.modular
        classes = []
        for class_name in modular.definitions.classes:
            for base in modular.parents_of(class_name):
                source = self.layout.parents[modular.parent_of[base]].source
                # `LlamaTextConfig` without the name of its model is `TextConfig`.
                original = modular.original_names[base]
                ending = original.removeprefix(source.name_forms.cased)
                if ending and name.endswith(ending):
                    classes.append(class_name)
        return classes

    def _find_place_of_use(self, name: str) -> tuple[Place, Place | None]:
        """Return the place in the modular file that makes generated code use a name.

        That is the import of the name, as `from .configuration_olmo import OlmoConfig`,
        or else the code that uses it. If the using code comes from a parent file, the
        place in the modular file is that of the class that inherits it.

        Returns:
            The place in the modular file. The second place is that in the parent file,
            if the code comes from there.
        """
        for import_ in imports_of_modular(self.context):
            names = [alias.name for alias in import_.names]
            if _is_from_model_folder(import_) and name in names:
                return place_of_module(import_), None
        for file in self.context.files:
            # The code that uses the name is the reason for its import, so it comes first.
            # The imports of a generated file are statements without a name.
            definitions = [output for output in file.statements if output.name]
            imports = [output for output in file.statements if not output.name]
            for statement in (*definitions, *imports):
                for run in statement.parts:
                    if has_word(run.code.masked_text, name):
                        place = place_of_word(run.code, name)
                        return self.context.attribute_to_modular(statement.name, place)
        return Place(self.modular.path), None


def _module_of(import_: Import, alias: Alias) -> str:
    """Return the module that an import names: `name` for `from .. import name`."""
    return import_.module or alias.name


def _is_from_model_folder(import_: Import) -> bool:
    """Whether an import is from the folder of its own file, as `from .helpers import x`."""
    return import_.level == 1
