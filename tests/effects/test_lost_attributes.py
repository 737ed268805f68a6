"""Attributes that a change leaves without a reader, and fields that it removes."""

from modular.effects.lost_attributes import find_lost_attributes


def test_a_line_of_another_changed_file_does_not_hide_a_lost_attribute() -> None:
    """The reader of `act_fn` goes from one file; another changed file has its line, but reads nothing there."""
    modular_text = (
        "class OlmoMLP(LlamaMLP):\n"
        "    def __init__(self, config):\n"
        "        self.act_fn = 1\n"
    )
    old_reader = "class OlmoMLP:\n    def forward(self):\n        return mlp.act_fn\n"
    new_reader = "class OlmoMLP:\n    def forward(self):\n        return 1\n"
    quoting = 'NOTE = """\n        return mlp.act_fn\n"""\n'
    breakages = find_lost_attributes(
        "models/olmo/modular_olmo.py",
        modular_text,
        [old_reader, quoting],
        [new_reader, quoting + "SIZE = 1\n"],
    )
    assert [breakage.message for breakage in breakages] == [
        "sets `act_fn`, which nothing reads any more"
    ]
