"""Tests of the rule `merging`."""

import pytest

from tests.support import source


MLP = """
    from ..llama.modeling_llama import LlamaMLP


    class MyModelMLP(LlamaMLP):
        pass
    """


def test_a_function_replaces_the_parents_with_its_dependencies(flatten):
    parent = """
        SLOPE = 1


        def activate(x):
            return x * SLOPE


        class LlamaMLP:
            def forward(self, x):
                return activate(x)
        """
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        FACTOR = 2


        def activate(x):
            return x * FACTOR


        class MyModelMLP(LlamaMLP):
            pass
        """
    assert flatten(modular, parent).only == source("""
        FACTOR = 2


        def activate(x):
            return x * FACTOR


        class MyModelMLP:
            def forward(self, x):
                return activate(x)
        """)


@pytest.mark.parametrize(
    ("name", "value", "wins"),
    [
        ("SIZE", "2", False),
        ("_CHECKPOINT_FOR_DOC", "2", True),
        ("MY_MODEL_EXPECTED_SHAPE", "2", True),
        ("_CONFIG_FOR_DOC", "None", True),
        ("_HIDDEN_STATES_START_POSITION", "2", True),
        ("MY_MODEL_START_DOCSTRING", "2", True),
        ("MY_MODEL_START_DOCSTRING", "None", False),
        ("MY_MODEL_START_DOCSTRING", "(None)", False),
        ("MY_MODEL_START_DOCSTRING", "None or 1", True),
    ],
)
def test_the_name_of_an_assignment_decides_whether_it_replaces(
    flatten, name, value, wins
):
    parent = f"""
        {name.replace("MY_MODEL", "LLAMA")} = 1


        class LlamaMLP:
            size = {name.replace("MY_MODEL", "LLAMA")}
        """
    modular = f"{name} = {value}\n{source(MLP)}"
    kept = value.strip("()") if wins else "1"
    assert (
        flatten(modular, parent).only
        == f"{name} = {kept}\n\n\nclass MyModelMLP:\n    size = {name}\n"
    )


def test_a_new_assignment_is_added(flatten):
    parent = """
        class LlamaMLP:
            size = 1
        """
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        SIZE: int = 2  # wide


        class MyModelMLP(LlamaMLP):
            size = SIZE
        """
    assert flatten(modular, parent).only == source("""
        SIZE: int = 2  # wide


        class MyModelMLP:
            size = SIZE
        """)


def test_a_new_class_of_the_modular_is_known_in_the_parent(flatten):
    parent = """
        def norm_class():
            return LlamaNorm


        class LlamaMLP:
            def __init__(self):
                self.norm = norm_class()
        """
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        class MyModelNorm:
            eps = 1


        class MyModelMLP(LlamaMLP):
            pass
        """
    assert flatten(modular, parent).only == source("""
        class MyModelNorm:
            eps = 1


        def norm_class():
            return MyModelNorm


        class MyModelMLP:
            def __init__(self):
                self.norm = norm_class()
        """)


TABLE = """
    TABLE = {}
    TABLE["llama"] = 1
    TABLE.default = 2


    def look_up(name):
        return TABLE[name]


    class LlamaMLP:
        def forward(self, name):
            return look_up(name)
    """


def test_assignments_to_items_and_attributes_belong_to_their_name(flatten):
    assert flatten(MLP, TABLE).only == source("""
        TABLE = {}
        TABLE["my_model"] = 1
        TABLE.default = 2


        def look_up(name):
            return TABLE[name]


        class MyModelMLP:
            def forward(self, name):
                return look_up(name)
        """)


def test_assignments_to_items_have_dependencies(flatten):
    parent = """
        def first():
            return 1


        TABLE = {}
        TABLE["first"] = first


        class LlamaMLP:
            table = TABLE
        """
    assert flatten(MLP, parent).only == source("""
        def first():
            return 1


        TABLE = {}
        TABLE["first"] = first


        class MyModelMLP:
            table = TABLE
        """)


def test_the_modular_file_adds_to_the_parents_table(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        TABLE["new"] = 3


        class MyModelMLP(LlamaMLP):
            pass
        """
    assert flatten(modular, TABLE).only == source("""
        TABLE = {}
        TABLE["my_model"] = 1
        TABLE.default = 2


        def look_up(name):
            return TABLE[name]


        TABLE["new"] = 3


        class MyModelMLP:
            def forward(self, name):
                return look_up(name)
        """)


def test_the_modular_file_adds_to_an_imported_table(flatten):
    modular = """
        from ..llama.modeling_llama import TABLE


        TABLE["new"] = 3


        class MyModelMLP:
            table = TABLE
        """
    assert flatten(modular, TABLE).only == source("""
        TABLE = {}
        TABLE["my_model"] = 1
        TABLE.default = 2


        TABLE["new"] = 3


        class MyModelMLP:
            table = TABLE
        """)


def test_a_table_that_replaces_the_parents_comes_with_its_own_items(flatten):
    parent = """
        _EXPECTED_SIZES = {}
        _EXPECTED_SIZES["llama"] = 1


        class LlamaMLP:
            sizes = _EXPECTED_SIZES
        """
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        _EXPECTED_SIZES = {}
        _EXPECTED_SIZES["mine"] = 2


        class MyModelMLP(LlamaMLP):
            pass
        """
    assert flatten(modular, parent).only == source("""
        _EXPECTED_SIZES = {}
        _EXPECTED_SIZES["mine"] = 2


        class MyModelMLP:
            sizes = _EXPECTED_SIZES
        """)


def test_an_imported_function_uses_the_modulars_table(flatten):
    modular = """
        from ..llama.modeling_llama import look_up


        TABLE = {"mine": 4}
        TABLE["more"] = 5


        class MyModelMLP:
            def forward(self, name):
                return look_up(name)
        """
    assert flatten(modular, TABLE).only == source("""
        def look_up(name):
            return TABLE[name]


        TABLE = {"mine": 4}
        TABLE["more"] = 5


        class MyModelMLP:
            def forward(self, name):
                return look_up(name)
        """)


BERT = {
    "models/bert/modeling_bert.py": """
        def rotate(x):
            return 1


        def apply(x):
            return rotate(x)


        class BertLayer:
            def forward(self, x):
                return apply(x)
        """
}


def test_an_imported_function_replaces_that_of_other_parent_files(flatten):
    parent = """
        SIGN = -1


        def turn(x):
            return SIGN * x


        def apply(x):
            return turn(x)
        """
    modular = """
        from ..bert.modeling_bert import BertLayer
        from ..llama.modeling_llama import apply


        class MyModelLayer(BertLayer):
            pass
        """
    assert flatten(modular, parent, BERT).only == source("""
        def apply(x):
            return turn(x)


        def turn(x):
            return SIGN * x


        SIGN = -1


        class MyModelLayer:
            def forward(self, x):
                return apply(x)
        """)


def test_its_dependencies_do_not_replace_those_of_other_functions(flatten):
    parent = """
        def rotate(x):
            return 2


        def turn(x):
            return rotate(x)
        """
    bert = {
        "models/bert/modeling_bert.py": """
            def apply(x):
                return rotate(x)


            class BertLayer:
                def forward(self, x):
                    return apply(x)
            """
    }
    modular = """
        from ..bert.modeling_bert import BertLayer
        from ..llama.modeling_llama import turn


        class MyModelLayer(BertLayer):
            pass
        """
    converted = flatten(modular, parent, bert)
    assert converted.only == source("""
        def apply(x):
            return rotate(x)


        class MyModelLayer:
            def forward(self, x):
                return apply(x)
        """)


def test_a_class_that_the_parent_imports_below_a_guard_is_imported_there(flatten):
    parent = """
        from ...utils import is_torch_available


        if is_torch_available():
            from .configuration_llama import LlamaConfig


        class LlamaMLP:
            config: LlamaConfig
        """
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        class MyModelConfig:
            pass


        class MyModelMLP(LlamaMLP):
            pass
        """
    assert flatten(modular, parent).files[
        "models/my_model/modeling_my_model.py"
    ] == source("""
        from ...utils import is_torch_available


        if is_torch_available():
            from .configuration_my_model import MyModelConfig


        class MyModelMLP:
            config: MyModelConfig
        """)
