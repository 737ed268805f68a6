"""A project: its root, its settings, its models and the places of their files."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    read_names,
    table_files,
)
from modular.settings.settings import (
    MODELS,
    Release,
    Settings,
    SettingsError,
    release_of,
)
from modular.source.diagnostics import Problem
from modular.source.import_statements import Import, relative_stem
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
        """Whether a path is that of a folder of one model."""
        if not self.settings.file_names.has_model_folders:
            return False
        return (path.rpartition("/")[0] or ".") in self.models_folders

    def is_in_models_folder(self, path: str) -> bool:
        """Whether a file is in a folder that contains models, or below it.

        If all models share one folder, files in its subfolders do not count.
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
        file_name = self.settings.file_names.parse(file.stem)
        return file.stem if file_name is None else file_name.model

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
        folder = PurePosixPath(path).parent
        if self.settings.absolute_imports:
            for models in self.models_folders:
                package = self.settings.packages[models]
                if package and folder.is_relative_to(models):
                    return ".".join((package, *folder.relative_to(models).parts))
        return ""

    def output_home(self, modular: str) -> str:
        """Return the path that stands for the model of generated files."""
        file_type = self.settings.default_file_type
        return self.model_home(self.output_path(modular, file_type))

    @cached_property
    def modular_files(self) -> tuple[str, ...]:
        """The paths of all modular files, such as `models/llama/modular_llama.py`."""
        modular_files = set()
        for folder in self.models_folders:
            for path in self._python_files[folder]:
                if path.rpartition("/")[2].startswith(MODULAR):
                    modular_files.add(path)
        # Unsaved files need not exist on disk yet.
        for path in self.unsaved:
            file = PurePosixPath(path)
            if not file.name.startswith(MODULAR) or file.suffix != ".py":
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
        folders = self._absolute_models_folders()
        return read_names(folders, self.settings, self.model_file_pattern)

    @property
    def model_file_pattern(self) -> str:
        """The pattern of the paths of model files below a models folder."""
        has_model_folders = self.settings.file_names.has_model_folders
        return IN_MODEL_FOLDERS if has_model_folders else "*.py"

    @cached_property
    def registered_configurations(self) -> Mapping[str, str]:
        """The configuration classes in the table of model types, if there is one."""
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
        """The folder of the source library if the project contains it, else None.

        It is `src/transformers` if the source library is `transformers`, the models are
        in `src/transformers/models`, and their package is `transformers.models`.
        """
        for models in self.models_folders:
            package = tuple(self.settings.packages[models].split("."))
            is_library = package[0] == self.settings.library_name
            is_package = PurePosixPath(models).parts[-len(package) :] == package
            if is_library and is_package:
                # All parts of the package after the first are folders in the library.
                levels_up = [os.pardir] * (len(package) - 1)
                return Path(self.root, models, *levels_up)
        return None

    @property
    def release(self) -> Release | None:
        """The release of the source library, or None if it does not contain it."""
        version = self.library_version
        return None if version is None else release_of(version)

    @property
    def library_version(self) -> str | None:
        """The version of the source library, or None if it does not contain it."""
        folder = self._library_in_project
        if self.library is not None:
            folder = self.library.folder
        return None if folder is None else libraries.read_version(folder)

    def library_of(self, path: str) -> Library | None:
        """Return the source library if a file belongs to it, else None.

        Files in the project's models folders do not, even if the library contains them.
        """
        for folder in self.models_folders:
            # In the folder `.` would be all paths, even `transformers/models/llama`, by
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

    def points_outside_root(self, path: str) -> bool:
        """Whether a path leads out of the root through a symbolic link.

        Such files are not read. The source library may be outside of the root, so this
        is false for its files.
        """
        if self.library_of(path) is not None:
            return False
        # This is called for each file that is read. `os.path` is faster than `pathlib`.
        root = os.path.normcase(self.root)
        real_path = os.path.normcase(os.path.realpath(os.path.join(self.root, path)))
        return real_path != root and not real_path.startswith(os.path.join(root, ""))

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

    def output_folder(self, modular: str) -> str:
        """Return the folder of the files that are generated from a modular file."""
        return str(self.generated_folder(PurePosixPath(modular.rpartition("/")[0])))

    def generated_folder(self, folder: PurePosixPath) -> PurePosixPath:
        """Return the folder into which the files of a model's folder are generated.

        It is the same folder. With the setting `output = "generated"`, it is
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
    def _modulars_by_destination(self) -> dict[tuple[str, str], list[str]]:
        """The modular files, by the output folder and the name of their model.

        Two for the same folder and name would generate the same files. This is reported
        as an error when they are converted.
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

        It is `models/llama/modular_llama.py` for `models/llama/modeling_llama.py`.
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
                # If there are several, their conversion reports an error.
                modular = self._modulars_by_destination[destination][-1]
        self._generating_modulars[path] = modular
        return modular

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

    def resolve(self, modular: str, import_: Import) -> tuple[str, ...]:
        """Return the paths at which the parent file of a model import may be.

        See `resolve_module`.
        """
        return self.resolve_module(modular, import_.level, import_.module or "")

    def resolve_module(self, modular: str, level: int, module: str) -> tuple[str, ...]:
        """Return the paths at which an imported parent file may be, best first.

        A parent file is one of another model, such as `models/llama/modeling_llama.py`.
        With the setting `output = "generated"`, another possible path is
        `generated/llama/modeling_llama.py`.

        Args:
            modular: The path of the modular file.
            level: The number of leading dots of the import.
            module: The module's name after the dots.

        Returns:
            The paths, or an empty tuple if this is not a model import.
        """
        parts = module.split(".")
        is_model_file = file_types.of_file(parts[-1], self.settings) is not None
        if not is_model_file:
            return ()
        stems = list(_candidate_stems(self, modular, level, parts))
        # Another file of the same model is no parent file.
        if _sibling_module(self, modular, stems) is not None:
            return ()
        paths: list[str] = []
        for stem in stems:
            paths += _parent_files(self, stem)
        is_absolute = level == 0
        if is_absolute:
            paths += _library_paths(self, parts)
        return tuple(paths)

    def parent_module(self, modular: str, path: str) -> str:
        """Return the module by which a modular file imports a parent file.

        This is `.modeling_olmo` in the same folder, `..llama.modeling_llama` in a sibling
        folder, and an absolute name such as `transformers.models.llama.modeling_llama`
        elsewhere. In a models folder without a package, it is a longer relative name
        such as `...others.llama.modeling_llama`.

        Args:
            modular: The path of the modular file.
            path: The path of the parent file.
        """
        file = PurePosixPath(path)
        sibling = f"{file.parent.name}.{file.stem}"
        # The shortest import that means this file is chosen.
        for level, module in ((1, file.stem), (2, sibling)):
            if path in self.resolve_module(modular, level, module):
                return "." * level + module

        library = self.library_of(path)
        if library is not None:
            return ".".join((*library.package(path), file.stem))
        for folder, package in self.settings.packages.items():
            if package and path.startswith(f"{folder}/"):
                path_in_package = file.relative_to(folder).with_suffix("")
                return ".".join((package, *path_in_package.parts))

        # Without a package, the file has no absolute name.
        return _relative_module(modular, file)

    def find_sibling_module(self, modular: str, import_: Import) -> str | None:
        """Return the module of the same model that an import names by a longer path.

        In the modular file of `llama`, `from ..llama.configuration_llama import X` names
        the module `configuration_llama` beside it, which generated files import as
        `.configuration_llama`.

        Args:
            modular: The path of the modular file.
            import_: An import of it.

        Returns:
            The name of the module. None if the import names another model, or has the
            short form `.configuration_llama` already.
        """
        has_short_form = import_.level == 1
        parts = (import_.module or "").split(".")
        is_model_file = file_types.of_file(parts[-1], self.settings) is not None
        if has_short_form or not is_model_file:
            return None
        stems = _candidate_stems(self, modular, import_.level, parts)
        return _sibling_module(self, modular, stems)


def join_path(folder: str, path: str) -> str:
    """Return a path in a folder, which is `.` for the root."""
    return path if folder == "." else f"{folder}/{path}"


def model_name(modular: str) -> str:
    """Return the model of a modular file: `llama` for `modular_llama.py`."""
    return modular.rpartition("/")[2].removesuffix(".py").removeprefix(MODULAR)


def _relative_module(modular: str, file: PurePosixPath) -> str:
    """Return the module by which a modular file imports a file, with dots.

    `models/olmo/modular_olmo.py` imports `others/llama/modeling_llama.py` as
    `...others.llama.modeling_llama`.
    """
    folders = PurePosixPath(modular).parent.parts
    # `commonprefix` compares whole parts here, because it gets tuples.
    common_count = len(os.path.commonprefix([folders, file.parent.parts]))
    levels_up = len(folders) - common_count
    dots = "." * (levels_up + 1)
    return dots + ".".join(file.with_suffix("").parts[common_count:])


def _candidate_stems(
    project: Project, modular: str, level: int, parts: list[str]
) -> Iterator[str]:
    """Yield the paths, without `.py`, at which an imported file of a model may be.

    Args:
        project: The project.
        modular: The path of the modular file.
        level: The number of leading dots of the import.
        parts: The parts of the module's name.
    """
    module = ".".join(parts)
    is_absolute = level == 0
    if is_absolute:
        # `transformers.models.llama.modeling_llama`
        for models in project.models_folders:
            package = project.settings.packages[models]
            if package and module.startswith(f"{package}."):
                module_in_package = module.removeprefix(f"{package}.")
                yield join_path(models, module_in_package.replace(".", "/"))
        return

    # `..llama.modeling_llama` in `models/new/modular_new.py`
    stem = relative_stem(modular, level, module)
    if stem is not None:
        yield stem
    # `..llama.modeling_llama` in `drafts/modular_new.py`: a draft can have the imports
    # that it needs after it has been moved to the folder of its model.
    is_draft = not _path_below_models(project, modular)
    path_from_draft = _path_of_model_import(level, parts)
    if is_draft and path_from_draft:
        for models in project.models_folders:
            yield join_path(models, path_from_draft)


def _path_of_model_import(level: int, parts: list[str]) -> str:
    """Return the path below the models folder that a relative import means in a model.

    In `models/new`, both `..llama.modeling_llama` and `...models.llama.modeling_llama`
    mean `llama/modeling_llama`. The result is empty for other imports.
    """
    if level == 2 and len(parts) == 2:
        return "/".join(parts)
    if level == 3 and len(parts) == 3 and parts[0] == MODELS:
        return "/".join(parts[1:])
    return ""


def _sibling_module(project: Project, modular: str, stems: Iterable[str]) -> str | None:
    """Return the module that an import names, if it is a file of the same model.

    In `models/new/modular_new.py`, `from ..new.configuration_new import NewConfig` names
    the module `configuration_new`.

    Args:
        project: The project.
        modular: The path of the modular file.
        stems: The candidate paths of the imported file, without `.py`.

    Returns:
        The name of the module, or None for a file of another model.
    """
    modular_folder = modular.rpartition("/")[0]
    file_names = project.settings.file_names
    for stem in stems:
        folder, _, module = stem.rpartition("/")
        if folder != modular_folder:
            continue
        # All files in the folder of a model are of this model.
        if file_names.has_model_folders:
            return module
        # In a folder that all models share, `configuration_new` is of the model `new`.
        file_name = file_names.parse(module)
        if file_name is not None and file_name.model == model_name(modular):
            return module
    return None


def _parent_files(project: Project, stem: str) -> list[str]:
    """Return the paths at which a parent file may be in the project, best first.

    With the setting `output = "generated"`, these are
    `models/llama/modeling_llama.py`, where people write files, and
    `generated/llama/modeling_llama.py`. Without the setting, both are the same.

    Args:
        project: The project.
        stem: The path without `.py`, such as `models/llama/modeling_llama`.

    Returns:
        The paths. There are none if the file belongs to no model, or if the settings
        say that imports from this file stay imports.
    """
    # `llama/modeling_llama`
    path_below_models = _path_below_models(project, stem)
    if not path_below_models:
        return []
    parts = path_below_models.split("/")
    is_in_model_folder = len(parts) > 1
    if project.settings.file_names.has_model_folders and not is_in_model_folder:
        return []
    if _is_never_inlined(project, parts):
        return []
    path = PurePosixPath(f"{stem}.py")
    hand_written = str(path)
    generated = str(project.generated_folder(path.parent) / path.name)
    if generated == hand_written:
        return [hand_written]
    if project.generating_modular(generated) is not None:
        return [generated, hand_written]
    # No modular file generates the parent file, so it is probably hand-written.
    return [hand_written, generated]


def _library_paths(project: Project, parts: list[str]) -> list[str]:
    """Return the path of a parent file in the source library, in a list.

    The list is empty if the module contains no model. It is also empty if the settings
    name the module in `ordinary-imports`: code is then imported from it, not inlined.

    Args:
        project: The project.
        parts: The parts of the module's name: `transformers`, `models`, `llama` and
            `modeling_llama`.
    """
    library = project.library
    if library is None or parts[:2] != [project.settings.library_name, MODELS]:
        return []
    is_in_model_folder = len(parts) >= 4
    parts_below_models = parts[2:]
    if not is_in_model_folder or _is_never_inlined(project, parts_below_models):
        return []
    return [library.module_path(".".join(parts))]


def _is_never_inlined(project: Project, parts: Sequence[str]) -> bool:
    """Whether imports from a module below a models folder are never inlined."""
    return ".".join(parts) in project.settings.ordinary_imports


def _path_below_models(project: Project, path: str) -> str:
    """Return a path relative to its models folder: `llama/modeling_llama.py`.

    It is empty if the path is in none of the project's models folders.
    """
    if not project.is_in_models_folder(path):
        return ""
    for models in project.models_folders:
        if models == ".":
            return path
        if path.startswith(f"{models}/"):
            return path.removeprefix(f"{models}/")
    return ""


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
    `auto.py`, which belongs to no model. Folders that cannot be read and names that
    cannot be printed are skipped.

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
            # `os.path` follows links. It is slow, so the entry itself is asked first.
            if entry.name.endswith(".py"):
                is_file = entry.is_file(follow_symlinks=False)
                if depth > 0 and (is_file or os.path.isfile(entry.path)):
                    yield entry_path
            elif depth < _MAX_FOLDER_DEPTH and "." not in entry.name:
                is_folder = entry.is_dir(follow_symlinks=False)
                if is_folder or os.path.isdir(entry.path):
                    yield from _find_python_files(entry.path, entry_path, depth + 1)
