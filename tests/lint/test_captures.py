"""Names that mean something else in a generated file (MOD418, and MOD307)."""

from pathlib import Path

import pytest

from tests.support import convert, source


MODULAR = """
    from ..llama.modeling_llama import LlamaA
    {first}


    class OlmoA(LlamaA):
        def own(self):
            return {use}
    """
PARENT = """
    {first}


    class LlamaA:
        def inherited(self):
            return {use}
    """


def codes(
    root: Path,
    modular: tuple[str, str],
    parent: tuple[str, str],
    inheritance: str = "transformers",
) -> list[str]:
    """Convert two files that each bind and use a name, and return the codes of findings."""
    files = {
        "pyproject.toml": f'[tool.modular]\ninheritance = "{inheritance}"\n',
        "models/llama/modeling_llama.py": source(
            PARENT.format(first=parent[0], use=parent[1])
        ),
        "models/olmo/modular_olmo.py": source(
            MODULAR.format(first=modular[0], use=modular[1])
        ),
    }
    report = convert(root, files)
    return [diagnostic.code.id for diagnostic in report.diagnostics]


INHERITED_IMPORTS = [
    pytest.param(
        ("from cmath import sqrt", "sqrt(2)"),
        ("from math import sqrt", "sqrt(2)"),
        id="two imports",
    ),
    pytest.param(
        ("import cmath as m", "m.pi"), ("import math as m", "m.pi"), id="import as"
    ),
    pytest.param(
        ("pi = 3", "pi"),
        ("from math import pi", "pi"),
        id="an assignment and an import",
    ),
    pytest.param(
        ("def g():\n        from math import pow", "g(), pow(2, 3, 5)"),
        ("from math import pow", "pow(2, 3)"),
        id="an import in a function",
    ),
]
CAPTURES = [
    pytest.param(
        ("from math import pow", "pow(2, 3)"), ("", "pow(2, 3, 5)"), id="a builtin"
    ),
    pytest.param(
        ("", "round(2.4)"),
        ("def round(x): return x", "round(2)"),
        id="a parent's round",
    ),
    pytest.param(
        ("class Helper: v = 1", "Helper.v"),
        ("class Helper: v = 2", "Helper.v"),
        id="unrelated classes",
    ),
    pytest.param(
        ("def scale(x): return x", "scale(2)"),
        ("scale = lambda x: -x", "scale(2)"),
        id="a function and an assignment",
    ),
    pytest.param(
        ("from math import sqrt", "sqrt(2)"),
        ("def sqrt(x): return -x", "sqrt(2)"),
        id="an import and a function",
    ),
]
BLOCKS = [
    ("if 1 > 2: pass\nelse: SIZE = 2", "SIZE = 8"),
    ("for SIZE in range(3): pass", "SIZE = 8"),
    ("SIZE = 8", "for SIZE in range(3): pass"),
]
HARMLESS = [
    pytest.param(
        ("from math import sqrt", "sqrt(2)"),
        ("from math import sqrt", "sqrt(2)"),
        id="one import",
    ),
    pytest.param(
        ("import cmath as m", "m.pi"), ("import math as m", "self.m"), id="an attribute"
    ),
    pytest.param(
        ("from math import pow", "pow(2, 3)"),
        ("", "[pow for pow in [1]]"),
        id="a variable of its own",
    ),
    pytest.param(
        ("def scale(x): return x", "scale(2)"),
        ("def scale(x): return -x", "scale(2)"),
        id="a function replaces the parent's",
    ),
    pytest.param(
        ("class OlmoB: v = 1", "OlmoB.v"),
        ("class LlamaB: v = 2", "LlamaB.v"),
        id="a class has the new name of the parent's",
    ),
    pytest.param(
        ("SIZE = 2", "SIZE"), ("SIZE = 2  # the same", "SIZE"), id="equal constants"
    ),
]
LOOP = "{0} = []\n    for i in range(3):\n        {0}.append(i)"


@pytest.mark.parametrize(("modular", "parent"), [*INHERITED_IMPORTS, *CAPTURES])
def test_a_name_that_means_something_else_is_reported(
    tmp_path: Path, modular: tuple[str, str], parent: tuple[str, str]
) -> None:
    assert codes(tmp_path, modular, parent) == ["MOD418"]


@pytest.mark.parametrize(("modular", "parent"), CAPTURES)
def test_a_name_that_means_something_else_is_refused_like_python(
    tmp_path: Path, modular: tuple[str, str], parent: tuple[str, str]
) -> None:
    assert codes(tmp_path, modular, parent, "python") == ["MOD307"]


@pytest.mark.parametrize(
    ("modular", "parent"),
    [
        (("from cmath import *", "sqrt(2)"), ("from math import *", "sqrt(2)")),
        (("from math import *", "pow(2, 3)"), ("", "pow(2, 3, 5)")),
        (("", "pow(2, 3, 5)"), ("from math import *", "pow(2, 3)")),
    ],
)
def test_a_name_that_an_import_of_all_names_may_bind_is_refused_like_python(
    tmp_path: Path, modular: tuple[str, str], parent: tuple[str, str]
) -> None:
    assert codes(tmp_path, modular, parent, "python") == ["MOD307"]


@pytest.mark.parametrize("inheritance", ["python", "transformers"])
@pytest.mark.parametrize(
    ("modular", "parent"),
    [
        (("from math import *", "pow(2, 3)"), ("from math import *", "pow(2, 3)")),
        (("from math import *", "sqrt(2)"), ("", "len([2])")),
        (("from math import *", "sqrt(2)"), ("from math import sqrt", "sqrt(2)")),
        (("from math import sqrt", "sqrt(2)"), ("from math import *", "sqrt(2)")),
        (("from .constants import *", "SIZE"), ("", "pow(2, 3, 5)")),
        (("from .constants import *", "SIZE"), ("from math import *", "sqrt(2)")),
    ],
)
def test_an_import_of_all_names_that_no_other_code_can_see_is_not_reported(
    tmp_path: Path,
    modular: tuple[str, str],
    parent: tuple[str, str],
    inheritance: str,
) -> None:
    constants = tmp_path / "models/olmo/constants.py"
    constants.parent.mkdir(parents=True)
    constants.write_text("SIZE = 3\n", encoding="utf-8")
    assert codes(tmp_path, modular, parent, inheritance) == []


def test_a_definition_that_replaces_what_a_library_exports_is_reported(
    tmp_path: Path,
) -> None:
    modular = ("from math import *", "floor(2.5)")
    parent = ("def floor(x): return x", "floor(2.5)")
    assert codes(tmp_path, modular, parent) == ["MOD418"]


@pytest.mark.parametrize(("modular", "parent"), INHERITED_IMPORTS)
def test_an_inherited_import_gets_another_name_like_python(
    tmp_path: Path, modular: tuple[str, str], parent: tuple[str, str]
) -> None:
    assert codes(tmp_path, modular, parent, "python") == []


@pytest.mark.parametrize(("modular", "parent"), BLOCKS)
def test_a_name_that_a_block_binds_is_compared_with_an_assignment(
    tmp_path: Path, modular: str, parent: str
) -> None:
    found = codes(
        tmp_path, (modular.replace("\n", "\n    "), "SIZE"), (parent, "SIZE"), "python"
    )
    assert "MOD307" in found


def test_a_constant_is_not_the_guard_that_sets_it(tmp_path: Path) -> None:
    guard = """try:
        import x
        HAS_X = True
    except ImportError:
        HAS_X = False"""
    parent = (guard, "HAS_X")
    assert codes(tmp_path, ("HAS_X = True", "HAS_X"), parent) == ["MOD418"]


def test_blocks_with_the_same_words_in_another_order_are_different(
    tmp_path: Path,
) -> None:
    modular = "if round(1) > 2:\n        SIZE = 1\n    else:\n        SIZE = 2"
    parent = "if 1 > 2:\n        SIZE = 1\n    else:\n        SIZE = 2"
    found = codes(tmp_path, (modular, "SIZE"), (parent, "SIZE"), "python")
    assert "MOD307" in found


def test_an_assignment_of_several_names_does_not_replace_another_one(
    tmp_path: Path,
) -> None:
    modular = ("SIZE, SHAPE = 8, 9", "SHAPE")
    parent = ("SIZE, DEPTH = 7, 6", "SIZE")
    assert codes(tmp_path, modular, parent, "python") == ["MOD307"]


HELPED = "def helper(): return 1\n\n\n    SIZE = helper()"
HELPING = "SIZE, SHAPE = 8, 9\n\n\n    def helper(): return SHAPE"


@pytest.mark.parametrize(
    ("modular", "parent", "last"),
    [
        ("SIZE, SHAPE = 8, 9", "SIZE = 7", "models/olmo/modular_olmo.py"),
        # The parent's statement needs a function that needs the other statement.
        (HELPING, HELPED, "models/llama/modeling_llama.py"),
    ],
)
def test_the_last_assignment_to_a_name_in_the_generated_file_counts(
    tmp_path: Path, modular: str, parent: str, last: str
) -> None:
    files = {
        "pyproject.toml": '[tool.modular]\ninheritance = "python"\n',
        "models/llama/modeling_llama.py": source(
            PARENT.format(first=parent, use="SIZE")
        ),
        "models/olmo/modular_olmo.py": source(
            MODULAR.format(first=modular, use="SHAPE")
        ),
    }
    (finding,) = convert(tmp_path, files).diagnostics
    assert finding.message.endswith(f"`SIZE` is the `SIZE` of `{last}`")


def test_a_variable_that_only_a_function_sets_is_changed(tmp_path: Path) -> None:
    setup = """def setup():
        global SHAPE
        SHAPE = []


    setup()
    SHAPE.append(1)"""
    modular = (setup, "setup(), SHAPE")
    assert codes(tmp_path, modular, ("SIZE, SHAPE = 8, 9", "SIZE"), "python") == [
        "MOD307"
    ]


@pytest.mark.parametrize("inheritance", ["python", "transformers"])
@pytest.mark.parametrize(("modular", "parent"), HARMLESS)
def test_a_name_that_means_the_same_is_not_reported(
    tmp_path: Path,
    modular: tuple[str, str],
    parent: tuple[str, str],
    inheritance: str,
) -> None:
    assert codes(tmp_path, modular, parent, inheritance) == []


def test_the_variable_of_a_loop_belongs_to_the_loop(tmp_path: Path) -> None:
    modular = (LOOP.format("OWN"), "OWN")
    parent = (LOOP.format("SIZES"), "SIZES")
    assert codes(tmp_path, modular, parent, "python") == []


def test_a_function_in_a_loop_reads_its_variable_later(tmp_path: Path) -> None:
    loop = LOOP.replace("(i)", "(lambda: i)")
    modular = (loop.format("OWN"), "OWN")
    parent = (loop.format("SIZES"), "SIZES")
    assert codes(tmp_path, modular, parent, "python") == ["MOD307"]


@pytest.mark.parametrize("inheritance", ["python", "transformers"])
@pytest.mark.parametrize(
    ("llama", "bert"),
    [
        ("SIZE = 1", "SIZE = 2"),
        ("from math import sqrt as SIZE", "from cmath import sqrt as SIZE"),
        ("class SIZE: v = 1", "class SIZE: v = 2"),
        ("LLAMA_SIZE = 1\nSIZE = LLAMA_SIZE", "BERT_SIZE = 2\nSIZE = BERT_SIZE"),
    ],
)
def test_a_name_of_two_parent_files_is_reported(
    tmp_path: Path, llama: str, bert: str, inheritance: str
) -> None:
    use = "\n\n\nclass {}:\n    def size(self):\n        return SIZE\n"
    modular = """
        from ..llama.modeling_llama import LlamaA
        from ..bert.modeling_bert import BertB


        class OlmoA(LlamaA):
            pass


        class OlmoB(BertB):
            pass
        """
    files = {
        "pyproject.toml": f'[tool.modular]\ninheritance = "{inheritance}"\n',
        "models/llama/modeling_llama.py": llama + use.format("LlamaA"),
        "models/bert/modeling_bert.py": bert + use.format("BertB"),
        "models/olmo/modular_olmo.py": source(modular),
    }
    report = convert(tmp_path, files)
    found = {diagnostic.code.id for diagnostic in report.diagnostics}
    if inheritance == "transformers":
        assert "MOD418" in found
    # With Python's inheritance, an import gets another name.
    else:
        assert ("MOD307" in found) != llama.startswith("from")


@pytest.mark.parametrize(
    ("annotation", "is_reported"), [("Number", True), ('"Number"', False)]
)
def test_a_name_in_an_annotation_is_compared(
    tmp_path: Path, annotation: str, is_reported: bool
) -> None:
    modular = ("from fractions import Fraction as Number", "Number(2)")
    parent = (
        "from decimal import Decimal as Number",
        f"lambda: 2\n\n        size: {annotation} = 1",
    )
    assert codes(tmp_path, modular, parent) == ["MOD418"] * is_reported


def test_a_statement_without_a_name_is_not_quoted_in_the_message(
    tmp_path: Path,
) -> None:
    parent = """
        SIZE = 1
        TABLE = {}
        TABLE.update({SIZE: 2})


        class LlamaA:
            def size(self):
                return TABLE
        """
    modular = """
        from ..bert.modeling_bert import BertB
        from ..llama.modeling_llama import LlamaA


        class OlmoB(BertB):
            pass


        class OlmoA(LlamaA):
            pass
        """
    files = {
        "pyproject.toml": '[tool.modular]\ninheritance = "python"\n',
        "models/llama/modeling_llama.py": source(parent),
        "models/bert/modeling_bert.py": "SIZE = 2\n\n\nclass BertB:\n    size = SIZE\n",
        "models/olmo/modular_olmo.py": source(modular),
    }
    (finding,) = convert(tmp_path, files).diagnostics
    assert finding.message.startswith("this statement uses the `SIZE` of")


def test_the_advice_about_another_parent_is_to_override_its_code(
    tmp_path: Path,
) -> None:
    use = "\n\nclass {}:\n    def go(self): return SIZE\n"
    own = "\n\n    class OlmoC:\n        size = SIZE\n"
    files = {
        "models/llama/modeling_llama.py": "SIZE = 1" + use.format("LlamaA"),
        "models/bert/modeling_bert.py": "SIZE = 2" + use.format("BertB"),
        "models/olmo/modular_olmo.py": "from ..llama.modeling_llama import SIZE\n"
        + source(TWO_PARENTS + own),
    }
    (finding,) = convert(tmp_path, files).diagnostics
    assert finding.hint == "override the code of `OlmoB` that uses `SIZE`"


def test_the_advice_about_a_class_in_another_generated_file_is_to_rename_it(
    tmp_path: Path,
) -> None:
    files = {
        "models/llama/configuration_llama.py": "class LlamaConfig:\n    size = 1\n",
        "models/bert/modeling_bert.py": "class OlmoConfig:\n    rate = 2\n\n\n"
        "class BertA:\n    def go(self): return OlmoConfig()\n",
        "models/olmo/modular_olmo.py": source("""
            from ..bert.modeling_bert import BertA
            from ..llama.configuration_llama import LlamaConfig


            class OlmoConfig(LlamaConfig):
                rate = 1


            class OlmoA(BertA):
                def own(self):
                    return OlmoConfig()
            """),
    }
    (finding,) = convert(tmp_path, files).diagnostics
    path = "models/olmo/modular_olmo.py"
    assert finding.message.endswith(f"`OlmoConfig` is the `OlmoConfig` of `{path}`")
    assert finding.hint == f"define it under another name in `{path}`"


def test_an_import_from_a_generated_file_of_the_model_is_not_reported(
    tmp_path: Path,
) -> None:
    files = {
        "models/llama/configuration_llama.py": source("""
            class LlamaConfig:
                size = 1


            class LlamaTextConfig:
                part = LlamaConfig
            """),
        "models/llama/modeling_llama.py": "class LlamaA:\n    size = 1\n",
        "models/olmo/modular_olmo.py": source("""
            from ..llama.configuration_llama import LlamaTextConfig
            from ..llama.modeling_llama import LlamaA
            from .configuration_olmo import OlmoConfig


            class OlmoTextConfig(LlamaTextConfig):
                rate = 1


            class OlmoA(LlamaA):
                def own(self):
                    return OlmoConfig()
            """),
    }
    assert convert(tmp_path, files).diagnostics == ()


@pytest.mark.parametrize("inheritance", ["transformers", "python"])
def test_the_advice_about_an_import_of_the_modular_file_is_to_rename_it(
    tmp_path: Path, inheritance: str
) -> None:
    files = {
        "pyproject.toml": f'[tool.modular]\ninheritance = "{inheritance}"\n',
        "models/llama/modeling_llama.py": source(
            PARENT.format(first="", use="pow(2, 3, 5)")
        ),
        "models/olmo/modular_olmo.py": source(
            MODULAR.format(first="from math import pow", use="pow(2, 3)")
        ),
    }
    (finding,) = convert(tmp_path / "before", files).diagnostics
    path = "models/olmo/modular_olmo.py"
    assert finding.hint == f"import it under another name in `{path}`"
    files[path] = source(
        MODULAR.format(first="from math import pow as power", use="power(2, 3)")
    )
    assert convert(tmp_path / "after", files).diagnostics == ()


WRAPPED = """
    def turn(x):
        return x


    turn = wrap(turn)


    class {name}:
        def go(self, x):
            return turn(x)
    """
WRAP = "def wrap(f):\n    return lambda x: {}\n"
TWO_PARENTS = """
    from ..bert.modeling_bert import BertB
    from ..llama.modeling_llama import LlamaA


    class OlmoA(LlamaA):
        pass


    class OlmoB(BertB):
        pass
    """


@pytest.mark.parametrize(
    ("values", "blank_lines", "expected"),
    [
        (("[f(x)]", "{f(x)}"), "", ["MOD307"]),
        (("[f(x)]", "[f(x)]"), "", []),
        (("[f(x)]", "[f(x)]"), "\n\n", []),
    ],
)
def test_a_function_that_two_parent_files_replace_alike_is_replaced_once(
    tmp_path: Path, values: tuple[str, str], blank_lines: str, expected: list[str]
) -> None:
    llama = WRAP.format(values[0]) + source(WRAPPED.format(name="LlamaA"))
    bert = WRAP.format(values[1]) + blank_lines + source(WRAPPED.format(name="BertB"))
    files = {
        "pyproject.toml": '[tool.modular]\ninheritance = "python"\n',
        "models/llama/modeling_llama.py": llama,
        "models/bert/modeling_bert.py": bert,
        "models/olmo/modular_olmo.py": source(TWO_PARENTS),
    }
    report = convert(tmp_path, files)
    assert [diagnostic.code.id for diagnostic in report.diagnostics] == expected
    if not expected:
        assert report.only.count("turn = wrap(turn)") == 1


@pytest.mark.parametrize(
    ("import_", "change", "use", "expected"),
    [
        ("SIZE", "SIZE += 1", "SIZE", ["give the changed value another name"]),
        ("SIZE as OWN", "OWN += 1", "OWN", ["give the changed value another name"]),
        ("SIZE", "OWN = SIZE + 1", "OWN", []),
        ("TABLE", "TABLE.update(a=1)", "TABLE", []),
        ("TABLE", "OWN = TABLE.pop('a', 1)", "TABLE, OWN", []),
        ("TABLE", "for i in range(3):\n        TABLE.update(a=i)", "TABLE", []),
    ],
)
def test_an_imported_value_that_only_the_modular_file_changes_is_reported(
    tmp_path: Path, import_: str, change: str, use: str, expected: list[str]
) -> None:
    files = {
        "pyproject.toml": '[tool.modular]\ninheritance = "python"\n',
        "models/llama/modeling_llama.py": source(
            PARENT.format(first="SIZE = 1\n    TABLE = {}", use="SIZE, TABLE")
        ),
        "models/olmo/modular_olmo.py": f"from ..llama.modeling_llama import {import_}\n"
        + source(MODULAR.format(first=f"\n    {change}", use=use)),
    }
    diagnostics = convert(tmp_path, files).diagnostics
    assert [diagnostic.hint for diagnostic in diagnostics] == expected


def test_a_changed_value_that_is_no_parents_can_be_imported_under_another_name(
    tmp_path: Path,
) -> None:
    files = {
        "pyproject.toml": '[tool.modular]\ninheritance = "python"\n',
        "models/base.py": "SIZE = 1\n",
        "models/llama/modeling_llama.py": source(
            PARENT.format(first="SIZE = 2", use="SIZE")
        ),
        "models/olmo/modular_olmo.py": "from ..base import SIZE\n"
        + source(MODULAR.format(first="\n    SIZE += 1", use="SIZE")),
    }
    (finding,) = convert(tmp_path, files).diagnostics
    assert (
        finding.hint == "import it under another name in `models/olmo/modular_olmo.py`"
    )


TWO_STARS = """try:
        from math import *
    except ImportError:
        from cmath import *"""


@pytest.mark.parametrize(
    ("modular", "parent", "severity"),
    [
        (("from cmath import *", "sqrt(2)"), ("from math import *", "sqrt(2)"), "warning"),
        (("from cmath import sqrt", "sqrt(2)"), ("from math import *", "sqrt(2)"), "warning"),
        (("", "round(2, 1)"), ("from ..base import *", "round(2)"), "warning"),
        (("", "zip([2])"), ("from ..base import *", "zip([2])"), "warning"),
        (("from math import *", "pow(2, 3)"), ("def pow(x, y): return x", "pow(2, 3)"), "warning"),
        # The names that `math` exports are not known.
        (("", "pow(2, 3, 5)"), ("from math import *", "pow(2, 3)"), "info"),
        (("", "len([])"), ("from math import *", "len([])"), None),
        (("", "ValueError(2)"), ("from math import *", "ValueError(2)"), None),
        # The file that the import names is in no library, but it is missing.
        (("from math import sqrt", "sqrt(2)"), ("from .missing import *", "sqrt(2)"), "info"),
        (("from .missing import *", "floor(2)"), ("def floor(x): return x", "floor(2)"), "info"),
        # That file may import any name from elsewhere.
        (("", "abs(2)"), ("from ..star import *", "abs(2)"), "info"),
        (("from models.star import *", "floor(2)"), ("def floor(x): return x", "floor(2)"), "info"),
        # Only one of two imports runs.
        (("from math import sqrt", "sqrt(2)"), (TWO_STARS, "sqrt(2)"), "info"),
        # Code for a class may also work with a class that inherits from it.
        (("from ..base import First as C", "C"), ("from ..base import Second as C", "C"), None),
        (("from ..base import Second as C", "C"), ("from ..base import First as C", "C"), None),
    ],
)  # fmt: skip
def test_a_name_of_an_import_of_all_names_is_reported(
    tmp_path: Path,
    modular: tuple[str, str],
    parent: tuple[str, str],
    severity: str | None,
) -> None:
    files = {
        "pyproject.toml": '[tool.modular]\ninheritance = "transformers"\n',
        "models/base.py": "def round(x): return 7\ndef zip(x): return 7\nclass First: ...\nclass Second(First): ...\n",
        "models/star.py": "from somewhere import *\n",
        "models/llama/modeling_llama.py": source(
            PARENT.format(first=parent[0], use=parent[1])
        ),
        "models/olmo/modular_olmo.py": source(
            MODULAR.format(first=modular[0], use=modular[1])
        ),
    }
    found = [
        diagnostic.severity.value
        for diagnostic in convert(tmp_path, files).diagnostics
        if diagnostic.code.id == "MOD418"
    ]
    assert found == ([] if severity is None else [severity])


def test_the_last_of_two_imports_of_all_names_counts(tmp_path: Path) -> None:
    use = "\n\nclass {}:\n    def root(self): return sqrt(2)\n"
    files = {
        "models/llama/modeling_llama.py": "from math import *\nfrom cmath import *\n"
        + use.format("LlamaA"),
        "models/bert/modeling_bert.py": "from cmath import *\n" + use.format("BertB"),
        "models/olmo/modular_olmo.py": source(TWO_PARENTS),
    }
    assert convert(tmp_path, files).diagnostics == ()


@pytest.mark.parametrize("inheritance", ["transformers", "python"])
def test_the_advice_about_a_builtin_of_the_modular_file_works(
    tmp_path: Path, inheritance: str
) -> None:
    guard = (
        "try:\n    from math import trunc as round\nexcept ImportError:\n    round = 1"
    )
    path = "models/olmo/modular_olmo.py"
    files = {
        "pyproject.toml": f'[tool.modular]\ninheritance = "{inheritance}"\n',
        "models/llama/modeling_llama.py": f"{guard}\n"
        + source(PARENT.format(first="", use="round(2)")),
        path: source(MODULAR.format(first="", use="round(2, 1)")),
    }
    (finding,) = convert(tmp_path / "before", files).diagnostics
    assert finding.message.endswith(
        "`math.trunc`, which `models/llama/modeling_llama.py` imports"
    )
    assert finding.hint == "write `builtins.round`, and `import builtins`"
    files[path] = source(
        MODULAR.format(first="import builtins", use="builtins.round(2, 1)")
    )
    assert convert(tmp_path / "after", files).diagnostics == ()


@pytest.mark.parametrize(
    ("definition", "change", "use", "is_changed"),
    [
        ("LOG = []", "def note(x): LOG.append(x)", "LOG", True),
        ("LOG = []", "def note(x): return LOG.count(x)", "LOG", False),
        ("class Helper:\n        def take(self, x, seen=[]): seen.append(x)", "", "Helper", True),
        ("class Helper:\n        def take(self, x, seen=[]): return x", "", "Helper", False),
    ],
)  # fmt: skip
def test_equal_definitions_differ_if_code_changes_the_object_of_one(
    tmp_path: Path, definition: str, change: str, use: str, is_changed: bool
) -> None:
    unchanged = (definition, use)
    changed = (f"{definition}\n\n\n    {change}", use)
    expected = {"MOD307"} if is_changed else set()
    # The unused function `note` of the modular file is a finding, too.
    assert set(codes(tmp_path / "1", unchanged, changed, "python")) == expected
    found = set(codes(tmp_path / "2", changed, unchanged, "python"))
    assert found - {"MOD451"} == expected


def test_a_function_that_sets_a_global_variable_changes_it(tmp_path: Path) -> None:
    function = "def grow():\n        global SIZE\n        SIZE = abs(9)"
    parent = (f"SIZE = 0\n\n\n    {function}", "grow(), SIZE")
    found = set(codes(tmp_path, ("SIZE = 0", "SIZE"), parent, "python"))
    assert found == {"MOD307"}


@pytest.mark.parametrize(
    ("body", "is_changed"), [("return x", False), ("seen.append(x)", True)]
)
def test_equal_functions_of_two_parents_differ_if_they_change_their_defaults(
    tmp_path: Path, body: str, is_changed: bool
) -> None:
    function = f"def take(x, seen=[]):\n    {body}\n"
    use = "\n\nclass {}:\n    def go(self): return take(1)\n"
    files = {
        "pyproject.toml": '[tool.modular]\ninheritance = "python"\n',
        "models/llama/modeling_llama.py": function + use.format("LlamaA"),
        "models/bert/modeling_bert.py": function + use.format("BertB"),
        "models/olmo/modular_olmo.py": source(TWO_PARENTS),
    }
    found = [diagnostic.code.id for diagnostic in convert(tmp_path, files).diagnostics]
    assert found == ["MOD307"] * is_changed


def test_a_long_chain_of_equal_functions_is_compared(tmp_path: Path) -> None:
    count = 300
    chain = "".join(f"def f{i}(x): return f{i + 1}(x)\n" for i in range(count))
    use = "\n\nclass {}:\n    def go(self): return f0(1)\n"
    files = {
        "pyproject.toml": '[tool.modular]\ninheritance = "python"\n',
        "models/llama/modeling_llama.py": f"{chain}def f{count}(x): return x\n"
        + use.format("LlamaA"),
        "models/bert/modeling_bert.py": f"{chain}def f{count}(x): return -x\n"
        + use.format("BertB"),
        "models/olmo/modular_olmo.py": source(TWO_PARENTS),
    }
    found = [diagnostic.code.id for diagnostic in convert(tmp_path, files).diagnostics]
    assert found == ["MOD307"]


def test_an_attribute_with_the_name_of_an_import_is_no_use_of_it(
    tmp_path: Path,
) -> None:
    text = """
        from {0} import tau


        def turn(x):
            return x.tau


        class {1}:
            def go(self, x):
                return turn(x), tau
        """
    own = "\n\n    class OlmoC:\n        def go(self): return tau\n"
    files = {
        "models/llama/modeling_llama.py": source(text.format("math", "LlamaA")),
        "models/bert/modeling_bert.py": source(text.format("cmath", "BertB")),
        "models/olmo/modular_olmo.py": "from math import tau\n"
        + source(TWO_PARENTS + own),
    }
    found = [diagnostic.code.id for diagnostic in convert(tmp_path, files).diagnostics]
    assert found == ["MOD418"]


def test_a_word_in_a_string_is_no_use_of_a_name(tmp_path: Path) -> None:
    modular = ("from math import tau\n    SIZE = len('tau')", "tau, SIZE")
    parent = ("from cmath import tau\n    SIZE = len('tau')", "tau, SIZE")
    assert codes(tmp_path, modular, parent) == ["MOD418"]


@pytest.mark.parametrize(
    ("modular", "parent"),
    [
        (("from math import e as logger", "logger"), ("from math import pi as logger", "logger")),
        (("OLMO_DOCSTRING = 1", "OLMO_DOCSTRING"), ("OLMO_DOCSTRING = 2", "OLMO_DOCSTRING")),
        (("def scale(x): return -x", "scale(2)"), ("from .layers import scale", "scale(2)")),
        (("class scale: v = 1", "scale.v"), ("from .layers import scale", "scale(2)")),
        (("class OlmoMask: v = 1", "OlmoMask.v"), ("from somewhere import LlamaMask", "LlamaMask.v")),
        (("def olmo_scale(x): return -x", "olmo_scale(2)"), ("from ..llama.layers import scale as llama_scale", "llama_scale(2)")),
        (
            ("from ..llama.modeling_llama import Helper as Base\n\n\n    class Helper(Base): v = 2", "Helper.v"),
            ("class Helper: v = 1", "Helper.v"),
        ),
    ],
)  # fmt: skip
def test_a_definition_that_replaces_the_parents_on_purpose_is_not_reported(
    tmp_path: Path, modular: tuple[str, str], parent: tuple[str, str]
) -> None:
    layers = tmp_path / "models/llama/layers.py"
    layers.parent.mkdir(parents=True)
    layers.write_text("def scale(x):\n    return x\n", encoding="utf-8")
    assert "MOD418" not in codes(tmp_path, modular, parent)


def test_a_renamed_name_of_a_statement_that_is_not_copied_is_compared(
    tmp_path: Path,
) -> None:
    modular = ("OLMO_A = 5", "OLMO_A")
    parent = ("LLAMA_A, LLAMA_B = 1, 2", "LLAMA_A")
    assert "MOD418" in codes(tmp_path, modular, parent)


def test_a_changed_name_of_an_import_of_all_names_is_still_imported(
    tmp_path: Path,
) -> None:
    base = tmp_path / "models/base.py"
    base.parent.mkdir(parents=True)
    base.write_text("TABLE = {}\n", encoding="utf-8")
    modular = ("from ..base import TABLE", "TABLE")
    parent = ("from ..base import *\n    TABLE.update(a=1)", "TABLE")
    assert "MOD307" not in codes(tmp_path, modular, parent, "python")


@pytest.mark.parametrize("first", ["from math import sqrt", "sqrt = 2"])
def test_an_import_that_only_one_of_two_parents_has_is_renamed(
    tmp_path: Path, first: str
) -> None:
    own = "\n\n    class OlmoC:\n        def root(self): return sqrt\n"
    files = {
        "pyproject.toml": '[tool.modular]\ninheritance = "python"\n',
        "models/llama/modeling_llama.py": source(
            PARENT.format(first="from cmath import sqrt", use="sqrt(2)")
        ),
        "models/bert/modeling_bert.py": "class BertB: ...\n",
        "models/olmo/modular_olmo.py": f"{first}\n" + source(TWO_PARENTS + own),
    }
    assert convert(tmp_path, files).diagnostics == ()


@pytest.mark.parametrize(
    ("parent", "meaning", "hint"),
    [
        (
            "from math import *",
            "may be what `import *` binds, `math.pow`",
            "list the needed names in the import with `*`",
        ),
        (
            "from math import pow",
            "is `math.pow`",
            "write `builtins.pow`, and `import builtins`",
        ),
    ],
)
def test_the_message_says_whether_a_name_certainly_differs(
    tmp_path: Path, parent: str, meaning: str, hint: str
) -> None:
    files = {
        "models/llama/modeling_llama.py": source(
            PARENT.format(first=parent, use="pow(2, 3)")
        ),
        "models/olmo/modular_olmo.py": source(
            MODULAR.format(first="", use="pow(2, 3, 5)")
        ),
    }
    (finding,) = convert(tmp_path, files).diagnostics
    assert f"in the generated file, `pow` {meaning}" in finding.message
    assert finding.hint == hint
