"""Commands that write, run in small projects with a fault at one of the points where they change files.

Each run is a fork of this process, so that it starts fast. A point is an audit event of Python by which a file in the project
or in the cache folder is created, changed, renamed or deleted.
"""

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from modular.cli.main import main
from modular.system.writing import EXCHANGE_EVENT
from tests.repository import Repository


PARENT = "models/llama/modeling_llama.py"
MODULAR = "models/olmo/modular_olmo.py"
GENERATED = "models/olmo/modeling_olmo.py"
FLAT = "models/flat/modeling_flat.py"
INFERRED = "models/flat/modular_flat.py"
SETTINGS = "pyproject.toml"
SAVED = "# saved by a person"
KILLED = 137
"""The exit code of a process that was killed."""

LAYER = "class {}Layer:\n" + "".join(
    f"    def step_{number}(self, x):\n        return x + {number}\n\n"
    for number in range(9)
)

PROJECT = {
    SETTINGS: '[tool.modular]\nformatter = "none"\n',
    "models/base/modeling_base.py": LAYER.format("Base"),
    PARENT: "class LlamaMLP:\n    def run(self, x):\n        y = x + 1\n        z = y * 2\n        return z\n\n\nclass LlamaNorm:\n    eps = 1\n",
    MODULAR: "from ..llama.modeling_llama import LlamaMLP, LlamaNorm\n\n\nclass OlmoMLP(LlamaMLP):\n    pass\n",
    FLAT: LAYER.format("Flat"),
}

_WRITING_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

_EVENTS = {
    "os.rename": (0, 1),
    "os.link": (0, 1),
    EXCHANGE_EVENT: (0, 1),
    "os.remove": (0,),
    "os.rmdir": (0,),
    "os.mkdir": (0,),
    "os.chmod": (0,),
    "os.chown": (0,),
    "os.truncate": (0,),
    "os.utime": (0,),
    "os.symlink": (1,),
}
"""The events that change files, with the indexes of the paths among their arguments."""

_FOLDER_EVENTS = {"os.remove": 1, "os.rmdir": 1}
"""The events of `shutil.rmtree`, with the index of the open folder that has the path."""


@dataclass(frozen=True)
class Writer:
    """A command that writes.

    Attributes:
        arguments: The command line.
        writes: What it writes, by the paths of the files, for SECURITY.md.
        files: Files of the project, in addition to those of all commands.
        prepare: Called with the repository before the command runs.
        variables: Environment variables of the command.
    """

    arguments: Sequence[str]
    writes: Mapping[str, str]
    files: Mapping[str, str] = field(default_factory=dict)
    prepare: Callable[[Repository], object] = lambda repository: None
    variables: Mapping[str, str] = field(default_factory=dict)


def _convert(repository: Repository) -> None:
    repository.modular("convert")


def _make_stale(repository: Repository) -> None:
    repository.modular("convert")
    repository.write({PARENT: PROJECT[PARENT].replace("x + 1", "x + 3")})


def _override(repository: Repository) -> None:
    override = "    def run(self, x):\n        return super().run(x) + 1\n"
    repository.write({MODULAR: PROJECT[MODULAR].replace("    pass\n", override)})
    repository.modular("convert")


def _edit_by_hand(repository: Repository) -> None:
    repository.modular("convert")
    text = repository.read(GENERATED)
    repository.write({GENERATED: text.replace("x + 1", "x + 7")})


def _miss_a_change(repository: Repository) -> None:
    """Commit an override that was copied, and then a change of the parent's method."""
    override = "    def run(self, x):\n        y = x + 1\n        z = y * 2\n        print(z)\n        return z\n"
    text = PROJECT[MODULAR].replace("    pass\n", override)
    repository.git("init", "--quiet", "--initial-branch=main")
    repository.write({MODULAR: text})
    repository.modular("convert")
    repository.commit()
    repository.write({PARENT: PROJECT[PARENT].replace("x + 1", "x + 3")})
    repository.modular("convert")
    repository.commit()


def _beside_a_library(repository: Repository) -> None:
    (repository.root / SETTINGS).unlink()
    library = repository.root.parent / "library"
    library.mkdir()
    (repository.root / "models").rename(library / "models")


def _without_settings(repository: Repository) -> None:
    repository.git("init", "--quiet")
    (repository.root / SETTINGS).write_text("[project]\nname = 'a'\n")


GENERATED_FILES = "generated files"
MODULAR_FILES = "modular files"
SOURCES = "Python files that people write"

WRITERS = {
    "convert": Writer(["convert"], {GENERATED: GENERATED_FILES}, prepare=_make_stale),
    "convert, new file": Writer(["convert"], {GENERATED: GENERATED_FILES}),
    "watch": Writer(["watch"], {GENERATED: GENERATED_FILES}, prepare=_make_stale),
    "check --fix": Writer(
        ["check", "--fix"], {GENERATED: GENERATED_FILES}, prepare=_make_stale
    ),
    "check --write-baseline": Writer(
        ["check", "--write-baseline", "baseline.json"],
        {"baseline.json": "the baseline that you name"},
        prepare=_convert,
    ),
    "verify": Writer(["verify"], {}, prepare=_make_stale),
    "fix": Writer(["fix"], {MODULAR: MODULAR_FILES}, prepare=_convert),
    "rename": Writer(
        ["rename", "LlamaMLP.run", "step"],
        {PARENT: SOURCES, MODULAR: MODULAR_FILES, GENERATED: GENERATED_FILES},
        prepare=_override,
    ),
    "drift --write": Writer(
        ["drift", "--write"],
        {MODULAR: MODULAR_FILES, GENERATED: GENERATED_FILES},
        prepare=_miss_a_change,
    ),
    "lift": Writer(["lift", "olmo"], {MODULAR: MODULAR_FILES}, prepare=_edit_by_hand),
    "lift --to-parent": Writer(
        ["lift", "olmo", "--to-parent"], {PARENT: SOURCES}, prepare=_edit_by_hand
    ),
    "infer --write": Writer(["infer", "flat", "--write"], {INFERRED: MODULAR_FILES}),
    "infer --write --force": Writer(
        ["infer", "flat", "--write", "--force"],
        {INFERRED: MODULAR_FILES},
        files={INFERRED: "# an older one\n"},
    ),
    "new": Writer(
        ["new", "fresh", "--from", "llama"],
        {"models/fresh/modular_fresh.py": MODULAR_FILES},
    ),
    "new --hub": Writer(
        ["new", "fresh", "--hub", "--from", "llama", "--source-library", "../library"],
        {
            "modular_fresh.py": MODULAR_FILES,
            SETTINGS: "`pyproject.toml`",
            "config.json": "`config.json`",
        },
        prepare=_beside_a_library,
    ),
    "init": Writer(
        ["init", "--agents"],
        {
            SETTINGS: "`pyproject.toml`",
            ".pre-commit-config.yaml": "the settings of pre-commit",
            ".github/workflows/modular.yml": "a workflow",
            ".gitattributes": "`.gitattributes`",
            "AGENTS.md": "`AGENTS.md`",
        },
        prepare=_without_settings,
    ),
    "merge": Writer(
        ["merge", "base.py", "ours.py", "theirs.py", "notes.py"],
        {"ours.py": "the file that git names"},
        files={"base.py": "a\n", "ours.py": "b\n", "theirs.py": "c\n"},
    ),
    "review": Writer(
        ["review"],
        {"modular-review/": "pages, below the root or in the folder that you name"},
        prepare=_convert,
    ),
}
"""The commands by their names in the table."""


@dataclass(frozen=True)
class Fault:
    """What happens at a point: `kill`, `error`, `signal` or `save`; and which point."""

    kind: str
    point: int


class Run:
    """A copy of a project in which a command runs."""

    def __init__(self, writer: Writer, folder: Path) -> None:
        self.writer = writer
        self.root = folder / "project"
        self.points_file = folder / "points"
        self.states_file = folder / "states"

    def start(self, fault: Fault | None) -> int:
        """Start the command in a fork of this process, and return its process number."""
        process = os.fork()
        if process:
            return process
        code = 1
        try:
            code = self._run(fault)
        finally:
            os._exit(code)

    def _run(self, fault: Fault | None) -> int:
        os.chdir(self.root)
        os.environ["MODULAR_CACHE_DIR"] = str(self.root.parent / "cache")
        os.environ["SOURCE_DATE_EPOCH"] = "0"
        os.environ.update(self.writer.variables)
        output = os.open(self.root.parent / "output", os.O_WRONLY | os.O_CREAT)
        os.dup2(output, 1)
        os.dup2(output, 2)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)
        hook = _Hook(self, fault)
        sys.addaudithook(hook)
        code = 0
        try:
            with without_waiting():
                main(list(self.writer.arguments), prog_name="modular")
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
        hook.is_active = False
        self.points_file.write_text("\n".join(hook.points))
        self.states_file.write_text(json.dumps(hook.states))
        return code

    def states(self) -> list[tuple[str, dict[str, str]]]:
        """Return each state that the project had before a point, with the first such point.

        A run that is killed at the point leaves the project in this state. Only a run
        without a fault records states.
        """
        return [tuple(state) for state in json.loads(self.states_file.read_text())]

    def saved_paths(self) -> list[str]:
        """Return the files that a person saved during the run."""
        file = self.root.parent / "saved"
        return file.read_text().splitlines() if file.exists() else []

    def texts(self) -> dict[str, str]:
        """Return the texts of all files of the project, by path."""
        texts = {}
        for path in sorted(self.root.rglob("*")):
            relative = path.relative_to(self.root).as_posix()
            if path.is_file() and not relative.startswith(".git/"):
                texts[relative] = path.read_text(errors="replace")
        return texts


def without_waiting() -> AbstractContextManager[object]:
    """Let `modular watch` end where it would wait for the first change."""
    return patch("modular.run.watching.watch", side_effect=lambda *_, **__: iter([()]))


class _Hook:
    """Counts the points of a run, and lets the fault happen at one of them."""

    def __init__(self, run: Run, fault: Fault | None) -> None:
        self.run = run
        self.fault = fault
        self.points: list[str] = []
        self.states: list[tuple[str, dict[str, str]]] = []
        self.is_active = True

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.is_active:
            return
        paths = self._changed_paths(event, arguments)
        if not paths:
            return
        self.points.append(f"{event} {' '.join(paths)}")
        if self.fault is None:
            self._record_state()
            return
        if len(self.points) != self.fault.point:
            return
        self.is_active = False
        if self.fault.kind == "kill":
            os._exit(KILLED)
        if self.fault.kind == "error":
            raise OSError(28, "No space left on device", paths[0])
        if self.fault.kind == "signal":
            signal.raise_signal(signal.SIGTERM)
        if self.fault.kind == "save":
            self._save(in_place=self.fault.point % 2 == 0)

    def _record_state(self) -> None:
        """Remember the texts of the project if the last point changed them."""
        self.is_active = False
        texts = self.run.texts()
        self.is_active = True
        if not self.states or texts != self.states[-1][1]:
            self.states.append((self.points[-1], texts))

    def _changed_paths(self, event: str, arguments: tuple[Any, ...]) -> list[str]:
        """Return the paths in the project or the cache that an event changes."""
        named: list[Any] = []
        if event == "open":
            path, mode, flags = arguments
            is_writing = (
                flags & _WRITING_FLAGS if mode is None else set("wax+") & set(mode)
            )
            if is_writing:
                named.append(path)
        else:
            named += [arguments[index] for index in _EVENTS.get(event, ())]
        folder = str(self.run.root.parent)
        base = os.getcwd()
        if event in _FOLDER_EVENTS:
            descriptor = arguments[_FOLDER_EVENTS[event]]
            if descriptor >= 0:
                base = os.readlink(f"/proc/self/fd/{descriptor}")
        changed = []
        for path in named:
            if not isinstance(path, (str, bytes, os.PathLike)):
                continue
            absolute = os.path.join(base, os.fsdecode(path))
            if absolute.startswith(folder):
                changed.append(os.path.relpath(absolute, folder))
        return changed

    def _save(self, *, in_place: bool) -> None:
        """Save each file that the command writes, as an editor would do it."""
        for number, path in enumerate(self.run.writer.writes):
            target = self.run.root / path
            if path.endswith("/") or not target.parent.is_dir():
                continue
            text = target.read_text() if target.exists() else ""
            # Each file gets another line: one that is in the sources is no lost work.
            text += f"{SAVED}, {number}\n"
            if in_place:
                target.write_text(text)
            else:
                saved = target.with_name("saved")
                saved.write_text(text)
                saved.rename(target)
            with open(self.run.root.parent / "saved", "a", encoding="utf-8") as file:
                file.write(f"{path}\n")


def prepare(writer: Writer, folder: Path) -> None:
    """Write the project of a command into a folder."""
    repository = Repository(folder / "project")
    repository.write({**PROJECT, **writer.files})
    writer.prepare(repository)


def copy(template: Path, folder: Path) -> None:
    """Copy a prepared project, its cache and its history."""
    shutil.copytree(template, folder, symlinks=True)


def table() -> str:
    """Return the table of commands and what they write, for SECURITY.md."""
    rows = {
        "all commands": "the cache folder (`MODULAR_CACHE_DIR`) and temporary files"
    }
    for name, writer in WRITERS.items():
        command = name.partition(",")[0].replace(" --force", "")
        written = ", ".join(dict.fromkeys(writer.writes.values()))
        if written:
            rows[f"`{command}`"] = written
    lines = ["| command | writes |", "| --- | --- |"]
    lines += [f"| {command} | {written} |" for command, written in rows.items()]
    return "".join(f"{line}\n" for line in lines)
