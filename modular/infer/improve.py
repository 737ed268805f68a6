"""What of a modular file could be inherited and is not: the file again with less in it, proved to generate the same."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from modular.conversion.conversion import Conversion
from modular.conversion.converter import Converter
from modular.infer.choice import Candidate
from modular.infer.comments import (
    Comment,
    comments_of,
    insert_class_comments,
    lost_comments,
    only_in_modular,
)
from modular.infer.derive import Derived
from modular.infer.draft import MARKER_IMPORT, module_of
from modular.infer.files import InferTarget, choose_files
from modular.infer.flat import FlatModel, read_flat
from modular.infer.index import ParentModels
from modular.infer.parents import ParentFiles
from modular.infer.proof import (
    Proof,
    formatted,
    prove,
    refusals,
    without_unused_imports,
)
from modular.infer.solve import Inference, InferredClass, candidates
from modular.project.project import Project
from modular.rules.classes.decorators import NO_INHERIT_DECORATOR
from modular.rules.reading.modular_file import ModularFile
from modular.source import module as modules
from modular.source.blocks import Kind, Statement
from modular.source.code import generated
from modular.source.diagnostics import has_errors
from modular.source.diffs import compare


_WORTH = 4
"""Lines that another parent file has to save."""


@dataclass(frozen=True, slots=True)
class _ClassEdit:
    """A class that is to be written in another way: the statement it replaces, and the import that it needs.

    ``text`` is the class as it is written, with or without the comments of the old one.
    """

    statement: Statement
    parent: Candidate
    derived: Derived
    imported: str
    text: str


class _Improved(NamedTuple):
    """The new text of a modular file, and the comments that it loses."""

    text: str
    lost_comments: tuple[Comment, ...]


@dataclass
class _Improving:
    """The search for what a modular file says without need."""

    parents: ParentFiles
    file: ModularFile
    text: str
    near: Mapping[str, Sequence[Candidate]]
    comments: Sequence[Comment]

    def edits(self) -> Iterator[_ClassEdit]:
        """Yield what could be written shorter, class by class: with its parent or, if it has none, with one that is near."""
        file = self.file
        for name, definition in file.definitions.classes.items():
            bases = file.parents_of(name)[:1]
            near = self.near.get(name, ()) if not bases else ()
            parents = [
                (file.parent_of[base], file.original_names[base], base)
                for base in bases
            ]
            parents += [
                (path, parent, "")
                for path, parent in near
                if self.parents.can_be_imported(parent)
            ]
            edits = (
                self._edit(definition.statement, *parent)
                for parent in parents
                if name in self.parents.flat.names
            )
            shorter = [edit for edit in edits if edit is not None]
            yield from sorted(shorter, key=lambda edit: edit.derived.lines)[:1]

    def _edit(
        self, statement: Statement, path: str, parent: str, base: str
    ) -> _ClassEdit | None:
        """A class as a child of a parent, which is imported as ``base`` or not yet; None if that is not shorter."""
        name, is_used = statement.name, path in self.file.parent_paths
        prefix = (
            self.file.choose_prefix(self.parents.converter.parent(path)).chosen
            if is_used
            else ""
        )
        prefix = prefix or self.parents.prefix_of(name, path, parent)
        derived = self.parents.derived(name, path, parent, prefix, base)
        if derived is None:
            return None
        last_line = statement.line + statement.own.text.count("\n")
        comments = [
            comment
            for comment in self.comments
            if statement.line <= comment.line < last_line
        ]
        text = insert_class_comments(statement, derived.text, comments)
        lost = lost_comments(comments, comments_of(generated(text, "", 1)))
        lines = text.count("\n") + sum(comment.is_alone for comment in lost)
        if last_line - statement.line - lines < (1 if is_used else _WORTH):
            return None
        module = module_of(
            self.parents.converter.project, self.parents.flat.modular, path
        )
        return _ClassEdit(
            statement,
            (path, parent),
            derived,
            "" if base else f"from {module} import {parent}\n",
            text,
        )

    def applied(self, edits: Sequence[_ClassEdit]) -> str:
        """Return the text of the modular file with some edits; further imports come before the first one."""
        written = {id(edit.statement): edit.text for edit in edits}
        imports = list(dict.fromkeys(edit.imported for edit in edits if edit.imported))
        if (
            any(NO_INHERIT_DECORATOR in edit.derived.text for edit in edits)
            and MARKER_IMPORT not in self.text
        ):
            imports.append(MARKER_IMPORT)
        module = self.file.module
        places = [
            (at + len(one.lead.text), at + len(one.code.text), one)
            for at, one in module.placed()
        ]
        changes = [
            (start, end, written[id(one)])
            for start, end, one in places
            if id(one) in written
        ]
        first = next(
            (start for start, _, one in places if one.kind is Kind.IMPORT), places[0][0]
        )
        return module.code.replace(
            sorted([(first, first, "".join(imports)), *changes])
        ).text

    def improved(self, edits: Sequence[_ClassEdit]) -> _Improved | None:
        """Return the formatted text with some edits, if it is shorter, generates the same bytes, and no linter refuses more of it."""
        modular = self.parents.flat.modular
        text, proofs, conversion = prove(
            self.parents.converter,
            self.parents.flat,
            without_unused_imports(modular, self.applied(edits)),
        )
        if any(proof.proof is not Proof.IDENTICAL for proof in proofs):
            return None
        kept = only_in_modular(modules.read(modular, text), conversion)
        lost = lost_comments(self.comments, kept)
        lost_lines = sum(comment.is_alone for comment in lost)
        if text.count("\n") + lost_lines >= self.text.count("\n"):
            return None
        refused = Counter(
            what for _, what in refusals(modular, text, conversion.diagnostics)
        )
        return None if refused - self._refused else _Improved(text, lost)

    @cached_property
    def _refused(self) -> Counter[str]:
        """What a linter refuses already."""
        modular = self.parents.flat.modular
        self.parents.converter.refresh(modular, self.text)
        diagnostics = self.parents.converter.convert(modular).diagnostics
        return Counter(what for _, what in refusals(modular, self.text, diagnostics))


def improve_one(
    project: Project, target: InferTarget, models: ParentModels
) -> Inference:
    """Write a modular file that is there with less in it. Raises `formatting.FormatterError`."""
    converter = Converter(project, {})
    unchanged = Inference(target.model, target.modular)
    loaded = converter.load(target.modular)
    if loaded.problem is None:
        converter.refresh(target.modular, loaded.text)
    conversion = converter.convert(target.modular)
    if has_errors(conversion.diagnostics):
        errors = [one for one in conversion.diagnostics if one.is_error]
        return replace(unchanged, diagnostics=tuple(errors))
    broken_parents = converter.broken(conversion.reads)
    if broken_parents:
        return replace(unchanged, diagnostics=tuple(broken_parents))

    flat = _generated(converter, target, conversion)
    text = loaded.text
    module = modules.read(target.modular, text)
    near, skipped = candidates(target, models, flat.files)
    improving = _Improving(
        ParentFiles(converter, flat),
        converter.modular_file(module),
        text,
        near,
        only_in_modular(module, conversion),
    )
    edits, improved = _accepted(improving, list(improving.edits()))
    if improved is None:
        remark = "nothing more could be inherited"
        return replace(unchanged, remark=remark, left_out=tuple(skipped))

    diff = compare(text, improved.text)
    return replace(
        unchanged,
        text=improved.text,
        flat_lines=flat.lines,
        modular_lines=improved.text.count("\n"),
        proofs={file.path: Proof.IDENTICAL for file in flat.files},
        classes=tuple(
            InferredClass(edit.statement.name, edit.parent, edit.derived)
            for edit in edits
        ),
        left_out=tuple(skipped),
        diff=diff.text(f"a/{target.modular}", f"b/{target.modular}"),
        before_lines=text.count("\n"),
        lost_comments=improved.lost_comments,
        source=loaded.source,
    )


def _accepted(
    improving: _Improving, edits: list[_ClassEdit]
) -> tuple[list[_ClassEdit], _Improved | None]:
    """Return the edits with which the same is generated, all at once or one after the other, and the text with them.

    An edit loses comments only where it cannot be made with them.
    """
    if not edits:
        return [], None
    if (improved := improving.improved(edits)) is not None:
        return edits, improved
    kept: list[_ClassEdit] = []
    best: _Improved | None = None
    for edit in edits:
        for variant in dict.fromkeys([edit, replace(edit, text=edit.derived.text)]):
            improved = improving.improved([*kept, variant])
            if improved is not None:
                kept.append(variant)
                best = improved
                break
    return kept, best


def _generated(
    converter: Converter, target: InferTarget, conversion: Conversion
) -> FlatModel:
    """Return what a modular file generates as flat files."""
    project = converter.project
    texts = formatted(project, conversion.texts)
    files = [read_flat(project, path, text) for path, text in texts.items()]
    return choose_files(project, target, files)
