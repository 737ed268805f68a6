"""Starts a model repository on the Hub, whose code is loaded with `trust_remote_code`."""

import ast
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from modular.format.formatter_config import PYPROJECT
from modular.project import file_types
from modular.project.library import Library
from modular.project.opening import open_project
from modular.project.project import Project
from modular.run.options import Options
from modular.scaffold.new_model import NewModel, NewModelError, draft_model
from modular.scaffold.setup_files import append_table, hub_table
from modular.settings import settings as settings_module
from modular.settings.settings import (
    CONFIGURATION,
    HUB_CONFIG,
    HUB_PRESET,
    MODELING,
)
from modular.source.diagnostics import has_errors
from modular.source.loading import load
from modular.source.python_trees import parse
from modular.system.reading import MAX_SETTINGS_BYTES, read_bytes
from modular.system.writing import NewFile, write_files


_AUTO_CLASSES = "auto/modeling_auto.py"
"""The file of transformers, relative to its models, with the tables of auto classes."""


class HubRepository(NamedTuple):
    """A new repository. Nothing is written if the new model has errors.

    Attributes:
        model: The new model.
        files: The new texts by path from the root, the modular file first.
    """

    model: NewModel
    files: Mapping[str, str]


class _AutoModel(NamedTuple):
    """An entry of a table of auto classes: `AutoModel`, `llama` and `LlamaModel`."""

    auto_class: str
    model_type: str
    model_class: str


def start_repository(
    model: str,
    parent: str,
    *,
    only: Sequence[str] = (),
    dry_run: bool = False,
    options: Options = Options(),
) -> HubRepository:
    """Write the modular file, `config.json` and settings of a repository on the Hub.

    Args:
        model: Name of the new model.
        parent: Name of the model of transformers to inherit from.
        only: Names of the parent's classes to inherit from, in addition to its
            configuration; none for its configuration and all its models.
        dry_run: Whether nothing is written.
        options: Options of the run.

    Raises:
        NewModelError: A name is wrong, or the folder is a repository already.
        OSError: A file cannot be written.
        modular.settings.settings.SettingsError: A setting is unknown or wrong.
        modular.system.ruff.FormatterError: The formatter cannot be run.
    """
    root = Path(options.root or Path.cwd()).resolve()
    _refuse_existing_files(root, model, parent)
    project = open_project(
        root, source_library=options.source_library, preset=HUB_PRESET
    )
    new = draft_model(project, model, parent, only, (CONFIGURATION, MODELING))
    if has_errors(new.diagnostics):
        return HubRepository(new, {})

    # If somebody saves `pyproject.toml` from here on, nothing is written.
    settings_before = None
    if (root / PYPROJECT).exists():
        settings_before = read_bytes(root / PYPROJECT, MAX_SETTINGS_BYTES)
    config = {
        "auto_map": _make_auto_map(project, model, parent, new.children),
        "model_type": model,
    }
    texts = {
        new.path: new.text,
        HUB_CONFIG: json.dumps(config, indent=2) + "\n",
        PYPROJECT: append_table(root, hub_table(project.library_version)),
    }
    repository = HubRepository(new, texts)
    if dry_run:
        return repository

    files = {}
    for path, text in texts.items():
        # Of these files, only `pyproject.toml` may exist already.
        settings = settings_before if path == PYPROJECT else None
        files[root / path] = NewFile(text.encode(), expected=settings)
    write_files(files, root)
    return repository


def _refuse_existing_files(root: Path, model: str, parent: str) -> None:
    """Refuse a folder that has settings or a model already.

    Raises:
        NewModelError: It has, and the message says what to do.
    """
    if settings_module.has_table(root):
        raise NewModelError(
            f"{root / PYPROJECT} has settings already: run `modular new {model} "
            f"--from {parent}` without `--hub`"
        )
    if (root / HUB_CONFIG).exists():
        raise NewModelError(
            f"{root / HUB_CONFIG} already exists: start in an empty folder, or run "
            "`modular init` to set this repository up"
        )


def _make_auto_map(
    project: Project, model: str, parent: str, children: Mapping[str, str]
) -> dict[str, str]:
    """Return which new class each auto class of transformers loads for a new model.

    `AutoModel` loads `LlamaModel` for the parent model. If `OlmoModel` inherits from it,
    `"AutoModel": "modeling_olmo.OlmoModel"` is an entry. The result is the value of
    `auto_map` in `config.json`.

    Args:
        project: The project of the new model.
        model: Name of the new model, such as `olmo`.
        parent: Name of the parent model, such as `llama`.
        children: The parent class of each new class: `LlamaModel` by `OlmoModel`.
    """
    library = project.library
    if library is None:
        return {}
    settings = project.settings
    parent_file = f"{parent}/{settings.file_names.stem(MODELING, parent)}.py"
    child_by_parent = {parent_class: child for child, parent_class in children.items()}
    parent_by_auto_class = _find_loaded_classes(
        library, parent, parent_file, classes=child_by_parent
    )
    auto_map = {}
    for auto_class, parent_class in parent_by_auto_class.items():
        child = child_by_parent[parent_class]
        file_type = file_types.of_class(child, project.names.cased(model), settings)
        module = settings.file_names.stem(file_type, model)
        auto_map[auto_class] = f"{module}.{child}"
    return auto_map


def _find_loaded_classes(
    library: Library, model: str, modeling_file: str, classes: Collection[str]
) -> dict[str, str]:
    """Return by auto class of a library which class it loads for a model.

    For the model `llava`, `AutoModel` loads `LlavaModel`.

    Args:
        library: The library with the model.
        model: Name of the model.
        modeling_file: Its modeling file, relative to the models of the library.
        classes: Classes of the model. Only these are returned.
    """
    loaded_classes = {}
    configuration = f"{library.names.cased(model)}Config"
    if configuration in classes:
        loaded_classes["AutoConfig"] = configuration
    modeling_text = load(library.models / modeling_file, modeling_file).text
    named_configurations = dict(_read_configurations(modeling_text))
    auto_text = load(library.models / _AUTO_CLASSES, _AUTO_CLASSES).text
    for entry in _read_auto_models(auto_text):
        if entry.model_class not in classes:
            continue
        # `AutoModel` does not load a class that has `config: LlavaTextConfig`. A class that
        # names no configuration has that of the model.
        used_configuration = named_configurations.get(entry.model_class, configuration)
        if used_configuration != configuration:
            continue
        # The entry for `llava` counts, or else the first one, such as for `llava_text`.
        is_first = entry.auto_class not in loaded_classes
        if is_first or entry.model_type == model:
            loaded_classes[entry.auto_class] = entry.model_class
    return loaded_classes


def _read_configurations(text: str) -> Iterator[tuple[str, str]]:
    """Yield the classes of a modeling file that name their configuration.

    `config: LlamaConfig` in the body of `LlamaModel` gives `LlamaModel`, `LlamaConfig`.

    Args:
        text: The text of the modeling file.
    """
    for statement in parse(text).body:
        if not isinstance(statement, ast.ClassDef):
            continue
        for member in statement.body:
            match member:
                case ast.AnnAssign(
                    target=ast.Name(id="config"), annotation=ast.Name(id=configuration)
                ):
                    yield statement.name, configuration


def _read_auto_models(text: str) -> Iterator[_AutoModel]:
    """Yield which class each auto class of transformers loads for each model type.

    For `llama`, `AutoModel` loads `LlamaModel`. The source has for each auto class:

        TABLE = OrderedDict([("llama", "LlamaModel")])
        MAPPING = _LazyAutoMapping(CONFIGURATIONS, TABLE)
        class AutoModel(_BaseAutoModelClass):
            _model_mapping = MAPPING

    Args:
        text: The text of transformers' `modeling_auto.py`.
    """
    statements = parse(text).body
    # The values of `TABLE` and `MAPPING`, among others.
    values = _assigned_values(statements)
    for statement in statements:
        if not isinstance(statement, ast.ClassDef) or statement.name.startswith("_"):
            # Only a public class is an auto class.
            continue
        mapping = _assigned_values(statement.body).get("_model_mapping")
        if isinstance(mapping, ast.Name):
            for model_type, model_class in _read_table(values, mapping.id):
                yield _AutoModel(statement.name, model_type, model_class)


def _assigned_values(statements: Iterable[ast.stmt]) -> dict[str, ast.expr]:
    """Return the last value that statements such as `name = value` give each name."""
    values: dict[str, ast.expr] = {}
    for statement in statements:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                values[name] = value
    return values


def _read_table(
    values: Mapping[str, ast.expr], mapping: str
) -> Collection[tuple[str, str]]:
    """Return the pairs of model type and class in the table of a mapping.

    `MAPPING = _LazyAutoMapping(CONFIGURATIONS, TABLE)` with
    `TABLE = OrderedDict([("llama", "LlamaModel")])` gives `("llama", "LlamaModel")`.

    Args:
        values: The values of the source's assignments by name.
        mapping: The name of the mapping, such as `MAPPING`.

    Returns:
        The pairs; none if the mapping or its table is written differently.
    """
    # Each pattern sets a variable that the next step uses: `table`, then `entries`.
    match values.get(mapping):
        case ast.Call(args=[_, ast.Name(id=table)]):
            match values.get(table):
                case ast.Call(args=[ast.List(elts=entries)]):
                    return list(_read_pairs(entries))
    return ()


def _read_pairs(entries: Iterable[ast.expr]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of texts among the entries of a list."""
    for entry in entries:
        match entry:
            case ast.Tuple(elts=[ast.Constant(model_type), ast.Constant(model_class)]):
                yield str(model_type), str(model_class)
