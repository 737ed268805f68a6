"""All advice is followed: the finding is gone, nothing new is found, and the generated class does what the modular one does."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from random import Random
from string import ascii_lowercase
from typing import Any

import pytest

from modular.lint.rule_book import page
from modular.run import api
from modular.source.diagnostics import Diagnostic, Fix, Problem
from modular.source.edits import apply_edits
from tests.lint.mistakes import MISTAKES, PARENT_FILES, correct_file
from tests.lint.rule_cases import Block, Case, cases, report
from tests.support import write_project


SEED = 34
BEHAVIOUR = Path(__file__).with_name("behaviour.py")


@dataclass(frozen=True)
class Followed:
    """A piece of advice that was followed.

    Attributes:
        model: The model.
        kind: The kind of mistake.
        before: What was found in the modular file with the mistake.
        diagnostic: The finding whose advice was followed.
        fix: The edits that do what the advice says.
        text: The modular file after that.
    """

    model: str
    kind: str
    before: tuple[Diagnostic, ...]
    diagnostic: Diagnostic
    fix: Fix
    text: str


def model_names() -> Iterator[str]:
    """Yield names of models that resemble no name of a mistake."""
    for letters in product(ascii_lowercase, repeat=3):
        yield "zu" + "".join(letters)


def make_mistakes(count: int) -> dict[str, tuple[str, str]]:
    """Return the kind of mistake and the text of so many modular files, by model."""
    random = Random(SEED)
    names = model_names()
    made = {}
    for number in range(count):
        kind = list(MISTAKES)[number % len(MISTAKES)]
        model = next(names)
        draft = correct_file(random, model)
        MISTAKES[kind](draft, random)
        made[model] = (kind, draft.text())
    return made


def modular_path(model: str) -> str:
    """Return the path of a model's modular file."""
    return f"models/{model}/modular_{model}.py"


def find(root: Path, texts: Mapping[str, str]) -> dict[str, tuple[Diagnostic, ...]]:
    """Convert the modular files of models, by model, and return what is found in each."""
    files = {modular_path(model): text for model, text in texts.items()}
    write_project(root, {**PARENT_FILES, **files})
    reported = api.convert(
        options=api.Options(root=root, cache=False, info=True)
    ).diagnostics
    found: dict[str, list[Diagnostic]] = {model: [] for model in texts}
    for diagnostic in reported:
        found[diagnostic.place.path.split("/")[1]].append(diagnostic)
    return {model: tuple(diagnostics) for model, diagnostics in found.items()}


def follow(
    made: Mapping[str, tuple[str, str]], found: Mapping[str, tuple[Diagnostic, ...]]
) -> list[list[Followed]]:
    """Follow each piece of advice; no two of one list are about the same model."""
    rounds: list[list[Followed]] = []
    for model, (kind, text) in made.items():
        pairs = [
            (diagnostic, fix) for diagnostic in found[model] for fix in diagnostic.fixes
        ]
        for number, (diagnostic, fix) in enumerate(pairs):
            if number == len(rounds):
                rounds.append([])
            fixed = apply_edits(text, fix.edits)
            rounds[number].append(
                Followed(model, kind, found[model], diagnostic, fix, fixed)
            )
    return rounds


def observe(root: Path, models: Iterable[str]) -> dict[str, Any]:
    """Return how the modular and the generated classes of models behave."""
    done = subprocess.run(
        [sys.executable, "-S", str(BEHAVIOUR), str(root), *models],
        capture_output=True,
        text=True,
        check=True,
    )
    observed: dict[str, Any] = json.loads(done.stdout)
    return observed


ONLY_IN_MODULAR_FILES = {"MOD305", "MOD407", "MOD413", "MOD451"}
"""Findings about what Python does not do: `**super_kwargs`, functions that replace the parent's."""


def behaves_alike(observed: Mapping[str, Any], code: str) -> bool:
    """Return whether the classes of a model behave alike after advice about a code was followed.

    What uses a name that only the generated file defines is not compared.
    """
    modular, generated = observed["modular"], observed["generated"]
    if code in ONLY_IN_MODULAR_FILES:
        return True
    if isinstance(modular, str) or isinstance(generated, str):
        return bool(modular == generated)
    for name, behaviour in modular.items():
        if generated[name] == "missing":
            return False
        for before, after in zip(behaviour, generated[name], strict=True):
            if before != after and "NameError" not in str(before):
                return False
    return True


def new_findings(
    before: Iterable[Diagnostic],
    followed: Diagnostic,
    after: Iterable[Diagnostic],
) -> list[str]:
    """Return the codes that are found more often after advice was followed, and its own code if it is found as often."""
    expected = Counter(diagnostic.code.id for diagnostic in before)
    expected[followed.code.id] -= 1
    if followed.code is Problem.USELESS_DEL:
        # The deleted attribute may still be read.
        expected[Problem.REMOVED_MEMBER_STILL_USED.id] += 1
    actual = Counter(diagnostic.code.id for diagnostic in after)
    return sorted((actual - expected).elements())


def problems(root: Path, count: int) -> list[str]:
    """Follow all advice about so many mistakes; return what is wrong after that."""
    made = make_mistakes(count)
    found = find(root / "mistakes", {model: text for model, (_, text) in made.items()})
    wrong = [
        f"{kind}: nothing is found\n{text}"
        for model, (kind, text) in made.items()
        if not found[model]
    ]
    for number, followed_round in enumerate(follow(made, found)):
        folder = root / f"round{number}"
        after = find(
            folder, {followed.model: followed.text for followed in followed_round}
        )
        behaviour = observe(folder, after)
        for followed in followed_round:
            new = new_findings(
                followed.before, followed.diagnostic, after[followed.model]
            )
            observed = behaviour[followed.model]
            title = (
                f"{followed.kind}: {followed.diagnostic.code.id}: {followed.fix.title}"
            )
            if new:
                wrong.append(f"{title}: {new}\n{followed.text}")
            elif not after[followed.model] and not behaves_alike(
                observed, followed.diagnostic.code.id
            ):
                wrong.append(
                    f"{title}: behaves differently: {observed}\n{followed.text}"
                )
    return wrong


INVALID_EXAMPLES = [
    pytest.param(case, id=f"{code.id}-{number}")
    for code in Problem
    for number, case in enumerate(cases(page(code)), 1)
    if case.fixed
]
"""The examples of the rules' pages that have an autofix."""


def check_followed(
    folder: Path,
    before: Iterable[Diagnostic],
    diagnostic: Diagnostic,
    files: Mapping[str, Block],
    case: Case,
) -> None:
    """Convert an example after advice was followed; check its findings and what its classes do."""
    after = report(folder, files, case.command)
    assert new_findings(before, diagnostic, after) == []
    models = (folder / "project/models").glob("*/modular_*.py")
    names = [path.parent.name for path in models]
    if not after:
        for observed in observe(folder / "project", names).values():
            assert behaves_alike(observed, diagnostic.code.id), observed


@pytest.mark.parametrize("case", INVALID_EXAMPLES)
def test_every_autofix_of_an_example_can_be_applied(case: Case, tmp_path: Path) -> None:
    before = report(tmp_path / "before", case.files, case.command)
    number = 0
    for diagnostic in before:
        for fix in diagnostic.fixes:
            number += 1
            files = dict(case.files)
            for path in {edit.path for edit in fix.edits}:
                edits = [edit for edit in fix.edits if edit.path == path]
                text = apply_edits(files[path].text, edits)
                files[path] = replace(files[path], text=text)
            check_followed(tmp_path / f"after{number}", before, diagnostic, files, case)
    assert number > 0


@pytest.mark.parametrize(
    ("code", "old", "new"),
    [
        (
            "MOD413",
            "\n\n\nclass OlmoA",
            "\n\n\ndef attention(x):\n    return x\n\n\nclass OlmoA",
        ),
        ("MOD414", "LlamaModel, OlmoEncoder", "LlamaModel"),
        (
            "MOD415",
            "# twice as wide\n    def forward(self, x):\n",
            "def forward(self, x):\n        # twice as wide\n",
        ),
        ("MOD421", "return 2 * super()", "return super()"),
        ("MOD441", "olmoe", "olmo"),
        ("MOD417", "self.size = 8", "self.size: int = 8"),
        ("MOD417", "self.total = ", "self.total: int = "),
        ("MOD479", "from ..bert.modeling_bert import rotate\n", ""),
        ("MOD482", "@final", "@final\n@dataclass"),
        ("MOD485", "class Olmo", "@no_inherit_decorator\nclass Olmo"),
        (
            "MOD470",
            "    pass\n",
            "    def forward(self, x):\n        return 2 * x\n",
        ),
        (
            "MOD417",
            "super().prune(heads)\n        self.is_pruned = True",
            "self.is_pruned = True\n        super().prune(heads)",
        ),
        (
            "MOD417",
            "size = 8\n        super().__init__(config)\n        self.depth = size",
            "depth = 8\n        super().__init__(config)\n        self.depth = depth",
        ),
    ],
)
def test_a_hint_without_an_autofix_can_be_followed(
    code: str, old: str, new: str, tmp_path: Path
) -> None:
    problem = next(problem for problem in Problem if problem.id == code)
    for case in cases(page(problem)):
        text = case.files.get("models/olmo/modular_olmo.py")
        if case.finding and text is not None and old in text.text:
            before = report(tmp_path / "before", case.files)
            files = dict(case.files)
            fixed = replace(text, text=text.text.replace(old, new, 1))
            files["models/olmo/modular_olmo.py"] = fixed
            check_followed(tmp_path / "after", before, before[0], files, case)
            return
    pytest.fail("no example has the text")


def test_correct_files_are_correct(tmp_path: Path) -> None:
    random = Random(SEED)
    texts = {
        model: correct_file(random, model).text()
        for model, _ in zip(model_names(), range(30), strict=False)
    }
    found = find(tmp_path, texts)
    assert [found[model] for model in texts] == [()] * len(texts)
    for observed in observe(tmp_path, texts).values():
        assert observed["modular"] == observed["generated"]


def test_advice_about_each_kind_of_mistake_can_be_followed(tmp_path: Path) -> None:
    assert problems(tmp_path, len(MISTAKES)) == []


@pytest.mark.slow
def test_advice_about_many_mistakes_can_be_followed(tmp_path: Path) -> None:
    assert problems(tmp_path, 215) == []
