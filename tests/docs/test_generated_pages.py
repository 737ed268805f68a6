"""The pages of rules and errors are what these say of themselves, and all pages are in the navigation of the site."""

import importlib.util
import re

import pytest

from modular.lint.rule_book import rules
from modular.source.diagnostics import Problem
from tests.docs.markdown import ROOT, read


def load_generator():
    """Return the module `docs/make_pages.py`, which is in no package."""
    spec = importlib.util.spec_from_file_location(
        "make_pages", ROOT / "docs" / "make_pages.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_are_up_to_date():
    for name, text in load_generator().pages():
        assert text == read(f"docs/{name}"), "run `python docs/make_pages.py`"


def test_no_page_is_left_over():
    folders = (ROOT / "docs/rules", ROOT / "docs/language")
    pages = {
        path.relative_to(ROOT / "docs").as_posix()
        for folder in folders
        for path in folder.iterdir()
    }
    assert pages == {f"rules/{code.id}.md" for code in Problem} | {
        f"language/{rule.name}.md" for rule in rules()
    }


def test_the_navigation_of_the_site_has_every_page_once():
    navigation = re.findall(r"^ +- .*?([\w/-]+\.md)$", read("mkdocs.yml"), re.MULTILINE)
    pages = [
        path.relative_to(ROOT / "docs").as_posix()
        for path in (ROOT / "docs").rglob("*.md")
    ]
    assert sorted(navigation) == sorted(pages)


def test_a_rule_in_no_group_is_noticed():
    generator = load_generator()
    del generator.GROUPS["Files"]
    with pytest.raises(LookupError, match="in no group: .*file-types"):
        generator.rules_page()


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.name)
def test_every_rule_has_a_page_with_its_name(rule):
    assert f"[`{rule.name}`](language/{rule.name}.md)" in read("docs/rules.md")
    assert read(f"docs/language/{rule.name}.md").startswith(
        f"# {rule.name}\n\n{rule.summary}"
    )
