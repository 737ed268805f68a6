"""Settings: `[tool.modular]` of `pyproject.toml` over a built-in preset."""

import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from modular.rules import setting_values
from modular.rules.lint_levels import LintLevels, has_warnings
from modular.source.diagnostics import did_you_mean
from modular.source.errors import ModularError
from modular.source.system.reading import LARGEST, parse_toml, read_bytes


if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

FORMATTERS = ("ruff", "black", "none")
DEFAULT_PRESET = "transformers"
MODELING = "modeling"
CONFIGURATION = "configuration"
_FILE = "pyproject.toml"
_PACKAGE = "tool.modular.package"
MODELS = "models"
"""The subpackage that holds a library's models."""


class SettingsError(ModularError, ValueError):
    """A setting that is unknown or of the wrong type. The message names the key."""


@dataclass
class Settings:
    """All settings of a project. The preset's own file says what each means."""

    models: Final[tuple[str, ...]]
    packages: Final[Mapping[str, str]]
    """The package of each models folder."""

    source_library: Final[str]
    output: Final[str]
    formatter: Final[str]
    ordinary_imports: Final[tuple[str, ...]]
    first_names: Final[tuple[str, ...]]
    keep_names: Final[frozenset[str]]
    replacing_assignments: Final[tuple[str, ...]]
    replacing_unless_none: Final[tuple[str, ...]]
    merge_docstrings: Final[bool]
    file_types: Final[Mapping[str, str]]
    soft_dependency_types: Final[tuple[str, ...]]
    soft_dependency_utils: Final[str]
    guards: Final[Mapping[str, str]]
    copied_instead_of_imported: Final[Mapping[str, str]]
    model_types_variable: Final[str]
    model_types_files: Final[tuple[str, ...]]
    infer_leave_out: Final[frozenset[str]]
    banner: Final[str]
    lint: Final[LintLevels]

    @property
    def library_name(self) -> str:
        """The source library's name, where the setting is its folder too."""
        return PurePosixPath(self.source_library).name

    @property
    def is_library(self) -> bool:
        """Whether the project is the source library itself."""
        return _is_library(self.packages.values(), self.library_name)

    @cached_property
    def all_file_types(self) -> tuple[str, ...]:
        """Every file type, longest name first."""
        types = {MODELING, *self.file_types.values()}
        return tuple(sorted(types, key=lambda name: (-len(name), name)))


def has_table(folder: Path) -> bool:
    """Whether a folder's `pyproject.toml` has a table `[tool.modular]`."""
    try:
        return _read(folder)[1] is not None
    except SettingsError:
        return False


Release = tuple[int, ...]
"""The first numbers of a version: those of 5.17.0 are 5 and 17."""


def load(root: Path, overrides: Mapping[str, Any] = {}, release: Release | None = None) -> Settings:
    """Return the settings of the project at ``root``, with those of ``overrides`` in place of its own.

    ``release`` is that of the source library: the preset's tables are those of its time. Raises SettingsError where its `pyproject.toml` cannot be read, or a key is unknown or of the wrong type.
    """
    text, own = _read(root)
    try:
        return from_table({**(own or {}), **overrides} if isinstance(own, dict | None) else own, release)
    except SettingsError as error:
        line = line_of_key(text, str(error).partition(":")[0])
        raise SettingsError(f"{_FILE}:{line}: {error}" if line else str(error)) from error


def line_of_key(text: str, key: str) -> int:
    """Return the line (from 1) of a TOML text on which a dotted key appears, or the nearest table above it; 0 without either."""
    table, nearest = "", 0
    for number, line in enumerate(text.split("\n"), start=1):
        name = "".join(letter for letter in line.partition("=")[0] if letter not in " \t\"'")
        if name.startswith("["):
            table = name.strip("[]")
            nearest = number if key.startswith(table) else nearest
        elif "=" in line and f"{key}.".startswith(f"{table}.{name}."):
            return number
    return nearest


def _read(folder: Path) -> tuple[str, Any]:
    """Read a folder's `pyproject.toml`, which may be missing: its text and its table `[tool.modular]`, None if it has none.

    Raises SettingsError.
    """
    path = folder / _FILE
    if not path.is_file():
        return "", None
    try:
        data = read_bytes(path, LARGEST)
        tool = parse_toml(data).get("tool")
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise SettingsError(f"{path}: {error}") from error
    return data.decode(), tool.get("modular") if isinstance(tool, dict) else None


def from_table(table: Mapping[str, Any], release: Release | None = None) -> Settings:
    """Make settings of the table `[tool.modular]`; what it leaves out is the preset's. Raises SettingsError."""
    if not isinstance(table, dict):
        raise SettingsError("tool.modular: expected a table")
    own = dict(table)
    name = own.pop("preset", DEFAULT_PRESET)
    if name not in presets():
        raise SettingsError(f"tool.modular.preset: no preset {name!r}; there is {', '.join(presets())}")
    merged = _merge(_preset_of(name, own, release), own, "tool.modular")
    library, packages = PurePosixPath(merged["source-library"]).name, _packages(merged)
    is_library = _is_library(packages.values(), library)
    if "utils" not in own.get("soft-dependencies", {}):
        merged["soft-dependencies"] = {**merged["soft-dependencies"], "utils": _utils(merged, is_library, library)}
    if "text" not in own.get("banner", {}) and not is_library:
        merged["banner"] = {**merged["banner"], "text": merged["banner"]["elsewhere"]}
    if merged["formatter"] not in FORMATTERS:
        raise SettingsError(f"tool.modular.formatter: expected one of {', '.join(FORMATTERS)}")
    if problem := setting_values.problem(merged):
        raise SettingsError(problem)
    return _settings(merged, packages)


def _packages(table: Mapping[str, Any]) -> dict[str, str]:
    """The package of each models folder. Raises SettingsError unless a table of packages names exactly these folders."""
    folders = tuple(dict.fromkeys(posixpath.normpath(folder) for folder in table["models"]))
    given = table["package"]
    if isinstance(given, str):
        return dict.fromkeys(folders, given)
    packages = {posixpath.normpath(folder): package for folder, package in given.items()}
    if missing := [folder for folder in folders if folder not in packages]:
        raise SettingsError(f"{_PACKAGE}: no package is given for the models folder `{missing[0]}`")
    if unknown := [folder for folder in given if posixpath.normpath(folder) not in folders]:
        near = did_you_mean(unknown[0], folders)
        raise SettingsError(f"{_PACKAGE}.{unknown[0]}: no such folder is in `models`; {near}".removesuffix("; "))
    return {folder: packages[folder] for folder in folders}


def _utils(table: Mapping[str, Any], is_library: bool, library: str) -> str:
    """The preset's module, which is relative; absolute where the project is another package than the source library."""
    utils: str = table["soft-dependencies"]["utils"]
    return utils if is_library else f"{library}.{utils.lstrip('.')}"


def _is_library(packages: Iterable[str], library: str) -> bool:
    """Whether a project with these packages of models is the source library itself."""
    return any(package.split(".")[0] == library for package in packages)


def _presets() -> "Traversable":
    from importlib.resources import files  # who only converts has the settings already

    return files("modular.rules.presets")


@cache
def presets() -> tuple[str, ...]:
    """The names of the built-in presets."""
    return tuple(sorted(entry.name[:-5] for entry in _presets().iterdir() if entry.name.endswith(".toml")))


@cache
def _preset(name: str) -> dict[str, Any]:
    return parse_toml((_presets() / f"{name}.toml").read_bytes())


def _preset_of(name: str, own: Mapping[str, Any], release: Release | None) -> dict[str, Any]:
    """The preset as it was at a release of its own library; of other libraries it knows no releases."""
    preset = _preset(name)
    library = PurePosixPath(str(own.get("source-library", preset["source-library"]))).name
    if release is not None and library == preset["source-library"]:
        for last, table in _earlier(name):
            if release <= last:
                preset = _merge(preset, table, name)
    return preset


@cache
def _earlier(name: str) -> tuple[tuple[Release, dict[str, Any]], ...]:
    """What was different in a preset, each with the last release in which it was; the latest comes first."""
    folder = _presets() / name
    if not folder.is_dir():
        return ()
    tables = [
        (release_of(entry.name), parse_toml(entry.read_bytes()))
        for entry in folder.iterdir()
        if entry.name.endswith(".toml")
    ]
    return tuple(sorted(tables, key=lambda dated: dated[0], reverse=True))


def release_of(version: str) -> Release:
    """Return the first two numbers of a version."""
    return tuple(int(number) for number in re.findall(r"\d+", version)[:2])


_OPEN_TABLES: Mapping[str, str | list[str]] = {
    "file-types": "",
    "guards": "",
    "copied-instead-of-imported": "",
    "per-file-ignores": [],
}
"""Tables whose keys a project may add to, with an example of the values that they hold."""


def _merge(base: Mapping[str, Any], own: Mapping[str, Any], where: str) -> dict[str, Any]:
    merged = dict(base)
    example = _OPEN_TABLES.get(where.rpartition(".")[2])
    for key, value in own.items():
        place = f"{where}.{key}"
        expected = base.get(key, example)
        if expected is None:
            near = did_you_mean(key, base)
            raise SettingsError(f"{place}: unknown key; {near}".removesuffix("; "))
        if place == _PACKAGE and isinstance(value, dict):
            if not all(isinstance(package, str) for package in value.values()):
                raise SettingsError(f"{place}: expected a string, or a table of strings")
            merged[key] = value
            continue
        if not _same_type(expected, value):
            raise SettingsError(f"{place}: expected {_TYPE_NAMES[type(expected)]}")
        merged[key] = _merge(expected, value, place) if isinstance(expected, dict) else value
    return merged


_TYPE_NAMES: dict[type, str] = {str: "a string", list: "a list of strings", dict: "a table", bool: "true or false"}


def _same_type(expected: object, value: object) -> bool:
    if isinstance(expected, list):
        return isinstance(value, list) and all(isinstance(entry, str) for entry in value)
    return isinstance(value, type(expected))


def _settings(table: Mapping[str, Any], packages: Mapping[str, str]) -> Settings:
    soft, model_types = table["soft-dependencies"], table["model-types"]
    return Settings(
        models=tuple(packages),
        packages=packages,
        source_library=table["source-library"],
        output=table["output"] and posixpath.normpath(table["output"]),
        formatter=table["formatter"],
        ordinary_imports=tuple(table["ordinary-imports"]),
        first_names=tuple(table["first-names"]),
        keep_names=frozenset(table["keep-names"]),
        replacing_assignments=tuple(table["replacing-assignments"]),
        replacing_unless_none=tuple(table["replacing-unless-none"]),
        merge_docstrings=table["merge-docstrings"],
        file_types=table["file-types"],
        soft_dependency_types=tuple(soft["file-types"]),
        soft_dependency_utils=soft["utils"],
        guards=soft["guards"],
        copied_instead_of_imported=table["copied-instead-of-imported"],
        model_types_variable=model_types["variable"],
        model_types_files=tuple(model_types["files"]),
        infer_leave_out=frozenset(table["infer"]["leave-out"]),
        banner=_banner(table["banner"]["text"]),
        lint=_lint(table["lint"]),
    )


def _lint(table: Mapping[str, Any]) -> LintLevels:
    """Read the levels of warnings. Raises SettingsError where a code is that of no warning."""
    per_file = table["per-file-ignores"]
    lists = {"error": table["error"], "ignore": table["ignore"]}
    lists |= {f"per-file-ignores.{pattern}": codes for pattern, codes in per_file.items()}
    for key, codes in lists.items():
        for code in codes:
            if not has_warnings(code):
                raise SettingsError(f"tool.modular.lint.{key}: no warning has a code that begins with {code!r}")
    ignored_in = {pattern: tuple(codes) for pattern, codes in per_file.items()}
    return LintLevels(tuple(table["error"]), tuple(table["ignore"]), ignored_in)


def _banner(text: str) -> str:
    """Return the banner as whole lines. Raises SettingsError if it is more than comments."""
    if not all(line.lstrip().startswith("#") for line in text.splitlines() if line.strip()):
        raise SettingsError("tool.modular.banner.text: expected comments, lines that begin with `#`")
    return text if not text or text.endswith("\n") else f"{text}\n"
