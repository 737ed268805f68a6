"""What leads out of the project's root is refused, whichever way it does. What only stays inside by a link works."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from modular import Options, Report, check, convert
from modular.cli.main import main
from modular.rules.settings import SettingsError
from tests.safety.projects import make, run, state
from tests.support import source


PARENT = "class BaseModel:\n    pass\n"
MODULAR = source(
    """
    from ..base.modeling_base import BaseModel


    class MyModel(BaseModel):
        pass
    """
)
FLAT = "class MyModel:\n    pass\n"
OUTPUT = '[tool.modular]\noutput = "generated"\n'
FILES = {"models/base/modeling_base.py": PARENT, "models/my/modular_my.py": MODULAR}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make(tmp_path / "project", FILES, "ruff")


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the project that holds the same."""
    return make(tmp_path / "outside", FILES, "ruff")


def converted(root: Path, *targets: str) -> Report:
    return convert(targets, options=Options(root=root, cache=False))


def codes(report: Report) -> list[tuple[str, str]]:
    return [(diagnostic.code.id, diagnostic.place.path) for diagnostic in report.diagnostics]


def written(folder: Path) -> Mapping[str, str]:
    """The generated files below a folder."""
    found = (path for path in folder.rglob("*_my.py") if not path.name.startswith("modular_"))
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8").strip() + "\n" for path in found}


def test_a_target_with_dots(root: Path, outside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    target = "../outside/models/my/modular_my.py"
    assert codes(converted(root, target)) == [("MOD107", target)]
    assert written(outside) == {}


@pytest.mark.parametrize(
    ("link", "target", "written_inside"),
    [
        ("models/my/modular_my.py", "models/my/modular_my.py", []),
        ("models/base/modeling_base.py", "models/base/modeling_base.py", []),
        ("models/my/modeling_my.py", "victim.py", []),
        ("models/other", "models/my", ["models/my/modeling_my.py"]),
    ],
    ids=["modular file", "parent file", "generated file", "model folder"],
)
def test_a_link(root: Path, outside: Path, link: str, target: str, written_inside: list[str]) -> None:
    """What a link leads to outside is neither read nor written, nor shown in a diff."""
    (outside / "victim.py").write_text("precious\n", encoding="utf-8")
    left_by_a_killed_run = outside / "models/my/.0123456789abcdef.modular-tmp"
    left_by_a_killed_run.touch()
    (root / link).unlink(missing_ok=True)
    (root / link).symlink_to(outside / target)
    before = state(outside)
    path = link if link.endswith(".py") else f"{link}/modular_my.py"
    for report in (converted(root), check(options=Options(root=root, cache=False))):
        assert codes(report) == [("MOD107", path)]
        assert "precious" not in "".join(file.diff for file in report.files)
    assert [path for path in written(root) if not (root / path).is_symlink()] == written_inside
    assert state(outside) == before


def test_the_import_that_needs_a_parent_file_outside(root: Path, outside: Path) -> None:
    parent = root / "models/base/modeling_base.py"
    parent.unlink()
    parent.symlink_to(outside / "models/base/modeling_base.py")
    related = converted(root).diagnostics[0].related
    assert related is not None and (related.path, related.line) == ("models/my/modular_my.py", 1)


def test_a_link_that_is_made_after_the_cache_knows_the_model(root: Path, outside: Path, tmp_path: Path) -> None:
    assert run(root, "convert").returncode == 0
    test_the_import_that_needs_a_parent_file_outside(root, outside)
    assert run(root, "check").returncode == 1


def test_a_parent_import_with_too_many_dots(root: Path) -> None:
    text = "from .....models.base.modeling_base import BaseModel\n\n\nclass MyModel(BaseModel):\n    pass\n"
    (root / "models/my/modular_my.py").write_text(text, encoding="utf-8")
    report = converted(root)
    assert codes(report) == [("MOD107", "models/my/modular_my.py")]
    assert report.diagnostics[0].place.text == "from .....models.base.modeling_base import BaseModel"
    assert written(root) == {}


def test_an_ordinary_import_with_many_dots_is_nobodys_file(root: Path) -> None:
    text = f"from .....etc import passwd\n{MODULAR}    word = passwd\n"
    (root / "models/my/modular_my.py").write_text(text, encoding="utf-8")
    assert codes(converted(root)) == []
    assert "from .....etc import passwd\n" in written(root)["models/my/modeling_my.py"]


def test_an_output_folder_that_is_a_link(root: Path, outside: Path) -> None:
    (outside / "generated").mkdir()
    (root / "generated").symlink_to(outside / "generated")
    make(root, {**FILES, "pyproject.toml": OUTPUT})
    assert codes(converted(root)) == [("MOD107", "generated/my/modeling_my.py")]
    assert list((outside / "generated").iterdir()) == []


@pytest.mark.parametrize("output", ["../outside", "{outside}", "generated"])
def test_an_output_folder_on_the_command_line(root: Path, outside: Path, output: str) -> None:
    (root / "generated").symlink_to(outside)
    done = run(root, "convert", "--output", output.replace("{outside}", str(outside)))
    assert done.returncode == 2
    assert "is not below the project's root" in done.stderr
    assert written(outside) == {}


def test_the_table_of_names_is_not_read_from_outside(root: Path, outside: Path) -> None:
    (root / "models/auto").symlink_to(outside)
    (outside / "auto_mappings.py").write_text('CONFIG_MAPPING_NAMES = {"my": "OTHERConfig"}\n', encoding="utf-8")
    with pytest.raises(SettingsError, match=r"auto_mappings\.py.* leads out of the project's root"):
        converted(root)


def test_links_that_stay_inside(root: Path) -> None:
    """The models may be in another folder; a link in the place of a generated file is replaced, and never followed."""
    (root / "store").mkdir()
    (root / "models").rename(root / "store/models")
    (root / "models").symlink_to(root / "store/models")
    (root / "store/kept.py").write_text("kept\n", encoding="utf-8")
    (root / "models/my/modeling_my.py").symlink_to(root / "store/kept.py")
    assert codes(converted(root)) == []
    assert not (root / "models/my/modeling_my.py").is_symlink()
    assert written(root / "store/models") == {"my/modeling_my.py": FLAT}
    assert (root / "store/kept.py").read_text(encoding="utf-8") == "kept\n"
    assert codes(check(options=Options(root=root, cache=False))) == []


@pytest.mark.parametrize(
    "target", ["link/models/my/modular_my.py", "link/models", "link", "in_project", "in_project/my"]
)
def test_targets_reached_through_a_link(root: Path, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (root.parent / "link").symlink_to(root)
    (root / "in_project").symlink_to("models")
    monkeypatch.chdir(root if target.startswith("in_") else root.parent)
    report = converted(root, target)
    assert codes(report) == []
    assert written(root) == {"models/my/modeling_my.py": FLAT}


@pytest.mark.parametrize("folder", ["link", "link/models", "link/models/my"])
def test_the_root_and_the_current_folder_reached_through_a_link(root: Path, folder: str) -> None:
    (root.parent / "link").symlink_to(root)
    assert run(root, "convert", cwd=root.parent / folder).returncode == 0
    assert written(root) == {"models/my/modeling_my.py": FLAT}
    assert run(root, "check", "--root", "link", cwd=root.parent).returncode == 0


@pytest.mark.parametrize(
    "victim", ["pyproject.toml", "models/my/modular_my.py", "models/base/modeling_base.py", "nowhere.py"]
)
def test_a_generated_file_that_is_a_link_to_another_file_of_the_project(root: Path, victim: str) -> None:
    before = {path: path.read_bytes() for path in root.rglob("*.*") if path.is_file()}
    (root / "models/my/modeling_my.py").symlink_to(root / victim)
    assert codes(converted(root)) == []
    assert {path: path.read_bytes() for path in before} == before
    assert not (root / "nowhere.py").exists()
    assert written(root) == {"models/my/modeling_my.py": FLAT}


@pytest.mark.parametrize("path", FILES)
def test_a_source_that_is_a_link_to_the_generated_file(root: Path, path: str) -> None:
    """Whatever is written there, the source is lost."""
    (root / path).rename(root / "models/my/modeling_my.py")
    (root / path).symlink_to(root / "models/my/modeling_my.py")
    report = converted(root)
    assert codes(report) == [("MOD108", "models/my/modeling_my.py")]
    assert f"symlink to the source file `{path}`" in report.diagnostics[0].message
    assert (root / path).read_text(encoding="utf-8") == FILES[path]


def test_an_output_folder_that_is_a_link_to_the_models(root: Path) -> None:
    """Beside their modular files, models have files that were written by hand."""
    make(root, {**FILES, "models/my/modeling_my.py": "by_hand = 1\n", "pyproject.toml": OUTPUT})
    (root / "generated").symlink_to("models")
    assert codes(converted(root)) == [("MOD108", "generated/my/modeling_my.py")]
    assert written(root / "models") == {"my/modeling_my.py": "by_hand = 1\n"}


WRITING = [["check", "--write-baseline", "build/below/known.json"], ["convert", "--depfile", "build/below/models.d"]]


@pytest.mark.parametrize("arguments", WRITING)
def test_links_beside_what_is_written(
    root: Path, outside: Path, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A project can hold a link for every process number: a name that can be foreseen is not written to."""
    place = root / arguments[-1]
    place.parent.mkdir(parents=True)
    (place.parent / f".{place.name}.{os.getpid()}.tmp").symlink_to(outside / "victim")
    monkeypatch.chdir(root)
    CliRunner().invoke(main, [*arguments, "--no-cache"], catch_exceptions=False)
    assert not (outside / "victim").exists()
    assert place.is_file() and not place.is_symlink()


@pytest.mark.parametrize("arguments", WRITING)
def test_a_folder_below_the_root_that_is_a_link(root: Path, outside: Path, arguments: list[str]) -> None:
    """No folder is made in the one that it leads to, either."""
    (outside / "empty").mkdir()
    (root / "build").symlink_to(outside / "empty")
    done = run(root, *arguments, "--no-cache")
    assert list((outside / "empty").iterdir()) == []
    assert done.returncode != 0
    assert "remove the link" in done.stderr
