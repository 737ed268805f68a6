"""Tests of the rule `library-imports`."""

from tests.support import source


SETTINGS = '[tool.modular]\nsource-library = "vendor/elder"\n'


def test_relative_imports_become_absolute(flatten):
    parent = """
        import math

        from torch import nn

        from ... import initialization as init
        from ...image_utils import CLIP_MEAN
        from ..auto.modeling_auto import AutoModel
        from .configuration_clip import CLIPConfig
        from .rings import count_rings


        class CLIPLayer(nn.Module):
            config: CLIPConfig

            def forward(self, x):
                from ...utils import clip_quietly

                with clip_quietly():
                    return init.zeros(x, math.pi, CLIP_MEAN, AutoModel, count_rings)
        """
    modular = """
        from elder.models.clip.modeling_clip import CLIPLayer

        from ...utils import logging


        logger = logging.get_logger(__name__)


        class MyModelLayer(CLIPLayer):
            def warn(self):
                logger.warning("warned")
        """
    files = {
        "pyproject.toml": SETTINGS,
        "vendor/elder/models/clip/modeling_clip.py": parent,
        "vendor/elder/models/clip/configuration_clip.py": """
            class CLIPConfig:
                model_type = "clip"
            """,
    }
    assert flatten(modular, files=files).only == source("""
        import math

        from elder import initialization as init
        from elder.image_utils import CLIP_MEAN
        from elder.models.auto.modeling_auto import AutoModel
        from elder.models.clip.rings import count_rings
        from torch import nn

        from ...utils import logging
        from .configuration_my_model import MyModelConfig


        logger = logging.get_logger(__name__)


        class MyModelLayer(nn.Module):
            config: MyModelConfig

            def forward(self, x):
                from elder.utils import clip_quietly

                with clip_quietly():
                    return init.zeros(x, math.pi, CLIP_MEAN, AutoModel, count_rings)

            def warn(self):
                logger.warning("warned")
        """)
