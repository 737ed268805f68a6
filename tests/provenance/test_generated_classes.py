"""What each generated class inherits, and why it is generated."""

from pathlib import Path

from modular.project.opening import open_project
from modular.provenance.generated_classes import (
    ClassOrigin,
    GeneratedClass,
    find_classes,
)
from tests.support import source, write_project


PARENT = source("""
    from torch import nn


    class LlamaMLP(nn.Module):
        pass


    class LlamaModel(nn.Module):
        def __init__(self):
            self.mlp = LlamaMLP()
""")

CHILD = source("""
    from torch import nn

    from ..llama.modeling_llama import LlamaModel as Parent


    class OlmoNorm(nn.Module, Mixin):
        pass


    class OlmoModel(Parent):
        pass
""")

MODULAR = "models/olmo/modular_olmo.py"


def test_each_class_has_its_base_its_parent_and_a_reason(tmp_path: Path) -> None:
    write_project(tmp_path, {"models/llama/modeling_llama.py": PARENT, MODULAR: CHILD})
    classes = find_classes(open_project(tmp_path), MODULAR, {})
    assert classes == (
        GeneratedClass("OlmoNorm", ("nn.Module", "Mixin"), "", ClassOrigin.OWN),
        GeneratedClass("OlmoMLP", ("nn.Module",), "LlamaMLP", ClassOrigin.DEPENDENCY),
        GeneratedClass(
            "OlmoModel", ("nn.Module",), "LlamaModel", ClassOrigin.INHERITED
        ),
    )


def test_regenerated_texts_count_instead_of_files(tmp_path: Path) -> None:
    write_project(tmp_path, {"models/llama/modeling_llama.py": "", MODULAR: CHILD})
    regenerated = {"models/llama/modeling_llama.py": PARENT}
    names = [
        class_.name
        for class_ in find_classes(open_project(tmp_path), MODULAR, regenerated)
    ]
    assert names == ["OlmoNorm", "OlmoMLP", "OlmoModel"]


def test_a_file_with_errors_has_no_classes(tmp_path: Path) -> None:
    write_project(tmp_path, {MODULAR: CHILD})
    assert find_classes(open_project(tmp_path), MODULAR, {}) == ()
