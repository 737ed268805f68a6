"""Removals that remove nothing: a `del` where nothing is merged, and `x = AttributeError` without parentheses."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from modular.flatten.flattened import Flattened
from modular.lint.subject import Subject, overrides
from modular.lint.trees import place_of_node, tree_of
from modular.rules.classes.super_call import super_call_index
from modular.source import fixes
from modular.source.assignments import assigned_target, mark
from modular.source.blocks import Kind, Statement
from modular.source.code import Code, find_word
from modular.source.diagnostics import Diagnostic, Fix, Problem
from modular.source.parts import Parts
from modular.source.places import place_of, place_of_word
from modular.source.trees import plainly, walk


if TYPE_CHECKING:
    import libcst as cst

_ERROR = "AttributeError"


def find(subject: Subject) -> Iterator[Diagnostic]:
    """Report both, where the parent class has what would be removed."""
    for flat in subject.flattened:
        yield from _without_parentheses(flat)
        for _, parent, own in overrides(flat):
            if _deletes(own.code):
                yield from _of_method(parent, own)


def _deletes(code: Code) -> bool:
    """Whether there may be a `del` statement in some code."""
    return next(find_word(code.mask, "del"), None) is not None


def _without_parentheses(flat: Flattened) -> Iterator[Diagnostic]:
    if _ERROR not in flat.own.code.mask:
        return
    import libcst as cst

    for statement in flat.own.body.statements:
        if statement.kind is not Kind.ASSIGNMENT or _ERROR not in statement.code.mask:
            continue
        tree = statement.tree.node
        value = getattr(tree.body[0], "value", None) if isinstance(tree, cst.SimpleStatementLine) else None
        if isinstance(value, cst.Name) and value.value == _ERROR:
            message = f"this sets `{statement.name}` to the class `{_ERROR}`, and removes nothing"
            hint = f"write `{statement.name} = {_ERROR}()`"
            place = place_of_word(statement.own, _ERROR)
            ways_out = (fixes.write(place, f"{_ERROR}()"),)
            yield Diagnostic(
                Problem.ERROR_NOT_CALLED, place, message, hint, place_of(flat.parent.header), fixes=ways_out
            )


def _of_method(parent: Parts, own: Parts) -> Iterator[Diagnostic]:
    statements = own.body.statements
    call = super_call_index(statements, own.name)
    for index, statement in enumerate(statements):
        is_merged = call is not None and index > call and not statement.is_compound
        tree = tree_of(statement.own) if not is_merged and _deletes(statement.code) else None
        for node, target in _deletions(tree) if tree is not None else ():
            is_nested = node is not tree
            inherited = _assignment(parent, target)
            if inherited is None or (call is None and _assignment(own, target) is not None):
                continue
            message = f"`del {target}` does not remove the parent's assignment: {_why(own, call, index)}"
            hint = f"write it after `super().{own.name}(...)`, as a statement of its own"
            place = place_of_node(statement.own, tree or node, node)
            ways_out: tuple[Fix, ...] = ()
            if call is not None and not is_nested:
                title = f"Write it after `super().{own.name}(...)`"
                ways_out = (fixes.move_after(statement, statements[call], title),)
            yield Diagnostic(Problem.DEL_NOT_MERGED, place, message, hint, place_of(inherited.own), fixes=ways_out)


def _why(own: Parts, call: int | None, index: int) -> str:
    if call is None:
        return f"there is no call of `super().{own.name}(...)` that stands for the parent's body"
    return "it stands before the parent's body" if index < call else "inside a block it is run, not merged"


def _deletions(tree: "cst.CSTNode") -> "Iterator[tuple[cst.CSTNode, str]]":
    """Each `del` statement in a tree, with what it deletes, one by one. One that is not part of a block is the tree itself."""
    import libcst as cst

    for line in walk(tree):
        for node in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            if isinstance(node, cst.Del):
                elements = node.target.elements if isinstance(node.target, cst.Tuple) else ()
                for target in [each.value for each in elements] or [node.target]:
                    yield (tree if line is tree else node), plainly(target)


def _assignment(method: Parts, target: str) -> Statement | None:
    """The last statement of a method that assigns to a target."""
    for statement in reversed(method.body.statements):
        if mark(target) in statement.own.text:
            found = assigned_target(statement)
            if found is not None and found.text == target:
                return statement
    return None
