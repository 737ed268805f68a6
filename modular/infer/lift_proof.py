"""Converts an edited modular file in memory, and compares the result with the disk."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from modular.conversion.conversion import Conversion
from modular.conversion.converter import Converter
from modular.infer.edited_parts import EditedPart, PartId, PartKind, find_edited_parts
from modular.infer.flat import FlatFile, FlatModel, read_flat_file
from modular.infer.proof import format_texts
from modular.provenance.origins import BlamedLine, blamed_lines
from modular.provenance.outline import read_outline
from modular.source.diffs import compare
from modular.source.module import normalize_text


@dataclass(frozen=True, eq=False)
class LiftState:
    """A modular file, and how the files that it generates differ from those on disk.

    Attributes:
        text: The text of the modular file.
        parent_texts: New texts of parent files, by path.
        conversion: The conversion of these texts.
        formatted_texts: The formatted generated files by path, with their banners.
        generated: The same files, read without their banners.
        parts: The edited parts that are not generated, by identity.
        distance: The number of lines in which the generated files differ from those on
            disk: added and removed lines together, except for files in which only layout
            differs.
        converter: Reads the sources of generated lines.
    """

    text: str
    parent_texts: Mapping[str, str]
    conversion: Conversion
    formatted_texts: Mapping[str, str]
    generated: Mapping[str, FlatFile]
    parts: Mapping[PartId, EditedPart]
    distance: int
    converter: Converter

    @cached_property
    def origins(self) -> Mapping[str, list[BlamedLine]]:
        """The origin of each generated line, by the path of the generated file.

        It is the line of the modular file or a parent file that the line comes from.
        """
        origins = {}
        for output in self.conversion.files:
            text = normalize_text(self.formatted_texts[output.path])
            formatted = read_outline(output.path, text)
            origins[output.path] = list(
                blamed_lines(output, formatted, sources=self._lines)
            )
        return origins

    def source(self, path: str) -> str:
        """Return the text of a source file in this state."""
        if path == self.conversion.modular:
            return self.text
        if path in self.parent_texts:
            return self.parent_texts[path]
        return self.converter.project.load(path, {}).text

    def _lines(self, path: str) -> list[str]:
        return self.source(path).split("\n")


class LiftProof:
    """Converts variants of a modular file, and finds what they do not generate yet.

    Attributes:
        edited: The files on disk, some of which somebody has edited.
        last_error: An error of the last variant that has one, as it is reported.
    """

    def __init__(self, converter: Converter, edited: FlatModel) -> None:
        """Prepare to convert a modular file.

        Args:
            converter: Converts the modular file, and reads its parents.
            edited: The files on disk, some of which somebody has edited.
        """
        self._converter = converter
        self.edited = edited
        # How often the first converted text has each error; None before that.
        self._error_counts: Counter[str] | None = None
        # The parent files that the last conversion did not read from disk.
        self._changed_parents: set[str] = set()
        self.last_error = ""

    def convert(self, text: str, parent_texts: Mapping[str, str]) -> LiftState | None:
        """Return what a text of the modular file generates.

        Args:
            text: The text of the modular file.
            parent_texts: New texts of parent files, by path.

        Returns:
            The state. None if the text has an error that the text of the first call of
            this method does not have.

        Raises:
            modular.system.ruff.FormatterError: The formatter cannot be run.
        """
        modular = self.edited.modular
        # Parent files without a new text are read from disk again.
        for path in self._changed_parents - parent_texts.keys():
            self._converter.refresh(path, None)
        self._changed_parents = set(parent_texts)
        for path, parent_text in parent_texts.items():
            self._converter.refresh(path, parent_text)
        self._converter.refresh(modular, text)
        conversion = self._converter.convert(modular)
        errors = Counter(
            problem.code.id for problem in conversion.diagnostics if problem.is_error
        )
        if self._error_counts is None:
            self._error_counts = errors
        new_errors = errors - self._error_counts
        if errors and not new_errors:
            # The errors were there before all edits. Without the lint rules that find
            # them, files are generated that edits can be compared with.
            conversion = self._converter.convert(modular, inspects=False)
        if new_errors or not conversion.texts:
            for problem in conversion.diagnostics:
                if problem.code.id in new_errors:
                    self.last_error = problem.message
            return None
        return self._compare(text, parent_texts, conversion)

    def _compare(
        self, text: str, parent_texts: Mapping[str, str], conversion: Conversion
    ) -> LiftState:
        """Compare the files of a conversion with those on disk."""
        project = self._converter.project
        formatted_texts = format_texts(project, conversion.texts)
        generated = {}
        for path, formatted in formatted_texts.items():
            generated[path] = read_flat_file(project, path, formatted)

        parts: dict[PartId, EditedPart] = {}
        distance = 0
        for file in self.edited.files:
            generated_file = generated.get(file.path)
            edited_parts = list(find_edited_parts(generated_file, file))
            parts.update((part.id, part) for part in edited_parts)
            if all(part.id.kind is PartKind.LAYOUT for part in edited_parts):
                # Layout does not count as a distance.
                continue
            old_text = "" if generated_file is None else generated_file.text
            difference = compare(old_text, file.text)
            distance += difference.added + difference.removed
        return LiftState(
            text=text,
            parent_texts=dict(parent_texts),
            conversion=conversion,
            formatted_texts=formatted_texts,
            generated=generated,
            parts=parts,
            distance=distance,
            converter=self._converter,
        )
