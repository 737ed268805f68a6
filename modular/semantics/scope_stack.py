"""Finds the names in code that mean variables of nested functions and other scopes.

Such a variable is hidden from the code around its scope. All steps take time that grows
with the length of the code, however deeply its functions are nested: when a scope ends,
it hands its table of names over to the scope around it, and the smaller of the two
tables is merged into the larger one.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from modular.semantics.facts import (
    BINDING_USAGES,
    Call,
    Mention,
    NestedScope,
    ScopeKind,
    SuperUse,
    Usage,
    When,
)


@dataclass(eq=False)
class Scope:
    """A function, class or comprehension that is being read, or the code itself.

    Attributes:
        kind: Its kind; None for the code itself.
        name: The name of the function or class.
        node: The node of the function, class or comprehension; None for the code itself.
        outer: The scope around it; None for the code itself.
        line: The line on which it begins.
        when: When its code runs, seen from the code itself.
        parameters: The parameters of a function.
        bound_names: The names that its own code binds or deletes.
        global_names: The names in its `global` statements.
        nonlocal_names: The names in its `nonlocal` statements.
        mentions: The indexes of the mentions of each name. Nested scopes are included,
            except for the variables that they hide.
        calls: The indexes of the calls in which each name is the function or an argument.
            Nested scopes are included in the same way.
        own_mentions: The indexes of the mentions in the body of a class, without those
            in nested functions.
    """

    kind: Final[ScopeKind | None]
    name: Final[str] = ""
    node: Final[ast.AST | None] = None
    outer: "Final[Scope | None]" = None
    line: Final[int] = 1
    when: Final[When] = When.NOW
    parameters: Final[set[str]] = field(default_factory=set)
    bound_names: Final[set[str]] = field(default_factory=set)
    global_names: Final[set[str]] = field(default_factory=set)
    nonlocal_names: Final[set[str]] = field(default_factory=set)
    mentions: dict[str, list[int]] = field(default_factory=dict)
    calls: dict[str, list[int]] = field(default_factory=dict)
    own_mentions: Final[list[int]] = field(default_factory=list)


class ScopeStack:
    """Records mentions and calls, and finds the variables of nested scopes in them."""

    def __init__(self) -> None:
        """Begin in the scope of the code itself."""
        # The scopes around the current code, the outermost first.
        self._scopes = [Scope(kind=None)]
        # The nested scopes that have ended, and what the facts say about each of them.
        self.ended: Final[list[Scope]] = []
        self._nested: list[NestedScope] = []
        # All mentions, and the node of each mention at the same index.
        self._mentions: list[Mention] = []
        self._nodes: list[ast.AST] = []
        # The nested scope that has the variable of a mention, by the index of the mention.
        self._scopes_of_hidden: dict[int, Scope] = {}
        self._calls: list[Call] = []
        self._super_uses: list[SuperUse] = []
        # The index of the call that a use of `super` is part of, by the index of the use.
        self._calls_of_super: dict[int, int] = {}
        # The names in the `global` statements of nested scopes.
        self.nested_global_names: Final[set[str]] = set()
        # Attributes that are read from hidden variables: `size` in `x.size`.
        self.hidden_attributes: Final[set[str]] = set()

    @property
    def current(self) -> Scope:
        """The scope that is being read."""
        return self._scopes[-1]

    def begin(self, kind: ScopeKind, name: str, node: ast.AST, line: int) -> Scope:
        """Start a nested scope in the current one, and return it.

        Args:
            kind: Its kind.
            name: The name of the function or class; empty for other scopes.
            node: Its node.
            line: The line on which it begins, from 1.
        """
        when = self.current.when
        # The body of a function runs later, and a generator while it is iterated over.
        if kind in (ScopeKind.FUNCTION, ScopeKind.LAMBDA):
            when = When.LATER
        elif kind is ScopeKind.GENERATOR and when is not When.LATER:
            when = When.ITERATED
        scope = Scope(kind, name, node, self.current, line, when)
        self._scopes.append(scope)
        return scope

    def add_mention(
        self, mention: Mention, node: ast.AST, *, skips_comprehensions: bool
    ) -> None:
        """Record a mention in the current scope.

        Args:
            mention: The mention.
            node: The node that has the name.
            skips_comprehensions: Whether it belongs to the scope around comprehensions, as
                the target of `x := 1` does.
        """
        scope = self.current
        if skips_comprehensions:
            while scope.kind in _COMPREHENSIONS:
                assert scope.outer is not None, "code is around each comprehension"
                scope = scope.outer
        index = len(self._mentions)
        self._mentions.append(mention)
        self._nodes.append(node)
        scope.mentions.setdefault(mention.name, []).append(index)
        if binds_variable(mention):
            scope.bound_names.add(mention.name)
        if scope.kind is ScopeKind.CLASS:
            scope.own_mentions.append(index)

    def add_call(self, call: Call) -> int:
        """Record a call in the current scope, and return its index."""
        index = len(self._calls)
        self._calls.append(call)
        for name in _first_names(call):
            self.current.calls.setdefault(name, []).append(index)
        return index

    def add_super_use(self, use: SuperUse, call_index: int | None) -> None:
        """Record a use of `super` in the current scope.

        Args:
            use: The use. `super_uses` fills in its call.
            call_index: The index of the call that it is part of; None if it is not
                called.
        """
        if call_index is not None:
            self._calls_of_super[len(self._super_uses)] = call_index
        self._super_uses.append(use)

    def end(self) -> None:
        """End the current scope, and hide its variables from the code around it.

        All other names, such as the `y` in `lambda x: x + y`, then count as mentions in
        the scope around it.
        """
        scope = self._scopes.pop()
        self.ended.append(scope)
        assert scope.kind is not None
        outer_names = scope.global_names | scope.nonlocal_names
        variables = scope.parameters | (scope.bound_names - outer_names)
        if scope.kind is ScopeKind.CLASS:
            self._hide_variables_of_class(scope, variables)
        else:
            self._hide(scope, variables)
        self._take_out_global_names(scope)

        self._nested.append(
            NestedScope(
                kind=scope.kind,
                name=scope.name,
                depth=len(self._scopes) - 1,
                variables=frozenset(variables),
                line=scope.line,
            )
        )
        self.current.mentions = _merge_indexes(self.current.mentions, scope.mentions)
        self.current.calls = _merge_indexes(self.current.calls, scope.calls)

    def _take_out_global_names(self, scope: Scope) -> None:
        """Take the names that a scope declares `global` out of its tables.

        They mean variables of the module. If they stayed in the tables, a function around
        the scope that has a variable of the same name would hide them. The functions in a
        class do not see its `global` statement, so their mentions of the name stay.
        """
        self.nested_global_names.update(scope.global_names)
        for name in scope.global_names:
            mentions = scope.mentions.pop(name, [])
            if scope.kind is ScopeKind.CLASS:
                own_mentions = set(scope.own_mentions)
                scope.mentions[name] = [i for i in mentions if i not in own_mentions]
            else:
                scope.calls.pop(name, None)

    def _hide_variables_of_class(self, scope: Scope, variables: set[str]) -> None:
        """Hide the mentions in a class body that mean variables of the class.

        A variable exists from its first assignment on: in a class body with `a = x`, then
        `x = 1`, then `b = x`, the first `x` means a variable from outside. Functions in
        the class never see the variables of the class.
        """
        bound_so_far: set[str] = set()
        for index in scope.own_mentions:
            mention = self._mentions[index]
            if mention.name in variables and binds_variable(mention):
                bound_so_far.add(mention.name)
            if mention.name in bound_so_far:
                self._hide_mention(index, scope)

    def _hide(self, scope: Scope, variables: set[str]) -> None:
        """Hide the variables of a nested scope from the code around it.

        In `[f(x) for x in y]`, `x` is a variable of the comprehension. So the mentions
        of `x` are hidden, and the argument of the call `f(x)` gets no name.
        """
        hidden_by_call: dict[int, set[str]] = {}
        for variable in variables:
            for index in scope.mentions.pop(variable, []):
                self._hide_mention(index, scope)
            for index in scope.calls.pop(variable, []):
                hidden_by_call.setdefault(index, set()).add(variable)
        for index, hidden_names in hidden_by_call.items():
            self._calls[index] = _without_names(self._calls[index], hidden_names)

    def _hide_mention(self, index: int, scope: Scope) -> None:
        """Record that a mention means a variable of a nested scope."""
        self._scopes_of_hidden[index] = scope
        self.hidden_attributes.update(self._mentions[index].attributes)

    def all_mentions(self) -> Iterator[tuple[Mention, ast.AST, Scope]]:
        """Yield each mention, its node, and the scope whose variable it means."""
        code = self._scopes[0]
        for index, mention in enumerate(self._mentions):
            scope = self._scopes_of_hidden.get(index, code)
            yield mention, self._nodes[index], scope

    def mentions(self) -> tuple[Mention, ...]:
        """Return the mentions that mean no variable of a nested scope."""
        return tuple(
            mention
            for index, mention in enumerate(self._mentions)
            if index not in self._scopes_of_hidden
        )

    def calls(self) -> tuple[Call, ...]:
        """Return all calls."""
        return tuple(self._calls)

    def super_uses(self) -> tuple[SuperUse, ...]:
        """Return all uses of `super`, with their calls."""
        uses = list(self._super_uses)
        for index, call_index in self._calls_of_super.items():
            uses[index] = uses[index]._replace(call=self._calls[call_index])
        return tuple(uses)

    def nested(self) -> tuple[NestedScope, ...]:
        """Return the nested scopes. A scope comes after the scopes inside it."""
        return tuple(self._nested)


_COMPREHENSIONS = (ScopeKind.COMPREHENSION, ScopeKind.GENERATOR)


def binds_variable(mention: Mention) -> bool:
    """Whether a mention gives a variable a value, or deletes it."""
    is_binding = mention.usage in BINDING_USAGES or mention.usage is Usage.DELETED
    return is_binding and not mention.attributes


def _first_names(call: Call) -> set[str]:
    """Return the variables in a call: `f` and `x` in `f(x.y)`."""
    names = {call.function.partition(".")[0], call.table.partition(".")[0]}
    for argument in call.arguments:
        names.add(argument.name.partition(".")[0])
    return names - {""}


def _without_names(call: Call, names: set[str]) -> Call:
    """Return a call in which some variables are no longer named.

    For the call `f(x.y)` and the variable `x`, the argument counts as an expression
    without a name.
    """
    arguments = []
    for argument in call.arguments:
        if argument.name.partition(".")[0] in names:
            argument = argument._replace(name="")
        arguments.append(argument)
    function = call.function
    if function.partition(".")[0] in names:
        function = ""
    table = call.table
    if table.partition(".")[0] in names:
        table = ""
    return call._replace(function=function, arguments=tuple(arguments), table=table)


def _merge_indexes(
    outer: dict[str, list[int]], inner: dict[str, list[int]]
) -> dict[str, list[int]]:
    """Merge the indexes of the mentions, or of the calls, in two scopes by name.

    The smaller table is added to the larger one, and the shorter list of each name to the
    longer one. Otherwise, deeply nested functions would take quadratic time.
    """
    smaller, larger = sorted((outer, inner), key=len)
    for name, indexes in smaller.items():
        shorter, longer = sorted((larger.get(name, []), indexes), key=len)
        longer.extend(shorter)
        larger[name] = longer
    return larger
