"""Background work runs in steps, and an error in it does not end the server."""

import asyncio
import logging

import pytest

from modular.lsp.projects import Projects
from modular.lsp.workspace import Steps


@pytest.fixture
def projects() -> Projects:
    return Projects(lambda params: None)


def test_the_event_loop_runs_between_two_steps(projects: Projects) -> None:
    done: list[str] = []

    def steps() -> Steps:
        done.append("first")
        asyncio.get_running_loop().call_soon(done.append, "answer")
        yield
        done.append("second")

    async def session() -> None:
        projects.schedule(steps(), "dependents")
        await asyncio.sleep(0.1)

    asyncio.run(session())
    assert done == ["first", "answer", "second"]


def test_newer_work_replaces_older_work_with_the_same_key(projects: Projects) -> None:
    done: list[int] = []

    async def session() -> None:
        for number in range(3):
            projects.schedule(
                (done.append(number) for _ in range(1)), "diagnostics of a file"
            )
        await asyncio.sleep(0.1)

    asyncio.run(session())
    assert done == [2]


@pytest.mark.parametrize("error", [ValueError("no"), RecursionError(), MemoryError()])
def test_an_error_in_background_work_is_logged_and_other_work_goes_on(
    projects: Projects, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    done: list[str] = []

    def broken() -> Steps:
        yield
        raise error

    async def session() -> None:
        projects.schedule(broken(), "broken")
        projects.schedule((done.append("whole") for _ in range(1)), "whole")
        await asyncio.sleep(0.1)

    with caplog.at_level(logging.ERROR):
        asyncio.run(session())
    assert done == ["whole"]
    assert [record.message for record in caplog.records] == ["background work failed"]
