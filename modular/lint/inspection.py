"""Runs all lint rules on one modular file."""

from collections.abc import Iterator, Sequence
from importlib import import_module
from pkgutil import iter_modules

from modular import lint
from modular.lint import output
from modular.lint.context import LintContext
from modular.lint.python_inheritance import applies, judge_by_python
from modular.lint.rule import LintRule
from modular.source.diagnostics import Diagnostic, prevents_conversion
from modular.system.steps import Work


def inspect(
    context: LintContext,
    before: Sequence[Diagnostic] = (),
    *,
    finds_info: bool = True,
) -> Work[list[Diagnostic]]:
    """Find all findings about a modular file, in at least one step for each rule.

    Args:
        context: The modular file and what is generated from it.
        before: The diagnostics that reading the file has given.
        finds_info: Whether to run the rules whose findings are all of level info.

    Yields:
        None after each step.

    Returns:
        The earlier diagnostics, those of merging the classes, and the findings of the
        rules.
    """
    findings = [*before, *context.layout.diagnostics]
    findings += yield from _run_rules(OUTPUT_RULES, context)
    # After an error in a generated file, more findings about its source are of no help.
    if not prevents_conversion(findings):
        levels = context.project.settings.lint
        rules: list[type[LintRule]] = []
        for rule_class in MODULAR_RULES:
            if finds_info or not levels.finds_only_info(rule_class.code):
                rules.append(rule_class)
        findings += yield from _run_rules(rules, context)
    # With the setting `inheritance = "python"`, some findings become errors.
    if context.is_like_python:
        findings = [judge_by_python(finding) for finding in findings]
    return findings


def _run_rules(
    rules: Sequence[type[LintRule]], context: LintContext
) -> Work[list[Diagnostic]]:
    """Run some rules in steps, and return their findings."""
    findings: list[Diagnostic] = []
    for rule_class in rules:
        if not applies(rule_class.code, context.is_like_python):
            continue
        rule = rule_class(context)
        yield from rule.check_in_steps()
        findings += rule.findings
    return findings


def _find_rules(package: str, folders: Sequence[str]) -> Iterator[type[LintRule]]:
    """Yield the lint rules that the modules of a package define, module by module.

    Base classes of rules are left out: they define no `code`.

    Args:
        package: The dotted name of the package.
        folders: The folders of its modules, as in its `__path__`.
    """
    names = [entry.name for entry in iter_modules(folders) if not entry.ispkg]
    for name in sorted(names):
        module = import_module(f"{package}.{name}")
        for value in vars(module).values():
            is_class_of_rule = isinstance(value, type) and issubclass(value, LintRule)
            # A module also contains the rule classes that it imports.
            if not is_class_of_rule or value.__module__ != module.__name__:
                continue
            if "code" in vars(value):
                yield value


OUTPUT_RULES = tuple(_find_rules(output.__name__, output.__path__))
"""The rules about generated files, some of which are errors."""

MODULAR_RULES = tuple(_find_rules(lint.__name__, lint.__path__))
"""The rules about the modular file."""

RULES = (*OUTPUT_RULES, *MODULAR_RULES)
