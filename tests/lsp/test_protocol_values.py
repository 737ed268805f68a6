"""The plain values of the process that works on projects are called as lsprotocol's are, which the server makes of them."""

from enum import Enum
from typing import Any

import attrs
import pytest
from lsprotocol import types as lsp

from modular.lsp import protocol
from modular.lsp.protocol import Command, Diagnostic, DiagnosticSeverity, Position, Range
from modular.lsp.translation import as_lsp


def plain(kind: type) -> list[Any]:
    """The classes of plain values of a kind, but for what only goes to the other process."""
    found = (each for each in vars(protocol).values() if isinstance(each, type) and issubclass(each, kind))
    return [each for each in found if each.__module__ == protocol.__name__ and each is not protocol.Document]


@pytest.mark.parametrize("value", plain(tuple), ids=lambda each: each.__name__)
def test_fields_are_called_alike(value: Any) -> None:
    assert {*value._fields} <= {each.name for each in attrs.fields(getattr(lsp, value.__name__))}


@pytest.mark.parametrize("value", plain(Enum), ids=lambda each: each.__name__)
def test_numbers_mean_the_same(value: Any) -> None:
    theirs = getattr(lsp, value.__name__)
    assert {each.name: each.value for each in value} == {each.name: theirs[each.name].value for each in value}


def test_what_is_within_is_translated_too() -> None:
    span = Range(Position(1, 2), Position(1, 5))
    theirs = lsp.Range(lsp.Position(1, 2), lsp.Position(1, 5))
    assert as_lsp(Diagnostic(span, "no", DiagnosticSeverity.Warning)) == lsp.Diagnostic(
        theirs, "no", lsp.DiagnosticSeverity.Warning
    )
    assert as_lsp([Command("go", "do", [span, 3])]) == [lsp.Command("go", "do", arguments=[theirs, 3])]
    assert as_lsp(None) is None
