"""Converts one modular file.

Input: a modular file and its parent files. Output: a conversion with the unformatted
output files, in which the source of each line is known, and with errors and warnings.
"""
