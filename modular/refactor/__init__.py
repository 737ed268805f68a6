"""Changes hand-written files without changing what they mean: rename and autofixes.

In: a project with a symbol to rename, or with findings that have fixes. Out: the new
texts, after all models that they affect were converted with them in memory.
"""
