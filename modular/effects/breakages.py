"""Finds what breaks in modular classes when their parent classes change."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from modular.effects.overrides import Inheritance, find_inheritances
from modular.rules.classes.methods import find_methods
from modular.rules.classes.super_kwargs import SUPER_KWARGS
from modular.run.engine import Engine
from modular.source import module as modules
from modular.source.definition_view import DefinitionView, class_named
from modular.source.diagnostics import Place
from modular.source.half_typed import blank_unreadable_statements
from modular.source.module import Module
from modular.source.places import place_of, place_of_word
from modular.source.source_slice import SourceSlice, find_word
from modular.source.trees import UnreadableError


@dataclass(frozen=True, slots=True)
class Breakage:
    """A modular class relies on a method that its parent no longer has in that form.

    Attributes:
        place: Place in the modular class.
        class_: Name of the modular class.
        member: Name of the method.
        message: Sentence about the class, without its subject.
    """

    place: Place
    class_: str
    member: str
    message: str


def find_breakages(
    engine: Engine,
    modular_paths: Iterable[str],
    old_texts: Mapping[str, str],
    new_texts: Mapping[str, str],
) -> tuple[Breakage, ...]:
    """Return what a change of parent files breaks in modular files, sorted by place.

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
        for inheritance in _read_inheritances(engine, modular_path):
            path = inheritance.parent_path
            if old_texts.get(path) == new_texts.get(path):
                continue
            old_parent = old_modules.find_class(path, inheritance.parent_name)
            new_parent = new_modules.find_class(path, inheritance.parent_name)
            if old_parent is not None and new_parent is not None:
                with suppress(UnreadableError):
                    breakages += _compare_parents(
                        inheritance.child, old_parent, new_parent
                    )

        result = engine.results[modular_path]
        if not result.failed:
            breakages += _find_lost_attributes(
                modular_path,
                engine.source(modular_path),
                [old_texts.get(path, "") for path in result.texts],
                [new_texts.get(path, "") for path in result.texts],
            )

    def sort_key(breakage: Breakage) -> tuple[str, int, str]:
        return breakage.place.path, breakage.place.line, breakage.member

    return tuple(sorted(breakages, key=sort_key))


def _find_lost_attributes(
    modular_path: str,
    modular_text: str,
    old_texts: Iterable[str],
    new_texts: Iterable[str],
) -> Iterator[Breakage]:
    """Yield the attributes that a modular file sets or reads in vain after a change.

    Args:
        modular_path: Path of the modular file.
        modular_text: Its text.
        old_texts: The texts that it generated before the change.
        new_texts: The texts that it generates after it.
    """
    modular = _AttributeUses.of([modular_text])
    old = _AttributeUses.of(old_texts)
    new = _AttributeUses.of(new_texts)
    for name, use in modular.stored.items():
        if name in old.loaded and name not in new.loaded:
            yield use.breakage(
                modular_path, f"sets `{name}`, which nothing reads any more"
            )
    for name, use in modular.fields_read.items():
        is_lost = name in old.fields and name not in new.fields
        if is_lost and new.fields:
            message = f"reads `config.{name}`, which the configuration no longer has"
            yield use.breakage(modular_path, message)


@dataclass(frozen=True)
class _AttributeUse:
    """The first use of an attribute in a class."""

    class_: str
    name: str
    line: int

    def breakage(self, path: str, message: str) -> Breakage:
        place = Place(path, self.line)
        return Breakage(place, self.class_, self.name, message)


@dataclass
class _AttributeUses:
    """The attributes that some texts use, each with its first use.

    Attributes:
        stored: Attributes of `self` that methods set.
        loaded: Attributes that are read, of anything but a `config`.
        fields: Fields of configuration classes.
        fields_read: Fields that are read from a `config`.
    """

    stored: dict[str, _AttributeUse]
    loaded: dict[str, _AttributeUse]
    fields: dict[str, _AttributeUse]
    fields_read: dict[str, _AttributeUse]

    @staticmethod
    def of(texts: Iterable[str]) -> "_AttributeUses":
        """Return the attributes of some texts; those with syntax errors have none."""
        uses = _AttributeUses({}, {}, {}, {})
        for text in texts:
            with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
                for statement in ast.parse(text).body:
                    if isinstance(statement, ast.ClassDef):
                        uses._add_class(statement)
        return uses

    def _add_class(self, class_: ast.ClassDef) -> None:
        is_config = class_.name.endswith("Config")
        for statement in class_.body:
            if is_config and isinstance(statement, ast.AnnAssign | ast.Assign):
                for target in _targets(statement):
                    if isinstance(target, ast.Name):
                        use = _AttributeUse(class_.name, target.id, target.lineno)
                        self.fields.setdefault(target.id, use)
        for node in ast.walk(class_):
            if isinstance(node, ast.Attribute):
                use = _AttributeUse(class_.name, node.attr, node.lineno)
                self._add_attribute(node, use, is_config)

    def _add_attribute(
        self, node: ast.Attribute, use: _AttributeUse, is_config: bool
    ) -> None:
        is_of_self = isinstance(node.value, ast.Name) and node.value.id == "self"
        if isinstance(node.ctx, ast.Load):
            reads = self.fields_read if _is_config(node.value) else self.loaded
            reads.setdefault(node.attr, use)
        elif isinstance(node.ctx, ast.Store) and is_of_self:
            self.stored.setdefault(node.attr, use)
            if is_config:
                self.fields.setdefault(node.attr, use)


def _targets(statement: ast.AnnAssign | ast.Assign) -> list[ast.expr]:
    """Return the targets of an assignment; `x = y = 1` has two."""
    if isinstance(statement, ast.AnnAssign):
        return [statement.target]
    return statement.targets


def _is_config(node: ast.expr) -> bool:
    """Return whether an expression is `config` or ends with `.config`."""
    if isinstance(node, ast.Name):
        return node.id == "config"
    return isinstance(node, ast.Attribute) and node.attr == "config"


class _Modules:
    """The modules of some texts, each read when it is first needed."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._modules: dict[str, Module] = {}

    def find_class(self, path: str, name: str) -> DefinitionView | None:
        """Return a class; None if the texts have no readable class of that name."""
        if path not in self._texts:
            return None
        if path not in self._modules:
            text = blank_unreadable_statements(self._texts[path], path)
            self._modules[path] = modules.read(path, text)
        return class_named(self._modules[path], name)


def _read_inheritances(engine: Engine, modular_path: str) -> list[Inheritance]:
    """Return the inheritances of all classes of a modular file."""
    text = engine.source(modular_path)
    if engine.results[modular_path].failed:
        text = blank_unreadable_statements(text, modular_path)
    modular_file = engine.batches.local_converter().read(modular_path, text)
    return [] if modular_file is None else find_inheritances(modular_file)


def _compare_parents(
    child: DefinitionView, old_parent: DefinitionView, new_parent: DefinitionView
) -> Iterator[Breakage]:
    """Yield the methods that a child class relies on and that its parent changed.

    A breakage is the use or the override of a method that is gone, or the override of a
    method with other parameters.
    """
    overrides = find_methods(child.body.statements)
    new_methods = find_methods(new_parent.body.statements)
    for name, old_method in find_methods(old_parent.body.statements).items():
        method = f"`{new_parent.name}.{name}`"
        override = overrides.get(name)
        new_method = new_methods.get(name)
        place = None
        message = ""
        if override is not None and new_method is None:
            place = place_of(override.header)
            message = f"overrides {method}, which is gone"
        elif override is not None and new_method is not None:
            if _has_other_parameters(old_method, new_method, override):
                place = place_of(override.header)
                parameters = ", ".join(new_method.parameters)
                message = (
                    f"overrides {method}, whose parameters changed to `({parameters})`"
                )
        elif new_method is None:
            place = _find_use(child.code, name)
            message = f"uses {method}, which is gone"
        if place is not None:
            yield Breakage(place, child.name, name, message)


def _has_other_parameters(
    old_method: DefinitionView, new_method: DefinitionView, override: DefinitionView
) -> bool:
    """Return whether a parent's method has new parameters that an override lacks."""
    if new_method.parameters in (old_method.parameters, override.parameters):
        return False
    return f"**{SUPER_KWARGS}" not in override.parameters


def _find_use(code: SourceSlice, name: str) -> Place | None:
    """Return the first use of an attribute of `self` or `super()` in some code."""
    for attribute in (f"self.{name}", f"super().{name}"):
        for start in find_word(code.mask, attribute):
            return place_of_word(code.cut(start), name)
    return None
