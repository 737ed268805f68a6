"""MOD419 and MOD492: names and words that the renaming of a parent file changes."""

from pathlib import Path

import pytest

from modular.source.diagnostics import Severity
from tests.support import Converted, convert, source


SETTINGS = """[tool.modular]
models = ["lib/models"]
package = "lib.models"
inheritance = "{}"
"""


def convert_with(
    tmp_path: Path, parent_code: str, child_code: str, setting: str = "transformers"
) -> Converted:
    """Convert a class of the model `moss` whose parent class is of the model `fern`."""
    parent = source(f"""
        import random


        class FernMLP:
            def __init__(self, fern_x=1):
                {parent_code}
        """)
    child = source(f"""
        from ..fern.modeling_fern import FernMLP


        class MossMLP(FernMLP):
            def more(self):
                {child_code}
        """)
    return convert(
        tmp_path,
        {
            "pyproject.toml": f'[tool.modular]\ninheritance = "{setting}"\n',
            "models/fern/modeling_fern.py": parent,
            "models/moss/modular_moss.py": child,
        },
    )


@pytest.mark.parametrize(
    ("parent_code", "child_code", "line"),
    [
        ("self.fern_size = 3", "return self.fern_size", 6),
        ("self.n = fern_x", "return MossMLP(fern_x=2)", 6),
        ('self.n = {"fern": 1}', 'return self.n["fern"]', 6),
        ("self.fern_n, self.moss_n = 1, 2", "pass", 1),
        ('setattr(self, f"fern_{fern_x}", self.fern_1)', "pass", 1),
        ("self.fern_size = 3", "self.moss_size = 9", 6),
        ("self.fern_size = 3", 'return getattr(self, "fern_size")', 6),
        ("self.fern_1 = 3", 'return [getattr(self, f"fern_{n}") for n in (1,)]', 6),
        ("self.fern_size = 3", "self.fern_size = 9", 6),
        ("self.fern_size = 3", 'return getattr(self, "fern" + "_size")', 6),
        ('self.n = {"fern": 1, "moss": 2}', "pass", 1),
    ],
)
def test_a_name_that_the_renaming_changes_for_one_side_only_is_reported(
    tmp_path: Path, parent_code: str, child_code: str, line: int
) -> None:
    result = convert_with(tmp_path, parent_code, child_code)
    assert result.codes == [("MOD419", line)]
    solved = convert_with(tmp_path / "python", parent_code, child_code, "python")
    assert solved.codes == []


@pytest.mark.parametrize(
    ("parent_code", "child_code"),
    [
        ("self.fern_size = 3", "return self.moss_size"),
        ("self.fern_size = 3", "fern_size = 1; return fern_size"),
        ("self.size = 3", "return self.fern_size"),
        ('self.n = {"fern": 1}', 'return "a fern"'),
        ("self.fern_size = 3", 'return getattr(self, "moss" + "_size"), "fern"'),
        ('raise ValueError(f"fern {fern_x}")', "pass"),
    ],
)
def test_names_that_do_not_meet_are_not_reported(
    tmp_path: Path, parent_code: str, child_code: str
) -> None:
    codes = [code for code, _ in convert_with(tmp_path, parent_code, child_code).codes]
    assert "MOD419" not in codes


def test_an_override_that_assigns_the_renamed_attribute_is_not_reported(
    tmp_path: Path,
) -> None:
    child = """super().__init__()

            def __init__(self):
                self.moss_size = 9"""
    result = convert_with(tmp_path, "self.fern_size = 3", child)
    assert "MOD419" not in dict(result.codes)


def test_words_that_only_begin_with_the_models_name_are_listed_once(
    tmp_path: Path,
) -> None:
    result = convert_with(tmp_path, "self.fernery = random.fernlike(1)", "pass")
    (finding,) = result.diagnostics
    assert finding.code.id == "MOD492"
    assert finding.severity.value == "warning"
    assert finding.message == (
        "the renaming changes other words: "
        "`fernery` becomes `mossery`, `fernlike` becomes `mosslike`"
    )


@pytest.mark.parametrize(
    ("base", "code", "is_error"),
    [
        ("object", "fern_count()", True),
        ("object", "shelf.fern_count", False),
        ("Shelf", "self.fern_count", False),
        ("object", "self.fern_own", None),
    ],
)
def test_a_renamed_name_of_another_file_is_reported(
    tmp_path: Path, base: str, code: str, is_error: bool | None
) -> None:
    imported = "fern_count" if code == "fern_count()" else "Shelf, shelf"
    parent = source(f"""
        from ..tools import {imported}


        class FernMLP({base}):
            fern_own = 1

            def count(self):
                return {code}
        """)
    tools = source("""
        class Shelf:
            fern_count = 1


        class shelf:
            fern_count = 2


        def fern_count():
            return 3
        """)
    result = convert(
        tmp_path,
        {
            "pyproject.toml": '[tool.modular]\ninheritance = "transformers"\n',
            "models/tools.py": tools,
            "models/fern/modeling_fern.py": parent,
            "models/moss/modular_moss.py": "from ..fern.modeling_fern import FernMLP\n"
            "\n\nclass MossMLP(FernMLP):\n    depth = 1\n",
        },
    )
    assert result.codes == ([] if is_error is None else [("MOD492", 1)])
    levels = [diagnostic.severity.value for diagnostic in result.diagnostics]
    assert ("error" in levels) is bool(is_error)


def test_a_wrong_word_in_a_comment_is_an_info(tmp_path: Path) -> None:
    result = convert_with(tmp_path, "self.n = 1  # ferns", "pass")
    (finding,) = result.diagnostics
    assert (finding.code.id, finding.severity.value) == ("MOD492", "info")


@pytest.mark.parametrize(
    ("base", "level"),
    [
        ("class Fernery:\n    pass\n", "error"),
        ("class Fernery:\n    pass\n\n\nMossery = Fernery\n", "warning"),
        ("class Fernery:\n    pass\n\n\ndef __getattr__(name):\n    pass\n", "warning"),
    ],
)
def test_a_wrong_word_that_cannot_be_imported_is_an_error(
    tmp_path: Path, base: str, level: str
) -> None:
    files = {
        "base.py": base,
        "models/fern/modeling_fern.py": "from ...base import Fernery\n\n\nclass FernLeaf(Fernery):\n    pass\n",
        "models/moss/modular_moss.py": "from ..fern.modeling_fern import FernLeaf\n\n\nclass MossLeaf(FernLeaf):\n    pass\n",
    }
    (finding,) = convert(tmp_path, files).diagnostics
    assert (finding.code.id, finding.severity.value) == ("MOD492", level)


@pytest.mark.parametrize(
    ("imported", "use", "severity"),
    [
        ("from ...base import fern", "fern(2)", Severity.ERROR),
        ("from ... import base", "base.fern(2)", Severity.WARNING),
        ("import torch", "torch.nn.fern_norm(2)", Severity.WARNING),
    ],
)
def test_a_name_from_elsewhere_that_is_the_models_name_is_listed(
    tmp_path: Path, imported: str, use: str, severity: Severity
) -> None:
    files = {
        "pyproject.toml": SETTINGS.format("transformers"),
        "lib/models/fern/modeling_fern.py": (
            f"{imported}\n\n\nclass FernMLP:\n    def run(self):\n        return {use}\n"
        ),
        "lib/models/moss/modular_moss.py": (
            "from ..fern.modeling_fern import FernMLP\n\n\n"
            "class MossMLP(FernMLP):\n    pass\n"
        ),
        "lib/base.py": "def fern(x):\n    return x\n",
    }
    (finding,) = convert(tmp_path / "renamed", files).diagnostics
    assert (finding.code.id, finding.severity) == ("MOD492", severity)
    assert "`fern" in finding.message
    files["pyproject.toml"] = SETTINGS.format("python")
    result = convert(tmp_path / "kept", files)
    assert result.diagnostics == ()
    assert use in result.only


def test_members_of_own_objects_are_names_of_the_model(tmp_path: Path) -> None:
    result = convert_with(tmp_path, "self.fern = fern_x; print(self.fern.fern)", "pass")
    assert result.codes == []


def test_the_modular_file_defines_the_new_name_of_an_import(tmp_path: Path) -> None:
    parent = (
        "from ...outputs import FernOutput\n\n\nclass FernMLP:\n"
        "    def run(self):\n        return FernOutput(1)\n"
    )
    modular = (
        "from ...outputs import FernOutput\nfrom ..fern.modeling_fern import FernMLP\n\n\n"
        "MossOutput = FernOutput\n\n\nclass MossMLP(FernMLP):\n    pass\n"
    )
    files = {
        "pyproject.toml": SETTINGS.format("transformers"),
        "lib/models/fern/modeling_fern.py": parent,
        "lib/models/moss/modular_moss.py": modular,
    }
    assert convert(tmp_path, files).diagnostics == ()
