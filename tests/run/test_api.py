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


def test_a_link_to_a_folder_above_it_leads_to_no_other_models(project: Path) -> None:
    (project / "models/loop").symlink_to(".")
    (project / "models/child/up").symlink_to("..")
    report = modular.check(["child"], options=Options(root=project, cache=False))
    assert [file.path for file in report.files] == [CHILD_FILE]
    files = modular.check(options=Options(root=project, cache=False)).files
    assert not [file for file in files if "loop" in file.path or "up" in file.path]


def test_check_finds_what_is_missing(project: Path) -> None:
    report = modular.check(options=Options(root=project, cache=False, jobs=1))
    assert [file.status for file in report.files] == [Status.MISSING, Status.MISSING]
    assert not report.is_clean
    assert not report.has_errors


def test_trace_gives_the_origin_of_every_line(project: Path) -> None:
    (file,) = modular.trace("child", options=modular.Options(root=project)).files
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
        modular.trace("nobody", options=modular.Options(root=project))


def test_wrong_settings_are_raised(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.modular]\nmodles = []\n")
    with pytest.raises(SettingsError, match="tool.modular.modles"):
        modular.check(options=Options(root=project))


def test_a_text_is_one_target(project: Path) -> None:
    report = modular.check("child", options=Options(root=project))
    assert [file.modular for file in report.files] == ["models/child/modular_child.py"]


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


CHILD_MODULAR = "models/child/modular_child.py"


def test_unsaved_text_is_converted_instead_of_the_file(project: Path) -> None:
    text = (project / CHILD_MODULAR).read_text().replace("return -", "return 2 * ")
    for path in (CHILD_MODULAR, str(project / CHILD_MODULAR)):
        options = Options(root=project, unsaved={path: text})
        report = modular.convert("child", dry_run=True, options=options)
        assert report.texts == {
            CHILD_FILE: CHILD_OUTPUT.replace("return -", "return 2 * ")
        }
    assert not (project / CHILD_FILE).exists()


def test_an_unsaved_parent_changes_its_children(project: Path) -> None:
    path = "models/base/modeling_base.py"
    text = (project / path).read_text().replace("hidden_size, 4", "hidden_size, 8")
    options = Options(root=project, unsaved={path: text})
    report = modular.convert(dry_run=True, options=options)
    for generated in report.texts.values():
        assert "nn.Linear(config.hidden_size, 8)" in generated
    assert len(report.texts) == 2


@pytest.mark.parametrize("target", ["fresh", "models/fresh/modular_fresh.py"])
def test_an_unsaved_modular_file_need_not_exist(
    project: Path, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    monkeypatch.chdir(project)
    text = (project / CHILD_MODULAR).read_text().replace("Child", "Fresh")
    unsaved = {"models/fresh/modular_fresh.py": text}
    report = modular.convert(target, dry_run=True, options=Options(unsaved=unsaved))
    generated = CHILD_OUTPUT.replace("Child", "Fresh")
    assert report.texts == {"models/fresh/modeling_fresh.py": generated}
    assert not (project / "models/fresh").exists()


def test_errors_of_unsaved_text_are_values(project: Path) -> None:
    options = Options(root=project, unsaved={CHILD_MODULAR: "class ("})
    report = modular.check("child", options=options)
    (diagnostic,) = report.diagnostics
    assert (diagnostic.code.id, diagnostic.place.path) == ("MOD101", CHILD_MODULAR)
    assert report.texts == {}


def test_unsaved_text_outside_of_the_project_is_refused(project: Path) -> None:
    options = Options(root=project, unsaved={"../secret.py": "x = 1\n"})
    with pytest.raises(modular.ModularError, match="is outside the project's root"):
        modular.convert(dry_run=True, options=options)


def test_a_new_model_can_be_drafted_and_written(project: Path) -> None:
    options = Options(root=project)
    draft = modular.new("young", "base", dry_run=True, options=options)
    assert draft.path == "models/young/modular_young.py"
    assert not (project / draft.path).exists()
    assert [class_.name for class_ in draft.classes] == ["YoungMLP"]
    assert modular.new("young", "base", options=options) == draft
    assert (project / draft.path).read_text() == draft.text
    with pytest.raises(modular.NewModelError, match="already contains"):
        modular.new("young", "base", options=options)


def test_fixes_can_be_tried_and_written(project: Path) -> None:
    path = project / CHILD_MODULAR
    text = path.read_text()
    path.write_text(f"import os\n\n{text}")
    options = Options(root=project)
    (file,) = modular.fix("child", dry_run=True, options=options).files
    assert [applied.diagnostic.code.id for applied in file.applied] == ["MOD453"]
    assert path.read_text() == f"import os\n\n{text}"
    assert modular.fix("child", options=options).write_problems == ()
    assert "import os" not in path.read_text()


def test_a_project_can_be_set_up(tmp_path: Path) -> None:
    model = tmp_path / "birds/models/eagle/modeling_eagle.py"
    model.parent.mkdir(parents=True)
    model.write_text("class EagleModel:\n    pass\n")
    options = Options(root=tmp_path)
    tried = modular.init(agents=True, dry_run=True, options=options)
    assert [file.path for file in tried.files] == [
        "pyproject.toml",
        ".pre-commit-config.yaml",
        ".github/workflows/modular.yml",
        "AGENTS.md",
    ]
    assert not (tmp_path / "AGENTS.md").exists()
    assert modular.init(agents=True, options=options).files == tried.files
    assert (tmp_path / "AGENTS.md").read_text() == tried.files[-1].after
    assert modular.init(options=options).files == ()
