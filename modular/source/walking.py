"""Walks over graphs and trees: what is reached from some nodes, in the order in which it is met."""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import TypeVar


Node = TypeVar("Node", bound=Hashable)
Below = TypeVar("Below")


def walk(
    starts: Iterable[Node], following: Callable[[Node], Iterable[Node]]
) -> Iterator[Node]:
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


def descend(root: Below, below: Callable[[Below], Iterable[Below]]) -> Iterator[Below]:
    """Yield the root of a tree and all below it, however deep it is: each node before its children, and those in their order.

    ``below`` gives the children of a node; it is asked after the node was yielded.
    """
    waiting = [root]
    while waiting:
        current = waiting.pop()
        yield current
        waiting += reversed([*below(current)])
