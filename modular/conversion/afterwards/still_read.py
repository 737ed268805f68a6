"""`del self.x` removes the assignment alone: what reads `self.x` elsewhere in the class stays, and would fail."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache

import libcst as cst

from modular.conversion.layout import Layout
from modular.rules.drafts import Draft, Node
from modular.source import fixes, trees
from modular.source.assignments import written_text
from modular.source.blocks import Statement
from modular.source.code import find_word
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.source.places import place_of, place_of_word
from modular.source.reads import assigned, deleted
from modular.source.walking import walk


_SELF = "self."
_PROVIDING = frozenset(
    {"setattr", "hasattr", "register_buffer", "register_parameter", "register_module", "add_module"}
)
"""Calls that name an attribute in a string, and after which it is there or was asked for."""


@dataclass(eq=False)
class _Uses:
    """What a class does with the attributes of `self`: where it reads each, and those it provides.

    Of the places where it names an attribute, `self.x`, those that read it are told by their numbers (from 0).
    """

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


def _of_class(draft: Draft, node: Node, removed: Mapping[str, Statement]) -> Iterator[Diagnostic]:
    for target, statement in removed.items():
        attribute = target.removeprefix(_SELF)
        if target == attribute or not any(target in part.code.mask for part in node.parts):
            continue
        uses = _uses(node)
        lines = _lines(node, target, uses.read.get(attribute, ()))
        if lines and not _is_provided(attribute, uses, draft):
            yield _diagnostic(node, statement, target, lines)


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


def _lines(node: Node, target: str, numbers: Collection[int]) -> list[int]:
    """The lines (from 1) of a class with the places that have some numbers among all those where an attribute is named."""
    code = node.code
    starts = (start for start in find_word(code.mask, target) if code.mask[start - 1 : start] != ".")
    return [code.text.count("\n", 0, start) + 1 for number, start in enumerate(starts) if number in numbers]


def _uses(node: Node) -> _Uses:
    found = _Uses()
    tree = None
    with suppress(RecursionError, MemoryError):
        tree = trees.statements(node.code)
    for definition in tree.body if tree is not None else ():
        if isinstance(definition, cst.ClassDef):
            found.bases += [base.value.value for base in definition.bases if isinstance(base.value, cst.Name)]
            found.provided.update(name for each in definition.body.body for name in _defined(each))
            _collect(definition, found)
    return found


def _defined(statement: cst.CSTNode) -> Iterator[str]:
    """The names that a statement of a class body defines."""
    match statement:
        case cst.FunctionDef(name=name) | cst.ClassDef(name=name):
            yield name.value
        case cst.SimpleStatementLine(body=parts):
            for part in parts:
                yield from _defined(part)
        case cst.Assign(targets=targets):
            yield from (each.value for target in targets for each in assigned(target) if isinstance(each, cst.Name))
        case _:
            yield from (each.value for each in assigned(statement) if isinstance(each, cst.Name))


def _collect(definition: cst.ClassDef, found: _Uses) -> None:
    provided: set[int] = set()
    unread: set[int] = set()
    named: Counter[str] = Counter()
    for node in trees.walk(definition):
        provided.update(map(id, assigned(node)))
        unread.update(map(id, deleted(node)))
        match node:
            case cst.Attribute(value=cst.Name(value="self") as owner, attr=cst.Name(value=name), dot=dot):
                if id(node) in provided:
                    found.provided.add(name)
                elif id(node) not in unread:
                    found.read.setdefault(name, []).append(named[name])
                named[name] += dot.whitespace_before.empty and dot.whitespace_after.empty and not owner.lpar
            case cst.Call(func=cst.Name(value=called) | cst.Attribute(attr=cst.Name(value=called)), args=arguments):
                if called in _PROVIDING:
                    values = (written_text(each.value) for each in arguments if each.keyword is None)
                    found.provided.update(value for value in values if value is not None)
