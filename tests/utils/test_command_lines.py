"""The field's own command lines, typed as the field types them, in a small checkout of the library."""

import runpy
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest


SCRIPTS = Path(__file__).parents[2] / "utils"
PYPROJECT = '[tool.modular]\npreset = "transformers"\nformatter = "none"\n[tool.modular.banner]\ntext = ""\n'
MODELS = "src/transformers/models"
OAK = f"{MODELS}/oak/modeling_oak.py"
BIRCH = f"{MODELS}/birch/modeling_birch.py"
MAPLE = f"{MODELS}/maple/modeling_maple.py"
EXAMPLE = "examples/modular-transformers/modeling_elm.py"
FILES = {
    "pyproject.toml": PYPROJECT,
    OAK: "from ...utils import one\n\n\nclass OakLeaf:\n    size = one\n",
    f"{MODELS}/birch/modular_birch.py": (
        "from ..oak.modeling_oak import OakLeaf\n\n\nclass BirchLeaf(OakLeaf):\n    pass\n"
    ),
    f"{MODELS}/maple/modular_maple.py": "class MapleLeaf:\n    size = 2\n",
    "examples/modular-transformers/modular_elm.py": (
        "from transformers.models.oak.modeling_oak import OakLeaf\n\n\nclass ElmLeaf(OakLeaf):\n    pass\n"
    ),
}
GENERATED = {
    BIRCH: "from ...utils import one\n\n\nclass BirchLeaf:\n    size = one\n",
    MAPLE: "class MapleLeaf:\n    size = 2\n",
    EXAMPLE: "from ...utils import one\n\n\nclass ElmLeaf:\n    size = one\n",
}


@pytest.fixture
def checkout(tmp_path):
    root = tmp_path / "transformers"
    write(root, FILES)
    return root


def write(root, files):
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def run(root, command, folder="."):
    """Run a command of which the first word is the script's name; return its exit code and what it printed."""
    name, *arguments = command.split()
    printed = StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(printed),
        redirect_stderr(printed),
    ):
        patch.setenv("MODULAR_CACHE_DIR", str(root.parent / "cache"))
        patch.chdir(root / folder)
        patch.setattr(sys, "argv", [f"{name}.py", *arguments])
        try:
            runpy.run_path(str(SCRIPTS / f"{name}.py"), run_name="__main__")
        except SystemExit as ended:
            return ended.code or 0, printed.getvalue()
    return 0, printed.getvalue()


def generated(root):
    """The generated files that are there, by path."""
    return {
        path: (root / path).read_text(encoding="utf-8")
        for path in GENERATED
        if (root / path).exists()
    }


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        ("birch", [BIRCH]),
        ("birch maple", [BIRCH, MAPLE]),
        ("elm", [EXAMPLE]),
        ("birch elm", [BIRCH, EXAMPLE]),
        ("examples", [EXAMPLE]),
        ("all", [BIRCH, MAPLE]),
        ("", [BIRCH, MAPLE]),
        (f"{MODELS}/maple/modular_maple.py", [MAPLE]),
        (f"--files-to-parse {MODELS}/maple/modular_maple.py", [MAPLE]),
        (
            f"--files_to_parse {MODELS}/maple/modular_maple.py {MODELS}/birch/modular_birch.py",
            [BIRCH, MAPLE],
        ),
        ("--files birch", [BIRCH]),
        ("-f birch maple", [BIRCH, MAPLE]),
        ("-f examples", [EXAMPLE]),
        ("--files-to-parse all --num_workers 1", [BIRCH, MAPLE]),
        ("maple --num_workers -1", [MAPLE]),
        ("maple --source-library transformers", [MAPLE]),
    ],
)
def test_converter_converts_what_is_named(checkout, arguments, written):
    code, output = run(checkout, f"modular_model_converter {arguments}")
    assert code == 0, output
    assert generated(checkout) == {path: GENERATED[path] for path in written}


def test_converter_runs_below_the_root(checkout):
    assert (
        run(
            checkout,
            "modular_model_converter modular_maple.py",
            folder=f"{MODELS}/maple",
        )[0]
        == 0
    )
    assert generated(checkout) == {MAPLE: GENERATED[MAPLE]}


def test_converter_finds_the_root_without_settings_of_our_own(checkout):
    """From `src/transformers`, too, which has a folder `models` as other projects' roots have it."""
    (checkout / "pyproject.toml").unlink()
    assert (
        run(checkout, "modular_model_converter maple", folder="src/transformers")[0]
        == 0
    )
    banner = "# This file was automatically generated from src/transformers/models/maple/modular_maple.py."
    assert banner in " ".join((checkout / MAPLE).read_text(encoding="utf-8").split())


def test_converter_says_which_model_is_not_there(checkout):
    code, output = run(checkout, "modular_model_converter mable birch")
    assert code == 2
    assert "mable" in output
    assert "no such model, file or folder" in output


def test_converter_fails_where_a_model_has_an_error_and_converts_the_others(checkout):
    (checkout / OAK).unlink()
    code, output = run(checkout, "modular_model_converter all")
    assert code == 1
    assert f"no parent file `{OAK}`" in output
    assert generated(checkout) == {MAPLE: GENERATED[MAPLE]}


def test_converter_takes_parents_from_the_source_library(checkout, tmp_path):
    write(
        tmp_path,
        {
            "wood/models/ash/modeling_ash.py": "from ...utils import two\n\n\nclass AshLeaf:\n    size = two\n"
        },
    )
    modular = "from wood.models.ash.modeling_ash import AshLeaf\n\n\nclass MapleLeaf(AshLeaf):\n    pass\n"
    write(checkout, {f"{MODELS}/maple/modular_maple.py": modular})
    assert (
        run(checkout, "modular_model_converter maple --source-library ../wood")[0] == 0
    )
    assert generated(checkout) == {
        MAPLE: "from wood.utils import two\n\n\nclass MapleLeaf:\n    size = two\n"
    }


def test_converter_has_nothing_to_do_without_examples(tmp_path):
    write(
        tmp_path,
        {
            "pyproject.toml": PYPROJECT,
            f"{MODELS}/maple/modular_maple.py": "class MapleLeaf:\n    size = 2\n",
        },
    )
    assert run(tmp_path, "modular_model_converter examples") == (
        0,
        "no modular files below examples/\n",
    )
    assert not (tmp_path / MAPLE).exists()


def test_wrong_settings_are_wrong_use(checkout):
    write(checkout, {"pyproject.toml": '[tool.modular]\ncolour = "green"\n'})
    code, output = run(checkout, "modular_model_converter maple")
    assert (code, "tool.modular.colour: unknown key" in output) == (2, True)


@pytest.mark.parametrize(
    "arguments",
    [
        "--check_all",
        "--files all --check_all --num_workers 2",
        "--files birch maple",
        f"--files {BIRCH.replace('modeling', 'modular')}",
    ],
)
def test_checker_passes_what_is_fresh(checkout, arguments):
    write(checkout, GENERATED)
    code, output = run(checkout, f"check_modular_conversion {arguments}")
    assert code == 0, output


@pytest.mark.parametrize(
    "arguments", ["--check_all", "--files all --check_all", "--files birch"]
)
def test_checker_shows_what_differs(checkout, arguments):
    stale = {**GENERATED, BIRCH: "class BirchLeaf:\n    size = 0\n"}
    write(checkout, stale)
    code, output = run(checkout, f"check_modular_conversion {arguments}")
    assert code == 1
    assert "-    size = 0\n+    size = one\n" in output
    assert generated(checkout) == stale


def test_checker_fixes(checkout):
    write(checkout, {**GENERATED, BIRCH: "class BirchLeaf:\n    size = 0\n"})
    assert (
        run(checkout, "check_modular_conversion --check_all --fix_and_overwrite")[0]
        == 0
    )
    assert generated(checkout) == GENERATED


def test_checker_checks_examples_when_asked(checkout):
    write(checkout, {**GENERATED, EXAMPLE: "class ElmLeaf:\n    size = 0\n"})
    assert run(checkout, "check_modular_conversion --check_all")[0] == 0
    assert run(checkout, "check_modular_conversion --files examples")[0] == 1


def git(root, *arguments):
    names = ("-c", "user.name=someone", "-c", "user.email=someone@example.org")
    subprocess.run(
        ["git", *names, *arguments], cwd=root, check=True, capture_output=True
    )


@pytest.fixture
def branch(checkout):
    """A branch of the checkout, which left `main` when `maple` was stale and all else was fresh."""
    write(checkout, {**GENERATED, MAPLE: "class MapleLeaf:\n    size = 0\n"})
    for arguments in (
        ["init", "-b", "main"],
        ["add", "."],
        ["commit", "-m", "all"],
        ["switch", "-c", "mine"],
    ):
        git(checkout, *arguments)
    return checkout


def test_checker_leaves_out_what_the_branch_does_not_affect(branch):
    code, output = run(branch, "check_modular_conversion")
    assert (code, "2 models skipped" in output) == (0, True)
    assert run(branch, "check_modular_conversion --check_all")[0] == 1


def test_checker_checks_the_children_of_what_the_branch_changed(branch):
    write(branch, {OAK: "class OakLeaf:\n    size = 3\n"})
    git(branch, "commit", "--all", "-m", "oak")
    code, output = run(branch, "check_modular_conversion --files all")
    assert (code, "1 model skipped" in output) == (1, True)
    assert f"+++ b/{BIRCH}" in output
    assert MAPLE not in output
    assert run(branch, "check_modular_conversion --fix_and_overwrite")[0] == 0
    assert (branch / BIRCH).read_text(
        encoding="utf-8"
    ) == "class BirchLeaf:\n    size = 3\n"


def test_checker_checks_named_files_whether_the_branch_affects_them_or_not(branch):
    assert run(branch, "check_modular_conversion --files maple")[0] == 1


def test_checker_checks_everything_where_there_is_no_main_branch(branch):
    git(branch, "branch", "-D", "main")
    code, output = run(branch, "check_modular_conversion")
    assert code == 1
    assert "all models are checked: the repository" in output
