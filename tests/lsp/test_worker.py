"""The worker does the most urgent work first, and nothing that goes wrong in it ends it."""

import threading
from collections.abc import Iterator

import pytest

from modular.lsp.worker import Steps, Urgency, Worker


@pytest.fixture
def worker() -> Iterator[Worker]:
    worker = Worker()
    yield worker
    worker.stop()


def hold(worker: Worker) -> threading.Event:
    """Keep the worker busy until the event is set."""
    free, busy = threading.Event(), threading.Event()
    worker.ask(lambda: (busy.set(), free.wait(10)))
    busy.wait(10)
    return free


def test_a_request_overtakes_work_between_two_of_its_steps(worker: Worker) -> None:
    done: list[str] = []
    busy, asked, last = threading.Event(), threading.Event(), threading.Event()

    def dependents() -> Steps:
        busy.set()
        asked.wait(10)
        done.append("first")
        yield
        done.append("second")
        last.set()
        yield

    worker.do(dependents(), Urgency.LATER)
    busy.wait(10)
    worker.ask(lambda: done.append("request"))
    asked.set()
    last.wait(10)
    assert done == ["first", "request", "second"]


def test_the_most_urgent_is_first_and_equals_keep_their_order(worker: Worker) -> None:
    done: list[str] = []

    def step(name: str) -> Steps:
        done.append(name)
        yield

    free = hold(worker)
    worker.do(step("dependents"), Urgency.LATER)
    worker.do(step("diagnostics"), Urgency.SOON)
    worker.do(step("edit"), Urgency.NOW)
    worker.ask(lambda: done.append("question"))
    last = threading.Event()
    worker.do((last.set() for _ in range(1)), Urgency.LATER)
    free.set()
    last.wait(10)
    assert done == ["edit", "question", "diagnostics", "dependents"]


def test_newer_work_replaces_older_with_the_same_key(worker: Worker) -> None:
    done: list[int] = []
    free = hold(worker)
    for number in range(3):
        worker.do((done.append(number) for _ in range(1)), Urgency.SOON, "diagnostics of a file")
    free.set()
    last = threading.Event()
    worker.do((last.set() for _ in range(1)), Urgency.LATER)
    last.wait(10)
    assert done == [2]


def test_a_cancelled_question_is_never_asked(worker: Worker) -> None:
    done: list[str] = []
    free = hold(worker)
    cancelled = worker.ask(lambda: done.append("cancelled"))
    asked = worker.ask(lambda: done.append("asked"))
    assert cancelled.cancel()
    free.set()
    asked.result(10)
    assert done == ["asked"]


@pytest.mark.parametrize("error", [ValueError("no"), RecursionError(), MemoryError()])
def test_what_goes_wrong_ends_nothing(worker: Worker, error: Exception) -> None:
    def broken() -> Steps:
        yield
        raise error

    def fail() -> None:
        raise error

    worker.do(broken(), Urgency.NOW)
    assert worker.ask(fail).exception(10) is error
    assert worker.ask(lambda: "still there").result(10) == "still there"
