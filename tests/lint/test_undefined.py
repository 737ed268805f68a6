"""Names that generated code uses and does not define (MOD306, MOD408)."""

from pathlib import Path

import pytest

from modular.source.diagnostics import Diagnostic, Severity
from modular.source.edits import apply_edits
from tests.conftest import Flatten
from tests.reporting import OLMO, PARENT, codes_and_places, lines, of_olmo, report
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


PARENT_OF_BASES = """
    class LlamaMLP:
        def forward(self, x):
            return x
    """


@pytest.mark.parametrize(
    ("modular", "hint", "fixed"),
    [
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
            "write `AcmeMLP`, the name that `SiglipMLP` gets in the generated files",
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
            "copy the value of `SiglipBlock.plan`: the generated `AcmeBlock` does not inherit from `SiglipBlock`",
            id="an attribute of the parent in the body of the class",
        ),
        pytest.param(
            """
            from ..siglip.modeling_siglip import SiglipNorm, scale_siglip


            class AcmeNorm(SiglipNorm):
                def forward(self, x):
                    return scale_siglip(x)
            """,
            "define `scale_acme` in this file: functions and values are not copied if their name changes",
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
            id="the name belongs to a child of another parent",
        ),
        pytest.param(
            """
            from ..siglip.modeling_siglip import SiglipMLP, SiglipNorm


            class AcmeNorm(SiglipNorm):
                def __init__(self):
                    self.first = SiglipMLP()
            """,
            "no generated class replaces `SiglipMLP`: define `class AcmeMLP(SiglipMLP): pass`, and use `AcmeMLP`",
            id="no class of the name is generated",
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
        ("def forward(self, x: missing):\n        return x", Severity.ERROR),
        ("def forward(self, x) -> missing:\n        return x", Severity.ERROR),
        ("size: missing = 2", Severity.ERROR),
        ("def forward(self):\n        x: missing = 2", Severity.WARNING),
        ("def forward(self):\n        self.x: missing = 2", Severity.WARNING),
        (
            "def forward(self):\n        class Local:\n            x: missing = 2",
            Severity.ERROR,
        ),
        (
            "def forward(self):\n        def inner(x: missing):\n            return x",
            Severity.ERROR,
        ),
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


@pytest.mark.parametrize(
    ("package", "severity"),
    [
        pytest.param("lib.models", Severity.WARNING, id="the import is kept"),
        pytest.param("transformers.models", Severity.ERROR, id="upstream drops it"),
    ],
)
def test_a_lazy_annotation_is_no_error(
    tmp_path: Path, package: str, severity: Severity
) -> None:
    files = {
        "pyproject.toml": f'[tool.modular]\npackage = "{package}"\n',
        "models/siglip/modeling_siglip.py": source(SIGLIP),
        ACME: (
            "from __future__ import annotations\n\n"
            "from ..siglip.modeling_siglip import SiglipMLP\n\n\n"
            "class AcmeMLP(SiglipMLP):\n"
            "    def forward(self, x: missing):\n        return x\n"
        ),
    }
    (diagnostic,) = convert(tmp_path, files).diagnostics
    assert (diagnostic.code.id, diagnostic.severity) == ("MOD408", severity)


def test_a_name_is_an_error_if_one_of_its_uses_fails(tmp_path: Path) -> None:
    text = (
        "from ..siglip.modeling_siglip import SiglipMLP\n\n\n"
        "class AcmeMLP(SiglipMLP):\n"
        '    def forward(self, x: "missing"):\n        return x\n\n'
        "    def backward(self):\n        return missing\n"
    )
    (diagnostic,) = convert_acme(tmp_path, text)
    assert diagnostic.severity is Severity.ERROR


@pytest.mark.parametrize(
    ("statement", "severity"),
    [
        ("", Severity.ERROR),
        (
            "__getattr__ = old_names(__name__, remove={'AcmeNet': 'v6'})",
            Severity.WARNING,
        ),
    ],
)
def test_a_missing_export_is_an_error(
    tmp_path: Path, statement: str, severity: Severity
) -> None:
    text = (
        "from names import old_names\n"
        "from ..siglip.modeling_siglip import SiglipMLP\n\n\n"
        "class AcmeMLP(SiglipMLP):\n    pass\n\n\n"
        f"{statement}\n"
        '__all__ = ["AcmeMLP", "missing"]\n'
    )
    found = [d.severity for d in convert_acme(tmp_path, text) if d.code.id == "MOD408"]
    assert found == [severity]


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
        "write `AcmeMLP`, the name that `SiglipMLP` gets in the generated files"
    )
    assert diagnostic.fixes == ()


def test_undefined_name_in_the_modular_file(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP, LlamaModel

        class OlmoMLP(LlamaMLP):
            pass

        class OlmoModel(LlamaModel):
            def __init__(self, config):
                super().__init__(config)
                self.second = LlamaMLP(config)
                self.third = LlamaMLP(config)
        """,
    )
    assert codes_and_places(reported) == ["MOD408 models/olmo/modular_olmo.py:9:23"]
    assert "hint: write `OlmoMLP`" in reported


def test_undefined_name_in_the_parent(tmp_path: Path) -> None:
    parent = PARENT.replace(
        "return self.up_proj(x)", "return llama_gate(self.up_proj(x))"
    )
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            pass
        """,
        parent,
    )
    assert codes_and_places(reported) == [
        "MOD408 models/olmo/modular_olmo.py:3:7, models/llama/modeling_llama.py:12:9"
    ]
    assert "hint: import it or define it in `models/olmo/modular_olmo.py`" in reported


def test_undefined_name_in_code_that_came_along(tmp_path: Path) -> None:
    parent = PARENT.replace("return self.up_proj(x)", "return gate(self.up_proj(x))")
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaModel

        class OlmoModel(LlamaModel):
            pass
        """,
        parent,
    )
    assert codes_and_places(reported) == [
        "MOD408 models/olmo/modular_olmo.py:1:8, models/llama/modeling_llama.py:12:16"
    ]
    assert "hint: import it or define it in `models/olmo/modular_olmo.py`" in reported


@pytest.mark.parametrize("formatter", ["ruff", "black", "none"])
def test_undefined_names_are_found_whatever_the_formatter(
    tmp_path: Path, formatter: str
) -> None:
    settings = f'[tool.modular]\npreset = "transformers"\nmodels = ["models"]\nformatter = "{formatter}"\n[tool.ruff.lint]\nselect = ["I"]\n'
    modular = lines("""
        class OlmoMLP:
            def forward(self, x):
                return gate(x)
        """)
    answer = report(tmp_path, {"pyproject.toml": settings, OLMO: modular})
    assert answer.startswith("error[MOD408]: `gate` is not defined")


def test_undefined_name_that_is_meant(tmp_path: Path) -> None:
    modular = lines("""
        class OlmoMLP:
            def forward(self, x):
                return gate(x)  # noqa: F821
        """)
    assert report(tmp_path, {OLMO: modular}) == ""


def test_the_mark_is_under_the_word_and_not_in_another_one(tmp_path: Path) -> None:
    parent = "class LlamaMLP:\n    def inner(self):\n        self.inner = nn.LlamaLinear(nn)\n"
    reported = of_olmo(
        tmp_path,
        "from ..llama.modeling_llama import LlamaMLP\n\nclass OlmoMLP(LlamaMLP): pass\n",
        parent,
    )
    assert "used at models/llama/modeling_llama.py:3:22\n" in reported


@pytest.mark.parametrize(
    ("modular", "line", "column", "message"),
    [
        (
            "class MyModelMLP(LlamMLP):\n    pass\n",
            4,
            18,
            "`LlamMLP`, a base of `MyModelMLP`, is not defined anywhere",
        ),
        (
            "class MyModelMLP(LlamaMLP, mixins.Fast):\n    pass\n",
            4,
            28,
            "`mixins`, a base of `MyModelMLP`, is not defined anywhere",
        ),
        (
            "@fast(1)\nclass MyModelMLP(LlamaMLP):\n    pass\n",
            4,
            2,
            "`fast`, in a decorator of `MyModelMLP`, is not defined anywhere",
        ),
        (
            "class MyModelMLP(LlamaMLP):\n    @fast\n    def forward(self, x):\n        return x\n",
            5,
            6,
            "`fast`, in a decorator of `forward`, is not defined anywhere",
        ),
        (
            "@fast\ndef rotate(x):\n    return x\n\n\nclass MyModelMLP(LlamaMLP):\n    scale = rotate(1)\n",
            4,
            2,
            "`fast`, in a decorator of `rotate`, is not defined anywhere",
        ),
    ],
)
def test_what_is_nowhere(
    flatten: Flatten, modular: str, line: int, column: int, message: str
) -> None:
    flattened = flatten(
        f"from ..llama.modeling_llama import LlamaMLP\n\n\n{modular}", PARENT_OF_BASES
    )
    (problem,) = flattened.diagnostics
    assert (problem.code.id, problem.place.line, problem.place.column) == (
        "MOD306",
        line,
        column,
    )
    assert (
        problem.message
        == f"{message}: the generated `models/my_model/modeling_my_model.py` could not be imported"
    )
    assert flattened.files == {}


def test_what_the_parent_brings_stays_a_warning(flatten: Flatten) -> None:
    parent = "@fast\nclass LlamaMLP(Mixin):\n    pass\n"
    flattened = flatten(
        "from ..llama.modeling_llama import LlamaMLP\n\n\nclass MyModelMLP(LlamaMLP):\n    pass\n",
        parent,
    )
    assert {code for code, _ in flattened.codes} == {"MOD408"}
    assert len(flattened.files) == 1


def test_a_base_or_decorator_that_is_there(flatten: Flatten) -> None:
    flattened = flatten(
        """
        from functools import cache

        from torch import nn

        from ..llama.modeling_llama import LlamaMLP


        class Mixin(nn.Module):
            pass


        @cache
        def size():
            return 1


        class MyModelMLP(LlamaMLP, Mixin):
            @cache
            def forward(self, x):
                return x * size()
        """,
        PARENT_OF_BASES,
    )
    assert flattened.codes == []


@pytest.mark.parametrize(
    ("future", "annotation", "codes"),
    [
        ("", "Shelf", ["MOD408"]),
        ("", '"Shelf"', []),
        ("from __future__ import annotations\n", "Shelf", []),
    ],
)
def test_a_type_that_only_type_checkers_import_is_no_annotation(
    tmp_path: Path, future: str, annotation: str, codes: list[str]
) -> None:
    parent = source(f"""
        from __future__ import annotations

        from typing import TYPE_CHECKING


        if TYPE_CHECKING:
            from shelves import Shelf


        class LlamaMLP:
            def forward(self, x: {annotation}):
                return x
        """)
    child = "class OlmoMLP(LlamaMLP):\n    depth = 1\n"
    files = {
        "pyproject.toml": '[tool.modular]\ninheritance = "transformers"\n'
        'package = "models"\n',
        "models/llama/modeling_llama.py": parent,
        "models/olmo/modular_olmo.py": f"{future}from ..llama.modeling_llama import "
        f"LlamaMLP\n\n\n{child}",
    }
    found = convert(tmp_path, files).diagnostics
    assert [diagnostic.code.id for diagnostic in found] == codes


@pytest.mark.parametrize(
    ("base", "body", "hint"),
    [
        (
            "LlamaNorm[int]",
            "size = 1",
            "write `LlamaNorm` without type arguments: a parent class with type "
            "arguments is not flattened",
        ),
        (
            "LlamaNorm",
            "def same(self, x):\n        return isinstance(x, LlamaNorm)",
            "write `MyModelNorm`, the name that `LlamaNorm` gets in the generated files",
        ),
    ],
)
def test_a_parent_class_that_is_imported_is_not_called_undefined(
    flatten: Flatten, base: str, body: str, hint: str
) -> None:
    (finding,) = flatten(
        "from ..llama.modeling_llama import LlamaNorm\n\n\n"
        f"class MyModelNorm({base}):\n    {body}\n",
        "class LlamaNorm:\n    pass\n",
    ).diagnostics
    assert finding.code.id == "MOD408"
    assert finding.message == (
        "the generated `models/my_model/modeling_my_model.py` does not contain the "
        "parent class `LlamaNorm`"
    )
    assert finding.hint == hint


FUTURE = "from __future__ import annotations\n\n\n"
LAZY = (
    "write `from __future__ import annotations` in "
    "`models/my_model/modular_my_model.py`"
)
IN_QUOTES = "write the annotation in quotes"


@pytest.mark.parametrize(
    ("settings", "imports", "hints"),
    [
        ('preset = "transformers"', "", [IN_QUOTES]),
        ('package = "mine.models"\ninheritance = "transformers"', "", [LAZY]),
        ('package = "mine.models"\ninheritance = "transformers"', FUTURE, []),
        ('inheritance = "python"', "", []),
    ],
)
def test_a_class_that_annotates_itself_needs_lazy_annotations(
    flatten: Flatten, settings: str, imports: str, hints: list[str]
) -> None:
    result = flatten(
        f"{imports}from ..llama.modeling_llama import LlamaNorm\n\n\n"
        "class MyModelNorm(LlamaNorm):\n    size = 1\n",
        f"{FUTURE}class LlamaNorm:\n    def copy(self) -> LlamaNorm:\n        return self\n",
        {"pyproject.toml": f"[tool.modular]\n{settings}\n"},
    )
    assert [item.hint for item in result.diagnostics] == hints


@pytest.mark.parametrize(
    "statement",
    ["def f(x, y=LlamaMLP):\n        return x", "SIZES = [LlamaMLP.size]"],
)
def test_a_class_is_not_named_above_its_definition(
    flatten: Flatten, statement: str
) -> None:
    """Python reads defaults and values at once, so that the class is not defined yet."""
    converted = flatten(
        f"""
    from ..llama.modeling_llama import LlamaMLP


    {statement}


    class MyModelMLP(LlamaMLP):
        sizes = SIZES if f else None
    """,
        """
    class LlamaMLP:
        size = 1
    """,
    )
    hints = [item.hint for item in converted.diagnostics if "LlamaMLP" in item.message]
    assert hints == [
        "copy the code that you need from `LlamaMLP`: `MyModelMLP` is defined below "
        "this line"
    ]
