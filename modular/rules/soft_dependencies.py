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
        elif (kept := _sort_out(each.imports, settings, soft)) or each.guard.lasting:
            guarded.append(ChosenGuard(each.guard, tuple(kept)))
    rendered = [each.render() for each in plain]
    for package, function in settings.guards.items():
        if package in soft:
            line = generated(f"from {settings.soft_dependency_utils} import {function}\n", path, 1)
            rendered.insert(len(rendered) if _has_room(plain, function, settings) else 0, line)
    guards = [_guard(settings.guards[package], soft[package], path) for package in settings.guards if package in soft]
    return [*rendered, *(each.render() for each in guarded), *guards]


def _has_room(plain: Iterable[Chosen], function: str, settings: Settings) -> bool:
    """Whether an import from `utils` is there that does not name the function yet; otherwise one is made, at the top."""
    return any(
        each.statement.source == settings.soft_dependency_utils
        and function not in (name.bound for name in each.names)
        for each in plain
    )


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
