"""Exports: the modular's `__all__` is split over the files by the file type of each name."""

import ast

from modular.rules import file_types
from modular.settings import Settings
from modular.source.blocks import Statement
from modular.source.code import Code

ALL = "__all__"


def exported(statement: Statement) -> list[ast.Constant]:
    """Return the names in an `__all__` statement, as literals."""
    node = ast.parse(statement.own.text).body[0]
    value = getattr(node, "value", None)
    if not isinstance(value, ast.List | ast.Tuple):
        return []
    return [each for each in value.elts if isinstance(each, ast.Constant) and isinstance(each.value, str)]


def split_exports(statement: Statement, cased: str, settings: Settings) -> dict[str, Code]:
    """Return the `__all__` statement of each file type that exports something."""
    names: dict[str, list[str]] = {}
    for constant in exported(statement):
        file_type = file_types.of_class(constant.value, cased, settings)
        names.setdefault(file_type, []).append(constant.value)
    return {file_type: _statement(statement, listed) for file_type, listed in names.items()}


def _statement(statement: Statement, names: list[str]) -> Code:
    listed = ", ".join(f'"{name}"' for name in names)
    start, end = statement.start, len(statement.code.mask.rstrip())
    return statement.code.replace([(start, end, f"{ALL} = [{listed}]")])
