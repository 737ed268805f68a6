"""Git repositories with a small project in them, and commands and changes there."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.flock import run_modular


MODELS = {
    "pyproject.toml": '[tool.modular]\npreset = "transformers"\nformatter = "none"\n[tool.modular.banner]\ntext = ""\n',
    "models/elder/modeling_elder.py": "class ElderLeaf:\n    size = 1\n",
    "models/young/modular_young.py": (
        "from ..elder.modeling_elder import ElderLeaf\n\n\nclass YoungLeaf(ElderLeaf):\n    pass\n"
    ),
    "models/young/modeling_young.py": "class YoungLeaf:\n    size = 1\n",
    "models/grown/modular_grown.py": (
        "from ..young.modeling_young import YoungLeaf\n\n\nclass GrownLeaf(YoungLeaf):\n    pass\n"
    ),
    "models/grown/modeling_grown.py": "class GrownLeaf:\n    size = 1\n",
    "models/lone/modular_lone.py": "class LoneLeaf:\n    size = 1\n",
    "models/lone/modeling_lone.py": "class LoneLeaf:\n    size = 1\n",
}
"""`grown` inherits from `young`, which inherits from `elder`; `lone` from nobody. All generated files are fresh."""


@dataclass(frozen=True)
class Repository:
    """A repository at a folder."""

    root: Path

    def write(self, files: Mapping[str, str]) -> None:
        """Write files by their paths."""
        for path, text in files.items():
            place = self.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")

    def read(self, path: str) -> str:
        """Return the text of a file."""
        return (self.root / path).read_text(encoding="utf-8")

    def git(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run git, which must succeed."""
        done = self.run(["git", *arguments])
        assert done.returncode == 0, done.stderr
        return done

    def commit(self) -> None:
        """Commit everything."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--no-verify", "--message", "all")

    def modular(
        self, *arguments: str, folder: str = "."
    ) -> subprocess.CompletedProcess[str]:
        """Run `modular` in a folder of the repository, in this process."""
        return run_modular(*arguments, cwd=self.root / folder, env=self.environment)

    @property
    def environment(self) -> dict[str, str]:
        """The variables with which commands run, with nothing of the user's own settings."""
        scripts = str(Path(sys.executable).parent)
        people = {
            f"GIT_{role}_{part}": value
            for role in ("AUTHOR", "COMMITTER")
            for part, value in (("NAME", "someone"), ("EMAIL", "someone@example.org"))
        }
        return {
            "PATH": os.pathsep.join([scripts, os.environ["PATH"]]),
            "HOME": str(self.root.parent / "home"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "MODULAR_CACHE_DIR": str(self.root.parent / "cache"),
            **people,
        }

    def run(
        self,
        command: list[str],
        folder: str = ".",
        variables: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in a folder of the repository."""
        return subprocess.run(
            command,
            cwd=self.root / folder,
            env={**self.environment, **(variables or {})},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )


def make(root: Path) -> Repository:
    """Make a repository in which the project `MODELS` is committed on the branch `main`."""
    root.mkdir(parents=True)
    repository = Repository(root)
    repository.git("init", "--quiet", "--initial-branch", "main")
    repository.write(MODELS)
    repository.commit()
    return repository


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
