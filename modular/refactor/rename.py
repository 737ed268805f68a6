"""Renames a class, function or method of a model, and all that refers to it, in the files that people write."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from keyword import iskeyword

from modular.project.project import Project
from modular.refactor.counterparts import Counterpart, MethodOwners
from modular.refactor.project_files import ProjectFiles
from modular.refactor.references import Name, References, Renames, find_references
from modular.rules.files import file_types
from modular.run.options import Options
from modular.source.blocks import Kind, Statement
from modular.source.diagnostics import Edit, Place, did_you_mean
from modular.source.edits import apply_edits
from modular.source.parts import view_definition
from modular.source.walking import walk
from modular.system.errors import ModularError


_MOST_CANDIDATES = 10
_WORD = re.compile(r"\w+")


class RenameError(ModularError):
    """Why something cannot be renamed, in words for the person who asked."""


@dataclass(frozen=True)
class Symbol:
    """A class or function that a file defines at module level, or a method of such a class."""

    path: str
    name: str
    method: str = ""

    def __str__(self) -> str:
        module = self.path.removesuffix(".py").replace("/", ".")
        return ".".join(filter(None, (module, self.name, self.method)))


@dataclass(frozen=True)
class RenameEdits:
    """What a renaming changes.

    ``edits`` are those of each hand-written file, by path; none overlap. ``definitions`` are the classes and functions
    that are renamed, or whose method is, with their new names. ``left`` are places that still have the old name: comments,
    strings, and attributes of objects whose class cannot be told.
    """

    edits: Mapping[str, tuple[Edit, ...]]
    definitions: tuple[Counterpart, ...]
    left: tuple[Place, ...]


def rename(symbol: str, new: str, *, options: Options = Options()) -> RenameEdits:
    """Return the edits that rename a class, function or method in all hand-written files of a project.

    ``symbol`` is the name, dotted where it would be ambiguous: `LlamaMLP`, `LlamaMLP.forward`,
    `models.llama.modeling_llama.LlamaMLP`. ``new`` is the new name alone. Nothing is written. Raises RenameError and
    `settings.SettingsError`.
    """
    return rename_in(options.open(), symbol, new)


def rename_in(project: Project, symbol: str, new: str) -> RenameEdits:
    """Return what `rename` returns, for a project that is open."""
    files = ProjectFiles(project)
    owners = MethodOwners(files)
    target = _find(files, symbol)
    old = target.method or target.name
    if not new.isidentifier() or iskeyword(new):
        raise RenameError(f"`{new}` is not a name that Python can take")
    if new == old:
        raise RenameError(f"`{symbol}` is called `{new}` already")
    if target.method:
        renames = Renames(
            owners=owners.of_method(target.path, target.name), method=(old, new)
        )
        definitions = [
            Counterpart(path, name, name) for path, name in sorted(renames.owners)
        ]
        if problem := owners.problem(target.path, target.name, renames):
            raise RenameError(problem)
    else:
        definitions = owners.all_of(target.path, target.name, new)
        for definition in definitions:
            _refuse_other_kind(files, definition)
        renames = Renames(_importable(files, definitions))
    return _renaming(files, definitions, renames)


def edited_texts(project: Project, renaming: RenameEdits) -> dict[str, str]:
    """Return the new texts of the files that a renaming changes, by path, as they are written.

    Raises:
        EditError: A file changed after it was read, or would not be Python any more.
    """
    return {
        path: apply_edits(project.load(path, {}).source, edits)
        for path, edits in renaming.edits.items()
    }


def differs_otherwise(renaming: RenameEdits, before: str, after: str) -> bool:
    """Whether a generated file changes by more than the new names: two parents may give a model one name for two classes."""
    names = {definition.name: definition.new for definition in renaming.definitions}
    words = Counter(names.get(word, word) for word in _WORD.findall(before))
    return words != Counter(names.get(word, word) for word in _WORD.findall(after))


def _find(files: ProjectFiles, symbol: str) -> Symbol:
    """The one definition that a symbol names. Raises RenameError if there is none, or several."""
    folders = tuple(f"{folder}/" for folder in files.project.models_folders)
    paths = [path for path in files.sources if path.startswith(folders)]
    words = symbol.split(".")
    candidates = [
        candidate
        for path in paths
        if words[-1] in files.text(path)
        for candidate in _symbols(files, path, words)
    ]
    named = [
        candidate for candidate in candidates if _is_named(files, candidate, symbol)
    ]
    if len(named) == 1:
        return named[0]
    if not named:
        names = {name for path in paths for name in files.defined(path)}
        hint = (
            did_you_mean(symbol, names)
            or "name a class, function or method that a model file or modular file defines"
        )
        generated = next(
            (path for path in files.generated if words[-1] in files.defined(path)), None
        )
        if generated is not None:
            hint = f"`{files.generated[generated]}` inlines it into `{generated}`: rename it in the parent file"
        raise RenameError(f"no hand-written file of a model defines `{symbol}`; {hint}")
    listed = "\n".join(f"  {candidate}" for candidate in named[:_MOST_CANDIDATES])
    more = (
        f"\n  and {len(named) - _MOST_CANDIDATES} more"
        if len(named) > _MOST_CANDIDATES
        else ""
    )
    raise RenameError(f"`{symbol}` is ambiguous; say which:\n{listed}{more}")


def _symbols(files: ProjectFiles, path: str, words: list[str]) -> Iterator[Symbol]:
    module = files.module(path)
    for statement in module.block.statements if module is not None else ():
        if statement.is_definition and statement.name == words[-1]:
            yield Symbol(path, statement.name)
        elif (
            statement.kind is Kind.CLASS
            and [statement.name] == words[-2:-1]
            and words[-1] in _methods(statement)
        ):
            yield Symbol(path, statement.name, words[-1])


def _methods(statement: Statement) -> set[str]:
    return {
        member.name
        for member in view_definition(statement).body.statements
        if member.kind is Kind.FUNCTION
    }


def _is_named(files: ProjectFiles, symbol: Symbol, dotted: str) -> bool:
    paths = files.importable(symbol.path)
    return any(
        f".{replace(symbol, path=path)}".endswith(f".{dotted}") for path in paths
    )


def _refuse_other_kind(files: ProjectFiles, definition: Counterpart) -> None:
    """Raise RenameError where the name decides more than what something is called."""
    settings, table = files.project.settings, files.project.names.table
    if definition.name in table.values():
        model = next(model for model, name in table.items() if name == definition.name)
        raise RenameError(
            f"`{definition.name}` is the class name of the model `{model}`, which names all its classes"
        )
    file = files.modular(definition.path)
    if file is not None and definition.name in file.definitions.classes:
        old, new = (
            file_types.of_class(name, file.cased, settings)
            for name in (definition.name, definition.new)
        )
        if old != new:
            raise RenameError(
                f"`{definition.new}` would go to another file: {new} instead of {old}"
            )


def _importable(
    files: ProjectFiles, definitions: Iterable[Counterpart]
) -> dict[Name, str]:
    """The new names of definitions, by all files that they can be imported from; some hand on what they import."""
    names: dict[Name, str] = {}
    for definition in definitions:
        paths = files.importable(definition.path)
        for path in (*paths, files.generated.get(definition.path, definition.path)):
            if definition.new in files.defined(path):
                raise RenameError(f"`{definition.new}` is defined in `{path}` already")
        names.update(((path, definition.name), definition.new) for path in paths)
    words = {name for _, name in names}
    handing_on: dict[Name, list[str]] = {}
    for path in files.sources:
        is_star = "import *" in files.text(path)
        for name in [word for word in words if is_star or word in files.text(path)]:
            for source in files.sources_of(path, name):
                handing_on.setdefault(source, []).append(path)

    def handed_on(place: tuple[str, str, str]) -> Iterator[tuple[str, str, str]]:
        path, name, new = place
        return ((other, name, new) for other in handing_on.get((path, name), ()))

    return {
        (path, name): new
        for path, name, new in walk(
            ((*place, names[place]) for place in names), handed_on
        )
    }


def _mentions(text: str, words: Iterable[str]) -> bool:
    return any(word in text for word in words)


def _renaming(
    files: ProjectFiles, definitions: Iterable[Counterpart], renames: Renames
) -> RenameEdits:
    edits: dict[str, tuple[Edit, ...]] = {}
    left: list[Place] = []
    classes = {name for _, name in renames.owners}
    for path in files.sources:
        module = (
            files.module(path) if _mentions(files.text(path), renames.words) else None
        )
        if module is None or (classes and not _mentions(files.text(path), classes)):
            continue
        in_code = renames.words & module.code.words()
        references = find_references(files, path, renames) if in_code else References()
        if references.taken:
            place = references.taken[0]
            raise RenameError(f"the new name is taken at {place.path}:{place.line}")
        if references.edits:
            edits[path] = tuple(references.edits)
        left += references.unclear or _mentioned(
            path, module.lines, renames, references.edits
        )
    return RenameEdits(edits, tuple(definitions), tuple(left))


def _mentioned(
    path: str, lines: list[str], renames: Renames, edits: Iterable[Edit]
) -> Iterator[Place]:
    """Yield where the old names of definitions appear that no edit touches: in comments and strings."""
    done = {(edit.line, edit.column) for edit in edits}
    old = sorted({name for _, name in renames.names})
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, old))})\b")
    for number, line in enumerate(lines if old else (), start=1):
        for match in pattern.finditer(line):
            if (number, match.start() + 1) not in done:
                yield Place(path, number, match.start() + 1, len(match[0]), line)
