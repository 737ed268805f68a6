"""Small random projects whose code can be run, and what comes of running it."""

import importlib
import inspect
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import Random
from types import ModuleType


PARTS = ("Norm", "MLP", "Gate", "Block", "Layer")
MODELS = {"llama": "Llama", "mamba": "Mamba"}
CHILDREN = {"gemma": "Gemma", "falc": "Falc"}
FUNCTIONS = ("rotate", "scale")
METHODS = ("project", "mix", "grow")
ATTRIBUTES = ("size", "rate", "bias")
FIELDS = ("hidden", "depth")
SETTINGS = (
    '[tool.modular]\npreset = "transformers"\nmodels = ["zoo"]\nformatter = "none"\n'
)


def random_project(random: Random) -> dict[str, str]:
    """Return the files of a project: two parents, two or three children, and users."""
    files = {"pyproject.toml": SETTINGS}
    classes: dict[str, list[str]] = {}
    for model, cased in MODELS.items():
        files[f"zoo/{model}/configuration_{model}.py"] = _configuration(random, cased)
        parts = [part for part in PARTS if random.random() < 0.7] or ["MLP"]
        classes[model] = [f"{cased}{part}" for part in parts]
        files[f"zoo/{model}/modeling_{model}.py"] = _parent(random, model, cased, parts)
    for model, cased in CHILDREN.items():
        files[f"zoo/{model}/modular_{model}.py"] = _child(random, cased, classes)
    files["use.py"] = _user(random, classes)
    return files


def _configuration(random: Random, cased: str) -> str:
    if random.random() < 0.5:
        lines = [f"class {cased}Config:"]
        lines += [
            f"    {field}: int = {random.randint(1, 9)}  # the {field}"
            for field in FIELDS
        ]
        return "\n".join(lines) + "\n"
    parameters = ", ".join(f"{field}={random.randint(1, 9)}" for field in FIELDS)
    lines = [f"class {cased}Config:", f"    def __init__(self, {parameters}):"]
    lines += [f"        self.{field} = {field}" for field in FIELDS]
    return "\n".join(lines) + "\n"


def _parent(random: Random, model: str, cased: str, parts: list[str]) -> str:
    lines = [f"from .configuration_{model} import {cased}Config", "", ""]
    for function in FUNCTIONS:
        lines += [f"def {function}(x):", f"    return x * {random.randint(2, 9)}"]
        lines += ["", ""]
    earlier: list[str] = []
    for part in parts:
        lines += _class(random, cased, part, earlier) + ["", ""]
        earlier.append(part)
    listed = ", ".join(f'"{cased}{part}"' for part in parts)
    if random.random() < 0.5:
        lines.append(f"__all__ = [{listed}]")
    return "\n".join(lines).rstrip() + "\n"


def _class(random: Random, cased: str, part: str, earlier: list[str]) -> list[str]:
    annotation = random.choice(("", f": {cased}Config", f': "{cased}Config"'))
    lines = [f"class {cased}{part}:"]
    if random.random() < 0.3:
        lines.append(f'    """The {part} of {cased}, see `{cased}{part}`."""')
    attribute = random.choice(ATTRIBUTES)
    field = random.choice(FIELDS)
    lines += [
        f"    def __init__(self, config{annotation}):",
        f"        self.{attribute} = config.{field} + {random.randint(1, 9)}",
    ]
    held = random.choice(earlier) if earlier and random.random() < 0.8 else ""
    if held:
        lines.append(f"        self.inner = {cased}{held}(config)")
    for method in METHODS:
        value = random.choice(
            (
                f"x + self.{attribute}",
                f"{random.choice(FUNCTIONS)}(x) - self.{attribute}",
                f"[{random.choice(FUNCTIONS)}(y) for y in (x, self.{attribute})][1]",
            )
        )
        if method != METHODS[0] and random.random() < 0.5:
            value += f" + self.{METHODS[0]}(x)"
        if held and random.random() < 0.7:
            value += f" + self.inner.{random.choice(METHODS)}(x)"
        if random.random() < 0.1:
            value += f" + isinstance(self, {cased}{part})"
        lines += ["", f"    def {method}(self, x):", f"        return {value}"]
    return lines


def _child(random: Random, cased: str, classes: Mapping[str, list[str]]) -> str:
    imports: list[str] = []
    body: list[str] = []
    parts: set[str] = set()
    models = random.sample(sorted(classes), random.choice((1, 1, 2)))
    for model in models:
        parent_cased = MODELS[model]
        chosen = [
            parent
            for parent in classes[model]
            if parent.removeprefix(parent_cased) not in parts and random.random() < 0.6
        ]
        chosen = (
            chosen
            or [
                parent
                for parent in classes[model]
                if parent.removeprefix(parent_cased) not in parts
            ][:1]
        )
        if chosen:
            imports.append(
                f"from ..{model}.modeling_{model} import {', '.join(sorted(chosen))}"
            )
        if random.random() < 0.9 and model == models[0]:
            imports.append(
                f"from ..{model}.configuration_{model} import {parent_cased}Config"
            )
            body += [f"class {cased}Config({parent_cased}Config):", "    pass", "", ""]
        for parent in chosen:
            part = parent.removeprefix(parent_cased)
            parts.add(part)
            body += [f"class {cased}{part}({parent}):"]
            if random.random() < 0.5:
                body.append("    pass")
            else:
                method = random.choice(METHODS)
                body += [
                    f"    def {method}(self, x):",
                    f"        return -super().{method}(x)",
                ]
            body += ["", ""]
    return "\n".join([*imports, "", "", *body]).rstrip() + "\n"


def _user(random: Random, classes: Mapping[str, list[str]]) -> str:
    model = random.choice(sorted(classes))
    cased = MODELS[model]
    name = random.choice(classes[model])
    other = random.choice(classes[model])
    module = f"zoo.{model}.modeling_{model}"
    method = random.choice(METHODS)
    first = random.choice(
        (
            f"from {module} import {name}",
            f"try:\n    from {module} import {name}\nexcept ImportError:\n"
            f"    {name} = None",
            f"from {module} import (\n    {name},  # {name}\n)",
            f"from {module} import *",
        )
    )
    function = random.choice(FUNCTIONS)
    return (
        f"import {module} as parent\n"
        f"from zoo.{model}.configuration_{model} import {cased}Config\n"
        f"from {module} import {other} as Other, {function} as call\n"
        f"{first}\n\n\n"
        f"config = {cased}Config()\n"
        f"made = {name}(config)\n"
        f"result = [made.{method}(3), parent.{name}(config).{method}(4), call(5)]\n"
        f"result.append(Other(config).{method}(6))\n\n\n"
        f"def run(x: {name}, y: 'Other' = None):\n"
        f"    def {method}(z):\n"
        f"        return [{name} is not None, x.{method}(z), config.{FIELDS[0]}]\n\n"
        f"    return {method}(7)\n\n\n"
        f"result.append(run(made))\n"
    )


def random_target(random: Random, files: Mapping[str, str]) -> tuple[str, str]:
    """Return a symbol of a project, which may be refused, and a new name."""
    model = random.choice(sorted(MODELS))
    cased = MODELS[model]
    names = [
        f"{cased}{part}"
        for part in PARTS
        if f"class {cased}{part}:" in files[f"zoo/{model}/modeling_{model}.py"]
    ]
    name = random.choice(names)
    match random.randrange(6):
        case 0 | 1:
            ending = random.choice(("Feed", "Scale", "Mixer", "Cell", "Unit", "MLP"))
            return name, f"{cased}{ending}"
        case 2:
            function = random.choice(FUNCTIONS)
            new = random.choice(
                ("turn", "bend", "call", "x", "isinstance", f"{model}_turn")
            )
            return f"modeling_{model}.{function}", new
        case 3:
            return f"{name}.{random.choice(METHODS)}", random.choice(
                ("apply", "join", "inner")
            )
        case 4:
            text = files[f"zoo/{model}/modeling_{model}.py"]
            definition = text.partition(f"class {name}:")[2].partition("class ")[0]
            used = [word for word in ATTRIBUTES if f"self.{word} = " in definition]
            return f"{name}.{used[0]}", "width"
    return f"{cased}Config.{random.choice(FIELDS)}", random.choice(
        ("dim", "length", "depth")
    )


def run_project(root: Path) -> dict[str, object]:
    """Import all models and `use.py`, and call the methods of all classes.

    Returns:
        Each result, or the type of the exception, under a dotted name.
    """
    results: dict[str, object] = {}
    with _importing_from(root):
        for path in sorted(root.glob("zoo/*/modeling_*.py")):
            model = path.parent.name
            config = _config(model, root)
            module = _import(f"zoo.{model}.{path.stem}", results)
            if module is None or config is None:
                continue
            for name, value in sorted(vars(module).items()):
                if inspect.isclass(value) and value.__module__ == module.__name__:
                    for method, result in _call_methods(value, config):
                        results[f"{path.stem}.{name}.{method}"] = result
                elif inspect.isfunction(value):
                    results[f"{path.stem}.{name}"] = value(3)
        module = _import("use", results)
        if module is not None:
            results["use"] = module.result
    return results


def _config(model: str, root: Path) -> object:
    """Return a configuration object of a model, or of the parents if it has none."""
    own_path = root / f"zoo/{model}/configuration_{model}.py"
    models = [model] if own_path.exists() else sorted(MODELS)
    config = None
    for name in models:
        module = _import(f"zoo.{name}.configuration_{name}", {})
        for value in vars(module).values() if module is not None else ():
            if inspect.isclass(value):
                config = config or value()
    return config


def _call_methods(class_: type, config: object) -> Iterator[tuple[str, object]]:
    for name, method in sorted(vars(class_).items()):
        if inspect.isfunction(method) and not name.startswith("__"):
            try:
                result = method(class_(config), 3)
            except Exception as error:
                result = type(error).__name__
            yield name, result


def _import(name: str, results: dict[str, object]) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except Exception as error:
        results[name] = f"{type(error).__name__}: {error}"
        return None


@contextmanager
def _importing_from(root: Path) -> Iterator[None]:
    """Import modules from a folder alone, and forget them afterwards."""
    writes_nothing = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(root))
    importlib.invalidate_caches()
    before = set(sys.modules)
    try:
        yield
    finally:
        sys.path.remove(str(root))
        sys.dont_write_bytecode = writes_nothing
        for name in set(sys.modules) - before:
            if name == "use" or name.partition(".")[0] == "zoo":
                del sys.modules[name]
