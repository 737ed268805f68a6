"""What is measured: rounds of the same commands over the corpus, each with T and the cost of `import libcst` of the same round."""

import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import parsing
from bench.corpus import MODELS, make_copies, make_project
from bench.processes import Cost, environment, run
from modular.project.opening import open_project
from modular.project.project import Project
from modular.semantics.model_graph import Graph, read_graph


CONVERT, CONVERT_TWO, CONVERT_FOUR, UNCHANGED, PARENT, ONE_MODEL, LIBCST, HELP = (
    "convert",
    "convert two",
    "convert four",
    "unchanged",
    "parent",
    "one model",
    "libcst",
    "help",
)

(
    WHERE,
    WHERE_AGAIN,
    IMPACT,
    IMPACT_AGAIN,
    CAUSES,
    REVIEW,
    RENAME_CLASS,
    RENAME_MEMBER,
) = (
    "where",
    "where again",
    "impact",
    "impact again",
    "causes",
    "review",
    "rename class",
    "rename member",
)

_PARENT = f"{MODELS}/llama/modeling_llama.py"
_MODEL = "olmo2"
_SHORT = 5
"""A command that takes a moment is run so many times a round."""

_GIT = ("git", "-c", "user.name=bench", "-c", "user.email=bench@example.org")
_LINE = "    attn_weights = attn_weights + attention_mask\n"
"""A line of the parent that more than a hundred models have; `where` asks for it."""

_RENAME_CLASS = ("rename", "LlamaMLP", "LlamaFeedForward", "--diff")
_RENAME_MEMBER = ("rename", "LlamaMLP.act_fn", "activation", "--diff")

_RETURN = re.compile(r"^( +)return\b", re.MULTILINE)


@dataclass(frozen=True)
class Round:
    """T of a round, and what each command took, by its name; those that take a moment were run more than once."""

    t: float
    costs: dict[str, list[Cost]]


class Scenario:
    """The corpus as a project below an empty folder, and the commands over it."""

    def __init__(self, folder: Path) -> None:
        self._root = make_project(folder / "corpus")
        self._copies_folder = folder / "copies"
        self._review_folder = folder / "review"
        for arguments in (
            ["init", "--quiet"],
            ["add", "."],
            ["commit", "--quiet", "--message=corpus"],
        ):
            subprocess.run([*_GIT, *arguments], cwd=self._root, check=True)
        self._environment = environment(folder / "cache")
        project = open_project(self._root)
        self.models = len(project.modular_files)
        self.parsed = parsed_files(project, read_graph(project))

    def round(self, number: int) -> Round:
        """Measure everything once; ``number`` makes the changes of each round new ones."""
        mark = f"# Changed in round {number}.\n"
        self._modular(
            "check"
        )  # so that nothing has changed since the last run, whatever the round before did
        t = parse_time(self._root, self.parsed, self._environment)
        costs = {
            CONVERT: [self._modular("convert", "--no-cache")],
            CONVERT_TWO: [self._convert_copies(2)],
            CONVERT_FOUR: [self._convert_copies(4)],
            UNCHANGED: [self._modular("check")],
            PARENT: [
                self._check_changed(
                    _PARENT, lambda text: _RETURN.sub(rf"\1{mark}\1return", text)
                )
            ],
            ONE_MODEL: [
                self._modular("convert", _MODEL, "--no-cache") for _ in range(_SHORT)
            ],
            LIBCST: [
                self._run(sys.executable, "-c", "import libcst") for _ in range(_SHORT)
            ],
            HELP: [self._modular("--help") for _ in range(_SHORT)],
            **self._ask(number),
        }
        return Round(t, costs)

    def _ask(self, number: int) -> dict[str, list[Cost]]:
        """Measure the commands that ask, with the results of all models in the cache."""
        self._modular("clean")
        self._modular("check")
        file = self._root / _PARENT
        text = file.read_text(encoding="utf-8")
        line = text[: text.index(_LINE)].count("\n") + 1
        where = ("where", f"{_PARENT}:{line}")
        costs = {
            WHERE: [self._modular(*where)],
            WHERE_AGAIN: [self._modular(*where)],
            # With `--diff`, a command exits with 1 if it would change something.
            RENAME_CLASS: [self._modular(*_RENAME_CLASS, expected=1)],
            RENAME_MEMBER: [self._modular(*_RENAME_MEMBER, expected=1)],
        }
        review = ("review", "--since", "HEAD", "--output", str(self._review_folder))
        try:
            self._change_line(file, text, f"impact {number}")
            costs[IMPACT] = [self._modular("impact")]
            costs[IMPACT_AGAIN] = [self._modular("impact")]
            costs[CAUSES] = [self._modular("check", expected=1)]
            self._change_line(file, text, f"review {number}")
            costs[REVIEW] = [self._modular(*review)]
        finally:
            file.write_text(text, encoding="utf-8")
        return costs

    def _change_line(self, file: Path, text: str, mark: str) -> None:
        changed_line = _LINE.replace("\n", f"  # {mark}\n")
        file.write_text(text.replace(_LINE, changed_line), encoding="utf-8")

    def _convert_copies(self, number: int) -> Cost:
        """Measure a conversion of a project with several copies of the corpus.

        A few files of the copies are stale, because their imports sort differently.
        """
        root = self._copies_folder / str(number)
        if not root.exists():
            make_copies(root, number)
        arguments = ("check", "--no-cache", "--quiet", "--root", str(root))
        return self._modular(*arguments, expected=1)

    def _modular(self, *arguments: str, expected: int = 0) -> Cost:
        return self._run(
            str(Path(sys.executable).with_name("modular")),
            *arguments,
            expected=expected,
        )

    def _run(self, *command: str, expected: int = 0) -> Cost:
        return run(command, self._root, self._environment, expected)

    def _check_changed(self, path: str, change: Callable[[str], str]) -> Cost:
        """Measure a check after a file was changed, which finds stale files, and put the file back."""
        file = self._root / path
        text = file.read_text(encoding="utf-8")
        file.write_text(change(text), encoding="utf-8")
        try:
            return self._modular("check", "--quiet", expected=1)
        finally:
            file.write_text(text, encoding="utf-8")


def parsed_files(project: Project, graph: Graph) -> tuple[str, ...]:
    """Return the files that are parsed for T: the modular files, and the parent files that they import."""
    return tuple(sorted({*project.modular_files, *(edge.path for edge in graph.edges)}))


def parse_time(
    root: Path, paths: Sequence[str], environment: Mapping[str, str]
) -> float:
    """Measure T: the CPU seconds that `ast.parse` takes for some files."""
    names = "\n".join(str(root / path) for path in paths)
    command = [sys.executable, str(Path(parsing.__file__))]
    done = subprocess.run(
        command,
        input=names,
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    return float(done.stdout)
