"""Walking a graph."""

from modular.source.walking import walk


STEPS = {"a": ["b", "c"], "b": ["d"], "c": ["d", "a"], "d": ["b"]}


def test_each_place_is_met_once_and_the_nearest_first() -> None:
    assert list(walk(["a"], lambda place: STEPS[place])) == ["a", "b", "c", "d"]


def test_a_walk_can_begin_at_several_nodes() -> None:
    assert list(walk(["d", "c", "d"], lambda place: STEPS[place])) == [
        "d",
        "c",
        "b",
        "a",
    ]


def test_a_place_is_left_before_what_is_behind_it_is_asked_for() -> None:
    asked: list[str] = []

    def following(place: str) -> list[str]:
        asked.append(place)
        return STEPS[place]

    assert next(walk(["a"], following)) == "a"
    assert asked == []
