"""What the scripts in `utils/` share: how upstream names modular files, and the call of our command line."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from modular.cli.printing import echo
from modular.project.naming import MODULAR
from modular.project.opening import find_root, open_project
from modular.project.project import model_name
from modular.settings.settings import SettingsError


ALL = "all"
EXAMPLES = "examples"
_ALL_PROCESSORS = -1


def run(command: str, files: Sequence[str], workers: int, *options: str) -> None:
    """Run `modular convert` or `modular check` for files as upstream names them, and leave with its exit code.

    Each of ``files`` is a path, a model's name, `all`, or `examples`: all modular files below the folder of that name.
    ``workers`` -1 means one for each processor.
    """
    from modular.cli.main import main

    targets = (
        [] if ALL in files else [target for name in files for target in _targets(name)]
    )
    if not targets and ALL not in files:
        echo(f"no modular files below {EXAMPLES}/", err=True)
        return
    jobs = [] if workers == _ALL_PROCESSORS else ["--jobs", str(workers)]
    main([command, *jobs, *options, "--", *targets])


def _targets(name: str) -> list[str]:
    """The targets of our own command line. A name that is not a model's may be an example's."""
    root = find_root(Path.cwd())
    examples = sorted(str(path) for path in (root / EXAMPLES).rglob(f"{MODULAR}*.py"))
    if name == EXAMPLES:
        return examples
    with suppress(SettingsError):  # the command tells it
        if name not in map(model_name, open_project(root).modular_files):
            return [path for path in examples if model_name(path) == name] or [name]
    return [name]
