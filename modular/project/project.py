"""A project: its root, its settings, its models and the places of their files."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Final

from modular.project import file_types
from modular.project import library as libraries
from modular.project.cased_names import CasedNames
from modular.project.library import Library
from modular.project.naming import (
    IN_MODEL_FOLDERS,
    MODULAR,
    is_folder_to_search,
    is_modular_name,
    read_names,
    table_files,
)
from modular.settings.settings import (
    Release,
    Settings,
    SettingsError,
    release_of,
)
from modular.source.diagnostics import Problem
from modular.source.loading import Loaded, decode, load, refuse


_MAX_FOLDER_DEPTH = 2
"""Levels of folders below a models folder in which files of models are found."""


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
    _generating_modulars: dict[str, str | None] = field(
        default_factory=dict, init=False, repr=False
    )

    @cached_property
    def models_folders(self) -> tuple[str, ...]:
        """The existing folders that contain the folder of each model.

        They are relative to the root, such as `src/transformers/models`.
        """
        folders = self.settings.models
        return tuple(folder for folder in folders if (self.root / folder).is_dir())

    @cached_property
    def models(self) -> tuple[Path, ...]:
        """The absolute path of each model's folder, such as `models/llama`, sorted.

        There are none if all models share a folder.
        """
        if not self.settings.file_names.has_model_folders:
            return ()
        folders = []
        for parent_folder in self.models_folders:
            for entry in (self.root / parent_folder).iterdir():
                if entry.is_dir():
                    folders.append(entry)
        return tuple(sorted(folders))

    @cached_property
    def model_names(self) -> frozenset[str]:
        """The names of all models, with and without modular files."""
        names = {model_name(path) for path in self.modular_files}
        names.update(folder.name for folder in self.models)
        # Models that share a folder can be known by the names of their files.
        if not self.settings.file_names.has_model_folders:
            for path in self.files_of_models():
                file_name = self.settings.file_names.parse(PurePosixPath(path).stem)
                if file_name is not None:
                    names.add(file_name.model)
        return frozenset(names)

    def is_model_folder(self, path: str) -> bool:
        """Whether a path is the folder of one model."""
        if not self.settings.file_names.has_model_folders:
            return False
        return (path.rpartition("/")[0] or ".") in self.models_folders

    def is_in_models_folder(self, path: str) -> bool:
        """Whether a file is in a folder that contains models, or below it.

        If all models share one folder, this is true only for files directly in it.
        """
        folder = path.rpartition("/")[0] or "."
        if not self.settings.file_names.has_model_folders:
            return folder in self.models_folders
        for models in self.models_folders:
            if models == "." or path.startswith(f"{models}/"):
                return True
        return False

    def model_of(self, path: str) -> str:
        """Return the name of the model that a file belongs to.

        It is `llama` for `models/llama/modeling_llama.py`: the name of the folder. If
        all models of the project share a folder, the name is part of the file's name.
        """
        file = PurePosixPath(path)
        if self.settings.file_names.has_model_folders or self.library_of(path):
            return file.parent.name
        if file.name.startswith(MODULAR):
            return model_name(path)
        return self.settings.file_names.model_of(file.stem)

    def model_home(self, path: str) -> str:
        """Return a path that identifies the model of a file, such as `models/llama`.

        This is the folder of the file. If all models of the project share a folder, the
        name of the model is appended, so that each model has a path of its own. No
        folder needs to exist there.
        """
        folder = path.rpartition("/")[0]
        if self.settings.file_names.has_model_folders or self.library_of(path):
            return folder or "."
        return f"{folder or '.'}/{self.model_of(path)}"

    def sibling_package(self, path: str) -> str:
        """Return the package from which generated files import their sibling files.

        Returns:
            The package of the file's folder, such as `my_library.models.llama`. Empty
            if these imports are relative, or the folder is not in a package.
        """
        if not self.settings.absolute_imports:
            return ""
        folder = PurePosixPath(path).parent
        for models in self.models_folders:
            package = self.settings.packages[models]
            if package and folder.is_relative_to(models):
                subpackages = folder.relative_to(models).parts
                return ".".join((package, *subpackages))
        return ""

    def output_home(self, modular: str) -> str:
        """Return the path that identifies the model that a modular file generates.

        See `model_home`.
        """
        file_type = self.settings.default_file_type
        return self.model_home(self.output_path(modular, file_type))

    @cached_property
    def modular_files(self) -> tuple[str, ...]:
        """The paths of all modular files, such as `models/llama/modular_llama.py`."""
        modular_files: set[str] = set()
        for folder in self.models_folders:
            modular_files.update(filter(is_modular_name, self._python_files[folder]))
        # Unsaved files need not exist on disk yet.
        for path in self.unsaved:
            file = PurePosixPath(path)
            if not is_modular_name(path):
                continue
            if any(file.is_relative_to(folder) for folder in self.models_folders):
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
            place = str(self.root / folder)
            if self.settings.file_names.has_model_folders:
                files[folder] = list(_find_python_files(place, folder))
            else:
                files[folder] = list(_list_python_files(place, folder))
        return files

    @cached_property
    def names(self) -> CasedNames:
        """The names of the models as class names have them: `MyModel` for `my_model`.

        Raises:
            SettingsError: The table of model types cannot be read
                (`modular.settings.settings`).
        """
        for path in self.name_files:
            if self.points_outside_root(path):
                raise SettingsError(
                    f"{self.root / path}: the file points outside the project's root"
                )
        return read_names(
            self._absolute_models_folders, self.settings, self.model_file_pattern
        )

    @property
    def model_file_pattern(self) -> str:
        """The pattern of the paths of model files below a models folder."""
        has_model_folders = self.settings.file_names.has_model_folders
        return IN_MODEL_FOLDERS if has_model_folders else "*.py"

    @cached_property
    def registered_configurations(self) -> Mapping[str, str]:
        """The configuration classes in the table of model types, if there is one."""
        return self.names.table if self.name_files else {}

    @cached_property
    def name_files(self) -> tuple[str, ...]:
        """The paths of the files of the table of model types, if there is one."""
        files = table_files(self._absolute_models_folders, self.settings)
        return tuple(file.relative_to(self.root).as_posix() for file in files)

    @property
    def _absolute_models_folders(self) -> list[Path]:
        """The absolute paths of the models folders."""
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
        """The folder of the source library if the project contains it, else None.

        The folder is `src/transformers` if the source library is `transformers`, the
        models are in `src/transformers/models`, and their package is
        `transformers.models`.
        """
        for models in self.models_folders:
            package_names = tuple(self.settings.packages[models].split("."))
            is_library = package_names[0] == self.settings.library_name
            last_folders = PurePosixPath(models).parts[-len(package_names) :]
            if is_library and last_folders == package_names:
                # All names of the package after the first are folders in the library.
                levels_up = [os.pardir] * (len(package_names) - 1)
                return Path(self.root, models, *levels_up)
        return None

    @property
    def release(self) -> Release | None:
        """The release of the source library, or None if it is unknown."""
        version = self.library_version
        return None if version is None else release_of(version)

    @property
    def library_version(self) -> str | None:
        """The version of the source library, or None if the library does not name it."""
        folder = self._library_in_project
        if self.library is not None:
            folder = self.library.folder
        return None if folder is None else libraries.read_version(folder)

    def library_of(self, path: str) -> Library | None:
        """Return the source library if a file belongs to it, else None.

        A file in the project's models folders does not belong to the library, even if
        the library contains it.
        """
        for folder in self.models_folders:
            # All paths are below the folder `.`, even `transformers/models/llama`, by
            # which the project names a folder of a library outside of the root.
            if folder != "." and path.startswith(f"{folder}/"):
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

    def has_file(self, path: str) -> bool:
        """Whether a file exists on disk, or is an unsaved file of an editor."""
        return path in self.unsaved or self.locate(path).is_file()

    def points_outside_root(self, path: str) -> bool:
        """Whether a path leads out of the root through a symbolic link.

        Such files are not read. The source library may be outside of the root, so this
        is false for its files.
        """
        if self.library_of(path) is not None:
            return False
        return leads_outside(self.root, path)

    def load(self, path: str, regenerated: Mapping[str, str]) -> Loaded:
        """Read a file from memory if it was generated or edited, else from disk.

        Args:
            path: The path of the file.
            regenerated: Texts by path that were generated in the same run. They take
                precedence over unsaved texts of an editor and files on disk.
        """
        text = regenerated.get(path, self.unsaved.get(path))
        if text is not None:
            # This checks the text like the content of a file: NUL bytes are an error.
            return decode(text.encode(), path)
        if self.points_outside_root(path):
            message = "the file points outside the project's root"
            return refuse(Problem.OUTSIDE_ROOT, path, message, "remove the link")
        return load(self.locate(path), path)

    def output_path(self, modular: str, file_type: str) -> str:
        """Return the path of a file that is generated from a modular file."""
        folder = self.output_folder(modular)
        stem = self.settings.file_names.stem(file_type, model_name(modular))
        return join_path(folder, f"{stem}.py")

    def expected_outputs(
        self, modular: str, class_names: Iterable[str]
    ) -> tuple[str, ...]:
        """Return the files that a modular file generates, one for each type of class.

        A conversion can generate more files, for classes that it copies from parents.

        Args:
            modular: The path of the modular file.
            class_names: The names of the classes in it.
        """
        cased = self.names.cased(model_name(modular))
        types = set()
        for class_name in class_names:
            types.add(file_types.of_class(class_name, cased, self.settings))
        if not types:
            # A modular file with only functions generates one file, too.
            types = {self.settings.default_file_type}
        return tuple(self.output_path(modular, type_) for type_ in sorted(types))

    def output_folder(self, modular: str) -> str:
        """Return the folder of the files that are generated from a modular file."""
        return str(self.generated_folder(PurePosixPath(modular.rpartition("/")[0])))

    def generated_folder(self, folder: PurePosixPath) -> PurePosixPath:
        """Return the folder into which the files of a model's folder are generated.

        With the setting `output = "generated"`, this is `generated/llama` for
        `models/llama`. Without an output folder, it is the model's folder itself.
        """
        if not self.settings.output:
            return folder
        output = PurePosixPath(self.settings.output)
        for models in self.models_folders:
            if folder.is_relative_to(models):
                return output / folder.relative_to(models)
        return output / folder

    @cached_property
    def _modulars_by_destination(self) -> dict[tuple[str, str], list[str]]:
        """The modular files, by their output folder and the name of their model.

        Two modular files with the same folder and name would generate the same files.
        Their conversion reports this as an error.
        """
        modulars: dict[tuple[str, str], list[str]] = {}
        for path in self.modular_files:
            modulars.setdefault(self._destination(path), []).append(path)
        return modulars

    def _destination(self, modular: str) -> tuple[str, str]:
        """Return the output folder and the model name of a modular file."""
        return self.output_folder(modular), model_name(modular)

    def generating_modular(self, path: str) -> str | None:
        """Return the modular file that generates a file, or None.

        For `models/llama/modeling_llama.py`, this is `models/llama/modular_llama.py` if
        this file exists.
        """
        # A run asks about each parent file once for every model that inherits from it.
        if path in self._generating_modulars:
            return self._generating_modulars[path]

        modular = None
        folder, _, name = path.rpartition("/")
        file_name = self.settings.file_names.parse(name.removesuffix(".py"))
        if file_name is not None:
            destination = (folder or ".", file_name.model)
            if destination in self._modulars_by_destination:
                # If there are several modular files, their conversion reports an error.
                modular = self._modulars_by_destination[destination][-1]
        self._generating_modulars[path] = modular
        return modular

    def generating_modulars(self, paths: Iterable[str]) -> set[str]:
        """Return the modular files that generate some of the given files."""
        modulars = {self.generating_modular(path) for path in paths}
        return {modular for modular in modulars if modular is not None}

    def generated_files_named(self, name: str) -> Iterator[str]:
        """Yield the paths of generated files with a name such as `modeling_a.py`."""
        file_name = self.settings.file_names.parse(name.removesuffix(".py"))
        if file_name is None:
            return
        for folder, model in self._modulars_by_destination:
            if model == file_name.model:
                yield join_path(folder, name)

    def rivals(self, modular: str) -> list[str]:
        """Return the other modular files that generate the same files as one."""
        modulars = self._modulars_by_destination.get(self._destination(modular), [])
        return [other for other in modulars if other != modular]


def join_path(folder: str, path: str) -> str:
    """Return a path in a folder, which is `.` for the root."""
    return path if folder == "." else f"{folder}/{path}"


def leads_outside(root: Path, path: str) -> bool:
    """Whether a path leads out of a project's root, which is a folder without links."""
    # This is called for each file that is read. `os.path` is faster than `pathlib`.
    real_path = os.path.normcase(os.path.realpath(os.path.join(root, path)))
    real_root = os.path.normcase(root)
    is_below_root = real_path.startswith(os.path.join(real_root, ""))
    return real_path != real_root and not is_below_root


def model_name(modular: str) -> str:
    """Return the model of a modular file: `llama` for `modular_llama.py`."""
    return modular.rpartition("/")[2].removesuffix(".py").removeprefix(MODULAR)


def _list_python_files(folder: str, path: str) -> Iterator[str]:
    """Yield the Python files in a models folder that all models share."""
    with suppress(OSError):
        for name in os.listdir(folder):
            is_file = os.path.isfile(os.path.join(folder, name))
            if is_file and name.endswith(".py") and name.isprintable():
                yield join_path(path, name)


def _find_python_files(folder: str, path: str, depth: int = 0) -> Iterator[str]:
    """Yield the Python files in the subfolders of a models folder, and one level below.

    These are `llama/modeling_llama.py` and `llama/vision/modeling_vision.py`, but not
    `auto.py`, which belongs to no model. Folders that cannot be read, names that cannot
    be printed, and links to a folder above them are skipped.

    Args:
        folder: The place of the folder on disk.
        path: Its path relative to the root.
        depth: Its depth below the models folder: 0 for the models folder itself, and 1
            for the folder of a model.
    """
    # Some errors come when an entry is read, so the whole loop is in this block.
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if not entry.name.isprintable():
                continue
            entry_path = join_path(path, entry.name)
            if entry.name.endswith(".py"):
                if depth > 0 and _is_file(entry):
                    yield entry_path
            elif depth < _MAX_FOLDER_DEPTH and "." not in entry.name:
                if is_folder_to_search(entry):
                    yield from _find_python_files(entry.path, entry_path, depth + 1)


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry of a folder is a file, or a link to one."""
    # `os.path` follows links. It is slow, so the entry itself is asked first.
    return entry.is_file(follow_symlinks=False) or os.path.isfile(entry.path)
