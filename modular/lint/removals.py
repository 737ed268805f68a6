"""Removals that remove nothing: by raising, and by `AttributeError()`."""

import libcst as cst

from modular.flatten.autofixes import removing_form, spellings
from modular.flatten.flatten_methods import or_other
from modular.flatten.flattened import Flattened
from modular.lint.rule import LintRule
from modular.rules.classes import class_attributes, raising_override
from modular.source import fixes
from modular.source.blocks import Kind
from modular.source.diagnostics import Problem
from modular.source.parts import Parts
from modular.source.places import place_of_word
from modular.source.trees import statement_tree


_ERROR = "AttributeError"


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
    message = "`{name} = AttributeError()` removes nothing: `{parent}` has no `{name}`"
    hint = "remove the line{or_other}"

    def check_class(self, flat: Flattened) -> None:
        """Look at what is removed and not inherited."""
        attributes = flat.attributes
        known = flat.inherited_attributes.keys() | flat.inherited.keys()
        for name, statement in attributes.items():
            if class_attributes.is_removal(statement) and name not in known:
                removed = fixes.remove(statement)._replace(is_safe=True)
                names = {"name": name, "parent": flat.parent.name, "or_other": or_other(name, known)}
                instead = spellings(statement.own, name, known)
                self.report(statement.own, removed, *instead, related=flat.parent.header, **names)
        for key, own in flat.overriding.items():
            if key not in flat.inherited and raising_override.removes(own):
                self._report_method(flat, own)

    def _report_method(self, flat: Flattened, own: Parts) -> None:
        self.report(
            own.header,
            fixes.remove(own.statement, f"Remove `{own.name}`"),
            *spellings(own.header, own.name, flat.inherited),
            related=flat.parent.header,
            message="the raising `{name}` removes nothing, and stays: `{parent}` has no `{name}`",
            hint="remove the method, unless a base of `{parent}` has one{or_other}",
            name=own.name,
            parent=flat.parent.name,
            or_other=or_other(own.name, flat.inherited.keys()),
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

    def check_override(self, flat: Flattened, key: str, parent: Parts, own: Parts) -> None:
        """Look at overrides that only raise, and do not have the form of a removal."""
        if raising_override.only_raises(own) and own.name not in flat.removed:
            missing = raising_override.what_is_missing(own)
            self.report(own.header, removing_form(own), related=parent.header, method=own.name, missing=missing)


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
        for statement in flat.own.body.statements:
            if statement.kind is not Kind.ASSIGNMENT or _ERROR not in statement.code.mask:
                continue
            match statement_tree(statement).node:
                case cst.SimpleStatementLine(body=[cst.Assign(value=value) | cst.AnnAssign(value=value)]):
                    if isinstance(value, cst.Name) and value.value == _ERROR:
                        place = place_of_word(statement.own, _ERROR)
                        call = cst.Call(value)
                        self.report(place, replacement=call, related=flat.parent.header, name=statement.name)
