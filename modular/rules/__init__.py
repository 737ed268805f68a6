"""The rules of the modular language, one module for each rule.

The modules take statements of modular files and parent files, and return merged, renamed
or sorted statements. Each docstring is the page of its rule; its examples are tests.
"""
