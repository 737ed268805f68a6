"""Finds the model file that defines a base, however the modular file imports it."""

from collections.abc import Iterator
from typing import NamedTuple

from modular.lint.context import LintContext
from modular.lint.inner_imports import imports_of_modular
from modular.semantics.imports import imported_names, parent_files, parent_module
from modular.semantics.meanings import Definition, Meaning, Unknown
from modular.source.import_statements import Import


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
    # The type arguments of a base such as `LlamaMLP[int]` are not part of its name.
    name, *attributes = base.partition("[")[0].strip().split(".")
    module = context.modular.module
    for import_ in imports_of_modular(context):
        for imported in imported_names(import_.statement, name, tuple(attributes)):
            meaning = context.resolver.imported(module.path, imported)
            for class_ in _classes_in(meaning):
                if _is_importable_parent(context, class_.path):
                    return BaseOrigin(import_, class_.path, class_.name)
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
