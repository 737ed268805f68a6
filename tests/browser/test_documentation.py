"""The documentation as a reader sees it: start page, search, a rule, dark colours, and what the copy button takes along."""

import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect


ROOT = Path(__file__).resolve().parents[2]


class Quiet(SimpleHTTPRequestHandler):
    """A handler that logs nothing."""

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """The address of the site, built without a warning and served here."""
    program = Path(sys.executable).with_name("zensical")
    subprocess.run(
        [program, "build", "--strict", "--clean"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    with ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Quiet, directory=str(ROOT / "site"))
    ) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def reader(browser: Browser) -> Iterator[Page]:
    """A page of a laptop's size that may read and write the clipboard."""
    context = browser.new_context(
        viewport={"width": 1440, "height": 900},
        color_scheme="light",
        permissions=["clipboard-read", "clipboard-write"],
    )
    yield context.new_page()
    context.close()


def test_the_first_screen_shows_both_files_the_command_and_how_to_install(
    reader: Page, site: str
) -> None:
    reader.set_viewport_size({"width": 1280, "height": 800})
    reader.goto(site)
    for text in (
        "class MyModelMLP(LlamaMLP):",
        "modular convert",
        "class MyModelMLP(nn.Module):",
        "pip install git+",
    ):
        code = reader.locator("pre", has_text=text).first
        expect(code).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize(
    "who", ["For authors", "For maintainers", "For owners of a library", "For CI"]
)
def test_the_start_page_leads_each_reader_to_a_page(
    reader: Page, site: str, who: str
) -> None:
    reader.goto(site)
    reader.get_by_role("article").get_by_role("link", name=who, exact=True).click()
    expect(reader.get_by_role("heading", level=1)).to_contain_text(who)


@pytest.mark.parametrize("path", ["", "tutorial/", "rules/MOD421/", "python/"])
def test_a_page_calls_nobody(reader: Page, site: str, path: str) -> None:
    """No fonts, and no counts of stars."""
    called: list[str] = []
    reader.on("request", lambda request: called.append(request.url))
    reader.goto(f"{site}/{path}")
    reader.wait_for_load_state("networkidle")
    assert [url for url in called if not url.startswith(site)] == []


def test_the_repository_is_in_the_navigation(reader: Page, site: str) -> None:
    reader.goto(site)
    link = reader.get_by_role("link", name="Repository").first
    expect(link).to_have_attribute("href", "https://github.com/modular-models/modular")


def test_rules_and_errors_are_folded_in_the_navigation(reader: Page, site: str) -> None:
    reader.goto(f"{site}/settings/")
    navigation = reader.locator("nav.md-nav--primary")
    expect(navigation.get_by_text("Errors and findings").first).to_be_visible()
    rule = navigation.locator("a[href*='MOD301/']")
    assert rule.count() == 1
    expect(rule).not_to_be_visible()
    reader.goto(f"{site}/rules/MOD302/")
    expect(rule).to_be_visible()


def test_language_models_find_a_list_of_the_rules(reader: Page, site: str) -> None:
    response = reader.goto(f"{site}/llms.txt")
    assert response is not None and response.ok
    assert response.text().startswith("# modular\n\n> modular generates ")
    assert "/rules/MOD301/): " in response.text()


def test_the_script_that_generates_pages_is_none(reader: Page, site: str) -> None:
    response = reader.goto(f"{site}/make_pages.py")
    assert response is not None
    assert response.status == 404


def test_search_finds_a_rule(reader: Page, site: str) -> None:
    reader.goto(site)
    reader.keyboard.press("/")
    reader.keyboard.type("raising override", delay=20)
    reader.get_by_text("An override whose body begins with").first.wait_for()
    reader.keyboard.press("Enter")
    reader.wait_for_url(re.compile("/raising-override/"), wait_until="commit")
    expect(reader.get_by_role("article")).to_contain_text("removes the parent's method")


def test_dark_colours(reader: Page, site: str) -> None:
    reader.goto(site)
    background = "getComputedStyle(document.body).backgroundColor"
    light = reader.evaluate(background)
    reader.locator("label[title='Switch to dark']").click()
    expect(reader.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
    assert reader.evaluate(background) != light


def test_only_commands_are_copied(reader: Page, site: str) -> None:
    reader.goto(f"{site}/migrating/")
    block = reader.locator(".highlight", has_text="modular check olmo").first
    block.hover()
    block.get_by_role("button").click()
    copied = reader.evaluate("navigator.clipboard.readText()").split("\n")
    assert [line for line in copied if line] == [
        "cp -r ~/modular/utils .",
        "python utils/modular_model_converter.py olmo",
        "python utils/check_modular_conversion.py --files models/olmo/modular_olmo.py",
        "modular check olmo",
    ]
