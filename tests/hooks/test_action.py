"""The GitHub action: its scripts are run, and every command and option in it and in the hooks is one that there is."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

from modular.cli.main import main
from tests.hooks.repository import MODELS, make


ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
_EXPRESSION = re.compile(r"\$\{\{ (.*?) \}\}")
_CALL = re.compile(r"\bmodular (\w+)")
_OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")


@pytest.fixture
def repository(tmp_path):
    return make(tmp_path / "project")


def run_step(repository, name, inputs=None, path=None, variables=None):
    """Run the script of a step as a runner does: in bash, with the values of the inputs in its variables."""
    values = {f"inputs.{key}": str(value["default"]) for key, value in ACTION["inputs"].items()}
    values |= {f"inputs.{key}": value for key, value in (inputs or {}).items()}
    values |= {"github.action_path": "/action", "runner.temp": str(repository.root.parent)}
    step = STEPS[name]
    given = {key: _EXPRESSION.sub(lambda match: values[match[1]], text) for key, text in step["env"].items()}
    variables = {**given, **(variables or {})}
    if path is not None:
        variables["PATH"] = f"{path}:/usr/bin:/bin"
    return repository.run(["bash", "-eo", "pipefail", "-c", step["run"]], variables=variables)


def scripts():
    """Every text in which `modular` is called."""
    return [hook["entry"] for hook in HOOKS] + [step["run"] for step in STEPS.values() if "run" in step]


def test_every_command_and_option_is_there():
    calls = [(script, _CALL.search(script)) for script in scripts() if _CALL.search(script)]
    assert sorted(match[1] for _, match in calls) == ["check", "check", "convert", "impact"]
    for script, match in calls:
        command = main.get_command(None, match[1])
        assert command is not None, script
        known = {name for parameter in command.params for name in parameter.opts}
        assert set(_OPTION.findall(script)) <= known, script


def test_the_hooks_arguments_are_accepted():
    for hook in HOOKS:
        program, command, *arguments = shlex.split(hook["entry"])
        assert program == "modular"
        main.get_command(None, command).make_context(command, [*arguments, "some.py", "pyproject.toml"])


def test_the_inputs_reach_scripts_as_variables_only():
    """A branch may be called `$(rm -rf .)`: written into a script, that would run."""
    for step in STEPS.values():
        assert not _EXPRESSION.search(step.get("run", ""))


def test_what_the_steps_ask_for_is_an_input():
    asked = set(re.findall(r"\binputs\.([\w-]+)", (ROOT / "action.yml").read_text(encoding="utf-8")))
    assert asked == set(ACTION["inputs"])


def test_no_module_of_the_checkout_is_imported(repository):
    repository.write({"pip.py": 'open("ran", "w").close()\n', "modular.py": 'open("ran", "w").close()\n'})
    run_step(repository, "Install modular", variables={"PIP_NO_INDEX": "1"})
    assert run_step(repository, "Check").returncode == 0
    assert not (repository.root / "ran").exists()


def test_actions_are_pinned_to_a_commit():
    """A tag can be moved; the version is for the reader."""
    used = re.findall(r"uses: (.*)", (ROOT / "action.yml").read_text(encoding="utf-8"))
    assert [name.split("@")[0] for name in used] == ["actions/setup-python", "actions/cache"]
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", name) for name in used)


def test_the_cache_is_where_the_check_keeps_it():
    assert STEPS["Restore results"]["with"]["path"] == STEPS["Check"]["env"]["MODULAR_CACHE_DIR"]


def test_what_a_change_does_stands_on_the_summary_page(repository):
    repository.write({"models/elder/modeling_elder.py": "class ElderLeaf:\n    size = 2\n"})
    summary = repository.root.parent / "summary.md"
    done = run_step(repository, "Summarise", {"since": "HEAD"}, variables={"GITHUB_STEP_SUMMARY": str(summary)})
    assert done.returncode == 0
    assert summary.read_text(encoding="utf-8") == (
        "### Generated code\n\n"
        "2 files of 2 models would change: +2 -2, 1 cause\n\n"
        "| cause | lines | models |\n| --- | --- | --- |\n"
        "| ElderLeaf.size `models/elder/modeling_elder.py:2` | +2 -2 in 2 files | grown, young |\n"
    )


def test_a_fresh_project_passes(repository):
    assert run_step(repository, "Check").returncode == 0
    assert list((repository.root.parent / "modular-cache").iterdir())


def test_a_stale_file_is_annotated_where_a_person_edits(repository):
    repository.write({"models/lone/modular_lone.py": "class LoneLeaf:\n    size = 2\n"})
    done = run_step(repository, "Check")
    assert done.returncode == 1
    assert re.search(r"^::error file=models/lone/modular_lone\.py,line=2,.*MOD501", done.stdout, re.MULTILINE)


def test_only_what_changed_is_checked_where_a_commit_is_given(repository):
    repository.write({"models/lone/modular_lone.py": "class LoneLeaf:\n    size = 2\n"})
    repository.commit()
    repository.write({"models/grown/modular_grown.py": "class GrownLeaf:\n    size = 2\n"})
    done = run_step(repository, "Check", {"since": "HEAD"})
    assert done.returncode == 1
    assert "modeling_grown.py" in done.stdout
    assert "modeling_lone.py" not in done.stdout


def test_targets_are_separated_by_blanks_and_lines_and_mean_themselves(repository):
    repository.write({"models/lone/modular_lone.py": "class LoneLeaf:\n    size = 2\n"})
    assert run_step(repository, "Check", {"targets": "young\ngrown "}).returncode == 0
    assert run_step(repository, "Check", {"targets": "young lone"}).returncode == 1
    done = run_step(repository, "Check", {"targets": "* $(touch made)"})
    assert done.returncode == 2
    assert not (repository.root / "made").exists()


def test_the_root_may_be_a_folder(repository):
    """There the one model is fresh; that of the repository's own root is not."""
    (repository.root / "inner").mkdir()
    repository.write(
        {f"inner/{path}": text for path, text in MODELS.items() if "lone" in path or path == "pyproject.toml"}
    )
    repository.write({"models/lone/modular_lone.py": "class LoneLeaf:\n    size = 2\n"})
    assert run_step(repository, "Check", {"root": "inner"}).returncode == 0
    assert run_step(repository, "Check").returncode == 1


@pytest.mark.parametrize(
    ("inputs", "what"),
    [
        ({}, ["/action", "ruff"]),
        ({"version": "0.1.0"}, ["modular-models==0.1.0", "ruff"]),
        ({"ruff-version": "0.14.10"}, ["/action", "ruff==0.14.10"]),
    ],
)
def test_the_versions_that_are_asked_for_are_installed(repository, inputs, what):
    python = repository.root.parent / "bin/python"
    python.parent.mkdir()
    python.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    done = run_step(repository, "Install modular", inputs, path=python.parent)
    assert done.stdout.splitlines() == ["-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *what]
