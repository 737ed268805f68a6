"""What code may run, and which attributes it uses, when other code uses an instance."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from modular.lint.inheritance import (
    Inheritance,
    changes_module,
    find_function,
    function_of,
)
from modular.rules.classes.del_attribute import deleted_target
from modular.semantics.ancestors import TORCH_MODULE
from modular.semantics.classes import ClassModel, Member, attributes_set_by
from modular.semantics.facts import ORDERED_METHODS, CodeFacts, Usage, When
from modular.semantics.functions import FunctionModel
from modular.semantics.instances import uses_of_instance
from modular.semantics.statements import facts_of, names_bound_by
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView
from modular.source.walking import walk


_MAX_FOLLOWED_NAMES = 400
"""Number of attributes and methods that are followed from one method, to bound the time."""


class MethodUses(NamedTuple):
    """The attributes of the instance that code uses.

    Attributes:
        read: The attributes that it reads, and the strings in it, as in
            `getattr(self, "size")`.
        set: The attributes that it sets.
        run: The attributes that it reads or calls, which may run code.
    """

    read: Set[str] = frozenset()
    set: Set[str] = frozenset()
    run: Set[str] = frozenset()

    @property
    def only_set(self) -> Set[str]:
        """The attributes that it sets without reading them."""
        return self.set - self.read


@dataclass(frozen=True, eq=False)
class InstanceModel:
    """What code may run when other code uses an instance of a class.

    Attributes:
        inheritance: The class of the modular file and its parent class.
    """

    inheritance: Inheritance
    _uses: dict[str, MethodUses] = field(default_factory=dict, init=False)
    _inherited_uses: dict[str, MethodUses] = field(default_factory=dict, init=False)
    _effects: dict[str, MethodUses] = field(default_factory=dict, init=False)
    _receiver_uses: dict[str, MethodUses] = field(default_factory=dict, init=False)
    _states: dict[str, bool] = field(default_factory=dict, init=False)
    _argument_changes: dict[str, bool] = field(default_factory=dict, init=False)

    @cached_property
    def classes(self) -> Sequence[ClassModel]:
        """The class, its parent class and the ancestors that can be read, in this order."""
        return [self.inheritance.child, self.inheritance.parent, *self._ancestors]

    @cached_property
    def _ancestors(self) -> Sequence[ClassModel]:
        """The ancestors of the parent class that can be read."""
        return [model for _, model in self.inheritance.known_ancestors]

    @cached_property
    def is_complete(self) -> bool:
        """Whether all ancestors are known."""
        parent = self.inheritance.parent_definition
        return self.inheritance.context.resolver.ancestors(parent).unknown is None

    def member(self, name: str) -> Member | None:
        """Return the member of an instance by its name; None if no class defines it."""
        return _find_member(self.classes, name)

    @cached_property
    def methods_setting(self) -> Mapping[str, Sequence[DefinitionView]]:
        """The methods of both classes that set each target, such as `self.size`."""
        merged_class = self.inheritance.merged_class
        methods: dict[str, list[DefinitionView]] = {}
        for method in (
            *merged_class.inherited.values(),
            *merged_class.overriding.values(),
        ):
            for statement in method.body.statements:
                # `names_bound_by` returns `self.size` for `del self.size`, too.
                if deleted_target(statement) is not None:
                    continue
                for target in names_bound_by(statement):
                    methods.setdefault(target, []).append(method)
        return methods

    def uses_of(self, method: str) -> MethodUses:
        """Return the attributes that a method or property uses itself."""
        if method not in self._uses:
            self._uses[method] = _read_uses(self.member(method))
        return self._uses[method]

    def inherited_uses_of(self, method: str) -> MethodUses:
        """Return the attributes that the method of an ancestor of the parent class uses."""
        if method not in self._inherited_uses:
            member = _find_member(self._ancestors, method)
            self._inherited_uses[method] = _read_uses(member)
        return self._inherited_uses[method]

    def effects_of(self, method: str) -> MethodUses:
        """Return the attributes that a method or property uses, also by what it calls.

        If `f` calls `self.g()`, the attributes that `g` uses are among those of `f`. In
        classes with very many methods, only the first `_MAX_FOLLOWED_NAMES` called ones
        count, which bounds the time.
        """
        if method not in self._effects:
            # The method itself, what it calls, what this calls, and so on.
            all_called = walk([method], lambda name: self.uses_of(name).run)
            called = list(islice(all_called, _MAX_FOLLOWED_NAMES))
            read_attributes: set[str] = set()
            set_attributes: set[str] = set()
            for name in called:
                read_attributes |= self.uses_of(name).read
                set_attributes |= self.uses_of(name).set
            self._effects[method] = MethodUses(
                read_attributes, set_attributes, frozenset(called)
            )
        return self._effects[method]

    @property
    def is_module(self) -> bool:
        """Whether the class is a module of torch."""
        return TORCH_MODULE in self.inheritance.ancestors_of_parent

    @cached_property
    def watches_setting(self) -> bool:
        """Whether a `__setattr__` does more than to set an attribute.

        It does if it calls another function without using the result.
        """
        hook = self.member("__setattr__")
        if hook is None or hook.function is None:
            return False
        for _, facts in hook.function.body:
            for call in facts.calls:
                is_setting = call.function.endswith("__setattr__")
                if call.result is Usage.IGNORED and not is_setting:
                    return True
        return False

    @cached_property
    def special_methods(self) -> Sequence[str]:
        """The special methods, such as `__len__`, without `__init__` and `__new__`."""
        names: dict[str, None] = {}
        for model in self.classes:
            for name in model.members:
                is_special = name.startswith("__") and name.endswith("__")
                if is_special and name not in ("__init__", "__new__"):
                    names[name] = None
        return tuple(names)

    def uses_of_receiver(self, name: str) -> MethodUses:
        """Return the attributes that a function or class uses of any object.

        It is not known which of its objects is the instance, so each counts.

        Args:
            name: The name of the function or class in the modular file or parent file.
        """
        if name not in self._receiver_uses:
            self._receiver_uses[name] = self._find_receiver_uses(name)
        return self._receiver_uses[name]

    def _find_receiver_uses(self, name: str) -> MethodUses:
        """Return the attributes that a function or class uses of any object."""
        functions: list[FunctionModel] = []
        for path in self._paths:
            meaning = self.inheritance.context.resolver.meaning(path, name)
            function = function_of(self.inheritance, meaning)
            if function is not None:
                functions.append(function)
            class_ = self.inheritance.class_of(meaning)
            if class_ is not None:
                functions += class_.functions
        read_attributes: set[str] = set()
        set_attributes: set[str] = set()
        for receiver in functions:
            for _, facts in receiver.body:
                for mention in facts.mentions:
                    if mention.reads:
                        read_attributes.update(mention.attributes)
                    if mention.changes:
                        set_attributes.update(mention.attributes)
        return MethodUses(read_attributes, set_attributes)

    def find_set_names(self, statement: Statement, instance: str) -> set[str]:
        """Return the names that a statement binds, itself or by functions that it calls.

        `self.size = self.measure()` also sets what the method `measure` sets, and
        `setup(self)` what the function `setup` sets.

        Args:
            statement: The statement.
            instance: The variable of the instance, such as `self`.
        """
        facts = facts_of(statement)
        uses = uses_of_instance(facts, instance)
        attributes: set[str] = set()
        # What is read can be a method that is called, or a property.
        for name in uses.read:
            attributes |= self.effects_of(name).set
        for name in uses.set:
            attributes |= self._find_names_set_by_setter(name)
        for mention in uses.escapes:
            attributes |= self.uses_of_receiver(mention.passed_to).set
            if mention.passed_to.endswith(".__setattr__"):
                attributes |= facts.strings
        names = {f"{instance}.{attribute}" for attribute in attributes}
        return names | names_bound_by(statement)

    def _find_names_set_by_setter(self, name: str) -> Set[str]:
        """Return the attributes that the setter of a property sets; none without one."""
        member = self.member(name)
        if member is None or member.setter is None:
            return frozenset()
        return attributes_set_by(member.setter)

    def find_changed_objects(self, facts: CodeFacts) -> set[str]:
        """Return the names of the objects that code certainly changes.

        The name is `x` for `x.append(1)`, `x[0] = 1`, `x.size = 1` and `next(x)`, and for
        `f(x)` if the function `f` changes its argument.
        """
        names = set()
        for mention in facts.mentions:
            if mention.when is not When.NOW:
                continue
            is_passed = mention.usage is Usage.PASSED
            if mention.changes_object:
                is_whole = is_passed or mention.usage is Usage.CHANGED
                name = mention.dotted_name
                names.add(name if is_whole else name.rpartition(".")[0])
            elif is_passed and self._changes_arguments(mention.passed_to):
                names.add(mention.dotted_name)
        return names

    def _changes_arguments(self, name: str) -> bool:
        """Whether a function of the project certainly changes an object that it gets."""
        if name not in self._argument_changes:
            functions = [
                find_function(self.inheritance, name, path) for path in self._paths
            ]
            self._argument_changes[name] = any(map(_changes_a_parameter, functions))
        return self._argument_changes[name]

    @property
    def _paths(self) -> tuple[str, str]:
        """The paths of the modular file and of the parent file."""
        inheritance = self.inheritance
        return inheritance.definition.path, inheritance.parent_definition.path

    def find_ordered_calls(self, facts: CodeFacts) -> set[str]:
        """Return the calls of a statement whose result depends on earlier calls.

        These are `next(x)`, methods such as `x.pop`, and functions that change
        variables of their module.
        """
        calls = set()
        for call in facts.calls:
            function = call.function
            method = function.rpartition(".")[2]
            if function == "next" and call.arguments:
                calls.add(f"next({call.arguments[0].name})")
            elif method in ORDERED_METHODS or self._has_state(function):
                calls.add(function)
        return calls

    def _has_state(self, name: str) -> bool:
        """Whether a function of the project changes variables of its module."""
        if name not in self._states:
            self._states[name] = changes_module(find_function(self.inheritance, name))
        return self._states[name]


def _changes_a_parameter(function: FunctionModel | None) -> bool:
    """Whether a function certainly changes an object that it gets as an argument."""
    if function is None:
        return False
    parameters = {parameter.name for parameter in function.parameters}
    for _, facts in function.body:
        for mention in facts.mentions:
            if mention.name in parameters and mention.changes_object:
                return True
    return False


def _find_member(classes: Sequence[ClassModel], name: str) -> Member | None:
    """Return the member of the first class that defines it; None if none does."""
    for model in classes:
        if name in model.members:
            return model.members[name]
    return None


def _read_uses(member: Member | None) -> MethodUses:
    """Return the attributes that a method uses; none for other members."""
    if member is None or member.function is None:
        return MethodUses()
    function = member.function
    if function.instance_name is None:
        return MethodUses()
    read_attributes: set[str] = set()
    set_attributes: set[str] = set()
    names_running_code: set[str] = set()
    for _, facts in function.body:
        uses = uses_of_instance(facts, function.instance_name)
        # `getattr(self, "size")` reads `size`.
        read_attributes |= uses.read | facts.strings
        set_attributes |= uses.set
        # What is read can be a property, which runs code.
        names_running_code |= uses.called | uses.read
    return MethodUses(read_attributes, set_attributes, names_running_code)
