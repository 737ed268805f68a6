"""Shows a formatter some texts as if they were files of a project.

A mirror is a temporary folder with the texts at their paths, copies of the formatter's
settings, and empty files for the first-party modules that the texts import. The
formatter sees nothing else of the project, so results depend on nothing else.
"""

import errno
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import NamedTuple

from modular.format.formatter_config import (
    PYPROJECT,
    FormatterConfig,
    read_settings,
    read_table,
)
from modular.system import safe_paths
from modular.system.interrupts import shielded
from modular.system.ruff import FormatterError


_MIRRORED = "root"
"""Name of the folder in a mirror that is the copy of the outermost folder."""


class Mirror(NamedTuple):
    """A mirror of a project.

    Attributes:
        top: The temporary folder.
        outermost: The folder of the project, or above it, that is mirrored.
        root: The place of the project's root in the mirror.
        modules: For each text the modules that its imports look up, as of
            `FormatterConfig.look_up_modules`.
    """

    top: Path
    outermost: Path
    root: Path
    modules: Mapping[str, Mapping[str, str | None]]


@contextmanager
def mirror(root: Path, texts: Mapping[str, str]) -> Iterator[Mirror]:
    """Make a temporary copy of the parts of a project that a formatter reads.

    These are the texts to format, the formatter's settings, and an empty file for each
    module that the texts import.

    Args:
        root: The root of the project.
        texts: The texts by path relative to the root.

    Yields:
        The copy, which is deleted when the block ends.

    Raises:
        modular.system.ruff.FormatterError: Raised by the caller's block; the message is
            changed to name the project's own files.
        modular.settings.settings.SettingsError: The formatter's settings cannot be
            read.
        OSError: The mirror cannot be made.
    """
    for path in texts:
        problem = safe_paths.problem(path)
        if problem:
            raise OSError(errno.EINVAL, problem, path)

    # An interrupt between creation and assignment would leave the folder behind.
    with shielded():
        folder = TemporaryDirectory(
            prefix="modular-mirror-", ignore_cleanup_errors=True
        )
    try:
        project_mirror = _make_mirror(root, Path(folder.name).resolve(), texts)
        try:
            yield project_mirror
        except FormatterError as error:
            message = _replace_mirror_paths(str(error), root, project_mirror)
            raise FormatterError(message) from error
    finally:
        with shielded():
            folder.cleanup()


def write_texts(folder: Path, texts: Mapping[str, str]) -> None:
    """Write texts into a temporary copy of the project.

    Args:
        folder: The place of the project's root in the copy.
        texts: The texts by path.

    Raises:
        OSError: A file cannot be written.
    """
    for path, text in texts.items():
        # A new file replaces a link, so nothing is written through a link.
        (folder / path).unlink(missing_ok=True)
        (folder / path).write_text(text, encoding="utf-8", newline="")


def _make_mirror(root: Path, top: Path, texts: Mapping[str, str]) -> Mirror:
    """Copy the parts of a project that a formatter reads into a temporary folder.

    These are the texts to format, the formatter's settings, which can be above the
    project's root, and empty files for modules, because ruff sorts imports by where
    their modules are. All of them keep their places relative to each other, so that
    relative paths in settings have the same meaning.

    Args:
        root: The root of the project.
        top: The temporary folder.
        texts: The texts to format by path relative to the root.
    """
    (top / PYPROJECT).write_text(_default_settings(root), encoding="utf-8")
    config = FormatterConfig(root)
    # The root, in which the formatter runs, and the folders of the texts.
    folders = {"."}
    folders.update(str(PurePosixPath(path).parent) for path in texts)

    # Find the folder that contains all files and folders to copy.
    settings_files: set[Path] = set()
    mirrored_folders = {root}
    for folder in folders:
        settings_files.update(config.settings(folder))
        for source in config.source_folders(folder):
            mirrored_folders.add(Path(os.path.normpath(root / source)))
    mirrored_folders.update(file.parent for file in settings_files)
    outermost = Path(os.path.commonpath(mirrored_folders))

    mirrored_root = top / _MIRRORED / root.relative_to(outermost)
    for file in settings_files:
        copy = top / _MIRRORED / file.relative_to(outermost)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(read_settings(file))
    for folder in folders:
        (mirrored_root / folder).mkdir(parents=True, exist_ok=True)
    write_texts(mirrored_root, texts)

    # For each text, the suffixes of the modules that it imports: `.py`, or None.
    modules = {}
    all_modules: dict[str, str | None] = {}
    for path, text in texts.items():
        folder = str(PurePosixPath(path).parent)
        modules[path] = config.look_up_modules(folder, text)
        all_modules.update(modules[path])
    _make_modules(mirrored_root, top, all_modules)
    return Mirror(top, outermost, mirrored_root, modules)


def _default_settings(root: Path) -> str:
    """Return the text of the `pyproject.toml` at the top of a temporary copy of a project.

    A formatter searches the folders upwards, up to the first file that has a table for
    the formatter. The empty tables in this file end the search, because settings above
    the copy are not the project's. If the project has no settings of a formatter, the
    formatter uses this file, so the project's `requires-python` is copied.
    """
    lines = []
    if (root / PYPROJECT).is_file():
        required = read_table(root / PYPROJECT, "project").get("requires-python")
        if isinstance(required, str):
            quoted = json.dumps(required, ensure_ascii=False)
            lines += ["[project]", f"requires-python = {quoted}"]
    lines += ["[tool.ruff]", "[tool.black]", ""]
    return "\n".join(lines)


def _make_modules(
    mirrored_root: Path, top: Path, modules: Mapping[str, str | None]
) -> None:
    """Make empty files and folders for the modules that exist in the project.

    Ruff looks for modules to decide which imports are of the project itself.

    Args:
        mirrored_root: The place of the project's root in the mirror.
        top: The temporary folder of the mirror.
        modules: The suffix of each module by its path without suffix. The suffix is
            `.py`, `.pyi`, an empty string for a folder, or None if the module does not
            exist.
    """
    for stem, suffix in modules.items():
        if suffix is None:
            continue
        module = Path(os.path.normpath(mirrored_root / f"{stem}{suffix}"))
        # A path such as `../../../torch` can lead out of the mirror.
        if module.exists() or not module.is_relative_to(top):
            continue
        if suffix:
            module.parent.mkdir(parents=True, exist_ok=True)
            module.touch()
        else:
            module.mkdir(parents=True)


def _replace_mirror_paths(message: str, root: Path, project_mirror: Mirror) -> str:
    """Replace paths in a mirror with paths in the project."""
    top = project_mirror.top
    outermost = project_mirror.outermost
    message = message.replace(str(top / PYPROJECT), str(root / PYPROJECT))
    message = message.replace(_as_prefix(top / _MIRRORED), _as_prefix(outermost))
    return message.replace(_as_prefix(top), _as_prefix(outermost.parent))


def _as_prefix(folder: Path) -> str:
    """Return a folder with one separator at its end, also for the folder `/`."""
    return str(folder / "_").removesuffix("_")
