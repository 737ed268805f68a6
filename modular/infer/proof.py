"""Compares what a modular file generates with flat files: before it is formatted, to repair it, and after, as the proof.

And what a linter refuses in a modular file.
"""

import json
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from modular.conversion.conversion import Conversion
from modular.conversion.converter import Converter
from modular.format import formatting
from modular.infer.flat import FlatFile, FlatModel, read_flat
from modular.infer.forms import (
    compact,
    equal_after_formatting,
    is_copy_remark,
    lines_of,
    normal,
    order_insensitive_key,
)
from modular.project.project import Project
from modular.rules.files.drafts import ALL, GETATTR
from modular.rules.files.exports import exported_names, has_only_literal_names
from modular.rules.files.imports import read_guard
from modular.source.blocks import Kind
from modular.source.diagnostics import Diagnostic
from modular.source.import_statements import import_of
from modular.system.ruff import FormatterError, ruff_executable


_COMMAND = ("check", "--isolated", "--no-cache", "--exit-zero")
_PATIENCE = 60.0


class Proof(str, Enum):
    """How what is generated compares to a flat file.

    ``IDENTICAL``: the same bytes, banner aside. ``REORDERED``: the same imports and statements, each the same bytes, in
    another order or under another heading; inside a class see `forms.unordered`. ``DIFFERENT``: not proved.
    """

    IDENTICAL = "identical"
    REORDERED = "reordered"
    DIFFERENT = "different"


@dataclass
class Comparison:
    """How what is generated differs from a flat file, by the names of definitions.

    ``left_out`` are those of the missing ones that nothing needs, ``moved`` have their lines in another order, ``misplaced``
    come elsewhere. Imports that only missing definitions use are not missing. ``lost`` are the first lines of other statements
    that do not come out. ``remarks`` counts comments that inheriting takes the place of.
    """

    file: FlatFile
    proof: Proof = Proof.DIFFERENT
    missing: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    moved: list[str] = field(default_factory=list)
    misplaced: list[str] = field(default_factory=list)
    missing_imports: list[str] = field(default_factory=list)
    extra_imports: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    remarks: int = 0

    @property
    def wrong(self) -> list[str]:
        """The definitions that are not as they should be."""
        return [
            *self.changed,
            *(name for name in self.missing if name not in self.left_out),
            *self.extra,
        ]


class Proved(NamedTuple):
    """A formatted modular file, its conversion, and a comparison for each flat file."""

    text: str
    comparisons: list[Comparison]
    conversion: Conversion


def prove(converter: Converter, flat: FlatModel, text: str) -> Proved:
    """Format a modular file and what it generates, and compare. Raises `formatting.FormatterError`."""
    project = converter.project
    text = formatted(project, {flat.modular: text})[flat.modular]
    converter.refresh(flat.modular, text)
    conversion = converter.convert(flat.modular)
    texts = formatted(project, conversion.texts)
    generated = {
        file.file_type: read_flat(project, file.path, texts[file.path])
        for file in conversion.files
    }
    comparisons = [_prove(file, generated.get(file.file_type)) for file in flat.files]
    return Proved(text, comparisons, conversion)


def attempt(converter: Converter, flat: FlatModel, text: str) -> list[Comparison]:
    """Convert a modular file and compare what it generates before it is formatted; nothing if it cannot be converted."""
    converter.refresh(flat.modular, text)
    conversion = converter.convert(flat.modular)
    generated = {
        file.file_type: read_flat(converter.project, file.path, file.text)
        for file in conversion.files
    }
    return [
        _compare(file, generated.get(file.file_type))
        for file in flat.files
        if generated
    ]


def formatted(project: Project, texts: Mapping[str, str]) -> Mapping[str, str]:
    """Format texts as the project does, by their paths. Raises `formatting.FormatterError`."""
    return formatting.format_texts(
        texts, project.root, project.settings.formatter
    ).texts


def _compare(
    file: FlatFile, generated: FlatFile | None, *, exactly: bool = False
) -> Comparison:
    """Compare definitions and imports, but for their layout unless they are to be the same ``exactly``."""
    if generated is None:
        return Comparison(file, missing=list(file.named))
    names = [name for name in generated.named if name in file.named]
    wanted = [name for name in file.named if name in generated.named]
    reached = file.reached(names)
    missing = [name for name in file.named if name not in generated.named]
    moved = [
        name
        for name in names
        if not equal_after_formatting(generated.named[name].code, file.named[name].code)
    ]
    suspects, form = (names, lines_of) if exactly else (moved, compact)
    changed = [
        name
        for name in suspects
        if order_insensitive_key(generated.named[name], form)
        != order_insensitive_key(file.named[name], form)
    ]
    imports, generated_imports = _imports(file), _imports(generated)
    unneeded = file.only_used_by(missing)
    return Comparison(
        file,
        missing=missing,
        left_out=[name for name in missing if name not in reached],
        extra=[name for name in generated.named if name not in file.named],
        changed=changed,
        moved=[name for name in moved if name not in changed],
        misplaced=[
            name for name, other in zip(wanted, names, strict=True) if name != other
        ],
        missing_imports=[
            name
            for _, name in sorted(imports - generated_imports)
            if name not in unneeded
        ],
        extra_imports=[name for _, name in sorted(generated_imports - imports)],
    )


def _prove(file: FlatFile, generated: FlatFile | None) -> Comparison:
    comparison = _compare(file, generated, exactly=True)
    if generated is None:
        return comparison
    comparison.remarks = _remarks(file) - _remarks(generated)
    others, generated_others = (
        Counter(_other_statements(file)),
        Counter(_other_statements(generated)),
    )
    comparison.lost = [text.partition("\n")[0] for text in others - generated_others]
    differs = comparison.wrong or comparison.missing_imports or comparison.extra_imports
    if generated.text == file.text:
        comparison.proof = Proof.IDENTICAL
    elif not differs and others == generated_others:
        comparison.proof = Proof.REORDERED
    return comparison


def _imports(file: FlatFile) -> set[tuple[str, str]]:
    """Every import: its guard, module and name as one text, and the name as the file knows it."""
    imports = set[tuple[str, str]]()
    for statement in file.module.block.statements:
        guard = read_guard(statement)
        inside = (statement,) if guard is None else guard.statements
        head = "" if guard is None else normal(guard.first.head)
        for inner in inside:
            if (read := import_of(inner)) is not None and inner.kind is Kind.IMPORT:
                imports.update(
                    (f"{head} {read.source} {name}", name.bound) for name in read.names
                )
    return imports


def _other_statements(file: FlatFile) -> Iterator[str]:
    """The statements that are neither definitions nor imports; the docstring of the file aside."""
    for statement in file.other_statements:
        if statement.name == ALL and has_only_literal_names(statement):
            yield f"{ALL} = {exported_names(statement)}"
        elif statement.name == GETATTR:
            yield normal(statement.own)
        else:
            yield lines_of(statement.code)


def _remarks(file: FlatFile) -> int:
    """How many comments of a file mark a copy."""
    return sum(map(is_copy_remark, file.text.split("\n")))


Refusal = tuple[int, str]
"""A finding in a modular file: its line (from 1), and what is wrong."""


def refusals(
    modular: str, text: str, diagnostics: Iterable[Diagnostic]
) -> list[Refusal]:
    """Return the findings in a modular file, sorted, each once. ``diagnostics`` are those of its conversion.

    Raises FormatterError if ruff cannot be run.
    """
    refused = {
        (diagnostic.place.line, diagnostic.message)
        for diagnostic in diagnostics
        if diagnostic.place.path == modular
    }
    report = _ruff(modular, text, "--select", "F", "--output-format", "json")
    return sorted(
        refused
        | {(load["location"]["row"], load["message"]) for load in json.loads(report)}
    )


def without_unused_imports(modular: str, text: str) -> str:
    """Return a modular file less the imports that it does not use. Raises FormatterError if ruff cannot be run."""
    return _ruff(modular, text, "--select", "F401", "--fix", "--quiet")


def _ruff(modular: str, text: str, *arguments: str) -> str:
    command = [
        ruff_executable(),
        *_COMMAND,
        *arguments,
        "--stdin-filename",
        modular,
        "-",
    ]
    try:
        done = subprocess.run(
            command,
            input=text.encode(),
            capture_output=True,
            timeout=_PATIENCE,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise FormatterError(f"ruff could not check `{modular}`: {error}") from error
    return done.stdout.decode()
