"""Writes a modular file: imports, what is inherited, what is written out, and what is exported."""

from collections.abc import Iterator
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
from modular.source.assignments import owner
from modular.source.blocks import Kind, Statement
from modular.source.code import generated


_REMARK = "  # noqa: F401"
MARKER_IMPORT = f"from ...utils.modular import {NO_INHERIT_DECORATOR}\n"


def write(draft: InferredDraft, parents: ParentFiles) -> str:
    """Return the text of the modular file, unformatted."""
    flat = parents.flat
    texts = definitions(draft, flat)
    body = "\n\n".join(texts.values())
    ending = _ending(draft, flat)
    used = UsedNames([generated(body + ending, flat.modular, 1)], frozenset(texts))
    needed = choose_imports(
        list(_ordinary_imports(flat, parents.converter.project, used)), used
    )
    imports = [
        *(import_.render().text.lstrip("\n") for import_ in needed.plain),
        *([MARKER_IMPORT] if f"@{NO_INHERIT_DECORATOR}" in body else []),
        *_model_imports(draft, parents, used),
    ]
    guards = [code.text for guard in needed.guarded for code in guard.render()]
    return "".join(
        [
            _heading(flat),
            *imports,
            "\n",
            *guards,
            "\n\n",
            body.rstrip("\n"),
            "\n",
            ending,
        ]
    )


def _heading(flat: FlatModel) -> str:
    """The comments that head the file, and its docstring: those of the modeling file, if there is one."""
    file = min(flat.files, key=lambda file: file.file_type != MODELING)
    if file.docstring is not None:
        return f"{file.module.header.text}{file.docstring.own.text.strip()}\n\n"
    comments = file.module.header.text.rstrip("\n")
    blank = min(_blank_lines(other) for other in flat.files)
    if (
        comments and _blank_lines(file) > blank
    ):  # below a docstring, the blank line comes with the first import alone
        return f'{comments}\n"""{flat.cased} model."""\n\n'
    return comments + "\n" * blank if comments else ""


def _blank_lines(file: FlatFile) -> int:
    """How many line ends follow the last comment of a heading."""
    return len(file.module.header.text) - len(file.module.header.text.rstrip("\n"))


def definitions(draft: InferredDraft, flat: FlatModel) -> dict[str, str]:
    """Return the text of each definition that is in the modular file."""
    texts = {}
    for name, statement in flat.names.items():
        option = draft.options.get(name)
        if option is not None:
            texts[name] = option.derived.text
        elif (
            statement.kind is Kind.CLASS or (owner(statement) or name) in draft.written
        ):
            texts[name] = statement.code.text.lstrip("\n")
    return {name: text for name, text in texts.items() if name not in draft.implicit}


def _model_imports(
    draft: InferredDraft, parents: ParentFiles, used: UsedNames
) -> Iterator[str]:
    names: dict[str, set[str]] = {}
    for name, option in draft.options.items():
        if name not in draft.implicit:
            names.setdefault(option.path, set()).add(option.parent)
    brought = {name: path for name, path in draft.brought.items() if name in used}
    for name, path in (brought | draft.taken).items():
        names.setdefault(path, set()).add(name)
    for path in sorted(names):
        module = module_of(parents.converter.project, parents.flat.modular, path)
        unused = any(
            name not in used for name, giver in draft.taken.items() if giver == path
        )
        remark = _REMARK if unused else ""  # what only inherited classes use
        yield f"from {module} import {', '.join(sorted(names[path]))}{remark}\n"


def module_of(project: Project, modular: str, path: str) -> str:
    """Return how a modular file names a parent file."""
    file = PurePosixPath(path)
    relative = f"..{file.parent.name}.{file.stem}"
    if path in project.resolve_module(modular, 2, relative.removeprefix("..")):
        return relative
    library = project.library_of(path)
    if library is not None:
        return ".".join((*library.package(path), file.stem))
    package = next(
        package
        for folder, package in project.settings.packages.items()
        if path.startswith(f"{folder}/")
    )
    return f"{package}.{file.parent.name}.{file.stem}"


def _ordinary_imports(
    flat: FlatModel, project: Project, wanted: UsedNames
) -> Iterator[Statement]:
    """The imports that are not from parent files, and the guards that hold wanted ones which no import brings.

    A name is imported once, as the modeling file does it: most likely there is less to lose in other files.
    """
    files = sorted(flat.files, key=lambda file: file.file_type != MODELING)
    plain = [
        one
        for file in files
        for one in file.module.imports
        if not project.resolve(flat.modular, one)
    ]
    yield from (one.statement for one in plain)
    known = {name.bound for one in plain for name in one.names}
    for statement in (
        statement for file in files for statement in file.other_statements
    ):
        if statement.kind is Kind.GUARD and wanted.among(
            bound_names(statement) - known
        ):
            yield statement


def _ending(draft: InferredDraft, flat: FlatModel) -> str:
    """The deprecated names and the list of exports of all files."""
    deprecated = [
        statement
        for file in flat.files
        if (statement := file.special(GETATTR)) is not None
    ]
    parts = [
        join_deprecated(deprecated) if len(deprecated) > 1 else one.own.text
        for one in deprecated[:1]
    ]
    names = [name for file in flat.files for name in file.exports]
    if names:
        listed = "\n, ".join(
            f'"{name}"' + "  # noqa: F822" * (name in draft.implicit) for name in names
        )
        parts.append(f"{ALL} = [{listed}\n]\n")
    listing = (
        statement for file in flat.files if (statement := file.special(ALL)) is not None
    )
    blank = min((statement.lead.text.count("\n") for statement in listing), default=2)
    return "".join("\n" * blank + part for part in parts)
