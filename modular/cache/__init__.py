"""Keeps the results of conversions between runs.

Input: a project and the results of its modular files. Output: results that are still
up to date, and the modular files that changed files affect.
"""
