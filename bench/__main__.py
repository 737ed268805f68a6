"""`python -m bench`: measure, and print the table."""

import argparse
import sys
import tempfile
from pathlib import Path
from statistics import median

from bench.corpus import make_project
from bench.machine import describe
from bench.processes import environment
from bench.scenario import Scenario
from bench.table import render, rows


def main() -> None:
    """Run the benchmark in a temporary folder."""
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument(
        "what",
        nargs="?",
        choices=["convert", "infer", "editor"],
        default="convert",
        help="what is measured",
    )
    parser.add_argument(
        "--rounds",
        type=int,
        default=3,
        help="how often everything is measured (3); infer: once",
    )
    parser.add_argument(
        "--every", type=int, default=1, help="infer: only every so many models (1)"
    )
    parser.add_argument(
        "--only", choices=["nearest"], help="infer: only what `modular nearest` finds"
    )
    given = parser.parse_args()
    if given.only is not None:
        _nearest()
    elif given.what == "infer":
        _infer(given.every)
    elif given.what == "editor":
        _editor(given.rounds)
    else:
        _convert(given.rounds)


def _infer(every: int) -> None:
    from bench.infer_table import infer_rows
    from bench.inferring import Inferring

    with tempfile.TemporaryDirectory(prefix="modular-bench-") as folder:
        _say("making the project")
        measuring = Inferring(Path(folder), every)
        _say("one model")
        speed = measuring.speed()
        _say("nearest")
        nearest = measuring.nearest()
        _say("infer, from generated files")
        generated = measuring.generated()
        _say("infer, from flat files")
        flat = measuring.flat()
        table = infer_rows(nearest, generated, flat, speed)
    print(describe())
    print(render(table), end="")


def _editor(rounds: int) -> None:
    from bench import editor

    sessions = []
    with tempfile.TemporaryDirectory(prefix="modular-bench-") as folder:
        _say("making the project")
        root, cache = (
            make_project(Path(folder) / "corpus"),
            environment(Path(folder) / "cache"),
        )
        for number in range(1, rounds + 1):
            _say(f"session {number} of {rounds}")
            sessions.append(editor.measure(root, cache))
    print(describe())
    print(f"`modular lsp` in the corpus, {rounds} sessions\n")
    print(render(editor.editor_rows(sessions)), end="")


def _nearest() -> None:
    from bench.infer_table import nearest_row
    from bench.inferring import Inferring

    with tempfile.TemporaryDirectory(prefix="modular-bench-") as folder:
        table = (nearest_row(Inferring(Path(folder), 1).nearest()),)
    print(describe())
    print(render(table), end="")


def _convert(rounds: int) -> None:
    with tempfile.TemporaryDirectory(prefix="modular-bench-") as folder:
        _say("making the projects")
        scenario = Scenario(Path(folder))
        measured = []
        for number in range(1, rounds + 1):
            _say(f"round {number} of {rounds}")
            measured.append(scenario.round(number))
    print(describe())
    print(
        f"T = {median(figure.t for figure in measured):.2f} s: CPU time of ast.parse for {len(scenario.parsed)} files, "
        f"the {scenario.models} modular files and the parent files that they import"
    )
    print(
        f"median of {rounds} rounds, each with its own T; peak memory is the largest\n"
    )
    print(render(rows(measured)), end="")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


main()
