"""Blame of every sixth model of the corpus: where lines are said to come from, their words stand."""

import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from modular.conversion.converter import Converter
from modular.flatten.outputs import Renaming
from modular.project.opening import open_project
from modular.provenance.blame import Blame, BlamedLine, Blamer
from modular.run.engine import Engine
from modular.run.options import Options


pytestmark = pytest.mark.slow

EVERY_MODULAR = 6
"""One modular file in so many is converted and blamed."""

SHARE = 0.995
"""Of the lines that are not made, how many must share most of their tokens with their origin."""

REWRITTEN = re.compile(r"super\(\)\.|__all__ = |.*\) -> ")
"""Own lines that the rules change: explicit parent calls, exports, and headers with the parent's return annotation."""


@pytest.fixture(scope="module")
def blame_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder in which the origins of all lines are stored by `blames`."""
    return tmp_path_factory.mktemp("blames")


@pytest.fixture(scope="module")
def blames(corpus: Path, blame_cache: Path) -> list[Blame]:
    """Convert models, as nothing is stored yet, and return the origins of the lines."""
    project = open_project(corpus)
    modular_files = project.modular_files[::EVERY_MODULAR]
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("MODULAR_CACHE_DIR", str(blame_cache))
        blamer = Blamer(Engine(project, Options()))
        blamer.engine.run(modular_files)
        found = [
            blame
            for modular in modular_files
            for blame in blamer.blame_model(modular).values()
        ]
    assert [
        diagnostic
        for modular in modular_files
        for diagnostic in blamer.diagnostics(modular)
        if diagnostic.is_error
    ] == []
    return found


class Sources:
    """The lines of the source files, and their words in a row."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._lines: dict[str, list[str]] = {}
        self._words: dict[str, str] = {}

    def line(self, blamed: BlamedLine) -> str:
        return self.lines(str(blamed.path))[int(blamed.origin_line or 0) - 1]

    def lines(self, path: str) -> list[str]:
        if path not in self._lines:
            self._lines[path] = (
                (self.root / path).read_text(encoding="utf-8").split("\n")
            )
        return self._lines[path]

    def has_words(self, path: str, words: str) -> bool:
        if path not in self._words:
            self._words[path] = in_a_row("\n".join(self.lines(path)))
        return words in self._words[path]


def in_a_row(text: str) -> str:
    return " ".join(["", *re.findall(r"\w+", text), ""])


def tokens(line: str, renamed: Renaming | None = None) -> Counter[str]:
    """The words and signs of a line, without regard to case, underscores and kinds of quotes, the names exchanged."""
    found = (
        word.lower().replace("_", "").replace("'", '"')
        for word in re.findall(r"\w+|[^\w\s]", line)
    )
    if renamed is None:
        return Counter(found)
    old, new = (name.replace("_", "") for name in (renamed.old, renamed.new))
    return Counter(line.replace(old, new) for line in found)


def shares_most(line: str, source: str, renamed: Renaming | None) -> bool:
    """A blank line must come from a blank one."""
    ours = tokens(line)
    return ours.total() < 2 * (ours & tokens(source, renamed)).total() or not (
        line.strip() or source.strip()
    )


def lines(blames: list[Blame]) -> Iterator[tuple[Blame, BlamedLine, str]]:
    for blame in blames:
        for line, text in zip(blame.lines, blame.texts, strict=True):
            yield blame, line, text


def test_every_line_of_every_file_is_blamed(corpus: Path, blames: list[Blame]) -> None:
    assert len(blames) > 100
    for blame in blames:
        assert blame.text == (corpus / blame.path).read_text(encoding="utf-8"), (
            blame.path
        )
        assert [line.line for line in blame.lines] == list(
            range(1, blame.text.count("\n") + 1)
        )


def test_lines_share_most_of_their_tokens_with_their_origin(
    corpus: Path, blames: list[Blame]
) -> None:
    sources = Sources(corpus)
    come_from = [
        (line, text) for _, line, text in lines(blames) if line.kind.value != "made"
    ]
    different = [
        f"{line} {text}"
        for line, text in come_from
        if not shares_most(text, sources.line(line), line.renamed)
    ]
    assert len(come_from) > 50_000
    assert len(different) <= (1 - SHARE) * len(come_from), different[:20]


def test_own_lines_are_literally_in_the_modular_file(
    corpus: Path, blames: list[Blame]
) -> None:
    """But for what the formatter does, which changes blanks, line ends, brackets and quotes, and no word."""
    sources = Sources(corpus)
    own = [
        (blame, line, text)
        for blame, line, text in lines(blames)
        if line.kind.value == "own"
    ]
    assert len(own) > 20_000
    other = [
        f"{blame.path}:{line.line} {text}"
        for blame, line, text in own
        if re.search(r"\w", text)
        and not sources.has_words(blame.modular, in_a_row(text))
        and not REWRITTEN.search(text)
    ]
    assert other == []
    assert {line.path == blame.modular for blame, line, _ in own} == {True}


def test_stored_origins_are_those_of_a_fresh_conversion(
    corpus: Path,
    blames: list[Blame],
    blame_cache: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chooser = random.Random(40)
    fresh_lines = [
        (blame, line) for blame, line, _ in lines(chooser.sample(blames, 40))
    ]
    sample = chooser.sample(fresh_lines, 200)

    monkeypatch.setenv("MODULAR_CACHE_DIR", str(blame_cache))
    project = open_project(corpus)
    modulars = sorted({blame.modular for blame, _ in sample})
    first = Blamer(Engine(project))
    first.engine.run(modulars)
    for modular in modulars:
        first.origins(modular)

    monkeypatch.delattr(Converter, "convert")  # All that follows is in the cache.
    stored = Blamer(Engine(project))
    for blame, line in sample:
        assert stored.blame_file(blame.path).line(line.line) == line
        assert stored.blame_file(blame.path).text == blame.text


def test_little_is_made(blames: list[Blame]) -> None:
    """The banner, imports of a model's own files, guards that the converter writes, and `pass`."""
    made = {
        text.strip()
        for _, line, text in lines(blames)
        if line.kind.value == "made" and line.line > 6 and text
    }
    expected = re.compile(r"pass|if is_\w+\(\):|from \.\w+ import .*|\w+,|\)")
    assert [text for text in sorted(made) if not expected.fullmatch(text)] == []
