"""Searches for the modular file of flat files: propose, convert in memory, look what is not as it was, and repair that."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from modular.infer.choice import NEW_MODEL, Candidate, InferredDraft, choose
from modular.infer.draft import definitions, write
from modular.infer.flat import FlatFile, FlatModel
from modular.infer.parents import ParentFiles
from modular.infer.proof import Comparison, Refusal, attempt
from modular.provenance.outline import NOBODY, line_owners
from modular.source import module as modules
from modular.source.blocks import Kind
from modular.source.code import generated


_ROUNDS = 12
"""How often a draft is repaired."""


@dataclass
class Search:
    """The search for one model.

    ``ruled_out`` are (class, parent file) pairs that did not work, ``pinned`` definitions that are to be written out.
    """

    parents: ParentFiles
    candidates: Mapping[str, Sequence[Candidate]]
    precedence: Mapping[str, tuple[int, str, str]]
    ruled_out: set[tuple[str, str]] = field(default_factory=set)
    pinned: set[str] = field(default_factory=set)

    @property
    def flat(self) -> FlatModel:
        """The flat files."""
        return self.parents.flat

    def draft(self) -> InferredDraft:
        """Return the best draft whose definitions come out as they are."""
        draft = choose(self.parents, self.candidates, self.precedence, self.ruled_out, self.pinned)
        self._take_functions(draft)
        self._shorten(draft, self._repair(draft))
        return draft

    def learn(self, draft: InferredDraft, proof: Comparison) -> bool:
        """Take from a proof that failed what is not to be tried again; whether there was anything."""
        known = len(self.ruled_out) + len(self.pinned)
        for name in proof.wrong:
            if name in draft.options and not any(name == ruled_out for ruled_out, _ in self.ruled_out):
                self.ruled_out.add((name, draft.options[name].path))
            elif name in self.pinned:
                self._rule_out_users(draft, name)
            elif name in self.flat.names:
                self.pinned.add(name)
        if len(self.ruled_out) + len(self.pinned) == known:
            for name in proof.extra_imports:
                self._rule_out_users(draft, name.partition(".")[0])
        if len(self.ruled_out) + len(self.pinned) == known:
            for name in proof.extra_imports:
                self._rule_out_importers(draft, name)
        return len(self.ruled_out) + len(self.pinned) > known

    def refuse(self, draft: InferredDraft, text: str, refusals: Iterable[Refusal]) -> bool:
        """Let what a linter refuses be written in another way: a class without methods that unravel `super()`, or else whole.

        ``text`` is the modular file. Return whether there was something to change.
        """
        owners = line_owners(modules.read(self.flat.modular, text))
        refused = {owners.get(line, NOBODY).class_ or "" for line, _ in refusals} & draft.options.keys()
        for name in refused:
            if draft.options[name].derived.merged:
                self.parents.write_out(name)
            else:
                self.ruled_out.add((name, draft.options[name].path))
        return bool(refused)

    def _rule_out_users(self, draft: InferredDraft, name: str) -> None:
        """Let no class inherit that uses a name, and would bring along what its parent file has under that."""
        for class_name, option in draft.options.items():
            if name in self.flat.names[class_name].code.words():
                self.ruled_out.add((class_name, option.path))

    def _rule_out_importers(self, draft: InferredDraft, name: str) -> None:
        """Let no class inherit from a file that imports a name."""
        for class_name, option in draft.options.items():
            imports = self.parents.view(option.path, option.prefix).file.source.module.imports
            if any(name == imported.bound for statement in imports for imported in statement.names):
                self.ruled_out.add((class_name, option.path))

    def _take_functions(self, draft: InferredDraft) -> None:
        """Write out what no chosen parent file has; what only classes without a parent need is imported from one."""
        views = [self.parents.view(path, draft.prefixes[path]) for path in draft.paths]
        for name, statement in self.flat.names.items():
            if statement.kind in (Kind.CLASS, Kind.OTHER) or self._is_unused(name):
                continue
            if name in self.pinned or not any(self.parents.is_equal(name, view) for view in views):
                self._take(draft, name)

    def _take(self, draft: InferredDraft, name: str) -> bool:
        """Import a function or an assignment from a parent file, or write it out; whether that was not tried yet."""
        path = self._giver(draft, name) if name not in self.pinned and name not in draft.taken else None
        if path is not None:
            draft.taken[name] = path
            return True
        if name in draft.taken:
            self.ruled_out.add((name, draft.taken.pop(name)))
        if name in draft.written or name in self.flat.ambiguous:
            return False
        draft.written.add(name)
        return True

    def _repair(self, draft: InferredDraft) -> list[Comparison]:
        """Convert and repair until the same definitions come out, or nothing helps."""
        comparisons = self._attempt(draft)
        for _ in range(_ROUNDS):
            if not sum(self._mend(draft, comparison) for comparison in comparisons):
                break
            comparisons = self._attempt(draft)
        return comparisons

    def _attempt(self, draft: InferredDraft) -> list[Comparison]:
        return attempt(self.parents.converter, self.flat, write(draft, self.parents))

    def _mend(self, draft: InferredDraft, comparison: Comparison) -> bool:
        """Repair what differs in one file; whether there was something that could be repaired."""
        mended = False
        for name in (*comparison.changed, *comparison.missing):
            if name in draft.options and name in comparison.changed:
                self._write_out(draft, name)
                mended = True
            elif self.flat.names[name].kind in (Kind.FUNCTION, Kind.ASSIGNMENT) and not self._is_unused(name):
                mended |= self._take(draft, name)
        for name in comparison.extra:
            for user in self._users(draft, name, comparison.file):
                self._write_out(draft, user)
                mended = True
        imported = set(comparison.missing_imports) - draft.offered
        if not mended:
            draft.offered |= imported
        return mended or bool(imported)

    def _write_out(self, draft: InferredDraft, name: str) -> None:
        """Write out a class that came out otherwise than it should, or brings along what it should not."""
        self.ruled_out.add((name, draft.options.pop(name).path))

    def _users(self, draft: InferredDraft, name: str, file: FlatFile) -> list[str]:
        """The classes of a file that bring a definition of their parent file along."""
        return [
            user
            for user, option in draft.options.items()
            if user in file.named and name in self.flat.names[user].code.words()
            if name in self.parents.view(option.path, draft.prefixes[option.path]).nodes
        ]

    def _is_unused(self, name: str) -> bool:
        """Whether nothing needs a function or an assignment: then it is not generated, wherever it appears."""
        return not any(name in file.used for file in self.flat.files)

    def _giver(self, draft: InferredDraft, name: str) -> str | None:
        """A parent file that has a definition under its very name: one that is used anyway, or one that is near."""
        statement = self.flat.names[name]
        is_long = statement.kind is Kind.FUNCTION and statement.own.text.count("\n") > NEW_MODEL
        near = [path for path, _ in self.candidates.get(name, ())] if is_long else []
        for path in dict.fromkeys([*draft.paths, *near]):
            view = self.parents.view(path, draft.prefixes.get(path, self.flat.cased))
            is_there = view.original.get(name) == name and self.parents.is_equal(name, view)
            if is_there and (name, path) not in self.ruled_out:
                return path
        return None

    def _shorten(self, draft: InferredDraft, before: Sequence[Comparison]) -> None:
        """Leave out classes that others bring along, as far as everything stays where it is."""
        draft.implicit.update(self._droppable(draft))
        known = _differences(before)
        while draft.implicit:
            comparisons = self._attempt(draft)
            wrong = _differences(comparisons) - known
            if comparisons and not wrong:
                break
            draft.implicit -= wrong & draft.implicit if comparisons and wrong & draft.implicit else set(draft.implicit)

    def _droppable(self, draft: InferredDraft) -> set[str]:
        """Classes that nothing mentions, and that others which inherit from a parent file bring along."""
        texts = definitions(draft, self.flat)
        mentioned = set[str]().union(*(generated(text, "", 1).words() - {name} for name, text in texts.items()))
        return {
            word
            for name, option in draft.options.items()
            for word in self.flat.names[name].code.words() - mentioned - {name}
            if self._comes_along(draft, word, option.path)
        }

    def _comes_along(self, draft: InferredDraft, name: str, path: str) -> bool:
        """Whether a class is one of a parent file as a whole, under the same name."""
        view, option = self.parents.view(path, draft.prefixes[path]), draft.options.get(name)
        if option is not None:
            return option.path == path and option.derived.is_whole and view.original.get(name) == option.parent
        own = self.flat.names.get(name)
        is_class = own is not None and own.kind is Kind.CLASS
        return is_class and view.original.get(name) == name and self.parents.is_equal(name, view)


def _differences(comparisons: Iterable[Comparison]) -> set[str]:
    """What is not as it should be: names of definitions, and imports. A file with a docstring comes in another order anyway."""
    names: set[str] = set()
    for comparison in comparisons:
        names.update(comparison.wrong, comparison.missing_imports)
        if comparison.file.docstring is None:
            names.update(comparison.misplaced)
    return names
