"""Findings that are known already, and are not reported again: in a baseline file, or at an earlier commit.

A finding is a warning, or a file that was checked and is not as it should be. Its key stays the same when lines move: the
path, the code, and the message or, of a file that differs, a digest of the lines that do. As many findings are known as
there were with that key.
"""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from modular.cache.fingerprints import digest
from modular.run.report import FileReport, Report, Status
from modular.source.diagnostics import Diagnostic, Problem, Severity
from modular.system.errors import ModularError
from modular.system.reading import read_bytes
from modular.system.writing import write_file


Key = tuple[str, str, str]
"""A path, a code, and what was found there."""

_VERSION = 1
_LARGEST = 20_000_000
"""Bytes of a baseline file: a hundred thousand findings take as many."""

_FILES = {Status.STALE: Problem.STALE_FILE, Status.MISSING: Problem.MISSING_FILE}
"""What the statuses of files that are not as they should be refer to."""


class BaselineError(ModularError):
    """A baseline cannot be read or written. The message says which, and why."""


def findings(report: Report) -> Counter[Key]:
    """Return the keys of all that a report holds and that may be known, and how often each is there."""
    keys = (*map(_key, report.diagnostics), *map(_key_of_file, report.files))
    return Counter(key for key in keys if key is not None)


def without(report: Report, known: Counter[Key]) -> Report:
    """Return a report without what is known."""
    left = Counter(known)
    diagnostics = tuple(new(report.diagnostics, left))
    files = tuple(
        file for file in report.files if not _is_known(_key_of_file(file), left)
    )
    dropped = (
        len(report.diagnostics) + len(report.files) - len(diagnostics) - len(files)
    )
    return replace(
        report, diagnostics=diagnostics, files=files, known=report.known + dropped
    )


def new(diagnostics: Iterable[Diagnostic], known: Counter[Key]) -> Iterator[Diagnostic]:
    """Yield the diagnostics that are not known; what is found in ``known`` is taken out of it."""
    return (
        diagnostic
        for diagnostic in diagnostics
        if not _is_known(_key(diagnostic), known)
    )


def _is_known(key: Key | None, known: Counter[Key]) -> bool:
    if key is None or not known[key]:
        return False
    known[key] -= 1
    return True


def _key(diagnostic: Diagnostic) -> Key | None:
    """The key of a diagnostic; None if it is an error, which cannot be known."""
    may_be_known = (
        diagnostic.code.severity is Severity.WARNING
        or diagnostic.code is Problem.ORPHAN
    )
    return (
        (diagnostic.place.path, diagnostic.code.id, diagnostic.message)
        if may_be_known
        else None
    )


def _key_of_file(file: FileReport) -> Key | None:
    """The key of a file; None if all is well with it."""
    if (code := _FILES.get(file.status)) is None:
        return None
    lines = [line for hunk in file.difference.hunks for line in hunk.lines]
    return file.path, code.id, digest("\n".join(lines).encode())


def read_baseline(file: str | os.PathLike[str]) -> Counter[Key]:
    """Read the findings of a baseline file. Raises BaselineError."""
    try:
        data = json.loads(read_bytes(Path(file), _LARGEST))
        return Counter(dict(_entry(value) for value in data["findings"]))
    except OSError as error:
        raise BaselineError(
            f"{file}: {error.strerror}: `--write-baseline` writes one"
        ) from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BaselineError(
            f"{file}: not a baseline: `--write-baseline` writes one"
        ) from error


def _entry(value: Any) -> tuple[Key, int]:
    count = value["count"]
    if type(count) is not int or count < 1:
        raise ValueError(f"{count!r} is not a count")
    return (str(value["path"]), str(value["code"]), str(value["found"])), count


def write_baseline(
    file: str | os.PathLike[str], counts: Counter[Key], root: Path
) -> None:
    """Write findings into a file, sorted, its folder included; links below ``root`` must not lead out. Raises BaselineError."""
    entries = [
        {"path": path, "code": code, "found": what, "count": number}
        for (path, code, what), number in sorted(counts.items())
    ]
    text = (
        json.dumps(
            {"version": _VERSION, "findings": entries}, indent=2, ensure_ascii=False
        )
        + "\n"
    )
    try:
        write_file(Path(file), text.encode(), root)
    except OSError as error:
        raise BaselineError(f"{file}: {error.strerror}") from error
