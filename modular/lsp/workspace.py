"""One project as an editor sees it: the texts of its open files, what they convert to, and who depends on whom."""

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from modular.conversion.converter import Converter
from modular.lsp.index import UseIndex
from modular.lsp.model_states import ModelStates
from modular.lsp.positions import split_lines
from modular.project.naming import MODULAR
from modular.project.opening import open_project
from modular.rules.reading.modular_file import ModularFile
from modular.run.engine import cycle_problem, find_cycle
from modular.source.diagnostics import Diagnostic, by_place
from modular.source.half_typed import blank_unreadable_statements
from modular.source.module import Module
from modular.source.module import read as read_module
from modular.source.walking import walk


Steps = Iterator[None]
"""Work in steps: between two of them the editor is answered."""


class CursorPosition(NamedTuple):
    """A cursor position: line and column, from 1, columns in characters."""

    line: int
    column: int


class Workspace:
    """A project with the texts of its open files.

    ``tell`` is called with the path of a file whose diagnostics may have changed.
    """

    def __init__(self, root: Path, tell: Callable[[str], None]) -> None:
        """Raises `settings.SettingsError`."""
        self.project = open_project(root)
        self.project.names.cased(
            ""
        )  # a table of names that cannot be read is an error of the project
        self._tell = tell
        self.texts: dict[str, str] = {}
        self.index = UseIndex()
        self.converter = Converter(self.project, self.texts)
        self.states = ModelStates(self.project, self.converter, self._index)
        self._on_disk = ModelStates(self.project, Converter(self.project, {}))
        self._known_before: dict[str, frozenset[str]] = {}
        self._modules: dict[str, tuple[str, Module]] = {}

    def _index(self, modular: str) -> None:
        """Let the index know what a modular file says now."""
        file = None
        if self.converter.exists(modular):
            text = blank_unreadable_statements(
                self.text(modular), modular, keep_headers=True
            )
            file = self.converter.read(modular, text)
        self.index.set(modular, file)

    def set_text(self, path: str, text: str | None) -> None:
        """Take the text of a file from the editor; None: it was closed.

        The editor's text of a generated file does not count: others see what its modular file gives.
        """
        if text is not None:
            text = text.encode(
                errors="replace"
            ).decode()  # half a letter, as JSON can hold, is none
            self.texts[path] = text
        else:
            self.texts.pop(path, None)
        if self.generator(path) is None:
            self.states.refresh(path, text)

    def read_from_disk(self, path: str) -> None:
        """Take a file, which is not open, as it is on disk now."""
        self._known_before.pop(path, None)
        self.states.refresh(path, None)
        if self.is_modular(path):
            self._index(path)

    def text(self, path: str) -> str:
        """Return the text of a file: the editor's, else that on disk; empty if it cannot be read."""
        return (
            self.texts[path] if path in self.texts else self.converter.load(path).text
        )

    def lines(self, path: str) -> list[str]:
        """Return the lines of a file."""
        return split_lines(self.text(path))

    def module(self, path: str) -> Module:
        """Return the statements of a file that are readable.

        The editor's text counts, else the file as children of the model see it.
        """
        scanned = None
        if path in self.texts:
            text = self.texts[path]
        else:
            scanned = self.converter.load_module(path)
            text = "" if scanned is None else scanned.code.text

        cached = self._modules.get(path)
        if cached is not None and cached[0] == text:
            return cached[1]

        readable = blank_unreadable_statements(text, path, keep_headers=True)
        if scanned is not None and readable == text:
            module = scanned
        else:
            module = read_module(path, readable)
        self._modules[path] = (text, module)
        return module

    def readable(self, path: str) -> str:
        """Return the text of a file; of a modular file that is half typed its last readable text."""
        return (
            self.states.current(path).readable
            if self.is_modular(path)
            else self.text(path)
        )

    def readable_at(
        self, path: str, spot: CursorPosition
    ) -> tuple[str, CursorPosition]:
        """Return likewise the text and a place in it: that on the line with the same text, if there is one."""
        text, last = self.text(path), self.readable(path)
        if last == text:
            return text, spot
        lines, before = split_lines(text), split_lines(last)
        line = lines[spot.line - 1] if spot.line <= len(lines) else ""
        same = [
            number
            for number, old_line in enumerate(before, start=1)
            if old_line == line
        ]
        return last, CursorPosition(
            min(same, key=lambda number: abs(number - spot.line), default=spot.line),
            spot.column,
        )

    def modular_file(self, modular: str) -> ModularFile | None:
        """Return a modular file, by its last readable text; None if it cannot be read."""
        return self.converter.read(modular, self.readable(modular))

    def is_modular(self, path: str) -> bool:
        """Whether a path is that of a modular file in one of the models' folders."""
        name = path.rpartition("/")[2]
        is_below = any(
            path.startswith(f"{folder}/") for folder in self.project.models_folders
        )
        return is_below and name.startswith(MODULAR) and name.endswith(".py")

    def diagnostics(self, modular: str) -> list[Diagnostic]:
        """Return the diagnostics of a modular file as far as they are known, sorted by place, at the settings' levels.

        Of a file that is not open, only those count that were not there before anything was edited.
        """
        state = self.states.cached(modular)
        diagnostics = (
            by_place(self.project.settings.lint.apply(state.diagnostics))
            if state is not None
            else []
        )
        if modular in self.texts:
            return diagnostics
        before = self._known_before.get(modular, frozenset())
        return [
            diagnostic
            for diagnostic in diagnostics
            if _identity(diagnostic) not in before
        ]

    def generator(self, path: str) -> str | None:
        """Return the modular file that a file is generated from, if it is."""
        modular = self.project.generator(path)
        return (
            modular
            if modular is not None and path in self.states.current(modular).good.texts
            else None
        )

    def diagnose(self, modular: str) -> Steps:
        """Convert a modular file and tell its diagnostics."""
        self.states.current(modular)
        yield  # somebody may have typed on
        self.states.with_undefined(modular)
        self._report_cycle(modular)
        self._tell(modular)

    def _report_cycle(self, modular: str) -> bool:
        """Replace all diagnostics of a modular file that depends on itself by one that says so; return whether it does.

        Only files that were read count: the first diagnostics do not wait for the rest.
        """
        graph: dict[str, list[str]] = {}
        for ancestor in walk([modular], lambda path: graph[path]):
            graph[ancestor] = (
                self._generating_parents(ancestor) if self.index.has(ancestor) else []
            )
        cycle = find_cycle(graph)
        for child, parent in pairwise(cycle):
            if child == modular:
                place = self.converter.place_of_import(child, parent)
                self.states.current(modular).diagnostics = [cycle_problem(cycle, place)]
        return bool(cycle)

    def update_dependents(self, path: str, all_models: bool) -> Steps:
        """Bring up to date what depends on an edited file: the open files, or with ``all_models`` every model."""
        open_files = [modular for modular in self.texts if self.is_modular(modular)]
        needed = {
            ancestor
            for modular in open_files
            for ancestor in walk([modular], self._generating_parents)
        }
        yield from self.read_index()
        wanted = [
            modular
            for modular in self.dependents(path)
            if all_models or modular in needed
        ]
        if wanted and self.is_modular(path):
            yield from self._publish_output(path)
        for modular in wanted:
            yield
            if modular in self.texts or all_models:
                yield from self._remember_before(modular)
                yield from self.diagnose(modular)
            yield from self._publish_output(modular)
            if modular not in self.texts:
                self.states.forget(modular)

    def _remember_before(self, modular: str) -> Steps:
        """Note the diagnostics that a modular file has without any unsaved edit."""
        if modular not in self._known_before and modular not in self.texts:
            self._on_disk.current(modular)
            yield
            state = self._on_disk.with_undefined(modular)
            self._known_before[modular] = frozenset(map(_identity, state.diagnostics))
            self._on_disk.forget(modular)
            yield

    def update_parents(self, modular: str) -> Steps:
        """Convert a modular file against what its parents' modular files give, where that is not what is on disk."""
        before = self.states.current(modular)
        for ancestor in reversed(list(walk([modular], self._generating_parents))[1:]):
            yield from self._publish_output(ancestor)
        if self.states.current(modular) is not before or self._report_cycle(modular):
            yield from self.diagnose(modular)

    def _generating_parents(self, modular: str) -> list[str]:
        """The modular files that generate the parent files of another."""
        if not self.index.has(modular):
            self._index(modular)
        parents = self.index.parents(modular)
        return sorted(set(filter(None, map(self.project.generator, parents))))

    def _publish_output(self, modular: str) -> Steps:
        """Format what a modular file generates, and let its children see it where it is not what is on disk."""
        yield
        state = self.states.with_formatted(modular)
        if state.is_good and state.formatted is not None:
            for path, text in state.formatted.texts.items():
                if self.converter.load(path).text != text.replace("\r\n", "\n"):
                    self.states.refresh(path, text)
            if modular in self.texts:
                self._tell(modular)

    def dependents(self, path: str) -> list[str]:
        """Return the modular files that depend on a file, directly or not, the nearest first."""
        self.complete_index()
        users = self.index.users()

        def children(of: str) -> Iterator[str]:
            for parent in self.outputs(of):
                yield from users.get(parent, ())

        return [modular for modular in walk([path], children) if modular != path]

    def outputs(self, path: str) -> Iterable[str]:
        """Return what is generated from a modular file, or would be; another file alone."""
        if not self.is_modular(path):
            return [path]
        state = self.states.cached(path)
        types = self.project.settings.all_file_types
        return (
            state.good.texts
            if state is not None
            else [self.project.output_path(path, name) for name in types]
        )

    def read_index(self) -> Steps:
        """Read the modular files that the index lacks, one a step."""
        for modular in self.project.modular_files:
            if not self.index.has(modular):
                self._index(modular)
                yield

    def complete_index(self) -> None:
        """Read all modular files that the index lacks."""
        for _ in self.read_index():
            pass


def _identity(diagnostic: Diagnostic) -> str:
    """What makes two diagnostics of a file the same though lines have moved."""
    return f"{diagnostic.code.id} {diagnostic.message} {diagnostic.place.text}"
