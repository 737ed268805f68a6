"""Builds the pages of one project and writes them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from modular.project.project import Project
from modular.source.diagnostics import Diagnostic, Place
from modular.traceback.blame import Blamer
from modular.traceback.review import rows, templates
from modular.traceback.review.differences import difference
from modular.traceback.review.folder import Folder
from modular.traceback.review.index_page import Summary, summary
from modular.traceback.review.model_page import longest, model_page


@dataclass(frozen=True)
class Pages:
    """The pages of a project.

    ``names`` are the shown names of the models by their modular files. ``since`` is the commit that the change is shown
    from, if it is, and ``old`` are the texts that files had there: all generated ones, and those that differ.
    """

    project: Project
    folder: Folder
    blamer: Blamer
    names: Mapping[str, str]
    since: str = ""
    old: Mapping[str, str] | None = None

    def write_model(self, modular: str) -> Summary:
        """Write the page of a model."""
        name = self.names[modular]
        path = templates.model_path(name)
        text = "\n".join(self.blamer.lines(modular))
        diagnostics = self.blamer.diagnostics(modular)
        page = model_page(name, modular, text, self.blamer.model(modular), diagnostics, self.old)
        links = {each.path: templates.link(path, templates.source_path(each.path)) for each in page.sources[1:]}
        problems = [self.problem(path, each) for each in diagnostics]
        html = templates.render(
            "model.html", path, model=page, since=self.since, origins=page.origins(links), problems=problems
        )
        self.folder.write(path, html)
        return summary(page, path)

    def write_source(self, path: str) -> None:
        """Write the page of a file that generated lines come from."""
        page = templates.source_path(path)
        text = "\n".join(self.blamer.lines(path))
        name = PurePosixPath(path).name
        old = text if self.old is None else self.old.get(path, text)
        html = rows.rows(name, text, old, difference(old, text))
        values = {"path": path, "name": name, "columns": longest(text), "rows": html}
        self.folder.write(page, templates.render("source.html", page, **values))

    def problem(self, page: str, diagnostic: Diagnostic) -> dict[str, str]:
        """Return what a page shows of a diagnostic."""
        place = diagnostic.place
        return {
            "code": diagnostic.code.id,
            "title": diagnostic.code.title.replace("-", " "),
            "severity": diagnostic.code.severity.value,
            "place": f"{place.path}:{place.line}",
            "href": self._link_to(page, place),
            "message": diagnostic.message,
            "hint": diagnostic.hint,
        }

    def _link_to(self, page: str, place: Place) -> str:
        modular = place.path if place.path in self.names else self.project.generator(place.path)
        anchor = templates.line_anchor(place.path, place.line)
        if modular in self.names:
            return templates.link(page, templates.model_path(self.names[modular]), anchor)
        return templates.link(page, templates.source_path(place.path), anchor)
