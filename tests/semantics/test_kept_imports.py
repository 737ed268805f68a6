"""Imports from other models that stay, in a library with one file for each model."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.support import Converted, convert, source


SETTINGS = """
    [tool.modular]
    models = ["lib/models"]
    package = "lib.models"
    file-names = "{model}.py"
    model-imports = "keep"
    ordinary-imports = ["base"]
    """

PAPA = """
    from .base import Module


    class Attention(Module):
        def forward(self, x):
            return scale(x)


    def scale(x):
        return x * 2


    def shift(x):
        return x + 2


    class PapaModel(Module):
        def __init__(self):
            self.attention = Attention()
    """

Convert = Callable[..., Converted]


@pytest.fixture
def converted(tmp_path: Path) -> Convert:
    def run(modular: str, files: Mapping[str, str] = {}, settings: str = SETTINGS):
        texts = {
            "pyproject.toml": settings,
            "lib/models/base.py": "class Module:\n    pass\n",
            "lib/models/papa.py": PAPA,
            "lib/models/modular_acme.py": modular,
            **files,
        }
        files = {path: source(text) for path, text in texts.items()}
        return convert(tmp_path, files)

    return run


def test_a_parent_class_can_have_the_name_of_its_child(converted: Convert) -> None:
    result = converted("""
        from .papa import Attention as PapaAttention
        from .papa import PapaModel


        class Attention(PapaAttention):
            def forward(self, x):
                x = super().forward(x)
                return x + 1


        class AcmeModel(PapaModel):
            pass
        """)
    assert result.diagnostics == ()
    assert result.only == source("""
        from .base import Module


        def scale(x):
            return x * 2


        class Attention(Module):
            def forward(self, x):
                x = scale(x)
                return x + 1


        class AcmeModel(Module):
            def __init__(self):
                self.attention = Attention()
        """)


def test_an_import_stays_if_no_class_inherits_from_the_name(converted: Convert) -> None:
    result = converted("""
        from .base import Module
        from .papa import Attention as AcmeAttention
        from .papa import PapaModel, shift


        class AcmeModel(PapaModel):
            def forward(self, x):
                return AcmeAttention().forward(shift(x))
        """)
    assert result.diagnostics == ()
    assert result.only.startswith(
        source("""
        from .base import Module
        from .papa import Attention as AcmeAttention
        from .papa import shift
        """)
    )
    assert "PapaModel" not in result.only
    assert "def shift" not in result.only


def test_a_class_with_a_comment_keeps_its_bases(converted: Convert) -> None:
    result = converted("""
        from .papa import Attention, PapaModel


        class AcmeAttention(Attention):
            pass


        class AcmeModel(PapaModel):  # modular: keep
            size = 1


        class AcmeOther(Attention):  # modular: keep
            pass
        """)
    assert result.diagnostics == ()
    assert "from .papa import Attention, PapaModel\n" in result.only
    assert "class AcmeModel(PapaModel):\n    size = 1\n" in result.only
    assert "class AcmeOther(Attention):\n    pass\n" in result.only
    assert "class AcmeAttention(Module):\n" in result.only


def test_a_string_in_the_header_does_not_hide_the_comment(converted: Convert) -> None:
    result = converted("""
        from .papa import PapaModel


        class AcmeModel(PapaModel, note="# modular: keep"):  # modular: keep
            size = 1
        """)
    header = 'class AcmeModel(PapaModel, note="# modular: keep"):\n'
    assert header in result.only


def test_the_comment_keeps_bases_where_other_imports_are_inlined(
    converted: Convert,
) -> None:
    inlined = SETTINGS.replace('"keep"', '"inline"')
    result = converted(
        """
        from .papa import PapaModel, scale


        class AcmeModel(PapaModel):  # modular: keep
            def forward(self, x):
                return scale(x)
        """,
        settings=inlined,
    )
    assert result.diagnostics == ()
    assert "from .papa import PapaModel\n" in result.only
    assert "def scale(x):" in result.only


def test_the_whole_file_is_generated_if_a_model_is_one_file(converted: Convert) -> None:
    modular = '''
        """The model of Acme."""

        from .papa import PapaModel


        SIZES = {"small": 1}


        def acme_small():
            return AcmeModel()


        class AcmeModel(PapaModel):
            pass


        EntryClass = AcmeModel
        SIZES["large"] = 2

        __all__ = ["AcmeModel", "acme_small"]
        '''
    result = converted(modular)
    assert result.diagnostics == ()
    assert result.only.startswith('"""The model of Acme."""\n\n')
    first = result.only.index('SIZES = {"small": 1}')
    second = result.only.index("def acme_small():")
    third = result.only.index("class AcmeModel(Module):")
    last = result.only.index("EntryClass = AcmeModel")
    assert first < second < third < last
    assert 'SIZES["large"] = 2' in result.only


def test_names_from_other_models_are_not_renamed(converted: Convert) -> None:
    files = {
        "lib/models/papa2.py": """
            from transformers import Papa2Config

            from .papa2_vl import Papa2VLMLP


            class Papa2Model:
                def __init__(self, config: Papa2Config):
                    self.mlp = Papa2VLMLP(config)
            """,
        "lib/models/papa2_vl.py": "class Papa2VLMLP:\n    pass\n",
    }
    result = converted(
        """
        from .papa2 import Papa2Model


        class AcmeModel(Papa2Model):
            pass
        """,
        files,
    )
    assert result.diagnostics == ()
    assert result.only == source("""
        from transformers import Papa2Config

        from .papa2_vl import Papa2VLMLP


        class AcmeModel:
            def __init__(self, config: Papa2Config):
                self.mlp = Papa2VLMLP(config)
        """)


def test_two_models_that_keep_imports_of_each_other_are_no_cycle(
    converted: Convert,
) -> None:
    files = {
        "lib/models/modular_bird.py": """
            from .acme import AcmeModel
            from .papa import PapaModel


            class BirdModel(PapaModel):
                def acme(self):
                    return AcmeModel()
            """,
    }
    result = converted(
        """
        from .bird import BirdModel


        class AcmeModel(BirdModel):
            pass
        """,
        files,
    )
    assert result.diagnostics == ()


def test_a_base_that_is_named_by_its_module_is_kept(converted: Convert) -> None:
    result = converted("""
        from . import papa


        class AcmeModel(papa.PapaModel):
            pass
        """)
    assert result.diagnostics == ()
    assert "class AcmeModel(papa.PapaModel):\n" in result.only
