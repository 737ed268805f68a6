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
            "if config is None: return",
            READS_SIZE,
            Severity.WARNING,
            id="it is not always reached",
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
