"""Tests of the rule `super-call`."""

import pytest

from tests.support import source


PARENT = """
    from torch import nn

    from ...modeling_utils import PreTrainedModel


    class LlamaModel(PreTrainedModel):
        def __init__(self, config):
            super().__init__(config)
            # The size.
            self.size = config.size  # in all layers
            self.up = nn.Linear(self.size, 4)
            self.table["up"] = 1
            self.low, self.high = 0, 1

        def forward(self, x):
            x = self.up(x)
            return x
    """


def test_the_parents_body_replaces_the_call(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def forward(self, x, mask=None):
                x = x * mask
                y = super().forward(x)
                return super().forward(
                    x,
                    y=y,  # does not matter
                )
        """
    assert flatten(modular, PARENT).only == source("""
        from torch import nn

        from ...modeling_utils import PreTrainedModel


        class MyModelModel(PreTrainedModel):
            def __init__(self, config):
                super().__init__(config)
                # The size.
                self.size = config.size  # in all layers
                self.up = nn.Linear(self.size, 4)
                self.table["up"] = 1
                self.low, self.high = 0, 1

            def forward(self, x, mask=None):
                x = x * mask
                y = super().forward(x)
                x = self.up(x)
                return x
        """)


def test_assignments_to_the_same_target_replace_in_place(flatten):
    modular = """
        from torch import nn

        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def __init__(self, config):
                super().__init__(config)
                self.low, self.high = 1, 2
                # Wider.
                self.up = nn.Linear(
                    self.size,
                    8,  # twice
                )
                self.table["up"] = 2
                self.table["down"] = 3
        """
    text = flatten(modular, PARENT).only
    assert text[
        text.index("    def __init__") : text.index("    def forward")
    ] == source("""
        |    def __init__(self, config):
        |        super().__init__(config)
        |        # The size.
        |        self.size = config.size  # in all layers
        |        # Wider.
        |        self.up = nn.Linear(
        |            self.size,
        |            8,  # twice
        |        )
        |        self.table["up"] = 2
        |        self.low, self.high = 1, 2
        |        self.table["down"] = 3

        """).replace("|", "")


@pytest.mark.parametrize(
    "statement",
    ["super().forward(x).first", "super().reset(x)", "[super().forward(x)]"],
)
def test_calls_of_other_methods_are_kept(flatten, statement):
    modular = f"""
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def forward(self, x):
                return {statement}
        """
    assert flatten(modular, PARENT).only.endswith(
        f"    def forward(self, x):\n        return {statement}\n"
    )


def test_a_call_inside_a_statement_is_kept(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def forward(self, x):
                if x is None:
                    return super().forward(x)
                return x
        """
    assert flatten(modular, PARENT).only.endswith("""
    def forward(self, x):
        if x is None:
            return super().forward(x)
        return x
""")


@pytest.mark.parametrize(
    "statement",
    [
        "super().forward(x)",
        "return super().forward(x)",
        "return (super().forward(x))",
        "return super(MyModelModel, self).forward(x)",
        "return super().forward(\n    x, (y, [z]),  # (\n)",
        "return super() \\\n    .forward(x)",
        "return super().forward(x);",
        "return super().forward(x)  # the parent's",
    ],
)
def test_all_forms_of_the_call_are_unravelled(flatten, statement):
    body = statement.replace("\n", "\n        ")
    modular = (
        "from ..llama.modeling_llama import LlamaModel\n\n\nclass MyModelModel(LlamaModel):\n"
        f"    def forward(self, x):\n        {body}\n"
    )
    assert flatten(modular, PARENT).only.endswith(
        "    def forward(self, x):\n        x = self.up(x)\n        return x\n"
    )


def test_only_the_first_call_is_unravelled(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def forward(self, x):
                super().forward(x)
                return super().forward(x)
        """
    assert flatten(modular, PARENT).only.endswith("""
    def forward(self, x):
        x = self.up(x)
        return x
        return super().forward(x)
""")


def test_a_present_statement_is_not_repeated(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def forward(self, x):
                super().forward(x)
                print(x)
                # All of it.
                return x
                print(x)
        """
    assert flatten(modular, PARENT).only.endswith("""
    def forward(self, x):
        x = self.up(x)
        return x
        print(x)
""")


def test_statements_are_compared_without_comments(flatten):
    parent = """
        class LlamaModel:
            def forward(self, x):
                print(x)  # theirs
                call(
                    x,
                    1,  # one
                )
                if x:
                    # theirs, inside
                    call(x, "# no comment")
                print(f"{x}")  # a field
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def forward(self, x):
                super().forward(x)
                # above
                print(x)  # beside
                call(
                    # own
                    x,
                    1,
                )
                if x:  # beside
                    call(x, "# no comment")
                    # at the end
                if x:
                    call(x, "# another string")
                print(f"{x}")
                print(x + 1)
                print(x + 1)  # again
        """
    assert flatten(modular, parent).only == source("""
        class MyModelModel:
            def forward(self, x):
                print(x)  # theirs
                call(
                    x,
                    1,  # one
                )
                if x:
                    # theirs, inside
                    call(x, "# no comment")
                print(f"{x}")  # a field
                if x:
                    call(x, "# another string")
                print(x + 1)
        """)


def test_annotated_assignments_are_not_replaced(flatten):
    parent = """
        class LlamaModel:
            def __init__(self):
                self.low: int = 0
                self.high = 1
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def __init__(self):
                super().__init__()
                self.low = 2
                self.high: int = 3
        """
    assert flatten(modular, parent).only == source("""
        class MyModelModel:
            def __init__(self):
                self.low: int = 0
                self.high = 1
                self.low = 2
                self.high: int = 3
        """)


def test_only_assignments_of_the_method_itself_are_replaced(flatten):
    parent = """
        class LlamaModel:
            def forward(self, x):
                if x is None:
                    x = 0
                for x in range(3):
                    x = 1
                x += 2
                x == 3
                x = y = 4
                match = 5
                return x + match
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def forward(self, x):
                super().forward(x)
                x = 6
                match = 7
        """
    assert flatten(modular, parent).only == source("""
        class MyModelModel:
            def forward(self, x):
                if x is None:
                    x = 0
                for x in range(3):
                    x = 1
                x += 2
                x == 3
                x = 6
                match = 7
                return x + match
        """)


def test_an_assignment_applies_to_methods_unravelled_later(flatten):
    parent = """
        class LlamaModel:
            def __init__(self):
                self.cache = None

            def reset(self):
                self.cache = None

            def clear(self):
                self.cache = None

            def forward(self, x):
                self.cache = None
                return x
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def forward(self, x):
                return super().forward(x)

            def reset(self):
                super().reset()
                self.cache = []
        """
    assert flatten(modular, parent).only == source("""
        class MyModelModel:
            def __init__(self):
                self.cache = None

            def reset(self):
                self.cache = []

            def clear(self):
                self.cache = None

            def forward(self, x):
                self.cache = []
                return x
        """)


def test_a_call_of_a_missing_method_is_an_error(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def reset(self):
                super().reset()
        """
    converted = flatten(modular, PARENT)
    assert converted.codes == [("MOD303", 6)]
    assert converted.files == {}


def test_comments_of_a_merged_body_are_kept(flatten):
    parent = """
        class LlamaModel:
            def forward(self, x):  # their def
                # their first
                x = 1  # behind their first
                # above their return
                return x
                # their last
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def forward(self, x):  # own def
                # own first
                y = 2  # behind own first
                # above the call
                super().forward(x)  # behind the call
                # above own last statement
                z = 3
                # own last
        """
    assert flatten(modular, parent).only == source("""
        class MyModelModel:
            def forward(self, x):  # own def
                # own first
                y = 2  # behind own first
                # their first
                x = 1  # behind their first
                # above their return
                return x
                # above own last statement
                z = 3
                # own last
        """)


@pytest.mark.parametrize(
    "call",
    [
        "super(type(self), self).__init__(config)",
        "super(MyModelModel, self).__init__(config)",
        "super (MyModelModel, self) . __init__ (config)",
        "(super().__init__((config)))",
    ],
)
def test_the_parents_method_can_be_called_in_several_ways(flatten, call):
    modular = f"""
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def __init__(self, config):
                {call}
                self.new = 1
        """
    parent = """
        class LlamaModel:
            def __init__(self, config):
                self.size = config.size
        """
    assert flatten(modular, parent).only == source("""
        class MyModelModel:
            def __init__(self, config):
                self.size = config.size
                self.new = 1
        """)


def test_statements_are_compared_without_blanks_and_line_ends(flatten):
    parent = """
        from torch import nn


        class LlamaModel(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.size = config.size
                self.table["up down"] = 1
                self.up = nn.Linear(config.size, 4)
                self.low, self.high = 0, 1
                if config.size is None:
                    raise ValueError("no size")
                self.post_init()

            @property
            def depth(self):
                return self.size

            @depth.setter
            def depth(self, value):
                self.size = value
        """
    modular = """
        from torch import nn

        from . . llama . modeling_llama import LlamaModel


        class MyModelModel ( LlamaModel , nn . Module ):
            def __init__ ( self , config ):
                super ( ) . __init__ ( config )
                self . size = 3
                self . table [ "up down" ] = 2
                del self . up
                ( self . low , self . high ) = 1, 2
                if config . size  is  None :
                    raise  ValueError ( "no size" )
                self . post_init (
                )

            @ depth . setter
            def depth ( self , value ):
                self . size = value + 1
        """
    assert flatten(modular, parent).only == source("""
        from torch import nn


        class MyModelModel(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.size = 3
                self.table["up down"] = 2
                (self.low, self.high) = 1, 2
                if config.size is None:
                    raise ValueError("no size")
                self.post_init()

            @property
            def depth(self):
                return self.size

            @depth.setter
            def depth(self, value):
                self.size = value + 1
        """)


def test_statements_with_different_fstrings_are_different(flatten):
    parent = """
        class LlamaModel:
            def forward(self, x):
                print(f"{x=}")
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def forward(self, x):
                super().forward(x)
                print(f"{x = }")
        """
    assert flatten(modular, parent).only == source("""
        class MyModelModel:
            def forward(self, x):
                print(f"{x=}")
                print(f"{x = }")
        """)


def test_targets_may_have_no_names(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def forward(self, x):
                super().forward(x)
                [] = x
                () = x
        """
    parent = """
        class LlamaModel:
            def forward(self, x):
                [] = x[:0]
                return x
        """
    assert flatten(modular, parent).only == source("""
        class MyModelModel:
            def forward(self, x):
                [] = x
                return x
                () = x
        """)
