"""What a modular file generates, line by line: the live preview, and the origin of a generated line."""

from collections.abc import Sequence
from typing import Any

from modular.lsp.project_file import ProjectFile
from modular.provenance.origins import BlamedLine, blamed_lines
from modular.source import module as modules
from modular.source.blocks import Statement
from modular.source.diagnostics import Place
from modular.source.diffs import matching_blocks
from modular.source.module import Module


METHOD = "modular/preview"


def preview(file: ProjectFile) -> list[dict[str, Any]]:
    """Return the files that a modular file generates, or last generated without errors; none for any other file.

    Each has its `uri` and `text`; `lines` pairs lines of the modular file and of this one, from 0, sorted.
    """
    if not file.is_modular:
        return []
    definitions = modules.read(
        file.path, file.workspace.text(file.path)
    ).block.statements
    generated = []
    for path, text in formatted_texts(file, file.path).items():
        lines = _pairs(file, definitions, modules.read(path, text))
        generated.append({"uri": file.uri_of(path), "text": text, "lines": lines})
    return generated


def _pairs(
    file: ProjectFile, definitions: Sequence[Statement], output: Module
) -> list[tuple[int, int]]:
    """Pair each definition of a modular file, and each line of it, with the first line of the output that comes from it."""
    generated = {
        statement.name: statement.line
        for statement in output.block.statements
        if statement.is_definition
    }
    pairs = {
        statement.line - 1: generated[statement.name] - 1
        for statement in definitions
        if statement.name in generated
    }
    for index, origin in enumerate(_origins(file, file.path, output)):
        if origin.place is not None and origin.path == file.path:
            pairs.setdefault(origin.place.line - 1, index)
    return sorted(pairs.items())


def formatted_texts(file: ProjectFile, modular: str) -> dict[str, str]:
    """Return what a modular file last generated without errors, by path, formatted as far as it could be."""
    state = file.workspace.states.with_formatted(modular)
    formatted = state.formatted.texts if state.formatted is not None else {}
    return {
        path: formatted.get(path, text).replace("\r\n", "\n")
        for path, text in state.good.texts.items()
    }


def _origins(file: ProjectFile, modular: str, output: Module) -> Sequence[BlamedLine]:
    """Where each line of an output comes from."""
    files = file.workspace.states.current(modular).good.files
    (unformatted,) = (generated for generated in files if generated.path == output.path)
    return list(blamed_lines(unformatted, output, file.workspace.lines))


def origin_of(file: ProjectFile, line: int) -> Place | None:
    """Return where a line (from 1) of a generated file comes from, as the editor has it; None if the converter made it."""
    modular = file.workspace.generator(file.path)
    text = (
        formatted_texts(file, modular).get(file.path) if modular is not None else None
    )
    if modular is None or text is None:
        return None
    number = _same_line(file.workspace.lines(file.path), text.split("\n"), line)
    if number is None:
        return None
    return _origins(file, modular, modules.read(file.path, text))[number - 1].place


def _same_line(shown: list[str], generated: list[str], line: int) -> int | None:
    """The line of what would be generated that is a line of what the editor shows, which may have been edited."""
    for start, begin, size in matching_blocks(shown, generated):
        if start <= line - 1 < start + size:
            return min(begin + line - start, len(generated) - 1)
    return None
