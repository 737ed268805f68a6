"""Imports of the modular file that are not what they look like: not inlined, of the wrong file, or out of reach."""

from pathlib import PurePosixPath

from modular.lint.rule import LintRule
from modular.project.naming import MODULAR
from modular.rules.files import file_types
from modular.rules.files.imports import guarded_imports
from modular.source import fixes
from modular.source.diagnostics import Place, Problem, did_you_mean, nearest
from modular.source.import_statements import Import, import_of, relative_stem
from modular.source.places import place_of_module, place_of_word
from modular.source.source_slice import has_word


_NEAR = (1, 2)
"""The leading dots of imports from a model's own folder, and from those beside it."""


class MissedModelImport(LintRule):
    """An import looks like a model import but is not one.

    A model import is at the top of the modular file and names a file: `from ..<model>.<type>_<model> import ...`. What is
    written otherwise is an ordinary import: a misspelt type, too many dots, a modular file, a model's folder, a file that
    is generated from this one, an import inside a block. It is copied, nothing is inlined, and classes cannot be merged with what it
    brings. Where no class inherits from its names, an import from a model's folder, inside a block or of a module works, and is not
    reported.

    Use instead an import of the file: `from ..llama.modeling_llama import LlamaMLP`.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modelling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        scale = 2
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:1:8: there is no `models/llama/modelling_llama.py`, and the import is copied as it is
    hint: did you mean `modeling_llama`?
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        scale = 2
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    import transformers.models.llama.modeling_llama as m


    class OlmoMLP(m.LlamaMLP):
        scale = 2
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:1:8: `transformers.models.llama.modeling_llama` is imported as a module, so it is copied as it is
    hint: write `from ..llama.modeling_llama import ...` at the top of the file
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from .modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        scale = 2
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:1:7: `.modeling_llama` is not where the models are, so it is copied as it is
    hint: write `..llama.modeling_llama`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        scale = 2
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from transformers.models.llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        scale = 2
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:1:6: `transformers.models.llama` is a folder, so `LlamaMLP` is imported as it is
    hint: name the file: `from transformers.models.llama.modeling_llama import LlamaMLP`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from transformers.models.llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        scale = 2
    ```
    """

    code = Problem.MISSED_MODEL_IMPORT
    message = "{reason}"

    def check(self) -> None:
        """Look at the imports that are not model imports, those in guards included."""
        taken = {id(statement) for _, statement in self.modular.model_imports}
        for statement in self.modular.module.imports:
            if statement.module is None:
                for alias in statement.names:
                    self._check(statement._replace(module=alias.name, names=()))
            elif id(statement) not in taken:
                self._check(statement)
        for statement in guarded_imports(self.modular.module.block.statements):
            if statement.module is not None:
                self._check(statement)

    def _check(self, import_: Import) -> None:
        """Say why an import is not a model import though it looks like one; nothing if it is as it should be.

        One without names is a module of a plain `import`.
        """
        settings, folders = (
            self.context.project.settings,
            self.context.project.models_folders,
        )
        module, last = import_.module or "", _last(import_)
        file_type = file_types.of_file(last, settings)
        is_called_like_one = last.startswith(MODULAR) or file_type is not None
        inside = next(
            (rest for _, rest in self.context.project.in_packages(module)), None
        )
        is_near = import_.level in _NEAR or inside is not None
        target = self._target(import_)
        if not (is_called_like_one or is_near) or (
            target is not None and self._is_ordinary(target)
        ):
            return
        if last.startswith(MODULAR):
            model = last.removeprefix(MODULAR)
            source = f"..{model}.modeling_{model}"
            hint = f"import from what it generates, such as `{source}`"
            self._report(import_, f"`{import_.source}` is a modular file", hint, source)
        elif any(f"{target}.py" == file.path for file in self.context.files):
            reason = f"`{import_.source}` is generated from this file, so nothing can be imported from it here"
            hint = "use the name without an import: it is defined here, or copied as a dependency"
            self._report(import_, reason, hint)
        elif file_type is not None:
            self._check_model_file(import_, file_type)
        elif target is not None and any(
            target.startswith(f"{models}/") for models in folders
        ):
            if "." not in (inside or module) and import_.level != 1:
                self._check_folder(import_, target)
            elif (
                not self.context.exists(f"{target}.py")
                and not self.context.project.locate(target).is_dir()
            ):
                self._report_not_there(import_, target)

    def _report(self, import_: Import, reason: str, hint: str, *sources: str) -> None:
        """Report an import; ``sources`` are the modules, with their dots, that may be meant."""
        autofixes = (
            fixes.write_module(import_, source)
            for source in sources
            if _is_plain(import_)
        )
        self.report(place_of_module(import_), *autofixes, hint=hint, reason=reason)

    def _target(self, import_: Import) -> str | None:
        """The path, without its suffix, of the module that an import names; None where it is not in the project."""
        module = import_.module or ""
        if import_.level:
            return relative_stem(self.modular.path, import_.level, module)
        places = self.context.project.in_packages(module)
        return next(
            (f"{models}/{rest.replace('.', '/')}" for models, rest in places), None
        )

    def _is_ordinary(self, target: str) -> bool:
        """Whether the settings name a module as one to import from, or as a package with such a module."""
        project = self.context.project
        inside = [
            target.removeprefix(f"{models}/").replace("/", ".")
            for models in project.models_folders
        ]
        return any(
            f"{module}.".startswith(f"{path}.")
            for module in project.settings.ordinary_imports
            for path in inside
        )

    def _check_model_file(self, import_: Import, file_type: str) -> None:
        """Look at an import that names a model file: inside a guard, or not where the models are."""
        model, _, file = (import_.module or "").rpartition(".")
        if import_.level == 1 and not model:
            model = file.removeprefix(f"{file_type}_")
            model = "" if model == self.modular.model else model
        inside = f"{model.rpartition('.')[2]}.{file}"
        project = self.context.project
        paths = [
            f"{models}/{inside.replace('.', '/')}.py"
            for models in project.models_folders
        ]
        is_ours = import_.level > 0 or model.startswith(
            f"{project.settings.library_name}."
        )
        if not model or not is_ours or not any(map(self.context.exists, paths)):
            return
        where, hint = "is not where the models are", f"write `..{inside}`"
        if not _is_plain(import_):
            if not any(map(self._is_inherited_from, _bound_names(import_))):
                return
            where = (
                f"is imported {'inside a block' if import_.names else 'as a module'}"
            )
            hint = f"write `from ..{inside} import ...` at the top of the file"
        self._report(
            import_,
            f"`{import_.source}` {where}, so it is copied as it is",
            hint,
            f"..{inside}",
        )

    def _report_not_there(self, import_: Import, target: str) -> None:
        """Report an import of a model file that is not there, with the nearest one that is."""
        folder = self.context.project.locate(target).parent
        files = [path.stem for path in folder.glob("*_*.py")]
        models = [path.name for path in folder.parent.glob("*") if path.is_dir()]
        name, known, kind = (
            (_last(import_), files, "file") if files else (folder.name, models, "model")
        )
        before = import_.source.removesuffix(name)
        sources = (before + stem for stem in nearest(name, files))
        hint = did_you_mean(name, known) or f"check the name of the {kind}"
        self._report(
            import_,
            f"there is no `{target}.py`, and the import is copied as it is",
            hint,
            *sources,
        )

    def _check_folder(self, import_: Import, folder: str) -> None:
        """Look at an import from the folder of a model whose name a class inherits from.

        What is only used works: the import is copied, and the folder is a package.
        """
        settings = self.context.project.settings
        names = [alias.name for alias in import_.names]
        stems = [
            f"{file_type}_{PurePosixPath(folder).name}"
            for file_type in settings.all_file_types
        ]
        for alias in import_.names:
            if not self._is_inherited_from(alias.bound):
                continue
            name = alias.name
            if file_types.of_file(name, settings) is not None and self.context.exists(
                f"{folder}/{name}.py"
            ):
                reason = f"`{name}` is a file of `{import_.source}`"
                source = f"{import_.source}.{name}"
                hint = f"import what you need of it: `from {source} import ...`"
                return self._report(import_, reason, hint)
            for stem in stems:
                defined = self._names_of_file(f"{folder}/{stem}.py")
                if name in defined:
                    reason = f"`{import_.source}` is a folder, so `{name}` is imported as it is"
                    source = f"{import_.source}.{stem}"
                    sources = [source] if defined.issuperset(names) else []
                    hint = f"name the file: `from {source} import {alias}`"
                    return self._report(import_, reason, hint, *sources)

    def _is_inherited_from(self, name: str) -> bool:
        """Whether a class of the modular file inherits from a name, or from something in the module of that name."""
        return any(
            base.startswith(name) and base[len(name) : len(name) + 1] in ("", ".", "[")
            for base in self.modular.base_names
        )

    def _names_of_file(self, path: str) -> set[str]:
        """Return the names that a file defines; none if it is not there."""
        if not self.context.exists(path):
            return set()
        file = self.context.read(path)
        if file is None:
            return set()
        return {statement.name for statement in file.block.statements}


def _last(import_: Import) -> str:
    """The file that an import names."""
    return import_.source.rpartition(".")[2]


def _bound_names(import_: Import) -> list[str]:
    """Return the names that an import binds; those of its whole statement for a module of a plain `import`."""
    statement = import_of(import_.statement) if not import_.names else import_
    return [] if statement is None else [alias.bound for alias in statement.names]


def _is_plain(import_: Import) -> bool:
    """Whether it is a `from` import at the top of the file, and not a plain `import` or inside a block."""
    return bool(import_.names) and not import_.statement.indent


class WrongParentFile(LintRule):
    """A name is imported from the wrong parent file.

    The file does not have the name, but another parent file of the same modular file does. No class inherits from it, so nothing
    is wrong with the result; but the import says something untrue.

    Use instead an import from the file that has the name, or remove the name where nothing uses it.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.modeling_siglip import SiglipMLP, LlamaMLP
    from ..llama.modeling_llama import LlamaModel


    class OlmoMLP(SiglipMLP):
        pass


    class OlmoModel(LlamaModel):
        pass
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:1:49: `models/siglip/modeling_siglip.py` has no `LlamaMLP`
    hint: remove it: nothing uses it
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.modeling_siglip import SiglipMLP
    from ..llama.modeling_llama import LlamaModel


    class OlmoMLP(SiglipMLP):
        pass


    class OlmoModel(LlamaModel):
        pass
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.modeling_siglip import SiglipMLP
    from ..llama.modeling_llama import LlamaModel


    class OlmoMLP(SiglipMLP):
        pass


    class OlmoModel(LlamaModel):
        pass
    ```
    """

    code = Problem.WRONG_PARENT_FILE
    message = "`{path}` has no `{name}`"
    hint = "import it from `{other}`"

    def check(self) -> None:
        """Look at the names that their parent file does not have, but another one has."""
        names = {path: file.source.names for path, file in self.layout.parents.items()}
        sources = {
            path: statement.source
            for path, statement in reversed(self.modular.model_imports)
        }
        for path, statement in self.modular.model_imports:
            for alias in statement.names:
                name = alias.name
                others = [parent for parent in names if name in names[parent]]
                if name in names[path] or not others:
                    continue
                fix = fixes.import_from(statement, {name: sources[others[0]]})
                hint = ""
                if not self._is_used(statement, alias.bound):
                    fix = fixes.drop_import(statement, alias.bound)
                    hint = "remove it: nothing uses it"
                self.report(
                    place_of_word(statement.statement.own, name),
                    fix._replace(is_safe=True),
                    hint=hint,
                    path=path,
                    name=name,
                    other=others[0],
                )

    def _is_used(self, import_: Import, name: str) -> bool:
        """Whether another statement of the modular file has a name, be it in a string."""
        return any(
            has_word(statement.code.text, name)
            for statement in self.modular.module.block.statements
            if statement is not import_.statement
        )


class RespelledParent(LintRule):
    """A parent class is spelled with other capitals than in its file.

    A parent's name is looked up as it is after the parent file was renamed for the new model. There `LLamaMLP` and `LlamaMLP` are
    the same class, so it is inherited from; but somebody who looks for the name in the parent file does not find it.

    Use instead the name as the parent file spells it.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LLamaMLP


    class OlmoMLP(LLamaMLP):
        pass
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:1:36: `models/llama/modeling_llama.py` has no `LLamaMLP`: `LlamaMLP` is inherited from, which is the same after renaming
    hint: write `LlamaMLP`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        pass
    ```
    """

    code = Problem.RESPELLED_PARENT
    message = "`{path}` has no `{name}`: `{written}` is inherited from, which is the same after renaming"
    hint = "write `{written}`"

    def check(self) -> None:
        """Look at the parent classes that their file does not have under that name."""
        for path, statement in self.modular.model_imports:
            source = self.layout.parents[path].source
            for name in (
                alias.name
                for alias in statement.names
                if alias.bound in self.modular.base_names
            ):
                if name not in source.names and (
                    written := source.find_other_spelling(name)
                ):
                    renamed = fixes.rename(
                        self.modular.module.code, name, written
                    )._replace(is_safe=True)
                    place = place_of_word(statement.statement.own, name)
                    self.report(place, renamed, path=path, name=name, written=written)


class ImportOutsideOutput(LintRule):
    """A relative import points outside the output folder.

    With the setting `output`, generated files are in another folder than their modular files, and relative imports are seen from
    there. Imports of other models are the same from both. What is further out is not.

    Use instead the absolute name of the module.

    Given `pyproject.toml`:

    ```toml
    [tool.modular]
    models = ["library/models"]
    output = "generated"
    ```

    Invalid `library/models/olmo/modular_olmo.py`:

    ```python
    from ...layers import Layer


    class OlmoMLP(Layer):
        scale = 2
    ```

    Finding:

    ```text
    library/models/olmo/modular_olmo.py:1:9: seen from `generated/olmo`, `...layers` points outside `generated`, and there is no such module
    hint: import it by an absolute name, in the modular file
    ```

    Valid `library/models/olmo/modular_olmo.py`:

    ```python
    from library.layers import Layer


    class OlmoMLP(Layer):
        scale = 2
    ```
    """

    code = Problem.IMPORT_OUTSIDE_OUTPUT
    message = "seen from `{folder}`, `{source}` points outside `{output}`, and there is no such module"
    hint = "import it by an absolute name, in the modular file"

    def check(self) -> None:
        """Look for such imports, each once, where there is no such module seen from the output folder."""
        output = self.context.project.settings.output
        seen: set[str] = set()
        for module in self.context.heads.values() if output else ():
            folder = PurePosixPath(module.path).parent
            for statement in module.imports:
                source = statement.source
                is_outside = statement.level - 1 > len(folder.relative_to(output).parts)
                if (
                    is_outside
                    and source not in seen
                    and not self._exists(module.path, statement)
                ):
                    seen.add(source)
                    place, related = self._origin(source)
                    self.report(
                        place,
                        related=related,
                        folder=folder,
                        source=source,
                        output=output,
                    )

    def _exists(self, path: str, statement: Import) -> bool:
        target = relative_stem(path, statement.level, statement.module or "")
        if target is None:
            return False
        return (
            self.context.exists(f"{target}.py")
            or self.context.project.locate(target).is_dir()
        )

    def _origin(self, source: str) -> tuple[Place, Place | None]:
        """Where the modular file imports the same, or a parent file whose import is copied, and that file's import."""
        for statement in self.modular.module.imports:
            if statement.source == source:
                return place_of_module(statement), None
        for path, statement in self.modular.model_imports:
            for inherited in self.layout.parents[path].imports:
                if inherited.source == source:
                    return place_of_module(statement), place_of_module(inherited)
        return Place(self.modular.path), None
