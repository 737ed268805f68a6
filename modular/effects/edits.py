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
from typing import TYPE_CHECKING, NamedTuple

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
    """Return the changed hand-written files that models are made from.

    These are modular files, and the files that a conversion of them reads.
    """
    sources = set(modular_paths)
    for modular_path in modular_paths:
        sources.update(blamer.engine.results[modular_path].reads)
    edited = set()
    for path in sources & changed_paths:
        is_generated = blamer.project.generating_modular(path) is not None
        if path.endswith(".py") and not is_generated:
            edited.add(path)
    return edited


def find_edits(
    old_texts: Mapping[str, str], new_texts: Mapping[str, str]
) -> tuple[Edit, ...]:
    """Return the edits of hand-written files, sorted by place.

    Each changed class, method or function is an edit of its own. Those that mention a
    new or removed name, such as that of a renamed method, are one edit together.

    Args:
        old_texts: Texts of changed files before the change; empty for new files.
        new_texts: Their texts after the change; empty for deleted files.
    """
    groups: list[_Group] = []
    classes_by_name: dict[str, set[str | None]] = defaultdict(set)
    for path, new_text in sorted(new_texts.items()):
        old = modules.read(path, old_texts[path])
        new = modules.read(path, new_text)
        changed_members = list(_FileComparison(path, old, new).changed_members())

        is_new_file = not old_texts[path].strip()
        is_deleted_file = not new_text.strip()
        if not is_new_file and not is_deleted_file:
            groups += _group_renamed(changed_members)
        elif changed_members:
            # The whole file is one edit.
            groups.append(changed_members)

        for class_, name in _new_and_lost_names(old, new, changed_members):
            classes_by_name[name].add(class_)

    groups = _join_by_names(groups, classes_by_name)
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
        """Find the classes and members of a file before and after its change."""
        self._path = path
        self._old = old
        self._new = new
        self._old_owners = line_owners(old)
        self._new_owners = line_owners(new)
        # Lines outside of all definitions, such as imports, are `UNOWNED`.
        self._old_members = {UNOWNED, *self._old_owners.values()}
        self._new_members = {UNOWNED, *self._new_owners.values()}
        self._changed: dict[Owner, _ChangedMember] = {}

    def changed_members(self) -> Iterable[_ChangedMember]:
        """Return the members whose lines changed, and those that are new or lost."""
        difference = compare(self._old.code.text, self._new.code.text)
        for index, hunk in enumerate(difference.hunks):
            self._record_hunk(index, hunk)
        self._add_new_and_lost_members(line_count=len(difference.new))
        return self._changed.values()

    def _record_hunk(self, index: int, hunk: Hunk) -> None:
        """Add the lines of a hunk, except blank lines, to the members they belong to."""
        for number, text in enumerate(hunk.removed, start=hunk.old_line):
            if text.strip():
                owner = self._old_owners.get(number, UNOWNED)
                line = self._line_of_removal(hunk, owner)
                member = self._record_of(owner, line)
                member.hunks.add(index)
                member.removed.append(text)
        for number, text in enumerate(hunk.added, start=hunk.new_line):
            if text.strip():
                owner = self._new_owners.get(number, UNOWNED)
                member = self._record_of(owner, number)
                member.hunks.add(index)
                member.added.append(text)

    def _add_new_and_lost_members(self, line_count: int) -> None:
        """Add the members that only one text has, even if no line of them changed.

        If the line `class B:` is inserted above a method of `A`, the same lines are now a
        member of `B`: `A.forward` is lost, and `B.forward` is new.

        Args:
            line_count: Number of lines of the new text.
        """
        for line, owner in self._old_owners.items():
            if owner not in self._new_members:
                # A lost member is reported at a line of the new text, which can be
                # shorter.
                self._record_of(owner, min(line, line_count))
        for line, owner in self._new_owners.items():
            if owner not in self._old_members:
                self._record_of(owner, line)

    def _line_of_removal(self, hunk: Hunk, owner: Owner) -> int:
        """Return the line of the new text at which a reader looks for removed lines.

        This is the first of the lines that replace them, or else the line below them. If
        that belongs to another member, it is the line above them. From a blank line, the
        reader looks up.

        Args:
            hunk: The hunk that removes the lines.
            owner: The class and member of the removed lines.
        """
        # The first line that replaces the removed lines, or the line below them.
        line = hunk.new_line
        is_in_member = self._new_owners.get(line, UNOWNED) == owner
        if is_in_member:
            return line
        if not hunk.added:
            line -= 1
        new_lines = self._new.code.text.split("\n")
        while line > 1 and not new_lines[line - 1].strip():
            line -= 1
        return max(1, line)

    def _record_of(self, owner: Owner, line: int) -> _ChangedMember:
        """Return the record of a changed member. The first call for a member creates it.

        Args:
            owner: The class and member.
            line: Its first changed line, for a new record.
        """
        if owner not in self._changed:
            self._changed[owner] = _ChangedMember(
                source=SourceOwner(self._path, owner),
                line=line,
                is_new=owner not in self._old_members,
                is_lost=owner not in self._new_members,
            )
        return self._changed[owner]


class _Name(NamedTuple):
    """A name in a class; in the module itself if the class is None."""

    class_: str | None
    name: str


def _new_and_lost_names(
    old: Module, new: Module, changed: Iterable[_ChangedMember]
) -> set[_Name]:
    """Return the names of definitions and attributes that only one of two texts has.

    If `self.w = 1` of class `A` becomes `self.v = 1`, these are `A.w` and `A.v`.

    Args:
        old: The file before its change.
        new: The file after its change.
        changed: The members whose lines changed, and those that are new or lost.
    """
    names: set[_Name] = set()
    for member in changed:
        class_, name = member.source.owner
        if member.is_new or member.is_lost:
            if name is not None:
                names.add(_Name(class_, name))
            elif class_ is not None:
                # The name of a class is a name of the module.
                names.add(_Name(None, class_))
        if class_ is not None:
            for attribute in _attributes(old, class_) ^ _attributes(new, class_):
                names.add(_Name(class_, attribute))
    return {name for name in names if not _is_special(name.name)}


def _is_special(name: str) -> bool:
    """Return whether a name begins like `__init__`.

    All classes have such names, so one that comes or goes connects no other changes.
    """
    return name.startswith("__")


def _attributes(module: Module, class_: str) -> set[str]:
    """Return the attributes that the methods of a class set on their instance."""
    for statement in module.block.statements:
        if statement.kind is Kind.CLASS and statement.name == class_:
            with suppress(UnreadableError):
                return set(model_class(statement).attributes)
    return set()


def _group_renamed(changed: Iterable[_ChangedMember]) -> list[_Group]:
    """Return a group for each changed member, and for a renamed one with its old name.

    A member was probably renamed if the hunk of the diff that removes it has one new
    member: if `def grow(self)` is replaced by `def enlarge(self)`, both are a group.
    """
    groups: list[_Group] = []
    for member in changed:
        replaced_groups = []
        for group in groups:
            if _is_renamed(group[0], member):
                replaced_groups.append(group)
        # Among several members, it is not clear which of them replaces which.
        if len(replaced_groups) == 1 and len(replaced_groups[0]) == 1:
            replaced_groups[0].append(member)
        else:
            groups.append([member])
    return groups


def _is_renamed(old: _ChangedMember, new: _ChangedMember) -> bool:
    """Return whether the hunk that removes a member adds another to the same class."""
    is_same_class = old.source.owner.class_ == new.source.owner.class_
    has_common_hunk = not old.hunks.isdisjoint(new.hunks)
    return old.is_lost and new.is_new and is_same_class and has_common_hunk


def _join_by_names(
    groups: Iterable[_Group], classes_by_name: Mapping[str, AbstractSet[str | None]]
) -> list[_Group]:
    """Join groups of changed members that mention a new or lost name.

    If `grow` is a new method of `A`, and `A.forward` now calls `grow`, both members are
    joined. Imports connect no members, because a line can import for several of them.

    Args:
        groups: The groups.
        classes_by_name: The new and lost names, each with the classes that get or lose
            it.
    """
    joined = list(groups)
    for name, classes in sorted(classes_by_name.items()):
        # If several classes have the name, each means its own attribute or method.
        is_ambiguous = len(classes) > 1
        for class_ in classes:
            mentioning = []
            for group in joined:
                members = _members_of_class(group, class_) if is_ambiguous else group
                if _mention(members, name):
                    mentioning.append(group)
            # The first group that mentions the name absorbs the others.
            for group in mentioning[1:]:
                mentioning[0].extend(group)
                joined.remove(group)
    return joined


def _members_of_class(group: _Group, class_: str | None) -> _Group:
    """Return the members of a class in a group; None stands for the module itself."""
    return [member for member in group if member.source.owner.class_ == class_]


def _mention(members: Iterable[_ChangedMember], name: str) -> bool:
    """Return whether the changed lines of members, except imports, have a name."""
    for member in members:
        if member.source.owner != UNOWNED and member.mentions(name):
            return True
    return False


def _attach_imports(groups: Iterable[_Group]) -> list[_Group]:
    """Attach changed imports to the first edit of their file that uses the names.

    Imports whose names no edit uses remain an edit of their own.

    Args:
        groups: A group of changed members for each edit. Changed imports are one group
            for each file.
    """
    edits: list[_Group] = []
    changed_imports: list[_ChangedMember] = []
    for group in groups:
        is_import = len(group) == 1 and group[0].source.owner == UNOWNED
        if is_import:
            changed_imports.append(group[0])
        else:
            edits.append(group)

    for imports in changed_imports:
        using_edit = _find_using_group(imports, edits)
        if using_edit is not None:
            using_edit.append(imports)
        else:
            edits.append([imports])
    return edits


def _find_using_group(
    imports: _ChangedMember, groups: Iterable[_Group]
) -> _Group | None:
    """Return the first group of the same file that mentions a name of changed imports.

    Args:
        imports: The changed imports.
        groups: Groups of changed members, each of which is one edit.
    """
    names = imports.changed_words()
    for group in groups:
        if group[0].source.path != imports.source.path:
            continue
        for member in group:
            if any(member.mentions(name) for name in names):
                return group
    return None


def _make_edit(group: _Group) -> Edit:
    """Return the edit of some members, which has the place of its most telling member."""
    names = set()
    for member in group:
        name = member.source.owner.member
        comes_or_goes = member.is_new or member.is_lost
        if comes_or_goes and name and not _is_special(name):
            names.add(name)
    most_telling = min(group, key=_rank)
    return Edit(
        place=Place(most_telling.source.path, most_telling.line),
        owner=most_telling.source.owner,
        members=frozenset(member.source for member in group),
        names=frozenset(names),
    )


def _rank(member: _ChangedMember) -> tuple[int, str, int]:
    """Return a sort key that puts the most telling changed member first.

    A new member tells most, then a lost one, then a changed one, and imports least.
    """
    path, owner = member.source
    if member.is_new:
        rank = 0
    elif member.is_lost:
        rank = 1
    elif owner != UNOWNED:
        rank = 2
    else:
        rank = 3
    return rank, path, member.line
