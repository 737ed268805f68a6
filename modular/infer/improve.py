"""Shortens an existing modular file by what it could inherit, and proves the result."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from modular.conversion.conversion import Conversion
from modular.conversion.converter import Converter
from modular.infer.comments import (
    Comment,
    comments_of,
    lost_comments,
    ungenerated_comments,
)
from modular.infer.derive import DerivedClass
from modular.infer.draft import MARKER_IMPORT
from modular.infer.flat import Remark, make_flat_model
from modular.infer.index import ParentModels
from modular.infer.inference import Inference, InferredClass
from modular.infer.lift_proof import LiftGoal, LiftProof, LiftState
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
    format_texts,
    read_formatted_files,
    remove_unused_imports,
)
from modular.infer.solve import find_nearest_classes
from modular.infer.targets import InferTarget
from modular.project.project import Project
from modular.rules.classes.decorators import NO_INHERIT_DECORATOR
from modular.rules.reading.modular_file import ModularFile
from modular.source import module as modules
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
    errors = [problem for problem in conversion.diagnostics if problem.is_error]
    problems = errors or converter.find_syntax_errors(conversion.reads)
    if problems:
        return replace(unchanged, diagnostics=tuple(problems))

    files = read_formatted_files(project, conversion.texts)
    flat = make_flat_model(project, target.model, target.modular, files)
    parents = ParentFiles(converter, flat)
    nearest, skipped_parents = find_nearest_classes(target, models, files)
    module = modules.read(target.modular, loaded.text)
    improvement = _Improvement(
        parents=parents,
        proof=LiftProof(converter),
        file=converter.modular_file(module),
        nearest=nearest,
        text=module.code.text,
        comments=ungenerated_comments(module, conversion),
    )
    shortened_classes = improvement.improve_all()
    notes = [*skipped_parents, *_describe_blocking_comments(improvement)]
    unchanged = replace(unchanged, notes=tuple(notes))
    if not shortened_classes:
        return replace(unchanged, remark="nothing more could be inherited")

    text = improvement.text
    diff = compare(loaded.text, text)
    line_edits = find_line_edits(target.modular, module.code.text, text)
    return replace(
        unchanged,
        text=text,
        flat_lines=flat.line_count,
        modular_lines=text.count("\n"),
        proofs={file.path: Proof.IDENTICAL for file in flat.files},
        classes=tuple(shortened_classes),
        diff=diff.text(f"a/{target.modular}", f"b/{target.modular}"),
        before_lines=loaded.text.count("\n"),
        source=loaded.source,
        new_source=apply_edits(loaded.source, line_edits),
    )


class _ClassEdit(NamedTuple):
    """A class as a child of its new or old parent class, and the file with this class."""

    parent: ParentClass
    derived: DerivedClass
    text: str


@dataclass
class _Improvement:
    """Lets the classes of a modular file inherit more, one after the other.

    Attributes:
        parents: The parent files.
        proof: Converts the edited modular file.
        file: The modular file before all edits.
        nearest: The nearest library classes of each generated class.
        text: The text of the modular file, with the edits so far.
        comments: The comments of the modular file that are in no generated file.
        blocking_comments: Those of them that prevent a class from being shortened.
    """

    parents: ParentFiles
    proof: LiftProof
    file: ModularFile
    nearest: NearestClasses
    text: str
    comments: Sequence[Comment]
    blocking_comments: set[Comment] = field(default_factory=set)

    def improve_all(self) -> list[InferredClass]:
        """Shorten the classes of the modular file by what they could inherit.

        Returns:
            The classes that are shorter now.
        """
        state = self._convert(self.text)
        # The modular file was converted before, so it has no new errors.
        assert isinstance(state, LiftState)
        old_messages = self._find_messages(self.text, state.conversion)
        project = self.parents.project
        shortened_classes = []
        for name in self.file.definitions.classes:
            edit = self._find_edit(name)
            if edit is None:
                continue
            shorter_text = self._shorten(edit.text, old_messages)
            if not shorter_text:
                continue
            self.text = shorter_text
            model = project.model_of(edit.parent.path)
            class_ = InferredClass(name, edit.parent, model, edit.derived)
            shortened_classes.append(class_)
        return shortened_classes

    def _find_edit(self, name: str) -> _ClassEdit | None:
        """Return the edit that makes a class shortest, or None if no edit makes it shorter.

        A class with a parent keeps it, but may inherit more members. A class without a
        parent may inherit from one of the most similar classes of other models.

        Args:
            name: The name of the class.
        """
        is_generated = name in self.parents.flat.definitions
        if not is_generated:
            # There is nothing to compare the edited class with.
            return None
        edits = []
        for parent in self._find_possible_parents(name):
            edit = self._make_edit(name, parent)
            if edit is not None:
                edits.append(edit)
        return min(edits, key=lambda edit: edit.derived.line_count, default=None)

    def _find_possible_parents(self, name: str) -> list[ImportedParent]:
        """Return the classes from which a class of the modular file can inherit.

        This is only its parent if it has one. Otherwise, it can inherit from similar
        classes of other models.
        """
        current_parent = self.parents.imported_parent(self.file, name)
        if current_parent is not None:
            return [current_parent]
        return [
            ImportedParent(parent, parent.name)
            for parent in self.nearest.get(name, ())
            if self.parents.can_be_imported(parent.name)
        ]

    def _make_edit(self, name: str, imported: ImportedParent) -> _ClassEdit | None:
        """Return the edit by which a class inherits all that it can from a parent.

        The result is None if the class cannot inherit from the parent class, or if the
        edit saves too few lines.

        Args:
            name: The class in the modular file.
            imported: The parent class, which the file may not import yet.
        """
        parent = imported.class_
        derived = self.parents.derive_in(self.file, name, imported)
        modular = self._read(self.text)
        statement = modular.statement_named(name)
        if derived is None or statement is None:
            return None

        class_text = with_old_members(statement, derived.text, keeps_shorter=True)
        saved_lines = statement.bare_code.text.count("\n") - class_text.count("\n")
        # A further parent file makes the modular file harder to read.
        needs_further_file = parent.path not in self.file.parent_paths
        min_saved_lines = _MIN_LINES_NEW_FILE if needs_further_file else 1
        if saved_lines < min_saved_lines:
            return None

        imports = []
        if not self.file.parents_of(name):
            imports.append(self.parents.import_from(parent.path, parent.name))
        # A class with the decorator `@no_inherit_decorator` does not inherit others.
        uses_marker = NO_INHERIT_DECORATOR in derived.text
        if uses_marker and NO_INHERIT_DECORATOR not in modular.bound_names:
            imports.append(MARKER_IMPORT)
        edited = self._read(modular.replace_statement(statement, class_text))
        return _ClassEdit(parent, derived, edited.add_imports(imports))

    def _read(self, text: str) -> ModularText:
        return ModularText(self.parents.flat.modular, text)

    def _shorten(self, edited_text: str, old_messages: Counter[str]) -> str:
        """Return the modular file after an edit, formatted; empty if it is no improvement.

        It must be shorter, generate the same bytes and keep all comments, and linters must
        find nothing new in it.

        Args:
            edited_text: The modular file after the edit.
            old_messages: The messages of the findings in it before all edits.
        """
        modular = self.parents.flat.modular
        project = self.parents.project
        tidy_text = remove_unused_imports(modular, edited_text)
        text = format_texts(project, {modular: tidy_text})[modular]
        if text.count("\n") >= self.text.count("\n"):
            return ""
        state = self._convert(text)
        if isinstance(state, str) or state.missing_parts:
            # It has an error, or does not generate the same files.
            return ""
        # Lines have moved, so findings are compared by their messages.
        if self._find_messages(text, state.conversion) - old_messages:
            return ""
        kept_comments = comments_of(modules.read(modular, text).code)
        lost = lost_comments(self.comments, kept_comments)
        self.blocking_comments.update(lost)
        return "" if lost else text

    def _convert(self, text: str) -> LiftState | str:
        """Compare what a text of the modular file generates with what it generated."""
        return self.proof.convert(LiftGoal({}, self.parents), text, {})

    def _find_messages(self, text: str, conversion: Conversion) -> Counter[str]:
        """Return the messages of the findings in a text of the modular file."""
        modular = self.parents.flat.modular
        findings = find_findings(modular, text, conversion.diagnostics)
        return Counter(finding.message for finding in findings)


def _describe_blocking_comments(improvement: _Improvement) -> Iterator[Remark]:
    """Yield the comments that prevent a class from inheriting more."""
    path = improvement.parents.flat.modular
    for comment in sorted(improvement.blocking_comments):
        reason = f"more could be inherited without the comment `{comment.text}`"
        yield Remark(path, comment.line, reason)
