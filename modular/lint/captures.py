"""Finds names that mean something else in a generated file than in the file of their code.

A generated file has code of the modular file and of parent files. If two of these files
use one name for different things, the generated file has only one of them.

First the names of each source file are compared with those of the generated file. Only
statements that contain a name with two meanings are parsed.
"""

import builtins
import re
from collections.abc import Collection, Iterable, Iterator, Set
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from modular.flatten.outputs import OutputFile
from modular.lint.context import LintContext
from modular.lint.lost_statements import dropped_changes
from modular.rules.files.drafts import Draft, DraftStatement, OutputRun
from modular.rules.files.imports import bound_names
from modular.rules.reading.renamed_file import RenamedFile
from modular.semantics.facts import Mention, Usage, When
from modular.semantics.functions import model_function
from modular.semantics.imports import ImportedName, imported_names
from modular.semantics.meanings import (
    Builtin,
    Definition,
    ForeignName,
    Meaning,
    QualifiedName,
    Reason,
    Sameness,
    Unknown,
)
from modular.semantics.modules import Effect, effects_of_statement
from modular.semantics.statements import facts_of
from modular.source.blocks import Kind, Statement, split
from modular.source.definition_view import view_definition
from modular.source.definitions import ModuleBinding
from modular.source.diagnostics import Place
from modular.source.module import Module
from modular.source.places import place_of_word
from modular.source.source_slice import find_word


_MAX_COMPARED_NAMES = 100
"""Names that are compared for one output file.

One comparison can begin while another one runs, and Python limits how deeply calls are
nested.
"""

_ATTRIBUTE_OR_ITEM = re.compile(r"\s*[.\[]")

_BUILTIN_NAMES = frozenset(dir(builtins))

_NEVER_SHADOWED = frozenset(
    {
        "classmethod",
        "dict",
        "enumerate",
        "getattr",
        "hasattr",
        "isinstance",
        "issubclass",
        "len",
        "list",
        "object",
        "print",
        "property",
        "set",
        "setattr",
        "staticmethod",
        "super",
        "tuple",
        "type",
        "zip",
    }
)
"""Builtins that no common library exports. `from torch import *` binds others."""

_NOT_EVALUATED = frozenset({When.QUOTED})
"""Mentions of names that do not change what a method computes."""


class Origin(Enum):
    """What a name of a file is."""

    DEFINITION = "a definition"
    IMPORT = "an import"
    BUILTIN = "a builtin"


class NameSource(NamedTuple):
    """What binds a name in a file.

    Attributes:
        path: The file whose statement it is. For an import, this is the importing file.
        origin: The kind of the statement.
        original_name: The name before it was renamed.
        binding: The definition, which is renamed when it is asked for; None for others.
        import_statement: The import, renamed for the new model; None for others.
        changes: The other statements that bind or change the name.
        is_star: Whether only an import of all names, `from math import *`, may bind it.
    """

    path: str
    origin: Origin
    original_name: str
    binding: ModuleBinding | None = None
    import_statement: Statement | None = None
    changes: tuple[ModuleBinding, ...] = ()
    is_star: bool = False

    @property
    def is_definition(self) -> bool:
        """Whether it is a function, class or assignment."""
        return self.origin is Origin.DEFINITION

    @property
    def statement(self) -> Statement | None:
        """The statement, renamed for the new model; None for a builtin."""
        if self.binding is not None:
            return self.binding.statement
        return self.import_statement

    @property
    def kind(self) -> Kind | None:
        """The kind of the statement; None for a builtin."""
        return None if self.statement is None else self.statement.kind


@dataclass(frozen=True)
class Capture:
    """A name that means something else in a generated file.

    Attributes:
        name: The name.
        owner: The statement of the generated file that uses it.
        place: The place of the use, in the file of the code.
        source: What the name is in this file.
        generated: What it is in the generated file.
        is_certain: Whether the two are known to be different.
    """

    name: str
    owner: str
    place: Place
    source: NameSource
    generated: NameSource
    is_certain: bool

    @property
    def has_star(self) -> bool:
        """Whether an import of all names binds the name in one of the files."""
        return self.source.is_star or self.generated.is_star


def describe(context: LintContext, capture: Capture) -> tuple[str, str]:
    """Return a message about a name with two meanings, and a hint for the author.

    Args:
        context: The modular file and what was generated from it.
        capture: The use of the name, with both meanings.
    """
    name = capture.name
    # The key of a statement such as `A, B = 1, 2` is not a name.
    owner = "this statement"
    if capture.owner.isidentifier():
        owner = f"`{capture.owner}`"
    verb = "is" if capture.is_certain else "may be"
    message = (
        f"{owner} uses {_describe_source(capture.source, name)}; in the "
        f"generated file, `{name}` {verb} {_describe_source(capture.generated, name)}"
    )
    importing_path = _find_importing_file(context, capture)
    if importing_path:
        message += f", which `{importing_path}` imports"
    return message, _advise(context, capture, owner)


def _advise(context: LintContext, capture: Capture, owner: str) -> str:
    """Return the hint that tells the author how to separate two meanings of a name.

    Args:
        context: The modular file and what was generated from it.
        capture: The use of the name, with both meanings.
        owner: The statement that uses the name, as the message calls it.
    """
    name = capture.name
    path = context.modular.path
    if _is_rebound_import(context, name, capture.source):
        return "give the changed value another name"
    if capture.has_star:
        return "list the needed names in the import with `*`"
    # The imports of the modular file are preferred to those of parent files.
    if capture.generated.origin is Origin.IMPORT:
        for import_ in context.modular.module.imports:
            if name in import_.bound_names:
                return f"import it under another name in `{path}`"

    is_of_modular = capture.source.path == path
    if is_of_modular and capture.source.origin is Origin.BUILTIN:
        return f"write `builtins.{name}`, and `import builtins`"
    # The author can rename only what the modular file defines or imports.
    sources = (capture.source, capture.generated)
    sources_in_modular = [source for source in sources if source.path == path]
    if not sources_in_modular:
        return f"override the code of {owner} that uses `{name}`"
    verb = "define"
    if any(source.origin is Origin.IMPORT for source in sources_in_modular):
        verb = "import"
    return f"{verb} it under another name in `{path}`"


def _find_importing_file(context: LintContext, capture: Capture) -> str:
    """Return the source file of the import that binds a name in the generated file.

    Returns:
        The path; empty if no import binds the name.
    """
    generated_import = capture.generated.import_statement
    if generated_import is None:
        return ""
    name = capture.name
    generated_names = set(imported_names(generated_import, name))
    for path in (context.modular.path, *context.layout.parents):
        source = context.memoized(_find_source, QualifiedName(path, name))
        if source is None or source.import_statement is None:
            continue
        if generated_names & set(imported_names(source.import_statement, name)):
            return path
    return ""


def _describe_source(source: NameSource, name: str) -> str:
    """Return words for what a name is: `cmath.sqrt`, or the `sqrt` of a file."""
    if source.origin is Origin.BUILTIN:
        return f"Python's own `{name}`"
    if source.import_statement is not None:
        imports = list(imported_names(source.import_statement, name))
        if imports:
            imported_object = f"`{'.' * imports[0].level}{imports[0].dotted_name}`"
            if source.is_star:
                return f"what `import *` binds, {imported_object}"
            return imported_object
    return f"the `{source.original_name}` of `{source.path}`"


def find_captures(context: LintContext) -> Iterator[Capture]:
    """Yield the first use of each name that has a different meaning in a generated file.

    Intended replacements are left out: a function of the modular file replaces a
    parent's function of the same name, and a class replaces the parent's class that is
    renamed to its name.

    Args:
        context: The modular file and what was generated from it.
    """
    for file in context.files:
        yield from _FileComparison(context, file).find_captures()


def find_conflicting_imports(context: LintContext) -> dict[str, list[str]]:
    """Return the names that parent files import and outputs use for something else.

    Returns:
        The names, before they are renamed, by the path of the parent file.
    """
    # The inner dictionaries are used as sets that keep their order.
    conflicts: dict[str, dict[str, None]] = {}
    for capture in find_captures(context):
        is_inherited = capture.source.path in context.layout.parents
        if is_inherited and capture.source.origin is Origin.IMPORT:
            # The parent's code uses the import, and the name means something else.
            importing_paths = [capture.source.path]
        elif capture.generated.origin is Origin.IMPORT:
            # The import may come from any of the parent files.
            importing_paths = [*context.layout.parents]
        else:
            continue
        for path in importing_paths:
            source = context.memoized(_find_source, QualifiedName(path, capture.name))
            if source is not None and source.origin is Origin.IMPORT:
                conflicts.setdefault(path, {})[source.original_name] = None
    return {path: [*names] for path, names in conflicts.items()}


class _FileComparison:
    """Compares the names of an output file with those of the files that its code is from."""

    def __init__(self, context: LintContext, file: OutputFile) -> None:
        """Prepare the comparison of an output file with its source files."""
        self._context = context
        self._file = file
        self._draft: Draft = context.layout.drafts[file.file_type]
        # The names of each source file that `_contested_names` has compared already.
        self._compared_names: dict[str, set[str]] = {}
        # Those of them that may mean something else in the output file.
        self._contested: dict[str, set[str]] = {}
        # What `_compare` has found out, by source file and name.
        self._answers: dict[tuple[str, str], Sameness] = {}
        # The source file and the name of each capture that was yielded.
        self._yielded: set[tuple[str, str]] = set()

    def find_captures(self) -> Iterator[Capture]:
        """Yield the first use of each name that means something else in the output file.

        A name is yielded once for each source file whose code uses it.
        """
        for statement in self._draft.statements.values():
            names_by_path: dict[str, Collection[str]] = {}
            source_paths = dict.fromkeys(run.code.path for run in statement.parts)
            for path in source_paths:
                names = self._contested_names(path, statement.words) - {statement.name}
                differing = {name for name in names if not self._is_same(path, name)}
                if differing:
                    names_by_path[path] = differing
            if names_by_path:
                yield from self._find_in_statement(statement, names_by_path)

    def _is_same(self, path: str, name: str) -> bool:
        """Whether a contested name means the same in a source file and the output."""
        answer = self._compare(path, name)
        return answer is Sameness.OBJECT or answer is Sameness.CODE

    def _contested_names(self, path: str, words: Set[str]) -> set[str]:
        """Return the words of some code that are contested names.

        A name is contested if a source file and the output file both bind it, but not
        by the same statement. It may then have two meanings.

        Args:
            path: The source file of the code.
            words: The words of the code.
        """
        context = self._context
        if path != context.modular.path and path not in context.layout.parents:
            return set()
        names = set(words)
        # Without an import such as `from math import *`, the output file binds only the
        # names of its statements.
        if not self._find_stars_of_output(path):
            names &= self._generated_names.keys()
        compared_names = self._compared_names.setdefault(path, set())
        contested = self._contested.setdefault(path, set())
        for name in names - compared_names:
            compared_names.add(name)
            if self._is_contested(path, name):
                contested.add(name)
        return names & contested

    def _is_contested(self, path: str, name: str) -> bool:
        """Whether a source file and the output file bind a name differently."""
        source = self._source_of(path, name)
        generated = self._generated_source(path, name)
        if source is None or generated is None or source == generated:
            return False
        return not self._are_equal_imports(source, generated)

    @cached_property
    def _generated_names(self) -> dict[str, NameSource]:
        """The statements that bind the names of the output file, by name."""
        names = {}
        imports = self._context.output_imports[self._file.file_type]
        for statement in imports.block.statements:
            for name in _variables_bound_by(statement):
                names[name] = NameSource(
                    self._file.path, Origin.IMPORT, name, import_statement=statement
                )
        names |= self._names_of_siblings()
        for name, definition in self._draft.statements.items():
            names[name] = self._source_of_draft(definition)
        self._add_other_names(names)
        return names

    def _generated_source(self, path: str, name: str) -> NameSource | None:
        """Return what binds a name in the output file; None if nothing does.

        If no statement of the output file has the name, an import such as
        `from math import *` may bind it, unless the source file has the same import.

        Args:
            path: The source file whose code uses the name.
            name: The name.
        """
        if name in self._generated_names:
            return self._generated_names[name]
        for statement in self._find_stars_of_output(path):
            for imported in imported_names(statement, name):
                if self._may_bind(imported):
                    return NameSource(
                        self._file.path,
                        Origin.IMPORT,
                        name,
                        import_statement=statement,
                        is_star=True,
                    )
        return None

    def _find_stars_of_output(self, path: str) -> list[Statement]:
        """Return the imports with `*` of the output file that a source file lacks.

        Args:
            path: The source file.

        Returns:
            Imports such as `from math import *`.
        """
        imports = self._context.output_imports[self._file.file_type]
        stars = imports.statements_with_star
        if not stars:
            return []
        stars_of_source = set[ImportedName]()
        for statement in self._context.memoized(_find_stars, path):
            stars_of_source.update(imported_names(statement, "*"))
        return [
            statement
            for statement in stars
            if not stars_of_source.issuperset(imported_names(statement, "*"))
        ]

    def _may_bind(self, imported: ImportedName) -> bool:
        """Whether an import with `*` of the output file may bind a name.

        Args:
            imported: The module and the name.
        """
        resolver = self._context.resolver
        name = imported.names[0]
        module = ".".join(imported.module)
        file = resolver.find_file(self._file.path, imported.level, module)
        if file is None:
            # The file of a library is not read. It may bind any name but exceptions and
            # the builtins that libraries do not replace.
            is_exception = name.endswith(("Error", "Exception"))
            return not is_exception and name not in _NEVER_SHADOWED
        meaning = resolver.meaning(file, name)
        is_unbound = isinstance(meaning, Unknown) and meaning.reason is Reason.NOT_BOUND
        return not is_unbound and not isinstance(meaning, Builtin)

    def _names_of_siblings(self) -> dict[str, NameSource]:
        """Return what defines each name that the output file imports from another one.

        An example is `OlmoConfig`, which `modeling_olmo.py` imports from
        `configuration_olmo.py`.
        """
        names = {}
        model_package = f"{self._context.modular.package}."
        for import_ in self._context.output_imports[self._file.file_type].imports:
            if import_.source.startswith(model_package):
                for name in import_.bound_names & self._context.generated.keys():
                    names[name] = self._source_of_draft(self._context.generated[name])
        return names

    def _add_other_names(self, names: dict[str, NameSource]) -> None:
        """Add the names that statements such as `A, B = 1, 2` bind, and their sources.

        Two source files may bind such a name. Then the statement that is later in the
        output file gives the name its value, and is its source.

        Args:
            names: The sources of the other names, which are extended.
        """
        position_of = {
            statement.name: position
            for position, statement in enumerate(self._file.statements)
        }
        for definition in self._draft.statements.values():
            # `A = 1` and `def a()` define the one name that they have, which is known.
            if definition.name.isidentifier():
                continue
            path = definition.parts[0].code.path
            position = position_of.get(definition.name, 0)
            for name in _names_changed_by(definition) & self._draft.other_names.keys():
                source = self._source_of(path, name)
                if source is None:
                    continue
                known_source = names.get(name)
                if known_source is not None and known_source.path == source.path:
                    continue
                if position > position_of.get(name, -1):
                    names[name] = source

    def _source_of_draft(self, definition: DraftStatement) -> NameSource:
        """Return what defines a generated name: the statement in its source file.

        If the source file does not define the name, it is the generated statement.
        """
        name = definition.name
        path = definition.parts[0].code.path
        # A class of the modular file can begin with code of its parent class.
        if name in self._context.modular.definitions.classes:
            path = self._context.modular.path
        source = self._source_of(path, name)
        if source is not None and source.is_definition:
            return source
        statement = split(definition.code).statements[0]
        return NameSource(path, Origin.DEFINITION, name, ModuleBinding(name, statement))

    def _source_of(self, path: str, name: str) -> NameSource | None:
        """Return the source of a name in a file, by its new name; None if the file has none."""
        return self._context.memoized(_find_source, QualifiedName(path, name))

    def _are_equal_imports(self, source: NameSource, generated: NameSource) -> bool:
        """Whether a source file and the output file bind a name by the same import.

        The import can be a block, such as `try: import x` with `HAS_X = True`.
        """
        if source.origin is not Origin.IMPORT or generated.origin is not Origin.IMPORT:
            return False
        assert source.statement is not None
        assert generated.statement is not None
        # Most imports are copied as they are.
        if source.statement.bare_code.text == generated.statement.bare_code.text:
            return True
        name = generated.original_name
        imported = set(imported_names(source.statement, name))
        if imported:
            return imported == set(imported_names(generated.statement, name))
        # Another statement of the block binds the name, as `HAS_X = True` does. Imports
        # that the output does not use may be missing from the generated block.
        return _is_subsequence(
            generated.statement.bare_code.text.split(),
            source.statement.bare_code.text.split(),
        )

    def _find_in_statement(
        self, statement: DraftStatement, names_by_path: dict[str, Collection[str]]
    ) -> Iterator[Capture]:
        """Yield the first use of each name with two meanings in a statement.

        A name that an earlier statement uses in code of the same source file is left
        out.

        Args:
            statement: The statement of the output file.
            names_by_path: The names with two meanings, by the source file of the code.
        """
        for mention, run in _find_mentions_outside_loops(statement):
            name = mention.name
            path = run.code.path
            if name not in names_by_path.get(path, ()):
                continue
            if mention.when in _NOT_EVALUATED or run.code.is_synthetic:
                continue
            if (path, name) in self._yielded:
                continue
            self._yielded.add((path, name))
            source = self._source_of(path, name)
            generated = self._generated_source(path, name)
            assert source is not None, "the name is contested"
            assert generated is not None, "the name is contested"
            yield Capture(
                name=name,
                owner=statement.name,
                place=place_of_word(run.code, name),
                source=source,
                generated=generated,
                is_certain=self._compare(path, name) is Sameness.DIFFERENT,
            )

    def _compare(self, path: str, name: str) -> Sameness:
        """Return whether a contested name means the same in a source file and the output.

        A documented replacement counts as the same.
        """
        key = (path, name)
        if key not in self._answers:
            # `def f(): f()` is equal in both files if everything else in it is. So `f`
            # counts as equal while its code is compared.
            self._answers[key] = Sameness.CODE
            self._answers[key] = self._decide(path, name)
        return self._answers[key]

    def _decide(self, path: str, name: str) -> Sameness:
        """Compare what a name means in a source file and in the output file.

        Args:
            path: The source file.
            name: A name that both files bind, but not by the same statement.

        Returns:
            `OBJECT` if it is the same object, `CODE` if it is a copy, or if a documented
            rule of the converter changes it. `DIFFERENT` if it certainly differs, and
            `UNKNOWN` otherwise.
        """
        source = self._source_of(path, name)
        generated = self._generated_source(path, name)
        assert source is not None, "the name is contested"
        assert generated is not None, "the name is contested"
        # `SIZE += 1` below `from ..llama.modeling_llama import SIZE` changes no other file.
        if _is_rebound_import(self._context, name, source):
            return Sameness.DIFFERENT
        if self._is_documented(name, source, generated):
            return Sameness.CODE
        if source.is_definition and generated.is_definition:
            return self._compare_definitions(source, generated)
        return self._compare_meanings(name, source, generated)

    def _compare_definitions(
        self, source: NameSource, generated: NameSource
    ) -> Sameness:
        """Return `CODE` if two definitions of a name do the same.

        Returns:
            `DIFFERENT` if their code differs, or if the files are different and code
            changes the object in one of them. See `_compare_used_names` for others.
        """
        if _code_of(source) != _code_of(generated):
            return Sameness.DIFFERENT
        if self._is_changed(source) or self._is_changed(generated):
            return Sameness.DIFFERENT
        return self._compare_used_names(source)

    def _compare_meanings(
        self, name: str, source: NameSource, generated: NameSource
    ) -> Sameness:
        """Return whether a name means the same object in a source file and the output.

        One of the files imports the name, or it is a builtin.

        Args:
            name: The name.
            source: What binds it in the source file of the code.
            generated: What binds it in the output file.
        """
        source_meaning = self._meaning_of(name, source)
        generated_meaning = self._meaning_of(name, generated)
        answer = self._context.resolver.same(source_meaning, generated_meaning)
        if answer is Sameness.DIFFERENT:
            # Code for a class may also work with a subclass, so the harm is uncertain.
            if self._may_be_derived(source_meaning, generated_meaning):
                return Sameness.UNKNOWN
            if self._may_be_derived(generated_meaning, source_meaning):
                return Sameness.UNKNOWN
        elif generated.is_definition and self._is_of_library(source):
            return Sameness.DIFFERENT
        return answer

    def _is_of_library(self, source: NameSource) -> bool:
        """Whether an import with `*` from a library outside the project binds a name."""
        if not source.is_star:
            return False
        assert source.statement is not None
        for imported in imported_names(source.statement, source.original_name):
            # A relative import is from no library, and neither is a file that exists.
            if imported.level:
                return False
            module = ".".join(imported.module)
            if self._context.resolver.find_file(source.path, 0, module) is not None:
                return False
        return True

    def _may_be_derived(self, meaning: Meaning, base: Meaning) -> bool:
        """Whether a name may mean a subclass of another class.

        Args:
            meaning: What the name means.
            base: What the name of the other class means.
        """
        if not isinstance(meaning, Definition):
            return False
        if meaning.is_class:
            return base in self._context.resolver.ancestors(meaning).classes
        # A file that is not generated may contain `OldName = NewName`.
        return meaning.kind is Kind.ASSIGNMENT and meaning.path not in self._own_paths

    @cached_property
    def _own_paths(self) -> set[str]:
        """The paths of the modular file, its parent files and its output files."""
        paths = {self._context.modular.path, *self._context.layout.parents}
        return paths | {file.path for file in self._context.files}

    def _is_documented(
        self, name: str, source: NameSource, generated: NameSource
    ) -> bool:
        """Whether a documented rule gives a name another meaning in the output file.

        There are three rules:

        - A name that comes first in each file, such as `logger`, may differ.
        - A name that the modular file imports from a generated file of its model means
          the definition that this file has.
        - A definition of the modular file replaces that of the parent file.

        Args:
            name: The name.
            source: What binds it in the source file of the code.
            generated: What binds it in the output file.
        """
        if name in self._context.project.settings.first_names:
            return True
        modular_path = self._context.modular.path
        if source.path == modular_path:
            return self._is_of_model(name, source)
        if generated.path == modular_path:
            return self._replaces_name_of_parent(name, source, generated)
        return False

    def _replaces_name_of_parent(
        self, name: str, source: NameSource, generated: NameSource
    ) -> bool:
        """Whether a definition of the modular file replaces a name of a parent file.

        It depends on the definition:

        - A function replaces a function.
        - An assignment replaces any definition if the settings list a part of its name.
        - A class replaces a class of which it is the child or the renamed form.
        - Any definition replaces an import from another file of the parent's model, such
          as `from .configuration_llama import LlamaConfig`.

        Args:
            name: The name.
            source: What binds it in the parent file.
            generated: Its definition in the modular file.
        """
        new_statement = generated.statement
        assert new_statement is not None, "it is a definition"
        is_renamed = name != source.original_name

        if source.origin is Origin.IMPORT:
            parent = self._context.layout.parents[source.path]
            return is_renamed or name in parent.all_sibling_names

        if new_statement.kind is Kind.ASSIGNMENT:
            settings = self._context.project.settings
            # Parts of names, such as `_DOCSTRING`.
            parts = (*settings.replacing_assignments, *settings.replacing_unless_none)
            return any(part in name for part in parts)

        if new_statement.kind is not source.kind:
            return False
        if new_statement.kind is Kind.FUNCTION:
            return True
        if new_statement.kind is not Kind.CLASS:
            return False
        parent_of = self._context.modular.parent_of
        bases = view_definition(new_statement).bases
        is_child = any(parent_of.get(base) == source.path for base in bases)
        return is_renamed or is_child

    def _is_of_model(self, name: str, source: NameSource) -> bool:
        """Whether the modular file imports a name from a generated file of its model.

        Args:
            name: The name.
            source: What binds it in the modular file.
        """
        meaning = self._meaning_of(name, source)
        outputs = {file.path for file in self._context.files}
        return isinstance(meaning, Definition) and meaning.path in outputs

    def _is_changed(self, source: NameSource) -> bool:
        """Whether code of a file changes the object of a name, as `LOG.append(1)` does.

        Equal definitions in two files make two objects, and only one of them changes. A
        function counts as changed if it changes the default of its own parameter.

        Args:
            source: The definition of the name in this file.
        """
        assert source.statement is not None
        if _changes_default(source.statement):
            return True
        module = self._context.read(source.path)
        assert module is not None, "the file is a source of the generated file"
        name = source.original_name
        for statement in module.block.statements:
            # The text is searched first, because parsing is slow.
            if not _may_change(statement, name):
                continue
            facts = facts_of(statement)
            if name in facts.nested_global_names:
                return True
            if any(mention.changes_object for mention in facts.mentions_of(name)):
                return True
        return False

    def _compare_used_names(self, source: NameSource) -> Sameness:
        """Return whether two definitions with equal code also do the same.

        `return round(x)` does something else where `round` is another function.

        Args:
            source: The definition in the source file.

        Returns:
            `CODE` if they do, `DIFFERENT` if a name in the code means something else in
            the output file, and `UNKNOWN` if too many names have been compared already.
        """
        if len(self._answers) > _MAX_COMPARED_NAMES:
            return Sameness.UNKNOWN
        for statement in _statements_of(source):
            words = self._contested_names(source.path, statement.words)
            differing = {word for word in words if not self._is_same(source.path, word)}
            # Most definitions contain no word with another meaning, and are not parsed.
            if differing and not differing.isdisjoint(facts_of(statement).names):
                return Sameness.DIFFERENT
        return Sameness.CODE

    def _meaning_of(self, name: str, source: NameSource) -> Meaning:
        """Return the object that a name means."""
        if source.origin is Origin.BUILTIN:
            return Builtin(name)
        if source.is_star:
            return self._meaning_of_star(name, source)
        resolver = self._context.resolver
        if source.path == self._file.path:
            assert source.import_statement is not None
            # If only one import binds the name, no other statement needs to be read.
            imports = list(imported_names(source.import_statement, name))
            if len(imports) == 1:
                return resolver.imported(source.path, imports[0])
        return resolver.meaning(source.path, source.original_name)

    def _meaning_of_star(self, name: str, source: NameSource) -> Meaning:
        """Return the object that an import such as `from math import *` binds to a name.

        Files of other libraries are not read. If the name is no builtin and no other
        import can bind it, it is certainly from this library, because the code uses it.

        Args:
            name: The name.
            source: The import, in the file of the code.
        """
        assert source.statement is not None
        stars = list(imported_names(source.statement, name))
        star = stars[0]
        resolver = self._context.resolver
        file = resolver.find_file(source.path, star.level, ".".join(star.module))
        if file is not None:
            return resolver.meaning(file, name)
        is_relative = star.level > 0
        has_other_source = len(stars) > 1 or name in _BUILTIN_NAMES
        if is_relative or has_other_source:
            return Unknown(name, source.path, Reason.STAR_IMPORT)
        return ForeignName(star.dotted_name)


def _is_rebound_import(context: LintContext, name: str, source: NameSource) -> bool:
    """Return whether the modular file imports a name from a parent file and rebinds it.

    An example is `SIZE += 1` below `from ..llama.modeling_llama import SIZE`.
    """
    if source.path != context.modular.path:
        return False
    if name not in context.modular.parent_of:
        return False
    for change in source.changes:
        for changed_name, effect in effects_of_statement(change.statement):
            if changed_name == name and effect.effect is Effect.BINDS:
                return True
    return False


def _is_subsequence(words: Iterable[str], other_words: Iterable[str]) -> bool:
    """Whether all words are among other words, in the same order."""
    remaining_words = iter(other_words)
    # `in` continues behind the word that it has found last.
    return all(word in remaining_words for word in words)


def _statements_of(source: NameSource) -> list[Statement]:
    """Return the definition of a name, and the statements that change it."""
    assert source.statement is not None
    return [source.statement, *(binding.statement for binding in source.changes)]


def _may_change(statement: Statement, name: str) -> bool:
    """Whether the text of a statement looks as if it changes the object of a name.

    For `LOG`, `LOG.append(1)` and `LOG[0] = 1` do. The answer needs no parsing.
    """
    if name not in statement.words:
        return False
    if not statement.words.isdisjoint(("global", "next")):
        return True
    masked_text = statement.code.masked_text
    for start in find_word(masked_text, name):
        if _ATTRIBUTE_OR_ITEM.match(masked_text, start + len(name)):
            return True
    return False


def _changes_default(definition: Statement) -> bool:
    """Whether a function, or a method of a class, changes the default of a parameter.

    Args:
        definition: A function, class or assignment.
    """
    if definition.kind is Kind.CLASS:
        methods = view_definition(definition).body.statements
        return any(map(_changes_default, methods))
    if definition.kind is not Kind.FUNCTION:
        return False
    return model_function(definition).changes_default


def _code_of(source: NameSource) -> str:
    """Return the code of a definition in a form in which equal code is equal."""
    statements = _statements_of(source)
    return "\n".join(statement.bare_code.normalized() for statement in statements)


def _names_changed_by(definition: DraftStatement) -> set[str]:
    """Return the names that a generated statement binds or changes."""
    names = set()
    for statement in split(definition.code).statements:
        names |= {name for name, _ in effects_of_statement(statement)}
    return names


def find_mentions(statement: DraftStatement) -> Iterator[tuple[Mention, OutputRun]]:
    """Yield the free names of a generated statement, each with the line that contains it.

    The line is a run, which names the source file from which it was copied.
    """
    line_runs = []
    for run in statement.parts:
        line_count = run.code.text.count("\n")
        for index in range(line_count):
            line_runs.append(run._replace(code=run.code.line_at(index)))
    for python_statement in split(statement.code).statements:
        # Both line numbers count from 1.
        first_index = python_statement.bare_code.line - 1
        for mention in facts_of(python_statement).mentions:
            yield mention, line_runs[first_index + mention.line - 1]


def _find_mentions_outside_loops(
    statement: DraftStatement,
) -> Iterator[tuple[Mention, OutputRun]]:
    """Yield the free names of a generated statement, without those that its loops set.

    For `for i in range(3): TABLE[i] = i`, yield the mentions of `range` and `TABLE`.
    """
    loop_variables: set[str] = set()
    for mention, run in find_mentions(statement):
        name = mention.name
        if mention.usage is Usage.LOOP_TARGET:
            loop_variables.add(name)
        # A function can be called later, when the variable has another value.
        if name not in loop_variables or mention.when is not When.NOW:
            yield mention, run


def _find_source(context: LintContext, new_name: QualifiedName) -> NameSource | None:
    """Return what binds a name in a file: a statement, an import or Python itself.

    Args:
        context: The modular file and its parent files.
        new_name: The path of the file, and the name after renaming.

    Returns:
        None if nothing binds the name.
    """
    path, name = new_name
    names = context.memoized(_names_of, path)
    if name in names:
        return names[name]
    # Any import with `*` may bind the name. The first one is shown to the author.
    stars = context.memoized(_find_stars, path)
    if stars:
        return NameSource(
            path, Origin.IMPORT, name, import_statement=stars[0], is_star=True
        )
    if name in _BUILTIN_NAMES:
        return NameSource(path, Origin.BUILTIN, name)
    return None


def _find_stars(context: LintContext, path: str) -> tuple[Statement, ...]:
    """Return the imports of a source file such as `from math import *`."""
    module = context.modular.module
    if path != module.path:
        module = context.layout.parents[path].source.module
    stars = []
    for statement in module.statements_with_star:
        if any(imported.is_star for imported in imported_names(statement, "*")):
            stars.append(statement)
    return tuple(stars)


def _names_of(context: LintContext, path: str) -> dict[str, NameSource]:
    """Return what binds each name of a file, by the name after renaming."""
    if path == context.modular.path:
        definitions = context.modular.definitions
    else:
        definitions = context.layout.parents[path].definitions
    names = _names_of_imports(context, path)
    for binding in definitions.by_name().values():
        if not binding.is_item:
            names[binding.name] = NameSource(
                path, Origin.DEFINITION, binding.original.name, binding
            )
    _add_dropped_names(context, path, names)
    # A statement such as `NAME.size = 1` defines no name, and has a key instead.
    for name, all_keys in definitions.changes_of.items():
        # A definition whose decorator, as `@NAME.register`, changes a name is left out.
        keys = [key for key in all_keys if key in definitions.changes]
        changes = tuple(definitions.changes[key] for key in keys)
        if name in names:
            names[name] = names[name]._replace(changes=changes)
        elif any(name in definitions.bound_by[key] for key in keys):
            # Only these statements bind the name. The first counts as the definition.
            names[name] = NameSource(
                path, Origin.DEFINITION, name, changes[0], changes=changes[1:]
            )
    return names


def _names_of_imports(context: LintContext, path: str) -> dict[str, NameSource]:
    """Return the import that binds each name of a file, by its name after renaming."""
    if path == context.modular.path:
        names = {}
        for statement in _import_statements(context.modular.module):
            for name in _variables_bound_by(statement):
                names[name] = NameSource(
                    path, Origin.IMPORT, name, import_statement=statement
                )
        return names
    return _names_of_parent_imports(context.layout.parents[path])


def _names_of_parent_imports(file: RenamedFile) -> dict[str, NameSource]:
    """Return the import that binds each name of a parent file, by its new name.

    `from .attention import LlamaMask` is renamed to `from .attention import OlmoMask`,
    and so binds `OlmoMask`.
    """
    names = {}
    old_statements = [placed.statement for placed in file.source.import_statements]
    for old_statement, statement in zip(
        old_statements, file.import_statements, strict=True
    ):
        old_names = _variables_bound_by(old_statement)
        for name in _variables_bound_by(statement):
            old_name = name
            if name not in old_names:
                old_name = next(
                    old for old in old_names if file.renamer.word(old) == name
                )
            names[name] = NameSource(
                file.source.module.path,
                Origin.IMPORT,
                old_name,
                import_statement=statement,
            )
    return names


def _variables_bound_by(import_statement: Statement) -> set[str]:
    """Return the variables that an import binds: `os` for `import os.path`."""
    return {name.partition(".")[0] for name in bound_names(import_statement)}


def _add_dropped_names(
    context: LintContext, path: str, names: dict[str, NameSource]
) -> None:
    """Add the names that are bound only by statements that the converter drops.

    For `A, B = 1, 2`, add `A` and `B`.

    Args:
        context: The modular file and its parent files.
        path: The path of the file.
        names: What binds the other names of the file, by the new name. It is extended.
    """
    # With Python's inheritance, all statements are copied.
    if context.is_like_python:
        return
    parent = context.layout.parents.get(path)
    for change in dropped_changes(context, path):
        for name in sorted(change.bound_names):
            new_name = name if parent is None else parent.renamer.word(name)
            binding = ModuleBinding(name, change.statement)
            source = NameSource(path, Origin.DEFINITION, name, binding)
            names.setdefault(new_name, source)


def _import_statements(module: Module) -> list[Statement]:
    """Return the imports of a module, and its blocks that may contain imports."""
    return [
        statement
        for statement in module.block.statements
        if statement.kind in (Kind.IMPORT, Kind.GUARD)
    ]
