"""Finds files that differ from their new text in formatting alone, and says why."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from modular.format.formatter_version import describe_mismatch, running_version
from modular.format.formatting import format_texts
from modular.project.project import Project
from modular.run.report import FileReport, Status
from modular.source.module import normalize_text
from modular.source.source_slice import words
from modular.system.printable import counted
from modular.system.ruff import FormatterError


class TextPair(NamedTuple):
    """The text of a generated file on disk, and its new text."""

    old: str
    new: str


def find_formatting_differences(
    project: Project, pairs: Mapping[str, TextPair]
) -> frozenset[str]:
    """Return the paths of the files that differ from their new text in formatting alone.

    For these files, the formatter turns the text on disk into the new text. They were
    probably formatted with another version of the formatter, or with other settings.

    Args:
        project: The project.
        pairs: The texts of files that differ, by path.
    """
    old_texts = {}
    for path, pair in pairs.items():
        old = normalize_text(pair.old)
        # A formatter keeps all words, so files with other words need not be formatted.
        if old != pair.new and words(old) == words(pair.new):
            old_texts[path] = old
    formatter = project.settings.formatter
    try:
        formatted = format_texts(old_texts, project.root, formatter)
    except FormatterError:
        return frozenset()
    reformatted_paths = set()
    for path, text in formatted.texts.items():
        if text == pairs[path].new:
            reformatted_paths.add(path)
    return frozenset(reformatted_paths)


def describe_formatting(project: Project, files: Iterable[FileReport]) -> str:
    """Explain in one line why generated files differ in their formatting.

    The line says how many files differ in formatting alone, and why or what to run. If no
    file does, the line only warns if another version of the formatter runs than the
    project pins.

    Args:
        project: The project.
        files: The files of a report, some of which are stale or were written.

    Returns:
        The line; empty if there is nothing to explain.

    Raises:
        modular.system.ruff.FormatterError: Ruff is not installed or cannot be run.
    """
    settings = project.settings
    formatter = settings.formatter
    reformatted = [file for file in files if file.differs_only_in_formatting]
    if not reformatted:
        return describe_mismatch(project.root, formatter)

    has_stale_files = any(file.status is Status.STALE for file in reformatted)
    if not has_stale_files:
        verb = "differed"
    elif len(reformatted) == 1:
        verb = "differs"
    else:
        verb = "differ"
    subject = f"{counted(len(reformatted), 'file')} {verb} in formatting alone"
    mismatch = describe_mismatch(project.root, formatter, settings.formatter_version)
    if mismatch:
        return f"{subject}: {mismatch}"
    # Files that were just written need no advice.
    if not has_stale_files:
        return ""
    return (
        f"{subject}: run `modular convert` to format with {formatter} "
        f"{running_version(formatter)}, or install the version of {formatter} that has "
        "formatted the project"
    )
