"""Infers the modular file of one model: searches, proves, and gives up what the proof does not hold for."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import PurePosixPath

from modular.conversion.converter import Converter
from modular.infer.choice import Candidate, InferredDraft
from modular.infer.comments import Comment
from modular.infer.derive import Derived
from modular.infer.draft import write
from modular.infer.files import InferTarget, choose_files, model_of, split_by_file_type
from modular.infer.flat import FlatFile, FlatModel, Skipped, read_flat
from modular.infer.fragments import METHOD
from modular.infer.index import ParentModels
from modular.infer.near_misses import NearMiss, near_miss
from modular.infer.parents import ParentFiles
from modular.infer.proof import Comparison, Proof, formatted, prove, refusals
from modular.infer.ranking import Ranking
from modular.infer.relations import imported_names
from modular.infer.search import Search
from modular.project.project import Project
from modular.source.blocks import Kind
from modular.source.diagnostics import Diagnostic
from modular.source.loading import read_module, syntax_problem


_FORMATTED = "the file was formatted first: line numbers refer to the formatted text, which is what is generated"

_IMPLICIT = "not written: inherited as a dependency"

_NEAREST = 4
"""Classes of the library that are tried as a parent, for each class."""

_ROUNDS = 6
"""How often the search begins anew because the proof did not hold."""


@dataclass(frozen=True, slots=True)
class InferredClass:
    """A class of a modular file: its parent, if it has one, and how it is ``derived`` from that.

    ``implicit`` says that the modular file does not mention the class: others bring it along.
    """

    name: str
    parent: tuple[str, str] | None
    derived: Derived = Derived()
    implicit: bool = False

    def __str__(self) -> str:
        """What a terminal shows of it: its parent class, and what of that is merged or written out."""
        if self.parent is None:
            return f"{self.name}: {_IMPLICIT if self.implicit else 'written out'}"
        path, name = self.parent
        parts = (
            [f"merged {', '.join(self.derived.merged)}"] if self.derived.merged else []
        )
        parts += (
            [f"written out {', '.join(self.derived.overridden)}"]
            if self.derived.overridden
            else []
        )
        parts += [_IMPLICIT] if self.implicit else []
        return f"{self.name}: {name} ({path}), {'; '.join(parts) or 'inherited whole'}"


@dataclass(frozen=True)
class Inference:
    """The modular file of a model. There is no ``text`` where nothing would be shorter, or something is wrong.

    ``proofs`` has the flat files that it refers to, ``by_hand`` those that it does not, ``left_out`` what of the former
    is not generated because nothing uses it. ``near_misses`` are classes that could be inherited if they were written a
    little otherwise. Lines are those of the files that it refers to, and its own. ``diff`` leads
    from a modular file that was there, with ``before_lines``, to this one; ``remark`` says what else there is to say.
    """

    model: str
    modular: str
    text: str = ""
    flat_lines: int = 0
    modular_lines: int = 0
    proofs: Mapping[str, Proof] = field(default_factory=dict)
    classes: tuple[InferredClass, ...] = ()
    by_hand: tuple[Skipped, ...] = ()
    left_out: tuple[Skipped, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    near_misses: tuple[NearMiss, ...] = ()
    diff: str = ""
    before_lines: int = 0
    remark: str = ""
    lost_comments: tuple[Comment, ...] = ()
    source: str | None = None

    @property
    def saved(self) -> int:
        """How many lines are saved: of the flat files, or of the modular file that was there.

        Lines that only hold a lost comment are not saved.
        """
        if not self.text:
            return 0
        lost_lines = sum(comment.is_alone for comment in self.lost_comments)
        before = self.before_lines or self.flat_lines
        return before - self.modular_lines - lost_lines

    @property
    def proof(self) -> Proof | None:
        """What holds for all files."""
        if not self.proofs:
            return None
        return next(
            (proof for proof in self.proofs.values() if proof is not Proof.IDENTICAL),
            Proof.IDENTICAL,
        )

    def summary(self) -> Iterator[str]:
        """Yield what a terminal shows of it below the text, line by line."""
        before = (
            f"instead of {self.before_lines}"
            if self.before_lines
            else f"for {self.flat_lines}"
        )
        if self.proof is not None:
            yield f"{self.modular}: {self.modular_lines} lines {before}, {self.saved} saved; {self.proof.value}"
        elif not self.diagnostics:
            yield f"{self.modular}: {self.remark or 'no modular file: nothing would be shorter'}"
        for path, proof in self.proofs.items():
            yield f"  {path}: {proof.value}"
        models = Counter(
            class_.parent[0].split("/")[-2]
            for class_ in self.classes
            if class_.parent is not None
        )
        if models:
            numbers = (
                f"{model}: {number} class{'es' if number > 1 else ''}"
                for model, number in models.most_common()
            )
            yield f"  inherits from {', '.join(numbers)}"
        yield from (f"  {class_}" for class_ in self.classes)
        for miss in self.near_misses:
            path, name = miss.parent
            yield f"  {miss.name}: the same as {name} ({path}) but for its {', '.join(miss.kinds)}; to inherit it:"
            yield from (f"    {change}" for change in miss.changes)
        for comment in self.lost_comments:
            yield f"  {self.modular}:{comment.line}: the comment `{comment.text}` is lost"
        for aside in (*self.left_out, *self.by_hand):
            yield f"  {aside.path}:{aside.line}: {aside.what}"
        if self.by_hand:
            yield "  files that are named last stay written by hand"


def solve(project: Project, target: InferTarget, models: ParentModels) -> Inference:
    """Infer a modular file. Raises `formatting.FormatterError`."""
    converter = Converter(project, {})
    files, asides, problems = _read(project, target)
    if problems:
        return Inference(target.model, target.modular, diagnostics=tuple(problems))
    near, skipped = candidates(target, models, files)
    kept: list[Skipped] = []
    while True:
        by_hand = {aside.path for aside in kept}
        flat = choose_files(
            project, target, [file for file in files if file.path not in by_hand]
        )
        inference = (
            _prove(converter, flat, near, models)
            if flat.files
            else Inference(target.model, target.modular)
        )
        converter.refresh(target.modular, None)
        if isinstance(inference, Inference):
            break
        kept.append(inference)
    kept += flat.by_hand
    if flat.files and inference.modular_lines >= inference.flat_lines:
        kept += [
            Skipped(file.path, 1, "nothing of it is in another model")
            for file in flat.files
        ]
        inference = Inference(target.model, target.modular)
    inherited = {
        class_.name for class_ in inference.classes if class_.parent is not None
    }
    misses = _near_misses(converter, replace(flat, files=tuple(files)), near, inherited)
    return replace(
        inference,
        by_hand=tuple(kept),
        left_out=(*asides, *skipped, *inference.left_out),
        near_misses=tuple(misses),
    )


def _read(
    project: Project, target: InferTarget
) -> tuple[list[FlatFile], list[Skipped], list[Diagnostic]]:
    """Read the flat files of a target, formatted; and say what of them is not, or not as they stand."""
    files, asides, problems = [], [], []
    texts: dict[str, str] = {}
    for path in target.paths:
        loaded = project.load(path, {})
        module = (
            loaded.problem
            or syntax_problem(loaded.text, path)
            or read_module(path, loaded)
        )
        if isinstance(module, Diagnostic):
            problems.append(module)
        else:
            texts[path] = loaded.text
    for path, text in formatted(project, texts).items():
        file = read_flat(project, path, text)
        if text != texts[path]:
            asides.append(Skipped(path, 1, _FORMATTED))
        if model_of(project, path) is not None:
            files.append(file)
        else:
            parted, kept = split_by_file_type(project, target.model, file)
            files += parted
            asides += kept
    return files, asides, problems


def _near_misses(
    converter: Converter,
    flat: FlatModel,
    near: Mapping[str, Sequence[Candidate]],
    inherited: Collection[str],
) -> Iterator[NearMiss]:
    """For each class that inherits from no model's, yield the first that differs in nothing that decides something."""
    parents = ParentFiles(converter, flat)
    for name, statement in flat.names.items():
        if statement.kind is Kind.CLASS and name not in inherited:
            misses = (
                near_miss(
                    statement.own.text,
                    parent,
                    parents.as_parent(name, *parent),
                    parents.words(parent[0]),
                )
                for parent in near.get(name, ())
            )
            yield from islice((miss for miss in misses if miss is not None), 1)


def candidates(
    target: InferTarget, models: ParentModels, files: Sequence[FlatFile]
) -> tuple[dict[str, list[Candidate]], list[Skipped]]:
    """Return the nearest classes of the library for each class, those of a file asked for together.

    Parent files with a syntax error are skipped, and returned as well.
    """
    nearest: dict[str, list[Candidate]] = {}
    problems: dict[str, Diagnostic | None] = {}
    for file in files:
        ranking = Ranking(models, file.module, target.model)
        for fragment in ranking.fragments:
            if fragment.kind == METHOD:
                continue
            parents = nearest.setdefault(fragment.name, [])
            for near in ranking.nearest(fragment, _NEAREST):
                path = near.file.path
                if path not in problems:
                    problems[path] = models.index.syntax_problem(path)
                if problems[path] is None:
                    parents.append((path, near.fragment.name))

    skipped = []
    for path, problem in problems.items():
        if problem is not None:
            reason = f"skipped as a parent file: {problem.message}"
            skipped.append(Skipped(path, problem.place.line, reason))
    return nearest, skipped


def _prove(
    converter: Converter,
    flat: FlatModel,
    near: Mapping[str, Sequence[Candidate]],
    models: ParentModels,
) -> Inference | Skipped:
    """Search until the proof holds. Else say which file it does not hold for, whatever is done."""
    search = Search(ParentFiles(converter, flat), near, models.precedence)
    for _ in range(_ROUNDS):
        draft = search.draft()
        text, proofs, conversion = prove(converter, flat, write(draft, search.parents))
        wrong = [proof for proof in proofs if proof.proof is Proof.DIFFERENT]
        if not wrong and not search.refuse(
            draft, text, refusals(flat.modular, text, conversion.diagnostics)
        ):
            break
        if wrong and not sum(search.learn(draft, proof) for proof in wrong):
            break
    problems = (_problem(converter.project, proof) for proof in proofs)
    problem = next((problem for problem in problems if problem is not None), None)
    return _inference(flat, draft, text, proofs) if problem is None else problem


def _problem(project: Project, proof: Comparison) -> Skipped | None:
    """Say which file has to stay written by hand because of a proof, and why; None if none has to."""
    if proof.proof is Proof.DIFFERENT:
        wrong = [*proof.wrong, *proof.missing_imports] or proof.lost
        what = ", ".join(f"`{name}`" for name in wrong[:3]) or "the file"
        statements = sorted(
            proof.file.module.block.statements,
            key=lambda statement: statement.name not in wrong[:1],
        )
        lines = (
            proof.file.line_of(statement)
            for statement in statements
            if wrong and wrong[0] in statement.own.text
        )
        return Skipped(
            proof.file.path, next(lines, 1), f"{what} cannot be generated as it is"
        )
    stem = PurePosixPath(proof.file.path).stem
    needed = min(
        (name for name in proof.left_out if (stem, name) in imported_names(project)),
        default=None,
    )
    if needed is None:
        return None
    why = f"`{needed}`, which other files import, is used by nothing in this one, and is not generated"
    return Skipped(proof.file.path, proof.file.line_of(proof.file.named[needed]), why)


def _inference(
    flat: FlatModel, draft: InferredDraft, text: str, proofs: Sequence[Comparison]
) -> Inference:
    classes = (
        name for name, statement in flat.names.items() if statement.kind is Kind.CLASS
    )
    return Inference(
        flat.model,
        flat.modular,
        text,
        flat.lines,
        text.count("\n"),
        {proof.file.path: proof.proof for proof in proofs},
        tuple(_inferred_class(name, draft) for name in classes),
        left_out=tuple(aside for proof in proofs for aside in _not_generated(proof)),
    )


def _inferred_class(name: str, draft: InferredDraft) -> InferredClass:
    implicit = name in draft.implicit
    if (option := draft.options.get(name)) is None:
        return InferredClass(name, None, implicit=implicit)
    return InferredClass(name, (option.path, option.parent), option.derived, implicit)


def _not_generated(proof: Comparison) -> Iterator[Skipped]:
    """Say what of a file is not generated, or not as it stands, although the proof holds."""
    file = proof.file
    for name in proof.left_out:
        yield Skipped(
            file.path,
            file.line_of(file.named[name]),
            f"`{name}` is not generated: nothing uses it",
        )
    for name in proof.moved:
        what = f"`{name}` is generated with its lines in another order, as its parent has them"
        yield Skipped(file.path, file.line_of(file.named[name]), what)
    if proof.remarks > 0:
        what = "comments that mark a copy are not generated, because inheriting replaces them"
        yield Skipped(file.path, 1, f"{what}: {proof.remarks}")
    if file.docstring is not None:
        yield Skipped(
            file.path,
            file.line_of(file.docstring),
            "the docstring of the file is not generated",
        )
