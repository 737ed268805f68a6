"""The hooks of `.pre-commit-hooks.yaml`, run by pre-commit itself in a repository of their own.

pre-commit would install a hook's environment from the network; here the definitions run what is installed already.
"""

import os
import stat
import sys
from pathlib import Path

import pytest
import yaml

from tests.repository import MODELS, Repository, make


DEFINITIONS = yaml.safe_load(
    (Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
)
pytestmark = pytest.mark.slow

FRESH_LONE = "class LoneLeaf:\n    size = 2\n"


@pytest.fixture
def repository(tmp_path):
    return make(tmp_path / "project")


def use(repository, *hooks):
    """Put hooks into the repository's settings, as they are defined, but installed."""
    chosen = [
        {**hook, "language": "system"} for hook in DEFINITIONS if hook["id"] in hooks
    ]
    assert len(chosen) == len(hooks)
    settings = {"repos": [{"repo": "local", "hooks": chosen}]}
    repository.write({".pre-commit-config.yaml": yaml.safe_dump(settings)})
    repository.commit()
    done = pre_commit(repository, "install")
    assert done.returncode == 0, done.stdout


def pre_commit(repository, *arguments, **variables):
    return repository.run(
        [sys.executable, "-m", "pre_commit", *arguments],
        variables={**home(repository), **variables},
    )


def commit(repository, *paths):
    """Commit some files through the hooks."""
    repository.git("add", *paths)
    return repository.run(
        ["git", "commit", "--message", "some"], variables=home(repository)
    )


def home(repository):
    """Where pre-commit keeps what is its own."""
    return {"PRE_COMMIT_HOME": str(repository.root.parent / "pre-commit")}


def commits(repository: Repository) -> int:
    return int(repository.git("rev-list", "--count", "HEAD").stdout)


def test_every_hook_is_tested():
    assert [hook["id"] for hook in DEFINITIONS] == ["modular-check", "modular-convert"]


def test_the_definitions_are_what_pre_commit_expects(repository):
    done = pre_commit(
        repository,
        "validate-manifest",
        str(Path(__file__).parents[2] / ".pre-commit-hooks.yaml"),
    )
    assert done.returncode == 0, done.stdout


def test_check_stops_a_commit_that_leaves_a_model_stale(repository):
    use(repository, "modular-check")
    repository.write({"models/lone/modular_lone.py": FRESH_LONE})
    done = commit(repository, "models/lone/modular_lone.py")
    assert done.returncode == 1
    assert "-    size = 1\n+    size = 2\n" in done.stderr
    assert "2 models skipped: no change affects them" in done.stderr
    assert commits(repository) == 2
    repository.write({"models/lone/modeling_lone.py": FRESH_LONE})
    assert commit(repository, "models/lone/modeling_lone.py").returncode == 0
    assert commits(repository) == 3


def test_check_sees_the_children_of_a_changed_parent(repository):
    use(repository, "modular-check")
    repository.write(
        {"models/elder/modeling_elder.py": "class ElderLeaf:\n    size = 2\n"}
    )
    done = commit(repository, "models/elder/modeling_elder.py")
    assert done.returncode == 1
    assert (
        "ElderLeaf.size, models/elder/modeling_elder.py:2: 2 files, +2 -2\n    2 models: grown, young\n"
        in done.stderr
    )


def test_check_leaves_alone_what_a_commit_does_not_affect(repository):
    repository.write({"models/lone/modular_lone.py": FRESH_LONE})
    use(repository, "modular-check")
    repository.write({"setup.py": "", "README.md": "changed\n"})
    done = commit(repository, "setup.py", "README.md")
    assert done.returncode == 0, done.stderr


def test_check_looks_at_everything_where_the_settings_change(repository):
    repository.write({"models/lone/modular_lone.py": FRESH_LONE})
    use(repository, "modular-check")
    repository.write({"pyproject.toml": MODELS["pyproject.toml"] + "# changed\n"})
    done = commit(repository, "pyproject.toml")
    assert done.returncode == 1
    assert "+++ b/models/lone/modeling_lone.py" in done.stderr


def test_check_looks_at_everything_where_it_is_asked_to(repository):
    repository.write({"models/lone/modular_lone.py": FRESH_LONE})
    use(repository, "modular-check")
    done = pre_commit(repository, "run", "--all-files")
    assert done.returncode == 1
    assert "+++ b/models/lone/modeling_lone.py" in done.stdout


def test_convert_writes_what_a_commit_makes_stale_and_stops_it(repository):
    use(repository, "modular-convert")
    repository.write(
        {"models/elder/modeling_elder.py": "class ElderLeaf:\n    size = 2\n"}
    )
    assert commit(repository, "models/elder/modeling_elder.py").returncode == 1
    assert (
        repository.read("models/young/modeling_young.py")
        == "class YoungLeaf:\n    size = 2\n"
    )
    assert (
        repository.read("models/grown/modeling_grown.py")
        == "class GrownLeaf:\n    size = 2\n"
    )
    assert commit(repository, "models").returncode == 0


def test_convert_stops_a_commit_for_a_file_that_is_new(repository):
    """pre-commit itself would not notice: git does not know the file yet."""
    use(repository, "modular-convert")
    repository.write(
        {"models/fresh/modular_fresh.py": "class FreshLeaf:\n    size = 1\n"}
    )
    assert commit(repository, "models/fresh/modular_fresh.py").returncode == 1
    assert (
        repository.read("models/fresh/modeling_fresh.py")
        == "class FreshLeaf:\n    size = 1\n"
    )
    assert commit(repository, "models/fresh").returncode == 0


@pytest.mark.parametrize("hook", ["modular-check", "modular-convert"])
def test_a_commit_that_lacks_the_generated_file_of_a_new_model_is_stopped(
    repository, hook
):
    use(repository, hook)
    repository.write(
        {"models/fresh/modular_fresh.py": "class FreshLeaf:\n    size = 1\n"}
    )
    assert repository.modular("convert").returncode == 0
    done = commit(repository, "models/fresh/modular_fresh.py")
    assert done.returncode == 1
    assert "run `git add models/fresh/modeling_fresh.py`" in done.stderr
    assert commit(repository, "models/fresh").returncode == 0


@pytest.mark.parametrize(
    "name", ["--help", "--fix", "--write-baseline={outside}/base.py"]
)
def test_a_file_whose_name_is_an_option_is_a_file(repository, name):
    """The model is stale: with `--help` the hook would pass, with the others it would write."""
    use(repository, "modular-check")
    outside = repository.root.parent / "outside"
    outside.mkdir()
    repository.write({"models/lone/modular_lone.py": FRESH_LONE})
    name = name.format(outside=outside)
    hostile = repository.root / name.lstrip("/")
    hostile.parent.mkdir(parents=True, exist_ok=True)
    hostile.write_text("#!/usr/bin/env python\n", encoding="utf-8")
    hostile.chmod(0o755)
    done = commit(repository, "models/lone/modular_lone.py", "--", name)
    assert done.returncode == 1
    assert "-    size = 1\n+    size = 2\n" in done.stderr
    assert list(outside.iterdir()) == []
    assert (
        repository.read("models/lone/modeling_lone.py")
        == MODELS["models/lone/modeling_lone.py"]
    )


def test_the_command_runs_once_for_a_commit(repository):
    """A stand-in for the command notes each call; many files would be shared out over several."""
    use(repository, "modular-check")
    paths = [f"models/many/part_{number}.py" for number in range(200)]
    repository.write(dict.fromkeys(paths, ""))
    calls = repository.root.parent / "calls"
    stand_in = repository.root.parent / "bin/modular"
    stand_in.parent.mkdir()
    stand_in.write_text(f'#!/bin/sh\necho "$*" >> {calls}\n', encoding="utf-8")
    stand_in.chmod(stand_in.stat().st_mode | stat.S_IXUSR)
    repository.git("add", *paths)
    done = pre_commit(
        repository,
        "run",
        PATH=os.pathsep.join([str(stand_in.parent), os.environ["PATH"]]),
    )
    assert done.returncode == 0, done.stdout
    (call,) = calls.read_text(encoding="utf-8").splitlines()
    assert call.split()[:4] == ["check", "--affected-by", "--require-added", "--"]
    assert sorted(call.split()[4:]) == sorted(paths)
