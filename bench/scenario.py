"""What is measured: rounds of the same commands over the corpus, each with T of the same round."""

import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import parsing
from bench.corpus import MODELS, make_project, multiply
from bench.processes import Cost, environment, run
from modular.cache.affected import affected
from modular.project.ancestry import Graph, read_graph
from modular.project.opening import open_project
from modular.project.project import Project


CONVERT, UNCHANGED, LEAF, PARENT = "convert", "unchanged", "leaf", "parent"
DEPENDENTS, ONE_MODEL, HELP = "dependents", "one model", "help"
GROWTH = (1, 2, 4)
"""How many times the corpus is there when growth is measured."""

_PARENT = f"{MODELS}/llama/modeling_llama.py"
_MODEL = "olmo2"
_SHORT = 5
"""A command that takes a moment is run so many times a round."""

_RETURN = re.compile(r"^( +)return\b", re.MULTILINE)


@dataclass(frozen=True)
class Round:
    """T of a round, what each command took, by its name, and what converting the corpus took so many times over.

    Those that take a moment were run more than once.
    """

    t: float
    costs: dict[str, list[Cost]]
    growth: dict[int, Cost]


class Scenario:
    """The corpus as a project below an empty folder, and the commands over it."""

    def __init__(self, folder: Path) -> None:
        self._root = make_project(folder / "corpus")
        self._grown = make_project(folder / "grown")
        self._environment = environment(folder / "cache")
        project = open_project(self._root)
        graph = read_graph(project)
        self.models = len(project.modular_files)
        self.dependents = sorted(affected(project, [_PARENT]))
        self.parsed = parsed_files(project, graph)
        self._leaf = _middle_leaf(self._root, graph)

    def prepare(self) -> None:
        """Do once what no round counts: write every copy of the corpus as it is generated."""
        multiply(self._grown, max(GROWTH))
        self._modular("convert", "--no-cache", root=self._grown)

    def round(self, number: int) -> Round:
        """Measure everything once; ``number`` makes the changes of each round new ones."""
        mark = f"# Changed in round {number}.\n"
        self._modular("check")  # so that nothing has changed since the last run, whatever the round before did
        t = parse_time(self._root, self.parsed, self._environment)
        costs = {
            CONVERT: [self._modular("convert", "--no-cache")],
            UNCHANGED: [self._modular("check")],
            LEAF: [self._check_changed(self._leaf, lambda text: mark + text)],
            PARENT: [self._check_changed(_PARENT, lambda text: _RETURN.sub(rf"\1{mark}\1return", text))],
            DEPENDENTS: [self._modular("convert", "--no-cache", *self.dependents)],
            ONE_MODEL: [self._modular("convert", _MODEL, "--no-cache") for _ in range(_SHORT)],
            HELP: [self._modular("--help") for _ in range(_SHORT)],
        }
        growth = {times: self._grown_cost(times) for times in GROWTH}
        return Round(t, costs, growth)

    def _modular(self, *arguments: str, root: Path | None = None, expected: int = 0) -> Cost:
        command = str(Path(sys.executable).with_name("modular"))
        return run([command, *arguments], root or self._root, self._environment, expected)

    def _check_changed(self, path: str, change: Callable[[str], str]) -> Cost:
        """Measure a check after a file was changed, which finds stale files, and put the file back."""
        file = self._root / path
        text = file.read_text(encoding="utf-8")
        file.write_text(change(text), encoding="utf-8")
        try:
            return self._modular("check", expected=1)
        finally:
            file.write_text(text, encoding="utf-8")

    def _grown_cost(self, times: int) -> Cost:
        multiply(self._grown, times)
        return self._modular("convert", "--no-cache", root=self._grown)


def parsed_files(project: Project, graph: Graph) -> tuple[str, ...]:
    """Return the files that are parsed for T: the modular files, and the parent files that they import."""
    return tuple(sorted({*project.modular_files, *(edge.path for edge in graph.edges)}))


def parse_time(root: Path, paths: Sequence[str], environment: Mapping[str, str]) -> float:
    """Measure T: the CPU seconds that `ast.parse` takes for some files."""
    names = "\n".join(str(root / path) for path in paths)
    command = [sys.executable, str(Path(parsing.__file__))]
    done = subprocess.run(command, input=names, capture_output=True, text=True, check=True, env=environment)
    return float(done.stdout)


def _middle_leaf(root: Path, graph: Graph) -> str:
    """The modular file of middle size among those from which no other model takes anything."""
    parents = {edge.parent for edge in graph.edges}
    leaves = [model.modular for model in graph.models if model.modular and model.name not in parents]
    return sorted(leaves, key=lambda path: ((root / path).stat().st_size, path))[len(leaves) // 2]
