"""The code of a generated file, and the files that it comes from."""

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate

from modular.provenance.blame import Blame
from modular.source import module as modules
from modular.source.module import Module
from modular.source.source_slice import find_word, has_word


class GeneratedCode:
    """The code of a generated file as a conversion would write it now.

    Attributes:
        path: Path of the generated file.
    """

    def __init__(self, blame: Blame) -> None:
        """Keep the origins of the lines.

        Args:
            blame: The text of the file, and the origins of its lines.
        """
        self.path = blame.path
        self._blame = blame

    @cached_property
    def module(self) -> Module:
        """The statements of the file."""
        return modules.read(self.path, self._blame.text)

    @cached_property
    def _line_offsets(self) -> list[int]:
        """The offset of each line in the text, and the length of the text."""
        # A mask has fewer line ends, because those in strings are overwritten.
        lengths = [len(line) + 1 for line in self.module.lines]
        return list(accumulate(lengths, initial=0))

    def uses_name(self, name: str) -> bool:
        """Tell whether the code has a name that is not an attribute."""
        return name in self._blame.text and uses_name(self.module.code.mask, name)

    def has_definition_from(self, source: str, name: str) -> bool:
        """Tell whether lines of a generated class or function come from a source file.

        Args:
            source: The path of the source file.
            name: The name of the class or function in the generated file.
        """
        for run in self._blame.runs:
            line = run.first
            # For a line of a function at module level, `member` is the function.
            definition_name = line.class_ or line.member
            if line.path == source and definition_name == name:
                return True
        return False

    def has_word_from(
        self, source: str, name: str, *, ignore_header: bool = False
    ) -> bool:
        """Tell whether generated code that comes from a source file has a name.

        The line `mlp = LlamaMLP()` in a file of Llama becomes `mlp = OlmoMLP()` in this
        file. This code has the names `mlp` and `OlmoMLP`. Attributes count as well.

        Args:
            source: The path of the source file.
            name: The name in the generated file.
            ignore_header: Whether to skip the header `class OlmoMLP` of that class.
        """
        # Most files do not have the name, and making a mask takes time.
        if name not in self._blame.text:
            return False
        for code in self._code_from(source):
            if ignore_header:
                code = re.sub(rf"\b(class|def) {name}\b", "", code)
            if has_word(code, name):
                return True
        return False

    def _code_from(self, source: str) -> Iterator[str]:
        """Yield the generated code that comes from a source file, without comments."""
        for run in self._blame.runs:
            if run.first.path == source:
                # `line` and `end` are line numbers of the generated file.
                start = self._line_offsets[run.first.line - 1]
                end = self._line_offsets[run.end - 1]
                yield self.module.code.mask[start:end]


def uses_name(mask: str, name: str) -> bool:
    """Tell whether code has a name that is not an attribute.

    The code `mlp(x)` has such a name `mlp`. The code `self.mlp(x)` has none.

    Args:
        mask: The code, in which comments and strings are overwritten.
        name: The name.
    """
    for start in find_word(mask, name):
        if not mask[:start].rstrip(" ").endswith("."):
            return True
    return False
