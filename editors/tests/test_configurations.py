"""The lines of configuration for other editors name the command as it is. More is not tested of them."""

import tomllib

from tests.docs.markdown import blocks, read


def test_helix() -> None:
    (block,) = (
        block
        for block in blocks("docs/editors/helix.md", "toml")
        if ".helix/" in block.lead
    )
    servers = tomllib.loads(block.text)["language-server"]
    assert servers == {"modular": {"command": "modular", "args": ["lsp"]}}


def test_pycharm() -> None:
    assert "The command is `modular lsp`" in read("docs/editors/pycharm.md")
