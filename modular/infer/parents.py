"""Parent files as a model would see them: renamed, and what its classes would be as children of theirs."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath

from modular.conversion.converter import Converter
from modular.infer.derive import Derived, derive
from modular.infer.flat import FlatModel
from modular.infer.normal import normal
from modular.rules.files import file_types
from modular.rules.names import class_names, prefixes
from modular.rules.names.renaming import COPIED, Renamer
from modular.rules.renamed_file import ParentSource, RenamedFile
from modular.rules.settings import CONFIGURATION
from modular.source.blocks import Kind, Statement
from modular.source.definitions import Definition
from modular.source.indentation import regular
from modular.source.parts import Parts, parts_of


Pair = tuple[str, str, str, str]
"""A class, the path of a parent file, a class in it, and the prefix under which that is seen."""


@dataclass(frozen=True)
class View:
    """A parent file under a prefix."""

    path: str
    prefix: str
    file_type: str
    source: ParentSource
    file: RenamedFile

    @cached_property
    def nodes(self) -> dict[str, Definition]:
        """What it defines, under the new names."""
        return self.file.definitions.nodes()

    @cached_property
    def original(self) -> dict[str, str]:
        """The name in the file itself of what it defines, by the new name."""
        found = {}
        for statement in self.source.module.block.statements:
            if statement.name:
                found[self.file.renamer.word(statement.name)] = statement.name
        return found

    @cached_property
    def _normals(self) -> dict[str, str]:
        return {}

    def normal(self, name: str) -> str:
        """The normal form of a definition."""
        if name not in self._normals:
            self._normals[name] = normal(self.nodes[name].statement.code)
        return self._normals[name]


@dataclass(frozen=True, slots=True)
class Option:
    """A class with one of the classes that it could inherit from.

    It is ``moved`` if lines come in another order, and only that keeps its file from being identical.
    """

    name: str
    path: str
    parent: str
    prefix: str
    derived: Derived
    saved: int
    moved: bool

    @property
    def pays(self) -> bool:
        """Whether something is gained: lines, or a class that need not be looked at."""
        return self.saved > 0 or self.derived.is_whole


@dataclass
class Parents:
    """The parent files of a model, under all the prefixes that were asked for; each pair of classes is compared once."""

    converter: Converter
    flat: FlatModel
    _views: dict[tuple[str, str], View] = field(default_factory=dict)
    _parts: dict[str, Parts] = field(default_factory=dict)
    _options: dict[Pair, Option | None] = field(default_factory=dict)
    _statements: dict[Pair, Statement | None] = field(default_factory=dict)
    _derived: dict[tuple[str, str, bool, frozenset[str]], tuple[str, Derived | None]] = field(default_factory=dict)
    _put_off: dict[Pair, None] = field(default_factory=dict)
    _lines: dict[str, Counter[str]] = field(default_factory=dict)
    _written_out: dict[str, frozenset[str]] = field(default_factory=dict)

    def view(self, path: str, prefix: str) -> View:
        """Return a parent file under a prefix, renamed as the converter does it."""
        key = (path, prefix)
        if key not in self._views:
            source = self.converter.parent(path)
            names = self.converter.project.names
            lower = self.flat.model if prefix == self.flat.cased else names.lower(prefix)
            renamer = Renamer(source.spelling, lower, names.cased(lower), self.flat.model)
            file_type = file_types.of_file(PurePosixPath(path).stem, self.converter.project.settings) or ""
            self._views[key] = View(path, prefix, file_type, source, RenamedFile(source, renamer))
        return self._views[key]

    def prefix(self, path: str, pairs: Iterable[tuple[str, str]]) -> str:
        """The prefix that some (class, parent class) pairs give a parent file."""
        source = self.converter.parent(path)
        classes = [statement.name for statement in source.module.block.statements if statement.kind is Kind.CLASS]
        return prefixes.choose(pairs, self.flat.cased, source.spelling.cased, classes).chosen

    def option(self, name: str, path: str, parent: str, prefix: str) -> Option | None:
        """Return a class as a child of one in a parent file under a prefix; None if it cannot be one."""
        key = (name, path, parent, prefix)
        if key not in self._options:
            self._options[key] = self._option(name, path, parent, prefix)
        return self._options[key]

    def known(self, name: str) -> list[Option]:
        """All options of a class that pay, those that were put off too."""
        for pair in [each for each in self._put_off if each[0] == name]:
            self.option(*pair)
            del self._put_off[pair]
        return [each for each in self._options.values() if each is not None and each.name == name and each.pays]

    def write_out(self, name: str, method: str) -> None:
        """Let no option of a class unravel `super()` in a method."""
        self._written_out[name] = self._written_out.get(name, frozenset()) | {method}
        self._options = {pair: option for pair, option in self._options.items() if pair[0] != name}

    def put_off(self, pair: Pair) -> None:
        """Keep a pair for when all options of its class are asked for."""
        self._put_off[pair] = None

    def _option(self, name: str, path: str, parent: str, prefix: str) -> Option | None:
        derived = self.derived(name, path, parent, prefix) if self.can_be_imported(parent) else None
        if derived is None:
            return None
        saved = self.flat.names[name].code.text.strip("\n").count("\n") + 1 - derived.lines
        files = (file for file in self.flat.files if name in file.named)
        moved = not derived.in_order and any(file.docstring is None for file in files)
        return Option(name, path, parent, prefix, derived, saved, moved)

    def most(self, name: str, path: str, parent: str, prefix: str) -> int:
        """How many lines a class can save with a parent at most: what the parent does not have must be written."""
        if name not in self._lines:
            self._lines[name] = _lines(self.flat.names[name].code.text)
        own = self._lines[name]
        statement = self._renamed(name, path, parent, prefix)
        if statement is None:
            return 0
        new = own - _lines(statement.code.text)
        return self.flat.names[name].code.text.strip("\n").count("\n") - sum(new.values())

    def derived(self, name: str, path: str, parent: str, prefix: str, base: str = "") -> Derived | None:
        """Return how a class is written as a child of a parent file's class; None if it cannot.

        ``base`` is the name under which the modular file knows that, if it is another one. Classes that are the same once they are renamed are compared once.
        """
        view = self.view(path, prefix)
        statement = self._renamed(name, path, parent, prefix)
        if statement is None or not self._fits(name, view):
            return None
        merges = self.converter.project.settings.merge_docstrings and view.file_type == CONFIGURATION
        base, written_out = base or parent, self._written_out.get(name, frozenset())
        key = (name, statement.code.text, merges, written_out)
        if key not in self._derived:
            named = replace(statement, name=base)
            self._derived[key] = (base, derive(parts_of(regular(named)), self._own(name), base, merges, written_out))
        known, found = self._derived[key]
        if found is None or known == base:
            return found
        head = f"class {name}("
        return replace(found, text=found.text.replace(head + known, head + base, 1))

    def can_be_imported(self, parent: str) -> bool:
        """Whether the model has nothing else under the name of a parent class."""
        return parent not in self.flat.names and parent not in self._imported

    @cached_property
    def _imported(self) -> frozenset[str]:
        return frozenset(name.bound for file in self.flat.files for each in file.imports for name in each.names)

    def _own(self, name: str) -> Parts:
        if name not in self._parts:
            self._parts[name] = parts_of(regular(self.flat.names[name]))
        return self._parts[name]

    def as_parent(self, name: str, path: str, parent: str) -> str:
        """Return the text of a class of a parent file as a class of this name would inherit it; nothing if there is none."""
        statement = self._renamed(name, path, parent, self.prefix(path, [(name, parent)]))
        return "" if statement is None else statement.own.text

    def _renamed(self, name: str, path: str, parent: str, prefix: str) -> Statement | None:
        """A class of a parent file as a child of this name would have it; None if there is no such class."""
        key = (name, path, parent, prefix)
        if key not in self._statements:
            self._statements[key] = self._as_parent(name, parent, self.view(path, prefix))
        return self._statements[key]

    def _as_parent(self, name: str, parent: str, view: View) -> Statement | None:
        renamed = view.file.renamer.word(parent)
        definition = view.file.definitions.classes.get(renamed)
        if definition is None:
            return None
        names, keep = self.converter.project.names, self.converter.project.settings.keep_names
        statement = definition.statement
        prose = class_names.rename_in_prose(statement.code, renamed, name, names, keep)
        lead = class_names.rename_in_prose(statement.lead, renamed, name, names, keep)
        return Statement(prose, len(lead.text), statement.kind, parent)

    def _fits(self, name: str, view: View) -> bool:
        """Whether what a class mentions is nothing else in the parent file: it would be taken from there."""
        return not any(self.in_the_way(word, view) for word in self.flat.names[name].code.words() if word != name)

    def in_the_way(self, word: str, view: View) -> bool:
        """Whether a parent file would bring something under a name that is nothing, or something else, in the model."""
        if word not in view.nodes or word in view.file.siblings:
            return False
        own = self.flat.names.get(word)
        if own is None:
            return True
        kind = view.nodes[word].kind
        if own.kind is not kind:
            return True
        if kind is Kind.FUNCTION and word not in self.flat.ambiguous:
            return False
        return kind is not Kind.CLASS and not self.is_equal(word, view) and not self._replaces(word)

    def _replaces(self, name: str) -> bool:
        settings = self.converter.project.settings
        return any(part in name for part in (*settings.replacing_assignments, *settings.replacing_unless_none))

    def is_equal(self, name: str, view: View) -> bool:
        """Whether a definition of the model is the parent file's."""
        return name in view.nodes and view.normal(name) == self.flat.normal(name, view.file_type)


def _lines(text: str) -> Counter[str]:
    """The lines of some code, less their indentation; empty ones and those that inheriting takes the place of aside."""
    stripped = (line.strip() for line in text.split("\n"))
    return Counter(line for line in stripped if line and COPIED not in line)
