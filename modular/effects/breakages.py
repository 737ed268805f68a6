"""Finds what breaks in modular classes when their parent classes change."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

from modular.effects.breakage import Breakage
from modular.effects.broken_calls import find_broken_calls
from modular.effects.lost_attributes import find_lost_attributes
from modular.effects.overrides import Inheritance, find_inheritances
from modular.effects.parent_changes import ChangedParent, ParentChanges
from modular.rules.classes.methods import find_methods
from modular.rules.classes.super_kwargs import SUPER_KWARGS
from modular.rules.reading.modular_file import ModularFile
from modular.run.engine import Engine
from modular.source.definition_view import DefinitionView, class_named
from modular.source.diagnostics import Place
from modular.source.half_typed import blank_unreadable_statements
from modular.source.places import place_of, place_of_word
from modular.source.source_slice import SourceSlice, find_word
from modular.source.unreadable import UnreadableError


def find_breakages(
    engine: Engine,
    modular_paths: Iterable[str],
    old_texts: Mapping[str, str],
    new_texts: Mapping[str, str],
    changes: ParentChanges,
) -> tuple[Breakage, ...]:
    """Return what a change of parent files breaks in modular files, sorted by place.

    For example, a class overrides `forward`, which its parent class has no longer.
    Statements that cannot be read are skipped; they are errors of the conversion.

    Args:
        engine: Engine that has converted the modular files.
        modular_paths: Paths of the modular files.
        old_texts: Texts of files before the change, by path.
        new_texts: Texts of files after the change, by path.
        changes: The changes of parent files from the older to the newer texts.
    """
    breakages: list[Breakage] = []
    for modular_path in modular_paths:
        result = engine.results[modular_path]
        source = engine.source(modular_path)
        # A conversion that failed may have read nothing of its parents.
        if result.failed or changes.files_with_changed_names(result.reads):
            readable = source
            if result.failed:
                readable = blank_unreadable_statements(source, modular_path)
            converter = engine.batches.local_converter()
            modular_file = converter.read(modular_path, readable)
            if modular_file is not None:
                breakages += _compare_parents(modular_file, changes)

        # A conversion that failed has no generated texts to compare.
        if not result.failed:
            breakages += find_lost_attributes(
                modular_path,
                source,
                [old_texts.get(path, "") for path in result.texts],
                [new_texts.get(path, "") for path in result.texts],
            )

    def sort_key(breakage: Breakage) -> tuple[str, int, int, str]:
        """Return the place of a breakage, and then its member."""
        place = breakage.place
        return place.path, place.line, place.column, breakage.member

    return tuple(sorted(breakages, key=sort_key))


def _compare_parents(
    modular_file: ModularFile, changes: ParentChanges
) -> Iterator[Breakage]:
    """Yield the places in a modular file that are broken by changes of its parent files.

    If a class calls `super().grow` in a way that is broken, a broken override of `grow`
    in the same class is not reported.
    """
    parents = _find_changed_parents(modular_file, changes)
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

    # The member of a broken call is the called method: `grow` in `super().grow(2)`.
    called_methods = {(call.class_, call.member) for call in broken_calls}
    for breakage in _find_broken_methods(inheritances, parents):
        has_broken_call = (breakage.class_, breakage.member) in called_methods
        if not has_broken_call:
            yield breakage


def _find_broken_methods(
    inheritances: Iterable[Inheritance], parents: Mapping[str, ChangedParent]
) -> Iterator[Breakage]:
    """Yield the methods of child classes that changes of their parents break.

    Args:
        inheritances: The classes, each with a parent class in one of the files.
        parents: The changed parent files by path.
    """
    for child, path, parent_name in inheritances:
        old_parent = class_named(parents[path].old, parent_name)
        new_parent = class_named(parents[path].new, parent_name)
        if old_parent is None or new_parent is None:
            continue
        # The conversion reports statements that cannot be read.
        with suppress(UnreadableError):
            yield from _compare_methods(child, old_parent, new_parent)


def _find_changed_parents(
    modular_file: ModularFile, changes: ParentChanges
) -> dict[str, ChangedParent]:
    """Return the parent files from which a modular file imports a changed definition.

    Each is returned by its path, before and after the change.

    Args:
        modular_file: The modular file.
        changes: The changes of parent files.
    """
    parents = {}
    for imported_name, path in modular_file.parent_of.items():
        # After `from a import b as c`, `c` is imported, but the changed name is `b`.
        name = modular_file.original_names[imported_name]
        if name in changes.changed_names(path):
            parents[path] = changes.read_versions(path)
    return parents


def _compare_methods(
    child: DefinitionView, old_parent: DefinitionView, new_parent: DefinitionView
) -> Iterator[Breakage]:
    """Yield a breakage for each method of a parent whose change breaks a child class.

    The child uses or overrides a method that is gone, or it overrides a method whose
    parameters changed.
    """
    overrides = find_methods(child.body.statements)
    new_methods = find_methods(new_parent.body.statements)
    for name, old_method in find_methods(old_parent.body.statements).items():
        method = f"`{new_parent.name}.{name}`"
        new_method = new_methods.get(name)
        if name in overrides:
            problem = _problem_of_override(overrides[name], old_method, new_method)
            if problem:
                place = place_of(overrides[name].header)
                message = f"overrides {method}, {problem}"
                yield Breakage(place, child.name, name, message)
        elif new_method is None:
            # The child inherited the method, so only its uses of the method break.
            use = _find_use(child.code, name)
            if use is not None:
                message = f"uses {method}, which is gone"
                yield Breakage(use, child.name, name, message)


def _problem_of_override(
    override: DefinitionView,
    old_method: DefinitionView,
    new_method: DefinitionView | None,
) -> str:
    """Return why an override no longer fits the method that it overrides.

    It is the end of a sentence about the method; empty if the override fits.

    Args:
        override: The override.
        old_method: The parent's method before the change.
        new_method: The method after the change; None if it is gone.
    """
    if new_method is None:
        return "which is gone"
    if _lacks_new_parameters(override, old_method, new_method):
        parameters = ", ".join(new_method.parameters)
        return f"whose parameters changed to `({parameters})`"
    return ""


def _lacks_new_parameters(
    override: DefinitionView, old_method: DefinitionView, new_method: DefinitionView
) -> bool:
    """Return whether an override missed a change of the parent's parameters.

    The parent's `grow(self)` became `grow(self, by)`, but the override is `grow(self)`.
    """
    # Equal headers have equal parameters, which need not be parsed then.
    if new_method.header.text == old_method.header.text:
        return False
    new_parameters = new_method.parameters
    if new_parameters == old_method.parameters:
        return False
    # The converter replaces `**super_kwargs` with all parameters of the parent's method.
    has_all_parameters = f"**{SUPER_KWARGS}" in override.parameters
    return not has_all_parameters and override.parameters != new_parameters


def _find_use(code: SourceSlice, name: str) -> Place | None:
    """Return the first use of an attribute of `self` or `super()` in some code."""
    for attribute in (f"self.{name}", f"super().{name}"):
        for start in find_word(code.masked_text, attribute):
            return place_of_word(code.cut(start), name)
    return None
