"""Lint rules: findings about modular files and the files generated from them.

One class for each rule. `inspection.inspect` runs them all; `rule_book` holds their pages.
"""
