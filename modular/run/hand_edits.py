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
from typing import NamedTuple

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
    """A file on disk that is to be replaced.

    Attributes:
        path: The generated file.
        modular: The modular file that generates it.
        old: Its content on disk.
        new: Its new text.
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

    @property
    def description(self) -> str:
        """The end of a sentence that begins with the person: `edited this line`."""
        if self.is_removal:
            return "removed lines above this one"
        if self.first == self.last:
            return "edited this line"
        return f"edited these {self.last - self.first + 1} lines"


class _EditedFile(NamedTuple):
    """A file on disk, and the edits that people made in it."""

    replacement: Replacement
    edits: list[_Edit]


def find_hand_edits(
    project: Project,
    replacements: Iterable[Replacement],
    arguments: Sequence[str] = (),
) -> dict[str, list[Diagnostic]]:
    """Return the diagnostics of the files in which people wrote or removed lines.

    A file without a banner has one diagnostic for the whole file, because a person wrote
    it. A file whose text is in some commit has none, because git can restore it.

    Args:
        project: The project.
        replacements: The files that are to be replaced.
        arguments: The arguments that suggested commands need for the same files, such as
            `--output generated`.

    Returns:
        The diagnostics by path. Files without such lines are not among them.
    """
    record = OutputRecord(project.root)
    unrecorded = _find_unrecorded(replacements, record)
    if not unrecorded:
        return {}

    diagnostics: dict[str, list[Diagnostic]] = {}
    edited_files: list[_EditedFile] = []
    for finder in _make_finders(project, unrecorded, record):
        replacement = finder.replacement
        path = replacement.path
        if not replacement.has_banner(project):
            if finder.has_lines_without_output():
                diagnostics[path] = [_describe_handwritten(replacement, arguments)]
            continue
        edits = finder.find_edits()
        if edits:
            edited_files.append(_EditedFile(replacement, edits))

    committed_paths = _find_committed(project, [file for file, _ in edited_files])
    for replacement, edits in edited_files:
        if replacement.path not in committed_paths:
            edit_diagnostics = _describe_edits(
                replacement, edits, arguments, is_certain=record.has_outputs()
            )
            diagnostics[replacement.path] = list(edit_diagnostics)
    return diagnostics


def _find_unrecorded(
    replacements: Iterable[Replacement], record: OutputRecord
) -> list[Replacement]:
    """Return the files whose text on disk was not written by modular, as far as known."""
    return [item for item in replacements if item.old_text not in record]


def find_committed_edits(
    project: Project, replacements: Iterable[Replacement]
) -> list[str]:
    """Return the generated files that people may have edited before the last commit.

    Neither such a file nor its sources have changed since the last commit, and yet the
    sources generate another text. Either somebody edited the file, or nobody converted
    the model before the commit.
    """
    # A text in the record was written by modular, so nobody has edited it.
    unrecorded = _find_unrecorded(replacements, OutputRecord(project.root))
    paths: set[str] = set()
    for replacement in unrecorded:
        paths.update([replacement.path, replacement.modular, *replacement.sources])
    committed_texts: Mapping[str, str] = {}
    if unrecorded:
        with suppress(GitError):
            committed_texts = read_texts_at(project.root, "HEAD", sorted(paths))

    edited_paths = []
    for replacement in unrecorded:
        if committed_texts.get(replacement.path) != replacement.old_text:
            continue
        modular, sources = replacement.modular, replacement.sources
        if not are_sources_changed(project, modular, sources, committed_texts):
            edited_paths.append(replacement.path)
    return edited_paths


def are_sources_changed(
    project: Project,
    modular: str,
    sources: Iterable[str],
    committed_texts: Mapping[str, str],
) -> bool:
    """Return whether the sources of a model differ from those of a commit.

    Args:
        project: The project.
        modular: The modular file.
        sources: The other files that its conversion reads. Files that the commit does
            not have are ignored.
        committed_texts: The texts of the commit by path.
    """
    if modular not in committed_texts:
        return True
    for path in (modular, *sources):
        if path not in committed_texts:
            continue
        text = normalize_text(project.load(path, {}).text)
        if text != committed_texts[path]:
            return True
    return False


def _make_finders(
    project: Project, replacements: Sequence[Replacement], record: OutputRecord
) -> Iterator["_EditFinder"]:
    """Yield a finder of edits for each file in which it can recognize older outputs.

    A text that the tool wrote earlier differs from the new output, too. Only git or the
    record tells it from an edit. Without both, files with a banner are left out.

    Args:
        project: The project.
        replacements: Files on disk that are to be replaced.
        record: The texts that the tool has written.
    """
    paths = [replacement.path for replacement in replacements]
    versions: Mapping[str, Versions] = {}
    can_recognize_outputs = True
    try:
        versions = read_versions(project.root, paths)
    except GitError:
        can_recognize_outputs = record.is_kept()
    for replacement in replacements:
        file_versions = versions.get(replacement.path, _NO_VERSIONS)
        # A file without a banner cannot be an older output.
        if can_recognize_outputs or not replacement.has_banner(project):
            yield _EditFinder(project, replacement, file_versions, record)


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
        """Collect the versions of the file that nobody has edited by hand.

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
        version_texts = [replacement.new, *versions.others]
        if versions.committed is not None:
            version_texts.append(versions.committed)
        self._lines_of_versions = [text.split("\n") for text in version_texts]

    def has_lines_without_output(self) -> bool:
        """Return whether the file on disk has lines that its new output lacks."""
        lines = self.replacement.old_text.split("\n")
        coverage = _Coverage(len(lines))
        coverage.add(lines, self.replacement.new.split("\n"))
        return bool(coverage.uncovered_lines())

    def find_edits(self) -> list[_Edit]:
        """Return the edits of the text on disk; none if only its formatting differs."""
        old_text = self.replacement.old_text
        edits = self._find_edits_in(old_text)
        if not edits:
            return []
        edits_after_formatting = self._find_edits_in(self._format(old_text))
        return edits if edits_after_formatting else []

    def _find_edits_in(self, text: str) -> list[_Edit]:
        """Return the edits in a text, on all sides of its merge conflicts."""
        if text in self._record:
            return []
        # Lines outside of a conflict are on all sides. A dictionary keeps each edit once.
        edits: dict[_Edit, None] = {}
        for side in _split_conflicts(text):
            side_text = "\n".join(side.values())
            if side_text not in self._record:
                edits.update(dict.fromkeys(self._find_edits_of_side(side)))
        return list(edits)

    def _find_edits_of_side(self, side: Mapping[int, str]) -> Iterator[_Edit]:
        """Yield the edits on one side of the merge conflicts of a generated file.

        A line counts as edited if no known version of the file has it, and, for a file
        without a commit, no source either. A text without conflicts has one side, which
        contains all its lines.

        Args:
            side: The lines of the side by their index in the file.
        """
        lines = list(side.values())
        line_numbers = [index + 1 for index in side]
        coverage = _Coverage(len(lines))
        for version_lines in self._lines_of_versions:
            coverage.add(lines, version_lines)

        edited_lines = coverage.uncovered_lines()
        if not self._is_committed:
            edited_lines = self._lines_in_no_source(edited_lines, lines)
        for first, last in _runs(edited_lines):
            yield _Edit(line_numbers[first], line_numbers[last], is_removal=False)

        # A removal only shows in comparison with a commit.
        if self._is_committed:
            for index in coverage.uncovered_gaps():
                # Lines removed at the end of the file are reported at its last line.
                number = line_numbers[min(index, len(line_numbers) - 1)]
                yield _Edit(number, number, is_removal=True)

    def _lines_in_no_source(
        self, indexes: Iterable[int], lines: Sequence[str]
    ) -> list[int]:
        """Return the indexes of the lines that are in no source of the generated file.

        The indentation of a line and the names of models in it may differ.

        Args:
            indexes: The indexes of the lines to look at.
            lines: All lines of the generated file.
        """
        possible_lines = self._possible_lines()
        model_names = self._names(self.replacement.modular)
        edited_lines = []
        for index in indexes:
            if _normalize(lines[index], model_names) not in possible_lines:
                edited_lines.append(index)
        return edited_lines

    def _possible_lines(self) -> set[str]:
        """Return the lines that the generated file can have without edits by hand.

        These are the lines of the modular file, of its parent files, and of the outputs
        that are known from git. `_normalize` has removed their indentation and the names
        of models.
        """
        possible_lines = set()
        for path in (self.replacement.modular, *self.replacement.sources):
            model_names = self._names(path)
            for line in self._project.load(path, {}).text.split("\n"):
                possible_lines.add(_normalize(line, model_names))
        model_names = self._names(self.replacement.modular)
        for line in chain.from_iterable(self._lines_of_versions):
            possible_lines.add(_normalize(line, model_names))
        return possible_lines

    def _names(self, path: str) -> tuple[str, ...]:
        """Return the forms of the name of a file's model: `Olmo2`, `olmo2`, `OLMO2`."""
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
    """The lines of a text that other versions of the text have, in the same order.

    A gap between two lines is covered if a version has these lines without others in
    between. Otherwise, somebody may have removed lines there. For example, the version
    `a b c` covers both lines of `a c`, but not the gap between them.
    """

    def __init__(self, line_count: int) -> None:
        """Begin with a text of which no line is covered."""
        self._is_line_covered = [False] * line_count
        # A gap is above the line with the same index. The last gap is at the end.
        self._is_gap_covered = [False] * (line_count + 1)

    def add(self, lines: Sequence[str], version_lines: Sequence[str]) -> None:
        """Mark which lines and gaps of a text also occur in another version of the text.

        A gap is the place above a line, or the end of the text. For `a c` and the version
        `a b c`, both lines are marked, but not the gap between them.

        Args:
            lines: The lines of the text.
            version_lines: The lines of the other version.
        """
        # A block is a run of lines that both texts have.
        for block in shortest_edit_blocks(lines, version_lines):
            is_end_mark = not block.size
            if is_end_mark:
                continue
            start, end = block.old, block.old + block.size
            version_end = block.new + block.size
            for line in range(start, end):
                self._is_line_covered[line] = True
            # A gap has the index of the line below it.
            for gap in range(start + 1, end):
                self._is_gap_covered[gap] = True
            both_start_with_block = start == 0 and block.new == 0
            if both_start_with_block:
                self._is_gap_covered[0] = True
            if end == len(lines) and version_end == len(version_lines):
                self._is_gap_covered[end] = True

    def uncovered_lines(self) -> list[int]:
        """Return the indexes of the lines that no version has."""
        return [
            index
            for index, is_covered in enumerate(self._is_line_covered)
            if not is_covered
        ]

    def uncovered_gaps(self) -> list[int]:
        """Return the indexes of the gaps at which somebody may have removed lines.

        A gap is the place between two lines, and has the index of the lower line. Somebody
        may have removed lines there if other versions of the text have both lines, but no
        version has them next to each other.
        """
        # The start and the end of the text count as lines that all versions have.
        is_line_covered = [True, *self._is_line_covered, True]
        gaps = []
        for gap, is_gap_covered in enumerate(self._is_gap_covered):
            has_covered_lines = is_line_covered[gap] and is_line_covered[gap + 1]
            if has_covered_lines and not is_gap_covered:
                gaps.append(gap)
        return gaps


def _split_conflicts(text: str) -> list[dict[int, str]]:
    """Split a text with git's marks of merge conflicts into the versions that they separate.

    Returns:
        The lines of each version by their index in the text: ours, theirs and, if it is
        marked, the base. A text without conflicts has only one version.
    """
    versions: dict[str, dict[int, str]] = {"ours": {}, "base": {}, "theirs": {}}
    marked_sides = set()
    current_side = ""  # empty outside of a conflict
    for index, line in enumerate(text.split("\n")):
        # In a line such as `<<<<<<< ours`, the first 8 characters are always the same.
        next_side = _CONFLICT_MARKS.get(line[:8], "")
        # Outside of a conflict, this line may underline a heading.
        if line == "=======" and current_side:
            next_side = "theirs"
        is_mark = bool(next_side)
        if is_mark:
            marked_sides.add(next_side)
            current_side = "" if next_side == "end" else next_side
            continue
        # A line outside of a conflict is on all sides.
        for side, lines in versions.items():
            if current_side in ("", side):
                lines[index] = line
    if not marked_sides:
        return [versions["ours"]]
    return [lines for side, lines in versions.items() if side in marked_sides]


def _runs(indexes: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last of each run of consecutive indexes.

    The indexes 2, 3, 4 and 7 give (2, 4) and (7, 7).
    """
    run: list[int] = []
    for index in indexes:
        if run and index != run[-1] + 1:
            yield run[0], run[-1]
            run = []
        run.append(index)
    if run:
        yield run[0], run[-1]


def _normalize(line: str, names: tuple[str, ...]) -> str:
    r"""Return a line without its indentation, and without the names of its model.

    For the model `olmo2`, the line `class Olmo2MLP:` becomes `class \0MLP:`. The lines of
    a banner become empty.

    Args:
        line: The line.
        names: The forms of the model's name, such as `Olmo2` and `olmo2`.
    """
    stripped = line.strip()
    if is_banner_line(stripped):
        return ""
    return _names_pattern(names).sub("\0", stripped) if names else stripped


@lru_cache(maxsize=256)
def _names_pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of some names."""
    return re.compile("|".join(map(re.escape, names)))


def _describe_handwritten(
    replacement: Replacement, arguments: Sequence[str]
) -> Diagnostic:
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
        message = f"{person} {edit.description}: {reason}"
        unreported_count = len(edits) - number
        if number == _MAX_REPORTED_EDITS and unreported_count:
            message += f"; {counted(unreported_count, 'more edit')} in this file"
        first_line = lines[edit.first - 1]
        place = Place(
            replacement.path,
            line=edit.first,
            width=max(1, len(first_line)),
            text=first_line,
            end_line=edit.last,
        )
        yield Diagnostic(
            Problem.HAND_EDITED, place, message, hint, related=Place(modular)
        )


def _force_command(replacement: Replacement, arguments: Sequence[str]) -> str:
    """Return the command that replaces a file with edits."""
    model = model_name(replacement.modular)
    return shlex.join(["modular", "convert", *arguments, model, "--force"])
