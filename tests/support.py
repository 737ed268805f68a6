"""Small projects for tests: a few files written into a folder and converted."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from modular.conversion import Converter
from modular.diagnostics import Diagnostic, by_place, has_errors
from modular.formatting import format_texts
from modular.project import Project, open_project

PYPROJECT = """
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

[tool.modular]
formatter = "{formatter}"

[tool.modular.banner]
text = ""
"""


@dataclass(frozen=True)
class Converted:
    """What came of a small project: the text of each generated file by path, without banner, and what was reported."""

    files: Mapping[str, str]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def only(self) -> str:
        """The text of the only file."""
        assert len(self.files) == 1, (sorted(self.files), self.messages)
        return next(iter(self.files.values()))

    @property
    def messages(self) -> list[str]:
        """Every diagnostic as its code, line and message."""
        return [f"{each.code.id} line {each.place.line}: {each.message}" for each in self.diagnostics]


def source(text: str) -> str:
    """Return a source written as an indented literal: less its indent and the line end that it begins with."""
    return dedent(text).removeprefix("\n")


def write_project(root: Path, files: Mapping[str, str | bytes], formatter: str = "ruff") -> Project:
    """Write files into a folder that is a project: with settings, unless there are some among the files."""
    for path, text in {"pyproject.toml": PYPROJECT.replace("{formatter}", formatter), **files}.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())
    return open_project(root)


def convert(root: Path, files: Mapping[str, str | bytes], formatter: str = "ruff") -> Converted:
    """Convert all modular files of a small project, in the order of their paths."""
    project = write_project(root, files, formatter)
    texts: dict[str, str] = {}
    found: list[Diagnostic] = []
    converter = Converter(project, texts)
    for modular in project.modular_files:
        conversion = converter.convert(modular)
        found += conversion.diagnostics
        if not has_errors(conversion.diagnostics):
            texts.update({each.path: each.text for each in conversion.files})
    formatted = format_texts(texts, project.root, project.settings.formatter)
    assert not formatted.failures, formatted.failures
    return Converted(formatted.texts, tuple(by_place(found)))
