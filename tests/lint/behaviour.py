"""Runs modular and generated files with Python, and prints what their classes do.

It is a script, run in a process of its own: `python behaviour.py ROOT MODEL...`. The
folder `stand_ins` beside it holds plain Python in the place of torch, and, in `library`,
in the place of the modules of a library that models share.
"""

import importlib
import inspect
import json
import re
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any


PARENTS = re.compile(r"Llama|Siglip|Bert", re.IGNORECASE)
"""The names of the parents' models, which generated files do not have any more."""

MAX_DEPTH = 4

LIBRARY = "library"


class Config(SimpleNamespace):
    """A configuration that has every attribute."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return len(name)


def main(root: Path, models: list[str]) -> None:
    """Print, for each model, how its modular and its generated classes behave."""
    stand_ins = Path(__file__).with_name("stand_ins")
    sys.path.insert(0, str(stand_ins))
    # The models are in a package, whose modules `from ...utils import x` imports.
    library = ModuleType(LIBRARY)
    library.__path__ = [str(root), str(stand_ins / "library")]
    sys.modules[LIBRARY] = library
    print(json.dumps({model: observe_model(root, model) for model in models}))


def observe_model(root: Path, model: str) -> dict[str, Any]:
    """Return how the classes of a model behave, as the modular file and the generated files define them."""
    modular = load(f"{LIBRARY}.models.{model}.modular_{model}")
    if isinstance(modular, str):
        return {"modular": modular, "generated": modular}
    generated: dict[str, object] = {}
    for path in sorted((root / "models" / model).glob(f"*_{model}.py")):
        if not path.name.startswith("modular_"):
            module = load(f"{LIBRARY}.models.{model}.{path.stem}")
            if isinstance(module, str):
                return {"modular": "imported", "generated": module}
            generated |= vars(module)
    observed: dict[str, dict[str, Any]] = {"modular": {}, "generated": {}}
    for name, value in vars(modular).items():
        if isinstance(value, type) and value.__module__ == modular.__name__:
            other = generated.get(name, object())
            members = sorted(
                member
                for member in {*dir(value), *dir(other)}
                if not member.startswith("__")
            )
            cased = name_of_model(model)
            observed["modular"][name] = list(observe_class(value, members, cased))
            if isinstance(other, type):
                observed["generated"][name] = list(observe_class(other, members, cased))
            else:
                observed["generated"][name] = "missing"
    return observed


def name_of_model(model: str) -> str:
    """Return the name of a model as its classes begin."""
    return "".join(part.capitalize() for part in model.split("_"))


def load(name: str) -> ModuleType | str:
    """Import a module; return the error if that fails."""
    try:
        return importlib.import_module(name)
    except Exception as error:
        return f"{name}: {type(error).__name__}: {error}"


def observe_class(class_: type, members: list[str], cased: str) -> Iterator[object]:
    """Yield what a class and its methods do."""
    instance = attempt(class_)
    yield ["instance", simplify(instance, cased)]
    for member in members:
        value = getattr(class_, member, AttributeError())
        if isinstance(value, property):
            value = attempt(partial(getattr, attempt(class_), member))
        if not callable(value) or isinstance(value, type):
            yield [member, simplify(value, cased)]
            continue
        fresh = attempt(class_)
        called = attempt(getattr(fresh, member, missing))
        if isinstance(called, AttributeError):
            yield [member, simplify(called, cased)]
        else:
            yield [member, simplify(called, cased), simplify(fresh, cased)]


def renamed(text: str, cased: str) -> str:
    """Return a text with the model's name in place of the parents' models."""

    def rename(parent: re.Match[str]) -> str:
        return cased if parent[0][0].isupper() else cased.lower()

    return PARENTS.sub(rename, text)


def missing() -> None:
    """Stand for a method that a class does not have."""
    raise AttributeError


def attempt(function: Any) -> object:
    """Call a function with made-up arguments; return its result, or the error."""
    arguments: list[object] = []
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        parameters = ()  # type: ignore[assignment]
    for parameter in parameters:
        is_required = parameter.default is parameter.empty
        if is_required and parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            arguments.append(Config() if parameter.name == "config" else 7)
    try:
        return function(*arguments)
    except Exception as error:
        return error


def simplify(value: object, cased: str, depth: int = 0) -> object:
    """Return a value as JSON can hold it; objects as their classes' names and attributes."""
    if isinstance(value, AttributeError):
        return "nothing"
    if isinstance(value, Exception):
        return ["error", type(value).__name__, renamed(str(value), cased)]
    if isinstance(value, list | tuple | set):
        return [simplify(item, cased, depth + 1) for item in value]
    if isinstance(value, dict):
        return {
            str(key): simplify(item, cased, depth + 1) for key, item in value.items()
        }
    if isinstance(value, str):
        return renamed(value, cased)
    if isinstance(value, int | float | None):
        return value
    if isinstance(value, Config) or depth > MAX_DEPTH:
        return type(value).__name__
    if isinstance(value, type) or callable(value) and hasattr(value, "__name__"):
        return renamed(getattr(value, "__name__", ""), cased)
    return [
        renamed(type(value).__name__, cased),
        simplify(getattr(value, "__dict__", {}), cased, depth + 1),
    ]


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
