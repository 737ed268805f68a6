"""Where a file refers to renamed definitions, as LibCST's scopes say."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

import libcst as cst
from libcst import matchers
from libcst.helpers import get_full_name_for_node
from libcst.metadata import (
    Access,
    GlobalScope,
    MetadataWrapper,
    PositionProvider,
    QualifiedName,
    QualifiedNameSource,
    Scope,
    ScopeProvider,
)

from modular.refactor.project_files import ProjectFiles
from modular.rules.files.drafts import ALL
from modular.source.blocks import Kind, Statement
from modular.source.code import SourceSlice, find_word
from modular.source.diagnostics import Edit, Place
from modular.source.module import Module
from modular.source.parts import view_definition


Name = tuple[str, str]
"""A definition: the path of a file that it can be imported from, and its name there."""


@dataclass(frozen=True)
class Renames:
    """What is renamed: definitions, and a method (old and new name) of all classes among ``owners``."""

    names: Mapping[Name, str] = field(default_factory=dict)
    owners: frozenset[Name] = frozenset()
    method: tuple[str, str] = ("", "")

    @property
    def words(self) -> frozenset[str]:
        """The old names."""
        return frozenset({name for _, name in self.names} | {self.method[0]} - {""})


@dataclass
class References:
    """What is to be edited in a file, where a new name is taken there, and attributes of which nobody can tell."""

    edits: list[Edit] = field(default_factory=list)
    taken: list[Place] = field(default_factory=list)
    unclear: list[Place] = field(default_factory=list)


def find_references(files: ProjectFiles, path: str, renames: Renames) -> References:
    """Return where a file refers to what is renamed. One that LibCST cannot read refers to nothing."""
    module = files.module(path)
    references = References()
    codes = list(_relevant(module, renames)) if module is not None else []
    try:
        wrapper = MetadataWrapper(
            cst.parse_module("".join(code.text for code in codes)),
            unsafe_skip_copy=True,
        )
        wrapper.visit(_Finder(files, path, renames, codes, references))
    except (cst.ParserSyntaxError, RecursionError):
        return References()
    references.edits = sorted(dict.fromkeys(references.edits))
    references.taken.sort()
    return references


def _relevant(module: Module, renames: Renames) -> Iterator[SourceSlice]:
    """Yield the imports of a file, and the statements and members of classes that have one of the names.

    Trees take long to make. Where several statements are on a line, all of the file is relevant.
    """
    if ";" in module.code.mask:
        yield module.code
        return
    words = renames.words | {name for _, name in renames.owners}
    for statement in module.block.statements:
        yield from _mentioning(statement, words)


def _mentioning(statement: Statement, words: AbstractSet[str]) -> Iterator[SourceSlice]:
    code = statement.code
    binds = statement.kind in (Kind.IMPORT, Kind.GUARD) or statement.name == ALL
    if not binds and words.isdisjoint(code.words()):
        return
    if statement.kind is not Kind.CLASS or view_definition(statement).is_inline:
        yield code
        return
    first, *members = view_definition(statement).body.statements
    yield code.cut(0, statement.head_end)
    yield first.code
    for member in members:
        yield from _mentioning(member, words)


_ALL = matchers.Name(ALL)
_ASSIGNMENT = matchers.Assign() | matchers.AnnAssign()


class _Finder(cst.CSTVisitor):
    """Looks at names, attributes, imports and `__all__`; a class's own attributes are looked at with the class."""

    METADATA_DEPENDENCIES = (ScopeProvider, PositionProvider)

    def __init__(
        self,
        files: ProjectFiles,
        path: str,
        renames: Renames,
        codes: Sequence[SourceSlice],
        references: References,
    ) -> None:
        """``codes`` are the parts of the file that are below each other in the tree."""
        super().__init__()
        self._files = files
        self._path = path
        self._renames = renames
        self._references = references
        self._lines = files.text(path).split("\n")
        self._numbers = [
            code.line + index
            for code in codes
            for index in range(code.text.count("\n"))
        ]
        self._known_words = {name for _, name in (*renames.names, *renames.owners)}
        self._classes: list[cst.ClassDef] = []
        self._selves: list[str] = []
        self._held: list[set[str]] = []

    def visit_Module(self, node: cst.Module) -> None:
        for scope in {
            scope
            for scope in self.metadata[ScopeProvider].values()
            if isinstance(scope, Scope)
        }:
            for access in scope.accesses:
                self._access(access, scope)

    def _access(self, access: Access, scope: Scope) -> None:
        """Rename a name that is read, in an annotation within quotes as well."""
        for referent in access.referents:
            new = self._new_name(referent.get_qualified_names_for(referent.name))
            if new is None:
                continue
            if isinstance(access.node, cst.Name):
                self._edit(access.node, new)
            elif isinstance(access.node, cst.SimpleString):
                self._edit_quoted(access.node, referent.name, new)
            self._refuse_if_taken(access.node, new, scope)

    def _new_name(self, qualified: Iterable[QualifiedName]) -> str | None:
        names = self._renames.names
        return next(
            (
                names[meaning]
                for meaning in self._meanings(qualified)
                if meaning in names
            ),
            None,
        )

    def _meanings(self, qualified: Iterable[QualifiedName]) -> Iterator[Name]:
        """Yield the definitions that qualified names may refer to: of this file, or imported from others."""
        for qualified_name in qualified:
            module, _, name = qualified_name.name.rpartition(".")
            if qualified_name.source is QualifiedNameSource.LOCAL and not module:
                yield self._path, name
            elif (
                qualified_name.source is QualifiedNameSource.IMPORT
                and name in self._known_words
            ):
                level = len(module) - len(module.lstrip("."))
                yield from (
                    (path, name)
                    for path in self._files.imported_files(
                        self._path, level, module[level:]
                    )
                )

    def _refuse_if_taken(
        self, node: cst.CSTNode, new: str, scope: Scope | None
    ) -> None:
        if scope is not None and new in scope:
            self._references.taken.append(self._place(node))

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self._define(node)
        self._classes.append(node)
        self._held.append(self._holders(node))

    def leave_ClassDef(self, original_node: cst.ClassDef) -> None:
        self._classes.pop()
        self._held.pop()

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._define(node)
        old, new = self._renames.method
        if (
            node.name.value == old
            and self._classes
            and not self._selves
            and self._is_owner(self._classes[-1])
        ):
            self._edit(node.name, new)
        parameters = (*node.params.posonly_params, *node.params.params)
        self._selves.append(parameters[0].name.value if parameters else "")

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:
        self._selves.pop()

    def _define(self, node: cst.ClassDef | cst.FunctionDef) -> None:
        scope = self.get_metadata(ScopeProvider, node, None)
        new = self._renames.names.get((self._path, node.name.value))
        if isinstance(scope, GlobalScope) and new is not None:
            self._edit(node.name, new)
            self._refuse_if_taken(node.name, new, scope)

    def visit_ImportFrom(self, node: cst.ImportFrom) -> None:
        module = "." * len(node.relative) + (
            get_full_name_for_node(node.module) or "" if node.module else ""
        )
        for alias in () if isinstance(node.names, cst.ImportStar) else node.names:
            new = self._new_name(
                [
                    QualifiedName(
                        f"{module}.{alias.evaluated_name}", QualifiedNameSource.IMPORT
                    )
                ]
            )
            if new is not None:
                self._edit(cst.ensure_type(alias.name, cst.Name), new)
                if alias.asname is None:
                    self._refuse_if_taken(
                        alias.name, new, self.get_metadata(ScopeProvider, node, None)
                    )

    def visit_Assign(self, node: cst.Assign) -> None:
        if any(matchers.matches(target.target, _ALL) for target in node.targets):
            self._exports(node.value)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        if matchers.matches(node.target, _ALL):
            self._exports(node.value)

    def _exports(self, value: cst.BaseExpression) -> None:
        """Rename what `__all__` lists."""
        for element in (
            value.elements if isinstance(value, cst.List | cst.Tuple) else ()
        ):
            if isinstance(element.value, cst.SimpleString):
                name = str(element.value.evaluated_value)
                if (new := self._renames.names.get((self._path, name))) is not None:
                    self._edit_quoted(element.value, name, new)

    def visit_Attribute(self, node: cst.Attribute) -> None:
        if node.attr.value not in self._renames.words:
            return
        qualified = self._qualified(node)
        if new := self._new_name(
            name for name in qualified if name.source is QualifiedNameSource.IMPORT
        ):
            self._edit(node.attr, new)
        old, new_method = self._renames.method
        if node.attr.value == old:
            if self._is_of_owner(node.value):
                self._edit(node.attr, new_method)
            elif not isinstance(node.value, cst.Call):
                self._references.unclear.append(self._place(node.attr))

    def _is_of_owner(self, value: cst.BaseExpression) -> bool:
        """Whether an expression is an object of a class that has the method: `self`, `super()`, the class, what it holds."""
        around = self._classes[-1] if self._classes else None
        own = self._selves[0] if self._selves else None
        match value:
            case cst.Call(func=cst.Name(value="super")):
                return self._is_owner(around)
            case cst.Name(value=name) if name == own:
                return self._is_owner(around)
            case cst.Attribute(
                value=cst.Name(value=name), attr=cst.Name(value=held)
            ) if name == own:
                return bool(self._held) and held in self._held[-1]
        return self._names_owner(value)

    def _holders(self, node: cst.ClassDef) -> set[str]:
        """The attributes to which a class assigns objects of classes that have the method: `self.mlp = LlamaMLP(config)`."""
        held = set()
        for assignment in (
            matchers.findall(node, _ASSIGNMENT) if self._renames.owners else ()
        ):
            match assignment:
                case (
                    cst.Assign(
                        targets=[cst.AssignTarget(target=cst.Attribute(attr=name))],
                        value=cst.Call(func=called),
                    )
                    | cst.AnnAssign(
                        target=cst.Attribute(attr=name), value=cst.Call(func=called)
                    )
                ) if self._names_owner(called):
                    held.add(name.value)
        return held

    def _names_owner(self, node: cst.BaseExpression) -> bool:
        return not self._renames.owners.isdisjoint(
            self._meanings(self._qualified(node))
        )

    def _qualified(self, node: cst.CSTNode) -> Collection[QualifiedName]:
        scope = self.get_metadata(ScopeProvider, node, None)
        return () if scope is None else scope.get_qualified_names_for(node)

    def _is_owner(self, node: cst.ClassDef | None) -> bool:
        return (
            node is not None and (self._path, node.name.value) in self._renames.owners
        )

    def _start(self, node: cst.CSTNode) -> tuple[int, int]:
        """The line and the column (from 1) of a node in its file."""
        start = self.get_metadata(PositionProvider, node).start
        return self._numbers[start.line - 1], start.column + 1

    def _place(self, node: cst.CSTNode) -> Place:
        line, column = self._start(node)
        width = len(node.value) if isinstance(node, cst.Name) else 1
        return Place(self._path, line, column, width, self._lines[line - 1])

    def _edit(self, node: cst.Name, new: str) -> None:
        self._write(*self._start(node), node.value, new)

    def _write(self, line: int, column: int, old: str, new: str) -> None:
        self._references.edits.append(
            Edit(self._path, line, column, line, column + len(old), new, old)
        )

    def _edit_quoted(self, node: cst.SimpleString, old: str, new: str) -> None:
        """Rename a name within a string that is read as code, as far as it is on the string's first line."""
        line, column = self._start(node)
        begin = len(node.prefix) + len(node.quote)
        for start in find_word(node.raw_value.partition("\n")[0], old):
            self._write(line, column + begin + start, old, new)
