"""A watcher converts the models that a saved file affects."""

import threading
from pathlib import Path

import pytest

from modular.run.api import Options, Report, Status
from modular.run.watching import Watcher
from modular.settings.settings import SettingsError
from modular.system.errors import ModularError
from tests.flock import EAGLE, GENERATED, MODULAR_OWL, make_flock


OWL, OWLET = "models/owl/modeling_owl.py", "models/owlet/modeling_owlet.py"


def started(root: Path, *targets: str) -> Watcher:
    """A watcher that has made its first step in a converted flock."""
    watcher = Watcher(targets, Options(root=make_flock(root), jobs=1))
    watcher.convert_all()
    return watcher


def save(watcher: Watcher, *paths: Path) -> Report | ModularError | None:
    """Tell a watcher that files were saved or deleted."""
    return watcher.convert_changes(map(str, paths))


def statuses(step: Report | ModularError | None) -> dict[str, str]:
    assert isinstance(step, Report)
    return {file.path: file.status.value for file in step.files}


def test_the_first_step_converts_everything(tmp_path: Path) -> None:
    watcher = Watcher((), Options(root=make_flock(tmp_path, converted=False), jobs=1))
    step = watcher.convert_all()
    assert statuses(step) == {OWL: "written", OWLET: "written"}
    assert {path: (tmp_path / path).read_text() for path in GENERATED} == GENERATED


def test_a_saved_modular_file_and_its_children(tmp_path: Path) -> None:
    watcher = started(tmp_path)
    saved = MODULAR_OWL.replace("    pass", "    def beat(self):\n        return 2", 1)
    (tmp_path / "models/owl/modular_owl.py").write_text(saved)
    step = save(watcher, tmp_path / "models/owl/modular_owl.py")
    assert statuses(step) == {OWL: "written", OWLET: "written"}
    assert "return 2" in (tmp_path / OWLET).read_text()
    assert save(watcher, tmp_path / OWL, tmp_path / OWLET) is None


def test_only_what_is_affected(tmp_path: Path) -> None:
    watcher = started(tmp_path)
    modular = tmp_path / "models/owlet/modular_owlet.py"
    modular.write_text(modular.read_text() + "\n\nclass OwletNest:\n    pass\n")
    assert statuses(save(watcher, modular)) == {OWLET: "written"}
    assert save(watcher, tmp_path / "README.md") is None


def test_a_saved_parent_written_by_hand(tmp_path: Path) -> None:
    watcher = started(tmp_path)
    (tmp_path / "models/eagle/modeling_eagle.py").write_text(
        EAGLE.replace("return 1", "return 3")
    )
    step = save(watcher, tmp_path / "models/eagle/modeling_eagle.py")
    assert statuses(step) == {OWL: "written", OWLET: "written"}


def test_generated_files_are_not_watched(tmp_path: Path) -> None:
    watcher = started(tmp_path)
    (tmp_path / OWL).write_text("edited = True\n")
    assert save(watcher, tmp_path / OWL) is None


def test_a_new_model_and_one_that_goes(tmp_path: Path) -> None:
    watcher = started(tmp_path)
    modular = tmp_path / "models/hawk/modular_hawk.py"
    modular.parent.mkdir()
    modular.write_text(
        "from ..eagle.modeling_eagle import EagleWing\n\n\nclass HawkWing(EagleWing):\n    pass\n"
    )
    assert statuses(save(watcher, modular)) == {
        "models/hawk/modeling_hawk.py": "written"
    }
    modular.unlink()
    assert save(watcher, modular) is None


def test_targets_bound_what_is_converted(tmp_path: Path) -> None:
    watcher = started(tmp_path, "owlet")
    (tmp_path / "models/eagle/modeling_eagle.py").write_text(
        EAGLE.replace("return 1", "return 3")
    )
    step = save(watcher, tmp_path / "models/eagle/modeling_eagle.py")
    assert statuses(step) == {OWLET: "written"}
    assert (tmp_path / OWL).read_text() == GENERATED[OWL]


def test_the_project_is_that_of_the_targets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, elsewhere = (
        make_flock(tmp_path / "flock", converted=False),
        tmp_path / "elsewhere",
    )
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    watcher = Watcher((str(root / "models/owlet"),), Options(jobs=1))
    assert statuses(watcher.convert_all()) == {OWLET: "written"}
    (root / "models/eagle/modeling_eagle.py").write_text(
        EAGLE.replace("return 1", "return 3")
    )
    step = save(watcher, root / "models/eagle/modeling_eagle.py")
    assert statuses(step) == {OWLET: "written"}


def test_an_error_is_reported_and_watching_goes_on(tmp_path: Path) -> None:
    watcher = started(tmp_path)
    modular = tmp_path / "models/owlet/modular_owlet.py"
    text = modular.read_text()
    modular.write_text("class (\n")
    step = save(watcher, modular)
    assert isinstance(step, Report)
    assert [diagnostic.code.id for diagnostic in step.diagnostics] == ["MOD101"]
    assert (tmp_path / OWLET).read_text() == GENERATED[OWLET]
    assert save(watcher) is None, "an error is reported once"
    modular.write_text(text)
    assert statuses(save(watcher, modular)) == {OWLET: "unchanged"}


def test_a_parent_that_goes_and_comes_back(tmp_path: Path) -> None:
    watcher = started(tmp_path)
    parent = tmp_path / "models/eagle/modeling_eagle.py"
    parent.unlink()
    step = save(watcher, parent)
    assert isinstance(step, Report)
    assert step.has_errors
    parent.write_text(EAGLE.replace("return 1", "return 4"))
    assert statuses(save(watcher, parent)) == {OWL: "written", OWLET: "written"}


def test_saved_settings_count(tmp_path: Path) -> None:
    watcher = started(tmp_path)
    (tmp_path / "ruff.toml").write_text('[format]\nindent-style = "tab"\n')
    step = save(watcher, tmp_path / "ruff.toml")
    assert statuses(step) == {OWL: "written", OWLET: "written"}
    assert "\tdef beat(self):\n\t\treturn 1\n" in (tmp_path / OWLET).read_text()


def test_wrong_settings_are_reported_and_watching_goes_on(tmp_path: Path) -> None:
    watcher = started(tmp_path)
    settings = tmp_path / "pyproject.toml"
    text = settings.read_text()
    settings.write_text("[tool.modular]\nmodel = 3\n")
    parent = tmp_path / "models/eagle/modeling_eagle.py"
    parent.write_text(EAGLE.replace("return 1", "return 5"))
    assert (
        str(save(watcher, settings, parent))
        == "pyproject.toml:2: tool.modular.model: unknown key; did you mean `models`?"
    )
    settings.write_text(text)
    assert statuses(save(watcher, settings)) == {OWL: "written", OWLET: "written"}


def test_wrong_settings_at_first_are_raised(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.modular]\nmodel = 3\n")
    with pytest.raises(SettingsError):
        Watcher((), Options(root=tmp_path))


def test_a_model_in_error_at_first(tmp_path: Path) -> None:
    make_flock(tmp_path)
    (tmp_path / "models/owlet/modular_owlet.py").write_text("class (\n")
    watcher = Watcher((), Options(root=tmp_path, jobs=1))
    step = watcher.convert_all()
    assert isinstance(step, Report)
    assert [file.path for file in step.files if file.status is Status.ERROR] == [
        "models/owlet/modular_owlet.py"
    ]


@pytest.mark.parametrize("delay_s", [0.0, 2.0], ids=["before", "while it waits"])
def test_a_file_that_is_saved_before_or_during_the_watch(
    tmp_path: Path, delay_s: float
) -> None:
    watcher = started(tmp_path)
    saved = MODULAR_OWL.replace("    pass", "    def beat(self):\n        return 2", 1)
    modular = tmp_path / "models/owl/modular_owl.py"
    timer = threading.Timer(delay_s, modular.write_text, [saved])
    timer.start()
    assert statuses(next(watcher.steps())) == {OWL: "written", OWLET: "written"}
