"""The tree of parents and children, beside the files and on the start page."""

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import EAGLE


def open_tree(page: Page, folder: Path, name: str = "models/owl.html") -> Locator:
    """Open a page on a screen that is wide enough for the tree."""
    page.goto(f"{folder.as_uri()}/{name}")
    return page.get_by_role("complementary", name="Parents and children")


def models(tree: Locator) -> list[str]:
    return tree.get_by_role("link").all_inner_texts()


def test_the_tree_has_the_parents_and_the_children_of_the_model(
    page: Page, flock: Path
) -> None:
    tree = open_tree(page, flock)
    expect(tree.get_by_role("heading")).to_have_text(
        ["owl inherits from", "Inherit from owl", "All models"]
    )
    assert models(tree) == ["eagle", "owlet", "eagle"]


def test_children_are_below_their_parents_and_indented(page: Page, flock: Path) -> None:
    tree = open_tree(page, flock)
    tree.get_by_role("button", name="children of eagle").click()
    tree.get_by_role("button", name="children of owl").click()
    assert models(tree) == ["eagle", "owlet", "eagle", "owl", "owlet"]
    lefts = []
    for index in (2, 3, 4):
        box = tree.get_by_role("link").nth(index).bounding_box()
        assert box is not None
        lefts.append(box["x"])
    assert lefts == sorted(set(lefts))
    expect(tree.locator("[aria-current=page]")).to_have_text("owl")
    tree.get_by_role("button", name="children of eagle").click()
    assert models(tree) == ["eagle", "owlet", "eagle"]


def test_the_page_of_a_parent_has_its_children(page: Page, flock: Path) -> None:
    tree = open_tree(page, flock, f"files/{EAGLE}.html")
    expect(tree.get_by_role("heading")).to_have_text(
        ["Inherit from eagle", "All models"]
    )
    tree.get_by_role("link", name="owl", exact=True).click()
    page.wait_for_url("**/models/owl.html")


def test_the_tree_is_searched(page: Page, flock: Path) -> None:
    tree = open_tree(page, flock)
    field = tree.get_by_role("searchbox")
    field.fill("OWL")
    assert models(tree) == ["owl", "owlet"]
    field.fill("dodo")
    expect(tree.get_by_role("status")).to_have_text("Nothing found.")
    field.fill("")
    assert models(tree) == ["eagle", "owlet", "eagle"]


def test_the_tree_is_walked_by_keyboard(page: Page, flock: Path) -> None:
    tree = open_tree(page, flock)
    tree.get_by_role("searchbox").focus()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") == "owl"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert models(tree) == ["eagle", "owlet", "eagle"]


def test_the_tree_is_hidden_and_stays_so(page: Page, flock: Path) -> None:
    tree = open_tree(page, flock)
    expect(tree).to_be_visible()
    page.keyboard.press("i")
    expect(tree).to_be_hidden()
    open_tree(page, flock, "models/owlet.html")
    expect(tree).to_be_hidden()
    page.get_by_role("button", name="Tree").click()
    expect(tree.get_by_role("searchbox")).to_be_focused()


def test_a_narrow_screen_has_the_tree_only_if_asked(page: Page, flock: Path) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    tree = open_tree(page, flock)
    expect(tree).to_be_hidden()
    page.keyboard.press("i")
    expect(tree).to_be_visible()


@pytest.fixture
def section(page: Page) -> Locator:
    return page.get_by_role("region", name="Inheritance")


def test_many_models_are_a_tree_instead_of_a_drawing(
    page: Page, crowd: Path, section: Locator
) -> None:
    page.goto(f"{crowd.as_uri()}/index.html")
    expect(page.locator("#drawing")).to_be_hidden()
    assert models(section) == ["eagle"]
    section.get_by_role("button", name="children of eagle").click()
    assert len(models(section)) == 41
    section.get_by_role("searchbox").fill("bird39")
    assert models(section) == ["bird39"]


def test_a_link_leads_to_a_model_in_the_tree(
    page: Page, crowd: Path, section: Locator
) -> None:
    page.goto(f"{crowd.as_uri()}/models/bird8.html")
    page.get_by_role("link", name="inheritance").click()
    expect(section.get_by_role("heading", level=3)).to_have_text(
        ["bird8 inherits from", "Inherit from bird8", "All models"]
    )


def test_a_telephone_has_the_tree_instead_of_a_drawing(
    page: Page, flock: Path, section: Locator
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{flock.as_uri()}/index.html")
    expect(page.locator("#drawing")).to_be_hidden()
    # The eagle was edited, so the models that inherit from it are shown.
    assert models(section) == ["eagle", "owl"]
    expect(section.get_by_text("hand-written, edited (1)")).to_be_visible()


def test_names_that_every_object_has_are_in_the_tree(
    page: Page, odd_names: Path
) -> None:
    tree = open_tree(page, odd_names, "models/constructor.html")
    expect(tree.get_by_role("heading").first).to_have_text("constructor inherits from")
    assert models(tree) == ["__proto__", "__proto__"]
