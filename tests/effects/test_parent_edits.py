"""Edits of parents: which generated files change, and what `impact` says causes it."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import modular
from modular import Impact, Options
from tests.repository import Repository, make


HAWK = """\
import math
from functools import wraps

from torch import nn


WIDTH = 4


def traced(method):
    @wraps(method)
    def run(*args):
        return method(*args)

    return run


def flap(x):
    return math.floor(x)


class HawkCenteredNorm(nn.Module):
    def forward(self, x):
        return x - x.mean()


class HawkWing(nn.Module):
    \"\"\"A wing.\"\"\"

    size = 1

    def __init__(self, config):
        super().__init__()
        self.span = config.span

    def beat(self, x):
        y = flap(x) + WIDTH
        return y

    def fold(self):
        # Slowly.
        self.span = 0

    @traced
    def rest(self, hours):
        return hours


class HawkModel(nn.Module):
    wing_class = HawkWing

    def forward(self, x):
        return self.wing_class(x)
"""

OWL = """\
from ..hawk.modeling_hawk import HawkModel, HawkWing


class OwlWing(HawkWing):
    pass


class OwlModel(HawkModel):
    pass
"""

SNOW_GOOSE = """\
from ..hawk.modeling_hawk import HawkModel, HawkWing


class SnowGooseWing(HawkWing):
    def fold(self):
        return None


class SnowGooseModel(HawkModel):
    pass
"""

OWLET = """\
from ..owl.modeling_owl import OwlWing


class OwletWing(OwlWing):
    pass
"""

CROW = """\
from ..hawk.modeling_hawk import HawkCenteredNorm


class CrowTextCenteredNorm(HawkCenteredNorm):
    pass
"""

CROWLING = """\
from ..crow.modeling_crow import CrowTextCenteredNorm


class CrowlingTextCenteredNorm(CrowTextCenteredNorm):
    pass
"""

RAVEN = """\
from ..hawk.modeling_hawk import HawkCenteredNorm


class RavenCenteredNorm(HawkCenteredNorm):
    pass
"""

PARENT = "models/hawk/modeling_hawk.py"
FILES = {
    "pyproject.toml": '[tool.modular]\npreset = "transformers"\n[tool.modular.banner]\ntext = ""\n',
    PARENT: HAWK,
    "models/owl/modular_owl.py": OWL,
    "models/snow_goose/modular_snow_goose.py": SNOW_GOOSE,
    "models/owlet/modular_owlet.py": OWLET,
    "models/crow/modular_crow.py": CROW,
    "models/crowling/modular_crowling.py": CROWLING,
    "models/raven/modular_raven.py": RAVEN,
}
WINGS = ("owl", "owlet", "snow_goose")
NORMS = ("crow", "crowling", "raven")
ALL = tuple(sorted((*NORMS, *WINGS)))

REST = "    @traced\n    def rest(self, hours):\n        return hours\n"
FOLD = "    def fold(self):\n        # Slowly.\n        self.span = 0\n"
BEAT = "    def beat(self, x):\n        y = flap(x) + WIDTH\n        return y\n"


class Expected(NamedTuple):
    """A cause: its title, its line in the parent file, and the models that change."""

    title: str
    line: int
    models: tuple[str, ...]


class Edit(NamedTuple):
    """Replacements in the parent file, and what they cause."""

    name: str
    replacements: dict[str, str]
    causes: list[Expected]


EDITS = [
    Edit(
        "change a statement",
        {"return y": "return -y"},
        [Expected("HawkWing.beat", 38, WINGS)],
    ),
    Edit(
        "change two methods",
        {"return y": "return -y", "return hours": "return 2 * hours"},
        [Expected("HawkWing.beat", 38, WINGS), Expected("HawkWing.rest", 46, WINGS)],
    ),
    Edit(
        "change a method that one model overrides",
        {"self.span = 0": "self.span = -1"},
        [Expected("HawkWing.fold", 42, ("owl", "owlet"))],
    ),
    Edit("change a constant", {"WIDTH = 4": "WIDTH = 5"}, [Expected("WIDTH", 7, WINGS)]),
    Edit(
        "change a function",
        {"math.floor(x)": "math.floor(x + 1)"},
        [Expected("flap", 19, WINGS)],
    ),
    Edit(
        "change a comment",
        {"# Slowly.": "# Fast."},
        [Expected("HawkWing.fold", 41, ("owl", "owlet"))],
    ),
    Edit("change a docstring", {"A wing.": "One wing."}, [Expected("HawkWing", 28, WINGS)]),
    Edit(
        "change a base class",
        {"class HawkWing(nn.Module)": "class HawkWing(nn.Linear)"},
        [Expected("HawkWing", 27, WINGS)],
    ),
    Edit(
        "change a line with the name of the model",
        {"x - x.mean()": "x - HawkCenteredNorm.mean(x)"},
        [Expected("HawkCenteredNorm.forward", 24, NORMS)],
    ),
    Edit(
        "delete a method, its decorator and an import",
        {f"\n{REST}": ""},
        [Expected("HawkWing.rest", 42, WINGS)],
    ),
    Edit(
        "delete a method that one model overrides",
        {f"{FOLD}\n": ""},
        # The override of snow_goose moves behind the inherited methods.
        [Expected("HawkWing.fold", 38, WINGS)],
    ),
    Edit(
        "delete the use of a constant",
        {" + WIDTH": ""},
        [Expected("HawkWing.beat", 37, WINGS)],
    ),
    Edit(
        "delete the use of a function that uses an import",
        {"flap(x) + ": "x + "},
        [Expected("HawkWing.beat", 37, WINGS)],
    ),
    Edit(
        "delete a decorator",
        {"    @traced\n": ""},
        [Expected("HawkWing.rest", 44, WINGS)],
    ),
    Edit("delete an attribute", {"    size = 1\n\n": ""}, [Expected("HawkWing.size", 28, WINGS)]),
    Edit(
        "add a method",
        {FOLD: f"{FOLD}\n    def glide(self):\n        return self.span\n"},
        [Expected("HawkWing.glide", 44, WINGS)],
    ),
    Edit(
        "add a method with an import",
        {
            "import math\n": "import math\nimport random\n",
            FOLD: f"{FOLD}\n    def glide(self):\n        return random.random()\n",
        },
        [Expected("HawkWing.glide", 45, WINGS)],
    ),
    Edit(
        "add a method with a function",
        {
            "class HawkCentered": "def soar():\n    return 1\n\n\nclass HawkCentered",
            FOLD: f"{FOLD}\n    def glide(self):\n        return soar()\n",
        },
        [Expected("soar", 22, WINGS)],
    ),
    Edit(
        "add an attribute",
        {"size = 1\n": "size = 1\n    depth = 2\n"},
        [Expected("HawkWing.depth", 31, WINGS)],
    ),
    Edit(
        "add the same attribute to two classes",
        {
            "size = 1\n": "size = 1\n    depth = 2\n",
            "wing_class = HawkWing\n": "wing_class = HawkWing\n    depth = 2\n",
        },
        [
            Expected("HawkWing.depth", 31, WINGS),
            Expected("HawkModel.depth", 52, ("owl", "snow_goose")),
        ],
    ),
    Edit(
        "add a decorator",
        {"    def fold": "    @traced\n    def fold"},
        # The override takes the decorators of the parent.
        [Expected("HawkWing.fold", 40, WINGS)],
    ),
    Edit(
        "add a parameter",
        {"__init__(self, config)": "__init__(self, config, depth)"},
        [Expected("HawkWing.__init__", 32, WINGS)],
    ),
    Edit(
        "rename a method",
        {"def beat": "def flutter"},
        [Expected("HawkWing.flutter", 36, WINGS)],
    ),
    Edit(
        "rename a function and its call",
        {"flap(x)": "flop(x)"},
        [Expected("flop", 18, WINGS)],
    ),
    Edit(
        "rename a constant and its use",
        {"WIDTH": "BREADTH"},
        [Expected("BREADTH", 7, WINGS)],
    ),
    Edit(
        "reorder methods",
        {f"{FOLD}\n": "", BEAT: f"{FOLD}\n{BEAT}"},
        [Expected("HawkWing.fold", 36, WINGS)],
    ),
    Edit(
        "reorder functions",
        {
            "\n\ndef flap(x):\n    return math.floor(x)\n": "",
            "\n\ndef traced": "\n\ndef flap(x):\n    return math.floor(x)\n\n\ndef traced",
        },
        [Expected("flap", 10, WINGS)],
    ),
    Edit(
        "move a method to another class",
        {f"{REST}\n\n": "\n", "    wing_class = HawkWing\n": f"    wing_class = HawkWing\n\n{REST}"},
        [
            Expected("HawkWing.rest", 44, WINGS),
            Expected("HawkModel.rest", 48, ("owl", "snow_goose")),
        ],
    ),
    Edit(
        "replace a method by a function that another class calls",
        {REST: "\ndef soar(x):\n    return x\n", "wing_class(x)": "wing_class(soar(x))"},
        [
            Expected("HawkWing.rest", 42, WINGS),
            Expected("soar", 45, ("owl", "snow_goose")),
        ],
    ),
    Edit(
        "import a module by another name",
        {"import math": "import math as maths", "math.floor": "maths.floor"},
        [Expected("flap", 19, WINGS)],
    ),
    Edit(
        "write an import in another way",
        {"from torch import nn": "import torch.nn as nn"},
        [Expected("module level", 4, ALL)],
    ),
    Edit(
        "write an import in another way, and use its name elsewhere",
        {
            "from torch import nn": "import torch.nn as nn",
            "class HawkWing(nn.Module)": "class HawkWing(nn.Linear)",
        },
        [Expected("module level", 4, ALL), Expected("HawkWing", 27, WINGS)],
    ),
    Edit("add an import that nothing uses", {"import math\n": "import math\nimport os\n"}, []),
    Edit("change a function that no model uses", {"WIDTH = 4": "WIDTH = 4\n\n\ndef soar():\n    pass"}, []),
]  # fmt: skip


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    repository = make(tmp_path_factory.mktemp("edits") / "project")
    repository.git("rm", "--quiet", "-r", "models")
    repository.write(FILES)
    assert repository.modular("convert").returncode == 0
    repository.commit()
    return repository


@pytest.fixture
def root(committed: Repository) -> Iterator[Path]:
    """The project; afterwards the parent file is as it was."""
    yield committed.root
    committed.write({PARENT: HAWK})


def effects(root: Path, replacements: dict[str, str]) -> Impact:
    text = HAWK
    for old, new in replacements.items():
        assert old in text
        text = text.replace(old, new)
    (root / PARENT).write_text(text)
    return modular.impact(options=Options(root=root, jobs=1))


@pytest.mark.parametrize("edit", EDITS, ids=[edit.name for edit in EDITS])
def test_an_edit_has_exactly_these_files_and_causes(root: Path, edit: Edit) -> None:
    result = effects(root, edit.replacements)
    causes = []
    for cause in result.causes:
        assert cause.place is not None and cause.place.path == PARENT
        causes.append(Expected(cause.title, cause.place.line, cause.models))
    assert causes == edit.causes

    models: set[str] = set()
    for expected in edit.causes:
        models.update(expected.models)
    files = {f"models/{model}/modeling_{model}.py" for model in models}
    assert {file.path for file in result.files} == files
    assert not result.diagnostics


def test_a_lost_import_is_shown_with_the_code_that_used_it(root: Path) -> None:
    replacements = {"WIDTH = 4": "WIDTH = 4  # to import", "math.floor(x)": "x"}
    lines = {
        cause.title: cause.changes[0].lines
        for cause in effects(root, replacements).causes
    }
    assert lines.keys() == {"WIDTH", "flap"}
    assert "-import math" in lines["flap"]


def test_each_lost_import_is_shown_with_its_own_user(root: Path) -> None:
    replacements = {"math.floor(x)": "x", "(nn.Module)": ""}
    lines = {
        cause.title: cause.changes[0].lines
        for cause in effects(root, replacements).causes
    }
    assert "-import math" in lines["flap"]
    assert "-from torch import nn" not in lines["flap"]
    assert "-from torch import nn" in lines["HawkWing"]
