"""Splits the difference of a generated file into one change for each cause.

A cause is a member of a class, or another statement, of a hand-written file. Imports and
dependencies that come or go with a change belong to it.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from keyword import iskeyword
from typing import TYPE_CHECKING, NamedTuple

from modular.effects.change_origins import Origin, OriginFinder
from modular.provenance.outline import UNOWNED, Owner
from modular.source.diagnostics import Place
from modular.source.diffs import Diff, Hunk
from modular.source.source_slice import words


if TYPE_CHECKING:
    from modular.provenance.blame import Blamer
    from modular.run.report import FileReport

Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """The change of one member of a generated file.

    Attributes:
        path: Path of the generated file.
        modular: Path of its modular file.
        line: Number, from 1, of the first changed line in the new text.
        place: Hand-written line that causes the change, if known.
        owner: Owner of that line, or without a place that of the changed lines.
        lines: Lines of the diff, which begin with ``+`` or ``-``.
        key: Equal for changes that differ only in the names of their models.
    """

    path: str
    modular: str
    line: int
    place: Place | None
    owner: Owner
    lines: tuple[str, ...]
    key: Key = ()


def find_changes(file: "FileReport", blamer: "Blamer") -> list[Change]:
    """Return the changes of a generated file, one for each member and origin."""
    if not file.difference:
        return []

    finder = OriginFinder(file, blamer)
    parts = _split_difference(file.difference, finder)
    # A member may have moved from one hunk to another, or change in several hunks.
    parts = _join_moved_members(parts, finder)
    parts = _merge_by_origin(parts, finder)
    parts = _attach_dependencies(parts, finder)

    names = _names_pattern(blamer.model_names(file.path))
    return [_make_change(part, file, names) for part in parts]


@dataclass(slots=True)
class _Part:
    """The changed lines of one member of a generated file.

    Attributes:
        owner: Owner of the lines.
        line: Number, from 1, of the first of them in the new text.
        is_import: Whether the lines are imports.
        lines: Lines of the diff.
        added_lines: Numbers, from 1, of the added lines in the new text.
        origin: Hand-written line that they come from.
        dependencies: Imports and definitions that came or went with these lines.
    """

    owner: Owner
    line: int
    is_import: bool = False
    lines: list[str] = field(default_factory=list)
    added_lines: list[int] = field(default_factory=list)
    origin: Origin = Origin(None, UNOWNED)
    dependencies: list["_Part"] = field(default_factory=list)

    def code(self, sign: str) -> list[str]:
        """Return the sorted removed or added lines without indentation and blank lines."""
        texts = [line[1:].strip() for line in self.lines if line[0] == sign]
        return sorted(filter(None, texts))

    def is_moved(self) -> bool:
        """Return whether the lines only moved."""
        return self.code("-") == self.code("+")

    def words(self) -> set[str]:
        """Return the identifiers in the lines."""
        return words("\n".join(line[1:] for line in self.lines))


def _split_difference(difference: Diff, finder: OriginFinder) -> list[_Part]:
    """Split the difference of a file into parts.

    Each part has the lines that one hunk changes in one member of a class. A hunk that
    changes the end of `forward` and the beginning of `reset` has two parts.
    """
    parts: list[_Part] = []
    last_hunk_end = 0
    for hunk in difference.hunks:
        # Hunks count lines from 1, but slices from 0.
        hunk_start = hunk.new_line - 1
        lines_between = difference.new[last_hunk_end:hunk_start]
        if parts and _is_blank([*hunk.removed, *hunk.added, *lines_between]):
            # Blank lines directly below a changed definition belong to its change.
            parts[-1].lines += hunk.lines
        else:
            hunk_parts = _split_by_member(hunk, finder)
            # A hunk that renames `beat` to `flutter` has a part for each of these
            # members, but it is one change.
            parts += _join_renamed_member(hunk_parts, finder)
        last_hunk_end = hunk_start + len(hunk.added)
    return parts


def _is_blank(lines: Iterable[str]) -> bool:
    """Return whether no line has more than whitespace."""
    return not "".join(lines).strip()


def _split_by_member(hunk: Hunk, finder: OriginFinder) -> list[_Part]:
    """Return the changed lines of a hunk, with one part for each member.

    A hunk that changes the end of `forward` and the beginning of `reset` has two parts.
    Imports belong to no member, and are a part of their own.
    """
    parts: dict[tuple[Owner, bool], _Part] = {}

    def part_of(owner: Owner, is_import: bool, new_line: int) -> _Part:
        """Return the part of a member, or create the missing part at `new_line`."""
        new_part = _Part(owner, new_line, is_import)
        return parts.setdefault((owner, is_import), new_part)

    owners = _owners_of_lines(hunk.removed, hunk.old_line, finder.old_owner)
    for index, text in enumerate(hunk.removed):
        is_import = finder.is_old_import(hunk.old_line + index)
        # A removed line has no number in the new text, so the hunk's line counts.
        part = part_of(owners[index], is_import, hunk.new_line)
        part.lines.append(f"-{text}")

    owners = _owners_of_lines(hunk.added, hunk.new_line, finder.new_owner)
    for index, text in enumerate(hunk.added):
        line = hunk.new_line + index
        is_import = finder.is_new_import(line)
        part = part_of(owners[index], is_import, line)
        part.lines.append(f"+{text}")
        part.added_lines.append(line)
    return list(parts.values())


def _owners_of_lines(
    texts: Sequence[str], first_line: int, owner_of: Callable[[int], Owner]
) -> list[Owner]:
    """Return the owner, such as `LlamaMLP.forward`, of each line of a hunk.

    A blank line has the owner of the line above or, at the beginning, of the first line
    that is not blank.

    Args:
        texts: The removed or the added lines of the hunk.
        first_line: Number, from 1, of the first of them in its text.
        owner_of: Returns the owner of a line by its number.
    """
    owner = UNOWNED
    for number, text in enumerate(texts, start=first_line):
        if text.strip():
            owner = owner_of(number)
            break

    owners = []
    for number, text in enumerate(texts, start=first_line):
        if text.strip():
            owner = owner_of(number)
        owners.append(owner)
    return owners


def _join_renamed_member(parts: list[_Part], finder: OriginFinder) -> list[_Part]:
    """Join the removed lines of a renamed member with its added lines.

    If a hunk removes one member of a class and adds another one, this counts as a
    renaming, such as that of `beat` to `flutter`.
    """
    lost_parts = [part for part in parts if finder.is_lost(part.owner)]
    new_parts = [part for part in parts if finder.is_new(part.owner)]
    # Among several members, it is not clear which one replaces which.
    if len(lost_parts) != 1 or len(new_parts) != 1:
        return parts
    lost, new = lost_parts[0], new_parts[0]
    if lost.owner.class_ != new.owner.class_:
        return parts
    return _join(parts, lost, new)


def _join_moved_members(parts: list[_Part], finder: OriginFinder) -> list[_Part]:
    """Join each removed member with an added one that has the same code.

    If `reset` moved from one class to another, this is one change, not two.
    """
    lost_parts = [part for part in parts if finder.is_lost(part.owner)]
    new_parts = [part for part in parts if finder.is_new(part.owner)]
    for new in new_parts:
        for lost in lost_parts:
            if lost.code("-") == new.code("+"):
                parts = _join(parts, lost, new)
                # Another added member with this code is a copy, and a change itself.
                lost_parts.remove(lost)
                break
    return parts


def _join(parts: list[_Part], lost: _Part, new: _Part) -> list[_Part]:
    """Return the parts after the lines of a lost member were added to a new one."""
    new.lines = lost.lines + new.lines
    return [part for part in parts if part is not lost]


def _merge_by_origin(parts: Iterable[_Part], finder: OriginFinder) -> list[_Part]:
    """Find the hand-written origin of each part, and merge the parts of one member.

    The changes at both ends of a long method are two parts. They are merged if the
    origin of both is the same member of the same file.
    """
    merged: dict[Key, _Part] = {}
    for part in parts:
        part.origin = finder.find(part.owner, part.line, part.added_lines)
        source_path = None
        if part.origin.place is not None:
            source_path = part.origin.place.path
        # For example: the generated member `OlmoMLP.forward`, the path of the parent
        # file, and the member `LlamaMLP.forward` in it.
        key: Key = (part.owner, source_path, part.origin.owner)
        if part.is_import:
            # Imports at different lines may be needed by different members.
            key = (*key, part.line)
        if key in merged:
            merged[key].lines += part.lines
            merged[key].added_lines += part.added_lines
        else:
            merged[key] = part
    return list(merged.values())


def _attach_dependencies(parts: Iterable[_Part], finder: OriginFinder) -> list[_Part]:
    """Attach imports and dependencies to the parts that begin or cease to use them.

    If `forward` calls `math.floor` now, the part with `import math` is attached to the
    part of `forward`, and is shown with it. If `forward` calls a new function, which
    calls `math.floor`, both the function and the import are attached to `forward`.

    Returns:
        The roots, which are the parts that are attached to no other one.
    """
    roots = []
    pending: list[_Dependency] = []
    # Imports and copied functions wait for a part that uses their names. All other parts
    # are roots.
    for part in parts:
        names = _names_for_other_code(part, finder)
        if names:
            pending.append(_Dependency(part, names))
        else:
            roots.append(part)

    users = [_User(root.words(), root) for root in roots]
    while pending:
        use = _find_use(pending, users)
        if use is not None:
            dependency, root = use
            root.dependencies.append(dependency.part)
        else:
            # No other part uses the pending ones, so one of them becomes a root. The others
            # may then be attached to this root.
            dependency = _choose_root(pending)
            root = dependency.part
            roots.append(root)
        pending.remove(dependency)
        # Whatever the dependency itself uses is attached to the same root.
        users.append(_User(dependency.part.words(), root))
    return roots


@dataclass(frozen=True, eq=False)
class _Dependency:
    """A part with imports or definitions of some names that another part may use."""

    part: _Part
    names: set[str]


class _User(NamedTuple):
    """The words of a root or of an attached part, which may use dependencies.

    Attributes:
        words: The words.
        root: The root to which the used dependencies are attached.
    """

    words: set[str]
    root: _Part


class _Use(NamedTuple):
    """A dependency, and the root to which it is attached."""

    dependency: _Dependency
    root: _Part


def _find_use(
    dependencies: Iterable[_Dependency], users: Iterable[_User]
) -> _Use | None:
    """Return the first dependency that other changed code uses, or None.

    If `forward` calls `math.floor` now, this is `import math`, which is attached to the
    part of `forward`.
    """
    for dependency in dependencies:
        for user in users:
            if not dependency.names.isdisjoint(user.words):
                return _Use(dependency, user.root)
    return None


def _choose_root(pending: Sequence[_Dependency]) -> _Dependency:
    """Return the first part whose hand-written cause is known, or else the first part."""
    for dependency in pending:
        if dependency.part.origin.place is not None:
            return dependency
    return pending[0]


def _names_for_other_code(part: _Part, finder: OriginFinder) -> set[str]:
    """Return the names that a part imports or defines because other code uses them.

    For `import math`, which is added when other code begins to call `math.floor`, this is
    `math`. The result is empty for a part that is a change in its own right.
    """
    if part.is_import:
        return _changed_names(part)
    if _is_copied_or_lost(part, finder):
        # The owner is the class `LlamaNorm` and no member, or no class and the function
        # `rotate_half`.
        return set(filter(None, part.owner))
    return set()


def _changed_names(imports: _Part) -> set[str]:
    """Return the names that changed imports have only before, or only after the change.

    From `import a, b` to `import a, c`, these are `b` and `c`.
    """
    removed_words = words("\n".join(imports.code("-")))
    added_words = words("\n".join(imports.code("+")))
    changed_words = removed_words ^ added_words
    return {word for word in changed_words if not iskeyword(word)}


def _is_copied_or_lost(part: _Part, finder: OriginFinder) -> bool:
    """Return whether a class or function came, went or moved for the sake of other code.

    The converter copies `rotate_half` from a parent file if other code calls
    `rotate_half`. Methods and other members of classes are not copied like this.
    """
    class_, member = part.owner
    is_member_of_class = class_ is not None and member is not None
    if is_member_of_class or part.owner == UNOWNED:
        return False
    # It went: other code may call it no longer.
    if finder.is_lost(part.owner):
        return True
    # It came or moved: other code may call it now, or call it earlier in the file. If only
    # some of its lines changed, other code is not the reason.
    is_copied = any(map(finder.is_dependency, part.added_lines))
    return is_copied and (finder.is_new(part.owner) or part.is_moved())


def _make_change(part: _Part, file: "FileReport", names: re.Pattern[str]) -> Change:
    """Return a part, with its dependencies, as a change of a generated file."""
    lines = list(part.lines)
    for dependency in part.dependencies:
        lines += dependency.lines
    return Change(
        path=file.path,
        modular=file.modular,
        line=part.line,
        place=part.origin.place,
        owner=part.origin.owner,
        lines=tuple(lines),
        key=_make_key(part, names),
    )


_TOKEN = re.compile(r"\w+|[^\w\s(),]")
_ANY_NAME = "\N{SECTION SIGN}"
"""Replaces the name of each model, so that the same code of two models is equal."""


def _names_pattern(names: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that finds the names of models in code in lower case.

    Underscores are optional: `my_model` is found in `my_model_layer` and `mymodellayer`.
    """
    lowered = {name.lower() for name in names}
    patterns = []
    # The longest name comes first, since `owl` would match only a part of `owl_text`.
    for name in sorted(lowered, key=lambda name: (-len(name), name)):
        patterns.append("_?".join(map(re.escape, name.split("_"))))
    return re.compile(rf"(?<![a-z0-9])(?:{'|'.join(patterns)})")


def _make_key(part: _Part, names: re.Pattern[str]) -> Key:
    """Return a key that is equal for the same change in several models.

    The key has the hand-written file and member that caused the change, if they are
    known. For moved code, this is all. Otherwise the tokens of the removed and of the
    added lines follow, without parentheses and commas, and with one sign for all names of
    models. If `?` is this sign, `-x = LlamaNorm(y)` in one model and `-x = GemmaNorm(y)`
    in another become `("-", "x", "=", "?norm", "y")`.

    Args:
        part: The change: lines of a diff, which begin with `+` or `-`.
        names: Finds the names of the model in lower case.
    """
    key: list[object] = []
    place, source_member = part.origin
    if place is not None:
        key += [place.path, source_member]
        if part.is_moved():
            # Code can move up in one model and down in another, so the diffs may differ.
            return tuple(key)
    # Adjacent lines are joined, because a longer name can break a line in two.
    for sign, lines in groupby(part.lines, key=lambda line: line[0]):
        text = "\n".join(line[1:].lower() for line in lines)
        text_without_names = names.sub(_ANY_NAME, text)
        key.append((sign, *_TOKEN.findall(text_without_names)))
    return tuple(key)
