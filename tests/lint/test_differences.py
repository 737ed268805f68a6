"""A class that would behave differently in Python than it does flattened has a finding.

Each case is a parent class and a class of the modular file. Both the modular file and
the generated file are imported as plain Python, and all methods of the class are
called: they differ where a finding is expected, and only there.
"""

from dataclasses import dataclass
from itertools import product
from string import ascii_lowercase
from typing import Any

import pytest

from modular.run import api
from tests.lint.test_advice import observe
from tests.support import source, write_project


NOTHING = ("", "")
"""No finding, because both classes do the same."""

DOCUMENTED = ("documented", "")
"""No finding, because `docs/inheritance.md` lists the difference."""


@dataclass(frozen=True)
class Case:
    """A parent class and a class that inherits from it.

    Attributes:
        title: A sentence about what Python does.
        parent: The parent class, with `Parent` as its name.
        child: The class of the modular file, with `Child` and `Parent` as names.
        finding: The code of the finding, and the text of its line; empty for none.
        above: Code above the parent class.
    """

    title: str
    parent: str
    child: str
    finding: tuple[str, str] = NOTHING
    above: str = ""


CALLS_PAST_THE_PARENT = [
    Case(
        "a call inside an expression is a call of the parent's method",
        """
        class Parent(Base):
            def emb(self):
                return "parent"
        """,
        """
        class Child(Parent):
            def emb(self):
                return [super().emb()]
        """,
        ("MOD421", "return [super().emb()]"),
    ),
    Case(
        "a call inside a nested function is a call of the parent's method",
        """
        class Parent(Base):
            def emb(self):
                return "parent"
        """,
        """
        class Child(Parent):
            def emb(self):
                def inner():
                    return super(Child, self).emb()
                return inner()
        """,
        ("MOD421", "return super(Child, self).emb()"),
    ),
    Case(
        "a call inside a block is a call of the parent's method",
        """
        class Parent(Base):
            def emb(self):
                return "parent"
        """,
        """
        class Child(Parent):
            def emb(self):
                if self:
                    return super().emb()
        """,
        ("MOD421", "return super().emb()"),
    ),
    Case(
        "a call from another method is a call of the parent's method",
        """
        class Parent(Base):
            def emb(self):
                return "parent"
        """,
        """
        class Child(Parent):
            def other(self):
                return super().emb()
        """,
        ("MOD421", "return super().emb()"),
    ),
    Case(
        "an attribute of `super()` is the parent's",
        """
        class Parent(Base):
            kind = "parent"
        """,
        """
        class Child(Parent):
            def other(self):
                return super().kind
        """,
        ("MOD421", "return super().kind"),
    ),
    Case(
        "a call of a method that only the base has is a call of the base's",
        """
        class Parent(Base):
            pass
        """,
        """
        class Child(Parent):
            def emb(self):
                return [super(Child, self).emb()]
        """,
    ),
    Case(
        "a base that is named is called",
        """
        class Parent(Base):
            def emb(self):
                return "parent"
        """,
        """
        class Child(Parent):
            def emb(self):
                return [Base.emb(self)]
        """,
    ),
]

ASSIGNMENTS = [
    Case(
        "a called method of a base sets an attribute after the parent does",
        """
        class Parent(Base):
            def start(self):
                self.total = 1
                self.size = 2
        """,
        """
        class Child(Parent):
            def start(self):
                super().start()
                self.total = self.reset()
        """,
        ("MOD417", "self.total = self.reset()"),
    ),
    Case(
        "a called method of a base reads an attribute after the parent sets it",
        """
        class Parent(Base):
            def start(self):
                self.total = 1
                self.size = 2
        """,
        """
        class Child(Parent):
            size = 0

            def start(self):
                super().start()
                self.total = self.area()
        """,
        ("MOD417", "self.total = self.area()"),
    ),
    Case(
        "a removed assignment still calls a method",
        """
        class Parent(Base):
            def start(self):
                self.total = self.reset()
        """,
        """
        class Child(Parent):
            def start(self):
                super().start()
                del self.total
        """,
        ("MOD417", "del self.total"),
    ),
    Case(
        "an assignment replaces nothing in another method",
        """
        class Parent:
            def start(self):
                self.size = 1

            def resize(self):
                self.size = 2
        """,
        """
        class Child(Parent):
            def start(self):
                super().start()
                self.size = 3

            def resize(self):
                super().resize()
                self.done = True
        """,
        ("MOD417", "self.size = 3"),
    ),
    Case(
        "an assignment may replace the same one in another method",
        """
        class Parent:
            def start(self):
                self.size = 1

            def resize(self):
                self.size = 3
        """,
        """
        class Child(Parent):
            def start(self):
                super().start()
                self.size = 3

            def resize(self):
                super().resize()
                self.done = True
        """,
    ),
    Case(
        "a deletion has no effect on another method",
        """
        class Parent:
            def start(self):
                self.size = 1

            def resize(self):
                self.size = 2
        """,
        """
        class Child(Parent):
            def start(self):
                super().start()
                del self.size

            def resize(self):
                super().resize()
                self.done = True
        """,
        ("MOD417", "del self.size"),
    ),
    Case(
        "an assignment reads what the parent sets last",
        """
        class Parent:
            def __init__(self):
                self.x = 1
                self.y = 2
        """,
        """
        class Child(Parent):
            def __init__(self):
                super().__init__()
                self.x = -self.y
        """,
        ("MOD417", "self.x = -self.y"),
    ),
    Case(
        "an assignment reads what the parent has set before",
        """
        class Parent:
            def __init__(self):
                self.y = 2
                self.x = 1
        """,
        """
        class Child(Parent):
            def __init__(self):
                super().__init__()
                self.x = -self.y
        """,
    ),
    Case(
        "an assignment ends what the parent adds to a value",
        """
        class Parent:
            def __init__(self):
                self.total = 1
                self.total += 5
        """,
        """
        class Child(Parent):
            def __init__(self):
                super().__init__()
                self.total = 13
        """,
        ("MOD417", "self.total = 13"),
    ),
    Case(
        "an annotated assignment comes last in the generated method, too",
        """
        class Parent:
            def __init__(self):
                self.total = 1
                self.total += 5
        """,
        """
        class Child(Parent):
            def __init__(self):
                super().__init__()
                self.total: int = 13
        """,
    ),
    Case(
        "an assignment reads the value that it replaces",
        """
        class Parent:
            def __init__(self):
                self.total = 1
        """,
        """
        class Child(Parent):
            def __init__(self):
                super().__init__()
                self.total = self.total * 2
        """,
        ("MOD417", "self.total = self.total * 2"),
    ),
    Case(
        "the last of two assignments counts",
        """
        class Parent:
            def __init__(self):
                self.total = 1
        """,
        """
        class Child(Parent):
            def __init__(self):
                super().__init__()
                self.total = 2
                self.total = 3
        """,
        ("MOD417", "self.total = 3"),
    ),
    Case(
        "an assignment reads a variable of its own method",
        """
        class Parent:
            def __init__(self):
                self.total = 1
        """,
        """
        class Child(Parent):
            def __init__(self, size=2):
                super().__init__()
                size = size * 2
                self.total = size
        """,
        ("MOD417", "self.total = size"),
    ),
    Case(
        "a value is read before it is assigned",
        """
        class Parent:
            def __init__(self):
                self.total = 1
        """,
        """
        class Child(Parent):
            def __init__(self):
                super().__init__()
                self.old = self.total
                self.total = 3
        """,
        ("MOD417", "self.total = 3"),
    ),
    Case(
        "a value is added twice",
        """
        class Parent:
            n = 0

            def count(self):
                self.n += 1
        """,
        """
        class Child(Parent):
            def count(self):
                super().count()
                self.n += 1
        """,
        ("MOD417", "self.n += 1"),
    ),
    Case(
        "a method is called twice",
        """
        class Parent:
            def count(self):
                self.add(3)

            def add(self, x):
                self.n = getattr(self, "n", 0) + x
        """,
        """
        class Child(Parent):
            def count(self):
                super().count()
                self.add(3)
        """,
        ("MOD417", "self.add(3)"),
    ),
    Case(
        "an assignment that is repeated has no other effect",
        """
        class Parent:
            def count(self):
                if self:
                    self.n = 1
        """,
        """
        class Child(Parent):
            def count(self):
                super().count()
                if self:
                    self.n = 1
        """,
    ),
]

OMITTED = [
    Case(
        "a parameter that is not passed has its default",
        """
        class Parent:
            def scale(self, x, factor=2):
                return x * factor
        """,
        """
        class Child(Parent):
            def scale(self, x, factor=3):
                return super().scale(x)
        """,
        DOCUMENTED,
    ),
    Case(
        "a variable above a call is no argument of it",
        """
        class Parent:
            def scale(self, x, factor=2):
                return x * factor
        """,
        """
        class Child(Parent):
            def scale(self, x):
                factor = 3
                return super().scale(x)
        """,
        DOCUMENTED,
    ),
    Case(
        "keyword arguments that are not passed are missing",
        """
        class Parent:
            def scale(self, x=1, **kwargs):
                return len(kwargs)
        """,
        """
        class Child(Parent):
            def scale(self, x=1, **kwargs):
                kwargs = {"factor": x}
                return super().scale(x)
        """,
        DOCUMENTED,
    ),
    Case(
        "the `**kwargs` of a method do not hold its parameters",
        """
        class Parent:
            def scale(self, x, factor=2, **kwargs):
                return x * factor
        """,
        """
        class Child(Parent):
            def scale(self, x, factor=3, **kwargs):
                return super().scale(x, **kwargs)
        """,
        DOCUMENTED,
    ),
    Case(
        "a parameter is passed in the place of another one",
        """
        class Parent:
            def scale(self, x, factor=2):
                return x - factor
        """,
        """
        class Child(Parent):
            def scale(self, x, factor=3):
                return super().scale(factor, factor=factor)
        """,
        ("MOD422", "return super().scale(factor, factor=factor)"),
    ),
    Case(
        "a parameter is passed in its position",
        """
        class Parent:
            def scale(self, x, factor=2):
                return x * factor
        """,
        """
        class Child(Parent):
            def scale(self, x, factor=3):
                return super().scale(x, factor)
        """,
    ),
    Case(
        "a parameter that is not passed is not read",
        """
        class Parent:
            def scale(self, x, factor=2):
                return 2 * x
        """,
        """
        class Child(Parent):
            def scale(self, x, factor=3):
                self.factor = factor
                return super().scale(x)
        """,
    ),
    Case(
        "a dictionary may hold a parameter",
        """
        class Parent:
            def scale(self, x, factor=2):
                return x * factor
        """,
        """
        class Child(Parent):
            def scale(self, x, factor=3):
                arguments = {"factor": factor}
                return super().scale(x, **arguments)
        """,
    ),
    Case(
        "a parameter is assigned above the call",
        """
        class Parent:
            def scale(self, x, factor=2):
                return x - factor
        """,
        """
        class Child(Parent):
            def scale(self, x, factor=3):
                x = factor
                return super().scale(factor, factor=factor)
        """,
    ),
    Case(
        "an argument is computed again from its parameter",
        """
        class Parent:
            def scale(self, x):
                return x
        """,
        """
        class Child(Parent):
            def scale(self, x):
                x = 2 * x
                return super().scale(2 * x)
        """,
        ("MOD422", "return super().scale(2 * x)"),
    ),
]

FLOW = [
    Case(
        "statements below a call run though the parent returns early",
        """
        class Parent:
            def prune(self, heads):
                if heads:
                    return
                self.heads = heads
        """,
        """
        class Child(Parent):
            def prune(self, heads):
                super().prune(heads)
                self.pruned = True
        """,
        ("MOD417", "self.pruned = True"),
    ),
    Case(
        "a `return` of a nested function is no early one",
        """
        class Parent:
            def prune(self, heads):
                def identity(x):
                    return x

                self.heads = identity(heads)
        """,
        """
        class Child(Parent):
            def prune(self, heads):
                super().prune(heads)
                self.pruned = True
        """,
    ),
    Case(
        "the value of a call that is not returned is lost",
        """
        class Parent:
            def prune(self, heads):
                return heads
        """,
        """
        class Child(Parent):
            def prune(self, heads):
                self.pruned = True
                super().prune(heads)
        """,
        DOCUMENTED,
    ),
    Case(
        "a call that returns nothing need not be returned",
        """
        class Parent:
            def prune(self, heads):
                self.heads = heads
                return
        """,
        """
        class Child(Parent):
            def prune(self, heads):
                self.pruned = True
                super().prune(heads)
        """,
    ),
]

VARIABLES = [
    Case(
        "a variable keeps its value over a call",
        """
        class Parent:
            def start(self):
                size = 1
                self.size = size
        """,
        """
        class Child(Parent):
            def start(self):
                size = 2
                super().start()
                self.depth = size
        """,
        ("MOD417", "self.depth = size"),
    ),
    Case(
        "a parameter that is set above a call keeps this value over the call",
        """
        class Parent(Base):
            def emb(self, size=1):
                size = 2
                self.size = size
        """,
        """
        class Child(Parent):
            def emb(self, size=1):
                size = 8
                super().emb(size)
                self.width = size
        """,
        ("MOD417", "self.width = size"),
    ),
    Case(
        "a variable that is set anew has its new value",
        """
        class Parent:
            def start(self):
                size = 1
                self.size = size
        """,
        """
        class Child(Parent):
            def start(self):
                size = 2
                self.width = size
                super().start()
                for size in (3, 4):
                    self.depth = size
        """,
    ),
    Case(
        "a variable is not that of the parent's method",
        """
        class Parent:
            def start(self):
                size = 1
                self.size = size
        """,
        """
        class Child(Parent):
            def start(self):
                super().start()
                size = 2
                self.depth = size
        """,
        DOCUMENTED,
    ),
    Case(
        "a variable of a comprehension is that of no method",
        """
        class Parent:
            def start(self):
                self.sizes = [size for size in (1, 2)]
        """,
        """
        class Child(Parent):
            def start(self):
                size = 3
                super().start()
                self.depth = size
        """,
    ),
    Case(
        "a variable hides no function from the parent's body",
        """
        class Parent:
            def start(self):
                self.size = len([1, 2])
        """,
        """
        class Child(Parent):
            def start(self):
                len = str
                super().start()
        """,
        ("MOD417", "super().start()"),
    ),
    Case(
        "a parameter keeps its value over a call",
        """
        class Parent:
            def update(self, x):
                x = x + 1
                self.last = x
        """,
        """
        class Child(Parent):
            def update(self, x):
                super().update(x)
                self.seen = x
        """,
        DOCUMENTED,
    ),
    Case(
        "the parent's body reads no variable that is set below the call",
        """
        class Parent:
            def start(self):
                self.size = [WIDTH]
        """,
        """
        class Child(Parent):
            def start(self):
                super().start()
                WIDTH = 2
                self.depth = WIDTH
        """,
        ("MOD417", "super().start()"),
        above="WIDTH = 9",
    ),
    Case(
        "a function of the parent's body keeps the parent's parameter",
        """
        class Parent:
            def start(self, size=1):
                self.read = lambda: size
        """,
        """
        class Child(Parent):
            def start(self, size=1):
                super().start(size)
                size = 2
                self.depth = [size, self.read()]
        """,
        ("MOD417", "super().start(size)"),
    ),
    Case(
        "an import of the parent's body hides no parameter of the child",
        """
        class Parent:
            def start(self, math=1):
                import math
                self.size = math.floor(2.5)
        """,
        """
        class Child(Parent):
            def start(self, math=1):
                super().start(math)
                self.depth = str(math)
        """,
        ("MOD417", "self.depth = str(math)"),
    ),
    Case(
        "the parent's body gets a tuple of the arguments",
        """
        class Parent:
            def start(self, *args):
                self.size = isinstance(args, tuple)
        """,
        """
        class Child(Parent):
            def start(self, *args):
                args = list(args)
                super().start(*args)
                self.depth = 1
        """,
        ("MOD417", "args = list(args)"),
    ),
    Case(
        "the parent's body sees its own variables",
        """
        class Parent:
            def start(self):
                self.size = sorted(locals())
        """,
        """
        class Child(Parent):
            def start(self):
                depth = 1
                super().start()
                self.depth = depth
        """,
        ("MOD417", "super().start()"),
    ),
    Case(
        "a variable keeps its value until it is changed",
        """
        class Parent:
            def start(self):
                size = 2
                self.size = size
        """,
        """
        class Child(Parent):
            def start(self):
                size = 1
                super().start()
                size += 1
                self.depth = size
        """,
        ("MOD417", "size += 1"),
    ),
    Case(
        "an attribute of the parent's body is no variable of the child",
        """
        class Parent:
            def start(self):
                self.size = 3
        """,
        """
        class Child(Parent):
            def start(self):
                super().start()
                size = 4
                self.depth = size
        """,
    ),
    Case(
        "a function of the child reads the child's variable",
        """
        class Parent:
            def start(self):
                size = 2
                self.size = size
        """,
        """
        class Child(Parent):
            def start(self):
                size = 1
                self.read = lambda: size
                super().start()
                self.depth = self.read()
        """,
        ("MOD417", "self.read = lambda: size"),
    ),
    Case(
        "a dictionary that the parent's body only reads stays as it is",
        """
        class Parent:
            def start(self, **kwargs):
                self.size = [name for name in kwargs]
        """,
        """
        class Child(Parent):
            def start(self, **kwargs):
                super().start(**kwargs)
                self.depth = len(kwargs)
        """,
    ),
    Case(
        "an argument without an effect may be left out",
        """
        class Parent:
            def start(self, size=None):
                self.width = 1
        """,
        """
        class Child(Parent):
            def start(self, size="a"):
                super().start(len(str(size)))
                self.depth = 1
        """,
    ),
    Case(
        "the parent's body gets the list that the child passes",
        """
        class Parent:
            def start(self, size=(1,)):
                self.size = str(size)
        """,
        """
        class Child(Parent):
            def start(self, size=(2,)):
                size = list(size)
                super().start(size)
                self.depth = 1
        """,
    ),
    Case(
        "a swap in both bodies is made twice",
        """
        class Parent:
            def start(self):
                self.size = 1
                self.depth = 2
                self.size, self.depth = self.depth, self.size
        """,
        """
        class Child(Parent):
            def start(self):
                super().start()
                self.size, self.depth = self.depth, self.size
        """,
        ("MOD417", "self.size, self.depth = self.depth, self.size"),
    ),
    Case(
        "an assignment reads the parent's value by its name in a string",
        """
        class Parent:
            def start(self):
                self.size = 1
        """,
        """
        class Child(Parent):
            def start(self):
                super().start()
                self.size = getattr(self, "size", 5) + 1
        """,
        ("MOD417", 'self.size = getattr(self, "size", 5) + 1'),
    ),
    Case(
        "an item is computed from the parent's item",
        """
        class Parent:
            def start(self):
                self.sizes = {}
                self.sizes["a"] = 1
        """,
        """
        class Child(Parent):
            def start(self):
                super().start()
                self.sizes["a"] = self.sizes["a"] + 1
        """,
        ("MOD417", 'self.sizes["a"] = self.sizes["a"] + 1'),
    ),
    Case(
        "the parent's function that gets the instance in a list reads the parent's value",
        """
        class Parent:
            def start(self):
                self.size = 1
                self.sizes = list(map(size_of, [self]))
        """,
        """
        class Child(Parent):
            def start(self):
                super().start()
                self.size = 2
        """,
        ("MOD417", "self.size = 2"),
        above="""
        def size_of(item):
            return item.size
        """,
    ),
    Case(
        "a deleted parameter has been changed for the parent's body only",
        """
        class Parent:
            def start(self, size=1):
                size = size + 1
                self.size = size
        """,
        """
        class Child(Parent):
            def start(self, size=1):
                super().start(size)
                del size
        """,
        ("MOD417", "del size"),
    ),
    Case(
        "post_init reads what its own line has set",
        """
        class Parent:
            def __init__(self):
                self.size = 1
                self.post_init()

            def post_init(self):
                self.depth = self.size
        """,
        """
        class Child(Parent):
            def __init__(self):
                super().__init__()
                self.size = 2
        """,
        ("MOD417", "self.size = 2"),
    ),
    Case(
        "a chained attribute replaces each of the parent's",
        """
        class Parent:
            size = 1
            depth = 2
        """,
        """
        class Child(Parent):
            size = depth = 8

            def read(self):
                return self.size, self.depth
        """,
        ("MOD416", "size = depth = 8"),
    ),
]

MEMBERS = [
    Case(
        "a method that is overridden to raise does so",
        """
        class Parent(Base):
            def emb(self):
                return "parent"
        """,
        """
        class Child(Parent):
            kind = 1

            def emb(self):
                raise ValueError("none")
        """,
        DOCUMENTED,
    ),
    Case(
        "an attribute that is only annotated keeps its value",
        """
        class Parent:
            tag = "parent"
        """,
        """
        class Child(Parent):
            tag: str
        """,
        ("MOD469", "tag: str"),
    ),
    Case(
        "an annotation of a method's name hides no method",
        """
        class Parent:
            def tag(self):
                return "parent"
        """,
        """
        class Child(Parent):
            tag: str
        """,
        ("MOD469", "tag: str"),
    ),
    Case(
        "an annotation adds no value to another one",
        """
        class Parent:
            tag: object
        """,
        """
        class Child(Parent):
            tag: str
        """,
    ),
    Case(
        "a method of a base before the parent comes first",
        """
        class Parent:
            def emb(self):
                return "parent"
        """,
        """
        class Child(Base, Parent):
            pass
        """,
        ("MOD470", "class Child(Base, Parent):"),
    ),
    Case(
        "a method of a base before the parent comes before those of the parent's bases",
        """
        class Parent(Other):
            kind = "parent"
        """,
        """
        class Child(Base, Parent):
            kind = "child"
        """,
        ("MOD470", "class Child(Base, Parent):"),
    ),
    Case(
        "an attribute of a base before the parent comes first",
        """
        class Parent:
            emb = 1
        """,
        """
        class Child(Base, Parent):
            size = 1
        """,
        ("MOD470", "class Child(Base, Parent):"),
    ),
    Case(
        "super() calls the method of a base before the parent",
        """
        class Parent:
            def emb(self):
                return "parent"
        """,
        """
        class Child(Base, Parent):
            def emb(self):
                return super().emb()
        """,
        ("MOD470", "return super().emb()"),
    ),
    Case(
        "super() of another method calls that of a base before the parent",
        """
        class Parent(Other):
            kind = "parent"
        """,
        """
        class Child(Base, Parent):
            kind = "child"

            def emb(self):
                return [super().emb()]
        """,
        ("MOD470", "return [super().emb()]"),
    ),
    Case(
        "super() of a method that only the first base has calls that",
        """
        class Parent:
            size = 1
        """,
        """
        class Child(Base, Parent):
            kind = "child"

            def emb(self):
                return [super().emb()]
        """,
    ),
    Case(
        "a method of a base behind the parent comes last",
        """
        class Parent:
            def emb(self):
                return "parent"
        """,
        """
        class Child(Parent, Base):
            kind = 1
        """,
    ),
    Case(
        "the method behind that of the named class is called",
        """
        class Parent(Base):
            def emb(self):
                return "parent"
        """,
        """
        class Child(Parent):
            def emb(self):
                return super(Parent, self).emb()
        """,
        ("MOD417", "return super(Parent, self).emb()"),
    ),
]

CASES = [*CALLS_PAST_THE_PARENT, *ASSIGNMENTS, *OMITTED, *FLOW, *VARIABLES, *MEMBERS]

BASES = """
    class Base:
        kind = "base"

        def emb(self):
            return "base"

        def reset(self):
            self.size = 0

        def area(self):
            return self.size * self.size


    class Other:
        def emb(self):
            return "other"
    """


@dataclass(frozen=True)
class Outcome:
    """The findings about a case, as code and line, and the behaviour of both classes."""

    findings: list[tuple[str, str]]
    behaviour: dict[str, Any]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> list[Outcome]:
    """Convert all cases, each as a model of its own, and import what is generated."""
    root = tmp_path_factory.mktemp("differences")
    models = ["zu" + "".join(letters) for letters in product(ascii_lowercase, repeat=2)]
    models = models[: len(CASES)]
    parents = ["from ..bases import Base, Other"]
    files = {"models/bases.py": source(BASES)}
    for model, case in zip(models, CASES, strict=True):
        parent_name = f"Llama{model.capitalize()}"
        parents.append(source(case.above))
        parents.append(source(case.parent).replace("Parent", parent_name))
        child = source(case.child).replace("Child", model.capitalize())
        base_import = "from ..bases import Base\n" if "Base" in child else ""
        files[f"models/{model}/modular_{model}.py"] = (
            f"{base_import}from ..llama.modeling_llama import {parent_name}\n\n\n"
            + child.replace("Parent", parent_name)
        )
    files["models/llama/modeling_llama.py"] = "\n\n\n".join(parents)
    write_project(root, files)

    result = api.convert(options=api.Options(root=root, cache=False, info=True))
    found: dict[str, list[tuple[str, str]]] = {model: [] for model in models}
    for diagnostic in result.diagnostics:
        model = diagnostic.place.path.split("/")[1]
        line = files[diagnostic.place.path].split("\n")[diagnostic.place.line - 1]
        line = line.replace(f"Llama{model.capitalize()}", "Parent")
        line = line.replace(model.capitalize(), "Child")
        found[model].append((diagnostic.code.id, line.strip()))
    behaviour = observe(root, models)
    return [Outcome(found[model], behaviour[model]) for model in models]


@pytest.mark.parametrize(
    "number", [pytest.param(n, id=case.title) for n, case in enumerate(CASES)]
)
def test_difference(number: int, outcomes: list[Outcome]) -> None:
    case, outcome = CASES[number], outcomes[number]
    is_reported = case.finding not in (NOTHING, DOCUMENTED)
    assert outcome.findings == ([case.finding] if is_reported else [])
    is_same = outcome.behaviour["modular"] == outcome.behaviour["generated"]
    assert is_same is (case.finding == NOTHING), outcome.behaviour
