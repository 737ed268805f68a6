"""Runs over many models.

In: targets and options. A run selects models, converts them in parallel, and compares
or writes their files. Out: a `Report` of plain values.
"""
