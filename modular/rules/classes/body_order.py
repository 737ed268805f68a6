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
from modular.source.source_slice import words
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
        """The words that Python may read while it runs the body of the class.

        For `size: int = step * 2` these are `int` and `step`, but not the assigned name
        `size`. For a method they are the words of its decorators and its header, because
        its body runs only when the method is called.
        """
        statement = self.statement
        # The body of a nested class does not see the members of the outer class.
        if statement.is_definition:
            view = view_definition(statement)
            return view.decorators.words() | view.header.words()
        if statement.kind is Kind.ASSIGNMENT:
            mask = statement.bare_code.mask
            name_end = mask.index(statement.name) + len(statement.name)
            return words(mask[name_end:])
        return statement.words


@dataclass(frozen=True)
class Slot:
    """A place in the body of a generated class, for one member.

    Attributes:
        parent: The member of the parent class; None if it has none there.
        child: The member of the modular class that replaces or follows it, or None.
        is_overridden_elsewhere: Whether another slot has the override of the parent's
            method. If the parent's method is copied under a private name, the copy comes
            here, where the default value in `def f(self, n=size)` is the parent's.
    """

    parent: Member | None
    child: Member | None = None
    is_overridden_elsewhere: bool = False


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
        readers_of_parent_names: The members of the modular class that read a name of
            the parent's body while the class body runs. In Python, this name is a
            variable of the module, but in the generated body it would be the member.
        impossible_removals: The removals of members that the parent's body reads.
    """

    def __init__(self, parent: Sequence[Member], child: Sequence[Member]) -> None:
        """Merge the members of a parent class and those of the modular class.

        `size = 8` in the modular class (the child) takes the place of `size = 4` in its
        parent, unless one of the bodies reads `size` while it runs.
        """
        self._parent = parent
        self._child = child
        self._parent_names = {member.name for member in parent} - {""}
        self._child_names = {member.name for member in child} - {""}
        self._properties_to_extend = self._find_properties_to_extend()
        self._names_read_by_parent = self._find_names_read_by_parent()
        names_in_child_order: set[str] = set()
        self.readers_of_parent_names: list[Member] = []
        for member in child:
            read = self._names_read_by_child(member)
            # If the child has `area = size * size`, its `size` must stay above `area`.
            if read:
                names_in_child_order |= {member.name, *read}
            names_only_in_parent = read - self._child_names
            if names_only_in_parent:
                self.readers_of_parent_names.append(member)
        # The child's members with these names come at the end of the body, in order.
        self._names_at_end = self._names_read_by_parent | names_in_child_order
        self.slots = self._merge()
        self.impossible_removals = [
            member
            for member in child
            if is_removed(member) and member.name in self._names_read_by_parent
        ]

    def _find_properties_to_extend(self) -> set[str]:
        """Return the parent's properties to which the child adds only an accessor.

        The accessor, such as `@Parent.size.setter`, is then the child's first member
        with the name. Otherwise the child defines the whole property `size`.
        """
        extended = set()
        first_members = {member.name: member for member in reversed(self._child)}
        for member in first_members.values():
            if member.is_method and is_accessor(member.key):
                extended.add(member.name)
        return extended & self._parent_names

    def _find_names_read_by_parent(self) -> set[str]:
        """Return the child's names that the parent's body reads while it runs.

        If the parent has `size = 4` and `area = size * size`, and the child `size = 8`,
        this is `size`. A member that reads only its own name does not count, such as
        the setter with the decorator `@size.setter`.
        """
        names: set[str] = set()
        for member in self._parent:
            names |= self._names_read(member, self._child_names - {member.name})
        return names

    def _names_read_by_child(self, member: Member) -> set[str]:
        """Return the names of both classes that a child's member reads in the body."""
        names = self._child_names | self._parent_names
        is_accessor_or_overload = member.key != member.name
        if is_accessor_or_overload:
            # `@size.setter` reads the property, but both have the same name and move
            # together.
            names = names - {member.name}
        return self._names_read(member, names)

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
        """Return the slots of the merged body: the parent's, and those of new members.

        The parent's `a = 1; b = 2` and the child's `a = 3; c = 4` give `a = 3`, `b = 2`
        and `c = 4`.
        """
        replacements = self._find_replacements()
        # The first member with each key: it overwrites the later ones in this order.
        parent_by_key = {member.key: member for member in reversed(self._parent)}
        slots = []
        for member in self._parent:
            if self._is_kept(member):
                slots.append(Slot(member))
            elif member.is_method and member.key not in replacements:
                # At most a copy under a private name is written here, for `super()`.
                slots.append(Slot(member, is_overridden_elsewhere=True))
            # `pop`, because only the first of the parent's members with a key is replaced.
            for child in replacements.pop(member.key, []):
                slots.append(Slot(parent_by_key.get(child.key), child))

        placed = {slot.child for slot in slots}
        attributes_end = _find_end_of_attributes(slots)
        for child in self._child:
            if child in placed:
                continue
            if self._can_follow_attributes(child):
                slots.insert(attributes_end, Slot(None, child))
                attributes_end += 1
            else:
                slots.append(Slot(None, child))
        return slots

    def _is_kept(self, member: Member) -> bool:
        """Whether a member of the parent class stays as it is.

        It does if the child has no member with its name, or if the parent's body reads
        it. If the child adds only a setter to a property, its getter stays, too.
        """
        if member.name not in self._child_names:
            return True
        if member.name in self._names_read_by_parent:
            return True
        is_overridden = any(child.key == member.key for child in self._child)
        return member.name in self._properties_to_extend and not is_overridden

    def _find_replacements(self) -> dict[str, list[Member]]:
        """Return the child's members that are written in place of parent's members.

        `size = 8` is written in place of `size = 4`. A property with its setter is
        written in place of the parent's property, whose own setter is dropped.

        Returns:
            The child's members by the key of the parent's member that is in that place.
            The key is the member's name, or `size.setter` for a setter.
        """
        replacements: dict[str, list[Member]] = {}
        shared_names = self._child_names & self._parent_names
        for name in shared_names - self._names_at_end:
            in_child = [member for member in self._child if member.name == name]
            in_parent = [member for member in self._parent if member.name == name]
            # If the child has `size = 1` and then `size = 2`, both come at the end.
            is_repeated = len({member.key for member in in_child}) < len(in_child)
            if is_repeated:
                continue
            if name not in self._properties_to_extend:
                replacements[in_parent[0].key] = in_child
                continue
            # `@Parent.size.setter` replaces the parent's setter. If the parent has none,
            # it follows the last member of the property.
            parent_keys = [member.key for member in in_parent]
            for member in in_child:
                place = member.key if member.key in parent_keys else parent_keys[-1]
                replacements.setdefault(place, []).append(member)
        return replacements

    def _can_follow_attributes(self, member: Member) -> bool:
        """Whether a child's member can come below the last attribute of the parent.

        New attributes can, if no statement reads them while the class body runs.
        """
        is_new = member.name not in self._parent_names
        return is_new and member.is_attribute and member.name not in self._names_at_end


def _find_end_of_attributes(slots: Sequence[Slot]) -> int:
    """Return the index after the last attribute; 0 if there is none.

    New attributes go there. They stay above the first block, such as `if`, so attributes
    below a block do not count.
    """
    end = 0
    for index, slot in enumerate(slots):
        member = slot.child or slot.parent
        assert member is not None, "a slot is not empty"
        is_block = not member.name
        if is_block:
            break
        if member.is_attribute:
            end = index + 1
    return end


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
