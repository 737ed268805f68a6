"""Writes static pages that show where generated lines come from.

In: converted models and, for a change, their texts in a commit. Out: one HTML page for
each model and source file, and a start page.
"""
