"""The event loop and the worker's thread: what is cancelled or fails harms nobody."""

import asyncio
import logging
from collections.abc import Iterator

import pytest

from modular.lsp.server import Server, make_server
from tests.lsp.test_worker import hold


@pytest.fixture
def server() -> Iterator[Server]:
    server = make_server()
    yield server
    server.worker.stop()


def test_a_cancelled_request_is_never_worked_on(server: Server) -> None:
    done: list[str] = []

    async def session() -> None:
        free = hold(server.worker)
        cancelled = asyncio.ensure_future(server.ask(lambda: done.append("cancelled")))
        await asyncio.sleep(0)
        cancelled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        free.set()
        await server.ask(lambda: done.append("asked"))

    asyncio.run(session())
    assert done == ["asked"]


def test_the_loop_runs_while_the_worker_is_busy(server: Server) -> None:
    async def session() -> str:
        free = hold(server.worker)
        asked = asyncio.ensure_future(server.ask(lambda: "answered"))
        await asyncio.sleep(0.01)
        assert not asked.done()
        free.set()
        return str(await asked)

    assert asyncio.run(session()) == "answered"


@pytest.mark.parametrize("error", [ValueError("no"), RecursionError(), MemoryError()])
def test_a_request_that_fails_is_answered_and_logged(
    server: Server, error: Exception, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(server, "window_log_message", lambda params: told.append(params.message))

    def fail() -> None:
        raise error

    async def session() -> tuple[object, object]:
        return await server.ask(fail), await server.ask(lambda: "still there")

    with caplog.at_level(logging.ERROR):
        assert asyncio.run(session()) == (None, "still there")
    assert told == [f"not answered: {error}"]
    assert [record.message for record in caplog.records] == ["a request could not be answered"]
