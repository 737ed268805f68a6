"""Runs commands for the scripts in `utils/`, which have upstream's command lines."""

from collections.abc import Sequence
from pathlib import Path

from modular.cli.printing import echo
from modular.project.naming import MODULAR
from modular.project.opening import find_root, open_project
from modular.project.project import model_name
from modular.settings.settings import SettingsError


ALL = "all"
EXAMPLES = "examples"
_ONE_WORKER_PER_CPU = -1


def run(command: str, files: Sequence[str], workers: int, *options: str) -> None:
    """Run `modular convert` or `modular check` with the arguments of an older script.

    The scripts are `modular_model_converter.py` and `check_modular_conversion.py` of
    transformers. The process exits with the exit code of the command. If `examples` has
    no modular files, this function prints a message and returns.

    Args:
        command: `convert` or `check`.
        files: Paths, model names, `all`, or `examples`, which stands for all modular
            files below the folder of that name.
        workers: Number of worker processes; -1 means one per CPU.
        options: Further options of the command.
    """
    from modular.cli.main import main

    # Without targets, the command converts or checks all models.
    targets: list[str] = []
    if ALL not in files:
        for name in files:
            targets += _targets(name)
        if not targets:
            echo(f"no modular files below {EXAMPLES}/", err=True)
            return
    arguments = [command]
    if workers != _ONE_WORKER_PER_CPU:
        arguments += ["--jobs", str(workers)]
    main([*arguments, *options, "--", *targets])


def _targets(name: str) -> list[str]:
    """Return the targets of `modular convert` for an argument of upstream's scripts.

    Args:
        name: A path or the name of a model. `examples` stands for all modular files
            below the folder of that name. A model in this folder is found by its name.
    """
    root = find_root(Path.cwd())
    examples = sorted(str(path) for path in (root / EXAMPLES).rglob(f"{MODULAR}*.py"))
    if name == EXAMPLES:
        return examples
    try:
        modular_files = open_project(root).modular_files
    except SettingsError:
        return [name]  # The command reports the error.

    if any(model_name(path) == name for path in modular_files):
        return [name]
    examples_of_model = [path for path in examples if model_name(path) == name]
    return examples_of_model or [name]
