"""Rules about decorators, buffers and imports that get lost, or stay beside others."""

from collections.abc import Iterator

from modular.flatten.merged_class import MergedClass
from modular.flatten.outputs import OutputFile
from modular.lint.rule import LintRule, Precision
from modular.rules.classes.decorators import (
    NO_INHERIT_DECORATOR,
    has_no_inherit_decorator,
    short_decorator_names,
)
from modular.semantics.meanings import Definition
from modular.semantics.statements import facts_of_header
from modular.source.blocks import Kind
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.diagnostics import Problem
from modular.source.import_statements import Import
from modular.source.places import place_of_word
from modular.source.source_slice import SourceSlice


DATACLASS = "dataclass"
_FORWARD = "forward"
_FORWARD_REPLACING = ("use_kernel_forward_from_hub", "use_experts_implementation")
"""The decorators of transformers that replace the `forward` of a class."""

_KERNELIZED = "use_kernelized_func"
"""The decorator of transformers with which a class runs kernels instead of functions."""

_FUNCTION_KERNELS = (
    "use_kernel_func_from_hub",
    "use_kernel_func_from_hub_with_fallback",
    "use_kernel_forward_from_hub",
)
"""The decorators of transformers that tell the kernel of a function."""


class LostDataclass(LintRule):
    """A class is no longer a dataclass: its decorators replace the parent's `@dataclass`.

    The generated class has no `__init__` that sets its fields. If you write decorators
    above your class, modular does not copy the decorators of the parent class. So the
    generated class has only `@final` in the example, and not the parent's `@dataclass`.
    With `@no_inherit_decorator`, it has no decorator at all.

    Write `@dataclass` above your class as well. If you do not want the class to be a
    dataclass, silence the finding.

    Given `models/siglip/modeling_siglip.py`:

    ```python
    from dataclasses import dataclass


    @dataclass
    class SiglipOutput:
        loss: float = 0.0
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from typing import final

    from ..siglip.modeling_siglip import SiglipOutput


    @final
    class OlmoOutput(SiglipOutput):
        score: float = 0.0
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:6:1: `OlmoOutput` is not a dataclass: its own decorators replace the `@dataclass` that `SiglipOutput` has
    hint: add `@dataclass` to its decorators
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from dataclasses import dataclass
    from typing import final

    from ..siglip.modeling_siglip import SiglipOutput


    @final
    @dataclass
    class OlmoOutput(SiglipOutput):
        score: float = 0.0
    ```
    """

    code = Problem.LOST_DATACLASS
    message = "`{child}` is not a dataclass: its own decorators replace the `@dataclass` that `{parent}` has"
    hint = "add `@dataclass` to its decorators"

    def check_class(self, merged_class: MergedClass) -> None:
        """Report a class that loses the parent's `@dataclass`.

        The decorators of the child replace all those of its parent class.
        """
        child, parent = merged_class.child, merged_class.parent
        # Most classes have no decorators.
        if not child.decorators.text:
            return
        # Searching the text is quick. Only decorators with the word are parsed.
        if DATACLASS not in parent.decorators.masked_text:
            return
        if DATACLASS in short_decorator_names(child):
            return
        if DATACLASS not in short_decorator_names(parent):
            return
        drops_all = has_no_inherit_decorator(child)
        self.report(
            child.decorators,
            related=parent.decorators,
            message=_DROPPED if drops_all else "",
            hint="write `@dataclass` instead" if drops_all else "",
            child=child.name,
            parent=parent.name,
        )


_DROPPED = (
    "`{child}` is not a dataclass: `@no_inherit_decorator` drops the `@dataclass` that "
    "`{parent}` has"
)


class KernelOverForward(LintRule):
    """An inherited decorator runs a kernel instead of the overridden `forward`.

    The generated class may never run your `forward`. A class with the decorator
    `@use_kernel_forward_from_hub` or `@use_experts_implementation` can run an optimized
    kernel instead of its `forward`. Your class inherits this decorator from the parent
    class, and the kernel still computes what the parent's `forward` computes.

    Write `@no_inherit_decorator` above the class. If the kernel computes the same as
    your `forward`, repeat the parent's decorator above your class instead.

    Given `models/siglip/modeling_siglip.py`:

    ```python
    from torch import nn

    from ...integrations import use_kernel_forward_from_hub


    @use_kernel_forward_from_hub("RMSNorm")
    class SiglipNorm(nn.Module):
        def forward(self, x):
            return x
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.modeling_siglip import SiglipNorm


    class OlmoNorm(SiglipNorm):
        def forward(self, x):
            return -x
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:5:5: the inherited decorator `@use_kernel_forward_from_hub` of `OlmoNorm` can run a kernel instead of this `forward`
    hint: write `@no_inherit_decorator` above the class or, if the kernel does the same, repeat the decorator
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ...utils.modular import no_inherit_decorator
    from ..siglip.modeling_siglip import SiglipNorm


    @no_inherit_decorator
    class OlmoNorm(SiglipNorm):
        def forward(self, x):
            return -x
    ```
    """

    code = Problem.KERNEL_OVER_FORWARD
    precision = Precision(findings=5, real=5)
    message = (
        "the inherited decorator `@{decorator}` of `{child}` can run a kernel "
        "instead of this `forward`"
    )
    hint = (
        "write `@no_inherit_decorator` above the class or, if the kernel does the "
        "same, repeat the decorator"
    )

    def check_override(
        self,
        merged_class: MergedClass,
        key: str,
        parent_method: DefinitionView,
        override: DefinitionView,
    ) -> None:
        """Report an override of `forward` that an inherited decorator replaces."""
        if key != _FORWARD or merged_class.child.decorators.text:
            return
        for decorator in _FORWARD_REPLACING:
            if decorator in merged_class.parent.decorators.masked_text:
                self.report(
                    override.header,
                    related=merged_class.parent.decorators,
                    decorator=decorator,
                    child=merged_class.child.name,
                )


class LostKernelDecorator(LintRule):
    """A function is overridden without the decorator that its kernel needs.

    If the package `kernels` is installed, importing the generated file fails, or the
    model fails when it is used with `use_kernels=True`. The decorator
    `@use_kernelized_func(rotate)` makes a class run a kernel instead of the function
    `rotate`. For this, the function `rotate` itself needs a decorator, such as
    `@use_kernel_func_from_hub`. In the example, your `rotate` replaces the parent's
    `rotate`, but does not have this decorator.

    Write `@no_inherit_decorator` above the class. If the kernel computes the same as
    your function, keep the class as it is. Instead, write the decorator of the parent's
    function above your function.

    Given `models/siglip/modeling_siglip.py`:

    ```python
    from torch import nn

    from ...integrations import use_kernel_func_from_hub, use_kernelized_func


    @use_kernel_func_from_hub("rotate")
    def rotate(x):
        return -x


    @use_kernelized_func(rotate)
    class SiglipAttention(nn.Module):
        def forward(self, x):
            return rotate(x)
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.modeling_siglip import SiglipAttention


    def rotate(x):
        return -2 * x


    class OlmoAttention(SiglipAttention):
        pass
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:4:5: `OlmoAttention` inherits `@use_kernelized_func(rotate)`, but this `rotate` does not have the `@use_kernel_func_from_hub` that the parent's function has
    hint: write `@no_inherit_decorator` above the class or, if the kernel does the same, `@use_kernel_func_from_hub("rotate")` above the function
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ...utils.modular import no_inherit_decorator
    from ..siglip.modeling_siglip import SiglipAttention


    def rotate(x):
        return -2 * x


    @no_inherit_decorator
    class OlmoAttention(SiglipAttention):
        pass
    ```
    """

    code = Problem.LOST_KERNEL_DECORATOR
    message = (
        "`{child}` {verb} `@{class_decorator}({function})`, but this `{function}` does "
        "not have {missing}"
    )

    def check(self) -> None:
        """Report functions that lack the decorator for the kernel that a class needs.

        The class has `@use_kernelized_func(rotate)`. The function `rotate` is reported
        once, for the first such class.
        """
        checked_functions: set[str] = set()
        for file in self.context.files:
            statements = self.layout.drafts[file.file_type].statements
            for name, statement in statements.items():
                # Most classes need no kernels of functions.
                if _KERNELIZED not in statement.words:
                    continue
                class_ = self.context.class_named(name)
                if class_ is None or _KERNELIZED not in class_.decorators.masked_text:
                    continue
                for function in _arguments_of_decorator(class_, _KERNELIZED):
                    is_generated = function in statements
                    if is_generated and function not in checked_functions:
                        checked_functions.add(function)
                        self._check_function(file, class_, function)

    def _check_function(
        self, file: OutputFile, class_: DefinitionView, name: str
    ) -> None:
        """Report a generated function if it lacks the decorator for its kernel.

        Args:
            file: The output file.
            class_: The generated class that needs the kernel.
            name: The name of the function.
        """
        definition = Definition(file.path, name, Kind.FUNCTION)
        function = self.context.resolver.view(definition)
        if function is None or _names_kernel(function.decorators):
            return
        line = function.statement.line + function.decorators.text.count("\n")
        place, place_in_parent = self.context.place_in(file, line, name)
        own_class = self.modular.definitions.classes.get(class_.name)
        is_own = False
        if own_class is not None:
            own_decorators = view_definition(own_class.statement).decorators
            is_own = _KERNELIZED in own_decorators.masked_text
        lost = self._find_kernel_decorator(name)
        # Without a kernel, the parent file is the same; the author does not write it.
        is_of_author = is_own and place_in_parent is None
        if lost is None and not is_of_author:
            return

        missing = "a decorator such as `@use_kernel_forward_from_hub`"
        written = missing
        if lost is not None:
            missing = f"the `@{_names_kernel(lost)}` that the parent's function has"
            written = f"`{lost.text.strip()}`"
            if "\n" in written:
                written = "the decorators of the parent's function"
        if is_own:
            hint = "remove the decorator of the class"
        elif own_class is not None:
            hint = f"write `@{NO_INHERIT_DECORATOR}` above the class"
        else:
            hint = f"define `{class_.name}` with `@{NO_INHERIT_DECORATOR}`"
        if place_in_parent is None:
            verb = "" if hint.startswith("write") else "write "
            hint += (
                f" or, if the kernel does the same, {verb}{written} above the function"
            )
        self.report(
            place,
            related=place_in_parent or self._place_of_decorators(class_.name),
            hint=hint,
            child=class_.name,
            verb="has" if is_own else "inherits",
            class_decorator=_KERNELIZED,
            function=name,
            missing=missing,
        )

    def _place_of_decorators(self, class_name: str) -> SourceSlice | None:
        """Return the decorators that a generated class inherits."""
        merged_class = self.layout.flattened.get(class_name)
        if merged_class is not None:
            return merged_class.parent.decorators
        for parent in self.layout.parents.values():
            class_ = parent.definitions.classes.get(class_name)
            if class_ is not None:
                return view_definition(class_.statement).decorators
        return None

    def _find_kernel_decorator(self, name: str) -> SourceSlice | None:
        """Return the decorators of a parent's function if one of them is for a kernel.

        Returns:
            None if no parent file defines the function with such a decorator.
        """
        for parent in self.layout.parents.values():
            function = parent.definitions.functions.get(name)
            if function is not None:
                decorators = view_definition(function.statement).decorators
                if _names_kernel(decorators):
                    return decorators
        return None


def _names_kernel(decorators: SourceSlice) -> str:
    """Return the decorator that gives a function a kernel; empty if there is none."""
    words = decorators.words()
    return next((name for name in _FUNCTION_KERNELS if name in words), "")


def _arguments_of_decorator(class_: DefinitionView, name: str) -> Iterator[str]:
    """Yield the names in the arguments of a decorator: `f` and `g` of `@name([f, g])`."""
    for mention in facts_of_header(class_.statement).mentions:
        if mention.passed_to.rpartition(".")[2] == name:
            yield mention.name


class NameFromTwoFiles(LintRule):
    """A name is imported from two parent files.

    If you import the same name from two parent files, modular uses the last import, as
    Python does. So nothing uses the class or function of the first file. In the
    example, nothing uses the `rotate` of Bert's file.

    Remove one of the two imports. If you need both definitions, import one of them
    under another name.

    Given `models/siglip/modeling_siglip.py`:

    ```python
    def rotate(x):
        return -x
    ```

    Given `models/bert/modeling_bert.py`:

    ```python
    def rotate(x):
        return x
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..bert.modeling_bert import rotate
    from ..llama.modeling_llama import LlamaMLP
    from ..siglip.modeling_siglip import rotate


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            return rotate(x)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:3:38: `rotate` is also imported from `models/bert/modeling_bert.py`, and only this import counts
    hint: remove one of the two imports
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP
    from ..siglip.modeling_siglip import rotate


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            return rotate(x)
    ```
    """

    code = Problem.NAME_FROM_TWO_FILES
    message = "`{name}` is also imported from `{path}`, and only this import counts"
    hint = "remove one of the two imports"

    def check(self) -> None:
        """Report names that the modular file imports from two parent files.

        The finding is at the later import.
        """
        # For each name, the last parent file that it was imported from, and the import.
        earlier_imports: dict[str, tuple[str, Import]] = {}
        for path, import_ in self.modular.model_imports:
            for alias in import_.names:
                name = alias.bound
                if name in earlier_imports:
                    earlier_path, earlier_import = earlier_imports[name]
                    if earlier_path != path:
                        earlier_code = earlier_import.statement.bare_code
                        self.report(
                            place_of_word(import_.statement.bare_code, name),
                            related=place_of_word(earlier_code, name),
                            name=name,
                            path=earlier_path,
                        )
                earlier_imports[name] = (path, import_)
