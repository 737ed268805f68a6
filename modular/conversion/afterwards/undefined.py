"""Names that an output file uses but does not define or import."""

from collections.abc import Sequence
from itertools import islice

from modular.conversion.afterwards.anchors import anchored
from modular.conversion.formatted import Undefined
from modular.conversion.layout import Layout
from modular.conversion.outputs import OutputFile
from modular.rules.classes.methods import methods
from modular.rules.modular_file import ModularFile
from modular.source.blocks import Kind
from modular.source.diagnostics import Diagnostic, Place, Problem, did_you_mean
from modular.source.places import place_of_word


_MOST = 20
"""Names of a file that are reported: with more of them they have a common cause."""


def find(layout: Layout, files: Sequence[OutputFile], undefined: Sequence[Undefined]) -> list[Diagnostic]:
    """Report undefined names, each once for a file and not too many, at the lines that they come from."""
    found = []
    for file in files:
        first: dict[str, Undefined] = {}
        for each in undefined:
            if each.path == file.path:
                first.setdefault(each.name, each)
        found += [_diagnostic(layout, file, each) for each in islice(first.values(), _MOST)]
    return found


def less(leftovers: Sequence[Diagnostic], undefined: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return the leftover names that are not reported as undefined already."""
    reported = {(each.place, each.related) for each in undefined}
    return [each for each in leftovers if (each.place, each.related) not in reported]


def _diagnostic(layout: Layout, file: OutputFile, undefined: Undefined) -> Diagnostic:
    if (brought := _brought(layout.modular, undefined.name)) is not None:
        what, place = brought
        message = f"`{undefined.name}`, {what}, is nowhere: the generated `{file.path}` could not be imported"
        return Diagnostic(Problem.UNDEFINED_BASE, place, message, _hint(layout, file, undefined.name))
    line = file.at_line(undefined.line)
    place, related = Place(layout.modular.path), None
    if line is not None:
        statement, code = line
        place, related = anchored(layout.modular, statement.name, place_of_word(code, undefined.name))
    message = f"`{undefined.name}` is not defined in the generated `{file.path}`"
    return Diagnostic(Problem.UNDEFINED_NAME, place, message, _hint(layout, file, undefined.name), related)


def _brought(modular: ModularFile, name: str) -> tuple[str, Place] | None:
    """Where the modular file itself writes a name as a base or in a decorator, and which it is."""
    definitions = modular.definitions
    waiting = [each.statement.parts for each in (*definitions.classes.values(), *definitions.functions.values())]
    while waiting:
        parts = waiting.pop(0)
        if name in parts.decorators.words():
            return f"in a decorator of `{parts.name}`", place_of_word(parts.decorators, name)
        if parts.statement.kind is Kind.CLASS:
            if name not in modular.parent_of and any(_leading_name(base) == name for base in parts.bases):
                return f"a base of `{parts.name}`", place_of_word(parts.header, name)
            waiting += methods(parts.body.statements).values()
    return None


def _leading_name(base: str) -> str:
    """The name on the very left of a base: `nn` of `nn.Module`, `Generic` of `Generic[T]`."""
    return base.partition("[")[0].partition(".")[0].partition("(")[0].strip()


def _hint(layout: Layout, file: OutputFile, name: str) -> str:
    modular = layout.modular
    defined = {each.name for each in file.statements if each.name}
    if path := modular.parent_of.get(name):
        renamed = layout.parents[path].renamer.word(modular.original_names[name])
        if renamed in defined:
            return f"`{name}` is written into the file as `{renamed}`: write that"
    return did_you_mean(name, defined) or f"import it or define it in `{modular.path}`"
