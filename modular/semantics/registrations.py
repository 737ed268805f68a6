"""Finds the names of a file that a statement changes through what it calls."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from modular.semantics.facts import Mention, Usage, When
from modular.semantics.statements import facts_of, facts_of_header
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.walking import walk


_HARMLESS_METHODS = frozenset(
    (
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
    )
)
"""Methods of Python's values and of loggers that do not change the object."""

_SUBCLASS_HOOK = "__init_subclass__"

_MAX_CALL_DEPTH = 8
"""Number of functions that are looked at, each called by the one before it."""


class Registrations:
    """Finds the names of a file that its statements change through what they call.

    With `def register(f): TABLE[f.__name__] = f`, both `register(relu)` and a function
    with the decorator `@register` change `TABLE`. `LAST = ITEMS.pop()` changes `ITEMS`.
    """

    def __init__(self, definitions: Mapping[str, Statement]) -> None:
        """Prepare to read statements.

        Args:
            definitions: The functions, classes and assignments of the file by name.
        """
        self._definitions = definitions
        # The names that each called function, decorator or base changes. The keys are
        # the usage, such as `CALLED`, and the parts of the dotted name.
        self._names_by_called_code: dict[tuple[str, ...], frozenset[str]] = {}

    def names_changed_by(self, statement: Statement) -> set[str]:
        """Return the names that a statement at module level changes by its calls.

        Calls in the body of a function do not count, because it runs later. For a class,
        the names that its body changes, as `TABLE["x"] = 1` does, count, too.
        """
        names: set[str] = set()
        for current in walk([statement], _statements_of_class):
            is_in_class = current is not statement
            if not self._may_change_name(current, is_in_class):
                continue
            read_facts = facts_of_header if current.is_definition else facts_of
            for mention in read_facts(current).mentions:
                if mention.when is not When.NOW:
                    continue
                names |= self._names_changed_by_mention(mention)
                if is_in_class and self._changes_value(mention):
                    names.add(mention.name)
        return names

    def _may_change_name(self, statement: Statement, is_in_class: bool) -> bool:
        """Whether the text of a statement shows that it may change a name of the file.

        Parsing is slow, and most statements change no name.
        """
        if statement.kind is Kind.IMPORT:
            return False
        if is_in_class:
            return not self._definitions.keys().isdisjoint(statement.words)
        # At module level, only calls and decorators are looked for.
        masked_text = statement.code.masked_text
        return "(" in masked_text or "@" in masked_text

    def _names_changed_by_mention(self, mention: Mention) -> AbstractSet[str]:
        """Return the names of the file that change when Python evaluates a mention.

        For the mention of `register` in `register(x)`, these are all names that the
        function `register` changes. A mention that runs no code of the file changes none.
        """
        if mention.name not in self._definitions:
            return frozenset()
        # `next(ITEMS)` takes an item from `ITEMS`.
        if mention.passed_to == "next":
            return frozenset({mention.name})
        runs_code = mention.usage in (Usage.CALLED, Usage.DECORATOR, Usage.BASE)
        if not runs_code:
            return frozenset()
        called_code = (mention.usage.name, mention.name, *mention.attributes)
        if called_code not in self._names_by_called_code:
            changed_names = frozenset(self._find_changed_names(mention))
            self._names_by_called_code[called_code] = changed_names
        return self._names_by_called_code[called_code]

    def _find_changed_names(self, mention: Mention) -> set[str]:
        """Return the names that a call changes, also through functions that it calls.

        Names after `global` in a called function count as changed.

        Args:
            mention: The mention of the called function, decorator or base.
        """
        names: set[str] = set()
        visited: set[Statement] = set()
        # Mentions that are still to be read, each with the number of calls that lead to it.
        waiting = [(mention, 0)]
        while waiting:
            current_mention, call_depth = waiting.pop()
            if self._changes_value(current_mention):
                names.add(current_mention.name)
            if call_depth == _MAX_CALL_DEPTH:
                continue
            for function in self._find_called_code(current_mention):
                if function in visited:
                    continue
                visited.add(function)
                facts = facts_of(function)
                names |= facts.nested_global_names
                # The call runs the body of the function, also the generators in it.
                for inner_mention in facts.mentions:
                    if inner_mention.when in (When.LATER, When.ITERATED):
                        waiting.append((inner_mention, call_depth + 1))
        return names

    def _changes_value(self, mention: Mention) -> bool:
        """Whether the code that mentions a name may change the value of the name itself.

        `TABLE.pop()`, `TABLE["x"] = 1`, `TABLE.x = 1` and `next(TABLE)` may. `TABLE = {}`
        does not: it gives the name another value.
        """
        definition = self._definitions.get(mention.name)
        if definition is None:
            return False
        if mention.usage in (Usage.CALLED, Usage.DECORATOR):
            # For a class `Layer`, `Layer.build()` is no method of a value.
            is_method = bool(mention.attributes) and definition.kind is not Kind.CLASS
            return is_method and mention.attributes[-1] not in _HARMLESS_METHODS
        if mention.passed_to == "next":
            return True
        is_part_of_value = bool(mention.attributes) or mention.usage is Usage.CHANGED
        return mention.changes and is_part_of_value

    def _find_called_code(self, mention: Mention) -> Iterator[Statement]:
        """Yield the functions that run when Python evaluates a mention of a name.

        For `register(x)` and `@register`, yield the function `register`. For a class
        `Layer`, yield the method `build` for `Layer.build()`, all special methods for
        `Layer()`, and `__init_subclass__` for a child of `Layer`.
        """
        definition = self._definitions.get(mention.name)
        if definition is None:
            return
        # `class Child(Layer)`
        if mention.usage is Usage.BASE:
            if _SUBCLASS_HOOK in definition.words:
                yield from _methods_of(definition, _SUBCLASS_HOOK)
        elif mention.usage in (Usage.CALLED, Usage.DECORATOR):
            # `Layer.build()` and `Layer()`
            if definition.kind is Kind.CLASS:
                method = mention.attributes[-1] if mention.attributes else ""
                yield from _methods_of(definition, method)
            # `register(x)`, but not `TABLE.update(x)`
            elif not mention.attributes:
                yield definition


def _statements_of_class(statement: Statement) -> Sequence[Statement]:
    """Return the statements in the body of a class; none for another statement."""
    if statement.kind is not Kind.CLASS:
        return ()
    return view_definition(statement).body.statements


def _methods_of(class_: Statement, name: str = "") -> Iterator[Statement]:
    """Yield the methods of a class with a name, or all special methods."""
    for member in view_definition(class_).body.statements:
        is_special = not name and member.name.startswith("__")
        if member.kind is Kind.FUNCTION and (is_special or member.name == name):
            yield member
