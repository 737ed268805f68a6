"""Lint rules: what is converted as it is written, but hardly as it was meant. One class a rule, and none changes a byte."""

from collections.abc import Iterator, Sequence
from importlib import import_module
from pkgutil import iter_modules

from modular import lint
from modular.lint import output
from modular.lint.rule import LintRule
from modular.lint.subject import LintContext
from modular.source.diagnostics import Diagnostic, prevents_writing


def _rules(package: str, folders: Sequence[str]) -> Iterator[type[LintRule]]:
    """The rules of all modules of a package: the classes that have a code."""
    for name in sorted(
        module.name for module in iter_modules(folders) if not module.ispkg
    ):
        module = import_module(f"{package}.{name}")
        classes = (
            var
            for var in vars(module).values()
            if isinstance(var, type) and issubclass(var, LintRule)
        )
        yield from (
            class_
            for class_ in classes
            if class_.__module__ == module.__name__ and "code" in vars(class_)
        )


REFUSING = tuple(_rules(output.__name__, output.__path__))
"""The rules among which are some that refuse what was generated: the others look at what passed these."""

RULES = (*REFUSING, *_rules(lint.__name__, lint.__path__))


def inspect(
    subject: LintContext, before: Sequence[Diagnostic] = ()
) -> list[Diagnostic]:
    """Return what was found ``before``, while the file was laid out, and what all rules find in it."""
    findings = [*before, *subject.layout.diagnostics, *_findings(REFUSING, subject)]
    return (
        findings
        if prevents_writing(findings)
        else [*findings, *_findings(RULES[len(REFUSING) :], subject)]
    )


def _findings(
    rules: Sequence[type[LintRule]], subject: LintContext
) -> Iterator[Diagnostic]:
    for rule_class in rules:
        rule = rule_class(subject)
        rule.check()
        yield from rule.findings
