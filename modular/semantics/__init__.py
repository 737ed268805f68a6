"""Tells what code means: what statements do, and what names, imports and bases stand for.

The modules take source texts, and return immutable facts about them. They know nothing of
merging, linting or editors. Begin with `statements.facts_of`, which returns the facts about
a statement (`facts.CodeFacts`). `functions`, `classes`, `modules` and `instances` answer
questions about larger or special parts of the code from these facts.

`resolver.Resolver` tells what names mean from file to file (`meanings.Meaning`), and which
classes a class inherits from (`ancestors.Ancestors`). `imports` tells which file an import
means, and `model_graph` which models inherit from which.
"""
