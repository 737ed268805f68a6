"""Walks through a page as a reader would: writes its files and types its commands, in one shell in an empty folder.

A block below "Write `path`:" is written there, one below "Given `path`:" or "The parent, `path`:" too, its folder included,
and one below "Add to `path`:" is put at the end of that file. A block below "`path` contains:" must stand in that file. In a
`console` block the lines that begin with `$ ` are typed, and what follows each must be what it prints. A line of three dots
stands for any lines. A command must succeed, unless the next one shows its exit code with `echo $?`. What a reader need not
see is in a comment of HTML.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tests.docs.markdown import Block


_GIVEN = re.compile(r"(?:.*[.;] )?(?:Given|and|The|Its) [^`]*`(?P<path>[^`]+)`:")
_WRITE = re.compile(r"(?:.*[.;] )?(?:Write|Replace) [^`]*`(?P<path>[^`]+)`(?: with)?:")
_ADD = re.compile(r"(?:.*\. )?Add to `(?P<path>[^`]+)`:")
_HOLDS = re.compile(r".*`(?P<path>[^`]+)`(?: now)? contains:")
_PROMPT = "$ "
_CODE = "echo $?"
_END = "--- end of step"


@dataclass(frozen=True, slots=True)
class Step:
    """Something to do: the shell's text, what must be seen then (None: anything), and where the page says so."""

    script: str
    expected: str | None
    place: str
    is_excerpt: bool = False
    may_fail: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """What a step printed, and its exit code."""

    text: str
    code: int


def steps(blocks: Iterable[Block]) -> list[Step]:
    """Return what there is to do in a page's blocks."""
    return [step for block in blocks for step in _steps(block)]


def is_step(block: Block) -> bool:
    """Whether a block is part of the walk."""
    return block.language == "console" or any(
        pattern.fullmatch(block.lead) for pattern in (_GIVEN, _WRITE, _ADD, _HOLDS)
    )


def _steps(block: Block) -> Iterator[Step]:
    if block.language == "console":
        yield from _commands(block)
    elif match := _HOLDS.fullmatch(block.lead):
        yield Step(f"cat '{match['path']}'", block.text, block.place, is_excerpt=True)
    elif match := _ADD.fullmatch(block.lead):
        yield Step(_here(f">> '{match['path']}'", block.text), "", block.place)
    elif match := _GIVEN.fullmatch(block.lead):
        yield Step(f"mkdir -p '{PurePosixPath(match['path']).parent}'", "", block.place)
        yield Step(_here(f"> '{match['path']}'", block.text), "", block.place)
    elif match := _WRITE.fullmatch(block.lead):
        yield Step(_here(f"> '{match['path']}'", block.text), "", block.place)


def _here(target: str, text: str) -> str:
    return f"cat {target} <<'END OF FILE'\n{text}END OF FILE"


def _commands(block: Block) -> Iterator[Step]:
    lines = block.text.splitlines(keepends=True)
    assert lines[0].startswith(_PROMPT), f"{block.place}: no command"
    starts = [index for index, line in enumerate(lines) if line.startswith(_PROMPT)]
    for number, (start, end) in enumerate(
        zip(starts, [*starts[1:], len(lines)], strict=True)
    ):
        middle = start + 1
        while lines[middle - 1].endswith("\\\n"):
            middle += 1
        following = (
            lines[end].removeprefix(_PROMPT).strip() if number + 1 < len(starts) else ""
        )
        script = "".join(lines[start:middle]).removeprefix(_PROMPT).rstrip()
        yield Step(
            script,
            "".join(lines[middle:end]),
            f"{block.place} `{script}`",
            may_fail=following == _CODE,
        )


def walk(given: Iterable[Step], folder: Path) -> Iterator[tuple[Step, Seen]]:
    """Do the steps in a folder, in one shell, and return each with what was seen."""
    todo = list(given)
    script = "".join(
        f"(exit $code)\n{step.script}\ncode=$?\necho; echo '{_END}' $code\n"
        for step in todo
    )
    done = subprocess.run(
        ["bash", "-c", f"exec 2>&1\ncode=0\n{script}"],
        cwd=folder,
        env=environment(folder),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    parts = re.split(rf"\n{_END} (\d+)\n", done.stdout)
    assert len(parts) == 2 * len(todo) + 1, done.stdout[-2000:] + done.stderr
    for step, text, code in zip(todo, parts[::2], parts[1::2], strict=False):
        yield step, Seen(text, int(code))


def environment(folder: Path) -> dict[str, str]:
    """Return the variables of a shell that sees the commands of this environment, and no settings of its user."""
    scripts = str(Path(sys.executable).parent)
    people = {
        f"GIT_{role}_{what}": "reader@example.org"
        for role in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    return {
        "PATH": os.pathsep.join([scripts, os.environ["PATH"]]),
        "HOME": str(folder.parent),
        "MODULAR_CACHE_DIR": str(folder.parent / f"{folder.name}-cache"),
        "COLUMNS": "120",
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        **people,
    }


def agrees(step: Step, seen: Seen) -> bool:
    """Whether what was seen is what the page shows."""
    if seen.code and not step.may_fail:
        return False
    if step.expected is None:
        return True
    parts = re.split(r"^\.\.\.\n", step.expected, flags=re.MULTILINE)
    pattern = r"(?:.*\n)*?".join(re.escape(part) for part in parts)
    around = r"(?:.*\n)*?" if step.is_excerpt else ""
    return re.fullmatch(around + pattern + around, seen.text) is not None
