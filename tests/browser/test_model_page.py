"""A model's page: lines light up with their counterparts, by mouse and by keyboard; and what changed.

`modular_owl.py` ends with `class OwlModel(EagleModel):` (line 8) and `    hoots = True` (line 9). `modeling_owl.py` has
`        return 2` (line 3, from line 3 of the eagle) and `    hoots = True` (line 7).
"""

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect


def open_page(page: Page, folder: Path, rest: str = "", model: str = "owl") -> None:
    page.goto(f"{folder.as_uri()}/models/{model}.html{rest}")


def row(page: Page, identifier: str) -> Locator:
    return page.locator(f"#{identifier}")


def lit(page: Page) -> list[str]:
    """The identifiers of the lit lines."""
    return page.locator(".lit").evaluate_all("(rows) => rows.map((row) => row.id)")


def parent_line(page: Page) -> Locator:
    """The lit line of the parent's pane."""
    return page.frame_locator("#parent-frame").locator(".lit")


def status(page: Page) -> str:
    return " ".join(page.locator("#status").inner_text().split())


def place(page: Page) -> str:
    """The last part of the address."""
    return page.url.rpartition("/")[2]


def test_a_click_lights_the_counterpart_in_the_modular_file(
    page: Page, flock: Path
) -> None:
    open_page(page, flock)
    row(page, "modeling-L7").click()
    assert lit(page) == ["modeling-L7"]
    assert page.locator(".counterpart").get_attribute("id") == "modular-L9"
    assert (
        status(page) == "modeling-L7, added own from modular_owl.py:9 · OwlModel.hoots"
    )


def test_a_click_in_the_modular_file_lights_what_comes_of_it(
    page: Page, flock: Path
) -> None:
    open_page(page, flock)
    row(page, "modular-L9").click()
    assert page.locator(".counterpart").get_attribute("id") == "modeling-L7"
    assert status(page) == "modular_owl.py:9, added goes to modeling-L7"


def test_a_click_on_an_inherited_line_opens_the_parent_at_its_line(
    page: Page, flock: Path
) -> None:
    open_page(page, flock)
    row(page, "modeling-L3").click()
    expect(parent_line(page)).to_have_id("L3")
    assert page.locator(".near").get_attribute("id") == "modular-L4"
    assert (
        status(page)
        == "modeling-L3, added inherited from modeling_eagle.py:3 · OwlWing.beat · renamed eagle → owl"
    )
    expect(row(page.frame_locator("#parent-frame"), "L2")).to_have_class("used i")


def test_a_click_in_the_parent_lights_what_comes_of_it(page: Page, flock: Path) -> None:
    open_page(page, flock)
    row(page, "modeling-L3").click()
    row(page.frame_locator("#parent-frame"), "L2").click()
    expect(page.locator(".counterpart")).to_have_id("modeling-L2")
    assert status(page) == "modeling_eagle.py:2 goes to modeling-L2"


def test_a_parent_that_is_generated_is_shown_by_its_own_page(
    page: Page, flock: Path
) -> None:
    open_page(page, flock, model="owlet")
    row(page, "modeling-L3").click()
    expect(parent_line(page)).to_have_id("modeling-L3")
    frame = page.frame_locator("#parent-frame")
    expect(frame.locator("#modular")).to_be_hidden()
    row(frame, "modeling-L2").click()
    expect(page.locator(".counterpart")).to_have_id("modeling-L2")


def test_a_line_links_to_its_parent_and_to_the_line_that_somebody_wrote(
    page: Page, flock: Path
) -> None:
    open_page(page, flock, "#modeling-L3", model="owlet")
    assert status(page).startswith(
        "modeling-L3, added inherited from modeling_owl.py:3 · written in modeling_eagle.py:3 ·"
    )
    page.locator("#status").get_by_role("link", name="modeling_owl.py:3").click()
    page.wait_for_url("**/models/owl.html#modeling-L3")
    page.go_back()
    page.wait_for_url("**/models/owlet.html#modeling-L3")
    expect(page.locator("#status")).to_contain_text("written in")
    page.keyboard.press("w")
    page.wait_for_url("**/files/models/eagle/modeling_eagle.py.html#L3")
    assert lit(page) == ["L3"]


def test_pointing_lights_lines_and_scrolls_nothing(page: Page, flock: Path) -> None:
    page.set_viewport_size({"width": 1000, "height": 300})
    open_page(page, flock)
    before = page.evaluate(
        "[...document.querySelectorAll('.code')].map((pane) => pane.scrollTop)"
    )
    row(page, "modeling-L7").hover()
    expect(row(page, "modular-L9")).to_have_class("o new pointed")
    assert page.evaluate("document.querySelector('#modular').scrollTop") == before[0]
    assert lit(page) == []


def test_the_counterpart_scrolls_into_view(page: Page, flock: Path) -> None:
    page.set_viewport_size({"width": 1000, "height": 300})
    open_page(page, flock)
    row(page, "modular-L9").click()
    expect(row(page, "modeling-L7")).to_be_in_viewport(ratio=1)


def test_the_arrow_keys_go_line_by_line(page: Page, flock: Path) -> None:
    open_page(page, flock, "#modeling-L5")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("j")
    assert lit(page) == ["modeling-L7"]
    page.keyboard.press("ArrowUp")
    assert lit(page) == ["modeling-L6"]
    page.keyboard.press("End")
    assert lit(page) == ["modeling-L10"]
    page.keyboard.press("Home")
    assert lit(page) == ["modeling-L1"]
    assert page.evaluate("document.activeElement.id") == "modeling-L1"


def test_enter_goes_to_the_counterpart_and_back(page: Page, flock: Path) -> None:
    open_page(page, flock, "#modeling-L7")
    page.keyboard.press("Enter")
    assert lit(page) == ["modular-L9"]
    page.keyboard.press("Enter")
    assert lit(page) == ["modeling-L7"]


def test_the_parent_is_opened_walked_and_closed_by_keyboard(
    page: Page, flock: Path
) -> None:
    open_page(page, flock, "#modeling-L3")
    page.keyboard.press("p")
    expect(parent_line(page)).to_have_id("L3")
    parent_line(page).press("ArrowUp")
    expect(parent_line(page)).to_have_id("L2")
    parent_line(page).press("Escape")
    expect(page.locator("#parent")).to_be_hidden()


def test_the_parent_that_opens_does_not_take_the_focus(page: Page, flock: Path) -> None:
    open_page(page, flock, "#modeling-L3")
    page.keyboard.press("p")
    expect(parent_line(page)).to_have_id("L3")
    assert page.evaluate("document.activeElement.id") == "modeling-L3"
    page.keyboard.press("ArrowUp")
    expect(parent_line(page)).to_have_id("L2")
    assert lit(page) == ["modeling-L2"]


def enter_parent(page: Page) -> None:
    """Go into the parent's frame by keyboard."""
    page.keyboard.press("Enter")
    expect(parent_line(page)).to_be_focused()


def test_keys_pressed_while_the_parent_loads_are_not_lost(
    page: Page, flock: Path
) -> None:
    """The focus goes into the parent, which shows the line and the view that were chosen last."""
    held: list[Route] = []
    is_held = True

    def hold(route: Route) -> None:
        if is_held:
            held.append(route)
        else:
            route.continue_()

    page.route("**/modeling_eagle.py.html", hold)
    open_page(page, flock, "#modeling-L3")
    page.keyboard.press("p")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("c")
    page.keyboard.press("Enter")
    while not held:
        page.wait_for_timeout(10)
    is_held = False
    for route in held:
        route.continue_()
    expect(parent_line(page)).to_have_id("L2")
    expect(parent_line(page)).to_be_focused()
    expect(page.frame_locator("#parent-frame").locator(".gone")).to_be_hidden()


@pytest.mark.parametrize(
    ("key", "selected"),
    [(".", "modeling-L7"), (",", "modular-L9"), ("g", "modeling-L3")],
)
def test_keys_for_lines_work_in_the_parent(
    page: Page, flock: Path, key: str, selected: str
) -> None:
    """Then the focus is on the line that the key leads to."""
    open_page(page, flock, "#modular-L1")
    page.keyboard.press(".")
    page.keyboard.press(".")
    page.keyboard.press("p")
    expect(parent_line(page)).to_have_id("L3")
    enter_parent(page)
    page.keyboard.press(key)
    expect(page.locator(f"#{selected}")).to_be_focused()
    assert lit(page) == [selected]


def test_enter_in_the_parent_goes_to_what_comes_of_the_line(
    page: Page, flock: Path
) -> None:
    open_page(page, flock, "#modeling-L3")
    enter_parent(page)
    page.keyboard.press("ArrowUp")
    expect(parent_line(page)).to_have_id("L2")
    page.keyboard.press("Enter")
    expect(page.locator("#modeling-L2")).to_be_focused()


def test_every_other_key_works_in_the_parent(page: Page, flock: Path) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_page(page, flock, "#modeling-L3")
    enter_parent(page)
    page.keyboard.press("t")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.keyboard.press("s")
    expect(page.get_by_role("button", name="Side by side")).to_have_attribute(
        "aria-pressed", "true"
    )
    page.keyboard.press("c")
    page.keyboard.press("v")
    expect(page.get_by_label("Viewed")).to_be_checked()
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_visible()
    page.keyboard.press("Escape")
    expect(parent_line(page)).to_be_focused()
    page.keyboard.press("y")
    expect(page.get_by_role("button", name="Copied")).to_be_attached()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.endswith("/files/models/eagle/modeling_eagle.py.html#L3")
    page.keyboard.press("Escape")
    expect(page.locator("#parent")).to_be_hidden()


def test_keys_for_models_and_hand_written_lines_work_in_the_parent(
    page: Page, flock: Path
) -> None:
    open_page(page, flock, "#modeling-L3", model="owlet")
    enter_parent(page)
    page.keyboard.press("<")
    page.wait_for_url("**/owl.html")
    open_page(page, flock, "#modeling-L3", model="owlet")
    enter_parent(page)
    page.keyboard.press("w")
    page.wait_for_url("**/files/models/eagle/modeling_eagle.py.html#L3")


def test_a_link_to_a_line_lights_it(page: Page, flock: Path) -> None:
    open_page(page, flock, "#modular-L9")
    assert lit(page) == ["modular-L9"]
    assert page.locator(".counterpart").get_attribute("id") == "modeling-L7"


def test_a_range_is_marked_and_its_link_copied(page: Page, flock: Path) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_page(page, flock)
    row(page, "modeling-L5").click()
    row(page, "modeling-L7").click(modifiers=["Shift"])
    assert lit(page) == ["modeling-L5", "modeling-L6", "modeling-L7"]
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.endswith("/owl.html#modeling-L5-L7")
    page.goto("about:blank")
    page.goto(link)
    assert lit(page) == ["modeling-L5", "modeling-L6", "modeling-L7"]


def test_a_range_is_marked_by_keyboard(page: Page, flock: Path) -> None:
    open_page(page, flock, "#modeling-L5")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Shift+ArrowDown")
    assert place(page) == "owl.html#modeling-L5-L7"
    page.keyboard.press("Shift+ArrowUp")
    assert lit(page) == ["modeling-L5", "modeling-L6"]


def test_a_kind_leaves_its_lines(page: Page, flock: Path) -> None:
    open_page(page, flock, "?view=whole")
    page.get_by_role("button", name="own 1").click()
    seen = page.locator("#generated li:visible").evaluate_all(
        "(rows) => rows.map((row) => row.id)"
    )
    assert seen == ["modeling-L7"]
    assert place(page) == "owl.html?view=whole&kinds=o"
    page.reload()
    expect(page.get_by_role("button", name="own 1")).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(row(page, "modeling-L3")).to_be_hidden()


def test_the_change_is_shown_at_once_and_can_be_hidden(page: Page, flock: Path) -> None:
    open_page(page, flock)
    gone = page.locator("#generated .gone")
    expect(gone).to_be_visible()
    assert gone.inner_text().strip() == "return 1"
    page.get_by_role("button", name="Whole files").click()
    expect(gone).to_be_hidden()
    page.keyboard.press("c")
    expect(gone).to_be_visible()


def test_the_parent_shows_the_change_too(page: Page, flock: Path) -> None:
    open_page(page, flock)
    row(page, "modeling-L3").click()
    gone = page.frame_locator("#parent-frame").locator(".gone")
    expect(gone).to_be_visible()
    page.get_by_role("button", name="Whole files").click()
    expect(gone).to_be_hidden()


def test_before_and_after_stand_side_by_side(page: Page, flock: Path) -> None:
    open_page(page, flock)
    page.get_by_role("button", name="Side by side").click()
    before = page.locator("#generated .gone").bounding_box()
    after = row(page, "modeling-L3").bounding_box()
    assert before is not None and after is not None
    assert before["y"] == after["y"]
    assert before["x"] + before["width"] <= after["x"]
    stayed = page.locator("#generated .stayed").first
    assert stayed.inner_text() == row(page, "modeling-L1").inner_text()
    page.get_by_role("button", name="Changes").click()
    expect(stayed).to_be_hidden()


def test_the_way_a_change_is_shown_stays_from_page_to_page(
    page: Page, flock: Path
) -> None:
    open_page(page, flock)
    page.keyboard.press("s")
    assert place(page) == "owl.html?view=split"
    page.get_by_role("link", name="Next ›").click()
    expect(page.get_by_role("button", name="Side by side")).to_have_attribute(
        "aria-pressed", "true"
    )


def test_what_did_not_change_is_folded(page: Page, long: Path) -> None:
    """Line 50 of a hundred changes: three lines above and below it are in sight, and a click opens the others."""
    open_page(page, long)
    seen = page.locator("#generated li[id]:visible").evaluate_all(
        "(rows) => rows.map((row) => row.id)"
    )
    assert seen == [f"modeling-L{number}" for number in range(47, 54)]
    page.get_by_text("46 unchanged lines").click()
    expect(row(page, "modeling-L10")).to_be_visible()


def test_a_link_into_a_fold_opens_it(page: Page, long: Path) -> None:
    open_page(page, long, "#modeling-L10")
    expect(row(page, "modeling-L10")).to_be_in_viewport()
    assert lit(page) == ["modeling-L10"]


def test_an_opened_fold_is_side_by_side_too(page: Page, long: Path) -> None:
    open_page(page, long, "?view=split")
    page.get_by_text("46 unchanged lines").click()
    expect(page.locator("#generated .stayed").first).to_have_text(
        "class OwlWing:\n", use_inner_text=False
    )


def test_the_keys_for_changes_go_through_all_files_and_models(
    page: Page, flock: Path
) -> None:
    """The owl's modular file changes in line 9, what is generated in lines 3 and 7; the owlet's in line 3."""
    open_page(page, flock, "#modular-L1")
    seen = []
    for _ in range(3):
        page.keyboard.press(".")
        seen += lit(page)
    assert seen == ["modular-L9", "modeling-L3", "modeling-L7"]
    page.keyboard.press(",")
    assert lit(page) == ["modeling-L3"]
    page.keyboard.press(".")
    page.keyboard.press(".")
    page.wait_for_url("**/owlet.html#*")
    assert lit(page) == ["modeling-L3"]
    page.keyboard.press(",")
    page.wait_for_url("**/owl.html#*")
    assert lit(page) == ["modeling-L7"]


def test_the_buttons_for_changes(page: Page, flock: Path) -> None:
    open_page(page, flock, "#modeling-L1")
    page.get_by_role("button", name="Change ›").click()
    assert lit(page) == ["modeling-L3"]
    page.get_by_role("button", name="‹ Change").click()
    assert lit(page) == ["modular-L9"]


@pytest.mark.parametrize("way", ["key", "button"])
def test_a_new_page_begins_with_the_first_change(
    page: Page, flock: Path, way: str
) -> None:
    open_page(page, flock)
    if way == "key":
        page.keyboard.press(".")
    else:
        page.get_by_role("button", name="Change ›").click()
    assert lit(page) == ["modular-L9"]
    open_page(page, flock, model="owlet")
    if way == "key":
        page.keyboard.press(",")
    else:
        page.get_by_role("button", name="‹ Change").click()
    page.wait_for_url("**/owl.html#*")
    assert lit(page) == ["modeling-L7"]


def test_the_keys_for_files_go_on_to_the_next_model(
    page: Page, three_files: Path
) -> None:
    open_page(page, three_files)
    seen = []
    for _ in range(3):
        seen.append(page.locator("[role=tab][aria-selected=true]").inner_text())
        page.keyboard.press("]")
    assert sorted(seen) == [
        "configuration_owl.py",
        "modeling_owl.py",
        "processing_owl.py",
    ]
    page.wait_for_url("**/owlet.html")
    page.keyboard.press("[")
    page.wait_for_url("**/owl.html")


def test_the_keys_for_models(page: Page, flock: Path) -> None:
    open_page(page, flock)
    page.keyboard.press(">")
    page.wait_for_url("**/owlet.html")
    page.keyboard.press(">")
    assert status(page) == "This is the last model."
    page.keyboard.press("<")
    page.wait_for_url("**/owl.html")


def test_viewed_models_are_remembered_until_something_changes(
    page: Page, flock: Path
) -> None:
    open_page(page, flock)
    page.get_by_label("Viewed").check()
    page.reload()
    expect(page.get_by_label("Viewed")).to_be_checked()
    page.goto(f"{flock.as_uri()}/index.html")
    expect(page.locator("#models tr.viewed th")).to_contain_text("owl ✓ viewed")
    expect(page.locator("#seen")).to_have_text("1 of 2 viewed")
    key = page.evaluate("viewed.key('owl')")
    page.evaluate(
        "(key) => localStorage.setItem(`modular-review:${key}`, 'something else')", key
    )
    page.reload()
    assert page.locator("#models tr.viewed").count() == 0


def background(page: Page) -> int:
    """How light the page is, from 0 to 255."""
    return int(
        page.evaluate(
            "parseInt(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0])"
        )
    )


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
    row(page, "modeling-L3").click()
    expect(parent_line(page)).to_have_id("L3")
    page.get_by_role("button", name="Theme").click()
    expect(page.frame_locator("#parent-frame").locator("html")).to_have_attribute(
        "data-theme", "dark"
    )


def test_python_has_its_colours(page: Page, flock: Path) -> None:
    """In the parent's pane, too."""
    open_page(page, flock)
    row(page, "modeling-L3").click()
    expect(parent_line(page)).to_have_id("L3")
    words = "[...CSS.highlights.get('keyword')].map((range) => range.startContainer.data.slice(range.startOffset, range.endOffset))"
    assert {"class", "def", "return", "from", "import"} <= set(page.evaluate(words))
    assert {"class", "def", "return"} <= set(page.frames[1].evaluate(words))


def test_the_keys_are_listed(page: Page, flock: Path) -> None:
    open_page(page, flock)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text(
        "go to the hand-written line that it comes from"
    )
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_a_screen_reader_finds_its_way(page: Page, flock: Path) -> None:
    open_page(page, flock)
    assert [
        " ".join(all_inner_text.split())
        for all_inner_text in page.get_by_role("heading").all_inner_texts()
    ] == [
        "owl",
        "owl inherits from",
        "Inherit from owl",
        "All models",
        "modular_owl.py +1 −1",
    ]
    for name in ("modular_owl.py", "modeling_owl.py, generated"):
        expect(page.get_by_role("region", name=name, exact=True).last).to_be_visible()
    lines = page.locator("#generated").get_by_role("listitem")
    assert [lines.nth(index).inner_text().strip() for index in (0, 3)] == [
        "class OwlWing:",
        "return 2",
    ]
    assert (
        page.get_by_role("tab", name="modeling_owl.py").get_attribute("aria-selected")
        == "true"
    )
    expect(page.locator("#status")).to_contain_text("Click a line")


def test_the_first_screen_is_the_parents_change_if_the_modular_file_is_unchanged(
    page: Page, flock: Path
) -> None:
    open_page(page, flock, model="owlet")
    change = page.locator(".parent-change .new")
    expect(change).to_be_in_viewport()
    expect(change).to_have_text("        return 2\n")
    expect(row(page, "modular-L1")).not_to_be_visible()
    page.get_by_role("button", name="Show", exact=True).click()
    expect(row(page, "modular-L1")).to_be_visible()


def test_a_changed_line_is_seen_to_its_end(page: Page, wide: Path) -> None:
    open_page(page, wide, model="owl_" + "o" * 60)
    for pane in (".parent-change .code", "#generated .code"):
        width = page.locator(pane).first.evaluate("e => e.scrollWidth - e.clientWidth")
        assert width <= 0, pane


def test_a_click_in_the_parents_change_lights_what_comes_of_it(
    page: Page, flock: Path
) -> None:
    open_page(page, flock, model="owlet")
    page.locator(".parent-change .new").click()
    assert page.locator(".counterpart").get_attribute("id") == "modeling-L3"


def test_the_change_is_on_the_first_screen_of_a_telephone(
    page: Page, flock: Path
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    for model in ("owl", "owlet"):
        open_page(page, flock, model=model)
        expect(page.locator("#generated .new").first).to_be_in_viewport()


def test_the_page_opens_at_the_error(page: Page, renamed: Path) -> None:
    open_page(page, renamed)
    expect(page.locator(".note.error")).to_be_in_viewport()


def test_the_page_of_a_model_with_an_error(page: Page, broken: Path) -> None:
    """The error is there at once; there is nothing to go to, and no key fails."""
    open_page(page, broken)
    expect(page.locator(".problems .error")).to_contain_text("error MOD201")
    for key in ("g", "]", "Enter", "p", "n", "w", ".", "Escape", "ArrowDown", "m"):
        page.keyboard.press(key)
    row(page, "modular-L4").click()
    assert lit(page) == ["modular-L4"]


def test_an_address_that_names_nothing(page: Page, flock: Path) -> None:
    open_page(page, flock, "#%E0%A4%A")
    assert lit(page) == []


@pytest.mark.parametrize(
    "name",
    ["models/owl.html", "index.html", "files/models/eagle/modeling_eagle.py.html"],
)
def test_a_hostile_source_runs_nothing(page: Page, hostile: Path, name: str) -> None:
    page.goto(f"{hostile.as_uri()}/{name}")
    page.wait_for_timeout(200)
    assert "owned" not in page.title()
    assert page.locator("img").count() == 0


def test_hostile_names_are_text_in_the_search_and_in_the_tree(
    page: Page, flock: Path, tmp_path: Path
) -> None:
    pages = shutil.copytree(flock, tmp_path / "pages")
    name = "<img src=x onerror=document.title='owned'>"
    for script in ("models.js", "symbols.js"):
        text = (pages / script).read_text(encoding="utf-8")
        text = text.replace('"owlet"', f'"{name}"').replace('"OwletWing"', f'"{name}"')
        (pages / script).write_text(text, encoding="utf-8")
    open_page(page, pages)
    page.get_by_role("searchbox", name="Find a model in the tree").fill("img")
    expect(page.locator("#tree a")).to_have_text([name])
    page.locator("h1").click()
    page.keyboard.press("/")
    page.keyboard.type("img")
    expect(page.locator("#hits a")).to_have_text([name, name])
    page.wait_for_timeout(200)
    assert "owned" not in page.title()
    assert page.locator("img").count() == 0


def test_a_script_that_slips_in_would_not_run(browser: Browser, flock: Path) -> None:
    """The page's policy allows only the scripts that lie beside it."""
    page = browser.new_page()
    open_page(page, flock)
    page.evaluate(
        "document.body.insertAdjacentHTML('beforeend', '<i onclick=\"document.title = 1\">x</i>')"
    )
    page.locator("body > i").dispatch_event("click")
    assert page.title() == "owl · modular review"
    page.close()
