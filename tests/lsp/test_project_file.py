"""Columns are counted in the units that the editor counts in."""

from pathlib import Path

import pytest
from lsprotocol.types import Position
from pygls.workspace import PositionCodec

from modular.lsp.project_file import ProjectFile
from modular.lsp.workspace import CursorPosition, Workspace
from tests.lsp.texts import FILES, OLMO
from tests.support import write_project


LINE = "a😀é = x"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    write_project(tmp_path, FILES)
    return Workspace(tmp_path, lambda path: None)


@pytest.mark.parametrize(
    ("encoding", "units"), [("utf-8", 7), ("utf-16", 4), ("utf-32", 3), ("utf-7", 4)]
)
def test_the_column_behind_three_letters(
    workspace: Workspace, encoding: str, units: int
) -> None:
    workspace.set_text(OLMO, f"\n{LINE}")
    file = ProjectFile(workspace, OLMO, PositionCodec(encoding), {})
    assert file.position(2, 4, LINE) == Position(1, units)
    assert file.cursor_position(Position(1, units)) == CursorPosition(2, 4)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_half_a_letter_that_stands_alone(workspace: Workspace, encoding: str) -> None:
    """Python can read what no encoding can write."""
    file = ProjectFile(workspace, OLMO, PositionCodec(encoding), {})
    assert file.position(1, 3, "\ud83d ").character == (4 if encoding == "utf-8" else 2)
