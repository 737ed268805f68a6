"""What a repository holds at a commit may be much larger than the repository itself."""

from pathlib import Path

import pytest

from modular.git import git as git_module
from modular.git.git import ChangesError, contents, texts_at
from modular.source.loading import LARGEST
from tests.hooks.repository import Repository, make


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return make(tmp_path / "project")


def test_a_file_that_is_larger_than_a_source_may_be_is_not_read(repository: Repository) -> None:
    repository.write(
        {"models/large.py": "#" * (LARGEST + 1), "models/full.py": "#" * (LARGEST - 1) + "\n", "models/a b.py": "1\n"}
    )
    repository.commit()
    texts = texts_at(repository.root, "HEAD", ["models/large.py", "models/full.py", "models/none.py", "models/a b.py"])
    assert {path: len(text) for path, text in texts.items()} == {"models/full.py": LARGEST, "models/a b.py": 2}


def test_files_that_are_too_large_together_are_refused(repository: Repository) -> None:
    repository.write({f"models/{number}.py": f"{number}\n" for number in range(5)})
    repository.commit()
    names = [f"HEAD:models/{number}.py" for number in range(5)]
    assert list(contents(repository.root, names, 10)) == [b"0\n", b"1\n", b"2\n", b"3\n", b"4\n"]
    with pytest.raises(ChangesError, match="too large: more than 9 bytes"):
        list(contents(repository.root, names, 9))


def test_one_file_is_read_at_a_time(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """What git prints is bounded, but not what the files have together."""
    monkeypatch.setattr(git_module, "_LONGEST_ANSWER", 4_000)
    texts = [f"{number}{'#' * 998}\n" for number in range(5)]
    repository.write({f"models/{number}.py": text for number, text in enumerate(texts)})
    repository.commit()
    names = ["HEAD:models/none.py", "HEAD:models", *(f"HEAD:models/{number}.py" for number in range(5))]
    assert list(contents(repository.root, names)) == [None, None, *(text.encode() for text in texts)]


def test_git_that_prints_without_end_is_ended(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree that holds a smaller tree many times, which does so too, is short on disk and endless when listed."""
    monkeypatch.setattr(git_module, "_LONGEST_ANSWER", 10_000_000)
    tree = repository.git("rev-parse", "HEAD:models").stdout.strip()
    for _ in range(12):
        entries = "".join(f"040000 tree {tree}\t{number:02}\n" for number in range(20))
        (repository.root / "entries").write_text(entries, encoding="utf-8")
        tree = repository.run(["sh", "-c", "git mktree < entries"]).stdout.strip()
    with pytest.raises(ChangesError, match="git printed more than 10,000,000 bytes"):
        git_module.git(repository.root, "ls-tree", "-r", tree)
