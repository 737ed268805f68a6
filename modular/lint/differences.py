"""Finds where a generated class is not what Python's inheritance makes.

It knows classes and what makes them. Rules turn its answers into findings.
"""

from collections.abc import Iterator, Set

from modular.lint.builder_differences import compare_builders
from modular.lint.class_views import compare_class_views
from modular.lint.inheritance import (
    Difference,
    Harm,
    Inheritance,
    changes_module,
    find_function,
    function_of,
    is_harmless_decorator_name,
)
from modular.lint.reflection_differences import (
    compare_reflection,
    is_harmless_decorator,
)
from modular.lint.super_differences import (
    compare_super_outside_class,
    compare_super_outside_methods,
)
from modular.rules.classes.class_attributes import target_text
from modular.rules.classes.merge_record import Fate
from modular.semantics.classes import ClassModel, MemberKind
from modular.semantics.facts import ORDERED_METHODS, SuperForm, Usage
from modular.semantics.functions import read_decorators_of
from modular.semantics.meanings import (
    Builtin,
    Definition,
    ForeignName,
    ImportedModule,
)
from modular.semantics.statements import (
    facts_of,
    facts_of_header,
    find_names_read_at_once,
    variables_set_by,
)
from modular.source.assignments import assigned_target, assigned_value
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.places import place_of, place_of_word
from modular.source.source_slice import has_word


def compare_class(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield where a generated class is not the class that Python makes.

    Args:
        inheritance: The class of the modular file and its parent class.
    """
    yield from compare_builders(inheritance)
    yield from _compare_mixins(inheritance)
    yield from compare_reflection(inheritance)
    yield from _compare_lost_calls(inheritance)
    yield from compare_super_outside_class(inheritance)
    if inheritance.is_like_python:
        yield from _compare_deletions(inheritance)
        yield from compare_class_views(inheritance)
    else:
        yield from _compare_merged_bodies(inheritance)


_EFFECTIVE_BUILTINS = frozenset(
    {
        "breakpoint",
        "delattr",
        "eval",
        "exec",
        "input",
        "next",
        "open",
        "print",
        "setattr",
    }
)
"""Functions of Python that do more than to compute a value."""


def _compare_lost_calls(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield calls in the parent's body that Python makes once, unlike the generated class.

    If the parent has `size = next(sizes)`, and the child replaces `size`, the generated
    class does not make the call. Otherwise each generated class makes it.
    """
    child_members = inheritance.child.members
    names: Set[str] = inheritance.parent.members.keys()
    if not inheritance.is_like_python:
        names &= child_members.keys()
    # Most classes replace nothing. Then the parent class is not read in its own file.
    if not names:
        return
    original_members = inheritance.original_parent.members
    for name in sorted(names & original_members.keys()):
        for statement in original_members[name].statements:
            if not _runs_code(statement):
                continue
            if name in child_members:
                yield from _compare_lost_decorators(inheritance, name, statement)
                yield from _compare_replaced_calls(inheritance, name, statement)
            else:
                yield from _compare_repeated_calls(inheritance, name, statement)


def _compare_repeated_calls(
    inheritance: Inheritance, name: str, statement: Statement
) -> Iterator[Difference]:
    """Yield calls such as `next(sizes)` in an inherited member of the parent class.

    Args:
        inheritance: The child class and its parent class.
        name: The member, `size`.
        statement: The statement that defines it, `size = next(sizes)`.
    """
    for function in _find_effective_calls(inheritance, statement):
        yield Difference(
            name,
            inheritance.header,
            f"each class that contains `{name}` of `{inheritance.parent.name}` "
            f"calls {function}; in Python it is called once",
            f"write out `{name}`",
            related=place_of(statement.bare_code),
        )


def _compare_replaced_calls(
    inheritance: Inheritance, name: str, statement: Statement
) -> Iterator[Difference]:
    """Yield calls such as `next(sizes)` in a member of the parent that the child replaces.

    Args:
        inheritance: The child class and its parent class.
        name: The member, `size`.
        statement: The parent's statement that defines it, `size = next(sizes)`.
    """
    is_strict = inheritance.is_like_python
    for function in _find_effective_calls(inheritance, statement, is_strict):
        yield Difference(
            name,
            inheritance.place_of_member(inheritance.child.members[name]),
            f"this replaces the parent's `{name}`, so its call to "
            f"{function} never runs; in Python it runs",
            "use another name",
            related=place_of(statement.bare_code),
        )


def _find_effective_calls(
    inheritance: Inheritance, statement: Statement, is_strict: bool = False
) -> Iterator[str]:
    """Yield the functions that a statement of the parent class calls for their effect.

    They are quoted for a message, or described as "a function" without a name.

    Args:
        inheritance: The child class and its parent class.
        statement: The statement. Of a method, only the header is searched, because its
            body runs later.
        is_strict: Whether a call counts if its effect is not known.
    """
    read_facts = facts_of_header if statement.is_definition else facts_of
    for call in read_facts(statement).calls:
        if _has_effect(inheritance, call.function, is_strict):
            yield f"`{call.function}`" if call.function else "a function"


def _compare_lost_decorators(
    inheritance: Inheritance, name: str, statement: Statement
) -> Iterator[Difference]:
    """Yield decorators of a replaced method that may store the method elsewhere, too.

    The parent has `@register` above `forward`, and the child overrides `forward`.
    Python has registered the parent's method. The generated class does not contain it.

    Args:
        inheritance: The child class and its parent class.
        name: The member.
        statement: The statement of the parent class that defines it.
    """
    if not inheritance.is_like_python:
        return
    for decorator in read_decorators_of(statement):
        function = find_function(inheritance, decorator)
        if function is None:
            continue
        if changes_module(function) or not is_harmless_decorator(
            inheritance, decorator
        ):
            yield Difference(
                name,
                inheritance.place_of_member(inheritance.child.members[name]),
                f"this replaces the parent's `{name}`, but the decorator `@{decorator}` may "
                "have stored it elsewhere",
                "use another name",
                related=place_of(statement.bare_code),
            )


def _runs_code(statement: Statement) -> bool:
    """Whether a statement of a class body may call something when the class is made.

    `size = next(sizes)` does, and so do decorators and the default in
    `def f(self, x=next(sizes))`. The body of a method runs later.
    """
    if not statement.is_definition:
        return "(" in statement.code.masked_text
    if not all(map(is_harmless_decorator_name, read_decorators_of(statement))):
        return True
    parameters = view_definition(statement).header.masked_text.partition("(")[2]
    return "(" in parameters


def _has_effect(inheritance: Inheritance, function: str, is_strict: bool) -> bool:
    """Whether a call in the parent class may do more than to compute a value.

    `print(1)` does, and `len(x)` does not.

    Args:
        inheritance: The child class and its parent class.
        function: The function as it is called, such as `sizes.pop`. Empty for a call
            such as `find()()`.
        is_strict: Whether a call counts if its effect is not known.
    """
    if is_harmless_decorator_name(function):
        return False
    if not function:
        return is_strict
    variable = function.partition(".")[0]
    path = inheritance.parent_definition.path
    meaning = inheritance.context.resolver.meaning(path, variable)
    match meaning:
        case Builtin(name=builtin):
            return builtin in _EFFECTIVE_BUILTINS
        case Definition(kind=Kind.FUNCTION):
            return is_strict or changes_module(function_of(inheritance, meaning))
        # `sizes = iter(SIZES)`, and the call of `sizes.pop`.
        case Definition(kind=Kind.ASSIGNMENT):
            method = function.rpartition(".")[2]
            return is_strict or method in ORDERED_METHODS
        # A class, or the function of another library.
        case Definition() | ForeignName() | ImportedModule():
            return False
    return is_strict


def _compare_deletions(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield `del size` in the body of the child, which would delete the parent's `size`."""
    for statement in inheritance.merged_class.child.body.statements:
        if statement.is_definition:
            continue
        for mention in facts_of(statement).mentions:
            # `del size.width` deletes only an attribute of `size`.
            deleted_name = mention.dotted_name
            is_deleted = mention.usage is Usage.DELETED
            if is_deleted and deleted_name in inheritance.parent.members:
                yield Difference(
                    deleted_name,
                    place_of(statement.bare_code),
                    f"this would delete the `{deleted_name}` of `{inheritance.parent.name}`, "
                    "too",
                    "use another name",
                )


def _compare_mixins(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield the first base before the parent class whose `super()` would call a member.

    In `class OlmoMLP(Mixin, LlamaMLP)`, the `super().forward(x)` of `Mixin` calls
    `LlamaMLP.forward` in Python. The generated class contains the code of `LlamaMLP`,
    and inherits only from `Mixin`.
    """
    bases = inheritance.child.bases
    parent_index = bases.index(inheritance.parent.name)
    if parent_index == 0:
        return
    resolver = inheritance.context.resolver
    # Python searches these classes after all bases before the parent class, even if
    # such a base inherits from one of them.
    searched_later = {inheritance.parent_definition, *inheritance.ancestors_of_parent}
    for base in bases[:parent_index]:
        base_class = resolver.base(inheritance.definition, base)
        classes = [base_class]
        if isinstance(base_class, Definition):
            classes += resolver.ancestors(base_class).classes
        for class_ in classes:
            model = inheritance.class_of(class_)
            if model is None or class_ in searched_later:
                continue
            unreached = _super_members(model) & inheritance.parent.members.keys()
            if unreached:
                name = min(unreached)
                yield Difference(
                    name,
                    place_of_word(inheritance.merged_class.child.header, base),
                    f"`super().{name}` in `{model.name}` does not reach the `{name}` of "
                    f"`{inheritance.parent.name}`, because the generated class contains it",
                    f"write `{inheritance.parent.name}` first",
                )
                return


def _super_members(model: ClassModel) -> set[str]:
    """Return the members that the methods of a class use by `super()`.

    If a method uses `super()` as a value, as in `getattr(super(), "f")`, all names and
    strings in it count.
    """
    names: set[str] = set()
    for function in model.functions:
        if not has_word(function.statement.code.masked_text, "super"):
            continue
        for _, facts in function.body:
            for use in facts.super_uses:
                names.add(use.method)
                if use.form in (SuperForm.OBJECT, SuperForm.FUNCTION):
                    names |= function.statement.words | facts.strings
    return names - {""}


def _compare_merged_bodies(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield attributes that the rules of transformers merge differently from Python.

    Attributes come before methods, and an attribute of the child replaces the parent's
    whole statement.
    """
    yield from _compare_replaced_statements(inheritance)
    yield from _compare_overwritten_attributes(inheritance)
    yield from _compare_repeated_attributes(inheritance)
    yield from _compare_values_read_at_once(inheritance)
    yield from _compare_names_of_child(inheritance)
    yield from compare_super_outside_methods(inheritance)


def _compare_replaced_statements(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield the child's `size = 4` if it replaces the parent's `size = width = 8`.

    The generated class has no `width`.
    """
    attributes = inheritance.merged_class.attributes
    inherited_attributes = inheritance.merged_class.inherited_attributes
    for name in sorted(attributes.keys() & inherited_attributes.keys()):
        statement = inherited_attributes[name]
        lost = variables_set_by(statement) - inheritance.child.members.keys() - {name}
        if lost:
            yield Difference(
                min(lost),
                place_of(attributes[name].bare_code),
                f"this replaces the parent's statement that also sets `{min(lost)}`, which "
                "the generated class does not have",
                f"write `{min(lost)} = ...`, too",
                Harm.CALL_FAILS,
                related=place_of(statement.bare_code),
            )


def _compare_overwritten_attributes(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield the child's assignments below which the parent's are generated.

    One is `size = width = 8` if the parent's `width = 2` comes below it. Another one is
    `size = 8`, which takes the place of the parent's `size = 1`, if the parent's
    `size, width = 2, 3` follows.
    """
    # The last statement of the child, and the last one of the parent, that sets a name.
    own: dict[str, Statement] = {}
    inherited: dict[str, Statement] = {}
    for member in inheritance.merged_class.members:
        if not member.fate.is_generated:
            continue
        for name in variables_set_by(member.statement):
            if member.fate is Fate.KEPT:
                inherited[name] = member.statement
            elif not member.statement.is_definition:
                own[name] = member.statement
                inherited.pop(name, None)
    for name in sorted(own.keys() & inherited.keys()):
        statement = inherited[name]
        # An assignment to `name` alone takes the place of a method.
        target = target_text(statement).replace(",", ", ") or name
        yield Difference(
            name,
            place_of(own[name].bare_code),
            f"in the generated class, the parent's `{name}` comes below this one and wins; "
            "in Python this one wins",
            f"also write `{target} = ...`, which replaces the parent's statement",
            related=place_of(statement.bare_code),
        )


def _compare_repeated_attributes(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield attributes that lose an effect, as only their last assignment is generated.

    If `size = 2` follows `size: int = 1`, `size` is still a field in Python, but not in
    the generated class. If it follows `size = width = 1`, the generated class has no
    `width`. If it follows a method `size`, it comes before the method.
    """
    for model in (inheritance.parent, inheritance.child):
        for name, member in model.members.items():
            if len(member.statements) < 2:
                continue
            kinds = {statement.kind for statement in member.statements}
            is_attribute_and_method = {Kind.FUNCTION, Kind.ASSIGNMENT} <= kinds
            if is_attribute_and_method:
                yield Difference(
                    name,
                    inheritance.header,
                    f"`{name}` of `{model.name}` is an attribute and a method; in the "
                    "generated class, attributes come before all methods",
                    f"define `{name}` once",
                    related=place_of(member.statements[0].bare_code),
                )
            lost = None
            # Otherwise the child replaces all assignments of the parent.
            if model is inheritance.child or name not in inheritance.child.members:
                has_fields = model.is_dataclass or inheritance.makes_dataclasses
                lost = _find_lost_assignment(model, name, has_fields=has_fields)
            if lost is not None:
                yield Difference(
                    name,
                    inheritance.header,
                    f"of the assignments to `{name}` in `{model.name}`, the generated class "
                    "has only the last one",
                    f"assign to `{name}` once",
                    Harm.OTHER_RESULT,
                    related=place_of(lost.bare_code),
                )


def _find_lost_assignment(
    model: ClassModel, name: str, *, has_fields: bool
) -> Statement | None:
    """Return an assignment to a member that has an effect although a later one follows.

    There are four cases:

    - Only the earlier assignment has an annotation, which makes it a field.
    - Only the earlier assignment has a value.
    - It also sets another member, which no later statement sets.
    - A statement between the two assignments reads the member.

    Args:
        model: The class.
        name: The member.
        has_fields: Whether annotated members are fields of a dataclass.
    """
    kind = model.members[name].kind
    assignments = [
        statement
        for statement in model.members[name].statements
        if statement.kind is Kind.ASSIGNMENT
    ]
    for statement in assignments[:-1]:
        target = assigned_target(statement)
        assert target is not None, "it is an assignment"
        # `size = 2` below `size: int = 1` loses the field.
        if has_fields and target.annotated and kind is MemberKind.ATTRIBUTE:
            return statement
        # `size: int` below `size = 1` loses the value.
        if kind is MemberKind.DECLARATION and assigned_value(statement) is not None:
            return statement
        # `size = 2` below `size = width = 1` loses `width`.
        for other_name in variables_set_by(statement) - {name}:
            if model.members[other_name].statements[-1] is statement:
                return statement
        # `width = 2 * size` between the two reads the first `size`.
        for member in model.members.values():
            for reader in member.statements:
                is_between = statement.line < reader.line <= assignments[-1].line
                if is_between and find_names_read_at_once(reader, {name}):
                    return statement
    return None


def _compare_values_read_at_once(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield members of the parent class that read the child's value of an attribute.

    The parent has `size = 1` and `def f(self, x=size)`. In the generated class, the
    child's `size = 2` stands above the method.
    """
    replaced = inheritance.child.members.keys() & inheritance.parent.members.keys()
    for name, member in inheritance.parent.members.items():
        for statement in member.statements:
            # A replaced attribute is not generated, but the parent's `size["x"] = 1` is.
            if name in replaced and statement.kind is not Kind.OTHER:
                continue
            for read_name in sorted(find_names_read_at_once(statement, replaced)):
                if not _is_changed(inheritance, read_name):
                    continue
                yield Difference(
                    read_name,
                    inheritance.place_of_member(inheritance.child.members[read_name]),
                    f"in the generated class, the parent's `{name}` reads this "
                    f"`{read_name}`; in Python it reads the parent's value",
                    f"write out `{name}` with the value that it should have",
                    related=place_of(statement.bare_code),
                )
                # One difference for a statement is enough.
                break


def _is_changed(inheritance: Inheritance, name: str) -> bool:
    """Whether a member of both classes has another value in the modular class."""
    child = inheritance.child.members[name].statements[-1]
    parent = inheritance.parent.members[name].statements[-1]
    return not child.bare_code.has_same_code(parent.bare_code)


def _compare_names_of_child(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield members of the child that read a name which is a member of the parent class.

    In Python, `limit = size` in the child reads a variable of the module.
    """
    parent_names = inheritance.parent.members.keys() - inheritance.child.members.keys()
    for name, member in inheritance.child.members.items():
        for statement in member.statements:
            for read in sorted(find_names_read_at_once(statement, parent_names)):
                yield Difference(
                    name,
                    inheritance.place_of_member(member),
                    f"this reads the member `{read}` of `{inheritance.parent.name}`; in Python "
                    "it reads a variable of the module",
                    f"rename the variable `{read}`",
                )
