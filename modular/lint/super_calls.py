"""Calls of `super()`: what is not unravelled, and what is lost where the parent's body takes the place of a call."""

from collections.abc import Iterator

import libcst as cst

from modular.flatten.flattened import Flattened
from modular.lint.arguments import assign_above, bind_arguments, call_of_statement
from modular.lint.bases import bases_lack
from modular.lint.output.undefined import calls_that_lack_parameters
from modular.lint.rule import LintRule, Syntax
from modular.rules.classes.super_call import find_super_call
from modular.source import fixes
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView
from modular.source.diagnostics import Fix, Problem, did_you_mean
from modular.source.reads import method_of_super
from modular.source.source_slice import SourceSlice
from modular.source.trees import plainly, statement_tree, written


_INIT = "__init__"
_UNKNOWN = "neither `{flat.parent.name}` nor a base of the generated `{flat.child.name}` has a method `{method}`"
_TO_THE_BASES = "`super().{method}(...)` is not replaced by the `{method}` of `{flat.parent.name}` here: it calls that of the bases of `{flat.child.name}`"


class SuperPastParent(LintRule):
    """A call of `super()` goes past the parent class.

    Only a statement that is just `super().method(...)`, or the return of it, in the method of that name, is replaced by the parent's body,
    and only the first of them. Any other call of `super()` is written as it is. The generated class does not inherit from the
    parent class any more, so it goes to the bases that are left; here none of them has the method.

    Use instead a statement of that form, or write out what the parent's method does.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            return 2 * super().forward(x)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:6:20: `super().forward(...)` is not replaced by the `forward` of `LlamaMLP` here, and no base of the generated `OlmoMLP` has one
    hint: write `super().forward(...)` or `return super().forward(...)` as a statement of its own, at the method's own depth
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            return 2 * self.up_proj(x)
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def __init__(self, config):
            if config.is_small:
                super().__init__(config)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:7:13: `super().__init__(...)` is not replaced by the `__init__` of `LlamaMLP` here: it calls that of the bases of `OlmoMLP`
    hint: write `super().__init__(...)` or `return super().__init__(...)` as a statement of its own, at the method's own depth
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def __init__(self, config):
            super().__init__(config)
            super().trian()
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:7:9: neither `LlamaMLP` nor a base of the generated `OlmoMLP` has a method `trian`
    hint: call a method that one of them has
    ```
    """

    code = Problem.SUPER_PAST_PARENT
    message = (
        "`super().{method}(...)` is not replaced by the `{method}` of `{flat.parent.name}` here, and no base of the generated "
        "`{flat.child.name}` has one"
    )

    def check_class(self, flat: Flattened) -> None:
        """Look at the calls of `super()` in each method that are not unravelled."""
        for own in flat.overriding.values():
            if "super" not in own.code.mask:
                continue
            unravelled = find_super_call(own.body.statements, own.name)
            for index, statement in enumerate(own.body.statements):
                if index != unravelled and "super" in statement.code.mask:
                    self._check_statement(flat, own, statement, unravelled is not None)

    def _check_statement(
        self,
        flat: Flattened,
        own: DefinitionView,
        statement: Statement,
        is_second: bool,
    ) -> None:
        for node in self.walk(statement.own):
            if (method := method_of_super(node)) is None:
                continue
            parent = next(
                (parts for parts in flat.inherited.values() if parts.name == method),
                None,
            )
            if parent is None:
                self._check_unknown(flat, node, method)
            elif method == own.name == _INIT or bases_lack(
                self.context, flat.child.name, method
            ):
                is_inherited = all(
                    parts.name != method for parts in flat.overriding.values()
                )
                self.report(
                    node,
                    replacement=f"self.{method}" if is_inherited else None,
                    related=parent.header,
                    message=_TO_THE_BASES if method == _INIT else "",
                    hint=_hint(own, method, is_second),
                    method=method,
                    flat=flat,
                )

    def _check_unknown(self, flat: Flattened, node: cst.CSTNode, method: str) -> None:
        """Report a method that neither the parent class nor a base that is left has."""
        if bases_lack(self.context, flat.child.name, method):
            near = did_you_mean(
                method, (parts.name for parts in flat.inherited.values())
            )
            hint = near or "call a method that one of them has"
            self.report(
                node,
                related=flat.parent.header,
                message=_UNKNOWN,
                hint=hint,
                method=method,
                flat=flat,
            )


def _hint(own: DefinitionView, method: str, is_second: bool) -> str:
    if method != own.name:
        return "write out what the parent's `{method}` does, or call `self.{method}(...)` if this class has it"
    if is_second:
        return "only the first such call is replaced by the parent's body: write out what the second should do"
    return "write `super().{method}(...)` or `return super().{method}(...)` as a statement of its own, at the method's own depth"


_ALL_OF_THE_PARENTS = "super_kwargs"
_ENDS = {"return", "raise"}
_SELF = "self"


class DroppedArgument(LintRule):
    """An argument of an unravelled call is lost.

    The call is replaced by the parent's body, in which the parent's parameters are under their own names. What is written
    between the parentheses is not looked at. A positional argument that is the name of another parameter of the parent is not
    reported: the body reads that parameter under its own name.

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

    def check_override(
        self, flat: Flattened, key: str, parent: DefinitionView, own: DefinitionView
    ) -> None:
        """Look at the arguments that are not the parent's parameters, where the parent's body uses those."""
        index = find_super_call(own.body.statements, own.name)
        if index is None or (flat.child.name, key) in calls_that_lack_parameters(
            self.context
        ):
            return
        statement = own.body.statements[index]
        call = call_of_statement(statement)
        if _passes_first_alone(call, parent):
            return
        changed = [
            (argument, name)
            for argument, name in bind_arguments(call, parent)
            if not _is_passed_on(argument, name, parent)
        ]
        codes = (part.code for part in flat.parts if part.member == key and changed)
        used = set[str]().union(
            *(code.words() for code in codes if not self.context.is_from_modular(code))
        )
        for argument, name in changed:
            if name is not None and name in used:
                is_one = not argument.star and name in parent.parameters
                self._report(parent, own, statement, argument, name, is_one)

    def _report(
        self,
        parent: DefinitionView,
        own: DefinitionView,
        statement: Statement,
        argument: cst.Arg,
        name: str,
        is_one: bool,
    ) -> None:
        place = Syntax(statement.own, statement_tree(statement)).place(argument.value)
        value = written(argument.value)
        names = {"value": value, "method": own.name, "name": name}
        autofixes = []
        if is_one and "\n" not in value:
            autofixes.append(assign_above(statement, argument, name))
        hint = (
            "write `{name} = {value}` above the call"
            if is_one
            else "set `{name}` above the call"
        )
        self.report(place, *autofixes, related=parent.header, hint=hint, **names)


def _passes_first_alone(call: cst.Call, method: DefinitionView) -> bool:
    """Whether a call passes nothing, or only what a method's first parameter is called: most do, and are not looked at closer."""
    match call.args:
        case []:
            return True
        case [cst.Arg(value=cst.Name(value=name), keyword=None, star="")]:
            header = "".join(method.header.mask.split())
            return any(f"({_SELF},{name}{sign}" in header for sign in ":,=)")
    return False


def _is_passed_on(
    argument: cst.Arg, parameter: str | None, method: DefinitionView
) -> bool:
    """Whether the parent's body reads the value of an argument under the argument's own name.

    A plain name in another position is still the parameter of that name in the parent's body.
    """
    value = plainly(argument.value)
    if value in (parameter, _ALL_OF_THE_PARENTS):
        return True
    is_positional = argument.keyword is None and not argument.star
    return is_positional and value in {name.lstrip("*") for name in method.parameters}


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

    def check_override(
        self, flat: Flattened, key: str, parent: DefinitionView, own: DefinitionView
    ) -> None:
        """Look at what follows the parent's body where that ends in a `return` or `raise`."""
        index = find_super_call(own.body.statements, own.name)
        if index is None:
            return
        codes = [
            part.code
            for part in flat.parts
            if part.member == key and part.code.mask.strip()
        ]
        last = max(
            (
                number
                for number, code in enumerate(codes)
                if not self.context.is_from_modular(code)
            ),
            default=len(codes),
        )
        following = codes[last + 1 :]
        match (
            next(self.walk(codes[last]), None)
            if following and codes[last].words() & _ENDS
            else None
        ):
            case cst.SimpleStatementLine(body=[*_, cst.Return() | cst.Raise()]) as end:
                first, moved = (
                    _without_lead(following[0]),
                    _before_the_call(flat, own, index),
                )
                self.report(
                    first,
                    *moved,
                    related=codes[last],
                    method=own.name,
                    end=written(end),
                )


def _without_lead(code: SourceSlice) -> SourceSlice:
    """Some code without the comments and blank lines above it."""
    return code.cut(
        code.text.rfind("\n", 0, len(code.mask) - len(code.mask.lstrip())) + 1
    )


def _before_the_call(flat: Flattened, own: DefinitionView, call: int) -> Iterator[Fix]:
    """Write what follows a call before it, unless it would then keep the call from being reached."""
    merged = set(flat.deleted.values())
    moved = [
        statement
        for statement in own.body.statements[call + 1 :]
        if statement not in merged
    ]
    if moved and not any(statement.own.words() & _ENDS for statement in moved):
        yield fixes.move_above(
            moved, own.body.statements[call], "Write it before the call"
        )
