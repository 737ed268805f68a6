"""Converts modular files with upstream's command line; it does what `modular convert` does.

    python utils/modular_model_converter.py olmo2
    python utils/modular_model_converter.py --files-to-parse src/transformers/models/olmo2/modular_olmo2.py
    python utils/modular_model_converter.py all

Run it anywhere in the project whose models it is to convert, in an environment with `modular` installed. The exit code is
0 if all was converted.
"""

import argparse

from modular.cli import upstream_scripts


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    found = argparse.ArgumentParser(
        description="Flatten modular files into single-file model code."
    )
    what = f"Models' names, modular files, `{upstream_scripts.ALL}`, or `{upstream_scripts.EXAMPLES}`"
    found.add_argument(
        "files", nargs="*", help=f"{what} (the default: `{upstream_scripts.ALL}`)."
    )
    names = ("--files-to-parse", "--files_to_parse", "--files", "-f")
    found.add_argument(
        *names,
        nargs="+",
        default=[],
        dest="files_to_parse",
        metavar="FILE",
        help="The same.",
    )
    found.add_argument(
        "--num_workers",
        "-w",
        type=int,
        default=-1,
        help="Number of worker processes; -1: one per CPU.",
    )
    found.add_argument(
        "--source-library",
        help="Library that provides the parent models (package name or path).",
    )
    return found


def main() -> None:
    """Convert what the command line names."""
    arguments = parser().parse_args()
    files = [*arguments.files, *arguments.files_to_parse] or [upstream_scripts.ALL]
    library = (
        []
        if arguments.source_library is None
        else ["--source-library", arguments.source_library]
    )
    upstream_scripts.run("convert", files, arguments.num_workers, *library)


if __name__ == "__main__":
    main()
