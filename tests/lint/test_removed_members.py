"""Attributes that are removed, and still used (MOD402, MOD456)."""

from pathlib import Path

import pytest

from modular.source.diagnostics import Diagnostic
from tests.conftest import Flatten
from tests.reporting import LLAMA, OLMO, codes_and_places, diagnostics, lines, of_olmo
from tests.support import convert, source


CONFIGURATION = """
    from ...configuration_utils import PreTrainedConfig


    class LlamaConfig(PreTrainedConfig):
        model_type = "llama"
        mlp_bias: bool = False
        use_cache: bool = True

        def __init__(self):
            self.head_dim = 4
    """

BASE = """
    class PreTrainedConfig:
        use_cache: bool = False
    """

MODELING = """
    from torch import nn

    from .configuration_llama import LlamaConfig


    class LlamaMLP(nn.Module):
        def __init__(self, config: LlamaConfig):
            super().__init__()
            self.config = config
            self.up_proj = nn.Linear(4, 4, bias=config.mlp_bias)

        def forward(self, x):
            return x * self.config.head_dim, self.config.use_cache
    """


def found(
    tmp_path: Path,
    members: str,
    modeling: str = MODELING,
    mlp: str = "pass",
    base: str = BASE,
) -> list[tuple[str, int, str, int]]:
    """The codes and lines, and what is marked, with the line in the parent."""
    modular = (
        "from ..llama.configuration_llama import LlamaConfig\nfrom ..llama.modeling_llama import LlamaMLP\n\n\n"
        f"class OlmoConfig(LlamaConfig):\n    {members}\n\n\nclass OlmoMLP(LlamaMLP):\n    {mlp}\n"
    )
    files = {
        "configuration_utils.py": source(base),
        "models/llama/configuration_llama.py": source(CONFIGURATION),
        "models/llama/modeling_llama.py": source(modeling),
        "models/olmo/modular_olmo.py": modular,
    }
    result = convert(tmp_path, files)
    return [
        (
            diagnostic.code.id,
            diagnostic.place.line,
            diagnostic.place.text[
                diagnostic.place.column - 1 : diagnostic.place.column
                - 1
                + diagnostic.place.width
            ],
            diagnostic.related.line if diagnostic.related else 0,
        )
        for diagnostic in result.diagnostics
    ]


PARENT_WITH_BASE = lines("""
    from typing import TypedDict

    from torch import nn


    class LlamaKwargs(TypedDict, total=False):
        size: int


    class LlamaMLP(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.up_proj = nn.Linear(config.size, 4)

        def forward(self, x):
            return self.up_proj(x)

        def train(self, mode=True):
            return self
    """)


def find_problems(folder: Path, body: str, base: str = "LlamaMLP") -> list[Diagnostic]:
    """Give a class that inherits from a base of the parent file a body, or keywords and a body."""
    text = f"from ..llama.modeling_llama import {base}\n\n\nclass Olmo{base[5:]}({base}{lines(body)}"
    return list(diagnostics(folder, {LLAMA: PARENT_WITH_BASE, OLMO: text}))


def test_an_attribute_of_the_class(tmp_path: Path) -> None:
    assert found(tmp_path, "mlp_bias = AttributeError()") == [
        ("MOD456", 6, "mlp_bias", 10)
    ]


@pytest.mark.parametrize("other", ["# No mlp_bias.", "mlp_bias_rate = 1"])
def test_a_comment_or_a_longer_name_is_not_the_attribute(
    tmp_path: Path, other: str
) -> None:
    reported = found(tmp_path, f"{other}\n    mlp_bias = AttributeError()")
    assert ("MOD456", 7, "mlp_bias", 10) in reported


def test_an_attribute_that_a_method_sets(tmp_path: Path) -> None:
    members = (
        "def __init__(self):\n        super().__init__()\n        del self.head_dim"
    )
    assert found(tmp_path, members) == [("MOD456", 8, "head_dim", 13)]


@pytest.mark.parametrize(
    ("members", "mlp"),
    [
        ("use_cache = AttributeError()", "pass"),
        (
            "mlp_bias = AttributeError()\n    attribute_map = {'mlp_bias': 'bias'}",
            "pass",
        ),
        (
            "mlp_bias = AttributeError()\n\n    @property\n    def mlp_bias(self):\n        return 1",
            "pass",
        ),
        (
            "mlp_bias = AttributeError()",
            "def __init__(self, config: OlmoConfig):\n        nn.Module.__init__(self)",
        ),
        (
            "mlp_bias = AttributeError()",
            "def set(self, config: OlmoConfig):\n        config.mlp_bias = 1",
        ),
        (
            "mlp_bias = AttributeError()",
            'def ask(self, config):\n        return hasattr(config, "mlp_bias")',
        ),
    ],
)
def test_attributes_that_are_provided_or_not_read(
    tmp_path: Path, members: str, mlp: str
) -> None:
    assert "MOD456" not in [finding[0] for finding in found(tmp_path, members, mlp=mlp)]


WITHOUT_ANNOTATION = MODELING.replace("config: LlamaConfig", "config")


def test_the_only_configuration_of_the_model_needs_no_annotation(
    tmp_path: Path,
) -> None:
    reported = found(tmp_path, "mlp_bias = AttributeError()", WITHOUT_ANNOTATION)
    assert reported == [("MOD456", 6, "mlp_bias", 10)]


def test_a_function_that_makes_an_object_does_not_hide_the_configuration(
    tmp_path: Path,
) -> None:
    function = "\n\n    def build(config):\n        return LlamaMLP(config)\n    "
    modeling = WITHOUT_ANNOTATION.replace("return x *", "return build(1), x *")
    reported = found(tmp_path, "mlp_bias = AttributeError()", modeling + function)
    assert reported == [("MOD456", 6, "mlp_bias", 10)]


@pytest.mark.parametrize(
    "modeling",
    [
        pytest.param(
            MODELING.replace("return x *", "return OtherConfig, x *"),
            id="the annotation counts, not the other configurations",
        ),
        pytest.param(
            WITHOUT_ANNOTATION.replace("def __init__", "config = None\n\n        def __init__"),
            id="a class attribute without an annotation",
        ),
        pytest.param(
            MODELING.replace("return x *", "self.config.mlp_bias.width = 1; return x *"),
            id="only a part of the attribute is set",
        ),
        pytest.param(
            WITHOUT_ANNOTATION.replace("return x *", "return LlamaMLP.build(), x *"),
            id="a method of the class that gets no configuration",
        ),
        pytest.param(
            WITHOUT_ANNOTATION.replace("return x *", "return LlamaMLP.build(config), x *"),
            id="a method of the class that gets the configuration",
        ),
        pytest.param(
            WITHOUT_ANNOTATION.replace("return x *", "return LlamaMLP.table.add(other), x *"),
            id="a method of an attribute of the class",
        ),
        pytest.param(
            WITHOUT_ANNOTATION.replace(
                "class LlamaMLP",
                "def use(config):\n        return config.mlp_bias\n\n\n    class LlamaMLP",
            ).replace("return x *", "return use(1), x *"),
            id="a function reads it, too",
        ),
    ],
)  # fmt: skip
def test_a_class_that_always_has_the_configuration_is_reported(
    tmp_path: Path, modeling: str
) -> None:
    reported = found(tmp_path, "mlp_bias = AttributeError()", modeling)
    assert ("MOD456", "mlp_bias") in [(finding[0], finding[2]) for finding in reported]


@pytest.mark.parametrize(
    "modeling",
    [
        pytest.param(
            WITHOUT_ANNOTATION.replace(
                "bias=config.mlp_bias", "bias=config.mlp_bias if x is None else x"
            ),
            id="it is a default that may not be used",
        ),
        pytest.param(
            MODELING.replace("return x *", "self.config.mlp_bias = 1; return x *"),
            id="it is set",
        ),
        pytest.param(
            WITHOUT_ANNOTATION.replace(
                "def __init__", "config: OtherConfig\n\n        def __init__"
            ),
            id="the class attribute has another configuration",
        ),
        pytest.param(
            WITHOUT_ANNOTATION.replace(
                "return x *", "return OtherConfig, LlamaMLP(1), x *"
            ),
            id="another configuration is named",
        ),
        pytest.param(
            WITHOUT_ANNOTATION.replace(
                "return x *", "return LlamaMLP(self.config.vision), x *"
            ),
            id="a part of the configuration is passed on",
        ),
        pytest.param(
            WITHOUT_ANNOTATION.replace(
                "return x *", "return LlamaMLP.build(other_config), x *"
            ),
            id="another configuration is passed to a method of the class",
        ),
    ],
)
def test_a_class_whose_configuration_is_not_known(
    tmp_path: Path, modeling: str
) -> None:
    reported = found(tmp_path, "mlp_bias = AttributeError()", modeling)
    assert "MOD456" not in [finding[0] for finding in reported]


def test_a_base_that_cannot_be_read_may_provide_it(tmp_path: Path) -> None:
    base = "from nowhere import PreTrainedConfig\n"
    assert found(tmp_path, "mlp_bias = AttributeError()", base=base) == []


def test_deleted_attribute_still_read(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            def __init__(self, config):
                super().__init__(config)
                del self.up_proj
        """,
    )
    assert codes_and_places(reported) == [
        "MOD402 models/olmo/modular_olmo.py:6:9, models/llama/modeling_llama.py:12:16"
    ]
    assert "hint: override `forward`" in reported


def test_deleted_attribute_read_in_two_methods(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            def __init__(self, config):
                super().__init__(config)
                del self.up_proj

            def backward(self, x):
                return self.up_proj.weight
        """,
    )
    assert "still reads `self.up_proj`, in `forward` and `backward`" in reported


def test_what_is_not_still_read(tmp_path: Path) -> None:
    """Assigned again elsewhere, registered, asked for first, made a property, or provided by a base in the file."""
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaBase, LlamaMLP

        class OlmoBase(LlamaBase):
            pass

        class OlmoMLP(LlamaMLP):
            def __init__(self):
                super().__init__()
                del self.again
                del self.registered
                del self.asked
                del self.made
                del self.inherited
                del self.unread
                del local
                self.register_buffer("registered", None)

            def reset(self):
                self.again = 1

            @property
            def made(self):
                return 1
        """,
        lines("""
            class LlamaBase:
                def __init__(self):
                    self.inherited = 1

            class LlamaMLP(LlamaBase):
                def __init__(self):
                    self.again = 1
                    self.registered = 1
                    self.asked = 1
                    self.made = 1
                    self.inherited = 1
                    self.unread = 1
                    local = 1

                def forward(self):
                    if hasattr(self, "asked"):
                        return self.asked
                    return self.again, self.registered, self.made, self.inherited, self.local
            """),
    )
    assert reported == ""


def test_a_removed_method_that_a_base_has(tmp_path: Path) -> None:
    body = """
        ):

            def train(self, mode=True):
                raise AttributeError("not trained")

            def forward(self, x):
                return self.train().up_proj(x)
        """
    assert find_problems(tmp_path, body) == []


def test_a_removal_of_nothing_is_said_once(tmp_path: Path) -> None:
    body = """
        ):

            def prune(self):
                raise AttributeError("not pruned")

            def forward(self, x):
                return self.prune()
        """
    assert [diagnostic.code.id for diagnostic in find_problems(tmp_path, body)] == [
        "MOD403"
    ]


@pytest.mark.parametrize(
    ("method", "is_reported"),
    [
        ("def __init__(self):\n    super().__init__()\n    del self.size", True),
        # The base may have the method, too.
        ("width = 1\n\ndef grow(self):\n    raise AttributeError('none')", False),
    ],
)
def test_a_removed_member_of_a_class_with_an_unknown_base(
    flatten: Flatten, method: str, is_reported: bool
) -> None:
    parent = """
        from somewhere import Foreign


        class LlamaMLP(Foreign):
            def __init__(self):
                self.size = 3

            def grow(self):
                return 2

            def forward(self):
                return self.size + self.grow()
        """
    body = method.replace("\n", "\n    ")
    modular = (
        "from ..llama.modeling_llama import LlamaMLP\n\n\n"
        f"class MyModelMLP(LlamaMLP):\n    {body}\n"
    )
    found = [code for code, _ in flatten(modular, source(parent)).codes]
    assert found == ["MOD402"] * is_reported


def test_deleting_what_was_deleted_is_no_reading(tmp_path: Path) -> None:
    body = """
        ):
            def __init__(self, config):
                super().__init__(config)
                del self.up_proj

            def forward(self, x):
                del self.up_proj
                return x
        """
    assert find_problems(tmp_path, body) == []


def test_pythons_inheritance_removes_members_that_are_still_used_too(
    flatten_like_python: Flatten,
) -> None:
    done = flatten_like_python(
        """
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            def __init__(self):
                super().__init__()
                del self.act
        """,
        parent="""
        class LlamaMLP:
            def __init__(self):
                self.act = abs

            def forward(self, x):
                return self.act(x)
        """,
    )
    assert done.codes == [("MOD402", 7)]


@pytest.mark.parametrize(
    ("use", "codes"),
    [
        ("self.mlp.size", ["MOD402"]),
        ("self.mlp.size.real", ["MOD402"]),
        ("self.mlp.size_of()", []),
        ("self.other.size", []),
        ("[mlp.size for mlp in self.mlps]", ["MOD402"]),
        ("[mlp.size for mlp in self.other]", []),
        ("self.mlps[0].size", ["MOD402"]),
        ("self.other[0].size", []),
        ("(mlp := self.mlp) and mlp.size", ["MOD402"]),
        ("(mlp := self.mlp) and mlp.resize()", []),
    ],
)
@pytest.mark.parametrize("inheritance", ["python", "transformers"])
@pytest.mark.parametrize("base", ["", "(Base)"])
def test_a_removed_attribute_is_reported_if_an_owner_reads_it(
    tmp_path: Path, use: str, codes: list[str], inheritance: str, base: str
) -> None:
    parent = f"""
        class Base:
            def __init__(self):
                self.depth = 1


        class LlamaMLP{base}:
            def __init__(self):
                super().__init__()
                self.size = 3


        class LlamaLayer:
            def __init__(self):
                self.mlp: LlamaMLP = LlamaMLP()
                self.mlps = [LlamaMLP() for _ in range(2)]

            def forward(self):
                return {use}
        """
    modular = """
        from ..llama.modeling_llama import LlamaLayer, LlamaMLP


        class OlmoMLP(LlamaMLP):
            def __init__(self):
                super().__init__()
                del self.size

            def resize(self, size):
                return size


        class OlmoLayer(LlamaLayer):
            pass
        """
    files = {
        "pyproject.toml": f'[tool.modular]\ninheritance = "{inheritance}"\n',
        "models/llama/modeling_llama.py": source(parent),
        "models/olmo/modular_olmo.py": source(modular),
    }
    found = [diagnostic.code.id for diagnostic in convert(tmp_path, files).diagnostics]
    assert found == codes


DELETES_SIZE = """
    from ..llama.modeling_llama import LlamaLayer, LlamaMLP


    class MyModelMLP(LlamaMLP):
        def __init__(self):
            super().__init__()
            del self.size

        {member}


    class MyModelLayer(LlamaLayer):
        pass
    """


@pytest.mark.parametrize(
    ("base", "member", "is_reported"),
    [
        ("Base", "pass", True),
        ("Base", "def reset(self): self.size = 4", False),
        # A base whose code is not known may have the attribute.
        ("Foreign", "pass", False),
    ],
)
def test_a_removed_attribute_that_the_class_may_still_have_is_not_reported(
    flatten: Flatten, base: str, member: str, is_reported: bool
) -> None:
    parent = f"""
        from somewhere import Foreign


        class Base: ...


        class LlamaMLP({base}):
            def __init__(self):
                self.size = 3


        class LlamaLayer:
            def __init__(self):
                self.mlp = LlamaMLP()

            def forward(self):
                return self.mlp.size
        """
    modular = DELETES_SIZE.format(member=member)
    found = [code for code, _ in flatten(modular, parent).codes]
    assert found == ["MOD402"] * is_reported


@pytest.mark.parametrize(
    ("parent_member", "member", "is_reported"),
    [
        ("pass", "pass", True),
        ("def reset(self): self.size = 4", "pass", False),
        ("pass", "def reset(self): self.size = 4", False),
    ],
)
def test_an_attribute_whose_deletion_is_kept_is_reported_if_no_other_method_sets_it(
    flatten_like_python: Flatten, parent_member: str, member: str, is_reported: bool
) -> None:
    parent = f"""
        class Base:
            def __init__(self):
                self.depth = 1


        class LlamaMLP(Base):
            def __init__(self):
                super().__init__()
                self.size = 3

            {parent_member}


        class LlamaLayer:
            def __init__(self):
                self.mlp = LlamaMLP()

            def forward(self):
                return self.mlp.size
        """
    modular = DELETES_SIZE.format(member=member)
    found = [code for code, _ in flatten_like_python(modular, parent).codes]
    assert found == ["MOD402"] * is_reported


@pytest.mark.parametrize(
    ("lines", "is_reported"),
    [
        (["mlp = self.mlp", "mlp.size"], True),
        (["mlp: LlamaMLP = self.mlp", "mlp.size"], True),
        (["mlp = self.mlp", "mlp = self.other", "mlp.size"], False),
        (["mlp = self.other", "mlp.size", "mlp = self.mlp"], False),
        (["mlp = self.other(self.mlp)", "mlp.size"], False),
        (["for mlp in self.mlps:", "    mlp.size"], True),
        (["for i, mlp in enumerate(self.mlps[1:]):", "    mlp.size"], True),
        (["for mlp, i in zip(self.mlps, range(2)):", "    mlp.size"], True),
        (["mlps = self.mlps", "for mlp in mlps:", "    x = mlp", "    x.size"], True),
        (["for mlp in self.mlps:", "    mlp.resize()"], False),
        (["for mlp in self.other:", "    mlp.size"], False),
        (["mlp = self.mlps[0]", "mlp.size"], True),
        (["mlp = self.mlps[0](self)", "mlp.size"], False),
        (["mlp = self.mlp", "mlp.size = 4"], False),
        (["def inner(mlp):", "    mlp.size", "inner(self.other)", "self.mlp"], False),
    ],
)
def test_a_removed_attribute_is_reported_if_an_owner_reads_it_by_a_variable(
    flatten: Flatten, lines: list[str], is_reported: bool
) -> None:
    body = "\n                ".join(lines)
    parent = f"""
        class LlamaMLP:
            def __init__(self):
                self.size = 3


        class LlamaLayer:
            def __init__(self):
                self.mlp = LlamaMLP()
                self.mlps = [LlamaMLP() for _ in range(2)]

            def forward(self):
                {body}
        """
    done = flatten(
        """
        from ..llama.modeling_llama import LlamaLayer, LlamaMLP


        class MyModelMLP(LlamaMLP):
            def __init__(self):
                super().__init__()
                del self.size


        class MyModelLayer(LlamaLayer):
            pass
        """,
        parent=parent,
    )
    assert [code for code, _ in done.codes] == ["MOD402"] * is_reported


READ_FIRST = [
    ["if self.size is None:", "    self.size = 4"],
    ["self.size = self.size or 4"],
    ["self.size += 1"],
    ["if self.depth:", "    self.size += 1"],
    ["self.size.width = 4", "self.size = None"],
    ["self.width = [self.size]", "self.size = 4"],
]
SET_FIRST = [
    ["self.size = 4", "self.size += 1"],
    ["if self.depth:", "    self.size = 4", "self.depth += self.size"],
    ["self.size = getattr(self, 'size', 4)", "self.size += 1"],
    ["if not hasattr(self, 'size'):", "    self.size = 4", "self.size += 1"],
    ["try:", "    self.size += 1", "except AttributeError:", "    self.size = 4"],
    ["for self.size in range(3):", "    self.depth += self.size"],
    ["self.reset()", "self.size += 1"],
]


@pytest.mark.parametrize("method", ["__init__", "__post_init__", "grow"])
@pytest.mark.parametrize(
    ("body", "is_reported"),
    [(body, True) for body in READ_FIRST] + [(body, False) for body in SET_FIRST],
)
def test_a_removed_attribute_that_a_method_reads_before_it_sets_it_is_reported(
    flatten: Flatten, method: str, body: list[str], is_reported: bool
) -> None:
    methods = f"    def {method}(self):\n"
    methods += "".join(f"        {line}\n" for line in body)
    if "self.reset()" in body:
        methods += "\n    def reset(self):\n        self.size = 4\n"
    parent = f"class LlamaA:\n    size = 1\n    depth = 2\n\n{methods}"
    modular = """
        from ..llama.modeling_llama import LlamaA


        class MyModelA(LlamaA):
            size = AttributeError()
        """
    codes = [code for code, _ in flatten(modular, parent).codes]
    assert codes == ["MOD402"] * is_reported

    # Python fails at the same place if nothing sets the attribute.
    namespace: dict[str, type] = {}
    exec(parent.replace("    size = 1\n", ""), namespace)  # the text is above
    class_ = namespace["LlamaA"]
    fails = False
    try:
        getattr(class_(), method)()
    except AttributeError:
        fails = True
    assert fails is is_reported


@pytest.mark.parametrize(
    ("method", "body", "is_reported"),
    [
        ("__init__", ["self.depth = self.size"], True),
        ("__post_init__", ["self.depth = self.size"], True),
        # Other code may call `reset` before.
        ("grow", ["self.depth = self.size"], False),
        ("__init__", ["self.reset()", "self.depth = self.size"], False),
        ("__init__", ["super().__init__()", "self.depth = self.size"], False),
        ("__init__", ["setup(self)", "self.depth = self.size"], False),
        ("__init__", ["if not self:", "    return", "self.size.real"], False),
    ],
)
def test_a_new_object_reads_a_removed_attribute_before_other_methods_set_it(
    flatten: Flatten, method: str, body: list[str], is_reported: bool
) -> None:
    parent = "class LlamaA(Base):\n    size = 1\n\n    def reset(self):\n"
    parent += f"        self.size = 4\n\n    def {method}(self):\n"
    parent += "".join(f"        {line}\n" for line in body)
    modular = """
        from ..llama.modeling_llama import LlamaA


        class MyModelA(LlamaA):
            size = AttributeError()
        """
    base = "class Base:\n    pass\n\n\ndef setup(x):\n    x.reset()\n\n\n"
    codes = [code for code, _ in flatten(modular, base + parent).codes]
    assert codes == ["MOD402"] * is_reported


@pytest.mark.parametrize(
    ("statement", "is_reported"),
    [
        ("self.size = 1", False),
        ('setattr(self, "size", 1)', False),
        ("self.depth = 1", True),
        # It does not help the code that reads the attribute without looking for it.
        ('self.depth = hasattr(self, "size")', True),
    ],
)
def test_a_base_in_another_file_may_set_a_removed_attribute(
    flatten: Flatten, statement: str, is_reported: bool
) -> None:
    parent = """
        from ..base import Base


        class LlamaA(Base):
            size = 1

            def grow(self):
                self.size += 1
        """
    modular = """
        from ..llama.modeling_llama import LlamaA


        class MyModelA(LlamaA):
            size = AttributeError()
        """
    base = f"class Base:\n    def __init__(self):\n        {statement}\n"
    files = {"models/base.py": base}
    codes = [code for code, _ in flatten(modular, parent, files).codes]
    assert codes == ["MOD402"] * is_reported


@pytest.mark.parametrize(
    ("attribute_map", "is_reported"),
    [
        ('{"size": "width"}', False),
        ('dict(size="width")', False),
        ('{"depth": "size"}', True),
    ],
)
def test_a_removed_attribute_that_is_mapped_to_another_is_not_reported(
    flatten: Flatten, attribute_map: str, is_reported: bool
) -> None:
    parent = """
        class LlamaA:
            size = None
            width = 4

            def __post_init__(self):
                if self.size is None:
                    self.size = 4
        """
    modular = f"""
        from ..llama.modeling_llama import LlamaA


        class MyModelA(LlamaA):
            attribute_map = {attribute_map}
            size = AttributeError()
        """
    codes = [code for code, _ in flatten(modular, parent).codes]
    assert ("MOD402" in codes) is is_reported
