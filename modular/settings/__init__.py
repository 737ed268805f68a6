"""Reads and checks the settings of a project.

In: the table `[tool.modular]` of `pyproject.toml`. Out: `Settings`, in which a preset
gives the values that the table does not set.
"""
