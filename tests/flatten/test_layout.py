"""Tests of the rule `layout`."""

import re

from tests.support import source


PARENT = """
    def late(x):
        return x


    class LlamaNorm:
        eps = 1


    def early(x):
        return x


    class LlamaMLP:
        def forward(self, x):
            return early(x)


    class LlamaLayer:
        def __init__(self):
            self.parts = [late, LlamaMLP, LlamaNorm]
    """


def order(text: str) -> list[str]:
    """The names that a file defines, in their order."""
    return re.findall(r"^(?:class |def |)(\w+)(?= =|\(|:)", text, re.MULTILINE)


def test_each_class_comes_after_its_dependencies_and_the_rest_last(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaLayer


        class MyModelLayer(LlamaLayer):
            pass
        """
    assert order(flatten(modular, PARENT).only) == [
        "MyModelNorm",
        "early",
        "MyModelMLP",
        "late",
        "MyModelLayer",
    ]


def test_dependencies_of_the_modular_file_come_after_those_of_the_parent_file(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaLayer


        def zero(x):
            return x


        def early(x):
            return zero(x)


        def another(x):
            return x


        class MyModelLayer(LlamaLayer):
            def forward(self, x):
                return another(x), zero(x)
        """
    assert order(flatten(modular, PARENT).only) == [
        "MyModelNorm",
        "early",
        "zero",
        "MyModelMLP",
        "late",
        "another",
        "MyModelLayer",
    ]


def test_a_function_that_replaces_the_parents_keeps_its_place(flatten):
    parent = """
        def rotate(x):
            return -x


        def scale(x):
            return x


        class LlamaMLP:
            def forward(self, x):
                return rotate(scale(x))


        class LlamaLayer:
            def __init__(self):
                self.mlp = LlamaMLP()
        """
    modular = """
        from ..llama.modeling_llama import LlamaLayer


        def rotate(x):
            return x + 1


        class MyModelLayer(LlamaLayer):
            pass
        """
    assert flatten(modular, parent).only == source("""
        def rotate(x):
            return x + 1


        def scale(x):
            return x


        class MyModelMLP:
            def forward(self, x):
                return rotate(scale(x))


        class MyModelLayer:
            def __init__(self):
                self.mlp = MyModelMLP()
        """)


def test_a_name_that_is_defined_twice_keeps_its_first_place(flatten):
    parent = """
        def rotate(x):
            return x


        def scale(x):
            return x


        def rotate(x):
            return -x


        class LlamaMLP:
            def forward(self, x):
                return rotate(scale(x))
        """
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            pass
        """
    assert flatten(modular, parent).only == source("""
        def rotate(x):
            return -x


        def scale(x):
            return x


        class MyModelMLP:
            def forward(self, x):
                return rotate(scale(x))
        """)


def test_classes_come_in_the_order_of_the_modular_file(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaLayer, LlamaMLP, LlamaNorm


        class MyModelLayer(LlamaLayer):
            pass


        class MyModelMLP(LlamaMLP):
            pass


        class MyModelNorm(LlamaNorm):
            pass
        """
    assert order(flatten(modular, PARENT).only) == [
        "late",
        "MyModelLayer",
        "early",
        "MyModelMLP",
        "MyModelNorm",
    ]


def test_some_names_come_first(flatten):
    modular = """
        from ...utils import logging


        _CONFIG_FOR_DOC = "config"
        SIZE = 1
        _CHECKPOINT_FOR_DOC = "checkpoint"
        logger = logging.get_logger(__name__)


        class MyModelMLP:
            size = SIZE


        class MyModelHead:
            docs = (_CONFIG_FOR_DOC, _CHECKPOINT_FOR_DOC, logger)
        """
    assert order(flatten(modular).only) == [
        "logger",
        "_CHECKPOINT_FOR_DOC",
        "_CONFIG_FOR_DOC",
        "SIZE",
        "MyModelMLP",
        "MyModelHead",
    ]


def test_names_adopted_from_another_parent_file_sort_last_and_downwards(flatten):
    bert = """
        def apply(x):
            return x


        class BertLayer:
            def forward(self, x):
                return apply(x)
        """
    parent = """
        def one(x):
            return x


        def two(x):
            return x


        def apply(x):
            return one(x) + two(x)
        """
    modular = """
        from ..bert.modeling_bert import BertLayer
        from ..llama.modeling_llama import apply


        class MyModelLayer(BertLayer):
            pass
        """
    text = flatten(modular, parent, {"models/bert/modeling_bert.py": bert}).only
    assert order(text) == ["apply", "two", "one", "MyModelLayer"]


def test_a_class_that_comes_with_an_imported_function_is_ordered_like_the_functions(
    flatten,
):
    bert = """
        def replace(x):
            return x


        class BertLayer:
            def forward(self, x):
                return replace(x)
        """
    parent = """
        class LlamaFrozen:
            size = 1


        def replace(x):
            return LlamaFrozen()
        """
    modular = """
        from ..bert.modeling_bert import BertLayer
        from ..llama.modeling_llama import replace


        class MyModelLayer(BertLayer):
            pass
        """
    text = flatten(modular, parent, {"models/bert/modeling_bert.py": bert}).only
    assert order(text) == ["replace", "MyModelFrozen", "MyModelLayer"]


def test_dependencies_of_a_class_without_a_parent_class_are_ordered(flatten):
    bert = """
        def beta(x):
            return x


        def zeta(x):
            return beta(x)
        """
    parent = """
        def omega(x):
            return x


        def alpha(x):
            return omega(x)
        """
    modular = """
        from ..bert.modeling_bert import zeta
        from ..llama.modeling_llama import alpha


        def second(x):
            return first(x)


        def first(x):
            return x


        class MyModelHead:
            def forward(self, x):
                return first(x), second(x), zeta(x), alpha(x)
        """
    text = flatten(modular, parent, {"models/bert/modeling_bert.py": bert}).only
    assert order(text) == [
        "omega",
        "alpha",
        "beta",
        "zeta",
        "second",
        "first",
        "MyModelHead",
    ]


def test_a_written_dependency_keeps_its_place(flatten):
    parent = """
        class LlamaNorm:
            eps = 1


        class LlamaMLP:
            def make(self):
                return LlamaNorm()


        class LlamaFirst:
            def make(self):
                return LlamaNorm()


        class LlamaLayer:
            def make(self):
                return LlamaMLP()
        """
    modular = """
        from ..llama.modeling_llama import LlamaFirst, LlamaLayer


        class MyModelFirst(LlamaFirst):
            pass


        class MyModelLayer(LlamaLayer):
            pass
        """
    assert order(flatten(modular, parent).only) == [
        "MyModelNorm",
        "MyModelFirst",
        "MyModelMLP",
        "MyModelLayer",
    ]


def test_the_head_of_the_modular_file_heads_every_file(flatten):
    modular = """
        # Copyright of my model.

        # Licensed to you.


        from torch import nn


        # About the configuration.
        class MyModelConfig:
            size = 1


        class MyModelMLP(nn.Module):
            size = 1


        # The end.
        """
    assert flatten(modular).files == {
        "models/my_model/configuration_my_model.py": source("""
            # Copyright of my model.

            # Licensed to you.


            # About the configuration.
            class MyModelConfig:
                size = 1
            """),
        "models/my_model/modeling_my_model.py": source("""
            # Copyright of my model.

            # Licensed to you.


            from torch import nn


            class MyModelMLP(nn.Module):
                size = 1
            """),
    }


OTHER_LIBRARY = {
    "pyproject.toml": """
        [tool.modular]
        models = ["models"]
        package = "acme.models"
    """
}

UNUSED_LOGGER = """
    import logging
    from ..llama.modeling_llama import LlamaNorm


    logger = logging.getLogger(__name__)


    class MyModelConfig:
        size = 1


    class MyModelNorm(LlamaNorm):
        pass
    """


def test_other_libraries_keep_a_logger_that_nothing_uses(flatten):
    files = flatten(UNUSED_LOGGER, PARENT, OTHER_LIBRARY).files
    modeling = files["models/my_model/modeling_my_model.py"]
    assert order(modeling) == ["logger", "MyModelNorm"]
    assert "import logging\n" in modeling
    configuration = files["models/my_model/configuration_my_model.py"]
    assert order(configuration) == ["MyModelConfig"]


def test_an_unused_logger_that_needs_another_definition_is_dropped(flatten):
    modular = UNUSED_LOGGER.replace(
        "logger = ", 'PREFIX = "acme."\n    logger = PREFIX, '
    )
    files = flatten(modular, PARENT, OTHER_LIBRARY).files
    assert order(files["models/my_model/modeling_my_model.py"]) == ["MyModelNorm"]


def test_transformers_drops_a_logger_that_nothing_uses(flatten):
    files = flatten(UNUSED_LOGGER, PARENT).files
    assert order(files["models/my_model/modeling_my_model.py"]) == ["MyModelNorm"]
