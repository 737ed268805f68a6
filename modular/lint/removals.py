"""Removals that remove nothing: by raising, by `AttributeError()`, and by `del`."""

from collections.abc import Iterable, Iterator
from itertools import chain

import libcst as cst

from modular.flatten.autofixes import (
    add_attribute,
    suggest_alternative,
    suggest_names,
    write_removal_form,
)
from modular.flatten.flattened import Flattened
from modular.lint.rule import LintRule
from modular.rules.classes import class_attributes, raising_override
from modular.rules.classes.del_attribute import deleted_target, split_del
from modular.rules.classes.super_call import find_super_call
from modular.source import fixes
from modular.source.assignments import assigned_target, assigned_value, written_text
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import DefinitionView
from modular.source.diagnostics import Fix, Problem, did_you_mean
from modular.source.places import place_of_word
from modular.source.reads import assigned, deleted
from modular.source.source_slice import find_word, has_word
from modular.source.trees import plainly, statement_tree, walk


_ERROR = "AttributeError"
_SELF = "self."
ATTRIBUTE_SETTERS = frozenset(
    {
        "register_buffer",
        "register_parameter",
        "register_module",
        "add_module",
        "setattr",
    }
)
"""Functions that set an attribute whose name is the text of an argument."""

_NOT_ASSIGNED_ALONE = "`del {target}` deletes nothing: the parent's `{method}` sets `{target}`, but not in an assignment to it alone"


class UselessRemoval(LintRule):
    """A removal removes nothing.

    A method whose body is `raise AttributeError(...)` removes the parent's method of that name, and `name = AttributeError()`
    the parent's attribute. The parent has none of that name, so there is nothing to remove. The method stays: a base of the
    parent may have one that works.

    Use instead the name of what the parent has, or remove the line.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaModel


    class OlmoModel(LlamaModel):
        scale = 1

        def get_input_embedding(self):
            raise AttributeError("Olmo has no embeddings")
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:7:5: the raising `get_input_embedding` removes nothing, and stays: `LlamaModel` has no `get_input_embedding`
    hint: remove the method, unless a base of `LlamaModel` has one; or did you mean `get_input_embeddings`?
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaModel


    class OlmoModel(LlamaModel):
        scale = 1
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaModel


    class OlmoModel(LlamaModel):
        scale = 1

        def get_input_embeddings(self):
            raise AttributeError("Olmo has no embeddings")
    ```
    """

    code = Problem.USELESS_REMOVAL
    message = "`{name} = AttributeError()` removes nothing: `{flat.parent.name}` has no `{name}`"
    hint = "remove the line{suggest_alternative}"

    def check_class(self, flat: Flattened) -> None:
        """Look at what is removed and not inherited."""
        attributes = flat.attributes
        known = flat.inherited_attributes.keys() | flat.inherited.keys()
        for name, statement in attributes.items():
            if class_attributes.is_removal(statement) and name not in known:
                removed = fixes.remove(statement)._replace(is_safe=True)
                instead, other = (
                    suggest_names(statement.own, name, known),
                    suggest_alternative(name, known),
                )
                place = flat.parent.header
                self.report(
                    statement.own,
                    removed,
                    *instead,
                    related=place,
                    name=name,
                    flat=flat,
                    suggest_alternative=other,
                )
        for key, own in flat.overriding.items():
            if key not in flat.inherited and raising_override.removes_method(own):
                self._report_method(flat, own)

    def _report_method(self, flat: Flattened, own: DefinitionView) -> None:
        self.report(
            own.header,
            fixes.remove(own.statement, f"Remove `{own.name}`"),
            *suggest_names(own.header, own.name, flat.inherited),
            related=flat.parent.header,
            message="the raising `{name}` removes nothing, and stays: `{flat.parent.name}` has no `{name}`",
            hint="remove the method, unless a base of `{flat.parent.name}` has one{suggest_alternative}",
            name=own.name,
            flat=flat,
            suggest_alternative=suggest_alternative(own.name, flat.inherited.keys()),
        )


class RaiseWithoutRemoval(LintRule):
    """A method that only raises does not remove the parent's.

    To remove the parent's method, an override must have a one-line `def` with exactly one blank line and no comment above it,
    no decorator and no docstring, and the `raise` on the next line. Any other is an override: the generated class
    has a method that raises.

    Use instead that form, if the method is meant to go.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaModel


    class OlmoModel(LlamaModel):
        def get_input_embeddings(self):
            raise AttributeError("Olmo has no embeddings")
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:5:5: `get_input_embeddings` raises, but the parent's `get_input_embeddings` is not removed: this override takes its place
    hint: to remove it, leave exactly one blank line, and no comment, above its `def`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaModel


    class OlmoModel(LlamaModel):

        def get_input_embeddings(self):
            raise AttributeError("Olmo has no embeddings")
    ```
    """

    code = Problem.RAISE_WITHOUT_REMOVAL
    message = "`{method}` raises, but the parent's `{method}` is not removed: this override takes its place"
    hint = "to remove it, {missing}"

    def check_override(
        self, flat: Flattened, key: str, parent: DefinitionView, own: DefinitionView
    ) -> None:
        """Look at overrides that only raise, and do not have the form of a removal."""
        if raising_override.only_raises(own) and own.name not in flat.removed:
            missing = raising_override.removal_advice(own)
            self.report(
                own.header,
                write_removal_form(own),
                related=parent.header,
                method=own.name,
                missing=missing,
            )


class UncalledAttributeError(LintRule):
    """`AttributeError` is not called.

    `x = AttributeError()` removes the parent's attribute `x`. Without the parentheses the attribute is the error's class.

    Use instead `x = AttributeError()`.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaModel


    class OlmoModel(LlamaModel):
        _no_split_modules = AttributeError
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:5:25: this sets `_no_split_modules` to the class `AttributeError`, and removes nothing
    hint: write `_no_split_modules = AttributeError()`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaModel


    class OlmoModel(LlamaModel):
        _no_split_modules = AttributeError()
    ```
    """

    code = Problem.UNCALLED_ERROR
    message = f"this sets `{{name}}` to the class `{_ERROR}`, and removes nothing"
    hint = f"write `{{name}} = {_ERROR}()`"

    def check_class(self, flat: Flattened) -> None:
        """Look at the attributes that are the class of the error."""
        for statement in flat.child.body.statements:
            if statement.kind is Kind.ASSIGNMENT and _ERROR in statement.code.mask:
                value = assigned_value(statement)
                if isinstance(value, cst.Name) and value.value == _ERROR:
                    place, call = place_of_word(statement.own, _ERROR), f"{_ERROR}()"
                    self.report(
                        place,
                        replacement=call,
                        related=flat.parent.header,
                        name=statement.name,
                    )


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

    Given `models/siglip/modeling_siglip.py`:

    ```python
    class SiglipMLP:
        def __init__(self, config):
            self.up_proj, self.down_proj = config.projections
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.modeling_siglip import SiglipMLP


    class OlmoMLP(SiglipMLP):
        def __init__(self, config):
            super().__init__(config)
            del self.down_proj
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:7:9: `del self.down_proj` deletes nothing: the parent's `__init__` sets `self.down_proj`, but not in an assignment to it alone
    hint: write the body of the parent's `__init__` out, without it
    ```
    """

    code = Problem.USELESS_DEL
    message = "`del {target}` deletes nothing: the parent's `{method}` does not assign `{target}`"
    hint = "remove the line"

    def check_override(
        self, flat: Flattened, key: str, parent: DefinitionView, own: DefinitionView
    ) -> None:
        """Look at the `del` statements that are merged into the parent's body, and found nothing there."""
        index = find_super_call(own.body.statements, own.name)
        following = own.body.statements[index + 1 :] if index is not None else ()
        for statement in chain.from_iterable(map(split_del, following)):
            target = deleted_target(statement)
            if (
                target is not None
                and target not in flat.deleted
                and own.name not in flat.removed
            ):
                self._report(flat, parent, statement, target)

    def _report(
        self, flat: Flattened, parent: DefinitionView, statement: Statement, target: str
    ) -> None:
        name = target.removeprefix(_SELF)
        setting = _statement_setting(parent, target)
        if setting is not None:
            self.report(
                statement.own,
                related=setting.own,
                message=_NOT_ASSIGNED_ALONE,
                hint="write the body of the parent's `{method}` out, without it",
                target=target,
                method=parent.name,
            )
            return
        known = _assignments(parent)
        autofixes = [
            fixes.remove(statement)._replace(is_safe=True),
            *suggest_names(statement.own, target, _only_assigned(flat, known)),
        ]
        hint = did_you_mean(target, known, _ALIKE)
        if name in flat.inherited_attributes:
            line = f"{name} = AttributeError()"
            hint = f"to remove the class attribute, write `{line}`"
            autofixes.insert(
                0,
                fixes.joined(
                    f"Write `{line}`",
                    (add_attribute(flat.child, line), fixes.remove(statement)),
                ),
            )
        self.report(
            statement.own,
            *autofixes,
            related=parent.header,
            hint=hint,
            target=target,
            method=parent.name,
        )


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

    def check_override(
        self, flat: Flattened, key: str, parent: DefinitionView, own: DefinitionView
    ) -> None:
        """Look at `del` statements that are before the unravelled call, inside a block, or where there is no call."""
        if not has_word(own.code.mask, "del"):
            return
        statements = own.body.statements
        call = find_super_call(statements, own.name)
        for index, statement in enumerate(statements):
            is_merged = call is not None and index > call and not statement.is_compound
            nodes = (
                self.walk(statement.own)
                if not is_merged and has_word(statement.code.mask, "del")
                else ()
            )
            for node, target in [
                (node, plainly(target)) for node in nodes for target in deleted(node)
            ]:
                inherited = _assignments(parent).get(target)
                if inherited is None or (call is None and target in _assignments(own)):
                    continue
                autofixes: tuple[Fix, ...] = ()
                reason = f"there is no call of `super().{own.name}(...)` that is replaced by the parent's body"
                if call is not None:
                    reason = (
                        "it comes before the parent's body"
                        if index < call
                        else "inside a block it is run, not merged"
                    )
                if call is not None and not statement.is_compound:
                    title = f"Write it after `super().{own.name}(...)`"
                    autofixes = (fixes.move_after(statement, statements[call], title),)
                self.report(
                    node,
                    *autofixes,
                    related=inherited.own,
                    target=target,
                    reason=reason,
                    method=own.name,
                )


def _only_assigned(flat: Flattened, targets: Iterable[str]) -> Iterator[str]:
    """Yield the targets that a generated class mentions once, so that they can be deleted."""
    for target in targets:
        count = sum(len(list(find_word(run.code.mask, target))) for run in flat.parts)
        if count == 1:
            yield target


def _statement_setting(method: DefinitionView, target: str) -> Statement | None:
    """Return the first statement of a method that sets an attribute of `self`, in whatever form."""
    name = target.removeprefix(_SELF)
    for statement in method.body.statements:
        if not has_word(statement.own.text, name):
            continue
        for node in walk(statement_tree(statement).node):
            if any(plainly(other) == target for other in assigned(node)):
                return statement
            match node:
                case cst.Call(
                    func=cst.Name(value=called)
                    | cst.Attribute(attr=cst.Name(value=called)),
                    args=arguments,
                ) if called in ATTRIBUTE_SETTERS:
                    if any(
                        written_text(argument.value) == name for argument in arguments
                    ):
                        return statement
    return None


def _assignments(method: DefinitionView) -> dict[str, Statement]:
    """The statements of a method that assign to something, by what that is; the last one counts."""
    targets = [
        (assigned_target(statement), statement) for statement in method.body.statements
    ]
    return {
        target.text: statement for target, statement in targets if target is not None
    }
