"""Walking a graph: what is reached from some places, in the order in which it is met."""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar


Place = TypeVar("Place", bound=Hashable)


def walk(starts: Iterable[Place], following: Callable[[Place], Iterable[Place]]) -> Iterator[Place]:
    """Yield the starts and all that is reached from them, each once, the nearest first.

    ``following`` gives what is one step behind a place; it is asked after the place was yielded.
    """
    waiting = deque(dict.fromkeys(starts))
    seen = set(waiting)
    while waiting:
        current = waiting.popleft()
        yield current
        for each in following(current):
            if each not in seen:
                seen.add(each)
                waiting.append(each)
