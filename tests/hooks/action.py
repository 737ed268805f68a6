"""The GitHub action and the hooks as values, and a step of the action run as a runner does."""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import yaml

from modular.cli.main import main
from tests.repository import Repository


ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
EXPRESSION = re.compile(r"\$\{\{ (.*?) \}\}")
_CALL = re.compile(r"\bmodular (\w+)")
_OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")


def run_step(
    repository: Repository,
    name: str,
    inputs: Mapping[str, str] | None = None,
    path: Path | None = None,
    variables: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run the script of a step as a runner does: in bash, with the values of the inputs in its variables."""
    values = {
        f"inputs.{key}": str(value["default"])
        for key, value in ACTION["inputs"].items()
    }
    values |= {f"inputs.{key}": value for key, value in (inputs or {}).items()}
    values |= {
        "github.action_path": "/action",
        "runner.temp": str(repository.root.parent),
    }
    step = STEPS[name]
    given = {
        key: EXPRESSION.sub(lambda match: values[match[1]], text)
        for key, text in step["env"].items()
    }
    variables = {**given, **(variables or {})}
    if path is not None:
        variables["PATH"] = f"{path}:/usr/bin:/bin"
    return repository.run(
        ["bash", "-eo", "pipefail", "-c", step["run"]], variables=variables
    )


def called(script: str) -> str | None:
    """Return the command that a script calls, if it calls one; that and its options must be there."""
    match = _CALL.search(script)
    if match is None:
        return None
    context = main.make_context("modular", [], resilient_parsing=True)
    command = main.get_command(context, match[1])
    assert command is not None, script
    known = {name for parameter in command.params for name in parameter.opts}
    assert set(_OPTION.findall(script)) <= known, script
    return match[1]
