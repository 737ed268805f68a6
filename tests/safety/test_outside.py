"""What points outside the project's root is refused, whichever way it does. What only stays inside by a link works."""

from pathlib import Path

import pytest

from modular.settings.settings import SettingsError
from tests.safety.projects import checked, converted, errors, make, models, run, state


PARENT = "models/base/modeling_base.py"
MODULAR = "models/my/modular_my.py"
GENERATED = "models/my/modeling_my.py"
FILES = models("my")
TEXT = FILES[PARENT].replace("BaseModel", "MyModel")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make(tmp_path / "project", FILES, "ruff")


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the project that holds the same."""
    return make(tmp_path / "outside", FILES, "ruff")


def link(path: Path, target: Path) -> None:
    """Put a link in the place of what may be there."""
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def written(folder: Path) -> dict[str, str]:
    """The generated files below a folder."""
    paths = folder.rglob("modeling_my.py")
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in paths
    }


@pytest.mark.parametrize(
    ("path", "target", "written_inside"),
    [
        (MODULAR, MODULAR, []),
        (PARENT, PARENT, []),
        (GENERATED, "victim.py", []),
        ("models/other", "models/my", [GENERATED]),
    ],
    ids=["modular file", "parent file", "generated file", "model folder"],
)
def test_a_link(
    root: Path, outside: Path, path: str, target: str, written_inside: list[str]
) -> None:
    """What a link leads to outside is neither read nor written, nor shown in a diff."""
    make(outside, {"victim.py": "precious\n", "models/my/other.py": "precious\n"})
    link(root / path, outside / target)
    before = state(outside)
    refused = path if path.endswith(".py") else f"{path}/modular_my.py"
    for report in (converted(root), checked(root)):
        assert errors(report) == [("MOD107", refused)]
        assert "precious" not in "".join(file.diff for file in report.files)
    assert [
        path for path in written(root) if not (root / path).is_symlink()
    ] == written_inside
    assert state(outside) == before


@pytest.mark.parametrize("command", [["check"], ["where", f"{PARENT}:2"]])
def test_a_link_that_a_command_is_asked_for(
    root: Path, outside: Path, command: list[str]
) -> None:
    """That the cache knows the file as it was before changes nothing."""
    assert run(root, "convert").returncode == 0
    make(outside, {"secret.py": "class Base:\n    secret = 'hunter2'\n"})
    link(root / PARENT, outside / "secret.py")
    done = run(root, *command)
    assert done.returncode in (1, 2)
    assert "points outside the project's root" in done.stderr
    assert "hunter2" not in done.stdout + done.stderr


def test_a_modular_file_that_became_a_link_is_not_taken_from_the_cache(
    root: Path, outside: Path
) -> None:
    assert run(root, "convert").returncode == 0
    assert run(root, "check").returncode == 0
    make(outside, {"same.py": (root / MODULAR).read_text(encoding="utf-8")})
    link(root / MODULAR, outside / "same.py")
    done = run(root, "check")
    assert done.returncode == 1
    assert "points outside the project's root" in done.stderr


@pytest.mark.parametrize(
    ("module", "refused"),
    [(".....models.base.modeling_base", [("MOD107", MODULAR)]), (".....etc", [])],
)
def test_an_import_with_too_many_dots(
    root: Path, module: str, refused: list[tuple[str, str]]
) -> None:
    """It is refused where it names a parent file; whatever else it names is not read."""
    text = f"from {module} import passwd\n\n\nclass MyModel:\n    word = passwd\n"
    (root / MODULAR).write_text(text, encoding="utf-8")
    assert errors(converted(root)) == refused
    assert written(root) == ({} if refused else {GENERATED: text})


@pytest.mark.parametrize(
    ("project", "code"), [("outside", "MOD107"), ("project", "MOD504")]
)
def test_an_output_folder_that_is_a_link(
    root: Path, outside: Path, project: str, code: str
) -> None:
    """Beside their modular files, models have files that were written by hand."""
    for place in (root, outside):
        make(
            place,
            {
                GENERATED: "by_hand = 1\n",
                "pyproject.toml": '[tool.modular]\noutput = "generated"\n',
            },
        )
    folder = root.parent / project / "models"
    link(root / "generated", folder)
    assert errors(converted(root)) == [(code, "generated/my/modeling_my.py")]
    assert written(folder) == {"my/modeling_my.py": "by_hand = 1\n"}


@pytest.mark.parametrize("output", ["../outside", "{outside}", "generated", "./--fix"])
def test_an_output_folder_on_the_command_line(
    root: Path, outside: Path, output: str
) -> None:
    link(root / "generated", outside)
    done = run(root, "convert", "--output", output.replace("{outside}", str(outside)))
    assert done.returncode == 2
    assert (
        "begins with `-`" if output == "./--fix" else "is not below the project's root"
    ) in done.stderr
    assert written(outside) == {}


def test_the_table_of_names_is_not_read_from_outside(root: Path, outside: Path) -> None:
    link(root / "models/auto", outside)
    (outside / "auto_mappings.py").write_text(
        'CONFIG_MAPPING_NAMES = {"my": "OTHERConfig"}\n', encoding="utf-8"
    )
    with pytest.raises(
        SettingsError, match=r"auto_mappings\.py.* points outside the project's root"
    ):
        converted(root)


@pytest.mark.parametrize("name", ["project", "link"])
@pytest.mark.parametrize(
    "target",
    ["link", "link/models", f"link/{MODULAR}", "project/inside", "project/inside/my"],
)
def test_targets_and_roots_reached_through_a_link(
    root: Path, name: str, target: str
) -> None:
    link(root.parent / "link", root)
    link(root / "inside", root / "models")
    for command in ("convert", "check"):
        assert (
            run(root, command, "--root", name, target, cwd=root.parent).returncode == 0
        )
    assert written(root) == {GENERATED: TEXT}


def test_models_that_are_elsewhere_below_the_root(root: Path) -> None:
    (root / "models").rename(root / "store")
    link(root / "models", root / "store")
    assert errors(converted(root)) == errors(checked(root)) == []
    assert written(root / "store") == {"my/modeling_my.py": TEXT}


@pytest.mark.parametrize(
    "victim", ["pyproject.toml", MODULAR, PARENT, "models/base", "nowhere.py"]
)
def test_a_generated_file_that_is_a_link_to_another_file_of_the_project(
    root: Path, victim: str
) -> None:
    before = {path: path.read_bytes() for path in root.rglob("*.*") if path.is_file()}
    link(root / GENERATED, root / victim)
    assert errors(converted(root)) == []
    assert {path: path.read_bytes() for path in before} == before
    assert not (root / "nowhere.py").exists()
    assert not (root / GENERATED).is_symlink()
    assert written(root) == {GENERATED: TEXT}


@pytest.mark.parametrize("path", FILES)
def test_a_source_that_is_a_link_to_the_generated_file(root: Path, path: str) -> None:
    """Whatever is written there, the source is lost."""
    (root / path).rename(root / GENERATED)
    link(root / path, root / GENERATED)
    report = converted(root)
    assert errors(report) == [("MOD108", GENERATED)]
    assert f"symlink to the source file `{path}`" in report.diagnostics[0].message
    assert (root / path).read_text(encoding="utf-8") == FILES[path]


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "--write-baseline", "build/below/known.json"],
    ],
)
def test_a_folder_below_the_root_that_is_a_link(
    root: Path, outside: Path, arguments: list[str]
) -> None:
    """No folder is made in the one that it leads to, either."""
    (outside / "empty").mkdir()
    link(root / "build", outside / "empty")
    done = run(root, *arguments, "--no-cache")
    assert list((outside / "empty").iterdir()) == []
    assert done.returncode != 0
    assert "remove the link" in done.stderr
