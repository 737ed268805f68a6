"""`python -m modular`."""

from modular.cli.main import main


if __name__ == "__main__":
    main(prog_name="modular")
