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

from collections.abc import Mapping, Sequence, Set
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
        parent: The member of the parent class; None if it has none with this key.
        child: The member of the modular class that replaces it or is new, or None.
        is_overridden: Whether the parent's method is not written here, because another
            slot has its override. If the method is copied under a private name, the copy
            comes here, where the default value in `def f(self, n=size)` is the parent's.
    """

    parent: Member | None
    child: Member | None = None
    is_overridden: bool = False


def find_members(statements: Sequence[Statement]) -> list[Member]:
    """Return the statements of a class body, without docstrings and `pass`."""
    key_of_method = method_keys(statements)
    members = []
    for statement in statements:
        if statement.kind is Kind.STRING or statement.does_nothing:
            continue
        if statement.kind is Kind.FUNCTION:
            # The setter of `size` has the key `size.setter` and the name `size`.
            key = key_of_method[statement]
            members.append(Member(key, statement.name, statement))
        elif statement.kind is Kind.CLASS:
            members.append(Member(statement.name, statement.name, statement))
        else:
            # It is `size` for `size = 4`, and empty for an `if`.
            target = target_text(statement)
            members.append(Member(target, target, statement))
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
        """Merge the members of the modular class (the child) into those of its parent.

        `size = 8` in the child is written in place of the parent's `size = 4`. But if a
        statement of the class body reads `size`, such as `area = size * size`, the
        child's `size = 8` is added at the end.
        """
        self._parent = parent
        self._child = child
        self._parent_names = {member.name for member in parent} - {""}
        self._child_names = {member.name for member in child} - {""}
        self._inherited_members = _find_inherited_members(parent)
        self._properties_to_extend = self._find_properties_to_extend()
        self._names_read_by_parent = self._find_names_read_by_parent()
        names_read = {member: self._names_read_by_child(member) for member in child}
        self._names_at_end = self._find_names_at_end(names_read)
        self.slots = self._merge()
        self.readers_of_parent_names = [
            member for member in child if names_read[member] - self._child_names
        ]
        self.impossible_removals = [
            member
            for member in child
            if is_removed(member) and member.name in self._names_read_by_parent
        ]

    def _find_properties_to_extend(self) -> set[str]:
        """Return the parent's properties to which the child adds only an accessor.

        If the child's first member `size` is an accessor, such as `@Parent.size.setter`,
        it extends the parent's property. If it has the decorator `@property`, the child
        defines all of the property.
        """
        first_members: dict[str, Member] = {}
        for member in self._child:
            first_members.setdefault(member.name, member)
        extended = set()
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
        """Return the names of members that must be defined before a child's member.

        The class body reads them when it reaches the child's member. For
        `area = size * size`, this is `size`, if the child or the parent has such a member.
        """
        names = self._child_names | self._parent_names
        is_accessor_or_overload = member.key != member.name
        if is_accessor_or_overload:
            # `@size.setter` reads `size`. That does not decide about its place, because
            # all members with the name `size` stay together.
            names = names - {member.name}
        return self._names_read(member, names)

    def _find_names_at_end(self, names_read: Mapping[Member, Set[str]]) -> set[str]:
        """Return the names of the child's members that are added at the end.

        They keep the child's order there:

        - **Names that the parent's body reads.** Its `area = size * size` must not see the
          child's `size = 8`, because in Python, the parent's body runs first.
        - **Names that a member of the child reads, and its own name.** If the child has
          `size = 8` and `area = size * size`, `size` must stay above `area`.

        Args:
            names_read: The names that each member of the child reads.
        """
        names_at_end = set(self._names_read_by_parent)
        for member, names in names_read.items():
            if names:
                names_at_end |= {member.name, *names}
        return names_at_end

    def _names_read(self, member: Member, names: set[str]) -> set[str]:
        """Return which of the names a member reads while the class body runs."""
        mentioned = names & member.read_words
        if not mentioned:
            return set()
        if not member.name:
            # A block, such as `if`, may read and define any of the names.
            return mentioned
        tree = statement_tree(member.statement)
        return mentioned & {*names_read_at_once(tree)}

    def _merge(self) -> list[Slot]:
        """Return the slots of the merged body: the parent's, and those of new members.

        The parent's `a = 1; b = 2` and the child's `a = 3; c = 4` give `a = 3`, `b = 2`
        and `c = 4`.
        """
        replacements = self._find_replacements()
        slots = []
        for member in self._parent:
            if self._is_kept(member):
                slots.append(Slot(parent=member))
            elif member.is_method:
                # The method itself is not written, but a copy of it under a private name
                # may be, if the override calls it as `super().f()`.
                slots.append(Slot(parent=member, is_overridden=True))
            # The child's members take this place, or follow the parent's member if that is
            # kept. With a property, its setter comes here, too, and overrides the parent's
            # setter, which has another place.
            for child in replacements.get(member, []):
                overridden = self._inherited_members.get(child.key)
                slots.append(Slot(parent=overridden, child=child))

        placed = {slot.child for slot in slots}
        attributes_end = _find_end_of_attributes(slots)
        for child in self._child:
            if child in placed:
                continue
            slot = Slot(parent=None, child=child)
            is_new_attribute = (
                child.is_attribute and child.name not in self._parent_names
            )
            if is_new_attribute and child.name not in self._names_at_end:
                slots.insert(attributes_end, slot)
                attributes_end += 1
            else:
                slots.append(slot)
        return slots

    def _is_kept(self, member: Member) -> bool:
        """Whether a member of the parent class is written as it is.

        It is not if the child replaces it. But if the parent's body reads the member, it
        is written, and the child's member is added at the end.
        """
        if member.name not in self._child_names:
            return True
        if member.name in self._names_read_by_parent:
            return True
        if member.name in self._properties_to_extend:
            # If the child has only `@Parent.size.setter`, the parent's getter `size` stays,
            # and its setter, with the same key `size.setter`, does not.
            return not self._is_replaced_accessor(member)
        return False

    def _is_replaced_accessor(self, member: Member) -> bool:
        """Whether the child replaces an accessor of a property that it extends.

        The child's `@Parent.size.setter` replaces the parent's setter. It replaces none
        if the parent has a setter only for an earlier property `size`, and a second
        property `size` below that.
        """
        is_inherited = self._inherited_members.get(member.key) is member
        if not is_inherited or not _extends_property_above(member):
            return False
        return any(child.key == member.key for child in self._child)

    def _find_replacements(self) -> dict[Member, list[Member]]:
        """Return the child's members that are written in place of parent's members.

        They are written in place of the parent's first member with the same name:
        `size = 8` in place of `size = 4`, and a property with its setter in place of the
        parent's property.

        Returns:
            The child's members by the parent's member in that place.
        """
        replacements: dict[Member, list[Member]] = {}
        shared_names = self._child_names & self._parent_names
        for name in shared_names - self._names_at_end:
            in_child = [member for member in self._child if member.name == name]
            in_parent = [member for member in self._parent if member.name == name]
            keys = {member.key for member in in_child}
            # If the child has `size = 1` and later `size = 2`, both are added at the end.
            is_repeated = len(keys) < len(in_child)
            # If it has `@Parent.size.setter` and later its own property `size`, so are
            # these, because the parent's property counts until then.
            is_extended = name in self._properties_to_extend
            is_redefined = is_extended and name in keys
            if is_repeated or is_redefined:
                continue
            # The child defines the whole member, such as an attribute or a property.
            if not is_extended:
                replacements[in_parent[0]] = in_child
                continue
            # A setter of the child replaces the parent's setter. If there is none to
            # replace, it follows the last of the parent's members with this name. If the
            # parent has `size: int` and a property `size` below it, that is the property.
            replaced = {}
            for member in in_parent:
                if self._is_replaced_accessor(member):
                    replaced[member.key] = member
            for accessor in in_child:
                place = replaced.get(accessor.key, in_parent[-1])
                replacements.setdefault(place, []).append(accessor)
        return replacements


def _find_inherited_members(parent: Sequence[Member]) -> dict[str, Member]:
    """Return the members of a parent class that a child inherits, by their keys.

    If the body has `size = 1` and later `size = 2`, it is the second. If it has a
    property `size` with a setter, and later another property `size`, the setter is not
    inherited: it belongs to the first property.
    """
    inherited: dict[str, Member] = {}
    for member in parent:
        # Below `size = 1`, the annotation `size: int` does not change the value.
        if member.key in inherited and _is_bare_annotation(member.statement):
            continue
        if not _extends_property_above(member):
            for key, earlier in list(inherited.items()):
                if earlier.name == member.name and is_accessor(key):
                    del inherited[key]
        inherited[member.key] = member
    return inherited


def _extends_property_above(member: Member) -> bool:
    """Whether a member adds an accessor to a property of its class: `@size.setter`.

    The accessor `@Base.size.setter` makes a new property from that of another class.
    """
    if not is_accessor(member.key):
        return False
    return member.key in view_definition(member.statement).decorator_names


def _is_bare_annotation(statement: Statement) -> bool:
    """Whether a statement is an annotation without a value: `size: int`."""
    target = assigned_target(statement)
    if target is None or not target.annotated:
        return False
    return assigned_value(statement) is None


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
    return _is_bare_annotation(child) and assigned_value(parent) is not None


def with_inherited_value(child: Statement, parent: Statement) -> Statement:
    """Return `name: type = value` for `name: type`, with the value of the parent."""
    value = assigned_value(parent)
    assert value is not None, "the parent's attribute has a value"
    match statement_tree(child).node:
        case cst.SimpleStatementLine(body=[cst.AnnAssign() as annotation]):
            # Without this, `x: int;` would become `x: int; = 1`.
            without_semicolon = annotation.with_changes(
                semicolon=cst.MaybeSentinel.DEFAULT
            )
            text = node_text(without_semicolon)
            code = child.with_bare_code(f"{text} = {node_text(value)}")
            return Statement(code, child.start, child.kind, child.name)
    raise ValueError("the statement is not an annotation")


def is_removed(member: Member) -> bool:
    """Whether a member of the modular class removes that of the parent class."""
    return member.is_attribute and is_removal(member.statement)
