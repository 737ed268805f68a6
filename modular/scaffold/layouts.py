"""Finds out how a library names the files of its models, and which classes they hold.

Four patterns are known: `{model}/{type}_{model}.py`, `{model}/{model}_{type}.py` and, if
all models share a folder, `{type}_{model}.py` or `{model}.py`. A file counts if it defines a
class that is named after the model. `one_file` tells the models of the last pattern.
"""

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from modular.project.naming import MODULAR
from modular.scaffold.one_file import ONE_FILE, find_one_file_folders, read_folder
from modular.source import module as modules
from modular.source.blocks import Kind
from modular.source.loading import load
from modular.source.module import Module


_TYPE_AFTER_MODEL = "{model}/{model}_{type}.py"
DEFAULT_PATTERN = "{model}/{type}_{model}.py"
_SHARED_FOLDER = "{type}_{model}.py"

_SKIPPED_FOLDERS = frozenset(
    {
        "build",
        "dist",
        "docs",
        "examples",
        "node_modules",
        "site-packages",
        "test",
        "tests",
        "venv",
    }
)
"""Names of folders in which no models are searched."""

_MAX_SEARCH_DEPTH = 6
"""Number of folders below the root that are searched for models."""

_MIN_MODELS = 3
"""Number of models that must have a file of a type, so that the type counts."""

_MIN_MODELS_IN_SHARED_FOLDER = 10
"""The same number if models share a folder, which may otherwise be that of one model."""


@dataclass(frozen=True)
class Layout:
    """The folders and file names in which a library keeps its models.

    Attributes:
        pattern: The setting `file-names`.
        models_folders: The folders that contain the models, relative to the root.
        paths: The model files, relative to the root.
        file_types: The setting `file-types`, without what a preset sets.
        has_absolute_imports: The setting `absolute-imports`.
        others: Files in these folders that fit the pattern, and have no class of a model.
        helpers: The setting `ordinary-imports`, without what a preset sets.
        keeps_model_imports: Whether models import from each other as a habit.
    """

    pattern: str
    models_folders: tuple[str, ...]
    paths: tuple[str, ...]
    file_types: Mapping[str, str]
    has_absolute_imports: bool
    others: tuple[str, ...] = ()
    helpers: tuple[str, ...] = ()
    keeps_model_imports: bool = False


class _NamedFile(NamedTuple):
    """A file whose name matches a pattern, and the parts of this name."""

    path: str
    models_folder: str
    model: str
    file_type: str


class _ModelFile(NamedTuple):
    """A file with classes of its model.

    Attributes:
        file: The file.
        endings: The names of these classes without the name of the model.
        absolute_surplus: How many more absolute than relative imports from its own folder
            it has.
    """

    file: _NamedFile
    endings: Sequence[str]
    absolute_surplus: int


class _PatternFiles(NamedTuple):
    """A file name pattern, and the model files whose names match it."""

    pattern: str
    files: Sequence[_ModelFile]


def python_files(root: Path) -> Iterator[str]:
    """Yield the Python files below a root that may define models, as relative paths."""
    for folder, subfolders, file_names in os.walk(root):
        relative_folder = PurePosixPath(Path(folder).relative_to(root).as_posix())
        # os.walk enters the folders that remain in this list.
        subfolders.sort()
        subfolders[:] = filter(_may_contain_models, subfolders)
        if len(relative_folder.parts) >= _MAX_SEARCH_DEPTH:
            subfolders.clear()
        for file_name in sorted(file_names):
            if file_name.endswith(".py") and file_name.isprintable():
                yield str(relative_folder / file_name)


def find_layout(
    root: Path, preset_types: Mapping[str, str], models_folder: str = ""
) -> Layout | None:
    """Find out where a library keeps its model files, and how it names them.

    The file name pattern with the most model files decides. A folder that all models
    share only counts if nine of ten files in it fit.

    Args:
        root: Root of the library.
        preset_types: The preset's file types by the endings of class names, such as
            `configuration` for `Config`.
        models_folder: The folder that contains the models, if the user names it.

    Returns:
        The layout; None if the library has no model files with common types.
    """
    paths = list(python_files(root))
    best = _find_best_pattern(root, paths, models_folder)
    one_file = _find_one_file_layout(root, paths, models_folder)
    if one_file is not None and len(one_file.paths) > len(best.files):
        return one_file
    if not best.files:
        return None
    models_folders = {model_file.file.models_folder for model_file in best.files}
    absolute_surplus = sum(model_file.absolute_surplus for model_file in best.files)
    return Layout(
        pattern=best.pattern,
        models_folders=tuple(sorted(models_folders)),
        paths=tuple(model_file.file.path for model_file in best.files),
        file_types=_find_endings(best.files, preset_types),
        has_absolute_imports=absolute_surplus > 0,
    )


def _find_best_pattern(
    root: Path, paths: Iterable[str], models_folder: str
) -> _PatternFiles:
    """Return the pattern of file names that the most model files match, and these files.

    A pattern is, for example, `{model}/{type}_{model}.py`. A model file defines a class
    that is named after its model.

    Args:
        root: Root of the library.
        paths: Its Python files.
        models_folder: The folder that contains the models, if the user names it.
    """
    named_files: dict[str, list[_NamedFile]] = defaultdict(list)
    for path in paths:
        for pattern, file in _match_patterns(path):
            if models_folder in ("", file.models_folder):
                named_files[pattern].append(file)

    best = _PatternFiles("", ())
    for pattern, files in named_files.items():
        # Files of a type that few models have are left out.
        common_files = _keep_common_types(files, is_named=bool(models_folder))
        model_files = list(_read_model_files(root, common_files))
        if pattern == _SHARED_FOLDER and not models_folder:
            model_files = _keep_fitting_folders(model_files, common_files)
        if len(model_files) > len(best.files):
            best = _PatternFiles(pattern, model_files)
    return best


def are_most_models(model_count: int, other_count: int) -> bool:
    """Return whether at least nine of ten files are those of models."""
    return model_count >= 9 * other_count


def _keep_fitting_folders(
    model_files: Sequence["_ModelFile"], named_files: Sequence["_NamedFile"]
) -> list["_ModelFile"]:
    """Return the model files in folders that probably contain nothing but models.

    At least nine of ten files that are named like model files must also define a class of
    their model.

    Args:
        model_files: The files that define a class of their model.
        named_files: All files that are named like model files, in the same folders.
    """
    model_counts = Counter(entry.file.models_folder for entry in model_files)
    named_counts = Counter(file.models_folder for file in named_files)
    files_in_fitting_folders = []
    for model_file in model_files:
        folder = model_file.file.models_folder
        model_count = model_counts[folder]
        other_count = named_counts[folder] - model_count
        if are_most_models(model_count, other_count):
            files_in_fitting_folders.append(model_file)
    return files_in_fitting_folders


def _find_one_file_layout(
    root: Path, paths: Sequence[str], models_folder: str
) -> Layout | None:
    """Return the layout of a library in which each model is one file: `models/qwen2.py`.

    Args:
        root: Root of the library.
        paths: Its Python files.
        models_folder: The folder that contains the models, if the user names it. If not,
            the folder with most such models counts.

    Returns:
        The layout; None if the library has no such models.
    """
    if models_folder:
        files = [
            path for path in paths if str(PurePosixPath(path).parent) == models_folder
        ]
        folders = [read_folder(root, models_folder, files)]
    else:
        folders = find_one_file_folders(root, paths)
    if not folders:
        return None
    # The folders with most models come first.
    folder = folders[0]
    if not folder.models:
        return None
    return Layout(
        pattern=ONE_FILE,
        models_folders=(folder.path,),
        paths=folder.models,
        file_types={},
        has_absolute_imports=False,
        others=folder.others,
        helpers=folder.helpers,
        keeps_model_imports=folder.keeps_imports,
    )


def is_model_module(module: str) -> bool:
    """Return whether a module is named after its folder, as modules of models are.

    `transformers.models.llama.modeling_llama` is; `torchvision.models.resnet` is not.
    """
    path = f"{module.replace('.', '/')}.py"
    # Any name with `_` fits the pattern of a folder that all models share.
    return any(pattern != _SHARED_FOLDER for pattern, _ in _match_patterns(path))


def _may_contain_models(folder: str) -> bool:
    """Return whether files of models are searched in a folder of this name."""
    return folder not in _SKIPPED_FOLDERS and "." not in folder and folder.isprintable()


def _match_patterns(path: str) -> Iterator[tuple[str, _NamedFile]]:
    """Yield the file name patterns that a path matches, each with the parts of the name.

    `models/olmo/modeling_olmo.py` matches `{model}/{type}_{model}.py` with the model
    `olmo` and the type `modeling`. It also matches `{type}_{model}.py`, the pattern of a
    library that keeps all models in one folder.
    """
    file = PurePosixPath(path)
    folder = file.parent
    model = folder.name
    is_modular_file = file.name.startswith(MODULAR)
    if is_modular_file or not model.isidentifier() or not file.stem.isidentifier():
        return
    models_folder = str(folder.parent)
    if models_folder != ".":
        # A folder for each model: `olmo/olmo_modeling.py` or `olmo/modeling_olmo.py`.
        if file.stem.startswith(f"{model}_"):
            file_type = file.stem.removeprefix(f"{model}_")
            yield _TYPE_AFTER_MODEL, _NamedFile(path, models_folder, model, file_type)
        elif file.stem.endswith(f"_{model}"):
            file_type = file.stem.removesuffix(f"_{model}")
            yield DEFAULT_PATTERN, _NamedFile(path, models_folder, model, file_type)
    # One folder for all models: `modeling_olmo.py`. Any name with `_` has this form.
    file_type, _, model_in_name = file.stem.partition("_")
    if file_type and model_in_name:
        yield _SHARED_FOLDER, _NamedFile(path, str(folder), model_in_name, file_type)


def _keep_common_types(
    files: Sequence[_NamedFile], *, is_named: bool
) -> list[_NamedFile]:
    """Return the files of a type that several models have, such as `modeling`.

    In the only file `train_olmo.py`, for example, `train` is probably no type.

    Args:
        files: The files that are named like model files.
        is_named: Whether the user has named their folder.
    """
    models_with_type = defaultdict(set)
    for file in files:
        models_with_type[file.models_folder, file.file_type].add(file.model)
    files_of_common_types = []
    for file in files:
        is_in_shared_folder = str(PurePosixPath(file.path).parent) == file.models_folder
        min_models = _MIN_MODELS
        if is_in_shared_folder and not is_named:
            # In `olmo/modeling_olmo.py`, the folder confirms the name of the model. Here
            # nothing does: `train_data.py` could be the type `train` of a model `data`.
            min_models = _MIN_MODELS_IN_SHARED_FOLDER
        model_count = len(models_with_type[file.models_folder, file.file_type])
        if model_count >= min_models:
            files_of_common_types.append(file)
    return files_of_common_types


def _read_model_files(root: Path, files: Iterable[_NamedFile]) -> Iterator[_ModelFile]:
    """Yield the files that really are model files: each has a class named after its model.

    `modeling_olmo.py` must have a class such as `OlmoMLP`, whose ending is `MLP`.

    Args:
        root: Root of the library.
        files: Files that are named like model files.
    """
    for file in files:
        loaded = load(root / file.path, file.path)
        if loaded.problem is not None:
            continue
        module = modules.read(file.path, loaded.text)
        # The classes of the model `olmo_moe` have names such as `OlmoMoeMLP`.
        prefix = file.model.replace("_", "")
        endings = []
        for statement in module.block.statements:
            is_class = statement.kind is Kind.CLASS
            if is_class and statement.name.lower().startswith(prefix):
                endings.append(statement.name[len(prefix) :])
        if endings:
            yield _ModelFile(file, endings, _count_absolute_surplus(module))


def _count_absolute_surplus(module: Module) -> int:
    """Return how many more absolute than relative imports a file has from its own folder.

    In the folder `src/acme/olmo`, `from acme.olmo.x import y` counts 1, and
    `from .x import y` counts -1. The library probably prefers the more frequent form.
    """
    surplus = 0
    folder = PurePosixPath(module.path).parent.as_posix().replace("/", ".")
    for import_ in module.imports:
        if import_.level == 1:
            surplus -= 1
        elif import_.level == 0:
            package = (import_.module or "").rpartition(".")[0]
            # `src.acme.olmo` ends with the package `acme.olmo`.
            if package and folder.endswith(package):
                surplus += 1
    return surplus


def _count_types_by_ending(
    model_files: Iterable[_ModelFile],
) -> dict[str, Counter[str]]:
    """Return for each ending how many files of each type have a class with it."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for model_file in model_files:
        for ending in set(model_file.endings):
            counts[ending][model_file.file.file_type] += 1
    return counts


def _find_endings(
    model_files: Sequence[_ModelFile], preset_types: Mapping[str, str]
) -> dict[str, str]:
    """Return by endings of class names in which type of file a library has the classes.

    If most `*Processor` classes are in files such as `processing_olmo.py`, the ending
    `Processor` has the type `processing`. The empty ending stands for all other
    classes. Endings that have the same type in the preset are left out.

    Args:
        model_files: The model files of the library.
        preset_types: The file types of the preset by ending.
    """
    file_counts = Counter(entry.file.file_type for entry in model_files)
    type_counts_by_ending = _count_types_by_ending(model_files)
    # Classes with no special ending belong in files of the most frequent type.
    types = {"": file_counts.most_common(1)[0][0]}

    # For an ending of the preset, all classes with that ending count.
    for preset_ending in filter(None, preset_types):
        preset_counts: Counter[str] = Counter()
        for ending, type_counts in type_counts_by_ending.items():
            if ending.endswith(preset_ending):
                preset_counts += type_counts
        if preset_counts:
            types[preset_ending] = preset_counts.most_common(1)[0][0]

    # Another ending is added if a shorter one would give its classes a wrong type.
    shortest_first = sorted(
        type_counts_by_ending, key=lambda ending: (len(ending), ending)
    )
    for ending in shortest_first:
        file_type, count = type_counts_by_ending[ending].most_common(1)[0]
        is_wrong = _type_of(ending, {**preset_types, **types}) != file_type
        if count > 1 and ending.isidentifier() and is_wrong:
            types[ending] = file_type
    return {
        ending: file_type
        for ending, file_type in types.items()
        if preset_types.get(ending) != file_type
    }


def _type_of(name: str, types: Mapping[str, str]) -> str:
    """Return the file type of the longest ending that the name of a class has."""
    longest_ending = max(filter(name.endswith, types), key=len)
    return types[longest_ending]
