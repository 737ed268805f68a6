"""Dependency files for Make and Ninja: what each generated file was made from.

    generated/owl/modeling_owl.py: models/owl/modular_owl.py pyproject.toml

Paths are relative to the current folder, as compilers write them, because a build tool
compares them with its own paths.
"""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from modular.cache.inputs import Inputs
from modular.project.project import Project
from modular.run.report import Report
from modular.system.errors import ModularError
from modular.system.writing import NewFile, Ours, write_file


class DepfileError(ModularError):
    """A dependency file cannot be written; the message says why."""


_BLANK_WITH_BACKSLASHES = re.compile(r"(\\*) ")
"""A blank in a path, and the backslashes directly before it."""

_UNREPRESENTABLE = re.compile(r"""[\0-\x1f"&'*;<=>?^`|]|\\[#:]""")
"""Characters of a path that Make or Ninja cannot read, however they are escaped."""


def write_depfile(file: Path, report: Report) -> None:
    """Write the dependency file of a run.

    Only a dependency file is replaced, and never a source or another file.

    Args:
        file: The file; its folder is created.
        report: The result of the run.

    Raises:
        DepfileError: The file cannot be written, or a path cannot be expressed.
    """
    text = render(find_dependencies(report, Path.cwd()))
    new_file = NewFile(text.encode(), Ours(_is_depfile), replaces_link=True)
    try:
        write_file(file, new_file, report.root)
    except OSError as error:
        raise DepfileError(f"{file}: {error.strerror}") from error


def _is_depfile(data: bytes) -> bool:
    """Return whether a content has the form of the files that `render` makes.

    It has only rules: lines that end with `:`, or that continue such a line.
    """
    is_continued = False
    for line in data.decode(errors="replace").splitlines():
        is_indented = line.startswith("  ")
        names = line.removesuffix(" \\")
        if is_indented != is_continued or not (is_indented or names.endswith(":")):
            return False
        is_continued = names != line
    return not is_continued


def find_dependencies(report: Report, start: Path) -> dict[str, tuple[str, ...]]:
    """Return the existing files that each generated file was made from.

    Settings files are included. Files that the run itself generates are left out: one
    step of a build converts all models, so it cannot wait for files that it writes.

    Args:
        report: The result of the run.
        start: The folder that all returned paths are relative to.

    Returns:
        The sorted dependencies of each generated file.
    """
    project = report.project
    inputs = Inputs(project)
    generated = report.reads.keys()
    dependencies = {}
    for output, reads in report.reads.items():
        output_folder = str(PurePosixPath(output).parent)
        # This adds the settings of the project, and of the formatter for the folder.
        output_inputs = inputs.files_of_result(output_folder, reads)
        existing = []
        # `reads` has the sources of a generated parent file, such as `modular_a.py` for
        # `modeling_a.py`, so nothing is lost without the parent file itself.
        for path in output_inputs - generated:
            if project.locate(path).is_file():
                existing.append(_make_relative(project, path, start))
        target = _make_relative(project, output, start)
        dependencies[target] = tuple(sorted(existing))
    return dependencies


def _make_relative(project: Project, path: str, start: Path) -> str:
    """Return a path of the project relative to another folder."""
    return Path(os.path.relpath(project.locate(path), start)).as_posix()


def render(dependencies: Mapping[str, Sequence[str]]) -> str:
    """Return the text of a dependency file.

    Each dependency also gets an empty rule, so that Make does not stop if it has been
    deleted.

    Raises:
        DepfileError: A path cannot be expressed.
    """
    lines = []
    all_paths: set[str] = set()
    for target, paths in dependencies.items():
        rule = [f"{_escape(target)}:", *map(_escape, paths)]
        lines.append(" \\\n  ".join(rule))
        all_paths.update(paths)
    for path in sorted(all_paths):
        lines.append(f"{_escape(path)}:")
    return "".join(f"{line}\n" for line in lines)


def _escape(path: str) -> str:
    r"""Return a path with the escapes that both Make and Ninja read.

    A blank, `#` and `:` get a backslash, and `$` is doubled: `a b#c$` becomes
    `a\ b\#c$$`. Backslashes in the path stay as they are, except before a blank.

    Raises:
        DepfileError: One of the programs could not read the path, however it is escaped.
            It contains a character such as `*`, or a backslash before `#` or `:`.
    """
    if _UNREPRESENTABLE.search(path):
        raise DepfileError(
            f"{path!r}: Make and Ninja cannot both read this name in a dependency file"
        )
    # Backslashes before a blank (group 1) are doubled: `a\ b` becomes `a\\\ b`.
    escaped = _BLANK_WITH_BACKSLASHES.sub(r"\1\1\\ ", path)
    escaped = escaped.replace("#", "\\#").replace(":", "\\:")
    return escaped.replace("$", "$$")
