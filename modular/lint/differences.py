"""The judge: finds where a generated class is not what Python's inheritance makes.

It knows classes and what makes them. Rules turn its answers into findings.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from modular.flatten.flattened import Flattened
from modular.lint.context import LintContext
from modular.rules.classes.class_attributes import is_removal
from modular.rules.classes.decorators import has_no_inherit_decorator
from modular.semantics.classes import (
    Builder,
    ClassModel,
    Member,
    MemberKind,
    model_class,
)
from modular.semantics.facts import Mention, SuperForm, Usage, When
from modular.semantics.functions import FunctionModel, model_function
from modular.semantics.instances import uses_of_instance
from modular.semantics.meanings import Definition, Meaning
from modular.semantics.statements import facts_of, find_names_read_at_once
from modular.source.blocks import Kind, Statement
from modular.source.diagnostics import Place
from modular.source.places import place_of, place_of_word
from modular.source.python_trees import dotted_name, parse
from modular.source.source_slice import has_word


class Certainty(Enum):
    """Whether a difference exists for certain."""

    CERTAIN = "the classes differ"
    POSSIBLE = "the classes may differ, because some code is not known"


class Harm(Enum):
    """What a difference does to the generated class."""

    IMPORT_FAILS = "the generated file cannot be imported"
    CALL_FAILS = "the class or a method fails"
    OTHER_RESULT = "a method computes something else"


@dataclass(frozen=True)
class Difference:
    """A place where a generated class is not what Python's inheritance makes.

    Attributes:
        member: The member that differs; empty for the class as a whole.
        place: The place in the modular file.
        message: What the generated class does, and what Python does.
        hint: What to write instead; may be empty.
        harm: What it does to the generated class.
        certainty: Whether it exists for certain.
        related: A second place, or None.
    """

    member: str
    place: Place
    message: str
    hint: str
    harm: Harm = Harm.OTHER_RESULT
    certainty: Certainty = Certainty.CERTAIN
    related: Place | None = None


_FIELDS = (MemberKind.FIELD, MemberKind.DECLARATION)
_ATTRIBUTES = (*_FIELDS, MemberKind.ATTRIBUTE)

_WRITTEN_BY_DATACLASS = frozenset(
    {"__eq__", "__ge__", "__gt__", "__hash__", "__init__", "__le__", "__lt__"}
    | {"__repr__"}
)
"""Methods that `@dataclass` may write into a class that does not define them."""


@dataclass(frozen=True, eq=False)
class Inheritance:
    """A class of the modular file and its parent class, as Python sees them.

    Attributes:
        context: The modular file and its project.
        flat: The generated class.
        child: The class of the modular file.
        parent: The parent class, renamed.
    """

    context: LintContext
    flat: Flattened
    child: ClassModel
    parent: ClassModel

    @cached_property
    def definition(self) -> Definition:
        """The class in the modular file."""
        return Definition(self.context.modular.path, self.flat.child.name, Kind.CLASS)

    @cached_property
    def parent_definition(self) -> Meaning:
        """The parent class in its own file."""
        return self.context.resolver.base(self.definition, self.flat.parent.name)

    @cached_property
    def original_parent(self) -> ClassModel | None:
        """The parent class before it is renamed."""
        return self.class_of(self.parent_definition)

    @cached_property
    def ancestors_of_parent(self) -> tuple[Meaning, ...]:
        """The classes from which the parent class inherits, in Python's order."""
        parent = self.parent_definition
        if not isinstance(parent, Definition):
            return ()
        return self.context.resolver.ancestors(parent).classes

    def class_of(self, meaning: Meaning) -> ClassModel | None:
        """Return the class that a name means; None if its code is in no file."""
        if not isinstance(meaning, Definition) or not meaning.is_class:
            return None
        statement = self.context.resolver.statement(meaning)
        return None if statement is None else model_class(statement)

    def place_of_member(self, member: Member) -> Place:
        """Return the place of a member of the modular class."""
        return place_of(member.statements[-1].bare_code)

    @property
    def header(self) -> Place:
        """The place of the modular class."""
        return place_of(self.flat.child.header)


def read_inheritance(context: LintContext, flat: Flattened) -> Inheritance:
    """Return a class of the modular file and its parent class, as Python sees them.

    Args:
        context: The modular file and its project.
        flat: The generated class.
    """
    return Inheritance(
        context=context,
        flat=flat,
        child=model_class(flat.child.statement),
        parent=model_class(flat.parent.statement),
    )


def compare_class(pair: Inheritance) -> Iterator[Difference]:
    """Yield where a generated class is not the class that Python makes.

    Args:
        pair: The class of the modular file and its parent class.
    """
    yield from _compare_builders(pair)
    yield from _compare_fields(pair)
    yield from _compare_hooks(pair)
    yield from _compare_replaced_values(pair)
    yield from _compare_mixins(pair)
    yield from _compare_reflection(pair)
    if pair.flat.is_like_python:
        yield from _compare_kept_methods(pair)
    else:
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
        is_over_field = inherited is not None and inherited.kind in _FIELDS
        is_new_field = member.kind in _FIELDS
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
        is_field = parent_member is not None and parent_member.kind in _FIELDS
        if is_field and member.kind not in _FIELDS:
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


def _compare_replaced_values(pair: Inheritance) -> Iterator[Difference]:
    """Yield attributes whose replaced value may be a descriptor with `__set_name__`.

    In Python, the value of the parent class is told its name, and may change the class.
    """
    # Most classes replace no attribute. Then the parent class's own file is not read.
    replaced_names = []
    for name in pair.child.members:
        member = pair.parent.members.get(name)
        if member is not None and member.kind in _ATTRIBUTES:
            replaced_names.append(name)
    if not replaced_names:
        return
    original = pair.original_parent
    if original is None:
        return
    assert isinstance(pair.parent_definition, Definition), "its code is known"
    path = pair.parent_definition.path
    for name in replaced_names:
        member = original.members.get(name)
        if member is None or member.kind not in _ATTRIBUTES:
            continue
        certainty = None
        for statement in member.statements:
            value = _value_of(statement)
            if value is not None and certainty is None:
                certainty = _is_told_its_name(pair, path, value)
        is_vague = certainty is Certainty.POSSIBLE and not pair.flat.is_like_python
        if certainty is not None and not is_vague:
            yield Difference(
                name,
                pair.place_of_member(pair.child.members[name]),
                f"the `{name}` of `{pair.flat.parent.name}` has `__set_name__`, which Python "
                "calls, and the generated class does not contain it",
                "use another name",
                certainty=certainty,
            )


def _value_of(statement: Statement) -> ast.expr | None:
    """Return the value of an assignment; None for other statements."""
    if statement.is_compound:
        return None
    body = parse(statement.bare_code.text.strip()).body
    match body:
        case [ast.Assign(value=value)]:
            return value
        case [ast.AnnAssign(value=annotated)]:
            return annotated
    return None


def _is_told_its_name(
    pair: Inheritance, path: str, value: ast.expr, depth: int = 3
) -> Certainty | None:
    """Return whether a value is an object of a class of the project with `__set_name__`.

    Args:
        pair: Both classes.
        path: The file with the value.
        value: The value.
        depth: The number of names that may still be followed.

    Returns:
        None if it is none, or comes from another library.
    """
    resolver = pair.context.resolver
    name = dotted_name(value.func if isinstance(value, ast.Call) else value)
    if not name or depth == 0:
        return None
    meaning = resolver.meaning(path, name)
    if not isinstance(meaning, Definition):
        return None
    if isinstance(value, ast.Call):
        if not meaning.is_class:
            # A function may return anything.
            return Certainty.POSSIBLE
        for class_ in (meaning, *resolver.ancestors(meaning).classes):
            model = pair.class_of(class_)
            if model is not None and "__set_name__" in model.members:
                return Certainty.CERTAIN
        return None
    statement = resolver.statement(meaning)
    if statement is None or meaning.kind is not Kind.ASSIGNMENT:
        return None
    inner = _value_of(statement)
    if inner is None:
        return None
    return _is_told_its_name(pair, meaning.path, inner, depth - 1)


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


_HARMLESS_DECORATORS = frozenset(
    {
        "accepts_precomputed_kwargs",
        "add_start_docstrings",
        "add_start_docstrings_to_model_forward",
        "dataclass",
        "final",
        "runtime_checkable",
        "strict",
        "total_ordering",
        "compile_compatible_method_lru_cache",
        "filter_output_hidden_states",
        "force_accelerate_hooks",
        "replace_return_docstrings",
        "requires",
        "select_hidden_states",
        "auto_docstring",
        "cache",
        "can_return_tuple",
        "capture_outputs",
        "classmethod",
        "compile",
        "deprecate_kwarg",
        "dynamic_rope_update",
        "enable_grad",
        "ignore",
        "inference_mode",
        "lru_cache",
        "merge_with_config_defaults",
        "no_grad",
        "property",
        "staticmethod",
        "unused",
        "use_experts_implementation",
        "use_kernel_forward_from_hub",
        "use_kernel_func_from_hub",
        "use_kernelized_func",
    }
)
"""Decorators of Python, torch and transformers that do the same under each name."""


_BASE_ATTRIBUTES = frozenset(
    {"__base__", "__bases__", "__mro__", "__subclasses__", "mro"}
)
"""All attributes by which code finds the bases of a class."""


def _compare_reflection(pair: Inheritance) -> Iterator[Difference]:
    """Yield code that looks at the bases of a class, which has another base when generated."""
    for view in (pair.flat.child, pair.flat.parent):
        for name in sorted(_BASE_ATTRIBUTES):
            if not has_word(view.code.mask, name):
                continue
            yield Difference(
                "",
                pair.header,
                f"`{name}` in `{view.name}` shows that the generated class has no parent "
                f"class `{pair.flat.parent.name}`",
                "name the class that is meant",
            )


def _compare_kept_methods(pair: Inheritance) -> Iterator[Difference]:
    """Yield methods that are kept under another name, but have a decorator that may use it."""
    original = pair.original_parent
    if original is None:
        return
    assert isinstance(pair.parent_definition, Definition), "its code is known"
    for name in pair.flat.kept_names:
        member = original.members.get(name)
        function = None if member is None else member.function
        if function is None:
            continue
        for decorator in function.decorators:
            if not _is_harmless_decorator(pair, decorator):
                yield Difference(
                    name,
                    pair.header,
                    f"`{pair.flat.parent.name}.{name}` has the decorator `@{decorator}`, "
                    "which may depend on the name of the method",
                    "write out what the method does",
                )


def _is_harmless_decorator(pair: Inheritance, decorator: str) -> bool:
    """Whether a decorator does the same with a function of another name."""
    if is_harmless_decorator_name(decorator):
        return True
    function = find_function(pair, decorator)
    if function is None or not function.parameters or len(function.parameters) != 1:
        return False
    decorated = function.parameters[0].name
    for _, facts in function.body:
        for mention in facts.mentions_of(decorated):
            is_wrapped = mention.passed_to.rpartition(".")[2] == "wraps"
            is_called = mention.usage is Usage.CALLED and not mention.attributes
            is_returned = mention.usage is Usage.RETURNED and not mention.attributes
            if not (is_called or is_wrapped or is_returned):
                return False
    return True


def is_harmless_decorator_name(decorator: str) -> bool:
    """Whether a decorator is known to do the same with each function, once or twice."""
    return decorator.rpartition(".")[2] in _HARMLESS_DECORATORS


def find_function(pair: Inheritance, name: str) -> FunctionModel | None:
    """Return the function that a name of the parent's file means, if its code is known."""
    if not isinstance(pair.parent_definition, Definition):
        return None
    resolver = pair.context.resolver
    meaning = resolver.meaning(pair.parent_definition.path, name)
    if not isinstance(meaning, Definition) or meaning.kind is not Kind.FUNCTION:
        return None
    statement = resolver.statement(meaning)
    return None if statement is None else model_function(statement)


def _compare_merged_bodies(pair: Inheritance) -> Iterator[Difference]:
    """Yield attributes that the rules of transformers merge otherwise than Python.

    Attributes come before methods, and an attribute of the child replaces the parent's
    whole statement.
    """
    own_names = pair.child.members.keys()
    replaced = pair.flat.attributes.keys() & pair.flat.inherited_attributes.keys()
    for name in sorted(replaced):
        statement = pair.flat.inherited_attributes[name]
        lost = _names_bound(statement) - own_names - {name}
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


def _names_bound(statement: Statement) -> set[str]:
    """Return the names that a statement assigns to."""
    return {name for name in facts_of(statement).changed_names if "." not in name}


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
