"""Characters that would control a terminal are replaced."""

from modular.system.printable import clean, one_line


def test_what_is_kept() -> None:
    text = "é\t模型 \N{FAMILY}\N{ZERO WIDTH JOINER}x\N{NO-BREAK SPACE}\r\n\r\n::\n"
    assert clean(text) == text
    assert clean("a\rb\r\n") == "a\N{REPLACEMENT CHARACTER}b\r\n"
    assert one_line("a\nb\tc") == "a\N{REPLACEMENT CHARACTER}b\tc"
