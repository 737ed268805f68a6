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
    """A module, class or function that the visitor is in, and the types of its variables.

    A variable is True for an object of an owner, False for something else, and None if
    that cannot be told.
    """

    node: cst.CSTNode
    variables: Mapping[str, bool | None]


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
            self._rename_in_class_or_constructor(scope)
        self._enter(node, local_bindings(node))

    def _rename_in_class_or_constructor(self, scope: Scope) -> None:
        """Rename the member in the body of an owner, or a constructor's parameter."""
        member = self._member
        is_body = (
            isinstance(scope, ClassScope)
            and isinstance(scope.node, cst.ClassDef)
            and isinstance(scope.parent, GlobalScope)
            and self._is_owner_name(scope.node.name.value)
        )
        is_constructor = (
            member.is_keyword
            and isinstance(scope, FunctionScope)
            and isinstance(scope.node, cst.FunctionDef)
            and scope.node.name.value == "__init__"
            and isinstance(scope.parent, ClassScope)
            and isinstance(scope.parent.node, cst.ClassDef)
            and self._is_owner_name(scope.parent.node.name.value)
        )
        if not is_body and not is_constructor:
            return
        for assignment in scope.assignments:
            if assignment.name == member.old and isinstance(assignment, Assignment):
                if isinstance(assignment.node, cst.Param):
                    self._edit(assignment.node.name, member.new)
                else:
                    self._rename_binding(assignment, member.new)
                for access in assignment.references:
                    if isinstance(access.node, cst.Name):
                        self._edit(access.node, member.new)

    def _is_owner_name(self, name: str) -> bool:
        return (self._path, name) in self._member.types.owners

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
            variables[first_parameter(node)] = self._is_object_of(class_node)
        self._frames.append(_Frame(node, variables))

    def _is_object_of(self, class_node: cst.CSTNode | None) -> bool | None:
        """Tell whether objects of a class have the renamed member."""
        if not isinstance(class_node, cst.ClassDef):
            return False
        definition = Definition(self._path, class_node.name.value)
        return self._member.types.is_owner(definition)

    def visit_Attribute(self, node: cst.Attribute) -> None:
        if node.attr.value == self._member.old:
            is_owner = self._is_owner_object(node.value)
            if is_owner:
                self._edit(node.attr, self._member.new)
            elif is_owner is None:
                self.references.unclear.append(self._place(node.attr))

    def _is_owner_object(self, node: cst.BaseExpression) -> bool | None:
        """Tell whether an expression is an owner, or an object of one; None if unclear."""
        if self._names_owner(node):
            return True
        match node:
            case cst.Call(func=cst.Name(value="super")):
                return self._is_object_of(self._enclosing_class())
            case cst.Call(func=function) if self._names_owner(function):
                return True
            case cst.Name(value=name):
                return self._type_of_variable(node, name)
            case cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value=held)):
                class_node = self._enclosing_class()
                if class_node is not None and self._is_self(name):
                    types = self._member.types
                    held_names = types.held_by(
                        Definition(self._path, class_node.name.value)
                    )
                    return True if held in held_names else None
        return None

    def _type_of_variable(self, node: cst.Name, name: str) -> bool | None:
        for frame in reversed(self._frames):
            if name in frame.variables and not isinstance(frame.node, cst.ClassDef):
                return frame.variables[name]
        for qualified_name in self._qualified_names(node):
            if qualified_name.source is QualifiedNameSource.IMPORT:
                if not list(self._files.existing(self._definitions([qualified_name]))):
                    return False
        return None

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
        named = self._attribute_named_by(node)
        if named is not None and named.evaluated_value == member.old:
            is_owner = self._owner_of_named_attribute(node)
            if is_owner:
                self._edit_quoted(named, member.old, member.new)
            elif is_owner is None:
                self.references.unclear.append(self._place(named))

    def _constructs_owner(self, function: cst.BaseExpression) -> bool:
        match function:
            case cst.Attribute(
                value=cst.Call(func=cst.Name(value="super")),
                attr=cst.Name(value="__init__"),
            ):
                return self._is_object_of(self._enclosing_class()) is True
        return self._names_owner(function)

    def _attribute_named_by(self, node: cst.Call) -> cst.SimpleString | None:
        """Return the string of `getattr(x, "name")` or `self.register_buffer("name")`."""
        match node:
            case cst.Call(
                func=cst.Name(value=function),
                args=[_, cst.Arg(value=cst.SimpleString() as named), *_],
            ) if function in _ATTRIBUTE_FUNCTIONS:
                return named
            case cst.Call(
                func=cst.Attribute(attr=cst.Name(value=function)),
                args=[cst.Arg(value=cst.SimpleString() as named), *_],
            ) if function in REGISTERING_METHODS:
                return named
        return None

    def _owner_of_named_attribute(self, node: cst.Call) -> bool | None:
        if isinstance(node.func, cst.Attribute):
            return self._is_owner_object(node.func.value)
        return self._is_owner_object(node.args[0].value)

    def _names_owner(self, node: cst.BaseExpression) -> bool:
        definitions = self._definitions(self._qualified_names(node))
        return not self._member.types.owners.isdisjoint(definitions)
