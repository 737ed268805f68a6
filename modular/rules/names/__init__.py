"""Rules for the names of models, and for the renaming of parent files."""
