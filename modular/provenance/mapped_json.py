"""Moves the findings of a JSON document to the lines to edit.

It knows the JSON of ruff, pyright and mypy, and SARIF. The generated places of a finding
are kept: under `generated`, or as the related locations of SARIF.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urlsplit
from urllib.request import url2pathname

from modular.provenance.line_map import LineMap
from modular.system.printable import counted


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a file, as lines and columns from 1.

    Attributes:
        path: The file, absolute or relative to the current folder.
        line: The first line.
        column: The first column.
        end_line: The last line.
        end_column: The column after the end.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int


class _Format(NamedTuple):
    """How one tool writes a finding.

    `read_span` and `read_message` fail with an `AttributeError`, `IndexError`, `KeyError`,
    `TypeError` or `ValueError` if a finding has another format.

    Attributes:
        read_span: Returns the place of a finding.
        move: Moves a finding to a place.
        add_places: Adds the generated places to a finding.
        read_message: Returns the message of a finding.
        set_message: Replaces the message of a finding.
    """

    read_span: Callable[[Any], Span]
    move: Callable[[Any, Span], None]
    add_places: Callable[[Any, list[Span]], None]
    read_message: Callable[[Any], Any]
    set_message: Callable[[Any, str], None]


@dataclass
class _Group:
    """A finding that is shown, and the number of its copies, which are left out.

    Attributes:
        finding: The finding that is shown.
        format: How it is written.
        is_generated: Whether this finding was in a generated file.
        generated_places: The generated places of the finding and its copies, one for
            each file.
        copies: The number of copies.
    """

    finding: Any
    format: _Format
    is_generated: bool
    generated_places: list[Span]
    copies: int = 0

    def has_file(self, path: str) -> bool:
        """Return whether the finding or a copy of it is in a generated file."""
        return any(span.path == path for span in self.generated_places)


def map_document(text: str, line_map: LineMap) -> str | None:
    """Move the findings in a JSON document from generated lines to the lines to edit.

    A linter reports a line of a generated file. A person edits the line that it comes
    from, in a modular file or one of its parents.

    Args:
        text: The document.
        line_map: Finds the lines to edit.

    Returns:
        The document with its indentation; the same text if no finding is moved; None if
        the text is not JSON.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    is_moved = False
    for findings in finding_lists(document):
        moved = map_findings(findings, line_map)
        if moved != findings:
            findings[:] = moved
            is_moved = True
    if not is_moved:
        return text
    end = text[len(text.rstrip()) :]
    return json.dumps(document, indent=_indent(text), ensure_ascii=False) + end


def map_findings(findings: Iterable[Any], line_map: LineMap) -> list[Any]:
    """Move findings from generated lines to the lines to edit.

    A finding in `modeling_olmo.py` that comes from an inherited line is reported in the
    parent file, once for all models that inherit this line.

    Args:
        findings: Findings of ruff, pyright, mypy or SARIF. Other values are kept.
        line_map: Finds the lines to edit.

    Returns:
        The findings in order. A finding that copies of one line have in several
        generated files appears once.
    """
    results: list[Any] = []
    groups: list[_Group] = []
    first_groups: dict[tuple[str, int, str], _Group] = {}
    for original in findings:
        finding = deepcopy(original)
        format_ = format_of(finding)
        if format_ is None:
            # No known tool writes this value.
            results.append(finding)
            continue

        span = format_.read_span(finding)
        source_span = _trace_span(span, line_map)
        is_generated = source_span is not None
        place = source_span or span
        message = str(format_.read_message(finding))
        # Copies of a finding have the same key: their messages differ by model names.
        general_message = line_map.without_model(message, span.path)
        key = (os.path.abspath(place.path), place.line, general_message)
        first = first_groups.get(key)
        if first is not None:
            # Two findings in one file are never copies of each other.
            is_copy = is_generated and not first.has_file(span.path)
            if is_copy:
                first.generated_places.append(span)
                first.copies += 1
                continue
            if first.is_generated and not is_generated:
                # A finding in a generated file was moved to this line already.
                continue

        generated_places = []
        if is_generated:
            generated_places.append(span)
            format_.move(finding, place)
        group = _Group(finding, format_, is_generated, generated_places)
        groups.append(group)
        first_groups.setdefault(key, group)
        results.append(finding)

    for group in groups:
        if group.generated_places:
            _mention_generated_places(group)
    return results


def format_of(finding: Any) -> _Format | None:
    """Return the format of a finding, or None if no known tool writes it."""
    for format_ in _FORMATS:
        try:
            span = format_.read_span(finding)
            format_.read_message(finding)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            # The finding has another format.
            continue
        numbers = (span.line, span.column, span.end_line, span.end_column)
        if all(type(number) is int for number in numbers):
            return format_
    return None


def finding_lists(document: Any) -> Iterator[list[Any]]:
    """Yield the lists of a JSON document that may contain findings.

    The document of ruff is such a list. Pyright has a list under `generalDiagnostics`,
    and SARIF has a list in each of its `runs`.
    """
    if isinstance(document, list):
        yield document
        return
    if not isinstance(document, dict):
        return
    pyright_findings = document.get("generalDiagnostics")
    if isinstance(pyright_findings, list):
        yield pyright_findings
    sarif_runs = document.get("runs")
    if not isinstance(sarif_runs, list):
        return
    for run in sarif_runs:
        if isinstance(run, dict) and isinstance(run.get("results"), list):
            yield run["results"]


def _trace_span(span: Span, line_map: LineMap) -> Span | None:
    """Return the part of a source file that a part of a generated file comes from.

    The start and the end are traced separately. If the end comes from another file than
    the start, or from a line above it, the returned part is empty: it ends where it
    begins.

    Args:
        span: The part of the generated file.
        line_map: Finds the lines to edit.

    Returns:
        The part of the source file; None if the file is not generated.
    """
    start = line_map.find_line_to_edit(span.path, span.line)
    if start is None:
        return None
    start_column = start.column(span.column)
    end_line = start.line
    end_column = start_column
    end = line_map.find_line_to_edit(span.path, span.end_line)
    if end is not None and end.path == start.path and end.line >= start.line:
        end_line = end.line
        end_column = end.column(span.end_column)
    return Span(
        path=start.path,
        line=start.line,
        column=start_column,
        end_line=end_line,
        end_column=end_column,
    )


def _mention_generated_places(group: _Group) -> None:
    """Add the generated places to a finding, and the number of copies to its message.

    With copies in two other files, the message gets ` (and in 2 more files)`.
    """
    group.format.add_places(group.finding, group.generated_places)
    if group.copies:
        message = group.format.read_message(group.finding)
        message = f"{message} (and in {counted(group.copies, 'more file')})"
        group.format.set_message(group.finding, message)


def _indent(text: str) -> int | None:
    """Return the columns by which the second line of a document is indented.

    None if the document is a single line, or not indented.
    """
    _, _, text_below = text.partition("\n")
    second_line = text_below.partition("\n")[0]
    return len(second_line) - len(second_line.lstrip(" ")) or None


def _add_places(finding: Any, generated: list[Span]) -> None:
    """Add the generated places to a finding, under `generated`."""
    places = []
    for span in generated:
        places.append({"path": span.path, "line": span.line, "column": span.column})
    finding["generated"] = places


def _read_message(finding: Any) -> Any:
    """Return the message of a finding."""
    return finding["message"]


def _set_message(finding: Any, message: str) -> None:
    """Replace the message of a finding."""
    finding["message"] = message


def _read_ruff(finding: Any) -> Span:
    """Return the place of a finding of ruff, which counts lines and columns from 1."""
    start, end = finding["location"], finding["end_location"]
    return Span(
        path=finding["filename"],
        line=start["row"],
        column=start["column"],
        end_line=end["row"],
        end_column=end["column"],
    )


def _move_ruff(finding: Any, span: Span) -> None:
    """Replace the place of a finding of ruff with the source lines to edit."""
    finding["filename"] = span.path
    finding["location"] = {"column": span.column, "row": span.line}
    finding["end_location"] = {"column": span.end_column, "row": span.end_line}
    finding["noqa_row"] = span.line
    # The edits of a fix are places in the generated file.
    finding["fix"] = None


def _read_pyright(finding: Any) -> Span:
    """Return the place of a finding of pyright, which counts lines and columns from 0."""
    start, end = finding["range"]["start"], finding["range"]["end"]
    return Span(
        path=finding["file"],
        line=start["line"] + 1,
        column=start["character"] + 1,
        end_line=end["line"] + 1,
        end_column=end["character"] + 1,
    )


def _move_pyright(finding: Any, span: Span) -> None:
    """Replace the place of a finding of pyright with the source lines to edit."""
    finding["file"] = span.path
    finding["range"] = {
        "start": {"line": span.line - 1, "character": span.column - 1},
        "end": {"line": span.end_line - 1, "character": span.end_column - 1},
    }


def _read_mypy(finding: Any) -> Span:
    """Return the place of a finding of mypy: lines count from 1, columns from 0."""
    line, column = finding["line"], finding["column"]
    # Older releases of mypy do not write the end. Then it is the same as the start.
    end_line = finding.get("end_line") or line
    end_column = finding.get("end_column") or column
    return Span(
        path=finding["file"],
        line=line,
        column=column + 1,
        end_line=end_line,
        end_column=end_column + 1,
    )


def _move_mypy(finding: Any, span: Span) -> None:
    """Replace the place of a finding of mypy with the source lines to edit."""
    finding["file"] = span.path
    finding["line"] = span.line
    finding["column"] = span.column - 1
    if "end_line" in finding:
        finding["end_line"] = span.end_line
        finding["end_column"] = span.end_column - 1


def _read_sarif(finding: Any) -> Span:
    """Return the place of a finding in SARIF, whose columns and end are optional."""
    location = finding["locations"][0]["physicalLocation"]
    region = location["region"]
    line, column = region["startLine"], region.get("startColumn", 1)
    return Span(
        path=_path_of_uri(location["artifactLocation"]["uri"]),
        line=line,
        column=column,
        end_line=region.get("endLine", line),
        end_column=region.get("endColumn", column),
    )


def _move_sarif(finding: Any, span: Span) -> None:
    """Replace the place of a finding in SARIF with the source lines to edit."""
    location = finding["locations"][0]["physicalLocation"]
    location["artifactLocation"] = {"uri": _uri_of_path(span.path)}
    location["region"] = {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }
    # A fix replaces text at places in the generated file, so it no longer fits.
    finding.pop("fixes", None)


def _add_sarif_places(finding: Any, generated: list[Span]) -> None:
    """Add the generated places to the related locations of a finding in SARIF."""
    related = finding.setdefault("relatedLocations", [])
    for span in generated:
        physical_location = {
            "artifactLocation": {"uri": _uri_of_path(span.path)},
            "region": {"startLine": span.line, "startColumn": span.column},
        }
        message = {"text": "The generated line"}
        related.append({"message": message, "physicalLocation": physical_location})


def _read_sarif_message(finding: Any) -> Any:
    """Return the message of a finding in SARIF."""
    return finding["message"]["text"]


def _set_sarif_message(finding: Any, message: str) -> None:
    """Replace the message of a finding in SARIF."""
    finding["message"]["text"] = message


def _path_of_uri(uri: str) -> str:
    """Return the path of `file:///models/a.py`, or of `models/a.py`."""
    parts = urlsplit(uri)
    if parts.scheme == "file":
        return url2pathname(parts.path)
    return unquote(uri)


def _uri_of_path(path: str) -> str:
    """Return the URI of a path, which is relative for a relative path."""
    if os.path.isabs(path):
        return Path(path).as_uri()
    return quote(path.replace(os.sep, "/"))


_RUFF = _Format(
    read_span=_read_ruff,
    move=_move_ruff,
    add_places=_add_places,
    read_message=_read_message,
    set_message=_set_message,
)
_PYRIGHT = _RUFF._replace(read_span=_read_pyright, move=_move_pyright)
_MYPY = _RUFF._replace(read_span=_read_mypy, move=_move_mypy)
_SARIF = _Format(
    read_span=_read_sarif,
    move=_move_sarif,
    add_places=_add_sarif_places,
    read_message=_read_sarif_message,
    set_message=_set_sarif_message,
)
_FORMATS = (_RUFF, _PYRIGHT, _MYPY, _SARIF)
