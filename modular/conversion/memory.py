"""What is kept of the conversions of files that are being typed, so that the next one only does what is new.

Nearly all statements of a text are those of the text before. They stay the same objects, and what was found out about them
stays with them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from modular.flatten.layout import Flattenings
from modular.lint.subject import Subject
from modular.rules.names.renaming import Renamer
from modular.rules.renamed_file import ParentSource, RenamedFile
from modular.source import module as modules
from modular.source.diagnostics import Diagnostic
from modular.source.ignore_comments import IgnoreComments
from modular.source.loading import syntax_problem
from modular.source.module import Module


_MOST = 8
"""Files of which something is kept."""

_FEW = 3
"""New statements that are read one by one; more of them are read with all others."""


class LaidOut(NamedTuple):
    """What lint rules looked at last, the comments that silence some of them, and what had been found before."""

    ignored: IgnoreComments
    subject: Subject
    before: Sequence[Diagnostic]


@dataclass(eq=False)
class Memory:
    """What is kept, by the paths of the modular files that were converted last; ``latest`` is the last of them."""

    flattenings: dict[str, Flattenings] = field(default_factory=dict)
    latest: LaidOut | None = None
    _modules: dict[str, Module] = field(default_factory=dict)
    _readable: dict[str, frozenset[str]] = field(default_factory=dict)
    _renamed: dict[tuple[str, str], RenamedFile] = field(default_factory=dict)

    def begin(self, path: str) -> None:
        """Begin with a modular file, and forget that with which nothing was begun for the longest time."""
        self.latest = None
        self.flattenings[path] = self.flattenings.pop(path, {})
        for old in list(self.flattenings)[:-_MOST]:
            del self.flattenings[old]
            self._modules.pop(old, None)
            self._readable.pop(old, None)
            for key in [each for each in self._renamed if each[0] == old]:
                del self._renamed[key]

    def read(self, path: str, text: str) -> Module:
        """Read a text, with the statements that the one before has too; the same text is read once."""
        before = self._modules.get(path)
        if before is not None and before.code.text == modules.normalised(text):
            return before
        module = modules.read(path, text, None if before is None else before.block)
        if path in self.flattenings:
            self._modules[path] = module
        return module

    def syntax_problem(self, path: str, text: str) -> Diagnostic | None:
        """Return what keeps a text from being Python; where all statements but a few were read before, only those are read."""
        texts = frozenset(each.code.text for each in self.read(path, text).block.statements)
        new = texts - self._readable.get(path, frozenset())
        problem = None
        if len(new) > _FEW or any(syntax_problem(each, path) is not None for each in new):
            problem = syntax_problem(text, path)
        if problem is None:
            self._readable[path] = texts
        return problem

    def renamed(self, modular: str, source: ParentSource, renamer: Renamer) -> RenamedFile:
        """Return a parent file renamed for a modular file."""
        key = (modular, source.module.path)
        known = self._renamed.get(key)
        if known is None or known.source is not source or known.renamer != renamer:
            known = self._renamed[key] = RenamedFile(source, renamer)
        return known
