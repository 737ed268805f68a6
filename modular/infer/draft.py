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
    texts = definition_texts(draft, parents.flat)
    body = "\n\n".join(texts.values())
    ending = _write_ending(draft, parents.flat)
    # The search for used names takes code of a file, and not only a text.
    code = synthetic(body + ending, parents.flat.modular, 1)
    used_names = UsedNames([code], frozenset(texts))

    parts = [_write_heading(parents.flat)]
    parts += _write_imports(draft, parents, used_names)
    parts += ["\n\n", body.rstrip("\n"), "\n", ending]
    return "".join(parts)


def definition_texts(draft: InferredDraft, flat: FlatModel) -> dict[str, str]:
    """Return the text of each definition that is written in the modular file, by name.

    - Of a class that inherits, only the differences from its parent are written.
    - Other classes are written in full.
    - Functions and assignments are written only if the draft lists them in `verbatim`.
      The modular file imports the others, or the converter adds them.
    - A class in `omitted` is not written, because the converter adds it.
    """
    texts = {}
    for name, statement in flat.definitions.items():
        if name in draft.omitted:
            continue
        # `ACT2FN["x"] = y` is written if `ACT2FN`, the name that it changes, is.
        defined_name = item_owner(statement) or name
        candidate = draft.candidates.get(name)
        if candidate is not None:
            texts[name] = candidate.derived.text
        elif statement.kind is Kind.CLASS or defined_name in draft.verbatim:
            texts[name] = statement.code.text.lstrip("\n")
    return texts


def _modeling_file_first(files: Iterable[FlatFile]) -> list[FlatFile]:
    return sorted(files, key=lambda file: file.file_type != MODELING)


def _write_heading(flat: FlatModel) -> str:
    """Return the beginning of the modular file: comments and perhaps a docstring.

    They are those of the modeling file. The comments are usually the license. The
    converter copies them to each generated file with the blank lines directly below
    them, but does not copy a docstring.
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
        # The modeling file has a blank line below the license, but another file, such
        # as the configuration, has none. A made-up docstring separates this blank line
        # from the license, so that only files with `import torch` get it:
        #
        #     # The license.
        #     """Olmo model."""
        #
        #     import torch
        #
        # The converter copies the license to all files, the docstring to none, and the
        # lines above `import torch` to those that need this import.
        return f'{comments}\n"""{flat.cased} model."""\n\n'
    return comments + "\n" * fewest_line_ends


def _count_heading_line_ends(file: FlatFile) -> int:
    """Return the number of line ends after the heading: 1 if no blank line follows."""
    heading = file.module.header.text
    return len(heading) - len(heading.rstrip("\n"))


def _write_imports(
    draft: InferredDraft, parents: ParentFiles, used_names: UsedNames
) -> Iterator[str]:
    """Yield the imports of the modular file: plain ones, a blank line, guarded ones.

    A guarded import is below an `if`, as in `if is_torch_available(): import torch`.
    The blank line is there even without guarded imports: the formatter removes it then.

    Args:
        draft: The contents of the modular file.
        parents: The parent files and the flat files.
        used_names: The names that the code of the modular file uses.
    """
    project = parents.converter.project
    imports = _find_ordinary_imports(parents.flat, project, used_names)
    futures = future_imports(imports)
    # Several files can have the same `from __future__ import ...`.
    yield from dict.fromkeys(f"{future.bare_code.text}\n" for future in futures)
    others = [statement for statement in imports if statement not in futures]
    used_imports = choose_imports(others, used_names)
    for import_ in used_imports.plain:
        # Blank lines above an import of a flat file have no meaning in this order.
        yield import_.render().text.lstrip("\n")
    if NO_INHERIT_DECORATOR in used_names:
        yield MARKER_IMPORT
    yield from _write_model_imports(draft, parents, used_names)
    yield "\n"
    for guard in used_imports.guarded:
        for line in guard.render():
            yield line.text


def _write_model_imports(
    draft: InferredDraft, parents: ParentFiles, used_names: UsedNames
) -> Iterator[str]:
    """Yield one import from each parent file, sorted by path.

    It names the parent classes, and functions and assignments of two kinds:

    - Those in `draft.transitive`, such as a function that an inherited method calls.
      The converter finds them itself, so they are imported only if the text of the
      modular file uses them, too.
    - Those in `draft.imported`, such as a function that nothing inherited calls. The
      converter generates them because of the import, so it is always written.

    Args:
        draft: The contents of the modular file.
        parents: The parent files.
        used_names: The names that the code of the modular file uses.
    """
    names_by_path: dict[str, set[str]] = defaultdict(set)
    for child, candidate in draft.candidates.items():
        # An omitted class is not written, so its parent is not used.
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
            # Without the comment, a linter would remove an import that the text of the
            # modular file does not use.
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

    Each combines the statements of all flat files, because the converter splits it over
    the files again.
    """
    getattr_statements = []
    blank_line_counts = []
    exports: list[str] = []
    for file in flat.files:
        getattr_statement = file.special(GETATTR)
        if getattr_statement is not None:
            getattr_statements.append(getattr_statement)
        all_statement = file.special(ALL)
        if all_statement is not None:
            lines_above = all_statement.lead.text
            blank_line_counts.append(lines_above.count("\n"))
        exports += file.exports

    # Each generated file gets the blank lines above `__all__`. The formatter adds those
    # that are missing below a class, but would not remove one that is too many.
    blank_lines = "\n" * min(blank_line_counts, default=2)
    ending = ""
    if len(getattr_statements) > 1:
        ending += blank_lines + join_deprecated(getattr_statements)
    elif getattr_statements:
        # `bare_code` is the statement without the lines above it.
        ending += blank_lines + getattr_statements[0].bare_code.text
    if exports:
        ending += blank_lines + _write_exports(exports, draft.omitted)
    return ending


def _write_exports(names: Iterable[str], omitted: Collection[str]) -> str:
    """Return `__all__`, with a comment for linters beside each omitted class.

    Linters do not see that an omitted class is generated.
    """
    lines = []
    for name in names:
        comment = "  # noqa: F822" if name in omitted else ""
        lines.append(f'"{name}"{comment}')
    # A comma goes to the next line, because it would be a part of a comment above. There
    # is none after the last name, so that the formatter may join the lines.
    listed_names = "\n, ".join(lines)
    return f"{ALL} = [{listed_names}\n]\n"
