"""Whether the files that are imported certainly lack a name."""

from modular.lint.context import LintContext
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
    """Return whether a file that people write certainly does not bind a name.

    It is uncertain for packages, which also have modules, and for code that may bind any
    name.

    Args:
        context: The modular file and what was generated from it.
        path: The path of the file.
        name: The name.
    """
    module = context.resolver.module(path)
    if module is None or path.endswith("/__init__.py"):
        return False
    meaning = context.resolver.meaning(path, name)
    if not isinstance(meaning, Unknown) or meaning.reason is not Reason.NOT_BOUND:
        return False
    return module.code.words().isdisjoint(_DYNAMIC_WORDS)


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
            if file is None or file in context.resolver.generated:
                continue
            for alias in import_.names:
                if alias.name in names and lacks_name(context, file, alias.name):
                    return True
    return False
