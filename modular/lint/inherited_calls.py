"""Rules about inherited code that calls what the modular file replaces."""

from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from modular.flatten.flattened import Flattened
from modular.lint.merged_flow import find_returns
from modular.lint.rule import LintRule, Precision, Syntax
from modular.rules.classes import raising_override
from modular.source.blocks import Statement, split
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.diagnostics import Place, Problem
from modular.source.places import place_of_word
from modular.source.trees import dotted_name


_CALLED_METHODS = ("__call__", "forward")
"""Methods that run if an object itself is called."""

_INIT = "__init__"
_SUPER_KWARGS = "**super_kwargs"


class InheritedCallMismatch(LintRule):
    """Inherited code calls a function with arguments that it no longer accepts.

    The modular file replaces a method or function by one with other parameters.
    Inherited code still calls it with the old arguments. The call fails if a required
    argument is missing, or if an argument no longer exists.

    Give the new parameter a default value, or keep the old name of the parameter. You
    can also override the code that calls the function.

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
    models/olmo/modular_olmo.py:4:5: the inherited code of `OlmoModel` calls `rotate` with `size`, which is no parameter of it
    hint: call a parameter `size`, or override what calls it in `OlmoModel`
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..bert.modeling_bert import BertModel


    def rotate(x, size=2):
        return [size, x]


    class OlmoModel(BertModel):
        pass
    ```
    """

    code = Problem.INHERITED_CALL_MISMATCH
    precision = Precision(findings=1, real=1)
    message = "the inherited code of `{caller}` calls `{called}` {mismatch}"
    hint = "{advice}, or override what calls it in `{caller}`"

    def check(self) -> None:
        """Report functions and methods that refuse the arguments of an inherited call.

        The modular file defines `def rotate(x, width)` in place of the parent file's
        `def rotate(x)`. The code that comes from the parent file still calls `rotate(x)`.
        """
        for name, definition in self.modular.definitions.functions.items():
            parent_function = self._find_parent_function(name)
            if parent_function is not None:
                function = view_definition(definition.statement)
                self._check_calls(function, parent_function, name, has_self=False)
        # The methods are checked by `check_override`.
        super().check()

    def _find_parent_function(self, name: str) -> DefinitionView | None:
        """Return the first function of a parent file with a name; None if there is none."""
        for file in self.layout.parents.values():
            if name in file.definitions.functions:
                return view_definition(file.definitions.functions[name].statement)
        return None

    def check_override(
        self,
        flat: Flattened,
        key: str,
        parent_method: DefinitionView,
        override: DefinitionView,
    ) -> None:
        """Check the inherited calls that reach a method which the child class overrides.

        - `OlmoMLP(x)`, in the inherited code of any class, calls `OlmoMLP.__init__`.
        - `self.embed(x)`, in the inherited code of `OlmoMLP`, calls `OlmoMLP.embed`.
        - `self.mlp(x)`, in the inherited code of `OlmoLayer`, calls `OlmoMLP.forward`.
        - Setters and overloads, with keys such as `size.setter`, are not checked.
        """
        class_name = flat.child.name
        if key == _INIT:
            self._check_calls(override, parent_method, class_name, has_self=True)
        elif key == override.name:
            self._check_calls(
                override,
                parent_method,
                called=f"self.{key}",
                has_self=True,
                only_caller=class_name,
            )
            self._check_calls_of_objects(override, parent_method, class_name)

    def _check_calls_of_objects(
        self, override: DefinitionView, parent_method: DefinitionView, class_name: str
    ) -> None:
        """Check the inherited calls of a method of objects that other classes have made.

        The inherited code of `OlmoLayer` has `self.mlp = OlmoMLP(config)`, and calls
        `self.mlp(x)`, which is a call of `OlmoMLP.forward`.
        """
        if override.header.mask == parent_method.header.mask:
            return
        name = override.name
        owners = self.context.find_attributes_set_to(class_name)
        for attribute, owner in dict.fromkeys(owners):
            called = f"self.{attribute}.{name}"
            if name in _CALLED_METHODS:
                called = f"self.{attribute}"
            self._check_calls(
                override, parent_method, called, has_self=True, only_caller=owner
            )

    def _check_calls(
        self,
        function: DefinitionView,
        parent_function: DefinitionView,
        called: str,
        has_self: bool,
        only_caller: str = "",
    ) -> None:
        """Report a function if a call in inherited code does not fit its parameters.

        Args:
            function: The function or method of the modular file.
            parent_function: The function or method of the parent file that it replaces.
            called: The text by which it is called, such as `self.embed`.
            has_self: Whether its first parameter is bound by Python.
            only_caller: The only class whose calls count; empty for all definitions.
        """
        if function.header.mask == parent_function.header.mask:
            return
        if not _may_refuse(function, parent_function):
            return
        # A decorator may change the parameters.
        if function.decorators.text or parent_function.decorators.text:
            return
        # A method that only raises is written to remove the parent's method.
        if raising_override.only_raises(function):
            return
        for call in find_inherited_calls(self, called, only_caller):
            mismatch = find_mismatch(call.node, function, has_self)
            if mismatch is not None:
                self.report(
                    place_of_word(function.header, function.name),
                    related=call.place,
                    caller=call.caller,
                    called=called,
                    mismatch=mismatch.description,
                    advice=mismatch.advice,
                )
                return


def _may_refuse(function: DefinitionView, parent_function: DefinitionView) -> bool:
    """Whether a function may refuse a call that the replaced function accepts.

    The function lacks a parameter of the replaced function, or it requires an argument
    that the replaced function does not require.
    """
    parameters = _read_parameters(function)
    # modular replaces the parameter `**super_kwargs` by the parameters of the parent's
    # method, so the generated method accepts the same calls.
    if _SUPER_KWARGS in parameters:
        return False
    parent_parameters = _read_parameters(parent_function)
    if not parent_parameters.keys() <= parameters.keys():
        return True
    for name, is_required in parameters.items():
        was_required = parent_parameters.get(name, False)
        if is_required and not was_required:
            return True
    return False


def _read_parameters(function: DefinitionView) -> dict[str, bool]:
    """Return the parameters of a function, and whether each is required.

    `def f(x, y=0, *args)` has the parameters `{"x": True, "y": False, "*args": False}`.
    They are read from the header's text. This is quick, but not exact: a type with commas
    may count as another parameter.
    """
    parameters = {}
    # The mask ends with `)` and `:`, or with `) -> int:`.
    header_to_arrow = function.header.mask.partition("->")[0]
    parameter_list = header_to_arrow.partition("(")[2].rpartition(")")[0]
    for text in parameter_list.split(","):
        name_and_type, _, default = text.partition("=")
        name = name_and_type.partition(":")[0].strip()
        if name.startswith("*") or name.isidentifier():
            parameters[name] = not default and not name.startswith("*")
    return parameters


class InheritedCall(NamedTuple):
    """A call in code that comes from a parent file.

    Attributes:
        caller: The generated definition that contains it.
        node: The call.
        statement: The simple statement that contains it.
        syntax: The tree that both are in.
    """

    caller: str
    node: cst.Call
    statement: cst.CSTNode
    syntax: Syntax

    @property
    def place(self) -> Place:
        """Its place in the parent file."""
        return self.syntax.place(self.node)


def find_inherited_calls(
    rule: LintRule, called: str, only_caller: str = ""
) -> Iterator[InheritedCall]:
    """Yield the calls of a function in generated code that comes from parent files.

    Parsing is slow, so the text is searched first, and only statements that contain
    `rotate(` are parsed.

    Args:
        rule: The lint rule that looks for the calls.
        called: The function as it is called, such as `rotate` or `self.embed`.
        only_caller: The only class or function that is searched; empty for all.
    """
    name = called.rpartition(".")[2]
    for definition in rule.context.generated.values():
        if name not in definition.words:
            continue
        if only_caller not in ("", definition.name):
            continue
        for run in definition.parts:
            if f"{called}(" not in run.code.mask:
                continue
            # What the author wrote in the modular file is not inherited.
            if rule.context.is_from_modular(run.code):
                continue
            for statement in split(run.code).statements:
                if f"{called}(" in statement.code.mask:
                    yield from _find_calls_in(statement, called, definition.name)


def _find_calls_in(
    statement: Statement, called: str, caller: str
) -> Iterator[InheritedCall]:
    """Yield the calls of a function in one statement, blocks included.

    Args:
        statement: The statement.
        called: The function as it is called, such as `self.embed`.
        caller: The name of the class or function that contains the statement.
    """
    syntax = Syntax.read(statement.bare_code)
    if syntax is None:
        return
    # The walk visits a simple statement before the calls in it.
    simple_statement: cst.CSTNode = syntax.node
    for node in syntax.walk():
        if isinstance(node, cst.BaseSmallStatement):
            simple_statement = node
        if isinstance(node, cst.Call) and dotted_name(node.func) == called:
            yield InheritedCall(caller, node, simple_statement, syntax)


class Mismatch(NamedTuple):
    """Why a call does not suit the parameters of a function, and how to change the function."""

    description: str
    advice: str


def find_mismatch(
    call: cst.Call, function: DefinitionView, has_self: bool
) -> Mismatch | None:
    """Return why Python would refuse a call of a function.

    Args:
        call: The call.
        function: The function or method.
        has_self: Whether Python passes its first parameter, `self`.

    Returns:
        None if the call fits the parameters. A call with an argument such as `*args` is
        not judged, and gives None, too.
    """
    if any(argument.star for argument in call.args):
        return None
    params = function.function_node.params
    positional = [*params.posonly_params, *params.params]
    if has_self:
        positional = positional[1:]
    all_params = [*positional, *params.kwonly_params]

    keywords = [arg.keyword.value for arg in call.args if arg.keyword is not None]
    param_names = {param.name.value for param in all_params}
    for keyword in keywords:
        if keyword not in param_names and params.star_kwarg is None:
            return Mismatch(
                description=f"with `{keyword}`, which is no parameter of it",
                advice=f"call a parameter `{keyword}`",
            )

    positional_count = len(call.args) - len(keywords)
    passed_names = set(keywords)
    passed_names.update(param.name.value for param in positional[:positional_count])
    for param in all_params:
        name = param.name.value
        if param.default is None and name not in passed_names:
            return Mismatch(
                description=f"without `{name}`",
                advice=f"give `{name}` a default value",
            )

    takes_any_number = isinstance(params.star_arg, cst.Param)
    if positional_count > len(positional) and not takes_any_number:
        return Mismatch(
            description=f"with {positional_count} positional arguments, "
            f"but it takes {len(positional)}",
            advice="keep the parameters",
        )
    return None


class ReturnedValuesMismatch(LintRule):
    """Inherited code unpacks a different number of values than a method now returns.

    An override in the modular file returns more or fewer values than the parent's
    method. Inherited code still unpacks the old number of values, so it fails.

    Return as many values as the parent's method, or override the code that calls the
    method.

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

    code = Problem.RETURNED_VALUES_MISMATCH
    message = (
        "`{method}` returns {returned} values, but the inherited code of `{caller}` "
        "unpacks {unpacked}"
    )
    hint = "return {unpacked} values, or override what calls it in `{caller}`"

    def check_override(
        self,
        flat: Flattened,
        key: str,
        parent_method: DefinitionView,
        override: DefinitionView,
    ) -> None:
        """Report a method that never returns as many values as its callers unpack.

        The override of `split` returns `a, b, c`, but code that comes from the parent
        file contains `x, y = self.split(z)`.
        """
        # Setters and overloads have other keys, such as `size.setter`.
        if key != override.name:
            return
        returned_counts = _count_returned(override)
        if not returned_counts:
            return
        # The callers fit a method that returns what the parent's returns.
        if returned_counts == _count_returned(parent_method):
            return
        for called, caller in self._find_callers(flat, key):
            for call in find_inherited_calls(self, called, caller):
                unpacked = _count_unpacked(call)
                if unpacked is not None and unpacked not in returned_counts:
                    self.report(
                        place_of_word(override.header, override.name),
                        related=call.place,
                        method=key,
                        returned=max(returned_counts),
                        caller=call.caller,
                        unpacked=unpacked,
                    )
                    return

    def _find_callers(self, flat: Flattened, method: str) -> Iterator[tuple[str, str]]:
        """Yield each expression that calls a method, with the class that calls it.

        The class itself calls `self.method`. After `self.mlp = OlmoMLP(config)`, another class
        calls the `forward` of `OlmoMLP` by `self.mlp`.
        """
        class_name = flat.child.name
        yield f"self.{method}", class_name
        # Calling a torch module runs its `forward`.
        if method == "forward":
            for attribute, owner in self.context.find_attributes_set_to(class_name):
                yield f"self.{attribute}", owner


def _count_returned(method: DefinitionView) -> set[int]:
    """Return how many values each `return` statement of a method returns.

    The statement `return a, b` returns 2 values. The set is empty if any `return` has
    something else than a tuple, because its number of values is then uncertain.
    """
    counts: set[int] = set()
    # Most methods end with `return x`, so the last statement is read first.
    for statement in reversed(method.body.statements):
        for item in find_returns(statement):
            if not item.item_count:
                return set()
            counts.add(item.item_count)
    return counts


def _count_unpacked(call: InheritedCall) -> int | None:
    """Return 2 for the statement `a, b = call(...)`; None if the result is not unpacked.

    `a, *rest = call(...)` counts as not unpacked, because it takes any number of values.
    """
    match call.statement:
        case cst.Assign(
            targets=[cst.AssignTarget(target=cst.Tuple(elements=elements))], value=value
        ) if value is call.node:
            if not any(isinstance(element, cst.StarredElement) for element in elements):
                return len(elements)
    return None
