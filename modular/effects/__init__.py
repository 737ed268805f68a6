"""What a change does to generated files: its effects, their causes, and what it breaks."""
