"""A project as it was at a commit, and the findings that it had then.

The files are read from git into a temporary folder; nothing is checked out.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from modular.git.repository import (
    list_files,
    path_in_repository,
    read_blobs,
    resolve_commit,
)
from modular.project.opening import open_copy
from modular.project.project import Project
from modular.run.baseline import FindingKey, count_findings
from modular.run.options import Options
from modular.run.run import run_models, select_scope
from modular.settings.settings import SettingsError


_REGULAR_FILE_MODES = ("100644", "100755")
"""Git's modes of files that are not links."""


@contextmanager
def project_at(project: Project, ref: str, options: Options) -> Iterator[Project]:
    """Open the project as it was at a commit, with the settings of that commit.

    Args:
        project: The project.
        ref: The commit.
        options: Only ``output`` and ``source_library`` are used.

    Yields:
        The earlier project. Its files exist until the context ends.

    Raises:
        modular.git.repository.GitError: Git cannot read the commit.
        modular.settings.settings.SettingsError: The settings were invalid.
    """
    # None stands for the folder that the settings of the commit name.
    output = None
    if options.output is not None:
        # `options.output` is relative to the current folder. The settings of the open
        # project have the same folder, relative to the root.
        output = project.settings.output
    with TemporaryDirectory(prefix="modular-") as temporary:
        repository_copy = Path(temporary).resolve()
        # The project may be in a folder of its repository.
        project_copy = repository_copy / path_in_repository(project.root)
        project_copy.mkdir(parents=True, exist_ok=True)
        _extract_sources(project, ref, repository_copy)
        yield open_copy(project_copy, project.root, output, options.source_library)


def _extract_sources(project: Project, ref: str, repository_copy: Path) -> None:
    """Write the Python and TOML files of a commit, and all of its folders.

    Args:
        project: The project.
        ref: The commit.
        repository_copy: The folder to write to.
    """
    blobs = {}
    folders = set()
    entries = list_files(project.root, resolve_commit(project.root, ref))
    for path, (mode, blob) in entries.items():
        # A commit from a stranger must not write outside of the folder.
        if mode not in _REGULAR_FILE_MODES or ".." in path.split("/"):
            continue
        folders.add((repository_copy / path).parent)
        if path.endswith((".py", ".toml")):
            blobs[path] = blob

    # Import sorting depends on which packages exist, so all folders are created.
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    all_data = read_blobs(project.root, list(blobs.values()))
    for path, data in zip(blobs, all_data, strict=True):
        if data is not None:
            (repository_copy / path).write_bytes(data)


def findings_at(
    project: Project, ref: str, options: Options, modulars: Collection[str]
) -> Counter[FindingKey]:
    """Return the findings that models had at a commit.

    Args:
        project: The project.
        ref: The commit.
        options: Only ``jobs`` and ``cache`` are used for the run.
        modulars: Modular files of today; those that the commit lacks are skipped.

    Returns:
        The number of findings by key; empty if the settings were invalid then.

    Raises:
        modular.git.repository.GitError: Git cannot read the commit.
    """
    try:
        with project_at(project, ref, options) as earlier:
            run_options = Options(jobs=options.jobs, cache=options.cache)
            # Select all modular files of the commit, and keep only those in `modulars`.
            scope = select_scope(earlier, run_options, ()).only(modulars)
            # This is a check, not a `convert` without writing.
            report = run_models(
                earlier, run_options, scope, write=False, converting=False
            )
            return count_findings(report)
    except SettingsError:
        return Counter()
