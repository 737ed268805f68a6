"""Completes model names in the shell. It imports little, because people wait for it."""

import re

from click import Context, Parameter
from click.shell_completion import CompletionItem

from modular.project.project import model_name
from modular.run.api import Options
from modular.settings.settings import SettingsError


_UNQUOTED_NAME = re.compile(r"[^\W_][\w.-]*")
"""Names without characters that a shell interprets; it does not quote completions."""


def complete_target(
    ctx: Context, param: Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete a target: the name of a model with a modular file, or else a path."""
    return _complete(ctx, incomplete, with_hand_written=False)


def complete_any_model(
    ctx: Context, param: Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the name of any model, modular or not, or else a path."""
    return _complete(ctx, incomplete, with_hand_written=True)


def _complete(
    ctx: Context, incomplete: str, *, with_hand_written: bool
) -> list[CompletionItem]:
    """Return the models whose names begin with an incomplete word of a command.

    Args:
        ctx: The command on the command line.
        incomplete: The word before the cursor.
        with_hand_written: Whether to include models without a modular file.

    Returns:
        The models. If there are none, the shell is asked to complete paths instead.
    """
    try:
        project = Options(root=ctx.params.get("root")).open()
    except SettingsError:
        # A message would disturb the line that the user is typing.
        return []

    models = project.model_names
    if not with_hand_written:
        models = frozenset(model_name(path) for path in project.modular_files)

    # A shell does not quote completions, so a name must not need quotes.
    completions = []
    for name in sorted(models):
        if name.startswith(incomplete) and _UNQUOTED_NAME.fullmatch(name):
            completions.append(CompletionItem(name))
    return completions or [CompletionItem(incomplete, type="file")]
