"""Which modular files the targets of a command name."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from modular.diagnostics import Code, Diagnostic, Place
from modular.project import MODULAR, Project, model_name


@dataclass(frozen=True, slots=True)
class Selection:
    """The modular files that are meant, sorted, and the targets that mean none."""

    modulars: tuple[str, ...]
    problems: tuple[Diagnostic, ...]


def select(project: Project, targets: Sequence[str]) -> Selection:
    """Resolve targets: models' names, modular files, or folders, from where the command stands; none means all."""
    if not targets:
        return Selection(project.modular_files, ())
    found: set[str] = set()
    problems = []
    for target in targets:
        modulars = _named(project, target)
        if isinstance(modulars, Diagnostic):
            problems.append(modulars)
        else:
            found.update(modulars)
    return Selection(tuple(sorted(found)), tuple(problems))


def _named(project: Project, target: str) -> Sequence[str] | Diagnostic:
    by_name = [path for path in project.modular_files if model_name(path) == target]
    if by_name:
        return by_name
    path = Path(target)
    if not path.exists():
        return _unknown(project, target)
    try:
        relative = Path(os.path.abspath(path)).relative_to(project.root).as_posix()
    except ValueError:
        resolved = path.resolve()
        if not resolved.is_relative_to(project.root):
            hint = f"name a file below {project.root}, or say `--root`"
            return Diagnostic(Code.OUTSIDE_ROOT, Place(target), "the target is outside the project's root", hint)
        relative = resolved.relative_to(project.root).as_posix()
    if path.is_file():
        return [relative]
    inside = [each for each in project.modular_files if relative == "." or each.startswith(f"{relative}/")]
    if inside:
        return inside
    hint = f"modular files are called `{MODULAR}<model>.py`"
    return Diagnostic(Code.NOT_FOUND, Place(target), "no modular file in this folder", hint)


def _unknown(project: Project, target: str) -> Diagnostic:
    names = sorted(model_name(path) for path in project.modular_files)
    near = get_close_matches(Path(target).stem.removeprefix(MODULAR), names, n=3)
    hint = f"did you mean {' or '.join(f'`{each}`' for each in near)}?" if near else "check the name and the folder"
    return Diagnostic(Code.NOT_FOUND, Place(target), "no such model, modular file or folder", hint)
