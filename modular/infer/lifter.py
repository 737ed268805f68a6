"""Lifts the edited parts of one model, one after the other."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import NamedTuple

from modular.infer.edited_parts import EditedPart, PartId, PartKind
from modular.infer.lift_edits import (
    WHOLE_CLASS,
    WITHOUT_PARENT,
    LiftEdits,
    Proposal,
    SourceEdit,
)
from modular.infer.lift_proof import LiftGoal, LiftProof, LiftState, read_goal
from modular.infer.lift_reasons import (
    OTHER_CODE_DIFFERS,
    explain_kept_parent,
    explain_other_copy,
    explain_rejection,
    explain_unlifted_part,
)
from modular.infer.member_order import has_added_members_elsewhere
from modular.infer.modular_edits import ModularText, class_members
from modular.infer.proof import format_texts, remove_unused_imports
from modular.semantics.meanings import Definition
from modular.source.blocks import Kind
from modular.source.definition_view import view_definition
from modular.source.loading import syntax_problem


_MAX_RESTARTS = 5
"""How often parts are lifted again because one of them made other lines differ."""


@dataclass(frozen=True)
class LiftedPart:
    """An edited part, and the form in which the modular file has it now.

    Attributes:
        part: The part.
        form: What was written, such as `override`.
        parent_edit: The same edit in the parent file, if the edited lines come from one.
    """

    part: EditedPart
    form: str
    parent_edit: SourceEdit | None = None


@dataclass(frozen=True)
class UnliftedPart:
    """An edited part that no modular code generates, with the reason."""

    part: EditedPart
    reason: str


class _Step(NamedTuple):
    """A part that was lifted, and the state before that."""

    lifted: LiftedPart
    state_before: LiftState


class _Edit(NamedTuple):
    """An edit of the modular file that generates an edited part, and the state after it."""

    proposal: Proposal
    state: LiftState


class _Effect(IntEnum):
    """What an edit does besides generating an edited part, from the best to the worst.

    Attributes:
        IMPROVES: All that was generated as on disk still is, and fewer lines differ.
        KEEPS: All that was generated as on disk still is.
        MOVES: New members of classes are generated at other places than on disk.
        DROPS: Layout changes, or definitions that no code uses are not generated.
        BREAKS: Other code is no longer generated as on disk.
    """

    IMPROVES = 1
    KEEPS = 2
    MOVES = 3
    DROPS = 4
    BREAKS = 5


class Lifter:
    """Lifts the edited parts of one model.

    To lift a part, such as an edited method, is to change the modular file so that it
    generates the edit.
    """

    def __init__(self, proof: LiftProof, state: LiftState, *, to_parent: bool) -> None:
        """Prepare to lift the parts that a modular file does not generate.

        Args:
            proof: Converts the modular file.
            state: The modular file on disk.
            to_parent: Whether an edit of an inherited line is made in the parent file.
        """
        self._proof = proof
        self._first_state = state
        self._to_parent = to_parent
        self._state = state
        self._steps: list[_Step] = []
        # Why parts are left although an edit generates them.
        self._rejections: dict[PartId, str] = {}
        # For other parts, the first error of an edit that was to generate them.
        self._errors: dict[PartId, str] = {}
        # Parts that were lifted, but made other lines differ. They are left.
        self._taken_back: set[PartId] = set()
        # If the modular file is not formatted, or has unused imports, it stays so.
        self._is_formatted = self._format(state.text) == state.text
        self._has_unused_imports = (
            self._without_unused_imports(state.text) != state.text
        )

    @property
    def lifted(self) -> tuple[LiftedPart, ...]:
        """The parts that the modular file generates now."""
        return tuple(step.lifted for step in self._steps)

    def find_unlifted_parts(self) -> tuple[UnliftedPart, ...]:
        """Return the edited parts that no code generates, with the reasons."""
        left = []
        for part in self._state.missing_parts.values():
            if part.id.kind is not PartKind.LAYOUT:
                left.append(UnliftedPart(part, self._explain(part)))
        return tuple(left)

    def lift_all(self) -> None:
        """Lift edited parts, one after the other, until no other part can be lifted.

        A lifted part can make other lines differ from the files on disk. If more lines
        differ in the end than before some part was lifted, this part is left, and the
        parts after it are lifted again.
        """
        for _ in range(_MAX_RESTARTS):
            self._lift_until_stuck()
            harmful_index = self._find_harmful_step()
            if harmful_index is None:
                return
            step = self._steps[harmful_index]
            self._state = step.state_before
            part_id = step.lifted.part.id
            self._rejections[part_id] = OTHER_CODE_DIFFERS
            self._taken_back.add(part_id)
            del self._steps[harmful_index:]

    def remove_unused_imports(self) -> LiftState:
        """Remove the imports of the modular file that are unused after the lifted edits.

        An author who had unused imports before keeps all of them.

        Returns:
            The modular file, and what it generates.
        """
        if self._steps and not self._has_unused_imports:
            text = self._without_unused_imports(self._state.text)
            state = self._convert(text, self._state)
            if isinstance(state, LiftState) and state.distance == self._state.distance:
                self._state = state
        return self._state

    def _lift_until_stuck(self) -> None:
        """Lift edited parts until no more can be lifted.

        A part is tried again after others were lifted, because it may need these.
        """
        has_progress = True
        while has_progress:
            has_progress = False
            for part_id in _in_order(self._state.missing_parts):
                part = self._state.missing_parts.get(part_id)
                if part is None:
                    # The edit of an earlier part has lifted this one, too.
                    continue
                if part_id in self._taken_back:
                    continue
                if self._state.goal.is_never_generated(part_id):
                    continue
                other_copy = explain_other_copy(self._state.goal, part)
                if other_copy:
                    self._rejections[part_id] = other_copy
                elif self._lift(part, self._state):
                    has_progress = True

    def _find_harmful_step(self) -> int | None:
        """Return the index of the lifted part before which the fewest lines differed.

        With this part and those after it, the generated files have come no closer to the
        files on disk. Of several such parts, the last one counts. The result is None if
        the fewest lines differ now.
        """
        harmful_index = None
        fewest_lines = self._state.distance_of_used_code
        for index in reversed(range(len(self._steps))):
            distance = self._steps[index].state_before.distance_of_used_code
            if distance < fewest_lines:
                fewest_lines = distance
                harmful_index = index
        return harmful_index

    def _lift(self, part: EditedPart, before: LiftState) -> bool:
        """Apply the edit of the modular file that generates a part with least harm.

        If each edit breaks other code, and one of them only because it removes the last
        use of an inherited class, the part is lifted together with that class.

        Args:
            part: The part.
            before: The modular file without the edit, and what it generates.

        Returns:
            Whether an edit was applied.
        """
        first_edits: dict[_Effect, _Edit] = {}
        lost_classes: list[str] = []
        for edit in self._find_edits(part, before):
            if _is_enough(first_edits, edit.proposal):
                break
            effect = self._effect_of(edit.state, before)
            first_edits.setdefault(effect, edit)
            if effect is _Effect.IMPROVES:
                break
            if edit.state.parts_broken_since(before):
                lost_classes = lost_classes or _find_lost_classes(edit.state, before)
                if part.id not in self._rejections:
                    reason = explain_rejection(part, edit.state, before)
                    self._rejections[part.id] = reason

        best_effect = min(first_edits, default=_Effect.BREAKS)
        if best_effect is not _Effect.BREAKS:
            self._accept(part, first_edits[best_effect], best_effect)
            return True
        return bool(lost_classes) and self._lift_with_names(part, before, lost_classes)

    def _find_edits(self, part: EditedPart, before: LiftState) -> Iterator[_Edit]:
        """Yield the edits of the modular file that generate a part, the shortest first.

        All proposed edits are tried. Of those that do not generate the part, the first
        error is recorded for the report.

        Args:
            part: The part.
            before: The modular file without the edits, and what it generates.
        """
        edits = LiftEdits(before, changes_parents=self._to_parent)
        tried: list[Proposal] = []
        for unformatted in edits.propose(part):
            if not _is_python(unformatted):
                continue
            text = self._format_like_before(unformatted.text)
            proposal = replace(unformatted, text=text)
            if proposal in tried:
                continue
            tried.append(proposal)
            state_or_error = self._try(proposal, part, edits)
            if isinstance(state_or_error, LiftState):
                yield _Edit(proposal, state_or_error)
            elif state_or_error:
                self._errors.setdefault(part.id, state_or_error)

    def _try(
        self, proposal: Proposal, part: EditedPart, edits: LiftEdits
    ) -> LiftState | str:
        """Convert the modular file with an edit that should generate a part.

        Args:
            proposal: The edit.
            part: The part.
            edits: Has proposed the edit, and knows the state before it.

        Returns:
            The state after the edit. If the edit does not generate the part, the reason,
            which is empty if it is unknown.
        """
        before = edits.state
        state = self._proof.convert(before.goal, proposal.text, proposal.parent_texts)
        if isinstance(state, str):
            return state
        is_still_ungenerated = part.id in state.missing_parts
        if is_still_ungenerated:
            return explain_kept_parent(state, before)
        lost_name = edits.find_lost_name(proposal.text, part)
        if lost_name is not None:
            return f"the modular file would use `{lost_name}` undefined"
        return state

    def _effect_of(self, state: LiftState, before: LiftState) -> _Effect:
        """Return what an edit of the modular file does to all other generated code.

        A part is broken if it was generated as it is on disk, and no longer is with the
        edit. The best effects break no part.

        Args:
            state: What is generated with the edit.
            before: What is generated without it.
        """
        broken_parts = state.parts_broken_since(before)
        if not broken_parts:
            has_fewer_differences = state.distance < before.distance
            return _Effect.IMPROVES if has_fewer_differences else _Effect.KEEPS
        if self._are_moved_members(broken_parts, state):
            return _Effect.MOVES
        if not all(map(before.goal.is_never_generated, broken_parts)):
            return _Effect.BREAKS
        if state.distance_of_used_code > before.distance_of_used_code:
            return _Effect.BREAKS
        return _Effect.DROPS

    def _are_moved_members(
        self, part_ids: Collection[PartId], state: LiftState
    ) -> bool:
        """Return whether parts are classes that differ only in the places of new members.

        For example, somebody added `reset` above `forward`, but it is generated below. A
        new member of an enum does not count, since the order of its values has a meaning.

        Args:
            part_ids: Parts that are not generated as on disk.
            state: What is generated.
        """
        resolver = state.goal.parents.converter.resolver
        for part_id in part_ids:
            if part_id.kind is not PartKind.DEFINITION:
                return False
            path = part_id.path
            name = part_id.definition
            first_class = self._first_state.generated[path].definitions.get(name)
            generated_class = state.generated[path].definitions.get(name)
            class_on_disk = state.goal.file(path).definitions.get(name)
            if first_class is None or generated_class is None or class_on_disk is None:
                return False
            if class_on_disk.kind is not Kind.CLASS:
                return False
            old_keys = class_members(view_definition(first_class)).keys()
            if not has_added_members_elsewhere(
                class_on_disk, generated_class, old_keys
            ):
                return False
            if resolver.is_enum(Definition(path, name, Kind.CLASS)):
                return False
        return True

    def _accept(self, part: EditedPart, edit: _Edit, effect: _Effect) -> None:
        """Apply an edit of the modular file, and record the part that it lifts.

        Args:
            part: The edited part of a generated file.
            edit: The edit of the modular file that generates the part.
            effect: What the edit does to other generated code.
        """
        form = edit.proposal.form
        state = edit.state
        if form == WITHOUT_PARENT:
            # The report says why the class could not keep its parent.
            form += f"; with it, {self._explain(part)}"
        if effect is _Effect.MOVES:
            form += "; new members move below the inherited ones"
            # From now on, the files should have the new members where they are generated.
            reachable_goal = self._goal_with_generated_order(state)
            state_or_error = self._proof.convert(
                reachable_goal, state.text, state.parent_texts
            )
            assert isinstance(state_or_error, LiftState)
            state = state_or_error
        # If several models have the same edit, the report proposes it for the parent.
        source_edit = LiftEdits(self._state).find_source_edit(part)
        parent_edit = None
        if source_edit is not None and source_edit.path != state.goal.flat.modular:
            parent_edit = source_edit
        self._steps.append(_Step(LiftedPart(part, form, parent_edit), self._state))
        self._state = state

    def _goal_with_generated_order(self, state: LiftState) -> LiftGoal:
        """Return the files that should be generated, with new members in generated order.

        If somebody wrote `reset` above `forward`, and it is generated below, then it is
        below in these files.

        Args:
            state: The edited modular file, which breaks only such orders.
        """
        texts = dict(state.goal.texts)
        for part_id in state.parts_broken_since(self._state):
            file = ModularText(part_id.path, texts[part_id.path])
            class_on_disk = file.statement_named(part_id.definition)
            assert class_on_disk is not None
            generated_file = state.generated[part_id.path]
            generated_class = generated_file.definitions[part_id.definition]
            texts[part_id.path] = file.replace_statement(
                class_on_disk, generated_class.bare_code.text
            )
        parents = state.goal.parents
        return read_goal(parents.converter, parents.flat.modular, texts)

    def _lift_with_names(
        self, part: EditedPart, before: LiftState, names: Iterable[str]
    ) -> bool:
        """Lift an edit that removes the only use of some inherited classes.

        The converter generates a class of a parent file only if other code uses it, or
        if the modular file names it: `class OlmoMLP(LlamaMLP): pass`. So these lines are
        added first, or the classes would be lost.

        Args:
            part: The edited part, which no longer uses the classes.
            before: The modular file without the edit, and what it generates.
            names: The names of the classes.

        Returns:
            Whether the part was lifted.
        """
        text = LiftEdits(before).name_classes(names, before.text)
        named = self._convert(self._format_like_before(text), before)
        if isinstance(named, str) or named.text == before.text:
            # The classes cannot be named, or are named already.
            return False
        if named.missing_parts.keys() != before.missing_parts.keys():
            # Their names change other generated code.
            return False
        return self._lift(named.missing_parts[part.id], named)

    def _explain(self, part: EditedPart) -> str:
        """Return why no accepted edit of the modular file generates an edited part."""
        rejection = self._rejections.get(part.id)
        error = self._errors.get(part.id, "")
        return rejection or explain_unlifted_part(part, self._state, error)

    def _convert(self, text: str, before: LiftState) -> LiftState | str:
        """Convert another text of the modular file, with the parent files of a state."""
        return self._proof.convert(before.goal, text, before.parent_texts)

    def _format_like_before(self, text: str) -> str:
        """Format the modular file, unless it was not formatted before all edits."""
        return self._format(text) if self._is_formatted else text

    def _format(self, text: str) -> str:
        parents = self._state.goal.parents
        modular = parents.flat.modular
        return format_texts(parents.project, {modular: text})[modular]

    def _without_unused_imports(self, text: str) -> str:
        return remove_unused_imports(self._state.goal.flat.modular, text)


def _is_enough(found_effects: Collection[_Effect], proposal: Proposal) -> bool:
    """Return whether the search for an edit ends before a proposal.

    Proposals get longer and longer. A class is not written out, or even separated from
    its parent, if a shorter edit does little or no harm.

    Args:
        found_effects: The effects of the edits that were found.
        proposal: The next proposal.
    """
    if _Effect.KEEPS in found_effects:
        return proposal.form.startswith(WHOLE_CLASS)
    return _Effect.MOVES in found_effects and proposal.form == WITHOUT_PARENT


def _find_lost_classes(state: LiftState, before: LiftState) -> list[str]:
    """Return the classes that are no longer generated as on disk because of an edit.

    The result is empty if the edit breaks anything else, too, for example a function or
    a single method.

    Args:
        state: What is generated with the edit.
        before: What is generated without it.
    """
    lost_classes = []
    for part_id in state.parts_broken_since(before):
        if part_id.kind is not PartKind.DEFINITION:
            return []
        file = before.generated.get(part_id.path)
        statement = None if file is None else file.definitions.get(part_id.definition)
        if statement is None or statement.kind is not Kind.CLASS:
            return []
        lost_classes.append(part_id.definition)
    return lost_classes


def _is_python(proposal: Proposal) -> bool:
    """Return whether the texts of a proposal have no syntax error."""
    texts = [proposal.text, *proposal.parent_texts.values()]
    return all(syntax_problem(text, path="") is None for text in texts)


def _in_order(part_ids: Iterable[PartId]) -> list[PartId]:
    """Return parts in the order in which they are lifted: imports and exports last."""
    last_kinds = (PartKind.EXPORTS, PartKind.IMPORTS, PartKind.OTHER)
    return sorted(part_ids, key=lambda part_id: part_id.kind in last_kinds)
