"""What all tests of commands share."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_cache(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Each test has a cache of its own."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(folder))
    return folder
