"""Tests of the rule `load-order`."""

import pytest

from tests.flatten.test_layout import order


@pytest.mark.parametrize(
    "first",
    [
        "class A(Later):\n    pass",
        "class A:\n    part = Later",
        "class A:\n    part: Later",
        "class A:\n    @Later\n    def run(self):\n        pass",
        "class A:\n    def run(self, x=Later):\n        pass",
        "class A:\n    def run(self) -> Later:\n        pass",
        "class A:\n    def run(\n        self, x=Later\n    ):\n        pass",
        "class A:\n    class Inner(Later):\n        pass",
        "class A:\n    class Inner:\n        part = Later",
        "class A:\n    if True:\n        part = Later",
        "@Later\nclass A:\n    pass",
        "class A:\n    run = lambda self, x=Later: x",
        "class A:\n    total = sum(Later(part) for part in parts)",
        "class A:\n    total = (lambda: Later)()",
        "class A:\n    Later.part = 1",
        "class A:\n    Later += 1",
        "class A:\n    match one:\n        case Later(part=1):\n            pass",
        'class A:\n    part = f"{Later("x")} and {"y"}"',
    ],
)
def test_a_name_used_at_import_is_defined_before(flatten, first):
    assert order(
        flatten(
            f"{first}\n\n\nclass Other:\n    pass\n\n\nclass Later:\n    pass\n"
        ).only
    ) == [
        "Later",
        "A",
        "Other",
    ]


@pytest.mark.parametrize(
    "first",
    [
        "class A:\n    def run(self):\n        return Later",
        "class A:\n    run = lambda self: Later",
        "class A:\n    run = 'Later'",
        "class A:\n    Later = 1",
        "class A:\n    Later: int",
        "class A:\n    Later, (other, *rest) = 1, (2, 3)",
        "class A:\n    for Later in range(3):\n        pass",
        "class A:\n    with one as Later:\n        pass",
        "class A:\n    from elsewhere import Later",
        "class A:\n    part = other.Later",
        "class A:\n    part = run(Later=1)",
        "class A:\n    def Later(self, Later=1):\n        pass",
        "class A:\n    del Later",
        'class A:\n    def run(self):\n        return f"{Later("x")} and {"y"}"',
    ],
)
def test_a_name_used_later_keeps_its_place(flatten, first):
    assert order(flatten(f"{first}\n\n\nclass Later:\n    pass\n").only) == [
        "A",
        "Later",
    ]


def test_a_moved_definition_moves_its_dependencies(flatten):
    modular = """
        class A(B):
            part = D


        class D:
            pass


        class C:
            pass


        class B(C):
            pass
        """
    assert order(flatten(modular).only) == ["D", "C", "B", "A"]


def test_classes_that_need_each_other_stay(flatten):
    modular = """
        class A:
            part = B


        class B:
            part = A
        """
    assert order(flatten(modular).only) == ["B", "A"]


def test_what_a_function_reads_that_runs_at_import_time_moves_above_its_call(
    flatten_like_python,
):
    parent = """
        TABLE = {}


        def names():
            return TABLE


        class LlamaModel:
            def step(self):
                return names()


        TABLE["key"] = LlamaModel
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel

        LIMIT = 5


        def measure():
            return LIMIT


        class MyModelModel(LlamaModel):
            size = measure()
        """
    text = flatten_like_python(modular, parent).only
    code = ["LIMIT = 5", "size = measure()", 'TABLE["key"] = MyModelModel']
    positions = [text.index(line) for line in code]
    assert positions == sorted(positions)


def test_two_classes_that_register_themselves_need_no_order(flatten_like_python):
    parent = """
        NAMES = {}


        def register(name):
            def add(class_):
                NAMES[name] = class_
                return class_

            return add


        @register("llama")
        class LlamaModel:
            def names(self):
                return sorted(NAMES)
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel, register


        @register("olmo")
        class MyModelText(LlamaModel):
            def names(self):
                return [super().names()]
        """
    converted = flatten_like_python(modular, parent)
    assert converted.codes == [("MOD308", 5)]
    names = ["NAMES = {}", "def register", "class MyModelModel:", "class MyModelText("]
    positions = [converted.only.index(name) for name in names]
    assert positions == sorted(positions)
