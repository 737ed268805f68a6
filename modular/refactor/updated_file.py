"""A hand-written file with a new text, its diff, and how it is written."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from modular.run.writing import replace_handwritten, write_alone
from modular.source.diagnostics import Diagnostic
from modular.source.diffs import compare
from modular.source.module import normalize_text


@dataclass(frozen=True)
class UpdatedFile:
    """A hand-written file with a new text.

    Attributes:
        path: The file, relative to the root.
        old_source: Its text before, with its line ends.
        new_source: Its text afterwards, with its line ends.
    """

    path: str
    old_source: str
    new_source: str

    @property
    def before(self) -> str:
        """The text before, with ``\\n`` line ends."""
        return normalize_text(self.old_source)

    @property
    def after(self) -> str:
        """The text afterwards, with ``\\n`` line ends."""
        return normalize_text(self.new_source)

    @property
    def diff(self) -> str:
        """The unified diff."""
        return compare(self.before, self.after).text(f"a/{self.path}", f"b/{self.path}")


def write_updated_files(
    root: Path, files: Iterable[UpdatedFile]
) -> dict[str, Diagnostic]:
    """Write files, except those that changed after they were read.

    Each file is written even if another one cannot be.

    Returns:
        For each path that was not written, the reason.
    """
    # `write_alone` takes the files of each model. Here, each file counts as a model.
    models = {}
    for file in files:
        new_file = replace_handwritten(file.old_source, file.new_source)
        models[file.path] = {file.path: new_file}
    return write_alone(root, models)
