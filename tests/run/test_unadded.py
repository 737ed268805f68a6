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
