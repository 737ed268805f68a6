"""Rules for modular files and parent files, and for merging their definitions."""
