"""What a name means, from file to file."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from modular.project.opening import open_project
from modular.semantics.meanings import (
    Builtin,
    Definition,
    ForeignName,
    ImportedModule,
    Meaning,
    Reason,
    Sameness,
    Unknown,
)
from modular.semantics.resolver import Resolver
from modular.source import module as modules
from modular.source.blocks import Kind
from modular.source.module import Module


def make_resolver(
    files: Mapping[str, str], generated: Mapping[str, str] | None = None
) -> Resolver:
    """A resolver of texts in memory."""

    def read(path: str) -> Module | None:
        return modules.read(path, files[path]) if path in files else None

    outputs = {}
    for path, text in (generated or {}).items():
        outputs[path] = modules.read(path, text)
    project = open_project(Path("/nowhere"))
    return Resolver(project, files.__contains__, read, outputs)


def meaning(files: Mapping[str, str], name: str, path: str = "a/b.py") -> Meaning:
    return make_resolver(files).meaning(path, name)


def reason(text: str, name: str = "X") -> Reason:
    found = meaning({"a/b.py": text}, name)
    assert isinstance(found, Unknown)
    return found.reason


def class_(path: str, name: str) -> Definition:
    return Definition(path, name, Kind.CLASS)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("class X: ...\n", Kind.CLASS),
        ("def X(): ...\n", Kind.FUNCTION),
        ("X = 1\n", Kind.ASSIGNMENT),
        ("A, X = 1, 2\n", Kind.ASSIGNMENT),
        ("X = 1\nclass X: ...\n", Kind.CLASS),
        ("import X\nclass X: ...\n", Kind.CLASS),
        ("if f():\n    class X: ...\n", Kind.CLASS),
    ],
)
def test_the_last_statement_of_the_file_decides(text: str, kind: Kind) -> None:
    assert meaning({"a/b.py": text}, "X") == Definition("a/b.py", "X", kind)


@pytest.mark.parametrize(
    ("text", "name", "dotted_name"),
    [
        ("import torch\n", "torch.nn.Module", "torch.nn.Module"),
        ("import torch.nn\n", "torch.nn.Module", "torch.nn.Module"),
        ("import torch.nn as n\n", "n.Module", "torch.nn.Module"),
        ("from torch import nn\n", "nn.Module", "torch.nn.Module"),
        ("from torch.nn import Module as M\n", "M", "torch.nn.Module"),
        ("import torch\n", "torch", "torch"),
        ("if f():\n    from torch import nn\n", "nn", "torch.nn"),
    ],
)
def test_a_foreign_name_is_known_by_its_dotted_name(
    text: str, name: str, dotted_name: str
) -> None:
    assert meaning({"a/b.py": text}, name) == ForeignName(dotted_name)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("from .c import X\n", "X"),
        ("from .c import X as Y\n", "Y"),
        ("from . import c\n", "c.X"),
        ("from .. import a\n", "a.c.X"),
        ("from ..a.c import X\n", "X"),
        ("import a.c\n", "a.c.X"),
        ("import a.c as m\n", "m.X"),
        ("from a import c as m\n", "m.X"),
        ("from .d import X\n", "X"),
        ("from .d import Y\n", "Y"),
        ("from .x_file import *\n", "X"),
        (
            "try:\n    from .c import X\nexcept ImportError:\n    from .d import X\n",
            "X",
        ),
    ],
)
def test_imports_are_followed_through_other_files(text: str, name: str) -> None:
    files = {
        "a/b.py": text,
        "a/c.py": "class X: ...\n",
        "a/d.py": "from .c import X\nfrom .c import X as Y\n",
        "a/x_file.py": "from .c import X\n",
    }
    assert meaning(files, name) == class_("a/c.py", "X")


def test_a_package_is_its_file() -> None:
    files = {"a/b.py": "from . import c\n", "a/c/__init__.py": ""}
    assert meaning(files, "c") == ImportedModule("a/c/__init__.py")


def test_a_name_of_a_package_precedes_its_module_of_that_name() -> None:
    files = {
        "a/b.py": "from .c import X\n",
        "a/c/__init__.py": "from .X import X\n",
        "a/c/X.py": "class X: ...\n",
    }
    assert meaning(files, "X") == class_("a/c/X.py", "X")


def test_names_of_python_are_builtins() -> None:
    assert meaning({"a/b.py": ""}, "print") == Builtin("print")
    assert meaning({"a/b.py": "print = 1\n"}, "print") != Builtin("print")
    files = {"a/b.py": "from .c import print\n", "a/c.py": ""}
    assert isinstance(meaning(files, "print"), Unknown)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Reason.NOT_BOUND),
        ("X = 1\ndel X\n", Reason.DELETED),
        (
            "try:\n    from c import X\nexcept ImportError:\n    X = None\n",
            Reason.AMBIGUOUS,
        ),
        ("from c import *\n", Reason.STAR_IMPORT),
        ("from .c import X\n", Reason.NO_FILE),
        ("from .b import X\n", Reason.CYCLE),
    ],
)
def test_an_unknown_name_has_a_reason(text: str, expected: Reason) -> None:
    assert reason(text) is expected


def test_the_value_of_an_attribute_is_unknown() -> None:
    assert reason("class X: ...\n", "X.y") is Reason.ATTRIBUTE
    assert reason("", "__file__") is Reason.ATTRIBUTE


def test_files_that_import_from_each_other_end_the_search() -> None:
    files = {"a/b.py": "from .c import X\n", "a/c.py": "from .b import X\n"}
    found = meaning(files, "X")
    assert isinstance(found, Unknown) and found.reason is Reason.CYCLE


def test_only_the_statements_above_a_line_count_while_the_file_is_imported() -> None:
    resolver = make_resolver({"a/b.py": "from c import X\nclass X(X): ...\n"})
    assert resolver.meaning("a/b.py", "X", line=2) == ForeignName("c.X")
    assert resolver.meaning("a/b.py", "X") == class_("a/b.py", "X")
    assert resolver.meaning("a/b.py", "X", line=1) == class_("a/b.py", "X")


def test_imports_of_a_single_file_are_not_followed() -> None:
    resolver = Resolver.of_file(modules.read("a/b.py", "from .c import X\nimport Y\n"))
    found = resolver.meaning("a/b.py", "X")
    assert isinstance(found, Unknown) and found.reason is Reason.NO_FILE
    assert resolver.meaning("a/b.py", "Y") == ForeignName("Y")


def test_generated_files_precede_those_on_disk() -> None:
    files = {"a/b.py": "from .c import X\n", "a/c.py": "X = 1\n"}
    resolver = make_resolver(files, {"a/c.py": "class X: ...\n"})
    assert resolver.meaning("a/b.py", "X") == class_("a/c.py", "X")


def test_reads_are_recorded_again_if_the_answer_is_known() -> None:
    files = {"a/b.py": "from .c import X\n", "a/c.py": "X = 1\n"}
    resolver = make_resolver(files)
    with resolver.recording() as first:
        resolver.meaning("a/b.py", "X")
    with resolver.recording() as second:
        resolver.meaning("a/b.py", "X")
    assert list(first) == ["a/b.py", "a/c.py"]
    assert first == second


def test_files_that_would_change_an_answer_are_recorded() -> None:
    resolver = make_resolver({"a/b.py": "import torch\n"})
    with resolver.recording() as reads:
        resolver.meaning("a/b.py", "torch")
    assert {"a/b.py", "torch.py", "torch/__init__.py"} <= reads.keys()


def test_a_shared_resolver_answers_what_does_not_depend_on_generated_files() -> None:
    files = {
        "a/b.py": "from .c import X\nfrom .d import Y\n",
        "a/c.py": "X = 1\n",
        "a/d.py": "Y = 1\n",
    }
    shared = make_resolver(files)
    for _ in range(2):
        generated = {"a/c.py": modules.read("a/c.py", "class X: ...\n")}
        resolver = Resolver(
            shared.project, shared.exists, shared.read, generated, shared
        )
        assert resolver.meaning("a/b.py", "X") == class_("a/c.py", "X")
        assert list(resolver.reads) == ["a/b.py"]
        assert isinstance(resolver.meaning("a/b.py", "Y"), Definition)
        assert list(resolver.reads) == ["a/b.py", "a/d.py"]
    assert not shared.reads


def same(first: str, second: str, name: str = "X") -> Sameness:
    """Compare what a name means in two files, which have a module `c` beside them."""
    shared = "class C: ...\ndef f(): ...\n"
    resolver = make_resolver({"a/b.py": first, "a/d.py": second, "a/c.py": shared})
    return resolver.same(
        resolver.meaning("a/b.py", name), resolver.meaning("a/d.py", name)
    )


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("from .c import C as X\n", "import a.c\nfrom a.c import C as X\n", Sameness.OBJECT),
        ("from torch import X\n", "import torch\nfrom torch import X\n", Sameness.OBJECT),
        ("X = 1\n", "X = 1  # one\n", Sameness.CODE),
        ("X = 1\n", "X = 2\n", Sameness.DIFFERENT),
        ("X = 1\n", "X = 1\nX += 1\n", Sameness.DIFFERENT),
        ("def X():\n    return X()\n", "def X():\n    return X( )\n", Sameness.CODE),
        ("from math import pi\ndef X(): return pi\n", "from math import pi\ndef X(): return pi\n", Sameness.CODE),
        ("from math import pi\ndef X(): return pi\n", "pi = 3\ndef X(): return pi\n", Sameness.DIFFERENT),
        ("from math import sqrt as X\n", "from cmath import sqrt as X\n", Sameness.DIFFERENT),
        ("from torch import X\n", "from numpy import X\n", Sameness.UNKNOWN),
        ("from math import sqrt as X\n", "def X(): ...\n", Sameness.DIFFERENT),
        ("from a import X\n", "from .c import f as X\n", Sameness.UNKNOWN),
        ("", "X = 1\n", Sameness.UNKNOWN),
        ("def X(): return eval('y')\n", "def X(): return eval('y')\n", Sameness.UNKNOWN),
        (
            "try:\n    import X\nexcept ImportError:\n    X = None\n",
            "try:\n    import X\nexcept ImportError:\n    X = None\n",
            Sameness.CODE,
        ),
    ],
)  # fmt: skip
def test_meanings_are_compared(first: str, second: str, expected: Sameness) -> None:
    assert same(first, second) is expected


def test_a_builtin_is_not_an_import_of_its_name() -> None:
    assert same("", "from math import pow\n", "pow") is Sameness.DIFFERENT
    assert same("", "", "pow") is Sameness.OBJECT


def test_many_imports_that_may_bind_a_name_take_little_time() -> None:
    """Each file chooses between ten files for the name."""
    files = {}
    for depth in range(11):
        lines = []
        for choice in range(10):
            lines.append(f"if f({choice}):\n    from .d{depth + 1}_{choice} import X\n")
        for choice in range(10):
            files[f"a/d{depth}_{choice}.py"] = "".join(lines)
    found = meaning(files, "X", "a/d0_0.py")
    assert isinstance(found, Unknown)


def test_functions_that_call_each_other_are_compared_in_little_time() -> None:
    names = [f"f{index}" for index in range(60)]
    calls = "; ".join(f"{name}()" for name in names)
    text = "".join(f"def {name}(): {calls}\n" for name in names)
    assert same(text, text, "f0") is Sameness.CODE
    assert same(text, f"{text}f59 = 1\n", "f0") is Sameness.DIFFERENT
