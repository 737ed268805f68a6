"""Searches for the modular file of flat files: propose, convert in memory, look what is not as it was, and repair that."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from modular.infer.choice import NEW_MODEL, Candidate, InferredDraft, choose
from modular.infer.draft import definitions, write
from modular.infer.flat import FlatModel
from modular.infer.parents import ParentCandidate, ParentFiles, View
from modular.infer.proof import Comparison, Refusal, attempt
from modular.provenance.outline import UNOWNED, line_owners
from modular.source import module as modules
from modular.source.blocks import Kind
from modular.source.code import generated


_ROUNDS = 12
"""How often a draft is corrected."""


@dataclass
class Search:
    """The search for one model.

    ``ruled_out`` are (definition, parent file) pairs that did not work, ``needed`` functions and assignments that
    do not come along by themselves.
    """

    parents: ParentFiles
    candidates: Mapping[str, Sequence[Candidate]]
    precedence: Mapping[str, tuple[int, str, str]]
    ruled_out: set[tuple[str, str]] = field(default_factory=set)
    needed: set[str] = field(default_factory=set)

    @property
    def flat(self) -> FlatModel:
        """The flat files."""
        return self.parents.flat

    def draft(self) -> InferredDraft:
        """Return the best draft whose definitions come out as they are, as far as some rounds of repair lead."""
        for _ in range(_ROUNDS):
            draft = self._chosen()
            comparisons = self._attempt(draft)
            if not sum(self._correct(draft, comparison) for comparison in comparisons):
                break
        self._shorten(draft, comparisons)
        return draft

    def learn(self, draft: InferredDraft, proof: Comparison) -> bool:
        """Take from a proof that failed what is not to be tried again; whether there was anything."""
        if self._correct(draft, proof):
            return True
        used = [*proof.wrong, *(name.partition(".")[0] for name in proof.extra_imports)]
        pairs = self._users(draft, used) or self._importers(draft, proof.extra_imports)
        self.ruled_out |= pairs
        return bool(pairs)

    def _correct(self, draft: InferredDraft, comparison: Comparison) -> bool:
        """Rule out what came out otherwise than it should, or brought along what it should not; whether there was anything."""
        givers = draft.taken | {
            name: option.path for name, option in draft.options.items()
        }
        given = {name for name in comparison.wrong if name in givers}
        others = set(comparison.wrong) - given - self.needed.union(comparison.extra)
        needed = {
            name for name in others if self.flat.names[name].kind is not Kind.CLASS
        }
        pairs = {(name, givers[name]) for name in given} | self._users(
            draft, comparison.extra
        )
        self.ruled_out |= pairs
        self.needed |= needed
        return bool(pairs or needed)

    def refuse(
        self, draft: InferredDraft, text: str, refusals: Iterable[Refusal]
    ) -> bool:
        """Let what a linter refuses be written in another way: a class without methods that unravel `super()`, or else whole.

        ``text`` is the modular file. Return whether there was something to change.
        """
        owners = line_owners(modules.read(self.flat.modular, text))
        refused = {
            owners.get(line, UNOWNED).class_ or "" for line, _ in refusals
        } & draft.options.keys()
        for name in refused:
            if draft.options[name].derived.merged:
                self.parents.written_out.add(name)
            else:
                self.ruled_out.add((name, draft.options[name].path))
        return bool(refused)

    def _users(self, draft: InferredDraft, names: Collection[str]) -> set[Candidate]:
        """The classes that use some names, and bring along what their parent files have under them; with these files."""
        return {
            (user, option.path)
            for user, option in draft.options.items()
            if not self.flat.names[user].words.isdisjoint(names)
        }

    def _importers(
        self, draft: InferredDraft, names: Collection[str]
    ) -> set[Candidate]:
        """The classes that inherit from files which import some names, with these files."""
        return {
            (name, option.path)
            for name, option in draft.options.items()
            if not self.parents.converter.parent(option.path).names.isdisjoint(names)
        }

    def _chosen(self) -> InferredDraft:
        """Choose parents; take or write out the functions and assignments that do not come with them by themselves."""
        draft = choose(self.parents, self.candidates, self.precedence, self.ruled_out)
        counts = Counter(
            (option.path, option.prefix) for option in draft.options.values()
        )
        views = [
            self.parents.view(*key)
            for key in sorted(counts, key=lambda key: (-counts[key], key))
        ]
        used = set[str]().union(*(file.used for file in self.flat.files))
        for name, statement in self.flat.names.items():
            if statement.kind in (Kind.CLASS, Kind.OTHER) or name not in used:
                continue  # what nothing needs is not generated, wherever it appears
            comes_along = name not in self.needed and any(
                self.parents.is_equal(name, view) for view in views
            )
            if (path := self._giver(name, views)) is not None:
                (draft.brought if comes_along else draft.taken)[name] = path
            elif not comes_along:
                draft.written.add(name)
        return draft

    def _attempt(self, draft: InferredDraft) -> list[Comparison]:
        return attempt(self.parents.converter, self.flat, write(draft, self.parents))

    def _giver(self, name: str, views: Sequence[View]) -> str | None:
        """A parent file that has a definition under its very name: one that is used anyway, or one that is near."""
        statement = self.flat.names[name]
        is_long = (
            statement.kind is Kind.FUNCTION
            and statement.own.text.count("\n") > NEW_MODEL
        )
        near = [
            self.parents.view(path, self.flat.cased)
            for path, _ in self.candidates.get(name, ())
            if is_long
        ]
        for view in (*views, *near):
            is_there = view.original.get(name) == name and self.parents.is_equal(
                name, view
            )
            if is_there and (name, view.path) not in self.ruled_out:
                return view.path
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
            draft.implicit -= (
                wrong & draft.implicit
                if comparisons and wrong & draft.implicit
                else set(draft.implicit)
            )

    def _droppable(self, draft: InferredDraft) -> set[str]:
        """Classes that nothing mentions, and that others which inherit from a parent file bring along."""
        texts = definitions(draft, self.flat)
        mentioned = set[str]().union(
            *(generated(text, "", 1).words() - {name} for name, text in texts.items())
        )
        return {
            word
            for name, option in draft.options.items()
            for word in self.flat.names[name].code.words() - mentioned - {name}
            if self._comes_along(draft, word, option)
        }

    def _comes_along(
        self, draft: InferredDraft, name: str, user: ParentCandidate
    ) -> bool:
        """Whether a class is one of the parent file of its user as a whole, under the same name."""
        view, option = (
            self.parents.view(user.path, user.prefix),
            draft.options.get(name),
        )
        if option is not None:
            return (
                option.path == user.path
                and option.derived.is_whole
                and view.original.get(name) == option.parent
            )
        own = self.flat.names.get(name)
        is_class = own is not None and own.kind is Kind.CLASS
        return (
            is_class
            and view.original.get(name) == name
            and self.parents.is_equal(name, view)
        )


def _differences(comparisons: Iterable[Comparison]) -> set[str]:
    """What is not as it should be: names of definitions, and imports. A file with a docstring comes in another order anyway."""
    names: set[str] = set()
    for comparison in comparisons:
        names.update(comparison.wrong, comparison.missing_imports)
        if comparison.file.docstring is None:
            names.update(comparison.misplaced)
    return names
