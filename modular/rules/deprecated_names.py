"""Deprecated names: a module-level `__getattr__ = deprecate_attr(...)` is split like `__all__`, by the names that are its keys."""

import ast

from modular.rules import file_types
from modular.settings import Settings
from modular.source.blocks import Statement
from modular.source.code import Code

GETATTR = "__getattr__"


def split_deprecated(statement: Statement, cased: str, settings: Settings) -> dict[str, Code]:
    """Return the `__getattr__` statement of each file type that one of the names belongs to."""
    text = statement.own.text
    node = ast.parse(text).body[0]
    call = getattr(node, "value", None)
    if not isinstance(call, ast.Call):
        return {}
    found: dict[str, dict[str, list[str]]] = {}
    for keyword in call.keywords:
        if keyword.arg and isinstance(keyword.value, ast.Dict):
            for key, value in zip(keyword.value.keys, keyword.value.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    file_type = file_types.of_class(key.value, cased, settings)
                    entry = f"{_source(text, key)}: {_source(text, value)}"
                    found.setdefault(file_type, {}).setdefault(keyword.arg, []).append(entry)
    head = f"{GETATTR} = {_source(text, call.func)}"
    arguments = [_source(text, argument) for argument in call.args]
    return {file_type: _statement(statement, head, arguments, tables) for file_type, tables in found.items()}


def _source(text: str, node: ast.expr) -> str:
    segment = ast.get_source_segment(text, node)
    assert segment is not None
    return segment


def _statement(statement: Statement, head: str, arguments: list[str], tables: dict[str, list[str]]) -> Code:
    keywords = [f"{name}={{{', '.join(entries)}}}" for name, entries in tables.items()]
    start, end = statement.start, len(statement.code.mask.rstrip())
    return statement.code.replace([(start, end, f"{head}({', '.join([*arguments, *keywords])})")])
