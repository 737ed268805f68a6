"""For everybody: without a violation that axe finds, at any width, on paper, and without a script."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import violations


PAGES = ("index.html", "models/owl.html", "files/models/eagle/modeling_eagle.py.html")
STATES = {
    "models/owl.html#modeling-L3": "a line that is marked, and the parent beside it",
    "models/owl.html?view=split#modeling-L3": "side by side",
    "models/owl.html?view=whole&kinds=i": "the whole files, and one kind of lines",
    "models/owl.html?code=only": "no changes of whitespace and comments",
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


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("long", "models/owl.html"),
        ("crowd", "index.html"),
        ("crowd", "models/bird8.html"),
    ],
)
def test_axe_finds_nothing_in_folds_and_trees(
    page: Page, request: pytest.FixtureRequest, folder: str, name: str, scheme: str
) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(f"{request.getfixturevalue(folder).as_uri()}/{name}")
    for button in page.get_by_role("button", name="20 lines").all():
        button.click()
    openers = page.locator(".opener")
    if folder == "crowd":
        openers.first.click()
    assert violations(page) == []


def test_axe_looks_into_frames(page: Page, flock: Path) -> None:
    page.goto(f"{flock.as_uri()}/models/owl.html")
    page.locator("#modeling-L3").click()
    expect(page.frame_locator("#parent-frame").locator(".lit")).to_have_id("L3")
    page.frames[1].evaluate("document.querySelector('#content').append(new Image())")
    assert [found.split()[:2] for found in violations(page)] == [
        ["image-alt:", "#parent-frame"]
    ]


@pytest.mark.parametrize("keys", ["?", "/"])
def test_axe_finds_nothing_in_dialogs(page: Page, flock: Path, keys: str) -> None:
    page.goto(f"{flock.as_uri()}/models/owl.html")
    page.keyboard.press(keys)
    if keys == "/":
        page.keyboard.type("owl")
        expect(page.locator("#hits a")).to_have_count(5)
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
  const grounds = ["page", "raised", "new", "gone", "new-word", "gone-word", "lit", "counterpart", "near"];
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


WIDER = """() => [...document.querySelectorAll("body *")].filter((element) =>
  element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX !== "visible"
  && element.clientWidth > 1).map((element) => element.outerHTML.slice(0, 120))"""


@pytest.mark.parametrize("width", [390, 1024, 1440])
@pytest.mark.parametrize("name", [*PAGES, *STATES])
def test_nothing_scrolls_sideways(
    page: Page, flock: Path, name: str, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(f"{flock.as_uri()}/{name}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


PHONE = {"width": 390, "height": 844}
FOLDERS = ("flock", "broken", "long", "crowd", "three_files", "wide")


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_part_of_a_page_scrolls_sideways_on_a_telephone(
    page: Page, request: pytest.FixtureRequest, folder: str
) -> None:
    """Neither code, tables, tabs and the tree, nor the parent's frame."""
    pages = request.getfixturevalue(folder)
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    for path in sorted(pages.rglob("*.html"))[:8]:
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
        assert page.evaluate(WIDER) == [], path
        if page.locator("#open-tree").count():
            page.locator("#open-tree").click()
        lines = page.locator("#generated .i:visible")
        if lines.count():
            lines.first.click()
            frame = page.frame_locator("#parent-frame")
            expect(frame.locator(".lit")).to_be_attached()
            assert page.frames[1].evaluate(WIDER) == [], path
        page.keyboard.press("/")
        page.keyboard.type("o")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
        assert page.evaluate(WIDER) == [], path


@pytest.mark.parametrize("rest", ["", "#modular-L1"])
def test_the_next_change_comes_into_sight_on_a_telephone(
    page: Page, large: Path, rest: str
) -> None:
    """With what the page says about the line."""
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    page.goto(f"{large.as_uri()}/models/owl.html{rest}")
    page.get_by_role("button", name="Change ›").click()
    expect(page.locator("#modeling-L1000")).to_be_in_viewport(ratio=1)
    expect(page.locator("#status")).to_be_in_viewport()
    page.locator("#modeling-L999").click()
    expect(page.locator("#status")).to_contain_text("modeling-L999")
    expect(page.locator("#status")).to_be_in_viewport()


def test_side_by_side_is_wrapped_on_a_telephone(page: Page, wide: Path) -> None:
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    [model] = (wide / "models").glob("*.html")
    page.goto(f"{model.as_uri()}?view=split")
    assert page.evaluate(WIDER) == []


def tree_of(page: Page) -> list[str]:
    """What a screen reader reads of the lines of a page, one text for each line."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    by_id = {node["nodeId"]: node for node in nodes}

    def text_of(node: dict[str, Any]) -> str:
        if node["role"]["value"] in ("StaticText", "image"):
            return str(node["name"]["value"])
        children = (by_id[child] for child in node.get("childIds", []))
        return " ".join(map(text_of, children))

    lines = [node for node in nodes if node["role"]["value"] == "listitem"]
    return [" ".join(text_of(line).split()) for line in lines]


def test_a_screen_reader_hears_what_happened_to_a_line_and_its_kind(
    page: Page, flock: Path
) -> None:
    page.goto(f"{flock.as_uri()}/models/owl.html")
    heard = tree_of(page)
    assert "2 inherited def beat(self):" in heard
    assert "removed 3 return 1" in heard
    assert "added 3 inherited return 2" in heard
    assert "added 7 own hoots = True" in heard


def test_a_screen_reader_hears_no_addition_in_whole_files(
    page: Page, flock: Path
) -> None:
    page.goto(f"{flock.as_uri()}/models/owl.html?view=whole")
    heard = tree_of(page)
    assert "3 inherited return 2" in heard
    assert not any(line.startswith(("added", "removed")) for line in heard)


def test_a_screen_reader_hears_a_selected_line(page: Page, flock: Path) -> None:
    page.goto(f"{flock.as_uri()}/models/owl.html#modeling-L3")
    expect(page.locator("#status")).to_contain_text("modeling-L3, added inherited from")
    page.keyboard.press("ArrowUp")
    expect(page.locator("#status")).to_contain_text("modeling-L2 inherited from")


def test_a_screen_reader_hears_the_changes_of_the_start_page(
    page: Page, flock: Path
) -> None:
    page.goto(f"{flock.as_uri()}/index.html")
    hunk = page.locator("#changes details", has_text="EagleWing.beat").locator("pre")
    expect(hunk.get_by_role("img", name="removed")).to_have_count(1)
    expect(hunk.get_by_role("img", name="added")).to_have_count(1)


def visible_on_paper(page: Page, line: str) -> bool:
    box = page.locator(f"#{line}").bounding_box()
    return box is not None and box["height"] > 10


def sheets(page: Page) -> int:
    """The number of pages when it is printed."""
    return page.pdf().count(b"/Type /Page\n")


def test_a_printed_change_is_the_change(page: Page, large: Path) -> None:
    """One line of two thousand, of which only the lines around it are printed."""
    page.goto(f"{large.as_uri()}/models/owl.html")
    page.emulate_media(media="print")
    assert visible_on_paper(page, "modeling-L1000")
    assert not visible_on_paper(page, "modeling-L1500")
    assert not visible_on_paper(page, "modular-L1")
    assert sheets(page) == 1


def test_the_table_of_models_is_printed_within_its_frame(
    page: Page, wide: Path
) -> None:
    page.set_viewport_size({"width": 760, "height": 900})
    page.goto(f"{wide.as_uri()}/index.html")
    page.emulate_media(media="print")
    scroll = page.locator("#models .scroll")
    assert scroll.evaluate("e => e.scrollWidth - e.clientWidth") <= 0


def test_the_errors_of_a_change_are_printed_without_unchanged_files(
    page: Page, renamed: Path
) -> None:
    page.goto(f"{renamed.as_uri()}/models/owl.html")
    page.emulate_media(media="print")
    expect(page.get_by_text("has no EagleWing").first).to_be_visible()
    assert not visible_on_paper(page, "modular-L1")
    assert sheets(page) == 1


def test_whole_files_are_printed_if_they_are_shown(page: Page, large: Path) -> None:
    page.goto(f"{large.as_uri()}/models/owl.html?view=whole")
    page.emulate_media(media="print")
    assert visible_on_paper(page, "modeling-L1500")
    assert visible_on_paper(page, "modular-L1")
    assert sheets(page) > 20


def test_a_page_without_a_change_is_printed_as_a_whole(
    page: Page, three_files: Path
) -> None:
    """Files behind tabs, too."""
    page.goto(f"{three_files.as_uri()}/models/owl.html")
    page.emulate_media(media="print")
    for line in ("modular-L1", "modeling-L1", "configuration-L1", "processing-L1"):
        assert visible_on_paper(page, line), line
    overflow = "getComputedStyle(document.querySelector('.code')).overflow"
    assert page.evaluate(overflow) == "visible"


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
