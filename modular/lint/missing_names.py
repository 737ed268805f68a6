"""Whether the files that are imported certainly lack a name, or do not exist."""

from modular.lint.context import LintContext
from modular.semantics.imports import module_stems
from modular.semantics.meanings import Reason, Unknown


_DYNAMIC_WORDS = (
    "__getattr__",
    "globals",
    "vars",
    "exec",
    "global",
    "setattr",
    "modules",
)
"""Words of code by which a module may have names that no statement binds."""


def lacks_name(context: LintContext, path: str, name: str) -> bool:
    """Return whether a hand-written file certainly does not bind a name.

    A file with code that may bind any name does not certainly lack one. A package also
    has the modules in its folder: `from ..llama import utils` finds `llama/utils.py`.

    Args:
        context: The modular file and what was generated from it.
        path: The path of the file.
        name: The name.
    """
    module = context.resolver.module(path)
    if module is None:
        return False
    meaning = context.resolver.meaning(path, name)
    if not isinstance(meaning, Unknown) or meaning.reason is not Reason.NOT_BOUND:
        return False
    folder, _, file_name = path.rpartition("/")
    if file_name == "__init__.py" and _may_be_module(context, f"{folder}/{name}"):
        return False
    return module.code.words().isdisjoint(_DYNAMIC_WORDS)


def lacks_module(context: LintContext, level: int, module: str) -> bool:
    """Return whether an imported module is missing from a folder of the project.

    Only the folder of a model, and a package with `__init__.py`, should contain each of
    their modules. A module that would be elsewhere may be installed.

    Args:
        context: The modular file and what was generated from it.
        level: The number of leading dots of the import in the modular file.
        module: The module's name after the dots.
    """
    project = context.project
    if level == 0 and "." not in module:
        # An installed package, even if `src` is a package, too.
        return False
    if context.resolver.find_file(context.modular.path, level, module) is not None:
        return False
    # The paths without suffix at which the module may be.
    stems = module_stems(project, context.modular.path, level, module)
    is_in_known_folder = False
    for stem in stems:
        if _may_be_module(context, stem):
            return False
        folder = stem.rpartition("/")[0]
        is_package = context.exists(f"{folder}/__init__.py")
        is_model_folder = (
            project.is_model_folder(folder) and project.locate(folder).is_dir()
        )
        if is_package or is_model_folder:
            is_in_known_folder = True
    return is_in_known_folder


def _may_be_module(context: LintContext, stem: str) -> bool:
    """Return whether there is a module at a path without suffix, or will be.

    The module can be a file that is generated, a folder, or a file such as `layers.so`.
    """
    if context.project.generating_modular(f"{stem}.py") is not None:
        return True
    place = context.project.locate(stem)
    return place.is_dir() or any(place.parent.glob(f"{place.name}.*"))


def has_failing_import(context: LintContext, names: set[str]) -> bool:
    """Return whether a generated file imports a name from a file that lacks it.

    An import in an `if` or `try` may not run, so it is not checked.

    Args:
        context: The modular file and what was generated from it.
        names: The names to look for.
    """
    for module in context.output_imports.values():
        for import_ in module.imports:
            source = import_.module or ""
            file = context.resolver.find_file(module.path, import_.level, source)
            # A generated file is not written by hand, so other rules check it.
            if file is None or file in context.resolver.generated:
                continue
            for alias in import_.names:
                if alias.name in names and lacks_name(context, file, alias.name):
                    return True
    return False
