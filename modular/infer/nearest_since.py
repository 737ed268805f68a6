"""Finds better parents for the classes and functions that a branch adds.

Code that was there before is left out: a reviewer can only ask for changes of new code.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from modular.effects.impact import generated_texts
from modular.git.repository import changed_since, read_texts_at
from modular.infer.ages import ModelAges
from modular.infer.fragments import Fragment
from modular.infer.index import SimilarFragment
from modular.infer.nearest import (
    MAX_NEIGHBOURS,
    Candidates,
    QueriedFile,
    compare_with,
    query_file,
    read_candidates,
)
from modular.project.project import Project
from modular.run.api import Options
from modular.run.engine import Engine
from modular.semantics.meanings import QualifiedName
from modular.source import module as modules
from modular.source.blocks import Statement
from modular.source.diagnostics import Place
from modular.source.module import Module
from modular.system.printable import counted


_MIN_SIMILARITY = 0.8
"""A class without a parent should inherit from one that is as similar (0 to 1)."""

_MIN_SAVED_LINES = 2
"""Another parent that saves fewer lines is not worth a reviewer's time."""


@dataclass(frozen=True)
class Advice:
    """A better parent for a new class or function, or a reason against its parent.

    Attributes:
        place: The definition in a hand-written file.
        name: Its name.
        message: What is wrong, and what to write instead.
        saved_lines: Number of lines that the better parent saves.
    """

    place: Place
    name: str
    message: str
    saved_lines: int = 0

    def __str__(self) -> str:
        return f"{self.place.path}:{self.place.line}: {self.message}"


def nearest_since(commit: str, options: Options = Options()) -> tuple[Advice, ...]:
    """Return better parents for the classes and functions that were added since a commit.

    New code of modular files is compared as a conversion would generate it now. A
    modular file with errors gets no advice.

    Args:
        commit: The commit.
        options: Options of the run.

    Raises:
        modular.git.repository.GitError: Git cannot read the commit.
        modular.settings.settings.SettingsError: The settings are wrong.
    """
    project = options.open()
    paths = list(_find_changed_files(project, commit))
    old_texts = read_texts_at(project.root, commit, paths)
    added_by_path = {}
    for path in paths:
        old = modules.read(path, old_texts.get(path, ""))
        added = _find_added(old, modules.read(path, project.load(path, {}).text))
        if added:
            added_by_path[path] = added
    if not added_by_path:
        return ()

    candidates = read_candidates(project, options)
    engine = Engine(project, options)
    engine.run([path for path in added_by_path if path in project.modular_files])
    all_advice: list[Advice] = []
    for path, added in added_by_path.items():
        all_advice += _advise_on_file(engine, path, added, candidates)
    return tuple(sorted(all_advice, key=lambda advice: advice.place))


def _find_changed_files(project: Project, commit: str) -> Iterator[str]:
    """Yield the hand-written model files that changed since a commit."""
    for path in changed_since(project.root, commit):
        is_model = path.endswith(".py") and project.is_in_models_folder(path)
        # A deleted file has no code to compare.
        if not is_model or not project.has_file(path):
            continue
        is_generated = project.generating_modular(path) is not None
        if not is_generated:
            yield path


def _advise_on_file(
    engine: Engine,
    path: str,
    added: Mapping[str, Statement],
    candidates: Candidates,
) -> Iterator[Advice]:
    """Yield advice on the new classes and functions of a hand-written file.

    The advice is to inherit from more similar code, or not to inherit from a model that
    is younger. Classes of a modular file are compared as they are generated, with all
    the code that they inherit.

    Args:
        engine: Engine that has converted the file, if it is a modular file.
        path: The file.
        added: The new classes and functions by name.
        candidates: The models with which they are compared.
    """
    project = engine.project
    modular_file = None
    complete_texts: Mapping[str, str] = {path: engine.source(path)}
    if path in project.modular_files:
        modular_file = engine.batches.local_converter().read(path)
        complete_texts = generated_texts(engine, path)
    models = candidates.for_file(project, path)
    younger = ModelAges(models.index).younger_than(project.model_home(path))
    for text_path, text in complete_texts.items():
        file = query_file(project, models, modules.read(text_path, text), name="")
        for query in file.queries:
            if query.name not in added:
                continue
            parents: Sequence[QualifiedName] = ()
            if modular_file is not None:
                parents = modular_file.parent_classes(query.name)
            new = _NewDefinition(path, added[query.name], file, query, parents)
            advice = _find_better_parent(project, new)
            advice = advice or _find_younger_parent(project, new, younger)
            if advice is not None:
                yield advice


@dataclass(frozen=True)
class _NewDefinition:
    """A class or function that was added since the commit.

    Attributes:
        path: The hand-written file that it was added to.
        statement: Its definition there.
        file: The file that has it with all that it inherits.
        query: Its code in that file.
        parents: Its parent classes in the modular file.
    """

    path: str
    statement: Statement
    file: QueriedFile
    query: Fragment
    parents: Sequence[QualifiedName]

    def is_child_of(self, candidate: SimilarFragment) -> bool:
        """Return whether a class of another model is one of its parents."""
        return any(
            (parent.path, parent.name) == (candidate.file.path, candidate.fragment.name)
            for parent in self.parents
        )

    def advise(self, message: str, saved_lines: int = 0) -> Advice:
        """Return advice on the definition, at its line in the hand-written file."""
        place = Place(self.path, self.statement.line)
        return Advice(place, self.query.name, message, saved_lines)


def _find_added(old: Module, new: Module) -> dict[str, Statement]:
    """Return the classes and functions that only the new text defines, by name."""
    old_names = {statement.name for statement in old.block.statements}
    added = {}
    for statement in new.block.statements:
        if statement.is_definition and statement.name not in old_names:
            added[statement.name] = statement
    return added


def _find_better_parent(project: Project, new: _NewDefinition) -> Advice | None:
    """Return the advice to inherit from the code that is most similar to new code.

    None if the new class or function inherits from it already, or would become hardly
    shorter, or if it has no parent and nothing is similar enough.
    """
    query = new.query
    nearest_first = new.file.ranking.find_nearest(
        query, MAX_NEIGHBOURS, equal_first=True
    )
    if not nearest_first:
        return None
    nearest = nearest_first[0]
    if new.is_child_of(nearest):
        return None
    lines_now = _count_lines_beside_parent(project, new, nearest_first)
    lines_as_child_of_nearest = compare_with(project, nearest, new.file, query).added
    # The shortest child is two lines long: a header and `pass`.
    max_saved_lines = new.statement.bare_code.text.count("\n") - 1
    saved_lines = min(lines_now - lines_as_child_of_nearest, max_saved_lines)
    if saved_lines < _MIN_SAVED_LINES:
        return None

    title = f"`{nearest.fragment.name}` of {nearest.file.path}"
    saved = f"saves {counted(saved_lines, 'line')}"
    if nearest.fragment.digest == query.digest:
        message = f"`{query.name}` has the same code as {title}: inherit it ({saved})"
    elif new.parents:
        message = f"{title} is a closer parent of `{query.name}` ({saved})"
    elif nearest.similarity >= _MIN_SIMILARITY:
        share = f"{nearest.similarity:.0%}"
        message = f"`{query.name}` is {share} {title}: inherit from it ({saved})"
    else:
        return None
    return new.advise(message, saved_lines)


def _count_lines_beside_parent(
    project: Project, new: _NewDefinition, candidates: Sequence[SimilarFragment]
) -> int:
    """Return how many lines of a new definition are not in its parent.

    With several parents, the most similar one counts. Without a parent, all lines of the
    definition count.

    Args:
        project: The project.
        new: The new class or function.
        candidates: The nearest definitions of other models, of which there is at least
            one. The parents are among them, unless they are not similar.
    """
    lines_beside_parents = []
    for candidate in candidates:
        if new.is_child_of(candidate):
            difference = compare_with(project, candidate, new.file, new.query)
            lines_beside_parents.append(difference.added)
    if lines_beside_parents:
        return min(lines_beside_parents)
    difference = compare_with(project, candidates[0], new.file, new.query)
    return len(difference.new)


def _find_younger_parent(
    project: Project, new: _NewDefinition, younger: Collection[str]
) -> Advice | None:
    """Return advice against the first parent whose model is younger, if there is one.

    Args:
        project: The project.
        new: The new definition.
        younger: The folders of younger models.
    """
    for parent in new.parents:
        if project.model_home(parent.path) in younger:
            return new.advise(
                f"`{new.query.name}` inherits from `{parent.name}` of {parent.path}, whose "
                "model is younger than yours: inherit from the model that it copies"
            )
    return None
