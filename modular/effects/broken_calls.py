"""Finds calls in modular files whose arguments a changed parent no longer takes."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import libcst as cst

from modular.effects.breakage import Breakage
from modular.effects.overrides import Inheritance
from modular.lint.inherited_calls import find_mismatch
from modular.lint.rule import Syntax
from modular.rules.classes.methods import find_methods
from modular.rules.reading.modular_file import ModularFile
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import DefinitionView, class_named, view_definition
from modular.source.module import Module, statement_named
from modular.source.trees import node_text


_INIT = "__init__"


class ChangedParent(NamedTuple):
    """A parent file before and after a change."""

    old: Module
    new: Module


class _ChangedFunction(NamedTuple):
    """A function or method whose header a parent file changed.

    Attributes:
        title: Its name there, such as `LlamaModel.embed`.
        old: The function before the change.
        new: The function after it.
    """

    title: str
    old: DefinitionView
    new: DefinitionView


class _Callee(NamedTuple):
    """The text by which a modular file calls a function, such as `self.embed`.

    Attributes:
        text: The text.
        caller: The only class whose calls count; empty for all code.
        member: Name of the function.
        function: The function.
    """

    text: str
    caller: str
    member: str
    function: _ChangedFunction


def find_broken_calls(
    modular_file: ModularFile,
    inheritances: Iterable[Inheritance],
    parents: Mapping[str, ChangedParent],
) -> Iterator[Breakage]:
    """Yield the calls of a modular file that fit the parents only before a change.

    Args:
        modular_file: The modular file.
        inheritances: Its inheritances from the changed parent files.
        parents: The changed parent files by path.
    """
    callees = [
        *_inherited_callees(modular_file, inheritances, parents),
        *_imported_callees(modular_file, parents),
    ]
    definitions = modular_file.definitions
    for binding in (*definitions.classes.values(), *definitions.functions.values()):
        for callee in callees:
            yield from _check_calls(binding.statement, callee)


def _inherited_callees(
    modular_file: ModularFile,
    inheritances: Iterable[Inheritance],
    parents: Mapping[str, ChangedParent],
) -> Iterator[_Callee]:
    """Yield the changed methods and constructors that classes of a file inherit."""
    for child, path, parent_class in inheritances:
        changed = _changed_methods(parents[path], parent_class)
        for name, function in changed.items():
            heirs = _heirs(modular_file, child.name, name)
            for class_, bases in modular_file.bases.items():
                if class_ == child.name or not heirs.isdisjoint(bases):
                    yield _Callee(f"super().{name}", class_, name, function)
                if class_ in heirs and name == _INIT:
                    yield _Callee(class_, "", name, function)
                elif class_ in heirs:
                    yield _Callee(f"self.{name}", class_, name, function)


def _imported_callees(
    modular_file: ModularFile, parents: Mapping[str, ChangedParent]
) -> Iterator[_Callee]:
    """Yield the changed functions and constructors that a file imports."""
    for imported_name, path in modular_file.parent_of.items():
        if path in parents:
            name = modular_file.original_names[imported_name]
            function = _changed_import(parents[path], name)
            if function is not None:
                yield _Callee(imported_name, "", name, function)


def _changed_methods(
    parent: ChangedParent, class_: str
) -> Mapping[str, _ChangedFunction]:
    """Return the methods of a class, inherited ones included, whose headers changed."""
    old_methods = _find_all_methods(parent.old, class_)
    changed = {}
    for name, new_method in _find_all_methods(parent.new, class_).items():
        old_method = old_methods.get(name)
        if old_method is not None and old_method.header.mask != new_method.header.mask:
            title = f"{class_}.{name}"
            changed[name] = _ChangedFunction(title, old_method, new_method)
    return changed


def _find_all_methods(
    module: Module, class_: str, heirs: tuple[str, ...] = ()
) -> dict[str, DefinitionView]:
    """Return the methods of a class, and of its bases in the same file."""
    view = class_named(module, class_)
    if view is None or class_ in heirs:
        return {}
    methods: dict[str, DefinitionView] = {}
    for base in reversed(view.bases):
        methods |= _find_all_methods(module, base, (*heirs, class_))
    return methods | find_methods(view.body.statements)


def _changed_import(parent: ChangedParent, name: str) -> _ChangedFunction | None:
    """Return a function, or the constructor of a class, if its header changed."""
    old = statement_named(parent.old, name)
    new = statement_named(parent.new, name)
    if old is None or new is None or old.kind is not new.kind:
        return None
    if new.kind is Kind.CLASS:
        return _changed_methods(parent, name).get(_INIT)
    if new.kind is not Kind.FUNCTION:
        return None
    old_function = view_definition(old)
    new_function = view_definition(new)
    if old_function.header.mask == new_function.header.mask:
        return None
    return _ChangedFunction(name, old_function, new_function)


def _heirs(modular_file: ModularFile, class_: str, method: str) -> set[str]:
    """Return a class and those that inherit from it, unless they override a method."""
    heirs: set[str] = set()
    candidates = [class_]
    for candidate in candidates:
        view = view_definition(modular_file.definitions.classes[candidate].statement)
        if candidate in heirs or method in find_methods(view.body.statements):
            continue
        heirs.add(candidate)
        for name, bases in modular_file.bases.items():
            if candidate in bases:
                candidates.append(name)
    return heirs


def _check_calls(statement: Statement, callee: _Callee) -> Iterator[Breakage]:
    """Yield the calls of a function in a class or function that a change broke."""
    if callee.caller not in ("", statement.name):
        return
    if f"{callee.text}(" not in statement.code.mask:
        return
    syntax = Syntax.read(statement.bare_code)
    if syntax is None:
        return
    title, old, new = callee.function
    has_self = "." in title and "staticmethod" not in new.decorator_names
    for node in syntax.walk():
        if not isinstance(node, cst.Call) or node_text(node.func) != callee.text:
            continue
        mismatch = find_mismatch(node, new, has_self)
        if mismatch is not None and find_mismatch(node, old, has_self) is None:
            parameters = ", ".join(new.parameters)
            message = (
                f"calls `{callee.text}` {mismatch.description}: the parameters of "
                f"`{title}` changed to `({parameters})`"
            )
            yield Breakage(syntax.place(node), statement.name, callee.member, message)
