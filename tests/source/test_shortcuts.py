"""What patterns tell of the usual forms of bases and targets is what LibCST tells of them."""

import libcst as cst
from hypothesis import given
from hypothesis import strategies as st

from modular.source.assignments import assigned_target
from modular.source.blocks import Statement, split
from modular.source.definition_view import view_definition
from modular.source.source_slice import synthetic
from modular.source.trees import node_text


NAMES = st.sampled_from(("a", "_9", "Base", "None", "élan", "x1"))
BLANKS = st.sampled_from(("", "", "", " ", "\t", "  "))
DOTTED = st.builds(
    lambda names, blank: f"{blank}.{blank}".join(names),
    st.lists(NAMES, min_size=1, max_size=3),
    BLANKS,
)
OTHER = st.sampled_from(
    ("a[0]", "(a)", "a if b else c", "f(a=1)", "*a", "a or b", "a.b[c]")
)


def parsed(text: str) -> cst.CSTNode | None:
    try:
        return cst.parse_module(text).body[0]
    except cst.ParserSyntaxError:
        return None


def statement_of(text: str) -> Statement:
    return split(synthetic(text, "file.py", 1)).statements[0]


@given(st.lists(DOTTED | OTHER, unique=True, max_size=3), BLANKS, st.booleans())
def test_the_bases_of_a_class(bases: list[str], blank: str, are_several: bool) -> None:
    text = f"class A{blank}({f',{blank}'.join(bases)}{',' * (are_several and bool(bases))}):\n    pass\n"
    if (node := parsed(text)) is not None:
        expected = [
            f"{base.star}{node_text(base.value)}"
            for base in cst.ensure_type(node, cst.ClassDef).bases
        ]
        assert list(view_definition(statement_of(text)).bases) == list(
            dict.fromkeys(expected)
        )


@given(DOTTED, BLANKS)
def test_the_target_of_an_assignment(target: str, blank: str) -> None:
    text = f"{target}{blank}= b == c\n"
    if parsed(text) is not None:
        found = assigned_target(statement_of(text))
        assert found is not None and (found.text, found.annotated) == (
            "".join(target.split()),
            False,
        )
