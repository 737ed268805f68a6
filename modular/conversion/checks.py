"""Checks the imports and parent classes of a modular file before it is converted."""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from modular.conversion.sources import Sources
from modular.flatten import autofixes
from modular.lint.renamed_parents import likely_name
from modular.project import file_types
from modular.project import library as libraries
from modular.project.naming import MODULAR
from modular.project.project import Project
from modular.rules.reading.model_imports import (
    check_imported_names,
    check_library_imports,
)
from modular.rules.reading.modular_file import ModularFile
from modular.semantics.imports import parent_files_of
from modular.settings.settings import MODELS
from modular.source import fixes
from modular.source.definition_view import view_definition
from modular.source.diagnostics import (
    Diagnostic,
    Place,
    Problem,
    did_you_mean,
    has_errors,
    nearest,
)
from modular.source.import_statements import Import
from modular.source.loading import load
from modular.source.module import Module
from modular.source.places import place_of_module, place_of_word
from modular.source.source_slice import count_words


_DOTS = {2: "two dots", 3: "three dots"}
"""Names of the levels that model imports have."""


MAX_WORDS = 25_000
"""Names, numbers and strings in one modular file, on which the time of its conversion
depends. The largest file of transformers has two fifths of them."""


def check_size(module: Module) -> Diagnostic | None:
    """Return an error if a modular file has so much code that it would take too long."""
    if count_words(module.code.masked_text) <= MAX_WORDS:
        return None
    return Diagnostic(
        Problem.TOO_LARGE,
        Place(module.code.path),
        f"the file is too large: more than {MAX_WORDS} names, numbers and strings",
        "split it into several models, or move data to a file of its own",
    )


def check(
    sources: Sources, modular: ModularFile, missing: Collection[str]
) -> list[Diagnostic]:
    """Check the imports and parent classes of a modular file before its conversion.

    Args:
        sources: The files of the project.
        modular: The modular file.
        missing: The paths of parent files that do not exist.

    Returns:
        The errors and warnings. With an error, the file cannot be converted.
    """
    project = sources.project
    problems = check_library_imports(
        modular,
        project.settings,
        partial(_find_definition, project),
        partial(_find_forbidden, project, modular),
    )
    for path, import_ in modular.model_imports:
        if path in missing:
            problems.append(_report_missing_parent(sources, modular, path, import_))
            continue
        problem = sources.problem(path)
        if problem is not None:
            problems.append(problem._replace(related=place_of_module(import_)))

    readable_parents = {}
    for path in modular.parent_paths:
        if path not in missing and sources.problem(path) is None:
            readable_parents[path] = sources.parent(path)

    suggest_name = partial(likely_name, project, modular, read=sources.load_module)
    problems += check_imported_names(
        modular, readable_parents, project.settings, suggest_name
    )
    # A syntax error in a parent file may be the cause. Searching for it is slow.
    if has_errors(problems):
        problems += sources.find_syntax_errors(readable_parents)
    return problems + _report_two_parents(modular)


class _ModelFolder(NamedTuple):
    """A model's folder, and the text before the model's name in imports, such as `..`."""

    import_prefix: str
    path: Path

    def is_namesake(self, name: str) -> bool:
        """Whether a class is named after the model, as `GPTNeoXMLP` after `gpt_neox`."""
        return name.lower().startswith(self.path.name.replace("_", ""))


def _find_forbidden(
    project: Project, modular: ModularFile, import_: Import
) -> list[str]:
    """Return the names that an import must not import from the package of the library.

    1. A project without a source library is the library itself. Its modular files must
       import nothing from the package.
    2. The modular files of other projects must not import parent classes: `LlamaMLP` is
       forbidden in `from transformers import LlamaMLP, PreTrainedModel`.
    """
    is_library_itself = project.library is None
    if is_library_itself:
        return [alias.name for alias in import_.names]
    # A parent class is named after a model: `LlamaMLP` after `llama`. The base
    # `PreTrainedModel` is named after no model, so it is allowed.
    parent_classes = []
    for alias in import_.names:
        is_base = alias.bound in modular.base_names
        if is_base and _find_definition(project, alias.name, only_namesakes=True):
            parent_classes.append(alias.name)
    return parent_classes


def _find_definition(
    project: Project, name: str, *, only_namesakes: bool = False
) -> str | None:
    """Return the module of the model file that defines a name.

    The models of the project and of its source library are searched. A model after which
    the definition is named is searched first: `llama` for `LlamaMLP`.

    Args:
        project: The project.
        name: The searched name.
        only_namesakes: Whether to search only models after which the definition is named.
            Reading all models takes a second.

    Returns:
        The module as a modular file imports it, such as `..llama.modeling_llama`. None
        if no model file defines the name.
    """

    def sort_key(folder: _ModelFolder) -> tuple[bool, int, str]:
        """Sort namesakes first, and of these `llama4` before `llama` for `Llama4MLP`."""
        model = folder.path.name
        longest_first = -len(model.replace("_", ""))
        return not folder.is_namesake(name), longest_first, model

    folders = _model_folders(project)
    if only_namesakes:
        # A namesake of `LlamaMLP` is the folder `llama`.
        folders = (folder for folder in folders if folder.is_namesake(name))
    definition = re.compile(
        rf"^(?:class|def|async def) +{re.escape(name)}\b", re.MULTILINE
    )
    for folder in sorted(folders, key=sort_key):
        for file in sorted(folder.path.glob("*.py")):
            is_model_file = file_types.is_model_file(file.stem, project.settings)
            if is_model_file and definition.search(load(file, file.name).text):
                return f"{folder.import_prefix}{folder.path.name}.{file.stem}"
    return None


def _model_folders(project: Project) -> Iterator[_ModelFolder]:
    """Yield the folders of the models of a project and of its source library.

    An import names a model of the project as `..llama`, and a model of the library as
    `transformers.models.llama`. The text before `llama` is the import prefix.
    """
    for path in project.models:
        yield _ModelFolder(import_prefix="..", path=path)
    library = project.library
    if library is not None and library.is_found:
        import_prefix = f"{project.settings.library_name}.{MODELS}."
        for path in library.models.iterdir():
            if path.is_dir():
                yield _ModelFolder(import_prefix, path)


class _Advice(NamedTuple):
    """A hint, and the modules (with leading dots) that the author may have meant."""

    hint: str
    modules: Sequence[str] = ()


def _report_missing_parent(
    sources: Sources, modular: ModularFile, path: str, import_: Import
) -> Diagnostic:
    """Return an error about a modular file that imports from a missing file.

    Args:
        sources: The files of the project.
        modular: The modular file.
        path: The path of the missing file.
        import_: The import that names it.
    """
    advice = _advise_on_missing_parent(sources, modular, path, import_)
    return Diagnostic(
        Problem.PARENT_FILE_NOT_FOUND,
        place_of_module(import_),
        f"no parent file `{path}`",
        advice.hint,
        fixes=tuple(fixes.replace_module(import_, module) for module in advice.modules),
    )


def _advise_on_missing_parent(
    sources: Sources, modular: ModularFile, path: str, import_: Import
) -> _Advice:
    """Return a hint, and the modules to import from instead, for a missing parent file.

    These causes are tried in turn:

    1. The modular file that should generate the parent file has errors.
    2. The import has a wrong number of dots.
    3. The source library is not installed.
    4. The name of the model or of the file is misspelt.
    """
    project = sources.project
    generating_modular = project.generating_modular(path)
    if generating_modular is not None:
        return _Advice(
            f"`{generating_modular}` should generate it: correct its errors, or add the "
            "missing definitions there"
        )
    advice_on_dots = _advise_on_wrong_dots(sources, modular, import_)
    if advice_on_dots is not None:
        return advice_on_dots

    library = project.library_of(path)
    if library is not None and not library.is_found:
        searched = libraries.describe_searched_folders(project.root)
        return _Advice(
            f"`{library.name}` is not in {searched}: install it, or name its folder in "
            "the setting `source-library`"
        )

    folder = project.locate(path).parent
    stem = PurePosixPath(path).stem
    # In the import `..lama.modeling_lama`, the package is `..`.
    package = import_.source.removesuffix(f"{folder.name}.{stem}")
    if not folder.is_dir():
        own_model = project.locate(modular.path).parent.name
        return _advise_on_missing_folder(folder, stem, package, own_model)
    return _advise_on_missing_file(folder, stem, package)


def _advise_on_wrong_dots(
    sources: Sources, modular: ModularFile, import_: Import
) -> _Advice | None:
    """Suggest the same import with another number of dots, if a file has this address.

    For `.llama.modeling_llama` the suggestion is `..llama.modeling_llama`.

    Returns:
        The suggestion. None if no number of dots leads to a file.
    """
    if import_.level == 0:
        return None
    for dot_count, dots in _DOTS.items():
        corrected = import_._replace(level=dot_count)
        possible_paths = parent_files_of(sources.project, modular.path, corrected)
        if any(map(sources.exists, possible_paths)):
            return _Advice(f"write {dots}: `{corrected.source}`", [corrected.source])
    return None


def _advise_on_missing_folder(
    folder: Path, stem: str, package: str, own_model: str
) -> _Advice:
    """Suggest models with similar names if the folder of a parent model is missing.

    For `..lama.modeling_lama` the suggestion is `..llama.modeling_llama`. A model is
    never its own parent.

    Args:
        folder: The missing folder: `models/lama`.
        stem: The name of the file without `.py`: `modeling_lama`.
        package: The beginning of the import, up to the name of the folder: `..`.
        own_model: The folder name of the model that has the import.
    """
    models = []
    for sibling in folder.parent.glob("*"):
        if sibling.is_dir() and sibling.name != own_model:
            models.append(sibling.name)
    suggestion = did_you_mean(folder.name, models)
    hint = suggestion or "there is no such model: check its name"

    # The names of most files end with the name of their model: `modeling_lama`. The
    # suggested file ends with the name of the suggested model: `modeling_llama`.
    modules = []
    if stem.endswith(folder.name):
        file_prefix = stem.removesuffix(folder.name)
        for model in nearest(folder.name, models):
            modules.append(f"{package}{model}.{file_prefix}{model}")
    return _Advice(hint, modules)


def _advise_on_missing_file(folder: Path, stem: str, package: str) -> _Advice:
    """Suggest other files of a model that has no file with the imported name.

    Args:
        folder: The folder of the model, which exists: `models/llama`.
        stem: The name of the missing file without `.py`.
        package: The beginning of the import, up to the name of the folder: `..`.
    """
    stems = []
    # Model files have a `_` in their names, as `modeling_llama.py`.
    for file in folder.glob("*_*.py"):
        if file.is_file() and not file.name.startswith((MODULAR, "_")):
            stems.append(file.stem)
    listed = ", ".join(f"`{name}`" for name in sorted(stems)) or "no model files"
    suggestion = did_you_mean(stem, stems)
    modules = [f"{package}{folder.name}.{name}" for name in nearest(stem, stems)]
    return _Advice(suggestion or f"`{folder.name}` has {listed}", modules)


def _report_two_parents(modular: ModularFile) -> list[Diagnostic]:
    """Return an error for each class that inherits from several parent classes.

    A class can be merged with only one of them.
    """
    problems = []
    for definition in modular.definitions.classes.values():
        parents = modular.parents_of(definition.name)
        if len(parents) < 2:
            continue
        view = view_definition(definition.statement)
        listed = ", ".join(f"`{parent}`" for parent in parents)
        problem = Diagnostic(
            Problem.TWO_PARENTS,
            place_of_word(view.header, parents[1]),
            f"`{definition.name}` has {len(parents)} parent classes: {listed}",
            "inherit from one of them, and copy what you need from the others",
            fixes=tuple(autofixes.keep_one_parent(view, parents)),
        )
        problems.append(problem)
    return problems
