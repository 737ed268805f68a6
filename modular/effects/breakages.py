"""Finds what breaks in modular classes when their parent classes change."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

from modular.effects.breakage import Breakage
from modular.effects.broken_calls import ChangedParent, find_broken_calls
from modular.effects.lost_attributes import find_lost_attributes
from modular.effects.overrides import find_inheritances
from modular.rules.classes.methods import find_methods
from modular.rules.classes.super_kwargs import SUPER_KWARGS
from modular.rules.reading.modular_file import ModularFile
from modular.run.engine import Engine
from modular.source import module as modules
from modular.source.definition_view import DefinitionView, class_named
from modular.source.diagnostics import Place
from modular.source.half_typed import blank_unreadable_statements
from modular.source.module import Module
from modular.source.places import place_of, place_of_word
from modular.source.source_slice import SourceSlice, find_word
from modular.source.trees import UnreadableError


def find_breakages(
    engine: Engine,
    modular_paths: Iterable[str],
    old_texts: Mapping[str, str],
    new_texts: Mapping[str, str],
) -> tuple[Breakage, ...]:
    """Return what a change of parent files breaks in modular files, sorted by place.

    For example, a class overrides `forward`, which its parent class has no longer.
    Statements that cannot be read are skipped; they are errors of the conversion.

    Args:
        engine: Engine that has converted the modular files.
        modular_paths: Paths of the modular files.
        old_texts: Texts of files before the change, by path.
        new_texts: Texts of files after the change, by path.
    """
    old_modules = _Modules(old_texts)
    new_modules = _Modules(new_texts)
    breakages: list[Breakage] = []
    for modular_path in modular_paths:
        modular_file = _read_modular_file(engine, modular_path)
        if modular_file is not None:
            breakages += _compare_parents(modular_file, old_modules, new_modules)

        # A conversion that failed has no generated texts to compare.
        result = engine.results[modular_path]
        if not result.failed:
            breakages += find_lost_attributes(
                modular_path,
                engine.source(modular_path),
                [old_texts.get(path, "") for path in result.texts],
                [new_texts.get(path, "") for path in result.texts],
            )

    def sort_key(breakage: Breakage) -> tuple[str, int, int, str]:
        place = breakage.place
        return place.path, place.line, place.column, breakage.member

    return tuple(sorted(breakages, key=sort_key))


class _Modules:
    """The modules of some texts, each read when it is first needed."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._modules: dict[str, Module] = {}

    def text(self, path: str) -> str | None:
        """Return the text of a file, if it is known."""
        return self._texts.get(path)

    def find(self, path: str) -> Module | None:
        """Return the module of a file without its unreadable statements, if any."""
        if path not in self._texts:
            return None
        if path not in self._modules:
            text = blank_unreadable_statements(self._texts[path], path)
            self._modules[path] = modules.read(path, text)
        return self._modules[path]


def _read_modular_file(engine: Engine, modular_path: str) -> ModularFile | None:
    """Return a modular file without its unreadable statements; None if that fails."""
    text = engine.source(modular_path)
    if engine.results[modular_path].failed:
        text = blank_unreadable_statements(text, modular_path)
    return engine.batches.local_converter().read(modular_path, text)


def _compare_parents(
    modular_file: ModularFile, old_modules: _Modules, new_modules: _Modules
) -> Iterator[Breakage]:
    """Yield the places of a modular file that changes of its parent files break.

    A method whose broken call is reported is not reported as an override as well.
    """
    parents = _find_changed_parents(modular_file, old_modules, new_modules)
    if not parents:
        return

    inheritances = []
    for inheritance in find_inheritances(modular_file):
        if inheritance.parent_path in parents:
            inheritances.append(inheritance)

    # The conversion reports statements that cannot be read, so they are skipped.
    broken_calls: list[Breakage] = []
    with suppress(UnreadableError):
        broken_calls += find_broken_calls(modular_file, inheritances, parents)
    yield from broken_calls

    reported = {(call.class_, call.member) for call in broken_calls}
    for child, path, parent_name in inheritances:
        old_parent = class_named(parents[path].old, parent_name)
        new_parent = class_named(parents[path].new, parent_name)
        if old_parent is not None and new_parent is not None:
            with suppress(UnreadableError):
                for breakage in _compare_methods(child, old_parent, new_parent):
                    if (breakage.class_, breakage.member) not in reported:
                        yield breakage


def _find_changed_parents(
    modular_file: ModularFile, old_modules: _Modules, new_modules: _Modules
) -> dict[str, ChangedParent]:
    """Return the parent files of a modular file that changed, by path."""
    parents = {}
    for path in modular_file.parent_paths:
        if old_modules.text(path) != new_modules.text(path):
            old, new = old_modules.find(path), new_modules.find(path)
            if old is not None and new is not None:
                parents[path] = ChangedParent(old, new)
    return parents


def _compare_methods(
    child: DefinitionView, old_parent: DefinitionView, new_parent: DefinitionView
) -> Iterator[Breakage]:
    """Yield the methods of a parent whose change breaks a child class.

    The child uses or overrides a method that is gone, or it overrides a method whose
    parameters changed.
    """
    overrides = find_methods(child.body.statements)
    new_methods = find_methods(new_parent.body.statements)
    for name, old_method in find_methods(old_parent.body.statements).items():
        method = f"`{new_parent.name}.{name}`"
        override = overrides.get(name)
        new_method = new_methods.get(name)
        if new_method is None and override is not None:
            message = f"overrides {method}, which is gone"
            yield Breakage(place_of(override.header), child.name, name, message)
        elif new_method is None:
            place = _find_use(child.code, name)
            if place is not None:
                message = f"uses {method}, which is gone"
                yield Breakage(place, child.name, name, message)
        elif override is not None:
            if _lacks_new_parameters(override, old_method, new_method):
                parameters = ", ".join(new_method.parameters)
                message = (
                    f"overrides {method}, whose parameters changed to `({parameters})`"
                )
                yield Breakage(place_of(override.header), child.name, name, message)


def _lacks_new_parameters(
    override: DefinitionView, old_method: DefinitionView, new_method: DefinitionView
) -> bool:
    """Return whether a parent's method got parameters that an override lacks."""
    if new_method.parameters in (old_method.parameters, override.parameters):
        return False
    # With `**super_kwargs`, an override has all parameters of the parent's method.
    return f"**{SUPER_KWARGS}" not in override.parameters


def _find_use(code: SourceSlice, name: str) -> Place | None:
    """Return the first use of an attribute of `self` or `super()` in some code."""
    for attribute in (f"self.{name}", f"super().{name}"):
        for start in find_word(code.mask, attribute):
            return place_of_word(code.cut(start), name)
    return None
