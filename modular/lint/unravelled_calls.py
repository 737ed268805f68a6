"""What is lost where `super().method(...)` is replaced by the parent's body: its arguments, and what stands after a return."""

import re
from collections.abc import Iterator

import libcst as cst

from modular.flatten.flattened import Flattened
from modular.lint.subject import Subject, overrides
from modular.lint.trees import place_of_node, tree_of
from modular.rules.classes.super_call import super_call_index
from modular.source import fixes
from modular.source.blocks import Statement
from modular.source.code import Code
from modular.source.diagnostics import Diagnostic, Fix, Problem
from modular.source.parts import Parts
from modular.source.places import place_of
from modular.source.trees import plainly, written


_FIRST_PARAMETER = re.compile(r"\s*def\s+\w+\(\s*self\s*,\s*(\w+)\s*[,:=)]")
_ALL_OF_THE_PARENTS = "super_kwargs"
_ENDS = {"return", "raise"}
_STATIC = "staticmethod"
_SELF = "self"


def find(subject: Subject) -> Iterator[Diagnostic]:
    """Report arguments that the parent's body would have used, and statements that its `return` cuts off."""
    for flat in subject.flattened:
        for key, parent, own in overrides(flat):
            statements = own.body.statements
            index = super_call_index(statements, own.name)
            if index is not None:
                codes = [part.code for part in flat.parts if part.member == key]
                yield from _dropped(subject, parent, own, statements[index], codes)
                yield from _cut_off(subject, flat, own, index, codes)


def _dropped(
    subject: Subject, parent: Parts, own: Parts, statement: Statement, codes: list[Code]
) -> Iterator[Diagnostic]:
    tree, call = statement.tree, _call(statement)
    if _passes_on_alone(call, parent):
        return
    parameters = _Parameters(parent)
    changed = [
        (argument, name, written(argument.value))
        for argument, name in parameters.bound(call)
        if plainly(argument.value) not in (name, _ALL_OF_THE_PARENTS)
    ]
    used = set[str]().union(*(code.words() for code in codes if changed and not subject.is_own(code)))
    for argument, name, value in changed:
        if name in used:
            message = (
                f"`{value}` is not passed on: the body of the parent's `{own.name}`, which this call is replaced by, takes "
                f"`{name}` as it is"
            )
            is_one = not argument.star and name in parameters.by_name
            hint = f"write `{name} = {value}` above the call" if is_one else f"set `{name}` above the call"
            place = place_of_node(statement.own, tree.node, argument.value)
            above = fixes.insert_above(statement, f"{name} = {value}")
            ways_out = (
                (fixes.joined(above.title, (above, fixes.write(place, name))),) if is_one and "\n" not in value else ()
            )
            related = place_of(parent.header)
            yield Diagnostic(Problem.DROPPED_ARGUMENT, place, message, hint, related, fixes=ways_out)


def _passes_on_alone(call: cst.Call, parent: Parts) -> bool:
    """Whether it shows at once that a call hands on names to parameters of the same names: most do."""
    given = [each.star + plainly(each.value) if each.keyword is None else None for each in call.args]
    if not given or given == [f"**{_ALL_OF_THE_PARENTS}"]:
        return True
    first = _FIRST_PARAMETER.match(parent.header.mask)
    if first is not None and given == [first[1]] and not parent.decorators.text:
        return True
    names = _names(parent)
    return all(each == name or (each and each[0] == "*" and each in names) for each, name in zip(given, names))


def _call(statement: Statement) -> cst.Call:
    """The call that a statement is, or returns."""
    line = cst.ensure_type(statement.tree.node, cst.SimpleStatementLine).body[0]
    assert isinstance(line, cst.Expr | cst.Return)
    return cst.ensure_type(line.value, cst.Call)


def _names(method: Parts) -> list[str]:
    """The parameters of a method, stars included; not the one that stands for the object."""
    names = list(method.parameters)
    return names if _STATIC in method.decorators.words() else names[1:]


class _Parameters:
    """The parameters of a method, by how they are bound."""

    def __init__(self, method: Parts) -> None:
        names = _names(method)
        star = next((index for index, each in enumerate(names) if each.startswith("*")), len(names))
        self.positional = names[:star]
        self.by_name = {each for each in names if not each.startswith("*")}
        self.rest = next((each[1:] for each in names if each[1:].isidentifier() and each[0] == "*"), None)
        self.keywords = next((each[2:] for each in names if each.startswith("**")), None)

    def bound(self, call: cst.Call) -> Iterator[tuple[cst.Arg, str | None]]:
        """Each argument with the parameter that it would be bound to; None where there is none.

        A `self` that is written out is not one of them.
        """
        shift = 1 if call.args and plainly(call.args[0].value) == _SELF and not call.args[0].star else 0
        for index, argument in enumerate(call.args[shift:]):
            if argument.star:
                yield argument, self.keywords if argument.star == "**" else self.rest
            elif argument.keyword is not None:
                name = argument.keyword.value
                yield argument, name if name in self.by_name else self.keywords
            else:
                yield argument, self.positional[index] if index < len(self.positional) else self.rest


def _own(code: Code) -> Code:
    """Some code without the comments and blank lines above it."""
    return code.cut(code.text.rfind("\n", 0, len(code.mask) - len(code.mask.lstrip())) + 1)


def _cut_off(subject: Subject, flat: Flattened, own: Parts, call: int, codes: list[Code]) -> Iterator[Diagnostic]:
    parents = [index for index, code in enumerate(codes) if code.mask.strip() and not subject.is_own(code)]
    last = max(parents, default=len(codes))
    behind = [code for code in codes[last + 1 :] if code.mask.strip()]
    if not behind or not codes[last].words() & _ENDS:
        return
    tree = tree_of(codes[last])
    if isinstance(tree, cst.SimpleStatementLine) and isinstance(tree.body[-1], cst.Return | cst.Raise):
        message = f"this is never reached: the body of the parent's `{own.name}`, which stands before it, ends in `{written(tree).strip()}`"
        hint = "write it before the call, or write the parent's body out and change it"
        ways_out = tuple(_before_the_call(flat, own, call))
        place, related = place_of(_own(behind[0])), place_of(codes[last])
        yield Diagnostic(Problem.CUT_OFF, place, message, hint, related, fixes=ways_out)


def _before_the_call(flat: Flattened, own: Parts, call: int) -> Iterator[Fix]:
    """Write what stands behind a call before it, unless it would then keep the call from being reached."""
    merged = set(flat.deleted.values())
    moved = [each for each in own.body.statements[call + 1 :] if each not in merged]
    if moved and not any(each.own.words() & _ENDS for each in moved):
        yield fixes.move_above(moved, own.body.statements[call], "Write it before the call")
