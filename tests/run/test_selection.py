"""The models that a command converts: `--shard I/N`, and targets that name no modular file."""

import json
import shutil
from pathlib import Path

import pytest

from modular.run.selection import Shard, parse_shard
from tests.flock import EAGLE, GENERATED, make_flock, run_modular
from tests.reporting import (
    LLAMA,
    OLMO,
    PARENT,
    diagnostics,
    lines,
    report,
)
from tests.support import write_project


MODELS = [f"models/m{number}/modular_m{number}.py" for number in range(11)]

OLMO_MLP = """\
from ..llama.modeling_llama import LlamaMLP


class OlmoMLP(LlamaMLP):
    pass
"""


def hint(folder: Path, modular: str, parent: str = PARENT) -> str:
    """Convert a modular file with one mistake and return the hint."""
    reported = diagnostics(folder, {LLAMA: parent, OLMO: lines(modular)})
    [hint] = [
        diagnostic.hint for diagnostic in reported if diagnostic.code.id != "MOD453"
    ]
    return hint


SMALL = {
    LLAMA: PARENT,
    "models/llama/__init__.py": "",
    OLMO: "class OlmoMLP:\n    pass\n",
    "models/olmo/modeling_olmo.py": "",
    "models/cohere/cohere_modular.py": "class CohereMLP:\n    pass\n",
}

GENERATED_FILE = (
    "`models/olmo/modeling_olmo.py` is generated from `models/olmo/modular_olmo.py`",
    "name that file, or `olmo`",
)

CALLED = "modular files are called `modular_<model>.py`"

BY_HAND = "name a modular file, or a model that has one"


@pytest.mark.parametrize("count", [1, 2, 3, 10, 11, 12])
def test_parts_are_disjoint_even_and_cover_everything(count: int) -> None:
    parts = [Shard(index, count).take(MODELS) for index in range(1, count + 1)]
    assert sorted(model for part in parts for model in part) == sorted(MODELS)
    sizes = [len(part) for part in parts]
    assert max(sizes) - min(sizes) <= 1


def test_parts_do_not_depend_on_the_order_in_which_files_are_found() -> None:
    assert Shard(2, 3).take(MODELS[::-1]) == Shard(2, 3).take(MODELS)


def test_parse() -> None:
    assert parse_shard("2/3") == Shard(2, 3)


@pytest.mark.parametrize(
    "text", ["", "1", "0/2", "3/2", "1/0", "-1/2", "a/b", "1/2/3", "1/ 2"]
)
def test_what_is_no_shard(text: str) -> None:
    with pytest.raises(ValueError, match="expected I/N"):
        parse_shard(text)


def aviary(root: Path) -> Path:
    """Five models: a chain of four behind a bird written by hand, and one beside it."""
    files = {"models/eagle/modeling_eagle.py": EAGLE}
    parents = {
        "owl": "eagle",
        "crow": "owl",
        "wren": "crow",
        "tit": "wren",
        "rook": "eagle",
    }
    for number, (model, parent) in enumerate(parents.items(), start=1):
        wing, parent_wing = f"{model.title()}Wing", f"{parent.title()}Wing"
        files[f"models/{model}/modular_{model}.py"] = (
            f"from ..{parent}.modeling_{parent} import {parent_wing}\n\n\n"
            f"class {wing}({parent_wing}):\n    def song_{number}(self):\n        return {number}\n"
        )
    write_project(root, files)
    return root


def generated(root: Path) -> dict[str, str]:
    paths = sorted((root / "models").glob("*/modeling_*.py"))
    return {
        path.name: path.read_text()
        for path in paths
        if path.name != "modeling_eagle.py"
    }


def test_shards_together_write_what_one_run_writes(tmp_path: Path) -> None:
    """Each shard runs on a machine of its own, where nothing is generated yet: parents are computed in memory."""
    whole = aviary(tmp_path / "whole")
    assert run_modular("convert", cwd=whole).returncode == 0
    expected = generated(whole)
    assert sorted(expected) == [
        f"modeling_{model}.py" for model in ("crow", "owl", "rook", "tit", "wren")
    ]
    assert all(
        f"def song_{number}(self):" in expected["modeling_tit.py"]
        for number in (1, 2, 3, 4)
    )
    for count in (2, 3, 5):
        found: dict[str, str] = {}
        for index in range(1, count + 1):
            part = aviary(tmp_path / f"{index}-of-{count}")
            assert (
                run_modular(
                    "convert", "--no-cache", "--shard", f"{index}/{count}", cwd=part
                ).returncode
                == 0
            )
            written = generated(part)
            assert not found.keys() & written.keys()
            found.update(written)
            shutil.rmtree(part)
        assert found == expected


def test_shards_together_check_what_one_run_checks(tmp_path: Path) -> None:
    make_flock(tmp_path)
    (tmp_path / "models/owl/modeling_owl.py").write_text("stale = True\n")
    (tmp_path / "models/owlet/modeling_owlet.py").unlink()
    files = []
    for index in (1, 2):
        done = run_modular(
            "check", "--shard", f"{index}/2", "--output-format", "json", cwd=tmp_path
        )
        assert done.returncode == 1
        files += json.loads(done.stdout)["files"]
    assert {file["path"]: file["status"] for file in files} == dict(
        zip(GENERATED, ("stale", "missing"), strict=True)
    )


def test_more_shards_than_models(tmp_path: Path) -> None:
    done = run_modular("check", "--shard", "3/3", cwd=make_flock(tmp_path))
    assert done.returncode == 0
    assert done.stdout == "no files\n"


def test_wrong_use(tmp_path: Path) -> None:
    done = run_modular("check", "--shard", "3/2", cwd=make_flock(tmp_path))
    assert done.returncode == 2
    assert "expected I/N with 1 <= I <= N, not '3/2'" in done.stderr


def test_not_found(tmp_path: Path) -> None:
    assert report(tmp_path, {LLAMA: PARENT, OLMO: OLMO_MLP}, "olmmo") == lines("""
        error[MOD103]: no such model, file or folder
          --> olmmo
             hint: did you mean `olmo`?

        """)


def test_not_a_modular_file(tmp_path: Path) -> None:
    assert report(tmp_path, {LLAMA: PARENT}, LLAMA) == lines("""
        error[MOD105]: `models/llama/modeling_llama.py` is hand-written: no \
modular file generates it
          --> models/llama/modeling_llama.py
             hint: name a modular file, or a model that has one

        """)


def test_outside_root(tmp_path: Path) -> None:
    reported = diagnostics(
        tmp_path,
        {LLAMA: PARENT, "../elsewhere/modular_olmo.py": OLMO_MLP},
        "../elsewhere/modular_olmo.py",
    )
    assert [(diagnostic.code.id, diagnostic.place.path) for diagnostic in reported] == [
        ("MOD107", "../elsewhere/modular_olmo.py")
    ]
    assert "outside the project's root" in reported[0].message
    assert "--root" in reported[0].hint


@pytest.mark.parametrize(
    ("target", "message", "hint"),
    [
        (
            "llama",
            "`llama` is hand-written: it has `modeling_llama.py`, and no modular file",
            BY_HAND,
        ),
        (
            "models/llama",
            "`llama` is hand-written: it has `modeling_llama.py`, and no modular file",
            BY_HAND,
        ),
        (
            LLAMA,
            "`models/llama/modeling_llama.py` is hand-written: no modular file generates it",
            BY_HAND,
        ),
        (
            "modeling_llama.py",
            "`models/llama/modeling_llama.py` is hand-written: no modular file generates it",
            BY_HAND,
        ),
        ("models/olmo/modeling_olmo.py", *GENERATED_FILE),
        ("modeling_olmo.py", *GENERATED_FILE),
        ("modeling_olmo", *GENERATED_FILE),
        ("lama", "no such model, file or folder", "did you mean `llama`?"),
        ("olmoo", "no such model, file or folder", "did you mean `olmo`?"),
        ("cohere", "no modular file in this folder", CALLED),
        ("models/cohere/cohere_modular.py", "no `modular_` in the name", CALLED),
    ],
)
def test_target_that_is_no_modular_file(
    tmp_path: Path, target: str, message: str, hint: str
) -> None:
    [reported] = diagnostics(tmp_path, SMALL, target)
    assert (reported.place.path, reported.message, reported.hint) == (
        target,
        message,
        hint,
    )
