"""Starts a new model: a modular file whose classes inherit everything from another model's."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import takewhile
from keyword import iskeyword
from pathlib import PurePosixPath

from modular.conversion.converter import Converter
from modular.format.formatting import format_texts
from modular.project.naming import MODULAR
from modular.project.project import Project, model_name
from modular.rules.files.drafts import ALL
from modular.rules.files.exports import exported_names
from modular.run.options import Options
from modular.run.writing import write_alone
from modular.settings.settings import CONFIGURATION, MODELING, MODELS
from modular.source import module as modules
from modular.source.blocks import Kind
from modular.source.diagnostics import Diagnostic, did_you_mean, has_errors
from modular.source.loading import load
from modular.source.module import Module, lines_with_ends
from modular.system.errors import ModularError


_COPYRIGHT = "Copyright"
_YEAR = re.compile(r"\b20\d\d\b")


class NewModelError(ModularError, ValueError):
    """A new model cannot be started. The message says why, and what to do instead."""


@dataclass(frozen=True, slots=True)
class NewModel:
    """A new modular file: its path relative to the root, its text, and what converting it reports.

    It was written unless there is an error among the diagnostics.
    """

    path: str
    text: str
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class _ParentFile:
    """A model file of the parent: how the new modular file imports from it, its type, its model's cased name, its classes."""

    module: str
    file_type: str
    cased: str
    classes: tuple[str, ...]


def start(
    model: str, parent: str, only: Sequence[str] = (), options: Options = Options()
) -> NewModel:
    """Write the modular file of a new model that inherits from the public classes of ``parent``, a model's name.

    ``only`` names the classes to take, as the parent calls them; the configuration is always among them. Raises
    NewModelError, `settings.SettingsError` and `ruff.FormatterError`; then nothing is written.
    """
    project = options.open()
    path = _path(project, model)
    files = _chosen(_parent_files(project, path, parent), only, parent)
    text = _licence(project) + _text(files, project.names.cased(model))
    formatted = format_texts({path: text}, project.root, project.settings.formatter)
    text = formatted.texts[path]
    conversion = Converter(project, {path: text}).convert(path)
    if not has_errors(conversion.diagnostics):
        for problem in write_alone(project.root, {path: {path: text}}).values():
            raise NewModelError(f"{path}: {problem.message}: {problem.hint}")
    return NewModel(path, text, tuple(conversion.diagnostics))


def _path(project: Project, model: str) -> str:
    """Where the new modular file goes. Raises NewModelError if it is not a model name, or the model is there already."""
    if not _is_name(model):
        near = re.sub(r"\W+|(?<=[a-z0-9])(?=[A-Z])", "_", model).lower().strip("_")
        rule = "write lower-case letters, digits and `_`, a letter first, and no keyword of Python"
        such = f", such as `{near}`" if _is_name(near) else ""
        raise NewModelError(f"`{model}` is not a model name: {rule}{such}")
    if not project.models_folders:
        folders = ", ".join(f"`{models}`" for models in project.settings.models)
        raise NewModelError(
            f"there is no models folder: create {folders}, or name yours in the setting `models`"
        )
    folder = PurePosixPath(project.models_folders[0]) / model
    present = sorted(
        file.name
        for file in (project.root / folder).glob("*.py")
        if file.name != "__init__.py"
    )
    if present:
        raise NewModelError(
            f"`{folder}` has `{present[0]}` already: choose another name"
        )
    return str(folder / f"{MODULAR}{model}.py")


def _is_name(model: str) -> bool:
    return re.fullmatch("[a-z][a-z0-9_]*", model) is not None and not iskeyword(model)


def _licence(project: Project) -> str:
    """The comments about copyright that head most files which people write in the project, of this year; nothing if there are none."""
    paths = [
        path
        for folder in project.models_folders
        for path in sorted((project.root / folder).glob("*/*.py"))
    ]
    written = [path for path in paths if path.name.startswith(MODULAR)] or paths
    this_year = str(date.today().year)
    headings = (
        _YEAR.sub(this_year, _heading(load(path, path.name).text), count=1)
        for path in written
    )
    counted = Counter(heading for heading in headings if _COPYRIGHT in heading)
    return "".join(f"{heading}\n" for heading, _ in counted.most_common(1))


def _heading(text: str) -> str:
    """The comments with which a file begins."""
    return "".join(takewhile(lambda line: line.startswith("#"), lines_with_ends(text)))


def _parent_files(project: Project, path: str, parent: str) -> list[_ParentFile]:
    """Find the model files of the parent, in the project, else in the library. Raises NewModelError if there are none."""
    for level, package in ((2, ""), (0, f"{project.settings.library_name}.{MODELS}.")):
        if files := list(_model_files(project, path, parent, level, package)):
            return files
    if parent in map(model_name, project.modular_files):
        raise NewModelError(
            f"`{parent}` has no generated files yet: run `modular convert {parent}` first"
        )
    others = {folder.name for folder in project.model_folders} - {parent}
    raise NewModelError(
        f"there is no model `{parent}` with files to inherit from{_hint(parent, others)}"
    )


def _model_files(
    project: Project, path: str, parent: str, level: int, package: str
) -> Iterator[_ParentFile]:
    """The model files of the parent that are imported with ``level`` dots from a package."""
    for file_type in dict.fromkeys(
        (CONFIGURATION, MODELING, *sorted(project.settings.all_file_types))
    ):
        module = f"{package}{parent}.{file_type}_{parent}"
        paths = project.resolve_module(path, level, module)
        present = next((path for path in paths if project.locate(path).is_file()), None)
        if present is not None:
            read = modules.read(present, project.load(present, {}).text)
            cased = project.names_of(present).cased(parent)
            yield _ParentFile(
                "." * level + module, file_type, cased, tuple(_public(read, cased))
            )


def _public(module: Module, cased: str) -> list[str]:
    """The classes of a model file that are called after the model: those in `__all__`, or all without a leading `_`."""
    statements = module.block.statements
    exports = (
        statement
        for statement in statements
        if statement.name == ALL and statement.kind is Kind.ASSIGNMENT
    )
    listed = {name for statement in exports for name in exported_names(statement)}
    classes = [
        statement.name for statement in statements if statement.kind is Kind.CLASS
    ]
    return [
        name
        for name in classes
        if name.startswith(cased) and (name in listed or not listed)
    ]


def _chosen(
    files: Sequence[_ParentFile], only: Sequence[str], parent: str
) -> list[_ParentFile]:
    """Keep the classes that are asked for. Raises NewModelError for one that is not there."""
    known = [name for file in files for name in file.classes]
    for name in only:
        if name not in known:
            raise NewModelError(
                f"`{parent}` has no public class `{name}`{_hint(name, known)}"
            )
    kept = {
        name
        for file in files
        for name in file.classes
        if not only or file.file_type == CONFIGURATION
    }.union(only)
    chosen = (
        replace(file, classes=tuple(name for name in file.classes if name in kept))
        for file in files
    )
    return [file for file in chosen if file.classes]


def _hint(name: str, known: Iterable[str]) -> str:
    hint = did_you_mean(name, known)
    return f": {hint}" if hint else ""


def _text(files: Sequence[_ParentFile], cased: str) -> str:
    imports = [
        f"from {file.module} import {', '.join(file.classes)}\n" for file in files
    ]
    names = {
        name: cased + name.removeprefix(file.cased)
        for file in files
        for name in file.classes
    }
    classes = [f"\n\nclass {own}({name}):\n    pass\n" for name, own in names.items()]
    listed = "".join(f'    "{own}",\n' for own in sorted(names.values()))
    return "".join([*imports, *classes, f"\n\n{ALL} = [\n{listed}]\n"])
