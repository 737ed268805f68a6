"""Imports that look like model imports but are not: what they name is not inlined, and they are copied as they are."""

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from modular.lint.rule import LintRule
from modular.lint.subject import Subject
from modular.project.naming import MODULAR
from modular.rules.files import file_types
from modular.source import fixes, import_statements
from modular.source.blocks import Kind
from modular.source.code import Code
from modular.source.diagnostics import Problem, did_you_mean, nearest
from modular.source.import_statements import Alias, Import
from modular.source.module import Module
from modular.source.places import place_of_word


_NEAR = (1, 2)
"""The leading dots of imports from a model's own folder, and from those beside it."""


class _Import(NamedTuple):
    """An import: its leading dots, its module, the names (none: `import a.b`), and its code.

    ``statement`` is None inside a guard, and where there are no names.
    """

    level: int
    module: str
    names: tuple[Alias, ...]
    code: Code
    statement: Import | None = None

    @property
    def source(self) -> str:
        return "." * self.level + self.module

    @property
    def last(self) -> str:
        """The file that it names."""
        return self.module.rpartition(".")[2]


class _Reason(NamedTuple):
    """Why an import is not a model import, what to write, and the modules, with their dots, that may be meant."""

    message: str
    hint: str
    sources: tuple[str, ...] = ()


class MissedModelImport(LintRule):
    """An import looks like a model import but is not one.

    A model import is at the top of the modular file and names a file: `from ..<model>.<type>_<model> import ...`. What is
    written otherwise is an ordinary import: a misspelt type, too many dots, a modular file, a model's folder, a file that
    is generated from this one, an import inside a block. It is copied, nothing is inlined, and classes cannot be merged with what it
    brings.

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
    hint = "{advice}"

    def check(self) -> None:
        """Look at the imports that are not model imports, those in guards included."""
        for statement in self._imports():
            reason = _reason(self.subject, statement)
            if reason is not None:
                whole = statement.statement
                autofixes = () if whole is None else (fixes.write_module(whole, source) for source in reason.sources)
                place = place_of_word(statement.code, statement.module or "import")
                self.report(place, *autofixes, reason=reason.message, advice=reason.hint)

    def _imports(self) -> Iterator[_Import]:
        modular = self.modular
        taken = {id(statement) for _, statement in modular.model_imports}
        for statement in modular.module.imports:
            code = statement.statement.own
            if statement.module is None:
                yield from (_Import(0, alias.name, (), code) for alias in statement.names)
            elif id(statement) not in taken:
                yield _Import(statement.level, statement.module, statement.names, code, statement)
        for guard in modular.module.block.statements:
            for inner in import_statements.find(guard.own.mask) if guard.kind is Kind.GUARD else ():
                if inner.module is not None:
                    yield _Import(inner.level, inner.module, inner.names, guard.own.cut(inner.start, inner.end))


def _reason(subject: Subject, import_: _Import) -> _Reason | None:
    """Say why an import is not a model import though it looks like one; None if it is as it should be."""
    settings = subject.project.settings
    is_called_like_one = import_.last.startswith(MODULAR) or file_types.of_file(import_.last, settings) is not None
    if not is_called_like_one and import_.level not in _NEAR and not any(subject.project.in_packages(import_.module)):
        return None
    target = _target(subject, import_)
    if target is not None and _is_ordinary(subject, target):
        return None
    if import_.last.startswith(MODULAR):
        model = import_.last.removeprefix(MODULAR)
        source = f"..{model}.modeling_{model}"
        hint = f"import from what it generates, such as `{source}`"
        return _Reason(f"`{import_.source}` is a modular file", hint, (source,))
    if target is not None and any(f"{target}.py" == file.path for file in subject.files):
        message = f"`{import_.source}` is generated from this file, so nothing can be imported from it here"
        return _Reason(message, "use the name without an import: it is defined here, or copied as a dependency")
    if file_types.of_file(import_.last, settings) is not None:
        return _of_model_file(subject, import_)
    if target is None or not any(target.startswith(f"{models}/") for models in subject.project.models_folders):
        return None
    inside = next((rest for _, rest in subject.project.in_packages(import_.module)), import_.module)
    if "." in inside or import_.level == 1:
        is_there = subject.exists(f"{target}.py") or subject.project.locate(target).is_dir()
        return None if is_there else _not_there(subject, import_, target)
    return _of_folder(subject, import_, target)


def _target(subject: Subject, import_: _Import) -> str | None:
    """The path, without its suffix, of the module that an import names; None where it is not in the project."""
    folders = subject.modular.path.split("/")[:-1]
    if 0 < import_.level <= len(folders) + 1:
        above = folders[: len(folders) - import_.level + 1]
        return "/".join([*above, *filter(None, import_.module.split("."))]) or "."
    places = subject.project.in_packages("" if import_.level else import_.module)
    return next((f"{models}/{rest.replace('.', '/')}" for models, rest in places), None)


def _is_ordinary(subject: Subject, target: str) -> bool:
    """Whether the settings name a module as one to import from, or as a package with such a module."""
    project = subject.project
    inside = [target.removeprefix(f"{models}/").replace("/", ".") for models in project.models_folders]
    return any(f"{module}.".startswith(f"{path}.") for module in project.settings.ordinary_imports for path in inside)


def _of_model_file(subject: Subject, import_: _Import) -> _Reason | None:
    """An import that names a model file: inside a guard, or not where the models are."""
    model, _, file = import_.module.rpartition(".")
    if import_.level == 1 and not model:
        stem = file.removeprefix(f"{file_types.of_file(file, subject.project.settings)}_")
        model = stem if stem != subject.modular.model else ""
    inside = f"{model.rpartition('.')[2]}.{file}"
    paths = [f"{models}/{inside.replace('.', '/')}.py" for models in subject.project.models_folders]
    is_ours = import_.level > 0 or model.startswith(f"{subject.project.settings.library_name}.")
    if not model or not is_ours or not any(map(subject.exists, paths)):
        return None
    if import_.statement is None:
        where = "inside a block" if import_.names else "as a module"
        message = f"`{import_.source}` is imported {where}, so it is copied as it is"
        return _Reason(message, f"write `from ..{inside} import ...` at the top of the file")
    message = f"`{import_.source}` is not where the models are, so it is copied as it is"
    return _Reason(message, f"write `..{inside}`", (f"..{inside}",))


def _not_there(subject: Subject, import_: _Import, target: str) -> _Reason:
    """An import of a model file that is not there: the nearest one that is."""
    message = f"there is no `{target}.py`, and the import is copied as it is"
    folder = subject.project.locate(target).parent
    stems = [path.stem for path in folder.glob("*_*.py")] if folder.is_dir() else []
    if stems:
        before = import_.source.removesuffix(import_.last)
        sources = tuple(before + stem for stem in nearest(import_.last, stems))
        return _Reason(message, did_you_mean(import_.last, stems) or "check the name of the file", sources)
    models = [path.name for path in folder.parent.glob("*") if path.is_dir()]
    return _Reason(message, did_you_mean(folder.name, models) or "check the name of the model")


def _of_folder(subject: Subject, import_: _Import, target: str) -> _Reason | None:
    """An import from the folder of a model, and not from a file in it."""
    names = [alias.name for alias in import_.names]
    for name in names:
        if file_types.of_file(name, subject.project.settings) is not None and subject.exists(f"{target}/{name}.py"):
            hint = f"import what you need of it: `from {import_.source}.{name} import ...`"
            return _Reason(f"`{name}` is a file of `{import_.source}`", hint)
        for file_type in subject.project.settings.all_file_types:
            stem = f"{file_type}_{PurePosixPath(target).name}"
            file = subject.read(f"{target}/{stem}.py") if subject.exists(f"{target}/{stem}.py") else None
            if file is not None and _defines(file, name):
                message = f"`{import_.source}` is a folder, so `{name}` is imported as it is"
                source = f"{import_.source}.{stem}"
                are_all = all(_defines(file, one) for one in names)
                return _Reason(message, f"name the file: `from {source} import {name}`", (source,) if are_all else ())
    return None


def _defines(file: Module, name: str) -> bool:
    return any(statement.name == name for statement in file.block.statements)
