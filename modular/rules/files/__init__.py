"""Rules for the contents of generated files and their order."""
