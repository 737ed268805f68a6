"""What a model's result says: reasons, advice and the lines that are saved."""

from modular.infer.inference import Inference
from modular.infer.proof import Proof
from tests.infer.conftest import FLAT, PARENT


CONFIG = "models/my_model/configuration_my_model.py"

CONFIG_CLASS = "    class MyModelConfig:\n        size = 1\n\n\n"


def test_a_class_in_the_wrong_file_is_named_with_the_right_one(inferred):
    flat = PARENT.replace("Llama", "MyModel")
    misplaced = flat.replace(
        "    class MyModelNorm", f"{CONFIG_CLASS}    class MyModelNorm"
    )
    inference = inferred(misplaced)
    assert inference.text == ""
    assert [skipped.reason for skipped in inference.by_hand] == [
        "`MyModelConfig` belongs in the configuration file"
    ]
    assert next(inference.summary()).endswith(
        ": no modular file: none of the flat files can be generated"
    )


def test_unused_code_that_is_not_generated_is_no_saved_line(inferred):
    flat = PARENT.replace("Llama", "MyModel")
    unused = "\n\n    def unused(x):\n        x = x + 1\n        return x\n"
    without = inferred(flat)
    inference = inferred(flat + unused)
    assert inference.flat_lines == without.flat_lines + 5
    assert inference.saved_lines == without.saved_lines
    assert ", 5 not generated; identical except for dropped lines" in next(
        inference.summary()
    )


def test_a_docstring_that_only_the_modular_file_keeps_is_no_saved_line(inferred):
    docstring = '    """A model.\n\n    Line 1.\n    Line 2.\n    """\n\n'
    flat = PARENT.replace("Llama", "MyModel")
    without = inferred(flat)
    inference = inferred(docstring + flat.lstrip("\n"))
    assert "Line 2." in inference.text
    assert inference.saved_lines == without.saved_lines


def test_a_modular_file_that_only_drops_code_is_not_written(inferred):
    lines = "        size = 1\n" * 8
    unused = "\n\n    def unused(x):\n        x = x + 1\n        return x\n"
    flat = f"    class MyModelBlock:\n{lines}{unused}"
    inference = inferred(flat)
    assert inference.text == ""
    assert [skipped.reason for skipped in inference.by_hand] == [
        "no other model has code that it could inherit"
    ]


def test_a_statement_that_is_not_generated_is_reported_with_its_line(inferred):
    flat = (
        PARENT.replace("Llama", "MyModel") + "\n\n    if nn.flag:\n        kind = 1\n"
    )
    inference = inferred(flat)
    assert [
        (skipped.path, skipped.line, skipped.reason) for skipped in inference.by_hand
    ] == [(FLAT, 45, "`if nn.flag:` cannot be generated unchanged")]


def test_a_proposal_that_adds_more_lines_than_it_saves_is_not_written(inferred):
    head = "    class LlamaHead:\n        size = 1\n        kind = 2\n"
    inference = inferred(head.replace("Llama", "MyModel"), head)
    assert inference.text == ""
    assert [skipped.reason for skipped in inference.by_hand] == [
        "what it could inherit saves fewer lines than the modular file adds"
    ]


def test_of_equal_parents_the_one_whose_name_begins_the_models_name_is_chosen(inferred):
    files = {"models/my/modeling_my.py": PARENT.replace("Llama", "My")}
    inference = inferred(PARENT.replace("Llama", "MyModel"), files=files)
    paths = {class_.parent.path for class_ in inference.classes if class_.parent}
    assert paths == {"models/my/modeling_my.py"}


def test_a_file_without_its_copy_comments_is_not_called_reordered(inferred):
    copied = (
        "    # Copied from models.llama.modeling_llama.LlamaModel with Llama->MyModel\n"
    )
    flat = PARENT.replace("Llama", "MyModel").replace("    class", f"{copied}    class")
    inference = inferred(flat)
    assert set(inference.proofs.values()) == {Proof.SHORTENED}


def test_the_weakest_proof_of_several_files_counts():
    proofs = {"a": Proof.REORDERED, "b": Proof.IDENTICAL, "c": Proof.SHORTENED}
    inference = Inference("my", "modular_my.py", proofs=proofs)
    assert inference.proof is Proof.REORDERED
    assert Inference("my", "modular_my.py").proof is None
