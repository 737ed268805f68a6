"""Names in flattened code that still name the parent's model."""

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property

from modular.flatten.layout import Layout
from modular.flatten.outputs import OutputFile
from modular.lint.output.anchors import anchored
from modular.rules.names.renaming import Renamer
from modular.source import fixes, import_statements
from modular.source.code import Code, find_word
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.source.places import place_at


def find(layout: Layout, files: Sequence[OutputFile]) -> list[Diagnostic]:
    """Report identifiers that hold the cased name of a parent's model, though its file was renamed.

    What an output file imports, and what the modular file defines, is called so on purpose.
    """
    search = _Search(layout)
    return [diagnostic for file in files for diagnostic in search.of_file(file)]


class _Search:
    """Looks for the old names in the files of one model."""

    def __init__(self, layout: Layout) -> None:
        self.modular = layout.modular
        self.drafts = layout.drafts
        self.renamers = {path: file.renamer for path, file in layout.parents.items()}

    @cached_property
    def own(self) -> re.Pattern[str]:
        """Finds the new names."""
        own = {self.modular.cased, *(each.cased_new for each in self.renamers.values())}
        return re.compile("|".join(map(re.escape, sorted(own, key=len, reverse=True))))

    def of_file(self, file: OutputFile) -> list[Diagnostic]:
        """Report the names of one file, each at its first place."""
        found: dict[str, Diagnostic] = {}
        named = [statement for statement in file.statements if statement.name]
        if not self._old_words(self._words(file), self.renamers.values()):
            return []
        for statement in named:
            for part in statement.parts:
                for word, start, renamer in self._in_code(part.code):
                    if word not in found:
                        place = place_at(part.code, start, len(word))
                        found[word] = self._diagnostic(statement.name, place, word, renamer)
        on_purpose = self._called_so_on_purpose(file) if found else set()
        return [diagnostic for word, diagnostic in found.items() if word not in on_purpose]

    def _called_so_on_purpose(self, file: OutputFile) -> set[str]:
        """What the modular file defines, and what the output file imports."""
        found = set(self.modular.definitions.nodes())
        for part in (part for statement in file.statements if not statement.name for part in statement.parts):
            found |= part.code.words()
        return found

    def _in_code(self, code: Code) -> Iterator[tuple[str, int, Renamer]]:
        """Each identifier that speaks of an old name, where it begins, and how that name is renamed."""
        is_own = code.path == self.modular.path
        renamers = self.renamers.values() if is_own else [self.renamers[code.path]]
        for renamer, old in self._old_words(code.words(), renamers):
            imports = [(each.start, each.end) for each in import_statements.find(code.mask)]
            for start, word in sorted((start, word) for word in old for start in find_word(code.mask, word)):
                if not any(begin <= start < end for begin, end in imports):
                    yield word, start, renamer

    def _words(self, file: OutputFile) -> set[str]:
        """Every identifier in what follows the imports of a file."""
        nodes = self.drafts[file.file_type].nodes
        drafted = (each.words for each in nodes.values())
        others = (each for each in file.statements if each.name and each.name not in nodes)
        return set().union(*drafted, *(part.code.words() for each in others for part in each.parts))

    def _old_words(self, found: AbstractSet[str], renamers: Iterable[Renamer]) -> list[tuple[Renamer, list[str]]]:
        """For each renamer, the identifiers that hold its old name, with no small letter behind it, apart from new names."""
        all_of_them = "\n".join(found)
        renamers = [each for each in renamers if each.old.cased in all_of_them]
        old = ((each, [word for word in found if self._speaks_of(word, each.old.cased)]) for each in renamers)
        return [(renamer, speaking) for renamer, speaking in old if speaking]

    def _speaks_of(self, word: str, cased: str) -> bool:
        if cased not in word or cased not in self.own.sub("", word):
            return False
        return re.search(rf"{re.escape(cased)}(?![a-z])", word) is not None

    def _diagnostic(self, statement: str, at: Place, word: str, renamer: Renamer) -> Diagnostic:
        cased = renamer.old.cased
        new = word.replace(cased, renamer.cased_new)
        message = f"`{word}` still speaks of `{cased}`, though the file that it comes from was renamed"
        hint, ways_out = f"override what it stands in, with `{new}` there", []
        if at.path == self.modular.path:
            message = f"`{word}` speaks of `{cased}`, but all that comes from its files is renamed here"
            hint, ways_out = f"write `{new}`", [fixes.write(at, new)]
        place, related = anchored(self.modular, statement, at)
        return Diagnostic(Problem.LEFTOVER_NAME, place, message, hint, related, fixes=tuple(ways_out))
