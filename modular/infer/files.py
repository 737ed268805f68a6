"""The flat files of models: what targets name, which of them one modular file can refer to, and why the others stay.

Research code, one file of any name, is taken apart into what the model files of a library would be.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, product
from pathlib import Path, PurePosixPath
from symtable import SymbolTable, symtable
from typing import NamedTuple

from modular.infer.flat import DEFINING, FlatFile, FlatModel, Skipped
from modular.project.naming import MODULAR
from modular.project.project import Project
from modular.rules.files import file_types
from modular.rules.files.drafts import ALL
from modular.rules.files.exports import has_only_literal_names
from modular.rules.files.imports import choose_imports
from modular.rules.files.used_names import UsedNames
from modular.run.selection import outside_root, relative_to_root, unknown_target
from modular.settings.settings import CONFIGURATION, MODELING
from modular.source import module as modules
from modular.source.assignments import owner
from modular.source.blocks import Kind, Statement
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.source.import_statements import import_of
from modular.source.walking import walk


_ELSEWHERE = "a class of this name goes into the {} file"
_CHECK = "check the name and the folder"


@dataclass
class InferTarget:
    """A model, where its modular file goes, and the paths of its flat files; all relative to the root.

    One file of another name than model files have is research code.
    """

    model: str
    folder: str
    paths: list[str] = field(default_factory=list)

    @property
    def modular(self) -> str:
        """Where its modular file appears."""
        return str(PurePosixPath(self.folder) / f"{MODULAR}{self.model}.py")


def find_targets(
    project: Project, targets: Sequence[str]
) -> tuple[list[InferTarget], list[Diagnostic]]:
    """Return the models that targets name, sorted by path, and what is wrong with the others."""
    by_model: dict[tuple[str, str], InferTarget] = {}
    answers = [_paths(project, name) for name in targets]
    for path in dict.fromkeys(
        path for paths in answers if not isinstance(paths, Diagnostic) for path in paths
    ):
        model = model_of(project, path) or _model_named_after(path)
        folder = str(PurePosixPath(path).parent)
        by_model.setdefault((folder, model), InferTarget(model, folder)).paths.append(
            path
        )
    problems = [answer for answer in answers if isinstance(answer, Diagnostic)]
    return [by_model[key] for key in sorted(by_model)], problems


def model_of(project: Project, path: str) -> str | None:
    """The model that a flat file belongs to by its name; None if it is no model file."""
    stem = PurePosixPath(path).stem
    file_type = file_types.of_file(stem, project.settings)
    if file_type is None or not path.endswith(".py"):
        return None
    return stem.removeprefix(f"{file_type}_") or None


def _model_named_after(path: str) -> str:
    """The name of the model that a file of any name would be."""
    return re.sub(r"\W+", "_", PurePosixPath(path).stem).strip("_").lower() or "model"


def _paths(project: Project, target: str) -> list[str] | Diagnostic:
    """The flat files that a target names: a model, its folder, or a file."""
    is_name = "/" not in target and not target.startswith(".")
    folders = [
        f"{models}/{target}"
        for models in (*project.models_folders, project.settings.output)
        if models
    ]
    path = relative_to_root(project, target) if Path(target).exists() else None
    path = next(
        (folder for folder in folders if is_name and (project.root / folder).is_dir()),
        path,
    )
    if path is None and Path(target).exists():
        return outside_root(project, target)
    if path is None:
        return unknown_target(project, target)
    if (project.root / path).is_dir():
        message = "no flat model files in this folder"
        return _flat_files(project, path) or Diagnostic(
            Problem.NOT_FOUND, Place(target), message, _CHECK
        )
    if path.endswith(".py") and not PurePosixPath(path).name.startswith(MODULAR):
        return [path]
    hint = "name a file with the classes of a model, its folder, or the model"
    return Diagnostic(
        Problem.NOT_FOUND, Place(path), "this is no flat Python file", hint
    )


def _flat_files(project: Project, folder: str) -> list[str]:
    """The model files of a folder: those of the model it is named after or, if it has none, all."""
    names = sorted(path.name for path in (project.root / folder).glob("*.py"))
    models = {f"{folder}/{name}": model_of(project, name) for name in names}
    own = [
        path for path, model in models.items() if model == PurePosixPath(folder).name
    ]
    return own or [path for path, model in models.items() if model is not None]


def choose_files(
    project: Project, target: InferTarget, files: Sequence[FlatFile]
) -> FlatModel:
    """Part the files of a model in those that a modular file can refer to, and those that stay written by hand.

    Of files that exclude each other the longest stays, or that from which the other one copies.
    """
    cased = project.names.cased(target.model)
    copying = project.settings.copied_instead_of_imported
    taken: list[FlatFile] = []
    by_hand: dict[str, Skipped] = {}
    for file in sorted(
        files, key=lambda file: (file.file_type in copying, -file.lines, file.path)
    ):
        problem = _inexpressible(project, cased, file) or _clash(file, taken)
        if problem is None:
            taken.append(file)
        else:
            by_hand[file.path] = problem
    while homeless := [
        problem
        for file in taken
        if (problem := _homeless(project, cased, file, taken)) is not None
    ]:
        by_hand[homeless[0].path] = homeless[0]
        taken = [file for file in taken if file.path not in by_hand]
    taken.sort(
        key=lambda file: (
            file.file_type != CONFIGURATION,
            file.file_type != MODELING,
            file.file_type,
        )
    )
    return FlatModel(
        target.model,
        cased,
        target.modular,
        tuple(taken),
        [by_hand[path] for path in sorted(by_hand)],
    )


def _inexpressible(project: Project, cased: str, file: FlatFile) -> Skipped | None:
    """Say what in a file cannot be said in a modular file at all."""
    seen: set[str] = set()
    for statement in file.module.block.statements:
        problem = _unsayable(project, cased, file.file_type, statement)
        if statement.kind in DEFINING and statement.name in seen:
            problem = f"`{statement.name}` is defined twice"
        if problem:
            return Skipped(file.path, file.line_of(statement), problem)
        seen.add(statement.name)
    if not file.classes:
        return Skipped(file.path, 1, "a file without classes is not generated")
    exports = file.special(ALL)
    if exports is not None and not has_only_literal_names(exports):
        return Skipped(
            file.path, file.line_of(exports), "the list `__all__` is computed"
        )
    for name in file.exports:
        if (
            exports is not None
            and file_types.of_class(name, cased, project.settings) != file.file_type
        ):
            return Skipped(
                file.path,
                file.line_of(exports),
                f"`{name}` is exported by another file, by its name",
            )
    return None


def _unsayable(
    project: Project, cased: str, file_type: str, statement: Statement
) -> str:
    """Say why a statement cannot come out of a modular file; nothing if it can."""
    settings = project.settings
    if statement.kind is Kind.OTHER and not owner(statement):
        return "statements that are not definitions are not generated"
    if statement.kind is Kind.IMPORT:
        imported = import_of(statement)
        if imported is None:
            return "this import cannot be read"
        if imported.level == 0 and imported.module == settings.library_name:
            whole = f"a modular file imports nothing from `{settings.library_name}` as a whole"
            return f"{whole}: import from the file that defines it"
    if statement.kind is Kind.CLASS:
        kind = file_types.of_class(statement.name, cased, settings)
        if kind not in (file_type, settings.copied_instead_of_imported.get(file_type)):
            return _ELSEWHERE.format(kind)
    return ""


def _homeless(
    project: Project, cased: str, file: FlatFile, taken: Iterable[FlatFile]
) -> Skipped | None:
    """Name a class that is copied from a file which is not among those that are taken."""
    taken_types = {other.file_type for other in taken}
    for statement in file.classes:
        kind = file_types.of_class(statement.name, cased, project.settings)
        if kind not in taken_types:
            return Skipped(file.path, file.line_of(statement), _ELSEWHERE.format(kind))
    return None


def _clash(file: FlatFile, taken: Iterable[FlatFile]) -> Skipped | None:
    """Say which class of a file is another one in one of those that are taken."""
    for other, name in product(taken, file.named):
        statement = file.named[name]
        if (
            statement.kind is Kind.CLASS
            and other.normals.get(name, file.normals[name]) != file.normals[name]
        ):
            return Skipped(
                file.path,
                file.line_of(statement),
                f"`{name}` is another one in `{other.path}`",
            )
    return None


def split_by_file_type(
    project: Project, model: str, file: FlatFile
) -> tuple[list[FlatFile], list[Skipped]]:
    """Part a file into one for each type of model file, by the names of its classes, and say what is in none."""
    cased, settings = project.names.cased(model), project.settings
    asides: list[Skipped] = []
    by_type: dict[str, list[Statement]] = {MODELING: []}
    staying = _same_file_dependencies(project, file.module.block.statements)
    for statement in file.module.block.statements:
        if statement in staying:
            what = statement.name or statement.own.text.partition("\n")[0]
            asides.append(
                Skipped(
                    file.path,
                    statement.line,
                    f"`{what}` stays where it is: {staying[statement]}",
                )
            )
            continue
        kind = (
            file_types.of_class(statement.name, cased, settings)
            if statement.kind is Kind.CLASS
            else MODELING
        )
        if kind != MODELING:
            what = f"`{statement.name}` goes into `{kind}_{model}.py`"
            asides.append(Skipped(file.path, statement.line, what))
        by_type.setdefault(kind, []).append(statement)
    return [_file(file, kind, model, by_type) for kind in by_type], asides


def _same_file_dependencies(
    project: Project, statements: Sequence[Statement]
) -> dict[Statement, str]:
    """Say why statements stay where they are: no file can hold them, or they use what stays, or nothing uses what they set."""
    names = {statement: _names(statement) for statement in statements}
    defined = {statement.name for statement in statements if statement.kind in DEFINING}
    staying: dict[Statement, str] = {}
    for statement in statements:
        if statement.kind is Kind.GUARD and not defined.union({"__name__"}).isdisjoint(
            chain(*names[statement])
        ):
            staying[statement] = "a block that uses definitions is not generated"
        elif statement.kind is not Kind.CLASS and (
            problem := _unsayable(project, "", MODELING, statement)
        ):
            staying[statement] = problem
    imports = {
        statement for statement in statements if statement.kind is Kind.IMPORT
    } - staying.keys()
    imported = set(chain.from_iterable(names[statement].bound for statement in imports))
    waiting = list(staying)
    while waiting:
        cause = waiting.pop()
        for statement in statements:
            used = (names[statement].read & names[cause].bound) - imported
            if used and statement not in staying:
                staying[statement] = (
                    f"it uses `{min(used)}`, which line {cause.line} sets"
                )
                waiting.append(statement)
    for guard in (
        statement for statement in reversed(statements) if statement.kind is Kind.GUARD
    ):
        others = names.keys() - staying.keys() - {guard}
        if names[guard].bound.isdisjoint(
            chain.from_iterable(names[other].read for other in others)
        ):
            staying[guard] = "nothing that is generated uses this block"
    return staying


class _Names(NamedTuple):
    """The names at module level that a statement gives a value, and those that it reads."""

    bound: set[str]
    read: set[str]


def _names(statement: Statement) -> _Names:
    """Return the names of a statement; none where it is Python that is newer than the running one."""
    try:
        table = symtable(statement.own.text, "", "exec")
    except SyntaxError:
        return _Names(set(), set())
    symbols = [
        symbol
        for scope in walk([table], SymbolTable.get_children)
        for symbol in scope.get_symbols()
    ]
    return _Names(
        {
            symbol.get_name()
            for symbol in table.get_symbols()
            if symbol.is_assigned() or symbol.is_imported()
        },
        {
            symbol.get_name()
            for symbol in symbols
            if symbol.is_referenced() and symbol.is_global()
        },
    )


def _file(
    file: FlatFile, kind: str, model: str, by_type: dict[str, list[Statement]]
) -> FlatFile:
    """Return the file of one type: its definitions, with the imports that they use."""
    own = [
        statement for statement in by_type[kind] if statement.kind is not Kind.IMPORT
    ]
    used = UsedNames(
        [statement.code for statement in own],
        frozenset(statement.name for statement in own),
    )
    needed = choose_imports(
        [import_.statement for import_ in file.module.imports], used
    )
    imports = [import_.render().text.lstrip("\n") for import_ in needed.plain]
    for other, statements in by_type.items():
        names = used.among(
            {statement.name for statement in statements if statement.kind is Kind.CLASS}
        )
        if names:
            imports.append(f"from .{other}_{model} import {', '.join(sorted(names))}\n")
    path = (
        file.path
        if kind == MODELING
        else str(PurePosixPath(file.path).with_name(f"{kind}_{model}.py"))
    )
    text = "".join(
        [file.module.header.text, *imports, *(statement.code.text for statement in own)]
    )
    return FlatFile(path, kind, modules.read(path, text), text, file.module)
