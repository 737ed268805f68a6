"""Finds the references of a file to a method or attribute that gets a new name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import libcst as cst
from libcst.metadata import (
    Assignment,
    ClassScope,
    FunctionScope,
    GlobalScope,
    QualifiedNameSource,
    Scope,
    ScopeProvider,
)

from modular.refactor.members import REGISTERING_METHODS
from modular.refactor.object_types import (
    Bindings,
    HasMember,
    ObjectTypes,
    first_parameter,
    is_method_of,
    local_bindings,
)
from modular.refactor.project_files import Definition, ProjectFiles
from modular.refactor.reference_finder import ReferenceFinder
from modular.source.source_slice import SourceSlice


_ATTRIBUTE_FUNCTIONS = frozenset({"getattr", "setattr", "hasattr", "delattr"})


@dataclass(frozen=True)
class MemberRename:
    """A method or attribute that gets a new name in all classes that have it.

    Attributes:
        old: The name now.
        new: The name afterwards.
        types: Tells which objects have the member.
        is_keyword: Whether constructors take it as a keyword argument: it is a field
            of a configuration or of a dataclass.
    """

    old: str
    new: str
    types: ObjectTypes
    is_keyword: bool = False


@dataclass
class _Frame:
    """A module, class or function that the visitor is in.

    Attributes:
        node: Its node.
        variables: For each of its variables, whether the object has the member.
    """

    node: cst.CSTNode
    variables: Mapping[str, HasMember]


class MemberFinder(ReferenceFinder):
    """Finds the references to a member.

    `ObjectTypes` tells which expressions are objects of the classes that have it.
    """

    def __init__(
        self,
        files: ProjectFiles,
        path: str,
        slices: Sequence[SourceSlice],
        member: MemberRename,
    ) -> None:
        """``slices`` are the parts of the file that the tree consists of."""
        super().__init__(files, path, slices)
        self._member = member
        self._frames: list[_Frame] = []

    def visit_Module(self, node: cst.Module) -> None:
        scopes = {
            scope
            for scope in self.metadata[ScopeProvider].values()
            if isinstance(scope, Scope)
        }
        for scope in scopes:
            if self._is_body_of_owner(scope) or self._is_constructor_of_owner(scope):
                self._rename_in_scope(scope)
        self._enter(node, local_bindings(node))

    def _is_body_of_owner(self, scope: Scope) -> bool:
        """Tell whether a scope is the body of a global class that has the member."""
        if not isinstance(scope, ClassScope) or not isinstance(
            scope.node, cst.ClassDef
        ):
            return False
        is_global = isinstance(scope.parent, GlobalScope)
        return is_global and self._is_owner_name(scope.node.name.value)

    def _is_constructor_of_owner(self, scope: Scope) -> bool:
        """Tell whether a scope is an `__init__` that takes the member as a keyword."""
        if not self._member.is_keyword or not isinstance(scope, FunctionScope):
            return False
        function = scope.node
        is_init = (
            isinstance(function, cst.FunctionDef) and function.name.value == "__init__"
        )
        if not is_init or not isinstance(scope.parent, ClassScope):
            return False
        class_node = scope.parent.node
        return isinstance(class_node, cst.ClassDef) and self._is_owner_name(
            class_node.name.value
        )

    def _is_owner_name(self, name: str) -> bool:
        return (self._path, name) in self._member.types.owners

    def _rename_in_scope(self, scope: Scope) -> None:
        """Rename what binds the member in a scope, and the names that read it."""
        member = self._member
        for assignment in scope.assignments:
            if assignment.name != member.old or not isinstance(assignment, Assignment):
                continue
            if isinstance(assignment.node, cst.Param):
                self._edit(assignment.node.name, member.new)
            else:
                self._rename_binding(assignment, member.new)
            for access in assignment.references:
                if isinstance(access.node, cst.Name):
                    self._edit(access.node, member.new)

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self._frames.append(_Frame(node, {}))

    def leave_ClassDef(self, original_node: cst.ClassDef) -> None:
        self._frames.pop()

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._enter(node, local_bindings(node))

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:
        self._frames.pop()

    def _enter(self, node: cst.CSTNode, bindings: Bindings) -> None:
        """Note the types of the variables of a module or function."""
        variables = self._member.types.of_variables(self._path, bindings)
        class_node = self._frames[-1].node if self._frames else None
        if isinstance(node, cst.FunctionDef) and is_method_of(node, class_node):
            variables[first_parameter(node)] = self._objects_have_member(class_node)
        self._frames.append(_Frame(node, variables))

    def _objects_have_member(self, class_node: cst.CSTNode | None) -> HasMember:
        """Tell whether the objects of a class have the member."""
        if not isinstance(class_node, cst.ClassDef):
            return HasMember.NO
        definition = Definition(self._path, class_node.name.value)
        return self._member.types.of_class(definition)

    def visit_Attribute(self, node: cst.Attribute) -> None:
        if node.attr.value == self._member.old:
            has_member = self._has_member(node.value)
            if has_member is HasMember.YES:
                self._edit(node.attr, self._member.new)
            elif has_member is HasMember.UNKNOWN:
                self.references.unclear.append(self._place(node.attr))

    def _has_member(self, node: cst.BaseExpression) -> HasMember:
        """Tell whether the value of an expression has the member.

        If `LlamaMLP` has it, so have `LlamaMLP`, `LlamaMLP(config)`, a variable with
        such an object, and `self.mlp` after `self.mlp = LlamaMLP(config)`.
        """
        if self._names_owner(node):
            return HasMember.YES
        match node:
            case cst.Call(func=cst.Name(value="super")):
                return self._objects_have_member(self._enclosing_class())
            case cst.Call(func=function) if self._names_owner(function):
                return HasMember.YES
            case cst.Name():
                return self._variable_has_member(node)
            case cst.Attribute(value=cst.Name() as variable, attr=attribute):
                if self._attribute_has_member(variable.value, attribute.value):
                    return HasMember.YES
        return HasMember.UNKNOWN

    def _attribute_has_member(self, variable: str, attribute: str) -> bool:
        """Tell whether `self.attribute` is known to hold an object with the member."""
        class_node = self._enclosing_class()
        if class_node is None or not self._is_self(variable):
            return False
        definition = Definition(self._path, class_node.name.value)
        return attribute in self._member.types.owner_attributes(definition)

    def _variable_has_member(self, node: cst.Name) -> HasMember:
        """Tell whether the object in a variable has the member.

        A name that is imported from outside the project has not.
        """
        for frame in reversed(self._frames):
            is_class = isinstance(frame.node, cst.ClassDef)
            if node.value in frame.variables and not is_class:
                return frame.variables[node.value]
        for qualified_name in self._qualified_names(node):
            if qualified_name.source is QualifiedNameSource.IMPORT:
                definitions = self._definitions([qualified_name])
                if not any(self._files.existing(definitions)):
                    return HasMember.NO
        return HasMember.UNKNOWN

    def _enclosing_class(self) -> cst.ClassDef | None:
        for frame in reversed(self._frames):
            if isinstance(frame.node, cst.ClassDef):
                return frame.node
        return None

    def _is_self(self, name: str) -> bool:
        """Tell whether a name is the first parameter of the enclosing method."""
        for class_frame, frame in zip(self._frames, self._frames[1:], strict=False):
            if isinstance(frame.node, cst.FunctionDef) and is_method_of(
                frame.node, class_frame.node
            ):
                if first_parameter(frame.node) == name:
                    return True
        return False

    def visit_Call(self, node: cst.Call) -> None:
        member = self._member
        if member.is_keyword and self._constructs_owner(node.func):
            for argument in node.args:
                keyword = argument.keyword
                if keyword is not None and keyword.value == member.old:
                    self._edit(keyword, member.new)
        name_in_string = self._attribute_name_string(node)
        if name_in_string is None or name_in_string.evaluated_value != member.old:
            return
        has_member = self._has_member(_object_of_attribute_call(node))
        if has_member is HasMember.YES:
            self._edit_quoted(name_in_string, member.old, member.new)
        elif has_member is HasMember.UNKNOWN:
            self.references.unclear.append(self._place(name_in_string))

    def _constructs_owner(self, function: cst.BaseExpression) -> bool:
        """Tell whether a called function is an owner, or `super().__init__` in one."""
        match function:
            case cst.Attribute(
                value=cst.Call(func=cst.Name(value="super")),
                attr=cst.Name(value="__init__"),
            ):
                class_node = self._enclosing_class()
                return self._objects_have_member(class_node) is HasMember.YES
        return self._names_owner(function)

    def _attribute_name_string(self, node: cst.Call) -> cst.SimpleString | None:
        """Return the string of `getattr(x, "name")` or `self.register_buffer("name")`."""
        match node:
            case cst.Call(
                func=cst.Name(value=function),
                args=[_, cst.Arg(value=cst.SimpleString() as string), *_],
            ) if function in _ATTRIBUTE_FUNCTIONS:
                return string
            case cst.Call(
                func=cst.Attribute(attr=cst.Name(value=function)),
                args=[cst.Arg(value=cst.SimpleString() as string), *_],
            ) if function in REGISTERING_METHODS:
                return string
        return None

    def _names_owner(self, node: cst.BaseExpression) -> bool:
        """Tell whether an expression is the name of an owner, such as `LlamaMLP`."""
        definitions = self._definitions(self._qualified_names(node))
        return not self._member.types.owners.isdisjoint(definitions)


def _object_of_attribute_call(node: cst.Call) -> cst.BaseExpression:
    """Return `x` of `getattr(x, "name")` and of `x.register_buffer("name")`."""
    if isinstance(node.func, cst.Attribute):
        return node.func.value
    return node.args[0].value
