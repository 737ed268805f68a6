"""For everybody: without a violation that axe finds, at any width, on paper, and without a script."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import violations


PAGES = ("index.html", "models/owl.html", "files/models/eagle/modeling_eagle.py.html")
STATES = {
    "models/owl.html#modeling-L3": "a line that is marked, and the parent beside it",
    "models/owl.html?view=split#modeling-L3": "side by side",
    "models/owl.html?view=whole&kinds=i": "the whole files, and one kind of lines",
    "index.html?sort=-generated&kinds=o&model=owl&extent=near": "a sorted table, and a drawing around a model",
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", [*PAGES, *STATES])
def test_axe_finds_nothing(page: Page, flock: Path, name: str, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(f"{flock.as_uri()}/{name}")
    if "marked" in STATES.get(name, ""):
        page.locator("#modeling-L3").click()
        expect(page.frame_locator("#parent-frame").locator(".lit")).to_have_id("L3")
    assert violations(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index.html", "models/owl.html"])
def test_axe_finds_nothing_where_there_are_errors(
    page: Page, broken: Path, name: str, scheme: str
) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(f"{broken.as_uri()}/{name}")
    assert violations(page) == []


@pytest.mark.parametrize("keys", ["?", "/"])
def test_axe_finds_nothing_in_dialogs(page: Page, flock: Path, keys: str) -> None:
    page.goto(f"{flock.as_uri()}/models/owl.html")
    page.keyboard.press(keys)
    assert violations(page) == []


CONTRAST = """() => {
  const channel = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const probe = document.body.appendChild(document.createElement("i"));
  const luminance = (name) => {
    probe.style.color = `var(--${name})`;
    canvas.fillStyle = getComputedStyle(probe).color;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue] = [...canvas.getImageData(0, 0, 1, 1).data].map((value) => channel(value / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const texts = ["text", "keyword", "string", "comment", "number", "name"];
  const grounds = ["page", "raised", "new", "gone", "lit", "counterpart", "near"];
  const kinds = ["own", "inherited", "merged", "needed", "import", "made", "quiet", "plus", "minus", "link"];
  const pairs = [
    ...texts.flatMap((text) => grounds.map((ground) => [text, ground])),
    ...kinds.flatMap((kind) => [[kind, "page"], [kind, "raised"]]),
  ];
  const contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((left, right) => left - right);
    return (light + 0.05) / (dark + 0.05);
  };
  return pairs.map(([one, other]) => [`${one} on ${other}`, contrast(one, other)]).filter(([, ratio]) => ratio < 4.5);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_colour_of_code_can_be_read_on_every_ground(
    page: Page, flock: Path, scheme: str
) -> None:
    """axe does not see the colours of Python: no element has them."""
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(f"{flock.as_uri()}/models/owl.html")
    assert page.evaluate(CONTRAST) == []


@pytest.mark.parametrize("width", [390, 1024, 1440])
@pytest.mark.parametrize("name", PAGES)
def test_nothing_scrolls_sideways(
    page: Page, flock: Path, name: str, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(f"{flock.as_uri()}/{name}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_code_is_wrapped_on_a_telephone(page: Page, flock: Path) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{flock.as_uri()}/models/owl.html")
    sideways = "[...document.querySelectorAll('.code')].filter((pane) => pane.scrollWidth > pane.clientWidth).length"
    assert page.evaluate(sideways) == 0


def test_all_is_printed(page: Page, flock: Path) -> None:
    """Folded lines, and files behind tabs, too."""
    page.goto(f"{flock.as_uri()}/models/owl.html")
    page.emulate_media(media="print")
    for line in ("modular-L1", "modular-L9", "modeling-L1", "modeling-L10"):
        box = page.locator(f"#{line}").bounding_box()
        assert box is not None and box["height"] > 10, line
    assert (
        page.evaluate("getComputedStyle(document.querySelector('.code')).overflow")
        == "visible"
    )


@pytest.fixture
def plain(browser: Browser) -> Page:
    """A page of a browser without scripts."""
    return browser.new_context(java_script_enabled=False).new_page()


def test_without_scripts_nothing_is_dead(plain: Page, flock: Path) -> None:
    """No control is seen that does nothing; the change is shown, folds open, and links lead on."""
    plain.goto(f"{flock.as_uri()}/index.html")
    assert plain.locator("button:visible, input:visible, select:visible").count() == 0
    expect(plain.locator("#inheritance")).to_be_hidden()
    plain.locator("#models th").get_by_role("link", name="owl", exact=True).click()
    assert plain.locator("button:visible, input:visible, select:visible").count() == 0
    expect(plain.locator("#generated .gone")).to_be_visible()
    expect(plain.locator("#modeling-L3")).to_be_visible()
    plain.get_by_role("link", name="modeling_eagle.py").click()
    expect(plain.locator("#L3")).to_be_visible()
    plain.context.close()


def test_without_scripts_every_file_is_seen_and_a_link_leads_to_a_line(
    plain: Page, three_files: Path
) -> None:
    plain.goto(f"{three_files.as_uri()}/models/owl.html#configuration-L2")
    expect(plain.get_by_role("heading", name="modeling_owl.py")).to_be_visible()
    expect(plain.get_by_role("heading", name="configuration_owl.py")).to_be_visible()
    expect(plain.locator("#configuration-L2")).to_be_in_viewport()
    plain.context.close()
