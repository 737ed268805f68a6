"""Finds the line to edit for a line of a generated file.

The converter is not loaded before a line of a file that may be generated is asked for.
"""

import filecmp
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from modular.system.printable import one_line


if TYPE_CHECKING:
    from modular.provenance.blame import Blamer


@dataclass(frozen=True, slots=True)
class LineToEdit:
    """The source line to edit for a line of a generated file.

    Attributes:
        path: The source file, absolute or relative to the current folder as the path of
            the generated file is.
        line: The line, from 1.
        kind: The value of the line's `modular.rules.files.drafts.Provenance`.
        text: The text of the line.
        generated_text: The text of the line in the generated file.
    """

    path: str
    line: int
    kind: str
    text: str
    generated_text: str

    def __str__(self) -> str:
        """Return the place to edit and the text of its line."""
        return (
            f"edit {one_line(self.path)}:{self.line} ({self.kind}): "
            f"{one_line(self.text.strip())}"
        )

    def column(self, generated_column: int) -> int:
        """Return the column in the source line for a column in the generated line.

        Columns count from 1. The lines can differ in their indentation and by a renamed
        name. Here, `x`, `Olmo` and `MLP` begin in the columns 1, 5 and 9 of the generated
        line, and in the columns 3, 7 and 12 of the source line::

            generated:  x = OlmoMLP()
            source:       x = LlamaMLP()

        So the difference begins in column 5, and the same end in column 9.
        """
        generated = self.generated_text
        source = self.text
        generated_indent = len(generated) - len(generated.lstrip())
        source_indent = len(source) - len(source.lstrip())
        same_start = os.path.commonprefix([generated.lstrip(), source.lstrip()])
        difference_column = generated_indent + len(same_start) + 1
        if generated_column <= difference_column:
            # Up to here, only the indentation differs. A column within the indentation
            # could become less than 1.
            return max(1, generated_column + source_indent - generated_indent)

        # The common prefix of both lines read backwards is their common end.
        same_end = os.path.commonprefix([generated[::-1], source[::-1]])
        same_end_column = len(generated) - len(same_end) + 1
        if generated_column >= same_end_column:
            # From here on, both columns are equally far from the end of their lines.
            return generated_column + len(source) - len(generated)
        # All columns within `Olmo` become 7, where `Llama` begins.
        return source_indent + len(same_start) + 1


class LineMap:
    """Finds the lines to edit. Each project and each file is read once.

    Two threads may use the same one.
    """

    def __init__(self) -> None:
        """Create a map that has read nothing yet."""
        self._blamer = cache(_open_blamer)
        self._lock = Lock()

    def find_line_to_edit(self, path: str, line: int) -> LineToEdit | None:
        """Return the source line to edit for a line of a generated file.

        Args:
            path: The generated file, absolute or relative to the current folder.
            line: The line, from 1.

        Returns:
            The source line; None if the file is stale or not generated, or if the
            converter made the line.
        """
        with self._lock:
            try:
                return self._find_line_to_edit(path, line)
            except Exception:
                # The path comes from the output of a program, and may be anything. An
                # error must not stop the output.
                return None

    def without_model(self, text: str, path: str) -> str:
        """Return a text in which `{model}` replaces the name of a file's model.

        Several models can inherit one source line. Messages about their copies of the
        line, such as `OlmoMLP has no w` and `GemmaMLP has no w`, both become
        `{model}MLP has no w`, so that they can be compared.
        """
        with self._lock:
            try:
                blamer = self._blamer(_folder(path))
            except Exception:
                # The path comes from the output of a program, and may be anything. If it
                # belongs to no project that can be read, the text stays as it is.
                return text
        if blamer is None:
            return text
        model = blamer.project.model_of(os.path.abspath(path))
        for name in (blamer.project.names.cased(model), model, model.upper()):
            text = text.replace(name, "{model}")
        return text

    def _find_line_to_edit(self, path: str, line: int) -> LineToEdit | None:
        """Return the hand-written line to edit for a line of a generated file.

        The generated line may come from a line of another generated file. Then it is
        followed to the line that a person wrote.

        Args:
            path: The generated file, absolute or relative to the current folder.
            line: Its line, from 1.

        Returns:
            None if the file is not generated, or the converter made the line.

        Raises:
            Exception: The file is stale or has no such line, or the path is not valid,
                such as a path with a null character.
        """
        generated_file = self._find_generated_file(path)
        if generated_file is None:
            return None
        blamer, relative_path = generated_file
        blame = blamer.blame_file_on_disk(relative_path)
        # `only` raises an error if the file has no such line.
        [generated_line] = blame.only(line, line).lines
        source = blamer.trace_line(generated_line).place
        if source is None:
            return None

        source_path = str(blamer.project.locate(source.path))
        if not os.path.isabs(path):
            source_path = os.path.relpath(source_path)
        return LineToEdit(
            path=source_path,
            line=source.line,
            kind=generated_line.kind.value,
            text=blamer.lines(source.path)[source.line - 1],
            generated_text=blame.texts[line - 1],
        )

    def _find_generated_file(self, path: str) -> "_GeneratedFile | None":
        """Return the generated file at a path, or the one that was copied to the path.

        transformers copies the code of a Hub repository to a cache before it runs it.
        The original of such a copy is the file in the project around the current folder
        that has the same name and the same content.

        Args:
            path: The file, absolute or relative to the current folder.
        """
        blamer = self._blamer(_folder(path))
        if blamer is not None:
            from modular.run.selection import relative_to_root

            project = blamer.project
            relative_path = relative_to_root(project, path)
            if relative_path is not None and project.generating_modular(relative_path):
                return _GeneratedFile(blamer, relative_path)

        if not os.path.isfile(path):
            return None
        blamer = self._blamer(os.getcwd())
        if blamer is None:
            return None
        project = blamer.project
        for relative_path in project.generated_files_named(os.path.basename(path)):
            original = project.root / relative_path
            if original.is_file() and filecmp.cmp(original, path, shallow=False):
                return _GeneratedFile(blamer, relative_path)
        return None


class _GeneratedFile(NamedTuple):
    """A generated file: the blamer of its project, and its path there."""

    blamer: "Blamer"
    path: str


def _folder(path: str) -> str:
    """Return the absolute path of the folder of a file."""
    return os.path.dirname(os.path.abspath(path))


def _open_blamer(folder: str) -> "Blamer | None":
    """Return what finds origins in the project around a folder; None without a project."""
    if not os.path.isdir(folder):
        return None
    # These imports take time that a program without generated files need not lose.
    from modular.project.opening import find_root, open_project

    project = open_project(find_root(Path(folder)))
    if not project.modular_files:
        return None
    from modular.provenance.blame import Blamer
    from modular.run.engine import Engine

    return Blamer(Engine(project))
