"""Rules about inherited code that calls what the modular file replaces."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from modular.flatten.merged_class import MergedClass
from modular.lint.context import LintContext
from modular.lint.rule import LintRule, Precision
from modular.rules.classes import raising_override
from modular.rules.classes.super_kwargs import SUPER_KWARGS
from modular.semantics.ancestors import CALLED_METHODS
from modular.semantics.facts import Call, CodeFacts, Usage
from modular.semantics.functions import (
    FunctionKind,
    FunctionModel,
    model_function,
)
from modular.semantics.statements import count_returned_values, facts_of
from modular.source.blocks import Statement, split
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.diagnostics import Place, Problem
from modular.source.parameters import ParameterKind
from modular.source.places import place_of_word, place_of_word_on_line


_INIT = "__init__"

_USAGES_AS_VALUE = frozenset(
    {Usage.PASSED, Usage.STORED, Usage.ALIASED, Usage.RETURNED}
)
"""Uses of a function that do not call it."""

_KIND_DECORATORS = frozenset({"classmethod", "staticmethod"})
"""Decorators that keep the parameters of a method."""


class InheritedCallMismatch(LintRule):
    """Inherited code calls a function in a way that its new definition does not allow.

    The inherited code fails when it runs. Your function or method replaces one of the
    parent's, but has different parameters. The inherited code still calls it with
    arguments for the parent's parameters. In the example, the `__init__` of `OlmoMLP`
    has a new parameter `layer_idx`, but the inherited `__init__` of `OlmoModel` still
    calls `OlmoMLP(config)`.

    modular also reports an override that returns more or fewer values than the
    inherited code unpacks from the result.

    Give a new parameter a default value, and do not rename or remove a parameter that
    the inherited code uses. Return as many values as the parent's method. Or override
    the code that calls the function.

    Given `models/siglip/modeling_siglip.py`:

    ```python
    from torch import nn


    class SiglipMLP(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.size = config.size


    class SiglipModel(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.mlp = SiglipMLP(config)
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.modeling_siglip import SiglipMLP, SiglipModel


    class OlmoMLP(SiglipMLP):
        def __init__(self, config, layer_idx):
            super().__init__(config)
            self.layer_idx = layer_idx


    class OlmoModel(SiglipModel):
        pass
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:5:9: the inherited code of `OlmoModel` calls `OlmoMLP` without `layer_idx`
    hint: give `layer_idx` a default value, or override what calls it in `OlmoModel`
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.modeling_siglip import SiglipMLP, SiglipModel


    class OlmoMLP(SiglipMLP):
        def __init__(self, config, layer_idx=None):
            super().__init__(config)
            self.layer_idx = layer_idx


    class OlmoModel(SiglipModel):
        pass
    ```

    Given `models/bert/modeling_bert.py`:

    ```python
    def rotate(x, size=2):
        return [x, size]


    class BertModel:
        def forward(self, x):
            return rotate(x, size=4)
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..bert.modeling_bert import BertModel


    def rotate(x, width=2):
        return [width, x]


    class OlmoModel(BertModel):
        pass
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:4:5: the inherited code of `OlmoModel` calls `rotate` with `size`, which is not a parameter of it
    hint: name one of its parameters `size`, or override what calls it in `OlmoModel`
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..bert.modeling_bert import BertModel


    def rotate(x, size=2):
        return [size, x]


    class OlmoModel(BertModel):
        pass
    ```

    Given `models/siglip/modeling_siglip.py`:

    ```python
    class SiglipModel:
        def split(self, x):
            return x, 1

        def forward(self, x):
            first, second = self.split(x)
            return [first, second]
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.modeling_siglip import SiglipModel


    class OlmoModel(SiglipModel):
        def split(self, x):
            return x, 1, 2
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:5:9: `split` returns 3 values, but the inherited code of `OlmoModel` unpacks 2
    hint: return 2 values, or override what calls it in `OlmoModel`
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.modeling_siglip import SiglipModel


    class OlmoModel(SiglipModel):
        def split(self, x):
            return x, 2
    ```
    """

    code = Problem.INHERITED_CALL_MISMATCH
    precision = Precision(findings=1, real=1)
    message = "the inherited code of `{caller}` calls `{called}` {mismatch}"
    hint = "{advice}, or override what calls it in `{caller}`"

    def check(self) -> None:
        """Report functions and methods that refuse the arguments of an inherited call.

        The modular file defines `def rotate(x, width)` in place of the parent file's
        `def rotate(x)`. The code that comes from the parent file still calls
        `rotate(x)`.
        """
        for name, definition in self.modular.definitions.functions.items():
            parent_function = self._find_parent_function(name)
            if parent_function is not None:
                self._check_function(
                    view_definition(definition.statement), parent_function
                )
        # The methods are checked by `check_override`.
        super().check()

    def _check_function(
        self, function: DefinitionView, parent_function: DefinitionView
    ) -> None:
        """Report a function that does not fit the inherited calls of the parent's one.

        Args:
            function: The function of the modular file.
            parent_function: The function of the parent file, which it replaces.
        """
        if _may_refuse(function, parent_function):
            calls = find_inherited_calls(self.context, function.name)
            if self._check_calls(function, calls):
                return
        model = model_function(function.statement)
        parent_model = model_function(parent_function.statement)
        is_reported = False
        if model.is_async and not parent_model.is_async:
            is_reported = self._report_kind(
                function, "without `await`", fitting_usage=Usage.AWAITED
            )
        elif parent_model.is_async and not model.is_async:
            is_reported = self._report_kind(function, "with `await`")
        elif model.is_generator and not parent_model.is_generator:
            is_reported = self._report_kind(
                function, "and expects no generator", fitting_usage=Usage.ITERATED
            )
        if is_reported:
            return
        if model.is_async != parent_model.is_async:
            self._check_values(
                function, "and only one of it and the parent's is `async`"
            )
        elif _accepts_no_common_call(model, parent_model):
            self._check_values(
                function, "which accepts no call that the parent's function accepts"
            )

    def _report_kind(
        self,
        function: DefinitionView,
        mismatch: str,
        fitting_usage: Usage | None = None,
    ) -> bool:
        """Report a function of another kind than the parent's: only one is `async`, say.

        The finding names the first inherited call that does not fit. If all calls fit,
        nothing is reported.

        Args:
            function: The function of the modular file.
            mismatch: How inherited code calls it, for the message.
            fitting_usage: What a call that fits does with the result: for an `async`
                function, it awaits the result. None if no call fits.

        Returns:
            Whether it is reported.
        """
        for call in find_inherited_calls(self.context, function.name):
            if call.call.result is fitting_usage:
                continue
            self.report(
                place_of_word(function.header, function.name),
                related=call.place,
                caller=call.caller,
                called=function.name,
                mismatch=mismatch,
                advice="write it like the function of the parent file",
            )
            return True
        return False

    def _check_values(self, function: DefinitionView, mismatch: str) -> None:
        """Report a function that inherited code passes on, as in `map(rotate, items)`.

        Args:
            function: The function of the modular file.
            mismatch: Why it does not fit, for the message.
        """
        name = function.name
        for caller, statement in _find_inherited(self.context, name):
            for mention in facts_of(statement).mentions_of(name):
                if mention.usage not in _USAGES_AS_VALUE or mention.attributes:
                    continue
                code = statement.bare_code
                self.report(
                    place_of_word(function.header, name),
                    related=place_of_word_on_line(code, name, mention.line),
                    message="the inherited code of `{caller}` passes `{called}` on, "
                    "{mismatch}",
                    caller=caller,
                    called=name,
                    mismatch=mismatch,
                    advice="write it like the function of the parent file",
                )
                return

    def _find_parent_function(self, name: str) -> DefinitionView | None:
        """Return the first function of a parent file with a name; None if there is none."""
        for file in self.layout.parents.values():
            if name in file.definitions.functions:
                return view_definition(file.definitions.functions[name].statement)
        return None

    def check_override(
        self,
        merged_class: MergedClass,
        key: str,
        parent_method: DefinitionView,
        override: DefinitionView,
    ) -> None:
        """Report an override that inherited code calls in a way that it does not accept.

        - `OlmoMLP(x)`, in the inherited code of any class, calls `OlmoMLP.__init__`, and so
          does `LAYERS[kind](x)` with `LAYERS = {"mlp": OlmoMLP}`.
        - `self.embed(x)`, in the inherited code of `OlmoMLP`, calls `OlmoMLP.embed`.
        - `self.mlp(x)`, in the inherited code of `OlmoLayer`, calls `OlmoMLP.forward`,
          and so does `mlp(x)` in a loop over `self.mlps`.
        """
        # Setters and overloads, with keys such as `size.setter`, are not checked.
        if key != override.name:
            return
        self._check_returned_values(merged_class, parent_method, override)
        if not _may_refuse(override, parent_method):
            return
        class_name = merged_class.child.name
        calls: Iterable[InheritedCall]
        if key == _INIT:
            calls = chain(
                find_inherited_calls(self.context, class_name),
                _find_calls_through_tables(self.context, class_name),
            )
        else:
            calls = find_calls_of_method(self.context, class_name, key)
        if override.decorators.text:
            # A class method or static method is also called as `OlmoMLP.embed(x)`.
            calls_of_class = find_inherited_calls(self.context, f"{class_name}.{key}")
            calls = chain(calls, calls_of_class)
        kind = model_function(override.statement).kind
        is_method = kind is not FunctionKind.STATIC_METHOD
        self._check_calls(override, calls, is_method=is_method)

    def _check_returned_values(
        self,
        merged_class: MergedClass,
        parent_method: DefinitionView,
        override: DefinitionView,
    ) -> None:
        """Report a method that never returns as many values as its callers unpack.

        The override of `split` returns `a, b, c`, but code that comes from the parent
        file contains `x, y = self.split(z)`.
        """
        returned_counts = count_returned_values(override.body.statements)
        if not returned_counts:
            return
        # The callers can unpack as many values as the parent's method returns.
        if returned_counts == count_returned_values(parent_method.body.statements):
            return
        for call in find_calls_of_method(
            self.context, merged_class.child.name, override.name
        ):
            unpacked = call.call.item_count
            if unpacked is not None and unpacked not in returned_counts:
                self.report(
                    place_of_word(override.header, override.name),
                    related=call.place,
                    message="`{method}` returns {returned} values, but the inherited code "
                    "of `{caller}` unpacks {unpacked}",
                    hint="return {unpacked} values, or override what calls it in `{caller}`",
                    method=override.name,
                    returned=max(returned_counts),
                    caller=call.caller,
                    unpacked=unpacked,
                )
                return

    def _check_calls(
        self,
        function: DefinitionView,
        calls: Iterable["InheritedCall"],
        *,
        is_method: bool = False,
    ) -> bool:
        """Report a function if an inherited call does not fit its parameters.

        Args:
            function: The function or method of the modular file.
            calls: The calls.
            is_method: Whether Python passes its first parameter.

        Returns:
            Whether it is reported.
        """
        model = model_function(function.statement)
        for call in calls:
            mismatch = find_mismatch(call.call, model, is_method=is_method)
            if mismatch is not None:
                self.report(
                    place_of_word(function.header, function.name),
                    related=call.place,
                    caller=call.caller,
                    called=call.called,
                    mismatch=mismatch.description,
                    advice=mismatch.advice,
                )
                return True
        return False


def _accepts_no_common_call(first: FunctionModel, second: FunctionModel) -> bool:
    """Whether no call with positional arguments suits both of two functions.

    True for `def f(x)` and `def f(x, y)`, false for `def f(x)` and `def f(x, y=1)`.
    """
    first_counts = _count_positional(first)
    second_counts = _count_positional(second)
    if first_counts is None or second_counts is None:
        return False
    return (
        first_counts.maximum < second_counts.minimum
        or second_counts.maximum < first_counts.minimum
    )


class _PositionalCounts(NamedTuple):
    """How many positional arguments a function accepts."""

    minimum: int
    maximum: int


def _count_positional(function: FunctionModel) -> _PositionalCounts | None:
    """Return how many positional arguments a function accepts.

    For `def f(x, y=1)`, the result is a minimum of 1 and a maximum of 2.

    Returns:
        None if the number has no maximum, or is uncertain because of a decorator.
    """
    if function.decorators:
        return None
    kinds = {parameter.kind for parameter in function.parameters}
    if ParameterKind.VAR_POSITIONAL in kinds:
        return None
    positional = [item for item in function.parameters if item.takes_position]
    required_count = sum(parameter.is_required for parameter in positional)
    return _PositionalCounts(minimum=required_count, maximum=len(positional))


def _may_refuse(function: DefinitionView, parent_function: DefinitionView) -> bool:
    """Return whether a function may refuse a call that the parent's function accepts.

    It may if it lacks a parameter of the parent's function, or requires an argument that
    the parent's function does not require.

    Args:
        function: The function or method of the modular file.
        parent_function: The function of the parent file that it replaces.
    """
    if function.header.masked_text == parent_function.header.masked_text:
        return False
    # A decorator may change the parameters.
    if function.decorators.words() - _KIND_DECORATORS:
        return False
    if function.decorators.words() != parent_function.decorators.words():
        return False
    # modular replaces the parameter `**super_kwargs` with the parameters of the parent's
    # method, so the generated method accepts the same calls.
    if SUPER_KWARGS in function.header.masked_text:
        return False
    # A method that only raises is written to remove the parent's method.
    if raising_override.only_raises(function):
        return False
    parameters = model_function(function.statement).parameters
    parent_parameters = model_function(parent_function.statement).parameters
    names = {parameter.name for parameter in parameters}
    required = {item.name for item in parameters if item.is_required}
    parent_names = {parameter.name for parameter in parent_parameters}
    parent_required = {item.name for item in parent_parameters if item.is_required}
    lacks_parameter = not parent_names <= names
    requires_more = not required <= parent_required
    return lacks_parameter or requires_more


class InheritedCall(NamedTuple):
    """A call in code that comes from a parent file, or depends on one.

    Attributes:
        caller: The definition that contains it.
        call: The call.
        statement: The statement of a function that contains it.
        called: The function that is called.
    """

    caller: str
    call: Call
    statement: Statement
    called: str

    @property
    def place(self) -> Place:
        """Its place in the file of the code."""
        function = self.call.function or self.call.table
        word = function.partition(".")[0]
        return place_of_word_on_line(self.statement.bare_code, word, self.call.line)


def find_inherited_calls(
    context: LintContext, called: str, only_caller: str = ""
) -> Iterator[InheritedCall]:
    """Yield the calls to a function in generated code that comes from parent files.

    Args:
        context: The modular file and what was generated from it.
        called: The function as it is called, such as `rotate` or `self.embed`.
        only_caller: The only class or function that is searched; empty for all.
    """
    for caller, statement in _find_inherited(context, f"{called}(", only_caller):
        for call in facts_of(statement).calls:
            if call.function == called:
                yield InheritedCall(caller, call, statement, called)


def _find_calls_through_tables(
    context: LintContext, class_name: str
) -> Iterator[InheritedCall]:
    """Yield inherited calls that take their class from a table of the generated file.

    After `LAYERS = {"mlp": OlmoMLP}`, the call `LAYERS[kind](config)` may create an
    `OlmoMLP`.

    Args:
        context: The modular file and what was generated from it.
        class_name: The class.
    """
    for table in context.find_tables_with(class_name):
        for caller, statement in _find_inherited(context, f"{table}["):
            for call in facts_of(statement).calls:
                if call.table == table:
                    yield InheritedCall(caller, call, statement, class_name)


def find_calls_of_method(
    context: LintContext, class_name: str, method: str
) -> Iterator[InheritedCall]:
    """Yield the calls to a method in generated code that comes from parent files.

    Args:
        context: The modular file and what was generated from it.
        class_name: The class of the method.
        method: The method.
    """
    # Calls in the class itself: `self.embed(x)`.
    yield from find_inherited_calls(context, f"self.{method}", class_name)
    # Calls in a class that sets `self.mlp = OlmoMLP(config)`: `self.mlp.embed(x)`.
    objects = context.find_attributes_set_to(class_name)
    for attribute, owner in dict.fromkeys(objects):
        for called in _forms_of_call(f"self.{attribute}", method):
            yield from find_inherited_calls(context, called, owner)
    # Calls in a loop such as `for mlp in self.mlps: mlp.embed(x)`.
    for attribute, owner in dict.fromkeys(_find_lists_of(context, class_name)):
        yield from _find_calls_in_loops(context, owner, attribute, method)


def _find_calls_in_loops(
    context: LintContext, owner: str, attribute: str, method: str
) -> Iterator[InheritedCall]:
    """Yield inherited calls of a method in loops, as in `for mlp in self.mlps: mlp.embed(x)`.

    Args:
        context: The modular file and what was generated from it.
        owner: The class that contains the loop.
        attribute: The attribute with the objects, `mlps`.
        method: The method, `embed`.
    """
    for caller, statement in _find_inherited(context, f"self.{attribute}", owner):
        facts = facts_of(statement)
        forms: list[str] = []
        for variable in _find_loop_variables(facts, attribute):
            forms += _forms_of_call(variable, method)
        for call in facts.calls:
            if call.function in forms:
                yield InheritedCall(caller, call, statement, call.function)


def _forms_of_call(instance: str, method: str) -> list[str]:
    """Return the forms in which code calls a method of an object.

    For `mlp` and `forward`, return `mlp.forward` and `mlp`, as in `mlp(x)`.
    """
    forms = [f"{instance}.{method}"]
    if method in CALLED_METHODS:
        forms.append(instance)
    return forms


def _find_lists_of(context: LintContext, class_name: str) -> Iterator[tuple[str, str]]:
    """Yield the attributes that hold several objects of a class, and their owners.

    After `self.mlps = nn.ModuleList([OlmoMLP(config) for _ in range(2)])` in
    `OlmoModel`, yield `mlps` and `OlmoModel`.
    """
    for owner, statement in _find_inherited(context, f"{class_name}("):
        facts = facts_of(statement)
        for call in facts.calls:
            # The object is stored in a list, or the like.
            if call.function != class_name or call.result is not Usage.STORED:
                continue
            for name in facts.changed_names:
                attribute = name.removeprefix("self.")
                is_of_self = attribute != name
                if is_of_self and attribute.isidentifier():
                    yield attribute, owner


def _find_loop_variables(facts: CodeFacts, attribute: str) -> Iterator[str]:
    """Yield the variables of loops over an attribute: `mlp` in `for mlp in self.mlps`.

    A loop over `enumerate(self.mlps)` or `reversed(self.mlps)` counts, too.

    Args:
        facts: The names in a statement, those of a loop's iterable before its
            variables.
        attribute: The attribute, `mlps`.
    """
    is_over_attribute = False
    variable = ""
    for mention in facts.mentions:
        if mention.usage is Usage.LOOP_TARGET:
            # Of `for index, mlp in enumerate(self.mlps)`, the last variable is the object.
            if is_over_attribute:
                variable = mention.name
            continue
        # The variables of the loop end here.
        if variable:
            yield variable
            variable = ""
        if mention.dotted_name == f"self.{attribute}":
            is_over_attribute = mention.passed_to in ("", "enumerate", "reversed")
        elif mention.name not in ("enumerate", "reversed"):
            is_over_attribute = False
    if variable:
        yield variable


def _find_inherited(
    context: LintContext, text: str, only_caller: str = ""
) -> Iterator[tuple[str, Statement]]:
    """Yield the generated statements from parent files that contain some text.

    Args:
        context: The modular file and what was generated from it.
        text: The text.
        only_caller: The only class or function that is searched; empty for all.

    Yields:
        The name of the generated definition, and the statement.
    """
    for definition in context.generated.values():
        if only_caller not in ("", definition.name):
            continue
        for run in definition.parts:
            # What the author wrote in the modular file is not inherited.
            if text not in run.code.masked_text or context.is_from_modular(run.code):
                continue
            for statement in find_statements(split(run.code).statements, text):
                yield definition.name, statement


class Reading(NamedTuple):
    """A read of an attribute of an object.

    Attributes:
        owner: The generated class whose code reads it.
        name: Its dotted name in the code, such as `self.mlp.size`.
        place: The place of the read.
    """

    owner: str
    name: str
    place: Place


def find_reading(
    context: LintContext, class_name: str, attribute: str
) -> Reading | None:
    """Return where inherited code of another class reads an attribute of a class.

    For `OlmoMLP` and `size`, it reads `self.mlp.size` after `self.mlp = OlmoMLP(config)`,
    or `mlp.size` in `for mlp in self.mlps`.

    Args:
        context: The modular file and what was generated from it.
        class_name: The generated class that has the attribute.
        attribute: The attribute.

    Returns:
        The first read; None if no code reads the attribute.
    """
    for owned, owner in context.memoized(_find_holders, class_name):
        holder = f"self.{owned}"
        for statements in _find_inherited_bodies(context, holder, owner):
            # The names of the object, or of a list of such objects. Each statement may add
            # a variable.
            holders = {holder}
            for statement in statements:
                mention = _find_reading_by_holder(statement, holders, attribute)
                if mention is not None:
                    return Reading(owner, *mention)
    return None


def _find_holders(context: LintContext, class_name: str) -> Iterable[tuple[str, str]]:
    """Return the attributes that hold objects of a class, and their owners."""
    holders = [
        *context.find_attributes_set_to(class_name),
        *_find_lists_of(context, class_name),
    ]
    return dict.fromkeys(holders)


def _find_inherited_bodies(
    context: LintContext, text: str, owner: str
) -> Iterator[Sequence[Statement]]:
    """Yield the bodies of a generated class and its methods with code from parent files.

    Args:
        context: The modular file and what was generated from it.
        text: The text that a body must contain.
        owner: The generated class.

    Yields:
        The statements of a body, without inner classes and functions.
    """
    for run in context.generated[owner].parts:
        if text not in run.code.masked_text or context.is_from_modular(run.code):
            continue
        # The bodies of methods are added while the list is read.
        bodies = [split(run.code).statements]
        for body in bodies:
            statements = []
            for statement in body:
                if not statement.is_definition:
                    statements.append(statement)
                elif text in statement.code.masked_text:
                    bodies.append(view_definition(statement).body.statements)
            yield statements


_ITEM_FUNCTIONS = ("enumerate", "reversed", "zip")
"""Functions over whose results loops get the items of their arguments."""


def _find_reading_by_holder(
    statement: Statement, holders: set[str], attribute: str
) -> tuple[str, Place] | None:
    """Return the first read of an attribute of an object in a statement.

    The result is the dotted name of the attribute, and the place of the read.

    Args:
        statement: The statement.
        holders: The names of the object, or of a list of such objects. Variables that
            the statement sets to one of them, as `mlp = self.mlp` does, are added.
        attribute: The attribute.
    """
    facts = facts_of(statement)
    # How the code above the next variable uses the object, if that may be its value.
    usage: Usage | None = None
    for mention in facts.mentions:
        if mention.usage in _USAGES_THAT_SET:
            # In `x = self.mlps[0](x)`, the value is the result of a call.
            is_loop = mention.usage is Usage.LOOP_TARGET
            is_result = usage is Usage.SUBSCRIPTED and bool(facts.calls) and not is_loop
            if usage is not None and not is_result:
                holders.add(mention.dotted_name)
            else:
                holders.discard(mention.dotted_name)
            continue
        name = mention.dotted_name
        for holder in holders:
            read_name = f"{holder}.{attribute}"
            # `self.mlp.size.bit_length` reads `self.mlp.size`, too.
            is_read = f"{name}.".startswith(f"{read_name}.")
            # These are `[mlp.size for mlp in self.mlps]` and `self.mlps[0].size`
            if name == holder and mention.usage is Usage.ITERATED:
                is_read = attribute in facts.nested_attributes
            if name == holder and mention.usage is Usage.SUBSCRIPTED:
                is_read = attribute in facts.unnamed_attributes
            if is_read and mention.reads:
                code = statement.bare_code
                place = place_of_word_on_line(code, name, mention.line)
                return read_name, place
        # In `zip(self.mlps, range(2))`, neither the function nor the second list counts.
        is_item = mention.passed_to in _ITEM_FUNCTIONS
        if name in holders:
            is_value = mention.usage in _USAGES_OF_VALUES or is_item
            usage = mention.usage if is_value else None
        elif mention.usage is not Usage.CALLED and not is_item:
            usage = None
    return None


_USAGES_THAT_SET = frozenset(
    {Usage.ASSIGNED, Usage.ANNOTATED, Usage.WALRUS, Usage.LOOP_TARGET}
)
"""Usages after which a variable has the value that the code has just named."""

_USAGES_OF_VALUES = frozenset({Usage.ALIASED, Usage.ITERATED, Usage.SUBSCRIPTED})
"""Usages of an object, or of a list of which the code uses an item."""


def find_statements(statements: Sequence[Statement], text: str) -> Iterator[Statement]:
    """Yield the statements that contain some text.

    Of a function or class with the text, the statements of its body are yielded
    instead.
    """
    for statement in statements:
        if text not in statement.code.masked_text:
            continue
        if statement.is_definition:
            yield from find_statements(view_definition(statement).body.statements, text)
        else:
            yield statement


class Mismatch(NamedTuple):
    """Why a call does not suit the parameters of a function, and how to change the function."""

    description: str
    advice: str


def find_mismatch(
    call: Call, function: FunctionModel, *, is_method: bool
) -> Mismatch | None:
    """Return why Python would refuse a call to a function.

    Args:
        call: The call.
        function: The function or method.
        is_method: Whether Python passes its first parameter, `self`.

    Returns:
        None if the call fits the parameters. A call with an argument such as `*args` is
        not judged, and gives None, too.
    """
    bound = function.bind(call, is_bound=is_method)
    if bound is None or any(argument.stars for argument in call.arguments):
        return None
    # A keyword that is no parameter.
    for argument in bound.rejected:
        if argument.keyword:
            return Mismatch(
                description=f"with `{argument.keyword}`, which is not a parameter of it",
                advice=f"name one of its parameters `{argument.keyword}`",
            )
    # A required parameter without an argument.
    if bound.missing:
        name = bound.missing[0]
        return Mismatch(
            description=f"without `{name}`",
            advice=f"give `{name}` a default value",
        )
    # Too many positional arguments.
    if bound.rejected:
        count = sum(not argument.keyword for argument in call.arguments)
        return Mismatch(
            description=f"with {count} positional arguments, but it takes "
            f"{count - len(bound.rejected)}",
            advice="keep the parameters",
        )
    return None
