"""Tells from which source line each generated line comes: blame, where, tracebacks.

In: the output files of a conversion, with the origin of each run of lines. Out: the
origin of each line of the formatted files, and the generated lines of a source line.
"""
