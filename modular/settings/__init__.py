"""Read and validate `[tool.modular]`, its presets and the levels of lint rules."""
