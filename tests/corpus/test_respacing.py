"""Tests of the writer of blanks."""

from tests.corpus.respacing import respaced


def test_a_file_is_respaced() -> None:
    text = 'from ..a import b\n@c.d(1)\nclass A(B):\n    x = [f"{a.b}", a.b[1](2)]\n    y = a.b  # fmt: skip\n'
    assert respaced(text).splitlines() == [
        "from  .  . a import b",
        "@c . d ( 1 )",
        "class A ( B ):",
        '    x = [ f"{a.b}", a . b [ 1 ] ( 2 ) ]',
        "    y = a.b  # fmt: skip",
    ]
