"""Columns of a generated line become columns of the line to edit."""

import pytest

from modular.provenance.line_map import LineToEdit


SOURCE = "    self.llama = LlamaMLP(config)"
GENERATED = "        self.olmo2 = Olmo2MLP(config)"


@pytest.mark.parametrize("word", ["    self", "self", ".", "MLP", "config", ")"])
def test_columns_follow_indentation_and_renaming(word: str) -> None:
    source = "    self.mlp = LlamaMLP(config)"
    generated = "        self.mlp = Olmo2MLP(config)"
    edit = LineToEdit("a.py", 1, "inherited", source, generated)
    column = edit.column(generated.rindex(word) + 1)
    assert source[column - 1 :].startswith(word)


def test_a_column_inside_of_a_renamed_part_becomes_its_beginning() -> None:
    edit = LineToEdit("a.py", 1, "inherited", SOURCE, GENERATED)
    column = edit.column(GENERATED.index("Olmo2MLP") + 1)
    assert SOURCE[column - 1 :].startswith("llama = ")


def test_the_end_of_a_longer_line_is_the_end_of_the_line() -> None:
    edit = LineToEdit("a.py", 1, "inherited", SOURCE, GENERATED)
    assert edit.column(len(GENERATED) + 1) == len(SOURCE) + 1
