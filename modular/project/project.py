"""A project: its root, its settings, which models it has and where their files are."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Final

from modular.project import library as libraries
from modular.project.library import Library
from modular.project.naming import MODULAR, read_names, table_files
from modular.rules.files import file_types
from modular.rules.names.cased_names import CasedNames
from modular.settings import settings as settings_module
from modular.settings.settings import MODELS, Settings
from modular.source.diagnostics import Problem
from modular.source.import_statements import Import, relative_stem
from modular.source.loading import Loaded, decode, load, refused


@dataclass(eq=False)
class Project:
    """A project. All paths that it gives or takes as text are relative to ``root``, with ``/``.

    Files of the source library, which are only read, have the paths that `library.Library` gives them. ``unsaved`` are texts
    of files, by path, that count instead of those on disk.
    """

    root: Final[Path]
    settings: Final[Settings]
    unsaved: Final[Mapping[str, str]] = field(default_factory=dict)

    @cached_property
    def models_folders(self) -> tuple[str, ...]:
        """The folders that hold the models' folders."""
        return tuple(
            folder for folder in self.settings.models if (self.root / folder).is_dir()
        )

    @cached_property
    def model_folders(self) -> tuple[Path, ...]:
        """The models' own folders, sorted."""
        entries = (
            entry
            for folder in self.models_folders
            for entry in (self.root / folder).iterdir()
        )
        return tuple(sorted(entry for entry in entries if entry.is_dir()))

    def is_model_folder(self, path: str) -> bool:
        """Whether a path is that of a model's folder, directly below a models folder."""
        return path.rpartition("/")[0] in self.models_folders

    @cached_property
    def modular_files(self) -> tuple[str, ...]:
        """All modular files of the project, sorted."""
        paths = (
            path for folder in self.models_folders for path in self._listed[folder]
        )
        return tuple(
            sorted(
                {path for path in paths if path.rpartition("/")[2].startswith(MODULAR)}
            )
        )

    def files_of_models(self) -> list[str]:
        """Return all Python files in folders of models, those of the output folder included, sorted."""
        return sorted(set().union(*self._listed.values()))

    @cached_property
    def _listed(self) -> dict[str, list[str]]:
        """The same by the models folder, or output folder, that they are in."""
        folders = {*self.models_folders, *filter(None, [self.settings.output])}
        return {
            folder: list(_find(str(self.root / folder), folder)) for folder in folders
        }

    @cached_property
    def names(self) -> CasedNames:
        """The table of cased names. Raises SettingsError if it cannot be read."""
        if outside := next(
            (path for path in self.name_files if self.leads_out(path)), None
        ):
            raise settings_module.SettingsError(
                f"{self.root / outside}: the file leads out of the project's root"
            )
        return read_names(
            [self.root / folder for folder in self.models_folders], self.settings
        )

    @cached_property
    def name_files(self) -> tuple[str, ...]:
        """The files that the table of cased names is read from."""
        files = table_files(
            [self.root / folder for folder in self.models_folders], self.settings
        )
        return tuple(file.relative_to(self.root).as_posix() for file in files)

    @cached_property
    def library(self) -> Library | None:
        """The source library; None if the project itself is that package."""
        if self._own_package is not None:
            return None
        return libraries.find(self.root, self.settings.source_library, self.settings)

    @cached_property
    def _own_package(self) -> Path | None:
        """The folder of the project's package if that is the source library itself."""
        for folder in self.models_folders:
            package = tuple(self.settings.packages[folder].split("."))
            if (
                package[0] == self.settings.library_name
                and PurePosixPath(folder).parts[-len(package) :] == package
            ):
                return Path(self.root, folder, *[os.pardir] * (len(package) - 1))
        return None

    def in_packages(self, module: str) -> Iterator[tuple[str, str]]:
        """Yield each models folder whose package a module is in, with the rest of the module's name."""
        for folder in self.models_folders:
            package = f"{self.settings.packages[folder]}."
            if module.startswith(package):
                yield folder, module.removeprefix(package)

    @property
    def release(self) -> settings_module.Release | None:
        """The release of the source library; None if nothing says it."""
        package = self._own_package if self.library is None else self.library.folder
        return None if package is None else libraries.release(package)

    def library_of(self, path: str) -> Library | None:
        """Return the source library if a path is that of one of its files."""
        if any(path.startswith(f"{folder}/") for folder in self.models_folders):
            return None
        return (
            self.library
            if self.library is not None and self.library.holds(path)
            else None
        )

    def locate(self, path: str) -> Path:
        """Return where a file is on disk."""
        library = self.library_of(path)
        return self.root / path if library is None else library.locate(path)

    def leads_out(self, path: str) -> bool:
        """Whether a path leads out of the root when its links are followed; a library's paths may do so."""
        return self.library_of(path) is None and not Path(
            os.path.realpath(self.root / path)
        ).is_relative_to(self.root)

    def load(self, path: str, fresh: Mapping[str, str]) -> Loaded:
        """Read a file: its text among ``fresh`` ones, by path, if it has one there, else what is on disk."""
        text = fresh.get(path, self.unsaved.get(path))
        if text is not None:
            return decode(text.encode(), path)
        if self.leads_out(path):
            return refused(
                Problem.OUTSIDE_ROOT,
                path,
                "the file leads out of the project's root",
                "remove the link",
            )
        return load(self.locate(path), path)

    def names_of(self, path: str) -> CasedNames:
        """Return the table of cased names that counts for a parent file."""
        library = self.library_of(path)
        return self.names if library is None else library.names

    def output_path(self, modular: str, file_type: str) -> str:
        """Where the file of a type goes that is generated from a modular file."""
        folder, name = (
            self.output_folder(modular),
            f"{file_type}_{model_name(modular)}.py",
        )
        return name if folder == "." else f"{folder}/{name}"

    def output_folder(self, modular: str) -> str:
        """Where the files go that are generated from a modular file."""
        return str(self.mirrored(PurePosixPath(modular.rpartition("/")[0])))

    def mirrored(self, folder: PurePosixPath) -> PurePosixPath:
        """Return where the files go that are generated from those of a folder."""
        for models in self.models_folders if self.settings.output else ():
            if folder.is_relative_to(models):
                return PurePosixPath(self.settings.output) / folder.relative_to(models)
        return PurePosixPath(self.settings.output) / folder

    @cached_property
    def _generators(self) -> dict[tuple[str, str], list[str]]:
        """The modular file of each model, by the folder of its output and the model's name; more than one is wrong."""
        modulars: dict[tuple[str, str], list[str]] = {}
        for path in self.modular_files:
            modulars.setdefault(self._destination(path), []).append(path)
        return modulars

    def _destination(self, modular: str) -> tuple[str, str]:
        """The folder of what is generated from a modular file, and the model's name."""
        return self.output_folder(modular), model_name(modular)

    def generator(self, path: str) -> str | None:
        """Return the modular file that would generate a model file, if the project has it."""
        folder, _, name = path.rpartition("/")
        stem = name.removesuffix(".py")
        file_type = file_types.of_file(stem, self.settings)
        modulars = (
            self._generators.get((folder or ".", stem.removeprefix(f"{file_type}_")))
            if file_type
            else None
        )
        return modulars[-1] if modulars else None

    def rivals(self, modular: str) -> list[str]:
        """Return the other modular files that would generate the same files as one, in an output folder that they share."""
        return [
            rival
            for rival in self._generators.get(self._destination(modular), [])
            if rival != modular
        ]

    def resolve(self, modular: str, statement: Import) -> tuple[str, ...]:
        """Return the paths at which a model import's parent file may be, best first; none if it is not a model import.

        They are beside the models and, where generated files go to a folder of their own, in that: there first, if the
        project has a modular file that generates it.
        """
        return self.resolve_module(modular, statement.level, statement.module or "")

    def resolve_module(self, modular: str, level: int, module: str) -> tuple[str, ...]:
        """Do the same for the module that an import names after its leading dots, of which there are ``level``."""
        parts = module.split(".")
        if file_types.of_file(parts[-1], self.settings) is None:
            return ()
        stems = tuple(_stems(self, modular, level, parts))
        if _own_module(modular, stems) is not None:
            return ()
        paths = tuple(path for stem in stems for path in _parent_files(self, stem))
        return paths if level else paths + _library_files(self, parts)

    def find_own_module(self, modular: str, statement: Import) -> str | None:
        """Return the module beside a modular file that an import names, but not as `.configuration_llama`."""
        parts = (statement.module or "").split(".")
        if statement.level == 1 or file_types.of_file(parts[-1], self.settings) is None:
            return None
        return _own_module(modular, _stems(self, modular, statement.level, parts))


def _stems(
    project: Project, modular: str, level: int, parts: list[str]
) -> Iterator[str]:
    """The paths, without their ending, at which a module of the project may be that a modular file imports from.

    Outside the models folders relative imports of models are read as if the file was in a model's folder.
    """
    if (stem := relative_stem(modular, level, ".".join(parts))) is not None:
        yield stem
    if not level:
        for models, module in project.in_packages(".".join(parts)):
            yield f"{models}/{module.replace('.', '/')}"
    inside = _below_models(level, parts)
    if inside and not any(_below(models, modular) for models in project.models_folders):
        yield from ("/".join([models, *inside]) for models in project.models_folders)


def _own_module(modular: str, stems: Iterable[str]) -> str | None:
    """The module beside a modular file, if one of the paths is that of such a module."""
    folder = modular.rpartition("/")[0]
    return next(
        (
            name
            for stem in stems
            for place, _, name in [stem.rpartition("/")]
            if place == folder
        ),
        None,
    )


def _library_files(project: Project, parts: list[str]) -> tuple[str, ...]:
    if (
        parts[:2] != [project.settings.library_name, MODELS]
        or len(parts) < 4
        or project.library is None
    ):
        return ()
    return (
        (project.library.path(".".join(parts)),)
        if _is_model_file(project, parts[2:])
        else ()
    )


def _is_model_file(project: Project, inside: Sequence[str]) -> bool:
    """Whether a module that is called like one, by its parts below a models folder, is a model file that may be inherited from."""
    return len(inside) > 1 and ".".join(inside) not in project.settings.ordinary_imports


def _parent_files(project: Project, stem: str) -> tuple[str, ...]:
    inside = next(
        filter(None, (_below(models, stem) for models in project.models_folders)), ""
    )
    if not _is_model_file(project, inside.split("/")):
        return ()
    path = PurePosixPath(f"{stem}.py")
    beside, mirrored = str(path), str(project.mirrored(path.parent) / path.name)
    paths = (
        (beside, mirrored)
        if project.generator(mirrored) is None
        else (mirrored, beside)
    )
    return tuple(dict.fromkeys(paths))


def _below(folder: str, path: str) -> str:
    """What of a path is below a folder; nothing if it is not there."""
    if folder == ".":
        return path.removeprefix("./")
    return path.removeprefix(f"{folder}/") if path.startswith(f"{folder}/") else ""


def _below_models(level: int, parts: list[str]) -> list[str]:
    """The parts below the models folder of `..llama.modeling_llama` and `...models.llama.modeling_llama`, else none."""
    if level == 2 and len(parts) == 2:
        return parts
    return parts[1:] if level == 3 and len(parts) == 3 and parts[0] == MODELS else []


def model_name(modular: str) -> str:
    """Return the model's name: what follows `modular_` in the file's name."""
    return modular.rpartition("/")[2].removesuffix(".py").removeprefix(MODULAR)


def _find(folder: str, path: str, depth: int = 2) -> Iterator[str]:
    """Python files in the models' folders below a folder, which is ``path`` from the root, or one level further down.

    What cannot be looked at, or has a name that cannot be printed, is passed over.
    """
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            # Only a link has to be followed for that, which raises where it leads nowhere.
            is_file, is_folder = (
                entry.is_file(follow_symlinks=False),
                entry.is_dir(follow_symlinks=False),
            )
            if not entry.name.isprintable():
                continue
            if (
                depth < 2
                and entry.name.endswith(".py")
                and (is_file or os.path.isfile(entry.path))
            ):
                yield f"{path}/{entry.name}"
            elif (
                depth
                and "." not in entry.name
                and (is_folder or os.path.isdir(entry.path))
            ):
                yield from _find(entry.path, f"{path}/{entry.name}", depth - 1)
