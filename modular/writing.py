"""Writes the files of a model: all new or, where anything goes wrong, all old."""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from modular.diagnostics import Code, Diagnostic, Place


def write_files(root: Path, texts: Mapping[str, str]) -> Diagnostic | None:
    """Replace or create the files of one model, by path relative to ``root``. Return what kept them from being written."""
    staged: list[tuple[Path, Path]] = []
    try:
        for path, text in sorted(texts.items()):
            target = root / path
            if not target.parent.resolve().is_relative_to(root):
                return _problem(Code.OUTSIDE_ROOT, path, "the folder leads out of the project's root")
            target.parent.mkdir(parents=True, exist_ok=True)
            staged.append((_stage(target, text), target))
        for source, target in staged:
            os.replace(source, target)
    except OSError as error:
        for source, _ in staged:
            with suppress(OSError):
                source.unlink()
        return _problem(Code.CANNOT_WRITE, error.filename or "", f"cannot be written: {error.strerror}")
    return None


def _stage(target: Path, text: str) -> Path:
    """Write a text beside its target, with the target's mode."""
    staged = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    with open(staged, "w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    if target.exists():
        os.chmod(staged, target.stat().st_mode & 0o7777)
    return staged


def _problem(code: Code, path: str, message: str) -> Diagnostic:
    return Diagnostic(code, Place(path), message, "nothing of this model was changed")
