"""`modular stats --history` and `--parents`."""

import json
import os
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from modular.git import history as histories
from modular.git.history import history
from modular.project.opening import open_project
from tests.flock import make_flock, run_modular
from tests.hooks.repository import Repository, make
from tests.repository import commit


BANNER = '[tool.modular]\nformatter = "none"\n[tool.modular.banner]\ntext = "# from {name}\\n"\n'


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Two commits: in the second `lone` has become longer, and a file by hand stands beside its modular file."""
    repository = make(tmp_path_factory.mktemp("history") / "project")
    repository.write({"pyproject.toml": BANNER})
    repository.modular("convert")
    repository.git("commit", "--quiet", "--all", "--amend", "--no-edit")
    repository.write(
        {
            "models/lone/modular_lone.py": "class LoneLeaf:\n    size = 1\n\n    depth = 2\n",
            "models/lone/configuration_lone.py": "class LoneConfig:\n    size = 1\n",
            "models/lone/notes.py": "no model file\n",
        }
    )
    repository.modular("convert")
    repository.commit()
    return repository


def test_maintained_and_read_lines_of_each_commit(repository: Repository) -> None:
    """First by hand are `elder` (2) and the modular files (5 + 5 + 2); read are `elder` and three files of 2 and a banner.

    Then `lone` is 2 lines longer, and has a configuration of 2 by hand.
    """
    done = repository.modular("stats", "--history", "--output-format", "json")
    commits = json.loads(done.stdout)["commits"]
    assert [
        (commit["maintained"], commit["read"], commit["modulars"]) for commit in commits
    ] == [
        (14, 11, 3),
        (18, 15, 3),
    ]


def test_from_a_commit_on(repository: Repository) -> None:
    done = repository.modular(
        "stats", "--history", "--since", "HEAD", "--output-format", "json"
    )
    (commit,) = json.loads(done.stdout)["commits"]
    assert commit["commit"] == repository.git("rev-parse", "HEAD").stdout.strip()


def test_it_begins_where_the_modular_files_do(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("birds\n")
    commit(tmp_path)
    make_flock(tmp_path)
    commit(tmp_path)
    done = run_modular("stats", "--history", "--output-format", "json", cwd=tmp_path)
    assert [moment["modulars"] for moment in json.loads(done.stdout)["commits"]] == [2]


def test_the_table(repository: Repository) -> None:
    lines = repository.modular("stats", "--history").stdout.splitlines()
    assert lines[0].split() == [
        "day",
        "commit",
        "modular",
        "files",
        "maintained",
        "read",
    ]
    assert lines[3].split()[2:] == ["3", "18", "15"]
    assert lines[-3].split() == ["2", "commits"]
    assert lines[-2] == "maintained: lines that people edit;"


def test_the_drawing_stands_alone(repository: Repository) -> None:
    drawing = ElementTree.fromstring(
        repository.modular("stats", "--history", "--output-format", "svg").stdout
    )
    space = "{http://www.w3.org/2000/svg}"
    assert drawing.tag == f"{space}svg"
    assert len(drawing.findall(f"{space}polyline")) == 2
    assert {"read: 15", "maintained: 18"} <= {
        word.text for word in drawing.findall(f"{space}text")
    }
    assert not [
        element
        for element in drawing.iter()
        if any("href" in name for name in element.attrib)
    ]


def test_many_commits_are_thinned_out(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Repository(shutil.copytree(repository.root, tmp_path / "project"))
    for number in range(8):
        repository.write({"other.txt": str(number)})
        repository.commit()
    monkeypatch.setattr(histories, "MOST_COMMITS", 4)
    commits = history(open_project(repository.root))
    every = repository.git("log", "--reverse", "--format=%H").stdout.split()
    assert [commit.commit for commit in commits] == [
        every[0],
        every[3],
        every[6],
        every[9],
    ]


@pytest.mark.parametrize("seconds", [253402300800, -1, 10**30])
def test_a_date_that_no_calendar_has_is_the_last_one(
    repository: Repository, tmp_path: Path, seconds: int
) -> None:
    """Git takes what is below zero or too large for the largest number that it knows."""
    repository = Repository(shutil.copytree(repository.root, tmp_path / "project"))
    tree, who = (
        repository.git("rev-parse", "HEAD^{tree}").stdout.strip(),
        f"n <e> {seconds} +0000",
    )
    (tmp_path / "commit").write_text(
        f"tree {tree}\nauthor {who}\ncommitter {who}\n\nold\n"
    )
    commit = repository.git(
        "hash-object", "-w", "-t", "commit", "--literally", str(tmp_path / "commit")
    ).stdout.strip()
    repository.git("update-ref", "HEAD", commit)
    assert [moment.day for moment in history(open_project(repository.root))] == [
        "9999-12-31"
    ]


def test_names_of_files_may_be_no_text(repository: Repository, tmp_path: Path) -> None:
    """One modular file more, of 3 lines, with a generated file of 1: its banner names its modular file."""
    repository = Repository(shutil.copytree(repository.root, tmp_path / "project"))
    folder, name = repository.root / "models/odd", os.fsdecode(b"odd_\xff")
    folder.mkdir()
    (folder / f"modular_{name}.py").write_text(
        "class Odd:\n    size = 1\n    depth = 2\n"
    )
    (folder / f"modeling_{name}.py").write_bytes(
        os.fsencode(f"# from models/odd/modular_{name}.py\n")
    )
    repository.commit()
    before, after = history(open_project(repository.root), since="HEAD~1")
    assert (after.maintained - before.maintained, after.read - before.read) == (3, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--since", "HEAD"), "--since and svg need --history"),
        (("--output-format", "svg"), "--since and svg need --history"),
        (("--history", "lone"), "--history is of the whole project"),
    ],
)
def test_wrong_use(
    repository: Repository, arguments: tuple[str, ...], message: str
) -> None:
    done = repository.modular("stats", *arguments)
    assert done.returncode == 2
    assert message in done.stderr


def test_how_much_rests_on_each_parent(repository: Repository) -> None:
    """`young` and `grown` have 3 lines each; `lone`, of 5, rests on nobody."""
    done = repository.modular("stats", "--parents", "--output-format", "json")
    assert json.loads(done.stdout) == {
        "schema": 1,
        "parents": [
            {"model": "elder", "direct": 1, "models": 2, "lines": 6},
            {"model": "young", "direct": 1, "models": 1, "lines": 3},
        ],
    }
    rows = [
        line.split()
        for line in repository.modular("stats", "--parents").stdout.splitlines()
    ]
    assert ["elder", "1", "2", "6", "55%"] in rows
