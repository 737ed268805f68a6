"""What a library needs in order to use modular files: settings, a pre-commit hook and a workflow, told from its files."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path, PurePosixPath
from textwrap import indent
from typing import NamedTuple

from modular.format.formatter_config import CONFIGS, PYPROJECT
from modular.format.formatter_version import find_pin
from modular.project import library as libraries
from modular.project.naming import MODULAR
from modular.rules.files import file_types
from modular.settings import settings as settings_module
from modular.settings.settings import MODELS, Settings
from modular.source import module as modules
from modular.source.loading import MAX_SOURCE_BYTES, load
from modular.source.module import lines_with_ends
from modular.system.errors import ModularError
from modular.system.reading import parse_toml, read_bytes


PRE_COMMIT = ".pre-commit-config.yaml"
WORKFLOW = ".github/workflows/modular.yml"

_SKIPPED = frozenset(
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
_DEPTH = 6
"""Folders below the root in which models are looked for."""

_HOOK = "modular check"
_REPOS = re.compile(r"(repos:)(?: *\[ *\])?( *(?:#.*)?\s*)")
_IMPORT = re.compile(r"^(?:from|import) +(\w[\w.]*)", re.MULTILINE)


class SetupError(ModularError):
    """A project cannot be set up; the message says why."""


class Setup(NamedTuple):
    """The files to write, by path from the root, with their new texts, and the hook where it has to be added by hand."""

    files: dict[str, str]
    hook_to_add: str = ""


def setup_files(root: Path, version: str) -> Setup:
    """Return what sets a library up; a file that needs no change is left out.

    ``version`` is the release of modular to pin. Raises SetupError.
    """
    for path in (PYPROJECT, PRE_COMMIT, WORKFLOW):
        if (root / path).is_symlink() and not _is_inside(root, path):
            raise SetupError(f"{path} is a link that points outside {root}")
    if settings_module.has_table(root):
        raise SetupError(f"[tool.modular] already exists in {root / PYPROJECT}")
    settings = settings_module.load(root)  # what cannot be read is not written to
    table, library = _settings(root)
    written = {}
    if table:
        written[PYPROJECT] = _with_table(root, table)
    formatter = _formatter(root)
    extra = "[black]" if formatter == "black" else ""
    packages = [f"modular-models{extra}=={version}"]
    pin = find_pin(root, formatter)
    if pin is not None:
        packages.append(f"{formatter}=={pin.version}")
    packages += _requirement(root, library, settings)
    hook = _template("pre-commit.yml", ", ".join(map(json.dumps, packages)))
    hooks = read_text(root, PRE_COMMIT)
    if (with_hook := _with_hook(hooks, hook)) is not None:
        written[PRE_COMMIT] = with_hook
    if not (root / WORKFLOW).exists():
        written[WORKFLOW] = _template(
            "workflow.yml", " ".join(map(json.dumps, packages))
        )
    return Setup(written, "" if PRE_COMMIT in written or _HOOK in hooks else hook)


def _template(name: str, packages: str) -> str:
    return (
        (files("modular.scaffold") / "templates" / name)
        .read_text(encoding="utf-8")
        .format(packages=packages)
    )


def _with_table(root: Path, table: str) -> str:
    """The text of `pyproject.toml` with our table at its end. Raises SetupError if that is not TOML."""
    before = read_text(root, PYPROJECT)
    end = _line_end(before)
    text = table.replace("\n", end)
    if before.strip():
        text = before.rstrip(" \t\r\n") + end * 2 + text
    try:
        parse_toml(text.encode())
    except ValueError as error:
        raise SetupError(
            f"[tool.modular] cannot be put at the end of {root / PYPROJECT}: {error}"
        ) from error
    return text


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _requirement(root: Path, name: str, settings: Settings) -> list[str]:
    """What installs the library that parents come from, of the installed release; nothing if it is a folder of the project."""
    library = libraries.find_library(root, name, settings)
    if not name or library.is_found and libraries.is_below(library.folder, root):
        return []
    release = libraries.read_release(library.folder) if library.is_found else None
    return [name if release is None else f"{name}=={'.'.join(map(str, release))}.*"]


def _settings(root: Path) -> tuple[str, str]:
    """Return the table `[tool.modular]` for a library, and its source library.

    The table is empty where the preset fits, and the source library where the models
    import none. Raises SetupError if there are no models.
    """
    paths = list(_model_files(root))
    folders = sorted({str(PurePosixPath(path).parent.parent) for path in paths})
    if not folders:
        named = (
            f"`{MODELS}/llama/modeling_llama.py` or `{MODELS}/olmo/{MODULAR}olmo.py`"
        )
        raise SetupError(
            f"no model files were found below {root}: files such as {named}"
        )
    imported = []
    for path in paths:
        imported += _IMPORT.findall(read_text(root, path))
    packages = {folder: _package(root, folder, imported) for folder in folders}
    formatter = _formatter(root)
    library = _source_library(packages.values(), imported)

    preset = settings_module.from_table({})
    values: dict[str, object] = {}
    if formatter != preset.formatter:
        values["formatter"] = formatter
    if library not in ("", preset.source_library):
        values["source-library"] = library
    if not values and packages.items() <= preset.packages.items():
        return "", library

    is_one_package = len(set(packages.values())) == 1
    if is_one_package:
        values = {"package": packages[folders[0]], **values}
    lines = ["[tool.modular]\n", f"models = {_toml(folders)}\n"]
    for key, value in values.items():
        lines.append(f"{key} = {_toml(value)}\n")
    if not is_one_package:
        lines.append("\n[tool.modular.package]\n")
        for folder, package in packages.items():
            lines.append(f"{_toml(folder)} = {_toml(package)}\n")
    return "".join(lines), library


def _toml(value: object) -> str:
    """Return a text or a list of texts as TOML, which knows no surrogate pairs."""
    return json.dumps(value, ensure_ascii=False)


def _model_files(root: Path) -> Iterator[str]:
    """Yield the model files and modular files below the folders of models.

    The folder of a model is named like its files, and the folder of models can be
    imported.
    """
    settings = settings_module.from_table({})
    for folder, folders, names in os.walk(root):
        inside = PurePosixPath(Path(folder).relative_to(root).as_posix())
        is_deep = len(inside.parts) >= _DEPTH
        folders[:] = sorted(
            name
            for name in folders
            if not is_deep
            and name not in _SKIPPED
            and "." not in name
            and name.isprintable()
        )
        if len(inside.parts) < 2 or not inside.parent.name.isidentifier():
            continue
        for name in sorted(names):
            path = f"{inside}/{name}"
            if _is_model_file(path, settings) or _is_modular_file(root, path, settings):
                yield path


def _is_model_file(path: str, settings: Settings) -> bool:
    """Return whether a file is called `<type>_<folder>.py`."""
    place = PurePosixPath(path)
    file_type = file_types.of_file(place.stem, settings)
    return place.suffix == ".py" and place.stem == f"{file_type}_{place.parent.name}"


def _is_modular_file(root: Path, path: str, settings: Settings) -> bool:
    """Return whether a file is called `modular_*.py` and imports from a model file."""
    place = PurePosixPath(path)
    if place.suffix != ".py" or not place.name.startswith(MODULAR):
        return False
    if not _is_inside(root, path):
        return False
    for statement in modules.read(path, load(root / path, path).text).imports:
        parts = (statement.module or "").split(".")
        if statement.level == 1:
            parts = [place.parent.name, *parts]
        if _is_model_file(f"{'/'.join(parts)}.py", settings):
            return True
    return False


def _package(root: Path, models: str, imported: Iterable[str]) -> str:
    """The package of a models folder, as imports name it.

    That is what the models themselves import; else it begins below `src`, else with the first folder that is a package,
    or below a folder `python` or `lib` around that.
    """
    parts = PurePosixPath(models).parts
    for index, part in enumerate(parts):
        if not part.isidentifier():  # no package has such a name
            return _package(
                root.joinpath(*parts[: index + 1]),
                "/".join(parts[index + 1 :]),
                imported,
            )
    endings = [".".join(parts[index:]) for index in range(len(parts))]
    tops = {name.split(".")[0] for name in imported}
    named = [
        ending
        for ending in endings
        if ending.split(".")[0] in tops and ending != MODELS
    ]
    if named:
        return named[0]
    if "src" in parts[:-1]:
        return ".".join(parts[parts.index("src") + 1 :])
    packages = [
        index
        for index in range(len(parts))
        if (root.joinpath(*parts[: index + 1]) / "__init__.py").is_file()
    ]
    outer = [
        index
        for index, part in enumerate(parts[: packages[0] if packages else -1])
        if part in ("python", "lib")
    ]
    return endings[outer[0] + 1 if outer else packages[0] if packages else 0]


def _formatter(root: Path) -> str:
    """The formatter that a project has settings or a hook for; ruff if nothing shows one."""
    pyproject, hooks = read_text(root, PYPROJECT), read_text(root, PRE_COMMIT)
    has_ruff = (
        "[tool.ruff" in pyproject
        or "ruff-" in hooks
        or any((root / name).exists() for name in CONFIGS[:2])
    )
    has_black = "[tool.black" in pyproject or "id: black" in hooks
    return "black" if has_black and not has_ruff else "ruff"


def _source_library(packages: Iterable[str], imported: Iterable[str]) -> str:
    """The library that most model imports name; nothing if none does."""
    named = Counter(name.split(".")[0] for name in imported if f".{MODELS}." in name)
    for package in packages:
        del named[package.split(".")[0]]
    return named.most_common(1)[0][0] if named else ""


def _with_hook(text: str, hook: str) -> str | None:
    """A pre-commit configuration with our hook at the end of its repositories; None if it cannot be told where that is."""
    newline = _line_end(text)
    if not text.endswith(newline):
        text += newline if text else f"repos:{newline}"
    lines = lines_with_ends(text)
    start = next(
        (index for index, line in enumerate(lines) if _REPOS.fullmatch(line)), None
    )
    if start is None or _HOOK in text:
        return None
    below = lines[start + 1 :]
    end = next(
        (
            index
            for index, line in enumerate(below)
            if line[:1] not in (" ", "-", "#", *newline)
        ),
        len(below),
    )
    entry = next(
        (line for line in below[:end] if line.lstrip().startswith("- repo:")),
        "  - repo:",
    )
    hook = indent(hook, entry[: len(entry) - len(entry.lstrip())]).replace(
        "\n", newline
    )
    return "".join(
        [
            *lines[:start],
            _REPOS.sub(r"\1\2", lines[start]),
            *below[:end],
            hook,
            *below[end:],
        ]
    )


def read_originals(root: Path) -> dict[str, bytes | None]:
    """Return the contents of the files that `setup_files` may change, by path from the root.

    Returns:
        None for a file that does not exist, or that a link leads to out of the root.

    Raises:
        OSError: A file cannot be read.
    """
    contents: dict[str, bytes | None] = {}
    for path in (PYPROJECT, PRE_COMMIT, WORKFLOW):
        is_readable = (root / path).exists() and _is_inside(root, path)
        contents[path] = (
            read_bytes(root / path, MAX_SOURCE_BYTES) if is_readable else None
        )
    return contents


def read_text(root: Path, path: str) -> str:
    """Return the text of a file, in which bytes that are not UTF-8 are surrogates; nothing if there is none.

    One that leads out of the root is not read. Raises OSError.
    """
    place = root / path
    if not place.exists() or not _is_inside(root, path):
        return ""
    return read_bytes(place, MAX_SOURCE_BYTES).decode("utf-8", errors="surrogateescape")


def _is_inside(root: Path, path: str) -> bool:
    """Return whether a path stays below the root when links are followed."""
    return (root / path).resolve().is_relative_to(root)
