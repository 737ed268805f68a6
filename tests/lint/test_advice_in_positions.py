"""Advice about mistakes in every position is followed, and what the classes do is compared.

A fix keeps what Python does with the modular file, or what the generated code did. It never
invents a third behaviour, and leaves no file that cannot be imported.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from modular.run import api
from modular.source.diagnostics import Diagnostic, Fix
from modular.source.edits import apply_edits
from tests.lint.mistakes import PARENT_FILES as FILES_OF_MISTAKES
from tests.lint.positions import (
    PARENT_FILES,
    Mistake,
    mistakes,
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
        "MOD425",
        "MOD454",
        "MOD458",
        "MOD476",
        "MOD477",
    }
)
"""Rules about code that does not do what was meant, so that a fix must change it."""

_CHANGING_HINTS = ("did you mean", "define `class", "in the place of `**super_kwargs`")
"""Hints of other rules of this kind."""


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
    """A fix of a finding that was applied to a modular file."""

    model: str
    finding: Diagnostic
    fix: Fix
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
    """Apply each fix; no two of one list are about the same model."""
    rounds: list[list[Followed]] = []
    for model, mistake in made.items():
        number = 0
        for finding in seen[model].findings:
            for fix in finding.fixes:
                if number == len(rounds):
                    rounds.append([])
                text = apply_edits(mistake.text, fix.edits)
                rounds[number].append(Followed(model, finding, fix, text))
                number += 1
    return rounds


def fails(done: object) -> bool:
    """Whether a member raises an error that comes of a missing name or attribute."""
    text = json.dumps(done)
    errors = ("NameError", "UnboundLocalError", "RuntimeError", '"nothing"')
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
            if member in others and others[member] != done and not fails(done):
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
    if followed.fix.is_safe and after.outputs != before.outputs:
        yield "a safe fix changes what is generated"
    if after.findings:
        # More advice is to follow, which is tested for other mistakes.
        yield from problems_of_findings(followed, before, after)
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
    message = followed.finding.message
    number = sum(item.message == message for item in after.findings)
    if number >= sum(item.message == message for item in before.findings):
        yield "the finding is still there"


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
        The rules with the positions in which a fix of theirs was followed, and what is wrong.
    """
    texts = {model: mistake.text for model, mistake in made.items()}
    seen = see(root / "mistakes", texts, parents)
    wrong = []
    for model, mistake in made.items():
        for finding in seen[model].findings:
            title = f"{mistake.shape}, {mistake.position}: {finding.code.id}"
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
            title = f"{mistake.shape}, {mistake.position}: {code}: {followed.fix.title}"
            for problem in problems_of_fix(followed, seen[model], after[model]):
                wrong.append(f"{title}: {problem}\n{followed.text}")
    return pairs, wrong


def test_advice_in_every_position_keeps_what_the_classes_do(tmp_path: Path) -> None:
    made = dict(mistakes(model_names()))
    pairs, wrong = find_problems(tmp_path, made, PARENT_FILES)
    assert wrong == []
    assert len(pairs) >= 100


@pytest.mark.slow
def test_advice_about_names_that_other_code_uses_leaves_them(tmp_path: Path) -> None:
    made = dict(surrounded_mistakes(model_names(), SEED))
    pairs, wrong = find_problems(tmp_path, made, FILES_OF_MISTAKES)
    assert wrong == []
    assert len(pairs) >= 170
