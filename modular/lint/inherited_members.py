"""Rules about members of a flattened class that Python would take from another class."""

from collections.abc import Iterator, Mapping, Sequence

from modular.flatten.flattened import Flattened
from modular.lint.bases import (
    Ancestor,
    find_ancestors,
    find_base_and_ancestors,
    find_class_and_ancestors,
)
from modular.lint.rule import LintRule, Precision
from modular.rules.classes import raising_override
from modular.rules.classes.methods import find_methods
from modular.source import fixes
from modular.source.assignments import assigned_value
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView
from modular.source.diagnostics import Fix, Problem
from modular.source.places import place_of, place_of_word
from modular.source.trees import node_text


class UncoveredBaseMethod(LintRule):
    """After the removal of a method, calls reach the method of a base.

    An override that only raises removes the parent's method, and modular does not
    generate the override. If a base of the generated class has a method of this name,
    calls reach that method. In Python, they reach the override, which raises.

    If calls should raise, write a statement above the `raise`. Then modular generates
    the override. If you want the method of the base, silence the finding.

    Given `models/vit/modeling_vit.py`:

    ```python
    class ViTBase:
        def prune(self, heads):
            return heads


    class ViTLayer(ViTBase):
        def prune(self, heads):
            return [heads]
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTLayer


    class OlmoLayer(ViTLayer):
        size = 1

        def prune(self, heads):
            raise AttributeError("not needed")
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:7:9: the generated `OlmoLayer` has the `prune` of its base `OlmoBase`: in Python it raises
    hint: if it should raise, write `error = ...` and `raise error`, which is generated
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTLayer


    class OlmoLayer(ViTLayer):
        size = 1

        def prune(self, heads):
            error = AttributeError("not needed")
            raise error
    ```
    """

    code = Problem.UNCOVERED_BASE_METHOD
    precision = Precision(findings=36, real=0)
    message = (
        "the generated `{child}` has the `{method}` of its base `{base}`: "
        "in Python it raises"
    )
    hint = (
        "if it should raise, write `error = ...` and `raise error`, which is generated"
    )

    def check_override(
        self,
        flat: Flattened,
        key: str,
        parent_method: DefinitionView,
        override: DefinitionView,
    ) -> None:
        """Check a method that only raises."""
        if not raising_override.removes_method(override):
            return
        for ancestor in find_ancestors(self.context, flat.child.name):
            method = _find_method(ancestor, key)
            if method is None:
                continue
            if not raising_override.only_raises(method):
                self.report(
                    place_of_word(override.header, override.name),
                    related=method.header,
                    child=flat.child.name,
                    method=override.name,
                    base=ancestor.name.rpartition(".")[2],
                )
            return


def _find_method(ancestor: Ancestor, key: str) -> DefinitionView | None:
    """Return the method of a class with a key; None if it has none, or cannot be read."""
    if ancestor.view is None or key.partition(".")[0] not in ancestor.view.code.mask:
        return None
    return find_methods(ancestor.view.body.statements).get(key)


class LostValue(LintRule):
    """An annotation without a value removes the parent's value.

    An attribute of the modular class replaces the parent's attribute of the same name.
    If you write only an annotation, such as `size: int`, the generated class has no
    value. In Python, the class inherits the parent's value.

    Write the value, too.

    Given `models/vit/modeling_vit.py`:

    ```python
    class ViTLayer:
        tag: str | None = "first"
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTLayer


    class OlmoLayer(ViTLayer):
        tag: str
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:5:5: the generated class has no value for `tag`: in Python it inherits that of the parent class
    hint: write the value, too
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTLayer


    class OlmoLayer(ViTLayer):
        tag: str = "first"
    ```
    """

    code = Problem.LOST_VALUE
    message = (
        "the generated class has no value for `{name}`: "
        "in Python it inherits that of the parent class"
    )
    hint = "write the value, too"

    def check_class(self, flat: Flattened) -> None:
        """Check the attributes of the modular class that have no value."""
        methods = {method.name: method for method in flat.inherited.values()}
        for name, statement in flat.attributes.items():
            if not _is_bare_annotation(statement):
                continue
            replaced = flat.inherited_attributes.get(name)
            if name in methods:
                self.report(
                    statement.bare_code,
                    related=methods[name].header,
                    message="the generated class has no method `{name}`: "
                    "in Python it inherits that of the parent class",
                    hint="remove the line",
                    name=name,
                )
            elif replaced is not None and not _is_bare_annotation(replaced):
                self.report(
                    statement.bare_code,
                    *_write_value(statement, replaced),
                    related=replaced.bare_code,
                    name=name,
                )


def _is_bare_annotation(statement: Statement) -> bool:
    """Whether an attribute is annotated and has no value."""
    if "=" in statement.code.mask or ":" not in statement.code.mask:
        return False
    return assigned_value(statement) is None


def _write_value(statement: Statement, replaced: Statement) -> Iterator[Fix]:
    """Yield the fix that gives an attribute the parent's value if that is on one line."""
    value = assigned_value(replaced)
    code = statement.bare_code
    if value is None or "#" in code.text or "\n" in code.text.strip():
        return
    text = node_text(value)
    if "\n" not in text:
        yield fixes.replace(place_of(code), f"{code.text.strip()} = {text}")


class HiddenMixinMethod(LintRule):
    """A base before the parent class has a method that the parent class has, too.

    The parent's methods become methods of the generated class itself. There they win
    over the methods of all bases. In Python, a base wins if it comes before the parent
    class, as in `class OlmoMLP(Doubled, LlamaMLP)`.

    Write the method in the modular class.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class Doubled:
        def forward(self, x):
            return 2 * x


    class OlmoMLP(Doubled, LlamaMLP):
        pass
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:9:15: `forward` of the generated `OlmoMLP` is that of `LlamaMLP`: in Python it is that of `Doubled`, which comes first
    hint: write `forward` out in `OlmoMLP`
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class Doubled:
        def forward(self, x):
            return 2 * x


    class OlmoMLP(Doubled, LlamaMLP):
        def forward(self, x):
            return 2 * x
    ```
    """

    code = Problem.HIDDEN_MIXIN_METHOD
    message = (
        "`{name}` of the generated `{child}` is that of `{parent}`: "
        "in Python it is that of `{base}`, which comes first"
    )
    hint = "write `{name}` out in `{child}`"

    def check_class(self, flat: Flattened) -> None:
        """Check the bases that are named before the parent class."""
        first_bases = _bases_before_parent(flat, self.modular.parent_of)
        if not first_bases:
            return
        inherited = _methods(flat.parent)
        for name in (*_methods(flat.child), *flat.attributes):
            inherited.pop(name, None)
        parent_classes = self._find_parent_classes(flat)
        if parent_classes is None:
            return
        for base in first_bases:
            ancestors = find_base_and_ancestors(self.context, flat.child.name, base)
            for ancestor in ancestors:
                view = ancestor.view
                if view is not None and view not in parent_classes:
                    hidden = _different_methods(_methods(view), inherited)
                    self._report(flat, base, hidden)

    def _find_parent_classes(self, flat: Flattened) -> set[DefinitionView] | None:
        """Return the parent class and those that it inherits from; None if it cannot be read."""
        for base in flat.child.bases:
            path = self.modular.parent_of.get(base)
            module = None if path is None else self.context.read(path)
            if module is not None:
                name = self.modular.original_names[base]
                ancestors = find_class_and_ancestors(self.context, module, name)
                return {one.view for one in ancestors if one.view is not None}
        return None

    def _report(self, flat: Flattened, base: str, hidden: Sequence[str]) -> None:
        for name in hidden:
            self.report(
                place_of_word(flat.child.header, base),
                name=name,
                child=flat.child.name,
                parent=flat.parent.name,
                base=base,
            )


def _bases_before_parent(
    flat: Flattened, parents: Mapping[str, object]
) -> tuple[str, ...]:
    """Return the bases that a class of the modular file names before its parent class."""
    bases = flat.child.bases
    for index, base in enumerate(bases):
        if base in parents:
            return bases[:index]
    return ()


def _methods(view: DefinitionView) -> dict[str, Statement]:
    """Return the methods of a class by name."""
    methods = find_methods(view.body.statements).values()
    return {method.name: method.statement for method in methods}


def _different_methods(
    methods: Mapping[str, Statement], others: Mapping[str, Statement]
) -> list[str]:
    """Return the names of the methods of which the other method with that name differs."""
    names = []
    for name, method in methods.items():
        other = others.get(name)
        if other is not None:
            if other.bare_code.normalized() != method.bare_code.normalized():
                names.append(name)
    return names
