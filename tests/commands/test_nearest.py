"""`modular nearest`."""

import json

import pytest
from click.testing import CliRunner

from modular.cli.main import main
from tests.infer.conftest import FLAT, LLAMA, PARENT
from tests.schema import changed_flock, validate
from tests.support import source, write_project


@pytest.fixture
def modular(tmp_path, monkeypatch):
    files = {LLAMA: PARENT, FLAT: PARENT.replace("Llama", "MyModel")}
    write_project(tmp_path, {path: source(text) for path, text in files.items()})
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        return CliRunner().invoke(main, [*arguments, "--no-cache"])

    return run


def test_nearest_prints_json(modular):
    done = modular("nearest", f"{FLAT}:MyModelNorm", "--output-format", "json")
    (norm,) = json.loads(done.stdout)["classes"]
    assert norm["name"] == "MyModelNorm"
    assert norm["path"] == FLAT
    assert norm["nearest"][0] == {
        "path": LLAMA,
        "name": "LlamaNorm",
        "similarity": 1.0,
        "copies": 0,
    }


@pytest.mark.parametrize("text", ["class LlamaNorm(\n", "\0"])
def test_nearest_names_library_files_that_cannot_be_read(modular, tmp_path, text):
    (tmp_path / LLAMA).write_text(text, encoding="utf-8")
    done = modular("nearest", f"{FLAT}:MyModelNorm")
    assert done.stdout == "MyModelNorm\n  nothing is near\n"
    assert f"--> {LLAMA}:1:" in done.stderr
    assert done.exit_code == 1


def test_nearest_prints_text(modular):
    lines = modular("nearest", f"{FLAT}:MyModelNorm").stdout.splitlines()
    assert lines[:2] == [
        "MyModelNorm",
        "  100%  llama  LlamaNorm  (same: __init__, forward)",
    ]


def test_json_of_nearest_matches_the_schema(tmp_path):
    target = "models/eagle/modeling_eagle.py"
    validate(changed_flock(tmp_path, "nearest", target), "nearest")


def test_nearest_takes_the_name_of_a_model(modular):
    by_name = modular("nearest", "my_model")
    by_file = modular("nearest", FLAT)
    assert by_name.exit_code == 0
    assert by_name.stdout == by_file.stdout
    count = 4
    first_line, second_line, *_ = by_name.stdout.splitlines()
    assert first_line.startswith(f"nearest model: llama, for {count} of {count} def")
    assert second_line == "  100%  MyModelNorm: llama LlamaNorm"


def test_nearest_lists_all_that_are_similar_with_verbose(modular):
    lines = modular("nearest", "my_model", "--verbose").stdout.splitlines()
    assert lines[1:3] == [
        "MyModelNorm",
        "  100%  llama  LlamaNorm  (same: __init__, forward)",
    ]


def test_nearest_takes_a_class_of_a_model(modular):
    lines = modular("nearest", "my_model:MyModelNorm").stdout.splitlines()
    assert lines[:2] == [
        "MyModelNorm",
        "  100%  llama  LlamaNorm  (same: __init__, forward)",
    ]


def test_nearest_compares_all_files_of_a_model(modular, tmp_path):
    configuration = tmp_path / "models/my_model/configuration_my_model.py"
    configuration.write_text("class MyModelConfig:\n    size = 1\n")
    done = modular("nearest", "my_model", "--output-format", "json")
    classes = {
        entry["name"]: entry["path"] for entry in json.loads(done.stdout)["classes"]
    }
    assert classes["MyModelConfig"] == "models/my_model/configuration_my_model.py"
    assert classes["MyModelNorm"] == FLAT


def test_an_unknown_class_of_a_model_is_an_error_with_a_suggestion(modular):
    done = modular("nearest", "my_model:MyModelNrm")
    assert "no class, function or method `MyModelNrm`" in done.stderr
    assert "did you mean `MyModelNorm` or " in done.stderr
    assert done.exit_code == 2


def test_an_unknown_target_of_nearest_is_a_usage_error(modular):
    assert modular("nearest", "no_such_model").exit_code == 2
