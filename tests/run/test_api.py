"""The same as a Python API: typed results, and nothing is printed."""

from pathlib import Path

import pytest

import modular
from modular import Options, Status
from modular.settings.settings import SettingsError
from tests.family import CHILD_OUTPUT


CHILD_FILE = "models/child/modeling_child.py"


def test_convert_then_check(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    converted = modular.convert(["child"], options=Options(root=project))
    assert [(file.path, file.modular, file.status) for file in converted.files] == [
        (CHILD_FILE, "models/child/modular_child.py", Status.WRITTEN)
    ]
    assert (converted.modular_lines, converted.generated_lines) == (6, 10)
    assert (project / CHILD_FILE).read_text() == CHILD_OUTPUT
    assert modular.check(["child"], options=Options(root=project)).is_clean
    assert capsys.readouterr() == ("", "")


def test_a_folder_may_be_named_through_links_to_the_root_and_to_the_models(
    project: Path, tmp_path: Path
) -> None:
    (project / "models").rename(project / "tree")
    (project / "models").symlink_to(project / "tree")
    (tmp_path / "link").symlink_to(project)
    report = modular.check(
        [str(tmp_path / "link/models/child")],
        options=Options(root=tmp_path / "link", cache=False),
    )
    assert [file.path for file in report.files] == [CHILD_FILE]


def test_check_finds_what_is_missing(project: Path) -> None:
    report = modular.check(options=Options(root=project, cache=False, jobs=1))
    assert [file.status for file in report.files] == [Status.MISSING, Status.MISSING]
    assert not report.is_clean
    assert not report.has_errors


def test_trace_gives_the_origin_of_every_line(project: Path) -> None:
    (file,) = modular.trace("child", root=project).files
    own = [
        code.origin for code in file.find("ChildMLP", "forward") if code.text.strip()
    ]
    assert [(line.path, line.first_line, line.last_line) for line in own] == [
        ("models/child/modular_child.py", 5, 5),
        ("models/child/modular_child.py", 6, 6),
    ]
    assert {code.origin.path for code in file.find("ChildMLP", "__init__")} == {
        "models/base/modeling_base.py"
    }


def test_trace_of_nothing(project: Path) -> None:
    with pytest.raises(modular.ModularError, match="'nobody' names no modular file"):
        modular.trace("nobody", root=project)


def test_wrong_settings_are_raised(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.modular]\nmodles = []\n")
    with pytest.raises(SettingsError, match="tool.modular.modles"):
        modular.check(options=Options(root=project))


def test_a_text_is_one_target(project: Path) -> None:
    report = modular.check("child", options=Options(root=project))
    assert [file.modular for file in report.files] == ["models/child/modular_child.py"]
    assert [
        saving.model for saving in modular.stats("child", options=Options(root=project))
    ] == ["child"]


def test_rename_takes_what_the_others_take(project: Path) -> None:
    definitions = modular.rename(
        "BaseMLP", "BaseNet", options=Options(root=project)
    ).definitions
    assert [(place.path, place.new) for place in definitions][0] == (
        "models/base/modeling_base.py",
        "BaseNet",
    )


def test_what_there_is_can_be_listed_and_loaded() -> None:
    assert dir(modular) == sorted(modular.__all__)
    assert [name for name in dir(modular) if getattr(modular, name) is None] == []
    assert {
        "Diagnostic",
        "Place",
        "Severity",
        "Provenance",
        "ModularError",
        "where",
        "graph",
    } <= set(dir(modular))
    assert "infer" not in dir(modular), "a folder of modules is no function"


def test_all_errors_have_one_base(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.modular]\nmodles = []\n")
    with pytest.raises(modular.ModularError):
        modular.check(options=Options(root=project))
    with pytest.raises(modular.ModularError):
        modular.blame(project / "models/base/modeling_base.py")


def test_the_text_of_a_report_names_the_files_that_differ(project: Path) -> None:
    report = modular.check(options=Options(root=project))
    assert str(report).splitlines() == [
        "models/child/modeling_child.py: missing",
        "models/grandchild/modeling_grandchild.py: missing",
        "2 missing; 11 lines of modular code, 20 generated (x1.8)",
    ]


def test_the_graph_is_a_value(project: Path) -> None:
    assert [
        (edge.model, edge.parent)
        for edge in modular.graph(options=Options(root=project)).edges
    ] == [
        ("child", "base"),
        ("grandchild", "child"),
    ]
