"""Tests of finding the root of a project and opening it."""

from pathlib import Path

import pytest

from modular.project.opening import find_root, open_copy, open_project
from modular.settings.settings import SettingsError


def write_settings(folder: Path, text: str = "") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    content = f"[tool.modular]\n{text}"
    (folder / "pyproject.toml").write_text(content, encoding="utf-8")


def make_folder(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def test_the_root_is_the_nearest_folder_with_the_table(tmp_path: Path) -> None:
    write_settings(tmp_path)
    inner = make_folder(tmp_path / "models/llama")
    (inner / "pyproject.toml").write_text("[tool.other]\n", encoding="utf-8")
    assert find_root(inner) == tmp_path


def test_without_a_table_the_root_is_the_nearest_folder_with_a_pyproject(
    tmp_path: Path,
) -> None:
    (tmp_path / "pyproject.toml").touch()
    inner = make_folder(tmp_path / "models/llama")
    assert find_root(inner) == tmp_path


def test_without_a_pyproject_the_root_is_a_folder_with_models(tmp_path: Path) -> None:
    inner = make_folder(tmp_path / "models/llama")
    assert find_root(inner) == tmp_path
    assert find_root(tmp_path) == tmp_path


def test_the_root_of_transformers_is_the_folder_that_contains_src(
    tmp_path: Path,
) -> None:
    inner = make_folder(tmp_path / "src/transformers/models/llama")
    assert find_root(inner) == tmp_path


def test_a_folder_outside_of_projects_is_its_own_root(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "empty")
    assert find_root(folder) == folder


def test_a_models_folder_of_the_settings_must_exist(tmp_path: Path) -> None:
    write_settings(tmp_path, 'models = ["nets"]\n')
    with pytest.raises(SettingsError, match="there is no folder `nets`"):
        open_project(tmp_path)


def test_the_output_folder_is_below_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(make_folder(tmp_path / "models"))
    project = open_project(tmp_path, output="../build")
    assert project.settings.output == "build"
    with pytest.raises(SettingsError, match="is not below the project's root"):
        open_project(tmp_path, output="../../elsewhere")


def test_a_copy_has_its_own_settings_and_the_library_of_the_root(
    tmp_path: Path,
) -> None:
    root = tmp_path / "root"
    copy = tmp_path / "temporary/copy"
    library = make_folder(tmp_path / "elsewhere/elder/models").parent
    settings = 'source-library = "../elsewhere/elder"\n'
    write_settings(root, f'{settings}output = "new"\n')
    write_settings(copy, f'{settings}output = "old"\n')
    project = open_copy(copy, root, output=None, source_library=None)
    assert project.settings.output == "old"
    assert project.library is not None
    assert project.library.folder.resolve() == library


def test_a_copy_that_finds_its_own_library_has_the_settings_of_the_original(
    tmp_path: Path,
) -> None:
    """Otherwise, cached results of the original could not be used for the copy."""
    root, copy = tmp_path / "project", tmp_path / "copy"
    for folder in (root, copy):
        make_folder(folder / "src/elder/models")
        write_settings(folder, 'source-library = "elder"\n')
    original = open_project(root)
    project = open_copy(copy, root, output=None, source_library=None)
    assert project.settings == original.settings
    assert project.library is not None
    assert project.library.folder == copy / "src/elder"
