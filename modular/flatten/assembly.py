"""Puts an output file together: the banner, what heads the modular file, the imports, the statements in their order."""

from collections.abc import Mapping
from pathlib import PurePosixPath

from modular.flatten.outputs import OutputFile, OutputStatement
from modular.project.project import Project
from modular.rules.files.deprecated_names import split_deprecated
from modular.rules.files.drafts import (
    ALL,
    GETATTR,
    Draft,
    DraftStatement,
    OutputRun,
    Provenance,
    make_output_run,
)
from modular.rules.files.exports import split_exports
from modular.rules.files.imports import choose_imports, make_import
from modular.rules.files.soft_dependencies import guard_soft_dependencies
from modular.rules.files.used_names import UsedNames
from modular.rules.reading.modular_file import ModularFile
from modular.rules.reading.renamed_file import RenamedFile
from modular.source.code import SourceSlice, generated


def output_file(
    project: Project,
    modular: ModularFile,
    parents: Mapping[str, RenamedFile],
    draft: Draft,
) -> OutputFile:
    nodes = draft.ordered_statements(project.settings.first_names) + _ending(
        project, modular, draft.file_type
    )
    body = [OutputStatement(node.name, tuple(node.parts)) for node in nodes]
    banner = OutputRun("", _banner(project, modular), Provenance.MADE)
    head = [banner, OutputRun("", modular.module.header, Provenance.OWN)]
    imports = _imports(project, modular, parents, draft, nodes)
    statements = [OutputStatement("", (above,)) for above in head]
    statements += [
        OutputStatement(
            "",
            tuple(make_output_run("", code, "", Provenance.IMPORT) for code in codes),
        )
        for codes in imports
    ]
    path = project.output_path(modular.path, draft.file_type)
    return OutputFile(path, draft.file_type, tuple(statements + body))


def _banner(project: Project, modular: ModularFile) -> SourceSlice:
    banner = project.settings.banner
    name = PurePosixPath(modular.path).name
    return generated(
        banner.replace("{path}", modular.path).replace("{name}", name), modular.path, 1
    )


def _imports(
    project: Project,
    modular: ModularFile,
    parents: Mapping[str, RenamedFile],
    draft: Draft,
    nodes: list[DraftStatement],
) -> list[list[SourceSlice]]:
    codes = [part.code for node in nodes for part in node.parts]
    used = UsedNames(
        codes,
        frozenset(draft.statements),
        frozenset().union(*(node.words for node in nodes)),
    )
    statements = list(modular.import_statements)
    for name, file_type in sorted(draft.sibling_imports.items()):
        statements.append(
            make_import(f".{file_type}_{modular.model}", name, modular.path)
        )
    for file in parents.values():
        statements += file.import_statements
    needed = choose_imports(statements, used)
    if draft.file_type in project.settings.soft_dependencies_file_types:
        return guard_soft_dependencies(needed, project.settings, modular.path)
    return [
        *([chosen.render()] for chosen in needed.plain),
        *(chosen.render() for chosen in needed.guarded),
    ]


def _ending(
    project: Project, modular: ModularFile, file_type: str
) -> list[DraftStatement]:
    nodes = []
    for name, split in ((GETATTR, split_deprecated), (ALL, split_exports)):
        statement = modular.last_assignment(name)
        if statement is not None:
            code = split(statement, modular.cased, project.settings).get(file_type)
            if code is not None:
                nodes.append(
                    DraftStatement(
                        name, [OutputRun("", code, Provenance.OWN)], code.words()
                    )
                )
    return nodes
