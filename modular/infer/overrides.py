"""A method as an override of the parent's: as it stands, or unravelling `super()` where the rest is the parent's."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from symtable import SymbolTable, symtable

from modular.infer.forms import equal_after_formatting, normal
from modular.rules.classes import super_call
from modular.rules.classes.decorators import NO_INHERIT_DECORATOR
from modular.rules.classes.super_kwargs import SUPER_KWARGS
from modular.source.assignments import assigned_target
from modular.source.blocks import Statement
from modular.source.indentation import STEP
from modular.source.parts import DefinitionView
from modular.source.walking import walk


_POST_INIT = "self.post_init("
_SUPER_INIT = "super().__init__"
_RETURN = re.compile(r"\s*return\b")
_DEEP = STEP * 2


@dataclass(frozen=True, slots=True)
class Override:
    """How a method is written: its text, and whether it unravels `super()`."""

    text: str
    merged: bool = False


def write_override(
    parent: DefinitionView | None,
    own: DefinitionView,
    bases: tuple[str, ...],
    unravels: bool,
) -> Override | None:
    """Return the shortest way to write a method, over the parent's if there is one; None if the language has no way.

    One with the parent's body in it is among the ways if it ``unravels``.
    """
    body = _with_explicit_calls(own, bases)
    if body is None:
        return None
    decorators = (
        own.lead.text + own.decorators.text
        if parent is None
        else _decorators(parent, own)
    )
    docstring = (
        _docstring(own)
        if parent is None or not body or body.startswith("\n")
        else own_docstring(parent, own)
    )
    whole = Override(
        decorators + own.header.text + docstring + body + own.body.footer.text
    )
    merged = _merged(parent, own) if parent is not None and unravels else None
    return (
        merged
        if merged is not None and merged.text.count("\n") <= whole.text.count("\n")
        else whole
    )


def _decorators(parent: DefinitionView, own: DefinitionView) -> str:
    if normal(parent.decorators) == normal(own.decorators):
        return "\n"
    return "\n" + (own.decorators.text or f"{STEP}@{NO_INHERIT_DECORATOR}\n")


def _body(own: DefinitionView) -> list[Statement]:
    return [
        statement for statement in own.body.statements if statement is not own.docstring
    ]


def _docstring(own: DefinitionView) -> str:
    return own.docstring.code.text if own.docstring is not None else ""


def own_docstring(parent: DefinitionView, own: DefinitionView) -> str:
    """Return the docstring of a class or method where it is not the parent's."""
    theirs = parent.docstring
    is_same = (
        theirs is not None
        and own.docstring is not None
        and normal(theirs.code) == normal(own.docstring.code)
    )
    return "" if is_same else _docstring(own)


def _with_explicit_calls(own: DefinitionView, bases: tuple[str, ...]) -> str | None:
    """Return a body in which a call that would be unravelled names the base instead; None if there is no base to name."""
    statements = _body(own)
    texts = [statement.code.text for statement in statements]
    for index, statement in enumerate(statements):
        if super_call.is_super_call(statement, own.name):
            named = [base for base in bases if re.fullmatch(r"[\w.]+", base)]
            match = re.search(
                rf"super\(\)\.{own.name}\((\s*)(\)?)", statement.code.mask
            )
            if match is None or not named:
                return None
            base = "nn.Module" if "nn.Module" in bases else named[0]
            rest = f"{match[1]})" if match[2] else f", {match[1].lstrip(' ')}"
            text = statement.code.text
            texts[index] = (
                f"{text[: match.start()]}{base}.{own.name}(self{rest}{text[match.end() :]}"
            )
    return "".join(texts)


def _merged(parent: DefinitionView, own: DefinitionView) -> Override | None:
    """Return a method with its parent's body in it, if it can be written so."""
    inherited, wanted = _body(parent), _body(own)
    if not inherited or not wanted or "staticmethod" in own.decorator_names:
        return None
    unravelled = _unravel(inherited, wanted)
    if unravelled is None:
        return None
    before, following = unravelled
    docstring = own_docstring(parent, own)
    if before and before[0].code.text.startswith("\n") and not docstring:
        return None  # the formatter takes this blank line out
    returns = _RETURN.match(inherited[-1].own.mask) is not None
    if returns and following:
        return None  # what the parent's method returns would be lost to whoever reads this as Python
    for header, arguments in _calls(parent, own, before):
        call = (
            f"{_DEEP}{'return ' * returns}super().{own.name}({', '.join(arguments)})\n"
        )
        method = "".join(
            [
                header,
                docstring,
                *(statement.code.text for statement in before),
                call,
                *following,
            ]
        )
        if _uses_only_its_own_names(parent.code.text, method):
            return Override(_decorators(parent, own) + method, merged=True)
    return None


def _calls(
    parent: DefinitionView, own: DefinitionView, before: Sequence[Statement]
) -> Iterator[tuple[str, list[str]]]:
    """Yield the headers with which a method may be written, the shortest first, and what it hands on to the parent's."""
    is_long = (
        own.header.text.count("\n") > 1
        and not own.is_async
        and "*" not in own.parameters
    )
    if (
        is_long
        and own.parameters[:1] == ("self",)
        and normal(own.header) == normal(parent.header)
    ):
        yield f"{STEP}def {own.name}(self, **{SUPER_KWARGS}):\n", [f"**{SUPER_KWARGS}"]
    arguments = _arguments(parent, own, before)
    if arguments is not None:
        yield own.header.text, arguments


def _arguments(
    parent: DefinitionView, own: DefinitionView, before: Sequence[Statement]
) -> list[str] | None:
    """Return what hands all of the parent's parameters on; None if the method does not know one, or one has to be named."""
    names = [name for name in parent.parameters if name not in ("self", "cls")]
    known = {*own.parameters, *map(_target, before)}
    is_named = any(name.startswith("*") and not name.startswith("**") for name in names)
    return None if is_named or not known.issuperset(names) else names


def _unravel(
    inherited: Sequence[Statement], wanted: Sequence[Statement]
) -> tuple[list[Statement], list[str]] | None:
    """Find what is before and after a call that is unravelled, as short as can be; None if the body cannot be made so."""
    parent, own = list(inherited), list(wanted)
    for last in [statement for statement in parent if _POST_INIT in statement.own.mask]:
        if not own or normal(own.pop().code) != normal(last.code):
            return None
        parent.remove(last)
    calls_base = bool(own and parent) and _SUPER_INIT in own[0].own.mask
    if calls_base and normal(own[0].code) == normal(parent[0].code):
        own, parent = own[1:], parent[1:]
    written: list[tuple[list[Statement], list[str]]] = []
    for size in range(len(own) + 1):
        if size and calls_base and _target(own[size - 1]).startswith("self."):
            break  # a module takes nothing before its base is initialised
        following = _align(parent, own[size:], set(map(_target, own[:size])))
        if following is not None:
            written.append((own[:size], following))
    return min(written, key=_lines, default=None)


def _lines(written: tuple[list[Statement], list[str]]) -> int:
    before, following = written
    return "".join([*(statement.code.text for statement in before), *following]).count(
        "\n"
    )


def _target(statement: Statement) -> str:
    """What a statement assigns to; nothing if it says of what type that is."""
    target = statement.memoized(assigned_target)
    return "" if target is None or target.annotated else target.text


def _align(
    parent: Sequence[Statement], own: Sequence[Statement], assigned: Collection[str]
) -> list[str] | None:
    """Return what is to follow the call so that the parent's statements become the method's own; None if nothing does.

    What is deleted really goes: it is not among what was ``assigned`` before, and not assigned in another place.
    """
    changed, deleted, rest = [], [], list(own)
    for statement in parent:
        target = _target(statement)
        if rest and equal_after_formatting(statement.code, rest[0].code):
            rest.pop(0)
        elif rest and target and _target(rest[0]) == target:
            changed.append(rest.pop(0).code.text)
        elif re.fullmatch(r"self\.\w+", target):
            deleted.append(target)
        else:
            return None
    if not {*assigned, *map(_target, rest)}.isdisjoint(deleted):
        return None
    deletions = (f"{_DEEP}del {target}\n" for target in deleted)
    return [*changed, *deletions, *(statement.code.text for statement in rest)]


def _uses_only_its_own_names(parent: str, own: str) -> bool:
    """Whether a method reads no local variable or parameter of its parent's method, and each variable of its own is read.

    Both are given as they stand in a class. The converter would put the parent's body in the place of the call, and both would
    be right then; but no reader, and no linter, could tell.
    """
    theirs, ours = _function(parent), _function(own)
    local = {symbol.get_name() for symbol in theirs.get_symbols() if symbol.is_local()}
    used = [
        symbol
        for table in walk([ours], SymbolTable.get_children)
        for symbol in table.get_symbols()
        if symbol.is_referenced()
    ]
    assigned = {
        symbol.get_name()
        for symbol in ours.get_symbols()
        if symbol.is_assigned() and not symbol.is_parameter()
    }
    reads_theirs = any(
        symbol.is_global() and symbol.get_name() in local for symbol in used
    )
    return not reads_theirs and assigned <= {symbol.get_name() for symbol in used}


def _function(text: str) -> SymbolTable:
    """The names in a method. What is in its decorators and defaults comes before it."""
    (inside,) = symtable(f"class _:\n{text}", "", "exec").get_children()
    return [table for table in inside.get_children() if table.get_type() == "function"][
        -1
    ]
