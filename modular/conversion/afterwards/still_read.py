"""`del self.x` removes the assignment alone: what reads `self.x` elsewhere in the class stays, and would fail."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from modular.conversion.layout import Layout
from modular.rules.drafts import Draft, Node
from modular.source import fixes
from modular.source.blocks import Statement
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.source.places import place_of, place_of_word
from modular.source.walking import walk


_SELF = "self."
_PROVIDING = frozenset(
    {"setattr", "hasattr", "register_buffer", "register_parameter", "register_module", "add_module"}
)
"""Calls that name an attribute in a string, and after which it is there or was asked for."""


@dataclass(eq=False)
class _Uses:
    """What a class does with the attributes of `self`: the lines (from 1) that read each, and those it provides."""

    bases: list[str] = field(default_factory=list)
    read: dict[str, list[int]] = field(default_factory=dict)
    provided: set[str] = field(default_factory=set)


def find(layout: Layout) -> list[Diagnostic]:
    """Report the deleted attributes that their class still reads though nothing provides them."""
    found: list[Diagnostic] = []
    for draft in layout.drafts.values():
        for name, flat in layout.flattened.items():
            if name in draft.nodes:
                found += _of_class(draft, draft.nodes[name], flat.deleted)
    return found


def _of_class(draft: Draft, node: Node, deleted: Mapping[str, Statement]) -> Iterator[Diagnostic]:
    for target, statement in deleted.items():
        attribute = target.removeprefix(_SELF)
        if target == attribute or not any(target in part.code.mask for part in node.parts):
            continue
        uses = _uses(node)
        if attribute in uses.read and not _is_provided(attribute, uses, draft):
            yield _diagnostic(node, statement, target, uses.read[attribute])


def _is_provided(attribute: str, uses: _Uses, draft: Draft) -> bool:
    """Whether the class, or a base in the same file, provides an attribute."""

    @cache
    def of(name: str) -> _Uses:
        return _uses(draft.nodes[name])

    def bases(own: _Uses) -> list[str]:
        return [base for base in own.bases if base in draft.nodes]

    reached = walk(bases(uses), lambda name: bases(of(name)))
    return attribute in uses.provided or any(attribute in of(name).provided for name in reached)


def _diagnostic(node: Node, statement: Statement, target: str, lines: list[int]) -> Diagnostic:
    readings = [_at(node, line, target) for line in lines]
    members = " and ".join(dict.fromkeys(f"`{member}`" for member, _ in readings))
    message = f"`del {target}` removes only the assignment: `{node.name}` still reads `{target}`, in {members}"
    hint = f"override {members} as well, or keep `{target}`"
    way_out = fixes.remove(statement, f"Keep `{target}`")
    return Diagnostic(Problem.DEL_STILL_READ, place_of(statement.own), message, hint, readings[0][1], fixes=(way_out,))


def _at(node: Node, line: int, target: str) -> tuple[str, Place]:
    """The member that a line of a class belongs to, and the place of the target on that line."""
    begin = 1
    for part in node.parts:
        lines = part.code.text.count("\n")
        if line < begin + lines:
            return part.member.partition(".")[0], place_of_word(part.code.line_at(line - begin), target)
        begin += lines
    raise AssertionError(f"{node.name} has no line {line}")


def _uses(node: Node) -> _Uses:
    found = _Uses()
    try:
        tree = ast.parse("".join(part.code.text for part in node.parts))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return found
    for definition in tree.body:
        if isinstance(definition, ast.ClassDef):
            found.bases += [base.id for base in definition.bases if isinstance(base, ast.Name)]
            found.provided.update(name for each in definition.body for name in _defined(each))
            _collect(definition, found)
    return found


def _defined(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement of a class body defines."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
    for target in getattr(statement, "targets", [getattr(statement, "target", None)]):
        if isinstance(target, ast.Name):
            yield target.id


def _collect(definition: ast.ClassDef, found: _Uses) -> None:
    for node in ast.walk(definition):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            if isinstance(node.ctx, ast.Load):
                found.read.setdefault(node.attr, []).append(node.end_lineno or node.lineno)
            elif isinstance(node.ctx, ast.Store):
                found.provided.add(node.attr)
        elif isinstance(node, ast.Call) and _called(node.func) in _PROVIDING:
            values = (each.value for each in node.args if isinstance(each, ast.Constant))
            found.provided.update(value for value in values if isinstance(value, str))


def _called(function: ast.expr) -> str:
    return getattr(function, "attr", getattr(function, "id", ""))
