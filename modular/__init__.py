"""modular: turns `modular_<model>.py` files into flat, single-file model code, and proves that what is committed matches.

The names in `__init__.pyi` are loaded when they are first used, so that `import modular` costs nothing.
"""

from typing import Any


__version__ = "0.1.0"


def _modules() -> dict[str, str]:
    """The names of the package and the modules that they are from."""
    import ast
    from pathlib import Path

    from modular.source.python_trees import parse

    stub = parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [
        statement for statement in stub.body if isinstance(statement, ast.ImportFrom)
    ]
    return {
        alias.name: statement.module or ""
        for statement in imports
        for alias in statement.names
    }


def __getattr__(name: str) -> Any:
    """Load a name of the package, such as `modular.convert`, when it is first used.

    Python calls this function for names that the package does not have yet (PEP 562).
    """
    modules = _modules()
    if name == "__all__":
        return sorted([*modules, "__version__"])
    if name not in modules:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # `importlib` is imported here, so that `import modular` does not load it.
    from importlib import import_module

    value = getattr(import_module(modules[name]), name)
    # From now on, Python finds the name without this function.
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    names: list[str] = __getattr__("__all__")
    return names
