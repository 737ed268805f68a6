"""Names in flattened code that still name the parent's model."""

import re
from collections.abc import Iterator
from functools import cached_property

from modular.lint.rule import LintRule
from modular.rules.names.renaming import Renamer
from modular.source import import_statements
from modular.source.diagnostics import Place, Problem
from modular.source.places import place_at
from modular.source.source_slice import SourceSlice


class LeftoverName(LintRule):
    """A name in generated code still mentions the parent's model.

    All that comes from a parent file is renamed, so the old model's name in generated code is a leftover: a name that the
    modular file did not change, or one in which a letter is before the model's name, which hides it from the renaming.

    Use instead the name that the definition has under the new model's, here `is_OlmoModel`.

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
    hint = "override the member that contains it, with `{new}` there"

    def check(self) -> None:
        """Look for identifiers that hold the cased name of a parent's model, though its file was renamed.

        What an output file imports, and what the modular file defines, is called so on purpose; what is undefined is
        reported as that.
        """
        for file in self.context.files:
            first: dict[str, tuple[str, Place, Renamer]] = {}
            for statement in file.statements:
                for part in statement.parts if statement.name else ():
                    for word, start, renamer in self._in_code(part.code):
                        first.setdefault(
                            word,
                            (
                                statement.name,
                                place_at(part.code, start, len(word)),
                                renamer,
                            ),
                        )
            known = {name.name for name in self.context.undefined(file)}.union(
                self.modular.definitions.by_name(),
                self.context.heads[file.file_type].code.words() if first else (),
            )
            for word in [word for word in first if word not in known]:
                self._report(word, *first[word])

    @cached_property
    def _renamers(self) -> dict[str, Renamer]:
        return {path: file.renamer for path, file in self.layout.parents.items()}

    def _without_new(self, code: str) -> str:
        """Some code without the new names, which may hold the old ones."""
        new = {
            self.modular.cased,
            *(renamer.cased_new for renamer in self._renamers.values()),
        }
        for name in sorted(new, key=len, reverse=True):
            code = code.replace(name, " ")
        return code

    def _in_code(self, code: SourceSlice) -> Iterator[tuple[str, int, Renamer]]:
        """Each identifier that holds an old name with no small letter after it, where it begins, and how that is renamed."""
        renamers = (
            self._renamers.values()
            if self.context.is_from_modular(code)
            else [self._renamers[code.path]]
        )
        for renamer in renamers:
            old = renamer.old.cased
            if old not in code.mask or old not in self._without_new(code.mask):
                continue
            imports = [
                (statement.start, statement.end)
                for statement in import_statements.find(code.mask)
            ]
            for match in re.finditer(rf"\b\w*{re.escape(old)}(?![a-z])\w*", code.mask):
                is_imported = any(
                    begin <= match.start() < end for begin, end in imports
                )
                if old in self._without_new(match[0]) and not is_imported:
                    yield match[0], match.start(), renamer

    def _report(self, word: str, statement: str, at: Place, renamer: Renamer) -> None:
        old, new = renamer.old.cased, word.replace(renamer.old.cased, renamer.cased_new)
        place, related = self.context.attribute_to_modular(statement, at)
        names = {"word": word, "old": old, "new": new}
        if at.path != self.modular.path:
            self.report(place, related=related, **names)
            return
        message = "`{word}` refers to `{old}`, but all that comes from its files is renamed here"
        self.report(
            place,
            replacement=new,
            related=related,
            message=message,
            hint="write `{new}`",
            **names,
        )
