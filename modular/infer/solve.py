"""Infers the modular file of one model from its flat files, and proves it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import NamedTuple

from modular.conversion.converter import Converter
from modular.infer.choice import InferredDraft
from modular.infer.draft import write_draft
from modular.infer.files import select_files
from modular.infer.flat import (
    FlatFile,
    FlatModel,
    Remark,
    read_flat_file,
)
from modular.infer.index import ParentModels
from modular.infer.inference import FORMATTED, Inference, InferredClass
from modular.infer.parents import NearestClasses, ParentClass, ParentFiles
from modular.infer.proof import (
    Comparison,
    Proof,
    ProofResult,
    find_findings,
    format_texts,
    prove,
)
from modular.infer.ranking import Ranking
from modular.infer.relations import imported_names
from modular.infer.research import split_by_file_type
from modular.infer.search import Search
from modular.infer.targets import InferTarget, model_of
from modular.project.project import Project
from modular.semantics.imports import parent_files_of
from modular.settings.settings import KEPT_IMPORTS
from modular.source.blocks import Kind
from modular.source.diagnostics import Diagnostic
from modular.source.loading import read_module, syntax_problem
from modular.system.printable import counted


_ONLY_BY_HAND = "no modular file: none of the flat files can be generated"

_MAX_CANDIDATES = 4
"""The number of library classes that are tried as parents of a class, best first."""

_MAX_SEARCHES = 6
"""How often the search begins again because the proof failed."""

_MAX_REPORTED_NAMES = 3


def infer_model(
    project: Project, target: InferTarget, models: ParentModels
) -> Inference:
    """Infer a short modular file from which the files of a model are generated.

    If no modular file is shorter than these files, the result says why.

    Args:
        project: The project.
        target: The model and its files, which are complete: they inherit nothing from
            other models.
        models: The models that it may inherit from.

    Raises:
        modular.system.ruff.FormatterError: The formatter cannot be run.
    """
    converter = Converter(project, {})
    flat_sources = _read_flat_files(project, target)
    all_files = flat_sources.files
    if flat_sources.problems:
        problems = tuple(flat_sources.problems)
        return Inference(target.model, target.modular, diagnostics=problems)

    # Parent files with a syntax error are skipped, and the result says so.
    nearest, skipped_parents = find_nearest_classes(target, models, all_files)
    result = _infer_from_files(converter, target, all_files, nearest, models)
    notes = (*flat_sources.remarks, *skipped_parents, *result.notes)
    return replace(result, notes=notes)


def _infer_from_files(
    converter: Converter,
    target: InferTarget,
    files: Sequence[FlatFile],
    nearest: NearestClasses,
    models: ParentModels,
) -> Inference:
    """Return a modular file that generates as many files of a model as possible.

    A file that the converter cannot generate in the same way stays hand-written, and
    the others are tried again. If the modular file saves no lines, all files stay
    hand-written. Then the result has no text.

    Args:
        converter: The converter.
        target: The model.
        files: Its complete files.
        nearest: The nearest parent classes of each class.
        models: The models that it may inherit from.
    """
    result: Inference | None = None
    by_hand: list[Remark] = []
    flat = select_files(converter.project, target, files)
    while flat.files:
        result_or_obstacle = _search_in_two_ways(converter, flat, nearest, models)
        if isinstance(result_or_obstacle, Inference):
            result = result_or_obstacle
            break
        # One file cannot be generated, so the others are tried without it.
        by_hand.append(result_or_obstacle)
        files = [file for file in files if file.path != result_or_obstacle.path]
        flat = select_files(converter.project, target, files)
    # The converter forgets the last draft, which is not on disk.
    converter.refresh(target.modular, None)

    by_hand += flat.by_hand
    if result is None:
        result = Inference(target.model, target.modular, remark=_ONLY_BY_HAND)
        return replace(result, by_hand=tuple(by_hand))
    # If imports from models stay imports, only classes that inherit save anything.
    can_save_lines = (
        _inherits(result) or not converter.project.settings.keeps_model_imports
    )
    if result.saved_lines <= 0 or not can_save_lines:
        reason = _explain_uselessness(result)
        by_hand += [Remark(file.path, 1, reason) for file in flat.files]
        result = Inference(target.model, target.modular)
    return replace(result, by_hand=tuple(by_hand))


def _search_in_two_ways(
    converter: Converter, flat: FlatModel, nearest: NearestClasses, models: ParentModels
) -> Inference | Remark:
    """Search for a modular file that generates the lines of a model in their order.

    If a model is one file, and no class of it can inherit so, a modular file is searched
    that generates its lines in another order. That is better than no inheritance.

    Args:
        converter: The converter.
        flat: The files of the model, which are to be generated.
        nearest: The nearest parent classes of each class.
        models: The models to inherit from.

    Returns:
        The modular file, which is proved. If no modular file generates all files, one
        that cannot be generated, with the reason.
    """
    in_order = _search_and_prove(converter, flat, nearest, models)
    is_one_file = all(file.is_whole_model for file in flat.files)
    if not is_one_file or _inherits(in_order):
        return in_order
    reordered = _search_and_prove(
        converter, flat, nearest, models, avoids_reordering=False
    )
    return reordered if _inherits(reordered) else in_order


def _explain_uselessness(result: Inference) -> str:
    """Return why a proved modular file, which saves no lines, is not worth having."""
    if _inherits(result):
        return "what it could inherit saves fewer lines than the modular file adds"
    return "no other model has code that it could inherit"


def _inherits(result: Inference | Remark) -> bool:
    """Return whether a class of an inferred modular file inherits from another model."""
    if isinstance(result, Remark):
        return False
    return any(class_.parent is not None for class_ in result.classes)


class _FlatSources(NamedTuple):
    """The flat files of a target, remarks on code in them, and unreadable files."""

    files: list[FlatFile]
    remarks: list[Remark]
    problems: list[Diagnostic]


def _read_flat_files(project: Project, target: InferTarget) -> _FlatSources:
    """Read and format the complete files of a model.

    A research file, whose name contains no model, has classes of all types. It is split
    into a file for each type.
    """
    sources = _FlatSources([], [], [])
    texts: dict[str, str] = {}
    for path in target.paths:
        loaded = project.load(path, {})
        # `read_module` reports a file that is missing or nested too deeply.
        module_or_problem = syntax_problem(loaded.text, path) or read_module(
            path, loaded
        )
        if isinstance(module_or_problem, Diagnostic):
            sources.problems.append(module_or_problem)
        else:
            texts[path] = loaded.text

    for path, text in format_texts(project, texts).items():
        if text != texts[path]:
            sources.remarks.append(Remark(path, 1, FORMATTED))
        file = read_flat_file(project, path, text)
        is_research_file = model_of(project, path) is None
        if is_research_file:
            files, remarks = split_by_file_type(project, target.model, file)
            sources.files.extend(files)
            sources.remarks.extend(remarks)
        else:
            sources.files.append(file)
    return sources


class NearestParents(NamedTuple):
    """The nearest parent classes, and the parent files that were skipped.

    Attributes:
        classes: For the name of each class or function, the nearest ones of other models,
            best first.
        skipped: The parent files with a syntax error.
    """

    classes: NearestClasses
    skipped: list[Remark]


def find_nearest_classes(
    target: InferTarget, models: ParentModels, files: Iterable[FlatFile]
) -> NearestParents:
    """Return the nearest parent classes of each class or function of a model.

    Parent files with a syntax error are skipped.

    Args:
        target: The model.
        models: The models that it may inherit from.
        files: The complete files of the model.
    """
    # An inner dict keeps each class once, in order.
    nearest: dict[str, dict[ParentClass, None]] = defaultdict(dict)
    skipped: dict[str, Remark] = {}
    for file in files:
        ranking = Ranking(models, file.module, target.model)
        for definition in ranking.definitions:
            near_classes = nearest[definition.name]
            for similar in ranking.find_nearest(
                definition, _MAX_CANDIDATES, equal_first=False
            ):
                path = similar.file.path
                problem = models.index.syntax_problem(path)
                if problem is None:
                    near_classes[ParentClass(path, similar.fragment.name)] = None
                else:
                    reason = f"skipped as a parent file: {problem.message}"
                    skipped[path] = Remark(path, problem.place.line, reason)
    return NearestParents(
        {name: list(classes) for name, classes in nearest.items()},
        list(skipped.values()),
    )


def _learn_from_result(
    search: Search, flat: FlatModel, draft: InferredDraft, result: ProofResult
) -> bool:
    """Rule out the parent classes that make a modular file wrong, for the next search.

    It is wrong if its conversion has errors, or if a generated file differs from the file
    of the model. If all are the same, it is still wrong if linters complain about it.

    Args:
        search: The search, which does not propose the ruled out classes again.
        flat: The files of the model.
        draft: The contents of the modular file, as the search has proposed them.
        result: The modular file, and its conversion.

    Returns:
        Whether anything was ruled out, so that another search may find a better draft.
    """
    if search.learn_from_findings(draft, result.text, result.errors):
        # Nothing was generated, so the comparisons tell nothing.
        return True
    failures = [
        comparison
        for comparison in result.comparisons
        if comparison.proof is Proof.DIFFERENT
    ]
    if not failures:
        diagnostics = result.conversion.diagnostics
        findings = find_findings(flat.modular, result.text, diagnostics)
        return search.learn_from_findings(draft, result.text, findings)

    has_learned = False
    for comparison in failures:
        has_learned |= search.learn_from(draft, comparison)
    return has_learned


def _search_and_prove(
    converter: Converter,
    flat: FlatModel,
    nearest: NearestClasses,
    models: ParentModels,
    *,
    avoids_reordering: bool = True,
) -> Inference | Remark:
    """Search for a modular file from which the files of a model are generated exactly.

    Each modular file that the search finds is converted. If the result differs from the
    files, or if linters complain, the causes are ruled out for the next search.

    Args:
        converter: The converter.
        flat: The flat files to generate.
        nearest: The nearest parent classes of each flat class.
        models: The models to inherit from.
        avoids_reordering: Whether a class whose lines would get another order is worth
            less, and one with another layout is different.

    Returns:
        The modular file, which is proved. If no modular file generates all flat files,
        one that cannot be generated, with the reason.
    """
    parents = ParentFiles(converter, flat, avoids_reordering=avoids_reordering)
    search = Search(parents, nearest, models)
    for _ in range(_MAX_SEARCHES):
        draft = search.find_draft()
        result = prove(
            converter,
            flat,
            write_draft(draft, search.parents),
            accepts_layout=not avoids_reordering,
        )
        has_learned = _learn_from_result(search, flat, draft, result)
        if not has_learned:
            # Nothing is wrong, or the search would find the same draft again.
            break

    for comparison in result.comparisons:
        obstacle = _explain_failure(converter.project, comparison)
        if obstacle is not None:
            return obstacle
    is_whole_model = all(file.is_whole_model for file in flat.files)
    if is_whole_model and result.errors:
        # The files are equal, but a conversion that is not a trial would refuse to write.
        return Remark(flat.files[0].path, 1, result.errors[0].message)
    return _make_inference(converter.project, flat, draft, result)


def _explain_failure(project: Project, comparison: Comparison) -> Remark | None:
    """Return why a file must stay hand-written, or None if it can be generated.

    It cannot be generated if the result differs, or lacks a definition that another file
    imports: the converter leaves out definitions that nothing in their file uses.

    Args:
        project: The project.
        comparison: The comparison of the file with the generated one.
    """
    file = comparison.file
    if comparison.proof is Proof.DIFFERENT:
        lost_import = _find_lost_model_import(project, comparison)
        return lost_import or _explain_differences(comparison)

    stem = PurePosixPath(file.path).stem
    imported_by_others = imported_names(project)
    needed_names = [
        name for name in comparison.unused if (stem, name) in imported_by_others
    ]
    if not needed_names:
        return None
    name = min(needed_names)
    reason = (
        f"`{name}` is not generated, because this file does not use it, "
        "but other files import it"
    )
    return Remark(file.path, file.line_of(file.definitions[name]), reason)


def _find_lost_model_import(project: Project, comparison: Comparison) -> Remark | None:
    """Return the reason to keep a file if it needs an import from another model, or None.

    The converter copies such code instead of importing it. The result is also None if a
    definition is wrong, which is a better reason.

    Args:
        project: The project.
        comparison: The comparison of the file with the generated one.
    """
    file = comparison.file
    if comparison.wrong_definitions or project.settings.keeps_model_imports:
        return None
    for import_ in file.module.imports:
        lost_names = import_.bound_names.intersection(comparison.missing_imports)
        if lost_names and parent_files_of(project, file.path, import_):
            reason = (
                f"{_list_names(sorted(lost_names))} is imported from another model: such "
                f'imports stay with the setting `model-imports = "{KEPT_IMPORTS}"`'
            )
            return Remark(file.path, file.line_of(import_.statement), reason)
    return None


def _explain_differences(comparison: Comparison) -> Remark:
    """Return which code of a file cannot be generated, as the reason to keep the file.

    The reason names wrong definitions and missing imports, or else other statements that
    are missing, or else extra imports.

    Args:
        comparison: The comparison of the file with the generated one, which differs.
    """
    file = comparison.file
    names = [*comparison.wrong_definitions, *comparison.missing_imports]
    names = names or comparison.missing_statements
    if names:
        reason = f"{_list_names(names)} cannot be generated unchanged"
        return Remark(file.path, _line_of_name(file, names[0]), reason)
    if comparison.extra_imports:
        listed = _list_names(comparison.extra_imports)
        reason = f"the generated file would import {listed}, too"
    else:
        reason = "the file cannot be generated unchanged"
    return Remark(file.path, 1, reason)


def _list_names(names: Sequence[str]) -> str:
    """Return the first names of a list, in words."""
    return ", ".join(f"`{name}`" for name in names[:_MAX_REPORTED_NAMES])


def _line_of_name(file: FlatFile, name: str) -> int:
    """Return the line of the statement that defines a name, or else mentions it."""
    if name in file.definitions:
        return file.line_of(file.definitions[name])
    for statement in file.module.block.statements:
        if name in statement.bare_code.text:
            return file.line_of(statement)
    return 1


def _make_inference(
    project: Project, flat: FlatModel, draft: InferredDraft, proved: ProofResult
) -> Inference:
    """Return the report on a modular file: what its classes inherit, and which lines are lost.

    Args:
        project: The project.
        flat: The files of the model.
        draft: What the modular file contains: for each class that inherits, the chosen
            parent class, and its text as a child of that (`derived`).
        proved: The text of the modular file, and the comparisons of the flat files with
            the generated ones. These may lack lines, such as the docstring of a file.
    """
    # An omitted class is not in the modular file: it is generated because inherited code
    # uses it. Nevertheless, it can have a chosen parent.
    classes = []
    for name, statement in flat.definitions.items():
        if statement.kind is not Kind.CLASS:
            continue
        is_omitted = name in draft.omitted
        class_ = InferredClass(name, parent=None, is_omitted=is_omitted)
        chosen = draft.chosen_parents.get(name)
        if chosen is not None:
            class_ = replace(
                class_,
                parent=chosen.parent,
                parent_model=project.model_of(chosen.parent.path),
                derived=chosen.derived,
            )
        classes.append(class_)

    proofs = {}
    notes: list[Remark] = []
    for comparison in proved.comparisons:
        proofs[comparison.file.path] = comparison.proof
        notes += _find_notes(comparison)
    return Inference(
        model=flat.model,
        modular=flat.modular,
        text=proved.text,
        flat_lines=flat.line_count,
        modular_lines=proved.text.count("\n"),
        dropped_lines=_count_dropped_lines(proved),
        proofs=proofs,
        classes=tuple(classes),
        notes=tuple(notes),
    )


def _count_dropped_lines(result: ProofResult) -> int:
    """Return how many lines of a model are in neither a generated nor the modular file.

    No generated file has the docstring that a file of the model has, but the modular file
    may have it. Then the docstring and the blank line below it are not lost: if a
    generated file lacks 6 lines, and the docstring has 3, 6 - 3 - 1 = 2 lines are lost.

    Args:
        result: The modular file, and the comparisons of the files with generated ones.
    """
    lost_lines = 0
    for comparison in result.comparisons:
        lost_lines += comparison.dropped_lines
        docstring = comparison.file.lost_docstring
        if docstring is not None and docstring.bare_code.text.strip() in result.text:
            docstring_lines = docstring.code.text.strip("\n").count("\n") + 1
            blank_line_below = 1
            lost_lines -= docstring_lines + blank_line_below
    # The number is negative if a generated file lacks a docstring, but has new lines.
    return max(0, lost_lines)


def _find_notes(comparison: Comparison) -> Iterator[Remark]:
    """Yield notes on what differs between a flat file and the generated file.

    The file counts as generated in spite of these differences. For example, it may lack
    a function that nothing uses, and the docstring of the file.

    Args:
        comparison: The flat file and its differences from the generated file.

    Yields:
        The lines of the flat file that differ, and how they do.
    """
    file = comparison.file
    reasons = {}
    for name in comparison.unused:
        reasons[name] = f"`{name}` is not generated: nothing uses it"
    for name in comparison.reordered:
        reasons[name] = (
            f"the lines of `{name}` are generated in the order and layout of its parent"
        )
    for name, reason in reasons.items():
        line = file.line_of(file.definitions[name])
        yield Remark(file.path, line, reason)

    if comparison.dropped_copy_comments > 0:
        comments = counted(comparison.dropped_copy_comments, "copy comment")
        reason = f"not generated: {comments}, replaced by inheritance"
        yield Remark(file.path, 1, reason)
    if file.lost_docstring is not None:
        line = file.line_of(file.lost_docstring)
        yield Remark(file.path, line, "the docstring of the file is not generated")
