"""What every diagnostic means, with a before that yields it and an after that does not.

The texts stand in `error_book.toml`. This module is loaded only by what shows them.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from modular.source.diagnostics import Problem


_DATA = "error_book.toml"


@dataclass(frozen=True, slots=True)
class Source:
    """A file of an example: the text to show, what is on disk, and a remark about what the text does not show."""

    text: str
    data: bytes
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """Files by path, and the command that is given, if it matters; ``targets`` are the command's arguments."""

    files: Mapping[str, Source]
    command: str = ""

    @property
    def targets(self) -> tuple[str, ...]:
        """What the command is told to convert; nothing means all."""
        return tuple(self.command.split()[2:])

    def blocks(self) -> Iterator[str]:
        """Return each file, and the command, as it is shown."""
        for path, source in self.files.items():
            yield f"# {path}{f'  ({source.remark})' if source.remark else ''}\n{source.text}"
        if self.command:
            yield f"$ {self.command}\n"


@dataclass(frozen=True, slots=True)
class Page:
    """The explanation of a diagnostic. ``given`` are files that are there before and after, such as a parent file."""

    code: Problem
    summary: str
    meaning: str
    given: Case
    before: Case
    after: Case

    def sections(self) -> Iterator[tuple[str, Case]]:
        """Return the parts of the example under their headings."""
        for heading, example in (("Given", self.given), ("Before", self.before), ("After", self.after)):
            if example.files or example.command:
                yield heading, example

    def as_text(self) -> str:
        """The whole entry as plain text."""
        lines = [f"{self.code.id} {self.code.title} ({self.code.severity.value})", "", self.summary, "", self.meaning]
        for heading, example in self.sections():
            lines += ["", f"{heading}:"]
            for block in example.blocks():
                lines += ["", *(f"    {line}".rstrip() for line in block.splitlines())]
        return "\n".join(lines) + "\n"

    def as_markdown(self) -> str:
        """The whole entry as Markdown, without a heading for the code itself."""
        lines = [self.summary, "", self.meaning]
        for heading, example in self.sections():
            lines += ["", f"**{heading}**"]
            for block in example.blocks():
                lines += ["", f"```{'console' if block.startswith('$') else 'python'}", block.rstrip(), "```"]
        return "\n".join(lines) + "\n"


def explain(code: Problem) -> Page:
    """Return the explanation of a code."""
    table = _tables()[code.id]
    given = _example({"files": {path: _tables()["given"][path] for path in table.get("given", ())}})
    return Page(code, table["summary"], table["meaning"], given, _example(table["before"]), _example(table["after"]))


def find(name: str) -> Page | None:
    """Return the explanation of a code given by its number or its name (`MOD202`, `name-not-in-parent`), if there is one."""
    found = (code for code in Problem if name.upper() == code.id or name.lower() == code.title)
    return next((explain(code) for code in found), None)


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads((files("modular.cli") / _DATA).read_text(encoding="utf-8"))


def _example(table: Mapping[str, Any]) -> Case:
    sources = {path: _source(value) for path, value in table.get("files", {}).items()}
    return Case(sources, table.get("command", ""))


def _source(value: str | Mapping[str, Any]) -> Source:
    """Read a file: a text, or a table that says how the file differs from the text that is shown."""
    if isinstance(value, str):
        return Source(value, value.encode())
    text, remark = value["text"], value["remark"]
    stored = text.replace("...", value["repeat"] * value["times"]) if "repeat" in value else text
    return Source(text, stored.encode(value.get("encoding", "utf-8")), remark)
