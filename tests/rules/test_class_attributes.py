"""Tests of the rule `class-attributes`."""

from tests.support import source


def modular(*lines: str) -> str:
    """A modular file with one class with these lines."""
    body = "".join(f"    {line}\n" for line in lines)
    return f"from ..llama.modeling_llama import LlamaThing\n\n\nclass MyModelThing(LlamaThing):\n{body}"


def test_an_attribute_is_replaced_in_place_with_its_comments(flatten):
    parent = """
        class LlamaThing:
            first = 1
            # How wide it is.
            second: int = 2
            third = 3  # the last
        """
    text = flatten(modular("new = 4", "# Wider.", "second = 5  # changed"), parent).only
    assert text == source("""
        class MyModelThing:
            first = 1
            # Wider.
            second = 5  # changed
            third = 3  # the last
            new = 4
        """)


def test_attribute_error_removes_an_attribute(flatten):
    parent = """
        class LlamaThing:
            first = 1
            second: int = 2
            third = 3
        """
    own = modular("first = AttributeError()", 'second: int = AttributeError("gone")')
    assert flatten(own, parent).only == source("""
        class MyModelThing:
            third = 3
        """)


def test_a_class_without_members_has_a_pass(flatten):
    parent = """
        class LlamaThing:
            first = 1
        """
    assert flatten(modular("first = AttributeError()"), parent).only == source("""
        class MyModelThing:
            pass
        """)


def test_removing_a_missing_attribute_is_a_warning(flatten):
    parent = """
        class LlamaThing:
            first = 1
        """
    converted = flatten(modular("second = AttributeError()"), parent)
    assert converted.codes == [("MOD403", 5)]
    assert converted.only == source("""
        class MyModelThing:
            first = 1
        """)


def test_an_attribute_replaces_a_property(flatten):
    parent = """
        class LlamaThing:
            first = 1

            @property
            def size(self):
                return self._size

            @size.setter
            def size(self, value):
                self._size = value

            def forward(self):
                return 2
        """
    assert flatten(modular("size = 3"), parent).only == source("""
        class MyModelThing:
            first = 1
            size = 3

            def forward(self):
                return 2
        """)


def test_attribute_error_removes_a_method(flatten):
    parent = """
        class LlamaThing:
            def forward(self):
                return 2

            def reset(self):
                return 3
        """
    converted = flatten(modular("reset = AttributeError()"), parent)
    assert converted.codes == []
    assert converted.only == source("""
        class MyModelThing:
            def forward(self):
                return 2
        """)


def test_a_method_does_not_replace_an_attribute(flatten):
    parent = """
        class LlamaThing:
            size = 1
        """
    own = """
        from ..llama.modeling_llama import LlamaThing


        class MyModelThing(LlamaThing):
            def size(self):
                return 2
        """
    assert flatten(own, parent).only == source("""
        class MyModelThing:
            size = 1

            def size(self):
                return 2
        """)


def test_an_annotation_without_a_value_is_an_attribute(flatten):
    parent = """
        class LlamaThing:
            first: int
            second: str
        """
    assert flatten(modular("second: bytes", "third: float"), parent).only == source("""
        class MyModelThing:
            first: int
            second: bytes
            third: float
        """)


def test_items_and_tuples_are_replaced_by_the_same_target(flatten):
    parent = """
        class LlamaThing:
            low, high = 0, 1
            names = {}
            names["low"] = low
            names["high"] = high
        """
    assert flatten(
        modular("low, high = 0, 9", 'names["high"]: int = 8'), parent
    ).only == source("""
        class MyModelThing:
            low, high = 0, 9
            names = {}
            names["low"] = low
            names["high"]: int = 8
        """)


def test_several_attributes_may_be_on_one_line(flatten):
    parent = """
        class LlamaThing: first = 1; second = 2; third = 3  # three
        """
    own = """
        from ..llama.modeling_llama import LlamaThing


        class MyModelThing(LlamaThing): second = 5; fourth = 4
        """
    assert flatten(own, parent).only == source("""
        class MyModelThing:
            first = 1
            second = 5
            third = 3  # three
            fourth = 4
        """)


def test_other_statements_are_dropped(flatten):
    parent = """
        class LlamaThing:
            class Inner:
                pass

            size = 1
            size += 1
            for _ in range(3):
                size = 2
        """
    assert flatten(
        modular("if True:", "    size = 3", "print(4)"), parent
    ).only == source("""
        class MyModelThing:
            size = 1
        """)


def test_a_value_may_be_on_several_lines(flatten):
    parent = """
        class LlamaThing:
            plan = {
                "up": "column",  # first
                "down": "row",
            }
            keys = ["past"]
        """
    own = modular("plan = {", '    "up": "row",', "    # nothing more", "}")
    assert flatten(own, parent).only == source("""
        class MyModelThing:
            plan = {
                "up": "row",
                # nothing more
            }
            keys = ["past"]
        """)


def test_only_a_plain_value_removes(flatten):
    """What may be another value is an attribute like any other."""
    parent = """
        class LlamaThing:
            first = 1
            second = 2
        """
    own = modular(
        "first = AttributeError() if FLAG else 2", "second = [AttributeError()]"
    )
    assert flatten(own, parent).only == source("""
        class MyModelThing:
            first = AttributeError() if FLAG else 2
            second = [AttributeError()]
        """)


def test_a_removal_leaves_another_assignment_of_the_class_alone(flatten):
    """Upstream's converter removes the parent's attribute, and appends that of the modular file."""
    parent = """
        class LlamaThing:
            first = 1
            second = 2
        """
    expected = source("""
        class MyModelThing:
            second = 2
            first = 3
        """)
    removal = "first = AttributeError()"
    assert flatten(modular("first = 3", removal), parent).only == expected
    assert flatten(modular(removal, "first = 3"), parent).only == expected
    assert flatten(modular(f"first = 3; {removal}"), parent).only == expected
