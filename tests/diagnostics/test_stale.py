"""Stale and missing files as diagnostics."""

from pathlib import Path

from modular.cli.rendering.by_cause import file_diagnostic
from modular.cli.rendering.diagnostics import render
from modular.run import api
from modular.source.diffs import compare
from tests.reporting import lines


MODULAR = (
    "class OlmoMLP:\n    size = 1\n    scale = 2\n\n\nclass OlmoConfig:\n    pass\n"
)


def checked(root: Path) -> str:
    """Check a project and return what is reported about its files."""
    report = api.check(options=api.Options(root=root, cache=False))
    return render(
        file_diagnostic(file)
        for file in report.files
        if file.status is not api.Status.IDENTICAL
    )


def test_stale_and_missing_files(tmp_path: Path) -> None:
    model = tmp_path / "models" / "olmo"
    model.mkdir(parents=True)
    settings = '[tool.modular]\nmodels = ["models"]\n[tool.modular.banner]\ntext = ""\n'
    (tmp_path / "pyproject.toml").write_text(settings)
    (model / "modular_olmo.py").write_text(MODULAR)
    (model / "modeling_olmo.py").write_text(
        "class OlmoMLP:\n    size = 1\n    scale = 1\n    extra = 0\n"
    )
    hint = "run `modular convert` and commit the result; move changes made by hand into the modular file"
    assert checked(tmp_path) == lines(f"""
        error[MOD502]: the file is missing: `models/olmo/modular_olmo.py` generates it
          --> models/olmo/configuration_olmo.py
             generated from models/olmo/modular_olmo.py
             hint: {hint}

        error[MOD501]: out of date with `models/olmo/modular_olmo.py`: 2 lines to \
remove, 1 to add
          --> models/olmo/modeling_olmo.py:3:5
         3 |     scale = 1
           |     ^^^^^^^^^
             generated from models/olmo/modular_olmo.py
             hint: {hint}

        """)
    api.convert(options=api.Options(root=tmp_path, cache=False))
    assert checked(tmp_path) == ""


def test_where_only_lines_are_missing_the_line_that_they_belong_above_is_named(
    tmp_path: Path,
) -> None:
    difference = compare("a\nb\nc\n", "a\nb\nnew\nc\n")
    found = file_diagnostic(
        api.FileReport("x.py", "modular_x.py", api.Status.STALE, difference)
    )
    assert (found.place.line, found.place.text) == (3, "")
    assert "0 lines to remove, 1 to add" in found.message
