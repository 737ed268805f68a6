"""Names in flattened code that still name the parent's model."""

import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import cached_property

from modular.flatten.outputs import OutputFile
from modular.lint.output.anchors import anchored
from modular.lint.rule import LintRule
from modular.rules.names.renaming import Renamer
from modular.source import import_statements
from modular.source.code import Code, find_word
from modular.source.diagnostics import Place, Problem
from modular.source.places import place_at


class LeftoverName(LintRule):
    """A name in generated code still speaks of the parent's model.

    All that comes from a parent file is renamed, so the old model's name in generated code is a leftover: a name that the
    modular file did not change, or one in which a letter stands before the model's name, which hides it from the renaming.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaModel


    class OlmoModel(LlamaModel):
        def is_like(self, other):
            return other.is_LlamaModel
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:6:22: `is_LlamaModel` refers to `Llama`, but all that comes from its files is renamed here
    hint: write `is_OlmoModel`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaModel


    class OlmoModel(LlamaModel):
        def is_like(self, other):
            return other.is_OlmoModel
    ```
    """

    code = Problem.LEFTOVER_NAME
    message = "`{word}` still refers to `{old}` after renaming"
    hint = "override what it stands in, with `{new}` there"

    def check(self) -> None:
        """Look for identifiers that hold the cased name of a parent's model, though its file was renamed.

        What an output file imports, and what the modular file defines, is called so on purpose; what is undefined is
        reported as that.
        """
        undefined = self.subject.formatted.undefined if self.subject.formatted is not None else ()
        for file in self.subject.files:
            self._check_file(file, {each.name for each in undefined if each.path == file.path})

    @cached_property
    def _renamers(self) -> dict[str, Renamer]:
        return {path: file.renamer for path, file in self.layout.parents.items()}

    @cached_property
    def _new_names(self) -> re.Pattern[str]:
        """Finds the new names."""
        new = {self.modular.cased, *(renamer.cased_new for renamer in self._renamers.values())}
        return re.compile("|".join(map(re.escape, sorted(new, key=len, reverse=True))))

    def _check_file(self, file: OutputFile, undefined: AbstractSet[str]) -> None:
        """Report the names of one file, each at its first place."""
        first: dict[str, tuple[str, Place, Renamer]] = {}
        if not self._old_words(self._words(file), self._renamers.values()):
            return
        for statement in file.statements:
            for part in statement.parts if statement.name else ():
                for word, start, renamer in self._in_code(part.code):
                    first.setdefault(word, (statement.name, place_at(part.code, start, len(word)), renamer))
        on_purpose = self._named_on_purpose(file) if first else set()
        for word, (statement_name, place, renamer) in first.items():
            if word not in on_purpose and word not in undefined:
                self._report(statement_name, place, word, renamer)

    def _named_on_purpose(self, file: OutputFile) -> set[str]:
        """What the modular file defines, and what the output file imports."""
        found = set(self.modular.definitions.nodes())
        for part in (part for statement in file.statements if not statement.name for part in statement.parts):
            found |= part.code.words()
        return found

    def _in_code(self, code: Code) -> Iterator[tuple[str, int, Renamer]]:
        """Each identifier that holds an old name, where it begins, and how that name is renamed."""
        renamers = self._renamers.values() if self.subject.is_own(code) else [self._renamers[code.path]]
        for renamer, old in self._old_words(code.words(), renamers):
            imports = [(statement.start, statement.end) for statement in import_statements.find(code.mask)]
            for start, word in sorted((start, word) for word in old for start in find_word(code.mask, word)):
                if not any(begin <= start < end for begin, end in imports):
                    yield word, start, renamer

    def _words(self, file: OutputFile) -> set[str]:
        """Every identifier in what follows the imports of a file."""
        nodes = self.layout.drafts[file.file_type].nodes
        drafted = (node.words for node in nodes.values())
        others = (statement for statement in file.statements if statement.name and statement.name not in nodes)
        return set().union(*drafted, *(part.code.words() for statement in others for part in statement.parts))

    def _old_words(self, words: AbstractSet[str], renamers: Iterable[Renamer]) -> list[tuple[Renamer, list[str]]]:
        """For each renamer, the identifiers that hold its old name with no small letter after it, apart from new names."""
        all_of_them = "\n".join(words)
        renamers = [renamer for renamer in renamers if renamer.old.cased in all_of_them]
        old = ((renamer, [word for word in words if self._is_old(word, renamer.old.cased)]) for renamer in renamers)
        return [(renamer, holding) for renamer, holding in old if holding]

    def _is_old(self, word: str, cased: str) -> bool:
        if cased not in word or cased not in self._new_names.sub("", word):
            return False
        return re.search(rf"{re.escape(cased)}(?![a-z])", word) is not None

    def _report(self, statement: str, at: Place, word: str, renamer: Renamer) -> None:
        old, is_own = renamer.old.cased, at.path == self.modular.path
        new = word.replace(old, renamer.cased_new)
        place, related = anchored(self.modular, statement, at)
        names = {"word": word, "old": old, "new": new}
        if not is_own:
            self.report(place, related=related, **names)
            return
        message = "`{word}` refers to `{old}`, but all that comes from its files is renamed here"
        self.report(place, replacement=new, related=related, message=message, hint="write `{new}`", **names)
