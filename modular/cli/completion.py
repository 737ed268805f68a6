"""Completes models' names in the shell: quick, because it happens while somebody types."""

import re

from click import Context, Parameter
from click.shell_completion import CompletionItem

from modular.project.project import model_name
from modular.run.api import Options
from modular.settings.settings import SettingsError


_PLAIN = re.compile(r"[^\W_][\w.-]*")
"""Names that a shell takes as they are: it does not quote what it completes."""


def complete_target(
    ctx: Context, param: Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete a target: a model with a modular file, or else a path."""
    return _complete(ctx, incomplete)


def complete_any_model(
    ctx: Context, param: Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete a model, written by hand or not, or else a path."""
    return _complete(ctx, incomplete, by_hand=True)


def _complete(
    ctx: Context, incomplete: str, *, by_hand: bool = False
) -> list[CompletionItem]:
    try:
        project = Options(root=ctx.params.get("root")).open()
    except SettingsError:
        return []
    models = {
        *map(model_name, project.modular_files),
        *(folder.name for folder in project.model_folders if by_hand),
    }
    names = sorted(
        name
        for name in models
        if name.startswith(incomplete) and _PLAIN.fullmatch(name)
    )
    return [CompletionItem(name) for name in names] or [
        CompletionItem(incomplete, type="file")
    ]
