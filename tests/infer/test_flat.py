"""Flat files, as `infer` reads them."""

import pytest

from modular.infer.infer import infer_modular
from modular.run.api import Options
from tests.infer.conftest import FLAT, LLAMA, PARENT
from tests.support import source, write_project


GENERATED = """
    # Generated from modular_my_model.py.
    # Do not edit.
    from torch import nn


    class MyModelNorm(nn.Module):
        size = 1


    print("loaded")
    """


@pytest.mark.parametrize("path", [FLAT, "research.py"])
def test_the_lines_of_the_banner_count_in_line_numbers(tmp_path, path):
    write_project(tmp_path, {LLAMA: source(PARENT), path: source(GENERATED)})
    settings = tmp_path / "pyproject.toml"
    banner = r'text = "# Generated from {name}.\n# Do not edit.\n"'
    settings.write_text(settings.read_text().replace('text = ""', banner))
    options = Options(root=tmp_path, jobs=1, cache=False)
    (inference,) = infer_modular([str(tmp_path / path)], options=options).inferences
    reason = "statements that are not definitions are not generated"
    lines = []
    for skipped in (*inference.by_hand, *inference.notes):
        if reason in skipped.reason:
            lines.append(skipped.line)
    assert lines == [10]
