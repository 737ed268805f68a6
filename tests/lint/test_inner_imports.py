"""Imports inside functions and classes, of what does not exist: MOD442."""

from collections.abc import Mapping

import pytest

from tests.conftest import Flatten
from tests.support import Converted


PARENT = """
    class LlamaNorm:
        def run(self, x):
            return x
    """
ERROR, WARNING = ("MOD442", "error"), ("MOD442", "warning")


def levels(converted: Converted) -> list[tuple[str, str]]:
    """Return the code and the level of each finding."""
    return [(item.code.id, item.severity.value) for item in converted.diagnostics]


def convert_method(
    flatten: Flatten, body: str, files: Mapping[str, str] | None = None
) -> Converted:
    """Convert a class with a method, whose body has four blanks less than in the class."""
    lines = "\n".join(f"        {line}" for line in body.split("\n"))
    text = "from contextlib import suppress\n" if "suppress" in body else ""
    text += "from ..llama.modeling_llama import LlamaNorm\n\n\nclass MyModelNorm(LlamaNorm):\n"
    return flatten(f"{text}    def read(self, x=None):\n{lines}\n", PARENT, files)


@pytest.mark.parametrize(
    "imported",
    [
        "from .nowhere import size",
        "from ..llama.modeling_llama import LlamaNrom",
        "from ..llama.modelling_llama import LlamaNorm",
        "from ...layers import Bock",
    ],
)
def test_a_method_cannot_import_what_does_not_exist(
    flatten: Flatten, imported: str
) -> None:
    files = {"layers.py": "class Block:\n    size = 1\n"}
    result = convert_method(flatten, imported, files)
    assert levels(result) == [ERROR]
    assert result.diagnostics[0].place.line == 6


@pytest.mark.parametrize(
    "imported",
    [
        "from ..llama.modeling_llama import LlamaNorm as Norm",
        "from ...layers import Block",
        "from .modeling_my_model import MyModelNorm",
        "from ...elsewhere import size",
        "from torch import size",
    ],
)
def test_a_method_may_import_what_exists_or_is_not_known(
    flatten: Flatten, imported: str
) -> None:
    files = {"layers.py": "class Block:\n    size = 1\n"}
    assert levels(convert_method(flatten, imported, files)) == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if x is None:\n    from .nowhere import x\nreturn x", [WARNING]),
        (
            "match x:\n    case 1:\n        return x\n    case _:\n"
            "        from .nowhere import x\nreturn x",
            [WARNING],
        ),
        (
            "match x:\n    case [_, *_] if x: from .nowhere import x\nreturn x",
            [WARNING],
        ),
        (
            "def inner():\n    from .nowhere import x\n    return x\nreturn inner",
            [WARNING],
        ),
        (
            "try:\n    from .nowhere import x\nexcept ImportError:\n    pass\nreturn x",
            [],
        ),
        ("return x\nfrom .nowhere import x", []),
        ("with open(x):\n    from .nowhere import y\nreturn y", [WARNING]),
        ("with suppress(ImportError):\n    from .nowhere import y", []),
    ],
)
def test_an_import_that_may_not_run_is_no_error(
    flatten: Flatten, body: str, expected: list[tuple[str, str]]
) -> None:
    assert levels(convert_method(flatten, body)) == expected


@pytest.mark.parametrize(
    "parent",
    [
        "class LlamaNorm:\n    def run(self):\n        from .configuration_llama import LlamaConfig\n        return LlamaConfig\n",
        "def load():\n    from .configuration_llama import LlamaConfig\n    return LlamaConfig\n\n\n"
        "class LlamaNorm:\n    def run(self):\n        return load()\n",
    ],
    ids=["in a method", "in a function that is copied"],
)
def test_an_inherited_import_is_reported_where_the_code_is_inherited(
    flatten: Flatten, parent: str
) -> None:
    files = {
        "models/llama/configuration_llama.py": "class LlamaConfig:\n    size = 1\n"
    }
    result = flatten(
        "from ..llama.modeling_llama import LlamaNorm\n\n\nclass MyModelNorm(LlamaNorm):\n    pass\n",
        parent,
        files,
    )
    assert levels(result) == [ERROR]
    related = result.diagnostics[0].related
    assert related is not None
    assert related.path == "models/llama/modeling_llama.py"


def test_the_body_of_a_class_imports_too(flatten_like_python: Flatten) -> None:
    result = flatten_like_python(
        "from ..llama.modeling_llama import LlamaNorm\n\n\n"
        "class MyModelNorm(LlamaNorm):\n    from .nowhere import size\n",
        PARENT,
    )
    assert levels(result) == [ERROR]


@pytest.mark.parametrize(
    ("init", "expected"), [({}, []), ({"lib/__init__.py": ""}, [WARNING])]
)
def test_a_module_that_a_package_of_the_project_lacks(
    flatten: Flatten, init: dict[str, str], expected: list[tuple[str, str]]
) -> None:
    modular = """
        from lib.nowhere import size
        from ..llama.modeling_llama import LlamaNorm


        class MyModelNorm(LlamaNorm):
            size = size
        """
    assert levels(flatten(modular, PARENT, {"lib/layers.py": "", **init})) == expected


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ("if size:\n    {}", [WARNING]),
        ("if size:\n    pass\nelse:\n    {}", [WARNING]),
        ("match size:\n    case 1:\n        {}\n    case _:\n        pass", [WARNING]),
        ("match size:\n    case 1:\n        pass\n    case _:\n        {}", [WARNING]),
        ("try:\n    {}\nexcept ImportError:\n    pass", []),
    ],
)
def test_a_block_at_the_top_level_imports_what_does_not_exist(
    flatten_like_python: Flatten, block: str, expected: list[tuple[str, str]]
) -> None:
    block = block.format("from .nowhere import Missing")
    text = "from ..llama.modeling_llama import LlamaNorm\n\nsize = 1\n"
    text += f"{block}\n\n\nclass MyModelNorm(LlamaNorm):\n    missing = Missing, size\n"
    found = levels(flatten_like_python(text, PARENT))
    assert [item for item in found if item[0] == "MOD442"] == expected


IMPORTS_IN_MATCH = """
    import sys

    match sys.platform:
        case "linux":
            from ..llama.modeling_llama import LlamaNorm
            from elsewhere import twice


    class MyModelNorm(LlamaNorm):
        size = twice(2)
    """


def test_a_parent_class_is_imported_in_a_match_statement(
    flatten_like_python: Flatten,
) -> None:
    (finding,) = flatten_like_python(IMPORTS_IN_MATCH, PARENT).diagnostics
    assert (finding.code.id, finding.place.line) == ("MOD431", 5)
    assert "is imported inside a block" in finding.message


def test_imports_in_a_match_statement_are_not_copied_with_the_rules_of_transformers(
    flatten: Flatten,
) -> None:
    findings = flatten(IMPORTS_IN_MATCH, PARENT).diagnostics
    hint = "move the code that binds `{}` out of the `match` statement, which is not copied"
    assert [(item.code.id, item.hint) for item in findings] == [
        ("MOD306", hint.format("LlamaNorm")),
        ("MOD408", hint.format("twice")),
    ]
