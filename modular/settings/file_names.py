"""The names of model files: the setting `file-names`."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import NamedTuple

from modular.system import safe_paths


MODEL = "{model}"
TYPE = "{type}"
_FOLDER_OF_MODEL = f"{MODEL}/"
_SUFFIX = ".py"
_MODULAR_PREFIX = "modular_"


class ModelFileName(NamedTuple):
    """The name of a model file.

    Attributes:
        file_type: The file type, such as `modeling`.
        model: The name of the model, such as `llama`.
        model_offset: The offset of the model's name in the file's name.
    """

    file_type: str
    model: str
    model_offset: int


class _Stem(NamedTuple):
    """The names of the files of one type: what comes before and after the model."""

    file_type: str
    prefix: str
    suffix: str


@dataclass(frozen=True)
class FileNames:
    """The names of a project's model files.

    Attributes:
        pattern: The setting.
        has_model_folders: Whether each model has a folder of its own. If not, all
            models share the models folder.
        stems: The names without `.py` of the files of each type, sorted by the length of
            prefix and suffix together, longest first.
    """

    pattern: str
    has_model_folders: bool
    stems: tuple[_Stem, ...]

    @property
    def has_types(self) -> bool:
        """Whether file names name the type. If not, a model is one file: `llama.py`."""
        return TYPE in self.pattern

    @cached_property
    def _prefixes(self) -> tuple[str, ...]:
        """The prefixes of all stems. Most names that are asked about have none of them."""
        return tuple(stem.prefix for stem in self.stems)

    def stem(self, file_type: str, model: str) -> str:
        """Return the name of a model's file without `.py`, such as `modeling_llama`.

        Args:
            file_type: The file type, such as `modeling`.
            model: The name of the model, such as `llama`.
        """
        for stem in self.stems:
            if stem.file_type == file_type:
                return f"{stem.prefix}{model}{stem.suffix}"
        return f"{file_type}_{model}"

    def parse(self, stem: str) -> ModelFileName | None:
        """Return the type and the model of a file, given its name without `.py`.

        `modeling_llama` has the type `modeling` and the model `llama`. If several types
        match, the type with the longest prefix and suffix decides:
        `image_processing_pil_llama` has the type `image_processing_pil` and the model
        `llama`, not the type `image_processing` and the model `pil_llama`.

        Returns:
            The type and the model, or None if the name is not that of a model file.
        """
        if stem.startswith(_MODULAR_PREFIX):
            return None
        # Without types, any name could be that of a model, except for `__init__` and names
        # of files that are not modules.
        can_be_model = stem.isidentifier() and not stem.startswith("__")
        if not self.has_types and not can_be_model:
            return None
        if not stem.startswith(self._prefixes):
            return None
        # `stems` begins with the longest prefixes and suffixes: the first match decides.
        for file_type, prefix, suffix in self.stems:
            if stem.startswith(prefix) and stem.endswith(suffix):
                start = len(prefix)
                end = len(stem) - len(suffix)
                if start < end:
                    return ModelFileName(file_type, stem[start:end], start)
        return None

    def model_of(self, stem: str) -> str:
        """Return the model in the name of a file, given without `.py`.

        If the name is not that of a model file, the whole name is returned.
        """
        file_name = self.parse(stem)
        return stem if file_name is None else file_name.model


NO_FILE_NAMES = FileNames(pattern="", has_model_folders=True, stems=())
"""The names of a project without model files: no name is one."""


def read_file_names(pattern: str, file_types: Iterable[str]) -> FileNames:
    """Return the names of model files that follow a valid pattern.

    With `{model}/{type}_{model}.py`, the file type `modeling` has names such as
    `modeling_llama`: the prefix is `modeling_`, and the suffix is empty. With `{model}.py`,
    all classes of a model are in the file that has its name.

    Args:
        pattern: The setting `file-names`.
        file_types: All file types. A file type that contains `{model}`, such as
            `{model}_utils`, is a pattern of its own.
    """
    name = PurePosixPath(pattern).stem
    stems = []
    for file_type in file_types:
        stem = file_type if MODEL in file_type else name.replace(TYPE, file_type)
        prefix, _, suffix = stem.partition(MODEL)
        stems.append(_Stem(file_type, prefix, suffix))
    # If a name matches several stems, the first and most specific one counts.
    stems.sort(key=lambda stem: (-len(stem.prefix + stem.suffix), stem))
    has_model_folders = pattern.startswith(_FOLDER_OF_MODEL)
    return FileNames(pattern, has_model_folders, tuple(stems))


def problem(pattern: str) -> str:
    """Return what is wrong with a pattern, or an empty text if it is valid."""
    name = pattern.removeprefix(_FOLDER_OF_MODEL)
    if "/" in name:
        return f"has a folder; only `{_FOLDER_OF_MODEL}` may come before the name"
    if not name.endswith(_SUFFIX):
        return f"does not end with `{_SUFFIX}`"
    if name.count(MODEL) != 1:
        return f"has `{MODEL}` not once in the name of the file"
    if name.count(TYPE) > 1:
        return f"has `{TYPE}` twice in the name of the file"
    example = name.replace(MODEL, "m").replace(TYPE, "t").removesuffix(_SUFFIX)
    if not example.isidentifier():
        return "does not give names of Python modules"
    if name.startswith(_MODULAR_PREFIX):
        return f"begins with `{_MODULAR_PREFIX}`, which is reserved for modular files"
    return safe_paths.problem(example)
