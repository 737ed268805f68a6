"""Answers requests for the live preview and for the origin of a generated line."""

from collections.abc import Sequence
from typing import Any

from modular.lsp.positions import match_lines, split_lines
from modular.lsp.project_file import ProjectFile
from modular.provenance.origins import BlamedLine, blamed_lines
from modular.source import module as modules
from modular.source.diagnostics import Place
from modular.source.module import Module


METHOD = "modular/preview"


def preview(file: ProjectFile) -> list[dict[str, Any]]:
    """Return the files that a modular file generates, for a view beside the editor.

    The files need not be on disk. If the modular file has errors now, these are the files
    of its last text without errors. If the file is not modular, the list is empty.

    Returns:
        For each generated file its `uri`, its `text`, and `lines`: sorted pairs of line
        numbers in the modular and in the generated file, from 0. If `(20, 75)` is a
        pair, and the editor scrolls to line 20, then the view scrolls to line 75.
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
    """Return pairs of a line of a modular file and the first line generated from it.

    The first line of a definition is paired by the name of the definition, since the
    header of a generated class may come from a parent class. Other lines are paired by
    their origin.

    Args:
        file: The modular file.
        modular: Its statements.
        output: The statements of a generated file.

    Returns:
        The pairs of line numbers from 0, sorted.
    """
    output_line_by_name = {}
    for statement in output.block.statements:
        if statement.is_definition:
            output_line_by_name[statement.name] = statement.line

    output_line_by_modular_line = {}
    for statement in modular.block.statements:
        if statement.name in output_line_by_name:
            output_line = output_line_by_name[statement.name]
            output_line_by_modular_line[statement.line] = output_line
    for output_line, origin in enumerate(_blame(file, file.path, output), start=1):
        if origin.path == file.path and origin.place is not None:
            # Only the first line that is generated from a modular line counts.
            output_line_by_modular_line.setdefault(origin.place.line, output_line)

    # Up to here, lines are counted from 1. Editors count from 0.
    pairs = sorted(output_line_by_modular_line.items())
    return [(modular_line - 1, output_line - 1) for modular_line, output_line in pairs]


def formatted_texts(file: ProjectFile, modular: str) -> dict[str, str]:
    """Return the texts that a modular file last generated without errors, by path.

    The modular file is converted first if it, or one of its parents, has changed. A
    text stays unformatted if the formatter failed. Lines end with a line feed.
    """
    state = file.workspace.states.convert_and_format(modular)
    texts = dict(state.last_good.texts)
    if state.formatted is not None:
        # A text with a syntax error has no formatted one.
        texts.update(state.formatted.texts)
    return {path: text.replace("\r\n", "\n") for path, text in texts.items()}


def is_edited(file: ProjectFile) -> bool:
    """Return whether the editor's text of a generated file differs from the new output."""
    modular = file.workspace.generating_modular(file.path)
    if modular is None:
        return False
    new_output = formatted_texts(file, modular).get(file.path)
    shown_text = file.workspace.text(file.path).replace("\r\n", "\n")
    return new_output is not None and new_output != shown_text


def _blame(file: ProjectFile, modular: str, output: Module) -> Sequence[BlamedLine]:
    """Return the origin of each line of a generated file.

    The result is empty if the modular file does not generate the file.

    Args:
        file: The file that the editor asks about.
        modular: The modular file that generates the output.
        output: The statements of a generated file, formatted.
    """
    for generated in file.workspace.states.convert_if_stale(modular).last_good.files:
        if generated.path == output.path:
            return list(blamed_lines(generated, output, file.workspace.lines))
    return []


def origin_of(file: ProjectFile, line: int) -> Place | None:
    """Return the place that a line of a generated file comes from.

    The place is in the modular file or in a parent file. The editor's text of the
    generated file may be edited or out of date, so the line is first found in the text
    that is generated now.

    Args:
        file: The generated file.
        line: Number of the line in the editor, from 1.

    Returns:
        The place, or None if the converter wrote the line itself or somebody edited it.
    """
    modular = file.workspace.generating_modular(file.path)
    if modular is None:
        return None
    text = formatted_texts(file, modular).get(file.path)
    if text is None:
        return None
    shown_lines = file.workspace.lines(file.path)
    generated_line = match_lines(shown_lines, split_lines(text)).get(line)
    if generated_line is None:
        return None
    origins = _blame(file, modular, modules.read(file.path, text))
    # Editors show an empty line below the last line break, which has no origin.
    return origins[min(generated_line, len(origins)) - 1].place
