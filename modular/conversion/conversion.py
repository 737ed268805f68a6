"""What came of one modular file."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from modular.flatten.formatted import Formatted
from modular.flatten.outputs import OutputFile
from modular.source.diagnostics import Diagnostic


@dataclass(eq=False)
class Conversion:
    """What came of one modular file.

    ``reads`` are the paths at which parent files were looked for. ``texts`` are those of ``files``, by path. ``inspect`` returns
    the diagnostics again, with what a formatter has found in the files.
    """

    modular: str
    files: list[OutputFile] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    reads: tuple[str, ...] = ()
    newline: str = "\n"
    source_lines: int = 0
    texts: dict[str, str] = field(default_factory=dict)
    inspect: Callable[[Formatted], list[Diagnostic]] | None = None

    def without_files(self) -> "Conversion":
        """Return this with the texts of the files alone, which is all that another process needs; the rest is freed."""
        self.inspect = None  # it refers to this conversion
        return replace(self, files=[])
