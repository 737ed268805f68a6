"""Finds the places of a file that refer to renamed definitions or members.

LibCST's scopes tell which names are meant. For attributes, `ObjectTypes` tells which
expressions are objects of the classes whose member is renamed.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

import libcst as cst
from libcst import matchers
from libcst.helpers import get_full_name_for_node
from libcst.metadata import (
    Access,
    Assignment,
    BaseAssignment,
    ClassScope,
    FunctionScope,
    GlobalScope,
    ImportAssignment,
    MetadataWrapper,
    PositionProvider,
    QualifiedName,
    QualifiedNameSource,
    Scope,
    ScopeProvider,
)

from modular.refactor.errors import RenameError
from modular.refactor.members import REGISTERING_METHODS
from modular.refactor.object_types import (
    Bindings,
    ObjectTypes,
    first_parameter,
    is_method_of,
    local_bindings,
)
from modular.refactor.project_files import Definition, ProjectFiles
from modular.rules.files.drafts import ALL
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.diagnostics import Edit, Place
from modular.source.module import Module
from modular.source.source_slice import SourceSlice, find_word


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


@dataclass(frozen=True)
class Renames:
    """Definitions with their new names, or one member of several classes."""

    names: Mapping[Definition, str] = field(default_factory=dict)
    member: MemberRename | None = None

    @property
    def old_words(self) -> frozenset[str]:
        """The names that are replaced."""
        words = {name for _, name in self.names}
        if self.member is not None:
            words.add(self.member.old)
        return frozenset(words)

    @property
    def owner_names(self) -> frozenset[str]:
        """The names of the classes whose member is renamed."""
        if self.member is None:
            return frozenset()
        return frozenset(name for _, name in self.member.types.owners)


@dataclass
class References:
    """The references of one file.

    Attributes:
        edits: Replacements of old names.
        conflicts: Uses of a new name for something else.
        unclear: Places with the old name that may be meant.
    """

    edits: list[Edit] = field(default_factory=list)
    conflicts: list[Place] = field(default_factory=list)
    unclear: list[Place] = field(default_factory=list)


def find_references(files: ProjectFiles, path: str, renames: Renames) -> References:
    """Return the references of one file to what is renamed.

    Raises:
        RenameError: LibCST cannot read the file.
    """
    module = files.readable_module(path)
    if module is None:
        return References()
    slices = list(_relevant_slices(module, renames))
    references = References()
    try:
        wrapper = MetadataWrapper(
            cst.parse_module("".join(code.text for code in slices)),
            unsafe_skip_copy=True,
        )
        wrapper.visit(_Finder(files, path, renames, slices, references))
    except (cst.ParserSyntaxError, RecursionError):
        raise RenameError(
            f"`{path}` uses syntax that LibCST cannot read; rename there by hand"
        ) from None

    references.edits = sorted(dict.fromkeys(references.edits))
    edited = {(edit.line, edit.column) for edit in references.edits}
    references.unclear = [
        place
        for place in sorted(dict.fromkeys(references.unclear))
        if (place.line, place.column) not in edited
    ]
    references.conflicts.sort()
    return references


def _relevant_slices(module: Module, renames: Renames) -> Iterator[SourceSlice]:
    """Yield the imports of a file, and the statements that have one of the names.

    Parsing takes long. Where several statements are on a line, or code at module level
    uses a member, the whole file is relevant.
    """
    words = {*renames.old_words, *renames.owner_names, *renames.names.values()}
    statements = module.block.statements
    is_used_at_top = renames.member is not None and any(
        renames.member.old in statement.words
        for statement in statements
        if not statement.is_definition
    )
    if ";" in module.code.mask or is_used_at_top:
        yield module.code
        return
    splits_classes = renames.member is None
    for statement in statements:
        yield from _relevant_parts(statement, words, splits_classes=splits_classes)


def _relevant_parts(
    statement: Statement, words: AbstractSet[str], *, splits_classes: bool
) -> Iterator[SourceSlice]:
    """Yield the parts of a statement that have one of the words."""
    code = statement.code
    binds = statement.kind in (Kind.IMPORT, Kind.GUARD) or statement.name == ALL
    if not binds and words.isdisjoint(code.words()):
        return
    is_whole = statement.kind is not Kind.CLASS or not splits_classes
    if is_whole or view_definition(statement).is_inline:
        yield code
        return
    first, *members = view_definition(statement).body.statements
    yield code.cut(0, statement.header_end)
    yield first.code
    for member in members:
        yield from _relevant_parts(member, words, splits_classes=True)


@dataclass
class _Frame:
    """A module, class or function that the visitor is in, and the types of its variables.

    A variable is True for an object of an owner, False for something else, and None if
    that cannot be told.
    """

    node: cst.CSTNode
    variables: Mapping[str, bool | None]


_ALL = matchers.Name(ALL)
_ATTRIBUTE_FUNCTIONS = frozenset({"getattr", "setattr", "hasattr", "delattr"})


class _Finder(cst.CSTVisitor):
    """Collects the references of one file."""

    METADATA_DEPENDENCIES = (ScopeProvider, PositionProvider)

    def __init__(
        self,
        files: ProjectFiles,
        path: str,
        renames: Renames,
        slices: Sequence[SourceSlice],
        references: References,
    ) -> None:
        """``slices`` are the parts of the file that the tree consists of."""
        super().__init__()
        self._files = files
        self._path = path
        self._renames = renames
        self._member = renames.member
        self._references = references
        self._lines = files.text(path).split("\n")
        self._line_numbers: list[int] = []
        for code in slices:
            line_count = code.text.count("\n")
            self._line_numbers += range(code.line, code.line + line_count)
        self._definition_names = {name for _, name in renames.names}
        self._frames: list[_Frame] = []
        self._written_names: dict[str, set[str]] = {}
        self._uses_of_new_names: list[cst.Name] = []
        self._other_names: set[cst.CSTNode] = set()
        self._renamed_globals: dict[str, str] = {}

    # Names of classes and functions.

    def visit_Module(self, node: cst.Module) -> None:
        scopes = {
            scope
            for scope in self.metadata[ScopeProvider].values()
            if isinstance(scope, Scope)
        }
        for scope in scopes:
            self._rename_bindings(scope)
            for access in scope.accesses:
                self._rename_access(access)
                if not access.referents and isinstance(access.node, cst.Name):
                    self._rename_star_import(access.node)
            if self._member is not None:
                self._rename_in_class_or_constructor(scope, self._member)
        self._enter(node, local_bindings(node))

    def leave_Module(self, original_node: cst.Module) -> None:
        """Refuse new names that mean something else already, or two things."""
        for name in self._uses_of_new_names:
            if name.value in self._written_names:
                self._references.conflicts.append(self._place(name))
        for new, old_names in self._written_names.items():
            if len(old_names) > 1:
                self._references.conflicts.append(Place(self._path, 0, text=new))

    def _rename_bindings(self, scope: Scope) -> None:
        """Rename what binds a renamed name in one scope: a second binding follows.

        An example is `try: from .llama import LlamaMLP` with `except ImportError:
        LlamaMLP = None`.
        """
        bindings: dict[str, list[BaseAssignment]] = {}
        for assignment in scope.assignments:
            if isinstance(assignment, Assignment):
                bindings.setdefault(assignment.name, []).append(assignment)
        for name, assignments in bindings.items():
            new_name = None
            for assignment in assignments:
                if not _has_alias(assignment):
                    qualified_names = assignment.get_qualified_names_for(name)
                    new_name = new_name or self._new_name(qualified_names, name)
            if new_name is None:
                continue
            if isinstance(scope, GlobalScope):
                self._renamed_globals[name] = new_name
            for assignment in assignments:
                self._rename_binding(assignment, new_name)

    def _rename_binding(self, assignment: BaseAssignment, new: str) -> None:
        assert isinstance(assignment, Assignment)
        name = assignment.name
        match assignment.node:
            case cst.Name() as node:
                self._edit(node, new)
            case cst.FunctionDef(name=node) | cst.ClassDef(name=node):
                self._edit(node, new)
            case cst.Param(name=node):
                self._references.unclear.append(self._place(node))
            case cst.ImportFrom(names=[*aliases]) | cst.Import(names=[*aliases]):
                for alias in aliases:
                    self._rename_imported(assignment, alias, name, new)

    def _rename_imported(
        self, assignment: BaseAssignment, alias: cst.ImportAlias, name: str, new: str
    ) -> None:
        """Rename what one import binds; an import from elsewhere gets an alias."""
        if alias.asname is not None:
            bound = alias.asname.name
            if isinstance(bound, cst.Name) and bound.value == name:
                self._edit(bound, new)
        elif isinstance(alias.name, cst.Name) and alias.name.value == name:
            qualified_names = assignment.get_qualified_names_for(name)
            if self._new_name(qualified_names, name) is None:
                self._edit(alias.name, f"{name} as {new}", bound=new)
            else:
                self._edit(alias.name, new)

    def _rename_access(self, access: Access) -> None:
        """Rename a name that is read, also in a quoted annotation."""
        for referent in access.referents:
            if _has_alias(referent) or not isinstance(referent, Assignment):
                continue
            new = self._name_after(referent)
            if new is None:
                continue
            if isinstance(access.node, cst.Name):
                self._edit(access.node, new)
            elif isinstance(access.node, cst.SimpleString):
                self._edit_quoted(access.node, referent.name, new)

    def _rename_star_import(self, node: cst.Name) -> None:
        """Rename a name that only `from module import *` can bind."""
        for definition in self._files.sources_of(self._path, node.value):
            new = self._renames.names.get(definition)
            if new is not None:
                self._edit(node, new)
                return

    def _name_after(self, referent: Assignment) -> str | None:
        """Return the new name of a binding if one of its scope's bindings is renamed."""
        qualified_names: set[QualifiedName] = set()
        for assignment in referent.scope[referent.name]:
            if assignment.scope is referent.scope and not _has_alias(assignment):
                qualified_names |= assignment.get_qualified_names_for(referent.name)
        return self._new_name(qualified_names, referent.name)

    def _new_name(
        self, qualified_names: Iterable[QualifiedName], name: str
    ) -> str | None:
        if name not in self._definition_names:
            return None
        for definition in self._definitions(qualified_names):
            if definition in self._renames.names:
                return self._renames.names[definition]
        return None

    def _definitions(
        self, qualified_names: Iterable[QualifiedName]
    ) -> Iterator[Definition]:
        """Yield the definitions that qualified names may mean."""
        for qualified_name in qualified_names:
            module, _, name = qualified_name.name.rpartition(".")
            if qualified_name.source is QualifiedNameSource.LOCAL and not module:
                yield Definition(self._path, name)
            elif qualified_name.source is QualifiedNameSource.IMPORT:
                level = len(module) - len(module.lstrip("."))
                for path in self._files.imported_files(
                    self._path, level, module[level:]
                ):
                    yield Definition(path, name)

    def visit_ImportFrom(self, node: cst.ImportFrom) -> None:
        """Rename a name that is imported under another one."""
        module = "." * len(node.relative)
        if node.module is not None:
            module += get_full_name_for_node(node.module) or ""
        if isinstance(node.names, cst.ImportStar):
            return
        for alias in node.names:
            self._other_names.add(alias.name)
            if alias.asname is None:
                continue
            name = alias.evaluated_name
            qualified_name = QualifiedName(
                f"{module}.{name}", QualifiedNameSource.IMPORT
            )
            new = self._new_name([qualified_name], name)
            if new is not None and isinstance(alias.name, cst.Name):
                self._edit(alias.name, new, bound="")

    def visit_Global(self, node: cst.Global) -> None:
        for item in node.names:
            if item.name.value in self._renamed_globals:
                self._edit(item.name, self._renamed_globals[item.name.value])

    def visit_Assign(self, node: cst.Assign) -> None:
        if any(matchers.matches(target.target, _ALL) for target in node.targets):
            self._rename_exports(node.value)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        if matchers.matches(node.target, _ALL):
            self._rename_exports(node.value)

    def _rename_exports(self, value: cst.BaseExpression) -> None:
        """Rename what `__all__` lists."""
        if not isinstance(value, cst.List | cst.Tuple):
            return
        for element in value.elements:
            if isinstance(element.value, cst.SimpleString):
                name = str(element.value.evaluated_value)
                new = self._renames.names.get(Definition(self._path, name))
                if new is not None:
                    self._edit_quoted(element.value, name, new)

    def visit_Name(self, node: cst.Name) -> None:
        is_new = node.value in self._renames.names.values()
        if is_new and node not in self._other_names:
            self._uses_of_new_names.append(node)

    # Members of classes.

    def _rename_in_class_or_constructor(
        self, scope: Scope, member: MemberRename
    ) -> None:
        """Rename a member in the body of an owner, or a constructor's parameter."""
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
        assert self._member is not None
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
        variables: dict[str, bool | None] = {}
        if self._member is not None:
            variables = self._member.types.of_variables(self._path, bindings)
            class_node = self._frames[-1].node if self._frames else None
            if isinstance(node, cst.FunctionDef) and is_method_of(node, class_node):
                variables[first_parameter(node)] = self._is_object_of(class_node)
        self._frames.append(_Frame(node, variables))

    def _is_object_of(self, class_node: cst.CSTNode | None) -> bool | None:
        """Tell whether objects of a class have the renamed member."""
        assert self._member is not None
        if not isinstance(class_node, cst.ClassDef):
            return False
        definition = Definition(self._path, class_node.name.value)
        return self._member.types.is_owner(definition)

    def visit_Attribute(self, node: cst.Attribute) -> None:
        self._other_names.add(node.attr)
        if node.attr.value not in self._renames.old_words:
            return
        imported = [
            name
            for name in self._qualified_names(node)
            if name.source is QualifiedNameSource.IMPORT
        ]
        new = self._new_name(imported, node.attr.value)
        if new is not None:
            self._edit(node.attr, new, bound="")

        if self._member is not None and node.attr.value == self._member.old:
            is_owner = self._is_owner_object(node.value)
            if is_owner:
                self._edit(node.attr, self._member.new, bound="")
            elif is_owner is None:
                self._references.unclear.append(self._place(node.attr))

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
                    assert self._member is not None
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

    def visit_Arg(self, node: cst.Arg) -> None:
        if node.keyword is not None:
            self._other_names.add(node.keyword)

    def visit_Call(self, node: cst.Call) -> None:
        member = self._member
        if member is None:
            return
        if member.is_keyword and self._constructs_owner(node.func):
            for argument in node.args:
                keyword = argument.keyword
                if keyword is not None and keyword.value == member.old:
                    self._edit(keyword, member.new, bound="")
        named = self._attribute_named_by(node)
        if named is not None and named.evaluated_value == member.old:
            is_owner = self._owner_of_named_attribute(node)
            if is_owner:
                self._edit_quoted(named, member.old, member.new)
            elif is_owner is None:
                self._references.unclear.append(self._place(named))

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
        assert self._member is not None
        definitions = self._definitions(self._qualified_names(node))
        return not self._member.types.owners.isdisjoint(definitions)

    def _qualified_names(self, node: cst.CSTNode) -> Collection[QualifiedName]:
        scope = self.get_metadata(ScopeProvider, node, None)
        return () if scope is None else scope.get_qualified_names_for(node)

    # Places and edits.

    def _start(self, node: cst.CSTNode) -> tuple[int, int]:
        """Return the line and the column, from 1, at which a node begins in its file."""
        start = self.get_metadata(PositionProvider, node).start
        return self._line_numbers[start.line - 1], start.column + 1

    def _place(self, node: cst.CSTNode) -> Place:
        line, column = self._start(node)
        width = len(node.value) if isinstance(node, cst.Name) else 1
        return Place(self._path, line, column, width, self._lines[line - 1])

    def _edit(self, node: cst.Name, new: str, bound: str | None = None) -> None:
        """Replace a name; ``bound`` is the variable that is then read or bound."""
        if bound is None:
            bound = new
        if bound and self._member is None:
            self._written_names.setdefault(bound, set()).add(node.value)
        line, column = self._start(node)
        self._add_edit(line, column, node.value, new)

    def _edit_quoted(self, node: cst.SimpleString, old: str, new: str) -> None:
        """Rename a name within a string, as far as it is on the string's first line."""
        line, column = self._start(node)
        begin = len(node.prefix) + len(node.quote)
        for start in find_word(node.raw_value.partition("\n")[0], old):
            self._add_edit(line, column + begin + start, old, new)

    def _add_edit(self, line: int, column: int, old: str, new: str) -> None:
        edit = Edit(self._path, line, column, line, column + len(old), new, old)
        self._references.edits.append(edit)


def _has_alias(assignment: BaseAssignment) -> bool:
    """Tell whether an import binds something under another name."""
    if not isinstance(assignment, ImportAssignment):
        return False
    node = assignment.node
    if not isinstance(node, cst.ImportFrom) or isinstance(node.names, cst.ImportStar):
        return True
    return any(
        alias.asname is not None and alias.evaluated_alias == assignment.name
        for alias in node.names
    )
