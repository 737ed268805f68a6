"""What lint rules look at: one modular file, what it was laid out to, and the project around it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from modular.flatten.formatted import Formatted, Undefined
from modular.flatten.layout import Layout
from modular.flatten.outputs import OutputFile, OutputStatement
from modular.project.project import Project
from modular.rules.files.drafts import DraftStatement
from modular.rules.reading.modular_file import ModularFile
from modular.source.blocks import Kind
from modular.source.definition_view import view_definition
from modular.source.diagnostics import Place
from modular.source.module import Module
from modular.source.places import place_of, place_of_module, place_of_word
from modular.source.source_slice import SourceSlice, joined


@dataclass(eq=False)
class LintContext:
    """A modular file that was laid out.

    ``exists`` tells of a path whether there is a file, and ``read`` gives one (None: it is not there); both see what the same
    run has generated. ``formatted`` is what the formatter made of the files, if it was asked yet.
    """

    layout: Final[Layout]
    files: Final[Sequence[OutputFile]]
    project: Final[Project]
    exists: Final[Callable[[str], bool]]
    read: Final[Callable[[str], Module | None]]
    formatted: Final[Formatted] = Formatted({})

    @property
    def modular(self) -> ModularFile:
        """The modular file itself."""
        return self.layout.modular

    @cached_property
    def nodes(self) -> dict[str, DraftStatement]:
        """The definitions of all output files, by name."""
        return {
            name: node
            for draft in self.layout.drafts.values()
            for name, node in draft.statements.items()
        }

    def is_own(self, code: SourceSlice) -> bool:
        """Whether some code is the modular file's and no parent's."""
        return code.path == self.modular.path

    @cached_property
    def heads(self) -> dict[str, Module]:
        """What is above the definitions of the output files, their imports, as modules, by file type."""
        return {
            file.file_type: _module(
                file, [statement for statement in file.statements if not statement.name]
            )
            for file in self.files
        }

    @cached_property
    def written(self) -> frozenset[str]:
        """Every name that an output file defines or imports, and every word of its guards."""
        names = {statement.name for file in self.files for statement in file.statements}
        for module in self.heads.values():
            names |= {
                alias.bound.partition(".")[0]
                for import_ in module.imports
                for alias in import_.names
            }
            names = names.union(
                *(
                    statement.code.words()
                    for statement in module.block.statements
                    if statement.kind is Kind.GUARD
                )
            )
        return frozenset(names)

    @cached_property
    def outputs(self) -> dict[str, Module]:
        """The output files as modules, by file type."""
        return {file.file_type: _module(file, file.statements) for file in self.files}

    def file_of(self, name: str) -> OutputFile:
        """The output file that a class is written into."""
        types = {
            draft.file_type
            for draft in self.layout.drafts.values()
            if name in draft.statements
        }
        return next(file for file in self.files if file.file_type in types)

    def undefined(self, file: OutputFile) -> list[Undefined]:
        """Return the names that an output file uses and does not define, if the formatter was asked yet."""
        return [name for name in self.formatted.undefined if name.path == file.path]

    def place_in(
        self, file: OutputFile, line: int, word: str = ""
    ) -> tuple[Place, Place | None]:
        """Return the place in the modular file that is answerable for a line of an output file, or for a word on it.

        There is a second one if that is a parent's.
        """
        if (found := file.at_line(line)) is None:
            return Place(self.modular.path), None
        statement, code = found
        return self.attribute_to_modular(
            statement.name, place_of_word(code, word) if word else place_of(code)
        )

    def attribute_to_modular(
        self, statement: str, place: Place
    ) -> tuple[Place, Place | None]:
        """Return the place in the modular file that is answerable for generated code, and a second one if that is a parent's.

        ``place`` is where the code comes from, ``statement`` the output statement in which it appears. For a parent's code
        the modular class that inherits it is named, or else the import that brought it.
        """
        if place.path == self.modular.path:
            return place, None
        definition = self.modular.definitions.classes.get(statement)
        if definition is not None:
            return place_of_word(
                view_definition(definition.statement).header, statement
            ), place
        imports = (
            import_
            for path, import_ in self.modular.model_imports
            if path == place.path
        )
        return next(map(place_of_module, imports), Place(self.modular.path)), place


def _module(file: OutputFile, statements: Sequence[OutputStatement]) -> Module:
    """Make a module of what is scanned already."""
    codes = [part.code for statement in statements for part in statement.parts]
    return Module(file.path, joined(codes, file.path))
