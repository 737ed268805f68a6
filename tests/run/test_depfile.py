"""Dependency files: what is in them, and how it is written down."""

from pathlib import Path

import pytest

from modular.run.depfile import DepfileError, render
from tests.flock import EAGLE, FLOCK, make_flock, run_modular
from tests.support import write_project


TABLE = {
    "models/auto/auto_mappings.py": 'CONFIG_MAPPING_NAMES = {"owl": "OwlConfig"}\n',
    "models/auto/configuration_auto.py": 'CONFIG_MAPPING_NAMES.update({"owlet": "OwletConfig"})\n',
}


def rules(text: str) -> dict[str, list[str]]:
    """The rules of a dependency file whose paths need no escapes, those without prerequisites left out."""
    lines = text.replace(" \\\n", "").splitlines()
    split = (line.partition(":") for line in lines)
    return {target: found.split() for target, _, found in split if found}


def converted(root: Path, *arguments: str) -> dict[str, list[str]]:
    done = run_modular("convert", *arguments, "--depfile", "build/models.d", cwd=root)
    assert done.returncode == 0, done.stderr
    return rules((root / "build/models.d").read_text())


def test_how_it_is_written() -> None:
    assert (
        render({"out/b.py": ["a.py", "c.py"], "out/d.py": ["a.py"]})
        == """\
out/b.py: \\
  a.py \\
  c.py
out/d.py: \\
  a.py
a.py:
c.py:
"""
    )


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("a b.py", r"a\ b.py"),
        ("a  b.py", r"a\ \ b.py"),
        ("a#b.py", r"a\#b.py"),
        ("a$b.py", r"a$$b.py"),
        ("c:/a.py", r"c\:/a.py"),
        (r"a\b.py", r"a\b.py"),
        (r"a\ b.py", r"a\\\ b.py"),
        ("(a)é%.py", "(a)é%.py"),
    ],
)
def test_escapes(path: str, written: str) -> None:
    assert render({path: [path]}) == f"{written}: \\\n  {written}\n{written}:\n"


@pytest.mark.parametrize("letter", list("\n\t\r\0\"&'*;<=>?^`|"))
def test_what_cannot_be_written(letter: str) -> None:
    with pytest.raises(DepfileError, match="cannot both read"):
        render({"out.py": [f"a{letter}b.py"]})


def test_a_whole_project_depends_on_what_people_wrote(tmp_path: Path) -> None:
    """One step of a build may make all models, so none of what it makes is among what it needs."""
    assert converted(make_flock(tmp_path)) == {
        "models/owl/modeling_owl.py": [
            "models/eagle/modeling_eagle.py",
            "models/owl/modular_owl.py",
            "pyproject.toml",
        ],
        "models/owlet/modeling_owlet.py": [
            "models/eagle/modeling_eagle.py",
            "models/owl/modular_owl.py",
            "models/owlet/modular_owlet.py",
            "pyproject.toml",
        ],
    }


def test_one_model_depends_on_its_generated_parents_too(tmp_path: Path) -> None:
    assert converted(make_flock(tmp_path), "owlet") == {
        "models/owlet/modeling_owlet.py": [
            "models/eagle/modeling_eagle.py",
            "models/owl/modeling_owl.py",
            "models/owl/modular_owl.py",
            "models/owlet/modular_owlet.py",
            "pyproject.toml",
        ]
    }


def test_parents_that_are_only_generated_in_memory_are_not_there(
    tmp_path: Path,
) -> None:
    result = converted(make_flock(tmp_path, converted=False), "owlet")
    assert "models/owl/modeling_owl.py" not in result["models/owlet/modeling_owlet.py"]
    assert "models/owl/modular_owl.py" in result["models/owlet/modeling_owlet.py"]


def test_results_from_the_cache_have_the_same_dependencies(tmp_path: Path) -> None:
    make_flock(tmp_path)
    assert (
        converted(tmp_path) == converted(tmp_path) == converted(tmp_path, "--no-cache")
    )


def test_settings_of_the_formatter_count(tmp_path: Path) -> None:
    make_flock(tmp_path)
    (tmp_path / "models/owl/ruff.toml").write_text("line-length = 119\n")
    (tmp_path / "models/.ruff.toml").write_text("line-length = 119\n")
    result = converted(tmp_path)
    settings = {
        path: [file for file in needed if file.endswith(".toml")]
        for path, needed in result.items()
    }
    assert settings == {
        "models/owl/modeling_owl.py": [
            "models/.ruff.toml",
            "models/owl/ruff.toml",
            "pyproject.toml",
        ],
        "models/owlet/modeling_owlet.py": ["models/.ruff.toml", "pyproject.toml"],
    }


def test_the_table_of_names_counts(tmp_path: Path) -> None:
    write_project(tmp_path, {**FLOCK, **TABLE})
    found = converted(tmp_path, "owl")["models/owl/modeling_owl.py"]
    assert [path for path in found if "/auto/" in path] == sorted(TABLE)


def test_without_a_table_the_configuration_beside_a_parent_counts(
    tmp_path: Path,
) -> None:
    """Its class says how the parent is called."""
    config = 'class EagleConfig:\n    model_type = "eagle"\n'
    write_project(tmp_path, {**FLOCK, "models/eagle/configuration_eagle.py": config})
    assert (
        "models/eagle/configuration_eagle.py"
        in converted(tmp_path, "owl")["models/owl/modeling_owl.py"]
    )


def test_paths_are_relative_to_the_current_folder(tmp_path: Path) -> None:
    root, build = make_flock(tmp_path / "flock"), tmp_path / "build"
    build.mkdir()
    done = run_modular(
        "convert", "owl", "--root", "../flock", "--depfile", "owl.d", cwd=build
    )
    assert done.returncode == 0, done.stderr
    assert root.is_dir()
    assert rules((build / "owl.d").read_text()) == {
        "../flock/models/owl/modeling_owl.py": [
            "../flock/models/eagle/modeling_eagle.py",
            "../flock/models/owl/modular_owl.py",
            "../flock/pyproject.toml",
        ]
    }


def test_a_separate_output_folder(tmp_path: Path) -> None:
    result = converted(make_flock(tmp_path, converted=False), "--output", "generated")
    assert sorted(result) == [
        "generated/owl/modeling_owl.py",
        "generated/owlet/modeling_owlet.py",
    ]
    assert (
        result["generated/owl/modeling_owl.py"][0] == "models/eagle/modeling_eagle.py"
    )


def test_none_is_written_where_a_model_has_an_error(tmp_path: Path) -> None:
    """A build must not take the run for done."""
    make_flock(tmp_path)
    (tmp_path / "models/owlet/modular_owlet.py").write_text("class (\n")
    assert run_modular("convert", "--depfile", "models.d", cwd=tmp_path).returncode == 1
    assert not (tmp_path / "models.d").exists()


def test_it_cannot_be_written(tmp_path: Path) -> None:
    make_flock(tmp_path)
    (tmp_path / "build").write_text("a file, not a folder\n")
    done = run_modular("convert", "--depfile", "build/models.d", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error: build/models.d: ")


def test_a_name_that_it_cannot_hold(tmp_path: Path) -> None:
    write_project(tmp_path, {"models/a=b/modeling_eagle.py": EAGLE, **FLOCK})
    modular = tmp_path / "models/a=b/modular_crow.py"
    modular.write_text(
        "from ..eagle.modeling_eagle import EagleWing\n\n\nclass CrowWing(EagleWing):\n    pass\n"
    )
    done = run_modular("convert", "crow", "--depfile", "crow.d", cwd=tmp_path)
    assert done.returncode == 2
    assert "'models/a=b/modeling_crow.py'" in done.stderr
    assert not (tmp_path / "crow.d").exists()


def test_a_diff_writes_none(tmp_path: Path) -> None:
    done = run_modular(
        "convert", "--diff", "--depfile", "models.d", cwd=make_flock(tmp_path)
    )
    assert done.returncode == 2
    assert not (tmp_path / "models.d").exists()


def test_a_source_is_never_replaced_by_a_dependency_file(tmp_path: Path) -> None:
    root = make_flock(tmp_path)
    source = "models/eagle/modeling_eagle.py"
    before = (root / source).read_bytes()
    done = run_modular("convert", "--depfile", source, cwd=root)
    assert done.returncode == 2
    assert f"{source}: the file was not written by modular" in done.stderr
    assert (root / source).read_bytes() == before


def test_a_dependency_file_is_replaced_by_the_next_one(tmp_path: Path) -> None:
    root = make_flock(tmp_path)
    first = converted(root)
    assert converted(root) == first
