"""The folder of the pages: nothing that a review did not write is touched."""

import os
from pathlib import Path

import pytest

from modular.project.opening import open_project
from modular.review.folder import MARK, Folder, ReviewError, open_folder


PAGE = f"<!-- {MARK} -->\n"


def files(folder: Path) -> list[str]:
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file()
    )


def test_a_page_is_written_and_replaced(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "out")
    folder.write("models/owl.html", PAGE)
    folder.write("models/owl.html", f"{PAGE}more\n")
    assert (tmp_path / "out/models/owl.html").read_text(
        encoding="utf-8"
    ) == f"{PAGE}more\n"
    assert files(tmp_path) == ["out/models/owl.html"]


def test_a_file_that_no_review_wrote_is_kept(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("mine\n", encoding="utf-8")
    with pytest.raises(ReviewError, match=r"index\.html: was not written by a review"):
        Folder(tmp_path).write("index.html", PAGE)
    assert (tmp_path / "index.html").read_text(encoding="utf-8") == "mine\n"
    assert files(tmp_path) == ["index.html"]


def test_nothing_is_written_through_a_link_to_a_file(tmp_path: Path) -> None:
    (tmp_path / "precious.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "out").mkdir()
    (tmp_path / "out/index.html").symlink_to(tmp_path / "precious.html")
    with pytest.raises(ReviewError, match="was not written by a review"):
        Folder(tmp_path / "out").write("index.html", f"{PAGE}new\n")
    assert (tmp_path / "precious.html").read_text(encoding="utf-8") == PAGE


def test_nothing_is_written_through_a_link_to_a_folder(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out/models").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ReviewError, match="points outside"):
        Folder(tmp_path / "out").write("models/owl.html", PAGE)
    assert files(tmp_path / "elsewhere") == []


def test_a_fifo_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "index.html")
    with pytest.raises(ReviewError, match="was not written by a review"):
        Folder(tmp_path).write("index.html", PAGE)


def test_a_folder_that_cannot_be_created_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file\n", encoding="utf-8")
    with pytest.raises(ReviewError, match="cannot be written"):
        Folder(tmp_path / "out").write("index.html", PAGE)


def test_pages_of_earlier_reviews_are_deleted_and_nothing_else(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    for name in (
        "index.html",
        "models/owl.html",
        "models/gone.html",
        "files/models/eagle/modeling_eagle.py.html",
    ):
        folder.write(name, PAGE)
    (tmp_path / "models/notes.html").write_text("mine\n", encoding="utf-8")
    folder.delete_old_pages(["models/owl.html"])
    assert files(tmp_path) == ["index.html", "models/notes.html", "models/owl.html"]


def test_git_ignores_the_default_folder(tmp_path: Path) -> None:
    assert open_folder(open_project(tmp_path), None).path == tmp_path / "modular-review"
    assert (tmp_path / "modular-review/.gitignore").read_text(
        encoding="utf-8"
    ) == f"# {MARK}\n*\n"


def test_a_given_folder_may_be_anywhere(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    folder = open_folder(open_project(tmp_path / "project"), tmp_path / "elsewhere")
    assert folder.path == tmp_path / "elsewhere"
    assert files(tmp_path) == []


def test_the_default_folder_is_below_the_root(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "project/modular-review").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ReviewError, match="points outside the project's root"):
        open_folder(open_project(tmp_path / "project"), None)
    assert files(tmp_path) == []
