"""T, the unit of the benchmark: the CPU time of `ast.parse` for some files. Run as a program, with their names as input.

Each tree is dropped before the next is made. Reading the files does not count.
"""

import ast
import sys
import time
from collections.abc import Iterable
from pathlib import Path


def parse_time(texts: Iterable[str]) -> float:
    """Return the CPU seconds that parsing takes."""
    started = time.process_time()
    for text in texts:
        ast.parse(text)
    return time.process_time() - started


if __name__ == "__main__":
    print(
        parse_time(
            [
                Path(line).read_text(encoding="utf-8")
                for line in sys.stdin.read().splitlines()
            ]
        )
    )
