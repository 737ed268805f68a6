"""The error of code that LibCST cannot read.

Commands that convert nothing handle it, too, so this module does not load LibCST.
"""

from dataclasses import dataclass

from modular.source.source_slice import SourceSlice


@dataclass(eq=False)
class UnreadableError(ValueError):
    """LibCST cannot read a statement: it is not Python, or newer than the LibCST."""

    code: SourceSlice
