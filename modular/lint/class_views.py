"""Finds code that may see which of two classes defines a member.

With Python's inheritance, `vars(MyModelMLP)` lists only the members of the child, and
`del MyModelMLP.size` makes the parent's `size` visible again. A merged class has all
members itself. So if some code may look, the parent class is kept.
"""

from collections.abc import Iterator, Set
from typing import NamedTuple

from modular.lint.inheritance import Difference, Inheritance, function_of
from modular.semantics.classes import ClassModel
from modular.semantics.facts import Call, CodeFacts, Mention, Usage
from modular.semantics.functions import FunctionKind
from modular.semantics.meanings import Definition, Meaning
from modular.semantics.statements import facts_of
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.places import place_of


_LISTS_OF_MEMBERS = frozenset(
    {
        "__annotations__",
        "__base__",
        "__bases__",
        "__mro__",
        "__subclasses__",
        "classify_class_attrs",
        "dir",
        "get_annotations",
        "get_type_hints",
        "getattr_static",
        "getmembers",
        "getmembers_static",
        "getmro",
        "getsource",
        "getsourcelines",
        "mro",
        "resolve_bases",
    }
)
"""Functions and attributes that list the members of a class or the classes above it."""

_TABLE = "__dict__"

_REVEALING_WORDS = _LISTS_OF_MEMBERS | {
    _TABLE,
    "vars",
    "del",
    "delattr",
    "__delattr__",
}
"""Words by which a statement may see which of two classes defines a member."""

_DELETING_WORDS = frozenset({"del", "delattr", "__delattr__"})

_MAX_CALL_DEPTH = 3
"""Number of functions that are looked at, each called by the one before it."""


class _Code(NamedTuple):
    """A statement that may see which of two classes defines a member.

    Attributes:
        path: The file with the statement.
        owner: The class or function with the statement, for a message; may be empty.
        statement: The statement.
        facts: What it does.
        instance: The variable of the instance, mostly `self`; empty without one.
    """

    path: str
    owner: str
    statement: Statement
    facts: CodeFacts
    instance: str


def compare_class_views(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield code that may see that the generated class has the members of two classes.

    Such code may be in the child class, the parent class and the ancestors of the parent
    class, in the functions that they pass the object or the class to, and in the
    statements of the modular file about the child class.

    Args:
        inheritance: The class of the modular file and its parent class.
    """
    overridden = inheritance.child.members.keys() & inheritance.parent.members.keys()
    for code in _find_code(inheritance):
        word = _find_revealing_word(inheritance, code, overridden, _MAX_CALL_DEPTH)
        if word:
            owner = f" of `{code.owner}`" if code.owner else ""
            yield Difference(
                "",
                inheritance.header,
                f"`{word}` in the code{owner} may see that the generated class has the "
                f"members of `{inheritance.merged_class.parent.name}` itself",
                "name what is meant",
                related=place_of(code.statement.bare_code),
            )
            return


def _find_code(inheritance: Inheritance) -> Iterator[_Code]:
    """Yield the statements of the classes, and those about the child class."""
    yield from _code_of_class(inheritance.definition.path, inheritance.child)
    yield from _code_of_class(
        inheritance.parent_definition.path, inheritance.original_parent
    )
    # `PreTrainedModel` has bases such as `PeftAdapterMixin`.
    known_bases: set[Meaning] = set()
    for ancestor, model in inheritance.known_ancestors:
        if inheritance.looks_at_whole_class(ancestor):
            bases = inheritance.context.resolver.ancestors(ancestor).classes
            known_bases.update(bases)
        elif ancestor not in known_bases:
            yield from _code_of_class(ancestor.path, model)

    name = inheritance.child.name
    for statement in inheritance.context.modular.module.block.statements:
        # An import or another class does nothing with this class.
        is_about_class = statement.kind not in (Kind.CLASS, Kind.IMPORT)
        if not is_about_class or name not in statement.words:
            continue
        yield _Code(
            inheritance.definition.path, "", statement, facts_of(statement), instance=""
        )


def _code_of_class(path: str, model: ClassModel) -> Iterator[_Code]:
    """Yield the statements of a class body and of its methods.

    Args:
        path: The file with the class.
        model: The class.
    """
    for function in model.functions:
        instance = function.instance_name or ""
        if function.kind is FunctionKind.CLASS_METHOD:
            instance = ""
        for statement, facts in function.body:
            yield _Code(path, model.name, statement, facts, instance)
    # `names = property(lambda self: vars(type(self)))`
    for statement in view_definition(model.statement).body.statements:
        if not statement.is_definition:
            yield _Code(path, model.name, statement, facts_of(statement), instance="")


def _find_revealing_word(
    inheritance: Inheritance, code: _Code, overridden: Set[str], depth: int
) -> str:
    """Return the word by which a statement may see which class defines a member.

    For `vars(MyModelMLP)`, this is `vars`: it lists only members that the class itself
    defines, and not those that it inherits. For `show(self)`, it is `show` if the code of
    the function `show` has such a word.

    Args:
        inheritance: The child class and its parent class.
        code: The statement.
        overridden: The members that both classes define.
        depth: Number of calls that are still followed.

    Returns:
        The word; empty if the statement cannot see it.
    """
    if not _REVEALING_WORDS.isdisjoint(code.statement.words | code.facts.strings):
        word = _find_list(code) or _find_deletion(code, overridden)
        if word:
            return word
    if depth == 0:
        return ""
    for call in code.facts.calls:
        if not _passes_object(call, code.instance):
            continue
        for called in _code_of_call(inheritance, code.path, call):
            if _find_revealing_word(inheritance, called, overridden, depth - 1):
                return call.function
    return ""


def _find_list(code: _Code) -> str:
    """Return what a statement uses to list the members of a class, or its bases.

    `vars(self)` and `self.__dict__` list only the attributes of the object.
    """
    facts = code.facts
    attributes = facts.unnamed_attributes | facts.nested_attributes
    # `getattr(cls, "__mro__")`
    special_names = {text for text in facts.strings if text.startswith("__")}
    names = facts.names
    if _lists_only_others(code):
        names = names - {"dir"}
    found = _LISTS_OF_MEMBERS & (names | attributes | special_names)
    for mention in facts.mentions:
        found |= _LISTS_OF_MEMBERS.intersection(mention.attributes)
        if _TABLE in mention.attributes and not _is_table_of_object(mention, code):
            found |= {_TABLE}
    if _TABLE in attributes:
        found |= {_TABLE}
    for call in facts.calls:
        if call.function != "vars":
            continue
        for argument in call.arguments:
            name, _, rest = argument.name.partition(".")
            if name != code.instance or not name or "__class__" in rest:
                found |= {"vars"}
    return min(found, default="")


def _lists_only_others(code: _Code) -> bool:
    """Whether a statement calls `dir` only for other objects, or not at all.

    `dir(model.config)` lists another object, and `dir()` the local variables.
    `dir(self)`, `dir(self.__class__)` and `dir(type(self))` may list the class.
    """
    calls = [call for call in code.facts.calls if call.function == "dir"]
    mention_count = sum(1 for _ in code.facts.mentions_of("dir"))
    if mention_count != len(calls):
        return False
    for call in calls:
        for argument in call.arguments:
            _, _, attribute = argument.name.partition(".")
            if not attribute or "__class__" in attribute:
                return False
    return True


def _is_table_of_object(mention: Mention, code: _Code) -> bool:
    """Whether a mention is `self.__dict__`, or the table of a part such as `self.layer`."""
    return mention.name == code.instance and "__class__" not in mention.attributes


def _find_deletion(code: _Code, overridden: Set[str]) -> str:
    """Return the member that a statement may delete from the class; empty if none.

    `del self.size` deletes only an attribute of the object.

    Args:
        code: The statement.
        overridden: The members that both classes define.
    """
    if _DELETING_WORDS.isdisjoint(code.statement.words):
        return ""
    mentioned = overridden & (code.statement.words | code.facts.strings)
    for mention in code.facts.mentions:
        is_of_object = mention.name == code.instance and len(mention.attributes) == 1
        if mention.usage is Usage.DELETED and is_of_object:
            mentioned -= {*mention.attributes}
    return min(mentioned, default="")


def _passes_object(call: Call, instance: str) -> bool:
    """Whether a call may pass the object or its class to a function.

    `look(self)`, `look(cls)` and `look(type(self))` may.
    """
    names = {instance, "cls", "__class__", f"{instance}.__class__", ""}
    return any(
        argument.name in names and argument.string is None
        for argument in call.arguments
    )


def _code_of_call(inheritance: Inheritance, path: str, call: Call) -> Iterator[_Code]:
    """Yield the statements of the function or class of the project that is called.

    Args:
        inheritance: The child class and its parent class.
        path: The file with the call.
        call: The call.
    """
    meaning = inheritance.context.resolver.meaning(path, call.function)
    if not isinstance(meaning, Definition):
        return
    model = inheritance.class_of(meaning)
    if model is not None:
        yield from _code_of_class(meaning.path, model)
        return
    function = function_of(inheritance, meaning)
    if function is None:
        return
    # `look(self)` gets the object, and `look(type(self))` the class.
    passes_only_object = all(
        argument.name or argument.string is not None for argument in call.arguments
    )
    parameter = function.parameters[0].name if function.parameters else ""
    for body_statement, facts in function.body:
        yield _Code(
            path=meaning.path,
            owner=function.name,
            statement=body_statement,
            facts=facts,
            instance=parameter if passes_only_object else "",
        )
