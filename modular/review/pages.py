"""Builds the pages of a project and writes them."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import groupby
from typing import Any, NamedTuple

from modular.effects.changes import Change, find_changes
from modular.project.project import Project
from modular.provenance.blame import Blame, BlamedLine, Blamer
from modular.provenance.origin_runs import OriginRun, pair_runs
from modular.provenance.outline import Owner, line_owners, read_outline
from modular.review import rendering
from modular.review.folder import Folder
from modular.review.index_page import INDEX, Summary
from modular.review.rendering import MEANINGS, line_prefix
from modular.review.rows import File
from modular.review.symbols import FileSymbols, find_symbols
from modular.rules.files.drafts import Provenance
from modular.run.report import FileReport, Status
from modular.source.diagnostics import Diagnostic, Place
from modular.source.diffs import compare


class SourcePage(NamedTuple):
    """A written page of a source file.

    Attributes:
        page: Path of the page.
        symbols: Classes and functions of the file.
    """

    page: str
    symbols: FileSymbols


@dataclass(frozen=True)
class Pages:
    """The pages of a project.

    Attributes:
        project: The project.
        folder: Folder that the pages are written to.
        blamer: Finds the origins of generated lines.
        names: Shown names of the models that have pages, by modular file.
        diagnostics: Diagnostics to show, by modular file.
        stamp: Version, commit and time, shown on each page.
        since: Commit that the pages compare with; empty without comparison.
        old_texts: Texts of files in that commit, or None without comparison.
    """

    project: Project
    folder: Folder
    blamer: Blamer
    names: Mapping[str, str]
    diagnostics: Mapping[str, Sequence[Diagnostic]]
    stamp: str
    since: str = ""
    old_texts: Mapping[str, str] | None = None

    def write(self, template: str, page: str, **values: Any) -> None:
        """Write a page from a template.

        Args:
            template: File name of the template.
            page: Path of the page below the folder.
            values: Values for the template, in addition to those of all pages.
        """
        common_values = {
            "since": self.since,
            "stamp": self.stamp,
            "project": self.project.root.name,
            "link": partial(self.link_to_place, page),
            "page_link": partial(self.link_to_page, page),
        }
        html = rendering.render(template, page, **common_values, **values)
        self.folder.write(page, html)

    def write_model(self, modular: str) -> Summary:
        """Write the page of a model, and return what the start page shows of it.

        The page shows the modular file beside the generated files. Each line of these
        is marked with its provenance, and linked to its origin.
        """
        name = self.names[modular]
        page = rendering.model_path(name)
        problems = self.diagnostics[modular]
        blames = sorted(
            self.blamer.blame_model(modular).values(),
            key=lambda blame: (-len(blame.texts), blame.path),
        )

        modular_kinds: dict[int, str] = {}
        files = []
        changes: list[Change] = []
        for blame in blames:
            kinds: dict[int, str] = {}
            for run in blame.runs:
                lines = range(run.first.line, run.end)
                kinds.update(dict.fromkeys(lines, MEANINGS[run.first.kind].letter))
                origin_line = run.first.origin_line
                if run.first.path == modular and origin_line is not None:
                    own_lines = range(origin_line, origin_line + run.line_count)
                    own_letter = MEANINGS[Provenance.OWN].letter
                    modular_kinds.update(dict.fromkeys(own_lines, own_letter))
            file = self._file(
                path=blame.path,
                text=blame.text,
                prefix=line_prefix(blame.path, modular),
                kinds=kinds,
                problems=problems,
            )
            files.append(file)
            report = FileReport(file.path, modular, Status.STALE, file.changes)
            changes += find_changes(report, self.blamer)
        modular_file = self._file(
            path=modular,
            text=self.text(modular),
            prefix=line_prefix(modular, modular),
            kinds=modular_kinds,
            problems=problems,
        )

        parents = _count_parent_lines(modular, blames)
        deep_blames = [self.blamer.trace_blame(blame) for blame in blames]
        sources = _source_paths(modular, parents, deep_blames)
        hrefs = {source: self.link_to_lines(page, source) for source in sources}
        origins = _OriginsWriter(modular_file, hrefs).as_json(blames, deep_blames)
        error_count = sum(problem.is_error for problem in problems)
        summary = Summary(
            name=name,
            page=page,
            digest=_digest([modular_file, *files]),
            modular_lines=modular_file.lines,
            generated_lines=sum(file.lines for file in files),
            modular_new=modular_file.changes.added,
            modular_gone=modular_file.changes.removed,
            new=sum(file.changes.added for file in files),
            gone=sum(file.changes.removed for file in files),
            kinds=_count_kinds(blames),
            sources=tuple(sources),
            errors=error_count,
            warnings=len(problems) - error_count,
            changes=tuple(changes),
            symbols=tuple(map(self._file_symbols, files or [modular_file])),
        )
        self.write(
            "code.html",
            page,
            model=summary,
            modular=modular_file,
            files=files,
            origins=origins,
            parents=parents,
            problems=problems,
            neighbours=self._link_to_neighbours(page, name),
        )
        return summary

    def write_source(self, path: str) -> SourcePage:
        """Write the page of a file that generated lines come from."""
        page = rendering.source_path(path)
        problems = []
        for diagnostics in self.diagnostics.values():
            for diagnostic in diagnostics:
                if diagnostic.place.path == path:
                    problems.append(diagnostic)

        text = self.text(path)
        old_text = text
        if self.old_texts is not None:
            old_text = self.old_texts.get(path, text)
        file = File(path, "", text, compare(old_text, text), problems=problems)
        self.write(
            "code.html",
            page,
            file=file,
            model=None,
            origins="",
            problems=problems,
            neighbours=["", ""],
        )
        return SourcePage(page, self._file_symbols(file))

    def _file_symbols(self, file: File) -> FileSymbols:
        """Return the classes and functions of a file that has a page."""
        href = self.link_to_lines(INDEX, file.path)
        return FileSymbols(file.path, href, find_symbols(file.path, file.text))

    def _file(
        self,
        *,
        path: str,
        text: str,
        prefix: str,
        kinds: Mapping[int, str],
        problems: Sequence[Diagnostic],
    ) -> File:
        """Return a file of a model for a page, compared with its old text.

        Args:
            path: Path of the file.
            text: Its text.
            prefix: Prefix of the anchors of its lines.
            kinds: Class in the style sheet by line number, from 1.
            problems: Diagnostics to show below their lines.
        """
        # Without a commit to compare with, the page shows no difference. In a
        # comparison, a file that the commit does not have is new.
        old_text = text
        if self.old_texts is not None:
            old_text = self.old_texts.get(path, "")
        return File(path, prefix, text, compare(old_text, text), kinds, problems)

    def _link_to_neighbours(self, page: str, name: str) -> list[str]:
        """Return the links to the previous and the next model by name.

        The first model has an empty link to the previous one, and the last model to the
        next one.
        """
        names = sorted(self.names.values())
        index = names.index(name)
        previous_link = next_link = ""
        if index > 0:
            previous_page = rendering.model_path(names[index - 1])
            previous_link = rendering.link(page, previous_page)
        if index + 1 < len(names):
            next_page = rendering.model_path(names[index + 1])
            next_link = rendering.link(page, next_page)
        return [previous_link, next_link]

    def text(self, path: str) -> str:
        """Return the text of a source file as conversions see it."""
        return "\n".join(self.blamer.lines(path))

    def link_to_place(self, page: str, place: Place) -> str:
        """Return the link from a page to a place; empty if its file has no page."""
        href = self.link_to_lines(page, place.path)
        return f"{href}{max(1, place.line)}" if href else ""

    def link_to_page(self, page: str, path: str) -> str:
        """Return the link from a page to the page of a file; empty without one."""
        return self.link_to_lines(page, path).partition("#")[0]

    def link_to_lines(self, page: str, path: str) -> str:
        """Return the link from a page to a line of a file, without the line number.

        The link is empty if the file has no page.
        """
        modular = self.find_model(path)
        if modular is not None:
            target = rendering.model_path(self.names[modular])
            return rendering.link(page, target, f"{line_prefix(path, modular)}L")
        if self.is_source(path):
            return rendering.link(page, rendering.source_path(path), "L")
        return ""

    def find_model(self, path: str) -> str | None:
        """Return the modular file of the model whose page shows a file, if any."""
        if path in self.names:
            return path
        modular = self.project.generating_modular(path)
        if modular is None or modular not in self.names:
            return None
        outputs = self.blamer.engine.results[modular].outputs
        return modular if path in outputs else None

    def is_source(self, path: str) -> bool:
        """Return whether a file can have a page of its own."""
        if not path.endswith(".py") or self.project.points_outside_root(path):
            return False
        return self.project.locate(path).is_file()


def _count_kinds(blames: Iterable[Blame]) -> dict[Provenance, int]:
    """Return the number of lines of each provenance that occurs."""
    counts: Counter[Provenance] = Counter()
    for blame in blames:
        for run in blame.runs:
            counts[run.first.kind] += run.line_count
    return {kind: counts[kind] for kind in Provenance if counts[kind]}


def _count_parent_lines(modular: str, blames: Iterable[Blame]) -> dict[str, int]:
    """Return the number of lines from each parent file, the highest first."""
    counts: Counter[str] = Counter()
    for blame in blames:
        for run in blame.runs:
            path = run.first.path
            if path is not None and path != modular:
                counts[path] += run.line_count
    paths = sorted(counts, key=lambda path: (-counts[path], path))
    return {path: counts[path] for path in paths}


def _source_paths(
    modular: str, parents: Iterable[str], deep_blames: Iterable[Blame]
) -> list[str]:
    """Return the files that lines of a model come from, the modular file first.

    Args:
        modular: Path of the modular file.
        parents: Paths of its parent files, some of which may be generated.
        deep_blames: Blames of the generated files, followed to hand-written lines.
    """
    hand_written = set()
    for blame in deep_blames:
        for run in blame.runs:
            if run.first.path is not None:
                hand_written.add(run.first.path)
    return list(dict.fromkeys([modular, *parents, *sorted(hand_written)]))


def _digest(files: Iterable[File]) -> str:
    """Return a digest of all that a page shows of files."""
    shown = [(file.path, file.text, file.changes.hunks) for file in files]
    return sha256(repr(shown).encode()).hexdigest()[:12]


class _Origin(NamedTuple):
    """The origin of a line.

    Attributes:
        source: The number of the source file; None if no source has the line.
        shift: The number of the line in the source, minus that in the generated file.
            It is the same for adjacent lines that come from adjacent lines.
    """

    source: int | None
    shift: int


class _OwnerRow(NamedTuple):
    """An owner of lines in words, its line in the modular file, and its renaming."""

    name: str
    modular_line: int
    renaming: str


class _OriginsWriter:
    """Writes the origins of a model's lines as JSON, which the page's script reads."""

    def __init__(self, modular_file: File, hrefs: Mapping[str, str]) -> None:
        """Number the source files, which the JSON names only once.

        Args:
            modular_file: The modular file.
            hrefs: For each source file the link to its lines, without a line number.
        """
        self._modular_path = modular_file.path
        self._hrefs = hrefs
        self._source_numbers = {path: number for number, path in enumerate(hrefs)}
        self._kind_numbers = {kind: number for number, kind in enumerate(Provenance)}
        self._owner_numbers: dict[_OwnerRow, int] = {}
        self._owner_lines: dict[Owner, int] = {}
        module = read_outline(modular_file.path, modular_file.text)
        for line, owner in line_owners(module).items():
            self._owner_lines.setdefault(owner, line)

    def as_json(self, blames: Sequence[Blame], deep_blames: Sequence[Blame]) -> str:
        """Return the origins of all lines as JSON that can stand inside HTML.

        Args:
            blames: Blames of the generated files.
            deep_blames: The same, followed to hand-written lines.
        """
        files = []
        for blame, deep_blame in zip(blames, deep_blames, strict=True):
            prefix = line_prefix(blame.path, self._modular_path)
            runs = list(self._runs(blame, deep_blame))
            files.append({"prefix": prefix, "runs": runs})
        kinds = [
            {"name": kind.value, "letter": MEANINGS[kind].letter} for kind in Provenance
        ]
        sources = [{"path": path, "href": href} for path, href in self._hrefs.items()]
        values = {
            "kinds": kinds,
            "sources": sources,
            "owners": list(self._owner_numbers),
            "files": files,
        }
        return json.dumps(values, separators=(",", ":")).replace("<", "\\u003c")

    def _runs(self, blame: Blame, deep_blame: Blame) -> Iterator[list[Any]]:
        """Yield the origins of lines; adjacent lines of adjacent origins are one run.

        A run has its first line, the number of lines, the kind, the source, the first
        line there and the owner; then, if it differs, the hand-written source and the
        first line there. `[7, 3, 1, 0, 42, 5]` are the lines 7 to 9 of the generated
        file, which come from the lines 42 to 44 of source 0.

        Args:
            blame: Blame of a generated file.
            deep_blame: The same, followed to hand-written lines.
        """

        def origin_key(
            runs: tuple[OriginRun, OriginRun],
        ) -> tuple[int, int, _Origin, _Origin]:
            # It is equal for adjacent runs if their origins are adjacent, too.
            line, deep_line = runs[0].first, runs[1].first
            kind = self._kind_numbers[line.kind]
            owner = self._owner_number(line)
            return kind, owner, self._origin(line), self._origin(deep_line)

        pairs = pair_runs(blame.runs, deep_blame.runs)
        for (kind, owner, origin, deep_origin), group in groupby(pairs, origin_key):
            parts = [part for part, _ in group]
            first = parts[0].first.line
            count = parts[-1].end - first
            run = [first, count, kind, origin.source, first + origin.shift, owner]
            if deep_origin != origin:
                run += [deep_origin.source, first + deep_origin.shift]
            yield run

    def _origin(self, line: BlamedLine) -> _Origin:
        """Return the source of a generated line as the page stores it.

        The number of the line in its source is stored as its distance from the number
        of the generated line. Adjacent lines then often have equal entries.
        """
        source = None
        if line.path is not None:
            source = self._source_numbers[line.path]
        shift = 0
        if line.origin_line:
            shift = line.origin_line - line.line
        return _Origin(source, shift)

    def _owner_number(self, line: BlamedLine) -> int:
        """Return the number of a line's owner, which it gets when it is first seen.

        The line in the modular file is that of the same member, otherwise of the class.
        """
        name = ".".join(filter(None, (line.class_, line.member)))
        # A class or member that is only in the parents has no line in the modular file.
        class_line = self._owner_lines.get(Owner(line.class_), 0)
        modular_line = self._owner_lines.get(Owner(line.class_, line.member))
        renaming = ""
        if line.renamed is not None:
            renaming = f"{line.renamed.old} → {line.renamed.new}"
        row = _OwnerRow(name, modular_line or class_line, renaming)
        return self._owner_numbers.setdefault(row, len(self._owner_numbers))
