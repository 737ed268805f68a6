"""What statements do: the names they mention, their calls, uses of `super` and ends."""

import pytest

from modular.semantics.facts import (
    CodeFacts,
    OpaqueReason,
    ScopeKind,
    SuperForm,
    Usage,
    When,
)
from modular.semantics.statements import (
    facts_of,
    facts_of_text,
    find_names_read_at_once,
)
from modular.source.blocks import split
from modular.source.source_slice import synthetic


def usages(text: str, name: str = "x") -> list[str]:
    """The usages of a variable and its attributes, in order."""
    mentions = facts_of_text(text).mentions_of(name)
    return [f"{mention.dotted_name} {mention.usage.name}" for mention in mentions]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1", ["x ASSIGNED"]),
        ("y = x = 1", ["x ASSIGNED"]),
        ("(y, [*x]), z = w", ["x ASSIGNED"]),
        ("x += 1", ["x AUGMENTED"]),
        ("x: int", ["x DECLARED"]),
        ("x: int = 1", ["x ANNOTATED"]),
        ("f(x := 1)", ["x WALRUS"]),
        ("[(x := y) for y in z]", ["x WALRUS"]),
        ("for x.size in y: pass", ["x.size LOOP_TARGET"]),
        ("async def f():\n    async for x in y: pass", []),
        ("with y as (x, z): pass", ["x WITH_TARGET"]),
        ("try: pass\nexcept Error as x: pass", ["x CAUGHT", "x DELETED"]),
        ("match y:\n    case [1, *x]: pass", ["x MATCH_TARGET"]),
        ("match y:\n    case {'a': 1, **x}: pass", ["x MATCH_TARGET"]),
        ("match y:\n    case A(b=1 as x): pass", ["x MATCH_TARGET"]),
        ("import x.y", ["x IMPORTED"]),
        ("import y as x", ["x IMPORTED"]),
        ("from y import z as x", ["x IMPORTED"]),
        ("def x(): pass", ["x FUNCTION"]),
        ("class x: pass", ["x CLASS"]),
        ("del y, x", ["x DELETED"]),
        ("del x[0]", ["x CHANGED"]),
        ("x[0] = 1", ["x CHANGED"]),
        ("x.y[0].z = 1", ["x.y CHANGED"]),
        ("x.f()[0].z = 1", ["x.f CALLED", "x CHANGED"]),
        ("x()[0] = 1", ["x CALLED"]),
        ("x.y[0] += 1", ["x.y SUBSCRIPTED", "x.y CHANGED"]),
    ],
)
def test_each_kind_of_binding_is_found(text: str, expected: list[str]) -> None:
    assert usages(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x()", ["x CALLED"]),
        ("x.y.append(1)", ["x.y.append CALLED"]),
        ("f(x)", ["x PASSED"]),
        ("f(a=x.y)", ["x.y PASSED"]),
        ("f(*x, **x)", ["x UNPACKED", "x UNPACKED"]),
        ("y = x", ["x ALIASED"]),
        ("y = z or x", ["x ALIASED"]),
        ("y = x if z else 1", ["x ALIASED"]),
        ("y = x, 1", ["x STORED"]),
        ("y = {1: x, **x}", ["x STORED", "x UNPACKED"]),
        ("def f(y=x): pass", ["x STORED"]),
        ("return x", ["x RETURNED"]),
        ("yield x", ["x YIELDED"]),
        ("yield from x", ["x ITERATED"]),
        ("x + 1", ["x OPERAND"]),
        ("x < 1", ["x OPERAND"]),
        ("x is None", ["x IDENTITY"]),
        ("x[0]", ["x SUBSCRIPTED"]),
        ("y[x]", ["x SUBSCRIPT"]),
        ("for y in x: pass", ["x ITERATED"]),
        ("[y for y in x]", ["x ITERATED"]),
        ("with x: pass", ["x ENTERED"]),
        ("f'{x!r:{x}}'", ["x FORMATTED", "x FORMATTED"]),
        ("if x: pass", ["x TESTED"]),
        ("not x", ["x TESTED"]),
        ("raise x from x", ["x RAISED", "x RAISED"]),
        ("match x:\n    case 1: pass", ["x MATCHED"]),
        ("@x\ndef f(): pass", ["x DECORATOR"]),
        ("class A(x, key=x): pass", ["x BASE", "x BASE"]),
        ("x", ["x IGNORED"]),
    ],
)
def test_each_use_of_a_value_is_told_apart(text: str, expected: list[str]) -> None:
    assert usages(text) == expected


@pytest.mark.parametrize(
    "text", ["nn.register(self)", "nn.register([1, self])", "nn.register(a={1: self})"]
)
def test_the_function_to_which_a_value_is_passed_is_known(text: str) -> None:
    (mention,) = facts_of_text(text).mentions_of("self")
    assert mention.passed_to == "nn.register"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("getattr(x, 'size')", ["x.size IGNORED"]),
        ("y = getattr(x.y, 'size', 1)", ["x.y.size ALIASED"]),
        ("hasattr(x, 'size')", ["x.size TESTED"]),
        ("setattr(x, 'size', 1)", ["x.size ASSIGNED"]),
        ("delattr(x, 'size')", ["x.size DELETED"]),
        ("setattr(x, name, 1)", ["x PASSED"]),
    ],
)
def test_attributes_in_strings_are_attributes(text: str, expected: list[str]) -> None:
    assert usages(text) == expected


def names(facts: CodeFacts, when: When) -> set[str]:
    return {item.name for item in facts.mentions if item.when is when}


def test_a_generator_reads_names_when_somebody_iterates_over_it() -> None:
    facts = facts_of_text("f(a + b for a in c)")
    assert names(facts, When.ITERATED) == {"b"}
    assert facts.variables_read_at_once == {"b", "c", "f"}
    assert facts.variables_read_later == {"b"}


@pytest.mark.parametrize(
    ("text", "now", "later"),
    [
        ("def f(a=b): return a + c", {"b", "f"}, {"c"}),
        ("f = lambda a=b: a + c", {"b", "f"}, {"c"}),
        ("f = [a + b for a in c if d]", {"b", "c", "d", "f"}, set()),
        ("f = tuple(a + b for a in c)", {"b", "c", "f", "tuple"}, set()),
        ("[a for a in a]", {"a"}, set()),
        ("class A(b):\n    c = d\n    e = c", {"A", "b", "d"}, set()),
        ("class A:\n    c = c", {"A", "c"}, set()),
        ("class A:\n    c = 1\n    def f(self): return c", {"A"}, {"c"}),
        ("def f():\n    nonlocal a\n    a = 1", {"f"}, {"a"}),
        ("def f():\n    global a\n    a = 1", {"f"}, {"a"}),
        ("def f():\n    def g(): return a\n    a = 1", {"f"}, set()),
        ("def f():\n    import a\n    for b in c: a.d(b)", {"f"}, {"c"}),
    ],
)
def test_nested_functions_read_names_later_and_hide_their_own(
    text: str, now: set[str], later: set[str]
) -> None:
    facts = facts_of_text(text)
    assert names(facts, When.NOW) == now
    assert names(facts, When.LATER) == later


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x: list[int]", {"list", "int"}),
        ("def f(a: b | None) -> c: pass", {"b", "c"}),
        ("x: 'list[Cache]'", {"list", "Cache"}),
        ("x: Literal['Cache']", {"Literal"}),
        ("x: 'Literal[\"a\"] | Cache'", {"Literal", "Cache"}),
        ("x: 'no type, but text'", set()),
    ],
)
def test_names_in_annotations_count_in_quotes_too(
    text: str, expected: set[str]
) -> None:
    facts = facts_of_text(text)
    unquoted = names(facts, When.ANNOTATION)
    assert unquoted | names(facts, When.QUOTED) == expected


@pytest.mark.parametrize(
    ("text", "is_conditional"),
    [
        ("x", False),
        ("if a: x", True),
        ("if a: pass\nelif b: pass\nelse: x", True),
        ("for a in b: x", True),
        ("while x: pass", False),
        ("with a: x", False),
        ("try: x\nexcept E: pass", True),
        ("try: pass\nfinally: x", False),
        ("a or x", True),
        ("x or a", False),
        ("a if x else b", False),
        ("x if a else b", True),
        ("f(x if a else b)", True),
        ("[x for a in b]", True),
    ],
)
def test_code_that_may_be_skipped_is_conditional(
    text: str, is_conditional: bool
) -> None:
    (mention,) = facts_of_text(text).mentions_of("x")
    assert mention.is_conditional is is_conditional


@pytest.mark.parametrize(
    ("text", "form", "method", "arguments", "result"),
    [
        ("super().f(x)", SuperForm.CALL, "f", (), Usage.IGNORED),
        ("return super().f(x)", SuperForm.CALL, "f", (), Usage.RETURNED),
        ("y = super().f(x)", SuperForm.CALL, "f", (), Usage.ALIASED),
        ("y = super().f(x) + 1", SuperForm.CALL, "f", (), Usage.OPERAND),
        ("super(A, self).f()", SuperForm.CALL, "f", ("A", "self"), Usage.IGNORED),
        (
            "super(type(self), self).f()",
            SuperForm.CALL,
            "f",
            ("", "self"),
            Usage.IGNORED,
        ),
        ("f = super().f", SuperForm.ATTRIBUTE, "f", (), Usage.ALIASED),
        ("parent = super()", SuperForm.OBJECT, "", (), Usage.ALIASED),
        ("getattr(super(), 'f')", SuperForm.OBJECT, "", (), Usage.PASSED),
        ("f(super)", SuperForm.FUNCTION, "", (), Usage.PASSED),
    ],
)
def test_each_form_of_super_is_told_apart(
    text: str,
    form: SuperForm,
    method: str,
    arguments: tuple[str, ...],
    result: Usage,
) -> None:
    (use,) = facts_of_text(text).super_uses
    assert (use.form, use.method, use.super_arguments) == (form, method, arguments)
    assert use.result is result


def test_super_in_a_nested_function_is_used_later() -> None:
    (use,) = facts_of_text("def f():\n    super().f(x)").super_uses
    assert use.when is When.LATER
    assert use.line == 2


def test_calls_have_their_arguments() -> None:
    (call,) = facts_of_text("self.f(x.y, 'size', *a, n=1, **k)").calls
    assert call.function == "self.f"
    assert [(item.keyword, item.stars, item.name) for item in call.arguments] == [
        ("", "", "x.y"),
        ("", "", ""),
        ("", "*", "a"),
        ("n", "", ""),
        ("", "**", "k"),
    ]
    assert call.arguments[1].string == "size"


def test_a_lambda_that_is_called_at_once_reads_names_at_once() -> None:
    facts = facts_of_text("(lambda a: a + x)(1)")
    assert names(facts, When.NOW) == {"x"}
    # Its result is not what the code itself returns.
    (use,) = facts_of_text("return (lambda: super(A, self).f())()").super_uses
    assert use.result is Usage.OPERAND


def test_a_call_of_a_nested_functions_variable_has_no_name_outside() -> None:
    (call,) = facts_of_text("def f(a):\n    a(a, b)").calls
    assert call.function == ""
    assert [argument.name for argument in call.arguments] == ["", "b"]
    assert call.when is When.LATER


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("LAYERS[kind](x)", "LAYERS"),
        ("self.layers[0](x)", "self.layers"),
        ("LAYERS(x)", ""),
        ("layers()[0](x)", ""),
        ("def f(layers):\n    layers[0](x)", ""),
        ("def f(other):\n    LAYERS[0](x)", "LAYERS"),
    ],
)
def test_a_call_knows_the_table_of_its_function(text: str, table: str) -> None:
    assert facts_of_text(text).calls[-1].table == table


def test_nested_scopes_tell_their_variables() -> None:
    inner, outer = facts_of_text("def f(a):\n    return lambda b: a + b + c").scopes
    assert (inner.kind, inner.depth, outer.kind) == (
        ScopeKind.LAMBDA,
        1,
        ScopeKind.FUNCTION,
    )
    assert (inner.variables, outer.variables) == ({"b"}, {"a"})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x = locals()", OpaqueReason.NAMESPACE),
        ("sys._getframe()", OpaqueReason.FRAME),
        ("exec(text)", OpaqueReason.NAMESPACE),
        ("setattr(self, name, 1)", OpaqueReason.DYNAMIC_ATTRIBUTE),
        ("object.__setattr__(self, 'x', 1)", OpaqueReason.DYNAMIC_ATTRIBUTE),
        ("self.__dict__.update(x)", OpaqueReason.ATTRIBUTE_TABLE),
        ("from a import *", OpaqueReason.STAR_IMPORT),
        ("x = = 1", OpaqueReason.UNREADABLE),
    ],
)
def test_code_with_unknown_effects_is_opaque(text: str, reason: OpaqueReason) -> None:
    assert [item.reason for item in facts_of_text(text).opaque] == [reason]


def test_an_evaluated_model_is_not_opaque() -> None:
    assert facts_of_text("self.model.eval()").opaque == ()


def test_the_flow_of_nested_functions_is_not_that_of_the_code() -> None:
    flow = facts_of_text("def f():\n    yield 1\n    await x\n    return 2").flow
    assert (flow.returns, flow.yields, flow.awaits) == ((), False, False)


def test_the_flow_counts_returns() -> None:
    flow = facts_of_text("if a: return 1\nfor b in c: break").flow
    assert len(flow.returns) == 1


@pytest.mark.parametrize(
    ("text", "count"),
    [("return a, b", 2), ("return ()", 0), ("return a", None), ("return a, *b", None)],
)
def test_the_number_of_returned_items_is_known_of_tuples(
    text: str, count: int | None
) -> None:
    (return_,) = facts_of_text(text).flow.returns
    assert return_.item_count == count


@pytest.mark.parametrize(
    ("text", "is_none", "is_super_call"),
    [
        ("return", True, False),
        ("return(None)", True, False),
        ("return None or x", False, False),
        ("return super(A, self).f(x)", False, True),
        ("return super().f(x).size", False, False),
    ],
)
def test_a_return_tells_whether_it_has_a_value(
    text: str, is_none: bool, is_super_call: bool
) -> None:
    (return_,) = facts_of_text(text).flow.returns
    assert (return_.is_none, return_.is_super_call) == (is_none, is_super_call)


def test_lines_count_from_the_statement_also_if_it_is_indented() -> None:
    text = "    # comment\n    f(\n        x\n    )\n"
    (statement,) = split(synthetic(text, "modular_olmo.py", 8)).statements
    (mention,) = facts_of(statement).mentions_of("x")
    assert mention.line == 2


def test_values_are_read_before_targets() -> None:
    assert usages("x.a = x.a * 2") == ["x.a OPERAND", "x.a ASSIGNED"]


def test_deeply_nested_code_is_read_without_recursion() -> None:
    assert facts_of_text("x = " + "+".join(["y"] * 900)).names == {"x", "y"}
    chain = "if a: x\n" + "elif a: x\n" * 400
    assert len(usages(chain)) == 401


@pytest.mark.parametrize(
    "text", ["f().size", "(a or b).size.x", "f().size = 1", "a[0].size"]
)
def test_attributes_of_other_expressions_are_known(text: str) -> None:
    assert "size" in facts_of_text(text).unnamed_attributes


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("def f(a=b, c: d = e): return g\n", {"b", "d", "e"}),
        (
            "@w\nclass A(b):\n    c = d\n    def f(self, a=e): return g\n",
            {"w", "b", "d", "e"},
        ),
        ("x = [y for y in b]\n", {"b"}),
    ],
)
def test_names_read_at_once_are_found_without_the_bodies_of_functions(
    text: str, names: set[str]
) -> None:
    (statement,) = split(synthetic(text, "modular_olmo.py", 1)).statements
    wanted = {"b", "d", "e", "g", "w", "y"}
    assert find_names_read_at_once(statement, wanted) == names
