"""Every link in the pages leads somewhere."""

import os
import re

import pytest

from modular.system.addresses import REPOSITORY
from tests.docs.markdown import PAGES, ROOT, prose


_ELSEWHERE = "https://huggingface.co/docs/"
"""What cannot be looked up here."""

_HERE = re.compile(rf"{REPOSITORY}/(?:blob|tree)/main/")
"""How pages of the site name other files of the repository."""

_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def anchors(page):
    """Return the anchors of a page's headings, as GitHub makes them."""
    titles = _HEADING.findall(prose(page))
    return {
        re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles
    }


@pytest.mark.parametrize("page", PAGES)
def test_links(page):
    for link in _LINK.findall(prose(page)):
        if link.startswith(_ELSEWHERE):
            continue
        link = _HERE.sub(f"{os.path.relpath(ROOT, (ROOT / page).parent)}/", link)
        path, _, anchor = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        assert target.exists(), link
        if anchor and anchor not in {"only-light", "only-dark"}:
            assert anchor in anchors(target.resolve().relative_to(ROOT).as_posix()), (
                link
            )
