"""Runs random models with Python, and prints which members differ between both files.

It is a script, run in a process of its own: `python judge_calls.py ROOT NUMBER...`. For
each class of a modular file it calls all members as Python inherits them, and as the
generated file defines them. It prints one JSON object for each model.
"""

import importlib
import inspect
import json
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any


MODEL_TIMEOUT_S = 5
MAX_DEPTH = 4
MAX_CALLS = 300
"""Python's recursion limit; small, so that endless recursion ends soon."""

ARGUMENTS = ({"x": 7, "n": 3, "deep": 5, "extra": 9}, {"x": -30})
"""Arguments of each call by the name of the parameter, as far as a method has it."""

Calls = set[tuple[str, str]]


class Config:
    """The configuration that every class is built with."""

    size = 11
    depth = 6


class TimeoutError_(BaseException):
    """A model runs for too long."""


def main(root: Path, numbers: list[str]) -> None:
    """Print the differences of each model as a line of JSON."""
    sys.path.insert(0, str(root))
    sys.dont_write_bytecode = True
    signal.signal(signal.SIGALRM, _stop)
    for number in numbers:
        signal.alarm(MODEL_TIMEOUT_S)
        try:
            differences = list(compare_model(number))
        except TimeoutError_:
            differences = [{"problem": "timeout"}]
        signal.alarm(0)
        print(json.dumps({"number": number, "differences": differences}), flush=True)


def _stop(*_: object) -> None:
    raise TimeoutError_


def compare_model(number: str) -> Iterator[dict[str, Any]]:
    """Yield the differences between the modular file and the generated file of a model."""
    package = f"zoo.models.gemma{number}"
    plain = _import(f"{package}.modular_gemma{number}")
    if isinstance(plain, str):
        yield {"problem": f"the modular file cannot be imported: {plain}"}
        return
    flat = _import(f"{package}.modeling_gemma{number}")
    if isinstance(flat, str):
        yield {"class": "", "member": "", "plain": "imported", "flat": flat, "ran": []}
        return
    for name, plain_class in vars(plain).items():
        if inspect.isclass(plain_class) and plain_class.__module__ == plain.__name__:
            yield from compare_class(name, plain_class, getattr(flat, name), number)


def _import(name: str) -> ModuleType | str:
    """Import a module; return the error if that fails."""
    try:
        return importlib.import_module(name)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def compare_class(
    name: str, plain: type, flat: type, number: str
) -> Iterator[dict[str, Any]]:
    """Yield the members that behave differently in two classes."""
    members = {"__init__"}
    for member in (*dir(plain), *dir(flat)):
        # A kept method of the parent has a private name of its own.
        is_kept = member.startswith(f"_llama{number}_")
        if not member.startswith("__") and not is_kept:
            members.add(member)
    for member in sorted(members):
        for arguments in ARGUMENTS:
            for is_positional in (False, True):
                ran: Calls = set()
                outcomes = []
                for class_ in (plain, flat):
                    call = _observer(class_, member, arguments, is_positional)
                    outcome = _recording(call, ran)
                    text = json.dumps(simplify(outcome))
                    for old, new in (("Llama", "Gemma"), ("llama", "gemma")):
                        text = text.replace(f"{old}{number}", f"{new}{number}")
                    outcomes.append(text)
                if outcomes[0] != outcomes[1]:
                    yield {
                        "class": name,
                        "member": member,
                        "plain": outcomes[0],
                        "flat": outcomes[1],
                        "ran": sorted(ran),
                    }
                    break
            else:
                continue
            break


def _observer(
    class_: type, member: str, arguments: dict[str, int], is_positional: bool
) -> Callable[[], object]:
    """Return a function that calls a member of a new instance, and returns what it did."""

    def observe() -> object:
        instance = _call(class_, arguments, False)
        state = getattr(instance, "__dict__", instance)
        if member == "__init__":
            return state
        found = inspect.getattr_static(class_, member, AttributeError())
        is_callable = callable(getattr(class_, member, None))
        is_called = is_callable or isinstance(found, property | AttributeError)
        if not is_called:
            return found
        if isinstance(instance, Exception):
            return "not built"
        if isinstance(found, AttributeError):
            return [found, state]
        if isinstance(found, property):
            outcomes = [_attempt(lambda: getattr(instance, member))]
            outcomes.append(_attempt(lambda: setattr(instance, member, 5)))
            return [*outcomes, state]
        bound = getattr(instance, member)
        return [_call(bound, arguments, is_positional), state]

    return observe


def _call(function: Any, arguments: dict[str, int], is_positional: bool) -> object:
    """Call a function with the arguments that its parameters have values for."""
    values: list[object] = []
    keywords: dict[str, object] = {}
    for parameter in inspect.signature(function).parameters.values():
        value: object = arguments.get(parameter.name)
        if parameter.name == "config":
            value = Config()
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        if value is None:
            if parameter.default is parameter.empty:
                value = 4
            else:
                is_positional = False
                continue
        if is_positional and parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            values.append(value)
        else:
            keywords[parameter.name] = value
    return _attempt(lambda: function(*values, **keywords))


def _attempt(function: Callable[[], object]) -> object:
    try:
        result = function()
        if inspect.iscoroutine(result):
            return ["awaited", _await(result)]
        return result
    except Exception as error:
        return error


def _await(coroutine: Coroutine[Any, Any, object]) -> object:
    """Return the result of a coroutine that waits for nothing."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    raise RuntimeError("the coroutine waits")


def _recording(function: Callable[[], object], ran: Calls) -> object:
    """Call a function, and record which methods of which classes run."""

    def record(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and "zoo" in frame.f_code.co_filename:
            owner = frame.f_locals.get("self", frame.f_locals.get("cls"))
            class_ = owner if isinstance(owner, type) else type(owner)
            ran.add((class_.__name__, frame.f_code.co_name))

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(MAX_CALLS)
    sys.setprofile(record)
    try:
        return function()
    finally:
        sys.setprofile(None)
        sys.setrecursionlimit(limit)


def simplify(value: object, depth: int = 0) -> object:
    """Return a value as JSON can hold it; an exception as the name of its type."""
    if isinstance(value, Exception):
        return ["raises", type(value).__name__]
    if isinstance(value, list | tuple):
        return [simplify(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {key: simplify(value[key], depth + 1) for key in sorted(value)}
    if isinstance(value, int | float | str | None):
        return value
    if depth > MAX_DEPTH or not hasattr(value, "__dict__"):
        return type(value).__name__
    return [type(value).__name__, simplify(vars(value), depth + 1)]


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
