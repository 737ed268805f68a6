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
        """Return the best draft from which the definitions are generated unchanged.

        A draft is the contents of a modular file. Each one is converted, and the
        parents that give wrong definitions are ruled out for the next one. In the last
        draft, some definitions may still differ.
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
        self._omit_dependencies(draft, comparisons)
        return draft

    def learn_from(self, draft: InferredDraft, comparison: Comparison) -> bool:
        """Rule out the causes, if a draft does not generate a flat file exactly.

        Wrong definitions come first. Only without a cause for these, the classes that
        use wrong names, or whose parent files import too much, are ruled out.

        Args:
            draft: The draft.
            comparison: The comparison of the flat file with the generated one.

        Returns:
            Whether anything was ruled out, or noted as missing.
        """
        if self._learn_from_wrong_definitions(draft, comparison):
            return True

        wrong_names = set(comparison.wrong_definitions)
        for imported_name in comparison.extra_imports:
            # Code that uses `torch.nn` has the word `torch`.
            first_word = imported_name.partition(".")[0]
            wrong_names.add(first_word)
        causes = self._classes_that_use(draft, wrong_names)
        if not causes:
            causes = self._classes_from_importing_files(draft, comparison.extra_imports)
        self.ruled_out |= causes
        return bool(causes)

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
        """Rule out parent files of wrong definitions, and note missing definitions.

        A definition is wrong if it is generated differently, or without need, or not at
        all. The next draft does not take a ruled-out definition from that file. It
        imports or contains the functions and assignments that are noted as missing.

        Returns:
            Whether anything was ruled out or noted.
        """
        parent_paths = dict(draft.imported)
        for name, candidate in draft.candidates.items():
            parent_paths[name] = candidate.parent.path

        # An extra definition disappears if no inherited code uses it.
        ruled_out = self._classes_that_use(draft, comparison.extra)
        missing = set()
        for name in comparison.wrong_definitions:
            statement = self.flat.definitions.get(name)
            if name in parent_paths:
                # The draft takes the definition from this file, so another must do.
                ruled_out.add(RuledOut(name, parent_paths[name]))
            elif statement is None:
                # The flat file imports the name that the parent file defines.
                ruled_out |= self._classes_that_use(draft, {name})
            elif statement.kind is not Kind.CLASS and name not in comparison.extra:
                # Inherited code did not bring the function or assignment with it.
                missing.add(name)

        newly_missing = missing - self.missing
        self.ruled_out |= ruled_out
        self.missing |= newly_missing
        return bool(ruled_out or newly_missing)

    def _classes_that_use(
        self, draft: InferredDraft, names: Collection[str]
    ) -> set[RuledOut]:
        """Return inheriting classes whose code mentions some names, to be ruled out.

        Inherited code that uses a name makes the converter generate its definition.
        """
        return {
            RuledOut(name, candidate.parent.path)
            for name, candidate in draft.candidates.items()
            if not self.flat.definitions[name].words.isdisjoint(names)
        }

    def _classes_from_importing_files(
        self, draft: InferredDraft, names: Collection[str]
    ) -> set[RuledOut]:
        """Return the classes whose parent files contain some names, to be ruled out."""
        classes = set()
        for name, candidate in draft.candidates.items():
            path = candidate.parent.path
            if not self.parents.converter.parent(path).names.isdisjoint(names):
                classes.add(RuledOut(name, path))
        return classes

    def _propose_draft(self) -> InferredDraft:
        """Return a draft with parent classes, functions and assignments.

        A function or assignment that a parent file defines equally is transitive: the
        converter adds it to the output with the inherited code that uses it. If an
        earlier draft showed that this does not happen, it is in `self.missing`, and is
        imported from that file. Any other one is written out.
        """
        draft = choose_parents(self.parents, self.nearest, self.models, self.ruled_out)
        counts = Counter(candidate.file for candidate in draft.candidates.values())
        most_classes_first = sorted(counts, key=lambda file: (-counts[file], file))
        parents = [self.parents.rename(file) for file in most_classes_first]

        for name in self._find_functions_and_assignments():
            is_in_parent = any(self.parents.is_equal(name, file) for file in parents)
            is_transitive = is_in_parent and name not in self.missing
            path = self._find_source(name, parents)
            if is_transitive and path is not None:
                draft.transitive[name] = path
            elif path is not None:
                draft.imported[name] = path
            elif not is_transitive:
                draft.verbatim.add(name)
        for file in self.flat.files:
            draft.verbatim.update(file.unused_first_names)
        return draft

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

        It is one of the parents. A long function may also be worth another import, so
        the files with the nearest functions are tried, too.
        """
        statement = self.flat.definitions[name]
        possible_parents = list(parents)
        line_count = statement.bare_code.text.count("\n")
        if statement.kind is Kind.FUNCTION and line_count > MIN_LINES_MODEL:
            for near in self.nearest.get(name, ()):
                file = PrefixedFile(near.path, self.flat.cased)
                possible_parents.append(self.parents.rename(file))

        for parent in possible_parents:
            # An import does not rename, so the parent file must use the same name.
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
        """Omit classes that the converter also generates without being told to.

        If `OlmoLayer` inherits from `LlamaLayer`, which uses `LlamaMLP`, the converter
        generates `OlmoMLP` as well. So the modular file need not mention it.

        All such classes are omitted first. Those that are then generated differently
        are written again, until there are no new differences.

        Args:
            draft: The draft, which is changed.
            comparisons: The comparisons of its conversion before.
        """
        draft.omitted.update(self._find_omittable(draft))
        differences_before = _find_differences(comparisons)
        while draft.omitted:
            new_comparisons = self._convert(draft)
            new_differences = _find_differences(new_comparisons) - differences_before
            can_be_converted = bool(new_comparisons)
            if can_be_converted and not new_differences:
                return
            wrongly_omitted = new_differences & draft.omitted
            if not wrongly_omitted:
                # It is unknown which class must not be omitted.
                draft.omitted.clear()
            draft.omitted -= wrongly_omitted

    def _find_omittable(self, draft: InferredDraft) -> set[str]:
        """Return the classes that the converter adds because inherited code uses them.

        A class that the code in the modular file mentions is not among them.
        `draft.candidates` has the chosen parent of each class that inherits.
        """
        mentioned_names = set[str]()
        for name, text in definition_texts(draft, self.flat).items():
            # The mask has no strings and comments, which mention nothing.
            mentioned_names |= words(mask(text)) - {name}

        omittable = set()
        for user_name, user in draft.candidates.items():
            used_names = self.flat.definitions[user_name].code.words() - {user_name}
            for name in used_names - mentioned_names:
                if self._is_added_for(draft, user, name):
                    omittable.add(name)
        return omittable

    def _is_added_for(
        self, draft: InferredDraft, user: ParentCandidate, name: str
    ) -> bool:
        """Return whether the converter adds a class because an inheriting class uses it.

        If `OlmoLayer` inherits from `LlamaLayer`, which uses `LlamaMLP`, the converter
        adds `LlamaMLP` as `OlmoMLP`. The result is true only if `OlmoMLP` of the flat
        file is the same class.

        Args:
            draft: The modular file, which lets some classes inherit.
            user: The inheriting class and its parent class, such as `LlamaLayer`.
            name: The name of a class that the inheriting class uses, such as `OlmoMLP`.
        """
        parent_file = self.parents.rename(user.file)
        name_in_parent_file = parent_file.original_names.get(name)
        candidate = draft.candidates.get(name)
        if candidate is not None:
            # It inherits, too, and must get all from the class that would be added.
            added_class = ParentClass(user.parent.path, name_in_parent_file or "")
            return candidate.derived.is_whole and candidate.parent == added_class

        # The used class does not inherit, but it may be in the parent file as it is.
        statement = self.flat.definitions.get(name)
        if statement is None or statement.kind is not Kind.CLASS:
            return False
        return name_in_parent_file == name and self.parents.is_equal(name, parent_file)


def _find_differences(comparisons: Iterable[Comparison]) -> set[str]:
    """Return the names of wrong or misplaced definitions, and of missing imports."""
    names: set[str] = set()
    for comparison in comparisons:
        names.update(comparison.wrong_definitions, comparison.missing_imports)
        # The order of a file with a docstring always differs.
        if comparison.file.docstring is None:
            names.update(comparison.misplaced)
    return names
