"""Tells which objects surely have the member that is renamed.

An object has it if its class is named where the object is made or annotated:
`mlp = LlamaMLP(config)`, `mlp: LlamaMLP`. Nothing is guessed of other objects.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from modular.refactor.project_files import ProjectFiles
from modular.semantics.meanings import QualifiedName
from modular.semantics.occurrences import (
    Function,
    find_bound_values,
    names_in_annotation,
)
from modular.semantics.statements import tree_of
from modular.source.python_trees import dotted_name
from modular.source.walking import walk


_NEUTRAL_ANNOTATIONS = frozenset({"None", "Optional", "Union", "ClassVar", "typing"})
"""Names in an annotation that say nothing about a class."""


class HasMember(Enum):
    """Whether an object has the member that is renamed."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class OwnedObjects:
    """Tells which objects have the renamed member.

    Attributes:
        files: The files of the project.
        owners: The classes that have the member.
    """

    files: ProjectFiles
    owners: frozenset[QualifiedName]
    _attributes: dict[QualifiedName, Mapping[str, HasMember]] = field(
        default_factory=dict
    )

    @cached_property
    def bases_of_owners(self) -> frozenset[QualifiedName]:
        """The other classes that the owners inherit from."""
        return self.ancestors(self.owners)

    def ancestors(self, classes: frozenset[QualifiedName]) -> frozenset[QualifiedName]:
        """Return the other classes that some classes inherit from."""
        direct_bases: list[QualifiedName] = []
        for class_ in classes:
            direct_bases += self.files.bases(class_)
        all_bases = walk(direct_bases, self.files.bases)
        return frozenset(all_bases) - classes

    def is_owner(self, path: str, node: ast.expr) -> bool:
        """Return whether an expression names a class with the member at module level."""
        name = dotted_name(node)
        return bool(name) and self._names_owner(path, name)

    def _names_owner(self, path: str, name: str) -> bool:
        definitions = {QualifiedName(path, name), *self.files.imported_as(path, name)}
        return not self.owners.isdisjoint(definitions)

    def _names_other_class(self, path: str, name: str) -> bool:
        """Return whether a name is a class whose objects are never those of an owner."""
        definitions = {QualifiedName(path, name), *self.files.imported_as(path, name)}
        is_class = any(map(self.files.class_statement, definitions))
        return is_class and definitions.isdisjoint(self.owners | self.bases_of_owners)

    def annotation_has_member(self, path: str, annotation: ast.expr) -> HasMember:
        """Return whether the classes that an annotation names have the member.

        `Optional[LlamaMLP]` and `"LlamaMLP"` both name the class `LlamaMLP`.

        Args:
            path: The file.
            annotation: The annotation of a variable, parameter or attribute.
        """
        names = names_in_annotation(annotation) - _NEUTRAL_ANNOTATIONS
        if not names:
            return HasMember.UNKNOWN
        if all(self._names_owner(path, name) for name in names):
            return HasMember.YES
        if all(self._names_other_class(path, name) for name in names):
            return HasMember.NO
        return HasMember.UNKNOWN

    def variables(self, path: str, node: ast.AST) -> dict[str, HasMember]:
        """Return whether the object in each variable of some code has the member.

        After `mlp = LlamaMLP(config)`, `mlp` has the members of `LlamaMLP`. If a second
        assignment contradicts this, or a loop also binds `mlp`, the answer is UNKNOWN.

        Args:
            path: The file.
            node: A function, whose parameters count as well, or a module, whose functions
                and classes do not count.
        """
        results = self._parameters(path, node)
        variables = [bound for bound in find_bound_values(node) if bound.is_variable]
        for bound in variables:
            if bound.annotation is not None:
                has_member = self.annotation_has_member(path, bound.annotation)
            elif bound.value is not None:
                has_member = self._value_has_member(path, bound.value, results)
            else:
                # A binding without a value, such as that of a loop, is handled below.
                continue
            if results.setdefault(bound.name, has_member) is not has_member:
                # Another assignment contradicts this one.
                results[bound.name] = HasMember.UNKNOWN
        for bound in variables:
            if bound.annotation is None and bound.value is None:
                # The name is also bound otherwise, such as by a loop.
                results[bound.name] = HasMember.UNKNOWN
        return results

    def _parameters(self, path: str, node: ast.AST) -> dict[str, HasMember]:
        """Return whether each parameter of a function has the member.

        Only annotations such as `mlp: LlamaMLP` tell. A module has no parameters.
        """
        results: dict[str, HasMember] = {}
        if not isinstance(node, Function):
            return results
        arguments = node.args
        for parameter in (
            *arguments.posonlyargs,
            *arguments.args,
            *arguments.kwonlyargs,
        ):
            has_member = HasMember.UNKNOWN
            if parameter.annotation is not None:
                has_member = self.annotation_has_member(path, parameter.annotation)
            results[parameter.arg] = has_member
        return results

    def _value_has_member(
        self, path: str, value: ast.expr, variables: Mapping[str, HasMember]
    ) -> HasMember:
        """Return whether an assigned object, such as `LlamaMLP(config)`, has the member.

        Args:
            path: The file.
            value: The expression on the right of the assignment.
            variables: The answers for variables that the expression may read.
        """
        match value:
            case ast.Name(id=name):
                return variables.get(name, HasMember.UNKNOWN)
            case ast.Call(func=function) if self.is_owner(path, function):
                return HasMember.YES
            case ast.Call(func=function):
                if self._names_other_class(path, dotted_name(function)):
                    return HasMember.NO
        return HasMember.UNKNOWN

    def attributes(self, class_: QualifiedName) -> Mapping[str, HasMember]:
        """Return whether the object in each attribute of a class has the member.

        The answer comes from `self.mlp = LlamaMLP(config)` and `mlp: LlamaMLP`, also in a
        base class. If these contradict each other, it is UNKNOWN.
        """
        if class_ not in self._attributes:
            # If a class inherits from itself, the search finds this entry and ends.
            self._attributes[class_] = {}
            results: dict[str, HasMember] = {}
            for base in self.files.bases(class_):
                results.update(self.attributes(base))
            for name, has_member in self._attributes_in_body(class_):
                if results.setdefault(name, has_member) is not has_member:
                    results[name] = HasMember.UNKNOWN
            self._attributes[class_] = results
        return self._attributes[class_]

    def _attributes_in_body(
        self, class_: QualifiedName
    ) -> Iterator[tuple[str, HasMember]]:
        """Yield the attributes that the body of a class annotates or its methods set."""
        path = class_.path
        statement = self.files.class_statement(class_)
        node = None if statement is None else tree_of(statement)
        if not isinstance(node, ast.ClassDef):
            return
        for child in node.body:
            match child:
                case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                    yield name, self.annotation_has_member(path, annotation)
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    yield from self._set_attributes(path, child)

    def _set_attributes(
        self, path: str, method: Function
    ) -> Iterator[tuple[str, HasMember]]:
        """Yield the attributes that a method sets on `self`, with what their objects are.

        `self.mlp = None` is skipped: it says nothing of the object that comes later.
        """
        variables = self.variables(path, method)
        self_name = first_parameter(method)
        for bound in find_bound_values(method):
            if bound.is_variable or bound.owner != self_name:
                continue
            if bound.annotation is not None:
                yield bound.name, self.annotation_has_member(path, bound.annotation)
                continue
            match bound.value:
                case ast.expr() as value if not _is_none(value):
                    yield bound.name, self._value_has_member(path, value, variables)


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def first_parameter(node: Function) -> str:
    """Return the name of a function's first positional parameter, or an empty string."""
    for parameter in (*node.args.posonlyargs, *node.args.args):
        return parameter.arg
    return ""


def is_method_of(node: Function, class_node: ast.AST | None) -> bool:
    """Return whether a function is a method that takes an object or a class first."""
    if not isinstance(class_node, ast.ClassDef) or not first_parameter(node):
        return False
    decorators = {dotted_name(decorator) for decorator in node.decorator_list}
    return "staticmethod" not in decorators
