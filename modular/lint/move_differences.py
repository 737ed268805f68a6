"""Finds assignments that a merged method runs elsewhere than Python.

The child's `self.size = 8` below the call takes the place of the parent's
`self.size = 0`. So it overtakes the parent's next lines: Python runs them first. If they
read `self.size` by its name, or by a method that they call, that is a documented
transformation.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import itemgetter

from modular.lint.bases import bases_never_set
from modular.lint.inheritance import Difference, Harm
from modular.lint.instance_model import InstanceModel, MethodUses
from modular.lint.merged_bodies import is_used
from modular.lint.overtaken import StatementGroup, group_statements
from modular.rules.classes.init_order import POST_INIT
from modular.rules.classes.merge_record import Fate, MethodMerge, Step
from modular.semantics.ancestors import CALLED_METHODS, MODULE_VISITORS
from modular.semantics.classes import MemberKind
from modular.semantics.facts import CodeFacts, Mention, OpaqueReason, Usage, When
from modular.semantics.instances import InstanceUses, uses_of_instance
from modular.semantics.meanings import Definition, Unknown
from modular.semantics.statements import facts_of, names_bound_by, names_read_by
from modular.source.assignments import (
    Target,
    advise_annotation,
    assigned_target,
    assigned_value,
)
from modular.source.blocks import Kind, Statement
from modular.source.diagnostics import Place
from modular.source.places import place_of
from modular.source.source_slice import has_word
from modular.source.trees import normalized_text


_OPERATOR_USAGES = frozenset(
    {
        Usage.CALLED,
        Usage.ENTERED,
        Usage.FORMATTED,
        Usage.ITERATED,
        Usage.OPERAND,
        Usage.SUBSCRIPT,
        Usage.SUBSCRIPTED,
        Usage.TESTED,
        Usage.UNPACKED,
    }
)
"""Uses of an object for which Python calls special methods of it."""

_CARRYING_USAGES = frozenset(
    {
        Usage.ALIASED,
        Usage.ENTERED,
        Usage.ITERATED,
        Usage.MATCHED,
        Usage.OPERAND,
        Usage.PASSED,
        Usage.STORED,
        Usage.SUBSCRIPTED,
        Usage.UNPACKED,
    }
)
"""Uses of an object whose result may be the object, or contain it."""

_RAISING_KEYWORDS = frozenset({"assert", "raise"})

_ATTRIBUTE_TABLES = frozenset({"__dict__", "vars"})
"""Words of code that reads all attributes of an object."""

_ALL_ATTRIBUTES = ""
"""Stands for all attributes."""

_MODULES = "nn.Module"
"""Stands for the attributes that are modules or tensors."""

_SPECIAL_METHODS = "()"
"""Stands for the attributes that the special methods read."""


def compare_moves(
    instances: InstanceModel, merge: MethodMerge
) -> Iterator[Iterable[Difference]]:
    """Find assignments of the child whose move changes what the method does.

    The child's `self.size = 8` takes the place of the parent's `self.size = 0`, and so
    runs before lines of the parent that Python runs first.

    Args:
        instances: What code runs on an instance.
        merge: A method in which the parent's body replaces a call to `super()`.

    Yields:
        For each moved assignment, its first difference, or none. A line of the parent
        is named in one difference only.
    """
    if not merge.override.parameters:
        return
    method = _GeneratedMethod(instances, merge, merge.override.parameters[0])
    reported_places: set[Place | None] = set()
    for step in merge.steps:
        if step.fate not in (Fate.REPLACED, Fate.REPEATED):
            continue
        target = assigned_target(step.statement)
        if target is None:
            continue
        assert step.cause is not None, "the cause is the other one of two statements"
        if step.fate is Fate.REPLACED:
            # The parent's assignment is left out, and the child's takes its place.
            replaced, assignment = step.statement, step.cause
        else:
            # Both are equal. The child's is left out, and the parent's is generated.
            assignment, replaced = step.statement, step.cause
        move = _Move(method, assignment, replaced, target)
        yield move.find_first_difference(reported_places)


@dataclass(frozen=True, eq=False)
class _GeneratedMethod:
    """The statements of a generated method, by the attributes that they use.

    They are read once for all assignments that the method moves.

    Attributes:
        instances: What code runs on an instance.
        merge: The override, merged with the parent's method.
        instance: The variable of the instance.
    """

    instances: InstanceModel
    merge: MethodMerge
    instance: str
    _facts: dict[Statement, CodeFacts] = field(default_factory=dict, init=False)

    def facts_of(self, statement: Statement) -> CodeFacts:
        """Return what a generated statement does.

        The answers are kept here, because the function `facts_of` remembers fewer
        statements than a long method has.
        """
        if statement not in self._facts:
            self._facts[statement] = facts_of(statement)
        return self._facts[statement]

    @cached_property
    def all_uses(self) -> Mapping[Statement, InstanceUses]:
        """What each generated statement does with the instance."""
        uses = {}
        for statement in self.merge.all_generated_statements:
            facts = self.facts_of(statement)
            uses[statement] = uses_of_instance(facts, self.instance)
        return uses

    @cached_property
    def first_uses(self) -> "_FirstUses":
        """The index of the first statement of each kind, such as the first `return`."""
        first = _FirstUses()
        for index, statement in enumerate(self.merge.all_generated_statements):
            uses = self.all_uses[statement]
            first.statement.setdefault(statement, index)
            for name in names_bound_by(statement):
                first.binding.setdefault(name, index)
            for attribute in uses.set:
                first.setting.setdefault(attribute, index)
            for word in statement.words:
                first.word.setdefault(word, index)
            if first.unknown is None and not uses.is_contained:
                first.unknown = index
            if first.returning is None and self.facts_of(statement).flow.returns:
                first.returning = index
        return first

    @cached_property
    def binders(self) -> Mapping[str, StatementGroup]:
        """The statements that set, change or delete each name."""
        return group_statements(self.merge, self.find_set_names)

    def find_set_names(self, statement: Statement) -> set[str]:
        """Return the names that a statement sets, attributes of other names included.

        After `me = self`, `me.size = 8` sets `self.size`.
        """
        # `self.post_init()` runs last, and `compare_init_order` reports what that changes.
        if POST_INIT in statement.words:
            return set(names_bound_by(statement))
        names = self.instances.find_set_names(statement, self.instance)
        facts = self.facts_of(statement)
        if self.merge.is_of_parent(statement):
            # In Python, the parent's `x = 2 * x` sets a variable of its own.
            for mention in facts.mentions:
                if mention.usage is Usage.ASSIGNED:
                    names -= {mention.name} & self.merge.override.parameter_names
        for use in facts.super_uses:
            attributes = self.instances.inherited_uses_of(use.method).set
            names.update(f"{self.instance}.{name}" for name in attributes)
        for mention in facts.mentions:
            if mention.changes and _find_holder(mention, self.holders) is not None:
                names.update(f"{self.instance}.{name}" for name in mention.attributes)
        return names

    @cached_property
    def child_readers(self) -> Mapping[str, StatementGroup]:
        """For each name, the child's statements that read it or an attribute of it.

        `x = self.table.size` reads `self.table.size`, `self.table` and `self`, and so does
        `self.table.size = 1` without the first one. `read()` reads what the child's nested
        function `read` does.
        """
        # What each nested function of the child reads when it runs.
        read_later: dict[str, Iterable[str]] = {}

        def find_names(statement: Statement) -> Iterable[str]:
            if self.merge.is_of_parent(statement):
                return ()
            facts = self.facts_of(statement)
            if statement.kind is Kind.FUNCTION:
                read_later[statement.name] = facts.names_read_later
            names = set(_with_owners(facts.read_names))
            for name in names_bound_by(statement):
                names.update(set(_with_owners([name])) - {name})
            for function in read_later.keys() & names:
                names.update(_with_owners(read_later[function]))
            return names

        return group_statements(self.merge, find_names)

    @cached_property
    def setters(self) -> Mapping[str, StatementGroup]:
        """The statements that set each attribute of the instance by its name."""
        return group_statements(self.merge, lambda item: self.all_uses[item].set)

    @cached_property
    def replaced_setters(self) -> Mapping[str, Sequence[Step]]:
        """For each name, the parent's assignments to it that the child's replace."""
        setters: dict[str, list[Step]] = {}
        for step in self.merge.steps:
            if step.fate is Fate.REPLACED:
                for name in names_bound_by(step.statement):
                    setters.setdefault(name, []).append(step)
        return setters

    @cached_property
    def readers(self) -> Mapping[str, StatementGroup]:
        """The statements that read each attribute of the instance by its name."""
        return group_statements(self.merge, lambda item: self.all_uses[item].read)

    @cached_property
    def parent_readers(self) -> Mapping[str, StatementGroup]:
        """The parent's statements that read each attribute of the instance by its name."""

        def find_attributes(statement: Statement) -> Iterable[str]:
            if self.merge.is_of_parent(statement):
                return self.all_uses[statement].read
            return ()

        return group_statements(self.merge, find_attributes)

    @cached_property
    def ordered_calls(self) -> Mapping[str, StatementGroup]:
        """The statements with each call whose order counts."""
        find_calls = self.instances.find_ordered_calls
        return group_statements(
            self.merge, lambda item: find_calls(self.facts_of(item))
        )

    @cached_property
    def object_changers(self) -> Mapping[str, StatementGroup]:
        """The statements that change the object of each name: `x` for `x.append(1)`."""
        return group_statements(self.merge, self.find_changed_objects)

    @cached_property
    def object_users(self) -> Mapping[str, StatementGroup]:
        """The statements that use the object of each name: `x` for `len(x)`."""
        return group_statements(
            self.merge,
            lambda item: _with_owners(_names_of_used_objects(self.facts_of(item))),
        )

    @cached_property
    def raising_statements(self) -> StatementGroup:
        """The statements with `raise` or `assert`."""

        def raises(statement: Statement) -> bool:
            has_keyword = not _RAISING_KEYWORDS.isdisjoint(statement.words)
            return has_keyword and not statement.is_definition

        return self._select(raises)

    @cached_property
    def module_setters(self) -> StatementGroup:
        """The statements that may set an attribute to a module, `nn.Linear(4, 4)` say."""

        def may_set_module(statement: Statement) -> bool:
            sets_attribute = bool(self.all_uses[statement].set)
            return sets_attribute and bool(self.facts_of(statement).calls)

        return self._select(may_set_module)

    @cached_property
    def child_returns(self) -> StatementGroup:
        """The child's statements that may end the method with `return`."""

        def may_return(statement: Statement) -> bool:
            is_of_child = not self.merge.is_of_parent(statement)
            return is_of_child and bool(self.facts_of(statement).flow.returns)

        return self._select(may_return)

    def _select(self, is_selected: Callable[[Statement], bool]) -> StatementGroup:
        """Return the generated statements for which a function returns True."""
        positions = []
        for position, statement in enumerate(self.merge.generated_statements):
            if is_selected(statement):
                positions.append(position)
        return StatementGroup(self.merge, positions)

    def find_visitor(self, statement: Statement) -> str:
        """Return a method that a statement calls, and that reads all modules of the instance.

        This is `children` for `self.children()`; empty if it calls no such method.
        """
        if not self.instances.is_module:
            return ""
        return min(self.all_uses[statement].called & MODULE_VISITORS, default="")

    def find_changed_objects(self, statement: Statement) -> set[str]:
        """Return the names of the objects that a statement changes, but not the instance."""
        names = self.instances.find_changed_objects(self.facts_of(statement))
        return names - {self.instance, ""}

    @cached_property
    def indirect_readers(self) -> Mapping[str, StatementGroup]:
        """The statements that may read each attribute without naming it."""
        return group_statements(self.merge, self.indirect_reads.__getitem__)

    def find_conflicts(self, effects: MethodUses) -> StatementGroup:
        """Return the statements that must not change places with a call to a method.

        They set an attribute that the method uses, or read one that it sets. For a
        method `measure` that reads `self.size`, `self.size = 8` is such a statement.
        """
        positions: set[int] = set()
        for attribute in (effects.read | effects.set) & self.setters.keys():
            positions.update(self.setters[attribute].positions)
        for attribute in effects.set & self.readers.keys():
            positions.update(self.readers[attribute].positions)
        return StatementGroup(self.merge, sorted(positions))

    def find_overtaken_statement(
        self, assignment: Statement, groups: Iterable[StatementGroup | None]
    ) -> Statement | None:
        """Return the first statement of some groups that an assignment overtakes.

        Python runs this statement before the assignment. In the generated method, the
        assignment is moved above it.

        Args:
            assignment: The assignment.
            groups: The groups; None for one without statements.

        Returns:
            None if the assignment overtakes no statement of the groups.
        """
        positions = set()
        for group in groups:
            if group is None:
                continue
            position = group.first_overtaken(assignment)
            if position is not None:
                positions.add(position)
        if not positions:
            return None
        return self.merge.generated_statements[min(positions)]

    @cached_property
    def indirect_reads(self) -> Mapping[Statement, Mapping[str, str]]:
        """For each generated statement, the attributes that it may read without a name.

        An attribute comes with the end of a message: "through `vars`", for example. The
        keys `_ALL_ATTRIBUTES`, `_MODULES` and `_SPECIAL_METHODS` stand for several
        attributes.
        """
        reads: dict[Statement, dict[str, str]] = {}
        for statement in self.merge.generated_statements:
            how_by_attribute = reads.setdefault(statement, {})
            for attribute, how in self.find_indirect_reads(statement):
                how_by_attribute.setdefault(attribute, how)
            # It is documented that a method which the parent calls may read other values
            # than in Python.
            if self.merge.is_of_parent(statement):
                continue
            for attribute, how in self._find_reads_by_call(statement):
                how_by_attribute.setdefault(attribute, how)
        return reads

    def _find_reads_by_call(self, statement: Statement) -> Iterator[tuple[str, str]]:
        """Yield the attributes that the methods of the instance read that a statement calls.

        Yields:
            The attribute, and how it is read: "through `count`", for example. The
            attribute `_MODULES` stands for those that are modules or tensors.
        """
        for name in sorted(self.all_uses[statement].called):
            yield from self._find_reads_of_method(name, f"through `{name}`")
        visitor = self.find_visitor(statement)
        if visitor:
            yield _MODULES, f"through `{visitor}`"

    def find_indirect_reads(self, statement: Statement) -> Iterator[tuple[str, str]]:
        """Yield attributes that a statement may read without naming them.

        The statement `print(vars(self))` may read all attributes.

        Yields:
            The attribute, and how it is read: "through `vars`", for example. The
            attribute `_ALL_ATTRIBUTES` stands for all.
        """
        facts = self.facts_of(statement)
        uses = uses_of_instance(facts, self.instance)
        for opaque in facts.opaque:
            is_table = opaque.reason is OpaqueReason.ATTRIBUTE_TABLE
            if is_table or opaque.name == "vars":
                yield _ALL_ATTRIBUTES, f"through `{opaque.name}`"
        # `getattr(self, "size")` reads `size`.
        if uses.escapes:
            for string in facts.strings:
                yield string, f'through the string "{string}"'
        # Properties, which are read without a call, run code.
        for name in sorted(uses.read - uses.called):
            yield from self._find_reads_of_method(name, f"through `{name}`")
        yield from self._find_reads_by_hook(uses.read)
        for mention in uses.escapes:
            yield from self._find_reads_by_escape(facts, mention)
        yield from self._find_reads_by_holder(facts, uses)

    def _find_reads_by_hook(self, attributes: Set[str]) -> Iterator[tuple[str, str]]:
        """Yield what the hooks `__getattribute__` and `__getattr__` of the class read.

        Args:
            attributes: The attributes that a statement reads by their names. Python
                calls `__getattribute__` for each of them, and `__getattr__` for those
                that no class defines.

        Yields:
            The attribute, and how it is read: "through `__getattr__`", for example.
        """
        if not attributes:
            return
        hooks = ["__getattribute__"]
        if any(self.instances.member(name) is None for name in attributes):
            hooks.append("__getattr__")
        for hook in hooks:
            yield from self._find_reads_of_method(hook, f"through `{hook}`")

    @cached_property
    def special_reads(self) -> Mapping[str, str]:
        """The attributes that special methods read, each with the end of a message.

        For `size`, the end can be "through `__len__`".
        """
        reads: dict[str, str] = {}
        for name in self.instances.special_methods:
            for attribute, how in self._find_reads_of_method(name, f"through `{name}`"):
                reads.setdefault(attribute, how)
        return reads

    def _find_reads_of_method(self, name: str, how: str) -> Iterator[tuple[str, str]]:
        """Yield the attributes that a method reads, each with the same end of a message."""
        for attribute in self.instances.effects_of(name).read:
            yield attribute, how

    def _find_reads_by_escape(
        self, facts: CodeFacts, mention: Mention
    ) -> Iterator[tuple[str, str]]:
        """Yield attributes that may be read where the instance is used as a value.

        In `draw(self)`, the function `draw` may read them. In `self + 1`, the method
        `__add__` may.

        Args:
            facts: What the statement does.
            mention: The statement's mention of the instance.

        Yields:
            The attribute, and how it is read: "in `draw`", for example. The attribute
            `_SPECIAL_METHODS` stands for those that any special method reads.
        """
        # `self.size` does not use the instance as a value.
        if mention.attributes:
            return
        if mention.passed_to:
            for receiver in _find_receivers(facts, mention.passed_to):
                for attribute in self.instances.uses_of_receiver(receiver).read:
                    yield attribute, f"in `{receiver}`"
            inheritance = self.instances.inheritance
            path = inheritance.definition.path
            meaning = inheritance.context.resolver.meaning(path, mention.passed_to)
            # `len(self)` calls `__len__`. So may a function of another library.
            if not isinstance(meaning, Definition):
                yield _SPECIAL_METHODS, ""
        elif mention.usage is Usage.CALLED:
            # `self(x)` also runs the `forward` of a module.
            for name in CALLED_METHODS:
                yield from self._find_reads_of_method(name, f"through `{name}`")
        elif mention.usage is Usage.ALIASED:
            # `first, second = self` iterates over the instance.
            yield from self._find_reads_of_method("__iter__", "through `__iter__`")
        # In `"{}".format(self)`, the called function has no name.
        elif mention.usage in (*_OPERATOR_USAGES, Usage.PASSED):
            yield _SPECIAL_METHODS, ""

    def _find_reads_by_holder(
        self, facts: CodeFacts, uses: InstanceUses
    ) -> Iterator[tuple[str, str]]:
        """Yield attributes that a statement may read of the instance by another name.

        After `me = self`, `me.size` reads the attribute `size`. After
        `table = Table(self)`, any use of `table` may read what `Table` reads.

        Args:
            facts: What the statement does.
            uses: What the statement does with the instance.

        Yields:
            The attribute, and how it is read: "as `me.size`", for example.
        """
        has_instance = any(map(_is_carried, uses.escapes))
        for mention in facts.mentions:
            holder = _find_holder(mention, self.holders)
            if holder is None:
                continue
            has_instance = True
            for receiver in self.holders[holder]:
                for attribute in self.instances.uses_of_receiver(receiver).read:
                    yield attribute, f"through `{holder}`"
            # For the holder `me`, these are `size` and `width` of `me.size.width`.
            attributes = mention.dotted_name.removeprefix(holder).split(".")[1:]
            # `me.size = 1` does not read `size`, but `me.size.width = 1` does.
            if mention.reads or len(attributes) > 1:
                how = f"as `{mention.dotted_name}`"
                for attribute in attributes:
                    yield attribute, how
                    yield from self._find_reads_of_method(attribute, how)
        # In `f(me).size`, the object without a name may be the instance.
        if has_instance:
            for attribute in sorted(facts.unnamed_attributes | facts.nested_attributes):
                yield attribute, f"as `....{attribute}`"

    @cached_property
    def holders(self) -> Mapping[str, Set[str]]:
        """The dotted names that may be the instance or contain it.

        These are `me` after `me = self`, `self.table` after `self.table = Table(self)`,
        and `item` after `for item in self.table`. Each comes with its receivers: the
        functions and classes that have got the instance, such as `Table`.
        """
        holders: dict[str, set[str]] = {}
        for statement, uses in self.all_uses.items():
            facts = self.facts_of(statement)
            # The mentions of `self` in `me = self` and `self.table = Table(self)`.
            carried = list(filter(_is_carried, uses.escapes))
            has_instance = bool(carried)
            receivers = {mention.passed_to for mention in carried if mention.passed_to}
            # The statement may use an earlier holder, as in `other = me`.
            if holders:
                for mention in facts.mentions:
                    holder = _find_holder(mention, holders)
                    if holder is not None:
                        has_instance = True
                        receivers |= holders[holder]
            if has_instance:
                for name in facts.changed_names:
                    holders.setdefault(name, set()).update(receivers)
        return holders


@dataclass
class _FirstUses:
    """The indexes of the first statements of each kind in a generated method.

    Attributes:
        unknown: The index of the first one that may use any attribute, or None.
        returning: The index of the first one that may return, or None.
        statement: The first index of each statement.
        binding: The index of the first one that binds each name.
        setting: The index of the first one that sets each attribute of the instance.
        word: The index of the first one that has each word.
    """

    unknown: int | None = None
    returning: int | None = None
    statement: dict[Statement, int] = field(default_factory=dict)
    binding: dict[str, int] = field(default_factory=dict)
    setting: dict[str, int] = field(default_factory=dict)
    word: dict[str, int] = field(default_factory=dict)


def _with_owners(names: Iterable[str]) -> Iterator[str]:
    """Yield each name and its owners: `self.size.width`, `self.size` and `self`."""
    for name in names:
        yield name
        while "." in name:
            name = name.rpartition(".")[0]
            yield name


def _names_of_used_objects(facts: CodeFacts) -> Iterator[str]:
    """Yield the dotted names whose objects code uses now, and does not only assign.

    `self.total = sum(sizes)` uses the object of `sizes`, but `self.sizes = sizes` does
    not.
    """
    for mention in facts.mentions:
        is_assigned = mention.usage in (Usage.ALIASED, Usage.STORED)
        if mention.when is When.NOW and mention.reads and not is_assigned:
            yield mention.dotted_name


def _find_receivers(facts: CodeFacts, function: str) -> list[str]:
    """Return a called function and the functions that are passed to it.

    For `map(f, [self])`, return `map` and `f`: each of them may get `self`.

    Args:
        facts: What the statement with the call does.
        function: The called function, `map`.
    """
    receivers = {function}
    for mention in facts.mentions:
        if mention.passed_to == function:
            receivers.add(mention.dotted_name)
    return sorted(receivers)


def _is_carried(escape: Mention) -> bool:
    """Whether another name may mean the instance after a mention, as after `me = self`."""
    return not escape.attributes and escape.usage in _CARRYING_USAGES


def _find_holder(mention: Mention, holders: Mapping[str, Set[str]]) -> str | None:
    """Return the shortest name in a mention that is a holder of the instance, or None.

    For `self.table.size`, the names `self`, `self.table` and `self.table.size` are
    tried.
    """
    name = mention.name
    if name in holders:
        return name
    for attribute in mention.attributes:
        name = f"{name}.{attribute}"
        if name in holders:
            return name
    return None


@dataclass(frozen=True, eq=False)
class _Move:
    """An assignment of the child that runs in the place of the parent's.

    Attributes:
        method: The generated method.
        assignment: The assignment of the child.
        replaced: The assignment of the parent, in whose place it runs.
        target: The variable, attribute or item that both set, such as `self.size`.
    """

    method: _GeneratedMethod
    assignment: Statement
    replaced: Statement
    target: Target

    @property
    def merge(self) -> MethodMerge:
        """The method and its parent's."""
        return self.method.merge

    @property
    def instances(self) -> InstanceModel:
        """What code runs on an instance."""
        return self.method.instances

    @property
    def attribute(self) -> str:
        """The attribute of the instance that is set: `size` for `self.size[0]`."""
        text = self.target.text.removeprefix(f"{self.method.instance}.")
        return text.partition("[")[0].partition(".")[0]

    @property
    def is_item(self) -> bool:
        """Whether the target is an item, such as `self.table["x"]`."""
        return self.target.text.endswith("]")

    @property
    def is_of_instance(self) -> bool:
        """Whether the target is an attribute of the instance, or an item of one."""
        name = self.target.text.partition("[")[0]
        return name == f"{self.method.instance}.{self.attribute}"

    def find_first_difference(
        self, reported_places: set[Place | None]
    ) -> Iterator[Difference]:
        """Yield the first difference because of the move, or nothing.

        Nothing is yielded if an earlier difference names the same line of the parent.

        Args:
            reported_places: The lines of the parent that earlier differences name. This
                method adds the line of its difference.
        """
        difference = next(self._find_differences(), None)
        if difference is None or difference.related in reported_places:
            return
        reported_places.add(difference.related)
        yield difference

    def _find_differences(self) -> Iterator[Difference]:
        """Yield what the generated method does differently because of the move."""
        code = self.assignment.bare_code
        # The child repeats the parent's assignment.
        is_repeated = code.has_same_code(self.replaced.bare_code)
        is_below_call = self.assignment in self.merge.indexes_below_call
        if not is_below_call:
            if not is_repeated:
                method = self.merge.override.name
                yield self._differ(
                    "this assignment also replaces the parent's assignment to "
                    f"`{self.target.text}` in `{method}`; Python keeps both",
                    self.replaced,
                )
            return
        # Python runs nothing below `return super().f()`.
        if self.merge.returns_call:
            return
        # Setting a variable of the parent's body is how authors change its value.
        is_variable = "." not in self.target.text
        if is_variable:
            return
        if self._assigns_itself():
            yield from self._find_missing_value()
        else:
            yield from self._find_early_use(is_repeated)
        if is_repeated or not self.is_of_instance:
            return
        yield from self._find_early_call()
        yield from self._find_early_visit()
        yield from self._find_lost_effects()
        yield from self._find_indirect_read()
        yield from self._find_changed_object()
        yield from self._find_changed_order()
        yield from self._find_skipped_assignment()
        yield from self._find_earlier_error()

    def _differ(
        self, message: str, related: Statement, harm: Harm = Harm.OTHER_RESULT
    ) -> Difference:
        """Return a difference whose place is the child's assignment."""
        return Difference(
            self.merge.override.name,
            place_of(self.assignment.bare_code),
            message,
            f"to keep it below, {advise_annotation(self.assignment)}",
            harm,
            related=place_of(related.bare_code),
        )

    def _differ_by_move(
        self, reason: str, related: Statement, harm: Harm = Harm.OTHER_RESULT
    ) -> Difference:
        """Return a difference because the assignment runs earlier than in Python.

        Args:
            reason: Why this matters: the middle of the message.
            related: The statement that Python runs before the assignment.
            harm: What the difference does.
        """
        message = (
            "this assignment is moved up to where the parent assigns "
            f"`{self.target.text}`, {reason}; in Python it runs afterwards"
        )
        return self._differ(message, related, harm)

    def _assigns_itself(self) -> bool:
        """Whether the assignment is `self.x = self.x`."""
        # Only code that contains the target twice is parsed.
        if self.assignment.code.masked_text.count(self.target.text) < 2:
            return False
        value = assigned_value(self.assignment)
        return value is not None and normalized_text(value) == self.target.text

    def _find_missing_value(self) -> Iterator[Difference]:
        """Yield `self.x = self.x` if no statement sets `self.x` above it.

        Authors write it to keep the value that is set above the call.
        """
        # `self.table.size` may be set with its object.
        if not self.is_of_instance or self._may_be_set_above():
            return
        member = self.instances.member(self.attribute)
        if member is None:
            state = "nothing has set it yet"
        elif member.kind is MemberKind.ATTRIBUTE:
            state = "it has the value of the class"
        else:
            return
        yield self._differ(
            f"this reads `{self.target.text}`, but it replaces the parent's assignment, so "
            f"{state}",
            self.replaced,
        )

    def _may_be_set_above(self) -> bool:
        """Whether a statement may have set the attribute before the assignment runs."""
        # A statement above may set it, by its name or otherwise.
        first = self.method.first_uses
        first_setting = first.setting.get(self.attribute)
        if self._is_above(first_setting) or self._is_above(first.unknown):
            return True
        # A base that cannot be read may set it.
        if not self.instances.is_complete:
            return True
        # So may the method of a base, which the parent's body may call.
        inherited = self.instances.inherited_uses_of(self.merge.override.name)
        return self.attribute in inherited.only_set

    def _is_above(self, index: int | None) -> bool:
        """Whether a generated statement is above the assignment.

        Args:
            index: The index of the statement in the generated method; None if there is
                no such statement, which is not above.
        """
        if index is None:
            return False
        # The generated method contains only one of the two: the child's assignment, or
        # the parent's if the child's repeats it.
        for assignment in (self.assignment, self.replaced):
            assignment_index = self.method.first_uses.statement.get(assignment)
            if assignment_index is not None and index >= assignment_index:
                return False
        return True

    def _find_early_use(self, is_repeated: bool) -> Iterator[Difference]:
        """Yield a difference if the assignment needs what a later statement sets.

        The parent sets `self.total = 0` and then `self.size = 8`. The child's
        `self.total = 2 * self.size` takes the place of the parent's first line.

        Args:
            is_repeated: Whether the parent's assignment has the same code.
        """
        # The name `self.size`, and `self.size = 8`, which Python runs earlier.
        conflict = None
        # `compare_repetitions` reports that Python runs a repeated assignment twice.
        if not is_repeated and self._reads_replaced_value():
            conflict = self.target.text, self.replaced
        if conflict is None:
            conflict = self._find_overtaken_name()
        if conflict is None:
            conflict = self._find_name_set_again()
        if conflict is None:
            return
        name, setter = conflict
        harm = Harm.CALL_FAILS if self._fails_without(name) else Harm.OTHER_RESULT
        is_setter = name in self.method.find_set_names(setter)
        if setter is self.replaced or is_setter:
            reason = f"before `{name}` is set"
        else:
            reason = f"above a line that uses `{name}`"
        difference = self._differ_by_move(reason, setter, harm)
        # The child sets the variable below the call.
        if "." not in name and not self.merge.is_of_parent(setter):
            hint = f"write the line that sets `{name}` above the call"
            difference = replace(difference, hint=hint)
        yield difference

    def _find_overtaken_name(self) -> tuple[str, Statement] | None:
        """Return a name, and the first overtaken statement that sets or reads it.

        Python runs this statement before the assignment, which makes a difference:
        either the statement sets a name that the assignment uses, or it is a statement
        of the child and reads a name that the assignment sets.
        """
        set_names = names_bound_by(self.assignment)
        used_names = set(_with_owners(names_read_by(self.assignment) | set_names))
        used_names |= self._names_read_indirectly
        setters = self._find_overtaken_positions(self.method.binders, used_names)
        readers = self._find_overtaken_positions(self.method.child_readers, set_names)
        if not setters and not readers:
            return None
        # A setter is preferred to a reader at the same position.
        position, name = min([*setters, *readers], key=itemgetter(0))
        return name, self.merge.generated_statements[position]

    def _find_name_set_again(self) -> tuple[str, Statement] | None:
        """Return a name that the assignment reads, and the parent's assignment to it.

        The child's `self.size = 2 * self.width` is followed by its `self.width = 4`. Each
        takes the place of one of the parent's assignments, so nothing sets `self.width`
        above `self.size`.
        """
        read_names = set(_with_owners(names_read_by(self.assignment)))
        position = self.merge.generated_indexes[self.assignment]
        replaced_setters = self.method.replaced_setters
        for name in sorted(read_names & replaced_setters.keys()):
            for step in replaced_setters[name]:
                assert step.cause is not None, "the cause is the child's assignment"
                is_below = self.merge.generated_indexes[step.cause] > position
                if is_below and not self._is_undefined(name):
                    return name, step.statement
        return None

    @cached_property
    def _names_read_indirectly(self) -> set[str]:
        """The names that the assignment may read without naming them.

        `self.total = len(self)` reads what `__len__` reads, such as `self.size`.
        """
        instance = self.method.instance
        value_text = self.assignment.code.masked_text.partition("=")[2]
        # Most values do not use the instance, and are not parsed. `self.__dict__["x"] = 1`
        # sets an attribute without naming it.
        uses_table = not _ATTRIBUTE_TABLES.isdisjoint(self.assignment.words)
        if not uses_table and not has_word(value_text, instance):
            return set()
        names: set[str] = set()
        for attribute, _ in self.method.find_indirect_reads(self.assignment):
            if attribute == _ALL_ATTRIBUTES:
                names |= self.method.binders.keys()
            elif attribute == _SPECIAL_METHODS:
                names |= {f"{instance}.{name}" for name in self.method.special_reads}
            else:
                names.add(f"{instance}.{attribute}")
        return names

    def _find_overtaken_positions(
        self, groups: Mapping[str, StatementGroup], names: Set[str]
    ) -> list[tuple[int, str]]:
        """Return where the assignment overtakes a statement that uses a name.

        Python runs the statement before the assignment, and both use the name.

        Args:
            groups: Statements of the generated method by the names that they use.
            names: The names that the assignment uses.

        Returns:
            For each name with such a statement, the position of the first one, and the
            name. They are sorted.
        """
        positions = []
        for name in names & groups.keys():
            position = groups[name].first_overtaken(self.assignment)
            if position is not None and not self._is_undefined(name):
                positions.append((position, name))
        return sorted(positions)

    def _reads_replaced_value(self) -> bool:
        """Whether the assignment reads the value that the replaced assignment sets.

        Examples are `self.total = 2 * self.total`, and
        `self.total = getattr(self, "total") + 1`.
        """
        code = self.assignment.code
        target = self.target.text
        if self.is_item:
            return code.text.count(target) > 1
        # `vars(self)["total"]` reads the value, too.
        if not self.assignment.words.isdisjoint(_ATTRIBUTE_TABLES):
            return self.is_of_instance
        # `self.total = len(self)` reads the value if `__len__` does.
        if target in self._names_read_indirectly:
            return True
        # Only assignments that contain their target twice, or `getattr`, are parsed.
        if code.masked_text.count(target) < 2 and "attr" not in code.masked_text:
            return False
        return is_used(target, names_read_by(self.assignment))

    def _is_undefined(self, name: str) -> bool:
        """Whether a name is a variable that nothing sets above the assignment.

        Then the generated code fails with `NameError`, which `UndefinedName` reports
        unless one of the files defines the name, too.
        """
        if "." in name or name in self.merge.override.parameter_names:
            return False
        inheritance = self.instances.inheritance
        resolver = inheritance.context.resolver
        for class_ in (inheritance.definition, inheritance.parent_definition):
            if not isinstance(resolver.meaning(class_.path, name), Unknown):
                return False
        return not self._is_above(self.method.first_uses.binding.get(name))

    def _fails_without(self, name: str) -> bool:
        """Whether `__init__` always fails, because nothing has set what it reads.

        Args:
            name: What the assignment reads, such as `self.size`.
        """
        attribute = name.removeprefix(f"{self.method.instance}.")
        if self.merge.key != "__init__" or not self._always_reads(attribute):
            return False
        # A statement above may set the attribute, or end the method.
        first = self.method.first_uses
        for index in (first.unknown, first.returning, first.word.get(attribute)):
            if self._is_above(index):
                return False
        inheritance = self.instances.inheritance
        return bases_never_set(inheritance.context, inheritance.child.name, attribute)

    def _always_reads(self, attribute: str) -> bool:
        """Whether the assignment reads an attribute each time it runs.

        `self.total = self.size if x else 0` does not always read `size`.
        """
        facts = facts_of(self.assignment)
        for mention in facts.mentions_of(self.method.instance):
            is_attribute = mention.attributes[:1] == (attribute,)
            is_at_once = mention.when is When.NOW and not mention.is_conditional
            if is_attribute and is_at_once and mention.reads:
                return True
        return False

    def _find_early_call(self) -> Iterator[Difference]:
        """Yield a difference if the assignment calls a method too early.

        The method reads an attribute that a later statement sets, for example.
        """
        uses = uses_of_instance(facts_of(self.assignment), self.method.instance)
        # What each method or function that the assignment may call does.
        all_effects = [self.instances.effects_of(name) for name in sorted(uses.read)]
        for mention in uses.escapes:
            all_effects.append(self.instances.uses_of_receiver(mention.passed_to))
        # `self.size = self.measure()`, where `measure` reads `self.size`
        if any(self.attribute in effects.read for effects in all_effects):
            target = self.target.text
            reason = (
                f"before `{target}` is set, but it calls a method that reads `{target}`"
            )
            yield self._differ_by_move(reason, self.replaced)
            return
        groups = map(self.method.find_conflicts, all_effects)
        overtaken = self.method.find_overtaken_statement(self.assignment, groups)
        if overtaken is None:
            return
        overtaken_uses = self.method.all_uses[overtaken]
        # The attributes that one of the two sets, and the other uses.
        conflicts: set[str] = set()
        for effects in all_effects:
            conflicts |= overtaken_uses.set & (effects.read | effects.set)
            conflicts |= overtaken_uses.read & effects.set
        name = f"{self.method.instance}.{min(conflicts)}"
        reason = f"above a line that uses `{name}`, but it calls a method that uses `{name}`, too"
        yield self._differ_by_move(reason, overtaken)

    def _find_early_visit(self) -> Iterator[Difference]:
        """Yield a difference if the assignment reads all modules before one is set.

        `self.total = len(list(self.children()))` is moved above `self.fc = nn.Linear(4, 4)`.
        """
        visitor = self.method.find_visitor(self.assignment)
        if not visitor:
            return
        groups = [self.method.module_setters]
        overtaken = self.method.find_overtaken_statement(self.assignment, groups)
        if overtaken is not None:
            attribute = min(self.method.all_uses[overtaken].set)
            name = f"{self.method.instance}.{attribute}"
            reason = f"above a line that sets `{name}`, but it calls `{visitor}`, which reads `{name}`"
            yield self._differ_by_move(reason, overtaken)

    def _find_lost_effects(self) -> Iterator[Difference]:
        """Yield what the replaced assignment does beside setting its target.

        `self.size = self.width = 8` of the parent also sets `self.width`. If `size` is
        a property, the assignment also runs its setter.
        """
        member = self.instances.member(self.attribute)
        # If a property has no setter, the parent's assignment fails in Python, so the
        # author wants it to be left out.
        runs_setter = member is not None and member.setter is not None
        if runs_setter and not self.is_item:
            yield self._differ(
                f"the parent's assignment to `{self.target.text}` is left out, so the "
                "property is set only once; in Python its code runs twice",
                self.replaced,
            )
        elif self.instances.watches_setting and not self.is_item:
            yield self._differ(
                f"the parent's assignment to `{self.target.text}` is left out, so "
                "`__setattr__` runs only once; in Python it runs twice",
                self.replaced,
            )
        yield from self._find_lost_names()

    def _find_lost_names(self) -> Iterator[Difference]:
        """Yield the names that only the replaced assignment sets or changes."""
        facts = facts_of(self.replaced)
        for mention in facts.mentions:
            if mention.usage is Usage.CALLED and mention.changes_object:
                yield self._differ(
                    "this replaces a statement of the parent that also calls "
                    f"`{mention.dotted_name}`; in Python, it is called",
                    self.replaced,
                )
        other_names = self.instances.find_set_names(
            self.replaced, self.method.instance
        ) - {self.target.text}
        # Most assignments set nothing else. Then the other statements are not parsed.
        if not other_names:
            return
        for name in sorted(other_names - self.merge.changed_names):
            yield self._differ(
                f"this replaces a statement of the parent that also sets `{name}`; in "
                f"Python, `{name}` is still set",
                self.replaced,
            )

    def _find_indirect_read(self) -> Iterator[Difference]:
        """Yield a difference if the assignment is moved above an indirect reader.

        `print(vars(self))` reads the attribute without its name. In Python, this line
        runs before the assignment.
        """
        # `self.table["x"] = 1` changes the object that any reader of `self.table` gets.
        if self.is_item:
            readers = self.method.parent_readers.get(self.attribute)
            groups: Sequence[StatementGroup | None] = [readers]
        else:
            groups = self._indirect_readers()
        statement = self.method.find_overtaken_statement(self.assignment, groups)
        if statement is None:
            return
        how = "through its item"
        if not self.is_item:
            how = self._describe_indirect_read(statement)
        yield self._differ_by_move(f"above a line that reads it {how}", statement)

    def _indirect_readers(self) -> list[StatementGroup]:
        """Return the groups of statements that may read the attribute without its name."""
        groups_by_key = self.method.indirect_readers
        # `vars(self)` reads all attributes. `draw(self)` may read just this one.
        keys = [_ALL_ATTRIBUTES, self.attribute]
        # `self + 1` reads what `__add__` reads. Special methods are read only if there is
        # such a statement, because reading them is slow.
        may_run_special_method = _SPECIAL_METHODS in groups_by_key
        if may_run_special_method and self.attribute in self.method.special_reads:
            keys.append(_SPECIAL_METHODS)
        # `self.children()` reads `self.fc = nn.Linear(4, 4)`, but not `self.size = 4`.
        may_be_module = facts_of(self.assignment).calls or facts_of(self.replaced).calls
        if _MODULES in groups_by_key and may_be_module:
            keys.append(_MODULES)
        return [groups_by_key[key] for key in keys if key in groups_by_key]

    def _describe_indirect_read(self, statement: Statement) -> str:
        """Return how a statement reads the attribute: "through `vars`", for example.

        If there are several ways, the one that tells the reader most is returned.
        """
        reads = self.method.indirect_reads[statement]
        # A way to read just this attribute.
        if self.attribute in reads:
            return reads[self.attribute]
        # A special method that reads it.
        special_reads = self.method.special_reads
        if _SPECIAL_METHODS in reads and self.attribute in special_reads:
            return special_reads[self.attribute]
        # A way to read all attributes, or all modules.
        return reads.get(_ALL_ATTRIBUTES) or reads.get(_MODULES, "")

    def _find_changed_object(self) -> Iterator[Difference]:
        """Yield a difference if one statement changes an object that another one uses.

        The child has `sizes.append(8)` and then `self.total = sum(sizes)`, which is moved
        up to the parent's `self.total = 0`. So the sum does not include the 8.
        """
        facts = facts_of(self.assignment)
        used_names = set(_with_owners(_names_of_used_objects(facts)))
        changed_names = self.method.find_changed_objects(self.assignment)
        conflicts = []
        for names, groups in (
            (used_names, self.method.object_changers),
            (changed_names, self.method.object_users if changed_names else {}),
        ):
            conflicts += self._find_overtaken_positions(groups, names)
        if conflicts:
            position, name = min(conflicts)
            reason = f"above a line that uses `{name}`, and one of the two changes it"
            overtaken = self.merge.generated_statements[position]
            yield self._differ_by_move(reason, overtaken)

    def _find_skipped_assignment(self) -> Iterator[Difference]:
        """Yield a difference if the assignment is moved above a `return` of the child.

        In Python, `if config.is_small: return` can skip the assignment.
        """
        overtaken = self.method.find_overtaken_statement(
            self.assignment, [self.method.child_returns]
        )
        if overtaken is not None:
            yield self._differ_by_move("above a line that may return", overtaken)

    def _find_earlier_error(self) -> Iterator[Difference]:
        """Yield a difference if the assignment is moved above a line that may raise an error.

        In Python, the attribute keeps its value if the error is raised. An object whose
        `__init__` raises an error is lost anyway.
        """
        if self.merge.key == "__init__":
            return
        overtaken = self.method.find_overtaken_statement(
            self.assignment, [self.method.raising_statements]
        )
        if overtaken is not None:
            yield self._differ_by_move(
                "above a line that may raise an error", overtaken
            )

    def _find_changed_order(self) -> Iterator[Difference]:
        """Yield a difference if calls such as `next(x)` change places or are left out.

        The result of such a call depends on how often it was made before.
        """
        find_ordered_calls = self.instances.find_ordered_calls
        for call in sorted(find_ordered_calls(facts_of(self.assignment))):
            callers = self.method.ordered_calls.get(call)
            statement = self.method.find_overtaken_statement(self.assignment, [callers])
            if statement is not None:
                reason = f"above a line that also calls `{call}`"
                yield self._differ_by_move(reason, statement)
                return
        for call in sorted(find_ordered_calls(facts_of(self.replaced))):
            yield self._differ(
                f"the parent's call to `{call}` is left out together with its assignment; in "
                "Python it is made",
                self.replaced,
            )
