"""Work that is done in steps, between which its caller can do something else."""

from collections.abc import Generator
from typing import TypeVar


Result = TypeVar("Result")

Work = Generator[None, None, Result]
"""Work that does one step with each `next`, and returns its result at the end."""


def finish(work: Work[Result]) -> Result:
    """Do all steps of some work, and return its result."""
    while True:
        try:
            next(work)
        except StopIteration as stop:
            result: Result = stop.value
            return result
