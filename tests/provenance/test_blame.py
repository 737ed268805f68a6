"""The origin of each line of a generated file."""

from pathlib import Path

import pytest

import modular as api
from tests import support


SETTINGS = f'[tool.modular]\npreset = "transformers"\n{support.FORMATTING}'


def blamed(
    root: Path,
    modular_file: str,
    parent: str,
    settings: str = SETTINGS,
    **files: str,
) -> list[str]:
    """Blame what a modular file generates: the lines that are not blank, each after its kind, its file and its line.

    The parent is `models/hawk/modeling_hawk.py`; further modeling files go by their models' names.
    """
    parents = {
        f"models/{model}/modeling_{model}.py": text
        for model, text in {"hawk": parent, **files}.items()
    }
    for path, text in {
        **parents,
        "models/owl/modular_owl.py": modular_file,
        "pyproject.toml": settings,
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(support.source(text))
    report = api.convert(options=api.Options(root=root, jobs=1, cache=False))
    assert not report.has_errors, report.diagnostics
    found = []
    for path in sorted(report.texts):
        blame = api.blame(root / path)
        for line, text in zip(blame.lines, blame.texts, strict=True):
            place = (
                f" {line.path.rpartition('/')[2]}:{line.origin_line}"
                if line.path
                else ""
            )
            found.append(f"{line.kind.value}{place} | {text}")
    return [line for line in found if not line.endswith("| ")]


OWL = "models/owl/modeling_owl.py"


def test_the_banner_and_a_body_of_which_nothing_is_left_are_made(
    tmp_path: Path,
) -> None:
    parent = """
        class HawkWing:
            size = 1
        """
    modular_file = """
        from ..hawk.modeling_hawk import HawkWing


        class OwlWing(HawkWing):
            size = AttributeError()
        """
    settings = '[tool.modular.banner]\ntext = "# Made from {name}.\\n"\n'
    assert blamed(tmp_path, modular_file, parent, settings) == [
        "made | # Made from modular_owl.py.",
        "inherited modeling_hawk.py:1 | class OwlWing:",
        "made |     pass",
    ]


def test_imports_are_found_where_they_stand_however_they_are_sorted_and_joined(
    tmp_path: Path,
) -> None:
    """A line that is made of several imports comes from the one that has most of it."""
    parent = """
        from typing import (
            Any,
            TextIO,
        )

        import torch

        from ...utils import logging


        logger = logging.get_logger(__name__)


        class HawkWing(TextIO):
            def beat(self, x: Any) -> torch.Tensor:
                logger.info("beat")
        """
    modular_file = """
        import os
        from typing import Literal

        from ...utils import is_windy, unused
        from ..hawk.modeling_hawk import HawkWing


        if is_windy():
            from wind import Gust


        class OwlWing(HawkWing):
            def soar(self, then: Literal[1]) -> Gust:
                return then(os.getcwd())
        """
    blame = blamed(tmp_path, modular_file, parent)
    assert blame[
        : blame.index(
            "needed modeling_hawk.py:11 | logger = logging.get_logger(__name__)"
        )
    ] == [
        "import modular_owl.py:1 | import os",
        "import modeling_hawk.py:1 | from typing import Any, Literal, TextIO",
        "import modeling_hawk.py:6 | import torch",
        "import modular_owl.py:4 | from ...utils import is_windy, logging",
        "import modular_owl.py:8 | if is_windy():",
        "import modular_owl.py:9 |     from wind import Gust",
    ]


def test_each_line_of_a_long_import_leads_to_its_own(tmp_path: Path) -> None:
    parent = """
        from ...utils import (
            an_import_with_a_name_that_is_rather_long,
            another_import_with_a_name_that_is_long_too,
            not_used_at_all,
            the_last_import_of_which_the_name_is_long,
        )


        class HawkWing:
            names = (
                an_import_with_a_name_that_is_rather_long,
                another_import_with_a_name_that_is_long_too,
                the_last_import_of_which_the_name_is_long,
            )
        """
    modular_file = """
        from ..hawk.modeling_hawk import HawkWing


        class OwlWing(HawkWing):
            pass
        """
    assert blamed(tmp_path, modular_file, parent)[:5] == [
        "import modeling_hawk.py:1 | from ...utils import (",
        "import modeling_hawk.py:2 |     an_import_with_a_name_that_is_rather_long,",
        "import modeling_hawk.py:3 |     another_import_with_a_name_that_is_long_too,",
        "import modeling_hawk.py:5 |     the_last_import_of_which_the_name_is_long,",
        "import modeling_hawk.py:6 | )",
    ]


def test_lines_that_the_formatter_splits_and_joins(tmp_path: Path) -> None:
    """A line that is made of two comes from the one of which more is in it."""
    parent = """
        class HawkWing:
            def beat(self, x, strength=1.0, with_a_long_name=None, and_another_long_name=None, hawk_wing_span=2):
                if (x is None
                    or strength == 0):
                    return 'nothing'
                return x
        """
    modular_file = """
        from ..hawk.modeling_hawk import HawkWing


        class GreatGreyOwlWing(HawkWing):
            pass
        """
    settings = SETTINGS.replace("119", "60")
    assert blamed(tmp_path, modular_file, parent, settings) == [
        "inherited modeling_hawk.py:1 | class GreatGreyOwlWing:",
        "inherited modeling_hawk.py:2 |     def beat(",
        "inherited modeling_hawk.py:2 |         self,",
        "inherited modeling_hawk.py:2 |         x,",
        "inherited modeling_hawk.py:2 |         strength=1.0,",
        "inherited modeling_hawk.py:2 |         with_a_long_name=None,",
        "inherited modeling_hawk.py:2 |         and_another_long_name=None,",
        "inherited modeling_hawk.py:2 |         great_grey_owl_wing_span=2,",
        "inherited modeling_hawk.py:2 |     ):",
        "inherited modeling_hawk.py:4 |         if x is None or strength == 0:",
        'inherited modeling_hawk.py:5 |             return "nothing"',
        "inherited modeling_hawk.py:6 |         return x",
    ]


def test_merged_parameters_are_the_parents_and_the_modulars(tmp_path: Path) -> None:
    parent = """
        class HawkWing:
            def beat(
                self,
                x,
                strength: float = 1.0,
                **kwargs,
            ) -> tuple:
                return x, strength
        """
    modular_file = """
        from ..hawk.modeling_hawk import HawkWing


        class OwlWing(HawkWing):
            def beat(self, strength: float = 2.0, silent: bool = True, **super_kwargs):
                return super().beat(**super_kwargs)
        """
    settings = SETTINGS.replace("119", "60")
    assert blamed(tmp_path, modular_file, parent, settings)[1:] == [
        "own modular_owl.py:5 |     def beat(",
        "own modular_owl.py:5 |         self,",
        "inherited modeling_hawk.py:4 |         x,",
        "own modular_owl.py:5 |         strength: float = 2.0,",
        "own modular_owl.py:5 |         silent: bool = True,",
        "inherited modeling_hawk.py:6 |         **kwargs,",
        "inherited modeling_hawk.py:7 |     ) -> tuple:",
        "merged modeling_hawk.py:8 |         return x, strength",
    ]


def test_a_long_list_of_exports_leads_to_each_name(tmp_path: Path) -> None:
    modular_file = """
        class OwlWing:
            pass


        class OwlFeather:
            pass


        __all__ = [
            "OwlConfig",
            "OwlWing",
            "OwlFeather",
        ]
        """
    settings = SETTINGS.replace("119", "30")
    assert blamed(tmp_path, modular_file, "", settings)[-4:] == [
        "own modular_owl.py:9 | __all__ = [",
        'own modular_owl.py:11 |     "OwlWing",',
        'own modular_owl.py:12 |     "OwlFeather",',
        "own modular_owl.py:13 | ]",
    ]


def test_what_an_import_brings_along_is_needed(tmp_path: Path) -> None:
    parent = """
        def flap(x):
            return x
        """
    modular_file = """
        from ..hawk.modeling_hawk import flap


        def twice(x):
            return flap(flap(x))


        class OwlWing:
            beat = twice
        """
    assert blamed(tmp_path, modular_file, parent) == [
        "needed modeling_hawk.py:1 | def flap(x):",
        "needed modeling_hawk.py:2 |     return x",
        "own modular_owl.py:4 | def twice(x):",
        "own modular_owl.py:5 |     return flap(flap(x))",
        "own modular_owl.py:8 | class OwlWing:",
        "own modular_owl.py:9 |     beat = twice",
    ]


def test_the_lines_of_a_docstring(tmp_path: Path) -> None:
    """The parent's `Copied from` comment is gone; words in strings lead to their lines like any others."""
    parent = """
        # Copied from models.bird.modeling_bird.BirdWing with Bird->Hawk
        class HawkWing:
            '''The wing of a Hawk.

            It is "wide".
            '''

            size = 1
        """
    modular_file = """
        from ..hawk.modeling_hawk import HawkWing


        class OwlWing(HawkWing):
            pass
        """
    assert blamed(tmp_path, modular_file, parent) == [
        "inherited modeling_hawk.py:2 | class OwlWing:",
        'inherited modeling_hawk.py:3 |     """The wing of a Owl.',
        'inherited modeling_hawk.py:5 |     It is "wide".',
        'inherited modeling_hawk.py:6 |     """',
        "inherited modeling_hawk.py:8 |     size = 1",
    ]


def test_an_edited_parent_moves_the_origins(
    birds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The generated text is the same, so nothing else would tell."""
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "cache"))
    api.check(options=api.Options(root=birds))
    before = {
        line.line: (line.kind.value, line.path, line.origin_line)
        for line in api.blame(birds / OWL).lines
    }
    assert before[16] == ("merged", "models/hawk/modeling_hawk.py", 17)
    assert before[18] == ("own", "models/owl/modular_owl.py", 9)
    parent = birds / "models/hawk/modeling_hawk.py"
    parent.write_text("\n" + parent.read_text())
    lines = api.blame(birds / OWL).lines
    assert [line.origin_line for line in lines if line.line in (7, 16)] == [9, 18]


def test_a_kept_method_comes_from_the_parent_file(tmp_path: Path) -> None:
    parent = """
        class HawkWing:
            def beat(self, x):
                # Twice.
                return 2 * x

            def fold(self, x):
                return -x
        """
    modular_file = """
        from ..hawk.modeling_hawk import HawkWing


        class OwlWing(HawkWing):
            def beat(self, x):
                return [super().beat(x)]

            def fold(self, x):
                y = super().fold(x)
                return y
        """
    settings = '[tool.modular]\ninheritance = "python"\n'
    lines = blamed(tmp_path, modular_file, parent, settings)
    assert [line for line in lines if "| #" not in line] == [
        "inherited modeling_hawk.py:1 | class OwlWing:",
        "inherited modeling_hawk.py:2 |     def _hawk_wing_beat(self, x):",
        "inherited modeling_hawk.py:3 |         # Twice.",
        "inherited modeling_hawk.py:4 |         return 2 * x",
        "own modular_owl.py:5 |     def beat(self, x):",
        "own modular_owl.py:6 |         return [self._hawk_wing_beat(x)]",
        "own modular_owl.py:8 |     def fold(self, x):",
        "merged modeling_hawk.py:7 |         y = -x",
        "own modular_owl.py:10 |         return y",
    ]
