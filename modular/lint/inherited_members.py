"""Rules about members of a flattened class that Python would take from another class."""

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import NamedTuple

from modular.flatten.merged_class import MergedClass
from modular.lint.calls import find_super_uses
from modular.lint.rule import LintRule
from modular.rules.classes.bases import find_replaced
from modular.rules.classes.class_attributes import find_attributes
from modular.rules.classes.methods import find_methods
from modular.semantics.ancestors import Ancestor, known_own_members
from modular.semantics.meanings import Meaning
from modular.source import fixes
from modular.source.assignments import assigned_value
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import DefinitionView
from modular.source.diagnostics import Fix, Place, Problem
from modular.source.places import place_of, place_of_word
from modular.source.trees import node_text


class LostValue(LintRule):
    """An annotation without a value removes the parent's value.

    The generated class has no value for the attribute, although your class inherits the
    parent's value in Python. In the generated class, an attribute of your class
    replaces the parent's attribute of the same name, even if you write only an
    annotation. In the example, `tag: str` replaces the parent's `tag` and its value.

    Repeat the parent's value after the new annotation, as in `tag: str = "first"`.

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
    models/olmo/modular_olmo.py:5:5: the generated class has no value for `tag`; in Python it inherits the parent's value
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
        "the generated class has no value for `{name}`; "
        "in Python it inherits the parent's value"
    )
    hint = "write the value, too"

    def check_class(self, merged_class: MergedClass) -> None:
        """Report an annotation `size: int` that removes the value or method `size`.

        The annotation replaces the parent's `size = 4` in the generated class, which
        then has no value. In Python, the class would inherit the value.
        """
        methods = {method.name: method for method in merged_class.inherited.values()}
        for name, statement in merged_class.attributes.items():
            if not _is_bare_annotation(statement):
                continue
            replaced = merged_class.inherited_attributes.get(name)
            if name in methods:
                self.report(
                    statement.bare_code,
                    related=methods[name].header,
                    message="the generated class has no method `{name}`; "
                    "in Python it inherits the parent's method",
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
    return "=" not in statement.code.masked_text


def _write_value(statement: Statement, replaced: Statement) -> Iterator[Fix]:
    """Yield the fix that writes the parent's value after an annotation.

    With the parent's `size: int = 4`, it replaces `size: int` by `size: int = 4`. There
    is no fix if the annotation has a comment, or if it or the value has several lines.

    Args:
        statement: The annotation in the modular class.
        replaced: The attribute of the parent class.
    """
    value = assigned_value(replaced)
    code = statement.bare_code
    annotation = code.text.strip()
    if value is None or "#" in annotation or "\n" in annotation:
        return
    value_text = node_text(value)
    if "\n" not in value_text:
        yield fixes.replace(place_of(code), f"{annotation} = {value_text}")


class HiddenMixinMethod(LintRule):
    """A base that is listed before the parent class has a member of the same name.

    The generated class uses another method or attribute than your class does in Python.
    In the example, `OlmoMLP(Doubled, LlamaMLP)` inherits `forward` from `Doubled` in
    Python, because `Doubled` comes first. But modular copies the members of `LlamaMLP`
    into the body of the generated class, so the generated class has the `forward` of
    `LlamaMLP`. The same is true for members that `LlamaMLP` inherits from its own
    bases, such as the `extra_repr` of `nn.Module`: the generated class lists the bases
    of `LlamaMLP` before `Doubled`.

    modular does not report attributes of a base that replaces one of the parent's own
    bases. For example, `OlmoPreTrainedModel` replaces `LlamaPreTrainedModel`.

    Define the method or attribute in your class, or list the parent class before the
    other base.

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
    models/olmo/modular_olmo.py:9:15: the generated `OlmoMLP` gets `forward` from `LlamaMLP`; in Python it gets it from `Doubled`, which comes first
    hint: write `forward` out in `OlmoMLP`
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class Doubled:
        def forward(self, x):
            return 2 * x


    class OlmoMLP(Doubled, LlamaMLP):
        def forward(self, x):
            return super().forward(x)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:11:16: in the generated `OlmoMLP` this calls `LlamaMLP.forward`; in Python it calls `Doubled.forward`, because `Doubled` comes first
    hint: write `Doubled.forward(self, ...)`, or name `LlamaMLP` before `Doubled`
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
        "the generated `{child}` gets `{name}` from `{winner}`; "
        "in Python it gets it from `{base}`, which comes first"
    )
    hint = "write `{name}` out in `{child}`"

    def check_class(self, merged_class: MergedClass) -> None:
        """Report members that Python would take from a base before the parent class.

        In `class OlmoMLP(Mixin, LlamaMLP)`, Python takes the `forward` of `Mixin`. The
        generated class contains the `forward` of `LlamaMLP`, which hides it.
        """
        hidden_members = self._find_hidden_members(merged_class)
        if not hidden_members:
            return
        overridden = _members(merged_class.child)
        for member in hidden_members.values():
            if member.name not in overridden:
                place = place_of_word(merged_class.child.header, member.base)
                self._report_hidden(place, merged_class, member)
        self._check_super_calls(merged_class, hidden_members)

    def _find_hidden_members(
        self, merged_class: MergedClass
    ) -> dict[str, "_HiddenMember"]:
        """Return the members that Python takes from a base before the parent class.

        In `class OlmoMLP(Mixin, LlamaMLP)`, Python takes `forward` from `Mixin`. The
        generated class has the `forward` of `LlamaMLP`. If the two are equal, it does
        not matter.

        Returns:
            The members by name.
        """
        # All parent classes that the modular file imports, such as `LlamaMLP`.
        parent_classes = self.modular.parent_of.keys()
        # The bases before the parent class: only `Mixin` in the example.
        first_bases = list(
            takewhile(lambda base: base not in parent_classes, merged_class.child.bases)
        )
        if not first_bases:
            return {}
        hidden: dict[str, _HiddenMember] = {}
        generated_members = self._find_generated_members(merged_class)
        found_names: set[str] = set()
        for base in first_bases:
            for name, member in self._find_members_of_base(merged_class, base):
                # Of several classes with the member, Python takes that of the first.
                if name in found_names:
                    continue
                found_names.add(name)
                generated = generated_members.get(name)
                if generated is not None and _differ(member, generated):
                    hidden[name] = _HiddenMember(name, base, generated.class_name)
        return hidden

    def _find_members_of_base(
        self, merged_class: MergedClass, base: str
    ) -> Iterator[tuple[str, "_ClassMember"]]:
        """Yield the members that a base before the parent class has or inherits, by name.

        There are two exceptions:

        - Members of classes that the parent class inherits from, too, are not yielded,
          because Python searches these classes after the parent class.
        - If the base is a base of the parent class, or replaces one, only methods are
          yielded. In `OlmoModel(OlmoPreTrainedModel, LlamaModel)`, the first base
          replaces `LlamaPreTrainedModel`. Its attributes are only defaults, and
          `LlamaModel` may have other values on purpose.
        """
        parent_classes = self._find_parent_classes(merged_class)
        parent_bases = merged_class.parent.bases
        is_base_of_parent = base in parent_bases
        replaces_base_of_parent = find_replaced(base, parent_bases) is not None
        for ancestor in self.context.base_and_ancestors(merged_class.child.name, base):
            if ancestor.meaning in parent_classes:
                continue
            has_only_defaults = is_base_of_parent or replaces_base_of_parent
            if has_only_defaults and ancestor.view is not None:
                for name, statement in _methods(ancestor.view).items():
                    yield name, _ClassMember(ancestor.name, statement)
            else:
                yield from _members_of_ancestor(ancestor)

    def _find_generated_members(
        self, merged_class: MergedClass
    ) -> dict[str, "_ClassMember"]:
        """Return the members of the parent class and of the generated bases, by name.

        Members that the child class overrides are among them.
        """
        members = {}
        for name, statement in _members(merged_class.parent).items():
            members[name] = _ClassMember(merged_class.parent.name, statement)
        # The generated class contains the parent's members, so they hide those of its bases.
        for ancestor in self.context.ancestors_of(merged_class.child.name):
            for name, member in _members_of_ancestor(ancestor):
                members.setdefault(name, member)
        return members

    def _find_parent_classes(self, merged_class: MergedClass) -> set[Meaning]:
        """Return the parent class and its ancestors."""
        resolver = self.context.resolver
        # The parent class is the first base that is imported from a parent file.
        for base in merged_class.child.bases:
            path = self.modular.parent_of.get(base)
            if path is None:
                continue
            module = self.context.read(path)
            if module is None:
                continue
            name = self.modular.original_names[base]
            parent_class = resolver.meaning(module.path, name)
            classes = resolver.class_and_ancestors(parent_class)
            return {class_.meaning for class_ in classes}
        return set()

    def _check_super_calls(
        self, merged_class: MergedClass, hidden_members: Mapping[str, "_HiddenMember"]
    ) -> None:
        """Report uses of `super()` that reach a different method from the one in Python.

        In `class OlmoMLP(Mixin, LlamaMLP)`, `super().forward(x)` calls `Mixin.forward`
        in Python. For the generated class, there are two cases:

        - modular replaces the call with the body of `LlamaMLP.forward`.
        - modular copies the call, for example in `y = super().forward(x)`. The copied
          call skips `LlamaMLP`, which is not a base of the generated class. It reaches
          the `forward` of another base.

        Args:
            merged_class: The class, merged with its parent class.
            hidden_members: The members that Python would find in a base before the
                parent class, by name.
        """
        for use in find_super_uses(merged_class):
            member = hidden_members.get(use.method)
            # `ChangedMethod` reports `super(LlamaMLP, self).forward(x)`.
            if member is None or use.names_another_class(merged_class.child.name):
                continue
            # `SuperPastParent` reports a copied call that skips the parent's member.
            is_copied = not use.is_replaced
            is_parent_member = member.generated_class == merged_class.parent.name
            if is_copied and is_parent_member:
                continue
            self._report_hidden(
                use.place,
                merged_class,
                member,
                message=_HIDDEN_FROM_SUPER,
                hint=_NAME_THE_BASE,
            )

    def _report_hidden(
        self,
        place: Place,
        merged_class: MergedClass,
        member: "_HiddenMember",
        message: str = "",
        hint: str = "",
    ) -> None:
        """Report a hidden member; without a message, that of the rule is used."""
        self.report(
            place,
            message=message,
            hint=hint,
            name=member.name,
            child=merged_class.child.name,
            parent=merged_class.parent.name,
            winner=member.generated_class,
            base=member.base,
        )


_HIDDEN_FROM_SUPER = (
    "in the generated `{child}` this calls `{winner}.{name}`; "
    "in Python it calls `{base}.{name}`, because `{base}` comes first"
)
_NAME_THE_BASE = "write `{base}.{name}(self, ...)`, or name `{parent}` before `{base}`"


class _ClassMember(NamedTuple):
    """A member, and the class that defines it.

    Attributes:
        class_name: The name of the class.
        statement: The member; None if the class is in no file.
    """

    class_name: str
    statement: Statement | None


class _HiddenMember(NamedTuple):
    """A member that the generated class has, but Python would take from another class.

    Attributes:
        name: The name of the member.
        base: The base that has or inherits the member that Python would take.
        generated_class: The class whose member the generated class has.
    """

    name: str
    base: str
    generated_class: str


def _methods(view: DefinitionView) -> dict[str, Statement]:
    """Return the methods of a class by name."""
    methods = find_methods(view.body.statements).values()
    return {method.name: method.statement for method in methods}


def _members(view: DefinitionView) -> dict[str, Statement]:
    """Return the methods and class attributes of a class by name."""
    return {**find_attributes(view.body.statements), **_methods(view)}


def _members_of_ancestor(ancestor: Ancestor) -> Iterator[tuple[str, _ClassMember]]:
    """Yield the members that an ancestor defines, by name, as far as they are known."""
    if ancestor.view is None:
        for name in sorted(known_own_members(ancestor.meaning)):
            yield name, _ClassMember(ancestor.name, statement=None)
        return
    for name, statement in _members(ancestor.view).items():
        yield name, _ClassMember(ancestor.name, statement)


def _differ(member: _ClassMember, generated: _ClassMember) -> bool:
    """Whether the member that Python takes is another one than that of the generated class."""
    if member.statement is not None and generated.statement is not None:
        code = member.statement.bare_code
        return not code.has_same_code(generated.statement.bare_code)
    if member.statement is not None:
        is_method = member.statement.kind is Kind.FUNCTION
        return is_method or not _is_bare_annotation(member.statement)
    return member != generated
