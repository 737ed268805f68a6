"""Finds the hand-written lines that cause the changes of a generated file."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from modular.provenance.outline import UNOWNED, Owner, line_owners
from modular.rules.files.drafts import Provenance
from modular.source import module as modules
from modular.source.diagnostics import Place
from modular.source.diffs import compare
from modular.source.module import Module


if TYPE_CHECKING:
    from modular.provenance.blame import Blamer
    from modular.run.report import FileReport


class Origin(NamedTuple):
    """A hand-written line, if one is known, and its owner."""

    place: Place | None
    owner: Owner


class OriginFinder:
    """Finds the origins of the changed lines of one generated file.

    Attributes:
        old_imports: Numbers, from 1, of the lines of the old text that import.
        new_imports: The same of the new text.
    """

    def __init__(self, file: "FileReport", blamer: "Blamer") -> None:
        self._blamer = blamer
        self._sources = _SourceEdits(blamer)
        self._modular = file.modular
        self._blame = blamer.blame_file(file.path)
        old_module = modules.read(file.path, "\n".join(file.difference.old))
        new_module = modules.read(file.path, "\n".join(file.difference.new))
        self._old_owner_by_line = line_owners(old_module)
        self._old_owners = {UNOWNED, *self._old_owner_by_line.values()}
        self._new_owners = {UNOWNED, *(run.first.owner for run in self._blame.runs)}
        self._is_new_file = not file.difference.old
        self.old_imports = _import_lines(old_module)
        self.new_imports = set() if self._is_new_file else _import_lines(new_module)

    @cached_property
    def _lines_by_owner(self) -> Mapping[Owner, list[int]]:
        """The lines of the new text by owner. A line of a member is also the class's."""
        lines_by_owner: dict[Owner, list[int]] = defaultdict(list)
        for line, text in zip(self._blame.lines, self._blame.texts, strict=True):
            if text.strip():
                for member_or_class in {line.owner, Owner(line.class_)}:
                    lines_by_owner[member_or_class].append(line.line)
        return lines_by_owner

    def old_owner(self, line: int) -> Owner:
        """Return the owner of a line of the old text; the class if only it remains."""
        owner = self._old_owner_by_line.get(line, UNOWNED)
        return _without_lost_class(owner, self._new_owners)

    def new_owner(self, line: int) -> Owner:
        """Return the owner of a line of the new text; the class if all of it is new."""
        if self._is_new_file:
            return UNOWNED
        owner = self._blame.line(line).owner
        return _without_lost_class(owner, self._old_owners)

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
        """Return the origin of changed lines.

        If the file that they come from was not edited, the origin is the same member of
        an edited parent.

        Args:
            owner: Owner of the lines.
            line: Number, from 1, of the first of them in the new text.
            added_lines: Numbers, from 1, of the added ones.
        """
        place = self._added_place(added_lines)
        if place is None and owner != UNOWNED:
            place = self._nearest_place(line, owner)

        origin = None
        if place is None or not self._sources.may_be_edited(place.path):
            origin = self._find_edited_member(owner)
        if origin is None and place is None:
            origin = self._guess_lost_member(owner, line)
        if origin is None and place is not None:
            origin = Origin(place, self._blamer.owner(place.path, place.line))
        return origin or Origin(None, owner)

    def _added_place(self, added_lines: Iterable[int]) -> Place | None:
        """Return the place of the first added line that has one.

        Lines of a definition come before other lines, such as blank ones.
        """

        def is_unowned(line: int) -> bool:
            return self._blame.line(line).owner == UNOWNED

        for line in sorted(added_lines, key=is_unowned):
            place = self._place(line)
            if place is not None:
                return place
        return None

    def _find_edited_member(self, owner: Owner) -> Origin | None:
        """Return the same member, or the place where it was, in an edited source."""
        for path, class_ in self._source_classes(owner):
            source_owner = Owner(class_, owner.member)
            place = self._sources.find_edited(path, source_owner)
            if place is not None:
                return Origin(place, source_owner)
        return None

    def _guess_lost_member(self, owner: Owner, line: int) -> Origin | None:
        """Return the line nearest to a lost member in a parent of its class, if any.

        It is a guess for when the older texts of the sources are not known.
        """
        if owner.class_ is None or owner.member is None:
            return None
        sources = list(self._source_classes(owner))
        parents = sources[1:] or sources
        for path, class_ in reversed(parents):
            place = self._nearest_place(line, Owner(owner.class_), path)
            if place is not None:
                return Origin(place, Owner(class_, owner.member))
        return None

    def _source_classes(self, owner: Owner) -> Iterator["_SourceClass"]:
        """Yield the hand-written classes that a generated class can have lines from.

        A statement at module level has its modular file as the only source.
        """
        if owner.class_ is None:
            yield _SourceClass(self._modular, None)
            return
        yield from self._sources.ancestors(self._modular, owner.class_)
        for line in self._lines_by_owner.get(Owner(owner.class_), [])[:1]:
            # A dependency is no class of the modular file.
            place = self._place(line)
            if place is not None:
                header_owner = self._blamer.owner(place.path, place.line)
                yield _SourceClass(place.path, header_owner.class_)

    def _nearest_place(self, line: int, owner: Owner, path: str = "") -> Place | None:
        """Return the origin of the owner's nearest line, above a line if possible.

        If a path is given, lines with an origin in another file do not count.
        """
        lines = self._lines_by_owner.get(owner, [])
        lines_above = [number for number in lines if number < line]
        lines_below = [number for number in lines if number >= line]
        for number in (*reversed(lines_above), *lines_below):
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
        """Return the place of a member in an edited file, or where it was before.

        Returns:
            None if the file was not edited, or neither text has the member.
        """
        if path not in self._blamer.old_texts or not self.may_be_edited(path):
            return None
        line = _first_lines(path, self._text(path)).get(owner)
        if line is not None:
            return Place(path, line)
        old_text = self._blamer.old_texts[path]
        old_line = _first_lines(path, old_text).get(owner)
        if old_line is None:
            return None
        return Place(path, _moved_line(old_text, self._text(path), old_line))

    def ancestors(
        self, path: str, class_: str, visited: AbstractSet[str] = frozenset()
    ) -> Iterator[_SourceClass]:
        """Yield a hand-written class, and those that it inherits from."""
        yield _SourceClass(path, class_)
        project = self._blamer.project
        if path in visited or path not in project.modular_files:
            return
        modular_file = self._blamer.engine.batches.local_converter().read(path)
        if modular_file is None or class_ not in modular_file.bases:
            return
        for base in modular_file.parents_of(class_):
            parent_path = modular_file.parent_of[base]
            yield from self.ancestors(
                project.generator(parent_path) or parent_path,
                modular_file.original_names[base],
                {*visited, path},
            )

    def _text(self, path: str) -> str:
        return "\n".join(self._blamer.lines(path))


def _import_lines(module: Module) -> set[int]:
    """Return the numbers of the lines of imports at module level."""
    lines: set[int] = set()
    for import_ in module.imports:
        origin = import_.statement.bare_code.origin
        lines.update(range(origin.first_line, origin.last_line + 1))
    return lines


def _without_lost_class(owner: Owner, other_owners: AbstractSet[Owner]) -> Owner:
    """Return an owner, or only its class if the other text lacks that class."""
    if owner.class_ is None or Owner(owner.class_) in other_owners:
        return owner
    return Owner(owner.class_)


@lru_cache(maxsize=64)
def _first_lines(path: str, text: str) -> Mapping[Owner, int]:
    """Return the first line, from 1, of each class and member of a text."""
    first_lines: dict[Owner, int] = {}
    for line, owner in line_owners(modules.read(path, text)).items():
        first_lines.setdefault(owner, line)
    return first_lines


def _moved_line(old_text: str, new_text: str, old_line: int) -> int:
    """Return the line, from 1, of the code that replaced a line or is above it now."""
    line = old_line
    for hunk in compare(old_text, new_text).hunks:
        if hunk.old_line <= old_line:
            line = hunk.new_line if hunk.added else hunk.new_line - 1
    new_lines = new_text.split("\n")
    while line > 1 and not new_lines[line - 1].strip():
        line -= 1
    return max(1, line)
