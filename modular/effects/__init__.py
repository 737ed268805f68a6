"""Finds the effects of a change of modular and parent files.

In: the texts of a project now and in a commit. Out: the generated files that change,
grouped by cause, and the places in modular files that break.
"""
