"""Finds the files that results depend on.

The cache takes their digests, and `affected` compares them with changed files. Paths are
relative to the project's root; those above it begin with `..`.
"""

import json
import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import chain
from pathlib import Path, PurePosixPath

from modular.format.formatter_config import CONFIGS, FormatterConfig
from modular.project.naming import configuration_files
from modular.project.project import Project, join_path
from modular.semantics.imports import find_module_stem, parent_files
from modular.semantics.kept_imports import KEEP, inlined_part
from modular.settings.settings import HUB_CONFIG
from modular.source import module as modules
from modular.source.import_statements import (
    absolute_modules,
    mentioned_modules,
)
from modular.source.walking import inverted, walk


class Inputs:
    """The inputs of the results of a project. Each is looked up once.

    Attributes:
        project: The project.
        formatter_config: The formatter settings and modules of the project.
    """

    def __init__(self, project: Project) -> None:
        """Create the inputs of a project, of which none has been looked up yet."""
        self.project = project
        self.formatter_config = FormatterConfig(project.root)
        self._parent_files: dict[str, tuple[str, ...]] = {}
        # The results of `_imports_any`, by its arguments.
        self._imports_any_of: dict[tuple[str, frozenset[str]], bool] = {}

    @cached_property
    def settings_and_names(self) -> str:
        """The settings of the project and the names of its models, as JSON.

        The cache key contains this text, because all results depend on these values.
        Options of the command can override some of the settings.
        """
        project = self.project
        values = {
            "settings": asdict(project.settings),
            "models folders": project.models_folders,
        }
        # If the project has a table of all model names, the cache key already contains
        # the digests of its files.
        if not project.name_files:
            values["model names"] = dict(project.names.table)
        # Of the library, only the paths are listed here, so that a new file changes the
        # key. The digests of the files are in each result that depends on them.
        if project.library is not None and project.library.is_found:
            values["library files with model names"] = project.library.name_files
        # JSON has no sets, so they become sorted lists.
        return json.dumps(values, sort_keys=True, default=sorted)

    @cached_property
    def config_class_files(self) -> tuple[str, ...]:
        """The files with the configuration classes of all models.

        If the project has no table of model names, the names of these classes, such as
        `OLMoConfig`, tell how the models are spelt.
        """
        root = self.project.root
        folders = [root / folder for folder in self.project.models_folders]
        files = configuration_files(folders, self.project.model_file_pattern)
        return tuple(file.relative_to(root).as_posix() for file in files)

    def parent_files(self, modular: str) -> tuple[str, ...]:
        """Return the paths at which the parent files of a modular file can be.

        An import such as `from ..llama.modeling_llama import LlamaMLP` can mean a file
        of the project or of a library. Not all of the paths exist.
        """
        if modular not in self._parent_files:
            paths: list[str] = []
            for level, module in self._model_imports(modular):
                paths += parent_files(self.project, modular, level, module)
            self._parent_files[modular] = tuple(dict.fromkeys(paths))
        return self._parent_files[modular]

    def _model_imports(self, modular: str) -> Iterable[tuple[int, str]]:
        """Return the modules of parents that a modular file imports from.

        For `from ..llama.modeling_llama import LlamaMLP`, this is the number of leading
        dots and the name: `(2, "llama.modeling_llama")`.
        """
        text = self.project.load(modular, {}).text
        keeps_model_imports = self.project.settings.keeps_model_imports
        can_keep_imports = keeps_model_imports or KEEP in text
        if not can_keep_imports:
            return mentioned_modules(text)
        module = modules.read(modular, text)
        inlined_modules = []
        for import_ in module.imports:
            # An import that stays in the generated files has no parents.
            if inlined_part(module, import_, keeps_model_imports) is not None:
                inlined_modules.append((import_.level, import_.module or ""))
        return inlined_modules

    @cached_property
    def parents(self) -> dict[str, frozenset[str]]:
        """The files that each modular file depends on because of its parent classes.

        There are three kinds of such files:

        - The parent files, at all paths at which they may be.
        - The modular files that generate a parent file.
        - For a parent file of a library, the files that tell how its models are spelt.
        """
        parents = {}
        for modular in self.project.modular_files:
            parent_files = self.parent_files(modular)
            paths = {*parent_files, *self.project.generating_modulars(parent_files)}
            for path in parent_files:
                library = self.project.library_of(path)
                if library is not None:
                    paths.update(library.name_files)
            parents[modular] = frozenset(paths)
        return parents

    def linted_files(self, modular: str) -> Iterator[str]:
        """Yield the files that only lint rules read. Not all of them exist.

        These are the configuration of a repository on the Hub, and the model files of the
        folders that a modular file imports from. For `from ..llama import X`, a lint rule
        looks for `X` in all model files of `llama`: `models/llama/modeling_llama.py`,
        `models/llama/configuration_llama.py` and so on.
        """
        if not self.project.settings.file_names.has_model_folders:
            yield join_path(self.project.output_folder(modular), HUB_CONFIG)
        ordinary_imports = self.project.settings.ordinary_imports
        for level, module in mentioned_modules(self.project.load(modular, {}).text):
            folder = find_module_stem(self.project, modular, level, module)
            if folder is None or not self.project.is_model_folder(folder):
                continue
            model = PurePosixPath(folder).name
            for file_type in self.project.settings.all_file_types:
                stem = self.project.settings.file_names.stem(file_type, model)
                # The rule ignores modules of the setting `ordinary-imports`, such as
                # `auto.modeling_auto`.
                if f"{model}.{stem}" not in ordinary_imports:
                    yield f"{folder}/{stem}.py"

    def files_of_result(self, folder: str, reads: Collection[str]) -> set[str]:
        """Return all files that a result depends on.

        These are the files that were read, the settings of the formatter, and the files
        that tell how the names of models are spelt in class names.

        Args:
            folder: The folder of the generated files.
            reads: The paths that were read for the result.
        """
        files = {*reads, *self.formatter_settings(folder)}
        if self.project.name_files:
            # The project has a table of all model names.
            files.update(self.project.name_files)
            return files

        # Without a table, the configuration classes tell the names of their models.
        read_folders = {os.path.dirname(path) for path in reads}
        for path in self.config_class_files:
            if os.path.dirname(path) in read_folders:
                files.add(path)
        return files

    def formatter_settings(self, folder: str) -> tuple[str, ...]:
        """Return the settings files that apply to the files of a folder."""
        paths = []
        for file in self.formatter_config.settings(folder):
            paths.append(Path(os.path.relpath(file, self.project.root)).as_posix())
        return tuple(paths)

    def possible_formatter_settings(self, folder: str) -> set[str]:
        """Return the settings files that apply to a folder, or would if they existed."""
        files = set(self.formatter_settings(folder))
        path = PurePosixPath(folder)
        for place in (path, *path.parents):
            files.update(str(place / name) for name in CONFIGS)
        return files

    def source_folders(self, modular: str) -> tuple[str, ...]:
        """Return the folders in which ruff searches for modules to sort imports."""
        if self.project.settings.formatter != "ruff":
            return ()
        return self.formatter_config.source_folders(self.project.output_folder(modular))

    def may_import(self, modular: str, modules: frozenset[str]) -> bool:
        """Return whether generated files may import one of some modules or packages.

        A generated file has imports of the modular file and of its parent files.
        """
        paths = (modular, *self.parent_files(modular))
        return any(self._imports_any(path, modules) for path in paths)

    def _imports_any(self, path: str, modules: frozenset[str]) -> bool:
        """Return whether a file imports one of some modules, or a module of theirs."""
        if (path, modules) not in self._imports_any_of:
            text = self.project.load(path, {}).text
            names = set()
            # Few files have the name of such a module, and finding imports takes longer.
            if any(module in text for module in modules):
                for module in absolute_modules(text):
                    names.add(module)
                    names.add(module.partition(".")[0])
            self._imports_any_of[path, modules] = not modules.isdisjoint(names)
        return self._imports_any_of[path, modules]


def uses_library(project: Project, source_library: str | None) -> bool:
    """Return whether new models of a project may inherit from its source library.

    This is so if the user named the library, if the project has no models yet, if the
    settings record the library's release, or if a modular file inherits from it already.

    Args:
        project: The project.
        source_library: The library that the user named, if any.
    """
    is_chosen = source_library is not None or bool(project.settings.source_release)
    if is_chosen or not project.files_of_models():
        return True
    for parent_paths in Inputs(project).parents.values():
        for path in parent_paths:
            if project.library_of(path) is not None:
                return True
    return False


def affected(project: Project, changed: Iterable[str]) -> tuple[str, ...]:
    """Return the modular files that may have to be converted again after a change.

    A changed file affects its own model and all models that inherit from it. Some files
    affect more:

    - A file with the names of all models affects all models.
    - Formatter settings affect the folders below them.
    - A link to a folder affects the files below it, as git names only the link.
    - A new or deleted module affects the models that may import it, because the
      formatter then sorts their imports differently.

    Args:
        project: The project.
        changed: The paths of files that were changed, created or deleted.

    Returns:
        The paths of the modular files, sorted.
    """
    paths = frozenset(changed)
    inputs = Inputs(project)
    names_above_root = {
        PurePosixPath(path).name for path in paths if path.startswith("..")
    }
    has_changed_names = not paths.isdisjoint(project.name_files)
    has_changed_settings_above_root = not names_above_root.isdisjoint(CONFIGS)
    if has_changed_names or has_changed_settings_above_root:
        return project.modular_files

    changed_models = paths | {project.generating_modular(path) for path in paths}
    module_changes = _ModuleChanges(inputs, paths)
    directly_affected = []
    for modular in project.modular_files:
        parents = inputs.parents[modular]
        input_paths = chain(
            parents,
            inputs.linted_files(modular),
            # Git names only a link to a folder, and not the files below it.
            _folders_above(modular, *parents),
            inputs.possible_formatter_settings(project.output_folder(modular)),
        )
        has_changed_file = modular in changed_models or not paths.isdisjoint(
            input_paths
        )
        if has_changed_file or module_changes.may_change_imports(modular):
            directly_affected.append(modular)

    children = inverted(inputs.parents)
    all_affected = walk(directly_affected, lambda modular: children.get(modular, ()))
    return tuple(sorted(all_affected))


def _folders_above(*paths: str) -> set[str]:
    """Return the folders of some paths, and the folders that these are in."""
    folders: set[str] = set()
    for path in paths:
        folders.update(map(str, PurePosixPath(path).parents))
    return folders


class _ModuleChanges:
    """The modules that a change of files may have created or deleted.

    It is unknown whether a changed file existed before, so each may have been created.
    """

    def __init__(self, inputs: Inputs, changed: frozenset[str]) -> None:
        """Find the folders that contain changed files."""
        self._inputs = inputs
        self._changed = changed
        # The folders that contain changed files, directly or in a subfolder.
        self._folders = _folders_above(*changed)
        # The results of `_find_changed_modules`, by its argument.
        self._changed_modules: dict[tuple[str, ...], frozenset[str]] = {}

    def may_change_imports(self, modular: str) -> bool:
        """Return whether a model's files may import a module that was created or deleted.

        Such a module changes the order of imports: ruff sorts the modules that it finds
        in the source folders apart from all others.
        """
        project = self._inputs.project
        if project.settings.formatter != "ruff":
            return False
        folder = project.output_folder(modular)
        patterns = self._inputs.formatter_config.source_patterns(folder)
        # Most models have the same source folders.
        if patterns not in self._changed_modules:
            self._changed_modules[patterns] = self._find_changed_modules(patterns)
        changed_modules = self._changed_modules[patterns]
        # Reading the files is slow, and seldom necessary.
        if not changed_modules:
            return False
        return self._inputs.may_import(modular, changed_modules)

    def _find_changed_modules(self, source_patterns: Collection[str]) -> frozenset[str]:
        """Return the names of modules that may have been created or deleted.

        In the source folder `src`, the changed file `src/owl/utils.py` is `owl.utils`.

        Args:
            source_patterns: The folders in which ruff searches for modules; they can
                have wildcards.
        """
        stems = set()
        for path in self._changed:
            stem, suffix = os.path.splitext(path)
            if suffix in (".py", ".pyi"):
                stems.add(stem)
        # A folder can be imported like a module: it is a package.
        for folder in self._folders:
            if self._may_be_created_or_deleted(folder):
                stems.add(folder)

        # Each folder above a module may be a source folder.
        modules = set()
        for stem in stems:
            place = PurePosixPath(stem)
            for folder_above in place.parents:
                is_source_folder = any(
                    fnmatchcase(str(folder_above), pattern)
                    for pattern in source_patterns
                )
                if is_source_folder:
                    names = place.relative_to(folder_above).parts
                    modules.add(".".join(names))
        return frozenset(modules)

    def _may_be_created_or_deleted(self, folder: str) -> bool:
        """Return whether a folder with changed files may have been created or deleted.

        A missing folder was deleted. A folder with nothing but changed files may have
        been created with them. An unchanged file shows that its folder existed before.
        """
        try:
            names = os.listdir(self._inputs.project.root / folder)
        except OSError:
            return True
        entries = {str(PurePosixPath(folder, name)) for name in names}
        return entries.issubset(self._changed | self._folders)
