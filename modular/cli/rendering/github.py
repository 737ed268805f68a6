"""Diagnostics as workflow commands, which GitHub shows beside the lines of a pull request."""

import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from modular.cli.rendering import shown_line
from modular.source.diagnostics import Diagnostic, by_place
from modular.system.printable import one_line


MOST = 10
"""Annotations of one step that GitHub shows."""


def render(diagnostics: Iterable[Diagnostic], root: Path) -> str:
    """Return one command on a line for each of the first `MOST` diagnostics, errors first and then by place.

    GitHub shows ten of a step, and drops the rest without a word: that comes as plain lines, which the log shows.
    GitHub looks for files from the top of the checkout, `GITHUB_WORKSPACE`; where that is not known, or does not hold the
    root, paths are relative to the root.
    """
    folder = _folder(root)
    ordered = _ordered(diagnostics)
    commands = (f"{_command(diagnostic, folder)}\n" for diagnostic in ordered[:MOST])
    return "".join([*commands, *map(_line, ordered[MOST:])])


def summary(diagnostics: Iterable[Diagnostic]) -> str:
    """Return in Markdown, for the summary of a job, what is no annotation; nothing if all are."""
    rest = _ordered(diagnostics)[MOST:]
    lines = "".join(map(_line, rest)).replace("`" * 3, "'" * 3)
    return f"{len(rest)} more findings:\n\n```text\n{lines}```\n" if rest else ""


def _ordered(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    return sorted(by_place(diagnostics), key=lambda diagnostic: not diagnostic.is_error)


def _line(diagnostic: Diagnostic) -> str:
    place = diagnostic.place
    message = one_line(
        f"{diagnostic.severity.value}[{diagnostic.code.id}]: {diagnostic.message}"
    )
    position = one_line(place.path)
    if position == ".":
        return f"{message}\n"
    if not place.is_whole_file:
        position += f":{place.line}:{place.column}"
    return f"{message} --> {position}\n"


def _folder(root: Path) -> PurePosixPath:
    """The root as seen from the top of the checkout."""
    top = Path(os.environ.get("GITHUB_WORKSPACE") or root).resolve()
    return PurePosixPath(
        root.relative_to(top).as_posix() if root.is_relative_to(top) else "."
    )


def _command(diagnostic: Diagnostic, folder: PurePosixPath) -> str:
    place = diagnostic.place
    properties = {
        "file": str(folder / place.path),
        "line": str(place.line),
        "endLine": str(place.line),
        "col": str(place.column),
        "endColumn": str(place.column + place.width),
        "title": f"{diagnostic.code.id} {diagnostic.code.title}",
    }
    escaped = {
        name: _escaped(text).replace(":", "%3A").replace(",", "%2C")
        for name, text in properties.items()
    }
    listed = ",".join(f"{name}={text}" for name, text in escaped.items())
    return f"::{diagnostic.severity.value} {listed}::{_escaped(_message(diagnostic))}"


def _message(diagnostic: Diagnostic) -> str:
    lines = [diagnostic.message]
    if (related := diagnostic.related) is not None:
        place = f"{diagnostic.code.relation} {related.path}:{related.line}"
        lines.append(f"{place}: {shown_line(related).strip()}".removesuffix(": "))
    if diagnostic.hint:
        lines.append(f"hint: {diagnostic.hint}")
    return "\n".join(lines)


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
