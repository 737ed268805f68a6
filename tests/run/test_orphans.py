"""Files that no modular file makes any more: `check` finds them."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from modular.cli.main import main
from tests.flock import make_flock, run_modular
from tests.repository import Repository


OLMO = "class OlmoMLP:\n    scale = 1\n"

CONFIG = 'class OlmoConfig:\n    model_type = "olmo"\n'

Run = Callable[..., Result]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in which `olmo` makes two files and `aya` one."""
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "cache"))
    root = tmp_path / "project"
    for path, text in {
        "pyproject.toml": '[tool.modular]\nformatter = "none"\n',
        "models/olmo/modular_olmo.py": f"{CONFIG}\n\n{OLMO}",
        "models/aya/modular_aya.py": OLMO.replace("Olmo", "Aya"),
        "models/llama/modeling_llama.py": "# written by hand\nclass LlamaMLP:\n    scale = 1\n",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(root)
    assert CliRunner().invoke(main, ["convert"]).exit_code == 0
    return root


@pytest.fixture
def check() -> Run:
    return lambda *arguments: CliRunner().invoke(
        main, ["check", *arguments], catch_exceptions=False
    )


def test_without_orphans(root: Path, check: Run) -> None:
    assert check().exit_code == 0


def test_a_file_that_is_not_made_any_more(root: Path, check: Run) -> None:
    (root / "models/olmo/modular_olmo.py").write_text(OLMO, encoding="utf-8")
    done = check("--fix")
    assert done.exit_code == 1
    assert (
        "error[MOD503]: `models/olmo/modular_olmo.py` no longer generates"
        in done.stderr
    )
    assert (root / "models/olmo/configuration_olmo.py").exists()
    assert check("olmo").exit_code == 1
    assert check("aya").exit_code == 0


def test_a_modular_file_that_is_gone(root: Path, check: Run) -> None:
    (root / "models/aya/modular_aya.py").unlink()
    done = check()
    assert done.exit_code == 1
    assert (
        "this file was generated from `models/aya/modular_aya.py`, which no longer exists"
        in done.stderr
    )
    assert check("olmo").exit_code == 0


def test_a_model_in_error_may_still_make_its_files(root: Path, check: Run) -> None:
    (root / "models/olmo/modular_olmo.py").write_text(
        "class OlmoMLP(\n", encoding="utf-8"
    )
    assert "MOD503" not in check().stderr


def test_a_file_without_the_banner_is_none(root: Path, check: Run) -> None:
    (root / "models/olmo/processing_olmo.py").write_text(
        "class OlmoProcessor:\n    pass\n", encoding="utf-8"
    )
    (root / "models/olmo/tokenization_olmo.py").write_bytes(b"\xff\xfe")
    assert check().exit_code == 0


def test_in_an_output_folder(root: Path, check: Run) -> None:
    settings = '[tool.modular]\nformatter = "none"\noutput = "generated"\n'
    (root / "pyproject.toml").write_text(settings, encoding="utf-8")
    for path in root.glob("models/*/*_*.py"):
        if not path.name.startswith("modular_") and path.parent.name != "llama":
            path.unlink()
    assert check("--fix").exit_code == 0
    (root / "models/aya/modular_aya.py").unlink()
    assert "--> generated/aya/modeling_aya.py" in check().stderr


def test_since_a_commit(root: Path) -> None:
    repository = Repository(root)
    repository.git("init", "--quiet", "--initial-branch", "main")
    repository.commit()
    (root / "models/olmo/modular_olmo.py").write_text(OLMO, encoding="utf-8")
    (root / "models/aya/modular_aya.py").unlink()
    done = repository.modular("check", "--since", "HEAD")
    assert (done.returncode, done.stderr.count("error[MOD503]")) == (1, 2)
    repository.commit()
    (root / "models/olmo/modular_olmo.py").write_text(f"\n{OLMO}", encoding="utf-8")
    done = repository.modular("check", "--fix", "--since", "HEAD")
    assert (done.returncode, "MOD503" in done.stderr) == (0, False)


def test_convert_names_the_files_that_it_orphans(tmp_path: Path) -> None:
    make_flock(tmp_path)
    modular = tmp_path / "models/owl/modular_owl.py"
    before = modular.read_text()
    modular.write_text(before + "\n\nclass OwlConfig:\n    size = 1\n")
    settings = tmp_path / "pyproject.toml"
    settings.write_text(
        settings.read_text().replace('text = ""', 'text = "# from {path}\\n"')
    )
    assert run_modular("convert", "owl", cwd=tmp_path).stderr == ""
    modular.write_text(before)
    done = run_modular("convert", "owl", cwd=tmp_path)
    assert done.stderr.startswith("models/owl/configuration_owl.py: ")
    assert "delete it; to keep it, remove its banner" in done.stderr
