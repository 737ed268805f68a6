"""Finds the names of a file that a statement changes through what it calls."""

from collections.abc import Callable, Iterator

from modular.semantics.facts import CodeFacts, Mention, Usage, When
from modular.semantics.statements import facts_of, facts_of_header
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition


_HARMLESS_METHODS = frozenset(
    {
        "copy",
        "count",
        "debug",
        "endswith",
        "error",
        "format",
        "get",
        "index",
        "info",
        "items",
        "join",
        "keys",
        "lower",
        "replace",
        "split",
        "startswith",
        "strip",
        "upper",
        "values",
        "warning",
        "warning_once",
    }
)
"""Methods of Python's values and of loggers that do not change the object."""

_SUBCLASS_HOOK = "__init_subclass__"

FindDefinition = Callable[[str], Statement | None]
"""Returns the function, class or assignment of a file that has a name, or None."""


def names_changed_by_calls(
    statement: Statement, find_definition: FindDefinition
) -> set[str]:
    """Return the names of a file that a statement changes through what it calls.

    With `def register(f): TABLE[f.__name__] = f`, both `register(relu)` and a function
    with the decorator `@register` change `TABLE`. `LAST = ITEMS.pop()` changes `ITEMS`.

    Args:
        statement: A statement at module level.
        find_definition: Returns a definition of the file by its name.
    """
    mask = statement.code.mask
    if statement.kind is Kind.IMPORT or ("(" not in mask and "@" not in mask):
        return set()
    if statement.is_definition:
        facts = facts_of_header(statement)
    else:
        facts = facts_of(statement)
    reader = _CallReader(find_definition)
    for mention in facts.mentions:
        if mention.when is When.NOW:
            reader.read(mention)
    return reader.names


class _CallReader:
    """Collects the names that calls change.

    Attributes:
        names: The names so far.
    """

    def __init__(self, find_definition: FindDefinition) -> None:
        self.names: set[str] = set()
        self._find_definition = find_definition
        self._visited: set[Statement] = set()

    def read(self, mention: Mention) -> None:
        """Add the names that a call changes; other mentions change nothing."""
        waiting = [mention]
        while waiting:
            current = waiting.pop()
            for facts in self._read_mention(current):
                self.names |= facts.nested_global_names
                waiting += _mentions_in_functions(facts)

    def _read_mention(self, mention: Mention) -> Iterator[CodeFacts]:
        """Add the name that a mention changes, and yield the code that it runs."""
        definition = self._find_definition(mention.name)
        if definition is None:
            return
        changes_value = mention.changes and mention.when is not When.NOW
        is_item = bool(mention.attributes) or mention.usage is Usage.CHANGED
        is_used_up = mention.passed_to == "next"
        if is_used_up or (changes_value and is_item):
            self.names.add(mention.name)
        if mention.usage is Usage.BASE and _SUBCLASS_HOOK in definition.words:
            yield from self._facts_of_methods(definition, (_SUBCLASS_HOOK,))
        if mention.usage not in (Usage.CALLED, Usage.DECORATOR):
            return
        if definition.kind is Kind.CLASS:
            yield from self._facts_of_methods(definition, mention.attributes[-1:])
        elif mention.attributes:
            if mention.attributes[-1] not in _HARMLESS_METHODS:
                self.names.add(mention.name)
        elif definition not in self._visited:
            self._visited.add(definition)
            yield facts_of(definition)

    def _facts_of_methods(
        self, class_: Statement, names: tuple[str, ...]
    ) -> Iterator[CodeFacts]:
        """Yield the facts about methods of a class; without names, about special ones."""
        for member in view_definition(class_).body.statements:
            is_special = member.name.startswith("__") and not names
            is_run = member.name in names or is_special
            if member.kind is Kind.FUNCTION and is_run and member not in self._visited:
                self._visited.add(member)
                yield facts_of(member)


def _mentions_in_functions(facts: CodeFacts) -> Iterator[Mention]:
    """Yield the mentions of names in functions, which run when these are called."""
    for mention in facts.mentions:
        if mention.when in (When.LATER, When.ITERATED):
            yield mention
