"""The addresses of the project. A fork that is hosted elsewhere changes them here."""

REPOSITORY = "https://github.com/modular-models/modular"
"""The repository, which is also the GitHub action and has the pre-commit hooks."""

DOCUMENTATION = "https://modular-models.github.io/modular"
"""The documentation, without a final slash."""
