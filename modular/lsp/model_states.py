"""What the modular files of a project convert to, cached until something that they depend on changes."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from modular.conversion.conversion import Conversion
from modular.conversion.converter import Converter
from modular.flatten.formatted import Formatted, Undefined
from modular.format import formatting
from modular.project.project import Project
from modular.source.diagnostics import Diagnostic, Problem, has_errors
from modular.source.half_typed import blank_unreadable_statements
from modular.system.errors import ModularError


_UNREADABLE = frozenset(
    {
        Problem.SYNTAX_ERROR,
        Problem.TOO_DEEP,
        Problem.EMPTY_FILE,
        Problem.NOT_UTF8,
        Problem.TOO_LARGE,
    }
)
"""Problems of a file that is half typed: nothing else can be said of it."""

_FORMATTER_ERRORS = (ModularError, OSError)
"""What is raised where there is no formatter, its settings are wrong, or there is no room for its files."""

_Stamp = tuple[int, int]
"""Time of change and size of a file."""


@dataclass
class ModelState:
    """What came of a modular file.

    ``latest`` is the conversion of its current text; ``good`` the last one that gave files, and ``readable`` its text when
    it last was Python. ``undefined`` are the undefined names in the files of ``latest`` and ``formatted`` the files of
    ``good``, both None until they are asked for.
    """

    latest: Conversion
    diagnostics: list[Diagnostic]
    good: Conversion
    readable: str
    undefined: tuple[Undefined, ...] | None = None
    formatted: Formatted | None = None

    @property
    def is_good(self) -> bool:
        """Whether the current text converts without errors."""
        return self.latest is self.good and bool(self.good.texts)


@dataclass
class ModelStates:
    """The states by modular file. A file that has changed on disk is read again when its state is asked for.

    ``converted`` is called with the path of each modular file that was converted, unless it is half typed.
    """

    project: Project
    converter: Converter
    converted: Callable[[str], None] = lambda path: None
    _states: dict[str, ModelState] = field(default_factory=dict)
    _outdated: set[str] = field(default_factory=set)
    _stamps: dict[str, _Stamp | None] = field(default_factory=dict)

    def refresh(self, path: str, text: str | None) -> None:
        """Take a new text for a file; None: what is on disk now."""
        self.converter.refresh(path, text)
        self._stamps.pop(path, None)
        for modular, state in self._states.items():
            if path == modular or path in state.latest.reads:
                self._outdated.add(modular)

    def last(self, modular: str) -> ModelState | None:
        """Return the last state, which may be outdated, if there is one."""
        return self._states.get(modular)

    def forget(self, modular: str) -> None:
        """Free the memory of a state."""
        self._states.pop(modular, None)
        self._outdated.discard(modular)

    def current(self, modular: str) -> ModelState:
        """Return the state of a modular file, converted again if it is outdated."""
        state = self._states.get(modular)
        if state is not None:
            self._check_disk(modular, state)
        if state is None or modular in self._outdated:
            state = self._convert(modular, state)
        return state

    def with_undefined(self, modular: str) -> ModelState:
        """Return the state with the undefined names among its diagnostics; without ruff the others are still true."""
        state = self.current(modular)
        if state.undefined is None:
            with suppress(*_FORMATTER_ERRORS):
                state.undefined = formatting.find_undefined(
                    state.latest.texts, self.project.root
                )
            if state.undefined:
                state.diagnostics = list(
                    self.converter.diagnose(
                        state.latest, Formatted({}, (), state.undefined)
                    )
                )
        return state

    def with_formatted(self, modular: str) -> ModelState:
        """Return the state with its files formatted; as they are without a formatter."""
        state = self.current(modular)
        if state.formatted is None:
            with suppress(*_FORMATTER_ERRORS):
                self._format(modular, state)
        return state

    def _format(self, modular: str, state: ModelState) -> None:
        texts = {
            path: text.replace("\n", state.good.newline)
            for path, text in state.good.texts.items()
        }
        state.formatted = formatting.format_texts(
            texts, self.project.root, self.project.settings.formatter
        )
        if state.is_good and not state.formatted.complaints.isdisjoint(texts):
            state.diagnostics = list(
                self.converter.diagnose(state.latest, state.formatted)
            )

    def _convert(self, modular: str, before: ModelState | None) -> ModelState:
        self._outdated.discard(modular)
        latest = self.converter.convert(modular)
        for path in (modular, *latest.reads):
            if path not in self._stamps:
                self._stamps[path] = _stamp(self.project.locate(path))
        state = ModelState(
            latest, list(latest.diagnostics), latest, self.converter.load(modular).text
        )
        is_unreadable = _is_unreadable(latest)
        if before is not None and has_errors(latest.diagnostics):
            state.good, state.formatted = before.good, before.formatted
            if is_unreadable:
                state.diagnostics = [
                    *latest.diagnostics,
                    *_unmoved(before.diagnostics, state.readable),
                ]
                state.readable = before.readable
        elif is_unreadable:
            state.readable = blank_unreadable_statements(
                state.readable, modular, keep_headers=True
            )
        elif before is not None and before.good.texts == latest.texts:
            state.formatted = before.formatted
        self._states[modular] = state
        if not is_unreadable:
            self.converted(modular)
        return state

    def _check_disk(self, modular: str, state: ModelState) -> None:
        """Note which of the files that a model was converted from have changed on disk."""
        for path in (modular, *state.latest.reads):
            if path not in self.converter.overlay and self._stamps.get(path) != _stamp(
                self.project.locate(path)
            ):
                self.refresh(path, None)


def _stamp(file: Path) -> _Stamp | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _is_unreadable(conversion: Conversion) -> bool:
    own = (
        diagnostic
        for diagnostic in conversion.diagnostics
        if diagnostic.place.path == conversion.modular
    )
    return any(diagnostic.code in _UNREADABLE for diagnostic in own)


def _unmoved(diagnostics: list[Diagnostic], text: str) -> list[Diagnostic]:
    """Return those diagnostics whose lines are the same in a text that is no Python for the moment."""
    lines = text.split("\n")
    rest = (
        diagnostic for diagnostic in diagnostics if diagnostic.code not in _UNREADABLE
    )
    return [
        diagnostic
        for diagnostic in rest
        if [diagnostic.place.text] == lines[diagnostic.place.line - 1 :][:1]
    ]
