"""A generated file in which somebody has edited lines is kept; the usual work never meets that."""

import json
import shutil
from pathlib import Path

import pytest

from tests.repository import Repository


PARENT = "models/llama/modeling_llama.py"
MODULAR = "models/acme/modular_acme.py"
GENERATED = "models/acme/modeling_acme.py"
SETTINGS = '[tool.modular]\nformatter = "ruff"\n'
FILES = {
    "pyproject.toml": SETTINGS,
    PARENT: "class LlamaMLP:\n    size = 4\n    depth = 1\n\n    def run(self):\n        return self.size\n",
    MODULAR: "from ..llama.modeling_llama import LlamaMLP\n\n\nclass AcmeMLP(LlamaMLP):\n    size = 5\n",
}


@pytest.fixture
def bare(tmp_path: Path) -> Repository:
    """A converted project without git."""
    project = Repository(tmp_path / "project")
    project.write(FILES)
    convert(project)
    return project


@pytest.fixture
def project(bare: Repository) -> Repository:
    """A converted project whose files are committed."""
    bare.git("init", "--quiet", "--initial-branch=main")
    bare.commit()
    return bare


def convert(project: Repository, *options: str) -> None:
    """Convert the project, which must succeed."""
    done = project.modular("convert", *options)
    assert done.returncode == 0, done.stderr


def replace(project: Repository, path: str, old: str, new: str) -> None:
    """Replace a part of a file."""
    text = project.read(path)
    assert old in text
    project.write({path: text.replace(old, new)})


def forget_outputs(project: Repository) -> None:
    """Delete the cache folder, as if this were another machine."""
    shutil.rmtree(project.environment["MODULAR_CACHE_DIR"], ignore_errors=True)


def edit(project: Repository) -> None:
    """Edit the generated file by hand, and the modular file, too."""
    replace(project, GENERATED, "depth = 1", "depth = 7  # mine")
    replace(project, MODULAR, "size = 5", "size = 6")


@pytest.mark.parametrize(
    "command", [["convert"], ["check", "--fix"], ["convert", "--affected-by", PARENT]]
)
@pytest.mark.parametrize("has_git", [True, False])
def test_edited_lines_are_reported_and_kept(
    bare: Repository, command: list[str], has_git: bool
) -> None:
    if has_git:
        bare.git("init", "--quiet")
        bare.commit()
    edit(bare)
    replace(bare, PARENT, "return self.size", "return self.size + 1")
    before = bare.read(GENERATED)
    done = bare.modular(*command)
    assert done.returncode == 1
    # Without git, nobody knows that `size = 5` above the edit was generated.
    lines = "this line" if has_git else "these 2 lines"
    assert f"error[MOD504]: somebody edited {lines}" in done.stderr
    assert "to keep the lines, run `modular lift acme`" in done.stderr
    assert "run `modular convert acme --force`" in done.stderr
    assert bare.read(GENERATED) == before


def test_the_option_force_overwrites_edited_lines(project: Repository) -> None:
    edit(project)
    convert(project, "--force")
    assert "size = 6" in project.read(GENERATED)
    assert "# mine" not in project.read(GENERATED)


def test_the_advice_repeats_the_options_that_choose_the_files(
    project: Repository,
) -> None:
    convert(project, "--output", "out")
    replace(project, "out/acme/modeling_acme.py", "depth = 1", "depth = 7")
    done = project.modular("convert", "--output", "out")
    assert "run `modular lift --output out acme`" in done.stderr
    assert "run `modular convert --output out acme --force`" in done.stderr
    done = project.modular("check", "--output", "out")
    assert "run `modular lift --output out out/acme/modeling_acme.py`" in done.stdout


def test_check_names_the_commands_for_an_edit_that_was_committed(
    project: Repository,
) -> None:
    replace(project, GENERATED, "depth = 1", "depth = 7")
    project.commit()
    done = project.modular("check")
    assert done.stdout.endswith(
        "To update the generated files, run `modular convert`.\n"
        "1 generated file was perhaps edited by hand before the last commit. To keep the "
        f"edits, run `modular lift {GENERATED}`; to discard them, run `modular convert "
        "acme --force`.\n"
    )
    assert project.modular("lift", GENERATED).returncode == 0
    assert "depth = 7" in project.read(MODULAR)
    assert project.modular("check").returncode == 0


@pytest.mark.parametrize(("path", "old"), [(MODULAR, "size = "), (PARENT, "depth = ")])
def test_a_changed_source_is_not_taken_for_an_edit_that_was_committed(
    project: Repository, path: str, old: str
) -> None:
    replace(project, path, old, f"{old}1")
    forget_outputs(project)
    done = project.modular("check")
    assert done.stdout.endswith(
        "To update the generated files, run `modular convert`.\n"
    )


def test_check_says_of_a_file_without_banner_that_people_wrote_it(
    project: Repository,
) -> None:
    project.write({GENERATED: "class AcmeMLP:\n    size = 5\n    mine = 1\n"})
    done = project.modular("check")
    assert done.stdout.endswith(
        "1 file was written by hand, and modular would generate another text. To replace "
        "what people wrote, run `modular convert acme --force`.\n"
    )
    done = project.modular("verify")
    assert "written by hand: the file has no banner" in done.stdout
    assert "run `modular convert acme --force` to replace it" in done.stdout


def test_json_has_the_lines_that_somebody_edited(project: Repository) -> None:
    replace(project, GENERATED, "depth = 1\n", "depth = 7\n    width = 8\n")
    done = project.modular("convert", "--output-format", "json")
    (error,) = json.loads(done.stdout)["errors"]
    line = project.read(GENERATED).split("\n").index("    depth = 7") + 1
    assert (error["code"], error["path"]) == ("MOD504", GENERATED)
    assert (error["line"], error["end_line"]) == (line, line + 1)
    assert "somebody edited these 2 lines" in error["message"]


@pytest.mark.parametrize(
    "removed",
    ["    depth = 1\n", "\n    def run(self):\n        return self.size\n"],
    ids=["in the middle", "at the end"],
)
def test_lines_that_somebody_removed_are_an_edit(
    project: Repository, removed: str
) -> None:
    replace(project, GENERATED, removed, "")
    done = project.modular("convert")
    assert done.returncode == 1
    assert "somebody removed lines above this one" in done.stderr


@pytest.mark.parametrize("is_committed", [True, False])
def test_a_file_without_a_banner_is_kept(
    project: Repository, is_committed: bool
) -> None:
    project.write({GENERATED: "class AcmeMLP:\n    size = 9\n"})
    if is_committed:
        project.commit()
    done = project.modular("convert")
    assert done.returncode == 1
    assert "error[MOD504]: somebody wrote this file: it has no banner" in done.stderr
    assert project.read(GENERATED) == "class AcmeMLP:\n    size = 9\n"
    convert(project, "--force")
    assert "size = 5" in project.read(GENERATED)


def test_a_flat_file_that_is_generated_without_a_change_gets_its_banner(
    project: Repository,
) -> None:
    text = project.read(GENERATED)
    project.write({GENERATED: text[text.index("class") :]})
    convert(project)
    assert project.read(GENERATED) == text


def test_other_models_are_written_nevertheless(project: Repository) -> None:
    edit(project)
    other = "models/beta/modular_beta.py"
    project.write({other: project.read(MODULAR).replace("Acme", "Beta")})
    done = project.modular("convert")
    assert done.returncode == 1
    assert "models/beta/modeling_beta.py: written" in done.stdout
    assert f"{GENERATED}: written" not in done.stdout


# What is no work of a person, and must never meet the refusal.


@pytest.mark.parametrize("option", ["--cache", "--no-cache"])
@pytest.mark.parametrize("has_git", [True, False])
def test_editing_and_converting_in_turns(
    bare: Repository, option: str, has_git: bool
) -> None:
    if has_git:
        bare.git("init", "--quiet")
    options = [] if option == "--cache" else [option]
    for size in range(6, 10):
        replace(bare, MODULAR, f"size = {size - 1}", f"size = {size}")
        convert(bare, *options)
        replace(bare, PARENT, f"depth = {size - 5}", f"depth = {size - 4}")
        convert(bare, *options)
    assert "size = 9\n    depth = 5" in bare.read(GENERATED)


CHILD = "models/beta/modular_beta.py"
GENERATED_CHILD = "models/beta/modeling_beta.py"


def add_child(project: Repository) -> None:
    """Add a model whose parent file is a generated file."""
    import_line = "from ..acme.modeling_acme import AcmeMLP\n"
    text = f"{import_line}\n\nclass BetaMLP(AcmeMLP):\n    width = 1\n"
    project.write({CHILD: text})
    convert(project)


@pytest.mark.parametrize("is_committed", [True, False])
def test_editing_and_converting_in_turns_on_machines_without_a_cache(
    bare: Repository, is_committed: bool
) -> None:
    bare.git("init", "--quiet")
    add_child(bare)
    if is_committed:
        bare.commit()
    for size in range(6, 9):
        for path, old, new in (
            (MODULAR, f"size = {size - 1}", f"size = {size}"),
            (PARENT, f"depth = {size - 5}", f"depth = {size - 4}"),
            (CHILD, f"width = {size - 5}", f"width = {size - 4}"),
        ):
            forget_outputs(bare)
            replace(bare, path, old, new)
            convert(bare)
    forget_outputs(bare)
    replace(bare, GENERATED_CHILD, "width = 4", "width = 40")
    replace(bare, CHILD, "width = 4", "width = 5")
    assert bare.modular("convert").returncode == 1
    assert "width = 40" in bare.read(GENERATED_CHILD)


def test_a_repository_outside_the_root_gets_no_record(project: Repository) -> None:
    tree = Repository(project.root.parent / "tree")
    project.git("worktree", "add", "--quiet", str(tree.root))
    replace(tree, MODULAR, "size = 5", "size = 6")
    convert(tree)
    assert not (project.root / ".git/modular-outputs").exists()


def test_without_any_record_the_message_says_that_the_lines_may_be_generated(
    bare: Repository,
) -> None:
    forget_outputs(bare)
    replace(bare, MODULAR, "size = 5", "size = 6")
    done = bare.modular("convert")
    assert done.returncode == 1
    assert (
        "error[MOD504]: somebody may have edited this line: modular has no record of "
        "this project's outputs" in done.stderr
    )
    assert (
        "if nobody edited the file, run `modular convert acme --force`" in done.stderr
    )
    convert(bare, "--force")
    replace(bare, MODULAR, "size = 6", "size = 7")
    convert(bare)


def test_a_check_writes_nothing_into_the_repository(project: Repository) -> None:
    forget_outputs(project)
    assert project.modular("check").returncode == 0
    assert not (project.root / ".git/modular-outputs").exists()


def test_a_link_in_the_place_of_the_record_is_not_followed(project: Repository) -> None:
    target = project.root.parent / "target"
    target.write_text("mine\n")
    (project.root / ".git/modular-outputs").symlink_to(target)
    replace(project, MODULAR, "size = 5", "size = 6")
    convert(project)
    assert target.read_text() == "mine\n"


def test_a_new_clone_on_another_machine(project: Repository) -> None:
    forget_outputs(project)
    clone = Repository(project.root.parent / "clone")
    project.git("clone", "--quiet", str(project.root), str(clone.root))
    replace(clone, MODULAR, "size = 5", "size = 6")
    convert(clone)


def test_a_change_of_branch(project: Repository) -> None:
    project.git("checkout", "--quiet", "-b", "other")
    replace(project, MODULAR, "size = 5", "size = 6")
    convert(project)
    project.commit()
    project.git("checkout", "--quiet", "main")
    forget_outputs(project)
    # The generated file of the other branch, without its modular file.
    project.git("checkout", "other", "--", GENERATED)
    convert(project)
    project.git("checkout", "--quiet", "other")
    replace(project, MODULAR, "size = 6", "size = 7")
    convert(project)


def test_a_reset_of_the_last_commit(project: Repository) -> None:
    replace(project, MODULAR, "size = 5", "size = 6")
    convert(project)
    project.commit()
    project.git("reset", "--quiet", "HEAD~1")
    forget_outputs(project)
    replace(project, MODULAR, "size = 6", "size = 7")
    convert(project)


def commit_on_two_branches(project: Repository) -> None:
    """Commit a change of the modular file on `main`, and of the parent on `other`."""
    project.git("checkout", "--quiet", "-b", "other")
    replace(project, PARENT, "return self.size", "return self.size + 1")
    convert(project)
    project.commit()
    project.git("checkout", "--quiet", "main")
    replace(project, MODULAR, "size = 5", "size = 6")
    convert(project)
    project.commit()


@pytest.mark.parametrize("command", [["merge", "--no-commit"], ["rebase"]])
def test_a_merge_without_conflict(project: Repository, command: list[str]) -> None:
    commit_on_two_branches(project)
    project.git(*command, "other")
    forget_outputs(project)
    replace(project, MODULAR, "size = 6", "size = 7")
    convert(project)
    assert "size = 7" in project.read(GENERATED)
    assert "self.size + 1" in project.read(GENERATED)


@pytest.mark.parametrize("style", ["merge", "diff3", "zdiff3"])
@pytest.mark.parametrize("command", ["merge", "rebase", "cherry-pick"])
def test_conflict_marks_between_two_outputs(
    project: Repository, command: str, style: str
) -> None:
    project.git("config", "merge.conflictStyle", style)
    commit_on_two_branches(project)
    project.git("checkout", "--quiet", "other")
    replace(project, MODULAR, "size = 5", "size = 8")
    convert(project)
    project.commit()
    project.git("checkout", "--quiet", "main")
    assert project.run(["git", command, "other"]).returncode != 0
    assert "<<<<<<< " in project.read(GENERATED)
    forget_outputs(project)
    project.write({MODULAR: FILES[MODULAR].replace("size = 5", "size = 9")})
    convert(project)
    assert "size = 9" in project.read(GENERATED)


def test_an_edit_outside_of_the_conflict_marks_is_kept(project: Repository) -> None:
    commit_on_two_branches(project)
    project.git("checkout", "--quiet", "other")
    replace(project, MODULAR, "size = 5", "size = 8")
    convert(project)
    project.commit()
    assert project.run(["git", "merge", "main"]).returncode != 0
    replace(project, GENERATED, "depth = 1", "depth = 7  # mine")
    project.write({MODULAR: FILES[MODULAR].replace("size = 5", "size = 9")})
    done = project.modular("convert")
    assert done.returncode == 1
    assert "depth = 7  # mine" in done.stderr


@pytest.mark.parametrize(
    ("changed", "has_conflict"), [("self.size + 1", False), ("depth = 1", True)]
)
def test_a_stash_on_a_changed_branch(
    project: Repository, changed: str, has_conflict: bool
) -> None:
    commit_on_two_branches(project)
    project.git("checkout", "--quiet", "other")
    replace(project, MODULAR, "size = 5", "size = 8")
    convert(project)
    project.git("stash")
    replace(project, PARENT, changed, f"{changed}2")
    convert(project)
    project.commit()
    done = project.run(["git", "stash", "pop"])
    assert (done.returncode != 0) == has_conflict
    forget_outputs(project)
    convert(project)


def test_a_difference_in_formatting_alone(project: Repository) -> None:
    replace(project, GENERATED, "size = 5", "size=5")
    replace(project, GENERATED, "\n\n    def", "\n\n\n\n    def")
    convert(project)


def test_windows_line_ends(project: Repository) -> None:
    text = project.read(GENERATED)
    (project.root / GENERATED).write_bytes(text.replace("\n", "\r\n").encode())
    replace(project, MODULAR, "size = 5", "size = 6")
    convert(project)


@pytest.mark.parametrize("has_git", [True, False])
def test_what_another_converter_has_written_from_the_same_sources(
    bare: Repository, has_git: bool
) -> None:
    """It has another banner, and another order of members."""
    if has_git:
        bare.git("init", "--quiet")
    forget_outputs(bare)
    text = bare.read(GENERATED)
    banner = text[: text.index("class")].replace(MODULAR, f"src/{MODULAR}")
    body = "class AcmeMLP:\n    depth = 1\n    size = 5\n\n    def run(self):\n        return self.size\n"
    bare.write({GENERATED: f"{banner}{body}"})
    convert(bare)


def test_an_unpacked_archive_that_was_checked_once(bare: Repository) -> None:
    forget_outputs(bare)
    assert bare.modular("check").returncode == 0
    replace(bare, MODULAR, "size = 5", "size = 6")
    convert(bare)
