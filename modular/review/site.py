"""Builds a review: the pages of all models, in several processes."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing
from copy import copy
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path, PurePosixPath
from time import time
from typing import NamedTuple, TypeVar

from modular import __version__
from modular.cache.inputs import affected
from modular.effects.breakage import report_breakages
from modular.effects.causes import Cause, group_by_cause
from modular.effects.changes import Change, OldRecord
from modular.effects.impact import (
    ModularEffects,
    compare_with_commit,
    find_modular_effects,
    is_changed,
)
from modular.effects.model_changes import ModelChanges
from modular.effects.overrides import group_unreached
from modular.git.repository import GitError, resolve_commit
from modular.project.project import Project
from modular.provenance.blame import Blamer
from modular.review import rendering
from modular.review.folder import MARK, Folder, ReviewError, open_folder
from modular.review.index_page import (
    CATALOGUE,
    INDEX,
    MAX_SHOWN_LINES,
    Summary,
    catalogue,
    places_by_model,
)
from modular.review.notes import notes_of_effects
from modular.review.pages import Pages, SourcePage
from modular.review.rows import render_diff_lines
from modular.review.symbols import SYMBOLS, symbols_script
from modular.run.api import Options
from modular.run.baseline import count_diagnostics, new_diagnostics
from modular.run.engine import Engine
from modular.run.options import Progress
from modular.run.pool import Pool, can_copy_processes
from modular.run.selection import Selection, select
from modular.run.since import findings_at
from modular.semantics.model_graph import Graph, read_graph
from modular.source.diagnostics import Diagnostic, by_place
from modular.system.machine import available_processors


_Built = TypeVar("_Built")


@dataclass(frozen=True)
class Review:
    """A written review.

    Attributes:
        index: Path of the start page.
        models: Number of models that have pages.
        diagnostics: Diagnostics of these models and of the targets.
        breakages: Number of places in modular files that the change breaks.
        unaffected_models: Number of models that the change does not affect.
        model_changes: New and deleted models, and generated files edited by hand.
        has_unknown_targets: Whether some targets do not exist.
    """

    index: Path
    models: int
    diagnostics: tuple[Diagnostic, ...]
    breakages: int
    unaffected_models: int
    model_changes: ModelChanges = ModelChanges()
    has_unknown_targets: bool = False


class _Changes(NamedTuple):
    """The changes since the commit that a review compares with, if there is one.

    Attributes:
        paths: Paths of the changed files; None if the options do not limit the models.
        old_texts: Texts of files in that commit, by path; None without a commit.
        old_record: What is known of the project in that commit.
        model_changes: New and deleted models, and generated files edited by hand.
        effects: What the changes mean for modular files.
    """

    paths: AbstractSet[str] | None
    old_texts: Mapping[str, str] | None = None
    old_record: OldRecord = OldRecord()
    model_changes: ModelChanges = ModelChanges()
    effects: ModularEffects = ModularEffects()


def review(
    targets: Sequence[str] = (),
    *,
    output: Path | None = None,
    options: Options = Options(),
) -> Review:
    """Write the pages of models.

    With ``options.since``, only models that the changes since then affect have pages.

    Args:
        targets: Names of models, modular files or folders; none for the whole project.
        output: Folder to write to; None for the default folder below the root.
        options: Options of the run.

    Raises:
        modular.review.folder.ReviewError: The pages cannot be written.
        modular.ModularError: The project, the commit or the formatter cannot be used,
            as in `modular.check`.
    """
    project = options.open(targets)
    selection = select(project, targets)
    changed_paths = options.changed(project)
    if changed_paths is not None:
        # Models that the changes cannot affect need no conversion.
        selection = selection.only(affected(project, changed_paths))

    folder = open_folder(project, output)
    _write_assets(folder)
    graph = read_graph(project)
    blamer = Blamer(Engine(project, options))
    changes = _Changes(changed_paths)
    if options.since is None:
        blamer.engine.run(selection.modulars)
    else:
        changes = _find_changes(
            blamer, options, options.since, changed_paths or set(), selection.modulars
        )
        selection = _select_changed(selection, blamer, changes)
    # The worker processes blame their models themselves, without progress.
    blamer.engine.batches.progress = None

    names_in_graph = {model.modular: model.name for model in graph.models}
    names = {}
    for modular in selection.modulars:
        names[modular] = names_in_graph.get(modular, PurePosixPath(modular).stem)
    pages = Pages(
        project=project,
        folder=folder,
        blamer=blamer,
        names=names,
        diagnostics=_find_diagnostics(blamer, selection.modulars, options, changes),
        stamp=_make_stamp(project),
        since=options.since or "",
        old_texts=changes.old_texts,
        old_record=changes.old_record,
        effect_notes=tuple(notes_of_effects(changes.effects)),
    )
    diagnostics = list(selection.problems)
    for modular in selection.modulars:
        diagnostics += pages.diagnostics[modular]
    diagnostics = by_place(diagnostics)
    _write_pages(pages, selection, diagnostics, changes, graph, options)
    return Review(
        index=folder.path / INDEX,
        models=len(names),
        diagnostics=tuple(diagnostics),
        breakages=len(changes.effects.breakages),
        unaffected_models=selection.unaffected_models,
        model_changes=changes.model_changes,
        has_unknown_targets=bool(targets and selection.problems),
    )


def _find_changes(
    blamer: Blamer,
    options: Options,
    commit: str,
    changed_paths: AbstractSet[str],
    modular_paths: Sequence[str],
) -> _Changes:
    """Convert models as they are and as they were in a commit, and return the changes.

    Args:
        blamer: Finds the origins of lines in the project with the changes.
        options: Options of the run.
        commit: Name of the commit.
        changed_paths: Paths of the files that changed since.
        modular_paths: Paths of the modular files that the changes can affect.
    """
    comparison = compare_with_commit(
        blamer, options, commit, changed_paths, modular_paths
    )
    effects = find_modular_effects(
        blamer.engine, modular_paths, changed_paths, comparison.old_texts
    )
    return _Changes(
        changed_paths,
        comparison.old_texts,
        comparison.old_record,
        comparison.model_changes,
        effects,
    )


def _select_changed(
    selection: Selection, blamer: Blamer, changes: _Changes
) -> Selection:
    """Return the selection, limited to models that the changes change or break.

    The selection has all models that the changes can affect. Once they are converted,
    many of them turn out to be the same.
    """
    broken_modulars = {breakage.place.path for breakage in changes.effects.breakages}
    old_texts = changes.old_texts or {}
    changed_modulars = []
    for modular in selection.modulars:
        if modular in broken_modulars or is_changed(blamer, modular, old_texts):
            changed_modulars.append(modular)
    return replace(selection, modulars=tuple(changed_modulars))


def _write_assets(folder: Folder) -> None:
    """Write style sheet and scripts, each with the mark of a review."""
    for asset in sorted((rendering.HERE / "assets").rglob("*")):
        if asset.is_file():
            text = asset.read_text(encoding="utf-8")
            folder.write(asset.name, f"/* {MARK} */\n{text}")


def _make_stamp(project: Project) -> str:
    """Return the version, the commit and the time of a review.

    `SOURCE_DATE_EPOCH` replaces the time, so that builds can be reproduced.
    """
    seconds = float(os.environ.get("SOURCE_DATE_EPOCH") or time())
    written = f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"
    try:
        commit = f"working tree at commit {resolve_commit(project.root, 'HEAD')[:12]}"
    except GitError:
        commit = "not in a git repository"
    return f"modular {__version__} · {commit} · {written}"


def _find_diagnostics(
    blamer: Blamer, modulars: Sequence[str], options: Options, changes: _Changes
) -> dict[str, tuple[Diagnostic, ...]]:
    """Return the diagnostics of each model that pages show, by its modular file.

    With `options.since`, only those are returned that the commit did not have.

    Args:
        blamer: Has the results of the project with the changes.
        modulars: The modular files.
        options: Options of the run.
        changes: The changes since the commit.
    """
    levels = blamer.project.settings.lint
    diagnostics = {}
    for modular in modulars:
        diagnostics[modular] = tuple(levels.apply(blamer.diagnostics(modular)))
    modulars_with_findings = [modular for modular in modulars if diagnostics[modular]]
    if options.since is None or not modulars_with_findings:
        # There is nothing to compare.
        return diagnostics

    old_blamer = changes.old_record.blamer
    if old_blamer is None:
        # The settings have changed since the commit, so its files are read again.
        old_findings = findings_at(
            blamer.project, options.since, options, modulars_with_findings
        )
    else:
        old_texts = changes.old_texts or {}
        # A model that the commit does not have had no findings.
        old_modulars = [path for path in modulars_with_findings if old_texts.get(path)]
        old_blamer.engine.run(old_modulars)
        old_findings = Counter()
        for modular in old_modulars:
            old_diagnostics = levels.apply(old_blamer.diagnostics(modular))
            old_findings.update(count_diagnostics(old_diagnostics))
    for modular in modulars_with_findings:
        diagnostics[modular] = tuple(
            new_diagnostics(diagnostics[modular], old_findings)
        )
    return diagnostics


def _write_pages(
    pages: Pages,
    selection: Selection,
    diagnostics: Sequence[Diagnostic],
    changes: _Changes,
    graph: Graph,
    options: Options,
) -> None:
    """Write all pages and the scripts that they load, and delete pages of old reviews."""
    shown_graph = _shown_part(graph, pages)
    jobs = 1
    if can_copy_processes():
        jobs = min(options.jobs or available_processors(), len(selection.modulars))
    with closing(Pool(jobs, copy, pages)) as pool:
        build = partial(_build, pages, pool if jobs > 1 else None, options.progress)
        summaries = build(Pages.write_model, selection.modulars)
        output_changes: list[Change] = []
        for summary in summaries:
            output_changes += summary.changes
        causes = group_by_cause(output_changes)
        source_paths = _find_mentioned_sources(
            pages, summaries, causes, shown_graph, diagnostics
        )
        source_pages = build(Pages.write_source, source_paths)

    def sort_key(summary: Summary) -> tuple[int, int, str]:
        """Sort models with errors first, then by the number of changed lines."""
        return -summary.errors, -(summary.new + summary.gone), summary.name

    parents: dict[str, dict[str, str]] = {}
    for edge in shown_graph.edges:
        parents.setdefault(edge.model, {}).setdefault(edge.parent, edge.path)
    pages.write(
        "index.html",
        INDEX,
        models=sorted(summaries, key=sort_key),
        model_changes=changes.model_changes,
        breakages=list(report_breakages(changes.effects.breakages)),
        breakage_count=len(changes.effects.breakages),
        unreached=group_unreached(changes.effects.unreached),
        unreached_count=len(changes.effects.unreached),
        errors=[diagnostic for diagnostic in diagnostics if diagnostic.is_error],
        warnings=[diagnostic for diagnostic in diagnostics if not diagnostic.is_error],
        project_models=len(pages.project.modular_files),
        causes=causes,
        models_of=partial(places_by_model, pages.names),
        longest=MAX_SHOWN_LINES,
        render_diff_lines=render_diff_lines,
        parents=parents,
    )
    _write_scripts(pages, summaries, source_pages, shown_graph, changes.paths)
    current_pages = [summary.page for summary in summaries]
    current_pages += [source_page.page for source_page in source_pages]
    pages.folder.delete_old_pages(current_pages)


def _find_mentioned_sources(
    pages: Pages,
    summaries: Iterable[Summary],
    causes: Iterable[Cause],
    graph: Graph,
    diagnostics: Iterable[Diagnostic],
) -> list[str]:
    """Return the source files that pages mention, and that need a page of their own.

    A modular file needs none, because the page of its model shows it.

    Args:
        pages: The pages of the project.
        summaries: The models that have pages.
        causes: The causes of changes, each with the place of an edit.
        graph: The models and their parent files.
        diagnostics: The diagnostics of the models.
    """
    mentioned_paths: set[str] = set()
    for summary in summaries:
        mentioned_paths.update(summary.sources)
    mentioned_paths.update(edge.path for edge in graph.edges)
    mentioned_paths.update(diagnostic.place.path for diagnostic in diagnostics)
    mentioned_paths.update(note.place.path for note in pages.effect_notes)
    mentioned_paths.update(cause.place.path for cause in causes if cause.place)
    paths_without_page = []
    for path in sorted(mentioned_paths):
        if pages.find_modular_showing(path) is None and pages.is_source(path):
            paths_without_page.append(path)
    return paths_without_page


def _write_scripts(
    pages: Pages,
    summaries: Sequence[Summary],
    source_pages: Iterable[SourcePage],
    graph: Graph,
    changed_paths: AbstractSet[str] | None,
) -> None:
    """Write the list of all models, and the list of classes and functions to search.

    Args:
        pages: The pages of the project.
        summaries: The models that have pages.
        source_pages: The pages of source files.
        graph: The models that the graph of models can show.
        changed_paths: Paths of the files that changed; None without a comparison.
    """
    link_to_file = partial(pages.link_to_page, INDEX)
    models = catalogue(
        pages.project.root.name, graph, summaries, link_to_file, changed_paths
    )
    pages.folder.write(CATALOGUE, f"/* {MARK} */\n{models}")
    # Hand-written parents come first, and so do their classes in a search.
    symbols = sorted(source_page.symbols for source_page in source_pages)
    for summary in summaries:
        symbols += sorted(summary.symbols)
    pages.folder.write(SYMBOLS, f"/* {MARK} */\n{symbols_script(symbols)}")


def _build(
    pages: Pages,
    pool: Pool | None,
    progress: Progress | None,
    write_page: Callable[[Pages, str], _Built],
    paths: Sequence[str],
) -> list[_Built]:
    """Write the page of each path, and return the results in the order of the paths.

    Args:
        pages: The pages of the project, which write themselves.
        pool: Worker processes, each with its own copy of ``pages``; None to write in
            this process.
        progress: Called after each page, if given.
        write_page: Method of `Pages` that writes the page of a path.
        paths: The paths.

    Raises:
        ReviewError: A worker process was killed, or a page cannot be written.
    """
    # Each path with its result, as the pages are written.
    written_pages: Iterable[tuple[str, _Built]]
    if pool is None:
        written_pages = ((path, write_page(pages, path)) for path in paths)
    else:
        written_pages = _run_in_pool(pool, write_page, paths)

    results: dict[str, _Built] = {}
    for path, result in written_pages:
        results[path] = result
        if progress is not None:
            progress("building pages", len(results), len(paths))
    return [results[path] for path in paths]


def _run_in_pool(
    pool: Pool, write_page: Callable[[Pages, str], _Built], paths: Sequence[str]
) -> Iterator[tuple[str, _Built]]:
    """Yield each path with the result of `write_page`, in the order of completion.

    Raises:
        ReviewError: A worker process was killed, or a page cannot be written.
    """
    for path, results in pool.run(write_page, paths):
        # A worker that was killed, for example for want of memory, has no result.
        if not results:
            message = "a process that built pages was killed: run again with `--jobs 1`"
            raise ReviewError(message)
        yield path, results[0]


def _shown_part(graph: Graph, pages: Pages) -> Graph:
    """Return the graph of the models that have pages, and of all their ancestors."""
    names_with_page = set(pages.names.values())
    generated_models = {model.name for model in graph.models if model.modular}
    if generated_models <= names_with_page:
        return graph
    return graph.around(names_with_page, ancestors=True)
