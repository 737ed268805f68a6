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

from modular.format.mirror import CONFIGS, PYPROJECT
from modular.project import library as libraries
from modular.project.naming import MODULAR
from modular.rules.files import file_types
from modular.settings import settings as settings_module
from modular.settings.settings import MODELS, Settings
from modular.source.loading import LARGEST
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
    if settings_module.has_table(root):
        raise SetupError(f"[tool.modular] already exists in {root / PYPROJECT}")
    settings = settings_module.load(root)  # what cannot be read is not written to
    table, library = _settings(root)
    written = {PYPROJECT: _with_table(root, table)}
    extra = "[black]" if _formatter(root) == "black" else ""
    packages = [
        f"modular-models{extra}=={version}",
        *_requirement(root, library, settings),
    ]
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
    text = (
        before.rstrip() + (end * 2 if before.strip() else "") + table.replace("\n", end)
    )
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
    """The table `[tool.modular]`, told from a library's files, and the library that its models take parents from, if any.

    Raises SetupError if it has no models.
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
    imported = [
        name for path in paths for name in _IMPORT.findall(read_text(root, path))
    ]
    packages = {folder: _package(root, folder, imported) for folder in folders}
    preset = settings_module.from_table({})
    values: dict[str, object] = {"models": folders}
    by_folder = [
        f"{json.dumps(folder)} = {json.dumps(package)}\n"
        for folder, package in packages.items()
    ]
    if len(set(packages.values())) == 1:
        values["package"], by_folder = packages[folders[0]], []
    if (formatter := _formatter(root)) != preset.formatter:
        values["formatter"] = formatter
    if (library := _source_library(packages.values(), imported)) not in (
        "",
        preset.source_library,
    ):
        values["source-library"] = library
    lines = [
        "[tool.modular]\n",
        *(f"{key} = {json.dumps(value)}\n" for key, value in values.items()),
    ]
    if by_folder:
        lines += ["\n[tool.modular.package]\n", *by_folder]
    return "".join(lines), library


def _model_files(root: Path) -> Iterator[str]:
    """Yield the model files and modular files that are in folders of models."""
    types = settings_module.from_table({})
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
        for name in sorted(names) if len(inside.parts) > 1 else ():
            stem, _, ending = name.rpartition(".")
            if ending == "py" and (
                stem.startswith(MODULAR) or file_types.of_file(stem, types) is not None
            ):
                yield f"{inside}/{name}"


def _package(root: Path, models: str, imported: Iterable[str]) -> str:
    """The package of a models folder, as imports name it.

    That is what the models themselves import; else it begins below `src`, else with the first folder that is a package,
    or below a folder `python` or `lib` around that.
    """
    parts = PurePosixPath(models).parts
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
    lines = [f"{line}{newline}" for line in (text or "repos:").splitlines()]
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


def read_text(root: Path, path: str) -> str:
    """Return the text of a file, in which bytes that are not UTF-8 are surrogates; nothing if there is none.

    One that leads out of the root is not read. Raises OSError.
    """
    place = root / path
    if not place.exists() or not place.resolve().is_relative_to(root):
        return ""
    return read_bytes(place, LARGEST).decode("utf-8", errors="surrogateescape")
