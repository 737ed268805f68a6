"""Small projects for the tests of safety, and the command run over them."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import modular
from tests.flock import run_modular
from tests.support import write_project


PACKAGE = Path(modular.__file__).parent.parent

PARENT_FILES = ("configuration", "modeling", "tokenization", "processing")
"""The file types of `many_models`: a model's files are many, so that there is time to be killed between two."""


def command(*arguments: str) -> list[str]:
    """Return the command line that runs modular in this environment."""
    return [sys.executable, "-m", "modular", *arguments]


def environment(cache: Path, **variables: str) -> dict[str, str]:
    """Return an environment in which the command finds the package, and keeps its cache in a folder."""
    return {**os.environ, "PYTHONPATH": str(PACKAGE), "MODULAR_CACHE_DIR": str(cache), **variables}


def run(
    root: Path, *arguments: str, cache: Path | None = None, cwd: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run modular on a project, in this process, and return what it printed."""
    variables = {"MODULAR_CACHE_DIR": str(cache or root.parent / "cache"), **variables}
    return run_modular(*arguments, cwd=cwd or root, env=variables)


def make(root: Path, files: Mapping[str, str | bytes], formatter: str = "none") -> Path:
    """Write files into a folder that is a project, and return it."""
    write_project(root, files, formatter)
    return root


def models(*names: str) -> dict[str, str]:
    """Return a parent, and models that inherit from it."""
    text = "from ..base.modeling_base import BaseModel\n\n\nclass {}Model(BaseModel):\n    pass\n"
    parent = "class BaseModel:\n    def f(self, a=1, **kwargs):\n        return a\n"
    children = {f"models/{name}/modular_{name}.py": text.format(name.capitalize()) for name in names}
    return {"models/base/modeling_base.py": parent, **children}


def many_models(count: int, word: str) -> dict[str, str]:
    """Return a project of ``count`` models with four files each, in all of which a word stands."""
    parents = {"configuration": "Config", "modeling": "Model", "tokenization": "Tokenizer", "processing": "Processor"}
    files = {f"models/base/{kind}_base.py": f"class Base{end}:\n    pass\n" for kind, end in parents.items()}
    imports = "".join(f"from ..base.{kind}_base import Base{end}\n" for kind, end in sorted(parents.items()))
    for number in range(count):
        ends = parents.values()
        classes = "".join(f'\n\nclass M{number}{end}(Base{end}):\n    word = "{word}"\n' for end in ends)
        files[f"models/m{number}/modular_m{number}.py"] = imports + classes
    return files


def words(root: Path, number: int) -> list[str]:
    """Return which word stands in each file of a model; "" where there is no such file or nothing readable in it."""
    found = []
    for file_type in PARENT_FILES:
        path = root / f"models/m{number}/{file_type}_m{number}.py"
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        found.append(next((word for word in ("old", "new") if f'word = "{word}"\n' in text), ""))
    return found


def leftovers(root: Path) -> list[str]:
    """Return the names of files that are no sources: those that a run has put beside them."""
    return sorted(path.name for path in root.rglob("*") if path.is_file() and path.name.startswith("."))


State = dict[str, tuple[int, ...]]


def state(*folders: Path) -> State:
    """Return what there is below folders.

    With the times at which entries changed, which no program can set: a folder in which something was made and deleted
    again has changed, too.
    """
    entries: State = {}
    for folder in folders:
        for place, _, names in os.walk(folder):
            for path in (place, *(os.path.join(place, name) for name in names)):
                entry = os.lstat(path)
                entries[path] = (entry.st_mode, entry.st_ino, entry.st_size, entry.st_mtime_ns, entry.st_ctime_ns)
    return entries
