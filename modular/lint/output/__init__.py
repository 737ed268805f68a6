"""Lint rules about generated files: each rule of the language was applied, and the result is wrong all the same.

They run before the other rules; if one of them finds an error, the files are not written.
"""
