"""A lint rule for names in generated code that contain the parent model's name."""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from modular.flatten.outputs import OutputFile
from modular.lint.rule import LintRule
from modular.rules.names.renaming import Renamer
from modular.source import import_statements
from modular.source.diagnostics import Place, Problem
from modular.source.places import place_at
from modular.source.source_slice import SourceSlice


_OWNER = re.compile(r"(\w+)\s*\.\s*$")


class LeftoverName(LintRule):
    """A name in generated code still contains the name of the parent's model.

    In all code that modular copies from a parent file, it replaces the name of the
    parent's model with the name of your model. So a generated name that still contains
    the parent's name is a leftover. Either you wrote the parent's name in the modular
    file, as in the example, or modular did not replace it in the parent's code, because
    a letter precedes it.

    Write the name that the definition has in the new model, here `is_OlmoModel`.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaModel


    class OlmoModel(LlamaModel):
        def is_like(self, other):
            return other.is_LlamaModel
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:6:22: `is_LlamaModel` contains `Llama`, but all other names from its files are renamed here
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
    hint = "override the member that contains it, and write `{new}` in the override"

    def check(self) -> None:
        """Report the first use of each name that contains the name of a parent's model.

        A name that the modular file defines is not reported, and neither is a name that
        the output file imports, also in a method. `UndefinedName` reports undefined
        names.
        """
        for file in self.context.files:
            uses = list(self._find_uses(file))
            if not uses:
                continue
            imported = set(self.context.output_imports[file.file_type].code.words())
            imported |= _names_imported_inside(file)
            accepted = {undefined.name for undefined in self.context.undefined(file)}
            accepted.update(self.modular.definitions.by_name())
            accepted |= self.layout.private_names
            accepted |= imported
            for use in uses:
                # `llama.LlamaMLP` is right if `llama` is an imported module.
                if use.word in accepted or use.owner in imported:
                    continue
                self._report(use)
                # Each name is reported once.
                accepted.add(use.word)

    def _find_uses(self, file: OutputFile) -> Iterator["_Use"]:
        """Yield the identifiers in the definitions of a file that contain an old name.

        An old name is the name of a parent's model, such as `Llama`. Code from a parent
        file is searched for the name of this parent's model, and code from the modular
        file for the names of all parents' models.
        """
        text = file.text
        renamers: dict[str, Renamer] = {}
        for path, parent in self.layout.parents.items():
            if parent.renamer.old.cased in text:
                renamers[path] = parent.renamer
        # Most files contain no old name, so their many parts need no look.
        if not renamers:
            return
        for statement in file.statements:
            # Imports define no name.
            if not statement.name:
                continue
            for run in statement.parts:
                for path, renamer in renamers.items():
                    if run.code.path not in (path, self.modular.path):
                        continue
                    for word, start in self._find_words(run.code, renamer.old.cased):
                        place = place_at(run.code, start, len(word))
                        yield _Use(word, statement.name, place, renamer)

    def _find_words(self, code: SourceSlice, old: str) -> Iterator[tuple[str, int]]:
        """Yield the identifiers with an old name such as `Llama`, and their offsets.

        `is_LlamaModel` is yielded, but not `Llamas`, which is another word. Nor is
        `CodeLlamaModel` if `CodeLlama` is the name of the new model. Names in import
        statements are not yielded.
        """
        masked_text = code.masked_text
        if old not in masked_text:
            return
        # The old name `Llama` does not count in the new name `CodeLlama`. So underscores
        # replace the new names: `CodeLlamaMLP` becomes `_________MLP`, at the same offset.
        text_without_new_names = masked_text
        for name in self._new_names:
            text_without_new_names = text_without_new_names.replace(
                name, "_" * len(name)
            )
        if old not in text_without_new_names:
            return
        imports = list(import_statements.find_imports(masked_text))
        # With a small letter after `Llama`, it is another word.
        pattern = rf"\b\w*{re.escape(old)}(?![a-z])\w*"
        for match in re.finditer(pattern, text_without_new_names):
            start, end = match.span()
            is_in_import = any(
                import_.start <= start < import_.end for import_ in imports
            )
            if not is_in_import:
                # The identifier itself may contain a new name.
                yield masked_text[start:end], start

    @cached_property
    def _new_names(self) -> list[str]:
        """The cased names, such as `Olmo`, that replace the parents' names; the longest first."""
        names = {file.renamer.cased_new for file in self.layout.parents.values()}
        names.add(self.modular.cased)
        return sorted(names, key=len, reverse=True)

    def _report(self, use: "_Use") -> None:
        """Report an identifier that contains an old name, such as `is_LlamaModel`.

        The fix writes `is_OlmoModel` in the modular file. Code from a parent file
        cannot be edited, so the hint is to override it.
        """
        old = use.renamer.old.cased
        new = use.word.replace(old, use.renamer.cased_new)
        place, related = self.context.attribute_to_modular(use.statement, use.place)
        if use.place.path == self.modular.path:
            # All names from the files of the model `Llama` are renamed, apart from this
            # identifier of the modular file.
            message = (
                "`{word}` contains `{old}`, "
                "but all other names from its files are renamed here"
            )
            hint = "write `{new}`"
            replacement = new
        else:
            message, hint = self.message, self.hint
            replacement = None
        self.report(
            place,
            replacement=replacement,
            related=related,
            message=message,
            hint=hint,
            word=use.word,
            old=old,
            new=new,
        )


class _Use(NamedTuple):
    """An identifier in generated code that contains an old name.

    Attributes:
        word: The identifier.
        statement: The name of the output statement with the identifier.
        place: The place that the identifier comes from.
        renamer: The renamer of the old name.
    """

    word: str
    statement: str
    place: Place
    renamer: Renamer

    @property
    def owner(self) -> str:
        """The name before the dot, if the identifier is an attribute; else empty."""
        match = _OWNER.search(self.place.text[: self.place.column - 1])
        return "" if match is None else match[1]


def _names_imported_inside(file: OutputFile) -> set[str]:
    """Return the names that the functions and classes of an output file import."""
    names: set[str] = set()
    for statement in file.statements:
        # Statements without a name are the imports of the file.
        if not statement.name:
            continue
        for run in statement.parts:
            for imported in import_statements.find_imports(run.code.masked_text):
                names.update(alias.bound for alias in imported.names)
    return names
