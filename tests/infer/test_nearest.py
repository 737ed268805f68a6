"""What of the library is nearest to the classes and functions of a file."""

from modular.infer.nearest import nearest
from modular.run.api import Options
from tests.infer.conftest import FLAT, LLAMA, PARENT
from tests.support import source, write_project


GPT = "models/gpt/modeling_gpt.py"


FILES = {
    LLAMA: PARENT,
    GPT: PARENT.replace("Llama", "Gpt")
    .replace("nn.SiLU()", "nn.GELU()")
    .replace("eps=1e-6", "eps=1e-5"),
    FLAT: PARENT.replace("Llama", "MyModel"),
}


def test_names_do_not_count_and_the_nearest_comes_first(near):
    nearest_ones = near(f"{FLAT}:MyModelMLP", FILES)
    (mlp,) = nearest_ones.results
    assert [(match.model, match.name) for match in mlp.neighbours[:2]] == [
        ("llama", "LlamaMLP"),
        ("gpt", "GptMLP"),
    ]
    assert mlp.neighbours[0].similarity == 1.0
    assert mlp.neighbours[1].similarity < 1.0


def test_it_says_why_one_is_before_another_that_is_as_similar(near):
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
    assert (first.model, first.reason) == ("optb", "more models inherit from its model")
    assert (second.model, second.similarity) == ("opta", first.similarity)


def test_names_that_share_some_letters_by_chance_say_nothing(near):
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


def test_where_the_similarity_says_it_no_reason_is_given(near):
    (mlp,) = near(f"{FLAT}:MyModelMLP", FILES).results
    assert (mlp.neighbours[0].name, mlp.neighbours[0].reason) == ("LlamaMLP", "")


def test_it_says_which_methods_are_the_same(near):
    (mlp,) = near(f"{FLAT}:MyModelMLP", FILES).results
    assert [
        (match.equal_methods, match.different_methods) for match in mlp.neighbours[:2]
    ] == [
        (("__init__", "forward"), ()),
        (("forward",), ("__init__",)),
    ]


def test_without_a_name_all_classes_and_functions_are_asked_for(near):
    nearest_ones = near(FLAT, FILES)
    assert [target.name for target in nearest_ones.results] == [
        "MyModelNorm",
        "MyModelMLP",
        "rotate",
        "MyModelLayer",
    ]


def test_a_method_has_methods_near_it(near):
    (forward,) = near(f"{FLAT}:MyModelMLP.forward", FILES).results
    assert forward.neighbours[0].name in ("LlamaMLP.forward", "GptMLP.forward")
    assert {match.name.rpartition(".")[2] for match in forward.neighbours} <= {
        "forward",
        "__init__",
    }


def test_of_equal_classes_one_is_listed(near):
    files = {**FILES, "models/opt/modeling_opt.py": PARENT.replace("Llama", "Opt")}
    (mlp,) = near(f"{FLAT}:MyModelMLP", files).results
    assert [match.similarity for match in mlp.neighbours].count(1.0) == 1


def test_models_that_depend_on_the_asked_one_are_left_out(near):
    modular = """
        from ..my_model.modeling_my_model import MyModelMLP


        class GptMLP(MyModelMLP):
            pass
        """
    nearest_ones = near(
        f"{FLAT}:MyModelMLP", {**FILES, "models/gpt/modular_gpt.py": modular}
    )
    assert {match.model for match in nearest_ones.results[0].neighbours} == {"llama"}


def test_before_a_model_neither_it_nor_what_depends_on_it_is_there(near):
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        class GptMLP(LlamaMLP):
            pass
        """
    files = {
        **FILES,
        "models/gpt/modular_gpt.py": modular,
        "models/opt/modeling_opt.py": PARENT.replace("Llama", "Opt"),
    }
    nearest_ones = near(f"{FLAT}:MyModelMLP", files, before=("llama",))
    assert {match.model for match in nearest_ones.results[0].neighbours} == {"opt"}


def test_the_diff_leads_from_the_renamed_class_to_the_one_asked_for(near):
    files = {GPT: FILES[GPT], FLAT: FILES[FLAT]}
    (mlp,) = near(f"{FLAT}:MyModelMLP", files, with_diff=True).results
    changed = [line for line in mlp.diff.splitlines() if line[0] in "+-"]
    assert changed == [
        f"--- {GPT}:GptMLP",
        f"+++ {FLAT}:MyModelMLP",
        "-        self.act_fn = nn.GELU()",
        "+        self.act_fn = nn.SiLU()",
    ]


def test_what_is_not_there_is_an_error_with_the_nearest_name(near):
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


def test_models_that_the_settings_leave_out_are_not_listed_and_what_depends_on_them_is(
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


def test_what_is_before_a_model_of_a_library_is_known_from_its_modular_files(
    tmp_path, monkeypatch
):
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        class GptMLP(LlamaMLP):
            pass
        """
    parents = {
        **FILES,
        "models/gpt/modular_gpt.py": modular,
        "models/opt/modeling_opt.py": FILES[GPT],
    }
    del parents[FLAT]
    write_project(
        tmp_path / "hub", {path: source(text) for path, text in parents.items()}
    )
    write_project(tmp_path / "project", {"mine.py": source(FILES[FLAT])})
    monkeypatch.chdir(tmp_path / "project")
    options = Options(
        root=tmp_path / "project", cache=False, source_library=str(tmp_path / "hub")
    )
    (mlp,) = nearest("mine.py:MyModelMLP", before=("llama",), options=options).results
    assert {match.path for match in mlp.neighbours} == {
        "hub/models/opt/modeling_opt.py"
    }


def test_a_class_that_has_next_to_nothing_in_common_is_not_near(near):
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
