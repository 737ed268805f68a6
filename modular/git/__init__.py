"""Reads commits and differences from a git repository.

The functions take a folder and a commit, and return paths and contents of files. The
repository and its configuration are not trusted.
"""
