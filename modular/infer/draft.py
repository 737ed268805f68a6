"""Writes the unformatted text of a modular file: imports, classes and exports."""

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from modular.infer.choice import InferredDraft
from modular.infer.flat import FlatFile, FlatModel
from modular.infer.parents import ParentFiles
from modular.project.project import Project
from modular.rules.classes.decorators import NO_INHERIT_DECORATOR
from modular.rules.files.deprecated_names import join_deprecated
from modular.rules.files.drafts import ALL, GETATTR
from modular.rules.files.imports import bound_names, choose_imports
from modular.rules.files.used_names import UsedNames
from modular.settings.settings import MODELING
from modular.source.assignments import item_owner
from modular.source.blocks import Kind, Statement
from modular.source.source_slice import synthetic


MARKER_IMPORT = f"from ...utils.modular import {NO_INHERIT_DECORATOR}\n"


def write_draft(draft: InferredDraft, parents: ParentFiles) -> str:
    """Return the text of a modular file, unformatted."""
    flat = parents.flat
    texts = definition_texts(draft, flat)
    body = "\n\n".join(texts.values())
    ending = _write_ending(draft, flat)
    used_names = UsedNames(
        [synthetic(body + ending, flat.modular, 1)], frozenset(texts)
    )
    ordinary_imports = _find_ordinary_imports(
        flat, parents.converter.project, used_names
    )
    needed = choose_imports(ordinary_imports, used_names)

    lines = [_write_heading(flat)]
    lines += [import_.render().text.lstrip("\n") for import_ in needed.plain]
    if f"@{NO_INHERIT_DECORATOR}" in body:
        lines.append(MARKER_IMPORT)
    lines += _write_model_imports(draft, parents, used_names)
    lines.append("\n")
    for guard in needed.guarded:
        lines += [code.text for code in guard.render()]
    lines += ["\n\n", body.rstrip("\n"), "\n", ending]
    return "".join(lines)


def definition_texts(draft: InferredDraft, flat: FlatModel) -> dict[str, str]:
    """Return the text of each definition that is written in the modular file, by name.

    Definitions that the modular file imports or inherits are left out.
    """
    texts = {}
    for name, statement in flat.definitions.items():
        if name in draft.omitted:
            continue
        candidate = draft.candidates.get(name)
        # An assignment to an item or attribute belongs to the name it changes.
        is_verbatim = (item_owner(statement) or name) in draft.verbatim
        if candidate is not None:
            texts[name] = candidate.derived.text
        elif statement.kind is Kind.CLASS or is_verbatim:
            texts[name] = statement.code.text.lstrip("\n")
    return texts


def module_name(project: Project, modular: str, path: str) -> str:
    """Return the name by which a modular file imports a parent file.

    Args:
        project: The project.
        modular: The path of the modular file.
        path: The path of the parent file.
    """
    file = PurePosixPath(path)
    name = f"{file.parent.name}.{file.stem}"
    if path in project.resolve_module(modular, 2, name):
        return f"..{name}"
    library = project.library_of(path)
    if library is not None:
        return ".".join((*library.package(path), file.stem))
    package = next(
        package
        for folder, package in project.settings.packages.items()
        if path.startswith(f"{folder}/")
    )
    return f"{package}.{name}"


def _modeling_file_first(files: Iterable[FlatFile]) -> list[FlatFile]:
    return sorted(files, key=lambda file: file.file_type != MODELING)


def _write_heading(flat: FlatModel) -> str:
    """Return the heading and the docstring of the modeling file, if there is one."""
    file = _modeling_file_first(flat.files)[0]
    heading = file.module.header.text
    if file.docstring is not None:
        return f"{heading}{file.docstring.bare_code.text.strip()}\n\n"
    comments = heading.rstrip("\n")
    if not comments:
        return ""
    fewest_line_ends = min(_count_last_line_ends(other) for other in flat.files)
    if _count_last_line_ends(file) > fewest_line_ends:
        # Below a docstring, each generated file has the blank line of its first import.
        return f'{comments}\n"""{flat.cased} model."""\n\n'
    return comments + "\n" * fewest_line_ends


def _count_last_line_ends(file: FlatFile) -> int:
    """Return the number of line ends after the last comment of the heading."""
    heading = file.module.header.text
    return len(heading) - len(heading.rstrip("\n"))


def _write_model_imports(
    draft: InferredDraft, parents: ParentFiles, used_names: UsedNames
) -> Iterator[str]:
    """Yield the imports from parent files, sorted.

    A parent file provides the parent classes, the imported functions and assignments,
    and the names that inherited code brings with it, if the modular file uses them.
    """
    names_by_path: dict[str, set[str]] = {}
    for child, candidate in draft.candidates.items():
        if child not in draft.omitted:
            parent = candidate.parent
            names_by_path.setdefault(parent.path, set()).add(parent.name)
    for name, path in draft.transitive.items():
        if name in used_names:
            names_by_path.setdefault(path, set()).add(name)
    for name, path in draft.imported.items():
        names_by_path.setdefault(path, set()).add(name)

    project, modular = parents.converter.project, parents.flat.modular
    for path in sorted(names_by_path):
        # Linters do not see names that only inherited code uses.
        has_unused = any(
            name not in used_names
            for name, imported_path in draft.imported.items()
            if imported_path == path
        )
        comment = "  # noqa: F401" if has_unused else ""
        module = module_name(project, modular, path)
        listed_names = ", ".join(sorted(names_by_path[path]))
        yield f"from {module} import {listed_names}{comment}\n"


def _find_ordinary_imports(
    flat: FlatModel, project: Project, used_names: UsedNames
) -> list[Statement]:
    """Return the imports that are not from models, and the guards with used imports.

    A name is imported as the modeling file does it: most is at stake there.
    """
    files = _modeling_file_first(flat.files)
    statements = []
    imported_names = set[str]()
    for file in files:
        for import_ in file.module.imports:
            if not project.resolve(flat.modular, import_):
                statements.append(import_.statement)
                imported_names.update(name.bound for name in import_.names)
    for file in files:
        for statement in file.other_statements:
            if statement.kind is Kind.GUARD:
                guarded_names = bound_names(statement) - imported_names
                if used_names.among(guarded_names):
                    statements.append(statement)
    return statements


def _write_ending(draft: InferredDraft, flat: FlatModel) -> str:
    """Return the deprecated names and the list of exports of all files."""
    deprecated = []
    line_end_counts = []
    exports: list[str] = []
    for file in flat.files:
        getattr_statement = file.special(GETATTR)
        if getattr_statement is not None:
            deprecated.append(getattr_statement)
        all_statement = file.special(ALL)
        if all_statement is not None:
            line_end_counts.append(all_statement.lead.text.count("\n"))
        exports += file.exports

    parts = []
    if len(deprecated) > 1:
        parts.append(join_deprecated(deprecated))
    elif deprecated:
        parts.append(deprecated[0].bare_code.text)
    if exports:
        lines = []
        for name in exports:
            comment = "  # noqa: F822" if name in draft.omitted else ""
            lines.append(f'"{name}"{comment}')
        listed = "\n, ".join(lines)
        parts.append(f"{ALL} = [{listed}\n]\n")
    line_ends = "\n" * min(line_end_counts, default=2)
    return "".join(line_ends + part for part in parts)
