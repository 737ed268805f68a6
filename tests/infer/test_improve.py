"""Existing modular files are shortened without losing what a person wrote."""

import pytest
from click.testing import CliRunner

from modular.cli.main import main
from modular.infer.infer import improve as run_improve
from modular.run.api import Options
from modular.source.diagnostics import Problem
from tests.infer.conftest import LLAMA, PARENT
from tests.support import source, write_project


MODULAR = "models/my_model/modular_my_model.py"


@pytest.fixture
def improve(tmp_path, monkeypatch):
    def run(modular, *arguments):
        write_project(tmp_path, {LLAMA: source(PARENT), MODULAR: source(modular)})
        monkeypatch.chdir(tmp_path)
        runner = CliRunner()
        assert runner.invoke(main, ["convert", "--no-cache"]).exit_code == 0
        return runner.invoke(
            main, ["infer", "--improve", "my_model", "--no-cache", *arguments]
        )

    return run


def test_an_equal_method_is_removed_and_a_body_calls_super(improve):
    done = improve("""
        from torch import nn

        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            def __init__(self, config):
                nn.Module.__init__(self)
                self.config = config
                self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size)
                self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size)
                self.act_fn = nn.GELU()

            def forward(self, x):
                x = self.up_proj(x)
                x = self.act_fn(x)
                return self.down_proj(x)
        """)
    changed = [line for line in done.stdout.splitlines() if line[0] in "+-"]
    assert changed == [
        f"--- a/{MODULAR}",
        f"+++ b/{MODULAR}",
        "-        nn.Module.__init__(self)",
        "-        self.config = config",
        "-        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size)",
        "-        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size)",
        "+        super().__init__(config)",
        "-",
        "-    def forward(self, x):",
        "-        x = self.up_proj(x)",
        "-        x = self.act_fn(x)",
        "-        return self.down_proj(x)",
    ]
    assert "9 lines instead of 17, 8 saved; identical" in done.stderr


def test_a_class_inherits_from_an_equal_class(improve, tmp_path):
    done = improve(
        """
        import torch
        from torch import nn

        from ..llama.modeling_llama import LlamaMLP


        class MyModelNorm(nn.Module):
            def __init__(self, size, eps=1e-6):
                super().__init__()
                self.weight = nn.Parameter(torch.ones(size))
                self.eps = eps

            def forward(self, x):
                return self.weight * x


        class MyModelMLP(LlamaMLP):
            pass
        """,
        "--write",
        "--force",
    )
    assert done.exit_code == 0
    assert (tmp_path / MODULAR).read_text(encoding="utf-8") == source("""
        from ..llama.modeling_llama import LlamaMLP, LlamaNorm


        class MyModelNorm(LlamaNorm):
            pass


        class MyModelMLP(LlamaMLP):
            pass
        """)


def test_the_heading_comments_stay(improve, tmp_path):
    heading = "    # Copyright 2020 us.\n\n"
    model = "    from ..llama.modeling_llama import LlamaMLP\n\n\n    class MyModelMLP(LlamaMLP):\n"
    method = "".join(f"    {line}\n" for line in FORWARD.splitlines())
    assert improve(heading + model + method, "--write").exit_code == 0
    assert (tmp_path / MODULAR).read_text(encoding="utf-8") == source(
        f"{heading}{model}        pass\n"
    )


def test_a_file_without_redundancy_is_reported_as_such(improve):
    done = improve("""
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            pass
        """)
    assert (done.exit_code, done.stdout) == (0, "")
    assert "nothing more could be inherited" in done.stderr


def test_models_that_save_most_lines_come_first(tmp_path, monkeypatch):
    files = {LLAMA: PARENT}
    for name, cased in (("ant", "Ant"), ("bee", "Bee"), ("cat", "Cat")):
        model = f"from ..llama.modeling_llama import LlamaMLP\n\n\nclass {cased}MLP(LlamaMLP):\n"
        methods = {"ant": FORWARD, "bee": INIT + "\n" + FORWARD, "cat": "    pass\n"}[
            name
        ]
        files[f"models/{name}/modular_{name}.py"] = (
            "from torch import nn\n\n" * (name == "bee") + model + methods
        )
    write_project(
        tmp_path,
        {path: source(text) if path == LLAMA else text for path, text in files.items()},
    )
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    assert runner.invoke(main, ["convert", "--no-cache"]).exit_code == 0
    done = runner.invoke(main, ["infer", "--improve", "--no-cache", "--write"])
    assert [
        line for line in done.stdout.splitlines() if line.startswith("models/")
    ] == [
        "models/bee/modular_bee.py: 5 lines instead of 17, 12 saved; identical",
        "models/ant/modular_ant.py: 5 lines instead of 8, 3 saved; identical",
        "models/cat/modular_cat.py: nothing more could be inherited",
    ]
    for name, cased in (("ant", "Ant"), ("bee", "Bee")):
        assert (tmp_path / f"models/{name}/modular_{name}.py").read_text(
            encoding="utf-8"
        ) == source(f"""
            from ..llama.modeling_llama import LlamaMLP


            class {cased}MLP(LlamaMLP):
                pass
            """)


INIT = """\
    def __init__(self, config):
        nn.Module.__init__(self)
        self.config = config
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size)
        self.act_fn = nn.SiLU()
"""
FORWARD = """\
    def forward(self, x):
        x = self.up_proj(x)
        x = self.act_fn(x)
        return self.down_proj(x)
"""


def test_two_models_do_not_inherit_from_each_other(tmp_path, monkeypatch):
    """Of two models without children, the first by its name is the parent."""
    model = "from torch import nn\n\n\nclass {}MLP(nn.Module):\n" + INIT.replace(
        "nn.Module.", "super()."
    ).replace("(self)", "()")
    files = {
        f"models/{name}/modular_{name}.py": model.format(name.title()) + FORWARD
        for name in ("ant", "bee")
    }
    write_project(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    assert runner.invoke(main, ["convert", "--no-cache"]).exit_code == 0
    done = runner.invoke(main, ["infer", "--improve", "--no-cache", "--write"])
    assert "models/ant/modular_ant.py: nothing more could" in done.stdout
    assert "models/bee/modular_bee.py: 5 lines instead of 1" in done.stdout
    assert runner.invoke(main, ["check", "--no-cache"]).exit_code == 0


def test_an_edit_with_a_new_finding_is_not_proposed(improve):
    """Behind the call of the parent's method its local variable `x` would be read."""
    done = improve("""
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            def forward(self, x):
                x = self.up_proj(x)
                x = self.act_fn(x)
                y = self.down_proj(x)
                return x + y
        """)
    assert "nothing more could be inherited" in done.stderr


COMMENTED = """\
from torch import nn

from ..llama.modeling_llama import LlamaMLP


class MyModelMLP(LlamaMLP):  # the MLP
    # Our activation is another one.
    def __init__(self, config):
        nn.Module.__init__(self)
        self.config = config
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size)
        self.act_fn = nn.SiLU()

    # See issue 12.
    def forward(self, x):
        x = self.up_proj(x)
        x = self.act_fn(x)
        return self.down_proj(x)

    # TODO: add dropout.
"""


def test_comments_above_and_beside_code_that_stays_are_kept(improve, tmp_path):
    text = COMMENTED.replace("nn.SiLU()", "nn.GELU()").replace(
        "    # See issue 12.\n", ""
    )
    assert improve(text, "--write").exit_code == 0
    assert (tmp_path / MODULAR).read_text(encoding="utf-8") == source("""
        from torch import nn

        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):  # the MLP
            # Our activation is another one.
            def __init__(self, config):
                super().__init__(config)
                self.act_fn = nn.GELU()

            # TODO: add dropout.
        """)


DIRECTIVE = """
    from ..llama.modeling_llama import LlamaMLP


    class MyModelMLP(LlamaMLP):
        def forward(self, x):  # modular: ignore[MOD455]
            x = self.up_proj(x)
            x = self.act_fn(x)
            return self.down_proj(x)
    """


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (
            source(DIRECTIVE),
            "5: more could be inherited without the comment `# modular: ignore[MOD455]`",
        ),
        (
            COMMENTED,
            "15: more could be inherited without the comment `# See issue 12.`",
        ),
        (
            "from torch import (\n    nn,  # layers\n)\n\nfrom ..llama.modeling_llama import LlamaMLP\n"
            f"\n\nclass MyModelMLP(LlamaMLP):\n{INIT}",
            "2: more could be inherited without the comment `# layers`",
        ),
    ],
    ids=["beside a method", "above a method", "beside an import"],
)
def test_code_with_a_comment_is_not_removed_and_the_comment_is_named(
    improve, tmp_path, text, note
):
    done = improve(text, "--write")
    assert done.exit_code == 0
    assert f"{MODULAR}:{note}" in done.stdout
    assert (tmp_path / MODULAR).read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    "end", ["\r\n", "\r"], ids=["windows line ends", "carriage returns"]
)
def test_line_ends_form_feeds_and_a_byte_order_mark_stay(tmp_path, monkeypatch, end):
    head = "\ufefffrom ..llama.modeling_llama import LlamaMLP\n\f\n\nclass MyModelMLP(LlamaMLP):\n"
    write_project(tmp_path, {LLAMA: source(PARENT)})
    modular = tmp_path / MODULAR
    modular.parent.mkdir()
    modular.write_bytes((head + FORWARD).replace("\n", end).encode())
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["infer", "--improve", "--no-cache", "--write"])
    assert done.exit_code == 0, done.output
    expected = f"{head}    pass\n".replace("\n", end).encode()
    assert modular.read_bytes() == expected


def test_a_file_that_was_saved_meanwhile_is_not_overwritten(tmp_path, monkeypatch):
    model = (
        "from ..llama.modeling_llama import LlamaMLP\n\n\nclass MyModelMLP(LlamaMLP):\n"
    )
    write_project(tmp_path, {LLAMA: source(PARENT), MODULAR: model + FORWARD})
    monkeypatch.chdir(tmp_path)
    saved = "# my new text\n"

    def save(phase: str, done: int, number: int) -> None:
        (tmp_path / MODULAR).write_text(saved, encoding="utf-8")

    options = Options(root=tmp_path, jobs=1, cache=False, progress=save)
    report = run_improve(["my_model"], write=True, options=options)
    assert (tmp_path / MODULAR).read_text(encoding="utf-8") == saved
    assert report.written == ()
    (problem,) = report.diagnostics
    assert problem.code is Problem.CANNOT_WRITE


def test_a_parent_with_a_syntax_error_is_an_ordinary_diagnostic(improve, tmp_path):
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            pass
        """
    assert improve(modular).exit_code == 0
    parent = source(PARENT).replace("def rotate(x):", "def rotate(x) ->:")
    (tmp_path / LLAMA).write_text(parent, encoding="utf-8")
    done = CliRunner().invoke(main, ["infer", "--improve", "my_model", "--no-cache"])
    assert done.exit_code == 1
    assert "error[MOD101]" in done.stderr
    assert "MOD111" not in done.output
