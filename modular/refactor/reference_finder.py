"""Records the references of one file: replacements of names, conflicts, open questions."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import libcst as cst
from libcst.metadata import (
    Assignment,
    BaseAssignment,
    PositionProvider,
    QualifiedName,
    QualifiedNameSource,
    ScopeProvider,
)

from modular.refactor.project_files import Definition, ProjectFiles
from modular.source.diagnostics import Edit, Place
from modular.source.source_slice import SourceSlice, find_word


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


class ReferenceFinder(cst.CSTVisitor):
    """Finds the references of one file, whose tree may lack parts of the file."""

    METADATA_DEPENDENCIES = (ScopeProvider, PositionProvider)

    def __init__(
        self, files: ProjectFiles, path: str, slices: Sequence[SourceSlice]
    ) -> None:
        """``slices`` are the parts of the file that the tree consists of."""
        super().__init__()
        self.references = References()
        self._files = files
        self._path = path
        self._lines = files.text(path).split("\n")
        self._line_numbers: list[int] = []
        for code in slices:
            line_count = code.text.count("\n")
            self._line_numbers += range(code.line, code.line + line_count)

    def _new_name(
        self, qualified_names: Iterable[QualifiedName], name: str
    ) -> str | None:
        """Return the new name of a definition; None if it keeps its name."""
        return None

    def _rename_binding(self, assignment: BaseAssignment, new: str) -> None:
        """Rename what binds a name: an assignment, a definition or an import."""
        assert isinstance(assignment, Assignment)
        name = assignment.name
        match assignment.node:
            case cst.Name() as node:
                self._rename(node, new)
            case cst.FunctionDef(name=node) | cst.ClassDef(name=node):
                self._rename(node, new)
            case cst.Param(name=node):
                self.references.unclear.append(self._place(node))
            case cst.ImportFrom(names=[*aliases]) | cst.Import(names=[*aliases]):
                for alias in aliases:
                    self._rename_imported(assignment, alias, name, new)

    def _rename_imported(
        self, assignment: BaseAssignment, alias: cst.ImportAlias, name: str, new: str
    ) -> None:
        """Rename the variable that an import binds.

        If the imported definition is renamed, `import old` becomes `import new`. Else it
        becomes `import old as new`, as in the `except ImportError` of a renamed import.
        """
        if alias.asname is not None:
            variable = alias.asname.name
            if isinstance(variable, cst.Name) and variable.value == name:
                self._rename(variable, new)
            return
        if not isinstance(alias.name, cst.Name) or alias.name.value != name:
            return
        qualified_names = assignment.get_qualified_names_for(name)
        is_definition_renamed = self._new_name(qualified_names, name) is not None
        if is_definition_renamed:
            self._rename(alias.name, new)
        else:
            self._rename(alias.name, f"{name} as {new}", variable=new)

    def _rename(self, node: cst.Name, new: str, variable: str = "") -> None:
        """Replace the name of a variable.

        Args:
            node: The name.
            new: The text in its place.
            variable: The variable that is then read or bound, if that is not ``new``.
        """
        self._edit(node, new)

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

    def _qualified_names(self, node: cst.CSTNode) -> Collection[QualifiedName]:
        scope = self.get_metadata(ScopeProvider, node, None)
        return () if scope is None else scope.get_qualified_names_for(node)

    def _start(self, node: cst.CSTNode) -> tuple[int, int]:
        """Return the line and the column, from 1, at which a node begins in its file."""
        start = self.get_metadata(PositionProvider, node).start
        return self._line_numbers[start.line - 1], start.column + 1

    def _place(self, node: cst.CSTNode) -> Place:
        line, column = self._start(node)
        width = len(node.value) if isinstance(node, cst.Name) else 1
        return Place(self._path, line, column, width, self._lines[line - 1])

    def _edit(self, node: cst.Name, new: str) -> None:
        """Replace a name."""
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
        self.references.edits.append(edit)
