"""The built-in presets, one TOML file each."""
