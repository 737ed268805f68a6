"""Names that an output file uses but does not define or import."""

from collections.abc import Iterator, Sequence
from itertools import islice

from modular.flatten.autofixes import parent_call
from modular.flatten.formatted import Undefined
from modular.flatten.layout import Layout
from modular.flatten.outputs import OutputFile
from modular.lint.output import missing_parameters, undefined_hints
from modular.lint.output.anchors import anchored
from modular.rules.classes.methods import methods
from modular.rules.modular_file import ModularFile
from modular.source import fixes
from modular.source.blocks import Kind
from modular.source.diagnostics import Diagnostic, Fix, Place, Problem, nearest
from modular.source.places import place_of_word


_MOST = 20
"""Names of a file that are reported: with more of them they have a common cause."""


def find(layout: Layout, files: Sequence[OutputFile], undefined: Sequence[Undefined]) -> list[Diagnostic]:
    """Report undefined names, each once for a file and not too many, at the lines that they come from."""
    found = []
    for file in files:
        first: dict[str, Undefined] = {}
        calls: dict[missing_parameters.Call, dict[str, Place]] = {}
        for each in undefined:
            if each.path != file.path:
                continue
            call = missing_parameters.call_of(layout, file, each.line, each.name)
            if call is None:
                first.setdefault(each.name, each)
            else:
                calls.setdefault(call, {}).setdefault(each.name, _use(file, each))
        found += [missing_parameters.report(layout, call, uses) for call, uses in calls.items()]
        found += [_diagnostic(layout, file, each) for each in islice(first.values(), _MOST)]
    return found


def less(leftovers: Sequence[Diagnostic], undefined: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return the leftover names that are not reported as undefined already."""
    reported = {(each.place, each.related) for each in undefined}
    return [each for each in leftovers if (each.place, each.related) not in reported]


def _diagnostic(layout: Layout, file: OutputFile, undefined: Undefined) -> Diagnostic:
    if (brought := _brought(layout.modular, undefined.name)) is not None:
        what, owner, place = brought
        message = (
            f"`{undefined.name}`, {what}, is not defined anywhere: the generated `{file.path}` could not be imported"
        )
        hint = undefined_hints.for_base(layout, file, undefined.name, owner)
        ways_out = tuple(_spellings(layout, file, undefined.name, place, hint))
        return Diagnostic(Problem.UNDEFINED_BASE, place, message, hint, fixes=ways_out)
    line = file.at_line(undefined.line)
    place, related = Place(layout.modular.path), None
    if line is not None:
        statement, code = line
        place, related = anchored(layout.modular, statement.name, place_of_word(code, undefined.name))
    message = f"`{undefined.name}` is not defined in the generated `{file.path}`"
    if any(each.name == undefined.name for each in file.statements):
        message, hint = _in_a_circle(layout, undefined.name)
        return Diagnostic(Problem.UNDEFINED_NAME, place, message, hint, related)
    hint = undefined_hints.for_use(layout, file, undefined)
    is_parents = line is None or related is not None
    found = () if is_parents else tuple(_ways_out(layout, file, undefined.name, place, hint))
    return Diagnostic(Problem.UNDEFINED_NAME, place, message, hint, related, fixes=found)


def _ways_out(layout: Layout, file: OutputFile, name: str, place: Place, hint: str) -> Iterator[Fix]:
    """What can be written about a name in the modular file's own code: for the parent class that is called `super()`, or `self`."""
    owner = "self" if hint.startswith("write `self.") else "super()"
    call = parent_call(place, owner) if name in layout.modular.base_names else None
    yield from _spellings(layout, file, name, place, hint) if call is None else (call,)


def _spellings(layout: Layout, file: OutputFile, name: str, place: Place, hint: str) -> Iterator[Fix]:
    """The names that the hint says, each in the place of the one that is undefined."""
    modular = layout.modular
    known = {each.name for each in file.statements if each.name} | modular.parent_of.keys()
    if path := modular.parent_of.get(name):
        known = {layout.parents[path].renamer.word(modular.original_names[name])}
        yield from (fixes.write(place, each) for each in known if f"`{each}`" in hint)
        return
    yield from (fixes.write(place, each) for each in nearest(name, known) if f"`{each}`" in hint)


def _in_a_circle(layout: Layout, name: str) -> tuple[str, str]:
    """What is said of a name that is used above its definition: what is needed was put first, as far as that goes."""
    definition = layout.modular.definitions.nodes().get(name)
    line = f", at line {definition.line}," if definition is not None else ""
    message = f"`{name}` is used before it is defined: its definition{line} needs what stands here"
    return message, "use one of the two inside a function"


def _use(file: OutputFile, undefined: Undefined) -> Place:
    """Where a name is used, in the file that the line comes from."""
    line = file.at_line(undefined.line)
    assert line is not None, "it was found in the file"
    return place_of_word(line[1], undefined.name)


def _brought(modular: ModularFile, name: str) -> tuple[str, str, Place] | None:
    """Where the modular file itself writes a name as a base or in a decorator: which it is, of what, and the place."""
    definitions = modular.definitions
    waiting = [each.statement.parts for each in (*definitions.classes.values(), *definitions.functions.values())]
    while waiting:
        parts = waiting.pop(0)
        if name in parts.decorators.words():
            return f"in a decorator of `{parts.name}`", parts.name, place_of_word(parts.decorators, name)
        if parts.statement.kind is Kind.CLASS:
            if name not in modular.parent_of and any(_leading_name(base) == name for base in parts.bases):
                return f"a base of `{parts.name}`", parts.name, place_of_word(parts.header, name)
            waiting += methods(parts.body.statements).values()
    return None


def _leading_name(base: str) -> str:
    """The name on the very left of a base: `nn` of `nn.Module`, `Generic` of `Generic[T]`."""
    return base.partition("[")[0].partition(".")[0].partition("(")[0].strip()
