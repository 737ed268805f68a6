"""Short cuts around LibCST's parser, which takes eight times as long as Python's: each gives what the plain way would.

Short texts that are written alike are parsed once, names need no parser, bases and targets are read without the
statement around them. Nothing else in the project knows about them.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from keyword import iskeyword

import libcst as cst

from modular.source.blocks import Statement
from modular.source.code import Code
from modular.source.scan import brackets_open


_LONGEST = 300
"""Characters of texts that are worth keeping for those that are written alike."""

_MOST = 1000
_EQUALS = re.compile(r"(?<![=!<>:+\-*/%@&|^~])=(?!=)")


def parse_module(text: str) -> cst.Module:
    """Do what `libcst.parse_module` does. A tree is never changed, and holds no file. Raises ParserSyntaxError."""
    return _module(text) if len(text) <= _LONGEST else cst.parse_module(text)


def expression(text: str) -> cst.BaseExpression | None:
    """Read an expression without blanks around it; None if it is none.

    One of several lines is none either: their indents are known to the statement around them only.
    """
    if "\n" in text:
        return None
    if (name := _name(text)) is not None:
        return name
    try:
        return _expression(text) if len(text) <= _LONGEST else cst.parse_expression(text)
    except cst.ParserSyntaxError:
        return None


def arguments(statement: Statement) -> Sequence[cst.Arg] | None:
    """Read what is in the parentheses of a class as the arguments of a call, which takes half as long as its header.

    Returns None for a header that is more than a name and parentheses on one line: it has to be read as a whole.
    """
    code, start = statement.code, statement.written_name[1]
    mask = code.mask[start : statement.head_end].rstrip()
    if mask == ":":
        return ()
    if not (mask.startswith("(") and mask.endswith("):")):
        return None
    written = code.text[start : start + len(mask) - 1]
    names = [_name(part.strip(" \t")) for part in written[1:-1].split(",")]
    if None not in names:
        return [cst.Arg(name) for name in names if name]
    called = expression(f"_{written}")
    return called.args if isinstance(called, cst.Call) and isinstance(called.func, cst.Name) else None


def target(assignment: Code) -> cst.BaseExpression | None:
    """Read the (first) target of an assignment without its value; None if that cannot be told, or it is annotated."""
    text, mask = assignment.text, assignment.mask
    done = depth = 0
    for sign in _EQUALS.finditer(mask):
        depth += brackets_open(mask, done, sign.start())
        done = sign.start()
        if not depth:
            written = text[:done].strip(" \t")
            return expression(written) if written and ":" not in mask[:done] else None
    return None


def _name(text: str) -> cst.Name | cst.Attribute | None:
    """The node of a short name, dotted or not, as the parser makes it; None for anything else."""
    parts = text.split(".")
    if len(text) > _LONGEST or not all(part.isidentifier() and not iskeyword(part) for part in parts):
        return None
    node: cst.Name | cst.Attribute = cst.Name(parts[0])
    for part in parts[1:]:
        node = cst.Attribute(node, cst.Name(part))
    return node


_module = lru_cache(maxsize=_MOST)(cst.parse_module)
_expression = lru_cache(maxsize=_MOST)(cst.parse_expression)
