"""Columns are counted in the units that the editor counts in."""

import pytest
from lsprotocol.types import Position
from pygls.workspace import PositionCodec

from modular.lsp.coordinates import Coordinates, Spot


LINE = "a😀é = x"


@pytest.mark.parametrize(("encoding", "units"), [("utf-8", 7), ("utf-16", 4), ("utf-32", 3), ("utf-7", 4)])
def test_the_column_behind_three_letters(encoding: str, units: int) -> None:
    at = Coordinates(PositionCodec(encoding), {})
    assert at.position(2, 4, LINE) == Position(1, units)
    assert at.spot(["", LINE], Position(1, units)) == Spot(2, 4)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_half_a_letter_that_stands_alone(encoding: str) -> None:
    """Python can read what no encoding can write."""
    assert Coordinates(PositionCodec(encoding), {}).position(1, 3, "\ud83d ").character == (
        4 if encoding == "utf-8" else 2
    )
