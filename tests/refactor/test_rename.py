"""Rename classes, functions and attributes in all files that people write."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from modular.project.opening import open_project
from modular.refactor.errors import RenameError
from modular.refactor.rename import rename_in
from modular.refactor.rename_proof import Proof, Prover
from tests.rename_project import INHERITING, LLAMA, RENAME_FILES, REPLACING, SETTINGS
from tests.repository import commit
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


def test_a_class_is_renamed_where_scopes_say_that_it_is_meant(root: Path) -> None:
    (root / "use.py").write_bytes(
        (root / "use.py").read_bytes().replace(b"\n", b"\r\n")
    )
    texts = renamed(root, "LlamaMLP", "LlamaGate")
    assert texts["models/llama/modeling_llama.py"] == source(LLAMA).replace(
        "LlamaMLP", "LlamaGate"
    )
    assert texts["use.py"].replace("\r\n", "\n") == source(
        """
        import models.llama.modeling_llama as llama
        from models.llama import LlamaGate


        def f(LlamaMLP):
            return LlamaMLP, "LlamaMLP"


        mlp = LlamaGate(), llama.LlamaGate()
        """
    )
    assert texts["use.py"].count("\r\n") == 9


def test_children_keep_their_names_unless_inlined_code_uses_them(root: Path) -> None:
    texts = renamed(root, "LlamaMLP", "LlamaGate")
    assert texts["models/gemma/modular_gemma.py"] == source(REPLACING).replace(
        "MLP", "Gate"
    )
    assert texts["models/phi/modular_phi.py"] == source(INHERITING).replace(
        "import LlamaMLP", "import LlamaGate"
    )
    assert "models/mistral/modular_mistral.py" not in texts


def test_places_that_no_scope_tells_are_named(root: Path) -> None:
    left = rename_in(open_project(root), "LlamaMLP", "LlamaGate").unclear_places
    assert [(place.path, place.line) for place in left] == [
        ("models/phi/modular_phi.py", 5),
        ("use.py", 5),
        ("use.py", 6),
        ("use.py", 6),
    ]


def test_a_method_is_renamed_in_all_classes_that_have_it(root: Path) -> None:
    texts = renamed(root, "LlamaMLP.project", "apply")
    assert texts == {
        "models/llama/modeling_llama.py": source(LLAMA).replace("project", "apply"),
        "models/gemma/modular_gemma.py": source(REPLACING).replace("project", "apply"),
    }


def test_an_overridden_method_is_renamed_with_the_one_that_overrides_it(
    root: Path,
) -> None:
    texts = renamed(root, "GemmaMLP.project", "apply")
    assert texts == renamed(root, "LlamaMLP.project", "apply")


def test_an_overridden_method_is_found_behind_a_generated_class(
    root: Path, modular: Callable[..., Result]
) -> None:
    owl = source("""
        from ..gemma.modeling_gemma import GemmaLayer


        class OwlLayer(GemmaLayer):
            def forward(self, x):
                return -x
        """)
    llama = root / "models/llama/modeling_llama.py"
    llama.write_text(llama.read_text().replace("nn.Module", "object"))
    write_project(root, {"models/owl/modular_owl.py": owl})
    modular("convert")
    texts = renamed(root, "OwlLayer.forward", "run")
    assert texts == renamed(root, "LlamaLayer.forward", "run")
    assert texts["models/owl/modular_owl.py"] == owl.replace("forward", "run")


def test_a_method_that_overrides_one_outside_of_all_models_is_refused(
    root: Path,
) -> None:
    base = "class Base:\n    def project(self):\n        return 1\n"
    owl = "from base import Base\n\n\nclass OwlMLP(Base):\n"
    owl += "    def project(self):\n        return 2\n"
    write_project(root, {"base.py": base, "models/owl/modeling_owl.py": owl})
    with pytest.raises(RenameError, match=r"overrides `Base.project` of `base.py:1`"):
        renamed(root, "OwlMLP.project", "apply")


def test_several_statements_on_a_line_keep_their_places(root: Path) -> None:
    text = "from models.llama import LlamaMLP\n\na = 1; b = 2\nmlp = LlamaMLP()\n"
    (root / "use.py").write_text(text)
    assert renamed(root, "LlamaMLP", "LlamaGate")["use.py"] == text.replace(
        "LlamaMLP", "LlamaGate"
    )


def test_a_dotted_name_says_which(root: Path) -> None:
    (root / "models/llama/modeling_other.py").write_text("class LlamaMLP:\n    pass\n")
    with pytest.raises(RenameError) as error:
        renamed(root, "LlamaMLP", "LlamaGate")
    assert str(error.value) == (
        "`LlamaMLP` is ambiguous; use one of these names:\n"
        "  models.llama.modeling_llama.LlamaMLP\n  models.llama.modeling_other.LlamaMLP"
    )
    assert "models/gemma/modular_gemma.py" in renamed(
        root, "modeling_llama.LlamaMLP", "LlamaGate"
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("LlamaMLP", "Llama-Gate", "`Llama-Gate` is not a name in Python"),
        ("LlamaMLP", "class", "`class` is not a name in Python"),
        (
            "LlamaMLP",
            "LlamaLayer",
            "the new name is used at models/llama/modeling_llama.py:15 for something",
        ),
        (
            "LlamaMLP",
            "nn",
            "two names of `models/gemma/modular_gemma.py` would become `nn`",
        ),
        (
            "LlamaMLP.project",
            "forward",
            "`LlamaMLP` of `models/llama/modeling_llama.py:7` uses `forward` already",
        ),
        ("LlamaLayer.__init__", "start", "`__init__` begins with two underscores"),
        (
            "PhiGate",
            "PhiConfig",
            "the class of `models/phi/modular_phi.py:4` is written to the modeling file",
        ),
        (
            "MistralMLP",
            "MistralGate",
            "no hand-written file of a model defines `MistralMLP`",
        ),
    ],
)
def test_what_is_refused(root: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(RenameError, match="^" + message.replace(".", r"\.")):
        renamed(root, old, new)


@pytest.mark.parametrize(
    ("old", "line"),
    [
        ("MistralMLP", "class LlamaMLP"),
        ("MistralMLP.project", "class LlamaMLP"),
        ("GemmaMLP.forward", "    def forward(self, x):"),
    ],
)
def test_the_refusal_of_an_inlined_name_says_where_it_comes_from(
    root: Path, modular: Callable[..., Result], old: str, line: str
) -> None:
    modular("convert")
    with pytest.raises(RenameError) as caught:
        renamed(root, old, "gate")
    place = str(caught.value).partition(": rename it at ")[2]
    path, _, number = place.partition(":")
    assert path == "models/llama/modeling_llama.py"
    assert (root / path).read_text().splitlines()[int(number) - 1].startswith(line)


def test_a_member_is_renamed_in_a_class_whose_base_is_named_by_its_module(
    root: Path,
) -> None:
    text = """
        import models.llama.modeling_llama as llama


        class Gate(llama.LlamaMLP):
            def run(self, x):
                return self.project(x)
        """
    (root / "gate.py").write_text(source(text))
    texts = renamed(root, "LlamaMLP.project", "apply_to")
    assert texts["gate.py"] == source(text).replace("project", "apply_to")


def test_a_class_that_inherits_a_member_from_two_classes_is_named(root: Path) -> None:
    llama = root / "models/llama/modeling_llama.py"
    llama.write_text(
        llama.read_text()
        + source("""

        class Mixin:
            def project(self, x):
                return -x


        class LlamaGate(LlamaMLP, Mixin):
            pass
        """)
    )
    with pytest.raises(RenameError) as error:
        renamed(root, "LlamaMLP.project", "apply_to")
    assert str(error.value) == (
        "`LlamaGate` of `models/llama/modeling_llama.py:28` also inherits `project` "
        "from `Mixin` of `models/llama/modeling_llama.py:23`; choose another name, or "
        "rename there by hand first"
    )


def test_a_class_of_another_model_keeps_a_member_from_elsewhere_unless_it_is_used(
    root: Path, modular: Callable[..., Result]
) -> None:
    replacing = source("""
        from ..llama.modeling_llama import LlamaLayer


        class BaseMLP:
            def project(self, x):
                return -x


        class GemmaMLP(BaseMLP):
            pass


        class GemmaLayer(LlamaLayer):
            pass
        """)
    gemma = root / "models/gemma/modular_gemma.py"
    gemma.write_text(replacing)
    modular("convert")
    with pytest.raises(RenameError) as error:
        renamed(root, "LlamaMLP.project", "apply_to")
    assert "`GemmaMLP` also inherits `project` from `BaseMLP`" in str(error.value)

    gemma.write_text(
        replacing.replace("    pass\n", "    def forward(self, x):\n        return x\n")
    )
    modular("convert")
    texts = renamed(root, "LlamaMLP.project", "apply_to")
    assert "models/gemma/modular_gemma.py" not in texts


def test_a_variable_with_the_new_name_is_no_attribute(root: Path) -> None:
    llama = source("""
        class LlamaMLP:
            def __init__(self, config):
                activation = config.activation
                self.act_fn = activation
        """)
    write_project(root, {"models/llama/modeling_llama.py": llama})
    texts = renamed(root, "LlamaMLP.act_fn", "activation")
    new_text = llama.replace("self.act_fn", "self.activation")
    assert texts == {"models/llama/modeling_llama.py": new_text}


def test_a_class_is_not_renamed_into_another_file(root: Path) -> None:
    owl = "class OwlConfig:\n    size = 1\n"
    write_project(root, {"models/owl/modular_owl.py": owl})
    message = "`models/owl/modular_owl.py:1` is written to the configuration file"
    with pytest.raises(RenameError, match=message):
        renamed(root, "OwlConfig", "OwlSettings")


CONFIGURATION = {
    "models/llama/configuration_llama.py": source("""
        class LlamaConfig:
            model_type = "llama"
        """),
    "models/registry.py": 'CONFIG_MAPPING_NAMES = {"llama-2": "LlamaConfig"}\n',
}
MODEL_TYPES_TABLE = """\
[tool.modular.model-types]
files = ["registry.py"]
"""


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        pytest.param(
            "",
            "the model type `llama` as `Llama` in class names; rename it by hand",
            id="by its attribute model_type",
        ),
        pytest.param(
            MODEL_TYPES_TABLE,
            "the model type `llama-2` as `Llama` in class names; rename it by hand, also in the table "
            "of model types",
            id="in the table of model types",
        ),
    ],
)
def test_a_configuration_class_is_refused_that_decides_the_spelling_of_its_model(
    root: Path, settings: str, problem: str
) -> None:
    write_project(root, CONFIGURATION)
    with (root / "pyproject.toml").open("a") as file:
        file.write(settings)
    with pytest.raises(RenameError) as error:
        renamed(root, "LlamaConfig", "MetaConfig")
    assert str(error.value) == (f"`LlamaConfig` tells modular to write {problem}")


def test_code_that_would_use_the_class_of_another_parent_is_overridden(
    root: Path, modular: Callable[..., Result]
) -> None:
    write_project(
        root,
        {
            "models/owl/modeling_owl.py": source("""
                class OwlMLP:
                    size = 1


                class OwlBlock:
                    mlp = OwlMLP
                """),
            "models/bert/modular_bert.py": source("""
                from ..llama.modeling_llama import LlamaLayer
                from ..owl.modeling_owl import OwlBlock


                class BertMLP:
                    size = 2


                class BertLayer(LlamaLayer):
                    pass


                class BertBlock(OwlBlock):
                    pass
                """),
            "pyproject.toml": SETTINGS,
        },
    )
    modular("convert")
    done = modular("rename", "LlamaMLP", "LlamaGate")
    assert done.exit_code == 0
    assert done.stderr.startswith(
        "overrides were added, please review:\n  models/bert/modular_bert.py\n"
    )
    text = (root / "models/bert/modular_bert.py").read_text()
    assert "class BertMLP:" in text and "BertMLP()" in text
    assert "Gate" not in (root / "models/bert/modeling_bert.py").read_text()
    assert modular("check").exit_code == 0


def test_code_that_would_use_another_class_is_overridden_in_a_repository_too(
    root: Path, modular: Callable[..., Result]
) -> None:
    modular("convert")
    commit(root)
    done = modular("rename", "GemmaMLP", "GemmaGate")
    assert done.exit_code == 0
    assert "GemmaMLP" not in (root / "models/gemma/modeling_gemma.py").read_text()
    assert modular("check").exit_code == 0


def test_a_child_whose_model_has_the_new_name_already_keeps_its_name(
    root: Path, modular: Callable[..., Result]
) -> None:
    path = root / "models/bert/modular_bert.py"
    text = """
        from ..llama.modeling_llama import LlamaMLP


        class BertGate:
            pass


        class BertMLP(LlamaMLP):
            gate = BertGate
        """
    write_project(root, {"models/bert/modular_bert.py": source(text)})
    modular("convert")
    done = modular("rename", "LlamaMLP", "LlamaGate")
    assert done.exit_code == 0
    assert path.read_text() == source(text).replace("LlamaMLP", "LlamaGate")
    assert modular("check").exit_code == 0


def test_a_child_that_also_replaces_a_class_of_another_parent_keeps_its_name(
    root: Path, modular: Callable[..., Result]
) -> None:
    modular_falc = source("""
        from ..llama.modeling_llama import LlamaMLP
        from ..mamba.modeling_mamba import MambaBlock


        class FalcMLP(LlamaMLP):
            pass


        class FalcBlock(MambaBlock):
            pass
        """)
    mamba = """
        class MambaMLP:
            pass


        class MambaBlock:
            mlp = MambaMLP
        """
    write_project(
        root,
        {
            "models/mamba/modeling_mamba.py": source(mamba),
            "models/falc/modular_falc.py": modular_falc,
            "pyproject.toml": SETTINGS,
        },
    )
    modular("convert")
    generated = (root / "models/falc/modeling_falc.py").read_text()
    assert modular("rename", "LlamaMLP", "LlamaGate").exit_code == 0
    text = (root / "models/falc/modular_falc.py").read_text()
    assert text == modular_falc.replace("LlamaMLP", "LlamaGate")
    assert (root / "models/falc/modeling_falc.py").read_text() == generated


@pytest.mark.parametrize(
    "text",
    [
        "from models.llama import LlamaMLP\nx = (LlamaMLP().project\n",
        "class X(LlamaMLP.project",
    ],
)
@pytest.mark.parametrize("symbol", ["LlamaMLP", "LlamaMLP.project"])
@pytest.mark.parametrize("path", ["use.py", "models/mistral/modular_mistral.py"])
def test_a_file_with_a_syntax_error_is_named_and_nothing_is_renamed(
    root: Path, path: str, symbol: str, text: str
) -> None:
    (root / path).write_text(text)
    with pytest.raises(RenameError, match=f"`{path}` .* line .* correct"):
        renamed(root, symbol, "LlamaGate")


def test_methods_of_call_results_are_listed_for_review(root: Path) -> None:
    (root / "build.py").write_text(
        "from factory import build\n\n\ny = build(1).project(2)\n"
    )
    left = rename_in(open_project(root), "LlamaMLP.project", "apply").unclear_places
    assert ("build.py", 4) in [(place.path, place.line) for place in left]


def test_the_method_of_another_class_below_a_docstring_is_not_listed(
    root: Path,
) -> None:
    (root / "use.py").write_text(
        source(
            '''
            """The docstring

            has three lines."""
            from models.llama.modeling_llama import LlamaMLP


            class Other:
                def project(self):
                    return LlamaMLP()
            '''
        )
    )
    left = rename_in(open_project(root), "LlamaMLP.project", "apply").unclear_places
    assert [place for place in left if place.path == "use.py"] == []


def test_methods_of_new_and_annotated_objects_are_renamed(root: Path) -> None:
    text = source("""
        from models.llama.modeling_llama import LlamaMLP


        def f(mlp: LlamaMLP, other):
            local = LlamaMLP()
            return mlp.project(1), LlamaMLP().project(2), local.project(3)
        """)
    (root / "use.py").write_text(text)
    texts = renamed(root, "LlamaMLP.project", "apply")
    assert texts["use.py"] == text.replace("project", "apply")


def test_a_method_below_a_condition_is_renamed(root: Path) -> None:
    text = source("""
        class LlamaMLP:
            if True:
                def project(self, x):
                    return x

            def forward(self, x):
                return self.project(x)
        """)
    path = "models/llama/modeling_llama.py"
    (root / path).write_text(text)
    texts = renamed(root, "LlamaMLP.project", "apply")
    assert texts[path] == text.replace("project", "apply")


def test_what_a_static_method_sets_is_no_member(root: Path) -> None:
    text = "class LlamaMLP:\n    @staticmethod\n    def f(x):\n        x.project = 1\n"
    (root / "models/llama/modeling_llama.py").write_text(text)
    with pytest.raises(RenameError, match="LlamaMLP"):
        renamed(root, "LlamaMLP.project", "apply")


def test_a_nested_function_with_the_name_of_the_method_is_not_renamed(
    root: Path,
) -> None:
    text = source("""
        class LlamaMLP:
            def project(self, x):
                def project(y):
                    return y

                return project(x)
        """)
    path = "models/llama/modeling_llama.py"
    (root / path).write_text(text)
    assert renamed(root, "LlamaMLP.project", "apply")[path] == text.replace(
        "def project(self", "def apply(self"
    )


def test_an_optional_import_is_renamed_with_its_fallback(root: Path) -> None:
    text = source("""
        try:
            from models.llama.modeling_llama import LlamaMLP
        except ImportError:
            LlamaMLP = None


        def has_mlp():
            return LlamaMLP is not None
        """)
    (root / "use.py").write_text(text)
    texts = renamed(root, "LlamaMLP", "LlamaGate")
    assert texts["use.py"] == text.replace("LlamaMLP", "LlamaGate")


def test_an_import_from_elsewhere_as_a_fallback_gets_an_alias(root: Path) -> None:
    text = source("""
        try:
            from models.llama.modeling_llama import LlamaMLP
        except ImportError:
            from elsewhere import LlamaMLP

        mlp = LlamaMLP
        """)
    (root / "use.py").write_text(text)
    assert renamed(root, "LlamaMLP", "LlamaGate")["use.py"] == source("""
        try:
            from models.llama.modeling_llama import LlamaGate
        except ImportError:
            from elsewhere import LlamaMLP as LlamaGate

        mlp = LlamaGate
        """)


@pytest.mark.parametrize(
    "body",
    [
        "def LlamaGate():\n        pass\n    return LlamaMLP()",
        "match x:\n        case LlamaGate:\n            return LlamaMLP()",
        "match x:\n        case {**LlamaGate}:\n            return LlamaMLP()",
        "return [LlamaMLP for LlamaGate in x]",
        "import LlamaGate\n    return LlamaMLP",
    ],
)
def test_a_new_name_that_is_bound_in_a_function_is_refused(
    root: Path, body: str
) -> None:
    (root / "use.py").write_text(
        f"from models.llama import LlamaMLP\n\n\ndef f(x):\n    {body}\n"
    )
    with pytest.raises(RenameError, match=r"used at use\.py:\d+ for something else"):
        renamed(root, "LlamaMLP", "LlamaGate")


def test_forward_of_a_torch_module_is_not_renamed(root: Path) -> None:
    with pytest.raises(
        RenameError, match="calls `forward` of .* under this name; add a"
    ):
        renamed(root, "LlamaMLP.forward", "run")


OWL = """
    from ..layers import Layer as Parent


    class OwlMLP(Parent):
        def forward(self, x):
            return x
    """


def test_forward_is_renamed_if_the_base_is_imported_from_the_project_with_as(
    root: Path,
) -> None:
    owl = "models/owl/modeling_owl.py"
    layers = "class Layer:\n    size = 1\n"
    write_project(root, {owl: source(OWL), "models/layers.py": layers})
    new_owl = source(OWL).replace("def forward", "def run")
    assert renamed(root, "OwlMLP.forward", "run") == {owl: new_owl}


@pytest.mark.parametrize(
    "owl", [OWL, OWL.replace(" as Parent", "").replace("Parent", "Layer")]
)
def test_forward_is_not_renamed_if_a_base_of_a_base_is_a_torch_module(
    root: Path, owl: str
) -> None:
    layers = source("""
        from torch import nn


        class Layer(nn.Module):
            size = 1
        """)
    write_project(
        root, {"models/owl/modeling_owl.py": source(owl), "models/layers.py": layers}
    )
    with pytest.raises(
        RenameError, match="calls `forward` of .* under this name; add a"
    ):
        renamed(root, "OwlMLP.forward", "run")


def test_a_name_that_a_star_import_would_hide_is_refused(root: Path) -> None:
    (root / "use.py").write_text(
        "LlamaGate = 1\nfrom models.llama.modeling_llama import *\nprint(LlamaGate)\n"
    )
    with pytest.raises(RenameError, match=r"`use\.py` uses `LlamaGate` for something"):
        renamed(root, "LlamaMLP", "LlamaGate")


def test_a_name_that_a_star_import_binds_is_renamed(root: Path) -> None:
    text = "from models.llama.modeling_llama import *\n\nmlp = LlamaMLP()\n"
    (root / "use.py").write_text(text)
    texts = renamed(root, "LlamaMLP", "LlamaGate")
    assert texts["use.py"] == text.replace("LlamaMLP", "LlamaGate")


def test_a_name_that_star_imports_of_several_files_bind_is_renamed(root: Path) -> None:
    (root / "tools.py").write_text("from models.llama.modeling_llama import *\n")
    (root / "use.py").write_text("from tools import *\n\nmlp = LlamaMLP()\n")
    texts = renamed(root, "LlamaMLP", "LlamaGate")
    assert texts["use.py"] == "from tools import *\n\nmlp = LlamaGate()\n"


def test_a_definition_of_a_module_that_is_imported_relatively_is_renamed(
    root: Path,
) -> None:
    text = "from . import modeling_llama\n\nmlp = modeling_llama.LlamaMLP()\n"
    path = "models/llama/tools.py"
    (root / path).write_text(text)
    texts = renamed(root, "LlamaMLP", "LlamaGate")
    assert texts[path] == text.replace("LlamaMLP", "LlamaGate")


def test_an_import_that_is_meant_for_others_is_renamed_with_its_alias(
    root: Path,
) -> None:
    text = "from .modeling_llama import LlamaMLP as LlamaMLP\n"
    path = "models/llama/public.py"
    (root / path).write_text(text)
    use = "from models.llama.public import LlamaMLP\n\nmlp = LlamaMLP()\n"
    (root / "use.py").write_text(use)
    texts = renamed(root, "modeling_llama.LlamaMLP", "LlamaGate")
    assert texts[path] == text.replace("LlamaMLP", "LlamaGate")
    assert texts["use.py"] == use.replace("LlamaMLP", "LlamaGate")


def test_an_import_of_something_else_under_the_new_name_is_refused(root: Path) -> None:
    text = "from models.llama import LlamaMLP\nfrom elsewhere import LlamaGate\n"
    (root / "use.py").write_text(text)
    with pytest.raises(RenameError, match=r"used at use\.py:2 for something else"):
        renamed(root, "LlamaMLP", "LlamaGate")


@pytest.mark.parametrize(
    "code",
    [
        "x = f'{LlamaMLP} {LlamaMLP!r:>{LlamaMLP}}'",
        "x = 'é', f'é{LlamaMLP}', LlamaMLP",
        "def f(x: 'list[LlamaMLP]' = LlamaMLP) -> \"LlamaMLP\": ...",
        "def f():\n    global LlamaMLP\n    LlamaMLP = None",
        "@LlamaMLP\nclass LlamaMLPs(LlamaMLP):\n    y: LlamaMLP = LlamaMLP",
        "try:\n    pass\nexcept LlamaMLP as LlamaMLP:\n    pass",
        "x = [LlamaMLP for y in LlamaMLP if LlamaMLP]",
        "match x:\n    case LlamaMLP():\n        pass",
    ],
)
def test_every_kind_of_reference_is_renamed(root: Path, code: str) -> None:
    text = f"from models.llama import LlamaMLP\n\n\n{code}\n"
    (root / "use.py").write_text(text)
    texts = renamed(root, "LlamaMLP", "LlamaGate")
    assert texts["use.py"] == re.sub(r"\bLlamaMLP\b", "LlamaGate", text)


@pytest.mark.parametrize(
    "code",
    [
        "def f(LlamaMLP):\n    return lambda: LlamaMLP",
        "x = [LlamaMLP for LlamaMLP in y]",
        "class A:\n    LlamaMLP = 1\n    x = LlamaMLP",
        "def f():\n    for LlamaMLP in y:\n        return LlamaMLP",
        "def f():\n    LlamaMLP = 1\n\n    def g():\n        nonlocal LlamaMLP",
        "x = y.LlamaMLP(LlamaMLP=1)",
        "f = lambda LlamaMLP: LlamaMLP",
    ],
)
def test_another_variable_of_the_same_name_is_not_renamed(
    root: Path, code: str
) -> None:
    text = f"from models.llama import LlamaMLP\n\n\n{code}\n"
    (root / "use.py").write_text(text)
    texts = renamed(root, "LlamaMLP", "LlamaGate")
    assert texts["use.py"] == text.replace("import LlamaMLP", "import LlamaGate")


def test_two_names_that_would_become_one_are_refused(root: Path) -> None:
    with pytest.raises(RenameError, match="two names of .* keep the model's name"):
        renamed(root, "LlamaMLP", "Gate")


def test_an_attribute_is_renamed_in_all_models(
    root: Path, modular: Callable[..., Result]
) -> None:
    llama = source("""
        class LlamaMLP:
            def __init__(self, act_fn):
                self.act_fn = act_fn

            def forward(self, x):
                return self.act_fn(x)


        class LlamaLayer:
            def __init__(self, act_fn):
                self.mlp = LlamaMLP(act_fn)

            def forward(self, x):
                return self.mlp.act_fn(x), getattr(self.mlp, "act_fn")
        """)
    gemma = source("""
        from ..llama.modeling_llama import LlamaLayer, LlamaMLP


        class GemmaMLP(LlamaMLP):
            def forward(self, x):
                return -self.act_fn(x)


        class GemmaLayer(LlamaLayer):
            def forward(self, x):
                return self.mlp.act_fn(-x)
        """)
    write_project(
        root,
        {
            "models/llama/modeling_llama.py": llama,
            "models/gemma/modular_gemma.py": gemma,
            "pyproject.toml": SETTINGS,
        },
    )
    modular("convert")
    done = modular("rename", "LlamaMLP.act_fn", "activation")
    assert done.exit_code == 0, done.output
    new_llama = (root / "models/llama/modeling_llama.py").read_text()
    assert new_llama == llama.replace("self.act_fn", "self.activation").replace(
        "mlp.act_fn", "mlp.activation"
    ).replace('"act_fn"', '"activation"')
    new_gemma = (root / "models/gemma/modular_gemma.py").read_text()
    assert new_gemma == gemma.replace("act_fn", "activation")
    assert modular("check").exit_code == 0


def test_a_configuration_field_is_renamed_in_all_models(
    root: Path, modular: Callable[..., Result]
) -> None:
    configuration = source("""
        class LlamaConfig:
            def __init__(self, hidden_size=4):
                self.hidden_size = hidden_size
        """)
    llama = source("""
        from .configuration_llama import LlamaConfig


        class LlamaMLP:
            def __init__(self, config: LlamaConfig):
                self.config = config
                self.size = config.hidden_size

            def forward(self):
                return self.config.hidden_size


        class LlamaNorm:
            def __init__(self, config: "LlamaConfig"):
                self.size = config.hidden_size
        """)
    gemma = source("""
        from ..llama.configuration_llama import LlamaConfig
        from ..llama.modeling_llama import LlamaMLP


        class GemmaConfig(LlamaConfig):
            def __init__(self, hidden_size=8):
                super().__init__(hidden_size=hidden_size)


        class GemmaMLP(LlamaMLP):
            def forward(self):
                return -self.config.hidden_size
        """)
    use = "from models.llama.configuration_llama import LlamaConfig\n\n"
    use += "config = LlamaConfig(hidden_size=3)\nprint(config.hidden_size)\n"
    files = {
        "models/llama/configuration_llama.py": configuration,
        "models/llama/modeling_llama.py": llama,
        "models/gemma/modular_gemma.py": gemma,
        "use.py": use,
    }
    write_project(root, {**files, "pyproject.toml": SETTINGS})
    modular("convert")
    done = modular("rename", "LlamaConfig.hidden_size", "hidden_dim")
    assert done.exit_code == 0, done.output
    for path, text in files.items():
        assert (root / path).read_text() == text.replace("hidden_size", "hidden_dim")
    assert modular("check", "gemma").exit_code == 0


def test_a_file_that_changes_while_the_command_runs_is_not_overwritten(
    root: Path, modular: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    modular("convert")
    saved = (root / "use.py").read_text() + "saved = 1\n"

    prove = Prover.prove

    def prove_late(*arguments: Any) -> Proof:
        proof = prove(*arguments)
        (root / "use.py").write_text(saved)
        return proof

    monkeypatch.setattr(Prover, "prove", prove_late)
    done = modular("rename", "LlamaMLP", "LlamaGate")
    assert done.exit_code == 1
    assert "the file changed after it was read" in done.stderr
    assert (root / "use.py").read_text() == saved
    assert "class LlamaMLP" in (root / "models/llama/modeling_llama.py").read_text()


def test_a_refusal_says_what_helps_if_inlined_code_brings_the_old_name_back(
    tmp_path: Path, modular: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    clip = "class ClipBase:\n    size = 1\n\n\nclass ClipModel(ClipBase):\n    pass\n"
    base = "class OwlBase(ClipBase):\n    size = 2\n"
    inheriting = "class OwlModel(ClipModel):\n    pass\n"
    path = "models/owl/modular_owl.py"
    head = "from ..clip.modeling_clip import ClipBase, ClipModel\n"
    files = {
        "pyproject.toml": SETTINGS,
        "models/clip/modeling_clip.py": clip,
        path: f"{head}\n\n{base}\n\n{inheriting}",
    }
    write_project(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    modular("convert")
    hint = f"keep the name, or first define this code, without a parent, in `{path}`"
    with pytest.raises(RenameError, match=re.escape(hint)):
        renamed(tmp_path, "OwlBase", "OwlRoot")

    alone = "class OwlModel(OwlBase):\n    pass\n"
    head = head.replace(", ClipModel", "")
    (tmp_path / path).write_text(f"{head}\n\n{base}\n\n{alone}")
    modular("convert")
    text = renamed(tmp_path, "OwlBase", "OwlRoot")[path]
    assert "class OwlModel(OwlRoot):" in text
