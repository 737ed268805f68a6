"""The models that changed files affect.

`grown` inherits from `young`, which inherits from the hand-written `elder`. `lone` has
no parent. `other` inherits from a file of `young` that is not its modeling file.
"""

import time
from pathlib import Path

import pytest

from modular import Options, check
from modular.cache.inputs import affected
from modular.project.opening import open_project


PYPROJECT = "[tool.modular]\n"
MODULARS = {
    "young": "from ..elder.modeling_elder import Leaf\n\n\nclass YoungLeaf(Leaf):\n    pass\n",
    "grown": "if True:\n    pass\nimport torch; from ..young.modeling_young import (\n    YoungLeaf,\n)\n",
    "other": "from \\\n    ..young.configuration_young import YoungConfig\n",
    "lone": "class LoneLeaf:\n    pass\n",
}
ALL = ("grown", "lone", "other", "young")


@pytest.fixture
def project(tmp_path):
    return make(tmp_path)


def make(root, settings=PYPROJECT, tables=True):
    files = {
        f"models/{name}/modular_{name}.py": text for name, text in MODULARS.items()
    }
    files |= {
        "pyproject.toml": settings,
        "models/elder/modeling_elder.py": "class Leaf:\n    pass\n",
    }
    if tables:
        files["models/auto/auto_mappings.py"] = "CONFIG_MAPPING_NAMES = {}\n"
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return open_project(root)


def names(project, *changed):
    return tuple(path.split("/")[1] for path in affected(project, changed))


def test_affected_returns_paths_of_modular_files(project):
    assert affected(project, ["models/lone/modular_lone.py"]) == (
        "models/lone/modular_lone.py",
    )


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ("models/lone/modular_lone.py", ("lone",)),
        ("models/grown/modular_grown.py", ("grown",)),
        ("models/grown/modeling_grown.py", ("grown",)),
        ("models/grown/configuration_grown.py", ("grown",)),
        ("models/young/modular_young.py", ("grown", "other", "young")),
        ("models/young/modeling_young.py", ("grown", "other", "young")),
        ("models/elder/modeling_elder.py", ("grown", "other", "young")),
        ("models/elder/configuration_elder.py", ()),
        ("models/elder/README.md", ()),
        ("tests/test_lone.py", ()),
        ("docs/pyproject.toml", ()),
        ("models/auto/auto_mappings.py", ALL),
        ("pyproject.toml", ALL),
        ("ruff.toml", ALL),
        ("models/.ruff.toml", ALL),
        ("models/lone/ruff.toml", ("lone",)),
        ("models/young/ruff.toml", ("grown", "other", "young")),
    ],
)
def test_a_changed_file_affects_its_model_and_all_descendants(
    project, changed, expected
):
    assert names(project, changed) == expected


def test_extended_formatter_settings_affect_the_folders_of_the_extending_file(project):
    """By their names alone nothing tells that they are settings."""
    for path, text in {
        "shared/base.toml": "line-length = 100\n",
        "models/lone/ruff.toml": 'extend = "../../shared/base.toml"\n',
    }.items():
        (project.root / path).parent.mkdir(parents=True, exist_ok=True)
        (project.root / path).write_text(text, encoding="utf-8")
    assert names(project, "shared/base.toml") == ("lone",)
    assert names(project, "shared/other.toml") == ()


def test_a_class_from_the_package_of_a_model_depends_on_the_files_of_the_model(
    tmp_path: Path,
) -> None:
    text = "from models.elder import Leaf\n\n\nclass LoneLeaf(Leaf):\n    pass\n"
    settings = "[tool.modular]\npackage = 'models'\nformatter = 'black'\n"
    project = make(tmp_path, settings)
    (tmp_path / "models/lone/modular_lone.py").write_text(text)
    changed = ["models/elder/modeling_elder.py"]
    assert "models/lone/modular_lone.py" in affected(project, changed)


def test_a_report_counts_the_models_that_are_not_affected(project):
    """Of those that the targets name: `lone` alone is affected, and `other` is not."""
    lone = str(project.root / "models/lone/modular_lone.py")
    options = Options(root=project.root, affected_by=[lone], cache=False)
    assert check(options=options).unaffected_models == 3
    assert (
        check(
            [lone, str(project.root / "models/other")], options=options
        ).unaffected_models
        == 1
    )


def test_several_changes_affect_the_models_of_each(project):
    assert names(
        project, "models/grown/modeling_grown.py", "models/lone/modular_lone.py"
    ) == ("grown", "lone")


def test_no_change_affects_no_model(project):
    assert names(project) == ()


def test_a_deleted_parent_affects_its_children(project):
    (project.root / "models/elder/modeling_elder.py").unlink()
    assert names(project, "models/elder/modeling_elder.py") == (
        "grown",
        "other",
        "young",
    )


def test_a_configuration_affects_its_model_where_no_table_has_the_names(tmp_path):
    project = make(tmp_path, tables=False)
    assert names(project, "models/lone/configuration_lone.py") == ("lone",)


def test_a_generated_file_in_the_output_folder_affects_its_model(tmp_path):
    project = make(tmp_path, '[tool.modular]\noutput = "generated"\n')
    assert names(project, "generated/young/modeling_young.py") == (
        "grown",
        "other",
        "young",
    )
    assert names(project, "generated/lone/modeling_lone.py") == ("lone",)
    assert names(project, "generated/ruff.toml") == ALL


def test_files_of_a_library_below_the_root_affect_its_children(tmp_path):
    project = make(
        tmp_path,
        '[tool.modular]\nsource-library = "third_party/wood"\npackage = "family.models"\n',
    )
    library = tmp_path / "third_party/wood/models"
    (library / "oak").mkdir(parents=True)
    (library / "oak/configuration_oak.py").write_text(
        "class OakConfig:\n    model_type = 'oak'\n", encoding="utf-8"
    )
    modular = "from wood.models.oak.modeling_oak import OakLeaf\n"
    (tmp_path / "models/lone/modular_lone.py").write_text(modular, encoding="utf-8")
    assert names(project, "third_party/wood/models/oak/modeling_oak.py") == ("lone",)
    assert names(project, "third_party/wood/models/oak/configuration_oak.py") == (
        "lone",
    )
    assert names(project, "third_party/wood/models/elm/modeling_elm.py") == ()


def test_four_hundred_models_take_well_below_half_a_second(tmp_path):
    body = "class Leaf:\n    size = 1\n" * 1000
    for number in range(400):
        folder = tmp_path / f"models/m{number}"
        folder.mkdir(parents=True)
        text = f"from ..m{number - 1}.modeling_m{number - 1} import Leaf\n{body}"
        (folder / f"modular_m{number}.py").write_text(text, encoding="utf-8")
    project = open_project(tmp_path)
    start = time.process_time()
    assert len(affected(project, ["models/m200/modular_m200.py"])) == 200
    assert time.process_time() - start < 0.5
