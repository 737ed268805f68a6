"""Tests of the files that imports mean."""

from pathlib import Path

import pytest

from modular.project.opening import open_project
from modular.project.project import Project
from modular.semantics.imports import (
    choose_parent_file,
    find_module_stem,
    module_files,
    parent_files,
)
from tests.support import write_project


LIBRARY = """
[tool.modular]
models = ["src/lib/models"]
package = "lib.models"
output = "generated"
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    files = {
        "pyproject.toml": LIBRARY,
        "src/lib/models/llama/modeling_llama.py": "",
        "src/lib/models/olmo/modular_olmo.py": "",
        "src/lib/utils.py": "",
    }
    write_project(tmp_path, files)
    return open_project(tmp_path)


def test_a_parent_file_is_hand_written_or_generated(project: Project) -> None:
    modular = "src/lib/models/olmo/modular_olmo.py"
    paths = (
        "src/lib/models/llama/modeling_llama.py",
        "generated/llama/modeling_llama.py",
    )
    assert parent_files(project, modular, 2, "llama.modeling_llama") == paths
    assert parent_files(project, modular, 0, "lib.models.llama.modeling_llama") == paths
    assert choose_parent_file(paths, lambda path: path == paths[1]) == paths[1]


def test_the_first_parent_file_is_chosen_if_none_exists() -> None:
    assert choose_parent_file(["a.py", "b.py"], lambda path: False) == "a.py"
    assert choose_parent_file([], lambda path: True) is None


def test_other_modules_are_no_parent_files(project: Project) -> None:
    modular = "src/lib/models/olmo/modular_olmo.py"
    assert parent_files(project, modular, 3, "utils") == ()
    assert parent_files(project, modular, 1, "modeling_olmo") == ()


def test_a_relative_import_means_a_module_or_a_package(project: Project) -> None:
    modular = "src/lib/models/olmo/modular_olmo.py"
    assert module_files(project, modular, 3, "utils") == (
        "src/lib/utils.py",
        "src/lib/utils/__init__.py",
    )
    assert module_files(project, modular, 9, "utils") == ()


def test_an_absolute_import_is_looked_for_in_source_folders_and_the_root(
    project: Project,
) -> None:
    assert module_files(project, "tools/check.py", 0, "lib.utils") == (
        "src/lib/utils.py",
        "src/lib/utils/__init__.py",
        "lib/utils.py",
        "lib/utils/__init__.py",
    )


def test_absolute_imports_of_models_have_a_path(project: Project) -> None:
    stem = "src/lib/models/llama"
    path = "src/lib/models/olmo/modular_olmo.py"
    assert find_module_stem(project, path, 0, "lib.models.llama") == stem
    assert find_module_stem(project, path, 0, "src.lib.models.llama") == stem
    assert find_module_stem(project, path, 2, "llama") == stem
    assert find_module_stem(project, path, 0, "torch.nn") is None
