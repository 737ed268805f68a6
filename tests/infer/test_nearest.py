"""The library code nearest to the definitions of a file."""

import shutil

import pytest

import modular
from bench.corpus import MODELS, make_project
from modular.infer.nearest import nearest
from modular.run.api import Options
from tests.infer.conftest import FLAT, LLAMA, PARENT
from tests.support import source


GPT = "models/gpt/modeling_gpt.py"


FILES = {
    LLAMA: PARENT,
    GPT: PARENT.replace("Llama", "Gpt")
    .replace("nn.SiLU()", "nn.GELU()")
    .replace("eps=1e-6", "eps=1e-5"),
    FLAT: PARENT.replace("Llama", "MyModel"),
}


@pytest.fixture
def changed_lines(near):
    """Return the removed and added lines between the nearest code and a definition."""

    def run(target, files):
        (result,) = near(target, files, with_diff=True).results
        return [line for line in result.diff.splitlines() if line[0] in "+-"]

    return run


def test_the_nearest_class_comes_first_whatever_its_names(near):
    nearest_ones = near(f"{FLAT}:MyModelMLP", FILES)
    (mlp,) = nearest_ones.results
    assert [(match.model, match.name) for match in mlp.neighbours[:2]] == [
        ("llama", "LlamaMLP"),
        ("gpt", "GptMLP"),
    ]
    assert mlp.neighbours[0].similarity == 1.0
    assert mlp.neighbours[1].similarity < 1.0


def test_of_equally_similar_classes_the_one_with_more_children_comes_first(near):
    """Both differ from what is asked for in one function; three models take from the second one."""
    files = {
        FLAT: PARENT.replace("Llama", "MyModel"),
        "models/opta/modeling_opta.py": PARENT.replace("Llama", "Opta").replace(
            "nn.SiLU()", "nn.GELU()"
        ),
        "models/optb/modeling_optb.py": PARENT.replace("Llama", "Optb").replace(
            "nn.SiLU()", "nn.ReLU()"
        ),
    }
    for name in ("xa", "xb", "xc"):
        child = f"from ..optb.modeling_optb import OptbMLP\n\n\nclass {name.title()}MLP(OptbMLP):\n    pass\n"
        files[f"models/{name}/modular_{name}.py"] = child
    (mlp,) = near(f"{FLAT}:MyModelMLP", files).results
    first, second, *_ = mlp.neighbours
    assert first.model == "optb"
    assert (second.model, second.similarity) == ("opta", first.similarity)


def test_model_names_that_share_few_letters_do_not_count(near):
    """`modx` is half of `my_model`; both differ from what is asked for in one function."""
    files = {
        FLAT: PARENT.replace("Llama", "MyModel"),
        "models/modx/modeling_modx.py": PARENT.replace("Llama", "Modx").replace(
            "nn.SiLU()", "nn.GELU()"
        ),
        "models/aaaa/modeling_aaaa.py": PARENT.replace("Llama", "Aaaa").replace(
            "nn.SiLU()", "nn.ReLU()"
        ),
    }
    (mlp,) = near(f"{FLAT}:MyModelMLP", files).results
    assert [match.model for match in mlp.neighbours[:2]] == ["aaaa", "modx"]


def test_equal_and_different_methods_are_listed(near):
    (mlp,) = near(f"{FLAT}:MyModelMLP", FILES).results
    assert [
        (match.equal_methods, match.different_methods) for match in mlp.neighbours[:2]
    ] == [
        (("__init__", "forward"), ()),
        (("forward",), ("__init__",)),
    ]


def test_a_file_without_a_name_queries_all_classes_and_functions(near):
    nearest_ones = near(FLAT, FILES)
    assert [target.name for target in nearest_ones.results] == [
        "MyModelNorm",
        "MyModelMLP",
        "rotate",
        "MyModelLayer",
    ]


def test_the_neighbours_of_a_method_are_methods(near):
    (forward,) = near(f"{FLAT}:MyModelMLP.forward", FILES).results
    assert forward.neighbours[0].name in ("LlamaMLP.forward", "GptMLP.forward")
    assert {match.name.rpartition(".")[2] for match in forward.neighbours} <= {
        "forward",
        "__init__",
    }


def test_only_one_of_equal_classes_is_listed(near):
    files = {**FILES, "models/opt/modeling_opt.py": PARENT.replace("Llama", "Opt")}
    (mlp,) = near(f"{FLAT}:MyModelMLP", files).results
    assert [match.similarity for match in mlp.neighbours].count(1.0) == 1


def test_code_that_most_files_contain_is_found(near):
    """All sequences of its tokens are too common to count for the similarity."""
    copy = """
        def retrieve_steps(scheduler, count):
            scheduler.set_steps(count)
            return scheduler.steps
        """
    files = {f"models/m{n}/modeling_m{n}.py": copy for n in range(30)}
    nearest_ones = near(FLAT, {**files, FLAT: copy})
    (steps,) = nearest_ones.results
    (match,) = steps.neighbours
    assert (match.model, match.similarity, match.copies) == ("m0", 1.0, 29)


def test_a_copy_comes_before_code_of_a_more_similar_model(near):
    """The rest of the file is that of `gpt`, and other models inherit from it."""
    mlp = "nn.SiLU()"
    files = {
        FLAT: PARENT.replace("Llama", "MyModel"),
        GPT: PARENT.replace("Llama", "Gpt").replace(mlp, "nn.GELU()"),
        LLAMA: PARENT[PARENT.index("    class LlamaMLP") : PARENT.index("    def rot")],
    }
    for name in ("xa", "xb", "xc"):
        child = f"from ..gpt.modeling_gpt import GptMLP\n\n\nclass {name.title()}MLP(GptMLP):\n    pass\n"
        files[f"models/{name}/modular_{name}.py"] = child
    (result,) = near(f"{FLAT}:MyModelMLP", files).results
    assert [match.name for match in result.neighbours[:2]] == ["LlamaMLP", "GptMLP"]


def test_code_with_little_in_common_is_not_listed(near):
    lines = "".join(f"            x = self.step{n}(x)\n" for n in range(60))
    large = f"\n    class LlamaBlock:\n        def run(self, x):\n{lines}"
    small = "\n    class MyModelBlock:\n        def run(self, x):\n            x = self.step7(x)\n"
    (block,) = near(f"{FLAT}:MyModelBlock", {LLAMA: large, FLAT: small}).results
    assert block.neighbours == ()


def test_models_that_depend_on_the_queried_one_are_excluded(near):
    modular = """
        from ..my_model.modeling_my_model import MyModelMLP


        class GptMLP(MyModelMLP):
            pass
        """
    nearest_ones = near(
        f"{FLAT}:MyModelMLP", {**FILES, "models/gpt/modular_gpt.py": modular}
    )
    assert {match.model for match in nearest_ones.results[0].neighbours} == {"llama"}


def test_the_diff_of_a_method_whose_name_contains_that_of_the_model(
    changed_lines,
):
    method = """

        class GptMLP:
            def gpt_forward(self, x):
                hidden = self.up(x)
                return self.down(hidden.softmax(dim=-1) * 2)
        """
    own_method = method.replace("Gpt", "MyModel").replace("gpt", "my_model")
    files = {GPT: method, FLAT: own_method.replace("2", "3")}
    target = f"{FLAT}:MyModelMLP.my_model_forward"
    assert changed_lines(target, files) == [
        f"--- {GPT}:GptMLP.gpt_forward",
        f"+++ {target}",
        "-        return self.down(hidden.softmax(dim=-1) * 2)",
        "+        return self.down(hidden.softmax(dim=-1) * 3)",
    ]


def test_the_diff_starts_from_the_renamed_class(changed_lines):
    files = {GPT: FILES[GPT], FLAT: FILES[FLAT]}
    assert changed_lines(f"{FLAT}:MyModelMLP", files) == [
        f"--- {GPT}:GptMLP",
        f"+++ {FLAT}:MyModelMLP",
        "-        self.act_fn = nn.GELU()",
        "+        self.act_fn = nn.SiLU()",
    ]


ONE_MLP = """
    class GptMLP:
        def forward(self, x):
            hidden = self.up(x)
            return self.down(hidden.softmax(dim=-1) * 2)
    """

TWO_MLPS = f"""{ONE_MLP.rstrip(" ")}

    class GptMLP:
        def reset(self):
            self.cache = None
    """


@pytest.mark.parametrize(
    ("parent", "flat"),
    [
        pytest.param(ONE_MLP, TWO_MLPS, id="in the queried file"),
        pytest.param(TWO_MLPS, ONE_MLP, id="in the file of the nearest class"),
    ],
)
@pytest.mark.parametrize("name", ["MyModelMLP", "MyModelMLP.forward"])
def test_the_diff_of_a_class_defined_twice_shows_the_definition_that_was_found(
    near, parent, flat, name
):
    flat = flat.replace("Gpt", "MyModel").replace("2", "3")
    result, *_ = near(
        f"{FLAT}:{name}", {GPT: parent, FLAT: flat}, with_diff=True
    ).results
    assert [line for line in result.diff.splitlines() if line[0] in "+-"] == [
        f"--- {GPT}:{name.replace('MyModel', 'Gpt')}",
        f"+++ {FLAT}:{name}",
        "-        return self.down(hidden.softmax(dim=-1) * 2)",
        "+        return self.down(hidden.softmax(dim=-1) * 3)",
    ]


def test_an_unknown_name_is_an_error_with_a_suggestion(near):
    nearest_ones = near(f"{FLAT}:MyModelMPL", FILES)
    assert [diagnostic.code.id for diagnostic in nearest_ones.diagnostics] == ["MOD103"]
    assert nearest_ones.diagnostics[0].hint.startswith("did you mean `MyModelMLP`")
    assert [
        diagnostic.code.id
        for diagnostic in near("models/nothing.py", FILES).diagnostics
    ] == ["MOD103"]
    assert [
        diagnostic.code.id
        for diagnostic in near(FLAT, {**FILES, FLAT: "class A(:\n"}).diagnostics
    ] == ["MOD101"]


def test_models_that_the_settings_leave_out_are_not_listed_but_their_dependents_are(
    near,
):
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        class GptMLP(LlamaMLP):
            pass
        """
    settings = """
        [tool.modular.infer]
        leave-out = ["llama"]
        """
    files = {**FILES, "models/gpt/modular_gpt.py": modular, "pyproject.toml": settings}
    (mlp,) = near(f"{FLAT}:MyModelMLP", files).results
    assert {match.model for match in mlp.neighbours} == {"gpt"}


def test_a_class_with_almost_nothing_in_common_is_not_listed(near):
    other = """
        class Registry:
            def names(self):
                return sorted(key.lower() for key in self._table if not key.startswith("_"))
        """
    (registry,) = near(
        "models/other/modeling_other.py:Registry",
        {LLAMA: PARENT, "models/other/modeling_other.py": other},
    ).results
    assert registry.neighbours == ()


def test_a_file_with_a_half_typed_class_is_skipped_and_named(near):
    half = "from torch import nn\n\n\nclass HalfNorm(nn.Module"
    nearest_ones = near(
        f"{FLAT}:MyModelNorm", {**FILES, "models/half/modeling_half.py": half}
    )
    assert [match.name for match in nearest_ones.results[0].neighbours][:1] == [
        "LlamaNorm"
    ]
    (problem,) = nearest_ones.diagnostics
    assert problem.place.path == "models/half/modeling_half.py"


GPT_STYLE_MLP = """
    from torch import nn


    class FeedForward(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.c_fc = nn.Linear(config.width, 4 * config.width)
            self.gelu = nn.GELU()
            self.c_proj = nn.Linear(4 * config.width, config.width)
            self.dropout = nn.Dropout(config.dropout)

        def forward(self, x):
            x = self.c_fc(x)
            x = self.gelu(x)
            x = self.c_proj(x)
            return self.dropout(x)
    """


@pytest.mark.slow
def test_an_mlp_in_the_style_of_gpt_finds_the_one_of_gpt2(tmp_path, monkeypatch):
    root = make_project(tmp_path / "corpus")
    for model in (root / MODELS).glob("[!_g]*"):
        shutil.rmtree(model)
    (root / "train.py").write_text(source(GPT_STYLE_MLP), encoding="utf-8")
    monkeypatch.chdir(root)
    (result,) = nearest("train.py", options=Options(root=root, cache=False)).results
    assert "GPT2MLP" in [match.name for match in result.neighbours]


def test_the_nearest_classes_can_be_asked_for_from_python(project) -> None:
    flat = project / "models/flat/modeling_flat.py"
    flat.parent.mkdir()
    base = (project / "models/base/modeling_base.py").read_text()
    flat.write_text(base.replace("Base", "Flat"))
    options = Options(root=project, cache=False)
    (result,) = modular.nearest("flat", options=options).results
    assert (result.path, result.name) == ("models/flat/modeling_flat.py", "FlatMLP")
    assert result.neighbours[0].name == "BaseMLP"


def test_the_model_of_a_file_in_a_shared_folder_is_not_near_to_itself(near):
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
    (mlp,) = near("models/modeling_my_model.py:MyModelMLP", files).results
    assert {match.model for match in mlp.neighbours} == {"llama"}
