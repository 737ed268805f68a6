"""Tests of the rule `raising-override`."""

import pytest

from tests.support import source


PARENT = """
    class LlamaModel:
        size = 1

        def forward(self, x):
            return x

        def prune(self, heads):
            return heads
    """

WITHOUT_PRUNE = source("""
    class MyModelModel:
        size = 1

        def forward(self, x):
            return x
    """)


def modular(*lines: str) -> str:
    """A modular file with these lines behind an attribute."""
    body = "".join(f"    {line}".rstrip() + "\n" for line in lines)
    return f"from ..llama.modeling_llama import LlamaModel\n\n\nclass MyModelModel(LlamaModel):\n    size = 1\n{body}"


@pytest.mark.parametrize(
    "lines",
    [
        ("def prune(self, heads):", '    raise AttributeError("no heads")'),
        ("def prune(self):", "    raise NotImplementedError()"),
        (
            "def prune(self, heads) -> None:  # gone",
            '    raise AttributeError("no heads")  # really',
        ),
        (
            "def prune(self, heads):",
            "    raise AttributeError(",
            '        "no heads"',
            "    )",
        ),
        (
            "def prune(self, heads):",
            "    raise errors.HeadsError(heads)",
            "    return heads",
        ),
    ],
)
def test_a_raising_override_removes_the_method(flatten, lines):
    converted = flatten(modular("", *lines), PARENT)
    assert converted.only == WITHOUT_PRUNE
    assert converted.codes == []


@pytest.mark.parametrize(
    "lines",
    [
        ("def prune(self, heads):", "    raise AttributeError()"),
        ("", "", "def prune(self, heads):", "    raise AttributeError()"),
        ("", "# Above it.", "def prune(self, heads):", "    raise AttributeError()"),
        ("", "@property", "def prune(self, heads):", "    raise AttributeError()"),
        ("", "async def prune(self, heads):", "    raise AttributeError()"),
        (
            "",
            "def prune(self, heads):",
            '    """Gone."""',
            "    raise AttributeError()",
        ),
        ("", "def prune(self, heads):", "", "    raise AttributeError()"),
        ("", "def prune(self, heads):", "    # gone", "    raise AttributeError()"),
        ("", "def prune(", "    self, heads", "):", "    raise AttributeError()"),
        ("", "def prune(self, heads): raise AttributeError()"),
    ],
    ids=[
        "no blank line",
        "two blank lines",
        "a comment above",
        "a decorator",
        "async",
        "a docstring",
        "a blank line inside",
        "a comment inside",
        "several lines",
        "one line",
    ],
)
def test_other_forms_are_ordinary_overrides(flatten, lines):
    converted = flatten(modular(*lines), PARENT)
    dropped_comment = ["MOD415"] if "# Above it." in lines else []
    # A property that raises is meant to raise.
    removal = [] if "@property" in lines else ["MOD403"]
    assert [code for code, _ in converted.codes] == [*dropped_comment, *removal]
    assert converted.only.endswith("        raise AttributeError()\n")


@pytest.mark.parametrize(
    "statement",
    ["raise AttributeError", "raise Exception()", "raise", "return AttributeError()"],
)
def test_other_raises_are_ordinary_overrides(flatten, statement):
    converted = flatten(
        modular("", "def prune(self, heads):", f"    {statement}"), PARENT
    )
    assert converted.codes == []
    assert converted.only.endswith(
        f"    def prune(self, heads):\n        {statement}\n"
    )


def test_an_override_of_a_missing_method_is_kept(flatten):
    """A base that is not in the file may have it: without the override the class would inherit one that works."""
    converted = flatten(
        modular("", "def resize(self):", "    raise NotImplementedError()"), PARENT
    )
    assert converted.codes == [("MOD403", 7)]
    assert converted.only == source("""
        class MyModelModel:
            size = 1

            def forward(self, x):
                return x

            def prune(self, heads):
                return heads

            def resize(self):
                raise NotImplementedError()
        """)


def test_setters_and_overloads_are_removed_too(flatten):
    parent = """
        from typing import overload


        class LlamaModel:
            @property
            def prune(self):
                return 1

            @prune.setter
            def prune(self, value):
                self.value = value

            @overload
            def get(self, key: int): ...
            @overload
            def get(self, key: str): ...
            def get(self, key):
                return key

            def forward(self, x):
                return x
        """
    own = modular(
        "",
        "def prune(self):",
        "    raise AttributeError()",
        "",
        "def get(self):",
        "    raise AttributeError()",
    )
    assert flatten(own, parent).only == WITHOUT_PRUNE


def test_a_class_without_members_has_a_pass(flatten):
    parent = """
        class LlamaModel:
            def prune(self, heads):
                return heads
        """
    own = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):

            def prune(self, heads):
                raise AttributeError()
        """
    assert flatten(own, parent).only == source("""
        class MyModelModel:
            pass
        """)
