"""A class that is written anew keeps the comments of its members."""

from modular.infer.modular_edits import with_old_members
from modular.source import module as modules
from tests.support import source


OLD = source("""
    class Owl(Eagle):
        @property
        def size(self):
            return 1

        # In feet.
        @size.setter
        def size(self, value):
            self.feet = value
    """)


def test_a_comment_above_a_setter_stays_there_if_the_property_changes():
    (old_class,) = modules.read("", OLD).block.statements
    new = OLD.replace("    # In feet.\n", "").replace("return 1", "return self.feet")
    expected = OLD.replace("return 1", "return self.feet")
    assert with_old_members(old_class, new) == expected


def test_a_member_stays_if_it_would_become_longer():
    (old_class,) = modules.read("", OLD).block.statements
    new = OLD.replace("return 1", "size = self.feet\n        return size")
    new = new.replace("self.feet = value", "return")
    kept = with_old_members(old_class, new, keeps_shorter=True)
    assert kept == OLD.replace("self.feet = value", "return")
