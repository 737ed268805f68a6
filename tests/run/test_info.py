"""Rules whose findings are all of level info run only if somebody asks for info."""

from dataclasses import replace
from pathlib import Path

import pytest

from modular.lint.class_bodies import RedundantOverride
from modular.run import api
from tests.support import write_project


PARENT = """\
class LlamaMLP:
    def forward(self, x):
        return x
"""

REPETITION = """\
from ..llama.modeling_llama import LlamaMLP


class OlmoMLP(LlamaMLP):
    def forward(self, x):
        return x
"""
"""Its `forward` repeats that of the parent class (MOD455)."""


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> api.Options:
    """The options of a run in a project with the repetition."""
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "cache"))
    return write(tmp_path, REPETITION)


def write(folder: Path, modular: str, lint: str = "") -> api.Options:
    files = {
        "pyproject.toml": f"[tool.modular]\n{lint}\n",
        "models/llama/modeling_llama.py": PARENT,
        "models/olmo/modular_olmo.py": modular,
    }
    write_project(folder / "project", files)
    return api.Options(root=folder / "project", jobs=1)


def found(options: api.Options) -> list[str]:
    """Convert the project, and return the codes that are reported."""
    return [item.code.id for item in api.convert(options=options).diagnostics]


def test_a_rule_of_level_info_runs_only_for_info(
    options: api.Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[RedundantOverride] = []
    monkeypatch.setattr(RedundantOverride, "check", lambda rule: runs.append(rule))
    found(options)
    assert not runs
    found(replace(options, info=True))
    assert len(runs) == 1


def test_info_is_found_after_a_run_that_did_not_look_for_it(
    options: api.Options,
) -> None:
    assert found(options) == []
    assert found(replace(options, info=True)) == ["MOD455"]


def test_a_result_with_info_also_answers_a_run_that_does_not_ask_for_it(
    options: api.Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    found(replace(options, info=True))
    monkeypatch.setattr("modular.run.engine.BatchConverter.convert", None)
    assert found(options) == []


def test_a_rule_that_the_settings_make_a_warning_always_runs(tmp_path: Path) -> None:
    options = write(tmp_path, REPETITION, 'lint.warning = ["MOD455"]')
    assert found(replace(options, cache=False)) == ["MOD455"]


def test_a_comment_that_suppresses_info_is_not_reported_as_unused(
    tmp_path: Path,
) -> None:
    ignored = REPETITION.replace("x):", "x):  # modular: ignore[MOD455]")
    options = write(tmp_path, ignored)
    assert found(replace(options, cache=False)) == []
