"""Soft dependencies: in files that must be importable without torch, its imports stand under a guard."""

from collections.abc import Iterable

from modular.rules.imports import Chosen, ChosenGuard, NeededImports
from modular.settings import Settings
from modular.source.code import Code, generated


def guard_soft_dependencies(needed: NeededImports, settings: Settings, path: str) -> list[Code]:
    """Return the imports of a file with those of the soft dependencies in one guard each.

    Plain imports and guards without another branch give up theirs; the guards' functions are imported from `utils`.
    """
    soft: dict[str, list[Chosen]] = {}
    plain = _sort_out(needed.plain, settings, soft)
    guarded = []
    for each in needed.guarded:
        if each.guard.tail is not None:
            guarded.append(each)
        elif kept := _sort_out(each.imports, settings, soft):
            guarded.append(ChosenGuard(each.guard, tuple(kept)))
    functions = [settings.guards[package] for package in settings.guards if package in soft]
    offered = [generated(f"from {settings.soft_dependency_utils} import {name}\n", path, 1) for name in functions]
    guards = [_guard(settings.guards[package], soft[package], path) for package in settings.guards if package in soft]
    return [*(each.render() for each in plain), *offered, *(each.render() for each in guarded), *guards]


def _sort_out(imports: Iterable[Chosen], settings: Settings, soft: dict[str, list[Chosen]]) -> list[Chosen]:
    """Move the imports of soft dependencies to ``soft``, by package, and return the others."""
    kept = []
    for each in imports:
        package = _package(each)
        if package in settings.guards:
            soft.setdefault(package, []).append(each)
        else:
            kept.append(each)
    return kept


def _package(chosen: Chosen) -> str:
    statement = chosen.statement
    module = statement.names[0].name if statement.module is None else statement.module
    return module.partition(".")[0] if statement.level == 0 else ""


def _guard(function: str, imports: Iterable[Chosen], path: str) -> Code:
    lines = "".join(f"    {each.render().text.strip()}\n" for each in imports)
    return generated(f"if {function}():\n{lines}", path, 1)
