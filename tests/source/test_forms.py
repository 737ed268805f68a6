"""Sources in every form that Python allows, converted: the parent file in one form, the modular file in another."""

import pytest

from tests.conftest import MODULAR, PARENT
from tests.support import convert, source


MODELING = "models/my_model/modeling_my_model.py"

LLAMA = source('''
    from torch import nn


    # About Llama.
    class LlamaMLP(nn.Module):
        """The MLP of Llama."""

        size = 1

        def __init__(self, config):
            super().__init__()
            self.up = nn.Linear(config.size, 4)
            if config.deep:
                self.down = nn.Linear(4, config.size)  # "Llama"

        def forward(self, x):
            return self.up(x)
''')

OWN = source("""
    from torch import nn

    from ..llama.modeling_llama import LlamaMLP


    class MyModelMLP(LlamaMLP):
        def __init__(self, config):
            super().__init__(config)
            self.up = nn.Identity()
            if config.größe:
                # The größe.
                self.größe = config.größe

        def new(self):
            return "größe 🚀"
""")

EXPECTED = source('''
    from torch import nn


    # About MyModel.
    class MyModelMLP(nn.Module):
        """The MLP of MyModel."""

        size = 1

        def __init__(self, config):
            super().__init__()
            self.up = nn.Identity()
            if config.deep:
                self.down = nn.Linear(4, config.size)  # "MyModel"
            if config.größe:
                # The größe.
                self.größe = config.größe

        def forward(self, x):
            return self.up(x)

        def new(self):
            return "größe 🚀"
''')


def reindented(text: str, step: str) -> str:
    """A text with another indent for each level."""
    lines = []
    for line in text.splitlines():
        bare = line.lstrip(" ")
        lines.append(step * ((len(line) - len(bare)) // 4) + bare)
    return "\n".join(lines) + "\n"


FORMS = {
    "plain": lambda text: text,
    "tabs": lambda text: reindented(text, "\t"),
    "two spaces": lambda text: reindented(text, "  "),
    "eight spaces": lambda text: reindented(text, " " * 8),
    "no final line end": lambda text: text.rstrip("\n"),
    "byte-order mark": lambda text: "\ufeff" + text,
    "form feeds": lambda text: text.replace("\n\n", "\n\f\n").replace(
        "\nclass", "\n\fclass"
    ),
    "blank lines at the end": lambda text: text + "\n\n\n",
    "blanks at line ends": lambda text: text.replace("\n", "  \n"),
}


@pytest.mark.parametrize("own", FORMS)
@pytest.mark.parametrize("parent", ["plain", "tabs", "two spaces", "form feeds"])
def test_forms(tmp_path, parent, own):
    files = {PARENT: FORMS[parent](LLAMA), MODULAR: FORMS[own](OWN)}
    assert convert(tmp_path, files).files == {MODELING: EXPECTED}


@pytest.mark.parametrize("newline", ["\r\n", "\n"])
def test_line_ends_are_those_of_the_modular_file(tmp_path, newline):
    other = {"\r\n": "\n", "\n": "\r\n"}[newline]
    files = {
        PARENT: LLAMA.replace("\n", other).encode(),
        MODULAR: OWN.replace("\n", newline).encode(),
    }
    convert(tmp_path, files)
    assert (tmp_path / MODELING).read_bytes().decode() == EXPECTED.replace(
        "\n", newline
    )


@pytest.mark.parametrize(
    "own",
    [
        "class MyModelMLP(LlamaMLP): pass",
        "class MyModelMLP(LlamaMLP): ...",
        "class MyModelMLP(LlamaMLP): pass  # nothing",
        "class MyModelMLP(LlamaMLP):\n    # nothing\n    pass",
        "class MyModelMLP( LlamaMLP , ) :\n\n    ...",
        "class MyModelMLP \\\n    (LlamaMLP) \\\n    : pass",
        "class MyModelMLP(  # why\n    LlamaMLP  # why not\n):\n    pass",
        "class MyModelMLP(LlamaMLP): pass; pass",
    ],
)
@pytest.mark.parametrize(
    "body",
    [": pass", ": ...", ":\n    pass", ":\n    # nothing\n    ...", "(Base): pass"],
)
def test_empty_classes(tmp_path, own, body):
    files = {
        PARENT: f"class LlamaMLP{body}\n",
        MODULAR: f"from ..llama.modeling_llama import LlamaMLP\n\n\n{own}\n",
    }
    bases = "(Base)" if "Base" in body else ""
    assert convert(tmp_path, files).only == f"class MyModelMLP{bases}:\n    pass\n"


def test_an_untouched_parent_class_is_the_renamed_parent(tmp_path):
    files = {
        PARENT: LLAMA,
        MODULAR: "from ..llama.modeling_llama import LlamaMLP\nclass MyModelMLP(LlamaMLP): pass",
    }
    assert convert(tmp_path, files).only == LLAMA.replace("Llama", "MyModel")


def test_a_parent_class_on_one_line(tmp_path):
    files = {
        PARENT: "class LlamaMLP(Base): size = 1; name = 'llama'\n",
        MODULAR: source("""
            from ..llama.modeling_llama import LlamaMLP
            class MyModelMLP(LlamaMLP):
                \tsize = 2
                \tdef f(self): return 3
        """),
    }
    assert convert(tmp_path, files).only == source("""
        class MyModelMLP(Base):
            size = 2
            name = "my_model"

            def f(self):
                return 3
    """)


def test_line_continuations(tmp_path):
    files = {
        PARENT: source("""
            from torch import nn, \\
                optim
            SIZE = \\
                1
            class LlamaMLP \\
                (nn.Module):
                size \\
                    = SIZE
                def forward(self, x): \\
                    return optim.step(x)
                def other(self, x) \\
                    -> int:
                    assert x, \\
                        "Llama"
                    return x
        """),
        MODULAR: source("""
            from ..llama.modeling_llama \\
                import LlamaMLP
            class MyModelMLP(LlamaMLP):
                def other(self, \\
                    x):
                    super() \\
                        .other(x)
                    x = \\
                        2
        """),
    }
    assert convert(tmp_path, files).only == source("""
        from torch import nn, optim


        SIZE = 1


        class MyModelMLP(nn.Module):
            size = SIZE

            def forward(self, x):
                return optim.step(x)

            def other(self, x) -> int:
                assert x, "MyModel"
                return x
                x = 2
    """)


def test_fstrings_with_quotes_inside(tmp_path):
    files = {
        PARENT: source("""
            class LlamaMLP:
                def forward(self, x):
                    y = f"{x["llama"]} llama: {f"{x.llama}"}"
                    return y
        """),
        MODULAR: source("""
            from ..llama.modeling_llama import LlamaMLP
            class MyModelMLP(LlamaMLP):
                def forward(self, x):
                    x = f'{x['}']}'
                    return super().forward(x)
        """),
    }
    assert convert(tmp_path, files, formatter="none").only == source("""
        class MyModelMLP:
            def forward(self, x):
                x = f'{x['}']}'
                y = f"{x["my_model"]} llama: {f"{x.my_model}"}"
                return y
    """)


def test_names_beyond_ascii(tmp_path):
    files = {
        PARENT: source("""
            größe_llama = "Llamaähnlich"


            class LlamaÄhnlich:
                länge = größe_llama
        """),
        MODULAR: source("""
            from ..llama.modeling_llama import LlamaÄhnlich


            class MyModelÄhnlich(LlamaÄhnlich):
                höhe = 1
        """),
    }
    assert convert(tmp_path, files).only == source("""
        größe_my_model = "MyModelähnlich"


        class MyModelÄhnlich:
            länge = größe_my_model
            höhe = 1
    """)


def test_a_match_with_brackets_behind_the_keyword(flatten):
    """What follows a semicolon in a case stays in it."""
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            def forward(self, x):
                b = 0
                match(x):
                    case 1:
                        a = 1; b = 2
                    case 2:
                        a = 2; b = 3
                return b
        """
    parent = """
        class LlamaMLP:
            def forward(self, x):
                return x
        """
    assert flatten(modular, parent, formatter="none").only == source("""
        class MyModelMLP:
            def forward(self, x):
                b = 0
                match(x):
                    case 1:
                        a = 1; b = 2
                    case 2:
                        a = 2; b = 3
                return b
        """)
