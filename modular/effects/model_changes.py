"""Finds models that a change adds or deletes, and generated files that it edits by hand."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from modular.effects.breakage import list_names
from modular.effects.overrides import find_overrides
from modular.project.naming import is_modular_name
from modular.project.project import Project, model_name
from modular.provenance.blame import Blamer
from modular.run.engine import Engine
from modular.run.hand_edits import Replacement, find_hand_edits
from modular.source.diagnostics import Diagnostic, Place
from modular.system.printable import counted


@dataclass(frozen=True)
class NewModel:
    """A model that a commit does not have.

    Attributes:
        modular: Path of its modular file.
        lines: Number of lines of this file.
        class_counts: Number of generated classes with code of each other model, by its
            name.
        overrides: The methods that it overrides, such as `MyModelMLP.forward`.
    """

    modular: str
    lines: int
    class_counts: dict[str, int]
    overrides: tuple[str, ...]

    @property
    def place(self) -> Place:
        """The beginning of its modular file."""
        return Place(self.modular)

    @property
    def name(self) -> str:
        """The name of the model."""
        return model_name(self.modular)

    def __str__(self) -> str:
        sentence = f"New model {self.name}: {counted(self.lines, 'line')}"
        for parent, count in self.class_counts.items():
            noun = "class" if count == 1 else "classes"
            sentence += f", {count} {noun} from {parent}"
        return f"{sentence}, overrides: {list_names(self.overrides) or 'none'}"


@dataclass(frozen=True)
class ModelChanges:
    """Whole models and files that a change concerns.

    Attributes:
        new: The new models, by path.
        deleted: The deleted modular files, sorted.
        hand_edits: The first lines that people wrote into generated files.
    """

    new: tuple[NewModel, ...] = ()
    deleted: tuple[str, ...] = ()
    hand_edits: tuple[Diagnostic, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.new or self.deleted or self.hand_edits)

    def sentences(self) -> Iterator[str]:
        """Yield a sentence about each new or deleted model, and each edit by hand."""
        yield from map(str, self.new)
        for path in self.deleted:
            yield f"Deleted {path}: its generated files are no longer generated"
        for edit in self.hand_edits:
            yield f"{edit.place.path}:{edit.place.line}: {edit.message}"


def find_model_changes(
    blamer: Blamer, new_modulars: Iterable[str], changed_paths: Iterable[str]
) -> ModelChanges:
    """Return new and deleted models, and generated files that somebody edited.

    Args:
        blamer: Blamer whose engine has converted the models of the changed files.
        new_modulars: Modular files that the commit does not have.
        changed_paths: Paths of the changed files.
    """
    engine = blamer.engine
    new_models = [_read_new_model(blamer, modular) for modular in sorted(new_modulars)]
    return ModelChanges(
        new=tuple(new_models),
        deleted=_deleted_modular_files(engine.project, changed_paths),
        hand_edits=_find_hand_edits(engine, changed_paths),
    )


def _read_new_model(blamer: Blamer, modular: str) -> NewModel:
    """Return a summary of a new modular file: which classes it inherits, what it overrides.

    A generated class counts for the model that its first inherited line comes from.
    """
    parent_by_class: dict[str, str] = {}
    for blame in blamer.blame_model(modular).values():
        for run in blame.runs:
            line = run.first
            if line.class_ and line.path and line.path != modular:
                parent_model = blamer.project.model_of(line.path)
                parent_by_class.setdefault(line.class_, parent_model)

    overrides = []
    converter = blamer.engine.batches.local_converter()
    for override in find_overrides(converter, modular):
        overrides.append(f"{override.class_}.{override.key}")
    return NewModel(
        modular=modular,
        lines=blamer.engine.source(modular).count("\n"),
        class_counts=dict(Counter(parent_by_class.values()).most_common()),
        overrides=tuple(overrides),
    )


def _deleted_modular_files(
    project: Project, changed_paths: Iterable[str]
) -> tuple[str, ...]:
    """Return the modular files that a change deletes."""
    deleted = []
    for path in sorted(changed_paths):
        if is_modular_name(path) and not project.locate(path).is_file():
            deleted.append(path)
    return tuple(deleted)


def _find_hand_edits(
    engine: Engine, changed_paths: Iterable[str]
) -> tuple[Diagnostic, ...]:
    """Return the first edit by hand of each changed generated file that has any."""
    project = engine.project
    replacements = []
    for path in sorted(changed_paths):
        modular = project.generating_modular(path)
        result = engine.results.get(modular or "")
        if result is None or path not in result.texts or not project.has_file(path):
            continue
        on_disk = project.locate(path).read_bytes()
        text = result.texts[path]
        is_up_to_date = on_disk == text.encode()
        if not is_up_to_date:
            reads = tuple(result.reads)
            replacement = Replacement(path, result.modular, on_disk, text, reads)
            replacements.append(replacement)
    edits_by_path = find_hand_edits(project, replacements)
    return tuple(diagnostics[0] for _, diagnostics in sorted(edits_by_path.items()))
