"""The files of a model are written under the lock, all or none, and never over newer work."""

import errno
import os
from pathlib import Path

import pytest

from modular.run.writing import (
    replace_generated,
    replace_handwritten,
    write_model,
)
from modular.source.diagnostics import Problem
from tests.reporting import (
    LLAMA,
    OLMO,
    PARENT,
    diagnostics,
)


OLMO_MLP = """\
from ..llama.modeling_llama import LlamaMLP


class OlmoMLP(LlamaMLP):
    pass
"""


def test_a_hand_written_file_that_was_saved_meanwhile_is_kept(tmp_path: Path) -> None:
    (tmp_path / "generated.py").write_text("old = 1\n", encoding="utf-8")
    (tmp_path / "source.py").write_text("saved = 2\n", encoding="utf-8")
    problem = write_model(
        tmp_path,
        {
            "generated.py": replace_generated(b"old = 1\n", "new = 1\n"),
            "source.py": replace_handwritten("read = 2\n", "new = 2\n"),
        },
    )
    assert problem is not None
    assert problem.code is Problem.CANNOT_WRITE
    assert problem.place.path == "source.py"
    assert problem.message == "the file changed after it was read"
    assert (tmp_path / "generated.py").read_text(encoding="utf-8") == "old = 1\n"
    assert (tmp_path / "source.py").read_text(encoding="utf-8") == "saved = 2\n"


def test_line_ends_and_a_byte_order_mark_are_written_as_given(tmp_path: Path) -> None:
    old = "\ufeffa = 1\r\nb = 2\n"
    (tmp_path / "source.py").write_bytes(old.encode())
    new = "\ufeffa = 3\r\nb = 2\n"
    assert write_model(tmp_path, {"source.py": replace_handwritten(old, new)}) is None
    assert (tmp_path / "source.py").read_bytes() == new.encode()


def test_files_that_could_not_be_restored_are_named_with_their_backups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second file cannot be written, nor can the first one be restored."""

    def fail(source: Path, target: Path) -> None:
        raise OSError(errno.EIO, "I/O error", str(target))

    rename = os.rename

    def rename_backup(source: Path, target: Path) -> None:
        if target.suffix != ".modular-backup":
            fail(source, target)
        rename(source, target)

    (tmp_path / "a.py").write_text("old\n", encoding="utf-8")
    monkeypatch.setattr(os, "replace", fail)
    monkeypatch.setattr(os, "link", fail)
    monkeypatch.setattr(os, "rename", rename_backup)
    files = {
        "a.py": replace_generated(b"old\n", "new\n"),
        "b.py": replace_generated(None, "new\n"),
    }
    problem = write_model(tmp_path, files)
    assert problem is not None
    assert problem.place.path == "b.py"
    (backup,) = tmp_path.glob(".*.modular-backup")
    assert backup.read_text(encoding="utf-8") == "old\n"
    assert problem.hint == (
        "these files changed and could not be restored: "
        f"`a.py` (its old content is in `{backup.name}`)"
    )


def test_cannot_write(tmp_path: Path) -> None:
    reported = diagnostics(
        tmp_path,
        {
            LLAMA: PARENT,
            OLMO: OLMO_MLP,
            "models/olmo/modeling_olmo.py/in_the_way.txt": "",
        },
    )
    assert [(diagnostic.code.id, diagnostic.place.path) for diagnostic in reported] == [
        ("MOD108", "models/olmo/modeling_olmo.py")
    ]
    assert "cannot be written" in reported[0].message
