"""Classes that could inherit if something without effect were changed."""

from modular.infer.near_misses import find_near_miss
from modular.infer.parents import ParentClass


def test_classes_with_other_code_or_no_difference_are_no_near_misses():
    one = "class A:\n    def f(self, x):\n        return x + 1\n"
    other = "class A:\n    def f(self, x):\n        return x\n"
    parent = ParentClass("p", "B")
    assert find_near_miss(one, parent, other, set()) is None
    assert find_near_miss(one, parent, one, set()) is None


def test_a_near_miss_names_the_kinds_of_differences_and_what_to_change():
    text = "class A:\n    def f(self, x):\n        return x + 1\n"
    parent_text = (
        "class A:\n    @cache\n    def f(self, states):\n        return states + 1\n"
    )
    near_miss = find_near_miss(text, ParentClass("p", "B"), parent_text, set())
    assert near_miss is not None
    assert near_miss.kinds == ("decorators", "names of variables")
    assert near_miss.changes == (
        "give `f` `@cache`",
        "rename `x` to `states` in `f`",
    )
