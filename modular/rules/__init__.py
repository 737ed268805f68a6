"""One file for each rule of the modular language.

Each docstring says what its rule does and gives examples: a parent, a modular file, and what is generated. The examples are
run as tests.
"""
