"""Tests of the models, package, formatter and library that `modular init` finds."""

import shlex
import tomllib
from pathlib import Path

import pytest
import yaml

from modular.scaffold.setup_files import PRE_COMMIT, WORKFLOW, SetupError, setup_files
from tests.support import source


MODEL = "birds/models/owl/modeling_owl.py"

# There is no release yet, so the repository is installed.
MODULAR = "modular-models @ git+https://github.com/modular-models/modular"
MODULAR_WITH_BLACK = MODULAR.replace(" @", "[black] @")


def written(root: Path, files: dict[str, str]) -> dict[str, str]:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return setup_files(root).files


def settings(root: Path, files: dict[str, str]) -> dict[str, object]:
    table: dict[str, object] = tomllib.loads(written(root, files)["pyproject.toml"])[
        "tool"
    ]["modular"]
    return table


@pytest.mark.parametrize(
    ("paths", "models"),
    [
        (["a/models/owl/modeling_owl.py", "a/models/owl/modular_owl.py"], ["a/models"]),
        (
            ["a/models/owl/modeling_owl.py", "b/models/owl/tokenization_owl.py"],
            ["a/models", "b/models"],
        ),
        (
            ["a/models/owl/modeling_owl.py", "b/models/owl/modeling_utils.py"],
            ["a/models"],
        ),
        (
            ["a/models/owl/modeling_owl.py", "b/modular_blocks/owl/modular_owl.py"],
            ["a/models"],
        ),
        (["🦉/models/owl/modeling_owl.py"], ["🦉/models"]),
        (
            ["a/models/owl/modeling_owl.py", "b/my-models/owl/modeling_owl.py"],
            ["a/models"],
        ),
        (["a/models/owl/modeling_owl.py", "b/models/owl/owl.py"], ["a/models"]),
        (
            ["a/models/owl/modeling_owl.py", "b/models/owl/modeling_owl.txt"],
            ["a/models"],
        ),
        (
            [
                "a/models/owl/modeling_owl.py",
                "models/modeling_owl.py",
                "modeling_owl.py",
            ],
            ["a/models"],
        ),
        (["models/owl/modeling_owl.py"], ["models"]),
        (
            ["a/models/owl/modeling_owl.py", "tests/models/owl/modeling_owl.py"],
            ["a/models"],
        ),
        (
            ["a/models/owl/modeling_owl.py", ".b/models/owl/modeling_owl.py"],
            ["a/models"],
        ),
        (
            ["a/models/owl/modeling_owl.py", "b/c/d/e/f/owl/modeling_owl.py"],
            ["a/models", "b/c/d/e/f"],
        ),
        (
            ["a/models/owl/modeling_owl.py", "b/c/d/e/f/g/owl/modeling_owl.py"],
            ["a/models"],
        ),
    ],
)
def test_init_finds_the_models_folders(
    tmp_path: Path, paths: list[str], models: list[str]
) -> None:
    assert settings(tmp_path, dict.fromkeys(paths, ""))["models"] == models


@pytest.mark.parametrize(
    ("statement", "is_modular"),
    [
        ("from ..eagle.modeling_eagle import Eagle\n", True),
        ("from .configuration_owl import OwlConfig\n", True),
        ("from zoo.models.eagle.image_processing_eagle import Eagle\n", True),
        ("from ..eagle.modeling_utils import Eagle\n", False),
        ("from ..modular_pipeline import Blocks\n", False),
        ("# from ..eagle.modeling_eagle import Eagle\n", False),
        ("class Owl(Eag", False),
        ("", False),
    ],
)
def test_only_modular_files_that_import_from_model_files_count(
    tmp_path: Path, statement: str, is_modular: bool
) -> None:
    files = {MODEL: "", "b/models/owl/modular_owl.py": statement}
    expected = ["b/models", "birds/models"] if is_modular else ["birds/models"]
    assert settings(tmp_path, files)["models"] == expected


@pytest.mark.parametrize(
    ("model", "text"),
    [
        ("src/transformers/models/owl/modeling_owl.py", ""),
        ("models/owl/modeling_owl.py", "from transformers.models.a.b import C\n"),
    ],
)
def test_no_table_is_written_if_the_preset_fits(
    tmp_path: Path, model: str, text: str
) -> None:
    helper = "src/transformers/integrations/hub/configuration_utils.py"
    files = written(tmp_path, {model: text, helper: ""})
    assert ("pyproject.toml" not in files) == model.startswith("src")


MODELS = "src/transformers/models"
GENERATION = {f"{MODELS}/kite/modeling_kite.py": "class KiteModel:\n    pass\n"}
for name in ("owl", "eagle", "hawk"):
    for file_type, ending in (("modeling", "Model"), ("generation", "Output")):
        GENERATION[f"{MODELS}/{name}/{file_type}_{name}.py"] = (
            f"class {name.title()}{ending}:\n    pass\n"
        )


def test_a_new_file_type_is_a_setting(tmp_path: Path) -> None:
    assert settings(tmp_path, GENERATION)["file-types"] == {"Output": "generation"}


def test_a_new_file_type_is_no_setting_if_there_are_modular_files(
    tmp_path: Path,
) -> None:
    """They are converted without it, and would generate other files with it."""
    modular = {
        f"{MODELS}/eagle/modular_eagle.py": "from ..owl.modeling_owl import OwlModel\n"
    }
    assert "pyproject.toml" not in written(tmp_path, {**GENERATION, **modular})


def test_a_preset_that_fits_leaves_settings_of_ruff_alone(tmp_path: Path) -> None:
    files = written(
        tmp_path,
        {
            "src/transformers/models/owl/modeling_owl.py": "",
            "pyproject.toml": "[tool.ruff]\nline-length = 119\n",
        },
    )
    assert set(files) == {PRE_COMMIT, WORKFLOW}


def test_the_formatter_that_the_project_pins_is_installed(tmp_path: Path) -> None:
    files = written(tmp_path, {MODEL: "", "setup.py": 'deps = ["ruff==0.14.10"]\n'})
    (hook,) = yaml.safe_load(files[PRE_COMMIT])["repos"][0]["hooks"]
    packages = [MODULAR, "ruff==0.14.10"]
    assert hook["additional_dependencies"] == packages
    steps = yaml.safe_load(files[WORKFLOW])["jobs"]["check"]["steps"]
    assert shlex.split(steps[-2]["run"])[5:] == packages


@pytest.mark.parametrize("path", ["pyproject.toml", PRE_COMMIT, WORKFLOW])
def test_a_link_that_points_outside_is_refused(tmp_path: Path, path: str) -> None:
    root = tmp_path / "root"
    (tmp_path / "outside").write_text("")
    (root / path).parent.mkdir(parents=True)
    (root / path).symlink_to(tmp_path / "outside")
    with pytest.raises(SetupError, match=f"{path} is a link that points outside "):
        written(root, {MODEL: ""})


@pytest.mark.parametrize(
    ("files", "package"),
    [
        ({"src/birds/models/owl/modeling_owl.py": ""}, "birds.models"),
        ({"lib/src/birds/models/owl/modeling_owl.py": ""}, "birds.models"),
        (
            {"lib/birds/models/owl/modeling_owl.py": "", "lib/birds/__init__.py": ""},
            "birds.models",
        ),
        (
            {"lib/birds/models/owl/modeling_owl.py": "", "lib/__init__.py": ""},
            "lib.birds.models",
        ),
        ({"lib/birds/models/owl/modeling_owl.py": ""}, "birds.models"),
        (
            {
                "core/python/birds/models/owl/modeling_owl.py": "",
                "core/python/birds/models/__init__.py": "",
            },
            "birds.models",
        ),
        (
            {"birds/lib/models/owl/modeling_owl.py": "", "birds/__init__.py": ""},
            "birds.lib.models",
        ),
        ({"code/birds/models/owl/modeling_owl.py": ""}, "code.birds.models"),
        (
            {
                "code/birds/models/owl/modeling_owl.py": "from birds.models.eagle import Eagle\n"
            },
            "birds.models",
        ),
        ({"code/birds/models/owl/modeling_owl.py": "import birds\n"}, "birds.models"),
        (
            {"code/birds/models/owl/modeling_owl.py": "    from birds import Eagle\n"},
            "code.birds.models",
        ),
        (
            {"code/birds/models/owl/modeling_owl.py": "from models import Eagle\n"},
            "code.birds.models",
        ),
        ({"code/src/owl/modeling_owl.py": ""}, "code.src"),
        ({"src/birds/owl/modeling_owl.py": ""}, "birds"),
        ({"🦉/models/owl/modeling_owl.py": ""}, "models"),
        ({"bird-lib/core/models/owl/modeling_owl.py": ""}, "core.models"),
        ({"bird-lib/src/birds/models/owl/modeling_owl.py": ""}, "birds.models"),
    ],
)
def test_init_finds_the_package(
    tmp_path: Path, files: dict[str, str], package: str
) -> None:
    assert settings(tmp_path, files)["package"] == package


def test_init_sets_no_package_for_a_folder_that_cannot_be_imported(
    tmp_path: Path,
) -> None:
    files = {}
    for model in ("eagle", "owl", "wren"):
        path = f"my-models/{model}/{model}_modeling.py"
        files[path] = f"class {model.capitalize()}Model:\n    pass\n"
    table = settings(tmp_path, files)
    assert table["models"] == ["my-models"]
    assert table["package"] == ""


@pytest.mark.parametrize(
    ("files", "formatter"),
    [
        ({}, None),
        ({"pyproject.toml": "[tool.black]\n"}, "black"),
        ({PRE_COMMIT: "repos:\n- hooks:\n  - id: black\n"}, "black"),
        ({"pyproject.toml": "[tool.black]\n[tool.ruff.lint]\n"}, None),
        (
            {
                "pyproject.toml": "[tool.black]\n",
                PRE_COMMIT: "repos:\n- repo: a/ruff-pre-commit\n",
            },
            None,
        ),
        ({"pyproject.toml": "[tool.black]\n", "ruff.toml": ""}, None),
        ({"pyproject.toml": "[tool.black]\n", ".ruff.toml": ""}, None),
        ({"pyproject.toml": "[tool.black]\n[tool.isort]\n"}, None),
    ],
)
def test_init_finds_the_formatter(
    tmp_path: Path, files: dict[str, str], formatter: str | None
) -> None:
    assert settings(tmp_path, {**files, MODEL: ""}).get("formatter") == formatter


@pytest.mark.parametrize(
    ("files", "is_added"),
    [
        ({}, False),
        ({"pyproject.toml": '[tool.isort]\nprofile = "black"\n'}, True),
        ({PRE_COMMIT: "repos:\n- hooks:\n  - id: isort\n"}, True),
        ({"pyproject.toml": "[tool.isort]\n", "ruff.toml": ""}, False),
    ],
)
def test_in_a_library_with_isort_ruff_sorts_the_imports_of_generated_files(
    tmp_path: Path, files: dict[str, str], is_added: bool
) -> None:
    text = written(tmp_path, {**files, MODEL: ""})["pyproject.toml"]
    ruff = tomllib.loads(text)["tool"].get("ruff")
    assert ruff == ({"lint": {"extend-select": ["I"]}} if is_added else None)


@pytest.mark.parametrize(
    ("imports", "is_added"),
    [("import abc\nimport math\n", True), ("import math\nimport abc\n", False)],
)
def test_ruff_sorts_the_imports_if_those_of_nearly_all_files_are_sorted(
    tmp_path: Path, imports: str, is_added: bool
) -> None:
    files = {"pyproject.toml": "[tool.black]\n"}
    for index in range(10):
        name = f"bird{index}"
        text = f"{imports}\n\nclass Bird{index}Model:\n    pass\n"
        files[f"models/{name}/modeling_{name}.py"] = text
    tool = tomllib.loads(written(tmp_path, files)["pyproject.toml"])["tool"]
    assert ("ruff" in tool) == is_added
    assert tool["modular"].get("formatter") == (None if is_added else "black")


@pytest.mark.parametrize(
    ("imports", "library"),
    [
        ("from zoo.models.bird.modeling_bird import Bird\n", "zoo"),
        ("import zoo.models.bird.bird_backbone\n", "zoo"),
        ("from zoo.layers import Bird\n", None),
        ("from birds.models.eagle.modeling_eagle import Eagle\n", None),
        (
            "from zoo.models.bird.modeling_bird import Bird\n"
            "from sky.models.kite.modeling_kite import Kite\n"
            "import sky.models.lark.modeling_lark\n",
            "sky",
        ),
        # These models are in files that are not named after them.
        (
            "from torchvision.models.resnet import ResNet\n"
            "from torchvision.models.detection.faster_rcnn import FasterRCNN\n",
            None,
        ),
        (
            "from torchvision.models.resnet import ResNet\n"
            "import torchvision.models.vgg\n"
            "from zoo.models.bird.modeling_bird import Bird\n",
            "zoo",
        ),
    ],
)
def test_init_finds_the_source_library(
    tmp_path: Path, imports: str, library: str | None
) -> None:
    assert settings(tmp_path, {MODEL: imports}).get("source-library") == library


def test_the_hook_installs_transformers_if_models_are_imported_from_a_folder(
    tmp_path: Path,
) -> None:
    files = written(tmp_path, {MODEL: "from transformers.models.llama import Llama\n"})
    (hook,) = yaml.safe_load(files[PRE_COMMIT])["repos"][0]["hooks"]
    _, package = hook["additional_dependencies"]
    assert package.startswith("transformers")


def test_init_says_which_files_it_saw_if_none_is_a_model(tmp_path: Path) -> None:
    files = {"zoo/models/resnet.py": "", "zoo/models/vgg.py": "", "zoo/layers.py": ""}
    with pytest.raises(SetupError) as error:
        written(tmp_path, files)
    assert "it has 3 Python files" in str(error.value)
    assert "Most are in `zoo/models`: 2 files such as `vgg.py`." in str(error.value)


@pytest.mark.parametrize(
    ("imports", "pyproject", "installed"),
    [
        ("", "", [MODULAR]),
        ("", "[tool.black]\n", [MODULAR_WITH_BLACK]),
        (
            "from zoo.models.bird.modeling_bird import Bird\n",
            "",
            [MODULAR, "zoo==2.10.*"],
        ),
        (
            "from sky.models.kite.modeling_kite import Kite\n",
            "",
            [MODULAR, "sky"],
        ),
        (
            "from field.models.lark.modeling_lark import Lark\n",
            "",
            [MODULAR],
        ),
    ],
)
def test_the_hook_and_the_workflow_install_the_required_packages(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    imports: str,
    pyproject: str,
    installed: list[str],
) -> None:
    """The library that parents are imported from, too, unless it is a folder of the project."""
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    site = ".venv/lib/python3.12/site-packages/zoo"
    libraries = {
        f"{site}/__init__.py": '__version__ = "2.10.1"\n',
        f"{site}/models/__init__.py": "",
        "field/models/a": "",
    }
    files = written(
        tmp_path, {**libraries, MODEL: imports, "pyproject.toml": pyproject}
    )
    (hook,) = yaml.safe_load(files[PRE_COMMIT])["repos"][0]["hooks"]
    assert hook["additional_dependencies"] == installed
    steps = yaml.safe_load(files[WORKFLOW])["jobs"]["check"]["steps"]
    assert shlex.split(steps[-2]["run"])[5:] == installed


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "repos:\n  HOOK"),
        ("repos: []\n", "repos:\n  HOOK"),
        ("repos:  # ours\n- repo: a\n", "repos:  # ours\n- repo: a\nHOOK"),
        ("repos: [ ] # none\n", "repos: # none\n  HOOK"),
        ("repos:\n- repo: a", "repos:\n- repo: a\nHOOK"),
        ("repos:\n", "repos:\n  HOOK"),
        ("repos:\n- repo: a\n  rev: v1\n", "repos:\n- repo: a\n  rev: v1\nHOOK"),
        ("repos:\n    - repo: a\n", "repos:\n    - repo: a\n    HOOK"),
        ("repos:\n  # b\n- repo: a\n", "repos:\n  # b\n- repo: a\nHOOK"),
        (
            "ci: {}\nrepos:\n- repo: a\n\n# b\nfiles: c\n",
            "ci: {}\nrepos:\n- repo: a\n\n# b\nHOOKfiles: c\n",
        ),
        # `repos` inside other values is none.
        ('x: "\nrepos:\n"\nrepos:\n- a\n', 'x: "\nrepos:\n"\nrepos:\n- a\nHOOK'),
        (
            "x: |\n  repos:\n  - a\n'repos' :\n",
            "x: |\n  repos:\n  - a\n'repos' :\n  HOOK",
        ),
        # An anchor, a quoted key, odd indentation, an alias and the end of a document.
        (
            '---\nx: &x {a: 1}\n"repos":\n -   repo:   a\n     x: *x\n...\n',
            '---\nx: &x {a: 1}\n"repos":\n -   repo:   a\n     x: *x\n HOOK...\n',
        ),
        ("\ufeffrepos:\n- repo: a\n", "\ufeffrepos:\n- repo: a\nHOOK"),
    ],
)
def test_the_hook_goes_to_the_end_of_the_repositories(
    tmp_path: Path, before: str, after: str
) -> None:
    hooks = written(tmp_path, {MODEL: "", **({PRE_COMMIT: before} if before else {})})[
        PRE_COMMIT
    ]
    begin, _, end = after.partition("HOOK")
    assert hooks.startswith(f"{begin}- repo: local\n")
    assert hooks.endswith(f"require_serial: true\n{end}")


def test_an_existing_hook_is_not_added_again(tmp_path: Path) -> None:
    hooks = "repos:\n- hooks:\n  - entry: modular check\n"
    assert set(written(tmp_path, {MODEL: "", PRE_COMMIT: hooks})) == {
        "pyproject.toml",
        WORKFLOW,
    }


@pytest.mark.parametrize(
    "hooks",
    [
        "repos: [{repo: a}]\n",
        "{repos: []}\n",
        "repos: &all\n- repo: a\n",
        "repos: none\n",
        "repos:\n- repo: a\nrepos:\n- repo: b\n",
        "repos:\n- repo: a\n---\nrepos:\n- repo: b\n",
        "- repos\n",
        "repos: {\n",
        "%YAML 1.3\n---\nrepos:\n",
        "x: " + "[" * 2000 + "\nrepos:\n",
    ],
)
def test_a_hook_without_a_clear_place_is_returned_to_the_user(
    tmp_path: Path, hooks: str
) -> None:
    written(tmp_path, {MODEL: "", PRE_COMMIT: hooks})
    setup = setup_files(tmp_path)
    assert set(setup.files) == {"pyproject.toml", WORKFLOW}
    assert (
        yaml.safe_load(setup.hook_to_add)[0]["hooks"][0]["entry"]
        == "modular check --affected-by --require-added --"
    )


def test_windows_line_ends_are_kept(tmp_path: Path) -> None:
    before = {
        "pyproject.toml": "[tool.black]\r\n",
        PRE_COMMIT: "repos:\r\n- repo: a\r\n",
    }
    (tmp_path / MODEL).parent.mkdir(parents=True)
    (tmp_path / MODEL).touch()
    for path, text in before.items():
        (tmp_path / path).write_bytes(text.encode())
    files = setup_files(tmp_path).files
    for path, text in before.items():
        assert files[path].startswith(text)
        assert files[path].count("\r\n") == files[path].count("\n") > 5


def test_settings_that_cannot_be_extended_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(
        SetupError, match=r"\[tool.modular\] cannot be put at the end of .*: Cannot"
    ):
        written(tmp_path, {MODEL: "", "pyproject.toml": "tool = { black = {} }\n"})


def test_an_existing_workflow_is_kept(tmp_path: Path) -> None:
    assert WORKFLOW not in written(tmp_path, {MODEL: "", WORKFLOW: "on: push\n"})


def test_the_table_is_added_after_existing_settings(tmp_path: Path) -> None:
    files = written(
        tmp_path, {MODEL: "", "pyproject.toml": '[project]\nname = "birds"\n\n\n'}
    )
    assert files["pyproject.toml"] == source(
        """
        [project]
        name = "birds"

        [tool.modular]
        models = ["birds/models"]
        package = "birds.models"
        """
    )


@pytest.mark.parametrize(
    "before",
    [
        'tool.ruff.line-length = 88  # dotted\n[project]\nname="birds"\n',
        "[tool.ruff]\na = 1\n# of the project\n[project]\n[tool.black]\n# last\n",
        "  [ tool . 'ruff' ]\n\ta   =   [ 1,\n 2 , # c\n ]\n[[tool.x]]\n[[tool.x]]\n",
        "[tool]\nruff = { line-length = 1 } # inline\n",
        '[tool.ruff]\nx = """\n  [tool.modular]\n"""\n',
    ],
)
def test_every_character_before_the_table_stays(tmp_path: Path, before: str) -> None:
    files = written(tmp_path, {MODEL: "", "pyproject.toml": before})
    assert files["pyproject.toml"].startswith(f"{before}\n[tool.modular]\nmodels = ")
    assert settings(tmp_path, {})["package"] == "birds.models"


def test_a_project_without_models_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(
        SetupError,
        match=r"^no model files were found below .*: it has \d+ Python files, but none",
    ):
        written(tmp_path, {"birds/owl.py": ""})
