"""A project as it was at a commit, and what was found in it.

Its files are read through git into a temporary folder, and nothing is checked out.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from modular.git.git import commit_of, contents, prefix_of, tree
from modular.project.opening import open_copy
from modular.project.project import Project
from modular.rules import settings as settings_module
from modular.rules.settings import Settings, SettingsError
from modular.run.baseline import Key, findings
from modular.run.options import Options
from modular.run.run import Run
from modular.run.selection import relative_to_root


_ORDINARY = ("100644", "100755")
"""The modes of files that are not links."""


@contextmanager
def project_at(project: Project, ref: str, options: Options) -> Iterator[Project]:
    """Give the project as it was at a commit, with the settings that it had there, and with the library that they name.

    Of ``options``, only ``output`` and ``source_library`` count. Raises ChangesError, and `settings.SettingsError` where the
    settings were wrong.
    """
    prefix = prefix_of(project.root)
    output = None if options.output is None else project.settings.output
    with TemporaryDirectory(prefix="modular-") as temporary:
        top = Path(temporary).resolve()
        root = top / prefix
        root.mkdir(parents=True, exist_ok=True)
        listed = tree(project.root, commit_of(project.root, ref)).items()
        files = {path: name for path, (mode, name) in listed if mode in _ORDINARY and ".." not in path.split("/")}
        for folder in {(top / path).parent for path in files}:
            folder.mkdir(parents=True, exist_ok=True)  # the sorting of imports asks which packages are there
        _write(top, project.root, {path: name for path, name in files.items() if path.endswith(".toml")})
        folders = _folders(project, settings_module.load(root), options.source_library) | {output or ""}
        inside = tuple(f"{PurePosixPath(prefix, folder)}/" for folder in folders - {""})
        flat = (root, root / "src")  # and which modules
        python = (path for path in files if path.endswith(".py"))
        sources = [path for path in python if path.startswith(inside) or (top / path).parent in flat]
        _write(top, project.root, {path: files[path] for path in sources})
        yield open_copy(root, project.root, output, options.source_library)


def findings_at(project: Project, ref: str, options: Options, modulars: Collection[str]) -> Counter[Key]:
    """Return what was found at a commit in those of some models that it had; nothing, if its settings were wrong.

    Raises ChangesError.
    """
    try:
        with project_at(project, ref, options) as earlier:
            run = Run(earlier, Options(jobs=options.jobs, cache=options.cache), ())
            run.selection = run.selection.only(modulars)
            return findings(run.report(write=False, converting=False))
    except SettingsError:
        return Counter()


def _folders(project: Project, settings: Settings, library: str | None) -> set[str]:
    """The folders of a project whose files conversions and lints read: its packages, and a source library in the root.

    ``library`` is the source library that the command line names, if it does.
    """
    tops = (folder.split("/")[: 2 if folder.startswith("src/") else 1] for folder in settings.models)
    folders = {settings.output, *("/".join(top) for top in tops)}
    named = {library, relative_to_root(project, library) or library} if library is not None else set()
    for source in (settings.source_library, *named):
        folders |= {source, f"{source}/src/{PurePosixPath(source).name}", f"src/{source}"}
    return folders


def _write(top: Path, root: Path, files: Mapping[str, str]) -> None:
    """Write files of the repository at ``root``, given by their paths with git's names for their contents, below a folder."""
    for path, data in zip(files, contents(root, list(files.values())), strict=True):
        if data is not None:
            (top / path).write_bytes(data)
