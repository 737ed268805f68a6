"""Rules about calls to `super()`: calls that are not unravelled, and code that unravelling loses."""

import builtins
from collections.abc import Collection, Iterator, Set
from functools import cached_property, partial
from typing import NamedTuple

import libcst as cst

from modular.flatten.merged_class import MergedClass
from modular.lint.bases import (
    find_providing_base,
    inherits_raising_forward,
    may_inherit_only_from_missing_files,
    only_raises,
)
from modular.lint.calls import (
    SuperMember,
    assign_above,
    bind_arguments,
    call_of_statement,
    find_copied_super_uses,
    find_super_uses,
    is_assigned_above,
    is_read_elsewhere,
)
from modular.lint.inheritance import Harm, read_inheritance
from modular.lint.merged_bodies import (
    assignments_by_target,
    find_unreachable_code,
)
from modular.lint.output.undefined import SuperCall, find_missing_parameters
from modular.lint.parent_methods import write_out_parent_method
from modular.lint.rule import LintRule, Precision, Syntax
from modular.lint.super_differences import Refusal, find_refusal
from modular.rules.classes.merge_record import MethodMerge
from modular.semantics.ancestors import FORWARD, Ancestor
from modular.semantics.classes import Member, attributes_set_by, model_class
from modular.semantics.facts import Usage
from modular.semantics.functions import model_function
from modular.semantics.statements import names_read_by
from modular.source import fixes
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.diagnostics import (
    Fix,
    Problem,
    Severity,
    did_you_mean,
    nearest,
)
from modular.source.places import place_of_word
from modular.source.trees import node_text, normalized_text, statement_tree


_INIT = "__init__"
_PROPERTY = "property"
_SUPER = "super"
_UNKNOWN_METHOD = "neither `{merged_class.parent.name}` nor a base of the generated `{merged_class.child.name}` has a method `{method}`"
_UNKNOWN_METHOD_OF_BASES = "no base of `{class_name}` has a method `{method}`"
_ADVICE_TO_CALL_ANOTHER = "call a method that one of them has"
_CALLS_BASES = "in the generated `{merged_class.child.name}`, this `super().{method}(...)` calls a base and skips `{merged_class.parent.name}.{method}`: modular does not replace this call with the parent's code"
_CALLS_OTHER_BASE = "in the generated `{merged_class.child.name}`, this `super().{method}(...)` calls that of `{base}` and skips `{merged_class.parent.name}.{method}`: modular does not replace this call with the parent's code"
_BASE_REFUSES = "in the generated `{merged_class.child.name}`, this `super().{method}(...)` skips `{merged_class.parent.name}.{method}`: modular does not replace this call with the parent's code, and the `{method}` of `{refusal.base}` {refusal.reason}"
_MISSING_IN_KNOWN_BASES = "in the generated `{merged_class.child.name}`, this `super().{method}(...)` finds no `{method}`: no base whose file exists implements it, and modular does not replace the call with the code of `{merged_class.parent.name}.{method}`"


class _CopiedCall(NamedTuple):
    """A use of `super()` that the parent's body does not replace.

    Attributes:
        merged_class: The child class, merged with its parent class.
        use: The use, which the generated class repeats as it is.
        parent_member: The header of the called method in the parent class, or the
            assignment of this attribute; None if the class has neither.
        is_missing_in_bases: Whether it is certain that no base of the generated class has
            the method, or that the base's method only raises.
        is_missing_in_known_bases: Whether no base whose file exists has the method
            `forward`.
        providing_base: The base that certainly has the method; None if it is unknown.
        reaches_another_family: Whether this is not a base of the parent class.
        refusal: The base whose method fails at this call; None if none certainly does.
    """

    merged_class: MergedClass
    use: SuperMember
    parent_member: Member | None
    is_missing_in_bases: bool
    is_missing_in_known_bases: bool
    providing_base: Ancestor | None
    reaches_another_family: bool
    refusal: Refusal | None

    @property
    def may_mean_base(self) -> bool:
        """Whether the author may have meant a method of a base of the parent class.

        A statement such as `await super().f()` looks like a call that is replaced.
        """
        is_awaited = self.use.use.result is Usage.AWAITED
        return self.use.method != _INIT and not is_awaited

    @property
    def fails(self) -> bool:
        """Whether the generated method certainly fails at each call."""
        is_refused = self.refusal is not None and self.refusal.harm is Harm.CALL_FAILS
        if not (self.is_missing_in_bases or is_refused):
            return False
        override = self.use.override
        return self.use.always_runs(self.merged_class.inherited.get(override.name))


class SuperPastParent(LintRule):
    """A call to `super()` skips the parent class.

    A `super()` call that skips the parent class usually fails when it runs. The
    generated class does not inherit from the parent class, but only from the bases of
    the parent class and from bases that you add. So a `super()` call in the generated
    class looks for the method in these bases. Usually, no base has the method, or the
    method of the base only raises an error. In the example, `2 * super().forward(x)`
    finds `nn.Module.forward`, which only raises an error.

    modular replaces a `super()` call with the body of the parent's method only if the
    call is a statement of its own in a method of the same name. In the method
    `forward`, this is `super().forward(x)` or `return super().forward(x)`. modular
    replaces only the first of these calls in a method, and copies all other `super()`
    calls as they are.

    The finding is an error. It is only a warning in the following cases:

    - The call may never run, because it is inside an `if`.
    - A base of the generated class is defined in a file that modular does not have, so
      the base may define the method.
    - The call is `super().__init__(...)`. This call succeeds, but does not set the
      attributes that the parent's `__init__` sets.
    - Another base that you add has the method. In
      `class OlmoModel(LlamaModel, RunMixin)`, `super().run()` calls the `run` of
      `RunMixin` instead of the parent's.
    - A base of the parent class has a method of the same name that works differently.
      For example, this method is `async`, does not take `**kwargs`, or returns another
      number of values.
    - The call is `await super().run()`, and a base of the generated class has the
      method `run`.

    The finding is only an info if a base of the parent class has the method, and you
    may want to call that method. To call it, name the base, as in
    `GenerationMixin.generate(self, ...)`.

    modular also reports a `super()` call of a misspelt method, even in a class without
    a parent class.

    Write the call as a statement of its own, so that modular replaces it with the body
    of the parent's method. Or replace the call with a copy of this body yourself. The
    autofix copies the parent's method into your class under a private name, and calls
    the copy. With the setting `inheritance = "python"`, modular adds such a copy to the
    generated class itself when it converts the modular file.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            return 2 * super().forward(x)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:6:20: in the generated `OlmoMLP`, this `super().forward(...)` finds no `forward`: no base implements it, and modular does not replace the call with the code of `LlamaMLP.forward`
    hint: write `super().forward(...)` or `return super().forward(...)` as a statement of its own, outside any block
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def _llama_mlp_forward(self, x):
            return self.up_proj(x)

        def forward(self, x):
            return 2 * self._llama_mlp_forward(x)
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
    models/olmo/modular_olmo.py:7:13: in the generated `OlmoMLP`, this `super().__init__(...)` calls a base and skips `LlamaMLP.__init__`: modular does not replace this call with the parent's code
    hint: write `super().__init__(...)` or `return super().__init__(...)` as a statement of its own, outside any block; to call the base class instead, write `nn.Module.__init__(self, ...)`
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
    hint: did you mean `train`?
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def __init__(self, config):
            super().__init__(config)
            super().train()
    ```

    Given `models/clip/modeling_clip.py`:

    ```python
    from ...generation import GenerationMixin


    class CLIPModel(GenerationMixin):
        def generate(self, pixels):
            return pixels
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..clip.modeling_clip import CLIPModel


    class OlmoModel(CLIPModel):
        def generate(self, pixels):
            outputs = super().generate(pixels)
            return outputs
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:6:19: in the generated `OlmoModel`, this `super().generate(...)` calls a base and skips `CLIPModel.generate`: modular does not replace this call with the parent's code
    hint: write `super().generate(...)` or `return super().generate(...)` as a statement of its own, outside any block; to call the base class instead, write `GenerationMixin.generate(self, ...)`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..clip.modeling_clip import CLIPModel


    class OlmoModel(CLIPModel):
        def _clip_model_generate(self, pixels):
            return pixels

        def generate(self, pixels):
            outputs = self._clip_model_generate(pixels)
            return outputs
    ```

    modular does not report a call that skips the `__init__` of the parent class if your
    `__init__` sets the same attributes.

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from torch import nn

    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def __init__(self, config):
            if config is not None:
                super().__init__()
            self.up_proj = nn.Linear(4, 4)
    ```
    """

    code = Problem.SUPER_PAST_PARENT
    levels = (Severity.ERROR, Severity.WARNING, Severity.INFO)
    message = (
        "in the generated `{merged_class.child.name}`, this `super().{method}(...)` finds no "
        "`{method}`: no base implements it, and modular does not replace the call with "
        "the code of `{merged_class.parent.name}.{method}`"
    )

    def check_in_steps(self) -> Iterator[None]:
        """Check each `super().f()` that a generated class repeats as it is.

        In an override of `f`, modular replaces one `super().f()` with the parent's code.
        Other uses of `super()` are copied. In the generated class they reach only its
        bases, and the parent class is none of them.

        Yields:
            None after each call, as a class can have thousands.
        """
        for merged_class in self.layout.flattened.values():
            for use in find_super_uses(merged_class):
                # `super(LlamaMLP, self).f()` is meant to skip the method of `LlamaMLP`.
                skips_on_purpose = use.names_another_class(merged_class.child.name)
                if not use.is_replaced and not skips_on_purpose:
                    self._check_call(self._examine(merged_class, use))
                yield
        yield from self._check_copied_classes()

    def _check_call(self, call: _CopiedCall) -> None:
        """Report a copied `super().f()` if it finds no `f`, or another one than in Python.

        The generated class has no parent class, so the call looks for `f` only in the
        other bases.
        """
        # The parent class defines no `f`, so Python searches its bases, too.
        if call.parent_member is None:
            if call.is_missing_in_bases:
                self._report_unknown_method(call)
            return
        # With `inheritance = "python"`, the converter copies the parent's `f` under a
        # private name, and replaces the call with a call to this copy.
        if self.context.is_like_python:
            return
        message = self._choose_message(call)
        is_harmless = not message
        if is_harmless:
            return
        # The call reaches the `f` of a base, which the author may want.
        may_be_meant = message == _CALLS_BASES and call.may_mean_base
        level = Severity.INFO if may_be_meant else None
        self._report_copied_call(call, message, level)

    def _choose_message(self, call: _CopiedCall) -> str:
        """Return the message that says what a copied call reaches, or why it fails.

        The call names a method of the parent class, but skips it.

        Returns:
            The message. Empty if the call is `super().__init__()`, and the override sets
            what the parent's `__init__` sets: then skipping it does no harm.
        """
        override = call.use.override
        # Every class has an `__init__`: at least that of `object`.
        is_init = call.use.method == _INIT
        if call.is_missing_in_bases and not is_init:
            return self.message
        if call.is_missing_in_known_bases:
            return _MISSING_IN_KNOWN_BASES
        if call.refusal is not None:
            return _BASE_REFUSES
        if call.reaches_another_family and not is_init:
            return _CALLS_OTHER_BASE
        if is_init:
            if _sets_all_attributes(override, call.merged_class.inherited.get(_INIT)):
                return ""
        return _CALLS_BASES

    def _examine(self, merged_class: MergedClass, use: SuperMember) -> _CopiedCall:
        """Return a copied use of `super()`, with what it finds in the bases.

        In the generated class, `super().run()` finds the `run` of a base. A `run` that
        only raises an error counts as missing, because the author does not mean it.
        """
        child_name, method = merged_class.child.name, use.method
        bases_lack_method = self.context.bases_lack(child_name, method)
        known_bases_lack_method = False
        # `nn.Module` has a `forward` that only raises, so it does not count.
        if method == FORWARD and not bases_lack_method:
            bases_lack_method = inherits_raising_forward(self.context, child_name)
            known_bases_lack_method = may_inherit_only_from_missing_files(
                self.context, child_name, method
            )
        provider = find_providing_base(self.context, child_name, method)
        if provider is not None and only_raises(provider, method):
            bases_lack_method = True
            provider = None
        inheritance = read_inheritance(self.context, merged_class)
        parent_member = inheritance.parent.members.get(method)
        refusal = None
        if parent_member is not None:
            refusal = find_refusal(inheritance, parent_member, use.use.call)
        return _CopiedCall(
            merged_class=merged_class,
            use=use,
            parent_member=parent_member,
            is_missing_in_bases=bases_lack_method,
            is_missing_in_known_bases=known_bases_lack_method,
            providing_base=provider,
            reaches_another_family=self._reaches_another_family(merged_class, provider),
            refusal=refusal,
        )

    def _report_copied_call(
        self, call: _CopiedCall, message: str, level: Severity | None = None
    ) -> None:
        """Report a copied call `super().rotate(x)` of a method of the parent class.

        A copied call is in the generated class as the author wrote it. That class does
        not inherit from the parent class, so the call does not reach the parent's
        `rotate`. Up to two fixes are offered. One calls `self.rotate(x)`. The other copies
        the parent's `rotate` into the child class under a private name, and calls the
        copy.
        """
        merged_class, use = call.merged_class, call.use
        hint = _advise_against_copied_call(merged_class, use)
        base = self._find_meant_base(call)
        if base:
            # A base may have a `rotate`, too, and the author may have meant that one.
            hint += _ADVICE_TO_NAME_THE_BASE
        place = use.place
        related = None
        if call.parent_member is not None:
            code = call.parent_member.statements[0].bare_code
            related = place_of_word(code, use.method)
        autofixes = []
        # If the child overrides `rotate`, `self.rotate` is not the parent's method.
        if use.method not in merged_class.overridden_names:
            autofixes.append(fixes.replace(place, f"self.{use.method}"))
        autofixes += write_out_parent_method(
            merged_class, use.override, use.method, partial(fixes.replace, place)
        )
        self.report(
            place,
            *autofixes,
            related=related,
            message=message,
            hint=hint,
            level=Severity.ERROR if call.fails else level,
            refusal=call.refusal,
            # These are filled into the message and the hint.
            method=use.method,
            base=base,
            merged_class=merged_class,
        )

    def _reaches_another_family(
        self, merged_class: MergedClass, providing_base: Ancestor | None
    ) -> bool:
        """Return whether a class that provides a method is no base of the parent class.

        In `class OlmoModel(LlamaModel, RunMixin)`, Python calls `LlamaModel.run`, and the
        generated class calls `RunMixin.run`, which has nothing to do with `LlamaModel`.
        The result is False for a base from which `LlamaModel` itself inherits: in
        transformers, calls that mean its method are common.

        Args:
            merged_class: The class `OlmoModel`, merged with `LlamaModel`.
            providing_base: The class `RunMixin`; None if it is unknown.
        """
        if providing_base is None:
            return False
        name = merged_class.child.name
        for base in merged_class.parent.bases:
            if providing_base in self.context.base_and_ancestors(name, base):
                return False
        return True

    def _find_meant_base(self, call: _CopiedCall) -> str:
        """Return the base of the generated class whose method the author may have meant.

        Returns:
            The base as the class header names it: the first one if it is not known which
            base has the method. Empty if no base may have it.
        """
        if call.is_missing_in_bases or call.is_missing_in_known_bases:
            return ""
        child_name = call.merged_class.child.name
        generated_class = self.context.class_named(child_name)
        if generated_class is None:
            bases = call.merged_class.parent.bases
        else:
            bases = generated_class.bases
        provider = call.providing_base
        for base in bases:
            if provider is None:
                return base
            if provider in self.context.base_and_ancestors(child_name, base):
                return base
        return ""

    @cached_property
    def _mixins(self) -> set[str]:
        """The classes that a class of the modular file lists next to other bases.

        In a method of such a class, `super()` may reach the other bases: in
        `class OlmoModel(RunMixin, Base)`, `super()` in `RunMixin` reaches `Base`.
        """
        mixins: set[str] = set()
        for definition in self.modular.definitions.classes.values():
            bases = view_definition(definition.statement).bases
            if len(bases) > 1:
                mixins.update(bases)
        return mixins

    def _check_copied_classes(self) -> Iterator[None]:
        """Check the classes that have no parent class, and are copied as they are.

        Yields:
            None after each class.
        """
        for name, definition in self.modular.definitions.classes.items():
            is_flattened = name in self.layout.flattened
            if is_flattened or name not in self.context.generated:
                continue
            class_ = view_definition(definition.statement)
            # In a class without bases, `super()` is meant to reach other classes, too.
            if _SUPER in class_.code.masked_text and class_.bases:
                if name not in self._mixins:
                    self._check_copied_class(class_)
            yield

    def _check_copied_class(self, class_: DefinitionView) -> None:
        """Report `super().f()` in a class without a parent class if no base has `f`.

        A class of another file may inherit from this class and from one that has `f`.
        So the call is an error only if `f` seems to be misspelt.
        """
        for use in find_copied_super_uses(class_):
            if use.names_another_class(class_.name):
                continue
            if not self.context.bases_lack(class_.name, use.method):
                continue
            base_members = self._members_of_bases(class_.name)
            place = use.place
            autofixes = []
            for name in nearest(use.method, base_members):
                autofixes.append(fixes.replace(place, f"super().{name}"))
            self.report(
                place,
                *autofixes,
                message=_UNKNOWN_METHOD_OF_BASES,
                hint=did_you_mean(use.method, base_members) or _ADVICE_TO_CALL_ANOTHER,
                is_error=bool(autofixes) and use.always_runs(None),
                class_name=class_.name,
                method=use.method,
            )

    def _report_unknown_method(self, call: _CopiedCall) -> None:
        """Report a call to a method that neither the parent class nor a base has."""
        merged_class, use = call.merged_class, call.use
        parent_members = model_class(merged_class.parent.statement).members.keys()
        base_members = self._members_of_bases(merged_class.child.name)
        known_members = {*parent_members, *base_members}
        place = use.place
        autofixes = []
        for name in nearest(use.method, known_members):
            if name in base_members:
                autofixes.append(fixes.replace(place, f"super().{name}"))
            # A `super()` call to a member of the parent class would be copied, too.
            elif name not in merged_class.overridden_names:
                autofixes.append(fixes.replace(place, f"self.{name}"))
        suggestion = did_you_mean(use.method, known_members)
        self.report(
            place,
            *autofixes,
            related=merged_class.parent.header,
            message=_UNKNOWN_METHOD,
            hint=suggestion or _ADVICE_TO_CALL_ANOTHER,
            is_error=call.fails,
            method=use.method,
            merged_class=merged_class,
        )

    def _members_of_bases(self, class_name: str) -> set[str]:
        """Return the members of the bases of a generated class, without private ones."""
        names: set[str] = set()
        for ancestor in self.context.ancestors_of(class_name):
            names.update(self.context.resolver.members(ancestor.meaning) or ())
        return {name for name in names if not name.startswith("_")}


def _sets_all_attributes(
    override: DefinitionView, parent_init: DefinitionView | None
) -> bool:
    """Return whether an override assigns each `self.x` that the parent's `__init__` sets.

    Then nothing is missing although the parent's method is skipped. The result is False
    if there is no parent's method.
    """
    if parent_init is None:
        return False
    assignments = assignments_by_target(override.body.statements)
    for attribute in attributes_set_by(model_function(parent_init.statement)):
        target = f"self.{attribute}"
        assignment = assignments.get(target)
        if assignment is None:
            return False
        # `self.size = 2 * self.size` needs the value that the parent's method sets.
        if target in names_read_by(assignment):
            return False
    return True


def _advise_against_copied_call(merged_class: MergedClass, use: SuperMember) -> str:
    """Return a hint that says what to write instead of a copied `super().f`.

    The generated class repeats it, and so misses the parent's `f`. The name `f` is filled
    in for `{method}` when the finding is reported.
    """
    # `super().size` reads an attribute. Only calls to methods are replaced.
    if use.method in merged_class.inherited_attributes:
        if use.method in merged_class.overridden_names:
            return "write out the value"
        return "read `self.{method}`, or write out the value"
    # `super().width` reads a property.
    method = merged_class.inherited.get(use.method)
    if method is not None and _PROPERTY in method.decorators.masked_text:
        return "write out what the parent's `{method}` returns"
    # `super().reset()` in the override of `forward`, where only `super().forward()` is replaced.
    if use.method != use.override.name:
        return "write out what the parent's `{method}` does, or call `self.{method}(...)` if this class has it"
    # Only `super().forward()` without `await` is replaced.
    if use.use.result is Usage.AWAITED:
        return "write out what the parent's `{method}` does"
    # The override contains `super().forward()` twice.
    if use.is_second:
        return "only the first such call is replaced by the parent's code: write out what the second should do"
    # `x = super().forward(x)` is a part of a larger statement.
    return "write `super().{method}(...)` or `return super().{method}(...)` as a statement of its own, outside any block"


_ADVICE_TO_NAME_THE_BASE = (
    "; to call the base class instead, write `{base}.{method}(self, ...)`"
)


_ALL_PARENT_PARAMETERS = "super_kwargs"


class DroppedArgument(LintRule):
    """An argument of a `super()` call is lost.

    In the generated method, the argument that you pass to the `super()` call has no
    effect. modular replaces the call with the body of the parent's method. This body
    reads the parameters of your method by their names, and does not get the arguments
    that you pass. In the example, the parent's code reads `x` and not `2 * x`. For the
    same reason, modular reports a call that swaps two parameters.

    Assign the value to the parameter above the `super()` call, as in `x = 2 * x`.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            return super().forward(2 * x)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:6:32: argument `2 * x` is dropped: `super().forward()` is replaced by the parent's code, which reads `x` directly
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

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            doubled = 2 * x
            x = doubled
            return super().forward(x=doubled)
    ```
    """

    code = Problem.DROPPED_ARGUMENT
    precision = Precision(findings=3, real=3)
    message = "argument `{value}` is dropped: `super().{method}()` is replaced by the parent's code, which reads `{name}` directly"

    def check_class(self, merged_class: MergedClass) -> None:
        """Report arguments that are lost when the parent's body replaces a call to `super()`.

        The body that replaces `super().forward(2 * x)` reads the variable `x`, so `2 * x`
        is lost.
        """
        for body in merged_class.merges.values():
            # A call that also lacks a parameter is reported by `UndefinedName`.
            if SuperCall(merged_class.child.name, body.key) not in self._reported_calls:
                for argument, parameter in _find_dropped_arguments(body):
                    self._report_argument(body, argument, parameter)

    @cached_property
    def _reported_calls(self) -> Collection[SuperCall]:
        """The calls about which `UndefinedName` says that a parameter is missing."""
        return find_missing_parameters(self.context).keys()

    def _report_argument(
        self, body: MethodMerge, argument: cst.Arg, parameter: str
    ) -> None:
        """Report a dropped argument.

        For `super().forward(2 * x)`, the fix writes `x = 2 * x` above the call. There is
        no fix in these cases:

        - The argument is `*values`, which has the values of several parameters.
        - The argument goes into the parent's `*args`, which may get several arguments.
        - Other code of the method reads `x`, and would get the new value, too.

        If the argument is a misspelt parameter, as in `super().forward(xx)`, the fix
        corrects it.

        Args:
            body: The method with the call.
            argument: The argument.
            parameter: The parameter of the parent's method that would get it, without stars.
        """
        syntax = Syntax(body.super_call.bare_code, statement_tree(body.super_call))
        value = node_text(argument.value)
        autofixes = []
        hint = "set `{name}` above the call"
        # The names in `parameters` have stars: `*args` is among them, and `args` is not.
        goes_into_one_parameter = parameter in body.parent.parameters
        spelling = self._find_spelling(body, argument)
        if spelling:
            hint = f"did you mean `{spelling}`?"
            place = syntax.place(argument.value)
            autofixes.append(fixes.replace(place, spelling))
        elif is_read_elsewhere(body.super_call, argument, parameter, body.override):
            hint = "copy the code of the parent's `{method}`, which reads `{name}`, and change it"
        elif goes_into_one_parameter and not argument.star:
            hint = "write `{name} = {value}` above the call"
            if "\n" not in value:
                autofixes.append(assign_above(body.super_call, argument, parameter))
        self.report(
            syntax.place(argument.value),
            *autofixes,
            related=body.parent.header,
            hint=hint,
            value=value,
            method=body.override.name,
            name=parameter,
        )

    def _find_spelling(self, body: MethodMerge, argument: cst.Arg) -> str:
        """Return the parameter that a misspelt argument means.

        In `def forward(self, config)`, `super().forward(confg)` means `config`.

        Args:
            body: The method with the call.
            argument: An argument of the call.

        Returns:
            Empty if the argument is no name, is defined, or resembles no parameter.
        """
        name = normalized_text(argument.value)
        if not name.isidentifier():
            return ""
        known_names = self.modular.definitions.by_name().keys() | vars(builtins).keys()
        for import_ in self.modular.module.imports:
            known_names |= {alias.bound for alias in import_.names}
        known_names |= body.override.parameter_names
        if name in known_names:
            return ""
        # A statement above the call may assign the variable.
        if any(name in statement.words for statement in body.statements_above_call):
            return ""
        close_names = nearest(name, body.override.parameter_names)
        return close_names[0] if close_names else ""


def _find_dropped_arguments(body: MethodMerge) -> Iterator[tuple[cst.Arg, str]]:
    """Yield the arguments whose values are lost when the parent's body replaces a call.

    The parent's body is written in place of `super().forward(2 * x)` and reads the
    variable `x`. Nothing sets `x` to `2 * x`, so this value is lost.

    Yields:
        The argument `2 * x`, and the parameter `x` that Python would bind it to.
    """
    parent_words: set[str] = set()
    for statement in body.kept_parent_statements:
        parent_words |= statement.words
    bound_arguments = list(
        bind_arguments(call_of_statement(body.super_call), body.parent)
    )
    passed_parameters = {parameter for _, parameter in bound_arguments}
    for argument, parameter in bound_arguments:
        # The generated method does not need a parameter that the body does not mention.
        if parameter is None or parameter not in parent_words:
            continue
        # For `super().forward(x)`, the body reads the same variable `x`.
        if _is_read_by_name(argument, parameter, body.parent, passed_parameters):
            continue
        # With `x = 2 * y` above `super().forward(2 * y)`, the variable has the value.
        if not is_assigned_above(argument, parameter, body.statements_above_call):
            yield argument, parameter


def _is_read_by_name(
    argument: cst.Arg,
    parameter: str,
    method: DefinitionView,
    passed_parameters: Set[str | None],
) -> bool:
    """Return whether the parent's body reads an argument of the call that it replaces.

    The body reads variables with the names of the parameters of its method. For a method
    `forward(self, x, y)`, it reads the arguments of these calls:

    - `super().forward(x)` and `super().forward(x=x)`
    - `super().forward(y)`, although Python would bind `y` to `x`. But if the call also
      passes a value for `y`, as `super().forward(y, x)` does, the author wants other
      values
    - `super().forward(**super_kwargs)`, which passes all the parent's parameters

    Args:
        argument: An argument of a call to `super()`.
        parameter: The parameter of the parent's method that Python would bind it to.
        method: The parent's method.
        passed_parameters: The parameters of this method that the call passes.
    """
    value = normalized_text(argument.value)
    if value in (parameter, _ALL_PARENT_PARAMETERS):
        return True
    # That `super().forward(y)` passes `y` is a documented transformation.
    is_positional = argument.keyword is None and not argument.star
    is_other_parameter = value in method.parameter_names - passed_parameters
    return is_positional and is_other_parameter


class UnreachableAfterSuper(LintRule):
    """A statement below a `super()` call is never reached.

    In the generated method, the statement never runs. modular replaces the `super()`
    call with the body of the parent's method. If this body ends with a `return` or
    `raise`, the generated method ends there, too.

    Copy the parent's method into your class under another name, and call the copy. If
    your call is `return super().forward(x)`, the statement below it does not run in
    Python either. In this case, write the statement above the call.

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
    models/olmo/modular_olmo.py:7:9: this code is never reached: the parent's code, which replaces the call above, ends with `return self.up_proj(x)`
    hint: copy the parent's `forward` into this class under another name, and call that
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def _llama_mlp_forward(self, x):
            return self.up_proj(x)

        def forward(self, x):
            self._llama_mlp_forward(x)
            self.calls = 1
    ```
    """

    code = Problem.UNREACHABLE_AFTER_SUPER
    message = "this code is never reached: the parent's code, which replaces the call above, ends with `{end}`"
    hint = (
        "copy the parent's `{method}` into this class under another name, and call that"
    )
    _HINT_IF_RETURNED = "move it above the call"

    def check_class(self, merged_class: MergedClass) -> None:
        """Report the child's first statement below the parent's final `return` or `raise`.

        The child has `super().f()` and then `self.x = 2`. If the parent's body is
        `return 1`, the generated method is `return 1` and then `self.x = 2`, which never
        runs. The fix copies the parent's method, and calls the copy. There is none below
        `return super().f()`, where Python does not run the statement either.
        """
        for body in merged_class.merges.values():
            unreachable = find_unreachable_code(body)
            if unreachable is None:
                continue
            autofixes: list[Fix] = []
            hint = self._HINT_IF_RETURNED
            if not body.returns_call:
                autofixes += self._write_out(merged_class, body)
                hint = self.hint
            self.report(
                unreachable.statements[0].bare_code,
                *autofixes,
                related=unreachable.parent_end.bare_code,
                hint=hint,
                method=body.override.name,
                end=node_text(unreachable.final_line),
            )

    def _write_out(self, merged_class: MergedClass, body: MethodMerge) -> Iterator[Fix]:
        """Yield the fix that copies the parent's method, and calls the copy."""
        for use in find_super_uses(merged_class):
            if use.override is body.override and use.is_replaced:
                replace_use = partial(fixes.replace, use.place)
                yield from write_out_parent_method(
                    merged_class, body.override, use.method, replace_use
                )
