"""Implements the command line: one module per command, and the rendering of results.

Input: the command's arguments and a project.
Output: text, JSON, SARIF or annotations, and an exit code.
"""
