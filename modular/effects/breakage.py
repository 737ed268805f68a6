"""A place in a modular file that a change of its parents breaks."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from modular.project.project import model_name
from modular.source.diagnostics import Place
from modular.system.printable import counted


_MAX_NAMED_MODELS = 10
"""Number of models that a list names."""


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
    """A sentence about a place in a modular file."""

    place: Place
    sentence: str

    def __str__(self) -> str:
        return f"{self.place.path}:{self.place.line}: {self.sentence}"


def report_breakages(breakages: Iterable[Breakage]) -> Iterator[PlacedSentence]:
    """Yield sentences about breakages. Several models with the same breakage share one.

    If ten models override `LlamaMLP.forward`, which is gone, one sentence has the place
    in the first model and the names of all ten.
    """
    for group in _group_by_message(breakages):
        first = group[0]
        sentence = first.sentence
        models = sorted(model_name(breakage.place.path) for breakage in group)
        if len(models) > 1:
            names = list_models(models)
            sentence += f"; the same in {counted(len(models), 'model')}: {names}"
        yield PlacedSentence(first.place, sentence)


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


def list_models(models: Sequence[str]) -> str:
    """Return the names of models for a sentence; of many models only the first."""
    names = ", ".join(models[:_MAX_NAMED_MODELS])
    if len(models) > _MAX_NAMED_MODELS:
        names += f" and {len(models) - _MAX_NAMED_MODELS} more"
    return names
