"""Finds the edits of hand-written files. One edit is one cause of generated changes.

Changed members are one edit if they mention a name that comes or goes: a method that is
renamed, and the method that calls it, change together.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field
from keyword import iskeyword
from typing import TYPE_CHECKING

from modular.git.repository import GitError, changed_since, read_texts_at
from modular.provenance.outline import UNOWNED, Owner, SourceOwner, line_owners
from modular.semantics.classes import model_class
from modular.source import module as modules
from modular.source.blocks import Kind
from modular.source.diagnostics import Place
from modular.source.diffs import Hunk, compare
from modular.source.module import Module
from modular.source.source_slice import words
from modular.source.unreadable import UnreadableError


if TYPE_CHECKING:
    from modular.provenance.blame import Blamer


@dataclass(frozen=True)
class Edit:
    """A change of hand-written code.

    Attributes:
        place: Its first line; of a renamed or new member, the line of that.
        owner: The class and member at this place.
        members: All classes and members that it changes.
        names: The names of members that come or go with it.
    """

    place: Place | None
    owner: Owner
    members: frozenset[SourceOwner]
    names: frozenset[str] = frozenset()


def find_edits_since(
    blamer: "Blamer", commit: str, modular_paths: Iterable[str]
) -> tuple[Edit, ...]:
    """Return the edits since a commit of the hand-written files that models read.

    Args:
        blamer: Blamer whose engine has converted the models.
        commit: Name of the commit.
        modular_paths: Paths of the modular files.

    Returns:
        The edits, sorted by place; none if git cannot read the commit.
    """
    root = blamer.project.root
    try:
        changed_paths = set(changed_since(root, commit))
        sources = edited_sources(blamer, changed_paths, modular_paths)
        old_texts = read_texts_at(root, commit, sources)
    except GitError:
        return ()
    # A new file is as a whole the origin of what is generated from it.
    new_texts = {path: blamer.engine.source(path) for path in old_texts}
    return find_edits(old_texts, new_texts)


def edited_sources(
    blamer: "Blamer", changed_paths: AbstractSet[str], modular_paths: Iterable[str]
) -> set[str]:
    """Return the changed hand-written files that models are made from."""
    sources = set(modular_paths)
    for modular_path in modular_paths:
        sources.update(blamer.engine.results[modular_path].reads)
    edited = set()
    for path in sources & changed_paths:
        if blamer.project.generating_modular(path) is None and path.endswith(".py"):
            edited.add(path)
    return edited


def find_edits(
    old_texts: Mapping[str, str], new_texts: Mapping[str, str]
) -> tuple[Edit, ...]:
    """Return the edits of hand-written files, sorted by place.

    Args:
        old_texts: Texts of changed files before the change; empty for new files.
        new_texts: Their texts after the change; empty for deleted files.
    """
    groups: list[_Group] = []
    names: dict[str, set[str | None]] = defaultdict(set)
    for path, new_text in sorted(new_texts.items()):
        old = modules.read(path, old_texts[path])
        new = modules.read(path, new_text)
        changed = list(_FileComparison(path, old, new).changed_members())
        for class_, name in _names_that_come_or_go(old, new, changed):
            names[name or ""].add(class_)
        is_whole_file = not old_texts[path].strip() or not new_text.strip()
        groups += [changed] if is_whole_file else _join_renamed(changed)

    groups = _join_by_names(filter(None, groups), names)
    edits = [_make_edit(group) for group in _attach_imports(groups)]
    return tuple(sorted(edits, key=lambda edit: edit.place or Place("")))


@dataclass(eq=False)
class _ChangedMember:
    """The changed lines of a class or member.

    Attributes:
        source: The class and member.
        line: Number, from 1, of the first changed line in the new text.
        is_new: Whether only the new text has the member.
        is_lost: Whether only the old text has the member.
        removed: The removed lines.
        added: The added lines.
        hunks: The numbers of the hunks that have these lines.
    """

    source: SourceOwner
    line: int
    is_new: bool
    is_lost: bool
    removed: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    hunks: set[int] = field(default_factory=set)

    def mentions(self, name: str) -> bool:
        """Return whether the changed lines have a name."""
        return name in words("\n".join([*self.removed, *self.added]))

    def changed_words(self) -> set[str]:
        """Return the identifiers that only the removed or only the added lines have."""
        changed = words("\n".join(self.removed)) ^ words("\n".join(self.added))
        return {word for word in changed if not iskeyword(word)}


_Group = list[_ChangedMember]
"""The members that one edit changes."""


class _FileComparison:
    """Finds the changed classes and members of a file."""

    def __init__(self, path: str, old: Module, new: Module) -> None:
        self._path = path
        self._old = old
        self._new = new
        self._old_owners = line_owners(old)
        self._new_owners = line_owners(new)
        self._old_members = {UNOWNED, *self._old_owners.values()}
        self._new_members = {UNOWNED, *self._new_owners.values()}
        self._changed: dict[Owner, _ChangedMember] = {}

    def changed_members(self) -> Iterable[_ChangedMember]:
        """Return the members whose lines changed, and those that are new or lost."""
        difference = compare(self._old.code.text, self._new.code.text)
        for index, hunk in enumerate(difference.hunks):
            for number, text in enumerate(hunk.removed, hunk.old_line):
                if text.strip():
                    owner = self._old_owners.get(number, UNOWNED)
                    line = self._line_of_removal(hunk, owner)
                    self._member(owner, line, index).removed.append(text)
            for number, text in enumerate(hunk.added, hunk.new_line):
                if text.strip():
                    owner = self._new_owners.get(number, UNOWNED)
                    self._member(owner, number, index).added.append(text)
        self._add_new_and_lost_members(line_count=len(difference.new))
        return self._changed.values()

    def _add_new_and_lost_members(self, line_count: int) -> None:
        """Add members whose lines are equal in both texts, but moved to another class."""
        for line, owner in self._old_owners.items():
            if owner not in self._new_members:
                self._member(owner, min(line, line_count))
        for line, owner in self._new_owners.items():
            if owner not in self._old_members:
                self._member(owner, line)

    def _line_of_removal(self, hunk: Hunk, owner: Owner) -> int:
        """Return the line at which a reader looks for removed lines of a member.

        It is the next line of the member, the first of the lines that replace others, or
        the line above the gap.
        """
        line = hunk.new_line
        if self._new_owners.get(line, UNOWNED) == owner:
            return line
        if not hunk.added:
            line -= 1
        new_lines = self._new.code.text.split("\n")
        while line > 1 and not new_lines[line - 1].strip():
            line -= 1
        return max(1, line)

    def _member(
        self, owner: Owner, line: int, hunk: int | None = None
    ) -> _ChangedMember:
        """Return the record of a changed member, with a hunk added to it."""
        new_member = _ChangedMember(
            source=SourceOwner(self._path, owner),
            line=line,
            is_new=owner not in self._old_members,
            is_lost=owner not in self._new_members,
        )
        member = self._changed.setdefault(owner, new_member)
        if hunk is not None:
            member.hunks.add(hunk)
        return member


def _names_that_come_or_go(
    old: Module, new: Module, changed: Iterable[_ChangedMember]
) -> set[Owner]:
    """Return the definitions and attributes that only one of two texts has.

    Each has its class, or None if it is a name of the module.
    """
    names: set[Owner] = set()
    for member in changed:
        class_, name = member.source.owner
        if member.is_new or member.is_lost:
            names.add(Owner(None, class_) if name is None else Owner(class_, name))
        if class_ is not None:
            for attribute in _attributes(old, class_) ^ _attributes(new, class_):
                names.add(Owner(class_, attribute))
    # All classes have special methods, so they connect nothing.
    return {owner for owner in names if not (owner.member or "__").startswith("__")}


def _attributes(module: Module, class_: str) -> set[str]:
    """Return the attributes that the methods of a class set on their instance."""
    for statement in module.block.statements:
        if statement.kind is Kind.CLASS and statement.name == class_:
            with suppress(UnreadableError):
                return set(model_class(statement).attributes)
    return set()


def _join_renamed(changed: Iterable[_ChangedMember]) -> list[_Group]:
    """Return a group for each member; a renamed one is with its older name.

    A member counts as renamed if the hunk in which it is lost has one new member.
    """
    groups: list[_Group] = []
    for member in changed:
        replaced = []
        for group in groups:
            other = group[0]
            is_same_class = other.source.owner.class_ == member.source.owner.class_
            is_replacement = other.is_lost and member.is_new and is_same_class
            if is_replacement and not other.hunks.isdisjoint(member.hunks):
                replaced.append(group)
        # Among several members, it is not clear which one replaces which.
        if len(replaced) == 1 and len(replaced[0]) == 1:
            replaced[0].append(member)
        else:
            groups.append([member])
    return groups


def _join_by_names(
    groups: Iterable[_Group], names: Mapping[str, AbstractSet[str | None]]
) -> list[_Group]:
    """Join groups of changed members that mention a name that comes or goes.

    Imports connect no others, because one line can import for several of them.

    Args:
        groups: The groups.
        names: The names, each with the classes that get or lose it.
    """
    joined = list(groups)
    for name, classes in sorted(names.items()):
        for class_ in classes:
            mentioning = []
            for group in joined:
                for member in group:
                    owner = member.source.owner
                    # If two classes get or lose the name, each means its own.
                    is_meant = len(classes) == 1 or owner.class_ == class_
                    if owner != UNOWNED and is_meant and member.mentions(name):
                        mentioning.append(group)
                        break
            for group in mentioning[1:]:
                mentioning[0].extend(group)
                joined.remove(group)
    return joined


def _attach_imports(groups: Iterable[_Group]) -> list[_Group]:
    """Attach changed imports to the first edit of their file that uses the names."""
    joined: list[_Group] = []
    imports: list[_Group] = []
    for group in groups:
        is_import = len(group) == 1 and group[0].source.owner == UNOWNED
        (imports if is_import else joined).append(group)
    for group in imports:
        path = group[0].source.path
        names = group[0].changed_words()
        for other in joined:
            is_used = any(member.mentions(name) for member in other for name in names)
            if is_used and other[0].source.path == path:
                other += group
                break
        else:
            joined.append(group)
    return joined


def _make_edit(group: _Group) -> Edit:
    """Return an edit, which stands at its first new, lost or changed member."""

    def rank(member: _ChangedMember) -> tuple[bool, bool, bool, str, int]:
        path, owner = member.source
        is_import = owner == UNOWNED
        return is_import, not member.is_new, not member.is_lost, path, member.line

    names = set()
    for member in group:
        name = member.source.owner.member
        # All classes have special methods, so their names say nothing.
        if name and not name.startswith("__") and (member.is_new or member.is_lost):
            names.add(name)
    first = min(group, key=rank)
    return Edit(
        place=Place(first.source.path, first.line),
        owner=first.source.owner,
        members=frozenset(member.source for member in group),
        names=frozenset(names),
    )
