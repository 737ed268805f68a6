"""Builds the pages of one project and writes them."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import groupby
from typing import Any

from modular.effects.causes import Change, find_changes
from modular.project.project import Project
from modular.provenance.blame import Blame, BlamedLine, Blamer
from modular.provenance.outline import Owner, line_owners
from modular.review import rendering
from modular.review.folder import Folder
from modular.review.index_page import Summary
from modular.review.rendering import MEANINGS, line_prefix
from modular.review.rows import File
from modular.rules.files.drafts import Provenance
from modular.run.report import FileReport, Status
from modular.source import module as modules
from modular.source.diagnostics import Diagnostic, Place
from modular.source.diffs import compare


_ShownOwner = tuple[str, int, str]
"""What lines belong to: in words, the line of the modular file that has it, and the renaming in words."""


@dataclass(frozen=True)
class Pages:
    """The pages of a project.

    ``names`` are the shown names of the models that have pages, by their modular files. ``since`` is the commit that the
    change is shown from, if it is, and ``old`` are the texts that files had there: all generated ones, and those that
    differ. ``diagnostics`` are those to show, by modular file. ``stamp`` says on each page what it was made from, and when.
    """

    project: Project
    folder: Folder
    blamer: Blamer
    names: Mapping[str, str]
    diagnostics: Mapping[str, Sequence[Diagnostic]]
    stamp: str
    since: str = ""
    old: Mapping[str, str] | None = None

    def write(self, template: str, page: str, **values: Any) -> None:
        """Write a page from a template, which can ask for the links to places and to pages of files."""
        common = {
            "since": self.since,
            "stamp": self.stamp,
            "project": self.project.root.name,
            "link": partial(self.link_to, page),
            "page_link": partial(self.page_link, page),
        }
        self.folder.write(page, rendering.render(template, page, **common, **values))

    def write_model(self, modular: str) -> Summary:
        """Write the page of a model."""
        name = self.names[modular]
        page = rendering.model_path(name)
        problems = self.diagnostics[modular]
        blames = sorted(
            self.blamer.model(modular).values(),
            key=lambda blame: (-len(blame.lines), blame.path),
        )
        own = {
            line.origin_line
            for blame in blames
            for line in blame.lines
            if line.path == modular
        }
        own_kinds = {
            line: MEANINGS[Provenance.OWN][0] for line in own if line is not None
        }
        file = self._file(modular, modular, self.text(modular), own_kinds, problems)
        files = []
        for blame in blames:
            kinds = {line.line: MEANINGS[line.kind][0] for line in blame.lines}
            files.append(self._file(blame.path, modular, blame.text, kinds, problems))
        parents = _parent_files(modular, blames)
        deep = [(blame, self.blamer.deep(blame)) for blame in blames]
        sources, origins = _line_origins(
            file, parents, deep, lambda source: self.line_link(page, source)
        )
        summary = Summary(
            name=name,
            page=page,
            digest=_digest([file, *files]),
            modular_lines=file.lines,
            generated_lines=sum(file.lines for file in files),
            modular_new=file.changes.added,
            modular_gone=file.changes.removed,
            new=sum(file.changes.added for file in files),
            gone=sum(file.changes.removed for file in files),
            kinds=_shares(blames),
            sources=tuple(sources),
            errors=sum(problem.is_error for problem in problems),
            warnings=sum(not problem.is_error for problem in problems),
            changed=tuple(
                change for file in files for change in self._changes(file, modular)
            ),
        )
        self.write(
            "code.html",
            page,
            model=summary,
            modular=file,
            files=files,
            origins=origins,
            parents=parents,
            problems=problems,
            neighbours=self._neighbours(page, name),
        )
        return summary

    def _file(
        self,
        path: str,
        modular: str,
        text: str,
        kinds: Mapping[int, str],
        problems: Sequence[Diagnostic],
    ) -> File:
        old = text if self.old is None else self.old.get(path, "")
        return File(
            path, line_prefix(path, modular), text, compare(old, text), kinds, problems
        )

    def _changes(self, file: File, modular: str) -> list[Change]:
        return find_changes(
            FileReport(file.path, modular, Status.STALE, file.changes), self.blamer
        )

    def _neighbours(self, page: str, name: str) -> list[str]:
        """Links to the pages of the models before and after one, in the order of their names; empty where there is none."""
        ordered = ["", *sorted(self.names.values()), ""]
        index = ordered.index(name, 1)
        neighbours = (ordered[index - 1], ordered[index + 1])
        return [
            neighbour and rendering.link(page, rendering.model_path(neighbour))
            for neighbour in neighbours
        ]

    def write_source(self, path: str) -> str:
        """Write the page of a file that generated lines come from, and return the page's path."""
        text = self.text(path)
        old = text if self.old is None else self.old.get(path, text)
        page = rendering.source_path(path)
        everywhere = (
            diagnostic
            for diagnostics in self.diagnostics.values()
            for diagnostic in diagnostics
        )
        problems = [
            diagnostic for diagnostic in everywhere if diagnostic.place.path == path
        ]
        file = File(path, "", text, compare(old, text), problems=problems)
        self.write(
            "code.html",
            page,
            file=file,
            model=None,
            origins="",
            problems=problems,
            neighbours=["", ""],
        )
        return page

    def text(self, path: str) -> str:
        """Return the text of a source file, as conversions see it."""
        return "\n".join(self.blamer.lines(path))

    def link_to(self, page: str, place: Place) -> str:
        """Return the link from a page to a place: on a model's page, or on that of the file; nothing if it has none."""
        start = self.line_link(page, place.path)
        return f"{start}{max(1, place.line)}" if start else ""

    def page_link(self, page: str, path: str) -> str:
        """Return the link from a page to the one on which a file appears; nothing if there is none."""
        return self.line_link(page, path).partition("#")[0]

    def line_link(self, page: str, path: str) -> str:
        """Return the link from a page to a line of a file, all but the line's number; nothing if the file has no page."""
        modular = self.shown_with(path)
        if modular is not None:
            target = rendering.model_path(self.names[modular])
            return rendering.link(page, target, f"{line_prefix(path, modular)}L")
        return (
            rendering.link(page, rendering.source_path(path), "L")
            if self.is_source(path)
            else ""
        )

    def shown_with(self, path: str) -> str | None:
        """Return the modular file of the model whose page shows a file; None if that is no model's."""
        if path in self.names:
            return path
        modular = self.project.generator(path)
        if modular is None or modular not in self.names:
            return None
        return modular if path in self.blamer.engine.results[modular].outputs else None

    def is_source(self, path: str) -> bool:
        """Whether a path is that of a file that can have a page of its own."""
        is_python = path.endswith(".py") and not self.project.points_outside_root(path)
        return is_python and self.project.locate(path).is_file()


def _shares(blames: Iterable[Blame]) -> dict[Provenance, int]:
    """Return how many lines are of which kind, the kinds in their own order."""
    counts = Counter(line.kind for blame in blames for line in blame.lines)
    return {kind: counts[kind] for kind in Provenance if counts[kind]}


def _parent_files(modular: str, blames: Iterable[Blame]) -> dict[str, int]:
    """Return the parent files that lines come from, and how many do; those that most come from are first."""
    counts = Counter(
        line.path
        for blame in blames
        for line in blame.lines
        if line.path not in (None, modular)
    )
    return {
        str(path): lines
        for path, lines in sorted(
            counts.items(), key=lambda item: (-item[1], str(item[0]))
        )
    }


def _digest(files: Iterable[File]) -> str:
    """Return something that differs when anything that a page shows of files does."""
    shown = [(file.path, file.text, file.changes.hunks) for file in files]
    return sha256(repr(shown).encode()).hexdigest()[:12]


def _line_origins(
    modular: File,
    parents: Iterable[str],
    blames: Sequence[tuple[Blame, Blame]],
    link: Callable[[str], str],
) -> tuple[list[str], str]:
    """Return the files that a model's lines come from, and where each line comes from, as JSON that can be in a page.

    First is the modular file, then the ``parents``, then those that lines of generated parents come from; ``link`` gives
    the link to the lines of one. Each blame has one beside it that follows lines to the first hand-written one. Lines that
    are together there as well are a run: its first line, how many there are, how they came in, the source and its first
    line, the owner, and the same of the first hand-written source.
    """
    heads: dict[Owner, int] = {}
    for line, of_line in line_owners(modules.read(modular.path, modular.text)).items():
        heads.setdefault(of_line, line)
    written = sorted(
        {
            line.path
            for _, deep in blames
            for line in deep.lines
            if line.path is not None
        }
    )
    sources = list(dict.fromkeys([modular.path, *parents, *written]))
    numbers = {path: number for number, path in enumerate(sources)}
    owners: dict[_ShownOwner, int] = {}

    def owner(line: BlamedLine) -> int:
        return owners.setdefault(_owner(line, heads), len(owners))

    files = [
        {
            "prefix": line_prefix(blame.path, modular.path),
            "runs": list(_runs(blame, deep, numbers, owner)),
        }
        for blame, deep in blames
    ]
    values = {
        "kinds": [
            {"name": kind.value, "letter": MEANINGS[kind][0]} for kind in Provenance
        ],
        "sources": [{"path": path, "href": link(path)} for path in sources],
        "owners": list(owners),
        "files": files,
    }
    return sources, json.dumps(values, separators=(",", ":")).replace("<", "\\u003c")


def _owner(line: BlamedLine, heads: Mapping[Owner, int]) -> _ShownOwner:
    words = ".".join(filter(None, (line.class_, line.member)))
    near = heads.get(Owner(line.class_, line.member)) or heads.get(
        Owner(line.class_), 0
    )
    renamed = (
        f"{line.renamed.old} → {line.renamed.new}" if line.renamed is not None else ""
    )
    return words, near, renamed


def _runs(
    blame: Blame,
    deep: Blame,
    numbers: Mapping[str, int],
    owner: Callable[[BlamedLine], int],
) -> Iterator[list[Any]]:
    kinds = {kind: number for number, kind in enumerate(Provenance)}

    def origin(line: BlamedLine) -> tuple[int | None, int]:
        source = None if line.path is None else numbers[line.path]
        return source, (line.origin_line or line.line) - line.line

    def key(lines: tuple[BlamedLine, BlamedLine]) -> tuple[Any, ...]:
        line, written = lines
        return kinds[line.kind], *origin(line), owner(line), *origin(written)

    for (kind, source, shift, owned, *written), run in groupby(
        zip(blame.lines, deep.lines, strict=True), key
    ):
        lines = [line.line for line, _ in run]
        known = [lines[0], len(lines), kind, source, lines[0] + shift, owned]
        yield (
            known
            if written == [source, shift]
            else [*known, written[0], lines[0] + written[1]]
        )
