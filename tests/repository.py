"""A small project in a git repository, and changes of it."""

import subprocess
from pathlib import Path


def commit(root: Path) -> None:
    """Make a folder a repository and commit all that is in it."""
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run(
            ["git", "-c", "user.name=n", "-c", "user.email=e", *words],
            cwd=root,
            check=True,
        )


def change(root: Path, path: str, old: str, new: str) -> None:
    """Replace some text of a file, which must be there."""
    text = (root / path).read_text(encoding="utf-8")
    assert old in text
    (root / path).write_text(text.replace(old, new), encoding="utf-8")
