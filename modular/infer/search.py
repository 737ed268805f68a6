"""Searches for a modular file: proposes, converts and corrects a draft."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from modular.infer.choice import (
    MIN_LINES_MODEL,
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
    PrefixedFile,
    RenamedParent,
)
from modular.infer.proof import Comparison, Finding, compare_unformatted
from modular.provenance.outline import UNOWNED, line_owners
from modular.source import module as modules
from modular.source.blocks import Kind
from modular.source.scan import mask
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
        missing: Functions and assignments that inherited code does not bring with it.
    """

    parents: ParentFiles
    nearest: NearestClasses
    models: ParentModels
    ruled_out: set[RuledOut] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)

    @property
    def flat(self) -> FlatModel:
        """The flat files."""
        return self.parents.flat

    def find_draft(self) -> InferredDraft:
        """Return a draft of the modular file, corrected as often as that helps.

        A draft says which classes inherit from which parents. Each draft is converted.
        If a definition is then generated differently from the flat file, its parent is
        ruled out for the next draft. The last draft may still have such definitions.
        """
        for _ in range(_MAX_CORRECTIONS):
            draft = self._propose_draft()
            comparisons = self._convert(draft)
            has_learned = False
            for comparison in comparisons:
                has_learned |= self._learn_from_wrong_definitions(draft, comparison)
            if not has_learned:
                # The next draft would be the same.
                break
        # Classes that others bring with them need not be written.
        self._omit_dependencies(draft, comparisons)
        return draft

    def learn_from(self, draft: InferredDraft, comparison: Comparison) -> bool:
        """Rule out parents of a draft that does not generate a flat file exactly.

        The next draft lets no class inherit from a parent file that is ruled out for
        it. Each of these steps is only done if the one before finds nothing to rule out:

        1. The parents of wrong definitions.
        2. The parents of classes that use a wrong definition or an extra import.
        3. The parents whose files contain an extra import.

        Args:
            draft: The draft.
            comparison: The comparison of the flat file with the generated one.

        Returns:
            Whether anything was ruled out, or noted as missing. Otherwise the next
            draft would be the same.
        """
        if self._learn_from_wrong_definitions(draft, comparison):
            return True

        wrong_names = set(comparison.wrong_definitions)
        for imported_name in comparison.extra_imports:
            # Code that uses `torch.nn` has the word `torch`.
            first_word = imported_name.partition(".")[0]
            wrong_names.add(first_word)
        ruled_out = self._parents_of_classes_that_use(draft, wrong_names)
        if not ruled_out:
            ruled_out = self._parents_that_bind(draft, comparison.extra_imports)
        self.ruled_out |= ruled_out
        return bool(ruled_out)

    def learn_from_findings(
        self, draft: InferredDraft, text: str, findings: Iterable[Finding]
    ) -> bool:
        """Rule out what makes linters complain about classes of the modular file.

        In the next draft, a class with a finding writes its methods in full instead of
        calling `super()`. If it did so already, it must not inherit from its parent.

        Args:
            draft: The draft.
            text: The modular file that was written from it.
            findings: What linters report in that file.

        Returns:
            Whether anything was ruled out.
        """
        owners = line_owners(modules.read(self.flat.modular, text))
        classes = set()
        for finding in findings:
            class_name = owners.get(finding.line, UNOWNED).class_
            if class_name in draft.candidates:
                classes.add(class_name)
        for name in classes:
            candidate = draft.candidates[name]
            if candidate.derived.merged:
                self.parents.unmergeable.add(name)
            else:
                self.ruled_out.add(RuledOut(name, candidate.parent.path))
        return bool(classes)

    def _learn_from_wrong_definitions(
        self, draft: InferredDraft, comparison: Comparison
    ) -> bool:
        """Rule out the parent files of wrong definitions, and note missing ones.

        A definition is wrong if it is generated differently, or not at all, or if the
        flat file does not have it. If `OlmoMLP` is wrong and inherits from a class of
        `modeling_llama.py`, the next draft takes it from another file or writes it.

        Functions and assignments that are not generated are noted as missing. The next
        draft imports or contains them.

        Returns:
            Whether anything was ruled out or noted.
        """
        # By the name of a definition, the file that the draft takes it from.
        parent_paths = dict(draft.imported)
        for name, candidate in draft.candidates.items():
            parent_paths[name] = candidate.parent.path

        # An extra definition is one that the flat file does not have. It is generated
        # because inherited code uses it, so the classes with this code are at fault.
        ruled_out = self._parents_of_classes_that_use(draft, comparison.extra)
        missing = set()
        for name in comparison.wrong_definitions:
            is_extra = name in comparison.extra
            if name in parent_paths:
                ruled_out.add(RuledOut(name, parent_paths[name]))
            elif not is_extra and self.flat.definitions[name].kind is not Kind.CLASS:
                # Inherited code did not bring the function or assignment with it.
                missing.add(name)

        newly_missing = missing - self.missing
        self.ruled_out |= ruled_out
        self.missing |= newly_missing
        return bool(ruled_out or newly_missing)

    def _parents_of_classes_that_use(
        self, draft: InferredDraft, names: Collection[str]
    ) -> set[RuledOut]:
        """Return the inheriting classes that use some names, with their parent files.

        If `OlmoMLP` uses `act_fn` and inherits from `LlamaMLP`, the converter generates
        `act_fn` as well. If it should not, `OlmoMLP` must not inherit from that file.
        """
        return {
            RuledOut(name, candidate.parent.path)
            for name, candidate in draft.candidates.items()
            if not self.flat.definitions[name].words.isdisjoint(names)
        }

    def _parents_that_bind(
        self, draft: InferredDraft, names: Collection[str]
    ) -> set[RuledOut]:
        """Return the inheriting classes whose parent files define or import some names.

        An import of the parent file can become an import of the generated file. If it
        should not, these classes must not inherit from their parent files.
        """
        ruled_out = set()
        for name, candidate in draft.candidates.items():
            path = candidate.parent.path
            if not self.parents.converter.parent(path).names.isdisjoint(names):
                ruled_out.add(RuledOut(name, path))
        return ruled_out

    def _propose_draft(self) -> InferredDraft:
        """Return a draft with parent classes, functions and assignments.

        A draft is the contents of a modular file. First the best parents that are not
        ruled out are chosen for the classes. Then it is decided for each function and
        assignment whether the modular file imports it or contains it.
        """
        draft = choose_parents(self.parents, self.nearest, self.models, self.ruled_out)
        counts = Counter(candidate.file for candidate in draft.candidates.values())
        most_classes_first = sorted(counts, key=lambda file: (-counts[file], file))
        parents = [self.parents.rename(file) for file in most_classes_first]

        for name in self._find_functions_and_assignments():
            self._add_function_or_assignment(draft, name, parents)
        for file in self.flat.files:
            # Such as a `logger` that is generated even if nothing uses it.
            draft.verbatim.update(file.unused_first_names)
        return draft

    def _add_function_or_assignment(
        self, draft: InferredDraft, name: str, parents: Sequence[RenamedParent]
    ) -> None:
        """Add a function or assignment of the flat files to a draft.

        - If a parent file defines it equally, it is transitive: the converter generates
          it with the inherited code that uses it. If an earlier draft showed that it
          does not, the name is in `self.missing` and does not count as transitive.
        - If it is not transitive, but a file defines it equally and under the same name,
          the modular file imports it from there.
        - Otherwise it is written out.

        Args:
            draft: The draft, which is changed.
            name: The name of the function or assignment.
            parents: The files with the parent classes of the draft.
        """
        is_in_parent = any(self.parents.is_equal(name, parent) for parent in parents)
        is_transitive = is_in_parent and name not in self.missing
        path = self._find_source(name, parents)
        if is_transitive:
            # It is generated in any case. With a path, the modular file can also import
            # it, which it must if its own code uses the name.
            if path is not None:
                draft.transitive[name] = path
        elif path is not None:
            draft.imported[name] = path
        else:
            draft.verbatim.add(name)

    def _find_functions_and_assignments(self) -> list[str]:
        """Return the names of the functions and assignments that must be generated."""
        generated_names = set[str]()
        for file in self.flat.files:
            generated_names |= file.generated_names
        names = []
        for name, statement in self.flat.definitions.items():
            # Items, as in `ACT2FN["x"] = y`, follow the name that they change.
            is_class_or_item = statement.kind in (Kind.CLASS, Kind.OTHER)
            if name in generated_names and not is_class_or_item:
                names.append(name)
        return names

    def _convert(self, draft: InferredDraft) -> list[Comparison]:
        """Convert a draft, and compare the result with each flat file."""
        text = write_draft(draft, self.parents)
        return compare_unformatted(self.parents.converter, self.flat, text)

    def _find_source(self, name: str, parents: Sequence[RenamedParent]) -> str | None:
        """Return the path of a file from which a function or assignment can be imported.

        The files of `parents`, from which classes of the draft inherit, are tried first.
        For a long function, the files with the most similar functions come next.
        """
        statement = self.flat.definitions[name]
        possible_parents = list(parents)
        line_count = statement.bare_code.text.count("\n")
        # These files may be of a model from which no class inherits. As a new parent, it
        # must save at least this number of lines.
        if statement.kind is Kind.FUNCTION and line_count > MIN_LINES_MODEL:
            for near in self.nearest.get(name, ()):
                file = PrefixedFile(near.path, self.flat.cased)
                possible_parents.append(self.parents.rename(file))

        for parent in possible_parents:
            # An import does not rename, so the parent file must use the same name.
            has_same_name = parent.original_names.get(name) == name
            # An earlier draft imported it from there, and it was generated wrongly.
            is_ruled_out = (name, parent.path) in self.ruled_out
            if not has_same_name or is_ruled_out:
                continue
            if self.parents.is_equal(name, parent):
                return parent.path
        return None

    def _omit_dependencies(
        self, draft: InferredDraft, comparisons: Sequence[Comparison]
    ) -> None:
        """Omit classes that the converter also generates if a draft lacks them.

        If `OlmoLayer` inherits from `LlamaLayer`, which uses `LlamaMLP`, the converter
        generates `OlmoMLP` as well. So the modular file need not mention it.

        All such classes are omitted first. Those that are then generated differently
        are no longer omitted, until there are no new differences.

        Args:
            draft: The draft, which is changed.
            comparisons: The comparisons of its conversion before.
        """
        draft.omitted.update(self._find_omittable(draft))
        differences_before = _find_differences(comparisons)
        while draft.omitted:
            new_comparisons = self._convert(draft)
            new_differences = _find_differences(new_comparisons) - differences_before
            # A draft that cannot be converted has no comparisons, and so no differences.
            is_converted = bool(new_comparisons)
            if is_converted and not new_differences:
                return
            wrongly_omitted = new_differences & draft.omitted
            if wrongly_omitted:
                draft.omitted -= wrongly_omitted
            else:
                # The draft cannot be converted, or only what it mentions differs.
                # It is unknown which class it lacks, so none is omitted.
                draft.omitted.clear()

    def _find_omittable(self, draft: InferredDraft) -> set[str]:
        """Return the classes that a draft need not mention, because others bring them.

        If the modular file has only `class OlmoLayer(LlamaLayer): pass`, and the flat
        `OlmoLayer` uses `OlmoMLP`, the converter may generate `OlmoMLP` without being
        told to. But if the text of the modular file uses `OlmoMLP`, it must have it.
        """
        used_in_modular_file = set[str]()
        for name, text in definition_texts(draft, self.flat).items():
            # A class does not use itself. The mask has no strings and comments, which
            # use nothing.
            used_in_modular_file |= words(mask(text)) - {name}
        unused_classes = set[str]()
        for name, statement in self.flat.definitions.items():
            if statement.kind is Kind.CLASS and name not in used_in_modular_file:
                unused_classes.add(name)

        # In the example, the user is `OlmoLayer`, and its flat code has `OlmoMLP`.
        omittable = set()
        for user_name, user in draft.candidates.items():
            words_of_user = self.flat.definitions[user_name].code.words()
            for name in (unused_classes & words_of_user) - {user_name}:
                if self._is_generated_with(draft, user, name):
                    omittable.add(name)
        return omittable

    def _is_generated_with(
        self, draft: InferredDraft, user: ParentCandidate, name: str
    ) -> bool:
        """Return whether inheritance of one class makes the converter generate another.

        If `OlmoLayer` inherits from `LlamaLayer`, which uses `LlamaMLP`, the converter
        also generates `LlamaMLP` under the name `OlmoMLP`. The result is true only if
        this is the same class as `OlmoMLP` of the flat file.

        Args:
            draft: The draft.
            user: The inheriting class, such as `OlmoLayer`, and its parent class.
            name: The name of a class that it uses, such as `OlmoMLP`.
        """
        parent_file = self.parents.rename(user.file)
        # The class that the converter renames to `OlmoMLP`, such as `LlamaMLP`.
        original_name = parent_file.original_names.get(name)
        if original_name is None:
            return False
        candidate = draft.candidates.get(name)
        if candidate is None:
            # The class has no parent. It cannot have one of its own name, but the parent
            # file may define it under this name and with the same code.
            return original_name == name and self.parents.is_equal(name, parent_file)
        # It must inherit everything, and from the class that the converter renames.
        renamed_class = ParentClass(user.parent.path, original_name)
        return candidate.derived.is_whole and candidate.parent == renamed_class


def _find_differences(comparisons: Iterable[Comparison]) -> set[str]:
    """Return the names of wrong or misplaced definitions, and of missing imports."""
    names: set[str] = set()
    for comparison in comparisons:
        names.update(comparison.wrong_definitions, comparison.missing_imports)
        # The order of a file with a docstring always differs.
        if comparison.file.docstring is None:
            names.update(comparison.misplaced)
    return names
