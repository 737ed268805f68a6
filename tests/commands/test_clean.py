"""`modular clean`."""

from collections.abc import Callable
from pathlib import Path

from click.testing import Result


Modular = Callable[..., Result]


def test_clean_deletes_all_entries_and_prints_their_size(
    project: Path, modular: Modular, converted: list[str]
) -> None:
    modular("convert")
    folder = project.parent / "cache"
    entries = list(folder.glob("results-*/*"))
    assert len(entries) == 2
    size = sum(entry.stat().st_size for entry in entries)
    done = modular("clean")
    assert done.stdout == f"{size} bytes deleted from {folder}\n"
    assert list(folder.glob("results-*/*")) == []
    converted.clear()
    modular("check")
    assert sorted(set(converted)) == ["child", "grandchild"]


def test_clean_of_an_empty_cache_deletes_nothing(
    cache_folder: Path, modular: Modular
) -> None:
    done = modular("clean")
    assert (done.exit_code, done.stdout) == (
        0,
        f"0 bytes deleted from {cache_folder}\n",
    )


def test_clean_keeps_the_record_of_outputs(project: Path, modular: Modular) -> None:
    """An output that was never committed is no edit of a person."""
    source = project / "models/child/modular_child.py"
    text = source.read_text()
    source.write_text(f"{text}\n\nclass ChildOther:\n    size = 1\n")
    modular("convert")
    modular("clean")
    source.write_text(f"{text}\n\nclass ChildOther:\n    width = 2\n")
    assert modular("convert", "child").exit_code == 0
