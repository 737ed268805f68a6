"""Starts a new model: a modular file whose classes inherit from those of another model."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import takewhile
from keyword import iskeyword
from pathlib import PurePosixPath

from modular.cache.inputs import uses_library
from modular.conversion.converter import Converter
from modular.format.formatting import format_texts
from modular.project import library as libraries
from modular.project.naming import MODULAR, model_paths, parent_alias
from modular.project.project import Project, model_name
from modular.provenance.generated_classes import GeneratedClass, describe_classes
from modular.rules.files.drafts import ALL
from modular.rules.files.exports import exported_names
from modular.run.options import Options
from modular.run.writing import replace_handwritten, write_alone
from modular.scaffold.module_code import read_module_code
from modular.semantics.imports import parent_files
from modular.settings.settings import CONFIGURATION, MODELS
from modular.source import module as modules
from modular.source.blocks import Kind
from modular.source.diagnostics import Diagnostic, has_errors, with_suggestion
from modular.source.import_statements import Alias
from modular.source.loading import load
from modular.source.module import Module, lines_with_ends, statement_named
from modular.source.source_slice import has_word
from modular.system.errors import ModularError


_MODEL_TYPE = "model_type"
_YEAR = re.compile(r"\b20\d\d\b(?: ?- ?20\d\d\b)?")
"""A year, or a range of years."""


class NewModelError(ModularError, ValueError):
    """A new model cannot be started. The message says why, and what to do instead."""


@dataclass(frozen=True, slots=True)
class NewModel:
    """A new modular file. It is not written if the diagnostics have errors.

    Attributes:
        path: Path of the modular file, relative to the root.
        text: Text of the modular file.
        children: The new classes, each with the name of its parent class.
        classes: The classes that it generates.
        diagnostics: Diagnostics of its conversion.
    """

    path: str
    text: str
    children: Mapping[str, str]
    classes: tuple[GeneratedClass, ...]
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class _ParentFile:
    """A model file of the parent.

    Attributes:
        path: The path of the file.
        module: Name of the module that the new modular file imports from.
        file_type: File type, such as `modeling`.
        cased_name: Cased name of the parent, such as `Llama`.
        classes: Names of its public classes.
        has_model_type: Whether it mentions the attribute `model_type`.
        exports: The names in its `__all__`; None if it has none.
    """

    path: str
    module: str
    file_type: str
    cased_name: str
    classes: Sequence[str]
    has_model_type: bool
    exports: Sequence[str] | None

    def child_name(self, parent_class: str, cased: str) -> str:
        """Return the name of the child of a class, such as `OlmoMLP` for `LlamaMLP`.

        A class without the model's name, such as `Attention`, keeps its name.

        Args:
            parent_class: The parent class.
            cased: The cased name of the new model, such as `Olmo`.
        """
        ending = parent_class.removeprefix(self.cased_name)
        has_model_name = ending != parent_class
        return cased + ending if has_model_name else parent_class

    def alias(self, parent_class: str, cased: str) -> Alias:
        """Return the name by which a parent class is imported, and its name in the file."""
        child = self.child_name(parent_class, cased)
        if child != parent_class:
            return Alias(parent_class, None)
        alias = parent_alias(parent_class, self.cased_name, self.classes)
        return Alias(parent_class, alias)


def new(
    model: str,
    parent: str,
    *,
    only: Sequence[str] = (),
    dry_run: bool = False,
    options: Options = Options(),
) -> NewModel:
    """Write the modular file of a new model that inherits from another model.

    Args:
        model: Name of the new model.
        parent: Name of the model to inherit from.
        only: Names of the parent's classes to inherit from, in addition to its
            configuration; none for all public classes.
        dry_run: Whether nothing is written.
        options: Options of the run.

    Returns:
        The modular file. It is not written if its diagnostics have errors.

    Raises:
        modular.scaffold.new_model.NewModelError: A name is wrong, the model exists, or
            it cannot be written.
        modular.settings.settings.SettingsError: A setting is unknown or wrong.
        modular.system.ruff.FormatterError: The formatter cannot be run.
    """
    project = options.open()
    draft = draft_model(
        project, model, parent, only, source_library=options.source_library
    )
    if dry_run or has_errors(draft.diagnostics):
        return draft
    # The new model has a single file.
    new_file = replace_handwritten(None, draft.text)
    problems = write_alone(project.root, {model: {draft.path: new_file}})
    if model in problems:
        problem = problems[model]
        raise NewModelError(f"{draft.path}: {problem.message}: {problem.hint}")
    return draft


def draft_model(
    project: Project,
    model: str,
    parent: str,
    only: Sequence[str] = (),
    file_types: Collection[str] = (),
    source_library: str | None = None,
) -> NewModel:
    """Return the modular file of a new model, and check that it can be converted.

    The file has an empty child class for each class of the parent. Nothing is written.

    Args:
        project: The project.
        model: Name of the new model.
        parent: Name of the model to inherit from.
        only: Names of the parent's classes to inherit from, in addition to its
            configuration; none for all public classes.
        file_types: Types of the parent's files to inherit from; none for all.
        source_library: The library that the user named, if any.

    Raises:
        NewModelError: A name is wrong, or the model exists.
        modular.system.ruff.FormatterError: The formatter cannot be run.
    """
    path = _new_path(project, model)
    if model == parent:
        message = f"`{model}` is the name of the parent: choose another name"
        raise NewModelError(message)
    files = _find_parent_files(project, path, parent, source_library)
    if file_types:
        files = [file for file in files if file.file_type in file_types]
    classes = _select_classes(files, only, parent)
    cased_name = project.names.cased(model)
    children = {}
    for file in files:
        for parent_class in file.classes:
            if parent_class in classes:
                children[file.child_name(parent_class, cased_name)] = parent_class
    text = _write_text(project, model, files, children)
    formatted = format_texts({path: text}, project.root, project.settings.formatter)
    text = formatted.texts[path]

    conversion = Converter(project, {path: text}).convert(path)
    return NewModel(
        path=path,
        text=text,
        children=children,
        classes=describe_classes(project, conversion, {}),
        diagnostics=conversion.diagnostics,
    )


def _write_text(
    project: Project,
    model: str,
    files: Sequence[_ParentFile],
    children: Mapping[str, str],
) -> str:
    """Return the unformatted text of a new modular file.

    Args:
        project: The project.
        model: Name of the new model.
        files: Model files of the parent.
        children: New classes with their parent classes.
    """
    cased_name = project.names.cased(model)
    settings = project.settings

    # The configuration inherits `model_type = "llama"` with `llama` renamed. If the new
    # name is not that of the model, it needs a `model_type` of its own.
    renamed_model_type = project.names.lower(cased_name)
    bodies = {}
    if renamed_model_type != model and _has_configuration_with_model_type(files):
        bodies[f"{cased_name}Config"] = f'{_MODEL_TYPE} = "{model}"'
    text = _write_classes(files, children, bodies, cased_name)
    exports = set(children)

    has_types = settings.file_names.has_types
    is_one_file = not has_types and settings.is_like_python
    if is_one_file:
        # This file can have code that registers the classes of the parent model.
        (file,) = files
        code = read_module_code(project, file.path, model, set(children.values()))
        text = f"{code.imports}{text}{code.text}"
        parent_exports = file.exports or ()
        for old_name, new_name in code.new_names.items():
            if old_name in parent_exports:
                exports.add(new_name)

    if has_types or any(file.exports is not None for file in files):
        text += _exports(exports)
    return _licence_comment(project) + text


def _has_configuration_with_model_type(files: Iterable[_ParentFile]) -> bool:
    """Return whether a parent's configuration file mentions `model_type`."""
    for file in files:
        if file.file_type == CONFIGURATION and file.has_model_type:
            return True
    return False


def _new_path(project: Project, model: str) -> str:
    """Return the path of the modular file to create for a new model.

    For `olmo`, it is `models/olmo/modular_olmo.py`, or `models/modular_olmo.py` if all
    models share a folder.

    Raises:
        NewModelError: The name is invalid, or the model exists.
    """
    if not _is_model_name(model):
        raise NewModelError(_describe_bad_name(model))
    if not project.models_folders:
        folders = ", ".join(f"`{models}`" for models in project.settings.models)
        raise NewModelError(
            f"there is no models folder: create {folders}, or name yours in the setting "
            "`models`"
        )

    folder = PurePosixPath(project.models_folders[0])
    has_own_folder = project.settings.file_names.has_model_folders
    if has_own_folder:
        folder /= model
    path = str(folder / f"{MODULAR}{model}.py")

    for file in sorted((project.root / folder).glob("*.py")):
        if file.name == "__init__.py":
            continue
        # A folder that all models share may have files of other models.
        file_path = str(folder / file.name)
        is_of_model = file_path == path or project.model_of(file_path) == model
        if has_own_folder or is_of_model:
            message = f"`{folder}` already contains `{file.name}`: choose another name"
            raise NewModelError(message)
    return path


def _describe_bad_name(model: str) -> str:
    """Return what is wrong with the name of a model, and a similar name if possible."""
    message = f"`{model}` is not a model name: use lower-case letters, digits and "
    message += "`_`, begin with a letter, and do not use a Python keyword"
    snake_case = re.sub(r"\W+|(?<=[a-z0-9])(?=[A-Z])", "_", model).lower()
    suggested_name = snake_case.strip("_")
    if _is_model_name(suggested_name):
        message += f"; for example `{suggested_name}`"
    return message


def _is_model_name(name: str) -> bool:
    """Return whether a name can be that of a folder and a Python module."""
    return re.fullmatch("[a-z][a-z0-9_]*", name) is not None and not iskeyword(name)


def _licence_comment(project: Project) -> str:
    """Return the copyright comment of most files of the project, with the current year.

    If the project has modular files, which people write, only these count. The result is
    empty if no file has such a comment.
    """
    paths = []
    for folder in project.models_folders:
        paths += model_paths(project.root / folder, project.model_file_pattern)
    modular_paths = [path for path in paths if path.name.startswith(MODULAR)]

    year = str(date.today().year)
    counts: Counter[str] = Counter()
    for path in modular_paths or paths:
        lines = lines_with_ends(load(path, path.name).text)
        comment = "".join(takewhile(lambda line: line.startswith("#"), lines))
        if "Copyright" in comment:
            counts[_YEAR.sub(year, comment, count=1)] += 1
    if not counts:
        return ""
    [(most_frequent_comment, _)] = counts.most_common(1)
    return f"{most_frequent_comment}\n"


def _find_parent_files(
    project: Project, path: str, parent: str, source_library: str | None
) -> list[_ParentFile]:
    """Return the files of a parent model in the project or, if it has none, in a library.

    Args:
        project: The project.
        path: Path of the new modular file.
        parent: Name of the parent.
        source_library: The library that the user named, if any.

    Raises:
        NewModelError: The parent has no files, or only in a library that the project
            does not use.
    """
    # Within the project: `from ..llama.modeling_llama import LlamaMLP`, or
    # `from .modeling_llama import LlamaMLP` if all models share a folder.
    has_model_folders = project.settings.file_names.has_model_folders
    prefix_in_project = f"..{parent}." if has_model_folders else "."
    files = list(_model_files(project, path, parent, prefix_in_project))
    if files:
        return files
    # From the library: `from transformers.models.llama.modeling_llama import LlamaMLP`.
    prefix_in_library = f"{project.settings.library_name}.{MODELS}.{parent}."
    files = list(_model_files(project, path, parent, prefix_in_library))
    if not files:
        raise NewModelError(_describe_missing_parent(project, parent))
    _check_library_is_used(project, parent, source_library)
    return files


def _check_library_is_used(
    project: Project, parent: str, source_library: str | None
) -> None:
    """Refuse a parent model of a library that the project does not use.

    Raises:
        NewModelError: The project has models, and none of them inherits from the library.
    """
    if uses_library(project, source_library):
        return
    library = project.settings.library_name
    message = (
        f"this project has no model `{parent}`; to inherit from that of {library}, pass "
        f"`--source-library {library}`"
    )
    models = project.model_names - {parent}
    raise NewModelError(with_suggestion(message, parent, models))


def _describe_missing_parent(project: Project, parent: str) -> str:
    """Return why a parent model has no files, and what the user can do."""
    if parent in map(model_name, project.modular_files):
        message = f"`{parent}` has no generated files yet: "
        return message + f"run `modular convert {parent}` first"
    library = project.library
    if library is not None and not library.is_found:
        searched = libraries.describe_searched_folders(project.root)
        message = f"`{library.name}` is not in {searched}: install it, or name it with "
        return message + "`--source-library`"
    message = f"there is no model `{parent}` with files to inherit from"
    models = project.model_names - {parent}
    return with_suggestion(message, parent, models)


def _model_files(
    project: Project, path: str, parent: str, import_prefix: str
) -> Iterator[_ParentFile]:
    """Yield the existing files of a parent model, the configuration first.

    Args:
        project: The project.
        path: Path of the new modular file.
        parent: Name of the parent, such as `llama`.
        import_prefix: The beginning of imports from the parent, such as `..llama.` in
            `from ..llama.modeling_llama import LlamaMLP`.
    """
    settings = project.settings
    package = import_prefix.lstrip(".")
    import_level = len(import_prefix) - len(package)
    first_types = (CONFIGURATION, settings.default_file_type)
    file_types = (*first_types, *sorted(settings.all_file_types))
    for file_type in dict.fromkeys(file_types):
        file_name = settings.file_names.stem(file_type, parent)
        paths = parent_files(project, path, import_level, f"{package}{file_name}")
        existing_files = [file for file in paths if project.locate(file).is_file()]
        if not existing_files:
            continue
        # A module can be at several paths, the best of which comes first.
        file = existing_files[0]
        cased_name = project.names_of(file).cased(parent)
        text = project.load(file, regenerated={}).text
        module = modules.read(file, text)
        # Where a model is one file, many models have classes without the model's name.
        class_prefix = cased_name if settings.file_names.has_types else ""
        all_statement = statement_named(module, ALL)
        exports = None if all_statement is None else exported_names(all_statement)
        yield _ParentFile(
            path=file,
            module=f"{import_prefix}{file_name}",
            file_type=file_type,
            cased_name=cased_name,
            classes=_public_classes(module, class_prefix, exports or ()),
            has_model_type=has_word(text, _MODEL_TYPE),
            exports=exports,
        )


def _public_classes(module: Module, prefix: str, exports: Collection[str]) -> list[str]:
    """Return the public classes of a file whose names begin with a prefix.

    Args:
        module: The file.
        prefix: The prefix.
        exports: The names in its `__all__`. If there are any, only these are public.
    """
    classes = []
    for statement in module.block.statements:
        name = statement.name
        is_public = not name.startswith("_") and (not exports or name in exports)
        if statement.kind is Kind.CLASS and is_public and name.startswith(prefix):
            classes.append(name)
    return classes


def _select_classes(
    files: Sequence[_ParentFile], only: Sequence[str], parent: str
) -> set[str]:
    """Return the names of the parent's classes to inherit from.

    These are the classes in `only` and the configurations, which all models need. If
    `only` is empty, these are all public classes.

    Raises:
        NewModelError: A class does not exist, or the parent has no public class.
    """
    all_classes: set[str] = set()
    configurations: set[str] = set()
    for file in files:
        all_classes.update(file.classes)
        if file.file_type == CONFIGURATION:
            configurations.update(file.classes)
    if not all_classes:
        cased_name = files[0].cased_name
        modules = ", ".join(f"`{file.module}`" for file in files)
        raise NewModelError(
            f"`{parent}` has no public class: none in {modules} has a name that begins "
            f"with `{cased_name}` and is in `{ALL}`"
        )
    for name in only:
        if name not in all_classes:
            message = f"`{parent}` has no public class `{name}`"
            raise NewModelError(with_suggestion(message, name, all_classes))
    if not only:
        return all_classes
    return configurations.union(only)


def _write_classes(
    files: Sequence[_ParentFile],
    children: Mapping[str, str],
    bodies: Mapping[str, str],
    cased_name: str,
) -> str:
    """Return the imports and classes of a new modular file.

    The classes are empty, such as `class OlmoMLP(LlamaMLP): pass`. The imports are those
    of their parent classes.

    Args:
        files: Model files of the parent.
        children: New classes with their parent classes.
        bodies: The body of each new class that is not empty.
        cased_name: The new model's name in class names, such as `Olmo`.
    """
    imports = ""
    imported_names = {}
    for file in files:
        aliases = []
        for parent_class in file.classes:
            if parent_class in children.values():
                alias = file.alias(parent_class, cased_name)
                aliases.append(str(alias))
                imported_names[alias.name] = alias.bound
        if aliases:
            imports += f"from {file.module} import {', '.join(aliases)}\n"

    classes = ""
    for child, parent in children.items():
        body = bodies.get(child, "pass")
        base = imported_names[parent]
        classes += f"\n\nclass {child}({base}):\n    {body}\n"
    return f"{imports}{classes}"


def _exports(names: Iterable[str]) -> str:
    """Return `__all__` of a new modular file."""
    exports = "".join(f'    "{name}",\n' for name in sorted(names))
    return f"\n\n{ALL} = [\n{exports}]\n"
