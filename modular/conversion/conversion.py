"""What came of one modular file. It is known without what converts, so that another process may have done that."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from modular.conversion.runs import Packed, Unformatted
    from modular.flatten.outputs import OutputFile
    from modular.source.diagnostics import Diagnostic


@dataclass(eq=False)
class Conversion:
    """What came of one modular file.

    ``reads`` are the paths at which parent files were looked for. ``waiting`` are those of parent files that are nowhere:
    whoever knows that another modular file generates them converts that one first. ``texts`` are those of ``files``, by path;
    ``runs`` those of a conversion that was packed.
    """

    modular: str
    files: list["OutputFile"] = field(default_factory=list)
    diagnostics: list["Diagnostic"] = field(default_factory=list)
    reads: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    newline: str = "\n"
    source_lines: int = 0
    texts: dict[str, str] = field(default_factory=dict)
    runs: dict[str, "Packed"] = field(default_factory=dict)

    def packed(self) -> "Conversion":
        """Return this with the texts of the files and the runs of their lines, which is all that another process needs."""
        runs = self.runs
        if self.files and not runs:
            from modular.conversion.packing import pack

            runs = {file.path: pack(file) for file in self.files}
        return replace(self, files=[], runs=runs)

    def unformatted(self) -> dict[str, "Unformatted"]:
        """Return the files before formatting, by path: they know where every line comes from."""
        from modular.conversion.runs import unpack

        return {path: unpack(self.texts[path], runs) for path, runs in self.packed().runs.items()}
