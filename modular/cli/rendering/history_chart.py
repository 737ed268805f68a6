"""The history of a project's lines as one SVG: two curves, with nothing else needed to show it."""

from collections.abc import Sequence

from modular.cli.rendering import render
from modular.git.history import Moment


_LEFT, _RIGHT, _TOP, _BOTTOM = 80, 610, 50, 310
"""Where the curves are in the template's drawing."""


def chart(moments: Sequence[Moment]) -> str:
    """Return the drawing."""
    highest = (
        max((max(moment.read, moment.maintained) for moment in moments), default=0) or 1
    )
    steps = max(1, len(moments) - 1)

    def x(index: int) -> float:
        return round(_LEFT + (_RIGHT - _LEFT) * index / steps, 1)

    def y(value: float) -> float:
        return round(_BOTTOM - (_BOTTOM - _TOP) * value / highest, 1)

    shown = sorted({0, len(moments) // 2, len(moments) - 1}) if moments else []
    read = [
        (x(index), y(moment.read), moment.read) for index, moment in enumerate(moments)
    ]
    maintained = [
        (x(index), y(moment.maintained), moment.maintained)
        for index, moment in enumerate(moments)
    ]
    return render(
        "history.svg",
        grid=[
            (y(highest * quarter / 4), f"{highest * quarter / 4:,.0f}")
            for quarter in range(5)
        ],
        days=[(x(index), moments[index].day) for index in shown],
        curves=[("read", "#2c7a43", read), ("maintained", "#2563a8", maintained)],
    )
