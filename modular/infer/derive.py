"""Writes a class as a child of another model's class, without what it inherits."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from modular.flatten.python_policy import PythonPolicy
from modular.flatten.transformers_policy import TransformersPolicy
from modular.infer.equivalence import (
    equal_after_formatting,
    equal_apart_from_order,
    normal_form,
)
from modular.infer.overrides import changed_docstring, write_override
from modular.rules.classes.bases import merge_bases, merge_bases_in_order
from modular.rules.classes.class_attributes import (
    find_attributes,
    find_dropped_statements,
)
from modular.rules.classes.decorators import NO_INHERIT_DECORATOR
from modular.rules.classes.methods import find_methods
from modular.source.blocks import Statement, split
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.diagnostics import has_errors
from modular.source.indentation import STEP
from modular.source.source_slice import join_slices, synthetic


@dataclass(frozen=True, slots=True)
class DerivedClass:
    """A class as a modular file writes it.

    Attributes:
        text: The class.
        inherited: The members that it inherits.
        merged: The methods that call `super()`.
        overridden: The members that it writes in full.
        in_order: Whether the generated lines have the wanted order. Otherwise some
            have swapped places, which has no effect.
    """

    text: str = ""
    inherited: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    overridden: tuple[str, ...] = ()
    in_order: bool = True

    @property
    def line_count(self) -> int:
        """The number of lines, with blank ones."""
        return self.text.count("\n")

    @property
    def inherits_everything(self) -> bool:
        """Whether everything is inherited."""
        has_empty_body = self.text.endswith(f":\n{STEP}pass\n")
        return has_empty_body and not (self.overridden or self.merged)

    def count_saved_lines(self, child: DefinitionView) -> int:
        """Return how many lines fewer it has than the flat class."""
        return child.code.text.strip("\n").count("\n") + 1 - self.line_count


def derive_class(
    parent: DefinitionView,
    child: DefinitionView,
    merges_docstring: bool = False,
    *,
    can_merge: bool = True,
    is_like_python: bool = False,
) -> DerivedClass | None:
    """Return a short child class from which the converter generates a complete class.

    Up to two child classes are written, converted, and compared with the complete class:
    first one with methods that call `super()`, then one with all methods in full.

    Args:
        parent: The parent class, with the names of the child's model. Its own name is
            the one under which the modular file imports it.
        child: The complete class.
        merges_docstring: Whether the converter merges docstrings entry by entry.
        can_merge: Whether methods may call the parent's by `super()`.
        is_like_python: Whether the converter does what Python's inheritance does. By
            default, it does what the converter of transformers does.

    Returns:
        The first one that generates exactly the complete class, or else the first one
        that generates its lines in another order of the same effect. None if neither
        saves lines.
    """
    if find_dropped_statements(parent.body.statements + child.body.statements):
        # The converter would drop a statement of one of the bodies, such as an `if`.
        return None
    if find_bases(parent, child, is_like_python) is None:
        return None
    reordered = None
    writer = ClassWriter(parent, child, is_like_python=is_like_python)
    for variant in writer.write_variants(can_merge=can_merge):
        has_decorators = variant.text.startswith("@")
        if is_like_python and not (variant.inherits_everything or has_decorators):
            # A decorator of the parent class is meant for what the parent class has.
            variant = replace(variant, text=child.decorators.text + variant.text)
        # The two lines `class OlmoMLP(LlamaMLP): pass` are accepted, even if they save
        # none, because the modular file may not have to mention the class at all.
        saves_lines = variant.count_saved_lines(child) > 0
        if not saves_lines and not variant.inherits_everything:
            continue
        generated = _generate(variant, parent, child, merges_docstring, is_like_python)
        if generated is None:
            continue
        if equal_after_formatting(generated.code, child.code):
            return variant
        if reordered is None and equal_apart_from_order(generated, child.statement):
            reordered = replace(variant, in_order=False)
    return reordered


def _generate(
    variant: DerivedClass,
    parent: DefinitionView,
    child: DefinitionView,
    merges_docstring: bool,
    is_like_python: bool,
) -> Statement | None:
    """Return the complete class that the converter generates from a child class.

    From `class OlmoMLP(LlamaMLP): pass`, this is an `OlmoMLP` with all that it inherits
    from `LlamaMLP`. None if the converter would report an error.

    Args:
        variant: The child class as the modular file would write it.
        parent: The parent class.
        child: The complete class that is wanted. The child class is in no file yet, so
            its code gets the path and line of the wanted class.
        merges_docstring: Whether the converter merges docstrings entry by entry.
        is_like_python: Whether the converter does what Python's inheritance does.
    """
    code = synthetic(variant.text, child.code.path, child.statement.line)
    variant_class = view_definition(split(code).statements[0])
    # Flattening merges the variant with the parent class.
    policy = PythonPolicy if is_like_python else TransformersPolicy
    merged_class = policy(parent, variant_class, parent.name).plan(merges_docstring)
    if has_errors(merged_class.diagnostics) or merged_class.obstacles:
        return None
    slices = [part.code for part in merged_class.parts]
    return split(join_slices(slices, merged_class.path)).statements[0]


def find_bases(
    parent: DefinitionView, child: DefinitionView, is_like_python: bool
) -> tuple[str, ...] | None:
    """Return the bases that a class must have in the modular file.

    If `OlmoModel(nn.Module, Mixin)` is to inherit from `LlamaModel(nn.Module)`, these are
    `LlamaModel` and `Mixin`. The converter replaces `LlamaModel` with its bases, and so
    generates `OlmoModel(nn.Module, Mixin)` again.

    Args:
        parent: The parent class.
        child: The complete class.
        is_like_python: Whether the converter does what Python's inheritance does.

    Returns:
        The bases. None if the converter would generate other bases. For example, it
        never generates the order of `OlmoModel(Mixin, nn.Module)`.
    """
    further_bases = tuple(name for name in child.bases if name not in parent.bases)
    bases = (parent.name, *further_bases)
    if is_like_python:
        generated_bases = merge_bases_in_order(parent.bases, bases, parent.name)
    else:
        generated_bases = merge_bases(parent.bases, further_bases)
    return bases if generated_bases == child.bases else None


def _write_decorators(parent: DefinitionView, child: DefinitionView) -> str:
    """Return the decorators that a class needs in the modular file.

    A class inherits the decorators of its parent class, so it needs none if they are
    equal. To get none at all, it needs the marker `@no_inherit_decorator`.
    """
    if normal_form(parent.decorators) == normal_form(child.decorators):
        return ""
    # Without this marker, a child without decorators would inherit the parent's.
    return child.decorators.text or f"@{NO_INHERIT_DECORATOR}\n"


@dataclass
class _Members:
    """The members of a class that is written as a child.

    Attributes:
        inherited: The names of members that it inherits.
        merged: The names of methods that call `super()`.
        overridden: The names of members that it writes in full.
        texts: The texts of the members that it writes.
    """

    inherited: list[str] = field(default_factory=list)
    merged: list[str] = field(default_factory=list)
    overridden: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class ClassWriter:
    """Writes a class as a child of a parent class, with only what it does not inherit.

    Attributes:
        parent: The parent class.
        child: The complete child class.
        is_like_python: Whether the converter does what Python's inheritance does.
        keeps_order: Whether a method is written if only the order of its lines differs
            from the parent's.
    """

    parent: DefinitionView
    child: DefinitionView
    is_like_python: bool
    keeps_order: bool = False

    def write_variants(self, *, can_merge: bool = True) -> Iterator[DerivedClass]:
        """Yield the class with methods that call `super()`, then with all methods in full.

        The second one is left out if no method of the first calls `super()`, so that both
        would be the same. One that cannot be written is left out, too.

        Args:
            can_merge: Whether methods may call `super()`. If not, only the second one is
                yielded.
        """
        if can_merge:
            merging_class = self._write_class(merges_methods=True)
            if merging_class is not None:
                yield merging_class
                calls_super = bool(merging_class.merged)
                if not calls_super:
                    return
        class_in_full = self._write_class(merges_methods=False)
        if class_in_full is not None:
            yield class_in_full

    def _write_class(self, *, merges_methods: bool) -> DerivedClass | None:
        """Return the class as a child that has only the members it does not inherit.

        A member that only the parent has is removed: `size = AttributeError()`.

        Args:
            merges_methods: Whether methods may call the parent's by `super()`.

        Returns:
            The child class. None if one of its members cannot be written, or one of the
            parent's cannot be removed.
        """
        members = _Members()
        docstring = changed_docstring(self.parent, self.child)
        self._write_attributes(members, follows_docstring=bool(docstring))
        if not self._write_methods(members, merges_methods):
            return None
        if not docstring and members.texts:
            # The first member follows the `class` line without a blank line.
            members.texts[0] = members.texts[0].lstrip("\n")

        removed_methods = _find_removed_methods(self.parent, self.child)
        if removed_methods is None:
            return None
        for name in removed_methods:
            removal = write_removal(name, self.child.name, self.is_like_python)
            members.texts.append(removal)
        if not docstring and not members.texts:
            members.texts.append(f"{STEP}pass\n")
        return DerivedClass(
            text=f"{self._write_head()}{docstring}{''.join(members.texts)}",
            inherited=tuple(members.inherited),
            merged=tuple(members.merged),
            overridden=tuple(members.overridden),
        )

    def _write_head(self) -> str:
        """Return the decorators and the `class` line."""
        bases = find_bases(self.parent, self.child, self.is_like_python)
        listed = ", ".join(bases or (self.parent.name,))
        decorators = _write_decorators(self.parent, self.child)
        return f"{decorators}class {self.child.name}({listed}):\n"

    def _write_attributes(self, members: _Members, *, follows_docstring: bool) -> None:
        """Add to the members of a child class the attributes that it must write.

        An attribute that only the parent has is removed by `name = AttributeError()`.

        Args:
            members: The members, which are changed.
            follows_docstring: Whether a docstring is above the first attribute.
        """
        parent_attributes = find_attributes(self.parent.body.statements)
        child_attributes = find_attributes(self.child.body.statements)
        changed = []
        for name, attribute in child_attributes.items():
            inherited = parent_attributes.get(name)
            if inherited and equal_after_formatting(inherited.code, attribute.code):
                members.inherited.append(name)
            else:
                members.overridden.append(name)
                changed.append(attribute.code.text)

        removed = []
        for name in parent_attributes:
            if name not in child_attributes:
                removed.append(f"{STEP}{name} = AttributeError()\n")
        members.texts += _order_attributes(changed, removed, follows_docstring)

    def _write_methods(self, members: _Members, merges_methods: bool) -> bool:
        """Add to the members of a child class the methods that it must write.

        Args:
            members: The members, which are changed.
            merges_methods: Whether methods may call the parent's by `super()`.

        Returns:
            False if a method can neither be inherited nor written as an override.
        """
        parent_methods = find_methods(self.parent.body.statements)
        for name, method in find_methods(self.child.body.statements).items():
            inherited = parent_methods.get(name)
            if inherited and equal_after_formatting(inherited.code, method.code):
                members.inherited.append(name)
                continue
            override = write_override(
                inherited,
                method,
                self.child,
                self.parent.name,
                can_merge=merges_methods,
                is_like_python=self.is_like_python,
            )
            if override is None:
                return False

            if override.merged:
                # It calls the parent's method by `super()`.
                members.merged.append(name)
                members.texts.append(override.text)
                continue
            only_order_differs = inherited is not None and equal_apart_from_order(
                inherited.statement, method.statement
            )
            if only_order_differs and not self.keeps_order:
                members.inherited.append(name)
            else:
                members.overridden.append(name)
                members.texts.append(override.text)
        return True


def write_removal(method: str, class_name: str, as_attribute: bool) -> str:
    """Return the code by which a class removes a method of its parent class.

    Args:
        method: The name of the method.
        class_name: The class of the modular file.
        as_attribute: Whether to write `method = AttributeError()`, which also works with
            Python's inheritance. Otherwise, this is a method that raises `AttributeError`.
    """
    if as_attribute:
        return f"{STEP}{method} = AttributeError()\n"
    message = f'"Not needed for {class_name}"'
    body = f"{STEP * 2}raise AttributeError({message})\n"
    return f"\n{STEP}def {method}(self):\n{body}"


def _find_removed_methods(
    parent: DefinitionView, child: DefinitionView
) -> list[str] | None:
    """Return the names of the parent's methods that the child class must remove.

    These are, in the order of the parent class, those that a complete child class does
    not have.

    Returns:
        The names. None if a method cannot be removed, because the child has one of the
        same name: the parent has a property `x` with a setter, and the child only the
        property.
    """
    child_methods = find_methods(child.body.statements)
    child_method_names = {method.name for method in child_methods.values()}
    child_attributes = find_attributes(child.body.statements)
    # A dict keeps each name once, in order.
    removed_names: dict[str, None] = {}
    # The key of a property is `x`, and that of its setter `x.setter`. Both have the name
    # `x`.
    for key, method in find_methods(parent.body.statements).items():
        is_replaced = key in child_methods or method.name in child_attributes
        if is_replaced:
            continue
        if method.name in child_method_names:
            return None
        removed_names[method.name] = None
    return list(removed_names)


def _order_attributes(
    changed: list[str], removed: list[str], follows_docstring: bool
) -> list[str]:
    """Return the attributes that a class writes, with one first that the formatter keeps.

    Below a docstring, this is an attribute with a blank line above it. Below `class A:`,
    it is an attribute without. The formatter would change the blank lines of any other
    first attribute, and the converter would copy this change into the generated class.

    A removed attribute can always be first, because it is not generated.

    Args:
        changed: The texts of attributes that differ from the parent's.
        removed: The texts that remove an attribute of the parent, such as
            `size = AttributeError()`.
        follows_docstring: Whether a docstring is above the first attribute.
    """
    texts = changed + removed
    for first in texts:
        has_blank_line_above = first.startswith("\n")
        if first in removed or has_blank_line_above == follows_docstring:
            return [first, *(text for text in texts if text != first)]
    return texts
