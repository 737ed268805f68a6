"""A model's page: lines light up with their counterparts, by mouse and by keyboard.

`modular_owl.py` ends with `class OwlModel(EagleModel):` (line 8) and `    hoots = True` (line 9). `modeling_owl.py` has
`        return 2` (line 3, from line 3 of the eagle) and `    hoots = True` (line 7).
"""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect


def open_page(page: Page, flock: Path, anchor: str = "", model: str = "owl") -> None:
    page.goto(f"{(flock / f'models/{model}.html').as_uri()}{anchor}")


def row(page: Page, identifier: str) -> Locator:
    return page.locator(f'[id="{identifier}"]')


def classes(locator: Locator) -> set[str]:
    return set((locator.get_attribute("class") or "").split())


def lit(page: Page) -> str | None:
    """The identifier of the lit line."""
    return page.locator(".lit").get_attribute("id")


def parent_line(page: Page) -> Locator:
    """The lit line of the parent's pane."""
    return page.frame_locator("#parent-frame").locator(".lit")


def status(page: Page) -> str:
    return " ".join(page.locator("#status").inner_text().split())


def test_a_click_lights_the_counterpart_in_the_modular_file(page: Page, flock: Path) -> None:
    open_page(page, flock)
    row(page, "modeling_owl.py-L7").click()
    assert lit(page) == "modeling_owl.py-L7"
    assert page.locator(".counterpart").get_attribute("id") == "modular_owl.py-L9"
    assert status(page) == "modeling_owl.py:7 own from models/owl/modular_owl.py:9 · OwlModel.hoots"


def test_a_click_in_the_modular_file_lights_what_comes_of_it(page: Page, flock: Path) -> None:
    open_page(page, flock)
    row(page, "modular_owl.py-L9").click()
    assert page.locator(".counterpart").get_attribute("id") == "modeling_owl.py-L7"
    assert status(page) == "modular_owl.py:9 goes to modeling_owl.py:7"


def test_a_click_on_an_inherited_line_opens_the_parent_at_its_line(page: Page, flock: Path) -> None:
    open_page(page, flock)
    row(page, "modeling_owl.py-L3").click()
    expect(parent_line(page)).to_have_id("modeling_eagle.py-L3")
    assert page.locator(".near").get_attribute("id") == "modular_owl.py-L4"
    assert "inherited from models/eagle/modeling_eagle.py:3 · OwlWing.beat · renamed eagle → owl" in status(page)
    expect(row(page.frame_locator("#parent-frame"), "modeling_eagle.py-L2")).to_have_class("s1")


def test_a_click_in_the_parent_lights_what_comes_of_it(page: Page, flock: Path) -> None:
    open_page(page, flock)
    row(page, "modeling_owl.py-L3").click()
    row(page.frame_locator("#parent-frame"), "modeling_eagle.py-L2").click()
    expect(page.locator(".counterpart")).to_have_id("modeling_owl.py-L2")
    assert "models/eagle/modeling_eagle.py:2 goes to modeling_owl.py:2" in status(page)


def test_the_mouse_lights_lines_until_one_is_clicked(page: Page, flock: Path) -> None:
    open_page(page, flock)
    row(page, "modeling_owl.py-L7").hover()
    expect(page.locator(".counterpart")).to_have_id("modular_owl.py-L9")
    row(page, "modeling_owl.py-L7").click()
    row(page, "modeling_owl.py-L3").hover()
    page.wait_for_timeout(200)
    assert lit(page) == "modeling_owl.py-L7"
    page.keyboard.press("Escape")
    row(page, "modeling_owl.py-L2").hover()
    expect(page.locator(".lit")).to_have_id("modeling_owl.py-L2")


def test_the_counterpart_scrolls_into_view(page: Page, flock: Path) -> None:
    page.set_viewport_size({"width": 1000, "height": 260})
    open_page(page, flock)
    row(page, "modular_owl.py-L9").click()
    expect(row(page, "modeling_owl.py-L7")).to_be_in_viewport(ratio=1)


def test_the_arrow_keys_go_line_by_line(page: Page, flock: Path) -> None:
    open_page(page, flock, "#modeling_owl.py-L5")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("j")
    assert lit(page) == "modeling_owl.py-L7"
    page.keyboard.press("ArrowUp")
    assert lit(page) == "modeling_owl.py-L6"
    page.keyboard.press("End")
    assert lit(page) == "modeling_owl.py-L10"
    page.keyboard.press("Home")
    assert lit(page) == "modeling_owl.py-L1"
    assert page.evaluate("document.activeElement.getAttribute('aria-activedescendant')") == "modeling_owl.py-L1"


def test_enter_goes_to_the_counterpart_and_back(page: Page, flock: Path) -> None:
    open_page(page, flock, "#modeling_owl.py-L7")
    page.keyboard.press("Enter")
    assert lit(page) == "modular_owl.py-L9"
    page.keyboard.press("Enter")
    assert lit(page) == "modeling_owl.py-L7"


def test_the_parent_is_opened_walked_and_closed_by_keyboard(page: Page, flock: Path) -> None:
    open_page(page, flock, "#modeling_owl.py-L3")
    page.keyboard.press("p")
    expect(parent_line(page)).to_have_id("modeling_eagle.py-L3")
    page.keyboard.press("Enter")
    page.frame_locator("#parent-frame").locator(".code").press("ArrowUp")
    expect(parent_line(page)).to_have_id("modeling_eagle.py-L2")
    page.frame_locator("#parent-frame").locator(".code").press("Escape")
    expect(page.locator("#parent")).to_be_hidden()


def test_a_link_to_a_line_lights_it(page: Page, flock: Path) -> None:
    open_page(page, flock, "#modular_owl.py-L9")
    assert lit(page) == "modular_owl.py-L9"
    assert page.locator(".counterpart").get_attribute("id") == "modeling_owl.py-L7"


def test_a_link_to_a_line_of_a_parent_opens_it(page: Page, flock: Path) -> None:
    open_page(page, flock, "#modeling_eagle.py-L7")
    expect(parent_line(page)).to_have_id("modeling_eagle.py-L7")


def test_the_address_is_that_of_the_lit_line(page: Page, flock: Path) -> None:
    open_page(page, flock)
    row(page, "modeling_owl.py-L7").click()
    assert page.url.endswith("/owl.html#modeling_owl.py-L7")


def test_the_change_is_switched_on_and_off(page: Page, flock: Path) -> None:
    open_page(page, flock)
    switch = page.get_by_role("switch")
    gone = page.locator("#generated .gone")
    assert switch.get_attribute("aria-checked") == "false"
    expect(gone).to_be_hidden()
    page.keyboard.press("c")
    assert switch.get_attribute("aria-checked") == "true"
    expect(gone).to_be_visible()
    assert gone.inner_text().strip() == "return 1"
    assert "new" in classes(row(page, "modeling_owl.py-L3"))
    switch.click()
    expect(gone).to_be_hidden()


def test_the_keys_for_changes_go_through_them(page: Page, flock: Path) -> None:
    open_page(page, flock, "#modeling_owl.py-L1")
    page.keyboard.press(".")
    assert lit(page) == "modeling_owl.py-L3"
    page.keyboard.press(".")
    assert lit(page) == "modeling_owl.py-L7"
    page.keyboard.press(",")
    assert lit(page) == "modeling_owl.py-L3"


def background(page: Page) -> int:
    """How light the page is, from 0 to 255."""
    return int(page.evaluate("parseInt(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0])"))


def test_light_and_dark(page: Page, flock: Path) -> None:
    open_page(page, flock)
    assert background(page) == 255
    page.keyboard.press("t")
    assert background(page) < 40
    open_page(page, flock, model="owlet")
    assert background(page) < 40


def test_dark_is_what_the_system_says(page: Page, flock: Path) -> None:
    page.emulate_media(color_scheme="dark")
    open_page(page, flock)
    assert background(page) < 40


def test_the_parent_has_the_colours_of_the_page(page: Page, flock: Path) -> None:
    open_page(page, flock)
    row(page, "modeling_owl.py-L3").click()
    page.get_by_role("button", name="Theme").click()
    frame = page.frame_locator("#parent-frame").locator("html")
    expect(frame).to_have_attribute("data-theme", "dark")


def test_the_keys_are_listed(page: Page, flock: Path) -> None:
    open_page(page, flock)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("its counterpart lights up")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_a_screen_reader_finds_its_way(page: Page, flock: Path) -> None:
    open_page(page, flock)
    assert page.get_by_role("heading").all_inner_texts() == ["owl", "Legend", "modular_owl.py"]
    for name in ("modular_owl.py", "modeling_owl.py, generated"):
        expect(page.get_by_role("listbox", name=name, exact=True)).to_be_visible()
    expect(page.get_by_role("option").nth(0)).to_contain_text("from ..eagle.modeling_eagle import")
    assert page.get_by_role("tab", name="modeling_owl.py").get_attribute("aria-selected") == "true"
    assert page.locator("#status").get_attribute("aria-live") == "polite"
    row(page, "modeling_owl.py-L7").click()
    assert (
        page.get_by_role("listbox", name="modeling_owl.py").get_attribute("aria-activedescendant")
        == "modeling_owl.py-L7"
    )


def test_tab_goes_through_all_in_order(page: Page, flock: Path) -> None:
    open_page(page, flock)
    seen = []
    for _ in range(10):
        page.keyboard.press("Tab")
        seen.append(
            page.evaluate("(({id, ariaLabel, innerText}) => id || ariaLabel || innerText)(document.activeElement)")
        )
    assert [" ".join(each.split()) for each in seen] == [
        "Skip to the generated code",
        "All models",
        "changes",
        "theme",
        "help",
        "modular_owl.py 1",
        "modeling_eagle.py 8",
        "modular",
        "tab-0",
        "modeling_owl.py, generated",
    ]


def test_the_page_of_a_model_with_an_error(page: Page, broken: Path) -> None:
    """There is nothing to go to, and no key fails."""
    open_page(page, broken)
    for key in ("g", "]", "Enter", "p", "n", ".", "Escape", "ArrowDown", "m"):
        page.keyboard.press(key)
    row(page, "modular_owl.py-L4").click()
    assert lit(page) == "modular_owl.py-L4"
    page.get_by_text("1 error").click()
    expect(page.get_by_text("MOD201")).to_be_visible()


def test_an_address_that_names_nothing(page: Page, flock: Path) -> None:
    open_page(page, flock, "#%E0%A4%A")
    assert page.locator(".lit").count() == 0


@pytest.mark.parametrize("name", ["models/owl.html", "index.html", "files/models/eagle/modeling_eagle.py.html"])
def test_a_hostile_source_runs_nothing(page: Page, hostile: Path, name: str) -> None:
    page.goto((hostile / name).as_uri())
    page.wait_for_timeout(200)
    assert "owned" not in page.title()
    assert page.locator("img").count() == 0


def test_a_script_that_slips_in_would_not_run(browser: Browser, flock: Path) -> None:
    """The page's policy allows only the scripts that lie beside it."""
    page = browser.new_page()
    open_page(page, flock)
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<i onclick=\"document.title = 1\">x</i>')")
    page.locator("body > i").dispatch_event("click")
    assert page.title() == "owl · modular review"
    page.close()
