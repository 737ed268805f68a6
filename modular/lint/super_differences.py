"""Finds uses of `super()` that skip the parent class in the generated class.

The generated class does not inherit from the parent class. Only a statement such as
`super().forward(x)` in `forward` is replaced by the parent's code.
"""

from collections.abc import Iterator
from typing import NamedTuple

from modular.lint.calls import bind_arguments, call_of_statement
from modular.lint.inheritance import (
    Certainty,
    Difference,
    Harm,
    Inheritance,
    find_function,
    has_effect,
)
from modular.rules.classes.merge_record import MethodMerge
from modular.semantics.classes import (
    METHODS,
    ClassModel,
    Member,
    attributes_set_by,
    mentions_super_outside_methods,
    uses_by_statement,
)
from modular.semantics.facts import Call, SuperForm, When
from modular.semantics.functions import FunctionKind, FunctionModel
from modular.semantics.meanings import Builtin, ForeignName
from modular.semantics.statements import (
    count_returned_values,
    facts_of,
    facts_of_header,
    facts_of_text,
)
from modular.source.blocks import Kind
from modular.source.definition_view import view_definition
from modular.source.parameters import ParameterKind
from modular.source.places import place_of, place_of_word
from modular.source.trees import node_text


def compare_super(
    inheritance: Inheritance, function: FunctionModel
) -> Iterator[Difference]:
    """Yield uses of `super()` that mean something else in the generated class.

    Args:
        inheritance: The class of the modular file and its parent class.
        function: A method of the modular file.
    """
    if "super" in function.statement.words:
        yield from _compare_super_values(inheritance, function)


def compare_super_outside_methods(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield uses of `super()` in the class body that skip the parent class.

    Examples are `read = property(lambda self: super().size)`, and a decorator or default
    value of a method with such a `lambda`.

    Args:
        inheritance: The class of the modular file and its parent class.
    """
    parent = inheritance.parent.name
    for statement in inheritance.merged_class.child.body.statements:
        if not mentions_super_outside_methods(statement):
            continue
        # The body of a method is compared elsewhere.
        read_facts = facts_of_header if statement.is_definition else facts_of
        for use in read_facts(statement).super_uses:
            # `super(X, self)` names another class on purpose.
            named_class = use.super_arguments[0] if use.super_arguments else ""
            if not _is_child(inheritance, named_class):
                continue
            # The generated class also finds what only a base of the parent class has.
            if use.method and use.method not in inheritance.parent.members:
                continue
            # `super()` as a value fails nowhere by itself.
            fails = (
                statement.kind is Kind.ASSIGNMENT
                and use.method != ""
                and not use.is_conditional
                and inheritance.context.bases_lack(inheritance.child.name, use.method)
            )
            yield Difference(
                statement.name,
                place_of_word(statement.bare_code, "super"),
                f"the generated `super().{use.method or '...'}` skips `{parent}`, whose "
                "members are in the generated class itself; in Python it reaches them",
                f"write out what the parent's `{use.method or 'method'}` does",
                Harm.CALL_FAILS if fails else Harm.OTHER_RESULT,
            )


def compare_super_outside_class(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield the first `super(X, self)` that stands outside of the class `X`.

    It may be in a class that inherits from `X`. In Python it calls the methods of the
    parent class of `X`. The generated `X` does not inherit from that class.

    Args:
        inheritance: The class `X` of the modular file and its parent class.
    """
    name = inheritance.child.name
    parent = inheritance.merged_class.parent.name
    for statement in inheritance.context.modular.module.block.statements:
        if statement.name == name or not {"super", name} <= statement.words:
            continue
        for use in facts_of(statement).super_uses:
            if use.super_arguments[:1] == (name,):
                yield Difference(
                    "",
                    inheritance.header,
                    f"`super({name}, ...)` outside of this class calls the methods of "
                    f"`{parent}`; the generated class does not inherit from `{parent}`",
                    f"write out the code of `{parent}` there",
                    related=place_of(statement.bare_code),
                )
                return


def _is_child(inheritance: Inheritance, named: str) -> bool:
    """Whether the class `X` of `super(X, self)` is the child.

    The class in `super(type(self), self)` has no name, and mostly is the child.
    """
    return named in ("", "__class__", inheritance.child.name)


def _compare_super_values(
    inheritance: Inheritance, function: FunctionModel
) -> Iterator[Difference]:
    """Yield the first use of `super()` as a value, which skips the parent class."""
    # If `.f` follows each `super()`, none of them is used as a value.
    masked_text = function.statement.code.masked_text
    if masked_text.count("super") == masked_text.count("super()."):
        return
    used_names: set[str] = set()
    first_statement = None
    for statement, facts in function.body:
        used_names |= facts.strings
        for mention in facts.mentions:
            used_names.update(mention.attributes)
        for use in facts.super_uses:
            is_value = use.form in (SuperForm.OBJECT, SuperForm.FUNCTION)
            if is_value and first_statement is None:
                first_statement = statement
    if first_statement is None:
        return
    # A member that may be read of the value, such as `f` in `getattr(super(), "f")`.
    name = min(used_names & inheritance.parent.members.keys(), default="...")
    # If the parent class defines no members, `super()` may find all that it inherits in
    # the bases.
    has_members = bool(inheritance.parent.members)
    yield Difference(
        function.name,
        place_of_word(first_statement.bare_code, "super"),
        f"the generated `super()` skips `{inheritance.parent.name}`, whose members are in the "
        f"generated class itself; in Python it has the parent's `{name}`",
        "call the method in a statement of its own: `super().method(...)`",
        certainty=Certainty.CERTAIN if has_members else Certainty.POSSIBLE,
    )


class Refusal(NamedTuple):
    """A base whose method fails at a call to `super()`.

    Attributes:
        base: The name of the base.
        reason: Why it fails.
        harm: Whether the call fails always, or only in some cases.
    """

    base: str
    reason: str = "does not take these arguments"
    harm: Harm = Harm.CALL_FAILS


def find_refusal(
    inheritance: Inheritance, parent_member: Member, call: Call | None
) -> Refusal | None:
    """Return the base whose method a copied use of `super()` finds, if it fails there.

    Args:
        inheritance: The class of the modular file and its parent class.
        parent_member: The method of the parent class, which the generated call skips.
        call: The call; None for `super().f` without a call.

    Returns:
        The base. None if its method takes the arguments, or is not known.
    """
    name = parent_member.name
    # The first of these classes with the method is the one that the call finds.
    for class_ in inheritance.ancestors_of_parent:
        if class_ == Builtin("object"):
            # `__new__` gets the class itself.
            allowed_count = _ARGUMENTS_OF_OBJECT.get(name)
            if call is None or allowed_count is None:
                return None
            return Refusal("object") if len(call.arguments) > allowed_count else None
        if class_ in _WITHOUT_METHODS:
            continue
        model = inheritance.class_of(class_)
        # A class that cannot be read may have the method.
        if model is None:
            return None
        member = model.members.get(name)
        if member is None:
            continue
        kind = _describe_other_kind(member, parent_member)
        if kind:
            return Refusal(model.name, kind, Harm.OTHER_RESULT)
        if call is None or member.function is None:
            return None
        if member.function.kind is not FunctionKind.PLAIN:
            return None
        return _find_refusal_of_method(inheritance, model, member, parent_member, call)
    return None


def _describe_other_kind(base_member: Member, parent_member: Member) -> str:
    """Return how a base's member is used otherwise than the parent's: "is `async`", say.

    The result is empty if both are used in the same way.
    """
    is_method = base_member.kind in METHODS
    if is_method != (parent_member.kind in METHODS):
        return "is a method" if is_method else "is no method"
    base_function, parent_function = base_member.function, parent_member.function
    if base_function is None or parent_function is None:
        return ""
    if base_function.is_async != parent_function.is_async:
        return "is `async`" if base_function.is_async else "is not `async`"
    if base_function.is_generator != parent_function.is_generator:
        verb = "is" if base_function.is_generator else "is not"
        return f"{verb} a generator"
    return ""


def _find_refusal_of_method(
    inheritance: Inheritance,
    base: ClassModel,
    base_member: Member,
    parent_member: Member,
    call: Call,
) -> Refusal | None:
    """Return why a base's method fails at a call that the parent's method accepts.

    Args:
        inheritance: The child class and its parent class.
        base: The base.
        base_member: The method of the base.
        parent_member: The method of the parent class.
        call: The call to `super()`.

    Returns:
        None if no reason is known.
    """
    assert base_member.function is not None, "the member is a method"
    bound = base_member.function.bind(call, is_bound=True)
    if bound is not None and bound.fails:
        return Refusal(base.name)
    refused_stars = _accepted_stars(parent_member) - _accepted_stars(base_member)
    for argument in call.arguments:
        # The call passes on `*args` or `**kwargs` that only the parent's method takes.
        if argument.stars in refused_stars:
            reason = f"does not take `{argument.stars}{argument.name}`"
            return Refusal(base.name, reason, Harm.OTHER_RESULT)
    # The call may unpack the result into a number of variables.
    expected_counts = _count_returned_values(parent_member)
    if expected_counts == {call.item_count} != _count_returned_values(base_member):
        reason = f"does not always return {call.item_count} values"
        return Refusal(base.name, reason, Harm.OTHER_RESULT)
    unset = _find_unset_attributes(inheritance, base, base_member.function)
    if unset:
        reason = f"reads `{min(unset)}`, which only its own `__init__` sets"
        return Refusal(base.name, reason, Harm.OTHER_RESULT)
    return None


def _count_returned_values(member: Member) -> set[int]:
    """Return how many values a method returns; an empty set if that is uncertain."""
    if member.function is None:
        return set()
    view = view_definition(member.function.statement)
    return count_returned_values(view.body.statements)


def _find_unset_attributes(
    inheritance: Inheritance, base: ClassModel, function: FunctionModel
) -> set[str]:
    """Return the attributes that a base's method reads, but that no generated method sets.

    Only the `__init__` of the base sets them, and the `__init__` of the generated class does
    not call it.

    Args:
        inheritance: The class of the modular file and its parent class.
        base: The base.
        function: The method of the base.
    """
    merge = inheritance.merged_class.merges.get("__init__")
    init = inheritance.child.members.get("__init__") or inheritance.parent.members.get(
        "__init__"
    )
    if merge is not None:
        init_statements = merge.all_generated_statements
    elif init is not None:
        init_statements = init.statements
    else:
        return set()
    # With `super()`, the generated `__init__` may call that of the base.
    calls_base = any("super" in statement.words for statement in init_statements)
    if calls_base:
        return set()
    base_init = base.members.get("__init__")
    if base_init is None:
        return set()
    set_by_init: set[str] = set()
    for init_function in base_init.functions:
        set_by_init |= attributes_set_by(init_function)
    # The attributes that the method reads, the `__init__` sets, and no class defines.
    candidates: set[str] = set()
    for uses in uses_by_statement(function):
        candidates |= uses.read & set_by_init
    for class_ in (base, inheritance.child, inheritance.parent):
        candidates -= class_.members.keys()
    # Only if there are any, all methods of the classes are read.
    unset = set()
    for name in candidates:
        setters = [setter.name for setter in base.attributes[name]]
        is_set = (
            name in inheritance.child.attributes
            or name in inheritance.parent.attributes
        )
        if setters == ["__init__"] and not is_set:
            unset.add(name)
    return unset


def _accepted_stars(member: Member) -> set[str]:
    """Return the stars of the parameters that a method has: `*` of `*args`, `**` of `**kwargs`.

    The result is empty if the method has neither.
    """
    if member.function is None:
        return set()
    stars = set()
    for parameter in member.function.parameters:
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


def compare_named_class(
    inheritance: Inheritance, merge: MethodMerge
) -> Iterator[Difference]:
    """Yield a replaced call to `super(X, self)`, where `X` is another class than the child.

    Python searches the method in the classes after `X`. The generated method has the
    code of the parent's method.

    Args:
        inheritance: The class of the modular file and its parent class.
        merge: The method with the call.
    """
    for use in facts_of(merge.super_call).super_uses:
        if not use.super_arguments:
            continue
        named_class = use.super_arguments[0]
        if _is_child(inheritance, named_class):
            continue
        method = f"{inheritance.parent.name}.{merge.override.name}"
        yield Difference(
            merge.override.name,
            place_of_word(merge.super_call.bare_code, "super"),
            f"this call is replaced by the code of `{method}`; in Python it calls the next "
            f"`{merge.override.name}` after `{named_class}`",
            f"write `super()` for the method of `{inheritance.parent.name}`, or name the base "
            "whose method is meant",
            related=place_of(merge.parent.header),
        )


def compare_lost_calls(
    inheritance: Inheritance, merge: MethodMerge
) -> Iterator[Difference]:
    """Yield arguments with an effect that are not evaluated, as the call is replaced.

    In `super().f(log(x))`, the function `log` prints `x`. The parent's body replaces the
    call, and does not use the argument. If the body uses it, `DroppedArgument` reports
    the argument.
    """
    # Most calls to `super()` contain no other call. LibCST, which is slow, need not read
    # them.
    if len(facts_of(merge.super_call).calls) == 1:
        return
    parent_words: set[str] = set()
    for statement in merge.kept_parent_statements:
        parent_words |= statement.words
    call = call_of_statement(merge.super_call)
    for argument, parameter in bind_arguments(call, merge.parent):
        if parameter in parent_words:
            continue
        value = node_text(argument.value)
        for lost_call in facts_of_text(value).calls:
            # Python does not make the call in `lambda: log(x)`, either.
            if lost_call.when is not When.NOW:
                continue
            name = lost_call.function
            function = find_function(
                inheritance, name, inheritance.context.modular.path
            )
            if function is None or not has_effect(function):
                continue
            yield Difference(
                merge.override.name,
                place_of_word(merge.super_call.bare_code, name),
                f"`{value}` is not evaluated, because the code of "
                f"`{inheritance.parent.name}.{merge.override.name}` replaces this call "
                f"and does not use the value; in Python `{name}` runs",
                f"call `{name}` in a statement above this one",
                related=place_of(merge.parent.header),
            )
