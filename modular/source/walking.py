"""Walks over graphs and trees without recursion."""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import TypeVar


Node = TypeVar("Node", bound=Hashable)
TreeNode = TypeVar("TreeNode")


def walk(
    starts: Iterable[Node], following: Callable[[Node], Iterable[Node]]
) -> Iterator[Node]:
    """Yield the nodes of a graph that can be reached from some nodes, nearest first.

    Args:
        starts: The first nodes, which are yielded as well.
        following: Returns the successors of a node. It is called after the node was
            yielded.
    """
    waiting = deque(dict.fromkeys(starts))
    reached = set(waiting)
    while waiting:
        node = waiting.popleft()
        yield node
        for successor in following(node):
            if successor not in reached:
                reached.add(successor)
                waiting.append(successor)


def inverted(graph: Mapping[Node, Iterable[Node]]) -> dict[Node, list[Node]]:
    """Return a graph with all edges reversed.

    Args:
        graph: The successors of each node.

    Returns:
        The predecessors of each node. All nodes of the graph are keys.
    """
    predecessors: dict[Node, list[Node]] = {node: [] for node in graph}
    for node, successors in graph.items():
        for successor in successors:
            predecessors.setdefault(successor, []).append(node)
    return predecessors


def descend(
    root: TreeNode, children: Callable[[TreeNode], Iterable[TreeNode]]
) -> Iterator[TreeNode]:
    """Yield the nodes of a tree in document order: each node before its children.

    Args:
        root: The first node.
        children: Returns the children of a node. It is called after the node was
            yielded.
    """
    # The next node is at the end.
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(list(children(node))))
