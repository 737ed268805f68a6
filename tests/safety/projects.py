"""Small projects for the tests of safety, and the command run over them."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import modular
from tests.flock import run_modular
from tests.support import source, write_project


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


def many_models(count: int, word: str) -> dict[str, str]:
    """Return a project of ``count`` models with four files each, in all of which a word stands."""
    parents = {
        "models/base/modeling_base.py": "class BaseModel:\n    pass\n",
        "models/base/configuration_base.py": "class BaseConfig:\n    pass\n",
        "models/base/tokenization_base.py": "class BaseTokenizer:\n    pass\n",
        "models/base/processing_base.py": "class BaseProcessor:\n    pass\n",
    }
    return parents | {
        f"models/m{number}/modular_m{number}.py": _modular(f"M{number}", word) for number in range(count)
    }


def _modular(cased: str, word: str) -> str:
    return source(
        f'''
        from ..base.configuration_base import BaseConfig
        from ..base.modeling_base import BaseModel
        from ..base.processing_base import BaseProcessor
        from ..base.tokenization_base import BaseTokenizer


        class {cased}Config(BaseConfig):
            word = "{word}"


        class {cased}Model(BaseModel):
            word = "{word}"


        class {cased}Tokenizer(BaseTokenizer):
            word = "{word}"


        class {cased}Processor(BaseProcessor):
            word = "{word}"
        '''
    )


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
