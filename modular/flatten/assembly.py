"""Turns a draft into an output file with banner, imports, statements and `__all__`."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from modular.flatten.outputs import OutputFile, OutputStatement, Renaming
from modular.project.project import Project
from modular.rules.files.deprecated_names import split_deprecated
from modular.rules.files.drafts import (
    ALL,
    GETATTR,
    Draft,
    DraftStatement,
    OutputRun,
    Provenance,
)
from modular.rules.files.exports import split_exports
from modular.rules.files.imports import (
    bound_names,
    choose_imports,
    future_imports,
    make_import,
)
from modular.rules.files.soft_dependencies import guard_soft_dependencies
from modular.rules.files.used_names import UsedNames
from modular.rules.reading.modular_file import ModularFile
from modular.rules.reading.renamed_file import RenamedFile
from modular.source.blocks import Statement
from modular.source.source_slice import SourceSlice, synthetic


def make_output_file(
    project: Project,
    modular: ModularFile,
    parents: Mapping[str, RenamedFile],
    draft: Draft,
) -> OutputFile:
    """Return a generated file: the banner, the header, the imports and the statements.

    The banner says `This file was generated from modular_olmo.py`, for example. The
    header is what the modular file begins with, such as a license comment.

    Args:
        project: The project.
        modular: The modular file from which the file is generated.
        parents: Its parent files by path, renamed to its model.
        draft: The statements of the file, still without imports.
    """
    banner_text = project.settings.banner.replace("{path}", modular.path)
    banner_text = banner_text.replace("{name}", PurePosixPath(modular.path).name)
    banner = OutputRun(synthetic(banner_text, modular.path, 1), Provenance.MADE)
    header = OutputRun(modular.module.header, Provenance.OWN)
    output = [OutputStatement((banner,)), OutputStatement((header,))]
    if project.settings.keeps_docstring(draft.file_type):
        docstring = modular.module.docstring
        if docstring is not None:
            output.append(OutputStatement((OutputRun(docstring.code, Provenance.OWN),)))

    assembler = _Assembler(project, modular, parents, draft)
    statements = draft.ordered_statements(project.settings.first_names)
    statements += assembler.special_statements()
    imports = assembler.choose_imports(statements)
    output += _add_imports(imports, statements, draft.other_names)

    path = project.output_path(modular.path, draft.file_type)
    renamings = {}
    for parent_path, file in parents.items():
        renamer = file.renamer
        renamings[parent_path] = Renaming(renamer.old.lower, renamer.new)
    return OutputFile(path, draft.file_type, tuple(output), renamings)


class _ChosenImport(NamedTuple):
    """An import or guard of a generated file.

    Attributes:
        statement: Its code. An import below a guard has several pieces.
        read_words: The identifiers that a guard reads. The guard must be below their
            definitions. Empty for imports, and with the rules of transformers.
    """

    statement: OutputStatement
    read_words: Set[str]


def _chosen_import(
    codes: Iterable[SourceSlice], read_words: Set[str] = frozenset()
) -> _ChosenImport:
    """Return an import or guard as a statement of a generated file.

    Args:
        codes: Its code. The code of a guard has several pieces.
        read_words: The identifiers that a guard reads.
    """
    runs = []
    for code in codes:
        # The converter itself writes the import from another generated file.
        provenance = Provenance.MADE if code.is_synthetic else Provenance.IMPORT
        runs.append(OutputRun(code, provenance))
    return _ChosenImport(OutputStatement(tuple(runs)), read_words)


@dataclass(frozen=True, eq=False)
class _Assembler:
    """Chooses what a generated file has besides the statements of its draft.

    Attributes:
        project: The project.
        modular: The modular file from which the file is generated.
        parents: Its parent files by path, renamed to its model.
        draft: The statements of the file, still without imports.
    """

    project: Project
    modular: ModularFile
    parents: Mapping[str, RenamedFile]
    draft: Draft

    def special_statements(self) -> list[DraftStatement]:
        """Return the assignments to `__getattr__` and `__all__` of the generated file.

        The modular file assigns these names once for all files that are generated from it.
        Each file gets its part of the value.
        """
        statements = []
        for name, split in ((GETATTR, split_deprecated), (ALL, split_exports)):
            assignment = self.modular.last_assignment(name)
            if assignment is None:
                continue
            code_by_type = split(assignment, self.modular.cased, self.project.settings)
            if self.draft.file_type in code_by_type:
                code = code_by_type[self.draft.file_type]
                run = OutputRun(code, Provenance.OWN)
                statements.append(DraftStatement(name, [run], code.words()))
        return statements

    def choose_imports(
        self, statements: Iterable[DraftStatement]
    ) -> list[_ChosenImport]:
        """Return each import that the statements of the generated file need.

        Imports such as `from __future__ import annotations` come first, because Python
        accepts them only at the top. In transformers itself, they are dropped, as upstream
        does.
        """
        settings = self.project.settings
        codes: list[SourceSlice] = []
        words: set[str] = set()
        for statement in statements:
            codes += [run.code for run in statement.parts]
            words |= statement.words
        used = UsedNames(
            codes, self.draft.statements.keys() | self.draft.other_names, words
        )

        candidates = self._list_candidates()
        chosen = []
        keeps_futures = settings.is_like_python or not settings.is_library
        if keeps_futures:
            for future in self._choose_futures(codes):
                chosen.append(_chosen_import([future.code]))
            all_futures = future_imports(candidates)
            candidates = [item for item in candidates if item not in all_futures]
        needed = choose_imports(
            candidates, used, is_like_python=settings.is_like_python
        )

        if self.draft.file_type in settings.soft_dependencies_file_types:
            # The file must be importable without torch, for example.
            guarded = guard_soft_dependencies(needed, settings, self.modular.path)
            return chosen + [_chosen_import(import_codes) for import_codes in guarded]
        for plain_import in needed.plain:
            code = plain_import.render(keeps_layout=settings.is_like_python)
            chosen.append(_chosen_import([code]))
        for guard in needed.guarded:
            read_words: Set[str] = frozenset()
            if settings.is_like_python:
                read_words = guard.used_words()
            chosen.append(_chosen_import(guard.render(), read_words))
        return chosen

    def _list_candidates(self) -> list[Statement]:
        """Return all imports that the generated file may contain, preferred ones first.

        If several files import the same name, the import of the modular file is preferred
        to those of its parent files.
        """
        imports = list(self.modular.import_statements)
        for name, file_type in sorted(self.draft.sibling_imports.items()):
            stem = self.project.settings.file_names.stem(file_type, self.modular.model)
            source = f"{self.modular.package}.{stem}"
            imports.append(make_import(source, name, self.modular.path))
        for file in self.parents.values():
            imports += file.import_statements
        return imports

    def _choose_futures(self, codes: Iterable[SourceSlice]) -> list[Statement]:
        """Return the imports from `__future__` that the generated file needs, each once.

        They are those of the modular file. In a project that follows Python's inheritance,
        the imports from `__future__` of a parent file are added if code is copied from it.
        """
        candidates = future_imports(self.modular.import_statements)
        if self.project.settings.is_like_python:
            paths = {code.path for code in codes}
            for path, file in self.parents.items():
                if path in paths:
                    candidates += future_imports(file.import_statements)
        futures: list[Statement] = []
        imported_names: set[str] = set()
        for statement in candidates:
            if not bound_names(statement) <= imported_names:
                futures.append(statement)
                imported_names |= bound_names(statement)
        return futures


def _add_imports(
    imports: Iterable[_ChosenImport],
    statements: Sequence[DraftStatement],
    other_names: Mapping[str, str],
) -> list[OutputStatement]:
    """Return the imports of a generated file and, below them, its statements.

    A guard is an `if` or `try` around imports. If it reads a name that the file defines,
    as in `if HAS_ROPE: import rope`, it comes below the definition of this name.

    Args:
        imports: The imports and guards.
        statements: The other statements in their order.
        other_names: The names that statements bind besides their own, each with the name
            of its statement.
    """
    other_names_by_statement: dict[str, list[str]] = {}
    for other_name, statement_name in other_names.items():
        other_names_by_statement.setdefault(statement_name, []).append(other_name)
    names_defined_below = {statement.name for statement in statements}
    names_defined_below |= other_names.keys()

    output = []
    late_guards = []
    for chosen in imports:
        if chosen.read_words.isdisjoint(names_defined_below):
            output.append(chosen.statement)
        else:
            late_guards.append(chosen)
    for statement in statements:
        name = statement.name
        output.append(OutputStatement(tuple(statement.parts), name))
        names_defined_below.discard(name)
        names_defined_below.difference_update(other_names_by_statement.get(name, ()))
        # A guard is added as soon as all names that it reads are defined.
        for guard in tuple(late_guards):
            if guard.read_words.isdisjoint(names_defined_below):
                output.append(guard.statement)
                late_guards.remove(guard)
    return output
