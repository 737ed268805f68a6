"""Finds the lines of generated files that people wrote, which must not be overwritten.

A file on disk has no such lines if one of these is true:

- The tool remembers that it wrote the text (`OutputRecord`).
- Each line is in the new output, in the current commit or, during a merge, in the commit
  that is merged, and no line of them is missing in between.
- Another commit has the whole text.
- The current commit does not have the file, and each line is in the modular file or in a
  parent file, apart from the names of the models.

Without git, and if no record can be written, nothing is known about older outputs. Then a
file with a banner counts as an output. If the record was deleted, both are possible: the
lines are kept, and the message says that nobody may have edited them.
"""

import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from modular.format.formatting import format_texts
from modular.git.repository import GitError, read_texts_at
from modular.git.versions import Versions, find_committed, read_versions
from modular.project.project import Project, model_name
from modular.run.banner import has_banner, is_banner_line
from modular.run.output_record import OutputRecord
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.source.diffs import shortest_edit_blocks
from modular.source.module import normalize_text
from modular.system.printable import counted
from modular.system.ruff import FormatterError


_MAX_REPORTED_EDITS = 10
"""Maximum number of edits that are reported for one file."""

_CONFLICT_MARKS = {"<<<<<<< ": "ours", "||||||| ": "base", ">>>>>>> ": "end"}
"""The side that begins below each of git's marks of a conflict, next to `=======`."""

_NO_VERSIONS = Versions(committed=None, others=())


@dataclass(frozen=True)
class Replacement:
    """A file on disk that is to be replaced or removed.

    Attributes:
        path: The generated file.
        modular: The modular file that generates it.
        old: Its content on disk.
        new: Its new text; empty if the file is to be removed.
        sources: The files that were read for the new text.
    """

    path: str
    modular: str
    old: bytes
    new: str
    sources: Collection[str] = ()

    @property
    def old_text(self) -> str:
        r"""The text on disk, with `\n` as line ends."""
        return normalize_text(self.old.decode(errors="replace"))

    def has_banner(self, project: Project) -> bool:
        """Return whether the file has a banner, on each side of its conflicts."""
        sides = _split_conflicts(self.old_text)
        return all(
            has_banner("\n".join(side.values()), project.settings.banner)
            for side in sides
        )


@dataclass(frozen=True)
class _Edit:
    """Lines that a person wrote, or below which a person removed lines.

    Attributes:
        first: The number of the first line, from 1.
        last: The number of the last line.
        is_removal: Whether lines were removed above the first line.
    """

    first: int
    last: int
    is_removal: bool


def find_hand_edits(
    project: Project,
    replacements: Iterable[Replacement],
    arguments: Sequence[str] = (),
) -> dict[str, list[Diagnostic]]:
    """Return the diagnostics of the files in which people wrote or removed lines.

    Args:
        project: The project.
        replacements: The files that are to be replaced.
        arguments: The arguments that suggested commands need for the same files, such as
            `--output generated`.

    Returns:
        The diagnostics by path. Files without such lines are not among them.
    """
    record = OutputRecord(project.root)
    unknown = []
    for replacement in replacements:
        if replacement.old_text not in record:
            unknown.append(replacement)
    if not unknown:
        return {}

    diagnostics: dict[str, list[Diagnostic]] = {}
    edited: dict[str, tuple[Replacement, list[_Edit]]] = {}
    for finder in _make_finders(project, unknown, record):
        replacement = finder.replacement
        if replacement.has_banner(project):
            edits = finder.find_edits()
            if edits:
                edited[replacement.path] = replacement, edits
        elif finder.has_body_edits():
            diagnostics[replacement.path] = [_describe_source(replacement, arguments)]

    committed = _find_committed(
        project, [replacement for replacement, _ in edited.values()]
    )
    for path, (replacement, edits) in edited.items():
        if path not in committed:
            described = _describe_edits(
                replacement, edits, arguments, is_certain=record.has_outputs()
            )
            diagnostics[path] = list(described)
    return diagnostics


def find_committed_edits(
    project: Project, replacements: Iterable[Replacement]
) -> list[str]:
    """Return the files that people may have edited before the last commit.

    That commit has the file as it is, and all its sources as they are, but the sources
    generate another text. Or somebody has not converted the model before the commit.
    """
    record = OutputRecord(project.root)
    candidates = []
    paths: set[str] = set()
    for replacement in replacements:
        if replacement.old_text not in record:
            candidates.append(replacement)
            paths.update([replacement.path, replacement.modular, *replacement.sources])
    committed: Mapping[str, str] = {}
    if candidates:
        with suppress(GitError):
            committed = read_texts_at(project.root, "HEAD", sorted(paths))

    edited = []
    for replacement in candidates:
        modular, sources = replacement.modular, replacement.sources
        if committed.get(replacement.path) == replacement.old_text:
            if not are_sources_changed(project, modular, sources, committed):
                edited.append(replacement.path)
    return edited


def are_sources_changed(
    project: Project,
    modular: str,
    sources: Iterable[str],
    committed: Mapping[str, str],
) -> bool:
    """Return whether a model has other sources than a commit.

    Args:
        project: The project.
        modular: The modular file.
        sources: The other files that its conversion reads. Those that the commit does
            not have are left out.
        committed: The texts of the commit by path.
    """
    if modular not in committed:
        return True
    for path in (modular, *sources):
        if path in committed:
            text = normalize_text(project.load(path, {}).text)
            if text != committed[path]:
                return True
    return False


def _make_finders(
    project: Project, replacements: Sequence[Replacement], record: OutputRecord
) -> Iterator["_EditFinder"]:
    """Yield a finder for each file whose edits can be told from older outputs."""
    paths = [replacement.path for replacement in replacements]
    versions: Mapping[str, Versions] = {}
    knows_outputs = True
    try:
        versions = read_versions(project.root, paths)
    except GitError:
        # With neither git nor a record, an older output would look like edits.
        knows_outputs = record.is_kept()
    for replacement in replacements:
        file_versions = versions.get(replacement.path, _NO_VERSIONS)
        finder = _EditFinder(project, replacement, file_versions, record)
        if knows_outputs or not replacement.has_banner(project):
            yield finder


def _find_committed(project: Project, replacements: Sequence[Replacement]) -> set[str]:
    """Return the paths of the files whose whole text is in some commit."""
    contents = {}
    for replacement in replacements:
        contents[replacement.path] = replacement.old_text.encode()
    if contents:
        with suppress(GitError):
            return find_committed(project.root, contents)
    return set()


class _EditFinder:
    """Finds the edits of one file whose text is not in the record of outputs."""

    def __init__(
        self,
        project: Project,
        replacement: Replacement,
        versions: Versions,
        record: OutputRecord,
    ) -> None:
        """Read the lines that an output can have.

        Args:
            project: The project.
            replacement: The file.
            versions: The texts of the file in git.
            record: The texts that the tool has written.
        """
        self.replacement = replacement
        self._project = project
        self._record = record
        self._is_committed = versions.committed is not None
        known_texts = [replacement.new, *versions.others]
        if versions.committed is not None:
            known_texts.append(versions.committed)
        self._known_lines = [text.split("\n") for text in known_texts]

    def has_body_edits(self) -> bool:
        """Return whether a file without a banner has lines that the new text lacks."""
        lines = self.replacement.old_text.split("\n")
        covered = _Coverage(len(lines))
        covered.add(lines, self.replacement.new.split("\n"))
        return bool(covered.unknown_lines())

    def find_edits(self) -> list[_Edit]:
        """Return the edits of the text on disk; none if only its formatting differs."""
        old_text = self.replacement.old_text
        edits = self._find_edits_of(old_text)
        if edits and not self._find_edits_of(self._format(old_text)):
            return []
        return edits

    def _find_edits_of(self, text: str) -> list[_Edit]:
        """Return the edits of a text, on all sides of its conflicts."""
        if text in self._record:
            return []
        edits: dict[_Edit, None] = {}
        for side in _split_conflicts(text):
            side_text = "\n".join(side.values())
            if side_text not in self._record:
                edits.update(dict.fromkeys(self._find_edits_of_side(side)))
        return list(edits)

    def _find_edits_of_side(self, side: Mapping[int, str]) -> Iterator[_Edit]:
        """Yield the edits in one version of a file with merge conflicts.

        A file without conflicts is its only version.

        Args:
            side: The lines of the version by their index in the file.
        """
        lines = list(side.values())
        numbers = [index + 1 for index in side]
        covered = _Coverage(len(lines))
        for known in self._known_lines:
            covered.add(lines, known)
        unknown = covered.unknown_lines()
        if not self._is_committed:
            unknown = self._without_source_lines(unknown, lines)
        for first, last in _runs(unknown):
            yield _Edit(numbers[first], numbers[last], is_removal=False)
        # A removal only shows in comparison with a commit.
        if self._is_committed:
            for index in covered.unknown_gaps():
                number = numbers[min(index, len(numbers) - 1)]
                yield _Edit(number, number, is_removal=True)

    def _without_source_lines(
        self, indexes: Iterable[int], lines: Sequence[str]
    ) -> list[int]:
        """Return the indexes of those lines that are in no source of the file."""
        source_lines = self._source_lines()
        names = self._names(self.replacement.modular)
        return [
            index
            for index in indexes
            if _normalize(lines[index], names) not in source_lines
        ]

    def _source_lines(self) -> set[str]:
        """Return the normalized lines that can occur in a file without edits.

        These are the lines of the modular file, of its parents and of known outputs.
        """
        known = set()
        for path in (self.replacement.modular, *self.replacement.sources):
            names = self._names(path)
            for line in self._project.load(path, {}).text.split("\n"):
                known.add(_normalize(line, names))
        names = self._names(self.replacement.modular)
        for line in chain.from_iterable(self._known_lines):
            known.add(_normalize(line, names))
        return known

    def _names(self, path: str) -> tuple[str, ...]:
        """Return the forms of the name of the model that a file belongs to."""
        model = self._project.model_of(path)
        if not model:
            return ()
        cased_name = self._project.names_of(path).cased(model)
        return cased_name, model, model.upper()

    def _format(self, text: str) -> str:
        """Return a text as the project formats it, or the same text if that fails."""
        formatter = self._project.settings.formatter
        path = self.replacement.path
        try:
            formatted = format_texts({path: text}, self._project.root, formatter)
        except FormatterError:
            return text
        return formatted.texts.get(path, text)


class _Coverage:
    """Tells which lines of a text also occur in known texts, in the same order.

    A gap between two lines is covered if a known text has these lines without others in
    between. Otherwise, somebody may have removed lines there.
    """

    def __init__(self, count: int) -> None:
        """Begin with a text of some number of lines, none of which is covered."""
        self._lines = [False] * count
        # A gap is above the line with the same index. The last one is at the end.
        self._gaps = [False] * (count + 1)

    def add(self, lines: Sequence[str], known: Sequence[str]) -> None:
        """Mark the lines and gaps that the text and a known text have in common."""
        for block in shortest_edit_blocks(lines, known):
            end = block.old + block.size
            for index in range(block.old, end):
                self._lines[index] = True
            for index in range(block.old + 1, end):
                self._gaps[index] = True
            if block.old == block.new == 0 and block.size:
                self._gaps[0] = True
            is_at_both_ends = end == len(lines) and block.new + block.size == len(known)
            # The last block is empty. It covers nothing.
            if is_at_both_ends and block.size:
                self._gaps[end] = True

    def unknown_lines(self) -> list[int]:
        """Return the indexes of the lines that are not covered."""
        return [index for index, is_known in enumerate(self._lines) if not is_known]

    def unknown_gaps(self) -> list[int]:
        """Return the gaps at which a person may have removed lines.

        The lines around such a gap are known, but no known text has them next to each
        other.
        """
        lines = [True, *self._lines, True]
        gaps = []
        for index, is_known in enumerate(self._gaps):
            is_between_known_lines = lines[index] and lines[index + 1]
            if is_between_known_lines and not is_known:
                gaps.append(index)
        return gaps


def _split_conflicts(text: str) -> list[dict[int, str]]:
    """Split a text with git's marks of conflicts into the versions that they separate.

    Returns:
        The lines of each version by their index in the text: ours, theirs and, if it is
        marked, the base. A text without conflicts is its only version.
    """
    sides: dict[str, dict[int, str]] = {"ours": {}, "base": {}, "theirs": {}}
    marked = set()
    current = ""
    for index, line in enumerate(text.split("\n")):
        mark = _CONFLICT_MARKS.get(line[:8], "")
        if line == "=======" and current:
            mark = "theirs"
        if mark:
            marked.add(mark)
            current = "" if mark == "end" else mark
            continue
        for name, side in sides.items():
            if current in ("", name):
                side[index] = line
    if not marked:
        return [sides["ours"]]
    return [side for name, side in sides.items() if name in marked]


def _runs(indexes: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last index of each run of adjacent ones."""
    run: list[int] = []
    for index in indexes:
        if run and index != run[-1] + 1:
            yield run[0], run[-1]
            run = []
        run.append(index)
    if run:
        yield run[0], run[-1]


def _normalize(line: str, names: tuple[str, ...]) -> str:
    """Return a line without its indentation, and without the names of its model.

    All lines of a banner become empty.
    """
    stripped = line.strip()
    if is_banner_line(stripped):
        return ""
    return _names_pattern(names).sub("\0", stripped) if names else stripped


@lru_cache(maxsize=256)
def _names_pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of some names."""
    return re.compile("|".join(map(re.escape, names)))


def _describe_source(replacement: Replacement, arguments: Sequence[str]) -> Diagnostic:
    """Return the diagnostic of a file without a banner, which a person wrote."""
    command = _force_command(replacement, arguments)
    return Diagnostic(
        Problem.HAND_EDITED,
        Place(replacement.path),
        message="somebody wrote this file: it has no banner of a generated file",
        hint=f"rename it, or run `{command}` to replace it",
        related=Place(replacement.modular),
    )


def _describe_edits(
    replacement: Replacement,
    edits: Sequence[_Edit],
    arguments: Sequence[str],
    *,
    is_certain: bool,
) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each edit of a generated file, up to a maximum.

    Args:
        replacement: The generated file.
        edits: The edits.
        arguments: The arguments of suggested commands.
        is_certain: Whether outputs of the project have been recorded. Otherwise, the
            lines may as well be those of an earlier output.
    """
    lines = replacement.old_text.split("\n")
    modular = replacement.modular
    force_command = _force_command(replacement, arguments)
    if is_certain:
        person = "somebody"
        reason = "the file is neither an output of modular nor committed"
        lift_command = shlex.join(["modular", "lift", *arguments, model_name(modular)])
        hint = (
            f"to keep the lines, run `{lift_command}`; to overwrite the file, run "
            f"`{force_command}`"
        )
    else:
        person = "somebody may have"
        reason = "modular has no record of this project's outputs, and no commit has the file"
        hint = (
            f"if nobody edited the file, run `{force_command}`; if you are not sure, "
            "copy the file first, and compare it with the new output"
        )
    for number, edit in enumerate(edits[:_MAX_REPORTED_EDITS], start=1):
        count = edit.last - edit.first + 1
        if edit.is_removal:
            message = f"{person} removed lines above this one"
        elif count == 1:
            message = f"{person} edited this line"
        else:
            message = f"{person} edited these {count} lines"
        message += f": {reason}"
        rest = len(edits) - number
        if number == _MAX_REPORTED_EDITS and rest:
            message += f"; {counted(rest, 'more edit')} in this file"
        text = lines[edit.first - 1]
        place = Place(
            replacement.path,
            line=edit.first,
            width=max(1, len(text)),
            text=text,
            end_line=edit.last,
        )
        yield Diagnostic(
            Problem.HAND_EDITED, place, message, hint, related=Place(modular)
        )


def _force_command(replacement: Replacement, arguments: Sequence[str]) -> str:
    """Return the command that replaces or removes a file with edits."""
    words = ["modular", "check", *arguments, "--fix", "--remove-orphans", "--force"]
    if replacement.new:
        model = model_name(replacement.modular)
        words = ["modular", "convert", *arguments, model, "--force"]
    return shlex.join(words)
