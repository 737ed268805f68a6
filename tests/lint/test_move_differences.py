"""Assignments that a merged method runs too early (MOD417): which of them certainly fail."""

import pytest

from modular.source.diagnostics import Severity
from tests.conftest import Flatten


PARENT = """
    from torch import nn


    class LlamaLayer({base}):
        {member}

        def __init__(self, config):
            super().__init__()
            {above}
            self.total = 0
            self.size = config.size
    """

READS_SIZE = "self.total = 2 * self.size"
SETS_TOTAL = """
    from ..llama.modeling_llama import LlamaLayer


    class MyModelLayer(LlamaLayer):
        def f(self):
            super().f()
            self.total = 4
    """


@pytest.mark.parametrize(
    ("base", "member", "above", "assignment", "severity"),
    [
        ("nn.Module", "pass", "pass", READS_SIZE, Severity.ERROR),
        ("object", "pass", "self.rate = config.rate", READS_SIZE, Severity.ERROR),
        pytest.param(
            "nn.Module",
            "size = 4",
            "pass",
            READS_SIZE,
            Severity.WARNING,
            id="the class has a value",
        ),
        pytest.param(
            "nn.Module",
            "def __getattr__(self, name): return 1",
            "pass",
            READS_SIZE,
            Severity.WARNING,
            id="the class makes values up",
        ),
        pytest.param(
            "nn.Module",
            "pass",
            "self.reset()",
            READS_SIZE,
            Severity.WARNING,
            id="a method may set it",
        ),
        pytest.param(
            "nn.Module",
            "pass",
            "self.reset()",
            f"{READS_SIZE}\n        self.grow()",
            Severity.WARNING,
            id="a method above may set it, and one is called below",
        ),
        pytest.param(
            "nn.Module",
            "pass",
            "prepare(self)",
            READS_SIZE,
            Severity.WARNING,
            id="a function may set it",
        ),
        pytest.param(
            "Unknown",
            "pass",
            "pass",
            READS_SIZE,
            Severity.WARNING,
            id="a base may set it",
        ),
        pytest.param(
            "nn.Module",
            "pass",
            "pass",
            "self.total = self.size if config.is_large else 0",
            Severity.WARNING,
            id="it is not always read",
        ),
        pytest.param(
            "nn.Module",
            "pass",
            "self.rate = config.rate",
            "self.total = self.rate + (self.size if config.is_large else 0)",
            Severity.WARNING,
            id="only another attribute is always read",
        ),
        pytest.param(
            "nn.Module",
            "def reset(self): self.total = 1",
            "self.total = 0; self.reset()",
            "self.total = lambda: self.total",
            Severity.WARNING,
            id="it is read later",
        ),
        pytest.param(
            "nn.Module",
            "pass",
            "if config is None: return",
            READS_SIZE,
            Severity.WARNING,
            id="it is not always reached",
        ),
        pytest.param(
            "nn.Module",
            "pass",
            "if config is None: return",
            f"{READS_SIZE}\n        if config: return",
            Severity.WARNING,
            id="it is not always reached, and neither is the end",
        ),
    ],
)
def test_reading_an_attribute_that_is_not_set_is_an_error(
    flatten: Flatten,
    base: str,
    member: str,
    above: str,
    assignment: str,
    severity: Severity,
) -> None:
    modular = (
        "from ..llama.modeling_llama import LlamaLayer\n\n\n"
        "class OlmoLayer(LlamaLayer):\n"
        "    def __init__(self, config):\n"
        "        super().__init__(config)\n"
        f"        {assignment}\n"
    )
    flattened = flatten(modular, PARENT.format(base=base, member=member, above=above))
    found = []
    for diagnostic in flattened.diagnostics:
        if "is moved up" in diagnostic.message:
            found.append(diagnostic.severity)
    assert found == [severity]


def test_another_method_may_run_after_the_attribute_is_set(flatten: Flatten) -> None:
    parent = """
        class LlamaLayer:
            def reset(self):
                self.total = 0
                self.size = 4
        """
    modular = """
        from ..llama.modeling_llama import LlamaLayer


        class OlmoLayer(LlamaLayer):
            def reset(self):
                super().reset()
                self.total = 2 * self.size
        """
    (finding,) = flatten(modular, parent).diagnostics
    assert (finding.code.id, finding.severity) == ("MOD417", Severity.WARNING)


def test_a_base_that_sets_the_attribute_is_read(flatten: Flatten) -> None:
    layers = """
        class Layer:
            def __init__(self):
                self.size = 2
        """
    parent = "    from ...layers import Layer\n" + PARENT.format(
        base="Layer", member="pass", above="pass"
    )
    modular = """
        from ..llama.modeling_llama import LlamaLayer


        class OlmoLayer(LlamaLayer):
            def __init__(self, config):
                super().__init__(config)
                self.total = 2 * self.size
        """
    for text, severity in (
        (layers, Severity.WARNING),
        (layers.replace("self.size", "self.rate"), Severity.ERROR),
    ):
        found = flatten(modular, parent, {"layers.py": text}).diagnostics
        assert [(d.code.id, d.severity) for d in found] == [("MOD417", severity)]


def test_a_statement_that_two_assignments_overtake_is_reported_once(
    flatten: Flatten,
) -> None:
    parent = """
        class LlamaLayer:
            def __init__(self, config):
                self.total = 0
                self.rate = 0
                self.size = config.size
        """
    modular = """
        from ..llama.modeling_llama import LlamaLayer


        class MyModelLayer(LlamaLayer):
            def __init__(self, config):
                super().__init__(config)
                self.total = self.size
                self.rate = self.size * 2
        """
    codes = [finding.code.id for finding in flatten(modular, parent).diagnostics]
    assert codes == ["MOD417"]


@pytest.mark.parametrize(
    ("parent", "child", "is_reported"),
    [
        ("pass", "x.append(1)\nself.total = len(x)", True),
        ("pass", "x.append(1)\nself.total = x", False),
        ("pass", "hook = lambda: x.append(1)\nself.total = len(x)", False),
        ("pass", "x[0] = 1\nself.total = len(x)", True),
        ("pass", "next(x)\nself.total = list(x)", True),
        ("pass", "fill(x)\nself.total = len(x)", True),
        ("pass", "self.total = stamp(self)", False),
        ("self.size = len(x)", "self.total = x.pop()", True),
        ("pass", "from math import ceil as fill\nself.total = fill(2.5)", True),
        ("self.reset()", "self.total = self.size", True),
        ("self.reset()", "self.total = x", False),
        ("fill(self)", "self.total = self.size", True),
        ("me = self\nme.size = 4", "self.total = self.size", True),
        ("object.__setattr__(self, 'size', 4)", "self.total = self.size", True),
        ("self.width = 4", "self.total = self.size", True),
        ("self.size = 4", "self.total = len(self)", True),
        ("self.size = 4", "self.total = measure(self)", True),
        ("self.rate = 4", "self.total = measure(self)", False),
        ("rate = self.size", "self.total = fill(self)", True),
        ("assert x", "self.total = 4", True),
        ("def check(): assert x", "self.total = 4", False),
        ("hook = lambda: len(x)", "self.total = x.pop()", False),
        # Each of both methods has a parameter `x` of its own.
        ("x = [1]", "self.total = x.pop()", False),
        ("x = 2 * x", "self.total = x", False),
        ("x += 1", "self.total = x + 1", True),
        ("pass", "x = 2 * x\nself.total = x", True),
        ("rate = '{}'.format(self)", "self.total = 4", True),
        ("self.size = 4", "self.__dict__['total'] = 4", False),
    ],
)
def test_what_a_moved_assignment_uses_is_found_in_called_code(
    flatten: Flatten, parent: str, child: str, is_reported: bool
) -> None:
    helpers = """
        def fill(items):
            items.size = 2


        def measure(items):
            return items.size


        def stamp(items):
            items.total = 2


        """
    source = f"""
        class LlamaLayer:
            size = 1
            width = property(lambda self: 1)

            @width.setter
            def width(self, value):
                self.size = value

            def __len__(self):
                return self.size

            def __str__(self):
                return self.total

            def reset(self):
                self.size = 3

            def f(self, x):
                self.total = 0
                {indented(parent)}
        """
    modular = f"""
        from ..llama.modeling_llama import LlamaLayer


        {helpers}
        class MyModelLayer(LlamaLayer):
            def f(self, x):
                super().f(x)
                {indented(child)}
        """
    report = flatten(modular, helpers + source, formatter="none")
    codes = [diagnostic.code.id for diagnostic in report.diagnostics]
    assert ("MOD417" in codes) == is_reported


@pytest.mark.parametrize(
    "value",
    [
        "self.reset()",
        "fill(self)",
        "object.__setattr__(self, 'size', 4)",
        "LOG.append(1)",
        "LOG.pop()",
    ],
)
def test_an_effect_of_a_replaced_assignment_is_reported(
    flatten: Flatten, value: str
) -> None:
    parent = f"""
        LOG = []


        def fill(items):
            items.size = 2


        class LlamaLayer:
            def reset(self):
                self.size = 3

            def f(self):
                self.total = {value}
        """
    report = flatten(SETS_TOTAL, parent, formatter="none")
    assert "MOD417" in [diagnostic.code.id for diagnostic in report.diagnostics]


@pytest.mark.parametrize(
    ("body", "is_reported"),
    [
        ("LOG.append(name)\nobject.__setattr__(self, name, value)", True),
        ("super().__setattr__(name, value)", False),
    ],
)
def test_a_setattr_that_sees_each_assignment_is_reported(
    flatten: Flatten, body: str, is_reported: bool
) -> None:
    parent = f"""
        LOG = []


        class LlamaLayer:
            def __setattr__(self, name, value):
                {indented(body)}

            def f(self):
                self.total = 1
        """
    report = flatten(SETS_TOTAL, parent, formatter="none")
    codes = [diagnostic.code.id for diagnostic in report.diagnostics]
    assert ("MOD417" in codes) == is_reported


def indented(lines: str) -> str:
    """Return lines for the body of a method in the texts above."""
    return lines.replace("\n", "\n" + 16 * " ")


@pytest.mark.parametrize(
    ("base", "member", "above", "state"),
    [
        ("nn.Module", "pass", "pass", "nothing has set it yet"),
        ("nn.Module", "size = 4", "pass", "it has the value of the class"),
        ("nn.Module", "def size(self): return 4", "pass", None),
        ("nn.Module", "pass", "self.size = 3", None),
        ("nn.Module", "pass", "prepare(self)", None),
        ("Unknown", "pass", "pass", None),
    ],
)
def test_an_attribute_that_gets_its_own_value_must_have_one(
    flatten: Flatten, base: str, member: str, above: str, state: str | None
) -> None:
    modular = f"""
        from ..llama.modeling_llama import LlamaLayer


        class OlmoLayer(LlamaLayer):
            def __init__(self, config):
                {above}
                super().__init__(config)
                self.size = self.size
        """
    parent = PARENT.format(base=base, member=member, above="pass")
    found = []
    for message in flatten(modular, parent).messages:
        _, is_about_value, rest = message.partition("the parent's assignment, so ")
        if is_about_value:
            found.append(rest)
    assert found == ([] if state is None else [state])


@pytest.mark.parametrize(
    ("parent", "child", "reason"),
    [
        ("self.total = 0; self.size = 4", "self.total = self.size", "before `self.size` is set"),
        ("self.table[0] = 1", "self.table[0] = 1 + self.table[0]", "before `self.table[0]` is set"),
        ("self.total = 0", "y = self.total; self.total = 4", "above a line that uses `self.total`"),
    ],
)  # fmt: skip
def test_the_message_says_what_the_assignment_is_moved_above(
    flatten: Flatten, parent: str, child: str, reason: str
) -> None:
    source = f"""
        class LlamaLayer:
            def f(self, x):
                {parent}
        """
    modular = f"""
        from ..llama.modeling_llama import LlamaLayer


        class MyModelLayer(LlamaLayer):
            def f(self, x):
                super().f(x)
                {child}
        """
    (message,) = flatten(modular, source).messages
    assert f", {reason}; in Python it runs afterwards" in message


@pytest.mark.parametrize(
    ("reading", "member", "assignment", "how"),
    [
        ("self.rate = vars(self).copy()", "pass", "self.total = 5", "through `vars`"),
        (
            "self.rate = len(self)",
            "def __len__(self): return self.total",
            "self.total = 5",
            "through `__len__`",
        ),
        (
            "self.rate = dict(self.__dict__)",
            "def __len__(self): return self.total",
            "self.total = 5",
            "through `self.__dict__`",
        ),
        (
            'self.total["a"] = 1; self.rate = self.total.copy()',
            "pass",
            'self.total["a"] = 5',
            "through its item",
        ),
    ],
)
def test_the_message_says_how_a_line_reads_the_attribute(
    flatten: Flatten, reading: str, member: str, assignment: str, how: str
) -> None:
    parent = f"""
        class LlamaLayer:
            def __init__(self, config):
                self.total = {{}}
                {reading}

            {member}
        """
    modular = f"""
        from ..llama.modeling_llama import LlamaLayer


        class OlmoLayer(LlamaLayer):
            def __init__(self, config):
                super().__init__(config)
                {assignment}
        """
    messages = flatten(modular, parent).messages
    assert f"above a line that reads it {how}" in " ".join(messages)


@pytest.mark.parametrize(
    ("reading", "is_reported"),
    [
        ("me = self; self.rate = me.total", True),
        ("self.rate = draw(self).total", True),
        # A function that reads one attribute later is not the instance, and neither is a
        # text.
        ("hook = lambda: self.size; self.rate = hook.total", False),
        ("hook = lambda: [self.size]; self.rate = hook.total", False),
        ("self.rate = draw(lambda: self.size).total", False),
        ("text = f'{self}'; self.rate = text.total", False),
    ],
)
def test_an_object_that_is_not_the_instance_has_other_attributes(
    flatten: Flatten, reading: str, is_reported: bool
) -> None:
    parent = f"""
        from somewhere import draw


        class LlamaLayer:
            def __init__(self, config):
                self.total = config.total
                self.size = config.size
                {reading}
        """
    modular = """
        from ..llama.modeling_llama import LlamaLayer


        class OlmoLayer(LlamaLayer):
            def __init__(self, config):
                super().__init__(config)
                self.total = 5
        """
    codes = [code for code, _ in flatten(modular, parent).codes]
    assert codes == ["MOD417"] * is_reported


@pytest.mark.parametrize(
    ("line", "value", "is_reported"),
    [
        # The line is the child's, and stands between the call and the assignment.
        ("self.total = self.count()", "5", True),
        ("self.count()", "5", True),
        ("self.reset()", "5", False),
        ("for child in self.children(): child.eval()", "nn.Linear(2, 2)", True),
        ("self.apply(config.init)", "nn.Linear(2, 2)", True),
        # A number is no module.
        ("self.apply(config.init)", "5", False),
        ("self.register_module('head', None)", "nn.Linear(2, 2)", False),
    ],
)
@pytest.mark.parametrize("base", ["nn.Module", "Base"])
def test_the_childs_calls_of_methods_that_read_a_moved_attribute(
    flatten: Flatten, base: str, line: str, value: str, is_reported: bool
) -> None:
    parent = f"""
        from torch import nn


        class Base:
            pass


        class LlamaLayer({base}):
            def __init__(self, config):
                super().__init__()
                self.size = 4
                self.count()

            def count(self):
                return 2 * self.size

            def reset(self):
                return self.other
        """
    modular = f"""
        from torch import nn

        from ..llama.modeling_llama import LlamaLayer


        class MyModelLayer(LlamaLayer):
            def __init__(self, config):
                super().__init__(config)
                {line}
                self.size = {value}
        """
    codes = [finding.code.id for finding in flatten(modular, parent).diagnostics]
    runs_count = "count" in line
    expected = is_reported and (runs_count or base == "nn.Module")
    assert ("MOD417" in codes) == expected


@pytest.mark.parametrize(
    ("line", "is_reported"),
    [
        ("self.head = nn.Linear(2, 2)", True),
        ("self.size = 4", False),
        ("print(config)", False),
    ],
)
def test_an_assignment_that_reads_all_modules_is_moved_above_one(
    flatten: Flatten, line: str, is_reported: bool
) -> None:
    parent = f"""
        from torch import nn


        class LlamaLayer(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.total = 0
                {line}
        """
    modular = """
        from ..llama.modeling_llama import LlamaLayer


        class MyModelLayer(LlamaLayer):
            def __init__(self, config):
                super().__init__(config)
                self.total = len(list(self.children()))
        """
    codes = [finding.code.id for finding in flatten(modular, parent).diagnostics]
    assert codes == ["MOD417"] * is_reported


@pytest.mark.parametrize(
    ("old", "is_reported"), [("nn.Linear(2, 2)", True), ("4", False)]
)
def test_a_module_that_the_child_replaces_by_none_is_read_above(
    flatten: Flatten, old: str, is_reported: bool
) -> None:
    parent = f"""
        from torch import nn


        class LlamaLayer(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.fc = {old}
        """
    modular = """
        from ..llama.modeling_llama import LlamaLayer


        class MyModelLayer(LlamaLayer):
            def __init__(self, config):
                super().__init__(config)
                self.count = len(list(self.children()))
                self.fc = None
        """
    found = flatten(modular, parent).diagnostics
    assert [finding.code.id for finding in found] == ["MOD417"] * is_reported


@pytest.mark.parametrize(
    ("value", "is_reported"),
    [
        ("len(list(self.children()))", True),
        ("self(3)", True),
        ("len(config.children())", False),
        ("super().extra_repr()", False),
    ],
)
def test_a_value_that_reads_modules_which_are_set_below(
    flatten: Flatten, value: str, is_reported: bool
) -> None:
    parent = """
        from torch import nn


        class LlamaLayer(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.total = 0
                self.fc = nn.Linear(2, 2)

            def forward(self, x):
                return self.fc(x)
        """
    modular = f"""
        from ..llama.modeling_llama import LlamaLayer


        class MyModelLayer(LlamaLayer):
            def __init__(self, config):
                super().__init__(config)
                self.total = {value}
        """
    found = flatten(modular, parent).diagnostics
    assert [finding.code.id for finding in found] == ["MOD417"] * is_reported
