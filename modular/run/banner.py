"""Recognizes the banner of generated files: the comment that says so."""

import re
from functools import cache

from modular.settings.settings import preset_banners


_MAX_PATH_CHARS = 500


def compile_banner(banner: str) -> re.Pattern[str] | None:
    """Return a pattern that finds the path of the modular file in a banner.

    The banner is the comment at the start of generated files. In the settings, it has
    `{path}` where the path of the modular file is. Without it, the result is None.

    Only the fixed text directly before and after the path must be the same. For
    `# Generated from {path} by {name}.`, it is `# Generated from ` and ` by `.
    """
    before, placeholder, after = banner.partition("{path}")
    if not placeholder:
        return None
    # A file may begin with white space that differs from the banner of the settings.
    start = re.escape(before.lstrip())
    rest_of_line = after.partition("\n")[0]
    text_to_next_placeholder = rest_of_line.partition("{")[0]
    end = re.escape(text_to_next_placeholder)
    # `?` lets the path end at the first `.py` with the text of `end` after it.
    path = r"[^\n]{1,%d}?\.py" % _MAX_PATH_CHARS
    return re.compile(rf"\s*{start}(?P<path>{path}){end}")


def max_head_bytes(banner: str) -> int:
    """Return the size of the start of a file that contains the path in its banner."""
    return len(banner.encode()) + _MAX_PATH_CHARS


def has_banner(text: str, banner: str) -> bool:
    """Return whether a text begins with a banner.

    Args:
        text: The text of a file.
        banner: The banner of the settings. If it is empty, each text has it. Otherwise,
            the built-in banners count as well, which other projects and other
            converters write.
    """
    if not banner.strip():
        return True
    for accepted_banner in (banner, *preset_banners()):
        pattern = compile_banner(accepted_banner)
        if pattern is None:
            # The banner does not contain the path of the modular file.
            has_accepted_banner = text.lstrip().startswith(accepted_banner.strip())
        else:
            has_accepted_banner = pattern.match(text) is not None
        if has_accepted_banner:
            return True
    return False


def is_banner_line(line: str) -> bool:
    """Return whether a line, without white space around it, is one of a built-in banner."""
    return _banner_lines().fullmatch(line) is not None


@cache
def _banner_lines() -> re.Pattern[str]:
    """Return a pattern of the lines of all built-in banners, with any names in them."""
    patterns = []
    for banner in preset_banners():
        for line in banner.strip().split("\n"):
            fixed_parts = re.split(r"\{path\}|\{name\}", line.strip())
            patterns.append(".+".join(map(re.escape, fixed_parts)))
    return re.compile("|".join(patterns))
