"""Looks at what came out: a flattened model can be wrong though each rule was applied as written."""

from collections.abc import Sequence

from modular.afterwards import leftovers, still_read, undefined, unused_replacements
from modular.diagnostics import Diagnostic
from modular.formatting import Undefined
from modular.layout import Layout
from modular.outputs import OutputFile


def inspect(layout: Layout, files: Sequence[OutputFile], undefined_names: Sequence[Undefined]) -> list[Diagnostic]:
    """Return what is wrong with the files that a modular file was laid out over.

    ``undefined_names`` are those that the formatter found in them, if it was asked yet.
    """
    unknown = undefined.find(layout, files, undefined_names)
    old = undefined.less(leftovers.find(layout, files), unknown)
    return [*unused_replacements.find(layout), *still_read.find(layout), *unknown, *old]
