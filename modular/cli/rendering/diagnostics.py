"""Renders diagnostics for a terminal, with excerpts of the source and links."""

from collections.abc import Iterable

from modular.cli.rendering.terminal import (
    BLUE,
    BOLD,
    RED,
    YELLOW,
    Paint,
    coloured,
    excerpt,
    link,
    plain,
    wrapped,
)
from modular.source.diagnostics import Diagnostic, Place, Severity, by_place
from modular.system.printable import one_line


_SEVERITY_COLOURS = {
    Severity.ERROR: RED,
    Severity.WARNING: YELLOW,
    Severity.INFO: BLUE,
}


def render(
    diagnostics: Iterable[Diagnostic],
    *,
    colour: bool = False,
    columns: int | None = None,
) -> str:
    """Return the text of diagnostics, sorted by place, with a blank line after each.

    Args:
        diagnostics: The diagnostics.
        colour: Whether to use colours and links of a terminal.
        columns: The width to which messages are wrapped; None for no limit.
    """
    paint = coloured if colour else plain
    text = ""
    for diagnostic in by_place(diagnostics):
        lines = _diagnostic_lines(_cleaned(diagnostic), paint, columns)
        for line in lines:
            text += f"{line.rstrip()}\n"
        text += "\n"
    return text


def _cleaned(diagnostic: Diagnostic) -> Diagnostic:
    """Return a diagnostic in which each text is one line without control characters."""
    related = diagnostic.related
    if related is not None:
        related = _cleaned_place(related)
    return diagnostic._replace(
        place=_cleaned_place(diagnostic.place),
        message=one_line(diagnostic.message),
        hint=one_line(diagnostic.hint),
        related=related,
    )


def _cleaned_place(place: Place) -> Place:
    """Return a place whose path and text are one line without control characters."""
    return place._replace(path=one_line(place.path), text=one_line(place.text))


def _diagnostic_lines(
    diagnostic: Diagnostic, paint: Paint, columns: int | None
) -> list[str]:
    """Return the lines that show a diagnostic.

        error[MOD202]: `models/llama/modeling_llama.py` has no `LlamaMPL`
          --> models/olmo/modular_olmo.py:1:36
         1 | from ..llama.modeling_llama import LlamaMPL
           |                                    ^^^^^^^^
             hint: did you mean `LlamaMLP`?

    Args:
        diagnostic: The diagnostic.
        paint: Adds colours, or is `plain`.
        columns: The width to which messages are wrapped; None for no limit.
    """
    place, related = diagnostic.place, diagnostic.related
    mark_colour = _SEVERITY_COLOURS[diagnostic.severity]
    last_line = place.line
    if related is not None:
        last_line = max(place.line, related.line)
    number_width = len(str(last_line))
    indent = " " * (number_width + 4)

    code = diagnostic.code.id
    head = f"{diagnostic.severity.value}[{code}]:"
    if paint is plain:
        painted_head = head
    else:
        # On a terminal, the code is a link to its page.
        head_with_link = head.replace(code, link(code, diagnostic.code.url))
        painted_head = paint(head_with_link, mark_colour)
    lines = wrapped(f"{head} {diagnostic.message}", head, painted_head, columns)
    if place.position:
        position = paint(place.position, BOLD)
        lines.append(f"{' ' * number_width} {paint('-->', BLUE)} {position}")
    lines += excerpt(place, number_width, mark_colour, paint)

    # A second place, such as the parent's method that is inherited.
    if related is not None:
        lines.append(f"{indent}{diagnostic.code.relation} {related.position}")
        lines += excerpt(related, number_width, BLUE, paint)
    if diagnostic.hint:
        hint_head = f"{indent}hint:"
        painted_hint_head = f"{indent}{paint('hint:', BLUE)}"
        hint = f"{hint_head} {diagnostic.hint}"
        lines += wrapped(hint, hint_head, painted_hint_head, columns)
    return lines
