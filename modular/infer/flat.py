"""Flat files of a model, as values: their definitions, exports and docstrings."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

from modular.project import file_types
from modular.project.project import Project
from modular.rules.files.drafts import ALL, GETATTR
from modular.rules.files.exports import exported_names
from modular.semantics.imports import parent_files_of
from modular.settings.settings import Settings
from modular.source import module as modules
from modular.source.assignments import item_owner
from modular.source.blocks import Kind, Statement
from modular.source.headers import branches_of
from modular.source.module import Module
from modular.source.walking import walk


DEFINING = (Kind.CLASS, Kind.FUNCTION, Kind.ASSIGNMENT)
"""The kinds of statements that define a name."""


@dataclass(frozen=True)
class FlatFile:
    """A flat file of a model.

    Attributes:
        path: The path relative to the root.
        file_type: The type of model file, such as `modeling`.
        module: The file, read without its banner.
        text: The text without its banner.
        research_module: The whole file if this is a part of a research file.
        first_names: The names that are generated in this file even if nothing uses
            them, such as `logger`.
        is_whole_model: Whether a model is one file, which is generated with its docstring
            and all its definitions.
    """

    path: str
    file_type: str
    module: Module
    text: str
    research_module: Module | None = None
    first_names: tuple[str, ...] = ()
    is_whole_model: bool = False

    @property
    def lost_docstring(self) -> Statement | None:
        """The docstring of the file, if the generated file has none."""
        return None if self.is_whole_model else self.docstring

    @cached_property
    def docstring(self) -> Statement | None:
        """The docstring of the file."""
        for statement in self.module.block.statements:
            if statement.kind is Kind.STRING:
                return statement
        return None

    @cached_property
    def definitions(self) -> dict[str, Statement]:
        """The classes, functions and assignments by name, in order.

        An assignment to an item, such as `ACT2FN["x"] = y`, has its text as its name.
        """
        definitions = {}
        for statement in self.module.block.statements:
            if _is_definition(statement):
                is_item_assignment = statement.kind is Kind.OTHER
                name = statement.name
                if is_item_assignment:
                    name = statement.bare_code.text
                definitions[name] = statement
        return definitions

    @cached_property
    def other_statements(self) -> tuple[Statement, ...]:
        """The statements that are neither definitions nor imports nor strings.

        Examples are `__all__`, and guards: `if is_torch_available(): import torch`.
        """
        statements = []
        for statement in self.module.block.statements:
            is_import_or_string = statement.kind in (Kind.IMPORT, Kind.STRING)
            if not is_import_or_string and not _is_definition(statement):
                statements.append(statement)
        return tuple(statements)

    @cached_property
    def classes(self) -> tuple[Statement, ...]:
        """The classes, in order."""
        definitions = self.definitions.values()
        return tuple(
            statement for statement in definitions if statement.kind is Kind.CLASS
        )

    def line_of(self, statement: Statement) -> int:
        """Return the line (from 1) of a statement in the file that the user has.

        Usually, this is the same file. But if the user has one research file with all
        code of the model, this file is a part of it. Then the same code is searched there.
        """
        if self.research_module is None:
            return statement.line
        # Of two equal definitions of a name, Python uses the last one.
        for candidate in reversed(self.research_module.block.statements):
            if candidate.bare_code.text == statement.bare_code.text:
                return candidate.line
        return statement.line

    def special(self, name: str) -> Statement | None:
        """Return the last statement that assigns `__all__` or `__getattr__`."""
        for statement in reversed(self.other_statements):
            if statement.kind is Kind.ASSIGNMENT and statement.name == name:
                return statement
        return None

    @cached_property
    def exports(self) -> tuple[str, ...]:
        """The names in `__all__`."""
        statement = self.special(ALL)
        if statement is None:
            return ()
        return tuple(exported_names(statement))

    def reachable_from(self, names: Iterable[str]) -> set[str]:
        """Return definitions with all definitions that they depend on.

        If `f` calls `g`, then both are reachable from `f`. The names in `__all__` are
        always reachable. Names without a definition in the file are ignored.
        """
        first_definitions = []
        for name in (*names, *self.exports):
            if name in self.definitions:
                first_definitions.append(name)
        return set(walk(first_definitions, lambda name: self._dependencies[name]))

    @cached_property
    def generated_names(self) -> set[str]:
        """The definitions of this file that the converter can generate.

        If a model is one file, these are all definitions. Otherwise, these are the
        classes, the names in `__all__`, and what both depend on.
        """
        if self.is_whole_model:
            return set(self.definitions)
        return self.reachable_from(statement.name for statement in self.classes)

    @cached_property
    def unused_first_names(self) -> list[str]:
        """The names that are generated only if the modular file assigns to them."""
        names = []
        for name in self.first_names:
            if name in self.definitions and name not in self.generated_names:
                names.append(name)
        return names

    @cached_property
    def _dependencies(self) -> dict[str, list[str]]:
        """For each definition, the other definitions that it needs, by name.

        It needs those that it mentions. `ACT2FN` also needs an assignment to its items
        such as `ACT2FN["x"] = y`, which counts as a definition, too.
        """
        dependencies = {}
        for name, statement in self.definitions.items():
            dependencies[name] = sorted(statement.words & self.definitions.keys())
        for name, statement in self.definitions.items():
            is_item_assignment = statement.kind is Kind.OTHER
            if is_item_assignment:
                changed_name = item_owner(statement)
                if changed_name in dependencies:
                    dependencies[changed_name].append(name)
        return dependencies

    @cached_property
    def used_words(self) -> set[str]:
        """The words of all code but plain imports, `__all__` included."""
        used = set[str]()
        for statement in self.module.block.statements:
            if statement.kind is not Kind.IMPORT:
                used |= statement.words
        return used.union(self.exports)

    def words_only_in(self, names: Collection[str]) -> set[str]:
        """Return the words that only some definitions of the file have, and no others.

        Args:
            names: The names of these definitions.
        """
        words_inside = set[str]()
        words_outside = set[str]()
        for name, statement in self.definitions.items():
            if name in names:
                words_inside |= statement.words
            else:
                words_outside |= statement.words
        return words_inside - words_outside

    @cached_property
    def line_count(self) -> int:
        """The number of lines without the banner."""
        return self.text.count("\n")


def _is_definition(statement: Statement) -> bool:
    """Return whether a statement defines a name, or changes an item of a definition."""
    if statement.kind is Kind.OTHER:
        return bool(item_owner(statement))
    return statement.kind in DEFINING and statement.name not in (ALL, GETATTR)


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark on code at a line (from 1) of a file.

    For example, it says why the code is not generated, or into which file it goes.
    """

    path: str
    line: int
    reason: str


@dataclass
class FlatModel:
    """The flat files of a model that a modular file can generate, and those it cannot.

    Attributes:
        model: The name of the model, such as `my_model`.
        cased: The model's name in class names, such as `MyModel`.
        modular: The path of the modular file.
        files: The files that it can generate.
        by_hand: The files that stay hand-written, with the reasons.
        names_of_other_models: The names that the files import from other models.
    """

    model: str
    cased: str
    modular: str
    files: tuple[FlatFile, ...]
    by_hand: list[Remark] = field(default_factory=list)
    names_of_other_models: frozenset[str] = frozenset()

    @cached_property
    def definitions(self) -> dict[str, Statement]:
        """All definitions by name, in order. A class in two files is equal in both."""
        definitions: dict[str, Statement] = {}
        for file in self.files:
            for name, statement in file.definitions.items():
                definitions.setdefault(name, statement)
        return definitions

    @cached_property
    def line_count(self) -> int:
        """The number of lines of all files."""
        return sum(file.line_count for file in self.files)


def make_flat_model(
    project: Project,
    model: str,
    modular: str,
    files: Sequence[FlatFile],
    by_hand: Iterable[Remark] = (),
) -> FlatModel:
    """Return the complete files of a model that its modular file is to generate.

    With them are the names that they import from other models.

    Args:
        project: The project.
        model: The name of the model.
        modular: The path of its modular file.
        files: The files that the modular file can generate.
        by_hand: The files that stay hand-written.
    """
    names: set[str] = set()
    for file in files:
        for import_ in file.module.imports:
            if parent_files_of(project, modular, import_):
                names |= import_.bound_names
    return FlatModel(
        model=model,
        cased=project.names.cased(model),
        modular=modular,
        files=tuple(files),
        by_hand=list(by_hand),
        names_of_other_models=frozenset(names),
    )


def _without_banner(text: str, banner: str) -> str:
    """Return the text of a file without the comment that says that it is generated.

    Args:
        text: The text.
        banner: The comment as the settings have it, such as `# Generated from {path}.`
    """
    pattern = re.escape(banner)
    # In a generated file, a path or name replaces these placeholders.
    any_text = r"[^\n]*"
    for placeholder in ("{path}", "{name}"):
        pattern = pattern.replace(re.escape(placeholder), any_text)
    return re.sub(rf"\A{pattern}", "", text)


def remove_empty_guards(module: Module) -> str:
    """Return the text of a file without the `if` and `try` blocks that only `pass`."""
    deletions = []
    for offset, guard in module.statements_with_offsets():
        if guard.kind is not Kind.GUARD:
            continue
        inner_statements: list[Statement] = []
        for branch in branches_of(guard):
            inner_statements += branch.body.statements
        if all(statement.does_nothing for statement in inner_statements):
            deletions.append((offset, offset + len(guard.code.text), ""))
    return module.code.replace(deletions).text


def read_flat_file(project: Project, path: str, text: str) -> FlatFile:
    """Read a complete model file, and leave out its banner.

    The banner is the comment at the top that says that a file is generated. A file whose
    name is not the name of a model file gets the default type.

    Args:
        project: The project.
        path: The path of the file.
        text: Its text, with or without a banner.
    """
    settings = project.settings
    stem = PurePosixPath(path).stem
    file_type = file_types.of_file(stem, settings) or settings.default_file_type
    whole_text = modules.normalize_text(text)
    text_below_banner = _without_banner(whole_text, settings.banner)
    # The banner is cut off after reading, so that each statement keeps its line number.
    whole_code = modules.read(path, whole_text).code
    code = whole_code.cut(len(whole_text) - len(text_below_banner))
    return FlatFile(
        path=path,
        file_type=file_type,
        module=Module(path, code),
        text=text_below_banner,
        first_names=_first_names(settings, file_type),
        is_whole_model=settings.keeps_docstring(file_type),
    )


def _first_names(settings: Settings, file_type: str) -> tuple[str, ...]:
    """Return the names that are generated in a file even if nothing uses them.

    These are the names of the setting `first-names`, such as `logger`, in files of the
    default type. There are none in transformers itself.
    """
    if settings.is_library or file_type != settings.default_file_type:
        return ()
    return settings.first_names
