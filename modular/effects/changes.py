"""Splits the difference of a generated file into one change for each edit.

Two conversions know the origins of the removed and of the added lines. A line whose
origin was edited belongs to this edit. Imports and dependencies, which other code needs,
belong to the edit of this code.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from keyword import iskeyword
from typing import TYPE_CHECKING

from modular.effects.edits import Edit
from modular.effects.moved_lines import MovedLines
from modular.project.project import model_name
from modular.provenance.outline import (
    UNOWNED,
    Owner,
    SourceOwner,
    line_owners,
    read_outline,
)
from modular.rules.files.drafts import Provenance
from modular.source.diagnostics import Place
from modular.source.diffs import Hunk
from modular.source.module import normalize_text
from modular.source.source_slice import words


if TYPE_CHECKING:
    from modular.provenance.blame import Blamer
    from modular.run.report import FileReport

Key = tuple[object, ...]


@dataclass(frozen=True)
class OldRecord:
    """What is known of a project before a change.

    Attributes:
        edits: The edits since then.
        blamer: Finds the origins of the lines that were generated then. None if the
            project cannot be converted as it was, because its settings changed.
    """

    edits: Sequence[Edit] = ()
    blamer: "Blamer | None" = None


@dataclass(frozen=True, slots=True)
class Change:
    """The effect of one edit on a generated file.

    Attributes:
        path: Path of the generated file.
        modular: Path of its modular file.
        line: Number, from 1, of the first changed line in the new text.
        place: First line of the edit, if known.
        owner: Class and member at this place, or without a place of the changed lines.
        lines: Lines of the diff, which begin with ``+`` or ``-``, without moved lines.
        moved: Number of lines that only move within the file.
        key: Equal for changes that differ only in the names of their models.
    """

    path: str
    modular: str
    line: int
    place: Place | None
    owner: Owner
    lines: tuple[str, ...]
    moved: int = 0
    key: Key = ()


def find_changes(
    file: "FileReport", blamer: "Blamer", old_record: OldRecord = OldRecord()
) -> list[Change]:
    """Return the changes of a generated file, one for each edit.

    If the parent's `LlamaMLP.forward` and the child's `OlmoMLP.__init__` were edited, the
    difference of the generated file is split into two changes.

    Args:
        file: The file, with the difference between its old and its new text.
        blamer: Finds the origins of the lines of the new text.
        old_record: What is known of the old text. Without edits, each hand-written
            member that changed lines come from counts as edited.
    """
    if not file.difference:
        return []
    reader = _LineReader(file, blamer, old_record)
    lines = list(reader.changed_lines())
    edits = old_record.edits
    # The record has the edits since a commit. Without a blamer, the old text is that on
    # disk, which may be older than the commit. Then there may have been further edits.
    has_all_edits = old_record.blamer is not None
    if not edits:
        edits = list(_edits_at_origins(lines))
        has_all_edits = True
    lines_by_edit = _group_by_edit(lines, edits, has_all_edits)

    model_names = {model_name(file.modular), *(line.model_name for line in lines)}
    model_names |= {blamer.project.names.cased(name) for name in model_names}
    pattern = _names_pattern(model_names)
    changes = []
    for edit, edit_lines in lines_by_edit.items():
        changes.append(_make_change(edit, edit_lines, file, pattern))
    return changes


@dataclass(eq=False, slots=True)
class _ChangedLine:
    """A removed or an added line of a generated file.

    Attributes:
        text: The line with ``-`` or ``+`` in front.
        number: Number, from 1, of the line or its gap in the new text.
        owner: Class and member in the generated file.
        sources: The hand-written classes and members that the line passes, its origin
            last, as `Blamer.lineage` returns them.
        place: Its hand-written origin, if known.
        model_name: The name to which the name of the origin's model is renamed, such as
            `olmo_text`; empty if nothing is renamed.
        hunk: Number of its hunk.
        is_moved: Whether the line only moves.
        is_dependency: Whether its class or function comes, goes or moves because other
            code needs it or no longer needs it.
    """

    text: str
    number: int
    owner: Owner
    sources: list[SourceOwner]
    place: Place | None
    model_name: str
    hunk: int
    is_moved: bool
    is_dependency: bool


class _LineReader:
    """Reads the changed lines of one generated file, with their origins."""

    def __init__(
        self, file: "FileReport", blamer: "Blamer", old_record: OldRecord
    ) -> None:
        """Find the classes and members of the lines of both texts.

        Args:
            file: The generated file, with the difference of its old and new text.
            blamer: Finds the origins of the lines of the new text.
            old_record: Has the blamer of the old text, if its origins are known. This
                blamer counts only if it generates exactly the old text.
        """
        self._path = file.path
        self._difference = file.difference
        self._blamer = blamer
        self._blame = blamer.blame_file(file.path)
        self._new_owners = {run.first.owner for run in self._blame.runs}
        self._moved = MovedLines(file.difference)

        old_text = normalize_text("\n".join(file.difference.old))
        self._old_blamer = None
        if old_record.blamer is not None:
            old_blame = old_record.blamer.blame_model(file.modular).get(file.path)
            if old_blame is not None and old_blame.text == old_text:
                self._old_blamer = old_record.blamer
                self._old_blame = old_blame
                self._old_owner_by_line = old_blame.owners()
        if self._old_blamer is None:
            # The old text alone tells its classes and members, but not their origins.
            self._old_owner_by_line = line_owners(read_outline(file.path, old_text))
        self._old_owners = set(self._old_owner_by_line.values())

    def changed_lines(self) -> Iterator[_ChangedLine]:
        """Yield the removed and the added lines of the file, without blank lines."""
        for index, hunk in enumerate(self._difference.hunks):
            for number, text in enumerate(hunk.removed, start=hunk.old_line):
                if text.strip():
                    yield self._removed_line(index, hunk, number, text)
            for number, text in enumerate(hunk.added, start=hunk.new_line):
                if text.strip():
                    yield self._added_line(index, number, text)

    def _added_line(self, index: int, number: int, text: str) -> _ChangedLine:
        """Describe an added line of the generated file.

        The description has the line's owner, which is the class and member that contains
        it, such as `OlmoMLP.forward`. Its sources are the owners in hand-written files that
        the line comes from, the parent file last: `LlamaMLP.forward`.

        Args:
            index: The index of the hunk, a group of adjacent changed lines.
            number: The number of the line in the new text.
            text: The line.
        """
        line = self._blame.line(number)
        is_moved = number in self._moved.added
        is_in_new_definition = _top_level_owner(line.owner) not in self._old_owners
        sources = self._blamer.lineage(self._path, number)
        are_old_origins_known = self._old_blamer is not None
        if is_in_new_definition and not are_old_origins_known:
            # A new class is one change, so all its members have the class as their
            # source.
            *sources_before, last = sources
            origin_class = SourceOwner(last.path, _top_level_owner(last.owner))
            sources = [*sources_before, origin_class]
        # The converter copies a function of a parent file only if other generated code
        # calls it. So if the copy is new or moves, a change of other code is the reason.
        is_copied_for_others = line.kind is Provenance.NEEDED
        origin = self._blamer.trace_line(line)
        return _ChangedLine(
            text=f"+{text}",
            number=number,
            owner=line.owner,
            sources=sources,
            place=origin.place,
            model_name=origin.renamed.new if origin.renamed else "",
            hunk=index,
            is_moved=is_moved,
            is_dependency=is_copied_for_others and (is_in_new_definition or is_moved),
        )

    def _removed_line(
        self, index: int, hunk: Hunk, number: int, text: str
    ) -> _ChangedLine:
        """Describe a removed line of the generated file.

        The description has its origin, and tells whether the line only moved. If the
        origins of the old text are unknown, the removed line gets the origins of the
        new line that stands in its place.

        Args:
            index: The index of the hunk.
            hunk: The hunk that removes the line.
            number: The number of the line in the old text.
            text: The line.
        """
        owner = self._old_owner_by_line.get(number, UNOWNED)
        place = None
        if self._old_blamer is not None:
            sources = self._old_blamer.lineage(self._path, number)
            origin = self._old_blamer.trace_line(self._old_blame.line(number))
        else:
            new_line = self._blame.line(self._number_in_new_text(hunk, owner))
            sources = self._blamer.lineage(self._path, new_line.line)
            origin = self._blamer.trace_line(new_line)
            # A renamed member has the same source under both names.
            is_renamed = self._replaces(new_line.owner, owner)
            if not is_renamed:
                sources[-1] = _source_of_removed(sources[-1], new_line.owner, owner)
            if owner != UNOWNED:
                place = origin.place
        definition = _top_level_owner(owner)
        is_definition_gone = definition not in self._new_owners
        return _ChangedLine(
            text=f"-{text}",
            number=hunk.new_line,
            owner=owner,
            sources=sources,
            place=place,
            model_name=origin.renamed.new if origin.renamed else "",
            hunk=index,
            is_moved=number in self._moved.removed,
            is_dependency=definition != UNOWNED and is_definition_gone,
        )

    def _number_in_new_text(self, hunk: Hunk, owner: Owner) -> int:
        """Return the number of the new line that stands in the place of removed lines.

        This is the first added line of the same member, or else of a member that
        replaces it. If the hunk adds no such line, it is the last filled line above the
        removed ones.

        Args:
            hunk: The hunk that removes the lines.
            owner: The class and member of the removed lines.
        """
        added_numbers = range(hunk.new_line, hunk.new_line + len(hunk.added))
        for number in added_numbers:
            if self._blame.line(number).owner == owner:
                return number
        for number in added_numbers:
            if self._replaces(self._blame.line(number).owner, owner):
                return number

        number = min(hunk.new_line - 1, len(self._blame.texts))
        while number > 1 and not self._blame.texts[number - 1].strip():
            number -= 1
        return max(1, number)

    def _replaces(self, new: Owner, old: Owner) -> bool:
        """Return whether a new member of a class takes the place of a removed member."""
        if UNOWNED in (new, old) or new.class_ != old.class_:
            return False
        return new not in self._old_owners and old not in self._new_owners


def _top_level_owner(owner: Owner) -> Owner:
    """Return the class of a member, or a function or variable at module level itself."""
    return Owner(owner.class_) if owner.class_ else owner


def _source_of_removed(
    source: SourceOwner, new_owner: Owner, removed_owner: Owner
) -> SourceOwner:
    """Return the hand-written member that removed lines probably came from.

    The old text was not converted, so only the new line in their place is known. If this
    is a line of `OlmoMLP.__init__`, which comes from `LlamaMLP.__init__`, then removed
    lines of `OlmoMLP.forward` came from `LlamaMLP.forward`.

    Args:
        source: The hand-written member of the new line, such as `LlamaMLP.__init__`.
        new_owner: The generated member of the new line.
        removed_owner: The generated member of the removed lines.
    """
    if removed_owner == new_owner:
        return source
    class_ = removed_owner.class_
    if class_ is None or class_ != new_owner.class_:
        return SourceOwner(source.path, removed_owner)
    source_class = source.owner.class_
    return SourceOwner(source.path, Owner(source_class, removed_owner.member))


def _edits_at_origins(lines: Iterable[_ChangedLine]) -> Iterator[Edit]:
    """Yield an edit for each hand-written member that changed lines come from.

    Lines that only move, imports, and code that other code needs are no cause of a
    change, so they yield no edit.
    """
    seen_sources: set[SourceOwner] = set()
    for line in lines:
        if line.is_moved or line.is_dependency or line.owner == UNOWNED:
            continue
        source = line.sources[-1]
        if line.place is not None and source not in seen_sources:
            seen_sources.add(source)
            yield _edit_at_origin(line)


def _edit_at_origin(line: _ChangedLine) -> Edit:
    """Return the edit of the hand-written member that a line comes from."""
    source = line.sources[-1]
    return Edit(line.place, source.owner, members=frozenset([source]))


@dataclass(eq=False)
class _LineGroup:
    """Changed lines of one member, or changed imports, whose origins were not edited.

    Attributes:
        names: The names that other code uses the lines by.
        lines: The lines.
    """

    names: set[str]
    lines: list[_ChangedLine] = field(default_factory=list)

    @property
    def is_moved(self) -> bool:
        """Whether the lines only move within the file."""
        return all(line.is_moved for line in self.lines)

    @property
    def is_consequence(self) -> bool:
        """Whether the lines change only because other code does."""
        is_import = self.lines[0].owner == UNOWNED
        is_dependency = all(line.is_dependency for line in self.lines)
        return is_import or is_dependency or self.is_moved


def _group_by_edit(
    lines: Iterable[_ChangedLine], edits: Sequence[Edit], has_all_edits: bool
) -> dict[Edit, list[_ChangedLine]]:
    """Return the changed lines of each edit.

    Args:
        lines: The changed lines of a file.
        edits: The known edits.
        has_all_edits: Whether these are all edits, so that each line has one of them.
    """
    finder = _EditFinder(edits)
    lines_by_edit: dict[Edit, list[_ChangedLine]] = {}
    # Other lines changed although nobody edited their origins, such as the import of a
    # function that an edited line calls.
    other_groups: dict[object, _LineGroup] = {}
    for line in lines:
        edit = finder.find(line.sources)
        if edit is not None:
            lines_by_edit.setdefault(edit, []).append(line)
            continue
        # The lines of a member are one group. Imports belong to no member, and different
        # members may need them, so those of a hunk are one group.
        is_import = line.owner == UNOWNED
        group_key: object = line.hunk if is_import else line.owner
        if group_key not in other_groups:
            names = {name for name in line.owner if name}
            other_groups[group_key] = _LineGroup(names)
        other_groups[group_key].lines.append(line)

    for group in other_groups.values():
        group.names |= _names_of_imports(group.lines)
    _attach_groups(list(other_groups.values()), lines_by_edit, edits, has_all_edits)
    return lines_by_edit


class _EditFinder:
    """Finds the edit that a changed line comes from."""

    def __init__(self, edits: Iterable[Edit]) -> None:
        """Index edits by the members and classes that they change."""
        self._by_member: dict[SourceOwner, Edit] = {}
        self._by_class: dict[tuple[str, str], Edit] = {}
        for edit in edits:
            for member in edit.members:
                self._by_member.setdefault(member, edit)
                class_ = member.owner.class_
                if class_ is not None:
                    self._by_class.setdefault((member.path, class_), edit)

    def find(self, sources: Sequence[SourceOwner]) -> Edit | None:
        """Return the edit that changed a generated line; None if no edit did.

        This is the edit of one of its sources or, if nobody edited these, of another
        member of the same class. Sources nearer to the origin come first.

        Args:
            sources: The hand-written members that the line passes, its origin last.
        """
        for source in reversed(sources):
            edit = self._by_member.get(source)
            if edit is None:
                continue
            # All imports of a file have the owner UNOWNED. If the edit of a method has
            # the import of `math` for it, other imports do not come from this edit.
            is_import = source.owner == UNOWNED
            is_edit_of_code = edit.owner != UNOWNED
            if is_import and is_edit_of_code:
                continue
            return edit
        for source in reversed(sources):
            class_ = source.owner.class_
            if class_ is not None and (source.path, class_) in self._by_class:
                return self._by_class[source.path, class_]
        return None


def _names_of_imports(lines: Iterable[_ChangedLine]) -> set[str]:
    """Return the names that a change adds to the imports, or removes from them.

    If `import a, b` becomes `import a, c`, these are `b` and `c`.

    Args:
        lines: The changed lines. Those that belong to a class or function are left out.
    """
    removed_words: set[str] = set()
    added_words: set[str] = set()
    for line in lines:
        if line.owner != UNOWNED:
            continue
        # As in a diff, the first character tells whether the line is added.
        code = line.text[1:]
        if line.text.startswith("+"):
            added_words |= words(code)
        else:
            removed_words |= words(code)
    # A name that is both removed and added has only moved.
    changed_words = removed_words ^ added_words
    return {word for word in changed_words if not iskeyword(word)}


def _attach_groups(
    groups: list[_LineGroup],
    lines_by_edit: dict[Edit, list[_ChangedLine]],
    edits: Sequence[Edit],
    has_all_edits: bool,
) -> None:
    """Add lines whose origins nobody edited to the edits that caused their change.

    If an edit makes `forward` call a new function, which calls `math.floor`, both the
    function and the import of `math` belong to the edit of `forward`.

    Args:
        groups: The changed lines, each group with those of one member. The list is
            emptied.
        lines_by_edit: The changed lines of each edit, to which the groups are added.
        edits: The known edits.
        has_all_edits: Whether there are no further edits.
    """
    effects = {edit: _EditEffect(edit, lines) for edit, lines in lines_by_edit.items()}
    while groups:
        # An attached group can use further groups, so the search begins anew each time.
        group, explaining_edit = _next_group(groups, effects)
        possible_edits = list(lines_by_edit) or edits
        has_unknown_cause = not has_all_edits and not group.is_consequence
        if explaining_edit is not None:
            edit = explaining_edit
        elif len(possible_edits) == 1 and not has_unknown_cause:
            edit = possible_edits[0]
        else:
            # Nobody can tell which edit is the cause, so the origin counts as edited.
            edit = _edit_at_origin(group.lines[0])
        groups.remove(group)
        lines_by_edit.setdefault(edit, []).extend(group.lines)
        effects.setdefault(edit, _EditEffect(edit)).add(group.lines)


class _EditEffect:
    """What an edit changes in a generated file: the words of its lines, and members.

    The words include the names that come or go with the edit. A class that overrides a
    renamed method has only one of its names.
    """

    def __init__(self, edit: Edit, lines: Sequence[_ChangedLine] = ()) -> None:
        """Collect what an edit changes in some changed lines."""
        self._words = set(edit.names)
        self._members: set[Owner] = set()
        self._classes: set[str] = set()
        self.add(lines)

    def add(self, lines: Sequence[_ChangedLine]) -> None:
        """Add changed lines."""
        self._words |= words("\n".join(line.text[1:] for line in lines))
        self._members |= {line.owner for line in lines if line.owner.member}
        self._classes |= {line.owner.class_ for line in lines if line.owner.class_}

    def explains(self, group: _LineGroup) -> bool:
        """Return whether the edit explains the change of lines that nobody edited.

        If the edit adds a call of `rotate`, it explains why the function `rotate` is new.

        Args:
            group: Changed lines of one member, or of imports.
        """
        owner = group.lines[0].owner
        changes_member = owner in self._members
        moves_with_class = group.is_moved and owner.class_ in self._classes
        uses_name = not group.names.isdisjoint(self._words)
        return changes_member or moves_with_class or uses_name


def _next_group(
    groups: Sequence[_LineGroup], effects: Mapping[Edit, _EditEffect]
) -> tuple[_LineGroup, Edit | None]:
    """Return the first group of lines that an edit explains, and this edit.

    If no edit explains any group, the edit is None, and the group is the first whose
    origin is known, or else the first of all.

    Args:
        groups: Changed lines, each group with those of one member.
        effects: What each edit changes in the generated file.
    """
    for group in groups:
        for edit, effect in effects.items():
            if effect.explains(group):
                return group, edit
    for group in groups:
        if group.lines[0].place is not None:
            return group, None
    return groups[0], None


def _make_change(
    edit: Edit,
    lines: Iterable[_ChangedLine],
    file: "FileReport",
    names: re.Pattern[str],
) -> Change:
    """Return the effect of an edit on a generated file.

    Args:
        edit: The edit.
        lines: The changed lines that the edit causes, in any order.
        file: The generated file.
        names: Finds the names of the model in lower case.
    """
    # As in a diff, the removed lines of a hunk come before its added lines.
    in_order = sorted(lines, key=lambda line: (line.hunk, line.text.startswith("+")))
    shown = [line for line in in_order if not line.is_moved]
    moved_count = 0
    for line in in_order:
        # A moved line is removed and added, and counts once.
        if line.is_moved and line.text.startswith("+"):
            moved_count += 1
    first_line = shown[0] if shown else in_order[0]
    texts = tuple(line.text for line in shown)
    return Change(
        path=file.path,
        modular=file.modular,
        line=first_line.number,
        place=edit.place,
        owner=edit.owner,
        lines=texts,
        moved=moved_count,
        key=_make_key(texts, names),
    )


_TOKEN = re.compile(r"\w+|[^\w\s(),]")
_ANY_NAME = "\N{SECTION SIGN}"
"""Replaces the name of each model, so that the same code of two models is equal."""


def _names_pattern(names: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that finds the names of models in code in lower case.

    Underscores are optional: `my_model` is found in `my_model_layer` and `mymodellayer`.
    A name is not found within a word: `owl` is not in `bowl`.
    """
    lowered = {name.lower() for name in names if name}
    # The longest name comes first, since `owl` would match only a part of `owl_text`.
    longest_first = sorted(lowered, key=lambda name: (-len(name), name))
    patterns = []
    for name in longest_first:
        patterns.append("_?".join(map(re.escape, name.split("_"))))
    return re.compile(rf"(?<![a-z0-9])(?:{'|'.join(patterns)})")


def _make_key(lines: Iterable[str], names: re.Pattern[str]) -> Key:
    """Return a key that is equal for the same change in several models.

    It has the tokens of the removed and of the added lines, without parentheses and
    commas, and with one sign for all names of models. With `?` as this sign, these
    lines of two models both become `("-", "x", "=", "?norm", "y")`:

        -x = LlamaNorm(y)
        -x = GemmaNorm(y)

    Args:
        lines: Lines of a diff, which begin with `+` or `-`.
        names: Finds the names of the model in lower case.
    """
    key: list[object] = []
    # Adjacent lines are joined, because a longer name can break a line in two.
    for sign, same_sign in groupby(lines, key=lambda line: line[0]):
        text = "\n".join(line[1:].lower() for line in same_sign)
        text_without_names = names.sub(_ANY_NAME, text)
        key.append((sign, *_TOKEN.findall(text_without_names)))
    return tuple(key)
