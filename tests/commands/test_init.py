"""`modular init` in libraries of different layouts: what it writes works."""

import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from modular.cli.main import main
from modular.scaffold import setup_files
from tests.flock import run_modular
from tests.repository import make
from tests.support import source


PARENT = "class EagleWing:\n    size = 1\n"
CHILD = "from ..eagle.modeling_eagle import EagleWing\n\n\nclass OwlWing(EagleWing):\n    pass\n"
LAYOUTS = {
    "src layout": ("src/birds/models", "birds.models", ["src/birds/__init__.py"]),
    "flat layout": (
        "birds/models",
        "birds.models",
        ["birds/__init__.py", "birds/models/__init__.py"],
    ),
    "namespace package below src": ("src/acme/birds/models", "acme.birds.models", []),
    "namespace package below lib": ("lib/acme/birds/models", "acme.birds.models", []),
    "namespace package": ("code/acme/birds/models", "acme.birds.models", []),
}
NAMESPACE_IMPORT = "from acme.birds.models.eagle.modeling_eagle import EagleWing\n"


def write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_written_works(tmp_path: Path, layout: str) -> None:
    models, package, empty = LAYOUTS[layout]
    child = (
        CHILD
        if layout != "namespace package"
        else CHILD.replace(CHILD.splitlines(keepends=True)[0], NAMESPACE_IMPORT)
    )
    files = {
        f"{models}/eagle/modeling_eagle.py": PARENT,
        f"{models}/owl/modular_owl.py": child,
    }
    write(tmp_path, {**files, **dict.fromkeys(empty, "")})
    assert run_modular("init", cwd=tmp_path).returncode == 0
    settings = tomllib.loads((tmp_path / "pyproject.toml").read_text())["tool"][
        "modular"
    ]
    assert settings == {"models": [models], "package": package}
    assert run_modular("convert", cwd=tmp_path).returncode == 0
    assert (
        "class OwlWing:\n    size = 1\n"
        in (tmp_path / models / "owl/modeling_owl.py").read_text()
    )
    workflow = yaml.safe_load((tmp_path / ".github/workflows/modular.yml").read_text())
    step = workflow["jobs"]["check"]["steps"][-1]["run"]
    (hook,) = yaml.safe_load((tmp_path / ".pre-commit-config.yaml").read_text())[
        "repos"
    ][0]["hooks"]
    for command in (step, f"{hook['entry']} {models}/owl/modular_owl.py"):
        words = shlex.split(command)
        assert words[0] == "modular"
        done = subprocess.run(
            [sys.executable, "-m", *words],
            cwd=tmp_path,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done


def test_comments_and_order_of_what_is_there_stay(tmp_path: Path) -> None:
    pyproject = '# ours\n[project]\nname = "birds"  # a name\n\n[tool.black]\nline-length = 88\n'
    hooks = source(
        """
        # ours
        repos:
        - repo: https://example.org/black
          rev: v1  # pinned
          hooks:
            - id: black
        ci:
          skip: []
        """
    )
    files = {
        "pyproject.toml": pyproject,
        ".pre-commit-config.yaml": hooks,
        "birds/models/eagle/modeling_eagle.py": PARENT,
    }
    write(tmp_path, files)
    assert run_modular("init", cwd=tmp_path).returncode == 0
    assert (tmp_path / "pyproject.toml").read_text() == pyproject + source(
        """

        [tool.modular]
        models = ["birds/models"]
        package = "birds.models"
        formatter = "black"
        """
    )
    written = (tmp_path / ".pre-commit-config.yaml").read_text()
    before, _, after = written.partition("- repo: local\n")
    assert before == hooks.partition("ci:")[0]
    assert after.endswith(
        "  require_serial: true\nci:\n  skip: []\n".replace("  req", "      req")
    )
    assert len(yaml.safe_load(written)["repos"]) == 2


def test_links_to_files_of_the_project_stay_links(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "birds/models/eagle/modeling_eagle.py": PARENT,
            "config/python.toml": "[tool.ruff]\n",
            "config/hooks.yaml": "repos: []\n",
        },
    )
    links = {
        "pyproject.toml": "config/python.toml",
        ".pre-commit-config.yaml": "config/hooks.yaml",
    }
    for link, target in links.items():
        (tmp_path / link).symlink_to(target)
    assert run_modular("init", cwd=tmp_path).returncode == 0
    for link, target in links.items():
        assert str((tmp_path / link).readlink()) == target
        assert "modular" in (tmp_path / target).read_text()


def test_what_is_written_for_a_folder_with_an_emoji_works(tmp_path: Path) -> None:
    write(tmp_path, {"🦉 lib/birds/models/eagle/modeling_eagle.py": PARENT})
    assert run_modular("init", cwd=tmp_path).returncode == 0
    models = tmp_path / "🦉 lib/birds/models"
    (models / "owl").mkdir()
    (models / "owl/modular_owl.py").write_text(CHILD, encoding="utf-8")
    assert run_modular("convert", cwd=tmp_path).returncode == 0
    assert (models / "owl/modeling_owl.py").is_file()


def test_several_folders_and_another_library(tmp_path: Path) -> None:
    parent = "from zoo.models.bird.modeling_bird import Bird\n\n\n" + PARENT
    write(
        tmp_path,
        {
            "a/models/eagle/modeling_eagle.py": parent,
            "b/models/owl/modular_owl.py": CHILD,
        },
    )
    run_modular("init", cwd=tmp_path)
    settings = tomllib.loads((tmp_path / "pyproject.toml").read_text())["tool"][
        "modular"
    ]
    assert settings["models"] == ["a/models", "b/models"]
    assert settings["source-library"] == "zoo"


def test_folders_of_different_packages(tmp_path: Path) -> None:
    """Each folder has its package, by which models of the other one inherit from its models."""
    child = (
        "from birds.day.models.eagle.modeling_eagle import EagleWing\n"
        + CHILD.partition("\n")[2]
    )
    files = {
        "src/birds/day/models/eagle/modeling_eagle.py": PARENT,
        "src/birds/night/models/owl/modular_owl.py": child,
        "src/birds/night/models/heron/modular_heron.py": child.replace("Owl", "Heron"),
    }
    write(tmp_path, files)
    assert run_modular("init", cwd=tmp_path).returncode == 0
    assert (tmp_path / "pyproject.toml").read_text() == source(
        """
        [tool.modular]
        models = ["src/birds/day/models", "src/birds/night/models"]

        [tool.modular.package]
        "src/birds/day/models" = "birds.day.models"
        "src/birds/night/models" = "birds.night.models"
        """
    )
    assert run_modular("convert", cwd=tmp_path).returncode == 0
    assert (
        "class OwlWing:\n    size = 1\n"
        in (tmp_path / "src/birds/night/models/owl/modeling_owl.py").read_text()
    )


def test_with_diff_nothing_is_written(tmp_path: Path) -> None:
    write(tmp_path, {"birds/models/eagle/modeling_eagle.py": PARENT})
    done = run_modular("init", "--diff", cwd=tmp_path)
    assert '+models = ["birds/models"]' in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["birds"]


def test_the_diff_shows_nothing_from_outside(tmp_path: Path) -> None:
    root = tmp_path / "project"
    write(root, {"birds/models/eagle/modeling_eagle.py": PARENT})
    (tmp_path / "secret").write_text("password\n")
    (root / ".pre-commit-config.yaml").symlink_to(tmp_path / "secret")
    (root / "pyproject.toml").write_bytes(b"")
    done = run_modular("init", "--diff", cwd=root)
    assert done.returncode == 2
    assert "is a link that points outside" in done.stderr
    assert "password" not in done.stdout + done.stderr


def test_a_hook_goes_into_a_file_of_another_encoding(tmp_path: Path) -> None:
    write(tmp_path, {"birds/models/eagle/modeling_eagle.py": PARENT})
    hooks = tmp_path / ".pre-commit-config.yaml"
    hooks.write_bytes(b"# caf\xe9\nrepos:\n")
    assert "+  - repo: local" in run_modular("init", "--diff", cwd=tmp_path).stdout
    assert run_modular("init", cwd=tmp_path).returncode == 0
    assert hooks.read_bytes().startswith(b"# caf\xe9\nrepos:\n  - repo: local\n")


def test_where_the_hook_cannot_be_put_it_is_printed(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "birds/models/eagle/modeling_eagle.py": PARENT,
            ".pre-commit-config.yaml": "repos: [{repo: a}]\n",
        },
    )
    done = run_modular("init", cwd=tmp_path)
    assert done.returncode == 0
    message, _, hook = done.stderr.partition("\n")
    assert (
        message
        == "`repos` in .pre-commit-config.yaml is not a plain list; add this hook yourself:"
    )
    assert yaml.safe_load(hook)[0]["repo"] == "local"


def test_what_is_refused(tmp_path: Path) -> None:
    done = run_modular("init", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error: no model files were found below ")


def test_nothing_is_written_unless_the_files_fit_or_the_folder_is_named(
    tmp_path: Path,
) -> None:
    models = [f"bird{letter}" for letter in "abcdefghijkl"]
    files = {
        f"birds/nets/{model}.py": "class Attention:\n    pass\n" for model in models
    }
    for index in range(3):
        files[f"birds/nets/other{index}.py"] = f"class Tool{index}:\n    pass\n"
    write(tmp_path, files)
    refused = run_modular("init", cwd=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr == (
        "error: it is not clear where the models are: 12 of 15 files in `birds/nets` fit "
        "`{model}.py`, such as `birda.py` and `birdg.py`, but not `other0.py`. If this is "
        "right, run `modular init --models birds/nets`; otherwise name the right folder\n"
    )
    assert not (tmp_path / "pyproject.toml").exists()
    done = run_modular("init", "--models", "birds/nets", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith(
        "found: 12 of 15 files in `birds/nets` fit `{model}.py`"
    )
    settings = (tmp_path / "pyproject.toml").read_text(encoding="utf-8")
    assert settings == (
        '[tool.modular]\nmodels = ["birds/nets"]\npackage = "birds.nets"\n'
        'file-names = "{model}.py"\n'
    )


def test_hand_written_settings_are_kept_beside_a_hook_and_a_workflow(
    tmp_path: Path,
) -> None:
    settings = '[tool.modular]\nmodels = ["birds/models"]\npackage = "birds.models"\n'
    model = "birds/models/eagle/modeling_eagle.py"
    write(tmp_path, {"pyproject.toml": settings, model: PARENT})
    shown = run_modular("init", "--diff", cwd=tmp_path)
    assert shown.returncode == 1
    assert not (tmp_path / ".github").exists()
    done = run_modular("init", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.splitlines()[:2] == [
        ".pre-commit-config.yaml written",
        ".github/workflows/modular.yml written",
    ]
    assert (tmp_path / "pyproject.toml").read_text(encoding="utf-8") == settings
    workflow = (tmp_path / ".github/workflows/modular.yml").read_text(encoding="utf-8")
    assert "transformers" not in workflow


@pytest.mark.parametrize("options", [(), ("--diff",), ("--agents",)])
def test_a_second_init_has_nothing_to_do(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    write(tmp_path, {"birds/models/eagle/modeling_eagle.py": PARENT})
    assert run_modular("init", "--agents", cwd=tmp_path).returncode == 0
    done = run_modular("init", *options, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "written" not in done.stdout


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".github/workflows/check.yaml", "- uses: modular-models/modular@main\n"),
        (".github/workflows/ci.yml", "- run: modular check\n"),
        (".pre-commit-config.yaml", "repos:\n  - repo: x\n    - id: modular-check\n"),
    ],
)
def test_a_hook_or_workflow_of_ones_own_is_enough(
    tmp_path: Path, path: str, text: str
) -> None:
    write(tmp_path, {"birds/models/eagle/modeling_eagle.py": PARENT, path: text})
    assert run_modular("init", cwd=tmp_path).returncode == 0
    assert (tmp_path / path).read_text(encoding="utf-8") == text
    assert (tmp_path / ".pre-commit-config.yaml").exists()
    assert (tmp_path / ".github/workflows/modular.yml").exists() == (
        "workflows" not in path
    )


def test_a_library_of_its_own_gets_pythons_inheritance(tmp_path: Path) -> None:
    parent = "class EagleWing:\n    def beat(self, n):\n        return n + 1\n"
    child = CHILD.replace(
        "pass", "def beat(self, n):\n        n = super().beat(n)\n        return n * 2"
    )
    write(
        tmp_path,
        {
            "birds/models/eagle/modeling_eagle.py": parent,
            "birds/models/owl/modular_owl.py": child,
        },
    )
    run_modular("init", cwd=tmp_path)
    assert run_modular("convert", cwd=tmp_path).returncode == 0
    names: dict[str, Any] = {}
    exec((tmp_path / "birds/models/owl/modeling_owl.py").read_text(), names)
    assert names["OwlWing"]().beat(1) == 4


def test_line_ends_and_strange_characters_of_other_settings_stay(
    tmp_path: Path,
) -> None:
    files = {"birds/eagle/modeling_eagle.py": PARENT, "birds/owl/modular_owl.py": CHILD}
    write(tmp_path, files)
    hooks = "# a\x85b\u2028c\r\ndefault_stages: [pre-commit]\nrepos:\r\n- repo: local\n"
    hooks += "  hooks: []\r\nfail_fast: false"
    (tmp_path / ".pre-commit-config.yaml").write_bytes(hooks.encode())
    settings = "[tool.other]\nname = 'a'\r\n# last\u2028"
    (tmp_path / "pyproject.toml").write_bytes(settings.encode())
    assert run_modular("init", cwd=tmp_path).returncode == 0
    written = (tmp_path / "pyproject.toml").read_bytes().decode()
    assert written.startswith(settings + "\r\n\r\n[tool.modular]\r\n")
    written = (tmp_path / ".pre-commit-config.yaml").read_bytes().decode()
    before, after = hooks.split("fail_fast")
    assert written.startswith(before + "- repo: local\r\n")
    assert written.endswith("\r\nfail_fast" + after + "\r\n")


def test_a_file_that_is_saved_while_init_runs_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"birds/eagle/modeling_eagle.py": PARENT, "birds/owl/modular_owl.py": CHILD}
    write(tmp_path, {**files, "pyproject.toml": "# old\n"})
    set_up = setup_files.setup_files

    def set_up_and_save(root: Path, models_folder: str) -> setup_files.Setup:
        setup = set_up(root, models_folder)
        (tmp_path / "pyproject.toml").write_text("# saved\n", encoding="utf-8")
        return setup

    monkeypatch.setattr(setup_files, "setup_files", set_up_and_save)
    done = CliRunner().invoke(main, ["init", "--root", str(tmp_path)])
    assert done.exit_code == 2
    assert "it changed after it was read" in done.stderr
    assert (tmp_path / "pyproject.toml").read_text(encoding="utf-8") == "# saved\n"
    assert not (tmp_path / ".pre-commit-config.yaml").exists()


def test_files_of_models_get_attributes_in_a_git_repository(tmp_path: Path) -> None:
    repository = make(tmp_path / "project")
    (repository.root / ".gitattributes").write_text("*.png binary", encoding="utf-8")
    assert "merge=modular" in repository.modular("init", "--diff").stdout
    assert repository.read(".gitattributes") == "*.png binary"
    done = repository.modular("init")
    assert repository.read(".gitattributes") == (
        "*.png binary\nmodels/**/*.py merge=modular\n"
    )
    command = 'git config merge.modular.driver "modular merge -- %O %A %B %P"'
    assert command in done.stdout
    path = "models/young/modeling_young.py"
    shown = repository.git("check-attr", "merge", "--", path).stdout
    assert shown == f"{path}: merge: modular\n"

    again = repository.modular("init")
    assert again.returncode == 0
    assert "nothing to write: all files are up to date" in again.stdout


def test_one_pattern_marks_all_files_of_the_output_folder_as_generated(
    tmp_path: Path,
) -> None:
    repository = make(tmp_path / "project")
    settings = repository.read("pyproject.toml")
    output = '[tool.modular]\noutput = "generated"'
    assert "[tool.modular]" in settings
    repository.write({"pyproject.toml": settings.replace("[tool.modular]", output, 1)})
    repository.modular("init")
    lines = repository.read(".gitattributes").splitlines()
    assert lines == [
        "models/**/*.py merge=modular",
        "generated/**/*.py merge=modular",
        "generated/**/*.py linguist-generated",
    ]
    path = "generated/young/modeling_young.py"
    shown = repository.git("check-attr", "linguist-generated", "--", path).stdout
    assert shown == f"{path}: linguist-generated: set\n"


def test_a_folder_without_git_gets_no_attributes(tmp_path: Path) -> None:
    write(tmp_path, {"models/eagle/modeling_eagle.py": PARENT})
    assert run_modular("init", cwd=tmp_path).returncode == 0
    assert not (tmp_path / ".gitattributes").exists()


SECTION = "## Model files generated by modular\n"


def set_up_project(root: Path) -> Path:
    """Write a project that is set up already, and return its AGENTS.md."""
    write(
        root,
        {
            "models/eagle/modeling_eagle.py": PARENT,
            "pyproject.toml": "[tool.modular]\n",
        },
    )
    assert run_modular("init", cwd=root).returncode == 0
    return root / "AGENTS.md"


def test_agents_get_twelve_lines(tmp_path: Path) -> None:
    instructions = set_up_project(tmp_path)
    done = run_modular("init", "--agents", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("AGENTS.md written\n")
    text = instructions.read_text()
    assert text.startswith(SECTION)
    assert len(text.splitlines()) == 12
    assert "Never edit a generated file." in text
    for command in ("verify", "blame", "rule"):
        assert f"`modular {command} " in text


@pytest.mark.parametrize(
    ("settings", "place", "rule"),
    [
        ("", "beside it", "anywhere in it"),
        (
            'preset = "transformers"\n',
            "beside it",
            "as a statement of its own",
        ),
        ('package = "birds"\n', "beside it", "anywhere in it"),
        ('package = "birds"\noutput = "out"\n', "below `out`", "anywhere in it"),
    ],
)
def test_instructions_are_true_in_the_project(
    tmp_path: Path, settings: str, place: str, rule: str
) -> None:
    instructions = set_up_project(tmp_path)
    write(tmp_path, {"pyproject.toml": f"[tool.modular]\n{settings}"})
    assert run_modular("init", "--agents", cwd=tmp_path).returncode == 0
    text = instructions.read_text(encoding="utf-8")
    assert f"The model files {place} that name it" in text
    assert rule in text


def test_instructions_of_other_authors_stay(tmp_path: Path) -> None:
    instructions = set_up_project(tmp_path)
    others = "# Rules\r\n\r\n- Caf\u00e9 \u2028 first.\r\n- No line end".encode()
    others += b"\xe9"
    instructions.write_bytes(others)
    assert run_modular("init", "--agents", cwd=tmp_path).returncode == 0
    written = instructions.read_bytes()
    added = SECTION.replace("\n", "\r\n").encode()
    assert written.startswith(others + b"\r\n\r\n" + added)
    assert b"\n" not in written.replace(b"\r\n", b"")


def test_instructions_are_added_once(tmp_path: Path) -> None:
    instructions = set_up_project(tmp_path)
    run_modular("init", "--agents", cwd=tmp_path)
    edited = f"# Ours\n\n{SECTION}\n- Edited by a person.\n\n## More\n"
    instructions.write_text(edited)
    done = run_modular("init", "--agents", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("nothing to write: all files are up to date\n")
    assert instructions.read_text() == edited


def test_diff_shows_the_instructions_and_writes_nothing(tmp_path: Path) -> None:
    instructions = set_up_project(tmp_path)
    instructions.write_text("# Ours\n")
    done = run_modular("init", "--agents", "--diff", cwd=tmp_path)
    assert done.stdout.startswith(
        f"--- a/AGENTS.md\n+++ b/AGENTS.md\n@@ -1 +1,14 @@\n # Ours\n+\n+{SECTION}"
    )
    assert instructions.read_text() == "# Ours\n"


def test_a_new_project_gets_its_settings_with_the_instructions(tmp_path: Path) -> None:
    write(tmp_path, {"birds/models/eagle/modeling_eagle.py": PARENT})
    done = run_modular("init", "--agents", cwd=tmp_path)
    written = [line for line in done.stdout.splitlines() if line.endswith(" written")]
    assert written == [
        "pyproject.toml written",
        ".pre-commit-config.yaml written",
        ".github/workflows/modular.yml written",
        "AGENTS.md written",
    ]


def test_instructions_are_not_written_through_a_link_that_leads_out(
    tmp_path: Path,
) -> None:
    instructions = set_up_project(tmp_path / "project")
    (tmp_path / "secret").write_text("password\n")
    instructions.symlink_to(tmp_path / "secret")
    done = run_modular("init", "--agents", cwd=tmp_path / "project")
    assert done.returncode == 2
    assert "AGENTS.md is a link that points outside" in done.stderr
    assert (tmp_path / "secret").read_text() == "password\n"


def test_without_the_option_agents_get_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"birds/models/eagle/modeling_eagle.py": PARENT})
    run_modular("init", cwd=tmp_path)
    assert not (tmp_path / "AGENTS.md").exists()


def test_the_next_step_fits_the_models(tmp_path: Path) -> None:
    """A project without modular files has nothing to check, and `check` says so."""
    write(tmp_path, {"birds/models/eagle/modeling_eagle.py": PARENT})
    flat = run_modular("init", cwd=tmp_path)
    assert "next: `modular infer MODEL` writes a modular file" in flat.stdout
    checked = run_modular("check", cwd=tmp_path)
    assert checked.returncode == 0
    assert checked.stdout.startswith(
        "no files\nno model has a modular file yet: `modular infer MODEL` writes"
    )


def test_the_next_step_after_init_is_a_check_of_modular_files(tmp_path: Path) -> None:
    files = {"birds/eagle/modeling_eagle.py": PARENT, "birds/owl/modular_owl.py": CHILD}
    write(tmp_path, files)
    done = run_modular("init", cwd=tmp_path)
    assert done.stdout.endswith(
        "next: `modular check`, or `modular new MODEL --from PARENT`\n"
    )


@pytest.mark.parametrize("value, notes", [("'a'", 1), ('"a"', 0)])
def test_files_that_ruff_would_format_otherwise_are_said(
    tmp_path: Path, value: str, notes: int
) -> None:
    models = [f"bird{letter}" for letter in "abcdefghijkl"]
    write(
        tmp_path,
        {
            f"birds/nets/{model}.py": f"class Attention:\n    name = {value}\n"
            for model in models
        },
    )
    done = run_modular("init", "--diff", cwd=tmp_path)
    assert done.stderr.count("note: ruff would format 12 of 12 files") == notes
