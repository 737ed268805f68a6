"""What of a modular file could be inherited and is not: the file again with less in it, proved to generate the same."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from modular.conversion.converter import Converter
from modular.infer.choice import Candidate
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
from modular.source.diagnostics import Diagnostic, has_errors
from modular.source.diffs import compare


_WORTH = 4
"""Lines that another parent file has to save."""


@dataclass(frozen=True, slots=True)
class _ClassEdit:
    """A class that is to be written in another way: the statement it replaces, and the import that it needs."""

    statement: Statement
    parent: Candidate
    derived: Derived
    imported: str


@dataclass
class _Improving:
    """The search for what a modular file says without need."""

    parents: ParentFiles
    file: ModularFile
    text: str
    near: Mapping[str, Sequence[Candidate]]

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
        if derived is None or statement.own.text.count("\n") - derived.lines < (
            1 if is_used else _WORTH
        ):
            return None
        module = module_of(
            self.parents.converter.project, self.parents.flat.modular, path
        )
        return _ClassEdit(
            statement,
            (path, parent),
            derived,
            "" if base else f"from {module} import {parent}\n",
        )

    def applied(self, edits: Sequence[_ClassEdit]) -> str:
        """Return the text of the modular file with some edits; further imports come before the first one."""
        written = {id(edit.statement): edit.derived.text for edit in edits}
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

    def proved(self, edits: Sequence[_ClassEdit]) -> str | None:
        """Return the formatted text with some edits, if it is shorter, generates the same bytes, and no linter refuses more of it."""
        text, proofs, diagnostics = prove(
            self.parents.converter,
            self.parents.flat,
            without_unused_imports(self.parents.flat.modular, self.applied(edits)),
        )
        if text.count("\n") >= self.text.count("\n") or any(
            proof.proof is not Proof.IDENTICAL for proof in proofs
        ):
            return None
        refused = Counter(
            what for _, what in refusals(self.parents.flat.modular, text, diagnostics)
        )
        return None if refused - self._refused else text

    @cached_property
    def _refused(self) -> Counter[str]:
        """What a linter refuses already."""
        self.parents.converter.refresh(self.parents.flat.modular, None)
        diagnostics = self.parents.converter.convert(
            self.parents.flat.modular
        ).diagnostics
        return Counter(
            what
            for _, what in refusals(self.parents.flat.modular, self.text, diagnostics)
        )


def improve_one(
    project: Project, target: InferTarget, models: ParentModels
) -> Inference:
    """Write a modular file that is there with less in it. Raises `formatting.FormatterError`."""
    converter = Converter(project, {})
    flat, problems = _generated(converter, target)
    if flat is None:
        return Inference(target.model, target.modular, diagnostics=tuple(problems))
    text = converter.load(target.modular).text
    file = converter.modular_file(modules.read(target.modular, text))
    near = candidates(target, models, flat.files)
    improving = _Improving(ParentFiles(converter, flat), file, text, near)
    edits, improved = _accepted(improving, list(improving.edits()))
    if improved is None:
        return Inference(
            target.model, target.modular, remark="nothing more could be inherited"
        )
    return Inference(
        target.model,
        target.modular,
        improved,
        flat.lines,
        improved.count("\n"),
        {file.path: Proof.IDENTICAL for file in flat.files},
        tuple(
            InferredClass(edit.statement.name, edit.parent, edit.derived)
            for edit in edits
        ),
        diff=compare(text, improved).text(f"a/{target.modular}", f"b/{target.modular}"),
        before_lines=text.count("\n"),
    )


def _accepted(
    improving: _Improving, edits: list[_ClassEdit]
) -> tuple[list[_ClassEdit], str | None]:
    """Return the edits with which the same is generated, all at once or one after the other, and the text with them."""
    if not edits:
        return [], None
    if (text := improving.proved(edits)) is not None:
        return edits, text
    kept: list[_ClassEdit] = []
    best: str | None = None
    for edit in edits:
        text = improving.proved([*kept, edit])
        if text is not None:
            kept.append(edit)
            best = text
    return kept, best


def _generated(
    converter: Converter, target: InferTarget
) -> tuple[FlatModel | None, list[Diagnostic]]:
    """Return what a modular file generates as flat files; None, and why, if it has errors."""
    project = converter.project
    conversion = converter.convert(target.modular)
    if has_errors(conversion.diagnostics):
        return None, [
            diagnostic for diagnostic in conversion.diagnostics if diagnostic.is_error
        ]
    texts = formatted(project, conversion.texts)
    files = [read_flat(project, path, text) for path, text in texts.items()]
    return choose_files(project, target, files), []
