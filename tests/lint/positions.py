"""Mistakes of many shapes, each in every position in which code can stand.

A shape is an expression with its surroundings, or some statements of a method. A position
is a place in a modular file: a method, a class body, a default, and so on. The mistakes of
`tests.lint.mistakes` are put into files that use what they define in several ways.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from tests.lint.mistakes import MISTAKES, correct_file
from tests.support import source


PARENT_FILES = {
    "models/llama/modeling_llama.py": source("""
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

WITH_SELF = frozenset(
    {
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
    for name, shape in SHAPES.items():
        for position in POSITIONS:
            if shape.needs_self and position not in WITH_SELF:
                continue
            model = next(models)
            text = expression_file(shape, position, model.capitalize())
            yield model, Mistake(name, position, text)
    for name, (method, parameters, body) in BODIES.items():
        for position, template in BODY_POSITIONS.items():
            model = next(models)
            lines = template.format(b=body).splitlines()
            code = "".join(f"        {line}\n" for line in lines)
            separator = ", " if parameters else ""
            member = f"    def {method}(self{separator}{parameters}):\n{code}"
            text = modular_file(model.capitalize(), member)
            yield model, Mistake(name, position, text)


def expression_file(shape: Shape, position: str, cased: str) -> str:
    """Return a modular file with an expression in a position."""
    member = POSITIONS[position].replace("{e}", shape.expression)
    above = shape.above
    below = shape.below
    if position == "decorator":
        above = f"from ...integrations import noted\n{above}"
    if position == "function":
        function = f"def helper_of_read(x):\n    return [{shape.expression}, x]\n"
        above = f"{above}\n\n{function}"
    if position == "module":
        above = f"{above}\n\nif [{shape.expression}]:\n    import string\n"
    if position == "other class":
        other = f"class {cased}Other:\n    def read(self):\n        return [{shape.expression}]\n"
        below = f"{below}\n\n{other}"
        member = "    value = 1\n"
    return modular_file(
        cased, shape.members + "\n" + member, shape.imports, above, below
    )


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
