"""Tests of the rule `imports`."""

import pytest

from tests.support import source


MLP = """
    from ..llama.modeling_llama import LlamaMLP


    class MyModelMLP(LlamaMLP):
        pass
    """


def test_imports_of_own_files_come_after_those_of_the_modular_file(flatten):
    """The blank lines behind the head of the file are those above the first import."""
    parent = (
        """
        """
        + '''"""The LLaMA model."""

        from torch import nn


        class LlamaMLP(nn.Module):
            pass
        '''
    )
    modular = """
        # Copyright.

        from ..llama.modeling_llama import LlamaMLP


        class MyModelConfig:
            pass


        class MyModelMLP(LlamaMLP):
            config = MyModelConfig
        """
    assert flatten(modular, parent).files[
        "models/my_model/modeling_my_model.py"
    ] == source("""
        # Copyright.

        from torch import nn

        from .configuration_my_model import MyModelConfig


        class MyModelMLP(nn.Module):
            config = MyModelConfig
        """)


def test_the_condition_of_a_guard_without_imports_needs_no_import(flatten):
    modular = """
        # Copyright.

        from ..llama.modeling_llama import LlamaMLP
        from typing import TYPE_CHECKING


        if TYPE_CHECKING:
            pass


        class MyModelMLP(LlamaMLP):
            pass
        """
    parent = """
        class LlamaMLP:
            pass
        """
    assert flatten(modular, parent, formatter="none").only == source("""
        # Copyright.

        class MyModelMLP:
            pass
        """)


def test_a_dotted_import_may_be_beside_an_import_of_its_package(flatten):
    modular = """
        import collections.abc
        import os
        import os.path
        import torch
        import torch.distributions
        import torch.linalg
        import torch.special


        if torch.special.digamma:
            import extra


        class MyModelMLP:
            size = torch.float32, os.name, extra

            def forward(self, x: collections.abc.Sequence):
                # torch.linalg
                return torch . distributions . Categorical(x)
        """
    assert flatten(modular, formatter="none").only == source("""
        import collections.abc
        import os
        import torch
        import torch.distributions
        import torch.special


        if torch.special.digamma:
            import extra


        class MyModelMLP:
            size = torch.float32, os.name, extra

            def forward(self, x: collections.abc.Sequence):
                # torch.linalg
                return torch . distributions . Categorical(x)
        """)


@pytest.mark.parametrize(
    ("use", "imports"),
    [
        ("torch.utils.checkpoint.checkpoint", ["import torch.utils.checkpoint"]),
        ("torch . utils.checkpoint.checkpoint", ["import torch.utils.checkpoint"]),
        ("torch.utils.data", ["import torch"]),
        (
            "torch.utils.checkpoint, torch.float32",
            ["import torch", "import torch.utils.checkpoint"],
        ),
        (
            "torch.utils.checkpoint, torch",
            ["import torch", "import torch.utils.checkpoint"],
        ),
        (
            "torch.utils.checkpoint, torch.utils.checkpointing",
            ["import torch", "import torch.utils.checkpoint"],
        ),
        (
            "lambda: torch.utils.checkpoint\n    kind: 'torch.Tensor'",
            ["import torch", "import torch.utils.checkpoint"],
        ),
        (
            "None\n    kind: 'torch.utils.checkpoint.Kind'",
            ["import torch.utils.checkpoint"],
        ),
        (
            "torch.utils.checkpoint, {'package': 'torch'}",
            ["import torch.utils.checkpoint"],
        ),
        (
            "x.torch, call(torch=torch.utils.checkpoint)",
            ["import torch.utils.checkpoint"],
        ),
    ],
)
def test_the_package_of_a_dotted_import_may_be_used_alone(flatten, use, imports):
    modular = f"import torch\nimport torch.utils.checkpoint\n\n\nclass MyModelMLP:\n    size = {use}\n"
    text = flatten(modular, formatter="none").only
    assert text[: text.index("class")].split("\n")[:-3] == imports


def test_a_docstring_is_not_a_type(flatten):
    modular = """
        from ...utils import is_torch_available


        if is_torch_available():
            import torch


        class MyModelConfig:
            "Config of a torch model"


        class MyModelMLP:
            size = torch.float32
        """
    assert flatten(modular).files[
        "models/my_model/configuration_my_model.py"
    ] == source("""
        class MyModelConfig:
            "Config of a torch model"
        """)


def test_the_modulars_imports_come_before_the_parents(flatten):
    parent = """
        from torch import nn

        from ...activations import ACT2FN, get
        from ...utils import logging


        class LlamaMLP(nn.Module):
            def forward(self, x):
                return ACT2FN[get(x)]
        """
    modular = """
        from ...other_activations import get
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            pass
        """
    assert flatten(modular, parent).only == source("""
        from torch import nn

        from ...activations import ACT2FN
        from ...other_activations import get


        class MyModelMLP(nn.Module):
            def forward(self, x):
                return ACT2FN[get(x)]
        """)


def test_a_name_is_imported_once_from_the_first_statement_that_offers_it(flatten):
    parent = """
        from first import helper, other
        from second import helper


        class LlamaMLP:
            def forward(self):
                return helper, other
        """
    assert flatten(MLP, parent, formatter="none").only.startswith(
        "from first import helper, other\n\n\nclass"
    )


def test_a_name_that_the_file_defines_is_not_imported(flatten):
    parent = """
        from helpers import scale, shift


        class LlamaMLP:
            def forward(self, x):
                return scale(shift(x))
        """
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        def scale(x):
            return x


        class MyModelMLP(LlamaMLP):
            pass
        """
    assert flatten(modular, parent).only == source("""
        from helpers import shift


        def scale(x):
            return x


        class MyModelMLP:
            def forward(self, x):
                return scale(shift(x))
        """)


@pytest.mark.parametrize(
    ("statement", "use", "expected"),
    [
        (
            "import torch.nn.functional as F, torch",
            "F.relu",
            "import torch.nn.functional as F",
        ),
        (
            "import torch.utils.checkpoint",
            "torch.utils.checkpoint",
            "import torch.utils.checkpoint",
        ),
        (
            "from torch import optim, nn as module",
            "module.Linear",
            "from torch import nn as module",
        ),
        ("from . import helpers, others", "helpers.help", "from . import helpers"),
        (
            "from helpers import (  # all\n    other,\n    help,  # one\n)",
            "help",
            "from helpers import help",
        ),
        ("from helpers import \\\n    help", "help", "from helpers import help"),
        ("from helpers import other, help;", "help", "from helpers import help"),
        ("import other; from helpers import help", "help", "from helpers import help"),
        (
            "from helpers import help  # behind",
            "help",
            "from helpers import help  # behind",
        ),
    ],
)
def test_all_forms_of_imports_are_read(flatten, statement, use, expected):
    parent = f"{statement}\n\n\nclass LlamaMLP:\n    size = {use}\n"
    assert (
        flatten(MLP, parent).only
        == f"{expected}\n\n\nclass MyModelMLP:\n    size = {use}\n"
    )


def test_imports_in_functions_stay_there(flatten):
    parent = """
        class LlamaMLP:
            def forward(self, x):
                from math import pi

                return x * pi
        """
    assert flatten(MLP, parent).only == source("""
        class MyModelMLP:
            def forward(self, x):
                from math import pi

                return x * pi
        """)


GUARDED = """
    from torch import nn

    from ...errors import MissingError, OtherError
    from ...utils import is_flash_available, is_other_available, is_quick_available


    if is_flash_available() and not is_other_available():
        # The fast ones.
        from flash import fast, faster  # behind them
        import flash.extra

        READY = True
    elif is_quick_available():
        from quick import fast
    else:
        READY = False

        def fast(x):
            raise MissingError(x)


    class LlamaMLP(nn.Module):
        def forward(self, x):
            return {use}
    """


def test_a_guard_keeps_its_other_branches(flatten):
    text = flatten(MLP, GUARDED.replace("{use}", "fast(x)")).only
    assert text.startswith(
        source("""
            from torch import nn

            from ...errors import MissingError
            from ...utils import is_flash_available, is_other_available, is_quick_available


            if is_flash_available() and not is_other_available():
                # The fast ones.
                from flash import fast  # behind them

                READY = True
            elif is_quick_available():
                from quick import fast
            else:
                READY = False

                def fast(x):
                    raise MissingError(x)
            """)
    )


def test_a_guard_is_needed_for_a_name_that_it_defines(flatten):
    text = flatten(MLP, GUARDED.replace("{use}", "READY")).only
    assert text.startswith(
        source("""
            from torch import nn

            from ...errors import MissingError
            from ...utils import is_flash_available, is_other_available, is_quick_available


            if is_flash_available() and not is_other_available():
                READY = True
            elif is_quick_available():
                from quick import fast
            else:
                READY = False

                def fast(x):
                    raise MissingError(x)
            """)
    )


def test_an_unneeded_guard_is_not_written(flatten):
    assert flatten(MLP, GUARDED.replace("{use}", "x")).only == source("""
        from torch import nn


        class MyModelMLP(nn.Module):
            def forward(self, x):
                return x
        """)


def test_the_conditions_of_all_guards_count_as_uses(flatten):
    text = flatten(MLP, GUARDED.replace("{use}", "x"), formatter="none").only
    assert (
        "from ...utils import is_flash_available, is_other_available, is_quick_available\n"
        in text
    )


def test_a_defined_name_in_a_condition_is_not_imported(flatten):
    parent = """
        from ...utils import is_flash_available


        if is_flash_available():
            from flash import fast


        class LlamaMLP:
            def forward(self, x):
                return fast(x), is_flash_available()
        """
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        def is_flash_available():
            return True


        class MyModelMLP(LlamaMLP):
            pass
        """
    assert (
        "import is_flash_available"
        not in flatten(modular, parent, formatter="none").only
    )


def test_guards_come_after_plain_imports(flatten):
    parent = """
        if True:
            import first
        from second import second


        class LlamaMLP:
            def forward(self):
                return first, second
        """
    assert flatten(MLP, parent).only == source("""
        from second import second


        if True:
            import first


        class MyModelMLP:
            def forward(self):
                return first, second
        """)


def test_a_guarded_import_of_the_modular_file_precedes_a_plain_one_of_the_parent(
    flatten,
):
    parent = """
        import helper


        class LlamaMLP:
            def forward(self):
                return helper
        """
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        if COLD:
            import helper


        class MyModelMLP(LlamaMLP):
            pass
        """
    assert "if COLD:\n    import helper\n" in flatten(modular, parent).only


def test_imports_in_a_try_statement_are_guarded(flatten):
    parent = """
        try:
            import yaml
            from yaml import safe_load, safe_dump
        except ImportError:
            yaml = None
        else:
            safe_dump = print


        class LlamaMLP:
            def forward(self):
                return safe_load(yaml)
        """
    assert flatten(MLP, parent).only == source("""
        try:
            import yaml
            from yaml import safe_load
        except ImportError:
            yaml = None
        else:
            safe_dump = print


        class MyModelMLP:
            def forward(self):
                return safe_load(yaml)
        """)


def test_a_guard_may_be_on_one_line(flatten):
    parent = """
        if COLD: from ice import melt, freeze; import snow
        else: melt = None


        class LlamaMLP:
            def forward(self):
                return melt, snow
        """
    text = flatten(MLP, parent).only
    assert text.startswith(
        "if COLD:\n    import snow\n    from ice import melt\nelse:\n    melt = None\n\n\nclass"
    )


def test_a_guard_may_be_inside_a_guard(flatten):
    parent = """
        if COLD:
            if WINDY:
                from ice import melt
            else:
                melt = None


        class LlamaMLP:
            def forward(self):
                return melt
        """
    assert flatten(MLP, parent).only == source("""
        if COLD:
            if WINDY:
                from ice import melt
            else:
                melt = None


        class MyModelMLP:
            def forward(self):
                return melt
        """)


def test_a_guard_may_have_no_imports(flatten):
    parent = """
        if COLD:
            SIZE = 1
        else:
            SIZE = 2


        class LlamaMLP:
            size = SIZE
        """
    assert flatten(MLP, parent).only == source("""
        if COLD:
            SIZE = 1
        else:
            SIZE = 2


        class MyModelMLP:
            size = SIZE
        """)


def test_imports_from_the_future_are_not_names(flatten):
    parent = """
        from __future__ import annotations


        class LlamaMLP:
            size: int
        """
    assert flatten(MLP, parent).only == source("""
        class MyModelMLP:
            size: int
        """)


def test_a_parents_guarded_import_precedes_the_import_of_another_file(
    flatten,
):
    parent = """
        from ...utils import is_vision_available


        if is_vision_available():
            from .image_processing_llama import LlamaImageProcessorKwargs


        class LlamaProcessor:
            kwargs: LlamaImageProcessorKwargs
        """
    image = """
        class LlamaImageProcessorKwargs:
            pass
        """
    modular = """
        from ..llama.image_processing_llama import LlamaImageProcessorKwargs
        from ..llama.processing_llama import LlamaProcessor


        class MyModelImageProcessorKwargs(LlamaImageProcessorKwargs):
            pass


        class MyModelProcessor(LlamaProcessor):
            pass
        """
    files = {
        "models/llama/processing_llama.py": parent,
        "models/llama/image_processing_llama.py": image,
    }
    converted = flatten(modular, files=files)
    assert converted.files["models/my_model/processing_my_model.py"] == source("""
        from ...utils import is_vision_available


        if is_vision_available():
            from .image_processing_my_model import MyModelImageProcessorKwargs


        class MyModelProcessor:
            kwargs: MyModelImageProcessorKwargs
        """)


def test_a_guard_may_bind_a_name_in_its_condition(flatten):
    modular = """
        from torch import nn

        from ...utils import find


        if found := find("fast"):
            from fast import layer
        elif (other := find("slow")) and {"a": other}["a"]:
            from slow import layer


        class MyModelMLP(nn.Module):
            layer = layer
        """
    assert flatten(modular).only == source("""
        from torch import nn

        from ...utils import find


        if found := find("fast"):
            from fast import layer
        elif (other := find("slow")) and {"a": other}["a"]:
            from slow import layer


        class MyModelMLP(nn.Module):
            layer = layer
        """)


FUTURE = """
    # Copyright.

    from __future__ import annotations

    from torch import nn

    from ..llama.modeling_llama import LlamaMLP


    class MyModelMLP(LlamaMLP):
        pass
    """

FUTURE_PARENT = """
    from __future__ import annotations, generator_stop

    import torch
    from torch import nn


    class LlamaMLP(nn.Module):
        def forward(self, annotations: torch.Tensor):
            return annotations
    """

OTHER_LIBRARY = {
    "pyproject.toml": """
        [tool.modular]
        models = ["models"]
        package = "acme.models"
    """
}


@pytest.mark.parametrize("formatter", ["ruff", "none"])
def test_other_libraries_keep_imports_from_future_first(flatten, formatter):
    files = flatten(FUTURE, FUTURE_PARENT, OTHER_LIBRARY, formatter).files
    text = files["models/my_model/modeling_my_model.py"]
    code = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert code[0] == "from __future__ import annotations"
    assert text.count("__future__") == 1
    assert "    def forward(self, annotations: torch.Tensor):" in code


def test_python_inheritance_takes_imports_from_future_from_parents(flatten):
    modular = FUTURE.replace("    from __future__ import annotations\n\n", "")
    files = flatten(modular, FUTURE_PARENT, OTHER_LIBRARY).files
    assert "__future__" in files["models/my_model/modeling_my_model.py"]


def test_transformers_drops_imports_from_future(flatten):
    parent = FUTURE_PARENT.replace("annotations: torch.Tensor", "x: torch.Tensor")
    parent = parent.replace("return annotations", "return x")
    files = flatten(FUTURE, parent).files
    assert "__future__" not in files["models/my_model/modeling_my_model.py"]


def test_with_python_inheritance_the_condition_of_a_dropped_guard_needs_no_import(
    flatten_like_python,
):
    parent = """
        from typing import TYPE_CHECKING

        if TYPE_CHECKING:
            from transformers import LlamaConfig


        class LlamaMLP:
            pass
        """
    result = flatten_like_python(MLP, parent, formatter="none")
    assert "TYPE_CHECKING" not in result.files["models/my_model/modeling_my_model.py"]
