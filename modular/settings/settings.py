"""Settings: `[tool.modular]` of `pyproject.toml` over a built-in preset."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from modular.settings import setting_values
from modular.settings.file_names import MODEL, TYPE, FileNames, read_file_names
from modular.settings.lint_levels import LintLevels, has_lint_codes
from modular.source.diagnostics import nearest, with_suggestion
from modular.source.module import lines_with_ends
from modular.system.errors import ModularError
from modular.system.reading import MAX_SETTINGS_BYTES, parse_toml, read_bytes


FORMATTERS = ("ruff", "black", "none")
PYTHON_INHERITANCE = "python"
INHERITANCES = (PYTHON_INHERITANCE, "transformers")
KEPT_IMPORTS = "keep"
MODEL_IMPORTS = ("inline", KEPT_IMPORTS)
DEFAULT_PRESET = "transformers"
HUB_PRESET = "hub"
HUB_CONFIG = "config.json"
MODELING = "modeling"
CONFIGURATION = "configuration"
SETTINGS_FILE = "pyproject.toml"
MODELS = "models"
"""The subpackage that holds a library's models."""

_PRESETS = Path(__file__).parent / "presets"
_TABLE = "tool.modular"
_PACKAGE = f"{_TABLE}.package"
_TABLE_NAME_SIMILARITY = 0.8
"""How similar the name of a misspelt table is to the right one; 1 is the same."""

_OPEN_TABLES: Mapping[str, str | list[str]] = {
    "file-types": "",
    "guards": "",
    "copied-instead-of-imported": "",
    "per-file-ignores": [],
    "package": "",
}
"""Tables whose keys a project may add to, with an example of their values."""

_CHOICES: Mapping[str, tuple[str, ...]] = {
    "formatter": FORMATTERS,
    "inheritance": INHERITANCES,
    "model-imports": MODEL_IMPORTS,
}
"""The values that a setting may have."""

_TYPE_NAMES: dict[type, str] = {
    str: "a string",
    list: "a list of strings",
    dict: "a table",
    bool: "true or false",
}

Release = tuple[int, ...]
"""The first numbers of a version: those of 5.17.0 are 5 and 17."""


class SettingsError(ModularError, ValueError):
    """A setting that is unknown or of the wrong type. The message names the key."""


@dataclass(frozen=True)
class Settings:
    """All settings of a project. The file of the preset explains each of them."""

    models: tuple[str, ...]
    packages: Mapping[str, str]
    """The package of each models folder."""

    file_names: FileNames
    absolute_imports: bool
    source_library: str
    source_release: str
    output: str
    formatter: str
    formatter_version: str
    """The version of the formatter that the files need; empty for any."""

    ordinary_imports: tuple[str, ...]
    model_imports: str
    """What becomes of imported names that no class inherits from: see `MODEL_IMPORTS`."""

    first_names: tuple[str, ...]
    keep_names: frozenset[str]
    rename_checkpoints: bool
    replacing_assignments: tuple[str, ...]
    replacing_unless_none: tuple[str, ...]
    added_decorators: tuple[str, ...]
    merge_docstrings: bool
    inheritance: str
    """Whether a flat class does what Python or transformers does; see `INHERITANCES`."""

    file_types: Mapping[str, str]
    soft_dependencies_file_types: tuple[str, ...]
    soft_dependencies_utils: str
    soft_dependencies_guards: Mapping[str, str]
    copied_instead_of_imported: Mapping[str, str]
    model_types_variable: str
    model_types_files: tuple[str, ...]
    infer_leave_out: frozenset[str]
    banner: str
    lint: LintLevels

    @property
    def library_name(self) -> str:
        """The name of the source library; the setting may be its folder."""
        return PurePosixPath(self.source_library).name

    @property
    def is_like_python(self) -> bool:
        """Whether a flat class does what Python's inheritance does."""
        return self.inheritance == PYTHON_INHERITANCE

    @property
    def keeps_model_imports(self) -> bool:
        """Whether imports from other models stay if no class inherits from the name."""
        return self.model_imports == KEPT_IMPORTS

    def keeps_docstring(self, file_type: str) -> bool:
        """Whether generated files of a type have the docstring of the modular file.

        They have it if a model is one file. Otherwise it is about several files.
        """
        is_default_type = file_type == self.default_file_type
        return is_default_type and not self.file_names.has_types

    @property
    def is_library(self) -> bool:
        """Whether the project is the source library itself."""
        return _is_library(self.packages.values(), self.library_name)

    @property
    def default_file_type(self) -> str:
        """The file type of classes whose names have no other ending of the settings."""
        return self.file_types[""]

    @cached_property
    def all_file_types(self) -> tuple[str, ...]:
        """Every file type, longest name first."""
        return _all_file_types(self.file_types)


def has_table(folder: Path) -> bool:
    """Return whether a folder's `pyproject.toml` has a table `[tool.modular]`."""
    try:
        return _modular_table(_read(folder).document) is not None
    except SettingsError:
        return False


def load(
    root: Path, overrides: Mapping[str, Any] = {}, release: Release | None = None
) -> Settings:
    """Return the settings of a project.

    Args:
        root: The folder with the `pyproject.toml`, which may be missing.
        overrides: Settings that replace those of the file.
        release: The release of the source library for which the preset's values, such
            as its file types, are chosen; None means the newest one.

    Raises:
        SettingsError: The file cannot be read, or a setting is unknown or wrong.
    """
    text, document = _read(root)
    try:
        return from_document(document, overrides, release, root)
    except SettingsError as error:
        # The message begins with the dotted key. Add the line of the key.
        key = str(error).partition(":")[0]
        line = line_of_key(text, key)
        if not line:
            raise
        raise SettingsError(f"{SETTINGS_FILE}:{line}: {error}") from error


def from_document(
    document: Mapping[str, Any],
    overrides: Mapping[str, Any] = {},
    release: Release | None = None,
    root: Path | None = None,
) -> Settings:
    """Return the settings in a parsed `pyproject.toml`.

    Args:
        document: The values of the whole file.
        overrides: Settings that replace those of the file.
        release: The release of the source library; None means the newest one.
        root: The folder of the file, if it is known. See `from_table`.

    Raises:
        SettingsError: A setting is unknown or wrong, or the name of the table is
            misspelt.
    """
    misspelt_table = next(_misspelt_tables(document), None)
    if misspelt_table is not None:
        raise SettingsError(
            f"{misspelt_table}: unknown table; did you mean `{_TABLE}`?"
        )
    table = _modular_table(document)
    if table is None:
        table = {}
    # `from_table` refuses a value that is not a table, such as `modular = 1`.
    if isinstance(table, dict):
        table = {**table, **overrides}
    return from_table(table, release, root)


def line_in_settings(folder: Path, key: str) -> int:
    """Return the line of a key in a folder's `pyproject.toml`, or 1 if it has none.

    Raises:
        SettingsError: The file cannot be read.
    """
    return line_of_key(_read(folder).text, key) or 1


def line_of_key(text: str, key: str) -> int:
    """Return the number of the line on which a dotted key appears in a TOML text.

    The key `tool.modular.output` is on the line `output = "generated"` below
    `[tool.modular]`. If the key is missing, the number is that of its table, or 0 if the
    table is missing, too.
    """
    key_lines = list(_key_lines(text))
    headers = [line for line in key_lines if line.is_header]
    # `output = 1` for `tool.modular.output`, and `lint = {...}` for all keys of `lint`.
    for line in key_lines:
        if not line.is_header and _is_same_or_below(key, line.key):
            return line.number
    # The innermost table is usually the last one: `[tool.modular]`.
    for header in reversed(headers):
        if _is_same_or_below(key, header.key):
            return header.number
    # `[tool.modular.lint.files]` for `tool.modular.lint`, which has no line of its own.
    for header in headers:
        if _is_same_or_below(header.key, key):
            return header.number
    return 0


class _KeyLine(NamedTuple):
    """A line of a TOML text with a key, or with the header of a table."""

    number: int
    key: str
    is_header: bool


def _key_lines(text: str) -> Iterator[_KeyLine]:
    """Yield the lines of a TOML text that have keys, with the dotted keys."""
    table = ""
    for number, line in enumerate(text.split("\n"), start=1):
        # `output` for the line `"output" = 1`, and `[tool.modular]` for a header.
        name = re.sub(r"[ \t\"']", "", line.partition("=")[0])
        if name.startswith("["):
            table = name.strip("[]")
            yield _KeyLine(number, table, is_header=True)
        elif "=" in line:
            yield _KeyLine(number, f"{table}.{name}", is_header=False)


def _is_same_or_below(key: str, table: str) -> bool:
    """Return whether a dotted key is that of a table, or of something in the table.

    `tool.modular.output` is below `tool.modular`.
    """
    return f"{key}.".startswith(f"{table}.")


def from_table(
    table: Mapping[str, Any],
    release: Release | None = None,
    root: Path | None = None,
) -> Settings:
    """Return the settings of a table `[tool.modular]`, completed from its preset.

    Args:
        table: The table. Its key `preset` names the preset, which has default values.
        release: The release of the source library; None means the newest one.
        root: The root of the project, if it is known. If the table has no `package`, a
            models folder in a folder `transformers` tells that the project is the
            library of the preset. Without a root, an empty table is that of the library.

    Raises:
        SettingsError: A setting is unknown or wrong.
    """
    if not isinstance(table, dict):
        raise SettingsError(f"{_TABLE}: expected a table")
    project_table = dict(table)
    preset_name = project_table.pop("preset", DEFAULT_PRESET)
    if preset_name not in presets():
        choices = ", ".join(presets())
        raise SettingsError(
            f"{_TABLE}.preset: unknown preset {preset_name!r}; choose one of {choices}"
        )
    preset = _preset_at_release(preset_name, project_table, release)
    merged = _merge(preset, project_table, _TABLE)

    # These settings depend on more than one key of the table and its preset.
    packages = _packages(merged)
    merged["file-types"] = _choose_file_types(merged, project_table)
    _adapt_to_project(merged, table, preset, packages, root)

    for key, values in _CHOICES.items():
        if merged[key] not in values:
            raise SettingsError(f"{_TABLE}.{key}: expected one of {', '.join(values)}")
    problem = setting_values.problem(merged)
    if problem:
        raise SettingsError(problem)
    return _make_settings(merged, packages)


@cache
def presets() -> tuple[str, ...]:
    """Return the names of the built-in presets."""
    return tuple(sorted(file.stem for file in _PRESETS.glob("*.toml")))


@cache
def preset_banners() -> tuple[str, ...]:
    """Return the banners of all built-in presets, with their placeholders."""
    banners: dict[str, None] = {}
    for name in presets():
        for banner in _read_preset(name)["banner"].values():
            banners[banner.strip()] = None
    return tuple(banners)


def release_of(version: str) -> Release:
    """Return the first two numbers of a version."""
    return tuple(int(number) for number in re.findall(r"\d+", version)[:2])


class _ProjectFile(NamedTuple):
    """The text of a `pyproject.toml`, and its values."""

    text: str
    document: Mapping[str, Any]


def _read(folder: Path) -> _ProjectFile:
    """Read and parse the `pyproject.toml` of a folder; a missing one counts as empty.

    Raises:
        SettingsError: The file cannot be read, or is not TOML.
    """
    path = folder / SETTINGS_FILE
    if not path.is_file():
        return _ProjectFile("", {})
    try:
        return _parse(read_bytes(path, MAX_SETTINGS_BYTES))
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise SettingsError(f"{path}: {error}") from error


@lru_cache(maxsize=8)
def _parse(data: bytes) -> _ProjectFile:
    """Parse a settings file. The result is kept, because a command asks repeatedly."""
    return _ProjectFile(data.decode(), parse_toml(data))


def _modular_table(document: Mapping[str, Any]) -> Any:
    """Return the value of `tool.modular`, or None if it is not set."""
    tool = document.get("tool")
    return tool.get("modular") if isinstance(tool, dict) else None


def _misspelt_tables(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the dotted names of tables that are named almost like `[tool.modular]`.

    For example, these are `tool.modullar` and `modular`. A table of another tool with a
    similar name has none of our keys, and is not yielded.
    """
    if _looks_like_settings(document.get("modular")):
        yield "modular"

    for outer, tables in document.items():
        is_tool = nearest("tool", [outer], _TABLE_NAME_SIMILARITY)
        if not is_tool or not isinstance(tables, dict):
            continue
        for inner, table in tables.items():
            is_modular = nearest("modular", [inner], _TABLE_NAME_SIMILARITY)
            is_exact = f"{outer}.{inner}" == _TABLE
            if is_modular and not is_exact and _looks_like_settings(table):
                yield f"{outer}.{inner}"


def _looks_like_settings(table: object) -> bool:
    """Return whether a table is empty or has a key that `[tool.modular]` may have."""
    if not isinstance(table, dict):
        return False
    return not table or not table.keys().isdisjoint(_read_preset(DEFAULT_PRESET))


@cache
def _read_preset(name: str) -> dict[str, Any]:
    """Read a preset. If it names another preset as `base`, it extends that preset."""
    preset = parse_toml((_PRESETS / f"{name}.toml").read_bytes())
    base_name = preset.pop("base", None)
    if base_name is None:
        return preset
    return _merge(_read_preset(base_name), preset, name)


def _preset_at_release(
    name: str, project_table: Mapping[str, Any], release: Release | None
) -> dict[str, Any]:
    """Return a preset with the values that fit a release of its source library.

    The table `[until."5.17"]` of a preset has values that were right up to release
    5.17. They replace the current values if the release is not newer.

    Args:
        name: The name of the preset.
        project_table: The project's table `[tool.modular]`.
        release: The release of the source library; None means the newest one.
    """
    preset = dict(_read_preset(name))
    tables_by_last_release = preset.pop("until")

    # The preset knows only the releases of its own source library.
    source_library = project_table.get("source-library", preset["source-library"])
    is_own_library = PurePosixPath(str(source_library)).name == preset["source-library"]
    if release is None or not is_own_library:
        return preset

    # For a release older than several tables, the oldest table is merged last and wins.
    for last_release in sorted(tables_by_last_release, key=release_of, reverse=True):
        if release <= release_of(last_release):
            preset = _merge(preset, tables_by_last_release[last_release], name)
    return preset


def _merge(
    base: Mapping[str, Any], table: Mapping[str, Any], table_name: str
) -> dict[str, Any]:
    """Return a copy of a table with default values, some of which another table replaces.

    Tables inside of tables are merged in the same manner.

    Args:
        base: The default values. They tell the type that each value must have.
        table: The values to use instead.
        table_name: The dotted name of the table, for messages.

    Raises:
        SettingsError: A key is unknown, or a value has another type than the default.
    """
    merged = dict(base)
    # A project can add keys to `tool.modular.soft-dependencies.guards`. For this table,
    # `_OPEN_TABLES` has the example "", because values of new keys must be strings.
    example_for_new_keys = _OPEN_TABLES.get(table_name.rpartition(".")[2])
    for key, value in table.items():
        name = f"{table_name}.{key}"
        # The new value must have the type of the default value or, for a new key, of the
        # example.
        example = base.get(key, example_for_new_keys)
        if example is None:
            raise SettingsError(with_suggestion(f"{name}: unknown key", key, base))
        if name == _PACKAGE and isinstance(value, dict):
            # The default value is a string, the package of all models folders. A table
            # with the package of each folder is allowed, too: it has only new keys.
            example = {}
        _check_type(name, value, example)
        if isinstance(example, dict):
            value = _merge(example, value, name)
        merged[key] = value
    return merged


def _check_type(name: str, value: object, example: object) -> None:
    """Refuse a setting whose value does not have the type of an example.

    Args:
        name: The dotted name of the setting, for the message.
        value: The value.
        example: A value of the right type.

    Raises:
        SettingsError: The types differ, or a list has an item that is not a string.
    """
    is_valid = isinstance(value, type(example))
    if is_valid and isinstance(value, list):
        is_valid = all(isinstance(item, str) for item in value)
    if not is_valid:
        raise SettingsError(f"{name}: expected {_TYPE_NAMES[type(example)]}")


def _packages(table: Mapping[str, Any]) -> dict[str, str]:
    """Return the package of each models folder.

    The setting `package` is one package for all of them, or a table with the package of
    each folder.

    Raises:
        SettingsError: The table lacks a models folder, or names a folder that is not in
            `models`.
    """
    folders = tuple(dict.fromkeys(map(posixpath.normpath, table["models"])))
    setting = table["package"]
    if isinstance(setting, str):
        return dict.fromkeys(folders, setting)

    package_by_path = {}
    for folder, package in setting.items():
        package_by_path[posixpath.normpath(folder)] = package
    packages = {}
    for folder in folders:
        if folder not in package_by_path:
            raise SettingsError(
                f"{_PACKAGE}: name the package of the models folder `{folder}`"
            )
        packages[folder] = package_by_path[folder]
    # The message names the folder as the project has written it.
    for folder in setting:
        if posixpath.normpath(folder) not in packages:
            message = f"{_PACKAGE}.{folder}: no such folder is in `models`"
            raise SettingsError(with_suggestion(message, folder, packages))
    return packages


def _choose_file_types(
    merged: Mapping[str, Any], project_table: Mapping[str, Any]
) -> dict[str, str]:
    """Return the file type for each ending of class names.

    Both the project and its preset can set file types. Those of the preset are left out
    if the project sets `preset-file-types` to false. They are also left out if each
    model is one file, which a `file-names` without `{type}` tells.

    Args:
        merged: The settings of the project, completed from its preset.
        project_table: The settings of the project alone.

    Raises:
        SettingsError: Two file types would have the same file name.
    """
    has_types = TYPE in merged["file-names"]
    if has_types and merged["preset-file-types"]:
        return dict(merged["file-types"])
    project_types = project_table.get("file-types", {})
    for ending, file_type in project_types.items():
        if ending and not has_types and MODEL not in file_type:
            raise SettingsError(
                f"{_TABLE}.file-types.{ending}: `{file_type}` needs `{MODEL}`, because "
                f"`file-names` has no `{TYPE}`"
            )
    return {"": MODELING, **project_types}


def _adapt_to_project(
    merged: dict[str, Any],
    table: Mapping[str, Any],
    preset: Mapping[str, Any],
    packages: Mapping[str, str],
    root: Path | None,
) -> None:
    """Replace the preset's values that suit only its own library, such as its banner.

    Args:
        merged: The settings of the project, completed from its preset. They are changed.
        table: The settings of the project alone.
        preset: The preset.
        packages: The package of each models folder.
        root: The root of the project, if it is known. See `from_table`.
    """
    library = preset["source-library"]
    if "inheritance" not in table:
        follows_preset = _follows_preset(merged, table, library, packages, root)
        # The preset merges classes like the converter of its library. Another project
        # expects its classes to do what they do in Python.
        if not follows_preset:
            merged["inheritance"] = PYTHON_INHERITANCE

    is_library = _is_library(packages.values(), library)
    if not is_library:
        _adapt_to_other_project(merged, table)
    # The version in the preset is that of the library's own formatter.
    uses_same_formatter = is_library and merged["formatter"] == preset["formatter"]
    if not uses_same_formatter:
        merged["formatter-version"] = table.get("formatter-version", "")


def _follows_preset(
    merged: Mapping[str, Any],
    table: Mapping[str, Any],
    library: str,
    packages: Mapping[str, str],
    root: Path | None,
) -> bool:
    """Return whether a project names its preset, or is the library of the preset itself.

    Args:
        merged: The settings of the project, completed from its preset.
        table: The settings of the project alone.
        library: The library of the preset.
        packages: The package of each models folder.
        root: The root of the project, if it is known. See `from_table`.
    """
    if "preset" in table:
        return True
    inherits_from_library = PurePosixPath(merged["source-library"]).name == library
    has_library_package = _is_library(packages.values(), library)
    if not inherits_from_library or not has_library_package:
        return False
    # A project without the key `package` gets the package of the preset's library, even
    # if it is another project. Then only a folder tells that the project is this library.
    if "package" in table:
        return True
    if root is None:
        # An empty table without a project stands for the library itself.
        return not table
    return _has_library_folder(root, packages, library)


def _is_library(packages: Iterable[str], library: str) -> bool:
    """Return whether a project with these packages is the source library itself."""
    return any(package.split(".")[0] == library for package in packages)


def _has_library_folder(
    root: Path, models_folders: Iterable[str], library: str
) -> bool:
    """Return whether a models folder exists in a folder with the name of a library.

    For the library `transformers`, this can be `src/transformers/models`.
    """
    for folder in models_folders:
        if library in PurePosixPath(folder).parts and (root / folder).is_dir():
            return True
    return False


def _adapt_to_other_project(merged: dict[str, Any], table: Mapping[str, Any]) -> None:
    """Replace the values of a preset that suit only the source library itself.

    The preset imports functions such as `is_torch_available` from `...utils`. Another
    project imports them from `transformers.utils`. It also gets the preset's second
    banner, because the first one mentions the library's own checks.

    Args:
        merged: The settings of the project, completed from its preset. They are changed.
        table: The settings of the project alone.
    """
    if "utils" not in table.get("soft-dependencies", {}):
        dependencies = merged["soft-dependencies"]
        library = PurePosixPath(merged["source-library"]).name
        utils = f"{library}.{dependencies['utils'].lstrip('.')}"
        merged["soft-dependencies"] = {**dependencies, "utils": utils}
    if "text" not in table.get("banner", {}):
        banner = merged["banner"]
        merged["banner"] = {**banner, "text": banner["elsewhere"]}


def _all_file_types(file_types: Mapping[str, str]) -> tuple[str, ...]:
    """Return every file type, longest name first."""
    types = set(file_types.values())
    return tuple(sorted(types, key=lambda name: (-len(name), name)))


def _make_settings(table: Mapping[str, Any], packages: Mapping[str, str]) -> Settings:
    """Return the settings in a table that is checked and has a value for each key.

    Args:
        table: The table `[tool.modular]`, completed from its preset.
        packages: The package of each models folder.
    """
    soft_dependencies = table["soft-dependencies"]
    model_types = table["model-types"]
    output = table["output"]
    if output:
        output = posixpath.normpath(output)
    return Settings(
        models=tuple(packages),
        packages=packages,
        file_names=read_file_names(
            table["file-names"], _all_file_types(table["file-types"])
        ),
        absolute_imports=table["absolute-imports"],
        source_library=table["source-library"],
        source_release=table["source-release"],
        output=output,
        formatter=table["formatter"],
        formatter_version=table["formatter-version"],
        ordinary_imports=tuple(table["ordinary-imports"]),
        model_imports=table["model-imports"],
        first_names=tuple(table["first-names"]),
        keep_names=frozenset(table["keep-names"]),
        rename_checkpoints=table["rename-checkpoints"],
        replacing_assignments=tuple(table["replacing-assignments"]),
        replacing_unless_none=tuple(table["replacing-unless-none"]),
        added_decorators=tuple(table["added-decorators"]),
        merge_docstrings=table["merge-docstrings"],
        inheritance=table["inheritance"],
        file_types=table["file-types"],
        soft_dependencies_file_types=tuple(soft_dependencies["file-types"]),
        soft_dependencies_utils=soft_dependencies["utils"],
        soft_dependencies_guards=soft_dependencies["guards"],
        copied_instead_of_imported=table["copied-instead-of-imported"],
        model_types_variable=model_types["variable"],
        model_types_files=tuple(model_types["files"]),
        infer_leave_out=frozenset(table["infer"]["leave-out"]),
        banner=_read_banner(table["banner"]["text"]),
        lint=_read_lint_levels(table["lint"]),
    )


def _read_lint_levels(table: Mapping[str, Any]) -> LintLevels:
    """Return the levels of lint findings that the table `[tool.modular.lint]` sets.

    Raises:
        SettingsError: No finding has a code that begins with a prefix of the table.
    """
    prefixes_by_level = {}
    for level in ("error", "warning", "info", "ignore"):
        prefixes_by_level[level] = _read_code_prefixes(table[level], level)
    ignored_in = {}
    for pattern, prefixes in table["per-file-ignores"].items():
        key = f"per-file-ignores.{pattern}"
        ignored_in[pattern] = _read_code_prefixes(prefixes, key)
    return LintLevels(**prefixes_by_level, ignored_in=ignored_in)


def _read_code_prefixes(prefixes: Sequence[str], key: str) -> tuple[str, ...]:
    """Return prefixes of codes, such as `MOD4`, after a check of each.

    Args:
        prefixes: The prefixes.
        key: The key in the table `[tool.modular.lint]` that lists them.

    Raises:
        SettingsError: No finding has a code that begins with one of the prefixes.
    """
    for prefix in prefixes:
        if not has_lint_codes(prefix):
            message = f"no finding has a code that begins with {prefix!r}"
            raise SettingsError(f"{_TABLE}.lint.{key}: {message}")
    return tuple(prefixes)


def _read_banner(text: str) -> str:
    """Return the comment at the top of generated files, with a line end after it.

    Raises:
        SettingsError: The text has a line that is not a comment.
    """
    for line in lines_with_ends(text):
        if line.strip() and not line.lstrip().startswith("#"):
            raise SettingsError(
                f"{_TABLE}.banner.text: expected only comment lines, which begin with `#`"
            )
    if text and not text.endswith("\n"):
        text += "\n"
    return text
