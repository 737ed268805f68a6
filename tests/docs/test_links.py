"""Every link in the pages leads somewhere."""

import re

import pytest

from tests.docs.markdown import PAGES, ROOT, prose


_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def anchors(page):
    """Return the anchors of a page's headings, as GitHub makes them."""
    titles = _HEADING.findall(prose(page))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES)
def test_links(page):
    for link in _LINK.findall(prose(page)):
        path, _, anchor = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        assert target.is_file(), link
        if anchor:
            assert anchor in anchors(target.resolve().relative_to(ROOT).as_posix()), link
