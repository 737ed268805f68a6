"""One thread that does all work on projects, the most urgent first, so that nothing needs a lock."""

import heapq
import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum


_LOG = logging.getLogger(__name__)

Steps = Iterator[None]
"""Work in steps: between two of them more urgent work is done."""


class Urgency(IntEnum):
    """What comes first: what somebody waits for, then what they will look at, then what may be asked for one day."""

    NOW = 0
    SOON = 1
    LATER = 2


@dataclass(order=True)
class _Job:
    urgency: Urgency
    number: int
    steps: Steps = field(compare=False)
    key: str = field(compare=False, default="")


class Worker:
    """A thread with a queue. Work with a key takes the place of what waits, or is not through, under the same key."""

    def __init__(self) -> None:
        self._jobs: list[_Job] = []
        self._newest: dict[str, int] = {}
        self._number = 0
        self._changed = threading.Condition()
        self._stopped = False
        threading.Thread(target=self._work, name="modular-worker", daemon=True).start()

    def do(self, steps: Steps, urgency: Urgency, key: str = "") -> None:
        """Queue work in steps; what goes wrong in it is logged."""
        with self._changed:
            self._number += 1
            if key:
                self._newest[key] = self._number
            heapq.heappush(self._jobs, _Job(urgency, self._number, steps, key))
            self._changed.notify()

    def stop(self) -> None:
        """End the thread after the step that it is at."""
        with self._changed:
            self._stopped = True
            self._changed.notify()

    def _work(self) -> None:
        while (job := self._next()) is not None:
            try:
                next(job.steps)
            except StopIteration:
                continue
            except Exception:
                _LOG.exception("work that was not asked for failed")
                continue
            with self._changed:
                heapq.heappush(self._jobs, job)

    def _next(self) -> _Job | None:
        """Wait for the most urgent job that no newer one has replaced; None: there is nothing more to do."""
        with self._changed:
            while not self._stopped:
                if not self._jobs:
                    self._changed.wait()
                    continue
                job = heapq.heappop(self._jobs)
                if not job.key or self._newest[job.key] == job.number:
                    return job
            return None
