"""What lint rules check: a modular file, the files generated from it, and the project around them."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, TypeVar

from modular.flatten.formatted import Formatted, Undefined
from modular.flatten.layout import Layout
from modular.flatten.outputs import OutputFile, OutputStatement
from modular.project.project import Project
from modular.rules.files.drafts import DraftStatement
from modular.rules.reading.modular_file import ModularFile
from modular.semantics.ancestors import Ancestor
from modular.semantics.facts import Usage
from modular.semantics.meanings import Definition
from modular.semantics.resolver import Resolver
from modular.semantics.statements import facts_of
from modular.source.blocks import Kind, Statement, split
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.diagnostics import Place
from modular.source.import_statements import Import
from modular.source.module import Module
from modular.source.places import place_of, place_of_word
from modular.source.source_slice import SourceSlice, has_word, join_slices, words


_Key = TypeVar("_Key", bound=Hashable)
_Result = TypeVar("_Result")


@dataclass(eq=False)
class LintContext:
    """A modular file, and what was generated from it in this run.

    Attributes:
        layout: The flattened classes and the drafts of the output files.
        files: The output files before formatting.
        project: The project.
        exists: Returns whether there is a file at a path, on disk or generated in this
            run.
        read: Returns the file at a path; None if it does not exist.
        shared_resolver: Knows what names mean in files that are not generated here.
        reads: The paths that `exists`, `read` and `resolver` were asked for.
        formatted: What the formatter found in the output files; empty before it runs.
    """

    layout: Final[Layout]
    files: Final[Sequence[OutputFile]]
    project: Final[Project]
    exists: Final[Callable[[str], bool]]
    read: Final[Callable[[str], Module | None]]
    shared_resolver: Final[Resolver]
    reads: Final[dict[str, None]]
    formatted: Final[Formatted] = Formatted({})
    _memo: dict[tuple[object, Hashable], Any] = field(default_factory=dict, init=False)

    def memoized(
        self, function: Callable[["LintContext", _Key], _Result], key: _Key
    ) -> _Result:
        """Return `function(self, key)`, which is computed only once for each key."""
        memo_key = (function, key)
        if memo_key not in self._memo:
            self._memo[memo_key] = function(self, key)
        result: _Result = self._memo[memo_key]
        return result

    @property
    def modular(self) -> ModularFile:
        """The modular file."""
        return self.layout.modular

    @property
    def is_like_python(self) -> bool:
        """Whether generated classes do what Python's inheritance does."""
        return self.project.settings.is_like_python

    @cached_property
    def generated(self) -> dict[str, DraftStatement]:
        """The generated classes, functions and assignments of all output files by name."""
        definitions = {}
        for draft in self.layout.drafts.values():
            definitions.update(draft.statements)
        return definitions

    @cached_property
    def output_imports(self) -> dict[str, Module]:
        """The imports of each output file, as a module of their own, by file type."""
        modules = {}
        for file in self.files:
            # Statements without a name are imports, or blocks of imports.
            imports = [statement for statement in file.statements if not statement.name]
            modules[file.file_type] = _make_module(file, imports)
        return modules

    @cached_property
    def outputs(self) -> dict[str, Module]:
        """The output files as modules by file type."""
        return {
            file.file_type: _make_module(file, file.statements) for file in self.files
        }

    @cached_property
    def resolver(self) -> Resolver:
        """Knows what names mean in the modular file, in the output files and in others."""
        files = {module.path: module for module in self.outputs.values()}
        files[self.modular.path] = self.modular.module
        return Resolver(
            self.project,
            self.exists,
            self.read,
            files,
            shared=self.shared_resolver,
            reads=self.reads,
        )

    def definition_of(self, class_name: str) -> Definition:
        """Return a generated class as the resolver names it."""
        return Definition(self.file_of(class_name).path, class_name, Kind.CLASS)

    def class_named(self, name: str) -> DefinitionView | None:
        """Return a class of the generated files; None if they do not define it."""
        if name not in self.generated:
            return None
        return self.resolver.view(self.definition_of(name))

    def ancestors_of(self, class_name: str) -> tuple[Ancestor, ...]:
        """Return the known classes that a generated class inherits from.

        See `Resolver.class_and_ancestors`.
        """
        return self.memoized(_read_ancestors, class_name)

    def base_and_ancestors(self, class_name: str, base: str) -> tuple[Ancestor, ...]:
        """Return a base of a generated class, and the classes that it inherits from.

        Args:
            class_name: The generated class.
            base: The base as the class header names it, such as `Generic[T]`.
        """
        class_ = self.resolver.base(self.definition_of(class_name), base)
        return self.resolver.class_and_ancestors(class_)

    def bases_lack(self, class_name: str, member: str) -> bool:
        """Whether a generated class certainly inherits no member of a given name.

        See `Resolver.bases_lack`.
        """
        return self.resolver.bases_lack(self.definition_of(class_name), member)

    @cached_property
    def output_names(self) -> frozenset[str]:
        """All names that the generated files define or import.

        Imports in an `if` or `try` are not parsed: all words of the block count as
        names.
        """
        names: set[str] = set()
        for file in self.files:
            names.update(statement.name for statement in file.statements)
        for module in self.output_imports.values():
            for import_ in module.imports:
                for alias in import_.names:
                    names.add(alias.bound.partition(".")[0])
            for statement in module.block.statements:
                if statement.kind is Kind.GUARD:
                    names |= statement.code.words()
        return frozenset(names)

    def is_from_modular(self, code: SourceSlice) -> bool:
        """Whether code comes from the modular file, and not from a parent file."""
        return code.path == self.modular.path

    def file_of(self, name: str) -> OutputFile:
        """Return the output file that defines a class."""
        for file in self.files:
            if name in self.layout.drafts[file.file_type].statements:
                return file
        raise LookupError(name)

    def undefined(self, file: OutputFile) -> Sequence[Undefined]:
        """Return the names that an output file uses and does not define; none before the formatter runs."""
        return self.formatted.undefined_by_path.get(file.path, ())

    def is_used(self, import_: Import, name: str) -> bool:
        """Whether another statement contains an imported name, even in a string."""
        return self.is_used_outside(import_.statement, name)

    def is_used_outside(self, statement: Statement, name: str) -> bool:
        """Whether another statement of the modular file contains a name of a statement."""
        is_in_statement = has_word(statement.code.text, name)
        return self._statement_counts[name] > is_in_statement

    @cached_property
    def _statement_counts(self) -> Counter[str]:
        """How many statements of the modular file contain each word, even in a string."""
        counts: Counter[str] = Counter()
        for statement in self.modular.module.block.statements:
            counts.update(words(statement.code.text))
        return counts

    @property
    def words_of_modular(self) -> Set[str]:
        """The words of the modular file, even those in strings."""
        return self._statement_counts.keys()

    @cached_property
    def words_in_output_imports(self) -> set[str]:
        """The words in the imports of all output files, which include copied guards."""
        found: set[str] = set()
        for imports in self.output_imports.values():
            found |= imports.code.words()
        return found

    def find_attributes_set_to(self, class_name: str) -> Iterator[tuple[str, str]]:
        """Yield the attributes that generated classes set to a new object of a class.

        `mlp` and `OlmoLayer`, which sets it, are yielded for `OlmoMLP` if `OlmoLayer`
        contains `self.mlp = OlmoMLP(config)`, or `self.mlp = LAYERS[kind](config)` with a
        table that contains `OlmoMLP`.

        Args:
            class_name: The class of the object, `OlmoMLP`.
        """
        yield from self._find_attributes_set_by(class_name, "(")
        for table in self.find_tables_with(class_name):
            yield from self._find_attributes_set_by(table, "[")

    def _find_attributes_set_by(
        self, name: str, bracket: str
    ) -> Iterator[tuple[str, str]]:
        """Yield the attributes that generated classes set with a call, and the classes.

        Args:
            name: The called class, or a table of classes.
            bracket: The bracket behind the name.
        """
        for definition in self.generated.values():
            if name not in definition.words:
                continue
            # The text is searched, because parsing all these definitions would be slow. A
            # run holds whole lines, so it does not cut the assignment.
            for run in definition.parts:
                # Each text before ` = OlmoMLP(` ends with the target of the assignment.
                texts = run.code.masked_text.split(f" = {name}{bracket}")
                for text_before in texts[:-1]:
                    target = text_before.rpartition("\n")[2].strip()
                    # A type may follow, as in `self.mlp: OlmoMLP`.
                    attribute = target.removeprefix("self.").partition(":")[0]
                    if target.startswith("self.") and attribute.isidentifier():
                        yield attribute, definition.name

    def find_tables_with(self, class_name: str) -> Iterator[str]:
        """Yield the names of generated tables that contain a class.

        `LAYERS` is yielded for `OlmoMLP` after `LAYERS = {"mlp": OlmoMLP}`.

        Args:
            class_name: The class.
        """
        for draft in self.generated.values():
            if draft.is_definition or class_name not in draft.words:
                continue
            for statement in split(draft.code).statements:
                mentions = facts_of(statement).mentions_of(class_name)
                if any(mention.usage is Usage.STORED for mention in mentions):
                    yield draft.name

    def place_in(
        self, file: OutputFile, line_number: int, word: str = ""
    ) -> tuple[Place, Place | None]:
        """Return the place in the modular file that causes a generated line.

        Args:
            file: The output file.
            line_number: The number of the line, from 1.
            word: The word of the line that is marked; empty to mark the whole line.

        Returns:
            The place in the modular file, and the place in the parent file. The second
            one is None if the line comes from the modular file.
        """
        line = file.at_line(line_number)
        if line is None:
            return Place(self.modular.path), None
        if word:
            place = place_of_word(line.code, word)
        else:
            place = place_of(line.code)
        return self.attribute_to_modular(line.statement.name, place)

    def attribute_to_modular(
        self, statement: str, place: Place
    ) -> tuple[Place, Place | None]:
        """Return the place in the modular file that is responsible for some generated code.

        Code from a parent file is attributed to the class of the modular file that
        inherits it, or else to the import of the parent file.

        Args:
            statement: The name of the output statement that holds the code.
            place: The place that the code comes from, in the modular file or a parent
                file.

        Returns:
            The place in the modular file, and the place in the parent file. The second
            one is None if the code comes from the modular file.
        """
        if place.path == self.modular.path:
            return place, None
        definition = self.modular.definitions.classes.get(statement)
        if definition is not None:
            header = view_definition(definition.statement).header
            return place_of_word(header, statement), place
        return self.modular.place_of_import(place.path), place


def _read_ancestors(context: LintContext, class_name: str) -> tuple[Ancestor, ...]:
    """Return the classes that a class inherits from; none if it is not generated."""
    if context.class_named(class_name) is None:
        return ()
    class_ = context.definition_of(class_name)
    return context.resolver.class_and_ancestors(class_)[1:]


def _make_module(file: OutputFile, statements: Sequence[OutputStatement]) -> Module:
    """Return statements of an output file as a module."""
    codes = []
    for statement in statements:
        codes += [run.code for run in statement.parts]
    return Module(file.path, join_slices(codes, file.path))
