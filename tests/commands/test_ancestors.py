"""Models that generate what another one inherits from: they are converted beside it, for its import statements tell."""

from collections.abc import Collection, Sequence
from pathlib import Path

import pytest

from modular import Options, convert
from modular.conversion.conversion import Conversion
from modular.run.batches import Batches


ODD = "from ..nowhere.modeling_nowhere import NowhereMLP\n\n\nclass OddMLP(NowhereMLP):\n    pass\n"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The models that were converted together, by their folders."""
    found: list[list[str]] = []
    together = Batches.convert

    def counting(self: Batches, modulars: Sequence[str], ahead: Collection[str]) -> list[Conversion]:
        found.append([path.split("/")[1] for path in modulars])
        return together(self, modulars, frozenset(ahead))

    monkeypatch.setattr(Batches, "convert", counting)
    return found


@pytest.mark.parametrize("cache", [False, True])
def test_a_model_and_its_ancestors_are_converted_together(project: Path, asked: list[list[str]], cache: bool) -> None:
    convert(["grandchild"], options=Options(root=project, cache=cache))
    assert asked[0] == ["grandchild", "child"]


def test_what_the_cache_knows_of_is_not_converted_for_that(project: Path, asked: list[list[str]]) -> None:
    options = Options(root=project)
    convert(["child"], options=options)
    asked.clear()
    convert(["grandchild"], options=options)
    assert asked == [["grandchild"]]


def test_what_only_looks_like_an_ancestor_is_dropped(project: Path, asked: list[list[str]]) -> None:
    """It cannot be converted, and nobody hears of that."""
    (project / "models/odd").mkdir()
    (project / "models/odd/modular_odd.py").write_text(ODD, encoding="utf-8")
    modular = project / "models/child/modular_child.py"
    text = modular.read_text(encoding="utf-8")
    modular.write_text(f'"""Not: from ..odd.modeling_odd import OddMLP"""\n\n{text}', encoding="utf-8")
    report = convert(["child"], options=Options(root=project, cache=False))
    assert asked == [["child", "odd"]]
    assert (report.diagnostics, [each.path for each in report.files]) == ((), ["models/child/modeling_child.py"])
