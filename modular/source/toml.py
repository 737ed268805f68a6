"""Settings files as tables: read with bounds, for they come from whoever wrote a project."""

import re
from typing import Any


LARGEST = 250_000
"""Bytes of a settings file. A project with much in its own has a tenth of that."""

_DEEP_KEY = rb"(?:(?:(?<![\w-])[\w-]++|\"[^\"\n]*+\"|'[^'\n]*+')[ \t]*+\.[ \t]*+){100}"
"""A key with so many parts that reading it would take more memory than there is."""

_TOO_DEEP = "it is nested too deeply to be read"


def parse_toml(data: bytes) -> dict[str, Any]:
    """Read the text of a settings file. Raises ValueError."""
    import tomllib  # who only converts reads none

    if re.search(_DEEP_KEY, data):
        raise ValueError(_TOO_DEEP)
    try:
        return tomllib.loads(data.decode("utf-8"))
    except RecursionError as error:
        raise ValueError(_TOO_DEEP) from error
