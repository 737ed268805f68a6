"""Random projects of a modular file and its parents, with classes of every kind.

The distribution is fixed by the tables and probabilities of this module and of
`random_code`; it was chosen before any refusal was counted.
"""

import random
from dataclasses import dataclass, field

from tests.properties.random_code import (
    TRACE,
    Lines,
    Scope,
    atom,
    expression,
    indented,
    number,
    statement,
)


BASE = """
from .trace import note


class Root:
    kind = 1

    def __init__(self, *args, **kwargs):
        self.root = 1

    def brew(self, x=1):
        note("root", x)
        return x + 100

    def step(self, x=1):
        return x + 200


class Mixin:
    def blend(self, x=1):
        self.blended = x
        return x * 3

    @property
    def level(self):
        return 7
"""

ATTRIBUTES = ("a", "b", "c", "d")
METHODS = ("brew", "step", "pour", "mix")
PARENT_CONSTANTS = ("SIZE", "WIDTH", "LIMIT")
CHILD_CONSTANTS = ("DEPTH", "RATE")
PARENT_FUNCTIONS = ("helper", "scale")
CHILD_FUNCTIONS = ("shift", "turn")

CLASS_KINDS = {
    "plain": 66,
    "dataclass": 9,
    "abstract": 5,
    "init_subclass": 3,
    "slots": 2,
    "metaclass": 1,
    "exception": 2,
    "dict": 3,
    "list": 1,
    "enum": 2,
    "namedtuple": 2,
    "protocol": 2,
    "generic": 2,
}
"""The weight of each kind of parent class."""

SPECIAL_METHODS = {
    "__len__": ("self", "abs({})"),
    "__call__": ("self, x=1", "{}"),
    "__getitem__": ("self, x", "{}"),
    "__getattr__": ("self, name", "len(name)"),
    "__eq__": ("self, other", "type(other) is type(self)"),
    "__hash__": ("self", "abs({})"),
    "__add__": ("self, x", "{}"),
    "__iter__": ("self", "iter([{}, 2])"),
    "__contains__": ("self, x", "bool({})"),
    "__bool__": ("self", "bool({})"),
    "__enter__": ("self", "{}"),
    "__repr__": ("self", "str({})"),
    "__lt__": ("self, other", "bool({})"),
    "__setattr__": ("self, name, value", ""),
    "__delattr__": ("self, name", ""),
    "__getattribute__": ("self, name", ""),
    "__new__": ("cls, *args, **kwargs", ""),
}
"""The parameters and the result of each special method."""


@dataclass
class Names:
    """Module-level names that code of one file can use."""

    constants: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)


@dataclass
class Shape:
    """What code of a class and of its children needs to know about it."""

    name: str
    kind: str = "plain"
    attributes: list[str] = field(default_factory=list)
    class_attributes: list[str] = field(default_factory=list)
    body_names: list[str] = field(default_factory=list)
    methods: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)
    properties: list[str] = field(default_factory=list)
    has_init: bool = False


@dataclass
class RandomProject:
    """The files of a project, and the names of the classes to compare."""

    seed: int
    files: dict[str, str]
    classes: list[str]


PARAMETERS = {
    "x=1": 30,
    "x": 10,
    "x=1, y=2": 20,
    "x=1, *, k=3": 8,
    "x=1, *args": 5,
    "x=1, **kwargs": 14,
    "x=1, *args, **kwargs": 8,
    "x=1, y=2, *, k=3, **kwargs": 5,
}
"""The weight of each list of parameters."""


def weighted(rng: random.Random, table: dict[str, int]) -> str:
    """Return a key, as often as its weight says."""
    return rng.choices(list(table), list(table.values()))[0]


def parameter_names(parameters: str) -> list[str]:
    """Return the parameters that are integers."""
    return [name for name in ("x", "y", "k") if name in parameters.replace("kw", "")]


def forwarded(parameters: str) -> str:
    """Return the arguments that pass all parameters on."""
    arguments = []
    has_star = "*," in parameters or "*args" in parameters
    for name in parameter_names(parameters):
        arguments.append(f"{name}={name}" if name == "k" and has_star else name)
    if "*args" in parameters:
        arguments.append("*args")
    if "**kwargs" in parameters:
        arguments.append("**kwargs")
    return ", ".join(arguments)


def scope_for(
    rng: random.Random,
    names: Names,
    shape: Shape,
    parameters: str = "",
    receiver: str = "self",
    callees: list[str] | None = None,
) -> Scope:
    """Return the scope of a method's body."""
    attributes = list(shape.attributes) if receiver == "self" else []
    if receiver == "self":
        attributes += shape.class_attributes[:1] + shape.properties[:1]
    return Scope(
        rng,
        names=parameter_names(parameters),
        attributes=attributes,
        new_attributes=[*ATTRIBUTES, "extra"],
        methods=list(callees or []),
        constants=list(names.constants),
        functions=list(names.functions),
        tables=list(names.tables),
        receiver=receiver,
        has_kwargs="**kwargs" in parameters,
        has_args="*args" in parameters,
    )


def some_statements(scope: Scope, least: int, most: int) -> Lines:
    """Return a few random statements."""
    lines: Lines = []
    for _ in range(scope.rng.randint(least, most)):
        lines += statement(scope)
    return lines


def final_return(scope: Scope, probability: float) -> Lines:
    """Return a `return` statement, or nothing."""
    if not scope.can_return or not scope.chance(probability):
        return []
    return [f"return {expression(scope)}"]


def callees_of(shape: Shape, name: str) -> list[str]:
    """Return the methods that a method can call without a recursion."""
    allowed = METHODS[: METHODS.index(name)] if name in METHODS else ()
    return [
        each
        for each in allowed
        if each in shape.methods and shape.methods[each] == "def"
    ]


def super_call(scope: Scope, shape: Shape, child: str, name: str, mine: str) -> Lines:
    """Return statements around a call of the parent's method."""
    rng = scope.rng
    parameters = shape.parameters.get(name, "")
    passed = forwarded(parameters).split(", ")
    same = ", ".join(part for part in passed if part in forwarded(mine))
    first = atom(scope)
    arguments = rng.choices(
        [same, f"x={first}", first, expression(scope), "x" if "x" in mine else first],
        [70, 5, 5, 12, 8],
    )[0]
    if name == "__init__" and not shape.has_init:
        arguments = rng.choice(["", same])
    method = f"super().{name}({arguments})"
    if shape.methods.get(name) == "async def":
        method = f"await {method}" if scope.is_async else method
    forms: dict[str, int] = {"statement": 40, "name": 12, "return": 16, "attribute": 6}
    if name == "__init__":
        forms = {"statement": 85, "twice": 1}
    forms |= {"expression": 7, "if": 2, "with": 1, "try": 2, "for": 1, "lambda": 1}
    forms |= {"value": 1, "getattr": 1, "explicit": 4, "two": 3, "own": 1, "list": 1}
    forms |= {"closure": 1, "generator": 1, "twice": 1, "note": 3}
    form = weighted(rng, forms)
    target = "result"
    if form in ("name", "expression", "list"):
        target = scope.bind()
    return {
        "statement": [method],
        "name": [f"{target} = {method}", f"{target} = {target} or 0"],
        "return": [f"return {method}"],
        "attribute": [f"self.result = {method}"],
        "expression": [f"{target} = ({method} or 1) * 2 + {first}"],
        "if": [f"if {first} > 1:", f"    {method}"],
        "with": [f"with opened({first}):", f"    {method}"],
        "try": ["try:", f"    {method}", "finally:", f'    note("final", {first})'],
        "for": ["for i in range(2):", f"    {method}"],
        "lambda": [f"run = lambda: super({child}, self).{name}({arguments})", "run()"],
        "value": ["parent = super()", f"parent.{name}({arguments})"],
        "getattr": [f'getattr(super(), "{name}")({arguments})'],
        "explicit": [
            f"{shape.name}.{name}(self{', ' if arguments else ''}{arguments})"
        ],
        "two": [f"super({child}, self).{name}({arguments})"],
        "own": [f"super({shape.name}, self).{name}({arguments})"],
        "list": [f"{target} = len([{method}])"],
        "closure": ["def inner():", f"    return {method}", "inner()"],
        "generator": [f"kept = [{first} for _ in (1, 2)]", method, "note(len(kept))"],
        "twice": [method, method],
        "note": [f'note("super", {method})'],
    }[form]


def decorators_for(scope: Scope, file_decorators: bool) -> Lines:
    """Return decorators of a method, mostly none."""
    if not scope.chance(0.07):
        return []
    options = [["@noted"], ["@named"], ['@tagged("deco")'], ["@noted", "@named"]]
    if file_decorators:
        options.append(["@local_decorator"])
    return scope.rng.choice(options)


def write_init(
    rng: random.Random, names: Names, shape: Shape, base_init: bool
) -> Lines:
    """Return the parent's `__init__`."""
    parameters = weighted(rng, PARAMETERS)
    if parameters == "x":
        parameters = "x=1"
    shape.parameters["__init__"] = parameters
    shape.has_init = True
    attributes, shape.attributes = shape.attributes, []
    scope = scope_for(rng, names, shape, parameters)
    lines: Lines = []
    early: Lines = []
    if rng.random() < 0.12:
        early = some_statements(scope, 1, 1)
    lines += early
    if base_init and rng.random() < 0.85:
        lines += ["super().__init__()"]
    for name in attributes:
        lines.append(f"self.{name} = {expression(scope)}")
        scope.attributes.append(name)
        if rng.random() < 0.3:
            lines += statement(scope)
    shape.attributes = [name for name in attributes if name in scope.attributes]
    return [f"def __init__(self, {parameters}):", *indented(lines or ["pass"]), ""]


def write_method(
    rng: random.Random,
    names: Names,
    shape: Shape,
    name: str,
    parent: Shape | None = None,
) -> Lines:
    """Return a method; with a parent class, mostly one that calls the parent's."""
    inherited = parent is not None and name in parent.parameters
    kind = "def"
    if rng.random() < 0.06 and name not in ("brew",):
        kind = "async def"
    is_generator = rng.random() < 0.06
    parameters = weighted(rng, PARAMETERS)
    if parent is not None and inherited:
        if rng.random() < 0.7:
            parameters = parent.parameters[name]
        kind = parent.methods[name] if rng.random() < 0.9 else kind
        if kind == "generator":
            kind, is_generator = "def", True
    scope = scope_for(
        rng, names, shape, parameters, callees=callees_of(parent or shape, name)
    )
    scope.is_async = kind == "async def"
    scope.is_generator = is_generator
    scope.can_return = not (scope.is_async and scope.is_generator)
    lines: Lines = []
    if inherited and rng.random() < 0.8 and parent is not None:
        lines += some_statements(scope, 0, 1)
        lines += super_call(scope, parent, shape.name, name, parameters)
        if not lines[-1].startswith("return"):
            lines += some_statements(scope, 0, 2)
            lines += final_return(scope, 0.5)
    else:
        lines += some_statements(scope, 1, 3)
        lines += final_return(scope, 0.75)
    if is_generator:
        lines += ["yield 1"]
    if not scope.can_return:
        lines = [line for line in lines if not line.startswith("return")]
    if name not in shape.methods or not inherited:
        shape.methods[name] = "generator" if is_generator else kind
        shape.parameters[name] = parameters
    head = decorators_for(scope, file_decorators=False)
    return [*head, f"{kind} {name}(self, {parameters}):", *indented(lines), ""]


def write_property(rng: random.Random, names: Names, shape: Shape, name: str) -> Lines:
    """Return a property, perhaps with setter and deleter."""
    scope = scope_for(rng, names, shape)
    scope.attributes = [each for each in scope.attributes if each != name]
    value = expression(scope)
    body = some_statements(scope, 0, 1)
    scope.attributes = [each for each in scope.attributes if each != name]
    lines = ["@property", f"def {name}(self):", *indented(body)]
    lines += [f"    return {value}", ""]
    if rng.random() < 0.5:
        setter = ["self.stored = value", 'note("set", value)']
        lines += [f"@{name}.setter", f"def {name}(self, value):", *indented(setter), ""]
        if rng.random() < 0.5:
            lines += [f"@{name}.deleter", f"def {name}(self):", "    note('del')", ""]
        shape.properties.append(name)
    return lines


def child_property(rng: random.Random, names: Names, shape: Shape, name: str) -> Lines:
    """Return an override of a property of the parent class."""
    scope = scope_for(rng, names, shape)
    value = atom(scope)
    options = [
        ["@property", f"def {name}(self):", f"    return super().{name} + {value}", ""],
        ["@property", f"def {name}(self):", f"    return {number(scope)}", ""],
        [
            f"@{shape.name}.{name}.setter",
            f"def {name}(self, value):",
            "    self.stored = value * 2",
            "",
        ],
        [
            "@property",
            f"def {name}(self):",
            f"    return {shape.name}.{name}.fget(self) + 1",
            "",
            f"@{name}.setter",
            f"def {name}(self, value):",
            f"    {shape.name}.{name}.fset(self, value)",
            "",
        ],
        [f"{name} = 5", ""],
        [f"{name}: int", ""],
    ]
    weights = [5, 4, 2, 1, 1, 1]
    return rng.choices(options, weights)[0]


def write_special(
    rng: random.Random, names: Names, shape: Shape, name: str, is_child: bool
) -> Lines:
    """Return a special method."""
    parameters, result = SPECIAL_METHODS[name]
    forward = {
        "__setattr__": ['note("set " + name)', "super().__setattr__(name, value)"],
        "__delattr__": ['note("del " + name)', "super().__delattr__(name)"],
        "__new__": ['note("new")', "return super().__new__(cls)"],
        "__getattribute__": [
            'if name == "a":',
            '    note("read")',
            "return super().__getattribute__(name)",
        ],
    }
    if name in forward:
        return [f"def {name}({parameters}):", *indented(forward[name]), ""]
    scope = scope_for(rng, names, shape, "x" if "x" in parameters else "")
    if name == "__getattr__":
        body = ['if name.startswith("_"):', "    raise AttributeError(name)"]
        return [
            f"def {name}({parameters}):",
            *indented([*body, 'note("missing " + name)', f"return {result}"]),
            "",
        ]
    value = result.format(atom(scope))
    if is_child and rng.random() < 0.5 and name not in ("__eq__", "__iter__"):
        arguments = parameters.removeprefix("self").removeprefix(", ").split("=")[0]
        value = f"super().{name}({arguments})"
    body = some_statements(scope, 0, 1) if name not in ("__eq__",) else []
    return [f"def {name}({parameters}):", *indented(body), f"    return {value}", ""]


def class_statement(rng: random.Random, names: Names, shape: Shape) -> Lines:
    """Return a statement of a class body that is no method."""
    scope = Scope(
        rng,
        names=list(shape.body_names),
        constants=list(names.constants),
        functions=list(names.functions),
        receiver="",
    )
    name = rng.choice(["width", "depth", "limit"])
    value = expression(scope)
    known = shape.body_names
    options: list[tuple[int, Lines]] = [
        (30, [f"{name} = {value}"]),
        (6, [f"{name}: int = {value}"]),
        (2, [f"{name} = height = {value}"]),
        (2, [f"{name}, height = {value}, 2"]),
        (3, [f"if {value} > 2:", f"    {name} = 1", "else:", f"    {name} = 2"]),
        (2, [f"for {name} in range(3):", "    pass"]),
        (3, [f"class Inner:\n        {name} = {number(scope)}"]),
        (2, [f"{name} = property(lambda self: {number(scope)})"]),
        (2, [f"{name} = [i for i in range(3)]"]),
        (2, [f"{name} = lambda self, n=2: n + 1"]),
        (2, [f"{name} = Field()"]),
        (
            1,
            [
                f"try:\n        {name} = 1 // 0\n    except Exception:\n        {name} = 3"
            ],
        ),
        (1, [f"with opened(4) as {name}:", "    pass"]),
    ]
    if known:
        options += [(3, [f"{known[-1]} += 1"]), (1, [f"del {known[-1]}"])]
    lines = rng.choices([o for _, o in options], [w for w, _ in options])[0]
    text = "\n".join(lines)
    is_number = "Inner" not in text and "lambda" not in text and "[i" not in text
    if is_number and "Field" not in text and "del" not in text and name not in known:
        if f"{name} " in text or f"{name}:" in text:
            known.append(name)
            shape.class_attributes.append(name)
    if text.startswith("del "):
        shape.class_attributes.remove(known.pop())
    return "\n".join(lines).replace("\n        ", "\n    ").replace(
        "\n    except", "\nexcept"
    ).split("\n") + ([""] if "class Inner" in text else [])


def member(
    rng: random.Random, names: Names, shape: Shape, parent: Shape | None
) -> Lines:
    """Return a member that is rarer than methods."""
    scope = scope_for(rng, names, shape, "x", receiver="cls")
    kind = rng.choices(
        ["class", "static", "special", "statement", "cached", "private", "abstract"],
        [4, 4, 7, 6, 1, 1, 1],
    )[0]
    is_child = parent is not None
    if kind == "class":
        lines = some_statements(scope, 1, 2)
        if is_child and rng.random() < 0.6:
            lines = ["made = super().make(x)", *lines]
        return [
            "@classmethod",
            "def make(cls, x=1):",
            *indented([*lines, f"return {expression(scope)}"]),
            "",
        ]
    if kind == "static":
        scope.receiver = ""
        body = some_statements(scope, 0, 1)
        return [
            "@staticmethod",
            "def twice(x=1):",
            *indented([*body, f"return {expression(scope)}"]),
            "",
        ]
    if kind == "special":
        weights = [6, 4, 4, 3, 4, 2, 3, 2, 2, 2, 1, 2, 1, 1, 1, 1, 1]
        name = rng.choices(list(SPECIAL_METHODS), weights)[0]
        return write_special(rng, names, shape, name, is_child)
    if kind == "cached":
        return ["@cached_property", "def stored_size(self):", "    return 6", ""]
    if kind == "private":
        return [
            "def __hidden(self):",
            f"    return {number(scope)}",
            "",
            f"def show{'_child' if is_child else ''}(self):",
            "    return self.__hidden()",
            "",
        ]
    if kind == "abstract":
        return ["@noted", "def last(self, x=1):", f"    return {atom(scope)}", ""]
    return class_statement(rng, names, shape)


def write_parent(
    rng: random.Random, name: str, names: Names, kind: str, base: Shape | None
) -> tuple[Lines, Shape]:
    """Return a parent class."""
    shape = Shape(name, kind)
    if kind in ("enum", "namedtuple", "protocol"):
        return write_rare_parent(rng, shape, names)
    bases = choose_bases(rng, shape, base)
    head: Lines = []
    if kind == "dataclass":
        head = [rng.choice(["@dataclass", "@dataclass(eq=False)", "@dataclass"])]
    body = write_fields(rng, names, shape)
    body += write_construction(rng, names, shape, bool(bases))
    body += write_methods(rng, names, shape)
    if kind == "metaclass":
        bases = [*bases, "metaclass=Meta"]
    inside = ", ".join(bases)
    return [
        *head,
        f"class {name}({inside}):" if inside else f"class {name}:",
        *indented(body or ["pass"]),
        "",
        "",
    ], shape


def choose_bases(rng: random.Random, shape: Shape, base: Shape | None) -> list[str]:
    """Return the bases of a parent class, which inherits what it can call."""
    kind = shape.kind
    bases = ["Root"] if rng.random() < 0.65 else []
    if base is not None:
        shape.methods |= base.methods
        shape.parameters |= {
            key: value for key, value in base.parameters.items() if key != "__init__"
        }
        return [base.name]
    if rng.random() < 0.12:
        bases = [*bases, "Mixin"]
    if kind in ("exception", "dict", "list"):
        return [{"exception": "Exception", "dict": "dict", "list": "list"}[kind]]
    special = {"abstract": ["ABC"], "generic": ["Generic[T]"]}
    return [*bases, *special.get(kind, [])]


def write_fields(rng: random.Random, names: Names, shape: Shape) -> Lines:
    """Return what comes above the methods in the body of a parent class."""
    kind = shape.kind
    body: Lines = []
    if rng.random() < 0.1:
        body += ['"""Does something."""', ""]
    shape.attributes = rng.sample(ATTRIBUTES, rng.randint(1, 3))
    if kind == "slots":
        body += [f'__slots__ = ("{ATTRIBUTES[0]}", "b", "__dict__")']
    if kind == "dataclass":
        for each in shape.attributes:
            body.append(f"{each}: int = {rng.randint(1, 9)}")
        if rng.random() < 0.3:
            body.append("many: list = field(default_factory=list)")
    for _ in range(rng.choice([0, 0, 1, 1, 2])):
        body += class_statement(rng, names, shape)
    return [*body, ""] if body else []


def write_construction(
    rng: random.Random, names: Names, shape: Shape, has_bases: bool
) -> Lines:
    """Return `__init__` or `__post_init__`, and what runs for inheriting classes."""
    body: Lines = []
    if shape.kind == "dataclass":
        if rng.random() < 0.3:
            scope = scope_for(rng, names, shape)
            lines = some_statements(scope, 1, 2)
            body += ["def __post_init__(self):", *indented(lines), ""]
            shape.parameters["__post_init__"] = ""
    elif rng.random() < 0.8:
        body += write_init(rng, names, shape, has_bases)
    else:
        shape.attributes = []
    if shape.kind == "init_subclass":
        body += [
            "def __init_subclass__(cls, **kwargs):",
            "    super().__init_subclass__(**kwargs)",
            "    cls.registered = cls.__name__ + 'x'",
            "",
        ]
    return body


def write_methods(rng: random.Random, names: Names, shape: Shape) -> Lines:
    """Return the methods and the rarer members of a parent class."""
    body: Lines = []
    is_abstract = shape.kind == "abstract"
    if is_abstract:
        body += ["@abstractmethod", "def pour(self, x=1):", "    return 1", ""]
        shape.methods["pour"], shape.parameters["pour"] = "def", "x=1"
    for method in sorted(rng.sample(METHODS, rng.randint(1, 3)), key=METHODS.index):
        if not (is_abstract and method == "pour"):
            body += write_method(rng, names, shape, method)
    if rng.random() < 0.2:
        body += write_property(rng, names, shape, "size")
        shape.parameters["size"] = "property"
    for _ in range(rng.choice([0, 0, 0, 1, 1, 2])):
        body += member(rng, names, shape, None)
    return body


def write_rare_parent(
    rng: random.Random, shape: Shape, names: Names
) -> tuple[Lines, Shape]:
    """Return an enumeration, a named tuple or a protocol."""
    if shape.kind == "enum":
        lines = [f"class {shape.name}(Enum):"]
    elif shape.kind == "namedtuple":
        lines = [f"class {shape.name}(NamedTuple):"]
        lines += ["    a: int = 1", "    b: int = 2", ""]
    else:
        lines = [f"class {shape.name}(Protocol):", "    a: int = 1", ""]
    method = write_method(rng, names, shape, "brew")
    return [*lines, *indented(method), "", ""], shape


def write_child(
    rng: random.Random, name: str, parent: Shape, names: Names, mixins: list[str]
) -> Lines:
    """Return a class of the modular file."""
    shape = Shape(name, parent.kind, list(parent.attributes))
    shape.properties = list(parent.properties)
    shape.class_attributes = list(parent.class_attributes)
    bases = [parent.name]
    if mixins and rng.random() < 0.12:
        mixin = rng.choice(mixins)
        bases = [mixin, *bases] if rng.random() < 0.4 else [*bases, mixin]
    head: Lines = []
    if parent.kind == "dataclass" and rng.random() < 0.6:
        head = ["@dataclass"]
    elif rng.random() < 0.04:
        head = ['@tagged("moss")']
    body = write_child_attributes(rng, names, shape, parent)
    known = Shape(name, parent.kind, list(parent.attributes))
    known.class_attributes = shape.class_attributes
    known.properties = shape.properties
    body += write_child_methods(rng, names, known, parent)
    if not body:
        body = ["pass"]
    return [
        *head,
        f"class {name}({', '.join(bases)}):",
        *indented(body),
        "",
        "",
    ]


def write_child_attributes(
    rng: random.Random, names: Names, shape: Shape, parent: Shape
) -> Lines:
    """Return what comes above the methods in a class of the modular file."""
    body: Lines = []
    if parent.kind == "dataclass" and rng.random() < 0.6:
        field_name = rng.choice([*parent.attributes, "extra"])
        body += [
            rng.choice([f"{field_name}: int = 5", f"{field_name}: int = 5", "b = 6"])
        ]
    if parent.kind == "enum":
        body += ["RED = 1", f"BLUE = {rng.randint(1, 3)}"]
    if parent.kind == "namedtuple" and rng.random() < 0.5:
        body += [rng.choice(["c: int = 3", "b = 5", "b: int = 7"])]
    if rng.random() < 0.35:
        for _ in range(rng.choice([1, 1, 2])):
            body += class_statement(rng, names, shape)
    return [*body, ""] if body else []


def write_child_methods(
    rng: random.Random, names: Names, known: Shape, parent: Shape
) -> Lines:
    """Return the methods of a class of the modular file."""
    name = known.name
    body: Lines = []
    rare = parent.kind in ("enum", "namedtuple", "protocol", "dataclass")
    if "__post_init__" in parent.parameters and rng.random() < 0.5:
        scope = scope_for(rng, names, known)
        lines = super_call(scope, parent, name, "__post_init__", "")
        lines += some_statements(scope, 0, 2)
        body += ["def __post_init__(self):", *indented(lines), ""]
    if not rare and rng.random() < 0.55:
        body += write_child_init(rng, names, known, parent)
    overrides = [each for each in METHODS if each in parent.methods]
    for method in METHODS:
        probability = 0.5 if method in overrides else 0.15
        if parent.kind == "abstract" and method == "pour":
            probability = 0.9
        if rng.random() < probability:
            body += write_method(rng, names, known, method, parent)
    if "size" in parent.parameters and rng.random() < 0.5:
        body += [
            line.replace(f"{name}.size", f"{parent.name}.size")
            for line in child_property(rng, names, known, "size")
        ]
    for _ in range(rng.choice([0, 0, 0, 0, 1])):
        body += member(rng, names, known, parent)
    return body


def write_child_init(
    rng: random.Random, names: Names, shape: Shape, parent: Shape
) -> Lines:
    """Return an `__init__` of a class of the modular file."""
    parameters = weighted(rng, PARAMETERS)
    if "__init__" in parent.parameters and rng.random() < 0.7:
        parameters = parent.parameters["__init__"]
    if parameters == "x":
        parameters = "x=1"
    scope = scope_for(rng, names, shape, parameters)
    known, scope.attributes = scope.attributes, []
    lines: Lines = []
    if rng.random() < 0.3:
        lines += some_statements(scope, 1, 1)
    scope.attributes = [*scope.attributes, *known]
    lines += super_call(scope, parent, shape.name, "__init__", parameters)
    lines += some_statements(scope, 0, 3)
    return [f"def __init__(self, {parameters}):", *indented(lines), ""]


def write_function(rng: random.Random, name: str, names: Names) -> Lines:
    """Return a module-level function."""
    scope = Scope(
        rng,
        names=["x"],
        constants=list(names.constants),
        functions=list(names.functions),
        tables=list(names.tables),
        receiver="",
        has_kwargs=False,
    )
    body = some_statements(scope, 0, 2)
    body += [f"return {expression(scope)}"]
    head = ["@noted"] if rng.random() < 0.05 else []
    return [*head, f"def {name}(x=1):", *indented(body), "", ""]


def module_statement(
    rng: random.Random, names: Names, constants: list[str], functions: list[str]
) -> Lines:
    """Return a statement at module level, mostly one that binds a name."""
    scope = Scope(rng, constants=list(names.constants), receiver="")
    name = rng.choice(constants)
    value = expression(scope)
    known = names.constants
    options: list[tuple[int, Lines]] = [
        (30, [f"{name} = {value}"]),
        (4, [f"{name}: int = {value}"]),
        (3, [f"{name}, FLAG = {value}, 1"]),
        (2, [f"{name} = OTHER = {value}"]),
        (3, [f"if {value} > 2:", f"    {name} = 1", "else:", f"    {name} = 2"]),
        (3, [f"TABLE = {{1: {value}, 2: 3}}"]),
        (
            3,
            [
                "try:",
                "    import no_such_module",
                f"    {name} = 1",
                "except ImportError:",
                f"    {name} = {number(scope)}",
            ],
        ),
        (2, ["from math import floor", f"{name} = floor({value})"]),
        (1, [f"({name} := {value})"]),
        (1, [f"for {name} in range(3):", "    pass"]),
        (1, [f"with opened({value}) as {name}:", "    pass"]),
        (
            1,
            [
                f"match {number(scope)}:",
                "    case 1 | 2 | 3:",
                f"        {name} = 1",
                "    case _:",
                f"        {name} = 2",
            ],
        ),
        (1, [f"{name} = 0", f"while {name} < 3:", f"    {name} += 1"]),
        (1, [f"{name} = {value}", f"assert {name} is not None"]),
    ]
    if known:
        last = rng.choice(known)
        options += [
            (4, [f"{last} += 1"]),
            (1, [f"{last} = {last} * 2"]),
            (1, [f"{last} *= 2"]),
        ]
    if names.tables:
        options += [
            (2, ['TABLE["a"] = 5']),
            (2, ["TABLE.update({3: 4})"]),
            (2, ["for key in range(3):", "    TABLE[key] = key * 2"]),
            (1, ["del TABLE[1]"] if "TABLE" in names.tables else ["pass"]),
        ]
    if names.functions:
        last = rng.choice(names.functions)
        options += [
            (2, [f"{last} = noted({last})"]),
            (1, [f"again = {last}", f"{last} = lambda x: again(x) + 1"]),
        ]
    lines = rng.choices([o for _, o in options], [w for w, _ in options])[0]
    text = "\n".join(lines)
    if text.startswith("TABLE = "):
        names.tables[:] = ["TABLE"]
    elif name in text and name not in known:
        known.append(name)
    return lines


def write_names(
    rng: random.Random, names: Names, constants: list[str], functions: list[str]
) -> Lines:
    """Return the definitions above the classes of a file."""
    lines: Lines = []
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        lines += module_statement(rng, names, constants, functions)
    for name in functions:
        if rng.random() < 0.45:
            lines += ["", "", *write_function(rng, name, names)]
            names.functions.append(name)
    for _ in range(rng.choice([0, 0, 0, 1])):
        lines += module_statement(rng, names, constants, functions)
    return [*lines, "", ""]


def below_classes(rng: random.Random, classes: list[str]) -> Lines:
    """Return statements that follow the classes of a file."""
    name = rng.choice(classes)
    options = [
        [f"{name}.patched = {rng.randint(1, 9)}"],
        [f"EntryClass = {name}"],
        [f"{name}.brew = noted({name}.brew)"],
        [f"setattr({name}, 'late', 4)"],
        [f"def build(x=1):\n    return {name}"],
    ]
    return [*rng.choice(options), ""] if rng.random() < 0.1 else []


IMPORTS = """
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Generic, NamedTuple, Protocol, TypeVar

from ..base import Mixin, Root
from ..trace import Field, counted, named, note, noted, opened, tagged, waited
"""


def used_imports(text: str, imports: str) -> str:
    """Return the imports of names that a text uses."""
    words = set()
    for word in "".join(c if c.isalnum() or c == "_" else " " for c in text).split():
        words.add(word)
    lines = []
    for line in imports.strip().splitlines():
        head, _, tail = line.partition(" import ")
        kept = [name for name in tail.split(", ") if name in words]
        if kept:
            lines.append(f"{head} import {', '.join(kept)}")
    return "\n".join(lines) + "\n"


IMPORT_CLASHES = [
    ("from math import pow", "pow"),
    ("from math import floor as scale", "scale"),
    ("import math as helper", "helper"),
    ("from operator import abs", "abs"),
    ("from operator import neg as shift", "shift"),
    ("from math import ceil as round", "round"),
]
"""Imports whose names can mean something else in another file."""


META = """
class Meta(type):
    def __new__(meta, name, bases, space):
        made = super().__new__(meta, name, bases, space)
        made.count = len([n for n in space if n[0] != '_'])
        return made


"""


def write_parent_file(rng: random.Random) -> tuple[Lines, list[Shape]]:
    """Return the code of a parent file, and its classes."""
    names = Names()
    lines = write_names(rng, names, list(PARENT_CONSTANTS), list(PARENT_FUNCTIONS))
    kind = weighted(rng, CLASS_KINDS)
    shapes: list[Shape] = []
    if kind == "metaclass":
        lines += META.strip().split("\n") + ["", ""]
    base = None
    if rng.random() < 0.25:
        plain_kind = kind if kind in ("dataclass", "abstract") else "plain"
        class_lines, base = write_parent(rng, "FernB", names, plain_kind, None)
        lines += class_lines
        shapes.append(base)
        if rng.random() < 0.4 or kind in ("exception", "dict", "list"):
            base = None
    class_lines, main = write_parent(rng, "FernA", names, kind, base)
    lines += [*class_lines, *below_classes(rng, ["FernA"])]
    return lines, [*shapes, main]


def write_import(rng: random.Random, names: Names) -> str:
    """Return an import whose name may mean something else in the parent file."""
    text, name = rng.choice(IMPORT_CLASHES)
    if name in names.functions:
        return ""
    if "import math as" not in text and name != "pow":
        names.functions.append(name)
    return text + "\n"


def random_project(seed: int) -> RandomProject:
    """Return the project of a seed."""
    rng = random.Random(seed)
    is_colliding = rng.random() < 0.2
    parent_text, shapes = write_parent_file(rng)
    names = Names()
    constants, functions = list(CHILD_CONSTANTS), list(CHILD_FUNCTIONS)
    if is_colliding:
        constants += PARENT_CONSTANTS
        functions = [*PARENT_FUNCTIONS, "turn"]
    child_text = write_names(rng, names, constants, functions)
    imports = ""
    if is_colliding and rng.random() < 0.4:
        imports = write_import(rng, names)
    mixins = ["Mixin"]
    if rng.random() < 0.15:
        lines, _ = write_parent(rng, "Local", names, "plain", None)
        child_text += [line.replace("(Root)", "") for line in lines]
        mixins = ["Local"]
    reed_text: Lines = []
    parents = {"MossA": shapes[-1]}
    if rng.random() < 0.1:
        reed_names = Names()
        reed_text += write_names(
            rng, reed_names, list(PARENT_CONSTANTS), list(PARENT_FUNCTIONS)
        )
        lines, reed = write_parent(rng, "ReedA", reed_names, "plain", None)
        reed_text += lines
        parents["MossC"] = reed
    if len(shapes) > 1 and rng.random() < 0.5:
        parents = {"MossB": shapes[0], **parents}
    for name, parent in parents.items():
        child_text += write_child(rng, name, parent, names, mixins)
    child_text += below_classes(rng, list(parents))
    return assemble(seed, parent_text, child_text, reed_text, imports, list(parents))


def assemble(
    seed: int,
    parent_lines: Lines,
    child_lines: Lines,
    reed_lines: Lines,
    imports: str,
    classes: list[str],
) -> RandomProject:
    """Return the project of the code of its files."""
    files = {"models/trace.py": TRACE.lstrip(), "models/base.py": BASE.lstrip()}
    parent = "\n".join(parent_lines)
    child = "\n".join(child_lines)
    header = "" if "Generic[T]" not in parent else 'T = TypeVar("T")\n\n\n'
    parent = header + parent
    files["models/fern/modeling_fern.py"] = used_imports(parent, IMPORTS) + parent
    needed = [name for name in ("FernA", "FernB") if name in child]
    head = f"from ..fern.modeling_fern import {', '.join(needed)}\n"
    if reed_lines:
        reed = "\n".join(reed_lines)
        files["models/reed/modeling_reed.py"] = used_imports(reed, IMPORTS) + reed
        head += "from ..reed.modeling_reed import ReedA\n"
    text = used_imports(child, IMPORTS) + imports + head + "\n\n" + child
    files["models/moss/modular_moss.py"] = text
    return RandomProject(seed, files, classes)
