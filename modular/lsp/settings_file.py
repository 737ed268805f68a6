"""Completes and explains the keys of `[tool.modular]` in `pyproject.toml`.

Both come from the JSON Schema of the settings, which is published for other editors.
"""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from lsprotocol import types as lsp

from modular.lsp.positions import line_at
from modular.lsp.project_file import ProjectFile
from modular.system.addresses import DOCUMENTATION


_TABLE = "tool.modular"


class _KeyAtCursor(NamedTuple):
    """The text around the cursor, as a table and a line in it.

    Attributes:
        table: The dotted name of the table, such as `tool.modular.lint`.
        key: The text before `=` on the line, up to the cursor if the cursor is in it.
        is_value: Whether the cursor is after the `=`.
        is_header: Whether the line is the header of a table, such as `[tool.modular]`.
    """

    table: str
    key: str
    is_value: bool
    is_header: bool


def completions(
    file: ProjectFile, params: lsp.CompletionParams
) -> list[lsp.CompletionItem]:
    """Return the tables, keys or values that fit at the cursor.

    These are tables in a header such as `[tool.modular]`, values after `key =`, and
    keys on other lines.
    """
    cursor = file.cursor_position(params.position)
    lines = file.workspace.lines(file.path)
    text_before = line_at(lines, cursor.line)[: cursor.column - 1]
    at_cursor = _key_at(text_before, lines[: cursor.line - 1])
    if at_cursor.is_header:
        return _tables()
    if at_cursor.is_value:
        return _values(_schema_of(at_cursor.table, at_cursor.key))
    # In the half-typed key `lint.err`, `lint` is an inner table with the possible keys.
    inner_table = at_cursor.key.rpartition(".")[0]
    return _keys(_schema_of(at_cursor.table, inner_table))


def hover(file: ProjectFile, params: lsp.HoverParams) -> lsp.Hover | None:
    """Return the meaning and the default of the key on the line of the cursor."""
    line = params.position.line
    lines = file.workspace.lines(file.path)
    # The editor's position can be after the end of the text.
    if line >= len(lines):
        return None
    at_cursor = _key_at(lines[line], lines[:line])
    schema = _schema_of(at_cursor.table, at_cursor.key)
    if at_cursor.is_header or "description" not in schema:
        return None
    name = f"{at_cursor.table}.{at_cursor.key}".removeprefix(f"{_TABLE}.")
    # Anchors of the documentation have no dots.
    anchor = name.replace(".", "")
    text = (
        f"`{name}`: {schema['description']}\n\n"
        f"Default: `{json.dumps(schema['default'], ensure_ascii=False)}`\n\n"
        f"[Documentation]({DOCUMENTATION}/settings/#{anchor})"
    )
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text))


def _key_at(text: str, lines_above: Iterable[str]) -> _KeyAtCursor:
    """Return the table and the key of a line, which may be half typed.

    Args:
        text: The line, or the part of it before the cursor.
        lines_above: The lines above that line. The last header in them, such as
            `[tool.modular]`, gives the table.
    """
    table = ""
    for line in lines_above:
        if line.lstrip().startswith("["):
            table = _without_quotes(line.strip().strip("[]"))
    key, equals, _ = text.partition("=")
    return _KeyAtCursor(
        table=table,
        key=_without_quotes(key),
        is_value=bool(equals),
        is_header=text.lstrip().startswith("["),
    )


def _without_quotes(key: str) -> str:
    """Return a dotted key without its quotes and blanks."""
    return key.translate(str.maketrans("", "", "\"' \t"))


@cache
def _schema() -> Mapping[str, Any]:
    """Return the JSON Schema of `pyproject.toml`."""
    schema_file = files("modular.settings") / "settings.schema.json"
    schema: Mapping[str, Any] = json.loads(schema_file.read_text(encoding="utf-8"))
    return schema


def _schema_of(table: str, key: str = "") -> Mapping[str, Any]:
    """Return the schema of a key; empty if it is no key of `[tool.modular]`.

    Args:
        table: The dotted name of a table, such as `tool.modular` or
            `tool.modular.lint`.
        key: A key in that table, such as `formatter` or `lint.error`; empty for the
            table itself.
    """
    if table.split(".")[:2] != _TABLE.split("."):
        return {}
    # The name has a dot at its end if the key is empty, or half typed as in `lint.`.
    full_name = f"{table}.{key}".rstrip(".")
    schema = _schema()
    for part in full_name.split("."):
        schema = schema.get("properties", {}).get(part, {})
    return schema


def _tables() -> list[lsp.CompletionItem]:
    """Return `tool.modular`, and each table in it."""
    names = [_TABLE]
    for key, schema in _schema_of(_TABLE)["properties"].items():
        if schema.get("type") == "object":
            names.append(f"{_TABLE}.{key}")
    kind = lsp.CompletionItemKind.Module
    return [lsp.CompletionItem(name, kind=kind) for name in names]


def _keys(schema: Mapping[str, Any]) -> list[lsp.CompletionItem]:
    """Return the keys of a table, with their descriptions."""
    items = []
    for key, value in schema.get("properties", {}).items():
        item = lsp.CompletionItem(
            key,
            kind=lsp.CompletionItemKind.Property,
            documentation=value.get("description"),
        )
        items.append(item)
    return items


def _values(schema: Mapping[str, Any]) -> list[lsp.CompletionItem]:
    """Return the values of a key, if only some are valid."""
    values = list(schema.get("enum", ()))
    if schema.get("type") == "boolean":
        values = [True, False]
    kind = lsp.CompletionItemKind.Value
    return [lsp.CompletionItem(json.dumps(value), kind=kind) for value in values]
