"""The table of what is measured of `modular lsp`: nothing here runs or reads anything."""

from collections.abc import Sequence
from statistics import median

from bench.editor import EditorCost
from bench.table import IN_T, MEGABYTES, MILLISECONDS, SECONDS, Figure, Row


_OPEN = 1.0
_SMALL = "{:.3f} T"


def editor_rows(sessions: Sequence[EditorCost], ts: Sequence[float]) -> tuple[Row, ...]:
    """Make the table of some sessions: medians over them, the median over all key strokes, and the largest memory.

    ``ts`` is T of each session.
    """
    greeted = median(each.greeted for each in sessions)
    answered = median(each.answered for each in sessions)
    diagnosed = median(each.diagnosed for each in sessions)
    strokes = sorted(each for session in sessions for each in session.strokes)
    memory = max(each.memory for each in sessions)
    cpu = median(each.cpu / t for each, t in zip(sessions, ts, strict=True))
    stroke_cpu = median(each.stroke_cpu / t for each, t in zip(sessions, ts, strict=True))
    return (
        Row("from the start to the answer to `initialize`, wall", (Figure(greeted, form=SECONDS),)),
        Row("to the answer to the first question about the file, wall", (Figure(answered, _OPEN, form=SECONDS),)),
        Row("to the first diagnostics of the file, wall", (Figure(diagnosed, _OPEN, form=SECONDS),)),
        Row("CPU until then", (Figure(cpu, form=IN_T),)),
        Row(
            "from a key stroke to its diagnostics, median, wall",
            (Figure(1000 * median(strokes), 100, form=MILLISECONDS),),
            f"the slowest of {len(strokes)}: {1000 * strokes[-1]:.0f} ms",
        ),
        Row("CPU of it, ruff's included", (Figure(stroke_cpu, form=_SMALL),)),
        Row("peak memory", (Figure(memory, 300, form=MEGABYTES),)),
    )
