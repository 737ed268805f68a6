"""Random statements and expressions, of every kind of Python's grammar.

Nearly all values are integers, so that statements can be put together freely and most
of them run. `trace.py`, which the projects import, records what they do.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


Lines = list[str]

TRACE = '''
"""Record what code does, and show values so that two runs can be compared."""

LOG = []


def note(tag, value=0):
    LOG.append((tag, show(value)))
    return value


def noted(function):
    def wrapper(*args, **kwargs):
        LOG.append("decorated")
        return function(*args, **kwargs)
    return wrapper


def named(function):
    def wrapper(*args, **kwargs):
        LOG.append(function.__name__)
        return function(*args, **kwargs)
    return wrapper


def tagged(tag):
    def decorate(target):
        if isinstance(target, type):
            target.tag = tag
            return target

        def wrapper(*args, **kwargs):
            LOG.append(tag)
            return target(*args, **kwargs)
        return wrapper
    return decorate


class opened:
    def __init__(self, value):
        self.value = value

    def __enter__(self):
        LOG.append("enter")
        return self.value

    def __exit__(self, *error):
        LOG.append("exit")
        return False

    async def __aenter__(self):
        LOG.append("aenter")
        return self.value

    async def __aexit__(self, *error):
        LOG.append("aexit")
        return False


async def waited(value):
    LOG.append("waited")
    return value


async def counted(size):
    for number in range(size % 4):
        yield number


class Field:
    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner):
        return self if instance is None else len(self.name)


def drive(coroutine):
    try:
        while True:
            coroutine.send(None)
    except StopIteration as stop:
        return stop.value


def show(value, depth=0):
    if depth > 4:
        return "..."
    if isinstance(value, type):
        return "class " + value.__name__
    if isinstance(value, (bool, int, float, str, bytes, type(None))) and (
        type(value).__module__ == "builtins"
    ):
        return value
    if type(value).__name__ == "coroutine":
        return "coroutine", show(drive(value), depth + 1)
    if type(value).__name__ == "async_generator":
        found = []

        async def read():
            async for item in value:
                found.append(item)
                if len(found) > 9:
                    break

        drive(read())
        return "async generator", show(found, depth + 1)
    if type(value).__name__ == "generator":
        found = []
        for item in value:
            found.append(item)
            if len(found) > 9:
                break
        return "generator", show(found, depth + 1)
    if isinstance(value, BaseException):
        return type(value).__name__, show(vars(value), depth + 1)
    if isinstance(value, dict):
        pairs = [(str(key), show(item, depth + 1)) for key, item in value.items()]
        return type(value).__name__, sorted(pairs, key=lambda pair: pair[0])
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [show(item, depth + 1) for item in value]
    if isinstance(value, (set, frozenset)):
        return type(value).__name__, sorted(repr(show(i, depth + 1)) for i in value)
    if callable(value) and not hasattr(type(value), "__dict__"):
        return "callable"
    if type(value).__name__ in ("function", "method", "builtin_function_or_method"):
        return "callable"
    if type(value).__module__ in ("builtins", "functools", "typing", "inspect"):
        return type(value).__name__
    return type(value).__name__, show(getattr(value, "__dict__", {}), depth + 1)
'''


@dataclass
class Scope:
    """Names that code at one place of a random project can use.

    Attributes:
        rng: Source of all choices.
        names: Variables that are surely bound, with integers.
        attributes: Attributes of `self` that `__init__` sets to integers.
        new_attributes: Attributes that statements can set first.
        methods: Methods of `self` that take one integer, less their own callers.
        constants: Module-level names of integers.
        functions: Module-level functions of one integer.
        tables: Module-level dictionaries.
        receiver: `self`, `cls` or nothing.
        has_kwargs: Whether the function has a parameter `kwargs`.
        has_args: Whether the function has a parameter `args`.
        is_async: Whether `await` is allowed.
        is_generator: Whether `yield` is allowed.
        can_return: Whether a `return` with a value is allowed.
        locals_pool: Names that new variables get.
        used_global: Whether `global COUNT` was written.
    """

    rng: random.Random
    names: list[str] = field(default_factory=list)
    attributes: list[str] = field(default_factory=list)
    new_attributes: list[str] = field(default_factory=list)
    methods: list[str] = field(default_factory=list)
    constants: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    receiver: str = "self"
    has_kwargs: bool = False
    has_args: bool = False
    is_async: bool = False
    is_generator: bool = False
    can_return: bool = True
    locals_pool: Sequence[str] = ("u", "v", "w", "total", "n")
    used_global: bool = False

    def chance(self, probability: float) -> bool:
        """Return whether something happens that has this probability."""
        return self.rng.random() < probability

    def bind(self) -> str:
        """Return a variable that a statement is about to set."""
        name = self.rng.choice(self.locals_pool)
        if name not in self.names:
            self.names.append(name)
        return name

    def attribute(self) -> str:
        """Return an attribute of `self` to set, as `self.a`."""
        pool = [*self.attributes, *self.attributes, *self.new_attributes]
        return f"{self.receiver}.{self.rng.choice(pool)}"


def number(scope: Scope) -> str:
    """Return a literal."""
    return str(scope.rng.randint(0, 9))


def atom(scope: Scope) -> str:
    """Return a short expression without effects."""
    options = [number(scope), number(scope)]
    options += scope.names * 2
    options += scope.constants
    if scope.receiver == "self":
        options += [f"self.{name}" for name in scope.attributes]
    return scope.rng.choice(options)


def call(scope: Scope, depth: int) -> str:
    """Return a call of a function or method."""
    value = expression(scope, depth + 1)
    options = [f"abs({value})", f"max({value}, 1)", f"min({value}, 5)"]
    options += [f"round({value})", f"sum([{value}, 1])", f"pow({value} % 5, 2)"]
    options += [f"{name}({value})" for name in scope.functions for _ in range(3)]
    if scope.receiver:
        for name in scope.methods:
            options += [f"{scope.receiver}.{name}({value})"] * 3
    return scope.rng.choice(options)


def expression(scope: Scope, depth: int = 0) -> str:
    """Return an expression whose value is an integer."""
    if depth > 2 or scope.chance(0.45):
        return atom(scope)
    kind = scope.rng.choices(
        ["binary", "call", "special"], [5, 3, 2 if depth < 2 else 0]
    )[0]
    if kind == "binary":
        left, right = expression(scope, depth + 1), atom(scope)
        operator = scope.rng.choice(["+", "-", "*", "+", "*"])
        return f"({left} {operator} {right})"
    if kind == "call":
        return call(scope, depth)
    return special_expression(scope, depth)


def special_expression(scope: Scope, depth: int) -> str:
    """Return an expression of one of the rarer kinds of Python's grammar."""
    a, b = expression(scope, depth + 1), atom(scope)
    options = [
        f"({a} if {b} > 2 else {atom(scope)})",
        f"({a} or {b})",
        f"({a} and {b})",
        f"int(not {a})",
        f"int(1 < {a} <= 7)",
        f"int({a} in (1, 2, {b}))",
        f"(-{a})",
        f"(~{b})",
        f"({a} // 3)",
        f"({a} % 4)",
        f"({a} ^ {b})",
        f"({a} << 1)",
        f"sum([i * {b} for i in range(3)])",
        f"sum(i for i in range(4) if i != {b})",
        f"len({{i % 2: {b} for i in range(3)}})",
        "len({i for i in range(3)})",
        f"(lambda i: i + {b})({a})",
        f"(lambda i={b}: i)()",
        f"[{a}, {b}, 3][1:][0]",
        f"max(*[{a}, {b}])",
        f'len(f"{{{b}}}!")',
        f"dict(k={a})['k']",
        f"(walrus := {a})",
    ]
    if scope.is_async:
        options += [f"(await waited({a}))"] * 6
    if scope.is_generator:
        options += [f"((yield {a}) or 1)"] * 3
    if scope.tables:
        options += [f"{scope.rng.choice(scope.tables)}.get({b}, 2)"] * 3
    return scope.rng.choice(options)


def condition(scope: Scope) -> str:
    """Return a condition that is sometimes true."""
    operator = scope.rng.choice([">", "<", ">=", "!=", "=="])
    return f"{atom(scope)} {operator} {scope.rng.randint(0, 5)}"


def indented(lines: Lines) -> Lines:
    """Return the lines of a block."""
    return [f"    {line}" for line in lines]


def block(scope: Scope, depth: int, most: int = 2) -> Lines:
    """Return statements whose new variables are not bound after the block."""
    bound = list(scope.names)
    attributes = list(scope.attributes)
    lines: Lines = []
    for _ in range(scope.rng.randint(1, most)):
        lines += statement(scope, depth + 1)
    scope.names[:] = [name for name in bound if name in scope.names]
    scope.attributes[:] = [name for name in attributes if name in scope.attributes]
    return indented(lines or ["pass"])


def assign_name(scope: Scope) -> Lines:
    """Return an assignment to a variable."""
    value = expression(scope)
    return [f"{scope.bind()} = {value}"]


def assign_attribute(scope: Scope) -> Lines:
    """Return an assignment to an attribute."""
    value = expression(scope)
    return [f"{scope.attribute()} = {value}"]


def assign_from_itself(scope: Scope) -> Lines:
    """Return an assignment that reads the attribute it sets."""
    if not scope.attributes:
        return assign_attribute(scope)
    name = scope.rng.choice(scope.attributes)
    return [f"self.{name} = self.{name} * 2 + {number(scope)}"]


def assign_several(scope: Scope) -> Lines:
    """Return an assignment with several targets."""
    a, b = expression(scope), expression(scope)
    options = [
        lambda: [f"{scope.bind()} = {scope.attribute()} = {a}"],
        lambda: [f"{scope.attribute()} = {scope.attribute()} = {a}"],
        lambda: [f"{scope.attribute()}, {scope.attribute()} = {a}, {b}"],
        lambda: [f"{scope.bind()}, {scope.attribute()} = {a}, {b}"],
        lambda: [f"{scope.bind()}, *rest = [{a}, {b}, 3]"],
        lambda: [f"[{scope.attribute()}, {scope.bind()}] = {a}, {b}"],
        lambda: [f"{scope.bind()} = {scope.bind()} = {a}"],
    ]
    return scope.rng.choice(options)()


def assign_item(scope: Scope) -> Lines:
    """Return an assignment to an item."""
    value = expression(scope)
    tables = list(scope.tables)
    if scope.receiver == "self":
        tables.append("self.__dict__")
    if scope.has_kwargs:
        tables.append("kwargs")
    if not tables:
        return assign_name(scope)
    table = scope.rng.choice(tables)
    key = scope.rng.choice(["a", "b", "key"])
    return [f'{table}["{key}"] = {value}']


def augment(scope: Scope) -> Lines:
    """Return an augmented assignment."""
    targets = [name for name in scope.names if name not in ("x", "y", "k")]
    targets += [f"self.{name}" for name in scope.attributes]
    if not targets:
        return assign_name(scope)
    operator = scope.rng.choice(["+=", "-=", "*=", "|=", "//=", "%="])
    value = number(scope) if operator not in ("//=", "%=") else "3"
    return [f"{scope.rng.choice(targets)} {operator} {value}"]


def annotate(scope: Scope) -> Lines:
    """Return an annotated assignment."""
    value = expression(scope)
    options = [
        lambda: [f"{scope.bind()}: int = {value}"],
        lambda: [f"{scope.attribute()}: int = {value}"],
        lambda: [f"{scope.attribute()}: int"],
    ]
    return scope.rng.choice(options)()


def delete(scope: Scope) -> Lines:
    """Return a `del` statement."""
    own = [name for name in scope.names if name not in ("x", "y", "k")]
    if scope.attributes and scope.chance(0.7):
        name = scope.rng.choice(scope.attributes)
        scope.attributes[:] = [each for each in scope.attributes if each != name]
        return [f"del self.{name}"]
    if own:
        name = scope.rng.choice(own)
        scope.names.remove(name)
        return [f"del {name}"]
    return assign_name(scope)


def call_note(scope: Scope) -> Lines:
    """Return a statement that records a value."""
    tag = scope.rng.choice(["one", "two", "three"])
    return [f'note("{tag}", {expression(scope)})']


def call_method(scope: Scope) -> Lines:
    """Return a statement that calls a method of `self`."""
    if not (scope.methods and scope.receiver):
        return call_note(scope)
    name = scope.rng.choice(scope.methods)
    text = f"{scope.receiver}.{name}({expression(scope)})"
    if scope.chance(0.5):
        return [f"{scope.bind()} = {text}"]
    return [text]


def early_return(scope: Scope) -> Lines:
    """Return a `return` below a condition."""
    if not scope.can_return:
        return call_note(scope)
    value = expression(scope)
    return [f"if {condition(scope)}:", f"    return {value}"]


def early_raise(scope: Scope) -> Lines:
    """Return a `raise` below a condition, or an `assert`."""
    test = condition(scope)
    options = [
        [f"if {test}:", f'    raise ValueError("wrong", {number(scope)})'],
        [f"if {test}:", '    raise KeyError("no") from None'],
        [f'assert {test}, "asserted"'],
    ]
    return scope.rng.choice(options)


def trivial(scope: Scope) -> Lines:
    """Return a statement that does nothing."""
    return [scope.rng.choice(["pass", "...", '"text"', "0"])]


def local_import(scope: Scope) -> Lines:
    """Return an import in a function, and a use of it."""
    name = scope.bind()
    options = [
        ["import math", f"{name} = math.floor({atom(scope)})"],
        ["from math import ceil", f"{name} = ceil({atom(scope)})"],
        ["from math import gcd as joint", f"{name} = joint({atom(scope)}, 6)"],
        ["import os.path", f"{name} = len(os.path.sep)"],
    ]
    return scope.rng.choice(options)


def declare_global(scope: Scope) -> Lines:
    """Return `global COUNT`, and statements that use it."""
    if scope.used_global:
        return call_note(scope)
    scope.used_global = True
    return ["global COUNT", f"COUNT = {number(scope)}", 'note("count", COUNT)']


def walrus(scope: Scope) -> Lines:
    """Return a statement with an assignment expression."""
    value = expression(scope)
    name = scope.bind()
    return [f"if ({name} := {value}) > 3:", f'    note("walrus", {name})']


def use_self(scope: Scope) -> Lines:
    """Return a statement that uses `self` by another way than its name."""
    if scope.receiver != "self":
        return call_note(scope)
    value = expression(scope)
    name = scope.rng.choice(scope.attributes or scope.new_attributes)
    target = scope.bind()
    options = [
        ["me = self", f"me.{name} = {value}"],
        [f'setattr(self, "{name}", {value})'],
        [f'{target} = getattr(self, "{name}", 3)'],
        [f"{target} = len(vars(self))"],
        [f'{target} = self.__dict__.get("{name}", 4)'],
        [f'{target} = int(hasattr(self, "{name}"))'],
        ['note("self", self)', f"{target} = {value}"],
        [f"self.kept = self.{name}" if scope.attributes else "self.kept = 2"],
        [f"{target} = len(type(self).__name__)"],
    ]
    lines = scope.rng.choice(options)
    if not any(line.startswith(target) for line in lines):
        lines = [f"{target} = {number(scope)}", *lines]
    return lines


def use_kwargs(scope: Scope) -> Lines:
    """Return a statement that uses `kwargs` or `args`."""
    name = scope.bind()
    options = []
    if scope.has_kwargs:
        options += [
            [f'{name} = kwargs.pop("extra", {number(scope)})'],
            [f'{name} = kwargs.get("extra", 1)'],
            [f'kwargs["extra"] = {number(scope)}', f"{name} = len(kwargs)"],
            [f"{name} = len(kwargs)", 'note("kwargs", kwargs)'],
        ]
        if scope.receiver == "self":
            options += [["self.kwargs = kwargs", f"{name} = 2"]]
    if scope.has_args:
        options += [[f"{name} = len(args)"], [f"{name} = sum(args)"]]
        options += [[f"{name} = 0", "for each in args:", f"    {name} += each"]]
    if not options:
        return [f"{name} = {number(scope)}"]
    return scope.rng.choice(options)


def use_locals(scope: Scope) -> Lines:
    """Return a statement that looks at the function's own variables."""
    return [f"{scope.bind()} = len(locals())"]


def branch(scope: Scope, depth: int) -> Lines:
    """Return an `if` statement."""
    lines = [f"if {condition(scope)}:", *block(scope, depth)]
    if scope.chance(0.3):
        lines += [f"elif {condition(scope)}:", *block(scope, depth)]
    if scope.chance(0.4):
        lines += ["else:", *block(scope, depth)]
    return lines


def loop(scope: Scope, depth: int) -> Lines:
    """Return a `for` or `while` statement."""
    value = atom(scope)
    name = scope.rng.choice(["i", "j", "u"])
    if scope.is_async and scope.chance(0.5):
        return [f"async for {name} in counted({value}):", *block(scope, depth)]
    if scope.chance(0.3):
        lines = [f"left = {value} % 4", "while left > 0:", "    left -= 1"]
    else:
        lines = [f"for {name} in range({value} % 4):"]
    body = block(scope, depth)
    if scope.chance(0.25):
        word = scope.rng.choice(["break", "continue"])
        body += indented([f"if {condition(scope)}:", f"    {word}"])
    lines += body
    if scope.chance(0.2):
        lines += ["else:", *block(scope, depth, 1)]
    return lines


def attempt(scope: Scope, depth: int) -> Lines:
    """Return a `try` statement."""
    lines = ["try:", *block(scope, depth)]
    kind = scope.rng.choice(["except", "finally", "both", "else", "star"])
    if kind != "finally":
        clause = scope.rng.choice(["(ValueError, KeyError) as error", "Exception"])
        star = ""
        if kind == "star":
            star, clause = "*", "ValueError"
        was, scope.can_return = scope.can_return, scope.can_return and not star
        lines += [f"except{star} {clause}:", *block(scope, depth, 1)]
        scope.can_return = was
    if kind == "else":
        lines += ["else:", *block(scope, depth, 1)]
    if kind in ("finally", "both"):
        lines += ["finally:", *block(scope, depth, 1)]
    return lines


def manage(scope: Scope, depth: int) -> Lines:
    """Return a `with` statement."""
    value = expression(scope)
    name = scope.bind()
    word = "with"
    if scope.is_async and scope.chance(0.5):
        word = "async with"
    second = ""
    if scope.chance(0.25):
        second = f", opened({atom(scope)})"
    lines = [f"{word} opened({value}) as {name}{second}:", *block(scope, depth)]
    return lines


def choose(scope: Scope, depth: int) -> Lines:
    """Return a `match` statement."""
    value, name = expression(scope), scope.bind()
    scope.names.remove(name)
    cases = [
        ["case 1 | 2:"],
        [f"case {name} if {name} > 4:"],
        ["case int():"],
        [f"case [{name}, *_]:"],
        ['case {"a": _}:'],
    ]
    chosen = scope.rng.sample(cases, 2)
    lines = [f"match {value}:"]
    for case in chosen:
        lines += indented([*case, *block(scope, depth, 1)])
    lines += indented(["case _:", *block(scope, depth, 1)])
    return lines


def closure(scope: Scope, depth: int) -> Lines:
    """Return a nested function, and a call of it."""
    name = scope.rng.choice(["inner", "helper", "inner"])
    own = [each for each in scope.names if each not in ("x", "y", "k")]
    free, target = atom(scope), scope.bind()
    options = [
        [f"def {name}(n):", f"    return n + {free}", f"{target} = {name}({free})"],
        [f"def {name}(n={free}):", "    return n * 2", f"{target} = {name}()"],
        [f"{name} = lambda n: n + {free}", f"{target} = {name}(2)"],
        [
            "@noted",
            f"def {name}(n):",
            f"    return n - {free}",
            f"{target} = {name}(3)",
        ],
        [
            f"def {name}():",
            f"    yield {free}",
            "    yield from (1, 2)",
            f"{target} = sum({name}())",
        ],
        [
            f"async def {name}():",
            f"    return {free}",
            f"{target} = note('made', {name}()) and 1",
        ],
    ]
    if own:
        changed = scope.rng.choice(own)
        options.append(
            [
                f"def {name}():",
                f"    nonlocal {changed}",
                f"    {changed} += 1",
                f"    return {changed}",
                f"{target} = {name}()",
            ]
        )
    if scope.attributes:
        attribute = scope.rng.choice(scope.attributes)
        options += [
            [
                f"def {name}():",
                f"    self.{attribute} += 1",
                f"    return self.{attribute}",
                f"{target} = {name}()",
            ]
        ]
        options += [
            [
                f"{target} = {number(scope)}",
                f"self.later = lambda: {target} + self.{attribute}",
                'note("later", self.later())',
            ]
        ]
    lines = scope.rng.choice(options)
    if name == "helper" and "helper" in scope.functions:
        scope.functions.remove("helper")
    if name == "helper":
        scope.functions[:] = [each for each in scope.functions if each != "helper"]
    return lines


def local_class(scope: Scope, depth: int) -> Lines:
    """Return a class in a function, and a use of it."""
    value, target = atom(scope), scope.bind()
    return [
        "class Local:",
        f"    value = {number(scope)}",
        "",
        "    def get(self):",
        "        return self.value",
        "",
        f"{target} = Local().get() + {value}",
    ]


def yielding(scope: Scope) -> Lines:
    """Return a `yield` statement in a generator."""
    if not scope.is_generator:
        return call_note(scope)
    value = expression(scope)
    if scope.is_async:
        return [f"yield {value}"]
    return scope.rng.choice([[f"yield {value}"], [f"yield from (1, {value})"]])


SIMPLE: list[tuple[int, Callable[[Scope], Lines]]] = [
    (16, assign_name),
    (18, assign_attribute),
    (3, assign_from_itself),
    (4, assign_several),
    (2, assign_item),
    (6, augment),
    (3, annotate),
    (3, delete),
    (9, call_note),
    (6, call_method),
    (3, early_return),
    (2, early_raise),
    (1, trivial),
    (1, local_import),
    (1, declare_global),
    (2, walrus),
    (3, use_self),
    (3, use_kwargs),
    (1, use_locals),
]
"""The weight of each kind of simple statement."""

COMPOUND: list[tuple[int, Callable[[Scope, int], Lines]]] = [
    (6, branch),
    (4, loop),
    (2, attempt),
    (2, manage),
    (1, choose),
    (3, closure),
    (1, local_class),
]
"""The weight of each kind of compound statement."""


def statement(scope: Scope, depth: int = 0) -> Lines:
    """Return a random statement, which may bind names of the scope."""
    if scope.is_generator and scope.chance(0.3):
        return yielding(scope)
    if depth < 2 and scope.chance(0.17):
        kinds = [kind for _, kind in COMPOUND]
        weights = [weight for weight, _ in COMPOUND]
        return scope.rng.choices(kinds, weights)[0](scope, depth)
    while True:
        kind = scope.rng.choices(
            [kind for _, kind in SIMPLE], [weight for weight, _ in SIMPLE]
        )[0]
        if scope.receiver == "self" or kind not in NEEDS_SELF:
            return kind(scope)


NEEDS_SELF = {assign_attribute, assign_from_itself, assign_several, delete, annotate}
"""Statements that set or delete attributes of `self`."""
