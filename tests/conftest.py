"""Fixtures that tests of several packages share: small projects, and commands run in them."""

import inspect
import signal
from collections.abc import Callable, Mapping
from functools import partialmethod
from pathlib import Path
from typing import Any, Protocol

import pytest
from click.testing import CliRunner, Result

from modular.cache import fingerprints
from modular.cli.main import main
from modular.conversion.conversion import Conversion
from modular.conversion.converter import Converter
from tests import support
from tests.birds import BIRDS, OWL
from tests.family import FAMILY
from tests.support import Converted


# A shell starts background jobs with SIGINT ignored, and the programs that tests interrupt would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

if "mix_stderr" in inspect.signature(CliRunner.__init__).parameters:
    # Before click 8.2 the runner mixes both streams unless it is told not to.
    CliRunner.__init__ = partialmethod(CliRunner.__init__, mix_stderr=False)  # type: ignore[assignment]

PARENT = "models/llama/modeling_llama.py"
MODULAR = "models/my_model/modular_my_model.py"


class Flatten(Protocol):
    """Converts a modular file of `my_model`, and a modeling file of `llama` beside it; further files go by their paths.

    Sources are indented literals. Without the formatter the blank lines are those of the sources.
    """

    def __call__(
        self,
        modular: str,
        parent: str = "",
        files: Mapping[str, str] | None = None,
        formatter: str = "ruff",
    ) -> Converted: ...


@pytest.fixture
def flatten(tmp_path: Path) -> Flatten:
    def run(
        modular: str,
        parent: str = "",
        files: Mapping[str, str] | None = None,
        formatter: str = "ruff",
    ) -> Converted:
        texts = {PARENT: parent, **(files or {}), MODULAR: modular}
        return support.convert(
            tmp_path,
            {path: support.source(text) for path, text in texts.items()},
            formatter,
        )

    return run


@pytest.fixture(autouse=True)
def cache_folder(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Give each test an empty cache, and return its folder."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(folder))
    return folder


@pytest.fixture(autouse=True)
def exact_file_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the cache store results of files that a test has written just before the run."""
    monkeypatch.setattr(fingerprints, "FILE_CLOCK_TICK_NS", 0)


@pytest.fixture
def modular() -> Callable[..., Result]:
    """Run a command in this process, and return its output and exit code."""

    def run(*arguments: str, **options: Any) -> Result:
        return CliRunner().invoke(main, arguments, catch_exceptions=False, **options)

    return run


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the project of `tests.family`, and make it the current folder."""
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "cache"))
    root = tmp_path / "project"
    for path, text in FAMILY.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def birds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write and convert the project of `tests.birds`, and make it the current folder."""
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "cache"))
    root = tmp_path / "birds"
    assert support.convert(root, BIRDS).files["models/owl/modeling_owl.py"] == OWL
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def converted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the models that are converted and not read from the cache."""
    models: list[str] = []
    convert = Converter.convert

    def record(self: Converter, path: str, *, inspects: bool = True) -> Conversion:
        models.append(path.split("/")[1])
        return convert(self, path, inspects=inspects)

    monkeypatch.setattr(Converter, "convert", record)
    return models


@pytest.fixture
def flatten_like_python(flatten: Flatten) -> Flatten:
    """Convert like `flatten`, with classes that do what Python's inheritance does."""

    def run(
        modular: str,
        parent: str = "",
        files: Mapping[str, str] | None = None,
        formatter: str = "ruff",
    ) -> Converted:
        settings = (
            f'[tool.modular]\nformatter = "{formatter}"\ninheritance = "python"\n'
        )
        given = {"pyproject.toml": settings, **(files or {})}
        return flatten(modular, parent, given, formatter)

    return run
