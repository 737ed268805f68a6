"""The targets and values of assignments, and the targets of `del` statements."""

import re
from typing import NamedTuple

import libcst as cst

from modular.source import shortcuts
from modular.source.blocks import Kind, Statement
from modular.source.trees import (
    dotted_name,
    node_text,
    normalized_text,
    statement_tree,
)


_ITEM = re.compile(r"([^\W\d]\w*)\s*[.\[]")
_WORD = re.compile(r"\w+")
_DEL = re.compile(r"\s*del\b")


class Target(NamedTuple):
    """The target of an assignment.

    Attributes:
        text: Its source in a normal form, without parentheses around it.
        annotated: Whether the assignment has a type annotation.
    """

    text: str
    annotated: bool


def longest_word(target: str) -> str:
    """Return the longest word of a target: `up_proj` for `self.up_proj`.

    A statement that assigns to the target contains this word, however it is written.
    """
    return max(target_words(target), key=len, default="")


def target_words(text: str) -> list[str]:
    """Return the words of a text, numbers included, as `longest_word` sees them."""
    words: list[str] = _WORD.findall(text)
    return words


def assigned_target(statement: Statement) -> Target | None:
    """Return the first target of an assignment; None for any other statement.

    For `a = b = 1` this is `a`. For an augmented assignment, `a += 1`, it is None.
    """
    # `Kind.ASSIGNMENT` is `name = 1`; `self.x = 1` is one of the other statements.
    if statement.is_compound or statement.kind not in (Kind.ASSIGNMENT, Kind.OTHER):
        return None
    # A pattern finds most targets; parsing the statement is much slower.
    plain_target = shortcuts.plain_target(statement.code.masked_text, statement.start)
    if plain_target:
        return Target(plain_target, annotated=False)
    match statement_tree(statement).node:
        case cst.SimpleStatementLine(body=[cst.Assign(targets=[first, *_])]):
            return Target(_target_text(first.target), annotated=False)
        case cst.SimpleStatementLine(body=[cst.AnnAssign(target=target)]):
            return Target(_target_text(target), annotated=True)
    return None


def assigned_value(statement: Statement) -> cst.BaseExpression | None:
    """Return the value of an assignment to one target; None for any other statement."""
    match statement_tree(statement).node:
        case cst.SimpleStatementLine(body=[cst.Assign(targets=[_], value=value)]):
            return value
        case cst.SimpleStatementLine(body=[cst.AnnAssign(value=value)]):
            return value
    return None


def advise_annotation(statement: Statement) -> str:
    """Return the advice to annotate an assignment: "annotate it: `self.size: int = 8`".

    The annotation is the type of the value, such as `nn.Linear` for `nn.Linear(2, 2)`, or
    `Any` if the type is unknown. A value of several lines is written as `...`.

    Args:
        statement: An assignment to one target.
    """
    target = assigned_target(statement)
    value = assigned_value(statement)
    value_text = "..." if value is None else node_text(value)
    if "\n" in value_text:
        value_text = "..."
    target_text = "" if target is None else target.text
    type_ = _type_of(value)
    advice = f"annotate it: `{target_text}: {type_ or 'Any'} = {value_text}`"
    if not type_:
        advice += ", and write `from typing import Any`"
    return advice


def _type_of(value: cst.BaseExpression | None) -> str:
    """Return the code of the type of a value; empty if it is not known."""
    match value:
        case cst.Integer():
            return "int"
        case cst.Float():
            return "float"
        case cst.SimpleString(value=text) if text.startswith(("'", '"')):
            return "str"
        case cst.Name(value="True" | "False"):
            return "bool"
        case cst.List() | cst.Dict() | cst.Set() | cst.Tuple():
            return type(value).__name__.lower()
        case cst.Call(func=function):
            name = dotted_name(function)
            # By convention, the names of classes begin with a capital letter.
            if name.rpartition(".")[2][:1].isupper():
                return name
    return ""


def string_value(node: cst.BaseExpression | None) -> str | None:
    """Return the value of a string literal; None for anything else."""
    if isinstance(node, cst.SimpleString):
        # Most strings are their own value, and evaluating them would be slow.
        is_verbatim = not node.prefix and "\\" not in node.value
        if is_verbatim:
            return node.raw_value
    if isinstance(node, cst.SimpleString | cst.ConcatenatedString):
        value = node.evaluated_value
        return value if isinstance(value, str) else None
    return None


def item_owner(statement: Statement) -> str:
    """Return the name whose item or attribute a statement sets; empty if none.

    For `TABLE["x"] = 1` and `TABLE["x"].y = 1`, this is `TABLE`.
    """
    if statement.kind is not Kind.OTHER:
        return ""
    # Parsing is slow, so only statements that begin like `TABLE[` or `a.` are parsed.
    if _ITEM.match(statement.bare_code.masked_text.lstrip()) is None:
        return ""
    target = assigned_target(statement)
    if target is None:
        return ""
    item = _ITEM.match(target.text)
    return "" if item is None else item[1]


def deleted_targets(statement: Statement) -> tuple[str, ...]:
    """Return the targets of a `del` statement: `a` and `b.c` for `del a, b.c`.

    They are in the normal form of `Target.text`. Other statements have none.
    """
    if _DEL.match(statement.code.masked_text, statement.start) is None:
        return ()
    match statement_tree(statement).node:
        case cst.SimpleStatementLine(
            body=[cst.Del(target=cst.Tuple() | cst.List() as listed)]
        ):
            return tuple(_target_text(element.value) for element in listed.elements)
        case cst.SimpleStatementLine(body=[cst.Del(target=target)]):
            return (_target_text(target),)
    return ()


def _target_text(target: cst.BaseExpression) -> str:
    """Return the normal form of a target: `a.b` for `(a . b)`."""
    is_empty_tuple = isinstance(target, cst.Tuple) and not target.elements
    if target.lpar and not is_empty_tuple:
        target = target.with_changes(lpar=(), rpar=())
    return normalized_text(target)
