"""Calls of `super()` that are not unravelled, though the method that is meant is the parent class's."""

from collections.abc import Iterator

import libcst as cst

from modular.flatten.flattened import Flattened
from modular.lint.bases import bases_lack
from modular.lint.rule import LintRule
from modular.rules.classes.super_call import super_call_index
from modular.source.blocks import Statement
from modular.source.diagnostics import Problem, did_you_mean
from modular.source.parts import Parts
from modular.source.reads import method_of_super


_INIT = "__init__"
_UNKNOWN = "neither `{flat.parent.name}` nor a base of the generated `{flat.own.name}` has a method `{method}`"
_TO_THE_BASES = "`super().{method}(...)` is not replaced by the `{method}` of `{flat.parent.name}` here: it calls that of the bases of `{flat.own.name}`"


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
        "`{flat.own.name}` has one"
    )

    def check_class(self, flat: Flattened) -> None:
        """Look at the calls of `super()` in each method that are not unravelled."""
        for own in flat.overriding.values():
            if "super" not in own.code.mask:
                continue
            unravelled = super_call_index(own.body.statements, own.name)
            for index, statement in enumerate(own.body.statements):
                if index != unravelled and "super" in statement.code.mask:
                    self._check_statement(flat, own, statement, unravelled is not None)

    def _check_statement(self, flat: Flattened, own: Parts, statement: Statement, is_second: bool) -> None:
        syntax = self.read(statement.own)
        for node, method in _super_calls(syntax.walk()) if syntax is not None else ():
            parent = next((parts for parts in flat.inherited.values() if parts.name == method), None)
            if parent is None:
                self._check_unknown(flat, node, method)
            if parent is None or not (method == own.name == _INIT or bases_lack(self.subject, flat.own.name, method)):
                continue
            message = _TO_THE_BASES if method == _INIT else ""
            is_inherited = all(parts.name != method for parts in flat.overriding.values())
            instead, hint = f"self.{method}" if is_inherited else None, _hint(own, method, is_second)
            texts = {"message": message, "hint": hint}
            self.report(node, replacement=instead, related=parent.header, method=method, flat=flat, **texts)

    def _check_unknown(self, flat: Flattened, node: cst.CSTNode, method: str) -> None:
        """Report a method that neither the parent class nor a base that is left has."""
        if bases_lack(self.subject, flat.own.name, method):
            near = did_you_mean(method, (parts.name for parts in flat.inherited.values()))
            hint = near or "call a method that one of them has"
            self.report(node, related=flat.parent.header, message=_UNKNOWN, hint=hint, method=method, flat=flat)


def _super_calls(nodes: Iterator[cst.CSTNode]) -> Iterator[tuple[cst.CSTNode, str]]:
    """Each `super().method` among nodes, and the name of the method."""
    for node in nodes:
        if (method := method_of_super(node)) is not None:
            yield node, method


def _hint(own: Parts, method: str, is_second: bool) -> str:
    if method != own.name:
        return "write out what the parent's `{method}` does, or call `self.{method}(...)` if this class has it"
    if is_second:
        return "only the first such call is replaced by the parent's body: write out what the second should do"
    return "write `super().{method}(...)` or `return super().{method}(...)` as a statement of its own, at the method's own depth"
