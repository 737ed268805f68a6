"""The table of the benchmark, from measurements that are made up."""

import pytest

from bench.processes import Cost
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
from bench.table import Figure, Row, render, rows


QUESTIONS = (
    WHERE,
    WHERE_AGAIN,
    IMPACT,
    IMPACT_AGAIN,
    CAUSES,
    REVIEW,
    RENAME_CLASS,
    RENAME_MEMBER,
)


def cost(cpu: float, wall: float = 0.0, memory: float = 0.0) -> Cost:
    return Cost(cpu, wall, memory)


def one_round(t: float = 2.0, **changed: Cost) -> Round:
    """A round in which everything is as it should be, but for what is said."""
    costs = {
        CONVERT: cost(8.0, 4.5, 150),
        CONVERT_TWO: cost(16.8, 9, 300),
        CONVERT_FOUR: cost(36.0, 20, 600),
        UNCHANGED: cost(0.2, 0.25, 50),
        PARENT: cost(6.0, 3.2, 100),
        ONE_MODEL: cost(0.5, 0.5, 40),
        LIBCST: cost(0.25, 0.25, 40),
        HELP: cost(0.05, 0.05, 15),
        **{name: cost(4.0, 1.0) for name in QUESTIONS},
        **changed,
    }
    return Round(t, {name: [each] for name, each in costs.items()})


@pytest.mark.parametrize(
    ("figures", "verdict"),
    [
        ([Figure(5, 8)], "ok"),
        ([Figure(8, 8)], "ok"),
        ([Figure(8.01, 8)], "miss"),
        ([Figure(5)], ""),
        ([Figure(0.1, 0.3), Figure(0.5, 1)], "ok"),
        ([Figure(0.1, 0.3), Figure(1.5, 1)], "miss"),
    ],
)
def test_verdicts(figures: list[Figure], verdict: str) -> None:
    assert Row("", tuple(figures)).verdict == verdict


def test_the_table_of_one_round() -> None:
    assert [row.cells()[1:] for row in rows([one_round()])] == [
        ("3.00 T", "4.00 T", "miss"),
        ("4.40 T, 4.40 T", "4.20 T, 4.50 T", "miss"),
        ("0.20 T", "0.10 T", "ok"),
        ("1.00", "0.75", "ok"),
        ("1.60", "2.00", "miss"),
        ("0.10 s", "0.05 s", "ok"),
        ("8.00 s", "1.00 s (CPU: 2.00 T)", "ok"),
        ("0.50 s", "1.00 s (CPU: 2.00 T)", "miss"),
        ("6.00 s", "1.00 s (CPU: 2.00 T)", "ok"),
        ("1.50 s", "1.00 s (CPU: 2.00 T)", "ok"),
        ("1.50 s", "1.00 s (CPU: 2.00 T)", "ok"),
        ("6.00 s", "1.00 s (CPU: 2.00 T)", "ok"),
        ("10.00 s", "1.00 s (CPU: 2.00 T)", "ok"),
        ("10.00 s", "1.00 s (CPU: 2.00 T)", "ok"),
        ("350 MB", "150 MB", "ok"),
    ]


def test_figures_are_medians_of_ratios_and_not_ratios_of_medians() -> None:
    """T was 1, 2 and 4: the same work took 3, 4 and 12 seconds, so 3 T, 2 T and 3 T."""
    rounds = [
        one_round(t, **{CONVERT: cost(cpu, cpu / 2)})
        for t, cpu in ((1, 3.0), (2, 4.0), (4, 12.0))
    ]
    assert rows(rounds)[0].figures[0].value == 3.0


def test_the_peak_is_that_of_the_largest_process_in_all_rounds() -> None:
    rounds = [one_round(), one_round(**{PARENT: cost(2.0, 1.2, 500)}), one_round()]
    memory = next(row for row in rows(rounds) if row.what.startswith("peak memory"))
    assert (memory.figures[0].value, memory.verdict) == (500, "miss")


def test_render() -> None:
    found = [
        Row("a long name", (Figure(1.234, 2, "{:.1f} s"),)),
        Row("short", (Figure(3, form="{:.0f}"),), "why"),
    ]
    assert (
        render(found)
        == """\
| what        | must  | measured |    |
| ----------- | ----- | -------- | -- |
| a long name | 2.0 s | 1.2 s    | ok |
| short       |       | 3 (why)  |    |
"""
    )
