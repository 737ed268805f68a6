"""Holds one project as the editor sees it: open files, diagnostics and dependents."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

from modular.conversion.converter import Converter
from modular.lsp.index import UseIndex
from modular.lsp.model_states import ModelStates
from modular.lsp.positions import line_at, match_lines, split_lines
from modular.project.naming import is_modular_name
from modular.project.opening import open_project
from modular.rules.reading.modular_file import ModularFile
from modular.run.engine import cycle_problem, find_cycle
from modular.source.blocks import Kind
from modular.source.definition_view import view_definition
from modular.source.diagnostics import Diagnostic, by_place
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


class ReadableText(NamedTuple):
    """The last text of a file that could be parsed, and the cursor in it."""

    text: str
    cursor: CursorPosition


class _ScannedText(NamedTuple):
    """A text of a file, and the statements in it that can be parsed.

    Attributes:
        text: The text.
        module: The statements of the text that have no syntax error.
        last_readable_text: The last text of the file without syntax errors. If the file
            never had one, this is its first text without the faulty statements.
    """

    text: str
    module: Module
    last_readable_text: str


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
            # While the next text is half typed, requests are answered from this one.
            self._scan(path)
        # Models do not read an edit of a generated file: they continue to read what the
        # modular file generates.
        is_generated = self.generating_modular(path) is not None
        if not is_generated:
            self.states.refresh(path, text)

    def read_from_disk(self, path: str) -> None:
        """Read a file again that changed on disk and is not open."""
        self.states.refresh(path, text=None)
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

        While somebody types `x = (` in an open file, that statement is left out. For a
        generated file that is not open, these are the statements of its newest output,
        which may not be on disk yet.
        """
        return self._scan(path).module

    def _scan(self, path: str) -> _ScannedText:
        """Return the text of a file, and the statements in it that can be parsed.

        A file is scanned again only if its text has changed since the last call.
        """
        module = None
        if path in self.texts:
            # The converter is not asked for the module of this text: it would keep the
            # module, even when the open file is generated again.
            text = self.texts[path]
        else:
            module = self.converter.load_module(path)
            text = "" if module is None else module.code.text
        previous = self._scanned_texts.get(path)
        if previous is not None and previous.text == text:
            return previous

        # A half-typed statement, such as `x = (`, becomes blank lines.
        readable_text = blank_unreadable_statements(text, path, keep_headers=True)
        if module is None or module.code.text != readable_text:
            module = read_module(path, readable_text)
        is_half_typed = readable_text != text
        last_readable_text = readable_text
        if is_half_typed and previous is not None:
            last_readable_text = _choose_readable_text(
                path, readable_text, previous.last_readable_text
            )
        scanned = _ScannedText(text, module, last_readable_text)
        self._scanned_texts[path] = scanned
        return scanned

    def last_readable_text(self, path: str) -> str:
        """Return the last text of a file that could be parsed."""
        return self._scan(path).last_readable_text

    def readable_at(self, path: str, cursor: CursorPosition) -> ReadableText:
        """Return the last text of a file that could be parsed, and the cursor in it.

        A text often cannot be parsed while somebody types. Requests are then answered
        from an earlier text, in which lines may have other numbers. The cursor is moved
        to the nearest line that equals its line in the current text.
        """
        text = self.text(path)
        readable_text = self.last_readable_text(path)
        if readable_text == text:
            return ReadableText(text, cursor)

        cursor_text = line_at(split_lines(text), cursor.line)
        equal_lines = []
        for number, line in enumerate(split_lines(readable_text), start=1):
            if line == cursor_text:
                equal_lines.append(number)
        nearest_line = min(
            equal_lines,
            key=lambda number: abs(number - cursor.line),
            default=cursor.line,
        )
        return ReadableText(readable_text, cursor._replace(line=nearest_line))

    def current_lines(self, path: str) -> dict[int, int]:
        """Return where the lines of the last readable text are in the current text.

        Returns:
            The number of each unchanged line in the current text, from 1, by its number
            in the last text that could be parsed.
        """
        readable_lines = split_lines(self.last_readable_text(path))
        return match_lines(readable_lines, self.lines(path))

    def last_readable_file(self, modular: str) -> ModularFile | None:
        """Return a modular file with its last readable text.

        Returns:
            The file, or None if it cannot be read, for example because it is missing.
        """
        return self.converter.read(modular, self.last_readable_text(modular))

    def is_modular(self, path: str) -> bool:
        """Return whether a path is that of a modular file in a models folder."""
        return is_modular_name(path) and self.project.is_in_models_folder(path)

    def diagnostics(self, modular: str) -> list[Diagnostic]:
        """Return the diagnostics of a modular file that are known so far.

        Args:
            modular: Path of the modular file.

        Returns:
            Diagnostics at the levels of the settings, sorted by place.
        """
        state = self.states.cached(modular)
        if state is None:
            return []
        levels = self.project.settings.lint
        return by_place(levels.apply(state.diagnostics, include_info=True))

    def generating_modular(self, path: str) -> str | None:
        """Return the modular file that generates a file; None for a hand-written file."""
        modular = self.project.generating_modular(path)
        if modular is None:
            return None
        generated_texts = self.states.convert_if_stale(modular).last_good.texts
        return modular if path in generated_texts else None

    def diagnose(self, modular: str) -> Steps:
        """Convert a modular file and publish its diagnostics.

        If the file is in a cycle of files that inherit from each other, this cycle is
        its only diagnostic.

        Yields:
            None between two steps, so that the server can answer the editor. If the text
            changes, the server drops the remaining steps.
        """
        yield from self.states.convert_in_steps(modular)
        yield
        state = yield from self.states.convert_and_find_undefined(modular)
        cycle = self._find_cycle(modular)
        if modular in cycle:
            parent = cycle[cycle.index(modular) + 1]
            place = self.converter.place_of_import(modular, parent)
            state.diagnostics = [cycle_problem(cycle, place)]
        self._publish(modular)

    def update_open_files(self) -> Steps:
        """Diagnose the open modular files for which a parent file now has another text.

        If a parent file is generated, its own modular file is converted first, in memory.

        Yields:
            None between two steps, so that the server can answer the editor.
        """
        open_files = [modular for modular in self.texts if self.is_modular(modular)]
        # The open files and all their ancestors, each with the ones that it needs first.
        parents = {}
        for modular in walk(open_files, self._generating_parents):
            parents[modular] = self._generating_parents(modular)
        ancestors_first = list(parents)
        with suppress(CycleError):
            ancestors_first = list(TopologicalSorter(parents).static_order())
        files_with_children = set().union(*parents.values())

        for modular in ancestors_first:
            yield
            state_before = self.states.cached(modular)
            # If a parent has another text now, this converts again, to a new state.
            state = yield from self.states.convert_in_steps(modular)
            has_changed = state is not state_before or self._find_cycle(modular)
            if has_changed and modular in self.texts:
                yield from self.diagnose(modular)
            if modular in files_with_children:
                yield from self._refresh_output(modular)

    def outputs(self, path: str) -> Iterable[str]:
        """Return the files from which other models import the code of a file.

        A modular file cannot be imported, but the files that it generates can. These are
        the outputs of its last conversion without errors or, before the first conversion,
        all files that it could generate. For any other file, it is the file itself.
        """
        if not self.is_modular(path):
            return [path]
        state = self.states.cached(path)
        if state is not None:
            return state.last_good.texts
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
        return sorted(self.project.generating_modulars(self.index.parents(modular)))

    def _find_cycle(self, modular: str) -> list[str]:
        """Return a cycle of files among a modular file and its ancestors.

        A file that is not in the index yet counts as a file without parents, because
        diagnostics must not wait until it is read.

        Returns:
            The modular files of the cycle, each before its parent, such as A, B, A. The
            list is empty if there is no cycle.
        """

        @cache
        def indexed_parents(path: str) -> list[str]:
            """Return the parents of a file in the index; none of another file."""
            return self._generating_parents(path) if self.index.has(path) else []

        parents = {}
        for path in walk([modular], indexed_parents):
            parents[path] = indexed_parents(path)
        return find_cycle(parents)

    def _refresh_output(self, modular: str) -> Steps:
        """Let the models that inherit from a modular file read its newest output.

        After an unsaved edit, the files on disk are out of date. The newest output
        replaces them in memory only.

        Yields:
            None before the work, so that the server can answer the editor first.
        """
        yield
        yield from self.states.convert_and_inspect(modular)
        state = self.states.convert_and_format(modular)
        # The current text has errors. The formatted files belong to an older text.
        if not state.latest.texts:
            return
        # The formatter failed.
        if state.formatted is None:
            return

        for path, text in state.formatted.texts.items():
            previous_text = self.converter.load(path).text
            # A refresh makes the children stale, even if the text is the same.
            if previous_text != text.replace("\r\n", "\n"):
                self.states.refresh(path, text)
        if modular in self.texts:
            # The formatter may have added diagnostics.
            self._publish(modular)


def _choose_readable_text(path: str, text: str, earlier_text: str) -> str:
    """Return the text that stands for a file in which a statement is half typed.

    Usually this is the earlier text, which has more: where the new one has a blank line
    for `x = f(`, it may have `x = f(1)`. But if a class was typed since then, the earlier
    text lacks it, and the new one is returned.

    Args:
        path: The path of the file.
        text: The new text, without the half-typed statement.
        earlier_text: The last text without syntax errors.
    """
    class_headers = _class_headers(path, text)
    has_new_class = not class_headers <= _class_headers(path, earlier_text)
    return text if has_new_class else earlier_text


def _class_headers(path: str, text: str) -> set[str]:
    """Return the headers of the classes in a text, such as `class A(B):`."""
    headers = set()
    for statement in read_module(path, text).block.statements:
        if statement.kind is Kind.CLASS:
            headers.add(view_definition(statement).header.text.strip())
    return headers
