"""Source files read."""

import pytest

from modular.source.blocks import Kind
from modular.source.definitions import find_definitions
from modular.source.loading import load, syntax_problem
from modular.source.module import lines_with_ends, normalize_text, read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\r\nb\r\n", "a\nb\n"),
        ("a\rb", "a\nb\n"),
        ("a\n\r\nb", "a\n\nb\n"),
        ("\ufeffa\n", "a\n"),
        ("a", "a\n"),
        ("", "\n"),
    ],
)
def test_line_ends_and_byte_order_marks_are_normalized(text, expected):
    assert normalize_text(text) == expected


def test_a_form_feed_below_a_backslash_does_not_join_lines():
    module = read("file.py", "\\\n\fx = 1\ny = (1 +\n \\\n\f 2)\n")
    assert module.code.text == "\\\n x = 1\ny = (1 +\n \\\n  2)\n"


def test_form_feeds_are_removed_from_code():
    module = read("file.py", '\f\na = 1\n\fb\f= "\f"\nclass C:\n    \f    d = 1\n')
    assert module.code.text == '\na = 1\nb = "\f"\nclass C:\n    d = 1\n'
    assert [statement.name for statement in module.block.statements] == ["a", "b", "C"]


def test_the_header_ends_where_the_first_statement_begins():
    module = read("file.py", "# Copyright\n\n# More\n\n\nimport a\n# about b\nb = 1\n")
    assert module.header.text == "# Copyright\n\n# More\n\n\n"
    assert [statement.code.text for statement in module.block.statements] == [
        "import a\n",
        "# about b\nb = 1\n",
    ]


def test_a_docstring_is_no_part_of_the_header():
    module = read("file.py", '# Copyright\n"""About it."""\nimport a\n')
    assert module.header.text == "# Copyright\n"
    assert [statement.kind for statement in module.block.statements] == [
        Kind.STRING,
        Kind.IMPORT,
    ]


def test_statements_know_where_they_begin():
    text = "# head\n\na = 1; b = 2\n\n\ndef f():\n    pass\n"
    module = read("file.py", text)
    for offset, statement in module.statements_with_offsets():
        assert text[offset:].startswith(statement.code.text.rstrip("\n"))
    assert [offset for offset, _ in module.statements_with_offsets()] == [8, 15, 21]


def test_definitions_are_found_by_kind_and_name():
    defined = find_definitions(
        read(
            "file.py",
            "A = 1\nA['x'] = 2\nA.y = 3\nB: int\nc, d = 1, 2\ndef f(): pass\nclass G: pass\nimport h\nif i: J = 1\nA = 4\n",
        )
    )
    assert list(defined.assignments) == ["A", "A['x'] = 2\n", "A.y = 3\n", "B"]
    assert defined.items == {"A": ["A['x'] = 2\n", "A.y = 3\n"]}
    assert list(defined.functions) == ["f"]
    assert list(defined.classes) == ["G"]
    assert defined.assignments["A"].original.line == 10
    assert defined.functions["f"].words == {"def", "f", "pass"}


def test_files_that_cannot_be_read_have_a_problem(tmp_path):
    (tmp_path / "good.py").write_bytes("größe = 1\r\n".encode())
    (tmp_path / "bad.py").write_bytes(b"x = 1\ny = '\xe4'\n")
    good = load(tmp_path / "good.py", "good.py")
    assert (good.text, good.problem, good.newline) == ("größe = 1\n", None, "\r\n")
    bad = load(tmp_path / "bad.py", "bad.py").problem
    assert (bad.code.id, bad.place.path, bad.place.line, bad.place.column) == (
        "MOD102",
        "bad.py",
        2,
        6,
    )
    assert load(tmp_path / "missing.py", "missing.py").problem.code.id == "MOD103"
    assert load(tmp_path, "a folder").problem.code.id == "MOD103"


def test_a_syntax_error_quotes_its_line():
    assert syntax_problem("x = 1\n", "file.py") is None
    problem = syntax_problem("x = 1\ny = (2\n", "file.py")
    assert (problem.code.id, problem.place.line, problem.place.text) == (
        "MOD101",
        2,
        "y = (2",
    )


@pytest.mark.parametrize(
    "text", ["class A[T]: pass\n", "type A = int\n", "x = f'{a['b']}'\n"]
)
def test_newer_syntax_is_accepted(text):
    assert syntax_problem(text, "file.py") is None


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_keep_their_ends_and_end_nowhere_else(end: str) -> None:
    lines = [f"# a\f\v\x1c\x1d\x1e\x85\u2028\u2029b{end}", end, "last"]
    assert lines_with_ends("".join(lines)) == lines
