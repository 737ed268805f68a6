"""Compares parent files with their texts before a change."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from modular.semantics.meanings import Definition
from modular.semantics.resolver import Resolver
from modular.source import module as modules
from modular.source.blocks import Kind
from modular.source.definition_view import view_definition
from modular.source.half_typed import blank_unreadable_statements
from modular.source.module import Module
from modular.source.unreadable import UnreadableError


class ChangedParent(NamedTuple):
    """A parent file before and after a change."""

    old: Module
    new: Module


class ParentChanges:
    """The changes of parent files. Each file is compared once."""

    def __init__(
        self, old_texts: Mapping[str, str], new_texts: Mapping[str, str]
    ) -> None:
        """Prepare to compare files; each is compared when it is asked for.

        Args:
            old_texts: Texts of files before the change, by path.
            new_texts: Texts of files after the change, by path.
        """
        self._old_texts = old_texts
        self._new_texts = new_texts
        # What was found so far, by path.
        self._changed_names: dict[str, frozenset[str]] = {}
        self._parents: dict[str, ChangedParent] = {}

    def changed_names(self, path: str) -> frozenset[str]:
        """Return the classes and functions of a file whose change can affect other files.

        These are the functions whose headers changed, the classes whose code changed,
        and the classes of the same file that inherit from them. A file that is new or
        gone has none.
        """
        if path in self._changed_names:
            return self._changed_names[path]
        names: frozenset[str] = frozenset()
        old_text = self._old_texts.get(path)
        new_text = self._new_texts.get(path)
        is_new_or_gone = old_text is None or new_text is None
        if not is_new_or_gone and old_text != new_text:
            names = _find_changed_names(
                modules.read(path, self._old_texts[path]),
                modules.read(path, self._new_texts[path]),
            )
        self._changed_names[path] = names
        return names

    def files_with_changed_names(self, paths: Iterable[str]) -> set[str]:
        """Return the files, among the given ones, with changed classes or functions."""
        return {path for path in paths if self.changed_names(path)}

    def read_versions(self, path: str) -> ChangedParent:
        """Return a file before and after the change, without unreadable statements.

        Args:
            path: The file, which must exist before and after the change.
        """
        if path not in self._parents:
            old_text = blank_unreadable_statements(self._old_texts[path], path)
            new_text = blank_unreadable_statements(self._new_texts[path], path)
            self._parents[path] = ChangedParent(
                old=modules.read(path, old_text), new=modules.read(path, new_text)
            )
        return self._parents[path]


def _find_changed_names(old: Module, new: Module) -> frozenset[str]:
    """Return the changed classes and functions of a file.

    A class that inherits from a changed class of the file is changed, too. The code is
    compared as text, so only a file with a change is parsed.
    """
    old_texts = _texts_to_compare(old)
    new_texts = _texts_to_compare(new)
    changed = set()
    for name in old_texts.keys() | new_texts.keys():
        if old_texts.get(name) != new_texts.get(name):
            changed.add(name)
    if changed:
        _add_subclasses(old, changed)
        _add_subclasses(new, changed)
    return frozenset(changed)


def _texts_to_compare(module: Module) -> dict[str, str]:
    """Return the text of each class, and the header of each function, by name.

    Another file can only depend on these: a change in the body of a function does not
    break a call of it.
    """
    texts = {}
    for statement in module.block.statements:
        if statement.kind is Kind.CLASS:
            texts[statement.name] = statement.code.text
        elif statement.kind is Kind.FUNCTION:
            texts[statement.name] = view_definition(statement).header.text
    return texts


def _add_subclasses(module: Module, names: set[str]) -> None:
    """Add the subclasses of some classes of a file to the set of their names.

    A class whose bases cannot be read counts as a subclass.
    """
    resolver = Resolver.of_file(module)
    subclasses = set()
    for statement in module.block.statements:
        if statement.kind is not Kind.CLASS:
            continue
        class_ = Definition(module.path, statement.name, Kind.CLASS)
        try:
            ancestors = resolver.ancestors(class_).classes
        except UnreadableError:
            subclasses.add(statement.name)
            continue
        has_such_ancestor = any(
            isinstance(ancestor, Definition) and ancestor.name in names
            for ancestor in ancestors
        )
        if has_such_ancestor:
            subclasses.add(statement.name)
    names |= subclasses
