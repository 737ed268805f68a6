"""The project's own workflows and forms, which only run where it is hosted: what they name is there, and pinned."""

import re
import tomllib

import pytest
import yaml

from modular.system.addresses import DOCUMENTATION, REPOSITORY
from tests.docs.markdown import ROOT, read


WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("[!c]*.yml")) + [
    ROOT / ".github/ISSUE_TEMPLATE/crash.yml"
]
PROJECT = tomllib.loads(read("pyproject.toml"))["project"]
PINNED = re.compile(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")


def name(path):
    return path.name


def parsed(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", [*WORKFLOWS, ROOT / "action.yml"], ids=name)
def test_actions_are_pinned_by_commit(path):
    uses = re.findall(r"uses: (.*)", path.read_text(encoding="utf-8"))
    assert [action for action in uses if not PINNED.fullmatch(action)] == []
    assert uses


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_a_workflow_may_do_little_and_runs_what_there_is(path):
    workflow = parsed(path)
    assert workflow["permissions"] == {"contents": "read"}
    targets = set(re.findall(r"^([\w-]+):", read("Makefile"), re.MULTILINE))
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            for command in step.get("run", "").splitlines():
                program, _, target = command.partition(" ")
                assert program != "make" or target in targets
                assert program != ".ci/run" or (ROOT / program).is_file()


def test_every_python_that_is_said_to_work_is_tested_on_every_system():
    matrix = parsed(ROOT / ".github/workflows/tests.yml")["jobs"]["test"]["strategy"][
        "matrix"
    ]
    said = [
        line.rpartition(" ")[2]
        for line in PROJECT["classifiers"]
        if "Python :: 3." in line
    ]
    assert matrix["python"] == said
    assert matrix["os"] == ["ubuntu-latest", "macos-latest", "windows-latest"]


def test_a_release_is_published_without_a_password():
    jobs = parsed(ROOT / ".github/workflows/release.yml")["jobs"]
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert "secrets." not in read(".github/workflows/release.yml")


@pytest.mark.parametrize("path", FORMS, ids=name)
def test_issue_forms(path):
    form = parsed(path)
    assert {"name", "description", "body"} <= set(form)
    ids = [field["id"] for field in form["body"]]
    assert len(ids) == len(set(ids))
    assert all(
        field["type"] in {"input", "textarea"} and field["attributes"]["label"]
        for field in form["body"]
    )


def test_the_addresses_of_the_project_are_said_once():
    assert PROJECT["urls"]["Repository"] == REPOSITORY
    assert PROJECT["urls"]["Documentation"] == DOCUMENTATION
