"""A block split into its statements."""

from textwrap import dedent

import pytest

from modular.source.blocks import Block, Kind, split
from modular.source.source_slice import synthetic


def block(text: str) -> Block:
    return split(synthetic(text, "file.py", 1))


def source(text: str) -> str:
    return dedent(text).removeprefix("\n")


def statements(text: str) -> list[str]:
    """Each statement of a block as it stands, with what is above it."""
    return [statement.code.text for statement in block(text).statements]


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("import a", Kind.IMPORT, ""),
        ("from a import b", Kind.IMPORT, ""),
        ("from.a import b", Kind.IMPORT, ""),
        ("class A: pass", Kind.CLASS, "A"),
        ("class A[T](B): pass", Kind.CLASS, "A"),
        ("def f(): pass", Kind.FUNCTION, "f"),
        ("async  def f(): pass", Kind.FUNCTION, "f"),
        ("@a\n@b(1)\ndef f(): pass", Kind.FUNCTION, "f"),
        ("@a  # why\n# between\n\nclass A: pass", Kind.CLASS, "A"),
        ("@a(\n    lambda: 1,\n)\nasync def f(): pass", Kind.FUNCTION, "f"),
        ("if a: pass", Kind.GUARD, ""),
        ("try: pass\nexcept A: pass", Kind.GUARD, ""),
        ("a = 1", Kind.ASSIGNMENT, "a"),
        ("a: int", Kind.ASSIGNMENT, "a"),
        ("a: int = 1", Kind.ASSIGNMENT, "a"),
        ("a = b = 1", Kind.ASSIGNMENT, "a"),
        ("a = \\\n    1", Kind.ASSIGNMENT, "a"),
        ("a = yield b", Kind.ASSIGNMENT, "a"),
        ("größe = 1", Kind.ASSIGNMENT, "größe"),
        ("match = 1", Kind.ASSIGNMENT, "match"),
        ("type = 1", Kind.ASSIGNMENT, "type"),
        ("type A = int", Kind.ASSIGNMENT, "A"),
        ("classes = 1", Kind.ASSIGNMENT, "classes"),
        ("a.b = 1", Kind.OTHER, ""),
        ('a["b"].c = 1', Kind.OTHER, ""),
        ("a[b == c] = 1", Kind.OTHER, ""),
        ("a.b: int = 1", Kind.OTHER, ""),
        ('"a"', Kind.STRING, ""),
        ('r"""a\nb"""', Kind.STRING, ""),
        ('"a" "b"', Kind.STRING, ""),
        ('b"a"', Kind.OTHER, ""),
        ('f"a"', Kind.OTHER, ""),
        ('"a".join(b)', Kind.OTHER, ""),
        ('"a" + b', Kind.OTHER, ""),
        ("a, b = 1, 2", Kind.OTHER, ""),
        ("a += 1", Kind.OTHER, ""),
        ("a.b += 1", Kind.OTHER, ""),
        ("a == 1", Kind.OTHER, ""),
        ("a.b == 1", Kind.OTHER, ""),
        ("(a := 1)", Kind.OTHER, ""),
        ("a(b=1)", Kind.OTHER, ""),
        ("a.b(c=1)", Kind.OTHER, ""),
        ("return a", Kind.OTHER, ""),
        ("assert a, b", Kind.OTHER, ""),
        ("lambda: a", Kind.OTHER, ""),
        ("for a in b: pass", Kind.OTHER, ""),
        ("with a as b: pass", Kind.OTHER, ""),
        ("match a:\n    case b: pass", Kind.OTHER, ""),
        ("while a: pass", Kind.OTHER, ""),
        ("pass", Kind.OTHER, ""),
        ("...", Kind.OTHER, ""),
    ],
)
def test_a_statement_has_a_kind_and_a_name(text, kind, name):
    (statement,) = block(text + "\n").statements
    assert (statement.kind, statement.name) == (kind, name)


def test_comments_and_blank_lines_above_belong_to_a_statement():
    text = source("""
        # one

        # two
        a = 1  # behind

        # three
        b = 2
        # the end
        """)
    assert statements(text) == [
        "# one\n\n# two\na = 1  # behind\n",
        "\n# three\nb = 2\n",
    ]
    assert block(text).footer.text == "# the end\n"
    first, second = block(text).statements
    assert (first.lead.text, first.bare_code.text, first.line) == (
        "# one\n\n# two\n",
        "a = 1  # behind\n",
        4,
    )
    assert (second.lead.text, second.bare_code.text, second.line) == (
        "\n# three\n",
        "b = 2\n",
        7,
    )


def test_comments_that_end_a_block_belong_to_it():
    text = source("""
        def f():
            return 1
            # inside

            # still inside
        # outside

        def g(): pass
            # inside too
        # the end
            # and on
        """)
    assert statements(text) == [
        "def f():\n    return 1\n    # inside\n\n    # still inside\n",
        "# outside\n\ndef g(): pass\n    # inside too\n",
    ]
    assert block(text).footer.text == "# the end\n    # and on\n"


def test_comments_of_any_indent_belong_to_one_statement():
    text = source("""
        def f():
        # at the margin
                # far inside
            return 1
          # less far
        a = 1
            # not of a block
        b = 2
        """)
    assert statements(text) == [
        "def f():\n# at the margin\n        # far inside\n    return 1\n  # less far\n",
        "a = 1\n",
        "    # not of a block\nb = 2\n",
    ]


def test_branches_belong_to_their_statement():
    text = source("""
        if a:
            b = 1
        # about else
        elif c: pass

        else:
            d = 1
        try:
            pass
        except A:
            pass
        else:
            pass
        finally:
            pass
        elsewhere = 1
        for a in b:
            pass
        else:
            pass
        """)
    assert [statement.splitlines()[0] for statement in statements(text)] == [
        "if a:",
        "try:",
        "elsewhere = 1",
        "for a in b:",
    ]
    assert "".join(statements(text)) == text


def test_lines_inside_brackets_begin_no_statement():
    text = source("""
        a = [
        1,  # (
        "(",
        ]
        b = 1 + \\
        2
        c = {
        }; d = (
        )
        e = f'''(
        {
        g}'''
        """)
    assert [statement.splitlines()[0] for statement in statements(text)] == [
        "a = [",
        "b = 1 + \\",
        "c = {",
        "d = (",
        "e = f'''(",
    ]


def test_semicolons_separate_statements():
    text = source("""
        # above
        a = 1; b = "x;y"; c(d)  # behind
        import e;
        if f: g = 1; h = 2
        """)
    assert statements(text) == [
        "# above\na = 1\n",
        'b = "x;y"\n',
        "c(d)  # behind\n",
        "import e \n",
        "if f: g = 1; h = 2\n",
    ]
    assert block(text).offsets == (0, 15, 26, 41, 51)
    assert [statement.line for statement in block(text).statements] == [2, 2, 2, 3, 4]


def test_statements_after_semicolons_get_the_indent_of_their_line():
    assert statements("    a = 1; b = 2\n    c = 3\n") == [
        "    a = 1\n",
        "    b = 2\n",
        "    c = 3\n",
    ]


def test_the_first_line_sets_the_depth():
    text = "\n    # above\n    a = 1\n\n    def f():\n        b = 1\n    c = 1\n"
    assert statements(text) == [
        "\n    # above\n    a = 1\n",
        "\n    def f():\n        b = 1\n",
        "    c = 1\n",
    ]


def test_blocks_can_be_indented_by_tabs():
    assert statements("\ta = 1\n\tif b:\n\t\tc = 1\n\td = 1\n") == [
        "\ta = 1\n",
        "\tif b:\n\t\tc = 1\n",
        "\td = 1\n",
    ]


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n"])
def test_a_text_without_code_is_a_footer(text):
    assert block(text).statements == ()
    assert block(text).footer.text == text


def test_a_definition_is_the_same_object_as_long_as_its_code_is() -> None:
    """An editor asks for all of a file at each key stroke: what was made of an unchanged method is not made again."""
    before = block("def first():\n    return 1\n\n\ndef second():\n    return 2\n")
    after = block("def first():\n    return 1\n\n\ndef second():\n    return 3\n")

    assert after.statements[0] is before.statements[0]
    assert after.statements[1] is not before.statements[1]


def test_the_same_definition_on_another_line_is_another_object() -> None:
    first = block("def first():\n    return 1\n").statements[0]
    moved = block("\ndef first():\n    return 1\n").statements[0]

    assert moved is not first
    assert moved.line == 2
