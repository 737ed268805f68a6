"""The table of the benchmark, made of what was measured: nothing here runs or reads anything."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from bench.scenario import CONVERT, DEPENDENTS, HELP, LEAF, ONE_MODEL, PARENT, UNCHANGED, Round


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with what it must be at most and what it should be, if anything is said of that, and how it is written."""

    value: float
    must: float | None = None
    aim: float | None = None
    form: str = "{:.2f}"

    def write(self, value: float | None) -> str:
        """Return one of the numbers as text; nothing if there is none."""
        return "" if value is None else self.form.format(value)


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table: what was measured, in one or more figures, and a remark."""

    what: str
    figures: tuple[Figure, ...]
    remark: str = ""

    @property
    def verdict(self) -> str:
        """`ok` if all is as it must be, `ok, aim met` if it is as it should be too, else `miss`; nothing without bounds."""
        if all(figure.must is None for figure in self.figures):
            return ""
        if any(figure.must is not None and figure.value > figure.must for figure in self.figures):
            return "miss"
        aims = [figure.value <= figure.aim for figure in self.figures if figure.aim is not None]
        return "ok, aim met" if aims and all(aims) else "ok"

    def cells(self) -> tuple[str, ...]:
        """The texts of the columns."""
        must = ", ".join(figure.write(figure.must) for figure in self.figures if figure.must is not None)
        aim = ", ".join(figure.write(figure.aim) for figure in self.figures if figure.aim is not None)
        measured = ", ".join(figure.write(figure.value) for figure in self.figures)
        return self.what, must, aim, measured + (f" ({self.remark})" if self.remark else ""), self.verdict


_TOLERANCE = 1.1
"""What is in proportion may cost so many times what proportion says."""

IN_T, SECONDS, MILLISECONDS, MEGABYTES = "{:.2f} T", "{:.2f} s", "{:.0f} ms", "{:.0f} MB"


def rows(rounds: Sequence[Round], models: int, dependents: int) -> tuple[Row, ...]:
    """Make the table of some rounds; each figure is the median over them, each T that of its own round.

    ``dependents`` of the ``models`` depend on the parent file that was changed. A check after that is in proportion to them
    if it costs no more than to look at everything and, but for the tolerance, to convert those models alone.
    """

    def in_t(name: str) -> float:
        return median(median(cost.cpu for cost in each.costs[name]) / each.t for each in rounds)

    def wall(name: str) -> float:
        return median(cost.wall for each in rounds for cost in each.costs[name])

    convert, unchanged = in_t(CONVERT), in_t(UNCHANGED)
    spread = median(cost.wall / cost.cpu for each in rounds for cost in each.costs[CONVERT])
    memory = max(cost.memory for each in rounds for costs in each.costs.values() for cost in costs)
    share = dependents / models
    return (
        Row(
            "`modular convert` over the whole corpus, no cache, CPU of all processes",
            (Figure(convert, 4.5, 3.5, IN_T),),
        ),
        Row("wall time of the same, against its CPU time", (Figure(spread, 0.6, 0.52),)),
        Row(
            "`modular check`, nothing changed since the last run",
            (Figure(unchanged, 0.3, 0.15, IN_T), Figure(wall(UNCHANGED), 1, None, SECONDS)),
        ),
        Row("`modular check` after one leaf modular file changed", (Figure(in_t(LEAF), 0.5, 0.25, IN_T),)),
        Row(
            "`modular check` after `modeling_llama.py` changed",
            (Figure(in_t(PARENT), unchanged + _TOLERANCE * in_t(DEPENDENTS), None, IN_T),),
            f"{dependents} of {models} models depend on it, {share:.0%}",
        ),
        Row(
            "`modular convert olmo2`, no cache, whole process, wall",
            (Figure(wall(ONE_MODEL), 0.4, 0.3, SECONDS),),
            IN_T.format(median(median(cost.wall for cost in each.costs[ONE_MODEL]) / each.t for each in rounds)),
        ),
        Row("`modular --help`, wall", (Figure(wall(HELP), 0.1, 0.06, SECONDS),)),
        Row("peak memory of any process", (Figure(memory, 400, 200, MEGABYTES),)),
        *_growth(rounds),
    )


def _growth(rounds: Sequence[Round]) -> list[Row]:
    """Rows that show whether cost grows in proportion: a larger corpus may cost a tenth more for each model."""
    found = {times: median(each.growth[times].cpu / each.t for each in rounds) for times in rounds[0].growth}
    smallest = min(found)
    each_model = found[smallest] / smallest
    return [
        Row(
            f"`modular convert` over the corpus times {times}, no cache",
            (Figure(cost, None if times == smallest else _TOLERANCE * times * each_model, None, IN_T),),
            "" if times == smallest else f"{cost / times / each_model:.2f} times as much for each model",
        )
        for times, cost in sorted(found.items())
    ]


HEADER = ("what", "must", "aim", "measured", "")


def render(found: Sequence[Row]) -> str:
    """Return rows as a Markdown table with aligned columns."""
    cells = [HEADER, *(row.cells() for row in found)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEADER))]
    lines = [_line(line, widths) for line in cells]
    return "\n".join([lines[0], _line(["-" * width for width in widths], widths), *lines[1:]]) + "\n"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)) + " |"
