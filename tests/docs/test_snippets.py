"""What cannot be run here is looked through: workflows, hooks and build files name only what there is."""

import re

import pytest
import yaml

from modular.system.addresses import REPOSITORY
from tests.docs.markdown import PAGES, ROOT, Block, blocks, read


ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
OURS = f"{REPOSITORY.removeprefix('https://github.com/')}@main"
STEP = {"uses", "with", "run", "if", "name", "env"}


def documents(key: str) -> list[tuple[Block, dict]]:
    """Return the blocks of YAML that have a key at the top, parsed."""
    parsed = [
        (block, yaml.safe_load(block.text))
        for page in PAGES
        for block in blocks(page, "yaml")
    ]
    return [(block, document) for block, document in parsed if key in document]


def by_place(value: object) -> str:
    return value.place if isinstance(value, Block) else ""


def test_every_block_of_yaml_is_a_workflow_or_hooks():
    every = [block for page in PAGES for block in blocks(page, "yaml")]
    known = [block for key in ("jobs", "repos") for block, _ in documents(key)]
    assert len(every) == len(known) == 4


@pytest.mark.parametrize("block, workflow", documents("jobs"), ids=by_place)
def test_workflows(block, workflow):
    assert set(workflow) == {"name", True, "jobs"}, "`on` is true in YAML 1.1"
    uses = []
    for job in workflow["jobs"].values():
        assert (
            {"runs-on", "steps"} <= set(job) <= {"runs-on", "steps", "env", "strategy"}
        )
        for step in job["steps"]:
            assert set(step) <= STEP
            assert ("uses" in step) != ("run" in step)
            uses.append(step.get("uses"))
            if step.get("uses") == OURS:
                assert set(step["with"]) <= set(ACTION["inputs"])
    assert "actions/checkout@v4" in uses
    assert OURS in uses or any(
        "modular check" in step.get("run", "")
        for job in workflow["jobs"].values()
        for step in job["steps"]
    )


@pytest.mark.parametrize("block, hooks", documents("repos"), ids=by_place)
def test_hooks(block, hooks):
    (repository,) = hooks["repos"]
    assert set(repository) == {"repo", "rev", "hooks"}
    assert repository["repo"] == REPOSITORY
    # Until there is a release, the hooks are those of the main branch.
    assert repository["rev"] == "main"
    assert {hook["id"] for hook in repository["hooks"]} == {
        hook["id"] for hook in HOOKS
    }


def test_the_inputs_of_the_action_are_all_there():
    rows = re.findall(
        r"^\| `([\w-]+)` \| (.*?) \|",
        read("docs/ci.md").partition("## pre-commit")[0],
        re.MULTILINE,
    )
    assert {name for name, _ in rows} == set(ACTION["inputs"])
    for name, default in rows:
        assert (default == f"`{ACTION['inputs'][name]['default']}`") == (
            ACTION["inputs"][name]["default"] != ""
        )
