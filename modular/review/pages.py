"""Builds the pages of one project and writes them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from modular.project.project import Project
from modular.provenance.blame import Blamer
from modular.provenance.causes import Change, changes
from modular.review import rendering
from modular.review.change_groups import ChangedFile
from modular.review.differences import difference
from modular.review.folder import Folder
from modular.review.index_page import Summary, summary
from modular.review.model_page import ModelPage, longest, model_page
from modular.review.rows import rows
from modular.source.diagnostics import Diagnostic, Place
from modular.source.diffs import compare


@dataclass(frozen=True)
class Pages:
    """The pages of a project.

    ``names`` are the shown names of the models that have pages, by their modular files. ``since`` is the commit that the
    change is shown from, if it is, and ``old`` are the texts that files had there: all generated ones, and those that
    differ. ``diagnostics`` are those to show, by modular file.
    """

    project: Project
    folder: Folder
    blamer: Blamer
    names: Mapping[str, str]
    diagnostics: Mapping[str, Sequence[Diagnostic]]
    since: str = ""
    old: Mapping[str, str] | None = None

    def write_model(self, modular: str) -> Summary:
        """Write the page of a model."""
        name = self.names[modular]
        path = rendering.model_path(name)
        diagnostics = self.diagnostics[modular]
        page = model_page(name, modular, self.text(modular), self.blamer.model(modular), diagnostics, self.old)
        links = {each.path: rendering.link(path, rendering.source_path(each.path)) for each in page.sources[1:]}
        problems = [self.problem(path, each) for each in diagnostics]
        html = rendering.render(
            "model.html", path, model=page, since=self.since, origins=page.origins(links), problems=problems
        )
        self.folder.write(path, html)
        return summary(page, path, tuple(self._changed(page)))

    def _changed(self, page: ModelPage) -> Iterator[Change]:
        for file in page.files:
            if file.changes:
                yield from changes(
                    ChangedFile(file.path, page.modular.path, compare(file.old, file.text)), self.blamer
                )

    def write_source(self, path: str) -> None:
        """Write the page of a file that generated lines come from."""
        page = rendering.source_path(path)
        text = self.text(path)
        name = PurePosixPath(path).name
        old = text if self.old is None else self.old.get(path, text)
        html = rows(name, text, old, difference(old, text))
        values = {"path": path, "name": name, "columns": longest(text), "rows": html}
        self.folder.write(page, rendering.render("source.html", page, **values))

    def text(self, path: str) -> str:
        """Return the text of a source file, as conversions see it."""
        return "\n".join(self.blamer.lines(path))

    def problem(self, page: str, diagnostic: Diagnostic) -> dict[str, str]:
        """Return what a page shows of a diagnostic."""
        place = diagnostic.place
        return {
            "code": diagnostic.code.id,
            "title": diagnostic.code.title.replace("-", " "),
            "severity": diagnostic.severity.value,
            "place": f"{place.path}:{place.line}",
            "href": self.link_to(page, place),
            "message": diagnostic.message,
            "hint": diagnostic.hint,
        }

    def link_to(self, page: str, place: Place) -> str:
        """Return the link from a page to a place: on a model's page, or on that of the file; nothing if it has none."""
        anchor = rendering.line_anchor(place.path, place.line)
        modular = place.path if place.path in self.names else self.project.generator(place.path)
        if modular is not None and modular in self.names:
            return rendering.link(page, rendering.model_path(self.names[modular]), anchor)
        return rendering.link(page, rendering.source_path(place.path), anchor) if self.is_source(place.path) else ""

    def is_source(self, path: str) -> bool:
        """Whether a path is that of a file that can have a page of its own."""
        is_python = path.endswith(".py") and not self.project.leads_out(path)
        return is_python and self.project.locate(path).is_file()
