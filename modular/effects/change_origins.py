"""Finds the hand-written lines that cause the changes of a generated file."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from modular.provenance.outline import UNOWNED, Owner, line_owners, read_outline
from modular.rules.files.drafts import Provenance
from modular.source import module as modules
from modular.source.diagnostics import Place
from modular.source.diffs import Diff, Hunk, compare
from modular.source.module import Module, normalize_text


if TYPE_CHECKING:
    from modular.provenance.blame import Blamer
    from modular.run.report import FileReport


class Origin(NamedTuple):
    """A hand-written line, if one is known, and its owner."""

    place: Place | None
    owner: Owner


class OriginFinder:
    """Finds the origins of the changed lines of one generated file."""

    def __init__(self, file: "FileReport", blamer: "Blamer") -> None:
        """Find the owners of all lines of the old and the new text of a file.

        The owner of a line is the class and member, such as `LlamaMLP.forward`, in which
        it is.
        """
        self._blamer = blamer
        self._sources = _SourceEdits(blamer)
        self._modular = file.modular
        self._blame = blamer.blame_file(file.path)
        self._is_new_file = not file.difference.old

        old_text = normalize_text("\n".join(file.difference.old))
        self._old_module = read_outline(file.path, old_text)
        self._old_owner_by_line = line_owners(self._old_module)
        self._old_owners = {UNOWNED, *self._old_owner_by_line.values()}
        self._new_owners = {UNOWNED}
        for run in self._blame.runs:
            self._new_owners.add(run.first.owner)

    @cached_property
    def _old_imports(self) -> set[int]:
        """The numbers, from 1, of the lines of the old text that import."""
        return _import_lines(self._old_module)

    @cached_property
    def _new_imports(self) -> set[int]:
        """The numbers, from 1, of the lines of the new text that import."""
        return _import_lines(read_outline(self._blame.path, self._blame.text))

    def is_old_import(self, line: int) -> bool:
        """Return whether a line of the old text imports at module level."""
        # Most changes are in definitions, and then nobody needs the imports.
        return line not in self._old_owner_by_line and line in self._old_imports

    def is_new_import(self, line: int) -> bool:
        """Return whether a line of the new text imports at module level."""
        # A new file is one change as a whole, so its imports do not count as such.
        if self._is_new_file or self._blame.line(line).owner != UNOWNED:
            return False
        return line in self._new_imports

    @cached_property
    def _new_lines_by_owner(self) -> Mapping[Owner, list[int]]:
        """The numbers, from 1, of the lines of the new text, by class and by member.

        A line of the method `LlamaMLP.forward` is also a line of the class `LlamaMLP`.
        Blank lines are left out.
        """
        lines_by_owner: dict[Owner, list[int]] = defaultdict(list)
        # A run is a number of adjacent lines that have the same class and member.
        for run in self._blame.runs:
            class_, member = run.first.owner
            for line in range(run.first.line, run.end):
                if not self._blame.texts[line - 1].strip():
                    continue
                lines_by_owner[Owner(class_, member)].append(line)
                if class_ is not None and member is not None:
                    lines_by_owner[Owner(class_)].append(line)
        return lines_by_owner

    def old_owner(self, line: int) -> Owner:
        """Return the owner of a line of the old text; its class if that is gone."""
        owner = self._old_owner_by_line.get(line, UNOWNED)
        return _member_or_whole_class(owner, self._new_owners)

    def new_owner(self, line: int) -> Owner:
        """Return the owner of a line of the new text; its class if that is new."""
        if self._is_new_file:
            return UNOWNED
        owner = self._blame.line(line).owner
        return _member_or_whole_class(owner, self._old_owners)

    def is_lost(self, owner: Owner) -> bool:
        """Return whether the new text has no lines of an owner."""
        return owner not in self._new_owners

    def is_new(self, owner: Owner) -> bool:
        """Return whether the old text has no lines of an owner."""
        return owner not in self._old_owners

    def is_dependency(self, line: int) -> bool:
        """Return whether other code needs a line of the new text."""
        return self._blame.line(line).kind is Provenance.NEEDED

    def find(self, owner: Owner, line: int, added_lines: Iterable[int]) -> Origin:
        """Return the hand-written line that caused the change of generated lines.

        The first of these that is known is returned:

        1. The line that the generated lines come from, if its file was edited.
        2. The same member in an edited file: for lines of `OlmoMLP.forward`, this can be
           `LlamaMLP.forward` in the parent file.
        3. The line that the generated lines come from, although its file was not edited.
        4. A guess, if the lines are a member that the new text has lost.
        5. No line, with the owner of the generated lines.

        Args:
            owner: Class and member of the generated lines, such as `OlmoMLP.forward`.
            line: Number, from 1, of the first generated line in the new text.
            added_lines: Numbers, from 1, of the lines that were added.
        """
        place = self._added_place(added_lines)
        # If lines were only removed, another line of the same member tells their source.
        # Unowned lines, such as comments, have nothing in common, so none is searched.
        if place is None and owner != UNOWNED:
            place = self._nearest_place(line, owner)

        traced_origin = None
        if place is not None:
            source_owner = self._blamer.owner(place.path, place.line)
            traced_origin = Origin(place, source_owner)
            if self._sources.may_be_edited(place.path):
                return traced_origin
        return (
            self._find_edited_member(owner)
            or traced_origin
            or self._guess_lost_member(owner, line)
            or Origin(None, owner)
        )

    def _added_place(self, added_lines: Iterable[int]) -> Place | None:
        """Return the hand-written place of the first added line that has one.

        Lines of a class or function are tried before other lines, such as blank ones.
        """

        def is_unowned(line: int) -> bool:
            return self._blame.line(line).owner == UNOWNED

        for line in sorted(added_lines, key=is_unowned):
            place = self._place(line)
            if place is not None:
                return place
        return None

    def _find_edited_member(self, owner: Owner) -> Origin | None:
        """Return the member of an edited file that a generated member comes from.

        The generated `OlmoMLP.forward` can come from `OlmoMLP.forward` in the modular
        file or from `LlamaMLP.forward` in the parent file. The first of these that is in
        an edited file, or was in it before the edit, is returned.
        """
        for path, class_ in self._source_classes(owner):
            source_owner = Owner(class_, owner.member)
            place = self._sources.find_edited(path, source_owner)
            if place is not None:
                return Origin(place, source_owner)
        return None

    def _guess_lost_member(self, owner: Owner, line: int) -> Origin | None:
        """Guess the hand-written line of a member that a generated class no longer has.

        If the generated `OlmoMLP` has lost `act`, the result is `act` of `LlamaMLP`. The
        line of `act` in the parent file is not known. The result has the line of the
        parent file that the nearest other line of `OlmoMLP` comes from.

        Args:
            owner: The class and the lost member.
            line: Number, from 1, of the line in the new text where the member was.
        """
        if owner.class_ is None or owner.member is None:
            return None
        # Most members come from the farthest ancestor, which is the last source class.
        source_classes = list(self._source_classes(owner))
        for path, source_class in reversed(source_classes):
            # Any line of `OlmoMLP` counts that comes from the file of the ancestor.
            place = self._nearest_place(line, Owner(owner.class_), path)
            if place is not None:
                return Origin(place, Owner(source_class, owner.member))
        return None

    def _source_classes(self, owner: Owner) -> Iterator["_SourceClass"]:
        """Yield the hand-written classes that the lines of a generated class come from.

        1. For `OlmoMLP`, these are `OlmoMLP` in the modular file, the parent class
           `LlamaMLP`, and further ancestors.
        2. Then the class that the first generated line comes from. This repeats a class of
           step 1, or adds a class that the modular file does not mention: `LlamaNorm`,
           which was copied because `LlamaMLP` uses `LlamaNorm`.

        Args:
            owner: The generated class, with or without a member. For a statement at module
                level, the modular file is yielded without a class.
        """
        if owner.class_ is None:
            yield _SourceClass(self._modular, None)
            return
        yield from self._sources.ancestors(self._modular, owner.class_)

        class_lines = self._new_lines_by_owner.get(Owner(owner.class_))
        if class_lines:
            source = self._place(class_lines[0])
            if source is not None:
                source_owner = self._blamer.owner(source.path, source.line)
                yield _SourceClass(source.path, source_owner.class_)

    def _nearest_place(self, line: int, owner: Owner, path: str = "") -> Place | None:
        """Return the hand-written place of the nearest line of a class or member.

        If a class has lines 3 to 9, and the place for line 7 is asked, lines 6, 5, 4 and 3
        are tried first, then 7, 8 and 9. The first that has a hand-written place counts.

        Args:
            line: Number, from 1, of a line of the new text.
            owner: The class or member whose lines are tried.
            path: If given, only hand-written places in this file count.
        """
        lines = self._new_lines_by_owner.get(owner, [])
        lines_above = [number for number in lines if number < line]
        other_lines = [number for number in lines if number >= line]
        for number in (*reversed(lines_above), *other_lines):
            place = self._place(number)
            if place is not None and path in ("", place.path):
                return place
        return None

    def _place(self, line: int) -> Place | None:
        """Return the hand-written place that a line of the new text comes from."""
        return self._blamer.trace_line(self._blame.line(line)).place


class _SourceClass(NamedTuple):
    """A hand-written file and a class in it; None for its module level."""

    path: str
    class_: str | None


class _SourceEdits:
    """Compares hand-written files with their older texts, as far as these are known."""

    def __init__(self, blamer: "Blamer") -> None:
        self._blamer = blamer

    def may_be_edited(self, path: str) -> bool:
        """Return whether a file was edited, or no older texts are known."""
        old_text = self._blamer.old_texts.get(path)
        if old_text is None:
            return not self._blamer.old_texts
        return old_text != self._text(path)

    def find_edited(self, path: str, owner: Owner) -> Place | None:
        """Return the place of a class or member in an edited file.

        If the edit removed the member, this is the place where the member was.

        Returns:
            None if the file was not edited, or neither text has the member.
        """
        if path not in self._blamer.old_texts or not self.may_be_edited(path):
            return None
        text = self._text(path)
        line = _first_lines(path, text).get(owner)
        if line is not None:
            return Place(path, line)

        old_text = self._blamer.old_texts[path]
        old_line = _first_lines(path, old_text).get(owner)
        if old_line is None:
            return None
        return Place(path, _line_of_removal(old_text, text, old_line))

    def ancestors(
        self, path: str, class_: str, visited: AbstractSet[str] = frozenset()
    ) -> Iterator[_SourceClass]:
        """Yield a hand-written class, and those that it inherits from.

        Only classes of modular files have ancestors here. If a parent file is generated,
        its modular file takes its place.

        Args:
            path: Path of the file of the class.
            class_: Name of the class.
            visited: Files on the way to it, which a cycle would visit again.
        """
        yield _SourceClass(path, class_)
        project = self._blamer.project
        if path in visited or path not in project.modular_files:
            return
        modular_file = self._blamer.engine.batches.local_converter().read(path)
        if modular_file is None:
            return
        for parent in modular_file.parent_classes(class_):
            source_path = project.generating_modular(parent.path) or parent.path
            yield from self.ancestors(source_path, parent.name, {*visited, path})

    def _text(self, path: str) -> str:
        return "\n".join(self._blamer.lines(path))


def _import_lines(module: Module) -> set[int]:
    """Return the numbers of the lines of imports at module level."""
    lines: set[int] = set()
    for import_ in module.imports:
        origin = import_.statement.bare_code.origin
        lines.update(range(origin.first_line, origin.last_line + 1))
    return lines


def _member_or_whole_class(owner: Owner, other_owners: AbstractSet[Owner]) -> Owner:
    """Return the owner of a line; only its class if the whole class comes or goes.

    If both texts have a class `LlamaMLP`, a line can be owned by `LlamaMLP.forward`.
    If only one of them has it, all its lines are owned by `LlamaMLP`, so that the class
    is one change, not one for each method.

    Args:
        owner: Class and member of a line of the old or the new text of a file.
        other_owners: All classes and members of the other one of these texts.
    """
    if owner.class_ is None:
        return owner
    whole_class = Owner(owner.class_)
    is_class_in_both = whole_class in other_owners
    return owner if is_class_in_both else whole_class


def _find_removing_hunk(difference: Diff, old_line: int) -> Hunk | None:
    """Return the hunk because of which a new text lacks a member of the old text.

    This is the nearest hunk that begins at the first line of the member or above: if
    `class A:` was changed to `class B:`, the new text has no `A.forward`.

    Args:
        difference: The difference from the old text to the new text.
        old_line: Number, from 1, of the member's first line in the old text.
    """
    nearest = None
    for hunk in difference.hunks:
        if hunk.old_line <= old_line:
            nearest = hunk
    return nearest


@lru_cache(maxsize=64)
def _first_lines(path: str, text: str) -> Mapping[Owner, int]:
    """Return the first line, from 1, of each class and member of a text."""
    first_lines: dict[Owner, int] = {}
    for line, owner in line_owners(modules.read(path, text)).items():
        first_lines.setdefault(owner, line)
    return first_lines


def _line_of_removal(old_text: str, new_text: str, old_line: int) -> int:
    """Return the line of the new text where a member of the old text was removed.

    If other lines have replaced the member, this is the first of these lines. If the
    member was deleted, this is the line above the gap.

    Args:
        old_text: The text with the member.
        new_text: The text without it.
        old_line: Number, from 1, of the member's first line in the old text.
    """
    hunk = _find_removing_hunk(compare(old_text, new_text), old_line)
    line = old_line
    if hunk is not None:
        # If the hunk only removes lines, its `new_line` is the line below the gap.
        line = hunk.new_line if hunk.added else hunk.new_line - 1

    # A blank line tells a reader nothing, so the code above it is shown.
    new_lines = new_text.split("\n")
    while line > 1 and not new_lines[line - 1].strip():
        line -= 1
    return max(1, line)
