"""Lint rules: findings about a modular file and the files that are generated from it.

In goes a `LintContext`, out come diagnostics with autofixes; `inspection.inspect` runs all rules.
Each rule is one class whose docstring is its page; `rule_book` collects the pages.
"""
