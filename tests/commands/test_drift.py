"""`modular drift`: changes of a parent's method that a copied override lacks."""

import json
from pathlib import Path

import pytest

from tests import schema
from tests.repository import Repository, make


ELDER = """\
class ElderLeaf:
    def grow(self, by):
        self.count = 0
        size = self.size + by
        self.last = size
        return size
"""

LONE = """\
from ..elder.modeling_elder import ElderLeaf


class LoneLeaf(ElderLeaf):
    def grow(self, by):
        self.count = 0
        size = self.size + by
        print(size)
        return size
"""

PARENT_PATH = "models/elder/modeling_elder.py"
CHILD_PATH = "models/lone/modular_lone.py"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """`lone` has a copy of `grow` that prints the size."""
    repository = make(tmp_path / "project")
    repository.write({PARENT_PATH: ELDER, CHILD_PATH: LONE})
    repository.modular("convert")
    repository.commit()
    return repository


def change(repository: Repository, path: str, old: str, new: str) -> None:
    text = repository.read(path)
    assert old in text
    repository.write({path: text.replace(old, new)})
    repository.modular("convert")
    repository.git("commit", "--quiet", "--all", "--message", f"write {new.strip()}")


def fix_parent(repository: Repository) -> None:
    change(repository, PARENT_PATH, "self.size + by", "self.size + 2 * by")


def test_a_change_of_the_parent_that_the_copy_lacks_is_shown(
    repository: Repository,
) -> None:
    fix_parent(repository)
    commit = repository.git("log", "-1", "--format=%h %cs", "--abbrev=10").stdout
    done = repository.modular("drift")
    assert done.returncode == 1
    assert done.stdout == (
        f"--- {commit.strip()} write self.size + 2 * by\n"
        "1 change of `ElderLeaf.grow` in models/elder/modeling_elder.py: 1 override "
        "still has the old lines\n"
        "    models/lone/modular_lone.py:5: `LoneLeaf.grow`, 80% copied\n"
        "@@ models/lone/modular_lone.py:7 @@\n"
        "-        size = self.size + by\n"
        "+        size = self.size + 2 * by\n"
        "\n"
        "1 override lacks 1 change of parents; 1 override compared; "
        "`modular drift --write` applies the changes\n"
    )


def test_a_copy_in_step_has_no_drift(repository: Repository) -> None:
    done = repository.modular("drift")
    assert (done.returncode, done.stdout) == (0, "no drift; 1 override compared\n")


def test_a_copy_that_has_the_change_has_no_drift(repository: Repository) -> None:
    fix_parent(repository)
    change(repository, CHILD_PATH, "self.size + by", "self.size + 2 * by")
    assert repository.modular("drift").returncode == 0


def test_a_copy_that_changed_the_same_line_has_no_drift(
    repository: Repository,
) -> None:
    change(repository, CHILD_PATH, "self.size + by", "by")
    fix_parent(repository)
    assert repository.modular("drift").returncode == 0


def test_a_copy_that_was_changed_after_the_parent_is_in_step(
    repository: Repository,
) -> None:
    fix_parent(repository)
    change(repository, CHILD_PATH, "print(size)", "print(size, by)")
    assert repository.modular("drift").returncode == 0


def test_a_commit_that_changes_both_may_miss_lines(repository: Repository) -> None:
    text = repository.read(CHILD_PATH).replace("print(size)", "print(size, by)")
    repository.write({CHILD_PATH: text})
    fix_parent(repository)
    assert "+        size = self.size + 2 * by" in repository.modular("drift").stdout


def test_the_commit_is_the_one_after_the_last_change_of_the_copy(
    repository: Repository,
) -> None:
    fix_parent(repository)
    change(repository, PARENT_PATH, "self.size + 2 * by", "self.size + by")
    change(repository, CHILD_PATH, "print(size)", "print(size, by)")
    fix_parent(repository)
    commit = repository.git("rev-parse", "HEAD").stdout.strip()
    printed = repository.modular("drift", "--output-format", "json").stdout
    assert json.loads(printed)["changes"][0]["commit"]["hash"] == commit


def test_later_commits_of_the_parent_did_not_make_the_change(
    repository: Repository,
) -> None:
    fix_parent(repository)
    commit = repository.git("rev-parse", "HEAD").stdout.strip()
    fall = "\n    def fall(self):\n        return 0\n"
    change(repository, PARENT_PATH, "return size\n", f"return size\n{fall}")
    printed = repository.modular("drift", "--output-format", "json").stdout
    assert json.loads(printed)["changes"][0]["commit"]["hash"] == commit


def test_changes_that_are_not_committed_come_first(repository: Repository) -> None:
    fix_parent(repository)
    commit = repository.git("log", "-1", "--format=%h %cs", "--abbrev=10").stdout
    text = repository.read(PARENT_PATH).replace("return size\n", "return size + 1\n")
    repository.write({PARENT_PATH: text})
    lines = repository.modular("drift").stdout.splitlines()
    headings = [line for line in lines if line.startswith("---")]
    expected = f"--- {commit.strip()} write self.size + 2 * by"
    assert headings == ["--- not committed", expected]


def test_a_change_that_is_not_committed_counts(repository: Repository) -> None:
    text = repository.read(PARENT_PATH).replace("self.size + by", "by")
    repository.write({PARENT_PATH: text})
    done = repository.modular("drift", "lone")
    assert done.stdout.startswith("--- not committed\n")
    assert done.returncode == 1


def test_an_override_of_its_own_is_no_copy(repository: Repository) -> None:
    change(repository, CHILD_PATH, "        self.count = 0\n", "")
    change(
        repository,
        CHILD_PATH,
        "print(size)",
        "a = 1\n        b = 2\n        c = 3\n        d = 4",
    )
    fix_parent(repository)
    assert repository.modular("drift").returncode == 0


def test_comments_and_docstrings_of_the_parent_are_no_drift(
    repository: Repository,
) -> None:
    change(
        repository,
        PARENT_PATH,
        "        self.count = 0\n",
        '        """Grow."""\n        # No leaf yet.\n        self.count = 0  # none\n',
    )
    assert repository.modular("drift").returncode == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def grow(self, by):", "def grow(self, by):  # modular: ignore[drift]"),
        ("from ..elder", "# modular: ignore[drift]\nfrom ..elder"),
    ],
    ids=["at the header", "for the file"],
)
def test_a_comment_accepts_the_difference(
    repository: Repository, old: str, new: str
) -> None:
    fix_parent(repository)
    change(repository, CHILD_PATH, old, new)
    change(repository, PARENT_PATH, "self.count = 0", "self.count = 1")
    done = repository.modular("drift")
    assert (done.returncode, done.stdout) == (0, "no drift; 0 overrides compared\n")
    assert "MOD491" not in repository.modular("check").stderr


def test_a_comment_at_another_method_does_not_accept_the_difference(
    repository: Repository,
) -> None:
    method = "    def rest(self):  # modular: ignore[drift]\n        return 0\n\n"
    change(repository, CHILD_PATH, "    def grow", f"{method}    def grow")
    fix_parent(repository)
    assert repository.modular("drift").returncode == 1


def test_names_of_the_parent_are_renamed(repository: Repository) -> None:
    change(repository, PARENT_PATH, "self.last = size", "self.last = ElderLeaf")
    change(repository, CHILD_PATH, "print(size)", "self.last = LoneLeaf")
    change(repository, PARENT_PATH, "self.last = ElderLeaf", "self.elder = ElderLeaf")
    done = repository.modular("drift")
    assert (
        "-        self.last = LoneLeaf\n+        self.lone = LoneLeaf\n" in done.stdout
    )


def test_write_applies_the_changes_and_converts(repository: Repository) -> None:
    fix_parent(repository)
    done = repository.modular("drift", "--write")
    assert done.returncode == 0
    assert "+        size = self.size + 2 * by\n" in done.stdout
    assert done.stdout.endswith("1 modular file written\n")
    expected = LONE.replace("self.size + by", "self.size + 2 * by")
    assert repository.read(CHILD_PATH) == expected
    assert repository.modular("check").returncode == 0
    assert "size + 2 * by" in repository.read("models/lone/modeling_lone.py")


def test_diff_shows_the_changes_of_modular_files_and_writes_nothing(
    repository: Repository,
) -> None:
    fix_parent(repository)
    before = repository.read(CHILD_PATH)
    done = repository.modular("drift", "--diff")
    assert done.stdout.startswith(f"--- a/{CHILD_PATH}\n+++ b/{CHILD_PATH}\n")
    assert "`modular drift --write` applies the changes" in done.stdout
    assert done.returncode == 1
    assert repository.read(CHILD_PATH) == before


def test_write_leaves_a_file_that_would_have_errors(repository: Repository) -> None:
    change(repository, PARENT_PATH, "self.size + by", "self.size + nowhere")
    text = repository.read(CHILD_PATH)
    done = repository.modular("drift", "--write")
    assert done.returncode == 1
    assert "models/lone/modular_lone.py:7" in done.stderr
    assert "`nowhere`" in done.stderr
    assert repository.read(CHILD_PATH) == text


def test_write_reports_lines_that_fit_only_a_part_of_the_copy(
    repository: Repository,
) -> None:
    """The parent changes both ends of a call; the copy has changed the last line."""
    opening = "self.last = max(\n            size,\n        )"
    change(repository, PARENT_PATH, "self.last = size", opening)
    change(
        repository, CHILD_PATH, "print(size)", f"{opening.removesuffix(')')})  # lone"
    )
    change(
        repository,
        PARENT_PATH,
        opening,
        "self.last = sum([\n            size,\n        ])",
    )
    text = repository.read(CHILD_PATH)
    done = repository.modular("drift", "--write")
    assert done.returncode == 1
    assert f"{CHILD_PATH}:5" in done.stderr
    assert "the changes of `LoneLeaf.grow` do not fit" in done.stderr
    assert done.stdout.endswith("0 modular files written\n")
    assert repository.read(CHILD_PATH) == text


def test_write_leaves_calls_of_super_which_mean_something_else_in_the_child(
    repository: Repository,
) -> None:
    change(repository, PARENT_PATH, "self.size + by", "super().grow(by)")
    text = repository.read(CHILD_PATH)
    done = repository.modular("drift", "--write")
    assert done.returncode == 1
    assert done.stdout.endswith(
        "1 change calls `super()` and is left: apply it by hand\n"
    )
    assert repository.read(CHILD_PATH) == text


def test_json_has_the_change_and_the_lines(repository: Repository) -> None:
    fix_parent(repository)
    printed = repository.modular("drift", "--output-format", "json").stdout
    schema.validate(printed, "drift")
    (change_values,) = json.loads(printed)["changes"]
    assert change_values["commit"]["title"] == "write self.size + 2 * by"
    assert (change_values["class"], change_values["method"]) == ("ElderLeaf", "grow")
    assert change_values["overrides"] == [
        {
            "path": CHILD_PATH,
            "line": 5,
            "class": "LoneLeaf",
            "share": 0.8,
            "hunks": [
                {
                    "line": 7,
                    "old": ["        size = self.size + by"],
                    "new": ["        size = self.size + 2 * by"],
                }
            ],
        }
    ]


def test_a_shallow_clone_is_an_error(repository: Repository, tmp_path: Path) -> None:
    fix_parent(repository)
    source = repository.root.as_uri()
    repository.git("clone", "--quiet", "--depth=1", source, str(tmp_path / "shallow"))
    done = Repository(tmp_path / "shallow").modular("drift")
    assert done.returncode == 2
    assert "the history is incomplete: the clone is shallow" in done.stderr


def test_a_folder_without_a_repository_is_an_error(
    repository: Repository, tmp_path: Path
) -> None:
    (tmp_path / "plain").mkdir()
    repository.git("checkout-index", "--all", f"--prefix={tmp_path}/plain/")
    done = Repository(tmp_path / "plain").modular("drift")
    assert done.returncode == 2
    assert "not a git repository" in done.stderr


def test_an_unknown_target_is_an_error(repository: Repository) -> None:
    done = repository.modular("drift", "nobody")
    assert done.returncode == 2
    assert "nobody" in done.stderr
    assert done.stdout == ""


def test_write_applies_the_changes_of_two_copies_in_one_file(
    repository: Repository,
) -> None:
    second = LONE.partition("\n\n\n")[2].replace("LoneLeaf", "LoneTwig")
    change(
        repository,
        CHILD_PATH,
        "        return size\n",
        f"        return size\n\n\n{second}",
    )
    fix_parent(repository)
    assert repository.modular("drift", "--write").returncode == 0
    assert repository.read(CHILD_PATH).count("self.size + 2 * by") == 2


def test_nothing_is_summed_up_where_there_is_only_an_error(
    repository: Repository,
) -> None:
    done = repository.modular("drift", "elder")
    assert "error[MOD103]" in done.stderr
    assert (done.returncode, done.stdout) == (2, "")
