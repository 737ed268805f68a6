"""Finds orphans: generated files that no modular file generates any longer."""

import re
from collections.abc import Collection, Mapping
from contextlib import suppress

from modular.cache.result_cache import Result
from modular.project import file_types
from modular.project.project import Project
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.source.module import normalize_text
from modular.system.reading import open_ordinary


_MAX_PATH_CHARS = 500
_HINT = "run `modular check --fix --remove-orphans` to delete it; to keep it, remove its banner"


def find_orphans(
    project: Project,
    results: Mapping[str, Result],
    *,
    find_all: bool = False,
    changed: Collection[str] = (),
) -> list[Diagnostic]:
    """Return a diagnostic for each orphan.

    Args:
        project: The project.
        results: Results of a run, by modular file. A model that failed has no orphans.
        find_all: Whether all orphans of the project are searched. Else only the folders
            of these models and of changed files are.
        changed: Changed paths relative to the root. A deleted modular file among them
            makes its generated files orphans.
    """
    pattern = _compile_banner(project.settings.banner)
    if pattern is None:
        return []

    outputs: set[str] = set()
    for result in results.values():
        outputs.update(result.outputs)
    folders = {project.output_folder(path) for path in (*results, *changed)}
    folders.update(path.rpartition("/")[0] for path in changed)

    orphans = []
    for path in project.files_of_models():
        is_in_scope = find_all or path.rpartition("/")[0] in folders
        if path in outputs or not is_in_scope:
            continue
        banner = pattern.match(_read_head(project, path))
        if banner is None or _is_linked(project, path):
            continue

        modular = banner["path"]
        exists = modular in project.modular_files
        is_converted = modular in results and not results[modular].failed
        may_be_new_orphan = find_all or modular in changed or path in changed
        if exists and is_converted:
            message = f"`{modular}` no longer generates this file"
        elif not exists and may_be_new_orphan:
            message = (
                f"this file was generated from `{modular}`, which no longer exists"
            )
        else:
            continue
        line = banner.string.count("\n", 0, banner.start("path")) + 1
        orphan = Diagnostic(
            code=Problem.ORPHAN,
            place=Place(path, line),
            message=message,
            hint=_HINT,
            related=Place(modular),
        )
        orphans.append(orphan)
    return orphans


def _compile_banner(banner: str) -> re.Pattern[str] | None:
    """Return a pattern that finds the path of the modular file in a banner.

    The banner is the comment at the start of generated files. In the settings, it has
    `{path}` where the path of the modular file is. None if it has no `{path}`.

    Only the fixed text directly before and after the path must be the same. For
    `# Generated from {path} by {name}.`, it is `# Generated from ` and ` by `.
    """
    before, placeholder, after = banner.partition("{path}")
    if not placeholder:
        return None
    # A file may begin with other white space than the banner of the settings.
    start = re.escape(before.lstrip())
    rest_of_line = after.partition("\n")[0]
    text_to_next_placeholder = rest_of_line.partition("{")[0]
    end = re.escape(text_to_next_placeholder)
    # `?` lets the path end at the first `.py` with the text of `end` behind it.
    path = r"[^\n]{1,%d}?\.py" % _MAX_PATH_CHARS
    return re.compile(rf"\s*{start}(?P<path>{path}){end}")


def _read_head(project: Project, path: str) -> str:
    """Return the start of a model file, long enough to contain its banner.

    Empty if the file is no model file by its name, or cannot be read.
    """
    place = project.root / path
    if file_types.of_file(place.stem, project.settings) is None:
        return ""
    size = len(project.settings.banner.encode()) + _MAX_PATH_CHARS
    with suppress(OSError), open_ordinary(place) as file:
        return normalize_text(file.read(size).decode(errors="replace"))
    return ""


def _is_linked(project: Project, path: str) -> bool:
    """Return whether a file is reached through a linked folder, or leads out."""
    folder = (project.root / path).parent
    return folder.resolve() != folder or project.points_outside_root(path)
