"""A model with an error is not written, whatever found the error."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from modular.cli.main import main
from tests.support import statuses, write_project


OUTPUT = "models/olmo/modeling_olmo.py"
MODULAR = "models/olmo/modular_olmo.py"
SOURCE = """from ..llama.modeling_llama import LlamaMLP


class OlmoMLP(LlamaMLP):
    def forward(self, x):
        return scale(x)
"""
"""The name `scale` is undefined, so `forward` always fails: an error of level, MOD408."""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "cache"))
    root = tmp_path / "project"
    files = {
        "models/llama/modeling_llama.py": "class LlamaMLP:\n    size = 1\n",
        "models/owl/modular_owl.py": "class OwlMLP:\n    size = 1\n",
        MODULAR: SOURCE,
    }
    write_project(root, files)
    monkeypatch.chdir(root)
    return root


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments, "--output-format", "json"])


def lower(root: Path, line: str) -> None:
    settings = root / "pyproject.toml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(f"{text}\n[tool.modular.lint]\n{line}\n", encoding="utf-8")


@pytest.mark.parametrize("option", ["--cache", "--no-cache"])
def test_convert_writes_the_other_models_only(root: Path, option: str) -> None:
    options = [option] if option == "--no-cache" else []
    for other in ("written", "unchanged"):
        done = run("convert", *options)
        assert done.exit_code == 1
        assert statuses(done) == {
            MODULAR: "error",
            "models/owl/modeling_owl.py": other,
        }
        assert not (root / OUTPUT).exists()


def test_convert_shows_no_difference_that_it_would_not_write(root: Path) -> None:
    assert statuses(run("convert", "olmo", "--diff")) == {MODULAR: "error"}


def test_check_compares_the_file_and_fix_does_not_write_it(root: Path) -> None:
    for option in ([], ["--fix"]):
        done = run("check", "olmo", *option)
        assert done.exit_code == 1
        assert statuses(done) == {OUTPUT: "missing"}
        assert [error["code"] for error in json.loads(done.stdout)["errors"]] == [
            "MOD408"
        ]
    assert not (root / OUTPUT).exists()


@pytest.mark.parametrize("level", ["warning", "info", "ignore"])
def test_a_file_is_written_if_the_settings_lower_the_error(
    root: Path, level: str
) -> None:
    lower(root, f'{level} = ["MOD408"]')
    done = run("convert", "olmo")
    assert done.exit_code == 0
    assert statuses(done) == {OUTPUT: "written"}


def test_a_file_is_written_if_a_comment_accepts_the_error(root: Path) -> None:
    accepted = SOURCE.replace("scale(x)", "scale(x)  # modular: ignore[MOD408]")
    (root / MODULAR).write_text(accepted, encoding="utf-8")
    done = run("convert", "olmo")
    assert done.exit_code == 0
    assert statuses(done) == {OUTPUT: "written"}


def test_a_warning_that_the_settings_raise_is_an_error(root: Path) -> None:
    unused = SOURCE.replace("LlamaMLP\n\n", "LlamaMLP, LlamaNorm\n\n", 1)
    (root / MODULAR).write_text(unused.replace("scale(x)", "x"), encoding="utf-8")
    (root / "models/llama/modeling_llama.py").write_text(
        "class LlamaMLP:\n    size = 1\n\n\nclass LlamaNorm:\n    size = 1\n",
        encoding="utf-8",
    )
    lower(root, 'error = ["MOD453"]')
    done = run("convert", "olmo")
    assert done.exit_code == 1
    assert statuses(done) == {MODULAR: "error"}


def test_strict_fails_and_writes(root: Path) -> None:
    lower(root, 'warning = ["MOD408"]')
    done = run("convert", "olmo", "--strict")
    assert done.exit_code == 1
    assert statuses(done) == {OUTPUT: "written"}


def test_an_error_of_a_rule_is_compared_and_not_written(root: Path) -> None:
    ignored = "SIZES = (2,)\n\n\n" + SOURCE.replace("scale(x)", "x")
    (root / MODULAR).write_text(ignored, encoding="utf-8")
    (root / "models/llama/modeling_llama.py").write_text(
        "SIZES = (1,)\n\n\nclass LlamaMLP:\n    sizes = SIZES\n", encoding="utf-8"
    )
    settings = root / "pyproject.toml"
    text = settings.read_text(encoding="utf-8")
    python = '[tool.modular]\ninheritance = "python"'
    settings.write_text(text.replace("[tool.modular]", python, 1), encoding="utf-8")
    for command, status in (
        ("check", {OUTPUT: "missing"}),
        ("convert", {MODULAR: "error"}),
    ):
        done = run(command, "olmo")
        assert done.exit_code == 1
        assert statuses(done) == status
