"""Everything that the pages tell a reader to type is typed, in an empty folder, and prints what they show."""

import pytest

from tests.docs.markdown import PAGES, ROOT, blocks, read
from tests.docs.walk import agrees, is_step, steps, walk


OTHERWISE_CHECKED = ("sh", "yaml", "toml", "ninja", "mermaid", "lua", "lisp", "text")
"""Languages of blocks that no page is walked for: see `test_commands`, `test_snippets`, `test_settings`, `tests.test_house`
and `editors.tests`."""

GENERATED = (
    "docs/rules.md",
    "docs/errors.md",
    "docs/commands.md",
    "docs/rules/",
    "docs/language/",
)
"""Pages whose examples are tested where they come from: see `test_generated_pages`, `tests/rules` and `tests/lint/test_rules`."""

WRITTEN = tuple(page for page in PAGES if not page.startswith(GENERATED))


DAILY = ("README.md", "docs/tutorial.md", "docs/python.md")
"""The pages that are walked each time; a walk takes some seconds."""

WALKS = [
    pytest.param(page, marks=[] if page in DAILY else [pytest.mark.slow])
    for page in WRITTEN
    if any(map(is_step, blocks(page)))
]


@pytest.mark.parametrize("page", WALKS)
def test_walk(page, tmp_path):
    """The checkout that a page may speak of is at `~/modular`."""
    folder = tmp_path / "empty"
    folder.mkdir()
    (tmp_path / "modular").symlink_to(ROOT)
    for step, seen in walk(steps(blocks(page)), folder):
        assert agrees(step, seen), f"{step.place}: exit code {seen.code}\n{seen.text}"


@pytest.mark.parametrize("page", WRITTEN)
def test_every_block_is_tested(page):
    assert [
        block.place
        for block in blocks(page)
        if not is_step(block) and block.language not in OTHERWISE_CHECKED
    ] == []


def test_the_numbers_of_the_readme():
    """How many files of the corpus are identical is held by the test of the corpus."""
    page = " ".join(read("README.md").split())
    identical = (
        (ROOT / "tests" / "corpus" / "floor.txt").read_text(encoding="utf-8").strip()
    )
    assert f"all {identical} generated files, byte for byte" in page
    modulars = {path.parent for path in (ROOT / "models").glob("*/modular_*.py")}
    by_hand = {path.parent for path in (ROOT / "models").glob("*/modeling_*.py")}
    assert (len(by_hand), len(modulars)) == (4, 9)
    assert "contains four hand-written models and nine modular files" in page
