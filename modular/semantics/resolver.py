"""Tells which object a name means, in one snapshot of the project's texts.

    resolver = Resolver(project, exists, read)
    resolver.meaning("models/olmo/modeling_olmo.py", "nn.Module")

Names are followed from file to file, as far as the files can be read. Nothing is imported
or executed. Where the answer is not certain, it is `Unknown` with the reason.
"""

import ast
import builtins
import sys
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeVar

from modular.project.project import Project
from modular.semantics.ancestors import Ancestors, order_ancestors
from modular.semantics.facts import Usage
from modular.semantics.imports import ImportedName, imported_names, module_files
from modular.semantics.meanings import (
    Builtin,
    Definition,
    ForeignName,
    ImportedModule,
    Meaning,
    Reason,
    Sameness,
    Unknown,
)
from modular.semantics.modules import Effect, NameEffect, bindings_of, effects_on
from modular.semantics.statements import facts_of, parse_statements
from modular.settings.settings import MODELS
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.headers import branches_of
from modular.source.module import Module


_MAX_FILES = 12
"""Number of files that are read one after the other for one name."""

_MAX_STEPS = 500
"""Number of files and names that are looked at for one name."""

_MAX_COMPARED_NAMES = 2000
"""Number of names that are compared to compare two definitions."""

_MODULE_ATTRIBUTES = frozenset(
    {"__doc__", "__file__", "__loader__", "__name__", "__package__", "__spec__"}
)
"""Names that mean something else in each file, although no statement binds them."""

_Result = TypeVar("_Result")


@dataclass(eq=False)
class Resolver:
    """Answers questions about names. Each answer is computed once.

    Attributes:
        project: The project; None if imports are not followed.
        exists: Returns whether there is a file at a path.
        read: Returns the file at a path; None if it cannot be read.
        generated: Files that take precedence over those on disk, such as those that the
            current conversion generates, by path.
        shared: A resolver of the same texts without the generated files. It answers for
            several conversions what does not depend on generated files.
        reads: The files that the answers so far depend on, in the order of their first
            use. See `recording`.
    """

    project: Final[Project | None]
    exists: Final[Callable[[str], bool]]
    read: Final[Callable[[str], Module | None]]
    generated: Final[Mapping[str, Module]] = field(default_factory=dict)
    shared: Final["Resolver | None"] = None
    reads: dict[str, None] = field(default_factory=dict)
    _answers: dict[Hashable, "_Answer"] = field(default_factory=dict, init=False)
    _steps: int = field(default=0, init=False)

    @classmethod
    def of_file(cls, module: Module) -> "Resolver":
        """Return a resolver of one file, which does not follow its imports."""
        return cls(None, {module.path}.__contains__, {module.path: module}.get)

    @contextmanager
    def recording(self) -> Iterator[dict[str, None]]:
        """Record the files that answers depend on, in the order of their first use.

        These are files that were read or looked for, also if an earlier question had
        read them. Generated files are not among them.

        Yields:
            The paths, as the keys of a dictionary that grows with each answer.
        """
        outer_reads = self.reads
        self.reads = {}
        try:
            yield self.reads
        finally:
            outer_reads.update(self.reads)
            self.reads = outer_reads

    def memoized(self, key: Hashable, compute: Callable[[], _Result]) -> _Result:
        """Return an answer, which is computed only once for each key.

        The reads of an answer are recorded each time.
        """
        answer = self._answers.get(key)
        if answer is None:
            # This is `recording` without a context manager, which would be slow here.
            outer_reads = self.reads
            reads: dict[str, None] = {}
            self.reads = reads
            try:
                result = compute()
            finally:
                outer_reads.update(reads)
                self.reads = outer_reads
            answer = _Answer(result, dict.fromkeys(reads))
            self._answers[key] = answer
        else:
            self.reads.update(answer.reads)
        known_result: _Result = answer.result
        return known_result

    def module(self, path: str) -> Module | None:
        """Return the statements of a file; None if it cannot be read."""
        if path in self.generated:
            return self.generated[path]
        self.reads[path] = None
        return self.read(path)

    def has_file(self, path: str) -> bool:
        """Whether there is a file at a path."""
        if path in self.generated:
            return True
        self.reads[path] = None
        return self.exists(path)

    def find_file(self, path: str, level: int, module: str) -> str | None:
        """Return the file of an imported module; None if it has none here.

        Args:
            path: The path of the file with the import.
            level: The number of leading dots of the import.
            module: The module's name after the dots.
        """
        project = self.project
        if project is None:
            return None

        def find() -> str | None:
            for file in module_files(project, path, level, module):
                if self.has_file(file):
                    return file
            return None

        # Absolute imports mean the same in all files.
        importer = path if level else ""
        return self.memoized(("file", importer, level, module), find)

    def meaning(self, path: str, name: str, line: int | None = None) -> Meaning:
        """Return what a name means at module level of a file.

        Args:
            path: The path of the file.
            name: The name, which can be dotted: `nn.Module`.
            line: If given, the name is read on this line while the file is imported, so
                only the statements above it count, if one of them binds the name.
                Otherwise all statements count.
        """
        if line is not None and not self._has_several_bindings(path, name):
            # Then all lines have one answer.
            line = None

        if path not in self.generated:
            known = self._ask_shared(lambda shared: shared.meaning(path, name, line))
            if known is not None:
                return known

        def find() -> Meaning:
            # No code has so long a name, and each part may need a file.
            if name.count(".") > _MAX_FILES:
                return Unknown(name, path, Reason.TOO_DEEP)
            self._steps = 0
            return self._find_meaning(_Question(path, tuple(name.split(".")), line))

        return self.memoized(("meaning", path, name, line), find)

    def _has_several_bindings(self, path: str, name: str) -> bool:
        """Whether several statements of a file bind or delete the first part of a name."""
        module = self.module(path)
        first_name = name.partition(".")[0]
        return module is not None and len(bindings_of(module, first_name)) > 1

    def imported(self, path: str, imported: ImportedName) -> Meaning:
        """Return the meaning of a name that an import of a file binds.

        Args:
            path: The path of the file with the import.
            imported: The imported name, from `imported_names`.
        """
        if imported.is_star and not _may_define(imported):
            return Unknown(imported.dotted_name, path, Reason.STAR_IMPORT)

        def follow() -> Meaning:
            self._steps = 0
            return self._follow(_Question(path, ()), imported)

        return self.memoized(("imported", path, imported), follow)

    def _find_meaning(self, question: "_Question") -> Meaning:
        """Return the meaning of a name, which imports can lead to other files."""
        path, (name, *attributes), line, *_ = question
        dotted_name = ".".join(question.names)
        self._steps += 1
        if len(question.visited) > _MAX_FILES or self._steps > _MAX_STEPS:
            return Unknown(dotted_name, path, Reason.TOO_DEEP)
        if (path, question.names) in question.visited:
            return Unknown(dotted_name, path, Reason.CYCLE)
        module = self.module(path)
        if module is None:
            return Unknown(dotted_name, path, Reason.NO_FILE)

        bindings = bindings_of(module, name)
        # Definitions of a modular file need not be in the order in which Python needs them.
        effects = _last_effects(bindings, line) or _last_effects(bindings, None)
        if effects and effects[-1].effect is Effect.DELETES:
            return Unknown(dotted_name, path, Reason.DELETED)
        candidates: list[Meaning] = []
        for statement in dict.fromkeys(effect.statement for effect in effects):
            usages = [item for item in effects if item.statement is statement]
            candidates += self._find_candidates(question, statement, usages)
        if not candidates:
            return self._find_unbound(question, module)
        distinct = tuple(dict.fromkeys(candidates))
        if len(distinct) == 1:
            return distinct[0]
        return Unknown(dotted_name, path, Reason.AMBIGUOUS, distinct)

    def _find_candidates(
        self,
        question: "_Question",
        statement: Statement,
        effects: Sequence[NameEffect],
    ) -> Iterator[Meaning]:
        """Yield the meanings that one statement may give to a name.

        Args:
            question: The name and its file.
            statement: The statement: an import, a definition, or a block of both.
            effects: The effects of the statement on the name.
        """
        name, *attributes = question.names
        is_import = False
        for imported in imported_names(statement, name, tuple(attributes)):
            if not imported.is_star:
                is_import = True
                yield self._follow(question, imported)
        for kind in dict.fromkeys(map(_kind_of, effects)):
            if kind is Kind.IMPORT:
                if is_import:
                    continue
                kind = Kind.ASSIGNMENT
            if attributes:
                dotted_name = ".".join(question.names)
                yield Unknown(dotted_name, question.path, Reason.ATTRIBUTE)
            else:
                yield Definition(question.path, name, kind)

    def _find_unbound(self, question: "_Question", module: Module) -> Meaning:
        """Return the meaning of a name that no statement of its file binds by name."""
        name, *attributes = question.names
        dotted_name = ".".join(question.names)
        star_imports = list(_star_imports(module, name, tuple(attributes)))
        for imported in reversed(star_imports):
            if _may_define(imported):
                found = self._follow(question, imported)
                if not _is_unbound(found):
                    return found
        if question.is_first:
            if name in _MODULE_ATTRIBUTES:
                return Unknown(dotted_name, question.path, Reason.ATTRIBUTE)
            if hasattr(builtins, name) and not star_imports:
                if attributes:
                    return Unknown(dotted_name, question.path, Reason.ATTRIBUTE)
                return Builtin(name)
        reason = Reason.STAR_IMPORT if star_imports else Reason.NOT_BOUND
        return Unknown(dotted_name, question.path, reason)

    def _follow(self, question: "_Question", imported: ImportedName) -> Meaning:
        """Return the meaning of an imported name."""
        path = question.path
        module = imported.module
        names = imported.names
        unknown = None
        while True:
            file = self.find_file(path, imported.level, ".".join(module))
            # In a package, `from . import layers` means a module below the package.
            is_own_package = file == path and not module
            if file is not None and not is_own_package:
                if not names:
                    return ImportedModule(file)
                found = self._find_in_file(question, file, names)
                if not _is_unbound(found):
                    return found
                unknown = unknown or found
            # The first name may be a module of the package.
            if not names:
                break
            module = (*module, names[0])
            names = names[1:]
        if unknown is not None:
            return unknown
        if imported.level == 0:
            return ForeignName(imported.dotted_name)
        return Unknown(imported.dotted_name, path, Reason.NO_FILE)

    def _find_in_file(
        self, question: "_Question", file: str, names: tuple[str, ...]
    ) -> Meaning:
        """Return the meaning of a name of an imported file."""
        if file not in self.generated:
            name = ".".join(names)
            known = self._ask_shared(lambda shared: shared.meaning(file, name))
            # In another file, a name that no statement binds is no builtin.
            if isinstance(known, Definition | ForeignName | ImportedModule):
                return known
        return self._find_meaning(question.next(file, names))

    def _ask_shared(self, ask: Callable[["Resolver"], _Result]) -> _Result | None:
        """Return an answer of the shared resolver, unless it depends on generated files."""
        shared = self.shared
        if shared is None:
            return None
        outer_reads = shared.reads
        reads: dict[str, None] = {}
        shared.reads = reads
        try:
            answer = ask(shared)
        finally:
            shared.reads = outer_reads
        if not reads.keys().isdisjoint(self.generated):
            return None
        self.reads.update(reads)
        return answer

    def statement(self, definition: Definition) -> Statement | None:
        """Return the last statement that defines a class or function; None for others."""

        def find() -> Statement | None:
            module = self.module(definition.path)
            if module is None:
                return None
            for effect in reversed(bindings_of(module, definition.name)):
                if effect.effect is Effect.BINDS:
                    return _find_definition(effect.statement, definition)
            return None

        if self.shared is not None and definition.path not in self.generated:
            self.reads[definition.path] = None
            return self.shared.statement(definition)
        return self.memoized(("statement", definition), find)

    def view(self, class_: Definition) -> DefinitionView | None:
        """Return the view of a class or function; None if it cannot be found."""
        statement = self.statement(class_)
        return None if statement is None else view_definition(statement)

    def bases(self, class_: Definition) -> tuple[Meaning, ...]:
        """Return the bases of a class in their order, as far as they are known.

        Raises:
            UnreadableError: The class header cannot be read (`modular.source.trees`).
        """

        def find() -> tuple[Meaning, ...]:
            view = self.view(class_)
            if view is None:
                return (Unknown(class_.name, class_.path, Reason.NOT_A_CLASS),)
            line = view.statement.line
            return tuple(self._base(class_, text, line) for text in view.bases)

        return self.memoized(("bases", class_), find)

    def base(self, class_: Definition, text: str) -> Meaning:
        """Return the class that a base of a class means.

        Args:
            class_: The class.
            text: The base as the class header names it, such as `Generic[T]`.
        """
        statement = self.statement(class_)
        line = None if statement is None else statement.line
        return self._base(class_, text, line)

    def _base(self, class_: Definition, text: str, line: int | None) -> Meaning:
        """Return the class that a base of a class means, which begins on a line."""
        # The type arguments of `Generic[T]` are no part of its name.
        name = text.partition("[")[0].strip()
        if not name.replace(".", "_").isidentifier():
            return Unknown(text, class_.path, Reason.EXPRESSION)
        return self.meaning(class_.path, name, line)

    def ancestors(self, class_: Definition) -> Ancestors:
        """Return the classes that a class inherits from, in Python's order.

        Raises:
            UnreadableError: A class header cannot be read (`modular.source.trees`).
        """
        if class_.path not in self.generated:
            known = self._ask_shared(lambda shared: shared.ancestors(class_))
            if known is not None:
                return known
        return self.memoized(
            ("ancestors", class_), lambda: order_ancestors(class_, self.bases)
        )

    def same(self, first: Meaning, second: Meaning) -> Sameness:
        """Return whether two meanings are the same.

        Code is compared without comments and formatting.
        """
        key = ("same", first, second)
        return self.memoized(key, lambda: self._compare(first, second))

    def _compare(self, first: Meaning, second: Meaning) -> Sameness:
        """Return whether two meanings are the same.

        Code is equal if its text is, and if each name in it means the same. The names
        are compared one after the other, each pair once, so that code that mentions
        itself is equal if everything else in it is.
        """
        answer = Sameness.OBJECT if first == second else Sameness.CODE
        waiting = [(first, second)]
        compared: set[tuple[Meaning, Meaning]] = set()
        while waiting:
            pair = waiting.pop()
            if pair in compared:
                continue
            compared.add(pair)
            if len(compared) > _MAX_COMPARED_NAMES:
                return Sameness.UNKNOWN
            sameness, names = self._compare_pair(*pair)
            if sameness is Sameness.DIFFERENT:
                return sameness
            if sameness is Sameness.UNKNOWN:
                answer = sameness
            waiting += names
        return answer

    def _compare_pair(
        self, first: Meaning, second: Meaning
    ) -> tuple[Sameness, list[tuple[Meaning, Meaning]]]:
        """Compare two meanings, apart from the names in their code.

        Returns:
            Whether they are the same if all pairs of the list are.
        """
        match first, second:
            case Unknown(), Unknown():
                count = len(first.candidates)
                if count == 0 or count != len(second.candidates):
                    return Sameness.UNKNOWN, []
                candidates = zip(first.candidates, second.candidates, strict=True)
                return Sameness.CODE, list(candidates)
            case (Unknown(), _) | (_, Unknown()):
                return Sameness.UNKNOWN, []
            case _ if first == second:
                return Sameness.OBJECT, []
            case ForeignName(), ForeignName():
                are_known = _is_standard(first) and _is_standard(second)
                return Sameness.DIFFERENT if are_known else Sameness.UNKNOWN, []
            case (ForeignName() as foreign, other) | (other, ForeignName() as foreign):
                return _compare_with_foreign(foreign, other), []
            case Definition(), Definition():
                return self._compare_code(first, second)
        return Sameness.DIFFERENT, []

    def _compare_code(
        self, first: Definition, second: Definition
    ) -> tuple[Sameness, list[tuple[Meaning, Meaning]]]:
        """Compare the statements of two definitions, and list the names in them."""
        statements = self._statements_of(first)
        is_equal = first.name == second.name and (
            _code_of(statements) == _code_of(self._statements_of(second))
        )
        if not is_equal:
            return Sameness.DIFFERENT, []
        names: dict[str, None] = {}
        for statement in statements:
            facts = facts_of(statement)
            if facts.opaque:
                return Sameness.UNKNOWN, []
            names.update(dict.fromkeys(mention.name for mention in facts.mentions))
        names.pop(first.name, None)
        pairs = []
        for name in names:
            meaning = self.meaning(first.path, name)
            pairs.append((meaning, self.meaning(second.path, name)))
        return Sameness.CODE, pairs

    def _statements_of(self, definition: Definition) -> tuple[Statement, ...]:
        """Return all statements that bind or change a name of a file."""
        module = self.module(definition.path)
        if module is None:
            return ()
        effects = effects_on(module, definition.name)
        return tuple(dict.fromkeys(effect.statement for effect in effects))


class _Answer(NamedTuple):
    """An answer, and the files that it depends on."""

    result: Any
    reads: Mapping[str, None]


class _Question(NamedTuple):
    """The meaning of which name is looked for.

    Attributes:
        path: The path of the file.
        names: The name and its attributes.
        line: The line on which the name is read; None if all statements count.
        visited: The files and names that led here.
    """

    path: str
    names: tuple[str, ...]
    line: int | None = None
    visited: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def is_first(self) -> bool:
        """Whether no import led to this file."""
        return not self.visited

    def next(self, path: str, names: tuple[str, ...]) -> "_Question":
        """Return the question about a name in an imported file."""
        visited = (*self.visited, (self.path, self.names))
        return _Question(path, names, visited=visited)


def _star_imports(
    module: Module, name: str, attributes: tuple[str, ...]
) -> Iterator[ImportedName]:
    """Yield what the imports of all names in a module may bind a name to."""
    for statement in module.block.statements:
        has_imports = statement.kind in (Kind.IMPORT, Kind.GUARD, Kind.OTHER)
        if has_imports and "*" in statement.code.mask:
            for imported in imported_names(statement, name, attributes):
                if imported.is_star:
                    yield imported


def _may_define(imported: ImportedName) -> bool:
    """Whether `from .llama import *` may bind the name, such as `LlamaMLP`.

    A package has such an import for each of its models, and reading all of them would
    be slow. So only a module counts that has a word with which the name begins.
    """
    module = imported.module[-1] if imported.module else ""
    # `from .models import *` binds the classes of all models.
    if module == MODELS:
        return True
    words = [word for word in module.split("_") if word]
    lower_name = imported.names[0].lower()
    return any(lower_name.startswith(word) for word in words)


def _last_effects(effects: Sequence[NameEffect], line: int | None) -> list[NameEffect]:
    """Return the effects that decide what a name means, in their order.

    They are the last one that always happens, and those below it that may happen.

    Args:
        effects: All statements that bind or delete the name.
        line: If given, only the statements above this line count.
    """
    deciding: list[NameEffect] = []
    for effect in effects:
        if line is not None and effect.statement.line >= line:
            break
        if not effect.is_conditional and effect.usage not in _KEEPING_USAGES:
            deciding.clear()
        deciding.append(effect)
    return deciding


_KEEPING_USAGES = frozenset({Usage.DECLARED})
"""Usages that list a name and leave its value: `x: int`."""


def _kind_of(effect: NameEffect) -> Kind:
    """Return the kind of what a statement binds a name to."""
    return _KINDS.get(effect.usage, Kind.ASSIGNMENT)


_KINDS = {
    Usage.CLASS: Kind.CLASS,
    Usage.FUNCTION: Kind.FUNCTION,
    Usage.IMPORTED: Kind.IMPORT,
}


def _is_unbound(meaning: Meaning) -> bool:
    """Whether no statement binds a name itself, so that it may be the name of a module."""
    reasons = (Reason.NOT_BOUND, Reason.STAR_IMPORT)
    return isinstance(meaning, Unknown) and meaning.reason in reasons


def _find_definition(statement: Statement, definition: Definition) -> Statement | None:
    """Return the class or function in a statement, which can be a block of several."""
    if statement.name == definition.name and statement.kind is definition.kind:
        return statement
    found = None
    if statement.kind is Kind.GUARD:
        for branch in branches_of(statement):
            for inner in branch.body.statements:
                found = _find_definition(inner, definition) or found
    return found


def _is_standard(foreign: ForeignName) -> bool:
    """Whether a name belongs to Python's standard library."""
    return foreign.dotted_name.partition(".")[0] in sys.stdlib_module_names


def _compare_with_foreign(foreign: ForeignName, other: Meaning) -> Sameness:
    """Return whether a foreign name can mean the same as a name that is not foreign."""
    package = foreign.dotted_name.partition(".")[0]
    if isinstance(other, Definition | ImportedModule):
        # The foreign package may be an installed copy of the project.
        if package in other.path.removesuffix(".py").split("/"):
            return Sameness.UNKNOWN
    return Sameness.DIFFERENT


def _code_of(statements: Sequence[Statement]) -> list[str]:
    """Return the code of statements, without comments and formatting."""
    return [statement.memoized(_dump) for statement in statements]


def _dump(statement: Statement) -> str:
    """Return the syntax tree of a statement as text; its code if Python cannot parse it."""
    text = statement.bare_code.text
    trees = parse_statements(text)
    if not trees:
        return text
    return "\n".join(ast.dump(tree) for tree in trees)
