"""How changes are shown: changed words, and folds that open step by step."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect


def open_page(page: Page, folder: Path, rest: str = "") -> None:
    page.goto(f"{folder.as_uri()}/models/owl.html{rest}")


def seen(page: Page) -> list[str]:
    """The identifiers of the visible lines of the generated file."""
    lines = page.locator("#generated li[id]:visible")
    return lines.evaluate_all("(rows) => rows.map((row) => row.id)")


def between(first: int, last: int) -> list[str]:
    return [f"modeling-L{number}" for number in range(first, last + 1)]


@pytest.mark.parametrize("view", ["changes", "split"])
def test_the_changed_words_of_a_line_are_marked(
    page: Page, flock: Path, view: str
) -> None:
    open_page(page, flock, f"?view={view}")
    marks = page.locator("#generated mark")
    expect(marks).to_have_text(["1", "2"])
    colours = "(nodes) => nodes.map((node) => [node, node.parentElement].map((each) => getComputedStyle(each).backgroundColor))"
    for mark, line in marks.evaluate_all(colours):
        assert mark not in (line, "rgba(0, 0, 0, 0)")


def test_whole_files_have_no_marked_words(page: Page, flock: Path) -> None:
    open_page(page, flock, "?view=whole")
    colour = "(node) => getComputedStyle(node).backgroundColor"
    mark = page.locator("#modeling-L3 mark")
    assert mark.evaluate(colour) == "rgba(0, 0, 0, 0)"


def test_the_start_page_marks_changed_words(page: Page, flock: Path) -> None:
    page.goto(f"{flock.as_uri()}/index.html")
    change = page.locator("#changes details", has_text="EagleWing.beat")
    expect(change.locator("mark")).to_have_text(["1", "2"])


@pytest.mark.parametrize("view", ["changes", "split"])
def test_a_fold_opens_by_twenty_lines_from_its_change(
    page: Page, long: Path, view: str
) -> None:
    """Line 50 of a hundred changes, and 47 to 53 are in sight at first."""
    open_page(page, long, f"?view={view}")
    page.locator("#generated").get_by_role("button", name="↑ 20 lines").click()
    assert seen(page) == between(27, 53)
    page.locator("#generated").get_by_role("button", name="↓ 20 lines").click()
    assert seen(page) == between(27, 73)
    folds = page.locator("#generated summary")
    expect(folds).to_have_text(["26 unchanged lines", "27 unchanged lines"])
    numbers = "(row) => [...row.parentElement.children].filter((each) => each.id).indexOf(row) + row.parentElement.start"
    for line in (27, 46, 54, 73):
        assert page.locator(f"#modeling-L{line}").evaluate(numbers) == line


def test_the_change_of_a_parent_has_the_numbers_of_the_old_lines(
    page: Page, long: Path
) -> None:
    open_page(page, long, "?view=split")
    rows = page.locator(".parent-change li:not(.new)")
    numbers = rows.evaluate_all("(rows) => rows.map((row) => row.dataset.old)")
    assert numbers == [str(number) for number in range(47, 54)]
    # The pane is too narrow for two columns.
    expect(page.locator(".parent-change .pairs")).to_have_count(0)
    expect(page.locator("#generated .pairs")).not_to_have_count(0)


def test_a_fold_that_is_open_as_a_whole_is_gone(page: Page, long: Path) -> None:
    open_page(page, long)
    button = page.locator("#generated").get_by_role("button", name="↑ 20 lines")
    for _ in range(3):
        button.click()
    assert seen(page) == between(1, 53)
    expect(page.locator("#modeling-L1")).to_be_focused()
    expect(page.locator("#generated summary")).to_have_count(1)


def test_lines_from_a_fold_keep_their_colours_and_links(page: Page, long: Path) -> None:
    open_page(page, long)
    page.locator("#generated").get_by_role("button", name="↓ 20 lines").click()
    page.locator("#modeling-L60").click()
    expect(page.locator("#status")).to_contain_text("from modeling_eagle.py:60")
    page.get_by_role("button", name="Whole files").click()
    assert seen(page) == between(1, 100)
