"""Lint rules for class bodies: redefined, misspelt and redundant methods, and bases."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from modular.flatten.merged_class import MergedClass
from modular.lint.misspellings import find_meant_names
from modular.lint.rule import LintRule, Precision
from modular.semantics.meanings import Definition, Meaning
from modular.source import fixes
from modular.source.definition_view import DefinitionView
from modular.source.diagnostics import Problem, Severity
from modular.source.places import place_of_word
from modular.source.source_slice import SourceSlice, join_slices


class MisspelledOverride(LintRule):
    """The name of a new method is one letter off that of an inherited method.

    If you misspelt the name of a method, this method overrides nothing and is never
    called. Other code still calls the inherited method. In the example, `foward` should
    be `forward`.

    Write the name of the inherited method. If you want to add a new method, give it a
    clearly different name.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def foward(self, x):
            return 2 * x
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:5:9: `foward` overrides nothing, but its name is almost the same as `LlamaMLP.forward`
    hint: rename it to `forward`, or choose a clearly different name
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            return 2 * x
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward_all(self, x):
            return 2 * x
    ```
    """

    code = Problem.MISSPELLED_OVERRIDE
    message = (
        "`{method}` overrides nothing, but its name is almost the same as "
        "`{parent}.{near}`"
    )
    hint = "rename it to `{near}`, or choose a clearly different name"

    def check_class(self, merged_class: MergedClass) -> None:
        """Report a new method `foward` if the parent class has a method `forward`.

        A name that differs by one letter is probably a spelling mistake. The inherited
        method then stays in the class, and is not overridden.
        """
        parent_names = {view.name for view in merged_class.inherited.values()}
        child_methods = {view.name: view for view in merged_class.overriding.values()}
        new_names = child_methods.keys() - parent_names
        not_overridden = sorted(parent_names - child_methods.keys())
        meant_names = find_meant_names(new_names, not_overridden)
        for name, method in child_methods.items():
            if name not in meant_names or merged_class.removes_by_raising(method):
                continue
            similar_name = meant_names[name]
            self.report(
                place_of_word(method.header, name),
                replacement=similar_name,
                method=name,
                parent=merged_class.parent.name,
                near=similar_name,
            )


class DroppedComment(LintRule):
    """A comment above an overriding method is lost.

    If you write a comment above an overriding method, modular does not copy it to the
    generated file. Above the generated method, it writes the comments from above the
    parent's method instead.

    Move the comment into the body of the method.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        # twice as wide
        def forward(self, x):
            return 2 * self.up_proj(x)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:5:5: this comment is lost: the generated `forward` has the comments above the parent's method instead
    hint: move it into the method body
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            # twice as wide
            return 2 * self.up_proj(x)
    ```
    """

    code = Problem.DROPPED_COMMENT
    precision = Precision(findings=15, real=3)
    message = (
        "this comment is lost: the generated `{method}` has the comments above the "
        "parent's method instead"
    )
    hint = "move it into the method body"

    def check_override(
        self,
        merged_class: MergedClass,
        key: str,
        parent_method: DefinitionView,
        override: DefinitionView,
    ) -> None:
        """Report the comment above an override if the generated class lacks it.

        The generated method has the comment above the parent's method instead.
        """
        # The lead of a method is the text above it: blank lines and comments.
        comment = override.lead.text.strip()
        # The same comment above the parent's method is not lost.
        if not comment or comment in parent_method.lead.text:
            return
        # An override that removes the parent's method is not generated at all.
        if override.name not in merged_class.removed:
            self.report(
                override.lead, related=parent_method.header, method=override.name
            )


class InconsistentBases(LintRule):
    """The bases of a generated class are in an order that Python rejects.

    Python cannot import the generated file. In the generated class, modular lists the
    bases that you add after the bases of the parent class. But Python does not accept a
    list of bases in which a class comes before one of its own subclasses. For example,
    `class OlmoMLP(nn.Module, Layer)` fails if `Layer` inherits from `nn.Module`. With
    the setting `inheritance = "python"`, the finding is an error.

    Do not add a base that inherits from another base of the generated class, or define
    the class without a parent class.

    Given `models/llama/modeling_llama.py`:

    ```python
    class LlamaPreTrainedModel:
        pass


    class LlamaModel(LlamaPreTrainedModel):
        pass
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaModel, LlamaPreTrainedModel


    class OlmoPreTrainedModel(LlamaPreTrainedModel):
        pass


    class OlmoEncoder(OlmoPreTrainedModel):
        pass


    class OlmoModel(LlamaModel, OlmoEncoder):
        pass
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:12:7: Python cannot create the generated `OlmoModel`: `OlmoPreTrainedModel` is listed before its own subclass `OlmoEncoder`
    hint: remove the base `OlmoEncoder`, or define `OlmoModel` without a parent class
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaModel, LlamaPreTrainedModel


    class OlmoPreTrainedModel(LlamaPreTrainedModel):
        pass


    class OlmoEncoder(OlmoPreTrainedModel):
        pass


    class OlmoModel(LlamaModel):
        pass
    ```

    Given `models/layers.py`:

    ```python
    from torch import nn


    class Layer(nn.Module):
        pass
    ```

    Given `models/siglip/modeling_siglip.py`:

    ```python
    from torch import nn


    class SiglipMLP(nn.Module):
        pass
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..layers import Layer
    from ..siglip.modeling_siglip import SiglipMLP


    class OlmoMLP(SiglipMLP, Layer):
        pass
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:5:7: Python cannot create the generated `OlmoMLP`: `nn.Module` is listed before its own subclass `Layer`
    hint: remove the base `Layer`, or define `OlmoMLP` without a parent class
    ```
    """

    code = Problem.INCONSISTENT_BASES
    levels = (Severity.WARNING, Severity.ERROR)
    message = (
        "Python cannot create the generated `{name}`: `{first}` is listed before its "
        "own subclass `{second}`"
    )
    hint = "remove the base `{second}`, or define `{name}` without a parent class"

    def check_class(self, merged_class: MergedClass) -> None:
        """Report a base of the generated class that comes before its own subclass.

        Python rejects `class OlmoMLP(nn.Module, Layer)` if `Layer` inherits from
        `nn.Module`.
        """
        class_name = merged_class.child.name
        # The generated class gets its bases from these two, and one alone is never wrong.
        if len(merged_class.child.bases) < 2 and len(merged_class.parent.bases) < 2:
            return
        generated_class = self.context.class_named(class_name)
        if generated_class is None:
            return
        # The bases above by their classes: `Module` and `nn.Module` can mean one class.
        earlier_bases: dict[Meaning, str] = {}
        resolver = self.context.resolver
        definition = self.context.definition_of(class_name)
        for base in generated_class.bases:
            base_class = resolver.base(definition, base)
            # Finding ancestors reads files, and no base comes before the first one.
            if earlier_bases and isinstance(base_class, Definition):
                for ancestor in resolver.ancestors(base_class).classes:
                    if ancestor in earlier_bases:
                        self.report(
                            place_of_word(merged_class.child.header, class_name),
                            name=class_name,
                            first=earlier_bases[ancestor],
                            second=base,
                        )
            earlier_bases[base_class] = base


class RedundantOverride(LintRule):
    """A method repeats what the class inherits anyway.

    If somebody changes the parent's method later, your class does not get the change.
    Your method is the same as the parent's method, apart from the model's name, which
    modular replaces. So the generated class would be the same without your method.

    Remove the method. If you want to keep the method as it is even if the parent class
    changes, silence the finding: write `# modular: ignore[MOD455]` at the end of the
    line that the finding shows.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            return self.up_proj(x)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:5:5: `forward` repeats the method that `OlmoMLP` inherits from `LlamaMLP`
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
    precision = Precision(findings=28, real=22)
    is_stylistic = True
    message = "`{method}` repeats the method that `{child}` inherits from `{parent}`"
    hint = "remove it"

    def check_override(
        self,
        merged_class: MergedClass,
        key: str,
        parent_method: DefinitionView,
        override: DefinitionView,
    ) -> None:
        """Report an override that equals the parent's method, apart from comments.

        Without the override, the generated class would be the same. A method that calls
        `super()` is not reported, as it is short and explicit.
        """
        if key in merged_class.merges:
            return
        # The lines of the generated method.
        codes = _codes_by_member(merged_class).get(key, ())
        generated = join_slices(codes, override.code.path)
        parent_code = parent_method.code
        # Comparing the masks is quick, and most methods differ there already.
        if generated.masked_text.split() != parent_code.masked_text.split():
            return
        if generated.normalized() != parent_code.normalized():
            return
        # A class needs a body: the fix leaves `pass` if nothing else is in it.
        is_alone = len(merged_class.child.body.statements) == 1
        removal = fixes.remove_with_comments(
            override.statement, f"Remove `{override.name}`", is_alone
        )
        # Removing a comment is not safe, because the author wrote it.
        has_comment = "#" in override.code.text
        self.report(
            override.header,
            removal._replace(is_safe=not has_comment),
            related=parent_method.header,
            method=override.name,
            parent=merged_class.parent.name,
            child=merged_class.child.name,
        )


@lru_cache(maxsize=64)
def _codes_by_member(merged_class: MergedClass) -> Mapping[str, Sequence[SourceSlice]]:
    """Return the code of each member of a generated class."""
    codes: dict[str, list[SourceSlice]] = {}
    for run in merged_class.parts:
        codes.setdefault(run.member, []).append(run.code)
    return codes
