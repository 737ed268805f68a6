"""Finds differences because an override gets the parent's decorators, `async` or `yield`."""

from collections.abc import Iterator

from modular.lint.inheritance import (
    Certainty,
    Difference,
    Harm,
    Inheritance,
    find_function,
    is_harmless_decorator_name,
)
from modular.rules.classes.merge_record import MethodMerge
from modular.semantics.functions import FunctionKind, FunctionModel, model_function
from modular.semantics.meanings import ForeignName
from modular.source.definition_view import DefinitionView
from modular.source.places import place_of, place_of_word


_DECORATORS_THAT_CHANGE_CALLS = frozenset(
    {"cached_property", "contextmanager", "property"}
)
"""Decorators with which a method is not called, or a call returns something else."""


def compare_headers(
    inheritance: Inheritance,
    key: str,
    override: DefinitionView,
    parent_method: DefinitionView,
) -> Iterator[Difference]:
    """Yield differences because an override gets parts of the parent's method.

    The parts are `async`, `yield` and the decorators.

    Args:
        inheritance: The child class and its parent class.
        key: The key of both methods: their name, or one such as `size.setter`.
        override: The method of the modular file.
        parent_method: The method of the parent class.
    """
    child = model_function(override.statement)
    parent = model_function(parent_method.statement)
    merge = inheritance.merged_class.merges.get(key)
    # An override that is only `return super().f()` returns what the parent's method does.
    is_only_call = (
        merge is not None and merge.returns_call and not merge.statements_above_call
    )
    name = override.name
    place = place_of_word(override.header, name)
    related = place_of(parent_method.header)
    becomes_async = parent.is_async and not child.is_async
    # `return super().f()` returns a coroutine in Python, too.
    if becomes_async and not is_only_call:
        yield Difference(
            name,
            place,
            f"the generated `{name}` is `async` like the parent's, so a call returns a "
            "coroutine; in Python it returns the value",
            "write `async def`, or use another name",
            related=related,
        )
    # If it were awaited, the call would not be replaced.
    if merge is not None and parent.is_async and child.is_async:
        yield Difference(
            name,
            place_of(merge.super_call.bare_code),
            f"the parent's `{name}` is `async`, and its body takes the place of this call; "
            "in Python, the call only creates a coroutine",
            "write `await` before the call",
            related=related,
        )
    # `return super().f()` returns a generator in Python, too.
    if merge is not None and parent.is_generator and not is_only_call:
        yield Difference(
            name,
            place_of(merge.super_call.bare_code),
            f"the parent's `{name}` contains `yield`, so the generated one becomes a "
            "generator; in Python, only the call creates one",
            "write out the code",
            related=related,
        )
    if not child.decorators:
        yield from _compare_inherited_decorators(inheritance, override, parent_method)
    elif merge is not None:
        yield from _compare_lost_decorators(inheritance, child, parent, merge)


def _compare_inherited_decorators(
    inheritance: Inheritance,
    override: DefinitionView,
    parent_method: DefinitionView,
) -> Iterator[Difference]:
    """Yield differences because an override gets the decorators of the parent's method.

    For example, the parent has `@property` above `size`, and the child has
    `def size(self)`.

    Args:
        inheritance: The child class and its parent class.
        override: The method of the modular file.
        parent_method: The method of the parent class.
    """
    name = override.name
    parent = model_function(parent_method.statement)
    place = place_of_word(override.header, name)
    # Python calls such a method without the instance.
    lacks_instance = parent.kind in (
        FunctionKind.STATIC_METHOD,
        FunctionKind.CLASS_METHOD,
    )
    # Reading the parameters is slow, and most methods get the instance.
    if lacks_instance and _takes_instance(override, parent_method):
        decorator = parent.kind.value
        yield Difference(
            name,
            place,
            f"the generated `{name}` has the parent's `{decorator}`, so its first parameter is not "
            "the instance; in Python it is",
            "write `@no_inherit_decorator` above the method",
        )
    changing = [
        decorator
        for decorator in parent.decorators
        if decorator.rpartition(".")[2] in _DECORATORS_THAT_CHANGE_CALLS
    ]
    if changing:
        yield Difference(
            name,
            place,
            f"the generated `{name}` has the parent's `@{changing[0]}`, so it is used "
            "differently; in Python it is an ordinary method",
            f"write the decorator, or `@no_inherit_decorator`, above `{name}`",
        )
    if parent.is_abstract and _is_abstract_class(inheritance):
        yield Difference(
            name,
            place,
            f"the generated `{name}` has the parent's `@abstractmethod`, so the class "
            "cannot be instantiated",
            "write `@no_inherit_decorator` above the method",
            Harm.CALL_FAILS,
        )


def _takes_instance(override: DefinitionView, parent_method: DefinitionView) -> bool:
    """Whether the first parameter of an override is meant to be the instance.

    Its name is `self`, or it comes before the parameters of the parent's method.
    """
    if not override.parameters:
        return False
    first, *others = override.parameters
    return first == "self" or tuple(others) == parent_method.parameters


def _is_abstract_class(inheritance: Inheritance) -> bool:
    """Whether Python looks for abstract methods of the generated class."""
    metaclass = inheritance.parent.keywords.get("metaclass", "")
    ancestors = (inheritance.parent_definition, *inheritance.ancestors_of_parent)
    has_base = ForeignName("abc.ABC") in ancestors
    return has_base or metaclass.rpartition(".")[2] == "ABCMeta"


def _compare_lost_decorators(
    inheritance: Inheritance,
    child: FunctionModel,
    parent: FunctionModel,
    merge: MethodMerge,
) -> Iterator[Difference]:
    """Yield the decorators of the parent's method that its copied body lacks.

    Args:
        inheritance: The child class and its parent class.
        child: The method of the modular file.
        parent: The method of the parent class.
        merge: The override, merged with the parent's method.
    """
    for decorator in parent.other_decorators:
        if is_harmless_decorator_name(decorator):
            continue
        # A decorator whose code is not known may have no effect.
        is_known = find_function(inheritance, decorator) is not None
        yield Difference(
            child.name,
            place_of(merge.super_call.bare_code),
            f"the parent's body takes the place of this call without its decorator "
            f"`@{decorator}`; in Python, the decorated method is called",
            f"do here what `@{decorator}` does",
            certainty=Certainty.CERTAIN if is_known else Certainty.POSSIBLE,
            related=place_of(merge.parent.header),
        )
