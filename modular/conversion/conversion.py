"""The result of converting one modular file, before its files are formatted."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from modular.flatten.outputs import OutputFile
from modular.source.diagnostics import Diagnostic


if TYPE_CHECKING:
    # These load LibCST, which a run that converts nothing does not need.
    from modular.flatten.layout import Layout
    from modular.rules.reading.modular_file import ModularFile
    from modular.source.ignore_comments import IgnoreComments


@dataclass(frozen=True, eq=False)
class FlattenedModel:
    """A modular file whose classes are flattened; lint rules look at it.

    Attributes:
        modular: The modular file, without its ignore comments.
        ignore_comments: The comments that suppress warnings.
        layout: The flattened classes, distributed over output files.
        files: The output files.
        warnings: The warnings that were found before the classes were flattened.
        reads: The paths that were read to decide which classes can be merged.
    """

    modular: "ModularFile"
    ignore_comments: "IgnoreComments"
    layout: "Layout"
    files: tuple[OutputFile, ...]
    warnings: tuple[Diagnostic, ...]
    reads: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Conversion:
    """The result of converting one modular file.

    Attributes:
        modular: The path of the modular file.
        texts: The unformatted text of each output file by path. It is empty if there
            are errors.
        files: The output files, in which the source of each line is known.
        diagnostics: The errors and warnings.
        reads: The paths that were read, or that would be read if they existed.
        newline: The line end of the modular file.
        source_lines: The number of lines of the modular file.
        flattened: The flattened model, which is needed to run the lint rules again. None
            if there were errors before the lint rules.
    """

    modular: str
    texts: Mapping[str, str] = field(default_factory=dict)
    files: tuple[OutputFile, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    reads: tuple[str, ...] = ()
    newline: str = "\n"
    source_lines: int = 0
    flattened: FlattenedModel | None = None

    def reduce(self, *, keeps_files: bool) -> "Conversion":
        """Return the conversion without the parts that take much memory.

        These are the flattened model, which only further lint rules need, and the
        output files with the origin of each line. The texts of the files stay.

        Args:
            keeps_files: Whether the output files stay, too.
        """
        files = self.files if keeps_files else ()
        return replace(self, files=files, flattened=None)
