"""Methods that are written out and are the same as what is inherited anyway."""

from collections.abc import Iterator
from itertools import zip_longest

from modular.flatten.flattened import Flattened
from modular.lint.rule import LintRule
from modular.rules.classes.super_call import super_call_index
from modular.source import fixes
from modular.source.code import Code, joined
from modular.source.diagnostics import Problem
from modular.source.parts import Parts


class RedundantOverride(LintRule):
    """A method is the same as what is inherited anyway.

    The method is written out, and says after the renaming what the parent's says. Without it the generated class is the same, and it
    would follow when the parent is changed.

    Remove the method. Where it is meant to stay as it is whatever the parent does, silence the warning at its line.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            return self.up_proj(x)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:5:5: `forward` is the same as in `LlamaMLP`, so `OlmoMLP` has it without this
    hint: remove it
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        pass
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        scale = 2
    ```
    """

    code = Problem.REDUNDANT_OVERRIDE
    message = "`{method}` is the same as in `{parent}`, so `{name}` has it without this"
    hint = "remove it"

    def check_override(self, flat: Flattened, key: str, parent: Parts, own: Parts) -> None:
        """Compare what was generated with the parent's method, comments aside; one that calls `super()` has the reader in mind."""
        if super_call_index(own.body.statements, own.name) is not None:
            return
        result = [part.code for part in flat.parts if part.member == key]
        if _are_alike(result, [parent.code]) and joined(result, own.code.path).normal() == parent.code.normal():
            removed = fixes.take_out(own.statement, f"Remove `{own.name}`", len(flat.own.body.statements) == 1)
            names = {"method": own.name, "parent": flat.parent.name, "name": flat.own.name}
            self.report(own.header, removed._replace(is_safe="#" not in own.code.text), related=parent.header, **names)


def _are_alike(one: list[Code], other: list[Code]) -> bool:
    """Whether the lines are the same if every string is a filler. They are compared up to the first that differs."""
    return all(here == there for here, there in zip_longest(_masked_lines(one), _masked_lines(other)))


def _masked_lines(codes: list[Code]) -> Iterator[str]:
    lines = (line.rstrip() for code in codes for line in code.mask.split("\n"))
    return (line for line in lines if line)
