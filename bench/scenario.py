"""What is measured: one round of commands over the corpus, each with T of the same round."""

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench import parsing
from bench.corpus import MODELS, make_project, multiply
from bench.processes import Cost, environment, run
from modular.affected import affected
from modular.graph import Graph, read_graph
from modular.project import open_project


CONVERT, UNCHANGED, LEAF, PARENT, ONE_MODEL, HELP = "convert", "unchanged", "leaf", "parent", "one model", "help"
GROWTH = (1, 2, 4)
"""How many times the corpus is there when growth is measured."""

_PARENT = f"{MODELS}/llama/modeling_llama.py"
_MODEL = "olmo2"
_SHORT = 5
"""A command that takes a moment is run so many times a round."""

_RETURN = re.compile(r"^( +)return\b", re.MULTILINE)


@dataclass(frozen=True)
class Round:
    """T of a round, and what each command took, by its name; those that were run more than once have several costs.

    ``growth`` has the cost of converting the corpus so many times.
    """

    t: float
    costs: dict[str, list[Cost]]
    growth: dict[int, Cost]


class Scenario:
    """The corpus as a project in an empty folder, and the commands over it."""

    def __init__(self, folder: Path) -> None:
        self._root = make_project(folder / "corpus")
        self._grown = make_project(folder / "grown")
        self._environment = environment(folder / "cache")
        project = open_project(self._root)
        graph = read_graph(project)
        self.models = len(project.modular_files)
        self.dependents = len(affected(project, [_PARENT]))
        self.parsed = tuple(sorted({*project.modular_files, *(edge.path for edge in graph.edges)}))
        self._leaf = _middle_leaf(self._root, graph)

    def prepare(self) -> None:
        """Do once what no round counts: fill the cache, and let every copy of the corpus be as it is generated."""
        self._modular("check")
        for times in GROWTH:
            multiply(self._grown, times)
        run([*_COMMAND, "convert", "--no-cache"], self._grown, self._environment)

    def round(self, number: int) -> Round:
        """Measure everything once; ``number`` makes the changes of each round new ones."""
        t = self._parse_time()
        costs = {
            CONVERT: [self._modular("convert", "--no-cache")],
            UNCHANGED: [self._modular("check")],
            LEAF: [self._after(self._leaf, lambda text: f"# Changed in round {number}.\n{text}")],
            PARENT: [self._after(_PARENT, lambda text: _RETURN.sub(rf"\1# Changed in round {number}.\n\1return", text))],
            ONE_MODEL: [self._modular("convert", _MODEL, "--no-cache") for _ in range(_SHORT)],
            HELP: [self._modular("--help") for _ in range(_SHORT)],
        }
        return Round(t, costs, {times: self._grown_cost(times) for times in GROWTH})
