"""Texts are formatted by ruff, black or not at all, with the settings of the project."""

import tempfile
from pathlib import Path

import pytest

from modular.format import formatting
from modular.format.formatting import format_texts
from modular.system.ruff import FormatterError


UGLY = "import  os\nimport sys\n\nx = { 'a':1 }\ndef f( a ):\n    return sys.argv, a\n"


def project(root: Path, settings: str) -> Path:
    (root / "pyproject.toml").write_text(settings, encoding="utf-8")
    return root


def formatted(root: Path, formatter: str, path: str = "models/a/modeling_a.py") -> str:
    return format_texts({path: UGLY}, root, formatter).texts[path]


def test_ruff_fixes_and_formats(tmp_path: Path) -> None:
    root = project(
        tmp_path,
        '[tool.ruff.lint]\nselect = ["F401"]\n[tool.ruff.format]\nquote-style = "single"\n',
    )
    assert (
        formatted(root, "ruff")
        == "import sys\n\nx = {'a': 1}\n\n\ndef f(a):\n    return sys.argv, a\n"
    )


def test_black_formats_and_fixes_nothing(tmp_path: Path) -> None:
    root = project(tmp_path, "[tool.black]\nskip-string-normalization = true\n")
    assert (
        formatted(root, "black")
        == "import os\nimport sys\n\nx = {'a': 1}\n\n\ndef f(a):\n    return sys.argv, a\n"
    )


def test_none_leaves_the_text_as_it_is(tmp_path: Path) -> None:
    assert formatted(project(tmp_path, ""), "none") == UGLY


def test_settings_apply_by_the_path_of_the_generated_file(tmp_path: Path) -> None:
    """A setting for one folder and a `ruff.toml` below the root are seen, as they would be there."""
    root = project(
        tmp_path,
        '[tool.ruff.lint]\nselect = ["F401"]\nper-file-ignores = {"models/a/*" = ["F401"]}\n',
    )
    (root / "models/b").mkdir(parents=True)
    (root / "models/b/ruff.toml").write_text(
        '[format]\nquote-style = "single"\n', encoding="utf-8"
    )
    assert formatted(root, "ruff").startswith('import os\nimport sys\n\nx = {"a": 1}\n')
    assert formatted(root, "ruff", "models/b/modeling_b.py").startswith(
        "import sys\n\nx = {'a': 1}\n"
    )


@pytest.mark.parametrize(
    "extend", ['extend = "../base.toml"', '"ext\\u0065nd" = "../base.toml"']
)
def test_paths_in_extended_settings_are_relative_to_their_own_folder(
    tmp_path: Path, extend: str
) -> None:
    """Paths in them are relative to the folder that they are in."""
    root = tmp_path / "project"
    root.mkdir()
    project(root, f"[tool.ruff]\n{extend}\n")
    base = '[lint]\nselect = ["F401"]\nper-file-ignores = {"project/models/a/*" = ["F401"]}\n'
    (tmp_path / "base.toml").write_text(base, encoding="utf-8")
    assert formatted(root, "ruff").startswith("import os\nimport sys\n")
    assert formatted(root, "ruff", "models/b/modeling_b.py").startswith("import sys\n")


@pytest.mark.parametrize("folder", ["", "src/"])
def test_packages_of_the_project_are_sorted_as_first_party(
    tmp_path: Path, folder: str
) -> None:
    """Import sorting tells the project's packages from others by looking; it must see them."""
    root = project(tmp_path, '[tool.ruff.lint]\nselect = ["I"]\n')
    (root / folder / "ours").mkdir(parents=True)
    (root / folder / "ours/__init__.py").write_text("", encoding="utf-8")
    path = f"{folder}models/a/modeling_a.py"
    text = format_texts({path: "import ours\nimport zlib_ng\n"}, root, "ruff").texts
    assert text[path] == "import zlib_ng\n\nimport ours\n"


@pytest.mark.parametrize("formatter", ["ruff", "black"])
def test_a_syntax_error_does_not_affect_other_files(
    tmp_path: Path, formatter: str
) -> None:
    done = format_texts(
        {"a.py": "x = (\n", "b.py": "x  = 1\n"}, project(tmp_path, ""), formatter
    )
    assert dict(done.texts) == {"b.py": "x = 1\n"}
    assert [failure.path for failure in done.failures] == ["a.py"]


@pytest.mark.parametrize(
    "setting",
    [
        'required-version = "1"',
        "check = true",
        "diff = true",
        'code = "x = 1"',
        'line-ranges = ["1-1"]',
        "verbose = 1.5",
    ],
)
def test_settings_that_keep_black_from_writing_are_an_error(
    tmp_path: Path, setting: str
) -> None:
    root = project(tmp_path, f"[tool.black]\n{setting}\n")
    with pytest.raises(FormatterError, match="black did not format the files: "):
        format_texts({"a.py": UGLY, "b.py": UGLY}, root, "black")


def test_another_required_version_of_ruff_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatterError, match="Required version"):
        formatted(
            project(tmp_path, '[tool.ruff]\nrequired-version = "==0.0.1"\n'), "ruff"
        )


@pytest.mark.parametrize(
    ("formatter", "name", "settings"),
    [
        ("ruff", "ruff.toml", '[format]\nquote-style = "single"\n'),
        ("ruff", "pyproject.toml", '[tool.ruff.format]\nquote-style = "single"\n'),
        ("black", "pyproject.toml", "[tool.black]\nskip-string-normalization = true\n"),
    ],
)
@pytest.mark.parametrize(
    "own", ["", "[tool.black]\nline-length = 88\n", '[project]\nname = "x"\n']
)
def test_settings_in_the_temporary_folder_are_ignored(
    tmp_path: Path,
    formatter: str,
    name: str,
    settings: str,
    own: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Anybody may leave them there, and the cache does not know them."""
    for folder in ("project", "temporary"):
        (tmp_path / folder).mkdir()
    (tmp_path / "temporary" / name).write_text(settings, encoding="utf-8")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    assert 'x = {"a": 1}\n' in formatted(project(tmp_path / "project", own), formatter)


def test_requires_python_applies_without_formatter_settings(tmp_path: Path) -> None:
    """Ruff asks the project for it: with Python 3.8 it cannot put brackets around what stands after `with`."""
    first, second = f'open("{"a" * 43}") as f', f'open("{"b" * 47}") as g'
    root = project(tmp_path, '[project]\nname = "x"\nrequires-python = ">=3.8"\n')
    text = format_texts(
        {"a.py": f"with {first}, {second}:\n    pass\n"}, root, "ruff"
    ).texts["a.py"]
    assert text == f'with {first}, open(\n    "{"b" * 47}"\n) as g:\n    pass\n'


NOT_PYTHON = {
    "return 1\n": "`return`",
    "class A:\n    return 1\n": "`return`",
    "def f():\n    await g()\n": "`await`",
    "class A:\n    return 1  # noqa\n": "`return`",
    "break\n": "`break`",
    "for i in j:\n    def f():\n        continue\n": "`continue`",
    "yield 1\n": "`yield`",
    "x = 1\nfrom __future__ import annotations\n": "__future__",
}


@pytest.mark.parametrize("formatter", ["ruff", "black", "none"])
def test_code_that_python_does_not_compile_is_a_syntax_error(
    tmp_path: Path, formatter: str
) -> None:
    texts = {
        f"a{number}.py": f"j = []\n{text}" for number, text in enumerate(NOT_PYTHON)
    }
    done = format_texts({**texts, "b.py": "x = 1\n"}, project(tmp_path, ""), formatter)
    assert dict(done.texts) == {"b.py": "x = 1\n"}
    failures = {failure.path: failure.message for failure in done.failures}
    assert all(
        word in failures[path]
        for path, word in zip(texts, NOT_PYTHON.values(), strict=True)
    )


@pytest.mark.parametrize(
    "answer",
    [
        "no JSON",
        "{}",
        "[1]",
        "[" * 100_000,
        '{"filename": "/elsewhere", "location": {"row": 1, "column": 1}, "code": "F821", "message": ""}',
    ],
)
@pytest.mark.parametrize("formatter", ["ruff", "none"])
def test_an_unreadable_answer_of_ruff_is_an_error(
    tmp_path: Path, answer: str, formatter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "answer").write_text(answer, encoding="utf-8")
    (tmp_path / "ruff").write_text(
        f"#!/bin/sh\ncat {tmp_path}/answer\n", encoding="utf-8"
    )
    (tmp_path / "ruff").chmod(0o755)
    monkeypatch.setattr(formatting, "ruff_executable", lambda: str(tmp_path / "ruff"))
    with pytest.raises(
        FormatterError, match="ruff returned output that cannot be read"
    ):
        formatted(project(tmp_path, ""), formatter)


@pytest.mark.parametrize(
    ("files", "named"),
    [
        ({"pyproject.toml": "[tool.ruff]\nline-lenght = 3\n"}, "pyproject.toml"),
        ({"models/ruff.toml": "[lint]\nselekt = []\n"}, "models/ruff.toml"),
        ({"../ruff.toml": "line-lenght = 3\n"}, "../ruff.toml"),
        ({"ruff.toml": 'extend = "../missing.toml"\n'}, "../missing.toml"),
        ({"pyproject.toml": '[project]\nrequires-python = "x"\n'}, "pyproject.toml"),
    ],
)
def test_an_error_in_settings_names_the_file_of_the_project(
    tmp_path: Path, files: dict[str, str], named: str
) -> None:
    root = tmp_path / "project"
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    with pytest.raises(FormatterError) as error:
        formatted(root, "ruff")
    assert str((root / named).resolve()) in str(error.value)
    assert "modular-mirror" not in str(error.value)


def test_a_formatter_that_writes_invalid_utf8_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "ruff"
    program.write_text('#!/bin/sh\n[ "$1" = check ] || printf "\\377" > a.py\n')
    program.chmod(0o755)
    monkeypatch.setenv("MODULAR_RUFF", str(program))
    with pytest.raises(FormatterError, match=r"ruff wrote a\.py, which is not UTF-8"):
        format_texts({"a.py": UGLY}, tmp_path, "ruff")


def test_a_required_version_is_reported_with_the_command_to_run(tmp_path: Path) -> None:
    root = project(tmp_path, '[tool.ruff]\nrequired-version = "==0.0.1"\n')
    with pytest.raises(FormatterError, match="run `pip install ruff==0.0.1`"):
        formatted(root, "ruff")


@pytest.mark.parametrize("comment", ["noqa", "NOQA", "NoQA", "ruff: noqa: F706"])
def test_comments_that_silence_ruff_do_not_hide_what_is_not_python(
    tmp_path: Path, comment: str
) -> None:
    text = f"return 1  # {comment}\n"
    done = format_texts({"a.py": text}, project(tmp_path, "[tool.ruff]\n"), "ruff")
    assert [failure.path for failure in done.failures] == ["a.py"]
    assert done.texts == {}


@pytest.mark.parametrize("message", ["", "panicked at the end", "error: what?"])
def test_a_formatter_that_fails_for_an_unknown_reason_is_an_error(
    tmp_path: Path, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "ruff"
    script = f'#!/bin/sh\n[ "$1" = check ] || {{ echo "{message}" >&2; exit 2; }}\n'
    program.write_text(script)
    program.chmod(0o755)
    monkeypatch.setenv("MODULAR_RUFF", str(program))
    with pytest.raises(FormatterError, match=message or "exit code 2"):
        format_texts({"a.py": UGLY}, tmp_path, "ruff")


def test_a_formatter_that_empties_a_file_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "ruff"
    program.write_text('#!/bin/sh\n[ "$1" = check ] || : > a.py\n')
    program.chmod(0o755)
    monkeypatch.setenv("MODULAR_RUFF", str(program))
    with pytest.raises(FormatterError, match=r"ruff emptied a\.py"):
        format_texts({"a.py": UGLY}, tmp_path, "ruff")


def test_fixes_see_the_packages_that_contain_a_file(tmp_path: Path) -> None:
    """Ruff only makes a relative import absolute if it knows the packages of the file."""
    settings = '[lint]\nselect = ["TID252"]\n'
    settings += '[lint.flake8-tidy-imports]\nban-relative-imports = "parents"\n'
    (tmp_path / "ruff.toml").write_text(f"unsafe-fixes = true\n{settings}")
    path = "lib/models/olmo/modeling_olmo.py"
    for package in ("lib", "lib/models", "lib/models/olmo"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").touch()
    text = "from ...base import Module\n"
    formatted = format_texts({path: text}, tmp_path, "ruff")
    assert formatted.texts == {path: "from lib.base import Module\n"}
    assert formatted.modules[path]["lib/__init__"] == ".py"
