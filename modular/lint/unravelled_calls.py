"""What is lost where `super().method(...)` is replaced by the parent's body: its arguments, and what follows a return."""

from collections.abc import Iterator

import libcst as cst

from modular.flatten.flattened import Flattened
from modular.lint.output.missing_parameters import missing_parameters
from modular.lint.rule import LintRule
from modular.lint.syntax import Syntax
from modular.rules.classes.super_call import super_call_index
from modular.source import fixes
from modular.source.blocks import Statement
from modular.source.code import Code, find_word
from modular.source.diagnostics import Fix, Place, Problem, did_you_mean
from modular.source.parts import Parts
from modular.source.trees import plainly, statement_tree, written


_ALL_OF_THE_PARENTS = "super_kwargs"
_ENDS = {"return", "raise"}
_STATIC = "staticmethod"
_SELF = "self"


class DroppedArgument(LintRule):
    """An argument of an unravelled call is lost.

    The call is replaced by the parent's body, in which the parent's parameters are under their own names. What is written
    between the parentheses is not looked at.

    Use instead an assignment to the parameter's name above the call.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            return super().forward(2 * x)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:6:32: argument `2 * x` is dropped: `super().forward()` is replaced by the parent's body, which reads `x` directly
    hint: write `x = 2 * x` above the call
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            x = 2 * x
            return super().forward(x)
    ```
    """

    code = Problem.DROPPED_ARGUMENT
    message = "argument `{value}` is dropped: `super().{method}()` is replaced by the parent's body, which reads `{name}` directly"

    def check_override(self, flat: Flattened, key: str, parent: Parts, own: Parts) -> None:
        """Look at the arguments that are not the parent's parameters, where the parent's body uses those."""
        index = super_call_index(own.body.statements, own.name)
        if index is None or (flat.own.name, key) in missing_parameters(self.subject):
            return
        statement = own.body.statements[index]
        call = _call(statement)
        if _passes_first_alone(call, parent):
            return
        parameters = _Parameters(parent)
        changed = [
            (argument, name)
            for argument, name in parameters.bound(call)
            if plainly(argument.value) not in (name, _ALL_OF_THE_PARENTS)
        ]
        codes = (part.code for part in flat.parts if part.member == key and changed)
        used = set[str]().union(*(code.words() for code in codes if not self.subject.is_own(code)))
        for argument, name in changed:
            if name is not None and name in used:
                is_one = not argument.star and name in parameters.by_name
                self._report(parent, own, statement, argument, name, is_one)

    def _report(
        self, parent: Parts, own: Parts, statement: Statement, argument: cst.Arg, name: str, is_one: bool
    ) -> None:
        place = Syntax(statement.own, statement_tree(statement)).place(argument.value)
        value = written(argument.value)
        names = {"value": value, "method": own.name, "name": name}
        if is_one and _is_slip(value, name, own):
            self.report(place, replacement=name, related=parent.header, hint="did you mean `{name}`?", **names)
            return
        autofixes = _assigned_above(statement, place, name, value) if is_one and "\n" not in value else ()
        hint = "write `{name} = {value}` above the call" if is_one else "set `{name}` above the call"
        self.report(place, *autofixes, related=parent.header, hint=hint, **names)


def _passes_first_alone(call: cst.Call, method: Parts) -> bool:
    """Whether a call passes nothing, or only what a method's first parameter is called: most do, and are not looked at closer."""
    match call.args:
        case []:
            return True
        case [cst.Arg(value=cst.Name(value=name), keyword=None, star="")]:
            header = "".join(method.header.mask.split())
            return any(f"({_SELF},{name}{sign}" in header for sign in ":,=)")
    return False


def _is_slip(value: str, name: str, method: Parts) -> bool:
    """Whether a value is a name that appears nowhere else in a method, and is almost that of a parameter."""
    is_unknown = value.isidentifier() and len(list(find_word(method.code.mask, value))) == 1
    return is_unknown and bool(did_you_mean(value, [name]))


def _assigned_above(statement: Statement, place: Place, name: str, value: str) -> Iterator[Fix]:
    """Assign a value to a parameter above a call, and pass the parameter."""
    above = fixes.insert_above(statement, f"{name} = {value}")
    yield fixes.joined(above.title, (above, fixes.write(place, name)))


class UnreachableAfterSuper(LintRule):
    """A statement is after the parent's `return`.

    What follows an unravelled call comes after the parent's last statement. Where that is a `return`, it is never reached.

    Write it before the call instead, or write the parent's body out and change it.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            super().forward(x)
            self.calls = 1
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:7:9: this is never reached: the body of the parent's `forward`, which comes before it, ends in `return self.up_proj(x)`
    hint: write it before the call, or write the parent's body out and change it
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            self.calls = 1
            super().forward(x)
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            self.calls = 1
            return super().forward(x)
    ```
    """

    code = Problem.UNREACHABLE_AFTER_SUPER
    message = "this is never reached: the body of the parent's `{method}`, which comes before it, ends in `{end}`"
    hint = "write it before the call, or write the parent's body out and change it"

    def check_override(self, flat: Flattened, key: str, parent: Parts, own: Parts) -> None:
        """Look at what follows the parent's body where that ends in a `return` or `raise`."""
        index = super_call_index(own.body.statements, own.name)
        if index is None:
            return
        codes = [part.code for part in flat.parts if part.member == key and part.code.mask.strip()]
        last = max((number for number, code in enumerate(codes) if not self.subject.is_own(code)), default=len(codes))
        following = codes[last + 1 :]
        syntax = self.read(codes[last]) if following and codes[last].words() & _ENDS else None
        match syntax and syntax.node:
            case cst.SimpleStatementLine(body=[*_, cst.Return() | cst.Raise()]) as end:
                moved, names = _before_the_call(flat, own, index), {"method": own.name, "end": written(end).strip()}
                self.report(_without_lead(following[0]), *moved, related=codes[last], **names)


def _call(statement: Statement) -> cst.Call:
    """The call that a statement is, or returns."""
    line = cst.ensure_type(statement_tree(statement).node, cst.SimpleStatementLine).body[0]
    assert isinstance(line, cst.Expr | cst.Return)
    return cst.ensure_type(line.value, cst.Call)


def _names(method: Parts) -> list[str]:
    """The parameters of a method, stars included; not the one for the object itself."""
    names = list(method.parameters)
    return names if _STATIC in method.decorators.words() else names[1:]


class _Parameters:
    """The parameters of a method, by how they are bound."""

    def __init__(self, method: Parts) -> None:
        names = _names(method)
        star = next((index for index, name in enumerate(names) if name.startswith("*")), len(names))
        self.positional = names[:star]
        self.by_name = {name for name in names if not name.startswith("*")}
        self.rest = next((name[1:] for name in names if name[1:].isidentifier() and name[0] == "*"), None)
        self.keywords = next((name[2:] for name in names if name.startswith("**")), None)

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


def _without_lead(code: Code) -> Code:
    """Some code without the comments and blank lines above it."""
    return code.cut(code.text.rfind("\n", 0, len(code.mask) - len(code.mask.lstrip())) + 1)


def _before_the_call(flat: Flattened, own: Parts, call: int) -> Iterator[Fix]:
    """Write what follows a call before it, unless it would then keep the call from being reached."""
    merged = set(flat.deleted.values())
    moved = [statement for statement in own.body.statements[call + 1 :] if statement not in merged]
    if moved and not any(statement.own.words() & _ENDS for statement in moved):
        yield fixes.move_above(moved, own.body.statements[call], "Write it before the call")
