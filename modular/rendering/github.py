"""Diagnostics as workflow commands, which GitHub shows beside the lines of a pull request."""

from collections.abc import Iterable
from pathlib import Path

from modular.diagnostics import Diagnostic, by_place
from modular.rendering import relation, shown_line


def render(diagnostics: Iterable[Diagnostic], root: Path) -> str:
    """Return one command on a line for each diagnostic, sorted by place. Paths are relative to the root."""
    return "".join(f"{_command(each)}\n" for each in by_place(diagnostics))


def _command(diagnostic: Diagnostic) -> str:
    place = diagnostic.place
    properties = {
        "file": place.path,
        "line": str(place.line),
        "endLine": str(place.line),
        "col": str(place.column),
        "endColumn": str(place.column + place.width),
        "title": f"{diagnostic.code.id} {diagnostic.code.title}",
    }
    listed = ",".join(f"{name}={_escaped_property(value)}" for name, value in properties.items())
    return f"::{diagnostic.code.severity.value} {listed}::{_escaped(_message(diagnostic))}"


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
