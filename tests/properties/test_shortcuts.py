"""The short cuts around LibCST give what its parser gives."""

import libcst as cst
from hypothesis import given
from hypothesis import strategies as st

from modular.source import shortcuts
from modular.source.blocks import Statement, split
from modular.source.code import Code, generated


NAMES = st.sampled_from(("a", "_9", "Base", "match", "None", "lambda", "élan", "x1", "1", ""))
BLANKS = st.sampled_from(("", "", "", " ", "\t", "  "))
DOTTED = st.builds(
    lambda names, blank: f"{blank}.{blank}".join(names), st.lists(NAMES, min_size=1, max_size=3), BLANKS
)
EXPRESSIONS = st.recursive(
    DOTTED | st.sampled_from(("1", '"a = b"', 'f"{a}"', "lambda: 0", "*a", "yield", "a := 1")),
    lambda inner: st.builds(
        lambda form, one, two: form.format(one, two),
        st.sampled_from(
            ("({})", "{}[{}]", "{}({})", "{}, {}", "{} + {}", "[{}, {}]", "f({}={})", "{} if {} else 0", "({},)")
        ),
        inner,
        inner,
    ),
    max_leaves=4,
)


def parsed(text: str) -> cst.Module | None:
    try:
        return cst.parse_module(text)
    except cst.ParserSyntaxError:
        return None


def code_of(text: str) -> Code:
    return generated(text, "file.py", 1)


def statement_of(text: str) -> Statement:
    return split(code_of(text)).statements[0]


@given(EXPRESSIONS)
def test_an_expression(text: str) -> None:
    code = code_of(text.strip())
    found = shortcuts.expression(code.text)
    try:
        expected = cst.parse_expression(code.text)
    except cst.ParserSyntaxError:
        assert found is None
    else:
        assert found is not None and found.deep_equals(expected)


@given(st.lists(EXPRESSIONS | st.builds("{}={}".format, NAMES, EXPRESSIONS), max_size=3), BLANKS, st.booleans())
def test_the_bases_of_a_class(written: list[str], blank: str, are_several: bool) -> None:
    text = f"class A{blank}({f',{blank}'.join(written)}{',' * (are_several and bool(written))}):\n    pass\n"
    module = parsed(text)
    found = shortcuts.arguments(statement_of(text))
    if module is not None and found is not None:
        node = cst.ensure_type(module.body[0], cst.ClassDef)
        plain = [
            (argument.star, argument.keyword and argument.keyword.value, module.code_for_node(argument.value))
            for argument in (*node.bases, *node.keywords)
        ]
        told = [
            (argument.star, argument.keyword and argument.keyword.value, module.code_for_node(argument.value))
            for argument in found
        ]
        assert sorted(told, key=str) == sorted(plain, key=str)


@given(EXPRESSIONS, st.sampled_from(("", ": int", ": dict[a, b]")), st.lists(EXPRESSIONS, max_size=2), BLANKS)
def test_the_target_of_an_assignment(target: str, annotation: str, values: list[str], blank: str) -> None:
    text = f"{blank}=".join([f"{target}{annotation}{blank}", *values]).strip() + "\n"
    module = parsed(text)
    found = shortcuts.target(code_of(text))
    if module is not None and found is not None:
        (line,) = cst.ensure_type(module.body[0], cst.SimpleStatementLine).body
        assert found.deep_equals(cst.ensure_type(line, cst.Assign).targets[0].target)


def test_what_is_told_without_the_value() -> None:
    for text in (
        "a = [1, 2]\n",
        "a.b [c = 1] = 2\n",
        "(a, b) = c = d\n",
        "a: int = 1\n",
        "f(a=1)\n",
        "a == b\n",
        "a += 1\n",
    ):
        found = shortcuts.target(code_of(text))
        assert (None if found is None else cst.Module([]).code_for_node(found)) == {
            "a = [1, 2]\n": "a",
            "(a, b) = c = d\n": "(a, b)",
        }.get(text)
