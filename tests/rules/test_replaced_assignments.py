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
        # The name of a class may consist of capitals.
        (
            ["self.act = nn.SiLU()", "self.down = 2"],
            ["self.act = nn.GELU()"],
            ["self.act = nn.GELU()", "self.down = 2"],
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
        (
            ["self.up = len(config)", "self.down = 2"],
            ["self.up = 3"],
            ["self.up = 3", "self.down = 2"],
        ),
        (
            ["self.up = config.size > 2", "self.down = 2"],
            ["self.up = 3"],
            ["self.up = 3", "self.down = 2"],
        ),
        # Only the first one replaces the parent's.
        (
            ["self.up = 1", "self.down = 2"],
            ["self.up = 3", "self.up = 4"],
            ["self.up = 3", "self.down = 2", "self.up = 4"],
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
        (["self.up = 1", "self.down = 2"], ["self.up = 2 * self.up"]),
        (["self.up = 1", 'self.down = getattr(self, "up")'], ["self.up = 2"]),
        (["self.up = 1", "self.reset()"], ["self.up = 2"]),
        (["self.up = 1", "register(self)"], ["self.up = 2"]),
        (["self.up = 1", "super().__init__()"], ["self.up = 2"]),
        (["self.up = 1", "self.down = 2"], ["print(self.up)", "self.up = 3"]),
        (["self.up = 1", "self.down = len(self)"], ["self.up = 2"]),
        (["self.up = 1", "self.down = self[0]"], ["self.up = 2"]),
        (["self.up = 1", "self.down = self(0)"], ["self.up = 2"]),
        (["self.up = 1", "self.down = self + 1"], ["self.up = 2"]),
        (["self.up = 1", "self.down = self.act.size"], ["self.up = 2"]),
        (["self.up = 1", "hook()"], ["self.up = 2"]),
        (["me = self", "self.up = 1", "me.down = 2"], ["self.up = 2"]),
        (["me = self", "self.up = 1", "self.down = me.size"], ["self.up = 2"]),
        (
            ["self.part = Part(self)", "self.up = 1", "self.down = config.size"],
            ["self.up = 2"],
        ),
        (["self.up = 1", "for i in config:", "    self.down = i"], ["self.up = 2"]),
        # Something above has set the attribute, too.
        (["self.grow()", "self.up = 1"], ["del self.up"]),
        # The order of two calls.
        (["self.up = 1", "self.down = next(config)"], ["self.up = next(config)"]),
        (["self.up = next(config)"], ["self.up = 2"]),
        (["self.up = list(config)"], ["self.up = 2"]),
        (["self.up = [i for i in config]"], ["self.up = 2"]),
        (["self.up = 1 in config"], ["self.up = 2"]),
        (["self.up = len(next(config))"], ["self.up = 2"]),
        (["self.up = [i for i in list(config)]"], ["self.up = 2"]),
        (["self.up = (low := 3)", "self.down = low"], ["self.up = 2"]),
        (["self.up = HOOK(1)"], ["self.up = 2"]),
        (["self.up = 1", "self.down: int = next(config)"], ["self.up = 2"]),
        (["self.up = 1", "config.down: int = 2"], ["self.up = 2"]),
        (["self.up = 1", "if next(config):", "    self.down = 1"], ["self.up = 2"]),
        # Another attribute has the name.
        (["config.up = 1", "self.down = 2"], ["self.up = 2"]),
        (["self.down = self.up", "self.low = 2"], ["self.up = 2"]),
        (["self.down = 2", "del self.up", "self.low = 3"], ["self.up = 2"]),
        # The value reads what it would replace.
        (["self.up = 1"], ["self.up = self.up"]),
        (["self.up = 1"], ["self.up = 2 * self.up"]),
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
        # The class of the instance decides what later assignments do.
        (["self.__class__ = Up", "self.down = 2"], ["self.__class__ = Down"]),
    ],
)
def test_another_assignment_comes_after(flatten_like_python, parent, child):
    assert merge(flatten_like_python, parent, child) == [*parent, *child]


def test_the_body_of_a_method_that_reads_all_attributes_is_not_copied(
    flatten_like_python,
):
    parent = ["self.up = 1", "self.down = self.__dict__"]
    merged = merge(flatten_like_python, parent, ["self.up = 2"])
    assert merged == ["self._llama_model_init(config)", "self.up = 2"]


@pytest.mark.parametrize(
    ("head", "members"),
    [
        ("LlamaModel(Base)", ""),
        ("LlamaModel", "    def __getattr__(self, name): pass\n"),
        ("LlamaModel", "    def __setattr__(self, name, value): pass\n"),
        ("LlamaModel", "    @property\n    def down(self): pass\n"),
        ("LlamaModel", "    @property\n    def up(self): pass\n"),
    ],
)
def test_an_attribute_that_may_run_code_is_set_twice(
    flatten_like_python, head, members
):
    parent = (
        f"from ...library import Base\n\n\nclass {head}:\n"
        "    def __init__(self):\n        self.up = 1\n        self.low = self.down\n"
        f"\n{members}"
    )
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModel(LlamaModel):
            def __init__(self):
                super().__init__()
                self.up = 2
        """
    text = flatten_like_python(modular, parent).only
    assert "        self.up = 1\n        self.low = self.down\n" in text
    assert "        self.low = self.down\n        self.up = 2\n" in text


@pytest.mark.parametrize(
    ("old", "new", "is_replaced"),
    [
        ("1", "2", True),
        ("nn.Linear(1)", "nn.Linear(2)", True),
        ("Part(1)", "nn.Linear(2)", True),
        ("1", "Linear(2)", False),
        ("Linear(1)", "2", False),
        ("nn.Linear(1)", "2", False),
        ("nn.Linear(1)", "layers.Part(2)", False),
        ("nn.Parameter(1)", "nn.Linear(2)", False),
        ("1", "2 if size else Linear(2)", False),
        ("1", "Linear(2) if size else 2", False),
    ],
)
def test_a_module_keeps_parts_and_values_apart(
    flatten_like_python, old, new, is_replaced
):
    parent = f"""
        from torch import nn


        class Part(nn.Module): ...


        class LlamaModel(nn.Module):
            def __init__(self, size):
                super().__init__()
                self.up = {old}
                self.down = Part(3)
        """
    modular = f"""
        from torch import nn

        from ... import layers
        from ..llama.modeling_llama import LlamaModel


        class MyModel(LlamaModel):
            def __init__(self, size):
                super().__init__(size)
                self.up = {new}
        """
    text = flatten_like_python(modular, parent).only
    if is_replaced:
        assert f"self.up = {new}\n        self.down = Part(3)\n" in text
    else:
        assert f"self.up = {old}\n        self.down = Part(3)\n" in text
        assert f"self.down = Part(3)\n        self.up = {new}\n" in text


@pytest.mark.parametrize(
    ("init", "is_replaced"),
    [
        ("self.size = size", True),
        ("self.part = Inner(size)", True),
        ("self.size = next(size)", False),
        ("Part.count += 1", False),
        ("self.part = Outer(size)", False),
        ("self.part = Part(size)", False),
        ("self.total = size", False),
    ],
)
def test_an_object_of_a_class_that_does_more_is_made_twice(
    flatten_like_python, init, is_replaced
):
    parent = f"""
        class Inner:
            def __init__(self, size):
                self.size = size


        class Outer:
            def __init__(self, size):
                self.size = print(size)


        class Counter:
            @property
            def total(self):
                return 1

            @total.setter
            def total(self, value):
                print(value)


        class Part(Counter):
            count = 0

            def __init__(self, size):
                {init}


        class LlamaModel:
            def __init__(self, size):
                self.up = Part(size)
                self.down = 2
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModel(LlamaModel):
            def __init__(self, size):
                super().__init__(size)
                self.up = 3
        """
    text = flatten_like_python(modular, parent).only
    assert ("self.up = Part(size)" not in text) is is_replaced


@pytest.mark.parametrize("line", ["self.up = 1", "pass"])
def test_an_attribute_that_the_child_sets_above_the_call_is_deleted(
    flatten_like_python, line
):
    parent = f"""
        class LlamaModel:
            def __init__(self):
                {line}
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModel(LlamaModel):
            def __init__(self):
                self.up = 2
                super().__init__()
                del self.up
        """
    assert flatten_like_python(modular, parent).only.endswith("        del self.up\n")


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


@pytest.mark.parametrize(
    ("class_", "is_replaced"),
    [
        ("class Part(Base):\n    size = 1", True),
        ("class Part(nn.Module):\n    def __init__(self, size): super().__init__()", True),
        ("class Part:\n    def __new__(cls, size): cls.count = size", False),
        ("class Part:\n    __init__ = print", False),
        ("class Root:\n    __init__ = print\n\n\nclass Part(Root):\n    size = 1", False),
    ],
)  # fmt: skip
def test_an_object_is_not_made_if_its_class_only_sets_attributes(
    flatten_like_python, class_, is_replaced
):
    parent = (
        f"from torch import nn\n\nfrom ...library import Base\n\n\n{class_}\n\n\n"
        "class LlamaModel:\n    def __init__(self, size):\n"
        "        self.up = Part(size)\n        self.down = 2\n"
    )
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModel(LlamaModel):
            def __init__(self, size):
                super().__init__(size)
                self.up = 3
        """
    text = flatten_like_python(modular, parent).only
    assert ("self.up = Part(size)" not in text) is is_replaced


def test_an_attribute_that_torch_sets_is_deleted(flatten_like_python):
    parent = """
        from torch import nn


        class LlamaModel(nn.Module):
            def __init__(self):
                super().__init__()
                self.training = 1
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModel(LlamaModel):
            def __init__(self):
                super().__init__()
                del self.training
        """
    assert "        del self.training\n" in flatten_like_python(modular, parent).only
