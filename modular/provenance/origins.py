"""Finds the origin of each line of a formatted file.

The converter knows the origin of each run of lines in its unformatted output. Here the
formatted lines are traced to these lines, and from there to the lines of the sources.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice, takewhile
from typing import NamedTuple

from modular.flatten.outputs import OutputFile, OutputStatement, Renaming
from modular.provenance.alignment import align, tokens
from modular.provenance.outline import UNOWNED, Owner, line_owners
from modular.rules.files.drafts import ALL, GETATTR, OutputRun, Provenance
from modular.source import scan
from modular.source.blocks import Kind
from modular.source.diagnostics import Place
from modular.source.module import Module
from modular.source.source_slice import SourceSlice


Lines = Callable[[str], Sequence[str]]
"""Returns the lines of a source file, given its path."""

_MAX_STATEMENT_LINES = 200
"""Lines of a statement that are searched for the origin of a line."""

_REBUILT_STATEMENTS = (ALL, GETATTR)
"""Statements that the converter writes anew, with other line breaks."""

_DEF_LINE = re.compile(r"[ \t]*(?:async[ \t]+)?def\b")


class BlamedLine(NamedTuple):
    """The origin of one line of a generated file.

    Attributes:
        line: The line in the generated file, from 1.
        kind: How the line came into the file.
        path: The source file; None if the formatter or the converter wrote the line.
        origin_line: The line in the source file, from 1; None as `path` is.
        class_: The class that the line belongs to in the generated file.
        member: The member of that class; without a class, a definition at module level.
        renamed: The old and the new model name, in lower case, if the line was renamed.
    """

    line: int
    kind: Provenance
    path: str | None
    origin_line: int | None
    class_: str | None
    member: str | None
    renamed: Renaming | None

    @property
    def place(self) -> Place | None:
        """The line that this line comes from."""
        if self.path is None or self.origin_line is None:
            return None
        return Place(self.path, self.origin_line)

    @property
    def owner(self) -> Owner:
        """The class and member that this line belongs to."""
        return Owner(self.class_, self.member)


class _Line(NamedTuple):
    """A line before formatting, or a line of a source.

    Attributes:
        text: The text of the line.
        run: The run of lines that the line belongs to, with their source.
        number: The line in the source, from 1.
        is_rebuilt: Whether the line breaks of its statement differ from the source.
    """

    text: str
    run: OutputRun
    number: int
    is_rebuilt: bool = False


class _ImportLine(NamedTuple):
    """An unformatted line of imports, with its tokens."""

    line: _Line
    words: frozenset[str]


def blamed_lines(
    file: OutputFile, formatted: Module, sources: Lines
) -> Iterator[BlamedLine]:
    """Yield the origin of each line of a formatted file.

    Args:
        file: The output file before formatting.
        formatted: The same file after formatting.
        sources: Returns the lines of source files.
    """
    texts = formatted.code.text.split("\n")[:-1]
    owners = line_owners(formatted)
    unformatted_lines = _trace_to_unformatted(file, formatted, texts)
    for number, text in enumerate(texts, start=1):
        owner = owners.get(number, UNOWNED)
        line = unformatted_lines[number - 1]
        if line is None or line.run.provenance is Provenance.MADE:
            # The formatter or the converter wrote this line; no source has it.
            yield BlamedLine(
                line=number,
                kind=Provenance.MADE,
                path=None,
                origin_line=None,
                class_=owner.class_,
                member=owner.member,
                renamed=None,
            )
            continue
        source_line = _source_line(text, line, sources, file.renamings)
        source_path = source_line.run.code.path
        yield BlamedLine(
            line=number,
            kind=source_line.run.provenance,
            path=source_path,
            origin_line=source_line.number,
            class_=owner.class_,
            member=owner.member,
            renamed=file.renamings.get(source_path),
        )


def _trace_to_unformatted(
    file: OutputFile, formatted: Module, texts: Sequence[str]
) -> list[_Line | None]:
    """Return for each formatted line the unformatted line that most of it comes from.

    Formatting can sort and join imports, and all other lines keep their order. So the
    header above the imports, the imports and the code below them are traced apart.

    Args:
        file: The output file before formatting.
        formatted: The same file after formatting.
        texts: Its lines.
    """
    # The first two statements are the banner and the comments below it. The imports
    # come next: unlike definitions, they have no name.
    header = file.statements[:2]
    imports = list(takewhile(lambda statement: not statement.name, file.statements[2:]))
    code = file.statements[2 + len(imports) :]

    imports_start, imports_end = _span_of_imports(formatted)
    return [
        *_aligned(header, texts[:imports_start]),
        *_best_import_lines(imports, texts[imports_start:imports_end]),
        *_aligned(code, texts[imports_end:]),
    ]


def _span_of_imports(formatted: Module) -> tuple[int, int]:
    """Return the index (from 0) of the first line of imports, and of the line below them.

    The imports end above the first statement that is neither an import nor a guard, or
    with the file.
    """
    start = formatted.header.text.count("\n")
    for statement in formatted.block.statements:
        if statement.kind not in (Kind.IMPORT, Kind.GUARD):
            return start, statement.code.line - 1
    return start, formatted.code.text.count("\n")


def _unformatted_lines(statements: Iterable[OutputStatement]) -> Iterator[_Line]:
    """Yield the lines of statements as the converter writes them.

    The converter rebuilds imports, `__all__` and `__getattr__`: their lines are other
    than in the source.
    """
    for statement in statements:
        for run in statement.parts:
            is_import = run.provenance is Provenance.IMPORT
            is_rebuilt = is_import or statement.name in _REBUILT_STATEMENTS
            # A run is whole lines, so nothing comes after its last line end.
            *texts, _ = run.code.text.split("\n")
            for number, text in enumerate(texts, start=run.code.line):
                yield _Line(text, run, number, is_rebuilt)


def _aligned(
    statements: Iterable[OutputStatement], texts: Sequence[str]
) -> list[_Line | None]:
    """Return for each formatted line the unformatted line it comes from, if any.

    Args:
        statements: The statements before formatting.
        texts: Their lines after formatting, in the same order.
    """
    lines = list(_unformatted_lines(statements))
    aligned: list[_Line | None] = []
    for number in align([line.text for line in lines], texts):
        aligned.append(None if number is None else lines[number])
    return aligned


def _best_import_lines(
    statements: Iterable[OutputStatement], texts: Sequence[str]
) -> Iterator[_Line | None]:
    """Yield the unformatted import line that is most similar to each formatted one.

    The formatter sorts and joins imports, so their order says nothing. Two lines are
    similar if they share many words. In an import of several lines, such as `from a
    import (` and ` b,`, the words of the first line count for the others, too.

    Args:
        statements: The imports before formatting.
        texts: Their lines after formatting.
    """
    candidates = []
    for line in _unformatted_lines(statements):
        if line.text.strip():
            candidates.append(_ImportLine(line, frozenset(tokens(line.text))))

    # The words of `from a import (`, as long as the lines below it belong to it.
    opening_words: set[str] = set()
    for text in texts:
        words = set(tokens(text))
        is_indented_or_end = text.startswith((" ", "\t", ")"))
        if text.endswith("("):
            opening_words = words
        elif not is_indented_or_end:
            # Another statement begins here.
            opening_words = set()

        if words:
            yield _best_import_line(words | opening_words, candidates)
        else:
            yield None


def _best_import_line(
    words: set[str], candidates: Sequence[_ImportLine]
) -> _Line | None:
    """Return the import line that shares most words with some words; None if none does.

    Of several import lines that share equally many words, a line from a source wins over
    a line that the converter has written, and then the line with the fewest words.

    Args:
        words: The words of a formatted line.
        candidates: The unformatted import lines.
    """

    def rank(candidate: _ImportLine) -> tuple[int, bool, int]:
        """Return how well an import line fits; the largest value is the best."""
        is_from_source = candidate.line.run.provenance is not Provenance.MADE
        shared_words = words & candidate.words
        return len(shared_words), is_from_source, -len(candidate.words)

    best = max(candidates, key=rank, default=None)
    if best is None or words.isdisjoint(best.words):
        return None
    return best.line


def _source_line(
    formatted_text: str,
    unformatted: _Line,
    sources: Lines,
    renamings: Mapping[str, Renaming],
) -> _Line:
    """Return the source line of a formatted line.

    If there are several candidates, this is the one that shares most words with the
    formatted line.

    Args:
        formatted_text: The formatted line.
        unformatted: The unformatted line that the formatted line comes from.
        sources: Returns the lines of source files.
        renamings: The renaming of the code from each parent file, by its path.
    """
    candidates = _candidate_lines(formatted_text, unformatted, sources)
    if len(candidates) == 1:
        return candidates[0]

    words = _normalized_words(formatted_text, None)
    return max(
        candidates,
        key=lambda candidate: _similarity(candidate, words, renamings),
        default=unformatted,
    )


def _similarity(
    source: _Line, words: frozenset[str], renamings: Mapping[str, Renaming]
) -> tuple[int, bool, int]:
    """Return a sort key: how well a source line fits the words of a formatted line.

    Args:
        source: The source line.
        words: The words of the formatted line.
        renamings: The renaming of the code from each parent file, by its path.
    """
    renaming = renamings.get(source.run.code.path)
    source_words = _normalized_words(source.text, renaming)
    shared_words = words & source_words
    # A line of the child wins over an equally similar line of the parent.
    is_in_child = source.run.provenance is Provenance.OWN
    # Then the line with the fewest words wins.
    return len(shared_words), is_in_child, -len(source_words)


def _candidate_lines(
    formatted_text: str, unformatted: _Line, sources: Lines
) -> list[_Line]:
    """Return the source lines that a formatted line can come from.

    - A line of parameters below the `def` line, if the converter merged the headers of
      child and parent: all lines of both headers.
    - A line of a rebuilt statement, which had other line breaks in the source: all lines
      of the source statement.
    - Any other line: only the source line of `unformatted`.

    Args:
        formatted_text: The formatted line.
        unformatted: The unformatted line that the formatted line comes from.
        sources: Returns the lines of source files.
    """
    run = unformatted.run
    parent_header = run.merged_with
    if parent_header is not None and not _DEF_LINE.match(formatted_text):
        # `self, x,` below `def forward(`: the child's header may have `self`, and the
        # parent's header `x`.
        return _merged_header_lines(run, parent_header, sources)
    if unformatted.is_rebuilt:
        # `__all__ = ["A", "B"]`, which had a line for each name in the source.
        return list(_statement_lines(run, unformatted.number, sources))
    return [unformatted]


def _merged_header_lines(
    run: OutputRun, parent_header: SourceSlice, sources: Lines
) -> list[_Line]:
    """Return the source lines of two merged `def` headers, the parent's first.

    Args:
        run: The merged header, which has the line of the child's header.
        parent_header: The parent's header.
        sources: Returns the lines of source files.
    """
    parent_run = run._replace(code=parent_header, provenance=Provenance.INHERITED)
    parent_lines = _statement_lines(parent_run, parent_header.line, sources)
    child_lines = _statement_lines(run, run.code.line, sources)
    return [*parent_lines, *child_lines]


def _statement_lines(
    run: OutputRun, first_line: int, sources: Lines
) -> Iterator[_Line]:
    """Yield the lines of a source statement.

    The statement ends with the line in which all its brackets are closed.

    Args:
        run: Generated lines of the statement, with their source file.
        first_line: The line of this file, from 1, on which the statement begins.
        sources: Returns the lines of source files.
    """
    open_brackets = 0
    start = first_line - 1
    lines = islice(sources(run.code.path), start, start + _MAX_STATEMENT_LINES)
    for number, text in enumerate(lines, start=first_line):
        yield _Line(text, run, number)
        open_brackets += _count_open_brackets(text)
        if open_brackets <= 0:
            return


@lru_cache(maxsize=1024)
def _count_open_brackets(line: str) -> int:
    """Return how many more brackets a line opens than it closes.

    The lines of a header are counted again for each formatted line of it.
    """
    return scan.count_open_brackets(scan.mask_text(line), 0, len(line))


@lru_cache(maxsize=1024)
def _normalized_words(text: str, renaming: Renaming | None) -> frozenset[str]:
    """Return the words of a line without case and underscores, after a renaming.

    So a source line and the renamed line can be compared: with a renaming from `llama`
    to `my_model`, `LlamaMLP` becomes `mymodelmlp`, which `MyModelMLP` becomes, too.
    """
    words = {word.lower().replace("_", "") for word in tokens(text)}
    if renaming is None:
        return frozenset(words)
    old = renaming.old.replace("_", "")
    new = renaming.new.replace("_", "")
    return frozenset(word.replace(old, new) for word in words)
