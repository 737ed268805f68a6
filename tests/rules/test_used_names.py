"""Tests of the rule `used-names`."""

import pytest

from modular.rules.files.used_names import UsedNames
from modular.source.source_slice import synthetic


def used(text: str) -> UsedNames:
    return UsedNames([synthetic(text + "\n", "file.py", 1)], frozenset())


@pytest.mark.parametrize(
    "text",
    [
        "x = Name",
        "Name(1)",
        "Name.attribute",
        "Name[1] = 2",
        "f(key=Name)",
        "x = 1.\nName()",
        "...\nName()",
        "f(Name=Name)",
        "x == Name",
        "Name == x",
        "@Name\ndef f(): pass",
        "class A(Name): pass",
        "def f(x: Name): pass",
        "def f(x: Name = 1): pass",
        "def f() -> Name: pass",
        "x: Name",
        "x: Name = 1",
        "x: Other | Name = 1",
        'x: "Name"',
        'x: ("Name")',
        'x: "Other[Name]"',
        'def f(x: "Name | None" = None): pass',
        'def f() -> "Name": pass',
        'x: list["Name"]',
        'def f(x: Optional["Name"] = None): pass',
        "x: 'Other | Name'",
        'x: "(Name)"',
        'x: "list[" "Name]"',
        'x: "Annotated[Name, f(1)]"',
        """x: "Literal['a-b'] | Name\"""",
        """x: "list['Name']\"""",
        'f"{Name}"',
        'f"{x:{Name}}"',
        'f"{Name=}"',
        "f'''{\nName}'''",
        "del Name",
        "except_ = Name if x else y",
        "lambda x=Name: x",
        "{Name: 1}",
        "[x for x in Name]",
        "assert Name",
        "x[Name:1]",
        "(Name := 1)",
    ],
)
def test_these_forms_use_a_name(text):
    assert "Name" in used(text)


@pytest.mark.parametrize(
    "text",
    [
        "x.Name",
        "f(Name=1)",
        "x = 'Name'",
        'x = "Name"',
        'f("Name")',
        "'''Name'''",
        '"""\nName: Name\n"""',
        'f"Name {x}"',
        'f"{x:Name}"',
        "# Name",
        "NameOther + OtherName + Name2",
        'x: Literal["no name of it: Name"]',
        '"x.Name"',
        'class A(B):\n    "Config of a Name"',
        'class A(B):\n    """Name"""\n    x: int',
        'def f(): "A Name"',
        'if x: "Name"',
        'x = {y: "Name"}',
        'lambda x: "Name"',
        'x: Literal["Name"]',
        'x: "list" | typing.Literal["a", "Name"]',
        """x: "Literal['Name']\"""",
        """def f() -> "Literal['Name']": pass""",
        'x: "x.Name"',
        'x: "Config of a Name"',
        'def f() -> "Config of a Name": pass',
        "x . Name",
        "f() . Name = 1",
    ],
)
def test_these_forms_do_not_use_a_name(text):
    assert "Name" not in used(text)


def test_a_defined_name_is_not_used():
    codes = [synthetic("def Name(): return Other\n", "file.py", 1)]
    names = UsedNames(codes, frozenset({"Name"}))
    assert "Name" not in names
    assert "Other" in names


@pytest.mark.parametrize("name", ["a", "x\u0301"])
def test_the_longest_imported_name_of_an_expression_is_used(name):
    names = used(f"{name} . b.c").among_modules({name, f"{name}.b"}, ())
    assert names == {f"{name}.b"}


@pytest.mark.parametrize("declaration", ["x: {}", "def f() -> {}: pass"])
@pytest.mark.parametrize(
    ("annotation", "modules"),
    [
        ("a.C", {"a"}),
        ("a.b", {"a.b"}),
        ("a.b.C", {"a.b"}),
        ("a . b . C", {"a.b"}),
        ("list[a.b.C] | None", {"a.b"}),
        ("Callable[[a.C], a.b.C]", {"a", "a.b"}),
        ("Annotated[a.b.C, f(a.c)]", {"a", "a.b"}),
        ("Literal['a.b']", set()),
        ("x.a.b", set()),
    ],
)
def test_a_type_in_quotes_uses_the_same_modules_as_without_quotes(
    declaration, annotation, modules
):
    for written in (annotation, f'"{annotation}"', f'list["{annotation}"]'):
        names = used(declaration.format(written))
        assert names.among_modules({"a", "a.b"}, ()) == modules


@pytest.mark.parametrize("text", ['x = {y: "a.b"}', 'f("a")', '"a.b"'])
def test_a_string_that_is_not_a_type_uses_no_module(text):
    assert used(text).among_modules({"a", "a.b"}, ()) == set()


def test_all_strings_may_be_types_in_code_that_python_cannot_parse():
    names = used('f(x: "a.b.C", y="Name", z={1: "Other"}')
    assert names.among({"a", "Name", "Other"}) == {"a", "Other"}
    assert names.among_modules({"a", "a.b"}, ()) == {"a.b"}


def test_names_in_quotes_are_found_in_the_methods_of_a_class():
    text = """class A:
    x: "First"

    def f(self, y: "Second"):
        return self.g("Fifth")

    def g(self, y):
        z: "Third" = y
        return ["Fourth"]"""
    names = {"First", "Second", "Third", "Fourth", "Fifth"}
    assert used(text).among(names) == {"First", "Second", "Third"}


def test_several_names_are_checked_at_once():
    assert used('x: "First" = Second.Third').among({"First", "Second", "Third"}) == {
        "First",
        "Second",
    }


@pytest.mark.parametrize(
    "codes",
    [
        [
            "class A:\n",
            '    def f(self, x: "Name") -> "Other":  # a header\n',
            "        return x\n",
        ],
        ["class A:\n", '\n    x: "Name"\n'],
        ["def f(\n", '    x: "Name",\n', "): pass\n"],
        ["class A[T]:\n", '    text = f"{x["y"]}"\n    x: "Name"\n'],
    ],
)
def test_an_annotation_may_be_part_of_a_statement(codes):
    assert "Name" in UsedNames(
        [synthetic(code, "file.py", 1) for code in codes], frozenset()
    )


def test_a_string_in_part_of_a_statement_is_not_a_type():
    codes = [
        "class A:\n",
        '    x = f("Name")\n',
        "    def f(self):\n",
        '        return ["Name"]\n',
    ]
    assert "Name" not in UsedNames(
        [synthetic(code, "file.py", 1) for code in codes], frozenset()
    )
