"""Infers the modular file of one model: searches, proves, and gives up what the proof does not hold for."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from modular.conversion.converter import Converter
from modular.format import formatting
from modular.infer.choice import Candidate
from modular.infer.draft import HEADINGS, Draft, write
from modular.infer.expressible import choose_files
from modular.infer.flat import Aside, FlatFile, FlatModel, read_flat
from modular.infer.fragments import METHOD, fragments
from modular.infer.index import ParentModels
from modular.infer.near_misses import NearMiss, near_miss
from modular.infer.parents import Parents
from modular.infer.proof import FileProof, Proof, Proved, prove
from modular.infer.ranking import About, rank
from modular.infer.refused import refusals
from modular.infer.relations import year
from modular.infer.research import take_apart
from modular.infer.search import Search
from modular.infer.targets import Target, model_of
from modular.project.project import Project
from modular.rules.names.renaming import COPIED
from modular.source.blocks import Kind
from modular.source.diagnostics import Diagnostic
from modular.source.loading import load, nesting_problem, syntax_problem


_NEAREST = 12
"""Classes of the library that are tried as a parent, for each class."""

_ROUNDS = 6
"""How often the search begins anew because the proof did not hold."""


@dataclass(frozen=True, slots=True)
class InferredClass:
    """A class of a modular file: its parent, if it has one, and its members.

    ``merged`` are methods that unravel `super()`; ``overridden`` is what is written out otherwise. ``implicit`` says that
    the modular file does not mention the class: others bring it along.
    """

    name: str
    parent: tuple[str, str] | None
    inherited: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    overridden: tuple[str, ...] = ()
    implicit: bool = False


@dataclass(frozen=True)
class Inference:
    """The modular file of a model. There is no ``text`` where nothing would be shorter, or something is wrong.

    ``proofs`` has the flat files that it stands for, ``by_hand`` those that it does not, ``left_out`` what of the former
    is not generated because nothing uses it. ``near_misses`` are classes that could be inherited if they were written a
    little otherwise. Lines are those of the files that it stands for, and its own. ``diff`` leads
    from a modular file that was there, with ``before_lines``, to this one; ``remark`` says what else there is to say.
    """

    model: str
    modular: str
    text: str = ""
    flat_lines: int = 0
    modular_lines: int = 0
    proofs: Mapping[str, Proof] = field(default_factory=dict)
    classes: tuple[InferredClass, ...] = ()
    by_hand: tuple[Aside, ...] = ()
    left_out: tuple[Aside, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    near_misses: tuple[NearMiss, ...] = ()
    diff: str = ""
    before_lines: int = 0
    remark: str = ""

    @property
    def saved(self) -> int:
        """How many lines are saved: of the flat files, or of the modular file that was there."""
        return (self.before_lines or self.flat_lines) - self.modular_lines if self.text else 0

    @property
    def proof(self) -> Proof | None:
        """What holds for all files."""
        if not self.proofs:
            return None
        return next((each for each in self.proofs.values() if each is not Proof.IDENTICAL), Proof.IDENTICAL)


def solve(
    converter: Converter,
    target: Target,
    models: ParentModels,
    imported: Mapping[str, Collection[str]],
) -> Inference:
    """Infer a modular file.

    ``converter`` may have been used for other models; ``imported`` names, for each flat file, what other files of the
    project import from it. Raises `formatting.FormatterError`.
    """
    project = converter.project
    files, asides, problems = _read(project, target)
    if problems:
        return Inference(target.model, target.modular, diagnostics=tuple(problems))
    cased = project.names.cased(target.model)
    near = candidates(project, target, models, files)
    by_hand: dict[str, Aside] = {}
    while True:
        remaining = [file for file in files if file.path not in by_hand]
        flat = choose_files(project, target.model, cased, target.modular, remaining)
        if not flat.files:
            inference = Inference(target.model, target.modular)
            break
        inference, problem = _prove(converter, flat, near, models, imported)
        converter.refresh(target.modular, None)
        if problem is None:
            break
        by_hand[problem.path] = problem
    kept = [*by_hand.values(), *flat.by_hand]
    if flat.files and inference.modular_lines >= inference.flat_lines:
        kept += [Aside(file.path, 1, "nothing of it is in another model") for file in flat.files]
        inference = Inference(target.model, target.modular)
    inherited = {class_.name for class_ in inference.classes if class_.parent is not None}
    misses = _near_misses(converter, FlatModel(target.model, cased, target.modular, tuple(files)), near, inherited)
    return replace(inference, by_hand=tuple(kept), left_out=(*asides, *inference.left_out), near_misses=tuple(misses))


def _read(project: Project, target: Target) -> tuple[list[FlatFile], list[Aside], list[Diagnostic]]:
    """Read the flat files of a target, formatted; and say what of them is not, or not as they stand."""
    files, asides, problems = [], [], []
    for path in target.paths:
        loaded = load(project.locate(path), path)
        problem = loaded.problem or syntax_problem(loaded.text, path)
        if problem is None:
            text = formatting.format_texts({path: loaded.text}, project.root, project.settings.formatter).texts[path]
            file = read_flat(project, path, text)
            problem = nesting_problem(file.module.code.text, file.module.code.mask, path)
        if problem is not None:
            problems.append(problem)
            continue
        if text != loaded.text:
            asides.append(
                Aside(
                    path,
                    1,
                    "the file was formatted first: line numbers refer to the formatted text, which is what is generated",
                )
            )
        if model_of(project, path) is not None:
            files.append(file)
        else:
            parted, kept = take_apart(project, target.model, file)
            files += parted
            asides += kept
    return files, asides, problems


def _near_misses(
    converter: Converter, flat: FlatModel, near: Mapping[str, Sequence[Candidate]], inherited: Collection[str]
) -> Iterator[NearMiss]:
    """For each class that inherits from no model's, yield the first that differs in nothing that decides something."""
    parents = Parents(converter, flat)
    for name, statement in flat.names.items():
        if statement.kind is Kind.CLASS and name not in inherited:
            texts = ((each, parents.as_parent(name, *each)) for each in near.get(name, ()))
            found = (near_miss(name, statement.own.text, each, text) for each, text in texts)
            yield from islice((each for each in found if each is not None), 1)


def candidates(
    project: Project, target: Target, models: ParentModels, files: Sequence[FlatFile]
) -> dict[str, list[Candidate]]:
    """The nearest classes of the library for each class, those of a file asked for together."""
    cased = project.names.cased(target.model)
    found: dict[str, list[Candidate]] = {}
    for file in files:
        about = About(target.model, year(file.module.header.text), tuple(fragments(file.module, target.model, cased)))
        asked = [piece for piece in about.pieces if piece.kind != METHOD]
        ranked = rank(models.index, asked, models.left_out, models.uses, _NEAREST, about)
        for each, near in zip(asked, ranked, strict=True):
            found.setdefault(each.name, []).extend((one.file.path, one.fragment.name) for one in near)
    return found


def _prove(
    converter: Converter,
    flat: FlatModel,
    near: Mapping[str, Sequence[Candidate]],
    models: ParentModels,
    imported: Mapping[str, Collection[str]],
) -> tuple[Inference, Aside | None]:
    """Search until the proof holds. Else say which file it does not hold for, whatever is done."""
    search = Search(converter, flat, near, models.precedence)
    for _ in range(_ROUNDS):
        draft, _ = search.draft()
        text, proofs, diagnostics = _best_heading(search, flat, draft)
        wrong = [each for each in proofs if each.proof is Proof.DIFFERENT]
        if not wrong and not search.refuse(draft, text, refusals(flat.modular, text, diagnostics)):
            break
        if wrong and not sum(search.learn(draft, each) for each in wrong):
            break
    problem = next(
        (found for each in proofs if (found := _problem(converter.project, flat, each, imported)) is not None), None
    )
    if problem is not None:
        return Inference(flat.model, flat.modular), problem
    return _inference(flat, draft, text, proofs), None


def _problem(
    project: Project, flat: FlatModel, proof: FileProof, imported: Mapping[str, Collection[str]]
) -> Aside | None:
    """Say which file has to stay written by hand because of a proof, and why; None if none has to."""
    if proof.proof is Proof.DIFFERENT:
        what = ", ".join(f"`{name}`" for name in (*proof.wrong, *proof.imports)[:3]) or "the file"
        file = _hindering(project, flat, proof)
        return Aside(file.path, 1, f"{what} cannot be generated as it is")
    needed = sorted(set(proof.left_out) & set(imported.get(proof.file.path, ())))
    if not needed:
        return None
    why = f"`{needed[0]}`, which other files import, is used by nothing in this one, and is not generated"
    return Aside(proof.file.path, proof.file.line(proof.file.named[needed[0]]), why)


def _hindering(project: Project, flat: FlatModel, proof: FileProof) -> FlatFile:
    """The file without which the others may be proved: of those that define a name differently one that none is copied from."""
    names = flat.ambiguous.intersection(proof.wrong)
    sources = set(project.settings.copied_instead_of_imported.values())
    found = [each for each in flat.files if names & each.named.keys()]
    return min(found, key=lambda each: (each.file_type in sources, each.lines), default=proof.file)


def _best_heading(search: Search, flat: FlatModel, draft: Draft) -> Proved:
    """Prove a draft under the heading with which most files are identical."""
    best: Proved | None = None
    for heading in HEADINGS:
        proved = prove(search.converter, flat, write(draft, search.parents, heading))
        if best is None or _identical(proved[1]) > _identical(best[1]):
            best = proved
        if not any(each.only_heading for each in best[1]):
            break
    assert best is not None
    return best


def _identical(proofs: Sequence[FileProof]) -> int:
    return sum(each.proof is Proof.IDENTICAL for each in proofs)


def _inference(flat: FlatModel, draft: Draft, text: str, proofs: Sequence[FileProof]) -> Inference:
    classes = []
    for name in dict.fromkeys(each.name for file in flat.files for each in file.classes):
        option = draft.choice.options.get(name)
        if option is None:
            classes.append(InferredClass(name, None))
            continue
        derived = option.derived
        parent, implicit = (option.path, option.parent), name in draft.implicit
        classes.append(InferredClass(name, parent, derived.inherited, derived.merged, derived.overridden, implicit))
    gone = [
        Aside(each.file.path, each.file.line(each.file.named[name]), f"`{name}` is not generated: nothing uses it")
        for each in proofs
        for name in each.left_out
    ]
    for each in proofs:
        for name in each.moved:
            what = f"`{name}` is generated with its lines in another order, as its parent has them"
            gone.append(Aside(each.file.path, each.file.line(each.file.named[name]), what))
        if each.copies:
            what = f"comments `{COPIED}` that are not generated, because inheriting takes their place: {each.copies}"
            gone.append(Aside(each.file.path, 1, what))
        for line in each.file.origins:
            what = "a comment that marks a copy is not generated, because inheriting replaces it"
            gone.append(Aside(each.file.path, line, what))
        if each.file.docstring is not None:
            line = each.file.line(each.file.docstring)
            gone.append(Aside(each.file.path, line, "the docstring of the file is not generated"))
    return Inference(
        flat.model,
        flat.modular,
        text,
        flat.lines,
        text.count("\n"),
        {each.file.path: each.proof for each in proofs},
        tuple(classes),
        left_out=tuple(gone),
    )
