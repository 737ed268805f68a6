"""What cannot be run here is looked through: workflows, hooks and build files name only what there is."""

import re
import subprocess

import pytest
import yaml

from modular.system.addresses import REPOSITORY
from tests.docs.markdown import PAGES, ROOT, Block, blocks, read
from tests.docs.walk import environment


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


PARENT = "class LlamaMLP:\n    scale = 1\n"
CHILD = "from ..llama.modeling_llama import LlamaMLP\n\n\nclass OlmoMLP(LlamaMLP):\n    pass\n"


def test_the_build_file_of_ninja(tmp_path):
    """What Ninja would run makes the file that it waits for, and the dependency file where it looks for it."""
    (block,) = (block for page in PAGES for block in blocks(page, "ninja"))
    values = dict(re.findall(r"^  (\w+) = (.*)$", block.text, re.MULTILINE))
    made, source = re.search(
        r"^build (\S+): modular (\S+)$", block.text, re.MULTILINE
    ).groups()
    command, depfile = (
        values[key].replace("$in", source).replace("$out", made)
        for key in ("command", "depfile")
    )
    for path, text in {source: CHILD, "models/llama/modeling_llama.py": PARENT}.items():
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    subprocess.run(
        ["bash", "-ec", command],
        cwd=tmp_path,
        env=environment(tmp_path),
        check=True,
        capture_output=True,
    )
    assert (tmp_path / made).is_file()
    rule = f"{made}: \\\n  models/llama/modeling_llama.py \\\n  {source}\n"
    assert (tmp_path / depfile).read_text(encoding="utf-8").startswith(rule)
