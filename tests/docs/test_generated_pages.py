"""docs/rules.md and docs/errors.md are what the rules and errors say of themselves."""

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


@pytest.mark.parametrize("name", ["rules.md", "errors.md"])
def test_the_page_is_up_to_date(name):
    assert dict(load_generator().pages())[name] == read(f"docs/{name}"), "run `python docs/make_pages.py`"


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


@pytest.mark.parametrize("code", Problem, ids=lambda code: code.id)
def test_every_error_is_on_the_page(code):
    assert f"\n## {code.id}\n\n`{code.title}`, " in read("docs/errors.md")
