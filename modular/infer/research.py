"""Splits a research file, which may have any name, into model files."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from modular.infer.files import unsupported_statement
from modular.infer.flat import DEFINING, FlatFile, Remark
from modular.project import file_types
from modular.project.project import Project
from modular.rules.files.imports import choose_imports
from modular.rules.files.used_names import UsedNames
from modular.semantics.statements import facts_of
from modular.settings.settings import Settings
from modular.source import module as modules
from modular.source.blocks import Kind, Statement


def split_by_file_type(
    project: Project, model: str, file: FlatFile
) -> tuple[list[FlatFile], list[Remark]]:
    """Split a file with all code of a model into a configuration, a modeling file, etc.

    The names of the classes decide: `OlmoConfig` goes into the configuration file, and
    `OlmoModel` into the modeling file, which is of the default type. Functions and
    assignments go there, too. Such a file with all code is called a research file.

    Args:
        project: The project.
        model: The name of the model.
        file: The research file.

    Returns:
        The files, and a remark on each statement that goes into no file, or into a file
        that is not of the default type.
    """
    settings = project.settings
    cased = project.names.cased(model)
    remarks = []
    by_type: dict[str, list[Statement]] = {settings.default_file_type: []}
    unsupported = _find_unsupported(project, cased, file.module.block.statements)
    for statement in file.module.block.statements:
        remark = ""
        if statement in unsupported:
            subject = statement.name or statement.bare_code.text.partition("\n")[0]
            remark = f"`{subject}` is left out: {unsupported[statement]}"
        else:
            file_type = _file_type_of(statement, cased, settings)
            by_type.setdefault(file_type, []).append(statement)
            if file_type != settings.default_file_type:
                stem = settings.file_names.stem(file_type, model)
                remark = f"`{statement.name}` goes into `{stem}.py`"
        if remark:
            remarks.append(Remark(file.path, statement.line, remark))

    files = []
    for file_type in by_type:
        files.append(_file_of_type(file, file_type, model, by_type, settings))
    return files, remarks


def _file_type_of(statement: Statement, cased: str, settings: Settings) -> str:
    """Return the type of the file that a statement of a research file goes into."""
    if statement.kind is Kind.CLASS:
        return file_types.of_class(statement.name, cased, settings)
    return settings.default_file_type


class _ModuleLevelNames(NamedTuple):
    """The names at module level that a statement binds, and those that it reads."""

    bound: set[str]
    read: set[str]


_NamesByStatement = dict[Statement, _ModuleLevelNames]

_Unsupported = dict[Statement, str]
"""Statements that no model file can hold, with the reasons."""


def _find_unsupported(
    project: Project, cased: str, statements: Sequence[Statement]
) -> _Unsupported:
    """Return the statements that no model file can hold, with the reasons.

    - A statement that is not a definition, such as `print("hello")`.
    - A guard, which is an `if` or `try` block, if it uses definitions of the file.
    - A statement that uses a name which an unsupported statement sets, unless a
      supported import binds this name, too.
    - A guard that sets names which no supported statement uses.

    Args:
        project: The project.
        cased: The model's name in class names, such as `MyModel`.
        statements: The statements of a file with all code of the model.
    """
    names_of = {statement: _module_level_names(statement) for statement in statements}
    # The block `if __name__ == "__main__":` counts as one that uses definitions.
    defined_names = {"__name__"}
    for statement in statements:
        if statement.kind in DEFINING:
            defined_names.add(statement.name)

    unsupported: _Unsupported = {}
    for statement, names in names_of.items():
        if statement.kind is Kind.GUARD:
            # In a generated file, guards come above all definitions. So a guard can
            # neither read a definition nor bind its name again.
            uses_definitions = not defined_names.isdisjoint(names.bound | names.read)
            if uses_definitions:
                reason = "a block that uses definitions is not generated"
                unsupported[statement] = reason
                continue
        file_type = _file_type_of(statement, cased, project.settings)
        reason = unsupported_statement(project, cased, file_type, statement)
        if reason:
            unsupported[statement] = reason
    _add_users(names_of, unsupported)
    _add_unused_guards(names_of, unsupported)
    return unsupported


def _add_users(names_of: _NamesByStatement, unsupported: _Unsupported) -> None:
    """Count statements as unsupported if they use names that unsupported ones set.

    If `a, b = load()` is unsupported, so is `x = a + 1`, and then `y = x + 1`, too. A name
    that a supported import also binds does not count.

    Args:
        names_of: The names that each statement binds and reads.
        unsupported: The unsupported statements, to which others are added.
    """
    imported_names = set[str]()
    for statement, names in names_of.items():
        if statement.kind is Kind.IMPORT and statement not in unsupported:
            imported_names |= names.bound

    unvisited = list(unsupported)
    while unvisited:
        cause = unvisited.pop()
        lost_names = names_of[cause].bound - imported_names
        for statement, names in names_of.items():
            used_names = names.read & lost_names
            if used_names and statement not in unsupported:
                reason = f"it uses `{min(used_names)}`, which line {cause.line} sets"
                unsupported[statement] = reason
                unvisited.append(statement)


def _add_unused_guards(names_of: _NamesByStatement, unsupported: _Unsupported) -> None:
    """Count `if` and `try` blocks as unsupported if no supported statement needs them.

    For example, `try: import torch` counts as unsupported if nothing else reads `torch`.

    Args:
        names_of: The names that each statement binds and reads, in the file's order.
        unsupported: The unsupported statements, to which the blocks are added.
    """
    # If only an unused block further below reads `torch`, `torch` is unused, too. So the
    # lowest block is looked at first: then it no longer counts as a reader.
    for guard in reversed(names_of):
        if guard.kind is not Kind.GUARD:
            continue
        read_names = set[str]()
        for statement, names in names_of.items():
            if statement != guard and statement not in unsupported:
                read_names |= names.read
        if names_of[guard].bound.isdisjoint(read_names):
            unsupported[guard] = "nothing that is generated uses this block"


def _module_level_names(statement: Statement) -> _ModuleLevelNames:
    """Return the names of a statement, or none if it cannot be read."""
    facts = facts_of(statement)
    # Functions and classes in the statement can read names at module level, too.
    read_names = facts.variables_read_at_once | facts.variables_read_later
    return _ModuleLevelNames(bound=set(facts.variables), read=set(read_names))


def _file_of_type(
    file: FlatFile,
    file_type: str,
    model: str,
    by_type: Mapping[str, Sequence[Statement]],
    settings: Settings,
) -> FlatFile:
    """Return the definitions of one file type as a file, with the imports they use.

    The classes of the other types are imported from the files that these will be in.

    Args:
        file: The research file, which has classes of several types.
        file_type: The type of the new file, such as `configuration`.
        model: The name of the model.
        by_type: The statements of the research file by file type.
        settings: The settings of the project.
    """
    codes = []
    names = set()
    for statement in by_type[file_type]:
        if statement.kind is not Kind.IMPORT:
            codes.append(statement.code)
            names.add(statement.name)
    used_names = UsedNames(codes, frozenset(names))
    import_statements = [import_.statement for import_ in file.module.imports]
    needed = choose_imports(
        import_statements, used_names, is_like_python=settings.is_like_python
    )
    texts = [file.module.header.text]
    texts += [import_.render().text.lstrip("\n") for import_ in needed.plain]
    texts += _import_other_types(by_type, used_names, model, settings)
    texts += [code.text for code in codes]
    text = "".join(texts)

    path = file.path
    if file_type != settings.default_file_type:
        stem = settings.file_names.stem(file_type, model)
        path = str(PurePosixPath(path).with_name(f"{stem}.py"))
    return FlatFile(
        path=path,
        file_type=file_type,
        module=modules.read(path, text),
        text=text,
        research_module=file.module,
    )


def _import_other_types(
    by_type: Mapping[str, Sequence[Statement]],
    used_names: UsedNames,
    model: str,
    settings: Settings,
) -> Iterator[str]:
    """Yield the imports that one of the new files needs from the others.

    For example, the modeling file needs `from .configuration_olmo import OlmoConfig`.

    Args:
        by_type: The statements that go into each new file, by its type.
        used_names: The names that the code of one file uses and does not define.
        model: The name of the model.
        settings: The settings of the project.
    """
    for file_type, statements in by_type.items():
        classes = {
            statement.name for statement in statements if statement.kind is Kind.CLASS
        }
        used_classes = ", ".join(sorted(used_names.among(classes)))
        if used_classes:
            stem = settings.file_names.stem(file_type, model)
            yield f"from .{stem} import {used_classes}\n"
