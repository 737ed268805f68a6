"""How many lines modular files save: what was written against what was generated from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from modular.project.project import model_name
from modular.run.report import LineCounts


@dataclass(frozen=True, slots=True)
class Saving:
    """The lines of a modular file (or of several) and of all that was generated from it."""

    modular: int
    generated: int

    @property
    def saved(self) -> int:
        """The lines that nobody had to write; below zero where the modular file is the longer one."""
        return self.generated - self.modular

    @property
    def ratio(self) -> float:
        """How many lines come out for one that goes in; 0 if none goes in."""
        return self.generated / self.modular if self.modular else 0.0


@dataclass(frozen=True, slots=True)
class ModelSaving:
    """What one modular file saves."""

    model: str
    path: str
    saving: Saving


def savings(lines: Mapping[str, LineCounts]) -> tuple[ModelSaving, ...]:
    """Return what each modular file saves, those that save most first, then by path."""
    models = (
        ModelSaving(model_name(path), path, Saving(counts.modular, sum(counts.generated.values())))
        for path, counts in lines.items()
    )
    return tuple(sorted(models, key=lambda model: (-model.saving.saved, model.path)))


def total(models: Sequence[ModelSaving]) -> Saving:
    """Return what modular files save together."""
    return Saving(sum(model.saving.modular for model in models), sum(model.saving.generated for model in models))
