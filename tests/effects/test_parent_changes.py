"""Which classes and functions of a parent file changed."""

import pytest

from modular.effects.parent_changes import ParentChanges


OLD = """\
class Leaf(Module):
    def grow(self, by):
        return by


class BigLeaf(Leaf):
    pass


class Root(Module):
    pass


def water(root, amount):
    return root + amount
"""


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        # The body of a function concerns nobody who calls it; its header does.
        ("return root + amount", "return amount + root", set()),
        ("def water(root, amount)", "def water(root)", {"water"}),
        # A class changes with its base.
        ("return by", "return by + 1", {"Leaf", "BigLeaf"}),
        ("class Leaf(Module)", "class Leaf(Other)", {"Leaf", "BigLeaf"}),
        ("class Root(Module):\n    pass", "class Root(Module):\n    size = 1", {"Root"}),
        # A class that is gone, and one that came.
        ("class Root(Module):\n    pass", "ROOT = 1", {"Root"}),
        ("ROOT", "TRUNK", set()),
        # An open bracket hides the classes below it.
        ("(Module):\n    def grow(self, by)", "(Module):\n    def grow(self, (by)",
         {"Leaf", "BigLeaf", "Root", "water"}),
    ],
)  # fmt: skip
def test_a_change_is_that_of_a_class_or_of_the_header_of_a_function(
    old: str, new: str, names: set[str]
) -> None:
    changes = ParentChanges({"tree.py": OLD}, {"tree.py": OLD.replace(old, new)})
    assert changes.changed_names("tree.py") == names


def test_a_class_above_its_base_changes_with_it() -> None:
    old = "class A(B):\n    pass\n\nclass B(C):\n    pass\n\nclass C:\n    x = 1\n"
    changes = ParentChanges({"a.py": old}, {"a.py": old.replace("x = 1", "x = 2")})
    assert changes.changed_names("a.py") == {"A", "B", "C"}


def test_a_class_whose_bases_nobody_can_read_counts_as_changed() -> None:
    old = "class A(*):\n    pass\n\nclass B:\n    x = 1\n"
    changes = ParentChanges({"a.py": old}, {"a.py": old.replace("x = 1", "x = 2")})
    assert changes.changed_names("a.py") == {"A", "B"}


def test_a_file_that_is_new_or_gone_has_no_changed_names() -> None:
    changes = ParentChanges({"old.py": OLD}, {"new.py": OLD})
    assert changes.files_with_changed_names(["old.py", "new.py", "other.py"]) == set()
