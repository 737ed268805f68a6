"""Searches for a modular file: proposes, converts and corrects a draft."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from modular.infer.choice import (
    InferredDraft,
    RuledOut,
    choose_parents,
)
from modular.infer.draft import definition_texts, write_draft
from modular.infer.flat import FlatModel
from modular.infer.index import ParentModels
from modular.infer.parents import (
    NearestClasses,
    ParentCandidate,
    ParentClass,
    ParentFiles,
    RenamedParent,
)
from modular.infer.proof import Comparison, Finding, ProofResult, prove_unformatted
from modular.provenance.outline import UNOWNED, line_owners
from modular.source import module as modules
from modular.source.blocks import Kind
from modular.source.scan import mask_text
from modular.source.source_slice import words


_MAX_CORRECTIONS = 12
"""How often a draft is corrected before it is proved."""


@dataclass
class Search:
    """The search for the modular file of one model.

    Attributes:
        parents: The parent files.
        nearest: The nearest classes of each flat class.
        models: The models to inherit from.
        ruled_out: What was tried and did not work.
        not_generated: Functions and assignments that the converter should have generated
            as dependencies of inherited code. It did not, or generated them differently.
    """

    parents: ParentFiles
    nearest: NearestClasses
    models: ParentModels
    ruled_out: set[RuledOut] = field(default_factory=set)
    not_generated: set[str] = field(default_factory=set)

    @property
    def flat(self) -> FlatModel:
        """The flat files."""
        return self.parents.flat

    def find_draft(self) -> InferredDraft:
        """Return the contents of a modular file that generates the model almost exactly.

        A draft says which classes inherit from which parents. Each draft is converted. If
        a class has an error then, or is not generated as in the files of the model, its
        parent is ruled out for the next draft. The last draft may still have such classes.
        """
        for _ in range(_MAX_CORRECTIONS):
            draft = self._propose_draft()
            result = self._convert(draft)
            has_learned = self.learn_from_findings(draft, result.text, result.errors)
            for comparison in result.comparisons:
                if self._learn_from_wrong_definitions(draft, comparison):
                    has_learned = True
            if not has_learned:
                # The next draft would be the same.
                break
        self._omit_dependencies(draft, result.comparisons)
        return draft

    def learn_from(self, draft: InferredDraft, comparison: Comparison) -> bool:
        """Rule out parents of classes, because a file of the model is generated wrongly.

        The next draft does not inherit so again. Each step is only done if the step before
        learns nothing:

        1. Rule out the parents of wrong definitions, or note functions and assignments
           that the converter does not generate.
        2. Rule out the parents of classes that use a wrong definition or extra import.
        3. Rule out the parents whose files define or import the name of an extra import.

        Args:
            draft: The draft.
            comparison: The comparison of the file with the generated one.

        Returns:
            Whether anything was learned. Otherwise the next draft would be the same.
        """
        # Step 1.
        if self._learn_from_wrong_definitions(draft, comparison):
            return True

        # Step 2.
        suspect_words = set(comparison.wrong_definitions)
        for imported_name in comparison.extra_imports:
            # Code that uses the import `torch.nn` has the word `torch`.
            first_word = imported_name.partition(".")[0]
            suspect_words.add(first_word)
        ruled_out = self._parents_of_classes_that_use(draft, suspect_words)

        # Step 3. If only the generated file imports `math`, this can come from a parent
        # file that imports `math`.
        if not ruled_out:
            for name, chosen in draft.chosen_parents.items():
                parent_file = self.parents.converter.parent(chosen.parent.path)
                if not parent_file.names.isdisjoint(comparison.extra_imports):
                    ruled_out.add(RuledOut(name, chosen.parent.path))
        self.ruled_out |= ruled_out
        return bool(ruled_out)

    def learn_from_findings(
        self, draft: InferredDraft, text: str, findings: Iterable[Finding]
    ) -> bool:
        """Rule out what makes linters complain about classes that inherit.

        If such a class calls `super()`, it must write its methods in full in the next
        draft. If it does so already, it must not inherit from its parent.

        Args:
            draft: The draft.
            text: The modular file that was written from it.
            findings: What linters report in that file.

        Returns:
            Whether anything was ruled out.
        """
        owner_of_line = line_owners(modules.read(self.flat.modular, text))
        classes_with_finding = set()
        for finding in findings:
            class_name = owner_of_line.get(finding.line, UNOWNED).class_
            if class_name in draft.chosen_parents:
                classes_with_finding.add(class_name)
        for name in classes_with_finding:
            chosen = draft.chosen_parents[name]
            calls_super = bool(chosen.derived.merged)
            if calls_super:
                self.parents.unmergeable.add(name)
            else:
                self.ruled_out.add(RuledOut(name, chosen.parent.path))
        return bool(classes_with_finding)

    def _learn_from_wrong_definitions(
        self, draft: InferredDraft, comparison: Comparison
    ) -> bool:
        """Rule out what makes a draft generate wrong definitions.

        A definition is wrong if it is not generated as in the files of the model, or is
        extra: these files do not have it.

        1. If a class that inherits uses an extra definition, it must not inherit from its
           parent file again.
        2. A wrong class must not inherit from its parent file again, and a wrong function
           must not be imported from its file again.
        3. Any other wrong function or assignment is noted in `not_generated`. The next
           draft imports or contains it.

        Args:
            draft: The draft.
            comparison: The comparison of a file of the model with the generated one.

        Returns:
            Whether anything was ruled out, or newly noted.
        """
        # Case 1.
        ruled_out = self._parents_of_classes_that_use(draft, comparison.extra)

        # By the name of a definition, the file that the draft takes it from.
        parent_paths = dict(draft.imported)
        for name, chosen in draft.chosen_parents.items():
            parent_paths[name] = chosen.parent.path
        not_generated = set[str]()
        for name in comparison.wrong_definitions:
            if name in parent_paths:
                # Case 2.
                ruled_out.add(RuledOut(name, parent_paths[name]))
                continue
            is_extra = name in comparison.extra
            if not is_extra and self.flat.definitions[name].kind is not Kind.CLASS:
                # Case 3.
                not_generated.add(name)

        newly_noted = not_generated - self.not_generated
        self.ruled_out |= ruled_out
        self.not_generated |= not_generated
        return bool(ruled_out or newly_noted)

    def _parents_of_classes_that_use(
        self, draft: InferredDraft, names: Collection[str]
    ) -> set[RuledOut]:
        """Return the inheriting classes that use unwanted names, with their parent files.

        If `OlmoMLP` inherits from `LlamaMLP` and uses `act_fn`, the converter generates
        `act_fn`, too. So if `act_fn` is unwanted, the result has `OlmoMLP` with the file
        of `LlamaMLP`.

        Args:
            draft: The draft, which says which class inherits from which parent.
            names: The unwanted names.
        """
        return {
            RuledOut(name, chosen.parent.path)
            for name, chosen in draft.chosen_parents.items()
            if not self.flat.definitions[name].words.isdisjoint(names)
        }

    def _propose_draft(self) -> InferredDraft:
        """Return the contents of a modular file, which still have to be converted.

        The classes get the best parents that earlier drafts have not ruled out. Then each
        function and assignment is inherited, imported or written out.
        """
        draft = choose_parents(self.parents, self.nearest, self.models, self.ruled_out)
        class_counts = Counter(chosen.file for chosen in draft.chosen_parents.values())
        most_classes_first = sorted(
            class_counts, key=lambda file: (-class_counts[file], file)
        )
        parents = [self.parents.rename(file) for file in most_classes_first]

        for name in self._find_functions_and_assignments():
            self._add_function_or_assignment(draft, name, parents)
        if self.parents.project.settings.keeps_model_imports:
            self._write_used_dependencies(draft)
        for file in self.flat.files:
            # The setting `first-names` lists names such as `logger`. If nothing that is
            # generated uses `logger`, the modular file must assign to `logger` itself.
            draft.written_out.update(file.unused_first_names)
        return draft

    def _add_function_or_assignment(
        self, draft: InferredDraft, name: str, parents: Sequence[RenamedParent]
    ) -> None:
        """Decide how a modular file gets a function or assignment of the model.

        1. If a parent file has the same code, the converter generates it with inherited
           code that uses it: it is transitive. This does not apply to those that an
           earlier draft did not generate, which are in `not_generated`.
        2. If a parent file has the same code under the same name, it is imported.
        3. Otherwise, it is written out in the modular file.

        Args:
            draft: The draft, which is changed.
            name: The name of the function or assignment.
            parents: The files with the parent classes of the draft.
        """
        is_in_parent = any(self.parents.is_equal(name, parent) for parent in parents)
        is_transitive = is_in_parent and name not in self.not_generated
        path = self._find_source(name, parents)
        if is_transitive:
            # The modular file can import it in addition, unless it has another name there.
            if path is not None:
                draft.transitive[name] = path
        elif path is not None:
            draft.imported[name] = path
        else:
            draft.written_out.add(name)

    def _write_used_dependencies(self, draft: InferredDraft) -> None:
        """Let a draft write out functions and assignments instead of importing them.

        This is for the setting `model-imports = "keep"`, with which the converter does
        not copy what is imported. Transitive ones are copied with the inherited code that
        uses them, so they are written out only if the modular file uses them, too.

        Args:
            draft: The draft, which is changed.
        """
        draft.written_out.update(draft.imported)
        draft.imported.clear()
        while True:
            used_names: set[str] = set()
            for name, text in definition_texts(draft, self.flat).items():
                used_names |= words(mask_text(text)) - {name}
            used_dependencies = used_names & draft.transitive.keys()
            if not used_dependencies:
                return
            # The functions that are written out now can use others.
            draft.written_out |= used_dependencies
            for name in used_dependencies:
                del draft.transitive[name]

    def _find_functions_and_assignments(self) -> list[str]:
        """Return the names of functions and assignments that generated code needs."""
        generated_names = set[str]()
        for file in self.flat.files:
            generated_names |= file.generated_names
        names = []
        for name, statement in self.flat.definitions.items():
            # The kind of `ACT2FN["x"] = y` is `OTHER`. Such an assignment to an item is
            # generated together with the name that it changes, `ACT2FN`.
            is_class_or_item = statement.kind in (Kind.CLASS, Kind.OTHER)
            if name in generated_names and not is_class_or_item:
                names.append(name)
        return names

    def _convert(self, draft: InferredDraft) -> ProofResult:
        """Convert a draft, and compare the result with each flat file."""
        text = write_draft(draft, self.parents)
        return prove_unformatted(self.parents.converter, self.flat, text)

    def _find_source(self, name: str, parents: Sequence[RenamedParent]) -> str | None:
        """Return the path of a file from which a function or assignment can be imported.

        None if no file has the same code under the same name, or only files whose import
        gave a wrong result before.

        Args:
            name: The name of the function or assignment.
            parents: The files that classes of the modular file inherit from. A function
                does not justify an import from a further model.
        """
        for parent in parents:
            # An import does not rename, so the name must be the original one, too.
            has_same_name = parent.original_names.get(name) == name
            is_ruled_out = (name, parent.path) in self.ruled_out
            if not has_same_name or is_ruled_out:
                continue
            if self.parents.is_equal(name, parent):
                return parent.path
        return None

    def _omit_dependencies(
        self, draft: InferredDraft, comparisons: Sequence[Comparison]
    ) -> None:
        """Omit from a draft the classes that are generated although it lacks them.

        If `OlmoLayer` inherits from `LlamaLayer`, which uses `LlamaMLP`, the converter
        generates `OlmoMLP` as well. So the modular file need not mention `OlmoMLP`.

        First, all such classes are omitted. Then the draft is converted again and again.
        Each time, the omitted classes that are generated differently are put back.

        Args:
            draft: The draft, which is changed.
            comparisons: The comparisons of the complete draft's conversion.
        """
        draft.omitted.update(self._find_omittable(draft))
        differences_before = _find_differences(comparisons)
        while draft.omitted:
            new_comparisons = self._convert(draft).comparisons
            has_failed = not new_comparisons
            if has_failed:
                draft.omitted.clear()
                return
            new_differences = _find_differences(new_comparisons) - differences_before
            if not new_differences:
                return
            wrongly_omitted = new_differences & draft.omitted
            if not wrongly_omitted:
                # Only classes differ that the draft mentions. It is unknown which omitted
                # class causes this, so all are put back.
                draft.omitted.clear()
                return
            draft.omitted -= wrongly_omitted

    def _find_omittable(self, draft: InferredDraft) -> set[str]:
        """Return the classes that the converter probably generates as dependencies.

        From `class OlmoLayer(LlamaLayer): pass`, it also generates `OlmoMLP` if the
        complete `OlmoLayer` uses it. But if the text of the modular file uses `OlmoMLP`,
        the modular file must define it.
        """
        used_in_modular_file = set[str]()
        for name, text in definition_texts(draft, self.flat).items():
            # A class does not use itself. In the masked text, there are no names from
            # strings and comments.
            used_in_modular_file |= words(mask_text(text)) - {name}
        unused_classes = set[str]()
        for name, statement in self.flat.definitions.items():
            if statement.kind is Kind.CLASS and name not in used_in_modular_file:
                unused_classes.add(name)

        omittable = set()
        for child, chosen in draft.chosen_parents.items():
            # In the example, the child is `OlmoLayer`, and a dependency is `OlmoMLP`.
            words_of_child = self.flat.definitions[child].code.words()
            for dependency in (unused_classes & words_of_child) - {child}:
                if self._is_generated_with(draft, chosen, dependency):
                    omittable.add(dependency)
        return omittable

    def _is_generated_with(
        self, draft: InferredDraft, inheriting: ParentCandidate, name: str
    ) -> bool:
        """Return whether a class need not be defined, because another one inherits.

        If `OlmoLayer` inherits from `LlamaLayer`, which uses `LlamaMLP`, the converter
        also generates `LlamaMLP` under the name `OlmoMLP`. This must be the `OlmoMLP` that
        the model has.

        Args:
            draft: The draft.
            inheriting: The class that inherits, such as `OlmoLayer`, and its parent class.
            name: The name of a class that it uses, such as `OlmoMLP`.
        """
        parent_file = self.parents.rename(inheriting.file)
        # In the example, this is `LlamaMLP`.
        original_name = parent_file.original_names.get(name)
        if original_name is None:
            return False

        chosen = draft.chosen_parents.get(name)
        if chosen is not None:
            # `OlmoMLP` must inherit everything from `LlamaMLP`.
            original_class = ParentClass(inheriting.parent.path, original_name)
            is_same_class = chosen.parent == original_class
            return chosen.derived.inherits_everything and is_same_class

        # A class such as `RotaryEmbedding`, which has the same name in both files, has no
        # chosen: it cannot inherit from a parent class of its own name.
        return original_name == name and self.parents.is_equal(name, parent_file)


def _find_differences(comparisons: Iterable[Comparison]) -> set[str]:
    """Return the names that are not defined or imported as in the files of a model.

    Definitions in another order count, too, unless a file cannot be generated exactly
    anyway: generated files have no docstring.

    Args:
        comparisons: The comparisons of the model's files with the generated ones.
    """
    names: set[str] = set()
    for comparison in comparisons:
        names.update(comparison.wrong_definitions, comparison.missing_imports)
        order_matters = comparison.file.lost_docstring is None
        if order_matters:
            names.update(comparison.misplaced)
    return names
