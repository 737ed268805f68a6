"""`modular infer`."""

import json

import pytest
from click.testing import CliRunner

from modular import Options, infer_modular
from modular.cli.main import main
from modular.infer import infer
from modular.infer.solve import infer_model
from tests.infer.conftest import FLAT, LLAMA, PARENT
from tests.schema import changed_flock, validate
from tests.support import source, write_project


MODULAR = "models/my_model/modular_my_model.py"

TEXT = source("""
    from ..llama.modeling_llama import LlamaLayer


    class MyModelLayer(LlamaLayer):
        pass
    """)


@pytest.fixture
def modular(tmp_path, monkeypatch):
    files = {LLAMA: PARENT, FLAT: PARENT.replace("Llama", "MyModel")}
    write_project(tmp_path, {path: source(text) for path, text in files.items()})
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        return CliRunner().invoke(main, [*arguments, "--no-cache"])

    return run


def test_without_write_the_modular_file_is_only_printed(modular, tmp_path):
    done = modular("infer", "my_model")
    assert (done.exit_code, done.stdout) == (0, TEXT)
    assert "5 lines for 42, 37 saved; identical" in done.stderr
    assert "Nothing was written. To write modular files, pass `--write`." in done.stderr
    assert not (tmp_path / MODULAR).exists()


def test_diff_prints_a_new_modular_file_as_a_diff(modular, tmp_path):
    done = modular("infer", "my_model", "--diff")
    lines = done.stdout.splitlines()
    assert lines[:2] == ["--- /dev/null", f"+++ b/{MODULAR}"]
    assert [line[1:] for line in lines[3:]] == TEXT.splitlines()
    assert not (tmp_path / MODULAR).exists()


def test_diff_compares_with_an_existing_modular_file(modular, tmp_path):
    (tmp_path / MODULAR).write_text(TEXT.replace("pass", "..."), encoding="utf-8")
    done = modular("infer", "my_model", "--diff", "--force")
    lines = done.stdout.splitlines()
    assert lines[:2] == [f"--- a/{MODULAR}", f"+++ b/{MODULAR}"]
    changes = [line for line in lines[3:] if line[0] in "+-"]
    assert changes == ["-    ...", "+    pass"]


@pytest.mark.parametrize("arguments", [["infer", "my_model"], ["nearest", FLAT]])
def test_a_flat_file_that_is_a_link_out_of_the_project_is_not_read(
    modular, tmp_path, arguments
):
    secret = tmp_path.with_name(f"{tmp_path.name}-secret.py")
    secret.write_text("class MyModelMLP:\n    key = 'hunter2'\n", encoding="utf-8")
    (tmp_path / FLAT).unlink()
    (tmp_path / FLAT).symlink_to(secret)
    done = modular(*arguments)
    assert done.exit_code in (1, 2)
    assert "points outside the project's root" in done.stderr
    assert "hunter2" not in done.stdout + done.stderr


def test_infer_modular_takes_one_target_and_its_report_prints_like_the_command(
    modular, tmp_path
):
    options = Options(root=tmp_path, cache=False)
    report = infer_modular("my_model", options=options)
    assert [inference.model for inference in report.inferences] == ["my_model"]
    assert str(report).startswith(
        f"{TEXT}models/my_model/modular_my_model.py: 5 lines for 42, 37 saved; identical\n"
    )
    unknown = infer_modular("my_modle", options=options)
    assert str(unknown) == (
        "my_modle: error[MOD103]: no such model, file or folder "
        "(did you mean `my_model`?)"
    )


def test_a_target_can_be_a_folder_or_a_flat_file(modular):
    assert modular("infer", "models/my_model").stdout == TEXT
    assert modular("infer", FLAT).stdout == TEXT


def test_a_models_folder_means_all_models_without_a_modular_file(modular, tmp_path):
    (tmp_path / "models/llama/modular_llama.py").write_text("class LlamaMLP: ...\n")
    assert modular("infer", "models").stdout == TEXT


def test_the_next_step_names_the_path_of_a_file_outside_of_the_models_folders(
    modular, tmp_path, monkeypatch
):
    research = tmp_path / "research"
    research.mkdir()
    (tmp_path / FLAT).rename(research / "train.py")
    monkeypatch.chdir(tmp_path)
    done = modular("infer", "research/train.py", "--write")
    assert done.exit_code == 0, done.stderr
    path = "research/modular_train.py"
    assert done.stdout.endswith(
        f"next: `modular convert {path}` writes the generated files\n"
    )
    assert modular("convert", path).exit_code == 0


def test_the_written_file_generates_the_flat_file(modular, tmp_path):
    flat = (tmp_path / FLAT).read_text(encoding="utf-8")
    done = modular("infer", "my_model", "--write")
    assert done.exit_code == 0
    assert done.stdout.endswith(
        "next: `modular convert my_model` writes the generated files\n"
    )
    assert (tmp_path / MODULAR).read_text(encoding="utf-8") == TEXT
    assert modular("check", "my_model").exit_code == 0
    assert (tmp_path / FLAT).read_text(encoding="utf-8") == flat


def test_existing_files_are_only_overwritten_with_force(modular, tmp_path):
    (tmp_path / MODULAR).write_text("# mine\n", encoding="utf-8")
    done = modular("infer", "my_model", "--write")
    assert done.exit_code == 1
    assert "--force" in done.stderr
    assert (tmp_path / MODULAR).read_text(encoding="utf-8") == "# mine\n"
    assert modular("infer", "my_model", "--write", "--force").exit_code == 0
    assert (tmp_path / MODULAR).read_text(encoding="utf-8") == TEXT


def test_a_save_during_the_inference_is_kept_even_with_force(
    modular, tmp_path, monkeypatch
):
    file = tmp_path / MODULAR
    file.write_text("# mine\n", encoding="utf-8")

    def infer_and_save(*arguments):
        file.write_text("# saved\n", encoding="utf-8")
        return infer_model(*arguments)

    monkeypatch.setattr(infer, "infer_model", infer_and_save)
    done = modular("infer", "my_model", "--write", "--force")
    assert done.exit_code == 1
    assert "error[MOD108]: the file changed after it was read" in done.stderr
    assert file.read_text(encoding="utf-8") == "# saved\n"


def test_json_reports_lines_proof_and_parents(modular):
    (model,) = json.loads(
        modular("infer", "my_model", "--output-format", "json").stdout
    )["models"]
    assert {
        key: model[key]
        for key in ("model", "modular", "flat_lines", "modular_lines", "proof")
    } == {
        "model": "my_model",
        "modular": MODULAR,
        "flat_lines": 42,
        "modular_lines": 5,
        "proof": "identical",
    }
    assert model["classes"][0] == {
        "name": "MyModelNorm",
        "parent": {"path": LLAMA, "name": "LlamaNorm"},
        "inherited": ["__init__", "forward"],
        "merged": [],
        "overridden": [],
    }


def test_a_file_that_does_not_parse_is_an_error(modular, tmp_path):
    (tmp_path / FLAT).write_text("class MyModelMLP(:\n", encoding="utf-8")
    done = modular("infer", "my_model")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "MOD101" in done.stderr


def test_an_unknown_target_or_parent_is_an_error(modular):
    assert "did you mean `my_model`?" in modular("infer", "my_modle").stderr
    done = modular("infer", "my_model", "--from", "lama")
    assert done.exit_code == 2
    assert "did you mean `llama`?" in done.stderr


def test_json_of_infer_matches_the_schema(tmp_path):
    validate(changed_flock(tmp_path, "infer", "eagle"), "infer")


def test_an_unknown_target_of_infer_is_a_usage_error(modular):
    assert modular("infer", "no_such_model").exit_code == 2
