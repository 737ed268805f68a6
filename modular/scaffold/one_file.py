"""Finds libraries in which each model is one file: `models/qwen2.py`.

Nothing in the name of such a file tells that it is one of a model. So the classes do:

- A class is named after the file: `Qwen2Attention` in `qwen2.py`.
- A class has a name, or an ending of its name, that many files of the folder have:
  `Model`, or `CohereForCausalLM` in `commandr.py`.

Helpers, such as `utils.py`, are modules that many files import from, or that others import
from and whose classes have none of these endings.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from modular.project.naming import MODULAR
from modular.settings.file_names import MODEL
from modular.source import module as modules
from modular.source.blocks import Kind
from modular.source.loading import load
from modular.source.module import Module


ONE_FILE = f"{MODEL}.py"

MIN_FILES = 10
"""Number of models that a folder must have. A folder with fewer may be that of one model."""

_MIN_SHARE_OF_ENDING = 0.1
"""Share of the files that must have a class with an ending, so that it is common."""

_MIN_SHARE_OF_HELPER = 0.25
"""Share of the files that must import from a module, so that it is certainly a helper."""

_MIN_IMPORTS = 3
"""Number of files that must import from a model, so that this is not an exception."""


@dataclass(frozen=True)
class OneFileFolder:
    """A folder in which each model is one file.

    Attributes:
        path: The folder, relative to the root.
        models: The files of models.
        others: The files that are neither of a model nor helpers.
        helpers: The modules from which models import and that are not models.
        imports_between_models: The number of models that import from another one.
    """

    path: str
    models: tuple[str, ...]
    others: tuple[str, ...]
    helpers: tuple[str, ...]
    imports_between_models: int

    @property
    def keeps_imports(self) -> bool:
        """Whether the models of the library often import from each other."""
        return self.imports_between_models >= _MIN_IMPORTS


@dataclass(frozen=True)
class _File:
    """A file of a folder.

    Attributes:
        path: The file, relative to the root.
        classes: The names of its classes.
        imported: The names of the modules of the same folder that it imports from.
    """

    path: str
    classes: tuple[str, ...]
    imported: frozenset[str]

    @property
    def stem(self) -> str:
        """The name of the file without `.py`."""
        return PurePosixPath(self.path).stem

    @property
    def endings_after_name(self) -> list[str]:
        """The endings of the class names that begin with the name of the file.

        In `owl.py`, the ending of `OwlMLP` is `MLP`.
        """
        prefix = self.stem.replace("_", "").lower()
        return [
            name[len(prefix) :]
            for name in self.classes
            if name.lower().startswith(prefix)
        ]


def find_one_file_folders(root: Path, paths: Iterable[str]) -> list[OneFileFolder]:
    """Return the folders in which each model is one file, those with most models first.

    Args:
        root: The root of the library.
        paths: Its Python files, relative to the root.
    """
    paths_by_folder: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        paths_by_folder[str(PurePosixPath(path).parent)].append(path)
    folders = []
    for folder, files in paths_by_folder.items():
        if len(files) >= MIN_FILES:
            folders.append(read_folder(root, folder, files))
    return sorted(folders, key=lambda folder: len(folder.models), reverse=True)


def read_folder(root: Path, folder: str, paths: Sequence[str]) -> OneFileFolder:
    """Sort the files of a folder into models, helpers and other files.

    - Many files import from a helper, such as `utils.py`. If no class of it has an ending
      that is common in the folder, such as `ForCausalLM`, few imports are enough.
    - A model has a class with a common ending, or a class that is named after the file.
    - Other files have other classes. Files without classes are left out.

    Args:
        root: The root of the library.
        folder: The folder, relative to the root.
        paths: Its Python files.
    """
    files = list(_read_files(root, folder, paths))
    endings = _find_common_endings(files)
    import_counts: Counter[str] = Counter()
    for file in files:
        import_counts.update(file.imported)

    models = []
    helpers = []
    others = []
    for file in files:
        has_ending = _has_ending(file, endings)
        if _is_helper(file, import_counts[file.stem], len(files), has_ending):
            helpers.append(file.stem)
        elif has_ending or file.endings_after_name:
            models.append(file)
        elif file.classes:
            others.append(file.path)

    model_stems = {file.stem for file in models}
    models_importing_models = [
        file for file in models if file.imported & (model_stems - {file.stem})
    ]
    return OneFileFolder(
        path=folder,
        models=tuple(file.path for file in models),
        others=tuple(others),
        helpers=tuple(sorted(helpers)),
        imports_between_models=len(models_importing_models),
    )


def _is_helper(
    file: _File, import_count: int, file_count: int, has_ending: bool
) -> bool:
    """Return whether a file is a helper of models, such as `utils.py`.

    Args:
        file: The file.
        import_count: The number of files of the folder that import from it.
        file_count: The number of files of the folder.
        has_ending: Whether one of its classes has an ending that is common in the folder.
    """
    is_imported_by_many = import_count >= max(
        _MIN_SHARE_OF_HELPER * file_count, MIN_FILES
    )
    if is_imported_by_many:
        return True
    # A class that is named after the file speaks against a helper.
    min_imports = _MIN_IMPORTS if file.endings_after_name else 1
    return not has_ending and import_count >= min_imports


def _read_files(root: Path, folder: str, paths: Sequence[str]) -> Iterator[_File]:
    """Yield the files of a folder that are named as models can be.

    `__init__.py`, for example, is no model.
    """
    stems = {PurePosixPath(path).stem for path in paths}
    for path in paths:
        stem = PurePosixPath(path).stem
        if not stem.isidentifier() or stem.startswith(("__", MODULAR)):
            continue
        loaded = load(root / path, path)
        if loaded.problem is not None:
            continue
        module = modules.read(path, loaded.text)
        siblings = stems.intersection(_imported_siblings(module, folder))
        classes = [
            statement.name
            for statement in module.block.statements
            if statement.kind is Kind.CLASS
        ]
        yield _File(path, tuple(classes), frozenset(siblings))


def _imported_siblings(module: Module, folder: str) -> Iterator[str]:
    """Yield the modules of a file's own folder that it imports from.

    For `src/acme/models`, these are `from .qwen2 import ...` and
    `from acme.models.qwen2 import ...`.
    """
    folder_package = folder.replace("/", ".")
    for import_ in module.imports:
        package, _, stem = (import_.module or "").rpartition(".")
        if import_.level == 1 and not package:
            # `from .qwen2 import ...`
            yield stem
        elif import_.level == 0 and package and folder_package.endswith(package):
            # `from acme.models.qwen2 import ...`
            yield stem


def _find_common_endings(files: Sequence[_File]) -> frozenset[str]:
    """Return the endings of class names that many files have, such as `ForCausalLM`."""
    counts: Counter[str] = Counter()
    for file in files:
        endings = {ending for ending in file.endings_after_name if ending[:1].isupper()}
        # A class such as `Attention`, without the model's name, is an ending itself.
        endings |= set(file.classes)
        counts.update(endings)
    min_count = max(_MIN_SHARE_OF_ENDING * len(files), 2)
    return frozenset(ending for ending, count in counts.items() if count >= min_count)


def _has_ending(file: _File, endings: frozenset[str]) -> bool:
    """Return whether a class of a file has one of some endings."""
    return any(name.endswith(tuple(endings)) for name in file.classes)
