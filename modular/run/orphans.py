"""Orphans: files whose banner names a modular file that is gone, or that does not make them any more."""

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress

from modular.cache.result_cache import Result
from modular.project.project import Project
from modular.rules.files import file_types
from modular.source.diagnostics import Diagnostic, Place, Problem


_LONGEST_PATH = 500


def find_orphans(
    project: Project, results: Mapping[str, Result], *, is_whole: bool = False, changed: Collection[str] = ()
) -> list[Diagnostic]:
    """Return a diagnostic for each orphan, sorted; nothing is known of a model that is in error.

    ``results`` are those of a run. If that was of the ``is_whole`` project, all orphans are looked for, else those that these
    models have made or that ``changed`` paths name.
    """
    made = {path for result in results.values() for path in result.outputs}
    folders = {project.output_folder(path) for path in (*results, *changed)}
    folders |= {path.rpartition("/")[0] for path in changed}
    orphans = []
    for path, modular, line in _with_banner(project, None if is_whole else folders, made):
        if modular in project.modular_files:
            if modular not in results or results[modular].failed:
                continue
            message = f"`{modular}` does not make this file any more"
        elif is_whole or modular in changed or path in changed:
            message = f"`{modular}`, which this file was generated from, is gone"
        else:
            continue
        hint = "`modular check --fix --remove-orphans` removes it; to keep it, remove the banner"
        orphans.append(Diagnostic(Problem.ORPHAN, Place(path, line), message, hint, Place(modular)))
    return orphans


def _with_banner(
    project: Project, folders: Collection[str] | None, made: Collection[str]
) -> Iterator[tuple[str, str, int]]:
    """Yield the model files, of some folders or of all, that were not made: path, the modular file in their banner, and its line."""
    if (pattern := _pattern(project.settings.banner)) is None:
        return
    for path in project.files_of_models():
        folder, _, name = path.rpartition("/")
        is_asked = path not in made and (folders is None or folder in folders)
        if is_asked and file_types.of_file(name.removesuffix(".py"), project.settings) is not None:
            if (match := pattern.match(_head(project, path))) is not None:
                yield path, match["path"], match.string.count("\n", 0, match.start("path")) + 1


def _pattern(banner: str) -> re.Pattern[str] | None:
    """What a banner looks like up to the modular file that it names; None if it names none."""
    before, placeholder, after = banner.partition("{path}")
    if not placeholder:
        return None
    rest = after.partition("\n")[0].partition("{")[0]
    return re.compile(rf"\s*{re.escape(before.lstrip())}(?P<path>[^\n]{{1,{_LONGEST_PATH}}}?\.py){re.escape(rest)}")


def _head(project: Project, path: str) -> str:
    """The beginning of a file, in which a banner appears; nothing if it is no regular file, or its folder is a link."""
    place = project.root / path
    with suppress(OSError):
        if place.is_file() and place.parent.resolve() == place.parent and not project.leads_out(path):
            with open(place, encoding="utf-8", errors="replace") as file:
                return file.read(len(project.settings.banner) + _LONGEST_PATH)
    return ""
