"""Names that are written alike are those that difflib finds."""

from difflib import get_close_matches

from hypothesis import given
from hypothesis import strategies as st

from modular.source.alike import most_alike


NAMES = st.text("abC_", max_size=6)


@given(NAMES, st.lists(NAMES, max_size=12), st.integers(1, 3), st.sampled_from([0.3, 0.6, 0.9]))
def test_the_same_as_difflib(name: str, known: list[str], most: int, alike: float) -> None:
    assert most_alike(name, known, most, alike) == get_close_matches(name, known, most, alike)


def test_the_nearest_comes_first() -> None:
    assert most_alike("LlamaMlp", ["LlamaNorm", "LlamaMLP", "Mlp", "LlamaMlps"], 2, 0.6) == ["LlamaMlps", "LlamaMLP"]
