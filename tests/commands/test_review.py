"""`modular review`: what it prints, and when it fails."""

import os
from pathlib import Path

import pytest

from tests.flock import make_flock, run_modular
from tests.repository import change, commit
from tests.support import loaded


def test_the_command_prints_the_start_page(tmp_path: Path) -> None:
    done = run_modular("review", cwd=make_flock(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"2 models: open {tmp_path}/modular-review/index.html\n"
    assert (tmp_path / "modular-review/index.html").is_file()


def test_targets_and_an_output_folder_can_be_given(tmp_path: Path) -> None:
    done = run_modular("review", "owl", "--output", "pages", cwd=make_flock(tmp_path))
    assert (done.returncode, done.stdout) == (0, "1 model: open pages/index.html\n")
    assert [path.name for path in (tmp_path / "pages/models").iterdir()] == ["owl.html"]


def test_since_shows_changes_after_a_commit(tmp_path: Path) -> None:
    commit(make_flock(tmp_path))
    change(
        tmp_path,
        "models/eagle/modeling_eagle.py",
        "EagleWing()\n",
        "EagleWing() or None\n",
    )
    done = run_modular("review", "--since", "HEAD", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (
        0,
        f"1 model: open {tmp_path}/modular-review/index.html\n",
    )
    assert done.stderr == ""


def test_pages_in_the_project_are_no_change(tmp_path: Path) -> None:
    """Git ignores the folder, so the next `--since` finds the same changes."""
    commit(make_flock(tmp_path))
    run_modular("review", cwd=tmp_path)
    done = run_modular("review", "--since", "HEAD", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == (
        "nothing to review: no model differs\n2 models skipped: no change affects them\n"
    )


def test_a_deleted_modular_file_is_said(tmp_path: Path) -> None:
    commit(make_flock(tmp_path))
    modular = "models/owlet/modular_owlet.py"
    (tmp_path / modular).unlink()
    done = run_modular("review", "--since", "HEAD", cwd=tmp_path)
    assert f"Deleted {modular}" in done.stdout
    assert "nothing to review" not in done.stderr


def test_a_model_without_a_modular_file_has_no_page(tmp_path: Path) -> None:
    done = run_modular("review", "models/eagle", cwd=make_flock(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("nothing to review: no model has a page\n")


def test_an_unknown_commit_is_an_error(tmp_path: Path) -> None:
    commit(make_flock(tmp_path))
    done = run_modular("review", "--since", "nowhere", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert not (tmp_path / "modular-review").exists()


def test_errors_are_shown_and_the_other_models_have_pages(tmp_path: Path) -> None:
    make_flock(tmp_path)
    change(
        tmp_path,
        "models/owl/modular_owl.py",
        "import EagleModel, EagleWing",
        "import EagleModel, EagleWings",
    )
    done = run_modular("review", cwd=tmp_path)
    assert done.returncode == 1
    assert (
        done.stderr.startswith("error[MOD202]: ")
        and "--> models/owl/modular_owl.py:1:" in done.stderr
    )
    assert (tmp_path / "modular-review/models/owlet.html").is_file()


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    make_flock(tmp_path)
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages/index.html").write_text("mine\n", encoding="utf-8")
    done = run_modular("review", "--output", "pages", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        "error: pages/index.html: was not written by a review; give another folder with `--output`\n"
    )
    assert (tmp_path / "pages/index.html").read_text(encoding="utf-8") == "mine\n"


def test_help_does_not_load_jinja2(tmp_path: Path) -> None:
    assert loaded(tmp_path, ["review", "--help"], {"libcst", "rich", "jinja2"}) == "[]"


def test_an_unknown_target_is_a_usage_error(tmp_path: Path) -> None:
    assert (
        run_modular("review", "no_such_model", cwd=make_flock(tmp_path)).returncode == 2
    )


@pytest.mark.parametrize(
    ("arguments", "folder"),
    [
        (["review"], "modular-review/files"),
        (["review", "--output", "build/pages"], "build"),
        (["review", "--output", "build"], "build/files"),
    ],
)
def test_a_folder_below_the_root_that_is_a_link(
    tmp_path: Path, arguments: list[str], folder: str
) -> None:
    """No folder is made behind it, either."""
    root, target = make_flock(tmp_path / "project"), tmp_path / "empty"
    target.mkdir()
    (root / folder).parent.mkdir(exist_ok=True)
    (root / folder).symlink_to(target)
    done = run_modular(*arguments, cwd=root)
    assert list(target.iterdir()) == []
    assert done.returncode != 0
    assert "remove the link" in done.stderr


def test_links_beside_what_is_written(tmp_path: Path) -> None:
    """A project can hold a link for every process number: a name that can be foreseen is not written to."""
    root, victim = make_flock(tmp_path / "project"), tmp_path / "victim"
    victim.write_text("precious", encoding="utf-8")
    place = root / "modular-review/index.html"
    place.parent.mkdir()
    (place.parent / f".{place.name}.{os.getpid()}.tmp").symlink_to(victim)
    run_modular("review", cwd=root)
    assert victim.read_text(encoding="utf-8") == "precious"
    assert place.is_file() and not place.is_symlink()
