"""A review: which pages there are, built by several processes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from modular.cache.affected import affected
from modular.project.ancestry import Graph, read_graph
from modular.provenance.blame import Blamer
from modular.provenance.causes import Cause, group
from modular.review import rendering
from modular.review.builders import builders
from modular.review.change_groups import as_shown
from modular.review.folder import open_folder
from modular.review.index_page import INDEX, Summary, index_page
from modular.review.older import is_touched, old_texts
from modular.review.pages import Pages
from modular.run.api import Options
from modular.run.earlier import findings_at
from modular.run.engine import Engine
from modular.run.known import new
from modular.run.selection import Selection, select
from modular.source.diagnostics import Diagnostic, by_place
from modular.source.machine import available_processors


_ASSETS = ("review.css", "theme.js", "panes.js", "source.js", "index.js")


@dataclass(frozen=True)
class Review:
    """What was written for the project at a root: the start page, and how many models have pages.

    ``diagnostics`` are what is wrong with the models, ``left_out`` counts those that the change does not touch.
    """

    root: Path
    index: Path
    models: int
    diagnostics: tuple[Diagnostic, ...]
    left_out: int


def review(targets: Sequence[str] = (), *, output: Path | None = None, options: Options = Options()) -> Review:
    """Write the pages of models and return where they are.

    ``targets`` are those of `api.check`. ``output`` None: the usual folder below the root. With ``options.since`` the pages
    show what has changed since, and only models that this can affect have pages. Raises what `api.check` raises, and
    `folder.ReviewError`.
    """
    project = options.open()
    selection = select(project, targets)
    changed = options.changed(project)
    if changed is not None:
        selection = selection.only(affected(project, changed))
    folder = open_folder(project, output)
    for name in _ASSETS:
        folder.write(name, (rendering.HERE / "assets" / name).read_text(encoding="utf-8"))
    graph = read_graph(project)
    blamer = Blamer(Engine(project, options))
    blamer.engine.run(selection.modulars)  # each process blames its models for itself
    old = None
    if options.since is not None:
        old = old_texts(blamer, options, options.since, changed or set(), selection.modulars)
        selection = selection.only(each for each in selection.modulars if is_touched(blamer, each, old))
        blamer.older = old
    shown = {model.modular: model.name for model in graph.models}
    names = {path: shown.get(path, PurePosixPath(path).stem) for path in selection.modulars}
    diagnostics = _diagnostics(blamer, selection.modulars, options)
    pages = Pages(project, folder, blamer, names, diagnostics, options.since or "", old)
    return _write(pages, selection, graph, options)


def _diagnostics(blamer: Blamer, modulars: Sequence[str], options: Options) -> dict[str, tuple[Diagnostic, ...]]:
    """What is to be said of each model, at the project's levels; of a change only what it brings."""
    levels = blamer.project.settings.lint
    found = {modular: tuple(levels.apply(blamer.diagnostics(modular))) for modular in modulars}
    if options.since is None or not any(found.values()):
        return found
    before = findings_at(blamer.project, options.since, options, modulars)
    return {modular: tuple(new(each, before)) for modular, each in found.items()}


def _write(pages: Pages, selection: Selection, graph: Graph, options: Options) -> Review:
    """Write the page of each model, those of the files that their lines come from, and the start page."""
    found = by_place([*selection.problems, *(each for path in selection.modulars for each in pages.diagnostics[path])])
    taken = {edge.path for edge in graph.edges if edge.model in set(pages.names.values())}
    jobs, expected = options.jobs or available_processors(), len(selection.modulars) + len(taken)
    with builders(pages, selection.modulars, expected, jobs, options.progress) as build:
        summaries = build.models(selection.modulars)
        groups = group([change for each in summaries for change in each.changed])
        sources = _sources(pages, summaries, groups, found)
        build.sources(sources)
    problems = [pages.problem(INDEX, each) for each in found]
    causes = list(as_shown(groups, pages.names, lambda place: pages.link_to(INDEX, place)))
    part = _part(graph, list(pages.names.values()))
    html = index_page(pages.project.root.name, pages.since, summaries, selection.left_out, problems, causes, part)
    pages.folder.write(INDEX, html)
    pages.folder.clean([*(each.page for each in summaries), *map(rendering.source_path, sources)])
    return Review(pages.project.root, pages.folder.path / INDEX, len(summaries), tuple(found), selection.left_out)


def _sources(
    pages: Pages, summaries: Sequence[Summary], groups: Sequence[Cause], found: Sequence[Diagnostic]
) -> list[str]:
    """All files that have pages: those that lines come from, and those that causes and diagnostics lead to."""
    named = {each.place.path for each in groups if each.place is not None} | {each.place.path for each in found}
    parents = {path for each in summaries for path in each.parents}
    return sorted(parents | {path for path in named - pages.names.keys() if pages.is_source(path)})


def _part(graph: Graph, names: Sequence[str]) -> Graph:
    """The part of a graph that is some models and all that they inherit from."""
    if set(names) >= {model.name for model in graph.models if model.modular}:
        return graph
    part = Graph((), ())
    for name in names:
        part = part.joined(graph.ancestors(name))
    return part
