"""Random small models: a parent file, a modular file, and what both import.

Both files are valid Python that always ends, so the classes of the modular file can run
as Python inherits them. Names are few, so overrides, assignments and locals collide.

Some rules of the language change what a class does on purpose. Such code is not
generated: an override without decorators of a decorated method, a property without the
setter that the parent's has, a base that replaces the parent's because both have the
same ending, and `**super_kwargs` behind parameters that are passed by position. Models
for `inheritance = "python"` have the first two, and more of what only Python keeps.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random


LIBRARY = '''
"""What the random models import: base classes, and names to call."""

from contextlib import contextmanager
from functools import wraps


class Module:
    def __init__(self, *args, **kwargs):
        self.base = 1


class PreTrained(Module):
    def post_init(self):
        self.ready = True

    def emb(self, x=1):
        return ["emb of the library", x]

    def mix(self, x=1):
        self.mixed = x
        return x - 100

    @property
    def level(self):
        return 500


class Growing:
    def grow(self, x=1):
        return ["grow of the mixin", x]

    def reset(self):
        self.size = -1


class Emb:
    def emb(self, x=1):
        return ["emb of the mixin", x]

    def forward(self, x=1):
        return ["forward of the mixin", x]


@contextmanager
def guard():
    yield 1


def same(function):
    return function


def listed(function):
    @wraps(function)
    def call(*args, **kwargs):
        return [function(*args, **kwargs)]

    return call
'''

SETTINGS = 'models = ["zoo/models"]\nformatter = "none"\n\n[tool.modular.banner]\ntext = ""\nelsewhere = ""\n'
"""What follows the header of the table `[tool.modular]`."""

ATTRIBUTES = ("size", "rate", "total", "depth", "seen")
LOCALS = ("hidden", "value")
METHODS = ("forward", "mix", "grow", "emb", "reset")
"""A method calls only methods after it, so no calls go round in a circle."""

PROPERTIES = ("level", "width")
CLASS_ATTRIBUTES = ("tag", "limit", "kinds")
PARTS = ("Layer", "Block")
OUTPUT = "Output"
"""The part of the name of a dataclass."""

BASES = ("", "Module", "PreTrained", "PreTrained")


@dataclass(frozen=True)
class Member:
    """A method or an attribute of a class: its first lines, and the statements below them.

    Each statement is a tuple of lines.
    """

    name: str
    head: tuple[str, ...]
    body: tuple[tuple[str, ...], ...] = ()

    def lines(self) -> Iterator[str]:
        """Yield the lines of the member."""
        yield from self.head
        if self.head[-1].endswith(":"):
            for statement in self.body or (("pass",),):
                yield from indent(statement)


@dataclass(frozen=True)
class Class:
    """A class: its name, its bases and its members."""

    name: str
    bases: tuple[str, ...]
    members: tuple[Member, ...]
    decorators: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """Yield the lines of the class, after two blank lines."""
        bases = f"({', '.join(self.bases)})" if self.bases else ""
        yield from ("", "", *self.decorators, f"class {self.name}{bases}:")
        for member in self.members:
            is_method = member.head[-1].endswith(":")
            if is_method and member is not self.members[0]:
                yield ""
            yield from indent(tuple(member.lines()))
        if not self.members:
            yield "    pass"


@dataclass(frozen=True)
class Model:
    """A parent model and a modular file that inherits from it.

    Attributes:
        number: The number that the model is generated from.
        parents: The classes of the parent file.
        children: The classes of the modular file.
    """

    number: int
    parents: tuple[Class, ...]
    children: tuple[Class, ...]

    @property
    def parent_name(self) -> str:
        """The name of the parent model."""
        return f"llama{self.number}"

    @property
    def name(self) -> str:
        """The name of the model of the modular file."""
        return f"gemma{self.number}"

    @property
    def parent_path(self) -> str:
        """The path of the parent file."""
        return f"zoo/models/{self.parent_name}/modeling_{self.parent_name}.py"

    @property
    def modular_path(self) -> str:
        """The path of the modular file."""
        return f"zoo/models/{self.name}/modular_{self.name}.py"

    @property
    def generated_path(self) -> str:
        """The path of the generated file."""
        return f"zoo/models/{self.name}/modeling_{self.name}.py"

    @property
    def size(self) -> int:
        """The number of characters of both files."""
        return sum(map(len, self.files().values()))

    def files(self) -> dict[str, str]:
        """Return the text of the parent file and of the modular file by path."""
        modular = _imports(self.children, self.parents)
        return {
            self.parent_path: _render(_imports(self.parents, ()), self.parents),
            self.modular_path: _render(modular, self.children),
        }

    def smaller(self) -> Iterator["Model"]:
        """Yield the model without one class, one base, one member or one statement each."""
        for children in _smaller_classes(self.children, can_be_empty=False):
            yield replace(self, children=children)
        for parents in _smaller_classes(self.parents, can_be_empty=False):
            yield replace(self, parents=parents)


def indent(lines: Iterable[str]) -> tuple[str, ...]:
    """Return lines one level deeper."""
    return tuple(f"    {line}" if line else "" for line in lines)


def _render(imports: Iterable[str], classes: Iterable[Class]) -> str:
    lines = list(imports)
    for class_ in classes:
        lines += class_.lines()
    return "\n".join(lines) + "\n"


def _imports(classes: Sequence[Class], parents: Sequence[Class]) -> list[str]:
    """Return the imports of all names that some classes use."""
    text = "\n".join(line for class_ in classes for line in class_.lines())
    names = ("Emb", "Growing", "Module", "PreTrained", "guard", "listed", "same")
    words = set(text.replace("(", " ").replace(")", " ").replace(",", " ").split())
    words |= {word.lstrip("@").rstrip(":") for word in words}
    used = [name for name in names if name in words]
    imports = ["from dataclasses import dataclass"] if "dataclass" in words else []
    if used:
        imports.append(f"from ...library import {', '.join(used)}")
    for parent in parents:
        if f"{parent.name}" in text:
            model = parent.name.removesuffix(_part_of(parent.name)).lower()
            imports.append(f"from ..{model}.modeling_{model} import {parent.name}")
    return imports


def _part_of(name: str) -> str:
    return next(part for part in (*PARTS, OUTPUT) if name.endswith(part))


def _smaller_classes(
    classes: tuple[Class, ...], can_be_empty: bool
) -> Iterator[tuple[Class, ...]]:
    for index, class_ in enumerate(classes):
        before, after = classes[:index], classes[index + 1 :]
        if before or after or can_be_empty:
            yield (*before, *after)
        for smaller in _smaller_class(class_):
            yield (*before, smaller, *after)


def _smaller_class(class_: Class) -> Iterator[Class]:
    for index in range(len(class_.bases)):
        if not class_.bases[index].startswith("Llama"):
            bases = (*class_.bases[:index], *class_.bases[index + 1 :])
            yield replace(class_, bases=bases)
    for index, member in enumerate(class_.members):
        before, after = class_.members[:index], class_.members[index + 1 :]
        yield replace(class_, members=(*before, *after))
        for position in range(len(member.body)):
            body = (*member.body[:position], *member.body[position + 1 :])
            smaller = replace(member, body=body)
            yield replace(class_, members=(*before, smaller, *after))


def random_model(number: int, is_like_python: bool = False) -> Model:
    """Return the random model that a number determines.

    Args:
        number: The number.
        is_like_python: Whether the model is for `inheritance = "python"`.
    """
    random = Random(number)
    extras = Random(f"extras of {number}")
    parts = PARTS[: random.choice((1, 1, 2))]
    parents = []
    children = []
    for part in parts:
        parent = _Writer(random, f"Llama{number}{part}").parent()
        child = _Writer(random, f"Gemma{number}{part}").child(parent)
        pairs = list(_ExtraMembers(extras, parent.name).pairs(is_like_python))
        parents.append(_with_members(parent, [pair[0] for pair in pairs]))
        children.append(_with_members(child, [pair[1] for pair in pairs]))
    if extras.random() < 0.25:
        parent, child = _dataclasses(extras, number, is_like_python)
        parents.append(parent)
        children.append(child)
    return Model(number, tuple(parents), tuple(children))


def _with_members(class_: Class, groups: Iterable[Iterable[Member]]) -> Class:
    members = [*class_.members]
    for group in groups:
        members += group
    return replace(class_, members=tuple(members))


class _Writer:
    """Writes one random class."""

    def __init__(self, random: Random, name: str) -> None:
        self.random = random
        self.name = name

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def parent(self) -> Class:
        """Return a class of a parent file."""
        base = self.random.choice(BASES)
        members = self.class_attributes(0.3)
        members.append(self.parent_init(base))
        for name in METHODS:
            if self.chance(0.6):
                members.append(self.method(name))
        members += self.properties(0.3)
        if self.chance(0.2):
            members.append(self.static_method())
        if self.chance(0.2):
            members.append(self.class_method())
        bases = (base,) if base else ()
        if base and self.chance(0.15):
            bases = (*bases, self.random.choice(("Growing", "Emb")))
        return Class(self.name, bases, tuple(members))

    def class_attributes(self, probability: float) -> list[Member]:
        members = []
        for name in CLASS_ATTRIBUTES:
            if self.chance(probability):
                value = self.random.choice(("1", "[1, 2]", '"word"', "None"))
                annotation = self.random.choice(("", "", ": object"))
                members.append(Member(name, (f"{name}{annotation} = {value}",)))
        return members

    def parent_init(self, base: str) -> Member:
        parameters = self.random.choice(
            ("self, config", "self, config", "self, config, layer=2")
        )
        body: list[tuple[str, ...]] = []
        if base:
            body.append(("super().__init__(config)",))
        scope = ["config.size", "config.depth"]
        if "layer" in parameters:
            scope.append("layer")
        for name in self.random.sample(ATTRIBUTES, len(ATTRIBUTES)):
            body.append((f"self.{name} = {self.value(scope)}",))
            scope.append(f"self.{name}")
        body += self.statements("__init__", scope, self.random.choice((0, 0, 1, 2)))
        if base == "PreTrained" and self.chance(0.5):
            body.append(("self.post_init()",))
        return Member("__init__", (f"def __init__({parameters}):",), tuple(body))

    def parameters(self, name: str) -> str:
        if name == "reset":
            return "self"
        return self.random.choice(
            (
                "self, x",
                "self, x",
                "self, x, n=2",
                "self, x, *, deep=3",
                "self, x, **kwargs",
            )
        )

    def scope(self, parameters: str) -> list[str]:
        """Return the values that a method with these parameters can use."""
        scope = [f"self.{name}" for name in ATTRIBUTES]
        for parameter in parameters.replace("*", "").split(", "):
            name = parameter.partition("=")[0]
            if name == "kwargs":
                scope.append("len(kwargs)")
            elif name not in ("self", "", "super_kwargs", "config"):
                scope += [name, name]
        return scope

    def value(self, scope: Sequence[str]) -> str:
        number = self.random.randint(1, 99)
        if not scope or self.chance(0.25):
            return str(number)
        name = self.random.choice(scope)
        return self.random.choice(
            (name, f"{name} + {number}", f"{name} * 2", f"{name} - {number}")
        )

    def method(self, name: str) -> Member:
        """Return a method without calls of `super()`."""
        parameters = self.parameters(name)
        scope = self.scope(parameters)
        body = self.statements(name, scope, self.random.choice((0, 1, 1, 2, 3)))
        if self.chance(0.8):
            body.append((f"return {self.value(scope)}",))
        decorators = ("@same",) if self.chance(0.1) else ()
        head = (*decorators, f"def {name}({parameters}):")
        return Member(name, head, tuple(body))

    def statements(
        self, method: str, scope: list[str], count: int
    ) -> list[tuple[str, ...]]:
        return [self.statement(method, scope) for _ in range(count)]

    def statement(self, method: str, scope: list[str]) -> tuple[str, ...]:
        """Return a statement. Names that it binds are added to the scope."""
        shapes = [self.simple] * 3 + [self.augmented, self.local] * 2
        shapes += [self.annotated, self.condition_block, self.loop, self.guarded]
        shapes += [self.attempt, self.nested_function]
        if "x" in scope:
            shapes.append(self.rebound_parameter)
        if method != "__init__":
            shapes.append(self.early_return)
        return self.random.choice(shapes)(method, scope)

    def augmented(self, method: str, scope: list[str]) -> tuple[str, ...]:
        return (f"self.{self.random.choice(ATTRIBUTES)} += {self.value(scope)}",)

    def annotated(self, method: str, scope: list[str]) -> tuple[str, ...]:
        return (f"self.{self.random.choice(ATTRIBUTES)}: int = {self.value(scope)}",)

    def local(self, method: str, scope: list[str]) -> tuple[str, ...]:
        name = self.random.choice(LOCALS)
        value = self.value(scope)
        scope += [name, name]
        return (f"{name} = {value}",)

    def rebound_parameter(self, method: str, scope: list[str]) -> tuple[str, ...]:
        return (f"x = {self.value(scope)}",)

    def condition_block(self, method: str, scope: list[str]) -> tuple[str, ...]:
        inner = self.simple(method, scope)
        return (f"if {self.condition(scope)}:", *indent(inner))

    def early_return(self, method: str, scope: list[str]) -> tuple[str, ...]:
        value = self.value(scope)
        return (f"if {self.condition(scope)}:", f"    return {value}")

    def loop(self, method: str, scope: list[str]) -> tuple[str, ...]:
        attribute = self.random.choice(ATTRIBUTES)
        count = self.random.randint(1, 3)
        return (f"for step in range({count}):", f"    self.{attribute} += step")

    def attempt(self, method: str, scope: list[str]) -> tuple[str, ...]:
        inner = self.simple(method, scope)
        other = self.simple(method, scope)
        error = "except (AttributeError, TypeError):"
        return ("try:", *indent(inner), error, *indent(other))

    def guarded(self, method: str, scope: list[str]) -> tuple[str, ...]:
        return ("with guard():", *indent(self.simple(method, scope)))

    def nested_function(self, method: str, scope: list[str]) -> tuple[str, ...]:
        value = self.value(scope)
        scope.append("inner(1)")
        return ("def inner(y):", f"    return y + {value}")

    def simple(self, method: str, scope: list[str]) -> tuple[str, ...]:
        attribute = self.random.choice(ATTRIBUTES)
        later = self.later(method)
        if later and self.chance(0.4):
            return (f"self.{attribute} = self.{self.call(later, scope)}",)
        others = [name for name in scope if name != f"self.{attribute}"]
        return (f"self.{attribute} = {self.value(others)}",)

    def later(self, method: str) -> str:
        """Return a method that this one may call, or an empty string."""
        start = METHODS.index(method) + 1 if method in METHODS else 0
        names = METHODS[start:]
        return self.random.choice(names) if names else ""

    def call(self, method: str, scope: Sequence[str]) -> str:
        arguments = "" if method == "reset" else self.value(scope)
        return f"{method}({arguments})"

    def condition(self, scope: Sequence[str]) -> str:
        name = self.random.choice(scope) if scope else "1"
        return f"{name} > {self.random.choice((0, 5, 20))}"

    def properties(self, probability: float) -> list[Member]:
        members = []
        for name in PROPERTIES:
            if self.chance(probability):
                value = self.value([f"self.{name}" for name in ATTRIBUTES])
                head = ("@property", f"def {name}(self):")
                members.append(Member(name, head, ((f"return {value}",),)))
                if self.chance(0.3):
                    attribute = self.random.choice(ATTRIBUTES)
                    head = (f"@{name}.setter", f"def {name}(self, value):")
                    body = ((f"self.{attribute} = value",),)
                    members.append(Member(name, head, body))
        return members

    def static_method(self) -> Member:
        value = self.value(["x", "n"])
        head = ("@staticmethod", "def scale(x, n=3):")
        return Member("scale", head, ((f"return {value}",),))

    def class_method(self) -> Member:
        value = self.value(["x"])
        head = ("@classmethod", "def build(cls, x):")
        return Member("build", head, ((f"return [cls.__name__, {value}]",),))

    def child(self, parent: Class) -> Class:
        """Return a class of a modular file that inherits from a parent class."""
        bases: tuple[str, ...] = (parent.name,)
        if self.chance(0.2):
            mixin = self.random.choice(("Growing", "Emb"))
            bases = (*bases, mixin)
            if mixin not in parent.bases and self.chance(0.5):
                bases = (mixin, parent.name)
        members = self.child_attributes(parent)
        methods = {
            member.name: member
            for member in parent.members
            if member.name in (*METHODS, "__init__")
        }
        overridden = [name for name in methods if self.chance(0.5)]
        for name in overridden or list(methods)[:1]:
            members.append(self.override(parent, methods[name]))
        for name in METHODS:
            if name not in methods and self.chance(0.15):
                members.append(self.method(name))
        members += self.child_specials(parent)
        return Class(self.name, bases, tuple(members))

    def child_attributes(self, parent: Class) -> list[Member]:
        members = self.class_attributes(0.15)
        inherited = [
            member.name for member in parent.members if member.name in CLASS_ATTRIBUTES
        ]
        names = {member.name for member in members}
        for name in inherited:
            if name not in names and self.chance(0.15):
                line = f"{name} = AttributeError()"
                if self.chance(0.5):
                    line = f"{name}: object"
                members.append(Member(name, (line,)))
        return members

    def override(self, parent: Class, method: Member) -> Member:
        """Return an override of a method, in which `super()` may be anywhere."""
        name = method.name
        header = method.head[-1]
        parameters = header[header.index("(") + 1 : -2]
        if self.chance(0.2) and "**" not in parameters and name != "reset":
            parameters += ", extra=4"
            if "*, " in parameters and self.chance(0.5):
                parameters = parameters.replace(", extra=4", "").replace(
                    "*, ", "extra=4, *, "
                )
        if name != "__init__" and self.chance(0.06):
            head = (f"def {name}({parameters}):",)
            return Member(name, head, (('raise AttributeError("removed")',),))
        scope = self.scope(parameters)
        if name == "__init__":
            scope = ["config.size", *scope]
        if self.chance(0.25):
            body = self.statements(name, scope, self.random.choice((0, 1, 2)))
            if name != "__init__":
                body.append((f"return {self.value(scope)}",))
            else:
                body = [
                    *((f"self.{attribute} = 1",) for attribute in ATTRIBUTES),
                    *body,
                ]
        else:
            body = self.unravelled(parent, name, parameters, scope)
        decorators = method.head[:-1] if self.chance(0.7) else ()
        return Member(name, (*decorators, f"def {name}({parameters}):"), tuple(body))

    def unravelled(
        self,
        parent: Class,
        name: str,
        parameters: str,
        scope: list[str],
    ) -> list[tuple[str, ...]]:
        """Return a body that calls `super()`.

        Args:
            parent: The parent class.
            name: The name of the method.
            parameters: The parameters of the override.
            scope: The values that the body can use.
        """
        before = self.statements(name, scope, self.random.choice((0, 0, 1)))
        call = self.super_call(parent, name, parameters, scope)
        body = [*before, *self.with_call(name, call, scope)]
        if body[-1][0].startswith("return") and self.chance(0.8):
            return body
        body += self.statements(name, scope, self.random.choice((0, 0, 1, 2)))
        if self.chance(0.1):
            above = "\n".join("\n".join(lines) for lines in before)
            name = self.random.choice(ATTRIBUTES)
            calls = [f"self.{method}(" for method in METHODS]
            is_called = any(
                call in line for lines in body for line in lines for call in calls
            )
            if f"self.{name}" not in above and not is_called:
                body.append((f"del self.{name}",))
        if name != "__init__" and self.chance(0.3):
            body.append((f"return {self.value(scope)}",))
        return body

    def super_call(
        self, parent: Class, name: str, parameters: str, scope: Sequence[str]
    ) -> str:
        target = "super()"
        if self.chance(0.07):
            target = f"super({parent.name}, self)"
        if name == "__init__":
            return f"{target}.__init__(config)"
        arguments = []
        for parameter in parameters.split(", ")[1:]:
            parameter = parameter.partition("=")[0]
            if parameter in ("*", "extra"):
                continue
            can_be_omitted = parameter in ("n", "deep", "**kwargs")
            if can_be_omitted and self.chance(0.2):
                continue
            argument = parameter
            if parameter in ("n", "deep"):
                argument = f"{parameter}={parameter}"
            elif parameter == "x" and self.chance(0.15):
                others = [name for name in scope if not name.startswith("self.")]
                argument = self.value(others)
            arguments.append(argument)
        method = name
        if self.chance(0.1):
            method = self.later(name) or name
            arguments = [] if method == "reset" else arguments[:1]
        return f"{target}.{method}({', '.join(arguments)})"

    def with_call(
        self, name: str, call: str, scope: list[str]
    ) -> list[tuple[str, ...]]:
        """Return statements with a call of `super()` at some position."""
        condition = self.condition(scope)
        shapes: list[tuple[int, list[tuple[str, ...]]]] = [
            (1, [(f"if {condition}:", f"    {call}")]),
            (1, [("try:", f"    {call}", "except TypeError:", "    pass")]),
            (1, [("with guard():", f"    {call}")]),
            (1, [("for step in range(2):", f"    {call}")]),
            (8, [(call,)]),
            (1, [(call,), (call,)]),
        ]
        if name != "__init__":
            shapes += [
                (8, [(f"return {call}",)]),
                (1, [(f"return [{call}]",)]),
                (1, [(f"hidden = {call}",), ("return hidden",)]),
                (1, [(f"if {condition}:", f"    return {call}")]),
                (1, [(f"self.seen = {call}",)]),
            ]
            inner = call.replace("super()", f"super({self.name}, self)")
            lines = ("def inner():", f"    return {inner}")
            shapes.append((1, [lines, ("return inner()",)]))
        weights = [weight for weight, _ in shapes]
        return self.random.choices([shape for _, shape in shapes], weights)[0]

    def child_specials(self, parent: Class) -> Iterator[Member]:
        """Yield properties, static and class methods, and overrides that raise."""
        names = {member.name for member in parent.members}
        for name in PROPERTIES:
            if self.chance(0.2):
                value = self.value([f"self.{name}" for name in ATTRIBUTES])
                if self.chance(0.5):
                    value = f"super().{name} + 1"
                head = ("@property", f"def {name}(self):")
                yield Member(name, head, ((f"return {value}",),))
                if name in names:
                    head = (f"@{name}.setter", f"def {name}(self, value):")
                    yield Member(name, head, (("self.total = value",),))
        if self.chance(0.15):
            member = self.static_method()
            if "scale" in names and self.chance(0.5):
                member = replace(
                    member, body=((f"return {parent.name}.scale(x, n) + 1",),)
                )
            yield member
        if self.chance(0.15):
            member = self.class_method()
            if "build" in names and self.chance(0.7):
                value = self.random.choice(
                    ("super().build(x)", "[super().build(x)]", "super().build(x + 1)")
                )
                member = replace(member, body=((f"return {value}",),))
            yield member


Pair = tuple[tuple[Member, ...], tuple[Member, ...]]
"""Members of a parent class, and those of a class of the modular file."""


class _ExtraMembers(_Writer):
    """Writes members of both classes that belong together. Others do not use them."""

    def pairs(self, is_like_python: bool) -> Iterator[Pair]:
        """Yield members of both classes.

        Args:
            is_like_python: Whether there may be members that only Python keeps.
        """
        if self.chance(0.3):
            yield self.async_methods()
        if not is_like_python:
            return
        for write in (
            self.read_attributes,
            self.nested_classes,
            self.blocks,
            self.listed_methods,
            self.accessors,
            self.raising_methods,
        ):
            if self.chance(0.25):
                yield write()

    def child_method(
        self, name: str, statements: Sequence[str], keyword: str
    ) -> Member:
        """Return an override with one of some statements."""
        head = (f"{keyword} {name}(self, x):",)
        return Member(name, head, ((self.random.choice(statements),),))

    def async_methods(self) -> Pair:
        parent = Member("load", ("async def load(self, x):",), (("return x + 1",),))
        statements = (
            "return await super().load(x)",
            "return [await super().load(x * 2)]",
            "return -x",
        )
        child = self.child_method("load", statements, "async def")
        return (parent,), (child,) if self.chance(0.7) else ()

    def read_attributes(self) -> Pair:
        parent = [Member("unit", ("unit = 5",)), Member("twice", ("twice = 2 * unit",))]
        child = [Member("unit", ("unit = 7",))]
        if self.chance(0.4):
            child.append(Member("thrice", ("thrice = 3 * unit",)))
        return tuple(parent), tuple(child)

    def nested_classes(self) -> Pair:
        parent = Member("Inner", ("class Inner:",), (("deep = 1",),))
        child = Member("Inner", ("class Inner:",), (("wide = 2",),))
        return (parent,), (child,) if self.chance(0.5) else ()

    def blocks(self) -> Pair:
        parent = Member("", ("if True:",), (("flag = 1",),))
        child = self.random.choice(
            (
                Member("flag", ("flag = 2",)),
                Member("", ("if True:",), (("flag = 3",),)),
                Member("", ("if True:",), (("other_flag = 3",),)),
            )
        )
        return (parent,), (child,)

    def listed_methods(self) -> Pair:
        parent = Member("mark", ("@listed", "def mark(self, x):"), (("return x",),))
        statements = ("return super().mark(x)", "return -x", "return super().mark(-x)")
        child = self.child_method("mark", statements, "def")
        if self.chance(0.3):
            child = replace(child, head=("@listed", *child.head))
        return (parent,), (child,)

    def accessors(self) -> Pair:
        getter = Member("area", ("@property", "def area(self):"), (("return 9",),))
        body = (("self.depth = value",),)
        setter = Member("area", ("@area.setter", "def area(self, value):"), body)
        value = self.random.choice(("8", "super().area + 1"))
        child = replace(getter, body=((f"return {value}",),))
        if self.chance(0.3):
            head = (f"@{self.name}.area.setter", "def area(self, value):")
            child = Member("area", head, (("self.rate = value",),))
        return (getter, setter), (child,)

    def raising_methods(self) -> Pair:
        parent = Member("prune", ("def prune(self, x):",), (("return x",),))
        child = Member(
            "prune", ("def prune(self, x):",), (('raise ValueError("pruned")',),)
        )
        return (parent,), (child,)


def _dataclasses(
    random: Random, number: int, is_like_python: bool
) -> tuple[Class, Class]:
    """Return a dataclass of the parent file, and one of the modular file.

    Without `@dataclass`, new attributes of a class are no fields. The rules of
    transformers make them fields on purpose.
    """
    fields = [Member("loss", ("loss: object = 1",)), Member("size", ("size: int = 2",))]
    total = Member("total", ("def total(self, x):",), (("return self.size + x",),))
    parent = Class(
        f"Llama{number}{OUTPUT}", (), (*fields, total), decorators=("@dataclass",)
    )

    is_decorated = not is_like_python or random.random() < 0.7
    members = []
    if random.random() < 0.5:
        members.append(Member("size", ("size: int = 3",)))
    if random.random() < 0.5:
        members.append(Member("score", ("score: int = 4",)))
    statement = random.choice(
        ("return super().total(x)", "return -super().total(x)", "return x")
    )
    members.append(Member("total", ("def total(self, x):",), ((statement,),)))
    child = Class(
        f"Gemma{number}{OUTPUT}",
        (parent.name,),
        tuple(members),
        decorators=("@dataclass",) if is_decorated else (),
    )
    return parent, child
