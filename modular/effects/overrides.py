"""Overrides, the parent's methods that they replace, and the lines of both."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from modular.conversion.converter import Converter
from modular.effects.breakage import PlacedSentence, join_places
from modular.effects.parent_changes import ParentChanges
from modular.rules.classes.methods import find_methods
from modular.rules.names.renaming import Renamer, find_rename_sites
from modular.rules.reading.modular_file import ModularFile
from modular.source import module as modules
from modular.source.definition_view import DefinitionView, class_named, view_definition
from modular.source.diagnostics import Place
from modular.source.diffs import MatchingBlock, matching_blocks
from modular.source.module import Module
from modular.source.unreadable import UnreadableError


COPIED_SHARE = 0.5
"""An override with a larger share of its parent's lines is a copy."""


class CodeLine(NamedTuple):
    """A line of a method.

    Attributes:
        number: Its number in the file, from 1.
        text: Its text.
        code: Its text without indentation and comment.
    """

    number: int
    text: str
    code: str


@dataclass(frozen=True, eq=False)
class Override:
    """A method of a modular class that replaces one of its parent.

    Attributes:
        modular: Path of the modular file.
        class_: Name of the class.
        key: Key of both methods, see `modular.rules.classes.methods`.
        line: Line of its header, from 1.
        lines: Its lines, without its docstring.
        parent_path: Path of the parent file.
        parent_class: Name of the parent's class in that file.
        renamer: Replaces the parent's name with that of the model.
    """

    modular: str
    class_: str
    key: str
    line: int
    lines: tuple[CodeLine, ...]
    parent_path: str
    parent_class: str
    renamer: Renamer

    def parent_lines(self, parent: Module) -> tuple[CodeLine, ...]:
        """Return the lines of the replaced method in a text of the parent file.

        They have the names of the child's model. The result is empty if the file has no
        such method.
        """
        return lines_of_method(parent, self.parent_class, self.key, self.renamer)


class MissedHunk(NamedTuple):
    """A change of a parent's method that an override does not have.

    Attributes:
        line: Line of the modular file, from 1, at which the old lines begin. If there
            are none, the new ones belong above it.
        end_line: Line after the last old line.
        old: The lines that the change replaces, as the override has them.
        new: The lines that replace them, renamed.
        first_base_line: Index of the first replaced line in the older method.
    """

    line: int
    end_line: int
    old: tuple[str, ...]
    new: tuple[str, ...]
    first_base_line: int

    def diff_lines(self) -> list[str]:
        """Return the change as lines of a diff, which begin with `-` or `+`."""
        removed = [f"-{line}" for line in self.old]
        return [*removed, *(f"+{line}" for line in self.new)]


@dataclass(frozen=True)
class DriftedOverride:
    """An override that lacks changes of its parent's method.

    Attributes:
        override: The override.
        share: Share of its lines, from 0 to 1, that it has from the parent's method.
        hunks: What it lacks.
    """

    override: Override
    share: float
    hunks: tuple[MissedHunk, ...]

    @property
    def place(self) -> Place:
        """The place of the first old line."""
        return Place(self.override.modular, self.hunks[0].line)

    @property
    def name(self) -> str:
        """The class and method, for example `OlmoMLP.forward`."""
        return f"{self.override.class_}.{self.override.key}"

    @property
    def original(self) -> str:
        """The class and method of the parent, for example `LlamaMLP.forward`."""
        return f"{self.override.parent_class}.{self.override.key}"

    @property
    def sentence(self) -> str:
        """A sentence that says whose old lines the override has."""
        return f"`{self.name}` still has the old lines of `{self.original}`"

    def diff_lines(self) -> list[str]:
        """Return the changes that it lacks as lines of a diff."""
        lines: list[str] = []
        for hunk in self.hunks:
            lines += hunk.diff_lines()
        return lines


class Inheritance(NamedTuple):
    """A class of a modular file, and the file and name of a parent class."""

    child: DefinitionView
    parent_path: str
    parent_name: str


def find_inheritances(modular_file: ModularFile) -> list[Inheritance]:
    """Return each class of a modular file with each of its parent classes.

    The list ends before the first class that cannot be read. The conversion reports
    this class as an error.
    """
    inheritances = []
    with suppress(UnreadableError):
        for class_name, binding in modular_file.definitions.classes.items():
            child = view_definition(binding.statement)
            for parent in modular_file.parent_classes(class_name):
                inheritances.append(Inheritance(child, parent.path, parent.name))
    return inheritances


def find_overrides(
    converter: Converter, modular: str, changes: ParentChanges | None = None
) -> Iterator[Override]:
    """Yield the methods of a modular file that replace methods of parent classes.

    Classes that cannot be read are skipped; they are errors of the conversion.

    Args:
        converter: Converter that reads the files.
        modular: Path of the modular file.
        changes: Changes of parent files. If given, only overrides of methods of the
            changed parent classes are yielded.
    """
    modular_file = converter.read(modular)
    if modular_file is None:
        return
    for child, parent_path, parent_name in find_inheritances(modular_file):
        if changes is not None and parent_name not in changes.changed_names(
            parent_path
        ):
            continue
        parent = class_named(converter.parent(parent_path).module, parent_name)
        if parent is None:
            continue
        renamer = converter.renamer(parent_path, modular_file)
        with suppress(UnreadableError):
            methods = find_methods(child.body.statements)
            parent_methods = find_methods(parent.body.statements)
            for key in methods.keys() & parent_methods.keys():
                yield Override(
                    modular=modular,
                    class_=child.name,
                    key=key,
                    line=methods[key].header.line,
                    lines=tuple(_code_lines(methods[key])),
                    parent_path=parent_path,
                    parent_class=parent_name,
                    renamer=renamer,
                )


def lines_of_method(
    module: Module, class_: str, key: str, renamer: Renamer | None = None
) -> tuple[CodeLine, ...]:
    """Return the lines of a method without its docstring.

    The result is empty if there is no such method, or it cannot be read.

    Args:
        module: The file.
        class_: Name of the class.
        key: Key of the method, see `modular.rules.classes.methods`.
        renamer: Renames the models in the lines, if given.
    """
    with suppress(UnreadableError):
        view = class_named(module, class_)
        if view is not None:
            method = find_methods(view.body.statements).get(key)
            if method is not None:
                return tuple(_code_lines(method, renamer))
    return ()


def _code_lines(
    method: DefinitionView, renamer: Renamer | None = None
) -> Iterator[CodeLine]:
    """Yield the lines of a method without blank lines and without the docstring.

    The first lines are the decorators. With a renamer from `Llama` to `Olmo`, the lines
    have `OlmoMLP` in place of `LlamaMLP`.
    """
    slices = [method.decorators, method.header]
    slices += [statement.code for statement in method.body_without_docstring]
    for code in slices:
        if renamer is not None:
            sites = find_rename_sites(code, renamer.old)
            code = renamer.rename_slice(code, 0, sites)
        start = 0
        for number, text in enumerate(code.text.split("\n"), code.line):
            end = start + len(text)
            if text.strip():
                # Comments are blank in the masked text, so the right-stripped one is as
                # long as the code of the line.
                code_end = len(code.masked_text[start:end].rstrip())
                yield CodeLine(number, text, code=text[:code_end].strip())
            # The next line begins after the line end.
            start = end + 1


def shared_part(base: tuple[CodeLine, ...], override: tuple[CodeLine, ...]) -> float:
    """Return the share of an override's lines, from 0 to 1, that its parent has, too.

    Args:
        base: Lines of the parent's method, renamed to the child's model.
        override: Lines of the override.
    """
    shared = sum(block.size for block in _matching_lines(base, override))
    return shared / max(1, len(override))


def find_missed_hunks(
    base: tuple[CodeLine, ...],
    override: tuple[CodeLine, ...],
    parent: tuple[CodeLine, ...],
) -> list[MissedHunk]:
    """Return the changes of a parent's method that an override of it lacks.

    This is a three-way merge, in which the override and the parent started from `base`.

    Args:
        base: The parent's method at the time when both were in step, renamed.
        override: The override.
        parent: The parent's method after its change, renamed.

    Returns:
        The changes whose old lines the override still has. Changes of lines that the
        override has changed itself are not among them, nor are those of comments.

    Example:
        The parent replaced `x = x + 1` by `x = x + 2`, the override only prints more::

            base      x = x + 1; return x
            parent    x = x + 2; return x
            override  x = x + 1; print(x); return x

        One hunk is missed: `x = x + 1` is to become `x = x + 2`.
    """
    override_indexes = _map_to_override(_matching_lines(base, override))
    hunks = []
    base_end = 0
    parent_end = 0
    for block in _matching_lines(base, parent):
        old = base[base_end : block.old]
        new = parent[parent_end : block.new]
        position = _position_in_override(override_indexes, base_end, block.old)
        if position is not None and _code(old) != _code(new):
            # Lines may be inserted below the last line of the override.
            first_line = override[-1].number + 1
            if position < len(override):
                first_line = override[position].number
            end_line = first_line
            if old:
                end_line = override[position + len(old) - 1].number + 1
            hunk = MissedHunk(
                line=first_line,
                end_line=end_line,
                old=tuple(line.text for line in old),
                new=tuple(line.text for line in new),
                first_base_line=base_end,
            )
            hunks.append(hunk)
        base_end = block.old + block.size
        parent_end = block.new + block.size
    return hunks


def _matching_lines(
    old: tuple[CodeLine, ...], new: tuple[CodeLine, ...]
) -> list[MatchingBlock]:
    old_texts = [line.text for line in old]
    new_texts = [line.text for line in new]
    return matching_blocks(old_texts, new_texts, autojunk=False)


def _map_to_override(blocks: list[MatchingBlock]) -> dict[int, int]:
    """Return the index in an override of each base line that it still has.

    The base is the parent's method that the override was copied from. If the override is
    one new line above the three lines of the base, the indexes are `{0: 1, 1: 2, 2: 3}`,
    and also `-1: -1` and `3: 4`. The last two stand for the beginning and the end of both
    texts, as if there were equal lines outside of them.

    Args:
        blocks: The runs of equal lines, from the base (`old`) to the override (`new`).
    """
    override_indexes = {-1: -1}
    for block in blocks:
        for offset in range(block.size):
            override_indexes[block.old + offset] = block.new + offset
    # The last block is empty, and lies at the end of both.
    end = blocks[-1]
    override_indexes[end.old] = end.new
    return override_indexes


def _position_in_override(
    override_indexes: Mapping[int, int], start: int, end: int
) -> int | None:
    """Return where an override has the base lines that a change replaces.

    The override began as a copy of the base lines. If a change replaces base lines 3 and
    4, and the override has these lines at 5 and 6, the position is 5.

    Args:
        override_indexes: The index in the override of each base line that it still has.
        start: The index of the first replaced base line.
        end: The index after the last replaced base line. If `start` and `end` are equal,
            the change only inserts lines above base line `start`.

    Returns:
        The index in the override; None if the lines no longer follow each other there.
    """
    position = override_indexes.get(start)
    if position is None:
        return None
    # Inserted lines need the base line above them, and that below them.
    first_needed, last_needed = start, end - 1
    if start == end:
        first_needed, last_needed = start - 1, start
    for base_index in range(first_needed, last_needed + 1):
        expected_position = position + base_index - start
        if override_indexes.get(base_index) != expected_position:
            return None
    return position


def _code(lines: tuple[CodeLine, ...]) -> list[str]:
    """Return the code of lines without those that are only a comment."""
    return [line.code for line in lines if line.code]


def find_drifted_overrides(
    overrides: Iterable[Override],
    old_texts: Mapping[str, str],
    new_texts: Mapping[str, str],
) -> Iterator[DriftedOverride]:
    """Yield the overrides that still have lines which their parents have replaced.

    Only an override that began as a copy of its parent's method counts. An override that
    was written on its own has hardly a line in common with that method.

    Args:
        overrides: The overrides of methods that the parents have after the change.
        old_texts: Texts of parent files before the change, by path.
        new_texts: Their texts after the change.
    """

    @cache
    def read(path: str, text: str) -> Module:
        """Return the statements of a text; each text is read once."""
        return modules.read(path, text)

    for override in overrides:
        path = override.parent_path
        old_text = old_texts.get(path, "")
        new_text = new_texts.get(path, "")
        if old_text == new_text:
            # Most parents are unchanged; comparing all their methods would take long.
            continue
        old_method = override.parent_lines(read(path, old_text))
        share = shared_part(old_method, override.lines)
        is_copy = share > COPIED_SHARE
        if not is_copy:
            continue
        new_method = override.parent_lines(read(path, new_text))
        hunks = tuple(find_missed_hunks(old_method, override.lines, new_method))
        if hunks:
            yield DriftedOverride(override, share, hunks)


class DriftGroup(NamedTuple):
    """Overrides that miss the same lines.

    Attributes:
        lines: The lines, as a diff shows them.
        overrides: The overrides.
    """

    lines: tuple[str, ...]
    overrides: list[DriftedOverride]

    def sentences(self) -> Iterator[PlacedSentence]:
        """Yield a sentence for each method that overrides were copied from.

        Most overrides first.
        """
        copies: dict[str, list[DriftedOverride]] = {}
        for drifted in self.overrides:
            copies.setdefault(drifted.original, []).append(drifted)
        for of_original in sorted(copies.values(), key=len, reverse=True):
            places = [(drifted.place, drifted.name) for drifted in of_original]
            yield join_places(of_original[0].sentence, places)


def group_unreached(unreached: Iterable[DriftedOverride]) -> list[DriftGroup]:
    """Group overrides by the lines that they miss, the largest group first."""
    groups: dict[tuple[str, ...], DriftGroup] = {}
    for drifted in unreached:
        lines = tuple(drifted.diff_lines())
        # The indentation can differ, because a method can be nested.
        key = tuple(line[:1] + line[1:].strip() for line in lines)
        group = groups.setdefault(key, DriftGroup(lines, []))
        group.overrides.append(drifted)
    return sorted(groups.values(), key=lambda group: -len(group.overrides))
