"""Removals that remove nothing (MOD401, MOD403, MOD403, MOD401, MOD403)."""

from pathlib import Path

import pytest

from modular.source.diagnostics import Problem, Severity
from tests.conftest import Flatten
from tests.reporting import codes_and_places, of_olmo, only_hint
from tests.support import convert, source


PARENT = """
    from torch import nn


    class LlamaMLP(nn.Module):
        scale = 1

        def __init__(self, config):
            super().__init__()
            self.up_proj = nn.Linear(4, 4)
            self.act_fn = nn.SiLU()

        def forward(self, x):
            return self.act_fn(x)
    """


def found(flatten: Flatten, members: str) -> list[tuple[str, int, str]]:
    """Give the class members; return the codes, the lines from its first, and what is marked."""
    body = "\n".join(f"    {line}" for line in members.split("\n"))
    result = flatten(
        f"from ..llama.modeling_llama import LlamaMLP\n\n\nclass MyModelMLP(LlamaMLP):\n{body}\n",
        PARENT,
    )
    places = (
        (diagnostic.code.id, diagnostic.place) for diagnostic in result.diagnostics
    )
    return [
        (
            code,
            place.line - 4,
            place.text[place.column - 1 : place.column - 1 + place.width],
        )
        for code, place in places
    ]


def raising(tmp_path: Path, method: str) -> str:
    """Report on a class with one attribute and, a blank line below, a method that raises."""
    head = "from ..llama.modeling_llama import LlamaMLP\n\nclass OlmoMLP(LlamaMLP):\n    scale = 2\n\n"
    reported = of_olmo(tmp_path, head + method)
    return reported[reported.index("hint: ") :].strip()


@pytest.mark.parametrize(
    ("members", "line"),
    [
        (
            "def __init__(self, config):\n    del self.up_proj\n    super().__init__(config)",
            2,
        ),
        (
            "def __init__(self, config):\n    nn.Module.__init__(self)\n    del self.up_proj",
            3,
        ),
        (
            "def __init__(self, config):\n    super().__init__(config)\n    if config.a:\n        del self.up_proj",
            4,
        ),
    ],
)
def test_a_del_that_is_not_merged(flatten: Flatten, members: str, line: int) -> None:
    assert found(flatten, members) == [("MOD401", line, "del self.up_proj")]


@pytest.mark.parametrize(
    "members",
    [
        "def __init__(self, config):\n    super().__init__(config)\n    del self.up_proj",
        "def __init__(self, config):\n    nn.Module.__init__(self)\n    self.up_proj = 1\n    del self.up_proj",
        "def __init__(self, config):\n    other = 1\n    del other\n    super().__init__(config)",
        "def forward(self, x):\n    del self.up_proj\n    return x",
        "def clear(self):\n    del self.up_proj",
    ],
)
def test_other_dels(flatten: Flatten, members: str) -> None:
    assert found(flatten, members) == []


def test_an_error_that_is_not_called(flatten: Flatten) -> None:
    assert found(flatten, "scale = AttributeError") == [("MOD403", 1, "AttributeError")]


@pytest.mark.parametrize(
    "members",
    ["scale = AttributeError()", "scale = [AttributeError]", "scale = ValueError"],
)
def test_other_attributes(flatten: Flatten, members: str) -> None:
    assert found(flatten, members) == []


def test_what_is_not_inherited_cannot_be_missed(flatten: Flatten) -> None:
    """That the removal removes nothing is said; that the class reads it is the author's own affair."""
    members = "tail = AttributeError()\n\ndef forward(self, x):\n    return self.tail"
    assert found(flatten, members) == [("MOD403", 1, "tail = AttributeError()")]


def test_a_definition_in_a_block_is_in_no_generated_file_unless_the_block_is_copied(
    flatten: Flatten,
) -> None:
    block = "if True:\n    {}\n\n    def helper():\n        pass\n\n\nclass MyModelMLP:\n    scale = {}\n"
    copied = flatten(block.format("import math", "math.pi"), PARENT)
    assert (copied.codes, "def helper" in copied.only) == ([], True)
    left_out = flatten(block.format("size = 1", "2"), PARENT)
    assert (left_out.codes, "def helper" in left_out.only) == ([("MOD410", 4)], False)


@pytest.mark.parametrize(
    "statement",
    [
        "self.a, self.b = config.pair",
        "[self.b, self.a] = config.pair",
        'self.register_buffer("a", config.buffer)',
        'setattr(self, "a", 1)',
        "if config.a:\n    self.a = 1",
    ],
)
def test_the_message_about_a_del_says_that_the_parent_sets_the_attribute(
    flatten: Flatten, statement: str
) -> None:
    body = "".join(f"        {line}\n" for line in statement.split("\n"))
    result = flatten(
        "from ..llama.modeling_llama import LlamaMLP\n\n\n"
        "class MyModelMLP(LlamaMLP):\n"
        "    def __init__(self, config):\n"
        "        super().__init__(config)\n"
        "        del self.a\n",
        f"class LlamaMLP:\n    def __init__(self, config):\n{body}",
    )
    (diagnostic,) = result.diagnostics
    assert diagnostic.code.id == "MOD401"
    assert diagnostic.message == (
        "`del self.a` has no effect: the parent's `__init__` sets `self.a`, "
        "but not in a separate assignment"
    )
    assert diagnostic.related is not None
    assert diagnostic.related.text.strip() == statement.split("\n")[0]
    assert diagnostic.fixes == ()


def test_a_del_of_an_attribute_that_the_parent_does_not_set_is_to_be_removed(
    flatten: Flatten,
) -> None:
    result = flatten(
        """
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            def __init__(self, config):
                super().__init__(config)
                del self.nothing
        """,
        PARENT,
    )
    (diagnostic,) = result.diagnostics
    assert "does not assign `self.nothing`" in diagnostic.message
    assert diagnostic.hint == "remove the line"


def test_del_of_missing_attribute(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            def __init__(self, config):
                super().__init__(config)
                del self.down_proj
        """,
    )
    assert codes_and_places(reported) == [
        "MOD401 models/olmo/modular_olmo.py:6:9, models/llama/modeling_llama.py:7:5"
    ]


def test_del_of_a_class_attribute(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            def __init__(self, config):
                super().__init__(config)
                del self.scale
        """,
    )
    assert "warning[MOD401]: `del self.scale` has no effect" in reported
    assert (
        "hint: to remove the class attribute, write `scale = AttributeError()`"
        in reported
    )


def test_removal_of_missing_method(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            scale = 2

            def forwards(self):
                raise AttributeError("not needed")
        """,
    )
    assert codes_and_places(reported) == [
        "MOD403 models/olmo/modular_olmo.py:6:5, models/llama/modeling_llama.py:4:1"
    ]
    assert "hint: remove the method, unless a base of `LlamaMLP`" in reported


def test_removal_of_missing_attribute(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            dropout = AttributeError()
        """,
    )
    assert codes_and_places(reported) == [
        "MOD403 models/olmo/modular_olmo.py:4:5, models/llama/modeling_llama.py:4:1"
    ]


def test_raise_does_not_remove(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            def forward(self, x):
                raise AttributeError("not needed")
        """,
    )
    assert codes_and_places(reported) == [
        "MOD403 models/olmo/modular_olmo.py:4:5, models/llama/modeling_llama.py:11:5"
    ]
    assert (
        "hint: to remove it, leave exactly one blank line, and no comment, above its `def`"
        in reported
    )


def test_what_keeps_a_raise_from_removing(tmp_path: Path) -> None:
    body = '        raise AttributeError("not needed")\n'
    decorated = f"    @staticmethod\n    def forward(self, x):\n{body}"
    documented = f'    def forward(self, x):\n        """Not needed."""\n{body}'
    long = f"    def forward(\n        self, x\n    ):\n{body}"
    deferred = f"    async def forward(self, x):\n{body}"
    assert (
        raising(tmp_path, decorated)
        == "hint: to remove it, write it without decorators"
    )
    assert (
        raising(tmp_path, documented)
        == "hint: to remove it, write it without a docstring"
    )
    assert raising(tmp_path, deferred) == "hint: to remove it, write it without `async`"
    assert raising(tmp_path, long) == (
        "hint: to remove it, write the `def` on one line, and `raise AttributeError(...)` directly below it"
    )


def test_attribute_to_delete_with_a_letter_missing(tmp_path: Path) -> None:
    hint_ = only_hint(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            def __init__(self, config):
                super().__init__(config)
                del self.up_prj
        """,
    )
    assert hint_ == "did you mean `self.up_proj`?"


LIKE_PYTHON = '[tool.modular]\nformatter = "none"\ninheritance = "python"\n'
"""Settings with which a `del` runs as in Python."""

WITH_SIZE = """
    from torch import nn


    class LlamaMLP(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.size = config.size
            {line}
    """


@pytest.mark.parametrize(
    ("line", "deletion", "is_reported"),
    [
        ("pass", "del self.width", True),
        ("pass", "del self.size", False),
        ("pass", "if config.size:\n            del self.width", True),
        ("setattr(self, config.name, 1)", "del self.width", False),
        ('self.register_buffer("width", 1)', "del self.width", False),
        ("pass", 'self.__dict__["width"] = 1\n        del self.width', False),
    ],
)
def test_a_deletion_that_fails_in_python_is_reported_with_the_rules_of_python(
    tmp_path: Path, line: str, deletion: str, is_reported: bool
) -> None:
    child = """
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def __init__(self, config):
            super().__init__(config)
    """
    files = {
        "pyproject.toml": LIKE_PYTHON,
        "models/llama/modeling_llama.py": source(WITH_SIZE.format(line=line)),
        "models/olmo/modular_olmo.py": source(child) + f"        {deletion}\n",
    }
    found = [
        (item.message, item.severity)
        for item in convert(tmp_path, files).diagnostics
        if item.code is Problem.USELESS_DEL
    ]
    level = Severity.WARNING if "if" in deletion else Severity.ERROR
    message = "`del self.width` fails: neither `OlmoMLP` nor its bases set `self.width`"
    assert found == ([(message, level)] if is_reported else [])


def test_a_del_of_an_attribute_of_a_layer_becomes_a_call(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            def __init__(self, config):
                super().__init__(config)
                del self.up_proj.bias
        """,
    )
    assert 'hint: write `delattr(self.up_proj, "bias")`\n' in reported
