"""Lines of `.gitattributes` for generated files."""

import re
from collections.abc import Iterator
from pathlib import Path

from modular.project.project import Project
from modular.run.options import Options
from modular.scaffold.setup_files import ATTRIBUTES, end_last_line, read_text
from modular.source.loading import newline_of


MERGE_DRIVER = "modular merge -- %O %A %B %P"
"""The command that git runs for files with the attribute `merge=modular`."""

_PLAIN_PATH = re.compile(r"[\w./-]+")
"""Paths that mean only themselves in `.gitattributes`."""


def add_attributes(root: Path) -> str | None:
    """Return the text of `.gitattributes` with the missing lines for model files at its end.

    With `models/**/*.py merge=modular`, git merges model files with `modular merge`.
    With `generated/**/*.py linguist-generated`, GitHub folds the diffs of all files in
    the output folder. Without such a folder, no pattern tells generated files from
    others.

    Args:
        root: Root of a project with settings.

    Returns:
        The text; None if no line is missing, or the project is in no git repository.

    Raises:
        modular.settings.settings.SettingsError: The settings cannot be used.
        OSError: The file cannot be read.
    """
    is_in_git = any((folder / ".git").exists() for folder in (root, *root.parents))
    if not is_in_git:
        return None

    text = read_text(root, ATTRIBUTES)
    missing_lines = []
    for line in _wanted_lines(Options(root=root).open(())):
        pattern = line.partition(" ")[0]
        # Characters such as blanks, `#` and `[` have a meaning in `.gitattributes`.
        is_plain = _PLAIN_PATH.fullmatch(pattern.replace("*", ""))
        if is_plain and line not in text.splitlines():
            missing_lines.append(line + newline_of(text))
    if not missing_lines:
        return None
    return end_last_line(text) + "".join(missing_lines)


def _wanted_lines(project: Project) -> Iterator[str]:
    """Yield the lines that the model files of a project need in `.gitattributes`."""
    output = project.settings.output
    for folder in (*project.models_folders, output):
        if folder:
            pattern = "**/*.py" if folder == "." else f"{folder}/**/*.py"
            yield f"{pattern} merge=modular"
    if output:
        yield f"{output}/**/*.py linguist-generated"
