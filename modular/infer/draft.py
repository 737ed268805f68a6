"""Writes the unformatted text of a modular file: imports, classes and exports."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from modular.infer.choice import InferredDraft
from modular.infer.flat import FlatFile, FlatModel
from modular.infer.parents import ParentFiles
from modular.rules.classes.decorators import NO_INHERIT_DECORATOR
from modular.rules.files.deprecated_names import join_deprecated
from modular.rules.files.drafts import ALL, GETATTR
from modular.rules.files.imports import bound_names, choose_imports, future_imports
from modular.rules.files.used_names import UsedNames
from modular.semantics.imports import parent_files_of
from modular.semantics.kept_imports import with_keep_comment
from modular.settings.settings import MODELING
from modular.source.assignments import item_owner
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.import_statements import Alias, Import
from modular.source.source_slice import synthetic


MARKER_IMPORT = f"from ...utils.modular import {NO_INHERIT_DECORATOR}\n"


def write_draft(draft: InferredDraft, parents: ParentFiles) -> str:
    """Return the unformatted text of a modular file.

    It has a heading, imports, the definitions that are not inherited, and `__all__`.
    Only names that the definitions or `__all__` use are imported.

    Args:
        draft: The contents of the modular file.
        parents: The parent files, and the complete files that it is to generate.
    """
    texts = definition_texts(draft, parents.flat)
    body = _join_definitions(texts, parents.flat)
    ending = _write_ending(draft, parents.flat)
    code_below_imports = synthetic(body + ending, parents.flat.modular, 1)
    used_names = UsedNames([code_below_imports], frozenset(texts))

    imports = _find_ordinary_imports(draft, parents, used_names)
    futures = future_imports(imports)
    ordinary_imports = [statement for statement in imports if statement not in futures]
    is_like_python = parents.project.settings.is_like_python
    needed = choose_imports(ordinary_imports, used_names, is_like_python=is_like_python)

    parts = [_write_heading(parents.flat)]
    # Several flat files can have the same import from `__future__`.
    parts += dict.fromkeys(f"{future.bare_code.text}\n" for future in futures)
    parts += _write_imports(draft, parents, used_names, needed.plain)
    # Without guarded imports below it, the formatter removes the blank line.
    parts.append("\n")
    for guard in needed.guarded:
        guard_text = "".join(line.text for line in guard.render())
        read_names = [name for name in texts if name in guard.used_words()]
        if read_names:
            # A guard such as `if HAS_ROPE:` follows the last definition that it reads.
            texts[read_names[-1]] += f"\n{guard_text}"
        else:
            parts.append(guard_text)
    # The guards have changed some of the definitions, so these are joined again.
    body = _join_definitions(texts, parents.flat)
    parts += ["\n\n", body.rstrip("\n"), "\n", ending]
    return "".join(parts)


def definition_texts(draft: InferredDraft, flat: FlatModel) -> dict[str, str]:
    """Return the text of each definition that a modular file must have, by name.

    - Of a class that inherits, only the differences from its parent are written.
    - Other classes are written in full. If such a class inherits from a class of
      another model, a comment says that it keeps this base.
    - Functions and assignments are written only if the draft has them in `written_out`.
      The modular file imports the other functions and assignments, or the converter
      adds them.
    - A class in `omitted` is not written, because the converter adds it.

    Args:
        draft: The contents of the modular file.
        flat: The files that it is to generate.
    """
    texts = {}
    for name, statement in flat.definitions.items():
        if name in draft.omitted:
            continue
        chosen = draft.chosen_parents.get(name)
        if chosen is not None:
            texts[name] = chosen.derived.text
            continue
        code = statement.code
        if statement.kind is Kind.CLASS:
            bases = view_definition(statement).bases
            keeps_base = not flat.names_of_other_models.isdisjoint(bases)
            if keeps_base:
                code = with_keep_comment(statement)
        else:
            # `ACT2FN["x"] = y` is written if `ACT2FN`, the name that it changes, is.
            defined_name = item_owner(statement) or name
            if defined_name not in draft.written_out:
                continue
        texts[name] = code.text.lstrip("\n")
    return texts


def _join_definitions(texts: Mapping[str, str], flat: FlatModel) -> str:
    """Return the text of all definitions, with blank lines between them.

    If a model is one file, assignments keep the number of blank lines above them. The
    formatter adds missing blank lines around classes and functions.

    Args:
        texts: The text of each definition, by name.
        flat: The files that the modular file is to generate.
    """
    is_one_file = all(file.is_whole_model for file in flat.files)
    body = ""
    for name, text in texts.items():
        statement = flat.definitions[name]
        blank_lines = "\n\n"
        if is_one_file and not statement.is_definition:
            lines_above = statement.lead.text
            blank_lines = "\n" * (len(lines_above) - len(lines_above.lstrip("\n")))
        if body:
            body += blank_lines
        body += text
    return body


def _modeling_file_first(files: Iterable[FlatFile]) -> list[FlatFile]:
    return sorted(files, key=lambda file: file.file_type != MODELING)


def _write_heading(flat: FlatModel) -> str:
    """Return the beginning of the modular file: its comments and perhaps a docstring.

    Both are those of the modeling file. The converter copies the comments, usually a
    license, to each generated file with the blank lines directly below them. It does not
    copy a docstring.
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
    needs_separator = _count_heading_line_ends(modeling_file) > fewest_line_ends
    if needs_separator:
        # Another file, such as the configuration, has fewer blank lines below its license,
        # and must not get more. So a docstring separates the license from the blank line:
        #
        #     # The license.
        #     """Olmo model."""
        #
        #     import torch
        #
        # Each generated file gets the license. Only files that need `import torch` get the
        # blank line above this import.
        return f'{comments}\n"""{flat.cased} model."""\n\n'
    return comments + "\n" * fewest_line_ends


def _count_heading_line_ends(file: FlatFile) -> int:
    """Return the number of line ends after the heading: 1 if no blank line follows."""
    heading = file.module.header.text
    return len(heading) - len(heading.rstrip("\n"))


def _write_imports(
    draft: InferredDraft,
    parents: ParentFiles,
    used_names: UsedNames,
    plain_imports: Iterable[Import],
) -> Iterator[str]:
    """Yield the plain imports of the modular file.

    First come imports that are not from models, then the marker
    `@no_inherit_decorator`, and then the imports from models.

    Args:
        draft: The contents of the modular file.
        parents: The parent files and the flat files.
        used_names: The names that the code of the modular file uses.
        plain_imports: The imports that are not from parent files.
    """
    project = parents.project
    for import_ in plain_imports:
        # In a flat file, blank lines separate groups of imports. Here the groups differ.
        code = import_.render(keeps_layout=project.settings.is_like_python)
        yield code.text.lstrip("\n")
    if NO_INHERIT_DECORATOR in used_names:
        yield MARKER_IMPORT
    yield from _write_model_imports(draft, parents, used_names)


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
    for child, chosen in draft.chosen_parents.items():
        if child in draft.omitted:
            # The class is not written, so its parent is not used.
            continue
        name, new_name = chosen.parent.name, chosen.imported_name
        alias = Alias(name, None if new_name == name else new_name)
        names_by_path[chosen.parent.path].add(str(alias))
    for name, path in draft.transitive.items():
        if name in used_names:
            names_by_path[path].add(name)
    paths_with_unused_names = set()
    for name, path in draft.imported.items():
        names_by_path[path].add(name)
        if name not in used_names:
            paths_with_unused_names.add(path)

    for path, names in sorted(names_by_path.items()):
        line = ", ".join(sorted(names))
        if path in paths_with_unused_names:
            # Without the comment, a linter would remove an import that the text of the
            # modular file does not use.
            line += "  # noqa: F401"
        yield parents.import_from(path, line)


def _find_ordinary_imports(
    draft: InferredDraft, parents: ParentFiles, used_names: UsedNames
) -> list[Statement]:
    """Return the imports of a model's files that its modular file may need, too.

    First come all plain imports but those from other models, whose code is inherited.
    Then come guards such as `if is_torch_available(): import torch`, if the modular file
    uses `torch`, and no file has a plain `import torch`.

    If files import a name differently, the import of the modeling file comes first.

    Args:
        draft: The contents of the modular file.
        parents: The parent files, and the flat files that it is to generate.
        used_names: The names that the code of the modular file uses.
    """
    plain_imports = list(_find_plain_imports(draft, parents))
    plain_names = set[str]()
    for import_ in plain_imports:
        plain_names |= import_.bound_names
    guards = []
    for file in _modeling_file_first(parents.flat.files):
        for statement in file.other_statements:
            if statement.kind is not Kind.GUARD:
                continue
            only_guarded_names = bound_names(statement) - plain_names
            if used_names.among(only_guarded_names):
                guards.append(statement)
    return [import_.statement for import_ in plain_imports] + guards


def _find_plain_imports(draft: InferredDraft, parents: ParentFiles) -> Iterator[Import]:
    """Yield the imports of a model's files that its modular file needs, too.

    An import from another model is left out, because the converter would copy the
    imported code. Only the bases of classes that keep them are imported.

    Args:
        draft: The contents of the modular file.
        parents: The parent files, and the files of the model.
    """
    project = parents.project
    kept_bases = _find_kept_bases(draft, parents.flat)
    for file in _modeling_file_first(parents.flat.files):
        for import_ in file.module.imports:
            is_from_model = bool(
                parent_files_of(project, parents.flat.modular, import_)
            )
            if project.settings.keeps_model_imports or not is_from_model:
                yield import_
                continue
            base_names = tuple(
                name for name in import_.names if name.bound in kept_bases
            )
            if base_names:
                base_import = import_._replace(names=base_names)
                statement = replace(import_.statement, code=base_import.render())
                yield base_import._replace(statement=statement)


def _find_kept_bases(draft: InferredDraft, flat: FlatModel) -> set[str]:
    """Return the bases of the classes that inherit from no parent class of the draft."""
    bases: set[str] = set()
    for name, statement in flat.definitions.items():
        if statement.kind is Kind.CLASS and name not in draft.chosen_parents:
            bases.update(view_definition(statement).bases)
    return bases


def _write_ending(draft: InferredDraft, flat: FlatModel) -> str:
    """Return the end of the modular file: `__getattr__ = ...` and `__all__ = [...]`.

    Each joins the statements of the files to generate, among which the converter divides
    it again. Both get the same number of blank lines above them.

    Args:
        draft: The contents of the modular file.
        flat: The files that it is to generate.
    """
    blank_lines = "\n" * _fewest_blank_lines_above_exports(flat)
    ending = ""
    getattr_text = _write_getattr(flat)
    if getattr_text:
        ending += blank_lines + getattr_text
    exports: list[str] = []
    for file in flat.files:
        exports += file.exports
    if exports:
        ending += blank_lines + _write_exports(exports, draft.omitted)
    return ending


def _fewest_blank_lines_above_exports(flat: FlatModel) -> int:
    """Return the smallest number of blank lines above `__all__` in the flat files.

    The converter copies the blank lines above `__all__` of the modular file to each
    generated file. The formatter adds blank lines that are missing below a class, and
    removes none. So the smallest number is right for all files.
    """
    counts = []
    for file in flat.files:
        statement = file.special(ALL)
        if statement is not None:
            counts.append(statement.lead.text.count("\n"))
    return min(counts, default=2)


def _write_getattr(flat: FlatModel) -> str:
    """Return the statement `__getattr__ = ...` of a modular file; "" if it needs none.

    It joins those of the files that the modular file is to generate.
    """
    statements = []
    for file in flat.files:
        statement = file.special(GETATTR)
        if statement is not None:
            statements.append(statement)
    if not statements:
        return ""
    if len(statements) == 1:
        # `bare_code` is the statement without the lines above it.
        return statements[0].bare_code.text
    return join_deprecated(statements)


def _write_exports(names: Iterable[str], omitted: Collection[str]) -> str:
    """Return the statement `__all__ = [...]` of a modular file.

    A class that is generated although the modular file does not define it has a comment,
    because linters would report it as undefined.

    Args:
        names: The names to export.
        omitted: Those of them that the modular file does not define.
    """
    lines = []
    for name in names:
        comment = "  # noqa: F822" if name in omitted else ""
        lines.append(f'"{name}"{comment}')
    # The comma is on the next line, since it would be a part of the comment otherwise. The
    # last name has none, so that the formatter may join the lines.
    listed_names = "\n, ".join(lines)
    return f"{ALL} = [{listed_names}\n]\n"
