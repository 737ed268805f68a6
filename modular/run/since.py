"""A project as it was at a commit, and what was found in it.

Its files are read through git into a temporary folder, and nothing is checked out.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from modular.git.git import commit_of, contents, prefix_of, tree
from modular.project.opening import open_copy
from modular.project.project import Project
from modular.run.baseline import Key, findings
from modular.run.options import Options
from modular.run.run import Run
from modular.settings.settings import SettingsError


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
        files = {
            path: name
            for path, (mode, name) in listed
            if mode in _ORDINARY and ".." not in path.split("/")
        }
        for folder in {(top / path).parent for path in files}:
            folder.mkdir(
                parents=True, exist_ok=True
            )  # the sorting of imports asks which packages are there
        read = {
            path: name
            for path, name in files.items()
            if path.endswith((".py", ".toml"))
        }
        for path, data in zip(
            read, contents(project.root, list(read.values())), strict=True
        ):
            if data is not None:
                (top / path).write_bytes(data)
        yield open_copy(root, project.root, output, options.source_library)


def findings_at(
    project: Project, ref: str, options: Options, modulars: Collection[str]
) -> Counter[Key]:
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
