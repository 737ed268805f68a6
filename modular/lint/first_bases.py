"""Reports classes that cannot do the same as an inheriting class, because of their bases."""

import ast
from collections.abc import Iterator, Set

from modular.flatten.flattened import Flattened
from modular.lint.bases import (
    Ancestor,
    find_base_and_ancestors,
    members_of,
)
from modular.lint.rule import LintRule
from modular.rules.classes.class_attributes import is_removal
from modular.source import python_trees
from modular.source.definition_view import DefinitionView
from modular.source.diagnostics import Place, Problem
from modular.source.places import place_of_word


_TYPING_BASES = ("Generic", "Protocol")


class CannotFlatten(LintRule):
    """The generated class cannot do what the inheriting class does.

    With the setting `inheritance = "python"`, a generated class does exactly what
    Python's inheritance does, and anything else is an error. Most calls of `super()`
    are no problem (see `kept-methods`). These are:

    - **A base before the parent class** that has one of its members, or whose code
      modular cannot read. In the generated class, the parent's members win.
    - **`super()` as a value, in a nested function, or of a class attribute.**
    - **A method whose name its decorator uses,** such as a `cached_property`, if it is
      called by `super()`.
    - **A private name** such as `__size` in both classes, which Python keeps apart.
    - **A removed member** that a base of the generated class has, too.
    - **Fields of a dataclass** that only one of the two classes would have.

    Write out what you need of the parent class, or define the class without one.

    Given `pyproject.toml`:

    ```toml
    [tool.modular]
    inheritance = "python"
    ```

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
    models/olmo/modular_olmo.py:9:15: `OlmoMLP` cannot be flattened: `Doubled` comes before the parent class, and has a member `forward` like it
    hint: write `LlamaMLP` first, or write `forward` out in `OlmoMLP`
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class Doubled:
        def forward(self, x):
            return 2 * x


    class OlmoMLP(LlamaMLP, Doubled):
        pass
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            parent = super()
            return parent.forward(x)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:6:18: `OlmoMLP` cannot be flattened: `super()` is used as a value
    hint: call the method in a statement of the method itself, as `super().method(...)`
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            forward = super().forward
            return forward(x)
    ```
    """

    code = Problem.CANNOT_FLATTEN
    message = "`{child}` cannot be flattened: {reason}"
    hint = "write `{parent}` first, or write `{member}` out in `{child}`"

    def check_class(self, flat: Flattened) -> None:
        """Report a base that comes first, and a removed member that a base has."""
        parent = flat.parent.name
        index = flat.child.bases.index(parent)
        later_names = {parent}
        for base in flat.parent.bases:
            for ancestor in find_base_and_ancestors(
                self.context, flat.child.name, base
            ):
                later_names.add(ancestor.name)
        for base in flat.child.bases[:index]:
            self._check_first_base(flat, base, later_names)
        self._check_removals(flat)

    def _check_first_base(
        self, flat: Flattened, base: str, later_names: set[str]
    ) -> None:
        """Report a base before the parent class that has one of its members.

        Args:
            flat: The class.
            base: The base.
            later_names: The classes that Python searches after the parent class.
        """
        place = place_of_word(flat.child.header, base)
        used_by_parent = _names_used_by_super(flat.parent)
        for ancestor in self._own_ancestors(flat, base, later_names):
            members = members_of(ancestor)
            if members is None:
                self._report(
                    flat,
                    place,
                    f"`{base}` comes before the parent class, and its members are not known",
                    "",
                )
                return
            shared = sorted(
                name for name in members if _concerns(flat, name, used_by_parent)
            )
            if shared:
                self._report(
                    flat,
                    place,
                    f"`{base}` comes before the parent class, and has a member "
                    f"`{shared[0]}` like it",
                    shared[0],
                )
                return

    def _own_ancestors(
        self, flat: Flattened, base: str, later_names: set[str]
    ) -> Iterator[Ancestor]:
        """Yield a base and its ancestors that Python searches before the parent class."""
        for ancestor in find_base_and_ancestors(self.context, flat.child.name, base):
            is_typing = ancestor.name.rpartition(".")[2] in _TYPING_BASES
            if ancestor.name not in later_names and not is_typing:
                yield ancestor

    def _check_removals(self, flat: Flattened) -> None:
        """Report a removed member that the generated class gets from a base."""
        for name, statement in flat.attributes.items():
            if not is_removal(statement):
                continue
            for base in flat.parent.bases:
                for ancestor in find_base_and_ancestors(
                    self.context, flat.child.name, base
                ):
                    if name in (members_of(ancestor) or ()):
                        self.report(
                            statement.bare_code,
                            child=flat.child.name,
                            reason=f"`{base}` has a member `{name}`, too",
                            hint="write the value that the class should have",
                        )
                        return

    def _report(self, flat: Flattened, at: Place, reason: str, member: str) -> None:
        """Report a base that comes before the parent class."""
        hint = "" if member else "write `{parent}` first"
        self.report(
            at,
            child=flat.child.name,
            parent=flat.parent.name,
            reason=reason,
            member=member,
            hint=hint,
        )


def _concerns(flat: Flattened, name: str, used_by_parent: Set[str]) -> bool:
    """Whether it matters that a base before the parent class has a member.

    It does if the parent class has it, too, or uses it by `super()`, unless the class
    overrides it without `super()`.

    Args:
        flat: The class.
        name: The name of the member.
        used_by_parent: The members that the parent class uses by `super()`.
    """
    if name in used_by_parent:
        return True
    inherited = {view.name for view in flat.inherited.values()}
    if name not in inherited and name not in flat.inherited_attributes:
        return False
    overriding = {view.name for view in flat.overriding.values()}
    is_overridden = name in overriding or name in flat.attributes
    return not is_overridden or name in _names_used_by_super(flat.child)


def _names_used_by_super(view: DefinitionView) -> set[str]:
    """Return the members that a class uses by `super()`, such as `forward`."""
    names = set()
    if "super" in view.code.mask:
        tree = python_trees.parse(view.statement.bare_code.text)
        for node in ast.walk(tree):
            match node:
                case ast.Attribute(
                    value=ast.Call(func=ast.Name(id="super")), attr=name
                ):
                    names.add(name)
    return names
