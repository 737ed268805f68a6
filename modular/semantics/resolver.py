"""Tells which object a name means, in one snapshot of the project's texts.

    resolver = Resolver(project, exists, read)
    resolver.meaning("models/olmo/modeling_olmo.py", "nn.Module")

Names are followed from file to file, as far as the files can be read. Nothing is imported
or executed. Where the answer is not certain, it is `Unknown` with the reason.
"""

import ast
import builtins
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeVar

from modular.project.project import Project
from modular.semantics.ancestors import (
    ENUMS,
    OBJECT,
    Ancestor,
    Ancestors,
    known_members,
    order_ancestors,
)
from modular.semantics.classes import names_in_body
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
"""Maximum number of imports that are followed from file to file for one name."""

_MAX_STEPS = 500
"""Maximum number of names that are looked up in files for one question."""

_MAX_COMPARED_NAMES = 2000
"""Maximum number of pairs of names that are compared for two definitions."""

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
        generated: Files by path that replace those on disk, such as the files that the
            current conversion generates.
        shared: A resolver of the same texts without the generated files. Several
            conversions ask it for what does not depend on their generated files.
        follows_all_stars: Whether each `import *` is followed that may bind a name. If not,
            only those are that are likely to bind it, because reading all would be slow.
        reads: The files that the answers so far depend on, in the order of their first
            use. See `recording`.
    """

    project: Final[Project | None]
    exists: Final[Callable[[str], bool]]
    read: Final[Callable[[str], Module | None]]
    generated: Final[Mapping[str, Module]] = field(default_factory=dict)
    shared: Final["Resolver | None"] = None
    follows_all_stars: Final[bool] = False
    reads: dict[str, None] = field(default_factory=dict)
    _answers: dict[Hashable, "_Answer"] = field(default_factory=dict, init=False)
    _steps: int = field(default=0, init=False)

    @classmethod
    def of_file(cls, module: Module) -> "Resolver":
        """Return a resolver of one file, which does not follow its imports."""
        return cls(None, {module.path}.__contains__, {module.path: module}.get)

    @contextmanager
    def recording(self) -> Iterator[dict[str, None]]:
        """Record the files that the answers inside a `with` block depend on.

        These are all files that are read or looked for, except for generated files. For an
        answer that is already known, they are those of the time when it was found.

        Yields:
            The paths in the order of their first use, as the keys of a dictionary that
            grows with each answer.
        """
        outer_reads = self.reads
        self.reads = {}
        try:
            yield self.reads
        finally:
            outer_reads.update(self.reads)
            self.reads = outer_reads

    def memoized(self, key: Hashable, compute: Callable[[], _Result]) -> _Result:
        """Return the answer to a question, which is computed only once.

        The files that the answer depends on are recorded each time.

        Args:
            key: The question.
            compute: Returns the answer.
        """
        answer = self._answers.get(key)
        if answer is not None:
            self.reads.update(answer.reads)
            cached_result: _Result = answer.result
            return cached_result

        # This is `recording` without a context manager, which would be slow here.
        outer_reads = self.reads
        reads: dict[str, None] = {}
        self.reads = reads
        try:
            result = compute()
        finally:
            outer_reads.update(reads)
            self.reads = outer_reads
        self._answers[key] = _Answer(result, dict.fromkeys(reads))
        return result

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
        """Return the file of an imported module; None if it has none in the project.

        Args:
            path: The path of the file with the import.
            level: The number of leading dots of the import.
            module: The module's name after the dots.
        """
        project = self.project
        if project is None:
            return None

        def find() -> str | None:
            """Return the first file that exists, or None."""
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
            line: The line on which the name is read while Python imports the file. If a
                statement above it binds the name, only statements above it count. If
                None, the whole file counts.
        """
        if line is not None and not self._has_several_bindings(path, name):
            # The answer is the same for all lines.
            line = None

        # The shared resolver does not know the generated files.
        if path not in self.generated:
            answer = self._ask_shared(lambda shared: shared.meaning(path, name, line))
            if answer is not None:
                return answer

        def find() -> Meaning:
            """Return the meaning, which is looked for in the files."""
            # Real code has no name of so many parts, each of which may need a file.
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
        if imported.is_star and not self._may_define(imported):
            return Unknown(imported.dotted_name, path, Reason.STAR_IMPORT)

        def follow() -> Meaning:
            """Return the meaning in the imported file."""
            self._steps = 0
            return self._follow(_Question(path, ()), imported)

        return self.memoized(("imported", path, imported), follow)

    def _find_meaning(self, question: "_Question") -> Meaning:
        """Return what a name in a file means, and follow imports from other files.

        If statements may bind the name to different things, as in `if a: f = g` below
        `def f()`, its meaning is unknown, with all possible meanings as candidates.
        """
        self._steps += 1
        if len(question.visited) > _MAX_FILES or self._steps > _MAX_STEPS:
            return question.unknown(Reason.TOO_DEEP)
        if (question.path, question.names) in question.visited:
            return question.unknown(Reason.CYCLE)
        module = self.module(question.path)
        if module is None:
            return question.unknown(Reason.NO_FILE)

        bindings = bindings_of(module, question.names[0])
        last_bindings = _last_bindings(bindings, question.line)
        if not last_bindings:
            # In a modular file, a definition may be below the code that needs it.
            last_bindings = _last_bindings(bindings, None)
        if last_bindings and last_bindings[-1].effect is Effect.DELETES:
            return question.unknown(Reason.DELETED)
        bindings_by_statement: dict[Statement, list[NameEffect]] = {}
        for binding in last_bindings:
            bindings_by_statement.setdefault(binding.statement, []).append(binding)
        # The possible meanings, each once and in their order, as keys.
        candidates: dict[Meaning, None] = {}
        for statement, its_bindings in bindings_by_statement.items():
            meanings = self._find_candidates(question, statement, its_bindings)
            candidates.update(dict.fromkeys(meanings))
        if not candidates:
            return self._find_unbound(question, module)
        if len(candidates) > 1:
            return question.unknown(Reason.AMBIGUOUS, tuple(candidates))
        (only_meaning,) = candidates
        return only_meaning

    def _find_candidates(
        self,
        question: "_Question",
        statement: Statement,
        bindings: Iterable[NameEffect],
    ) -> Iterator[Meaning]:
        """Yield the meanings that a statement may give to a name.

        If a `try` has `from a import f`, and its `except` has `f = None`, these are the
        `f` of the module `a`, and a definition in this file.

        Args:
            question: The name and its file.
            statement: The statement: an import, a definition, or a block of both.
            bindings: How the statement binds the first part of the name.
        """
        name, *attributes = question.names
        # An import that binds the name is followed to the imported file. All other
        # bindings define the name in this file.
        has_followed_import = False
        for imported in imported_names(statement, name, tuple(attributes)):
            if not imported.is_star:
                has_followed_import = True
                yield self._follow(question, imported)
        for binding in bindings:
            if binding.usage is Usage.IMPORTED and has_followed_import:
                continue
            if attributes:
                # The name is an attribute of something that this file defines.
                yield question.unknown(Reason.ATTRIBUTE)
            else:
                kind = _KINDS.get(binding.usage, Kind.ASSIGNMENT)
                yield Definition(question.path, name, kind)

    def _find_unbound(self, question: "_Question", module: Module) -> Meaning:
        """Return the meaning of a name that no statement of its file binds by name.

        A star import may bind it. Otherwise, it can be a builtin such as `print`, or an
        attribute that each module has, such as `__name__`. In all other cases, the meaning
        is unknown.
        """
        name, *attributes = question.names
        star_imports = list(_star_imports(module, name, tuple(attributes)))
        for imported in reversed(star_imports):
            if self._may_define(imported):
                meaning = self._follow(question, imported)
                if not _is_unbound(meaning):
                    return meaning

        # Builtins and attributes such as `__name__` cannot be imported from another file.
        is_in_first_file = question.is_first
        if is_in_first_file:
            is_builtin = hasattr(builtins, name) and not star_imports
            is_attribute_of_builtin = is_builtin and bool(attributes)
            if name in _MODULE_ATTRIBUTES or is_attribute_of_builtin:
                return question.unknown(Reason.ATTRIBUTE)
            if is_builtin:
                return Builtin(name)
        reason = Reason.STAR_IMPORT if star_imports else Reason.NOT_BOUND
        return question.unknown(reason)

    def _may_define(self, imported: ImportedName) -> bool:
        """Whether a star import must be followed, because it may bind a name."""
        return self.follows_all_stars or _is_likely_to_define(imported)

    def _follow(self, question: "_Question", imported: ImportedName) -> Meaning:
        """Return the meaning of an imported name.

        `from a import b` may mean the name `b` in the file of `a`, or the module `a.b`.
        So `b` is looked for in the file of `a` first, and then the file of `a.b`.

        Returns:
            The meaning. If no file of the project is imported, this is a name of another
            package, or unknown for a relative import.
        """
        path = question.path
        first_unbound = None
        # For `from a import b`, the module is first `a`, with the name `b`, and then `a.b`.
        for module_name_count in range(len(imported.names) + 1):
            module = (*imported.module, *imported.names[:module_name_count])
            names = imported.names[module_name_count:]
            file = self.find_file(path, imported.level, ".".join(module))
            # In a package, `from . import layers` means a module below the package.
            is_own_package = file == path and not module
            if file is None or is_own_package:
                continue
            is_whole_module = not names
            if is_whole_module:
                return ImportedModule(file)
            meaning = self._find_in_file(question, file, names)
            if not _is_unbound(meaning):
                return meaning
            first_unbound = first_unbound or meaning
        if first_unbound is not None:
            return first_unbound
        if imported.level == 0:
            return ForeignName(imported.dotted_name)
        return Unknown(imported.dotted_name, path, Reason.NO_FILE)

    def _find_in_file(
        self, question: "_Question", file: str, names: tuple[str, ...]
    ) -> Meaning:
        """Return what a name means in an imported file.

        If the current conversion does not generate the file, the shared resolver knows
        the answer in most cases.

        Args:
            question: The question about a name of the file with the import.
            file: The path of the imported file.
            names: The name in the imported file, and its attributes.
        """
        if file not in self.generated:
            name = ".".join(names)
            answer = self._ask_shared(lambda shared: shared.meaning(file, name))
            # Other answers, such as the builtin `print`, cannot be imported.
            if isinstance(answer, Definition | ForeignName | ImportedModule):
                return answer
        return self._find_meaning(question.next(file, names))

    def _ask_shared(self, ask: Callable[["Resolver"], _Result]) -> _Result | None:
        """Return the answer of the shared resolver, which several conversions ask.

        Returns:
            None if there is no shared resolver, or if its answer depends on a file that
            the current conversion generates.
        """
        shared = self.shared
        if shared is None:
            return None
        # While it answers, the shared resolver records the files of this answer alone.
        outer_reads = shared.reads
        reads: dict[str, None] = {}
        shared.reads = reads
        try:
            answer = ask(shared)
        finally:
            shared.reads = outer_reads
        depends_on_generated_file = not reads.keys().isdisjoint(self.generated)
        if depends_on_generated_file:
            return None
        self.reads.update(reads)
        return answer

    def statement(self, definition: Definition) -> Statement | None:
        """Return the last statement that defines a class or function.

        Returns:
            The statement. None if the name is bound otherwise, such as by an assignment.
        """

        def find() -> Statement | None:
            """Return the statement, which is looked for in the file of the definition."""
            module = self.module(definition.path)
            if module is None:
                return None
            for effect in reversed(bindings_of(module, definition.name)):
                if effect.effect is Effect.BINDS:
                    return _find_definition(effect.statement, definition)
            return None

        if self.shared is not None and definition.path not in self.generated:
            # The statement depends on no other file.
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
            """Return the meanings of the bases in the header of the class."""
            view = self.view(class_)
            if view is None:
                return (Unknown(class_.name, class_.path, Reason.NOT_A_CLASS),)
            line = view.statement.line
            return tuple(self._read_base(class_, text, line) for text in view.bases)

        return self.memoized(("bases", class_), find)

    def base(self, class_: Definition, text: str) -> Meaning:
        """Return the class that a base of a class means.

        Args:
            class_: The class.
            text: The base as the class header names it, such as `Generic[T]`.
        """
        statement = self.statement(class_)
        line = None if statement is None else statement.line
        return self._read_base(class_, text, line)

    def _read_base(self, class_: Definition, text: str, line: int | None) -> Meaning:
        """Return the class that a base means to a class that begins on a line."""
        # The type arguments of `Generic[T]` are not part of its name.
        name = text.partition("[")[0].strip()
        if not name.replace(".", "_").isidentifier():
            return Unknown(text, class_.path, Reason.EXPRESSION)
        return self.meaning(class_.path, name, line)

    def ancestors(self, class_: Definition) -> Ancestors:
        """Return the classes that a class inherits from, in Python's order.

        The shared resolver is asked first, unless the class is in a generated file.

        Raises:
            UnreadableError: A class header cannot be read (`modular.source.trees`).
        """
        if class_.path not in self.generated:
            answer = self._ask_shared(lambda shared: shared.ancestors(class_))
            if answer is not None:
                return answer
        return self.memoized(
            ("ancestors", class_), lambda: order_ancestors(class_, self.bases)
        )

    def is_enum(self, class_: Definition) -> bool:
        """Whether a class inherits from one of Python's enums.

        Raises:
            UnreadableError: A class header cannot be read (`modular.source.trees`).
        """
        return not ENUMS.isdisjoint(self.ancestors(class_).classes)

    def class_and_ancestors(self, class_: Meaning) -> tuple[Ancestor, ...]:
        """Return a class, and the classes that it inherits from, with their code.

        Each class comes once, before its own bases. `object` is left out.

        Raises:
            UnreadableError: A class header cannot be read (`modular.source.trees`).
        """
        classes = [class_]
        if isinstance(class_, Definition) and class_.is_class:
            classes += self.ancestors(class_).classes
        return tuple(
            Ancestor(meaning, self._view_of_class(meaning))
            for meaning in classes
            if meaning != OBJECT
        )

    def _view_of_class(self, class_: Meaning) -> DefinitionView | None:
        """Return the view of a class; None if its code cannot be read."""
        if isinstance(class_, Definition) and class_.is_class:
            return self.view(class_)
        return None

    def bases_lack(self, class_: Definition, member: str) -> bool:
        """Whether a class certainly inherits no member of a given name.

        It is uncertain if a base cannot be read, or if the body of a base contains code
        that may define any member, such as `exec(text)`.
        """
        for ancestor in self.ancestors(class_).classes:
            members = self.members(ancestor)
            if members is None or member in members:
                return False
        return True

    def members(self, class_: Meaning) -> frozenset[str] | None:
        """Return the names of the members that a class defines itself.

        Returns:
            The names. None if they are not known.
        """
        view = self._view_of_class(class_)
        # The members of `torch.nn.Module` are known, although its code cannot be read.
        if view is None:
            return known_members(class_)
        return view.statement.memoized(names_in_body)

    def same(self, first: Meaning, second: Meaning) -> Sameness:
        """Return whether two meanings are one object, or equal code, or different.

        Code is compared without comments and formatting.
        """
        key = ("same", first, second)
        return self.memoized(key, lambda: self._compare(first, second))

    def _compare(self, first: Meaning, second: Meaning) -> Sameness:
        """Return whether two meanings are one object, or equal code, or different.

        Two definitions are equal if their code is equal, and if each name in it means
        the same in both files. So the names in their code are compared, too, then the
        names in the code of these, and so on, each pair once.
        """
        answer = Sameness.OBJECT if first == second else Sameness.CODE
        pairs_to_compare = [(first, second)]
        compared: set[tuple[Meaning, Meaning]] = set()
        while pairs_to_compare:
            pair = pairs_to_compare.pop()
            if pair in compared:
                continue
            compared.add(pair)
            if len(compared) > _MAX_COMPARED_NAMES:
                return Sameness.UNKNOWN
            comparison = self._compare_pair(*pair)
            if comparison.sameness is Sameness.DIFFERENT:
                return Sameness.DIFFERENT
            if comparison.sameness is Sameness.UNKNOWN:
                answer = Sameness.UNKNOWN
            pairs_to_compare += comparison.pairs_in_code
        return answer

    def _compare_pair(self, first: Meaning, second: Meaning) -> "_Comparison":
        """Compare two meanings, but not what the names in their code mean."""
        match first, second:
            case Unknown(), Unknown():
                # The name is bound in several ways, as by `if a: f = g` below `def f()`.
                # The first candidates are compared with each other, and so on.
                count = len(first.candidates)
                if count == 0 or count != len(second.candidates):
                    return _Comparison(Sameness.UNKNOWN)
                candidates = zip(first.candidates, second.candidates, strict=True)
                return _Comparison(Sameness.CODE, tuple(candidates))
            case (Unknown(), _) | (_, Unknown()):
                return _Comparison(Sameness.UNKNOWN)
            case _ if first == second:
                return _Comparison(Sameness.OBJECT)
            case ForeignName(), ForeignName():
                # Other packages may give one object several names.
                are_standard = _is_standard(first) and _is_standard(second)
                return _Comparison(
                    Sameness.DIFFERENT if are_standard else Sameness.UNKNOWN
                )
            case (ForeignName() as foreign, other) | (other, ForeignName() as foreign):
                return _Comparison(_compare_with_foreign(foreign, other))
            case Definition(), Definition():
                return self._compare_code(first, second)
        return _Comparison(Sameness.DIFFERENT)

    def _compare_code(self, first: Definition, second: Definition) -> "_Comparison":
        """Compare the code of two definitions, but not what the names in it mean."""
        if first.name != second.name:
            return _Comparison(Sameness.DIFFERENT)
        statements = self._statements_of(first)
        if _code_of(statements) != _code_of(self._statements_of(second)):
            return _Comparison(Sameness.DIFFERENT)
        names: dict[str, None] = {}
        for statement in statements:
            facts = facts_of(statement)
            if facts.opaque:
                return _Comparison(Sameness.UNKNOWN)
            names.update(dict.fromkeys(mention.name for mention in facts.mentions))
        # Both have their own name, so it need not be compared.
        names.pop(first.name, None)
        pairs = []
        for name in names:
            meaning_in_first = self.meaning(first.path, name)
            meaning_in_second = self.meaning(second.path, name)
            pairs.append((meaning_in_first, meaning_in_second))
        return _Comparison(Sameness.CODE, tuple(pairs))

    def _statements_of(self, definition: Definition) -> tuple[Statement, ...]:
        """Return all statements that bind or change a name of a file."""
        module = self.module(definition.path)
        if module is None:
            return ()
        effects = effects_on(module, definition.name)
        return tuple(dict.fromkeys(effect.statement for effect in effects))


class _Comparison(NamedTuple):
    """How two meanings compare, if all names in their code mean the same.

    Attributes:
        sameness: How they compare.
        pairs_in_code: The two meanings of each of these names, still to be compared.
    """

    sameness: Sameness
    pairs_in_code: tuple[tuple[Meaning, Meaning], ...] = ()


class _Answer(NamedTuple):
    """An answer, and the files that it depends on."""

    result: Any
    reads: Mapping[str, None]


class _Question(NamedTuple):
    """A question to the resolver: what does a name mean in a file?

    Attributes:
        path: The path of the file.
        names: The name and its attributes.
        line: The line on which the name is read; None if all statements count.
        visited: The files and names from which imports led here.
    """

    path: str
    names: tuple[str, ...]
    line: int | None = None
    visited: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def is_first(self) -> bool:
        """Whether no import led to this file."""
        return not self.visited

    def unknown(self, reason: Reason, candidates: tuple[Meaning, ...] = ()) -> Unknown:
        """Return the answer that the meaning is unknown, with the reason."""
        return Unknown(".".join(self.names), self.path, reason, candidates)

    def next(self, path: str, names: tuple[str, ...]) -> "_Question":
        """Return the question about a name in an imported file."""
        visited = (*self.visited, (self.path, self.names))
        return _Question(path, names, visited=visited)


def _star_imports(
    module: Module, name: str, attributes: tuple[str, ...]
) -> Iterator[ImportedName]:
    """Yield the meanings that star imports (`from ... import *`) may give to a name."""
    for statement in module.statements_with_star:
        for imported in imported_names(statement, name, attributes):
            if imported.is_star:
                yield imported


def _is_likely_to_define(imported: ImportedName) -> bool:
    """Whether a star import is likely to bind a name, judged by the name of its module.

    `from .llama import *` may bind `LlamaMLP`, which begins with a word of the module.
    A package has such an import for each of its models, and reading all would be slow.
    """
    module = imported.module[-1] if imported.module else ""
    # `from .models import *` binds the classes of all models.
    if module == MODELS:
        return True
    words = [word for word in module.split("_") if word]
    lower_name = imported.names[0].lower()
    return any(lower_name.startswith(word) for word in words)


def _last_bindings(
    bindings: Sequence[NameEffect], line: int | None
) -> list[NameEffect]:
    """Return the bindings and deletions that can decide what a name means.

    They are the last binding that always happens, and those below it that may be skipped.
    For `x = 1`, `x = 2` and `if a: x = 3`, these are the second and the third.

    Args:
        bindings: How the statements of the file bind or delete the name.
        line: If given, only the statements above this line count.
    """
    deciding: list[NameEffect] = []
    for binding in reversed(bindings):
        if line is not None and binding.statement.line >= line:
            continue
        deciding.append(binding)
        # `x: int` keeps the value of `x`.
        if not binding.is_conditional and binding.usage is not Usage.DECLARED:
            break
    deciding.reverse()
    return deciding


_KINDS = {Usage.CLASS: Kind.CLASS, Usage.FUNCTION: Kind.FUNCTION}
"""The kind of a definition by the usage that binds its name; others are assignments."""


def _is_unbound(meaning: Meaning) -> bool:
    """Whether a file does not bind a name, which may then be a module below a package."""
    reasons = (Reason.NOT_BOUND, Reason.STAR_IMPORT)
    return isinstance(meaning, Unknown) and meaning.reason in reasons


def _find_definition(statement: Statement, definition: Definition) -> Statement | None:
    """Return the last class or function of a name in a statement; None if it has none.

    The statement can be a guard such as `if is_torch_available():` with definitions.
    """
    if statement.name == definition.name and statement.kind is definition.kind:
        return statement
    last_definition = None
    if statement.kind is Kind.GUARD:
        for branch in branches_of(statement):
            for inner in branch.body.statements:
                inner_definition = _find_definition(inner, definition)
                last_definition = inner_definition or last_definition
    return last_definition


def _is_standard(foreign: ForeignName) -> bool:
    """Whether a name belongs to Python's standard library."""
    return foreign.dotted_name.partition(".")[0] in sys.stdlib_module_names


def _compare_with_foreign(foreign: ForeignName, other: Meaning) -> Sameness:
    """Return how a foreign name, such as `torch.nn.Module`, compares with another meaning.

    They are different, unless the foreign package may be an installed copy of the
    project: `lib.llama.X` may be the `X` of `src/lib/llama.py`.
    """
    package = foreign.dotted_name.partition(".")[0]
    if isinstance(other, Definition | ImportedModule):
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
