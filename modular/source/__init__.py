"""Python sources as text: statements, slices, syntax trees of statements, diagnostics.

The text of a file goes in; immutable statements that remember their file and line come
out. Nothing here knows the rules of modular files.
"""
