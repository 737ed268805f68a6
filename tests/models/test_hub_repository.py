"""A model repository on the Hub, from the first command to the loaded model."""

import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

from tests.flock import run_modular
from tests.support import source


TINY = source("""
    class AcmeConfig(LlamaConfig):
        vocab_size: int = 99
        hidden_size: int = 32
        intermediate_size: int = 64
        num_hidden_layers: int = 2
        num_attention_heads: int = 4
        pad_token_id: int | None = 0
""")

LOAD = source("""
    import sys

    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    torch.manual_seed(0)
    config = AutoConfig.from_pretrained(".", trust_remote_code=True)
    model = AutoModelForCausalLM.from_config(config, trust_remote_code=True).eval()
    tokens = torch.tensor([[1, 2, 3, 4]])
    logits = model(tokens).logits
    model.save_pretrained(".")

    loaded = AutoModelForCausalLM.from_pretrained(".", trust_remote_code=True)
    assert torch.equal(loaded(tokens).logits, logits)
    assert loaded.generate(tokens, max_new_tokens=3).shape == (1, 7)
    print(type(loaded).__name__, sys.modules[type(loaded).__module__].__file__)
    if "--fail" in sys.argv:
        loaded(tokens + 99)
""")


@pytest.fixture
def acme(tmp_path: Path) -> Path:
    """Return a repository that the command has started in an empty folder."""
    folder = tmp_path / "acme"
    folder.mkdir()
    done = run_modular("new", "acme", "--from", "llama", "--hub", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return folder


def replace_in(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def run_python(
    code: str, folder: Path, *arguments: str
) -> "subprocess.CompletedProcess[str]":
    environment = {
        **os.environ,
        "HF_HOME": str(folder.parent / "hf"),
        "HF_HUB_OFFLINE": "1",
    }
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_new_repository_has_settings_and_an_auto_map(acme: Path) -> None:
    assert sorted(path.name for path in acme.iterdir()) == [
        "config.json",
        "modular_acme.py",
        "pyproject.toml",
    ]
    assert (acme / "pyproject.toml").read_text(encoding="utf-8") == source("""
        [tool.modular]
        preset = "hub"
        source-release = "5.23.0"
    """)
    config = json.loads((acme / "config.json").read_text(encoding="utf-8"))
    assert config == {
        "auto_map": {
            "AutoConfig": "configuration_acme.AcmeConfig",
            "AutoModel": "modeling_acme.AcmeModel",
            "AutoModelForCausalLM": "modeling_acme.AcmeForCausalLM",
            "AutoModelForSequenceClassification": "modeling_acme.AcmeForSequenceClassification",
            "AutoModelForQuestionAnswering": "modeling_acme.AcmeForQuestionAnswering",
            "AutoModelForTokenClassification": "modeling_acme.AcmeForTokenClassification",
        },
        "model_type": "acme",
    }


def test_only_some_models_are_inherited_if_the_user_names_them(tmp_path: Path) -> None:
    only = ("--only", "LlamaForCausalLM")
    run_modular("new", "acme", "--from", "llama", "--hub", *only, cwd=tmp_path)
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    assert config["auto_map"] == {
        "AutoConfig": "configuration_acme.AcmeConfig",
        "AutoModelForCausalLM": "modeling_acme.AcmeForCausalLM",
    }


def test_a_model_with_the_configuration_of_a_part_is_not_in_the_auto_map(
    tmp_path: Path,
) -> None:
    run_modular("new", "acme", "--from", "clip", "--hub", cwd=tmp_path)
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    # CLIPTextModel, which transformers loads for it, has a CLIPTextConfig.
    assert "AutoModelForTextEncoding" not in config["auto_map"]
    assert config["auto_map"]["AutoModel"] == "modeling_acme.AcmeModel"


def test_a_name_with_a_number_of_its_own_is_the_model_type(tmp_path: Path) -> None:
    only = ("--only", "LlamaForCausalLM")
    run_modular("new", "acme_2_5", "--from", "llama", "--hub", *only, cwd=tmp_path)
    modular = (tmp_path / "modular_acme_2_5.py").read_text(encoding="utf-8")
    assert 'class Acme25Config(LlamaConfig):\n    model_type = "acme_2_5"\n' in modular

    converted = run_modular("convert", cwd=tmp_path)
    assert (converted.returncode, converted.stderr) == (0, "")
    configuration = (tmp_path / "configuration_acme_2_5.py").read_text(encoding="utf-8")
    assert '    model_type = "acme_2_5"\n' in configuration
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    assert config["model_type"] == "acme_2_5"


def test_a_repository_is_not_called_like_its_parent(tmp_path: Path) -> None:
    done = run_modular("new", "llama", "--from", "llama", "--hub", cwd=tmp_path)
    assert done.returncode == 2
    assert "`llama` is the name of the parent: choose another name" in done.stderr
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("config.json", "{}", "config.json already exists"),
        ("pyproject.toml", "[tool.modular]\n", "has settings already"),
        ("modeling_acme.py", "x = 1\n", "already contains `modeling_acme.py`"),
    ],
)
def test_a_repository_that_exists_is_not_started_again(
    tmp_path: Path, file: str, text: str, message: str
) -> None:
    (tmp_path / file).write_text(text, encoding="utf-8")
    done = run_modular("new", "acme", "--from", "llama", "--hub", cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [file]
    assert (tmp_path / file).read_text(encoding="utf-8") == text


def test_other_tables_of_the_settings_file_are_kept(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\n", encoding="utf-8")
    run_modular("new", "acme", "--from", "llama", "--hub", cwd=tmp_path)
    text = (tmp_path / "pyproject.toml").read_text(encoding="utf-8")
    assert text.startswith("[tool.ruff]\n\n[tool.modular]\n")


def test_the_commands_work_without_options(acme: Path) -> None:
    converted = run_modular("convert", cwd=acme)
    assert (converted.returncode, converted.stderr) == (0, "")
    checked = run_modular("check", cwd=acme)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert checked.stdout.startswith("2 identical")

    text = (acme / "configuration_acme.py").read_text(encoding="utf-8")
    assert text.startswith("# Generated from modular_acme.py with https://")
    assert 'checkpoint="meta-llama/Llama-2-7b-hf"' in text
    assert "meta-acme" not in text

    line = text.splitlines().index("class AcmeConfig(PreTrainedConfig):") + 1
    blamed = run_modular("blame", f"configuration_acme.py:{line}", cwd=acme)
    assert "class AcmeConfig(PreTrainedConfig):" in blamed.stdout
    hook = run_modular("check", "--affected-by", "--", "modular_acme.py", cwd=acme)
    assert hook.stdout.startswith("2 identical")


def test_init_adds_the_hook_to_a_new_repository_once(acme: Path) -> None:
    settings = (acme / "pyproject.toml").read_bytes()
    initialized = run_modular("init", cwd=acme)
    assert (initialized.returncode, initialized.stderr) == (0, "")
    hook = (acme / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert "entry: modular check --affected-by --require-added --\n" in hook
    assert '"transformers==5.23.*"' in hook
    assert (acme / "pyproject.toml").read_bytes() == settings
    assert not (acme / ".github").exists()

    again = run_modular("init", cwd=acme)
    assert again.returncode == 0
    assert "nothing to write: all files are up to date" in again.stdout


def test_files_in_subfolders_are_not_models_of_the_repository(acme: Path) -> None:
    (acme / "old").mkdir()
    (acme / "old/modular_old.py").write_text("broken(\n", encoding="utf-8")
    assert run_modular("convert", cwd=acme).returncode == 0


def test_another_model_of_the_repository_can_be_a_parent(acme: Path) -> None:
    run_modular("convert", cwd=acme)
    modular = source("""
        from .modeling_acme import AcmeMLP


        class AcmeTwoMLP(AcmeMLP):
            pass
    """)
    (acme / "modular_acme_two.py").write_text(modular, encoding="utf-8")
    converted = run_modular("convert", "acme_two", cwd=acme)
    assert (converted.returncode, converted.stderr) == (0, "")
    text = (acme / "modeling_acme_two.py").read_text(encoding="utf-8")
    assert "class AcmeTwoMLP(nn.Module):" in text


def test_another_release_of_the_library_is_reported(acme: Path) -> None:
    run_modular("convert", cwd=acme)
    replace_in(acme / "pyproject.toml", "5.23.0", "5.22.1")
    checked = run_modular("check", cwd=acme)
    assert checked.returncode == 0
    assert "transformers 5.23.0 is installed" in checked.stderr
    assert "were generated with 5.22.1\n  --> pyproject.toml:3:1\n" in checked.stderr

    replace_in(acme / "pyproject.toml", "5.22.1", "5.23")
    assert run_modular("check", cwd=acme).stderr == ""


def test_a_newly_installed_release_is_reported(
    acme: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The environment of the repository gets a release that nobody has published."""
    run_modular("convert", cwd=acme)
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    installed = Path(str(distribution("transformers").locate_file("transformers")))
    package = acme / ".venv/lib/python3.12/site-packages/transformers"
    shutil.copytree(installed / "models/llama", package / "models/llama")
    shutil.copytree(installed / "models/auto", package / "models/auto")
    (package / "__init__.py").write_text('__version__ = "5.99.0"\n', encoding="utf-8")

    checked = run_modular("check", cwd=acme)
    assert "MOD113" in checked.stderr
    assert "transformers 5.99.0 is installed" in checked.stderr
    assert "were generated with 5.23.0\n  --> pyproject.toml:3:1\n" in checked.stderr


@pytest.mark.slow
def test_the_model_loads_generates_and_its_tracebacks_are_mapped(acme: Path) -> None:
    replace_in(
        acme / "modular_acme.py", "class AcmeConfig(LlamaConfig):\n    pass\n", TINY
    )
    assert run_modular("convert", cwd=acme).returncode == 0
    loaded = run_python(LOAD, acme, "--fail")
    name, path = loaded.stdout.split()
    assert name == "AcmeForCausalLM", loaded.stderr
    assert "transformers_modules" in path
    assert f'File "{path}", line' in loaded.stderr

    # The model wrote the configuration again, and the generated files are as before.
    config = json.loads((acme / "config.json").read_text(encoding="utf-8"))
    assert config["auto_map"]["AutoModelForCausalLM"] == "modeling_acme.AcmeForCausalLM"
    assert run_modular("check", cwd=acme).returncode == 0

    mapped = subprocess.run(
        [sys.executable, "-m", "modular", "map"],
        cwd=acme,
        input=loaded.stderr,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "modeling_llama.py" in mapped
    frame = mapped.index(f'File "{path}"')
    assert "edit " in mapped[frame : mapped.index("  File ", frame + 1)]


@pytest.mark.slow
def test_a_repository_of_flat_code_comes_in_through_infer(acme: Path) -> None:
    run_modular("convert", cwd=acme)
    flat_files = {}
    for name in ("configuration_acme.py", "modeling_acme.py"):
        banner, _, code = (acme / name).read_text(encoding="utf-8").partition("\n")
        assert banner.startswith("# Generated")
        (acme / name).write_text(code, encoding="utf-8")
        flat_files[name] = code
    for name in ("modular_acme.py", "pyproject.toml"):
        (acme / name).unlink()

    initialized = run_modular("init", cwd=acme)
    assert (initialized.returncode, initialized.stderr) == (0, "")
    settings = (acme / "pyproject.toml").read_text(encoding="utf-8")
    assert settings.startswith('[tool.modular]\npreset = "hub"\nsource-release = ')
    assert not (acme / ".github").exists()

    inferred = run_modular(
        "infer", "--write", "configuration_acme.py", "modeling_acme.py", cwd=acme
    )
    assert inferred.returncode == 0, inferred.stderr
    assert "(Llama" in (acme / "modular_acme.py").read_text(encoding="utf-8")
    assert run_modular("convert", cwd=acme).returncode == 0
    for name, code in flat_files.items():
        assert (acme / name).read_text(encoding="utf-8").endswith(code)


SUPER_ANYWHERE = source("""
    import torch
    from torch import nn

    from transformers.models.llama.configuration_llama import LlamaConfig
    from transformers.models.llama.modeling_llama import (
        LlamaAttention,
        LlamaDecoderLayer,
        LlamaForCausalLM,
        LlamaMLP,
        LlamaModel,
        LlamaRMSNorm,
    )


    class AcmeRMSNorm(LlamaRMSNorm):
        def forward(self, hidden_states):
            return super().forward(hidden_states) * 2


    class AcmeMLP(LlamaMLP):
        def __init__(self, config):
            super().__init__(config)
            self.act_fn = nn.GELU()

        def forward(self, x):
            with torch.no_grad():
                y = super().forward(x)
            return y + x


    class AcmeAttention(LlamaAttention):
        def forward(self, hidden_states, *args, **kwargs):
            output, weights = super().forward(hidden_states * 0.5, *args, **kwargs)
            return output + 1, weights


    class AcmeDecoderLayer(LlamaDecoderLayer):
        def forward(self, hidden_states, **kwargs):
            if hidden_states.shape[1] > 1:
                return super().forward(hidden_states, **kwargs)
            return -super().forward(hidden_states, **kwargs)


    class AcmeModel(LlamaModel):
        def __init__(self, config):
            super().__init__(config)
            self.scale = nn.Parameter(torch.ones(()) * 3)

        def forward(self, input_ids=None, **kwargs):
            try:
                output = super().forward(input_ids, **kwargs)
            finally:
                self.seen = True
            output.last_hidden_state = output.last_hidden_state * self.scale
            return output


    class AcmeForCausalLM(LlamaForCausalLM):
        def forward(self, input_ids=None, **kwargs):
            output = super().forward(input_ids=input_ids, **kwargs)
            output.logits = output.logits / 2
            return output
""")

COMPARE = source("""
    import importlib
    import sys
    from pathlib import Path
    from types import ModuleType

    import torch
    from transformers.models.llama import modeling_llama

    package = ModuleType("acme")
    package.__path__ = [str(Path.cwd())]
    sys.modules["acme"] = package
    plain = importlib.import_module("acme.modular_acme")
    flat = importlib.import_module("acme.modeling_acme")
    configuration = importlib.import_module("acme.configuration_acme")
    # The flat classes use each other, so the inheriting classes have to do so, too.
    for part in ("Attention", "DecoderLayer", "MLP", "Model", "RMSNorm"):
        setattr(modeling_llama, f"Llama{part}", getattr(plain, f"Acme{part}"))

    models = []
    for modeling, config in (
        (plain, plain.AcmeConfig()),
        (flat, configuration.AcmeConfig()),
    ):
        torch.manual_seed(0)
        models.append(modeling.AcmeForCausalLM(config).eval())
    weights = [model.state_dict() for model in models]
    assert list(weights[0]) == list(weights[1])
    assert all(map(torch.equal, weights[0].values(), weights[1].values()))

    tokens = torch.tensor([[1, 5, 7, 9], [2, 3, 4, 8]])
    outputs = [
        model(tokens, labels=tokens, output_hidden_states=True) for model in models
    ]
    assert torch.equal(outputs[0].loss, outputs[1].loss)
    assert torch.equal(outputs[0].logits, outputs[1].logits)
    assert len(outputs[0].hidden_states) == len(outputs[1].hidden_states) == 3
    assert [model.model.seen for model in models] == [True, True]
    generated = [
        model.generate(tokens, max_new_tokens=6, do_sample=False) for model in models
    ]
    assert torch.equal(*generated)
""")


def test_flat_classes_compute_what_the_inheriting_classes_compute(acme: Path) -> None:
    text = f"{SUPER_ANYWHERE}\n\n{TINY}\n\n__all__ = ['AcmeForCausalLM']\n"
    (acme / "modular_acme.py").write_text(text, encoding="utf-8")
    # The repository has no classes with other heads any more.
    config_file = acme / "config.json"
    config = json.loads(config_file.read_text(encoding="utf-8"))
    for name in list(config["auto_map"]):
        if name.startswith("AutoModelFor") and name != "AutoModelForCausalLM":
            del config["auto_map"][name]
    config_file.write_text(json.dumps(config), encoding="utf-8")
    converted = run_modular("convert", cwd=acme)
    assert converted.returncode == 0, converted.stderr
    generated = (acme / "modeling_acme.py").read_text(encoding="utf-8")
    assert "return self._llama_rms_norm_forward(hidden_states) * 2\n" in generated
    assert "y = self._llama_mlp_forward(x)\n" in generated

    compared = run_python(COMPARE, acme)
    assert compared.returncode == 0, compared.stderr
    loaded = run_python(LOAD, acme)
    assert loaded.returncode == 0, loaded.stderr
