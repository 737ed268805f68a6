"""SECURITY.md lists what each command writes, as `test_faults.py` has recorded it."""

from pathlib import Path

from tests.safety.writers import table


SECURITY = Path(__file__).parents[2] / "SECURITY.md"


def test_the_table_of_security_is_what_the_commands_write() -> None:
    assert table() in SECURITY.read_text(encoding="utf-8")
