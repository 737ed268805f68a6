"""Settings: `[tool.modular]` of `pyproject.toml` over a built-in preset."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path, PurePosixPath
from typing import Any, Final

from modular.settings import setting_values
from modular.settings.lint_levels import LintLevels, has_warnings
from modular.source.diagnostics import did_you_mean, nearest
from modular.source.module import lines_with_ends
from modular.system.errors import ModularError
from modular.system.reading import MAX_SETTINGS_BYTES, parse_toml, read_bytes


FORMATTERS = ("ruff", "black", "none")
DEFAULT_PRESET = "transformers"
MODELING = "modeling"
CONFIGURATION = "configuration"
_FILE = "pyproject.toml"
_PRESETS = Path(__file__).parent / "presets"
_PACKAGE = "tool.modular.package"
_TABLE_NAME_SIMILARITY = 0.8
"""How similar the name of a misspelt table is to the right one; 1 is the same."""

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
    soft_dependencies_file_types: Final[tuple[str, ...]]
    soft_dependencies_utils: Final[str]
    soft_dependencies_guards: Final[Mapping[str, str]]
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
        _, document = _read(folder)
    except SettingsError:
        return False
    return _modular_table(document) is not None


Release = tuple[int, ...]
"""The first numbers of a version: those of 5.17.0 are 5 and 17."""


def load(
    root: Path, overrides: Mapping[str, Any] = {}, release: Release | None = None
) -> Settings:
    """Return the settings of the project at ``root``, with those of ``overrides`` in place of its own.

    ``release`` is that of the source library: the preset's tables are those of its time. Raises SettingsError where its `pyproject.toml` cannot be read, or a key is unknown or of the wrong type.
    """
    text, document = _read(root)
    try:
        _refuse_misspelt_tables(document)
        own = _modular_table(document)
        return from_table(
            {**(own or {}), **overrides} if isinstance(own, dict | None) else own,
            release,
        )
    except SettingsError as error:
        line = line_of_key(text, str(error).partition(":")[0])
        raise SettingsError(
            f"{_FILE}:{line}: {error}" if line else str(error)
        ) from error


def line_of_key(text: str, key: str) -> int:
    """Return the line (from 1) of a TOML text on which a dotted key appears, or the nearest table above it; 0 without either."""
    table, nearest = "", 0
    for number, line in enumerate(text.split("\n"), start=1):
        name = "".join(
            letter for letter in line.partition("=")[0] if letter not in " \t\"'"
        )
        if name.startswith("["):
            table = name.strip("[]")
            is_first_part = not nearest and table.startswith(f"{key}.")
            if key.startswith(table) or is_first_part:
                nearest = number
        elif "=" in line and f"{key}.".startswith(f"{table}.{name}."):
            return number
    return nearest


def _read(folder: Path) -> tuple[str, dict[str, Any]]:
    """Return the text and the values of a folder's `pyproject.toml`.

    Both are empty if there is no such file. Raises SettingsError.
    """
    path = folder / _FILE
    if not path.is_file():
        return "", {}
    try:
        data = read_bytes(path, MAX_SETTINGS_BYTES)
        document = parse_toml(data)
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise SettingsError(f"{path}: {error}") from error
    return data.decode(), document


def _modular_table(document: Mapping[str, Any]) -> Any:
    """Return the value of `tool.modular`, or None if it is not set."""
    tool = document.get("tool")
    return tool.get("modular") if isinstance(tool, dict) else None


def _refuse_misspelt_tables(document: Mapping[str, Any]) -> None:
    """Raise SettingsError if a table was probably meant to be `[tool.modular]`."""
    for name in _misspelt_tables(document):
        raise SettingsError(f"{name}: unknown table; did you mean `tool.modular`?")


def _misspelt_tables(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the dotted names of tables that are named almost like `[tool.modular]`.

    The table of another tool with a similar name has none of our keys.
    """
    if _looks_like_settings(document.get("modular")):
        yield "modular"

    for outer, tables in document.items():
        is_tool = nearest("tool", [outer], _TABLE_NAME_SIMILARITY)
        if not is_tool or not isinstance(tables, dict):
            continue
        for inner, table in tables.items():
            is_modular = nearest("modular", [inner], _TABLE_NAME_SIMILARITY)
            is_exact = (outer, inner) == ("tool", "modular")
            if is_modular and not is_exact and _looks_like_settings(table):
                yield f"{outer}.{inner}"


def _looks_like_settings(table: object) -> bool:
    """Return whether a table is empty or has a key that `[tool.modular]` may have."""
    if not isinstance(table, dict):
        return False
    return not table or not table.keys().isdisjoint(_preset(DEFAULT_PRESET))


def from_table(table: Mapping[str, Any], release: Release | None = None) -> Settings:
    """Make settings of the table `[tool.modular]`; what it leaves out is the preset's. Raises SettingsError."""
    if not isinstance(table, dict):
        raise SettingsError("tool.modular: expected a table")
    own = dict(table)
    name = own.pop("preset", DEFAULT_PRESET)
    if name not in presets():
        raise SettingsError(
            f"tool.modular.preset: no preset {name!r}; there is {', '.join(presets())}"
        )
    merged = _merge(_preset_of(name, own, release), own, "tool.modular")
    if merged["formatter"] not in FORMATTERS:
        raise SettingsError(
            f"tool.modular.formatter: expected one of {', '.join(FORMATTERS)}"
        )
    library, packages = PurePosixPath(merged["source-library"]).name, _packages(merged)
    if not _is_library(packages.values(), library):
        soft, banner = merged["soft-dependencies"], merged["banner"]
        elsewhere = {
            "utils": f"{library}.{soft['utils'].lstrip('.')}"
        }  # the preset's is relative
        merged["soft-dependencies"] = {
            **soft,
            **elsewhere,
            **own.get("soft-dependencies", {}),
        }
        merged["banner"] = {
            **banner,
            "text": banner["elsewhere"],
            **own.get("banner", {}),
        }
    if problem := setting_values.problem(merged):
        raise SettingsError(problem)
    return _settings(merged, packages)


def _packages(table: Mapping[str, Any]) -> dict[str, str]:
    """The package of each models folder. Raises SettingsError unless a table of packages names exactly these folders."""
    folders = tuple(
        dict.fromkeys(posixpath.normpath(folder) for folder in table["models"])
    )
    given = table["package"]
    if isinstance(given, str):
        return dict.fromkeys(folders, given)
    packages = {
        posixpath.normpath(folder): package for folder, package in given.items()
    }
    if missing := [folder for folder in folders if folder not in packages]:
        raise SettingsError(
            f"{_PACKAGE}: no package is given for the models folder `{missing[0]}`"
        )
    if unknown := [
        folder for folder in given if posixpath.normpath(folder) not in folders
    ]:
        near = did_you_mean(unknown[0], folders)
        raise SettingsError(
            f"{_PACKAGE}.{unknown[0]}: no such folder is in `models`; {near}".removesuffix(
                "; "
            )
        )
    return {folder: packages[folder] for folder in folders}


def _is_library(packages: Iterable[str], library: str) -> bool:
    """Whether a project with these packages of models is the source library itself."""
    return any(package.split(".")[0] == library for package in packages)


@cache
def presets() -> tuple[str, ...]:
    """The names of the built-in presets."""
    return tuple(sorted(file.stem for file in _PRESETS.glob("*.toml")))


@cache
def _preset(name: str) -> dict[str, Any]:
    return parse_toml((_PRESETS / f"{name}.toml").read_bytes())


def _preset_of(
    name: str, own: Mapping[str, Any], release: Release | None
) -> dict[str, Any]:
    """The preset as it was at a release of its own library; of other libraries it knows no releases."""
    preset = dict(_preset(name))
    earlier = preset.pop("until")
    library = PurePosixPath(
        str(own.get("source-library", preset["source-library"]))
    ).name
    if release is not None and library == preset["source-library"]:
        for last in sorted(earlier, key=release_of, reverse=True):
            preset = _merge(
                preset, earlier[last] if release <= release_of(last) else {}, name
            )
    return preset


def release_of(version: str) -> Release:
    """Return the first two numbers of a version."""
    return tuple(int(number) for number in re.findall(r"\d+", version)[:2])


_OPEN_TABLES: Mapping[str, str | list[str]] = {
    "file-types": "",
    "guards": "",
    "copied-instead-of-imported": "",
    "per-file-ignores": [],
    "package": "",
}
"""Tables whose keys a project may add to, with an example of the values that they hold."""


def _merge(
    base: Mapping[str, Any], own: Mapping[str, Any], where: str
) -> dict[str, Any]:
    merged = dict(base)
    example = _OPEN_TABLES.get(where.rpartition(".")[2])
    for key, value in own.items():
        place = f"{where}.{key}"
        expected = base.get(key, example)
        if expected is None:
            near = did_you_mean(key, base)
            raise SettingsError(f"{place}: unknown key; {near}".removesuffix("; "))
        if place == _PACKAGE and isinstance(value, dict):
            expected = {}
        if not _same_type(expected, value):
            raise SettingsError(f"{place}: expected {_TYPE_NAMES[type(expected)]}")
        merged[key] = (
            _merge(expected, value, place) if isinstance(expected, dict) else value
        )
    return merged


_TYPE_NAMES: dict[type, str] = {
    str: "a string",
    list: "a list of strings",
    dict: "a table",
    bool: "true or false",
}


def _same_type(expected: object, value: object) -> bool:
    if isinstance(value, list) and not all(isinstance(entry, str) for entry in value):
        return False
    return isinstance(value, type(expected))


_GROUPS = ("soft-dependencies", "model-types", "infer")
"""Tables whose keys are settings of their own."""


def _settings(table: Mapping[str, Any], packages: Mapping[str, str]) -> Settings:
    single = {
        key: value
        for key, value in table.items()
        if key not in (*_GROUPS, "package", "banner")
    }
    grouped = {
        f"{group}-{key}": value
        for group in _GROUPS
        for key, value in table[group].items()
    }
    values: dict[str, Any] = {
        key.replace("-", "_"): value for key, value in {**single, **grouped}.items()
    }
    values |= {
        key: tuple(value) for key, value in values.items() if isinstance(value, list)
    }
    values |= {
        name: frozenset(values[name]) for name in ("keep_names", "infer_leave_out")
    }
    values |= {
        "models": tuple(packages),
        "packages": packages,
        "lint": _lint(table["lint"]),
    }
    values["output"] = table["output"] and posixpath.normpath(table["output"])
    return Settings(**values, banner=_banner(table["banner"]["text"]))


def _lint(table: Mapping[str, Any]) -> LintLevels:
    """Read the levels of warnings. Raises SettingsError where a code is that of no warning."""
    per_file = table["per-file-ignores"]
    lists = {"error": table["error"], "ignore": table["ignore"]}
    lists |= {
        f"per-file-ignores.{pattern}": codes for pattern, codes in per_file.items()
    }
    for key, codes in lists.items():
        for code in codes:
            if not has_warnings(code):
                raise SettingsError(
                    f"tool.modular.lint.{key}: no warning has a code that begins with {code!r}"
                )
    ignored_in = {pattern: tuple(codes) for pattern, codes in per_file.items()}
    return LintLevels(tuple(table["error"]), tuple(table["ignore"]), ignored_in)


def _banner(text: str) -> str:
    """Return the banner as whole lines. Raises SettingsError if it is more than comments."""
    if not all(
        line.lstrip().startswith("#") for line in lines_with_ends(text) if line.strip()
    ):
        raise SettingsError(
            "tool.modular.banner.text: expected comments, lines that begin with `#`"
        )
    return text if not text or text.endswith("\n") else f"{text}\n"
