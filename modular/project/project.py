"""A project: its root, its settings, its models and the places of their files."""

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
from modular.settings.settings import MODELS, Release, Settings, SettingsError
from modular.source.diagnostics import Problem
from modular.source.import_statements import Import, relative_stem
from modular.source.loading import Loaded, decode, load, refuse


@dataclass(eq=False)
class Project:
    """A project.

    All paths that are strings are relative to the root, with `/`. Files of the source
    library have the paths that `Library` gives them.

    Attributes:
        root: The absolute path of the root folder.
        settings: The settings of the project.
        unsaved: The texts of files by path that replace those on disk.
    """

    root: Final[Path]
    settings: Final[Settings]
    unsaved: Final[Mapping[str, str]] = field(default_factory=dict)

    @cached_property
    def models_folders(self) -> tuple[str, ...]:
        """The existing folders that contain the folder of each model.

        They are relative to the root, such as `src/transformers/models`.
        """
        folders = self.settings.models
        return tuple(folder for folder in folders if (self.root / folder).is_dir())

    @cached_property
    def models(self) -> tuple[Path, ...]:
        """The absolute path of each model, such as `models/llama`, sorted."""
        folders = []
        for parent_folder in self.models_folders:
            for entry in (self.root / parent_folder).iterdir():
                if entry.is_dir():
                    folders.append(entry)
        return tuple(sorted(folders))

    def is_model_folder(self, path: str) -> bool:
        """Whether a path is that of a model's folder."""
        return path.rpartition("/")[0] in self.models_folders

    @cached_property
    def modular_files(self) -> tuple[str, ...]:
        """The paths of all modular files, sorted."""
        modular_files = set()
        for folder in self.models_folders:
            for path in self._python_files[folder]:
                if path.rpartition("/")[2].startswith(MODULAR):
                    modular_files.add(path)
        return tuple(sorted(modular_files))

    def files_of_models(self) -> list[str]:
        """Return the Python files of models and of the output folder, sorted."""
        return sorted(set().union(*self._python_files.values()))

    @cached_property
    def _python_files(self) -> dict[str, list[str]]:
        """The Python files of each models folder and of the output folder."""
        folders = set(self.models_folders)
        if self.settings.output:
            folders.add(self.settings.output)
        files = {}
        for folder in folders:
            files[folder] = list(_find_python_files(str(self.root / folder), folder))
        return files

    @cached_property
    def names(self) -> CasedNames:
        """The cased names of the models.

        Raises:
            SettingsError: The table of model types cannot be read
                (`modular.settings.settings`).
        """
        for path in self.name_files:
            if self.points_outside_root(path):
                raise SettingsError(
                    f"{self.root / path}: the file points outside the project's root"
                )
        return read_names(self._absolute_models_folders(), self.settings)

    @cached_property
    def registered_configurations(self) -> Mapping[str, str]:
        """The configuration classes in the table of model types; empty without a table."""
        if not table_files(self._absolute_models_folders(), self.settings):
            return {}
        return self.names.table

    @cached_property
    def name_files(self) -> tuple[str, ...]:
        """The paths of the files of the table of model types, if there is one."""
        files = table_files(self._absolute_models_folders(), self.settings)
        return tuple(file.relative_to(self.root).as_posix() for file in files)

    def _absolute_models_folders(self) -> list[Path]:
        return [self.root / folder for folder in self.models_folders]

    @cached_property
    def library(self) -> Library | None:
        """The source library, or None if it is the project itself."""
        if self._library_in_project is not None:
            return None
        return libraries.find_library(
            self.root, self.settings.source_library, self.settings
        )

    @cached_property
    def _library_in_project(self) -> Path | None:
        """The folder of the source library if it is the project itself, else None.

        If the models are in `src/transformers/models` and their package is
        `transformers.models`, that is `src/transformers`.
        """
        for models in self.models_folders:
            package = tuple(self.settings.packages[models].split("."))
            is_library = package[0] == self.settings.library_name
            is_package = PurePosixPath(models).parts[-len(package) :] == package
            if is_library and is_package:
                levels_up = [os.pardir] * (len(package) - 1)
                return Path(self.root, models, *levels_up)
        return None

    @property
    def release(self) -> Release | None:
        """The release of the source library, or None if it does not contain it."""
        folder = self._library_in_project
        if self.library is not None:
            folder = self.library.folder
        return None if folder is None else libraries.read_release(folder)

    def library_of(self, path: str) -> Library | None:
        """Return the source library if a file belongs to it, else None."""
        if any(path.startswith(f"{folder}/") for folder in self.models_folders):
            return None
        if self.library is None or not self.library.holds(path):
            return None
        return self.library

    def names_of(self, path: str) -> CasedNames:
        """Return the cased names that apply to a parent file."""
        library = self.library_of(path)
        return self.names if library is None else library.names

    def locate(self, path: str) -> Path:
        """Return the place of a file on disk."""
        library = self.library_of(path)
        return self.root / path if library is None else library.locate(path)

    def points_outside_root(self, path: str) -> bool:
        """Whether a path points outside the root through a link.

        A path of the source library may do so.
        """
        if self.library_of(path) is not None:
            return False
        real_path = Path(os.path.realpath(self.root / path))
        return not real_path.is_relative_to(self.root)

    def load(self, path: str, regenerated: Mapping[str, str]) -> Loaded:
        """Read a file.

        Args:
            path: The path of the file.
            regenerated: Texts by path that replace unsaved texts and files on disk.
        """
        text = regenerated.get(path, self.unsaved.get(path))
        if text is not None:
            return decode(text.encode(), path)
        if self.points_outside_root(path):
            message = "the file points outside the project's root"
            return refuse(Problem.OUTSIDE_ROOT, path, message, "remove the link")
        return load(self.locate(path), path)

    def output_path(self, modular: str, file_type: str) -> str:
        """Return the path of a file that is generated from a modular file."""
        folder = self.output_folder(modular)
        name = f"{file_type}_{model_name(modular)}.py"
        return name if folder == "." else f"{folder}/{name}"

    def output_folder(self, modular: str) -> str:
        """Return the folder of the files that are generated from a modular file."""
        return str(self.generated_folder(PurePosixPath(modular.rpartition("/")[0])))

    def generated_folder(self, folder: PurePosixPath) -> PurePosixPath:
        """Return the folder of the files that are generated for models in a folder.

        It is that folder itself. With the setting `output`, it is its copy there:
        `generated/llama` for `models/llama`.
        """
        if not self.settings.output:
            return folder
        output = PurePosixPath(self.settings.output)
        for models in self.models_folders:
            if folder.is_relative_to(models):
                return output / folder.relative_to(models)
        return output / folder

    @cached_property
    def _generators(self) -> dict[tuple[str, str], list[str]]:
        """The modular files for each output folder and model name.

        More than one for the same folder and name is an error in the project.
        """
        generators: dict[tuple[str, str], list[str]] = {}
        for path in self.modular_files:
            generators.setdefault(self._destination(path), []).append(path)
        return generators

    def _destination(self, modular: str) -> tuple[str, str]:
        """Return the output folder and the model name of a modular file."""
        return self.output_folder(modular), model_name(modular)

    def generator(self, path: str) -> str | None:
        """Return the modular file that generates a model file, or None."""
        folder, _, name = path.rpartition("/")
        stem = name.removesuffix(".py")
        file_type = file_types.of_file(stem, self.settings)
        if file_type is None:
            return None
        model = stem.removeprefix(f"{file_type}_")
        generators = self._generators.get((folder or ".", model))
        return generators[-1] if generators else None

    def rivals(self, modular: str) -> list[str]:
        """Return the other modular files that generate the same files as one."""
        generators = self._generators.get(self._destination(modular), [])
        return [generator for generator in generators if generator != modular]

    def in_packages(self, module: str) -> Iterator[tuple[str, str]]:
        """Yield each models folder whose package contains a module.

        Each folder comes with the module's name relative to that package.
        """
        for folder in self.models_folders:
            package = f"{self.settings.packages[folder]}."
            if module.startswith(package):
                yield folder, module.removeprefix(package)

    def resolve(self, modular: str, import_: Import) -> tuple[str, ...]:
        """Return the paths at which the parent file of a model import may be.

        See `resolve_module`.
        """
        return self.resolve_module(modular, import_.level, import_.module or "")

    def resolve_module(self, modular: str, level: int, module: str) -> tuple[str, ...]:
        """Return the paths at which an imported parent file may be, best first.

        If generated files have a folder of their own, that folder is searched too. It
        comes first if the project has a modular file that generates the parent file.

        Args:
            modular: The path of the modular file.
            level: The number of leading dots of the import.
            module: The module's name after the dots.

        Returns:
            The paths, or an empty tuple if this is not a model import.
        """
        parts = module.split(".")
        if file_types.of_file(parts[-1], self.settings) is None:
            return ()
        stems = list(_possible_stems(self, modular, level, parts))
        if _module_beside(modular, stems) is not None:
            return ()
        paths: list[str] = []
        for stem in stems:
            paths += _parent_files(self, stem)
        if level == 0:
            paths += _library_files(self, parts)
        return tuple(paths)

    def find_own_module(self, modular: str, import_: Import) -> str | None:
        """Return the module beside a modular file that an import names.

        An import that is written as `.configuration_llama` does not count.
        """
        parts = (import_.module or "").split(".")
        is_model_file = file_types.of_file(parts[-1], self.settings) is not None
        if import_.level == 1 or not is_model_file:
            return None
        stems = _possible_stems(self, modular, import_.level, parts)
        return _module_beside(modular, stems)


def model_name(modular: str) -> str:
    """Return the model of a modular file: `llama` for `modular_llama.py`."""
    return modular.rpartition("/")[2].removesuffix(".py").removeprefix(MODULAR)


def _possible_stems(
    project: Project, modular: str, level: int, parts: list[str]
) -> Iterator[str]:
    """Yield the paths without `.py` at which an imported module may be.

    For `..llama.modeling_llama` in `models/new/modular_new.py` this is
    `models/llama/modeling_llama`. A modular file outside the models folders may write
    the same, as if it was in the folder of a model.

    Args:
        project: The project.
        modular: The path of the modular file.
        level: The number of leading dots of the import.
        parts: The parts of the module's name.
    """
    module = ".".join(parts)
    if level == 0:
        for models, module_in_package in project.in_packages(module):
            yield f"{models}/{module_in_package.replace('.', '/')}"
        return

    stem = relative_stem(modular, level, module)
    if stem is not None:
        yield stem
    is_outside_models = not _path_below_models(project, modular)
    parts_below_models = _parts_below_models(level, parts)
    if is_outside_models and parts_below_models:
        for models in project.models_folders:
            yield "/".join([models, *parts_below_models])


def _parts_below_models(level: int, parts: list[str]) -> list[str]:
    """Return the parts of a relative import below the models folder.

    These are `llama` and `modeling_llama` for `..llama.modeling_llama` and for
    `...models.llama.modeling_llama`, and none for other imports.
    """
    if level == 2 and len(parts) == 2:
        return parts
    if level == 3 and len(parts) == 3 and parts[0] == MODELS:
        return parts[1:]
    return []


def _module_beside(modular: str, stems: Iterable[str]) -> str | None:
    """Return the first module in the folder of a modular file, given paths."""
    modular_folder = modular.rpartition("/")[0]
    for stem in stems:
        folder, _, module = stem.rpartition("/")
        if folder == modular_folder:
            return module
    return None


def _parent_files(project: Project, stem: str) -> list[str]:
    """Return the paths of a model file beside the models and in the output folder."""
    if not _may_be_parent(project, _path_below_models(project, stem).split("/")):
        return []
    path = PurePosixPath(f"{stem}.py")
    beside = str(path)
    generated = str(project.generated_folder(path.parent) / path.name)
    if generated == beside:
        return [beside]
    if project.generator(generated) is None:
        return [beside, generated]
    return [generated, beside]


def _library_files(project: Project, parts: list[str]) -> list[str]:
    """Return the path of a model file of the source library, given its module."""
    library = project.library
    if library is None or parts[:2] != [project.settings.library_name, MODELS]:
        return []
    if not _may_be_parent(project, parts[2:]):
        return []
    return [library.module_path(".".join(parts))]


def _may_be_parent(project: Project, parts: Sequence[str]) -> bool:
    """Whether a module below a models folder may be a parent file."""
    return len(parts) > 1 and ".".join(parts) not in project.settings.ordinary_imports


def _path_below_models(project: Project, path: str) -> str:
    """Return a path relative to the models folder that it is in, empty outside."""
    for models in project.models_folders:
        if models == ".":
            return path.removeprefix("./")
        if path.startswith(f"{models}/"):
            return path.removeprefix(f"{models}/")
    return ""


def _find_python_files(folder: str, path: str, depth: int = 2) -> Iterator[str]:
    """Yield the Python files below a models folder, one or two levels down.

    Folders that cannot be read and names that cannot be printed are skipped.

    Args:
        folder: The place of the folder on disk.
        path: Its path relative to the root.
        depth: The number of levels that are left.
    """
    with suppress(OSError):
        for name in os.listdir(folder):
            place = os.path.join(folder, name)
            entry_path = f"{path}/{name}"
            if not name.isprintable():
                continue
            if name.endswith(".py"):
                if depth < 2 and os.path.isfile(place):
                    yield entry_path
            elif depth > 0 and "." not in name and os.path.isdir(place):
                yield from _find_python_files(place, entry_path, depth - 1)
