"""With `inheritance = "python"`, a class has all statements of its parent's body.

This rule is for projects with the setting `inheritance = "python"`. Python runs the
body of the parent class first, and then that of its child. The body of the generated
class gives the same result:

- **The parent's statements keep their order,** nested classes and `if` included.
- **A member of the modular class takes the place of the parent's member** of the same
  name: a method, an attribute or a nested class. A property is replaced with its setter
  and deleter, unless the modular class writes only `@LlamaModel.size.setter`.
- **Other members are added:** attributes below the last attribute of the parent, and
  all others at the end.
- **If the body of a class reads a member while it runs,** as in `limit = 2 * size`, that
  member keeps its value there. The modular class's member is then added at the end.
- **`name: type` without a value keeps the parent's value.**
- **`name = AttributeError()` removes the parent's member.** That is the only removal:
  an override that raises an error does just that.
- **A method has only its own decorators,** and is `async` only if it says so.

Settings `pyproject.toml`:

```toml
[tool.modular]
inheritance = "python"
```

Parent `models/llama/modeling_llama.py`:

```python
class LlamaModel:
    size = 4
    limit = 2 * size
    dropout = 0.1

    class Output:
        loss = None

    def prune(self, heads):
        self.heads -= heads
```

Modular `models/my_model/modular_my_model.py`:

```python
from ..llama.modeling_llama import LlamaModel


class MyModel(LlamaModel):
    size = 8
    dropout: float
    rate = 0.5

    def prune(self, heads):
        raise NotImplementedError("not needed")
```

Output `models/my_model/modeling_my_model.py`:

```python
class MyModel:
    size = 4
    limit = 2 * size
    dropout: float = 0.1
    rate = 0.5

    class Output:
        loss = None

    def prune(self, heads):
        raise NotImplementedError("not needed")

    size = 8
```
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from modular.rules.classes.class_attributes import is_removal, target_text
from modular.rules.classes.methods import is_accessor, method_keys
from modular.source.assignments import assigned_target, assigned_value
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.reads import names_read_at_once
from modular.source.trees import node_text, statement_tree


@dataclass(frozen=True, eq=False)
class Member:
    """A statement of a class body.

    Attributes:
        key: The method's key, such as `size.setter`, or the name of an attribute or a
            nested class; empty for other statements.
        name: The key without `.setter` and the like.
        statement: The statement.
    """

    key: str
    name: str
    statement: Statement

    @property
    def is_attribute(self) -> bool:
        """Whether it is an assignment."""
        return bool(self.name) and not self.statement.is_definition

    @property
    def is_method(self) -> bool:
        """Whether it is a method."""
        return self.statement.kind is Kind.FUNCTION

    @cached_property
    def read_words(self) -> Set[str]:
        """The words that Python may read while the body of the class runs."""
        statement = self.statement
        if statement.is_definition:
            view = view_definition(statement)
            return view.decorators.words() | view.header.words()
        if statement.kind is Kind.ASSIGNMENT:
            # Its own name is assigned, and usually not read.
            return statement.words - ({self.name} - _value_words(statement))
        return statement.words


@dataclass(frozen=True)
class Slot:
    """A place in the body of a generated class.

    Attributes:
        parent: The member of the parent class; None if it has none there.
        child: The member of the modular class that replaces or follows it, or None.
        is_overridden: Whether another slot has the override of the parent's method. A
            kept copy of the method belongs here, where its default values are right.
    """

    parent: Member | None
    child: Member | None = None
    is_overridden: bool = False


def find_members(statements: Sequence[Statement]) -> list[Member]:
    """Return the statements of a class body, without docstrings and `pass`."""
    keys = method_keys(statements)
    members = []
    for statement in statements:
        if statement.kind is Kind.STRING or statement.does_nothing:
            continue
        key = keys.get(statement) or target_text(statement)
        if statement.kind is Kind.CLASS:
            key = statement.name
        # The key of a method may have a suffix: `size.setter` for the name `size`.
        name = statement.name if statement.kind is Kind.FUNCTION else key
        members.append(Member(key, name, statement))
    return members


class BodyMerge:
    """Merges the members of a class into those of its parent class.

    Attributes:
        slots: The places of the generated body in their order.
        unclear: The members of the modular class that would read a member of the parent
            while the body of the class runs. In Python, they read a variable of the
            module instead.
        undeletable: The removals of members that the parent's body reads.
    """

    def __init__(self, parent: Sequence[Member], child: Sequence[Member]) -> None:
        """Merge the members of a parent class and those of the modular class."""
        self.unclear: list[Member] = []
        self._parent = parent
        self._child = child
        self._parent_names = {member.name for member in parent} - {""}
        self._child_names = {member.name for member in child} - {""}
        # The parent's properties to which the child adds an accessor.
        self._extended = self._find_extended()
        # Names for which the parent's body must have its own value.
        self._pinned = self._find_pinned()
        # Names that must keep their order in the child's body. This also fills `unclear`.
        self._ordered = self._find_ordered()
        self.slots = self._merge()
        self.undeletable = [
            member
            for member in child
            if is_removed(member) and member.name in self._pinned
        ]

    def _find_extended(self) -> set[str]:
        """Return the parent's properties to which the child adds only an accessor.

        The accessor, such as `@Parent.size.setter`, is then the child's first member
        with the name. Otherwise the child defines the whole property `size`.
        """
        extended = set()
        first_members: dict[str, Member] = {}
        for member in self._child:
            first_members.setdefault(member.name, member)
        for member in first_members.values():
            if member.is_method and is_accessor(member.key):
                extended.add(member.name)
        return extended & self._parent_names

    def _find_pinned(self) -> set[str]:
        """Return the child's names that the parent's body reads while it runs.

        In `size = 8` and `area = size * size`, the second statement needs the parent's
        `size`. So this member is kept, and that of the child comes below both.
        """
        pinned = set()
        for member in self._parent:
            for name in self._names_read(member, self._child_names):
                if name != member.name:
                    pinned.add(name)
        return pinned

    def _names_read(self, member: Member, names: set[str]) -> set[str]:
        """Return those of some names that a member reads while the class body runs."""
        likely = names & member.read_words
        if not likely:
            return set()
        if not member.name:
            # A block, such as `if`, may read and define any of the names.
            return likely
        tree = statement_tree(member.statement)
        return likely & {*names_read_at_once(tree)}

    def _merge(self) -> list[Slot]:
        """Return the places of the merged body: the parent's, and those of new members."""
        replacements = self._find_replacements()
        slots = []
        for member in self._parent:
            if self._is_kept(member):
                slots.append(Slot(member))
            # The override comes later, but a kept copy of the method belongs here.
            elif member.is_method and member.key not in replacements:
                slots.append(Slot(member, is_overridden=True))
            # Of several parent's members with one key, the first is the place.
            for child in replacements.pop(member.key, []):
                slots.append(Slot(self._overridden(child), child))
        placed = {slot.child for slot in slots}
        self._add_new(slots, [item for item in self._child if item not in placed])
        return slots

    def _is_kept(self, member: Member) -> bool:
        """Whether a member of the parent class stays as it is."""
        if member.name not in self._child_names or member.name in self._pinned:
            return True
        return member.name in self._extended and not self._has_key(member.key)

    def _overridden(self, child: Member) -> Member | None:
        """Return the parent's member that a child's member replaces, or None."""
        for member in self._parent:
            if member.key == child.key:
                return member
        return None

    def _has_key(self, key: str) -> bool:
        return any(member.key == key for member in self._child)

    def _find_replacements(self) -> dict[str, list[Member]]:
        """Return the child's members that take the places of parent's members.

        Returns:
            The child's members by the key of the parent's member in that place.
        """
        replacements: dict[str, list[Member]] = {}
        for name in self._child_names & self._parent_names:
            if name in self._pinned or name in self._ordered:
                continue
            group = [member for member in self._child if member.name == name]
            # Of `size = 1` and `size = 2` in the child, the second must stay the last.
            if len({member.key for member in group}) < len(group):
                continue
            places = [member for member in self._parent if member.name == name]
            # An accessor takes the place of the same accessor, or follows the last one.
            if name in self._extended:
                keys = {member.key for member in places}
                for member in group:
                    place = member.key if member.key in keys else places[-1].key
                    replacements.setdefault(place, []).append(member)
            else:
                replacements[places[0].key] = group
        return replacements

    def _find_ordered(self) -> set[str]:
        """Return the child's names whose members must keep the order of its body.

        These are the names that the body reads while it runs, and those of the members
        that read them. Members that read a name of the parent alone are unclear.
        """
        ordered = set()
        for member in self._child:
            names = self._child_names | self._parent_names
            read = self._names_read(member, names)
            if member.key != member.name:
                # `@size.setter` reads the property above it.
                read.discard(member.name)
            if not read:
                continue
            ordered |= read & self._child_names
            ordered.add(member.name)
            if read - self._child_names:
                self.unclear.append(member)
        return ordered

    def _add_new(self, slots: list[Slot], new: Sequence[Member]) -> None:
        """Add the child's other members: attributes to the attributes, others last."""
        # New attributes come below the last attribute above all blocks, such as `if`.
        position = 0
        for index, slot in enumerate(slots):
            member = slot.child or slot.parent
            if slot.is_overridden:
                continue
            if member is not None and member.is_attribute:
                position = index + 1
            elif member is not None and not member.name:
                break
        for member in new:
            is_free = (
                member.is_attribute
                and member.name not in self._ordered
                and member.name not in self._parent_names
                and not self._is_read_by_parent(member.name)
            )
            if is_free:
                slots.insert(position, Slot(None, member))
                position += 1
            else:
                slots.append(Slot(None, member))

    def _is_read_by_parent(self, name: str) -> bool:
        return any(self._names_read(member, {name}) for member in self._parent)


def _value_words(statement: Statement) -> set[str]:
    """Return the words behind the first `=` or `:` of an assignment."""
    mask = statement.bare_code.mask
    name_end = mask.index(statement.name) + len(statement.name)
    return statement.bare_code.cut(name_end).words()


def inherits_value(child: Statement, parent: Statement) -> bool:
    """Whether an attribute is `name: type`, and the parent's has a value."""
    target = assigned_target(child)
    is_annotation = target is not None and target.annotated
    if not is_annotation or assigned_value(child) is not None:
        return False
    return assigned_value(parent) is not None


def with_inherited_value(child: Statement, parent: Statement) -> Statement:
    """Return `name: type = value` for `name: type`, with the value of the parent."""
    value = assigned_value(parent)
    assert value is not None, "the parent's attribute has a value"
    match statement_tree(child).node:
        case cst.SimpleStatementLine(body=[cst.AnnAssign() as annotation]):
            # A semicolon after the annotation would come before the value.
            text = node_text(annotation.with_changes(semicolon=_NO_SEMICOLON))
            code = child.with_bare_code(f"{text} = {node_text(value)}")
            return Statement(code, child.start, child.kind, child.name)
    raise ValueError("the statement is not an annotation")


_NO_SEMICOLON = cst.MaybeSentinel.DEFAULT


def is_removed(member: Member) -> bool:
    """Whether a member of the modular class removes that of the parent class."""
    return member.is_attribute and is_removal(member.statement)
