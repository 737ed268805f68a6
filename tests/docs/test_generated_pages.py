"""docs/rules.md, docs/errors.md and the pages in docs/rules are what rules and errors say of themselves."""

import importlib.util

import pytest

from modular.cli.rule_book import rules
from modular.source.diagnostics import Problem
from tests.docs.markdown import ROOT, read


def load_generator():
    """Return the module `docs/make_pages.py`, which is in no package."""
    spec = importlib.util.spec_from_file_location("make_pages", ROOT / "docs" / "make_pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_are_up_to_date():
    for name, text in load_generator().pages():
        assert text == read(f"docs/{name}"), "run `python docs/make_pages.py`"


def test_no_page_is_left_over():
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs/rules").iterdir()}
    assert pages == {f"rules/{code.id}.md" for code in Problem}


def test_a_rule_in_no_group_is_noticed():
    generator = load_generator()
    del generator.GROUPS["Files"]
    with pytest.raises(LookupError, match="in no group: .*file-types"):
        generator.rules_page()


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.name)
def test_every_rule_is_on_the_page(rule):
    page = read("docs/rules.md")
    assert f"\n### `{rule.name}`\n\n{rule.text}" in page
    assert f"\n- [`{rule.name}`](#{rule.name}) " in page
