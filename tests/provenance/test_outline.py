"""Which class and member each line of a file belongs to."""

from modular.provenance.outline import UNOWNED, line_owners
from modular.source.module import read
from tests.support import source


def test_the_owner_of_each_line() -> None:
    text = source('''
        import os

        SIZE = 1


        # A wing.
        @wide
        class Wing:
            """It beats."""

            span: int = 2

            @property
            def beats(self):
                return [
                    SIZE,
                ]


        def glide(x):
            return x
        ''')
    known = line_owners(read("wing.py", text))
    owners = [known.get(line, UNOWNED) for line in range(1, text.count("\n") + 2)]
    names = [
        ".".join(name or "-" for name in (owner.class_, owner.member))
        for owner in owners
    ]
    assert names == [
        "-.-",
        "-.-",
        "-.SIZE",
        "-.-",
        "-.-",
        "Wing.-",
        "Wing.-",
        "Wing.-",
        "Wing.-",
        "Wing.-",
        "Wing.span",
        "Wing.-",
        "Wing.beats",
        "Wing.beats",
        "Wing.beats",
        "Wing.beats",
        "Wing.beats",
        "-.-",
        "-.-",
        "-.glide",
        "-.glide",
        "-.-",
    ]
