"""Splits the models of a run evenly over the machines of a CI matrix."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shard:
    """Part ``index`` (from 1) of ``count``."""

    index: int
    count: int

    def take(self, modulars: Sequence[str]) -> tuple[str, ...]:
        """Return this part of the models; the parts are disjoint, of even size, and the same on every machine."""
        return tuple(sorted(modulars))[self.index - 1 :: self.count]


def parse(text: str) -> Shard:
    """Read `I/N`. Raises ValueError."""
    index, slash, count = text.partition("/")
    if not slash or not index.isdigit() or not count.isdigit() or not 1 <= int(index) <= int(count):
        raise ValueError(f"expected I/N with 1 <= I <= N, not {text!r}")
    return Shard(int(index), int(count))
