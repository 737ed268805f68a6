"""Takes the pictures of the README and the docs: `python -m tests.browser.pictures FOLDER`.

They show our own models, after a change of the Llama norm that is not committed. The time in them is always the same, so that a
picture changes only if a page does.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, expect

from modular.review.site import review
from modular.run.api import Options
from tests.browser.chromium import chromium
from tests.repository import change, commit


ROOT = Path(__file__).parents[2]
LLAMA = "models/llama/modeling_llama.py"
SIZE = {"width": 1280, "height": 640}
NEW_YEAR = "1767225600"  # 2026-01-01, in seconds since 1970
TIMES = {
    "SOURCE_DATE_EPOCH": NEW_YEAR,
    "GIT_AUTHOR_DATE": f"{NEW_YEAR} +0000",
    "GIT_COMMITTER_DATE": f"{NEW_YEAR} +0000",
}


def make_reviews(folder: Path) -> tuple[Path, Path]:
    """Review all of our own models, then a change of them, and return the folders of the pages."""
    root = folder / "my_models"
    for name in ("models", "generated"):
        shutil.copytree(
            ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    shutil.copy(ROOT / "pyproject.toml", root)
    whole = review(
        output=folder / "whole", options=Options(root=root, cache=False)
    ).index.parent
    commit(root)
    change(root, LLAMA, "hidden_states.pow(2).mean(", "hidden_states.square().mean(")
    return whole, review(
        options=Options(root=root, cache=False, since="HEAD")
    ).index.parent


def take(page: Page, whole: Path, pages: Path, target: Path) -> None:
    """Take all pictures."""
    page.goto((pages / "index.html").as_uri())
    page.screenshot(path=target / "review-start.png")
    page.goto(f"{whole.as_uri()}/index.html?model=llama&extent=all#inheritance")
    page.locator("#inheritance").screenshot(path=target / "review-inheritance.png")
    page.goto((pages / "models/olmo2.html").as_uri())
    page.locator("#generated .new").first.click()
    page.frame_locator("#parent-frame").locator(".lit").wait_for()
    page.screenshot(path=target / "review-model.png")
    page.keyboard.press("Escape")
    page.keyboard.press("t")
    page.keyboard.press("s")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("body")).to_have_attribute("data-view", "split")
    page.screenshot(path=target / "review-model-dark.png")


def main(target: Path) -> None:
    """Take the pictures into a folder."""
    target.mkdir(parents=True, exist_ok=True)
    os.environ.update(TIMES)
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        take(page, *make_reviews(Path(folder)), target)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
