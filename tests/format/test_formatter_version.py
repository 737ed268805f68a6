"""The version of the formatter that a project pins, in whatever file it does so."""

import sysconfig
from pathlib import Path

import pytest

from modular.format import formatter_version
from modular.format.formatter_version import (
    FormatterPin,
    describe_mismatch,
    find_pin,
    running_version,
)
from modular.system.ruff import (
    RUFF_VARIABLE,
    FormatterError,
    identify_ruff,
    ruff_executable,
    ruff_version,
    syntax_options,
)


def write(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


HOOKS = """\
repos:
  - repo: https://github.com/psf/black-pre-commit-mirror
    rev: 24.1.0
    hooks: [{id: black}]
  - repo: "https://github.com/astral-sh/ruff-pre-commit.git"  # fast
    # rev: v0.9.0
    rev: 'v0.14.10'
    hooks:
      - id: ruff
"""

PINS = {
    "ruff.toml": 'required-version = "==0.14.10"\n',
    ".ruff.toml": 'required-version = "0.14.10"\n',
    "setup.py": 'import missing\n_deps = ["rich", "ruff==0.14.10"]\nraise SystemExit(1)\n',
    ".pre-commit-config.yaml": HOOKS,
    "uv.lock": '[[package]]\nname = "ruff"\nversion = "0.14.10"\n',
    "poetry.lock": '[[package]]\nname = "ruff"\nversion = "0.14.10"\n',
    "setup.cfg": "[options]\ninstall_requires =\n    ruff==0.14.10\n",
    "requirements-dev.txt": "rich\nruff==0.14.10 \\\n    --hash=sha256:00\n",
    "requirements/dev.txt": "ruff == 0.14.10  # formatter\n",
}


@pytest.mark.parametrize("path", PINS)
def test_each_file_that_may_pin_a_version_is_read(tmp_path: Path, path: str) -> None:
    root = write(tmp_path, {path: PINS[path]})
    assert find_pin(root, "ruff") == FormatterPin("0.14.10", path)


@pytest.mark.parametrize(
    "table",
    [
        '[tool.ruff]\nrequired-version = "==0.14.10"',
        '[project]\ndependencies = ["rich>=1", "ruff==0.14.10; python_version > \'3\'"]',
        '[project.optional-dependencies]\nquality = ["ruff==0.14.10"]',
        '[dependency-groups]\ndev = [{include-group = "x"}, "ruff==0.14.10"]',
        '[tool.poetry.group.dev.dependencies]\nruff = "0.14.10"',
        '[tool.poetry.dependencies]\nruff = {version = "==0.14.10", extras = []}',
        '[tool.hatch.envs.lint]\ndependencies = ["ruff[extra] === 0.14.10"]',
    ],
)
def test_every_table_of_pyproject_is_searched(tmp_path: Path, table: str) -> None:
    root = write(tmp_path, {"pyproject.toml": f"{table}\n"})
    assert find_pin(root, "ruff") == FormatterPin("0.14.10", "pyproject.toml")


@pytest.mark.parametrize(
    "requirement",
    [
        "ruff>=0.14.10",
        "ruff==0.14.*",
        "ruff-lsp==0.0.1",
        "not-ruff==1.0",
        "ruff",
        "Install ruff==0.14.10",
    ],
)
def test_ranges_and_other_packages_are_no_pin(tmp_path: Path, requirement: str) -> None:
    files = {"setup.py": f'x = ["{requirement}"]\n', "requirements.txt": requirement}
    assert find_pin(write(tmp_path, files), "ruff") is None


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("setup.py", "deps = [\n    # 'ruff==0.1.0',\n    'ruff==0.14.10',\n]\n"),
        ("setup.cfg", "[options]\nrequires =\n  # ruff==0.1.0\n  ruff==0.14.10\n"),
        ("requirements.txt", "# 'ruff==0.1.0'\nruff==0.14.10\n"),
        ("pyproject.toml", "[x]\n# y = ['ruff==0.1.0']\nz = ['ruff==0.14.10']\n"),
        ("pyproject.toml", "x = '''\nruff = \"0.1.0\"\n'''\nz = ['ruff==0.14.10']\n"),
    ],
)
def test_a_version_in_a_comment_or_text_is_no_pin(
    tmp_path: Path, path: str, text: str
) -> None:
    root = write(tmp_path, {path: text})
    assert find_pin(root, "ruff") == FormatterPin("0.14.10", path)


def test_required_version_counts_before_every_other_pin(tmp_path: Path) -> None:
    files = {**PINS, "ruff.toml": 'required-version = "0.13.1"\n'}
    assert find_pin(write(tmp_path, files), "ruff") == ("0.13.1", "ruff.toml")


def test_black_has_its_own_pin(tmp_path: Path) -> None:
    root = write(tmp_path, PINS)
    assert find_pin(root, "black") == ("24.1.0", ".pre-commit-config.yaml")
    assert find_pin(root, "none") is None


@pytest.mark.parametrize(
    "text",
    ["x = (\n", "\0", '"ruff[' * 100_000, '"' * 200_000 + "1", "ruff=" * 100_000, "é"],
)
def test_a_setup_file_without_a_requirement_pins_nothing_in_short_time(
    tmp_path: Path, text: str
) -> None:
    assert find_pin(write(tmp_path, {"setup.py": text}), "ruff") is None


def test_damaged_settings_and_folders_pin_nothing(tmp_path: Path) -> None:
    (tmp_path / "setup.py").mkdir()
    (tmp_path / "uv.lock").write_bytes(b"\xff\xfe")
    write(tmp_path, {"pyproject.toml": "[", "ruff.toml": "required-version = 1\n"})
    assert find_pin(tmp_path, "ruff") is None


def test_another_version_is_described_in_one_line(tmp_path: Path) -> None:
    root = write(tmp_path, {"setup.py": 'x = "ruff==0.0.1"\n'})
    version = running_version("ruff")
    assert describe_mismatch(root, "ruff") == (
        f"the project pins ruff 0.0.1 (setup.py), but ruff {version} formats the files: "
        "run `pip install ruff==0.0.1`, or name that ruff with `--ruff`"
    )
    assert describe_mismatch(root, "none") == ""


@pytest.mark.parametrize("pinned", ["24.1", "24.1.0", "24.1.0.0"])
def test_the_same_version_is_not_described(
    tmp_path: Path, pinned: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formatter_version, "running_version", lambda _: "24.1.0")
    root = write(tmp_path, {"setup.py": f'x = "black=={pinned}"\n'})
    assert describe_mismatch(root, "black") == ""


def test_the_user_names_the_ruff_to_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "other/ruff"
    write(tmp_path, {"other/ruff": "#!/bin/sh\necho ruff 0.0.1\n"})
    program.chmod(0o755)
    monkeypatch.setenv(RUFF_VARIABLE, str(program))
    assert ruff_executable() == str(program)
    assert running_version("ruff") == "0.0.1"


@pytest.mark.parametrize("name", ["no-such-ruff", "folder/no-such-ruff", "."])
def test_a_ruff_that_is_not_there_is_an_error(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(RUFF_VARIABLE, name)
    with pytest.raises(FormatterError, match="no program"):
        ruff_executable()


@pytest.mark.parametrize(
    ("release", "target"),
    [("0.9.0", "py313"), ("0.11.7", "py313"), ("0.11.8", "py314"), ("1.0.0", "py314")],
)
def test_syntax_is_checked_for_the_newest_python_that_the_ruff_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, release: str, target: str
) -> None:
    program = tmp_path / "ruff"
    write(tmp_path, {"ruff": f"#!/bin/sh\necho ruff {release}\n"})
    program.chmod(0o755)
    monkeypatch.setenv(RUFF_VARIABLE, str(program))
    assert target in syntax_options()


def make_ruff(path: Path, text: str) -> str:
    """Write a program that says something, and return its path."""
    path.write_text(f"#!/bin/sh\necho {text}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def test_a_ruff_beside_the_installed_one_has_a_version_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = ruff_executable()
    assert Path(installed).parent == Path(sysconfig.get_path("scripts"))
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    beside = make_ruff(tmp_path / "ruff-0.0.1", "ruff 0.0.1")
    assert ruff_version(beside) == "0.0.1"
    assert identify_ruff(beside) != identify_ruff(installed)


def test_a_ruff_that_is_copied_over_another_one_counts_at_once(tmp_path: Path) -> None:
    program = make_ruff(tmp_path / "ruff", "ruff 0.0.1")
    identity = identify_ruff(program)
    assert ruff_version(program) == "0.0.1"
    make_ruff(tmp_path / "new", "ruff 0.0.2")
    (tmp_path / "new").replace(program)
    assert ruff_version(program) == "0.0.2"
    assert identify_ruff(program) != identity


def test_the_same_ruff_in_another_folder_is_the_same(tmp_path: Path) -> None:
    first = make_ruff(tmp_path / "first", "ruff 0.0.1")
    second = make_ruff(tmp_path / "second", "ruff 0.0.1")
    assert identify_ruff(first) == identify_ruff(second)
    with pytest.raises(FormatterError, match="missing: No such file"):
        identify_ruff(str(tmp_path / "missing"))


def test_the_usual_version_counts_if_no_file_pins_one(tmp_path: Path) -> None:
    version = running_version("ruff")
    assert describe_mismatch(tmp_path, "ruff", "0.0.1") == (
        f"the files of this project are those of ruff 0.0.1, but ruff {version} formats "
        "the files: run `pip install ruff==0.0.1`, or name that ruff with `--ruff`"
    )
    assert describe_mismatch(tmp_path, "ruff", version) == ""

    root = write(tmp_path, {"setup.py": f'x = "ruff=={version}"\n'})
    assert describe_mismatch(root, "ruff", "0.0.1") == ""
