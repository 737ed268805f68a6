"""The command `modular rule`."""

import sys

import click

from modular.cli.help import GroupedCommand
from modular.cli.printing import echo, echo_painted, in_colour, terminal_columns
from modular.cli.rendering.markdown import render_markdown
from modular.cli.rendering.terminal import coloured, plain
from modular.cli.suggesting import suggestion
from modular.lint import rule_book
from modular.source.diagnostics import Problem
from modular.system.printable import clean


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete the name of a rule, or the number or title of a code."""
    return [name for name in _all_names() if name.startswith(incomplete)]


@click.command(
    "rule",
    cls=GroupedCommand,
    examples={
        "modular rule": "List all rules and codes.",
        "modular rule MOD421": "Explain a warning.",
    },
)
@click.argument("name", required=False, shell_complete=_complete)
def command(name: str | None) -> None:
    """Explain a rule of the modular language, an error or a warning, with examples.

    NAME is the name of a rule (`del-attribute`), or the code or name of an error or
    warning (`MOD421`, `super-past-parent`). Without NAME, the command lists all rules
    and codes.
    """
    if name is None:
        _print_list()
        return

    for rule in rule_book.rules():
        if rule.name == name.lower().replace("_", "-"):
            _print_page(rule.text)
            return
    page = rule_book.find_page(name)
    if page is None:
        hint = suggestion(name, _all_names()) or _names_with_word(name)
        raise click.ClickException(
            f"no rule and no error `{name}`.{hint} `modular rule` lists them all."
        )
    _print_page(f"{page.as_markdown()}\n{page.code.url}\n")


def _print_page(markdown: str) -> None:
    """Print a page: rendered on a terminal, and as Markdown into a file or pipe."""
    columns = terminal_columns(sys.stdout)
    if columns is None:
        echo(markdown, nl=False)
        return
    colour = in_colour(sys.stdout)
    page = render_markdown(clean(markdown), columns, coloured if colour else plain)
    echo_painted(page, colour=colour, err=False)


def _all_names() -> list[str]:
    """Return the names of all rules, and the numbers and titles of all codes."""
    names = [rule.name for rule in rule_book.rules()]
    for code in Problem:
        names += [code.id, code.title]
    return names


def _names_with_word(word: str) -> str:
    """Return a sentence with the names that contain a word, or "" if none does."""
    names = [f"`{name}`" for name in _all_names() if word.lower() in name.split("-")]
    return f" These names contain it: {', '.join(names)}." if names else ""


def _print_list() -> None:
    """Print the names of all rules, and the codes of all errors and warnings."""
    rules = [(rule.name, rule.summary) for rule in rule_book.rules()]
    codes = []
    for code in Problem:
        codes.append((code.id, f"{code.title}: {rule_book.page(code).summary}"))

    formatter = click.HelpFormatter()
    with formatter.section("Rules"):
        formatter.write_dl(rules)
    with formatter.section("Errors and warnings"):
        formatter.write_dl(codes)
    echo(formatter.getvalue(), nl=False)
