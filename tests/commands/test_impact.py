"""`modular impact`."""

import json
from pathlib import Path

import pytest

from tests.effects.elder import edit, make_elder
from tests.hooks.action import STEPS, called, run_step
from tests.repository import Repository, make
from tests.schema import changed_flock, validate


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """`lone` overrides `grow` and calls `fall`; `young` and `grown` inherit all."""
    return make_elder(tmp_path / "project")


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (
            "eldr",
            "no such model, file or folder\n  --> eldr\n     hint: did you mean `elder`?\n",
        ),
        ("/", "outside the"),
    ],
)
def test_a_target_that_means_nothing_is_wrong_use(
    repository: Repository, target: str, said: str
) -> None:
    done = repository.modular("impact", "--root", ".", target)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_json(repository: Repository) -> None:
    edit(repository, "def fall(self)", "def drop(self)")
    data = json.loads(repository.modular("impact", "--output-format", "json").stdout)
    assert data["since"] == "HEAD"
    assert {
        file["path"]: (file["added"], file["removed"]) for file in data["files"]
    } == {
        "models/grown/modeling_grown.py": (1, 1),
        "models/lone/modeling_lone.py": (1, 1),
        "models/young/modeling_young.py": (1, 1),
    }
    (cause,) = data["causes"]
    assert cause["models"] == ["grown", "lone", "young"]
    assert cause["variants"][0]["lines"] == [
        "-    def fall(self):",
        "+    def drop(self):",
    ]
    assert data["broken"] == [
        {
            "path": "models/lone/modular_lone.py",
            "line": 9,
            "class": "LoneLeaf",
            "member": "fall",
            "message": "`LoneLeaf` uses `ElderLeaf.fall`, which is gone",
        }
    ]
    assert data["errors"] == []


def test_json_lists_each_place_that_the_summary_counts(repository: Repository) -> None:
    path = "models/lone/modular_lone.py"
    repository.write({path: repository.read(path) + "\n\nclass LoneTwig(Lost\n"})
    edit(repository, "def fall(self)", "def drop(self)")
    printed = repository.modular("impact", "--output-format", "json").stdout
    data = json.loads(printed)
    validate(printed, "impact")
    assert [place["line"] for place in data["broken"]] == [9, 12]
    assert data["broken"][1]["message"].startswith("MOD101 ")
    assert data["broken"][1]["class"] is None
    assert repository.modular("impact").stdout.endswith("; 2 places break\n")


def test_a_commit_that_is_not_there(repository: Repository) -> None:
    done = repository.modular("impact", "--since", "nowhere")
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")


def test_the_action_puts_it_on_the_summary_page(repository: Repository) -> None:
    assert called(STEPS["Summarise"]["run"]) == "impact"
    repository = make(repository.root.parent / "other")
    repository.write(
        {"models/elder/modeling_elder.py": "class ElderLeaf:\n    size = 2\n"}
    )
    summary = repository.root.parent / "summary.md"
    done = run_step(
        repository,
        "Summarise",
        {"since": "HEAD"},
        variables={"GITHUB_STEP_SUMMARY": str(summary)},
    )
    assert done.returncode == 0
    assert summary.read_text(encoding="utf-8") == (
        "### Generated code\n\n"
        "2 files of 2 models would change: +2 -2, 1 cause\n\n"
        "| cause | lines | models |\n| --- | --- | --- |\n"
        "| ElderLeaf.size `models/elder/modeling_elder.py:2` | +2 -2 in 2 files | grown, young |\n"
    )


def test_its_json_is_what_the_schema_says(tmp_path: Path) -> None:
    validate(changed_flock(tmp_path, "impact"), "impact")
