"""Shortens an existing modular file by what it could inherit, and proves the result."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from modular.conversion.conversion import Conversion
from modular.conversion.converter import Converter
from modular.infer.comments import (
    Comment,
    lost_comments,
    ungenerated_comments,
)
from modular.infer.derive import DerivedClass
from modular.infer.draft import MARKER_IMPORT
from modular.infer.files import select_files
from modular.infer.flat import Skipped
from modular.infer.index import ParentModels
from modular.infer.inference import Inference, InferredClass
from modular.infer.modular_edits import ModularText, with_old_members
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
    edits, shortened = _apply_improving_edits(improvement)
    notes = [*skipped_parents, *_describe_blocking_comments(improvement)]
    unchanged = replace(unchanged, notes=tuple(notes))
    if not edits:
        return replace(unchanged, remark="nothing more could be inherited")

    classes = []
    for edit in edits:
        parent_model = project.model_of(edit.parent.path)
        classes.append(
            InferredClass(edit.statement.name, edit.parent, parent_model, edit.derived)
        )
    diff = compare(loaded.text, shortened)
    line_edits = find_line_edits(target.modular, source.text, shortened)
    return replace(
        unchanged,
        text=shortened,
        flat_lines=flat.line_count,
        modular_lines=shortened.count("\n"),
        proofs={file.path: Proof.IDENTICAL for file in flat.files},
        classes=tuple(classes),
        diff=diff.text(f"a/{target.modular}", f"b/{target.modular}"),
        before_lines=loaded.text.count("\n"),
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
        text: The new text, with the members that are not shortened as they were.
    """

    statement: Statement
    parent: ParentClass
    derived: DerivedClass
    import_line: str
    text: str


@dataclass
class _Improvement:
    """Finds edits of a modular file, applies and proves them.

    Attributes:
        parents: The parent files.
        source: The text of the modular file.
        file: The modular file.
        nearest: The nearest library classes of each generated class.
        comments: The comments of the modular file that are in no generated file.
        blocking_comments: Those of them that prevent a class from being shortened.
    """

    parents: ParentFiles
    source: ModularText
    file: ModularFile
    nearest: NearestClasses
    comments: Sequence[Comment]
    blocking_comments: set[Comment] = field(default_factory=set)

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

        The result is None if the class cannot inherit from the parent class, or if the
        edit saves too few lines.

        Args:
            statement: The class in the modular file.
            imported: The parent class, which the file may not import yet.
        """
        name = statement.name
        parent = imported.class_
        derived = self.parents.derive_in(self.file, name, imported)
        if derived is None:
            return None

        text = with_old_members(statement, derived.text)
        saved_lines = statement.bare_code.text.count("\n") - text.count("\n")
        # A further parent file makes the modular file harder to read, so a class that
        # needs one must save more lines.
        is_parent_file_used = parent.path in self.file.parent_paths
        min_saved_lines = 1 if is_parent_file_used else _MIN_LINES_NEW_FILE
        if saved_lines < min_saved_lines:
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

    def shorten(self, edits: Sequence[_ClassEdit]) -> str | None:
        """Return the formatted file with edits, or None if it is not an improvement.

        An improved file is shorter, generates the same bytes, keeps all comments, and
        linters find nothing new in it.
        """
        flat = self.parents.flat
        modular = flat.modular
        edited_text = remove_unused_imports(modular, self.apply(edits))
        text, comparisons, conversion = prove(self.parents.converter, flat, edited_text)
        for comparison in comparisons:
            if comparison.proof is not Proof.IDENTICAL:
                return None

        if text.count("\n") >= self.source.text.count("\n"):
            return None

        findings = find_findings(modular, text, conversion.diagnostics)
        # Lines have moved, so findings are compared by their messages.
        messages = Counter(finding.message for finding in findings)
        new_messages = messages - self._old_messages
        if new_messages:
            return None
        kept_comments = ungenerated_comments(modules.read(modular, text), conversion)
        lost = lost_comments(self.comments, kept_comments)
        self.blocking_comments.update(lost)
        return None if lost else text

    @cached_property
    def _old_messages(self) -> Counter[str]:
        """The messages of the findings in the unchanged file."""
        modular = self.parents.flat.modular
        self.parents.converter.refresh(modular, self.source.text)
        conversion = self.parents.converter.convert(modular)
        findings = find_findings(modular, self.source.text, conversion.diagnostics)
        return Counter(finding.message for finding in findings)


def _apply_improving_edits(
    improvement: _Improvement,
) -> tuple[list[_ClassEdit], str]:
    """Apply all edits or, if that is not an improvement, one after the other.

    An edit replaces one class of the modular file with a shorter child of a parent class.
    An edit that is not an improvement is left out.

    Args:
        improvement: Finds edits of the modular file, applies and checks them.

    Returns:
        The edits that were applied, and the shortened file; empty without edits.
    """
    edits = list(improvement.find_edits())
    if not edits:
        return [], ""
    shortened = improvement.shorten(edits)
    if shortened is not None:
        return edits, shortened

    improvement.blocking_comments.clear()
    applied: list[_ClassEdit] = []
    best = ""
    for edit in edits:
        shortened = improvement.shorten([*applied, edit])
        if shortened is not None:
            applied.append(edit)
            best = shortened
    return applied, best


def _describe_blocking_comments(improvement: _Improvement) -> Iterator[Skipped]:
    """Yield the comments that prevent a class from inheriting more."""
    path = improvement.source.module.path
    for comment in sorted(improvement.blocking_comments):
        reason = f"more could be inherited without the comment `{comment.text}`"
        yield Skipped(path, comment.line, reason)
