"""Import statements read."""

import pytest

from modular.source.blocks import split
from modular.source.import_statements import (
    Alias,
    Import,
    find_imports,
    import_of,
    mentioned_modules,
)
from modular.source.scan import mask_text
from modular.source.source_slice import synthetic
from tests.support import source


def read(text: str) -> Import | None:
    return import_of(split(synthetic(text + "\n", "file.py", 1)).statements[0])


@pytest.mark.parametrize(
    ("text", "source", "names"),
    [
        ("from a import b", "a", ["b"]),
        ("from a.b.c import d, e as f", "a.b.c", ["d", "e as f"]),
        ("from . import a", ".", ["a"]),
        ("from ...a.b import c", "...a.b", ["c"]),
        ("from.a import b", ".a", ["b"]),
        ("from . . a . b import c", "..a.b", ["c"]),
        ("from .imports import important", ".imports", ["important"]),
        ("from importlib import resources", "importlib", ["resources"]),
        ("from a import*", "a", ["*"]),
        ("from a import(b)", "a", ["b"]),
        (
            "from a import (  # all\n    b,  # b\n    c as d,\n\n    # last\n)  # end",
            "a",
            ["b", "c as d"],
        ),
        ("from a \\\n    import b, \\\n    c", "a", ["b", "c"]),
        ("from größe import länge", "größe", ["länge"]),
        ("from a import b  # from c import d", "a", ["b"]),
    ],
)
def test_a_from_import_names_a_module_and_names(text, source, names):
    found = read(text)
    assert found.source == source
    assert [str(name) for name in found.names] == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import a", ["a"]),
        ("import a.b, c as d  # e", ["a.b", "c as d"]),
        ("import a.b \\\n    as c", ["a.b as c"]),
    ],
)
def test_a_plain_import_has_no_module(text, names):
    found = read(text)
    assert found.module is None
    assert [str(name) for name in found.names] == names


def test_dots_are_counted_apart_from_the_module():
    text = read("from ..a.b import c")
    assert (text.level, text.module) == (2, "a.b")
    text = read("from .. import c")
    assert (text.level, text.module) == (2, "")


def test_what_a_name_is_bound_to():
    assert Alias("a.b", None).bound == "a.b"
    assert Alias("a", "b").bound == "b"


@pytest.mark.parametrize("text", ["importance = 1", "from_ = 2", "import", "x"])
def test_other_statements_are_no_imports(text):
    assert read(text) is None


def test_rendering_some_of_the_names():
    found = read("# above\nfrom ..a import (\n    b,  # b\n    c as d,\n)  # behind")
    assert (
        found._replace(names=(Alias("c", "d"),)).render().text
        == "# above\nfrom ..a import c as d  # behind\n"
    )
    found = read("import a, b.c as d")
    assert found._replace(names=(Alias("a", None),)).render().text == "import a\n"


def test_imports_are_found_at_any_depth():
    text = source("""
        from a import b  # from c import d
        if e: import f; from .g import h
        importlib.reload(b)
        def i():
            from j import (
                k,  # l
                m as n,
            )
            return "from o import p"
        raise q from r
        """)
    found = [
        (import_.level, import_.module, [str(name) for name in import_.names])
        for import_ in find_imports(mask_text(text))
    ]
    assert found == [
        (0, "a", ["b"]),
        (0, None, ["f"]),
        (1, "g", ["h"]),
        (0, "j", ["k", "m as n"]),
    ]
    first, *_, last = find_imports(mask_text(text))
    assert text[first.start : first.end] == "from a import b"
    assert text[last.start : last.end].startswith("from j import (") and text[
        : last.end
    ].endswith(")")


def test_what_a_text_may_import_from():
    text = 'from a.b import (  # (\n    c\n)\nfrom \\\n    ..d.e import f\n"from .gg import h"\nimport ii\n'
    assert mentioned_modules(text) == {(0, "a.b"), (2, "d.e"), (1, "gg")}
