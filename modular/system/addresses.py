"""The addresses of the project. A fork that is hosted elsewhere changes them here."""

REPOSITORY = "https://github.com/modular-models/modular"
"""The repository, which is also the GitHub action and has the pre-commit hooks."""

DOCUMENTATION = "https://modular-models.github.io/modular"
"""The documentation, without a final slash."""


def requirement(extra: str = "") -> str:
    """Return the requirement that pip installs modular for, with an extra if given.

    It names the repository, because no release has been published yet.
    """
    extras = f"[{extra}]" if extra else ""
    return f"modular-models{extras} @ git+{REPOSITORY}"


def install_command(extra: str = "") -> str:
    """Return the shell command that installs modular, with one of its extras if given."""
    return f'pip install "{requirement(extra)}"'
