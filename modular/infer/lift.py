"""`modular lift`: moves edits of generated files into the modular file or a parent."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from modular.cache.fingerprints import digest
from modular.conversion.converter import Converter
from modular.infer.edited_parts import PartKind
from modular.infer.lift_edits import SourceEdit
from modular.infer.lift_proof import LiftProof, LiftState, read_goal
from modular.infer.lift_targets import find_lift_targets
from modular.infer.lifter import LiftedPart, Lifter, UnliftedPart
from modular.project.project import Project
from modular.refactor.updated_file import UpdatedFile, write_updated_files
from modular.run.options import Options
from modular.run.output_record import OutputRecord
from modular.run.selection import as_targets, relative_to_root, select
from modular.source.diagnostics import Diagnostic
from modular.source.edits import apply_edits, find_line_edits
from modular.source.module import normalize_text


@dataclass(frozen=True)
class SharedEdit:
    """An edit of lines of a parent file that several models have made.

    Attributes:
        parent: The parent file.
        modulars: The modular files of the models.
    """

    parent: str
    modulars: tuple[str, ...]


@dataclass(frozen=True)
class LiftedModel:
    """The edits of the generated files of one model.

    Attributes:
        modular: The modular file.
        lifted: The parts that it generates now.
        left: The parts that it does not generate, with the reasons.
        files: The modular file and parent files, with their new texts, and generated
            files of which only the layout differs from that on disk.
        outputs: The texts of generated files on disk that it generates now.
        diagnostics: The errors of a modular file that cannot be converted.
    """

    modular: str
    lifted: tuple[LiftedPart, ...] = ()
    left: tuple[UnliftedPart, ...] = ()
    files: tuple[UpdatedFile, ...] = ()
    outputs: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True)
class LiftReport:
    """The result of `lift`.

    Attributes:
        models: The models whose generated files somebody has edited.
        problems: Problems of targets, and of writing.
        has_unknown_targets: Whether a target names nothing.
    """

    models: tuple[LiftedModel, ...]
    problems: tuple[Diagnostic, ...] = ()
    has_unknown_targets: bool = False

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All problems, those of models included."""
        diagnostics = list(self.problems)
        for model in self.models:
            diagnostics += model.diagnostics
        return tuple(diagnostics)

    @property
    def is_complete(self) -> bool:
        """Whether everything was lifted."""
        return not self.diagnostics and not any(model.left for model in self.models)

    @property
    def shared_edits(self) -> tuple[SharedEdit, ...]:
        """The edits that somebody made in the same inherited lines of several models.

        If two models have the same edit of a line that comes from `modeling_llama.py`, the
        edit may belong there.
        """
        modulars_by_edit: dict[SourceEdit, list[str]] = {}
        for model in self.models:
            # Several parts of a model can have the same edit, which counts once.
            parent_edits = dict.fromkeys(part.parent_edit for part in model.lifted)
            for edit in parent_edits:
                if edit is not None:
                    modulars_by_edit.setdefault(edit, []).append(model.modular)
        return tuple(
            SharedEdit(edit.path, tuple(modulars))
            for edit, modulars in modulars_by_edit.items()
            if len(modulars) > 1
        )


def lift(
    targets: str | Sequence[str] = (),
    *,
    to_parent: bool = False,
    dry_run: bool = False,
    options: Options = Options(),
) -> LiftReport:
    """Edit modular files so that they generate the generated files on disk.

    After each edit, the model is converted again. An edit is kept only if the generated
    file then has the edited code, byte for byte.

    Args:
        targets: Names of models, generated or modular files, or folders; none means the
            whole project.
        to_parent: Whether an edit of an inherited line is made in the parent file.
        dry_run: Whether nothing is written.
        options: Options of the run.

    Raises:
        modular.settings.settings.SettingsError: The settings are invalid.
        modular.system.ruff.FormatterError: The formatter cannot be run.
    """
    project = options.open(as_targets(targets))
    selection = select(project, _modular_targets(project, as_targets(targets)))
    record = OutputRecord(project.root)
    models = []
    problems = list(selection.problems)
    for modular in selection.modulars:
        model = lift_model(project, modular, to_parent=to_parent, record=record)
        if model != LiftedModel(modular):
            models.append(model)
    if not dry_run:
        for index, model in enumerate(models):
            failures = write_updated_files(project.root, model.files)
            problems += failures.values()
            if failures:
                models[index] = replace(model, lifted=())
            else:
                # The record tells these outputs from later edits. If the modular file was
                # not written, the texts on disk are still somebody's work.
                digests = [digest(text.encode()) for text in model.outputs]
                record.add(digests, in_git=True)
    return LiftReport(
        models=tuple(models),
        problems=tuple(problems),
        has_unknown_targets=bool(targets and selection.problems),
    )


def _modular_targets(project: Project, targets: Sequence[str]) -> list[str]:
    """Return targets with the modular file in place of each generated file.

    Names of models, modular files and folders stay as they are.
    """
    modular_targets = []
    for target in targets:
        path = relative_to_root(project, target)
        modular = None if path is None else project.generating_modular(path)
        if modular is not None and target.endswith(".py"):
            modular_targets.append(str(project.root / modular))
        else:
            modular_targets.append(target)
    return modular_targets


def lift_model(
    project: Project, modular: str, *, to_parent: bool, record: OutputRecord
) -> LiftedModel:
    """Edit a modular file so that it generates the files of its model on disk.

    Nothing is written. If the modular file or its parents changed since the last commit,
    these changes are first merged with the files.

    Args:
        project: The project.
        modular: The modular file.
        to_parent: Whether an edit of an inherited line is made in the parent file.
        record: The record of the project's outputs.

    Raises:
        modular.system.ruff.FormatterError: The formatter cannot be run.
    """
    conversion = Converter(project, {}).convert(modular, inspects=False)
    if any(problem.is_error for problem in conversion.diagnostics):
        # Some of the files are not generated, and others lack a class.
        return LiftedModel(modular, diagnostics=conversion.diagnostics)
    # Everything below sees these texts, even if somebody saves another one meanwhile.
    paths = (modular, *conversion.reads) if to_parent else (modular,)
    project = _with_texts_of_now(project, paths)
    targets = find_lift_targets(project, conversion, record)
    if targets.problem is not None:
        return LiftedModel(modular, diagnostics=(targets.problem,))
    return lift_texts(project, modular, targets.texts, to_parent=to_parent)


def lift_texts(
    project: Project,
    modular: str,
    texts: Mapping[str, str],
    *,
    to_parent: bool = False,
) -> LiftedModel:
    """Edit a modular file so that it generates some texts. Nothing is written.

    Args:
        project: The project.
        modular: The modular file.
        texts: The texts that it must generate, by path.
        to_parent: Whether an edit of an inherited line is made in the parent file.

    Raises:
        modular.system.ruff.FormatterError: The formatter cannot be run.
    """
    if not texts:
        return LiftedModel(modular)
    converter = Converter(project, {})
    goal = read_goal(converter, modular, texts)
    proof = LiftProof(converter)
    state = proof.convert(goal, project.load(modular, {}).text, {})
    if isinstance(state, str):
        diagnostics = converter.convert(modular).diagnostics
        return LiftedModel(modular, diagnostics=diagnostics)
    if not state.missing_parts:
        return LiftedModel(modular)

    lifter = Lifter(proof, state, to_parent=to_parent)
    lifter.lift_all()
    state = lifter.remove_unused_imports()
    new_texts = {modular: state.text, **state.parent_texts}
    for path, text in texts.items():
        # Other texts are merged with later changes, and wait for the next conversion.
        if normalize_text(project.load(path, {}).text) == text:
            new_texts[path] = _choose_layout(state, path)
    files = list(_update_files(project, new_texts))
    return LiftedModel(
        modular=modular,
        lifted=lifter.lifted,
        left=lifter.find_unlifted_parts(),
        files=tuple(files),
        outputs=tuple(_outputs_on_disk(project, state, files)),
    )


def _with_texts_of_now(project: Project, paths: Iterable[str]) -> Project:
    """Return a project in which some files keep their present text.

    If somebody saves one of the files later, the project does not see it.
    """
    sources = {}
    for path in paths:
        loaded = project.load(path, {})
        if loaded.problem is None:
            sources[path] = loaded.source
    return replace(project, unsaved={**sources, **project.unsaved})


def _outputs_on_disk(
    project: Project, state: LiftState, files: Iterable[UpdatedFile]
) -> Iterable[str]:
    """Yield the texts of generated files that are up to date after a lift.

    A generated file that still differs from its text on disk is left out: only the next
    conversion writes it.

    Args:
        project: The project.
        state: The edited modular file, and what it generates.
        files: The files that the lift writes, with their new texts.
    """
    new_sources = {file.path: file.new_source for file in files}
    for path, generated_text in state.formatted_texts.items():
        loaded = project.load(path, {})
        text_after_lift = new_sources.get(path, loaded.text)
        is_up_to_date = normalize_text(text_after_lift) == generated_text
        if loaded.problem is None and is_up_to_date:
            yield generated_text


def _update_files(project: Project, texts: Mapping[str, str]) -> Iterator[UpdatedFile]:
    """Yield the files whose new texts, given by path, differ from those on disk."""
    for path, text in texts.items():
        loaded = project.load(path, {})
        edits = find_line_edits(path, loaded.text, text)
        if edits:
            yield UpdatedFile(path, loaded.source, apply_edits(loaded.source, edits))


def _choose_layout(state: LiftState, path: str) -> str:
    """Return the text that an edited file gets after a lift.

    Usually, this is what is generated now. It differs from the file only in what a modular
    file cannot express: the number of blank lines above the imports, where an import is
    split into lines, where a new member of a class is, and unused imports.

    If other edits could not be lifted, they stay on disk. Then only new members of classes
    move to the places where they are generated.

    Args:
        state: The edited modular file, what it generates, and the edits that are left.
        path: The edited file.
    """
    left_kinds = {part.kind for part in state.missing_parts if part.path == path}
    has_unlifted_edits = bool(left_kinds - {PartKind.LAYOUT})
    if has_unlifted_edits or path not in state.formatted_texts:
        return state.goal.texts[path]
    return state.formatted_texts[path]
