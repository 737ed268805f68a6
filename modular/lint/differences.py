"""The judge: finds where a generated class is not what Python's inheritance makes.

It knows classes and what makes them. Rules turn its answers into findings.
"""

from collections.abc import Iterator

from modular.lint.inheritance import (
    FIELDS,
    Difference,
    Harm,
    Inheritance,
    find_function,
    is_harmless_decorator_name,
)
from modular.lint.reflection_differences import compare_reflection
from modular.rules.classes.class_attributes import is_removal
from modular.rules.classes.decorators import has_no_inherit_decorator
from modular.semantics.classes import (
    Builder,
    ClassModel,
    Member,
)
from modular.semantics.facts import Mention, SuperForm, Usage, When
from modular.semantics.functions import FunctionModel
from modular.semantics.instances import uses_of_instance
from modular.semantics.meanings import Definition
from modular.semantics.statements import (
    facts_of,
    find_names_read_at_once,
    variables_set_by,
)
from modular.source.blocks import Kind
from modular.source.places import place_of, place_of_word


_WRITTEN_BY_DATACLASS = frozenset(
    {"__eq__", "__ge__", "__gt__", "__hash__", "__init__", "__le__", "__lt__"}
    | {"__repr__"}
)
"""Methods that `@dataclass` may write into a class that does not define them."""


def compare_class(pair: Inheritance) -> Iterator[Difference]:
    """Yield where a generated class is not the class that Python makes.

    Args:
        pair: The class of the modular file and its parent class.
    """
    yield from _compare_builders(pair)
    yield from _compare_fields(pair)
    yield from _compare_hooks(pair)
    yield from _compare_mixins(pair)
    yield from compare_reflection(pair)
    if not pair.flat.is_like_python:
        yield from _compare_merged_bodies(pair)


def _compare_builders(pair: Inheritance) -> Iterator[Difference]:
    """Yield differences because Python makes a named tuple or protocol of the parent class.

    Its child is an ordinary class, but the generated class has the same base.
    """
    parent = pair.flat.parent.name
    if _has_base(pair.parent, "NamedTuple"):
        changed = _find_changed_member_of_tuple(pair)
        if changed is not None:
            yield Difference(
                changed.name,
                pair.place_of_member(changed),
                f"`{changed.name}` changes the fields of the generated named tuple, or "
                f"cannot be in it; in Python, a class that inherits from `{parent}` keeps "
                "its fields",
                "define the class without a parent class",
            )
        elif pair.flat.is_like_python:
            yield Difference(
                "",
                pair.header,
                f"`{parent}` is a named tuple, and a class that inherits from it is none",
                "define the class without a parent class",
            )
    if _has_base(pair.parent, "Protocol") and not _has_base(pair.child, "Protocol"):
        yield Difference(
            "",
            pair.header,
            f"the generated class is a protocol like `{parent}`, so it has no instances; "
            "in Python, a class that inherits from a protocol is an ordinary class",
            "define the class without a parent class",
            Harm.CALL_FAILS,
        )


def _has_base(model: ClassModel, name: str) -> bool:
    """Whether a class names a base such as `Protocol[T]` or `typing.Protocol`."""
    names = [base.partition("[")[0].rpartition(".")[2] for base in model.bases]
    return name in names


_FORBIDDEN_IN_TUPLES = frozenset({"__init__", "__new__", "__slots__", "__getnewargs__"})
"""Members that the body of a named tuple cannot have."""


def _find_changed_member_of_tuple(pair: Inheritance) -> Member | None:
    """Return a member of the child that changes or breaks a named tuple; None without any."""
    for member in pair.child.members.values():
        inherited = pair.parent.members.get(member.name)
        is_over_field = inherited is not None and inherited.kind in FIELDS
        is_new_field = member.kind in FIELDS
        if is_new_field or is_over_field or member.name in _FORBIDDEN_IN_TUPLES:
            return member
    return None


def _makes_dataclasses(pair: Inheritance) -> bool:
    """Whether an ancestor makes a dataclass of each class that inherits from it."""
    for ancestor in pair.ancestors_of_parent:
        model = pair.class_of(ancestor)
        if model is None or "__init_subclass__" not in model.statement.code.text:
            continue
        hook = model.members.get("__init_subclass__")
        if hook is not None and _calls_dataclass(hook):
            return True
    return False


def _calls_dataclass(hook: Member) -> bool:
    """Whether `__init_subclass__` calls `dataclass`."""
    for statement in hook.statements:
        for call in facts_of(statement).calls:
            if call.function.rpartition(".")[2] == "dataclass":
                return True
    return False


def _compare_fields(pair: Inheritance) -> Iterator[Difference]:
    """Yield members with which a dataclass has other fields than in Python.

    In Python, `size = 1` and `def size(self)` leave the field `size` of the parent class
    in its place. In one class, the field is gone.
    """
    is_dataclass = pair.parent.own_builder is Builder.DATACLASS
    if pair.flat.is_like_python:
        # The flattener refuses these members of classes with a decorator.
        is_reported = is_dataclass
    else:
        # `UnannotatedSetting` reports the members of configurations.
        is_reported = pair.flat.child.name.endswith("Config")
    hidden = list(_find_hidden_fields(pair))
    if is_reported or not is_dataclass and not (hidden and _makes_dataclasses(pair)):
        return
    for member in hidden:
        yield Difference(
            member.name,
            pair.place_of_member(member),
            f"the generated dataclass has no field `{member.name}`; in Python, it inherits "
            f"the field from `{pair.flat.parent.name}`",
            f"write the field with its annotation: `{member.name}: ... = ...`",
        )
    if pair.child.own_builder is not Builder.DATACLASS:
        return
    for name in sorted(_WRITTEN_BY_DATACLASS & pair.parent.members.keys()):
        if name not in pair.child.members:
            yield Difference(
                name,
                pair.header,
                f"the generated class has the `{name}` of `{pair.flat.parent.name}`; in "
                "Python, `@dataclass` writes another one for this class",
                f"define `{name}`",
            )


def _find_hidden_fields(pair: Inheritance) -> Iterator[Member]:
    """Yield the child's members that are no fields, but have the name of the parent's field."""
    for member in pair.child.members.values():
        parent_member = pair.parent.members.get(member.name)
        is_field = parent_member is not None and parent_member.kind in FIELDS
        if is_field and member.kind not in FIELDS:
            if not is_removal(member.statements[-1]):
                yield member


def _compare_hooks(pair: Inheritance) -> Iterator[Difference]:
    """Yield differences because Python runs code of the parent class for each child."""
    parent = pair.flat.parent.name
    is_like_python = pair.flat.is_like_python
    names = pair.parent.members
    if "__init_subclass__" in names and not is_like_python:
        yield Difference(
            "__init_subclass__",
            pair.header,
            f"Python calls `{parent}.__init_subclass__` for this class, but not for the "
            "generated class, which defines it itself",
            "do in the body of the class what it does",
        )
    own = pair.child.members
    if "__eq__" in own and "__hash__" not in own and "__hash__" in names:
        if not is_like_python:
            yield Difference(
                "__eq__",
                pair.place_of_member(own["__eq__"]),
                f"the generated class has the `__hash__` of `{parent}`; in Python, a class "
                "with an `__eq__` of its own has none",
                "write `__hash__ = None`, or define `__hash__`",
            )
    if "__slots__" in names and not is_like_python:
        yield Difference(
            "__slots__",
            pair.header,
            f"the generated class has only the attributes in the `__slots__` of `{parent}`; "
            "in Python, a class that inherits from it can have others",
            "write `__slots__` with all attributes",
        )
    yield from _compare_subclass_hooks(pair)
    yield from _compare_class_decorators(pair)


def _compare_subclass_hooks(pair: Inheritance) -> Iterator[Difference]:
    """Yield ancestors that may treat one class otherwise than two, when they are made."""
    for ancestor in pair.ancestors_of_parent:
        model = pair.class_of(ancestor)
        if model is None:
            continue
        assert isinstance(ancestor, Definition), "it has a model"
        hook = None
        # Finding all members of a class is slow.
        if "__init_subclass__" in model.statement.code.text:
            hook = model.members.get("__init_subclass__")
        is_known = ancestor.name in _KNOWN_SUBCLASS_HOOKS
        if hook is not None and not is_known and not _calls_dataclass(hook):
            if not _is_harmless_hook(hook):
                yield Difference(
                    "__init_subclass__",
                    pair.header,
                    f"`{model.name}.__init_subclass__` may treat one class otherwise than a "
                    "class and its parent class",
                    "define the class without a parent class",
                )
        metaclass = model.keywords.get("metaclass")
        if metaclass is not None and metaclass.rpartition(".")[2] != "ABCMeta":
            yield Difference(
                "",
                pair.header,
                f"the metaclass of `{model.name}` would see the members of both classes",
                "define the class without a parent class",
            )


def _compare_class_decorators(pair: Inheritance) -> Iterator[Difference]:
    """Yield decorators of the parent class that would see the members of both classes."""
    if has_no_inherit_decorator(pair.flat.child):
        return
    for decorator in pair.parent.decorators:
        if is_harmless_decorator_name(decorator) or decorator in pair.child.decorators:
            continue
        function = find_function(pair, decorator)
        if function is not None and not _leaves_class_alone(function):
            yield Difference(
                "",
                pair.header,
                f"the decorator `@{decorator}` of `{pair.flat.parent.name}` sees the members "
                "of both classes; in Python, it sees only those of the parent class",
                "write `@no_inherit_decorator`, or the decorators of your class",
            )


_KNOWN_SUBCLASS_HOOKS = frozenset(
    {"PreTrainedModel", "GradientCheckpointingLayer", "ModelOutput"}
)
"""Classes of transformers whose hooks look only at the result of the inheritance."""


def _is_harmless_hook(hook: Member) -> bool:
    """Whether `__init_subclass__` only sets attributes, or registers the class."""
    return hook.function is not None and _leaves_class_alone(hook.function)


def _leaves_class_alone(function: FunctionModel) -> bool:
    """Whether a function that gets a new class does not look at what is in its body."""
    if not function.parameters:
        return False
    first = function.parameters[0].name
    for _, facts in function.body:
        uses = uses_of_instance(facts, first)
        if uses.called or uses.rebinds or uses.opaque or uses.read & uses.set:
            return False
        for mention in uses.escapes:
            # A function that is called later finds the class complete.
            is_later = mention.when is When.LATER
            is_returned = mention.usage is Usage.RETURNED
            if not (is_later or is_returned or _is_collected(mention)):
                return False
    return True


def _is_collected(mention: Mention) -> bool:
    """Whether an object is passed to a function that keeps it for later.

    Examples are `classes.append(cls)`, and `register_pytree_node(cls, flatten)` of torch,
    which the outputs of models call.
    """
    function = mention.passed_to.rpartition(".")[2].lstrip("_")
    return function in ("append", "add") or function.startswith("register")


def _compare_mixins(pair: Inheritance) -> Iterator[Difference]:
    """Yield bases before the parent class that call its members by `super()`.

    In Python, they come before the parent class. The generated class contains the
    members of the parent class, and comes before them.
    """
    bases = pair.flat.child.bases
    index = bases.index(pair.flat.parent.name)
    if index == 0:
        return
    resolver = pair.context.resolver
    members = pair.parent.members.keys()
    for base in bases[:index]:
        start = resolver.base(pair.definition, base)
        classes = [start]
        if isinstance(start, Definition):
            classes += resolver.ancestors(start).classes
        for class_ in classes:
            model = pair.class_of(class_)
            is_later = class_ in (pair.parent_definition, *pair.ancestors_of_parent)
            if model is None or is_later:
                continue
            called = _super_members(model) & members
            if called:
                name = min(called)
                yield Difference(
                    name,
                    place_of_word(pair.flat.child.header, base),
                    f"`super().{name}` in `{model.name}` does not reach the `{name}` of "
                    f"`{pair.flat.parent.name}`, because the generated class contains it",
                    f"write `{pair.flat.parent.name}` first",
                )
                return


def _super_members(model: ClassModel) -> set[str]:
    """Return the members that the methods of a class use by `super()`.

    If a method uses `super()` as a value, as in `getattr(super(), "f")`, all names and
    strings in it count.
    """
    names: set[str] = set()
    for function in model.functions:
        if "super" not in function.statement.words:
            continue
        for _, facts in function.body:
            for use in facts.super_uses:
                names.add(use.method)
                if use.form in (SuperForm.OBJECT, SuperForm.FUNCTION):
                    names |= function.statement.words | facts.strings
    return names - {""}


def _compare_merged_bodies(pair: Inheritance) -> Iterator[Difference]:
    """Yield attributes that the rules of transformers merge otherwise than Python.

    Attributes come before methods, and an attribute of the child replaces the parent's
    whole statement.
    """
    own_names = pair.child.members.keys()
    replaced = pair.flat.attributes.keys() & pair.flat.inherited_attributes.keys()
    for name in sorted(replaced):
        statement = pair.flat.inherited_attributes[name]
        lost = variables_set_by(statement) - own_names - {name}
        if lost and statement.kind is Kind.ASSIGNMENT:
            yield Difference(
                min(lost),
                place_of(pair.flat.attributes[name].bare_code),
                f"this replaces the parent's statement that also sets `{min(lost)}`, which "
                "the generated class does not have",
                f"write `{min(lost)} = ...`, too",
                Harm.CALL_FAILS,
                related=place_of(statement.bare_code),
            )
    yield from _compare_values_read_at_once(pair)
    yield from _compare_names_of_child(pair)


def _compare_values_read_at_once(pair: Inheritance) -> Iterator[Difference]:
    """Yield members of the parent class that read the child's value of an attribute.

    The parent has `size = 1` and `def f(self, x=size)`. In the generated class, the
    child's `size = 2` stands above the method.
    """
    shared = pair.child.members.keys() & pair.parent.members.keys()
    if not shared:
        return
    for name, member in pair.parent.members.items():
        if name in pair.child.members:
            continue
        for statement in member.statements:
            read = [
                read_name
                for read_name in sorted(find_names_read_at_once(statement, shared))
                if _is_changed(pair, read_name)
            ]
            if read:
                yield Difference(
                    read[0],
                    pair.place_of_member(pair.child.members[read[0]]),
                    f"the parent's `{name}` reads this `{read[0]}` when the generated class "
                    "is made; in Python it has the parent's value",
                    f"write out `{name}` with the value that it should have",
                    related=place_of(statement.bare_code),
                )


def _is_changed(pair: Inheritance, name: str) -> bool:
    """Whether a member of both classes has another value in the modular class."""
    child = pair.child.members[name].statements[-1]
    parent = pair.parent.members[name].statements[-1]
    return child.bare_code.normalized() != parent.bare_code.normalized()


def _compare_names_of_child(pair: Inheritance) -> Iterator[Difference]:
    """Yield members of the child that read a name which is a member of the parent class.

    In Python, `limit = size` in the child reads a variable of the module.
    """
    parent_names = pair.parent.members.keys() - pair.child.members.keys()
    for name, member in pair.child.members.items():
        for statement in member.statements:
            for read in sorted(find_names_read_at_once(statement, parent_names)):
                yield Difference(
                    name,
                    pair.place_of_member(member),
                    f"this reads the member `{read}` of `{pair.flat.parent.name}`; in Python "
                    "it reads a variable of the module",
                    f"rename the variable `{read}`",
                )
