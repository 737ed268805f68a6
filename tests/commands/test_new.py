"""`modular new`: a modular file to start from."""

import os
import subprocess
from datetime import date
from pathlib import Path

import pytest

from modular.scaffold import new_model
from tests.flock import make_flock, run_modular
from tests.support import source, write_project


LLAMA = {
    "models/llama/configuration_llama.py": source("""
        class LlamaConfig:
            model_type = "llama"


        __all__ = ["LlamaConfig"]
    """),
    "models/llama/modeling_llama.py": source("""
        from .configuration_llama import LlamaConfig


        class LlamaMLP:
            config: LlamaConfig


        class LlamaModel:
            mlp = LlamaMLP


        class LlamaForCausalLM:
            model = LlamaModel


        __all__ = ["LlamaModel", "LlamaForCausalLM"]
    """),
    "models/llama/processing_llama.py": source("""
        class _LlamaHelper:
            pass


        class LlamaProcessor:
            pass


        class Unrelated:
            pass
    """),
}

MY_LLM = source("""
    from ..llama.configuration_llama import LlamaConfig
    from ..llama.modeling_llama import LlamaForCausalLM, LlamaModel
    from ..llama.processing_llama import LlamaProcessor


    class MyLlmConfig(LlamaConfig):
        pass


    class MyLlmModel(LlamaModel):
        pass


    class MyLlmForCausalLM(LlamaForCausalLM):
        pass


    class MyLlmProcessor(LlamaProcessor):
        pass


    __all__ = [
        "MyLlmConfig",
        "MyLlmForCausalLM",
        "MyLlmModel",
        "MyLlmProcessor",
    ]
""")

NEW = "models/my_llm/modular_my_llm.py"


def new(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    write_project(root, LLAMA)
    return run_modular("new", *arguments, cwd=root)


def test_all_public_classes_and_a_configuration_with_the_right_casing(
    tmp_path: Path,
) -> None:
    done = new(tmp_path, "my_llm", "--from", "llama")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "5 classes:\n"
        "  MyLlmConfig\n    inherited from LlamaConfig\n"
        "  MyLlmMLP\n    dependency: copied from LlamaMLP\n"
        "  MyLlmModel\n    inherited from LlamaModel\n"
        "  MyLlmForCausalLM\n    inherited from LlamaForCausalLM\n"
        "  MyLlmProcessor\n    inherited from LlamaProcessor\n"
        "\n"
        f"{NEW} written: edit what differs, then run `modular convert my_llm`\n"
    )
    assert (tmp_path / NEW).read_text(encoding="utf-8") == MY_LLM


def test_it_begins_as_most_files_of_the_project_do_with_this_year(
    tmp_path: Path,
) -> None:
    licence = (
        "# Copyright {} The owls. All rights reserved.\n#\n# Licensed under terms.\n"
    )
    others = {
        f"models/m{year}/modeling_m{year}.py": licence.format(year) + "\nx = 1\n"
        for year in (2019, 2022)
    }
    write_project(
        tmp_path,
        {**others, "models/m3/modeling_m3.py": "# Copyright 2020 A guest.\n\nx = 1\n"},
    )
    new(tmp_path, "my_llm", "--from", "llama")
    text = (tmp_path / NEW).read_text(encoding="utf-8")
    assert text.startswith(
        licence.format(date.today().year)
        + "\nfrom ..llama.configuration_llama import LlamaConfig\n"
    )


def test_it_converts_without_a_word(tmp_path: Path) -> None:
    new(tmp_path, "my_llm", "--from", "llama")
    done = run_modular("convert", "--warnings", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "models/my_llm/configuration_my_llm.py").read_text(
        encoding="utf-8"
    ) == source("""
        class MyLlmConfig:
            model_type = "my_llm"


        __all__ = ["MyLlmConfig"]
    """)


def test_diff_shows_the_modular_file_and_writes_nothing(tmp_path: Path) -> None:
    done = new(tmp_path, "my_llm", "--from", "llama", "--diff")
    assert done.returncode == 1
    assert f"--- a/{NEW}\n+++ b/{NEW}\n@@ -0,0 +1," in done.stdout
    assert "\n+class MyLlmModel(LlamaModel):\n+    pass\n" in done.stdout
    assert sorted(path.name for path in (tmp_path / "models").iterdir()) == ["llama"]


def test_diff_of_a_hub_repository_shows_all_files(tmp_path: Path) -> None:
    library = tmp_path / "library"
    for path, text in LLAMA.items():
        write_project(library, {f"transformers/{path}": text})
    folder = tmp_path / "acme"
    folder.mkdir()
    arguments = ("acme", "--from", "llama", "--hub", "--diff", "--source-library")
    done = run_modular("new", *arguments, str(library / "transformers"), cwd=folder)
    assert (done.returncode, done.stderr) == (1, "")
    for path in ("modular_acme.py", "config.json", "pyproject.toml"):
        assert f"+++ b/{path}\n" in done.stdout
    assert list(folder.iterdir()) == []


def test_only_some_classes(tmp_path: Path) -> None:
    """The configuration is needed by all of them."""
    new(tmp_path, "my_llm", "--from", "llama", "--only", "LlamaModel")
    assert (tmp_path / NEW).read_text(encoding="utf-8") == source("""
        from ..llama.configuration_llama import LlamaConfig
        from ..llama.modeling_llama import LlamaModel


        class MyLlmConfig(LlamaConfig):
            pass


        class MyLlmModel(LlamaModel):
            pass


        __all__ = [
            "MyLlmConfig",
            "MyLlmModel",
        ]
    """)


def test_from_a_model_that_is_generated_itself(tmp_path: Path) -> None:
    done = run_modular("new", "swift", "--from", "owlet", cwd=make_flock(tmp_path))
    assert done.returncode == 0
    assert (tmp_path / "models/swift/modular_swift.py").read_text(
        encoding="utf-8"
    ) == source("""
        from ..owlet.modeling_owlet import OwletWing


        class SwiftWing(OwletWing):
            pass


        __all__ = [
            "SwiftWing",
        ]
    """)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("MyLlm", "--from", "llama"), "`MyLlm` is not a model name: use lower-case letters, digits and `_`, begin with a letter, and do not use a Python keyword; for example `my_llm`"),
        (("My-LLM", "--from", "llama"), "`My-LLM` is not a model name: use lower-case letters, digits and `_`, begin with a letter, and do not use a Python keyword; for example `my_llm`"),
        (("class", "--from", "llama"), "`class` is not a model name: use lower-case letters, digits and `_`, begin with a letter, and do not use a Python keyword"),
        (("__init__", "--from", "llama"), "`__init__` is not a model name: use lower-case letters, digits and `_`, begin with a letter, and do not use a Python keyword; for example `init`"),
        (("../x", "--from", "llama"), "`../x` is not a model name: use lower-case letters, digits and `_`, begin with a letter, and do not use a Python keyword; for example `x`"),
        (("1x", "--from", "llama"), "`1x` is not a model name: use lower-case letters, digits and `_`, begin with a letter, and do not use a Python keyword"),
        (("my_llm", "--from", "lama"), "there is no model `lama` with files to inherit from; did you mean `llama`?"),
        (("my_llm", "--from", "llama", "--only", "LlamaMLP"), "`llama` has no public class `LlamaMLP`; did you mean `LlamaModel`?"),
        (("llama", "--from", "llama"), "`models/llama` already contains `configuration_llama.py`: choose another name"),
    ],
)  # fmt: skip
def test_what_is_refused(
    tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = new(tmp_path, *arguments)
    assert done.returncode == 2
    assert done.stderr == f"error: {message}\n"
    assert sorted(path.name for path in (tmp_path / "models").iterdir()) == ["llama"]


def test_a_parent_that_is_not_generated_yet(tmp_path: Path) -> None:
    (make_flock(tmp_path) / "models/owl/modeling_owl.py").unlink()
    done = run_modular("new", "zed", "--from", "owl", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr
        == "error: `owl` has no generated files yet: run `modular convert owl` first\n"
    )


def test_a_parent_that_is_no_file(tmp_path: Path) -> None:
    """Neither `new` nor the hint of MOD201 takes a pipe for a model file."""
    root = make_flock(tmp_path)
    (root / "models/eagle/modeling_eagle.py").unlink()
    os.mkfifo(root / "models/eagle/modeling_eagle.py")
    done = run_modular("new", "zed", "--from", "eagle", cwd=root)
    assert (
        done.stderr == "error: there is no model `eagle` with files to inherit from\n"
    )
    assert (
        "hint: `eagle` has no model files\n"
        in run_modular("check", "owl", cwd=root).stderr
    )


def test_nothing_that_is_there_is_overwritten(tmp_path: Path) -> None:
    new(tmp_path, "my_llm", "--from", "llama")
    (tmp_path / NEW).write_text("x = 1\n", encoding="utf-8")
    done = run_modular("new", "my_llm", "--from", "llama", cwd=tmp_path)
    assert (
        done.stderr
        == "error: `models/my_llm` already contains `modular_my_llm.py`: choose another name\n"
    )
    assert (tmp_path / NEW).read_text(encoding="utf-8") == "x = 1\n"


def test_a_parent_that_cannot_be_converted(tmp_path: Path) -> None:
    write_project(
        tmp_path, {"models/llama/modeling_llama.py": "class LlamaModel:\n    def (\n"}
    )
    done = run_modular("new", "my_llm", "--from", "llama", cwd=tmp_path)
    assert done.returncode == 1
    assert (
        done.stderr.startswith("error[MOD101]: ")
        and "--> models/llama/modeling_llama.py:2:" in done.stderr
    )
    assert not (tmp_path / NEW).exists()


def test_a_file_that_somebody_creates_meanwhile_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft_model = new_model.draft_model

    def draft_and_save(*arguments: object, **options: object) -> object:
        draft = draft_model(*arguments, **options)
        write_project(tmp_path, {NEW: "# mine\n"})
        return draft

    monkeypatch.setattr(new_model, "draft_model", draft_and_save)
    done = new(tmp_path, "my_llm", "--from", "llama")
    assert done.returncode == 2
    assert f"{NEW}: the file changed after it was read" in done.stderr
    assert (tmp_path / NEW).read_text(encoding="utf-8") == "# mine\n"


def test_classes_without_the_models_name_keep_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = """
        [tool.modular]
        models = ["lib/models"]
        package = "lib.models"
        file-names = "{model}.py"
        model-imports = "keep"
        """
    papa = """
        class Attention:
            size = 1


        class PapaModel:
            attention = Attention


        class Model:
            model = PapaModel
        """
    files = {"pyproject.toml": settings, "lib/models/papa.py": papa}
    write_project(tmp_path, {path: source(text) for path, text in files.items()})
    monkeypatch.chdir(tmp_path)
    assert run_modular("new", "acme", "--from", "papa", cwd=tmp_path).returncode == 0
    text = (tmp_path / "lib/models/modular_acme.py").read_text(encoding="utf-8")
    assert text == source("""
        from .papa import Attention as PapaAttention
        from .papa import Model as PapaModelBase
        from .papa import PapaModel


        class Attention(PapaAttention):
            pass


        class AcmeModel(PapaModel):
            pass


        class Model(PapaModelBase):
            pass
        """)
    refused = run_modular("new", "tango", "--from", "llama", cwd=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr == (
        "error: this project has no model `llama`; to inherit from that of transformers, "
        "pass `--source-library transformers`\n"
    )


def test_code_that_registers_the_classes_of_the_parent_comes_along(
    tmp_path: Path,
) -> None:
    owl = source("""
        # Copyright 2021-2023 The owls.
        from ._registry import make_config, register_model

        __all__ = ["Owl", "owl_tiny"]


        def shift(x):
            return x


        class Owl:
            def forward(self, x):
                return shift(x)


        def _config(size):
            return make_config(size)


        configs = {"owl_tiny": _config(3)}


        def unrelated():
            return 3


        @register_model
        def owl_tiny():
            return Owl()


        EntryClass = Owl
        """)
    files = {
        "pyproject.toml": '[tool.modular]\nmodels = ["lib/models"]\n'
        'package = "lib.models"\nfile-names = "{model}.py"\n',
        "lib/models/owl.py": owl,
        "lib/models/_registry.py": "make_config = register_model = print\n",
    }
    write_project(tmp_path, files)
    done = run_modular("new", "jay", "--from", "owl", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "lib/models/modular_jay.py").read_text()
    assert text.startswith(f"# Copyright {date.today().year} The owls.")
    assert "def shift" not in text and "unrelated" not in text
    for expected in (
        "from ._registry import make_config, register_model\n",
        "def _config(size):\n",
        'configs = {"jay_tiny": _config(3)}\n',
        "@register_model\ndef jay_tiny():\n    return Jay()\n",
        "EntryClass = Jay\n",
        '"jay_tiny",\n',
    ):
        assert expected in text
    assert run_modular("convert", "jay", cwd=tmp_path).returncode == 0
    assert "EntryClass = Jay\n" in (tmp_path / "lib/models/jay.py").read_text()
