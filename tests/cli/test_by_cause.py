"""Reports that fit on a screen: one cause stands once, in each of the output formats that people read."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from modular.cli.main import main
from modular.cli.rendering.by_cause import file_diagnostic
from modular.cli.rendering.diagnostics import render
from modular.run import api
from modular.source.diffs import compare
from tests.flock import EAGLE, make_flock, run_modular
from tests.reporting import lines
from tests.support import source


PARENT = "models/eagle/modeling_eagle.py"


@pytest.fixture
def stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A flock of which the parent changed, written by hand."""
    root = make_flock(tmp_path)
    # A check remembers that the files on disk are outputs, which nobody edited.
    api.check(options=api.Options(root=root))
    (root / PARENT).write_text(EAGLE.replace("return 1", "return 3"))
    monkeypatch.chdir(root)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    return root


def run(*arguments: str) -> str:
    """What a command prints, errors aside."""
    return (
        CliRunner()
        .invoke(main, [*arguments, "--jobs", "1"], catch_exceptions=False)
        .stdout
    )


OLMO_WITH_CONFIG = (
    "class OlmoMLP:\n    size = 1\n    scale = 2\n\n\nclass OlmoConfig:\n    pass\n"
)


def check_files(root: Path) -> str:
    """Check a project and return what is reported about its files."""
    report = api.check(options=api.Options(root=root, cache=False))
    return render(
        file_diagnostic(file)
        for file in report.files
        if file.status is not api.Status.IDENTICAL
    )


def test_a_change_of_the_parent_is_shown_once(stale: Path) -> None:
    assert run("check") == source("""
        --- EagleWing.beat, models/eagle/modeling_eagle.py:3: 2 files, +2 -2
            2 models: owl, owlet
        @@ models/owl/modeling_owl.py:3 @@
        -        return 1
        +        return 3

        2 stale; 14 lines of modular code, 11 generated (x0.8)
        To update the generated files, run `modular convert`.
        """)


def test_full_shows_the_diff_of_each_file(stale: Path) -> None:
    assert run("check", "--full").count("-        return 1\n+        return 3\n") == 2


def test_quiet_names_the_stale_files_alone(stale: Path) -> None:
    assert (
        run("check", "-q")
        == "models/owl/modeling_owl.py\nmodels/owlet/modeling_owlet.py\n"
    )


def test_verbose_says_how_each_file_stands(stale: Path) -> None:
    assert run("check", "-v").startswith(
        "models/owl/modeling_owl.py: stale\nmodels/owlet/modeling_owlet.py: stale\n"
    )


def test_several_missing_files_are_named(stale: Path) -> None:
    (stale / "models/owl/modeling_owl.py").unlink()
    (stale / "models/owlet/modeling_owlet.py").unlink()
    assert run("check") == source("""
        --- models/owl/modeling_owl.py is missing: 8 lines, from models/owl/modular_owl.py
        --- models/owlet/modeling_owlet.py is missing: 3 lines, from models/owlet/modular_owlet.py
        2 missing; 14 lines of modular code, 11 generated (x0.8)
        To update the generated files, run `modular convert`.
        """)


def test_json_has_diffs_and_line_counts(stale: Path) -> None:
    first, _ = json.loads(run("check", "--output-format", "json"))["files"]
    assert (first["path"], first["status"]) == ("models/owl/modeling_owl.py", "stale")
    assert (
        first["added"],
        first["removed"],
        first["lines"],
        first["modular_lines"],
    ) == (1, 1, 8, 9)
    assert first["diff"].endswith(
        "-        return 1\n+        return 3\n \n \n class OwlModel:\n"
    )


def test_github_marks_the_line_to_edit_once(stale: Path) -> None:
    assert run("check", "--output-format", "github") == (
        "::error file=models/eagle/modeling_eagle.py,line=3,endLine=3,col=1,endColumn=2,title=MOD501 stale-file::2 generated "
        "files are out of date with this code: 2 lines to remove, 2 to add, the same in owl, owlet"
        "%0Ahint: run `modular convert` and commit the result; "
        "move changes made by hand into the modular file\n"
    )


def test_github_marks_a_generated_file_that_was_changed_by_hand(stale: Path) -> None:
    (stale / PARENT).write_text(EAGLE)
    file = stale / "models/owl/modeling_owl.py"
    file.write_text(file.read_text().replace("return 1", "return 2"))
    assert run("check", "--output-format", "github").startswith(
        "::error file=models/owl/modeling_owl.py,line=3,"
    )


def test_github_marks_the_modular_file_that_was_changed(stale: Path) -> None:
    (stale / PARENT).write_text(EAGLE)
    file = stale / "models/owl/modular_owl.py"
    file.write_text(file.read_text() + "\n    def fly(self):\n        return 5\n")
    assert run("check", "--output-format", "github").startswith(
        "::error file=models/owl/modular_owl.py,line=11,"
    )


def test_many_warnings_are_counted(stale: Path) -> None:
    file = stale / "models/owl/modular_owl.py"
    text = file.read_text()
    for number in range(21):
        text += f"    part{number} = AttributeError()\n"
    file.write_text(text)
    done = CliRunner().invoke(main, ["check", "--jobs", "1"], catch_exceptions=False)
    first_line = done.stderr.splitlines()[0]
    assert first_line == "21 warnings: `modular check --warnings` shows them"


def test_a_diff_has_colours_on_a_terminal(
    stale: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modular.cli.rendering.diffs.in_colour", lambda stream: True)
    assert (
        "\x1b[31m-        return 1\x1b[0m\n\x1b[32m+        return 3\x1b[0m\n"
        in run("check", "owl")
    )


def test_a_failure_counts_no_lines(stale: Path) -> None:
    (stale / "models/owl/modular_owl.py").write_text(
        "from ..eagle.modeling_eagle import EagleTail\n"
    )
    assert run("check", "owl") == "1 error\nFound 1 error\n"


def test_stale_and_missing_files(tmp_path: Path) -> None:
    model = tmp_path / "models" / "olmo"
    model.mkdir(parents=True)
    settings = '[tool.modular]\nmodels = ["models"]\n[tool.modular.banner]\ntext = ""\n'
    (tmp_path / "pyproject.toml").write_text(settings)
    (model / "modular_olmo.py").write_text(OLMO_WITH_CONFIG)
    (model / "modeling_olmo.py").write_text(
        "class OlmoMLP:\n    size = 1\n    scale = 1\n    extra = 0\n"
    )
    hint = "run `modular convert` and commit the result; move changes made by hand into the modular file"
    assert check_files(tmp_path) == lines(f"""
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
    api.convert(options=api.Options(root=tmp_path, cache=False, force=True))
    assert check_files(tmp_path) == ""


def test_where_only_lines_are_missing_the_line_that_they_belong_above_is_named(
    tmp_path: Path,
) -> None:
    difference = compare("a\nb\nc\n", "a\nb\nnew\nc\n")
    found = file_diagnostic(
        api.FileReport("x.py", "modular_x.py", api.Status.STALE, difference)
    )
    assert (found.place.line, found.place.text) == (3, "")
    assert "0 lines to remove, 1 to add" in found.message


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


@pytest.mark.parametrize("output_format", ["github", "json"])
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
