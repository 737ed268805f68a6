"""Finds what a rename must change in one file, and what stands in its way."""

import ast
import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import NamedTuple

from modular.refactor.errors import RenameError
from modular.refactor.project_files import ProjectFiles
from modular.rules.files.drafts import ALL
from modular.semantics.imports import ImportedName
from modular.semantics.meanings import QualifiedName
from modular.semantics.variables import Binding, Variable, find_variables
from modular.source.blocks import Kind
from modular.source.diagnostics import Edit, Place
from modular.source.module import Module
from modular.source.python_trees import NodeSpans, parse_or_raise
from modular.source.source_slice import SourceSlice, find_word, join_slices
from modular.system.printable import one_line


_NAME_AT_END = (ast.Attribute, ast.MatchAs, ast.MatchStar, ast.MatchMapping)
"""Nodes that end with their name; other nodes begin with it or with a keyword."""


@dataclass
class References:
    """The references of one file.

    Attributes:
        edits: Replacements of old names.
        conflicts: Places where a new name already means something else.
        merged_names: New names that would each replace several old names.
        unclear: Places with an old name that may or may not be references.
    """

    edits: list[Edit] = field(default_factory=list)
    conflicts: list[Place] = field(default_factory=list)
    merged_names: list[str] = field(default_factory=list)
    unclear: list[Place] = field(default_factory=list)

    def sort(self) -> None:
        """Sort the references, and remove duplicates.

        A place that is edited is not unclear, so it is removed from the unclear places.
        """
        self.edits = sorted(set(self.edits))
        edited_positions = {(edit.line, edit.column) for edit in self.edits}
        unclear = []
        for place in sorted(set(self.unclear)):
            if (place.line, place.column) not in edited_positions:
                unclear.append(place)
        self.unclear = unclear
        self.conflicts = sorted(set(self.conflicts))
        self.merged_names.sort()


class _JoinedLine(NamedTuple):
    """A line of the text that joins the parsed parts of a file.

    Attributes:
        offset: The offset in the joined text at which it begins.
        number_in_file: Its line number in the file, from 1.
    """

    offset: int
    number_in_file: int


class ReferenceFinder:
    """Finds references in one file, of which it parses only the relevant parts."""

    def __init__(self, files: ProjectFiles, path: str, words: AbstractSet[str]) -> None:
        """Parse the parts of a file that may have references, and find their variables.

        The parts are joined to one text, since parsing the whole file takes long.

        Args:
            files: The files of the project.
            path: The file.
            words: The words of its references.

        Raises:
            RenameError: Python cannot parse the file.
        """
        self.references = References()
        self.files = files
        self.path = path
        module = files.module(path)
        slices = []
        if module is not None:
            slices = _relevant_slices(module, words & files.words(path))
        self._code = join_slices(slices, path)
        self._spans = NodeSpans(self._code.text)
        try:
            self.tree = parse_or_raise(self._code.text)
            self.variables = find_variables(self.tree)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            files.refuse_syntax_error(path)
            raise RenameError(
                f"`{one_line(path)}` uses syntax that this Python cannot read; rename "
                "there by hand"
            ) from None

        # Nodes have the line numbers of the joined text. Edits need those of the file.
        self._joined_lines: list[_JoinedLine] = []
        offset = 0
        for code in slices:
            # Nothing follows the last line end of a slice.
            lines = code.text.split("\n")[:-1]
            for number, line in enumerate(lines, start=code.line):
                self._joined_lines.append(_JoinedLine(offset, number))
                offset += len(line) + len("\n")
        # Messages show whole lines of the file.
        self._file_lines = files.text(path).split("\n")

    def definitions_of_binding(
        self, variable: Variable, binding: Binding
    ) -> Iterator[QualifiedName]:
        """Yield the definitions of modules that a variable may refer to.

        - After `from llama import LlamaMLP`, the name refers to `LlamaMLP` of any file
          that may be the module `llama`.
        - After `class LlamaMLP` at module level, it refers to `LlamaMLP` of this file.
          `LlamaMLP = None` counts as well: it replaces the class of that name.
        - Nothing is yielded for `import llama`, which binds a module, and for names of
          functions and classes, which other files cannot import.

        Args:
            variable: The variable.
            binding: The definition, assignment or import that binds it.
        """
        if isinstance(binding.import_statement, ast.ImportFrom):
            yield from self.imported_definitions(binding)
            return
        is_import = binding.import_statement is not None
        if variable.is_global and not is_import:
            yield QualifiedName(self.path, variable.name)

    def definitions_of_expression(self, node: ast.expr) -> Iterator[QualifiedName]:
        """Yield the definitions that `LlamaMLP` or `module.LlamaMLP` may refer to."""
        # Split `package.module.LlamaMLP` into its variable and its attributes.
        attributes: list[str] = []
        while isinstance(node, ast.Attribute):
            attributes.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return
        variable = self.variables.of_node.get(node)
        if variable is None:
            return
        for binding in variable.bindings:
            if isinstance(binding.node, ast.alias):
                yield from self.imported_definitions(binding, attributes)
            elif not attributes:
                yield from self.definitions_of_binding(variable, binding)

    def imported_definitions(
        self, binding: Binding, attributes: Sequence[str] = ()
    ) -> Iterator[QualifiedName]:
        """Yield the definitions that an imported name may refer to.

        Args:
            binding: The import of the name.
            attributes: The attributes that are read from it: for `llama.LlamaMLP` after
                `import llama`, these are `["LlamaMLP"]`.
        """
        imported = _imported_name(binding, tuple(attributes))
        if imported.names:
            yield from self.files.imported(self.path, imported)

    def rename_at(
        self, node: ast.AST, old: str, new: str, *, is_last: bool = False
    ) -> None:
        """Add an edit that replaces a name in a node.

        Args:
            node: The node that has the name.
            old: The name.
            new: The text in its place.
            is_last: Whether it is the last word of the node, as `b` in `import a as b`.
        """
        self._add_edit(self._find_name(node, old, is_last=is_last), old, new)

    def rename_variable(self, node: ast.AST, old: str, new: str) -> None:
        """Add an edit where a node binds a variable that gets a new name.

        `old = 1` becomes `new = 1`. An imported module or definition keeps its own name:
        `import old` becomes `import old as new`. `import old.part` stays as it is, since
        `as` would give the name to `part`.

        Args:
            node: The definition, variable or parameter, or the `ast.alias` of an import.
            old: The name of the variable.
            new: The new name.
        """
        if not isinstance(node, ast.alias):
            self.rename_at(node, old, new)
        elif node.asname is not None:
            # The variable is the second name in `import old as old`.
            self.rename_at(node, old, new, is_last=True)
        elif node.name == old:
            self.rename_at(node, old, f"{old} as {new}")

    def rename_in_string(
        self, node: ast.AST, old: str, new: str, pattern: str = r"\b{}\b"
    ) -> None:
        """Add an edit for each place of a string that has a name.

        Args:
            node: The string.
            old: The name.
            new: The new name.
            pattern: A regular expression for the places, with `{}` for the name.
        """
        start, end = self._spans.span(node)
        name_pattern = re.compile(pattern.format(re.escape(old)))
        for match in name_pattern.finditer(self._code.text, start, end):
            # The match can have a backquote or blanks around the name.
            self._add_edit(match.start() + match[0].index(old), old, new)

    def place_of_name(self, node: ast.AST, name: str) -> Place:
        """Return the place of a name in a node."""
        return self._place(self._find_name(node, name), len(name))

    def place_of(self, node: ast.AST) -> Place:
        """Return the place at which a node begins."""
        start, _ = self._spans.span(node)
        return self._place(start, 1)

    def _find_name(self, node: ast.AST, name: str, *, is_last: bool = False) -> int:
        """Return the offset of a name in the text of a node.

        Python's tree has the position of a whole `def` or `import`, but not that of the
        name in it. So the name is searched for in the text of the node.

        Args:
            node: The node.
            name: The name.
            is_last: Whether the name is the last word of the node, as `b` in
                `import a as b`.

        Raises:
            RenameError: The text has the name in other characters, such as `conﬁg` with
                a ligature. Python's tree has `config` for it.
        """
        start, end = self._spans.span(node)
        # In `except Error as name`, the search begins after `Error`.
        if isinstance(node, ast.ExceptHandler) and node.type is not None:
            _, start = self._spans.span(node.type)
        positions = list(find_word(self._code.masked_text, name, start, end))
        if not positions:
            raise RenameError(
                f"`{one_line(self.path)}` has the name `{name}` in other characters "
                f"in line {self._place(start, 1).line}; rename it there by hand"
            )
        # The node may have the name several times, as `mlp` in `self.mlp.mlp`.
        is_at_end = is_last or isinstance(node, _NAME_AT_END)
        return positions[-1] if is_at_end else positions[0]

    def _place(self, offset: int, width: int) -> Place:
        """Return the place in the file of an offset in the joined text."""
        index = self._code.text.count("\n", 0, offset)
        joined_line = self._joined_lines[index]
        line = joined_line.number_in_file
        column = offset - joined_line.offset + 1
        return Place(self.path, line, column, width, self._file_lines[line - 1])

    def _add_edit(self, offset: int, old: str, new: str) -> None:
        place = self._place(offset, len(old))
        end_column = place.column + len(old)
        self.references.edits.append(
            Edit(self.path, place.line, place.column, place.line, end_column, new, old)
        )


def _relevant_slices(module: Module, words: AbstractSet[str]) -> list[SourceSlice]:
    """Return the statements of a file that have one of some words, and its imports.

    `__all__` is returned, too.
    """
    # Statements that share a line, as `a = 1; b = 2`, cannot be parsed apart.
    if ";" in module.code.masked_text:
        return [module.code]
    slices = []
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(words)))})\b")
    for statement in module.block.statements:
        is_import = statement.kind in (Kind.IMPORT, Kind.GUARD)
        if is_import or statement.name == ALL or pattern.search(statement.code.text):
            slices.append(statement.code)
    return slices


def _imported_name(binding: Binding, attributes: tuple[str, ...]) -> ImportedName:
    """Return what an import binds, with the attributes that are read from it.

    For `llama.LlamaMLP` after `import llama`, this is the name `LlamaMLP` of the module
    `llama`.

    Args:
        binding: The import.
        attributes: The attributes, such as `("LlamaMLP",)`.
    """
    alias = binding.node
    assert isinstance(alias, ast.alias)
    statement = binding.import_statement
    if isinstance(statement, ast.ImportFrom):
        module = tuple(statement.module.split(".")) if statement.module else ()
        return ImportedName(statement.level, module, (alias.name, *attributes))
    module = tuple(alias.name.split("."))
    if alias.asname is None:
        # `import package.module` binds only `package`.
        module = module[:1]
    return ImportedName(0, module, attributes)
