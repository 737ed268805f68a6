"""What is written in a class and is lost there, or is there anyway."""

from collections.abc import Iterator
from itertools import zip_longest
from os.path import commonprefix

from modular.flatten.flattened import Flattened
from modular.lint.rule import LintRule
from modular.rules.classes import raising_override
from modular.rules.classes.methods import methods
from modular.rules.classes.super_call import find_super_call
from modular.source import fixes
from modular.source.blocks import Kind
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.definitions import definitions
from modular.source.diagnostics import Problem
from modular.source.places import place_of_word
from modular.source.source_slice import SourceSlice, joined
from modular.source.walking import walk


_SHORTEST = 5
"""Letters of names of which one may be the other with a slip."""


class RedefinedMethod(LintRule):
    """A method is defined twice in a class.

    Python keeps the last of two methods of the same name, and so does the generated class: the first is read by people alone.

    Use instead one of the two, or two names.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            return -x

        def forward(self, x):
            return 2 * x
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:5:5: `forward` is defined again further down in `OlmoMLP`, and only that counts
    hint: remove one of them, or rename it
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
        @property
        def width(self):
            return 4

        @width.setter
        def width(self, width):
            self.up_proj = width
    ```
    """

    code = Problem.REDEFINED_METHOD
    message = (
        "`{method}` is defined again further down in `{name}`, and only that counts"
    )
    hint = "remove one of them, or rename it"

    def check(self) -> None:
        """Look at the methods of all classes of the modular file."""
        for name, definition in self.modular.definitions.classes.items():
            body = view_definition(definition.statement).body.statements
            kept = {parts.statement: parts for parts in methods(body).values()}
            for statement in body:
                if statement.kind is Kind.FUNCTION and statement not in kept:
                    again = next(
                        parts.header
                        for parts in kept.values()
                        if parts.name == statement.name
                    )
                    removed = fixes.take_out(
                        statement, f"Remove the first `{statement.name}`"
                    )
                    self.report(
                        view_definition(statement).header,
                        removed,
                        related=again,
                        method=statement.name,
                        name=name,
                    )


class MisspelledOverride(LintRule):
    """The name of a new method is one letter off that of an inherited one.

    A method with another name than the parent's overrides nothing: the parent's stays beside it, and is called.

    Use instead the parent's name or, if a new method is meant, one that nobody takes for it.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def foward(self, x):
            return 2 * x
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:5:9: `foward` overrides nothing: `LlamaMLP` has `forward`, which is almost the same name
    hint: write `forward`, or give the method a name that is told from it
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
    message = "`{method}` overrides nothing: `{parent}` has `{near}`, which is almost the same name"
    hint = "write `{near}`, or give the method a name that is told from it"

    def check_class(self, flat: Flattened) -> None:
        """Look at new methods whose name is one slip away from that of an inherited one that is not overridden."""
        inherited = {parts.name for parts in flat.inherited.values()}
        overriding = {parts.name: parts for parts in flat.overriding.values()}
        for name, own in overriding.items():
            near = [
                other
                for other in sorted(inherited - overriding.keys())
                if _is_slip(name, other)
            ]
            if (
                name not in inherited
                and near
                and not raising_override.removes_method(own)
            ):
                place = place_of_word(own.header, name)
                self.report(
                    place,
                    replacement=near[0],
                    method=name,
                    parent=flat.parent.name,
                    near=near[0],
                )


def _is_slip(one: str, other: str) -> bool:
    """Whether two names differ by one letter that is missing, wrong, or in the place of the one beside it."""
    start = len(commonprefix([one, other]))
    end = len(commonprefix([one[start:][::-1], other[start:][::-1]]))
    here, there = one[start : len(one) - end], other[start : len(other) - end]
    is_one = max(len(here), len(there)) == 1 and (here + there).isalpha()
    return min(len(one), len(other)) >= _SHORTEST and (
        is_one or (len(here) == 2 and here == there[::-1])
    )


class DroppedComment(LintRule):
    """A comment above an overriding method is lost.

    What is above a method of the parent class is kept in the generated class: its comments come from the parent, too. Those above
    the override are in no generated file.

    Use instead a comment in the body of the method.

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
    models/olmo/modular_olmo.py:5:5: this comment is in no generated file: `forward` keeps the comments above the parent's method
    hint: write it into the body
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
    message = "this comment is in no generated file: `{method}` keeps the comments above the parent's method"
    hint = "write it into the body"

    def check_override(
        self, flat: Flattened, key: str, parent: DefinitionView, own: DefinitionView
    ) -> None:
        """Look at the comments above a method, which the parent's replace."""
        lead = own.lead.text.strip()
        if lead and own.name not in flat.removed and lead not in parent.lead.text:
            self.report(own.lead, related=parent.header, method=own.name)


class InconsistentBases(LintRule):
    """The bases of a generated class cannot be in their order.

    Bases that the modular file adds are after the parent's. Where one of them inherits from a base before it, Python finds no order
    of the classes, and the generated file cannot be imported.

    Use instead a base that does not inherit from another one, or define the class without a parent class.

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
    models/olmo/modular_olmo.py:12:7: the generated `OlmoModel` cannot be defined: its base `OlmoPreTrainedModel` comes before `OlmoEncoder`, which inherits from it
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
    """

    code = Problem.INCONSISTENT_BASES
    message = "the generated `{name}` cannot be defined: its base `{first}` comes before `{second}`, which inherits from it"
    hint = "remove the base `{second}`, or define `{name}` without a parent class"

    def check_class(self, flat: Flattened) -> None:
        """Look at bases that are before a class of the same file that inherits from them."""
        following = [*flat.parent.bases, *flat.child.bases][1:]
        if not any(base in self.context.nodes for base in following):
            return
        name = flat.child.name
        classes = definitions(
            self.context.outputs[self.context.file_of(name).file_type]
        ).classes

        def bases(of: str) -> tuple[str, ...]:
            return view_definition(classes[of].statement).bases if of in classes else ()

        before: set[str] = set()
        for second in bases(name):
            ancestors = frozenset[str](walk(bases(second), bases))
            for first in sorted(before & ancestors):
                self.report(
                    place_of_word(flat.child.header, name),
                    name=name,
                    first=first,
                    second=second,
                )
            before.add(second)


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
    message = "`{own.name}` is the same as in `{flat.parent.name}`, so `{flat.child.name}` has it without this"
    hint = "remove it"

    def check_override(
        self, flat: Flattened, key: str, parent: DefinitionView, own: DefinitionView
    ) -> None:
        """Compare what was generated with the parent's method, comments aside; one that calls `super()` has the reader in mind."""
        if find_super_call(own.body.statements, own.name) is not None:
            return
        result = [part.code for part in flat.parts if part.member == key]
        if (
            _are_alike(result, [parent.code])
            and joined(result, own.code.path).normal() == parent.code.normal()
        ):
            removed = fixes.take_out(
                own.statement,
                f"Remove `{own.name}`",
                len(flat.child.body.statements) == 1,
            )
            removed = removed._replace(is_safe="#" not in own.code.text)
            self.report(own.header, removed, related=parent.header, own=own, flat=flat)


def _are_alike(one: list[SourceSlice], other: list[SourceSlice]) -> bool:
    """Whether the lines are the same if every string is a filler. They are compared up to the first that differs."""
    return all(
        here == there
        for here, there in zip_longest(_masked_lines(one), _masked_lines(other))
    )


def _masked_lines(codes: list[SourceSlice]) -> Iterator[str]:
    lines = (line.rstrip() for code in codes for line in code.mask.split("\n"))
    return (line for line in lines if line)
