"""What is known of the lines of a generated file."""

from dataclasses import dataclass, replace
from functools import cached_property

from modular.rules.drafts import Provenance
from modular.source.code import Renaming
from modular.source.errors import ModularError


class BlameError(ModularError):
    """A line or file cannot be blamed. The message says why and what to do."""


@dataclass(frozen=True, slots=True)
class BlamedLine:
    """A line (from 1) of a generated file: how it came in, and the file and line (from 1) that it comes from.

    ``path`` and ``origin_line`` are None for what the formatter or the converter made. ``class_`` and ``member`` are what
    the line belongs to in the generated file; a definition at module level is the member of no class. ``renamed`` are the
    old and the new model name, in lower case, where the line went through a renaming.
    """

    line: int
    kind: Provenance
    path: str | None
    origin_line: int | None
    class_: str | None
    member: str | None
    renamed: Renaming | None

    def as_json(self) -> dict[str, object]:
        """Return the line as JSON values."""
        renamed = None if self.renamed is None else {"from": self.renamed.old, "to": self.renamed.new}
        return {
            "line": self.line,
            "kind": self.kind.value,
            "path": self.path,
            "origin_line": self.origin_line,
            "class": self.class_,
            "member": self.member,
            "renamed": renamed,
        }


@dataclass(frozen=True)
class Blame:
    """A generated file and its modular file, by paths relative to the root, its text, and what is known of its lines.

    These are all lines, or those that were asked for.
    """

    path: str
    modular: str
    text: str
    lines: tuple[BlamedLine, ...]

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """What is on each line of the file."""
        return tuple(self.text.split("\n")[:-1])

    def only(self, first: int, last: int) -> "Blame":
        """Return this with the lines from ``first`` to ``last`` alone. Raises BlameError if the file has no such lines."""
        if not 0 < first <= last <= len(self.texts):
            shown = f"line {first}" if first == last else f"lines {first} to {last}"
            raise BlameError(f"{self.path} has no {shown}: its lines are 1 to {len(self.texts)}")
        return replace(self, lines=self.lines[first - 1 : last])

    def as_json(self) -> dict[str, object]:
        """Return all but the text as JSON values."""
        return {"path": self.path, "modular": self.modular, "lines": [line.as_json() for line in self.lines]}
