"""The pages of rules and errors are what these say of themselves, and all pages are in the navigation of the site."""

import importlib.util
import re

import click
import pytest

from modular.cli.main import main
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


def test_the_navigation_has_settings_and_python_before_the_rules():
    navigation = read("mkdocs.yml")
    titles = ["Commands", "Settings", "Python API", "Rules of the language"]
    places = [navigation.index(f"      - {title}:") for title in titles]
    assert places == sorted(places)


def test_each_command_and_option_is_in_the_reference():
    text = read("docs/commands.md")
    context = click.Context(main)
    for name in main.list_commands(context):
        assert f"\n### modular {name}" in text
        command = main.get_command(context, name)
        if isinstance(command, click.Group):
            continue
        section = text.partition(f"### modular {name}\n")[2].partition("\n### ")[0]
        for param in command.params:
            if isinstance(param, click.Option):
                assert param.opts[0] in section
        for example in command.examples:
            assert f"- `{example}`: " in section


def test_the_text_for_language_models_links_each_rule_and_error():
    text = read("docs/llms.txt")
    for rule in rules():
        assert f"/language/{rule.name}/): {rule.summary}\n" in text
    for code in Problem:
        assert f"- [{code.id} {code.title}]({code.url}): " in text


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
