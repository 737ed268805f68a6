"""The history of a project's lines as one SVG: two curves, with nothing else needed to show it."""

from collections.abc import Callable, Sequence
from html import escape

from modular.git.history import Moment


_WIDTH, _HEIGHT = 760, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 80, 150, 50, 50
"""The margins around the curves: for the numbers, the names of the curves, the title, and the days."""

_CURVES: tuple[tuple[str, str, Callable[[Moment], int]], ...] = (
    ("read", "#2c7a43", lambda each: each.read),
    ("maintained", "#2563a8", lambda each: each.maintained),
)


def chart(moments: Sequence[Moment]) -> str:
    """Return the drawing."""
    highest = max((max(moment.read, moment.maintained) for moment in moments), default=0) or 1
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}"',
        ' role="img" aria-label="Lines that people maintain and lines that they read, over time"',
        ' font-family="system-ui, sans-serif" font-size="13">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="28" font-size="16" font-weight="600">Lines that people maintain, and that they read</text>',
        *_grid(highest),
        *_days(moments),
        *(part for name, colour, value in _CURVES for part in _curve(moments, highest, name, colour, value)),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _x(index: int, count: int) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (index / (count - 1) if count > 1 else 0.5)


def _y(value: float, highest: int) -> float:
    return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * value / highest


def _grid(highest: int) -> list[str]:
    parts = []
    for quarter in range(5):
        value = highest * quarter / 4
        y = _y(value, highest)
        parts.append(f'<path d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}" stroke="#d9d9d4"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#44443e">{value:,.0f}</text>')
    return parts


def _days(moments: Sequence[Moment]) -> list[str]:
    shown = sorted({0, len(moments) // 2, len(moments) - 1}) if moments else []
    y = _HEIGHT - _BOTTOM + 22
    return [
        f'<text x="{_x(index, len(moments)):.1f}" y="{y}" text-anchor="middle" fill="#44443e">{escape(moments[index].day)}</text>'
        for index in shown
    ]


def _curve(
    moments: Sequence[Moment], highest: int, name: str, colour: str, value: Callable[[Moment], int]
) -> list[str]:
    points = [(_x(index, len(moments)), _y(value(each), highest)) for index, each in enumerate(moments)]
    if not points:
        return []
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    x, y = points[-1]
    label = f"{name}: {value(moments[-1]):,}"
    return [
        f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>',
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>',
        f'<text x="{x + 8:.1f}" y="{y + 4:.1f}" fill="{colour}">{label}</text>',
    ]
