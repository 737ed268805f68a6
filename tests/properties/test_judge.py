"""Random modular files do what Python's inheritance does, or a finding says where not.

With `inheritance = "python"` they always do, or there is an error.

`python -m tests.properties.judge --files 2000 --seed 1` tries other files. A failure is
reproduced by its number: `--files 1 --seed NUMBER`.
"""

import pytest

from modular.rules.classes import inlined_call, super_call
from modular.rules.classes.merge_record import Fate
from tests.properties.judge import judge, shrink
from tests.properties.random_models import random_model


QUICK_FILES = 40
MUTANT_FILES = 12
"""With so few files, each change of the converter below is noticed."""
SLOW_FILES = 2000
FILES_PER_TEST = 200
MIN_COMPARED_SHARE = {"transformers": 0.4, "python": 0.8}
"""A class that cannot do what Python does is an error, and is not compared.

With the rules of transformers, many of these models call a method that the generated
class does not have, which is an error, too (MOD421).
"""


def assert_nothing_is_silent(numbers: range, inheritance: str = "transformers") -> None:
    is_like_python = inheritance == "python"
    models = [random_model(number, is_like_python) for number in numbers]
    verdicts = judge(models, inheritance=inheritance)
    silent = [verdict for verdict in verdicts if verdict.silent]
    if silent:
        numbers_of_silent = [verdict.model.number for verdict in silent]
        pytest.fail(
            f"models {numbers_of_silent}, the first of them smaller:\n"
            f"{shrink(silent[:1], inheritance=inheritance)[0]}"
        )
    compared = [verdict for verdict in verdicts if not verdict.problem]
    assert len(compared) > len(numbers) * MIN_COMPARED_SHARE[inheritance]


def test_random_files_do_the_same_or_have_a_finding():
    assert_nothing_is_silent(range(QUICK_FILES))


def test_random_files_do_the_same_as_python_inherits_them():
    assert_nothing_is_silent(range(QUICK_FILES), "python")


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, SLOW_FILES, FILES_PER_TEST))
def test_many_random_files_do_the_same_or_have_a_finding(start):
    assert_nothing_is_silent(range(start, start + FILES_PER_TEST))


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, SLOW_FILES, FILES_PER_TEST))
def test_many_random_files_do_the_same_as_python_inherits_them(start):
    assert_nothing_is_silent(range(start, start + FILES_PER_TEST), "python")


def test_a_missing_condition_of_inlining_is_found(monkeypatch):
    condition = "_passes_all_parameters"
    monkeypatch.setattr(inlined_call._Inlining, condition, lambda self: True)
    models = [random_model(number) for number in range(QUICK_FILES)]
    assert any(verdict.silent for verdict in judge(models, inheritance="python"))


def test_a_muted_rule_leaves_differences_silent():
    models = [random_model(number) for number in range(MUTANT_FILES)]
    verdicts = judge(models, muted=frozenset({"MOD421", "MOD426"}))
    assert any(verdict.silent for verdict in verdicts)


def test_a_parents_body_that_is_not_rendered_is_found(monkeypatch):
    def render_child_alone(steps):
        return [step.code for step in steps if step.fate is Fate.OWN]

    monkeypatch.setattr("modular.flatten.flattened.render_steps", render_child_alone)
    verdicts = judge([random_model(number) for number in range(QUICK_FILES)])
    assert any(verdict.silent for verdict in verdicts)


def test_a_statement_that_is_lost_is_found(monkeypatch):
    monkeypatch.setattr(super_call, "_add_missing", lambda body, added: body[1:])
    verdicts = judge([random_model(number) for number in range(QUICK_FILES)])
    assert any(verdict.silent for verdict in verdicts)


@pytest.mark.slow
def test_a_failure_shows_the_files_and_the_difference():
    models = [random_model(number) for number in range(MUTANT_FILES)]
    verdicts = judge(models, muted=frozenset({"MOD421", "MOD426"}))
    silent = next(verdict for verdict in verdicts if verdict.silent)
    (smaller,) = shrink([silent], muted=frozenset({"MOD421", "MOD426"}))
    assert smaller.model.size < silent.model.size
    text = str(smaller)
    for part in ("/modeling_llama", "/modular_gemma", "/modeling_gemma", "differs"):
        assert part in text
