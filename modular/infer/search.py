"""Searches for the modular file of flat files: propose, convert in memory, look what is not as it was, and repair that."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from modular.conversion.converter import Converter
from modular.infer.choice import Candidate, choose
from modular.infer.draft import Draft, write
from modular.infer.flat import FlatModel
from modular.infer.parents import Option, Parents
from modular.infer.proof import FileProof
from modular.infer.refused import Refusal
from modular.infer.trial import Gap, Trial, attempt
from modular.rules.classes.methods import methods
from modular.source import module as modules
from modular.source.blocks import Kind
from modular.source.code import generated
from modular.source.parts import parts_of


_ROUNDS = 12
"""How often a draft is repaired."""

_SHORT = 30
"""Lines of functions that are written out at most so that they come where they stood."""

_LONG = 8
"""Lines from which on a function is worth an import from a parent file that nothing else is taken from."""


@dataclass
class Search:
    """The search for one model.

    ``ruled_out`` are (class, parent file) pairs that did not work, ``pinned`` definitions that are to be written out,
    ``kept`` names whose import in a guard is not to be dropped.
    """

    converter: Converter
    flat: FlatModel
    candidates: Mapping[str, Sequence[Candidate]]
    precedence: Mapping[str, tuple[int, str, str]]
    ruled_out: set[tuple[str, str]] = field(default_factory=set)
    pinned: set[str] = field(default_factory=set)
    kept: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.parents = Parents(self.converter, self.flat)

    def draft(self) -> tuple[Draft, Trial]:
        """Return the best draft whose definitions come out as they are."""
        chosen = choose(self.parents, self.candidates, self.precedence, self.ruled_out, self.pinned)
        draft = Draft(chosen, kept=frozenset(self.kept))
        self._take_functions(draft)
        trial = self._repair(draft)
        return self._sort(*self._shorten(draft, trial))

    def learn(self, draft: Draft, proof: FileProof) -> bool:
        """Take from a proof that failed what is not to be tried again; whether there was anything."""
        learnt = False
        for name in proof.wrong:
            if name in draft.choice.options:
                self._rule_out(draft.choice.options[name])
                learnt = True
            elif name in self.flat.names and name not in self.pinned:
                self.pinned.add(name)
                learnt = True
            elif name in self.pinned:
                learnt |= self._take_no(draft, name)
        if not learnt and not self.kept.issuperset(proof.guarded):
            self.kept.update(proof.guarded)
            learnt = True
        for name in () if learnt else (*proof.imports, *proof.guarded):
            learnt |= self._pin(draft, name)
        for each in () if learnt else proof.foreign:
            learnt |= self._avoid(draft, each)
        return learnt

    def refuse(self, draft: Draft, text: str, refused: Iterable[Refusal]) -> bool:
        """Let what a linter refuses be written in another way: a method that unravels `super()`, or else its class.

        ``text`` is the modular file. Return whether there was something to change.
        """
        changed = False
        for line, _ in refused:
            for statement in modules.read(self.flat.modular, text).block.statements:
                option = draft.choice.options.get(statement.name)
                if option is None or not statement.line <= line <= statement.line + statement.code.text.count("\n"):
                    continue
                members = methods(parts_of(statement).body.statements)
                key = next((key for key, each in reversed(members.items()) if each.statement.line <= line), "")
                if key in option.derived.merged:
                    self.parents.write_out(option.name, key)
                else:
                    self._rule_out(option)
                changed = True
        return changed

    def _rule_out(self, option: Option) -> None:
        """Do not take an option again; if its layout may be the reason, nor any other for which that may be so."""
        self.ruled_out.add((option.name, option.path))
        if not option.derived.exact:
            others = (each for each in self.parents.known(option.name) if not each.derived.exact)
            self.ruled_out.update((other.name, other.path) for other in others)

    def _take_no(self, draft: Draft, name: str) -> bool:
        """Let no class take from a parent file that has its own of what is written out, and prefers it."""
        found = False
        for each, option in draft.choice.options.items():
            view = self.parents.view(option.path, draft.choice.prefixes[option.path])
            if name in view.nodes and name in self.flat.names[each].code.words():
                self.ruled_out.add((each, option.path))
                found = True
        return found

    def _avoid(self, draft: Draft, statement: str) -> bool:
        """Take nothing from the parent files that bring an import."""
        avoided = False
        for name, option in draft.choice.options.items():
            view = self.parents.view(option.path, draft.choice.prefixes[option.path])
            if any(
                f"{import_.source} {alias}" == statement for import_ in view.file.imports for alias in import_.names
            ):
                self.ruled_out.add((name, option.path))
                avoided = True
        return avoided

    def _pin(self, draft: Draft, name: str) -> bool:
        """Write out the shortest definition that uses a name: only so the modular file can say where it is imported from."""
        found = []
        for each, statement in self.flat.names.items():
            if name not in statement.code.words() or each in draft.written or each in self.pinned:
                continue
            if statement.kind is Kind.CLASS and each not in draft.choice.options:
                continue
            if statement.kind in (Kind.CLASS, Kind.FUNCTION):
                found.append((statement.own.text.count("\n"), each))
        if found:
            self.pinned.add(min(found)[1])
        return bool(found)

    def _take_functions(self, draft: Draft) -> None:
        """Write out what no chosen parent file has; what only classes without a parent need is imported from one."""
        views = [self.parents.view(path, draft.choice.prefixes[path]) for path in draft.choice.paths]
        for name, statement in self.flat.names.items():
            if statement.kind in (Kind.CLASS, Kind.OTHER) or self._is_unused(name):
                continue
            is_there = any(self.parents.is_equal(name, view) for view in views)
            if is_there and name not in self.pinned:
                continue
            path = self._giver(draft, name) if name not in self.pinned else None
            if path is not None:
                draft.taken[name] = path
            elif name not in self.flat.ambiguous:
                draft.written.add(name)

    def _repair(self, draft: Draft) -> Trial:
        """Convert and repair until the same definitions come out, or nothing helps."""
        trial = self._attempt(draft)
        for _ in range(_ROUNDS):
            if trial.failed:
                self._fall_back(draft)
            elif not sum(self._mend(draft, gap) for gap in trial.gaps):
                return trial
            trial = self._attempt(draft)
        return trial

    def _attempt(self, draft: Draft) -> Trial:
        return attempt(self.converter, self.flat, write(draft, self.parents))

    def _fall_back(self, draft: Draft) -> None:
        """Give up what comes from the parent file that least is taken from."""
        if draft.choice.paths:
            path = draft.choice.paths[-1]
            for name in [name for name, option in draft.choice.options.items() if option.path == path]:
                self._write_out(draft, name)

    def _mend(self, draft: Draft, gap: Gap) -> bool:
        """Repair what differs in one file; whether there was something that could be repaired."""
        mended = False
        for name in gap.missing:
            if gap.file.named[name].kind is Kind.CLASS or not self._is_unused(name):
                mended |= self._bring(draft, name)
        for name in gap.changed:
            mended |= self._write_out(draft, name)
        for name in gap.extra:
            mended |= self._keep_away(draft, name, gap)
        gone = gap.only_missing_use
        for import_ in gap.imports:
            name = import_.rpartition(" ")[2]
            if name not in draft.offered and name not in gone and not mended:
                draft.offered.add(name)
                mended = True
        return mended

    def _bring(self, draft: Draft, name: str) -> bool:
        """Let something come out that is missing; whether there is a way that was not tried."""
        if name in draft.implicit:
            draft.implicit.discard(name)
            return True
        if name in draft.written or name not in self.flat.names or name in draft.choice.options:
            return False
        statement = self.flat.names[name]
        if statement.kind is Kind.CLASS:
            return False
        path = self._giver(draft, name)
        if path is not None and name not in draft.taken:
            draft.taken[name] = path
            return True
        if name in draft.taken:
            self.ruled_out.add((name, draft.taken.pop(name)))
        if name in self.flat.ambiguous:
            return False
        draft.written.add(name)
        return True

    def _is_unused(self, name: str) -> bool:
        """Whether nothing needs a function or an assignment: then it is not generated, wherever it stands."""
        return not any(name in file.used for file in self.flat.files)

    def _giver(self, draft: Draft, name: str) -> str | None:
        """A parent file that has a definition under its very name: one that is used anyway, or one that is near."""
        near: list[str] = [path for path, _ in self.candidates.get(name, ())] if self._is_long(name) else []
        for path in dict.fromkeys([*draft.choice.paths, *near]):
            if (name, path) in self.ruled_out:
                continue
            view = self.parents.view(path, draft.choice.prefixes.get(path, self.flat.cased))
            if view.original.get(name) == name and self.parents.is_equal(name, view):
                return path
        return None

    def _is_long(self, name: str) -> bool:
        """Whether a function is worth another parent file."""
        return self.flat.names[name].kind is Kind.FUNCTION and self.flat.names[name].own.text.count("\n") >= _LONG

    def _write_out(self, draft: Draft, name: str) -> bool:
        if name in draft.choice.options:
            option = draft.choice.options.pop(name)
            draft.implicit.discard(name)
            self.ruled_out.add((name, option.path))
            return True
        if name in draft.written and draft.taken:
            for each, path in draft.taken.items():  # what is imported brings its own needs along, over what is written
                self.ruled_out.add((each, path))
                draft.written.add(each)
            draft.taken.clear()
            return True
        if name in draft.written or name in self.flat.ambiguous:
            return self._keep_away(draft, name, None)
        if name in self.flat.names and self.flat.names[name].kind is not Kind.CLASS:
            if name in draft.taken:
                self.ruled_out.add((name, draft.taken.pop(name)))
            draft.written.add(name)
            return True
        return False

    def _keep_away(self, draft: Draft, name: str, gap: Gap | None) -> bool:
        """Write out the classes that bring something along which is not there, or is another."""
        mended = False
        for each, option in list(draft.choice.options.items()):
            view = self.parents.view(option.path, draft.choice.prefixes[option.path])
            if name not in view.nodes or (gap is not None and each not in gap.file.named):
                continue
            if name in self.flat.names[each].code.words():
                mended |= self._write_out(draft, each)
        return mended

    def _shorten(self, draft: Draft, trial: Trial) -> tuple[Draft, Trial]:
        """Leave out classes that others bring along, as far as everything stays where it is."""
        for name in self._droppable(draft):
            draft.implicit.add(name)
        for _ in range(_ROUNDS):
            if not draft.implicit:
                break
            shorter = self._attempt(draft)
            wrong = self._wrong(draft, trial, shorter)
            if not wrong:
                return draft, shorter
            draft.implicit -= wrong
        return draft, self._attempt(draft)

    def _sort(self, draft: Draft, trial: Trial) -> tuple[Draft, Trial]:
        """Try to bring what is misplaced to its place: by mentioning classes that others bring along, or writing functions out."""
        for number, gap in enumerate(trial.gaps):
            if not gap.misplaced or not gap.can_be_identical or trial.failed:
                continue
            for other in self._orders(draft, gap):
                attempt = self._attempt(other)
                if not attempt.failed and self._is_better(trial, attempt, number):
                    draft, trial = other, attempt
                    break
        return draft, trial

    def _orders(self, draft: Draft, gap: Gap) -> Iterator[Draft]:
        """Yield drafts in which what is misplaced may come elsewhere."""
        functions = {name for name in gap.misplaced if self.flat.names[name].kind is Kind.FUNCTION}
        lines = sum(self.flat.names[name].own.text.count("\n") for name in functions)
        if functions and lines <= _SHORT and not functions & self.flat.ambiguous:
            taken = {name: path for name, path in draft.taken.items() if name not in functions}
            yield replace(draft, written=draft.written | functions, taken=taken)
        for mentioned in filter(None, (set(gap.misplaced) & draft.implicit, draft.implicit)):
            yield replace(draft, implicit=draft.implicit - mentioned)

    def _is_better(self, old: Trial, new: Trial, number: int) -> bool:
        """Whether one file has less that is misplaced, and nothing else got worse."""
        pairs = zip(old.gaps, new.gaps, strict=True)
        kept = all(one.covers(two) and len(one.misplaced) >= len(two.misplaced) for one, two in pairs)
        return kept and len(new.gaps[number].misplaced) < len(old.gaps[number].misplaced)

    def _wrong(self, draft: Draft, before: Trial, after: Trial) -> set[str]:
        """The left out classes without which something is not as it was."""
        if after.failed:
            return set(draft.implicit)
        found: set[str] = set()
        for old, new in zip(before.gaps, after.gaps, strict=True):
            bad = (set(new.missing) - set(old.missing)) | set(new.changed) - set(old.changed)
            if set(new.extra) - set(old.extra) or new.imports - old.imports:
                bad |= draft.implicit
            if not bad and new.can_be_identical and len(new.misplaced) > len(old.misplaced):
                bad = set(new.misplaced)
            found |= bad & draft.implicit
            if bad and not bad & draft.implicit:
                found |= draft.implicit
        return found

    def _droppable(self, draft: Draft) -> list[str]:
        """Classes that are the parent's as a whole, under the name that the parent file gives them anyway."""
        words: dict[str, set[str]] = {}
        for name, option in draft.choice.options.items():
            words.setdefault(option.path, set()).update(self.flat.names[name].code.words() - {name})
        mentioned = self._mentioned(draft)
        found = []
        for name, option in draft.choice.options.items():
            view = self.parents.view(option.path, draft.choice.prefixes[option.path])
            whole = option.derived.is_whole and view.original.get(name) == option.parent
            if whole and name in words[option.path] and name not in mentioned:
                found.append(name)
        return found

    def _mentioned(self, draft: Draft) -> set[str]:
        """What the text of the modular file itself mentions."""
        found: set[str] = set()
        for name, statement in self.flat.names.items():
            option = draft.choice.options.get(name)
            if option is not None and not option.derived.is_whole:
                found |= generated(option.derived.text, "", 1).words() - {name}
            elif option is None and (statement.kind is Kind.CLASS or name in draft.written):
                found |= statement.code.words() - {name}
        return found
