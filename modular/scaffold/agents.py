"""Adds instructions for coding agents to AGENTS.md."""

from importlib.resources import files
from pathlib import Path

from modular.scaffold.setup_files import AGENTS, check_links, read_text
from modular.source.loading import newline_of


def add_instructions(root: Path) -> str | None:
    """Return the text of AGENTS.md with the section about generated files at its end.

    The section is recognized by its heading, so that a person may change the lines
    below it. All other text stays as it is.

    Args:
        root: Root of the project.

    Returns:
        The text; None if the file has the section already.

    Raises:
        modular.scaffold.setup_files.SetupError: The file is a link that points outside
            the root.
        OSError: The file cannot be read.
    """
    check_links(root, [AGENTS])
    template = files("modular.scaffold") / "templates" / "agents.md"
    section = template.read_text(encoding="utf-8")
    heading = section.partition("\n")[0]

    text = read_text(root, AGENTS)
    if heading in text.splitlines():
        return None
    newline = newline_of(text)
    if text and not text.endswith("\n"):
        text += newline
    if text:
        text += newline
    return text + section.replace("\n", newline)
