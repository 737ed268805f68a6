"""Renders results for people and for other programs.

Input: reports, diagnostics and graphs.
Output: text, diffs, tables, JSON, SARIF, GitHub annotations, Markdown or drawings.
"""
