"""Finds the model file that defines a base, however the modular file imports it."""

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from modular.lint.context import LintContext
from modular.lint.inner_imports import imports_of_modular
from modular.lint.missing_names import lacks_module, lacks_name
from modular.semantics.imports import (
    find_module_stem,
    imported_names,
    parent_files,
    parent_module,
)
from modular.semantics.meanings import Definition, Meaning, Reason, Unknown
from modular.source.import_statements import Import
from modular.source.module import statement_named


class BaseOrigin(NamedTuple):
    """The model file that defines a base.

    Attributes:
        import_: The import of the modular file that binds the base.
        path: The model file.
        name: The name of the class in this file.
        is_importable: Whether Python may find the class through the import.
    """

    import_: Import
    path: str
    name: str
    is_importable: bool = True


def find_base_origin(context: LintContext, base: str) -> BaseOrigin | None:
    """Return the model file that defines a base of a class in the modular file.

    With `import models.llama as m`, the base `m.modeling_llama.LlamaMLP` is defined in
    `models/llama/modeling_llama.py`.

    Args:
        context: The modular file and its project.
        base: A base that is no known parent class, as the class header names it. An
            example is `m.modeling_llama.LlamaMLP`.

    Returns:
        The origin; None if the class cannot be found, or if it is in no model file.
    """
    # The type arguments of a base such as `LlamaMLP[int]` are not part of its name.
    dotted_name = base.partition("[")[0].strip()
    first_name, *attributes = dotted_name.split(".")
    for import_ in imports_of_modular(context):
        for imported in imported_names(
            import_.statement, first_name, tuple(attributes)
        ):
            meaning = context.resolver.imported(context.modular.path, imported)
            for class_ in _classes_in(meaning):
                if _is_importable_parent(context, class_.path):
                    return BaseOrigin(import_, class_.path, class_.name)
        origin = _find_in_folder(context, import_, first_name)
        if origin is not None:
            return origin
    return None


def find_missing_base(context: LintContext, base: str) -> BaseOrigin | None:
    """Return the import of a base that certainly does not exist.

    Either the imported file does not define the class, or the folder of a model does
    not contain the imported file.

    Args:
        context: The modular file and its project.
        base: The base as the class header names it, such as `modeling_llama.LlamaNorm`.

    Returns:
        The import at module level, the file or folder, and the name that it lacks. None
        if the base may exist.
    """
    for import_ in context.modular.module.imports:
        origin = _find_file_without_class(context, import_, base)
        if origin is None:
            origin = _find_folder_without_file(context, import_, base)
        if origin is not None:
            return origin
    return None


def _find_file_without_class(
    context: LintContext, import_: Import, base: str
) -> BaseOrigin | None:
    """Return the file that an import names, and that does not define a base.

    The base is an attribute of what the import binds, such as
    `modeling_llama.LlamaNorm`. For others, MOD442 reports a missing name.
    """
    first_name, *attributes = base.split(".")
    if not attributes:
        return None
    for imported in imported_names(import_.statement, first_name, tuple(attributes)):
        meaning = context.resolver.imported(context.modular.path, imported)
        if not isinstance(meaning, Unknown) or meaning.reason is not Reason.NOT_BOUND:
            continue
        missing_name = meaning.name.partition(".")[0]
        if lacks_name(context, meaning.path, missing_name):
            return BaseOrigin(import_, meaning.path, missing_name)
    return None


def _find_folder_without_file(
    context: LintContext, import_: Import, base: str
) -> BaseOrigin | None:
    """Return the model's folder that an import names, and that lacks the imported file."""
    first_name = base.partition(".")[0]
    names = _names_bound_as(import_, first_name)
    folder = _find_model_folder(context, import_) if names else None
    # A package may bind any name. Without `__init__.py`, only files can be imported.
    if folder is None or context.exists(f"{folder}/__init__.py"):
        return None
    for name in names:
        if lacks_module(context, import_.level, f"{import_.module}.{name}"):
            return BaseOrigin(import_, folder, name)
    return None


def _names_bound_as(import_: Import, name: str) -> list[str]:
    """Return what an import binds to a name: `LlamaMLP` for `import LlamaMLP as Base`."""
    return [alias.name for alias in import_.names if alias.bound == name]


def _find_model_folder(context: LintContext, import_: Import) -> str | None:
    """Return the folder of a model that an import names, such as `models/llama`."""
    project = context.project
    module = import_.module or ""
    folder = find_module_stem(project, context.modular.path, import_.level, module)
    if folder is None or not project.is_model_folder(folder):
        return None
    return folder


def _find_in_folder(
    context: LintContext, import_: Import, name: str
) -> BaseOrigin | None:
    """Return the model file that defines a class, if an import names only its folder.

    Python does not find `LlamaMLP` for `from ..llama import LlamaMLP` if the folder has
    no `__init__.py`. It may find the class if there is one.

    Args:
        context: The modular file and its project.
        import_: An import of the modular file.
        name: The name that the base has in the modular file.

    Returns:
        The file; None if the import does not bind the name or names no folder of a
        model, or if no file of the folder defines the name.
    """
    # `LlamaMLP` is the name in the model file, also after `import LlamaMLP as Base`.
    original_names = _names_bound_as(import_, name)
    folder = _find_model_folder(context, import_) if original_names else None
    if folder is None:
        return None
    class_name = original_names[0]
    is_package = context.exists(f"{folder}/__init__.py")
    model = PurePosixPath(folder).name
    settings = context.project.settings
    for file_type in settings.all_file_types:
        stem = settings.file_names.stem(file_type, model)
        file = context.read(f"{folder}/{stem}.py")
        if file is None or not _is_importable_parent(context, file.path):
            continue
        if statement_named(file, class_name) is not None:
            return BaseOrigin(import_, file.path, class_name, is_importable=is_package)
    return None


def _classes_in(meaning: Meaning) -> Iterator[Definition]:
    """Yield the classes that a name may mean."""
    if isinstance(meaning, Definition) and meaning.is_class:
        yield meaning
    elif isinstance(meaning, Unknown):
        for candidate in meaning.candidates:
            yield from _classes_in(candidate)


def _is_importable_parent(context: LintContext, path: str) -> bool:
    """Whether the modular file could inherit from the classes of a file.

    It can if the import that names the file is a model import. For the path
    `models/llama/modeling_llama.py`, this is an import from `..llama.modeling_llama`.
    """
    # The modular file generates this file itself.
    if any(path == file.path for file in context.files):
        return False
    modular = context.modular.path
    module = parent_module(context.project, modular, path)
    # `..llama.modeling_llama` has the level 2.
    name_after_dots = module.lstrip(".")
    level = len(module) - len(name_after_dots)
    # Only model imports are resolved to files. An import is not a model import if it names
    # another file of the same model, a file of the setting `ordinary-imports`, or a file
    # without the name of a model file.
    resolved_paths = parent_files(context.project, modular, level, name_after_dots)
    return path in resolved_paths
