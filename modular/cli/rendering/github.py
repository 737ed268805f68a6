"""Diagnostics as workflow commands, which GitHub shows beside the lines of a pull request."""

import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from modular.cli.rendering import shown_line
from modular.source.diagnostics import Diagnostic, by_place, relation


def render(diagnostics: Iterable[Diagnostic], root: Path) -> str:
    """Return one command on a line for each diagnostic, sorted by place.

    GitHub looks for files from the top of the checkout, `GITHUB_WORKSPACE`; where that is not known, or does not hold the
    root, paths are relative to the root.
    """
    folder = _folder(root)
    return "".join(f"{_command(each, folder)}\n" for each in by_place(diagnostics))


def _folder(root: Path) -> PurePosixPath:
    """The root as seen from the top of the checkout."""
    top = os.environ.get("GITHUB_WORKSPACE")
    if top and root.is_relative_to(Path(top).resolve()):
        return PurePosixPath(root.relative_to(Path(top).resolve()).as_posix())
    return PurePosixPath()


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
    listed = ",".join(f"{name}={_escaped_property(value)}" for name, value in properties.items())
    return f"::{diagnostic.severity.value} {listed}::{_escaped(_message(diagnostic))}"


def _message(diagnostic: Diagnostic) -> str:
    lines = [diagnostic.message]
    if (related := diagnostic.related) is not None:
        lines.append(
            f"{relation(diagnostic)} {related.path}:{related.line}: {shown_line(related).strip()}".removesuffix(": ")
        )
    if diagnostic.hint:
        lines.append(f"hint: {diagnostic.hint}")
    return "\n".join(lines)


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped_property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
