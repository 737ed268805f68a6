"""Maps the output of a program as it arrives: text line by line, JSON as a whole."""

import json
from collections.abc import Callable, Iterator
from itertools import chain
from typing import IO

from modular.provenance.line_map import LineMap
from modular.provenance.mapped_json import (
    finding_lists,
    format_of,
    map_document,
    map_findings,
)
from modular.provenance.mapped_text import TextMapper


_MAX_LINE_BYTES = 1_000_000
"""Bytes of a line that are read at once; the rest counts as further lines."""

_MAX_DOCUMENT_BYTES = 200_000_000
"""A longer JSON document passes unchanged."""


def map_output(
    output: IO[bytes], line_map: LineMap, paint: Callable[[str], str] = str
) -> Iterator[bytes]:
    """Yield a program's output, and tell where to edit the generated lines it names.

    If a linter prints `modeling_olmo.py:12: error`, a line is added below that, such as
    `edit modular_olmo.py:3`. If it prints JSON, the place in the JSON is replaced.

    Args:
        output: The output. Bytes that are not UTF-8 pass unchanged.
        line_map: Finds the lines to edit.
        paint: Colours an added line.
    """
    for text in _add_lines_to_edit(_read_lines(output), line_map, paint):
        yield text.encode("utf-8", "surrogateescape")


def _read_lines(output: IO[bytes]) -> Iterator[str]:
    """Yield the lines of an output; very long ones in several parts."""
    while line := output.readline(_MAX_LINE_BYTES):
        yield line.decode("utf-8", "surrogateescape")


def _add_lines_to_edit(
    lines: Iterator[str], line_map: LineMap, paint: Callable[[str], str]
) -> Iterator[str]:
    """Yield the output of a program, with the source line for each generated line.

    - If the whole output is one JSON document, its findings are moved: each names the
      line to edit instead of the generated line.
    - Below a line of text that names a generated line, a line is added, such as
      `edit modular_a.py:3`.
    - A line can be one finding as JSON, as mypy writes it. Such findings are moved, too.
      They are yielded at the end, because a finding that three generated files have is
      yielded once.

    Args:
        lines: The lines of the output.
        line_map: Finds the line to edit that a generated line comes from.
        paint: Colours an added line.
    """
    text_mapper = TextMapper(line_map, paint)
    json_findings: list[str] = []
    has_seen_text = False
    for line in lines:
        # A document is the whole output, so only blank lines can be above it.
        if not has_seen_text and _begins_document(line):
            # This reads all further lines from the same iterator, so the loop ends here.
            yield from _move_document(line, lines, text_mapper, line_map)
        elif _is_finding(line):
            json_findings.append(line)
        else:
            yield from text_mapper.map_line(line)
        if line.strip():
            has_seen_text = True
    yield from _move_json_findings(json_findings, line_map)
    yield from text_mapper.finish()


def _begins_document(line: str) -> bool:
    """Return whether the first line of an output begins a JSON document.

    A document has a list of findings: `[{"code": "F401"}]`. In contrast, the line
    `{"code": "misc"}` is a single finding of mypy, which writes a line for each.
    """
    text = line.strip()
    if text in ("[", "{"):
        # An indented document begins with a line that is only a bracket.
        return True
    if not text.startswith(("[{", '{"')):
        return False
    document = _parse(text)
    if document is None:
        # The line is not complete JSON, so the document goes on in the next lines.
        return True
    first_list = next(finding_lists(document), None)
    return first_list is not None


def _is_finding(line: str) -> bool:
    """Return whether a line is a finding as JSON."""
    if not line.startswith('{"'):
        return False
    return format_of(_parse(line)) is not None


def _parse(line: str) -> object:
    """Return the value of a JSON text; None if it is not JSON."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _move_document(
    first_line: str, lines: Iterator[str], text_mapper: TextMapper, line_map: LineMap
) -> Iterator[str]:
    """Yield a JSON document with its findings moved to the lines to edit.

    Text that turns out to be no JSON, or is too long to be kept in memory, is mapped
    line by line.

    Args:
        first_line: The first line of the document.
        lines: The lines below it, all of which are read.
        text_mapper: Maps a line of text.
        line_map: Finds the lines to edit.
    """
    document_lines = [first_line]
    size = len(first_line)
    for line in lines:
        document_lines.append(line)
        size += len(line)
        if size > _MAX_DOCUMENT_BYTES:
            break

    if size <= _MAX_DOCUMENT_BYTES:
        document = map_document("".join(document_lines), line_map)
        if document is not None:
            yield document
            return
    # If the document is too long, `lines` still has the rest of it.
    for line in chain(document_lines, lines):
        yield from text_mapper.map_line(line)


def _move_json_findings(lines: list[str], line_map: LineMap) -> Iterator[str]:
    """Yield findings, each of them a line of JSON, moved to the lines to edit."""
    findings = [json.loads(line) for line in lines]
    moved = map_findings(findings, line_map)
    if moved == findings:
        # To write them anew could change their spacing.
        yield from lines
        return
    for finding in moved:
        yield json.dumps(finding, ensure_ascii=False) + "\n"
