"""Adds instructions for coding agents to AGENTS.md."""

from importlib.resources import files
from pathlib import Path

from modular.scaffold.setup_files import AGENTS, check_links, end_last_line, read_text
from modular.settings.settings import Settings
from modular.source.loading import newline_of


_SUPER_CALLS_LIKE_PYTHON = (
    "You can call `super().method(...)` anywhere in it. The generated class does what the "
    "class in the modular file does, or modular reports an error."
)
_SUPER_CALLS_LIKE_TRANSFORMERS = (
    "In an override of `method`, write `super().method(...)` or `return "
    "super().method(...)` as a statement of its own, outside of any `if`, `for` or other "
    "block. The parent's body replaces it. In any other place the call stays as it is, "
    "and skips the parent: it fails, or calls the method of another base."
)


def add_instructions(root: Path, settings: Settings) -> str | None:
    """Return the text of AGENTS.md with the section about generated files at its end.

    The section is recognized by its heading, so that a person may change the lines
    below it. All other text stays as it is.

    Args:
        root: Root of the project.
        settings: Its settings, also if they are not written yet.

    Returns:
        The text; None if the file has the section already.

    Raises:
        modular.scaffold.setup_files.SetupError: The file is a link that points outside
            the root.
        OSError: The file cannot be read.
    """
    check_links(root, [AGENTS])
    template = files("modular.scaffold") / "templates" / "agents.md"
    super_calls = _SUPER_CALLS_LIKE_TRANSFORMERS
    if settings.is_like_python:
        super_calls = _SUPER_CALLS_LIKE_PYTHON
    section = template.read_text(encoding="utf-8").format(
        place=f"below `{settings.output}`" if settings.output else "beside it",
        super_calls=super_calls,
    )
    heading = section.partition("\n")[0]

    text = read_text(root, AGENTS)
    if heading in text.splitlines():
        return None
    newline = newline_of(text)
    if text:
        text = end_last_line(text) + newline
    return text + section.replace("\n", newline)
