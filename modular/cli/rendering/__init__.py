"""Renders results for people and for other programs.

Input: reports, diagnostics and graphs.
Output: text, diffs, tables, JSON, GitHub annotations, or Markdown.
"""
