"""Tests of the rule `soft-dependencies`."""

from tests.support import source


def test_soft_dependencies_are_below_one_guard_each(flatten):
    modular = """
        import numpy as np
        import torch
        import torch.nn.functional as nnF
        from torchvision.transforms import functional as F

        from ...backends import PilBackend
        from ...utils import logging
        from ..torch import other


        logger = logging.get_logger(__name__)


        class MyModelImageProcessorPil(PilBackend):
            def resize(self, image):
                logger.info(other)
                return np.asarray(F.resize(nnF.pad(torch.tensor(image))))
        """
    assert flatten(modular).only == source("""
        import numpy as np

        from ...backends import PilBackend
        from ...utils import is_torch_available, is_torchvision_available, logging
        from ..torch import other


        if is_torch_available():
            import torch
            import torch.nn.functional as nnF
        if is_torchvision_available():
            from torchvision.transforms import functional as F


        logger = logging.get_logger(__name__)


        class MyModelImageProcessorPil(PilBackend):
            def resize(self, image):
                logger.info(other)
                return np.asarray(F.resize(nnF.pad(torch.tensor(image))))
        """)


def test_guards_without_another_branch_give_up_their_imports(flatten):
    modular = """
        from ...backends import PilBackend
        from ...utils import is_torch_available, is_vision_available


        if is_torch_available():
            import torch

        if is_vision_available():
            import PIL
            from torch import nn


        class MyModelImageProcessorPil(PilBackend):
            def resize(self, image):
                return PIL.resize(nn.pad(torch.tensor(image)))
        """
    assert flatten(modular).only == source("""
        from ...backends import PilBackend
        from ...utils import is_torch_available, is_vision_available


        if is_vision_available():
            import PIL
        if is_torch_available():
            import torch
            from torch import nn


        class MyModelImageProcessorPil(PilBackend):
            def resize(self, image):
                return PIL.resize(nn.pad(torch.tensor(image)))
        """)


def test_guards_with_another_branch_keep_their_imports(flatten):
    modular = """
        from ...backends import PilBackend
        from ...utils import is_torch_available


        if is_torch_available():
            import torch
        else:
            torch = None


        class MyModelImageProcessorPil(PilBackend):
            def resize(self, image):
                return torch.tensor(image)
        """
    assert flatten(modular).only == source("""
        from ...backends import PilBackend
        from ...utils import is_torch_available


        if is_torch_available():
            import torch
        else:
            torch = None


        class MyModelImageProcessorPil(PilBackend):
            def resize(self, image):
                return torch.tensor(image)
        """)


def test_a_guard_keeps_its_other_statements(flatten):
    modular = """
        from ...backends import PilBackend
        from ...utils import is_torch_available


        if is_torch_available():
            import torch

            READY = True


        class MyModelImageProcessorPil(PilBackend):
            def resize(self, image):
                return torch.tensor(image), READY
        """
    assert flatten(modular).only == source("""
        from ...backends import PilBackend
        from ...utils import is_torch_available


        if is_torch_available():
            READY = True
        if is_torch_available():
            import torch


        class MyModelImageProcessorPil(PilBackend):
            def resize(self, image):
                return torch.tensor(image), READY
        """)


def test_an_import_from_utils_is_added_if_there_is_none(flatten):
    modular = """
        import torch

        from ...backends import Extractor


        class MyModelFeatureExtractor(Extractor):
            def extract(self, sound):
                return torch.tensor(sound)
        """
    assert flatten(modular).only == source("""
        from ...backends import Extractor
        from ...utils import is_torch_available


        if is_torch_available():
            import torch


        class MyModelFeatureExtractor(Extractor):
            def extract(self, sound):
                return torch.tensor(sound)
        """)


def test_the_added_import_comes_first_before_formatting(flatten):
    modular = """
        import torch
        from ...backends import Extractor
        class MyModelFeatureExtractor(Extractor):
            tensor = torch
        """
    text = flatten(modular, formatter="none").only
    assert text.startswith(
        "from ...utils import is_torch_available\nfrom ...backends import Extractor\n"
    )


def test_the_function_is_added_after_an_import_from_utils(flatten):
    modular = """
        import torch
        from ...utils import logging
        from ...backends import Extractor
        class MyModelFeatureExtractor(Extractor):
            tensor = torch, logging
        """
    text = flatten(modular, formatter="none").only
    assert text.startswith(
        "from ...utils import logging\nfrom ...backends import Extractor\nfrom ...utils import is_torch_available\n"
    )


def test_other_files_have_plain_imports(flatten):
    modular = """
        import torch


        class MyModelImageProcessor:
            tensor = torch.tensor
        """
    assert flatten(modular).only == source("""
        import torch


        class MyModelImageProcessor:
            tensor = torch.tensor
        """)
