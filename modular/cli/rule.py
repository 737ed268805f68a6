"""`modular rule`."""

import sys

import click

from modular.cli import rule_book
from modular.cli.printing import echo
from modular.cli.rule_pages import find_page, page
from modular.cli.suggesting import suggestion
from modular.source.diagnostics import Problem


@click.command("rule")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """Explain a rule of the modular language, or an error or warning, with examples.

    NAME is a rule's name (`del-attribute`), a code (`MOD421`) or its name (`super-past-parent`); without it all are listed.
    """
    if name is None:
        _list()
    elif (found := find_page(name)) is not None:
        echo(f"{found.as_markdown()}\n{found.code.url}")
    else:
        try:
            echo(rule_book.find(name).text, nl=False)
        except rule_book.UnknownRuleError:
            codes = [name for code in Problem for name in (code.id, code.title)]
            known = [*(rule.name for rule in rule_book.rules()), *codes]
            near = suggestion(name, known)
            echo(f"error: no rule and no error `{name}`.{near} `modular rule` lists them all.", err=True)
            sys.exit(2)


def _list() -> None:
    formatter = click.HelpFormatter(width=120, max_width=120)
    with formatter.section("Rules"):
        formatter.write_dl([(rule.name, rule.summary) for rule in rule_book.rules()])
    with formatter.section("Errors and warnings"):
        formatter.write_dl([(code.id, f"{code.title}: {page(code).summary}") for code in Problem])
    echo(formatter.getvalue(), nl=False)
