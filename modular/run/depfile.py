"""Dependency files: what each generated file was made from, as Make and Ninja read it.

    generated/owl/modeling_owl.py: models/owl/modular_owl.py models/eagle/modeling_eagle.py pyproject.toml

Paths are relative to the current folder, as compilers write them: a build engine compares them with its own.
"""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from modular.cache.inputs import Inputs
from modular.project.project import Project
from modular.run.report import Report
from modular.system.errors import ModularError
from modular.system.writing import write_file


class DepfileError(ModularError):
    """A dependency file cannot be written. The message says why."""


_BLANK = re.compile(r"(\\*) ")
_SIGN = re.compile(r"[#:]")
_IMPOSSIBLE = re.compile(r"""[\0-\x1f"&'*;<=>?^`|]|\\[#:]""")
"""What Make or Ninja cannot read in a path, however it is written."""


def write_depfile(file: Path, project: Project, report: Report) -> None:
    """Write the dependency file of a run, its folder included. Raises DepfileError."""
    text = render(dependencies(project, report, Path.cwd()))
    try:
        write_file(file, text.encode(), project.root)
    except OSError as error:
        raise DepfileError(f"{file}: {error.strerror}") from error


def dependencies(
    project: Project, report: Report, start: Path
) -> dict[str, tuple[str, ...]]:
    """Return, for each generated file of a run, what it was made from, as sorted paths relative to ``start``.

    That is all that was read for it, the project's and the formatter's settings included. What the same run generates, or
    has generated in memory only, is left out, and what that was made from is there: one step of a build may make many models.
    """
    inputs = Inputs(project)
    rules = {}
    for output, reads in report.reads.items():
        kept = (
            inputs.of_result(str(PurePosixPath(output).parent), reads)
            - report.reads.keys()
        )
        present = (path for path in kept if project.locate(path).is_file())
        rules[_relative(project, output, start)] = tuple(
            sorted(_relative(project, path, start) for path in present)
        )
    return rules


def _relative(project: Project, path: str, start: Path) -> str:
    return Path(os.path.relpath(project.locate(path), start)).as_posix()


def render(rules: Mapping[str, Sequence[str]]) -> str:
    """Return a dependency file: a rule for each target, and an empty one for each prerequisite.

    With these, Make goes on when one of them was deleted. Raises DepfileError where a path cannot be written down.
    """
    lines = [
        " \\\n  ".join([f"{_escaped(target)}:", *map(_escaped, paths)])
        for target, paths in rules.items()
    ]
    lines += [
        f"{_escaped(path)}:"
        for path in sorted({path for paths in rules.values() for path in paths})
    ]
    return "".join(f"{line}\n" for line in lines)


def _escaped(path: str) -> str:
    """Write a path as both Make and Ninja read it: backslashes are doubled before a blank only."""
    if _IMPOSSIBLE.search(path):
        raise DepfileError(
            f"{path!r}: Make and Ninja cannot both read this name in a dependency file"
        )
    return _SIGN.sub(r"\\\g<0>", _BLANK.sub(r"\1\1\\ ", path)).replace("$", "$$")
