"""MOD441 and MOD442: a `model_type` that is not the folder, and configurations that nobody makes."""

from pathlib import Path

import pytest

from modular.source.diagnostics import Problem
from tests.support import Converted, convert


CONFIGURATION = 'class LlamaConfig:\n    model_type = "llama"\n\n\nclass LlamaVisionConfig:\n    model_type = "llama_vision"\n'
MODELING = (
    "from .configuration_llama import LlamaConfig\n\n\nclass LlamaMLP:\n    config: LlamaConfig\n\n\n"
    "class LlamaNorm:\n    eps = 1\n"
)
OF_CONFIGURATION = (
    "from ..llama.configuration_llama import LlamaConfig, LlamaVisionConfig\n"
)
OF_MODELING = "from ..llama.modeling_llama import LlamaMLP, LlamaNorm\n"


def converted(
    tmp_path: Path, model: str, text: str, files: dict[str, str] | None = None
) -> Converted:
    """Convert a modular file; that it imports more than it uses does not matter."""
    report = convert(
        tmp_path,
        {
            "models/llama/configuration_llama.py": CONFIGURATION,
            "models/llama/modeling_llama.py": MODELING,
            f"models/{model}/modular_{model}.py": text,
            **(files or {}),
        },
    )
    return Converted(
        report.files,
        tuple(
            diagnostic
            for diagnostic in report.diagnostics
            if diagnostic.code is not Problem.UNUSED_IMPORT
        ),
    )


def test_a_casing_that_gives_another_model_type(tmp_path: Path) -> None:
    result = converted(
        tmp_path,
        "my_llm",
        f"{OF_CONFIGURATION}\n\nclass MyLLMConfig(LlamaConfig):\n    pass\n",
    )
    assert 'model_type = "my_l_l_m"' in result.only
    (warning,) = result.diagnostics
    assert (
        warning.code.id,
        warning.place.line,
        warning.place.column,
        warning.place.width,
    ) == ("MOD441", 4, 7, 11)
    assert warning.message == (
        "renaming sets the `model_type` of `MyLLMConfig` to 'my_l_l_m', but the model is called 'my_llm'"
    )
    assert warning.hint.startswith('write `model_type = "my_llm"`')


@pytest.mark.parametrize(
    "text",
    [
        'class MyLLMConfig(LlamaConfig):\n    model_type = "my_llm"\n',
        'class MyLLMConfig(LlamaConfig):\n    model_type = "my-llm"\n',
        "class MyLlmConfig(LlamaConfig):\n    pass\n",
        "class MyLlmVisionConfig(LlamaVisionConfig):\n    pass\n",
        "class MyLlmTextConfig(LlamaConfig):\n    pass\n",
    ],
)
def test_model_types_of_the_model_and_its_parts(tmp_path: Path, text: str) -> None:
    assert converted(tmp_path, "my_llm", f"{OF_CONFIGURATION}\n\n{text}").codes == []


def test_a_part_may_keep_the_model_type_of_its_parent(tmp_path: Path) -> None:
    part = 'class MyLlmTextConfig(LlamaConfig):\n    model_type = "llama"\n'
    main = 'class MyLlmConfig(LlamaVisionConfig):\n    model_type = "my_llm"\n'
    for text, is_reported in ((part, True), (f"{part}\n\n{main}", False)):
        result = converted(tmp_path, "my_llm", f"{OF_CONFIGURATION}\n\n{text}")
        assert ("MOD441" in [code for code, _ in result.codes]) == is_reported


def test_an_attribute_of_another_class_needs_no_annotation(tmp_path: Path) -> None:
    """Those of a configuration are fields: without an annotation they would be none."""
    files = {
        "models/llama/modeling_llama.py": "class LlamaNorm:\n    eps: float = 1\n",
        "models/llama/configuration_llama.py": "class LlamaConfig:\n    eps: float = 1\n",
    }
    text = (
        "from ..llama.configuration_llama import LlamaConfig\nfrom ..llama.modeling_llama import LlamaNorm\n\n\n"
        "class OlmoConfig(LlamaConfig):\n    eps = 2\n\n\nclass OlmoNorm(LlamaNorm):\n    eps = 2\n"
    )
    assert converted(tmp_path, "olmo", text, files).codes == [("MOD443", 6)]


def test_a_configuration_that_is_missing(tmp_path: Path) -> None:
    result = converted(
        tmp_path, "olmo", f"{OF_MODELING}\n\nclass OlmoMLP(LlamaMLP):\n    pass\n"
    )
    (warning,) = result.diagnostics
    assert (warning.code.id, warning.place.line, warning.place.column) == (
        "MOD442",
        4,
        7,
    )
    assert warning.message == (
        "`models/olmo/modeling_olmo.py` imports `OlmoConfig` from `.configuration_olmo`, which no modular file generates"
    )
    assert (
        warning.hint == "define `OlmoConfig`, or write `configuration_olmo.py` by hand"
    )
    assert warning.is_error
    assert warning.related is not None
    assert (warning.related.path, warning.related.line) == (
        "models/llama/modeling_llama.py",
        5,
    )


def test_a_configuration_that_is_misnamed(tmp_path: Path) -> None:
    text = (
        f"{OF_CONFIGURATION}{OF_MODELING}\n\nclass OlmConfig(LlamaConfig):\n    pass\n\n\n"
        "class OlmoMLP(LlamaMLP):\n    pass\n"
    )
    result = converted(tmp_path, "olmo", text)
    assert result.codes == [("MOD441", 5), ("MOD442", 9)]
    assert (
        "imports `OlmoConfig` from `.configuration_olmo`, which has no such class"
        in str(result.messages)
    )
    assert "define `OlmoConfig`; did you mean `OlmConfig`?" in [
        diagnostic.hint for diagnostic in result.diagnostics
    ]


def test_an_import_of_ones_own(tmp_path: Path) -> None:
    text = f"{OF_MODELING}from .configuration_olmo import OlmoConfig\n\n\nclass OlmoNorm(LlamaNorm):\n    config: OlmoConfig\n"
    assert converted(tmp_path, "olmo", text).codes == [("MOD442", 2)]


@pytest.mark.parametrize(
    ("helpers", "codes"),
    [
        ("class OlmoMixin:\n    pass\n", ["MOD442"]),
        ("class OlmoMixins:\n    pass\n", []),
        ("from .parts import *\n", []),
        ("if True:\n    from .parts import OlmoMixins\n", []),
        ("def __getattr__(name):\n    return object\n", []),
        ("globals()['Olmo' + 'Mixins'] = object\n", []),
    ],
)
def test_a_file_of_ones_own_must_define_what_is_imported(
    tmp_path: Path, helpers: str, codes: list[str]
) -> None:
    text = f"{OF_MODELING}from .helpers import OlmoMixins\n\n\nclass OlmoNorm(LlamaNorm, OlmoMixins):\n    pass\n"
    files = {
        "models/olmo/helpers.py": helpers,
        "models/olmo/parts.py": "from ...utils import *\n",
    }
    result = converted(tmp_path, "olmo", text, files)
    assert [code for code, _ in result.codes] == codes
    for finding in result.diagnostics:
        assert finding.is_error
        assert finding.hint == "did you mean `OlmoMixin`?"


@pytest.mark.parametrize(
    ("import_", "codes"),
    [
        ("from ...layers import Bock", [("MOD442", 2)]),
        ("from ...layers import Block", []),
        ("from ...layers import *", []),
        ("from ...elsewhere import Bock", []),
        (
            "try:\n    from ...layers import Bock\nexcept ImportError:\n    Bock = None",
            [],
        ),
    ],
)
def test_a_name_that_another_file_of_the_project_lacks(
    tmp_path: Path, import_: str, codes: list[tuple[str, int]]
) -> None:
    text = f"{OF_MODELING}{import_}\n\n\nclass OlmoNorm(LlamaNorm):\n    size = [Bock, Block]\n"
    files = {"layers.py": "class Block:\n    pass\n"}
    result = converted(tmp_path, "olmo", text, files)
    assert [found for found in result.codes if found[0] == "MOD442"] == codes


LAZY = "import sys\n\nsys.modules[__name__] = object()\n"


@pytest.mark.parametrize(
    ("import_", "package", "is_found"),
    [
        ("from ..nothing import Block", "", True),
        ("from ..llama import Block", "", True),
        ("from ..llama import Block", "from .blocks import Block\n", False),
        ("from ..llama import Block", LAZY, False),
        ("from ..llama import blocks as Block", "", False),
    ],
)
def test_a_folder_of_a_model_that_does_not_exist_or_lacks_a_name(
    tmp_path: Path, import_: str, package: str, is_found: bool
) -> None:
    text = f"{OF_MODELING}{import_}\n\n\nclass OlmoNorm(LlamaNorm):\n    size = Block\n"
    files = {
        "models/__init__.py": "",
        "models/llama/__init__.py": package,
        "models/llama/blocks.py": "class Block:\n    pass\n",
    }
    result = converted(tmp_path, "olmo", text, files)
    assert ("MOD442" in [code for code, _ in result.codes]) == is_found
    assert any(finding.is_error for finding in result.diagnostics) == is_found


GUARDED = """\
from ...utils import is_vision_available


if is_vision_available():
    from .image_processing_llama import resize


class LlamaProcessor:
    size = resize(2)
"""
OF_GUARDED = "from ..llama.processing_llama import LlamaProcessor\n\n\nclass OlmoProcessor(LlamaProcessor):\n    pass\n"


def test_a_guarded_import(tmp_path: Path) -> None:
    result = converted(
        tmp_path, "olmo", OF_GUARDED, {"models/llama/processing_llama.py": GUARDED}
    )
    message = "`models/olmo/processing_olmo.py` imports `resize` from `.image_processing_olmo`, which no modular file generates"
    assert result.messages == [f"MOD442 line 4: {message}"]
    assert not result.diagnostics[0].is_error


def test_a_guarded_import_that_may_fail(tmp_path: Path) -> None:
    parent = GUARDED.replace("if is_vision_available():", "try:").replace(
        "import resize\n", "import resize\nexcept ImportError:\n    resize = None\n"
    )
    result = converted(
        tmp_path, "olmo", OF_GUARDED, {"models/llama/processing_llama.py": parent}
    )
    assert (
        "    from .image_processing_olmo import resize\nexcept ImportError:\n"
        in result.only
    )
    assert result.messages == []


@pytest.mark.parametrize(
    "source_of_names",
    [
        "from .parts import *",
        "from ...utils import old\n\n\n__getattr__ = old(__name__, remove={'OlmoOldConfig': 'v6'})",
    ],
)
def test_a_module_that_may_have_the_name_is_no_error(
    tmp_path: Path, source_of_names: str
) -> None:
    text = (
        f"{OF_CONFIGURATION}{OF_MODELING}{source_of_names}\n\n\n"
        "class OlmConfig(LlamaConfig):\n    pass\n\n\n"
        "class OlmoMLP(LlamaMLP):\n    pass\n"
    )
    files = {"models/olmo/parts.py": ""}
    result = converted(tmp_path, "olmo", text, files)
    (finding,) = [d for d in result.diagnostics if d.code.id == "MOD442"]
    assert not finding.is_error


def test_a_folder_without_init_has_modules(tmp_path: Path) -> None:
    text = "from .layers import mlp\n\n\nclass OlmoNorm:\n    size = mlp.SIZE\n"
    files = {"models/olmo/layers/mlp.py": "SIZE = 1\n"}
    assert converted(tmp_path, "olmo", text, files).codes == []


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("class OlmoNorm(LlamaNorm):\n    pass\n", {}),
        (
            "class OlmoConfig(LlamaConfig):\n    pass\n\n\nclass OlmoMLP(LlamaMLP):\n    pass\n",
            {},
        ),
        (
            "class OlmoMLP(LlamaMLP):\n    pass\n",
            {"models/olmo/configuration_olmo.py": "class OlmoConfig:\n    pass\n"},
        ),
    ],
)
def test_configurations_that_somebody_makes(
    tmp_path: Path, text: str, files: dict[str, str]
) -> None:
    assert (
        converted(
            tmp_path, "olmo", f"{OF_CONFIGURATION}{OF_MODELING}\n\n{text}", files
        ).codes
        == []
    )


@pytest.mark.parametrize(
    "parent",
    [
        pytest.param(
            "def read(x):\n    return LlamaConfig(x)\n\n\n"
            "class LlamaMLP:\n    def forward(self, x):\n        return read(x)\n",
            id="a function of the parent file uses it",
        ),
        pytest.param(
            'class LlamaMLP:\n    def forward(self, config: "LlamaConfig"):\n'
            "        return 1\n",
            id="an annotation in quotes uses it",
        ),
    ],
)
def test_a_missing_configuration_is_reported_at_the_import_of_the_parent_file(
    tmp_path: Path, parent: str
) -> None:
    text = f"import torch\n{OF_MODELING}\n\nclass OlmoMLP(LlamaMLP):\n    size = torch.float\n"
    files = {
        "models/llama/modeling_llama.py": "from .configuration_llama import LlamaConfig\n\n\n"
        f"{parent}\n\nclass LlamaNorm:\n    size = 1\n"
    }
    assert converted(tmp_path, "olmo", text, files).codes == [("MOD442", 2)]


def test_an_installed_package_is_imported_beside_a_source_folder_that_is_a_package(
    tmp_path: Path,
) -> None:
    files = {
        "pyproject.toml": '[tool.modular]\nmodels = ["src/lib/models"]\n',
        "src/__init__.py": "",
        "src/lib/__init__.py": "",
        "src/lib/models/llama/modeling_llama.py": "class LlamaMLP:\n    size = 1\n",
        "src/lib/models/olmo/modular_olmo.py": (
            "import torch\nfrom dataclasses import field\n\n"
            "from ..llama.modeling_llama import LlamaMLP\n\n\n"
            "class OlmoMLP(LlamaMLP):\n    size = torch.ones, field\n"
        ),
    }
    assert convert(tmp_path, files).diagnostics == ()
