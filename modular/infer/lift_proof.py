"""Converts an edited modular file in memory, and compares the result with the disk."""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from modular.conversion.conversion import Conversion
from modular.conversion.converter import Converter
from modular.infer.edited_parts import EditedPart, PartId, PartKind, find_edited_parts
from modular.infer.flat import (
    FlatFile,
    FlatModel,
    read_flat_file,
    remove_empty_guards,
)
from modular.infer.parents import ParentFiles
from modular.infer.proof import format_texts
from modular.project.project import model_name
from modular.provenance.origins import BlamedLine, blamed_lines
from modular.provenance.outline import read_outline
from modular.source import module as modules
from modular.source.diagnostics import Diagnostic
from modular.source.diffs import compare
from modular.source.module import normalize_text


@dataclass(frozen=True, eq=False)
class LiftGoal:
    """What a modular file should generate.

    Attributes:
        texts: The edited files by path, as they are on disk.
        parents: The parent files, and the edited files without what is never generated.
    """

    texts: Mapping[str, str]
    parents: ParentFiles

    @property
    def flat(self) -> FlatModel:
        """The edited files, formatted, without what is never generated."""
        return self.parents.flat

    def file(self, path: str) -> FlatFile:
        """Return one of the edited files, formatted."""
        return next(file for file in self.flat.files if file.path == path)

    def is_never_generated(self, part_id: PartId) -> bool:
        """Return whether no modular file can generate an edited part.

        This is true of a layout, and of a definition that the converter would not copy
        because no other code uses it: the `logger` of a file that no longer logs.
        """
        if part_id.kind is PartKind.LAYOUT:
            return True
        if part_id.kind is not PartKind.DEFINITION:
            return False
        file = self.file(part_id.path)
        # A definition that the edit removed need not be generated.
        is_in_edited_file = part_id.definition in file.definitions
        # These are the classes, for example, and all that they use.
        can_be_generated = part_id.definition in file.generated_names
        return is_in_edited_file and not can_be_generated


def read_goal(converter: Converter, modular: str, texts: Mapping[str, str]) -> LiftGoal:
    """Return the files that a modular file should generate: the edited files on disk.

    Unused imports are left out, since they are never generated. So are guards such as
    `if is_torch_available():` that contained nothing but an unused import.

    Args:
        converter: Reads the parent files.
        modular: The modular file.
        texts: The texts of the edited files by path.
    """
    project = converter.project
    model = model_name(modular)
    # The formatter also removes unused imports.
    formatted = format_texts(project, texts)
    without_guards = {}
    for path, text in formatted.items():
        without_guards[path] = remove_empty_guards(modules.read(path, text))
    if without_guards != formatted:
        formatted = format_texts(project, without_guards)
    files = [read_flat_file(project, path, text) for path, text in formatted.items()]
    flat = FlatModel(model, project.names.cased(model), modular, tuple(files))
    return LiftGoal(texts, ParentFiles(converter, flat))


@dataclass(frozen=True, eq=False)
class LiftState:
    """A modular file, and how the files that it generates differ from the goal.

    Attributes:
        goal: The files that it should generate.
        text: The text of the modular file.
        parent_texts: New texts of parent files, by path.
        conversion: The conversion of these texts.
        formatted_texts: The formatted generated files by path, with their banners.
        generated: The same files, read without their banners.
        missing_parts: The edited parts that are not generated, by identity.
        distance: The number of lines in which the generated files differ from the goal:
            added and removed lines together, except for files in which only layout
            differs.
    """

    goal: LiftGoal
    text: str
    parent_texts: Mapping[str, str]
    conversion: Conversion
    formatted_texts: Mapping[str, str]
    generated: Mapping[str, FlatFile]
    missing_parts: Mapping[PartId, EditedPart]
    distance: int

    @property
    def distance_of_used_code(self) -> int:
        """The number of differing lines, without those of definitions that nothing uses.

        Such a definition is only on disk, since the converter never generates it.
        """
        distance = self.distance
        for part in self.missing_parts.values():
            is_definition = part.id.kind is PartKind.DEFINITION
            if is_definition and self.goal.is_never_generated(part.id):
                assert part.edited is not None
                distance -= part.edited.text.strip("\n").count("\n") + 1
        return distance

    def parts_broken_since(self, before: "LiftState") -> Set[PartId]:
        """Return the parts that an earlier state generates as on disk, but this does not."""
        return self.missing_parts.keys() - before.missing_parts.keys()

    @cached_property
    def origins(self) -> Mapping[str, list[BlamedLine]]:
        """The origins of the lines of each generated file, by its path.

        An origin is the line of the modular file or a parent file that a line comes from.
        """
        origins = {}
        for output in self.conversion.files:
            text = normalize_text(self.formatted_texts[output.path])
            formatted = read_outline(output.path, text)
            origins[output.path] = list(
                blamed_lines(
                    output, formatted, lambda path: self.source(path).split("\n")
                )
            )
        return origins

    def source(self, path: str) -> str:
        """Return the text of a source file in this state."""
        if path == self.conversion.modular:
            return self.text
        if path in self.parent_texts:
            return self.parent_texts[path]
        return self.goal.parents.project.load(path, {}).text


class LiftProof:
    """Converts variants of a modular file, and finds what they do not generate yet."""

    def __init__(self, converter: Converter) -> None:
        """Prepare to convert several texts of one modular file.

        Args:
            converter: Converts the modular file, and reads its parents.
        """
        self._converter = converter
        # How often the first converted text has each error; None before that.
        self._first_error_counts: Counter[str] | None = None
        # The parent files that the last conversion did not read from disk.
        self._changed_parents: set[str] = set()

    def convert(
        self, goal: LiftGoal, text: str, parent_texts: Mapping[str, str]
    ) -> LiftState | str:
        """Convert a text of the modular file, and compare the result with a goal.

        The first converted text is that on disk, which can have errors.

        Args:
            goal: The files that it should generate.
            text: The text of the modular file.
            parent_texts: New texts of parent files, by path.

        Returns:
            What the text generates, and how it differs from the goal. If the text has an
            error that the first text does not have, the message of this error instead.

        Raises:
            modular.system.ruff.FormatterError: The formatter cannot be run.
        """
        modular = goal.flat.modular
        self._load_parents(parent_texts)
        self._converter.refresh(modular, text)
        conversion = self._converter.convert(modular)
        errors = [problem for problem in conversion.diagnostics if problem.is_error]
        new_error = self._find_new_error(errors)
        if new_error is not None:
            return new_error.message
        if errors:
            # The errors were there before all edits. Without the lint rules that find
            # them, files are generated that edits can be compared with.
            conversion = self._converter.convert(modular, inspects=False)
        if not conversion.texts:
            return "no file would be generated"
        return self._compare(goal, text, parent_texts, conversion)

    def _load_parents(self, texts: Mapping[str, str]) -> None:
        """Let the converter use new texts of parent files, given by path.

        It reads all other parent files from disk.
        """
        for path in self._changed_parents - texts.keys():
            self._converter.refresh(path, None)
        for path, text in texts.items():
            self._converter.refresh(path, text)
        self._changed_parents = set(texts)

    def _find_new_error(self, errors: Sequence[Diagnostic]) -> Diagnostic | None:
        """Return an error of a kind that the first converted text had less often, if any.

        For the first text itself, the result is None.
        """
        counts = Counter(error.code.id for error in errors)
        if self._first_error_counts is None:
            self._first_error_counts = counts
        new_codes = counts - self._first_error_counts
        return next((error for error in errors if error.code.id in new_codes), None)

    def _compare(
        self,
        goal: LiftGoal,
        text: str,
        parent_texts: Mapping[str, str],
        conversion: Conversion,
    ) -> LiftState:
        """Return a conversion with the edited parts on disk that it does not generate.

        Args:
            goal: The files that should be generated.
            text: The text of the modular file that was converted.
            parent_texts: New texts of parent files, by path.
            conversion: The conversion.
        """
        project = self._converter.project
        formatted_texts = format_texts(project, conversion.texts)
        generated = {}
        for path, formatted in formatted_texts.items():
            generated[path] = read_flat_file(project, path, formatted)

        missing_parts: dict[PartId, EditedPart] = {}
        distance = 0
        for file in goal.flat.files:
            generated_file = generated.get(file.path)
            edited_parts = list(find_edited_parts(generated_file, file))
            missing_parts.update((part.id, part) for part in edited_parts)
            if all(part.id.kind is PartKind.LAYOUT for part in edited_parts):
                # Layout does not count as a distance.
                continue
            old_text = "" if generated_file is None else generated_file.text
            difference = compare(old_text, file.text)
            distance += difference.added + difference.removed
        return LiftState(
            goal=goal,
            text=text,
            parent_texts=dict(parent_texts),
            conversion=conversion,
            formatted_texts=formatted_texts,
            generated=generated,
            missing_parts=missing_parts,
            distance=distance,
        )
