"""`modular verify`."""

import json
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from modular.cli.main import main
from tests.repository import commit
from tests.support import source, write_project


PARENT = "lib/models/llama/modeling_llama.py"
MODULAR = "lib/models/olmo/modular_olmo.py"
GENERATED = "lib/models/olmo/modeling_olmo.py"
SETTINGS = """
    [tool.modular]
    models = ["lib/models"]
    package = "lib.models"
    """
"""The project's linter has `F841` and `E711` on, see `tests.support.FORMATTING`."""

LLAMA = """
    class LlamaMLP:
        def forward(self, x):
            return x
    """
OLMO = """
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        pass
    """


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {"pyproject.toml": SETTINGS, PARENT: LLAMA, MODULAR: OLMO}
    write_project(tmp_path, {path: source(text) for path, text in files.items()})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(root: Path, path: str, text: str) -> None:
    (root / path).write_text(source(text), encoding="utf-8")


def verify(*arguments: str) -> Result:
    """Convert the models, and verify them."""
    CliRunner().invoke(main, ["convert"])
    return CliRunner().invoke(main, ["verify", *arguments])


def test_a_model_without_problems(root: Path) -> None:
    done = verify("olmo")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[-1] == (
        "next: run the model's tests, and commit the modular and the generated files"
    )


def test_nothing_is_written_and_an_outdated_file_is_a_problem(root: Path) -> None:
    done = CliRunner().invoke(main, ["verify", "olmo"])
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        f"{GENERATED}:1: the file is out of date",
        "next: run `modular convert olmo`, then run `modular verify olmo`",
    ]
    assert not (root / GENERATED).exists()


def test_an_edit_of_a_generated_file_is_lifted_first(root: Path) -> None:
    CliRunner().invoke(main, ["convert"])
    commit(root)
    path = root / GENERATED
    path.write_text(path.read_text().replace("return x", "return -x"))
    done = CliRunner().invoke(main, ["verify", "olmo"])
    assert done.stdout.splitlines() == [
        f"{GENERATED}:1: this generated file was edited by hand",
        f"next: run `modular lift {GENERATED}`, then run `modular verify olmo`",
    ]
    assert CliRunner().invoke(main, ["lift", GENERATED]).exit_code == 0
    assert CliRunner().invoke(main, ["verify", "olmo"]).exit_code == 0


def test_a_warning_is_a_problem_at_its_line(root: Path) -> None:
    write(root, MODULAR, OLMO.replace("pass", "del self.nothing"))
    done = verify("olmo")
    assert done.exit_code == 1
    problem, next_step = done.stdout.splitlines()
    assert problem.startswith(f"{MODULAR}:5: MOD")
    assert next_step == f"next: edit {MODULAR}:5, then run `modular verify olmo`"


def test_what_fails_the_check_comes_before_warnings(root: Path) -> None:
    write(root, MODULAR, f"{OLMO}\n\n    def unused():\n        return 1\n")
    done = CliRunner().invoke(main, ["verify", "olmo"])
    stale, warning, step = done.stdout.splitlines()
    assert stale == f"{GENERATED}:1: the file is out of date"
    assert "MOD451" in warning
    assert step.startswith("next: run `modular convert olmo`")

    zebra = "lib/models/zebra/modular_zebra.py"
    (root / zebra).parent.mkdir()
    write(root, zebra, OLMO.replace("Olmo", "Zebra").replace("LlamaMLP", "LlamaML"))
    done = CliRunner().invoke(main, ["verify"])
    assert done.stdout.startswith(f"{zebra}:1: MOD")
    assert "MOD451" in done.stdout.splitlines()[1]


def test_findings_of_the_linter_are_at_the_lines_to_edit(root: Path) -> None:
    write(
        root,
        MODULAR,
        """
        from ..llama.modeling_llama import LlamaMLP


        class OlmoMLP(LlamaMLP):
            def backward(self, x):
                unused = x
                return x == None
        """,
    )
    done = verify("olmo")
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        f"{MODULAR}:6: F841 Local variable `unused` is assigned to but never used",
        f"{MODULAR}:7: E711 Comparison to `None` should be `cond is None`",
        f"next: edit {MODULAR}:6, then run `modular verify olmo`",
    ]


def test_a_finding_in_an_inherited_line_is_at_the_line_of_the_parent(
    root: Path,
) -> None:
    write(root, PARENT, LLAMA.replace("return x", "return x == None"))
    done = verify("olmo")
    assert done.stdout.splitlines()[0].startswith(f"{PARENT}:3: E711 ")


FAILING = """
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        size = open("imported.txt", "w").write("") // 0
    """


def test_nothing_is_imported_unless_it_is_asked_for(root: Path) -> None:
    write(root, MODULAR, FAILING)
    assert verify("olmo").exit_code == 0
    assert not (root / "imported.txt").exists()


def test_an_import_that_fails_is_a_problem_at_the_line_to_edit(root: Path) -> None:
    write(root, MODULAR, FAILING)
    done = verify("olmo", "--import")
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        f"{MODULAR}:5: import: ZeroDivisionError: integer division or modulo by zero",
        f"next: edit {MODULAR}:5, then run `modular verify olmo --import`",
    ]
    assert (root / "imported.txt").exists()


def test_the_next_step_is_not_an_edit_of_a_generated_file(root: Path) -> None:
    write(root, "lib/models/__init__.py", "raise ImportError('no package')\n")
    settings = (root / "pyproject.toml").read_text(encoding="utf-8")
    write(root, "pyproject.toml", settings.replace('text = ""', 'text = "# Generated"'))
    done = verify("olmo", "--import")
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        f"{GENERATED}:1: import: ImportError: no package",
        f"next: correct the cause, but not in the generated {GENERATED}, then run "
        "`modular verify olmo --import`",
    ]


def test_a_package_that_is_not_installed_is_to_be_installed(root: Path) -> None:
    """Or the import is misspelt."""
    imported = LLAMA.replace("class", "import torhc\n\n\n    class")
    write(root, PARENT, imported + "\n        size = torhc.size\n")
    done = verify("olmo", "--import")
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        f"{PARENT}:1: import: ModuleNotFoundError: No module named 'torhc'",
        "next: install `torhc` where modular is installed, or correct the import at "
        f"{PARENT}:1, then run `modular verify olmo --import`",
    ]


def test_an_import_that_succeeds_is_no_problem(root: Path) -> None:
    assert verify("olmo", "--import").exit_code == 0


def test_at_most_twenty_lines_are_printed(root: Path) -> None:
    method = "\n\nclass OlmoNorm:\n    def norm(self, x):\n"
    statements = "".join(f"        x{number} = x\n" for number in range(30))
    (root / MODULAR).write_text(source(OLMO) + method + statements, encoding="utf-8")
    lines = verify("olmo").stdout.splitlines()
    assert len(lines) == 20
    assert lines[17].startswith(f"{MODULAR}:27: F841 ")
    assert lines[18:] == [
        "and 12 more problems",
        f"next: edit {MODULAR}:10, then run `modular verify olmo`",
    ]


def test_a_model_that_does_not_exist_is_wrong_use(root: Path) -> None:
    done = verify("olmoo")
    assert done.exit_code == 2
    last_line = done.stdout.splitlines()[-1]
    assert last_line == "next: name a model, a modular file or a folder that exists"


def test_a_project_without_modular_files_is_told_how_to_write_one(root: Path) -> None:
    (root / MODULAR).unlink()
    last_line = verify().stdout.splitlines()[-1]
    assert last_line == "next: write a modular file, for example with `modular new`"


def test_json_has_all_problems_and_the_next_step(root: Path) -> None:
    write(root, MODULAR, OLMO.replace("pass", "size = torhc.size"))
    done = verify("olmo", "--output-format", "json")
    assert done.exit_code == 1
    printed = json.loads(done.stdout)
    [problem] = printed["problems"]
    assert (problem["path"], problem["line"]) == (MODULAR, 5)
    assert problem["message"].startswith("MOD408 ")
    assert problem["missing_package"] is None
    assert printed["next"] == f"edit {MODULAR}:5, then run `modular verify olmo`"

    write(root, MODULAR, OLMO)
    printed = json.loads(verify("olmo", "--output-format", "json").stdout)
    assert printed["problems"] == []
    assert printed["files"] == [
        {"path": GENERATED, "modular": MODULAR, "status": "identical"}
    ]


def test_another_python_can_import_the_files(root: Path) -> None:
    python = root / "python"
    script = f'#!/bin/sh\ntouch ran\nexec {shlex.quote(sys.executable)} "$@"\n'
    python.write_text(script, encoding="utf-8")
    python.chmod(0o755)
    assert verify("olmo", "--import", "--python", "python").exit_code == 0
    assert (root / "ran").exists()

    write(root, MODULAR, OLMO.replace("pass", "size = 1 // 0"))
    done = verify("olmo", "--import", "--python", "python")
    command = "modular verify olmo --import --python python"
    assert done.stdout.endswith(f"then run `{command}`\n")


def test_a_python_that_cannot_run_is_an_error(root: Path) -> None:
    (root / "python").write_text("", encoding="utf-8")
    done = verify("olmo", "--import", "--python", "python")
    assert done.exit_code == 2
    assert "python: Permission denied" in done.stderr


def test_a_python_is_named_only_for_imports(root: Path) -> None:
    done = verify("olmo", "--python", sys.executable)
    assert done.exit_code == 2
    assert "--python needs --import" in done.stderr
