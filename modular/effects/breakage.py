"""A place in a modular file that a change of its parents breaks."""

from collections import defaultdict
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
    """Yield a sentence about each breakage; equal ones of several models share one.

    If ten models override `LlamaMLP.forward`, which is gone, one sentence names all ten.
    """
    groups: list[list[Breakage]] = []
    # The same groups again, to find those with an equal message.
    groups_by_message: dict[str, list[list[Breakage]]] = defaultdict(list)
    for breakage in breakages:
        equal_groups = groups_by_message[breakage.message]
        group = _group_without_file(equal_groups, breakage.place.path)
        if group is None:
            group = []
            groups.append(group)
            equal_groups.append(group)
        group.append(breakage)

    for group in groups:
        first = group[0]
        sentence = first.sentence
        models = sorted(model_name(breakage.place.path) for breakage in group)
        if len(models) > 1:
            names = list_models(models)
            sentence += f"; the same in {counted(len(models), 'model')}: {names}"
        yield PlacedSentence(first.place, sentence)


def _group_without_file(
    groups: Iterable[list[Breakage]], path: str
) -> list[Breakage] | None:
    """Return the first group without a breakage in a file; None if all have one.

    A group gets one sentence, which names models but only one place. So two breakages
    of one file, which are at different places, must not be in the same group.
    """
    for group in groups:
        if all(breakage.place.path != path for breakage in group):
            return group
    return None


def list_models(models: Sequence[str]) -> str:
    """Return the names of models for a sentence; of many models only the first."""
    names = ", ".join(models[:_MAX_NAMED_MODELS])
    if len(models) > _MAX_NAMED_MODELS:
        names += f" and {len(models) - _MAX_NAMED_MODELS} more"
    return names
