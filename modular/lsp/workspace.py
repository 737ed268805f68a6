"""Holds one project as the editor sees it: open files, diagnostics and dependents."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from modular.conversion.converter import Converter
from modular.lsp.index import UseIndex
from modular.lsp.model_states import ModelStates
from modular.lsp.positions import line_at, split_lines
from modular.project.naming import MODULAR
from modular.project.opening import open_project
from modular.rules.reading.modular_file import ModularFile
from modular.run.engine import cycle_problem, find_cycle
from modular.source.diagnostics import Diagnostic, by_place
from modular.source.diffs import matching_blocks
from modular.source.half_typed import blank_unreadable_statements
from modular.source.module import Module
from modular.source.module import read as read_module
from modular.source.walking import walk


Steps = Iterator[None]
"""Work that is done in steps; the server answers the editor between two steps."""


class CursorPosition(NamedTuple):
    """A cursor position: line and column, from 1, columns in characters."""

    line: int
    column: int


class _ScannedText(NamedTuple):
    """A text of a file, and what can be read of it.

    Attributes:
        text: The text.
        module: The statements of the text that have no syntax error.
        readable: The last text of the file without syntax errors. If there was none,
            the text without the statements that have some.
    """

    text: str
    module: Module
    readable: str


class Workspace:
    """A project with the texts of its open files.

    The editor's text of a generated file is not converted: other files see what its
    modular file generates.

    Attributes:
        project: The project as it is on disk.
        texts: Texts of the open files by path.
        index: What the modular files import, inherit and define.
        converter: Converts modular files with the texts of the open files.
        states: What the modular files convert to.
    """

    def __init__(self, root: Path, publish: Callable[[str], None]) -> None:
        """Open a project.

        Args:
            root: Root folder of the project.
            publish: Called with the path of a file whose diagnostics may have changed.

        Raises:
            modular.settings.settings.SettingsError: If the settings or the tables of
                model names cannot be read.
        """
        self.project = open_project(root)
        # The tables of model names are read on first use. The first use is here, so
        # that their errors are raised when the project is opened.
        self.project.names.cased("")
        self._publish = publish
        self.texts: dict[str, str] = {}
        self.index = UseIndex()
        self.converter = Converter(self.project, self.texts)
        self.states = ModelStates(self.project, self.converter, self._update_index)
        self._states_on_disk = ModelStates(self.project, Converter(self.project, {}))
        self._diagnostics_on_disk: dict[str, frozenset[str]] = {}
        self._scanned_texts: dict[str, _ScannedText] = {}

    def set_text(self, path: str, text: str | None) -> None:
        """Replace the editor's text of a file.

        Args:
            path: Path of the file.
            text: The text; None if the editor closed the file.
        """
        if text is None:
            self.texts.pop(path, None)
        else:
            # JSON can contain half a surrogate pair, which UTF-8 cannot encode.
            text = text.encode(errors="replace").decode()
            self.texts[path] = text
        # Other files see the output of the modular file, not an edit of the output.
        is_generated = self.generating_modular(path) is not None
        if not is_generated:
            self.states.refresh(path, text)

    def read_from_disk(self, path: str) -> None:
        """Read a file again that changed on disk and is not open."""
        self._diagnostics_on_disk.pop(path, None)
        self.states.refresh(path, None)
        if self.is_modular(path):
            self._update_index(path)

    def text(self, path: str) -> str:
        """Return the editor's text of a file, or its text on disk if it is not open.

        The text of an unreadable file is empty.
        """
        if path in self.texts:
            return self.texts[path]
        return self.converter.load(path).text

    def lines(self, path: str) -> list[str]:
        """Return the lines of a file."""
        return split_lines(self.text(path))

    def module(self, path: str) -> Module:
        """Return the statements of a file, without those that cannot be parsed.

        While somebody types `x = (` in an open file, that statement is left out. Of a
        closed file that is generated, the newest output is read, which may not be on
        disk yet.
        """
        return self._scan(path).module

    def _scan(self, path: str) -> _ScannedText:
        """Return the text of a file, its statements, and its last text without errors.

        The text of an open file is that of the editor. If it is half typed, such as
        `x = (`, the statements with syntax errors are left out. A file is scanned again
        only if its text has changed since the last call.
        """
        module_on_disk = None
        if path in self.texts:
            text = self.texts[path]
        else:
            module_on_disk = self.converter.load_module(path)
            text = "" if module_on_disk is None else module_on_disk.code.text

        previous = self._scanned_texts.get(path)
        if previous is not None and previous.text == text:
            return previous

        without_errors = blank_unreadable_statements(text, path, keep_headers=True)
        is_half_typed = without_errors != text
        if module_on_disk is not None and not is_half_typed:
            module = module_on_disk
        else:
            module = read_module(path, without_errors)
        readable = without_errors
        if is_half_typed and previous is not None:
            # An earlier text is better than one without the half-typed statement.
            readable = previous.readable
        scanned = _ScannedText(text, module, readable)
        self._scanned_texts[path] = scanned
        return scanned

    def readable(self, path: str) -> str:
        """Return the last text of a file that could be parsed."""
        if self.is_modular(path):
            return self.states.convert_if_stale(path).readable
        return self._scan(path).readable

    def readable_at(
        self, path: str, cursor: CursorPosition
    ) -> tuple[str, CursorPosition]:
        """Return the last text of a file that could be parsed, and the cursor in it.

        A text cannot be parsed while it is typed, so requests are answered from an
        earlier one. Lines may have moved since, so the cursor goes to the nearest line
        that equals its line in the current text.
        """
        text = self.text(path)
        readable = self.readable(path)
        if readable == text:
            return text, cursor

        lines = split_lines(text)
        cursor_text = line_at(lines, cursor.line)
        equal_lines = []
        for number, line in enumerate(split_lines(readable), start=1):
            if line == cursor_text:
                equal_lines.append(number)
        nearest_line = min(
            equal_lines,
            key=lambda number: abs(number - cursor.line),
            default=cursor.line,
        )
        return readable, CursorPosition(nearest_line, cursor.column)

    def moved_lines(self, path: str) -> dict[int, int]:
        """Return where the lines of the last readable text are in the current text.

        Returns:
            A map from each line, from 1, to the number of the equal line in the current
            text. Lines that changed are missing.
        """
        readable_lines = split_lines(self.readable(path))
        moved = {}
        for block in matching_blocks(readable_lines, self.lines(path)):
            for index in range(block.size):
                moved[block.old + index + 1] = block.new + index + 1
        return moved

    def modular_file(self, modular: str) -> ModularFile | None:
        """Read the last readable text of a modular file; None if it is unreadable."""
        return self.converter.read(modular, self.readable(modular))

    def is_modular(self, path: str) -> bool:
        """Return whether a path is that of a modular file in a models folder."""
        name = path.rpartition("/")[2]
        if not name.startswith(MODULAR) or not name.endswith(".py"):
            return False
        return self.project.is_in_models_folder(path)

    def diagnostics(self, modular: str) -> list[Diagnostic]:
        """Return the diagnostics of a modular file that are known so far.

        Args:
            modular: Path of the modular file.

        Returns:
            Diagnostics at the levels of the settings, sorted by place. For a file that
            is not open, only those that come from unsaved edits of other files.
        """
        state = self.states.cached(modular)
        if state is None:
            return []
        levels = self.project.settings.lint
        diagnostics = by_place(levels.apply(state.diagnostics, include_info=True))
        if modular in self.texts:
            return diagnostics

        on_disk = self._diagnostics_on_disk.get(modular, frozenset())
        caused_by_edits = []
        for diagnostic in diagnostics:
            if _identity(diagnostic) not in on_disk:
                caused_by_edits.append(diagnostic)
        return caused_by_edits

    def generating_modular(self, path: str) -> str | None:
        """Return the modular file that generates a file; None if there is none."""
        modular = self.project.generating_modular(path)
        if modular is None:
            return None
        generated_texts = self.states.convert_if_stale(modular).good.texts
        return modular if path in generated_texts else None

    def diagnose(self, modular: str) -> Steps:
        """Convert a modular file and publish its diagnostics.

        Yields:
            None between the two steps, so that the server can answer the editor. It
            drops the second step, which is slow, if the text changes before.
        """
        self.states.convert_if_stale(modular)
        yield
        self.states.convert_and_find_undefined(modular)
        self._report_cycle(modular)
        self._publish(modular)

    def update_parents(self, modular: str) -> Steps:
        """Convert a modular file again if the output of an ancestor changed.

        An ancestor is a modular file that generates a parent file, or a parent of that.
        Its output changed if it generates other text than its children read so far.

        Yields:
            None between two steps, so that the server can answer the editor.
        """
        old_state = self.states.convert_if_stale(modular)
        modular_and_ancestors = list(walk([modular], self._generating_parents))
        # The most distant ancestor comes first, as the others inherit from its output.
        for ancestor in reversed(modular_and_ancestors[1:]):
            yield from self._refresh_output(ancestor)

        # A file that was not converted again still has the same state.
        new_state = self.states.convert_if_stale(modular)
        was_converted = new_state is not old_state
        if was_converted or self._report_cycle(modular):
            yield from self.diagnose(modular)

    def update_dependents(self, path: str, all_models: bool) -> Steps:
        """Convert the modular files that depend on an edited file, in memory.

        Args:
            path: Path of the edited file.
            all_models: Whether to convert and diagnose all dependents. Otherwise only
                open files are diagnosed. Dependents that no open file inherits from are
                then not converted.

        Yields:
            None between two steps, so that the server can answer the editor.
        """
        # An open file inherits from the outputs of its ancestors.
        open_files = [modular for modular in self.texts if self.is_modular(modular)]
        open_or_ancestors = set(walk(open_files, self._generating_parents))
        # The dependents are only known when all modular files have been read.
        yield from self.read_index()

        dependents = self.dependents(path)
        if not all_models:
            dependents = [
                modular for modular in dependents if modular in open_or_ancestors
            ]
        if dependents and self.is_modular(path):
            yield from self._refresh_output(path)

        # The nearest come first, as the others inherit from their output.
        for modular in dependents:
            yield
            if modular in self.texts or all_models:
                # Of a closed file, only diagnostics that the edit causes are shown. This
                # finds those that the file has anyway.
                yield from self._diagnose_on_disk(modular)
                yield from self.diagnose(modular)
            # The next dependents inherit from this output.
            yield from self._refresh_output(modular)
            # The editor may have opened the file since the check above.
            if modular not in self.texts:
                # Results are kept in memory only for open files.
                self.states.forget(modular)

    def dependents(self, path: str) -> list[str]:
        """Return the modular files that depend on a file, the nearest first.

        If `modular_b.py` imports `modeling_a.py`, it depends on that file and on
        `modular_a.py`, which generates it.
        """
        self.complete_index()
        users = self.index.users()

        def children(parent: str) -> Iterator[str]:
            for output in self.outputs(parent):
                yield from users.get(output, ())

        return [modular for modular in walk([path], children) if modular != path]

    def outputs(self, path: str) -> Iterable[str]:
        """Return the paths by which modular files can import the code of a file.

        A modular file is not imported itself, but the files that it generates.

        Args:
            path: Path of the file.

        Returns:
            For a modular file the files that it generates. If it was not converted yet,
            these are all files that it could generate. For another file its own path.
        """
        if not self.is_modular(path):
            return [path]
        state = self.states.cached(path)
        if state is not None:
            return state.good.texts
        file_types = self.project.settings.all_file_types
        return [self.project.output_path(path, file_type) for file_type in file_types]

    def read_index(self) -> Steps:
        """Read the modular files that the index lacks, one in each step."""
        for modular in self.project.modular_files:
            if not self.index.has(modular):
                self._update_index(modular)
                yield

    def complete_index(self) -> None:
        """Read all modular files that the index lacks."""
        for _ in self.read_index():
            pass

    def _update_index(self, modular: str) -> None:
        """Read a modular file into the index, without half-typed statements."""
        file = None
        if self.converter.exists(modular):
            text = blank_unreadable_statements(
                self.text(modular), modular, keep_headers=True
            )
            file = self.converter.read(modular, text)
        self.index.set(modular, file)

    def _generating_parents(self, modular: str) -> list[str]:
        """Return the modular files that generate the parents of a modular file, sorted.

        For `modular_b.py`, which imports `modeling_a.py`, this is `modular_a.py`.
        """
        if not self.index.has(modular):
            self._update_index(modular)
        modulars = set()
        for parent in self.index.parents(modular):
            parent_modular = self.project.generating_modular(parent)
            if parent_modular is not None:
                modulars.add(parent_modular)
        return sorted(modulars)

    def _report_cycle(self, modular: str) -> bool:
        """Report a cycle, in which a modular file inherits from itself through parents.

        The cycle replaces the other diagnostics of the file. Files that the index lacks
        are not read, as diagnostics must not wait for them.

        Returns:
            Whether there is a cycle among the file and its ancestors. One that the file
            is not a part of is reported only in the files of the cycle.
        """

        @cache
        def known_parents(path: str) -> list[str]:
            return self._generating_parents(path) if self.index.has(path) else []

        parents = {path: known_parents(path) for path in walk([modular], known_parents)}
        # The cycle is a list such as A, B, A: each file before its parent.
        cycle = find_cycle(parents)
        if modular in cycle:
            parent = cycle[cycle.index(modular) + 1]
            place = self.converter.place_of_import(modular, parent)
            # The file was just converted, so this only looks up its state.
            state = self.states.convert_if_stale(modular)
            state.diagnostics = [cycle_problem(cycle, place)]
        return bool(cycle)

    def _diagnose_on_disk(self, modular: str) -> Steps:
        """Remember which diagnostics a closed modular file has without unsaved edits.

        Only the others are shown in the editor: they come from the edits. The files on
        disk hardly change meanwhile, so this is done once, and only the diagnostics are
        kept in memory.

        Yields:
            None between two steps, so that the server can answer the editor.
        """
        if modular in self._diagnostics_on_disk or modular in self.texts:
            return

        self._states_on_disk.convert_if_stale(modular)
        yield
        state = self._states_on_disk.convert_and_find_undefined(modular)
        identities = frozenset(map(_identity, state.diagnostics))
        self._diagnostics_on_disk[modular] = identities
        self._states_on_disk.forget(modular)
        yield

    def _refresh_output(self, modular: str) -> Steps:
        """Let children inherit from the newest output of a modular file.

        The files on disk are older than an unsaved edit. The newest output replaces
        them in memory only.

        Yields:
            None before the work, so that the server can answer the editor first.
        """
        yield
        state = self.states.convert_and_format(modular)
        if not state.is_good or state.formatted is None:
            return

        for path, text in state.formatted.texts.items():
            # Children read formatted text. They become stale only if it is another one.
            known_text = self.converter.load(path).text
            if known_text != text.replace("\r\n", "\n"):
                self.states.refresh(path, text)
        if modular in self.texts:
            self._publish(modular)


def _identity(diagnostic: Diagnostic) -> str:
    """Return a key of a diagnostic that stays the same if its line moves."""
    return f"{diagnostic.code.id} {diagnostic.message} {diagnostic.place.text}"
