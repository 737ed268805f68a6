"""The six most used ways through the pages need two clicks at most, counted in the browser."""

from pathlib import Path

import pytest
from playwright.sync_api import ConsoleMessage, Page, expect


CLICK = "the user clicked"
# A console message reaches the test even if the click leaves the page at once.
REPORTING = f"""
addEventListener("click", (event) => {{
  if (event.isTrusted) console.debug("{CLICK}");
}}, true);
"""


@pytest.fixture
def clicks(page: Page) -> list[str]:
    """The clicks of a test, from page to page, in a list that grows."""
    reports: list[str] = []

    def take_report(message: ConsoleMessage) -> None:
        if message.text == CLICK:
            reports.append(message.text)

    page.on("console", take_report)
    page.add_init_script(REPORTING)
    return reports


def start(page: Page, folder: Path, name: str = "index.html") -> None:
    page.goto(f"{folder.as_uri()}/{name}")


def test_from_the_start_to_the_line_of_an_error(
    page: Page, clicks: list[str], broken: Path
) -> None:
    start(page, broken)
    page.locator("#errors").get_by_role("link").click()
    expect(page.locator("#modular-L1 .note.error")).to_be_visible()
    assert len(clicks) == 1


def test_from_the_start_to_the_line_that_caused_a_change(
    page: Page, clicks: list[str], flock: Path
) -> None:
    start(page, flock)
    page.get_by_role("link", name="models/eagle/modeling_eagle.py:3").click()
    expect(page.locator(".lit")).to_have_id("L3")
    assert len(clicks) == 1


def test_from_the_start_to_what_a_change_does_in_a_model(
    page: Page, clicks: list[str], flock: Path
) -> None:
    start(page, flock)
    page.locator("#changes details", has_text="EagleWing.beat").get_by_role(
        "link", name="owlet"
    ).click()
    expect(page.locator(".lit")).to_have_id("modeling-L3")
    assert len(clicks) == 1


def test_from_the_start_to_where_a_line_of_a_model_comes_from(
    page: Page, clicks: list[str], flock: Path
) -> None:
    start(page, flock)
    page.locator("#models th").get_by_role("link", name="owl", exact=True).click()
    page.locator("#modeling-L3").click()
    expect(page.frame_locator("#parent-frame").locator(".lit")).to_have_id("L3")
    assert len(clicks) == 2


def test_from_a_model_to_the_change_of_the_next_one(
    page: Page, clicks: list[str], flock: Path
) -> None:
    start(page, flock, "models/owl.html")
    page.get_by_role("link", name="Next ›").click()
    page.wait_for_url("**/models/owlet.html*")
    expect(page.locator("#generated .gone")).to_be_in_viewport()
    assert len(clicks) == 1


def test_from_a_generated_line_to_the_line_that_somebody_wrote(
    page: Page, clicks: list[str], flock: Path
) -> None:
    start(page, flock, "models/owlet.html")
    page.locator("#modeling-L3").click()
    page.locator("#status").get_by_role("link", name="modeling_eagle.py:3").click()
    expect(page.locator(".lit")).to_have_id("L3")
    assert len(clicks) == 2
