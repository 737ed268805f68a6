"""`modular lift`: moves edits of generated files into the modular file or a parent."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from modular.cache.fingerprints import digest
from modular.conversion.converter import Converter
from modular.infer.edited_parts import EditedPart, PartId, PartKind
from modular.infer.flat import FlatModel, read_flat_file, remove_empty_guards
from modular.infer.lift_edits import WHOLE_CLASS, WITHOUT_PARENT, LiftEdits, Proposal
from modular.infer.lift_proof import LiftProof, LiftState
from modular.infer.lift_targets import LiftTargets, find_lift_targets
from modular.infer.member_order import has_added_members_elsewhere
from modular.infer.modular_edits import ModularText, class_members
from modular.infer.parents import ParentFiles
from modular.infer.proof import format_texts, remove_unused_imports
from modular.project.project import Project, model_name
from modular.refactor.updated_file import UpdatedFile, write_updated_files
from modular.run.options import Options
from modular.run.output_record import OutputRecord
from modular.run.selection import as_targets, relative_to_root, select
from modular.source import module as modules
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.diagnostics import Diagnostic, Problem
from modular.source.edits import apply_edits, find_line_edits
from modular.source.loading import syntax_problem
from modular.source.module import normalize_text


_MAX_REPORTED_NAMES = 3

_MEMBER_ORDER = (
    "a new member is generated below the inherited ones: move it there in the "
    "generated file"
)

_OTHER_MEMBER_ORDER = (
    "the edit cannot be made without changing the order of the members of the class, or blank "
    "lines between them"
)

_OTHER_CODE_DIFFERS = (
    "with code that generates it, other lines differ, which nothing generates"
)

_MAX_RESTARTS = 5
"""How often parts are lifted again because one of them made other lines differ."""


@dataclass(frozen=True)
class LiftedPart:
    """An edited part, and the form in which the modular file has it now.

    Attributes:
        part: The part.
        form: What was written, such as `override`.
        parent_edit: If the edited lines come from one parent file, this file and the
            text that it would have after the same edit.
    """

    part: EditedPart
    form: str
    parent_edit: tuple[str, str] | None = None


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
class LeftPart:
    """An edited part that no modular code generates, with the reason."""

    part: EditedPart
    reason: str


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
    left: tuple[LeftPart, ...] = ()
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
        """The edits of inherited lines that several models share.

        If the generated files of two models have the same edit of a line of
        `modeling_llama.py`, the edit may belong there.
        """
        modulars_by_edit: dict[tuple[str, str], list[str]] = {}
        for model in self.models:
            for lifted in model.lifted:
                if lifted.parent_edit is not None:
                    modulars = modulars_by_edit.setdefault(lifted.parent_edit, [])
                    modulars.append(model.modular)
        shared = []
        for (parent, _), modulars in modulars_by_edit.items():
            unique_modulars = tuple(dict.fromkeys(modulars))
            if len(unique_modulars) > 1:
                shared.append(SharedEdit(parent, unique_modulars))
        return tuple(shared)


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
    for modular in selection.modulars:
        lifted = lift_model(project, modular, to_parent=to_parent, record=record)
        if lifted != LiftedModel(modular):
            models.append(lifted)
    problems = list(selection.problems)
    if not dry_run:
        for index, model in enumerate(models):
            failures = write_updated_files(project.root, model.files)
            problems += failures.values()
            if failures:
                models[index] = replace(model, lifted=())
            else:
                # The next edit of these files starts from them. If the modular file was
                # not written, they are still somebody's work.
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
        if modular is None or not target.endswith(".py"):
            modular_targets.append(target)
        else:
            modular_targets.append(str(project.root / modular))
    return modular_targets


def lift_model(
    project: Project,
    modular: str,
    *,
    to_parent: bool,
    texts: Mapping[str, str] | None = None,
    record: OutputRecord | None = None,
) -> LiftedModel:
    """Return the edits of a modular file that generate the files on disk.

    Args:
        project: The project.
        modular: The modular file.
        to_parent: Whether an edit of an inherited line is made in the parent file.
        texts: The texts that the modular file must generate, by path; None for those on
            disk, merged with what changed in its sources since the last commit.
        record: The record of the project's outputs; None to open it.

    Raises:
        modular.system.ruff.FormatterError: The formatter cannot be run.
    """
    loaded = project.load(modular, {})
    if loaded.problem is not None:
        return LiftedModel(modular, diagnostics=(loaded.problem,))
    conversion = Converter(project, {}).convert(modular, inspects=False)
    if any(problem.is_error for problem in conversion.diagnostics):
        # Some of the files are not generated, and others lack a class.
        return LiftedModel(modular, diagnostics=conversion.diagnostics)
    # Everything below sees these texts, even if somebody saves another one meanwhile.
    paths = (modular, *conversion.reads) if to_parent else (modular,)
    project = _with_texts_of_now(project, paths)
    converter = Converter(project, {})
    if texts is None:
        formatted = format_texts(project, conversion.texts)
        record = record or OutputRecord(project.root)
        targets = find_lift_targets(
            project, modular, formatted, conversion.reads, record
        )
    else:
        targets = LiftTargets(texts)
    if targets.problem is not None:
        return LiftedModel(modular, diagnostics=(targets.problem,))
    edited = _read_edited_files(project, modular, targets.texts)
    if not edited.files:
        return LiftedModel(modular)
    proof = LiftProof(converter, edited)
    state = proof.convert(loaded.text, {})
    if state is None:
        diagnostics = converter.convert(modular).diagnostics
        return LiftedModel(modular, diagnostics=diagnostics)
    if not state.parts:
        return LiftedModel(modular)

    parents = ParentFiles(converter, edited)
    lifter = _Lifter(parents, proof, state, to_parent, targets.texts)
    lifter.lift_all()
    lifter.remove_unused_imports()
    files = [*_updated_files(project, modular, lifter.state)]
    for path, text in targets.texts.items():
        # Other texts are merged with later changes, and wait for the next conversion.
        if normalize_text(project.load(path, {}).text) == text:
            files += _update_layout(project, path, lifter)
    return LiftedModel(
        modular=modular,
        lifted=tuple(lifter.lifted),
        left=tuple(lifter.find_left_parts()),
        files=tuple(files),
        outputs=tuple(_outputs_on_disk(project, lifter.state, files)),
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


def _read_edited_files(
    project: Project, modular: str, texts: Mapping[str, str]
) -> FlatModel:
    """Return the edited files, formatted, as the modular file should generate them.

    Unused imports are left out, since they are never generated. So are guards such as
    `if is_torch_available():` that have lost their import with this.

    Args:
        project: The project.
        modular: The modular file.
        texts: The texts of the edited files by path.
    """
    model = model_name(modular)
    # The formatter also removes unused imports.
    formatted = format_texts(project, texts)
    without_guards = {}
    for path, text in formatted.items():
        without_guards[path] = remove_empty_guards(modules.read(path, text))
    if without_guards != formatted:
        formatted = format_texts(project, without_guards)
    files = [read_flat_file(project, path, text) for path, text in formatted.items()]
    return FlatModel(model, project.names.cased(model), modular, tuple(files))


def _outputs_on_disk(
    project: Project, state: LiftState, files: Iterable[UpdatedFile]
) -> Iterable[str]:
    """Yield the generated texts that are on disk once the updated files are written.

    A text that differs from its file is left out: only the next conversion writes it.
    """
    new_sources = {file.path: file.new_source for file in files}
    for path, text in state.formatted_texts.items():
        loaded = project.load(path, {})
        new_text = new_sources.get(path, loaded.text)
        if loaded.problem is None and normalize_text(new_text) == text:
            yield text


def _updated_files(
    project: Project, modular: str, state: LiftState
) -> Iterable[UpdatedFile]:
    """Yield the modular file and parent files that change, with old and new texts.

    Args:
        project: The project.
        modular: The modular file.
        state: Its text with all lifted edits, and the new texts of parent files.
    """
    for path, text in {modular: state.text, **state.parent_texts}.items():
        loaded = project.load(path, {})
        edits = find_line_edits(path, loaded.text, text)
        if edits:
            yield UpdatedFile(path, loaded.source, apply_edits(loaded.source, edits))


def _update_layout(
    project: Project, path: str, lifter: "_Lifter"
) -> Iterable[UpdatedFile]:
    """Yield an edited file if it is generated with another layout, but the same code.

    The converter decides how many blank lines are above the imports, where an import is
    split into lines, and where a new member of a class is. It drops unused imports. A
    modular file cannot express such edits.

    Args:
        project: The project.
        path: The path of the edited file.
        lifter: The modular file after all edits, and the texts that it must generate.
    """
    kinds = {part.kind for part in lifter.state.parts if part.path == path}
    has_unlifted_edits = bool(kinds - {PartKind.LAYOUT})
    text = lifter.state.formatted_texts.get(path)
    if text is None or has_unlifted_edits:
        # The edits that are left stay on disk. This text is that on disk, except for
        # new members, which are at the places where they are generated.
        text = lifter.texts[path]
    loaded = project.load(path, {})
    edits = find_line_edits(path, loaded.text, text)
    if edits:
        yield UpdatedFile(path, loaded.source, apply_edits(loaded.source, edits))


@dataclass
class _Choice:
    """The first edits that generate a part, but are not clearly good.

    Attributes:
        clean: The first one that changes only parts that are edited.
        moved: The first one that generates a new member at another place of its class.
        nearly: The first one that generates all but layout and unused definitions.
    """

    clean: tuple[LiftState, Proposal] | None = None
    moved: tuple[LiftState, Proposal] | None = None
    nearly: tuple[LiftState, Proposal] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is no edit."""
        return self.clean is None and self.moved is None and self.nearly is None

    def is_better_than(self, proposal: Proposal) -> bool:
        """Return whether an edit is better than a proposal and all that follow it."""
        if self.clean is not None:
            return proposal.form.startswith(WHOLE_CLASS)
        return self.moved is not None and proposal.form == WITHOUT_PARENT


@dataclass
class _Lifter:
    """Lifts the edited parts of one model, one after the other.

    Attributes:
        parents: The parent files.
        proof: Converts the modular file.
        state: The modular file with the edits that are lifted.
        to_parent: Whether an edit of an inherited line is made in the parent file.
        texts: The texts that the modular file must generate, by path.
    """

    parents: ParentFiles
    proof: LiftProof
    state: LiftState
    to_parent: bool
    texts: Mapping[str, str]

    def __post_init__(self) -> None:
        """Remember the first generated files, and whether the modular file is tidy."""
        self._original = self.state.generated
        self.lifted: list[LiftedPart] = []
        # For parts that are not lifted: why edits were rejected, and their first error.
        self.reasons: dict[PartId, str] = {}
        self.errors: dict[PartId, str] = {}
        # Parts that were lifted, but made other lines differ. They are left.
        self._taken_back: set[PartId] = set()
        # If the modular file is not formatted, or has unused imports, it stays so.
        modular = self.parents.flat.modular
        project = self.parents.converter.project
        formatted = format_texts(project, {modular: self.state.text})[modular]
        self._is_formatted = formatted == self.state.text
        tidy_text = remove_unused_imports(modular, self.state.text)
        self._has_unused_imports = tidy_text != self.state.text

    def lift_all(self) -> None:
        """Lift edited parts, one after the other, until no other part can be lifted.

        To lift a part, such as an edited method, is to change the modular file so that
        it generates the edit. This can make other lines differ from the files on disk.
        If more lines differ in the end than before some part was lifted, this part is
        left, and the parts after it are lifted again.
        """
        for _ in range(_MAX_RESTARTS):
            count_before = len(self.lifted)
            states = [self.state, *self._lift_each()]
            line_counts = [self._count_needed_lines(state) for state in states]
            fewest_lines = min(line_counts)
            # Of several states with the fewest lines, the last has most lifted parts.
            best_index = len(states) - 1
            while line_counts[best_index] != fewest_lines:
                best_index -= 1
            if best_index == len(states) - 1:
                return
            self.state = states[best_index]
            first_undone = count_before + best_index
            harmful_part = self.lifted[first_undone].part.id
            self.reasons[harmful_part] = _OTHER_CODE_DIFFERS
            self._taken_back.add(harmful_part)
            del self.lifted[first_undone:]

    def _lift_each(self) -> Iterator[LiftState]:
        """Lift edited parts until no more can be lifted, and yield each state.

        A part is tried again after others were lifted, because it may need these.
        """
        has_progress = True
        while has_progress and self.state.parts:
            has_progress = False
            for part_id in _in_order(self.state.parts):
                # Since the loop began, other edits may have lifted this part, too.
                part = self.state.parts.get(part_id)
                if part is None or part_id in self._taken_back:
                    continue
                if self._is_negligible(part_id) or self._has_other_copy(part):
                    continue
                if self._lift(part):
                    has_progress = True
                    yield self.state

    def _lift(self, part: EditedPart) -> bool:
        """Apply the best edit that generates a part, and return whether there is one.

        An edit is applied at once if it breaks nothing: all that was generated as on
        disk still is, and fewer lines differ. Other edits are remembered by what they
        break.
        """
        choice = _Choice()
        lost_classes: list[str] = []
        for proposal, state in self._convert_proposals(part):
            if choice.is_better_than(proposal):
                break
            # Each state has the parts that are not generated as they are on disk.
            broken_parts = state.parts.keys() - self.state.parts.keys()
            if not broken_parts and state.distance < self.state.distance:
                self._accept(part, state, proposal)
                return True
            if not broken_parts:
                choice.clean = choice.clean or (state, proposal)
            elif self._are_moved_members(broken_parts, state):
                choice.moved = choice.moved or (state, proposal)
            elif all(map(self._is_negligible, broken_parts)):
                choice.nearly = choice.nearly or (state, proposal)
            lost_classes = lost_classes or self._find_lost_classes(broken_parts)
            if broken_parts and part.id not in self.reasons:
                reason = self._explain_rejection(part, broken_parts, state)
                self.reasons[part.id] = reason
        if choice.is_empty:
            return bool(lost_classes) and self._lift_with_names(part, lost_classes)
        return self._accept_choice(part, choice)

    def _accept_choice(self, part: EditedPart, choice: "_Choice") -> bool:
        """Accept the best edit that was found, and return whether there is one."""
        if choice.clean is not None:
            self._accept(part, *choice.clean)
            return True
        if choice.moved is not None:
            self._accept_places(part, *choice.moved)
            return True
        assert choice.nearly is not None
        nearly_state, _ = choice.nearly
        count_before = self._count_needed_lines(self.state)
        if self._count_needed_lines(nearly_state) > count_before:
            # More lines would differ than without the edit.
            return False
        self._accept(part, *choice.nearly)
        return True

    def _are_moved_members(
        self, part_ids: Collection[PartId], state: LiftState
    ) -> bool:
        """Return whether parts are classes in which only added members change places.

        For example, somebody added `reset` above `forward`, but it is generated below.
        """
        for part_id in part_ids:
            old = self._original[part_id.path].definitions.get(part_id.definition)
            new = state.generated[part_id.path].definitions.get(part_id.definition)
            edited = self._edited_class(part_id)
            if old is None or new is None or edited is None:
                return False
            old_keys = class_members(view_definition(old)).keys()
            if not has_added_members_elsewhere(edited, new, old_keys):
                return False
        return True

    def _edited_class(self, part_id: PartId) -> Statement | None:
        """Return the class on disk if a part is a whole class; None for other parts."""
        if part_id.kind is not PartKind.DEFINITION:
            return None
        for file in self.parents.flat.files:
            edited = file.definitions.get(part_id.definition)
            if file.path == part_id.path and edited is not None:
                return edited if edited.kind is Kind.CLASS else None
        return None

    def _accept_places(
        self, part: EditedPart, state: LiftState, proposal: Proposal
    ) -> None:
        """Accept an edit that generates new members at other places than on disk.

        If `reset` stands above `forward` on disk, and is generated below, the lifter
        expects it below from now on: in its texts, and in all that depends on them.
        """
        texts = dict(self.texts)
        for part_id in state.parts.keys() - self.state.parts.keys():
            file = ModularText(part_id.path, texts[part_id.path])
            class_ = file.statement_named(part_id.definition)
            generated_file = state.generated[part_id.path]
            code = generated_file.definitions[part_id.definition].bare_code
            assert class_ is not None
            texts[part_id.path] = file.replace_statement(class_, code.text)
        converter = self.parents.converter
        modular = self.parents.flat.modular
        edited = _read_edited_files(converter.project, modular, texts)
        self.texts = texts
        self.parents = ParentFiles(converter, edited)
        self.proof.edited = edited
        new_state = self.proof.convert(state.text, state.parent_texts)
        assert new_state is not None
        form = f"{proposal.form}; new members move below the inherited ones"
        self._accept(part, new_state, replace(proposal, form=form))

    def _has_other_copy(self, part: EditedPart) -> bool:
        """Return whether another file has the same class or function without the edit.

        Some types of files have copies of classes of other types. One class of the
        modular file generates both, so it cannot generate the edit in only one of them.
        In this case, the reason is recorded for the report.

        Args:
            part: The edited part of a class, function or other definition.
        """
        name = part.id.definition
        texts_by_path = {}
        for file in self.parents.flat.files:
            if name in file.definitions:
                texts_by_path[file.path] = file.definitions[name].bare_code.text
        edited_text = texts_by_path.get(part.id.path)
        for path, text in texts_by_path.items():
            if edited_text is not None and text != edited_text:
                self.reasons[part.id] = (
                    f"`{name}` is generated in {PurePosixPath(path).name}, too: make the "
                    "same edit there"
                )
                return True
        return False

    def _find_lost_classes(self, broken_parts: Collection[PartId]) -> list[str]:
        """Return the names of the parts that an edit breaks, if all are whole classes.

        Such a class is generated before the edit. The result is empty if any part is
        something else, for example a function or a part of a class.
        """
        names = []
        for part_id in broken_parts:
            file = self.state.generated.get(part_id.path)
            statement = None if file is None else file.definitions.get(part_id.title)
            is_class = statement is not None and statement.kind is Kind.CLASS
            if part_id.kind is not PartKind.DEFINITION or not is_class:
                return []
            names.append(part_id.definition)
        return names

    def _lift_with_names(self, part: EditedPart, names: Sequence[str]) -> bool:
        """Lift a part that no longer uses some classes, and name these classes.

        The converter generates a class of a parent file only if other code uses it, or
        if the modular file names it: `class OlmoMLP(LlamaMLP): pass`. If the edit has
        removed the only use of `OlmoMLP`, the class must be named, or it would be lost.

        Args:
            part: The edited part, which no longer uses the classes.
            names: The names of the classes.

        Returns:
            Whether the part was lifted.
        """
        state_without_names = self.state
        edits = LiftEdits(self.parents, self.state)
        text_with_names = edits.name_classes(names, self.state.text)
        text = self._formatted(Proposal(text_with_names, {}, "")).text
        if text == self.state.text:
            # The classes are named already.
            return False
        state = self.proof.convert(text, {})
        if state is None or state.parts.keys() != self.state.parts.keys():
            return False
        self.state = state
        if self._lift(state.parts[part.id]):
            return True
        self.state = state_without_names
        return False

    def _convert_proposals(
        self, part: EditedPart
    ) -> Iterator[tuple[Proposal, LiftState]]:
        """Yield the proposed edits that generate a part, each with the state after it.

        For edits that do not generate it, the first error is recorded.
        """
        edits = LiftEdits(self.parents, self.state, changes_parents=self.to_parent)
        tried = set()
        for unformatted in edits.propose(part):
            if not _is_python(unformatted):
                continue
            proposal = self._formatted(unformatted)
            key = (proposal.text, tuple(proposal.parent_texts.items()))
            if key in tried:
                continue
            tried.add(key)
            state = self.proof.convert(proposal.text, proposal.parent_texts)
            if state is None:
                self.errors.setdefault(part.id, self.proof.last_error)
                continue
            is_part_generated = part.id not in state.parts
            if not is_part_generated:
                kept_parent = self._describe_kept_parent(state)
                if kept_parent:
                    self.errors.setdefault(part.id, kept_parent)
                continue
            lost_name = edits.find_lost_name(proposal.text, part)
            if lost_name is None:
                yield proposal, state
            else:
                reason = f"the modular file would use `{lost_name}` undefined"
                self.errors.setdefault(part.id, reason)

    def _describe_kept_parent(self, state: LiftState) -> str:
        """Return why the converter no longer merges a class with its parent.

        The result is empty if it merges all classes that it has merged before the edit.

        Args:
            state: What the converter generates with the edit.
        """
        old_messages = set()
        for problem in self.state.conversion.diagnostics:
            old_messages.add(problem.message)
        for problem in state.conversion.diagnostics:
            is_new = problem.message not in old_messages
            if problem.code is Problem.KEPT_PARENT and is_new:
                return f"the edit would cause an error: {problem.message}"
        return ""

    def _explain_rejection(
        self, part: EditedPart, broken_parts: Collection[PartId], state: LiftState
    ) -> str:
        """Return why an edit was not accepted although it generates a part.

        Args:
            part: The part.
            broken_parts: The parts that only after the edit differ from those on disk.
            state: What the edit generates.
        """
        kept_parent = self._describe_kept_parent(state)
        if kept_parent:
            return kept_parent
        # If only the order of its members differs, the whole class is the broken part.
        part_id = part.id
        class_id = PartId(part_id.path, PartKind.DEFINITION, part_id.definition)
        if part_id.member and set(broken_parts) == {class_id}:
            is_new_member = part.generated is None
            return _MEMBER_ORDER if is_new_member else _OTHER_MEMBER_ORDER

        titles = set()
        for broken_part in broken_parts:
            title = f"`{broken_part.title}`"
            if broken_part.path != part_id.path:
                title += f" in {PurePosixPath(broken_part.path).name}"
            titles.add(title)
        if any(broken.kind is not PartKind.OTHER for broken in broken_parts):
            listed = ", ".join(sorted(titles)[:_MAX_REPORTED_NAMES])
            return f"the edit cannot be made without also changing {listed}"
        return self._explain_order(state) or (
            "the edit cannot be made without changing other code outside of definitions"
        )

    def _explain_order(self, state: LiftState) -> str:
        """Return which definition is generated too early; empty if none is.

        Args:
            state: What the modular file generates with an edit.
        """
        for file in self.parents.flat.files:
            generated_file = state.generated.get(file.path)
            if generated_file is None:
                continue
            generated_names = list(generated_file.definitions)
            names_on_disk = [
                name for name in file.definitions if name in generated_names
            ]
            for name, generated_name in zip(names_on_disk, generated_names):
                if name != generated_name:
                    return (
                        f"`{generated_name}` is generated above `{name}`: move it there "
                        "in the generated file"
                    )
        return ""

    def _count_needed_lines(self, state: LiftState) -> int:
        """Return in how many lines the generated files differ from those on disk.

        Definitions on disk that no code uses any more do not count: the converter never
        generates them.

        Args:
            state: What the modular file generates.
        """
        count = state.distance
        for part in state.parts.values():
            is_definition = part.id.kind is PartKind.DEFINITION
            if is_definition and self._is_negligible(part.id):
                assert part.edited is not None
                count -= part.edited.text.strip("\n").count("\n") + 1
        return count

    def _is_negligible(self, part_id: PartId) -> bool:
        """Return whether an edited part on disk has no effect.

        This is layout, or a definition that no other code of the file uses any more, such
        as `logger`. The converter generates neither, so both are ignored.
        """
        if part_id.kind is PartKind.LAYOUT:
            return True
        name = part_id.definition
        if part_id.kind is not PartKind.DEFINITION or not name:
            return False
        for file in self.parents.flat.files:
            if file.path == part_id.path and name in file.definitions:
                return name not in file.generated_names
        return False

    def find_left_parts(self) -> Iterator[LeftPart]:
        """Yield the edited parts that no code generates, with the reasons."""
        for part in self.state.parts.values():
            if part.id.kind is not PartKind.LAYOUT:
                reason = self.reasons.get(part.id) or self.explain(part)
                yield LeftPart(part, reason)

    def explain(self, part: EditedPart) -> str:
        """Return why no edit of the modular file generates an edited part."""
        kind = part.id.kind
        if kind is PartKind.IMPORTS:
            return "a generated file imports exactly the names that its code uses"
        if kind is PartKind.OTHER:
            return (
                "comments, order and statements outside of definitions follow from the "
                "modular file and its parents"
            )
        if LiftEdits(self.parents, self.state).is_kept_copy(part):
            return (
                "it is a copy of the parent's code under a private name: edit it with "
                "`--to-parent`"
            )
        if kind is PartKind.HEADER and _differs_in_comments(part):
            return "comments above a class are inherited from its parent"
        is_new_member = part.generated is None and bool(part.id.member)
        if is_new_member:
            return _MEMBER_ORDER
        reason = ""
        if kind is PartKind.DEFINITION:
            reason = self._explain_definition(part)
        reason = reason or self.errors.get(part.id, "")
        return reason or "no override that was tried generates this code"

    def _explain_definition(self, part: EditedPart) -> str:
        """Return why a class, function or assignment is not generated; empty if unknown."""
        name = part.id.definition
        if part.edited is None:
            return f"inherited code still uses `{name}`"
        if LiftEdits(self.parents, self.state).is_reordered(part):
            return "the members of a class have the order of the parent class"
        if self._is_negligible(part.id):
            return (
                f"no code uses `{name}` any more, so it is not generated: delete it in "
                "the generated file"
            )
        if part.generated is None:
            return f"it is generated only with code that uses `{name}`"
        return ""

    def _accept(self, part: EditedPart, state: LiftState, proposal: Proposal) -> None:
        """Keep an edit of the modular file, and record the part that it lifts.

        Args:
            part: The edited part that is generated now.
            state: The modular file with the edit, and what it generates.
            proposal: The edit.
        """
        edits = LiftEdits(self.parents, self.state)
        # If several models have the same edit, the report proposes it for the parent.
        parent_edit = edits.find_parent_edit(part)
        form = proposal.form
        if form == WITHOUT_PARENT:
            # The report says why the class could not keep its parent.
            form += f"; with it, {self.reasons.get(part.id) or self.explain(part)}"
        self.state = state
        self.lifted.append(LiftedPart(part, form, parent_edit))

    def _formatted(self, proposal: Proposal) -> Proposal:
        """Return a proposal with the modular file formatted, if it was formatted before."""
        if not self._is_formatted:
            return proposal
        modular = self.parents.flat.modular
        project = self.parents.converter.project
        text = format_texts(project, {modular: proposal.text})[modular]
        return replace(proposal, text=text)

    def remove_unused_imports(self) -> None:
        """Remove imports of the modular file that the lifted edits made useless."""
        # An author who had unused imports before keeps all of them.
        if self._has_unused_imports or not self.lifted:
            return
        text = remove_unused_imports(self.parents.flat.modular, self.state.text)
        if text == self.state.text:
            return
        state = self.proof.convert(text, self.state.parent_texts)
        if state is not None and state.distance == self.state.distance:
            self.state = state


def _differs_in_comments(part: EditedPart) -> bool:
    """Return whether only comments of a part were edited."""
    if part.generated is None or part.edited is None:
        return False
    # A mask is code in which comments are blank.
    return part.generated.mask.split() == part.edited.mask.split()


def _is_python(proposal: Proposal) -> bool:
    """Return whether the texts of a proposal have no syntax error."""
    texts = [proposal.text, *proposal.parent_texts.values()]
    return all(syntax_problem(text, path="") is None for text in texts)


def _in_order(part_ids: Iterable[PartId]) -> list[PartId]:
    """Return parts in the order in which they are lifted: imports and exports last."""
    last_kinds = (
        PartKind.EXPORTS,
        PartKind.IMPORTS,
        PartKind.OTHER,
    )
    return sorted(part_ids, key=lambda part_id: part_id.kind in last_kinds)
