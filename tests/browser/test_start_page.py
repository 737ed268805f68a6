"""The start page: errors, changes, the table and the drawing."""

from pathlib import Path

from playwright.sync_api import Page, Route, expect

from tests.browser.drawing import behind, cut, overlapping


def open_page(page: Page, folder: Path, query: str = "") -> None:
    page.goto(f"{folder.as_uri()}/index.html{query}")


def models(page: Page) -> list[str]:
    """The names in the table, from the top."""
    return page.locator("#models tbody tr:visible th a").all_inner_texts()


def nodes(page: Page) -> list[str]:
    return sorted(
        page.locator(".node").evaluate_all(
            "(nodes) => nodes.map((node) => node.dataset.name)"
        )
    )


def test_a_change_leads_to_its_line_and_shows_it(page: Page, flock: Path) -> None:
    open_page(page, flock)
    page.locator("#changes details", has_text="EagleWing.beat").get_by_role(
        "link", name="owlet"
    ).click()
    page.wait_for_url("**/models/owlet.html#modeling-L3")
    assert page.locator(".lit").get_attribute("id") == "modeling-L3"
    expect(page.locator("#generated .gone")).to_be_visible()


def test_the_cause_of_a_change_leads_to_the_parent_and_shows_it(
    page: Page, flock: Path
) -> None:
    open_page(page, flock)
    page.get_by_role("link", name="models/eagle/modeling_eagle.py:3").click()
    assert page.locator(".lit").get_attribute("id") == "L3"
    expect(page.locator(".gone")).to_have_text(
        "        return 1\n", use_inner_text=False
    )
    expect(page.locator(".gone")).to_be_visible()


def test_errors_come_first_in_red(page: Page, broken: Path) -> None:
    open_page(page, broken)
    assert page.get_by_role("heading", level=2).all_inner_texts()[0] == "Errors"
    colours = "(node) => getComputedStyle(node).color.match(/\\d+/g).map(Number)"
    red, green, blue = page.locator("#errors h2").evaluate(colours)
    assert red > 2 * max(green, blue)
    page.locator("#errors").get_by_role("link").click()
    page.wait_for_url("**/models/owl.html#modular-L1")
    expect(page.locator("#modular-L1 .note.error")).to_be_visible()


def test_a_broken_model_is_marked_in_the_table_and_in_the_drawing(
    page: Page, broken: Path
) -> None:
    open_page(page, broken)
    expect(page.locator("#models tr.broken th")).to_contain_text("owl 1 error")
    expect(page.locator(".node.broken")).to_have_text("owl")


def test_the_filter_hides_models_and_stays_in_the_address(
    page: Page, flock: Path
) -> None:
    open_page(page, flock)
    page.get_by_label("Filter").fill("owlet")
    assert models(page) == ["owlet"]
    assert page.locator("#found").inner_text() == "1 of 2"
    page.reload()
    assert models(page) == ["owlet"]


def test_columns_are_sorted(page: Page, flock: Path) -> None:
    """The owl has 10 generated lines, the owlet 3."""
    open_page(page, flock)
    page.get_by_role("button", name="Generated").click()
    assert models(page) == ["owl", "owlet"]
    page.get_by_role("button", name="Generated").click()
    assert models(page) == ["owlet", "owl"]
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "ascending"
    page.reload()
    assert models(page) == ["owlet", "owl"]


def test_a_kind_leaves_the_models_that_have_such_lines(page: Page, flock: Path) -> None:
    open_page(page, flock)
    page.get_by_role("button", name="own").click()
    assert models(page) == ["owl"]
    page.get_by_role("button", name="own").click()
    assert models(page) == ["owl", "owlet"]


def test_small_projects_are_drawn_as_a_whole(page: Page, flock: Path) -> None:
    open_page(page, flock)
    assert nodes(page) == ["eagle", "owl", "owlet"]
    assert page.locator(".arrows path").count() == 2


def test_enter_draws_the_models_around_one(page: Page, flock: Path) -> None:
    open_page(page, flock)
    page.get_by_label("Show").select_option("parents and children")
    page.get_by_label("Around").fill("owlet")
    page.get_by_label("Around").press("Enter")
    assert nodes(page) == ["owl", "owlet"]
    expect(page.locator(".node.here")).to_have_text("owlet ±")
    assert (
        page.locator("#around").inner_text()
        == "owlet inherits from owl; inherited by none"
    )
    page.wait_for_url("**/index.html\\?extent=near&model=owlet")
    page.get_by_label("Show").select_option("all ancestors and descendants")
    assert nodes(page) == ["eagle", "owl", "owlet"]


def test_a_model_that_is_not_there(page: Page, flock: Path) -> None:
    open_page(page, flock)
    page.get_by_label("Around").fill("dodo")
    page.get_by_label("Around").press("Enter")
    assert page.locator("#around").inner_text() == "There is no model dodo."


def test_a_click_on_a_model_opens_its_page(page: Page, flock: Path) -> None:
    open_page(page, flock)
    page.locator(".node", has_text="owlet").click()
    page.wait_for_url("**/models/owlet.html")


def test_edges_run_between_models_and_names_are_whole(page: Page, group: Path) -> None:
    """All of 28 models take from one that is up to seven columns away."""
    open_page(page, group, "?extent=all")
    assert page.locator(".node").count() == 29
    assert (behind(page), overlapping(page), cut(page)) == ([], 0, 0)


def test_names_that_every_object_has_are_drawn(page: Page, odd_names: Path) -> None:
    open_page(page, odd_names)
    assert nodes(page) == ["__proto__", "constructor"]
    assert page.locator(".arrows path").evaluate_all(
        "(paths) => paths.map(({ dataset }) => ({ ...dataset }))"
    ) == [{"parent": "__proto__", "model": "constructor"}]
    assert overlapping(page) == 0


def test_search_from_every_page(page: Page, flock: Path) -> None:
    for name in (
        "index.html",
        "models/owl.html",
        "files/models/eagle/modeling_eagle.py.html",
    ):
        page.goto(f"{flock.as_uri()}/{name}")
        page.keyboard.press("/")
        page.keyboard.type("owle")
        expect(page.locator("#hits a")).to_have_text(["owlet", "OwletWing"])
        page.keyboard.press("Enter")
        page.wait_for_url("**/models/owlet.html")


def test_the_hits_of_a_search_are_reached_by_arrows(page: Page, flock: Path) -> None:
    page.goto(f"{flock.as_uri()}/models/owl.html")
    page.keyboard.press("/")
    page.keyboard.type("ow")
    expect(page.locator("#hits a")).to_have_count(5)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") == "owlet"
    page.keyboard.press("Escape")
    expect(page.locator("#search")).to_be_hidden()


def hold_symbols(page: Page) -> list[Route]:
    """Hold the classes and functions of the search back until the test lets them go."""
    held: list[Route] = []
    page.route("**/symbols.js", lambda route: held.append(route))
    return held


def wait_for(page: Page, held: list[Route]) -> Route:
    """Return the request that is held back."""
    while not held:
        page.wait_for_timeout(10)
    return held[0]


def test_a_hit_keeps_the_focus_when_classes_arrive_late(
    page: Page, flock: Path
) -> None:
    held = hold_symbols(page)
    page.goto(f"{flock.as_uri()}/models/owl.html")
    page.keyboard.press("/")
    page.keyboard.type("owl")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#hits a")).to_have_text(["owl", "owlet"])
    wait_for(page, held).continue_()
    expect(page.locator("#hits a")).to_have_count(5)
    assert page.evaluate("document.activeElement.textContent") == "owlet"


def test_the_focus_goes_to_the_field_if_its_hit_gives_way_to_better_ones(
    page: Page, crowd: Path
) -> None:
    held = hold_symbols(page)
    open_page(page, crowd)
    page.keyboard.press("/")
    page.keyboard.type("ird1")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") == "bird1"
    better = ", ".join(f"'ird1{letter}', 1" for letter in "abcdefghijklmnop")
    wait_for(page, held).fulfill(
        body=f"const SYMBOLS = [['a.py', 'a.html#L', {better}]];"
    )
    expect(page.locator("#search").get_by_role("status")).to_contain_text("The first")
    expect(page.locator("#wanted")).to_be_focused()


def test_one_escape_closes_the_search(page: Page, flock: Path) -> None:
    open_page(page, flock)
    page.keyboard.press("/")
    page.keyboard.type("owl")
    page.keyboard.press("Escape")
    expect(page.locator("#search")).to_be_hidden()


def test_the_search_finds_classes_and_functions(page: Page, flock: Path) -> None:
    """In generated files, and in the files of hand-written parents."""
    open_page(page, flock)
    page.keyboard.press("/")
    page.keyboard.type("OWLMODEL")
    expect(page.locator("#hits li")).to_have_text(["OwlModel modeling_owl.py"])
    page.keyboard.press("Enter")
    page.wait_for_url("**/models/owl.html#modeling-L6")
    page.keyboard.press("/")
    page.keyboard.type("eaglewing")
    expect(page.locator("#hits li")).to_have_text(["EagleWing modeling_eagle.py"])
    page.keyboard.press("Enter")
    page.wait_for_url("**/files/models/eagle/modeling_eagle.py.html#L1")


def test_a_search_without_a_hit_says_so(page: Page, flock: Path) -> None:
    open_page(page, flock)
    page.keyboard.press("/")
    page.keyboard.type("dodo")
    expect(page.locator("#search").get_by_role("status")).to_have_text("Nothing found.")
    expect(page.locator("#hits li")).to_have_count(0)


def test_the_best_hits_come_first_and_the_others_are_counted(
    page: Page, crowd: Path
) -> None:
    open_page(page, crowd)
    page.keyboard.press("/")
    page.keyboard.type("bird3")
    expect(page.locator("#search").get_by_role("status")).to_contain_text(
        "The first 15 of "
    )
    assert page.locator("#hits a").first.inner_text() == "bird3"
