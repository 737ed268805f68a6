"""Finds the model file that defines a base, however the modular file imports it."""

from collections.abc import Iterator
from typing import NamedTuple

from modular.lint.context import LintContext
from modular.rules.files.imports import guarded_imports
from modular.semantics.imports import module_files, parent_files, parent_module
from modular.settings.settings import MODELS
from modular.source.definition_view import class_named
from modular.source.import_statements import Import
from modular.source.module import Module


_MAX_IMPORT_DEPTH = 6
"""Number of files that are read one after the other for one name."""


class BaseOrigin(NamedTuple):
    """The model file that defines a base.

    Attributes:
        import_: The import of the modular file that binds the base.
        path: The model file.
        name: The name of the class in this file.
    """

    import_: Import
    path: str
    name: str


class _ModuleName(NamedTuple):
    """A module as an import names it: the leading dots, and the parts of its name."""

    level: int
    parts: tuple[str, ...]


def find_base_origin(context: LintContext, base: str) -> BaseOrigin | None:
    """Return the model file that defines a base of a class in the modular file.

    This follows imports through modules and packages. With `import models.llama as m`,
    the base `m.modeling_llama.LlamaMLP` is in `models/llama/modeling_llama.py`.

    Args:
        context: The modular file and its project.
        base: The base as the class header names it, such as `m.modeling_llama.LlamaMLP`.
            `ModularFile.parent_of` has no entry for it.

    Returns:
        The origin; None if the class cannot be found, or if it is in no model file.
    """
    # The type arguments of a base such as `LlamaMLP[int]` are no part of its name.
    name = base.partition("[")[0].strip()
    module = context.modular.module
    for import_ in _imports_of(module):
        for target in _find_targets(import_, name):
            found = _find_class(context, module, target, _MAX_IMPORT_DEPTH)
            if found is not None and _is_importable_parent(context, found.path):
                return BaseOrigin(import_, found.path, found.name)
    return None


class _FoundClass(NamedTuple):
    """A class: the path of its file, and its name there."""

    path: str
    name: str


def _find_class(
    context: LintContext, module: Module, target: _ModuleName, depth: int
) -> _FoundClass | None:
    """Return the class that a dotted name means in a module, or None if it is not found.

    `models.llama.LlamaMLP` is looked for in the package `models/llama`. If this contains
    `from .modeling_llama import *`, the search goes on in `modeling_llama.py`.

    Args:
        context: The modular file and its project.
        module: The module that names the class. Relative names start at its folder.
        target: The dotted name, whose last part is that of the class.
        depth: The number of files that may still be read.
    """
    if depth == 0:
        return None
    imported = _read_longest_module(context, module, target)
    if imported is None:
        return None
    imported_module, class_name = imported
    if class_named(imported_module, class_name) is not None:
        return _FoundClass(imported_module.path, class_name)
    # The module does not define the class, so it may import it.
    for import_ in _imports_of(imported_module):
        for next_target in _find_targets(import_, class_name):
            found = _find_class(context, imported_module, next_target, depth - 1)
            if found is not None:
                return found
    return None


def _read_longest_module(
    context: LintContext, module: Module, target: _ModuleName
) -> tuple[Module, str] | None:
    """Return the module that a dotted name begins with, and the rest of the name.

    `a.b.C` is the class `C` of the module `a.b` if that exists. Otherwise it is the name
    `b.C` of the module `a`. As in Python, only the longest module counts.

    Args:
        context: The modular file and its project.
        module: The module that contains the name.
        target: The dotted name.
    """
    for length in reversed(range(len(target.parts))):
        module_name = target._replace(parts=target.parts[:length])
        for path in _paths_of(context, module, module_name):
            imported = context.read(path)
            if imported is not None:
                return imported, ".".join(target.parts[length:])
    return None


def _imports_of(module: Module) -> Iterator[Import]:
    """Yield the imports of a module, also those in `if TYPE_CHECKING:` and in `try:`."""
    yield from module.imports
    yield from guarded_imports(module.block.statements)


def _find_targets(import_: Import, name: str) -> Iterator[_ModuleName]:
    """Yield the full names that a name of a file may stand for, according to an import.

    - After `from .. import llama as m`, `m.LlamaMLP` stands for `..llama.LlamaMLP`.
    - After `import a.b as m`, `m.X` stands for `a.b.X`.
    - After `import a.b`, which binds only `a`, `a.c.X` stands for itself.
    - After `from .llama import *`, `LlamaMLP` may stand for `.llama.LlamaMLP`.

    Nothing is yielded if the import does not bind the first part of the name.

    Args:
        import_: An import of the file.
        name: The dotted name, as the file uses it.
    """
    module_parts = import_.module.split(".") if import_.module else []
    first_part, *other_parts = name.split(".")
    for alias in import_.names:
        bound_name, imported_name = alias.bound, alias.name
        if import_.module is None and alias.alias is None:
            # `import a.b` binds `a`.
            bound_name = imported_name = alias.name.partition(".")[0]
        elif alias.name == "*" and _may_define(import_, name):
            # The import may bind any name, so also this one.
            bound_name = imported_name = first_part
        if bound_name == first_part:
            # The imported name takes the place of the name that the import binds.
            parts = (*module_parts, *imported_name.split("."), *other_parts)
            yield _ModuleName(import_.level, parts)


def _may_define(import_: Import, name: str) -> bool:
    """Whether `from .llama import *` may bind a class such as `LlamaMLP`.

    A package has such an import for each of its models, and reading all of them would
    be slow. So only a module counts that has a word with which the class name begins.
    """
    module = import_.source.rpartition(".")[2]
    # `from .models import *` binds the classes of all models.
    if module == MODELS:
        return True
    words = [word for word in module.split("_") if word]
    lower_name = name.lower()
    return any(lower_name.startswith(word) for word in words)


def _paths_of(
    context: LintContext, module: Module, target: _ModuleName
) -> Iterator[str]:
    """Yield the path of a module that exists, in the project or its source library.

    Args:
        context: The modular file and its project.
        module: The module that contains the import.
        target: The name of the imported module.
    """
    name = ".".join(target.parts)
    for path in module_files(context.project, module.path, target.level, name):
        if context.exists(path):
            yield path


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
    # Only model imports are resolved to files. An import is no model import if it names
    # another file of the same model, a file of the setting `ordinary-imports`, or a file
    # without the name of a model file.
    resolved_paths = parent_files(context.project, modular, level, name_after_dots)
    return path in resolved_paths
