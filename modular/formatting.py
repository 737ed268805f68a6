"""Formats whole batches of files in one call of ruff or black, as if they stood at their final paths.

The files are put into a temporary mirror of the project that sees the project's own formatter settings, and read back.
"""

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import blake2b
from pathlib import Path, PurePosixPath

CONFIGS = ("ruff.toml", ".ruff.toml", "pyproject.toml")
"""Files that a formatter reads its settings from, in any folder down to that of the file it formats."""

_AT = re.compile(r"(?P<path>[^\s:]+\.py):(?P<line>\d+):(?P<column>\d+): (?P<message>.*)")
_BATCH = 400
_UNDEFINED = "F821"
"""Ruff's rule that finds undefined names. It repairs nothing, so it may run with the repairs of the project's own rules."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A file that the formatter could not read: where it stopped, in the unformatted text, and why."""

    path: str
    line: int
    column: int
    message: str


@dataclass(frozen=True, slots=True)
class Undefined:
    """A name that a file uses but does not define, and where in the unformatted text."""

    path: str
    line: int
    name: str


@dataclass(frozen=True, slots=True)
class Formatted:
    """The formatted texts by path, what could not be formatted, and which names are undefined in the texts."""

    texts: Mapping[str, str]
    failures: tuple[Failure, ...] = ()
    undefined: tuple[Undefined, ...] = ()


class FormatterError(Exception):
    """The formatter is not installed or could not be run. The message says what to do."""


def format_texts(texts: Mapping[str, str], root: Path, formatter: str) -> Formatted:
    """Format texts by their paths relative to ``root``; formatter is `ruff`, `black` or `none`.

    Raises FormatterError if the formatter cannot be run.
    """
    if not texts:
        return Formatted({})
    if formatter == "none":
        return Formatted(dict(texts), (), _undefined(texts, root))
    suspicious: set[str] = set()
    failures: list[Failure] = []
    with _mirror(root, texts) as mirror:
        for batch in _batches(sorted(texts)):
            failures += _ruff(mirror, batch, suspicious) if formatter == "ruff" else _black(mirror, batch, suspicious)
        done = {path: (mirror / path).read_text(encoding="utf-8") for path in texts}
    failed = {failure.path for failure in failures}
    undefined = _undefined({path: texts[path] for path in sorted(suspicious - failed)}, root)
    return Formatted({path: text for path, text in done.items() if path not in failed}, tuple(failures), undefined)


def _batches(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(paths), _BATCH):
        yield paths[start : start + _BATCH]


@contextmanager
def _mirror(root: Path, texts: Mapping[str, str]) -> Iterator[Path]:
    """A temporary folder that looks like the project to a formatter: its settings, its folders, and the texts."""
    with tempfile.TemporaryDirectory(prefix="modular-") as name:
        mirror = Path(name).resolve() / "root"
        folders = {PurePosixPath(path).parent for path in texts}
        parents = {PurePosixPath(".")} | {parent for folder in folders for parent in (folder, *folder.parents)}
        for folder in sorted(parents):
            (mirror / folder).mkdir(parents=True, exist_ok=True)
            _copy_configs(root / folder, mirror / folder)
        for folder in (PurePosixPath("."), PurePosixPath("src")):
            if folder in parents:
                _link_packages(root / folder, mirror / folder)
        for path, text in texts.items():
            (mirror / path).write_text(text, encoding="utf-8", newline="")
        yield mirror


def _copy_configs(folder: Path, mirror: Path) -> None:
    for name in CONFIGS:
        if (folder / name).is_file():
            shutil.copyfile(folder / name, mirror / name)


def _link_packages(folder: Path, mirror: Path) -> None:
    """Import sorting asks which packages stand in the project; links to them answer."""
    for entry in folder.iterdir():
        if not entry.name.startswith(".") and not (mirror / entry.name).exists():
            (mirror / entry.name).symlink_to(entry)


def _ruff(mirror: Path, paths: Sequence[str], suspicious: set[str]) -> Iterator[Failure]:
    """Fix and format files; add those in which a name is undefined to ``suspicious``."""
    quiet = ("--no-cache", "--quiet")
    fix = ("--fix", "--exit-zero", "--extend-select", _UNDEFINED, "--output-format", "json")
    check = _run([ruff_executable(), "check", *fix, *quiet, *paths], mirror)
    done = _run([ruff_executable(), "format", *quiet, *paths], mirror)
    yield from _failures(check.stderr + done.stderr, mirror)
    suspicious.update(each.path for each in _undefined_names(check.stdout, mirror))


def _black(mirror: Path, paths: Sequence[str], suspicious: set[str]) -> Iterator[Failure]:
    """Format files; all of them are ``suspicious``, because black does not look for undefined names."""
    if importlib.util.find_spec("black") is None:
        raise FormatterError("black is not installed: run `pip install modular-models[black]`")
    done = _run([sys.executable, "-m", "black", "--quiet", *paths], mirror)
    yield from _failures(done.stderr, mirror)
    suspicious.update(paths)


def _undefined(texts: Mapping[str, str], root: Path) -> tuple[Undefined, ...]:
    """Return the undefined names of texts as they stand, from top to bottom."""
    if not texts:
        return ()
    found: list[Undefined] = []
    command = [ruff_executable(), "check", "--exit-zero", "--select", _UNDEFINED, "--output-format", "json", "--no-cache", "--quiet"]
    with _mirror(root, texts) as mirror:
        for batch in _batches(sorted(texts)):
            found += _undefined_names(_run([*command, *batch], mirror).stdout, mirror)
    return tuple(sorted(found, key=lambda each: (each.path, each.line)))


def _undefined_names(report: str, mirror: Path) -> Iterator[Undefined]:
    for each in json.loads(report or "[]"):
        if each["code"] == _UNDEFINED:
            path = Path(each["filename"]).relative_to(mirror).as_posix()
            yield Undefined(path, each["location"]["row"], each["message"].split("`")[1])


def _run(command: Sequence[str], mirror: Path) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, cwd=mirror, capture_output=True, text=True, encoding="utf-8", check=False)
    except OSError as error:
        raise FormatterError(f"{command[0]}: {error}") from error


def _failures(stderr: str, mirror: Path) -> Iterator[Failure]:
    for line in dict.fromkeys(stderr.splitlines()):
        if match := _AT.search(line):
            path = match["path"].removeprefix(f"{mirror}/")
            yield Failure(path, int(match["line"]), int(match["column"]), match["message"])
        elif "ruff failed" in line or line.startswith("error: Failed to load"):
            raise FormatterError(stderr.strip())


def readable(root: Path, paths: Sequence[str]) -> frozenset[str]:
    """Return the files in which ruff finds no syntax error: much quicker than to parse each here.

    What is not among them may still be Python: hostile files can end ruff itself, and then there are none.
    """
    command = [ruff_executable(), "check", "--isolated", "--no-cache", "--target-version", "py314", "--select", "E902"]
    done = _run([*command, "--output-format", "json", *paths], root)
    if done.returncode not in (0, 1):
        return frozenset()
    refused = {Path(each["filename"]) for each in json.loads(done.stdout)}
    return frozenset(path for path in paths if root / path not in refused)


@cache
def ruff_executable() -> str:
    """The ruff of this environment, else the first on the path. Raises FormatterError if there is none."""
    own = Path(sysconfig.get_path("scripts")) / ("ruff.exe" if sys.platform == "win32" else "ruff")
    found = str(own) if own.is_file() else shutil.which("ruff")
    if found is None:
        raise FormatterError("ruff is not installed: run `pip install ruff`")
    return found


def fingerprint(root: Path, formatter: str, folder: str) -> str:
    """A digest of all that decides how the formatter writes files of a folder: its version and its settings."""
    found = blake2b(f"{formatter} {_installed_version(formatter)}".encode(), digest_size=16)
    for each in (PurePosixPath(folder), *PurePosixPath(folder).parents):
        found.update(_configs_digest(root / each))
    return found.hexdigest()


@lru_cache(maxsize=4096)
def _configs_digest(folder: Path) -> bytes:
    found = blake2b(digest_size=16)
    for name in CONFIGS:
        path = folder / name
        if path.is_file():
            found.update(name.encode() + path.read_bytes())
    return found.digest()


@cache
def _installed_version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
