"""Formats generated files with ruff or black.

Input: the unformatted texts of many files. Output: the formatted texts, syntax errors
and undefined names. The formatter sees the project's own formatter settings.
"""
