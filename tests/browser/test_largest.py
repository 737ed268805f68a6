"""The page of the corpus's largest model is not too big. And the tree of all models of the corpus."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from modular.review.index_page import CATALOGUE, catalogue
from modular.review.site import review
from modular.run.api import Options
from modular.semantics.model_graph import read_graph


def largest(corpus: Path) -> str:
    """The name of the model whose modular file and generated files are the largest together."""

    def size(modular: Path) -> int:
        name = modular.stem.removeprefix("modular_")
        return sum(path.stat().st_size for path in modular.parent.glob(f"*_{name}.py"))

    modulars = (corpus / "src/transformers/models").glob("*/modular_*.py")
    return max(modulars, key=size).stem.removeprefix("modular_")


@pytest.fixture(scope="module")
def largest_page(corpus: Path) -> Path:
    name = largest(corpus)
    return (
        review([name], options=Options(root=corpus)).index.parent
        / f"models/{name}.html"
    )


def test_it_is_not_twice_as_large_as_what_it_shows(
    corpus: Path, largest_page: Path
) -> None:
    """At this rate the pages of all 326 models have less than 60 MB."""
    files = (corpus / "src/transformers/models" / largest_page.stem).glob(
        f"*_{largest_page.stem}.py"
    )
    assert largest_page.stat().st_size < 2 * sum(file.stat().st_size for file in files)


def test_its_last_line_is_reached(page: Page, largest_page: Path) -> None:
    """Rows are laid out when they are seen; jumping over all of them must still arrive."""
    page.goto(largest_page.as_uri())
    page.locator("[role=tabpanel]:not([hidden]) .code").focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowDown")
    lines = page.locator("[role=tabpanel]:not([hidden]) .code li[id]")
    expect(lines.last).to_have_class(re.compile("lit"))
    expect(lines.last).to_be_in_viewport()


def test_all_models_are_in_the_tree(
    page: Page, corpus: Path, largest_page: Path
) -> None:
    graph = read_graph(Options(root=corpus).open())
    assert len(graph.names) >= 326
    pages = largest_page.parents[1]
    (pages / CATALOGUE).write_text(
        catalogue("corpus", graph, [], lambda path: "", None), encoding="utf-8"
    )
    page.goto(f"{pages.as_uri()}/index.html")
    tree = page.locator("#tree")
    parents = {edge.parent for edge in graph.edges if edge.parent != edge.model}
    children = {edge.model for edge in graph.edges if edge.parent != edge.model}
    assert tree.locator("li").count() == len(set(graph.names) - children)
    assert tree.locator(".opener").count() == len(parents - children)
    tree.get_by_role("button", name="children of llama", exact=True).click()
    of_llama = {edge.model for edge in graph.edges if edge.parent == "llama"}
    names = tree.locator("li:has(> [aria-label='children of llama']) > ul > li")
    assert names.count() == len(of_llama - {"llama"})
