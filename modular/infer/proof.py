"""The proof: what the modular file generates, formatted, against the flat files."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from modular.conversion.converter import Converter
from modular.format import formatting
from modular.infer.flat import FlatFile, FlatModel, guarded_names, read_flat
from modular.infer.normal import normal
from modular.infer.order import unordered
from modular.project.project import Project
from modular.rules.drafts import ALL, GETATTR
from modular.rules.files.exports import exported, is_written_out
from modular.rules.names.renaming import COPIED
from modular.source import import_statements
from modular.source.blocks import Kind, Statement
from modular.source.diagnostics import Diagnostic


class Proof(str, Enum):
    """How what is generated stands to a flat file.

    ``IDENTICAL``: the same bytes, banner aside. ``REORDERED``: the same imports and statements, each the same bytes, in
    another order or under another heading; inside a class see `order.unordered`. ``DIFFERENT``: not proved.
    """

    IDENTICAL = "identical"
    REORDERED = "reordered"
    DIFFERENT = "different"


@dataclass
class FileProof:
    """The proof of one file.

    ``wrong`` are the names whose statements differ, ``imports`` those whose import is missing, ``guarded`` those whose guard
    differs, ``foreign`` imports that the file does not have, ``left_out`` definitions that nothing needs, ``moved``
    those whose own lines come in another order; ``copies`` counts
    comments that inheriting takes the place of. ``only_heading`` says that nothing but the blank lines below the heading keep
    it from being identical.
    """

    file: FlatFile
    proof: Proof
    wrong: list[str] = field(default_factory=list)
    imports: list[str] = field(default_factory=list)
    guarded: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    moved: list[str] = field(default_factory=list)
    copies: int = 0
    only_heading: bool = False


Proved = tuple[str, list[FileProof], Sequence[Diagnostic]]
"""A formatted modular file, how each flat file stands to what it generates, and what its conversion reports."""


def prove(converter: Converter, flat: FlatModel, text: str) -> Proved:
    """Format a modular file and what it generates, and compare.

    Raises `formatting.FormatterError`.
    """
    project = converter.project
    text = _formatted(project, {flat.modular: text})[flat.modular]
    converter.refresh(flat.modular, text)
    conversion = converter.convert(flat.modular)
    made = _formatted(project, conversion.texts)
    by_type = {each.file_type: made[each.path] for each in conversion.files}
    proofs = [_compare(project, file, by_type.get(file.file_type)) for file in flat.files]
    return text, proofs, conversion.diagnostics


def _formatted(project: Project, texts: Mapping[str, str]) -> Mapping[str, str]:
    return formatting.format_texts(texts, project.root, project.settings.formatter).texts


def _compare(project: Project, file: FlatFile, text: str | None) -> FileProof:
    if text is None:
        return FileProof(file, Proof.DIFFERENT, wrong=list(file.named))
    made = read_flat(project, file.path, text)
    if made.text == file.text:
        return FileProof(file, Proof.REORDERED if file.origins else Proof.IDENTICAL)
    copies = _copies(file) - _copies(made)
    moved = [name for name, form in file.normals.items() if made.normals.get(name, form) != form]
    ours, theirs = Counter(_pieces(made)), Counter(_pieces(file))
    if ours == theirs:
        only_heading = _below_heading(made) == _below_heading(file)
        return FileProof(file, Proof.REORDERED, moved=moved, copies=copies, only_heading=only_heading)
    gone = _unneeded(file, made)
    for name in gone:
        theirs -= Counter([_form(file.named[name])])
    for piece in _unneeded_imports(file, gone):
        if piece not in ours:
            theirs -= Counter([piece])
    if ours == theirs:
        return FileProof(file, Proof.REORDERED, left_out=gone, moved=moved, copies=copies)
    wrong = [name for name in file.named if name not in gone and _differs(made, file, name)]
    wrong += [name for name in made.named if name not in file.named]
    missing = [their.split(" ")[-1] for their in theirs - ours if their in set(_imports(file))]
    foreign = [our for our in ours - theirs if our in set(_imports(made))]
    guards = (guard for guard in file.guards if _form(guard) not in ours)
    guarded = [name for guard in guards for name in sorted(guarded_names(guard))]
    return FileProof(file, Proof.DIFFERENT, wrong, missing, guarded, foreign, gone)


def _below_heading(file: FlatFile) -> str:
    return file.text[len(file.heading) :].lstrip("\n")


def _imports(file: FlatFile) -> Iterator[str]:
    return (f"{import_.source} {name}" for import_ in file.imports for name in import_.names)


def _unneeded(file: FlatFile, made: FlatFile) -> list[str]:
    """The definitions that are not generated, and that nothing which is generated uses."""
    reached = file.reached(name for name in made.named if name in file.named)
    return [name for name in file.named if name not in reached]


def _unneeded_imports(file: FlatFile, gone: list[str]) -> set[str]:
    """The imports that only definitions use which are not there any more."""
    words: set[str] = set().union(*(file.words[name] for name in gone))
    rest: set[str] = set().union(*(each for name, each in file.words.items() if name not in gone))
    return {
        f"{import_.source} {name}" for import_ in file.imports for name in import_.names if name.bound in words - rest
    }


def _differs(made: FlatFile, file: FlatFile, name: str) -> bool:
    return name not in made.named or _form(made.named[name]) != _form(file.named[name])


def _pieces(file: FlatFile) -> Iterator[str]:
    """The imports of a file one by one, and its other statements; a docstring that heads it aside."""
    for statement in file.module.block.statements:
        if statement.kind is Kind.STRING:
            continue
        found = import_statements.import_of(statement) if statement.kind is Kind.IMPORT else None
        if found is not None:
            yield from (f"{found.source} {name}{_remark(statement)}" for name in found.names)
        elif statement.name == ALL and is_written_out(statement):
            yield f"{ALL} = {exported(statement)}"
        elif statement.name == GETATTR:
            yield normal(statement.own)
        else:
            yield _form(statement)


def _remark(statement: Statement) -> str:
    """The comments of an import."""
    text, mask = statement.own.text, statement.own.mask
    return "".join(sign for sign, seen in zip(text, mask, strict=True) if seen.isspace() and not sign.isspace())


def _form(statement: Statement) -> str:
    """The bytes of a statement, less the comments that inheriting takes the place of; of a class in any order that decides nothing."""
    return "\n".join(unordered(statement.code, exact=True))


def _copies(file: FlatFile) -> int:
    """How many comments of a file say from where something was copied."""
    return sum(COPIED in line and line.lstrip().startswith(COPIED[0]) for line in file.text.split("\n"))
