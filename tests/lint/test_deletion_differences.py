"""Tests of the rules about code below an unravelled call that Python never runs, or that undoes an assignment."""

import pytest

from tests.support import source


PARENT = """
    class LlamaLayer:
        def __init__(self, config):
            self.size = config.size
            self.rate = self.size

        def forward(self, x):
            self.seen = x

        def embed(self, x):
            return x

        def refuse(self, x):
            self.seen = x
            raise ValueError(x)

        def find(self, x):
            if not x:
                return
            self.seen = x

        def search(self, x):
            if not x:
                return
            raise ValueError(x)

        def grow(self):
            self.size = 2 * self.size
    """


def codes(
    flatten,
    body: str,
    reported: tuple[str, ...] = ("MOD417", "MOD417"),
    parent: str = PARENT,
) -> list[tuple[str, int]]:
    """Return the findings about a method, with lines from 1 for its first line."""
    modular = "from ..llama.modeling_llama import LlamaLayer\nclass MyModelLayer(LlamaLayer):\n"
    for line in source(body).splitlines():
        modular += f"    {line}\n"
    found = flatten(modular, parent).codes
    return [(code, line - 2) for code, line in found if code in reported]


@pytest.mark.parametrize(
    ("other", "expected"),
    # If no other method sets the attribute, reading it is another finding.
    [("self.size = 2", [("MOD417", 3)]), ("del self.size", [])],
)
def test_a_deletion_is_reported_if_another_method_also_sets_the_attribute(
    flatten, other, expected
):
    parent = f"""
        class LlamaLayer:
            def __init__(self):
                self.size = 1
                self.rate = self.size

            def shrink(self):
                {other}
        """
    body = """
        def __init__(self):
            super().__init__()
            del self.size
        """
    assert codes(flatten, body, parent=parent) == expected


def test_code_below_a_returned_call_is_reported(flatten):
    body = """
        def forward(self, x):
            return super().forward(x)
            self.seen = 8
        """
    assert codes(flatten, body) == [("MOD417", 3)]


def test_code_that_nothing_runs_either_way_is_not_reported(flatten):
    body = """
        def embed(self, x):
            return super().embed(x)
            self.seen = 8
        """
    assert codes(flatten, body) == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(
            """
            def embed(self, x):
                return super().embed(x)
                self.seen = 8
                self.size = 4
            """,
            [("MOD423", 3)],
            id="two statements below the parent's return",
        ),
        pytest.param(
            """
            def refuse(self, x):
                return super().refuse(x)
                self.size = 4
            """,
            [("MOD423", 3)],
            id="a statement below the parent's raise",
        ),
        pytest.param(
            """
            def refuse(self, x):
                return super().refuse(x)
                self.size = 4
                self.seen = 8
            """,
            # The parent's assignment to `self.seen` is above its `raise`.
            [("MOD423", 3), ("MOD417", 4)],
            id="an assignment that replaces the parent's",
        ),
        pytest.param(
            """
            def refuse(self, x):
                return super().refuse(x)
                self.size = 4
                del self.seen
            """,
            [("MOD423", 3), ("MOD417", 4)],
            id="a del that removes the parent's assignment",
        ),
        pytest.param(
            """
            def embed(self, x):
                return super().embed(x)
                return x
            """,
            [],
            id="a statement that the parent's body contains already",
        ),
    ],
)
def test_each_statement_below_a_returned_call_either_may_run_or_never_runs(
    flatten, body, expected
):
    assert codes(flatten, body, reported=("MOD423", "MOD417")) == expected


def test_code_below_a_returned_call_is_not_called_code_that_python_always_runs(flatten):
    body = """
        def find(self, x):
            return super().find(x)
            self.size = 4
        """
    assert codes(flatten, body, reported=("MOD417",)) == [("MOD417", 3)]
    body = body.replace("return ", "")
    assert codes(flatten, body, reported=("MOD417",)) == [("MOD417", 3)]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            """
            def __init__(self, config):
                super().__init__(config)
                self.size = self.rate
            """,
            id="an assignment that would read its value too early",
        ),
        pytest.param(
            """
            def count(self):
                super().count()
                self.seen += 1
            """,
            id="a statement that the parent's body contains already",
        ),
        pytest.param(
            """
            def measure(self):
                width = 8
                super().measure()
                self.depth = width
            """,
            id="a variable that the parent's body sets, too",
        ),
        pytest.param(
            """
            def reset(self):
                super().reset()
                del self.seen
            """,
            id="a del of an attribute that is still set",
        ),
    ],
)
def test_code_below_a_returned_call_is_judged_only_as_code_that_python_never_runs(
    flatten, body
):
    parent = """
        class LlamaLayer:
            def __init__(self, config):
                self.size = config.size
                self.rate = self.size

            def count(self):
                self.seen += 1

            def measure(self):
                width = self.size
                self.width = width

            def embed(self, x):
                x = x + 1
                self.last = x

            def reset(self):
                self.seen = 0
                if self.size:
                    self.seen = 1
        """
    found = [code for code, _ in codes(flatten, body, parent=parent)]
    assert found == ["MOD417"]
    returned = body.replace("super()", "return super()")
    found = [code for code, _ in codes(flatten, returned, parent=parent)]
    assert found in ([], ["MOD417"])


def test_code_below_a_returned_call_that_never_runs_is_reported_once(flatten):
    body = """
        def search(self, x):
            return super().search(x)
            self.size = 4
        """
    reported = ("MOD423", "MOD417")
    assert codes(flatten, body, reported) == [("MOD423", 3)]


@pytest.mark.parametrize(
    ("line", "use"),
    [
        ("self.size: int = 8", "sets"),
        # Another method sets it, so `MOD402` cannot be certain.
        ("self.depth = 1", "reads"),
    ],
)
def test_a_deleted_attribute_that_is_still_used_is_reported(flatten, line, use):
    modular = f"""
        from ..llama.modeling_llama import LlamaLayer

        class MyModelLayer(LlamaLayer):
            def __init__(self, config):
                super().__init__(config)
                {line}
                del self.size
        """
    (message,) = flatten(modular, PARENT).messages
    assert message.startswith("MOD417 line 7")
    assert message.endswith(f"another statement of the generated method still {use} it")


def test_a_deleted_attribute_that_the_child_sets_above_is_reported(flatten):
    body = """
        def forward(self, x):
            super().forward(x)
            self.seen: int = 8
            del self.seen
        """
    assert codes(flatten, body) == [("MOD417", 4)]


def test_a_deleted_attribute_that_nothing_sets_is_reported_once(flatten):
    parent = """
        class LlamaLayer:
            def __init__(self, config):
                self.size = config.size
                self.rate = self.size
        """
    body = """
        def __init__(self, config):
            super().__init__(config)
            del self.size
        """
    reported = ("MOD402", "MOD417")
    assert codes(flatten, body, reported, parent) == [("MOD402", 3)]


def test_a_deleted_attribute_that_the_parent_deletes_too_is_reported(flatten):
    parent = """
        class LlamaLayer:
            def __init__(self, config):
                self.size = config.size
                del self.size
                self.size = 2
        """
    modular = """
        from ..llama.modeling_llama import LlamaLayer

        class MyModelLayer(LlamaLayer):
            def __init__(self, config):
                super().__init__(config)
                del self.size
        """
    (message,) = flatten(modular, parent).messages
    assert message.startswith("MOD417 line 6")
    assert message.endswith(
        "another statement of the generated method still deletes it"
    )


def test_a_deleted_attribute_that_is_set_again_is_not_reported(flatten):
    body = """
        def __init__(self, config):
            super().__init__(config)
            del self.rate
            self.rate: int = 8
        """
    assert codes(flatten, body) == []


def test_a_deleted_attribute_that_a_method_sets_again_is_not_reported(flatten):
    body = """
        def __init__(self, config):
            super().__init__(config)
            del self.rate
            self.reset()
            self.last = self.rate

        def reset(self):
            self.rate = 8
        """
    assert codes(flatten, body) == []


def test_a_deleted_attribute_that_is_set_above_the_call_is_reported_as_a_difference(
    flatten,
):
    body = """
        def __init__(self, config):
            self.rate = 8
            super().__init__(config)
            del self.rate
        """
    assert codes(flatten, body) == [("MOD417", 4)]


def test_a_removed_call_that_sets_another_attribute_is_reported(flatten):
    parent = """
        class LlamaLayer:
            def __init__(self, config):
                self.size = self.measure(config)

            def measure(self, config):
                self.width = config.width
                return 8
        """
    modular = """
        from ..llama.modeling_llama import LlamaLayer

        class MyModelLayer(LlamaLayer):
            def __init__(self, config):
                super().__init__(config)
                del self.size
        """
    (finding,) = flatten(modular, parent).diagnostics
    assert finding.code.id == "MOD417"
    assert finding.place.line == 6
    assert "`self.width`" in finding.message
    without_effect = parent.replace("self.width", "width")
    assert flatten(modular, without_effect).diagnostics == ()
    modular = source(modular) + "        self.width = 4\n"
    assert flatten(modular, parent).diagnostics == ()
