"""With `inheritance = "python"`, a class body does what both bodies do in Python.

In Python, the body of the parent class runs first, and then the body of the child
class. The generated class has only one body, which gives the same result:

- **The parent's statements keep their order.** Nested classes and `if` statements keep
  their places, too.
- **Your method, attribute or nested class replaces the parent's** if it has the same
  name. If you replace a property, the generated class has neither the parent's setter
  nor its deleter, as in Python. To replace only the setter, decorate yours with
  `@LlamaModel.size.setter`.
- **Your new attributes come after the parent's last attribute.** Your other new members
  come at the end of the class.
- **If the parent's body reads a member that you replace,** it still reads the parent's
  value. In the example, `limit = 2 * size` reads `size`, so modular keeps `size = 4`
  and writes your `size = 8` at the end of the class.
- **`name: type` without a value keeps the parent's value.** In the example,
  `dropout: float` becomes `dropout: float = 0.1`.
- **The parent's statements that define several names or none,** such as `a = b = 1` and
  `if`, stay where they are. If you define one of their names, such as `a`, your
  definition comes at the end of the class.
- **`name = AttributeError()` removes the parent's member.** Nothing else removes a
  member. For example, `prune` in the example raises an error, but is an ordinary method
  of the generated class (compare `raising-override`).
- **A generated override gets only the decorators that you write,** and none of the
  decorators of the parent's method. It is `async` only if you write `async`.

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

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from modular.rules.classes.class_attributes import is_removal
from modular.rules.classes.methods import accessor_keys, is_accessor, method_keys
from modular.semantics.statements import facts_of, facts_of_header
from modular.source.assignments import assigned_target, assigned_value
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.source_slice import words
from modular.source.trees import node_text, statement_tree


@dataclass(frozen=True, eq=False)
class BodyMember:
    """A statement of a class body.

    Attributes:
        key: The method's key, such as `size.setter`, or the name of an attribute or a
            nested class; empty for other statements, such as `if` and `a = b = 1`.
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
        if statement.is_definition:
            # The body of a method or nested class does not see the members of the class.
            view = view_definition(statement)
            return view.decorators.words() | view.header.words()
        if self.name:
            # The words to the right of the assigned name.
            masked_text = statement.bare_code.masked_text
            name_end = masked_text.index(statement.name) + len(statement.name)
            return words(masked_text[name_end:])
        return facts_of(statement).variables_read_at_once

    @cached_property
    def bound_names(self) -> Set[str]:
        """The names that it defines: `a` and `b` for `a = b = 1`."""
        return {self.name} if self.name else facts_of(self.statement).variables


def _binds_one_name(statement: Statement) -> bool:
    """Whether a statement is an assignment to one name, such as `size = 4`.

    `a = b = 1` and `a = f(b := 1)` bind two names.
    """
    if statement.kind is not Kind.ASSIGNMENT:
        return False
    masked_text = statement.bare_code.masked_text
    # Parsing is slow, and a second name needs a second equals sign.
    if masked_text.count("=") <= 1:
        return True
    return facts_of(statement).variables == {statement.name}


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

    parent: BodyMember | None
    child: BodyMember | None = None
    is_overridden: bool = False


def find_members(statements: Sequence[Statement]) -> list[BodyMember]:
    """Return a member for each statement of a class body, except docstrings and `pass`."""
    key_of_method = method_keys(statements)
    members = []
    for statement in statements:
        if statement.kind is Kind.STRING or statement.does_nothing:
            continue
        if statement.kind is Kind.FUNCTION:
            # The setter of `size` has the key `size.setter` and the name `size`.
            key = key_of_method[statement]
            members.append(BodyMember(key, statement.name, statement))
        elif statement.kind is Kind.CLASS:
            members.append(BodyMember(statement.name, statement.name, statement))
        else:
            # The name of `size = 4` is `size`. Neither an `if` nor `a, b = 1, 2` has one.
            name = statement.name if _binds_one_name(statement) else ""
            members.append(BodyMember(name, name, statement))
    return members


@dataclass(frozen=True, eq=False)
class BodyMerge:
    """The merged members of a class of the modular file and of its parent class.

    Attributes:
        parent_members: The members of the parent class.
        child_members: The members of the modular class.
    """

    parent_members: Sequence[BodyMember]
    child_members: Sequence[BodyMember]

    @cached_property
    def slots(self) -> list[Slot]:
        """The members of the generated class body in their order, each in a slot.

        The parent's members keep their order. The child's members replace them, or are
        added: new attributes below the parent's last attribute, all others at the end.
        The parent's `a = 1; b = 2` and the child's `a = 3; c = 4` give `a = 3`, `b = 2`
        and `c = 4`.
        """
        children_below: dict[BodyMember, list[BodyMember]] = {}
        added_children = []
        for child in self.child_members:
            parent_above = self._find_member_above(child)
            if parent_above is None:
                added_children.append(child)
            else:
                children_below.setdefault(parent_above, []).append(child)

        slots = []
        for parent in self.parent_members:
            if self._is_kept(parent):
                slots.append(Slot(parent))
            # Only a method can be copied under a private name.
            elif parent.is_method:
                slots.append(Slot(parent, is_overridden=True))
            for child in children_below.get(parent, ()):
                # The child's setter overrides the parent's setter, also if the child's
                # setter is written below the parent's getter.
                overridden = self._inherited_members.get(child.key)
                slots.append(Slot(overridden, child))

        new_attributes, slots_at_end = self._split_added(added_children)
        attributes_end = _find_end_of_attributes(slots)
        return [
            *slots[:attributes_end],
            *new_attributes,
            *slots[attributes_end:],
            *slots_at_end,
        ]

    def _split_added(
        self, added_children: Iterable[BodyMember]
    ) -> tuple[list[Slot], list[Slot]]:
        """Return the slots of new attributes, and those at the end of the class body.

        A new attribute below an `if` or `a, b = 1, 2` of the child stays below it, at
        the end.

        Args:
            added_children: The child's members that are below no member of the parent.
        """
        new_attributes = []
        slots_at_end = []
        is_below_block = False
        for child in added_children:
            slot = Slot(parent=None, child=child)
            if self._is_new_attribute(child) and not is_below_block:
                new_attributes.append(slot)
                continue
            slots_at_end.append(slot)
            is_block = not child.name
            if is_block:
                is_below_block = True
        return new_attributes, slots_at_end

    @property
    def readers_of_parent_names(self) -> list[BodyMember]:
        """The child's members that would read a member of the parent in the merged body.

        In Python, the `size` in the child's `area = 2 * size` is a variable of the module.
        In the generated body, `size` would be the member of the parent.
        """
        parent_names = self._parents_by_name.keys() | self._names_in_parent_blocks
        readers = []
        for child in self.child_members:
            if not self._names_read_by_child[child].isdisjoint(parent_names):
                readers.append(child)
            # Below the child's own `size`, the name means this member. An `if` may not
            # run, so it defines no name for certain.
            may_be_skipped = child.statement.is_compound and not child.name
            if not may_be_skipped:
                parent_names -= child.bound_names
        return readers

    @property
    def impossible_removals(self) -> list[BodyMember]:
        """The child's removals, such as `size = AttributeError()`, of a needed member.

        The parent's body needs the names that it reads. `if`, `a = b = 1` and the like
        need the names that they define.
        """
        needed = self._names_read_by_parent | self._names_in_blocks
        return [
            child
            for child in self.child_members
            if is_removed(child) and child.name in needed
        ]

    @cached_property
    def _parents_by_name(self) -> Mapping[str, Sequence[BodyMember]]:
        """The parent's members with each name, in their order."""
        return _members_by_name(self.parent_members)

    @cached_property
    def _children_by_name(self) -> Mapping[str, Sequence[BodyMember]]:
        """The child's members with each name, in their order."""
        return _members_by_name(self.child_members)

    @cached_property
    def _names_in_parent_blocks(self) -> Set[str]:
        """The names that `if`, `a = b = 1` and the like define in the parent's body."""
        return _names_of_blocks(self.parent_members)

    @cached_property
    def _names_in_blocks(self) -> Set[str]:
        """The names that `if`, `a = b = 1` and the like define in either body."""
        return self._names_in_parent_blocks | _names_of_blocks(self.child_members)

    @cached_property
    def _names_read_by_parent(self) -> Set[str]:
        """The names of the child's members that the parent's body reads while it runs.

        If the parent has `area = 2 * size`, this is `size`. A member's own name is left
        out: the decorator `@size.setter` of the setter `size` reads `size`.
        """
        names: set[str] = set()
        for member in self.parent_members:
            names |= _names_read(member, self._children_by_name.keys() - {member.name})
        return names

    @cached_property
    def _names_read_by_child(self) -> Mapping[BodyMember, Set[str]]:
        """The names of members that each member of the child reads while the body runs.

        For the child's `area = 2 * size`, this is `size`, if the child or the parent has
        a member `size`. A member's own name is left out: a setter always stays with its
        property, and `size = 2 * size` takes the place of the parent's `size`.
        """
        names_of_members = self._children_by_name.keys() | self._parents_by_name.keys()
        all_names = names_of_members | self._names_in_blocks
        names_read = {}
        for member in self.child_members:
            names_read[member] = _names_read(member, all_names - {member.name})
        return names_read

    @cached_property
    def _names_at_end(self) -> Set[str]:
        """The names whose definitions in the child are added at the end of the body.

        There are three kinds of such names:

        - **Names that the parent's body reads.** The parent's `area = 2 * size` must see
          the parent's `size = 4`, as in Python, and not the child's `size = 8`.
        - **Names that a member of the child reads, and the name of this member.** The
          child's `size = 8` and `area = 2 * size` keep their order at the end.
        - **Names that `if`, `a = b = 1` and the like define.** Such a statement cannot
          be replaced, so the child's `size = 8` comes below it.
        """
        names_at_end = {*self._names_read_by_parent, *self._names_in_blocks}
        for member, names_read in self._names_read_by_child.items():
            # A member that reads no names need not be at the end itself.
            if names_read:
                names_at_end |= {member.name, *names_read}
        return names_at_end

    def _is_new_attribute(self, child: BodyMember) -> bool:
        """Whether a member of the child is a new attribute that no class body reads.

        `make = classmethod(make)` below `def make(cls)` stays below the method.
        """
        if child.name in self._parents_by_name or child.name in self._names_at_end:
            return False
        namesakes = self._children_by_name.get(child.name, ())
        return bool(namesakes) and all(member.is_attribute for member in namesakes)

    def _find_member_above(self, child: BodyMember) -> BodyMember | None:
        """Return the parent's member below which a member of the child is written.

        It depends on the member of the child:

        - For the child's `size = 8`, this is the parent's first member `size`, which is
          itself left out.
        - For the child's accessor `@Parent.size.setter`, this is the parent's setter. If
          the parent has no setter, this is the parent's last member `size`.

        Returns:
            The parent's member. None if the child's member is written at the end, or is a
            new attribute.
        """
        name = child.name
        if name not in self._parents_by_name or self._is_added_at_end(name):
            return None
        namesakes = self._parents_by_name[name]
        if self._extends_property(name):
            return self._find_replaced_accessor(child) or namesakes[-1]
        return namesakes[0]

    def _is_added_at_end(self, name: str) -> bool:
        """Whether the child's members with a name of the parent are added at the end.

        They are in each of these cases:

        - The body of the parent or the child reads the name (see `_names_at_end`).
        - The child defines the name twice: `size = 1` and later `size = 2`.
        - The child extends the parent's property by `@Parent.size.setter`, and later
          defines a property `size` of its own.
        - The child only annotates the parent's method: `size: int`.
        """
        if name in self._names_at_end:
            return True
        if self._only_annotates_member(name):
            return True
        keys = [child.key for child in self._children_by_name[name]]
        is_defined_twice = len(set(keys)) < len(keys)
        # The setter has the key `size.setter`, and the property the key `size`.
        is_defined_anew = self._extends_property(name) and name in keys
        return is_defined_twice or is_defined_anew

    def _only_annotates_member(self, name: str) -> bool:
        """Whether the child has only annotations such as `size: int` of the parent's `size`.

        An annotation defines no member, so the parent's `size` stays. The answer is no in
        one case: a single `size: int` gets the value of the parent's attribute `size = 4`,
        and becomes `size: int = 4` in its place.
        """
        namesakes = self._children_by_name[name]
        for child in namesakes:
            if not _is_bare_annotation(child.statement):
                return False
        inherited = self._parents_by_name[name][-1]
        gets_inherited_value = inherited.is_attribute and len(namesakes) == 1
        return not gets_inherited_value

    def _extends_property(self, name: str) -> bool:
        """Whether the child extends the parent's property by `@Parent.size.setter`.

        It extends it if its first member named `size` has a key such as `size.setter`.
        If the first is a `@property`, with the key `size`, the child defines its own.
        """
        return is_accessor(self._children_by_name[name][0].key)

    def _is_kept(self, parent: BodyMember) -> bool:
        """Whether a member of the parent class is in the merged body as it is.

        The parent's `size` is not if the child's `size` replaces it. It is if the child
        has no `size`, or if the merged body needs the `size` of both classes.
        """
        is_overridden = parent.name in self._children_by_name
        if not is_overridden:
            return True
        # The parent's `area = 2 * size` needs the parent's `size`.
        if parent.name in self._names_read_by_parent:
            return True
        # An `if` or `del` of the parent may need the member.
        if parent.name in self._names_in_parent_blocks:
            return True
        # The child's `size: int` has no value.
        if self._only_annotates_member(parent.name):
            return True
        if self._extends_property(parent.name):
            # The child's `@Parent.size.setter` replaces only the parent's setter.
            accessors = self._children_by_name[parent.name]
            return parent not in map(self._find_replaced_accessor, accessors)
        return False

    def _find_replaced_accessor(self, child: BodyMember) -> BodyMember | None:
        """Return the parent's setter that the child's `@Parent.size.setter` replaces.

        A deleter `@Parent.size.deleter` replaces the parent's deleter in the same way.

        Returns:
            The setter. None if the parent's property `size` has no setter, or if the
            parent itself makes a new property by `@Base.size.setter`.
        """
        # The key of the child's setter is `size.setter`.
        namesake = self._inherited_members.get(child.key)
        if namesake is not None and _extends_property_above(namesake):
            return namesake
        return None

    @cached_property
    def _inherited_members(self) -> Mapping[str, BodyMember]:
        """The parent's members that the child inherits, by key.

        The key of a setter is `size.setter`, and its name is `size`.

        - Of `size = 1` and a later `size = 2`, the second is inherited.
        - Of `size = 1` and a later `size: int` without a value, the first is inherited.
        - Of a property `size` with a setter, and a later property `size`, only the second
          property is inherited. The setter belongs to the first.
        """
        inherited: dict[str, BodyMember] = {}
        for member in self.parent_members:
            if member.key in inherited and _is_bare_annotation(member.statement):
                continue
            if not _extends_property_above(member):
                # The member is a new `size`, without the accessors of an earlier `size`.
                for key in accessor_keys(member.name):
                    inherited.pop(key, None)
            inherited[member.key] = member
        return inherited


def _members_by_name(members: Iterable[BodyMember]) -> dict[str, list[BodyMember]]:
    """Return the members with each name in their order; those without one are left out."""
    by_name: dict[str, list[BodyMember]] = {}
    for member in members:
        if member.name:
            by_name.setdefault(member.name, []).append(member)
    return by_name


def _names_of_blocks(members: Sequence[BodyMember]) -> Set[str]:
    """Return the names that `if`, `a = b = 1` and the like define."""
    names: set[str] = set()
    for member in members:
        if not member.name:
            names |= member.bound_names
    return names


def _names_read(member: BodyMember, names: Set[str]) -> Set[str]:
    """Return which of some names a member of a class reads while the class body runs.

    For `area = 2 * size`, this is `size`. A method reads the names in its decorators and
    its header, because its body runs later.
    """
    mentioned_names = names & member.read_words
    if not mentioned_names:
        return set()
    is_block = not member.name
    if is_block:
        # `read_words` has only the names that an `if` reads.
        return mentioned_names
    if member.statement.is_definition:
        facts = facts_of_header(member.statement)
    else:
        facts = facts_of(member.statement)
    return mentioned_names & facts.variables_read_at_once


def _extends_property_above(member: BodyMember) -> bool:
    """Whether a member adds an accessor to a property of its class: `@size.setter`.

    `@Base.size.setter` does not: it makes a new property from the property of `Base`.
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
    """Return the index below the last attribute above the first block; 0 without one.

    A block is a statement such as `if`. New attributes are added at this index. A
    removal, `name = AttributeError()`, is skipped: it adds no attribute to the class.
    """
    end = 0
    for index, slot in enumerate(slots):
        member = slot.child or slot.parent
        assert member is not None, "a slot is not empty"
        is_block = not member.name
        if is_block:
            break
        if member.is_attribute and not is_removed(member):
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


def is_removed(member: BodyMember) -> bool:
    """Whether a member of the modular class removes that of the parent class."""
    return member.is_attribute and is_removal(member.statement)
