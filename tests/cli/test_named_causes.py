"""Causes that a report names: orphans of a conversion, line ends of Windows, a shallow clone."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.flock import make_flock, run_modular
from tests.repository import commit


def test_convert_names_the_files_that_it_orphans(tmp_path: Path) -> None:
    make_flock(tmp_path)
    modular = tmp_path / "models/owl/modular_owl.py"
    before = modular.read_text()
    modular.write_text(before + "\n\nclass OwlConfig:\n    size = 1\n")
    settings = tmp_path / "pyproject.toml"
    settings.write_text(
        settings.read_text().replace('text = ""', 'text = "# from {path}\\n"')
    )
    assert run_modular("convert", "owl", cwd=tmp_path).stderr == ""
    modular.write_text(before)
    done = run_modular("convert", "owl", cwd=tmp_path)
    assert done.stderr.startswith("models/owl/configuration_owl.py: ")
    assert "`modular check --fix --remove-orphans` removes it" in done.stderr


def test_line_ends_of_windows_are_named_as_the_cause(tmp_path: Path) -> None:
    make_flock(tmp_path)
    run_modular("convert", cwd=tmp_path)
    generated = tmp_path / "models/owl/modeling_owl.py"
    generated.write_bytes(generated.read_bytes().replace(b"\n", b"\r\n"))
    done = run_modular("check", "owl", cwd=tmp_path)
    assert done.returncode == 1
    assert (
        "1 file differs only in Windows line ends (CRLF): write `*.py text eol=lf` into .gitattributes"
        in done.stderr
    )


@pytest.mark.parametrize("output_format", ["github", "json", "sarif"])
def test_line_ends_are_named_in_each_format(tmp_path: Path, output_format: str) -> None:
    make_flock(tmp_path)
    run_modular("convert", cwd=tmp_path)
    for name, old, new in (
        ("owl", b"\n", b"\r\n"),
        ("owlet", b"return 1", b"return 2"),
    ):
        generated = tmp_path / f"models/{name}/modeling_{name}.py"
        generated.write_bytes(generated.read_bytes().replace(old, new))
    shown = run_modular("check", "--output-format", output_format, cwd=tmp_path).stdout
    if output_format == "json":
        files = {
            file["path"]: file["differs_only_in_line_ends"]
            for file in json.loads(shown)["files"]
        }
        assert files == {
            "models/owl/modeling_owl.py": True,
            "models/owlet/modeling_owlet.py": False,
        }
    else:
        assert (
            shown.count(
                "it differs only in Windows line ends (CRLF): write `*.py text eol=lf`"
            )
            == 1
        )


def test_a_shallow_clone_is_named_as_the_cause(tmp_path: Path) -> None:
    commit(make_flock(tmp_path / "origin"))
    first = subprocess.run(
        ["git", "rev-parse", "HEAD"],
        cwd=tmp_path / "origin",
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    (tmp_path / "origin/new.py").write_text("")
    commit(tmp_path / "origin")
    url = (tmp_path / "origin").as_uri()
    subprocess.run(
        ["git", "clone", "-q", "--depth", "1", url, tmp_path / "clone"],
        check=True,
        capture_output=True,
    )
    done = run_modular("check", "--since", first, cwd=tmp_path / "clone")
    assert done.returncode == 2
    assert (
        "the clone is shallow: `git fetch --unshallow`, or `fetch-depth: 0` for actions/checkout"
        in done.stderr
    )
