"""Tells which expressions are objects of the classes whose member is renamed.

Types are read from what people write: annotations of parameters and attributes, and
assignments of new objects (`self.mlp = LlamaMLP(config)`).
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from modular.refactor.project_files import Definition, ProjectFiles
from modular.refactor.scopes import list_parameters
from modular.source.walking import descend


Function = ast.FunctionDef | ast.AsyncFunctionDef


_NEUTRAL_ANNOTATIONS = frozenset({"None", "Optional", "Union", "ClassVar", "typing"})
"""Names in an annotation that say nothing about a class."""


class HasMember(Enum):
    """Whether an object has the member that is renamed."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class Assignment(NamedTuple):
    """One assignment to a target, such as `mlp: LlamaMLP = LlamaMLP(config)`.

    A parameter of a function counts as an assignment, too.

    Attributes:
        target: The variable or attribute that is assigned.
        value: The assigned expression, or None for a parameter or a loop variable.
        annotation: The annotation, or None.
    """

    target: ast.expr
    value: ast.expr | None
    annotation: ast.expr | None


def local_assignments(node: ast.Module | Function) -> list[Assignment]:
    """Return the parameters and assignments of a module or function.

    An example is `mlp` in `mlp = LlamaMLP(config)`. Assignments in nested functions and
    classes are left out.
    """
    assignments: list[Assignment] = []
    if not isinstance(node, ast.Module):
        # The annotation of `*args` and `**kwargs` is that of their items.
        variadic = (node.args.vararg, node.args.kwarg)
        for parameter in list_parameters(node.args):
            annotation = None if parameter in variadic else parameter.annotation
            target = ast.Name(parameter.arg)
            assignments.append(Assignment(target, value=None, annotation=annotation))
    assignments += _assignments(node.body)
    return assignments


def is_method_of(node: Function, class_node: ast.AST | None) -> bool:
    """Tell whether a function is a method that takes an object or a class first.

    The name of that parameter, usually `self` or `cls`, does not matter.
    """
    if not isinstance(class_node, ast.ClassDef) or not first_parameter(node):
        return False
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Name) and decorator.id == "staticmethod":
            return False
    return True


def first_parameter(node: Function) -> str:
    """Return the name of a function's first positional parameter, or an empty string."""
    for parameter in (*node.args.posonlyargs, *node.args.args):
        return parameter.arg
    return ""


def _assignments(body: Iterable[ast.stmt]) -> Iterator[Assignment]:
    """Yield the assignments of some code, without those in nested definitions."""
    for statement in body:
        root: ast.AST = statement
        for node in descend(root, _children_in_scope):
            yield from _assignments_of_node(node)


def _assignments_of_node(node: ast.AST) -> Iterator[Assignment]:
    """Yield the assignments of one node, such as `x = 1`, `for x in y` or `as x`."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield Assignment(target, node.value, None)
    elif isinstance(node, ast.AnnAssign):
        yield Assignment(node.target, node.value, node.annotation)
    else:
        for target in _assigned_targets(node):
            yield Assignment(target, None, None)


def _children_in_scope(node: ast.AST) -> Iterable[ast.AST]:
    """Return the children of a node, or none if it has a scope of its own."""
    if isinstance(node, Function | ast.ClassDef | ast.Lambda):
        return ()
    return ast.iter_child_nodes(node)


class _AssignedAttribute(NamedTuple):
    """An attribute that a class assigns, as in `self.mlp = LlamaMLP(config)`.

    Attributes:
        name: The attribute, `mlp`.
        has_member: Whether the assigned object has the renamed member.
    """

    name: str
    has_member: HasMember


@dataclass
class ObjectTypes:
    """Tells which objects have the renamed member.

    Attributes:
        files: The files of the project.
        classes_with_member: The classes that have the member.
        ancestors: The other classes that these inherit from. An object of an ancestor
            may be an object of a class that has the member.
        is_config_field: Whether the member is a field of configurations.
        _attributes_with_member: The results of `attributes_with_member`.
    """

    files: ProjectFiles
    classes_with_member: frozenset[Definition]
    ancestors: frozenset[Definition]
    is_config_field: bool = False
    _attributes_with_member: dict[Definition, frozenset[str]] = field(
        default_factory=dict
    )

    def objects_have_member(self, definition: Definition) -> HasMember:
        """Tell whether the objects of a class have the member."""
        if definition in self.classes_with_member:
            return HasMember.YES
        if definition in self.ancestors:
            return HasMember.UNKNOWN
        return HasMember.NO

    def classify_variables(
        self, path: str, assignments: Iterable[Assignment]
    ) -> dict[str, HasMember]:
        """Return for each variable whether its object has the renamed member.

        If `LlamaMLP` has the member, `mlp` has it after `mlp = LlamaMLP(config)`. The
        result is unknown for a variable whose assignments give different results, and
        for the parts of `a, b = values`.

        Args:
            path: The file of the variables.
            assignments: Their assignments, in the order of the code.
        """
        results: dict[str, HasMember] = {}
        for assignment in assignments:
            has_member = HasMember.UNKNOWN
            if isinstance(assignment.target, ast.Name):
                # After `b = a`, the object in `b` is that in `a`, whose assignments
                # above this one are in `results`.
                has_member = self._value_has_member(path, assignment, results)
            for name in _target_names(assignment.target):
                if name not in results:
                    results[name] = has_member
                elif results[name] is not has_member:
                    # An assignment above contradicts this one.
                    results[name] = HasMember.UNKNOWN
        return results

    def _value_has_member(
        self, path: str, assignment: Assignment, variables: dict[str, HasMember]
    ) -> HasMember:
        """Tell whether an assigned object has the renamed member.

        The annotation decides, if there is one. Otherwise the value decides: a new
        object, or a variable that is known to hold an object with the member. By
        convention, a parameter `config` is of the configuration class that the file
        imports.

        Args:
            path: The file of the assignment.
            assignment: The assignment, or the parameter of a function.
            variables: The variables before it, and whether their objects have the
                member.
        """
        if assignment.annotation is not None:
            # `mlp: LlamaMLP`
            return self._annotation_has_member(path, assignment.annotation)
        match assignment:
            case Assignment(value=ast.Name(id=name)):
                # `mlp = other_mlp`
                return variables.get(name, HasMember.UNKNOWN)
            case Assignment(value=ast.Call(func=ast.Name(id=name))):
                # `mlp = LlamaMLP(config)`
                if self._is_class_with_member(path, name):
                    return HasMember.YES
            case Assignment(target=ast.Name(id="config"), value=None):
                # The parameter of `def forward(self, config)`, which has no value.
                if self.is_config_field and self.config_has_member(path):
                    return HasMember.YES
        return HasMember.UNKNOWN

    def _annotation_has_member(self, path: str, annotation: ast.expr) -> HasMember:
        """Tell whether all classes that an annotation names have the renamed member.

        `Optional[LlamaMLP]` and `"LlamaMLP"` both name the class `LlamaMLP`.
        """
        names = set()
        for node in ast.walk(annotation):
            if isinstance(node, ast.Name):
                names.add(node.id)
            elif isinstance(node, ast.Attribute):
                names.add(node.attr)
            elif isinstance(node, ast.Constant) and node.value is not None:
                text = str(node.value)
                if not text.isidentifier():
                    return HasMember.UNKNOWN
                names.add(text)
        # Names such as `Optional` say nothing about the class.
        names -= _NEUTRAL_ANNOTATIONS
        if names and all(self._is_class_with_member(path, name) for name in names):
            return HasMember.YES
        return HasMember.UNKNOWN

    def _is_class_with_member(self, path: str, name: str) -> bool:
        """Tell whether a file defines or imports a class with the member under a name."""
        definitions = {(path, name), *self.files.imported_as(path, name)}
        return not self.classes_with_member.isdisjoint(definitions)

    def config_has_member(self, path: str) -> bool:
        """Tell whether the configuration that a file's code reads has the renamed field.

        If a field of `LlamaConfig` is renamed, this holds for `modeling_llama.py`, which
        imports no other configuration. It does not hold for a file with several ones,
        since it is not clear which of them its code reads.
        """
        configs = []
        for name in self.files.bound_names(path):
            if name.endswith("Config"):
                # Configurations from outside the project do not count.
                imported = self.files.imported_as(path, name)
                is_defined_here = name in self.files.defined(path)
                if is_defined_here or self.files.has_file_of_any(imported):
                    configs.append(name)
        return len(configs) == 1 and self._is_class_with_member(path, configs[0])

    def attributes_with_member(self, definition: Definition) -> frozenset[str]:
        """Return the attributes of a class that hold objects with the renamed member.

        If `LlamaMLP` has the member, `self.mlp = LlamaMLP(config)` makes `mlp` one of
        these attributes. `self._attributes_with_member` has the results of earlier calls.
        """
        if definition not in self._attributes_with_member:
            # The search also visits the bases. If a class inherits from itself, the
            # search finds this entry and ends.
            self._attributes_with_member[definition] = frozenset()
            attributes = self._find_attributes_with_member(definition)
            self._attributes_with_member[definition] = attributes
        return self._attributes_with_member[definition]

    def _find_attributes_with_member(self, definition: Definition) -> frozenset[str]:
        """Find the attributes of a class that hold objects with the renamed member.

        Attributes of the bases count as well. An attribute does not count if the class
        also assigns it another object, as `self.mlp = build(config)` may do.
        """
        path, name = definition
        class_node = self.files.class_node(path, name)
        if class_node is None:
            return frozenset()
        attributes: set[str] = set()
        for base in self.files.bases(path, name):
            attributes |= self.attributes_with_member(base)

        other_attributes = set()
        for assigned in self._assigned_attributes(path, class_node):
            if assigned.has_member is HasMember.YES:
                attributes.add(assigned.name)
            else:
                other_attributes.add(assigned.name)
        return frozenset(attributes - other_attributes)

    def _assigned_attributes(
        self, path: str, class_node: ast.ClassDef
    ) -> Iterator[_AssignedAttribute]:
        """Yield an attribute of a class for each of its assignments.

        For `mlp`, these are `mlp: LlamaMLP` in the body of the class and `self.mlp =
        LlamaMLP(config)` in a method.
        """
        for assignment in _assignments(class_node.body):
            match assignment:
                case Assignment(
                    target=ast.Name(id=name), annotation=ast.expr() as annotation
                ):
                    has_member = self._annotation_has_member(path, annotation)
                    yield _AssignedAttribute(name, has_member)
        for method in class_node.body:
            if isinstance(method, Function):
                yield from self._attributes_assigned_in(path, method)

    def _attributes_assigned_in(
        self, path: str, method: Function
    ) -> Iterator[_AssignedAttribute]:
        """Yield an attribute for each `self.attribute = value` in a method.

        `self.mlp = None` is left out, since it does not tell the type of `mlp`.
        """
        assignments = local_assignments(method)
        variables = self.classify_variables(path, assignments)
        self_name = first_parameter(method)
        for assignment in assignments:
            match assignment:
                case Assignment(value=ast.Constant(value=None)):
                    pass
                case Assignment(
                    target=ast.Attribute(value=ast.Name(id=name), attr=attribute)
                ):
                    if name == self_name:
                        has_member = self._value_has_member(path, assignment, variables)
                        yield _AssignedAttribute(attribute, has_member)


def _target_names(target: ast.expr) -> Iterator[str]:
    """Yield the variables that a target binds: `a` and `b` for `(a, *b) = values`."""
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from _target_names(element)
    elif isinstance(target, ast.Starred):
        yield from _target_names(target.value)


def _assigned_targets(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the targets to which a statement or expression itself assigns.

    The targets in a tuple are yielded one by one: `a` and `b.c` for `a, b.c = 1, 2`.
    """
    match node:
        case ast.Assign(targets=targets):
            for target in targets:
                yield from _single_targets(target)
        case (
            ast.AnnAssign(target=target)
            | ast.AugAssign(target=target)
            | ast.NamedExpr(target=target)
            | ast.For(target=target)
            | ast.AsyncFor(target=target)
            | ast.comprehension(target=target)
            | ast.withitem(optional_vars=ast.expr() as target)
        ):
            yield from _single_targets(target)
        case ast.ExceptHandler(name=str(name)) | ast.alias(asname=str(name)):
            yield ast.Name(name)


def _single_targets(target: ast.expr) -> Iterator[ast.expr]:
    """Yield the targets in a target: `a`, `b` and `c` for `a, (b, c)`."""
    if isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from _single_targets(element)
    else:
        yield target
