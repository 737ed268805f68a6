"""`modular check --since REF` and `--affected-by`: what changed decides what is checked."""

import json
import subprocess
from pathlib import Path

import pytest

from modular import Options, check
from modular.git.repository import GitError, changed_since
from tests.flock import make_flock, run_modular
from tests.repository import MODELS, commit, make
from tests.support import source


@pytest.fixture
def repository(tmp_path):
    return make(tmp_path / "project")


def checked(repository, *arguments, folder="."):
    """The generated files that a check looked at with their status, and what it said about those it did not."""
    done = repository.modular(
        "check", "--output-format", "json", *arguments, folder=folder
    )
    files = {
        file["path"].split("/")[-1]: file["status"]
        for file in json.loads(done.stdout)["files"]
    }
    return files, done.stderr.strip()


def test_the_project_is_fresh(repository):
    assert repository.modular("check").returncode == 0


def test_nothing_changed(repository):
    assert checked(repository, "--since", "HEAD") == (
        {},
        "3 models skipped: no change affects them",
    )


def test_a_changed_parent_checks_its_children_and_theirs(repository):
    repository.write(
        {"models/elder/modeling_elder.py": "class ElderLeaf:\n    size = 2\n"}
    )
    expected = {"modeling_grown.py": "stale", "modeling_young.py": "stale"}
    assert checked(repository, "--since", "HEAD") == (
        expected,
        "1 model skipped: no change affects them",
    )
    assert repository.modular("check", "--since", "HEAD").returncode == 1


def test_a_changed_generated_file_is_checked(repository):
    repository.write(
        {"models/lone/modeling_lone.py": "class LoneLeaf:\n    size = 9\n"}
    )
    expected = {"modeling_lone.py": "stale"}
    assert checked(repository, "--since", "HEAD") == (
        expected,
        "2 models skipped: no change affects them",
    )


def test_changed_settings_check_everything(repository):
    repository.write({"pyproject.toml": MODELS["pyproject.toml"] + "# changed\n"})
    expected = {
        f"modeling_{name}.py": "identical" for name in ("grown", "lone", "young")
    }
    assert checked(repository, "--since", "HEAD") == (expected, "")


def test_what_is_untracked_and_what_is_committed_since_counts_too(repository):
    repository.git("tag", "start")
    repository.write({"models/lone/modular_lone.py": "class LoneLeaf:\n    size = 2\n"})
    repository.commit()
    repository.write(
        {"models/fresh/modular_fresh.py": "class FreshLeaf:\n    size = 1\n"}
    )
    assert checked(repository, "--since", "start")[0] == {
        "modeling_fresh.py": "missing",
        "modeling_lone.py": "stale",
    }
    assert checked(repository, "--since", "HEAD")[0] == {"modeling_fresh.py": "missing"}


def test_a_deleted_and_a_moved_file_count(repository):
    repository.git("rm", "--quiet", "models/lone/modeling_lone.py")
    repository.git("mv", "models/elder", "models/oldest")
    assert changed_since(repository.root, "HEAD") == (
        "models/elder/modeling_elder.py",
        "models/lone/modeling_lone.py",
        "models/oldest/modeling_elder.py",
    )
    assert checked(repository, "--since", "HEAD")[0] == {
        "modeling_grown.py": "identical",
        "modeling_lone.py": "missing",
        "modular_young.py": "error",
    }


def test_a_folder_that_became_a_link_counts(repository):
    young = repository.root / "models/young"
    young.rename(repository.root.parent / "outside")
    young.symlink_to(repository.root.parent / "outside")
    assert changed_since(repository.root, "HEAD") == (
        "models/young",
        "models/young/modeling_young.py",
        "models/young/modular_young.py",
    )
    repository.commit()
    repository.write({"README.md": ""})
    new_link = repository.root / "models/new"
    new_link.symlink_to(repository.root.parent / "outside")
    assert checked(repository, "--since", "HEAD")[0] == {"modular_young.py": "error"}


def test_a_project_in_a_folder_of_the_repository(tmp_path):
    repository = make(tmp_path / "project")
    repository.write({f"python/{path}": text for path, text in MODELS.items()})
    repository.commit()
    repository.write(
        {
            "python/models/lone/modular_lone.py": "class LoneLeaf:\n    size = 2\n",
            "models/x.py": "",
        }
    )
    assert changed_since(repository.root / "python", "HEAD") == (
        "models/lone/modular_lone.py",
    )
    assert checked(repository, "--since", "HEAD", folder="python")[0] == {
        "modeling_lone.py": "stale"
    }
    changed = "python/models/lone/modular_lone.py"
    assert checked(repository, "--root", "python", "--affected-by", changed)[0] == {
        "modeling_lone.py": "stale"
    }


def test_targets_narrow_it_further(repository):
    repository.write(
        {"models/elder/modeling_elder.py": "class ElderLeaf:\n    size = 2\n"}
    )
    assert checked(repository, "--since", "HEAD", "young", "lone") == (
        {"modeling_young.py": "stale"},
        "1 model skipped: no change affects them",
    )


def test_affected_by_takes_the_changed_files(repository):
    repository.write(
        {"models/young/modular_young.py": "class YoungLeaf:\n    size = 2\n"}
    )
    expected = {"modeling_grown.py": "stale", "modeling_young.py": "stale"}
    assert (
        checked(
            repository, "--affected-by", "models/young/modular_young.py", "README.md"
        )[0]
        == expected
    )
    assert (
        checked(
            repository,
            "--affected-by",
            "../young/modular_young.py",
            folder="models/lone",
        )[0]
        == expected
    )
    assert checked(repository, "--affected-by")[0] == {}


def test_convert_has_the_same_options(repository):
    repository.write(
        {"models/elder/modeling_elder.py": "class ElderLeaf:\n    size = 2\n"}
    )
    repository.write({"models/lone/modular_lone.py": "class LoneLeaf:\n    size = 2\n"})
    done = repository.modular(
        "convert",
        "--affected-by",
        "--exit-non-zero-on-write",
        "models/elder/modeling_elder.py",
    )
    assert done.returncode == 1
    assert (
        repository.read("models/grown/modeling_grown.py")
        == "class GrownLeaf:\n    size = 2\n"
    )
    assert (
        repository.read("models/lone/modeling_lone.py")
        == "class LoneLeaf:\n    size = 1\n"
    )
    assert repository.modular("convert", "--since", "HEAD").returncode == 0
    assert (
        repository.read("models/lone/modeling_lone.py")
        == "class LoneLeaf:\n    size = 2\n"
    )


@pytest.mark.parametrize("ref", ["nowhere", "--output=x", "HEAD:pyproject.toml"])
def test_what_is_no_commit_is_wrong_use(repository, ref):
    done = repository.modular("check", f"--since={ref}")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert not (repository.root / "x").exists()


def test_without_a_repository(tmp_path):
    with pytest.raises(GitError, match="not a git repository"):
        check(options=Options(root=tmp_path, since="HEAD"))


def test_settings_that_the_formatters_settings_extend(repository):
    repository.write(
        {
            "ruff.toml": 'extend = "conf/base.toml"\n',
            "conf/base.toml": "line-length = 100\n",
        }
    )
    repository.modular("convert")
    repository.commit()
    repository.write({"conf/base.toml": "line-length = 90\n"})
    assert len(checked(repository, "--since", "HEAD")[0]) == 3
    repository.write(
        {
            "conf/base.toml": "line-length = 100\n",
            "conf/other.toml": "line-length = 90\n",
        }
    )
    assert checked(repository, "--since", "HEAD")[0] == {}


def test_settings_of_the_formatter_above_the_project(tmp_path):
    repository = make(tmp_path / "project")
    files = {f"python/{path}": text for path, text in MODELS.items()}
    repository.write({**files, "ruff.toml": "line-length = 100\n", "README.md": ""})
    repository.modular("convert", "--root", "python")
    repository.commit()
    repository.write({"README.md": "changed"})
    assert checked(repository, "--root", "python", "--since", "HEAD")[0] == {}
    repository.write({"ruff.toml": "line-length = 90\n"})
    assert len(checked(repository, "--root", "python", "--since", "HEAD")[0]) == 3


UNTIDY = """\
from ..elder.modeling_elder import ElderBud, ElderLeaf, ElderTwig


class LoneLeaf(ElderLeaf):
    pass


class LoneTwig(ElderTwig):
    pass
"""
"""A modular file with a warning, MOD453."""


@pytest.fixture
def untidy(tmp_path):
    """A repository with a warning and a stale file of `lone`, committed."""
    repository = make(tmp_path / "project")
    classes = ("ElderLeaf", "ElderBud", "ElderTwig")
    elder = "\n\n".join(f"class {name}:\n    size = 1\n" for name in classes)
    repository.write(
        {
            "models/elder/modeling_elder.py": elder,
            "models/lone/modular_lone.py": UNTIDY,
        }
    )
    repository.write(
        {"models/lone/modeling_lone.py": "class LoneLeaf:\n    size = 3\n"}
    )
    repository.commit()
    return repository


def found(repository, *arguments):
    """The codes of the warnings, and the status of the files, that a check since the last commit reports."""
    done = repository.modular(
        "check", "--output-format", "json", "--since", "HEAD", *arguments
    )
    report = json.loads(done.stdout)
    return [error["code"] for error in report["errors"]], [
        file["status"] for file in report["files"]
    ]


def test_what_was_there_before_is_not_said(untidy):
    assert untidy.modular("check").returncode == 1
    untidy.write(
        {"models/lone/modular_lone.py": UNTIDY.replace("class Lone", "\n\nclass Lone")}
    )
    assert found(untidy, "--strict") == ([], [])
    done = untidy.modular("check", "--since", "HEAD", "--strict")
    assert done.returncode == 0
    assert "2 known findings not shown, 0 new" in done.stderr


def test_what_the_change_brings_is_said(untidy):
    lines = UNTIDY.replace("    pass", "    size = shift(2)", 1)
    untidy.write({"models/lone/modular_lone.py": lines})
    assert found(untidy) == (["MOD408"], ["stale"])


def test_a_parent_that_changes_a_stale_file_further_is_told(untidy):
    elder = untidy.read("models/elder/modeling_elder.py")
    untidy.write({"models/elder/modeling_elder.py": f"{elder}    depth = 2\n"})
    assert found(untidy) == ([], ["identical", "stale", "identical"])


def test_a_file_that_was_not_stale_before_is_said(untidy):
    untidy.write({"models/young/modeling_young.py": "class YoungLeaf:\n    size = 7\n"})
    assert found(untidy) == ([], ["identical", "stale"])


def test_errors_are_always_said(untidy):
    untidy.write({"models/lone/modular_lone.py": "class LoneLeaf(\n"})
    untidy.commit()
    untidy.write({"models/lone/modular_lone.py": "class LoneLeaf(\n\n"})
    assert found(untidy) == (["MOD101"], ["error"])


def test_settings_of_the_commit_count_for_it(untidy):
    untidy.write({"pyproject.toml": "[tool.modular]\nno = 1\n"})
    untidy.commit()
    untidy.write({"pyproject.toml": MODELS["pyproject.toml"]})
    codes, statuses = found(untidy)
    assert (codes, statuses.count("stale")) == (["MOD453"], 1)


def test_a_library_outside_of_the_repository(tmp_path):
    repository = make(tmp_path / "project")
    library = tmp_path / "garden/models/elder/modeling_elder.py"
    library.parent.mkdir(parents=True)
    library.write_text(
        "class ElderLeaf:\n    size = 1\n\n\nclass ElderBud:\n    size = 1\n\n\n"
        "class ElderTwig:\n    size = 1\n"
    )
    settings = MODELS["pyproject.toml"].replace(
        "[tool.modular]\n", '[tool.modular]\nsource-library = "../garden"\n'
    )
    lone = UNTIDY.replace("..elder", "garden.models.elder")
    repository.write({"pyproject.toml": settings, "models/lone/modular_lone.py": lone})
    assert repository.modular("convert").returncode == 0
    repository.commit()
    repository.write(
        {"models/lone/modular_lone.py": lone.replace("class Lone", "\n\nclass Lone")}
    )
    assert found(repository) == ([], ["identical"])


def test_a_newer_library_makes_findings_that_were_not_there(tmp_path):
    """The setting names another one than at the commit, and each is read where it was named."""
    repository = make(tmp_path / "project")
    for release, size in (("old", 1), ("new", 2)):
        library = tmp_path / release / "garden/models/elder/modeling_elder.py"
        library.parent.mkdir(parents=True)
        library.write_text(f"class ElderLeaf:\n    size = {size}\n")
    settings = MODELS["pyproject.toml"].replace(
        "[tool.modular]\n", '[tool.modular]\nsource-library = "../old/garden"\n'
    )
    lone = "from garden.models.elder.modeling_elder import ElderLeaf\n\n\nclass LoneLeaf(ElderLeaf):\n    pass\n"
    repository.write({"pyproject.toml": settings, "models/lone/modular_lone.py": lone})
    repository.commit()
    assert repository.modular("check").returncode == 0
    repository.write({"pyproject.toml": settings.replace("old", "new")})
    assert repository.modular("check").returncode == 1
    assert repository.modular("check", "--since", "HEAD").returncode == 1
    assert found(repository) == ([], ["identical", "stale", "identical"])


def test_what_the_package_has_outside_of_its_models_is_read_at_the_commit_too(tmp_path):
    """Whether a base has what a configuration removes is looked up there; the warning was there before."""
    repository = make(tmp_path / "project")
    settings = MODELS["pyproject.toml"].replace(
        "[tool.modular]\n",
        '[tool.modular]\nmodels = ["src/garden/models"]\npackage = "garden.models"\n',
    )
    config = "from ...base import Base\n\n\nclass ElderConfig(Base):\n    size = 1\n"
    elder = """\
        from .configuration_elder import ElderConfig


        class ElderLeaf:
            def __init__(self, config: ElderConfig):
                self.size = config.size
        """
    lone = """\
        from ..elder.configuration_elder import ElderConfig
        from ..elder.modeling_elder import ElderLeaf


        class LoneConfig(ElderConfig):
            size = AttributeError()


        class LoneLeaf(ElderLeaf):
            pass
        """
    repository.write(
        {
            "pyproject.toml": settings,
            "src/garden/base.py": "class Base:\n    depth = 1\n",
            "src/garden/models/elder/configuration_elder.py": config,
            "src/garden/models/elder/modeling_elder.py": source(elder),
            "src/garden/models/lone/modular_lone.py": source(lone),
        }
    )
    repository.modular("convert")
    repository.commit()
    report = json.loads(repository.modular("check", "--output-format", "json").stdout)
    assert [error["code"] for error in report["errors"]] == ["MOD456"]
    repository.write(
        {
            "src/garden/models/lone/modular_lone.py": source(lone)
            + "\n\nclass LoneTwig:\n    pass\n"
        }
    )
    assert found(repository)[0] == []


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
