"""The judge: finds where a generated class is not what Python's inheritance makes.

It knows classes and what makes them. Rules turn its answers into findings.
"""

from collections.abc import Iterator

from modular.lint.builder_differences import compare_builders
from modular.lint.inheritance import (
    Difference,
    Harm,
    Inheritance,
)
from modular.lint.reflection_differences import compare_reflection
from modular.semantics.classes import (
    ClassModel,
)
from modular.semantics.facts import SuperForm
from modular.semantics.meanings import Definition
from modular.semantics.statements import (
    find_names_read_at_once,
    variables_set_by,
)
from modular.source.blocks import Kind
from modular.source.places import place_of, place_of_word
from modular.source.source_slice import has_word


def compare_class(pair: Inheritance) -> Iterator[Difference]:
    """Yield where a generated class is not the class that Python makes.

    Args:
        pair: The class of the modular file and its parent class.
    """
    yield from compare_builders(pair)
    yield from _compare_mixins(pair)
    yield from compare_reflection(pair)
    if not pair.flat.is_like_python:
        yield from _compare_merged_bodies(pair)


def _compare_mixins(pair: Inheritance) -> Iterator[Difference]:
    """Yield bases before the parent class that call its members by `super()`.

    In Python, they come before the parent class. The generated class contains the
    members of the parent class, and comes before them.
    """
    bases = pair.flat.child.bases
    index = bases.index(pair.flat.parent.name)
    if index == 0:
        return
    resolver = pair.context.resolver
    members = pair.parent.members.keys()
    for base in bases[:index]:
        start = resolver.base(pair.definition, base)
        classes = [start]
        if isinstance(start, Definition):
            classes += resolver.ancestors(start).classes
        for class_ in classes:
            model = pair.class_of(class_)
            is_later = class_ in (pair.parent_definition, *pair.ancestors_of_parent)
            if model is None or is_later:
                continue
            called = _super_members(model) & members
            if called:
                name = min(called)
                yield Difference(
                    name,
                    place_of_word(pair.flat.child.header, base),
                    f"`super().{name}` in `{model.name}` does not reach the `{name}` of "
                    f"`{pair.flat.parent.name}`, because the generated class contains it",
                    f"write `{pair.flat.parent.name}` first",
                )
                return


def _super_members(model: ClassModel) -> set[str]:
    """Return the members that the methods of a class use by `super()`.

    If a method uses `super()` as a value, as in `getattr(super(), "f")`, all names and
    strings in it count.
    """
    names: set[str] = set()
    for function in model.functions:
        if not has_word(function.statement.code.mask, "super"):
            continue
        for _, facts in function.body:
            for use in facts.super_uses:
                names.add(use.method)
                if use.form in (SuperForm.OBJECT, SuperForm.FUNCTION):
                    names |= function.statement.words | facts.strings
    return names - {""}


def _compare_merged_bodies(pair: Inheritance) -> Iterator[Difference]:
    """Yield attributes that the rules of transformers merge otherwise than Python.

    Attributes come before methods, and an attribute of the child replaces the parent's
    whole statement.
    """
    own_names = pair.child.members.keys()
    replaced = pair.flat.attributes.keys() & pair.flat.inherited_attributes.keys()
    for name in sorted(replaced):
        statement = pair.flat.inherited_attributes[name]
        lost = variables_set_by(statement) - own_names - {name}
        if lost and statement.kind is Kind.ASSIGNMENT:
            yield Difference(
                min(lost),
                place_of(pair.flat.attributes[name].bare_code),
                f"this replaces the parent's statement that also sets `{min(lost)}`, which "
                "the generated class does not have",
                f"write `{min(lost)} = ...`, too",
                Harm.CALL_FAILS,
                related=place_of(statement.bare_code),
            )
    yield from _compare_values_read_at_once(pair)
    yield from _compare_names_of_child(pair)


def _compare_values_read_at_once(pair: Inheritance) -> Iterator[Difference]:
    """Yield members of the parent class that read the child's value of an attribute.

    The parent has `size = 1` and `def f(self, x=size)`. In the generated class, the
    child's `size = 2` stands above the method.
    """
    shared = pair.child.members.keys() & pair.parent.members.keys()
    if not shared:
        return
    for name, member in pair.parent.members.items():
        if name in pair.child.members:
            continue
        for statement in member.statements:
            read = [
                read_name
                for read_name in sorted(find_names_read_at_once(statement, shared))
                if _is_changed(pair, read_name)
            ]
            if read:
                yield Difference(
                    read[0],
                    pair.place_of_member(pair.child.members[read[0]]),
                    f"the parent's `{name}` reads this `{read[0]}` when the generated class "
                    "is made; in Python it has the parent's value",
                    f"write out `{name}` with the value that it should have",
                    related=place_of(statement.bare_code),
                )


def _is_changed(pair: Inheritance, name: str) -> bool:
    """Whether a member of both classes has another value in the modular class."""
    child = pair.child.members[name].statements[-1]
    parent = pair.parent.members[name].statements[-1]
    return child.bare_code.normalized() != parent.bare_code.normalized()


def _compare_names_of_child(pair: Inheritance) -> Iterator[Difference]:
    """Yield members of the child that read a name which is a member of the parent class.

    In Python, `limit = size` in the child reads a variable of the module.
    """
    parent_names = pair.parent.members.keys() - pair.child.members.keys()
    for name, member in pair.child.members.items():
        for statement in member.statements:
            for read in sorted(find_names_read_at_once(statement, parent_names)):
                yield Difference(
                    name,
                    pair.place_of_member(member),
                    f"this reads the member `{read}` of `{pair.flat.parent.name}`; in Python "
                    "it reads a variable of the module",
                    f"rename the variable `{read}`",
                )
