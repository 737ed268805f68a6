"""Checks generated files with upstream's command line; it does what `modular check` does.

    python utils/check_modular_conversion.py
    python utils/check_modular_conversion.py --files src/transformers/models/olmo2/modular_olmo2.py --fix_and_overwrite

Without files, only models are checked that the current branch can have affected since it left `main`; with `--check_all`,
all are. The exit code is 1 if a file differs and was not fixed.
"""

import argparse
import sys
from pathlib import Path

from modular.cli import upstream_scripts
from modular.git.repository import GitError, find_fork_point
from modular.project.opening import find_root


CHECKER_CONFIG = {
    "name": "modular_conversion",
    "label": "Modular conversion",
    "cache_globs": [
        "src/transformers/models/**/modular_*.py",
        "src/transformers/models/**/modeling_*.py",
    ],
    "check_args": [],
    "fix_args": ["--fix_and_overwrite"],
}
"""What `utils/checkers.py` of Hugging Face transformers reads, as a literal, to find and run this checker."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    found = argparse.ArgumentParser(
        description="Check that generated files are up to date."
    )
    what = f"Modular files, models' names, `{upstream_scripts.ALL}`, or `{upstream_scripts.EXAMPLES}`"
    found.add_argument(
        "--files",
        nargs="+",
        default=[upstream_scripts.ALL],
        metavar="FILE",
        help=f"{what}.",
    )
    found.add_argument(
        "--fix_and_overwrite", action="store_true", help="Write the files that differ."
    )
    found.add_argument(
        "--check_all",
        action="store_true",
        help="Check models that the branch does not affect, too.",
    )
    found.add_argument(
        "--num_workers",
        "-w",
        type=int,
        default=-1,
        help="Number of worker processes; -1: one per CPU.",
    )
    return found


def since() -> list[str]:
    """Return the option for the commit at which the branch left `main`; nothing, with a word why, if that is unknown."""
    try:
        return ["--since", find_fork_point(find_root(Path.cwd()))]
    except GitError as error:
        print(f"all models are checked: {error}", file=sys.stderr)
        return []


def main() -> None:
    """Check what the command line names."""
    arguments = parser().parse_args()
    fix = ["--fix", "--force"] if arguments.fix_and_overwrite else []
    narrowed = (
        since()
        if upstream_scripts.ALL in arguments.files and not arguments.check_all
        else []
    )
    upstream_scripts.run(
        "check", arguments.files, arguments.num_workers, *fix, *narrowed
    )


if __name__ == "__main__":
    main()
