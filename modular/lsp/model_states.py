"""Caches what modular files convert to, until a file that they depend on changes."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from modular.conversion.conversion import Conversion
from modular.conversion.converter import Converter
from modular.flatten.formatted import Formatted, Undefined
from modular.format import formatting
from modular.project.project import Project
from modular.source.diagnostics import Diagnostic, Problem, prevents_conversion
from modular.system.errors import ModularError
from modular.system.steps import Result, Work


_UNREADABLE = frozenset(
    {
        Problem.SYNTAX_ERROR,
        Problem.TOO_DEEP,
        Problem.EMPTY_FILE,
        Problem.NOT_UTF8,
        Problem.TOO_LARGE,
    }
)
"""Problems of a file whose statements cannot be read, as while it is typed."""

_FORMATTER_ERRORS = (ModularError, OSError)
"""Errors if no formatter is installed, its settings are wrong or the disk is full."""


_SLICE_S = 0.02
"""Seconds of lint rules after which the server answers the editor."""


class _FileStamp(NamedTuple):
    """Time of the last change of a file, in nanoseconds, and its size in bytes."""

    modified_ns: int
    size: int


@dataclass
class ModelState:
    """The results of converting a modular file.

    Attributes:
        latest: Conversion of the current text.
        diagnostics: Diagnostics of the current text.
        last_good: Last conversion that has files. Before the first one, this is a
            conversion without files.
        undefined: Undefined names in the files of `latest`; None if not yet searched.
        formatted: Formatted files of `last_good`; None if not yet formatted.
        is_inspected: Whether the lint rules ran on `latest`. Until then, `diagnostics`
            has the findings of the previous text on unchanged lines.
    """

    latest: Conversion
    diagnostics: list[Diagnostic]
    last_good: Conversion
    undefined: tuple[Undefined, ...] | None = None
    formatted: Formatted | None = None
    is_inspected: bool = False


@dataclass
class ModelStates:
    """The states of modular files.

    Attributes:
        project: The project of the files.
        converter: Converts the files.
        on_converted: Called with the path of each readable file that was converted.
    """

    project: Project
    converter: Converter
    on_converted: Callable[[str], None] = lambda path: None
    _states: dict[str, ModelState] = field(default_factory=dict)
    _stale: set[str] = field(default_factory=set)
    _stamps: dict[str, _FileStamp | None] = field(default_factory=dict)
    _refresh_count: int = 0

    def refresh(self, path: str, text: str | None) -> None:
        """Replace the text of a file, so that models that read it are converted again.

        Args:
            path: Path of the file.
            text: The new text; None to read it from disk.
        """
        self.converter.refresh(path, text)
        self._refresh_count += 1
        self._stamps.pop(path, None)
        for modular, state in self._states.items():
            has_read_file = path in state.latest.reads
            if path == modular or has_read_file:
                self._stale.add(modular)

    def cached(self, modular: str) -> ModelState | None:
        """Return the cached state, which may be stale; None before the first conversion."""
        return self._states.get(modular)

    def convert_if_stale(self, modular: str) -> ModelState:
        """Return the results of converting a modular file, from the cache if possible.

        The lint rules may not have run yet, as requests of the editor do not wait for them.
        The file is converted again if it, or a file that it inherits from, has changed
        since the last conversion.
        """
        state = self._states.get(modular)
        if state is not None:
            self._refresh_changed_files(modular, state)
        if state is None or modular in self._stale:
            latest = self.converter.convert(modular, inspects=False)
            state = self._set_converted(modular, state, latest)
        return state

    def convert_in_steps(self, modular: str) -> Work[ModelState]:
        """Convert a modular file as `convert_if_stale` does, in steps.

        Yields:
            None after each step, so that the server can answer the editor. If any text
            changes meanwhile, or a request converts the file, the work begins again.

        Returns:
            The state, which belongs to the current text.
        """
        while True:
            state = self._states.get(modular)
            if state is not None:
                self._refresh_changed_files(modular, state)
                if modular not in self._stale:
                    return state
            refresh_count = self._refresh_count

            def is_current() -> bool:
                """Return whether no text and no state has changed since."""
                is_replaced = self._states.get(modular) is not state
                return self._refresh_count == refresh_count and not is_replaced

            work = self.converter.convert_in_steps(modular, inspects=False)
            # None if the work was given up, because something has changed.
            conversion = yield from _work_while(is_current, work)
            if conversion is not None:
                return self._set_converted(modular, state, conversion)

    def convert_and_inspect(self, modular: str) -> Work[ModelState]:
        """Convert a modular file if it is stale, and run the lint rules.

        Yields:
            None after each step, so that the server can answer the editor. If the file
            changes meanwhile, the work goes on with the new text.

        Returns:
            The state with all findings.
        """
        state = yield from self.convert_in_steps(modular)
        while not state.is_inspected:
            inspection = self.converter.inspect(state.latest)
            inspected = yield from self._work_while_current(modular, state, inspection)
            # Another task of the server may inspect the same text, and end earlier.
            if inspected is not None and not state.is_inspected:
                self._set_inspected(modular, state, inspected)
            state = yield from self.convert_in_steps(modular)
        return state

    def _work_while_current(
        self, modular: str, state: ModelState, work: Work[Result]
    ) -> Work[Result | None]:
        """Do the steps of some work for a state, until this state is out of date.

        Yields:
            None whenever the server should look for requests of the editor.

        Returns:
            The result of the work; None if it was given up before its end.
        """

        def is_current() -> bool:
            """Return whether the state still belongs to the text of the file."""
            return self._states.get(modular) is state and modular not in self._stale

        return _work_while(is_current, work)

    def _set_inspected(
        self, modular: str, state: ModelState, inspected: Conversion
    ) -> None:
        """Put the findings of the lint rules into the state of a modular file.

        Args:
            modular: Path of the modular file.
            state: The state, which changes.
            inspected: The latest conversion of the state, with the findings.
        """
        # `last_good` must have files. If a rule has found an error, `inspected` has
        # none.
        if state.last_good is state.latest and inspected.texts:
            state.last_good = inspected
        state.latest = inspected
        self._stamp_reads(modular, inspected)
        if not _is_unreadable(inspected):
            state.diagnostics = list(inspected.diagnostics)
        state.is_inspected = True

    def convert_and_find_undefined(self, modular: str) -> Work[ModelState]:
        """Convert a modular file if it is stale, and find all its diagnostics.

        These include undefined names in its output, which ruff finds. Ruff is slow, so
        the names are kept until the next conversion. If ruff fails, no names are reported.

        Yields:
            None after each step, so that the server can answer the editor.

        Returns:
            The state.
        """
        state = yield from self.convert_and_inspect(modular)
        if state.undefined is not None:
            return state
        undefined = None
        with suppress(*_FORMATTER_ERRORS):
            undefined = formatting.find_undefined(state.latest.texts, self.project.root)
        if undefined:
            # Run the lint rules again, which report these names. The rules get no
            # formatted texts, since formatting would take longer.
            names_only = Formatted(texts={}, undefined=undefined)
            work = self.converter.diagnose_in_steps(state.latest, names_only)
            diagnostics = yield from self._work_while_current(modular, state, work)
            # The text has changed meanwhile, so the next call must search again.
            if diagnostics is None:
                return state
            state.diagnostics = list(diagnostics)
        state.undefined = undefined
        return state

    def convert_and_format(self, modular: str) -> ModelState:
        """Convert a modular file if it is stale, and format its output.

        If the formatter fails, the state has no formatted files.
        """
        state = self.convert_if_stale(modular)
        if state.formatted is None:
            with suppress(*_FORMATTER_ERRORS):
                self._format(state)
        return state

    def _format(self, state: ModelState) -> None:
        """Format the files that a modular file last generated without errors.

        Complaints of the formatter become diagnostics, unless the files come from an
        earlier text of the modular file.
        """
        texts = {}
        for path, text in state.last_good.texts.items():
            texts[path] = text.replace("\n", state.last_good.newline)
        state.formatted = formatting.format_texts(
            texts, self.project.root, self.project.settings.formatter
        )

        has_complaints = not state.formatted.complaints.isdisjoint(texts)
        is_current = state.last_good is state.latest
        if is_current and has_complaints:
            diagnostics = self.converter.diagnose(state.latest, state.formatted)
            state.diagnostics = list(diagnostics)

    def _set_converted(
        self, modular: str, previous: ModelState | None, latest: Conversion
    ) -> ModelState:
        """Store the state of a modular file after a conversion, and return it.

        Args:
            modular: Path of the modular file.
            previous: The state before; None at the first time. While somebody types, the
                new text often has errors. Some results of this state then stay.
            latest: The conversion of the current text.
        """
        self._stale.discard(modular)
        self._stamp_reads(modular, latest)
        if previous is None:
            # This state has no results that could be kept.
            previous = ModelState(latest, [], last_good=latest)

        last_good = latest
        if prevents_conversion(latest.diagnostics):
            last_good = previous.last_good
        # The same texts need not be formatted again.
        formatted = None
        if last_good.texts == previous.last_good.texts:
            formatted = previous.formatted
        # Earlier findings stay until the lint rules have run on the new text.
        text = self.converter.load(modular).text
        earlier = _diagnostics_on_unchanged_lines(previous.diagnostics, text)
        diagnostics = [*latest.diagnostics, *earlier]

        state = ModelState(
            latest=latest,
            diagnostics=diagnostics,
            last_good=last_good,
            formatted=formatted,
        )
        self._states[modular] = state
        if not _is_unreadable(latest):
            self.on_converted(modular)
        return state

    def _stamp_reads(self, modular: str, conversion: Conversion) -> None:
        """Remember the times and sizes of the files that a conversion has read.

        If they differ later, the files have changed on disk, and the state is stale.
        """
        for path in (modular, *conversion.reads):
            if path not in self._stamps:
                self._stamps[path] = _stamp(self.project.locate(path))

    def _refresh_changed_files(self, modular: str, state: ModelState) -> None:
        """Reread the files of a model that have changed on disk since its conversion.

        All models that have read such a file become stale.

        Args:
            modular: Path of the modular file.
            state: Its state, which tells the files that the conversion has read.
        """
        for path in (modular, *state.latest.reads):
            if path in self.converter.overlay:
                # The text in memory counts more than the file on disk.
                continue
            stamp = _stamp(self.project.locate(path))
            if self._stamps.get(path) != stamp:
                self.refresh(path, text=None)


def _work_while(
    is_current: Callable[[], bool], work: Work[Result]
) -> Work[Result | None]:
    """Do the steps of some work, as long as its result is still needed.

    Args:
        is_current: Returns whether the result is still needed.
        work: The work.

    Yields:
        None whenever the server should look for requests of the editor.

    Returns:
        The result; None if the work was given up before its end.
    """
    pause_time = monotonic() + _SLICE_S
    while is_current():
        try:
            next(work)
        except StopIteration as stop:
            # A generator that ends hands its result over in this exception.
            result: Result = stop.value
            return result
        if monotonic() >= pause_time:
            yield
            pause_time = monotonic() + _SLICE_S
    return None


def _stamp(file: Path) -> _FileStamp | None:
    """Return the stamp of a file; None if it cannot be read."""
    try:
        status = file.stat()
    except OSError:
        return None
    return _FileStamp(status.st_mtime_ns, status.st_size)


def _is_unreadable(conversion: Conversion) -> bool:
    """Return whether the statements of the converted modular file cannot be read."""
    for diagnostic in conversion.diagnostics:
        is_in_modular = diagnostic.place.path == conversion.modular
        if is_in_modular and diagnostic.code in _UNREADABLE:
            return True
    return False


def _diagnostics_on_unchanged_lines(
    earlier: list[Diagnostic], text: str
) -> list[Diagnostic]:
    """Return the earlier diagnostics whose lines are still the same in a new text.

    The lint rules have not checked the new text yet, and cannot while it is half typed.
    Syntax errors of the earlier text are left out.
    """
    lines = text.split("\n")
    kept_diagnostics = []
    for diagnostic in earlier:
        place = diagnostic.place
        if diagnostic.code in _UNREADABLE or place.line > len(lines):
            continue
        # A place has the text of its line.
        is_unchanged = lines[place.line - 1] == place.text
        if is_unchanged:
            kept_diagnostics.append(diagnostic)
    return kept_diagnostics
