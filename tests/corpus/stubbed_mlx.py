"""Prints what model files of mlx-lm define, imported against a stub of mlx.

`python stubbed_mlx.py FOLDER qwen2 llama` prints a JSON object with the definitions of each
file in `FOLDER/mlx_lm/models`: classes with their bases and members, and the code of functions.
"""

import importlib
import json
import sys
import types
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any


STUBBED = ("huggingface_hub", "mlx", "numpy", "sentencepiece", "transformers")
_SKIPPED_MEMBERS = ("__dict__", "__doc__", "__firstlineno__", "__weakref__")


class _AnyAttribute(type):
    """The type of a class that has each attribute, item and operator."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return cls

    def __getitem__(cls, item: object) -> Any:
        return cls

    def __or__(cls, other: object) -> Any:
        return cls

    __ror__ = __truediv__ = __mul__ = __neg__ = __or__


class Anything(metaclass=_AnyAttribute):
    """Stands for functions, constants and types of a stubbed package."""

    def __new__(cls, *arguments: Any, **options: Any) -> Any:
        # A decorator returns the function.
        return arguments[0] if arguments and callable(arguments[0]) else cls


class Base:
    """The base of classes of a stubbed package."""

    def __init__(self, *arguments: object, **options: object) -> None:
        """Accept all arguments."""


class _StubbedModule(types.ModuleType):
    __path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        # Classes such as `nn.Module` are bases.
        return type(name, (Base,), {}) if name[:1].isupper() else Anything


class _StubFinder:
    def find_spec(self, name: str, path: object, target: object = None) -> Any:
        if name.partition(".")[0] in STUBBED:
            return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]
        return None

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        return _StubbedModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing: the attributes are made when they are read."""


def describe_code(code: types.CodeType) -> list[object]:
    """Return what code does, without the lines on which it is."""
    constants = []
    for constant in code.co_consts:
        is_code = isinstance(constant, types.CodeType)
        constants.append(describe_code(constant) if is_code else repr(constant))
    return [code.co_code.hex(), code.co_names, code.co_varnames, constants]


def describe(value: object) -> object:
    """Return a definition as JSON."""
    if isinstance(value, types.FunctionType):
        return [describe_code(value.__code__), sorted(map(str, value.__annotations__))]
    if isinstance(value, staticmethod | classmethod):
        return [type(value).__name__, describe(value.__func__)]
    if isinstance(value, property):
        return [describe(value.fget), describe(value.fset)]
    if isinstance(value, type):
        bases = [base.__qualname__ for base in value.__mro__]
        members = {
            name: describe(member)
            for name, member in vars(value).items()
            if name not in _SKIPPED_MEMBERS
        }
        return [value.__name__, bases, members]
    text = repr(value)
    # Addresses in memory and paths of files differ.
    return type(value).__name__ if " at 0x" in text or "<module" in text else text


def main(root: str, *models: str) -> None:
    """Print the definitions of some models."""
    sys.meta_path.insert(0, _StubFinder())  # type: ignore[arg-type]
    # The package itself imports much more than models.
    package = types.ModuleType("mlx_lm")
    package.__path__ = [str(Path(root, "mlx_lm"))]
    sys.modules["mlx_lm"] = package
    defined = {}
    for model in models:
        module = importlib.import_module(f"mlx_lm.models.{model}")
        defined[model] = {
            name: describe(value)
            for name, value in vars(module).items()
            if not name.startswith("__")
        }
    print(json.dumps(defined, sort_keys=True))


if __name__ == "__main__":
    main(*sys.argv[1:])
