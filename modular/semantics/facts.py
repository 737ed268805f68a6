"""Facts about a piece of code: the names and calls in it, and what it returns.

The facts are values. They hold no syntax tree and no path, so they are the same for the
same text. `modular.semantics.fact_reader` reads them.

A fact that is not listed here is unknown. Code that can do anything, such as `exec(text)`,
has an item in `CodeFacts.opaque`, with the reason.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, TypeVar


_Result = TypeVar("_Result")


class Usage(Enum):
    """How code uses a name such as `x`, or a dotted name such as `self.size`.

    The first group binds the name, `DELETED` unbinds it, and the last group reads it.
    """

    ASSIGNED = "x = 1"
    AUGMENTED = "x += 1"
    ANNOTATED = "x: int = 1"
    DECLARED = "x: int"
    WALRUS = "(x := 1)"
    LOOP_TARGET = "for x in y"
    WITH_TARGET = "with y as x"
    CAUGHT = "except Error as x"
    MATCH_TARGET = "case [x]"
    IMPORTED = "import x"
    FUNCTION = "def x()"
    CLASS = "class x"
    TYPE_ALIAS = "type x = int"

    DELETED = "del x"

    CHANGED = "x[0] = 1"
    """An item of the object is set or deleted, or an attribute of an item of it."""

    CALLED = "x()"
    PASSED = "f(x)"
    ALIASED = "y = x"
    STORED = "[x]"
    """The object is put into a list or the like, or is the default of a parameter."""
    RETURNED = "return x"
    YIELDED = "yield x"
    AWAITED = "await x"
    OPERAND = "x + 1"
    IDENTITY = "x is None"
    SUBSCRIPTED = "x[0]"
    SUBSCRIPT = "y[x]"
    ITERATED = "for y in x"
    UNPACKED = "f(*x)"
    ENTERED = "with x"
    FORMATTED = 'f"{x}"'
    TESTED = "if x"
    RAISED = "raise x"
    MATCHED = "match x"
    DECORATOR = "@x"
    BASE = "class A(x)"
    ANNOTATION = "y: x"
    IGNORED = "x"
    """An expression statement that does nothing with the value."""


BINDING_USAGES = frozenset(
    {
        Usage.ASSIGNED,
        Usage.AUGMENTED,
        Usage.ANNOTATED,
        Usage.DECLARED,
        Usage.WALRUS,
        Usage.LOOP_TARGET,
        Usage.WITH_TARGET,
        Usage.CAUGHT,
        Usage.MATCH_TARGET,
        Usage.IMPORTED,
        Usage.FUNCTION,
        Usage.CLASS,
        Usage.TYPE_ALIAS,
    }
)
"""Usages that give a name a value, or declare it."""

CHANGING_USAGES = BINDING_USAGES | {Usage.DELETED, Usage.CHANGED}
"""Usages after which a name can have a different meaning."""

READING_USAGES = frozenset(Usage) - CHANGING_USAGES | {Usage.AUGMENTED, Usage.CHANGED}
"""Usages that need the value of a name. `x += 1` and `x[0] = 1` are among them."""


class When(Enum):
    """When a mention of a name is evaluated."""

    NOW = "when the statement runs"
    ITERATED = "when somebody iterates over a generator, which is mostly at once"
    """A generator that the statement surely consumes, as in `sum(x for x in y)`, is
    evaluated `NOW`."""
    LATER = "when a function runs that the statement defines"
    ANNOTATION = "in an annotation, which Python evaluates now, later or never"
    """Python 3.14 evaluates annotations later, and so do older versions after
    `from __future__ import annotations`. Annotations of the variables of a function are
    never evaluated."""
    QUOTED = "in an annotation in quotes, which Python does not evaluate itself"


class Mention(NamedTuple):
    """A mention of a variable, with the attributes after it.

    Attributes:
        name: The variable: `self` in `self.layers.append(x)`.
        attributes: The attributes after it: `layers` and `append`.
        usage: How the code uses the whole dotted name.
        when: When the mention is evaluated.
        is_conditional: Whether it may be skipped, as in an `if` or a `try`.
        passed_to: The dotted name of the function to which the value is passed, also in a
            list as in `f([x])`; empty for other usages, and for other functions.
        line: The line in the code, from 1.
    """

    name: str
    attributes: tuple[str, ...]
    usage: Usage
    when: When
    is_conditional: bool
    passed_to: str
    line: int

    @property
    def dotted_name(self) -> str:
        """The name with its attributes: `self.layers`."""
        return ".".join((self.name, *self.attributes))

    @property
    def changes(self) -> bool:
        """Whether it binds, deletes or changes the name."""
        return self.usage in CHANGING_USAGES

    @property
    def reads(self) -> bool:
        """Whether it needs the value of the name."""
        return self.usage in READING_USAGES

    @property
    def changes_object(self) -> bool:
        """Whether it certainly changes the object of the name, as `x.append(1)` does."""
        if self.usage is Usage.CALLED and self.attributes:
            return self.attributes[-1] in CHANGING_METHODS
        if self.usage is Usage.PASSED:
            return self.passed_to == "next"
        # `LOG.size = 1` changes the object of `LOG`, and `LOG = []` does not.
        changes_attribute = self.changes and bool(self.attributes)
        return self.usage is Usage.CHANGED or changes_attribute


class Argument(NamedTuple):
    """An argument of a call.

    Attributes:
        keyword: `n` for `n=1`; empty for a positional argument.
        stars: The stars before it: empty, `*` or `**`.
        name: The dotted name that is passed; empty for other expressions.
        string: The string that is passed; None for other expressions.
    """

    keyword: str
    stars: str
    name: str
    string: str | None


class Call(NamedTuple):
    """A call to a function.

    Attributes:
        function: The dotted name of the function; for `super().f(x)` this is
            `super().f`. Empty for other expressions, and for a variable of a nested
            function.
        arguments: Its arguments in their order.
        result: How the code uses the result.
        when: When the call is made.
        is_conditional: Whether the call may be skipped, as in an `if`.
        line: The line in the code, from 1.
        item_count: The number of targets to which an assignment unpacks the result: 2 for
            `a, b = f()`; None if it does not, or if one of them has a star.
        table: The dotted name of the table from which the function is taken: `LAYERS` for
            `LAYERS[kind](x)`; empty if it is not taken from one.
    """

    function: str
    arguments: tuple[Argument, ...]
    result: Usage
    when: When
    is_conditional: bool
    line: int
    item_count: int | None = None
    table: str = ""


class SuperForm(Enum):
    """The forms in which code uses `super`."""

    CALL = "super().f(x)"
    ATTRIBUTE = "super().f"
    OBJECT = "super()"
    FUNCTION = "super"


class SuperUse(NamedTuple):
    """A use of `super`.

    Attributes:
        form: Its form.
        method: The method or attribute: `f` in `super().f(x)`; empty in other forms.
        super_arguments: The arguments of `super`: `Child` and `self` in
            `super(Child, self).f(x)`. An argument that is not a dotted name is empty.
        call: The call to `super().f`; None in other forms.
        result: How the code uses the value: `IGNORED` if `super().f(x)` is a statement.
        when: When it is evaluated. `LATER` is in a nested function.
        is_conditional: Whether it may be skipped, as in an `if`.
        line: The line in the code, from 1.
    """

    form: SuperForm
    method: str
    super_arguments: tuple[str, ...]
    call: Call | None
    result: Usage
    when: When
    is_conditional: bool
    line: int


class ScopeKind(Enum):
    """The kinds of code with variables of its own."""

    FUNCTION = "def"
    LAMBDA = "lambda"
    CLASS = "class"
    COMPREHENSION = "comprehension"
    GENERATOR = "generator expression"
    """One that is consumed at once counts as a comprehension."""


class NestedScope(NamedTuple):
    """A function, class or comprehension inside the code.

    Attributes:
        kind: Its kind.
        name: The name of a function or class; empty for others.
        depth: 0 if it is in no other nested scope.
        variables: Its own variables, parameters included.
        line: The line in the code on which it begins, from 1.
    """

    kind: ScopeKind
    name: str
    depth: int
    variables: frozenset[str]
    line: int

    @property
    def runs_later(self) -> bool:
        """Whether its code runs later than the statement that contains it."""
        return self.kind in LATER_SCOPES


LATER_SCOPES = frozenset({ScopeKind.FUNCTION, ScopeKind.LAMBDA, ScopeKind.GENERATOR})
"""Scopes whose code runs when somebody calls them or iterates over them."""


class OpaqueReason(Enum):
    """Why the effects of some code are unknown."""

    UNREADABLE = "Python cannot parse it"
    UNKNOWN_SYNTAX = "it has syntax that is not known here"
    NAMESPACE = "it can read or set variables without naming them"
    DYNAMIC_ATTRIBUTE = "it computes the name of an attribute"
    ATTRIBUTE_TABLE = "it uses the table of all attributes"
    STAR_IMPORT = "it imports names that it does not list"
    FRAME = "it looks at the function in which it runs, or at the one that calls it"


TAKING_METHODS = frozenset({"pop", "popitem", "popleft"})
"""Methods that take an item out of a list, a set, a dictionary or a deque."""

ORDERED_METHODS = TAKING_METHODS | {"readline"}
"""Methods whose result depends on the calls before."""

CHANGING_METHODS = TAKING_METHODS | {
    "add",
    "append",
    "appendleft",
    "clear",
    "discard",
    "extend",
    "insert",
    "remove",
    "setdefault",
    "update",
}
"""Methods that change a list, a set, a dictionary or a deque."""


NAMESPACE_FUNCTIONS = frozenset(
    {"__import__", "dir", "eval", "exec", "globals", "locals", "vars"}
)
"""Functions that can read or set variables or attributes without naming them."""


ATTRIBUTE_FUNCTIONS: Mapping[str, Usage | None] = {
    "delattr": Usage.DELETED,
    "getattr": None,
    "hasattr": Usage.TESTED,
    "setattr": Usage.ASSIGNED,
}
"""Functions that use the attribute that their second argument names.

Each has the usage of the attribute; None for the usage of the call's result.
"""


class Opaque(NamedTuple):
    """Code whose effects are unknown, such as `locals()`.

    Attributes:
        reason: Why they are unknown.
        name: The function or dotted name, such as `locals` or `self.__dict__`.
        line: The line in the code, from 1.
    """

    reason: OpaqueReason
    name: str
    line: int


class Return(NamedTuple):
    """A `return` statement.

    Attributes:
        item_count: The number of items of its value: 2 for `return a, b`; None if it is
            unknown.
        is_none: Whether it is `return` or `return None`.
        is_super_call: Whether it is `return super().f(x)`.
    """

    item_count: int | None
    is_none: bool
    is_super_call: bool


@dataclass(frozen=True)
class Flow:
    """How a function with some code returns, nested functions left out.

    Attributes:
        returns: Its `return` statements.
        yields: Whether it contains `yield`, which makes a function a generator.
        awaits: Whether it contains `await`, `async for` or `async with`.
    """

    returns: tuple[Return, ...] = ()
    yields: bool = False
    awaits: bool = False


@dataclass(frozen=True)
class CodeFacts:
    """The facts about a statement, or about another piece of code.

    Its mentions leave out the variables of nested functions, classes and comprehensions,
    but include the names that they take from outside.

    Attributes:
        mentions: All mentions of names, in the order in which Python evaluates them.
            Those in a nested function are where the function is defined.
        calls: All calls, those in nested functions included.
        super_uses: All uses of `super`, those in nested functions included.
        scopes: The nested functions, classes and comprehensions, the innermost first.
        strings: The strings that could be names, as in `getattr(self, "size")`.
        unnamed_attributes: The attributes of expressions that are not names: `size` in
            `f().size`.
        nested_attributes: The attributes of variables of nested functions, classes and
            comprehensions: `size` in `[x.size for x in y]`.
        global_names: The names in its `global` statements.
        nonlocal_names: The names in its `nonlocal` statements.
        nested_global_names: The names in `global` statements of nested functions.
        flow: How a function with the code returns.
        opaque: The places whose effects are unknown.
    """

    mentions: tuple[Mention, ...] = ()
    calls: tuple[Call, ...] = ()
    super_uses: tuple[SuperUse, ...] = ()
    scopes: tuple[NestedScope, ...] = ()
    strings: frozenset[str] = frozenset()
    unnamed_attributes: frozenset[str] = frozenset()
    nested_attributes: frozenset[str] = frozenset()
    global_names: frozenset[str] = frozenset()
    nonlocal_names: frozenset[str] = frozenset()
    nested_global_names: frozenset[str] = frozenset()
    flow: Flow = Flow()
    opaque: tuple[Opaque, ...] = ()
    _memo: dict[Hashable, Any] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    def memoized(
        self, function: Callable[["CodeFacts", str], _Result], name: str
    ) -> _Result:
        """Return `function(facts, name)`, which is computed only once."""
        key = (function, name)
        if key not in self._memo:
            self._memo[key] = function(self, name)
        result: _Result = self._memo[key]
        return result

    def mentions_of(self, name: str) -> Iterator[Mention]:
        """Yield the mentions of a variable, such as `self`, and of its attributes."""
        for mention in self.mentions:
            if mention.name == name:
                yield mention

    @cached_property
    def variables(self) -> frozenset[str]:
        """The variables that the code binds or deletes, as `x = 1` and `del x` do.

        `x[0] = 1` only changes the value of `x`. The variables that a nested function
        binds after `nonlocal` or `global` are included.
        """
        names = set()
        for mention in self.mentions:
            is_whole_variable = not mention.attributes
            changes_only_value = mention.usage is Usage.CHANGED
            if mention.changes and is_whole_variable and not changes_only_value:
                names.add(mention.name)
        return frozenset(names)

    @cached_property
    def all_variables(self) -> frozenset[str]:
        """The variables that the code binds, those of nested functions included."""
        names = set(self.variables)
        for scope in self.scopes:
            names |= scope.variables
        return frozenset(names)

    @property
    def is_tied(self) -> bool:
        """Whether moving the code to another function may change what it does.

        `yield` makes a function a generator, `locals()` returns its variables, and
        `super()` in a class means the class around it.
        """
        return bool(
            self.opaque
            or self.global_names
            or self.nonlocal_names
            or self.nested_global_names
            or self.flow.yields
            or self.flow.awaits
            or any(scope.kind is ScopeKind.CLASS for scope in self.scopes)
        )

    @property
    def has_later_code(self) -> bool:
        """Whether it defines code that can run later, such as a function."""
        return any(scope.runs_later for scope in self.scopes)

    @cached_property
    def names(self) -> frozenset[str]:
        """All variables that the code mentions, nested functions included."""
        return frozenset(mention.name for mention in self.mentions)

    @cached_property
    def changed_names(self) -> frozenset[str]:
        """The dotted names that the code binds, deletes or changes when it runs.

        The code `x[0] = 1` changes `x`, `del self.size` deletes `self.size`, and
        `import a.b` binds `a`. What nested functions do later is left out.
        """
        return frozenset(
            mention.dotted_name
            for mention in self.mentions
            if mention.when is When.NOW and mention.changes
        )

    @cached_property
    def read_names(self) -> frozenset[str]:
        """The dotted names that the code reads when it runs.

        The code `y = x + self.size` reads `x` and `self.size`, but not `self`. Names in
        annotations are included, except for those in quotes.
        """
        return frozenset(
            mention.dotted_name
            for mention in self.mentions
            if mention.when in _AT_ONCE and mention.reads
        )

    @cached_property
    def names_read_later(self) -> frozenset[str]:
        """The dotted names that the functions in the code read when they run."""
        return frozenset(
            mention.dotted_name
            for mention in self.mentions
            if mention.when is When.LATER and mention.reads
        )

    @cached_property
    def variables_read_at_once(self) -> frozenset[str]:
        """The variables that the code reads when it runs.

        Names in annotations are included, except for those in quotes.
        """
        return self._variables_read(_AT_ONCE)

    @cached_property
    def variables_read_later(self) -> frozenset[str]:
        """The variables that nested functions and generators may read when they run."""
        return self._variables_read(_LATER)

    def _variables_read(self, times: frozenset[When]) -> frozenset[str]:
        """Return the variables that the code reads at certain times, now or later.

        Setting an attribute also reads the variable: `self.x = 1` reads `self`.

        Args:
            times: The times: `When.NOW` for code that runs at once, `When.LATER` for
                bodies of functions, and so on.
        """
        return frozenset(
            mention.name
            for mention in self.mentions
            if mention.when in times and (mention.reads or mention.attributes)
        )


_AT_ONCE = frozenset({When.NOW, When.ITERATED, When.ANNOTATION})
_LATER = frozenset({When.ITERATED, When.LATER})


def join_facts(parts: Sequence[CodeFacts]) -> CodeFacts:
    """Return the facts about several pieces of code that run one after the other."""
    return CodeFacts(
        mentions=tuple(chain.from_iterable(part.mentions for part in parts)),
        calls=tuple(chain.from_iterable(part.calls for part in parts)),
        super_uses=tuple(chain.from_iterable(part.super_uses for part in parts)),
        scopes=tuple(chain.from_iterable(part.scopes for part in parts)),
        strings=frozenset().union(*(part.strings for part in parts)),
        unnamed_attributes=frozenset().union(
            *(part.unnamed_attributes for part in parts)
        ),
        nested_attributes=frozenset().union(
            *(part.nested_attributes for part in parts)
        ),
        global_names=frozenset().union(*(part.global_names for part in parts)),
        nonlocal_names=frozenset().union(*(part.nonlocal_names for part in parts)),
        nested_global_names=frozenset().union(
            *(part.nested_global_names for part in parts)
        ),
        flow=_join_flows([part.flow for part in parts]),
        opaque=tuple(chain.from_iterable(part.opaque for part in parts)),
    )


def _join_flows(flows: Sequence[Flow]) -> Flow:
    """Return the flow of a function whose code consists of several parts."""
    return Flow(
        returns=tuple(chain.from_iterable(flow.returns for flow in flows)),
        yields=any(flow.yields for flow in flows),
        awaits=any(flow.awaits for flow in flows),
    )
