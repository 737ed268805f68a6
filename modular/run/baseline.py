"""Known findings, which are not reported again: of a baseline file or a commit.

A finding is a reported warning or info, or a generated file that is not up to date. Its key does not
contain line numbers, so it stays the same when lines move. If a key occurs three times in
the baseline, three findings with this key are known.
"""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from modular.cache.fingerprints import digest
from modular.run.report import FileReport, Report, Status
from modular.source.diagnostics import Diagnostic, Problem, Severity
from modular.system.errors import ModularError
from modular.system.reading import read_bytes
from modular.system.writing import NewFile, Ours, write_file


class FindingKey(NamedTuple):
    """What identifies a finding.

    Attributes:
        path: Path of the file relative to the root.
        code: Code of the finding, such as ``MOD402``.
        content: The message or, for a file that differs, a digest of the difference.
    """

    path: str
    code: str
    content: str


_VERSION = 1
_MAX_BASELINE_BYTES = 20_000_000
"""The size of about a hundred thousand findings."""

_CODE_OF_STATUS = {
    Status.STALE: Problem.STALE_FILE,
    Status.MISSING: Problem.MISSING_FILE,
}


class BaselineError(ModularError):
    """A baseline cannot be read or written; the message says which one and why."""


def count_findings(report: Report) -> Counter[FindingKey]:
    """Return how often each finding occurs in a report. Errors are left out."""
    counts = count_diagnostics(report.diagnostics)
    for file in report.files:
        key = _key_of_file(file)
        if key is not None:
            counts[key] += 1
    return counts


def count_diagnostics(diagnostics: Iterable[Diagnostic]) -> Counter[FindingKey]:
    """Return how often each finding occurs among diagnostics. Errors are left out."""
    counts: Counter[FindingKey] = Counter()
    for diagnostic in diagnostics:
        key = _key_of_finding(diagnostic)
        if key is not None:
            counts[key] += 1
    return counts


def without_known(report: Report, known_counts: Counter[FindingKey]) -> Report:
    """Return a report without the findings that a baseline or an earlier commit has, too.

    Errors because of which files were not written stay in the report.

    Args:
        report: The report.
        known_counts: How often the baseline or commit has each finding. If it has a
            finding twice, two findings of the report are left out, and a third one stays.
    """
    # `remove_if_known` removes each finding that it matches from this copy.
    remaining = Counter(known_counts)
    diagnostics = []
    for diagnostic in report.diagnostics:
        was_known = remove_if_known(_key_of_finding(diagnostic), remaining)
        if not was_known or diagnostic in report.blocking_errors:
            diagnostics.append(diagnostic)
    files = []
    for file in report.files:
        was_known = remove_if_known(_key_of_file(file), remaining)
        if not was_known:
            files.append(file)

    dropped_diagnostics = len(report.diagnostics) - len(diagnostics)
    dropped_files = len(report.files) - len(files)
    return replace(
        report,
        diagnostics=tuple(diagnostics),
        files=tuple(files),
        known_findings=report.known_findings + dropped_diagnostics + dropped_files,
    )


def new_diagnostics(
    diagnostics: Iterable[Diagnostic], known_counts: Counter[FindingKey]
) -> Iterator[Diagnostic]:
    """Yield the diagnostics of a run that an earlier run did not have.

    Args:
        diagnostics: Diagnostics of the run.
        known_counts: How often the earlier run has each finding. A finding that is matched
            is removed from it, so that it matches only once.
    """
    for diagnostic in diagnostics:
        was_known = remove_if_known(_key_of_finding(diagnostic), known_counts)
        if not was_known:
            yield diagnostic


def remove_if_known(key: FindingKey | None, known_counts: Counter[FindingKey]) -> bool:
    """Remove one finding from known findings, and return whether it was among them.

    Args:
        key: The key of the finding; None is never known.
        known_counts: The number of known findings with each key.
    """
    if key is None or known_counts[key] <= 0:
        return False
    known_counts[key] -= 1
    return True


def _key_of_finding(diagnostic: Diagnostic) -> FindingKey | None:
    """Return the key of a finding or orphan; None for other errors."""
    is_error = diagnostic.code.severity is Severity.ERROR
    if is_error and diagnostic.code is not Problem.ORPHAN:
        return None
    return key_of(diagnostic)


def key_of(diagnostic: Diagnostic) -> FindingKey:
    """Return the key of a diagnostic, which stays the same when lines move."""
    return FindingKey(diagnostic.place.path, diagnostic.code.id, diagnostic.message)


def _key_of_file(file: FileReport) -> FindingKey | None:
    """Return the key of a file that is not up to date; None for other files.

    The key contains a digest of the differing lines. If the baseline has a file, it is
    still reported when it differs in other lines.
    """
    code = _CODE_OF_STATUS.get(file.status)
    if code is None:
        return None
    lines: list[str] = []
    for hunk in file.difference.hunks:
        lines += hunk.lines
    return FindingKey(file.path, code.id, digest("\n".join(lines).encode()))


def read_baseline(file: str | os.PathLike[str]) -> Counter[FindingKey]:
    """Read the findings of a baseline file.

    Raises:
        BaselineError: The file cannot be read, or is not a baseline.
    """
    counts: Counter[FindingKey] = Counter()
    try:
        content = json.loads(read_bytes(Path(file), _MAX_BASELINE_BYTES))
        for entry in content["findings"]:
            count = entry["count"]
            if type(count) is not int or count < 1:
                raise ValueError(f"{count!r} is not a count")
            key = FindingKey(
                path=str(entry["path"]),
                code=str(entry["code"]),
                content=str(entry["found"]),
            )
            counts[key] = count
    except OSError as error:
        message = f"{file}: {error.strerror}; create it with `--write-baseline`"
        raise BaselineError(message) from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        message = f"{file}: not a baseline; create it with `--write-baseline`"
        raise BaselineError(message) from error
    return counts


def write_baseline(
    file: str | os.PathLike[str], counts: Counter[FindingKey], root: Path
) -> None:
    """Write findings into a baseline file.

    Args:
        file: The file, whose folder is created. A file that is not a baseline is not
            replaced.
        counts: Number of findings by key.
        root: Root of the project; links below it must not lead out of it.

    Raises:
        BaselineError: The file cannot be written.
    """
    entries = []
    for key, count in sorted(counts.items()):
        entries.append(
            {
                "path": key.path,
                "code": key.code,
                "found": key.content,
                "count": count,
            }
        )
    content = {"version": _VERSION, "findings": entries}
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    new_file = NewFile(text.encode(), Ours(_is_baseline), replaces_link=True)
    try:
        write_file(Path(file), new_file, root)
    except OSError as error:
        raise BaselineError(f"{file}: {error.strerror}") from error


def _is_baseline(data: bytes) -> bool:
    """Return whether the content of a file is a baseline of any version, or empty."""
    if not data:
        return True
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(content, dict) and content.keys() == {"version", "findings"}
