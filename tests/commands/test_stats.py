"""`modular stats`: what modular files save."""

import json
from pathlib import Path

from tests.flock import make_flock, run_modular
from tests.repository import make


def test_the_table(tmp_path: Path) -> None:
    """owl has 9 lines for the 10 that are generated, owlet 5 for 3; all of them count, blank ones too."""
    done = run_modular("stats", cwd=make_flock(tmp_path))
    *table, explanation, _ = done.stdout.splitlines()
    assert explanation.startswith("modular: lines to maintain; generated: ")
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert [line.split() for line in table if line.strip(" ─")] == [
        ["model", "modular", "generated", "saved", "ratio"],
        ["owl", "9", "8", "-1", "x0.9"],
        ["owlet", "5", "3", "-2", "x0.6"],
        ["2", "in", "all", "14", "11", "-3", "x0.8"],
    ]
    assert len({len(line.rstrip()) for line in table if line.strip(" ─")}) == 1, (
        "columns are aligned"
    )
    assert done.returncode == 0


def test_json_of_one_model(tmp_path: Path) -> None:
    done = run_modular(
        "stats", "owl", "--output-format", "json", cwd=make_flock(tmp_path)
    )
    numbers = {"modular": 9, "generated": 8, "saved": -1, "ratio": 0.89}
    assert json.loads(done.stdout) == {
        "schema": 1,
        "models": [{"model": "owl", "path": "models/owl/modular_owl.py", **numbers}],
        "total": numbers,
    }


def test_nothing_is_written_and_stale_files_do_not_count(tmp_path: Path) -> None:
    make_flock(tmp_path, converted=False)
    done = run_modular("stats", "--output-format", "json", cwd=tmp_path)
    assert json.loads(done.stdout)["total"]["generated"] == 11
    assert not (tmp_path / "models/owl/modeling_owl.py").exists()


def test_a_model_in_error_is_left_out(tmp_path: Path) -> None:
    make_flock(tmp_path)
    (tmp_path / "models/owlet/modular_owlet.py").write_text("class (\n")
    done = run_modular("stats", "--output-format", "json", cwd=tmp_path)
    assert [model["model"] for model in json.loads(done.stdout)["models"]] == ["owl"]
    assert "models/owlet/modular_owlet.py:1:7" in done.stderr
    assert done.returncode == 1


def test_parents_counts_what_depends_on_each_parent(tmp_path: Path) -> None:
    """`young` and `grown` generate 2 lines each, and `lone` inherits from nobody."""
    repository = make(tmp_path / "project")
    repository.modular("convert")
    done = repository.modular("stats", "--parents", "--output-format", "json")
    assert json.loads(done.stdout) == {
        "schema": 1,
        "parents": [
            {"model": "elder", "direct": 1, "models": 2, "lines": 4},
            {"model": "young", "direct": 1, "models": 1, "lines": 2},
        ],
    }
    rows = [
        line.split()
        for line in repository.modular("stats", "--parents").stdout.splitlines()
    ]
    assert ["elder", "1", "2", "4", "67%"] in rows
