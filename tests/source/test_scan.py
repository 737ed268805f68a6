"""Code told from strings and comments."""

import pytest

from modular.source.scan import find_outside_brackets, mask_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Comments and escaped line ends are blank.
        ("x = 1  # why", "x = 1       "),
        ("#", " "),
        ("x = \\\n1", "x =   1"),
        ("# a \\\nx", "     \nx"),
        # Strings, with all quotes, prefixes and escapes.
        ("'a' + \"b\"", '""" + """'),
        ("'a#b'", '"""""'),
        (r"'a\'b' + c", '"""""" + c'),
        (r"r'a\'b' + c", 'r"""""" + c'),
        ("'' + \"\"", '"" + ""'),
        ("''''a'''", '""""""""'),
        ("'''a'b''c''' + d", '"""""""""""" + d'),
        ('"""a\nb""" + c', '""""""""" + c'),
        (r'"""a\"""b""" + c', '"""""""""""" + c'),
        ("'a\\\nb' + c", '"""""" + c'),
        ("Rb'x' + bR'x'", 'Rb""" + bR"""'),
        ("if'a'in x", 'if"""in x'),
        # A quote in a comment, a hash in a string.
        ("# it's\nx = 'a'", '      \nx = """'),
        ("x = '#'  # '", 'x = """     '),
    ],
)
def test_strings_and_comments_become_filler(text, expected):
    assert mask_text(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f'a{b}c'", "f''{b}''"),
        ("f'a{b}c' + d", "f''{b}'' + d"),
        ("F'{a}{b}'", "F'{a}{b}'"),
        ("f'{{a}}{b}'", "f''''''{b}'"),
        ("f'{a!r}'", "f'{a''}'"),
        ("f'{a:>10}'", "f'{a''''}'"),
        ("f'{a:{b}.{c}}'", "f'{a'{b}'{c}}'"),
        ("f'{a!r:{b}}'", "f'{a'''{b}}'"),
        ("f'{a=}'", "f'{a=}'"),
        ("f'{a == b}'", "f'{a == b}'"),
        ("f'{a != b}'", "f'{a != b}'"),
        ("f'{(lambda x: x)(1)}'", "f'{(lambda x: x)(1)}'"),
        ("f'{a[1:2]}'", "f'{a[1:2]}'"),
        ("f'{ {1: 2}[1] }'", "f'{ {1: 2}[1] }'"),
        ("f\"{a['b']}\"", 'f\'{a["""]}\''),
        ("rf'\\d{a}'", "rf'''{a}'"),
        ("fr'\\{a}'", "fr''{a}'"),
        ("f'\\'{a}' + b", "f'''{a}' + b"),
        ("f'\\N{DASH}{a}'", "f'''''''''{a}'"),
        ("f'''a\n'b'{c}'''", "f''''''''{c}'''"),
        ("f'''{\na}'''", "f'''{\na}'''"),
        ("b'{a}'", 'b"""""'),
        ("x_f'{a}'", 'x_f"""""'),
        ("t'a{b}'", "t''{b}'"),
    ],
)
def test_replacement_fields_of_fstrings_stay_code(text, expected):
    assert mask_text(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f'{a['b']}' + c", 'f\'{a["""]}\' + c'),
        ("f'{f'{f'{a}'}'}' + b", "f'{f'{f'{a}'}'}' + b"),
        ("f'{a['{']}' + b", 'f\'{a["""]}\' + b'),
        ("f'{'\\n'.join(a)}' + b", 'f\'{"""".join(a)}\' + b'),
        ("f'{a  # why }\n}' + b", "f'{a         \n}' + b"),
        ("f'{f'a{b:{c}}'}' + d", "f'{f''{b'{c}}'}' + d"),
    ],
)
def test_fstrings_as_of_python_3_12(text, expected):
    assert mask_text(text) == expected


@pytest.mark.parametrize(
    "text", ["'a", '"""a\nb', "f'{a", "f'a", "f'{a:", "f'{'a", "{'", "\\", "f'''{a!"]
)
def test_a_mask_is_as_long_as_its_text_even_if_that_is_broken(text):
    assert len(mask_text(text)) == len(text)
    assert len(mask_text(text + "\nx = 1\n")) == len(text) + 7


def test_line_ends_of_code_stay():
    text = 'def f():  # one\n    """Two\n    lines."""\n    return 1\n'
    assert mask_text(text) == "def f():       \n    " + '"' * 20 + "\n    return 1\n"


@pytest.mark.parametrize(
    ("text", "offsets"),
    [("a = b", [2]), ("f(a=[b == c])[d] = e = 1", [17, 21]), ("f(a=1)", []), ("a", [])],
)
def test_a_character_is_found_outside_of_brackets(
    text: str, offsets: list[int]
) -> None:
    assert list(find_outside_brackets(text, "=", 0)) == offsets


def test_brackets_before_the_start_do_not_count() -> None:
    assert list(find_outside_brackets("f(a, b", ",", 2)) == [3]
