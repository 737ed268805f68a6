"""Converts a draft in memory and says what of it is not as in the flat files, before anything is formatted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from modular.conversion.conversion import Conversion
from modular.conversion.converter import Converter
from modular.flatten.outputs import OutputFile
from modular.infer.flat import FlatFile, FlatModel
from modular.infer.normal import normal
from modular.infer.order import unordered
from modular.rules.drafts import ALL, GETATTR
from modular.rules.files.imports import read_guard
from modular.source import import_statements
from modular.source.blocks import Kind, Statement, split
from modular.source.code import Code, joined


@dataclass
class Gap:
    """How what comes out for one flat file differs from it. ``order`` has the names of the file as they come out."""

    file: FlatFile
    missing: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    imports: set[str] = field(default_factory=set)

    @property
    def can_be_identical(self) -> bool:
        """Whether the file has nothing that no modular file can say, so that its order decides."""
        return self.file.docstring is None

    @property
    def only_missing_use(self) -> set[str]:
        """What nothing of the file uses but that which is missing: no import of it comes out."""
        words = self.file.words
        rest = set[str]().union(*(words[name] for name in words if name not in self.missing))
        return set[str]().union(*(words[name] for name in self.missing)) - rest

    def covers(self, other: "Gap") -> bool:
        """Whether another gap of the same file has nothing that is not in this one."""
        pairs = ((self.missing, other.missing), (self.extra, other.extra), (self.changed, other.changed))
        return all(set(theirs) <= set(ours) for ours, theirs in pairs) and other.imports <= self.imports

    @property
    def misplaced(self) -> list[str]:
        """The names that do not stand where they should."""
        wanted = [name for name in self.file.named if name in set(self.order)]
        found = [name for name in self.order if name in self.file.named]
        return [name for name, other in zip(wanted, found, strict=True) if name != other]


@dataclass
class Trial:
    """What came of converting a draft."""

    conversion: Conversion
    gaps: list[Gap]

    @property
    def failed(self) -> bool:
        """Whether nothing came of it."""
        return not self.conversion.files


def attempt(converter: Converter, flat: FlatModel, text: str) -> Trial:
    """Convert a modular file that is not written yet."""
    converter.refresh(flat.modular, text)
    conversion = converter.convert(flat.modular)
    made = {each.file_type: each for each in conversion.files}
    return Trial(conversion, [_compare(file, made.get(file.file_type)) for file in flat.files])


def _compare(file: FlatFile, made: OutputFile | None) -> Gap:
    gap = Gap(file)
    codes = dict(_definitions(made)) if made is not None else {}
    gap.order = list(codes)
    gap.missing = [name for name in file.named if name not in codes]
    gap.extra = [name for name in codes if name not in file.named]
    gap.changed = [name for name, code in codes.items() if name in file.named and _differs(code, file, name)]
    if made is not None:
        gap.imports = set(_imported(file.module.block.statements)) - set(_imported(_head(made)))
    return gap


def _differs(code: Code, file: FlatFile, name: str) -> bool:
    return normal(code) != file.normals[name] and unordered(code) != unordered(file.named[name].code)


def _definitions(made: OutputFile) -> Iterator[tuple[str, Code]]:
    for statement in made.statements:
        if statement.name and statement.name not in (ALL, GETATTR):
            codes = [part.code for part in statement.parts]
            yield statement.name, joined(codes, codes[0].path)


def _head(made: OutputFile) -> Sequence[Statement]:
    """The imports that an output file has."""
    codes = [
        code for statement in made.statements if not statement.name for code in (part.code for part in statement.parts)
    ]
    return [each for code in codes for each in split(code).statements]


def _imported(statements: Sequence[Statement]) -> Iterator[str]:
    """Every import as a text of its own: the module, the name, its alias and its guard."""
    for statement in statements:
        if statement.kind is Kind.IMPORT:
            yield from _names(statement, "")
        elif statement.kind is Kind.GUARD and (guard := read_guard(statement)) is not None:
            for inside in guard.statements:
                yield from _names(inside, normal(guard.first.head))


def _names(statement: Statement, guard: str) -> Iterator[str]:
    found = import_statements.import_of(statement)
    if found is not None:
        for name in found.names:
            yield f"{guard}{found.source} {name} {name.bound}"
