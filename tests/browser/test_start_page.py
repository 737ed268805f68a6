"""The start page: the table, the changes, the drawing."""

from pathlib import Path

from playwright.sync_api import Page, expect


def open_page(page: Page, flock: Path) -> None:
    page.goto((flock / "index.html").as_uri())


def width(page: Page) -> float:
    """How much of the drawing is seen."""
    return float(page.locator("#graph").get_attribute("viewBox").split()[2])


def test_a_change_leads_to_its_line(page: Page, flock: Path) -> None:
    open_page(page, flock)
    page.locator("#changes details", has_text="EagleWing.beat").get_by_role("link", name="owlet").click()
    assert page.url.endswith("/models/owlet.html#modeling_owlet.py-L3")
    assert page.locator(".lit").get_attribute("id") == "modeling_owlet.py-L3"


def test_the_filter_hides_models(page: Page, flock: Path) -> None:
    open_page(page, flock)
    page.get_by_label("Filter").fill("owlet")
    assert page.locator("#models tbody tr:visible th").all_inner_texts() == ["owlet"]
    assert page.locator("#found").inner_text() == "1 of 2"


def test_pointing_at_a_model_lights_its_relatives(page: Page, flock: Path) -> None:
    open_page(page, flock)
    page.locator(".node", has_text="owlet").hover()
    assert page.locator(".node.on").all_text_contents() == ["eagle", "owl", "owlet"]
    assert page.locator("#around").inner_text() == "owlet takes from owl, eagle; used by none"
    assert page.locator(".arrows .on").count() == 2


def test_a_click_on_a_model_opens_its_page(page: Page, flock: Path) -> None:
    open_page(page, flock)
    page.locator(".node", has_text="owlet").click()
    assert page.url.endswith("/models/owlet.html")


def test_zoom_by_wheel_buttons_and_keys(page: Page, flock: Path) -> None:
    open_page(page, flock)
    page.locator("#graph").scroll_into_view_if_needed()
    whole = width(page)
    page.locator("#graph").hover()
    page.mouse.wheel(0, -100)
    page.wait_for_function(f"document.querySelector('#graph').viewBox.baseVal.width < {whole}")
    page.get_by_role("button", name="All").click()
    assert width(page) == whole
    page.get_by_role("button", name="Zoom in").click()
    closer = width(page)
    assert closer < whole
    page.locator("#graph").press("-")
    assert width(page) > closer


def test_a_model_is_found_by_name(page: Page, flock: Path) -> None:
    open_page(page, flock)
    page.get_by_label("Find").fill("eag")
    expect(page.locator(".node.here")).to_have_text("eagle")
