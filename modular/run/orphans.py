"""Orphans: files whose banner names a modular file that is gone, or that does not make them any more."""

import re
from collections.abc import Collection, Mapping
from contextlib import suppress

from modular.cache.result_cache import Result
from modular.project.project import Project
from modular.rules.files import file_types
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.source.module import normalised
from modular.system.reading import open_ordinary


_LONGEST_PATH = 500
_HINT = (
    "`modular check --fix --remove-orphans` removes it; to keep it, remove the banner"
)


def find_orphans(
    project: Project,
    results: Mapping[str, Result],
    *,
    is_whole: bool = False,
    changed: Collection[str] = (),
) -> list[Diagnostic]:
    """Return a diagnostic for each orphan, sorted; nothing is known of a model that is in error.

    ``results`` are those of a run. If that was of the ``is_whole`` project, all orphans are looked for, else those that these
    models have made or that ``changed`` paths name.
    """
    if (pattern := _pattern(project.settings.banner)) is None:
        return []
    made = {path for result in results.values() for path in result.outputs}
    folders = {project.output_folder(path) for path in (*results, *changed)}
    folders |= {path.rpartition("/")[0] for path in changed}
    orphans = []
    for path in project.files_of_models():
        is_asked = path not in made and (is_whole or path.rpartition("/")[0] in folders)
        match = pattern.match(_head(project, path)) if is_asked else None
        if match is None or _is_linked(project, path):
            continue
        modular = match["path"]
        if modular in project.modular_files:
            if modular not in results or results[modular].failed:
                continue
            message = f"`{modular}` does not make this file any more"
        elif is_whole or modular in changed or path in changed:
            message = f"`{modular}`, which this file was generated from, is gone"
        else:
            continue
        place = Place(path, match.string.count("\n", 0, match.start("path")) + 1)
        orphans.append(
            Diagnostic(Problem.ORPHAN, place, message, _HINT, Place(modular))
        )
    return orphans


def _pattern(banner: str) -> re.Pattern[str] | None:
    """What a banner looks like up to the modular file that it names; None if it names none."""
    before, placeholder, after = banner.partition("{path}")
    if not placeholder:
        return None
    rest = after.partition("\n")[0].partition("{")[0]
    return re.compile(
        rf"\s*{re.escape(before.lstrip())}(?P<path>[^\n]{{1,{_LONGEST_PATH}}}?\.py){re.escape(rest)}"
    )


def _head(project: Project, path: str) -> str:
    """The beginning of a model file, in which a banner appears; nothing if it is no regular file."""
    place = project.root / path
    if file_types.of_file(place.stem, project.settings) is not None:
        with suppress(OSError), open_ordinary(place) as file:
            return normalised(
                file.read(len(project.settings.banner.encode()) + _LONGEST_PATH).decode(
                    errors="replace"
                )
            )
    return ""


def _is_linked(project: Project, path: str) -> bool:
    """Whether a file is in a folder that is a link, or out of the root by one."""
    folder = (project.root / path).parent
    return folder.resolve() != folder or project.leads_out(path)
