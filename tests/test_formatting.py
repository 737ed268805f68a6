"""The formatters: ruff, black and none, each with the project's own settings, as if the files stood at their final paths."""

from pathlib import Path

import pytest

from modular.format.formatting import format_texts


UGLY = "import  os\nimport sys\n\nx = { 'a':1 }\ndef f( a ):\n    return sys.argv, a\n"


def project(root: Path, settings: str) -> Path:
    (root / "pyproject.toml").write_text(settings, encoding="utf-8")
    return root


def formatted(root: Path, formatter: str, path: str = "models/a/modeling_a.py") -> str:
    return format_texts({path: UGLY}, root, formatter).texts[path]


def test_ruff_fixes_and_formats(tmp_path: Path) -> None:
    root = project(tmp_path, '[tool.ruff.lint]\nselect = ["F401"]\n[tool.ruff.format]\nquote-style = "single"\n')
    assert formatted(root, "ruff") == "import sys\n\nx = {'a': 1}\n\n\ndef f(a):\n    return sys.argv, a\n"


def test_black_formats_and_fixes_nothing(tmp_path: Path) -> None:
    root = project(tmp_path, "[tool.black]\nskip-string-normalization = true\n")
    assert formatted(root, "black") == "import os\nimport sys\n\nx = {'a': 1}\n\n\ndef f(a):\n    return sys.argv, a\n"


def test_none_leaves_the_text_as_it_is(tmp_path: Path) -> None:
    assert formatted(project(tmp_path, ""), "none") == UGLY


def test_settings_count_by_the_final_path(tmp_path: Path) -> None:
    """A setting for one folder and a `ruff.toml` below the root are seen, as they would be there."""
    root = project(tmp_path, '[tool.ruff.lint]\nselect = ["F401"]\nper-file-ignores = {"models/a/*" = ["F401"]}\n')
    (root / "models/b").mkdir(parents=True)
    (root / "models/b/ruff.toml").write_text('[format]\nquote-style = "single"\n', encoding="utf-8")
    assert formatted(root, "ruff").startswith('import os\nimport sys\n\nx = {"a": 1}\n')
    assert formatted(root, "ruff", "models/b/modeling_b.py").startswith("import sys\n\nx = {'a': 1}\n")


def test_the_packages_of_the_project_are_its_own_imports(tmp_path: Path) -> None:
    """Import sorting tells the project's packages from others by looking; it must see them."""
    root = project(tmp_path, '[tool.ruff.lint]\nselect = ["I"]\n')
    (root / "ours").mkdir()
    (root / "ours/__init__.py").write_text("", encoding="utf-8")
    text = format_texts({"models/a/modeling_a.py": "import ours\nimport zlib_ng\n"}, root, "ruff").texts
    assert text["models/a/modeling_a.py"] == "import zlib_ng\n\nimport ours\n"


@pytest.mark.parametrize("formatter", ["ruff", "black"])
def test_what_cannot_be_read_is_a_failure_of_that_file_alone(tmp_path: Path, formatter: str) -> None:
    done = format_texts({"a.py": "x = (\n", "b.py": "x  = 1\n"}, project(tmp_path, ""), formatter)
    assert dict(done.texts) == {"b.py": "x = 1\n"}
    assert [failure.path for failure in done.failures] == ["a.py"]
