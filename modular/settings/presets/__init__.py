"""Built-in presets: tables as data, one file a preset."""
