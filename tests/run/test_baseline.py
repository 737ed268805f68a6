"""`check --write-baseline` and `--baseline`: what is known is not said again, what is new is."""

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from modular.cli.main import main
from modular.run import baseline
from tests.support import write_project


PARENT = "models/llama/modeling_llama.py"
MODULAR = "models/olmo/modular_olmo.py"
GENERATED = "models/olmo/modeling_olmo.py"
FILES = {
    PARENT: (
        "class LlamaGate:\n    eps = 1\n\n\n"
        "class LlamaMLP:\n    eps = 1\n\n\nclass LlamaNorm:\n    eps = 1\n"
    ),
    MODULAR: (
        "from ..llama.modeling_llama import LlamaGate, LlamaMLP, LlamaNorm\n\n\n"
        "class OlmoMLP(LlamaMLP):\n    pass\n\n\nclass OlmoNorm(LlamaNorm):\n    eps = rotate(2)\n"
    ),
    GENERATED: "class OlmoMLP:\n    eps = 3\n\n\nclass OlmoNorm:\n    eps = rotate(2)\n",
}
"""Two warnings (MOD453, MOD408), and a generated file that was changed by hand: 3 for 1."""

Run = Callable[..., Result]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "cache"))
    root = tmp_path / "project"
    write_project(root, FILES)
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def check(project: Path) -> Run:
    return lambda *arguments: CliRunner().invoke(
        main, ["check", *arguments], catch_exceptions=False
    )


def change(project: Path, path: str, old: str, new: str) -> None:
    text = (project / path).read_text(encoding="utf-8")
    assert old in text
    (project / path).write_text(text.replace(old, new), encoding="utf-8")


def codes(result: Result) -> list[str]:
    return [error["code"] for error in json.loads(result.stdout)["errors"]]


def test_what_a_baseline_holds(check: Run, project: Path) -> None:
    done = check("--write-baseline", "known/baseline.json")
    assert (done.exit_code, done.stdout) == (
        0,
        "3 findings written to known/baseline.json\n",
    )
    text = (project / "known/baseline.json").read_text(encoding="utf-8")
    entries = json.loads(text)["findings"]
    assert [(entry["path"], entry["code"], entry["count"]) for entry in entries] == [
        (GENERATED, "MOD501", 1),
        (MODULAR, "MOD408", 1),
        (MODULAR, "MOD453", 1),
    ]
    assert text == json.dumps(json.loads(text), indent=2) + "\n"


def test_what_is_known_is_not_said(check: Run) -> None:
    check("--write-baseline", "known.json")
    done = check("--baseline", "known.json", "--strict")
    assert done.exit_code == 0
    assert done.stderr == "3 known findings not shown, 0 new\n"
    assert done.stdout == "no files; 9 lines of modular code, 6 generated (x0.7)\n"


def test_lines_that_move_change_nothing(check: Run, project: Path) -> None:
    check("--write-baseline", "known.json")
    change(project, MODULAR, "\n\nclass OlmoMLP", "\n# moved\n\n\nclass OlmoMLP")
    done = check("--baseline", "known.json", "--output-format", "json", "--strict")
    assert (done.exit_code, codes(done)) == (0, [])


def test_what_is_new_is_said(check: Run, project: Path) -> None:
    check("--write-baseline", "known.json")
    change(project, MODULAR, "rotate(2)", "shift(2)")
    done = check("--baseline", "known.json", "--output-format", "json")
    assert codes(done) == ["MOD408"]
    assert [file["status"] for file in json.loads(done.stdout)["files"]] == ["stale"]
    assert done.exit_code == 1


def test_a_baseline_holds_infos_if_they_are_reported(check: Run, project: Path) -> None:
    settings = project / "pyproject.toml"
    settings.write_text('[tool.modular.lint]\ninfo = ["MOD453", "MOD408"]\n')
    written = check("--write-baseline", "known.json")
    assert written.stdout == "1 finding written to known.json\n"
    written = check("--write-baseline", "known.json", "--verbose")
    assert written.stdout == "3 findings written to known.json\n"
    done = check("--baseline", "known.json", "--verbose")
    assert done.stderr == "3 known findings not shown, 0 new\n"


def test_one_more_of_the_same_is_new(check: Run, project: Path) -> None:
    change(project, MODULAR, "    pass\n", "    for i in (1,):\n        print(i)\n")
    check("--write-baseline", "known.json")
    change(
        project,
        MODULAR,
        "        print(i)\n",
        "        print(i)\n    for i in (2,):\n        print(i)\n",
    )
    done = check("--baseline", "known.json", "--output-format", "json")
    assert codes(done) == ["MOD410"]


def test_a_missing_file_may_be_known_and_an_error_never(
    check: Run, project: Path
) -> None:
    (project / GENERATED).unlink()
    check("--write-baseline", "known.json")
    assert check("--baseline", "known.json").exit_code == 0
    change(project, MODULAR, "LlamaMLP, ", "LlamaMlp, ")
    check("--write-baseline", "known.json")
    done = check("--baseline", "known.json", "--output-format", "json")
    assert (done.exit_code, codes(done)) == (1, ["MOD202"])


def test_a_known_error_is_named_if_it_keeps_a_fix_from_writing(
    check: Run, project: Path
) -> None:
    check("--write-baseline", "known.json")
    assert check("--baseline", "known.json").exit_code == 0

    done = check("--fix", "--baseline", "known.json", "--output-format", "json")
    assert (done.exit_code, codes(done)) == (1, ["MOD408"])


def entry(count: str) -> str:
    return f'{{"findings": [{{"path": "x", "code": "MOD453", "found": "y", "count": {count}}}]}}'


@pytest.mark.parametrize(
    "text",
    [
        None,
        "[]",
        "{",
        "[" * 100_000,
        '{"findings": [{"path": "x"}]}',
        '{"findings": [1]}',
        entry("1e400"),
        entry("-1"),
        entry('"1"'),
    ],
)
def test_what_is_no_baseline(check: Run, project: Path, text: str | None) -> None:
    if text is not None:
        (project / "known.json").write_text(text, encoding="utf-8")
    done = check("--baseline", "known.json")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("error: known.json: ")


def test_a_baseline_that_does_not_end(check: Run, project: Path) -> None:
    (project / "known.json").symlink_to("/dev/zero")
    done = check("--baseline", "known.json")
    assert done.exit_code == 2
    assert "known.json: is not a regular file" in done.stderr


def test_a_baseline_that_nobody_writes(check: Run, project: Path) -> None:
    os.mkfifo(project / "known.json")
    assert (
        "known.json: is not a regular file" in check("--baseline", "known.json").stderr
    )


def test_writing_a_baseline_goes_alone(check: Run) -> None:
    assert check("--write-baseline", "known.json", "--fix").exit_code == 2
    assert (
        check("--write-baseline", "known.json", "--baseline", "known.json").exit_code
        == 2
    )
    assert (
        check("--write-baseline", "known.json", "--output-format", "json").exit_code
        == 2
    )


@pytest.mark.parametrize("text", ["class Owl:\n    pass\n", "[]\n", '{"a": 1}\n'])
def test_only_a_baseline_is_replaced_by_a_baseline(tmp_path: Path, text: str) -> None:
    file = tmp_path / "modular_owl.py"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(baseline.BaselineError, match="not written by modular"):
        baseline.write_baseline(file, Counter(), tmp_path)
    assert file.read_text(encoding="utf-8") == text


def test_a_baseline_is_replaced_by_a_newer_one(tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    file.touch()
    baseline.write_baseline(file, Counter(), tmp_path)
    key = baseline.FindingKey("models/owl/modular_owl.py", "MOD402", "message")
    baseline.write_baseline(file, Counter([key]), tmp_path)
    assert baseline.read_baseline(file) == Counter([key])
