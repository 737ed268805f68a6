"""A file that is typed is converted with what is known of its older texts: what comes out is the same as without."""

from pathlib import Path

import pytest

from modular.conversion.conversion import Conversion
from modular.conversion.converter import Converter
from modular.conversion.memory import Memory
from modular.project.opening import open_project
from tests.lsp.texts import FILES, LLAMA, OLMO
from tests.support import write_project


ROOT = Path(__file__).resolve().parents[2]
MODULARS = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "models").glob("*/modular_*.py"))


def what_came(conversion: Conversion) -> tuple[object, ...]:
    lines = [[part.code.origin for each in file.statements for part in each.parts] for file in conversion.files]
    return conversion.texts, conversion.diagnostics, conversion.reads, lines


@pytest.mark.parametrize("modular", MODULARS)
def test_texts_that_lose_a_line_and_get_it_back(modular: str) -> None:
    project = open_project(ROOT)
    text = (ROOT / modular).read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    typed = Converter(project, {}, memory=Memory())
    for number in range(3, len(lines), max(1, len(lines) // 12)):
        for each in ("".join(lines[:number] + lines[number + 1 :]), text):
            typed.refresh(modular, each)
            assert what_came(typed.convert(modular)) == what_came(Converter(project, {modular: each}).convert(modular))


@pytest.mark.parametrize(
    "typed",
    [
        FILES[OLMO].replace("x + 1", "x + 2"),
        FILES[OLMO].replace("x + 1", "(x + 1"),
        FILES[OLMO].replace("x + 1", "'''"),
        FILES[OLMO].replace("class OlmoMLP", "class OlmoFeedForward"),
        FILES[OLMO].replace("class OlmoMLP", "\nclass OlmoMLP"),
        FILES[OLMO].replace("from torch import nn\n", "if True:\n"),
        FILES[OLMO].replace("class OlmoMLP", "else:\n    pass\nclass OlmoMLP"),
        FILES[OLMO] + "    return 1\n",
        FILES[OLMO] + "  return 1\n",
        FILES[OLMO] + "return = 1\n",
        FILES[OLMO] + ")\n",
        FILES[OLMO] + '"""\n',
    ],
)
def test_texts_between_which_little_differs(tmp_path: Path, typed: str) -> None:
    write_project(tmp_path, FILES)
    project = open_project(tmp_path)
    converter = Converter(project, {}, memory=Memory())
    for text in (FILES[OLMO], typed, FILES[OLMO], typed):
        converter.refresh(OLMO, text)
        assert what_came(converter.convert(OLMO)) == what_came(Converter(project, {OLMO: text}).convert(OLMO))


def test_a_parent_that_changes(tmp_path: Path) -> None:
    write_project(tmp_path, FILES)
    project = open_project(tmp_path)
    converter = Converter(project, {}, memory=Memory())
    converter.convert(OLMO)
    converter.refresh(LLAMA, FILES[LLAMA].replace("return self.up_proj(x)", "return x"))
    assert converter.convert(OLMO).texts["models/olmo/modeling_olmo.py"].endswith("x = x + 1\n        return x\n")
