"""Runs axe on a page: it finds what keeps people from using it, too little contrast among other things."""

from pathlib import Path

from playwright.sync_api import Page


_AXE = Path(__file__).with_name("node_modules") / "axe-core" / "axe.min.js"

# The frames of a page that is opened from a file have no origin that axe could check.
_ALLOW_FRAMES = "axe.configure({ allowedOrigins: ['<unsafe_all_origins>'] })"

_RUN = "axe.run(document, { preload: false }).then((result) => result.violations)"


def violations(page: Page) -> list[str]:
    """Return what is wrong with a page and its frames: rules, and the elements that break them."""
    source = _AXE.read_text(encoding="utf-8")
    for frame in page.frames:
        frame.evaluate(source)
        frame.evaluate(_ALLOW_FRAMES)
    return [
        f"{violation['id']}: {' '.join(map(str, node['target']))} {node['html'][:160]}"
        for violation in page.evaluate(_RUN)
        for node in violation["nodes"]
    ]
