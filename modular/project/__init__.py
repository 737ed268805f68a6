"""Folders, models and their names, other libraries, and who takes what from whom."""
