"""MOD408: names that generated code uses and does not define, and what to do about them."""

from pathlib import Path

import pytest

from modular.source.diagnostics import Diagnostic, Severity
from modular.source.edits import apply_edits
from tests.support import convert, source


SIGLIP = """
    class SiglipMLP:
        def forward(self, x):
            return x


    class SiglipNorm:
        def forward(self, x):
            return x


    def scale_siglip(x):
        return x * 2


    class SiglipBlock:
        plan = {"a": 1}

        def __init__(self, config, *sizes, bias=False, **kwargs):
            self.mlp = SiglipMLP()
    """
ACME = "models/acme/modular_acme.py"


def convert_acme(root: Path, modular: str) -> tuple[Diagnostic, ...]:
    siglip = source(SIGLIP)
    files = {
        "models/siglip/modeling_siglip.py": siglip,
        "models/llama/modeling_llama.py": siglip.replace("Siglip", "Llama"),
        ACME: modular,
    }
    return convert(root, files).diagnostics


@pytest.mark.parametrize(
    ("modular", "hint", "fixed"),
    [
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP
            from ..siglip.modeling_siglip import SiglipMLP


            class AcmeMLP(LlamaMLP):
                def __init__(self):
                    self.other = SiglipMLP()
            """,
            "`SiglipMLP` has no class in the generated files: define `class AcmeSiglipMLP(SiglipMLP): pass`, "
            "and write `AcmeSiglipMLP`",
            """
            from ..llama.modeling_llama import LlamaMLP
            from ..siglip.modeling_siglip import SiglipMLP


            class AcmeSiglipMLP(SiglipMLP):
                pass


            class AcmeMLP(LlamaMLP):
                def __init__(self):
                    self.other = AcmeSiglipMLP()
            """,
            id="the name belongs to a child of another parent",
        ),
        pytest.param(
            """
            from ..siglip.modeling_siglip import SiglipMLP, SiglipNorm


            # The norm.
            class AcmeNorm(SiglipNorm):
                def __init__(self):
                    self.first = SiglipMLP()
                    self.second = SiglipMLP()
            """,
            "`SiglipMLP` has no class in the generated files: define `class AcmeMLP(SiglipMLP): pass`, and write `AcmeMLP`",
            """
            from ..siglip.modeling_siglip import SiglipMLP, SiglipNorm


            class AcmeMLP(SiglipMLP):
                pass


            # The norm.
            class AcmeNorm(SiglipNorm):
                def __init__(self):
                    self.first = AcmeMLP()
                    self.second = AcmeMLP()
            """,
            id="no class of the name is generated",
        ),
        pytest.param(
            """
            from ..siglip.modeling_siglip import SiglipMLP, SiglipNorm


            class AcmeMLP(SiglipMLP):
                pass


            class AcmeNorm(SiglipNorm):
                def __init__(self):
                    self.first = SiglipMLP()
                    self.second = SiglipMLP()
            """,
            "`SiglipMLP` is called `AcmeMLP` in the generated files: write that",
            """
            from ..siglip.modeling_siglip import SiglipMLP, SiglipNorm


            class AcmeMLP(SiglipMLP):
                pass


            class AcmeNorm(SiglipNorm):
                def __init__(self):
                    self.first = AcmeMLP()
                    self.second = AcmeMLP()
            """,
            id="the child of the class has the name",
        ),
        pytest.param(
            """
            from ..siglip.modeling_siglip import SiglipBlock


            class AcmeBlock(SiglipBlock):
                def __init__(self, extra=None, bias=True, **super_kwargs):
                    super().__init__(**super_kwargs)
                    self.given = dict(**super_kwargs)
            """,
            "the parent's parameters are in the place of `**super_kwargs`: pass `config=config, **kwargs`",
            """
            from ..siglip.modeling_siglip import SiglipBlock


            class AcmeBlock(SiglipBlock):
                def __init__(self, extra=None, bias=True, **super_kwargs):
                    super().__init__(**super_kwargs)
                    self.given = dict(config=config, **kwargs)
            """,
            id="super_kwargs in a call",
        ),
    ],
)
def test_the_advice_removes_the_finding(
    tmp_path: Path, modular: str, hint: str, fixed: str
) -> None:
    text = source(modular)
    (diagnostic,) = convert_acme(tmp_path, text)
    assert (diagnostic.code.id, diagnostic.hint) == ("MOD408", hint)
    assert diagnostic.severity is Severity.ERROR
    assert apply_edits(text, diagnostic.fixes[0].edits) == source(fixed)
    assert convert_acme(tmp_path, source(fixed)) == ()


@pytest.mark.parametrize(
    ("modular", "hint"),
    [
        pytest.param(
            """
            from ..siglip.modeling_siglip import SiglipBlock


            class AcmeBlock(SiglipBlock):
                plan = {**SiglipBlock.plan, "b": 2}
            """,
            "write the value of `SiglipBlock.plan` out: the generated `AcmeBlock` does not inherit from `SiglipBlock`",
            id="an attribute of the parent in the body of the class",
        ),
        pytest.param(
            """
            from ..siglip.modeling_siglip import SiglipNorm, scale_siglip


            class AcmeNorm(SiglipNorm):
                def forward(self, x):
                    return scale_siglip(x)
            """,
            "define `scale_acme` in this file: a function or value whose name is changed is not copied",
            id="a function of the parent file",
        ),
        pytest.param(
            """
            from ..siglip.modeling_siglip import SiglipBlock


            class AcmeBlock(SiglipBlock):
                def __init__(self, config):
                    self.given = dict(**super_kwargs)
            """,
            "`**super_kwargs` is replaced only in the parameters of a method that overrides one: pass the arguments by their names",
            id="super_kwargs that is no parameter",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP, LlamaNorm
            from ..siglip.modeling_siglip import SiglipMLP, SiglipNorm


            class AcmeMLP(LlamaMLP):
                pass


            class AcmeNorm(SiglipNorm):
                def __init__(self):
                    self.other = SiglipMLP()
            """,
            "define a class that inherits from `SiglipMLP`, and use that",
            id="no name keeps the prefix",
        ),
    ],
)
def test_no_edit_is_offered_where_somebody_has_to_write_code(
    tmp_path: Path, modular: str, hint: str
) -> None:
    reported = convert_acme(tmp_path, source(modular))
    (diagnostic,) = [one for one in reported if one.code.id == "MOD408"]
    assert (diagnostic.hint, diagnostic.fixes) == (hint, ())


@pytest.mark.parametrize(
    ("method", "severity"),
    [
        ("def forward(self, x):\n        return missing(x)", Severity.ERROR),
        ("def forward(self, x=missing):\n        return x", Severity.ERROR),
        ("def forward(self, x: missing):\n        return x", Severity.WARNING),
        ('def forward(self, x: "missing"):\n        return x', Severity.WARNING),
        ("def forward(self, x: missing):\n        return missing", Severity.ERROR),
        (
            "def forward(self, x):\n        exec(x)\n        return missing",
            Severity.WARNING,
        ),
    ],
)
def test_only_a_certain_name_error_is_an_error(
    tmp_path: Path, method: str, severity: Severity
) -> None:
    text = (
        "from ..siglip.modeling_siglip import SiglipMLP\n\n\n"
        f"class AcmeMLP(SiglipMLP):\n    {method}\n"
    )
    (diagnostic,) = convert_acme(tmp_path, text)
    assert (diagnostic.code.id, diagnostic.severity) == ("MOD408", severity)


def test_a_name_in_a_quoted_annotation_is_not_written_over_the_line(
    tmp_path: Path,
) -> None:
    text = (
        "from ..siglip.modeling_siglip import SiglipMLP, SiglipNorm\n\n\n"
        "class AcmeMLP(SiglipMLP):\n    pass\n\n\n"
        "class AcmeNorm(SiglipNorm):\n"
        '    def forward(self, x: "SiglipMLP"):\n        return x\n'
    )
    (diagnostic,) = convert_acme(tmp_path, text)
    assert diagnostic.hint == (
        "`SiglipMLP` is called `AcmeMLP` in the generated files: write that"
    )
    assert diagnostic.fixes == ()
