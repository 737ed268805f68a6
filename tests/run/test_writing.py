"""The files of a model are written under the lock, all or none, and never over newer work."""

import errno
import os
from pathlib import Path

import pytest

from modular.run.writing import write_model
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
        {"generated.py": "new = 1\n", "source.py": "new = 2\n"},
        {"source.py": "read = 2\n"},
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
    assert write_model(tmp_path, {"source.py": new}, {"source.py": old}) is None
    assert (tmp_path / "source.py").read_bytes() == new.encode()


def test_files_that_could_not_be_restored_are_named_with_their_backups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = os.replace

    def replace_a(source: Path, target: Path) -> None:
        if target.name != "a.py" or target.read_bytes() != b"old\n":
            raise OSError(errno.EIO, "I/O error", str(target))
        replace(source, target)

    (tmp_path / "a.py").write_text("old\n", encoding="utf-8")
    monkeypatch.setattr(os, "replace", replace_a)
    problem = write_model(tmp_path, {"a.py": "new\n", "b.py": "new\n"})
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
