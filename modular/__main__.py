"""`python -m modular`."""

from modular.cli.main import main


main(prog_name="modular")
