"""Finds differences because the bodies of a merged method share their variables.

In Python, each method has variables of its own. In the generated method, they are one
variable if they have the same name.
"""

from collections.abc import Iterator, Sequence, Set

import libcst as cst

from modular.lint.inheritance import Difference, Harm, Inheritance, find_function
from modular.rules.classes.merge_record import MethodMerge
from modular.semantics.facts import Mention, Usage, When
from modular.semantics.meanings import Unknown
from modular.semantics.statements import (
    facts_of,
    names_bound_by,
    names_read_by,
    variables_set_by,
)
from modular.source.assignments import assigned_value
from modular.source.blocks import Kind, Statement
from modular.source.places import place_of, place_of_word


_READING_METHODS = frozenset({"get", "items", "keys", "values", "copy"})
"""Methods of a dictionary that do not change it."""

_READING_USAGES = frozenset(
    {
        Usage.FORMATTED,
        Usage.IDENTITY,
        Usage.ITERATED,
        Usage.OPERAND,
        Usage.SUBSCRIPTED,
        Usage.TESTED,
        Usage.UNPACKED,
    }
)
"""Uses of a dictionary that do not change it."""

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
"""Functions that neither change nor keep the dictionary that they get."""

_ITEM_USAGES = frozenset(
    {Usage.ITERATED, Usage.SUBSCRIPTED, Usage.TESTED, Usage.UNPACKED}
)
"""Uses of a sequence that are the same for tuples and lists."""

_VIEWS = {"dir": 0, "eval": 1, "exec": 1, "locals": 0, "vars": 0}
"""Functions that see all variables, and the number of arguments with which they do."""

_STORING_USAGES = frozenset({Usage.ALIASED, Usage.STORED, Usage.PASSED})
"""Uses of a dictionary after which other code may have it, too."""


def compare_variables(
    inheritance: Inheritance, merge: MethodMerge
) -> Iterator[Difference]:
    """Yield variables that both bodies of a merged method share by accident.

    The child's method and the parent's method both set `size`, for example. Parameters
    of both methods are shared on purpose.

    Args:
        inheritance: The child class and its parent class.
        merge: A method in which the parent's body replaces a call to `super()`.
    """
    parameters = merge.override.parameter_names
    set_above_call = _variables_of(merge.statements_above_call)
    set_below_call = _variables_of(_statements_below(merge))
    # The child's variables that have a value when the parent's body begins.
    bound_at_call = set_above_call | parameters
    # Some of the parent's statements are replaced, and not in the generated method.
    set_by_parent = _variables_of(merge.parent_statements)
    set_by_kept_code = _variables_of(merge.kept_parent_statements)

    # The parent's body sets a variable that the child has set, and still reads.
    defined_by_kept_code = _names_defined_by(merge.kept_parent_statements)
    overwritten = (set_by_parent & set_above_call) | (parameters & defined_by_kept_code)
    yield from _compare_overwritten(merge, overwritten)

    # The parent's body reads a global, and the child has a variable of this name.
    yield from _compare_globals_of_parent(merge, bound_at_call - set_by_parent)
    set_only_below_call = set_below_call - bound_at_call - set_by_parent
    yield from _compare_unbound(merge, set_only_below_call)

    # The child reads a global, and the parent's body sets a variable of this name.
    set_only_by_parent = set_by_kept_code - bound_at_call - set_below_call
    yield from _compare_hidden_names(inheritance, merge, set_only_by_parent)

    # An inner function of one body reads a variable that the other body sets.
    set_by_both = set_by_kept_code & bound_at_call
    yield from _compare_captured(merge, merge.statements_above_call, set_by_both)
    variables_of_parent = set_by_parent - parameters
    names_of_parent = variables_of_parent | merge.parent.parameter_names
    set_again_below = set_below_call & names_of_parent
    yield from _compare_captured(merge, merge.kept_parent_statements, set_again_below)

    # Both bodies have `args` or `kwargs`, and one of them changes it.
    yield from _compare_keyword_arguments(inheritance, merge)
    yield from _compare_rebound_arguments(merge)

    # One body sees all variables, by `locals()` for example.
    yield from _compare_views(merge)


def _statements_below(merge: MethodMerge) -> Sequence[Statement]:
    """Return the child's statements below the call that Python runs."""
    return () if merge.returns_call else merge.statements_below_call


def _variables_of(statements: Sequence[Statement]) -> set[str]:
    """Return the variables that some statements set."""
    names: set[str] = set()
    for statement in statements:
        names |= variables_set_by(statement)
    return names


def _names_defined_by(statements: Sequence[Statement]) -> set[str]:
    """Return the variables that imports, functions and classes in some statements bind."""
    names: set[str] = set()
    for statement in statements:
        if statement.is_definition or statement.kind is Kind.IMPORT:
            names |= variables_set_by(statement)
    return names


def _compare_overwritten(
    merge: MethodMerge, overwritten: set[str]
) -> Iterator[Difference]:
    """Yield variables of the child that the parent's body overwrites before they are read.

    The child sets `size = 8` and calls `super().f()`, whose body sets `size = 2`. If
    the child then reads `size`, it gets 2.

    Args:
        merge: The override, merged with the parent's method.
        overwritten: The variables that the child sets above the call, and the parent,
            too.
    """
    unread = set(overwritten)
    for statement in _statements_below(merge):
        # Most statements contain none of these names, and are not parsed.
        if unread.isdisjoint(statement.words):
            continue
        # Reading `size.width` reads the variable `size`.
        read = {name.partition(".")[0] for name in names_read_by(statement)}
        set_again = names_bound_by(statement)
        if statement.is_compound:
            # A block such as `if` may set the name before it reads it.
            read -= set_again
        for name in sorted(unread & read):
            yield Difference(
                merge.override.name,
                place_of_word(statement.bare_code, name),
                f"this `{name}` has the value that the parent's code gave it; in Python it "
                "would keep the value that this method gave it",
                "give the variable another name",
            )
        # Each variable is reported only once. What the child sets again has its value.
        unread -= read | set_again


def _compare_globals_of_parent(
    merge: MethodMerge, names: Set[str]
) -> Iterator[Difference]:
    """Yield globals that the parent's body reads, and that are variables of the child.

    The parent has `return 2 * size`, where `size` is a variable of its file. The child
    sets `size = 8` above the call, which is replaced by this code.

    Args:
        merge: The override, merged with the parent's method.
        names: The variables and parameters of the child that the parent does not set.
    """
    for name in sorted(names - merge.parent.parameter_names):
        if _reads_variable(merge.kept_parent_statements, name):
            yield Difference(
                merge.override.name,
                place_of(merge.super_call.bare_code),
                "the parent's code, which replaces this call, reads this method's variable "
                f"`{name}`; in Python it reads a global `{name}`",
                "give the variable another name",
                related=place_of(merge.parent.header),
            )


def _compare_unbound(merge: MethodMerge, names: Set[str]) -> Iterator[Difference]:
    """Yield globals of the parent's body that the child sets as variables below.

    If a method sets `size` anywhere, Python takes each `size` in it for a variable of
    the method. This has no value above the line that sets it.

    Args:
        merge: The override, merged with the parent's method.
        names: The variables that only the child's statements below the call set.
    """
    for name in sorted(names - merge.parent.parameter_names):
        for statement in merge.kept_parent_statements:
            if name not in statement.words:
                continue
            if name in facts_of(statement).variables_read_at_once:
                yield Difference(
                    merge.override.name,
                    place_of(merge.super_call.bare_code),
                    f"the parent's code, which replaces this call, reads `{name}` before "
                    "this method sets it; in Python it reads a global",
                    "give the variable another name",
                    Harm.CALL_FAILS,
                    related=place_of(statement.bare_code),
                )
                break


def _reads_variable(statements: Sequence[Statement], name: str) -> bool:
    """Whether one of some statements reads a variable or an attribute of it."""
    for statement in statements:
        # Most statements do not contain the name, and are not parsed.
        if name not in statement.words:
            continue
        for read_name in names_read_by(statement):
            if read_name.partition(".")[0] == name:
                return True
    return False


def _compare_hidden_names(
    inheritance: Inheritance, merge: MethodMerge, hiding: Set[str]
) -> Iterator[Difference]:
    """Yield names of the modular file that a variable of the parent's body hides.

    The child calls the function `scale` of its file. The parent's body, which is in the
    same generated method, sets a variable `scale = 2`.

    Args:
        inheritance: The child class and its parent class.
        merge: The override, merged with the parent's method.
        hiding: The variables that only the parent's body sets.
    """
    above = merge.statements_above_call
    below = _statements_below(merge)
    # Above the call, the parent's variable has no value yet, so reading the name fails.
    for statements, harm in ((above, Harm.CALL_FAILS), (below, Harm.OTHER_RESULT)):
        for statement in statements:
            # Most statements contain none of these names, and are not parsed.
            if hiding.isdisjoint(statement.words):
                continue
            facts = facts_of(statement)
            read_names = facts.variables_read_at_once | facts.variables_read_later
            for name in sorted(read_names & hiding):
                meaning = inheritance.context.resolver.meaning(
                    inheritance.definition.path, name
                )
                # As far as is known, this file does not define the name.
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


def _compare_captured(
    merge: MethodMerge, statements: Sequence[Statement], set_by_both: Set[str]
) -> Iterator[Difference]:
    """Yield variables that an inner function reads, and that both bodies set.

    One body has `f = lambda: size`. When `f` is called, it reads the `size` that the
    other body has set.

    Args:
        merge: The override, merged with the parent's method.
        statements: The statements of the body with the functions.
        set_by_both: The variables that both bodies set.
    """
    if not set_by_both:
        return
    for statement in statements:
        captured = facts_of(statement).variables_read_later & set_by_both
        for name in sorted(captured):
            place = place_of_word(statement.bare_code, name)
            related = None
            # A finding is in the modular file: at the call that this code replaces.
            if merge.is_of_parent(statement):
                place = place_of(merge.super_call.bare_code)
                related = place_of(statement.bare_code)
            yield Difference(
                merge.override.name,
                place,
                f"a function reads `{name}`, which this method and the parent's body both "
                "set; in Python these are two variables",
                "give the variable another name",
                related=related,
            )


def _compare_keyword_arguments(
    inheritance: Inheritance, merge: MethodMerge
) -> Iterator[Difference]:
    """Yield a dictionary such as `kwargs` that the parent's body changes.

    Python passes a copy: after `super().f(**kwargs)`, the child's `kwargs` is the same.
    """
    for parameter in merge.parent.parameters:
        if not parameter.startswith("**"):
            continue
        if parameter not in merge.override.parameters:
            continue
        name = parameter.lstrip("*")
        change = _find_change_of_dictionary(inheritance, merge, name)
        reader = _find_reader_of_dictionary(merge, name)
        if change is not None and reader is not None:
            yield Difference(
                merge.override.name,
                place_of_word(reader.bare_code, name),
                f"the parent's body also changes this `{name}`; in Python it gets a copy",
                f"write `{name} = dict({name})` above, and use another name for the copy",
                related=place_of(change.bare_code),
            )


def _find_change_of_dictionary(
    inheritance: Inheritance, merge: MethodMerge, name: str
) -> Statement | None:
    """Return the parent's first statement that may change a dictionary, or store it.

    Args:
        inheritance: The child class and its parent class.
        merge: The override, merged with the parent's method.
        name: The variable with the dictionary, such as `kwargs`.

    Returns:
        None if the parent's body only reads the dictionary.
    """
    for statement in merge.kept_parent_statements:
        if name not in statement.words:
            continue
        for mention in facts_of(statement).mentions_of(name):
            if _only_reads(mention):
                continue
            # `measure(kwargs)` calls a function that only reads its arguments.
            is_passed = mention.usage is Usage.PASSED and not mention.attributes
            if is_passed and _leaves_arguments_alone(inheritance, mention.passed_to):
                continue
            return statement
    return None


def _leaves_arguments_alone(inheritance: Inheritance, name: str) -> bool:
    """Whether a function only reads its arguments, or its code is not known."""
    function = find_function(inheritance, name)
    if function is None:
        return True
    parameters = {parameter.name for parameter in function.parameters}
    for _, facts in function.body:
        for mention in facts.mentions:
            if mention.name in parameters and not _only_reads(mention):
                return False
    return True


def _only_reads(mention: Mention) -> bool:
    """Whether a mention of a dictionary certainly neither changes nor keeps it."""
    if mention.attributes:
        return mention.attributes[0] in _READING_METHODS
    return mention.usage in _READING_USAGES or mention.passed_to in _COPYING_FUNCTIONS


def _compare_rebound_arguments(merge: MethodMerge) -> Iterator[Difference]:
    """Yield `args = list(args)` above the call, if the parent uses `args` itself.

    In Python, the parent's `args` is a tuple, and its `kwargs` a dictionary.
    """
    for parameter in merge.parent.parameters:
        if not parameter.startswith("*") or parameter not in merge.override.parameters:
            continue
        name = parameter.lstrip("*")
        assignment = _find_other_type(merge, name)
        if assignment is None:
            continue
        user = _find_use_as_value(merge, name)
        if user is None:
            continue
        yield Difference(
            merge.override.name,
            place_of(assignment.bare_code),
            f"the parent's body reads this `{name}`; in Python it gets the arguments of "
            "the call",
            "give the variable another name",
            related=place_of(user.bare_code),
        )


def _find_other_type(merge: MethodMerge, name: str) -> Statement | None:
    """Return the statement above the call that gives `args` another type than a tuple.

    An example is `args = list(args)`.
    """
    for statement in merge.statements_above_call:
        if name not in variables_set_by(statement):
            continue
        match assigned_value(statement):
            case cst.Call(func=cst.Name(value="list" | "iter" | "map" | "set")):
                return statement
            case cst.List() | cst.ListComp() | cst.Set() | cst.GeneratorExp():
                return statement
            case cst.Name(value="None"):
                return statement
    return None


def _find_use_as_value(merge: MethodMerge, name: str) -> Statement | None:
    """Return the parent's first statement that uses `args` as in `print(args)`.

    Uses that work the same for a list and a tuple, such as `args[0]` and
    `for x in args`, are left out. The result is None if there is no other use.
    """
    for statement in merge.kept_parent_statements:
        for mention in facts_of(statement).mentions_of(name):
            if mention.usage not in _ITEM_USAGES:
                return statement
    return None


def _compare_views(merge: MethodMerge) -> Iterator[Difference]:
    """Yield the first `locals()` or the like, which sees the variables of both bodies."""
    for statement in merge.all_generated_statements:
        # Most statements have none of these words, and are not parsed.
        if statement.words.isdisjoint(_VIEWS):
            continue
        for call in facts_of(statement).calls:
            # `vars()` sees all variables, but `vars(self)` sees something else.
            if len(call.arguments) != _VIEWS.get(call.function):
                continue
            place = place_of(statement.bare_code)
            related = None
            # A finding is in the modular file: at the call that this code replaces.
            if merge.is_of_parent(statement):
                place, related = place_of(merge.super_call.bare_code), place
            yield Difference(
                merge.override.name,
                place,
                f"`{call.function}` sees the variables of this method and of the parent's "
                "body, which replaces the call; in Python it sees those of one of them",
                "write out what the call does",
                related=related,
            )
            return


def _find_reader_of_dictionary(merge: MethodMerge, name: str) -> Statement | None:
    """Return the child's first statement that may see that a dictionary is changed.

    The parent's body changes it. The statement uses the dictionary below the call. Or
    it stands above the call, and lets other code use the dictionary later.

    Args:
        merge: The override, merged with the parent's method.
        name: The variable with the dictionary, such as `kwargs`.

    Returns:
        None if no statement may see the change.
    """
    for statement in merge.statements_above_call:
        for mention in facts_of(statement).mentions_of(name):
            # An inner function may read it after the call.
            if mention.when is When.LATER:
                return statement
            # `self.kwargs = kwargs` and `get = kwargs.get` store it. `dict(kwargs)` stores
            # only a copy.
            is_stored = mention.usage in _STORING_USAGES
            if is_stored and mention.passed_to not in _COPYING_FUNCTIONS:
                return statement
    for statement in _statements_below(merge):
        if name in facts_of(statement).names:
            return statement
    return None
