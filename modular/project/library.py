"""The source library: a package outside the project whose models a project may inherit from.

It is found as files, in a folder or where packages are installed, and read as text: it is never imported, nor written.
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

from modular.project.naming import configuration_files, read_names, table_files
from modular.rules.names.cased_names import CasedNames
from modular.settings.settings import (
    MODELS,
    Release,
    Settings,
    SettingsError,
    release_of,
)
from modular.source.loading import load
from modular.system.reading import read_bytes


@dataclass(eq=False)
class Library:
    """A package with models.

    ``prefix`` is what the paths of its files begin with: the folder relative to the project's root or, for a package that is
    elsewhere or in an environment, its name, as in `transformers/models/llama/modeling_llama.py`. Where it was not found,
    there is no ``folder``.
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
        """Whether the package is there."""
        return self.models.is_dir()

    def holds(self, path: str) -> bool:
        """Whether a path is that of a file of this package."""
        return path.startswith(f"{self.prefix}/")

    def locate(self, path: str) -> Path:
        """Return where the file of such a path is on disk."""
        return self.folder / path.removeprefix(f"{self.prefix}/")

    def path_of(self, place: Path) -> str | None:
        """Return the path of a file of this package, by its place on disk; None if it is no file of this package."""
        real, folder = place.resolve(), self.folder.resolve()
        return (
            f"{self.prefix}/{real.relative_to(folder).as_posix()}"
            if real.is_relative_to(folder)
            else None
        )

    def path(self, module: str) -> str:
        """Return the path of a module of this package, such as `transformers.models.llama.modeling_llama`."""
        return f"{'/'.join([self.prefix, *module.split('.')[1:]])}.py"

    def package(self, path: str) -> tuple[str, ...]:
        """Return the package that the file of such a path is in, part by part."""
        inside = PurePosixPath(path).relative_to(self.prefix)
        return (self.name, *inside.parent.parts)

    @cached_property
    def names(self) -> CasedNames:
        """The cased names of its models."""
        return read_names([self.models], self.settings)

    @cached_property
    def name_files(self) -> tuple[str, ...]:
        """The paths of the files that these names are read from."""
        files = table_files([self.models], self.settings) or configuration_files(
            [self.models]
        )
        return tuple(
            f"{self.prefix}/{file.relative_to(self.folder).as_posix()}"
            for file in files
        )


_VERSION = re.compile(r"^__version__ *= *[\"'](\d{1,9}\.\d{1,9})", re.MULTILINE)
_LONGEST = 1_000_000
_ENVIRONMENT = ".venv"
_SITE_PACKAGES = "site-packages"


def release(package: Path) -> Release | None:
    """Return the release that a package's `__init__.py` says, as text, that it is; None if it does not say so."""
    version = _VERSION.search(load(package / "__init__.py", "__init__.py").text)
    return None if version is None else release_of(version[1])


def find(root: Path, source: str, settings: Settings) -> Library:
    """Return the library that a name, or the path of a folder relative to ``root``, refers to.

    A name is looked for below the root first, then in environments: see `environments`.
    """
    name = PurePosixPath(source).name
    folder = next(
        (place for place in _places(root, source) if (place / MODELS).is_dir()), None
    )
    if folder is None:
        return Library(name, name, root / name, settings)
    inside = is_below(folder, root)
    return Library(
        name,
        folder.resolve().relative_to(root).as_posix() if inside else name,
        folder,
        settings,
    )


def is_below(folder: Path, root: Path) -> bool:
    """Whether a package's folder is part of a project, and not of an environment that is below its root."""
    place = folder.resolve()
    return (
        place.is_relative_to(root)
        and _SITE_PACKAGES not in place.relative_to(root).parts
    )


def settings_for(root: Path, given: str, settings: Settings) -> dict[str, Any]:
    """Return the settings that a library named on a command line refers to.

    It is the one that parent files come from: its name, or its folder from the current folder. But a package below
    the root, where the settings say nothing of the project's own package, is that one. Raises SettingsError.
    """
    is_path = "/" in given or os.sep in given or given.startswith(".")
    source = os.path.abspath(given) if is_path else given
    library = find(root, source, settings)
    if not library.is_found:
        raise SettingsError(
            f"--source-library: no package `{library.name}` with `{MODELS}` in it was found in {looked_in(root)}"
        )
    if (
        not settings.is_library
        or library.name == settings.library_name
        or not is_below(library.folder, root)
    ):
        return {"source-library": source}
    return {
        "models": [f"{library.prefix}/{MODELS}"],
        "package": f"{library.name}.{MODELS}",
    }


def _places(root: Path, source: str) -> Iterator[Path]:
    """Where the package may be, best first."""
    given = root / source
    yield from (given, given / "src" / given.name, root / "src" / source)
    if source.isidentifier():
        yield from _installed(root, source)


def environments(root: Path) -> tuple[Path, ...]:
    """Return the environments in which a source library may be installed, best first.

    They are the one that is active, `.venv` beside the settings, and the one that modular itself is installed in.
    """
    active = os.environ.get("VIRTUAL_ENV")
    return (*((Path(active),) if active else ()), root / _ENVIRONMENT, Path(sys.prefix))


def looked_in(root: Path) -> str:
    """Return where a source library is looked for, in words."""
    *others, last = dict.fromkeys(map(str, (root, *environments(root))))
    return f"{', '.join(others)} and {last}"


def _installed(root: Path, name: str) -> Iterator[Path]:
    """Where a package may be that is installed, or that is installed in place."""
    for environment in environments(root):
        for site in _site_folders(environment):
            yield site / name
            for file in sorted(site.glob(f"{name}-*.dist-info/direct_url.json")):
                yield from _checkout(file, name)


def _site_folders(environment: Path) -> list[Path]:
    """The folders of an environment in which packages are."""
    if environment == Path(sys.prefix):
        return [Path(folder) for folder in sys.path if os.path.isabs(folder)]
    inside = sorted(environment.glob(f"lib/python*/{_SITE_PACKAGES}"), reverse=True)
    return [*inside, environment / "Lib" / _SITE_PACKAGES]


def _checkout(file: Path, name: str) -> Iterator[Path]:
    """Where a package is that is installed in place, as the file of its installation says."""
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    with suppress(
        OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError
    ):
        url = urlsplit(json.loads(read_bytes(file, _LONGEST))["url"])
        if url.scheme == "file":
            checkout = Path(url2pathname(url.path))
            yield from (checkout / "src" / name, checkout / name)
