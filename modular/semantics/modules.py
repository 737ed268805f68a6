"""Tells which statements of a module bind, delete or change a name."""

from collections.abc import Collection, Iterator
from enum import Enum
from typing import NamedTuple
from weakref import WeakKeyDictionary

from modular.semantics.facts import (
    BINDING_USAGES,
    CodeFacts,
    Mention,
    Usage,
    When,
)
from modular.semantics.statements import bound_names_without_parsing, facts_of
from modular.source.blocks import Kind, Statement
from modular.source.import_statements import import_of, imported_names
from modular.source.module import Module
from modular.source.source_slice import has_word, words


class Effect(Enum):
    """What a statement at module level does to a name."""

    BINDS = "TABLE = {}"
    DELETES = "del TABLE"
    CHANGES = "TABLE['x'] = 1"
    MAY_CHANGE = "TABLE.update(x)"


class NameEffect(NamedTuple):
    """What one statement at module level does to a name.

    Attributes:
        statement: The statement.
        position: Its index among the statements of the module.
        effect: What it does. `A += 1` binds `A`, and also reads it.
        usage: How the statement uses the name, such as `IMPORTED`.
        is_conditional: Whether it may be skipped, as in an `if` or a `try`.
    """

    statement: Statement
    position: int
    effect: Effect
    usage: Usage
    is_conditional: bool = False


def effects_on(module: Module, name: str) -> tuple[NameEffect, ...]:
    """Return what the statements of a module do to a name at module level, in order.

    A statement that affects the name in several ways has several effects. The bodies of
    functions and classes are not parsed, so what they change after `global` is missing.
    """
    index = _index_statements(module)
    statements = [*index.definitions.get(name, ()), *index.imports.get(name, ())]
    for numbered in index.others:
        if has_word(numbered.statement.code.text, name):
            statements.append(numbered)
    return tuple(_effects_of_name(statements, name))


def bindings_of(module: Module, name: str) -> tuple[NameEffect, ...]:
    """Return how the statements of a module bind or delete a name, in their order.

    `effects_on` also returns other effects, but has to parse more statements for them.
    """
    index = _index_statements(module)
    if name not in index.bindings:
        effects = _effects_of_name(_find_binding_statements(index, name), name)
        index.bindings[name] = tuple(
            effect for effect in effects if effect.effect in _BINDING_EFFECTS
        )
    return index.bindings[name]


def _find_binding_statements(
    index: "_StatementIndex", name: str
) -> "list[_NumberedStatement]":
    """Return the statements that may bind or delete a name."""
    return [
        *index.definitions.get(name, ()),
        *index.imports.get(name, ()),
        *index.possible_bindings.get(name, ()),
    ]


def _names_possibly_bound(statement: Statement) -> Collection[str]:
    """Return the names that a statement may bind.

    If the text of the statement does not show them, these are all its words.
    """
    bound_names = bound_names_without_parsing(statement)
    if bound_names is not None:
        return bound_names
    # The masked text has no strings, but an f-string can bind a name: `f"{(x := 1)}"`.
    return words(statement.code.text)


_BINDING_EFFECTS = frozenset({Effect.BINDS, Effect.DELETES})


def _effects_of_name(
    statements: "list[_NumberedStatement]", name: str
) -> Iterator[NameEffect]:
    """Yield what some statements of a module do to a name, in their order.

    Args:
        statements: The statements. Imports among them must bind the name.
        name: The name.
    """
    for position, statement in sorted(statements, key=lambda item: item.position):
        if statement.kind is Kind.IMPORT and import_of(statement) is not None:
            yield NameEffect(statement, position, Effect.BINDS, Usage.IMPORTED)
            continue
        for affected_name, effect in effects_of_statement(statement, position):
            if affected_name == name:
                yield effect


class _NumberedStatement(NamedTuple):
    """A statement of a module, and its position among all statements."""

    position: int
    statement: Statement


class _StatementIndex(NamedTuple):
    """The statements of a module, by the names that they bind.

    Attributes:
        definitions: The functions and classes of each name.
        imports: The imports of each name.
        others: All other statements.
        possible_bindings: Those that bind or delete a name, or must be parsed to tell.
        bindings: The answers of `bindings_of` so far, by name.
    """

    definitions: dict[str, list[_NumberedStatement]]
    imports: dict[str, list[_NumberedStatement]]
    others: list[_NumberedStatement]
    possible_bindings: dict[str, list[_NumberedStatement]]
    bindings: dict[str, tuple[NameEffect, ...]]


_INDEXES: WeakKeyDictionary[Module, _StatementIndex] = WeakKeyDictionary()
"""The index of each module that is still in use."""


def _index_statements(module: Module) -> _StatementIndex:
    """Return the index of the statements of a module, by the names that they bind.

    The index is made only once for each module. Definitions and imports are listed by the
    names that their text shows. All other statements must be searched or parsed.
    """
    index = _INDEXES.get(module)
    if index is not None:
        return index
    index = _StatementIndex(
        definitions={}, imports={}, others=[], possible_bindings={}, bindings={}
    )
    for position, statement in enumerate(module.block.statements):
        numbered = _NumberedStatement(position, statement)
        if statement.is_definition:
            index.definitions.setdefault(statement.name, []).append(numbered)
        elif statement.kind is Kind.IMPORT and import_of(statement) is not None:
            # `import a.b` and `import a.c` both bind `a`.
            names = {name.partition(".")[0] for name in imported_names(statement)}
            for name in names:
                index.imports.setdefault(name, []).append(numbered)
        else:
            index.others.append(numbered)
            for name in _names_possibly_bound(statement):
                index.possible_bindings.setdefault(name, []).append(numbered)
    _INDEXES[module] = index
    return index


def effects_of_statement(
    statement: Statement, position: int = 0
) -> Iterator[tuple[str, NameEffect]]:
    """Yield each name that a statement affects, with what it does to the name.

    `A, B = 1, 2` binds `A` and `B`, and `TABLE.update(x)` may change `TABLE`.

    Args:
        statement: The statement.
        position: Its index among the statements of the module.
    """
    # Most statements of a module are definitions and imports. Their text shows what they
    # bind, and reading facts about them is slow.
    if statement.is_definition:
        is_class = statement.code.masked_text.startswith(
            "class", statement.header_start
        )
        usage = Usage.CLASS if is_class else Usage.FUNCTION
        yield statement.name, NameEffect(statement, position, Effect.BINDS, usage)
        return
    if statement.kind is Kind.IMPORT and import_of(statement) is not None:
        binding = NameEffect(statement, position, Effect.BINDS, Usage.IMPORTED)
        for name in imported_names(statement):
            if name != "*":
                # `import a.b` binds `a`.
                yield name.partition(".")[0], binding
        return
    for effect, mention in _effects_of(facts_of(statement)):
        name_effect = NameEffect(
            statement, position, effect, mention.usage, mention.is_conditional
        )
        yield mention.name, name_effect


def _effects_of(facts: CodeFacts) -> Iterator[tuple[Effect, Mention]]:
    """Yield the mentions that bind, delete or change a name, each with what it does.

    A call whose result is used, such as `SIZE = len(TABLE)`, is taken to change nothing.
    """
    calls_without_result = {
        call.function for call in facts.calls if call.result is Usage.IGNORED
    }
    changes_items = _changes_loop_variable(facts)
    for mention in facts.mentions:
        if mention.when is not When.NOW:
            continue
        if mention.attributes and mention.changes:
            # `Parent.extra = 5`
            yield Effect.CHANGES, mention
        elif mention.usage in _EFFECTS:
            # `TABLE = {}`, `del TABLE` and `TABLE["x"] = 1`
            yield _EFFECTS[mention.usage], mention
        elif mention.attributes and mention.usage is Usage.CALLED:
            # `TABLE.update(x)`
            if mention.dotted_name in calls_without_result:
                yield Effect.MAY_CHANGE, mention
        elif mention.passed_to and mention.passed_to in calls_without_result:
            # `register([TABLE])`
            yield Effect.MAY_CHANGE, mention
        elif changes_items and mention.usage in (Usage.STORED, Usage.ITERATED):
            # `TABLE` in `for x in TABLE: x.size = 1`
            yield Effect.MAY_CHANGE, mention


def _changes_loop_variable(facts: CodeFacts) -> bool:
    """Whether a loop changes the items that it gets: `for x in TABLE: x.size = 1`."""
    loop_variables = set()
    for mention in facts.mentions:
        if mention.usage is Usage.LOOP_TARGET:
            loop_variables.add(mention.name)
        elif mention.attributes and mention.changes and mention.name in loop_variables:
            return True
    return False


_EFFECTS = {
    **dict.fromkeys(BINDING_USAGES, Effect.BINDS),
    Usage.DELETED: Effect.DELETES,
    Usage.CHANGED: Effect.CHANGES,
}
"""What a usage does to a name without attributes."""
