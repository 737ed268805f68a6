"""A place in a modular file that a change of its parents breaks."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from modular.source.diagnostics import Place
from modular.system.printable import counted


_MAX_LISTED_NAMES = 10
"""Number of models or methods that a list names."""


@dataclass(frozen=True, slots=True)
class Breakage:
    """A modular class relies on code that its parents no longer have in that form.

    Attributes:
        place: Place in the modular class.
        class_: Name of the modular class.
        member: Name of the method or attribute.
        message: Sentence about the class, without its subject.
    """

    place: Place
    class_: str
    member: str
    message: str

    @property
    def sentence(self) -> str:
        """The message with its subject."""
        return f"`{self.class_}` {self.message}"


class PlacedSentence(NamedTuple):
    """A sentence about a place in a modular file.

    Attributes:
        place: The place.
        sentence: The sentence.
        others: The other places that it is true of, each with the class there.
    """

    place: Place
    sentence: str
    others: tuple[tuple[Place, str], ...] = ()

    def __str__(self) -> str:
        return f"{self.place.path}:{self.place.line}: {self.sentence}"

    def lines(self, head: str = "") -> Iterator[str]:
        """Yield the sentence after a head, and below it the other places."""
        yield f"{head}{self}"
        for place, class_ in self.others:
            yield f"    {place.path}:{place.line}: `{class_}`"


def report_breakages(breakages: Iterable[Breakage]) -> Iterator[PlacedSentence]:
    """Yield sentences about breakages: one for all models with the same breakage.

    If ten models override `LlamaMLP.forward`, which is gone, one sentence has the place
    in the first model, and the places in the nine others.
    """
    for group in _group_by_message(breakages):
        places = [(breakage.place, breakage.class_) for breakage in group]
        yield join_places(group[0].sentence, places)


def join_places(sentence: str, places: Sequence[tuple[Place, str]]) -> PlacedSentence:
    """Return a sentence that is true of several places, each with the class there.

    The sentence is about the first place.
    """
    (place, _), *others = places
    if others:
        sentence += f"; the same at {counted(len(others), 'more place')}:"
    return PlacedSentence(place, sentence, tuple(others))


def _group_by_message(breakages: Iterable[Breakage]) -> Iterable[list[Breakage]]:
    """Group the breakages of different files that have the same message.

    A group has at most one breakage of each file. For example, two classes of llama and
    one class of bert have the same breakage. The first group has the first class of
    llama and the class of bert. The second group has the second class of llama.
    """
    groups: dict[tuple[str, int], list[Breakage]] = defaultdict(list)
    counts: Counter[tuple[str, str]] = Counter()
    for breakage in breakages:
        message = breakage.message
        path = breakage.place.path
        # The first breakage of a file with this message is in group 0 of the message.
        group_index = counts[message, path]
        groups[message, group_index].append(breakage)
        counts[message, path] += 1
    return groups.values()


def list_names(names: Sequence[str]) -> str:
    """Return names for a sentence; of many only the first."""
    listed = ", ".join(names[:_MAX_LISTED_NAMES])
    if len(names) > _MAX_LISTED_NAMES:
        listed += f" and {len(names) - _MAX_LISTED_NAMES} more"
    return listed
