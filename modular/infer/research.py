"""Research code: one file of any name, taken apart into what the model files of a library would be."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from modular.infer.expressible import names_held, unsayable
from modular.infer.flat import Aside, FlatFile
from modular.project.project import Project
from modular.rules.files import file_types
from modular.rules.settings import MODELING
from modular.source import module as modules
from modular.source.blocks import Kind, Statement
from modular.source.import_statements import Import


def model_named_after(path: str) -> str:
    """Return the name of the model that a file of any name would be."""
    return re.sub(r"\W+", "_", PurePosixPath(path).stem).strip("_").lower() or "model"


def take_apart(project: Project, model: str, file: FlatFile) -> tuple[list[FlatFile], list[Aside]]:
    """Part a file into one for each type of model file, by the names of its classes, and say what is in none."""
    cased, settings = project.names.cased(model), project.settings
    asides: list[Aside] = []
    by_type: dict[str, list[Statement]] = {MODELING: []}
    for statement in file.module.block.statements:
        kind = MODELING
        if statement.kind is Kind.CLASS:
            kind = file_types.of_class(statement.name, cased, settings)
        elif problem := _unsayable(project, cased, file, statement):
            asides.append(Aside(file.path, file.line(statement), f"this stays where it is: {problem}"))
            continue
        if kind != MODELING:
            what = f"`{statement.name}` goes into `{kind}_{model}.py`"
            asides.append(Aside(file.path, file.line(statement), what))
        by_type.setdefault(kind, []).append(statement)
    folder = PurePosixPath(file.path).parent
    return [
        _file(file, kind, file.path if kind == MODELING else str(folder / f"{kind}_{model}.py"), model, by_type)
        for kind in by_type
    ], asides


def _unsayable(project: Project, cased: str, file: FlatFile, statement: Statement) -> str:
    """Say why a statement stays; nothing if it does not."""
    if statement.kind is Kind.GUARD and not names_held(statement):
        return "a block that defines nothing is not generated"
    return unsayable(project, cased, file, statement)


def _file(file: FlatFile, kind: str, path: str, model: str, by_type: dict[str, list[Statement]]) -> FlatFile:
    """Return the file of one type: its definitions, with the imports that they use."""
    own = [each for each in by_type[kind] if each.kind is not Kind.IMPORT]
    words = set[str]().union(*(each.code.words() for each in own))
    imports = [*_used(file.imports, words)]
    for other, statements in by_type.items():
        names = sorted({statement.name for statement in statements if statement.kind is Kind.CLASS} & words)
        if other != kind and names:
            imports.append(f"from .{other}_{model} import {', '.join(names)}\n")
    text = "".join([file.heading, *imports, *(each.code.text for each in own)])
    return FlatFile(path, kind, modules.read(path, text), text)


def _used(imports: Sequence[Import], words: set[str]) -> Iterator[str]:
    for import_ in imports:
        kept = tuple(name for name in import_.names if name.bound.partition(".")[0] in words)
        if kept:
            yield import_.render(kept).text.lstrip("\n")
