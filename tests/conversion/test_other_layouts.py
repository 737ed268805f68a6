"""Conversion in libraries whose files have other names than those of transformers."""

from pathlib import Path

from tests.flock import run_modular
from tests.support import source, write_project


KERAS = {
    "pyproject.toml": source("""
        [tool.modular]
        models = ["lib/models"]
        package = "lib.models"
        file-names = "{model}/{model}_{type}.py"
        absolute-imports = true

        [tool.modular.file-types]
        "" = "backbone"
        Attention = "attention"
    """),
    "lib/models/llama/llama_attention.py": source("""
        from torch import nn


        class LlamaAttention(nn.Module):
            pass
    """),
    "lib/models/llama/llama_backbone.py": source("""
        from lib.models.llama.llama_attention import LlamaAttention
        from torch import nn


        class LlamaBackbone(nn.Module):
            attention = LlamaAttention
    """),
    "lib/models/olmo/modular_olmo.py": source("""
        from lib.models.llama.llama_attention import LlamaAttention
        from lib.models.llama.llama_backbone import LlamaBackbone


        class OlmoAttention(LlamaAttention):
            pass


        class OlmoBackbone(LlamaBackbone):
            pass
    """),
}

FLAT = {
    "pyproject.toml": source("""
        [tool.modular]
        models = ["lib/transformers"]
        package = "lib.transformers"
        file-names = "{type}_{model}.py"

        [tool.modular.file-types]
        "" = "transformer"
        Pipeline = "pipeline"
        Img2ImgPipeline = "pipeline_{model}_img2img"
    """),
    "lib/transformers/transformer_flux.py": source("""
        from ..attention import Attention


        class FluxBlock(Attention):
            pass


        class FluxTransformer(Attention):
            block = FluxBlock
    """),
    "lib/transformers/pipeline_flux_img2img.py": source("""
        from .transformer_flux import FluxTransformer


        class FluxImg2ImgPipeline:
            transformer: FluxTransformer
    """),
    "lib/transformers/modular_bria.py": source("""
        from .pipeline_flux_img2img import FluxImg2ImgPipeline
        from .transformer_flux import FluxTransformer


        class BriaTransformer(FluxTransformer):
            pass


        class BriaImg2ImgPipeline(FluxImg2ImgPipeline):
            pass
    """),
}


def convert(root: Path, files: dict[str, str]) -> None:
    """Convert a project without findings."""
    write_project(root, files)
    converted = run_modular("convert", cwd=root)
    assert (converted.returncode, converted.stderr) == (0, "")


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_the_type_can_come_after_the_model_and_imports_can_be_absolute(
    tmp_path: Path,
) -> None:
    convert(tmp_path, KERAS)
    folder = tmp_path / "lib/models/olmo"
    assert read(folder / "olmo_backbone.py") == source("""
        from torch import nn

        from lib.models.olmo.olmo_attention import OlmoAttention


        class OlmoBackbone(nn.Module):
            attention = OlmoAttention
    """)
    assert "class OlmoAttention(nn.Module):" in read(folder / "olmo_attention.py")


def test_models_can_share_a_folder_and_have_files_with_names_of_their_own(
    tmp_path: Path,
) -> None:
    convert(tmp_path, FLAT)
    folder = tmp_path / "lib/transformers"
    assert read(folder / "transformer_bria.py") == source("""
        from ..attention import Attention


        class BriaBlock(Attention):
            pass


        class BriaTransformer(Attention):
            block = BriaBlock
    """)
    assert read(folder / "pipeline_bria_img2img.py") == source("""
        from .transformer_bria import BriaTransformer


        class BriaImg2ImgPipeline:
            transformer: BriaTransformer
    """)


def test_a_parent_in_a_file_with_another_kind_of_name_is_reported(
    tmp_path: Path,
) -> None:
    files = {
        **KERAS,
        "lib/models/llama/llama_decoder.py": "class LlamaDecoder:\n    pass\n",
        "lib/models/olmo/modular_olmo.py": source("""
            from ..llama.llama_decoder import LlamaDecoder


            class OlmoDecoder(LlamaDecoder):
                pass
        """),
    }
    write_project(tmp_path, files)
    converted = run_modular("convert", cwd=tmp_path)
    assert "MOD431" in converted.stderr
    assert (
        "`lib/models/llama/llama_decoder.py` is not named as the files of models are, "
        "`{model}/{model}_{type}.py`" in converted.stderr
    )


def test_a_new_model_is_started_beside_the_others(tmp_path: Path) -> None:
    write_project(tmp_path, FLAT)
    started = run_modular("new", "sana", "--from", "flux", cwd=tmp_path)
    assert (started.returncode, started.stderr) == (0, "")
    text = (tmp_path / "lib/transformers/modular_sana.py").read_text(encoding="utf-8")
    assert "from .transformer_flux import FluxBlock, FluxTransformer" in text


def test_a_new_model_needs_a_parent_with_public_classes(tmp_path: Path) -> None:
    files = {**FLAT, "lib/transformers/transformer_wan.py": "class _Wan:\n    pass\n"}
    write_project(tmp_path, files)
    started = run_modular("new", "sana", "--from", "wan", cwd=tmp_path)
    assert started.returncode == 2
    assert "`wan` has no public class" in started.stderr
