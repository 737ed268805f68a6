"""A review: which pages there are, built by several processes."""

import os
from collections.abc import Callable, Sequence
from contextlib import closing
from copy import copy
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path, PurePosixPath
from time import time
from typing import TypeVar

from modular import __version__
from modular.cache.inputs import affected
from modular.effects.causes import group_by_cause
from modular.effects.impact import is_changed, read_old_texts
from modular.git.repository import GitError, resolve_commit
from modular.project.ancestry import Graph, read_graph
from modular.project.project import Project
from modular.provenance.blame import Blamer
from modular.review import rendering
from modular.review.folder import MARK, Folder, ReviewError, open_folder
from modular.review.index_page import CATALOGUE, INDEX, LONGEST, catalogue, models_of
from modular.review.pages import Pages
from modular.run.api import Options
from modular.run.baseline import new
from modular.run.batch_converter import Progress
from modular.run.engine import Engine
from modular.run.pool import Pool, can_copy_processes
from modular.run.selection import Selection, select
from modular.run.since import findings_at
from modular.source.diagnostics import Diagnostic, by_place
from modular.system.machine import available_processors


_Built = TypeVar("_Built")


@dataclass(frozen=True)
class Review:
    """What was written: the start page, and how many models have pages.

    ``diagnostics`` are what is wrong with the models, ``left_out`` counts those that the change does not touch.
    ``has_unknown_targets``: some targets name nothing, and the diagnostics say which.
    """

    index: Path
    models: int
    diagnostics: tuple[Diagnostic, ...]
    left_out: int
    has_unknown_targets: bool = False


def review(
    targets: Sequence[str] = (),
    *,
    output: Path | None = None,
    options: Options = Options(),
) -> Review:
    """Write the pages of models and return where they are.

    ``targets`` are those of `api.check`. ``output`` None: the usual folder below the root. With ``options.since`` the pages
    show what has changed since, and only models that this can affect have pages. Raises what `api.check` raises, and
    `folder.ReviewError`.
    """
    project = options.open(targets)
    selected = select(project, targets)
    changed = options.changed(project)
    selection = (
        selected if changed is None else selected.only(affected(project, changed))
    )
    folder = open_folder(project, output)
    _write_assets(folder)
    graph = read_graph(project)
    blamer = Blamer(Engine(project, options))
    blamer.engine.run(selection.modulars)  # each process blames its models for itself
    blamer.engine.batches.progress = None
    old = None
    if options.since is not None:
        old = read_old_texts(
            blamer, options, options.since, changed or set(), selection.modulars
        )
        selection = selected.only(
            path for path in selection.modulars if is_changed(blamer, path, old)
        )
        blamer.older = old
    shown = {model.modular: model.name for model in graph.models}
    names = {
        path: shown.get(path, PurePosixPath(path).stem) for path in selection.modulars
    }
    diagnostics = _diagnostics(blamer, selection.modulars, options)
    pages = Pages(
        project,
        folder,
        blamer,
        names,
        diagnostics,
        _stamp(project),
        options.since or "",
        old,
    )
    _write(pages, selection, graph, options)
    has_unknown_targets = bool(targets and selection.problems)
    problems = _problems(pages, selection)
    return Review(
        folder.path / INDEX,
        len(names),
        problems,
        selection.unaffected_models,
        has_unknown_targets,
    )


def _write_assets(folder: Folder) -> None:
    """Write style sheet and scripts, each with the mark of a review at its head."""
    for asset in sorted(
        path for path in (rendering.HERE / "assets").rglob("*") if path.is_file()
    ):
        folder.write(asset.name, f"/* {MARK} */\n{asset.read_text(encoding='utf-8')}")


def _stamp(project: Project) -> str:
    """Which version built the pages, from which commit, and when: by the clock, or where builds are reproduced by the usual variable."""
    seconds = float(os.environ.get("SOURCE_DATE_EPOCH") or time())
    written = f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"
    try:
        commit = f"working tree at commit {resolve_commit(project.root, 'HEAD')[:12]}"
    except GitError:
        commit = "not in a git repository"
    return f"modular {__version__} · {commit} · {written}"


def _diagnostics(
    blamer: Blamer, modulars: Sequence[str], options: Options
) -> dict[str, tuple[Diagnostic, ...]]:
    """What is to be said of each model, at the project's levels; of a change only what it brings."""
    levels = blamer.project.settings.lint
    shown = {
        modular: tuple(levels.apply(blamer.diagnostics(modular)))
        for modular in modulars
    }
    if options.since is None or not any(shown.values()):
        return shown
    before = findings_at(blamer.project, options.since, options, modulars)
    return {
        modular: tuple(new(diagnostics, before))
        for modular, diagnostics in shown.items()
    }


def _problems(pages: Pages, selection: Selection) -> tuple[Diagnostic, ...]:
    of_models = (
        diagnostic
        for path in selection.modulars
        for diagnostic in pages.diagnostics[path]
    )
    return tuple(by_place([*selection.problems, *of_models]))


def _write(pages: Pages, selection: Selection, graph: Graph, options: Options) -> None:
    """Write the page of each model, those of the files that their lines come from, the start page, and the list of models."""
    diagnostics = _problems(pages, selection)
    jobs = (
        min(options.jobs or available_processors(), len(selection.modulars))
        if can_copy_processes()
        else 1
    )
    with closing(Pool(jobs, copy, pages)) as pool:
        build = partial(_build, pages, pool if jobs > 1 else None, options.progress)
        summaries = build(Pages.write_model, selection.modulars)
        groups = group_by_cause(
            [change for summary in summaries for change in summary.changed]
        )
        graph = _part(graph, list(pages.names.values()))
        paths = {path for summary in summaries for path in summary.sources} | {
            edge.path for edge in graph.edges
        }
        paths |= {place.path for cause in groups if (place := cause.place) is not None}
        paths |= {diagnostic.place.path for diagnostic in diagnostics}
        sources = sorted(
            path
            for path in paths
            if pages.shown_with(path) is None and pages.is_source(path)
        )
        build(Pages.write_source, sources)
    parents: dict[str, dict[str, str]] = {}
    for edge in graph.edges:
        parents.setdefault(edge.model, {}).setdefault(edge.parent, edge.path)
    pages.write(
        "index.html",
        INDEX,
        models=sorted(
            summaries,
            key=lambda model: (-model.errors, -(model.new + model.gone), model.name),
        ),
        errors=[diagnostic for diagnostic in diagnostics if diagnostic.is_error],
        warnings=[diagnostic for diagnostic in diagnostics if not diagnostic.is_error],
        left_out=selection.unaffected_models,
        causes=groups,
        models_of=partial(models_of, pages.names),
        longest=LONGEST,
        parents=parents,
    )
    models = catalogue(
        pages.project.root.name, graph, summaries, partial(pages.page_link, INDEX)
    )
    pages.folder.write(CATALOGUE, f"/* {MARK} */\n{models}")
    pages.folder.delete_old_pages(
        [*(summary.page for summary in summaries), *map(rendering.source_path, sources)]
    )


def _build(
    pages: Pages,
    pool: Pool | None,
    progress: Progress | None,
    work: Callable[[Pages, str], _Built],
    items: Sequence[str],
) -> list[_Built]:
    """Write the page of each item, and return what is said of them, in their order. Raises ReviewError."""
    results = (
        pool.run(work, items)
        if pool is not None
        else ((item, [work(pages, item)]) for item in items)
    )
    built: dict[str, _Built] = {}
    for item, done in results:
        if not done:
            raise ReviewError(
                "a process that built pages was killed: run again with `--jobs 1`"
            )
        built[item] = done[0]
        if progress is not None:
            progress(len(built), len(items))
    return [built[item] for item in items]


def _part(graph: Graph, names: Sequence[str]) -> Graph:
    """The part of a graph that is some models and all that they inherit from."""
    if set(names) >= {model.name for model in graph.models if model.modular}:
        return graph
    return graph.around(names, ancestors=True)
