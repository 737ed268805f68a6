"""The table of the benchmark, made of what was measured: nothing here runs or reads anything."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from bench.scenario import (
    CAUSES,
    CONVERT,
    CONVERT_FOUR,
    CONVERT_TWO,
    HELP,
    IMPACT,
    IMPACT_AGAIN,
    LIBCST,
    ONE_MODEL,
    PARENT,
    RENAME_CLASS,
    RENAME_MEMBER,
    REVIEW,
    UNCHANGED,
    WHERE,
    WHERE_AGAIN,
    Round,
)


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with what it must be at most, if anything is said of that, and how it is written."""

    value: float
    must: float | None = None
    form: str = "{:.2f}"


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table: what was measured, in one or more figures, and a remark."""

    what: str
    figures: tuple[Figure, ...]
    remark: str = ""

    @property
    def verdict(self) -> str:
        """`ok` if all is as it must be, else `miss`; nothing without bounds."""
        if all(figure.must is None for figure in self.figures):
            return ""
        missed = any(
            figure.must is not None and figure.value > figure.must
            for figure in self.figures
        )
        return "miss" if missed else "ok"

    def cells(self) -> tuple[str, ...]:
        """The texts of the columns."""
        must = ", ".join(
            figure.form.format(figure.must)
            for figure in self.figures
            if figure.must is not None
        )
        measured = ", ".join(
            figure.form.format(figure.value) for figure in self.figures
        )
        return (
            self.what,
            must,
            measured + (f" ({self.remark})" if self.remark else ""),
            self.verdict,
        )


IN_T, SECONDS, MILLISECONDS, MEGABYTES = (
    "{:.2f} T",
    "{:.2f} s",
    "{:.0f} ms",
    "{:.0f} MB",
)


def rows(rounds: Sequence[Round]) -> tuple[Row, ...]:
    """Make the table of some rounds; each figure is the median over them, each ratio that of its own round."""

    def cpu(name: str, each: Round) -> float:
        return median(cost.cpu for cost in each.costs[name])

    def in_t(name: str) -> float:
        return median(cpu(name, round_) / round_.t for round_ in rounds)

    def ratio(name: str, other: str) -> float:
        return median(cpu(name, round_) / cpu(other, round_) for round_ in rounds)

    def question(what: str, name: str, must: float) -> Row:
        """Seconds by the clock, with the CPU time in T beside it."""
        walls = [cost.wall for round_ in rounds for cost in round_.costs[name]]
        remark = f"CPU: {IN_T.format(in_t(name))}"
        return Row(what, (Figure(median(walls), must, SECONDS),), remark)

    memory = max(
        cost.memory
        for round_ in rounds
        for name, costs in round_.costs.items()
        if name not in (CONVERT_TWO, CONVERT_FOUR)
        for cost in costs
    )
    help_wall = median(cost.wall for round_ in rounds for cost in round_.costs[HELP])
    return (
        Row(
            "`modular convert` over the whole corpus, no cache",
            (Figure(in_t(CONVERT), 3.0, IN_T),),
        ),
        Row(
            "the same with two and four copies of the corpus, for each copy",
            (
                Figure(in_t(CONVERT_TWO) / 2, 1.1 * in_t(CONVERT), IN_T),
                Figure(in_t(CONVERT_FOUR) / 4, 1.1 * in_t(CONVERT), IN_T),
            ),
        ),
        Row(
            "`modular check`, nothing changed since the last run",
            (Figure(in_t(UNCHANGED), 0.2, IN_T),),
        ),
        Row(
            "`modular check` after `modeling_llama.py` changed, against the whole corpus",
            (Figure(ratio(PARENT, CONVERT), 1),),
        ),
        Row(
            "`modular convert olmo2`, no cache, against `import libcst`",
            (Figure(ratio(ONE_MODEL, LIBCST), 1.6),),
        ),
        Row("`modular --help`, wall", (Figure(help_wall, 0.1, SECONDS),)),
        question("`modular where` of a line of `modeling_llama.py`", WHERE, 8),
        question("the same again", WHERE_AGAIN, 0.5),
        question("`modular impact` after that line changed", IMPACT, 6),
        question("the same again", IMPACT_AGAIN, 1.5),
        question("`modular check` then, with its causes", CAUSES, 1.5),
        question("`modular review --since HEAD` after such a change", REVIEW, 6),
        question("`modular rename LlamaMLP LlamaFeedForward --diff`", RENAME_CLASS, 10),
        question(
            "`modular rename LlamaMLP.act_fn activation --diff`", RENAME_MEMBER, 10
        ),
        Row("peak memory of any process", (Figure(memory, 350, MEGABYTES),)),
    )


HEADER = ("what", "must", "measured", "")


def render(found: Sequence[Row]) -> str:
    """Return rows as a Markdown table with aligned columns."""
    cells = [HEADER, *(row.cells() for row in found)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEADER))]
    lines = [_line(line, widths) for line in cells]
    return (
        "\n".join(
            [lines[0], _line(["-" * width for width in widths], widths), *lines[1:]]
        )
        + "\n"
    )


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return (
        "| "
        + " | ".join(
            cell.ljust(width) for cell, width in zip(cells, widths, strict=True)
        )
        + " |"
    )
