"""A session whose process ends as soon as it is told something, as one would that cannot be loaded."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from modular.lsp import session
from modular.lsp.protocol import Document
from modular.lsp.session import Session, UnansweredError


class Dying:
    """A process that ends when it is asked anything; it notes what it was told."""

    told: list[list[str]] = []

    def __init__(self) -> None:
        self.told.append([])

    def listen(self, heard: Callable[[Any], None], ended: Callable[[], None]) -> None:
        self.ended = ended

    def say(self, name: str, *arguments: object) -> None:
        self.told[-1].append(name)
        if name == "ask":
            self.ended()


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    monkeypatch.setattr(session, "Process", Dying)
    monkeypatch.setattr(Dying, "told", [])
    return Dying.told


async def ask(times: int) -> int:
    """Ask a new session, in which a file is open; return how often it was not answered."""
    started = Session(lambda *_: None)
    started.start("utf-16", [])
    started.opened(Document("file:///x.py", 1, ""))
    unanswered = 0
    for _ in range(times):
        try:
            await asyncio.wait_for(started.ask("file:///x.py", "hover"), 5)
        except UnansweredError:
            unanswered += 1
    return unanswered


BEGIN = ["count_columns", "set_folders", "opened"]


def test_each_question_gets_another_process_that_is_told_what_is_open(told: list[list[str]]) -> None:
    assert asyncio.run(ask(2)) == 2
    assert told == [[*BEGIN, "ask"], [*BEGIN, "ask"]]


def test_after_some_there_is_none_for_a_while(told: list[list[str]]) -> None:
    assert asyncio.run(ask(10)) == 10
    assert len(told) == 3


def test_then_there_is_another(told: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_SHORT", 0.0)
    assert asyncio.run(ask(10)) == 10
    assert len(told) == 10
