"""Answers requests for the live preview and for the origin of a generated line."""

from collections.abc import Sequence
from typing import Any

from modular.lsp.project_file import ProjectFile
from modular.provenance.origins import BlamedLine, blamed_lines
from modular.source import module as modules
from modular.source.diagnostics import Place
from modular.source.diffs import matching_blocks
from modular.source.module import Module


METHOD = "modular/preview"


def preview(file: ProjectFile) -> list[dict[str, Any]]:
    """Return the files that a modular file generates.

    If it has errors, these are the files that it generated last without errors. The
    result is empty if the file is not a modular file.

    Returns:
        For each generated file its `uri`, its `text`, and `lines`: pairs of a line of
        the modular file and a line of the generated file, from 0, sorted.
    """
    if not file.is_modular:
        return []
    modular = modules.read(file.path, file.workspace.text(file.path))
    previews = []
    for path, text in formatted_texts(file, file.path).items():
        lines = _pair_lines(file, modular, modules.read(path, text))
        previews.append({"uri": file.uri_of(path), "text": text, "lines": lines})
    return previews


def _pair_lines(
    file: ProjectFile, modular: Module, output: Module
) -> list[tuple[int, int]]:
    """Return lines of a modular file, each with the first line generated from it.

    The first line of a definition is paired with that of the generated definition.
    """
    first_lines = {}
    for statement in output.block.statements:
        if statement.is_definition:
            first_lines[statement.name] = statement.line - 1

    output_lines = {}
    for statement in modular.block.statements:
        if statement.name in first_lines:
            output_lines[statement.line - 1] = first_lines[statement.name]
    for output_line, origin in enumerate(_blame(file, file.path, output)):
        if origin.path == file.path and origin.place is not None:
            output_lines.setdefault(origin.place.line - 1, output_line)
    return sorted(output_lines.items())


def formatted_texts(file: ProjectFile, modular: str) -> dict[str, str]:
    """Return the texts that a modular file last generated without errors, by path.

    The texts are unformatted if the formatter failed.
    """
    state = file.workspace.states.with_formatted(modular)
    texts = dict(state.good.texts)
    if state.formatted is not None:
        for path in texts:
            texts[path] = state.formatted.texts.get(path, texts[path])
    return {path: text.replace("\r\n", "\n") for path, text in texts.items()}


def _blame(file: ProjectFile, modular: str, output: Module) -> Sequence[BlamedLine]:
    """Return the origin of each line of an output."""
    for generated in file.workspace.states.current(modular).good.files:
        if generated.path == output.path:
            return list(blamed_lines(generated, output, file.workspace.lines))
    return []


def origin_of(file: ProjectFile, line: int) -> Place | None:
    """Return the origin of a line of a generated file as the editor shows it.

    Args:
        file: The generated file.
        line: Number of the line, from 1.

    Returns:
        The origin, or None if the line comes from the converter or from an edit of the
        generated file.
    """
    modular = file.workspace.generator(file.path)
    if modular is None:
        return None
    text = formatted_texts(file, modular).get(file.path)
    if text is None:
        return None
    shown_lines = file.workspace.lines(file.path)
    generated_line = _find_generated_line(shown_lines, text.split("\n"), line)
    if generated_line is None:
        return None
    origins = _blame(file, modular, modules.read(file.path, text))
    return origins[generated_line - 1].place


def _find_generated_line(
    shown_lines: list[str], generated_lines: list[str], line: int
) -> int | None:
    """Return the number of the generated line that the editor shows at a line.

    Args:
        shown_lines: The lines of the generated file in the editor.
        generated_lines: The lines that the converter generates.
        line: A number of a shown line, from 1.

    Returns:
        The number from 1, or None if an edit has changed or added the shown line.
    """
    shown_index = line - 1
    # The text ends with a line break, so its last part is not a line.
    line_count = len(generated_lines) - 1
    blocks = matching_blocks(shown_lines, generated_lines)
    for shown_start, generated_start, size in blocks:
        if shown_start <= shown_index < shown_start + size:
            generated_index = generated_start + (shown_index - shown_start)
            return min(generated_index + 1, line_count)
    return None
