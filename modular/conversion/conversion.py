"""What came of one modular file."""

from dataclasses import dataclass, field, replace

from modular.flatten.outputs import OutputFile
from modular.source.diagnostics import Diagnostic


@dataclass(eq=False)
class Conversion:
    """What came of one modular file.

    ``reads`` are the paths at which parent files were looked for. ``waiting`` are those of missing parent files: whoever knows
    that another modular file generates them converts that one first. ``texts`` are those of ``files``, by path.
    """

    modular: str
    files: list[OutputFile] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    reads: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    newline: str = "\n"
    source_lines: int = 0
    texts: dict[str, str] = field(default_factory=dict)

    def without_files(self) -> "Conversion":
        """Return this with the texts of the files alone, which is all that another process needs."""
        return replace(self, files=[])
