"""The user's folder for results, locks and the record of staged files."""

import os
from pathlib import Path

from platformdirs import user_cache_path


CACHE_FOLDER_VARIABLE = "MODULAR_CACHE_DIR"
"""The environment variable that names the folder."""


def cache_folder() -> Path:
    """Return the folder that `MODULAR_CACHE_DIR` names, or else the user's cache folder.

    Returns:
        The folder, which may not exist. A user without a home gets a path that cannot
        be created.
    """
    variable = os.environ.get(CACHE_FOLDER_VARIABLE)
    if variable:
        return Path(variable)
    folder = user_cache_path("modular", appauthor=False)
    return folder if folder.is_absolute() else Path(os.devnull) / "modular"
