"""`modular merge`: git calls it for the files of models during a merge."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.effects.elder import ELDER, ELDER_PATH, LONE_PATH, make_elder
from tests.repository import Repository


YOUNG_PATH = "models/young/modeling_young.py"


@pytest.fixture
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A repository with the merge driver, and the attributes that `init` writes."""
    repository = make_elder(tmp_path_factory.mktemp("merge") / "project")
    driver = f"{shlex.quote(sys.executable)} -m modular merge -- %O %A %B %P"
    repository.git("config", "merge.modular.driver", driver)
    assert repository.modular("init").returncode == 0
    repository.commit()
    return repository


def commit_on_branch(
    repository: Repository, branch: str, files: dict[str, str]
) -> None:
    """Commit files, and what they generate, on a branch that begins at `main`."""
    repository.git("checkout", "--quiet", "-B", branch, "main")
    repository.write(files)
    repository.modular("convert")
    repository.commit()


def commit_parents(repository: Repository, ours: str, theirs: str) -> None:
    """Commit two versions of the parent on two branches; the first is checked out."""
    commit_on_branch(repository, "theirs", {ELDER_PATH: theirs})
    commit_on_branch(repository, "ours", {ELDER_PATH: ours})


def test_changes_of_different_lines_are_merged_without_conflict(
    repository: Repository,
) -> None:
    theirs = ELDER.replace("return None", "return 0")
    commit_parents(repository, ELDER.replace("size = 1", "size = 2"), theirs)
    repository.git("merge", "--quiet", "--no-edit", "theirs")
    text = repository.read(YOUNG_PATH)
    assert "size = 2" in text and "return 0" in text
    assert repository.modular("check").returncode == 0


def test_a_generated_file_with_conflicts_is_converted_after_the_merge(
    repository: Repository,
) -> None:
    ours = ELDER.replace("size = 1", "size = 2")
    commit_parents(repository, ours, ELDER.replace("size = 1", "size = 3"))
    before = repository.read(YOUNG_PATH)
    done = repository.run(["git", "merge", "--no-edit", "theirs"])
    assert done.returncode == 1
    assert (
        f"{YOUNG_PATH} is generated: merge the other files, then run "
        f"`modular convert young` and `git add {YOUNG_PATH}`\n"
    ) in done.stderr
    assert f"{ELDER_PATH}: resolve the conflicts" in done.stderr
    assert repository.read(YOUNG_PATH) == before
    assert "<<<<<<< " in repository.read(ELDER_PATH)

    unmerged = repository.modular("convert", "young")
    assert f"{ELDER_PATH}:2" in unmerged.stderr
    assert "merge conflict" in unmerged.stderr

    repository.write({ELDER_PATH: ELDER.replace("size = 1", "size = 6")})
    assert repository.modular("convert").returncode == 0
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--no-edit")
    assert "size = 6" in repository.read(YOUNG_PATH)
    assert repository.modular("check").returncode == 0


def test_a_modular_file_with_conflicts_keeps_both_sides(repository: Repository) -> None:
    text = repository.read(LONE_PATH)
    theirs = text.replace("return by", "return 2 * by")
    commit_on_branch(repository, "theirs", {LONE_PATH: theirs})
    ours = text.replace("return by", "return 3 * by")
    commit_on_branch(repository, "ours", {LONE_PATH: ours})
    done = repository.run(["git", "merge", "--no-edit", "theirs"])
    assert f"{LONE_PATH}: resolve the conflicts" in done.stderr
    merged = repository.read(LONE_PATH)
    assert "return 2 * by" in merged and "return 3 * by" in merged
    assert "<<<<<<< " in merged


def test_a_file_that_people_write_beside_generated_ones_keeps_both_sides(
    repository: Repository,
) -> None:
    path = "models/young/tokenization_young.py"
    commit_on_branch(repository, "theirs", {path: "a = 1\n"})
    commit_on_branch(repository, "ours", {path: "a = 2\n"})
    done = repository.run(["git", "merge", "--no-edit", "theirs"])
    assert f"{path}: resolve the conflicts" in done.stderr
    merged = repository.read(path)
    assert "a = 1\n" in merged and "a = 2\n" in merged


def test_programs_that_a_repository_configures_are_not_run(
    repository: Repository,
) -> None:
    trap = repository.root / "trap"
    repository.git("config", "filter.trap.clean", f"touch {trap}")
    repository.git("config", "filter.trap.smudge", f"touch {trap}")
    repository.write({".gitattributes": "* filter=trap\n"})
    repository.write({"base": "a\n", "our side": "b\n", "theirs": "c\n"})
    done = repository.modular("merge", "base", "our side", "theirs", "notes.py")
    assert done.returncode == 1
    assert repository.read("our side").startswith("<<<<<<< ours\nb\n")
    assert not trap.exists()


def test_a_merge_without_conflict_has_the_changes_of_both_sides(
    repository: Repository,
) -> None:
    base = "a\nb\nc\nd\ne\n"
    ours = base.replace("a", "A")
    theirs = base.replace("e", "E")
    repository.write({"base": base, "ours": ours, "theirs": theirs})
    done = repository.modular("merge", "base", "ours", "theirs", YOUNG_PATH)
    assert (done.returncode, done.stderr) == (0, "")
    assert repository.read("ours") == "A\nb\nc\nd\nE\n"


def test_a_large_file_with_conflicts_keeps_both_sides(repository: Repository) -> None:
    lines = "".join(f"line {number}\n" for number in range(100_000))
    repository.write({"base": lines, "ours": f"a\n{lines}", "theirs": f"b\n{lines}"})
    done = repository.modular("merge", "base", "ours", "theirs", "notes.py")
    assert done.returncode == 1
    merged = repository.read("ours")
    assert merged.startswith("<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n")


def test_the_command_to_add_a_file_can_be_pasted_into_a_shell(tmp_path: Path) -> None:
    for name, text in (("base", "a\n"), ("ours", "b\n"), ("theirs", "c\n")):
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-m", "modular", "merge", "--", "base", "ours", "theirs"]
    name = "a $(date)\n::error::b.py"
    done = subprocess.run(
        [*command, name], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    (line,) = done.stderr.splitlines()
    assert line.endswith("run `git add 'a $(date)\ufffd::error::b.py'`")
