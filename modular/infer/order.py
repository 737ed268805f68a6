"""Classes that are the same but for the order of their lines, where that decides nothing, and for blank lines between them."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from modular.infer.normal import normal
from modular.rules.names.renaming import COPIED
from modular.source.assignments import assigned_target
from modular.source.blocks import Kind, Statement, split
from modular.source.code import Code
from modular.source.indentation import regular
from modular.source.parts import Parts, parts_of


_INIT = "__init__"
_SELF = "self."

Unordered = tuple[str, ...]


def unordered(code: Code, *, exact: bool = False) -> Unordered:
    """Return a definition as something that is equal for two that only have their lines in another order.

    Statements of `__init__` may come in any order that follow each other, set an attribute each, and read none that another one
    sets. Layout does not count unless the lines are to be the ``exact`` ones; comments always do.
    """
    return _unordered(code, exact)


def is_same_method(one: Parts, other: Parts) -> bool:
    """Whether two methods only have their lines in another order, or other blank lines."""
    return _method(one, exact=False) == _method(other, exact=False)


@lru_cache(maxsize=2_000)
def _unordered(code: Code, exact: bool) -> Unordered:
    statement = next(iter(split(code).statements))
    parts = parts_of(regular(statement)) if statement.kind is Kind.CLASS else None
    if parts is None or parts.is_inline:
        return (_form(code, exact),)
    body = parts.body.statements
    forms = (
        _method(parts_of(each), exact) if each.kind is Kind.FUNCTION else _statement(each, exact) for each in body
    )
    return (*_head(parts, exact), *forms, *_comments(parts.body.footer))


def _head(parts: Parts, exact: bool) -> Iterator[str]:
    yield from _comments(parts.lead)
    yield from (_form(parts.decorators, exact), _form(parts.header, exact))


def _method(parts: Parts, exact: bool) -> str:
    if parts.is_inline:
        return _form(parts.code, exact)
    statements: list[str] = []
    for run in _runs(parts):
        forms = [_statement(each, exact) for each in run]
        statements += sorted(forms) if len(forms) > 1 else forms
    return "\n".join([*_head(parts, exact), *statements, *_comments(parts.body.footer)])


def _runs(method: Parts) -> Iterator[list[Statement]]:
    """Part the body of a method into statements whose order decides nothing: most stand alone."""
    run: list[Statement] = []
    targets, read = set[str](), set[str]()
    for statement in method.body.statements:
        target = assigned_target(statement) if method.name == _INIT else None
        name = target.text.removeprefix(_SELF) if target is not None and target.text.startswith(_SELF) else ""
        if run and (not name or name in read or not targets.isdisjoint(statement.own.words())):
            yield run
            run, targets, read = [], set(), set()
        if not name:
            yield [statement]
            continue
        run.append(statement)
        targets.add(name)
        read |= statement.own.words()
    if run:
        yield run


def _statement(statement: Statement, exact: bool) -> str:
    return "\n".join([*_comments(statement.lead), _form(statement.own, exact)])


def _comments(code: Code) -> Sequence[str]:
    """The comments in what stands above a statement; those aside that say from where something was copied."""
    return [line.strip() for line in code.text.split("\n") if line.strip() and COPIED not in line]


def _form(code: Code, exact: bool) -> str:
    if not exact:
        return normal(code)
    lines = code.text.split("\n")
    return "\n".join(line for line in lines if not (COPIED in line and line.lstrip().startswith(COPIED[0]))).strip(
        "\n"
    )
