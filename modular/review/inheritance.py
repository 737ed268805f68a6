"""The drawing of who inherits from whom: models in columns, each to the right of all that it takes from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from modular.project.ancestry import Graph


_GAP, _ROW, _HEIGHT, _MARGIN = 60, 24, 18, 10
"""What is between two columns, how far apart rows are, how high a model is, and what is around it all, in its units."""

_LEAST = 700
"""How wide a drawing is at least: small ones are not blown up."""

_LETTER, _PADDING = 7.3, 8
"""How wide a letter of a model's name is, and what stands before and after the name."""

_SWEEPS = 12
"""How often the columns are put in order by their neighbours. More make no difference that is seen."""


@dataclass(frozen=True, slots=True)
class Box:
    """A model in the drawing: its name, its number, the left upper corner and the width; its height is the same for all."""

    name: str
    number: int
    x: int
    y: int
    width: int


@dataclass(frozen=True, slots=True)
class Arrow:
    """A curve from a parent to a model that takes from it, both by number, as the path of an SVG drawing."""

    parent: int
    model: int
    path: str


@dataclass(frozen=True)
class Drawing:
    """A drawing of a graph; the same graph always gives the same one."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    row: int = _HEIGHT


def draw(graph: Graph) -> Drawing:
    """Draw a graph."""
    parents: dict[str, list[str]] = {name: [] for name in graph.names}
    for edge in sorted({(edge.model, edge.parent) for edge in graph.edges if edge.model != edge.parent}):
        parents[edge[0]].append(edge[1])
    columns = _columns(parents)
    _put_in_order(columns, parents)
    boxes = _boxes(columns)
    arrows = [_arrow(boxes[parent], boxes[model]) for model, found in parents.items() for parent in found]
    width = max((box.x + box.width + _MARGIN for box in boxes.values()), default=0)
    height = max((box.y + _HEIGHT + _MARGIN for box in boxes.values()), default=_ROW)
    return Drawing(
        max(width, _LEAST), height, tuple(sorted(boxes.values(), key=lambda box: box.number)), tuple(arrows)
    )


def _columns(parents: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Each model stands one column behind the last of its parents. A circle, which is an error, is cut somewhere."""
    depths: dict[str, int] = {}
    for name in parents:
        waiting, entered = [name], {name}
        while waiting:
            current = waiting[-1]
            missing = [each for each in parents[current] if each not in depths and each not in entered]
            if missing and current not in depths:
                waiting.append(missing[0])
                entered.add(missing[0])
                continue
            if current not in depths:
                depths[current] = max((depths[each] + 1 for each in parents[current] if each in depths), default=0)
            waiting.pop()
    _move_to_children(depths, parents)
    columns: dict[int, list[str]] = {}
    for name in sorted(depths):
        columns.setdefault(depths[name], []).append(name)
    return [columns[depth] for depth in sorted(columns)]


def _move_to_children(depths: dict[str, int], parents: Mapping[str, Sequence[str]]) -> None:
    """Let each model that takes nothing stand just before the first that takes from it: that saves long curves."""
    nearest: dict[str, int] = {}
    for name, found in parents.items():
        for parent in found:
            nearest[parent] = min(nearest.get(parent, depths[name]), depths[name])
    for name, found in parents.items():
        if not found and name in nearest:
            depths[name] = max(0, nearest[name] - 1)


def _put_in_order(columns: list[list[str]], parents: Mapping[str, Sequence[str]]) -> None:
    """Order each column by where the neighbours of its models stand, forth and back, so that fewer curves cross."""
    children: dict[str, list[str]] = {name: [] for name in parents}
    for name, found in parents.items():
        for parent in found:
            children[parent].append(name)
    for sweep in range(_SWEEPS):
        places = _places(columns)
        neighbours = parents if sweep % 2 == 0 else children
        for column in columns if sweep % 2 == 0 else reversed(columns):
            column.sort(key=lambda name: (_middle(places, neighbours[name], places[name]), name))
            places.update(_places([column]))


def _places(columns: Iterable[Sequence[str]]) -> dict[str, float]:
    """Where each model stands in its column, from the middle of that."""
    return {name: index - (len(column) - 1) / 2 for column in columns for index, name in enumerate(column)}


def _middle(places: Mapping[str, float], names: Sequence[str], otherwise: float) -> float:
    return sum(places[name] for name in names) / len(names) if names else otherwise


def _boxes(columns: Sequence[Sequence[str]]) -> dict[str, Box]:
    tallest = max(map(len, columns), default=0)
    numbers = {name: number for number, name in enumerate(sorted(name for column in columns for name in column))}
    boxes: dict[str, Box] = {}
    left = _MARGIN
    for column in columns:
        top = _MARGIN + (tallest - len(column)) * _ROW // 2
        widths = {name: round(len(name) * _LETTER) + 2 * _PADDING for name in column}
        for row, name in enumerate(column):
            boxes[name] = Box(name, numbers[name], left, top + row * _ROW, widths[name])
        left += max(widths.values()) + _GAP
    return boxes


def _arrow(parent: Box, model: Box) -> Arrow:
    start_x, start_y = parent.x + parent.width, parent.y + _HEIGHT // 2
    end_x, end_y = model.x, model.y + _HEIGHT // 2
    bend = _GAP if start_x < end_x else 2 * _GAP
    return Arrow(
        parent.number,
        model.number,
        f"M{start_x} {start_y}C{start_x + bend} {start_y} {end_x - bend} {end_y} {end_x} {end_y}",
    )
