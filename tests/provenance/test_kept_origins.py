"""A check keeps where each line comes from: blames and causes convert nothing again where nothing has changed."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

import modular as api
from modular.conversion.conversion import Conversion
from modular.conversion.converter import Converter


Run = Callable[..., Result]

OWL = "models/owl/modeling_owl.py"


@pytest.fixture
def converted(birds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The modular files that were converted since, with a cache that knows all of them."""
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "cache"))
    api.check(options=api.Options(root=birds))
    found: list[str] = []
    convert = Converter.convert

    def counting(self: Converter, path: str) -> Conversion:
        found.append(path)
        return convert(self, path)

    monkeypatch.setattr(Converter, "convert", counting)
    yield found


def test_a_blame_after_a_check_converts_nothing(birds: Path, converted: list[str]) -> None:
    blame = api.blame(birds / OWL)
    assert converted == []
    found = {line.line: (line.kind.value, line.path, line.origin_line) for line in blame.lines}
    assert found[16] == ("merged", "models/hawk/modeling_hawk.py", 17)
    assert found[18] == ("own", "models/owl/modular_owl.py", 9)


def test_an_edited_parent_moves_the_origins(birds: Path, converted: list[str]) -> None:
    """The generated text is the same, so nothing else would tell."""
    parent = birds / "models/hawk/modeling_hawk.py"
    parent.write_text("\n" + parent.read_text())
    lines = api.blame(birds / OWL).lines
    assert converted == ["models/owl/modular_owl.py"]
    assert [line.origin_line for line in lines if line.line in (7, 16)] == [9, 18]


def test_causes_of_stale_files_convert_each_model_once(birds: Path, converted: list[str], modular: Run) -> None:
    parent = birds / "models/hawk/modeling_hawk.py"
    parent.write_text(parent.read_text().replace("x - EPS", "x + EPS"))
    done = modular("check")
    assert "--- glide, models/hawk/modeling_hawk.py:12: 2 files, +2 -2\n" in done.stdout
    assert sorted(converted) == ["models/owl/modular_owl.py", "models/owlet/modular_owlet.py"]
