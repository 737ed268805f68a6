"""Statements at module level travel with the names that they bind or change."""

from pathlib import Path
from typing import Any

import pytest

from tests.support import convert, source


PYTHON = '[tool.modular]\ninheritance = "python"\n'
TRANSFORMERS = '[tool.modular]\ninheritance = "transformers"\n'


def convert_parent(root: Path, parent: str, modular: str = "", settings: str = PYTHON):
    """Convert a class whose parent file has some statements above and below the class."""
    files = {
        "pyproject.toml": settings,
        "models/llama/modeling_llama.py": source(parent),
        "models/olmo/modular_olmo.py": source(
            modular
            or """
            from ..llama.modeling_llama import LlamaA


            class OlmoA(LlamaA):
                pass
            """
        ),
    }
    return convert(root, files)


def run(text: str) -> dict[str, Any]:
    """Run a generated file and return its names."""
    names: dict[str, Any] = {}
    exec(text, names)
    return names


USES = "\n\n\nclass LlamaA:\n    def value(self):\n        return VALUE\n"


@pytest.mark.parametrize(
    ("parent", "value"),
    [
        ("VALUE = 5\nVALUE += 1", 6),
        ("VALUE = 1\nVALUE = VALUE + 1", 2),
        ("VALUE, OTHER = 1, 2", 1),
        ("VALUE = 1\nfor VALUE in range(3):\n    pass", 2),
        (
            "from io import StringIO\n\nwith StringIO('a') as file:\n    VALUE = file.read()",
            "a",
        ),
        ("VALUE = {}\nVALUE.update(a=1)", {"a": 1}),
        ("VALUE = []\nSAME = VALUE\nSAME.append(1)", [1]),
        ("VALUE = 1\nexec('VALUE = 2')", 2),
        ("VALUE = [1, 2]\nLAST = VALUE.pop()", [1]),
        (
            "import itertools\nCOUNT = itertools.count()\nFIRST = next(COUNT)\nVALUE = next(COUNT)",
            1,
        ),
        ("VALUE = []\n\n\ndef add(x):\n    VALUE.append(x)\n\n\nadd(3)", [3]),
        (
            "VALUE = []\n\n\ndef add(f):\n    VALUE.append(f.__name__)\n    return f\n\n\n"
            "@add\ndef first():\n    pass",
            ["first"],
        ),
        (
            "VALUE = 0\n\n\ndef count():\n    global VALUE\n    VALUE += 1\n\n\n"
            "count()\ncount()",
            2,
        ),
        ("VALUE = {}\nVALUE['n'] = 1\nVALUE['n'] += 1", {"n": 2}),
        ("VALUE = []\nfor i in range(3):\n    VALUE.append(i)", [0, 1, 2]),
        ("FLAG = True\nif FLAG:\n    VALUE = 3\nelse:\n    VALUE = 4", 3),
        (
            "def f():\n    return SIZE\n\n\nSIZE = 2\nFLAG = f()\nif FLAG == 2:\n    VALUE = 3",
            3,
        ),
        ("FIRST = 1\nSECOND = FIRST\nFIRST = 2\nVALUE = (FIRST, SECOND)", (2, 1)),
        (
            "try:\n    import none_such\n\n    VALUE = 1\nexcept ImportError:\n    VALUE = 2",
            2,
        ),
        ("from math import pi\n\nTABLE = [pi]\ndel TABLE[0]\nVALUE = TABLE", []),
    ],
)
def test_a_name_has_the_value_that_it_has_in_the_parent_file(
    tmp_path: Path, parent: str, value: object
) -> None:
    report = convert_parent(tmp_path, parent + USES)
    assert report.codes == []
    assert run(report.only)["OlmoA"]().value() == value


def test_a_wrapped_function_stays_wrapped(tmp_path: Path) -> None:
    parent = """
        def twice(f):
            return lambda x: [f(x), f(x)]


        def help(x):
            return x


        help = twice(help)


        class LlamaA:
            def value(self):
                return help(1)
        """
    assert run(convert_parent(tmp_path, parent).only)["OlmoA"]().value() == [1, 1]


def test_a_class_keeps_the_attributes_that_its_parent_class_gets_below(
    tmp_path: Path,
) -> None:
    parent = "class LlamaA:\n    pass\n\n\nLlamaA.size = 5\n"
    modular = """
        from ..llama.modeling_llama import LlamaA


        class OlmoTextA(LlamaA):
            pass
        """
    report = convert_parent(tmp_path, parent, modular)
    assert run(report.only)["OlmoTextA"].size == 5


@pytest.mark.parametrize(
    ("patch", "member", "own_patch", "is_refused"),
    [
        ("LlamaA.size = 5", "rate = 1", "", False),
        ("LlamaA.size = 5", "size = 1", "", True),
        ("LlamaA.size = 5", "rate = 1", "OlmoA.size = 6", True),
        ("", "rate = 1", "OlmoA.size = 6", False),
    ],
)
def test_a_patch_of_the_parent_class_does_not_change_what_the_class_has(
    tmp_path: Path, patch: str, member: str, own_patch: str, is_refused: bool
) -> None:
    modular = (
        "from ..llama.modeling_llama import LlamaA\n\n\n"
        f"class OlmoA(LlamaA):\n    {member}\n\n\n{own_patch}\n"
    )
    report = convert_parent(
        tmp_path, f"class LlamaA:\n    pass\n\n\n{patch}\n", modular
    )
    assert [code for code, _ in report.codes] == ["MOD308"] * is_refused


def test_a_statement_about_a_class_is_written_once(tmp_path: Path) -> None:
    modular = """
        from ..llama.modeling_llama import LlamaA


        class OlmoA(LlamaA):
            count = 0


        OlmoA.count = OlmoA.count + 1
        """
    report = convert_parent(tmp_path, "class LlamaA:\n    pass\n", modular)
    assert run(report.only)["OlmoA"].count == 1


def test_statements_of_the_modular_file_that_use_a_class_are_written(
    tmp_path: Path,
) -> None:
    modular = """
        from ..llama.modeling_llama import LlamaA


        NAMES = []


        def register(cls):
            NAMES.append(cls.__name__)


        class OlmoA(LlamaA):
            pass


        register(OlmoA)
        EntryClass = OlmoA


        def make():
            return OlmoA()
        """
    names = run(convert_parent(tmp_path, "class LlamaA:\n    pass\n", modular).only)
    assert names["NAMES"] == ["OlmoA"]
    assert names["EntryClass"] is names["OlmoA"]
    assert isinstance(names["make"](), names["OlmoA"])


def test_a_function_can_be_imported_under_another_name(tmp_path: Path) -> None:
    parent = """
        LLAMA_SIZE = 4


        def help(x):
            return x


        class LlamaA:
            pass
        """
    modular = """
        from ..llama.modeling_llama import LLAMA_SIZE, LlamaA
        from ..llama.modeling_llama import help as aid


        class OlmoA(LlamaA):
            def value(self):
                return aid(LLAMA_SIZE)
        """
    report = convert_parent(tmp_path, parent, modular)
    assert report.codes == []
    assert run(report.only)["OlmoA"]().value() == 4


def test_annotations_stay_lazy_if_the_parent_file_says_so(tmp_path: Path) -> None:
    parent = """
        from __future__ import annotations


        class LlamaA:
            def copy(self) -> LlamaA:
                return self
        """
    report = convert_parent(tmp_path, parent)
    assert report.codes == []
    assert run(report.only)["OlmoA"].copy.__annotations__ == {"return": "OlmoA"}


@pytest.mark.parametrize(
    "parent",
    [
        "VALUE = {}\nVALUE.update(a=1)" + USES,
        "VALUE = []\nfor i in range(3):\n    VALUE.append(i)" + USES,
        "VALUE = 1" + USES + "\n\nLlamaA.size = 5\n",
        "VALUE = 1\nif True:\n    VALUE = 2" + USES,
        "SIZE = 1\nVALUE = SIZE\nSIZE = 2" + USES,
        "try:\n    import none_such\n\n    VALUE = 1\nexcept ImportError:\n    VALUE = 2"
        + USES,
    ],
)
def test_a_dropped_statement_is_reported_with_the_rules_of_transformers(
    tmp_path: Path, parent: str
) -> None:
    report = convert_parent(tmp_path, parent, settings=TRANSFORMERS)
    assert [code for code, _ in report.codes] == ["MOD410"]


SEVERAL_STATEMENTS = [
    "VALUE = 8\ntry:\n    import none_such\nexcept ImportError:\n    VALUE = 5",
    "if True:\n    VALUE = 1\nVALUE += 1",
    "VALUE = 1\ntry:\n    from math import pi as VALUE\nexcept ImportError:\n    pass",
    "if False:\n    from math import e as VALUE\nif True:\n    from math import pi as VALUE",
    "from math import pi as VALUE\nif True:\n    VALUE = 4",
    "if True:\n    VALUE = {}\nif True:\n    VALUE[1] = 2",
    "VALUE = 1\nVALUE = (lambda: VALUE)() + 1",
    "def VALUE(): return 1\nFIRST = VALUE\ndef VALUE(): return FIRST()",
]


@pytest.mark.parametrize("statements", SEVERAL_STATEMENTS)
def test_a_statement_is_reported_if_another_one_binds_its_name(
    tmp_path: Path, statements: str
) -> None:
    report = convert_parent(tmp_path, statements + USES, settings=TRANSFORMERS)
    assert {code for code, _ in report.codes} == {"MOD410"}


def test_a_block_of_the_modular_file_is_reported_if_another_statement_binds_its_name(
    tmp_path: Path,
) -> None:
    modular = """
        from ..llama.modeling_llama import LlamaA


        SIZE = 3
        try:
            import none_such
        except ImportError:
            SIZE = 4


        class OlmoA(LlamaA):
            size = SIZE
        """
    parent = "VALUE = 1" + USES
    report = convert_parent(tmp_path, parent, modular, TRANSFORMERS)
    (finding,) = report.diagnostics
    assert "another statement defines `SIZE`, too" in finding.message


@pytest.mark.parametrize(
    "statements",
    [
        "if True:\n    from math import pi as VALUE\nVALUE = 4",
        "from math import pi as VALUE\nif True:\n    from math import pi as VALUE",
    ],
)
def test_a_block_is_not_reported_if_it_decides_nothing(
    tmp_path: Path, statements: str
) -> None:
    parent = statements + USES
    report = convert_parent(tmp_path, parent, settings=TRANSFORMERS)
    assert report.codes == []


def test_an_import_in_a_block_replaces_an_assignment_above_it(tmp_path: Path) -> None:
    parent = "VALUE = 1\ntry:\n    from math import pi as VALUE\nexcept ImportError:\n    pass"
    report = convert_parent(tmp_path, parent + USES)
    assert round(run(report.only)["OlmoA"]().value(), 2) == 3.14


def test_a_dropped_statement_about_another_name_is_not_reported(tmp_path: Path) -> None:
    parent = "OTHER = {}\nOTHER.update(a=1)\nVALUE = 1" + USES
    report = convert_parent(tmp_path, parent, settings=TRANSFORMERS)
    assert report.codes == []


@pytest.mark.parametrize(
    ("parent", "correction"),
    [
        ("VALUE, OTHER = 1, 2", "VALUE = 1"),
        ("FLAG = True\nif FLAG:\n    VALUE = 1\nelse:\n    VALUE = 2", "VALUE = 1"),
    ],
)
def test_the_advice_about_a_name_whose_statement_is_dropped_works(
    tmp_path: Path, parent: str, correction: str
) -> None:
    report = convert_parent(tmp_path / "before", parent + USES, settings=TRANSFORMERS)
    (error,) = report.diagnostics
    assert error.code.id == "MOD408"
    assert "`VALUE = ...` in `models/olmo/modular_olmo.py`" in error.hint
    modular = f"""
        from ..llama.modeling_llama import LlamaA


        {correction}


        class OlmoA(LlamaA):
            pass
        """
    report = convert_parent(tmp_path / "after", parent + USES, modular, TRANSFORMERS)
    assert not any(diagnostic.is_error for diagnostic in report.diagnostics)
    assert run(report.only)["OlmoA"]().value() == 1


def test_a_registration_below_a_class_stays_below_it(tmp_path):
    parent = """
        VALUE = []


        def add(x):
            VALUE.append(x)


        add(1)


        class LlamaA:
            def value(self, size=len(VALUE)):
                return size, VALUE


        add(2)
        """
    modular = """
        from ..llama.modeling_llama import LlamaA


        class OlmoA(LlamaA):
            def other(self):
                return 1
        """
    names = run(convert_parent(tmp_path, parent, modular).only)
    assert names["OlmoA"]().value() == (1, [1, 2])


def test_a_guard_follows_the_try_that_sets_its_flag(tmp_path):
    parent = """
        try:
            import not_installed

            HAS_FAST = True
        except ImportError:
            HAS_FAST = False
        if HAS_FAST:
            from not_installed import fast


        class LlamaA:
            def value(self):
                return fast() if HAS_FAST else 4
        """
    names = run(convert_parent(tmp_path, parent).only)
    assert names["OlmoA"]().value() == 4


def test_a_decorator_of_the_parent_file_stores_a_function_of_the_modular_file(
    tmp_path: Path,
) -> None:
    parent = "TABLE = {}\n\n\ndef store(f):\n    TABLE[f.__name__] = f\n    return f\n"
    modular = """
        from ..llama.modeling_llama import LlamaA, TABLE, store


        @store
        def gelu(x):
            return x


        class OlmoA(LlamaA):
            def names(self):
                return sorted(TABLE)
        """
    text = convert_parent(tmp_path, parent + USES, modular).only
    assert run(text)["OlmoA"]().names() == ["gelu"]


def test_a_decorator_that_would_change_the_generated_class_is_refused(
    tmp_path: Path,
) -> None:
    parent = """
        from abc import ABC


        class LlamaA(ABC):
            def check(self):
                return Other()


        @LlamaA.register
        class Other:
            pass
        """
    assert "MOD307" in str(convert_parent(tmp_path, parent).codes)


def test_an_inherited_function_that_reads_all_names_of_its_file_is_refused(
    tmp_path: Path,
) -> None:
    parent = """
        SIZE = 3


        class LlamaA:
            def size(self):
                return globals()["SIZE"]
        """
    assert "MOD307" in str(convert_parent(tmp_path, parent).codes)


def test_a_value_that_a_lambda_computes_at_once_comes_below_what_it_reads(
    tmp_path: Path,
) -> None:
    modular = """
        from ..llama.modeling_llama import LlamaA


        SIZES = {"one": 1}
        SIZES.update(two=2)


        class OlmoA(LlamaA):
            total = (lambda x: x + len(SIZES))(1)
        """
    text = convert_parent(tmp_path, "VALUE = 1\nVALUE += 1" + USES, modular).only
    assert run(text)["OlmoA"].total == 3


CHANGED_TWICE = """
    def twice(f):
        return lambda x: f(f(x))


    def scale(x):
        return x + 1


    scale = twice(scale)


    class {name}:
        def value(self):
            return scale(0)
    """


def test_equal_statements_of_two_parent_files_are_generated_once(
    tmp_path: Path,
) -> None:
    files = {
        "pyproject.toml": PYTHON,
        "models/llama/modeling_llama.py": source(CHANGED_TWICE.format(name="LlamaA")),
        "models/bert/modeling_bert.py": source(
            "# Another line.\n" + source(CHANGED_TWICE.format(name="BertB"))
        ),
        "models/olmo/modular_olmo.py": source(
            """
            from ..bert.modeling_bert import BertB
            from ..llama.modeling_llama import LlamaA


            class OlmoA(LlamaA):
                pass


            class OlmoB(BertB):
                pass
            """
        ),
    }
    names = run(convert(tmp_path, files).only)
    assert names["OlmoA"]().value() == names["OlmoB"]().value() == 2


def test_equal_changes_of_the_parent_and_the_modular_file_are_both_generated(
    tmp_path: Path,
) -> None:
    modular = """
        from ..llama.modeling_llama import LlamaA, VALUE


        VALUE.append(1)


        class OlmoA(LlamaA):
            pass
        """
    text = convert_parent(tmp_path, "VALUE = []\nVALUE.append(1)" + USES, modular).only
    assert run(text)["OlmoA"]().value() == [1, 1]


def test_a_change_of_a_parent_class_is_made_for_each_child(tmp_path: Path) -> None:
    modular = """
        from ..llama.modeling_llama import LlamaA


        class OlmoA(LlamaA):
            pass


        class OlmoB(LlamaA):
            pass
        """
    parent = "class LlamaA:\n    pass\n\n\nLlamaA.size = 5\n"
    names = run(convert_parent(tmp_path, parent, modular).only)
    assert names["OlmoA"].size == names["OlmoB"].size == 5


@pytest.mark.parametrize(
    ("change", "member", "size"),
    [
        ("for c in (LlamaA, LlamaB):\n    c.size = 3", "pass", 3),
        ("for c in (LlamaA, LlamaB):\n    c.size = 3", "size = 4", 4),
        ("def tag(cs):\n    cs[0].size = 3\n\n\ntag([LlamaA])", "pass", 3),
    ],
)
def test_a_statement_that_changes_a_class_by_another_name_is_copied(
    tmp_path: Path, change: str, member: str, size: int
) -> None:
    parent = f"class LlamaA:\n    pass\n\n\nclass LlamaB:\n    pass\n\n\n{change}\n"
    modular = f"""
        from ..llama.modeling_llama import LlamaA


        class OlmoA(LlamaA):
            {member}
        """
    text = convert_parent(tmp_path, parent, modular).only
    assert run(text)["OlmoA"].size == size


@pytest.mark.parametrize(
    ("definition", "use", "is_refused"),
    [
        ("LOG = []", "LOG.append(1)", True),
        ("LOG = dict()", "LOG[0] = 1", True),
        ("from itertools import count\n\nLOG = count()", "next(LOG)", True),
        ("def LOG():\n    LOG.size = 1", "LOG()", True),
        ("LOG = [1]", "print(LOG[0], LOG.index(1))", False),
        ("LOG = 1", "global LOG; LOG = LOG + 1", True),
        ("def LOG(x=[]):\n    x.append(1)", "LOG()", True),
        ("def LOG(x=dict()):\n    if x:\n        x[0] = 1", "LOG()", True),
        ("class LOG:\n    def f(self, x=[1]):\n        x[0] = 2", "LOG().f()", True),
        ("def LOG(x=[], y=1):\n    y += len(x)", "LOG()", False),
        ("def LOG(x=None):\n    x = [1]\n    x.append(1)", "LOG()", False),
    ],
)
def test_equal_definitions_of_two_files_are_two_objects_if_code_changes_them(
    tmp_path: Path, definition: str, use: str, is_refused: bool
) -> None:
    parent = f"{definition}\n\n\nclass {{}}:\n    def f(self):\n        {use}\n"
    files = {
        "pyproject.toml": PYTHON,
        "models/llama/modeling_llama.py": parent.format("LlamaA"),
        "models/bert/modeling_bert.py": parent.format("BertB"),
        "models/olmo/modular_olmo.py": source(
            """
            from ..bert.modeling_bert import BertB
            from ..llama.modeling_llama import LlamaA


            class OlmoA(LlamaA):
                pass


            class OlmoB(BertB):
                pass
            """
        ),
    }
    assert ("MOD307" in str(convert(tmp_path, files).codes)) is is_refused


def test_an_imported_name_that_the_modular_file_binds_again_is_refused(
    tmp_path: Path,
) -> None:
    modular = """
        from ..llama.modeling_llama import LlamaA, VALUE


        VALUE += 1


        class OlmoA(LlamaA):
            def own(self):
                return VALUE
        """
    assert "MOD307" in str(convert_parent(tmp_path, "VALUE = 1" + USES, modular).codes)


def test_a_call_in_the_body_of_a_parent_class_is_made_once(tmp_path: Path) -> None:
    parent = """
        from itertools import count


        COUNT = count()


        class LlamaA:
            size = next(COUNT)
        """
    modular = """
        from ..llama.modeling_llama import LlamaA


        class OlmoA(LlamaA):
            pass


        class OlmoB(LlamaA):
            pass
        """
    names = run(convert_parent(tmp_path, parent, modular).only)
    assert names["OlmoA"].size == names["OlmoB"].size == 0


@pytest.mark.parametrize(
    "body",
    [
        'LOG.append("norm")',
        'LOG[:] = ["norm"]',
        'size = LOG.append("norm")',
        'def f(self, x=LOG.append("norm")):\n        pass',
        'class Inner:\n        LOG.append("norm")',
    ],
)
def test_a_class_whose_body_changes_a_used_name_is_copied(
    tmp_path: Path, body: str
) -> None:
    parent = f"""LOG = []


class LlamaNorm:
    {body}


class LlamaA:
    def f(self):
        return len(LOG)
"""
    text = convert_parent(tmp_path, parent).only
    assert run(text)["OlmoA"]().f() == 1


def test_a_class_whose_body_changes_nothing_is_not_copied(tmp_path: Path) -> None:
    parent = """
        LOG = []


        class LlamaNorm:
            size = len(LOG)

            def g(self):
                LOG.append(1)


        class LlamaA:
            def f(self):
                return len(LOG)
        """
    assert "Norm" not in convert_parent(tmp_path, parent).only


@pytest.mark.parametrize("order", ["AB", "BA"])
def test_bodies_of_parents_that_change_one_name_keep_their_order(
    tmp_path: Path, order: str
) -> None:
    parent = """
        from itertools import count

        COUNT = count()


        class LlamaA:
            number = next(COUNT)


        class LlamaB:
            number = next(COUNT)
        """
    modular = "from ..llama.modeling_llama import LlamaA, LlamaB\n"
    for letter in order:
        modular += f"\n\nclass Olmo{letter}(Llama{letter}):\n    pass\n"
    names = run(convert_parent(tmp_path, parent, modular).only)
    assert (names["OlmoA"].number, names["OlmoB"].number) == (0, 1)
