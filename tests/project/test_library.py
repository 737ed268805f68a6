"""Tests of the source library: where it is found, and parents from it."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from modular import Options, Status, check, convert
from modular.cli.main import main
from modular.settings.settings import SettingsError
from modular.source.diagnostics import Problem
from tests.support import source


PYPROJECT = """
[tool.modular]
models = ["src/young/models"]
package = "young.models"
source-library = "elder"
inheritance = "transformers"
formatter = "none"

[tool.modular.banner]
text = ""
"""

MODELING_OAK = source("""
    import torch
    from torch import nn

    from ... import initialization as init
    from ...image_utils import OAK_MEAN
    from ..auto.modeling_auto import AutoModel
    from .configuration_oak import OakConfig
    from .rings import count_rings


    class OakLeaf(nn.Module):
        def __init__(self, config: OakConfig):
            super().__init__()
            self.inner = AutoModel.from_config(config)
            self.mean = torch.tensor(OAK_MEAN)
            self.rings = count_rings(config)

        def reset(self):
            from ... import utils

            with utils.quiet():
                init.zeros_(self.mean)
""")

MODULAR_BIRCH = source("""
    from elder.models.oak.modeling_oak import OakLeaf

    from ..base.modeling_base import BaseHead


    class BirchLeaf(OakLeaf):
        pass


    class BirchHead(BaseHead):
        pass
""")

MODELING_BASE = source("""
    from torch import nn

    from ...layers import Linear
    from .configuration_base import BaseConfig


    class BaseHead(nn.Module):
        def __init__(self, config: BaseConfig):
            super().__init__()
            self.dense = Linear(config.hidden_size)
""")

MODELING_BIRCH = source("""
    import torch
    from torch import nn

    from elder import initialization as init
    from elder.image_utils import OAK_MEAN
    from elder.models.auto.modeling_auto import AutoModel
    from .configuration_birch import BirchConfig
    from elder.models.oak.rings import count_rings

    from ...layers import Linear


    class BirchLeaf(nn.Module):
        def __init__(self, config: BirchConfig):
            super().__init__()
            self.inner = AutoModel.from_config(config)
            self.mean = torch.tensor(OAK_MEAN)
            self.rings = count_rings(config)

        def reset(self):
            from elder import utils

            with utils.quiet():
                init.zeros_(self.mean)


    class BirchHead(nn.Module):
        def __init__(self, config: BirchConfig):
            super().__init__()
            self.dense = Linear(config.hidden_size)
""")


def write(folder, files):
    for path, text in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def library(folder):
    """Write the library `elder`, which nobody may import, into a folder."""
    write(
        folder / "elder",
        {
            "__init__.py": "raise RuntimeError('imported')\n",
            "models/oak/__init__.py": "raise RuntimeError('imported')\n",
            "models/oak/modeling_oak.py": MODELING_OAK,
        },
    )
    return folder / "elder"


def project(folder, pyproject=PYPROJECT):
    """Write the package `young`, whose model `birch` inherits from the library and from a model of its own."""
    write(
        folder,
        {
            "pyproject.toml": pyproject,
            "src/young/models/base/modeling_base.py": MODELING_BASE,
            "src/young/models/birch/modular_birch.py": MODULAR_BIRCH,
            "src/young/models/birch/configuration_birch.py": "class BirchConfig:\n    pass\n",
        },
    )
    return folder


def birch(root):
    return (root / "src/young/models/birch/modeling_birch.py").read_text(
        encoding="utf-8"
    )


def files_below(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(autouse=True)
def cache_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder in which packages are installed."""
    folder = tmp_path / "site"
    write(
        folder,
        {
            "elder-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: elder\nVersion: 1.0\n"
        },
    )
    monkeypatch.syspath_prepend(folder)
    return folder


def test_parents_come_from_an_installed_library(tmp_path, site):
    library(site)
    before = files_below(site)
    root = project(tmp_path / "young")
    report = convert(options=Options(root=root))
    assert report.diagnostics == ()
    assert birch(root) == MODELING_BIRCH
    reads = report.results["src/young/models/birch/modular_birch.py"].reads
    assert "elder/models/oak/modeling_oak.py" in reads
    assert files_below(site) == before
    assert "elder" not in sys.modules


def test_parents_come_from_a_library_that_is_installed_in_place(tmp_path, site):
    library(tmp_path / "checkout/src")
    url = (tmp_path / "checkout").as_uri()
    write(
        site,
        {
            "elder-1.0.dist-info/direct_url.json": json.dumps(
                {"url": url, "dir_info": {"editable": True}}
            )
        },
    )
    root = project(tmp_path / "young")
    assert convert(options=Options(root=root)).diagnostics == ()
    assert birch(root) == MODELING_BIRCH


@pytest.mark.parametrize("place", ["young/.venv", "young/own", "elsewhere"])
def test_parents_come_from_the_environment_of_the_project(tmp_path, monkeypatch, place):
    """modular may be installed elsewhere: `.venv` is known, and so is the one that is active."""
    root = project(tmp_path / "young")
    library(tmp_path / place / "lib/python3.12/site-packages")
    if not place.endswith(".venv"):
        monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / place))
    report = convert(options=Options(root=root))
    assert report.diagnostics == ()
    assert birch(root) == MODELING_BIRCH
    reads = report.results["src/young/models/birch/modular_birch.py"].reads
    assert "elder/models/oak/modeling_oak.py" in reads


def test_the_active_environment_comes_first(tmp_path, monkeypatch, site):
    library(site)
    root = project(tmp_path / "young")
    for place, name in (("young/.venv", "beside"), ("active", "active")):
        named = library(tmp_path / place / "lib/python3.12/site-packages")
        write(
            named,
            {
                "models/oak/modeling_oak.py": MODELING_OAK.replace(
                    "self.inner", f"self.{name}"
                )
            },
        )
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "active"))
    convert(options=Options(root=root))
    assert birch(root) == MODELING_BIRCH.replace("self.inner", "self.active")
    monkeypatch.delenv("VIRTUAL_ENV")
    convert(options=Options(root=root))
    assert birch(root) == MODELING_BIRCH.replace("self.inner", "self.beside")


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"url": 1}', '{"url": "file:///\\u0000"}', "[" * 100_000]
)
def test_a_damaged_installation_is_passed_over(tmp_path, text):
    root = project(tmp_path / "young")
    write(
        root,
        {
            ".venv/lib/python3.12/site-packages/elder-1.0.dist-info/direct_url.json": text
        },
    )
    assert [
        diagnostic.code.id
        for diagnostic in convert(options=Options(root=root)).diagnostics
    ] == ["MOD201"]


@pytest.mark.parametrize("folder", ["../elsewhere/elder", "third_party/elder"])
def test_parents_come_from_a_folder_that_the_settings_name(tmp_path, folder):
    root = project(tmp_path / "young", PYPROJECT.replace('"elder"', f'"{folder}"'))
    library((root / folder).parent)
    assert convert(options=Options(root=root)).diagnostics == ()
    assert birch(root) == MODELING_BIRCH


def test_the_option_takes_a_folder_from_where_the_command_stands(tmp_path, monkeypatch):
    library(tmp_path / "elsewhere")
    root = project(
        tmp_path / "young", PYPROJECT.replace('source-library = "elder"\n', "")
    )
    monkeypatch.chdir(tmp_path)
    assert (
        convert(
            options=Options(root=root, source_library="elsewhere/elder")
        ).diagnostics
        == ()
    )
    assert birch(root) == MODELING_BIRCH


def test_the_commands_have_the_option(tmp_path):
    library(tmp_path / "elsewhere")
    root = project(
        tmp_path / "young", PYPROJECT.replace('source-library = "elder"\n', "")
    )
    options = [
        "--root",
        str(root),
        "--source-library",
        str(tmp_path / "elsewhere/elder"),
    ]
    assert CliRunner().invoke(main, ["check", *options]).exit_code == 1
    assert CliRunner().invoke(main, ["convert", *options]).exit_code == 0
    assert birch(root) == MODELING_BIRCH
    assert CliRunner().invoke(main, ["check", *options]).exit_code == 0
    assert CliRunner().invoke(main, ["check", "--root", str(root)]).exit_code == 1


def test_the_option_may_name_the_project_s_own_package(tmp_path, site):
    library(site)
    settings = PYPROJECT.replace(
        'models = ["src/young/models"]\npackage = "young.models"\n', ""
    )
    root = project(tmp_path / "young", settings.replace('"elder"', '"transformers"'))
    modular = source("""
        from young.models.base.modeling_base import BaseHead


        class BirchHead(BaseHead):
            pass
    """)
    write(root, {"src/young/models/birch/modular_birch.py": modular})
    report = convert(options=Options(root=root, source_library="young"))
    assert report.diagnostics == ()
    assert birch(root) == source("""
        from torch import nn

        from ...layers import Linear
        from .configuration_birch import BirchConfig


        class BirchHead(nn.Module):
            def __init__(self, config: BirchConfig):
                super().__init__()
                self.dense = Linear(config.hidden_size)
    """)


def test_a_library_that_is_nowhere_is_wrong_use_on_the_command_line(tmp_path):
    root = project(tmp_path / "young")
    looked_in = f"in {root}, {root / '.venv'} and {sys.prefix}"
    with pytest.raises(
        SettingsError,
        match=f"no package `ancient` with a folder `models` was found {looked_in}",
    ):
        convert(options=Options(root=root, source_library="ancient"))


def test_a_library_that_is_nowhere_is_an_error_of_the_model(tmp_path):
    root = project(tmp_path / "young")
    report = convert(options=Options(root=root))
    found = [
        (
            diagnostic.code.id,
            diagnostic.place.path,
            diagnostic.place.line,
            diagnostic.message,
            diagnostic.hint,
        )
        for diagnostic in report.diagnostics
    ]
    assert found == [
        (
            "MOD201",
            "src/young/models/birch/modular_birch.py",
            1,
            "no parent file `elder/models/oak/modeling_oak.py`",
            f"`elder` is not in {root}, {root / '.venv'} and {sys.prefix}: install it, or name its folder in the setting "
            "`source-library`",
        )
    ]


def test_a_changed_library_makes_what_came_from_it_stale(tmp_path, site):
    folder = library(site)
    root = project(tmp_path / "young")
    convert(options=Options(root=root))
    assert check(options=Options(root=root)).is_clean
    write(
        folder,
        {
            "models/oak/modeling_oak.py": MODELING_OAK.replace(
                "count_rings(config)", "count_rings(config) + 1"
            )
        },
    )
    report = check(options=Options(root=root))
    assert [(file.path, file.status) for file in report.files] == [
        ("src/young/models/birch/modeling_birch.py", Status.STALE)
    ]


def test_the_library_s_own_table_says_how_its_models_are_spelled(tmp_path, site):
    folder = library(site)
    write(
        folder,
        {
            "models/auto/auto_mappings.py": 'CONFIG_MAPPING_NAMES = {"oak": "OAKConfig"}\n'
        },
    )
    write(
        folder,
        {
            "models/oak/modeling_oak.py": MODELING_OAK.replace(
                "OakLeaf", "OAKLeaf"
            ).replace("OakC", "OAKC")
        },
    )
    root = project(tmp_path / "young")
    write(
        root,
        {
            "src/young/models/birch/modular_birch.py": MODULAR_BIRCH.replace(
                "OakLeaf", "OAKLeaf"
            )
        },
    )
    assert convert(options=Options(root=root)).diagnostics == ()
    assert birch(root) == MODELING_BIRCH
    write(
        folder,
        {
            "models/auto/auto_mappings.py": 'CONFIG_MAPPING_NAMES = {"oak": "OakConfig"}\n'
        },
    )
    assert not check(options=Options(root=root)).is_clean


@pytest.mark.parametrize(
    "names",
    [
        {
            "models/oak/configuration_oak.py": 'class OAKConfig:\n    model_type = "oak"\n'
        },
        {
            "models/auto/auto_mappings.py": 'CONFIG_MAPPING_NAMES = {"oak": "OAKConfig"}\n'
        },
    ],
    ids=["a configuration class", "a table"],
)
def test_names_that_the_library_gets_later_count(tmp_path, site, names):
    """Until then its models are spelled as their folders are, and `OAKConfig` is no name of theirs that is renamed."""
    folder = library(site)
    write(
        folder,
        {
            "models/oak/modeling_oak.py": MODELING_OAK.replace(
                "OakLeaf", "OAKLeaf"
            ).replace("OakC", "OAKC")
        },
    )
    root = project(tmp_path / "young")
    write(
        root,
        {
            "src/young/models/birch/modular_birch.py": MODULAR_BIRCH.replace(
                "OakLeaf", "OAKLeaf"
            )
        },
    )
    options = Options(root=root)
    convert(options=options)
    check(options=options)
    write(folder, names)
    assert (
        check(options=options).files
        == check(options=replace(options, cache=False)).files
    )
    assert not check(options=options).is_clean


def test_guards_of_soft_dependencies_come_from_the_library(tmp_path, site):
    folder = library(site)
    parent = "import torch\n\n\nclass OakFeatureExtractor:\n    def pad(self):\n        return torch.zeros(1)\n"
    write(folder, {"models/oak/feature_extraction_oak.py": parent})
    root = project(tmp_path / "young")
    modular = source("""
        from elder.models.oak.feature_extraction_oak import OakFeatureExtractor


        class BirchFeatureExtractor(OakFeatureExtractor):
            pass
    """)
    write(root, {"src/young/models/birch/modular_birch.py": modular})
    assert convert(options=Options(root=root)).diagnostics == ()
    text = (root / "src/young/models/birch/feature_extraction_birch.py").read_text(
        encoding="utf-8"
    )
    assert text == source("""
        from elder.utils import is_torch_available
        if is_torch_available():
            import torch


        class BirchFeatureExtractor:
            def pad(self):
                return torch.zeros(1)
    """)


def test_the_hint_names_the_file_of_the_library(tmp_path: Path) -> None:
    """The class is in the library, and so is the module that the hint names, not in the project's own package."""
    library(tmp_path / "young/src")
    root = project(tmp_path / "young")
    modular = "from elder import OakLeaf\n\n\nclass BirchLeaf(OakLeaf):\n    pass\n"
    write(root, {"src/young/models/birch/modular_birch.py": modular})
    (problem,) = check(options=Options(root=root)).diagnostics
    assert problem.code is Problem.IMPORT_FROM_PACKAGE
    assert problem.hint == "write `from elder.models.oak.modeling_oak import OakLeaf`"


def test_a_model_inherits_from_the_transformers_that_is_installed(tmp_path):
    """No stand-in here: the parent is the file of the installed transformers, of which nothing is imported."""
    settings = PYPROJECT.replace('"elder"', '"transformers"').replace(
        '"none"', '"ruff"'
    )
    root = project(tmp_path / "young", settings)
    modular = source("""
        from transformers.models.llama.modeling_llama import LlamaRMSNorm


        class BirchRMSNorm(LlamaRMSNorm):
            pass
    """)
    write(root, {"src/young/models/birch/modular_birch.py": modular})
    report = convert(options=Options(root=root))
    assert report.diagnostics == ()
    assert birch(root) == source('''
        import torch
        from torch import nn
        from transformers.integrations import use_kernel_forward_from_hub


        @use_kernel_forward_from_hub("RMSNorm")
        class BirchRMSNorm(nn.Module):
            def __init__(self, hidden_size, eps: float = 1e-6) -> None:
                """
                BirchRMSNorm is equivalent to T5LayerNorm
                """
                super().__init__()
                self.weight = nn.Parameter(torch.ones(hidden_size))
                self.variance_epsilon = eps

            def forward(self, hidden_states: torch.Tensor) -> torch.Tensor:
                input_dtype = hidden_states.dtype
                hidden_states = hidden_states.to(torch.float32)
                variance = hidden_states.pow(2).mean(-1, keepdim=True)
                hidden_states = hidden_states * torch.rsqrt(variance + self.variance_epsilon)
                return self.weight * hidden_states.to(input_dtype)

            def extra_repr(self):
                return f"{tuple(self.weight.shape)}, eps={self.variance_epsilon}"
    ''')


def test_the_library_itself_has_no_source_library(tmp_path):
    """In a checkout of the library, absolute imports of its models are those of the checkout, and stay relative."""
    files = {
        "pyproject.toml": '[tool.modular]\nformatter = "none"\n[tool.modular.banner]\ntext = ""\n',
        "src/transformers/models/oak/modeling_oak.py": "from ...utils import one\n\n\nclass OakLeaf:\n    size = one\n",
        "src/transformers/models/birch/modular_birch.py": source("""
            from transformers.models.oak.modeling_oak import OakLeaf


            class BirchLeaf(OakLeaf):
                pass
        """),
    }
    write(tmp_path / "checkout", files)
    assert convert(options=Options(root=tmp_path / "checkout")).diagnostics == ()
    text = (
        tmp_path / "checkout/src/transformers/models/birch/modeling_birch.py"
    ).read_text(encoding="utf-8")
    assert text == "from ...utils import one\n\n\nclass BirchLeaf:\n    size = one\n"


@pytest.mark.parametrize("arguments", [[], ["--root", "."]])
def test_where_lists_the_lines_of_the_project_that_come_from_the_library(
    tmp_path, monkeypatch, arguments
):
    root = project(
        tmp_path / "young", PYPROJECT.replace('"elder"', '"../elsewhere/elder"')
    )
    library(tmp_path / "elsewhere")
    write(
        tmp_path / "elsewhere/elder/models/ash",
        {"modular_ash.py": "from ..oak.modeling_oak import OakLeaf\n"},
    )
    assert convert(options=Options(root=root)).diagnostics == ()
    monkeypatch.chdir(root)
    line = (
        MODELING_OAK.split("\n").index("        self.rings = count_rings(config)") + 1
    )
    done = CliRunner().invoke(
        main,
        ["where", f"../elsewhere/elder/models/oak/modeling_oak.py:{line}", *arguments],
    )
    assert (done.exit_code, done.output) == (
        0,
        f"elder/models/oak/modeling_oak.py:{line}: self.rings = count_rings(config)\n"
        "  src/young/models/birch/modeling_birch.py:18  inherited  BirchLeaf.__init__\n"
        "it is in 1 generated file\n",
    )


def test_a_path_belongs_to_the_project_around_it(tmp_path, monkeypatch):
    """In a folder that holds several projects, a path is as good as going there."""
    library(tmp_path / "mono/packages/elsewhere")
    root = project(
        tmp_path / "mono/packages/young",
        PYPROJECT.replace('"elder"', '"../elsewhere/elder"'),
    )
    write(
        tmp_path / "mono",
        {
            "pyproject.toml": PYPROJECT,
            "src/young/models/elm/modular_elm.py": "class ElmLeaf:\n    pass\n",
        },
    )
    monkeypatch.chdir(tmp_path / "mono")
    done = CliRunner().invoke(
        main, ["convert", "packages/young/src/young/models/birch/modular_birch.py"]
    )
    assert (done.exit_code, birch(root)) == (0, MODELING_BIRCH)
    assert [file.status for file in check(["packages/young/src"]).files] == [
        Status.IDENTICAL
    ]
    assert [file.path for file in check(["elm"]).files] == [
        "src/young/models/elm/modeling_elm.py"
    ]
