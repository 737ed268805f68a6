"""The corpus as a project, made once for all tests here."""

from pathlib import Path

import pytest

from bench.corpus import make_project


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_project(tmp_path_factory.mktemp("corpus"))
