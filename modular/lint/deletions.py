"""`del` statements that remove no assignment of the parent's."""

from collections.abc import Iterator
from itertools import chain

import libcst as cst

from modular.flatten.autofixes import attribute, spellings
from modular.flatten.flattened import Flattened
from modular.lint.rule import LintRule
from modular.lint.syntax import Syntax
from modular.rules.classes.del_attribute import deleted_target, one_by_one
from modular.rules.classes.super_call import super_call_index
from modular.source import fixes
from modular.source.assignments import assigned_target, mark
from modular.source.blocks import Statement
from modular.source.code import Code, has_word
from modular.source.diagnostics import Fix, Problem, did_you_mean
from modular.source.parts import Parts
from modular.source.reads import deleted
from modular.source.trees import plainly


_ALIKE = 0.85
"""Similarity threshold for did-you-mean suggestions: `up_proj` and `down_proj` are less alike."""


class UselessDel(LintRule):
    """`del self.x` deletes nothing.

    After an unravelled `super().__init__(...)`, `del self.x` removes the assignment to `self.x` from the parent's body, and
    disappears itself. Here there is no such assignment. A class attribute is removed by `x = AttributeError()`.

    Use instead `x = AttributeError()` in the class for a class attribute; else remove the line.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaModel


    class OlmoModel(LlamaModel):
        def __init__(self, config):
            super().__init__(config)
            del self._no_split_modules
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:7:9: `del self._no_split_modules` deletes nothing: the parent's `__init__` does not assign `self._no_split_modules`
    hint: to remove the class attribute, write `_no_split_modules = AttributeError()`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaModel


    class OlmoModel(LlamaModel):
        _no_split_modules = AttributeError()

        def __init__(self, config):
            super().__init__(config)
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaModel


    class OlmoModel(LlamaModel):
        _no_split_modules = AttributeError()
    ```
    """

    code = Problem.USELESS_DEL
    message = "`del {target}` deletes nothing: the parent's `{method}` does not assign `{target}`"
    hint = "{advice}"

    def check_override(self, flat: Flattened, key: str, parent: Parts, own: Parts) -> None:
        """Look at the `del` statements that are merged into the parent's body, and found nothing there."""
        index = super_call_index(own.body.statements, own.name)
        following = own.body.statements[index + 1 :] if index is not None else ()
        for statement in chain.from_iterable(map(one_by_one, following)):
            target = deleted_target(statement)
            if target is not None and target not in flat.deleted and own.name not in flat.removed:
                self._report(flat, parent, statement, target)

    def _report(self, flat: Flattened, parent: Parts, statement: Statement, target: str) -> None:
        name = target.removeprefix("self.")
        known = [code.text for code in map(assigned_target, parent.body.statements) if code is not None]
        autofixes = [fixes.remove(statement)._replace(is_safe=True), *spellings(statement.own, target, known)]
        hint = did_you_mean(target, known, _ALIKE) or "remove the line"
        if name in flat.inherited_attributes:
            line = f"{name} = AttributeError()"
            hint = f"to remove the class attribute, write `{line}`"
            autofixes.insert(0, fixes.joined(f"Write `{line}`", (attribute(flat.own, line), fixes.remove(statement))))
        names = {"advice": hint, "target": target, "method": parent.name}
        self.report(statement.own, *autofixes, related=parent.header, **names)


class UnmergedDel(LintRule):
    """A `del` is not merged into the parent's body.

    `del self.x` removes the parent's assignment to `self.x` where it is after an unravelled call, as a statement of its own.
    Before the call, inside a block, or in a method without such a call it is a statement like any other, and is run.

    Use instead a `del` after the call, at the method's own depth.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaModel


    class OlmoModel(LlamaModel):
        def __init__(self, config):
            del self.mlp
            super().__init__(config)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:6:9: `del self.mlp` does not remove the parent's assignment: it comes before the parent's body
    hint: write it after `super().__init__(...)`, as a statement of its own
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaModel


    class OlmoModel(LlamaModel):
        def __init__(self, config):
            super().__init__(config)
            del self.mlp
    ```
    """

    code = Problem.UNMERGED_DEL
    message = "`del {target}` does not remove the parent's assignment: {reason}"
    hint = "write it after `super().{method}(...)`, as a statement of its own"

    def check_override(self, flat: Flattened, key: str, parent: Parts, own: Parts) -> None:
        """Look at `del` statements that are before the unravelled call, inside a block, or where there is no call."""
        statements = own.body.statements
        call = super_call_index(statements, own.name) if _deletes(own.code) else None
        for index, statement in enumerate(statements if _deletes(own.code) else ()):
            is_merged = call is not None and index > call and not statement.is_compound
            syntax = self.read(statement.own) if not is_merged and _deletes(statement.code) else None
            for node, target in _deletions(syntax) if syntax is not None else ():
                inherited = _assignment(parent, target)
                if inherited is None or (call is None and _assignment(own, target) is not None):
                    continue
                autofixes: tuple[Fix, ...] = ()
                if call is not None and not statement.is_compound:
                    title = f"Write it after `super().{own.name}(...)`"
                    autofixes = (fixes.move_after(statement, statements[call], title),)
                reason = _reason(own, call, index)
                self.report(node, *autofixes, related=inherited.own, target=target, reason=reason, method=own.name)


def _deletes(code: Code) -> bool:
    """Whether there may be a `del` statement in some code."""
    return has_word(code.mask, "del")


def _reason(own: Parts, call: int | None, index: int) -> str:
    if call is None:
        return f"there is no call of `super().{own.name}(...)` that is replaced by the parent's body"
    return "it comes before the parent's body" if index < call else "inside a block it is run, not merged"


def _deletions(syntax: Syntax) -> Iterator[tuple[cst.CSTNode, str]]:
    """Each `del` in a tree, with what it deletes, one by one."""
    for node in syntax.walk():
        for target in deleted(node):
            yield node, plainly(target)


def _assignment(method: Parts, target: str) -> Statement | None:
    """The last statement of a method that assigns to a target."""
    for statement in reversed(method.body.statements):
        if mark(target) in statement.own.text:
            assigned = assigned_target(statement)
            if assigned is not None and assigned.text == target:
                return statement
    return None
