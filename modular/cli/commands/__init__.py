"""Implements the subcommands, one per module.

Input: the arguments and options of a subcommand.
Output: what the API returns for them, printed, and an exit code.
"""
