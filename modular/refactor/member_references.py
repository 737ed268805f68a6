"""Finds the references of a file to a method or attribute that gets a new name."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from modular.refactor.owned_objects import (
    HasMember,
    OwnedObjects,
    first_parameter,
    is_method_of,
)
from modular.refactor.project_files import ProjectFiles
from modular.refactor.reference_finder import ReferenceFinder, References
from modular.semantics.facts import ATTRIBUTE_FUNCTIONS
from modular.semantics.instances import REGISTERING_METHODS
from modular.semantics.meanings import QualifiedName
from modular.semantics.occurrences import Function, docstring_of
from modular.semantics.scope_stack import Scope
from modular.semantics.variables import Binding, Variable


_DOCUMENTED_MEMBER = r"(?m)(?:`{0}`|^[ \t]*{0}(?= ?[(:]))"
"""A member in the docstring of its class: between backquotes, or in a list."""


@dataclass(frozen=True)
class MemberRename:
    """A method or attribute that gets a new name in all classes that have it.

    Attributes:
        old: The name now.
        new: The name afterwards.
        objects: Tells which objects have the member.
        ancestors: The other classes that the owners inherit from. An object of such a
            class may be an object of an owner.
        is_keyword: Whether constructors take it as a keyword argument: it is a field
            of a configuration or of a dataclass.
        is_on_instances: Whether only methods set it, on `self`. Then a variable with
            the new name is something else.
    """

    old: str
    new: str
    objects: OwnedObjects
    ancestors: frozenset[QualifiedName] = frozenset()
    is_keyword: bool = False
    is_on_instances: bool = False


@dataclass
class _Frame:
    """A module, class or function that the visitor is in.

    Attributes:
        node: Its node.
        variables: For each of its variables, whether the object has the member. Empty
            for a class, since its methods do not see the variables of its body.
    """

    node: ast.AST
    variables: Mapping[str, HasMember]


class _AttributeCall(NamedTuple):
    """A call with the name of an attribute, such as `getattr(mlp, "act_fn")`.

    Attributes:
        object: The object that has the attribute, `mlp`.
        string: The name of the attribute, `"act_fn"`.
    """

    object: ast.expr
    string: ast.Constant


class MemberFinder(ReferenceFinder, ast.NodeVisitor):
    """Finds the references to a member.

    `OwnedObjects` tells which expressions are objects of the classes that have it.
    """

    def __init__(self, files: ProjectFiles, path: str, member: MemberRename) -> None:
        """Parse the parts of a file that have the member or one of its classes.

        Args:
            files: The files of the project.
            path: The file.
            member: The member and its new name.

        Raises:
            RenameError: Python cannot parse the file.
        """
        # The statements with a class tell the types of variables.
        class_names = {name for _, name in member.objects.owners}
        super().__init__(files, path, {member.old, *class_names})
        self._member = member
        self._objects = member.objects
        self._frames: list[_Frame] = []

    def find(self) -> References:
        """Find the references of the file to the member that gets a new name.

        Each step adds edits and unclear places to `self.references`, and does not
        change the file itself.
        """
        for variable in self.variables.all:
            is_member = variable.name == self._member.old
            if is_member and self._is_scope_of_member(variable.scope):
                self._add_edits_of_variable(variable)

        # Attributes, keywords and strings, such as `self.old` and `getattr(x, "old")`.
        variables = self._objects.variables(self.path, self.tree)
        self._frames.append(_Frame(self.tree, variables))
        self.visit(self.tree)
        self.references.sort()
        return self.references

    def _is_scope_of_member(self, scope: Scope) -> bool:
        """Return whether the variables of a scope can include the member.

        If `LlamaConfig` has the member `old`, there are two such scopes:

        - The body of the class binds it, as in `class LlamaConfig: old = 1`.
        - The constructor has it as a parameter, as in `def __init__(self, old)`, if
          calls pass it by keyword: `LlamaConfig(old=1)`.
        """
        node = scope.node
        outer_scope = scope.outer
        if outer_scope is None:
            # This is the module.
            return False
        if self._is_owner(node):
            # A class of the same name inside a function is another class.
            is_at_module_level = outer_scope.outer is None
            return is_at_module_level
        if self._member.is_keyword and self._is_owner(outer_scope.node):
            return isinstance(node, Function) and node.name == "__init__"
        return False

    def _is_owner(self, node: ast.AST | None) -> bool:
        """Return whether a node is a class that has the member, judging by its name."""
        if not isinstance(node, ast.ClassDef):
            return False
        return QualifiedName(self.path, node.name) in self._objects.owners

    def _add_edits_of_variable(self, variable: Variable) -> None:
        """Add edits where a class body or a constructor has the member as a variable.

        In `class LlamaConfig: size = 1; area = size * size`, the member `size` is a
        variable of the body. In `def __init__(self, size): self.size = size`, it is a
        parameter.
        """
        old = self._member.old
        new = self._member.new
        for binding in variable.bindings:
            self.rename_variable(binding.node, old, new)
        for use in variable.uses:
            if not use.is_quoted:
                self.rename_at(use.node, old, new)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Visit a class. If it has the member, its docstring gets the new name."""
        docstring = docstring_of(node)
        if docstring is not None and self._is_owner(node):
            self.rename_in_string(
                docstring, self._member.old, self._member.new, _DOCUMENTED_MEMBER
            )
        self._frames.append(_Frame(node, {}))
        self.generic_visit(node)
        self._frames.pop()

    def visit_FunctionDef(self, node: Function) -> None:
        """Visit a function, in a frame that tells which variables have the member."""
        variables = self._objects.variables(self.path, node)
        node_around = self._frames[-1].node
        if is_method_of(node, node_around):
            # `self` is an object of the class around the method.
            variables[first_parameter(node)] = self._objects_have_member(node_around)
        self._frames.append(_Frame(node, variables))
        self.generic_visit(node)
        self._frames.pop()

    visit_AsyncFunctionDef = visit_FunctionDef

    def _objects_have_member(self, class_node: ast.AST | None) -> HasMember:
        """Return whether the objects of a class of this file have the member.

        An object of a base class of `LlamaMLP` may be a `LlamaMLP`, so the answer for
        the base class is UNKNOWN.

        Args:
            class_node: The class. For any other node, the answer is NO.
        """
        if not isinstance(class_node, ast.ClassDef):
            return HasMember.NO
        definition = QualifiedName(self.path, class_node.name)
        if definition in self._objects.owners:
            return HasMember.YES
        if definition in self._member.ancestors:
            return HasMember.UNKNOWN
        return HasMember.NO

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Add an edit for an attribute if its object has the member.

        If the type of the object is unknown, the place is reported as unclear.
        """
        old = self._member.old
        if node.attr == old:
            has_member = self._has_member(node.value)
            if has_member is HasMember.YES:
                self.rename_at(node, old, self._member.new)
            elif has_member is HasMember.UNKNOWN:
                self.references.unclear.append(self.place_of_name(node, old))
        self.generic_visit(node)

    def _has_member(self, node: ast.expr) -> HasMember:
        """Return whether the value of an expression has the member.

        If the class `LlamaMLP` has the member, so have the expressions `LlamaMLP` and
        `LlamaMLP(config)`. Variables and attributes have the member if the assigned
        objects have it. The result is UNKNOWN for all other expressions.
        """
        if self._is_class_with_member(node):
            return HasMember.YES
        match node:
            case ast.Call(func=ast.Name(id="super")):
                # `super()` is an object of the class around it.
                return self._objects_have_member(self._enclosing_class())
            case ast.Call(func=function) if self._is_class_with_member(function):
                # `LlamaMLP(config)`
                return HasMember.YES
            case ast.Name():
                # `mlp`, after `mlp = LlamaMLP(config)`
                return self._variable_has_member(node)
            case ast.Attribute(value=ast.Name(id=variable), attr=attribute):
                # `self.mlp`, after `self.mlp = LlamaMLP(config)`
                return self._attribute_has_member(variable, attribute)
        return HasMember.UNKNOWN

    def _attribute_has_member(self, variable: str, attribute: str) -> HasMember:
        """Return whether the object in `variable.attribute` has the member.

        This is known only for `self.attribute`, in a method of the class around it.
        """
        class_node = self._enclosing_class()
        if class_node is None or not self._is_self(variable):
            return HasMember.UNKNOWN
        definition = QualifiedName(self.path, class_node.name)
        attributes = self._objects.attributes(definition)
        return attributes.get(attribute, HasMember.UNKNOWN)

    def _variable_has_member(self, node: ast.Name) -> HasMember:
        """Return whether the object in a variable has the member.

        - For a parameter or an assigned variable, such as `mlp` after `mlp =
          LlamaMLP(config)`, the frame of its function or module has the result.
        - A variable that is imported from outside the project, such as `torch`, has no
          such member, because only classes of the project have the member.
        - The result is UNKNOWN for other variables.
        """
        # Inner variables hide outer variables, so the innermost frame is searched first.
        for frame in reversed(self._frames):
            if node.id in frame.variables:
                return frame.variables[node.id]

        variable = self.variables.of_node.get(node)
        if variable is None:
            return HasMember.UNKNOWN
        # If one binding is an import from outside, the others are only its fallback, as
        # after `except ImportError`.
        if any(map(self._imports_from_outside, variable.bindings)):
            return HasMember.NO
        return HasMember.UNKNOWN

    def _imports_from_outside(self, binding: Binding) -> bool:
        """Return whether a binding is an import of something outside the project."""
        if not isinstance(binding.node, ast.alias):
            return False
        return not self.files.has_file_of_any(self.imported_definitions(binding))

    def _enclosing_class(self) -> ast.ClassDef | None:
        for frame in reversed(self._frames):
            if isinstance(frame.node, ast.ClassDef):
                return frame.node
        return None

    def _is_self(self, name: str) -> bool:
        """Return whether a name is the first parameter of a method around this place.

        Functions inside a method see its `self`, too.
        """
        for outer_frame, frame in pairwise(self._frames):
            function = frame.node
            if not isinstance(function, Function):
                continue
            is_method = is_method_of(function, outer_frame.node)
            if is_method and first_parameter(function) == name:
                return True
        return False

    def visit_Call(self, node: ast.Call) -> None:
        """Add edits for a keyword of a constructor, or a string that names the member.

        Examples are `LlamaConfig(old=1)` and `getattr(config, "old")`.
        """
        member = self._member
        if member.is_keyword and self._calls_constructor_with_member(node.func):
            for keyword in node.keywords:
                if keyword.arg == member.old:
                    self.rename_at(keyword, member.old, member.new)

        call = _as_attribute_call(node)
        if call is not None and call.string.value == member.old:
            has_member = self._has_member(call.object)
            if has_member is HasMember.YES:
                self.rename_in_string(call.string, member.old, member.new)
            elif has_member is HasMember.UNKNOWN:
                self.references.unclear.append(self.place_of(call.string))
        self.generic_visit(node)

    def _calls_constructor_with_member(self, function: ast.expr) -> bool:
        """Return whether a call runs the constructor of a class with the member.

        If `LlamaConfig` has the member, such calls are `LlamaConfig(...)` and, in a
        class that inherits from `LlamaConfig`, `super().__init__(...)`.

        Args:
            function: The expression that is called.
        """
        match function:
            case ast.Attribute(
                value=ast.Call(func=ast.Name(id="super")), attr="__init__"
            ):
                class_node = self._enclosing_class()
                return self._objects_have_member(class_node) is HasMember.YES
            case _:
                return self._is_class_with_member(function)

    def _is_class_with_member(self, node: ast.expr) -> bool:
        """Return whether an expression names a class that has the renamed member.

        If `LlamaMLP` has it, such expressions are `LlamaMLP` and `module.LlamaMLP`.
        """
        definitions = self.definitions_of_expression(node)
        return not self._objects.owners.isdisjoint(definitions)


def _as_attribute_call(node: ast.Call) -> _AttributeCall | None:
    """Return `x` and `"name"` of `getattr(x, "name")` or `x.register_buffer("name")`.

    None for other calls.
    """
    match node:
        case ast.Call(
            func=ast.Name(id=function),
            args=[object_, ast.Constant(value=str()) as string, *_],
        ) if function in ATTRIBUTE_FUNCTIONS:
            return _AttributeCall(object_, string)
        case ast.Call(
            func=ast.Attribute(value=object_, attr=function),
            args=[ast.Constant(value=str()) as string, *_],
        ) if function in REGISTERING_METHODS:
            return _AttributeCall(object_, string)
    return None
