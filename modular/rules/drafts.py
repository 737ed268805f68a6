"""Output files while they are put together: statements in their places, before there are imports."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from modular.source.code import Code


@dataclass
class Node:
    """One statement of an output file: its name and its runs of lines, each with the member that it belongs to.

    ``words`` is every identifier in it.
    """

    name: str
    parts: list[tuple[str, Code]]
    words: AbstractSet[str] = frozenset()
    is_definition: bool = True
    place: int = 0


@dataclass
class Draft:
    """An output file before its imports: its statements by name, in the order of their places; ``end`` is the next place."""

    file_type: str
    nodes: dict[str, Node] = field(default_factory=dict)
    own_imports: dict[str, str] = field(default_factory=dict)
    end: int = 0

    def put(self, node: Node) -> None:
        """Add a statement at the end; one of the same name leaves its old place."""
        node.place = self.end
        self.end += 1
        self.nodes[node.name] = node

    def in_order(self, first_names: tuple[str, ...]) -> list[Node]:
        """The statements in their order; some names come first."""
        rank = {name: index for index, name in enumerate(first_names)}
        return sorted(self.nodes.values(), key=lambda node: (rank.get(node.name, len(rank)), node.place))
