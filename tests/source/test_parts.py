"""Classes and functions taken apart."""

import pytest

from modular.source.blocks import split
from modular.source.code import generated
from modular.source.parts import Parts, closing_bracket, header_and_body, split_arguments, take_apart


def parts(text: str) -> Parts:
    return take_apart(split(generated(text, "file.py", 1)).statements[0])


def test_a_function():
    found = parts(
        "# above\n\n@one\n# between\n@two(a=1)  # two\nasync def f(\n    self, a: dict[str, int] = {1: 2}, *,  # why\n"
        "    b=lambda x: x\n) -> tuple[int, str]:  # behind\n    # first\n    return a\n    # last\n"
    )
    assert found.name == "f"
    assert found.lead.text == "# above\n\n"
    assert found.decorators.text == "@one\n# between\n@two(a=1)  # two\n"
    assert found.header.text.startswith("async def f(\n    self,")
    assert found.header.text.endswith(") -> tuple[int, str]:  # behind\n")
    assert found.arguments == ("self", "a: dict[str, int] = {1: 2}", "*", "b=lambda x: x")
    assert found.returns == "-> tuple[int, str]"
    assert [each.code.text for each in found.body.statements] == ["    # first\n    return a\n"]
    assert found.body.footer.text == "    # last\n"
    assert not found.is_inline


def test_a_class():
    found = parts('class A(B, c.D[E], metaclass=F):\n    """About it."""\n\n    x = 1\n')
    assert found.name == "A"
    assert found.lead.text == found.decorators.text == ""
    assert found.arguments == ("B", "c.D[E]", "metaclass=F")
    assert [each.own.text for each in found.body.statements] == ['    """About it."""\n', "    x = 1\n"]
    assert found.docstring is found.body.statements[0]


def test_a_class_without_bases():
    assert parts("class A: pass\n").arguments == ()
    assert parts("class A(): pass\n").arguments == ()


@pytest.mark.parametrize(
    ("text", "parameters", "arguments"),
    [
        ("class A[T]: pass\n", "[T]", ()),
        ("class A[T: (int, str) = int](B): pass\n", "[T: (int, str) = int]", ("B",)),
        ("def f[*Ts](a): pass\n", "[*Ts]", ("a",)),
        ("class A(B[T]): pass\n", "", ("B[T]",)),
    ],
)
def test_type_parameters(text, parameters, arguments):
    assert parts(text).type_parameters == parameters
    assert parts(text).arguments == arguments


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("class A: x = 1; y = 2  # two\n", ["    x = 1\n", "    y = 2  # two\n"]),
        ("class A(B):  pass\n", ["    pass\n"]),
        ("def f(a: int = 1) -> int: return {a: 1}[a]\n", ["    return {a: 1}[a]\n"]),
        ("class A: pass\n    # last\n", ["    pass\n"]),
    ],
)
def test_a_body_on_the_headers_line(text, body):
    found = parts(text)
    assert found.is_inline
    assert [each.code.text for each in found.body.statements] == body


def test_a_deeper_body_on_the_headers_line():
    inner = parts("class A:\n    @a\n    def f(self): return 1\n").body.statements[0]
    assert [each.code.text for each in take_apart(inner).body.statements] == ["        return 1\n"]


def test_a_comment_behind_a_header_is_no_body():
    assert not parts("class A:  # pass\n    x = 1\n").is_inline


@pytest.mark.parametrize(
    ("text", "docstring"),
    [
        ('def f():\n    "one"\n    "two"\n', '    "one"\n'),
        ('def f():\n    x = 1\n    "two"\n', None),
        ('class A:\n    x = 1\n    "two"\n    "three"\n', '    "two"\n'),
        ("class A:\n    x = 'no'\n", None),
    ],
)
def test_docstrings(text, docstring):
    found = parts(text).docstring
    assert (found and found.code.text) == docstring


def test_headers_and_bodies_of_branches():
    header, body = header_and_body(generated("# above\nif a[1:2]:  # why\n    b = 1\n", "file.py", 1), 8)
    assert header.text == "# above\nif a[1:2]:  # why\n"
    assert [each.code.text for each in body.statements] == ["    b = 1\n"]
    header, body = header_and_body(generated("else: b = 1; c = 2\n", "file.py", 1), 0)
    assert header.text == "else:\n"
    assert [each.code.text for each in body.statements] == ["    b = 1\n", "    c = 2\n"]


@pytest.mark.parametrize(("text", "end"), [("(a)", 2), ("([{}])(b)", 5), ("(a[)", 4), ("[", 1)])
def test_closing_brackets(text, end):
    assert closing_bracket(text, 0) == end


def test_arguments_are_split_at_their_own_commas():
    text = 'a, b[c, d], {e: f, g: h}, "i, j", '
    assert split_arguments(text, 'a, b[c, d], {e: f, g: h}, """""", ') == [
        "a",
        "b[c, d]",
        "{e: f, g: h}",
        '"i, j"',
        "",
    ]
