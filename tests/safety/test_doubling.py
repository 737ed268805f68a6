"""No command takes more than about twice the work for a project that is twice as large.

The work is the number of calls of functions, those of Python and those in C, which is the
same in each run and on each machine. So the tests need no repetition, and see a loop over
all pairs before it takes any time. How long a call in C takes, such as a search in a text,
is tested with larger projects and the time of the processor.
"""

import shutil
from collections.abc import Callable
from cProfile import Profile
from itertools import count
from pathlib import Path
from time import process_time
from typing import NamedTuple

import pytest

from modular import Options, check, convert
from modular.conversion.checks import MAX_WORDS
from modular.infer.infer import infer_modular
from modular.lsp import model_states
from modular.lsp.workspace import Workspace
from modular.refactor.autofix import fix
from modular.refactor.checked_change import check_change
from modular.refactor.rename import rename_in
from modular.source.source_slice import count_words
from tests.safety.large_projects import (
    GENERATORS,
    MODULAR,
    PARENT,
    SETTINGS,
    Files,
    Link,
)
from tests.support import write_project


SIZES = (12, 24, 48)
"""How many items a project has."""

LARGER_SIZES = ((160, 320, 640), (320, 640, 1280))
"""How many items it has if the first sizes cannot tell."""

INFER_SIZES = (40, 80, 160)
"""The sizes for `infer`, which finds nothing to inherit in smaller projects."""

LARGE_SIZE = 2_000
"""The size for which work is predicted."""

_STARTS = count(10_000, 5_000)
"""The first numbers of the projects."""

MAX_FACTOR = 2.6
"""More work for twice the size than this is too much. Twice is 2.0, all pairs are 4.0."""

CONVERTED = list(GENERATORS)[::4]
"""The projects that are converted. Each of the others is measured with another command."""

SERVED = list(GENERATORS)[2::4]
"""The projects that the language server opens."""

_OTHERS = list(GENERATORS)[1::2]

COMMANDS_AND_GENERATORS = [
    *(("fix", SIZES, name) for name in _OTHERS[::3]),
    *(("infer", INFER_SIZES, name) for name in _OTHERS[1::3]),
    *(("rename", SIZES, name) for name in _OTHERS[2::3]),
]
"""The projects of other commands, with the sizes."""

STEP_SIZES = (40, 80)
"""The sizes with which the steps of the language server are measured."""

MAX_CALLS_IN_STEP = 20_000_000
"""The server answers no request during a step. A second has about seven million calls."""

STEPPING_GENERATORS = (
    "calls of super in methods",
    "calls of super in a method",
    "replaced and kept assignments in __init__",
    "undefined names",
    "uses of an undefined name",
)
"""Projects for which rules took ten seconds before they ran in steps."""

MIN_CALLS_PER_ITEM = 500
"""Fewer calls for each item take no time that matters."""

MIN_SECONDS = 0.15
"""Processor time that is long enough to be compared."""


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


def _largest_step(root: Path) -> int:
    """Return the calls in the longest step of diagnosing a file in the language server."""
    workspace = Workspace(root, lambda path: None)
    workspace.set_text(MODULAR, (root / MODULAR).read_text(encoding="utf-8"))
    steps = workspace.diagnose(MODULAR)
    largest = 0
    is_done = False
    while not is_done:
        with Profile() as profile:
            is_done = next(steps, steps) is steps
        calls = sum(entry.callcount for entry in profile.getstats())
        largest = max(largest, calls)
    return largest


def _infer(root: Path) -> None:
    infer_modular("child", options=_options(root))


def _generate(root: Path) -> None:
    """Leave what a modular file generates, and delete the modular file."""
    convert(options=_options(root))
    (root / MODULAR).unlink()


COMMANDS = {
    "convert": _convert,
    "check": _check,
    "fix": _fix,
    "rename": _rename,
    "serve": _serve,
    "infer": _infer,
}

PREPARATIONS = {_infer: _generate}
"""What is done before a command, and not measured."""


def _write(root: Path, files: Files) -> None:
    shutil.rmtree(root, ignore_errors=True)
    texts = {path: text for path, text in files.items() if not isinstance(text, Link)}
    write_project(root, {"pyproject.toml": SETTINGS, **texts})
    for path in files.keys() - texts.keys():
        (root / path).symlink_to(files[path])


def _count_calls(command: Callable[[Path], None], root: Path) -> int:
    profile = Profile()
    with profile:
        command(root)
    return sum(entry.callcount for entry in profile.getstats())


class _Growth(NamedTuple):
    """The work `a + b * size + c * size²` of a command.

    Attributes:
        linear: The calls for each item, `b`.
        quadratic: The calls for each pair of items, `c`.
        factor: The factor by which the work grew between the last two sizes. The work
            that each project takes, however small it is, is not counted.
    """

    linear: float
    quadratic: float
    factor: float

    @property
    def factor_at_large_size(self) -> float:
        """The factor by which the work grows if a large project gets twice as large."""
        linear = max(self.linear, MIN_CALLS_PER_ITEM) * LARGE_SIZE
        quadratic = self.quadratic * LARGE_SIZE**2
        return (2 * linear + 4 * quadratic) / (linear + quadratic)


def _measure(
    root: Path,
    name: str,
    command: Callable[[Path], None],
    sizes: tuple[int, int, int] = SIZES,
) -> _Growth:
    """Measure the work for three sizes, each twice the one before."""
    # The first project also fills caches that do not depend on its size.
    work = [_work(root, name, command, size) for size in (sizes[0], *sizes)][1:]
    first, second = work[1] - work[0], work[2] - work[1]
    # The work grows by `b * size + 3 * c * size²`, and then by `2 * b * size +
    # 12 * c * size²`.
    quadratic = (second - 2 * first) / (6 * sizes[0] ** 2)
    linear = first / sizes[0] - 3 * quadratic * sizes[0]
    # Less than one call for each item is no growth.
    return _Growth(linear, quadratic, second / max(first, sizes[0]))


def _work(root: Path, name: str, command: Callable[[Path], None], size: int) -> int:
    """Return the calls that a command takes for a project with some numbers."""
    # Other numbers are other names, so that no cache knows the definitions already.
    start = next(_STARTS)
    _write(root, GENERATORS[name](range(start, start + size)))
    if command in PREPARATIONS:
        PREPARATIONS[command](root)
    return _count_calls(command, root)


@pytest.fixture(scope="module", autouse=True)
def _warmed_up(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Run each command once, as the first run also loads modules."""
    for name, command in COMMANDS.items():
        root = tmp_path_factory.mktemp("first") / name
        _write(root, GENERATORS["methods"](range(1000, 1003)))
        if command in PREPARATIONS:
            PREPARATIONS[command](root)
        command(root)


def _check_growth(root: Path, name: str, command: Callable[[Path], None]) -> None:
    """Check that the work does not grow with the square of the size."""
    growth = _measure(root, name, command)
    if growth.factor_at_large_size >= MAX_FACTOR:
        _check_larger_projects(root, name, command, growth)


def _check_larger_projects(
    root: Path, name: str, command: Callable[[Path], None], growth: _Growth
) -> None:
    """Check that the work of larger projects does not grow with the square of the size.

    From some size on, a cache of this process is too small. Such a step is no growth, so
    larger projects decide if the work grew too much in small ones.
    """
    factors = []
    for sizes in LARGER_SIZES:
        factors.append(_measure(root, name, command, sizes).factor)
        if factors[-1] < MAX_FACTOR:
            return
    pytest.fail(f"{growth}, and in larger projects the work grows by {factors}")


@pytest.mark.parametrize("name", CONVERTED)
def test_twice_the_input_takes_twice_the_work_of_a_conversion(
    tmp_path: Path, name: str
) -> None:
    _check_growth(tmp_path / "project", name, _convert)


@pytest.mark.slow
@pytest.mark.parametrize("name", SERVED)
def test_twice_the_input_takes_twice_the_work_of_the_language_server(
    tmp_path: Path, name: str
) -> None:
    _check_growth(tmp_path / "project", name, _serve)


@pytest.mark.slow
@pytest.mark.parametrize("name", STEPPING_GENERATORS)
def test_no_step_of_the_language_server_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """It is predicted for the largest modular file that is converted."""
    monkeypatch.setattr(model_states, "_SLICE_S", 0.0)
    root = tmp_path / "project"
    calls, words = [], []
    for size in STEP_SIZES:
        start = next(_STARTS)
        files = GENERATORS[name](range(start, start + size))
        _write(root, files)
        calls.append(_largest_step(root))
        words.append(count_words(files.get(MODULAR, "")))
    added_size = STEP_SIZES[1] - STEP_SIZES[0]
    calls_per_item = (calls[1] - calls[0]) / added_size
    words_per_item = (words[1] - words[0]) / added_size
    # The settings, other files and comments are limited otherwise.
    largest_size = min(MAX_WORDS / max(words_per_item, 1), LARGE_SIZE * 3)
    assert calls_per_item * largest_size < MAX_CALLS_IN_STEP


@pytest.mark.slow
@pytest.mark.parametrize(("command", "sizes", "name"), COMMANDS_AND_GENERATORS)
def test_twice_the_input_takes_twice_the_work_of_a_command(
    tmp_path: Path, command: str, sizes: tuple[int, int, int], name: str
) -> None:
    root = tmp_path / "project"
    growth = _measure(root, name, COMMANDS[command], sizes)
    if growth.factor >= MAX_FACTOR:
        _check_larger_projects(root, name, COMMANDS[command], growth)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(GENERATORS)[::6])
def test_twice_the_input_takes_twice_the_time_of_a_check(
    tmp_path: Path, name: str
) -> None:
    """The sizes grow until the time is long enough to be compared.

    The other tests count calls of functions for all inputs. Time is measured for every
    sixth one, in case that a function of the standard library takes it.
    """
    root = tmp_path / "project"
    seconds = 0.0
    size = 125
    while seconds < MIN_SECONDS and size < LARGE_SIZE:
        size *= 2
        seconds = _seconds(root, name, size)
    # A step is no growth: from some size on, a cache of this process is too small.
    factors = []
    for _ in range(3):
        size *= 2
        previous_seconds = max(seconds, MIN_SECONDS)
        seconds = _seconds(root, name, size)
        factors.append(seconds / previous_seconds)
        if factors[-1] < MAX_FACTOR:
            return
    pytest.fail(f"the time grows by these factors: {factors}")


def _seconds(root: Path, name: str, size: int) -> float:
    """Return the processor time that a check takes."""
    start = next(_STARTS)
    _write(root, GENERATORS[name](range(start, start + size)))
    begin = process_time()
    _check(root)
    return process_time() - begin
