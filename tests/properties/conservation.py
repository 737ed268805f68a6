"""Find statements that are in neither a generated class nor a documented place.

This reads sources only. It is for Python's inheritance, where a statement of a class is
lost only if an override or a later assignment takes its place.
"""

import ast
from collections.abc import Iterator, Mapping

from tests.properties.class_traces import renamed as rename_models
from tests.properties.documented import Function, Project


def lost_statements(files: Mapping[str, str], generated: str) -> list[str]:
    """Return the simple statements of methods that the generated file does not have."""
    project = Project(dict(files))
    found = set(simple_statements(ast.parse(generated)))
    lost: list[str] = []
    for child, parent in project.pairs():
        lost += missing(child.body, found)
        overridden = {name: each for each in child.body for name in defined(each)}
        for statement in parent.body:
            override = overridden.get(getattr(statement, "name", ""))
            if not isinstance(statement, Function):
                continue
            if override is None:
                lost += missing([statement], found)
            elif is_property(statement):
                continue
            elif "super()" in ast.unparse(override):
                changed = assigned_attributes(override)
                lost += [
                    text
                    for text in missing([statement], found)
                    if text.partition(" ")[0].split(":")[0] not in changed
                ]
    return lost


def defined(statement: ast.stmt) -> list[str]:
    """Return the members that a statement of a class body defines or names."""
    if isinstance(statement, (Function, ast.ClassDef)):
        return [statement.name]
    return [node.id for node in ast.walk(statement) if isinstance(node, ast.Name)]


def is_property(function: Function) -> bool:
    """Return whether a method is replaced with its setter and deleter."""
    return bool(function.decorator_list)


def missing(statements: list[ast.stmt], found: set[str]) -> Iterator[str]:
    """Yield the simple statements that are not found and have no other form."""
    for statement in statements:
        for text in simple_statements(statement):
            has_other_form = text.startswith(("return", "pass", '"', "'"))
            if text not in found and not has_other_form:
                if "super(" not in text and "Moss" not in text:
                    yield text


def simple_statements(tree: ast.AST) -> Iterator[str]:
    """Yield the texts of the statements that contain no others."""
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            if not isinstance(node, ast.Match):
                yield rename_models(ast.unparse(node))


def assigned_attributes(function: ast.AST) -> set[str]:
    """Return the attributes that a function sets or deletes, as `self.a`."""
    return {
        ast.unparse(node)
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
    }
