"""Small projects for tests: a few files written into a folder and converted."""

import json
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Protocol

from modular.run import api
from modular.source.diagnostics import Diagnostic


FORMATTING = """
[tool.modular.banner]
text = ""

[tool.ruff]
target-version = "py311"
line-length = 119

[tool.ruff.lint]
preview = true
explicit-preview-rules = true
select = ["E", "F", "I", "W", "UP", "FURB", "SIM", "C4", "C901", "RUF013", "PIE794"]
ignore = ["E501", "E741", "SIM1", "SIM905", "UP015", "UP031"]
extend-safe-fixes = ["UP006"]

[tool.ruff.lint.isort]
lines-after-imports = 2
known-first-party = ["transformers"]
"""
"""The ruff settings of the field, and no banner."""


@dataclass(frozen=True)
class Converted:
    """What came of a small project: the text of each generated file by path, without banner, and what was reported.

    The texts are also there if a lint finding is an error, so that the files were not written.
    """

    files: Mapping[str, str]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def only(self) -> str:
        """The text of the only file."""
        assert len(self.files) == 1, (sorted(self.files), self.messages)
        return next(iter(self.files.values()))

    @property
    def codes(self) -> list[tuple[str, int]]:
        """The code and the line of every diagnostic."""
        return [
            (diagnostic.code.id, diagnostic.place.line)
            for diagnostic in self.diagnostics
        ]

    @property
    def messages(self) -> list[str]:
        """Every diagnostic as its code, line and message."""
        return [
            f"{diagnostic.code.id} line {diagnostic.place.line}: {diagnostic.message}"
            for diagnostic in self.diagnostics
        ]


def source(text: str) -> str:
    """Return a source written as an indented literal: less its indent and the line end that it begins with."""
    return dedent(text).removeprefix("\n")


def write_project(
    root: Path, files: Mapping[str, str | bytes], formatter: str = "ruff"
) -> None:
    """Write files into a folder that is a project. Settings among them, a table `[tool.modular]`, are completed.

    Without a package of its own, the project counts as transformers.
    """
    settings = files.get(
        "pyproject.toml", f'[tool.modular]\nformatter = "{formatter}"\n'
    )
    assert isinstance(settings, str)
    if not any(key in settings for key in ("package", "preset", "inheritance")):
        preset = '[tool.modular]\npreset = "transformers"'
        settings = settings.replace("[tool.modular]", preset, 1)
    for path, text in {**files, "pyproject.toml": settings + FORMATTING}.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())


def convert(
    root: Path, files: Mapping[str, str | bytes], formatter: str = "ruff"
) -> Converted:
    """Convert all modular files of a small project."""
    write_project(root, files, formatter)
    report = api.convert(options=api.Options(root=root, jobs=1, cache=False, info=True))
    texts: dict[str, str] = {}
    for modular in sorted({file.modular for file in report.files}):
        texts.update(report.results[modular].texts)
    return Converted(texts, report.diagnostics)


def loaded(folder: Path, arguments: Sequence[str], modules: Collection[str]) -> str:
    """Run the command line in a folder, in a process of its own; say which of some modules it has loaded, as a list."""
    code = (
        "import sys\n"
        "from modular.cli.main import main\n"
        "try:\n"
        f"    main({[*arguments]!r})\n"
        "except SystemExit:\n"
        f"    print(sorted({set(modules)!r} & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True
    )
    return done.stderr.strip()


class Printed(Protocol):
    """What a command printed, in this process or in another one."""

    @property
    def stdout(self) -> str: ...


def statuses(done: Printed) -> dict[str, str]:
    """The status of each file in a report as JSON, by path."""
    return {file["path"]: file["status"] for file in json.loads(done.stdout)["files"]}
