"""Where the project is hosted. A copy that is hosted elsewhere changes it here; tests hold pages and metadata to it."""

REPOSITORY = "https://github.com/modular-models/modular"
"""The repository, which is a GitHub action and holds the pre-commit hooks, too."""

DOCUMENTATION = "https://modular-models.github.io/modular"
"""The documentation, without a slash at the end."""
