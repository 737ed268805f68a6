"""`modular completion`."""

import click
from click.shell_completion import get_completion_class

from modular.cli.printing import echo
from modular.cli.suggesting import NearChoice


_SHELLS = ("bash", "zsh", "fish", "powershell")


@click.command("completion")
@click.argument("shell", type=NearChoice(_SHELLS))
def command(shell: str) -> None:
    """Print the script that completes commands, options and models in a shell.

    \b
    bash: eval "$(modular completion bash)"          in ~/.bashrc
    zsh:  eval "$(modular completion zsh)"           in ~/.zshrc
    fish: modular completion fish | source           in ~/.config/fish/config.fish
    powershell: modular completion powershell | Out-String | Invoke-Expression    in $PROFILE
    """
    from modular.cli.main import main

    complete = get_completion_class(shell)
    assert complete is not None, f"click has no completion for {shell}"
    echo(complete(main, {}, "modular", "_MODULAR_COMPLETE").source())
