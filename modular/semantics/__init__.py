"""Tells what code means: what statements do, and what names, imports and bases stand for.

The modules take source texts, and return immutable facts about them. They know nothing of
merging, linting or editors.
"""
