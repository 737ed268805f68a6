"""The command `modular completion`."""

import click
from click.shell_completion import get_completion_class

from modular.cli.help import GroupedCommand
from modular.cli.printing import echo
from modular.cli.suggesting import NearChoice


@click.command(
    "completion",
    cls=GroupedCommand,
    examples={
        'eval "$(modular completion bash)"': "In ~/.bashrc.",
        'eval "$(modular completion zsh)"': "In ~/.zshrc.",
        "modular completion fish | source": "In ~/.config/fish/config.fish.",
        "modular completion powershell | Out-String | Invoke-Expression": "In $PROFILE.",
    },
)
@click.argument("shell", type=NearChoice(("bash", "zsh", "fish", "powershell")))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script that completes commands, options and models in a shell."""
    completion = get_completion_class(shell)
    if completion is None:
        raise click.ClickException(
            f"the installed click cannot complete for {shell}: "
            "run `pip install --upgrade click`"
        )
    script = completion(
        cli=ctx.find_root().command,
        ctx_args={},
        prog_name="modular",
        complete_var="_MODULAR_COMPLETE",
    )
    echo(script.source())
