"""Tests of the rule `del-attribute`."""

import pytest

from modular.source.edits import apply_edits
from tests.support import source


PARENT = """
    class LlamaModel:
        def __init__(self, config):
            self.low = 0
            self.high: int = 1
            self.table["x"] = 2
            self.first, self.second = 3, 4
            if config.deep:
                self.low = 5

        def reset(self):
            self.low = 0
            self.ready = True
    """


def test_del_removes_assignments(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def __init__(self, config):
                super().__init__(config)
                del self.low
                del self.high  # annotated
                del self.table["x"]
        """
    assert flatten(modular, PARENT).only == source("""
        class MyModelModel:
            def __init__(self, config):
                self.first, self.second = 3, 4
                if config.deep:
                    self.low = 5

            def reset(self):
                self.low = 0
                self.ready = True
        """)


def test_several_targets_are_those_of_one_assignment(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def __init__(self, config):
                super().__init__(config)
                del (
                    self.first,  # the first one
                    self.second,
                )

            def reset(self):
                super().reset()
                del self.low, self.ready
        """
    converted = flatten(modular, PARENT)
    assert converted.only == source("""
        class MyModelModel:
            def __init__(self, config):
                self.low = 0
                self.high: int = 1
                self.table["x"] = 2
                if config.deep:
                    self.low = 5

            def reset(self):
                self.low = 0
                self.ready = True
        """)
    [finding] = converted.diagnostics
    assert (finding.code.id, finding.hint) == (
        "MOD401",
        "write one `del` for each target",
    )
    fixed = apply_edits(source(modular), finding.fixes[0].edits)
    assert fixed.endswith("        del self.low\n        del self.ready\n")


def test_methods_unravelled_later_lose_the_assignment_too(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def __init__(self, config):
                super().__init__(config)
                del self.low

            def reset(self):
                super().reset()
        """
    assert flatten(modular, PARENT).only.endswith(
        "    def reset(self):\n        self.ready = True\n"
    )


def test_deleting_an_unassigned_target_is_a_warning(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def reset(self):
                super().reset()
                del self.first
        """
    converted = flatten(modular, PARENT)
    assert converted.codes == [("MOD401", 7)]
    assert converted.only.endswith(
        "    def reset(self):\n        self.low = 0\n        self.ready = True\n"
    )


def test_a_target_may_be_assigned_only_in_a_later_method(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def __init__(self, config):
                super().__init__(config)
                del self.ready

            def reset(self):
                super().reset()
        """
    converted = flatten(modular, PARENT)
    assert converted.codes == [("MOD417", 7)]
    assert converted.only.endswith("    def reset(self):\n        self.low = 0\n")


def test_deleting_a_target_that_is_still_read_is_a_warning(flatten):
    parent = """
        class LlamaModel:
            def __init__(self, config):
                self.low = 0
                self.high = 1

            def forward(self, x):
                return x + self.low
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def __init__(self, config):
                super().__init__(config)
                del self.low
        """
    converted = flatten(modular, parent)
    assert converted.codes == [("MOD402", 7)]
    assert converted.only == source("""
        class MyModelModel:
            def __init__(self, config):
                self.high = 1

            def forward(self, x):
                return x + self.low
        """)


@pytest.mark.parametrize(
    "reading",
    [
        "return x + self.low",
        "return self.low.weight",
        "self.low.weight = x",
        "self.high, x = self.low",
        "return (self.low)",
        'return f"{self.low["x"]} and {"y"}"',
        "return f'{x:{self.low}}'",
        "match x:\n            case self.low:\n                return 1",
    ],
)
def test_these_statements_read_the_target(flatten, reading):
    converted = _without_low(flatten, reading)
    assert converted.codes == [("MOD402", 7)]
    assert converted.diagnostics[0].related.line == 6 + reading[
        : reading.index("self.low")
    ].count("\n")


@pytest.mark.parametrize(
    "statement",
    [
        "self.low = x",
        "self.low: int = x",
        "self.low += x",
        "self.high, (self.low, *rest) = x",
        "for self.low in x:\n            pass",
        "with x as self.low:\n            pass",
        "del self.low",
        "self.lower = x",
        "return x.self.low",
        'setattr(self, "low", x)',
        'self.register_buffer("low", x)',
    ],
)
def test_these_statements_do_not_read_the_target(flatten, statement):
    assert _without_low(flatten, statement).codes == []


def _without_low(flatten, statement):
    """Remove `self.low` from a class with a method that has one more statement."""
    parent = "class LlamaModel:\n    def __init__(self, config):\n        self.low = 0\n\n    def forward(self, x):\n"
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def __init__(self, config):
                super().__init__(config)
                del self.low
        """
    return flatten(modular, f"{parent}        {statement}\n")


def test_a_method_without_statements_has_a_pass(flatten):
    parent = """
        class LlamaModel:
            def __init__(self):
                self.low = 0
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def __init__(self):
                super().__init__()
                del self.low
        """
    assert flatten(modular, parent).only == source("""
        class MyModelModel:
            def __init__(self):
                pass
        """)


def test_without_an_unravelled_call_del_is_kept(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def reset(self):
                del self.low
        """
    assert flatten(modular, PARENT).only.endswith(
        "    def reset(self):\n        del self.low\n"
    )


def test_a_misspelt_target_is_corrected_as_the_hint_says(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def __init__(self, config):
                super().__init__(config)
                del self.hihg
        """
    diagnostics = flatten(modular, PARENT).diagnostics
    [finding] = [item for item in diagnostics if item.code.id == "MOD401"]
    assert finding.hint == "did you mean `self.high`?"
    titles = [fix.title for fix in finding.fixes]
    assert titles == ["Write `self.high`", "Remove the line"]


def test_a_deletion_of_an_item_is_not_said_to_have_no_effect(flatten):
    parent = """
        class LlamaModel:
            def __init__(self, config):
                self.table = {"x": 1}
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def __init__(self, config):
                super().__init__(config)
                del self.table["x"]
        """
    [finding] = flatten(modular, parent).diagnostics
    assert finding.message.startswith('`del self.table["x"]` is dropped')
    assert finding.fixes == ()
