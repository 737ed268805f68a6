"""Rules about removals that have no effect: raising methods, `AttributeError()` and `del`."""

import re
from collections.abc import Iterator

import libcst as cst

from modular.flatten.autofixes import (
    add_attribute,
    suggest_alternative,
    suggest_names,
    write_removal_form,
)
from modular.flatten.merged_class import MergedClass
from modular.lint.bases import only_deletes
from modular.lint.merged_bodies import assignments_by_target
from modular.lint.rule import LintRule, Precision
from modular.rules.classes import class_attributes, raising_override
from modular.rules.classes.del_attribute import deleted_target
from modular.semantics.facts import BINDING_USAGES, Mention, Usage
from modular.semantics.instances import REGISTERING_METHODS
from modular.semantics.statements import facts_of
from modular.source import fixes
from modular.source.assignments import (
    assigned_value,
    deleted_targets,
)
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import DefinitionView
from modular.source.diagnostics import (
    Fix,
    Place,
    Problem,
    Severity,
    did_you_mean,
    nearest,
)
from modular.source.places import place_at, place_of, place_of_word
from modular.source.source_slice import find_word, has_word


_ERROR = "AttributeError"
_SELF = "self."
_PROPERTY = "@property"
ATTRIBUTE_SETTERS = REGISTERING_METHODS | {"setattr"}
"""Functions that set an attribute whose name is the text of an argument."""


class UselessRemoval(LintRule):
    """A removal does not remove a member of the parent class.

    The generated class keeps the member that you wanted to remove, or gets a method
    that only raises an error. You can remove a member of the parent class in two ways.
    For a method, you can write a method of the same name whose body is
    `raise AttributeError(...)`. For any member, you can write
    `name = AttributeError()`. modular reports a removal in the following cases:

    - **The parent class has no member with the name in the removal.** In the example,
      `get_input_embedding` is misspelt. modular copies the method that raises into the
      generated class, where it may even override a working method of a base.
    - **The method does not have the form of a removal,** so modular copies it like any
      other method. A removal has exactly one blank line above the `def`, no comment, no
      decorator and no docstring. The `def` is on one line, and the `raise` on the next.
    - **The assignment does not contain the `()`:** you wrote `name = AttributeError`
      instead of `name = AttributeError()`.

    Write the name of a member that the parent class has, and give the removal one of
    the two forms described above. If the parent class has no member that you want to
    remove, delete your method or assignment.

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
    models/olmo/modular_olmo.py:7:5: `get_input_embedding` raises an error to remove a method, but `LlamaModel` has no method `get_input_embedding`
    hint: remove the method, unless a base of `LlamaModel` has one; or did you mean `get_input_embeddings`?
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaModel


    class OlmoModel(LlamaModel):
        scale = 1

        def get_input_embeddings(self):
            raise AttributeError("Olmo has no embeddings")
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaModel


    class OlmoModel(LlamaModel):
        scale = 1

        def get_input_embeddings(self):
            raise AttributeError("Olmo has no embeddings")
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaModel


    class OlmoModel(LlamaModel):
        def get_input_embeddings(self):
            raise AttributeError("Olmo has no embeddings")
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:5:5: this `get_input_embeddings` is kept as a method that raises; it does not remove the parent's
    hint: to remove it, leave exactly one blank line, and no comment, above its `def`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaModel


    class OlmoModel(LlamaModel):

        def get_input_embeddings(self):
            raise AttributeError("Olmo has no embeddings")
    ```

    Given `models/clip/modeling_clip.py`:

    ```python
    class CLIPModel:
        @property
        def depth(self):
            return 12
    ```

    modular does not report a property that raises `AttributeError`: code that uses the
    class cannot tell it from an attribute that does not exist.

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..clip.modeling_clip import CLIPModel


    class OlmoModel(CLIPModel):
        @property
        def depth(self):
            raise AttributeError("Olmo has no depth")
    ```

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

    code = Problem.USELESS_REMOVAL
    precision = Precision(findings=5, real=5)
    message = "`{name} = AttributeError()` removes nothing: `{merged_class.parent.name}` has no `{name}`"
    hint = "remove the line{suggestion}"

    def check_class(self, merged_class: MergedClass) -> None:
        """Report removals such as `bias = AttributeError()` that remove nothing.

        Either the parent class has no such member, or the removal is in a wrong form.
        """
        self._check_attributes(merged_class)
        # Methods are removed by an override that raises.
        for key, override in merged_class.overriding.items():
            if key in merged_class.inherited:
                continue
            if merged_class.removes_by_raising(override):
                self._report_method(merged_class, override)
        self._check_values(merged_class)
        super().check_class(merged_class)

    def _check_attributes(self, merged_class: MergedClass) -> None:
        """Report `bias = AttributeError()` if the parent class has no member `bias`."""
        parent_members = (
            merged_class.inherited_attributes.keys() | merged_class.inherited.keys()
        )
        for name, statement in merged_class.attributes.items():
            if class_attributes.is_removal(statement) and name not in parent_members:
                # The line has no effect, so it is safe to remove it.
                removal = _remove_member(merged_class, statement)._replace(is_safe=True)
                self.report(
                    statement.bare_code,
                    *suggest_names(statement.bare_code, name, parent_members),
                    removal,
                    related=merged_class.parent.header,
                    name=name,
                    merged_class=merged_class,
                    suggestion=suggest_alternative(name, parent_members),
                )

    def _report_method(
        self, merged_class: MergedClass, override: DefinitionView
    ) -> None:
        """Report a method that only raises, but overrides none of the parent class.

        The fixes remove the method, or rename it like a similar method of the parent.
        The hint ends with the similar name.
        """
        name = override.name
        self.report(
            override.header,
            *suggest_names(override.header, name, merged_class.inherited),
            _remove_member(merged_class, override.statement, f"Remove `{name}`"),
            related=merged_class.parent.header,
            message="`{name}` raises an error to remove a method, but "
            "`{merged_class.parent.name}` has no method `{name}`",
            hint="remove the method, unless a base of `{merged_class.parent.name}` has one{suggestion}",
            name=name,
            merged_class=merged_class,
            suggestion=suggest_alternative(name, merged_class.inherited),
        )

    def _check_values(self, merged_class: MergedClass) -> None:
        """Report attributes that are written as `bias = AttributeError`."""
        for statement in merged_class.child.body.statements:
            # Most statements do not contain the word, and are not parsed.
            if statement.kind is not Kind.ASSIGNMENT:
                continue
            if _ERROR not in statement.code.masked_text:
                continue
            value = assigned_value(statement)
            if isinstance(value, cst.Name) and value.value == _ERROR:
                self.report(
                    place_of_word(statement.bare_code, _ERROR),
                    replacement=f"{_ERROR}()",
                    related=merged_class.parent.header,
                    message=f"this sets `{{name}}` to the class `{_ERROR}`, and "
                    "removes nothing",
                    hint=f"write `{{name}} = {_ERROR}()`",
                    name=statement.name,
                )

    def check_override(
        self,
        merged_class: MergedClass,
        key: str,
        parent_method: DefinitionView,
        override: DefinitionView,
    ) -> None:
        """Report an override that only raises, but does not remove the parent's method.

        Only `raise AttributeError(...)` in the right form removes the method from the
        generated class. Any other override that raises becomes a method that raises.
        """
        if merged_class.is_like_python or override.name in merged_class.removed:
            return
        # A property that raises AttributeError acts like a removed one: `hasattr` is
        # false.
        is_property = _PROPERTY in override.decorators.text.split()
        if is_property or not raising_override.only_raises(override):
            return
        self.report(
            override.header,
            write_removal_form(override),
            related=parent_method.header,
            message="this `{method}` is kept as a method that raises; it does not "
            "remove the parent's",
            hint="to remove it, {advice}",
            method=override.name,
            advice=raising_override.removal_advice(override),
        )


def _remove_member(
    merged_class: MergedClass, statement: Statement, title: str = "Remove the line"
) -> Fix:
    """Return the fix that removes a statement of a class body, or replaces it with `pass`.

    Python has no empty bodies, so the only statement of a body is replaced.
    """
    is_alone = len(merged_class.child.body.statements) == 1
    if is_alone:
        # The comments above can only be about this statement, so they are removed, too.
        return fixes.remove_with_comments(statement, title, is_alone=True)
    # The comments above stay, because they may also be about the statements below.
    return fixes.remove(statement, title)


_DEL_SIMILARITY = 0.85
"""Similarity threshold for did-you-mean suggestions: `up_proj` and `down_proj` are less similar."""

_ATTRIBUTE_OR_NAME = re.compile(r"(self\.)?\w+")


class UselessDel(LintRule):
    """`del self.x` does not remove what the parent's method assigns.

    The generated class may still have the attribute that you wanted to remove with
    `del`. If you write `del self.x` below `super().__init__(config)`, modular removes
    the parent's assignment to `self.x` from the generated method (see `del-attribute`).
    The `del` removes nothing in two cases:

    - **The parent's method has no statement that assigns only to `self.x`.** In the
      example, the parent sets `_no_split_modules` in the body of the class, and not in
      `__init__`. The `del` then has no effect.
    - **The `del` is in the wrong place:** above the `super()` call, inside a block such
      as `if`, or in a method without a `super()` call. modular then copies the `del`
      into the generated method, where it runs like any other statement.

    With the setting `inheritance = "python"`, modular copies the `del` into the
    generated method in both cases. If neither the generated class nor its bases set the
    attribute, the `del` fails when it runs, so the finding is an error. The finding is
    only a warning if the `del` may never run, for example because it is inside an `if`.

    To remove a class attribute, write `x = AttributeError()` in the body of the class.
    If the `del` is in the wrong place, write it below the `super()` call, outside of
    any block. If the parent assigns to `self.x` together with something else, as in
    `self.x = self.y = 1`, replace the `super()` call with a copy of the body of the
    parent's method, and remove `self.x` from the copy. In all other cases, remove the
    `del`.

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
    models/olmo/modular_olmo.py:7:9: `del self._no_split_modules` has no effect: the parent's `__init__` does not assign `self._no_split_modules`
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
    models/olmo/modular_olmo.py:7:9: `del self.down_proj` has no effect: the parent's `__init__` sets `self.down_proj`, but not in a separate assignment
    hint: copy the body of the parent's `__init__`, without that attribute
    ```

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
    models/olmo/modular_olmo.py:6:9: `del self.mlp` does not remove the parent's assignment: it runs before the parent's code, which replaces the call
    hint: move it below `super().__init__(...)`, at the top level of the method
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

    code = Problem.USELESS_DEL
    levels = (Severity.WARNING, Severity.ERROR)
    precision = Precision(findings=6, real=6)
    message = "`del {target}` has no effect: the parent's `{method}` does not assign `{target}`"
    hint = "remove the line"

    def check_class(self, merged_class: MergedClass) -> None:
        """Report `del` statements below a call to `super()` that remove no assignment."""
        if merged_class.is_like_python:
            self._check_like_python(merged_class)
            return
        for body in merged_class.merges.values():
            for statement in body.statements_below_call:
                target = deleted_target(statement)
                # `merged_class.deleted` has the targets whose assignments were removed.
                if target is None or target in merged_class.deleted:
                    continue
                if len(deleted_targets(statement)) > 1:
                    self._report_several_targets(body.parent, statement)
                else:
                    self._report_del(merged_class, body.parent, statement, target)
        super().check_class(merged_class)

    def _check_like_python(self, merged_class: MergedClass) -> None:
        """Report each `del self.x` that fails, because nothing sets the attribute.

        It is an error if each call to the method reaches the `del`.
        """
        owner = merged_class.child.name
        for override in merged_class.overriding.values():
            for statement, mention, is_reached in _find_deletions(override):
                if only_deletes(self.context, owner, mention.attributes[0]):
                    self.report(
                        _place_of_del(statement, mention),
                        message="`del {target}` fails: neither `{owner}` nor its bases "
                        "set `{target}`",
                        is_error=is_reached,
                        target=mention.dotted_name,
                        owner=owner,
                    )

    def _report_several_targets(
        self, parent_method: DefinitionView, statement: Statement
    ) -> None:
        """Report a `del` with several targets, such as `del self.x, self.y`.

        Like upstream's converter, modular looks for an assignment to all of them.
        """
        code = statement.bare_code
        autofixes = []
        # A fix would lose comments.
        if "#" not in code.text:
            text = ""
            for target in deleted_targets(statement):
                text += f"{statement.indent}del {target}\n"
            edit = fixes.make_edit(code, 0, len(code.text), text)
            autofixes.append(Fix("Write one `del` for each target", (edit,)))
        self.report(
            code,
            *autofixes,
            related=parent_method.header,
            hint="write one `del` for each target",
            target=", ".join(deleted_targets(statement)),
            method=parent_method.name,
        )

    def _report_del(
        self,
        merged_class: MergedClass,
        parent_method: DefinitionView,
        statement: Statement,
        target: str,
    ) -> None:
        """Report a `del` with the reason why it removes nothing.

        Args:
            merged_class: The child class, merged with its parent class.
            parent_method: The method of the parent class.
            statement: The statement.
            target: What it deletes, such as `self.size`.
        """
        setting_statement = _find_setting_statement(parent_method, target)
        if setting_statement is not None:
            self.report(
                statement.bare_code,
                related=setting_statement.bare_code,
                message="`del {target}` has no effect: the parent's `{method}` sets `{target}`, but not in a separate assignment",
                hint="copy the body of the parent's `{method}`, without that attribute",
                target=target,
                method=parent_method.name,
            )
            return

        if not _ATTRIBUTE_OR_NAME.fullmatch(target):
            # In Python it deletes an item, such as `self.table["x"]`.
            hint = "delete it by a call to a method, such as `pop`"
            owner, _, attribute = target.rpartition(".")
            if attribute.isidentifier():
                hint = f'write `delattr({owner}, "{attribute}")`'
            self.report(
                statement.bare_code,
                related=parent_method.header,
                message="`del {target}` is dropped: it only removes an assignment of the parent's `{method}` to `{target}`",
                hint=hint,
                target=target,
                method=parent_method.name,
            )
            return

        assigned_targets = assignments_by_target(parent_method.body.statements)
        hint = did_you_mean(target, assigned_targets, _DEL_SIMILARITY)
        autofixes = []
        if has_word(statement.bare_code.masked_text, target):
            place = place_of_word(statement.bare_code, target)
            for similar in nearest(target, assigned_targets, _DEL_SIMILARITY):
                autofixes.append(fixes.replace(place, similar))
        # The `del` has no effect, so it is safe to remove it.
        autofixes.append(fixes.remove(statement)._replace(is_safe=True))
        name = target.removeprefix(_SELF)
        # Perhaps it is a class attribute of the parent, which `del` cannot remove.
        if name in merged_class.inherited_attributes:
            line = f"{name} = {_ERROR}()"
            hint = f"to remove the class attribute, write `{line}`"
            edits = (add_attribute(merged_class.child, line), fixes.remove(statement))
            autofixes.insert(0, fixes.join(f"Write `{line}`", edits))
        self.report(
            statement.bare_code,
            *autofixes,
            related=parent_method.header,
            hint=hint,
            target=target,
            method=parent_method.name,
        )

    def check_override(
        self,
        merged_class: MergedClass,
        key: str,
        parent_method: DefinitionView,
        override: DefinitionView,
    ) -> None:
        """Report each `del self.x` that does not remove the parent's `self.x = 1`.

        The parent's body replaces a call to `super()`. Below that call and outside of
        blocks, `del self.x` removes the assignment. Any other `del` is copied: above
        the call, in a block such as `if`, or in an override without such a call.
        """
        if not has_word(override.code.masked_text, "del"):
            return
        statements = override.body.statements
        merge = merged_class.merges.get(key)
        call_index = None if merge is None else statements.index(merge.super_call)
        for index, statement in enumerate(statements):
            is_below_call = call_index is not None and index > call_index
            is_copied = not is_below_call or statement.is_compound
            if is_copied and has_word(statement.code.masked_text, "del"):
                self._check_copied_statement(parent_method, override, index, call_index)

    def _check_copied_statement(
        self,
        parent_method: DefinitionView,
        override: DefinitionView,
        index: int,
        call_index: int | None,
    ) -> None:
        """Report each `del` in a statement whose target the parent's method assigns.

        Args:
            parent_method: The parent's method.
            override: The method that contains the statement.
            index: The index of the statement.
            call_index: The index of the replaced call to `super()`; None if there is
                none.
        """
        statements = override.body.statements
        statement = statements[index]
        method = override.name
        autofixes: list[Fix] = []
        if call_index is None:
            reason = (
                f"no call to `super().{method}(...)` is replaced by the parent's code"
            )
        elif index < call_index:
            reason = "it runs before the parent's code, which replaces the call"
        else:
            reason = "inside a block, it is copied instead of merged"
        if call_index is not None and not statement.is_compound:
            title = f"Write it after `super().{method}(...)`"
            autofixes.append(fixes.move_after(statement, statements[call_index], title))

        parent_assignments = assignments_by_target(parent_method.body.statements)
        assignments = assignments_by_target(statements)
        for mention in facts_of(statement).mentions:
            target = mention.dotted_name
            # Without a call, the method may delete what it has assigned itself.
            is_local = call_index is None and target in assignments
            is_deletion = mention.usage is Usage.DELETED
            if is_deletion and target in parent_assignments and not is_local:
                self.report(
                    _place_of_del(statement, mention),
                    *autofixes,
                    related=parent_assignments[target].bare_code,
                    message="`del {target}` does not remove the parent's assignment: "
                    "{reason}",
                    hint="move it below `super().{method}(...)`, at the top level of the "
                    "method",
                    target=target,
                    reason=reason,
                    method=method,
                )


def _place_of_del(statement: Statement, mention: Mention) -> Place:
    """Return the place of the `del` that deletes a name in a statement."""
    line = statement.bare_code.line_at(mention.line - 1)
    start = next(find_word(line.masked_text, "del"), None)
    if start is None:
        return place_of(line)
    return place_at(line, start, len(line.masked_text.rstrip()) - start)


def _find_deletions(
    method: DefinitionView,
) -> Iterator[tuple[Statement, Mention, bool]]:
    """Yield each deletion of an attribute of `self` in a method, such as `del self.size`.

    Yields:
        The statement, its mention of the attribute, and whether each call of the method
        reaches it.
    """
    instance = next(iter(method.parameters), "")
    may_have_returned = False
    for statement in method.body.statements:
        facts = facts_of(statement)
        for mention in facts.mentions_of(instance):
            # `del self.size.width` deletes an attribute of another object.
            if mention.usage is Usage.DELETED and len(mention.attributes) == 1:
                is_reached = not may_have_returned and not mention.is_conditional
                yield statement, mention, is_reached
        if facts.flow.returns:
            may_have_returned = True


def _find_setting_statement(method: DefinitionView, target: str) -> Statement | None:
    """Return the first statement of a method that sets `self.x`.

    `a, self.x = f()` and `self.register_buffer("x", y)` set it, too.
    """
    name = target.removeprefix(_SELF)
    for statement in method.body.statements:
        # Parsing is slow, so only statements that contain the name are parsed.
        if not has_word(statement.bare_code.text, name):
            continue
        facts = facts_of(statement)
        for mention in facts.mentions:
            if mention.dotted_name == target and mention.usage in BINDING_USAGES:
                return statement
        for call in facts.calls:
            is_setter = call.function.rpartition(".")[2] in ATTRIBUTE_SETTERS
            strings = [argument.string for argument in call.arguments]
            if is_setter and name in strings:
                return statement
    return None
