"""The README of the library says what is true."""

import re

import pytest

from modular.lint.rule_book import rules
from tests.models.library import ROOT


README = (ROOT / "models" / "README.md").read_text(encoding="utf-8")
# The rule for modular files outside of the library that holds their parents: no model can show it within one library. And
# that for imports from a model's own hand-written files: the modular files here generate all files of their models. Nor is
# any model here written in an order that would not load, and the setting that merges docstrings is off. The last six rules
# are those of `inheritance = "python"`; the models here have the rules of transformers.
SHOWN_ELSEWHERE = {
    "module_changes",
    "layout",
    "library_imports",
    "own_files",
    "load_order",
    "config_docstrings",
    "inlined_call",
    "replaced_assignments",
    "body_order",
    "import_aliases",
    "kept_methods",
    "kept_parents",
}
MODULARS = sorted((ROOT / "models").glob("*/modular_*.py"))


def lines(path):
    return len(path.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("modular", MODULARS, ids=lambda path: path.parent.name)
def test_line_counts(modular):
    name = modular.parent.name
    counts = f"| {lines(modular)} | {sum(map(lines, (ROOT / 'generated' / name).glob('*.py')))} |"
    row = next(
        row
        for row in README.splitlines()
        if row.startswith(f"| [{name}]({name}/{modular.name})")
    )
    assert counts in row


def test_every_rule_has_a_model():
    table = {
        name
        for row in README.splitlines()
        if row.startswith("| `")
        for name in re.findall(r"`(\w+)`", row.split("|")[1])
    }
    assert table == {rule.name.replace("-", "_") for rule in rules()} - SHOWN_ELSEWHERE


def test_what_to_look_for_is_there():
    shown = re.findall(r"\[(\w+)\]\([\w/.]+\): ((?:`[^`]+`(?:, )?)+)", README)
    assert len(shown) > 50
    for name, places in shown:
        text = " ".join(
            (ROOT / "models" / name / f"modular_{name}.py")
            .read_text(encoding="utf-8")
            .split()
        )
        for place in re.findall(r"`([^`]+)`", places):
            assert place.strip() in text, f"{name}: {place}"
