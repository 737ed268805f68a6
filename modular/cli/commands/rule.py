"""`modular rule`."""

import click

from modular.cli.printing import echo
from modular.cli.suggesting import suggestion
from modular.lint import rule_book
from modular.source.diagnostics import Problem


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete the name of a rule, a code or its name."""
    return [name for name in _names() if name.startswith(incomplete)]


@click.command("rule")
@click.argument("name", required=False, shell_complete=_complete)
def command(name: str | None) -> None:
    """Explain a rule of the modular language, or an error or warning, with examples.

    NAME is a rule's name (`del-attribute`), a code (`MOD421`) or its name (`super-past-parent`); without it all are listed.
    """
    rules = {rule.name: rule for rule in rule_book.rules()}
    if name is None:
        _list()
    elif (rule := rules.get(name.lower().replace("_", "-"))) is not None:
        echo(rule.text, nl=False)
    elif (page := rule_book.find_page(name)) is not None:
        echo(f"{page.as_markdown()}\n{page.code.url}")
    else:
        near = suggestion(name, _names())
        raise click.ClickException(
            f"no rule and no error `{name}`.{near} `modular rule` lists them all."
        )


def _names() -> list[str]:
    """All that can be explained."""
    return [
        *(rule.name for rule in rule_book.rules()),
        *(word for code in Problem for word in (code.id, code.title)),
    ]


def _list() -> None:
    formatter = click.HelpFormatter(max_width=120)
    with formatter.section("Rules"):
        formatter.write_dl([(rule.name, rule.summary) for rule in rule_book.rules()])
    with formatter.section("Errors and warnings"):
        formatter.write_dl(
            [
                (code.id, f"{code.title}: {rule_book.page(code).summary}")
                for code in Problem
            ]
        )
    echo(formatter.getvalue(), nl=False)
