"""The code of a generated file, and the files that it comes from."""

import re
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
        """Tell whether the code uses a name as more than an attribute."""
        return name in self._blame.text and uses_name(self.module.code.mask, name)

    def has_definition_from(self, source: str, name: str) -> bool:
        """Tell whether a class or function has lines from a source file.

        Args:
            source: The path of the source file.
            name: The name of the class or function in the generated file.
        """
        for run in self._blame.runs:
            line = run.first
            # A line outside of classes has the function around it as its member.
            definition_name = line.class_ or line.member
            if line.path == source and definition_name == name:
                return True
        return False

    def has_word_from(
        self, source: str, name: str, *, ignore_header: bool = False
    ) -> bool:
        """Tell whether the lines that come from a source file have a name in their code.

        If the generated file has `mlp = OlmoMLP()` because a file of Llama has `mlp =
        LlamaMLP()`, it has `OlmoMLP` from that file. Attributes count, too.

        Args:
            source: The path of the source file.
            name: The name, as the generated file has it.
            ignore_header: Whether to skip the header `class OlmoMLP` of that class.
        """
        # Most files do not have the name, and making a mask takes time.
        if name not in self._blame.text:
            return False
        # Adjacent lines from the same place are one run.
        for run in self._blame.runs:
            # `path` is a source file, but `line` and `end` are lines of this file.
            if run.first.path != source:
                continue
            start = self._line_offsets[run.first.line - 1]
            end = self._line_offsets[run.end - 1]
            code = self.module.code.mask[start:end]
            if ignore_header:
                code = re.sub(rf"\b(class|def) {name}\b", "", code)
            if has_word(code, name):
                return True
        return False


def uses_name(mask: str, name: str) -> bool:
    """Tell whether code uses a name as more than an attribute.

    Args:
        mask: The code, in which comments and strings are overwritten.
        name: The name.
    """
    for start in find_word(mask, name):
        if not mask[:start].rstrip(" ").endswith("."):
            return True
    return False
