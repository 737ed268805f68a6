"""Advice about mistakes in every position is followed, and what the classes do is compared.

A fix keeps what Python does with the modular file, or what the generated code did. It never
invents a third behaviour, and leaves no file that cannot be imported.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from modular.run import api
from modular.source.diagnostics import Diagnostic, Problem
from modular.source.edits import apply_edits
from tests.lint.hints import follow_hint
from tests.lint.mistakes import PARENT_FILES as FILES_OF_MISTAKES
from tests.lint.positions import (
    PARENT_FILES,
    Mistake,
    mistakes,
    rare_mistakes,
    surrounded_mistakes,
)
from tests.lint.test_advice import (
    BEHAVIOUR,
    ONLY_IN_MODULAR_FILES,
    SEED,
    model_names,
    modular_path,
)
from tests.support import write_project


_SPELLING = re.compile(r"(?:did you mean|write) `([^`]+)`")

_CHANGING_RULES = frozenset(
    {
        "MOD301",
        "MOD401",
        "MOD402",
        "MOD403",
        "MOD405",
        "MOD454",
        "MOD458",
        "MOD476",
        "MOD477",
        "MOD482",
    }
)
"""Rules about code that does not do what was meant, so that a fix must change it."""

_CHANGING_HINTS = (
    "did you mean",
    "define `class",
    "in the place of `**super_kwargs`",
    "move it above the call",
    "write `@dataclass`",
)
"""Hints of other rules of this kind."""

_DOCUMENTED_SHAPES = frozenset(
    {
        "omitted argument",
        "value that is not returned",
        "no decorator",
        "removed field",
        "method in place of a property",
    }
)
"""Code that documented transformations change, which is not reported."""

_ONLY_IN_GENERATED_FILES = "MOD481"
"""A rule about inherited code, which in Python calls the parent's function or class."""


@dataclass(frozen=True)
class Seen:
    """A modular file, what is found in it, and what its classes do.

    Attributes:
        findings: The findings.
        modular: What the classes do in Python; a text if they cannot be imported.
        generated: What the generated classes do.
        outputs: The generated files.
    """

    findings: tuple[Diagnostic, ...]
    modular: Any
    generated: Any
    outputs: Mapping[str, str]


@dataclass(frozen=True)
class Followed:
    """A modular file after a fix of a finding was applied, or its hint was followed.

    Attributes:
        model: The model.
        finding: The finding.
        title: The title of the fix, or the hint.
        is_safe: Whether it is a safe fix.
        text: The modular file.
    """

    model: str
    finding: Diagnostic
    title: str
    is_safe: bool
    text: str


def see(
    root: Path, texts: Mapping[str, str], parents: Mapping[str, str]
) -> dict[str, Seen]:
    """Convert modular files, and return what is found in each and what its classes do."""
    files = {modular_path(model): text for model, text in texts.items()}
    write_project(root, {**parents, **files}, formatter="none")
    report = api.convert(options=api.Options(root=root, cache=False, info=True, jobs=1))
    findings: dict[str, list[Diagnostic]] = {model: [] for model in texts}
    for diagnostic in report.diagnostics:
        findings[diagnostic.place.path.split("/")[1]].append(diagnostic)
    command = [sys.executable, "-S", str(BEHAVIOUR), str(root), *texts]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    behaviour = json.loads(done.stdout)
    seen = {}
    for model in texts:
        result = report.results[modular_path(model)]
        seen[model] = Seen(
            findings=tuple(findings[model]),
            modular=behaviour[model]["modular"],
            generated=behaviour[model]["generated"],
            outputs=dict(result.texts),
        )
    return seen


def follow(
    made: Mapping[str, Mistake], seen: Mapping[str, Seen]
) -> list[list[Followed]]:
    """Follow each piece of advice; no two of one list are about the same model."""
    rounds: list[list[Followed]] = []
    for model, mistake in made.items():
        followed = follow_advice(model, mistake.text, seen[model].findings)
        for number, item in enumerate(followed):
            if number == len(rounds):
                rounds.append([])
            rounds[number].append(item)
    return rounds


def follow_advice(
    model: str, text: str, findings: Iterable[Diagnostic]
) -> Iterator[Followed]:
    """Yield a modular file after each fix, and after each hint without a fix."""
    for finding in findings:
        for fix in finding.fixes:
            fixed = apply_edits(text, fix.edits)
            yield Followed(model, finding, fix.title, fix.is_safe, fixed)
        hinted = None if finding.fixes else follow_hint(text, finding)
        if hinted is not None:
            yield Followed(model, finding, finding.hint, is_safe=False, text=hinted)


def fails(done: object) -> bool:
    """Whether a member raises an error that comes of a missing name, attribute or object."""
    text = json.dumps(done)
    errors = (
        "NameError",
        "UnboundLocalError",
        "RuntimeError",
        "super(type, obj)",
        '"nothing"',
    )
    return any(error in text for error in errors)


def agree(expected: Any, actual: Any) -> bool:
    """Whether the members that two observations share do the same.

    A fix may add a member, such as a copy of the parent's method, or a class. Members that
    fail are not compared.
    """
    if isinstance(expected, str) or isinstance(actual, str):
        return bool(expected == actual)
    for name in expected.keys() & actual.keys():
        if "missing" in (expected[name], actual[name]):
            return False
        others = {item[0]: item[1:] for item in actual[name]}
        for member, *done in expected[name]:
            if member not in others or others[member] == done or fails(done):
                continue
            # A call of a removed member fails as well as the member itself.
            fails_otherwise = "error" in str(done[0]) and fails(others[member])
            if not fails_otherwise:
                return False
    return True


def problems_of_hint(finding: Diagnostic, text: str) -> Iterator[str]:
    """Yield why the first fix of a finding is not what its hint names."""
    spelling = _SPELLING.search(finding.hint.partition(";")[0])
    if spelling is None or not finding.fixes:
        return
    fixed = apply_edits(text, finding.fixes[0].edits)
    # `super().forward(...)` is a form, `class A(B): pass` is written on two lines, and
    # another file is not written by a fix.
    is_form = any(part in spelling[1] for part in ("(...)", ": ", ".py"))
    if not is_form and spelling[1] not in fixed:
        yield f"the first fix, {finding.fixes[0].title}, is not the hint's"


def problems_of_fix(followed: Followed, before: Seen, after: Seen) -> Iterator[str]:
    """Yield what is wrong after a fix was applied."""
    if isinstance(after.modular, str) and not isinstance(before.modular, str):
        yield f"the modular file cannot be imported: {after.modular}"
    calls_itself = "RecursionError" in json.dumps(after.generated)
    if calls_itself and "RecursionError" not in json.dumps(before.generated):
        yield "a method calls itself without end"
    if followed.is_safe and after.outputs != before.outputs:
        yield "a safe fix changes what is generated"
    if after.findings:
        # More advice is to follow, which is tested for other mistakes.
        yield from problems_of_findings(followed, before, after)
    elif followed.finding.code.id == _ONLY_IN_GENERATED_FILES:
        if "TypeError" in json.dumps(after.generated):
            yield f"a call still fails: {after.generated}"
    elif followed.finding.code.id not in ONLY_IN_MODULAR_FILES:
        yield from problems_of_behaviour(followed.finding, before, after)


def problems_of_findings(
    followed: Followed, before: Seen, after: Seen
) -> Iterator[str]:
    """Yield what is wrong with the findings after a fix was applied."""
    new_errors = {item.code.id for item in after.findings if item.is_error}
    new_errors -= {item.code.id for item in before.findings}
    if new_errors:
        yield f"new errors: {sorted(new_errors)}"
    still_found = _count_same(followed.finding, after.findings)
    if still_found >= _count_same(followed.finding, before.findings):
        yield "the finding is still there"


def _count_same(finding: Diagnostic, findings: Iterable[Diagnostic]) -> int:
    """Return how many findings say the same about the same line of code."""
    return sum(
        (item.message, item.place.text) == (finding.message, finding.place.text)
        for item in findings
    )


def problems_of_behaviour(
    finding: Diagnostic, before: Seen, after: Seen
) -> Iterator[str]:
    """Yield how classes differ after the last finding was followed."""
    if not agree(after.modular, after.generated):
        yield f"modular and generated classes differ: {after.modular} {after.generated}"
    is_change = any(words in finding.hint for words in _CHANGING_HINTS)
    if is_change or finding.code.id in _CHANGING_RULES:
        return
    keeps_modular = agree(before.modular, after.generated)
    keeps_generated = agree(before.generated, after.generated)
    if not isinstance(before.modular, str) and not (keeps_modular or keeps_generated):
        behaviours = [before.modular, before.generated, after.generated]
        yield f"a third behaviour: {json.dumps(behaviours)}"


def find_problems(
    root: Path, made: Mapping[str, Mistake], parents: Mapping[str, str]
) -> tuple[set[tuple[str, str]], list[str]]:
    """Follow all advice about some mistakes.

    Returns:
        The rules with the positions in which their advice was followed, and what is
        wrong.
    """
    texts = {model: mistake.text for model, mistake in made.items()}
    seen = see(root / "mistakes", texts, parents)
    wrong = []
    for model, mistake in made.items():
        before = seen[model]
        is_silent = not before.findings and mistake.shape not in _DOCUMENTED_SHAPES
        if is_silent and not agree(before.modular, before.generated):
            title = f"{mistake.shape}, {mistake.position}"
            wrong.append(f"{title}: nothing is said about a difference: {before}")
        for finding in before.findings:
            title = f"{mistake.shape}, {mistake.position}: {finding.code.id}"
            if finding.code is Problem.INTERNAL_ERROR:
                wrong.append(f"{title}: {finding.message}")
            for problem in problems_of_hint(finding, mistake.text):
                wrong.append(f"{title}: {finding.hint}: {problem}")
    pairs = set()
    for number, followed_round in enumerate(follow(made, seen)):
        texts = {item.model: item.text for item in followed_round}
        after = see(root / f"round{number}", texts, parents)
        for followed in followed_round:
            model, mistake = followed.model, made[followed.model]
            code = followed.finding.code.id
            pairs.add((code, mistake.position))
            title = f"{mistake.shape}, {mistake.position}: {code}: {followed.title}"
            for problem in problems_of_fix(followed, seen[model], after[model]):
                wrong.append(f"{title}: {problem}\n{followed.text}")
    return pairs, wrong


_SETTINGS = {
    "transformers": '[tool.modular]\npreset = "transformers"\nformatter = "none"\n',
    "python": '[tool.modular]\ninheritance = "python"\nformatter = "none"\n',
}
"""Settings for each kind of inheritance."""


@pytest.mark.parametrize(
    ("inheritance", "min_pairs"),
    [("transformers", 89), pytest.param("python", 45, marks=pytest.mark.slow)],
)
def test_advice_in_every_position_keeps_what_the_classes_do(
    tmp_path: Path, inheritance: str, min_pairs: int
) -> None:
    made = dict(mistakes(model_names()))
    parents = {**PARENT_FILES, "pyproject.toml": _SETTINGS[inheritance]}
    pairs, wrong = find_problems(tmp_path, made, parents)
    assert wrong == []
    assert len(pairs) >= min_pairs


@pytest.mark.slow
@pytest.mark.parametrize(
    ("inheritance", "step", "min_pairs"),
    [("transformers", 4, 90), ("python", 8, 40)],
)
def test_advice_in_rare_positions_keeps_what_the_classes_do(
    tmp_path: Path, inheritance: str, step: int, min_pairs: int
) -> None:
    made = dict(islice(rare_mistakes(model_names()), 0, None, step))
    parents = {**PARENT_FILES, "pyproject.toml": _SETTINGS[inheritance]}
    pairs, wrong = find_problems(tmp_path, made, parents)
    assert wrong == []
    assert len(pairs) >= min_pairs


@pytest.mark.slow
@pytest.mark.parametrize(
    ("inheritance", "min_pairs", "rules_without_fixes"),
    [
        (
            "transformers",
            155,
            "MOD417 MOD481 MOD482 MOD485",
        ),
        ("python", 130, "MOD481 MOD485"),
    ],
)
def test_advice_about_names_that_other_code_uses_leaves_them(
    tmp_path: Path, inheritance: str, min_pairs: int, rules_without_fixes: str
) -> None:
    made = dict(surrounded_mistakes(model_names(), SEED))
    parents = {**FILES_OF_MISTAKES, "pyproject.toml": _SETTINGS[inheritance]}
    pairs, wrong = find_problems(tmp_path, made, parents)
    assert wrong == []
    assert len(pairs) >= min_pairs
    followed = {code for code, _ in pairs}
    assert set(rules_without_fixes.split()) <= followed
