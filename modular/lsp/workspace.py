"""One project as an editor sees it: the texts of its open files, what comes of them, and who depends on whom."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from modular.conversion.converter import Converter
from modular.conversion.memory import Memory
from modular.lsp.answers import Answer, Answers
from modular.lsp.documents import Spot
from modular.lsp.index import Index
from modular.lsp.worker import Steps
from modular.project.naming import MODULAR
from modular.project.opening import open_project
from modular.rules.files import file_types
from modular.rules.modular_file import ModularFile
from modular.run import circles
from modular.run.kept_mirror import KeptMirror
from modular.source.diagnostics import Diagnostic, by_place
from modular.source.ruff import FormatterError
from modular.source.walking import walk


class Workspace:
    """A project with the texts of its open files. Only one thread may use it.

    ``tell`` is called with the path of a file about which there is something new to say.
    """

    def __init__(self, root: Path, tell: Callable[[str], None]) -> None:
        """Raises `settings.SettingsError`."""
        self._root = root
        self._tell = tell
        self._mirror = KeptMirror(root)
        self.texts: dict[str, str] = {}
        self.index = Index()
        self.reopen()

    def reopen(self) -> None:
        """Read the settings and the list of models again. Raises `settings.SettingsError`; then all is as it was."""
        project = open_project(self._root)
        project.names.cased("")  # a table that cannot be read is an error of the project
        self.project = project
        self.converter = Converter(project, self.texts, memory=Memory())
        self.answers = Answers(project, self.converter, self._mirror, self._read)
        self._settled: dict[str, Answer] = {}
        self.index.forget(project.modular_files)

    def _read(self, modular: str) -> None:
        """Let the index know what a modular file takes."""
        self.index.set(modular, self.converter.read(modular) if self.converter.exists(modular) else None)

    def set_text(self, path: str, text: str | None) -> None:
        """Take the text of a file from the editor; None: it is closed, or has changed on disk.

        What the editor has of a generated file counts for nothing: its modular file says what others see.
        """
        if text is not None:
            self.texts[path] = text
        else:
            self.texts.pop(path, None)
        if self.generator(path) is None:
            self.answers.refresh(path, text)

    def look_at_disk(self, path: str) -> None:
        """Take a file, which is not open, as it is on disk now."""
        if (modular := self.project.generator(path)) is not None:
            self._settled.pop(modular, None)
        self.answers.refresh(path, None)
        if self.is_modular(path):
            self._read(path)

    def text(self, path: str) -> str:
        """Return the text of a file: what the editor has, else what is on disk; empty if it cannot be read."""
        return self.texts[path] if path in self.texts else self.converter.load(path).text

    def lines(self, path: str) -> list[str]:
        """Return the lines of a file."""
        return self.text(path).split("\n")

    def readable(self, path: str, spot: Spot) -> tuple[str, Spot]:
        """Return the text of a file and a place in it; of a modular file that is half typed, as it was before.

        The place is then on the line that says the same, if there is one.
        """
        text = self.text(path)
        last = self.answers.of(path).readable if self.is_modular(path) else text
        if last == text:
            return text, spot
        lines, before = text.split("\n"), last.split("\n")
        line = lines[spot.line - 1] if spot.line <= len(lines) else ""
        same = [number for number, each in enumerate(before, start=1) if each == line]
        return last, Spot(min(same, key=lambda number: abs(number - spot.line), default=spot.line), spot.column)

    def file(self, modular: str) -> ModularFile | None:
        """Return a modular file, or None if it cannot be read; one that is half typed as it was before."""
        return self.converter.read(modular, self.readable(modular, Spot(1, 1))[0])

    def is_modular(self, path: str) -> bool:
        """Whether a path is that of a modular file in one of the models' folders."""
        name = path.rpartition("/")[2]
        below = any(path.startswith(f"{folder}/") for folder in self.project.models_folders)
        return below and name.startswith(MODULAR) and name.endswith(".py")

    def is_model_file(self, path: str) -> bool:
        """Whether a path is that of a model file, from which others may inherit."""
        stem = path.rpartition("/")[2].removesuffix(".py")
        return path.endswith(".py") and file_types.of_file(stem, self.project.settings) is not None

    def found(self, modular: str) -> list[Diagnostic]:
        """Return what is wrong with a modular file as far as it is known, sorted by place, at the levels of the settings."""
        answer = self.answers.known(modular)
        return by_place(self.project.settings.lint.apply(answer.diagnostics)) if answer is not None else []

    def generator(self, path: str) -> str | None:
        """Return the modular file that a file is generated from, if it is."""
        modular = self.project.generator(path)
        return modular if modular is not None and path in self.answers.of(modular).good.texts else None

    def diagnose(self, modular: str) -> Steps:
        """Convert a modular file and tell what is wrong with it."""
        self.answers.of(modular)
        yield  # somebody may have typed on
        try:
            self.answers.look_for_undefined(modular)
        except FormatterError:
            pass  # without ruff the rest is still true
        self._refuse_circle(modular)
        self._tell(modular)

    def _refuse_circle(self, modular: str) -> None:
        """Say of a modular file that takes from itself, through others, only that."""
        circle = self._circle(modular)
        for child, parent in pairwise(circle):
            if child == modular:
                place = self.converter.place_of_import(child, parent)
                self.answers.of(modular).diagnostics = [circles.problem(circle, place)]

    def _circle(self, modular: str) -> Sequence[str]:
        """A circle behind a modular file, among those that were read: the first diagnostics do not wait for its parents."""
        found: dict[str, list[str]] = {}
        for each in walk([modular], lambda each: found[each]):
            found[each] = self._generating_parents(each) if self.index.knows(each) else []
        return circles.find(found)

    def settle(self, path: str) -> Steps:
        """Bring up to date what depends on a file that has changed, once nobody types: all that is generated from it."""
        if self.is_modular(path):
            yield from self._settle_model(path)
        for modular in self.dependents(path):
            yield from self.diagnose(modular)
            yield from self._settle_model(modular)
            if modular not in self.texts:
                self.answers.trim(modular)

    def look_at_parents(self, modular: str) -> Steps:
        """See to it that a modular file is converted against what its parents' modular files say, not an older state."""
        before = self.answers.of(modular)
        for each in reversed(list(walk([modular], self._generating_parents))[1:]):
            yield from self._settle_model(each)
        if self.answers.of(modular) is not before or self._circle(modular):
            yield from self.diagnose(modular)

    def _generating_parents(self, modular: str) -> list[str]:
        """The modular files that generate the parent files of another."""
        if not self.index.knows(modular):
            self._read(modular)
        parents = self.index.parents(modular)
        return sorted({found for path in parents if (found := self.project.generator(path)) is not None})

    def _settle_model(self, modular: str) -> Steps:
        """Format what a modular file generates, and let others see it where it is not what is on disk."""
        if self._settled.get(modular) is self.answers.of(modular):
            return
        yield
        try:
            answer = self.answers.formatted(modular)
        except FormatterError:
            return
        self._settled[modular] = answer
        if answer.is_good and answer.formatted is not None:
            for path, text in answer.formatted.texts.items():
                self._show(path, text)
            self._tell(modular)

    def _show(self, path: str, text: str) -> None:
        """Let others see what would be generated, where it is not what they see already."""
        if self.converter.load(path).text != text.replace("\r\n", "\n"):
            self.answers.refresh(path, text)

    def dependents(self, path: str) -> list[str]:
        """Return the modular files that take something from a file, directly or not, the nearest first."""
        return [each for each in walk([path], self._children) if each != path]

    def _children(self, path: str) -> Iterator[str]:
        """The modular files that take something from what a file is, or from what is generated from it."""
        for parent in self.outputs(path) if self.is_modular(path) else [path]:
            yield from dict.fromkeys(use.modular for use in self.index.uses(parent))

    def outputs(self, modular: str) -> Iterable[str]:
        """What is generated from a modular file, or would be."""
        known = self.answers.known(modular)
        types = self.project.settings.all_file_types
        return known.good.texts if known is not None else [self.project.output_path(modular, each) for each in types]

    def read_index(self) -> Steps:
        """Read which modular file takes what from which, a few at a time."""
        for modular in self.project.modular_files:
            if not self.index.knows(modular):
                self._read(modular)
                yield
