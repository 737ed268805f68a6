"""Finds orphans: generated files that no modular file generates any longer."""

from collections.abc import Collection, Mapping
from contextlib import suppress

from modular.cache.result_cache import Result
from modular.project import file_types
from modular.project.project import Project
from modular.run.banner import compile_banner, max_head_bytes
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.source.module import normalize_text
from modular.system.reading import open_ordinary


_HINT = "delete it; to keep it, remove its banner"


def find_orphans(
    project: Project,
    results: Mapping[str, Result],
    *,
    find_all: bool = False,
    changed: Collection[str] = (),
) -> list[Diagnostic]:
    """Return a diagnostic for each generated file that is not generated any longer.

    Such a file, an orphan, has a banner with the path of its modular file. The modular
    file was deleted, or generates other files now.

    Args:
        project: The project.
        results: Results of a run, by modular file. A model that failed has no orphans.
        find_all: Whether the whole project is searched. Otherwise, only the folders of
            these models and of changed files are.
        changed: Changed paths relative to the root. A deleted modular file among them
            makes its generated files orphans.
    """
    pattern = compile_banner(project.settings.banner)
    if pattern is None:
        return []

    outputs: set[str] = set()
    for result in results.values():
        outputs.update(result.outputs)
    searched_folders = {project.output_folder(path) for path in (*results, *changed)}
    searched_folders.update(path.rpartition("/")[0] for path in changed)

    orphans = []
    for path in project.files_of_models():
        folder = path.rpartition("/")[0]
        is_searched = find_all or folder in searched_folders
        if path in outputs or not is_searched:
            continue
        banner = pattern.match(_read_head(project, path))
        if banner is None or _is_linked(project, path):
            continue
        modular = banner["path"]
        if modular in project.modular_files:
            is_orphan = modular in results and not results[modular].failed
            message = f"`{modular}` no longer generates this file"
        else:
            is_orphan = find_all or modular in changed or path in changed
            message = (
                f"this file was generated from `{modular}`, which no longer exists"
            )
        if is_orphan:
            # The line of the banner that names the modular file.
            line = banner.string.count("\n", 0, banner.start("path")) + 1
            place = Place(path, line)
            related = Place(modular)
            orphans.append(
                Diagnostic(Problem.ORPHAN, place, message, _HINT, related=related)
            )
    return orphans


def _read_head(project: Project, path: str) -> str:
    """Return the start of a model file, long enough to contain its banner.

    The text is empty if the file's name is not that of a model file, or if the file
    cannot be read.
    """
    place = project.root / path
    if not file_types.is_model_file(place.stem, project.settings):
        return ""
    size = max_head_bytes(project.settings.banner)
    with suppress(OSError), open_ordinary(place) as file:
        return normalize_text(file.read(size).decode(errors="replace"))
    return ""


def _is_linked(project: Project, path: str) -> bool:
    """Return whether a file is reached through a linked folder, or leads out."""
    folder = (project.root / path).parent
    return folder.resolve() != folder or project.points_outside_root(path)
