"""A method as an override of the parent's: as it stands, or unravelling `super()` where the rest is the parent's."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from modular.infer.local_names import uses_only_its_own_names
from modular.infer.normal import normal
from modular.rules.classes import super_call
from modular.rules.classes.decorators import MARKER
from modular.rules.classes.super_kwargs import NAME as SUPER_KWARGS
from modular.source.assignments import Target, assigned_target
from modular.source.blocks import Statement
from modular.source.indentation import STEP
from modular.source.parts import Parts


_POST_INIT = "self.post_init("
_SUPER_INIT = "super().__init__"
_RETURN = re.compile(r"\s*return\b")
_DEEP = STEP * 2


@dataclass(frozen=True, slots=True)
class Override:
    """How a method is written: its text, and whether it unravels `super()`."""

    text: str
    merged: bool = False

    @property
    def lines(self) -> int:
        """How many lines it takes."""
        return self.text.count("\n")


def overrides(parent: Parts, own: Parts, bases: tuple[str, ...], merging: bool) -> list[Override]:
    """Return the ways to write a method over the parent's, the shortest first; none if the language has no way.

    Those with the parent's body in it are among them where ``merging`` is allowed.
    """
    if not _can_override(parent, own):
        return []
    found = [
        *(_merged(parent, own) if merging else ()),
        Override(_decorators(parent, own) + _whole(parent, own, bases)),
    ]
    return sorted(found, key=lambda each: (each.lines, not each.merged))


def new_method(own: Parts, bases: tuple[str, ...]) -> Override | None:
    """Return a method that the parent does not have; None if the language has no way to write it."""
    statements = _body(own)
    text = _with_explicit_calls(own, statements, bases)
    return None if text is None else Override(own.lead.text + own.decorators.text + own.header.text + _doc(own) + text)


def _can_override(parent: Parts, own: Parts) -> bool:
    """Whether what an override takes from the parent is its own: comments above, `async`, what it lacks itself."""
    if normal(parent.lead) != normal(own.lead) or parent.is_async != own.is_async:
        return False
    if (_returns(parent) and not _returns(own)) or (parent.docstring is not None and own.docstring is None):
        return False
    return not own.is_inline


def _returns(parts: Parts) -> bool:
    """Whether a function says what it returns: nothing else in a header has an arrow."""
    return "->" in parts.header.mask


def _decorators(parent: Parts, own: Parts) -> str:
    if normal(parent.decorators) == normal(own.decorators):
        return "\n"
    return "\n" + (own.decorators.text or f"{STEP}@{MARKER}\n")


def _body(own: Parts) -> list[Statement]:
    return [statement for statement in own.body.statements if statement is not own.docstring]


def _doc(own: Parts) -> str:
    return own.docstring.code.text if own.docstring is not None else ""


def _own_docstring(parent: Parts, own: Parts) -> str:
    """The docstring where it is not the parent's."""
    if own.docstring is None:
        return ""
    if parent.docstring is not None and normal(parent.docstring.code) == normal(own.docstring.code):
        return ""
    return own.docstring.code.text


def _whole(parent: Parts, own: Parts, bases: tuple[str, ...]) -> str:
    statements = _body(own)
    text = _with_explicit_calls(own, statements, bases)
    docstring = _doc(own) if not text or text.startswith("\n") else _own_docstring(parent, own)
    return own.header.text + docstring + (text or "") + own.body.footer.text


def _with_explicit_calls(own: Parts, statements: Sequence[Statement], bases: tuple[str, ...]) -> str | None:
    """Return a body in which a call that would be unravelled names the base instead; None if there is no base to name."""
    index = super_call.super_call_index(list(statements), own.name)
    texts = [statement.code.text for statement in statements]
    while index is not None:
        named = [base for base in bases if re.fullmatch(r"[\w.]+", base)]
        if not named:
            return None
        code = statements[index].code
        call = re.compile(rf"super\(\)\.{own.name}\((\s*)(\)?)")
        match = call.search(code.mask)
        if match is None:
            return None
        rest = f"{match[1]})" if match[2] else f", {match[1].lstrip(' ')}"
        new = f"{_called(named, bases)}.{own.name}(self{rest}"
        texts[index] = code.text[: match.start()] + new + code.text[match.end() :]
        following = super_call.super_call_index(list(statements[index + 1 :]), own.name)
        index = None if following is None else index + 1 + following
    return "".join(texts)


def _called(named: Sequence[str], bases: tuple[str, ...]) -> str:
    return "nn.Module" if "nn.Module" in bases else named[0]


def _merged(parent: Parts, own: Parts) -> Iterator[Override]:
    """Yield the ways to write a method with its parent's body in it."""
    inherited, wanted = _body(parent), _body(own)
    if not inherited or not wanted or "staticmethod" in own.decorator_names:
        return
    found = _unravel(inherited, wanted)
    if found is None:
        return
    before, following = found
    docstring = _own_docstring(parent, own)
    if before and before[0].code.text.startswith("\n") and not docstring:
        return
    returns = "return " if _RETURN.match(inherited[-1].own.mask) is not None and not following else ""
    for header, arguments in _calls(parent, own, before):
        call = f"{_DEEP}{returns}super().{own.name}({arguments})\n"
        method = "".join([header, docstring, *(each.code.text for each in before), call, *following])
        if uses_only_its_own_names(parent.code.text, method):
            yield Override(_decorators(parent, own) + method, merged=True)
            return


def _calls(parent: Parts, own: Parts, before: Sequence[Statement]) -> Iterator[tuple[str, str]]:
    """Yield the headers with which a method may be written, the shortest first, and what it hands on to the parent's."""
    if header := _short_header(parent, own):
        yield header, f"**{SUPER_KWARGS}"
    arguments = _arguments(parent, own, before)
    if arguments is not None:
        yield own.header.text, ", ".join(arguments)


def _short_header(parent: Parts, own: Parts) -> str:
    """The header with `**super_kwargs`, where the parameters are the parent's and take several lines."""
    if own.header.text.count("\n") < 2 or normal(own.header) != normal(parent.header) or own.is_async:
        return ""
    if own.parameters[:1] != ("self",) or "*" in own.parameters or own.function_node.params.posonly_params:
        return ""
    return f"{STEP}def {own.name}(self, **{SUPER_KWARGS}):\n"


def _arguments(parent: Parts, own: Parts, before: Sequence[Statement]) -> list[str] | None:
    """Return what hands each of the parent's parameters on that the method knows; None if it does not know one that has to be given."""
    assigned = {target.text for target in map(assigned_target, before) if target is not None}
    given, passed, by_name = assigned | set(own.parameters), [], False
    for name in parent.parameters:
        if name in ("self", "cls"):
            continue
        if name in given and name != "*":
            passed.append(f"{name}={name}" if by_name and not name.startswith("*") else name)
        elif name in _required(parent):
            return None
        by_name |= name not in given or name.startswith("*")
    return passed


def _required(method: Parts) -> set[str]:
    """The parameters that have no default."""
    found = method.function_node.params
    return {
        each.name.value for each in (*found.posonly_params, *found.params, *found.kwonly_params) if not each.default
    }


def _unravel(inherited: Sequence[Statement], wanted: Sequence[Statement]) -> tuple[list[Statement], list[str]] | None:
    """Find what stands before and behind a call that is unravelled; None if the body cannot be made so."""
    parent, own = list(inherited), list(wanted)
    if any(_POST_INIT in each.own.normal() for each in parent):
        if _POST_INIT not in own[-1].own.normal() or not _take_last(parent, own[-1]):
            return None
        own.pop()
    calls_base = bool(own and parent) and _SUPER_INIT in own[0].own.normal()
    if calls_base and normal(own[0].code) == normal(parent[0].code):
        own, parent = own[1:], parent[1:]
    best: tuple[int, list[Statement], list[str]] | None = None
    theirs, ours = [_Line(each) for each in parent], [_Line(each) for each in own]
    for size in range(len(own) + 1):
        if size and calls_base and _assigns_to_self(ours[size - 1]):
            break  # a module takes nothing before its base is initialised
        following = _align(theirs, ours[size:], {our.target.text for our in ours[:size] if our.target})
        if following is not None:
            lines = sum(each.code.text.count("\n") for each in own[:size]) + sum(
                each.count("\n") for each in following
            )
            if best is None or lines < best[0]:
                best = (lines, own[:size], following)
    return None if best is None else best[1:]


@dataclass
class _Line:
    """A statement of a body that is compared with others again and again."""

    statement: Statement

    @cached_property
    def form(self) -> str:
        """Its normal form."""
        return normal(self.statement.code, leading=True)

    @cached_property
    def target(self) -> Target | None:
        """What it assigns to."""
        return assigned_target(self.statement)

    @property
    def text(self) -> str:
        """Its own text."""
        return self.statement.code.text


def _assigns_to_self(line: _Line) -> bool:
    return line.target is not None and line.target.text.startswith("self.")


def _take_last(parent: list[Statement], last: Statement) -> bool:
    """Take the statement that calls `post_init` out of the parent's body, if it is the same."""
    for index, each in enumerate(parent):
        if _POST_INIT in each.own.normal():
            del parent[index]
            return normal(each.code, leading=True) == normal(last.code, leading=True)
    return False


def _align(parent: Sequence[_Line], own: Sequence[_Line], assigned: Collection[str]) -> list[str] | None:
    """Return what is to follow the call so that the parent's statements become the method's own; None if nothing does.

    What is deleted really goes: it is not among what was ``assigned`` before, and not assigned in another place.
    """
    changed, deleted, place = [], [], 0
    for each in parent:
        mine = own[place] if place < len(own) else None
        if mine is not None and mine.form == each.form:
            place += 1
            continue
        if mine is not None and _replaces(mine.target, each.target):
            changed.append(mine.text)
            place += 1
        elif each.target is not None and re.fullmatch(r"self\.\w+", each.target.text):
            deleted.append(each.target.text)
        else:
            return None
    following = own[place:]
    if not {*assigned, *(each.target.text for each in following if each.target)}.isdisjoint(deleted):
        return None
    return [*changed, *(f"{_DEEP}del {target}\n" for target in deleted), *(each.text for each in following)]


def _replaces(own: Target | None, target: Target | None) -> bool:
    if own is None or target is None or own.annotated or target.annotated:
        return False
    return own.text == target.text
