"""`modular rule`."""

import sys

import click

from modular.cli import error_book, rule_book
from modular.cli.printing import echo
from modular.cli.suggesting import suggestion
from modular.source.diagnostics import Problem


@click.command("rule")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """Explain a rule of the modular language or an error, with a before and an after.

    NAME is a rule's name (`del-attribute`) or a code (`MOD202`); none lists them all.
    """
    if name is None:
        _list()
    elif (entry := error_book.find(name)) is not None:
        echo(entry.as_text(), nl=False)
    else:
        try:
            echo(rule_book.find(name).text, nl=False)
        except rule_book.UnknownRuleError:
            known = [rule.name for rule in rule_book.rules()] + [
                each for code in Problem for each in (code.id, code.title)
            ]
            near = suggestion(name, known)
            echo(f"error: no rule and no error `{name}`.{near} `modular rule` lists them all.", err=True)
            sys.exit(2)


def _list() -> None:
    formatter = click.HelpFormatter(width=120, max_width=120)
    with formatter.section("Rules"):
        formatter.write_dl([(rule.name, rule.summary) for rule in rule_book.rules()])
    with formatter.section("Errors and warnings"):
        formatter.write_dl([(code.id, f"{code.title}: {error_book.explain(code).summary}") for code in Problem])
    echo(formatter.getvalue(), nl=False)
