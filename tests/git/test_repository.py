"""Tests of reading commits and differences from a git repository."""

from pathlib import Path

import pytest

from modular.git.repository import (
    GitError,
    changed_since,
    list_files,
    path_in_repository,
    read_blobs,
    read_texts_at,
    resolve_commit,
)
from tests.repository import Repository, make


LONE = "models/lone/modular_lone.py"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return make(tmp_path / "project")


def test_names_that_git_would_quote_are_listed_as_they_are(repository):
    repository.write({"models/lone/ä b\n.py": ""})
    assert changed_since(repository.root, "HEAD") == ("models/lone/ä b\n.py",)


def test_changed_paths_are_relative_to_the_folder(repository):
    repository.write({LONE: "class LoneLeaf:\n    size = 2\n"})
    folder = repository.root / "models/elder"
    assert changed_since(folder, "HEAD") == ("../lone/modular_lone.py",)
    assert path_in_repository(folder) == "models/elder/"
    assert path_in_repository(repository.root) == ""


def test_untracked_files_above_the_folder_are_not_listed(repository):
    repository.write({"models/new.py": "", "models/elder/new.py": ""})
    assert changed_since(repository.root / "models/elder", "HEAD") == ("new.py",)


def test_an_unknown_commit_is_an_error(repository):
    with pytest.raises(GitError, match="no commit `nowhere`"):
        resolve_commit(repository.root, "nowhere")


def test_a_folder_outside_of_a_repository_is_an_error(tmp_path):
    with pytest.raises(GitError, match="not a git repository"):
        path_in_repository(tmp_path)


def test_files_of_a_commit_are_read_by_their_hashes(repository):
    text = (repository.root / LONE).read_bytes()
    repository.write({LONE: "changed"})
    commit = resolve_commit(repository.root, "HEAD")
    entry = list_files(repository.root, commit)[LONE]
    assert entry.mode == "100644"
    names = ["0" * 40, entry.blob]
    assert list(read_blobs(repository.root, names)) == [None, text]


def test_texts_of_a_commit_are_read_by_their_paths(repository):
    repository.write({LONE: "first\r\nsecond\r\n"})
    repository.commit()
    repository.write({LONE: "changed"})
    paths = ["modular_lone.py", "missing.py", "line\nend.py"]
    assert read_texts_at(repository.root / "models/lone", "HEAD", paths) == {
        "modular_lone.py": "first\nsecond\n"
    }
