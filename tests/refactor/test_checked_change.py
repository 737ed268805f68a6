"""The effect of a change on generated files, which is found before the change is written."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from modular.cli.rendering.diffs import causes_of
from modular.project.opening import open_project
from modular.refactor.checked_change import CheckedChange, check_change
from modular.run.api import check, convert
from modular.run.options import Options
from tests.support import source, write_project


BASE = "models/base/modeling_base.py"
CHILD = "models/child/modular_child.py"
GRANDCHILD = "models/grandchild/modular_grandchild.py"

FILES = {
    "pyproject.toml": '[tool.modular]\npreset = "transformers"\n',
    BASE: """
        class BaseMLP:
            size = 1
        """,
    CHILD: """
        from ..base.modeling_base import BaseMLP


        class ChildMLP(BaseMLP):
            pass
        """,
    GRANDCHILD: """
        from ..child.modeling_child import ChildMLP


        class GrandchildMLP(ChildMLP):
            pass
        """,
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "project"
    write_project(folder, {path: source(text) for path, text in FILES.items()})
    convert(options=Options(root=folder, jobs=1))
    check(options=Options(root=folder, jobs=1))
    return folder


def new_sources(root: Path) -> dict[str, str]:
    """Rename the class of the base model, and change its field."""
    sources = {}
    for path in (BASE, CHILD):
        text = (root / path).read_text().replace("BaseMLP", "BaseGate")
        sources[path] = text.replace("size = 1", "size = 2")
    return sources


def check_unplanned(root: Path, sources: Mapping[str, str]) -> CheckedChange:
    options = Options(root=root, jobs=1)
    return check_change(open_project(root), sources, options, is_planned=False)


def cached_bytes(root: Path) -> dict[str, bytes]:
    files = (root.parent / "cache").rglob("*")
    return {str(file): file.read_bytes() for file in files if file.is_file()}


def test_a_change_that_is_not_planned_uses_the_cache(
    root: Path, converted: list[str]
) -> None:
    converted.clear()
    changed_child = (root / CHILD).read_text() + "# The end.\n"
    assert check_unplanned(root, {CHILD: changed_child}).errors == ()
    assert converted == ["child"]


def test_a_change_that_is_not_planned_leaves_the_cache_as_it_is(
    root: Path, converted: list[str]
) -> None:
    before = cached_bytes(root)
    change = check_unplanned(root, new_sources(root))
    assert change.generated()
    assert cached_bytes(root) == before
    converted.clear()
    assert check(options=Options(root=root, jobs=1)).is_clean
    assert converted == []


def test_causes_of_a_change_that_is_not_planned_leave_the_cache_as_it_is(
    root: Path, converted: list[str]
) -> None:
    before = cached_bytes(root)
    report = check_unplanned(root, new_sources(root)).report
    converted.clear()
    assert [len(cause.files) for cause in causes_of(report)] == [2]
    assert converted == []
    assert cached_bytes(root) == before


@pytest.mark.parametrize("is_planned", [False, True])
def test_the_result_is_that_of_a_conversion_of_the_written_change(
    root: Path, is_planned: bool
) -> None:
    sources = new_sources(root)
    options = Options(root=root, jobs=1)
    project = open_project(root)
    change = check_change(project, sources, options, is_planned=is_planned)
    # The second time, the cache may have results of the first.
    again = check_change(project, sources, options, is_planned=is_planned)

    for path, text in sources.items():
        (root / path).write_text(text)
    convert(options=Options(root=root, jobs=1, cache=False))
    paths = [
        "models/child/modeling_child.py",
        "models/grandchild/modeling_grandchild.py",
    ]
    texts = {path: (root / path).read_text() for path in paths}
    assert change.generated() == texts
    assert again.generated() == texts
    assert "size = 2" in texts[paths[1]]


def test_a_written_file_is_compared_with_results_of_its_own_text(root: Path) -> None:
    check_unplanned(root, new_sources(root))
    (root / BASE).write_text(source(FILES[BASE]).replace("size = 1", "size = 3"))
    report = check(options=Options(root=root, jobs=1))
    result = report.results[GRANDCHILD]
    (text,) = result.texts.values()
    assert "size = 3" in text
