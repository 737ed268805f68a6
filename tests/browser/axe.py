"""Runs axe on a page: it finds what keeps people from using it, too little contrast among other things."""

from pathlib import Path

from playwright.sync_api import Page


_AXE = Path(__file__).with_name("node_modules") / "axe-core" / "axe.min.js"


def violations(page: Page) -> list[str]:
    """Return what is wrong with a page: rules, and the elements that break them."""
    page.evaluate(_AXE.read_text(encoding="utf-8"))
    values = page.evaluate(
        "axe.run(document, {iframes: false, preload: false}).then((result) => result.violations)"
    )
    return [
        f"{violation['id']}: {node['html'][:160]}"
        for violation in values
        for node in violation["nodes"]
    ]
