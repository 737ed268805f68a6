"""Finds problems that only other programs see in generated files, at the lines to edit."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from modular.format.formatter_process import run_formatter, split_into_batches
from modular.project.project import Project
from modular.provenance.line_map import LineMap
from modular.source.diagnostics import Diagnostic
from modular.system.errors import ModularError
from modular.system.printable import one_line
from modular.system.ruff import ruff_executable


_IMPORT_TIMEOUT_S = 120.0
_LINTER_FAILED = 2
"""Ruff's exit code for settings that it cannot read, and the like."""

_IMPORT = """
import importlib, json, sys, traceback
try:
    importlib.import_module(sys.argv[1])
except BaseException as error:
    frames = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    message = f"{type(error).__name__}: {error}"
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    print("\\n" + json.dumps({"frames": frames, "message": message, "missing": missing}))
    sys.exit(1)
"""
"""The program that imports a module; its last line tells why it could not."""


class FoundProblem(NamedTuple):
    """A problem at the line to edit.

    Attributes:
        path: The file, relative to the root.
        line: The line, from 1.
        message: What is wrong, with the code of a finding in front.
        missing_package: The package of another project that an import does not find, or
            an empty string.
    """

    path: str
    line: int
    message: str
    missing_package: str = ""

    def __str__(self) -> str:
        """Return the place and the message on one line."""
        return one_line(f"{self.path}:{self.line}: {self.message}")


def problem_of(diagnostic: Diagnostic) -> FoundProblem:
    """Return an error or warning of the conversion as a problem."""
    message = f"{diagnostic.code.id} {diagnostic.message}"
    if diagnostic.hint:
        message += f"; {diagnostic.hint}"
    return FoundProblem(diagnostic.place.path, diagnostic.place.line, message)


def lint_files(
    project: Project, paths: Sequence[str], line_map: LineMap
) -> list[FoundProblem]:
    """Run `ruff check` with the project's settings.

    Args:
        project: The project.
        paths: Generated files, relative to the root.
        line_map: Finds the lines to edit.

    Raises:
        modular.system.errors.ModularError: Ruff cannot be run, or refuses its settings.
    """
    command = [ruff_executable(), "check", "--no-cache", "--no-fix", "--force-exclude"]
    command += ["--output-format", "json"]
    problems: dict[FoundProblem, None] = {}
    for batch in split_into_batches(paths):
        done = run_formatter(command, batch, project.root)
        if done.returncode == _LINTER_FAILED:
            raise ModularError(f"ruff check: {done.stderr.strip()}")
        for finding in json.loads(done.stdout):
            # Two generated files may repeat a finding of one inherited line.
            problem = _problem_at(
                project,
                line_map,
                path=finding["filename"],
                line=finding["location"]["row"],
                message=f"{finding['code'] or 'syntax'} {finding['message']}",
            )
            problems[problem] = None
    return list(problems)


def import_files(
    project: Project,
    paths: Iterable[str],
    line_map: LineMap,
    python: str = sys.executable,
) -> list[FoundProblem]:
    """Import generated files, each in a process of its own. This executes their code.

    Args:
        project: The project.
        paths: The files, relative to the root.
        line_map: Finds the lines to edit.
        python: The absolute path of the Python that imports them.

    Raises:
        modular.system.errors.ModularError: This Python cannot be run.
    """
    problems = []
    for path in paths:
        problem = _import_file(project, line_map, path, python)
        if problem is not None:
            problems.append(problem)
    return problems


def _module_of(project: Project, path: str) -> tuple[str, str]:
    """Return the folder from which a file can be imported, and its name as a module.

    For `src/transformers/models/olmo2/modeling_olmo2.py` these are `src` and
    `transformers.models.olmo2.modeling_olmo2`. A file outside of the packages that the
    settings name is imported from the root: `lib/modeling_a.py` as `lib.modeling_a`.

    Args:
        project: The project.
        path: The file, relative to the root.

    Returns:
        The folder, relative to the root, and the name.
    """
    file = PurePosixPath(path).with_suffix("")
    for models_folder in project.models_folders:
        package = project.settings.packages[models_folder]
        outer_folder = _folder_above_package(models_folder, package)
        if outer_folder is not None and file.is_relative_to(models_folder):
            return str(outer_folder), ".".join(file.relative_to(outer_folder).parts)
    if len(file.parts) == 1:
        # A file in the root, such as `my_project/modeling_a.py`, may have imports such as
        # `from .b import c`, which need a package. So the root is the package, and it is
        # imported from the folder above: as `my_project.modeling_a`.
        return os.pardir, f"{project.root.name}.{file}"
    return os.curdir, ".".join(file.parts)


def _folder_above_package(folder: str, package: str) -> PurePosixPath | None:
    """Return the folder from which the package in a folder can be imported.

    For `src/transformers/models`, which has the package `transformers.models`, this is
    `src`. None if the folder does not end with the names of the package.
    """
    folder_parts = PurePosixPath(folder).parts
    package_parts = tuple(package.split("."))
    if folder_parts[-len(package_parts) :] != package_parts:
        return None
    return PurePosixPath(*folder_parts[: -len(package_parts)])


def _import_file(
    project: Project, line_map: LineMap, path: str, python: str
) -> FoundProblem | None:
    """Import a file in another process, and return why it cannot be imported.

    Args:
        project: The project.
        line_map: Finds the lines to edit.
        path: The file, relative to the root.
        python: The absolute path of the Python that imports it.

    Returns:
        The problem; None if the file can be imported.
    """
    folder, module = _module_of(project, path)
    environment = dict(os.environ)
    search_path = [str(project.root / folder), environment.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, search_path))
    try:
        done = subprocess.run(
            [python, "-c", _IMPORT, module],
            cwd=project.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_IMPORT_TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        message = f"the import did not end within {_IMPORT_TIMEOUT_S:.0f} seconds"
        return FoundProblem(path, 1, message)
    except OSError as error:
        raise ModularError(f"{python}: {error.strerror or error}") from error
    if done.returncode == 0:
        return None

    # `_IMPORT` prints the failure as JSON, unless the module ended the process.
    try:
        failure = json.loads(done.stdout.splitlines()[-1])
        frames = failure["frames"]
        message = failure["message"]
        missing_module = failure["missing"] or ""
    except (IndexError, KeyError, TypeError, ValueError):
        return FoundProblem(path, 1, f"the import ended with code {done.returncode}")

    generated_file = os.path.realpath(project.root / path)
    line = _innermost_line(frames, generated_file)
    problem = _problem_at(
        project, line_map, path=generated_file, line=line, message=f"import: {message}"
    )
    missing_package = missing_module.partition(".")[0]
    package_of_project = module.partition(".")[0]
    if missing_package == package_of_project:
        # Nobody can install this package.
        return problem
    return problem._replace(missing_package=missing_package)


def _innermost_line(frames: Iterable[tuple[str, int]], generated_file: str) -> int:
    """Return the line of the innermost frame that is in a file; 1 if no frame is.

    Args:
        frames: File and line of each frame, from the outermost to the innermost.
        generated_file: The file.
    """
    line = 1
    for frame_path, frame_line in frames:
        if os.path.realpath(frame_path) == generated_file:
            line = frame_line
    return line


def _problem_at(
    project: Project, line_map: LineMap, *, path: str, line: int, message: str
) -> FoundProblem:
    """Return a problem of a generated line, at the source line that a person edits."""
    edit = line_map.find_line_to_edit(path, line)
    if edit is not None:
        path, line = edit.path, edit.line
    relative_path = os.path.relpath(path, project.root)
    return FoundProblem(PurePosixPath(relative_path).as_posix(), line, message)
