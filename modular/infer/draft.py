"""Writes the unformatted text of a modular file: imports, classes and exports."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

from modular.infer.choice import InferredDraft
from modular.infer.flat import FlatFile, FlatModel
from modular.infer.parents import ParentFiles
from modular.project.project import Project
from modular.rules.classes.decorators import NO_INHERIT_DECORATOR
from modular.rules.files.deprecated_names import join_deprecated
from modular.rules.files.drafts import ALL, GETATTR
from modular.rules.files.imports import bound_names, choose_imports, future_imports
from modular.rules.files.used_names import UsedNames
from modular.settings.settings import MODELING
from modular.source.assignments import item_owner
from modular.source.blocks import Kind, Statement
from modular.source.source_slice import synthetic


MARKER_IMPORT = f"from ...utils.modular import {NO_INHERIT_DECORATOR}\n"


def write_draft(draft: InferredDraft, parents: ParentFiles) -> str:
    """Return the unformatted text of a modular file.

    It has a heading, imports, the definitions that are not inherited, and `__all__`.
    Only names that the definitions or `__all__` use are imported.

    Args:
        draft: The contents of the modular file.
        parents: The parent files, and the flat files that it is to generate.
    """
    flat = parents.flat
    texts = definition_texts(draft, flat)
    body = "\n\n".join(texts.values())
    ending = _write_ending(draft, flat)
    code = synthetic(body + ending, flat.modular, 1)
    used_names = UsedNames([code], frozenset(texts))
    imports = _find_ordinary_imports(flat, parents.converter.project, used_names)
    futures = future_imports(imports)
    imports = [statement for statement in imports if statement not in futures]
    used_imports = choose_imports(imports, used_names)

    parts = [_write_heading(flat)]
    # Several files can have the same `from __future__ import ...`.
    parts += dict.fromkeys(f"{future.bare_code.text}\n" for future in futures)
    for import_ in used_imports.plain:
        parts.append(import_.render().text.lstrip("\n"))
    if f"@{NO_INHERIT_DECORATOR}" in body:
        parts.append(MARKER_IMPORT)
    parts += _write_model_imports(draft, parents, used_names)
    parts.append("\n")
    for guard in used_imports.guarded:
        parts += [line.text for line in guard.render()]
    parts += ["\n\n", body.rstrip("\n"), "\n", ending]
    return "".join(parts)


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
            # It inherits from a parent class, and only the differences are written.
            texts[name] = candidate.derived.text
        elif statement.kind is Kind.CLASS or is_verbatim:
            texts[name] = statement.code.text.lstrip("\n")
    return texts


def _modeling_file_first(files: Iterable[FlatFile]) -> list[FlatFile]:
    return sorted(files, key=lambda file: file.file_type != MODELING)


def _write_heading(flat: FlatModel) -> str:
    """Return the comments above the code of the modeling file, and its docstring.

    The comments are usually the license. The converter copies them to each generated
    file, with as many blank lines below them as the modular file has. If the modeling
    file has a blank line there, and the configuration has none, no number is right for
    both. Then a docstring is added: below it, each generated file has the blank line
    above its own first import.
    """
    modeling_file = _modeling_file_first(flat.files)[0]
    heading = modeling_file.module.header.text
    if modeling_file.docstring is not None:
        docstring = modeling_file.docstring.bare_code.text.strip()
        return f"{heading}{docstring}\n\n"
    comments = heading.rstrip("\n")
    if not comments:
        return ""

    fewest_line_ends = min(_count_heading_line_ends(file) for file in flat.files)
    has_more_blank_lines = _count_heading_line_ends(modeling_file) > fewest_line_ends
    if has_more_blank_lines:
        return f'{comments}\n"""{flat.cased} model."""\n\n'
    return comments + "\n" * fewest_line_ends


def _count_heading_line_ends(file: FlatFile) -> int:
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
    names_by_path: dict[str, set[str]] = defaultdict(set)
    for child, candidate in draft.candidates.items():
        if child not in draft.omitted:
            names_by_path[candidate.parent.path].add(candidate.parent.name)
    for name, path in draft.transitive.items():
        if name in used_names:
            names_by_path[path].add(name)
    paths_with_unused_names = set()
    for name, path in draft.imported.items():
        names_by_path[path].add(name)
        if name not in used_names:
            paths_with_unused_names.add(path)

    project = parents.converter.project
    for path, names in sorted(names_by_path.items()):
        module = project.parent_module(parents.flat.modular, path)
        line = f"from {module} import {', '.join(sorted(names))}"
        if path in paths_with_unused_names:
            # Only inherited code uses the name, and linters do not see that code.
            line += "  # noqa: F401"
        yield f"{line}\n"


def _find_ordinary_imports(
    flat: FlatModel, project: Project, used_names: UsedNames
) -> list[Statement]:
    """Return the imports that are not from models, and the guards with used imports.

    If files import a name differently, the import of the modeling file comes first.
    """
    files = _modeling_file_first(flat.files)
    statements = []
    imported_names = set[str]()
    for file in files:
        for import_ in file.module.imports:
            is_model_import = bool(project.resolve(flat.modular, import_))
            if not is_model_import:
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
    """Return the end of the modular file: `__getattr__ = ...` and `__all__ = [...]`.

    Each combines the statements of all flat files. The blank lines above are those of
    the flat file with the fewest.
    """
    getattr_statements = []
    line_end_counts = []
    exports: list[str] = []
    for file in flat.files:
        getattr_statement = file.special(GETATTR)
        if getattr_statement is not None:
            getattr_statements.append(getattr_statement)
        all_statement = file.special(ALL)
        if all_statement is not None:
            line_end_counts.append(all_statement.lead.text.count("\n"))
        exports += file.exports

    line_ends = "\n" * min(line_end_counts, default=2)
    ending = ""
    if len(getattr_statements) > 1:
        ending += line_ends + join_deprecated(getattr_statements)
    elif getattr_statements:
        ending += line_ends + getattr_statements[0].bare_code.text
    if exports:
        ending += line_ends + _write_exports(exports, draft.omitted)
    return ending


def _write_exports(names: Iterable[str], omitted: Collection[str]) -> str:
    """Return `__all__`, with a comment for linters beside each omitted class.

    Linters do not see that an omitted class is generated.
    """
    lines = []
    for name in names:
        comment = "  # noqa: F822" if name in omitted else ""
        lines.append(f'"{name}"{comment}')
    # Without a comma after the last name, the formatter may join the lines.
    listed_names = "\n, ".join(lines)
    return f"{ALL} = [{listed_names}\n]\n"
