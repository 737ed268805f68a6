"""Renames symbols, and adds overrides where a model would otherwise change."""

from dataclasses import replace

from modular.conversion.converter import Converter
from modular.infer.lift import lift_texts
from modular.project.project import Project
from modular.refactor.rename import Rename, rename_in
from modular.run.options import Options
from modular.source.module import normalize_text


def rename(symbol: str, new: str, *, options: Options = Options()) -> Rename:
    """Return the edits that rename a symbol in a project.

    Nothing is written.

    Args:
        symbol: The name of a class, function, method or attribute, dotted if it is
            ambiguous: `LlamaMLP`, `LlamaMLP.act_fn`, `LlamaConfig.hidden_size`,
            `models.llama.modeling_llama.LlamaMLP`.
        new: The new name, without dots.
        options: The project and its settings.

    Raises:
        modular.refactor.errors.RenameError: The rename is refused.
        modular.ModularError: The models cannot be converted, as in `modular.check`.
    """
    return rename_with_overrides(options.open(), symbol, new, options)


def rename_with_overrides(
    project: Project, symbol: str, new: str, options: Options = Options()
) -> Rename:
    """Return the edits that rename a symbol, and overrides in models that it would change.

    The project is open already. `rename` opens it, and does the same.
    """
    return rename_in(project, symbol, new, options, override=override_code)


def override_code(project: Project, modular: str) -> str | None:
    """Return a modular file with overrides for all edits of its generated files.

    For example, it overrides a method that was edited in a generated file.

    Args:
        project: The project, with the edited generated files as unsaved texts.
        modular: The modular file.

    Returns:
        The text; None if no overrides generate exactly the edited files.
    """
    sources = {}
    for path, text in project.unsaved.items():
        sources[path] = normalize_text(text)
    edited_project = replace(project, unsaved=sources)

    modular_file = Converter(edited_project, {}).read(modular)
    edited_texts = {}
    if modular_file is not None:
        classes = modular_file.definitions.classes
        for path in edited_project.expected_outputs(modular, classes):
            edited_texts[path] = edited_project.load(path, {}).text

    lifted = lift_texts(edited_project, modular, edited_texts)
    if lifted.left or lifted.diagnostics:
        return None
    # Only the modular file may change.
    if len(lifted.files) != 1:
        return None
    return lifted.files[0].after
