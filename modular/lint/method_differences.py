"""The judge of methods: finds where a merged method is not what Python's inheritance makes.

This is about the rules of transformers, by which the parent's body takes the place of a
call of `super()`, whatever that changes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from modular.lint.deletion_differences import compare_deletions
from modular.lint.flow_differences import compare_flow, compare_shared_variables
from modular.lint.inheritance import (
    Certainty,
    Difference,
    Harm,
    Inheritance,
    changes_module,
    find_function,
    is_harmless_decorator_name,
)
from modular.lint.repetition_differences import compare_repetitions
from modular.rules.classes.decorators import has_no_inherit_decorator
from modular.rules.classes.merge_record import Fate, MethodMerge, Step
from modular.semantics.classes import ClassModel, Member, MemberKind
from modular.semantics.facts import (
    Call,
    CodeFacts,
    Mention,
    OpaqueReason,
    SuperForm,
    Usage,
    When,
)
from modular.semantics.functions import (
    FunctionKind,
    FunctionModel,
    ParameterKind,
    model_function,
)
from modular.semantics.instances import InstanceUses, uses_of_instance
from modular.semantics.meanings import Builtin, ForeignName, Unknown
from modular.semantics.statements import (
    facts_of,
    names_bound_by,
    variables_set_by,
)
from modular.source.assignments import (
    Target,
    annotated_assignment,
    assigned_target,
    assigned_value,
)
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.places import place_of, place_of_word
from modular.source.source_slice import has_word
from modular.source.trees import normalized_text


_READING_METHODS = frozenset({"get", "items", "keys", "values", "copy"})
"""Methods of a dictionary that do not change it."""

_COPYING_FUNCTIONS = frozenset(
    {
        "bool",
        "dict",
        "frozenset",
        "len",
        "list",
        "repr",
        "set",
        "sorted",
        "str",
        "tuple",
    }
)
"""Functions that do not keep the dictionary that they get."""

_OPERATOR_USAGES = frozenset(
    {
        Usage.CALLED,
        Usage.ENTERED,
        Usage.FORMATTED,
        Usage.ITERATED,
        Usage.OPERAND,
        Usage.SUBSCRIPTED,
        Usage.TESTED,
        Usage.UNPACKED,
    }
)
"""Uses of an object for which Python calls special methods of it."""

_MAX_CALL_DEPTH = 5


def compare_methods(pair: Inheritance) -> Iterator[Iterable[Difference]]:
    """Find where the methods of a generated class behave differently from those in Python.

    Args:
        pair: The class of the modular file and its parent class.

    Yields:
        The differences that each comparison finds, most often none. A comparison is
        made when the caller iterates over them.
    """
    for key, override in pair.flat.overriding.items():
        parent_method = pair.flat.inherited.get(key)
        if parent_method is not None and override.name not in pair.flat.removed:
            yield _compare_headers(pair, key, override, parent_method)
    for function in pair.child.functions:
        yield _compare_super_values(pair, function)
        yield _compare_skipped_calls(pair, function)
        yield _compare_awaited_calls(pair, function)
    instances = InstanceModel(pair)
    for merge in pair.flat.merges.values():
        yield compare_flow(pair.flat, merge)
        yield compare_repetitions(merge)
        yield compare_deletions(pair.context, pair.flat, merge)
        yield _compare_named_class(pair, merge)
        yield compare_shared_variables(merge)
        yield _compare_variables(pair, merge)
        yield _compare_keyword_arguments(pair, merge)
        for comparison in _find_moves(instances, merge):
            yield comparison.find_differences()
        yield _compare_super_init(instances, merge)
        yield _compare_post_init(instances, merge)


def _compare_headers(
    pair: Inheritance, key: str, override: DefinitionView, parent_method: DefinitionView
) -> Iterator[Difference]:
    """Yield differences because an override gets `async`, `yield` or decorators of the parent.

    Args:
        pair: Both classes.
        key: The key of both methods.
        override: The method of the modular file.
        parent_method: The method of the parent class.
    """
    child = model_function(override.statement)
    parent = model_function(parent_method.statement)
    merge = pair.flat.merges.get(key)
    is_only_call = (
        merge is not None and merge.returns_call and not merge.statements_above_call
    )
    name = override.name
    place = place_of_word(override.header, name)
    related = place_of(parent_method.header)
    if parent.is_async and not child.is_async and not is_only_call:
        yield Difference(
            name,
            place,
            f"the generated `{name}` is `async` like the parent's, so a call returns a "
            "coroutine; in Python it returns the value",
            "write `async def`, or use another name",
            related=related,
        )
    is_kept_generator = is_only_call and not child.is_generator
    if merge is not None and parent.is_generator and not is_kept_generator:
        yield Difference(
            name,
            place_of(merge.super_call.bare_code),
            f"the parent's `{name}` contains `yield`, so the generated one becomes a "
            "generator; in Python, a call of it only makes one",
            "write out the code",
            related=related,
        )
    if not child.decorators and not has_no_inherit_decorator(override):
        yield from _compare_inherited_decorators(pair, child, parent, override)
    elif merge is not None:
        yield from _compare_lost_decorators(pair, child, parent, merge)


def _compare_inherited_decorators(
    pair: Inheritance,
    child: FunctionModel,
    parent: FunctionModel,
    override: DefinitionView,
) -> Iterator[Difference]:
    """Yield differences because an override without decorators gets the parent's."""
    place = place_of_word(override.header, child.name)
    is_bound = parent.kind in (FunctionKind.STATIC_METHOD, FunctionKind.CLASS_METHOD)
    if is_bound and child.parameters and child.parameters[0].name == "self":
        decorator = parent.kind.value
        yield Difference(
            child.name,
            place,
            f"the generated `{child.name}` has the parent's `{decorator}`, so `self` is not "
            "the instance; in Python it is",
            "write `@no_inherit_decorator` above the method",
        )
    if parent.is_abstract and _is_abstract_class(pair):
        yield Difference(
            child.name,
            place,
            f"the generated `{child.name}` has the parent's `@abstractmethod`, so the class "
            "has no instances",
            "write `@no_inherit_decorator` above the method",
            Harm.CALL_FAILS,
        )


def _is_abstract_class(pair: Inheritance) -> bool:
    """Whether Python looks for abstract methods of the generated class."""
    metaclass = pair.parent.keywords.get("metaclass", "")
    ancestors = (pair.parent_definition, *pair.ancestors_of_parent)
    has_base = ForeignName("abc.ABC") in ancestors
    return has_base or metaclass.rpartition(".")[2] == "ABCMeta"


def _compare_lost_decorators(
    pair: Inheritance, child: FunctionModel, parent: FunctionModel, merge: MethodMerge
) -> Iterator[Difference]:
    """Yield the parent's decorators that the copied body does not have any longer."""
    for decorator in parent.other_decorators:
        if is_harmless_decorator_name(decorator):
            continue
        is_known = find_function(pair, decorator) is not None
        yield Difference(
            child.name,
            place_of(merge.super_call.bare_code),
            f"the parent's body takes the place of this call without its decorator "
            f"`@{decorator}`; in Python, the decorated method is called",
            f"do here what `@{decorator}` does",
            certainty=Certainty.CERTAIN if is_known else Certainty.POSSIBLE,
            related=place_of(merge.parent.header),
        )


def _compare_super_values(
    pair: Inheritance, function: FunctionModel
) -> Iterator[Difference]:
    """Yield uses of `super()` as a value, which skip the parent class."""
    # In `super().f`, it is not a value.
    mask = function.statement.code.mask
    if mask.count("super") == mask.count("super()."):
        return
    used_names: set[str] = set()
    value = None
    for statement, facts in function.body:
        used_names |= facts.strings
        for mention in facts.mentions:
            used_names.update(mention.attributes)
        for use in facts.super_uses:
            if value is None and use.form in (SuperForm.OBJECT, SuperForm.FUNCTION):
                value = statement
    if value is None:
        return
    reached = sorted(used_names & pair.parent.members.keys())
    certainty = Certainty.CERTAIN if pair.parent.members else Certainty.POSSIBLE
    name = reached[0] if reached else "..."
    yield Difference(
        function.name,
        place_of_word(value.bare_code, "super"),
        f"the generated `super()` skips `{pair.flat.parent.name}`, whose members are in the "
        f"generated class itself; in Python it has the parent's `{name}`",
        "call the method in a statement of its own: `super().method(...)`",
        certainty=certainty,
    )


def _compare_awaited_calls(
    pair: Inheritance, function: FunctionModel
) -> Iterator[Difference]:
    """Yield calls such as `await super().f()`, which skip the parent's `async` method.

    A call without `await` is replaced by the parent's body. One with `await` is copied.
    """
    mask = function.statement.code.mask
    if "await" not in mask or "super" not in mask:
        return
    for statement, facts in function.body:
        for use in facts.super_uses:
            if use.result is not Usage.AWAITED or use.method not in pair.parent.members:
                continue
            yield Difference(
                function.name,
                place_of_word(statement.bare_code, "super"),
                f"the generated `await super().{use.method}()` skips "
                f"`{pair.flat.parent.name}`, whose `{use.method}` is not copied; in Python "
                "it is awaited",
                "write out the code of the parent's method",
            )


def _variables_of(statements: Sequence[Statement]) -> set[str]:
    """Return the variables that some statements set."""
    names: set[str] = set()
    for statement in statements:
        names |= variables_set_by(statement)
    return names


def _captured_by(statements: Sequence[Statement]) -> set[str]:
    """Return the variables that functions in some statements take from outside."""
    names: set[str] = set()
    for statement in statements:
        names |= facts_of(statement).variables_read_later
    return names


def _compare_skipped_calls(
    pair: Inheritance, function: FunctionModel
) -> Iterator[Difference]:
    """Yield calls of `super()` that skip the parent's method, and fail in that of a base."""
    if "super" not in function.statement.words:
        return
    replaced_lines = [merge.super_call.line for merge in pair.flat.merges.values()]
    for statement in view_definition(function.statement).body.statements:
        # Most statements have no such call, and are not parsed.
        if "super" not in statement.words or statement.line in replaced_lines:
            continue
        for use in facts_of(statement).super_uses:
            if use.call is None or use.method not in pair.parent.members:
                continue
            refusal = _find_refusing_base(pair, use.method, use.call)
            if refusal is not None:
                yield Difference(
                    function.name,
                    place_of_word(statement.bare_code, "super"),
                    f"the generated `super().{use.method}()` skips "
                    f"`{pair.flat.parent.name}`, and the `{use.method}` of "
                    f"`{refusal.base}` does not take {refusal.arguments}",
                    "call the method in a statement of its own: `super().method(...)`",
                    refusal.harm,
                )


class _Refusal(NamedTuple):
    """A base whose method refuses a call of `super()`.

    Attributes:
        base: The name of the base.
        arguments: Words for the arguments that it does not take.
        harm: Whether the call fails always, or only if a dictionary has items.
    """

    base: str
    arguments: str = "these arguments"
    harm: Harm = Harm.CALL_FAILS


def _find_refusing_base(pair: Inheritance, method: str, call: Call) -> _Refusal | None:
    """Return the base whose method `super()` finds, if it refuses a call of it.

    Args:
        pair: Both classes.
        method: The method.
        call: The call.

    Returns:
        The base. None if its method takes the arguments, or is not known.
    """
    for class_ in pair.ancestors_of_parent:
        if class_ == Builtin("object"):
            # `__new__` gets the class itself.
            allowed_count = _ARGUMENTS_OF_OBJECT.get(method)
            if allowed_count is not None and len(call.arguments) > allowed_count:
                return _Refusal("object")
            return None
        model = pair.class_of(class_)
        if model is None:
            if class_ in _WITHOUT_METHODS:
                continue
            return None
        member = model.members.get(method)
        if member is None:
            continue
        if member.function is None or member.function.kind is not FunctionKind.PLAIN:
            return None
        return _find_refusal(pair, model.name, member, call)
    return None


def _find_refusal(
    pair: Inheritance, base: str, member: Member, call: Call
) -> _Refusal | None:
    """Return why a method of a base refuses a call that the parent's method takes."""
    assert member.function is not None, "the member is a method"
    bound = member.function.bind(call, is_bound=True)
    if bound is not None and bound.fails:
        return _Refusal(base)
    taken_by_parent = _stars_of(pair.parent.members[member.function.name])
    for argument in call.arguments:
        # The call passes on what only the parent's method takes.
        if argument.stars in taken_by_parent - _stars_of(member):
            refused = f"`{argument.stars}{argument.name}`"
            return _Refusal(base, refused, Harm.OTHER_RESULT)
    return None


def _stars_of(member: Member) -> set[str]:
    """Return `*` and `**` if a method takes any number of such arguments."""
    stars = set()
    parameters = () if member.function is None else member.function.parameters or ()
    for parameter in parameters:
        if parameter.kind is ParameterKind.VAR_POSITIONAL:
            stars.add("*")
        elif parameter.kind is ParameterKind.VAR_KEYWORD:
            stars.add("**")
    return stars


_ARGUMENTS_OF_OBJECT = {"__init__": 0, "__new__": 1, "__init_subclass__": 0}
"""The number of arguments that methods of `object` take."""

_WITHOUT_METHODS = (
    ForeignName("abc.ABC"),
    ForeignName("typing.Generic"),
    ForeignName("typing.Protocol"),
)
"""Bases that have no methods to be called by `super()`."""


def _compare_named_class(pair: Inheritance, merge: MethodMerge) -> Iterator[Difference]:
    """Yield a replaced call of `super(X, self)`, where `X` is not the child."""
    for use in facts_of(merge.super_call).super_uses:
        named = use.super_arguments[0] if use.super_arguments else "__class__"
        if named in ("__class__", pair.child.name):
            continue
        method = f"{pair.flat.parent.name}.{merge.override.name}"
        yield Difference(
            merge.override.name,
            place_of_word(merge.super_call.bare_code, "super"),
            f"this call is replaced by the code of `{method}`; in Python it calls the next "
            f"`{merge.override.name}` after `{named}`",
            f"write `super()` for the method of `{pair.flat.parent.name}`, or name the base "
            "whose method is meant",
            related=place_of(merge.parent.header),
        )


def _compare_variables(pair: Inheritance, merge: MethodMerge) -> Iterator[Difference]:
    """Yield variables of the parent's body that hide or change what the child's code reads.

    - A variable that only the parent's body sets can hide an import or a builtin.
    - A variable that both bodies set can be read by a function inside one of them, which
      then sees the value of the other.
    """
    below = () if merge.returns_call else merge.statements_below_call
    above = merge.statements_above_call
    parent_variables = _variables_of(merge.kept_parent_statements)
    parameters = merge.override.parameter_names
    set_above = _variables_of(above) | parameters
    set_below = _variables_of(below)
    yield from _compare_hidden_names(
        pair, merge, parent_variables - set_above - set_below
    )
    # A function above the call reads a variable that the parent's body changes.
    shared_above = parent_variables & set_above
    if shared_above:
        for name in sorted(_captured_by(above) & shared_above):
            yield _captured_variable(merge, name, above)
    # A function of the parent's body reads a variable that the code below the call sets.
    shared_below = set_below & _variables_of(merge.parent_statements) - parameters
    if shared_below:
        parent_functions = _captured_by(merge.kept_parent_statements)
        for name in sorted(parent_functions & shared_below):
            yield _captured_variable(merge, name, below)


def _compare_hidden_names(
    pair: Inheritance, merge: MethodMerge, hiding: Set[str]
) -> Iterator[Difference]:
    """Yield names of the file that the child's code reads and a variable hides.

    Args:
        pair: Both classes.
        merge: The method and its parent's.
        hiding: The variables that only the parent's body sets.
    """
    below = () if merge.returns_call else merge.statements_below_call
    above = merge.statements_above_call
    for statements, harm in ((above, Harm.CALL_FAILS), (below, Harm.OTHER_RESULT)):
        for statement in statements:
            # Most statements have no such word, and are not parsed.
            if hiding.isdisjoint(statement.words):
                continue
            facts = facts_of(statement)
            read = facts.variables_read_at_once | facts.variables_read_later
            for name in sorted(read & hiding):
                meaning = pair.context.resolver.meaning(pair.definition.path, name)
                if isinstance(meaning, Unknown):
                    continue
                yield Difference(
                    merge.override.name,
                    place_of_word(statement.bare_code, name),
                    f"this `{name}` is a variable of the parent's body that replaces the "
                    f"call; in Python it is the `{name}` of this file",
                    f"import or define `{name}` under another name",
                    harm,
                    related=place_of(merge.parent.header),
                )


def _captured_variable(
    merge: MethodMerge, name: str, statements: Sequence[Statement]
) -> Difference:
    """Return the difference that a function reads a variable of both bodies."""
    statement = next(item for item in statements if name in item.words)
    return Difference(
        merge.override.name,
        place_of_word(statement.bare_code, name),
        f"a function reads `{name}`, which this method and the parent's body both set; in "
        "Python these are two variables",
        "give the variable another name",
    )


def _compare_keyword_arguments(
    pair: Inheritance, merge: MethodMerge
) -> Iterator[Difference]:
    """Yield dictionaries such as `kwargs` that the parent's body changes for the child, too."""
    shared = {
        parameter.lstrip("*")
        for parameter in merge.parent.parameters
        if parameter.startswith("**") and parameter in merge.override.parameters
    }
    for name in shared:
        changing = _find_change_of_dictionary(pair, merge, name)
        if changing is None:
            continue
        reader = _find_reader_of_dictionary(merge, name)
        if reader is not None:
            yield Difference(
                merge.override.name,
                place_of_word(reader.bare_code, name),
                f"the parent's body also changes this `{name}`; in Python it gets a copy",
                f"write `{name} = dict({name})` above, and use another name for the copy",
                related=place_of(changing.bare_code),
            )


def _find_change_of_dictionary(
    pair: Inheritance, merge: MethodMerge, name: str
) -> Statement | None:
    """Return the parent's statement that changes a dictionary, also by another name."""
    names = {name}
    for statement in merge.kept_parent_statements:
        facts = facts_of(statement)
        if names.isdisjoint(facts.names):
            continue
        for current in sorted(names):
            if _changes_dictionary(statement, current):
                return statement
            for mention in facts.mentions_of(current):
                is_passed = mention.usage is Usage.PASSED and not mention.attributes
                if is_passed and _function_changes(pair, mention.passed_to):
                    return statement
            names |= uses_of_instance(facts, current).aliases
    return None


def _function_changes(pair: Inheritance, name: str) -> bool:
    """Whether a function of the project changes a dictionary that it gets."""
    function = find_function(pair, name)
    if function is None:
        return False
    parameters = [parameter.name for parameter in function.parameters or ()]
    for statement, _ in function.body:
        if any(_changes_dictionary(statement, parameter) for parameter in parameters):
            return True
    return False


def _changes_dictionary(statement: Statement, name: str) -> bool:
    """Whether a statement sets an item of a dictionary, or calls a method that may do so."""
    changing_usages = (Usage.CHANGED, Usage.AUGMENTED)
    for mention in facts_of(statement).mentions_of(name):
        if not mention.attributes:
            if mention.usage in changing_usages:
                return True
        elif mention.usage is Usage.CALLED:
            if mention.attributes[0] not in _READING_METHODS:
                return True
    return False


def _find_reader_of_dictionary(merge: MethodMerge, name: str) -> Statement | None:
    """Return the child's statement that reads a dictionary below, or stores it above."""
    storing_usages = (Usage.ALIASED, Usage.STORED, Usage.PASSED)
    for statement in merge.statements_above_call:
        for mention in facts_of(statement).mentions_of(name):
            is_stored = mention.usage in storing_usages and not mention.attributes
            is_kept = is_stored and mention.passed_to not in _COPYING_FUNCTIONS
            if is_kept or mention.when is When.LATER:
                return statement
    if not merge.returns_call:
        for statement in merge.statements_below_call:
            if name in facts_of(statement).names:
                return statement
    return None


@dataclass(frozen=True, eq=False)
class InstanceModel:
    """What code may run when other code uses an instance of a class.

    Attributes:
        pair: The class of the modular file and its parent class.
    """

    pair: Inheritance
    _uses: dict[str, "_MethodUses"] = field(default_factory=dict, init=False)
    _reads: dict[tuple[str, int], Set[str]] = field(default_factory=dict, init=False)
    _function_reads: dict[str, Set[str]] = field(default_factory=dict, init=False)
    _class_reads: dict[str, Set[str]] = field(default_factory=dict, init=False)
    _sets: dict[tuple[str, bool], Set[str]] = field(default_factory=dict, init=False)
    _states: dict[str, bool] = field(default_factory=dict, init=False)

    @cached_property
    def classes(self) -> Sequence[ClassModel]:
        """The class, its parent class and the ancestors that can be read, in this order."""
        models = [self.pair.child, self.pair.parent]
        for ancestor in self.pair.ancestors_of_parent:
            model = self.pair.class_of(ancestor)
            if model is not None:
                models.append(model)
        return models

    @cached_property
    def is_complete(self) -> bool:
        """Whether all ancestors are known."""
        parent = self.pair.parent_definition
        return self.pair.context.resolver.ancestors(parent).unknown is None

    def member(self, name: str) -> Member | None:
        """Return the member of an instance by its name; None if no class defines it."""
        for model in self.classes:
            if name in model.members:
                return model.members[name]
        return None

    def is_property(self, name: str) -> bool:
        """Whether an attribute is a property."""
        member = self.member(name)
        return member is not None and member.kind is MemberKind.PROPERTY

    def reads(self, method: str, attribute: str) -> bool:
        """Whether a method or property reads an attribute, also by other methods."""
        return attribute in self.attributes_read_by(method)

    def attributes_read_by(self, method: str, depth: int = _MAX_CALL_DEPTH) -> Set[str]:
        """Return the attributes that a method or property reads, also by other methods.

        The strings in its code count as attributes, as in `getattr(self, "size")`.

        Args:
            method: Its name.
            depth: How many methods may call each other.
        """
        if depth == 0:
            return frozenset()
        key = (method, depth)
        if key not in self._reads:
            if method not in self._uses:
                self._uses[method] = _read_uses(self.member(method))
            uses = self._uses[method]
            names = set(uses.named)
            # A read attribute may be a property.
            for name in uses.run - {method}:
                names |= self.attributes_read_by(name, depth - 1)
            self._reads[key] = names
        return self._reads[key]

    def special_method_that_reads(self, attribute: str) -> str:
        """Return a special method, such as `__len__`, that reads an attribute, or ""."""
        for name in self._special_methods:
            if self.reads(name, attribute):
                return name
        return ""

    @cached_property
    def attributes_read_by_special_methods(self) -> Set[str]:
        """The attributes that special methods such as `__len__` read."""
        attributes: set[str] = set()
        for name in self._special_methods:
            attributes |= self.attributes_read_by(name)
        return attributes

    @cached_property
    def _special_methods(self) -> Sequence[str]:
        """The special methods, such as `__len__`, except for those that make an instance."""
        names: dict[str, None] = {}
        for model in self.classes:
            for name in model.members:
                is_special = name.startswith("__") and name.endswith("__")
                if is_special and name not in ("__init__", "__new__"):
                    names[name] = None
        return tuple(names)

    def attributes_read_by_function(self, name: str) -> Set[str]:
        """Return the attributes that a function of the project reads of its arguments."""
        if name not in self._function_reads:
            function = find_function(self.pair, name)
            self._function_reads[name] = _attributes_of_arguments(function)
        return self._function_reads[name]

    def attributes_read_by_class(self, name: str) -> Set[str]:
        """Return the attributes that the code of a class of the project reads of objects."""
        if name not in self._class_reads:
            self._class_reads[name] = self._find_class_reads(name)
        return self._class_reads[name]

    def _find_class_reads(self, name: str) -> Set[str]:
        """Compute the result of `attributes_read_by_class`.

        It is empty if the parent file does not know the name, or it is not a class.
        """
        attributes: set[str] = set()
        if not name:
            return attributes
        path = self.pair.parent_definition.path
        meaning = self.pair.context.resolver.meaning(path, name)
        model = self.pair.class_of(meaning)
        if model is not None:
            for function in model.functions:
                for _, facts in function.body:
                    for mention in facts.mentions:
                        if mention.reads:
                            attributes.update(mention.attributes[-1:])
        return attributes

    def has_state(self, name: str) -> bool:
        """Whether a function of the project changes variables of its module."""
        if name not in self._states:
            self._states[name] = changes_module(find_function(self.pair, name))
        return self._states[name]

    def find_ordered_calls(self, facts: CodeFacts) -> set[str]:
        """Return calls whose order counts: `next(x)`, `x.pop` and functions with a state."""
        calls = set()
        for call in facts.calls:
            if call.function == "next" and call.arguments:
                calls.add(f"next({call.arguments[0].name})")
            elif call.function.endswith((".pop", ".popleft", ".popitem", ".readline")):
                calls.add(call.function)
            elif self.has_state(call.function):
                calls.add(call.function)
        return calls

    def reads_in(self, method: str) -> Set[str]:
        """Return the attributes that the first method of an ancestor of the parent reads."""
        for model in self.classes[2:]:
            member = model.members.get(method)
            function = None if member is None else member.function
            if function is None or function.instance_name is None:
                continue
            names: set[str] = set()
            for _, facts in function.body:
                names |= uses_of_instance(facts, function.instance_name).read
                names |= facts.strings
            return names
        return frozenset()

    def sets_in(self, method: str, *, skips_parent: bool) -> Set[str]:
        """Return the attributes that the first method of an ancestor sets.

        An attribute that it also reads does not lose the value that it had.

        Args:
            method: The name of the method.
            skips_parent: Whether only the ancestors of the parent class count.
        """
        key = (method, skips_parent)
        if key not in self._sets:
            models = self.classes[2:] if skips_parent else self.classes
            self._sets[key] = _find_sets(models, method)
        return self._sets[key]


class _MethodUses(NamedTuple):
    """The names that a method or property uses.

    Attributes:
        named: The attributes that it reads, and the strings in its code.
        run: The attributes that it reads or calls, which may run code.
    """

    named: Set[str]
    run: Set[str]


def _read_uses(member: Member | None) -> _MethodUses:
    """Return the names that a member uses; none if it is not a method of an instance."""
    named: set[str] = set()
    run: set[str] = set()
    function = None if member is None else member.function
    if function is not None and function.instance_name is not None:
        for _, facts in function.body:
            uses = uses_of_instance(facts, function.instance_name)
            named |= uses.read | facts.strings
            run |= uses.called | uses.read
    return _MethodUses(named, run)


def _attributes_of_arguments(function: FunctionModel | None) -> set[str]:
    """Return the attributes of its arguments that a function mentions."""
    attributes: set[str] = set()
    if function is not None:
        parameters = {parameter.name for parameter in function.parameters or ()}
        for _, facts in function.body:
            for mention in facts.mentions:
                if mention.name in parameters:
                    attributes.update(mention.attributes)
    return attributes


def _find_sets(models: Sequence[ClassModel], method: str) -> Set[str]:
    """Return the attributes that the first method with a name sets, but does not read."""
    for model in models:
        member = model.members.get(method)
        function = None if member is None else member.function
        if function is None or function.instance_name is None:
            continue
        set_names: set[str] = set()
        read_names: set[str] = set()
        for _, facts in function.body:
            uses = uses_of_instance(facts, function.instance_name)
            set_names |= uses.set
            read_names |= uses.read
        return set_names - read_names
    return frozenset()


@dataclass(frozen=True, eq=False)
class _GeneratedMethod:
    """The statements of a generated method, by what they may read without naming it.

    They are read once for all assignments that the method moves.

    Attributes:
        instances: What code runs on an instance.
        merge: The method.
        instance: The variable of the instance.
    """

    instances: InstanceModel
    merge: MethodMerge
    instance: str

    @cached_property
    def facts(self) -> Mapping[Statement, CodeFacts]:
        """What each generated statement does.

        A long method has more statements than `facts_of` remembers.
        """
        statements = self.merge.all_generated_statements
        return {statement: facts_of(statement) for statement in statements}

    @cached_property
    def all_uses(self) -> Mapping[Statement, InstanceUses]:
        """What each generated statement does with the instance."""
        uses = {}
        for statement, facts in self.facts.items():
            uses[statement] = uses_of_instance(facts, self.instance)
        return uses

    @cached_property
    def carriers(self) -> Set[str]:
        """The dotted names that may be the instance, or contain it.

        These are `me` after `me = self`, `self.table` after `self.table = [self]`, and
        `item` after `for item in self.table`.
        """
        carriers: set[str] = set()
        for statement, uses in self.all_uses.items():
            facts = self.facts[statement]
            is_carried = any(map(_is_carried, uses.escapes))
            if is_carried or self.uses_carrier(facts, carriers):
                carriers |= facts.changed_names
        return carriers

    def uses_carrier(self, facts: CodeFacts, carriers: Set[str]) -> bool:
        """Whether code reads one of some names, or an attribute of one."""
        if not carriers:
            return False
        return any(
            _split_at(mention, carriers) is not None for mention in facts.mentions
        )

    @cached_property
    def holders(self) -> Mapping[str, Sequence[str]]:
        """The classes of each object that gets the instance: `Table` of `t = Table(self)`.

        The object is the name that the statement sets, such as `t` or `self.table`.
        """
        holders: dict[str, list[str]] = {}
        for statement, uses in self.all_uses.items():
            for mention in uses.escapes:
                if mention.passed_to:
                    for name in sorted(self.facts[statement].changed_names):
                        holders.setdefault(name, []).append(mention.passed_to)
        return holders

    @cached_property
    def changed_names(self) -> Set[str]:
        """The names that the generated statements set."""
        names: set[str] = set()
        for facts in self.facts.values():
            names |= facts.changed_names
        return names

    @cached_property
    def calls_super(self) -> bool:
        """Whether a statement of the parent's body calls `super()`."""
        statements = self.merge.kept_parent_statements
        return any("super" in statement.words for statement in statements)

    @cached_property
    def first_settings(self) -> Mapping[str, int]:
        """The index in `merge.steps` of the first statement that sets each name.

        The name is empty for the first statement that may set any attribute.
        """
        indexes: dict[str, int] = {}
        for index, step in enumerate(self.merge.steps):
            if step.fate.is_generated:
                facts = self.facts[step.statement]
                for name in facts.changed_names:
                    indexes.setdefault(name, index)
                uses = self.all_uses[step.statement]
                if facts.opaque or uses.escapes or uses.called:
                    indexes.setdefault("", index)
        return indexes

    @cached_property
    def step_indexes(self) -> Mapping[Statement, int]:
        """The first index in `merge.steps` of each statement."""
        indexes: dict[Statement, int] = {}
        for index, step in enumerate(self.merge.steps):
            indexes.setdefault(step.statement, index)
        return indexes

    @cached_property
    def first_above_call(self) -> Mapping[str, Statement]:
        """The first statement above the call that sets each name."""
        statements: dict[str, Statement] = {}
        for statement in self.merge.statements_above_call:
            for name in facts_of(statement).changed_names:
                statements.setdefault(name, statement)
        return statements

    def find_overtaken(
        self, cause: Statement, indexes: Iterable[int]
    ) -> Sequence[Statement]:
        """Return those of some statements that Python runs before an assignment.

        The generated method runs them after it.

        Args:
            cause: The assignment.
            indexes: Indexes of generated statements.
        """
        position = self.merge.indexes_below_call.get(cause)
        if position is None:
            return ()
        return self.merge.select_overtaken(position, sorted(set(indexes)))

    def find_indirect_reads(self, attribute: str) -> Iterator[int]:
        """Yield the indexes of the statements that may read an attribute without naming it."""
        if attribute in self._attributes_read_by_hooks:
            yield from range(len(self.merge.generated_statements))
            return
        for source in (*self._sources_by_attribute.get(attribute, ()), _ANY):
            yield from self._indexes_by_source.get(source, ())

    @cached_property
    def _attributes_read_by_hooks(self) -> Set[str]:
        """The attributes that are read when any attribute is read."""
        names: set[str] = set()
        for hook in _READ_HOOKS:
            names |= self.instances.attributes_read_by(hook)
        return names

    @cached_property
    def _sources_by_attribute(self) -> Mapping[str, Sequence["_Source"]]:
        """The code by which generated statements may read each attribute."""
        sources: dict[str, list[_Source]] = {}
        for source in self._indexes_by_source:
            for attribute in self._attributes_of(source):
                sources.setdefault(attribute, []).append(source)
        return sources

    def _attributes_of(self, source: "_Source") -> Set[str]:
        """Return the attributes that some code reads."""
        match source.kind:
            case _SourceKind.ATTRIBUTE:
                return {source.name}
            case _SourceKind.METHOD:
                return self.instances.attributes_read_by(source.name)
            case _SourceKind.FUNCTION:
                return self.instances.attributes_read_by_function(source.name)
            case _SourceKind.CLASS:
                return self.instances.attributes_read_by_class(source.name)
            case _SourceKind.SPECIAL:
                return self.instances.attributes_read_by_special_methods
        return frozenset()

    @cached_property
    def _indexes_by_source(self) -> Mapping["_Source", Sequence[int]]:
        """The indexes of the statements that run each code."""
        indexes: dict[_Source, list[int]] = {}
        for index, statement in enumerate(self.merge.generated_statements):
            for source in self._find_sources(statement):
                indexes.setdefault(source, []).append(index)
        return indexes

    def _find_sources(self, statement: Statement) -> Iterator["_Source"]:
        """Yield the code by which a statement may read attributes."""
        facts = self.facts[statement]
        uses = self.all_uses[statement]
        if facts.opaque:
            yield _ANY
        for name in uses.read - uses.called:
            yield _Source(_SourceKind.METHOD, name)
        if uses.escapes:
            yield _Source(_SourceKind.SPECIAL)
            for string in facts.strings:
                yield _Source(_SourceKind.ATTRIBUTE, string)
        for mention in uses.escapes:
            yield _Source(_SourceKind.FUNCTION, mention.passed_to)
            yield _Source(_SourceKind.CLASS, mention.passed_to)
        for name in self.find_attributes_of_carriers(statement):
            yield _Source(_SourceKind.ATTRIBUTE, name)
            yield _Source(_SourceKind.METHOD, name)
        for holder in self.find_holders(facts):
            for class_name in self.holders[holder]:
                yield _Source(_SourceKind.CLASS, class_name)

    def find_attributes_of_carriers(self, statement: Statement) -> Mapping[str, str]:
        """Return the attributes that a statement may read of the instance by another name.

        Returns:
            The expressions by attribute: `me.size` for `size`.
        """
        facts = self.facts[statement]
        attributes: dict[str, str] = {}
        is_carried = any(map(_is_carried, self.all_uses[statement].escapes))
        for mention in facts.mentions:
            rest = _split_at(mention, self.carriers)
            if rest is None or not mention.reads and not rest[1:]:
                continue
            is_carried = True
            for attribute in rest:
                attributes[attribute] = mention.dotted_name
        if is_carried:
            for attribute in sorted(facts.unnamed_attributes | facts.nested_attributes):
                attributes[attribute] = f"....{attribute}"
        return attributes

    def find_holders(self, facts: CodeFacts) -> Sequence[str]:
        """Return the objects with the instance that code reads, or an attribute of them."""
        names = set()
        for read_name in facts.read_names:
            parts = read_name.split(".")
            for count in range(1, len(parts) + 1):
                name = ".".join(parts[:count])
                if name in self.holders:
                    names.add(name)
        return sorted(names)

    @cached_property
    def reading_indexes(self) -> Mapping[str, Sequence[int]]:
        """The indexes of the statements that read each attribute by its name."""
        indexes: dict[str, list[int]] = {}
        for index, statement in enumerate(self.merge.generated_statements):
            for name in self.all_uses[statement].read:
                indexes.setdefault(name, []).append(index)
        return indexes

    @cached_property
    def consuming_indexes(self) -> Mapping[str, Sequence[int]]:
        """The indexes of the statements with each call whose order counts."""
        indexes: dict[str, list[int]] = {}
        for index, statement in enumerate(self.merge.generated_statements):
            for call in self.instances.find_ordered_calls(self.facts[statement]):
                indexes.setdefault(call, []).append(index)
        return indexes


_CARRYING_USAGES = frozenset(
    {
        Usage.ALIASED,
        Usage.ENTERED,
        Usage.ITERATED,
        Usage.MATCHED,
        Usage.OPERAND,
        Usage.STORED,
        Usage.SUBSCRIPTED,
        Usage.UNPACKED,
    }
)
"""Uses of an object whose result may be the object, or contain it."""


def _is_carried(escape: Mention) -> bool:
    """Whether a mention of the instance puts it where other names find it."""
    return not escape.attributes and escape.usage in _CARRYING_USAGES


def _split_at(mention: Mention, names: Set[str]) -> tuple[str, ...] | None:
    """Return the attributes of a mention that follow one of some dotted names.

    For `self.table.size` and the name `self.table`, this is `size`.

    Returns:
        None if it mentions none of the names.
    """
    for count in range(len(mention.attributes) + 1):
        if ".".join((mention.name, *mention.attributes[:count])) in names:
            return mention.attributes[count:]
    return None


class _SourceKind(Enum):
    """The kinds of code by which a statement reads attributes without naming them."""

    ANY = "vars(self)"
    ATTRIBUTE = "me.size"
    METHOD = "a method or property"
    FUNCTION = "a function that gets the instance"
    CLASS = "a class that gets the instance"
    SPECIAL = "a special method, as by `len(self)`"


class _Source(NamedTuple):
    """Code by which a statement reads attributes without naming them.

    Attributes:
        kind: Its kind.
        name: The attribute, method, function or class.
    """

    kind: _SourceKind
    name: str = ""


_ANY = _Source(_SourceKind.ANY)
"""Code that may read any attribute."""

_READ_HOOKS = ("__getattribute__", "__getattr__")
"""Special methods that Python calls when an attribute is read."""


@dataclass(frozen=True, eq=False)
class _Move:
    """An assignment of the child that takes the place of the parent's, or a `del`.

    Attributes:
        method: The generated method.
        step: The step of the parent's statement that is left out.
        target: What is assigned or deleted.
    """

    method: _GeneratedMethod
    step: Step
    target: Target

    @property
    def instances(self) -> InstanceModel:
        """What code runs on an instance."""
        return self.method.instances

    @property
    def merge(self) -> MethodMerge:
        """The method and its parent's."""
        return self.method.merge

    @property
    def instance(self) -> str:
        """The variable of the instance."""
        return self.method.instance

    @property
    def cause(self) -> Statement:
        """The child's statement."""
        assert self.step.cause is not None, "a replaced statement has a cause"
        return self.step.cause

    @property
    def attribute(self) -> str:
        """The attribute of the instance that is set: `size` for `self.size[0]`."""
        text = self.target.text.removeprefix(f"{self.instance}.")
        return text.partition("[")[0].partition(".")[0]

    @property
    def is_item(self) -> bool:
        """Whether the target is an item, such as `self.table["x"]`."""
        return self.target.text.endswith("]")

    @property
    def _is_of_instance(self) -> bool:
        """Whether the target is an attribute of the instance, or an item of one."""
        name = self.target.text.partition("[")[0]
        return name == f"{self.instance}.{self.attribute}"

    @property
    def _runs_property(self) -> bool:
        """Whether the attribute is a property that can be set or deleted.

        Without a setter, the modular class fails in Python. Then its author wants the
        parent's assignment to be left out.
        """
        member = self.instances.member(self.attribute)
        return member is not None and member.setter is not None

    def find_differences(self) -> Iterator[Difference]:
        """Yield what the generated method does differently because of the move."""
        if not self._is_of_instance:
            return
        if self._runs_property and not self.is_item:
            yield self._differ(
                f"the parent's assignment to `{self.target.text}` is left out, so the "
                "property is set only once; in Python its code runs twice",
                self.step.statement,
            )
        yield from self._find_lost_targets()
        yield from self._find_missing_value()
        if self.step.fate is Fate.DELETED:
            yield from self._find_remaining_value()
            return
        if self.is_item:
            indexes: Iterable[int] = self.method.reading_indexes.get(self.attribute, ())
        else:
            indexes = self.method.find_indirect_reads(self.attribute)
        for statement in self.method.find_overtaken(self.cause, indexes):
            reason = self._reads_target(statement)
            if reason:
                yield self._differ(
                    f"this assignment is moved up to where the parent assigns "
                    f"`{self.target.text}`, above a line that reads it {reason}; in Python "
                    "it runs last",
                    statement,
                )
                return
        yield from self._find_changed_order()

    def _differ(
        self, message: str, related: Statement, harm: Harm = Harm.OTHER_RESULT
    ) -> Difference:
        """Return a difference at the assignment of the modular file.

        The hint is to annotate the assignment, if it replaces one of the parent.

        Args:
            message: What is different.
            related: The statement of the parent that explains the difference.
            harm: What can happen because of it.
        """
        hint = ""
        if self.step.fate is Fate.REPLACED:
            annotated = annotated_assignment(self.cause)
            hint = f"to keep it below, annotate it: `{annotated}`"
        return Difference(
            self.merge.override.name,
            place_of(self.cause.bare_code),
            message,
            hint,
            harm,
            related=place_of(related.bare_code),
        )

    def _find_lost_targets(self) -> Iterator[Difference]:
        """Yield the other targets of the parent's statement, as in `self.a = self.b = 1`."""
        statement = self.step.statement
        lost = names_bound_by(statement) - {self.target.text}
        if not lost:
            return
        lost -= self.method.changed_names
        for name in sorted(lost):
            yield self._differ(
                f"this replaces the parent's statement that also sets `{name}`; in Python "
                "that is still set",
                statement,
            )

    def _find_missing_value(self) -> Iterator[Difference]:
        """Yield `self.x = self.x` if nothing sets `self.x` above it."""
        target = self.target.text
        if self.step.fate is not Fate.REPLACED or self.is_item:
            return
        if self.cause.code.mask.count(target) < 2:
            return
        # `EarlyAssignment` reports other values that read it.
        value = assigned_value(self.cause)
        if value is None or normalized_text(value) != target:
            return
        if self._is_set_before(target):
            return
        yield self._differ(
            f"this reads `{target}`, but it replaces the parent's assignment, so nothing has "
            "set it yet",
            self.step.statement,
        )

    def _is_set_before(self, target: str) -> bool:
        """Whether something may set a target above the assignment."""
        position = self.method.step_indexes.get(self.cause, len(self.merge.steps))
        for name in (target, ""):
            if self.method.first_settings.get(name, position) < position:
                return True
        if self.instances.member(self.attribute) is not None:
            return True
        if not self.instances.is_complete:
            return True
        return self.attribute in self.instances.sets_in(
            self.merge.override.name, skips_parent=True
        )

    def _find_remaining_value(self) -> Iterator[Difference]:
        """Yield a `del` of an attribute that still has the value from before the parent's code."""
        target = self.target.text
        statement = self.method.first_above_call.get(target)
        if statement is not None:
            yield self._differ(
                f"this only removes the parent's assignment to `{target}`, so the value "
                "that is set above the call stays; in Python it is deleted",
                statement,
            )
            return
        inherited = self.instances.sets_in(self.merge.override.name, skips_parent=True)
        if self.attribute in inherited and self.method.calls_super:
            yield self._differ(
                f"this only removes the parent's assignment to `{target}`, which a base of "
                "the parent class sets, too; in Python it is deleted",
                self.step.statement,
            )

    def _reads_target(self, statement: Statement) -> str:
        """Return how a statement reads the attribute without naming it, or ""."""
        attribute = self.attribute
        facts = self.method.facts[statement]
        uses = self.method.all_uses[statement]
        if self.is_item:
            is_parents = self.merge.is_of_parent(statement)
            return "by its item" if is_parents and attribute in uses.read else ""
        for opaque in facts.opaque:
            is_table = opaque.reason is OpaqueReason.ATTRIBUTE_TABLE
            if is_table or opaque.name == "vars":
                return f"by `{opaque.name}`"
        if attribute in facts.strings and uses.escapes:
            return f'by the string "{attribute}"'
        # Methods that are called are left to `MovedAssignment`.
        for name in sorted(uses.read - uses.called):
            if self.instances.reads(name, attribute):
                return f"by `{name}`"
        for mention in uses.escapes:
            how = self._reads_by_escape(mention)
            if how:
                return how
        by_holder = self._reads_by_holder(facts)
        by_carrier = self._reads_by_carrier(statement)
        return by_holder or by_carrier or self._reads_by_hook(uses)

    def _reads_by_escape(self, mention: Mention) -> str:
        """Return how code that gets the instance reads the attribute, or ""."""
        if mention.attributes:
            return ""
        if mention.usage is Usage.PASSED and mention.passed_to:
            name = mention.passed_to
            by_function = self.instances.attributes_read_by_function(name)
            by_class = self.instances.attributes_read_by_class(name)
            if self.attribute in by_function or self.attribute in by_class:
                return f"in `{name}`"
            resolver = self.instances.pair.context.resolver
            path = self.instances.pair.definition.path
            is_builtin = isinstance(resolver.meaning(path, mention.passed_to), Builtin)
            if not is_builtin:
                return ""
        elif mention.usage not in _OPERATOR_USAGES:
            return ""
        special = self.instances.special_method_that_reads(self.attribute)
        return f"by `{special}`" if special else ""

    def _reads_by_holder(self, facts: CodeFacts) -> str:
        """Return the object that has got the instance and reads the attribute, or ""."""
        for name in self.method.find_holders(facts):
            for class_name in self.method.holders[name]:
                if self.attribute in self.instances.attributes_read_by_class(
                    class_name
                ):
                    return f"by `{name}`"
        return ""

    def _reads_by_carrier(self, statement: Statement) -> str:
        """Return another expression for the attribute that code reads, or ""."""
        attributes = self.method.find_attributes_of_carriers(statement)
        for name, expression in attributes.items():
            if name == self.attribute or self.instances.reads(name, self.attribute):
                return f"as `{expression}`"
        return ""

    def _reads_by_hook(self, uses: InstanceUses) -> str:
        """Return `__getattr__` if reading another attribute calls it, or ""."""
        for hook in _READ_HOOKS:
            if not self.instances.reads(hook, self.attribute):
                continue
            unknown = [
                name for name in uses.read if self.instances.member(name) is None
            ]
            if hook == "__getattribute__" or unknown:
                return f"by `{hook}`"
        return ""

    def _find_changed_order(self) -> Iterator[Difference]:
        """Yield two calls of `next(x)`, or of a method of `x`, whose order changes."""
        own = self.instances.find_ordered_calls(facts_of(self.cause))
        indexes: list[int] = []
        for call in own:
            indexes += self.method.consuming_indexes.get(call, ())
        for statement in self.method.find_overtaken(self.cause, indexes):
            facts = self.method.facts[statement]
            shared = own & self.instances.find_ordered_calls(facts)
            if shared:
                yield self._differ(
                    f"this assignment is moved up to where the parent assigns "
                    f"`{self.target.text}`, above a line that also calls `{min(shared)}`; in "
                    "Python it runs last",
                    statement,
                )
                return
        lost = self.instances.find_ordered_calls(facts_of(self.step.statement))
        if lost:
            yield self._differ(
                f"the parent's call of `{min(lost)}` is left out together with its "
                "assignment; in Python it is made",
                self.step.statement,
            )


def _find_moves(instances: InstanceModel, merge: MethodMerge) -> Iterator[_Move]:
    """Yield the parent's statements that are left out for those of the child."""
    if merge.returns_call or not merge.override.parameters:
        return
    method = _GeneratedMethod(instances, merge, merge.override.parameters[0])
    for step in merge.steps:
        if step.fate not in (Fate.REPLACED, Fate.DELETED) or step.cause is None:
            continue
        target = assigned_target(step.statement)
        if target is not None:
            yield _Move(method, step, target)


def _compare_super_init(
    instances: InstanceModel, merge: MethodMerge
) -> Iterator[Difference]:
    """Yield statements above the call that run after the call of a base's `__init__`."""
    generated = [step for step in merge.steps if step.fate.is_generated]
    above = list(merge.statements_above_call)
    if not above or not generated or generated[0].statement in above:
        return
    moved = generated[0].statement
    if not merge.is_of_parent(moved) or not merge.override.parameters:
        return
    read = facts_of(moved).variables_read_at_once
    inherited = instances.sets_in("__init__", skips_parent=True)
    inherited = inherited | instances.reads_in("__init__")
    parameters = merge.override.parameter_names
    for statement in above:
        facts = facts_of(statement)
        for name in sorted(facts.variables & read):
            yield Difference(
                "__init__",
                place_of(statement.bare_code),
                f"`super().__init__` is moved above this line, and reads `{name}`; in Python "
                "it runs below",
                "write the value into the call",
                Harm.OTHER_RESULT if name in parameters else Harm.CALL_FAILS,
                related=place_of(moved.bare_code),
            )
        uses = uses_of_instance(facts, merge.override.parameters[0])
        for name in sorted(uses.set & inherited):
            yield Difference(
                "__init__",
                place_of(statement.bare_code),
                f"`super().__init__`, which also uses `self.{name}`, is moved above this "
                "line; in Python it runs below",
                "write out the code of the parent's method",
                related=place_of(moved.bare_code),
            )


def _compare_post_init(
    instances: InstanceModel, merge: MethodMerge
) -> Iterator[Difference]:
    """Yield statements below `self.post_init()` that run above it in the generated method."""
    if merge.returns_call or not merge.override.parameters:
        return
    parent = merge.parent_statements
    calls = [item for item in parent if has_word(item.code.mask, "post_init")]
    if not calls:
        return
    set_by_post_init = instances.sets_in("post_init", skips_parent=False)
    later = [*parent[parent.index(calls[0]) + 1 :], *merge.statements_below_call]
    for statement in later:
        uses = uses_of_instance(facts_of(statement), merge.override.parameters[0])
        shared = sorted((uses.set | uses.read) & set_by_post_init)
        for name in shared[:1]:
            yield Difference(
                "__init__",
                place_of(statement.bare_code),
                f"`self.post_init()`, which sets `self.{name}`, is moved below this line; in "
                "Python it runs above",
                "write out the code of the parent's method",
                related=place_of(calls[0].bare_code),
            )
        if shared:
            return
