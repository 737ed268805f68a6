"""Mistakes of many shapes, each in every position in which code can stand.

A shape is an expression with its surroundings, or some statements of a method. A position
is a place in a modular file: a method, a class body, a default, and so on. The mistakes of
`tests.lint.mistakes` are put into files that use what they define in several ways.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from random import Random

from tests.lint.mistakes import MISTAKES, correct_file
from tests.support import source


PARENT_FILES = {
    "models/llama/modeling_llama.py": source("""
        from dataclasses import dataclass


        LIMIT = 4


        def rotate(x):
            return [x, "rotated"]


        class LlamaBase:
            def close(self):
                return "closed"


        class LlamaPart(LlamaBase):
            scale = 2

            def __init__(self, config=None):
                self.weight = 3


        class LlamaHead:
            limit = LIMIT


        class LlamaUnit(LlamaBase):
            scale = 5
            kind = "unit"

            def __init__(self, config=None):
                self.weight = 1
                self.table = {"low": 1, "high": 2}

            def describe(self):
                return ["described", self.weight]

            def close(self):
                return ["unit", "closed"]

            def run(self, x=1, y=2):
                self.last = [x, y]
                return ["ran", x, y]

            def fill(self, x=1):
                self.filled = x

            @staticmethod
            def stat(n=1):
                return ["stat", n]

            @classmethod
            def make(cls, n=1):
                return ["made", n]

            @property
            def width(self):
                return ["width", self.weight]

            @classmethod
            def make_run(cls, x=1, y=2):
                return ["made", x, y]

            @staticmethod
            def stat_run(x=1, y=2):
                return ["stat", x, y]


        @dataclass
        class LlamaItem:
            size: int = 1
            names: tuple = ()
        """),
    "models/bert/modeling_bert.py": source("""
        def shift(x):
            return [x, "shifted"]
        """),
}


POSITIONS = {
    "method": "    def read(self, x=1):\n        return [{e}, x]\n",
    "overriding method": "    def describe(self):\n        return [{e}]\n",
    "statement": "    def read(self, x=1):\n        {e}\n        return x\n",
    "returned": "    def describe(self):\n        return {e}\n",
    "nested function": (
        "    def read(self, x=1):\n        def inner():\n            return [{e}]\n\n"
        "        return inner()\n"
    ),
    "lambda": "    def read(self, x=1):\n        return (lambda: [{e}])()\n",
    "constructor": (
        "    def __init__(self, config=None):\n        self.made = [{e}]\n"
    ),
    "static method": "    @staticmethod\n    def read(x=1):\n        return [{e}, x]\n",
    "overriding static method": (
        "    @staticmethod\n    def stat(n=1):\n        return [{e}, n]\n"
    ),
    "class method": "    @classmethod\n    def read(cls, x=1):\n        return [{e}, x]\n",
    "overriding class method": (
        "    @classmethod\n    def make(cls, n=1):\n        return [{e}, n]\n"
    ),
    "property": "    @property\n    def read(self):\n        return [{e}]\n",
    "overriding property": "    @property\n    def width(self):\n        return [{e}]\n",
    "class body": "    value = [{e}]\n",
    "annotation": "    def read(self, x: [{e}] = 1):\n        return x\n",
    "annotated attribute": "    value: [{e}] = 1\n",
    "decorator": "    @noted({e})\n    def read(self, x=1):\n        return x\n",
    "default": "    def read(self, x=[{e}]):\n        return x\n",
    "other class": "",
    "function": "    def read(self, x=1):\n        return helper_of_read(x)\n",
    "module": "    value = 1\n",
}
"""The text of the member of the class in which an expression stands, by position."""

RARE_POSITIONS = {
    "nested class": "    class Inner:\n        value = [{e}]\n",
    "block of the class body": "    if True:\n        value = [{e}]\n",
    "comprehension": (
        "    def read(self, x=1):\n        return [[x, y] for y in [{e}]]\n"
    ),
    "f-string": '    def read(self, x=1):\n        return f"{[{e}]} {x}"\n',
    "generator": "    def read(self, x=1):\n        yield [{e}, x]\n",
    "decorated method": (
        "    @noted(1)\n    def read(self, x=1):\n        return [{e}, x]\n"
    ),
    "loop": (
        "    def read(self, x=1):\n        for y in [{e}]:\n            x = [x, y]\n"
        "        return x\n"
    ),
    "handler": (
        "    def read(self, x=1):\n        try:\n            return [{e}, x]\n"
        "        except ValueError as error:\n            return error\n"
    ),
    "keyword argument": (
        "    def read(self, x=1):\n        return dict(x=x, y=[{e}])\n"
    ),
    "overridden default": "    def run(self, x=[{e}], y=2):\n        return x\n",
    "default of a lambda": (
        "    def read(self, x=1):\n        return (lambda y=[{e}]: [x, y])()\n"
    ),
    "returned annotation": "    def read(self, x=1) -> [{e}]:\n        return x\n",
    "annotation in quotes": ('    def read(self, x: "{e}" = 1):\n        return x\n'),
    "annotation in a method": (
        "    def read(self, x=1):\n        y: [{e}] = x\n        return y\n"
    ),
    "getter in the class body": ("    read = property(lambda self: [{e}])\n"),
    "default of a function": (
        "    def read(self, x=1):\n        return helper_of_read(x)\n"
    ),
    "annotation of a function": (
        "    def read(self, x=1):\n        return helper_of_read(x)\n"
    ),
    "decorator of a function": (
        "    def read(self, x=1):\n        return helper_of_read(x)\n"
    ),
    "decorator of the class": "    value = 1\n",
    "assignment of the module": "    value = VALUE_OF_FILE\n",
    "annotated assignment of the module": "    value = VALUE_OF_FILE\n",
}
"""More positions, which the quick tests leave out."""

ABOVE_CLASS = {
    "decorator": "from ...integrations import noted\n",
    "decorated method": "from ...integrations import noted\n",
    "function": "\n\ndef helper_of_read(x):\n    return [{e}, x]\n",
    "module": "\n\nif [{e}]:\n    import string\n",
    "default of a function": "\n\ndef helper_of_read(x, y=[{e}]):\n    return [x, y]\n",
    "annotation of a function": "\n\ndef helper_of_read(x: [{e}]):\n    return [x]\n",
    "decorator of a function": (
        "from ...integrations import noted\n\n\n"
        "@noted({e})\ndef helper_of_read(x):\n    return [x]\n"
    ),
    "decorator of the class": "from ...integrations import noted\n",
    "assignment of the module": "\n\nVALUE_OF_FILE = [{e}]\n",
    "annotated assignment of the module": "\n\nVALUE_OF_FILE: [{e}] = 1\n",
}
"""What stands above the class for some positions."""

WITH_SELF = frozenset(
    {
        "comprehension",
        "f-string",
        "generator",
        "decorated method",
        "loop",
        "handler",
        "keyword argument",
        "default of a lambda",
        "getter in the class body",
        "annotation in a method",
        "method",
        "overriding method",
        "statement",
        "returned",
        "nested function",
        "lambda",
        "constructor",
        "property",
        "overriding property",
        "other class",
    }
)
"""The positions in which `self` is defined."""


@dataclass(frozen=True)
class Shape:
    """A mistake that is an expression.

    Attributes:
        expression: The expression. `{c}` stands for the model's name in a class.
        imports: Names that are imported from the parent file, besides `LlamaUnit`.
        above: Statements above the class.
        members: Other members of the class.
        below: Statements at the end of the file.
        needs_self: Whether the expression uses `self`.
    """

    expression: str
    imports: tuple[str, ...] = ()
    above: str = ""
    members: str = ""
    below: str = ""
    needs_self: bool = False


PART = "class {c}Part(LlamaPart):\n    pass\n"
STAT = "    @staticmethod\n    def stat(n=1):\n        return ['child', n]\n"
DESCRIBE = "    def describe(self):\n        return 'child'\n"

SHAPES = {
    "inherited attribute of the parent": Shape("LlamaUnit.scale"),
    "overridden attribute of the parent": Shape(
        "LlamaUnit.kind", members="    kind = 'c'\n"
    ),
    "inherited static method of the parent": Shape("LlamaUnit.stat(2)"),
    "overridden static method of the parent": Shape("LlamaUnit.stat(2)", members=STAT),
    "class method of the parent": Shape("LlamaUnit.make(3)"),
    "object of the parent": Shape("LlamaUnit().weight"),
    "parent as a type": Shape("isinstance(1, (LlamaUnit, str))"),
    "parent as a value": Shape("[LlamaUnit][0].scale"),
    "parent in a list of classes": Shape("len([LlamaUnit])"),
    "method of the parent": Shape("LlamaUnit.describe(self)", needs_self=True),
    "overridden method of the parent": Shape(
        "LlamaUnit.close(self)",
        members="    def close(self):\n        return 'child'\n",
        needs_self=True,
    ),
    "method of the parent with arguments": Shape(
        "LlamaUnit.run(self, 2, y=3)", needs_self=True
    ),
    "method of the base": Shape(
        "LlamaPart.close(self)", imports=("LlamaPart",), needs_self=True
    ),
    "class with a child": Shape("LlamaPart.scale", imports=("LlamaPart",), above=PART),
    "object of a class with a child": Shape(
        "LlamaPart().weight", imports=("LlamaPart",), above=PART
    ),
    "class without a child": Shape("LlamaHead.limit", imports=("LlamaHead",)),
    "super": Shape("super().describe()", needs_self=True),
    "super of an overridden method": Shape(
        "super().close()",
        members="    def close(self):\n        return 'child'\n",
        needs_self=True,
    ),
    "misspelt super": Shape("super().descrbe()", needs_self=True),
    "super of the parent": Shape("super(LlamaUnit, self).close()", needs_self=True),
    "misspelt function": Shape(
        "scale_upp(1)",
        above="def scale_up(x):\n    return [x, 'up']\n",
        members="    def up(self):\n        return scale_up(2)\n",
    ),
    "misspelt import": Shape(
        "ACT2FNN['silu']('ab')", above="from ...activations import ACT2FN\n"
    ),
    "misspelt imported module": Shape("maths.pi", above="import math\n"),
    "undefined name": Shape("unheard_of"),
    "misspelt attribute": Shape("self.weihgt", needs_self=True),
    "removed attribute": Shape(
        "self.scale", members="    scale = AttributeError()\n", needs_self=True
    ),
    "removed method": Shape(
        "self.close()",
        members="\n    def close(self):\n        raise AttributeError('gone')\n",
        needs_self=True,
    ),
    "ignored assignment": Shape(
        "LIMIT",
        imports=("LlamaHead",),
        above="LIMIT = 7\n",
        below=("class {c}Head(LlamaHead):\n    pass\n"),
    ),
    "unused function": Shape("twice(1)", above="def twice(x):\n    return 2 * x\n"),
    "function defined twice": Shape(
        "twice(1)",
        above="def twice(x):\n    return 2 * x\n",
        below="def twice(x):\n    return [x, x]\n",
    ),
    "exported function": Shape(
        "1",
        above="def twice(x):\n    return 2 * x\n",
        below="__all__ = ['{c}Unit', 'twice']\n",
    ),
    "unused import": Shape("'json'", above="import json\n"),
    "name of a parent's function": Shape("rotat(1)", imports=("rotate",)),
    "name of two files": Shape(
        "shift(1)", above="from ..bert.modeling_bert import shift\n"
    ),
}


RARE_SHAPES = {
    "removed static method": Shape(
        "self.stat(2)",
        members="    @staticmethod\n    def stat(n=1):\n        raise AttributeError('gone')\n",
        needs_self=True,
    ),
    "removed class method": Shape(
        "{c}Unit.make(2)",
        members="    @classmethod\n    def make(cls, n=1):\n        raise AttributeError('gone')\n",
    ),
    "removed property": Shape(
        "self.width",
        members="    @property\n    def width(self):\n        raise AttributeError('gone')\n",
        needs_self=True,
    ),
    "misspelt static method": Shape("self.statt(2)", needs_self=True),
    "misspelt class method": Shape("self.makke(2)", needs_self=True),
    "misspelt property": Shape("self.widht", needs_self=True),
    "super of a static method": Shape("super().stat(2)", needs_self=True),
    "super of a class method": Shape("super().make(2)", needs_self=True),
    "super of a property": Shape("super().width", needs_self=True),
    "super of an attribute": Shape("super().scale", needs_self=True),
    "super of an overridden attribute": Shape(
        "super().kind", members="    kind = 'c'\n", needs_self=True
    ),
    "property of the parent": Shape("LlamaUnit.width.fget(self)", needs_self=True),
    "class with other capitals": Shape(
        "{c}Head.limit",
        above="from ..llama.modeling_llama import LLamaHead\n",
        below="class {c}Head(LLamaHead):\n    pass\n",
    ),
    "class of the package": Shape(
        "{c}Head.limit",
        above="from transformers import LlamaHead\n",
        below="class {c}Head(LlamaHead):\n    pass\n",
    ),
    "class of the wrong file": Shape(
        "LlamaHead.limit",
        imports=("LlamaHead",),
        above="from ..bert.modeling_bert import LlamaPart\n",
    ),
    "builtin that the file defines": Shape(
        "round(1.5)", above="def round(x):\n    return [x, 'round']\n"
    ),
    "name of the parent's function": Shape(
        "rotate(1)",
        above="import math as rotate\n",
        below="class {c}Head(LlamaHead):\n    pass\n",
        imports=("LlamaHead",),
    ),
    "two functions of one name": Shape(
        "shift(1)",
        above="from ..bert.modeling_bert import shift\n\n\n"
        "def shift(x):\n    return [x, 'own']\n",
    ),
    "changed table": Shape(
        "TABLE", above="TABLE = {'a': 1}\nTABLE['b'] = 2\nTABLE.update(c=3)\n"
    ),
    "alias of the parent": Shape("Alias.scale", above="Alias = LlamaUnit\n"),
    "ignored warning": Shape(
        "1", above="LIMIT = 5  # modular: ignore[MOD402]\n", imports=("LlamaHead",)
    ),
    "name in a string": Shape("'LlamaUnit'"),
    "name of a removed class in a string": Shape("['{c}Unitt', '{c}Unit']"),
}
"""More mistakes, about other kinds of methods and names."""

METHOD_KINDS = {
    "class method": ("@classmethod", "make_", "cls"),
    "static method": ("@staticmethod", "stat_", ""),
}
"""The decorator of a kind, the beginning of the parent's names, and the first parameter."""

MEMBERS = {
    "property that returns another one": (
        "    @property\n    def width(self):\n        return super().width\n"
    ),
    "property whose parent's value is lost": (
        "    @property\n    def width(self):\n        super().width\n        return 1\n"
    ),
    "property in an expression": (
        "    @property\n    def width(self):\n        return [super().width, 2]\n"
    ),
    "property with a misspelt parent": (
        "    @property\n    def width(self):\n        return super().widht\n"
    ),
    "property by the parent's name": (
        "    @property\n    def width(self):\n        return LlamaUnit.width.fget(self)\n"
    ),
    "misspelt overriding property": (
        "    @property\n    def widht(self):\n        return 7\n"
    ),
    "misspelt overriding static method": (
        "    @staticmethod\n    def sttat(n=1):\n        return 7\n"
    ),
    "misspelt overriding class method": (
        "    @classmethod\n    def mkae(cls, n=1):\n        return 7\n"
    ),
    "misspelt overriding attribute": "    scael = 7\n",
    "repeated static method": (
        "    @staticmethod\n    def stat(n=1):\n        return ['stat', n]\n"
    ),
    "repeated class method": (
        "    @classmethod\n    def make(cls, n=1):\n        return ['made', n]\n"
    ),
    "repeated property": (
        "    @property\n    def width(self):\n        return ['width', self.weight]\n"
    ),
    "repeated attribute": "    scale = 5\n",
    "error that is not called": "    scale = AttributeError\n",
    "removed method that is not there": (
        "    def clsoe(self):\n        raise AttributeError('gone')\n"
    ),
    "removed static method that is not there": (
        "    @staticmethod\n    def statt(n=1):\n        raise AttributeError('gone')\n"
    ),
    "attribute in place of a method": "    close = 3\n",
    "method in place of a property": "    def width(self):\n        return 3\n",
    "property in place of a method": (
        "    @property\n    def close(self):\n        return 3\n"
    ),
    "static method in place of a method": (
        "    @staticmethod\n    def run(x=1, y=2):\n        return 3\n"
    ),
    "method that is defined twice": (
        "    def close(self):\n        return 3\n\n    def close(self):\n        return 4\n"
    ),
    "method in a block": "    if True:\n        def close(self):\n            return 3\n",
    "required parameter": "    def run(self, x, y):\n        return super().run(x, y)\n",
    "more keywords": (
        "    def run(self, z=3, **super_kwargs):\n        return super().run(**super_kwargs)\n"
    ),
    "comment above a method": (
        "    # twice as wide\n    def close(self):\n        return 3\n"
    ),
    "annotation without a value": "    scale: int\n",
    "statement in the class": "    scale = 3\n    scale += 1\n",
}
"""The bodies of classes whose members are mistaken."""

FIELDS = {
    "no default": "@dataclass\nclass {c}Item(LlamaItem):\n    score: int\n",
    "mutable default": "@dataclass\nclass {c}Item(LlamaItem):\n    score: list = []\n",
    "no annotation": "@dataclass\nclass {c}Item(LlamaItem):\n    size = 3\n",
    "no value": "@dataclass\nclass {c}Item(LlamaItem):\n    size: int\n",
    "no decorator": "class {c}Item(LlamaItem):\n    score: int = 3\n",
    "other arguments": (
        "@dataclass(frozen=True)\nclass {c}Item(LlamaItem):\n    score: int = 3\n"
    ),
    "other decorator": (
        "from typing import final\n\n\n@final\nclass {c}Item(LlamaItem):\n    score: int = 3\n"
    ),
    "removed field": "@dataclass\nclass {c}Item(LlamaItem):\n    size = AttributeError()\n",
}
"""Dataclasses with mistaken fields."""


BODIES = {
    "literal argument": ("run", "x=1, y=2", "return super().run(7, y)\n"),
    "argument that is read below": ("fill", "x=1", "super().fill(7)\nself.seen = x\n"),
    "argument that is read above": ("fill", "x=1", "self.seen = x\nsuper().fill(7)\n"),
    "argument that is read in a lambda": (
        "fill",
        "x=1",
        "self.read = lambda: x\nsuper().fill(7)\nself.seen = self.read()\n",
    ),
    "exchanged arguments": ("run", "x=1, y=2", "return super().run(y, x)\n"),
    "argument that another one reads": (
        "run",
        "x=1, y=2",
        "return super().run(7, [x])\n",
    ),
    "misspelt argument": ("run", "value=1, y=2", "return super().run(valeu, y)\n"),
    "missing parameter": ("run", "y=2", "return super().run(8, y)\n"),
    "missing parameter with a variable of its name": (
        "run",
        "y=2",
        "self.seen = [x for x in (1, 2)]\nreturn super().run(y, 9)\n",
    ),
    "omitted argument": ("run", "x=1, y=5", "return super().run(x)\n"),
    "unreachable statement": ("run", "x=1, y=2", "super().run(x, y)\nself.calls = x\n"),
    "unreachable return": (
        "run",
        "x=1, y=2",
        "super().run(x, y)\nreturn ['child', x]\n",
    ),
    "unreachable below a returned call": (
        "run",
        "x=1, y=2",
        "return super().run(x, y)\nself.calls = 1\n",
    ),
    "value that is not returned": (
        "run",
        "x=1, y=2",
        "self.calls = 1\nsuper().run(x, y)\n",
    ),
    "call in an expression": (
        "run",
        "x=1, y=2",
        "return [super().run(x, y), 'child']\n",
    ),
    "call in an assignment": (
        "run",
        "x=1, y=2",
        "first = super().run(x, y)\nreturn first\n",
    ),
    "call in a block": (
        "run",
        "x=1, y=2",
        "if x:\n    return super().run(x, y)\nreturn 'child'\n",
    ),
    "two calls": ("fill", "x=1", "super().fill(x)\nsuper().fill(x)\nself.seen = 1\n"),
    "call of the parent by its name": (
        "fill",
        "x=1",
        "LlamaUnit.fill(self, x)\nself.seen = 1\n",
    ),
    "returned call of the parent by its name": (
        "run",
        "x=1, y=2",
        "return LlamaUnit.run(self, x, y)\n",
    ),
    "call of the parent by its name with another value": (
        "run",
        "x=1, y=2",
        "return LlamaUnit.run(self, 2 * x, y)\n",
    ),
    "call of the parent that is not returned": (
        "run",
        "x=1, y=2",
        "LlamaUnit.run(self, x, y)\nself.calls = 1\n",
    ),
    "deleted item": (
        "__init__",
        "config=None",
        "super().__init__(config)\ndel self.table['low']\n",
    ),
    "misspelt deletion": (
        "__init__",
        "config=None",
        "super().__init__(config)\ndel self.weigth\n",
    ),
    "two deletions": (
        "__init__",
        "config=None",
        "super().__init__(config)\ndel self.weigth, self.table\n",
    ),
    "deletion above the call": (
        "__init__",
        "config=None",
        "del self.weight\nsuper().__init__(config)\n",
    ),
    "deletion in a block": (
        "__init__",
        "config=None",
        "super().__init__(config)\nif config:\n    del self.weight\n",
    ),
    "assignment that moves up": (
        "__init__",
        "config=None",
        "super().__init__(config)\nself.weight = [self.table]\n",
    ),
    "method that the parent does not have": (
        "descirbe",
        "",
        "return super().descirbe()\n",
    ),
    "method under the parent's new name": (
        "go",
        "x=1, y=2",
        "return super().go(x, y)\n",
    ),
}
"""Bodies of methods, each with the name and the parameters of the method."""

BODY_POSITIONS = {
    "alone": "{b}",
    "below a statement": "note = 1\n{b}",
    "below a docstring": '"""A text."""\n{b}',
    "with comments": "# a comment\n{b}# another comment\n",
}


@dataclass(frozen=True)
class Mistake:
    """A modular file with one mistake."""

    shape: str
    position: str
    text: str


def mistakes(models: Iterator[str]) -> Iterator[tuple[str, Mistake]]:
    """Yield each shape in each position, for a model of its own."""
    yield from _expressions(models, SHAPES, POSITIONS)
    for name, (method, parameters, body) in BODIES.items():
        for position, template in BODY_POSITIONS.items():
            model = next(models)
            lines = template.format(b=body).splitlines()
            code = "".join(f"        {line}\n" for line in lines)
            separator = ", " if parameters else ""
            member = f"    def {method}(self{separator}{parameters}):\n{code}"
            text = modular_file(model.capitalize(), member)
            yield model, Mistake(name, position, text)


def rare_mistakes(models: Iterator[str]) -> Iterator[tuple[str, Mistake]]:
    """Yield what `mistakes` leaves out: more positions, shapes and kinds of methods."""
    yield from _expressions(models, SHAPES, RARE_POSITIONS)
    yield from _expressions(models, RARE_SHAPES, {**POSITIONS, **RARE_POSITIONS})
    for name, (method, parameters, body) in BODIES.items():
        if method != "run":
            continue
        for kind, (decorator, prefix, first) in METHOD_KINDS.items():
            model = next(models)
            own_body = body.replace(f".{method}(self, ", f".{prefix}{method}(")
            own_body = own_body.replace(f".{method}(", f".{prefix}{method}(")
            own_body = own_body.replace("self.", "")
            code = "".join(f"        {line}\n" for line in own_body.splitlines())
            all_parameters = ", ".join(filter(None, (first, parameters)))
            header = f"    {decorator}\n    def {prefix}{method}({all_parameters}):\n"
            text = modular_file(model.capitalize(), f"{header}{code}")
            yield model, Mistake(name, kind, text)
    for name, members in MEMBERS.items():
        model = next(models)
        yield model, Mistake(name, "members", modular_file(model.capitalize(), members))
    for name, fields in FIELDS.items():
        model = next(models)
        text = (
            "from dataclasses import dataclass\n\n"
            f"from ..llama.modeling_llama import LlamaItem\n\n\n{fields}"
        ).replace("{c}", model.capitalize())
        yield model, Mistake(name, "fields", text)


def _expressions(
    models: Iterator[str], shapes: Mapping[str, Shape], positions: Iterable[str]
) -> Iterator[tuple[str, Mistake]]:
    """Yield each of some shapes in each of some positions, for a model of its own."""
    for name, shape in shapes.items():
        for position in positions:
            if shape.needs_self and position not in WITH_SELF:
                continue
            # Calls of `super()` are checked in methods only.
            is_getter = position == "getter in the class body"
            if is_getter and "super(" in shape.expression:
                continue
            model = next(models)
            text = expression_file(shape, position, model.capitalize())
            yield model, Mistake(name, position, text)


def expression_file(shape: Shape, position: str, cased: str) -> str:
    """Return a modular file with an expression in a position."""
    member = {**POSITIONS, **RARE_POSITIONS}[position].replace("{e}", shape.expression)
    above = shape.above + ABOVE_CLASS.get(position, "").replace("{e}", shape.expression)
    below = shape.below
    if position == "other class":
        other = f"class {cased}Other:\n    def read(self):\n        return [{shape.expression}]\n"
        below = f"{below}\n\n{other}"
        member = "    value = 1\n"
    text = modular_file(
        cased, shape.members + "\n" + member, shape.imports, above, below
    )
    if position == "decorator of the class":
        header = f"class {cased}Unit("
        text = text.replace(header, f"@noted({shape.expression})\n{header}")
        text = text.replace("{c}", cased)
    return text


def modular_file(
    cased: str,
    members: str,
    imports: tuple[str, ...] = (),
    above: str = "",
    below: str = "",
) -> str:
    """Return a modular file with a child of `LlamaUnit`."""
    names = ", ".join(sorted({"LlamaUnit", *imports}))
    text = f"from ..llama.modeling_llama import {names}\n{above}\n\n"
    text += f"class {cased}Unit(LlamaUnit):\n{members.lstrip(chr(10)).rstrip()}\n"
    if below:
        text += f"\n\n{below}"
    return text.replace("{c}", cased)


SURROUNDINGS = {
    "nothing else": "",
    "read at module level": "\n\nif [{names}]:\n    import string\n",
    "read in a class": (
        "\n\nclass {c}Reader:\n    names = [{names}]\n\n"
        "    def read(self, x=[{names}]):\n        return [{names}]\n"
    ),
    "read by decorator and annotation": (
        "\n\nclass {c}Reader:\n    @(lambda *names: lambda decorated: decorated)({names})\n"
        "    def read(self, x: [{names}] = 1):\n        return x\n"
    ),
    "exported": "\n\n__all__ = [{quoted}]\n",
}
"""What is written below a mistake: code that uses each name of the file."""


def surrounded_mistakes(
    models: Iterator[str], seed: int
) -> Iterator[tuple[str, Mistake]]:
    """Yield each kind of mistake with each of the surroundings, for a model of its own."""
    for kind, make_mistake in MISTAKES.items():
        for surrounding, template in SURROUNDINGS.items():
            model = next(models)
            random = Random(seed)
            draft = correct_file(random, model)
            make_mistake(draft, random)
            text = draft.text()
            if "__all__" not in text:
                text += fill(template, text, model.capitalize())
                yield model, Mistake(kind, surrounding, text)


def fill(template: str, text: str, cased: str) -> str:
    """Write the names that a modular file defines into a template."""
    names = []
    for statement in ast.parse(text).body:
        match statement:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.append(name)
            case ast.Assign(targets=[ast.Name(id=name)]):
                names.append(name)
    unique_names = list(dict.fromkeys(names))
    quoted = ", ".join(repr(name) for name in unique_names)
    filled = template.replace("{names}", ", ".join(unique_names))
    return filled.replace("{quoted}", quoted).replace("{c}", cased)
