"""Shortens an existing modular file by what it could inherit, and proves the result."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from modular.conversion.conversion import Conversion
from modular.conversion.converter import Converter
from modular.infer.comments import (
    Comment,
    comments_of,
    insert_class_comments,
    lost_comments,
    ungenerated_comments,
)
from modular.infer.derive import DerivedClass
from modular.infer.draft import MARKER_IMPORT
from modular.infer.files import select_files
from modular.infer.index import ParentModels
from modular.infer.inference import Inference, InferredClass
from modular.infer.modular_edits import ModularText
from modular.infer.parents import (
    ImportedParent,
    NearestClasses,
    ParentClass,
    ParentFiles,
)
from modular.infer.proof import (
    Proof,
    find_findings,
    prove,
    read_formatted_files,
    remove_unused_imports,
)
from modular.infer.solve import find_nearest_classes
from modular.infer.targets import InferTarget
from modular.project.project import Project
from modular.rules.classes.decorators import NO_INHERIT_DECORATOR
from modular.rules.reading.modular_file import ModularFile
from modular.source import module as modules
from modular.source.blocks import Statement
from modular.source.diagnostics import Diagnostic
from modular.source.diffs import compare
from modular.source.edits import apply_edits, find_line_edits
from modular.source.source_slice import synthetic


_MIN_LINES_NEW_FILE = 4
"""Lines that a class must save if its parent file is not imported yet."""


def improve_model(
    project: Project, target: InferTarget, models: ParentModels
) -> Inference:
    """Shorten the modular file of a model by letting its classes inherit more.

    The shorter file must generate the same files, byte for byte.

    Args:
        project: The project.
        target: The model.
        models: The models that it may inherit from.

    Raises:
        modular.system.ruff.FormatterError: The formatter cannot be run.
    """
    converter = Converter(project, {})
    unchanged = Inference(target.model, target.modular)
    loaded = converter.load(target.modular)
    if loaded.problem is None:
        converter.refresh(target.modular, loaded.text)
    conversion = converter.convert(target.modular)
    problems = _find_errors(converter, conversion)
    if problems:
        return replace(unchanged, diagnostics=tuple(problems))

    generated_files = read_formatted_files(project, conversion.texts)
    flat = select_files(project, target, generated_files)
    source = ModularText(target.modular, loaded.text)
    parents = ParentFiles(converter, flat)
    nearest, skipped_parents = find_nearest_classes(target, models, parents)
    improvement = _Improvement(
        parents=parents,
        source=source,
        file=converter.modular_file(source.module),
        nearest=nearest,
        comments=ungenerated_comments(source.module, conversion),
    )
    unchanged = replace(unchanged, notes=tuple(skipped_parents))
    edits, shortened = _apply_improving_edits(improvement)
    if shortened is None:
        return replace(unchanged, remark="nothing more could be inherited")

    classes = []
    for edit in edits:
        parent_model = project.model_of(edit.parent.path)
        classes.append(
            InferredClass(edit.statement.name, edit.parent, parent_model, edit.derived)
        )
    diff = compare(loaded.text, shortened.text)
    line_edits = find_line_edits(target.modular, source.text, shortened.text)
    return replace(
        unchanged,
        text=shortened.text,
        flat_lines=flat.line_count,
        modular_lines=shortened.text.count("\n"),
        proofs={file.path: Proof.IDENTICAL for file in flat.files},
        classes=tuple(classes),
        diff=diff.text(f"a/{target.modular}", f"b/{target.modular}"),
        before_lines=loaded.text.count("\n"),
        lost_comments=shortened.lost_comments,
        source=loaded.source,
        new_source=apply_edits(loaded.source, line_edits),
    )


def _find_errors(converter: Converter, conversion: Conversion) -> list[Diagnostic]:
    """Return the errors of a conversion, or the syntax errors of its parent files."""
    errors = [problem for problem in conversion.diagnostics if problem.is_error]
    return errors or converter.find_syntax_errors(conversion.reads)


@dataclass(frozen=True, slots=True)
class _ClassEdit:
    """A class of the modular file and its replacement.

    Attributes:
        statement: The class in the unchanged file.
        parent: Its new or old parent class.
        derived: The class, written as a child of the parent class.
        import_line: The import of the parent class, or "" if it is imported already.
        text: The new text, with or without the comments of the old one.
    """

    statement: Statement
    parent: ParentClass
    derived: DerivedClass
    import_line: str
    text: str


class _Shortened(NamedTuple):
    """The shortened text of a modular file, and the comments that it loses."""

    text: str
    lost_comments: tuple[Comment, ...]


@dataclass
class _Improvement:
    """Finds edits of a modular file, applies and proves them.

    Attributes:
        parents: The parent files.
        source: The text of the modular file.
        file: The modular file.
        nearest: The nearest library classes of each generated class.
        comments: The comments of the modular file that are in no generated file.
    """

    parents: ParentFiles
    source: ModularText
    file: ModularFile
    nearest: NearestClasses
    comments: Sequence[Comment]

    def find_edits(self) -> Iterator[_ClassEdit]:
        """Yield for each class of the modular file its shortest replacement, if any.

        A class with a parent keeps it, but may inherit more members. A class without a
        parent may inherit from one of the most similar classes of other models.
        """
        for name, definition in self.file.definitions.classes.items():
            # A class that is in no generated file stays as it is, because what its
            # replacement generates could not be compared.
            if name not in self.parents.flat.definitions:
                continue
            edits = []
            for parent in self._find_possible_parents(name):
                edit = self._make_edit(definition.statement, parent)
                if edit is not None:
                    edits.append(edit)
            if edits:
                yield min(edits, key=lambda edit: edit.derived.line_count)

    def _find_possible_parents(self, name: str) -> list[ImportedParent]:
        """Return the parent that a class has, or the nearest ones that it could have."""
        imported = self.parents.imported_parent(self.file, name)
        if imported is not None:
            return [imported]
        return [
            ImportedParent(parent, parent.name)
            for parent in self.nearest.get(name, ())
            if self.parents.can_be_imported(parent.name)
        ]

    def _make_edit(
        self, statement: Statement, imported: ImportedParent
    ) -> _ClassEdit | None:
        """Return the edit by which a class inherits all that it can from a parent.

        The class keeps its comments. The result is None if it cannot inherit from the
        parent class, or if the edit saves too few lines.

        Args:
            statement: The class in the modular file.
            imported: The parent class, which the file may not import yet.
        """
        name = statement.name
        parent = imported.class_
        derived = self.parents.derive_in(self.file, name, imported)
        if derived is None:
            return None

        line_count = statement.bare_code.text.count("\n")
        lines = range(statement.line, statement.line + line_count)
        comments = [comment for comment in self.comments if comment.line in lines]
        text = insert_class_comments(statement, derived.text, comments)

        # A further parent file makes the modular file harder to read, so a class that
        # needs one must save more lines.
        is_parent_file_used = parent.path in self.file.parent_paths
        min_saved_lines = 1 if is_parent_file_used else _MIN_LINES_NEW_FILE
        if _count_saved_lines(statement, text, comments) < min_saved_lines:
            return None

        import_line = ""
        if not self.file.parents_of(name):
            import_line = self.parents.import_from(parent.path, parent.name)
        return _ClassEdit(
            statement=statement,
            parent=parent,
            derived=derived,
            import_line=import_line,
            text=text,
        )

    def apply(self, edits: Sequence[_ClassEdit]) -> str:
        """Return the modular file with classes replaced and their parents imported."""
        text = self.source.replace_statements(
            (edit.statement, edit.text) for edit in edits
        )
        imports = [edit.import_line for edit in edits if edit.import_line]
        # A class or method with the decorator `@no_inherit_decorator` does not inherit
        # decorators. The modular file must import this decorator.
        uses_marker = any(NO_INHERIT_DECORATOR in edit.derived.text for edit in edits)
        if uses_marker and MARKER_IMPORT not in text:
            imports.append(MARKER_IMPORT)
        return ModularText(self.parents.flat.modular, text).add_imports(imports)

    def shorten(self, edits: Sequence[_ClassEdit]) -> _Shortened | None:
        """Return the formatted file with edits, or None if it is no improvement.

        An improved file is shorter, generates the same bytes, and linters find nothing
        new in it. The line of a lost comment does not count as saved.
        """
        flat = self.parents.flat
        modular = flat.modular
        edited_text = remove_unused_imports(modular, self.apply(edits))
        text, comparisons, conversion = prove(self.parents.converter, flat, edited_text)
        for comparison in comparisons:
            if comparison.proof is not Proof.IDENTICAL:
                return None

        kept_comments = ungenerated_comments(modules.read(modular, text), conversion)
        lost = lost_comments(self.comments, kept_comments)
        lost_lines = sum(comment.is_alone for comment in lost)
        if text.count("\n") + lost_lines >= self.source.text.count("\n"):
            return None

        findings = find_findings(modular, text, conversion.diagnostics)
        # Lines have moved, so findings are compared by their messages.
        messages = Counter(finding.message for finding in findings)
        new_messages = messages - self._old_messages
        return None if new_messages else _Shortened(text, lost)

    @cached_property
    def _old_messages(self) -> Counter[str]:
        """The messages of the findings in the unchanged file."""
        modular = self.parents.flat.modular
        self.parents.converter.refresh(modular, self.source.text)
        conversion = self.parents.converter.convert(modular)
        findings = find_findings(modular, self.source.text, conversion.diagnostics)
        return Counter(finding.message for finding in findings)


def _count_saved_lines(
    old_class: Statement, text: str, old_comments: Sequence[Comment]
) -> int:
    """Return how many lines an edit saves. Lines of lost comments do not count.

    Args:
        old_class: The class before the edit.
        text: Its text after the edit.
        old_comments: The comments in it before the edit.
    """
    kept_comments = comments_of(synthetic(text, "", 1))
    lost = lost_comments(old_comments, kept_comments)
    lost_lines = sum(comment.is_alone for comment in lost)
    removed_lines = old_class.bare_code.text.count("\n") - text.count("\n")
    return removed_lines - lost_lines


def _apply_improving_edits(
    improvement: _Improvement,
) -> tuple[list[_ClassEdit], _Shortened | None]:
    """Apply all edits or, if that is no improvement, one after the other.

    An edit replaces one class of the modular file by a shorter child of a parent class.
    An improved file is shorter and generates the same files. An edit that prevents
    this is left out. A class loses its comments only if it cannot keep them.

    Args:
        improvement: Finds edits of the modular file, applies and checks them.

    Returns:
        The edits that were applied, and the result if there are any.
    """
    edits = list(improvement.find_edits())
    if not edits:
        return [], None
    shortened = improvement.shorten(edits)
    if shortened is not None:
        return edits, shortened

    applied: list[_ClassEdit] = []
    best: _Shortened | None = None
    for edit in edits:
        # The edit keeps the comments of the old class. With them, the class may generate
        # other code. So it is tried without them, too, but only after that.
        without_comments = replace(edit, text=edit.derived.text)
        variants = [edit]
        if without_comments != edit:
            variants.append(without_comments)
        for variant in variants:
            shortened = improvement.shorten([*applied, variant])
            if shortened is not None:
                applied.append(variant)
                best = shortened
                break
    return applied, best
