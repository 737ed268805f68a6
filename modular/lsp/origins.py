"""From a line of a generated file to the line that it comes from."""

from difflib import SequenceMatcher

from modular.lsp import syntax
from modular.lsp.workspace import Workspace
from modular.provenance.origins import Origins
from modular.source.diagnostics import Place
from modular.source.ruff import FormatterError


def of_line(workspace: Workspace, modular: str, path: str, line: int) -> Place | None:
    """Return where a line of a generated file, as the editor has it, comes from; None if the tool made it."""
    try:
        answer = workspace.answers.formatted(modular)
    except FormatterError:
        return None
    file = answer.good.unformatted().get(path)
    text = answer.formatted.texts.get(path) if answer.formatted is not None else None
    if file is None or text is None:
        return None
    module = syntax.module_of(path, text)
    found = _same_line(workspace.lines(path), module.lines, line)
    origin = Origins(file, module, workspace.lines).of(found) if found is not None else None
    return None if origin is None else Place(origin.path, origin.line)


def _same_line(shown: list[str], generated: list[str], line: int) -> int | None:
    """The line of what would be generated that is a line of what the editor shows, which may have been edited."""
    if shown == generated:
        return line if 0 < line < len(generated) else None
    for start, begin, size in SequenceMatcher(None, shown, generated, autojunk=False).get_matching_blocks():
        if start <= line - 1 < start + size:
            return min(begin + line - start, len(generated) - 1)
    return None
