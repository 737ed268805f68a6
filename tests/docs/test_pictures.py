"""The pictures that `docs/make_pictures.py` draws are up to date."""

import importlib.util

from tests.docs.markdown import ROOT


def test_pictures_are_those_of_real_runs() -> None:
    script = ROOT / "docs" / "make_pictures.py"
    spec = importlib.util.spec_from_file_location("make_pictures", script)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name, text in module.pictures():
        assert (ROOT / "docs" / name).read_text(encoding="utf-8") == text, name
