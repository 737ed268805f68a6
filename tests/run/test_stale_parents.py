"""Generated parent files that are stale on disk, and what is taken instead of them."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from modular import Options, check, convert
from tests.safety.projects import make


def child(name: str, parent: str, letters: str = "AB") -> str:
    source = f"from ..{parent.lower()}.modeling_{parent.lower()} import {', '.join(parent + letter for letter in letters)}\n"
    return source + "".join(
        f"\n\nclass {name}{letter}({parent}{letter}):\n    pass\n" for letter in letters
    )


def flat(name: str, value: int, letters: str = "AB") -> str:
    return "\n\n".join(
        f"class {name}{letter}:\n    value = {value}\n" for letter in letters
    )


LINE = {
    "models/base/modeling_base.py": flat("Base", 1),
    "models/aa/modular_aa.py": child("Aa", "Base"),
    "models/bb/modular_bb.py": child("Bb", "Aa"),
    "models/cc/modular_cc.py": child("Cc", "Bb"),
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "cache"))
    return make(tmp_path / "project", LINE)


def test_what_is_known_of_fresh_parents_is_not_found_out_again(
    root: Path, converted: list[str]
) -> None:
    options = Options(root=root, jobs=1)
    convert(options=options)
    (root / "models/aa/modeling_aa.py").write_text(flat("Aa", 9), encoding="utf-8")
    check(options=options)
    converted.clear()
    report = check(options=options)
    assert converted == []
    assert report.stale_parents == {
        "models/bb/modular_bb.py": ("models/aa/modeling_aa.py",)
    }


@pytest.mark.parametrize("cache", [False, True])
def test_a_model_that_fails_is_as_it_is_on_disk(root: Path, cache: bool) -> None:
    """It could be converted with the stale parent, but not with the fresh one: its children see neither."""
    (root / "models/aa/modular_aa.py").write_text(
        child("Aa", "Base", "A"), encoding="utf-8"
    )
    (root / "models/aa/modeling_aa.py").write_text(flat("Aa", 2), encoding="utf-8")
    (root / "models/bb/modeling_bb.py").write_text(flat("Bb", 3), encoding="utf-8")
    report = convert(options=Options(root=root, jobs=1, cache=cache))
    assert [
        (diagnostic.code.id, diagnostic.place.path) for diagnostic in report.diagnostics
    ] == [("MOD202", "models/bb/modular_bb.py")]
    assert (
        (root / "models/cc/modeling_cc.py")
        .read_text(encoding="utf-8")
        .endswith(flat("Cc", 3))
    )
    assert (
        (root / "models/aa/modeling_aa.py")
        .read_text(encoding="utf-8")
        .endswith(flat("Aa", 1, "A"))
    )


def test_a_stale_parent_from_the_future(root: Path) -> None:
    """What came of it cannot be kept; it is not mixed up with what the cache has, which holds for the fresh parent."""
    options = Options(root=root, jobs=1)
    convert(options=options)
    check(options=options)
    stale = root / "models/aa/modeling_aa.py"
    stale.write_text(flat("Aa", 9), encoding="utf-8")
    os.utime(stale, (time.time() + 3600,) * 2)
    (root / "models/bb/modeling_bb.py").write_text("# Not this.\n", encoding="utf-8")
    convert(options=options)
    assert (
        (root / "models/bb/modeling_bb.py")
        .read_text(encoding="utf-8")
        .endswith(flat("Bb", 1))
    )


def test_an_error_of_the_caller_ends_a_run_with_other_processes(tmp_path: Path) -> None:
    """They may just be sending what nobody reads any more."""
    base = (
        flat("Base", 1)
        + "\n\n"
        + "".join(f"VALUE_{number} = {number}\n" for number in range(5000))
    )
    big = "class BaseA:\n    value = 1\n" + "".join(
        f"    value_{number} = {number}\n" for number in range(20_000)
    )
    models = {
        f"models/m{number}/modular_m{number}.py": child(f"M{number}", "Base", "A")
        for number in range(60)
    }
    root = make(
        tmp_path / "project",
        {"models/base/modeling_base.py": f"{base}\n\n{big}", **models},
    )

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    progress: Callable[[int, int], None] = stop
    with pytest.raises(KeyboardInterrupt):
        check(options=Options(root=root, jobs=2, cache=False, progress=progress))
