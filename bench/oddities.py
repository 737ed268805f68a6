"""Counts what no reviewer would merge in a modular file, reading it as ordinary Python. It knows nothing of how the file was made."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence


_MODEL_FILE = re.compile(
    r"\.?\w+\.(?:configuration|modeling|processing|tokenization|(?:image_|video_)?process\w+|feature_\w+)_\w+$"
)
_METHOD = ast.FunctionDef | ast.AsyncFunctionDef


def oddities(text: str, parents: str = "") -> Counter[str]:
    """Count the oddities of a modular file by what they are. ``parents`` are the texts of its parent files."""
    tree = ast.parse(text)
    methods = {
        node.name for node in ast.walk(ast.parse(parents)) if isinstance(node, _METHOD)
    }
    found: list[str] = []
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.ImportFrom)
            and node.level
            and _MODEL_FILE.search(node.module or "")
        ):
            found += [
                "an alias on an import from a model"
                for name in node.names
                if name.asname
            ]
        elif (
            isinstance(node, ast.Delete)
            and len(node.targets) > 1
            and not _are_names(node.targets)
        ):
            found.append("several targets in one `del`")
        elif isinstance(node, ast.ClassDef):
            found += _removed_methods(node, methods)
            for method in (
                statement for statement in node.body if isinstance(statement, _METHOD)
            ):
                found += _in_method(method)
    return Counter(found)


def _are_names(targets: Sequence[ast.expr]) -> bool:
    """Whether only variables are deleted: that is Python like any other, and removes nothing of a parent."""
    return all(isinstance(target, ast.Name) for target in targets)


def _removed_methods(node: ast.ClassDef, methods: set[str]) -> Iterator[str]:
    for statement in node.body:
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Name(id="AttributeError")),
            ):
                if name in methods:
                    yield "a method removed by `= AttributeError()`"


def _in_method(method: _METHOD) -> Iterator[str]:
    call, at = next(
        ((each, at) for at, each in enumerate(map(_super_call, method.body)) if each),
        (None, 0),
    )
    if call is None or call.func.attr != method.name:  # type: ignore[attr-defined]
        return
    before, following = _assigned(method.body[:at]), _assigned(method.body[at + 1 :])
    deleted = {
        ast.unparse(target)
        for each in method.body[at + 1 :]
        if isinstance(each, ast.Delete)
        for target in each.targets
    }
    if before & deleted:
        yield "assigned before the call of the parent's method, then deleted"
    if following & deleted:
        yield "deleted to be assigned in another place"
    given = [keyword.arg for keyword in call.keywords]
    parameters = [*method.args.args[1:], *method.args.kwonlyargs]
    if (
        isinstance(method.body[at], ast.Return)
        and not call.args
        and given == [None]
        and parameters
    ):
        yield "a return of the parent's method that drops parameters"


def _super_call(statement: ast.stmt) -> ast.Call | None:
    """The call of a method of `super()` that a statement is, or returns."""
    match statement:
        case ast.Expr(value=call) | ast.Return(value=call):
            match call:
                case ast.Call(
                    func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")))
                ):
                    return call
    return None


def _assigned(statements: Sequence[ast.stmt]) -> set[str]:
    """The attributes of `self` that statements assign to."""
    targets = (
        target
        for statement in statements
        if isinstance(statement, ast.Assign)
        for target in statement.targets
    )
    return {
        ast.unparse(target) for target in targets if isinstance(target, ast.Attribute)
    }
