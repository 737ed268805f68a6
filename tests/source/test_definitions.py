"""The definitions of a file at module level."""

from modular.source.blocks import Statement
from modular.source.definitions import ModuleBinding, find_definitions
from modular.source.module import read
from tests.support import source


TEXT = source("""
    import os

    LIMIT = 1


    def rotate(x):
        inner = x
        return inner


    class Layer:
        size = 1


    TABLE = {}
    TABLE["a"] = 1
    TABLE["b"] = 2
    LIMIT = 2
    """)


def test_definitions_are_found_by_kind() -> None:
    defined = find_definitions(read("x.py", TEXT))
    assert list(defined.functions) == ["rotate"]
    assert list(defined.classes) == ["Layer"]
    assert [key.rstrip() for key in defined.assignments] == [
        "LIMIT",
        "TABLE",
        'TABLE["a"] = 1',
        'TABLE["b"] = 2',
    ]


def test_items_of_a_table_are_listed_under_its_name() -> None:
    defined = find_definitions(read("x.py", TEXT))
    keys = [key for key in defined.assignments if key.startswith("TABLE[")]
    assert len(keys) == 2
    assert defined.items == {"TABLE": keys}


def test_the_last_of_two_assignments_counts_at_the_line_of_the_first() -> None:
    defined = find_definitions(read("x.py", TEXT))
    assert defined.assignments["LIMIT"].original.line == 18
    assert defined.lines["LIMIT"] == 3


def test_a_statement_is_renamed_once_when_it_is_first_used() -> None:
    binding = find_definitions(read("x.py", TEXT)).classes["Layer"]
    other = find_definitions(read("y.py", "class Block:\n    pass\n")).classes["Block"]
    renamed: list[Statement] = []

    def rename(statement: Statement) -> Statement:
        renamed.append(statement)
        return other.original

    lazy = ModuleBinding("Layer", binding.original, rename)
    assert renamed == []
    assert lazy.statement is other.original
    assert lazy.statement is other.original
    assert renamed == [binding.original]
    assert "Block" in lazy.words
