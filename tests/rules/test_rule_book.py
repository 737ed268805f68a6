"""The rule book: every rule is in it, with a sentence that says what it does."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import modular
from modular.cli.main import main
from modular.lint import rule_book


RULES = Path(modular.__file__).parent / "rules"
SHARED_BY_RULES = {
    "dataclass_fields",
    "drafts",
    "instance_facts",
    "merge_record",
    "modular_file",
    "renamed_file",
}


def test_every_rule_file_is_in_the_book():
    modules = {path.stem for path in RULES.glob("*/[!_]*.py")} - SHARED_BY_RULES
    # The project needs the names that two rules describe, and lays out files.
    elsewhere = {"layout", "cased-names", "file-types"}
    expected = {name.replace("_", "-") for name in modules} | elsewhere
    assert {rule.name for rule in rule_book.rules()} == expected


def test_every_rule_has_tests_of_its_own():
    tests = Path(__file__).parents[1]
    folders = ("rules", "flatten", "project")
    modules = [path for folder in folders for path in tests.glob(f"{folder}/test_*.py")]
    names = {path.stem.removeprefix("test_").replace("_", "-") for path in modules}
    assert {rule.name for rule in rule_book.rules()} - names == set()


def test_every_rule_begins_with_one_sentence():
    for rule in rule_book.rules():
        assert rule.summary.endswith("."), rule.name
        assert rule.text.splitlines()[1] == "", rule.name


def test_the_summary_of_a_rule_is_its_first_sentence():
    (rule,) = (rule for rule in rule_book.rules() if rule.name == "init-order")
    expected = "In a merged method, `super().__init__()` comes first and `self.post_init()` last."
    assert (rule.summary, rule.text.partition("\n")[0]) == (expected, expected)


@pytest.mark.parametrize("name", ["del-attribute", "del_attribute", "DEL-attribute"])
def test_a_rule_is_found_by_its_name(name):
    first, _ = CliRunner().invoke(main, ["rule", name]).stdout.split("\n", 1)
    assert [rule.name for rule in rule_book.rules() if rule.summary == first] == [
        "del-attribute"
    ]


def test_printing_a_rule_imports_nothing_heavy():
    code = "import sys; from modular.lint import rule_book; rule_book.rules(); print('libcst' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
