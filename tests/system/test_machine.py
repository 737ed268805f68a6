"""Programs are found in the absolute folders of `PATH` alone."""

import sys
from pathlib import Path

import pytest

from modular.system.machine import available_processors, find_program


@pytest.mark.skipif(sys.platform == "win32", reason="Programs are called *.exe there")
def test_a_program_is_not_looked_for_in_relative_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin/tool"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "bin:.:")
    assert find_program("tool") is None
    monkeypatch.setenv("PATH", f"bin:{tmp_path / 'bin'}")
    assert find_program("tool") == str(program)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no executable bit")
def test_a_file_that_cannot_be_executed_is_no_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tool").write_text("")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_program("tool") is None


def test_there_is_at_least_one_processor() -> None:
    assert available_processors() >= 1
