"""Parent files as a model would see them: renamed, and what its classes would be as children of theirs."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath

from modular.conversion.converter import Converter
from modular.infer.derive import Derived, derive
from modular.infer.flat import FlatModel
from modular.infer.forms import equal_after_formatting
from modular.rules.files import file_types
from modular.rules.names import class_names, prefixes
from modular.rules.names.renaming import Renamer
from modular.rules.reading.renamed_file import RenamedFile
from modular.settings.settings import CONFIGURATION
from modular.source.blocks import Statement
from modular.source.code import words
from modular.source.definitions import ModuleBinding
from modular.source.indentation import normalize_indentation
from modular.source.parts import view_definition


_WHOLE = 3
"""Lines that a class is worth which may not have to be mentioned at all."""

_ORDER = 40
"""Lines that an option has to save more if lines would come in another order."""

Pair = tuple[str, str, str, str]
"""A class, the path of a parent file, a class in it, and the prefix under which that is seen."""


@dataclass(frozen=True)
class View:
    """A parent file under a prefix."""

    path: str
    file: RenamedFile

    @cached_property
    def nodes(self) -> dict[str, ModuleBinding]:
        """What it defines, under the new names."""
        return self.file.definitions.nodes()

    @cached_property
    def original(self) -> dict[str, str]:
        """The name in the file itself of what it defines, by the new name."""
        names = (
            statement.name
            for statement in self.file.source.module.block.statements
            if statement.name
        )
        return {self.file.renamer.word(name): name for name in names}


@dataclass(frozen=True, slots=True)
class ParentCandidate:
    """A class with one of the classes that it could inherit from.

    It is ``worth`` so many lines: those that it saves, more where the class may not have to be mentioned, less where lines come in
    another order and only that keeps its file from being identical.
    """

    name: str
    path: str
    parent: str
    prefix: str
    derived: Derived
    worth: int


@dataclass
class ParentFiles:
    """The parent files of a model, under all the prefixes that were asked for; each pair of classes is compared once.

    No method of the classes ``written_out`` unravels `super()`.
    """

    converter: Converter
    flat: FlatModel
    _views: dict[tuple[str, str], View] = field(default_factory=dict)
    _derived: dict[tuple[str, str, str, bool], Derived | None] = field(
        default_factory=dict
    )
    written_out: set[str] = field(default_factory=set)

    def view(self, path: str, prefix: str) -> View:
        """Return a parent file under a prefix, renamed as the converter does it."""
        key = (path, prefix)
        if key not in self._views:
            source = self.converter.parent(path)
            names = self.converter.project.names
            lower = (
                self.flat.model if prefix == self.flat.cased else names.lower(prefix)
            )
            renamer = Renamer(
                source.name_forms, lower, names.cased(lower), self.flat.model
            )
            self._views[key] = View(path, RenamedFile(source, renamer))
        return self._views[key]

    def prefix(self, path: str, pairs: Iterable[tuple[str, str]]) -> str:
        """The prefix that some (class, parent class) pairs give a parent file."""
        source = self.converter.parent(path)
        return prefixes.choose_prefix(
            pairs, self.flat.cased, source.name_forms.cased, sorted(source.classes)
        ).chosen

    def prefix_of(self, name: str, path: str, parent: str) -> str:
        """The prefix that one class gives a parent file."""
        cased = self.flat.cased
        return (
            prefixes.class_prefix(
                name, parent, cased, self.converter.parent(path).name_forms.cased
            )
            or cased
        )

    def option(
        self, name: str, path: str, parent: str, prefix: str
    ) -> ParentCandidate | None:
        """Return a class as a child of one in a parent file under a prefix; None if it cannot be one."""
        derived = (
            self.derived(name, path, parent, prefix)
            if self.can_be_imported(parent)
            else None
        )
        if derived is None:
            return None
        worth = derived.saved(view_definition(self.flat.names[name]))
        if derived.is_whole:
            worth += _WHOLE
        files = (file for file in self.flat.files if name in file.named)
        if not derived.in_order and any(
            file.docstring is None and file.whole is None for file in files
        ):
            worth -= _ORDER
        return ParentCandidate(name, path, parent, prefix, derived, worth)

    def derived(
        self, name: str, path: str, parent: str, prefix: str, base: str = ""
    ) -> Derived | None:
        """Return how a class is written as a child of a parent file's class; None if it cannot.

        ``base`` is the name under which the modular file knows that, if it is another one. Classes that are the same once they are renamed are compared once.
        """
        view = self.view(path, prefix)
        statement = self._renamed(name, parent, view)
        if statement is None:
            return None
        base = base or parent
        settings = self.converter.project.settings
        is_configuration = (
            file_types.of_file(PurePosixPath(path).stem, settings) == CONFIGURATION
        )
        merges = settings.merge_docstrings and is_configuration
        key = (name, statement.code.text, base, name in self.written_out)
        if key not in self._derived:
            theirs = view_definition(
                normalize_indentation(replace(statement, name=base))
            )
            own = view_definition(normalize_indentation(self.flat.names[name]))
            self._derived[key] = derive(
                theirs, own, base, merges, unravels=name not in self.written_out
            )
        return self._derived[key]

    def can_be_imported(self, parent: str) -> bool:
        """Whether the model has nothing else under the name of a parent class."""
        return parent not in self.flat.names and parent not in self._imported

    @cached_property
    def _imported(self) -> frozenset[str]:
        return frozenset(
            name.bound
            for file in self.flat.files
            for statement in file.module.imports
            for name in statement.names
        )

    def as_parent(self, name: str, path: str, parent: str) -> str:
        """Return the text of a class of a parent file as a class of this name would inherit it; nothing if none can."""
        statement = self._renamed(
            name, parent, self.view(path, self.prefix(path, [(name, parent)]))
        )
        return (
            statement.own.text
            if statement is not None and self.can_be_imported(parent)
            else ""
        )

    def words(self, path: str) -> set[str]:
        """Return every word in the flat files and in a parent file, those of strings included."""
        return self._own_words | words(self.converter.parent(path).module.code.text)

    @cached_property
    def _own_words(self) -> set[str]:
        return set[str]().union(
            *(words(file.module.code.text) for file in self.flat.files)
        )

    def _renamed(self, name: str, parent: str, view: View) -> Statement | None:
        """A class of a parent file as a child of this name would have it; None if there is no such class."""
        renamed = view.file.renamer.word(parent)
        definition = view.file.definitions.classes.get(renamed)
        if definition is None or view.original[renamed] != parent:
            return None
        names, keep = (
            self.converter.project.names,
            self.converter.project.settings.keep_names,
        )
        statement = definition.statement
        prose = class_names.rename_prose_of_class(
            statement.code, renamed, name, names, keep
        )
        lead = class_names.rename_prose_of_class(
            statement.lead, renamed, name, names, keep
        )
        return Statement(prose, len(lead.text), statement.kind, parent)

    def is_equal(self, name: str, view: View) -> bool:
        """Whether a definition of the model is the parent file's."""
        own = self.flat.names.get(name)
        return (
            own is not None
            and name in view.nodes
            and equal_after_formatting(view.nodes[name].statement.code, own.code)
        )
