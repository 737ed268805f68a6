"""`modular help`."""

import click


@click.command("help")
@click.argument("name", metavar="[COMMAND]", required=False)
@click.pass_context
def command(ctx: click.Context, name: str | None) -> None:
    """Show the help of a command; without one, of all."""
    ctx.find_root().command.main([*filter(None, [name]), "--help"], prog_name=ctx.find_root().info_name)
