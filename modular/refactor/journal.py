"""Remembers a rename while its files are replaced, so that it can be finished after a kill.

The journal is a file in the cache folder, named after the project's root. It holds the
old and the new text of each file. Without a cache folder there is no journal.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import get_type_hints

from modular.cache.fingerprints import digest
from modular.cache.value_types import has_type
from modular.run.writing import (
    BusyError,
    exclusive,
    replace_handwritten,
    write_model,
)
from modular.source.diagnostics import Diagnostic
from modular.system.cache_folder import cache_folder
from modular.system.reading import read_bytes
from modular.system.writing import IN_OWN_FOLDER, NewFile, write_file


_MAX_JOURNAL_BYTES = 500_000_000
"""The old and new texts of all files of a large project."""


@dataclass(frozen=True)
class Journal:
    """A rename whose files are being replaced.

    Attributes:
        old: The symbol as the command names it.
        new: Its new name.
        before: The text of each file before, by path; None if it did not exist.
        after: The text of each file afterwards.
    """

    old: str
    new: str
    before: Mapping[str, str | None]
    after: Mapping[str, str]

    def new_files(self) -> dict[str, NewFile]:
        """Return the files to write, by path: each must still have its old text."""
        files = {}
        for path, text in self.after.items():
            files[path] = replace_handwritten(self.before.get(path), text)
        return files


def write_with_journal(root: Path, journal: Journal) -> Diagnostic | None:
    """Replace the files of a rename, which a journal remembers meanwhile.

    If the process is killed, the journal stays, and the rename can be finished later.

    Returns:
        The problem because of which no file was replaced; None if all were replaced.
    """
    try:
        with exclusive(root):
            _save_journal(root, journal)
            problem = write_model(root, journal.new_files())
            _delete_journal(root)
    except BusyError as error:
        return error.problem
    return problem


def interrupted_rename(root: Path) -> Journal | None:
    """Return the rename that was killed while it replaced files.

    A rename was interrupted if some of its files have the new text, and others still
    have the old one.

    Returns:
        The rename. None if there is none, or if somebody has edited its files since or
        restored them.
    """
    journal = _load_journal(root)
    if journal is None:
        return None
    has_replaced_file = has_unreplaced_file = False
    for path, text in journal.after.items():
        current_text = _read_text(root / path)
        if current_text == text:
            has_replaced_file = True
        elif current_text == journal.before.get(path):
            has_unreplaced_file = True
        else:
            return None
    was_interrupted = has_replaced_file and has_unreplaced_file
    return journal if was_interrupted else None


def finish(root: Path, journal: Journal) -> Diagnostic | None:
    """Finish an interrupted rename: replace the files that still have the old text.

    Returns:
        The problem because of which they were not replaced; None if they were.
    """
    files = {}
    for path, file in journal.new_files().items():
        if _read_text(root / path) != journal.after[path]:
            files[path] = file
    try:
        with exclusive(root):
            problem = write_model(root, files)
            if problem is None:
                _delete_journal(root)
    except BusyError as error:
        return error.problem
    return problem


def _journal_path(root: Path) -> Path:
    """Return the path of the journal of a project, whether it exists or not."""
    name = digest(os.fsencode(root.resolve()))
    return cache_folder() / "renames" / f"{name}.json"


def _save_journal(root: Path, journal: Journal) -> None:
    """Write the journal, if there is a cache folder that can be written."""
    data = json.dumps(asdict(journal)).encode()
    new_file = NewFile(data, IN_OWN_FOLDER, replaces_link=True)
    with suppress(OSError):
        write_file(_journal_path(root), new_file, cache_folder())


def _delete_journal(root: Path) -> None:
    with suppress(OSError):
        _journal_path(root).unlink()


def _load_journal(root: Path) -> Journal | None:
    """Return the journal of a project; a damaged one counts as missing."""
    try:
        values = json.loads(read_bytes(_journal_path(root), _MAX_JOURNAL_BYTES))
        journal = Journal(**values)
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    hints = get_type_hints(Journal)
    is_valid = all(has_type(getattr(journal, name), hints[name]) for name in hints)
    return journal if is_valid else None


def _read_text(path: Path) -> str | None:
    """Return the text of a file; None if it cannot be read."""
    try:
        return path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None
