"""The GitHub action: its scripts are run, and every command and option in it and in the hooks is one that there is."""

import re
import shlex
import sys

import pytest

from modular.cli.main import main
from tests.hooks.action import ACTION, EXPRESSION, HOOKS, ROOT, STEPS, called, run_step
from tests.repository import MODELS, make


SUMMARY = "Summarise"
"""The step that is tested with what it calls, `modular impact`."""


@pytest.fixture
def repository(tmp_path):
    return make(tmp_path / "project")


def test_every_command_and_option_is_there():
    steps = (step for name, step in STEPS.items() if name != SUMMARY)
    scripts = [hook["entry"] for hook in HOOKS] + [
        step["run"] for step in steps if "run" in step
    ]
    assert sorted(filter(None, map(called, scripts))) == ["check", "check", "convert"]


def test_the_hooks_arguments_are_accepted():
    for hook in HOOKS:
        program, command, *arguments = shlex.split(hook["entry"])
        assert program == "modular"
        main.get_command(None, command).make_context(
            command, [*arguments, "some.py", "pyproject.toml"]
        )


def test_the_inputs_reach_scripts_as_variables_only():
    """A branch may be called `$(rm -rf .)`: written into a script, that would run."""
    for step in STEPS.values():
        assert not EXPRESSION.search(step.get("run", ""))


def test_what_the_steps_ask_for_is_an_input():
    asked = set(
        re.findall(
            r"\binputs\.([\w-]+)", (ROOT / "action.yml").read_text(encoding="utf-8")
        )
    )
    assert asked == set(ACTION["inputs"])


def test_no_module_of_the_checkout_is_imported(repository):
    repository.write(
        {
            "pip.py": 'open("ran", "w").close()\n',
            "modular.py": 'open("ran", "w").close()\n',
        }
    )
    run_step(repository, "Install modular", variables={"PIP_NO_INDEX": "1"})
    assert run_step(repository, "Check").returncode == 0
    assert not (repository.root / "ran").exists()


def test_actions_are_pinned_to_a_commit():
    """A tag can be moved; the version is for the reader."""
    used = re.findall(r"uses: (.*)", (ROOT / "action.yml").read_text(encoding="utf-8"))
    assert [name.split("@")[0] for name in used] == [
        "actions/setup-python",
        "actions/cache",
    ]
    assert all(
        re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", name) for name in used
    )


def test_the_cache_is_where_the_check_keeps_it():
    assert (
        STEPS["Restore results"]["with"]["path"]
        == STEPS["Check"]["env"]["MODULAR_CACHE_DIR"]
    )


def test_a_fresh_project_passes(repository):
    assert run_step(repository, "Check").returncode == 0
    assert list((repository.root.parent / "modular-cache").iterdir())


def test_a_stale_file_is_annotated_where_a_person_edits(repository):
    repository.write({"models/lone/modular_lone.py": "class LoneLeaf:\n    size = 2\n"})
    done = run_step(repository, "Check")
    assert done.returncode == 1
    assert re.search(
        r"^::error file=models/lone/modular_lone\.py,line=2,.*MOD501",
        done.stdout,
        re.MULTILINE,
    )


def test_only_what_changed_is_checked_where_a_commit_is_given(repository):
    repository.write({"models/lone/modular_lone.py": "class LoneLeaf:\n    size = 2\n"})
    repository.commit()
    repository.write(
        {"models/grown/modular_grown.py": "class GrownLeaf:\n    size = 2\n"}
    )
    done = run_step(repository, "Check", {"since": "HEAD"})
    assert done.returncode == 1
    assert "modeling_grown.py" in done.stdout
    assert "modeling_lone.py" not in done.stdout


def test_warnings_fail_the_job_only_if_it_is_strict(repository):
    unused = "import os\n\n\nclass LoneLeaf:\n    size = 1\n"
    repository.write({"models/lone/modular_lone.py": unused})
    repository.run(["modular", "convert", "lone"])
    for inputs, code in (({}, 0), ({"strict": "false"}, 0), ({"strict": "true"}, 1)):
        done = run_step(repository, "Check", {"targets": "lone", **inputs})
        assert done.returncode == code
        assert "MOD453" in done.stdout


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
        {
            f"inner/{path}": text
            for path, text in MODELS.items()
            if "lone" in path or path == "pyproject.toml"
        }
    )
    repository.write({"models/lone/modular_lone.py": "class LoneLeaf:\n    size = 2\n"})
    assert run_step(repository, "Check", {"root": "inner"}).returncode == 0
    assert run_step(repository, "Check").returncode == 1


def run_install(repository, inputs):
    """Run the step that installs, with a `python` whose `pip` only prints."""
    python = repository.root.parent / "bin/python"
    python.parent.mkdir()
    # Only `pip` is not run: it prints its arguments.
    script = f"""#!/bin/sh
        if [ "$2" = -c ]; then exec {shlex.quote(sys.executable)} "$@"; fi
        printf "%s\\n" "$@"
        """
    python.write_text(script, encoding="utf-8")
    python.chmod(0o755)
    return run_step(repository, "Install modular", inputs, path=python.parent)


@pytest.mark.parametrize(
    ("inputs", "what"),
    [
        ({}, ["/action", "ruff"]),
        ({"version": "0.1.0"}, ["modular-models==0.1.0", "ruff"]),
        ({"ruff-version": "0.14.10"}, ["/action", "ruff==0.14.10"]),
    ],
)
def test_the_versions_that_are_asked_for_are_installed(repository, inputs, what):
    done = run_install(repository, inputs)
    assert done.stdout.splitlines() == [
        "-I",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        *what,
    ]


def test_the_ruff_that_the_project_pins_is_installed_unless_another_is_asked_for(
    repository,
):
    repository.write({"setup.py": '_deps = ["ruff==0.14.10"]\n'})
    assert run_install(repository, {}).stdout.endswith("\nruff==0.14.10\n")


def test_an_input_wins_over_the_ruff_that_the_project_pins(repository):
    repository.write({"setup.py": '_deps = ["ruff==0.14.10"]\n'})
    done = run_install(repository, {"ruff-version": "0.15.0"})
    assert "ruff==0.15.0" in done.stdout
    assert "0.14.10" not in done.stdout
