"""A temporary folder that looks like the project to a formatter: its settings, its folders, and the texts to format."""

import errno
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from modular.format.formatter_config import PYPROJECT, FormatterConfig, packages, read, table_of
from modular.source.system import safe_paths
from modular.source.system.interrupts import shielded


@contextmanager
def mirror(root: Path, texts: Mapping[str, str]) -> Iterator[Path]:
    """Make a mirror of the project at ``root`` with texts by path, and delete it in the end.

    Raises OSError, and `settings.SettingsError` where the formatter's settings are not valid.
    """
    for path in texts:
        if problem := safe_paths.problem(path):
            raise OSError(errno.EINVAL, problem, path)
    with shielded():
        folder = TemporaryDirectory(prefix="modular-mirror-", ignore_cleanup_errors=True)
    try:
        yield _furnish(root, Path(folder.name).resolve(), texts)
    finally:
        with shielded():
            folder.cleanup()


def _furnish(root: Path, top: Path, texts: Mapping[str, str]) -> Path:
    """Put into a folder what the formatter is to see, each file where it is seen from the others; return where the project is.

    So settings that name files or folders relative to themselves mean the same ones.
    """
    (top / PYPROJECT).write_text(_no_settings(root), encoding="utf-8")
    config = FormatterConfig(root)
    folders = {".", *(str(PurePosixPath(path).parent) for path in texts)}
    files = {file for folder in folders for file in config.settings(folder)}
    above = os.path.commonpath([root, *(file.parent for file in files)])
    place = top / "root" / root.relative_to(above)
    for file in files:
        copy = top / "root" / file.relative_to(above)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(read(file))
    for folder in folders:
        (place / folder).mkdir(parents=True, exist_ok=True)
    fill(place, texts)
    for folder in (".", "src"):
        if (place / folder).is_dir():
            _link_packages(root / folder, place / folder)
    return place


def _no_settings(root: Path) -> str:
    """Settings without a setting: a formatter that finds none looks further up, and the temporary folder is not ours.

    Where nothing is set, the Python version that the project requires still counts.
    """
    required = table_of(root / PYPROJECT, "project").get("requires-python") if (root / PYPROJECT).is_file() else None
    quoted = json.dumps(required, ensure_ascii=False)
    table = f"[project]\nrequires-python = {quoted}\n" if isinstance(required, str) else ""
    return f"{table}[tool.ruff]\n[tool.black]\n"


def fill(place: Path, texts: Mapping[str, str]) -> None:
    """Write texts into a mirror, by path, each as a new file: nothing is written through a link. Raises OSError."""
    for path, text in texts.items():
        (place / path).unlink(missing_ok=True)
        (place / path).write_text(text, encoding="utf-8", newline="")


def _link_packages(folder: Path, place: Path) -> None:
    """Import sorting asks which packages are in the project; links to them answer."""
    for name in packages(folder):
        if not os.path.lexists(place / name):
            (place / name).symlink_to(folder / name)
