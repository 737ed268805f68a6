"""MOD481: inherited code that calls what the modular file replaces."""

from pathlib import Path

import pytest

from tests.support import convert, source


PARENT = source("""
    class LlamaLayer:
        def embed(self, x, scale, *, bias=None):
            return x, scale

        def forward(self, x):
            return self.embed(x, 2, bias=x)

        def unpack(self, x):
            {targets} = self.embed(x, 3)
            return a
""")


def find_codes(tmp_path: Path, member: str, targets: str = "a, b") -> list[str]:
    """Return the codes of the findings about a class with one member."""
    files = {
        "models/llama/modeling_llama.py": PARENT.format(targets=targets),
        "models/olmo/modular_olmo.py": (
            "from ..llama.modeling_llama import LlamaLayer\n\n\n"
            f"class OlmoLayer(LlamaLayer):\n    {member}\n"
        ),
    }
    return [diagnostic.code.id for diagnostic in convert(tmp_path, files).diagnostics]


@pytest.mark.parametrize(
    ("parameters", "codes"),
    [
        ("self, x", ["MOD481"]),
        ("self, x, scale", ["MOD481"]),
        ("self, x, scale, bias, extra", ["MOD481"]),
        ("self, x, scale, bias=None, extra=0", []),
        ("self, x, **super_kwargs", []),
    ],
)
def test_inherited_calls_must_suit_the_new_parameters(
    tmp_path: Path, parameters: str, codes: list[str]
) -> None:
    member = f"def embed({parameters}):\n        return x, x"
    assert find_codes(tmp_path, member) == codes


@pytest.mark.parametrize(
    ("decorator", "first", "codes"),
    [
        ("classmethod", "cls, ", ["MOD481"]),
        ("staticmethod", "", ["MOD481"]),
        ("other", "self, ", []),
    ],
)
def test_inherited_calls_of_a_method_of_the_class_must_suit_it(
    tmp_path: Path, decorator: str, first: str, codes: list[str]
) -> None:
    parent = source(f"""
        from ..tools import other


        class LlamaScale:
            @{decorator}
            def make({first}x):
                return x


        class LlamaLayer:
            def forward(self, x):
                return LlamaScale.make(x)
        """)
    imported = "from ..tools import other\n" if decorator == "other" else ""
    modular = imported + source(f"""
        from ..llama.modeling_llama import LlamaLayer, LlamaScale


        class OlmoScale(LlamaScale):
            @{decorator}
            def make({first}x, y):
                return x, y


        class OlmoLayer(LlamaLayer):
            depth = 1
        """)
    files = {
        "models/tools.py": "def other(f):\n    return f\n",
        "models/llama/modeling_llama.py": parent,
        "models/olmo/modular_olmo.py": modular,
    }
    found = convert(tmp_path, files).diagnostics
    assert [diagnostic.code.id for diagnostic in found] == codes


@pytest.mark.parametrize("returned", ["int", "tuple[int, int]"])
def test_a_required_parameter_above_the_returned_type_is_reported(
    tmp_path: Path, returned: str
) -> None:
    parameters = "self, x, scale, *, bias=None, extra"
    member = f"def embed({parameters}) -> {returned}:\n        return x, x"
    assert find_codes(tmp_path, member) == ["MOD481"]


@pytest.mark.parametrize(
    ("value", "targets", "codes"),
    [
        ("x, x, x", "a, b", ["MOD481"]),
        ("x, x, x", "a, *b", []),
        ("(x, x, x)", "a, b", ["MOD481"]),
        ("(x)", "a, b", []),
        ("max(x, x, x)", "a, b", []),
        ("[x, x]", "a, b", []),
    ],
)
def test_inherited_code_must_unpack_as_many_values_as_are_returned(
    tmp_path: Path, value: str, targets: str, codes: list[str]
) -> None:
    member = f"def embed(self, x, scale, *, bias=None):\n        return {value}"
    assert find_codes(tmp_path, member, targets) == codes


PARTS = source("""
    class LlamaMLP:
        def {method}(self, x):
            return x


    class LlamaLayer:
        def __init__(self):
            self.mlp = LlamaMLP()

        def run(self, x):
            return {call}(x)
""")


@pytest.mark.parametrize(
    ("method", "call"),
    [
        ("forward", "self.mlp"),
        ("__call__", "self.mlp"),
        ("grow", "self.mlp.grow"),
        ("grow", "self.other.grow"),
    ],
)
@pytest.mark.parametrize("parameters", ["self, x, gate", "self, x, gate=0"])
def test_inherited_calls_of_other_objects_must_suit_the_new_parameters(
    tmp_path: Path, method: str, call: str, parameters: str
) -> None:
    modular = f"""
        from ..llama.modeling_llama import LlamaLayer, LlamaMLP


        class OlmoMLP(LlamaMLP):
            def {method}({parameters}):
                return x + gate


        class OlmoLayer(LlamaLayer):
            pass
        """
    files = {
        "models/llama/modeling_llama.py": PARTS.format(method=method, call=call),
        "models/olmo/modular_olmo.py": source(modular),
    }
    codes = [diagnostic.code.id for diagnostic in convert(tmp_path, files).diagnostics]
    is_reported = call != "self.other.grow" and parameters == "self, x, gate"
    assert codes == ["MOD481"] * is_reported


@pytest.mark.parametrize(
    ("loop", "is_reported"),
    [
        ("for mlp in self.mlps:\n    x = mlp(x, gate=1)", True),
        ("for mlp in self.mlps[:2]:\n    x = mlp.forward(x, gate=1)", True),
        ("for i, mlp in enumerate(self.mlps):\n    x = mlp(x, gate=i)", True),
        ("for mlp in self.others:\n    x = mlp(x, gate=1)", False),
        ("for mlp, x in zip(self.mlps, x):\n    x = mlp(x, gate=1)", False),
        ("for mlp in self.mlps:\n    x = mlp(x)", False),
    ],
)
def test_inherited_calls_in_a_loop_must_suit_the_new_parameters(
    tmp_path: Path, loop: str, is_reported: bool
) -> None:
    body = loop.replace("\n", "\n            ")
    parent = """
        class LlamaMLP:
            def forward(self, x, gate=0):
                return x


        class LlamaLayer:
            def __init__(self, config):
                self.mlps = list([LlamaMLP() for _ in range(config.size)])

            def run(self, x):
                {body}
                return x
        """
    modular = """
        from ..llama.modeling_llama import LlamaLayer, LlamaMLP


        class OlmoMLP(LlamaMLP):
            def forward(self, x):
                return 2 * x


        class OlmoLayer(LlamaLayer):
            pass
        """
    files = {
        "models/llama/modeling_llama.py": source(parent).format(body=body),
        "models/olmo/modular_olmo.py": source(modular),
    }
    codes = [diagnostic.code.id for diagnostic in convert(tmp_path, files).diagnostics]
    assert codes == ["MOD481"] * is_reported


@pytest.mark.parametrize("table", ['{{"mlp": {mlp}}}', "[{mlp}]", "repr({mlp})"])
@pytest.mark.parametrize(
    ("member", "is_reported"),
    [
        ("def __init__(self, config, index): pass", True),
        ("def __init__(self, config, index=0): pass", False),
        ("def forward(self, x, gate): return x", True),
        ("def forward(self, x, gate=0): return x", False),
    ],
)
def test_calls_of_a_class_in_a_table_must_suit_the_new_parameters(
    tmp_path: Path, table: str, member: str, is_reported: bool
) -> None:
    parent = """
        class LlamaMLP:
            def __init__(self, config):
                self.config = config

            def forward(self, x):
                return x


        LAYERS = {table}


        class LlamaLayer:
            def __init__(self, config):
                self.mlp = LAYERS[config.kind](config)

            def run(self, x):
                return self.mlp(x)
        """
    modular = f"""
        from ..llama.modeling_llama import LlamaLayer, LlamaMLP


        class OlmoMLP(LlamaMLP):
            {member}


        class OlmoLayer(LlamaLayer):
            pass
        """
    files = {
        "models/llama/modeling_llama.py": source(parent).format(
            table=table.format(mlp="LlamaMLP")
        ),
        "models/olmo/modular_olmo.py": source(modular),
    }
    codes = [diagnostic.code.id for diagnostic in convert(tmp_path, files).diagnostics]
    # `repr` returns no class.
    is_table = "repr" not in table
    assert codes == ["MOD481"] * (is_reported and is_table)


@pytest.mark.parametrize(
    ("use", "function", "codes"),
    [
        ("rotate(x)", "async def rotate(x): return x", ["MOD481"]),
        ("rotate(x)", "def rotate(x): yield x", ["MOD481"]),
        ("[y for y in rotate(x)]", "def rotate(x): yield x", []),
        ("map(rotate, x)", "def rotate(x, y): return x", ["MOD481"]),
        ("partial(rotate, x)", "def rotate(x, y): return x", ["MOD481"]),
        ("{'r': rotate}", "def rotate(): return 1", ["MOD481"]),
        ("map(rotate, x)", "def rotate(x, y=1): return x", []),
        ("map(rotate, x)", "async def rotate(x): return x", ["MOD481"]),
        ("map(rotate, x)", "def rotate(*x): return x", []),
        ("rotate.size", "def rotate(x, y): return x", []),
    ],
)
@pytest.mark.parametrize("inheritance", ["python", "transformers"])
def test_inherited_code_must_suit_a_function_that_replaces_another(
    tmp_path: Path, use: str, function: str, codes: list[str], inheritance: str
) -> None:
    parent = f"""
        from functools import partial


        def rotate(x):
            return [x]


        class LlamaLayer:
            def forward(self, x):
                return {use}
        """
    files = {
        "pyproject.toml": f'[tool.modular]\ninheritance = "{inheritance}"\n',
        "models/llama/modeling_llama.py": source(parent),
        "models/olmo/modular_olmo.py": (
            "from ..llama.modeling_llama import LlamaLayer\n\n\n"
            f"{function}\n\n\nclass OlmoLayer(LlamaLayer):\n    pass\n"
        ),
    }
    found = [diagnostic.code.id for diagnostic in convert(tmp_path, files).diagnostics]
    assert found == codes


def test_the_result_of_a_replaced_coroutine_is_awaited(tmp_path: Path) -> None:
    parent = """
        async def rotate(x):
            return x


        class LlamaLayer:
            async def forward(self, x):
                return await rotate(x)
        """
    files = {
        "models/llama/modeling_llama.py": source(parent),
        "models/olmo/modular_olmo.py": (
            "from ..llama.modeling_llama import LlamaLayer\n\n\n"
            "def rotate(x):\n    return x\n\n\nclass OlmoLayer(LlamaLayer):\n    pass\n"
        ),
    }
    (finding,) = convert(tmp_path, files).diagnostics
    assert finding.message.endswith("calls `rotate` with `await`")
