"""Whatever was done to a project before, a check with the cache says what one without it says."""

import random
from pathlib import Path
from typing import Any

import pytest

from modular import Options, Report, check, convert


STEPS = 6


class Project:
    """A small project that is changed at random: models that inherit from two hand-written ones and from each other."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.random = random.Random(seed)
        self.models = self.random.choice([4, 8, 16])
        self.write(
            "pyproject.toml",
            '[tool.modular]\npreset = "transformers"\nmodels = ["models"]\nformatter = "none"\n',
        )
        for number in (1, 2):
            self.write_base(number)
        for number in range(self.models):
            self.write_modular(number, range(number))

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def write_base(self, number: int) -> None:
        first, second = self.random.randint(0, 3), self.random.randint(0, 3)
        text = f"class B{number}A:\n    size = {first}\n\n\nclass B{number}B:\n    def f(self):\n        return {second}\n"
        self.write(f"models/b{number}/modeling_b{number}.py", text)

    def write_modular(self, number: int, others: range) -> None:
        """Let a model inherit from some of the hand-written ones and of the others: two classes, each from one of them."""
        known = ["B1", "B2", *(f"M{other}" for other in others)]
        parents = self.random.sample(known, min(len(known), self.random.randint(1, 3)))
        text = "".join(
            f"from ..{parent.lower()}.modeling_{parent.lower()} import {parent}A, {parent}B\n"
            for parent in sorted(parents)
        )
        for letter in "AB":
            value = self.random.randint(0, 3)
            body = self.random.choice(
                ["pass", f"size = {value}", f"def f(self):\n        return {value}"]
            )
            text += f"\n\nclass M{number}{letter}({self.random.choice(parents)}{letter}):\n    {body}\n"
        self.write(f"models/m{number}/modular_m{number}.py", text)

    def change(self) -> None:
        """Change a hand-written file or a modular file, one of them perhaps into a circle or no Python; or a generated one."""
        number = self.random.randrange(self.models)
        generated = self.root / f"models/m{number}/modeling_m{number}.py"
        match self.random.choices(
            ["base", "modular", "old", "gone", "broken", "any"], [7, 7, 2, 2, 1, 1]
        )[0]:
            case "base":
                self.write_base(self.random.choice([1, 2]))
            case "modular":
                self.write_modular(number, range(number))
            case "old":
                generated.write_text("class Old:\n    pass\n", encoding="utf-8")
            case "gone":
                generated.unlink(missing_ok=True)
            case "broken":
                self.write(f"models/m{number}/modular_m{number}.py", "class (:\n")
            case "any":
                self.write_modular(number, range(self.models))

    def options(self, *, cache: bool = True) -> Options:
        return Options(root=self.root, cache=cache, jobs=self.random.choice([1, 2]))


def said(report: Report) -> tuple[Any, ...]:
    """All that a report says."""
    return (
        report.files,
        report.diagnostics,
        report.lines,
        {modular: report.results[modular].reads for modular in report.lines},
    )


QUICK_SEEDS = range(4)
SLOW_SEEDS = range(4, 9)


@pytest.mark.parametrize(
    "seed",
    [
        *QUICK_SEEDS,
        *(pytest.param(seed, marks=pytest.mark.slow) for seed in SLOW_SEEDS),
    ],
)
def test_any_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "cache"))
    project = Project(tmp_path / "project", seed)
    for _ in range(STEPS):
        if project.random.random() < 0.5:
            convert(options=project.options())
        targets = (
            [f"m{project.random.randrange(project.models)}"]
            if project.random.random() < 0.4
            else []
        )
        assert said(check(targets, options=project.options())) == said(
            check(targets, options=project.options(cache=False))
        )
        for _ in range(project.random.randint(1, 3)):
            project.change()
