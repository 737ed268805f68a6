"""Merges the classes of a modular file into their parents' classes.

Input: a modular file and its renamed parent files. Output: a layout, which says what
each output file contains, and output files in which the source of each line is known.
"""
