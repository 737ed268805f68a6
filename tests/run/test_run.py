"""A run that looked at nothing is an error, whatever it was told to look at."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from modular.cli.main import main


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "cache"))
    root = tmp_path / "project"
    root.mkdir()
    (root / "pyproject.toml").write_text("[tool.modular]\n", encoding="utf-8")
    monkeypatch.chdir(root)
    return root


def add_model(root: Path) -> None:
    path = root / "models/olmo/modular_olmo.py"
    path.parent.mkdir(parents=True)
    path.write_text("class OlmoMLP:\n    scale = 1\n", encoding="utf-8")


@pytest.mark.parametrize("command", ["check", "convert", "watch", "graph"])
@pytest.mark.parametrize("folder", ["other", "models", "models/olmo"])
def test_a_root_without_models(root: Path, command: str, folder: str) -> None:
    (root / folder).mkdir(parents=True)
    done = CliRunner().invoke(main, [command])
    assert done.exit_code == 1
    assert (
        "no modular file below `src/transformers/models` or `models` of" in done.stderr
    )
    assert "-->" not in done.stderr


@pytest.mark.parametrize("command", ["check", "convert", "watch", "graph"])
def test_a_folder_of_the_settings_that_is_not_there(root: Path, command: str) -> None:
    add_model(root)
    (root / "pyproject.toml").write_text(
        '[tool.modular]\nmodels = ["models", "modles"]\n', encoding="utf-8"
    )
    done = CliRunner().invoke(main, [command])
    assert done.exit_code == 2
    assert "error: tool.modular.models: there is no folder `modles` in" in done.stderr


@pytest.mark.parametrize("command", ["check", "convert", "watch"])
@pytest.mark.parametrize(
    "target", ["olmmo", "models/olmmo", "models/olmo/modular_olmmo.py", "empty"]
)
def test_a_target_that_names_nothing(root: Path, command: str, target: str) -> None:
    add_model(root)
    (root / "empty").mkdir()
    done = CliRunner().invoke(main, [command, target])
    assert done.exit_code == 2
    assert f"--> {target}" in done.stderr
    summary = "no files\nFound 1 error\n"
    assert done.stdout == ("" if command == "watch" else summary)


def test_nothing_that_is_affected_is_no_error(root: Path) -> None:
    add_model(root)
    assert (
        CliRunner().invoke(main, ["convert", "--affected-by", "README.md"]).exit_code
        == 0
    )
