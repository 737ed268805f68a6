"""Sets up a library: settings, a pre-commit hook and a workflow that fit its files."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.resources import files
from pathlib import Path, PurePosixPath
from textwrap import indent
from typing import TYPE_CHECKING, NamedTuple

from modular.format.formatter_config import CONFIGS, PYPROJECT
from modular.format.formatter_version import find_pin
from modular.project import file_types
from modular.project import library as libraries
from modular.project.naming import MODULAR
from modular.scaffold.layouts import (
    DEFAULT_PATTERN,
    are_most_models,
    find_layout,
    is_model_module,
    python_files,
)
from modular.settings import settings as settings_module
from modular.settings.settings import HUB_CONFIG, HUB_PRESET, MODELS, Settings
from modular.source import module as modules
from modular.source.loading import MAX_SOURCE_BYTES, load, newline_of
from modular.system import addresses
from modular.system.errors import ModularError
from modular.system.reading import parse_toml, read_bytes
from modular.system.ruff import (
    FormatterError,
    count_unformatted_files,
    find_unsorted_files,
)


if TYPE_CHECKING:
    from ruamel.yaml.nodes import Node


PRE_COMMIT = ".pre-commit-config.yaml"
WORKFLOW = ".github/workflows/modular.yml"
ATTRIBUTES = ".gitattributes"
AGENTS = "AGENTS.md"
FILES = (PYPROJECT, PRE_COMMIT, WORKFLOW, ATTRIBUTES)
"""The files that set a project up, relative to its root."""

_CHECK_COMMAND = "modular check"
"""The command in hooks and workflows that check the models of a project."""

_HOOK = "id: modular-"
"""The beginning of the names of the hooks that this repository provides."""

_ACTION = "modular-models/modular@"
"""The action that this repository provides, without its version."""

_SORTED_IMPORTS = """\
# The imports of generated files are sorted, as isort does it.
[tool.ruff.lint]
extend-select = ["I"]
"""

_MIN_EXAMINED_FILES = 10
_MAX_EXAMINED_FILES = 200
"""Number of files whose imports tell whether a library sorts imports."""

_IMPORT = re.compile(r"^(?:from|import) +(\w[\w.]*)", re.MULTILINE)


class SetupError(ModularError):
    """A project cannot be set up. The message says why."""


class Setup(NamedTuple):
    """The files that set a library up.

    Attributes:
        files: New texts by path from the root.
        hook_to_add: The hook, if the user has to add it; otherwise empty.
        found: A sentence about the model files that were found; empty if there are
            settings already.
    """

    files: dict[str, str]
    hook_to_add: str = ""
    found: str = ""


class _Table(NamedTuple):
    """The table `[tool.modular]` of a library.

    Attributes:
        text: TOML of the table, and of ruff's if ruff must be told to sort imports; empty
            if the preset fits, or the library has the table already.
        source_library: The source library; empty if the models import none.
        is_hub: Whether the library is a model repository on the Hub.
        found: A sentence about the model files that were found.
        formatter: The formatter of the library.
    """

    text: str
    source_library: str
    is_hub: bool = False
    found: str = ""
    formatter: str = "ruff"


class _LibraryFiles(NamedTuple):
    """The model files of a library.

    Attributes:
        paths: The files, relative to the root.
        models_folders: The folders that contain the models.
        values: Settings that describe the files and differ from the preset, such as
            `file-names`.
        endings: The setting `file-types`, without what the preset has: the file type,
            such as `configuration`, for each ending of class names, such as `Config`.
        others: Files beside them that have no class of a model.
    """

    paths: tuple[str, ...]
    models_folders: tuple[str, ...]
    values: Mapping[str, object]
    endings: Mapping[str, str]
    others: tuple[str, ...] = ()


def setup_files(root: Path, models_folder: str = "") -> Setup:
    """Return the settings, hook and workflow that a library needs and does not have yet.

    Args:
        root: Root of the library.
        models_folder: The folder that contains the models, if the user names it.

    Raises:
        SetupError: The library has neither settings nor models, it is not clear where
            they are, or a file cannot be changed.
        modular.settings.settings.SettingsError: `pyproject.toml` cannot be read.
    """
    check_links(root, FILES)
    settings = settings_module.load(root)
    if settings_module.has_table(root):
        table = _describe_existing_table(root, settings, models_folder)
    elif not models_folder and _is_hub_repository(root):
        table = _make_hub_table(root)
    else:
        table = _make_library_table(root, models_folder)
    texts = {}
    if table.text:
        texts[PYPROJECT] = append_table(root, table.text)

    packages = _required_packages(
        root, table.formatter, table.source_library, settings=settings
    )
    hook = _hook_files(root, packages)
    texts.update(hook.files)

    # The Hugging Face Hub runs no GitHub workflows.
    if not table.is_hub and not _has_workflow(root):
        quoted_packages = " ".join(json.dumps(package) for package in packages)
        texts[WORKFLOW] = _fill_template("workflow.yml", quoted_packages)
    return Setup(texts, hook.hook_to_add, table.found)


def new_settings(root: Path, setup: Setup) -> Settings:
    """Return the settings that a library will have when its setup is written.

    Raises:
        modular.settings.settings.SettingsError: `pyproject.toml` cannot be read.
    """
    if PYPROJECT not in setup.files:
        return settings_module.load(root)
    data = setup.files[PYPROJECT].encode(errors="surrogateescape")
    return settings_module.from_document(parse_toml(data))


def _source_library_of_project(root: Path, settings: Settings) -> str:
    """Return the library whose models a project inherits from, or an empty string.

    A setting names it, unless it is the default library. Then the imports of the project
    tell whether it uses this library.
    """
    is_default_library = settings.library_name == settings_module.DEFAULT_PRESET
    if not is_default_library:
        return settings.source_library
    imported_modules: list[str] = []
    for path in python_files(root):
        file = PurePosixPath(path)
        is_in_models_folder = any(map(file.is_relative_to, settings.models))
        if is_in_models_folder:
            imported_modules += _IMPORT.findall(read_text(root, path))
    return _find_source_library(
        settings.packages.values(), imported_modules, settings.library_name
    )


def _has_workflow(root: Path) -> bool:
    """Return whether a workflow of a project checks its models."""
    for file in (root / WORKFLOW).parent.glob("*.y*ml"):
        path = file.relative_to(root).as_posix()
        text = read_text(root, path)
        if path == WORKFLOW or _CHECK_COMMAND in text or _ACTION in text:
            return True
    return False


def check_links(root: Path, paths: Iterable[str]) -> None:
    """Refuse files of the setup that are links to places outside the root.

    Raises:
        SetupError: One of the paths is such a link.
    """
    for path in paths:
        if (root / path).is_symlink() and not _is_inside(root, path):
            raise SetupError(f"{path} is a link that points outside {root}")


def _hook_files(root: Path, packages: Iterable[str]) -> Setup:
    """Return the pre-commit configuration of a project with modular's hook.

    Args:
        root: Root of the project.
        packages: The packages that the hook installs.

    Returns:
        The new configuration. If it cannot be changed automatically, the hook that the user
        has to add instead. Nothing if it has the hook already.
    """
    configuration = read_text(root, PRE_COMMIT)
    has_hook = _CHECK_COMMAND in configuration or _HOOK in configuration
    if has_hook:
        return Setup({})
    quoted_packages = ", ".join(json.dumps(package) for package in packages)
    hook = _fill_template("pre-commit.yml", quoted_packages)
    new_configuration = _append_hook(configuration, hook)
    if new_configuration is None:
        return Setup({}, hook_to_add=hook)
    return Setup({PRE_COMMIT: new_configuration})


def read_originals(root: Path, paths: Iterable[str]) -> dict[str, bytes | None]:
    """Return the contents of files before the setup of a library changes them.

    Args:
        root: Root of the library.
        paths: The files, relative to the root.

    Returns:
        Contents by path from the root; None for a file that does not exist, or is a
        link that points outside the root.

    Raises:
        OSError: A file cannot be read.
    """
    contents: dict[str, bytes | None] = {}
    for path in paths:
        contents[path] = None
        if (root / path).exists() and _is_inside(root, path):
            contents[path] = read_bytes(root / path, MAX_SOURCE_BYTES)
    return contents


def end_last_line(text: str) -> str:
    """Return a text with a line end after its last line; an empty text stays empty."""
    if not text or text.endswith("\n"):
        return text
    return text + newline_of(text)


def read_text(root: Path, path: str) -> str:
    """Return the text of a file, in which bytes that are not UTF-8 are surrogates.

    Returns:
        The text; empty if the file does not exist, or is a link that points outside the
        root.

    Raises:
        OSError: The file cannot be read.
    """
    file = root / path
    if not file.exists() or not _is_inside(root, path):
        return ""
    return read_bytes(file, MAX_SOURCE_BYTES).decode("utf-8", errors="surrogateescape")


def _is_inside(root: Path, path: str) -> bool:
    """Return whether a path stays below the root when links are followed."""
    return (root / path).resolve().is_relative_to(root)


def _required_packages(
    root: Path, formatter: str, source_library: str, *, settings: Settings
) -> list[str]:
    """Return the packages that a hook or a workflow must install to run modular.

    These are modular, the pinned formatter, and the library that provides the parent
    models, for example `transformers==4.57.*`. If the library is the project itself, it
    is not installed.

    Args:
        root: Root of the project.
        formatter: `ruff`, `black` or `none`.
        source_library: The library that provides the parent models; may be empty.
        settings: Settings of the project.
    """
    packages = [addresses.requirement("black" if formatter == "black" else "")]
    pin = find_pin(root, formatter)
    if pin is not None:
        packages.append(f"{formatter}=={pin.version}")
    if not source_library:
        return packages

    library = libraries.find_library(root, source_library, settings)
    if library.is_found and libraries.is_below(library.folder, root):
        return packages
    release = libraries.read_release(library.folder) if library.is_found else None
    if release is None:
        packages.append(source_library)
    else:
        packages.append(f"{source_library}=={'.'.join(map(str, release))}.*")
    return packages


def hub_table(version: str | None) -> str:
    """Return the table `[tool.modular]` of a model repository on the Hub.

    Args:
        version: The installed version of transformers, or None if it is unknown.
    """
    text = f"[tool.modular]\npreset = {_toml(HUB_PRESET)}\n"
    if version is not None:
        text += f"source-release = {_toml(version)}\n"
    return text


def _fill_template(name: str, packages: str) -> str:
    """Return a template of this package with the packages to install filled in."""
    template = files("modular.scaffold") / "templates" / name
    return template.read_text(encoding="utf-8").format(packages=packages)


def append_table(root: Path, table: str) -> str:
    """Return the text of `pyproject.toml` with a table at its end.

    Raises:
        SetupError: The result is not TOML.
    """
    old_text = read_text(root, PYPROJECT)
    newline = newline_of(old_text)
    text = table.replace("\n", newline)
    if old_text.strip():
        text = old_text.rstrip(" \t\r\n") + newline * 2 + text
    try:
        parse_toml(text.encode())
    except ValueError as error:
        message = f"[tool.modular] cannot be put at the end of {root / PYPROJECT}"
        raise SetupError(f"{message}: {error}") from error
    return text


def _append_hook(text: str, hook: str) -> str | None:
    """Return a pre-commit configuration with a hook after its repositories.

    The YAML library only finds the place, and the hook is inserted as text. If the
    library wrote the file, it would change the indentation and line breaks of the other
    hooks.

    Args:
        text: The configuration; may be empty.
        hook: An item of the list `repos`.

    Returns:
        The new text; None if the repositories are not a plain list.
    """
    newline = newline_of(text)
    text = end_last_line(text) or f"repos:{newline}"
    repos = _find_repositories(text)
    if repos is None:
        return None
    # In the text, the value of `repos` is between these offsets.
    start = repos.start_mark.index
    end = repos.end_mark.index
    value = text[start:end]
    if re.fullmatch(r"\[ *\]", value):
        # `repos: []` becomes `repos:`, to which lines can be added.
        return _append_hook(text[:start].rstrip(" ") + text[end:], hook)
    has_line_for_each_item = value.startswith("-")
    if has_line_for_each_item:
        indentation = " " * repos.start_mark.column
    elif not value:
        indentation = "  "
    else:
        return None

    new_lines = indent(hook, indentation).replace("\n", newline)
    return text[:end] + new_lines + text[end:]


def _find_repositories(text: str) -> "Node | None":
    """Return the YAML node with the list `repos` of a pre-commit configuration.

    Returns:
        The node; None if the text is not a plain YAML mapping, or does not have exactly
        one key `repos`.
    """
    # Only this command needs the library.
    from ruamel.yaml import YAML
    from ruamel.yaml.nodes import MappingNode

    # In the text, bytes that are not UTF-8 are surrogates. The YAML library refuses
    # surrogates and Unicode line breaks such as U+2028, even in a comment.
    readable_text = re.sub("[\\x85\\u2028\\u2029\\ud800-\\udfff]", "?", text)
    try:
        document = YAML(typ="safe", pure=True).compose(readable_text)
    except Exception:  # it also raises AssertionError, ValueError and others
        return None
    if not isinstance(document, MappingNode) or document.flow_style:
        return None
    nodes = [value for key, value in document.value if key.value == "repos"]
    return nodes[0] if len(nodes) == 1 else None


def _describe_existing_table(
    root: Path, settings: Settings, models_folder: str
) -> _Table:
    """Return what the settings of a library say, without a new text.

    Raises:
        SetupError: The user names another models folder than the settings.
    """
    if models_folder and models_folder not in settings.models:
        raise SetupError(
            f"{PYPROJECT} has settings already: change `models` there, or remove them"
        )
    # A repository on the Hub has its model in the root.
    is_hub = settings.models == (".",) and _is_hub_repository(root)
    source_library = _source_library_of_project(root, settings)
    return _Table("", source_library, is_hub, formatter=settings.formatter)


def _make_hub_table(root: Path) -> _Table:
    """Return the table for a model repository on the Hub."""
    preset = settings_module.from_table({"preset": HUB_PRESET})
    transformers = libraries.find_library(root, preset.source_library, preset)
    version = libraries.read_version(transformers.folder)
    return _Table(hub_table(version), preset.source_library, is_hub=True)


def _make_library_table(root: Path, models_folder: str) -> _Table:
    """Return the table for a library, with only the settings that differ from the preset.

    The text of the table is empty if the preset fits.

    Args:
        root: Root of the library.
        models_folder: The folder that contains the models, if the user names it.

    Raises:
        SetupError: The library has no models, or it is not clear where they are.
    """
    preset = settings_module.from_table({})
    files = _find_library_files(root, preset, models_folder)
    if not files.models_folders:
        raise SetupError(_describe_missing_models(root))
    found = _describe_found(files, preset)
    is_clear = are_most_models(len(files.paths), len(files.others))
    if not models_folder and not is_clear:
        folder = files.models_folders[0]
        raise SetupError(
            f"it is not clear where the models are: {found}. If this is right, run "
            f"`modular init --models {folder}`; otherwise name the right folder"
        )

    imported_modules: list[str] = []
    for path in files.paths:
        imported_modules += _IMPORT.findall(read_text(root, path))
    packages = {}
    for folder in files.models_folders:
        packages[folder] = _find_package(root, folder, imported_modules)
    library = _find_source_library(
        packages.values(), imported_modules, preset.source_library
    )
    formatter = _choose_formatter(root, files.paths)

    values = dict(files.values)
    if formatter.name != preset.formatter:
        values["formatter"] = formatter.name
    if library not in ("", preset.source_library):
        values["source-library"] = library
    has_preset_folders = packages.items() <= preset.packages.items()
    tables = []
    if values or files.endings or not has_preset_folders:
        tables.append(_format_table(packages, values, files.endings))
    if formatter.must_sort_imports:
        tables.append(_SORTED_IMPORTS)
    return _Table(
        "\n".join(tables),
        library,
        found=found + formatter.note,
        formatter=formatter.name,
    )


def _describe_found(files: _LibraryFiles, preset: Settings) -> str:
    """Return a sentence about the model files of a library, with two examples.

    20 of 21 files in `models` fit `{type}_{model}.py`, such as `modeling_olmo.py`
    """
    folders = ", ".join(f"`{folder}`" for folder in files.models_folders)
    pattern = files.values.get("file-names", preset.file_names.pattern)
    fitting_count = len(files.paths)
    total = fitting_count + len(files.others)
    text = f"{fitting_count} of {total} files in {folders} fit `{pattern}`"
    examples = [files.paths[0]]
    if fitting_count > 1:
        examples.append(files.paths[fitting_count // 2])
    names = " and ".join(f"`{PurePosixPath(path).name}`" for path in examples)
    text += f", such as {names}"
    if files.others:
        text += f", but not `{PurePosixPath(files.others[0]).name}`"
    return text


def _describe_format(root: Path, paths: Sequence[str]) -> str:
    """Return a note if ruff would format more than half of the files differently.

    Otherwise, the result is empty.
    """
    examined_paths = paths[:_MAX_EXAMINED_FILES]
    file_count = len(examined_paths)
    unformatted_count = 0
    with suppress(FormatterError):
        unformatted_count = count_unformatted_files(root, examined_paths)
    if unformatted_count <= file_count / 2:
        return ""
    return (
        f"\nnote: ruff would format {unformatted_count} of {file_count} files otherwise: "
        'format them first, or write `formatter = "none"` below `[tool.modular]`'
    )


def _find_library_files(
    root: Path, preset: Settings, models_folder: str
) -> _LibraryFiles:
    """Return the model files of a library, and the settings that describe them.

    - If most files are named as in the preset (`olmo/modeling_olmo.py`), the settings say
      what else differs from the preset.
    - If another pattern (`olmo/olmo_modeling.py`) finds more files than the preset, the
      settings also name the pattern.
    - Otherwise, or if no pattern fits, there are no settings.

    Args:
        root: Root of the library.
        preset: The settings of the preset.
        models_folder: The folder that contains the models, if the user names it.
    """
    preset_paths = tuple(
        path
        for path in _find_model_files(root)
        if not models_folder or str(PurePosixPath(path).parent.parent) == models_folder
    )
    folders = sorted({str(PurePosixPath(path).parent.parent) for path in preset_paths})
    preset_files = _LibraryFiles(preset_paths, tuple(folders), values={}, endings={})

    # The layout is the most frequent pattern, with the files that are named by it.
    layout = find_layout(root, preset.file_types, models_folder)
    if layout is None:
        return preset_files
    values: dict[str, object] = {}
    if layout.has_absolute_imports:
        values["absolute-imports"] = True
    if layout.pattern == DEFAULT_PATTERN:
        endings = _endings_of_new_types(layout.file_types, preset_paths, preset)
        return preset_files._replace(values=values, endings=endings)
    if layout.keeps_model_imports:
        values["model-imports"] = settings_module.KEPT_IMPORTS
    if layout.helpers:
        values["ordinary-imports"] = list(layout.helpers)
    if len(layout.paths) > len(preset_paths):
        return _LibraryFiles(
            paths=layout.paths,
            models_folders=layout.models_folders,
            values={"file-names": layout.pattern, **values},
            endings=layout.file_types,
            others=layout.others,
        )
    return preset_files


def _endings_of_new_types(
    endings: Mapping[str, str], paths: Iterable[str], preset: Settings
) -> dict[str, str]:
    """Return the endings of class names whose file type the preset does not know.

    The result is empty if modular files exist, because they were written for the types of
    the preset. With a new type, some of their classes would go into another file.

    Args:
        endings: The file type of each ending, such as `processing` for `Processor`.
        paths: The model files and modular files of the library.
        preset: The settings of the preset.
    """
    new_endings: dict[str, str] = {}
    has_modular_files = any(
        PurePosixPath(path).name.startswith(MODULAR) for path in paths
    )
    if has_modular_files:
        return new_endings
    for ending, file_type in endings.items():
        if ending and file_type not in preset.all_file_types:
            new_endings[ending] = file_type
    return new_endings


def _describe_missing_models(root: Path) -> str:
    """Return a message that says which files `modular init` saw, and what it expects."""
    paths_by_folder: dict[str, list[str]] = defaultdict(list)
    for path in python_files(root):
        paths_by_folder[str(PurePosixPath(path).parent)].append(path)
    file_count = sum(len(paths) for paths in paths_by_folder.values())

    message = f"no model files were found below {root}: it has {file_count} Python "
    message += f"files, but none such as `{MODELS}/llama/modeling_llama.py` or "
    message += f"`{MODELS}/olmo/{MODULAR}olmo.py`"
    if paths_by_folder:
        largest = max(paths_by_folder, key=lambda folder: len(paths_by_folder[folder]))
        paths = paths_by_folder[largest]
        example = PurePosixPath(paths[len(paths) // 2]).name
        message += f". Most are in `{largest}`: {len(paths)} files such as `{example}`"
    message += (
        ". Name the folder of the models with `modular init --models FOLDER`, or "
    )
    return message + "write the settings `models`, `file-names` and `file-types`"


def _is_hub_repository(root: Path) -> bool:
    """Return whether a folder has a checkpoint's `config.json` beside model files."""
    if not (root / HUB_CONFIG).is_file():
        return False
    file_names = settings_module.from_table({"preset": HUB_PRESET}).file_names
    for path in root.glob("*.py"):
        if path.name.startswith(MODULAR) or file_names.parse(path.stem) is not None:
            return True
    return False


def _format_table(
    packages: Mapping[str, str],
    values: Mapping[str, object],
    endings: Mapping[str, str],
) -> str:
    """Return the TOML of the table `[tool.modular]`.

    Args:
        packages: The package of each models folder.
        values: Other settings.
        endings: The file types by endings of class names; the setting `file-types`.
    """
    text = f"[tool.modular]\nmodels = {_toml(list(packages))}\n"
    first_package = next(iter(packages.values()))
    is_one_package = set(packages.values()) == {first_package}
    if is_one_package:
        text += f"package = {_toml(first_package)}\n"
    for key, value in values.items():
        text += f"{key} = {_toml(value)}\n"
    if not is_one_package:
        text += "\n[tool.modular.package]\n"
        for folder, package in packages.items():
            text += f"{_toml(folder)} = {_toml(package)}\n"
    if endings:
        text += "\n[tool.modular.file-types]\n"
    for ending, file_type in endings.items():
        text += f"{_toml(ending)} = {_toml(file_type)}\n"
    return text


def _toml(value: object) -> str:
    """Return a text or a list of texts as TOML, which knows no surrogate pairs."""
    return json.dumps(value, ensure_ascii=False)


def _find_model_files(root: Path) -> Iterator[str]:
    """Yield the model files and modular files below a root, as relative paths.

    These are files such as `models/olmo/modeling_olmo.py`, in which the folder and the
    file have the name of the model. The models folder, here `models`, must be a package.
    """
    default_settings = settings_module.from_table({})
    for path in python_files(root):
        models_folder = PurePosixPath(path).parent.parent
        # It is `my-models` for `my-models/olmo/modeling_olmo.py`, for example, and has no
        # name for `olmo/modeling_olmo.py`.
        can_be_imported = models_folder.name.isidentifier()
        if not can_be_imported:
            continue
        is_model_file = _is_model_file(path, default_settings)
        if is_model_file or _is_modular_file(root, path, default_settings):
            yield path


def _is_model_file(path: str, settings: Settings) -> bool:
    """Return whether a file is called `<type>_<folder>.py`."""
    file = PurePosixPath(path)
    file_type = file_types.of_file(file.stem, settings)
    return file.suffix == ".py" and file.stem == f"{file_type}_{file.parent.name}"


def _is_modular_file(root: Path, path: str, settings: Settings) -> bool:
    """Return whether a file is a modular file, and no program that has a similar name.

    It is one if it is called `modular_*.py`, and imports from a model file such as
    `modeling_olmo.py`.
    """
    file = PurePosixPath(path)
    if file.suffix != ".py" or not file.name.startswith(MODULAR):
        return False
    if not _is_inside(root, path):
        return False
    for statement in modules.read(path, load(root / path, path).text).imports:
        parts = (statement.module or "").split(".")
        if statement.level == 1:
            # `from .modeling_olmo` names a file in the same folder.
            parts = [file.parent.name, *parts]
        if _is_model_file(f"{'/'.join(parts)}.py", settings):
            return True
    return False


def _find_package(
    root: Path, models_folder: str, imported_modules: Iterable[str]
) -> str:
    """Return the dotted package of a models folder: `acme.models` for `src/acme/models`.

    A package begins with a folder that the models import by name, such as `acme`. If they
    import no folder, the names and files of the folders tell where the package probably
    begins.
    """
    parts = PurePosixPath(models_folder).parts
    # A folder such as `my-repo`, which cannot be imported, is above the package.
    outer_count = 0
    for index, name in enumerate(parts):
        if not name.isidentifier():
            outer_count = index + 1
    names = parts[outer_count:]

    imported_names = {module.split(".")[0] for module in imported_modules}
    for index, name in enumerate(names):
        package = ".".join(names[index:])
        # The name `models` alone is too common to be that of a library.
        if name in imported_names and package != MODELS:
            return package
    start = _find_package_start(root.joinpath(*parts[:outer_count]), names)
    return ".".join(names[start:])


def _find_package_start(folder: Path, names: Sequence[str]) -> int:
    """Return the index of the folder that is probably the top of a package.

    - For `src/acme/models`, this is 1: a package is below a folder `src`.
    - For `tools/acme/models`, this is 1 if `tools/acme` has an `__init__.py` and `tools`
      has none.
    - For `lib/acme/models`, this is 1: a package is below a folder `lib` or `python`,
      unless this folder has an `__init__.py` itself.
    - Otherwise, this is 0.

    Args:
        folder: The folder that contains the first of the nested folders.
        names: Names of nested folders, such as `src`, `acme` and `models`.
    """
    if "src" in names[:-1]:
        return names.index("src") + 1
    for index, name in enumerate(names):
        folder /= name
        if (folder / "__init__.py").is_file():
            return index
        is_innermost = index == len(names) - 1
        if name in ("python", "lib") and not is_innermost:
            return index + 1
    return 0


class _Formatter(NamedTuple):
    """The formatter of a library.

    Attributes:
        name: `ruff` or `black`.
        must_sort_imports: Whether ruff must be told to sort imports.
        note: A note if ruff would change most files; may be empty.
    """

    name: str
    must_sort_imports: bool = False
    note: str = ""


def _choose_formatter(root: Path, paths: Sequence[str]) -> _Formatter:
    """Return the formatter that a library uses, or ruff if it uses none.

    Args:
        root: Root of the library.
        paths: The model files.
    """
    if _uses_ruff(root):
        return _Formatter("ruff")
    if _sorts_imports(root, paths):
        # Only ruff sorts imports, too.
        note = _describe_format(root, paths)
        return _Formatter("ruff", must_sort_imports=True, note=note)
    if _uses_black(root):
        return _Formatter("black")
    return _Formatter("ruff", note=_describe_format(root, paths))


def _uses_black(root: Path) -> bool:
    """Return whether black has settings or a hook."""
    hooks = read_text(root, PRE_COMMIT)
    return "[tool.black" in read_text(root, PYPROJECT) or "id: black" in hooks


def _uses_ruff(root: Path) -> bool:
    """Return whether ruff has settings or a hook."""
    # Only ruff has other settings files: `ruff.toml` and `.ruff.toml`.
    for name in CONFIGS:
        if name != PYPROJECT and (root / name).exists():
            return True
    # A hook of ruff is in the repository `ruff-pre-commit`, or is named `ruff-format`.
    has_hook = "ruff-" in read_text(root, PRE_COMMIT)
    return has_hook or "[tool.ruff" in read_text(root, PYPROJECT)


def _sorts_imports(root: Path, paths: Iterable[str]) -> bool:
    """Return whether a library sorts its imports with isort.

    It does if isort has settings or a hook, or if the imports of nearly all files are
    sorted as isort does it.

    Args:
        root: Root of the library.
        paths: The model files.
    """
    pyproject = read_text(root, PYPROJECT)
    if "[tool.isort" in pyproject or "id: isort" in read_text(root, PRE_COMMIT):
        return True
    # A single import is always sorted.
    paths_with_imports = []
    for path in paths:
        if len(_IMPORT.findall(read_text(root, path))) > 1:
            paths_with_imports.append(path)
    examined_paths = paths_with_imports[:_MAX_EXAMINED_FILES]
    if len(examined_paths) < _MIN_EXAMINED_FILES:
        # Few files can be sorted by chance.
        return False
    try:
        unsorted_paths = find_unsorted_files(root, examined_paths)
    except FormatterError:
        return False
    return len(unsorted_paths) <= len(examined_paths) / 10


def _find_source_library(
    packages: Iterable[str], imported_modules: Iterable[str], default: str
) -> str:
    """Return the library whose models a project imports most often.

    For example, this is `transformers` if the project has statements such as
    `from transformers.models.llama.modeling_llama import LlamaMLP`. The result is empty
    if the project imports no models but its own.

    Args:
        packages: The packages of the project's models folders.
        imported_modules: The modules that the project's models import.
        default: The source library of the preset, such as `transformers`.
    """
    project_names = {package.split(".")[0] for package in packages}
    counts: Counter[str] = Counter()
    for module in imported_modules:
        library, *inner_names = module.split(".")
        is_in_models = MODELS in inner_names[:-1]
        if library in project_names or not is_in_models:
            continue
        # `acme.models.olmo.modeling_olmo` counts, because the file is named after a model.
        # So `torchvision.models.resnet` does not count. Models of the default library can
        # also be imported from their folder: `transformers.models.llama`.
        if library == default or is_model_module(module):
            counts[library] += 1
    return max(counts, key=counts.__getitem__, default="")
