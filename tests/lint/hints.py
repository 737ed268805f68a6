"""Follows hints as a person does: each kind of hint that needs no decision, without a fix.

A function edits the text of a modular file as the hint of a finding says. So a hint that
names a wrong line, name or number leads to a wrong file, which the tests find.
"""

import ast
import re
from collections.abc import Callable

from modular.source.diagnostics import Diagnostic


def follow_hint(text: str, finding: Diagnostic) -> str | None:
    """Return a modular file after the hint of a finding was followed.

    None if no function follows hints of this kind.
    """
    for pattern, edit in _EDITS.items():
        match = re.search(pattern, finding.hint)
        if match is not None:
            return edit(text, finding, match)
    return None


def _annotate(text: str, finding: Diagnostic, match: re.Match[str]) -> str:
    annotation = f"{match[1]}: {match[2]} = "
    annotated = _edit_line(text, finding, f"{match[1]} = ", annotation)
    return f"from typing import Any\n{annotated}" if match[3] else annotated


def _call_super(text: str, finding: Diagnostic, match: re.Match[str]) -> str:
    lines = text.splitlines(keepends=True)
    line = lines[finding.place.line - 1]
    lines[finding.place.line - 1] = re.sub(r"super\([^)]*\)", "super()", line)
    return "".join(lines)


def _rename(text: str, finding: Diagnostic, match: re.Match[str]) -> str:
    """Write a name in the place of the misspelt one, which the message names."""
    lines = text.splitlines(keepends=True)
    number = finding.place.line - 1
    for name in reversed(re.findall(r"`(\w+)`", finding.message)):
        if re.search(rf"\b{name}\b", lines[number]):
            lines[number] = re.sub(rf"\b{name}\b", match[1], lines[number])
            return "".join(lines)
    raise AssertionError(finding)


def _remove_line(text: str, finding: Diagnostic, match: re.Match[str]) -> str:
    lines = text.splitlines(keepends=True)
    _cut(lines, finding.place.line)
    return "".join(lines)


def _move_above_call(text: str, finding: Diagnostic, match: re.Match[str]) -> str:
    call = _call_of_super(text, finding)
    return _move(text, finding.place.line, call.lineno, call.lineno)


def _move_below_call(text: str, finding: Diagnostic, match: re.Match[str]) -> str:
    call = _call_of_super(text, finding)
    below = (call.end_lineno or call.lineno) + 1
    return _move(text, finding.place.line, call.lineno, below)


def _save_above_call(text: str, finding: Diagnostic, match: re.Match[str]) -> str:
    lines = text.splitlines(keepends=True)
    number = finding.place.line - 1
    lines[number] = re.sub(rf"(?<!\.)\b{match[1]}\b", "saved", lines[number])
    call = _call_of_super(text, finding).lineno - 1
    indent = _indent(lines[call])
    lines.insert(call, f"{indent}saved = {match[1]}\n")
    return "".join(lines)


def _return_values(text: str, finding: Diagnostic, match: re.Match[str]) -> str:
    """Leave out the last values that a method returns."""
    lines = text.splitlines(keepends=True)
    for node in ast.walk(_function_at(text, finding)):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
            line = lines[node.lineno - 1]
            end = node.value.elts[int(match[1]) - 1].end_col_offset
            lines[node.lineno - 1] = f"{line[:end]}\n"
    return "".join(lines)


def _give_default(text: str, finding: Diagnostic, match: re.Match[str]) -> str:
    """Give a parameter a default, or a field of a dataclass a value."""
    lines = text.splitlines(keepends=True)
    line = lines[finding.place.line - 1]
    if line.lstrip().startswith(f"{match[1]}:"):
        lines[finding.place.line - 1] = f"{line.rstrip()} = None\n"
        return "".join(lines)
    number = _function_at(text, finding).lineno - 1
    lines[number] = re.sub(rf"\b{match[1]}\b", f"{match[1]}=None", lines[number])
    return "".join(lines)


def _call_parameter(text: str, finding: Diagnostic, match: re.Match[str]) -> str:
    """Give the last parameter of a function the name of the hint."""
    function = _function_at(text, finding)
    name = function.args.args[-1].arg
    lines = text.splitlines(keepends=True)
    for number in range(function.lineno - 1, function.end_lineno or 0):
        lines[number] = re.sub(rf"\b{name}\b", match[1], lines[number])
    return "".join(lines)


def _read_from_self(text: str, finding: Diagnostic, match: re.Match[str]) -> str:
    """Read an attribute of `self` in the place of the parent's, on the line of a finding."""
    lines = text.splitlines(keepends=True)
    number = finding.place.line - 1
    attribute = match[1].partition(".")[2]
    lines[number] = re.sub(
        rf"(?:super\(\)|\b\w+)\.{attribute}\b", match[1], lines[number], count=1
    )
    return "".join(lines)


def _leave_out_of_all(text: str, finding: Diagnostic, match: re.Match[str]) -> str:
    """Remove a name, which the message names first, from `__all__`."""
    name = re.search(r"`(\w+)`", finding.message)
    assert name is not None
    return re.sub(rf"['\"]{name[1]}['\"],? *", "", text)


def _use_factory(text: str, finding: Diagnostic, match: re.Match[str]) -> str:
    lines = text.splitlines(keepends=True)
    number = finding.place.line - 1
    before, _, _ = lines[number].partition(" = ")
    lines[number] = f"{before} = {match[1]}\n"
    return "from dataclasses import field\n" + "".join(lines)


def _add_decorator(text: str, finding: Diagnostic, match: re.Match[str]) -> str:
    """Write a decorator directly above a class, and import it."""
    lines = text.splitlines(keepends=True)
    class_ = next(
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef) and _contains(node, finding.place.line)
    )
    lines.insert(class_.lineno - 1, f"@{match[1]}\n")
    return _IMPORTS[match[1]] + "".join(lines)


_IMPORTS = {
    "dataclass": "from dataclasses import dataclass\n",
    "no_inherit_decorator": "from ...utils.modular import no_inherit_decorator\n",
}

_EDITS: dict[str, Callable[[str, Diagnostic, re.Match[str]], str]] = {
    r"^read `((?:self|cls)\.\w+)`": _read_from_self,
    r"remove it from `__all__`": _leave_out_of_all,
    r"^write `(field\([^`]*\))`, and import `field`": _use_factory,
    r"annotate it: `(self\.\w+): ([\w.]+) = [^`]*`(, and write `from typing import Any`)?$": _annotate,
    r"^write `super\(\)` for the method of `\w+`": _call_super,
    r"^did you mean `(\w+)`\?$": _rename,
    r"^remove the line$|^use it, or remove it$": _remove_line,
    r"^move it above the call\b": _move_above_call,
    r"^move it below `super\(\)\.__init__\(\.\.\.\)`": _move_below_call,
    r"^save `(\w+)` in another variable above the call": _save_above_call,
    r"^return (\d+) values\b": _return_values,
    r"^give `(\w+)` a default value\b": _give_default,
    r"^name one of its parameters `(\w+)`": _call_parameter,
    r"^(?:add|write) `@(dataclass|no_inherit_decorator)` ": _add_decorator,
}


def _edit_line(text: str, finding: Diagnostic, old: str, new: str) -> str:
    """Replace a part of the line of a finding."""
    lines = text.splitlines(keepends=True)
    line = lines[finding.place.line - 1]
    assert old in line, line
    lines[finding.place.line - 1] = line.replace(old, new)
    return "".join(lines)


def _cut(lines: list[str], line: int) -> list[str]:
    """Take the statement that begins on a line out, and return its lines.

    Empty texts stay in their place, so that the numbers of the other lines do not change.
    """
    text = "".join(lines)
    statement = _statement_at(text, line)
    numbers = range(line - 1, statement.end_lineno or line)
    cut = [lines[number] for number in numbers]
    for number in numbers:
        lines[number] = ""
    if _is_alone(text, statement):
        lines[line - 1] = f"{_indent(cut[0])}pass\n"
    return cut


def _move(text: str, line: int, call: int, target: int) -> str:
    """Move the statement on a line above a target line, to the indentation of a call."""
    lines = text.splitlines(keepends=True)
    indent = _indent(lines[call - 1])
    moved = [f"{indent}{part.lstrip()}" for part in _cut(lines, line)]
    lines[target - 1 : target - 1] = moved
    return "".join(lines)


def _call_of_super(text: str, finding: Diagnostic) -> ast.stmt:
    """Return the statement with `super()` in the function of a finding."""
    for statement in _function_at(text, finding).body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and node.id == "super":
                return statement
    raise AssertionError("no call of super()")


def _function_at(text: str, finding: Diagnostic) -> ast.FunctionDef:
    """Return the innermost function that contains the line of a finding."""
    functions = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and _contains(node, finding.place.line)
    ]
    return max(functions, key=lambda function: function.lineno)


def _statement_at(text: str, line: int) -> ast.stmt:
    """Return the outermost statement that begins on a line."""
    return next(
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.stmt) and node.lineno == line
    )


def _is_alone(text: str, statement: ast.stmt) -> bool:
    """Return whether the block of a statement has no other statement."""
    for node in ast.walk(ast.parse(text)):
        for name in ("body", "orelse", "finalbody"):
            match getattr(node, name, None):
                case [ast.stmt(lineno=line)] if line == statement.lineno:
                    return True
    return False


def _contains(node: ast.stmt, line: int) -> bool:
    """Return whether a definition with its decorators contains a line."""
    first = min(
        [node.lineno, *(item.lineno for item in getattr(node, "decorator_list", []))]
    )
    return first <= line <= (node.end_lineno or first)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
