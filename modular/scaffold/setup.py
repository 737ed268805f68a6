"""Sets a project up, as `modular init` does."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from modular.format.formatter_config import PYPROJECT
from modular.run.options import Options
from modular.scaffold import setup_files
from modular.scaffold.agents import add_instructions
from modular.scaffold.git_attributes import add_attributes
from modular.scaffold.setup_files import AGENTS, ATTRIBUTES, FILES
from modular.settings.settings import has_table
from modular.source.diffs import compare
from modular.system.writing import NewFile, write_files


@dataclass(frozen=True, slots=True)
class SetupFile:
    """A file that sets a project up.

    Attributes:
        path: Path relative to the root.
        before: Text before; empty if the file did not exist.
        after: New text. In both texts, bytes that are not UTF-8 are surrogates.
    """

    path: str
    before: str
    after: str

    @property
    def diff(self) -> str:
        """The unified diff."""
        difference = compare(self.before, self.after)
        return difference.text(f"a/{self.path}", f"b/{self.path}")


@dataclass(frozen=True, slots=True)
class InitReport:
    """The files that set a project up.

    Attributes:
        root: Root of the project.
        files: The files that were written or, with `dry_run`, would be.
        hook_to_add: The pre-commit hook, if a person has to add it; else empty.
        fits_preset: Whether the project needs no settings.
        found: A sentence about the model files that were found.
    """

    root: Path
    files: tuple[SetupFile, ...]
    hook_to_add: str = ""
    fits_preset: bool = False
    found: str = ""


def init(
    *,
    agents: bool = False,
    dry_run: bool = False,
    models_folder: str = "",
    options: Options = Options(),
) -> InitReport:
    """Write settings, a pre-commit hook, a workflow and `.gitattributes` of a project.

    Only what a project lacks is written. Its settings stay as they are.

    Args:
        agents: Whether to add instructions for coding agents to AGENTS.md. Text that
            the file has is kept, and instructions that it has are not added again.
        dry_run: Whether nothing is written. In a project without settings, the report
            then lacks `.gitattributes`, because the folders of models are not known.
        models_folder: The folder that contains the models, relative to the root. Without
            it, nothing is written unless nine of ten files there are those of models.
        options: Options of the run. Without a root, the current folder is set up.

    Raises:
        modular.scaffold.setup_files.SetupError: There are neither settings nor models,
            it is not clear where these are, or a file cannot be changed.
        modular.settings.settings.SettingsError: `pyproject.toml` cannot be read.
        OSError: A file cannot be read or written, or was saved meanwhile.
    """
    root = Path(options.root or Path.cwd()).resolve()
    paths = (*FILES, AGENTS) if agents else FILES
    originals = setup_files.read_originals(root, paths)

    is_set_up = has_table(root)
    setup = setup_files.setup_files(root, models_folder)
    texts = dict(setup.files)
    if agents:
        instructions = add_instructions(root, setup_files.new_settings(root, setup))
        if instructions is not None:
            texts[AGENTS] = instructions
    files = _write(root, texts, originals, dry_run=dry_run)

    # Without the new settings, the folders of models are not known.
    has_settings = PYPROJECT not in setup.files or not dry_run
    attributes = add_attributes(root) if has_settings else None
    if attributes is not None:
        files += _write(root, {ATTRIBUTES: attributes}, originals, dry_run=dry_run)
    return InitReport(
        root=root,
        files=files,
        hook_to_add=setup.hook_to_add,
        fits_preset=not is_set_up and PYPROJECT not in setup.files,
        found=setup.found,
    )


def _write(
    root: Path,
    texts: Mapping[str, str],
    originals: Mapping[str, bytes | None],
    *,
    dry_run: bool,
) -> tuple[SetupFile, ...]:
    """Write the files of a setup, and return them with their old and new texts.

    Args:
        root: Root of the project.
        texts: New texts by path from the root.
        originals: Contents when the files were read; None for a missing file. If a file
            has changed since, nothing is written.
        dry_run: Whether nothing is written.
    """
    files = []
    new_files = {}
    for path, text in texts.items():
        original = originals[path] or b""
        before = original.decode("utf-8", errors="surrogateescape")
        files.append(SetupFile(path, before=before, after=text))
        data = text.encode(errors="surrogateescape")
        new_files[root / path] = NewFile(data, expected=originals[path])
    if not dry_run:
        # The settings are written last, because a project with settings counts as set
        # up. If this process is killed before that, the next `init` completes the
        # files.
        settings = new_files.pop(root / PYPROJECT, None)
        if settings is not None:
            new_files[root / PYPROJECT] = settings
        write_files(new_files, root)
    return tuple(files)
