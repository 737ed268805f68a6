"""The source library: a package whose models the project's models may inherit from.

The package is found in a folder or in an environment. Its files are read as text; they
are never imported or written.
"""

import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, Final

from modular.project.cased_names import CasedNames
from modular.project.naming import configuration_files, read_names, table_files
from modular.settings.settings import (
    MODELS,
    Release,
    Settings,
    SettingsError,
    release_of,
)
from modular.source.loading import load
from modular.system.reading import read_bytes


_VERSION = re.compile(
    r"^__version__ *= *[\"'](\d{1,9}\.\d{1,9}[\w.+-]{0,50})", re.MULTILINE
)
_MAX_INSTALLATION_RECORD_BYTES = 1_000_000
_PROJECT_ENVIRONMENT = ".venv"
_SITE_PACKAGES = "site-packages"


@dataclass(eq=False)
class Library:
    """A package with models.

    Attributes:
        name: The name of the package.
        prefix: The beginning of the paths of its files. For a package below the root it
            is the folder relative to the root. Else it is the package's name, as in
            `transformers/models/llama/modeling_llama.py`.
        folder: The folder of the package, which does not exist if it was not found.
        settings: The settings of the project.
    """

    name: Final[str]
    prefix: Final[str]
    folder: Final[Path]
    settings: Final[Settings]

    @property
    def models(self) -> Path:
        """The folder of its models."""
        return self.folder / MODELS

    @property
    def is_found(self) -> bool:
        """Whether the package exists."""
        return self.models.is_dir()

    def holds(self, path: str) -> bool:
        """Whether a path is that of a file of this package."""
        return path.startswith(f"{self.prefix}/")

    def locate(self, path: str) -> Path:
        """Return the place on disk of a file, given by its path."""
        return self.folder / path.removeprefix(f"{self.prefix}/")

    def path_of(self, place: Path) -> str | None:
        """Return the path by which this project names a file of the package.

        Args:
            place: The place of the file on disk.

        Returns:
            The path, such as `transformers/models/llama/modeling_llama.py`. None if the
            file is not in this package.
        """
        real_place = place.resolve()
        real_folder = self.folder.resolve()
        if not real_place.is_relative_to(real_folder):
            return None
        return f"{self.prefix}/{real_place.relative_to(real_folder).as_posix()}"

    def module_path(self, module: str) -> str:
        """Return the path of a module, such as `transformers.models.llama.config`."""
        parts = [self.prefix, *module.split(".")[1:]]
        return f"{'/'.join(parts)}.py"

    def package(self, path: str) -> tuple[str, ...]:
        """Return the parts of the package that contains a file, given by its path."""
        folder = PurePosixPath(path).relative_to(self.prefix).parent
        return (self.name, *folder.parts)

    @cached_property
    def names(self) -> CasedNames:
        """The cased names of its models."""
        return read_names([self.models], self.settings)

    @cached_property
    def name_files(self) -> tuple[str, ...]:
        """The paths of the files that the cased names are read from."""
        files = table_files([self.models], self.settings)
        paths = []
        for file in files or configuration_files([self.models]):
            paths.append(f"{self.prefix}/{file.relative_to(self.folder).as_posix()}")
        return tuple(paths)


def read_version(package: Path) -> str | None:
    """Return the version of a package from the `__version__` in its `__init__.py`.

    Returns:
        The version, or None if the file does not contain it as a literal.
    """
    version = _VERSION.search(load(package / "__init__.py", "__init__.py").text)
    return None if version is None else version[1]


def read_release(package: Path) -> Release | None:
    """Return the release of a package, the first two numbers of its version."""
    version = read_version(package)
    return None if version is None else release_of(version)


def find_library(root: Path, source: str, settings: Settings) -> Library:
    """Find the package that provides the parent models, such as `transformers`.

    It is searched below the root first, and then in Python environments.

    Args:
        root: The root of the project.
        source: The name of the package, or its folder relative to the root.
        settings: The settings of the project.

    Returns:
        The library. Its `is_found` is false if there is no such package.
    """
    name = PurePosixPath(source).name
    for folder in _candidate_folders(root, source):
        if (folder / MODELS).is_dir():
            prefix = name
            if is_below(folder, root):
                # The package `transformers` can have the prefix `src/transformers`.
                prefix = folder.resolve().relative_to(root).as_posix()
            return Library(name, prefix, folder, settings)
    # The folder does not exist, so this library counts as not found.
    return Library(name, prefix=name, folder=root / name, settings=settings)


def is_below(folder: Path, root: Path) -> bool:
    """Whether a folder is below a root, but not in an environment there."""
    real_folder = folder.resolve()
    if not real_folder.is_relative_to(root):
        return False
    return _SITE_PACKAGES not in real_folder.relative_to(root).parts


def settings_for(root: Path, option: str, settings: Settings) -> dict[str, Any]:
    """Return the settings that the option `--source-library` implies.

    Args:
        root: The root of the project.
        option: The option: a package's name, or its folder relative to the current one.
        settings: The settings of the project without the option.

    Returns:
        - The settings `models` and `package`, if the project is a checkout of the library
          and the option names another package in it, such as a fork in `src/forked`. The
          models of this package are converted.
        - Otherwise the setting `source-library`. The models of the project are converted,
          and inherit from the library that the option names.

    Raises:
        SettingsError: The library does not exist (`modular.settings.settings`).
    """
    is_path = "/" in option or os.sep in option or option.startswith(".")
    source = os.path.abspath(option) if is_path else option
    library = find_library(root, source, settings)
    if not library.is_found:
        raise SettingsError(
            f"--source-library: no package `{library.name}` with a folder `{MODELS}` "
            f"was found in {describe_searched_folders(root)}"
        )
    is_fork = library.name != settings.library_name and is_below(library.folder, root)
    if settings.is_library and is_fork:
        return {
            "models": [f"{library.prefix}/{MODELS}"],
            "package": f"{library.name}.{MODELS}",
        }
    return {"source-library": source}


def environments(root: Path) -> list[Path]:
    """Return the Python environments that may contain the source library, best first.

    They are the active environment, the project's `.venv`, and the environment in which
    modular itself is installed.
    """
    folders = [root / _PROJECT_ENVIRONMENT, Path(sys.prefix)]
    active = os.environ.get("VIRTUAL_ENV")
    if active:
        folders.insert(0, Path(active))
    return folders


def describe_searched_folders(root: Path) -> str:
    """Return a text such as `a, b and c` with the folders in which libraries are searched."""
    folders = dict.fromkeys(map(str, (root, *environments(root))))
    *all_but_last, last = folders
    return f"{', '.join(all_but_last)} and {last}"


def _candidate_folders(root: Path, source: str) -> Iterator[Path]:
    """Yield the folders in which a package may be, best first.

    Args:
        root: The root of the project.
        source: The name of the package, or its folder relative to the root.
    """
    folder = root / source
    yield from (folder, folder / "src" / folder.name, root / "src" / source)
    # A folder, unlike a name, is not searched in environments.
    if not source.isidentifier():
        return
    for environment in environments(root):
        for site_packages in _site_packages(environment):
            yield site_packages / source
            record_pattern = f"{source}-*.dist-info/direct_url.json"
            for record in sorted(site_packages.glob(record_pattern)):
                yield from _editable_folders(record, source)


def _site_packages(environment: Path) -> list[Path]:
    """Return the folders of an environment that contain packages.

    On Unix, this is `lib/python3.12/site-packages`, and on Windows `Lib/site-packages`.
    """
    is_environment_of_modular = environment == Path(sys.prefix)
    if is_environment_of_modular:
        return [Path(folder) for folder in sys.path if os.path.isabs(folder)]
    unix_folders = environment.glob(f"lib/python*/{_SITE_PACKAGES}")
    windows_folder = environment / "Lib" / _SITE_PACKAGES
    return [*sorted(unix_folders, reverse=True), windows_folder]


def _editable_folders(record: Path, name: str) -> Iterator[Path]:
    """Yield the folders in which a package may be that was installed with `pip -e`.

    Args:
        record: The file `direct_url.json` of the installation (PEP 610), which names
            the checkout. A file in another format gives no folders.
        name: The name of the package.
    """
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    # A record may hold anything.
    with suppress(
        OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError
    ):
        content = json.loads(read_bytes(record, _MAX_INSTALLATION_RECORD_BYTES))
        url = urlsplit(content["url"])
        if url.scheme == "file":
            checkout = Path(url2pathname(url.path))
            yield from (checkout / "src" / name, checkout / name)
