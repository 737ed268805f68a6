"""Moves the findings of a JSON document to the lines to edit.

It knows the JSON of ruff, pyright and mypy, and SARIF. The generated places of a finding
are kept: under `generated`, or as the related locations of SARIF.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urlsplit
from urllib.request import url2pathname

from modular.provenance.line_map import LineMap


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a file, as lines and columns from 1.

    Attributes:
        path: The file, absolute or relative to the current folder.
        line: The first line.
        column: The first column.
        end_line: The last line.
        end_column: The column behind the end.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int


class _Format(NamedTuple):
    """How one tool writes a finding.

    Attributes:
        read: Returns the place of a finding. It fails with an `AttributeError`,
            `IndexError`, `KeyError`, `TypeError` or `ValueError` if the finding has
            another form.
        move: Moves a finding to a place.
        relate: Adds the generated places to a finding.
        message: Returns the dictionary and the key of the message.
    """

    read: Callable[[Any], Span]
    move: Callable[[Any, Span], None]
    relate: Callable[[Any, list[Span]], None]
    message: Callable[[Any], tuple[dict[str, Any], str]]


@dataclass
class _Group:
    """A finding, and the generated places that have it.

    Attributes:
        finding: The first of the findings.
        format: How it is written.
        source: Where the line to edit is.
        is_generated: Whether the first finding is at a generated line.
        generated: The generated places.
    """

    finding: Any
    format: _Format
    source: Span
    is_generated: bool
    generated: list[Span] = field(default_factory=list)


def map_document(text: str, line_map: LineMap) -> str | None:
    """Return a JSON document whose findings are at the lines to edit.

    Args:
        text: The document.
        line_map: Finds the lines to edit.

    Returns:
        The document with its indentation; the same text if no finding is moved; None if
        the text is no JSON.
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
    """Return findings at the lines to edit.

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
            results.append(finding)
            continue
        span = format_.read(finding)
        source = _move(span, line_map)
        place = source or span
        message, key = format_.message(finding)
        general_message = line_map.without_model(str(message[key]), span.path)
        group_key = (os.path.abspath(place.path), place.line, general_message)

        group = first_groups.get(group_key)
        if source is None and group is not None and group.is_generated:
            # The finding was moved here already.
            continue
        if source is None or group is None or _has_file(group, span.path):
            group = _Group(finding, format_, place, is_generated=source is not None)
            groups.append(group)
            first_groups.setdefault(group_key, group)
            results.append(finding)
        if source is not None:
            group.generated.append(span)
    for group in groups:
        if group.generated:
            _write(group)
    return results


def format_of(finding: Any) -> _Format | None:
    """Return the format of a finding, or None if it is none of a known tool."""
    for format_ in _FORMATS:
        try:
            span = format_.read(finding)
            message, key = format_.message(finding)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            continue
        numbers = (span.line, span.column, span.end_line, span.end_column)
        if all(type(number) is int for number in numbers) and key in message:
            return format_
    return None


def finding_lists(document: Any) -> Iterator[list[Any]]:
    """Yield the lists of a document in which findings may be."""
    if isinstance(document, list):
        yield document
    elif isinstance(document, dict):
        findings = document.get("generalDiagnostics")
        if isinstance(findings, list):
            yield findings
        runs = document.get("runs")
        for run in runs if isinstance(runs, list) else []:
            if isinstance(run, dict) and isinstance(run.get("results"), list):
                yield run["results"]


def _has_file(group: _Group, path: str) -> bool:
    return any(span.path == path for span in group.generated)


def _move(span: Span, line_map: LineMap) -> Span | None:
    """Return the part of a source file that a part of a generated file comes from."""
    edit = line_map.edit(span.path, span.line)
    if edit is None:
        return None
    column = edit.column(span.column)
    end_line, end_column = edit.line, column
    end = line_map.edit(span.path, span.end_line)
    if end is not None and end.path == edit.path and end.line >= edit.line:
        end_line, end_column = end.line, end.column(span.end_column)
    return Span(
        path=edit.path,
        line=edit.line,
        column=column,
        end_line=end_line,
        end_column=end_column,
    )


def _write(group: _Group) -> None:
    """Move the finding of a group, and add its generated places."""
    if group.is_generated:
        group.format.move(group.finding, group.source)
    group.format.relate(group.finding, group.generated)
    more_files = len(group.generated) - int(group.is_generated)
    if more_files:
        noun = "file" if more_files == 1 else "files"
        message, key = group.format.message(group.finding)
        message[key] = f"{message[key]} (and in {more_files} more {noun})"


def _indent(text: str) -> int | None:
    """Return the columns by which the second line of a document is indented."""
    _, _, rest = text.partition("\n")
    second_line = rest.partition("\n")[0]
    return len(second_line) - len(second_line.lstrip(" ")) or None


def _relate(finding: Any, generated: list[Span]) -> None:
    places = []
    for span in generated:
        places.append({"path": span.path, "line": span.line, "column": span.column})
    finding["generated"] = places


def _message(finding: Any) -> tuple[dict[str, Any], str]:
    return finding, "message"


def _read_ruff(finding: Any) -> Span:
    start, end = finding["location"], finding["end_location"]
    return Span(
        path=finding["filename"],
        line=start["row"],
        column=start["column"],
        end_line=end["row"],
        end_column=end["column"],
    )


def _move_ruff(finding: Any, span: Span) -> None:
    finding["filename"] = span.path
    finding["location"] = {"column": span.column, "row": span.line}
    finding["end_location"] = {"column": span.end_column, "row": span.end_line}
    finding["noqa_row"] = span.line
    # The edits of a fix are places in the generated file.
    finding["fix"] = None


def _read_pyright(finding: Any) -> Span:
    start, end = finding["range"]["start"], finding["range"]["end"]
    return Span(
        path=finding["file"],
        line=start["line"] + 1,
        column=start["character"] + 1,
        end_line=end["line"] + 1,
        end_column=end["character"] + 1,
    )


def _move_pyright(finding: Any, span: Span) -> None:
    finding["file"] = span.path
    finding["range"] = {
        "start": {"line": span.line - 1, "character": span.column - 1},
        "end": {"line": span.end_line - 1, "character": span.end_column - 1},
    }


def _read_mypy(finding: Any) -> Span:
    line, column = finding["line"], finding["column"] + 1
    # Older releases of mypy do not write the end.
    return Span(
        path=finding["file"],
        line=line,
        column=column,
        end_line=finding.get("end_line") or line,
        end_column=(finding.get("end_column") or finding["column"]) + 1,
    )


def _move_mypy(finding: Any, span: Span) -> None:
    finding["file"] = span.path
    finding["line"] = span.line
    finding["column"] = span.column - 1
    if "end_line" in finding:
        finding["end_line"] = span.end_line
        finding["end_column"] = span.end_column - 1


def _read_sarif(finding: Any) -> Span:
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
    location = finding["locations"][0]["physicalLocation"]
    location["artifactLocation"] = {"uri": _uri_of_path(span.path)}
    location["region"] = {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }
    # The replacements of a fix are places in the generated file.
    finding.pop("fixes", None)


def _relate_sarif(finding: Any, generated: list[Span]) -> None:
    related = finding.setdefault("relatedLocations", [])
    for span in generated:
        physical_location = {
            "artifactLocation": {"uri": _uri_of_path(span.path)},
            "region": {"startLine": span.line, "startColumn": span.column},
        }
        message = {"text": "The generated line"}
        related.append({"message": message, "physicalLocation": physical_location})


def _sarif_message(finding: Any) -> tuple[dict[str, Any], str]:
    return finding["message"], "text"


def _path_of_uri(uri: str) -> str:
    """Return the path of `file:///models/a.py`, or of `models/a.py`."""
    parts = urlsplit(uri)
    if parts.scheme == "file":
        return url2pathname(parts.path)
    return unquote(uri)


def _uri_of_path(path: str) -> str:
    if os.path.isabs(path):
        return Path(path).as_uri()
    return quote(path.replace(os.sep, "/"))


_FORMATS = (
    _Format(_read_ruff, _move_ruff, _relate, _message),
    _Format(_read_pyright, _move_pyright, _relate, _message),
    _Format(_read_mypy, _move_mypy, _relate, _message),
    _Format(_read_sarif, _move_sarif, _relate_sarif, _sarif_message),
)
