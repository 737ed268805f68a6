"""Models of classes: their members, and the attributes that methods set on instances."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property, lru_cache
from typing import NamedTuple

from modular.semantics.facts import CodeFacts, Mention, Usage, When
from modular.semantics.functions import (
    FunctionKind,
    FunctionModel,
    model_function,
    read_decorators_of,
)
from modular.semantics.instances import InstanceUses, uses_of_instance
from modular.semantics.statements import (
    bound_names_without_parsing,
    facts_of,
    facts_of_header,
    parse_statements,
    stub_of,
    variables_set_by,
)
from modular.source import shortcuts
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.scan import find_outside_brackets
from modular.source.source_slice import has_word


_MAX_CACHED_CLASSES = 128
"""As many classes as a large model and its parents have."""


class MemberKind(Enum):
    """The kinds of members of a class."""

    METHOD = "def f(self)"
    CLASS_METHOD = "@classmethod"
    STATIC_METHOD = "@staticmethod"
    PROPERTY = "@property"
    ATTRIBUTE = "x = 1"
    FIELD = "x: int = 1"
    DECLARATION = "x: int"
    CLASS = "class A"
    IMPORT = "import x"
    OTHER = "for x in y"
    """A loop, `with`, `match` or `del`, or a change such as `x += 1`."""


METHODS = (MemberKind.METHOD, MemberKind.CLASS_METHOD, MemberKind.STATIC_METHOD)
"""The kinds of members that are called."""

FIELDS = (MemberKind.FIELD, MemberKind.DECLARATION)
"""The kinds of members with an annotation."""

ATTRIBUTES = (*FIELDS, MemberKind.ATTRIBUTE)
"""The kinds of members that are values."""


@dataclass(frozen=True)
class Member:
    """A name in the body of a class, with all statements that bind or change it.

    Attributes:
        name: The name.
        kind: The kind of its last binding.
        statements: The statements that bind or change it, in their order.
        functions: The functions among them: all of a property's.
        is_conditional: Whether the last binding may be skipped, as in an `if`.
    """

    name: str
    kind: MemberKind
    statements: tuple[Statement, ...]
    functions: tuple[FunctionModel, ...]
    is_conditional: bool

    @property
    def function(self) -> FunctionModel | None:
        """The last function, or the getter of a property; None if it has no such function."""
        if self.kind is MemberKind.PROPERTY:
            return self._last_of_kind(FunctionKind.PROPERTY)
        return self.functions[-1] if self.functions else None

    @property
    def setter(self) -> FunctionModel | None:
        """The function that sets a property, or None."""
        return self._last_of_kind(FunctionKind.SETTER)

    @property
    def deleter(self) -> FunctionModel | None:
        """The function that deletes a property, or None."""
        return self._last_of_kind(FunctionKind.DELETER)

    def _last_of_kind(self, kind: FunctionKind) -> FunctionModel | None:
        """Return the last function of the member that is of a kind, or None."""
        for function in reversed(self.functions):
            if function.kind is kind:
                return function
        return None


@dataclass(frozen=True, eq=False)
class ClassModel:
    """A class, each part of which is read when first asked for.

    Attributes:
        statement: Its statement.
    """

    statement: Statement

    @property
    def name(self) -> str:
        """Its name."""
        return self.statement.name

    @property
    def bases(self) -> tuple[str, ...]:
        """The text of its bases."""
        return view_definition(self.statement).bases

    @cached_property
    def keywords(self) -> Mapping[str, str]:
        """The code of the keyword arguments in the class header, by keyword.

        For `class Owl(Bird, metaclass=Meta)`, this is `Meta` for `metaclass`, and for
        `**options` the keyword is `**`.
        """
        # Most classes have none, and reading a header is slow.
        if "=" not in view_definition(self.statement).header.masked_text:
            return {}
        match parse_statements(stub_of(self.statement)):
            case [ast.ClassDef() as node]:
                return {
                    keyword.arg or "**": ast.unparse(keyword.value)
                    for keyword in node.keywords
                }
        return {}

    @cached_property
    def decorators(self) -> tuple[str, ...]:
        """The dotted names of its decorators. See `FunctionModel.decorators`."""
        return read_decorators_of(self.statement)

    @cached_property
    def members(self) -> Mapping[str, Member]:
        """The members of the class by name, in the order of their first binding."""
        members: dict[str, _OpenMember] = {}
        for statement in view_definition(self.statement).body.statements:
            for binding in _bindings_in(statement):
                member = members.setdefault(binding.name, _OpenMember())
                member.add(statement, binding)
        return {name: member.close(name) for name, member in members.items()}

    @property
    def has_only_definitions(self) -> bool:
        """Whether its body consists of functions, classes and docstrings."""
        for statement in view_definition(self.statement).body.statements:
            if not statement.is_definition and statement.kind is not Kind.STRING:
                return False
        return True

    @cached_property
    def attributes(self) -> Mapping[str, tuple[FunctionModel, ...]]:
        """The attributes of instances, each with the methods that set it."""
        setters: dict[str, list[FunctionModel]] = {}
        for function in self.functions:
            for name in attributes_set_by(function):
                setters.setdefault(name, []).append(function)
        return {name: tuple(functions) for name, functions in setters.items()}

    @property
    def functions(self) -> Sequence[FunctionModel]:
        """All functions in the body, in the order of the names."""
        functions: list[FunctionModel] = []
        for member in self.members.values():
            functions += member.functions
        return functions

    @property
    def is_dataclass(self) -> bool:
        """Whether the class has the decorator `dataclass`, called or not."""
        return any(name.rpartition(".")[2] == "dataclass" for name in self.decorators)

    @cached_property
    def makes_dataclasses(self) -> bool:
        """Whether `__init_subclass__` makes a dataclass of each class that inherits from it."""
        # Reading all members is slow.
        if "__init_subclass__" not in self.statement.code.text:
            return False
        hook = self.members.get("__init_subclass__")
        if hook is None:
            return False
        for statement in hook.statements:
            for call in facts_of(statement).calls:
                if call.function.rpartition(".")[2] == "dataclass":
                    return True
        return False


def attributes_set_by(function: FunctionModel) -> frozenset[str]:
    """Return the attributes that a method sets on its instance or class."""
    names: set[str] = set()
    for uses in uses_by_statement(function):
        names |= uses.set
    return frozenset(names)


def uses_by_statement(function: FunctionModel) -> Iterator[InstanceUses]:
    """Yield what each statement of a method does with its instance or class."""
    instance = function.instance_name
    if instance is None:
        return
    for _, facts in function.body:
        yield uses_of_instance(facts, instance)


def names_in_body(class_: Statement) -> frozenset[str] | None:
    """Return the names of the members that a class body defines or may define.

    This is faster than `model_class`, because no function is read.

    Returns:
        The names; None if code such as `exec(text)` may define more of them.
    """
    names: set[str] = set()
    for statement in view_definition(class_).body.statements:
        if statement.is_definition:
            names.add(statement.name)
            continue
        # The text of `x = f()` shows that it defines only `x`.
        shows_its_name = (
            statement.kind is Kind.ASSIGNMENT
            and bound_names_without_parsing(statement) is not None
        )
        if not shows_its_name and facts_of(statement).opaque:
            return None
        # `table.x = 1` changes a member, and defines none.
        names |= variables_set_by(statement)
    return frozenset(names)


def mentions_super_outside_methods(statement: Statement) -> bool:
    """Return whether a statement of a class body mentions `super` in no method's body.

    Examples are `read = property(lambda self: super().size)` and a default value of a
    method. In a nested class, `super` means the bases of that class.
    """
    masked_text = statement.code.masked_text
    if statement.kind is Kind.CLASS or not has_word(masked_text, "super"):
        return False
    if statement.kind is not Kind.FUNCTION:
        return True
    view = view_definition(statement)
    _, _, parameters = view.header.masked_text.partition("(")
    return has_word(f"{view.decorators.masked_text}{parameters}", "super")


def facts_in_class(model: ClassModel) -> Iterator[tuple[Statement, CodeFacts]]:
    """Yield the statements in the body of a class with their facts.

    A method is yielded with the facts about its header, and then each statement of its
    body. In these facts, `self` and the other parameters are variables.
    """
    for statement in view_definition(model.statement).body.statements:
        if statement.kind is Kind.FUNCTION:
            yield statement, facts_of_header(statement)
            yield from model_function(statement).body
        else:
            yield statement, facts_of(statement)


def mentions_in_class(model: ClassModel) -> Iterator[tuple[Statement, Mention]]:
    """Yield all mentions in the body of a class with their statements.

    See `facts_in_class`.
    """
    for statement, facts in facts_in_class(model):
        for mention in facts.mentions:
            yield statement, mention


@lru_cache(maxsize=_MAX_CACHED_CLASSES)
def model_class(statement: Statement) -> ClassModel:
    """Return the model of a class.

    Recent models are kept here. If a statement kept its own model, which refers to it,
    both would live until the garbage collector finds their cycle.
    """
    return ClassModel(statement)


@dataclass(eq=False)
class _OpenMember:
    """A member that is being read."""

    kind: MemberKind = MemberKind.OTHER
    is_conditional: bool = False
    statements: list[Statement] = field(default_factory=list)
    functions: list[FunctionModel] = field(default_factory=list)

    def add(self, statement: Statement, binding: "_Binding") -> None:
        """Add a statement of the class body that binds or changes the member's name.

        The last statement that binds it, as `x = 1` does, decides the kind of the member.
        A statement that only changes its value, such as `x += 1`, does not.
        """
        # A statement such as `x = x = 1` can bind the name twice.
        is_listed = bool(self.statements) and self.statements[-1] is statement
        if not is_listed:
            self.statements.append(statement)
        if statement.kind is Kind.FUNCTION:
            self.functions.append(model_function(statement))
        if binding.kind is not None:
            self.kind = binding.kind
            self.is_conditional = binding.is_conditional

    def close(self, name: str) -> Member:
        """Return the finished member."""
        return Member(
            name=name,
            kind=self.kind,
            statements=tuple(self.statements),
            functions=tuple(self.functions),
            is_conditional=self.is_conditional,
        )


class _Binding(NamedTuple):
    """A binding of a name in the body of a class.

    Attributes:
        name: The name.
        kind: The kind of member; None if the statement only changes the value.
        is_conditional: Whether the binding may be skipped.
    """

    name: str
    kind: MemberKind | None
    is_conditional: bool = False


def _bindings_in(statement: Statement) -> Iterator[_Binding]:
    """Yield the names that a statement in the body of a class binds or changes.

    For `size = 4`, this is `size` with the kind of an attribute. A statement that only
    changes a name, such as `table["x"] = 1`, gives no kind.
    """
    if statement.kind is Kind.FUNCTION:
        function_kind = _FUNCTION_KINDS[model_function(statement).kind]
        yield _Binding(statement.name, function_kind)
        return
    if statement.kind is Kind.CLASS:
        yield _Binding(statement.name, MemberKind.CLASS)
        return
    if statement.kind is Kind.STRING or statement.does_nothing:
        return
    if statement.kind is Kind.ASSIGNMENT:
        # Most assignments are `x = value` or `x: int = value`, and are not parsed.
        if bound_names_without_parsing(statement) is not None:
            yield _Binding(statement.name, _kind_of_target(statement))
            return
    for mention in facts_of(statement).mentions:
        if mention.when is not When.NOW or not mention.changes:
            continue
        # `x.y = 1` only changes `x`.
        is_whole_name = not mention.attributes
        kind = _MEMBER_KINDS.get(mention.usage) if is_whole_name else None
        yield _Binding(mention.name, kind, mention.is_conditional)


def _kind_of_target(assignment: Statement) -> MemberKind:
    """Return the kind of the member that an assignment to one name sets."""
    masked_text = assignment.code.masked_text
    if shortcuts.annotated_target(masked_text, assignment.start) is None:
        return MemberKind.ATTRIBUTE
    has_value = any(find_outside_brackets(masked_text, "=", assignment.start))
    return MemberKind.FIELD if has_value else MemberKind.DECLARATION


_FUNCTION_KINDS = {
    FunctionKind.PLAIN: MemberKind.METHOD,
    FunctionKind.CLASS_METHOD: MemberKind.CLASS_METHOD,
    FunctionKind.STATIC_METHOD: MemberKind.STATIC_METHOD,
    FunctionKind.PROPERTY: MemberKind.PROPERTY,
    FunctionKind.SETTER: MemberKind.PROPERTY,
    FunctionKind.DELETER: MemberKind.PROPERTY,
}

_MEMBER_KINDS = {
    Usage.ASSIGNED: MemberKind.ATTRIBUTE,
    Usage.WALRUS: MemberKind.ATTRIBUTE,
    Usage.ANNOTATED: MemberKind.FIELD,
    Usage.DECLARED: MemberKind.DECLARATION,
    Usage.FUNCTION: MemberKind.METHOD,
    Usage.CLASS: MemberKind.CLASS,
    Usage.IMPORTED: MemberKind.IMPORT,
    Usage.LOOP_TARGET: MemberKind.OTHER,
    Usage.WITH_TARGET: MemberKind.OTHER,
    Usage.CAUGHT: MemberKind.OTHER,
    Usage.MATCH_TARGET: MemberKind.OTHER,
    Usage.TYPE_ALIAS: MemberKind.OTHER,
    Usage.DELETED: MemberKind.OTHER,
}
"""The kind of a member by the way in which a statement binds it.

Usages that only change a value, such as `x += 1`, are not listed.
"""
