"""`--require-added`: a commit must not lack the generated file of a new model."""

import sys
from pathlib import Path

import pytest

from tests.repository import Repository, make


NEW = "models/fresh/modular_fresh.py"
GENERATED = "models/fresh/modeling_fresh.py"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository with a new model, whose modular file is in the index."""
    repository = make(tmp_path / "project")
    repository.write({NEW: "class FreshLeaf:\n    size = 1\n"})
    repository.modular("convert")
    repository.git("add", NEW)
    return repository


@pytest.mark.parametrize("command", ["check", "convert"])
def test_a_generated_file_that_is_not_in_the_index_is_reported(
    repository: Repository, command: str
) -> None:
    done = repository.modular(command, "--require-added")
    assert done.returncode == 1
    assert "error[MOD505]: the file is not in git's index" in done.stderr
    assert f"run `git add {GENERATED}`" in done.stderr
    repository.git("add", GENERATED)
    assert repository.modular(command, "--require-added").returncode == 0


def test_a_new_model_that_is_not_in_the_index_either_is_not_reported(
    repository: Repository,
) -> None:
    repository.git("rm", "--quiet", "--cached", NEW)
    assert repository.modular("check", "--require-added").returncode == 0


def test_generated_files_that_git_ignores_are_not_reported(
    repository: Repository,
) -> None:
    repository.write({".gitignore": "modeling_*.py\n"})
    assert repository.modular("check", "--require-added").returncode == 0


def test_a_hook_looks_at_the_index_of_its_commit(repository: Repository) -> None:
    repository.git("add", GENERATED)
    hook = repository.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{sys.executable} -m modular check --require-added\n")
    hook.chmod(0o755)
    # Such a commit has only the files that are named.
    commit = ["git", "commit", "--quiet", "--message=x", NEW]
    done = repository.run(commit)
    assert done.returncode == 1
    assert "error[MOD505]: the file is not in git's index" in done.stderr
    assert repository.run([*commit, GENERATED]).returncode == 0


def test_the_index_of_another_repository_is_not_used(
    repository: Repository, tmp_path: Path
) -> None:
    repository.git("add", GENERATED)
    make(tmp_path / "other")
    variables = {"GIT_INDEX_FILE": str(tmp_path / "other/.git/index")}
    command = [sys.executable, "-m", "modular", "check", "--require-added"]
    assert repository.run(command, variables=variables).returncode == 0


SOURCE = "models/lone/modular_lone.py"
CHANGED = "models/lone/modeling_lone.py"
OLDER = "the version of the file in git's index is older"


@pytest.fixture
def changed(repository: Repository) -> Repository:
    """A repository in which a modular file was changed and converted after a commit."""
    repository.commit()
    repository.write({SOURCE: "class LoneLeaf:\n    size = 2\n"})
    repository.modular("convert")
    return repository


@pytest.mark.parametrize("command", ["check", "convert"])
def test_a_changed_generated_file_that_is_not_added_is_reported(
    changed: Repository, command: str
) -> None:
    changed.git("add", SOURCE)
    done = changed.modular(command, "--require-added")
    assert done.returncode == 1
    assert OLDER in done.stderr
    assert f"run `git add {CHANGED}`" in done.stderr
    changed.git("add", CHANGED)
    assert changed.modular(command, "--require-added").returncode == 0


def test_a_change_that_is_not_added_at_all_is_not_reported(changed: Repository) -> None:
    assert changed.modular("check", "--require-added").returncode == 0


def test_a_change_of_a_parent_file_must_be_added_with_what_is_generated_from_it(
    repository: Repository,
) -> None:
    repository.commit()
    elder = "models/elder/modeling_elder.py"
    repository.write({elder: "class ElderLeaf:\n    size = 2\n"})
    repository.modular("convert")
    assert repository.modular("check", "--require-added").returncode == 0
    repository.git("add", elder)
    done = repository.modular("check", "--require-added")
    for model in ("young", "grown"):
        assert f"run `git add models/{model}/modeling_{model}.py`" in done.stderr
