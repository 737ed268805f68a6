"""Completes models' names in the shell: quick, because it happens while somebody types."""

import os
import re
from collections.abc import Callable, Iterable

from click import Context, Parameter
from click.shell_completion import CompletionItem

from modular.project.project import Project, model_name
from modular.rules.settings import SettingsError
from modular.run.api import Options


_PLAIN = re.compile(r"\w[\w.-]*")
"""Names that a shell takes as they are: it does not quote what it completes."""


def complete_target(ctx: Context, param: Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a target: a model with a modular file, or else a path."""
    return _complete(ctx, incomplete, _modular_models)


def complete_any_model(ctx: Context, param: Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a model, written by hand or not, or else a path."""
    return _complete(ctx, incomplete, _all_models)


def _complete(ctx: Context, incomplete: str, models: Callable[[Project], Iterable[str]]) -> list[CompletionItem]:
    try:
        project = Options(root=ctx.params.get("root")).open()
    except SettingsError:
        return []
    names = sorted({name for name in models(project) if name.startswith(incomplete) and _PLAIN.fullmatch(name)})
    return [CompletionItem(name) for name in names] or [CompletionItem(incomplete, type="file")]


def _modular_models(project: Project) -> Iterable[str]:
    return map(model_name, project.modular_files)


def _all_models(project: Project) -> Iterable[str]:
    folders = (entry for folder in project.models_folders for entry in os.scandir(project.root / folder))
    by_hand = (entry.name for entry in folders if entry.is_dir() and not entry.name.startswith(("_", ".")))
    return [*_modular_models(project), *by_hand]
