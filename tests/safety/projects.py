"""Small projects for the tests of safety, and modular run over them."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import modular
from modular import Options, Report, check, convert
from tests.flock import run_modular
from tests.support import write_project


PACKAGE = Path(modular.__file__).parent.parent


def command(*arguments: str) -> list[str]:
    """Return the command line that runs modular in this environment; the current folder is not where Python looks for modules."""
    return [sys.executable, "-P", "-m", "modular", *arguments]


def environment(cache: Path, **variables: str) -> dict[str, str]:
    """Return an environment in which the command finds the package, and keeps its cache in a folder."""
    return {
        **os.environ,
        "PYTHONPATH": str(PACKAGE),
        "MODULAR_CACHE_DIR": str(cache),
        **variables,
    }


def start(
    root: Path,
    *arguments: str,
    begin: Callable[[], None] | None = None,
    **variables: str,
) -> subprocess.Popen[str]:
    """Start modular on a project in a process of its own, which leads a group."""
    return subprocess.Popen(
        command(*arguments),
        cwd=root,
        env=environment(root.parent / "cache", **variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
        preexec_fn=begin,
    )


def ended(process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    """Wait a minute for a process, and return what it printed; a crash is a negative return code."""
    try:
        stdout, stderr = process.communicate(timeout=60)
    finally:
        process.kill()
    return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)


def run(
    root: Path, *arguments: str, cwd: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run modular on a project, in this process, and return what it printed."""
    return run_modular(
        *arguments,
        cwd=cwd or root,
        env={"MODULAR_CACHE_DIR": str(root.parent / "cache"), **variables},
    )


def converted(root: Path, jobs: int = 1) -> Report:
    """Convert a project without the cache."""
    return convert(options=Options(root=root, cache=False, jobs=jobs))


def checked(root: Path) -> Report:
    """Check a project without the cache."""
    return check(options=Options(root=root, cache=False))


def errors(report: Report) -> list[tuple[str, str]]:
    """Return the code and the path of each error."""
    return [
        (diagnostic.code.id, diagnostic.place.path)
        for diagnostic in report.diagnostics
        if diagnostic.is_error
    ]


def make(root: Path, files: Mapping[str, str | bytes], formatter: str = "none") -> Path:
    """Write files into a folder that is a project, and return it."""
    write_project(root, files, formatter)
    return root


def models(*names: str) -> dict[str, str]:
    """Return a parent, and models that inherit from it."""
    text = "from ..base.modeling_base import BaseModel\n\n\nclass {}Model(BaseModel):\n    pass\n"
    parent = "class BaseModel:\n    def f(self, a=1, **kwargs):\n        return a\n"
    children = {
        f"models/{name}/modular_{name}.py": text.format(name.capitalize())
        for name in names
    }
    return {"models/base/modeling_base.py": parent, **children}


def many_models(count: int, word: str) -> dict[str, str]:
    """Return a project of ``count`` models with four files each, all with a word in them."""
    kinds = {
        "configuration": "Config",
        "modeling": "Model",
        "processing": "Processor",
        "tokenization": "Tokenizer",
    }
    files = {
        f"models/base/{kind}_base.py": f"class Base{end}:\n    pass\n"
        for kind, end in kinds.items()
    }
    imports = "".join(
        f"from ..base.{kind}_base import Base{end}\n" for kind, end in kinds.items()
    )
    for model in (f"m{number}" for number in range(count)):
        classes = (
            f'\n\nclass {model.upper()}{end}(Base{end}):\n    word = "{word}"\n'
            for end in kinds.values()
        )
        files[f"models/{model}/modular_{model}.py"] = imports + "".join(classes)
    return files


def state(*folders: Path) -> dict[str, tuple[int, ...]]:
    """Return what there is below folders, with the times of changes, which no program can set."""
    entries: dict[str, tuple[int, ...]] = {}
    for folder in folders:
        for place, _, names in os.walk(folder):
            for path in (place, *(os.path.join(place, name) for name in names)):
                entry = os.lstat(path)
                entries[path] = (
                    entry.st_mode,
                    entry.st_ino,
                    entry.st_size,
                    entry.st_mtime_ns,
                    entry.st_ctime_ns,
                )
    return entries
