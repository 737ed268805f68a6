"""Walks over graphs: the nodes that are reached from some nodes, in the order in which they are met."""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar


Node = TypeVar("Node", bound=Hashable)


def walk(starts: Iterable[Node], following: Callable[[Node], Iterable[Node]]) -> Iterator[Node]:
    """Yield the starts and all that is reached from them, each once, the nearest first.

    ``following`` gives the successors of a node; it is asked after the node was yielded.
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
