"""Notes that pages show below the lines of a file."""

from collections.abc import Iterator
from dataclasses import dataclass

from modular.effects.impact import ModularEffects
from modular.source.diagnostics import Diagnostic, Place, Severity


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence about a line.

    Attributes:
        place: The line.
        severity: How grave it is; this is also its class in the style sheet.
        label: What kind of note it is, such as `error MOD202` or `breaks`.
        message: The sentence.
        hint: What to do about it; may be empty.
    """

    place: Place
    severity: Severity
    label: str
    message: str
    hint: str = ""


def note_of(diagnostic: Diagnostic) -> Note:
    """Return a diagnostic as a note."""
    severity = diagnostic.severity
    return Note(
        place=diagnostic.place,
        severity=severity,
        label=f"{severity.value} {diagnostic.code.id}",
        message=diagnostic.message,
        hint=diagnostic.hint,
    )


def notes_of_effects(effects: ModularEffects) -> Iterator[Note]:
    """Yield what a change breaks, and the overrides that it does not reach, as notes."""
    for breakage in effects.breakages:
        yield Note(breakage.place, Severity.ERROR, "breaks", breakage.sentence)
    for drifted in effects.unreached:
        yield Note(drifted.place, Severity.WARNING, "not reached", drifted.sentence)
