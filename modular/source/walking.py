"""Walks over graphs: the nodes that are reached from some nodes, in the order in which they are met."""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
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
        for node in following(current):
            if node not in seen:
                seen.add(node)
                waiting.append(node)


def inverted(graph: Mapping[Node, Iterable[Node]]) -> dict[Node, list[Node]]:
    """Return a graph with its edges turned round: for each node those that it follows; all nodes are keys."""
    before: dict[Node, list[Node]] = {node: [] for node in graph}
    for node, following in graph.items():
        for successor in following:
            before.setdefault(successor, []).append(node)
    return before
