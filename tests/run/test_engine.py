"""Lines of models, each of which takes something from the one before and from the same hand-written file."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from modular.conversion.conversion import Conversion
from modular.conversion.converter import Converter
from tests.support import FORMATTING, statuses


Modular = Callable[..., Result]
LENGTH = 14
"""Models in a line: enough for more processes than one."""

BASE = """\
class BaseNorm:
    size = 1


class BaseMLP:
    size = 1
"""

FIRST = """\
from ..base.modeling_base import BaseMLP, BaseNorm


class M1Norm(BaseNorm):
    pass


class M1MLP(BaseMLP):
    pass
"""


def link(number: int) -> str:
    """A model whose norm comes from the hand-written file, and whose MLP is that of the model before."""
    before, name = f"M{number - 1}", f"M{number}"
    return (
        f"from ..base.modeling_base import BaseNorm\nfrom ..m{number - 1}.modeling_m{number - 1} import {before}MLP\n\n\n"
        f"class {name}Norm(BaseNorm):\n    pass\n\n\nclass {name}MLP({before}MLP):\n    pass\n"
    )


def modeling(number: int) -> str:
    return f"models/m{number}/modeling_m{number}.py"


def flat(number: int, norm: int, mlp: int) -> str:
    return f"class M{number}Norm:\n    size = {norm}\n\n\nclass M{number}MLP:\n    size = {mlp}\n"


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, modular: Modular) -> Path:
    """The line, converted and in the cache."""
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "cache"))
    root = tmp_path / "project"
    texts = {
        f"models/m{number}/modular_m{number}.py": link(number)
        for number in range(2, LENGTH + 1)
    }
    texts["pyproject.toml"] = "[tool.modular]\n" + FORMATTING
    texts["models/base/modeling_base.py"] = BASE
    texts["models/m1/modular_m1.py"] = FIRST
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(root)
    modular("convert")
    modular("check")
    return root


@pytest.fixture
def conversions(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[[], list[str]]:
    """Which models were converted since, in the order of their conversion, whatever the process."""
    log = tmp_path / "conversions"
    convert = Converter.convert

    def logging(self: Converter, path: str) -> Conversion:
        with open(log, "a", encoding="utf-8") as file:
            file.write(path.split("/")[1] + "\n")
        return convert(self, path)

    monkeypatch.setattr(Converter, "convert", logging)
    return lambda: log.read_text(encoding="utf-8").split() if log.exists() else []


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_each_is_converted_once(
    line: Path, modular: Modular, conversions: Callable[[], list[str]], jobs: str
) -> None:
    replace(line / "models/base/modeling_base.py", "size = 1", "size = 2")
    done = modular("check", "--output-format", "json", "--jobs", jobs)
    assert set(statuses(done).values()) == {"stale"}
    assert conversions() == [f"m{number}" for number in range(1, LENGTH + 1)]
    assert modular("convert", "--jobs", jobs).exit_code == 0
    texts = [
        (line / modeling(number)).read_text(encoding="utf-8")
        for number in range(1, LENGTH + 1)
    ]
    assert texts == [flat(number, 2, 2) for number in range(1, LENGTH + 1)]


def test_a_target_lets_only_its_ancestors_be_converted_before_it(
    line: Path, modular: Modular, conversions: Callable[[], list[str]]
) -> None:
    replace(line / "models/base/modeling_base.py", "size = 1", "size = 2")
    assert modular("convert", "m4").exit_code == 0
    assert conversions() == ["m1", "m2", "m3", "m4"]
    assert (line / modeling(4)).read_text(encoding="utf-8") == flat(4, 2, 2)
    assert (line / modeling(3)).read_text(encoding="utf-8") == flat(3, 1, 1)


def test_what_turns_out_the_same_converts_nothing_behind_it(
    line: Path, modular: Modular, conversions: Callable[[], list[str]]
) -> None:
    replace(
        line / "models/m3/modular_m3.py",
        "class M3Norm",
        "# Nothing else is new.\n\n\nclass M3Norm",
    )
    modular("convert", "m3")
    assert modular("check").exit_code == 0
    assert conversions() == ["m3"]


def test_a_change_in_the_middle(
    line: Path, modular: Modular, conversions: Callable[[], list[str]]
) -> None:
    replace(
        line / "models/m3/modular_m3.py",
        "class M3MLP(M2MLP):\n    pass",
        "class M3MLP(M2MLP):\n    size = 3",
    )
    assert modular("convert").exit_code == 0
    assert conversions() == [f"m{number}" for number in range(3, LENGTH + 1)]
    assert (line / modeling(LENGTH)).read_text(encoding="utf-8") == flat(LENGTH, 1, 3)


def test_a_change_in_the_middle_and_at_the_end(
    line: Path, modular: Modular, conversions: Callable[[], list[str]]
) -> None:
    """Of a modular file that changed nothing is known: it is converted at once, and again after the models that it takes from."""
    replace(
        line / "models/m3/modular_m3.py",
        "class M3MLP(M2MLP):\n    pass",
        "class M3MLP(M2MLP):\n    size = 3",
    )
    replace(
        line / "models/m5/modular_m5.py",
        "class M5Norm(BaseNorm):\n    pass",
        "class M5Norm(BaseNorm):\n    size = 5",
    )
    assert modular("convert", "m5").exit_code == 0
    assert conversions() == ["m3", "m5", "m4", "m5"]
    assert (line / modeling(5)).read_text(encoding="utf-8") == flat(5, 5, 3)
