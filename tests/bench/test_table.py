"""The table of the benchmark, from measurements that are made up."""

import pytest

from bench.editor import EditorCost
from bench.editor_table import editor_rows
from bench.processes import Cost
from bench.scenario import CONVERT, DEPENDENTS, HELP, LEAF, ONE_MODEL, PARENT, UNCHANGED, Round
from bench.table import Figure, Row, render, rows


def cost(cpu: float, wall: float = 0.0, memory: float = 0.0) -> Cost:
    return Cost(cpu, wall, memory)


def one_round(t: float = 2.0, **changed: Cost) -> Round:
    """A round in which everything is as it should be, but for what is said."""
    costs = {
        CONVERT: cost(4.0, 2.0, 150),
        UNCHANGED: cost(0.2, 0.25, 50),
        LEAF: cost(0.4, 0.5, 60),
        PARENT: cost(2.0, 1.2, 100),
        DEPENDENTS: cost(1.6, 1.0, 100),
        ONE_MODEL: cost(0.2, 0.25, 40),
        HELP: cost(0.05, 0.05, 15),
        **changed,
    }
    growth = {1: cost(4.0), 2: cost(8.2), 4: cost(16.0)}
    return Round(t, {name: [each] for name, each in costs.items()}, growth)


@pytest.mark.parametrize(
    ("figures", "verdict"),
    [
        ([Figure(5, 8, 3)], "ok"),
        ([Figure(8, 8, 3)], "ok"),
        ([Figure(3, 8, 3)], "ok, aim met"),
        ([Figure(8.01, 8, 3)], "miss"),
        ([Figure(5, 8)], "ok"),
        ([Figure(5)], ""),
        ([Figure(0.1, 0.3, 0.15), Figure(0.5, 1)], "ok, aim met"),
        ([Figure(0.1, 0.3, 0.15), Figure(1.5, 1)], "miss"),
        ([Figure(0.2, 0.3, 0.15), Figure(0.5, 1)], "ok"),
    ],
)
def test_verdicts(figures: list[Figure], verdict: str) -> None:
    assert Row("", tuple(figures)).verdict == verdict


def test_the_table_of_one_round() -> None:
    assert [row.cells()[1:] for row in rows([one_round()], models=300, dependents=120)] == [
        ("4.50 T", "3.50 T", "2.00 T", "ok, aim met"),
        ("0.60", "0.52", "0.50", "ok, aim met"),
        ("0.30 T, 1.00 s", "0.15 T", "0.10 T, 0.25 s", "ok, aim met"),
        ("0.50 T", "0.25 T", "0.20 T", "ok, aim met"),
        ("0.98 T", "", "1.00 T (120 of 300 models depend on it, 40%)", "miss"),
        ("0.40 s", "0.30 s", "0.25 s (0.12 T)", "ok, aim met"),
        ("0.10 s", "0.06 s", "0.05 s", "ok, aim met"),
        ("400 MB", "200 MB", "150 MB", "ok, aim met"),
        ("", "", "2.00 T", ""),
        ("4.40 T", "", "4.10 T (1.02 times as much for each model)", "ok"),
        ("8.80 T", "", "8.00 T (1.00 times as much for each model)", "ok"),
    ]


def test_figures_are_medians_of_ratios_and_not_ratios_of_medians() -> None:
    """T was 1, 2 and 4: the same work took 3, 4 and 12 seconds, so 3 T, 2 T and 3 T."""
    rounds = [one_round(t, **{CONVERT: cost(cpu, cpu / 2)}) for t, cpu in ((1, 3.0), (2, 4.0), (4, 12.0))]
    assert rows(rounds, 300, 120)[0].figures[0].value == 3.0


def test_the_peak_is_that_of_the_largest_process_in_all_rounds() -> None:
    rounds = [one_round(), one_round(**{PARENT: cost(2.0, 1.2, 500)}), one_round()]
    memory = next(row for row in rows(rounds, 300, 120) if row.what.startswith("peak memory"))
    assert (memory.figures[0].value, memory.verdict) == (500, "miss")


def test_growth_faster_than_the_corpus_is_a_miss() -> None:
    grown = one_round()
    grown.growth[4] = cost(20.0)
    assert [row.verdict for row in rows([grown], 300, 120)][-2:] == ["ok", "miss"]


def test_the_table_of_the_editor() -> None:
    """Medians over the sessions, and of the key strokes that over all of them: 60, 70, 80, 90, 95, 900."""
    sessions = [
        EditorCost(0.3, 0.6, 1.1, (0.07, 0.9), 100, 0.5, 0.02),
        EditorCost(0.5, 0.7, 1.3, (0.06, 0.09), 301, 1.2, 0.05),
        EditorCost(0.4, 0.8, 1.2, (0.08, 0.095), 200, 3.2, 0.12),
    ]
    assert [row.cells()[1:] for row in editor_rows(sessions, [1, 2, 4])] == [
        ("", "", "0.40 s", ""),
        ("1.00 s", "", "0.70 s", "ok"),
        ("1.00 s", "", "1.20 s", "miss"),
        ("", "", "0.60 T", ""),
        ("100 ms", "", "85 ms (the slowest of 6: 900 ms)", "ok"),
        ("", "", "0.025 T", ""),
        ("300 MB", "", "301 MB", "miss"),
    ]


def test_render() -> None:
    found = [Row("a long name", (Figure(1.234, 2, 1, "{:.1f} s"),)), Row("short", (Figure(3, form="{:.0f}"),), "why")]
    assert (
        render(found)
        == """\
| what        | must  | aim   | measured |    |
| ----------- | ----- | ----- | -------- | -- |
| a long name | 2.0 s | 1.0 s | 1.2 s    | ok |
| short       |       |       | 3 (why)  |    |
"""
    )
