"""Which flat files of a model one modular file can stand for, and why the others stay written by hand."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product
from pathlib import PurePosixPath

from modular.infer.flat import DEFINING, Aside, FlatFile, FlatModel, guarded_names
from modular.infer.normal import normal
from modular.project.project import Project
from modular.rules.drafts import ALL
from modular.rules.files import file_types
from modular.rules.files.exports import exported, is_written_out
from modular.rules.files.imports import read_guard
from modular.rules.names.renaming import COPIED
from modular.rules.settings import Settings
from modular.source.assignments import owner
from modular.source.blocks import Kind, Statement
from modular.source.import_statements import Import, import_of


NO_COPY = "# Ignore copy"
"""What stands above a method that is not the same in a class which another comment calls a copy."""


def choose_files(
    project: Project, model: str, cased: str, modular: str, found: Sequence[FlatFile], *, as_they_are: bool = False
) -> FlatModel:
    """Part the files of a model in those that a modular file can stand for, and those that stay written by hand.

    Of files that exclude each other those stay that have most lines together. Comments that say what is a copy are taken
    off, unless the files are to stay ``as_they_are``.
    """
    problems = {each.path: _inexpressible(project, cased, each) for each in found}
    possible = [each for each in found if problems[each.path] is None]
    if not as_they_are:
        possible = [_less_origins(each, found) for each in possible]
    clashes = {
        (one.path, other.path): problem
        for one in possible
        for other in possible
        if one is not other and (problem := _clash(project.settings, one, other)) is not None
    }
    taken = _most(project, cased, sorted(possible, key=lambda each: each.path), clashes)
    by_hand = [each for each in problems.values() if each is not None]
    for file in possible:
        if file not in taken:
            clash = (clashes[file.path, other.path] for other in taken if (file.path, other.path) in clashes)
            by_hand += [each for each in [next(clash, _homeless(project, cased, file, taken))] if each is not None]
    taken.sort(key=lambda each: _rank(each.file_type))
    return FlatModel(model, cased, modular, tuple(taken), sorted(by_hand, key=lambda each: each.path))


def _most(
    project: Project, cased: str, files: Sequence[FlatFile], clashes: Mapping[tuple[str, str], Aside]
) -> list[FlatFile]:
    """Return the files that exclude none of each other and have most lines."""
    best: tuple[FlatFile, ...] = ()
    for some in chain.from_iterable(combinations(files, size) for size in range(len(files), 0, -1)):
        is_longer = sum(each.lines for each in some) > sum(each.lines for each in best)
        if is_longer and not any((one.path, other.path) in clashes for one, other in combinations(some, 2)):
            if not any(_homeless(project, cased, each, some) for each in some):
                best = some
    return list(best)


_ORDER = ("configuration", "modeling")


def _rank(file_type: str) -> tuple[int, str]:
    return (_ORDER.index(file_type) if file_type in _ORDER else len(_ORDER), file_type)


def _less_origins(file: FlatFile, others: Iterable[FlatFile]) -> FlatFile:
    """Take off the comments that say what is a copy of what, where inheriting takes their place.

    Those are comments that keep a method from being a copy, and those that say of a definition that it is another file's,
    if nothing else of it differs.
    """
    found = set(_no_copies(file)) if COPIED in file.text else set()
    for other in others:
        stem = PurePosixPath(other.path).stem
        for each in file.named.values() if other is not file else ():
            lines = [
                each.code.line + number
                for number, line in enumerate(each.lead.text.split("\n"))
                if line.startswith("#") and line.rstrip().endswith(f"{stem}.{each.name}")
            ]
            if lines and other.normals.get(each.name) == normal(each.own):
                found.update(lines)
    return file.less(found) if found else file


def _no_copies(file: FlatFile) -> Iterator[int]:
    """The lines with a comment that keeps a method from being a copy."""
    text, mask = file.module.code.text, file.module.code.mask
    at = text.find(NO_COPY)
    while at >= 0:
        start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        if text[start:end].strip() == NO_COPY and not mask[start:end].strip():
            yield text.count("\n", 0, at) + 1
        at = text.find(NO_COPY, end)


def _inexpressible(project: Project, cased: str, file: FlatFile) -> Aside | None:
    """Say what in a file cannot be said in a modular file at all."""
    seen: set[str] = set()
    for statement in file.module.block.statements:
        problem = unsayable(project, cased, file, statement)
        if statement.kind in DEFINING and statement.name in seen:
            problem = f"`{statement.name}` is defined twice"
        if problem:
            return Aside(file.path, statement.line, problem)
        seen.add(statement.name)
    if not file.classes:
        return Aside(file.path, 1, "a file without classes is not generated")
    exports = file.special(ALL)
    if exports is not None and not is_written_out(exports):
        return Aside(file.path, exports.line, "the list `__all__` is computed")
    for name in exported(exports) if exports is not None else ():
        if exports is not None and file_types.of_class(name, cased, project.settings) != file.file_type:
            return Aside(file.path, exports.line, f"`{name}` is exported by another file, by its name")
    return None


def unsayable(project: Project, cased: str, file: FlatFile, statement: Statement) -> str:
    """Say why a statement cannot come out of a modular file; nothing if it can."""
    if statement.kind is Kind.OTHER and not owner(statement):
        return "statements that are not definitions are not generated"
    if statement.kind is Kind.IMPORT:
        imported, whole = import_of(statement), project.settings.library_name
        if imported is None:
            return "this import cannot be read"
        if imported.level == 0 and imported.module == whole:
            return f"a modular file imports nothing from `{whole}` as a whole: import from the file that defines it"
    if statement.kind is Kind.CLASS and not _is_at_home(statement.name, file.file_type, cased, project):
        kind = file_types.of_class(statement.name, cased, project.settings)
        return f"a class of this name goes into the {kind} file"
    return ""


def _is_at_home(name: str, file_type: str, cased: str, project: Project) -> bool:
    own = file_types.of_class(name, cased, project.settings)
    return own == file_type or project.settings.copied_instead_of_imported.get(file_type) == own


def _homeless(project: Project, cased: str, file: FlatFile, taken: Iterable[FlatFile]) -> Aside | None:
    """Name a class that is copied from a file which is not among those that are taken."""
    homes = {each.file_type for each in taken}
    for class_ in file.classes:
        own = file_types.of_class(class_.name, cased, project.settings)
        if own not in homes:
            return Aside(file.path, file.line(class_), f"a class of this name goes into the {own} file")
    return None


def _clash(settings: Settings, file: FlatFile, other: FlatFile) -> Aside | None:
    """Say what two files have under the same name, but differently."""
    for name, defined in file.named.items():
        if defined.kind is Kind.CLASS and other.normals.get(name, file.normals[name]) != file.normals[name]:
            return Aside(file.path, file.line(defined), f"`{name}` is another one in `{other.path}`")
    offered = {import_.bound: import_ for import_ in _imports(settings, other) if import_.bound not in other.named}
    for import_ in _imports(settings, file):
        theirs = offered.get(import_.bound, import_)
        if import_.bound not in file.named and not import_.agrees_with(theirs):
            where = f"`{import_.bound}` is imported from elsewhere in `{other.path}`"
            return Aside(file.path, file.line(import_.statement), where)
    for one, two in product(file.guards, other.guards):
        shared = names_held(one) & names_held(two)
        if shared and _has_more(one) | _has_more(two) and normal(one.own) != normal(two.own):
            where = f"what holds `{min(shared)}` is another block in `{other.path}`"
            return Aside(file.path, file.line(one), where)
    return None


def names_held(statement: Statement) -> set[str]:
    """The names that a guard imports or defines."""
    guard = read_guard(statement)
    return guarded_names(statement) | ({each.name for each in guard.lasting} - {""} if guard is not None else set())


def _has_more(statement: Statement) -> bool:
    """Whether a guard has statements that go with it into every file that takes anything from it."""
    guard = read_guard(statement)
    return guard is not None and bool(guard.lasting)


@dataclass(frozen=True, slots=True)
class _Imported:
    """A name that a file imports, and under which guard; None if the type of the file makes one by itself."""

    statement: Statement
    bound: str
    source: str
    guard: str | None

    def agrees_with(self, other: "_Imported") -> bool:
        """Whether one import can stand for both."""
        return self.source == other.source and (self.guard == other.guard or None in (self.guard, other.guard))


def _imports(settings: Settings, file: FlatFile) -> Iterator[_Imported]:
    for import_ in file.imports:
        yield from (_Imported(import_.statement, name.bound, f"{import_.source} {name}", "") for name in import_.names)
    for statement in file.guards:
        guard = read_guard(statement)
        for inside in guard.statements if guard is not None else ():
            found = import_of(inside)
            if guard is not None and found is not None:
                made = file.file_type in settings.soft_dependency_types and _package(found) in settings.guards
                head = None if made else guard.first.head.normal()
                yield from (_Imported(statement, name.bound, f"{found.source} {name}", head) for name in found.names)


def _package(found: Import) -> str:
    module = found.names[0].name if found.module is None else found.module
    return module.partition(".")[0] if found.level == 0 else ""
