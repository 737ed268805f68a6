"""No command takes more than about twice the work for a project that is twice as large.

The work is the number of calls of functions, those of Python and those in C, which is the
same in each run and on each machine. So the tests need no repetition, and see a loop over
all pairs before it takes any time. They do not see how long a call in C takes, such as a
search in a text.
"""

import shutil
from collections.abc import Callable
from cProfile import Profile
from itertools import count
from pathlib import Path

import pytest

from modular import Options, check, convert
from modular.lsp.workspace import Workspace
from modular.refactor.autofix import fix
from modular.refactor.checked_change import check_change
from modular.refactor.rename import rename_in
from tests.safety.large_projects import (
    GENERATORS,
    MODULAR,
    PARENT,
    SETTINGS,
    Files,
)
from tests.support import write_project


SIZES = (20, 40, 80)

_STARTS = count(10_000, 80)
"""The first numbers of the projects."""

MAX_FACTOR = 2.6
"""More work for twice the size than this is too much. Twice is 2.0, all pairs are 4.0."""


def _options(root: Path) -> Options:
    return Options(root=root, jobs=1, cache=False, info=True)


def _convert(root: Path) -> None:
    convert(options=_options(root))


def _check(root: Path) -> None:
    check(options=_options(root))


def _fix(root: Path) -> None:
    fix(unsafe=True, dry_run=True, options=_options(root))


def _rename(root: Path) -> None:
    options = _options(root)
    project = options.open()
    symbol = "BaseModel.run" if (root / PARENT).exists() else "BaseConfig.width"
    renaming = rename_in(project, symbol, "renamed", options)
    check_change(project, renaming.edited_texts(), options)


def _serve(root: Path) -> None:
    """Do what the language server does when a file is opened."""
    workspace = Workspace(root, lambda path: None)
    workspace.set_text(MODULAR, (root / MODULAR).read_text(encoding="utf-8"))
    for _ in workspace.diagnose(MODULAR):
        pass
    workspace.diagnostics(MODULAR)


COMMANDS = {
    "convert": _convert,
    "check": _check,
    "fix": _fix,
    "rename": _rename,
    "serve": _serve,
}


def _write(root: Path, files: Files) -> None:
    shutil.rmtree(root, ignore_errors=True)
    write_project(root, {"pyproject.toml": SETTINGS, **files})


def _count_calls(command: Callable[[Path], None], root: Path) -> int:
    profile = Profile()
    with profile:
        command(root)
    return sum(entry.callcount for entry in profile.getstats())


def _factor(root: Path, name: str, command: Callable[[Path], None]) -> float:
    """Return the factor by which the work grows if a project gets twice as large.

    The work that each project takes, however small it is, is not counted.
    """
    # The first project also fills caches that do not depend on its size.
    work = [_work(root, name, command, size) for size in (SIZES[0], *SIZES)][1:]
    # Less than one call for each number is no growth.
    growth = max(work[1] - work[0], SIZES[1] - SIZES[0])
    return (work[2] - work[1]) / growth


def _work(root: Path, name: str, command: Callable[[Path], None], size: int) -> int:
    """Return the calls that a command takes for a project with some numbers."""
    # Other numbers are other names, so that no cache knows the definitions already.
    start = next(_STARTS)
    _write(root, GENERATORS[name](range(start, start + size)))
    return _count_calls(command, root)


@pytest.fixture(scope="module", autouse=True)
def _warmed_up(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Run each command once, as the first run also loads modules."""
    for name, command in COMMANDS.items():
        root = tmp_path_factory.mktemp("first") / name
        _write(root, GENERATORS["methods"](range(1000, 1003)))
        command(root)


@pytest.mark.parametrize("name", GENERATORS)
def test_twice_the_input_takes_twice_the_work_of_a_conversion(
    tmp_path: Path, name: str
) -> None:
    assert _factor(tmp_path / "project", name, _convert) < MAX_FACTOR


@pytest.mark.slow
@pytest.mark.parametrize("name", GENERATORS)
@pytest.mark.parametrize("command", ["check", "fix", "rename", "serve"])
def test_twice_the_input_takes_twice_the_work_of_a_command(
    tmp_path: Path, command: str, name: str
) -> None:
    assert _factor(tmp_path / "project", name, COMMANDS[command]) < MAX_FACTOR
