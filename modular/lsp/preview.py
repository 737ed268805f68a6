"""What a modular file generates, line by line: the live preview, and the origin of a generated line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import attrs

from modular.lsp.model_states import FORMATTER_ERRORS, ModelState
from modular.lsp.project_file import ProjectFile
from modular.provenance.origins import LineOrigin, line_origins
from modular.source import module as modules
from modular.source.blocks import Statement
from modular.source.diagnostics import Place
from modular.source.diffs import matching_blocks
from modular.source.module import Module


METHOD = "modular/preview"


@attrs.frozen
class GeneratedFile:
    """A file as it would be generated. ``lines`` pairs lines of the modular file and of this one, from 0, sorted."""

    uri: str
    text: str
    lines: list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class _Output:
    path: str
    module: Module
    origins: Sequence[LineOrigin | None]

    @property
    def text(self) -> str:
        """The whole text."""
        return self.module.code.text


def preview(file: ProjectFile) -> list[GeneratedFile]:
    """Return the files that a modular file generates, or last generated without errors; none for any other file."""
    if not file.is_modular:
        return []
    definitions = modules.read(file.path, file.workspace.text(file.path)).block.statements
    return [
        GeneratedFile(file.uri_of(output.path), output.text, _pairs(file.path, definitions, output))
        for output in _outputs(file, file.path)
    ]


def _pairs(modular: str, definitions: Sequence[Statement], output: _Output) -> list[tuple[int, int]]:
    """Pair each definition of a modular file, and each line of it, with the first line of the output that comes from it."""
    pairs: dict[int, int] = {}
    generated = {each.name: each.line for each in output.module.block.statements if each.is_definition}
    for statement in definitions:
        if statement.name in generated:
            pairs[statement.line - 1] = generated[statement.name] - 1
    for index, origin in enumerate(output.origins):
        if origin is not None and origin.path == modular:
            pairs.setdefault(origin.line - 1, index)
    return sorted(pairs.items())


def formatted_texts(state: ModelState) -> dict[str, str]:
    """Return the texts of the files of the last good conversion, formatted as far as they could be."""
    formatted = state.formatted.texts if state.formatted is not None else {}
    return {path: formatted.get(path, text).replace("\r\n", "\n") for path, text in state.good.texts.items()}


def state_with_formatted(file: ProjectFile, modular: str) -> ModelState:
    """Return the state of a modular file, formatted unless there is no formatter."""
    try:
        return file.workspace.states.with_formatted(modular)
    except FORMATTER_ERRORS:
        return file.workspace.states.current(modular)


def _outputs(file: ProjectFile, modular: str) -> Iterator[_Output]:
    state = state_with_formatted(file, modular)
    texts = formatted_texts(state)
    for unformatted in state.good.files:
        module = modules.read(unformatted.path, texts[unformatted.path])
        yield _Output(unformatted.path, module, line_origins(unformatted, module, file.workspace.lines))


def origin_of(file: ProjectFile, line: int) -> Place | None:
    """Return where a line (from 1) of a generated file comes from, as the editor has it; None if the converter made it."""
    modular = file.workspace.generator(file.path)
    output = next((each for each in _outputs(file, modular or "") if each.path == file.path), None)
    if output is None:
        return None
    number = _same_line(file.workspace.lines(file.path), output.text.split("\n"), line)
    origin = output.origins[number - 1] if number is not None else None
    return None if origin is None else Place(origin.path, origin.line)


def _same_line(shown: list[str], generated: list[str], line: int) -> int | None:
    """The line of what would be generated that is a line of what the editor shows, which may have been edited."""
    for start, begin, size in matching_blocks(shown, generated):
        if start <= line - 1 < start + size:
            return min(begin + line - start, len(generated) - 1)
    return None
