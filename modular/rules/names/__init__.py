"""Names: what a model is called, and how a parent file is renamed."""
