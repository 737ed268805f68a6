"""Web addresses and names of checkpoints and packages in strings and comments."""

import pytest

from modular.source.addresses import find_address
from modular.source.scan import mask_text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# see google/mamba-7b.", "google/mamba-7b"),
        ("# see https://x.org/mamba/a.", "https://x.org/mamba/a"),
        ("# Llama/mamba", None),
        ("# src/mamba.py", None),
        ("# run `pip install mamba-ssm` first", "mamba-ssm"),
        ("# pip3 install -U --no-deps mamba-ssm>=2", "mamba-ssm"),
        ("# conda install mamba.", "mamba"),
        ("# mypip install mamba-ssm", None),
        ("# pip install torch, then mamba", None),
        ("# from mamba_ssm.ops import scan", "mamba_ssm.ops"),
        ("# from library.mamba import scan", None),
        ("# from .mamba import scan", None),
        ("# converted from mamba import files", None),
        ("# from mamba checkpoints", None),
        ('"""\n    >>> import mamba_ssm\n    """', "mamba_ssm"),
        ('"""\n    import mamba_ssm as ssm\n    """', "mamba_ssm"),
        ('"""\n    import mamba weights\n    """', None),
        ("# from library import mamba_ssm", None),
        ("import mamba_ssm", None),
    ],
)
def test_an_address_or_package_is_found_around_a_name(
    text: str, found: str | None
) -> None:
    start = text.index("mamba")
    address = find_address(text, mask_text(text), start, start + len("mamba"))
    assert (None if address is None else address.text) == found
    if address is not None:
        assert text[address.start : address.end] == found


def test_a_package_far_from_its_command_is_not_searched() -> None:
    text = "# pip install " + "-" + "U" * 400 + " mamba"
    start = text.index("mamba")
    assert find_address(text, mask_text(text), start, start + 5) is None
