"""Builds the pages of a project and writes them."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple

from modular.effects.changes import Change, OldRecord, find_changes
from modular.project.project import Project
from modular.provenance.blame import Blame, BlamedLine, Blamer
from modular.provenance.origin_runs import pair_runs
from modular.provenance.outline import Owner, line_owners, read_outline
from modular.review import rendering
from modular.review.folder import Folder
from modular.review.index_page import INDEX, Summary
from modular.review.notes import Note, note_of
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
        old_record: What is known of the project in that commit.
        effect_notes: What the change breaks and does not reach, as notes.
    """

    project: Project
    folder: Folder
    blamer: Blamer
    names: Mapping[str, str]
    diagnostics: Mapping[str, Sequence[Diagnostic]]
    stamp: str
    since: str = ""
    old_texts: Mapping[str, str] | None = None
    old_record: OldRecord = OldRecord()
    effect_notes: Sequence[Note] = ()

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
        notes = self._notes_of_model(modular)
        blames = sorted(
            self.blamer.blame_model(modular).values(),
            key=lambda blame: (-len(blame.texts), blame.path),
        )
        files = [
            self._file(
                path=blame.path,
                text=blame.text,
                prefix=line_prefix(blame.path, modular),
                kinds=_letters_of_generated_lines(blame),
                notes=notes,
            )
            for blame in blames
        ]
        modular_file = self._file(
            path=modular,
            text=self.text(modular),
            prefix=line_prefix(modular, modular),
            kinds=_letters_of_modular_lines(modular, blames),
            notes=notes,
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
            changes=tuple(self._find_changes(modular, files)),
            symbols=tuple(map(self._file_symbols, files or [modular_file])),
        )
        parent_changes = []
        if not modular_file.changes:
            parent_changes = self._changed_sources(sources)
        # The parents' changes are shown first, and of the modular file what they break.
        has_notes = any(note.place.path == modular for note in notes)
        if parent_changes and has_notes:
            modular_file = replace(modular_file, is_excerpt=True)
        self.write(
            "code.html",
            page,
            model=summary,
            modular=modular_file,
            files=files,
            origins=origins,
            parents=parents,
            parent_changes=parent_changes,
            problems=notes,
            neighbours=self._link_to_neighbours(page, name),
        )
        return summary

    def _find_changes(self, modular: str, files: Iterable[File]) -> Iterator[Change]:
        """Yield the changes of the generated files of a model; none if the model is new.

        Args:
            modular: The modular file.
            files: The generated files.
        """
        if self.old_texts is not None:
            paths = [modular, *self._outputs(modular)]
            is_new_model = not any(map(self.old_texts.get, paths))
            if is_new_model:
                return
        for file in files:
            report = FileReport(file.path, modular, Status.STALE, file.changes)
            yield from find_changes(report, self.blamer, self.old_record)

    def _notes_of_model(self, modular: str) -> list[Note]:
        """Return the notes on a modular file and on the files that it generates."""
        notes = [note_of(problem) for problem in self.diagnostics[modular]]
        paths = {modular, *self._outputs(modular)}
        for note in self.effect_notes:
            if note.place.path in paths:
                notes.append(note)
        return notes

    def _outputs(self, modular: str) -> Collection[str]:
        """Return the paths of the files that a modular file generates now."""
        return self.blamer.engine.results[modular].outputs

    def write_source(self, path: str) -> SourcePage:
        """Write the page of a file that generated lines come from, such as a parent file.

        Args:
            path: The file.
        """
        page = rendering.source_path(path)
        notes = []
        for diagnostics in self.diagnostics.values():
            for diagnostic in diagnostics:
                if diagnostic.place.path == path:
                    notes.append(note_of(diagnostic))
        notes += [note for note in self.effect_notes if note.place.path == path]

        text = self.text(path)
        old_text = text
        if self.old_texts is not None:
            old_text = self.old_texts.get(path, text)
        file = File(
            path=path,
            # The page has one file, so the anchors of its lines need no prefix.
            prefix="",
            text=text,
            changes=compare(old_text, text),
            notes=notes,
        )
        no_link = ""
        self.write(
            "code.html",
            page,
            file=file,
            model=None,
            origins="",
            problems=notes,
            neighbours=[no_link, no_link],
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
        notes: Sequence[Note],
    ) -> File:
        """Return a file of a model for a page, compared with its old text.

        Args:
            path: Path of the file.
            text: Its text.
            prefix: Prefix of the anchors of its lines.
            kinds: The letter of the provenance by line number, from 1.
            notes: Sentences to show below their lines.
        """
        # Without a commit to compare with, the page shows no difference. In a
        # comparison, a file that the commit does not have is new.
        old_text = text
        if self.old_texts is not None:
            old_text = self.old_texts.get(path, "")
        return File(path, prefix, text, compare(old_text, text), kinds, notes)

    def _changed_sources(self, sources: Iterable[str]) -> list[File]:
        """Return the changed hand-written files that lines of a model come from.

        Args:
            sources: The paths of all files that lines of the model come from.
        """
        old_texts = self.old_texts or {}
        changed_files = []
        for number, path in enumerate(sources):
            is_generated = self.project.generating_modular(path) is not None
            if is_generated or path not in old_texts:
                continue
            old_text = old_texts[path]
            text = self.text(path)
            if text != old_text:
                changes = compare(old_text, text)
                changed_files.append(File(path, f"parent{number}-", text, changes))
        return changed_files

    def _link_to_neighbours(self, page: str, name: str) -> list[str]:
        """Return the links to the previous and the next model by name.

        A link is empty if there is no such model.

        Args:
            page: The page with the links.
            name: The name of its model.
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
        """Return the link from a page to the lines of a file; empty if it has no page.

        The caller appends the number of a line: `owl.html#modeling-L` and `12`.
        """
        modular = self.find_modular_showing(path)
        if modular is not None:
            target = rendering.model_path(self.names[modular])
            return rendering.link(page, target, f"{line_prefix(path, modular)}L")
        if self.is_source(path):
            return rendering.link(page, rendering.source_path(path), "L")
        return ""

    def find_modular_showing(self, path: str) -> str | None:
        """Return the modular file whose page shows a file.

        A page shows a modular file and the files that the modular file generates.

        Args:
            path: A modular file or a generated file.

        Returns:
            The modular file; None if no page shows the file.
        """
        modular_files_with_page = self.names
        if path in modular_files_with_page:
            return path
        # By its name, the file could be generated from this modular file.
        modular = self.project.generating_modular(path)
        if modular is None or modular not in modular_files_with_page:
            return None
        is_generated = path in self._outputs(modular)
        return modular if is_generated else None

    def is_source(self, path: str) -> bool:
        """Return whether a file can have a page of its own."""
        if not path.endswith(".py") or self.project.points_outside_root(path):
            return False
        return self.project.locate(path).is_file()


def _letters_of_generated_lines(blame: Blame) -> dict[int, str]:
    """Return a letter for each line that says how the line got into the generated file.

    For example, `i` means that it is inherited.

    Args:
        blame: The origins of the lines of a generated file.

    Returns:
        The letters by line number, from 1.
    """
    letters: dict[int, str] = {}
    for run in blame.runs:
        lines = range(run.first.line, run.end)
        letters.update(dict.fromkeys(lines, MEANINGS[run.first.kind].letter))
    return letters


def _letters_of_modular_lines(modular: str, blames: Iterable[Blame]) -> dict[int, str]:
    """Return a letter for each line of a modular file that generates lines.

    Args:
        modular: The modular file.
        blames: The origins of the lines of each generated file.

    Returns:
        The letter of the modular file's own lines by line number, from 1.
    """
    letter = MEANINGS[Provenance.OWN].letter
    letters: dict[int, str] = {}
    for blame in blames:
        for run in blame.runs:
            first_line = run.first.origin_line
            if run.first.path == modular and first_line is not None:
                lines = range(first_line, first_line + run.line_count)
                letters.update(dict.fromkeys(lines, letter))
    return letters


def _count_kinds(blames: Iterable[Blame]) -> dict[Provenance, int]:
    """Return the number of generated lines of each provenance, such as inherited."""
    counts: Counter[Provenance] = Counter()
    for blame in blames:
        for run in blame.runs:
            counts[run.first.kind] += run.line_count
    return {kind: counts[kind] for kind in Provenance if counts[kind]}


def _count_parent_lines(modular: str, blames: Iterable[Blame]) -> dict[str, int]:
    """Return how many lines of a model come from each parent file, most lines first.

    Args:
        modular: The modular file, which is no parent file.
        blames: The origins of the lines of each generated file.
    """
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
        deep_blames: For each generated file, the hand-written origins of its lines.
    """
    hand_written = set()
    for blame in deep_blames:
        for run in blame.runs:
            # All lines of a run come from one file; None if the converter wrote them.
            source_path = run.first.path
            if source_path is not None:
                hand_written.add(source_path)
    return list(dict.fromkeys([modular, *parents, *sorted(hand_written)]))


def _digest(files: Iterable[File]) -> str:
    """Return a digest of everything that a page shows of some files."""
    shown_values = [(file.path, file.text, file.changes.hunks) for file in files]
    return sha256(repr(shown_values).encode()).hexdigest()[:12]


class _SourceLine(NamedTuple):
    """A line of a source file.

    Attributes:
        source: The number of the file; None if the converter wrote the line.
        line: The number of the line.
    """

    source: int | None
    line: int


class _OwnerRow(NamedTuple):
    """The class or method that generated lines belong to, as the page shows it.

    Attributes:
        name: Its name, such as `OlmoMLP.forward`.
        modular_line: Its line in the modular file; 0 if it is only in a parent file.
        renaming: The renaming of its lines, such as `llama → olmo`; may be empty.
    """

    name: str
    modular_line: int
    renaming: str


class _OriginsWriter:
    """Writes the origins of a model's lines as JSON, which the page's script reads."""

    def __init__(self, modular_file: File, hrefs: Mapping[str, str]) -> None:
        """Number the source files, and find the classes and methods of the modular file.

        The JSON refers to source files and owners by numbers, so that each is named only
        once. An owner is the class or method that a line belongs to. It gets its number
        when its first line is written.

        Args:
            modular_file: The modular file.
            hrefs: For each source file the link to its lines, without a line number.
        """
        self._modular_path = modular_file.path
        self._hrefs = hrefs
        self._source_numbers = {path: number for number, path in enumerate(hrefs)}
        self._kind_numbers = {kind: number for number, kind in enumerate(Provenance)}
        self._owner_numbers: dict[_OwnerRow, int] = {}
        self._first_line_of_owner: dict[Owner, int] = {}
        module = read_outline(modular_file.path, modular_file.text)
        for line, owner in line_owners(module).items():
            self._first_line_of_owner.setdefault(owner, line)

    def as_json(self, blames: Sequence[Blame], deep_blames: Sequence[Blame]) -> str:
        """Return the origins of all generated lines as JSON that can be put into HTML.

        Args:
            blames: The origins of the lines of each generated file. They may be in a
                generated file of another model.
            deep_blames: Their hand-written origins, for the same files.
        """
        files = []
        for blame, deep_blame in zip(blames, deep_blames, strict=True):
            prefix = line_prefix(blame.path, self._modular_path)
            rows = list(self._rows(blame, deep_blame))
            files.append({"prefix": prefix, "runs": rows})
        kinds = [
            {"name": kind.value, "letter": MEANINGS[kind].letter} for kind in Provenance
        ]
        values = {
            "kinds": kinds,
            "sources": [
                {"path": path, "href": href} for path, href in self._hrefs.items()
            ],
            # Making the rows has numbered all owners, in this order.
            "owners": list(self._owner_numbers),
            "files": files,
        }
        # In a `<script>`, the text `</script>` would end the JSON.
        return json.dumps(values, separators=(",", ":")).replace("<", "\\u003c")

    def _rows(self, blame: Blame, deep_blame: Blame) -> Iterator[list[int | None]]:
        """Yield a row of numbers for each run of generated lines with adjacent origins.

        The numbers, which the page's script reads, mean

        - the first generated line, and the number of lines,
        - their provenance, such as that of inherited lines,
        - the source file and its first line that they come from,
        - the class or method that they belong to,
        - only if that source file is generated, too: the hand-written file behind it, and
          its first line.

        Args:
            blame: The origins of the lines of a generated file.
            deep_blame: Their origins in hand-written files.
        """
        for run, deep_run in pair_runs(blame.runs, deep_blame.runs):
            first = run.first
            origin = self._source_line(first)
            hand_written = self._source_line(deep_run.first)
            row = [
                first.line,
                run.line_count,
                self._kind_numbers[first.kind],
                origin.source,
                origin.line,
                self._owner_number(first),
            ]
            if hand_written != origin:
                row += [hand_written.source, hand_written.line]
            yield row

    def _source_line(self, line: BlamedLine) -> _SourceLine:
        """Return the source line that a generated line comes from."""
        source = None
        if line.path is not None:
            source = self._source_numbers[line.path]
        return _SourceLine(source, line.origin_line or 0)

    def _owner_number(self, generated: BlamedLine) -> int:
        """Return the number of the class or method that a generated line belongs to.

        The page shows for this owner its name, its first line in the modular file, and
        how names in it were renamed: `("OlmoMLP.forward", 12, "llama → olmo")`. Lines
        for which it shows the same have the same number.
        """
        first_lines = self._first_line_of_owner
        class_line = first_lines.get(Owner(generated.class_), 0)
        # An inherited method is not in the modular file. It gets the line of its class.
        method = Owner(generated.class_, generated.member)
        modular_line = first_lines.get(method, class_line)

        name = ".".join(filter(None, (generated.class_, generated.member)))
        renaming = ""
        if generated.renamed is not None:
            renaming = f"{generated.renamed.old} → {generated.renamed.new}"
        shown_owner = _OwnerRow(name, modular_line, renaming)
        next_number = len(self._owner_numbers)
        return self._owner_numbers.setdefault(shown_owner, next_number)
