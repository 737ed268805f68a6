"""Tests of the rules about classes and methods that are not what Python's inheritance makes.

Each example has the parent's code and the modular class. Twins are examples with nearly
the same code, which must have no finding.
"""

import re
import textwrap
from pathlib import Path

import pytest

from modular.source.diagnostics import Severity
from tests.support import source


REPOSITORY = Path(__file__).parents[2]


BASE = """
    class Root:
        def __init__(self, *args, **kwargs):
            self.rooted = 1
            self.looked = getattr(self, "hint", 0)

        def post_init(self):
            self.ready = True
    """
REPORTED = ("MOD111", "MOD307", "MOD308", "MOD416", "MOD417")


def judge(convert, parent: str, child: str) -> list[tuple[str, str, int]]:
    """Return the findings about a class: code, severity and line in the modular code."""
    imports = "from ..base import Root\nfrom ..llama.modeling_llama import LlamaA\n"
    files = {"models/base.py": source(BASE)}
    parent_text = "from ..base import Root\n" + source(parent)
    converted = convert(imports + source(child), parent_text, files)
    found = []
    for diagnostic in converted.diagnostics:
        if diagnostic.code.id in REPORTED:
            line = diagnostic.place.line - 2
            found.append((diagnostic.code.id, diagnostic.severity.value, line))
    return found


INIT = """
    class LlamaA(Root):
        def __init__(self, it=None):
            super().__init__()
            {}

        {}
    """
CHILD_INIT = """
    class MyModelA(LlamaA):
        def __init__(self, it=None):
            {}
    """


def init(template: str, body: str, members: str = "") -> str:
    return template.format(
        body.replace("\n", "\n            "), members.replace("\n", "\n    ")
    )


MOVED = [
    ("self.a = 1\nself.b = len(self)", "def __len__(self): return self.a", "self.a = 5"),
    ("self.a = 1\nself.b = self(2)", "def __call__(self, x): return self.a", "self.a = 5"),
    ("self.a = 1\nself.b = self[2]", "def __getitem__(self, x): return self.a", "self.a = 5"),
    ("self.a = 1\nself.b = self + 2", "def __add__(self, x): return self.a", "self.a = 5"),
    ("self.a = 1\nwith self: pass", "def __enter__(self): return self.a", "self.a = 5"),
    ("self.a = 1\nself.b = self.twice", "@property\n    def twice(self): return 2 * self.a", "self.a = 5"),
    ("self.a = 1\nself.b = dict(self.__dict__)", "", "self.a = 5"),
    ("self.a = 1\nself.b = self.other", "def __getattr__(self, name): return self.__dict__['a']", "self.a = 5"),
    ("me = self\nself.a = 1\nself.b = me.a", "", "self.a = 5"),
    ("me = self\nother = me\nself.a = 1\nself.b = other.a", "", "self.a = 5"),
    ("self.d = {}\nself.d['k'] = 2\nself.e = self.d['k']", "", "self.d['k'] = 5"),
    ("self.d = {}\nself.d['k'] = 2", "", "self.d['k'] = 1 + self.d['k']"),
    ("self.a = 1\nself.b = next(it)", "", "self.a = next(it)"),
    ("self.a = 1\nself.b = it.pop()", "", "self.a = it.pop()"),
    ("self.a = 1\nself.b = count()", "pass\n\ndef count():\n    global N\n    N += 1\n    return N", "self.a = count()"),
    ("self.a = 1\nself.b = vars(self).copy()", "", "self.a = 5"),
    ("self.a = 1\nf = self.get\nself.b = f()", "def get(self): return self.a", "self.a = 5"),
    ("self.a = 1\nself.b = Holder(self).get()", "pass\n\nclass Holder:\n    def get(self): return self.o.a", "self.a = 5"),
    ("self.h = Holder(self)\nself.a = 1\nself.b = self.h.get()", "pass\n\nclass Holder:\n    def get(self): return self.o.a", "self.a = 5"),
    ("self.a = next(it)", "", "self.a = 2"),
    ("self.a = 1", "", "self.a = self.a"),
    ("self.a = self.b = 2", "", "self.a = 5"),
    ("self.a = self.b = 2", "", "del self.a"),
    ("self.a = 1", "@property\n    def a(self): return 1\n    @a.setter\n    def a(self, value): pass", "self.a = 5"),
    ("self.a = 1\nsetup(self)", "pass\n\ndef setup(module):\n    module.b = module.a", "self.a = 5"),
    ("self.a = 1\nself.b = [self][0].a", "", "self.a = 5"),
    ("self.a = 1\nself.b = (None or self).a", "", "self.a = 5"),
    ("self.a = 1\nself.b = [item.a for item in [self]]", "", "self.a = 5"),
    ("self.a = 1\nfor item in (self,): self.b = item.a", "", "self.a = 5"),
    ("self.t = {'me': self}\nself.a = 1\nself.b = self.t['me'].a", "", "self.a = 5"),
    ("self.a = 1\nself.b = fetch(self, 'a')", "pass\n\ndef fetch(o, name): return getattr(o, name)", "self.a = 5"),
    ("self.a = 1\nself.b, self.c = self", "def __iter__(self): return iter([self.a, 2])", "self.a = 5"),
    ("me = self\nself.a = Root()\nme.a.width = 1", "", "self.a = 5"),
    ("me = self\nself.a = Root()\nme.part.width = 1", "@property\n    def part(self): return self.a", "self.a = 5"),
    ("self.a = 1", "", "self.a = self.__dict__['a'] + 1"),
    ("self.__dict__['a'] = 1\nself.a = 2", "", "self.__dict__['a'] = 5"),
    ("self.a = 1", "a = 0", "self.a = self.b = self.a"),
    ("self.b = 1\nself.a: int = self.b\nself.b = 2", "", "self.a: int = self.b"),
    ("self.a = 1", "def measure(self): return self.a + 1", "self.a = self.measure()"),
    ("self.a = 1", "def __len__(self): return self.a", "self.a = len(self)"),
    ("self.a = 1\nself.b = str(self)", "def __str__(self): return self.a", "self.a = 5"),
    ("self.a = 1\nself.b = it.readline()", "", "self.a = it.readline()"),
    ("self.a = 1\nclean(it)", "pass\n\ndef clean(o): o.clear()", "self.a = len(it)"),
    ("self.a = 1", "def __setattr__(self, name, value): note(name)", "self.a = 5"),
]  # fmt: skip

NOT_MOVED = [
    ("self.a = 1\nself.b = len(self)", "def __len__(self): return self.b", "self.a = 5"),
    ("self.a = 1\nself.b = self.twice", "@property\n    def twice(self): return 2 * self.b", "self.a = 5"),
    ("self.a = 1\nself.b = next(it)", "", "self.a = 2"),
    ("self.a = 1\nself.b = self.a", "", "self.c = self.a"),
    ("self.a = 1", "", "self.a = self.rooted"),
    ("self.a = self.b = 2", "", "self.a = 5\nself.b = 3"),
    ("self.a = 1", "@property\n    def a(self): return 1", "self.a = 5"),
    ("self.a = 1\nsetup(self)", "pass\n\ndef setup(module):\n    module.b = 1", "self.a = 5"),
    ("self.d = {}\nself.d['k'] = 2\nself.e = 3", "", "self.d['k'] = 5"),
    ("self.t = {'me': self}\nself.a = 1\nself.b = self.t['me'].c", "", "self.a = 5"),
    ("self.a = 1\nself.b = [item.a for item in [it]]", "", "self.a = 5"),
    ("self.a = 1\nself.c = it\nself.b = show(self.c)", "pass\n\ndef show(o): return o.a", "self.a = 5"),
    ("self.c = it\nme = self.c\nself.a = 1\nself.b = me.a", "", "self.a = 5"),
    ("self.a = 1", "", "self.a = next(it)"),
    ("it.a = 1", "", "it.a = it.a"),
    ("it.a = 1", "def measure(self): return self.it", "it.a = self.measure()"),
    ("self.d = {}\nself.d['k'] = 1", "", "self.c = lambda: self.d\nself.d['k'] = 5"),
    ("self.a = 1\nself.b = [self]", "def __len__(self): return self.a", "self.a = 5"),
    ("self.a = 1\nme = self", "def __len__(self): return self.a", "self.a = 5"),
    ("self.a = 1\nself.b = self.size", "size = 4\n    def __getattr__(self, name): return self.__dict__['a']", "self.a = 5"),
    ("self.d = {}\nself.a['k'] = 1", "@property\n    def a(self): return self.d\n    @a.setter\n    def a(self, value): self.d = value", "self.a['k'] = 5"),
    ("self.d = {}\nself.d['k'] = 1", "def __setattr__(self, name, value):\n        print(name)\n        super().__setattr__(name, value)", "self.d['k'] = 5"),
    ("self.a = 1\nself.b = fetch(self, 'c')", "pass\n\ndef fetch(o, name): return getattr(o, name, 0)", "self.a = 5"),
    ("self.a = 1\nself.b = str(self)", "def __measure(self): return self.a", "self.a = 5"),
    ("self.a = 1\nself.b = str(self)", "def measure__(self): return self.a", "self.a = 5"),
    ("self.a = 1", "@staticmethod\n    def measure(): return 'a'", "self.a = self.measure()"),
    ("self.c = 3\nself.a = 1\nshow(self)", "pass\n\ndef show(o): return o.c", "self.a = self.c"),
    ("self.c = 3\nself.a = 1\nshow(self, 'c')", "pass\n\ndef show(o, name): return name", "self.a = self.c"),
    ("self.a = 1\nshow(it)", "pass\n\ndef show(o): return o.c", "self.a = len(it)"),
    ("self.a = 1\nnote(it)", "pass\n\ndef note(o): NOTES.append(1)\n\nNOTES = []", "self.a = len(it)"),
    ("self.a = 1\nclean([it])", "pass\n\ndef clean(o): o.clear()", "self.a = len(it)"),
    ("self.a = 1", "__setattr__ = object.__setattr__", "self.a = 5"),
    ("self.a = 1", "def __setattr__(self, name, value): object.__setattr__(self, name, round(value))", "self.a = 5"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "members", "below"), MOVED)
def test_a_moved_assignment_that_code_reads_otherwise_is_reported(
    flatten, body, members, below
):
    found = judge(
        flatten,
        init(INIT, body, members),
        init(CHILD_INIT, f"super().__init__(it)\n{below}"),
    )
    assert found == [("MOD417", "warning", 4)]


@pytest.mark.parametrize(("body", "members", "below"), NOT_MOVED)
def test_a_moved_assignment_that_nothing_reads_is_not_reported(
    flatten, body, members, below
):
    found = judge(
        flatten,
        init(INIT, body, members),
        init(CHILD_INIT, f"super().__init__(it)\n{below}"),
    )
    assert found == []


@pytest.mark.parametrize(
    ("body", "above", "below", "expected"),
    [
        ("y = 1\nself.b = y", "y = 9\nread = lambda: y", "self.c = read()", "warning"),
        ("size = 4\nself.b = size", "", "self.c = Root(size)", None),
        ("def it(): return 1\nself.b = it", "", "self.c = it", "warning"),
        ("self.b = self.y", "y = 9", "self.c = y", None),
        ("Root = 4\nself.b = Root", "", "self.c = Root(2)", "warning"),
        ("len = 4\nself.b = len", "", "self.c = len([])", "warning"),
        ("len = 4\nself.b = len", "self.c = len([])", "", "error"),
        ("y = 1\nself.b = lambda: y", "", "y = 2", "warning"),
        ("self.b = 2", "self.rooted = 9", "", "warning"),
        ("self.b = 2", "self.hint = 9", "", "warning"),
        ("self.b = 2", "self.other = 9", "", None),
        ("self.post_init()", "", "self.ready = False", "warning"),
        ("self.post_init()", "", "self.other = False", None),
        ("self.post_init()", "", "self.post_init()", None),
        # The generated method ends at the child's `return`.
        ("self.post_init()", "", "if it: return\nself.other = False", "warning"),
        ("self.post_init()", "if it: return", "self.other = False", None),
        ("self.a = 1", "", "if it: return\nself.a = 2", "warning"),
        ("self.a = 1", "", "for x in it:\n    if x: return\nself.a = 2", "warning"),
        ("self.a = 1", "", "self.a = 2\nif it: return", None),
        ("self.a = 1", "if it: return", "self.a = 2", None),
        ("self.a = 1\nif it: return", "", "self.a = 2", None),
        ("self.a = 1", "", "if it: return\ndel self.a", "warning"),
        ("self.a = 1", "", "del self.a\nif it: return", None),
        ("self.a = 1", "", "if it: pass\ndel self.a", None),
        ("self.a = 1", "if it: return", "del self.a", None),
        # `self.a` keeps the value of the class, but Python's has the parent's.
        ("self.a = 1", "", "self.a = self.a", "warning"),
        ("self.a = 1", "", "def read(): return self.a\nself.b = read()\nself.a = 2", "warning"),
        ("self.a = 1", "", "def read(): return self.a\nself.b = read\nself.a = 2", "warning"),
        ("self.a = 1", "", "def read(): return self.c\nself.b = read()\nself.a = 2", None),
        ("self.a = 1", "", "self.a.b = 3\nself.a = 2", "warning"),
        ("self.a = 1", "", "self.c.b = 3\nself.a = 2", None),
        ("self.b = 1\nself.a = 1", "", "self.b = (lambda: self.a)()", "error"),
        ("self.b = 1\nself.a = 1", "", "self.b = (lambda: self.c)()", None),
        # Each of the two replaces an assignment of the parent.
        ("self.a = 1\nself.b = 2", "", "self.a = 2 * self.b\nself.b = 3", "error"),
        ("self.b = 2\nself.a = 1", "", "self.a = 2 * self.b\nself.b = 3", "warning"),
        ("self.a = 1\nself.b = 2", "", "self.a = 2\nself.b = 3 * self.a", None),
        ("self.b = next(it)", "", "self.b = next(it)", "warning"),
        ("self.a = 1", "self.a = 3", "del self.a", "warning"),
        ("self.a = 1", "self.b = 3", "del self.a", None),
        ("self.rooted = 2", "", "del self.rooted", "warning"),
    ],
)  # fmt: skip
def test_shared_variables_and_moved_calls_are_reported(
    flatten, body, above, below, expected
):
    child = "\n".join(filter(None, (above, "super().__init__(it)", below)))
    found = judge(flatten, init(INIT, body), init(CHILD_INIT, child))
    assert [(code, severity) for code, severity, _ in found] == (
        [] if expected is None else [("MOD417", expected)]
    )


@pytest.mark.parametrize(
    ("body", "child", "is_reported"),
    [
        ("kwargs['p'] = 1", "mine = kwargs\n{}\nreturn mine", True),
        ("kwargs.pop('p', 1)", "{}\nreturn kwargs", True),
        ("kwargs |= {'p': 1}", "{}\nreturn kwargs", True),
        ("o = kwargs; o['p'] = 1", "{}\nreturn kwargs", True),
        ("clean(kwargs)", "{}\nreturn kwargs", True),
        ("show(kwargs)", "{}\nreturn kwargs", False),
        ("print(kwargs)", "{}\nreturn kwargs", False),
        ("kwargs['p'] = 1", "f = lambda: kwargs\n{}\nreturn f()", True),
        ("self.seen = kwargs.get('p')", "{}\nreturn kwargs", False),
        ("kwargs['p'] = 1", "self.b = kwargs['c']\n{}", False),
        ("kwargs['p'] = 1", "self.b = len(kwargs)\n{}", False),
        ("kwargs['p'] = 1", "get = kwargs.get\n{}\nreturn get('p')", True),
        ("self.b = list(map(kwargs.pop, ['p']))", "{}\nreturn kwargs", True),
    ],
)
def test_kwargs_that_the_parents_body_changes_are_reported(
    flatten, body, child, is_reported
):
    parent = f"""
        def clean(options):
            options.clear()


        def show(options):
            return len(options)


        class LlamaA(Root):
            def brew(self, **kwargs):
                {body}
        """
    lines = child.format("super().brew(**kwargs)").replace("\n", "\n" + " " * 16)
    modular = f"""
        class MyModelA(LlamaA):
            def brew(self, **kwargs):
                {lines}
        """
    found = judge(flatten, parent, modular)
    assert [code for code, _, _ in found] == ["MOD417"] * is_reported


@pytest.mark.parametrize(
    ("parent", "child", "line"),
    [
        # Of code in the parent file, the finding is at the call that it replaces.
        ("self.a = locals()", "b = 2\nsuper().f()", 4),
        ("self.a = 1", "super().f()\nb = 2\nself.c = locals()", 5),
        # The replaced assignment is documented.
        ("if self: return\nsize = 2\nself.a = size", "super().f()\nsize = 8", None),
        ("if self: return\nself.a = 1", "super().f()\nsize = 8", 4),
        ("if self: return\nself.a = 1", "super().f()\nprint(1)", 4),
        # What comes after the parent's last `return` is another finding.
        ("self.a = 1\nreturn", "super().f()\nself.b = 8", None),
    ],
)
def test_a_merged_method_that_does_something_else_is_reported_in_the_modular_file(
    flatten, parent, child, line
):
    body = "        " + parent.replace("\n", "\n        ")
    parent_class = f"class LlamaA(Root):\n    def f(self):\n{body}\n"
    body = "        " + child.replace("\n", "\n        ")
    found = judge(
        flatten, parent_class, f"class MyModelA(LlamaA):\n    def f(self):\n{body}\n"
    )
    assert found == ([] if line is None else [("MOD417", "warning", line)])


@pytest.mark.parametrize(
    ("parent", "child", "expected"),
    [
        ("async def f(self, x): return x", "def f(self, x): return 9", "warning"),
        ("async def f(self, x): return x", "def f(self, x): return super().f(x)", None),
        ("async def f(self, x): return x", "async def f(self, x): return 9", None),
        ("async def f(self, x): return x", "def f(self, x):\n        self.a = x\n        return super().f(x)", "warning"),
        ("async def f(self, x): return x", "async def f(self, x): return super().f(x)", "warning"),
        ("def f(self, x): yield x", "def f(self, x):\n        super().f(x)\n        return 3", "warning"),
        ("def f(self, x): yield x", "def f(self, x): return super().f(x)", None),
        ("def f(self, x): yield x", "def f(self, x): return 9", None),
        ("def f(self, x): return x", "async def f(self, x): return super().f(x)", None),
        ("@staticmethod\n    def f(x): return x", "def f(me, x): return x", "warning"),
        ("@staticmethod\n    def f(x): return x", "def f(y): return y", None),
        ("@staticmethod\n    def f(x): return x", "def f(self, x): return x", "warning"),
        ("@staticmethod\n    def f(x): return x", "def f(x): return 2 * x", None),
        ("@staticmethod\n    def f(x): return x", "def f(): return 2", None),
        ("@staticmethod\n    def f(x): return x", "@no_inherit_decorator\n    def f(self, x): return x", None),
        ("@classmethod\n    def f(cls, x): return x", "def f(self, x): return x", "warning"),
        ("@classmethod\n    def f(cls, x): return x", "def f(c, x): return x", None),
        ("@property\n    def f(self): return 1", "def f(self): return 2", "warning"),
        ("@property\n    def f(self): return 1", "@property\n    def f(self): return 2", None),
        ("@twice\n    def f(self, x): return x", "@twice\n    def f(self, x): return super().f(x)", "warning"),
        ("@twice\n    def f(self, x): return x", "@twice\n    def f(self, x): return 3", None),
        ("@unknown\n    def f(self, x): return x", "@unknown\n    def f(self, x): return super().f(x)", "info"),
        ("@can_return_tuple\n    def f(self, x): return x", "@can_return_tuple\n    def f(self, x): return super().f(x)", None),
        ("def f(self, x): return x", "def f(self, x):\n        parent = super()\n        return parent.f(x)", "warning"),
        ("def f(self, x): return x", "def f(self, x): return getattr(super(), 'f')(x)", "warning"),
    ],
)  # fmt: skip
def test_an_override_of_another_kind_is_reported(flatten, parent, child, expected):
    helper = "from somewhere import can_return_tuple, unknown\n\n\nup = super\n\n\ndef twice(f):\n    return lambda *a: [f(*a)]\n\n\n"
    found = judge(
        flatten,
        f"{helper}class LlamaA(Root):\n    {parent}\n",
        f"{helper}class MyModelA(LlamaA):\n    {child}\n",
    )
    assert [severity for _, severity, _ in found] == (
        [] if expected is None else [expected]
    )


def test_an_inherited_abstractmethod_is_an_error(flatten):
    parent = """
        import abc


        class LlamaA({}):
            @abc.abstractmethod
            def f(self): ...
        """
    child = "class MyModelA(LlamaA):\n    def f(self): return 3\n"
    assert judge(flatten, parent.format("abc.ABC"), child) == [("MOD417", "error", 2)]
    by_metaclass = judge(flatten, parent.format("metaclass=abc.ABCMeta"), child)
    assert by_metaclass == [("MOD417", "error", 2)]
    assert judge(flatten, parent.format("Root"), child) == []
    other = "class MyModelA(LlamaA):\n    def g(self): return 3\n"
    assert judge(flatten, parent.format("abc.ABC"), other) == []


CLASSES = [
    ("class LlamaA(NamedTuple):\n    a: int = 1", "c: int = 3", "warning"),
    ("class LlamaA(NamedTuple):\n    a: int = 1", "def f(self): return 2", "warning"),
    ("class LlamaA(NamedTuple):\n    a: int = 1", "def f(self): self.b = 2", "warning"),
    ("class LlamaA(NamedTuple):\n    def f(self): return 1", "def f(self): return [super().f()]", "error"),
    ("class LlamaA(NamedTuple):\n    a: int = 1", "a = 3", "warning"),
    ("class LlamaA(NamedTuple):\n    def f(self): self.b = 2", "def g(self): return 2", "warning"),
    ("class LlamaA(NamedTuple):\n    a: int = 1", "def __init__(self): pass", "error"),
    ("class LlamaA(NamedTuple):\n    a: int = 1", "def f(self): return __class__", "error"),
    ("class LlamaA(NamedTuple):\n    a: int = 1", "def f(self): return self.__class__", "warning"),
    ("class LlamaA(NamedTuple):\n    a: int = 1", "def f(self): return (lambda: __class__)()", "error"),
    ("class LlamaA(NamedTuple):\n    def f(self): return 1", "def f(self): return super().f()", "warning"),
    (
        "class LlamaA(NamedTuple):\n    a: int = 1",
        "def f(self):\n        class B:\n            def g(self): return super().g()",
        "warning",
    ),
    ("class LlamaA(NamedTuple):\n    a: int = 1", "def _replace(self, **values): return self", "error"),
    ("class LlamaA(NamedTuple):\n    a: int = 1", "c: int", "error"),
    ("class LlamaA(NamedTuple):\n    a: int", "c: int", "warning"),
    ("class LlamaA(NamedTuple):\n    a: int = 1", "_c: int = 3", "error"),
    ("class LlamaA(NamedTuple):\n    a: int = 1", "def _f(self): return 2", "warning"),
    ("class LlamaA(NamedTuple):\n    a: int = 1", "b = property(lambda self: 1)", "warning"),
    ("class LlamaA(NamedTuple):\n    a: int = 1", "b = 2", "warning"),
    ("class LlamaA(Enum):\n    a = 1", "b = 2", "warning"),
    ("class LlamaA(TypedDict, total=False):\n    a: int", "b: int", None),
    ("class LlamaA(TypedDict, total=False):\n    a: int", "def f(self): ...", None),
    ("class LlamaA(metaclass=Meta):\n    a = 1", "b = 2", "warning"),
    ("class LlamaA(metaclass=MoreMeta):\n    a = 1", "b = 2", "warning"),
    ("class LlamaA(metaclass=Setting):\n    a = 1", "b = 2", None),
    ("class LlamaA:\n    def f(self): self.__a = 1", "def g(self): self.__a = 2", "warning"),
    ("class LlamaA:\n    def f(self): self.__a = 1", "def g(self): self.__b = 2", None),
    ("class LlamaA:\n    def f(self): return SIZE", "def g(self):\n        global SIZE\n        SIZE = 2", "warning"),
    ("@dataclass(frozen=True)\nclass LlamaA:\n    a: int = 1", "def __setattr__(self, n, v): ...", "error"),
    ("@dataclass\nclass LlamaA:\n    a: int = 1", "def __setattr__(self, n, v): ...", None),
    ("@dataclass\nclass LlamaA:\n    a: int = 1", "def __post_init__(self): ...", "error"),
    ("@dataclass(slots=True)\nclass LlamaA:\n    a: int = 1", "b = 2", "warning"),
    ("@dataclass(frozen=True)\nclass LlamaA:\n    a: int = 1", "b = 2", "warning"),
    ("@dataclass(unsafe_hash=True)\nclass LlamaA:\n    a: int = 1", "b: int = 2", "warning"),
    ("@dataclass\nclass LlamaA:\n    a: int = 1", "b: int", "warning"),
    ("@dataclass\nclass LlamaA:\n    a: 'InitVar[int]' = 1", "a: int = 2", "warning"),
    ("@dataclass\nclass LlamaA:\n    a: int = 1", "a: 'ClassVar[int]' = 2", "warning"),
    ("@dataclass\nclass LlamaA:\n    a: int = 1\n    def __post_init__(self): ...", "b: int = 2", None),
    ("@dataclass\nclass LlamaA:\n    a: int = 1\n    def __post_init__(self): ...", "b: 'InitVar[int]' = 2", "warning"),
    ("@dataclass\nclass LlamaA:\n    a: int = 1", "b: 'InitVar[int]' = 2", None),
    ("@dataclass\nclass LlamaA:\n    a: int = 1", "b: 'InitVar[int]'", "warning"),
    ("@dataclass\nclass LlamaA:\n    a: int = 1", "b: 'ClassVar[int]'", None),
    ("class LlamaA(Root):\n    w = 1", "def v(self): pass\n    v = 2", "warning"),
    ("class LlamaA(Root):\n    def w(self): pass\n    w = 2", "v = 2", "warning"),
    ("class LlamaA(Protocol):\n    def f(self): ...", "def f(self): return 2", "error"),
    ("@runtime_checkable\nclass LlamaA(Protocol):\n    def f(self): ...", "def f(self): return 2", "error"),
    ("@listed\nclass LlamaA:\n    a = 1", "b = 2", "warning"),
    ("@tagged\nclass LlamaA:\n    a = 1", "b = 2", None),
    ("@listed\nclass LlamaA:\n    a = 1", "pass", None),
    ("class LlamaA(Fields):\n    a: int = 1\n    def __eq__(self, o): return True", "b: int = 2", "warning"),
    ("class LlamaA:\n    a = 1", "def f(self): return type(self).__mro__", "warning"),
    ("class LlamaA:\n    a = 1", "def f(self): return type(self).__dict__", "warning"),
    ("class LlamaA:\n    a = 1", "def f(self): return vars(type(self))", "warning"),
    ("class LlamaA:\n    a = 1", "def f(self): return vars(self), self.__dict__", None),
    ("class LlamaA:\n    def f(self): return globals()", "b = 2", "warning"),
    ("class LlamaA:\n    def f(self): return __file__", "b = 2", "warning"),
    ("class LlamaA(Looking):\n    a = 1", "b = 2", "warning"),
    ("class LlamaB(metaclass=Meta): ...\n\nclass LlamaA(LlamaB):\n    a = 1", "b = 2", "warning"),
    ("class LlamaB(metaclass=Setting): ...\n\nclass LlamaA(LlamaB):\n    a = 1", "b = 2", None),
    ("class LlamaA:\n    __slots__ = ('a',)", "b = 2", "warning"),
    ("class LlamaA(Root):\n    w = 4", "v = w", "warning"),
    ("class LlamaA(Root):\n    w = 4", "def f(self, x=w): return x", "warning"),
    ("class LlamaA(Root):\n    def d(f): return f\n    @d\n    def g(self): return 1", "def d(f): return 3", "warning"),
    ("@dataclass\nclass LlamaA:\n    a: int = 1", "a = 3", "warning"),
    ("@dataclass\nclass LlamaA:\n    a: int = 1", "def a(self): pass", "warning"),
    ("@dataclass\nclass LlamaA:\n    a: int = 1", "a: int = 3", None),
    ("@dataclass\nclass LlamaA:\n    a: int = 1\n    b = 2", "b = 3", None),
    ("@dataclass\nclass LlamaA:\n    b: int = 1", "b = 3", "warning"),
    ("class LlamaA(Fields):\n    a: int = 1", "a = 3", "warning"),
    ("class LlamaA(Root):\n    a: int = 1", "a = 3", None),
    ("class LlamaA(Root):\n    a = b = 3", "a = 4", "error"),
    ("class LlamaA(Root):\n    a = b = 3", "a = 4\n    b = 5", None),
    ("class LlamaA(Root):\n    a = 3", "a = 4", None),
    ("class LlamaA(Root):\n    a: int = 3", "a: int", None),
    ("class LlamaA(Root):\n    w = 4\n    def f(self, x=w): return x", "w = 9", "warning"),
    ("class LlamaA(Root):\n    w = 4\n    v = 2 * w", "w = 9", "warning"),
    ("class LlamaA(Root):\n    w = 4\n    def f(self, x=1): return self.w", "w = 9", None),
    ("class LlamaA(Root):\n    w = 4\n    def f(self, x=w): return x", "w = 4", None),
    ("class LlamaA(Root):\n    w = Named()", "w = 9", "warning"),
    ("class LlamaA(Root):\n    w = NAMED", "w = 9", "warning"),
    ("class LlamaA(Root):\n    w = Named()", "v = 9", None),
    ("class LlamaA(Root):\n    w = Placed()", "v = 9", "warning"),
    ("class LlamaA(Root):\n    w = next(NUMBERS)", "w = 9", "warning"),
    ("class LlamaA(Root):\n    w = LINES.readline()", "w = 9", "warning"),
    ("class LlamaA(Root):\n    w = LINES.readline()", "v = 9", None),
    ("class LlamaA(Root):\n    @counted\n    def w(self): pass", "def w(self): pass", None),
    ("class LlamaA(Root):\n    def w(self, x=NUMBERS.pop()): pass", "def w(self): pass", "warning"),
    ("class LlamaA(Root):\n    w = dict(a=1)", "w = 9", None),
    ("class LlamaA(Root):\n    w = measure()", "w = 9", None),
    ("class LlamaA(Root):\n    w = grow()", "w = 9", "warning"),
    ("class LlamaA(Root):\n    __init_subclass__ = classmethod(print)", "w = 9", "warning"),
    ("class LlamaA(Root):\n    w = {}\n    w['a'] = 1", "w = {'b': 2}", "warning"),
    ("@dataclass\nclass LlamaA:\n    a: int = 1\n    a = 2", "b = 2", "warning"),
    ("class LlamaA(Root):\n    a = c = 1\n    a = 2", "b = 2", "warning"),
    ("class LlamaA(Root):\n    a = c = 1\n    c = 5\n    a = 2", "b = 2", None),
    ("class LlamaA(Root):\n    a = 1\n    c = a\n    a = 2", "b = 2", "warning"),
    ("class LlamaA(Root):\n    a = 1\n    a = 2\n    c = a", "b = 2", None),
    ("class LlamaA(Kind):\n    def f(self): pass", "b = 2", "error"),
    ("class LlamaA(Kinds):\n    def f(self): pass", "b = 2", None),
    ("class LlamaA(Root):\n    w = Fields()", "w = 9", None),
    ("class LlamaA(Root):\n    def __hash__(self): return 1", "def __eq__(self, o): return True", "warning"),
    ("class LlamaA(Root):\n    def __hash__(self): return 1", "__hash__ = None\n    def __eq__(self, o): return True", None),
    ("class LlamaA(Root):\n    def __init_subclass__(cls): pass", "w = 9", "warning"),
    ("class LlamaA(Root):\n    w = 1", "r = property(lambda self: super().w)", "error"),
    ("class LlamaA(Root):\n    w = 1", "r = property(lambda self: super(Root, self).w)", None),
    ("class LlamaA(Root):\n    w = 1", "r = property(lambda self: super().post_init)", None),
    ("class LlamaA(Root):\n    w = 1", "r = property(lambda self: super())", "warning"),
    ("class LlamaA(Root):\n    w = 1", "r = property(lambda self: super().w if self else 0)", "warning"),
    ("class LlamaA(marked):\n    w = 1", "r = property(lambda self: super().w)", "warning"),
    ("class LlamaA(Root): ...", "def f(self):\n        parent = super()\n        return parent.post_init()", "info"),
    ("class LlamaA(Root):\n    w = 1", "def f(self, g=lambda s: super(MyModelA, s).w): return g(self)", "warning"),
    ("class LlamaA(Root):\n    w = 1", "a = b = 2\n    b: int = 3", "warning"),
    ("@dataclass\nclass LlamaA:\n    b = 1\n    a: int = 1", "b: int = 2", None),
    ("class LlamaA(Root):\n    w: int = 1\n    w = 2", "b = 2", None),
    ("class LlamaA(Root):\n    w = 1\n    w: int", "b = 2", "warning"),
    ("class LlamaA(Root):\n    w = 1\n    w: int", "w = 2", None),
    ("class LlamaA(Fields):\n    b = 1\n    a: int = 1", "b: int = 2", "warning"),
    ("class LlamaA(Fields):\n    a: int = 1\n    b = 1", "b: int = 2", None),
    ("class LlamaA(Fields):\n    b: int = 1\n    a: int = 1", "b: int = 2", None),
    ("class LlamaA(Root):\n    def f(self): pass", "f, b = None, 3", "warning"),
    ("class LlamaA(Root):\n    def f(self): pass", "f = None", None),
    ("class LlamaA(Root):\n    w = 1", "b = 2\n\nclass MyModelB(MyModelA):\n    def f(self): return super(MyModelA, self).w", "warning"),
    ("class LlamaA(Root):\n    w = 1", "b = 2\n\nclass MyModelB(MyModelA):\n    def f(self): return super(MyModelB, self).w", None),
    ("class LlamaA(Root):\n    w = 1\n    b = 2", "w = b = 3", "warning"),
    ("class LlamaA(Root):\n    b = 2\n    w = 1", "w = b = 3", None),
    ("class LlamaA(Root):\n    w = 1\n    w, b = 2, 3", "w = 4", "warning"),
    ("class LlamaA(Root):\n    w, b = 2, 3", "w = 4", None),
    ("class LlamaA(Root):\n    w = 1\n    b = w = 2", "w = 4\n    b = 5", None),
    ("class LlamaA(Root):\n    w = 1", "b = 2\n    b: int", "warning"),
    ("class LlamaA(Root):\n    w = 1", "b: int = 2\n    b: int = 3", None),
    ("class LlamaA(Root):\n    w = 1", "b: int\n    b: str", None),
    ("class LlamaA(Root):\n    def f(self): return self.g.__qualname__", "w = 9", "warning"),
    ("class LlamaA(Root):\n    def f(self): return __name__", "w = 9", "warning"),
    ("class LlamaA(Root):\n    def f(self): return type(self).__name__", "w = 9", None),
    ("class LlamaA(Root):\n    w = 1", "def __eq__(self, o): return True", None),
    ("class LlamaA:\n    def f(self): self.a = 1", "__slots__ = ('b',)", "warning"),
    ("class LlamaB(Root):\n    'It has no `__init_subclass__`.'\n\nclass LlamaA(LlamaB):\n    a = 1", "b = 2", None),
    ("class LlamaB(Root):\n    __init_subclass__ = classmethod(print)\n\nclass LlamaA(LlamaB):\n    a = 1", "b = 2", "warning"),
    ("class LlamaB(Root):\n    def __init_subclass__(cls): GROWN.append(cls)\n\nclass LlamaA(LlamaB):\n    a = 1", "b = 2", None),
    ("class LlamaA:\n    def f(self): self.__a = 1", "def g(self): return self._LlamaA__a", "warning"),
    ("@replaced\nclass LlamaA:\n    a = 1", "b = 2", "warning"),
    ("@marked\nclass LlamaA:\n    a = 1", "b = 2", None),
    ("@dataclass(**OPTIONS)\nclass LlamaA:\n    a: int = 1", "def f(self): return 2", None),
]  # fmt: skip


def test_a_named_tuple_with_another_base_is_an_error(flatten):
    parent = """
        from typing import NamedTuple


        class LlamaA(NamedTuple):
            a: int = 1
        """
    child = "class Mixin: ...\n\n\nclass MyModelA(LlamaA, Mixin): ...\n"
    assert judge(flatten, parent, child) == [("MOD416", "error", 4)]


DECORATED_CLASSES = [
    ("class LlamaA:\n    def __init__(self): self.a = 1", "@dataclass\nclass MyModelA(LlamaA): ...", ["warning"]),
    ("class LlamaA:\n    def __repr__(self): return ''", "@dataclass\nclass MyModelA(LlamaA): ...", ["warning"]),
    ("class LlamaA:\n    def __repr__(self): return ''", "@dataclass(repr=False)\nclass MyModelA(LlamaA): ...", []),
    ("class LlamaA:\n    def f(self): return 1", "@dataclass\nclass MyModelA(LlamaA): ...", []),
    ("class LlamaA:\n    def f(self): return 1", "@dataclass(slots=True)\nclass MyModelA(LlamaA): ...", ["warning"]),
    ("@total_ordering\nclass LlamaA:\n    def f(self): return 1", "@final\nclass MyModelA(LlamaA): ...", ["warning"]),
    ("@total_ordering\nclass LlamaA:\n    def f(self): return 1", "@total_ordering\nclass MyModelA(LlamaA): ...", []),
    ("@final\nclass LlamaA:\n    def f(self): return 1", "@dataclass\nclass MyModelA(LlamaA): ...", []),
    ("@tagged\nclass LlamaA:\n    def f(self): return 1", "@final\nclass MyModelA(LlamaA): ...", ["warning"]),
    ("@auto_docstring\nclass LlamaA:\n    def f(self): return 1", "@final\nclass MyModelA(LlamaA): ...", []),
    ("@unknown\nclass LlamaA:\n    def f(self): return 1", "@final\nclass MyModelA(LlamaA): ...", []),
    ("@dataclass\nclass LlamaA:\n    flag = 1\n    a: int = 1", "@dataclass\nclass MyModelA(LlamaA):\n    flag: int = 2", ["warning"]),
    ("@dataclass\nclass LlamaA:\n    flag = 1\n    a: int = 1", "@dataclass\nclass MyModelA(LlamaA):\n    flag = 2", []),
    ("@dataclass\nclass LlamaA:\n    flag = 1\n    a: int = 1", "@dataclass\nclass MyModelA(LlamaA):\n    b: int = 2", []),
    ("@named('a')\nclass LlamaA:\n    def f(self): return 1", "@named('b')\nclass MyModelA(LlamaA):\n    b = 2", []),
    ("class LlamaA:\n    a = 1", "class MyModelA(LlamaA, Enum):\n    b = 2", ["warning"]),
]  # fmt: skip


@pytest.mark.parametrize(("parent", "child", "expected"), DECORATED_CLASSES)
def test_decorators_that_python_applies_to_one_of_two_classes_are_reported(
    flatten, parent, child, expected
):
    helpers = """
        from dataclasses import dataclass
        from enum import Enum
        from functools import total_ordering
        from typing import final

        from somewhere import unknown


        def tagged(cls):
            cls.tag = 1
            return cls


        def auto_docstring(cls):
            return cls


        def named(name):
            long_name = name.upper()

            def set_name(cls):
                cls.name = long_name
                return cls

            return set_name


        """
    found = judge(
        flatten, textwrap.dedent(helpers) + parent, textwrap.dedent(helpers) + child
    )
    assert [severity for _, severity, _ in found] == expected


@pytest.mark.parametrize(
    ("body", "argument", "is_reported"),
    [
        ("self.calls = 1", "say(x)", True),
        ("self.calls = 1", "[say(x)]", True),
        ("self.calls = 1", "count(x)", True),
        ("self.calls = 1", "lambda: say(x)", False),
        ("self.calls = 1", "double(x)", False),
        ("self.calls = 1", "x", False),
        # That the argument is dropped is another finding.
        ("self.calls = x", "say(x)", False),
    ],
)
def test_an_argument_with_an_effect_that_is_not_evaluated_is_reported(
    flatten, body, argument, is_reported
):
    parent = f"""
        class LlamaA(Root):
            def f(self, x):
                {body}
        """
    child = f"""
        def say(x):
            print(x)


        def count(x):
            global N
            N += 1
            return x


        def double(x):
            return 2 * x


        class MyModelA(LlamaA):
            def f(self, x):
                # The parent's code does not use `x`.
                super().f({argument})
        """
    found = judge(flatten, parent, child)
    assert found == [("MOD417", "warning", 18)] * is_reported


@pytest.mark.parametrize(("parent", "child", "expected"), CLASSES)
def test_a_class_that_python_makes_otherwise_is_reported(
    flatten, parent, child, expected
):
    helpers = """
        from dataclasses import dataclass
        from enum import Enum
        from enum import Enum as Kind
        from enum import IntEnum as Kinds
        from typing import NamedTuple, Protocol, TypedDict, runtime_checkable

        from somewhere import marked


        SIZE = 1
        OPTIONS = {}
        NUMBERS = iter(range(9))
        LINES = open("words.txt")
        GROWN = []


        def measure():
            return SIZE


        def grow():
            GROWN.append(1)
            return SIZE


        def counted(function):
            GROWN.append(function)
            return function


        def listed(cls):
            cls.names = list(vars(cls))
            return cls


        def tagged(cls):
            cls.tag = 1
            return cls


        def replaced(cls):
            cls = Root
            return cls


        class Meta(type):
            def __new__(meta, name, bases, body):
                return type.__new__(meta, name, bases, {**body, "names": list(body)})


        class Setting(type):
            def __setattr__(cls, name, value):
                type.__setattr__(cls, name, value)


        class MoreMeta(Meta): ...


        class Looking:
            def __init_subclass__(cls):
                cls.names = list(vars(cls))


        class Fields:
            def __init_subclass__(cls):
                dataclass(cls)


        class Named:
            def __set_name__(self, owner, name): ...


        class Placed:
            def __set_name__(self, owner, name):
                self.names = dir(owner)


        NAMED = Named()


        """
    found = judge(
        flatten,
        f"{source(helpers)}{parent}\n",
        f"class MyModelA(LlamaA):\n    {child}\n",
    )
    assert [severity for _, severity, _ in found] == (
        [] if expected is None else [expected]
    )


@pytest.mark.parametrize(
    ("bases", "mixin", "is_reported"),
    [
        ("Late, LlamaA", "return super().brew()", True),
        ("LlamaA, Late", "return super().brew()", False),
        ("Late, LlamaA", "return super().other()", False),
        ("Late, LlamaA", "return super().other(self.brew)", False),
        ("Late, LlamaA", "return getattr(super(), 'brew')()", True),
        ("Foreign, LlamaA", "return super().brew()", False),
    ],
)
def test_a_base_before_the_parent_that_calls_it_is_reported(
    flatten, flatten_like_python, bases, mixin, is_reported
):
    parent = "class LlamaA(Root):\n    def brew(self): return 1\n"
    modular = f"""
        from somewhere import Foreign


        class Late:
            def late(self):
                {mixin}


        class MyModelA({bases}):
            pass
        """
    found = judge(flatten, parent, modular)
    assert [code for code, _, _ in found] == ["MOD416"] * is_reported
    # The members of a foreign base are not known.
    is_kept = is_reported or bases.startswith("Foreign")
    found = judge(flatten_like_python, parent, modular)
    assert [code for code, _, _ in found] == ["MOD308"] * is_kept


@pytest.mark.parametrize("base", ["Late", "Root"])
def test_a_base_of_the_parent_is_not_called_before_it(flatten, base):
    files = {
        "models/base.py": source(
            """
            class Root:
                def brew(self): return super().brew()


            class Late(Root): ...
            """
        )
    }
    modular = """
        from ..base import Late
        from ..llama.modeling_llama import LlamaA


        class MyModelA(Late, LlamaA):
            pass
        """
    parent = f"""
        from ..base import {base}


        class LlamaA({base}):
            def brew(self): return 1
        """
    codes = flatten(modular, parent, files).codes
    assert "MOD416" not in [code for code, _ in codes]


@pytest.mark.parametrize(
    ("parameters", "value", "severity"),
    [("self, size", "2 * size", "warning"), ("self", "2", "error")],
)
def test_a_variable_of_a_moved_call_surely_fails_unless_it_is_a_parameter(
    flatten, parameters, value, severity
):
    parent = """
        class LlamaA(Root):
            def __init__(self, size):
                super().__init__(size)
                self.size = size
        """
    child = f"""
        class MyModelA(LlamaA):
            def __init__({parameters}):
                size = {value}
                super().__init__(size)
        """
    assert judge(flatten, parent, child) == [("MOD417", severity, 3)]


@pytest.mark.parametrize("name", ["ready", "other"])
def test_a_moved_post_init_is_reported_if_the_call_of_the_parent_is_returned(
    flatten, name
):
    parent = init(INIT, f"self.post_init()\nself.{name} = False")
    child = init(CHILD_INIT, "return super().__init__(it)")
    is_reported = name == "ready"
    assert judge(flatten, parent, child) == [("MOD417", "warning", 4)] * is_reported


def test_an_init_without_a_moved_call_is_not_reported(flatten):
    parent = "class LlamaA(Root):\n    def __init__(self, size): self.size = size\n"
    child = """
        class MyModelA(LlamaA):
            def __init__(self, size):
                size = 2 * size
                super().__init__(size)
        """
    assert judge(flatten, parent, child) == []


@pytest.mark.parametrize(
    ("call", "name"), [("(lambda: 1)()", "a function"), ("open('a')", "`open`")]
)
def test_a_call_that_never_runs_is_refused_by_its_name(flatten_like_python, call, name):
    parent = f"class LlamaA(Root):\n    w = {call}\n"
    child = "class MyModelA(LlamaA):\n    w = 9\n"
    modular = f"from ..llama.modeling_llama import LlamaA\n\n\n{child}"
    parent = f"from ..base import Root\n\n\n{parent}"
    converted = flatten_like_python(modular, parent, {"models/base.py": source(BASE)})
    (error,) = converted.diagnostics
    assert f"its call to {name} never runs" in error.message


@pytest.mark.parametrize(
    ("decorator", "is_refused"),
    [
        ("same", False),
        ("wrapped", False),
        ("named", True),
        ("spelled", True),
        ("listed", True),
        ("imported", True),
        ("torch.no_grad()", False),
        ("sized", False),
        ("filed('a')", True),
    ],
)
def test_a_decorator_that_may_use_the_name_prevents_keeping_the_method(
    flatten_like_python, decorator, is_refused
):
    parent = f"""
        import functools

        import torch
        from somewhere import imported


        def same(f):
            return f


        def wrapped(f):
            @functools.wraps(f)
            def call(*args):
                return f(*args)
            return call


        def named(f):
            return lambda *args: (f.__name__, f(*args))


        def spelled(f):
            f.__name__.upper()
            return f


        def listed(f, functions=[]):
            functions.append(f)
            return f


        def sized(f, size=1):
            return f


        def filed(name):
            def file(f):
                f.__name__.upper()
                return f
            return file


        class LlamaA(Root):
            @{decorator}
            def brew(self, x):
                return x
        """
    child = "class MyModelA(LlamaA):\n    def brew(self, x): return [super().brew(x)]\n"
    found = judge(flatten_like_python, parent, child)
    assert [code for code, _, _ in found] == ["MOD308"] * is_refused


@pytest.mark.parametrize(
    ("body", "is_refused"),
    [
        ("cls.tag = cls.__name__", False),
        ("cls.tag = 1", False),
        ("CLASSES.append(cls)", True),
        ("cls.count += 1", True),
        ("cls.tags = list(vars(cls))", True),
        ("cls.grow()", True),
        ("cls.tags = list(cls.__dict__)", True),
        ("dataclass(cls)", False),
        ("tree.register_node(cls, lambda values: cls(*values))", False),
        ("tree.describe(cls)", True),
    ],
)
def test_a_base_that_looks_at_the_body_of_each_class_is_refused(
    flatten_like_python, body, is_refused
):
    parent = f"""
        from dataclasses import dataclass


        CLASSES = []


        class Base(Root):
            count = 0

            def __init_subclass__(cls):
                {body}


        class LlamaA(Base):
            size: int = 1
        """
    child = "class MyModelA(LlamaA):\n    rate: int = 2\n"
    found = judge(flatten_like_python, parent, child)
    assert [code for code, _, _ in found] == ["MOD308"] * is_refused


DOCUMENTED = {
    "replaced assignment": (
        "def f(self, x):\n        self.a = 1\n        self.b = self.a",
        "def f(self, x):\n        super().f(x)\n        self.a = 2",
    ),
    "one variable": (
        "def f(self, x):\n        x = x + 1\n        self.a = x",
        "def f(self, x):\n        super().f(x)\n        self.b = x",
    ),
    "copied return": (
        "def f(self, x):\n        return x",
        "def f(self, x):\n        x = x + 1\n        super().f(x)",
    ),
    "skipped parent": (
        "def post_init(self):\n        self.a = 1",
        "def post_init(self):\n        self.b = [super().post_init()]",
    ),
    "omitted argument": (
        "def f(self, x, y=1):\n        self.a = y",
        "def f(self, x, y=2):\n        super().f(x)",
    ),
    "order of `__init__`": (
        "def __init__(self):\n        super().__init__()\n        self.a = 1",
        "def __init__(self):\n        size = 2\n        super().__init__()\n        self.b = size",
    ),
    "inherited decorators": (
        "@staticmethod\n    def f(x):\n        return x",
        "def f(x):\n        return 2 * x",
    ),
    "removal": (
        "def f(self, x):\n        return x",
        "size = 1\n\n    def f(self, x):\n        raise AttributeError('not needed')",
    ),
    "repeated statement": (
        "def f(self, x):\n        self.a = 1",
        "def f(self, x):\n        super().f(x)\n        self.a = 1",
    ),
    "text": (
        'def f(self, x) -> int:\n        """Return x."""\n        return x',
        "def f(self, x):\n        return 2 * x",
    ),
}
"""An example of each documented transformation: the members of both classes."""


def test_each_documented_transformation_has_an_example() -> None:
    page = (REPOSITORY / "docs/inheritance.md").read_text(encoding="utf-8")
    section = page.partition("## Documented transformations")[2].partition("\n## ")[0]
    assert re.findall(r"^- \*\*(.+?):\*\*", section, re.MULTILINE) == list(DOCUMENTED)


@pytest.mark.parametrize(("parent", "child"), DOCUMENTED.values(), ids=list(DOCUMENTED))
def test_a_documented_transformation_gets_no_warning(flatten, parent, child) -> None:
    modular = (
        "from ..base import Root\nfrom ..llama.modeling_llama import LlamaA\n\n\n"
        f"class MyModelA(LlamaA):\n    {child}\n"
    )
    parent = f"from ..base import Root\n\n\nclass LlamaA(Root):\n    {parent}\n"
    converted = flatten(modular, parent, {"models/base.py": source(BASE)})
    levels = {diagnostic.severity for diagnostic in converted.diagnostics}
    assert levels <= {Severity.INFO}


@pytest.mark.parametrize(
    ("parameters", "refused", "level"),
    [
        ("self", "these arguments", Severity.ERROR),
        ("self, x", "`**kwargs`", Severity.WARNING),
        ("self, x, **kwargs", "", None),
        ("self, *args, **kwargs", "", None),
    ],
)
def test_arguments_for_the_skipped_parent_are_reported_if_the_base_takes_none(
    flatten, parameters, refused, level
) -> None:
    modular = """
        from ..llama.modeling_llama import LlamaA


        class MyModelA(LlamaA):
            def f(self, x, **kwargs):
                y = super().f(x, **kwargs)
                return y
        """
    base = f"class Root:\n    def f({parameters}):\n        return 1\n"
    parent = """
        from ..base import Root


        class LlamaA(Root):
            def f(self, x, **kwargs):
                return kwargs
        """
    converted = flatten(source(modular), source(parent), {"models/base.py": base})
    found = []
    for diagnostic in converted.diagnostics:
        _, _, arguments = diagnostic.message.partition("`Root` does not take ")
        if arguments:
            found.append((arguments, diagnostic.severity))
    assert found == ([(refused, level)] if refused else [])


@pytest.mark.parametrize(
    ("body", "is_refused"),
    [
        ("return sys._getframe().f_code.co_name", True),
        ("return inspect.stack()[0].function", True),
        ("look = inspect.stack; return look()[0].function", True),
        ("return x.f_back", True),
        ("return outer()", True),
        ("return inspect.isclass(x), sys.maxsize", False),
        ("return inner()", False),
        ("outer = len; return outer('a')", False),
        ("return [outer, x][1]", False),
    ],
)
def test_a_kept_method_that_looks_at_its_name_is_refused(
    flatten_like_python, body, is_refused
):
    parent = f"""
        import inspect
        import sys


        def outer():
            return sys._getframe(1).f_code.co_name


        def inner():
            return sys.platform


        class LlamaA(Root):
            def brew(self, x):
                {body}
        """
    child = "class MyModelA(LlamaA):\n    def brew(self, x): return [super().brew(x)]\n"
    found = judge(flatten_like_python, parent, child)
    assert [code for code, _, _ in found] == ["MOD308"] * is_refused


@pytest.mark.parametrize("name", ["look", "see"])
def test_a_body_that_looks_at_its_variables_is_not_inlined(flatten_like_python, name):
    parent = f"""
        from builtins import locals as see
        look = locals


        class LlamaA(Root):
            def brew(self, x):
                self.seen = {name}()
        """
    child = """
        class MyModelA(LlamaA):
            def brew(self, x):
                y = 2
                super().brew(x)
                return y
        """
    found = judge(flatten_like_python, parent, child)
    assert [code for code, _, _ in found] == ["MOD308"]


@pytest.mark.parametrize("decorator", ["listed", "tagged", "made()"])
def test_a_decorator_of_the_class_that_looks_at_its_body_is_reported(
    flatten, flatten_like_python, decorator
):
    modular = f"""
        def listed(cls):
            cls.names = list(vars(cls))
            return cls


        def tagged(cls):
            cls.tag = 1
            return cls


        def made():
            return listed


        @{decorator}
        class MyModelA(LlamaA):
            b = 2
        """
    parent = "class LlamaA(Root):\n    a = 1\n"
    is_reported = decorator != "tagged"
    for convert, code in ((flatten, "MOD416"), (flatten_like_python, "MOD308")):
        found = judge(convert, parent, modular)
        assert [found_code for found_code, _, _ in found] == [code] * is_reported


@pytest.mark.parametrize(
    ("decorators", "is_reported"), [("", True), ("@no_inherit_decorator", False)]
)
@pytest.mark.parametrize("inherited", ["listed", "dataclass"])
def test_a_decorator_of_the_parent_that_is_not_inherited_is_not_reported(
    flatten_like_python, inherited, decorators, is_reported
):
    parent = f"""
        from dataclasses import dataclass


        def listed(cls):
            cls.names = list(vars(cls))
            return cls


        @{inherited}
        class LlamaA:
            a: int = 1
        """
    modular = f"{decorators}\nclass MyModelA(LlamaA):\n    b: int = 2\n"
    found = judge(flatten_like_python, parent, modular)
    assert bool(found) is is_reported


@pytest.mark.parametrize(
    ("parent", "child", "is_refused"),
    [
        ("w = take()", "w = 1", True),
        ("w = frozenset('a')", "w = 1", False),
        ("w = COUNTS.setdefault('all', 1)", "w = 1", True),
        ("w = 1", "v = 2\n    del v", False),
        ("v = 1", "v = 2\n    del v", True),
        ("@taken\n    def w(self): pass", "def w(self): pass", False),
        ("@counted\n    def w(self): pass", "def w(self): pass", True),
        ("@spelled\n    def w(self): pass", "def w(self): pass", True),
        ("def w(self, x=take()): pass", "def w(self): pass", True),
        ("def w(self): pass", "def w(self): return locals(), [super().w()]", True),
        ("def w(self): pass", "def w(self): return locals()", False),
    ],
)
def test_code_that_only_the_inheriting_class_runs_is_refused(
    flatten_like_python, parent, child, is_refused
):
    helpers = """
def take(log=[]): log.append(1)


def taken(f): return f


COUNTS = {}


def counted(f):
    COUNTS["all"] = 1
    return f


def spelled(f):
    f.__name__.upper()
    return f


"""
    found = judge(
        flatten_like_python,
        f"{helpers}class LlamaA(Root):\n    {parent}\n",
        f"class MyModelA(LlamaA):\n    {child}\n",
    )
    assert {code for code, _, _ in found} == ({"MOD308"} if is_refused else set())


@pytest.mark.parametrize("name", ["Root", "Other"])
def test_one_base_under_two_names_is_an_error(flatten_like_python, name):
    parent = f"from ..base import Root as {name}\n\n\nclass LlamaA({name}): pass\n"
    modular = "class MyModelA(LlamaA, Root): pass\n"
    found = judge(flatten_like_python, parent, modular)
    assert [code for code, _, _ in found] == ["MOD308"] * (name != "Root")


@pytest.mark.parametrize("bases", ["Root, LlamaA", "LlamaA"])
def test_a_base_before_an_enum_is_an_error_where_it_comes_last(
    flatten, flatten_like_python, bases
):
    parent = "from enum import Enum\n\n\nclass LlamaA(Enum): pass\n"
    modular = f"class MyModelA({bases}): a = 1\n"
    is_error = bases != "LlamaA"
    assert judge(flatten, parent, modular) == [("MOD416", "error", 1)] * is_error
    assert judge(flatten_like_python, parent, modular) == []


ENUM = "from enum import Enum, auto\n\n\nclass LlamaA(Enum): "
NEXT_VALUE = "def _generate_next_value_(name, start, count, last): return count"
VALUES = "    a = auto()\n    b = auto()\n"


@pytest.mark.parametrize(
    ("parent_body", "body"),
    [(f"\n    {NEXT_VALUE}\n", VALUES), ("pass\n", f"    {NEXT_VALUE}\n\n{VALUES}")],
)
def test_values_of_an_enum_above_the_method_that_chooses_them_are_an_error(
    flatten, flatten_like_python, parent_body, body
):
    parent = ENUM + parent_body
    modular = f"from enum import auto\n\n\nclass MyModelA(LlamaA):\n{body}"
    assert judge(flatten, parent, modular) == [("MOD416", "error", 4)]
    # There, the parent class is kept as a base.
    assert judge(flatten_like_python, parent, modular) == [("MOD308", "info", 4)]


def test_a_field_that_gets_another_value_stays_one(flatten_like_python):
    parent = (
        "from dataclasses import dataclass\n\n\n"
        "@dataclass\nclass LlamaA:\n    a: int = 1\n    a = 2\n"
    )
    found = judge(flatten_like_python, parent, "class MyModelA(LlamaA):\n    a = 3\n")
    assert [code for code, _, _ in found] == ["MOD308"]


def test_a_global_of_the_modular_file_is_not_that_of_the_parent(flatten_like_python):
    parent = """
        def size():
            return 1


        class LlamaA(Root):
            def brew(self):
                return size()
        """
    child = """
        class MyModelA(LlamaA):
            def brew(self):
                global size
                size = len
                return [super().brew()]
        """
    found = judge(flatten_like_python, parent, child)
    assert {code for code, _, _ in found} == {"MOD307", "MOD308"}


def test_a_dictionary_that_only_the_parent_uses_is_not_reported(flatten):
    parent = """
        class LlamaA(Root):
            def f(self, **kwargs):
                self.a = kwargs.pop("a", None)
        """
    child = """
        class MyModelA(LlamaA):
            def f(self, **kwargs):
                super().f(**kwargs)
                self.b = 1
        """
    assert judge(flatten, parent, child) == []


@pytest.mark.parametrize(
    ("base", "init", "other", "is_reported"),
    [
        ("pass", "self.size = 1", "pass", True),
        ("pass", "super().__init__()", "pass", False),
        ("pass", "self.size = 1; self.rate = 3", "pass", False),
        ("pass", "self.size = 1", "def reset(self): self.rate = 3", False),
        ("pass", "self.size = 1", "def __init__(self): super().__init__(); del self.size", True),
        ("def reset(self): self.rate = 3", "self.size = 1", "pass", False),
    ],
)  # fmt: skip
def test_a_skipped_parent_is_reported_if_the_method_of_the_base_lacks_an_attribute(
    flatten, base, init, other, is_reported
) -> None:
    parent = f"""
        class Root:
            def __init__(self):
                self.rate = 2

            {base}

            def scale(self, x):
                return x * self.rate


        class LlamaScaler(Root):
            def __init__(self):
                {init}

            def scale(self, x):
                return x
        """
    modular = f"""
        from ..llama.modeling_llama import LlamaScaler


        class MyModelScaler(LlamaScaler):
            {other}

            def scale(self, x):
                run = lambda: super(MyModelScaler, self).scale(x)
                return run()
        """
    (finding,) = flatten(source(modular), source(parent)).diagnostics
    assert (finding.severity is Severity.WARNING) is is_reported
    assert ("reads `rate`" in finding.message) is is_reported


@pytest.mark.parametrize(
    ("body", "call", "codes"),
    [
        ("return 1", "super().__init__()", ["MOD417"]),
        ("if self.a: return self", "super().__init__()", ["MOD417"]),
        ("return", "super().__init__()", []),
        ("return None", "super().__init__()", []),
        ("return super().__init__()", "super().__init__()", []),
        ("self.f = lambda: 1", "super().__init__()", []),
        (
            """if self.a:
                    def f():
                        return 1
                    self.f = f
                    return""",
            "super().__init__()",
            [],
        ),
        ("return 1", "return super().__init__()", []),
    ],
)
def test_an_init_that_returns_a_value_like_the_parents_is_reported(
    flatten, body, call, codes
) -> None:
    parent = f"""
        class LlamaA(Root):
            def __init__(self):
                self.a = 0
                {body}
        """
    child = f"""
        class MyModelA(LlamaA):
            def __init__(self):
                {call}
        """
    assert [code for code, _, _ in judge(flatten, parent, child)] == codes


@pytest.mark.parametrize("name", ["__init__", "f"])
@pytest.mark.parametrize(
    "body", ["self.a = 1", "self.post_init()", "super().__init__()"]
)
def test_an_override_without_parameters_is_compared(
    flatten, flatten_like_python, name, body
) -> None:
    parent = f"class LlamaA(Root):\n    def {name}(self):\n        {body}\n"
    child = (
        f"class MyModelA(LlamaA):\n    def {name}():\n        b = 1\n        super().{name}()\n"
        "        a = 1\n"
    )
    for convert in (flatten, flatten_like_python):
        found = judge(convert, parent, child)
        assert "MOD111" not in [code for code, _, _ in found]


@pytest.mark.parametrize(
    ("use", "name", "is_reported"),
    [("args[0]", "args", False), ("args", "args", True), ("args", "others", False)],
)
def test_a_list_in_place_of_the_tuple_of_arguments_is_reported_where_it_is_used(
    flatten, use, name, is_reported
) -> None:
    parent = f"class LlamaA(Root):\n    def f(self, *args): self.a = {use}\n"
    child = f"""
        class MyModelA(LlamaA):
            def f(self, *args):
                {name} = [1, 2]
                super().f(*args)
        """
    codes = [code for code, _, _ in judge(flatten, parent, child)]
    assert codes == ["MOD417"] * is_reported
