"""Files are read up to a bound, and settings files that a parser cannot take are refused."""

import os
import sys
from pathlib import Path

import pytest

from modular.system.reading import MAX_SETTINGS_LINE_BYTES, parse_toml, read_bytes


def test_a_file_with_as_many_bytes_as_allowed_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    assert read_bytes(tmp_path / "file", 5) == b"12345"


def test_a_file_with_one_byte_more_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"123456")
    with pytest.raises(OSError, match="the file is too large: more than 5 bytes"):
        read_bytes(tmp_path / "file", 5)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes here")
def test_a_pipe_is_refused_and_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="is not a regular file"):
        read_bytes(tmp_path / "pipe", 5)


def test_toml_may_begin_with_a_byte_order_mark() -> None:
    assert parse_toml(b"\xef\xbb\xbfkey = 1\n") == {"key": 1}


@pytest.mark.parametrize(
    "data",
    [
        b"key = \xff\n",
        b"key\n",
        b"a." * MAX_SETTINGS_LINE_BYTES + b"a = 1\n",
        b"key = " + b"[" * 5_000,
    ],
    ids=["not UTF-8", "not TOML", "a long line", "nested deeply"],
)
def test_toml_that_a_parser_cannot_take_is_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError, match="."):
        parse_toml(data)
