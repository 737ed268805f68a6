"""The list of models that the scripts of all pages read: for the search, the marks, and the drawing of the inheritance."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from modular.project.ancestry import Graph
from modular.review import rendering
from modular.review.index_page import INDEX, Summary


CATALOGUE = "models.js"
"""The path of the list."""


def catalogue(project: str, graph: Graph, summaries: Sequence[Summary], link: Callable[[str], str]) -> str:
    """Return the list as a script: the models with their links and states, and who takes from whom.

    ``link`` gives the link from the folder of the pages to a parent file, or nothing.
    """
    pages = {summary.name: summary for summary in summaries}
    files = {edge.parent: edge.path for edge in reversed(graph.edges)}
    modulars = dict(graph.models)
    models: list[dict[str, Any]] = []
    for name in sorted({*graph.names, *pages}):
        page = pages.get(name)
        if page is not None:
            href, digest, state = rendering.link(INDEX, page.page), page.digest, _state(page)
        else:
            href, digest, state = link(files[name]) if name in files else "", "", "" if modulars[name] else "hand"
        models.append({"name": name, "href": href, "digest": digest, "state": state})
    edges = sorted({(edge.parent, edge.model) for edge in graph.edges if edge.parent != edge.model})
    text = json.dumps({"project": project, "models": models, "edges": edges}, separators=(",", ":"))
    return f'"use strict";\nconst CATALOGUE = {text};\n'


def _state(page: Summary) -> str:
    if page.errors:
        return "broken"
    return "changed" if page.new or page.gone else ""
