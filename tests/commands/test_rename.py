"""`modular rename`."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import modular
from modular import Options
from modular.project.opening import open_project
from modular.refactor.rename import rename_in
from modular.run.batch_converter import BatchConverter
from tests.rename_project import (
    RENAME_FILES,
)
from tests.support import source, write_project


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    write_project(folder, {path: source(text) for path, text in RENAME_FILES.items()})
    monkeypatch.chdir(folder)
    return folder


def renamed(root: Path, old: str, new: str) -> dict[str, str]:
    """The sources that a renaming changes."""
    project = open_project(root)
    return rename_in(project, old, new).edited_texts()


def test_the_command_converts_what_is_generated(
    root: Path, modular: Callable[..., Result]
) -> None:
    assert modular("convert").exit_code == 0
    done = modular("rename", "LlamaMLP", "LlamaGate")
    assert (done.exit_code, done.stdout) == (
        0,
        "3 definitions renamed in 4 sources and 2 generated files\n",
    )
    assert (
        "class MistralGate(nn.Module):"
        in (root / "models/mistral/modeling_mistral.py").read_text()
    )
    assert (
        "class PhiGate(nn.Module):" in (root / "models/phi/modeling_phi.py").read_text()
    )
    assert modular("check").exit_code == 0


def test_with_diff_the_results_of_the_files_on_disk_stay_in_the_cache(
    root: Path, modular: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    modular("convert")
    modular("rename", "LlamaMLP", "LlamaGate", "--diff")

    def convert(*arguments: object) -> None:
        raise AssertionError(arguments)

    monkeypatch.setattr(BatchConverter, "convert", convert)
    assert modular("check").exit_code == 0


def test_with_diff_nothing_is_written(
    root: Path, modular: Callable[..., Result]
) -> None:
    modular("convert")
    before = (root / "models/llama/modeling_llama.py").read_text()
    done = modular("rename", "LlamaMLP", "LlamaGate", "--diff")
    assert "+class LlamaGate(nn.Module):" in done.stdout
    assert "+class GemmaGate(nn.Module):" in done.stdout
    assert (root / "models/llama/modeling_llama.py").read_text() == before


def test_a_model_that_has_the_new_name_already_overrides_code(
    root: Path, modular: Callable[..., Result]
) -> None:
    modular("convert")
    (root / "models/bert").mkdir()
    (root / "models/bert/modular_bert.py").write_text(
        "from ..llama.modeling_llama import LlamaLayer\n\n\n"
        "class BertGate:\n    pass\n\n\nclass BertLayer(LlamaLayer):\n    gate = BertGate\n"
    )
    modular("convert")
    done = modular("rename", "LlamaMLP", "LlamaGate")
    assert done.exit_code == 0
    text = (root / "models/bert/modular_bert.py").read_text()
    assert "class BertMLP" in text
    assert modular("check").exit_code == 0


def test_a_stale_file_that_is_regenerated_along_is_listed_on_a_line_of_its_own(
    root: Path, modular: Callable[..., Result]
) -> None:
    modular("convert")
    parent = root / "models/llama/modeling_llama.py"
    text = parent.read_text()
    parent.write_text(
        text.replace("(nn.Module):\n", "(nn.Module):\n    size = 1\n\n", 1)
    )
    done = modular("rename", "LlamaMLP", "LlamaGate")
    assert done.exit_code == 0
    assert done.stderr.startswith(
        "also changed, please review:\n"
        "  models/gemma/modeling_gemma.py\n"
        "  models/mistral/modeling_mistral.py\n"
        "  models/phi/modeling_phi.py\n"
    )


def test_a_file_name_with_a_line_break_is_escaped(
    root: Path, modular: Callable[..., Result]
) -> None:
    (root / "a\nb.py").write_text("from models.llama import LlamaMLP\n")
    done = modular("rename", "LlamaMLP", "LlamaGate")
    assert done.exit_code == 1
    assert "a\ufffdb.py" in done.stderr
    assert "the path has characters that cannot be printed" in done.stderr


def test_a_model_whose_generated_file_has_a_syntax_error_is_named(
    root: Path, modular: Callable[..., Result]
) -> None:
    (root / "models/owl").mkdir()
    (root / "models/owl/modeling_owl.py").write_text(
        "class OwlMLP:\n    def run(self):\n        self=.size = 1\n"
    )
    (root / "models/bert").mkdir()
    (root / "models/bert/modular_bert.py").write_text(
        "from ..owl.modeling_owl import OwlMLP\n\n\nclass BertMLP(OwlMLP):\n    pass\n"
    )
    done = modular("rename", "LlamaMLP", "LlamaGate")
    assert "were not converted:\n  models/bert/modular_bert.py\n" in done.stderr
    assert "class LlamaGate" in (root / "models/llama/modeling_llama.py").read_text()


def test_edited_lines_of_a_generated_file_are_not_overwritten(
    root: Path, modular: Callable[..., Result]
) -> None:
    modular("convert")
    generated = root / "models/phi/modeling_phi.py"
    edited = generated.read_text() + "# mine\n"
    generated.write_text(edited)
    done = modular("rename", "LlamaMLP", "LlamaGate")
    assert done.exit_code == 1
    assert "error[MOD504]: somebody edited this line" in done.stderr
    assert generated.read_text() == edited


@pytest.mark.parametrize("new", ["roll", "roll_" * 15])
def test_without_git_and_record_an_output_is_not_mistaken_for_edited(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cache_folder: Path,
    modular: Callable[..., Result],
    new: str,
) -> None:
    parent = "class LlamaMLP:\n    def run(self):\n        return 1\n"
    child = (
        "from ..llama.modeling_llama import LlamaMLP\n\n\nclass OlmoMLP(LlamaMLP):\n"
        "    def go(self,x):\n        return [self.run(),self.run,x]\n"
    )
    files = {
        "pyproject.toml": '[tool.modular]\nformatter = "ruff"\n',
        "models/llama/modeling_llama.py": parent,
        "models/olmo/modular_olmo.py": child,
    }
    write_project(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    modular("convert")
    shutil.rmtree(cache_folder)
    done = modular("rename", "LlamaMLP.run", new)
    assert done.exit_code == 0, done.stderr
    generated = (tmp_path / "models/olmo/modeling_olmo.py").read_text()
    assert f"self.{new}()" in generated


def test_models_with_errors_before_the_rename_are_named(
    root: Path, modular: Callable[..., Result]
) -> None:
    modular("convert")
    broken = root / "models/gemma/modular_gemma.py"
    importing = "from ..owl.modeling_owl import OwlMLP\n"
    broken.write_text(
        importing + broken.read_text() + "\n\nclass GemmaOwl(OwlMLP):\n    pass\n"
    )
    done = modular("rename", "LlamaMLP", "LlamaGate", "--diff")
    assert (
        "these models had errors before, and were not converted:\n"
        "  models/gemma/modular_gemma.py\n"
    ) in done.stderr


QUOTES = {
    "pyproject.toml": '[tool.modular]\npackage = "models"\nformatter = "none"\n',
    "models/papa/modeling_papa.py": source('''
        class PapaMLP:
            """A PapaMLP."""

            scale = 2


        class PapaModel:
            """Holds a [`PapaMLP`]."""

            _no_split_modules = ["PapaMLP"]
            mlp: "PapaMLP"

            def copies(self) -> "list[PapaMLP]":
                return [PapaMLP()]
        '''),
    "models/acme/modular_acme.py": source("""
        from ..papa.modeling_papa import PapaMLP, PapaModel


        class AcmeMLP(PapaMLP):
            scale = 3


        class AcmeModel(PapaModel):
            pass
        """),
    "models/tables.py": 'MODELS = {"papa": "PapaMLP"}\n',
}


def test_quoted_annotations_lists_of_names_and_docstrings_follow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, modular: Callable[..., Result]
) -> None:
    write_project(tmp_path, QUOTES)
    monkeypatch.chdir(tmp_path)
    modular("convert")
    done = modular("rename", "PapaMLP", "PapaGate")
    assert (done.exit_code, done.stderr) == (0, "")
    for path, text in list(QUOTES.items())[1:]:
        expected = text.replace("PapaMLP", "PapaGate").replace("AcmeMLP", "AcmeGate")
        assert (tmp_path / path).read_text() == expected
    generated = (tmp_path / "models/acme/modeling_acme.py").read_text()
    assert "MLP" not in generated
    assert modular("check").exit_code == 0


def test_the_function_takes_what_the_others_take(root: Path) -> None:
    renaming = modular.rename("LlamaMLP", "LlamaNet", options=Options(root=root))
    places = [(place.path, place.name) for place in renaming.definitions]
    assert ("models/llama/modeling_llama.py", "LlamaMLP") in places


def test_nothing_is_written_for_a_model_that_had_an_error(
    root: Path, modular: Callable[..., Result]
) -> None:
    text = """
        from ..llama.modeling_llama import LlamaMLP


        class BertMLP(LlamaMLP):
            def project(self, x):
                return -super().project(x)
        """
    write_project(root, {"models/bert/modular_bert.py": source(text)})
    assert modular("convert").exit_code == 1
    done = modular("rename", "LlamaMLP.project", "apply")
    assert "these models had errors before" in done.stderr
    assert not (root / "models/bert/modeling_bert.py").exists()
