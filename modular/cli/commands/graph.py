"""The command `modular graph`."""

from pathlib import PurePosixPath

import click

from modular.cli.completion import complete_any_model
from modular.cli.help import GroupedCommand
from modular.cli.options import (
    output_format_option,
    pass_options,
    root_option,
    source_library_option,
)
from modular.cli.printing import echo, table_columns
from modular.cli.rendering import drawing
from modular.cli.rendering.json import print_object
from modular.cli.reporting import exit_with, print_diagnostics
from modular.cli.suggesting import suggestion
from modular.run.api import Options
from modular.run.selection import nothing_found
from modular.semantics.model_graph import Graph, find_unreadable_files, read_graph


@click.command(
    "graph",
    cls=GroupedCommand,
    examples={
        "modular graph olmo2": "Show the parents and children of a model.",
        "modular graph --output-format mermaid": "Print a diagram of the whole project for Mermaid.",
    },
)
@click.argument("model", required=False, shell_complete=complete_any_model)
@output_format_option("json", "mermaid")
@click.option(
    "--ancestors",
    is_flag=True,
    help="Show all models that MODEL depends on, directly or indirectly.",
)
@click.option(
    "--descendants",
    is_flag=True,
    help="Show all models that depend on MODEL, directly or indirectly.",
)
@root_option
@source_library_option
@pass_options
def command(
    model: str | None,
    options: Options,
    output_format: str,
    ancestors: bool,
    descendants: bool,
) -> None:
    """Show which models inherit from which.

    Arrows point from parents to children. With a MODEL, the command shows only its
    direct parents and children.
    """
    if model is None and (ancestors or descendants):
        raise click.UsageError("--ancestors and --descendants need a MODEL")
    project = options.open()
    if not project.modular_files:
        print_diagnostics([nothing_found(project)])
        exit_with(False)

    graph = read_graph(project)
    emphasized = None
    if model is not None:
        emphasized = _find_model(graph, model)
        graph = graph.around([emphasized], ancestors=ancestors, descendants=descendants)
    if output_format == "json":
        print_object(drawing.as_values(graph))
    elif output_format == "text":
        echo(drawing.text(graph, table_columns()), nl=False)
    else:
        echo(drawing.draw(graph, emphasized), nl=False)
        if len(graph.edges) > drawing.MAX_MERMAID_EDGES:
            echo(
                f"{len(graph.edges)} edges exceed Mermaid's limit of "
                f"{drawing.MAX_MERMAID_EDGES}; name a MODEL to draw a part",
                err=True,
            )

    unreadable_files = find_unreadable_files(project)
    print_diagnostics(unreadable_files)
    exit_with(not unreadable_files)


def _find_model(graph: Graph, model: str) -> str:
    """Return the name in the graph of the model that the user has typed.

    If models in different folders are called `llama`, their names in the graph begin with
    the folder, as in `models/llama`. The user must then type such a longer name.

    Raises:
        click.UsageError: No model, or more than one, has this name.
    """
    name = graph.find(model)
    if name is not None:
        return name
    candidates = []
    for graph_name in graph.names:
        if PurePosixPath(graph_name).name == model:
            candidates.append(f"`{graph_name}`")
    if candidates:
        listed = ", ".join(candidates)
        raise click.UsageError(
            f"several models are called `{model}`: name one of {listed}"
        )
    raise click.UsageError(f"no model `{model}`.{suggestion(model, graph.names)}")
