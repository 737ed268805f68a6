"""Classes and functions taken apart."""

from dataclasses import replace

import libcst as cst
import pytest

from modular.source.blocks import split
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.source_slice import synthetic
from modular.source.unreadable import UnreadableError


def parts(text: str) -> DefinitionView:
    return view_definition(split(synthetic(text, "file.py", 1)).statements[0])


def test_a_function_is_split_into_its_parts():
    pieces = parts(
        "# above\n\n@one\n# between\n@two(a=1)  # two\nasync def f(\n    self, a: dict[str, int] = {1: 2}, *,  # why\n"
        "    b=lambda x: x\n) -> tuple[int, str]:  # behind\n    # first\n    return a\n    # last\n"
    )
    assert pieces.name == "f"
    assert pieces.lead.text == "# above\n\n"
    assert pieces.decorators.text == "@one\n# between\n@two(a=1)  # two\n"
    assert pieces.header.text.startswith("async def f(\n    self,")
    assert pieces.header.text.endswith(") -> tuple[int, str]:  # behind\n")
    assert pieces.is_async
    assert pieces.decorator_names == ["one", "two"]
    assert [statement.code.text for statement in pieces.body.statements] == [
        "    # first\n    return a\n"
    ]
    assert pieces.body.footer.text == "    # last\n"
    assert not pieces.is_inline


def test_an_inline_body_of_a_class_that_goes_by_another_name():
    """A parent's class is called as the modular file calls it, before its text is."""
    found = view_definition(
        replace(
            split(synthetic("class A(B): ...\n", "file.py", 1)).statements[0],
            name="MuchLonger",
        )
    )
    assert found.class_node.name.value == "A"
    assert [statement.bare_code.text for statement in found.body.statements] == [
        "    ...\n"
    ]


def test_a_class_is_split_into_its_parts():
    pieces = parts(
        'class A(B, c.D[E], metaclass=F):\n    """About it."""\n\n    x = 1\n'
    )
    assert pieces.name == "A"
    assert pieces.lead.text == pieces.decorators.text == ""
    assert pieces.bases == ("B", "c.D[E]")
    assert [statement.bare_code.text for statement in pieces.body.statements] == [
        '    """About it."""\n',
        "    x = 1\n",
    ]
    assert pieces.docstring is pieces.body.statements[0]


def test_a_class_may_have_no_bases():
    assert parts("class A: pass\n").bases == ()
    assert parts("class A(): pass\n").bases == ()


@pytest.mark.parametrize(
    ("text", "bases"),
    [
        ("class A[T](B): pass\n", ("B",)),
        ("class A[T: (int, str) = int](B, metaclass=C): pass\n", ("B",)),
        ("class A(B[T], *C, **D): pass\n", ("B[T]", "*C")),
        ("class A(  # why\n    B,  # first\n    c . D,\n): pass\n", ("B", "c.D")),
        ("class A(B if C == 1 else D): pass\n", ("B if C == 1 else D",)),
        ("class A((B), c.D, B, metaclass=C, **D): pass\n", ("B", "c.D")),
        ("class A(*B):  # (C)\n    pass\n", ("*B",)),
        ("class A(\ufb01t): pass\n", ("\ufb01t",)),  # a ligature, which is no `fi`
    ],
)
def test_bases_are_those_in_the_header(text, bases):
    """As written but for blanks around dots, wherever the body stands."""
    assert (
        parts(text).bases == parts(text.replace(": pass", ":\n    pass")).bases == bases
    )


def test_a_class_may_have_type_parameters():
    found = parts("class A[T](B):\n    pass\n").type_parameters
    assert [parameter.param.name.value for parameter in found.params] == ["T"]
    assert parts("class A(B):\n    pass\n").type_parameters is None


@pytest.mark.parametrize(
    ("decorators", "names"),
    [
        ("@a\n", ["a"]),
        ("@ a . b(c)\n# between\n@d\n", ["a.b", "d"]),
        ("@a(\n    b\n    @ c\n)\n", ["a"]),
        ("@a[b](c)\n", ["a[b]"]),
    ],
)
def test_decorators_are_named_without_their_arguments(decorators, names):
    pieces = parts(f"{decorators}def f(): pass\n")
    assert pieces.decorators.text == decorators
    assert pieces.decorator_names == names


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("", ()),
        ("self, a: int = 1, /, b=(1, 2), *, c", ("self", "a", "b", "*", "c")),
        (
            "self, *args: int, c=lambda x: x, **kwargs: int",
            ("self", "*args", "c", "**kwargs"),
        ),
    ],
)
def test_parameters_are_named_with_their_stars(written, names):
    assert parts(f"def f({written}): pass\n").parameters == names
    method = (
        f"    @wrap(lambda z: z)\n    async def f[T]({written}):  # why\n        pass\n"
    )
    assert parts(method).parameters == names


def test_a_header_that_cannot_be_read_has_no_parameters():
    with pytest.raises(UnreadableError):
        _ = parts("def f(a b): pass\n").parameters


def test_only_the_changed_part_of_a_header_is_new():
    """Only the header is made anew, and only where it was changed."""
    pieces = parts(
        "class A:\n    @a\n    # why\n    def f(\n        self, *, b = 1,  # one\n    ) :  # two\n        pass\n"
    )
    method = view_definition(pieces.body.statements[0])
    changed = method.function_node.with_changes(name=cst.Name("g"))
    assert (
        method.changed_function_header(changed).text
        == "    def g(\n        self, *, b = 1,  # one\n    ) :  # two\n"
    )


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("class A: x = 1; y = 2  # two\n", ["    x = 1\n", "    y = 2  # two\n"]),
        ("class A(B):  pass\n", ["    pass\n"]),
        ("def f(a: int = 1) -> int: return {a: 1}[a]\n", ["    return {a: 1}[a]\n"]),
        ("class A: pass\n    # last\n", ["    pass\n"]),
        (
            "@a(b={1: 2})\ndef f(a: {1: 2} = lambda: 1) -> b[1:2]: return a[1:2]\n",
            ["    return a[1:2]\n"],
        ),
    ],
)
def test_a_body_on_the_headers_line(text, body):
    pieces = parts(text)
    assert pieces.is_inline
    assert [statement.code.text for statement in pieces.body.statements] == body


def test_a_deeper_body_on_the_headers_line():
    inner = parts("class A:\n    @a\n    def f(self): return 1\n").body.statements[0]
    assert [
        statement.code.text for statement in view_definition(inner).body.statements
    ] == ["        return 1\n"]


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
