"""Finds classes that differ from a parent class only in details.

The details are comments, docstrings, annotations, decorators and names of variables.
The converter compares texts, so such a class can only inherit after it is changed.
"""

import ast
import io
import tokenize
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache

from modular.infer.parents import ParentClass
from modular.source.source_slice import words


_DOCSTRINGS = "docstrings"
_ANNOTATIONS = "annotations"
_DECORATORS = "decorators"
_VARIABLES = "names of variables"
_DETAILS = (_DOCSTRINGS, _ANNOTATIONS, _DECORATORS, _VARIABLES)
"""The details of code, apart from comments."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A class that could inherit from a parent class if it were changed.

    Attributes:
        name: The name of the class.
        parent: The parent class.
        kinds: What is different, such as "docstrings".
        changes: What to change, as imperative sentences.
    """

    name: str
    parent: ParentClass
    kinds: tuple[str, ...]
    changes: tuple[str, ...]


def find_near_miss(
    text: str, parent: ParentClass, parent_text: str, known_words: set[str]
) -> NearMiss | None:
    """Return what to change in a class so that it can inherit from a parent class.

    The classes may differ in comments, docstrings, annotations, decorators and names of
    variables. If they differ in anything else, or in nothing, the result is None.

    Args:
        text: The class.
        parent: The parent class.
        parent_text: The text of the parent class, with the names of the child's model.
        known_words: The words of both files. Headers with other words are not proposed.
    """
    try:
        if _without_details(text) != _without_details(parent_text):
            return None
    except (SyntaxError, ValueError, RecursionError):
        return None
    kinds = []
    # Parsing drops comments, so they are compared apart from the other details.
    comments = _find_comments(text)
    parent_comments = _find_comments(parent_text)
    if comments != parent_comments:
        kinds.append("comments")
    # The classes are equal without details. So if they are different with docstrings as
    # the only details, then their docstrings differ.
    for detail in _DETAILS:
        code_with_detail = _without_details(text, keep=detail)
        if code_with_detail != _without_details(parent_text, keep=detail):
            kinds.append(detail)

    class_ = _parse_class(text)
    changes = [
        *_find_changes(class_, _parse_class(parent_text), known_words),
        *_find_comment_changes(comments, parent_comments),
    ]
    if not changes:
        return None
    return NearMiss(class_.name, parent, tuple(kinds), tuple(changes))


def _parse_class(text: str) -> ast.ClassDef:
    """Return the tree of a class. Raises ValueError, or what `ast.parse` raises."""
    (statement,) = ast.parse(text).body
    if not isinstance(statement, ast.ClassDef):
        raise ValueError("not a class")
    return statement


@lru_cache(maxsize=100)
def _without_details(text: str, keep: str = "") -> str:
    """Return a class without its name, docstrings, annotations and decorators.

    Variables get numbers as names:

        class A(Module):                   class (Module):
            def forward(self, x: int):         def forward(self, _0):
                y = x + 1                          _1 = _0 + 1

    Args:
        text: The class.
        keep: The one detail of `_DETAILS` that stays as it is; empty for none.
    """
    class_ = _parse_class(text)
    if keep != _ANNOTATIONS:
        class_ = _AnnotationRemover().visit(class_)
    class_.name = ""
    for node in ast.walk(class_):
        if isinstance(node, ast.ClassDef | _Function):
            if keep != _DOCSTRINGS and ast.get_docstring(node) is not None:
                node.body = node.body[1:] or [ast.Pass()]
            if keep != _DECORATORS:
                node.decorator_list = []
        if isinstance(node, _Function) and keep != _VARIABLES:
            _number_variables(node)
    return ast.unparse(class_)


class _AnnotationRemover(ast.NodeTransformer):
    """Removes annotations, except for those of variables without a value."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Remove the annotations of a node and of the nodes in it.

        The statement `size: int = 1` becomes `size = 1`. But `size: int` has no value to
        assign, so it stays.
        """
        super().generic_visit(node)
        if isinstance(node, _Function):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            return ast.copy_location(ast.Assign([node.target], node.value), node)
        return node


def _number_variables(function: _Function) -> None:
    """Rename the variables of a function to `_0`, `_1` and so on."""
    new_names = {}
    for number, name in enumerate(_find_variables(function)):
        new_names[name] = f"_{number}"
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            node.arg = new_names.get(node.arg, node.arg)
        elif isinstance(node, ast.Name):
            node.id = new_names.get(node.id, node.id)


def _find_variables(function: _Function) -> list[str]:
    """Return the variables of a method that can be renamed, in order.

    These are its parameters except for `self`, `*args` and `**kwargs`, and then the
    names that it assigns.
    """
    arguments = function.args
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    targets = []
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            targets.append(node)
    targets.sort(key=lambda node: (node.lineno, node.col_offset))

    names = [parameter.arg for parameter in parameters]
    names += [node.id for node in targets]
    # The first one is `self`, or `cls`.
    return list(dict.fromkeys(names))[1:]


def _find_comment_changes(
    comments: Collection[str], parent_comments: Collection[str]
) -> list[str]:
    """Return which comments to remove from a class, and which of the parent's to add."""
    changes = []
    for comment in comments:
        if comment not in parent_comments:
            changes.append(f"remove the comment `{comment}`")
    for comment in parent_comments:
        if comment not in comments:
            changes.append(f"add the comment `{comment}`")
    return changes


def _find_comments(text: str) -> list[str]:
    """Return the comments of a class in their order."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


def _find_changes(
    class_: ast.ClassDef, parent: ast.ClassDef, known_words: set[str]
) -> Iterator[str]:
    """Yield what to change in a class and its methods to make them equal to a parent's."""
    yield from _find_definition_changes("the class", class_, parent)
    pairs = zip(_find_methods(class_), _find_methods(parent), strict=True)
    for method, parent_method in pairs:
        subject = f"`{method.name}`"
        yield from _find_definition_changes(subject, method, parent_method)
        variables = _find_variables(method)
        parent_variables = _find_variables(parent_method)
        for old, new in zip(variables, parent_variables, strict=True):
            if old != new:
                yield f"rename `{old}` to `{new}` in {subject}"
        # A header with a name that neither file knows, such as a type, is not proposed.
        header = _header(parent_method)
        if header != _header(method) and words(header) <= known_words:
            yield f"change the header of {subject} to `{header}`"


def _find_definition_changes(
    subject: str, node: ast.ClassDef | _Function, parent: ast.ClassDef | _Function
) -> Iterator[str]:
    """Yield what to change in the decorators and the docstring of a definition."""
    decorators = [ast.unparse(decorator) for decorator in parent.decorator_list]
    if decorators != [ast.unparse(decorator) for decorator in node.decorator_list]:
        listed = ", ".join(f"`@{decorator}`" for decorator in decorators)
        yield f"give {subject} {listed or 'no decorators'}"
    docstring = ast.get_docstring(parent)
    if docstring != ast.get_docstring(node):
        verb = "remove" if docstring is None else "copy"
        yield f"{verb} the docstring of {subject}"


def _find_methods(class_: ast.ClassDef) -> list[_Function]:
    return [member for member in class_.body if isinstance(member, _Function)]


def _header(function: _Function) -> str:
    """Return the `def` line of a function without decorators."""
    bare = ast.FunctionDef(
        function.name, function.args, [ast.Pass()], [], function.returns
    )
    return ast.unparse(ast.fix_missing_locations(bare)).partition(":\n")[0]
