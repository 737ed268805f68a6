"""The cheap index and LibCST's trees of whole files say the same of every statement: its kind, its name, its lines."""

from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import libcst as cst
import pytest
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from modular.source import module as modules
from modular.source.blocks import Block, Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.headers import branches_of


Outline = tuple[Kind, str, int, int]
"""The kind of a statement, the name that it defines or assigns to, and its first and last line of code."""

EVERY_MODULAR, EVERY_OTHER = 12, 120
"""One file in so many: reading all of them into trees takes minutes."""


def files(corpus: Path) -> list[Path]:
    models = corpus / "src/transformers/models"
    modular = sorted(models.glob("*/modular_*.py"))
    others = sorted(
        path
        for path in models.glob("*/*_*.py")
        if not path.name.startswith(("modular_", "_"))
    )
    return modular[::EVERY_MODULAR] + others[::EVERY_OTHER]


@pytest.mark.slow
def test_index_and_trees_agree(corpus: Path) -> None:
    with ProcessPoolExecutor(2) as pool:
        compared = dict(
            zip(
                files(corpus),
                pool.map(compare, files(corpus), chunksize=8),
                strict=True,
            )
        )
    assert [
        difference for differences, _ in compared.values() for difference in differences
    ] == []
    assert sum(count for _, count in compared.values()) > 5_000


def compare(path: Path) -> tuple[list[str], int]:
    """What the two say differently of a file, and the number of statements that were compared."""
    text = path.read_text(encoding="utf-8")
    index = list(outline_of_index(modules.read(path.name, text).block))
    module = cst.parse_module(text)
    positions = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)
    tree = list(outline_of_tree(module.body, positions))
    differences = [
        f"{path.name}: {one} is not {other}"
        for one, other in zip(index, tree, strict=False)
        if one != other
    ]
    return differences or [f"{path.name}: {len(index)} statements, not {len(tree)}"] * (
        len(index) != len(tree)
    ), len(index)


def outline_of_index(block: Block) -> Iterator[Outline]:
    """The statements of a block, of the bodies of its definitions, and of the branches of its `if`s and `try`s."""
    for statement in block.statements:
        code = statement.bare_code.masked_text.rstrip()
        yield (
            statement.kind,
            statement.name,
            statement.line,
            statement.line + statement.bare_code.text.count("\n", 0, len(code)),
        )
        for body in bodies_of_index(statement):
            yield from outline_of_index(body)


def bodies_of_index(statement: Statement) -> list[Block]:
    if statement.is_definition:
        return [view_definition(statement).body]
    return (
        [branch.body for branch in branches_of(statement)]
        if statement.kind is Kind.GUARD
        else []
    )


def outline_of_tree(
    body: object, positions: Mapping[cst.CSTNode, CodeRange]
) -> Iterator[Outline]:
    """The same, told by the trees."""
    assert isinstance(body, list | tuple)
    for statement in body:
        if isinstance(statement, cst.SimpleStatementLine):
            for small in statement.body:
                yield (
                    *kind_and_name(small),
                    positions[small].start.line,
                    positions[small].end.line,
                )
            continue
        if isinstance(statement, cst.BaseSmallStatement):
            yield (
                *kind_and_name(statement),
                positions[statement].start.line,
                positions[statement].end.line,
            )
            continue
        first = next(iter(getattr(statement, "decorators", ())), statement)
        yield (
            *kind_and_name(statement),
            positions[first].start.line,
            last_line(statement, positions),
        )
        for inner in bodies_of_tree(statement):
            yield from outline_of_tree(inner.body, positions)


def last_line(
    statement: cst.CSTNode, positions: Mapping[cst.CSTNode, CodeRange]
) -> int:
    return max(
        positions[node].end.line for node in (statement, *bodies_of_tree(statement))
    )


def bodies_of_tree(statement: cst.CSTNode) -> list[cst.BaseSuite]:
    match statement:
        case (
            cst.ClassDef(body=body)
            | cst.FunctionDef(body=body)
            | cst.Else(body=body)
            | cst.Finally(body=body)
        ):
            return [body]
        case cst.If(body=body, orelse=orelse):
            return [body, *(bodies_of_tree(orelse) if orelse else ())]
        case cst.Try(body=body) | cst.TryStar(body=body):
            others = [*statement.handlers, statement.orelse, statement.finalbody]
            return [body, *(other.body for other in others if other is not None)]
    return []


def kind_and_name(statement: cst.CSTNode) -> tuple[Kind, str]:
    match statement:
        case cst.ClassDef(name=cst.Name(value=name)):
            return Kind.CLASS, name
        case cst.FunctionDef(name=cst.Name(value=name)):
            return Kind.FUNCTION, name
        case cst.If() | cst.Try() | cst.TryStar():
            return Kind.GUARD, ""
        case cst.Import() | cst.ImportFrom():
            return Kind.IMPORT, ""
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name)), *_]):
            return Kind.ASSIGNMENT, name
        case cst.AnnAssign(target=cst.Name(value=name)):
            return Kind.ASSIGNMENT, name
        case cst.Expr(value=cst.SimpleString(prefix="" | "r" | "R" | "u" | "U")):
            return Kind.STRING, ""
        case cst.Expr(value=cst.ConcatenatedString() as several) if isinstance(
            several.evaluated_value, str
        ):
            return Kind.STRING, ""
    return Kind.OTHER, ""
