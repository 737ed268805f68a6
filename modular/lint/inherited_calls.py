"""Rules about inherited code that calls what the modular file replaces."""

from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from modular.flatten.flattened import Flattened
from modular.lint.rule import LintRule, Syntax
from modular.rules.classes import raising_override
from modular.source.blocks import Statement, split
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.diagnostics import Place, Problem
from modular.source.places import place_of_word
from modular.source.source_slice import SourceSlice
from modular.source.trees import dotted_name
from modular.source.walking import descend


_INIT = "__init__"
_SUPER_KWARGS = "**super_kwargs"
_RETURN = "return "


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
    message = "the inherited code of `{caller}` calls `{called}` {mismatch}"
    hint = "{advice}, or override what calls it in `{caller}`"

    def check(self) -> None:
        """Check the functions of the modular file, and its classes."""
        for name, definition in self.modular.definitions.functions.items():
            replaced = self._find_replaced(name)
            if replaced is not None and name in self.context.nodes:
                function = view_definition(definition.statement)
                self._check_calls(function, replaced, name, has_self=False)
        super().check()

    def _find_replaced(self, name: str) -> DefinitionView | None:
        """Return the function of a parent file that has the same name."""
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
        """Check the inherited calls of a method whose header is another one."""
        called, within = f"self.{key}", flat.child.name
        if key == _INIT:
            called, within = flat.child.name, ""
        elif key != override.name:
            return
        self._check_calls(override, parent_method, called, has_self=True, within=within)

    def _check_calls(
        self,
        function: DefinitionView,
        replaced: DefinitionView,
        called: str,
        has_self: bool,
        within: str = "",
    ) -> None:
        """Report the first inherited call that does not match a signature.

        Args:
            function: The function or method.
            replaced: The one of the parent file.
            called: The text by which it is called, such as `self.embed`.
            has_self: Whether its first parameter is bound by Python.
            within: The only class whose calls count; empty for all definitions.
        """
        if function.header.mask == replaced.header.mask:
            return
        if not _may_refuse(function, replaced):
            return
        if function.decorators.text or replaced.decorators.text:
            return
        if raising_override.only_raises(function):
            return
        for call in find_inherited_calls(self, called, within):
            mismatch = _find_mismatch(call.node, function, has_self)
            if mismatch is not None:
                problem, advice = mismatch
                self.report(
                    place_of_word(function.header, function.name),
                    related=call.place,
                    caller=call.caller,
                    called=called,
                    mismatch=problem,
                    advice=advice,
                )
                return


def _may_refuse(function: DefinitionView, replaced: DefinitionView) -> bool:
    """Whether a function may refuse arguments that the replaced function takes, by their headers' text."""
    parameters = _read_parameters(function)
    replaced_parameters = _read_parameters(replaced)
    if _SUPER_KWARGS in parameters:
        return False
    if not replaced_parameters.keys() <= parameters.keys():
        return True
    for name, is_required in parameters.items():
        if is_required and not replaced_parameters.get(name, False):
            return True
    return False


def _read_parameters(function: DefinitionView) -> dict[str, bool]:
    """Return the parameters of a function, and whether they may be required.

    The header is read as text, which is quick: calls are compared with its tree only
    if it may accept less. A type with commas may count as another parameter.
    """
    parameters = {}
    for text in function.header.mask.partition("(")[2].split(","):
        name, _, default = text.partition("=")
        name = name.partition(":")[0].strip(" \n)")
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
    rule: LintRule, called: str, within: str = ""
) -> Iterator[InheritedCall]:
    """Yield the calls of a name in generated code that comes from parent files.

    Args:
        rule: The rule that looks for them.
        called: The name as it is called, such as `rotate` or `self.embed`.
        within: The only definition that is searched; empty for all.
    """
    for caller, code in _find_calling_code(rule, called, within):
        for statement in split(code).statements:
            if f"{called}(" in statement.code.mask:
                yield from _find_calls_in(statement, called, caller)


def _find_calling_code(
    rule: LintRule, called: str, within: str = ""
) -> Iterator[tuple[str, SourceSlice]]:
    """Yield the code from parent files that may call a name, each with the definition that contains it."""
    name = called.rpartition(".")[2]
    for node in rule.context.nodes.values():
        if name not in node.words or within not in ("", node.name):
            continue
        for part in node.parts:
            if f"{called}(" in part.code.mask:
                if not rule.context.is_from_modular(part.code):
                    yield node.name, part.code


def _find_calls_in(
    statement: Statement, called: str, caller: str
) -> Iterator[InheritedCall]:
    """Yield the calls of a name in one statement."""
    syntax = Syntax.read(statement.bare_code)
    if syntax is None:
        return
    simple: cst.CSTNode = syntax.node
    for node in syntax.walk():
        if isinstance(node, cst.BaseSmallStatement):
            simple = node
        if isinstance(node, cst.Call) and dotted_name(node.func) == called:
            yield InheritedCall(caller, node, simple, syntax)


def _find_mismatch(
    call: cst.Call, function: DefinitionView, has_self: bool
) -> tuple[str, str] | None:
    """Return why a call does not match a signature, and what to do; None if it may match."""
    if any(argument.star for argument in call.args):
        return None
    params = function.function_node.params
    positional = [*params.posonly_params, *params.params]
    if has_self:
        positional = positional[1:]
    names = [param.name.value for param in (*positional, *params.kwonly_params)]
    given = set()
    count = 0
    for argument in call.args:
        if argument.keyword is None:
            count += 1
        elif argument.keyword.value in names:
            given.add(argument.keyword.value)
        elif params.star_kwarg is None:
            keyword = argument.keyword.value
            return (
                f"with `{keyword}`, which is no parameter of it",
                f"call a parameter `{keyword}`",
            )
    given.update(param.name.value for param in positional[:count])
    for param in (*positional, *params.kwonly_params):
        if param.default is None and param.name.value not in given:
            name = param.name.value
            return f"without `{name}`", f"give `{name}` a default value"
    if count > len(positional) and not isinstance(params.star_arg, cst.Param):
        return (
            f"with {count} positional arguments, but it takes {len(positional)}",
            "keep the parameters",
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
        """Check a method that returns several values."""
        lines = _return_lines(override)
        if not lines or key != override.name:
            return
        if not all("," in line or line.startswith("(") for line in lines):
            return
        if _count_commas(lines) == _count_commas(_return_lines(parent_method)):
            return
        for called, within in self._names_of(flat, key):
            codes = _find_calling_code(self, called, within)
            if not any(_may_unpack(code, called) for _, code in codes):
                continue
            for call in find_inherited_calls(self, called, within):
                unpacked = _count_unpacked(call)
                if unpacked is None:
                    continue
                counts = _count_returned(override)
                if 0 not in counts and counts and unpacked not in counts:
                    self.report(
                        place_of_word(override.header, override.name),
                        related=call.place,
                        method=key,
                        returned=max(counts),
                        caller=call.caller,
                        unpacked=unpacked,
                    )
                    return

    def _names_of(self, flat: Flattened, key: str) -> Iterator[tuple[str, str]]:
        """Yield the texts by which a method is called, each with the class that does so."""
        yield f"self.{key}", flat.child.name
        if key != "forward":
            return
        for node in self.context.nodes.values():
            if flat.child.name not in node.words:
                continue
            for part in node.parts:
                for before in part.code.mask.split(f" = {flat.child.name}(")[:-1]:
                    target = before.rpartition("\n")[2].strip()
                    if target.startswith("self.") and target[5:].isidentifier():
                        yield target, node.name


def _may_unpack(code: SourceSlice, called: str) -> bool:
    """Whether some code may assign the result of a call to several targets, by its text alone."""
    for before in code.mask.split(f"{called}(")[:-1]:
        target = before.rpartition("\n")[2]
        if target.rstrip().endswith("=") and ("," in target or ")" in target):
            return True
    return False


def _return_lines(method: DefinitionView) -> list[str]:
    """Return the text after each `return` of a method, up to the end of its line."""
    texts = method.code.mask.split(_RETURN)[1:]
    return [text.partition("\n")[0] for text in texts]


def _count_commas(lines: list[str]) -> set[int]:
    """Return the different numbers of commas in some lines."""
    return {line.count(",") for line in lines}


def _count_returned(method: DefinitionView) -> set[int]:
    """Return the numbers of values that a method returns; 0 for a single value."""
    syntax = Syntax.read(method.statement.bare_code)
    counts: set[int] = set()
    if syntax is None or not isinstance(syntax.node, cst.FunctionDef):
        return counts
    root: cst.CSTNode = syntax.node.body
    for node in descend(root, _children_in_function):
        if isinstance(node, cst.Return):
            value = node.value
            counts.add(len(value.elements) if isinstance(value, cst.Tuple) else 0)
    return counts


def _children_in_function(node: cst.CSTNode) -> list[cst.CSTNode]:
    """Return the children of a node; none of a nested function."""
    if isinstance(node, cst.FunctionDef | cst.Lambda):
        return []
    return list(node.children)


def _count_unpacked(call: InheritedCall) -> int | None:
    """Return the number of targets that the result of a call is assigned to; None if it is not unpacked."""
    match call.statement:
        case cst.Assign(
            targets=[cst.AssignTarget(target=cst.Tuple(elements=elements))], value=value
        ) if value is call.node:
            if not any(isinstance(element, cst.StarredElement) for element in elements):
                return len(elements)
    return None
