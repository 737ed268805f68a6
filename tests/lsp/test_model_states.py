"""Conversions and lint rules run in steps, between which the server answers the editor."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from modular.lint import inspection
from modular.lint.rule import LintRule
from modular.lsp import model_states
from modular.lsp.workspace import Workspace
from modular.source.diagnostics import Problem
from modular.system.steps import finish
from tests.lsp.texts import FILES, OLMO
from tests.support import write_project


class _CountingRule(LintRule):
    """A rule that finds nothing, and counts how often it ran."""

    code = Problem.UNUSED_IMPORT
    message = ""
    runs = 0

    def check(self) -> None:
        type(self).runs += 1


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A project whose only rule runs ten times, with a pause after each time."""
    monkeypatch.setattr(_CountingRule, "runs", 0)
    monkeypatch.setattr(inspection, "OUTPUT_RULES", ())
    monkeypatch.setattr(inspection, "MODULAR_RULES", (_CountingRule,) * 10)
    monkeypatch.setattr(model_states, "_SLICE_S", 0.0)
    write_project(tmp_path, FILES)
    workspace = Workspace(tmp_path, lambda path: None)
    workspace.set_text(OLMO, FILES[OLMO])
    return workspace


def _run_rules(steps: Iterator[None], count: int) -> None:
    while _CountingRule.runs < count:
        next(steps)


def test_other_requests_are_answered_between_two_classes(workspace: Workspace) -> None:
    steps = workspace.diagnose(OLMO)
    next(steps)
    assert workspace.states.cached(OLMO) is None
    for _ in steps:
        pass
    state = workspace.states.cached(OLMO)
    assert state is not None and state.last_good.texts


def test_a_conversion_begins_again_when_a_newer_text_arrives(
    workspace: Workspace,
) -> None:
    steps = workspace.diagnose(OLMO)
    next(steps)
    workspace.set_text(OLMO, FILES[OLMO] + "\n\nclass OlmoNewer:\n    pass\n")
    for _ in steps:
        pass
    state = workspace.states.cached(OLMO)
    assert state is not None
    assert any("class OlmoNewer" in text for text in state.last_good.texts.values())


def test_a_conversion_ends_when_a_request_has_converted_the_file(
    workspace: Workspace,
) -> None:
    steps = workspace.states.convert_in_steps(OLMO)
    next(steps)
    state = workspace.states.convert_if_stale(OLMO)
    assert finish(steps) is state


def test_requests_do_not_wait_for_lint_rules(workspace: Workspace) -> None:
    state = workspace.states.convert_if_stale(OLMO)
    assert state.last_good.texts
    assert _CountingRule.runs == 0


def test_other_requests_are_answered_between_two_rules(workspace: Workspace) -> None:
    steps = workspace.diagnose(OLMO)
    _run_rules(steps, 3)
    assert not workspace.states.convert_if_stale(OLMO).is_inspected
    for _ in steps:
        pass
    assert _CountingRule.runs == 10
    assert workspace.states.convert_if_stale(OLMO).is_inspected


def test_rules_stop_when_a_newer_text_arrives(workspace: Workspace) -> None:
    steps = workspace.diagnose(OLMO)
    _run_rules(steps, 3)
    workspace.set_text(OLMO, FILES[OLMO] + "\n# a comment\n")
    for _ in steps:
        pass
    assert _CountingRule.runs == 3 + 10
