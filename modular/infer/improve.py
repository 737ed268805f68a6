"""What of a modular file could be inherited and is not: the file again with less in it, proved to generate the same."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from modular.conversion.converter import Converter
from modular.format import formatting
from modular.infer.choice import Candidate
from modular.infer.derive import Derived
from modular.infer.draft import module_of
from modular.infer.expressible import choose_files
from modular.infer.flat import FlatModel, read_flat
from modular.infer.index import ParentModels
from modular.infer.parents import Parents
from modular.infer.proof import Proof, prove
from modular.infer.refused import refusals, without_unused_imports
from modular.infer.solve import Inference, InferredClass, candidates
from modular.infer.targets import Target
from modular.project.project import Project
from modular.rules.modular_file import ModularFile
from modular.rules.names.prefixes import of_class
from modular.source import module as modules
from modular.source.blocks import Statement
from modular.source.diagnostics import Diagnostic, has_errors
from modular.source.diffs import compare


_WORTH = 4
"""Lines that another parent file has to save."""

_MARKER = "@no_inherit_decorator"
_MARKER_IMPORT = "from ...utils.modular import no_inherit_decorator\n"


@dataclass(frozen=True, slots=True)
class _Edit:
    """A class that is to be written in another way: the statement it replaces, and the import that it needs."""

    statement: Statement
    parent: Candidate
    derived: Derived
    imported: str


@dataclass
class _Improving:
    """The search for what a modular file says without need."""

    converter: Converter
    flat: FlatModel
    file: ModularFile
    text: str
    near: Mapping[str, Sequence[Candidate]]
    parents: Parents = field(init=False)

    def __post_init__(self) -> None:
        self.parents = Parents(self.converter, self.flat)

    def edits(self) -> Iterator[_Edit]:
        """Yield what could be written shorter, class by class."""
        for name, definition in self.file.definitions.classes.items():
            if name in self.flat.names:
                lines = definition.statement.own.text.count("\n")
                found = list(self._kept(name, definition.statement)) or list(self._new(name, definition.statement))
                best = min(found, key=lambda each: each.derived.lines, default=None)
                if best is not None and best.derived.lines < lines:
                    yield best

    def _kept(self, name: str, statement: Statement) -> Iterator[_Edit]:
        """The class with the parent that it has."""
        for base in self.file.parents_of(name)[:1]:
            path, parent = self.file.parent_of[base], self.file.original_names[base]
            derived = self.parents.derived(name, path, parent, self._prefix(path), base)
            if derived is not None:
                yield _Edit(statement, (path, parent), derived, "")

    def _new(self, name: str, statement: Statement) -> Iterator[_Edit]:
        """The class, which has no parent, with one."""
        if self.file.parents_of(name):
            return
        lines = statement.own.text.count("\n")
        for path, parent in self.near.get(name, ()):
            used = path in self.file.parent_paths
            cased = self.flat.cased
            own = of_class(name, parent, cased, self.converter.parent(path).spelling.cased) or cased
            if not self.parents.can_be_imported(parent):
                continue
            derived = self.parents.derived(name, path, parent, self._prefix(path) if used else own)
            if derived is not None and lines - derived.lines >= (1 if used else _WORTH):
                module = module_of(self.converter.project, self.flat.modular, path)
                yield _Edit(statement, (path, parent), derived, f"from {module} import {parent}\n")

    def _prefix(self, path: str) -> str:
        pairs = [
            (name, self.file.original_names[base])
            for name in self.file.definitions.classes
            for base in self.file.parents_of(name)
            if self.file.parent_of[base] == path
        ]
        return self.parents.prefix(path, pairs)

    def applied(self, edits: Sequence[_Edit]) -> str:
        """Return the text of the modular file with some edits."""
        text = self.text
        placed = {id(statement): offset for offset, statement in self.file.module.placed()}
        for edit in sorted(edits, key=lambda one: -placed[id(one.statement)]):
            start = placed[id(edit.statement)] + edit.statement.start
            end = placed[id(edit.statement)] + len(edit.statement.code.text)
            text = text[:start] + edit.derived.text + text[end:]
        imports = list(dict.fromkeys(edit.imported for edit in edits if edit.imported))
        if any(_MARKER in edit.derived.text for edit in edits) and _MARKER_IMPORT.split()[-1] not in self.text:
            imports.append(_MARKER_IMPORT)
        at = self._import_place()
        return text[:at] + "".join(imports) + text[at:]

    def _import_place(self) -> int:
        """Where further imports are put: before the first one."""
        first = next((offset + each.start for offset, each in self.file.module.placed() if each.own.text), 0)
        imports = {id(import_.statement) for import_ in self.file.module.imports}
        placed = self.file.module.placed()
        return next((offset + each.start for offset, each in placed if id(each) in imports), first)

    def proved(self, edits: Sequence[_Edit]) -> str | None:
        """Return the formatted text with some edits, if it is shorter, generates the same bytes, and no linter refuses more of it."""
        text, proofs, diagnostics = prove(self.converter, self.flat, self._used(self.applied(edits)))
        if text.count("\n") >= self.text.count("\n") or any(each.proof is not Proof.IDENTICAL for each in proofs):
            return None
        found = Counter(refusal.what for refusal in refusals(self.flat.modular, text, diagnostics))
        return None if found - self._refused else text

    @cached_property
    def _refused(self) -> Counter[str]:
        """What a linter refuses already."""
        self.converter.refresh(self.flat.modular, None)
        diagnostics = self.converter.convert(self.flat.modular).diagnostics
        return Counter(refusal.what for refusal in refusals(self.flat.modular, self.text, diagnostics))

    def _used(self, text: str) -> str:
        """Leave out the imports that nothing uses any more; where others were left already, all stay."""
        return (
            text
            if any("imported but unused" in what for what in self._refused)
            else without_unused_imports(self.flat.modular, text)
        )


def improve_one(project: Project, target: Target, models: ParentModels) -> Inference:
    """Write a modular file that is there with less in it. Raises `formatting.FormatterError`."""
    converter = Converter(project, {})
    flat, problems = _generated(converter, target)
    if flat is None:
        return Inference(target.model, target.modular, diagnostics=tuple(problems))
    text = converter.load(target.modular).text
    file = converter.modular_file(modules.read(target.modular, text))
    near = candidates(project, target, models, flat.files)
    improving = _Improving(converter, flat, file, text, near)
    edits, improved = _accepted(improving, list(improving.edits()))
    if improved is None:
        return Inference(target.model, target.modular, remark="nothing more of it could be inherited")
    return Inference(
        target.model,
        target.modular,
        improved,
        flat.lines,
        improved.count("\n"),
        {each.path: Proof.IDENTICAL for each in flat.files},
        tuple(_class(edit) for edit in edits),
        diff=compare(text, improved).text(f"a/{target.modular}", f"b/{target.modular}"),
        before_lines=text.count("\n"),
    )


def _class(edit: _Edit) -> InferredClass:
    found = edit.derived
    return InferredClass(edit.statement.name, edit.parent, found.inherited, found.merged, found.overridden)


def _accepted(improving: _Improving, edits: list[_Edit]) -> tuple[list[_Edit], str | None]:
    """Return the edits with which the same is generated, all at once or one after the other, and the text with them."""
    if not edits:
        return [], None
    if (text := improving.proved(edits)) is not None:
        return edits, text
    kept: list[_Edit] = []
    best: str | None = None
    for edit in edits:
        text = improving.proved([*kept, edit])
        if text is not None:
            kept.append(edit)
            best = text
    return kept, best


def _generated(converter: Converter, target: Target) -> tuple[FlatModel | None, list[Diagnostic]]:
    """Return what a modular file generates as flat files; None, and why, if it has errors."""
    project = converter.project
    conversion = converter.convert(target.modular)
    if has_errors(conversion.diagnostics):
        return None, [diagnostic for diagnostic in conversion.diagnostics if diagnostic.is_error]
    texts = formatting.format_texts(conversion.texts, project.root, project.settings.formatter).texts
    files = [read_flat(project, path, text) for path, text in texts.items()]
    cased = project.names.cased(target.model)
    return choose_files(project, target.model, cased, target.modular, files, as_they_are=True), []
