"""A project: its root, its settings, which models it has and where their files are."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from modular import settings as settings_module
from modular.rules import file_types
from modular.rules.cased_names import CasedNames, read_table, table_from_classes
from modular.settings import Settings
from modular.source.imports import Import

MODULAR = "modular_"


@dataclass(frozen=True)
class Project:
    """A project. All paths that it gives or takes as text are relative to ``root``, with ``/``."""

    root: Path
    settings: Settings

    @cached_property
    def models_folders(self) -> tuple[str, ...]:
        """The folders that hold the models' folders."""
        return tuple(folder for folder in self.settings.models if (self.root / folder).is_dir())

    @cached_property
    def modular_files(self) -> tuple[str, ...]:
        """All modular files of the project, sorted."""
        found = (path for folder in self.models_folders for path in _find(self.root, folder))
        return tuple(sorted(set(found)))

    @cached_property
    def names(self) -> CasedNames:
        """The table of cased names."""
        return CasedNames(self._table())

    @cached_property
    def name_files(self) -> tuple[str, ...]:
        """The files that the table of cased names is read from."""
        for folder in self.models_folders:
            files = tuple(f"{folder}/{name}" for name in self.settings.model_types_files)
            if existing := tuple(path for path in files if (self.root / path).is_file()):
                return existing
        return ()

    def _table(self) -> dict[str, str]:
        if self.name_files:
            texts = ((self.root / path).read_text(encoding="utf-8") for path in self.name_files)
            return read_table(texts, self.settings.model_types_variable)
        return table_from_classes(self._configuration_texts())

    def _configuration_texts(self) -> Iterator[str]:
        for folder in self.models_folders:
            for path in sorted((self.root / folder).glob("*/*.py")):
                if path.name.startswith((MODULAR, "configuration_")):
                    yield path.read_text(encoding="utf-8", errors="replace")

    def output_path(self, modular: str, file_type: str) -> str:
        """Where the file of a type goes that is generated from a modular file."""
        path = PurePosixPath(modular)
        name = f"{file_type}_{model_name(modular)}.py"
        folder = self._mirrored(path.parent) if self.settings.output else path.parent
        return str(folder / name)

    def _mirrored(self, folder: PurePosixPath) -> PurePosixPath:
        for models in self.models_folders:
            if folder.is_relative_to(models):
                return PurePosixPath(self.settings.output) / folder.relative_to(models)
        return PurePosixPath(self.settings.output) / folder

    @cached_property
    def _generators(self) -> dict[tuple[str, str], str]:
        """The modular file of each model, by the folder of its output and the model's name."""
        modeling = ((self.output_path(path, settings_module.MODELING), path) for path in self.modular_files)
        return {(str(PurePosixPath(output).parent), model_name(path)): path for output, path in modeling}

    def generator(self, path: str) -> str | None:
        """Return the modular file that would generate a model file, if the project has it."""
        stem = PurePosixPath(path).stem
        file_type = file_types.of_file(stem, self.settings)
        if file_type is None:
            return None
        return self._generators.get((str(PurePosixPath(path).parent), stem.removeprefix(f"{file_type}_")))

    def resolve(self, modular: str, statement: Import) -> tuple[str, ...]:
        """Return the paths at which a model import's parent file may stand, best first; none if it is no model import.

        They are beside the models and, where generated files go to a folder of their own, in that: there first, if the
        project has a modular file that generates it.
        """
        if statement.module is None:
            return ()
        parts = statement.module.split(".")
        if statement.level:
            folder = PurePosixPath(modular).parent
            for _ in range(statement.level - 1):
                folder = folder.parent
            return self._parent_files(modular, str(folder.joinpath(*parts)))
        package = self.settings.package.split(".")
        if parts[: len(package)] != package:
            return ()
        rest = "/".join(parts[len(package) :])
        return tuple(path for models in self.models_folders for path in self._parent_files(modular, f"{models}/{rest}"))

    def _parent_files(self, modular: str, stem: str) -> tuple[str, ...]:
        for models in self.models_folders:
            path = PurePosixPath(stem)
            if not path.is_relative_to(models):
                continue
            inside = path.relative_to(models)
            ordinary = ".".join(inside.parts) in self.settings.ordinary_imports
            if len(inside.parts) < 2 or ordinary or file_types.of_file(path.name, self.settings) is None:
                return ()
            if path.parent == PurePosixPath(modular).parent:
                return ()
            beside = f"{stem}.py"
            if not self.settings.output:
                return (beside,)
            mirrored = f"{self._mirrored(path.parent)}/{path.name}.py"
            return (beside, mirrored) if self.generator(mirrored) is None else (mirrored, beside)
        return ()


def model_name(modular: str) -> str:
    """Return the model's name: what follows `modular_` in the file's name."""
    return PurePosixPath(modular).stem.removeprefix(MODULAR)


def _find(root: Path, folder: str) -> Iterator[str]:
    """Modular files below a models folder, in the models' folders or one level of grouping further down."""
    for pattern in (f"*/{MODULAR}*.py", f"*/*/{MODULAR}*.py"):
        for path in (root / folder).glob(pattern):
            if path.is_file():
                yield path.relative_to(root).as_posix()


def open_project(root: str | os.PathLike[str], output: str | None = None) -> Project:
    """Return the project at a root folder; ``output`` replaces the setting of that name.

    Raises `settings.SettingsError`.
    """
    path = Path(root).resolve()
    settings = settings_module.load(path)
    return Project(path, settings if output is None else replace(settings, output=_relative_output(path, output)))


def _relative_output(root: Path, output: str) -> str:
    """The output folder relative to the root, from where the command stands."""
    try:
        return Path(output).resolve().relative_to(root).as_posix()
    except ValueError as error:
        raise settings_module.SettingsError(f"output: `{output}` is not below the project's root {root}") from error


def find_root(start: Path) -> Path:
    """Return the root of the project around a folder: the nearest with `[tool.modular]`, else the nearest that looks like one.

    That is one with a `pyproject.toml` or a folder of models as the preset expects it. If there is none, the folder itself.
    """
    folders = [start, *start.parents]
    for folder in folders:
        if settings_module.has_table(folder):
            return folder
    defaults = settings_module.from_table({}).models
    for folder in folders:
        if (folder / "pyproject.toml").is_file() or any((folder / name).is_dir() for name in defaults):
            return folder
    return start
