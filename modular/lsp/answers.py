"""What comes of the modular files of a project, kept until something that it depends on changes."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from modular.conversion.conversion import Conversion
from modular.conversion.converter import Converter
from modular.flatten.formatted import Formatted, Undefined
from modular.format import formatting
from modular.project.project import Project
from modular.rules.settings import SettingsError
from modular.run.kept_mirror import KeptMirror
from modular.source.diagnostics import Diagnostic, Problem, has_errors
from modular.source.ruff import FormatterError


_BROKEN = frozenset({Problem.SYNTAX_ERROR, Problem.TOO_DEEP, Problem.EMPTY_FILE, Problem.NOT_UTF8, Problem.TOO_LARGE})
"""What is wrong with a file that is being typed: it says nothing about the rest of it."""

_Stamp = tuple[int, int]
"""When a file was changed, and how long it is."""


@dataclass
class Answer:
    """What came of a modular file.

    ``latest`` is the conversion of what it says now; ``good`` the last one that gave files, and ``readable`` what it said
    when it last was Python. ``formatted`` is what the formatter made of the files, once it was asked.
    """

    latest: Conversion
    diagnostics: list[Diagnostic]
    good: Conversion
    readable: str
    formatted: Formatted | None = None

    @property
    def is_good(self) -> bool:
        """Whether there are no errors now."""
        return self.latest is self.good and bool(self.good.texts)


@dataclass
class Answers:
    """The answers by modular file. Files on disk are looked at again when they have changed.

    ``converted`` is called with each modular file that was converted, unless it is half typed.
    """

    project: Project
    converter: Converter
    mirror: KeptMirror
    converted: Callable[[str], None]
    _known: dict[str, Answer] = field(default_factory=dict)
    _outdated: set[str] = field(default_factory=set)
    _stamps: dict[str, _Stamp | None] = field(default_factory=dict)
    _undefined: dict[str, tuple[str, tuple[Undefined, ...]]] = field(default_factory=dict)

    def refresh(self, path: str, text: str | None) -> None:
        """Take a fresh text for a file; None: what is on disk now."""
        self.converter.refresh(path, text)
        self._stamps.pop(path, None)
        for modular, answer in self._known.items():
            if path == modular or path in answer.latest.reads:
                self._outdated.add(modular)

    def known(self, modular: str) -> Answer | None:
        """Return the last answer, which may be outdated, if there is one."""
        return self._known.get(modular)

    def of(self, modular: str) -> Answer:
        """Return what comes of a modular file now."""
        answer = self._known.get(modular)
        if answer is not None:
            self._look_at_disk(modular, answer)
        if answer is None or modular in self._outdated:
            answer = self._converted(modular, answer)
        return answer

    def look_for_undefined(self, modular: str) -> Answer:
        """Return the answer with the names that its files use but do not define. Raises FormatterError without ruff."""
        answer = self.of(modular)
        texts = answer.latest.texts
        new = {path: text for path, text in texts.items() if self._undefined.get(path, ("",))[0] != text}
        if new:
            found = self._find_undefined(new)
            for path, text in new.items():
                self._undefined[path] = (text, tuple(each for each in found if each.path == path))
        undefined = tuple(each for path in texts for each in self._undefined[path][1])
        if undefined:
            answer.diagnostics = self.converter.diagnose(modular, Formatted({}, (), undefined))
        return answer

    def _find_undefined(self, texts: Mapping[str, str]) -> tuple[Undefined, ...]:
        with _as_formatter_error():
            return formatting.find_undefined_in(self.mirror.hold(texts), texts)

    def formatted(self, modular: str) -> Answer:
        """Return the answer with its files formatted. Raises FormatterError without a formatter."""
        answer = self.of(modular)
        if answer.formatted is None:
            texts = {path: text.replace("\n", answer.good.newline) for path, text in answer.good.texts.items()}
            with _as_formatter_error():
                answer.formatted = formatting.format_texts(texts, self.project.root, self.project.settings.formatter)
            if answer.is_good and not answer.formatted.complaints.isdisjoint(texts):
                answer.diagnostics = self.converter.diagnose(modular, answer.formatted)
        return answer

    def trim(self, modular: str) -> None:
        """Keep of a model's files no more than is needed: many models that are not open would take much memory."""
        if (answer := self._known.get(modular)) is not None:
            is_good = answer.is_good
            answer.latest = answer.latest.packed()
            answer.good = answer.latest if is_good else answer.good.packed()

    def _converted(self, modular: str, before: Answer | None) -> Answer:
        self._outdated.discard(modular)
        latest = self.converter.convert(modular)
        self._note_stamps((modular, *latest.reads))
        answer = Answer(latest, latest.diagnostics, latest, self.converter.load(modular).text)
        is_broken = _is_broken(latest)
        if before is not None and has_errors(latest.diagnostics):
            answer.good, answer.formatted = before.good, before.formatted
            if is_broken:
                answer.diagnostics = [*latest.diagnostics, *_still_there(before.diagnostics, answer.readable)]
                answer.readable = before.readable
        elif before is not None and before.good.texts == latest.texts:
            answer.formatted = before.formatted
        self._known[modular] = answer
        if not is_broken:
            self.converted(modular)
        return answer

    def _look_at_disk(self, modular: str, answer: Answer) -> None:
        """Note which of the files that a model was made from have changed on disk."""
        for path in (modular, *answer.latest.reads):
            if path not in self.converter.overlay and self._stamps.get(path) != _stamp(self.project.locate(path)):
                self.refresh(path, None)

    def _note_stamps(self, paths: tuple[str, ...]) -> None:
        for path in paths:
            if path not in self._stamps:
                self._stamps[path] = _stamp(self.project.locate(path))


@contextmanager
def _as_formatter_error() -> Iterator[None]:
    """Where the formatter's settings are wrong, or there is no room for its files, it cannot be run."""
    try:
        yield
    except (OSError, SettingsError) as error:
        raise FormatterError(str(error)) from error


def _stamp(place: Path) -> _Stamp | None:
    try:
        status = place.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _is_broken(conversion: Conversion) -> bool:
    found = (each for each in conversion.diagnostics if each.place.path == conversion.modular)
    return any(each.code in _BROKEN for each in found)


def _still_there(diagnostics: list[Diagnostic], text: str) -> list[Diagnostic]:
    """Return those diagnostics whose lines a text, which is no Python for the moment, has as they were."""
    lines = text.split("\n")
    rest = [each for each in diagnostics if each.code not in _BROKEN]
    return [each for each in rest if lines[each.place.line - 1 : each.place.line] == [each.place.text]]
