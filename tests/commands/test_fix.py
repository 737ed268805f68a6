"""`modular fix`."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from modular.cli.main import main
from modular.project.opening import open_project
from modular.refactor.autofix import fix_models
from modular.run.options import Options
from tests.support import source


LLAMA = source("""
    from torch import nn


    class LlamaMLP(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.up_proj = nn.Linear(4, 4)

        def forward(self, x):
            return self.up_proj(x)

        def prune(self):
            self.up_proj = None


    class LlamaModel(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.mlp = LlamaMLP(config)
    """)
OLMO = source("""
    from ..llama.modeling_llama import LlamaMLP, LlamaModel


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            return self.up_proj(x)

        def prune(self):
            raise AttributeError("Olmo is not pruned")
    """)
WITHOUT_UNUSED = source("""
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):

        def prune(self):
            raise AttributeError("Olmo is not pruned")
    """)
APERTUS = source("""
    from ..olmo.modeling_olmo import OlmoMLP


    class ApertusMLP(OlmoMLP):
        def prune(self):
            return super().prune()
    """)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write(
        tmp_path,
        "pyproject.toml",
        '[tool.modular]\npreset = "transformers"\nmodels = ["models"]\n',
    )
    write(tmp_path, "models/llama/modeling_llama.py", LLAMA)
    write(tmp_path, "models/olmo/modular_olmo.py", OLMO)
    return tmp_path


def write(root: Path, path: str, text: str) -> None:
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode())


def fix(root: Path, *arguments: str) -> Result:
    return CliRunner().invoke(
        main, ["fix", "--root", str(root), "--no-cache", *arguments]
    )


def modular(root: Path, model: str = "olmo") -> str:
    return (root / f"models/{model}/modular_{model}.py").read_bytes().decode()


def test_safe_fixes_are_applied_until_none_is_left(project: Path) -> None:
    done = fix(project)
    assert done.output == (
        "MOD453  models/olmo/modular_olmo.py:1  Remove the import of `LlamaModel`\n"
        "MOD455  models/olmo/modular_olmo.py:5  Remove `forward`\n"
        "2 findings fixed\n"
    )
    assert done.exit_code == 0
    assert modular(project) == WITHOUT_UNUSED
    assert fix(project).output == "nothing to fix\n"


def test_a_target_that_does_not_exist_is_an_error(project: Path) -> None:
    done = fix(project, "olmmo")
    assert "error[MOD103]: no such model, file or folder" in done.stderr
    assert "nothing to fix" not in done.stdout
    assert done.exit_code == 2


def test_unsafe_fixes_are_applied_when_asked_for(project: Path) -> None:
    text = WITHOUT_UNUSED.replace("(LlamaMLP):\n\n", "(LlamaMLP):\n")
    write(project, "models/olmo/modular_olmo.py", text)
    done = fix(project)
    assert (
        done.output
        == "nothing to fix\n1 more finding can be fixed with `--unsafe-fixes`\n"
    )
    assert modular(project) == text
    done = fix(project, "--unsafe-fixes")
    assert done.output == (
        "MOD403  models/olmo/modular_olmo.py:5  Remove the parent's `prune`\n1 finding fixed\n"
    )
    assert modular(project) == WITHOUT_UNUSED


def test_a_file_with_more_fixes_than_are_checked_is_named(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modular.refactor.autofix.MAX_CHECKS_PER_FILE", 0)
    assert fix(project).output == (
        "models/olmo/modular_olmo.py: stopped after 0 checks, with findings left that "
        "have a fix\n"
    )
    assert modular(project) == OLMO


def test_a_diff_writes_nothing(project: Path) -> None:
    write(
        project,
        "models/olmo/modular_olmo.py",
        WITHOUT_UNUSED.replace("LlamaMLP\n", "LlamaMLP, LlamaModel\n", 1),
    )
    done = fix(project, "--diff")
    assert done.output == (
        "--- a/models/olmo/modular_olmo.py\n"
        "+++ b/models/olmo/modular_olmo.py\n"
        "@@ -1,4 +1,4 @@\n"
        "-from ..llama.modeling_llama import LlamaMLP, LlamaModel\n"
        "+from ..llama.modeling_llama import LlamaMLP\n"
        " \n"
        " \n"
        " class OlmoMLP(LlamaMLP):\n"
        "1 finding fixed\n"
    )
    assert done.exit_code == 1
    assert "LlamaModel" in modular(project)


def test_a_fix_that_would_break_another_model_is_not_applied(project: Path) -> None:
    """Without `prune` in what `olmo` generates, `apertus` would have nothing to unravel."""
    text = WITHOUT_UNUSED.replace("(LlamaMLP):\n\n", "(LlamaMLP):\n")
    write(project, "models/olmo/modular_olmo.py", text)
    write(project, "models/apertus/modular_apertus.py", APERTUS)
    assert fix(project, "olmo", "--unsafe-fixes").output == "nothing to fix\n"
    assert modular(project) == text


def test_a_class_without_any_other_member_gets_a_pass(project: Path) -> None:
    useless = source("""
        from ..llama.modeling_llama import LlamaMLP


        class ApertusMLP(LlamaMLP):
            scale = AttributeError()
        """)
    write(project, "models/apertus/modular_apertus.py", useless)
    fix(project, "apertus")
    assert modular(project, "apertus") == useless.replace(
        "scale = AttributeError()", "pass"
    )


def test_a_safe_fix_that_would_change_what_is_generated_is_not_applied(
    project: Path,
) -> None:
    """Without the override, the parent's comment would be in the generated file."""
    parent = LLAMA.replace("return self.up_proj(x)", "return self.up_proj(x)  # once")
    write(project, "models/llama/modeling_llama.py", parent)
    text = OLMO.replace("LlamaMLP, LlamaModel", "LlamaMLP")
    write(project, "models/olmo/modular_olmo.py", text)
    assert fix(project).output == "nothing to fix\n"
    assert modular(project) == text


def test_fixes_of_a_file_that_is_not_written_do_not_count(project: Path) -> None:
    os.link(project / "models/olmo/modular_olmo.py", project / "second.py")
    done = fix(project)
    assert done.exit_code == 1
    assert "has a second name" in done.stderr
    printed = done.stdout + done.stderr
    assert "fixed" not in printed and "nothing to fix" not in printed
    assert modular(project) == OLMO


def test_line_ends_stay_as_they_are(project: Path) -> None:
    write(project, "models/olmo/modular_olmo.py", OLMO.replace("\n", "\r\n"))
    fix(project)
    assert modular(project) == WITHOUT_UNUSED.replace("\n", "\r\n")


def test_an_import_at_the_beginning_is_removed_with_the_blank_lines_below(
    project: Path,
) -> None:
    fix(project)
    fixed = modular(project)
    write(project, "models/olmo/modular_olmo.py", f"import os\n\n{fixed}")
    assert "1 finding fixed" in fix(project).stdout
    assert modular(project) == fixed


def test_what_the_settings_ignore_is_not_fixed(project: Path) -> None:
    write(
        project,
        "pyproject.toml",
        '[tool.modular]\npreset = "transformers"\nmodels = ["models"]\n[tool.modular.lint]\nignore = ["MOD45"]\n',
    )
    assert fix(project).output == "nothing to fix\n"
    assert modular(project) == OLMO


def test_only_safe_fixes_of_infos_are_applied(project: Path) -> None:
    settings = '[tool.modular]\npreset = "transformers"\nmodels = ["models"]\n[tool.modular.lint]\n'
    write(project, "pyproject.toml", f'{settings}info = ["MOD4"]\n')
    assert "2 findings fixed" in fix(project, "--unsafe-fixes").output
    assert modular(project) == WITHOUT_UNUSED


def test_a_file_with_a_syntax_error_is_named_and_the_exit_code_is_1(
    project: Path,
) -> None:
    write(project, "models/olmo/modular_olmo.py", "class OlmoMLP(Lla")
    done = fix(project)
    assert done.exit_code == 1
    assert "nothing to fix" not in done.output
    assert "models/olmo/modular_olmo.py:1" in done.stderr


def test_a_file_that_changes_after_it_was_read_is_not_overwritten(
    project: Path,
) -> None:
    opened = open_project(project)
    fixed = fix_models(opened, [], Options(root=project, cache=False), unsafe=False)
    assert [file.path for file in fixed.files] == ["models/olmo/modular_olmo.py"]
    saved = OLMO + "\n\nSAVED = 1\n"
    write(project, "models/olmo/modular_olmo.py", saved)
    problems = fixed.write()
    assert [problem.message for problem in problems] == [
        "the file changed after it was read"
    ]
    assert modular(project) == saved


def test_a_called_method_of_the_parent_is_written_out_once(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": '[tool.modular]\npreset = "transformers"\nformatter = "none"\n',
        "models/llama/modeling_llama.py": LLAMA,
        "models/olmo/modular_olmo.py": source("""
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def forward(self, x):
                    y = super().forward(x)
                    return y + super().forward(2 * x)
        """),
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    arguments = ["fix", "--unsafe-fixes", "--write", "--root", str(tmp_path)]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    modular_file = tmp_path / "models/olmo/modular_olmo.py"
    assert modular_file.read_text(encoding="utf-8") == source("""
        from ..llama.modeling_llama import LlamaMLP


        class OlmoMLP(LlamaMLP):
            def _llama_mlp_forward(self, x):
                return self.up_proj(x)

            def forward(self, x):
                y = self._llama_mlp_forward(x)
                return y + self._llama_mlp_forward(2 * x)
    """)
