"""The classes and functions that a search finds."""

from modular.review.symbols import (
    FileSymbols,
    Symbol,
    find_symbols,
    symbols_script,
)


def test_classes_and_functions_have_the_lines_of_their_headers() -> None:
    text = (
        "import x\n\n\n# A wing.\n@x.wrap\nclass OwlWing:\n    def beat(self):\n"
        "        pass\n\n\nasync def fly():\n    pass\n\n\nSIZE = 1\n"
    )
    assert find_symbols("owl.py", text) == (Symbol("OwlWing", 6), Symbol("fly", 11))


def test_the_list_is_a_script() -> None:
    files = [
        FileSymbols("m/a.py", "models/a.html#L", ()),
        FileSymbols("m/b.py", "models/b.html#L", (Symbol("B", 2), Symbol("f", 7))),
    ]
    assert symbols_script(files) == (
        '"use strict";\nconst SYMBOLS = [["a.py","models/a.html#L"],'
        '["b.py","models/b.html#L","B",2,"f",7]];\n'
    )


def test_names_of_strangers_are_strings_in_the_script() -> None:
    file = FileSymbols('a"];alert(1);.py', "x#L", (Symbol("é\u2028", 1),))
    script = symbols_script([file])
    assert '[["a\\"];alert(1);.py","x#L","\\u00e9\\u2028",1]]' in script
