"""A project as it was at a commit, and what was found in it.

Its files are read through git into a temporary folder, and nothing is checked out.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from modular.git.git import commit_of, contents, git
from modular.project.opening import open_project
from modular.project.project import Project
from modular.rules.settings import Settings, SettingsError
from modular.run.known import Key, findings
from modular.run.options import Options
from modular.run.run import Run
from modular.source.loading import LARGEST


_ORDINARY = ("100644", "100755")
"""The modes of files that are not links."""


@contextmanager
def project_at(project: Project, ref: str, *, same_settings: bool) -> Iterator[Project]:
    """Give the project as it was at a commit; ``same_settings`` lets it have the settings of today.

    Raises ChangesError, and `settings.SettingsError` where its settings were wrong.
    """
    prefix = git(project.root, "rev-parse", "--show-prefix").strip("\n")
    with TemporaryDirectory(prefix="modular-") as folder:
        top = Path(folder).resolve()
        (top / prefix).mkdir(parents=True, exist_ok=True)
        _fill(top, project, prefix, commit_of(project.root, ref))
        earlier = open_project(top / prefix)
        settings = project.settings if same_settings else earlier.settings
        yield replace(earlier, settings=_with_library(settings, project))


def findings_at(project: Project, ref: str, options: Options, modulars: Collection[str]) -> Counter[Key]:
    """Return what was found at a commit in those of some models that it had; nothing, if its settings were wrong.

    Raises ChangesError.
    """
    same_settings = options.output is not None or options.source_library is not None
    try:
        with project_at(project, ref, same_settings=same_settings) as earlier:
            run = Run(earlier, Options(jobs=options.jobs, cache=options.cache), ())
            run.selection = run.selection.only(modulars)
            return findings(run.report(write=False, converting=False))
    except SettingsError:
        return Counter()


def _with_library(settings: Settings, project: Project) -> Settings:
    """Name a source library outside the root by its place: from another root it is the same."""
    library = project.library
    if library is None or not library.is_found or library.folder.resolve().is_relative_to(project.root):
        return settings
    return replace(settings, source_library=str(library.folder))


def _fill(top: Path, project: Project, prefix: str, commit: str) -> None:
    """Write the files of a commit that conversions read: models, a library below the root, all settings."""
    folders = [*project.settings.models, project.settings.output]
    if project.library is not None:
        folders.append(project.library.prefix)
    wanted = tuple(f"{PurePosixPath(prefix, folder)}/" for folder in folders if folder)
    names: dict[str, str] = {}
    for line in filter(None, git(project.root, "ls-tree", "-r", "-l", "-z", "--full-tree", commit).split("\0")):
        about, _, path = line.partition("\t")
        mode, _, name, size = about.split()
        is_asked_for = path.endswith(".toml") or (path.startswith(wanted) and path.endswith(".py"))
        if mode in _ORDINARY and int(size) <= LARGEST and ".." not in path.split("/"):
            _show_package(top, prefix, path)
            if is_asked_for:
                names[path] = name
    for path, data in zip(names, contents(project.root, list(names.values())), strict=True):
        if data is not None:
            (top / path).parent.mkdir(parents=True, exist_ok=True)
            (top / path).write_bytes(data)


def _show_package(top: Path, prefix: str, path: str) -> None:
    """Let a package that a path shows be there by its name, which is what the sorting of imports asks for."""
    inside = path.removeprefix(prefix) if path.startswith(prefix) else ""
    depth = 2 if inside.startswith("src/") else 1
    if inside.count("/") >= depth:
        (top / prefix / "/".join(inside.split("/")[:depth])).mkdir(parents=True, exist_ok=True)
    elif inside.count("/") == depth - 1 and inside.endswith(".py"):
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).touch()
