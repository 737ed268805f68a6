"""The drawing of who inherits from whom."""

from modular.project.ancestry import Edge, Graph, Model
from modular.review.inheritance import Box, Drawing, draw


def graph(*edges: str) -> Graph:
    """A graph of edges such as `owl>eagle`: the owl takes from the eagle."""
    pairs = [edge.split(">") for edge in edges]
    names = {name for pair in pairs for name in pair}
    made = (Edge(model, parent, f"{parent}.py", ("Wing",)) for model, parent in pairs)
    return Graph(tuple(sorted(map(Model, names))), tuple(sorted(made)))


def columns(drawing: Drawing) -> list[list[str]]:
    """The models of each column from the left, each column from the top."""
    found: dict[int, list[Box]] = {}
    for box in drawing.boxes:
        found.setdefault(box.x, []).append(box)
    return [[box.name for box in sorted(found[x], key=lambda box: box.y)] for x in sorted(found)]


def test_a_model_stands_to_the_right_of_all_that_it_takes_from() -> None:
    assert columns(draw(graph("owl>eagle", "owlet>owl", "owlet>eagle"))) == [["eagle"], ["owl"], ["owlet"]]


def test_a_parent_stands_just_before_its_only_child() -> None:
    assert columns(draw(graph("b>a", "c>b", "c>hand"))) == [["a"], ["b", "hand"], ["c"]]


def test_models_stand_level_with_their_parents() -> None:
    """In the order of their names the four arrows would cross."""
    assert columns(draw(graph("d>a", "c>b"))) == [["a", "b"], ["d", "c"]]


def test_a_circle_is_drawn_too() -> None:
    drawing = draw(graph("a>b", "b>a"))
    assert sorted(box.name for box in drawing.boxes) == ["a", "b"]
    assert len(drawing.arrows) == 2


def test_an_arrow_goes_from_the_right_side_of_the_parent_to_the_left_side_of_the_model() -> None:
    drawing = draw(graph("owl>eagle"))
    eagle, owl = sorted(drawing.boxes, key=lambda box: box.x)
    (arrow,) = drawing.arrows
    assert (arrow.parent, arrow.model) == (eagle.number, owl.number)
    assert arrow.path.startswith(f"M{eagle.x + eagle.width} ")
    assert arrow.path.endswith(f" {owl.x} {owl.y + 9}")


def test_boxes_do_not_overlap() -> None:
    names = [f"model_{number}" for number in range(60)]
    drawing = draw(graph(*(f"{name}>llama" for name in names), *(f"{name}_next>{name}" for name in names)))
    boxes = sorted(drawing.boxes, key=lambda box: (box.x, box.y))
    for one, other in zip(boxes, boxes[1:], strict=False):
        assert one.x + one.width < other.x or (one.x == other.x and one.y + drawing.row < other.y)
    assert max(box.x + box.width for box in boxes) < drawing.width
    assert max(box.y + drawing.row for box in boxes) < drawing.height


def test_no_models_give_an_empty_drawing() -> None:
    assert draw(Graph((), ())).boxes == ()
