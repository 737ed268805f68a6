"""Looks at what came out: a flattened model can be wrong though each rule was applied as written."""

from collections.abc import Sequence

from modular.flatten.formatted import Formatted
from modular.flatten.layout import Layout
from modular.flatten.outputs import OutputFile
from modular.lint.output import left_out, leftovers, still_read, undefined, unreadable, unused_replacements
from modular.source.diagnostics import Diagnostic


def inspect(layout: Layout, files: Sequence[OutputFile], formatted: Formatted | None) -> list[Diagnostic]:
    """Return what is wrong with the files that a modular file was laid out over.

    ``formatted`` is what the formatter made of them, if it was asked yet.
    """
    found = [*unused_replacements.find(layout), *still_read.find(layout), *left_out.find(layout)]
    old = leftovers.find(layout, files)
    if formatted is None:
        return [*found, *old]
    unknown = undefined.find(layout, files, formatted.undefined)
    return [*found, *unreadable.find(layout, files, formatted.failures), *unknown, *undefined.less(old, unknown)]
