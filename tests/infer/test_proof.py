"""Findings in an inferred modular file."""

import pytest

from modular.infer.proof import Finding, find_findings
from modular.source.diagnostics import Diagnostic, Place, Problem, Severity


MODULAR = "models/my_model/modular_my_model.py"


@pytest.mark.parametrize(
    ("level", "findings"),
    [
        (Severity.WARNING, [Finding(1, "too long")]),
        (Severity.INFO, []),
    ],
)
def test_findings_of_level_info_do_not_count(level, findings):
    diagnostic = Diagnostic(
        Problem.UNDEFINED_NAME, Place(MODULAR, 1), message="too long", level=level
    )
    assert find_findings(MODULAR, "x = 1\n", [diagnostic]) == findings
