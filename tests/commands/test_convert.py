"""`modular convert`."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from tests.family import CHILD_OUTPUT, GRANDCHILD_OUTPUT, files
from tests.support import statuses


Modular = Callable[..., Result]
CHILD_FILE = "models/child/modeling_child.py"
GRANDCHILD_FILE = "models/grandchild/modeling_grandchild.py"


def test_everything_is_converted_parents_first(project: Path, modular: Modular) -> None:
    done = modular("convert")
    assert done.exit_code == 0
    assert done.stdout == (
        f"{CHILD_FILE}: written\n"
        f"{GRANDCHILD_FILE}: written\n"
        "2 written; 11 lines of modular code, 20 generated (x1.8)\n"
    )
    assert (project / CHILD_FILE).read_text() == CHILD_OUTPUT
    assert (project / GRANDCHILD_FILE).read_text() == GRANDCHILD_OUTPUT


@pytest.mark.parametrize("order", [("child", "grandchild"), ("grandchild", "child")])
def test_the_order_of_targets_does_not_matter(
    project: Path, modular: Modular, order: tuple[str, str]
) -> None:
    assert modular("convert", *order).exit_code == 0
    assert (project / GRANDCHILD_FILE).read_text() == GRANDCHILD_OUTPUT


def test_only_what_changes_is_written(project: Path, modular: Modular) -> None:
    modular("convert")
    before = (project / CHILD_FILE).stat().st_mtime_ns
    (project / GRANDCHILD_FILE).write_text("changed by hand\n")
    done = modular("convert", "--force", "--output-format", "json")
    assert statuses(done) == {CHILD_FILE: "unchanged", GRANDCHILD_FILE: "written"}
    assert (project / CHILD_FILE).stat().st_mtime_ns == before


@pytest.mark.parametrize(
    "target", ["child", "models/child/modular_child.py", "models/child"]
)
def test_a_target_is_a_name_a_file_or_a_folder(
    project: Path, modular: Modular, target: str
) -> None:
    assert statuses(modular("convert", target, "--output-format", "json")) == {
        CHILD_FILE: "written"
    }
    assert not (project / GRANDCHILD_FILE).exists()


def test_a_model_whose_parent_is_not_there_yet_sees_it_all_the_same(
    project: Path, modular: Modular
) -> None:
    assert statuses(modular("convert", "grandchild", "--output-format", "json")) == {
        GRANDCHILD_FILE: "written"
    }
    assert (project / GRANDCHILD_FILE).read_text() == GRANDCHILD_OUTPUT
    assert not (project / CHILD_FILE).exists()


def test_diff_writes_nothing(project: Path, modular: Modular) -> None:
    before = files(project)
    done = modular("convert", "child", "--diff")
    assert done.exit_code == 1
    assert f"+++ b/{CHILD_FILE}" in done.stdout
    assert "+        return -self.up_proj(x)" in done.stdout
    assert files(project) == before


def test_diff_of_one_model_begins_with_its_classes(
    project: Path, modular: Modular
) -> None:
    done = modular("convert", "child", "--diff")
    assert done.stdout.startswith(
        "1 class:\n  ChildMLP (nn.Module)\n    inherited from BaseMLP\n\n"
        f"--- a/{CHILD_FILE}\n"
    )


def test_the_parent_of_a_class_can_be_generated_in_the_same_run(
    project: Path, modular: Modular
) -> None:
    modular("convert", "child")
    (project / CHILD_FILE).write_text("stale\n")
    done = modular("convert", "grandchild", "--diff")
    assert "  GrandchildMLP (nn.Module)\n    inherited from ChildMLP\n" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [(), ("child", "--quiet"), ("child", "--output-format", "json")],
    ids=["several models", "quiet", "json"],
)
def test_classes_are_not_listed(
    project: Path, modular: Modular, arguments: tuple[str, ...]
) -> None:
    done = modular("convert", "--diff", *arguments)
    assert "inherited from" not in done.stdout


def test_output_mirrors_the_models_into_another_folder(
    project: Path, modular: Modular
) -> None:
    assert modular("convert", "--output", "flat").exit_code == 0
    assert (project / "flat/child/modeling_child.py").read_text() == CHILD_OUTPUT
    assert (
        project / "flat/grandchild/modeling_grandchild.py"
    ).read_text() == GRANDCHILD_OUTPUT
    assert not (project / CHILD_FILE).exists()


def test_with_output_the_fresh_parent_counts_not_a_stale_one_beside(
    project: Path, modular: Modular
) -> None:
    (project / CHILD_FILE).write_text(
        CHILD_OUTPUT.replace("return -self", "return +self")
    )
    assert modular("convert", "--output", "flat").exit_code == 0
    assert (
        project / "flat/grandchild/modeling_grandchild.py"
    ).read_text() == GRANDCHILD_OUTPUT


def test_the_root_is_found_from_a_folder_below(
    project: Path, modular: Modular, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "models/child")
    assert statuses(
        modular("convert", "modular_child.py", "--output-format", "json")
    ) == {CHILD_FILE: "written"}


def test_a_model_in_error_changes_nothing_and_the_others_go_on(
    project: Path, modular: Modular
) -> None:
    (project / "models/child/modular_child.py").write_text(
        "class ChildMLP(:\n    pass\n"
    )
    (project / "models/other").mkdir()
    source = "from ..base.modeling_base import BaseMLP\n\n\nclass OtherMLP(BaseMLP):\n    pass\n"
    (project / "models/other/modular_other.py").write_text(source)
    done = modular("convert", "child", "other")
    assert done.exit_code == 1
    assert "--> models/child/modular_child.py:1:" in done.stderr
    assert not (project / CHILD_FILE).exists()
    assert (
        "class OtherMLP(nn.Module):"
        in (project / "models/other/modeling_other.py").read_text()
    )


def test_an_unknown_model_is_an_error_with_the_nearest_name(
    project: Path, modular: Modular
) -> None:
    assert "did you mean `child`" in modular("convert", "chidl").stderr


@pytest.mark.parametrize("command", ["check", "convert", "watch", "blame", "graph"])
def test_a_target_that_is_unknown_is_wrong_use(
    project: Path, modular: Modular, command: str
) -> None:
    assert modular(command, "no_such_model").exit_code == 2


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ('modles = ["models"]', "tool.modular.modles: unknown key"),
        ('models = "models"', "tool.modular.models: expected a list of strings"),
        (
            'formatter = "yapf"',
            "tool.modular.formatter: expected one of ruff, black, none",
        ),
        ('preset = "other"', "tool.modular.preset: unknown preset 'other'"),
    ],
)
def test_wrong_settings_are_wrong_use(
    project: Path, modular: Modular, settings: str, message: str
) -> None:
    (project / "pyproject.toml").write_text(f"[tool.modular]\n{settings}\n")
    done = modular("convert")
    assert done.exit_code == 2
    assert f"pyproject.toml:2: {message}" in done.stderr


def test_two_modular_files_for_the_same_output(
    project: Path, modular: Callable[..., Result]
) -> None:
    """Neither is converted: the one would overwrite the other."""
    (project / "pyproject.toml").write_text(
        '[tool.modular]\nmodels = ["models", "more"]\noutput = "flat"\n'
    )
    (project / "more/child").mkdir(parents=True)
    (project / "more/child/modular_child.py").write_text("class ChildMLP:\n    pass\n")
    done = modular("convert")
    assert done.exit_code == 1
    assert "error[MOD108]: `more/child/modular_child.py` would generate" in done.stderr
    assert (
        "error[MOD108]: `models/child/modular_child.py` would generate" in done.stderr
    )
    assert not (project / "flat/child").exists()


@pytest.mark.parametrize(
    ("ending", "newline"), [("cr-lf", b"\r\n"), ("lf", b"\n"), ("auto", b"\n")]
)
def test_the_formatter_chooses_the_line_ends(
    project: Path, modular: Callable[..., Result], ending: str, newline: bytes
) -> None:
    with open(project / "pyproject.toml", "a", encoding="utf-8") as settings:
        settings.write(f'\n[tool.ruff.format]\nline-ending = "{ending}"\n')
    modular("convert", "child")
    assert (
        project / "models/child/modeling_child.py"
    ).read_bytes() == CHILD_OUTPUT.encode().replace(b"\n", newline)
    assert modular("check", "child").exit_code == 0


def test_line_ends_alone_are_a_difference_that_is_shown(
    project: Path, modular: Callable[..., Result]
) -> None:
    modular("convert", "child")
    file = project / "models/child/modeling_child.py"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    done = modular("check", "child")
    assert done.exit_code == 1
    assert "+from torch import nn\n" in done.stdout
