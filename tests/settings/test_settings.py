"""Tests of reading `[tool.modular]` over the preset."""

from pathlib import Path
from typing import Any

import pytest

from modular.project.opening import find_root, open_project
from modular.settings import settings as settings_module
from modular.settings.settings import SettingsError, from_table, load
from modular.system.reading import parse_toml


def test_a_project_without_settings_has_the_preset(tmp_path: Path) -> None:
    (tmp_path / "src/transformers/models/llama").mkdir(parents=True)
    (tmp_path / "src/transformers/models/llama/modular_llama.py").write_text("x = 1\n")
    project = open_project(tmp_path)
    assert project.models_folders == ("src/transformers/models",)
    assert project.modular_files == ("src/transformers/models/llama/modular_llama.py",)
    assert project.settings.packages["src/transformers/models"] == "transformers.models"


def test_a_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        "[tool.modular]\nformatter = 'none'\n", encoding="utf-8-sig"
    )
    assert load(tmp_path).formatter == "none"


def test_settings_replace_those_of_the_preset_and_tables_are_merged() -> None:
    settings = from_table(
        {"formatter": "none", "file-types": {"Scheduler": "scheduling"}}
    )
    assert settings.formatter == "none"
    assert settings.file_types["Scheduler"] == "scheduling"
    assert settings.file_types["Config"] == "configuration"
    assert "scheduling" in settings.all_file_types


@pytest.mark.parametrize(
    ("table", "key"),
    [
        ({"formater": "ruff"}, "tool.modular.formater"),
        ({"models": ["a", 1]}, "tool.modular.models"),
        ({"package": ["a"]}, "tool.modular.package"),
        ({"package": {"a": 1}}, "tool.modular.package.a"),
        ({"package": {"a": "x/y"}, "models": ["a"]}, "tool.modular.package.a"),
        ({"package": {"../a": "x"}, "models": ["a"]}, "tool.modular.package"),
        ({"package": {"a": "x"}, "models": ["a", "b"]}, "tool.modular.package"),
        ({"package": {"a": "x", "b": "y"}, "models": ["a"]}, "tool.modular.package.b"),
        ({"banner": "text"}, "tool.modular.banner"),
        ({"banner": {"text": "# made by\nmodular"}}, "tool.modular.banner.text"),
        ({"banner": {"texts": ""}}, "tool.modular.banner.texts"),
        ({"model-types": {"files": "one.py"}}, "tool.modular.model-types.files"),
        ({"infer": {"leave-out": ["a b"]}}, "tool.modular.infer.leave-out"),
        ({"infer": {"left-out": []}}, "tool.modular.infer.left-out"),
        (
            {"soft-dependencies": {"guards": {"torch": 1}}},
            "tool.modular.soft-dependencies.guards.torch",
        ),
    ],
)
def test_errors_name_the_key(table: dict[str, object], key: str) -> None:
    with pytest.raises(SettingsError, match=rf"{key}: "):
        from_table(table)


@pytest.mark.parametrize(
    ("table", "name"),
    [
        ("[tools.modular]", "tools.modular"),
        ("[tool.moduler]", "tool.moduler"),
        ("[tool.Modular]", "tool.Modular"),
        ('[tool.moduler]\nmodels = ["models"]', "tool.moduler"),
        ("[tool.modulars.lint]\nerror = []", "tool.modulars"),
        ("[tool.modular]\n[tools.modular.banner]", "tools.modular"),
        ("[modular]\nformatter = 'none'", "modular"),
    ],
)
def test_a_misspelt_table_is_an_error(tmp_path: Path, table: str, name: str) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[project]\n{table}\n")
    with pytest.raises(
        SettingsError,
        match=rf"^pyproject.toml:\d: {name}: unknown table; did you mean `tool.modular`",
    ):
        load(tmp_path)


@pytest.mark.parametrize(
    "table",
    [
        "[tool.modularity]\ndepth = 3",
        "[tool.moduler]\nspeed = 1",
        "[tools]\nmodular = 'yes'",
        "[modular]\nspeed = 1",
        "[tool]\nmodule = 1",
    ],
)
def test_the_table_of_another_tool_is_no_error(tmp_path: Path, table: str) -> None:
    (tmp_path / "pyproject.toml").write_text(f"{table}\n")
    assert load(tmp_path).formatter == "ruff"


def test_a_pyproject_that_is_not_toml_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.modular\n")
    with pytest.raises(SettingsError, match="pyproject.toml"):
        load(tmp_path)


def test_a_banner_ends_with_a_line_end() -> None:
    assert (
        from_table({"banner": {"text": "# made by modular"}}).banner
        == "# made by modular\n"
    )
    assert from_table({"banner": {"text": ""}}).banner == ""


def test_paths_of_folders_are_normalized() -> None:
    settings = from_table({"models": ["./models/", "src//models"], "output": "./out/"})
    assert (settings.models, settings.output) == (("models", "src/models"), "out")
    assert from_table({"output": ""}).output == ""


def test_a_package_may_be_given_for_each_models_folder() -> None:
    folders = ["text/models", "vision/models"]
    packages = {"./vision/models/": "birds.vision", "text/models": "birds.text"}
    one = from_table({"models": folders, "package": "birds"})
    several = from_table({"models": folders, "package": packages})
    assert one.packages == {"text/models": "birds", "vision/models": "birds"}
    assert several.packages == {
        "text/models": "birds.text",
        "vision/models": "birds.vision",
    }
    assert not several.is_library


def test_a_models_folder_without_a_package_is_named() -> None:
    with pytest.raises(
        SettingsError, match="name the package of the models folder `vision/models`"
    ):
        from_table(
            {
                "models": ["text/models", "vision/models"],
                "package": {"text/models": "birds.text"},
            }
        )
    with pytest.raises(
        SettingsError, match="no such folder is in `models`; did you mean `text/models`"
    ):
        from_table(
            {
                "models": ["text/models"],
                "package": {"text/models": "a", "text/model": "b"},
            }
        )


def test_the_banner_of_other_projects_is_neutral() -> None:
    neutral = "# This file is generated from {path}. Do not edit it: edit {name}, and run `modular convert`.\n"
    assert from_table({"package": "my_package.models"}).banner == neutral
    assert "One of our CI enforces this" in from_table({}).banner
    own = {"package": "my_package.models", "banner": {"text": "# made by modular"}}
    assert from_table(own).banner == "# made by modular\n"


def test_a_command_parses_the_settings_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts: list[bytes] = []

    def parse(data: bytes) -> dict[str, object]:
        texts.append(data)
        return parse_toml(data)

    monkeypatch.setattr(settings_module, "parse_toml", parse)
    text = b"[tool.modular]\nformatter = 'none'\n# parsed once\n"
    (tmp_path / "pyproject.toml").write_bytes(text)
    (tmp_path / "models").mkdir()
    find_root(tmp_path / "models")
    open_project(tmp_path)
    assert texts.count(text) == 1


@pytest.mark.parametrize("package", ["transformers.models", "birds.models"])
def test_guards_of_a_project_are_added_to_those_of_the_preset(package: str) -> None:
    guards = {"soundfile": "is_soundfile_available"}
    table = {"package": package, "soft-dependencies": {"guards": guards}}
    settings = from_table(table)
    assert set(settings.soft_dependencies_guards) == {
        "torch",
        "torchvision",
        "soundfile",
    }


@pytest.mark.parametrize(
    ("table", "inheritance"),
    [
        ({}, "transformers"),
        ({"package": "transformers.models"}, "transformers"),
        ({"package": "birds.models"}, "python"),
        ({"package": {"models": "birds.models"}, "models": ["models"]}, "python"),
        ({"package": "birds.models", "preset": "transformers"}, "transformers"),
        ({"package": "birds.models", "inheritance": "transformers"}, "transformers"),
        ({"preset": "hub"}, "python"),
        ({"source-library": "diffusers"}, "python"),
        ({"package": "transformers.models", "source-library": "src/transformers"}, "transformers"),
        ({"preset": "transformers"}, "transformers"),
        ({"output": "generated"}, "python"),
        ({"source-library": "diffusers", "inheritance": "transformers"}, "transformers"),
        ({"inheritance": "python"}, "python"),
    ],
)  # fmt: skip
def test_classes_are_flattened_like_python_outside_transformers(
    table: dict[str, Any], inheritance: str
) -> None:
    assert from_table(table).inheritance == inheritance


def test_settings_without_a_package_are_those_of_transformers_in_its_own_folder(
    tmp_path: Path,
) -> None:
    text = '[tool.modular]\noutput = "generated"\n'
    (tmp_path / "pyproject.toml").write_text(text)
    (tmp_path / "models").mkdir()
    assert load(tmp_path).inheritance == "python"
    (tmp_path / "src/transformers/models").mkdir(parents=True)
    assert load(tmp_path).inheritance == "transformers"


def test_a_project_without_settings_is_transformers_only_in_its_own_folder(
    tmp_path: Path,
) -> None:
    (tmp_path / "models").mkdir()
    assert load(tmp_path).inheritance == "python"
    (tmp_path / "src/transformers/models").mkdir(parents=True)
    assert load(tmp_path).inheritance == "transformers"


def test_an_unknown_kind_of_inheritance_is_an_error() -> None:
    with pytest.raises(SettingsError, match="inheritance: expected one of python, "):
        from_table({"inheritance": "java"})


@pytest.mark.parametrize(
    ("table", "version"),
    [
        ({}, "0.14.10"),
        ({"package": "birds.models"}, ""),
        ({"formatter": "black"}, ""),
        ({"preset": "hub"}, ""),
        ({"package": "birds.models", "formatter-version": "0.15.2"}, "0.15.2"),
    ],
)
def test_only_transformers_has_the_formatter_version_of_the_preset(
    table: dict[str, Any], version: str
) -> None:
    assert from_table(table).formatter_version == version
