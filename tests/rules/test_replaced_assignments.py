"""Tests of the rule `replaced-assignments`."""

import pytest

from tests.support import source


PARENT = """
    class LlamaModel:
        def __init__(self, config):
            {}
    """
MODULAR = """
    from ..llama.modeling_llama import LlamaModel


    class MyModel(LlamaModel):
        def __init__(self, config):
            super().__init__(config)
            {}
    """


def merge(flatten, parent, child):
    """Convert two bodies of `__init__`, and return the statements of the merged one."""
    indent = "\n" + " " * 12
    texts = [
        template.format(indent.join(lines))
        for template, lines in ((MODULAR, child), (PARENT, parent))
    ]
    lines = flatten(*texts).only.splitlines()
    start = lines.index("    def __init__(self, config):") + 1
    return [line.removeprefix(" " * 8) for line in lines[start:]]


@pytest.mark.parametrize(
    ("parent", "child", "merged"),
    [
        (
            ["self.up = Linear(1)", "self.down = Linear(2)"],
            ["self.up = Linear(3)  # wide"],
            ["self.up = Linear(3)  # wide", "self.down = Linear(2)"],
        ),
        (
            ["self.up = Linear(1)", "self.down = Linear(2)"],
            ["del self.up"],
            ["self.down = Linear(2)"],
        ),
        (
            ["self.up = 1", "self.down = 2", "self.act = 3"],
            ["del self.act, self.up", "self.down = 4"],
            ["self.down = 4"],
        ),
        (
            ["size = config.size", "self.up = Linear(size)", "self.down = 2"],
            ["self.up = Linear(config.size)"],
            ["size = config.size", "self.up = Linear(config.size)", "self.down = 2"],
        ),
    ],
)
def test_an_assignment_replaces_the_parents(flatten_like_python, parent, child, merged):
    assert merge(flatten_like_python, parent, child) == merged


@pytest.mark.parametrize(
    ("parent", "child"),
    [
        # Something between reads the attribute, or may read it.
        (["self.up = 1", "self.down = self.up"], ["self.up = 2"]),
        (["self.up = 1", "self.down = getattr(self, 'up')"], ["self.up = 2"]),
        (["self.up = 1", "self.reset()"], ["self.up = 2"]),
        (["self.up = 1", "register(self)"], ["self.up = 2"]),
        (["self.up = 1", "super().__init__()"], ["self.up = 2"]),
        (["self.up = 1", "self.down = 2"], ["print(self.up)", "self.up = 3"]),
        # The value needs what is set between.
        (["self.up = 1", "self.down = 2"], ["self.up = self.down"]),
        (["self.up = 1", "self.low = 2"], ["down = 3", "self.up = down"]),
        (["self.up = 1", "config.size = 2"], ["self.up = config.size"]),
        (["self.up = 1", "self.low = []"], ["self.up = self.build()"]),
        # The parent assigns it otherwise.
        (["if config.deep:", "    self.up = 1"], ["self.up = 2"]),
        (["self.up = 1", "self.up += 1"], ["self.up = 2"]),
        (["self.up: int = 1"], ["self.up = 2"]),
        (["self.up = self.build()"], ["self.up = 2"]),
        (["self.up = 1"], ["self.up: int = 2"]),
        (["self.up, self.down = 1, 2"], ["self.up = 2"]),
        (["self.up = 1"], ["del self.down"]),
        (["self.up = 1", "self.reset()"], ["del self.up"]),
    ],
)
def test_another_assignment_comes_after(flatten_like_python, parent, child):
    merged = merge(flatten_like_python, parent, child)
    assert merged[-len(child) :] == child


def test_statements_do_not_move_and_are_not_dropped(flatten_like_python):
    parent = """
        class LlamaModel:
            def __init__(self, config):
                super().__init__()
                self.post_init()
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModel(LlamaModel):
            def __init__(self, config):
                size = 1
                super().__init__(config)
                self.size = size
                self.post_init()
        """
    assert flatten_like_python(modular, parent).only == source("""
        class MyModel:
            def __init__(self, config):
                size = 1
                super().__init__()
                self.post_init()
                self.size = size
                self.post_init()
        """)
