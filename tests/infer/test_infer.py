"""Modular files inferred from flat files, as literal text."""

from modular.infer.infer import infer_modular
from modular.infer.proof import Proof
from modular.run.api import Options
from tests.infer.conftest import FLAT, LLAMA, PARENT
from tests.support import source, write_project


def test_equal_classes_are_inherited_whole_with_their_dependencies(
    inferred,
):
    inference = inferred(PARENT.replace("Llama", "MyModel"))
    assert inference.text == source("""
        from ..llama.modeling_llama import LlamaLayer


        class MyModelLayer(LlamaLayer):
            pass
        """)
    assert inference.proof is Proof.IDENTICAL
    assert [
        (class_.name, class_.parent, class_.is_omitted) for class_ in inference.classes
    ] == [
        ("MyModelNorm", (LLAMA, "LlamaNorm"), True),
        ("MyModelMLP", (LLAMA, "LlamaMLP"), True),
        ("MyModelLayer", (LLAMA, "LlamaLayer"), False),
    ]


def test_a_body_with_changed_statements_calls_super(inferred):
    flat = PARENT.replace("Llama", "MyModel").replace(
        "self.act_fn = nn.SiLU()", "self.act_fn = nn.GELU()"
    )
    inference = inferred(flat)
    assert inference.text == source("""
        from torch import nn

        from ..llama.modeling_llama import LlamaLayer, LlamaMLP, LlamaNorm


        class MyModelNorm(LlamaNorm):
            pass


        class MyModelMLP(LlamaMLP):
            def __init__(self, config):
                super().__init__(config)
                self.act_fn = nn.GELU()


        class MyModelLayer(LlamaLayer):
            pass
        """)
    assert inference.proof is Proof.IDENTICAL
    mlp = next(class_ for class_ in inference.classes if class_.name == "MyModelMLP")
    assert (mlp.derived.inherited, mlp.derived.merged, mlp.derived.overridden) == (
        ("forward",),
        ("__init__",),
        (),
    )


def test_a_body_that_calls_super_deletes_assignments_and_adds_statements(inferred):
    flat = PARENT.replace("Llama", "MyModel")
    flat = flat.replace("            self.config = config\n", "")
    flat = flat.replace(
        "            self.act_fn = nn.SiLU()\n",
        "            self.act_fn = nn.SiLU()\n            self.scale = 2\n",
    )
    assert inferred(flat).text == source("""
        from ..llama.modeling_llama import LlamaLayer, LlamaMLP, LlamaNorm


        class MyModelNorm(LlamaNorm):
            pass


        class MyModelMLP(LlamaMLP):
            def __init__(self, config):
                super().__init__(config)
                del self.config
                self.scale = 2


        class MyModelLayer(LlamaLayer):
            pass
        """)


def test_a_different_method_is_overridden_and_a_missing_one_removed(
    inferred,
):
    parent = """
        from torch import nn


        class LlamaPooler(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.dense = nn.Linear(config.hidden_size, config.hidden_size)
                self.activation = nn.Tanh()
                self.norm = nn.LayerNorm(config.hidden_size)
                self.dropout = nn.Dropout(config.dropout)
                self.scale = config.scale

            def forward(self, states):
                return self.activation(self.dense(states[:, 0]))

            def reset(self):
                self.dense.reset_parameters()
        """
    flat = """
        from torch import nn


        class MyModelPooler(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.dense = nn.Linear(config.hidden_size, config.hidden_size)
                self.activation = nn.Tanh()
                self.norm = nn.LayerNorm(config.hidden_size)
                self.dropout = nn.Dropout(config.dropout)
                self.scale = config.scale

            def forward(self, states):
                for state in states:
                    self.seen += state
                return self.dense(states)
        """
    inference = inferred(flat, parent)
    assert inference.text == source("""
        from ..llama.modeling_llama import LlamaPooler


        class MyModelPooler(LlamaPooler):
            def forward(self, states):
                for state in states:
                    self.seen += state
                return self.dense(states)

            def reset(self):
                raise AttributeError("Not needed for MyModelPooler")
        """)
    assert inference.proof is Proof.IDENTICAL


def test_attributes_docstrings_decorators_and_bases_are_overridden(inferred):
    parent = '''
        from ...utils import PreTrainedConfig, auto_docstring


        @auto_docstring
        class LlamaSettings(PreTrainedConfig):
            """The settings of Llama."""

            model_type = "llama"
            hidden_size: int = 4096
            intermediate_size: int = 11008
            num_layers: int = 32
            num_heads: int = 32
            num_key_value_heads: int = 8
            max_positions: int = 2048
            initializer_range: float = 0.02
            norm_eps: float = 1e-6
            pretraining_tp: int = 1
        '''
    flat = '''
        from ...utils import PreTrainedConfig


        class MyModelSettings(PreTrainedConfig):
            """What MyModel is made of."""

            model_type = "my_model"
            hidden_size: int = 1024
            intermediate_size: int = 11008
            num_layers: int = 32
            num_heads: int = 32
            num_key_value_heads: int = 8
            max_positions: int = 2048
            initializer_range: float = 0.02
            norm_eps: float = 1e-6
            window: int = 128
        '''
    inference = inferred(flat, parent)
    assert inference.text == source('''
        from ...utils.modular import no_inherit_decorator
        from ..llama.modeling_llama import LlamaSettings


        @no_inherit_decorator
        class MyModelSettings(LlamaSettings):
            """What MyModel is made of."""

            pretraining_tp = AttributeError()
            hidden_size: int = 1024
            window: int = 128
        ''')
    assert inference.proof is Proof.IDENTICAL


def test_a_super_call_of_the_flat_class_names_the_base(inferred):
    flat = PARENT.replace("Llama", "MyModel").replace(
        source("""
            self.config = config
            self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size)
            self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size)
            self.act_fn = nn.SiLU()
        """).replace("self.", "            self."),
        "            for size in config.sizes:\n                self.add(size)\n",
    )
    assert (
        "nn.Module.__init__(self)\n        for size in config.sizes:"
        in inferred(flat).text
    )


def test_only_different_functions_are_written_in_full(inferred):
    flat = PARENT.replace("Llama", "MyModel").replace(
        "torch.cat((-x, x), dim=-1)", "torch.cat((x, -x), dim=-1)"
    )
    inference = inferred(flat)
    assert inference.text == source("""
        import torch

        from ..llama.modeling_llama import LlamaLayer


        def rotate(x):
            return torch.cat((x, -x), dim=-1)


        class MyModelLayer(LlamaLayer):
            pass
        """)
    assert inference.proof is Proof.IDENTICAL


BLOCK = "    class Block(nn.Module):\n" + "".join(
    f"        size_{number} = {number}\n" for number in range(12)
)
USER = "    class {}Head(nn.Module):\n        block = Block\n\n        def forward(self, x):\n            return x\n"


def test_a_dependency_with_the_same_name_is_not_written(inferred):
    heads = f"\n\n{BLOCK}\n\n{USER}"
    inference = inferred(
        PARENT.replace("Llama", "MyModel") + heads.format("MyModel"),
        PARENT + heads.format("Llama"),
    )
    assert inference.text == source("""
        from ..llama.modeling_llama import LlamaHead, LlamaLayer


        class MyModelLayer(LlamaLayer):
            pass


        class MyModelHead(LlamaHead):
            pass
        """)
    assert inference.proof is Proof.IDENTICAL


def test_a_prefix_does_not_give_a_parent_the_name_of_another_class(
    inferred,
):
    basic = BLOCK.replace("Block", "BasicBlock")
    other = BLOCK.replace("Block", "GptBlock").replace("size", "depth")
    files = {
        "models/gpt/modeling_gpt.py": f"{other}\n\n{basic}",
        "models/phi/modeling_phi.py": basic.replace("Basic", "PhiBasic")
        + "        depth = 1\n",
    }
    inference = inferred(
        f"{basic}\n\n    class Head:\n        kind = BasicBlock\n", files=files
    )
    assert (
        "class BasicBlock(PhiBasicBlock):\n    depth = AttributeError()\n"
        in inference.text
    )


def test_a_class_can_have_another_prefix(inferred):
    inference = inferred(PARENT.replace("Llama", "MyModelText"))
    assert inference.text == source("""
        from ..llama.modeling_llama import LlamaLayer


        class MyModelTextLayer(LlamaLayer):
            pass
        """)


def test_exports_are_kept_and_exported_dependencies_are_not_written(inferred):
    flat = (
        PARENT.replace("Llama", "MyModel")
        + '\n\n    __all__ = ["MyModelLayer", "MyModelMLP"]\n'
    )
    inference = inferred(flat)
    assert inference.text == source("""
        from ..llama.modeling_llama import LlamaLayer


        class MyModelLayer(LlamaLayer):
            pass


        __all__ = [
            "MyModelLayer",
            "MyModelMLP",  # noqa: F822
        ]
        """)
    assert inference.proof is Proof.IDENTICAL


def test_a_class_with_little_in_common_is_written_in_full(inferred):
    flat = PARENT.replace("Llama", "MyModel") + (
        "\n\n    class MyModelGate:\n        def open(self, doors):\n            return sorted(doors)\n"
    )
    inference = inferred(flat)
    assert (
        "class MyModelGate:\n    def open(self, doors):\n        return sorted(doors)\n"
        in inference.text
    )
    assert (
        next(
            class_.parent
            for class_ in inference.classes
            if class_.name == "MyModelGate"
        )
        is None
    )


def test_code_that_is_not_generated_is_reported(inferred):
    heading = '    """The model."""\n\n    import logging\n'
    flat = PARENT.replace("Llama", "MyModel").replace(
        "\n    import torch", heading + "\n    import torch"
    )
    flat = flat.replace(
        "    def rotate", "    logger = logging.getLogger(__name__)\n\n\n    def rotate"
    )
    flat = flat.replace(
        "    class MyModelMLP",
        "    # Copied from models.llama.modeling_llama.LlamaMLP\n    class MyModelMLP",
    )
    inference = inferred(flat)
    assert inference.proof is Proof.SHORTENED
    assert inference.text.startswith(
        '"""The model."""\n\nfrom ..llama.modeling_llama import'
    )
    assert [(skipped.path, skipped.reason) for skipped in inference.notes] == [
        (FLAT, "`logger` is not generated: nothing uses it"),
        (
            FLAT,
            "not generated: 1 copy comment, replaced by inheritance",
        ),
        (FLAT, "the docstring of the file is not generated"),
    ]


def test_a_file_that_cannot_be_generated_stays_hand_written(inferred):
    config = (
        "class MyModelConfig:\n    size = 1\n\n\nfor each in (1, 2):\n    print(each)\n"
    )
    path = "models/my_model/configuration_my_model.py"
    inference = inferred(PARENT.replace("Llama", "MyModel"), files={path: config})
    assert list(inference.proofs) == [FLAT]
    assert [(skipped.path, skipped.line) for skipped in inference.by_hand] == [
        (path, 5)
    ]


def test_a_file_with_an_unused_name_that_others_import_stays_hand_written(inferred):
    flat = PARENT.replace("Llama", "MyModel") + "\n\n    OLD_NAME = MyModelLayer\n"
    files = {
        "models/other/modeling_other.py": "from ..my_model.modeling_my_model import OLD_NAME\n\n\nprint(OLD_NAME)\n"
    }
    inference = inferred(flat, files=files)
    assert (inference.text, inference.proof) == ("", None)
    assert [skipped.path for skipped in inference.by_hand] == [FLAT]
    assert "`OLD_NAME`" in inference.by_hand[0].reason


def test_there_is_no_modular_file_if_nothing_can_be_inherited(inferred):
    inference = inferred(
        "class MyModelGate:\n    def open(self, doors):\n        return sorted(doors)\n"
    )
    assert (inference.text, inference.flat_lines, inference.modular_lines) == ("", 0, 0)


def test_parents_can_be_chosen(inferred):
    files = {"models/gpt/modeling_gpt.py": PARENT.replace("Llama", "Gpt")}
    flat = PARENT.replace("Llama", "MyModel")
    wanted = "from ..gpt.modeling_gpt import GptLayer\n"
    assert inferred(flat, files=files, parents=("gpt",)).text.startswith(wanted)


def test_models_that_the_settings_leave_out_are_parents_only_on_request(inferred):
    files = {
        "models/gpt/modeling_gpt.py": PARENT.replace("Llama", "Gpt"),
        "pyproject.toml": """
            [tool.modular.infer]
            leave-out = ["llama"]
            """,
    }
    flat = PARENT.replace("Llama", "MyModel")
    assert inferred(flat, files=files).text.startswith(
        "from ..gpt.modeling_gpt import GptLayer\n"
    )
    asked = ("llama",)
    assert inferred(flat, files=files, parents=asked).text.startswith(
        "from ..llama.modeling_llama import LlamaLayer\n"
    )


def test_no_model_becomes_its_own_ancestor(inferred):
    files = {
        "models/gpt/modular_gpt.py": """
            from ..my_model.modeling_my_model import MyModelLayer


            class GptLayer(MyModelLayer):
                pass
            """,
        "models/gpt/modeling_gpt.py": PARENT.replace("Llama", "Gpt"),
    }
    assert (
        "from ..llama."
        in inferred(PARENT.replace("Llama", "MyModel"), files=files).text
    )
    assert (
        inferred(
            PARENT.replace("Llama", "MyModel"),
            files=files,
            parents=("gpt",),
        ).text
        == ""
    )


def test_a_candidate_parent_with_a_syntax_error_is_skipped_and_named(inferred):
    broken = PARENT.replace("def forward(self, x):", "def forward(self, x) ->:")
    files = {"models/gpt/modeling_gpt.py": broken.replace("Llama", "Gpt")}
    inference = inferred(PARENT.replace("Llama", "MyModel"), files=files)
    assert "from ..llama.modeling_llama import LlamaLayer" in inference.text
    assert [(skipped.path, skipped.line) for skipped in inference.notes] == [
        ("models/gpt/modeling_gpt.py", 11)
    ]

    only_broken = inferred(PARENT.replace("Llama", "MyModel"), parent=broken)
    assert only_broken.text == ""


def test_of_two_targets_one_can_inherit_from_the_other(report):
    files = {LLAMA: PARENT, FLAT: PARENT.replace("Llama", "MyModel")}
    found = {
        inference.model: inference.text
        for inference in report(files, "llama", "my_model").inferences
    }
    assert found["llama"] == ""
    assert "LlamaLayer" in found["my_model"]


def test_a_single_file_in_an_empty_project_inherits_from_a_library(
    tmp_path, monkeypatch
):
    library, project = tmp_path / "elsewhere" / "hub", tmp_path / "research"
    (library / "models" / "llama").mkdir(parents=True)
    (library / "models" / "llama" / "modeling_llama.py").write_text(
        source(PARENT), encoding="utf-8"
    )
    write_project(
        project, {"modeling_my_model.py": source(PARENT.replace("Llama", "MyModel"))}
    )
    monkeypatch.chdir(project)
    options = Options(root=project, jobs=1, cache=False, source_library=str(library))
    (found,) = infer_modular(["modeling_my_model.py"], options=options).inferences
    assert found.text == source("""
        from hub.models.llama.modeling_llama import LlamaLayer


        class MyModelLayer(LlamaLayer):
            pass
        """)
    assert found.proof is Proof.IDENTICAL


def test_of_equal_parents_the_ancestor_of_more_models_is_chosen(inferred):
    files = {
        "models/my_model2/modeling_my_model2.py": PARENT.replace("Llama", "MyModel2"),
        "models/taker/modular_taker.py": """
            from ..llama.modeling_llama import LlamaMLP


            class TakerMLP(LlamaMLP):
                pass
            """,
    }
    inference = inferred(PARENT.replace("Llama", "MyModel"), files=files)
    assert inference.text.startswith("from ..llama.modeling_llama import LlamaLayer\n")


def test_the_report_names_the_parent_models_of_a_shared_folder(report):
    files = {
        "pyproject.toml": """
            [tool.modular]
            models = ["models"]
            package = "models"
            file-names = "{type}_{model}.py"
        """,
        "models/modeling_llama.py": PARENT,
        "models/modeling_my_model.py": PARENT.replace("Llama", "MyModel"),
    }
    answer = report(files, "my_model")
    assert not answer.diagnostics, answer.diagnostics
    (inference,) = answer.inferences
    assert "  inherits from llama: 3 classes" in inference.summary()


def test_an_unused_logger_and_imports_from_future_are_kept_in_other_libraries(report):
    head = """
    from __future__ import annotations

    import logging
    import torch
    from torch import nn


    logger = logging.getLogger(__name__)
    """
    text = PARENT.replace("\n    import torch\n    from torch import nn\n", head, 1)
    files = {
        "pyproject.toml": """
            [tool.modular]
            models = ["models"]
            package = "acme.models"
        """,
        LLAMA: text,
        FLAT: text.replace("Llama", "MyModel"),
    }
    (inference,) = report(files, "my_model").inferences
    assert inference.proof is Proof.IDENTICAL
    assert inference.text == source("""
        from __future__ import annotations

        import logging

        from ..llama.modeling_llama import LlamaLayer


        logger = logging.getLogger(__name__)


        class MyModelLayer(LlamaLayer):
            pass
    """)
