"""Finds differences in what Python does when it makes a class out of its body.

The generated class has the members of two classes in one body, and no parent class.
"""

from collections.abc import Collection, Iterable, Iterator

import libcst as cst

from modular.lint.context import LintContext
from modular.lint.inheritance import (
    Certainty,
    Difference,
    Harm,
    Inheritance,
    find_function,
    is_harmless_decorator_name,
)
from modular.lint.merged_bodies import last_words
from modular.rules.classes.class_attributes import is_removal
from modular.rules.classes.decorators import (
    has_no_inherit_decorator,
    split_decorators,
)
from modular.semantics.classes import (
    ATTRIBUTES,
    FIELDS,
    ClassModel,
    Member,
    MemberKind,
    mentions_in_class,
    model_class,
)
from modular.semantics.dataclass_fields import dataclass_decorator
from modular.semantics.facts import Mention, OpaqueReason, Usage, When
from modular.semantics.functions import FunctionModel
from modular.semantics.instances import uses_of_instance
from modular.semantics.meanings import Definition, ForeignName, Meaning
from modular.semantics.modules import effects_on
from modular.semantics.statements import facts_of
from modular.source.assignments import assigned_target, assigned_value
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.module import Module
from modular.source.places import place_of, place_of_word
from modular.source.source_slice import has_word, words


_WITHOUT_PARENT = "define the class without a parent class"
"""The hint of differences that cannot be avoided otherwise."""

_HARMLESS_METACLASSES = ("ABCMeta", "type")
"""Python's own metaclasses: `ABCMeta` only looks for abstract methods."""

_METHODS_THAT_SEE_BODIES = frozenset({"__init__", "__new__", "__prepare__"})
"""The methods of a metaclass that are called with the body of a new class."""

_KEYWORD_MARK = "KW_ONLY"

_COMPARING_METHODS = frozenset({"__lt__", "__le__", "__gt__", "__ge__"})

_WRITTEN_BY_DATACLASS = {
    "init": frozenset({"__init__"}),
    "repr": frozenset({"__repr__"}),
    "eq": frozenset({"__eq__", "__hash__", "__replace__"}),
    "order": _COMPARING_METHODS,
    "unsafe_hash": frozenset({"__hash__"}),
    "frozen": frozenset({"__setattr__", "__delattr__"}),
    "match_args": frozenset({"__match_args__"}),
    "slots": frozenset({"__getstate__", "__setstate__"}),
}
"""Members that `@dataclass` may write into a class that does not define them.

They are listed by the argument of `@dataclass` that switches them on or off.
"""

_REFUSED_BY_DATACLASS = {
    "frozen": frozenset({"__setattr__", "__delattr__"}),
    "order": _COMPARING_METHODS,
}
"""Members that a class cannot define if `@dataclass` has one of these arguments."""


def compare_builders(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield differences that arise because Python creates one class instead of two.

    Args:
        inheritance: The class of the modular file and its parent class.
    """
    yield from _compare_aliases(inheritance)
    yield from _compare_special_bases(inheritance)
    yield from _compare_keywords(inheritance)
    yield from _compare_dataclasses(inheritance)
    yield from _compare_hooks(inheritance)
    yield from _compare_subclass_hooks(inheritance)
    yield from _compare_class_decorators(inheritance)
    yield from _compare_lost_class_decorators(inheritance)
    yield from _compare_private_names(inheritance)
    yield from _compare_global_names(inheritance)
    if inheritance.is_like_python:
        yield from _compare_patches(inheritance)
        yield from _compare_computed_names(inheritance)
        yield from _compare_type_parameters(inheritance)


def _compare_aliases(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield bases and decorators that are imported under another name.

    After `from dataclasses import dataclass as data`, the decorator `@data` is not
    known to be `@dataclass`. A base that the child and the parent call by two names
    would count as two bases.
    """
    path = inheritance.parent_definition.path
    renamer = inheritance.context.layout.parents[path].renamer
    merged_class = inheritance.merged_class
    child_aliases = inheritance.context.memoized(_aliases, inheritance.definition.path)
    # The parent's header is renamed for the new model, and so are its names.
    parent_aliases = map(renamer.word, inheritance.context.memoized(_aliases, path))
    is_in_child = _has_in_header(merged_class.child, child_aliases)
    is_in_parent = _has_in_header(merged_class.parent, parent_aliases)
    if not is_in_child and not is_in_parent:
        return
    # The name by which a header first mentions each base or decorator.
    first_names: dict[Meaning, str] = {}
    for class_, model in (
        (inheritance.definition, inheritance.child),
        (inheritance.parent_definition, inheritance.original_parent),
    ):
        for name, meaning in _meanings_in_header(inheritance, class_, model).items():
            if not isinstance(meaning, Definition | ForeignName):
                continue
            if meaning == inheritance.parent_definition:
                continue
            # `Generic` for the base `typing.Generic[T]`.
            word = name.partition("[")[0].rpartition(".")[2]
            has_alias = meaning in _KNOWN_BY_NAME and _last_name(meaning) != word
            has_two_names = first_names.setdefault(meaning, word) != word
            if has_alias or has_two_names:
                yield Difference(
                    "",
                    inheritance.header,
                    f"`{name}` of `{model.name}` is `{_last_name(meaning)}` by another name",
                    "import it under its own name",
                    Harm.IMPORT_FAILS,
                )


def _meanings_in_header(
    inheritance: Inheritance, class_: Definition, model: ClassModel
) -> dict[str, Meaning]:
    """Return what the bases and decorators of a class mean, by their names.

    A decorator such as `@table["x"]` has no name, and is left out.
    """
    resolver = inheritance.context.resolver
    meanings = dict(zip(model.bases, resolver.bases(class_), strict=False))
    for decorator in filter(None, model.decorators):
        meanings[decorator] = resolver.meaning(class_.path, decorator)
    return meanings


def _has_in_header(class_: DefinitionView, names: Iterable[str]) -> bool:
    """Whether the decorators or the header of a class contain one of some names."""
    header = f"{class_.decorators.masked_text}{class_.header.masked_text}"
    return any(has_word(header, name) for name in names)


def _aliases(context: LintContext, path: str) -> frozenset[str]:
    """Return the new names that the imports of a file give.

    For `from enum import Enum as Kind`, the new name is `Kind`.
    """
    module = context.modular.module
    if path != module.path:
        module = context.layout.parents[path].source.module
    aliases = set()
    for import_ in module.imports:
        aliases |= {alias.bound for alias in import_.names if alias.alias}
    return frozenset(aliases)


_KNOWN_BY_NAME = frozenset(
    ForeignName(name)
    for name in (
        "dataclasses.dataclass",
        "enum.Enum",
        "typing.NamedTuple",
        "typing.Protocol",
        "typing.TypedDict",
    )
)
"""Bases and decorators that are known by their names."""


def _last_name(meaning: Definition | ForeignName) -> str:
    if isinstance(meaning, Definition):
        return meaning.name
    return meaning.dotted_name.rpartition(".")[2]


def _compare_special_bases(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield differences because the parent class is a named tuple, an enum or a protocol.

    In Python, a class that inherits from it is an ordinary class. The generated class
    has the base `NamedTuple` itself, for example.
    """
    child, parent = inheritance.child, inheritance.parent
    if _has_base(parent, "NamedTuple"):
        other_base = next(_compare_bases_of_tuple(inheritance), None)
        if other_base is not None:
            yield other_base
        else:
            yield from _compare_named_tuple(inheritance)
    resolver = inheritance.context.resolver
    # Only a second base can make an enum of a class whose parent is not one.
    has_other_base = len(child.bases) > 1
    if resolver.is_enum(inheritance.parent_definition):
        yield from _compare_enums(inheritance)
    elif has_other_base and resolver.is_enum(inheritance.definition):
        yield Difference(
            "",
            inheritance.header,
            "the generated class is an enum with the members of "
            f"`{parent.name}`, which is not an enum in Python",
            _WITHOUT_PARENT,
        )
    if _has_base(parent, "Protocol") and not _has_base(child, "Protocol"):
        yield Difference(
            "",
            inheritance.header,
            f"the generated class is a protocol like `{parent.name}`, so it has "
            "no instances; in Python, a class that inherits from a protocol is an ordinary "
            "class",
            _WITHOUT_PARENT,
            Harm.CALL_FAILS,
        )


def _compare_named_tuple(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield a difference because only the parent class is a named tuple in Python.

    The generated class is a named tuple, too. So `size: int` in the child adds a field
    to it, for example.
    """
    parent = inheritance.parent.name
    generated = inheritance.context.class_named(inheritance.child.name)
    named_tuple = inheritance.child
    if generated is not None:
        named_tuple = model_class(generated.statement)
    uses_own_class = _uses_own_class(named_tuple)
    is_refused = uses_own_class or _has_refused_member(named_tuple)
    harm = Harm.IMPORT_FAILS if is_refused else Harm.OTHER_RESULT
    misfit = _find_misfit_of_tuple(inheritance)
    if misfit is not None:
        yield Difference(
            misfit.name,
            inheritance.place_of_member(misfit),
            f"`{misfit.name}` changes the fields of the generated named tuple, or "
            f"cannot be in it; in Python, a class that inherits from `{parent}` keeps "
            "its fields",
            _WITHOUT_PARENT,
            harm,
        )
        return

    reason = (
        "which has no attributes but its fields; in Python, a class that inherits from "
        "it can have others"
    )
    if uses_own_class:
        reason = "whose methods cannot use `super` or `__class__`"
    yield Difference(
        "",
        inheritance.header,
        f"the generated class is a named tuple like `{parent}`, {reason}",
        _WITHOUT_PARENT,
        harm,
    )


def _has_refused_member(named_tuple: ClassModel) -> bool:
    """Whether Python refuses a named tuple because of a member.

    It refuses members such as `__init__`, a field `_size`, and a field without a default
    below one that has a default.
    """
    has_default = False
    for member in named_tuple.members.values():
        if member.name in _FORBIDDEN_IN_TUPLES:
            return True
        if not _is_field(member):
            continue
        is_required = member.kind is MemberKind.DECLARATION
        if member.name.startswith("_") or (is_required and has_default):
            return True
        has_default = not is_required
    return False


def _uses_own_class(model: ClassModel) -> bool:
    """Whether a method of a class uses `super` or `__class__`."""
    for statement, mention in mentions_in_class(model):
        # In a nested class, the two names mean that class.
        is_nested = statement.kind is Kind.CLASS
        if mention.name in _NAMES_OF_OWN_CLASS and not is_nested:
            return True
    return False


def _compare_bases_of_tuple(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield the child's first base that Python does not allow beside `NamedTuple`.

    Python allows only `Generic`.
    """
    parent = inheritance.parent.name
    for base in inheritance.child.bases:
        if base == parent or _is_named(base, "Generic"):
            continue
        yield Difference(
            "",
            inheritance.header,
            f"the generated class is a named tuple like `{parent}`, which cannot have "
            f"the base `{base}`",
            _WITHOUT_PARENT,
            Harm.IMPORT_FAILS,
        )
        return


def has_values(model: ClassModel) -> bool:
    """Return whether an enum has members, so that no class can inherit from it."""
    return any(member.kind in ATTRIBUTES for member in model.members.values())


def _compare_enums(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield the reasons why Python refuses a child of an enum, or the generated class.

    Python refuses `class OlmoKind(LlamaKind)` if `LlamaKind` has a member `RED = 1`, and
    the generated `class OlmoKind(Enum, Mixin)`, because an enum must be the last base.
    """
    parent = inheritance.parent.name
    if has_values(inheritance.parent):
        yield Difference(
            "",
            inheritance.header,
            f"Python does not let a class inherit from `{parent}`, an enum with members",
            _WITHOUT_PARENT,
        )
    yield from _compare_next_values(inheritance)
    # With Python's inheritance, the bases keep their order.
    if inheritance.is_like_python:
        return
    first_base = inheritance.child.bases[0]
    if first_base != parent:
        yield Difference(
            "",
            inheritance.header,
            f"`{first_base}` comes after the bases of `{parent}` in the "
            "generated class, but Python requires the enum to be the last base",
            _WITHOUT_PARENT,
            Harm.IMPORT_FAILS,
        )


def _compare_next_values(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield a difference if an enum defines `_generate_next_value_` below its values.

    Python refuses such an enum. In the generated class, the values come first.
    """
    method = inheritance.child.members.get(_NEXT_VALUE)
    if method is None:
        method = inheritance.parent.members.get(_NEXT_VALUE)
    if method is not None and has_values(inheritance.child):
        yield Difference(
            _NEXT_VALUE,
            inheritance.header,
            f"the values of the generated class come before `{_NEXT_VALUE}`, but Python "
            "requires them after it",
            _WITHOUT_PARENT,
            Harm.IMPORT_FAILS,
            related=place_of(method.statements[0].bare_code),
        )


def _has_base(model: ClassModel, name: str) -> bool:
    """Whether a class names a base such as `Protocol[T]` or `typing.Protocol`."""
    return any(_is_named(base, name) for base in model.bases)


def _is_named(base: str, name: str) -> bool:
    """Whether a base is `Protocol`, `Protocol[T]` or `typing.Protocol`, for example."""
    return base.partition("[")[0].rpartition(".")[2] == name


_NEXT_VALUE = "_generate_next_value_"
"""The method of an enum that chooses the value of `auto()`."""

_FORBIDDEN_IN_TUPLES = frozenset(
    {
        "__getnewargs__",
        "__init__",
        "__new__",
        "__slots__",
        "_asdict",
        "_field_defaults",
        "_fields",
        "_make",
        "_replace",
        "_source",
    }
)
"""Members that the body of a named tuple cannot have."""

_NAMES_OF_OWN_CLASS = frozenset({"__class__", "super"})
"""Names by which a method uses the class that defines it, as `super()` does."""


def _find_misfit_of_tuple(inheritance: Inheritance) -> Member | None:
    """Return the child's first member that does not fit into a named tuple, or None.

    `__init__` is forbidden in it. `size: int` adds a field, and `def size(self)` removes
    the field `size` of the parent.
    """
    for member in inheritance.child.members.values():
        if _is_field(member) or member.name in _FORBIDDEN_IN_TUPLES:
            return member
        parent_member = inheritance.parent.members.get(member.name)
        if parent_member is not None and _is_field(parent_member):
            return member
    return None


def _compare_keywords(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield differences because of the keywords in the class headers.

    The generated class has all keywords of the parent's header, such as `total=False`.
    In Python, only `metaclass` is inherited.
    """
    parent = inheritance.parent.name
    child_keywords = inheritance.child.keywords
    parent_keywords = inheritance.parent.keywords
    metaclass = parent_keywords.get("metaclass")
    if metaclass is not None and _sees_bodies(
        inheritance, inheritance.parent_definition, metaclass
    ):
        yield Difference(
            "",
            inheritance.header,
            f"`metaclass={metaclass}` of `{parent}` would see the members of both classes",
            _WITHOUT_PARENT,
        )
    for name, value in child_keywords.items():
        if parent_keywords.get(name) != value:
            yield Difference(
                "",
                inheritance.header,
                "the keywords of the class are those of its parent class",
                f"leave `{name}={value}` out, or define the class without a parent class",
            )
    for name, value in parent_keywords.items():
        if name == "metaclass" or name in child_keywords:
            continue
        if name == "total" and not _total_matters(inheritance):
            continue
        yield Difference(
            "",
            inheritance.header,
            f"`{name}={value}` of `{parent}` is not inherited",
            f"write `{name}={value}` after the base, too",
        )


def _total_matters(inheritance: Inheritance) -> bool:
    """Whether the parent's `total=False` makes keys of the child's `TypedDict` optional.

    In Python, it makes only the parent's own keys optional. With the rules of
    transformers, the child inherits it on purpose, so this is no difference.
    """
    if not inheritance.is_like_python:
        return False
    return any(_is_field(member) for member in inheritance.child.members.values())


def _compare_dataclasses(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield differences because `@dataclass` runs for one class instead of two.

    It sees the fields of the child and of the parent class in one body.
    """
    has_parent_decorator = inheritance.parent.is_dataclass
    has_child_decorator = inheritance.child.is_dataclass
    if has_parent_decorator and has_child_decorator:
        yield from _compare_dataclass_arguments(inheritance)
        yield from _compare_bodies_of_dataclasses(inheritance)
    elif has_parent_decorator and not has_no_inherit_decorator(
        inheritance.merged_class.child
    ):
        yield from _compare_child_of_dataclass(inheritance)
    elif has_child_decorator:
        yield from _compare_parent_of_dataclass(inheritance)
    elif inheritance.makes_dataclasses:
        # A base makes dataclasses of both classes without a decorator.
        yield from _compare_bodies_of_dataclasses(inheritance)
    yield from _compare_hidden_fields(inheritance)


def _compare_dataclass_arguments(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield a difference if the `@dataclass` of child and parent have different arguments.

    The difference is possible, but not certain, if an argument is no constant, as in
    `@dataclass(frozen=FROZEN)`.
    """
    child_decorator = dataclass_decorator(inheritance.child.statement)
    parent_decorator = dataclass_decorator(inheritance.parent.statement)
    assert child_decorator is not None, "the class is a dataclass"
    assert parent_decorator is not None, "the parent class is a dataclass"
    # The arguments are None if one of them is no constant.
    child_arguments = child_decorator.arguments
    parent_arguments = parent_decorator.arguments
    are_constants = child_arguments is not None and parent_arguments is not None
    if are_constants and child_arguments == parent_arguments:
        return
    yield Difference(
        "",
        place_of(inheritance.merged_class.child.decorators),
        f"this `@dataclass` has different arguments from that of `{inheritance.parent.name}`, "
        "and counts for the fields of both classes",
        "write the same decorator",
        certainty=Certainty.CERTAIN if are_constants else Certainty.POSSIBLE,
        related=place_of(inheritance.merged_class.parent.decorators),
    )


def _compare_bodies_of_dataclasses(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield differences because `@dataclass` runs once for both class bodies."""
    yield from _compare_written_methods(inheritance)
    yield from _compare_declared_fields(inheritance)
    yield from _compare_dynamic_fields(inheritance)
    yield from _compare_order_of_fields(inheritance)


def _compare_written_methods(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield methods that `@dataclass` writes for the child only in Python.

    In Python, `@dataclass` also runs for the child alone, and writes an `__eq__` for
    it. In the generated class, it keeps the `__eq__` that the parent class defines.
    """
    parent = inheritance.parent.name
    decorator = dataclass_decorator(inheritance.child.statement)
    written_names: set[str] = set()
    for argument, names in _WRITTEN_BY_DATACLASS.items():
        if decorator is None or decorator.may_have(argument):
            written_names |= names
    for name in sorted(written_names & inheritance.parent.members.keys()):
        if name not in inheritance.child.members:
            yield Difference(
                name,
                inheritance.header,
                f"the generated class has the `{name}` of `{parent}`; in Python, "
                "`@dataclass` writes another one for this class",
                f"define `{name}`",
            )


def _compare_declared_fields(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield fields without a value in the child that get one from the parent class.

    The child has `sizes: list`, and the parent `sizes: list = field(...)`.
    """
    parent = inheritance.parent.name
    for name, member in inheritance.child.members.items():
        parent_member = inheritance.parent.members.get(name)
        if member.kind is not MemberKind.DECLARATION or parent_member is None:
            continue
        parent_value = assigned_value(parent_member.statements[-1])
        if parent_member.kind in FIELDS and isinstance(parent_value, cst.Call):
            yield Difference(
                name,
                inheritance.place_of_member(member),
                f"`{name}` has no value, and would get that of `{parent}`",
                "write the value",
            )


def _compare_dynamic_fields(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield statements of one dataclass that would count for the fields of both classes.

    A block, such as an `if`, may define any fields. `_: KW_ONLY` makes all fields below
    it keyword-only.
    """
    for view in (inheritance.merged_class.parent, inheritance.merged_class.child):
        for statement in view.body.statements:
            is_block = statement.is_compound and not statement.is_definition
            if is_block or _KEYWORD_MARK in statement.words:
                yield Difference(
                    "",
                    inheritance.header,
                    f"a statement in the body of `{view.name}` would count for the fields "
                    "of both classes",
                    "list the fields one by one",
                    related=place_of(statement.bare_code),
                )


def _compare_order_of_fields(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield new fields that take the place of an attribute of the parent.

    The child has `flag: bool = False`, and the parent `flag = True`, which is no field.
    In Python, the field comes after those of the parent class.
    """
    moved: Member | None = None
    for step in inheritance.merged_class.members:
        # Statements that are not generated have no key.
        parent_member = inheritance.parent.members.get(step.key)
        if parent_member is None:
            continue
        member = inheritance.child.members.get(step.key)
        if not _is_field(parent_member):
            # The parent's member is an attribute, and the child's is a field.
            if member is not None and _is_field(member):
                moved = member
        elif moved is not None:
            yield Difference(
                moved.name,
                inheritance.place_of_member(moved),
                f"the field `{moved.name}` takes the place of the parent's attribute; in "
                "Python it comes after the parent's fields",
                "use another name",
                related=place_of(step.statement.bare_code),
            )
            return


def _compare_child_of_dataclass(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield members of an ordinary child that the parent's `@dataclass` would see.

    An example is `__setattr__`, which `@dataclass(frozen=True)` refuses.
    """
    parent = inheritance.parent.name
    decorator = dataclass_decorator(inheritance.parent.statement)
    assert decorator is not None, "the parent class is a dataclass"
    arguments: Collection[str] = ()
    if decorator.arguments is not None:
        arguments = decorator.arguments.keys()
    refused_or_called: set[str] = set()
    for argument in arguments:
        refused_or_called |= _REFUSED_BY_DATACLASS.get(argument, frozenset())
    if "__post_init__" not in inheritance.parent.members:
        refused_or_called.add("__post_init__")
    for name, member in inheritance.child.members.items():
        if name in refused_or_called:
            yield Difference(
                name,
                inheritance.place_of_member(member),
                f"the generated class has the `@dataclass` of `{parent}`, which refuses or "
                f"calls `{name}`; in Python, `@dataclass` does not see `{name}`",
                "use another name, or define the class without a parent class",
                Harm.CALL_FAILS,
            )
        # The rules of transformers make a dataclass of such a class on purpose.
        elif _is_field(member) and (
            inheritance.is_like_python
            or _FIELDS_IN_HASH & set(arguments)
            or _changes_init_of_dataclass(inheritance, member)
        ):
            yield Difference(
                name,
                inheritance.place_of_member(member),
                f"`{parent}` is a dataclass and `{inheritance.child.name}` is not, so `{name}` "
                "is not a field",
                "write `@dataclass` above the class",
            )
    for argument in ("slots", "frozen"):
        if argument in arguments and refused_or_called.isdisjoint(
            inheritance.child.members
        ):
            yield Difference(
                "",
                inheritance.header,
                f"`{argument}` of the dataclass `{parent}` does not limit a class that "
                "inherits from it in Python: it can set other attributes",
                _WITHOUT_PARENT,
            )


_FIELDS_IN_HASH = frozenset({"frozen", "unsafe_hash"})
"""Arguments by which `@dataclass` writes a `__hash__` that uses all fields."""

_KINDS_OF_FIELDS = frozenset({"ClassVar", "InitVar"})
"""Annotations of members that are no fields of the instances of a dataclass."""


def _kinds_of_field(member: Member) -> set[str]:
    """Return the words in the definition of a field by which it is not an ordinary one."""
    # Annotations can be in quotes.
    return set(words(member.statements[-1].code.text)) & _KINDS_OF_FIELDS


def _changes_init_of_dataclass(inheritance: Inheritance, member: Member) -> bool:
    """Whether a field of the child lets calls fail that the parent's `__init__` accepts.

    The child has `size: int` without a value, for example, or the parent has
    `size: InitVar[int]`.
    """
    kinds = _kinds_of_field(member)
    parent_member = inheritance.parent.members.get(member.name)
    if parent_member is not None:
        return kinds != _kinds_of_field(parent_member)
    # The parent's `__post_init__` gets all of these.
    if "InitVar" in kinds and "__post_init__" in inheritance.parent.members:
        return True
    return member.kind is MemberKind.DECLARATION and "ClassVar" not in kinds


def _compare_parent_of_dataclass(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield what `@dataclass` does differently because it sees an ordinary parent class.

    For example, `size: int = 4` in the parent class becomes a field, if only the child
    is a dataclass.
    """
    decorator = dataclass_decorator(inheritance.child.statement)
    assert decorator is not None, "the class is a dataclass"
    if decorator.may_have("slots"):
        yield Difference(
            "",
            place_of(inheritance.merged_class.child.decorators),
            "with `slots`, the generated class can have no attributes but its fields; in "
            f"Python, it can have others, as `{inheritance.parent.name}` can",
            "remove `slots`",
        )
    yield from _compare_written_methods(inheritance)
    for name, member in inheritance.parent.members.items():
        if _is_field(member):
            yield Difference(
                name,
                inheritance.header,
                f"`{inheritance.child.name}` is a dataclass and `{inheritance.parent.name}` is "
                f"not, so `{name}` is not a field",
                "write the class without a parent class",
            )
            return


def _compare_hidden_fields(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield members of the child that remove a field from the generated dataclass.

    In Python, the parent's field `size` stays if the child has `size = 1` or
    `def size(self)`. In the generated class, which has only the child's `size`, the
    field is gone.
    """
    if not inheritance.parent.is_dataclass and not inheritance.makes_dataclasses:
        return
    is_configuration = inheritance.child.name.endswith("Config")
    # `UnannotatedSetting` reports the members of configurations.
    if is_configuration and not inheritance.is_like_python:
        return
    for member in _find_hiding_members(inheritance):
        yield Difference(
            member.name,
            inheritance.place_of_member(member),
            f"this removes the field `{member.name}` from the generated dataclass, or becomes "
            f"its default; in Python, the field of `{inheritance.parent.name}` stays",
            f"write the field with its annotation: `{member.name}: ... = ...`",
        )


def _is_field(member: Member) -> bool:
    """Whether a member is a field, also if `size = 2` follows `size: int = 1`."""
    if member.kind in FIELDS:
        return True
    targets = map(assigned_target, member.statements)
    return any(target is not None and target.annotated for target in targets)


def _find_hiding_members(inheritance: Inheritance) -> Iterator[Member]:
    """Yield the child's members that replace a field of the parent, but are no fields.

    An example is `size = 1` if the parent has `size: int = 4`. Members that remove a
    field on purpose, such as `size = AttributeError()`, are left out.
    """
    for member in inheritance.child.members.values():
        parent_member = inheritance.parent.members.get(member.name)
        if parent_member is None or not _is_field(parent_member):
            continue
        if member.kind in FIELDS or is_removal(member.statements[-1]):
            continue
        yield member


def _compare_hooks(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield special members that act differently if a class only inherits them.

    The generated class does not inherit those of the parent class, but defines them.
    """
    parent = inheritance.parent.name
    parent_members = inheritance.parent.members
    child_members = inheritance.child.members
    if "__init_subclass__" in parent_members:
        yield Difference(
            "__init_subclass__",
            inheritance.header,
            f"Python calls `{parent}.__init_subclass__` for this class, but not for the "
            "generated class, which defines it itself",
            "write what it does into the body of this class",
        )
    # In Python, a class with an `__eq__`, but no `__hash__`, gets `__hash__ = None`.
    has_only_eq = "__eq__" in child_members and "__hash__" not in child_members
    if has_only_eq and "__hash__" in parent_members:
        yield Difference(
            "__eq__",
            inheritance.place_of_member(child_members["__eq__"]),
            f"the generated class has the `__hash__` of `{parent}`; in Python, a class with "
            "an `__eq__` of its own has none",
            "write `__hash__ = None`, or define `__hash__`",
        )
    if "__slots__" in parent_members:
        yield Difference(
            "__slots__",
            inheritance.header,
            f"the generated class has only the attributes in the `__slots__` of `{parent}`; "
            "in Python, a class that inherits from it can have others",
            _WITHOUT_PARENT,
        )
    elif "__slots__" in child_members:
        yield Difference(
            "__slots__",
            inheritance.header,
            f"the generated class lacks the attributes of `{parent}`, which are not in these "
            "`__slots__`",
            "remove `__slots__`",
        )


def _compare_subclass_hooks(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield ancestors whose hooks may act differently for one new class than for two.

    Python calls such a hook when it creates the parent class, and again for the child.
    The hooks are `__init_subclass__`, and the methods of a metaclass.
    """
    for ancestor, model in inheritance.known_ancestors:
        if _has_harmful_subclass_hook(inheritance, ancestor, model):
            yield Difference(
                "__init_subclass__",
                inheritance.header,
                f"`{model.name}.__init_subclass__` may act differently for one class "
                "than for a class and its parent class",
                _WITHOUT_PARENT,
            )
        metaclass = model.keywords.get("metaclass")
        if metaclass is not None and _sees_bodies(inheritance, ancestor, metaclass):
            yield Difference(
                "",
                inheritance.header,
                f"the metaclass of `{model.name}` would see the members of both classes",
                _WITHOUT_PARENT,
            )


def _has_harmful_subclass_hook(
    inheritance: Inheritance, ancestor: Definition, model: ClassModel
) -> bool:
    """Whether an ancestor has an `__init_subclass__` that may look at the class's body."""
    if inheritance.looks_at_whole_class(ancestor):
        return False
    # Finding all members of a class is slow, so the text is searched first.
    if "__init_subclass__" not in model.statement.code.text:
        return False
    hook = model.members.get("__init_subclass__")
    if hook is None or model.makes_dataclasses:
        return False
    return not _is_harmless_hook(hook, inheritance.is_like_python)


def _sees_bodies(inheritance: Inheritance, class_: Definition, metaclass: str) -> bool:
    """Return whether a metaclass may treat one merged class body unlike two bodies.

    It may if it defines a method that gets the body of a class, such as `__new__`, or if
    its members are not known.

    Args:
        inheritance: The class of the modular file and its parent class.
        class_: The class whose header has the metaclass.
        metaclass: The metaclass as the header names it.
    """
    if metaclass.rpartition(".")[2] in _HARMLESS_METACLASSES:
        return False
    meaning = inheritance.context.resolver.meaning(class_.path, metaclass)
    model = inheritance.class_of(meaning)
    if model is None or any(base not in _HARMLESS_METACLASSES for base in model.bases):
        return True
    return not _METHODS_THAT_SEE_BODIES.isdisjoint(model.members)


def _compare_class_decorators(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield decorators of one class that would see the members of both classes.

    A decorator that both classes have is left out: Python applies it to both, too.
    """
    if has_no_inherit_decorator(inheritance.merged_class.child):
        return
    if inheritance.merged_class.is_like_python:
        yield from _compare_unknown_decorators(inheritance)
        return
    # If the child has no members, all decorators see only those of the parent class.
    if not inheritance.child.members:
        return
    shared = set(inheritance.parent.decorators) & set(inheritance.child.decorators)
    for model, class_ in (
        (inheritance.parent, inheritance.parent_definition),
        (inheritance.child, inheritance.definition),
    ):
        for decorator in model.decorators:
            if is_harmless_decorator_name(decorator) or decorator in shared:
                continue
            function = find_function(inheritance, decorator, class_.path)
            if function is not None and not _leaves_class_alone(function):
                yield Difference(
                    "",
                    inheritance.header,
                    f"the decorator `@{decorator}` of `{model.name}` sees the members of "
                    "both classes; in Python, it sees only those of its own class",
                    "write `@no_inherit_decorator`, or the decorators of your class",
                )


def _compare_lost_class_decorators(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield decorators of the parent class that change it, and that the child replaces.

    In Python, the child inherits what they have written into the parent class. With
    Python's inheritance, the generated class has the decorators of both classes.
    """
    if not inheritance.child.decorators:
        return
    if has_no_inherit_decorator(inheritance.merged_class.child):
        return
    for decorator in inheritance.parent.decorators:
        if is_harmless_decorator_name(decorator):
            continue
        # `functools.total_ordering` adds methods. Others count if their code is known.
        adds_methods = decorator.rpartition(".")[2] == "total_ordering"
        if not adds_methods and find_function(inheritance, decorator) is None:
            continue
        generated = inheritance.context.class_named(inheritance.child.name)
        if generated is not None and decorator in generated.decorator_names:
            continue
        yield Difference(
            "",
            place_of(inheritance.merged_class.child.decorators),
            f"these decorators replace `@{decorator}` of "
            f"`{inheritance.parent.name}`; in Python, this class inherits what "
            "it has added to the parent class",
            f"write `@{decorator}`, too",
            related=place_of(inheritance.merged_class.parent.decorators),
        )


def _compare_unknown_decorators(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield decorators that may do something else with one class than with two.

    In Python, the parent's decorators get the parent class, and those of the child the
    child class. The merged class has all of them.
    """
    members = inheritance.child.members.keys() | inheritance.parent.members.keys()
    for model, class_, hint in (
        (
            inheritance.original_parent,
            inheritance.parent_definition,
            "write `@no_inherit_decorator`",
        ),
        (inheritance.child, inheritance.definition, _WITHOUT_PARENT),
    ):
        view = view_definition(model.statement)
        for decorator, code in split_decorators(view):
            if is_harmless_decorator_name(decorator):
                continue
            # `@tag(size=1)` calls a function that returns the decorator.
            is_called = "(" in code.masked_text
            function = None
            if not is_called:
                function = find_function(inheritance, decorator, class_.path)
            if function is None or not _only_sets_others(function, members):
                yield Difference(
                    "",
                    inheritance.header,
                    f"the decorator `@{decorator}` of `{model.name}` may see the members "
                    "of both classes; in Python, it sees only those of its own class",
                    hint,
                )


def _only_sets_others(decorator: FunctionModel, members: Collection[str]) -> bool:
    """Whether a class decorator only sets attributes that no class body defines.

    `cls.size = 8` does. `cls.total = 2 * cls.size` also reads a member, which the child
    may replace.

    Args:
        decorator: The function.
        members: The members that the class bodies define.
    """
    if not _leaves_class_alone(decorator):
        return False
    class_parameter = decorator.parameters[0].name
    for _, facts in decorator.body:
        uses = uses_of_instance(facts, class_parameter)
        if facts.calls or uses.read or not uses.set.isdisjoint(members):
            return False
    return True


_LISTING_METHODS = ("append", "add")
"""Methods that add an object to a list or set."""


def _is_harmless_hook(hook: Member, is_like_python: bool) -> bool:
    """Whether `__init_subclass__` only sets attributes, or registers the class.

    With Python's inheritance, a hook that adds the class to a list is not harmless: in
    Python, the list also contains the parent class.
    """
    function = hook.function
    if function is None or not _leaves_class_alone(function):
        return False
    if not is_like_python:
        return True
    class_parameter = function.parameters[0].name
    for _, facts in function.body:
        for mention in facts.mentions_of(class_parameter):
            if mention.passed_to.rpartition(".")[2] in _LISTING_METHODS:
                return False
    return True


def _leaves_class_alone(function: FunctionModel) -> bool:
    """Whether a function ignores the members of a class that it gets.

    For example, a decorator ignores them if it only sets `cls.kind = 1` and returns
    `cls`.
    """
    if not function.parameters:
        return False
    class_parameter = function.parameters[0].name
    for _, facts in function.body:
        uses = uses_of_instance(facts, class_parameter)
        # The class may have a member with the name that is read and set.
        changes_member = uses.read & uses.set
        if uses.called or uses.rebinds or uses.opaque or changes_member:
            return False
        # The expressions that pass the class on, such as `register(cls)`.
        for mention in uses.escapes:
            # A function that is called later finds the class complete.
            if mention.when is When.LATER or mention.usage is Usage.RETURNED:
                continue
            if not _is_collected(mention):
                return False
    return True


def _is_collected(mention: Mention) -> bool:
    """Whether an object is passed to a function that keeps it for later.

    Examples are `classes.append(cls)`, and `register_pytree_node(cls, flatten)` of
    torch, which the outputs of models call.
    """
    function = mention.passed_to.rpartition(".")[2].lstrip("_")
    return function in _LISTING_METHODS or function.startswith("register")


def _compare_private_names(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield names of the child that mean a private attribute of the parent class.

    In Python, the `__size` of the class `LlamaMLP` is the attribute `_LlamaMLP__size`,
    and that of its child `MyModelMLP` is `_MyModelMLP__size`. In the generated class,
    `__size` is one attribute, and nothing sets `_LlamaMLP__size`.
    """
    child = inheritance.merged_class.child.code
    parent = inheritance.parent.name
    mangled_prefix = f"_{parent.lstrip('_')}__"
    for name in sorted(inheritance.child.statement.words):
        if name.startswith(mangled_prefix):
            yield Difference(
                name,
                place_of_word(child, name),
                f"`{name}` is a private name of `{parent}`",
                "use another attribute",
            )
        elif _is_private(name) and name in inheritance.parent.statement.words:
            yield Difference(
                name,
                place_of_word(child, name),
                f"`{name}` is private to the class it is written in, and `{parent}` has one "
                "of its own",
                "rename it",
            )


def _compare_global_names(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield global variables that a method of one class sets and the other class uses.

    In Python, `global size` in the child means the `size` of the modular file, and the
    parent's `size` that of its own file. In a generated file, they are one variable.
    """
    child, parent = inheritance.merged_class.child, inheritance.merged_class.parent
    for setting_class, other_class in ((child, parent), (parent, child)):
        if not has_word(setting_class.code.masked_text, "global"):
            continue
        global_names = facts_of(setting_class.statement).nested_global_names
        for name in sorted(global_names & other_class.code.words()):
            yield Difference(
                name,
                inheritance.header,
                f"`{setting_class.name}` sets the global `{name}`, and `{other_class.name}` "
                "uses the one of its own file",
                "use another name",
            )


def _compare_patches(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield statements such as `LlamaMLP.size = 4`, which would change the generated class.

    In Python, they change only the parent class, before the modular file is imported.
    The change matters if the statement mentions a member that the child defines, too, or
    if the modular file also has such statements.
    """
    parent = inheritance.parent_definition
    module = inheritance.context.layout.parents[parent.path].source.module
    changes_of_child = inheritance.context.modular.definitions.changes_of.get(
        inheritance.child.name
    )
    names_of_child = inheritance.child.members.keys()
    for statement in _find_patches(module, parent.name):
        facts = facts_of(statement)
        changed_names = facts.changed_names
        # A definition, as in `LlamaMLP = wrap(LlamaMLP)`, or a special method
        is_replaced = parent.name in changed_names
        is_special = any(name.startswith("__") for name in last_words(changed_names))
        # `LlamaMLP.register(int)` may do more than to set attributes.
        calls_method = any(
            call.function.startswith(f"{parent.name}.") for call in facts.calls
        )
        # A call may change any attribute.
        is_opaque = bool(facts.calls)
        overridden = names_of_child & (statement.words | facts.strings)
        changes_members = bool(overridden) or (is_opaque and bool(names_of_child))
        is_harmful = is_replaced or is_special or calls_method or changes_members
        if is_harmful or changes_of_child:
            patch_code = statement.bare_code
            first_line = patch_code.text.strip().partition("\n")[0]
            yield Difference(
                min(overridden, default=""),
                inheritance.header,
                f"`{first_line}` of the parent's file would "
                "change the generated class after its own code",
                "write the value into this class",
                related=place_of(patch_code),
            )


def _find_patches(module: Module, name: str) -> Iterator[Statement]:
    """Yield the statements of a module that may change a class after its definition.

    A function that changes the class counts, because another statement may call it.

    Args:
        module: The parent file.
        name: The class.
    """
    for effect in effects_on(module, name):
        if effect.usage not in (Usage.CLASS, Usage.IMPORTED):
            yield effect.statement
    for statement in module.block.statements:
        if statement.kind is not Kind.FUNCTION or name not in statement.words:
            continue
        for mention in facts_of(statement).mentions_of(name):
            if mention.changes:
                yield statement
                break


def _compare_computed_names(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield the first private name of the parent class, if code computes such names.

    The parent's `self.__size` is `_LlamaMLP__size` in Python, and `_MyModelMLP__size`
    in the generated class, which `getattr(self, "_LlamaMLP" + "__size")` does not find.
    """
    private_names = filter(_is_private, inheritance.parent.statement.words)
    name = min(private_names, default="")
    if not name:
        return
    # The modular file may compute the name from any strings.
    function = inheritance.context.memoized(
        _find_computing_function, inheritance.definition.path
    )
    # Strings in the parent's file are renamed like the class. So only code that asks an
    # object for the name of its class matters.
    if not function and "__name__" in inheritance.parent.statement.words:
        path = inheritance.parent_definition.path
        function = inheritance.context.memoized(_find_computing_function, path)
    if function:
        yield Difference(
            name,
            inheritance.header,
            f"`{name}` is a private name of `{inheritance.parent.name}`, and `{function}` "
            "may compute the name of an attribute",
            "use another name",
        )


def _is_private(name: str) -> bool:
    """Whether Python adds the name of the class to a name: `__size`, but not `__len__`."""
    return name.startswith("__") and not name.endswith("__")


def _find_computing_function(context: LintContext, path: str) -> str:
    """Return the first function by which a file reads attributes with computed names.

    For `getattr(self, "_" + name)`, the result is `getattr`. It is empty if the file
    uses no such function.
    """
    module = context.read(path)
    assert module is not None, "the file is a source of the generated file"
    for statement in module.block.statements:
        for opaque in facts_of(statement).opaque:
            if opaque.reason in _READS_BY_COMPUTED_NAMES:
                return opaque.name
    return ""


_READS_BY_COMPUTED_NAMES = frozenset(
    {
        OpaqueReason.ATTRIBUTE_TABLE,
        OpaqueReason.DYNAMIC_ATTRIBUTE,
        OpaqueReason.NAMESPACE,
    }
)
"""All ways to read an attribute without writing its name."""


_TYPE_VARIABLES = frozenset({"ParamSpec", "TypeVar", "TypeVarTuple"})


def _compare_type_parameters(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield a difference if only the parent class has type parameters.

    If the parent is `LlamaCache(Generic[T])`, Python rejects `OlmoCache[int]`, but accepts
    it for the generated class, which has the base `Generic[T]`.
    """
    if _has_type_parameters(inheritance, inheritance.definition):
        return
    if _has_type_parameters(inheritance, inheritance.parent_definition):
        yield Difference(
            "__class_getitem__",
            inheritance.header,
            f"`{inheritance.parent.name}` has type parameters, which Python does not pass on",
            "name the type parameters in the header of this class, too",
        )


def _has_type_parameters(inheritance: Inheritance, class_: Definition) -> bool:
    """Whether a class names type variables in its header.

    Examples are `class Cache[T]`, `class Cache(Generic[T])` and
    `class Cache(dict[str, T])`.
    """
    model = inheritance.class_of(class_)
    if model is None:
        return False
    header = view_definition(model.statement).header.masked_text
    # `class Cache[T]`
    if "[" in header.partition("(")[0]:
        return True
    for base in model.bases:
        if _is_named(base, "Generic"):
            return True
        # `str` and `T` of `dict[str, T]`
        for name in words(base.partition("[")[2]):
            if _is_type_variable(inheritance, class_.path, name):
                return True
    return False


def _is_type_variable(inheritance: Inheritance, path: str, name: str) -> bool:
    """Whether a name of a file means a variable such as `T = TypeVar("T")`."""
    resolver = inheritance.context.resolver
    meaning = resolver.meaning(path, name)
    if not isinstance(meaning, Definition) or meaning.is_class:
        return False
    # The statement of `T, S = TypeVar("T"), TypeVar("S")` is not found by one name.
    statement = resolver.statement(meaning)
    return statement is None or not _TYPE_VARIABLES.isdisjoint(statement.words)
