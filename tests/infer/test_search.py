"""A modular file holds the imports, guards and definitions that its classes need, and no others."""

from modular.infer.proof import Proof
from tests.infer.conftest import FLAT, LLAMA
from tests.support import source


HEAD = """
    from ...outputs import Output


    class LlamaHead:
        def forward(self, x):
            x = x + 1
            x = x * 2
            x = x - 3
            x = x / 4
            x = x % 5
            return Output(x)
    """


UNUSED = """
    import json


    class LlamaHead:
        def forward(self, x):
            x = x + 1
            x = x * 2
            x = x - 3
            return x


    def read(path):
        return json.loads(path)
    """


def test_unused_definitions_are_not_written(inferred):
    inference = inferred(
        UNUSED.replace("Llama", "MyModel"), UNUSED.replace("read(", "load(")
    )
    assert inference.text == source("""
        from ..llama.modeling_llama import LlamaHead


        class MyModelHead(LlamaHead):
            pass
        """)
    assert [(skipped.line, skipped.reason) for skipped in inference.notes] == [
        (12, "`read` is not generated: nothing uses it")
    ]


def test_exported_definitions_count_as_used(inferred):
    flat = (
        UNUSED.replace("Llama", "MyModel")
        + '\n\n    __all__ = ["MyModelHead", "read"]\n'
    )
    inference = inferred(flat, UNUSED)
    assert (
        inference.text,
        [(skipped.path, skipped.reason) for skipped in inference.by_hand],
    ) == (
        "",
        [(FLAT, "`read` cannot be generated unchanged")],
    )


LAID_OUT = """
    class LlamaEncoder:
        size = 1

        def __init__(self, config):
            self.layers = [config.layer for _ in range(config.layers)]

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return Output(
                x=x,
            )
    """


def test_parents_with_another_layout_do_not_prevent_the_proof(
    inferred,
):
    extra = "\n        def extra_{0}(self, x):\n            return x + {0}\n"
    files = {
        f"models/m{number}/modeling_m{number}.py": LAID_OUT.replace(
            "Llama", f"M{number}"
        ).rstrip(" ")
        + extra.format(number)
        for number in range(6)
    }
    flat = LAID_OUT.replace("Llama", "MyModel").replace(
        "Output(\n                x=x,\n            )", "Output(x=x)"
    )
    other = flat.replace("MyModel", "Other").replace("size = 1", "size = 2").rstrip(
        " "
    ) + extra.format("one")
    inference = inferred(
        flat, LAID_OUT, files=files | {"models/other/modeling_other.py": other}
    )
    assert inference.text == source("""
        from ..other.modeling_other import OtherEncoder


        class MyModelEncoder(OtherEncoder):
            size = 1

            def extra_one(self):
                raise AttributeError("Not needed for MyModelEncoder")
        """)
    assert inference.proof is Proof.IDENTICAL


def test_definitions_and_imports_for_unused_definitions_are_unused(inferred):
    flat = UNUSED.replace("Llama", "MyModel").replace(
        "json.loads(path)", "DECODER.decode(path)"
    )
    flat = flat.replace("    class", "    DECODER = json.JSONDecoder()\n\n\n    class")
    inference = inferred(flat, UNUSED)
    assert inference.proofs == {FLAT: Proof.SHORTENED}
    assert [skipped.reason for skipped in inference.notes] == [
        "`DECODER` is not generated: nothing uses it",
        "`read` is not generated: nothing uses it",
    ]


def test_a_chain_of_unused_functions_is_left_out(inferred):
    chain = "".join(
        f"\n\n    def f{number}(x):\n        return f{number + 1}(x)\n"
        for number in range(2)
    )
    chain += "\n\n    def f2(x):\n        return x\n"
    inference = inferred(HEAD.replace("Llama", "MyModel") + chain, HEAD + chain)
    assert inference.text == source("""
        from ..llama.modeling_llama import LlamaHead


        class MyModelHead(LlamaHead):
            pass
        """)
    assert [skipped.reason for skipped in inference.notes] == [
        f"`f{number}` is not generated: nothing uses it" for number in range(3)
    ]


TABLE = """
    TABLE = {"one": 1, "two": 2}


    class LlamaReader:
        def first(self):
            x = TABLE["one"]
            x = x + 1
            return x

        def second(self):
            x = TABLE["two"]
            x = x + 1
            return x


    class LlamaWriter:
        def third(self, x):
            x = x + 1
            x = x * 2
            x = x - 3
            x = x / 4
            x = x % 5
            return x
    """


def test_an_assignment_with_another_layout_is_not_imported(inferred):
    parent = TABLE.replace(
        '{"one": 1, "two": 2}', '{\n        "one": 1,\n        "two": 2,\n    }'
    )
    inference = inferred(TABLE.replace("Llama", "MyModel"), parent)
    assert inference.proof is Proof.IDENTICAL
    assert [(class_.name, class_.parent is None) for class_ in inference.classes] == [
        ("MyModelReader", True),
        ("MyModelWriter", False),
    ]


def test_a_guard_is_not_written_for_names_that_are_imported_anyway(inferred):
    pil = "models/{0}/image_processing_pil_{0}.py"
    images = """
        from ...utils import is_torch_available


        if is_torch_available():
            import torch


        class {0}ImageProcessorPil:
            def resize(self, image):
                return torch.tensor(image)

            def crop(self, image):
                return {1} * torch.tensor(image)
        """
    model = """
        import torch


        class {0}Head(torch.nn.Module):
            def forward(self, x):
                return {1} * torch.relu(x)

            def backward(self, x):
                x = x + 1
                x = x * 2
                x = x - 3
                return x
        """
    inference = inferred(
        model.format("MyModel", 2),
        model.format("Llama", 1),
        files={
            pil.format("llama"): images.format("Llama", 1),
            pil.format("my_model"): images.format("MyModel", 2),
        },
    )
    assert inference.text == source("""
        import torch

        from ..llama.image_processing_pil_llama import LlamaImageProcessorPil
        from ..llama.modeling_llama import LlamaHead


        class MyModelHead(LlamaHead):
            def forward(self, x):
                return 2 * torch.relu(x)


        class MyModelImageProcessorPil(LlamaImageProcessorPil):
            def crop(self, image):
                return 2 * torch.tensor(image)
        """)
    assert set(inference.proofs.values()) == {Proof.IDENTICAL}


def test_only_the_class_with_an_error_loses_its_parent(inferred):
    parent = """
        from ...outputs import Output


        class LlamaOutput(Output):
            def __init__(self, a, b, c):
                self.a = a
                self.b = b
                self.c = c


        class LlamaHead:
            def forward(self, x):
                x = x + 1
                x = x * 2
                x = x - 3
                x = x / 4
                return x
        """
    output = """
        class Output:
            def __init_subclass__(cls):
                cls.names = list(vars(cls))
        """
    settings = '[tool.modular]\ninheritance = "python"\n'
    inference = inferred(
        parent.replace("Llama", "MyModel"),
        parent,
        {"outputs.py": source(output), "pyproject.toml": settings},
    )
    parents = {class_.name: class_.parent for class_ in inference.classes}
    assert parents["MyModelOutput"] is None
    assert parents["MyModelHead"] == (LLAMA, "LlamaHead")
